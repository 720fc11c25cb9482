/* Conditions and rules (§7): their layout, and cycles among conditions. */
#include "dialects/cfn/check.h"

#include "base/hint.h"
#include "dialects/cfn/scalars.h"

uint32_t cfn_check_condition_name(struct cfn_check *c, const struct node *n) {
    sv name = n->kind == NODE_SCALAR ? n->text : SV("");
    const struct cfn_condition *found = map_find(&c->t->conditions_by_name, name);
    if (found != NULL)
        return found->e.number;
    struct hint h = HINT(name);
    for (size_t i = 0; i < c->t->conditions.len; i++)
        hint_offer(&h, c->t->conditions.items[i]->e.name);
    struct diag *d = cfn_check_fail(c, DIAG_cfn_condition_unknown, n->at, "there is no condition '%.*s'",
                                    SV_ARG(sv_slice(name, 0, 80)));
    if (h.best.len > 0)
        cfn_hint(c->run, d, "did you mean '%.*s'?", SV_ARG(h.best));
    else
        cfn_hint(c->run, d, "declare it in 'Conditions'");
    return CFN_NONE;
}

static const struct expr *refuse_kind(struct cfn_check *c, const struct node *n) {
    struct diag *d = cfn_check_fail(c, DIAG_cfn_condition_kind, cfn_node_get_span(n), "this is no condition");
    cfn_hint(c->run, d, "write Fn::Equals, Fn::And, Fn::Or, Fn::Not or {Condition: name}");
    return cfn_expr_error(c, n);
}

const struct expr *cfn_check_condition_node(struct cfn_check *c, const struct node *n) {
    struct cfn_call call;
    if (n->kind == NODE_ERROR)
        return cfn_expr_error(c, n);
    bool is_call = cfn_call_get_condition(n, &call);
    bool is_known = is_call && (call.function == CFN_UNKNOWN_FUNCTION || call.function == CFN_IF ||
                                cfn_function_get(call.function)->is_condition);
    if (!is_known)
        return refuse_kind(c, n);
    return cfn_check_call(c, n, &call, c->section == CFN_SECTION_RULES ? CFN_ARG_RULE : CFN_ARG_CONDITION);
}

/* --- the functions --- */

static const struct expr *check_name(struct cfn_check *c, struct cfn_site *site, const struct cfn_call *call) {
    sv name;
    const struct node *n = call->is_short ? cfn_node_untagged(c->arena, call->argument) : call->argument;
    if (!cfn_check_text(c, n, "the name of a condition", &name))
        return cfn_expr_error(c, site->node);
    site->number = cfn_check_condition_name(c, n);
    return site->number == CFN_NONE ? cfn_expr_error(c, site->node) : cfn_expr_call(c, site, NULL, 0);
}

static const struct expr *finish(struct cfn_check *c, struct cfn_site *site, const struct expr **args, uint32_t count) {
    for (uint32_t i = 0; i < count; i++) {
        if (args[i]->kind == EXPR_ERROR)
            return cfn_expr_error(c, site->node);
    }
    return cfn_expr_call(c, site, args, count);
}

static const struct expr *check_logic(struct cfn_check *c, struct cfn_site *site, const struct cfn_call *call) {
    enum { MOST = 10 };
    struct cfn_items items;
    uint32_t min = call->function == CFN_NOT ? 1 : 2, max = call->function == CFN_NOT ? 1 : MOST;
    if (!cfn_check_items(c, call, min, max, &items))
        return cfn_expr_error(c, site->node);
    const struct expr **args = ARENA_ARRAY(c->arena, const struct expr *, items.count);
    for (uint32_t i = 0; i < items.count; i++)
        args[i] = cfn_check_condition_node(c, items.items[i]);
    return finish(c, site, args, items.count);
}

/* CF-012. */
static void check_bool(struct cfn_check *c, const struct node *n) {
    if (n->kind != NODE_SCALAR || n->style != NODE_PLAIN || !cfn_scalar_read(c->arena, n).is_yes_or_no)
        return;
    struct diag *d = cfn_check_fail(c, DIAG_cfn_yaml_bool, n->at, "YAML 1.1 reads this as %s",
                                    cfn_scalar_read(c->arena, n).boolean ? "true" : "false");
    cfn_hint(c->run, d, "quote it if text is meant");
}

/* CF-072: what can be seen at once; the rest shows in evaluation. */
static bool check_operand(struct cfn_check *c, const struct node *n) {
    struct cfn_call call;
    check_bool(c, n);
    if (n->kind != NODE_MAPPING || cfn_call_get(n, &call))
        return true;
    struct diag *d = cfn_check_fail(c, DIAG_cfn_equals, n->at, "a map cannot be compared");
    cfn_hint(c->run, d, "compare texts, or lists of texts");
    return false;
}

static const struct expr *check_operands(struct cfn_check *c, struct cfn_site *site, const struct cfn_call *call,
                                         enum cfn_argument argument) {
    struct cfn_items items;
    if (!cfn_check_items(c, call, 2, 2, &items))
        return cfn_expr_error(c, site->node);
    const struct expr **args = ARENA_ARRAY(c->arena, const struct expr *, 2);
    bool is_good = true;
    for (uint32_t i = 0; i < 2; i++) {
        is_good = check_operand(c, items.items[i]) && is_good;
        args[i] = cfn_check_argument(c, items.items[i], argument);
    }
    return is_good ? finish(c, site, args, 2) : cfn_expr_error(c, site->node);
}

