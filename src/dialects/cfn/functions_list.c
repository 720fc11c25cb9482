/* Select, FindInMap, If, GetAZs, Length (CF-122, CF-109, CF-075, CF-124, CF-126). */
#include "dialects/cfn/check.h"
#include "dialects/cfn/data.h"
#include "dialects/cfn/evaluate.h"

#include "base/hint.h"
#include "base/num.h"

#include <inttypes.h>

/* --- Select --- */

/* A whole number in an argument: a number, or text of digits. */
bool cfn_call_integer(struct fn_call *c, size_t arg, int64_t *n, value *failed) {
    value v = c->args[arg];
    if (v.kind == VALUE_INT) {
        *n = v.integer;
        return true;
    }
    bool is_text = v.kind == VALUE_STRING && num_parse_i64(*v.text, 10, n) == NUM_OK && v.text->data[0] != '+';
    if (is_text)
        return true;
    if (v.kind == VALUE_ABSENT)
        *failed = cfn_call_fail(c, DIAG_cfn_novalue, arg, "AWS::NoValue cannot stand here");
    else
        *failed = cfn_call_fail(c, DIAG_cfn_argument, arg, "a whole number is needed");
    return false;
}

static bool is_no_value(const struct expr *e) {
    const struct cfn_site *site = e->kind == EXPR_DIRECTIVE ? e->call.data : NULL;
    return site != NULL && e->op == CFN_REF && site->target == CFN_TARGET_PSEUDO && site->number == CFN_NO_VALUE;
}

static value choose_item(struct fn_call *c, value list, int64_t index) {
    if (list.kind != VALUE_LIST)
        return cfn_call_fail(c, list.kind == VALUE_ABSENT ? DIAG_cfn_novalue : DIAG_cfn_argument, 1,
                             "a list is needed, not %s", cfn_value_kind(list));
    if (index < 0 || (uint64_t)index >= list.list->len)
        return cfn_call_fail(c, DIAG_cfn_select_range, 0, "there is no item %" PRId64 " in a list of %zu", index,
                             list.list->len);
    value v = value_mark(list.list->items[index], list.marks);
    return (v.within & MARK_SENSITIVE) != 0 && v.kind != VALUE_UNKNOWN ? cfn_residual_put(c, v) : v;
}

/* CF-122: one of the items that are written is needed; absent ones are found in all. */
static value select_written(struct fn_call *c, int64_t index) {
    size_t count = c->count - 1;
    for (size_t i = 1; i < c->count; i++) {
        if (is_no_value(c->expr->call.args[i]))
            return cfn_call_fail(c, DIAG_cfn_novalue, i, "AWS::NoValue cannot be an item");
    }
    if (index < 0 || (uint64_t)index >= count)
        return cfn_call_fail(c, DIAG_cfn_select_range, 0, "there is no item %" PRId64 " in a list of %zu", index,
                             count);
    size_t arg = (size_t)index + 1;
    if (c->args[arg].kind == 0)
        return fn_call_force(c, arg);
    if (c->args[arg].kind == VALUE_ABSENT)
        return cfn_call_fail(c, DIAG_cfn_novalue, arg, "AWS::NoValue cannot be an item");
    return c->args[arg];
}

value cfn_fn_select(struct fn_call *c) {
    int64_t index = 0;
    value failed = {0};
    if (c->args[0].kind == 0)
        return fn_call_force(c, 0);
    if (cfn_value_waits(c->args[0]))
        return cfn_residual(c);
    if (!cfn_call_integer(c, 0, &index, &failed))
        return failed;
    if (cfn_call_site(c)->layout == 0)
        return select_written(c, index);
    if (c->args[1].kind == 0)
        return fn_call_force(c, 1);
    if (c->args[1].kind != VALUE_LIST && cfn_value_waits(c->args[1]))
        return cfn_residual(c);
    return choose_item(c, c->args[1], index);
}

/* --- FindInMap --- */

enum { KEYS = 3 };

static value fail_key(struct fn_call *c, size_t arg, sv key, const struct node *in) {
    struct hint h = HINT(key);
    for (uint32_t i = 0; i < in->count; i++)
        hint_offer(&h, in->pairs[i].key->text);
    bool is_secret = (c->args[arg].within & MARK_SENSITIVE) != 0;
    sv shown = is_secret ? SV("(sensitive)") : sv_slice(key, 0, 80);
    value v = cfn_call_fail(c, DIAG_cfn_map_key, arg, "there is no key '%.*s'", SV_ARG(shown));
    struct diags *d = cfn_call_run(c)->o.diags;
    if (h.best.len > 0 && !is_secret && d->items.len > 0)
        diag_set_hint(d, *VEC_LAST(&d->items), "did you mean '%.*s'?", SV_ARG(h.best));
    return v;
}

/* Kind 0: the argument has to be forced first, `*again` is set. */
static value find_default(struct fn_call *c, size_t arg, sv key, const struct node *in) {
    if (c->count <= KEYS)
        return fail_key(c, arg, key, in);
    if (c->args[KEYS].kind == 0)
        return fn_call_force(c, KEYS);
    return c->args[KEYS];
}

