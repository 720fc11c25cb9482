/* Declarations read from YAML. Every mapping has a table of the keys it may have; what a key does stands in its reader.
 * Nothing recurses but schemas, which bound themselves. */
#include "model/declarations.h"

#include "base/hint.h"
#include "model/schema_walk.h"
#include "value/convert.h"

#include <assert.h>
#include <stdlib.h>

struct reader {
    struct arena *arena;
    struct diags *diags;
    bool failed;
    VEC(const struct resource_type *) resources;
    VEC(const struct data_type *) data;
    VEC(const struct link_type *) links;
    VEC(const struct variable_type *) variable_types;
    VEC(const struct fn_def *) functions;
};

/* A key that a mapping may have. */
struct key {
    const char *name;
    void (*read)(struct reader *r, void *target, const struct node *n);
};
struct form {
    const char *what; /* "a resource type" */
    const struct key *keys;
    size_t count;
};
#define FORM(what, keys) \
    { (what), (keys), sizeof(keys) / sizeof *(keys) }

static void fail(struct reader *r, span at, const char *message) {
    r->failed = true;
    diags_add(r->diags, DIAG_invalid_value, at, "%s", message);
}

static struct diag *fail_name(struct reader *r, span at, const char *message, sv name) {
    r->failed = true;
    sv text = arena_copy_sv(r->diags->arena, sv_slice(name, 0, 80));
    return diags_add(r->diags, DIAG_invalid_value, at, "%s '%.*s'", message, SV_ARG(text));
}

static void hint_close(struct reader *r, struct diag *d, const struct hint *h) {
    if (h->best.len > 0) {
        sv best = arena_copy_sv(r->diags->arena, h->best);
        diag_set_hint(r->diags, d, "did you mean '%.*s'?", SV_ARG(best));
    }
}

/* A usable key: a scalar that does not stand there twice. The reader has reported the rest. */
static bool check_key(struct reader *r, const struct node *key) {
    bool ok = key->kind == NODE_SCALAR && (key->flags & NODE_DUPLICATE) == 0;
    r->failed = r->failed || !ok;
    if (key->kind != NODE_SCALAR && key->kind != NODE_ERROR) {
        fail(r, key->at, "a key must be a name");
    }
    return ok;
}

static bool check_mapping(struct reader *r, const struct node *n, const char *what) {
    if (n->kind == NODE_MAPPING) {
        return true;
    }
    r->failed = true;
    if (n->kind != NODE_ERROR) {
        diags_add(r->diags, DIAG_invalid_value, n->at, "%s must be a mapping, this is %s", what, node_get_kind_name(n));
    }
    return false;
}

static bool check_sequence(struct reader *r, const struct node *n, const char *what) {
    if (n->kind == NODE_SEQUENCE) {
        return true;
    }
    r->failed = true;
    if (n->kind != NODE_ERROR) {
        diags_add(r->diags, DIAG_invalid_value, n->at, "%s must be an array, this is %s", what, node_get_kind_name(n));
    }
    return false;
}

static const struct key *find_key(const struct form *form, sv name) {
    for (size_t i = 0; i < form->count; i++) {
        if (sv_eq_cstr(name, form->keys[i].name)) {
            return &form->keys[i];
        }
    }
    return NULL;
}

static void fail_key(struct reader *r, const struct form *form, const struct node *key) {
    struct hint h = HINT(key->text);
    assert(form->keys != NULL);
    for (size_t i = 0; i < form->count; i++) {
        hint_offer(&h, sv_from_cstr(form->keys[i].name));
    }
    sv name = arena_copy_sv(r->diags->arena, sv_slice(key->text, 0, 80));
    r->failed = true;
    struct diag *d = diags_add(r->diags, DIAG_invalid_value, key->at, "%s has no key '%.*s'", form->what, SV_ARG(name));
    hint_close(r, d, &h);
}

static bool is_null(const struct node *n) {
    return n->kind == NODE_SCALAR && scalar_resolve_node(n, scalar_resolve_core).kind == SCALAR_NULL;
}

static void read_form(struct reader *r, const struct form *form, void *target, const struct node *n) {
    if (!check_mapping(r, n, form->what)) {
        return;
    }
    for (size_t i = 0; i < n->count; i++) {
        const struct node_pair *pair = &n->pairs[i];
        if (!check_key(r, pair->key)) {
            continue;
        }
        const struct key *key = find_key(form, pair->key->text);
        if (key == NULL) {
            fail_key(r, form, pair->key);
        } else if (!is_null(pair->value)) {
            key->read(r, target, pair->value);
        }
    }
}