const struct expr *cfn_check_condition(struct cfn_check *c, const struct node *n, const struct cfn_call *call) {
    struct cfn_site *site = cfn_site_new(c, n, call);
    if (call->function == CFN_CONDITION)
        return check_name(c, site, call);
    if (call->function == CFN_AND || call->function == CFN_OR || call->function == CFN_NOT)
        return check_logic(c, site, call);
    if (call->function == CFN_EQUALS)
        return check_operands(c, site, call, c->section == CFN_SECTION_RULES ? CFN_ARG_RULE_EQUALS : CFN_ARG_EQUALS);
    return check_operands(c, site, call, CFN_ARG_RULE_VALUE);
}

/* Fn::RefAll takes a type, the others two texts (CF-091). */
const struct expr *cfn_check_rule_function(struct cfn_check *c, const struct node *n, const struct cfn_call *call) {
    struct cfn_site *site = cfn_site_new(c, n, call);
    uint32_t count = call->function == CFN_REF_ALL ? 1 : 2;
    struct cfn_items items = {&(struct node *){cfn_node_unconst(call->argument)}, 1};
    if (count == 2 && !cfn_check_items(c, call, 2, 2, &items))
        return cfn_expr_error(c, n);
    const struct expr **args = ARENA_ARRAY(c->arena, const struct expr *, count);
    bool is_good = true;
    for (uint32_t i = 0; i < count; i++) {
        const struct node *item =
            count == 1 && call->is_short ? cfn_node_untagged(c->arena, items.items[0]) : items.items[i];
        sv text;
        bool is_text = cfn_check_text(c, item, "the argument of this function", &text);
        is_good = is_good && is_text;
        args[i] = is_text ? cfn_expr_text(c, item->at, text) : NULL;
    }
    return is_good ? cfn_expr_call(c, site, args, count) : cfn_expr_error(c, n);
}

/* --- cycles (CF-071) --- */

struct finder {
    struct cfn_condition *condition;
};

static bool note_use(void *user, const struct expr *e) {
    struct finder *f = user;
    if (e->kind == EXPR_DIRECTIVE && e->op == CFN_CONDITION) {
        const struct cfn_site *site = e->call.data;
        VEC_PUSH(f->condition->arena, &f->condition->uses, ((struct cfn_condition_use){site->number, e->at}));
    }
    return true;
}

struct visit {
    struct cfn_condition *condition;
    size_t next;
};

static void report_cycle(struct cfn_run *run, const struct visit *stack, size_t from, size_t len) {
    enum { SHOWN = 24 };
    struct buf path = BUF(run->arena);
    const struct cfn_condition *first = stack[from].condition;
    for (size_t i = from; i < len && i - from < SHOWN; i++)
        buf_printf(&path, "%.*s → ", SV_ARG(stack[i].condition->e.name));
    if (len - from > SHOWN)
        buf_append_cstr(&path, "… → ");
    buf_append(&path, first->e.name);
    struct diag *d = cfn_report(run, DIAG_cfn_condition_cycle, first->e.key->at, "conditions need each other: %.*s",
                                SV_ARG(buf_get_sv(&path)));
    for (size_t i = from; i < len && i - from < SHOWN; i++) {
        const struct visit *v = &stack[i];
        diag_add_related(run->o.diags, d, v->condition->uses.items[v->next - 1].at, "'%.*s' needs the next one here",
                         SV_ARG(v->condition->e.name));
    }
    cfn_hint(run, d, "take one of the references out");
}

enum { NEW = 0, UNDER_WAY, DONE };

/* Depth first, with a stack of its own: chains may be as long as the section. */
static void find_cycles(struct cfn_run *run, struct cfn_condition *start, uint8_t *states, struct visit *stack) {
    size_t len = 0;
    stack[len++] = (struct visit){start, 0};
    states[start->e.number] = UNDER_WAY;
    while (len > 0) {
        struct visit *v = &stack[len - 1];
        if (v->next == v->condition->uses.len) {
            states[v->condition->e.number] = DONE;
            len--;
            continue;
        }
        struct cfn_condition *used = run->t->conditions.items[v->condition->uses.items[v->next++].number];
        if (states[used->e.number] == NEW) {
            states[used->e.number] = UNDER_WAY;
            stack[len++] = (struct visit){used, 0};
        } else if (states[used->e.number] == UNDER_WAY) {
            size_t from = len - 1;
            while (stack[from].condition != used)
                from--;
            report_cycle(run, stack, from, len);
        }
    }
}

void cfn_check_conditions(struct cfn_run *run) {
    struct cfn_check c = cfn_check_start(run, CFN_SECTION_CONDITIONS);
    struct cfn_template *t = run->t;
    c.no_resources = true;
    for (size_t i = 0; i < t->conditions.len; i++) {
        struct cfn_condition *condition = t->conditions.items[i];
        condition->expr = cfn_check_condition_node(&c, condition->e.node);
        condition->arena = run->arena;
        struct finder f = {condition};
        expr_walk(condition->expr, note_use, &f);
    }
    uint8_t *states = ARENA_ARRAY(run->arena, uint8_t, t->conditions.len + 1);
    struct visit *stack = ARENA_ARRAY(run->arena, struct visit, t->conditions.len + 1);
    for (size_t i = 0; i < t->conditions.len; i++) {
        if (states[i] == NEW)
            find_cycles(run, t->conditions.items[i], states, stack);
    }
}
