/* References as they are written, and what is declared. */
#include "dialects/cfn/describe.h"

#include "dialects/cfn/lookups.h"
#include "dialects/cfn/scalars.h"
#include "dialects/cfn/sections.h"

struct scan {
    struct cfn_run *run;
    struct depth_guard guard;
    enum cfn_used_kind from_kind;
    sv from;
    VEC(struct cfn_use) uses;
};

/* What the name means; 0: nothing that is listed. */
static enum cfn_used_kind find_kind(const struct scan *s, sv name) {
    if (map_has(&s->run->t->parameters_by_name, name)) {
        return CFN_USED_PARAMETER;
    }
    return map_has(&s->run->t->resources_by_name, name) ? CFN_USED_RESOURCE : (enum cfn_used_kind)0;
}

static void add(struct scan *s, enum cfn_used_kind to_kind, sv to, enum cfn_use_kind kind, span at) {
    if (to_kind != 0) {
        struct cfn_use use = {
            .from_kind = s->from_kind, .from = s->from, .to_kind = to_kind, .to = to, .kind = kind, .at = at};
        VEC_PUSH(s->run->arena, &s->uses, use);
    }
}

/* `${Name}` and `${Name.Attribute}` of a text. */
static void scan_sub(struct scan *s, sv text, span at) {
    sv rest = text;
    for (size_t open = sv_find(rest, SV("${")); open != SIZE_MAX; open = sv_find(rest, SV("${"))) {
        rest = sv_slice(rest, open + strlen("${"), rest.len);
        size_t close = sv_find_char(rest, '}');
        if (close == SIZE_MAX) {
            return;
        }
        sv name = sv_trim(sv_slice(rest, 0, close));
        sv id = sv_slice(name, 0, sv_find_char(name, '.'));
        add(s, find_kind(s, id), id, CFN_USE_SUB, at);
        rest = sv_slice(rest, close, rest.len);
    }
}

static const struct node *get_item(const struct node *n, uint32_t i) {
    return n->kind == NODE_SEQUENCE && i < n->count ? n->items[i] : NULL;
}

static void scan_condition_name(struct scan *s, const struct node *n) {
    if (n != NULL && n->kind == NODE_SCALAR && map_has(&s->run->t->conditions_by_name, n->text)) {
        add(s, CFN_USED_CONDITION, n->text, CFN_USE_CONDITION, n->at);
    }
}

static void scan_call(struct scan *s, const struct cfn_call *call) {
    const struct node *n = call->argument;
    const struct node *first = n->kind == NODE_SEQUENCE ? get_item(n, 0) : n;
    bool has_text = first != NULL && first->kind == NODE_SCALAR;
    if (!has_text) {
        return;
    }
    if (call->function == CFN_REF || call->function == CFN_VALUE_OF) {
        add(s, find_kind(s, first->text), first->text, CFN_USE_REF, first->at);
    } else if (call->function == CFN_GET_ATT) {
        sv id = n->kind == NODE_SEQUENCE ? first->text : sv_slice(first->text, 0, sv_find_char(first->text, '.'));
        add(s, map_has(&s->run->t->resources_by_name, id) ? CFN_USED_RESOURCE : (enum cfn_used_kind)0, id,
            CFN_USE_GET_ATT, first->at);
    } else if (call->function == CFN_SUB) {
        scan_sub(s, first->text, first->at);
    } else if (call->function == CFN_IF || call->function == CFN_CONDITION) {
        scan_condition_name(s, first);
    } else if (call->function == CFN_FIND_IN_MAP && map_has(&s->run->t->mappings_by_name, first->text)) {
        add(s, CFN_USED_MAPPING, first->text, CFN_USE_FIND_IN_MAP, first->at);
    }
}

static void scan_node(struct scan *s, const struct node *n) {
    struct cfn_call call = {0};
    if (cfn_call_get_condition(n, &call)) {
        scan_call(s, &call);
    }
    if (!depth_enter(&s->guard)) {
        return;
    }
    for (uint32_t i = 0; n->kind == NODE_SEQUENCE && i < n->count; i++) {
        scan_node(s, n->items[i]);
    }
    for (uint32_t i = 0; n->kind == NODE_MAPPING && i < n->count; i++) {
        scan_node(s, n->pairs[i].value);
    }
    depth_leave(&s->guard);
}

