/* References that are known in evaluation only, and values of other stacks (CF-100, CF-101, CF-107, CF-108, CF-152). */
#include "dialects/cfn/check.h"
#include "dialects/cfn/data.h"
#include "dialects/cfn/evaluate.h"
#include "dialects/cfn/regions.h"
#include "dialects/cfn/transforms.h"

/* What somebody found for this call, or why not. */
value cfn_call_found(struct fn_call *c, value v) {
    struct cfn_run *run = cfn_call_run(c);
    if (v.kind != VALUE_UNKNOWN)
        return (v.within & MARK_SENSITIVE) != 0 ? cfn_residual_put(c, v) : cfn_call_seal(c, v);
    struct cfn_note from = *cfn_note_get(run, v);
    uint32_t cause = v.word & CFN_WORD_NOTE;
    v = cfn_residual_put(c, v);
    struct cfn_note note = *cfn_note_get(run, v);
    note.reasons |= from.reasons;
    note.is_error = note.is_error || from.is_error;
    note.is_list = from.is_list;
    note.cause = note.cause == 0 ? cause : note.cause;
    note.more = note.more == NULL ? from.more : note.more;
    return cfn_note_put(run, v, &note);
}

/* --- computed names --- */

/* The expression that the names, now known, stand for. */
static value refer(struct fn_call *c, sv id, sv attribute) {
    struct cfn_run *run = cfn_call_run(c);
    const struct cfn_site *written = cfn_call_site(c);
    struct cfn_check check = cfn_check_start(run, CFN_SECTION_RESOURCES);
    struct cfn_site *site = ARENA_NEW(run->arena, struct cfn_site);
    *site = *written;
    site->layout = 0;
    check.resource = written->owner;
    size_t known = run->t->symbols.len;
    bool is_good = attribute.len == 0 ? cfn_check_name(&check, site, id, c->expr->at)
                                      : cfn_check_attribute(&check, site, id, attribute, c->expr->at);
    if (!is_good) {
        value v = cfn_failed(run);
        struct cfn_note note = *cfn_note_get(run, v);
        note.residual = written->node;
        return cfn_note_put(run, v, &note);
    }
    if (run->t->symbols.len > known)
        cfn_symbol_cell_add(run, site->symbol);
    struct expr *e = expr_new(run->arena, EXPR_DIRECTIVE, c->expr->at);
    e->op = written->function;
    e->call.data = site;
    return fn_call_request(c, (struct fn_request){.kind = FN_EVALUATE, .expr = e});
}

static value refer_once(struct fn_call *c, sv id, sv attribute) {
    void **state = fn_call_get_state(c);
    if (*state != NULL)
        return fn_call_get_answer(c);
    *state = c;
    return refer(c, id, attribute);
}

value cfn_fn_ref(struct fn_call *c) {
    sv name;
    value failed = {0};
    if (cfn_call_waits(c))
        return cfn_residual(c);
    return cfn_call_text(c, 0, &name, &failed) ? refer_once(c, name, (sv){0}) : failed;
}

value cfn_fn_get_att(struct fn_call *c) {
    sv id, attribute;
    value failed = {0};
    if (cfn_call_waits(c))
        return cfn_residual(c);
    if (!cfn_call_text(c, 0, &id, &failed) || !cfn_call_text(c, 1, &attribute, &failed))
        return failed;
    if (attribute.len == 0)
        return cfn_call_fail(c, DIAG_cfn_getatt, 1, "the attribute is empty");
    return refer_once(c, id, attribute);
}

/* --- other stacks --- */

value cfn_fn_import_value(struct fn_call *c) {
    struct cfn_run *run = cfn_call_run(c);
    sv name;
    value failed = {0};
    if (cfn_call_waits(c))
        return cfn_residual(c);
    if (!cfn_call_text(c, 0, &name, &failed))
        return failed;
    value v = cfn_import_get(run, name, c->expr->at);
    if (v.kind == VALUE_UNKNOWN && run->o.mode == CFN_PLACEHOLDER) {
        struct cfn_note note = *cfn_note_get(run, v);
        struct cfn_note_more *more = ARENA_NEW(run->arena, struct cfn_note_more);
        *more = *cfn_note_get_more(run, v);
        more->placeholder = arena_printf(run->arena, "${Import.%.*s}", SV_ARG(name));
        note.more = more;
        v = cfn_note_put(run, v, &note);
    }
    return cfn_call_found(c, v);
}

/* arn:partition:iam::account:role/… */
static bool read_account(sv role, sv *account) {
    sv rest = role;
    for (int i = 0; i < 4; i++)
        sv_cut(&rest, ':');
    *account = sv_cut(&rest, ':');
    return sv_has_prefix(role, SV("arn:")) && cfn_is_account(*account);
}

static bool check_partition(struct fn_call *c, sv region, value *failed) {
    value own = cfn_pseudo_get(cfn_call_run(c), CFN_PARTITION);
    sv name = cfn_region_get_partition(region)->name;
    if (own.kind != VALUE_STRING || sv_eq(*own.text, name))
        return true;
    *failed = cfn_call_fail(c, DIAG_cfn_stack_partition, 2, "'%.*s' is in the partition %.*s, the stack is not",
                            SV_ARG(sv_slice(region, 0, 80)), SV_ARG(name));
    return false;
}

value cfn_fn_get_stack_output(struct fn_call *c) {
    struct cfn_run *run = cfn_call_run(c);
    struct cfn_stack_output_key key = {.at = c->expr->at};
    sv role;
    value failed = {0};
    if (cfn_call_waits(c))
        return cfn_residual(c);
    if (!cfn_call_text(c, 0, &key.stack, &failed) || !cfn_call_text(c, 1, &key.output, &failed) ||
        !cfn_call_text(c, 2, &key.region, &failed) || !cfn_call_text(c, 3, &role, &failed))
        return failed;
    if (key.region.len > 0 && !check_partition(c, key.region, &failed))
        return failed;
    if (role.len > 0 && !read_account(role, &key.account))
        return cfn_call_fail(c, DIAG_cfn_argument, 3, "the ARN of a role is needed");
    value v = cfn_stack_output_get(run, &key);
    if (v.kind == VALUE_UNKNOWN && run->o.mode == CFN_PLACEHOLDER) {
        struct cfn_note note = *cfn_note_get(run, v);
        struct cfn_note_more *more = ARENA_NEW(run->arena, struct cfn_note_more);
        *more = *cfn_note_get_more(run, v);
        more->placeholder = arena_printf(run->arena, "${Stack.%.*s.%.*s}", SV_ARG(key.stack), SV_ARG(key.output));
        note.more = more;
        v = cfn_note_put(run, v, &note);
    }
    return cfn_call_found(c, v);
}

/* CF-152: the call stays, its parameters untouched. */
value cfn_fn_transform(struct fn_call *c) {
    struct cfn_run *run = cfn_call_run(c);
    run->keeps_ifs = true;
    const struct cfn_site *site = cfn_call_site(c);
    const struct node *argument = site->is_short ? site->node : site->node->pairs[0].value;
    value v = cfn_unknown(run, cfn_transform_get_reason(argument), c->expr->at, (sv){0});
    struct cfn_note note = *cfn_note_get(run, v);
    note.residual = site->node;
    note.function = CFN_TRANSFORM;
    return cfn_note_put(run, v, &note);
}
