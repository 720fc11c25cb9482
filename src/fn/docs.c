/* The reference printed from the tables. */
#include "fn/fn.h"

#include <stdlib.h>

static void print_param(struct buf *out, const struct fn_param *p) {
    type_print(out, p->type);
    buf_append_char(out, ' ');
    buf_append(out, p->name);
    bool optional = (p->flags & FN_OPTIONAL) != 0, variadic = (p->flags & FN_VARIADIC) != 0;
    buf_append_cstr(out, variadic ? (optional ? "…*" : "…") : optional ? "?" : "");
}

void fn_print_signature(struct buf *out, const struct fn_def *f) {
    buf_append(out, f->name);
    buf_append_char(out, '(');
    for (size_t i = 0; i < f->param_count; i++) {
        buf_append_cstr(out, i > 0 ? ", " : "");
        print_param(out, &f->params[i]);
    }
    buf_append_cstr(out, ") → ");
    type_print(out, f->result);
}

static void render_body(struct buf *out, const struct fn_def *f) {
    buf_append(out, f->summary);
    buf_append_cstr(out, "\n\n");
    if (f->details.len > 0) {
        buf_append(out, f->details);
        buf_append_cstr(out, "\n\n");
    }
    bool has_params = false;
    for (size_t i = 0; i < f->param_count; i++) {
        if (f->params[i].text.len > 0) {
            buf_printf(out, "- `%.*s`: %.*s\n", SV_ARG(f->params[i].name), SV_ARG(f->params[i].text));
            has_params = true;
        }
    }
    if (f->example.len > 0) {
        buf_append_cstr(out, has_params ? "\n" : "");
        buf_printf(out, "`%.*s` gives `%.*s`\n", SV_ARG(f->example), SV_ARG(f->example_result));
    }
}

void fn_render_one(struct buf *out, const struct fn_def *f) {
    fn_print_signature(out, f);
    buf_printf(out, "    (%.*s)\n\n", SV_ARG(f->rule));
    render_body(out, f);
}

/* All functions that can be called by name, sorted by family as the tables come, then by name. */
static size_t count_all(const struct fn_registry *r) {
    size_t count = 0;
    for (size_t i = 0; i < r->count; i++) {
        count += r->tables[i]->count;
    }
    return count;
}

static int compare_names(const void *a, const void *b) {
    const struct fn_def *const *x = a, *const *y = b;
    return sv_cmp((*x)->name, (*y)->name);
}

static const struct fn_def **list_all(struct arena *a, const struct fn_registry *r, size_t *count) {
    const struct fn_def **all = ARENA_ARRAY(a, const struct fn_def *, count_all(r) + 1);
    *count = 0;
    for (size_t i = 0; i < r->count; i++) {
        for (size_t k = 0; k < r->tables[i]->count; k++) {
            all[(*count)++] = r->tables[i]->defs[k];
        }
    }
    qsort(all, *count, sizeof *all, compare_names);
    return all;
}

static bool is_new_family(const struct fn_def *const *all, size_t at) {
    for (size_t i = 0; i < at; i++) {
        if (sv_eq(all[i]->family, all[at]->family)) {
            return false;
        }
    }
    return true;
}

static void render_family(struct buf *out, const struct fn_def *const *all, size_t count, sv family) {
    buf_printf(out, "\n## %.*s\n", SV_ARG(family));
    for (size_t i = 0; i < count; i++) {
        if (sv_eq(all[i]->family, family)) {
            buf_printf(out, "\n### %.*s\n\n`", SV_ARG(all[i]->name));
            fn_print_signature(out, all[i]);
            buf_printf(out, "` (%.*s)\n\n", SV_ARG(all[i]->rule));
            render_body(out, all[i]);
        }
    }
}

void fn_render_docs(struct buf *out, const struct fn_registry *r) {
    size_t count = 0;
    const struct fn_def *const *all = list_all(out->arena, r, &count);
    buf_append_cstr(out, "# Functions\n\nGenerated from the tables by `lintel functions`. `?` marks an optional "
                         "parameter, `…` one or more arguments, `…*` any number.\n");
    for (size_t i = 0; i < count; i++) {
        if (is_new_family(all, i)) {
            render_family(out, all, count, all[i]->family);
        }
    }
}

/* --- JSON --- */

static void write_type(struct jsonw *w, const char *key, const struct type *t) {
    struct buf text = BUF(w->out->arena);
    type_print(&text, t);
    jsonw_put_text(w, key, buf_get_sv(&text));
}

static void write_param(struct jsonw *w, const struct fn_param *p) {
    jsonw_begin_object(w);
    jsonw_put_text(w, "name", p->name);
    write_type(w, "type", p->type);
    jsonw_put_bool(w, "optional", (p->flags & FN_OPTIONAL) != 0);
    jsonw_put_bool(w, "variadic", (p->flags & FN_VARIADIC) != 0);
    jsonw_put_text(w, "text", p->text);
    jsonw_end_object(w);
}

static void write_one(struct jsonw *w, const struct fn_def *f) {
    struct buf signature = BUF(w->out->arena);
    fn_print_signature(&signature, f);
    jsonw_begin_object(w);
    jsonw_put_text(w, "name", f->name);
    jsonw_put_text(w, "rule", f->rule);
    jsonw_put_text(w, "family", f->family);
    jsonw_put_text(w, "signature", buf_get_sv(&signature));
    jsonw_key(w, SV("parameters"));
    jsonw_begin_array(w);
    for (size_t i = 0; i < f->param_count; i++) {
        write_param(w, &f->params[i]);
    }
    jsonw_end_array(w);
    write_type(w, "result", f->result);
    jsonw_put_bool(w, "supported", f->call != NULL);
    jsonw_put_text(w, "summary", f->summary);
    jsonw_put_text(w, "details", f->details);
    jsonw_put_text(w, "example", f->example);
    jsonw_put_text(w, "exampleResult", f->example_result);
    jsonw_end_object(w);
}

void fn_write_json(struct jsonw *w, const struct fn_registry *r, const struct fn_def *only) {
    size_t count = 0;
    const struct fn_def *const *all = list_all(w->out->arena, r, &count);
    jsonw_begin_array(w);
    for (size_t i = 0; i < count; i++) {
        if (only == NULL || only == all[i]) {
            write_one(w, all[i]);
        }
    }
    jsonw_end_array(w);
}