/* RefAll and ValueOfAll of a type use all its parameters. */
static void scan_section(struct scan *s, enum cfn_section section, enum cfn_used_kind kind) {
    const struct node *n = s->run->t->sections[section];
    for (uint32_t i = 0; n != NULL && n->kind == NODE_MAPPING && i < n->count; i++) {
        const struct node *entry = n->pairs[i].value;
        s->from_kind = kind;
        s->from = n->pairs[i].key->text;
        if (kind != CFN_USED_CONDITION && entry->kind == NODE_MAPPING) {
            scan_condition_name(s, node_find(entry, SV("Condition")));
        }
        scan_node(s, entry);
    }
}

/* A loop that was left as it is may use anything that stands in it; the walk goes through it all the same. */
static void scan_all(struct scan *s) {
    s->guard.limit = s->run->limits.nesting;
    scan_section(s, CFN_SECTION_RULES, (enum cfn_used_kind)0);
    scan_section(s, CFN_SECTION_CONDITIONS, CFN_USED_CONDITION);
    scan_section(s, CFN_SECTION_RESOURCES, CFN_USED_RESOURCE);
    scan_section(s, CFN_SECTION_OUTPUTS, (enum cfn_used_kind)0);
}

static enum cfn_use_kind get_kind(uint32_t function) {
    return function == CFN_REF       ? CFN_USE_REF
           : function == CFN_GET_ATT ? CFN_USE_GET_ATT
           : function == CFN_SUB     ? CFN_USE_SUB
                                     : CFN_USE_DEPENDS_ON;
}

size_t cfn_run_list_uses(struct cfn_run *run, const struct cfn_use **items) {
    struct scan s = {.run = run};
    scan_all(&s);
    size_t kept = 0;
    for (size_t i = 0; i < s.uses.len; i++) {
        const struct cfn_use *use = &s.uses.items[i];
        if (use->from_kind != 0 && use->to_kind != CFN_USED_RESOURCE && use->to_kind != CFN_USED_MAPPING) {
            s.uses.items[kept++] = *use;
        }
    }
    s.uses.len = kept;
    struct cfn_resource **all = run->t->resources.items;
    for (size_t i = 0; i < run->graph.edges.len; i++) {
        const struct graph_edge *e = &run->graph.edges.items[i];
        struct cfn_use use = {.from_kind = CFN_USED_RESOURCE,
                              .from = all[e->from]->e.name,
                              .to_kind = CFN_USED_RESOURCE,
                              .to = all[e->to]->e.name,
                              .kind = get_kind(e->kind),
                              .at = e->at};
        VEC_PUSH(run->arena, &s.uses, use);
    }
    *items = s.uses.items;
    return s.uses.len;
}

size_t cfn_run_list_order(struct cfn_run *run, const sv **names) {
    size_t count = run->t->resources.len;
    uint32_t *order = ARENA_ARRAY(run->arena, uint32_t, count + 1);
    sv *found = ARENA_ARRAY(run->arena, sv, count + 1);
    size_t len = run->graph.arena == NULL ? 0 : graph_get_order(&run->graph, GRAPH_USED_FIRST, order);
    for (size_t i = 0; i < len; i++) {
        found[i] = run->t->resources.items[order[i]]->e.name;
    }
    *names = found;
    return len;
}

size_t cfn_run_list_resources(struct cfn_run *run, const sv **names) {
    size_t count = run->t->resources.len;
    sv *found = ARENA_ARRAY(run->arena, sv, count + 1);
    for (size_t i = 0; i < count; i++) {
        found[i] = run->t->resources.items[i]->e.name;
    }
    *names = found;
    return count;
}

sv cfn_use_get_name(enum cfn_use_kind kind) {
    switch (kind) {
    case CFN_USE_REF:
        return SV("Ref");
    case CFN_USE_GET_ATT:
        return SV("GetAtt");
    case CFN_USE_SUB:
        return SV("Sub");
    case CFN_USE_DEPENDS_ON:
        return SV("DependsOn");
    case CFN_USE_CONDITION:
        return SV("Condition");
    case CFN_USE_FIND_IN_MAP:
        return SV("FindInMap");
    }
    return SV("");
}

sv cfn_used_get_name(enum cfn_used_kind kind) {
    switch (kind) {
    case CFN_USED_RESOURCE:
        return SV("resource");
    case CFN_USED_CONDITION:
        return SV("condition");
    case CFN_USED_PARAMETER:
        return SV("parameter");
    case CFN_USED_MAPPING:
        return SV("mapping");
    }
    return SV("");
}

/* --- unused --- */

static void count_use(struct map *counts, struct arena *a, sv name) {
    size_t *count = map_find(counts, name);
    if (count == NULL) {
        count = ARENA_NEW(a, size_t);
        map_put(counts, name, count);
    }
    ++*count;
}

