/* The one place where marks, words, unknown, pending, absent and failed go from operands to results. */
#include "lang/machine.h"

enum { PASSED_ON = MARK_SENSITIVE | MARK_PROVISIONAL };

enum operand_rule marks_get_rule(enum operand_rule rule, enum operand_rule standard) {
    return rule == 0 ? standard : rule;
}

static uint8_t get_marks(const value *args, size_t count) {
    uint8_t marks = 0;
    for (size_t i = 0; i < count; i++) {
        marks |= args[i].within;
    }
    return marks & PASSED_ON;
}

value marks_join_words(struct evaluator *ev, const value *args, size_t count, value result) {
    if (ev->trivial_policy) {
        return result;
    }
    uint32_t word = result.word;
    for (size_t i = 0; i < count; i++) {
        if (args[i].kind != 0 && args[i].word != 0) {
            word = ev->o.policy->join_words(ev->o.user, word, args[i].word);
        }
    }
    result.word = word;
    return result;
}

value marks_join(struct evaluator *ev, const value *args, size_t count, value result) {
    if (ev->trivial_policy) {
        result.word = 0;
    }
    return value_mark(marks_join_words(ev, args, count, result), get_marks(args, count));
}

/* What kind of deciding operand a value is. */
enum operand {
    OPERAND_PLAIN = 0,
    OPERAND_FAILED,
    OPERAND_PENDING,
    OPERAND_ABSENT,
    OPERAND_UNKNOWN,
    OPERAND_NULL,
    OPERAND_KINDS,
};

static enum operand classify(value v) {
    if (v.kind == VALUE_ERROR || (v.within & WITHIN_ERROR) != 0) {
        return OPERAND_FAILED;
    }
    if (v.kind == VALUE_PENDING) {
        return OPERAND_PENDING;
    }
    if (v.kind == VALUE_ABSENT) {
        return OPERAND_ABSENT;
    }
    if (v.kind == VALUE_NULL) {
        return OPERAND_NULL;
    }
    return (v.within & WITHIN_UNKNOWN) != 0 ? OPERAND_UNKNOWN : OPERAND_PLAIN;
}

static enum operand_rule get_operand_rule(const struct evaluator *ev, unsigned flags, enum operand operand) {
    static const unsigned sees[OPERAND_KINDS] = {[OPERAND_FAILED] = FN_SEES_FAILED,
                                                 [OPERAND_PENDING] = FN_SEES_PENDING,
                                                 [OPERAND_ABSENT] = FN_SEES_ABSENT,
                                                 [OPERAND_UNKNOWN] = FN_SEES_UNKNOWN,
                                                 [OPERAND_NULL] = FN_SEES_NULL};
    const struct eval_policy *p = ev->o.policy;
    if (operand == OPERAND_PLAIN || (flags & sees[operand]) != 0) {
        return OPERAND_PASS;
    }
    const enum operand_rule rules[OPERAND_KINDS] = {[OPERAND_FAILED] = p->failed_operand,
                                                    [OPERAND_PENDING] = p->pending_operand,
                                                    [OPERAND_ABSENT] = p->absent_operand,
                                                    [OPERAND_UNKNOWN] = p->unknown_operand,
                                                    [OPERAND_NULL] = p->null_operand};
    return marks_get_rule(rules[operand], operand == OPERAND_NULL ? OPERAND_PASS : OPERAND_ABSORB);
}

bool marks_ends_early(const struct evaluator *ev, unsigned flags, value v) {
    if (ev->o.policy->strict_all_operands) {
        return false;
    }
    return classify(v) == OPERAND_FAILED && get_operand_rule(ev, flags, OPERAND_FAILED) != OPERAND_PASS;
}

bool marks_item_ends_early(const struct evaluator *ev, value v) {
    return v.kind == VALUE_ERROR && !ev->o.policy->strict_all_operands &&
           marks_get_rule(ev->o.policy->failed_item, OPERAND_ABSORB) != OPERAND_PASS;
}

static value fail_operand(struct evaluator *ev, const struct operands *o, size_t index) {
    enum diag_code code = ev->o.policy->operand_code != 0 ? ev->o.policy->operand_code : DIAG_invalid_substitution;
    bool has_place = o->e != NULL && o->e->call.args != NULL && index < o->e->count;
    span at = has_place ? o->e->call.args[index]->at : report_get_span(ev);
    const char *kind = value_get_kind_name((enum value_kind)o->args[index].kind);
    if (o->fn == NULL) {
        return eval_fail(ev, code, at, "'%s' cannot stand here", kind);
    }
    return eval_fail(ev, code, at, "'%.*s': argument %zu must not be '%s'", SV_ARG(o->fn->name), index + 1, kind);
}

/* The operands of each deciding kind that come first. */
struct deciders {
    size_t first[OPERAND_KINDS]; /* index + 1; 0: none */
};

static struct deciders find_deciders(const struct evaluator *ev, unsigned flags, const value *args, size_t count) {
    struct deciders d = {{0}};
    for (size_t i = 0; i < count; i++) {
        enum operand operand = args[i].kind == 0 ? OPERAND_PLAIN : classify(args[i]);
        if (d.first[operand] == 0 && get_operand_rule(ev, flags, operand) != OPERAND_PASS) {
            d.first[operand] = i + 1;
        }
    }
    return d;
}

/* The kind that decides among those found: failed and pending by the policy, then absent, null, unknown. */
static enum operand choose(const struct evaluator *ev, const struct deciders *d) {
    size_t failed = d->first[OPERAND_FAILED], pending = d->first[OPERAND_PENDING];
    if (failed != 0 && (pending == 0 || failed < pending || ev->o.policy->failed_before_pending)) {
        return OPERAND_FAILED;
    }
    if (pending != 0) {
        return OPERAND_PENDING;
    }
    if (d->first[OPERAND_ABSENT] != 0) {
        return OPERAND_ABSENT;
    }
    if (d->first[OPERAND_NULL] != 0) {
        return OPERAND_NULL;
    }
    return d->first[OPERAND_UNKNOWN] != 0 ? OPERAND_UNKNOWN : OPERAND_PLAIN;
}

