#include "dialects/cfn/rules.h"

static void refuse(struct cfn_check *c, span at, const char *message, const char *hint) {
    struct diag *d = cfn_check_fail(c, DIAG_cfn_shape, at, "%s", message);
    cfn_hint(c->run, d, "%s", hint);
}

static void check_assertion(struct cfn_check *c, struct cfn_rule *rule, const struct node *n) {
    struct cfn_assertion a = {0};
    if (n->kind != NODE_MAPPING) {
        refuse(c, n->at, "an assertion is a map", "write 'Assert' and 'AssertDescription' into it");
        return;
    }
    for (uint32_t i = 0; i < n->count; i++) {
        const struct node *key = n->pairs[i].key, *item = n->pairs[i].value;
        if (sv_eq_cstr(key->text, "Assert")) {
            a.at = cfn_node_get_span(item);
            a.expr = cfn_check_condition_node(c, item);
        } else if (sv_eq_cstr(key->text, "AssertDescription")) {
            cfn_check_text(c, item, "the description of an assertion", &a.description);
        } else {
            refuse(c, key->at, "an assertion has Assert and AssertDescription", "remove the entry");
        }
    }
    if (a.expr == NULL)
        refuse(c, n->at, "an assertion needs 'Assert'", "add it");
    else
        VEC_PUSH(c->arena, &rule->assertions, a);
}

static void check_assertions(struct cfn_check *c, struct cfn_rule *rule, const struct node *n) {
    if (n->kind != NODE_SEQUENCE) {
        refuse(c, n->at, "'Assertions' is a list", "write a list of maps with 'Assert'");
        return;
    }
    for (uint32_t i = 0; i < n->count; i++)
        check_assertion(c, rule, n->items[i]);
}

static void check_rule(struct cfn_check *c, struct cfn_rule *rule, const struct node *n) {
    bool has_assertions = false;
    for (uint32_t i = 0; i < n->count; i++) {
        const struct node *key = n->pairs[i].key;
        if (sv_eq_cstr(key->text, "RuleCondition")) {
            rule->condition = cfn_check_condition_node(c, n->pairs[i].value);
        } else if (sv_eq_cstr(key->text, "Assertions")) {
            has_assertions = true;
            check_assertions(c, rule, n->pairs[i].value);
        } else {
            refuse(c, key->at, "a rule has RuleCondition and Assertions", "remove the entry");
        }
    }
    if (!has_assertions)
        refuse(c, rule->e->key->at, "a rule needs 'Assertions'", "add a list of them");
}

void cfn_check_rules(struct cfn_run *run) {
    struct cfn_check c = cfn_check_start(run, CFN_SECTION_RULES);
    c.no_resources = true;
    for (size_t i = 0; i < run->t->rules.len; i++) {
        struct cfn_rule *rule = ARENA_NEW(run->arena, struct cfn_rule);
        rule->e = &run->t->rules.items[i];
        VEC_PUSH(run->arena, &run->t->checked_rules, rule);
        if (rule->e->node->kind == NODE_MAPPING)
            check_rule(&c, rule, rule->e->node);
        else if (rule->e->node->kind != NODE_ERROR)
            refuse(&c, rule->e->node->at, "a rule is a map", "write 'Assertions' into it");
    }
}

/* --- evaluation --- */

static void note_undecided(struct cfn_run *run, const struct cfn_rule *rule, span at) {
    struct diag *d =
        cfn_report(run, DIAG_cfn_rule_unknown, at, "the rule '%.*s' cannot be decided", SV_ARG(rule->e->name));
    cfn_hint(run, d, "give what is unknown in it: parameters, or 'ParameterAttributes' of a symbol file");
}

static void evaluate_assertion(struct cfn_run *run, const struct cfn_rule *rule, const struct cfn_assertion *a) {
    value v = eval_expr(run->ev, a->expr, NULL);
    if (cfn_is_failed(run, v))
        return;
    if (v.kind != VALUE_BOOL) {
        note_undecided(run, rule, a->at);
        return;
    }
    if (v.boolean)
        return;
    sv what = a->description.len > 0 ? a->description : SV("an assertion does not hold");
    struct diag *d = cfn_report(run, DIAG_cfn_rule, a->at, "%.*s", SV_ARG(what));
    cfn_hint(run, d, "give other parameters; this is the rule '%.*s'", SV_ARG(rule->e->name));
}

void cfn_rules_evaluate(struct cfn_run *run) {
    for (size_t i = 0; i < run->t->checked_rules.len; i++) {
        const struct cfn_rule *rule = run->t->checked_rules.items[i];
        if (rule->condition != NULL) {
            value v = eval_expr(run->ev, rule->condition, NULL);
            bool is_unknown = v.kind != VALUE_BOOL;
            if (is_unknown && !cfn_is_failed(run, v))
                note_undecided(run, rule, rule->condition->at);
            if (is_unknown || !v.boolean)
                continue;
        }
        for (size_t k = 0; k < rule->assertions.len; k++)
            evaluate_assertion(run, rule, &rule->assertions.items[k]);
    }
}