/* How often each name of that kind is used. */
static struct map count_uses(const struct scan *s, enum cfn_used_kind kind) {
    struct map counts = MAP(s->run->arena);
    for (size_t i = 0; i < s->uses.len; i++) {
        if (s->uses.items[i].to_kind == kind) {
            count_use(&counts, s->run->arena, s->uses.items[i].to);
        }
    }
    return counts;
}

static void report_elements(struct scan *s, const struct cfn_elements *elements, enum cfn_used_kind kind) {
    struct map counts = count_uses(s, kind);
    for (size_t i = 0; i < elements->len; i++) {
        if (!map_has(&counts, elements->items[i].name)) {
            sv what = cfn_used_get_name(kind);
            struct diag *d =
                cfn_report(s->run, DIAG_cfn_unused, elements->items[i].key->at, "nothing refers to the %.*s '%.*s'",
                           SV_ARG(what), SV_ARG(elements->items[i].name));
            cfn_hint(s->run, d, "take it out, or use it");
        }
    }
}

/* Something in the template may refer to names that cannot be seen: rules of all parameters of a type, names that are
 * computed, what includes or macros bring in. */
static bool has_hidden_uses(const struct cfn_run *run) {
    const struct node *rules = run->t->sections[CFN_SECTION_RULES];
    return run->has_macro || run->t->has_extensions || (rules != NULL && rules->count > 0);
}

void cfn_run_report_unused(struct cfn_run *run) {
    if (has_hidden_uses(run)) {
        return;
    }
    struct scan s = {.run = run};
    scan_all(&s);
    report_elements(&s, &run->t->parameters, CFN_USED_PARAMETER);
    report_elements(&s, &run->t->mappings, CFN_USED_MAPPING);
    struct map counts = count_uses(&s, CFN_USED_CONDITION);
    for (size_t i = 0; i < run->t->conditions.len; i++) {
        const struct cfn_element *e = &run->t->conditions.items[i]->e;
        if (!map_has(&counts, e->name)) {
            struct diag *d =
                cfn_report(run, DIAG_cfn_unused, e->key->at, "nothing refers to the condition '%.*s'", SV_ARG(e->name));
            cfn_hint(run, d, "take it out, or use it");
        }
    }
}

/* --- parameters --- */

static value list_allowed(struct cfn_run *run, const struct node *n) {
    struct list_builder b = {.arena = run->arena};
    for (uint32_t i = 0; i < n->count; i++) {
        list_add(&b, value_string(run->arena, cfn_scalar_get_text(run->arena, n->items[i], NULL)));
    }
    return list_done(&b);
}

static void describe(struct cfn_run *run, const struct cfn_parameter *p, struct cfn_parameter_info *info) {
    info->type = p->type;
    info->description = p->description;
    info->constraint_description = p->constraint_description;
    info->is_hidden = p->is_hidden;
    info->pattern = p->pattern_node == NULL ? (sv){0} : p->pattern_node->text;
    if (p->fallback != NULL) {
        info->fallback = value_string(run->arena, cfn_scalar_get_text(run->arena, p->fallback, NULL));
        info->fallback = p->is_hidden ? value_mark(info->fallback, MARK_SENSITIVE) : info->fallback;
    }
    if (p->allowed != NULL) {
        info->allowed = list_allowed(run, p->allowed);
    }
    info->has_min_length = p->min_length.is_set;
    info->has_max_length = p->max_length.is_set;
    info->has_min_value = p->min_value.is_set;
    info->has_max_value = p->max_value.is_set;
    info->min_length = p->min_length.number;
    info->max_length = p->max_length.number;
    info->min_value = p->min_value.number;
    info->max_value = p->max_value.number;
}

size_t cfn_run_list_parameters(struct cfn_run *run, const struct cfn_parameter_info **items) {
    const struct cfn_parameter *declared = cfn_parameters_get(run);
    size_t count = run->t->parameters.len;
    struct cfn_parameter_info *infos = ARENA_ARRAY(run->arena, struct cfn_parameter_info, count + 1);
    struct scan s = {.run = run};
    scan_all(&s);
    struct map counts = count_uses(&s, CFN_USED_PARAMETER);
    for (size_t i = 0; i < count; i++) {
        const struct cfn_element *e = &run->t->parameters.items[i];
        const size_t *uses = map_find(&counts, e->name);
        infos[i].name = e->name;
        infos[i].at = e->key->at;
        infos[i].uses = uses == NULL ? 0 : *uses;
        if (declared[i].e != NULL) {
            describe(run, &declared[i], &infos[i]);
        }
    }
    *items = infos;
    return count;
}
