#include "apps/cli/dynaml/commands.h"
#include "apps/cli/dynaml/work.h"

#include "value/value.h"

/* The name of an entry that --select makes. */
static sv get_last_step(struct arena *a, sv path) {
    const sv *steps = NULL;
    size_t count = dynaml_split_path(a, path, &steps);
    return count > 0 ? steps[count - 1] : SV("");
}

/* Before anything is read: two of one name would be one entry. */
static bool check_selection(struct cli *c) {
    const struct setting *wanted = settings_find(c, SV("select"));
    size_t count = wanted == NULL ? 0 : wanted->texts.len;
    if (count > 0 && settings_is_given(c, "path")) {
        output_usage_error(c, "'--path' and '--select' cannot be used together");
        return false;
    }
    for (size_t i = 0; i < count; i++) {
        for (size_t k = 0; k < i; k++) {
            sv one = get_last_step(&c->arena, wanted->texts.items[k]);
            if (!sv_eq(one, get_last_step(&c->arena, wanted->texts.items[i])))
                continue;
            output_usage_error(c, "'--select' makes two entries '%.*s'", SV_ARG(render_escape(&c->arena, one)));
            return false;
        }
    }
    return true;
}

static bool select_parts(struct work *w, const struct setting *wanted, value *v) {
    struct arena *a = &w->cli->arena;
    struct map_builder b = {.arena = a};
    for (size_t i = 0; i < wanted->texts.len; i++) {
        sv path = wanted->texts.items[i];
        const sv *steps = NULL;
        size_t count = dynaml_split_path(a, path, &steps);
        value part = dynaml_find(*v, steps, count);
        if (!value_is_set(part))
            return work_fail(w, "error: path '%.*s' not found", SV_ARG(path));
        map_add(&b, get_last_step(a, path), part);
    }
    *v = map_done(&b);
    return true;
}

static bool take_part(struct work *w, value *v) {
    const struct setting *wanted = settings_find(w->cli, SV("select"));
    return wanted != NULL && wanted->texts.len > 0 ? select_parts(w, wanted, v) : work_take_path(w, v);
}

static enum exit_code merge(struct work *w) {
    struct cli *c = w->cli;
    if (!work_read(w, c->arguments.items, c->arguments.len))
        return EXIT_FAILED;
    dynaml_merge(w->run, w->documents, w->count, &w->result);
    value v = w->result.document;
    return work_check_result(w) && take_part(w, &v) ? work_print(w, v) : EXIT_FAILED;
}

enum exit_code cmd_dynaml_merge_run(struct cli *c) {
    struct work w;
    return check_selection(c) && work_open(&w, c) ? work_end(&w, merge(&w)) : EXIT_USAGE;
}
