#include "apps/cli/differences.h"

static const char symbols[] = {[FIELD_NEW] = '+', [FIELD_MODIFIED] = '~', [FIELD_REMOVED] = '-'};
static const char *const kinds[] = {[FIELD_NEW] = "new", [FIELD_MODIFIED] = "modified", [FIELD_REMOVED] = "removed"};

static bool is_hidden(const struct field_change *f, enum secrecy secrecy) {
    return f->sensitive && secrecy == REDACT;
}

static void render_side(struct difference_writer *w, const struct field_change *f, value v) {
    if (is_hidden(f, w->secrecy))
        buf_append_cstr(w->out, "(sensitive)");
    else
        value_render(w->out, v, 100, w->secrecy);
}

void differences_render(struct difference_writer *w, const struct field_diff *diff) {
    for (size_t i = 0; i < diff->changes.len; i++) {
        const struct field_change *f = &diff->changes.items[i];
        const char *color = f->kind == FIELD_NEW ? "green" : f->kind == FIELD_REMOVED ? "red" : "yellow";
        sv path = render_escape(w->out->arena, path_to_text(w->out->arena, f->path));
        buf_printf(w->out, "      %s%c%s %.*s: ", output_start_color(w->color, color), symbols[f->kind],
                   output_end_color(w->color), SV_ARG(path));
        if (f->kind != FIELD_NEW)
            render_side(w, f, f->before);
        if (f->kind == FIELD_MODIFIED)
            buf_append_cstr(w->out, " → ");
        if (f->kind != FIELD_REMOVED)
            render_side(w, f, f->after);
        buf_append_char(w->out, '\n');
    }
}

static void put_side(struct jsonw *j, const struct field_change *f, const char *key, value v, enum secrecy secrecy) {
    if (!value_is_set(v))
        return;
    jsonw_key(j, sv_from_cstr(key));
    if (is_hidden(f, secrecy))
        jsonw_text(j, SV("(sensitive)"));
    else
        value_write_json(j, v, secrecy);
}

void differences_write_json(struct jsonw *j, struct arena *a, const struct field_diff *diff, enum secrecy secrecy) {
    jsonw_begin_array(j);
    for (size_t i = 0; i < diff->changes.len; i++) {
        const struct field_change *f = &diff->changes.items[i];
        jsonw_begin_object(j);
        jsonw_put_text(j, "path", path_to_text(a, f->path));
        jsonw_put_text(j, "kind", sv_from_cstr(kinds[f->kind]));
        put_side(j, f, "stored", f->before, secrecy);
        put_side(j, f, "external", f->after, secrecy);
        jsonw_key(j, SV("sensitive"));
        jsonw_bool(j, f->sensitive);
        jsonw_end_object(j);
    }
    jsonw_end_array(j);
}
