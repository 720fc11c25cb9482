#include "apps/cli/commands.h"

#include "fn/fn.h"

#include <stdlib.h>

static enum exit_code report_unknown(struct cli *c, sv name) {
    struct hint hint = {.wanted = name, .best = fn_find_close(&fn_core_registry, name)};
    return output_report_unknown(c, "function", name, &hint);
}

static int compare_names(const void *a, const void *b) {
    const struct fn_def *const *x = a, *const *y = b;
    return sv_cmp((*x)->name, (*y)->name);
}

/* One line a function: its name and what it does. */
static void render_list(struct buf *out) {
    const struct fn_registry *r = &fn_core_registry;
    VEC(const struct fn_def *) all = {0};
    for (size_t t = 0; t < r->count; t++) {
        for (size_t i = 0; i < r->tables[t]->count; i++)
            VEC_PUSH(out->arena, &all, r->tables[t]->defs[i]);
    }
    if (all.len > 0)
        qsort(all.items, all.len, sizeof *all.items, compare_names);
    for (size_t i = 0; i < all.len; i++)
        buf_printf(out, "%-18.*s %.*s%s\n", SV_ARG(all.items[i]->name), SV_ARG(all.items[i]->summary),
                   all.items[i]->call == NULL ? " (declared only)" : "");
    buf_append_cstr(out, "\n`lintel functions NAME` tells more.\n");
}

enum exit_code cmd_functions_run(struct cli *c) {
    const struct fn_def *only = NULL;
    if (c->arguments.len > 0) {
        only = fn_find(&fn_core_registry, c->arguments.items[0]);
        if (!only)
            return report_unknown(c, c->arguments.items[0]);
    }
    struct buf out = BUF(&c->arena);
    if (only)
        fn_render_one(&out, only);
    else if (settings_get_flag(c, "markdown"))
        fn_render_docs(&out, &fn_core_registry);
    else
        render_list(&out);
    output_text(c, buf_get_sv(&out));
    jsonw_key(&c->writer, SV("functions"));
    fn_write_json(&c->writer, &fn_core_registry, only);
    return EXIT_OK;
}
