/* Symbol files (CF-221). */
#include "dialects/cfn/inputs.h"

#include "value/convert.h"
#include "value/path.h"

struct reading {
    struct cfn_inputs *in;
    struct source *source;
    const struct node *root;
    struct cfn_memory *memory;
    struct map places; /* keys of the section being read → their nodes */
    bool is_bad;
};

static bool fail(struct reading *r, const struct node *at, const char *what, sv name) {
    span place = at != NULL ? at->at : r->root->at;
    diags_add(r->in->diags, DIAG_cfn_symbol_file, place, "'%.*s' %s", SV_ARG(name), what);
    r->is_bad = true;
    return false;
}

static const struct node *follow(const struct node *n) {
    while (n != NULL && n->kind == NODE_ALIAS) {
        n = n->props != NULL ? n->props->target : NULL;
    }
    return n;
}

/* The nodes of a mapping's values; what a merge key brings in is not among them. */
static void open_places(struct reading *r, const struct node *section) {
    const struct node *n = follow(section);
    r->places = MAP(r->in->arena);
    for (size_t i = 0; n != NULL && n->kind == NODE_MAPPING && i < n->count; i++) {
        if (n->pairs[i].key->kind == NODE_SCALAR) {
            map_put(&r->places, n->pairs[i].key->text, n->pairs[i].value);
        }
    }
}

static const struct node *find_place(const struct reading *r, sv name, const struct node *section) {
    const struct node *n = map_find(&r->places, name);
    return n != NULL ? n : section;
}

static bool is_list_of_scalars(value v) {
    if (v.kind != VALUE_LIST) {
        return false;
    }
    for (size_t i = 0; i < v.list->len; i++) {
        if (!value_is_scalar(v.list->items[i])) {
            return false;
        }
    }
    return true;
}

/* What an entry may be. */
typedef bool (*entry_check)(value v);
static bool is_scalar_or_list(value v) {
    return value_is_scalar(v) || is_list_of_scalars(v);
}
static bool is_map(value v) {
    return v.kind == VALUE_MAP;
}
static bool is_resource(value v) {
    return is_map(v) || is_scalar_or_list(v);
}
static bool is_text(value v) {
    return v.kind == VALUE_STRING;
}
static bool is_secret(value v) {
    return value_is_scalar(v) || is_map(v);
}

static const struct section_def {
    sv key;
    enum cfn_symbol_section section;
    entry_check check;
    const char *wanted;
} section_defs[] = {
    {SV_INIT("Includes"), CFN_SYMBOLS_INCLUDES, is_text, "is a path, as text"},
    {SV_INIT("ParameterAttributes"), CFN_SYMBOLS_PARAMETER_ATTRIBUTES, is_map, "is a mapping of attributes"},
    {SV_INIT("Parameters"), CFN_SYMBOLS_PARAMETERS, is_scalar_or_list, "is a scalar or a list of scalars"},
    {SV_INIT("PseudoParameters"), CFN_SYMBOLS_PARAMETERS, is_scalar_or_list, "is a scalar or a list of scalars"},
    {SV_INIT("Resources"), CFN_SYMBOLS_RESOURCES, is_resource, "is a mapping of attributes, or the value of Ref"},
    {SV_INIT("SSM"), CFN_SYMBOLS_SSM, is_scalar_or_list, "is a scalar or a list of scalars"},
    {SV_INIT("SSMSecure"), CFN_SYMBOLS_SSM_SECURE, is_scalar_or_list, "is a scalar or a list of scalars"},
    {SV_INIT("Secrets"), CFN_SYMBOLS_SECRETS, is_secret, "is text or a mapping"},
    {SV_INIT("Types"), CFN_SYMBOLS_TYPES, is_map, "is a mapping of attributes"},
    {SV_INIT("Zones"), CFN_SYMBOLS_ZONES, is_list_of_scalars, "is a list of zones"},
};

/* A parameter's text is what is written: `012` stays so. */
static void read_parameters(struct reading *r, value section, const struct node *at) {
    struct map_builder b = {.arena = r->in->arena};
    value *kept = &r->memory->sections[CFN_SYMBOLS_PARAMETERS];
    for (size_t i = 0; value_is_set(*kept) && i < kept->map->len; i++) {
        map_set(&b, kept->map->entries[i].key, kept->map->entries[i].item);
    }
    for (size_t i = 0; i < section.map->len; i++) {
        const struct value_entry *e = &section.map->entries[i];
        const struct node *n = map_find(&r->places, e->key);
        value item = n == NULL ? e->item : cfn_file_get_parameter(r->in, n);
        map_set(&b, e->key, value_mark(item, (e->item.within | section.marks) & MARK_SENSITIVE));
        span *place = ARENA_NEW(r->in->arena, span);
        *place = n != NULL ? n->at : at->at;
        map_put(&r->memory->spans, e->key, place);
    }
    *kept = map_done(&b);
}

