#include "apps/cli/dynaml/work.h"

#include "api/dynaml_world.h"
#include "base/num.h"
#include "dialects/dynaml/output.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* --- options --- */

static bool take_limit(struct cli *c, struct dynaml_limits *limits, sv text) {
    sv rest = text;
    sv name = sv_cut(&rest, '=');
    uint64_t n = 0, *limit = dynaml_limits_find(limits, name);
    if (limit != NULL && num_parse_u64(rest, 10, &n) == NUM_OK && n > 0) {
        *limit = n;
        return true;
    }
    output_usage_error(c, "'--limit' takes NAME=N, not '%.*s'",
                       SV_ARG(render_escape(&c->arena, sv_slice(text, 0, 80))));
    return false;
}

static bool take_limits(struct cli *c, struct dynaml_limits *limits) {
    const struct setting *given = settings_find(c, SV("limit"));
    bool ok = true;
    for (size_t i = 0; given && i < given->texts.len; i++)
        ok = take_limit(c, limits, given->texts.items[i]) && ok;
    return ok;
}

bool work_open(struct work *w, struct cli *c) {
    bool is_pure = settings_get_flag(c, "pure");
    struct dynaml_world_options world = {.arena = &c->arena,
                                         .host = (struct host *)c->host,
                                         .root = settings_get_text(c, "root"),
                                         .timeout_ms = settings_get_number(c, "exec-timeout") * 1000,
                                         .signals = &c->signals->count};
    struct dynaml_options o = {.arena = &c->arena,
                               .diags = &c->diags,
                               .sources = &c->sources,
                               .host = (struct host *)c->host,
                               .world = dynaml_world_new(&world),
                               .no_exec = is_pure || settings_get_flag(c, "no-exec"),
                               .no_read = is_pure || settings_get_flag(c, "no-read"),
                               .no_env = is_pure || settings_get_flag(c, "no-env")};
    *w = (struct work){.cli = c};
    if (!take_limits(c, &o.limits))
        return false;
    w->run = dynaml_run_new(&o);
    return true;
}

/* --- what went wrong --- */

void work_fail(struct work *w, const char *format, ...) {
    va_list args;
    va_start(args, format);
    sv text = arena_vprintf(&w->cli->arena, format, args);
    va_end(args);
    fprintf(stderr, "%.*s\n", SV_ARG(text));
}

/* --- files --- */

static bool read_one(struct work *w, sv file, const char *role, size_t at) {
    struct cli *c = w->cli;
    struct source *source = NULL;
    int error = 0;
    sv why = {0};
    enum source_read read = sources_read_file(&c->sources, file, c->limits.document_bytes, &source, &error);
    if (read != SOURCE_READ_OK) {
        work_fail(w, "error reading %s [%.*s]: open %.*s: %s", role, SV_ARG(file), SV_ARG(file), strerror(error));
        return false;
    }
    w->documents[at] = dynaml_read(w->run, file, source, &why);
    if (w->documents[at] == NULL)
        work_fail(w, "error parsing %s [%.*s]: %.*s", role, SV_ARG(file), SV_ARG(why));
    return w->documents[at] != NULL;
}

bool work_read(struct work *w, const sv *files, size_t count) {
    w->documents = ARENA_ARRAY(&w->cli->arena, struct dynaml_document *, count);
    w->count = count;
    for (size_t i = 0; i < count; i++) {
        if (!read_one(w, files[i], i == 0 ? "template" : "stub", i))
            return false;
    }
    return true;
}

/* --- results --- */

bool work_check_result(struct work *w) {
    struct buf out = BUF(&w->cli->arena);
    if (w->result.is_resolved)
        return true;
    if (w->result.limit.len > 0) {
        work_fail(w, "error generating manifest: %.*s", SV_ARG(w->result.limit));
        return false;
    }
    dynaml_print_report(&out, &w->result);
    work_fail(w, "error generating manifest: unresolved nodes:");
    fwrite(out.data, 1, out.len, stderr);
    return false;
}

enum exit_code work_print(struct work *w, value v) {
    struct cli *c = w->cli;
    struct buf yaml = BUF(&c->arena), json = BUF(&c->arena);
    if (output_is_machine(c) && !dynaml_write_json(&json, v)) {
        work_fail(w, "error marshalling manifest: JSON has no infinity and no NaN");
        return EXIT_FAILED;
    }
    c->result = buf_get_sv(&json);
    dynaml_write_yaml(&yaml, v);
    output_text(c, buf_get_sv(&yaml));
    return EXIT_OK;
}

void work_write_failure(struct cli *c, struct jsonw *w, enum exit_code code) {
    jsonw_begin_object(w);
    jsonw_key(w, SV("error"));
    jsonw_begin_object(w);
    jsonw_put_text(w, "message", c->diags.items.len > 0 ? c->diags.items.items[0]->message : SV("failed"));
    jsonw_put_i64(w, "exitCode", code);
    jsonw_end_object(w);
    jsonw_end_object(w);
}
