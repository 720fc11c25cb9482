/* Evaluating what is printed, in document order. */
#include "dialects/cfn/output.h"

#include "dialects/cfn/check.h"
#include "dialects/cfn/data.h"
#include "dialects/cfn/origin.h"

#include "doc/writer.h"

/* --- values --- */

/* CF-255: what everybody can read. */
static void warn_exposed(struct cfn_run *run, span at) {
    if (run->current != NULL && !run->is_in_metadata)
        return;
    struct diag *d =
        cfn_report(run, DIAG_cfn_sensitive_exposed, at, "a sensitive value stands where everybody reads it");
    cfn_hint(run, d, "leave it out");
}

/* What the value tells the report, parts and all. */
static void report_value(struct cfn_run *run, value v, span at, size_t depth) {
    uint32_t origin = (v.word >> CFN_WORD_ORIGIN_SHIFT) + 1;
    if (v.kind == VALUE_UNKNOWN) {
        if (!cfn_note_get(run, v)->is_error)
            cfn_report_put(run, CFN_REPORT_UNKNOWN, at, v);
    } else if (cfn_value_is_withheld(run, v)) {
        cfn_report_put(run, CFN_REPORT_WITHHELD, at, v);
        warn_exposed(run, at);
    } else if (v.kind == VALUE_STRING && cfn_note_get(run, v)->reasons != 0) {
        cfn_report_put(run, CFN_REPORT_UNKNOWN, at, v); /* a dynamic reference that stays (CF-172) */
    } else if (origin == CFN_ASSUMED || origin == CFN_STAND_IN) {
        cfn_report_put(run, origin == CFN_ASSUMED ? CFN_REPORT_ASSUMED : CFN_REPORT_STAND_IN, at, v);
    }
    bool is_whole = (v.within & (WITHIN_UNKNOWN | MARK_SENSITIVE)) == 0 || cfn_value_is_withheld(run, v);
    if (is_whole || depth == 0)
        return;
    for (size_t i = 0; v.kind == VALUE_LIST && i < v.list->len; i++)
        report_value(run, v.list->items[i], at, depth - 1);
    for (size_t i = 0; v.kind == VALUE_MAP && i < v.map->len; i++)
        report_value(run, v.map->entries[i].item, at, depth - 1);
}

/* CF-171: dynamic references in computed texts of properties. */
static value replace_dynamic(struct cfn_run *run, value v, span at, size_t depth) {
    if (v.kind == VALUE_STRING)
        return cfn_dynamic_has(*v.text) ? cfn_dynamic_replace(run, run->current, v, at) : v;
    if (depth == 0 || (v.kind != VALUE_LIST && v.kind != VALUE_MAP))
        return v;
    struct list_builder list = {.arena = run->arena};
    struct map_builder map = {.arena = run->arena};
    bool has_changed = false;
    size_t len = v.kind == VALUE_LIST ? v.list->len : v.map->len;
    for (size_t i = 0; i < len; i++) {
        value old = v.kind == VALUE_LIST ? v.list->items[i] : v.map->entries[i].item;
        value item = replace_dynamic(run, old, at, depth - 1);
        has_changed = has_changed || item.text != old.text || item.kind != old.kind;
        if (v.kind == VALUE_LIST)
            list_add(&list, item);
        else
            map_add(&map, v.map->entries[i].key, item);
    }
    if (!has_changed)
        return v;
    value made = v.kind == VALUE_LIST ? list_done(&list) : map_done(&map);
    made.word = v.word;
    return value_mark(made, v.marks);
}

static bool is_dynamic_place(const struct cfn_run *run) {
    return run->current != NULL && run->is_in_properties;
}

/* CF-211. */
static const struct node *get_placeholder(struct cfn_run *run, value v) {
    sv text = v.kind == VALUE_UNKNOWN ? cfn_note_get_more(run, v)->placeholder : (sv){0};
    bool is_used = run->o.mode == CFN_PLACEHOLDER && text.len > 0;
    return is_used ? node_new_scalar(run->arena, text, NODE_DOUBLE_QUOTED) : NULL;
}

static const struct node *value_to_output(struct cfn_run *run, value v, const struct node *written) {
    enum { DEEPEST = 1000 };
    span at = cfn_node_get_span(written);
    if (v.kind == VALUE_ABSENT)
        return NULL;
    if (v.kind == VALUE_ERROR || cfn_is_failed(run, v)) {
        cfn_error_note(run, v);
        run->has_failed = true;
        const struct node *residual = cfn_note_get(run, v)->residual;
        return v.kind == VALUE_ERROR || residual == NULL ? written : residual;
    }
    if (is_dynamic_place(run))
        v = replace_dynamic(run, v, at, DEEPEST);
    report_value(run, v, at, DEEPEST);
    const struct node *placeholder = get_placeholder(run, v);
    return placeholder != NULL ? placeholder : cfn_residual_node(run, v, written);
}