static const sv pseudo_names[] = {
    SV_INIT("AWS::AccountId"), SV_INIT("AWS::NotificationARNs"), SV_INIT("AWS::Partition"), SV_INIT("AWS::Region"),
    SV_INIT("AWS::StackId"),   SV_INIT("AWS::StackName"),        SV_INIT("AWS::URLSuffix")};

static bool check_pseudo_name(struct reading *r, sv name, const struct node *at) {
    for (size_t i = 0; i < sizeof(pseudo_names) / sizeof(pseudo_names[0]); i++) {
        if (sv_eq(name, pseudo_names[i])) {
            return true;
        }
    }
    return fail(r, at, "is no pseudo parameter that can be given", name);
}

static void read_entries(struct reading *r, const struct section_def *def, value section, const struct node *at) {
    bool is_pseudo = sv_eq(def->key, SV("PseudoParameters"));
    for (size_t i = 0; i < section.map->len; i++) {
        const struct value_entry *e = &section.map->entries[i];
        if (e->item.kind == VALUE_NULL) {
            fail(r, find_place(r, e->key, at), "is null, which is no value; '' is the empty text", e->key);
        } else if (!def->check(e->item)) {
            fail(r, find_place(r, e->key, at), def->wanted, e->key);
        }
        if (is_pseudo || (def->section == CFN_SYMBOLS_PARAMETERS && sv_has_prefix(e->key, SV("AWS::")))) {
            check_pseudo_name(r, e->key, find_place(r, e->key, at));
        }
    }
    if (def->section == CFN_SYMBOLS_PARAMETERS) {
        read_parameters(r, section, at);
    } else {
        r->memory->sections[def->section] = section;
    }
}

/* --- exports and outputs of other stacks --- */

static sv get_member(value entry, const char *name) {
    value v = value_map_find(entry, sv_from_cstr(name));
    return v.kind == VALUE_STRING ? value_get_text(v) : (sv){0};
}

/* A number that YAML made of an account is its text again. */
static sv get_account(struct reading *r, value entry) {
    value v = value_map_find(entry, SV("Account"));
    if (v.kind == VALUE_INT && v.integer >= 0) {
        return arena_printf(r->in->arena, "%012lld", (long long)v.integer);
    }
    return get_member(entry, "Account");
}

static void read_foreign_entry(struct reading *r, value entry, bool is_output, const struct node *at) {
    sv section = is_output ? SV("StackOutputs") : SV("Exports");
    if (entry.kind != VALUE_MAP) {
        fail(r, at, "has an entry that is no mapping", section);
        return;
    }
    for (size_t i = 0; i < entry.map->len; i++) {
        sv key = entry.map->entries[i].key;
        bool known = sv_eq(key, SV("Value")) || sv_eq(key, SV("Region")) || sv_eq(key, SV("Account")) ||
                     (is_output ? sv_eq(key, SV("Stack")) || sv_eq(key, SV("Output")) : sv_eq(key, SV("Name")));
        if (!known) {
            fail(r, at, "is no key of such an entry", key);
        }
    }
    struct cfn_foreign f = {.stack = is_output ? get_member(entry, "Stack") : SV(""),
                            .name = get_member(entry, is_output ? "Output" : "Name"),
                            .region = get_member(entry, "Region"),
                            .account = get_account(r, entry),
                            .item = value_map_find(entry, SV("Value"))};
    if (f.name.len == 0 || (is_output && f.stack.len == 0) || !value_is_scalar(f.item)) {
        fail(r, at, is_output ? "has an entry without Stack, Output or Value" : "has an entry without Name or Value",
             section);
        return;
    }
    cfn_memory_put_foreign(r->memory, &f);
}

