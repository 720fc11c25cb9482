/* Resources and outputs: their attributes (CF-032 to CF-036, CF-110). */
#include "dialects/cfn/check.h"

#include "base/hint.h"
#include "dialects/cfn/data.h"

static const char *const attribute_names[] = {
    "Type",           "Properties",          "Condition", "DependsOn",   "Metadata",   "CreationPolicy", "UpdatePolicy",
    "DeletionPolicy", "UpdateReplacePolicy", "Version",   "Description", "Connectors", "IgnoreGlobals"};
enum {
    AT_TYPE = 0,
    AT_PROPERTIES,
    AT_CONDITION,
    AT_DEPENDS_ON,
    AT_METADATA,
    AT_CREATION_POLICY,
    AT_UPDATE_POLICY,
    AT_DELETION_POLICY,
    AT_UPDATE_REPLACE_POLICY,
    AT_VERSION,
    AT_DESCRIPTION,
    AT_CONNECTORS, /* SAM from here on */
    AT_IGNORE_GLOBALS,
    AT_COUNT,
};

static struct diag *refuse_shape(struct cfn_check *c, const struct node *n, const char *what, const char *wanted) {
    struct cfn_call call;
    bool is_call = cfn_call_get_condition(n, &call);
    struct diag *d = cfn_check_fail(c, is_call ? DIAG_cfn_place : DIAG_cfn_shape, cfn_node_get_span(n),
                                    "%s is %s, not %s", what, wanted, is_call ? "a call" : node_get_kind_name(n));
    cfn_hint(c->run, d, "write %s", wanted);
    return d;
}

static void refuse_attribute(struct cfn_check *c, const struct node *key) {
    struct hint h = HINT(key->text);
    for (int i = 0; i < AT_COUNT; i++)
        hint_offer(&h, sv_from_cstr(attribute_names[i]));
    struct diag *d = cfn_check_fail(c, DIAG_cfn_attribute, key->at, "a resource has no attribute '%.*s'",
                                    SV_ARG(sv_slice(key->text, 0, 80)));
    if (h.best.len > 0)
        cfn_hint(c->run, d, "did you mean '%.*s'?", SV_ARG(h.best));
    else
        cfn_hint(c->run, d, "what the resource is made of stands below 'Properties'");
}

static bool check_map(struct cfn_check *c, const struct node *n, const char *what) {
    struct cfn_call call;
    bool is_call = cfn_call_get(n, &call);
    bool is_transform = is_call && call.function == CFN_TRANSFORM;
    if (n->kind == NODE_ERROR)
        return false;
    if (n->kind == NODE_MAPPING && (!is_call || is_transform))
        return true;
    /* A call that gives the whole map is evaluated like any other value. */
    if (is_call)
        return true;
    refuse_shape(c, n, what, "a map");
    return false;
}

static void check_type(struct cfn_check *c, struct cfn_resource *r, const struct node *n) {
    struct cfn_call call;
    if (n->kind == NODE_ERROR)
        return;
    if (n->kind != NODE_SCALAR || cfn_call_get(n, &call) || n->text.len == 0) {
        refuse_shape(c, n, "the type of a resource", "text");
        return;
    }
    r->type = n->text;
    r->type_at = n->at;
}

static bool read_condition(struct cfn_check *c, const struct node *n, uint32_t *number) {
    struct cfn_call call;
    if (n->kind == NODE_ERROR)
        return false;
    if (n->kind != NODE_SCALAR || cfn_call_get_condition(n, &call)) {
        refuse_shape(c, n, "'Condition'", "the name of a condition");
        return false;
    }
    *number = cfn_check_condition_name(c, n);
    return true;
}

/* --- DependsOn (CF-035) --- */

static void check_dependency(struct cfn_check *c, const struct cfn_resource *r, const struct node *n) {
    struct cfn_call call;
    if (n->kind != NODE_SCALAR || cfn_call_get(n, &call)) {
        struct diag *d =
            cfn_check_fail(c, DIAG_cfn_depends_on, cfn_node_get_span(n), "'DependsOn' names resources, in plain text");
        cfn_hint(c->run, d, "write a name, or a list of names");
        return;
    }
    const struct cfn_resource *other = map_find(&c->t->resources_by_name, n->text);
    if ((other != NULL && other != r) || cfn_loops_may_make(c->t, n->text))
        return;
    struct hint h = HINT(n->text);
    for (size_t i = 0; i < c->t->resources.len; i++)
        hint_offer(&h, c->t->resources.items[i]->e.name);
    struct diag *d = other == r && other != NULL
                         ? cfn_check_fail(c, DIAG_cfn_depends_on, n->at, "'%.*s' depends on itself", SV_ARG(n->text))
                         : cfn_check_fail(c, DIAG_cfn_depends_on, n->at, "there is no resource '%.*s'",
                                          SV_ARG(sv_slice(n->text, 0, 80)));
    if (h.best.len > 0 && other != r)
        cfn_hint(c->run, d, "did you mean '%.*s'?", SV_ARG(h.best));
    else
        cfn_hint(c->run, d, "name another resource of this template");
}