/* --- parts --- */

static struct node *copy_container(struct cfn_run *run, const struct node *n, uint32_t count) {
    struct node *made = ARENA_NEW(run->arena, struct node);
    *made = *n;
    made->count = count;
    return made;
}

struct copying {
    struct cfn_run *run;
    const struct cfn_part *part;
    const struct node *n;
    uint32_t next; /* child */
};

/* The child number `i` of the container; NULL: absent. */
static const struct node *copy_child(struct copying *k, uint32_t i) {
    const struct node *child = k->n->kind == NODE_MAPPING ? k->n->pairs[i].value : k->n->items[i];
    if (k->next == k->part->count || k->part->indices[k->next] != i)
        return child;
    return cfn_output_part(k->run, k->part->children[k->next++], child);
}

static const struct node *copy(struct cfn_run *run, const struct cfn_part *part) {
    const struct node *n = part->node;
    struct copying k = {.run = run, .part = part, .n = n};
    struct node_pair *pairs = n->kind == NODE_MAPPING ? ARENA_ARRAY(run->arena, struct node_pair, n->count) : NULL;
    struct node **items = pairs == NULL ? ARENA_ARRAY(run->arena, struct node *, n->count) : NULL;
    uint32_t count = 0;
    for (uint32_t i = 0; i < n->count; i++) {
        struct node *child = cfn_node_unconst(copy_child(&k, i));
        if (child == NULL)
            continue;
        if (pairs != NULL)
            pairs[count++] = (struct node_pair){n->pairs[i].key, child};
        else
            items[count++] = child;
    }
    struct node *made = copy_container(run, n, count);
    if (pairs != NULL)
        made->pairs = pairs;
    else
        made->items = items;
    return made;
}

const struct node *cfn_output_part(struct cfn_run *run, const struct cfn_part *part, const struct node *n) {
    if (part == NULL)
        return n;
    if (part->is_text) {
        value v = value_string(run->arena, n->text);
        return is_dynamic_place(run) ? value_to_output(run, v, n) : n;
    }
    return part->expr == NULL ? copy(run, part) : value_to_output(run, cfn_part_evaluate(run, part), part->node);
}

/* --- resources --- */

struct entries {
    VEC(struct node_pair) pairs;
};

static void add(struct cfn_run *run, struct entries *e, const struct node *key, const struct node *n) {
    VEC_PUSH(run->arena, &e->pairs, ((struct node_pair){cfn_node_unconst(key), cfn_node_unconst(n)}));
}

static const struct node *finish(struct cfn_run *run, const struct node *from, const struct entries *e) {
    struct node *made = copy_container(run, from, (uint32_t)e->pairs.len);
    made->pairs = e->pairs.items;
    return made;
}

/* CF-033: names of resources that are off leave every DependsOn; NULL: nothing is left. */
static const struct node *make_depends_on(struct cfn_run *run, const struct cfn_resource *r) {
    const struct node *n = r->depends_on;
    if (n->kind == NODE_SCALAR)
        return cfn_resource_is_off(run, map_find(&run->t->resources_by_name, n->text)) ? NULL : n;
    struct node **items = ARENA_ARRAY(run->arena, struct node *, n->count);
    uint32_t count = 0;
    for (uint32_t i = 0; i < n->count; i++) {
        if (!cfn_resource_is_off(run, map_find(&run->t->resources_by_name, n->items[i]->text)))
            items[count++] = n->items[i];
    }
    if (count == n->count)
        return n;
    struct node *made = copy_container(run, n, count);
    made->items = items;
    return count == 0 && n->count > 0 ? NULL : made;
}

static const struct node *make_attribute(struct cfn_run *run, const struct cfn_resource *r, sv name,
                                         const struct node *n) {
    if (n == r->depends_on)
        return make_depends_on(run, r);
    if (sv_eq_cstr(name, "Condition"))
        return cfn_condition_get(run, r->condition) == 1 ? NULL : n;
    for (size_t a = 0; a < CFN_ATTRIBUTE_COUNT; a++) {
        if (r->attributes[a] != n || r->parts[a] == NULL)
            continue;
        run->is_in_properties = a == CFN_PROPERTIES;
        run->is_in_metadata = a == CFN_METADATA;
        const struct node *made = cfn_output_part(run, r->parts[a], n);
        bool is_policy = a == CFN_DELETION_POLICY || a == CFN_UPDATE_REPLACE_POLICY;
        run->keeps_extensions = run->keeps_extensions || (is_policy && made != NULL && made->kind == NODE_MAPPING) ||
                                (is_policy && made != NULL && made->props != NULL);
        if (is_policy)
            cfn_policy_check(run, made, n, a == CFN_DELETION_POLICY);
        run->is_in_properties = run->is_in_metadata = false;
        return made;
    }
    return n;
}