static void read_foreign_map(struct reading *r, value map, sv stack, const struct node *at) {
    for (size_t i = 0; i < map.map->len; i++) {
        struct cfn_foreign f = {.stack = stack, .name = map.map->entries[i].key, .item = map.map->entries[i].item};
        if (value_is_scalar(f.item)) {
            cfn_memory_put_foreign(r->memory, &f);
        } else {
            fail(r, find_place(r, f.name, at), "is text", f.name);
        }
    }
}

static void read_foreign(struct reading *r, value section, bool is_output, const struct node *at) {
    if (section.kind == VALUE_LIST) {
        for (size_t i = 0; i < section.list->len; i++) {
            const struct node *place = at != NULL && at->kind == NODE_SEQUENCE && i < at->count ? at->items[i] : at;
            read_foreign_entry(r, section.list->items[i], is_output, place);
        }
    } else if (section.kind != VALUE_MAP) {
        fail(r, at, "is a mapping or a list", is_output ? SV("StackOutputs") : SV("Exports"));
    } else if (!is_output) {
        read_foreign_map(r, section, SV(""), at);
    } else {
        for (size_t i = 0; i < section.map->len; i++) {
            const struct value_entry *e = &section.map->entries[i];
            if (e->item.kind == VALUE_MAP) {
                read_foreign_map(r, e->item, e->key, find_place(r, e->key, at));
            } else {
                fail(r, find_place(r, e->key, at), "is a mapping of outputs", e->key);
            }
        }
    }
}

/* --- the file --- */

/* Values that `Sensitive` names are marked. */
static value mark_sensitive(struct reading *r, value root) {
    value list = value_map_find(root, SV("Sensitive"));
    const struct node *at = follow(node_find(r->root, SV("Sensitive")));
    at = at != NULL ? at : r->root;
    if (!value_is_set(list)) {
        return root;
    }
    if (list.kind != VALUE_LIST) {
        fail(r, at, "is a list of paths", SV("Sensitive"));
        return root;
    }
    for (size_t i = 0; i < list.list->len; i++) {
        struct path path = {0};
        value text = list.list->items[i];
        sv written = text.kind == VALUE_STRING ? value_get_text(text) : SV("");
        value item = {0};
        if (written.len > 0 && path_parse(r->in->arena, written, &path)) {
            item = value_find_path(root, path);
        }
        if (!value_is_set(item)) {
            const struct node *place = at->kind == NODE_SEQUENCE && i < at->count ? at->items[i] : at;
            fail(r, place, "is no path of a value in this file", written);
            continue;
        }
        root = value_with_path(r->in->arena, root, path, value_mark(item, MARK_SENSITIVE));
    }
    return root;
}

static void read_section(struct reading *r, sv key, value section) {
    const struct node *at = follow(node_find(r->root, key));
    at = at != NULL ? at : r->root;
    open_places(r, at);
    if (sv_eq(key, SV("Exports")) || sv_eq(key, SV("StackOutputs"))) {
        read_foreign(r, section, sv_eq(key, SV("StackOutputs")), at);
        return;
    }
    for (size_t i = 0; i < sizeof(section_defs) / sizeof(section_defs[0]); i++) {
        if (!sv_eq(key, section_defs[i].key)) {
            continue;
        }
        if (section.kind == VALUE_MAP) {
            read_entries(r, &section_defs[i], section, at);
        } else {
            fail(r, at, "is a mapping", key);
        }
        return;
    }
    if (!sv_eq(key, SV("Sensitive"))) {
        fail(r, at, "is no key of a symbol file", key);
    }
}

struct cfn_memory *cfn_symbol_file_read(struct cfn_inputs *in, struct source *source) {
    struct reading r = {.in = in, .source = source, .root = cfn_file_read(in, source)};
    if (r.root == NULL) {
        return NULL;
    }
    r.memory = cfn_memory_new(in->arena);
    if (r.root->style == NODE_EMPTY) {
        return r.memory;
    }
    value root = value_from_node(in->arena, r.root, scalar_resolve_core, &limits_default, in->diags);
    if (root.kind != VALUE_MAP || (root.within & WITHIN_ERROR) != 0) {
        if (root.kind != VALUE_MAP && !value_is_error(root)) {
            diags_add(in->diags, DIAG_cfn_symbol_file, r.root->at, "a symbol file is a mapping");
        }
        return NULL;
    }
    root = mark_sensitive(&r, root);
    for (size_t i = 0; i < root.map->len; i++) {
        read_section(&r, root.map->entries[i].key, root.map->entries[i].item);
    }
    return r.is_bad ? NULL : r.memory;
}
