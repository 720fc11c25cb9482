/* Steps into values (BP-241): one accessor at a time, sensitive marks per part. */
#include "lang/machine.h"

#include "base/hint.h"
#include "lang/shorten.h"

static value fail_key(struct evaluator *ev, value base, const struct step *s) {
    struct hint h = HINT(s->name);
    if (!value_is_sensitive(base)) {
        for (size_t i = 0; i < base.map->len && i < 256; i++) {
            hint_offer(&h, base.map->entries[i].key);
        }
    }
    size_t before = ev->o.diags->items.len;
    value v = eval_fail(ev, DIAG_invalid_mapping_path, s->at, "there is no field '%.*s'", SV_ARG(shorten(s->name)));
    if (h.best.len > 0 && ev->o.diags->items.len > before) {
        diag_set_hint(ev->o.diags, *VEC_LAST(&ev->o.diags->items), "did you mean '%.*s'?", SV_ARG(h.best));
    }
    return v;
}

/* The general rules have no item for the step: the dialect's turn, then an error. */
static value walk_failed(struct evaluator *ev, value base, const struct step *s, const struct expr *e, bool is_secret) {
    if (ev->o.ops->walk != NULL) {
        value v = ev->o.ops->walk(ev->o.user, ev, base, s, e);
        if (v.kind != 0) {
            return v;
        }
    }
    if (is_secret) {
        enum diag_code code = s->kind == STEP_NAME ? DIAG_invalid_mapping_path : DIAG_index_out_of_bounds;
        return eval_fail(ev, code, s->at, "there is nothing at this place, which a sensitive value tells");
    }
    const char *kind = value_get_kind_name((enum value_kind)base.kind);
    if (s->kind == STEP_NAME) {
        if (base.kind == VALUE_MAP) {
            return fail_key(ev, base, s);
        }
        return eval_fail(ev, DIAG_sub_func_path_field_on_non_object, s->at,
                         "'%.*s' is wanted of a value of type %s, which has no fields", SV_ARG(shorten(s->name)), kind);
    }
    if (base.kind == VALUE_LIST) {
        return eval_fail(ev, DIAG_index_out_of_bounds, s->at, "there is no item %zu in an array of %zu", s->index,
                         base.list->len);
    }
    return eval_fail(ev, DIAG_sub_func_path_index_on_non_array, s->at,
                     "item %zu is wanted of a value of type %s, which has no items", s->index, kind);
}

static value step_into_unknown(value base, const struct step *s) {
    const struct type *t = base.type;
    if (t != NULL) {
        t = s->kind == STEP_NAME ? type_find_field(t, s->name) : type_get_item(t);
    }
    return value_unknown(t);
}

/* `is_secret`: the step comes from a sensitive value and must not be told. */
static value take_step(struct evaluator *ev, value base, const struct step *s, const struct expr *e, bool is_secret) {
    value item = {0};
    switch ((enum value_kind)base.kind) {
    case VALUE_ERROR:
    case VALUE_PENDING:
    case VALUE_ABSENT:
        return base;
    case VALUE_UNKNOWN:
        item = step_into_unknown(base, s);
        break;
    case VALUE_MAP:
        item = s->kind == STEP_NAME ? value_map_find(base, s->name) : item;
        break;
    case VALUE_LIST:
        item = s->kind == STEP_INDEX && s->index < base.list->len ? base.list->items[s->index] : item;
        break;
    case VALUE_NULL:
    case VALUE_BOOL:
    case VALUE_INT:
    case VALUE_FLOAT:
    case VALUE_STRING:
    case VALUE_BYTES:
    case VALUE_FUNCTION:
        break;
    }
    if (item.kind == 0) {
        item = walk_failed(ev, base, s, e, is_secret);
    }
    return marks_step(ev, base, item);
}

/* What an index expression has given, as a step; false when it decides the whole. */
static bool make_step(struct evaluator *ev, const struct step *written, value v, struct step *s, value *result) {
    *s = *written;
    if (marks_decide_one(ev, v, result)) {
        return false;
    }
    if (v.kind == VALUE_STRING) {
        s->kind = STEP_NAME;
        s->name = value_get_text(v);
        return true;
    }
    if (v.kind == VALUE_INT && v.integer >= 0) {
        s->kind = STEP_INDEX;
        s->index = (size_t)v.integer;
        return true;
    }
    enum diag_code code = ev->o.policy->type_code != 0 ? ev->o.policy->type_code : DIAG_invalid_substitution;
    const char *kind = value_get_kind_phrase((enum value_kind)v.kind);
    *result = eval_fail(ev, code, written->expr->at,
                        "an index must be a string or an integer that is not negative, not %s", kind);
    return false;
}

static value take_computed(struct evaluator *ev, value base, const struct step *s, value index, const struct expr *e) {
    struct step made;
    value decided = {0};
    bool is_open = base.kind == VALUE_ERROR || base.kind == VALUE_PENDING || base.kind == VALUE_UNKNOWN;
    if (ev->o.ops->step_by != NULL && !is_open) {
        if (marks_decide_one(ev, index, &decided)) {
            return decided;
        }
        return marks_step(ev, base, ev->o.ops->step_by(ev->o.user, ev, base, index, s->at));
    }
    return make_step(ev, s, index, &made, &decided) ? take_step(ev, base, &made, e, value_is_sensitive(index))
                                                    : decided;
}

/* Walks with `values[base]` as the value so far; true when the end is reached and it is the result. */
static bool walk(struct evaluator *ev, struct frame *f, value v, value *result) {
    const struct expr *e = f->expr;
    while (f->index < e->count) {
        const struct step *s = &e->ref.steps[f->index];
        if (s->kind != STEP_EXPR) {
            v = take_step(ev, v, s, e, false);
            f->index++;
            continue;
        }
        value index = ev->answer;
        ev->values[f->base] = v;
        if (!f->waiting && !machine_want(ev, f, s->expr, f->scope, &index)) {
            return false;
        }
        f->waiting = false;
        v = marks_join(ev, &index, 1, take_computed(ev, v, s, index, e));
        f->index++;
    }
    *result = marks_narrow(ev, v);
    return true;
}

bool steps_begin(struct evaluator *ev, const struct expr *e, struct scope *scope, value base, size_t first,
                 value *result) {
    value v = base;
    for (size_t i = first; i < e->count; i++) {
        if (e->ref.steps[i].kind == STEP_EXPR) {
            struct frame *f = machine_push(ev, FRAME_STEPS, e, scope);
            machine_push_value(ev, v);
            f->phase = 1;
            f->index = (uint32_t)i;
            return false;
        }
        v = take_step(ev, v, &e->ref.steps[i], e, false);
    }
    *result = marks_narrow(ev, v);
    return true;
}

/* Phase 0: an INDEX whose base is to be evaluated; 1: steps. */
enum flow steps_step(struct evaluator *ev, struct frame *f) {
    value v = ev->answer;
    if (f->phase == 0) {
        if (!f->waiting && !machine_want(ev, f, f->expr->ref.base, f->scope, &v)) {
            return FLOW_WAIT;
        }
        f->waiting = false;
        f->phase = 1;
        machine_push_value(ev, v);
    }
    if (!walk(ev, f, ev->values[f->base], &v)) {
        return FLOW_WAIT;
    }
    ev->answer = v;
    return FLOW_DONE;
}