static const struct node *make_resource(struct cfn_run *run, const struct cfn_resource *r) {
    struct entries e = {0};
    run->current = r;
    for (uint32_t i = 0; i < r->e.node->count; i++) {
        const struct node *key = r->e.node->pairs[i].key;
        const struct node *n = make_attribute(run, r, key->text, r->e.node->pairs[i].value);
        if (n != NULL)
            add(run, &e, key, n);
    }
    run->current = NULL;
    return finish(run, r->e.node, &e);
}

bool cfn_resource_is_off(struct cfn_run *run, const struct cfn_resource *r) {
    return r != NULL && r->condition != CFN_NONE && cfn_condition_get(run, r->condition) == 0;
}

static void note_off(struct cfn_run *run, const struct cfn_element *e) {
    cfn_report_put(run, CFN_REPORT_OFF, e->key->at, (value){0});
}

static const struct node *make_resources(struct cfn_run *run) {
    const struct node *section = run->t->sections[CFN_SECTION_RESOURCES];
    struct entries e = {0};
    for (uint32_t i = 0; i < section->count; i++) {
        const struct node *key = section->pairs[i].key;
        const struct cfn_resource *r = map_find(&run->t->resources_by_name, key->text);
        if (r == NULL || r->e.key != key)
            add(run, &e, key, section->pairs[i].value); /* a loop that is left */
        else if (cfn_resource_is_off(run, r))
            note_off(run, &r->e);
        else
            add(run, &e, key, make_resource(run, r));
    }
    return finish(run, section, &e);
}

/* --- outputs --- */

/* CF-110: text alone. */
static void check_output_value(struct cfn_run *run, const struct node *made, const struct node *written) {
    struct cfn_call call;
    bool is_text = made != NULL && (made->kind == NODE_SCALAR || cfn_call_get(made, &call));
    if (is_text)
        return;
    if (made == NULL) {
        struct diag *d = cfn_report(run, DIAG_cfn_novalue, cfn_node_get_span(written),
                                    "AWS::NoValue cannot be the value of an output");
        cfn_hint(run, d, "give the output a condition");
        return;
    }
    struct diag *d =
        cfn_report(run, DIAG_cfn_output, cfn_node_get_span(written), "the value of an output is text, not %s",
                   made->kind == NODE_SEQUENCE ? "a list" : "a map");
    cfn_hint(run, d, "join the list to text, or name one value of the map");
}

static const struct node *make_export(struct cfn_run *run, const struct cfn_output *o, const struct node *n) {
    if (o->export_part == NULL)
        return n;
    const struct node *name = cfn_output_part(run, o->export_part, o->export_name);
    check_output_value(run, name, o->export_name);
    struct entries e = {0};
    for (uint32_t i = 0; i < n->count; i++)
        add(run, &e, n->pairs[i].key, n->pairs[i].value == o->export_name && name != NULL ? name : n->pairs[i].value);
    return finish(run, n, &e);
}

static const struct node *make_output(struct cfn_run *run, const struct cfn_output *o) {
    struct entries e = {0};
    for (uint32_t i = 0; i < o->e.node->count; i++) {
        const struct node *key = o->e.node->pairs[i].key, *n = o->e.node->pairs[i].value;
        if (n == o->value) {
            n = cfn_output_part(run, o->value_part, n);
            check_output_value(run, n, o->value);
        } else if (sv_eq_cstr(key->text, "Export")) {
            n = make_export(run, o, n);
        } else if (sv_eq_cstr(key->text, "Condition") && cfn_condition_get(run, o->condition) == 1) {
            n = NULL;
        }
        if (n != NULL)
            add(run, &e, key, n);
    }
    return finish(run, o->e.node, &e);
}

static const struct node *make_outputs(struct cfn_run *run) {
    const struct node *section = run->t->sections[CFN_SECTION_OUTPUTS];
    struct entries e = {0};
    for (uint32_t i = 0; section != NULL && i < section->count; i++) {
        const struct node *key = section->pairs[i].key;
        const struct cfn_output *o = map_find(&run->t->outputs_by_name, key->text);
        if (o == NULL || o->e.key != key)
            add(run, &e, key, section->pairs[i].value);
        else if (o->condition != CFN_NONE && cfn_condition_get(run, o->condition) == 0)
            note_off(run, &o->e);
        else
            add(run, &e, key, make_output(run, o));
    }
    return section == NULL ? NULL : finish(run, section, &e);
}

void cfn_output_make(struct cfn_run *run) {
    const struct node *resources = make_resources(run);
    const struct node *outputs = make_outputs(run);
    run->output = cfn_output_root(run, resources, outputs);
    if (run->o.prune)
        run->output = cfn_prune(run, run->output);
}