static void check_depends_on(struct cfn_check *c, struct cfn_resource *r, const struct node *n) {
    r->depends_on = n;
    if (n->kind == NODE_ERROR)
        return;
    if (n->kind != NODE_SEQUENCE) {
        check_dependency(c, r, n);
        return;
    }
    for (uint32_t i = 0; i < n->count; i++)
        check_dependency(c, r, n->items[i]);
}

/* --- policies (CF-036) --- */

bool cfn_policy_is_good(bool is_deletion, sv text) {
    static const char *const policies[] = {"Delete", "Retain", "Snapshot", "RetainExceptOnCreate"};
    enum { BOTH = 3, DELETION = 4 };
    for (size_t i = 0; i < (is_deletion ? DELETION : BOTH); i++) {
        if (sv_eq_cstr(text, policies[i]))
            return true;
    }
    return false;
}

void cfn_policy_check(struct cfn_run *run, const struct node *made, const struct node *written, bool is_deletion) {
    struct cfn_call call;
    if (made == NULL || cfn_call_get(made, &call) ||
        (made->kind == NODE_SCALAR && cfn_policy_is_good(is_deletion, made->text)))
        return;
    struct diag *d = cfn_report(run, DIAG_cfn_policy, cfn_node_get_span(written), "there is no such policy");
    cfn_hint(run, d,
             is_deletion ? "it has to give Delete, Retain, RetainExceptOnCreate or Snapshot"
                         : "it has to give Delete, Retain or Snapshot");
}

static bool is_policy_reference(const struct node *n) {
    struct cfn_call call;
    if (!cfn_call_get(n, &call) || call.function != CFN_REF || call.argument->kind != NODE_SCALAR)
        return true;
    sv name = call.argument->text;
    return !sv_has_prefix(name, SV("AWS::")) || sv_eq_cstr(name, "AWS::AccountId") ||
           sv_eq_cstr(name, "AWS::Partition") || sv_eq_cstr(name, "AWS::Region");
}

static void check_policy(struct cfn_check *c, const struct node *n, bool is_deletion) {
    struct cfn_call call;
    if (n->kind == NODE_ERROR || (cfn_call_get(n, &call) && (is_policy_reference(n) || !c->t->has_extensions)))
        return;
    if (n->kind == NODE_SCALAR && !cfn_call_get(n, &call) && cfn_policy_is_good(is_deletion, n->text))
        return;
    struct diag *d = cfn_check_fail(c, DIAG_cfn_policy, cfn_node_get_span(n), "there is no such policy");
    cfn_hint(c->run, d,
             is_deletion ? "write Delete, Retain, RetainExceptOnCreate or Snapshot"
                         : "write Delete, Retain or Snapshot");
}

/* --- all attributes --- */

static void take_part(struct cfn_check *c, struct cfn_resource *r, enum cfn_attribute a, const struct node *n,
                      enum cfn_argument argument) {
    r->attributes[a] = n;
    r->parts[a] = cfn_check_data(c, n, argument);
}

static void check_text_attribute(struct cfn_check *c, const struct node *n, const char *what) {
    struct cfn_call call;
    if (n->kind != NODE_ERROR && (n->kind != NODE_SCALAR || cfn_call_get(n, &call)))
        refuse_shape(c, n, what, "plain text");
}

static void check_attribute(struct cfn_check *c, struct cfn_resource *r, int which, const struct node *n) {
    switch (which) {
    case AT_TYPE:
        break; /* read before all others */
    case AT_PROPERTIES:
        if (check_map(c, n, "'Properties'"))
            take_part(c, r, CFN_PROPERTIES, n, CFN_ARG_ANY);
        break;
    case AT_CONDITION:
        read_condition(c, n, &r->condition);
        break;
    case AT_DEPENDS_ON:
        check_depends_on(c, r, n);
        break;
    case AT_METADATA:
        take_part(c, r, CFN_METADATA, n, CFN_ARG_ANY);
        break;
    case AT_CREATION_POLICY:
        take_part(c, r, CFN_CREATION_POLICY, n, CFN_ARG_ANY);
        break;
    case AT_UPDATE_POLICY:
        take_part(c, r, CFN_UPDATE_POLICY, n, CFN_ARG_ANY);
        break;
    case AT_DELETION_POLICY:
    case AT_UPDATE_REPLACE_POLICY:
        check_policy(c, n, which == AT_DELETION_POLICY);
        take_part(c, r, which == AT_DELETION_POLICY ? CFN_DELETION_POLICY : CFN_UPDATE_REPLACE_POLICY, n,
                  CFN_ARG_POLICY);
        break;
    case AT_VERSION:
    case AT_DESCRIPTION:
        check_text_attribute(c, n, which == AT_VERSION ? "'Version'" : "the description of a resource");
        break;
    default:
        cfn_check_plain(c, n);
    }
}

