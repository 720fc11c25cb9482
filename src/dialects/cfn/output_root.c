/* What is kept of the other sections (CF-213). */
#include "dialects/cfn/output.h"

#include "dialects/cfn/data.h"
#include "dialects/cfn/sections.h"

/* --- which conditions are needed --- */

struct needs {
    struct cfn_run *run;
    bool *is_needed; /* by number */
    VEC(uint32_t) todo;
    struct depth_guard depth;
};

static void need(struct needs *w, sv name) {
    const struct cfn_condition *c = map_find(&w->run->t->conditions_by_name, name);
    if (c == NULL || w->is_needed[c->e.number])
        return;
    w->is_needed[c->e.number] = true;
    VEC_PUSH(w->run->arena, &w->todo, c->e.number);
}

/* Conditions named in a tree: by If, and as {Condition: name} where `in_conditions`. */
static void scan(struct needs *w, const struct node *n, bool in_conditions) {
    struct cfn_call call;
    bool is_call = n->kind != NODE_SCALAR || n->props != NULL ? cfn_call_get_condition(n, &call) : false;
    if (is_call && call.function == CFN_IF && call.argument->kind == NODE_SEQUENCE && call.argument->count > 0)
        need(w, call.argument->items[0]->text);
    if (is_call && in_conditions && call.function == CFN_CONDITION)
        need(w, call.argument->text);
    if ((n->kind != NODE_SEQUENCE && n->kind != NODE_MAPPING) || !depth_enter(&w->depth))
        return;
    for (uint32_t i = 0; i < n->count; i++)
        scan(w, n->kind == NODE_MAPPING ? n->pairs[i].value : n->items[i], in_conditions);
    depth_leave(&w->depth);
}

static void scan_elements(struct needs *w, const struct node *section) {
    for (uint32_t i = 0; section != NULL && i < section->count; i++) {
        const struct node *condition = node_find(section->pairs[i].value, SV("Condition"));
        if (condition != NULL && condition->kind == NODE_SCALAR)
            need(w, condition->text);
        if (w->run->keeps_ifs || w->run->has_failed || w->run->has_loops)
            scan(w, section->pairs[i].value, false);
    }
}

/* An unknown condition is printed as its residual. */
static const struct node *get_condition(struct cfn_run *run, const struct cfn_condition *c) {
    value v = run->conditions[c->e.number].result;
    const struct node *residual = v.kind == VALUE_UNKNOWN ? cfn_note_get(run, v)->residual : NULL;
    return residual == NULL ? c->e.node : residual;
}

static bool is_residual(const struct node *section) {
    return section != NULL;
}

static const struct node *make_conditions(struct cfn_run *run, const struct node *resources,
                                          const struct node *outputs) {
    const struct node *section = run->t->sections[CFN_SECTION_CONDITIONS];
    struct needs w = {.run = run, .depth = {.limit = 4 * run->limits.nesting}};
    if (!is_residual(section))
        return NULL;
    w.is_needed = ARENA_ARRAY(run->arena, bool, run->t->conditions.len + 1);
    scan_elements(&w, resources);
    scan_elements(&w, outputs);
    for (size_t i = 0; i < w.todo.len; i++) {
        const struct cfn_condition *c = run->t->conditions.items[w.todo.items[i]];
        eval_cell(run->ev, &run->conditions[c->e.number]);
        scan(&w, get_condition(run, c), true);
    }
    struct node *made = ARENA_NEW(run->arena, struct node);
    *made = *section;
    made->pairs = ARENA_ARRAY(run->arena, struct node_pair, section->count);
    made->count = 0;
    for (uint32_t i = 0; i < section->count; i++) {
        const struct cfn_condition *c = map_find(&run->t->conditions_by_name, section->pairs[i].key->text);
        bool is_loop = c == NULL || c->e.key != section->pairs[i].key;
        if (!is_loop && !w.is_needed[c->e.number])
            continue;
        struct node_pair *pair = &made->pairs[made->count++];
        *pair = section->pairs[i];
        if (!is_loop)
            pair->value = cfn_node_unconst(get_condition(run, c));
    }
    return made->count == 0 ? NULL : made;
}