static value make_absorbed(const struct fn_def *fn, enum operand operand, value decider) {
    if (operand == OPERAND_FAILED) {
        return value_error(decider.kind == VALUE_ERROR ? decider.cause : NULL);
    }
    if (operand == OPERAND_PENDING) {
        return value_pending(decider.cause);
    }
    if (operand == OPERAND_ABSENT) {
        return value_absent();
    }
    return operand == OPERAND_NULL ? value_null() : value_unknown(fn != NULL ? fn->result : NULL);
}

/* Most operands are: nothing of what decides. */
static bool are_plain(const value *args, size_t count) {
    for (size_t i = 0; i < count; i++) {
        if (args[i].kind != 0 && classify(args[i]) != OPERAND_PLAIN) {
            return false;
        }
    }
    return true;
}

bool marks_decide(struct evaluator *ev, const struct operands *o, value *result) {
    if (are_plain(o->args, o->count)) {
        return false;
    }
    struct deciders d = find_deciders(ev, o->sees, o->args, o->count);
    enum operand operand = choose(ev, &d);
    if (operand == OPERAND_PLAIN) {
        return false;
    }
    size_t index = d.first[operand] - 1;
    if (get_operand_rule(ev, o->sees, operand) == OPERAND_FAIL) {
        *result = fail_operand(ev, o, index);
        return true;
    }
    value v = marks_join(ev, o->args, o->count, make_absorbed(o->fn, operand, o->args[index]));
    if (operand != OPERAND_FAILED && ev->o.ops->absorb != NULL) {
        v = ev->o.ops->absorb(ev->o.user, ev, o->e, o->args, o->count, v);
    }
    *result = v;
    return true;
}

bool marks_decide_one(struct evaluator *ev, value operand, value *result) {
    struct operands o = {.args = &operand, .count = 1};
    return marks_decide(ev, &o, result);
}

bool marks_decide_items(struct evaluator *ev, const value *items, size_t count, value *result) {
    const struct eval_policy *p = ev->o.policy;
    bool failed_passes = marks_get_rule(p->failed_item, OPERAND_ABSORB) == OPERAND_PASS;
    bool pending_passes = marks_get_rule(p->pending_item, OPERAND_ABSORB) == OPERAND_PASS;
    struct deciders d = {{0}};
    for (size_t i = 0; i < count; i++) {
        if (items[i].kind == VALUE_ERROR && !failed_passes && d.first[OPERAND_FAILED] == 0) {
            d.first[OPERAND_FAILED] = i + 1;
        } else if (items[i].kind == VALUE_PENDING && !pending_passes && d.first[OPERAND_PENDING] == 0) {
            d.first[OPERAND_PENDING] = i + 1;
        }
    }
    enum operand operand = choose(ev, &d);
    if (operand == OPERAND_PLAIN) {
        return false;
    }
    *result = make_absorbed(NULL, operand, items[d.first[operand] - 1]);
    return true;
}

value marks_narrow(const struct evaluator *ev, value v) {
    if (ev->o.policy->narrow_word != NULL) {
        v.word = ev->o.policy->narrow_word(v.word);
    }
    return v;
}

value marks_step(struct evaluator *ev, value base, value item) {
    value v = value_mark(item, base.marks);
    return base.word == 0 || ev->o.policy->narrow_word != NULL ? v : marks_join_words(ev, &base, 1, v);
}

static enum eval_limit find_exceeded(const struct limits *l, value v) {
    if ((v.kind == VALUE_STRING || v.kind == VALUE_BYTES) && v.text->len > l->result_text) {
        return EVAL_LIMIT_TEXT;
    }
    if ((v.kind == VALUE_LIST && v.list->len > l->result_items) ||
        (v.kind == VALUE_MAP && v.map->len > l->result_items)) {
        return EVAL_LIMIT_ITEMS;
    }
    if (value_get_weight(v) > l->value_weight) {
        return EVAL_LIMIT_MEMORY;
    }
    return value_get_depth(v) > l->value_depth ? EVAL_LIMIT_NESTING : 0;
}

value marks_limit(struct evaluator *ev, const struct fn_def *fn, span at, value v) {
    if (v.kind == VALUE_INT || v.kind == VALUE_BOOL || v.kind == VALUE_NULL) {
        return v;
    }
    const struct limits *l = ev->o.limits;
    enum eval_limit exceeded = find_exceeded(l, v);
    sv name = fn != NULL ? fn->name : SV("text");
    if (exceeded == 0) {
        return v;
    }
    if (ev->o.policy->limits_end_all) {
        return machine_exhaust(ev, exceeded, at, "a value exceeds a limit");
    }
    if (exceeded == EVAL_LIMIT_MEMORY) {
        return eval_fail(ev, DIAG_limit_exceeded, at, "'%.*s': the result holds more than %zu values in all",
                         SV_ARG(name), l->value_weight);
    }
    if (exceeded == EVAL_LIMIT_NESTING) {
        return eval_fail(ev, DIAG_limit_exceeded, at, "'%.*s': the result is nested deeper than %zu levels",
                         SV_ARG(name), l->value_depth);
    }
    bool text = exceeded == EVAL_LIMIT_TEXT;
    return eval_fail(ev, DIAG_limit_exceeded, at, "'%.*s': the result has more than %zu %s", SV_ARG(name),
                     text ? l->result_text : l->result_items, text ? "bytes" : "items");
}