static void read_type(struct cfn_check *c, struct cfn_resource *r) {
    const struct node *type = node_find(r->e.node, SV("Type"));
    if (type != NULL) {
        check_type(c, r, type);
        return;
    }
    struct diag *d =
        cfn_check_fail(c, DIAG_cfn_shape, r->e.key->at, "the resource '%.*s' has no type", SV_ARG(r->e.name));
    cfn_hint(c->run, d, "add 'Type: AWS::…'");
}

static bool is_map(struct cfn_check *c, const struct node *n, const char *what) {
    struct cfn_call call;
    if (n->kind == NODE_ERROR)
        return false;
    if (n->kind == NODE_MAPPING && !cfn_call_get(n, &call))
        return true;
    refuse_shape(c, n, what, "a map");
    return false;
}

/* Types are needed by references from anywhere, so they are read first. */
void cfn_check_types(struct cfn_check *c) {
    for (size_t i = 0; i < c->t->resources.len; i++) {
        struct cfn_resource *r = c->t->resources.items[i];
        if (is_map(c, r->e.node, "a resource"))
            read_type(c, r);
    }
}

void cfn_check_resource(struct cfn_check *c, struct cfn_resource *r) {
    const struct node *n = r->e.node;
    if (n->kind != NODE_MAPPING)
        return;
    c->resource = r;
    for (uint32_t i = 0; i < n->count; i++) {
        const struct node *key = n->pairs[i].key;
        int which = 0, count = c->t->is_sam ? AT_COUNT : AT_CONNECTORS;
        while (which < count && !sv_eq_cstr(key->text, attribute_names[which]))
            which++;
        if (which < count)
            check_attribute(c, r, which, n->pairs[i].value);
        else if (cfn_function_find(key->text) != CFN_TRANSFORM)
            refuse_attribute(c, key);
    }
    c->resource = NULL;
}

/* --- outputs --- */

static void check_output_text(struct cfn_check *c, const struct node *n, const char *what) {
    struct cfn_call call;
    if (n->kind != NODE_ERROR && (n->kind == NODE_SCALAR || cfn_call_get(n, &call)))
        return;
    if (n->kind == NODE_ERROR)
        return;
    struct diag *d = cfn_check_fail(c, DIAG_cfn_output, n->at, "%s is text, not %s", what, node_get_kind_name(n));
    cfn_hint(c->run, d, "join the list to text, or name one value of the map");
}

static void check_export(struct cfn_check *c, struct cfn_output *o, const struct node *n) {
    if (!is_map(c, n, "'Export'"))
        return;
    const struct node *name = NULL;
    for (uint32_t i = 0; i < n->count; i++) {
        if (sv_eq_cstr(n->pairs[i].key->text, "Name")) {
            name = n->pairs[i].value;
            continue;
        }
        struct diag *d = cfn_check_fail(c, DIAG_cfn_shape, n->pairs[i].key->at, "'Export' has 'Name' only");
        cfn_hint(c->run, d, "remove the entry");
    }
    if (name == NULL) {
        struct diag *d = cfn_check_fail(c, DIAG_cfn_output, n->at, "'Export' needs a 'Name'");
        cfn_hint(c->run, d, "add it");
        return;
    }
    check_output_text(c, name, "the name of an export");
    c->no_resources = true;
    o->export_name = name;
    o->export_part = cfn_check_data(c, name, CFN_ARG_IMPORT_NAME);
    c->no_resources = false;
}

static void check_output_entry(struct cfn_check *c, struct cfn_output *o, const struct node *key,
                               const struct node *n) {
    if (sv_eq_cstr(key->text, "Value")) {
        check_output_text(c, n, "the value of an output");
        o->value = n;
        o->value_part = cfn_check_data(c, n, CFN_ARG_ANY);
    } else if (sv_eq_cstr(key->text, "Export")) {
        check_export(c, o, n);
    } else if (sv_eq_cstr(key->text, "Condition")) {
        read_condition(c, n, &o->condition);
    } else if (sv_eq_cstr(key->text, "Description")) {
        check_text_attribute(c, n, "the description of an output");
    } else {
        struct diag *d =
            cfn_check_fail(c, DIAG_cfn_shape, key->at, "an output has no '%.*s'", SV_ARG(sv_slice(key->text, 0, 80)));
        cfn_hint(c->run, d, "it has Value, Description, Export and Condition");
    }
}

void cfn_check_output(struct cfn_check *c, struct cfn_output *o) {
    const struct node *n = o->e.node;
    if (!is_map(c, n, "an output"))
        return;
    for (uint32_t i = 0; i < n->count; i++)
        check_output_entry(c, o, n->pairs[i].key, n->pairs[i].value);
    if (node_find(n, SV("Value")) != NULL)
        return;
    struct diag *d =
        cfn_check_fail(c, DIAG_cfn_output, o->e.key->at, "the output '%.*s' has no value", SV_ARG(o->e.name));
    cfn_hint(c->run, d, "add 'Value'");
}
