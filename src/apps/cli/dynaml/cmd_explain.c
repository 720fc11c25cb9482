#include "apps/cli/dynaml/commands.h"
#include "apps/cli/dynaml/work.h"

#include "dialects/dynaml/explain.h"

/* Nothing to be explained: the run has no such node, or has not come to it. */
static enum exit_code report(struct work *w, const struct dynaml_explained *e) {
    struct cli *c = w->cli;
    w->result = e->result;
    if (e->result.limit.len > 0 || e->failed_stub.len > 0) {
        work_check_result(w);
        return EXIT_FAILED;
    }
    w->result = (struct dynaml_result){0}; /* other nodes that are unresolved are not the matter */
    work_fail(w, "error: path '%.*s' not found", SV_ARG(c->arguments.items[0]));
    if (e->hint.len == 0)
        return EXIT_FAILED;
    w->hint = arena_printf(&c->arena, "did you mean '%.*s'?", SV_ARG(e->hint));
    report_lines(c, arena_printf(&c->arena, "hint: %.*s\n", SV_ARG(w->hint)));
    return EXIT_FAILED;
}

static enum exit_code show(struct work *w, const struct dynaml_explained *e) {
    struct cli *c = w->cli;
    struct buf json = BUF(&c->arena), text = BUF(&c->arena);
    if (output_is_machine(c) && !dynaml_write_explanation(&json, e)) {
        work_fail(w, "error marshalling explanation: JSON has neither infinity nor NaN");
        return EXIT_FAILED;
    }
    c->result = buf_get_sv(&json);
    if (!c->json) {
        dynaml_print_explanation(&text, e);
        output_text(c, buf_get_sv(&text));
    }
    return EXIT_OK;
}

static enum exit_code explain(struct work *w, struct arena *notes, size_t depth) {
    struct cli *c = w->cli;
    struct dynaml_explained e;
    struct dynaml_explain_request r = {.arena = notes, .depth = depth};
    r.path_len = dynaml_split_path(&c->arena, c->arguments.items[0], &r.path);
    if (!work_read(w, c->arguments.items + 1, c->arguments.len - 1))
        return EXIT_FAILED;
    dynaml_explain(w->run, w->documents, w->count, &r, &e);
    if (e.node == NULL)
        return report(w, &e);
    return work_check_warnings(w) ? show(w, &e) : EXIT_FAILED;
}

enum exit_code cmd_dynaml_explain_run(struct cli *c) {
    struct work w;
    struct arena notes = {0};
    int64_t depth = settings_get_number(c, "depth");
    if (depth > DYNAML_EXPLAIN_DEPTH_MAX)
        return output_usage_error(c, "'--depth' is at most %d", DYNAML_EXPLAIN_DEPTH_MAX);
    enum exit_code code = work_open(&w, c) ? work_end(&w, explain(&w, &notes, (size_t)depth)) : EXIT_USAGE;
    arena_fini(&notes);
    return code;
}