/* --- Scalars and lists --- */

static struct scalar get_scalar(const struct node *n) {
    return n->kind == NODE_SCALAR ? scalar_resolve_node(n, scalar_resolve_core) : (struct scalar){0};
}

static sv read_text(struct reader *r, const struct node *n) {
    struct scalar s = get_scalar(n);
    if (s.kind != SCALAR_STRING || sv_find_char(s.text, 0) != SIZE_MAX) {
        fail(r, n->at, "a string is wanted here");
        return (sv){0};
    }
    return arena_copy_sv(r->arena, s.text);
}

static bool read_bool(struct reader *r, const struct node *n) {
    struct scalar s = get_scalar(n);
    if (s.kind != SCALAR_BOOL) {
        fail(r, n->at, "true or false is wanted here");
    }
    return s.kind == SCALAR_BOOL && s.boolean;
}

struct names {
    sv *items;
    size_t count;
};

static struct names read_names(struct reader *r, const struct node *n) {
    struct names names = {0};
    if (!check_sequence(r, n, "a list of names")) {
        return names;
    }
    names.items = ARENA_ARRAY(r->arena, sv, (size_t)n->count + 1);
    for (size_t i = 0; i < n->count; i++) {
        names.items[names.count++] = read_text(r, n->items[i]);
    }
    return names;
}

static const char *read_json_list(struct reader *r, const struct node *n) {
    if (!check_sequence(r, n, "a list of values")) {
        return NULL;
    }
    value v = value_from_node(r->arena, n, scalar_resolve_core, &limits_default, r->diags);
    if (v.kind != VALUE_LIST || (v.within & WITHIN_ERROR) != 0) {
        r->failed = true;
        return NULL;
    }
    return value_print_json(r->arena, v, 0, REVEAL).data;
}