/* --- Parameters --- */

static struct node *drop_default(struct cfn_run *run, const struct node *n) {
    struct node *made = ARENA_NEW(run->arena, struct node);
    *made = *n;
    made->pairs = ARENA_ARRAY(run->arena, struct node_pair, n->count);
    made->count = 0;
    for (uint32_t i = 0; i < n->count; i++) {
        if (!sv_eq_cstr(n->pairs[i].key->text, "Default"))
            made->pairs[made->count++] = n->pairs[i];
    }
    return made;
}

/* CF-255: no default of a secret. */
static const struct node *make_parameters(struct cfn_run *run) {
    const struct node *section = run->t->sections[CFN_SECTION_PARAMETERS];
    bool has_hidden = false;
    for (size_t i = 0; i < run->t->parameters.len; i++)
        has_hidden = has_hidden || cfn_parameter_is_hidden(run, (uint32_t)i);
    if (section == NULL || !has_hidden || run->o.show_sensitive)
        return section;
    struct node *made = ARENA_NEW(run->arena, struct node);
    *made = *section;
    made->pairs = ARENA_ARRAY(run->arena, struct node_pair, section->count);
    for (uint32_t i = 0; i < section->count; i++) {
        made->pairs[i] = section->pairs[i];
        const struct cfn_element *p = map_find(&run->t->parameters_by_name, section->pairs[i].key->text);
        if (p != NULL && p->key == section->pairs[i].key && p->node->kind == NODE_MAPPING &&
            cfn_parameter_is_hidden(run, p->number))
            made->pairs[i].value = drop_default(run, p->node);
    }
    return made;
}

/* --- Transform --- */

static bool is_done(const struct cfn_run *run, const struct node *n) {
    const struct node *name = n->kind == NODE_MAPPING ? node_find(n, SV("Name")) : n;
    bool is_include = name != NULL && name->kind == NODE_SCALAR && sv_eq_cstr(name->text, "AWS::Include");
    return (is_include && !run->keeps_includes) ||
           (n->kind == NODE_SCALAR && sv_eq_cstr(n->text, "AWS::LanguageExtensions") && !run->has_loops &&
            !run->keeps_extensions);
}

/* What has been carried out goes: language extensions when nothing of them is left, and includes. */
static const struct node *make_transform(struct cfn_run *run) {
    const struct node *section = run->t->sections[CFN_SECTION_TRANSFORM];
    if (section == NULL)
        return NULL;
    if (section->kind != NODE_SEQUENCE)
        return is_done(run, section) ? NULL : section;
    struct node *made = ARENA_NEW(run->arena, struct node);
    *made = *section;
    made->items = ARENA_ARRAY(run->arena, struct node *, section->count);
    made->count = 0;
    for (uint32_t i = 0; i < section->count; i++) {
        if (!is_done(run, section->items[i]))
            made->items[made->count++] = section->items[i];
    }
    return made->count == 0 ? NULL : made;
}

const struct node *cfn_output_root(struct cfn_run *run, const struct node *resources, const struct node *outputs) {
    const struct node *root = run->t->root;
    struct node *made = ARENA_NEW(run->arena, struct node);
    *made = *root;
    made->pairs = ARENA_ARRAY(run->arena, struct node_pair, root->count);
    made->count = 0;
    const struct node *conditions = make_conditions(run, resources, outputs);
    for (uint32_t i = 0; i < root->count; i++) {
        const struct node *key = root->pairs[i].key, *n = root->pairs[i].value;
        enum cfn_section s = cfn_section_find(key->text);
        n = s == CFN_SECTION_RESOURCES    ? resources
            : s == CFN_SECTION_OUTPUTS    ? outputs
            : s == CFN_SECTION_CONDITIONS ? conditions
            : s == CFN_SECTION_PARAMETERS ? make_parameters(run)
            : s == CFN_SECTION_TRANSFORM  ? make_transform(run)
                                          : n;
        if (n != NULL)
            made->pairs[made->count++] = (struct node_pair){root->pairs[i].key, cfn_node_unconst(n)};
    }
    return made;
}
