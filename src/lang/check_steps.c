/* Steps into types (BP-241). */
#include "base/hint.h"
#include "lang/dialect.h"
#include "lang/shorten.h"

static void report_field(const struct parse_context *c, const struct type *t, const struct step *s) {
    if (t->kind != TYPE_OBJECT && t->kind != TYPE_MAP) {
        struct buf name = BUF(c->arena);
        type_print(&name, t);
        diags_add(c->diags, DIAG_sub_func_path_field_on_non_object, s->at,
                  "'%.*s' is wanted of a value of type '%.*s', which has no fields", SV_ARG(shorten(s->name)),
                  SV_ARG(buf_get_sv(&name)));
        return;
    }
    struct hint h = HINT(s->name);
    for (size_t i = 0; i < t->field_count; i++) {
        hint_offer(&h, t->fields[i].name);
    }
    struct diag *d =
        diags_add(c->diags, DIAG_invalid_mapping_path, s->at, "there is no field '%.*s'", SV_ARG(shorten(s->name)));
    if (h.best.len > 0) {
        diag_set_hint(c->diags, d, "did you mean '%.*s'?", SV_ARG(h.best));
    }
}

static const struct type *take_step(const struct parse_context *c, const struct type *t, const struct step *s) {
    if (t->kind == TYPE_ABSENT || t->kind == TYPE_ANY || s->kind == STEP_EXPR) {
        return s->kind == STEP_EXPR ? &type_any : t;
    }
    if (s->kind == STEP_NAME) {
        const struct type *field = type_find_field(t, s->name);
        if (field == NULL) {
            report_field(c, t, s);
        }
        return field;
    }
    const struct type *item = type_get_item(t);
    if (item == NULL) {
        struct buf name = BUF(c->arena);
        type_print(&name, t);
        diags_add(c->diags, DIAG_sub_func_path_index_on_non_array, s->at,
                  "item %zu is wanted of a value of type '%.*s', which has no items", s->index,
                  SV_ARG(buf_get_sv(&name)));
    }
    return item;
}

const struct type *lang_check_steps(const struct parse_context *c, const struct type *base, const struct expr *ref,
                                    size_t first) {
    const struct type *t = base == NULL ? &type_any : base;
    for (size_t i = first; i < ref->count && t != NULL; i++) {
        t = take_step(c, t, &ref->ref.steps[i]);
    }
    return t;
}