static value find(struct fn_call *c, const sv *keys) {
    struct cfn_run *run = cfn_call_run(c);
    const struct cfn_element *mapping = map_find(&run->t->mappings_by_name, keys[0]);
    if (mapping == NULL) {
        bool is_secret = (c->args[0].within & MARK_SENSITIVE) != 0;
        sv shown = is_secret ? SV("(sensitive)") : sv_slice(keys[0], 0, 80);
        return cfn_call_fail(c, DIAG_cfn_map_unknown, 0, "there is no mapping '%.*s'", SV_ARG(shown));
    }
    const struct node *first = cfn_node_find(run, mapping->node, keys[1]);
    if (first == NULL)
        return find_default(c, 1, keys[1], mapping->node);
    const struct node *second = cfn_node_find(run, first, keys[2]);
    return second == NULL ? find_default(c, 2, keys[2], first) : cfn_literal_get(run, second);
}

value cfn_fn_find_in_map(struct fn_call *c) {
    sv keys[KEYS];
    value failed = {0};
    for (size_t i = 0; i < KEYS; i++) {
        if (c->args[i].kind == 0)
            return fn_call_force(c, i);
    }
    for (size_t i = 0; i < KEYS; i++) {
        if (cfn_value_waits(c->args[i]))
            return cfn_residual(c);
    }
    for (size_t i = 0; i < KEYS; i++) {
        if (!cfn_call_text(c, i, &keys[i], &failed))
            return failed;
    }
    value v = find(c, keys);
    bool is_secret = false;
    for (size_t i = 0; i < KEYS; i++)
        is_secret = is_secret || (c->args[i].within & MARK_SENSITIVE) != 0;
    return is_secret && v.kind != 0 && v.kind != VALUE_UNKNOWN ? cfn_residual_put(c, v) : v;
}

/* --- If --- */

static value keep_both(struct fn_call *c) {
    struct cfn_run *run = cfn_call_run(c);
    run->keeps_ifs = true;
    void **state = fn_call_get_state(c);
    if (*state != NULL)
        run->unsure--;
    *state = NULL;
    for (size_t i = 0; i < 2; i++) {
        if (c->args[i].kind == 0) {
            run->unsure++;
            *state = run;
            return fn_call_force(c, i);
        }
    }
    value v = cfn_unknown(run, CFN_REASON_NONE, c->expr->at, (sv){0});
    struct cfn_note note = *cfn_note_get(run, run->conditions[cfn_call_site(c)->number].result);
    struct cfn_note from = *cfn_note_get(run, cfn_residual_put(c, v));
    note.residual = from.residual;
    note.at = c->expr->at;
    note.function = CFN_IF;
    note.cause = run->conditions[cfn_call_site(c)->number].result.word & CFN_WORD_NOTE;
    return cfn_note_put(run, v, &note);
}

value cfn_fn_if(struct fn_call *c) {
    struct cfn_run *run = cfn_call_run(c);
    struct cell *condition = &run->conditions[cfn_call_site(c)->number];
    if (condition->state != CELL_DONE && condition->state != CELL_FAILED)
        return fn_call_request(c, (struct fn_request){.kind = FN_DEMAND, .cell = condition});
    if (condition->result.kind != VALUE_BOOL)
        return keep_both(c);
    size_t branch = condition->result.boolean ? 0 : 1;
    return c->args[branch].kind == 0 ? fn_call_force(c, branch) : c->args[branch];
}

/* --- GetAZs, Length --- */

value cfn_fn_get_azs(struct fn_call *c) {
    struct cfn_run *run = cfn_call_run(c);
    sv region;
    value failed = {0};
    if (cfn_call_waits(c))
        return cfn_residual(c);
    if (!cfn_call_text(c, 0, &region, &failed))
        return failed;
    value own = region.len == 0 ? cfn_pseudo_get(run, CFN_REGION) : (value){0};
    if (own.kind == VALUE_STRING)
        region = *own.text;
    else if (own.kind != 0) {
        c->args[0] = own;
        return cfn_residual(c);
    }
    value v = cfn_zones_get(run, region, c->expr->at);
    v.word = own.kind == 0 ? v.word : cfn_eval_policy.join_words(run, v.word, own.word);
    return cfn_call_found(c, v);
}

value cfn_fn_length(struct fn_call *c) {
    value v = c->args[0];
    if (v.kind == VALUE_UNKNOWN || v.kind == VALUE_ERROR)
        return cfn_residual(c);
    if (v.kind != VALUE_LIST)
        return cfn_call_fail(c, v.kind == VALUE_ABSENT ? DIAG_cfn_novalue : DIAG_cfn_argument, 0,
                             "a list is needed, not %s", cfn_value_kind(v));
    return cfn_call_seal(c, value_int((int64_t)v.list->len));
}
