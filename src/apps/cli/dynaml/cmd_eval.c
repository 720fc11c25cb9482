#include "apps/cli/dynaml/commands.h"
#include "apps/cli/dynaml/work.h"

/* The files of --on, and the arguments behind the expression: the template and its stubs. */
static bool collect_files(struct cli *c, sv **files, size_t *count) {
    sv template = settings_get_text(c, "on");
    *files = ARENA_ARRAY(&c->arena, sv, c->arguments.len + 1);
    *count = 0;
    if (template.len > 0)
        (*files)[(*count)++] = template;
    for (size_t i = 1; i < c->arguments.len; i++)
        (*files)[(*count)++] = c->arguments.items[i];
    if (template.len > 0 || c->arguments.len == 1)
        return true;
    output_usage_error(c, "'%.*s' is a stub, but there is no template: give --on FILE",
                       SV_ARG(render_escape(&c->arena, sv_slice(c->arguments.items[1], 0, 80))));
    return false;
}

/* Without a file the expression is asked on {}. */
static bool read_nothing(struct work *w) {
    struct cli *c = w->cli;
    sv why = {0};
    w->documents = ARENA_ARRAY(&c->arena, struct dynaml_document *, 1);
    w->count = 1;
    w->documents[0] = dynaml_read(w->run, SV("eval"), sources_add(&c->sources, SV("eval"), SV("{}")), &why);
    return w->documents[0] != NULL;
}

static enum exit_code eval(struct work *w, const sv *files, size_t count) {
    struct cli *c = w->cli;
    struct dynaml_question q = {.expression = c->arguments.items[0]};
    q.at_count = dynaml_split_path(&c->arena, settings_get_text(c, "at"), &q.at);
    if (count > 0 ? !work_read(w, files, count) : !read_nothing(w))
        return EXIT_FAILED;
    dynaml_eval(w->run, w->documents, w->count, &q, &w->result);
    value v = w->result.document;
    return work_check_result(w) && work_take_path(w, &v) ? work_print(w, v) : EXIT_FAILED;
}

enum exit_code cmd_dynaml_eval_run(struct cli *c) {
    struct work w;
    sv *files = NULL;
    size_t count = 0;
    if (!collect_files(c, &files, &count) || !work_open(&w, c))
        return EXIT_USAGE;
    return work_end(&w, eval(&w, files, count));
}