/* `{provider}/…`, segments of [A-Za-z0-9_-]+ (BP-130). */
static bool is_type_name(sv text, size_t max_segments) {
    size_t segments = sv_has_suffix(text, SV("/")) ? max_segments : 0;
    while (text.len > 0) {
        sv segment = sv_cut(&text, '/');
        for (size_t i = 0; i < segment.len; i++) {
            char c = segment.data[i];
            bool ok =
                (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '-';
            if (!ok) {
                return false;
            }
        }
        if (segment.len == 0) {
            return false;
        }
        segments++;
    }
    return segments >= 2 && segments <= max_segments;
}

static bool check_type_name(struct reader *r, const struct node *key, size_t max_segments) {
    bool ok = is_type_name(key->text, max_segments);
    if (!ok) {
        fail_name(r, key->at, "types are named as in 'provider/type', not", key->text);
    }
    return ok;
}

/* --- Resources --- */

enum { TYPE_SEGMENTS = 3, DATA_SEGMENTS = 8 };

static const struct schema *read_root_schema(struct reader *r, const struct node *n) {
    const struct schema *s = schema_from_node(r->arena, n, r->diags);
    if (s == NULL) {
        r->failed = true;
    } else if (s->type != SCHEMA_OBJECT) {
        fail(r, n->at, "the schema of a type must be of type 'object'");
    }
    return s;
}

static void resource_description(struct reader *r, void *target, const struct node *n) {
    ((struct resource_type *)target)->summary = read_text(r, n);
}

static void resource_id_field(struct reader *r, void *target, const struct node *n) {
    ((struct resource_type *)target)->id_field = read_text(r, n);
}

static void resource_destroy_first(struct reader *r, void *target, const struct node *n) {
    ((struct resource_type *)target)->destroy_before_create = read_bool(r, n);
}

static void resource_stabilised(struct reader *r, void *target, const struct node *n) {
    struct resource_type *type = target;
    struct names names = read_names(r, n);
    type->stabilised_dependencies = names.items;
    type->stabilised_count = names.count;
}

static void resource_links_to(struct reader *r, void *target, const struct node *n) {
    struct resource_type *type = target;
    struct names names = read_names(r, n);
    type->links_to = names.items;
    type->links_to_count = names.count;
}

static void resource_end_point(struct reader *r, void *target, const struct node *n) {
    ((struct resource_type *)target)->end_point = read_bool(r, n);
}

static void resource_schema(struct reader *r, void *target, const struct node *n) {
    ((struct resource_type *)target)->schema = read_root_schema(r, n);
}

/* sorted */
static const struct key resource_keys[] = {
    {"description", resource_description},
    {"destroyBeforeCreate", resource_destroy_first},
    {"endPoint", resource_end_point},
    {"idField", resource_id_field},
    {"linksTo", resource_links_to},
    {"schema", resource_schema},
    {"stabilisedDependencies", resource_stabilised},
};
static const struct form resource_form = FORM("a resource type", resource_keys);

static void read_resource(struct reader *r, const struct node *key, const struct node *n) {
    struct resource_type *type = ARENA_NEW(r->arena, struct resource_type);
    type->name = arena_copy_sv(r->arena, key->text);
    check_type_name(r, key, TYPE_SEGMENTS);
    read_form(r, &resource_form, type, n);
    struct path path;
    bool has_id = type->id_field.len > 0 && type->schema != NULL;
    if (has_id && (!path_parse(r->arena, type->id_field, &path) || schema_find_path(type->schema, path) == NULL)) {
        fail_name(r, key->at, "the schema has no id field", type->id_field);
    }
    VEC_PUSH(r->arena, &r->resources, type);
}

/* --- Data sources --- */

static void data_description(struct reader *r, void *target, const struct node *n) {
    ((struct data_type *)target)->summary = read_text(r, n);
}

static void data_schema(struct reader *r, void *target, const struct node *n) {
    ((struct data_type *)target)->schema = read_root_schema(r, n);
}

static void fail_operator(struct reader *r, const struct node *n, sv text) {
    struct hint h = HINT(text);
    for (enum filter_operator op = FILTER_EQUALS; op <= FILTER_LESS_EQUAL; op++) {
        hint_offer(&h, filter_get_text((enum filter_operator)op));
    }
    hint_close(r, fail_name(r, n->at, "there is no filter operator", text), &h);
}

static uint32_t read_operators(struct reader *r, const struct node *n) {
    uint32_t bits = 0;
    if (!check_sequence(r, n, "the list of a field's operators")) {
        return 0;
    }
    for (size_t i = 0; i < n->count; i++) {
        sv text = n->items[i]->kind == NODE_SCALAR ? n->items[i]->text : (sv){0};
        enum filter_operator op = filter_find_operator(text);
        if (op == 0) {
            fail_operator(r, n->items[i], text);
        } else {
            bits |= 1u << op;
        }
    }
    if (n->count == 0) {
        fail(r, n->at, "a field that can be filtered needs an operator");
    }
    return bits;
}

static void data_filter_fields(struct reader *r, void *target, const struct node *n) {
    struct data_type *type = target;
    if (!check_mapping(r, n, "'filterFields'")) {
        return;
    }
    struct data_filter_field *fields = ARENA_ARRAY(r->arena, struct data_filter_field, (size_t)n->count + 1);
    for (size_t i = 0; i < n->count; i++) {
        const struct node *key = n->pairs[i].key;
        struct path path;
        if (!check_key(r, key)) {
            continue;
        }
        sv name = arena_copy_sv(r->arena, key->text);
        if (!filter_parse_path(r->arena, name, &path)) {
            fail_name(r, key->at, "this is no path of a field:", name);
        }
        fields[type->filter_field_count++] = (struct data_filter_field){
            .field = name, .operators = is_null(n->pairs[i].value) ? 0 : read_operators(r, n->pairs[i].value)};
    }
    type->filter_fields = fields;
}

static void data_exclusive(struct reader *r, void *target, const struct node *n) {
    struct data_type *type = target;
    if (!check_sequence(r, n, "'exclusive'")) {
        return;
    }
    const sv **sets = ARENA_ARRAY(r->arena, const sv *, (size_t)n->count + 1);
    for (size_t i = 0; i < n->count; i++) {
        struct names names = read_names(r, n->items[i]);
        if (names.count < 2) {
            fail(r, n->items[i]->at, "fields that exclude each other are at least two");
            continue;
        }
        sets[type->exclusive_count++] = names.items; /* ended by the empty text behind them */
    }
    type->exclusive = sets;
}

/* sorted */
static const struct key data_keys[] = {
    {"description", data_description},
    {"exclusive", data_exclusive},
    {"filterFields", data_filter_fields},
    {"schema", data_schema},
};
static const struct form data_form = FORM("a data source type", data_keys);

/* Without 'filterFields' every field can be filtered. */
static void fill_filter_fields(struct reader *r, struct data_type *type) {
    if (type->filter_fields != NULL || type->schema == NULL) {
        return;
    }
    size_t count = type->schema->attribute_count;
    struct data_filter_field *fields = ARENA_ARRAY(r->arena, struct data_filter_field, count + 1);
    for (size_t i = 0; i < count; i++) {
        fields[i].field = type->schema->attributes[i].name;
    }
    type->filter_fields = fields;
    type->filter_field_count = count;
}

static void read_data(struct reader *r, const struct node *key, const struct node *n) {
    struct data_type *type = ARENA_NEW(r->arena, struct data_type);
    type->name = arena_copy_sv(r->arena, key->text);
    check_type_name(r, key, DATA_SEGMENTS);
    read_form(r, &data_form, type, n);
    fill_filter_fields(r, type);
    VEC_PUSH(r->arena, &r->data, type);
}

/* --- Links --- */

static void link_description(struct reader *r, void *target, const struct node *n) {
    ((struct link_type *)target)->summary = read_text(r, n);
}

static void link_kind(struct reader *r, void *target, const struct node *n) {
    sv text = n->kind == NODE_SCALAR ? n->text : (sv){0};
    ((struct link_type *)target)->hard = sv_eq(text, SV("hard"));
    if (!sv_eq(text, SV("hard")) && !sv_eq(text, SV("soft"))) {
        fail(r, n->at, "a link is of kind 'hard' or 'soft'");
    }
}

static enum link_side read_side(struct reader *r, const struct node *n, bool both) {
    sv text = n->kind == NODE_SCALAR ? n->text : (sv){0};
    if (sv_eq(text, SV("a"))) {
        return LINK_SIDE_A;
    }
    if (sv_eq(text, SV("b"))) {
        return LINK_SIDE_B;
    }
    if (both && sv_eq(text, SV("both"))) {
        return LINK_SIDE_BOTH;
    }
    fail(r, n->at, both ? "a side is 'a', 'b' or 'both'" : "a side is 'a' or 'b'");
    return 0;
}

static void link_priority(struct reader *r, void *target, const struct node *n) {
    ((struct link_type *)target)->priority = read_side(r, n, false);
}

static bool read_count(const struct node *n, size_t *count) {
    struct scalar s = get_scalar(n);
    bool ok = s.kind == SCALAR_INT && s.integer >= 0 && s.integer <= INT32_MAX;
    *count = ok ? (size_t)s.integer : 0;
    return ok;
}

static void read_cardinality(struct reader *r, void *target, const struct node *n) {
    struct link_cardinality *c = target;
    bool ok = n->kind == NODE_SEQUENCE && n->count == 2 && read_count(n->items[0], &c->min) &&
              (is_null(n->items[1]) || read_count(n->items[1], &c->max)) && (c->max == 0 || c->min <= c->max);
    if (!ok) {
        fail(r, n->at, "a cardinality is [min, max], where a max of 0 stands for any number");
    }
}

static void cardinality_a(struct reader *r, void *target, const struct node *n) {
    read_cardinality(r, &((struct link_type *)target)->cardinality_a, n);
}

static void cardinality_b(struct reader *r, void *target, const struct node *n) {
    read_cardinality(r, &((struct link_type *)target)->cardinality_b, n);
}

/* sorted */
static const struct key cardinality_keys[] = {
    {"a", cardinality_a},
    {"b", cardinality_b},
};
static const struct form cardinality_form = FORM("'cardinality'", cardinality_keys);

static void link_cardinality(struct reader *r, void *target, const struct node *n) {
    read_form(r, &cardinality_form, target, n);
}

static void annotation_side(struct reader *r, void *target, const struct node *n) {
    ((struct link_annotation *)target)->side = read_side(r, n, true);
}

static void annotation_type(struct reader *r, void *target, const struct node *n) {
    struct link_annotation *annotation = target;
    annotation->type = n->kind == NODE_SCALAR ? schema_type_find(n->text) : 0;
    if (annotation->type == 0 || annotation->type > SCHEMA_BOOLEAN) {
        fail(r, n->at, "the type of an annotation is 'string', 'integer', 'float' or 'boolean'");
    }
}

static void annotation_allowed(struct reader *r, void *target, const struct node *n) {
    ((struct link_annotation *)target)->allowed_json = read_json_list(r, n);
}

static void annotation_required(struct reader *r, void *target, const struct node *n) {
    ((struct link_annotation *)target)->required = read_bool(r, n);
}

static void annotation_description(struct reader *r, void *target, const struct node *n) {
    ((struct link_annotation *)target)->text = read_text(r, n);
}

/* sorted */
static const struct key annotation_keys[] = {
    {"allowedValues", annotation_allowed},
    {"description", annotation_description},
    {"required", annotation_required},
    {"side", annotation_side},
    {"type", annotation_type},
};
static const struct form annotation_form = FORM("an annotation", annotation_keys);

static void link_annotations(struct reader *r, void *target, const struct node *n) {
    struct link_type *link = target;
    if (!check_mapping(r, n, "'annotations'")) {
        return;
    }
    struct link_annotation *items = ARENA_ARRAY(r->arena, struct link_annotation, (size_t)n->count + 1);
    for (size_t i = 0; i < n->count; i++) {
        if (!check_key(r, n->pairs[i].key)) {
            continue;
        }
        struct link_annotation *annotation = &items[link->annotation_count++];
        *annotation = (struct link_annotation){
            .key = arena_copy_sv(r->arena, n->pairs[i].key->text), .side = LINK_SIDE_A, .type = SCHEMA_STRING};
        read_form(r, &annotation_form, annotation, n->pairs[i].value);
    }
    link->annotations = items;
}

static void link_provides(struct reader *r, void *target, const struct node *n) {
    struct link_type *link = target;
    struct names names = read_names(r, n);
    link->provides = names.items;
    link->provides_count = names.count;
}

static void link_requires(struct reader *r, void *target, const struct node *n) {
    struct link_type *link = target;
    struct names names = read_names(r, n);
    link->requires = names.items;
    link->requires_count = names.count;
}

/* sorted */
static const struct key link_keys[] = {
    {"annotations", link_annotations}, {"cardinality", link_cardinality},
    {"description", link_description}, {"kind", link_kind},
    {"priority", link_priority},       {"provides", link_provides},
    {"requires", link_requires},
};
static const struct form link_form = FORM("a link type", link_keys);

static void read_link(struct reader *r, const struct node *key, const struct node *n) {
    struct link_type *link = ARENA_NEW(r->arena, struct link_type);
    sv name = arena_copy_sv(r->arena, key->text);
    size_t at = sv_find(name, SV("::"));
    link->type_a = at == SIZE_MAX ? (sv){0} : sv_slice(name, 0, at);
    link->type_b = at == SIZE_MAX ? (sv){0} : sv_slice(name, at + 2, name.len);
    if (!is_type_name(link->type_a, TYPE_SEGMENTS) || !is_type_name(link->type_b, TYPE_SEGMENTS)) {
        fail_name(r, key->at, "links are named as in 'provider/a::provider/b', not", key->text);
    }
    read_form(r, &link_form, link, n);
    if (n->kind == NODE_MAPPING && node_find(n, SV("kind")) == NULL) {
        r->failed = true;
        diags_add(r->diags, DIAG_missing_required_field, key->at, "a link type needs a 'kind'");
    }
    if (!link->hard && link->priority != 0) {
        fail(r, key->at, "only a hard link has a priority");
    }
    if (link->hard && link->priority == 0) {
        link->priority = LINK_SIDE_B; /* what is linked to exists first */
    }
    VEC_PUSH(r->arena, &r->links, link);
}

/* --- Variable types --- */

static void variable_description(struct reader *r, void *target, const struct node *n) {
    ((struct variable_type *)target)->summary = read_text(r, n);
}

static void variable_options(struct reader *r, void *target, const struct node *n) {
    struct variable_type *type = target;
    if (!check_mapping(r, n, "'options'")) {
        return;
    }
    struct variable_option *options = ARENA_ARRAY(r->arena, struct variable_option, (size_t)n->count + 1);
    for (size_t i = 0; i < n->count; i++) {
        if (!check_key(r, n->pairs[i].key)) {
            continue;
        }
        value item = value_from_node(r->arena, n->pairs[i].value, scalar_resolve_core, &limits_default, r->diags);
        if (!value_is_scalar(item)) {
            fail(r, n->pairs[i].value->at, "the value of an option must be a string, a number or a boolean");
        }
        sv label = arena_copy_sv(r->arena, n->pairs[i].key->text);
        options[type->option_count++] = (struct variable_option){label, value_copy(r->arena, item)};
    }
    type->options = options;
}

/* sorted */
static const struct key variable_keys[] = {
    {"description", variable_description},
    {"options", variable_options},
};
static const struct form variable_form = FORM("a variable type", variable_keys);

static void read_variable_type(struct reader *r, const struct node *key, const struct node *n) {
    struct variable_type *type = ARENA_NEW(r->arena, struct variable_type);
    type->name = arena_copy_sv(r->arena, key->text);
    check_type_name(r, key, TYPE_SEGMENTS);
    read_form(r, &variable_form, type, n);
    VEC_PUSH(r->arena, &r->variable_types, type);
}

/* --- Functions --- */

static const struct {
    sv text;
    const struct type *type;
} declared_types[] = {
    {SV_INIT("any"), &type_any},       {SV_INIT("array"), &type_list},    {SV_INIT("boolean"), &type_bool},
    {SV_INIT("bytes"), &type_bytes},   {SV_INIT("float"), &type_float},   {SV_INIT("function"), &type_function},
    {SV_INIT("integer"), &type_int},   {SV_INIT("number"), &type_number}, {SV_INIT("object"), &type_map},
    {SV_INIT("scalar"), &type_scalar}, {SV_INIT("string"), &type_string}, {SV_INIT("text"), &type_text},
};
enum { DECLARED_TYPE_COUNT = sizeof declared_types / sizeof declared_types[0] };

sv declared_type_get_text(const struct type *t) {
    const struct type *plain = type_find_plain(t);
    for (size_t i = 0; i < DECLARED_TYPE_COUNT; i++) {
        if (declared_types[i].type == plain) {
            return declared_types[i].text;
        }
    }
    return SV("any");
}

const struct type *declared_type_find(sv text) {
    for (size_t i = 0; i < DECLARED_TYPE_COUNT; i++) {
        if (sv_eq(declared_types[i].text, text)) {
            return declared_types[i].type;
        }
    }
    return NULL;
}

static const struct type *read_type(struct reader *r, const struct node *n) {
    sv text = n->kind == NODE_SCALAR ? n->text : (sv){0};
    const struct type *t = declared_type_find(text);
    if (t == NULL) {
        struct hint h = HINT(text);
        for (size_t i = 0; i < DECLARED_TYPE_COUNT; i++) {
            hint_offer(&h, declared_types[i].text);
        }
        hint_close(r, fail_name(r, n->at, "there is no type", text), &h);
    }
    return t;
}

static void param_name(struct reader *r, void *target, const struct node *n) {
    ((struct fn_param *)target)->name = read_text(r, n);
}

static void param_type(struct reader *r, void *target, const struct node *n) {
    ((struct fn_param *)target)->type = read_type(r, n);
}

static void param_optional(struct reader *r, void *target, const struct node *n) {
    ((struct fn_param *)target)->flags |= read_bool(r, n) ? FN_OPTIONAL : 0;
}

static void param_variadic(struct reader *r, void *target, const struct node *n) {
    ((struct fn_param *)target)->flags |= read_bool(r, n) ? FN_VARIADIC : 0;
}

static void param_description(struct reader *r, void *target, const struct node *n) {
    ((struct fn_param *)target)->text = read_text(r, n);
}

/* sorted */
static const struct key param_keys[] = {
    {"description", param_description}, {"name", param_name}, {"optional", param_optional}, {"type", param_type},
    {"variadic", param_variadic},
};
static const struct form param_form = FORM("a parameter", param_keys);

/* Required ones first, a variadic one last. */
static void check_params(struct reader *r, const struct fn_param *params, size_t count, span at) {
    for (size_t i = 0; i + 1 < count; i++) {
        if ((params[i].flags & FN_VARIADIC) != 0) {
            fail(r, at, "only the last parameter can be variadic");
        }
        if ((params[i].flags & FN_OPTIONAL) != 0 && (params[i + 1].flags & FN_OPTIONAL) == 0) {
            fail(r, at, "behind an optional parameter all are optional");
        }
    }
}

static void function_parameters(struct reader *r, void *target, const struct node *n) {
    struct fn_def *f = target;
    if (!check_sequence(r, n, "'parameters'")) {
        return;
    }
    struct fn_param *params = ARENA_ARRAY(r->arena, struct fn_param, (size_t)n->count + 1);
    for (size_t i = 0; i < n->count; i++) {
        params[i].type = &type_any;
        read_form(r, &param_form, &params[i], n->items[i]);
        if (params[i].name.len == 0) {
            r->failed = true;
            diags_add(r->diags, DIAG_missing_required_field, n->items[i]->at, "a parameter needs a 'name'");
        }
    }
    check_params(r, params, n->count, n->at);
    f->params = params;
    f->param_count = n->count;
}

static void function_result(struct reader *r, void *target, const struct node *n) {
    ((struct fn_def *)target)->result = read_type(r, n);
}

static void function_description(struct reader *r, void *target, const struct node *n) {
    ((struct fn_def *)target)->summary = read_text(r, n);
}

/* sorted */
static const struct key function_keys[] = {
    {"description", function_description},
    {"parameters", function_parameters},
    {"result", function_result},
};
static const struct form function_form = FORM("a function", function_keys);

static bool is_function_name(sv name) {
    for (size_t i = 0; i < name.len; i++) {
        char c = name.data[i];
        bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
        if (!letter && (i == 0 || !((c >= '0' && c <= '9') || c == '-'))) {
            return false;
        }
    }
    return name.len > 0;
}

static void read_function(struct reader *r, const struct node *key, const struct node *n) {
    struct fn_def *f = ARENA_NEW(r->arena, struct fn_def);
    *f = (struct fn_def){.name = arena_copy_sv(r->arena, key->text),
                         .rule = SV("BP-324"),
                         .family = SV("declared"),
                         .result = &type_any};
    if (!is_function_name(f->name)) {
        fail_name(r, key->at, "a function cannot be named", key->text);
    }
    read_form(r, &function_form, f, n);
    VEC_PUSH(r->arena, &r->functions, f);
}

/* --- Sections --- */

static void read_section(struct reader *r, const struct node *n, const char *what,
                         void (*read)(struct reader *r, const struct node *key, const struct node *n)) {
    if (!check_mapping(r, n, what)) {
        return;
    }
    for (size_t i = 0; i < n->count; i++) {
        if (check_key(r, n->pairs[i].key)) {
            read(r, n->pairs[i].key, n->pairs[i].value);
        }
    }
}

static void section_resources(struct reader *r, void *target, const struct node *n) {
    (void)target;
    read_section(r, n, "'resources'", read_resource);
}

static void section_data(struct reader *r, void *target, const struct node *n) {
    (void)target;
    read_section(r, n, "'datasources'", read_data);
}

static void section_links(struct reader *r, void *target, const struct node *n) {
    (void)target;
    read_section(r, n, "'links'", read_link);
}

static void section_variable_types(struct reader *r, void *target, const struct node *n) {
    (void)target;
    read_section(r, n, "'variableTypes'", read_variable_type);
}

static void section_functions(struct reader *r, void *target, const struct node *n) {
    (void)target;
    read_section(r, n, "'functions'", read_function);
}

/* sorted */
static const struct key section_keys[] = {
    {"datasources", section_data},    {"functions", section_functions},          {"links", section_links},
    {"resources", section_resources}, {"variableTypes", section_variable_types},
};
static const struct form root_form = FORM("a file of declarations", section_keys);

/* --- Providers of what was read --- */

/* All of these structs begin with a name (of links: the name of their first type). */
_Static_assert(offsetof(struct link_type, type_a) == 0, "the name comes first");

static sv get_space(sv type) {
    return sv_cut(&type, '/');
}

static int compare_names(const void *x, const void *y) {
    sv a = **(const sv *const *)x, b = **(const sv *const *)y;
    int order = sv_cmp(get_space(a), get_space(b));
    return order != 0 ? order : sv_cmp(a, b);
}

static int compare_links(const void *x, const void *y) {
    const struct link_type *a = *(const struct link_type *const *)x, *b = *(const struct link_type *const *)y;
    int order = compare_names(x, y);
    return order != 0 ? order : sv_cmp(a->type_b, b->type_b);
}

#define SORT(list, compare) \
    ((list).len > 0 ? qsort((list).items, (list).len, sizeof *(list).items, (compare)) : (void)0)

static void sort_all(struct reader *r) {
    SORT(r->resources, compare_names);
    SORT(r->data, compare_names);
    SORT(r->links, compare_links);
    SORT(r->variable_types, compare_names);
    SORT(r->functions, compare_names);
}

/* Items in order of their names, from `start` on those of one name space: one behind the last. */
static size_t find_end(const void *const *items, size_t count, size_t start) {
    sv space = get_space(*(const sv *)items[start]);
    size_t end = start + 1;
    while (end < count && sv_eq(get_space(*(const sv *)items[end]), space)) {
        end++;
    }
    return end;
}

/* The provider of a name space, made when it is new. */
static struct provider *get_provider(struct reader *r, struct map *spaces, sv type) {
    void **slot = map_get_slot(spaces, get_space(type), NULL);
    if (*slot == NULL) {
        struct provider *p = ARENA_NEW(r->arena, struct provider);
        p->name = get_space(type);
        *slot = p;
    }
    return *slot;
}

static void give_types(struct reader *r, struct map *spaces) {
    for (size_t i = 0, end = 0; i < r->resources.len; i = end) {
        struct provider *p = get_provider(r, spaces, r->resources.items[i]->name);
        end = find_end((const void *const *)r->resources.items, r->resources.len, i);
        p->resources = &r->resources.items[i];
        p->resource_count = end - i;
    }
    for (size_t i = 0, end = 0; i < r->data.len; i = end) {
        struct provider *p = get_provider(r, spaces, r->data.items[i]->name);
        end = find_end((const void *const *)r->data.items, r->data.len, i);
        p->data = &r->data.items[i];
        p->data_count = end - i;
    }
    for (size_t i = 0, end = 0; i < r->links.len; i = end) {
        struct provider *p = get_provider(r, spaces, r->links.items[i]->type_a);
        end = find_end((const void *const *)r->links.items, r->links.len, i);
        p->links = &r->links.items[i];
        p->link_count = end - i;
    }
    for (size_t i = 0, end = 0; i < r->variable_types.len; i = end) {
        struct provider *p = get_provider(r, spaces, r->variable_types.items[i]->name);
        end = find_end((const void *const *)r->variable_types.items, r->variable_types.len, i);
        p->variable_types = &r->variable_types.items[i];
        p->variable_type_count = end - i;
    }
}

/* Functions have no name space: they are offered by a provider without name. */
static void give_functions(struct reader *r, struct map *spaces) {
    if (r->functions.len == 0) {
        return;
    }
    struct fn_table *table = ARENA_NEW(r->arena, struct fn_table);
    *table = (struct fn_table){r->functions.items, r->functions.len};
    get_provider(r, spaces, SV(""))->functions = table;
}

static const struct providers *make_providers(struct reader *r) {
    struct map spaces = MAP(r->arena);
    sort_all(r);
    give_types(r, &spaces);
    give_functions(r, &spaces);
    const struct provider **items = ARENA_ARRAY(r->arena, const struct provider *, spaces.len + 1);
    for (size_t i = 0; i < spaces.len; i++) {
        items[i] = spaces.entries[i].value;
    }
    struct providers *p = ARENA_NEW(r->arena, struct providers);
    *p = (struct providers){items, spaces.len};
    return p;
}

const struct providers *declarations_from_node(struct arena *a, const struct node *root, struct diags *diags) {
    struct reader r = {.arena = a, .diags = diags};
    /* `lintel providers --json` prints more than the declarations */
    const struct node *inner = root->kind == NODE_MAPPING ? node_find(root, SV("declarations")) : NULL;
    const struct node *n = inner != NULL ? inner : root;
    if (!is_null(n)) {
        read_form(&r, &root_form, NULL, n);
    }
    return r.failed ? NULL : make_providers(&r);
}

const struct providers *providers_join(struct arena *a, const struct providers *first, const struct providers *second) {
    if (first == NULL || second == NULL) {
        return first != NULL ? first : second;
    }
    const struct provider **items = ARENA_ARRAY(a, const struct provider *, first->count + second->count + 1);
    for (size_t i = 0; i < first->count; i++) {
        items[i] = first->items[i];
    }
    for (size_t i = 0; i < second->count; i++) {
        items[first->count + i] = second->items[i];
    }
    struct providers *joined = ARENA_NEW(a, struct providers);
    *joined = (struct providers){items, first->count + second->count};
    return joined;
}
