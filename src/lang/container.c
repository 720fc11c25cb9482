/* Lists and objects: all parts are evaluated; what is absent leaves them (BP-270), what failed or is pending stays or
 * decides, by the policy. */
#include "lang/machine.h"

static size_t count_parts(const struct expr *e) {
    return e->kind == EXPR_OBJECT && e->op == EXPR_COMPUTED_KEYS ? (size_t)e->count * 2 : e->count;
}

static enum diag_code or_default(enum diag_code code) {
    return code != 0 ? code : DIAG_invalid_substitution;
}

/* FN-023, and absent items of dialects that do not leave them out. */
static value check_item(struct evaluator *ev, const struct expr *e, size_t part, value v) {
    const struct eval_policy *p = ev->o.policy;
    span at = e->call.args[part]->at;
    if (v.kind == VALUE_FUNCTION && p->function_code != 0) {
        return eval_fail(ev, p->function_code, at, "a function cannot be part of an array or object");
    }
    if (v.kind != VALUE_ABSENT || p->drop_absent_items) {
        return v;
    }
    if (marks_get_rule(p->absent_operand, OPERAND_ABSORB) == OPERAND_FAIL) {
        return eval_fail(ev, or_default(p->operand_code), at, "'none' cannot be part of an array or object");
    }
    return v;
}

static value make_list(struct evaluator *ev, const struct expr *e, const value *items) {
    return value_list_of(ev->o.arena, items, e->count);
}

static value add_spread(struct evaluator *ev, struct map_builder *b, const struct expr *e, size_t part, value v) {
    if (v.kind == VALUE_MAP) {
        for (size_t i = 0; i < v.map->len; i++) {
            map_set(b, v.map->entries[i].key, value_mark(v.map->entries[i].item, v.marks));
        }
        return v;
    }
    if (v.kind == VALUE_ABSENT || v.kind == VALUE_NULL) {
        return v;
    }
    value decided = {0};
    if (marks_decide_one(ev, v, &decided)) {
        return decided;
    }
    const char *kind = value_get_kind_name((enum value_kind)v.kind);
    return eval_fail(ev, or_default(ev->o.policy->type_code), e->call.args[part]->at,
                     "a value of type %s has no entries", kind);
}

static bool has_spread(const struct expr *e) {
    bool found = false;
    for (uint32_t i = 0; i < e->count && !found; i++) {
        found = e->call.names[i].data == NULL;
    }
    return found;
}

/* Errors and unknowns instead of entries to be spread are the value of the whole. */
static value make_named(struct evaluator *ev, const struct expr *e, const value *items) {
    enum { LOCAL_ENTRIES = 16 };
    struct value_entry local[LOCAL_ENTRIES]; /* what the arena gets for building stays in it */
    struct map_builder b = {.arena = ev->o.arena};
    if (e->count <= LOCAL_ENTRIES && !has_spread(e)) {
        b.entries = local;
        b.cap = LOCAL_ENTRIES;
    }
    for (uint32_t i = 0; i < e->count; i++) {
        if (e->call.names[i].data != NULL) {
            map_set(&b, e->call.names[i], items[i]);
            continue;
        }
        value v = add_spread(ev, &b, e, i, items[i]);
        bool entries = v.kind == VALUE_MAP || v.kind == VALUE_ABSENT || v.kind == VALUE_NULL;
        if (!entries) {
            return v;
        }
    }
    return map_done(&b);
}

static value make_computed(struct evaluator *ev, const struct expr *e, const value *parts) {
    struct map_builder b = {.arena = ev->o.arena};
    uint8_t key_marks = 0;
    for (uint32_t i = 0; i < e->count; i++) {
        value key = parts[(size_t)i * 2], decided = {0};
        if (marks_decide_one(ev, key, &decided)) {
            return decided;
        }
        if (key.kind != VALUE_STRING && ev->o.ops->refuse != NULL) {
            return ev->o.ops->refuse(ev->o.user, ev, REFUSE_AS_KEY, key, e->call.args[(size_t)i * 2]->at);
        }
        if (key.kind != VALUE_STRING) {
            const char *kind = value_get_kind_phrase((enum value_kind)key.kind);
            return eval_fail(ev, or_default(ev->o.policy->type_code), e->call.args[(size_t)i * 2]->at,
                             "a key must be a string, not %s", kind);
        }
        key_marks |= key.within;
        map_set(&b, *key.text, parts[(size_t)i * 2 + 1]);
    }
    return value_mark(map_done(&b), key_marks);
}

static value make(struct evaluator *ev, struct frame *f) {
    const struct expr *e = f->expr;
    const value *parts = ev->values + f->base;
    size_t count = count_parts(e);
    value v = {0};
    if (marks_decide_items(ev, parts, count, &v)) {
        return v;
    }
    if (e->kind == EXPR_LIST) {
        v = make_list(ev, e, parts);
    } else {
        v = e->op == EXPR_COMPUTED_KEYS ? make_computed(ev, e, parts) : make_named(ev, e, parts);
    }
    /* Values share their parts: doubling is cheap until it is written. */
    if (ev->o.policy->limits_end_all) {
        v = marks_limit(ev, NULL, e->at, v);
    } else if (value_get_weight(v) > ev->o.limits->value_weight) {
        return eval_fail(ev, DIAG_limit_exceeded, e->at, "an array or object holds more than %zu values in all",
                         ev->o.limits->value_weight);
    }
    return marks_join_words(ev, ev->values + f->base, count, v);
}

enum flow container_step(struct evaluator *ev, struct frame *f) {
    const struct expr *e = f->expr;
    size_t count = count_parts(e);
    while (f->index < count) {
        value v = ev->answer;
        if (!f->waiting && !machine_want(ev, f, e->call.args[f->index], f->scope, &v)) {
            return FLOW_WAIT;
        }
        f->waiting = false;
        v = check_item(ev, e, f->index, v);
        f->index++;
        machine_push_value(ev, v);
        if (marks_item_ends_early(ev, v)) {
            ev->answer = v;
            return FLOW_DONE;
        }
    }
    ev->answer = make(ev, f);
    return FLOW_DONE;
}
