/* Reading schemas: every keyword has a row that says what it must be and where it goes. */
#include "dialects/module/json_schema_form.h"

#include "base/hint.h"
#include "model/pattern.h"

#include <stddef.h>

enum { NESTING_MAX = 256 };

struct schema_reader {
    struct arena *a;
    value root;
    struct json_schema_problems *problems;
    struct map by_pointer; /* struct json_schema */
    struct map anchors;    /* "#name" of an $id: the same */
    struct schema_list all;
    bool failed;
};

/* What is being read. */
struct reading {
    value written;
    sv pointer;
    unsigned depth;
};

static const struct json_schema *read_schema(struct schema_reader *r, struct reading at);

/* --- reports --- */

static struct json_schema_problem *add_problem(struct schema_reader *r, sv at, sv message) {
    struct json_schema_problem *p = VEC_ADD(r->a, &r->problems->items);
    *p = (struct json_schema_problem){.at = at, .message = message};
    return p;
}

static void fail(struct schema_reader *r, sv at, const char *message) {
    r->failed = true;
    add_problem(r, at, sv_from_cstr(message));
}

/* --- pointers --- */

static void append_step(struct buf *out, sv step) {
    buf_append_char(out, '/');
    for (size_t i = 0; i < step.len; i++) {
        char c = step.data[i];
        if (c == '~' || c == '/')
            buf_append_cstr(out, c == '~' ? "~0" : "~1");
        else
            buf_append_char(out, c);
    }
}

void json_pointer_append(struct buf *out, struct path p) {
    for (size_t i = 0; i < p.len; i++) {
        if (p.steps[i].is_index)
            buf_printf(out, "/%zu", p.steps[i].index);
        else
            append_step(out, p.steps[i].key);
    }
}

static struct reading step_into(struct schema_reader *r, struct reading at, sv key, value written) {
    struct buf out = BUF(r->a);
    buf_append(&out, at.pointer);
    append_step(&out, key);
    return (struct reading){written, buf_get_sv(&out), at.depth + 1};
}

static struct reading step_to(struct schema_reader *r, struct reading at, size_t index) {
    return step_into(r, at, arena_printf(r->a, "%zu", index), at.written.list->items[index]);
}

/* --- what keywords hold --- */

static void read_types(struct schema_reader *r, struct reading at, struct json_schema *s) {
    bool is_list = at.written.kind == VALUE_LIST && at.written.list->len > 0;
    size_t count = is_list ? at.written.list->len : 1;
    for (size_t i = 0; i < count; i++) {
        value name = is_list ? at.written.list->items[i] : at.written;
        unsigned type = name.kind == VALUE_STRING ? json_type_find(value_get_text(name)) : 0;
        if (type == 0)
            fail(r, at.pointer, "must be one or several of array, boolean, integer, null, number, object and string");
        s->types |= type;
    }
}

static void read_schemas(struct schema_reader *r, struct reading at, struct schema_list *into) {
    if (at.written.kind != VALUE_LIST || at.written.list->len == 0) {
        fail(r, at.pointer, "must be a list of schemas that is not empty");
        return;
    }
    for (size_t i = 0; i < at.written.list->len; i++)
        VEC_PUSH(r->a, &into->items, read_schema(r, step_to(r, at, i)));
}

static struct schema_name *add_name(struct schema_reader *r, struct schema_names *into, sv name) {
    struct schema_name *added = VEC_ADD(r->a, &into->items);
    added->name = name;
    map_put(&into->by_name, name, (void *)(uintptr_t)into->items.len);
    return added;
}

static void read_names(struct schema_reader *r, struct reading at, struct schema_names *into) {
    if (at.written.kind != VALUE_MAP) {
        fail(r, at.pointer, "must be a mapping from names to schemas");
        return;
    }
    into->by_name = MAP(r->a);
    for (size_t i = 0; i < at.written.map->len; i++) {
        const struct value_entry *entry = &at.written.map->entries[i];
        const struct json_schema *schema = read_schema(r, step_into(r, at, entry->key, entry->item));
        add_name(r, into, entry->key)->schema = schema;
    }
}

static const struct pattern *read_pattern(struct schema_reader *r, sv at, sv text) {
    sv why;
    const struct pattern *p = pattern_new(r->a, text, &why);
    if (p == NULL) {
        r->failed = true;
        add_problem(r, at, arena_printf(r->a, "is no regular expression: %.*s", SV_ARG(why)));
    }
    return p;
}

static void read_patterns(struct schema_reader *r, struct reading at, struct schema_names *into) {
    read_names(r, at, into);
    for (size_t i = 0; i < into->items.len; i++) {
        struct schema_name *entry = &into->items.items[i];
        entry->pattern = read_pattern(r, step_into(r, at, entry->name, at.written).pointer, entry->name);
    }
}

static bool is_list_of_names(value v) {
    if (v.kind != VALUE_LIST)
        return false;
    for (size_t i = 0; i < v.list->len; i++) {
        if (v.list->items[i].kind != VALUE_STRING)
            return false;
    }
    return true;
}

static void read_required(struct schema_reader *r, struct reading at, struct json_schema *s) {
    s->required = at.written;
    if (!is_list_of_names(at.written)) {
        fail(r, at.pointer, "must be a list of names");
        s->required = (value){0};
    }
}

static void read_dependencies(struct schema_reader *r, struct reading at, struct json_schema *s) {
    if (at.written.kind != VALUE_MAP) {
        fail(r, at.pointer, "must be a mapping from names to schemas or lists of names");
        return;
    }
    s->dependencies.by_name = MAP(r->a);
    for (size_t i = 0; i < at.written.map->len; i++) {
        const struct value_entry *entry = &at.written.map->entries[i];
        bool is_names = is_list_of_names(entry->item);
        const struct json_schema *schema = is_names ? NULL : read_schema(r, step_into(r, at, entry->key, entry->item));
        struct schema_name *added = add_name(r, &s->dependencies, entry->key);
        added->schema = schema;
        added->names = is_names ? entry->item : (value){0};
    }
}

static void read_items(struct schema_reader *r, struct reading at, struct json_schema *s) {
    if (at.written.kind != VALUE_LIST)
        s->items = read_schema(r, at);
    for (size_t i = 0; at.written.kind == VALUE_LIST && i < at.written.list->len; i++)
        VEC_PUSH(r->a, &s->first_items.items, read_schema(r, step_to(r, at, i)));
}

static void read_count(struct schema_reader *r, struct reading at, struct schema_count *into) {
    double n = (json_type_of(at.written) & JSON_INTEGER) != 0 ? json_get_number(at.written) : -1;
    if (n < 0 || n > 9007199254740992.0) {
        fail(r, at.pointer, "must be a whole number that is not negative");
        return;
    }
    *into = (struct schema_count){(uint64_t)n, true};
}

static void read_bound(struct schema_reader *r, struct reading at, struct schema_bound *into) {
    if ((json_type_of(at.written) & JSON_NUMBER) == 0)
        fail(r, at.pointer, "must be a number");
    else
        *into = (struct schema_bound){json_get_number(at.written), true};
}

static void read_multiple(struct schema_reader *r, struct reading at, struct json_schema *s) {
    read_bound(r, at, &s->multiple_of);
    if (s->multiple_of.is_set && !(s->multiple_of.value > 0))
        fail(r, at.pointer, "must be greater than 0");
}

static void read_text_pattern(struct schema_reader *r, struct reading at, struct json_schema *s) {
    if (at.written.kind != VALUE_STRING)
        fail(r, at.pointer, "must be a string with a regular expression");
    else
        s->pattern = read_pattern(r, at.pointer, value_get_text(at.written));
}

static void read_format(struct schema_reader *r, struct reading at, struct json_schema *s) {
    if (at.written.kind != VALUE_STRING) {
        fail(r, at.pointer, "must be a string");
        return;
    }
    s->format = schema_format_find(value_get_text(at.written));
    s->is_secret = s->is_secret || sv_eq(value_get_text(at.written), SV("password"));
}

static void read_flag(struct schema_reader *r, struct reading at, bool *into) {
    if (at.written.kind != VALUE_BOOL)
        fail(r, at.pointer, "must be true or false");
    else
        *into = *into || at.written.boolean;
}

static void read_enumeration(struct schema_reader *r, struct reading at, struct json_schema *s) {
    if (at.written.kind != VALUE_LIST)
        fail(r, at.pointer, "must be a list of values");
    else
        s->enumeration = at.written;
}

static void read_id(struct schema_reader *r, struct reading at, const struct json_schema *s) {
    if (at.written.kind != VALUE_STRING)
        fail(r, at.pointer, "must be a string");
    else if (sv_has_prefix(value_get_text(at.written), SV("#")))
        map_put(&r->anchors, value_get_text(at.written), (void *)s);
}

const struct schema_name *schema_find_name(const struct schema_names *names, sv name) {
    uintptr_t number = names->items.len == 0 ? 0 : (uintptr_t)map_find(&names->by_name, name);
    return number == 0 ? NULL : &names->items.items[number - 1];
}

const struct json_schema *schema_find_item(const struct json_schema *s, size_t index) {
    if (s->items != NULL)
        return s->items;
    if (index < s->first_items.items.len)
        return s->first_items.items.items[index];
    return s->first_items.items.len > 0 ? s->additional_items : NULL;
}

/* --- the table --- */

enum keyword_kind {
    KEY_IGNORED = 1, /* an annotation */
    KEY_OWN,         /* `read` */
    KEY_SCHEMA,
    KEY_SCHEMAS,
    KEY_NAMES,
    KEY_PATTERNS,
    KEY_COUNT,
    KEY_BOUND,
    KEY_VALUE,
    KEY_FLAG,
    KEY_DEFINITIONS,
    KEY_ID,
};

struct keyword {
    sv name;
    enum keyword_kind kind;
    size_t offset; /* in struct json_schema */
    void (*read)(struct schema_reader *r, struct reading at, struct json_schema *s);
};

#define IN(field) offsetof(struct json_schema, field)
static const struct keyword keywords[] = {
    {SV_INIT("$comment"), KEY_IGNORED, 0, NULL},
    {SV_INIT("$defs"), KEY_DEFINITIONS, 0, NULL},
    {SV_INIT("$id"), KEY_ID, 0, NULL},
    {SV_INIT("$schema"), KEY_IGNORED, 0, NULL},
    {SV_INIT("additionalItems"), KEY_SCHEMA, IN(additional_items), NULL},
    {SV_INIT("additionalProperties"), KEY_SCHEMA, IN(additional_properties), NULL},
    {SV_INIT("allOf"), KEY_SCHEMAS, IN(all_of), NULL},
    {SV_INIT("anyOf"), KEY_SCHEMAS, IN(any_of), NULL},
    {SV_INIT("const"), KEY_VALUE, IN(constant), NULL},
    {SV_INIT("contains"), KEY_SCHEMA, IN(contains), NULL},
    {SV_INIT("default"), KEY_VALUE, IN(fallback), NULL},
    {SV_INIT("definitions"), KEY_DEFINITIONS, 0, NULL},
    {SV_INIT("dependencies"), KEY_OWN, 0, read_dependencies},
    {SV_INIT("description"), KEY_IGNORED, 0, NULL},
    {SV_INIT("else"), KEY_SCHEMA, IN(alternative), NULL},
    {SV_INIT("enum"), KEY_OWN, 0, read_enumeration},
    {SV_INIT("examples"), KEY_IGNORED, 0, NULL},
    {SV_INIT("exclusiveMaximum"), KEY_BOUND, IN(exclusive_maximum), NULL},
    {SV_INIT("exclusiveMinimum"), KEY_BOUND, IN(exclusive_minimum), NULL},
    {SV_INIT("format"), KEY_OWN, 0, read_format},
    {SV_INIT("if"), KEY_SCHEMA, IN(condition), NULL},
    {SV_INIT("items"), KEY_OWN, 0, read_items},
    {SV_INIT("maxItems"), KEY_COUNT, IN(max_items), NULL},
    {SV_INIT("maxLength"), KEY_COUNT, IN(max_length), NULL},
    {SV_INIT("maxProperties"), KEY_COUNT, IN(max_properties), NULL},
    {SV_INIT("maximum"), KEY_BOUND, IN(maximum), NULL},
    {SV_INIT("minItems"), KEY_COUNT, IN(min_items), NULL},
    {SV_INIT("minLength"), KEY_COUNT, IN(min_length), NULL},
    {SV_INIT("minProperties"), KEY_COUNT, IN(min_properties), NULL},
    {SV_INIT("minimum"), KEY_BOUND, IN(minimum), NULL},
    {SV_INIT("multipleOf"), KEY_OWN, 0, read_multiple},
    {SV_INIT("not"), KEY_SCHEMA, IN(not_this), NULL},
    {SV_INIT("oneOf"), KEY_SCHEMAS, IN(one_of), NULL},
    {SV_INIT("pattern"), KEY_OWN, 0, read_text_pattern},
    {SV_INIT("patternProperties"), KEY_PATTERNS, IN(pattern_properties), NULL},
    {SV_INIT("properties"), KEY_NAMES, IN(properties), NULL},
    {SV_INIT("propertyNames"), KEY_SCHEMA, IN(property_names), NULL},
    {SV_INIT("readOnly"), KEY_IGNORED, 0, NULL},
    {SV_INIT("required"), KEY_OWN, 0, read_required},
    {SV_INIT("then"), KEY_SCHEMA, IN(consequence), NULL},
    {SV_INIT("title"), KEY_IGNORED, 0, NULL},
    {SV_INIT("type"), KEY_OWN, 0, read_types},
    {SV_INIT("uniqueItems"), KEY_FLAG, IN(unique_items), NULL},
    {SV_INIT("writeOnly"), KEY_FLAG, IN(is_secret), NULL},
};
enum { KEYWORDS = sizeof keywords / sizeof *keywords };

static const struct keyword *find_keyword(sv name) {
    for (size_t i = 0; i < KEYWORDS; i++) {
        if (sv_eq(keywords[i].name, name))
            return &keywords[i];
    }
    return NULL;
}

static void warn_of_unknown(struct schema_reader *r, struct reading at, sv name) {
    struct hint hint = HINT(name);
    for (size_t i = 0; i < KEYWORDS; i++)
        hint_offer(&hint, keywords[i].name);
    struct json_schema_problem *p = add_problem(r, at.pointer, SV("is no keyword of JSON Schema draft-07"));
    p->hint = hint.best;
    p->is_warning = true;
}

static void read_keyword(struct schema_reader *r, struct reading at, const struct keyword *k, struct json_schema *s) {
    void *into = (char *)s + k->offset;
    struct schema_names unnamed = {0};
    switch (k->kind) {
    case KEY_IGNORED:
        break;
    case KEY_OWN:
        k->read(r, at, s);
        break;
    case KEY_SCHEMA:
        *(const struct json_schema **)into = read_schema(r, at);
        break;
    case KEY_SCHEMAS:
        read_schemas(r, at, into);
        break;
    case KEY_NAMES:
        read_names(r, at, into);
        break;
    case KEY_PATTERNS:
        read_patterns(r, at, into);
        break;
    case KEY_COUNT:
        read_count(r, at, into);
        break;
    case KEY_BOUND:
        read_bound(r, at, into);
        break;
    case KEY_VALUE:
        *(value *)into = at.written;
        break;
    case KEY_FLAG:
        read_flag(r, at, into);
        break;
    case KEY_DEFINITIONS:
        read_names(r, at, &unnamed);
        break;
    case KEY_ID:
        read_id(r, at, s);
        break;
    }
}

static void read_mapping(struct schema_reader *r, struct reading at, struct json_schema *s) {
    value ref = value_map_find(at.written, SV("$ref"));
    if (ref.kind == VALUE_STRING)
        s->ref_text = value_get_text(ref);
    else if (value_is_set(ref))
        fail(r, step_into(r, at, SV("$ref"), ref).pointer, "must be a string");
    for (size_t i = 0; i < at.written.map->len; i++) {
        const struct value_entry *entry = &at.written.map->entries[i];
        if (sv_eq(entry->key, SV("$ref")))
            continue;
        const struct keyword *k = find_keyword(entry->key);
        bool is_definitions = k != NULL && k->kind == KEY_DEFINITIONS;
        if (value_is_set(ref) && !is_definitions)
            continue; /* MD-053: ignored beside a reference */
        struct reading below = step_into(r, at, entry->key, entry->item);
        if (k == NULL)
            warn_of_unknown(r, below, entry->key);
        else
            read_keyword(r, below, k, s);
    }
}

static const struct json_schema *read_schema(struct schema_reader *r, struct reading at) {
    struct json_schema *s = map_find(&r->by_pointer, at.pointer);
    if (s != NULL)
        return s;
    s = ARENA_NEW(r->a, struct json_schema);
    s->pointer = at.pointer;
    map_put(&r->by_pointer, at.pointer, s);
    VEC_PUSH(r->a, &r->all.items, s);
    if (at.depth > NESTING_MAX)
        fail(r, at.pointer, "is nested too deeply");
    else if (at.written.kind == VALUE_BOOL)
        s->never = !at.written.boolean;
    else if (at.written.kind == VALUE_MAP)
        read_mapping(r, at, s);
    else
        fail(r, at.pointer, "must be a schema: a mapping, true or false");
    return s;
}

/* --- references (MD-053) --- */

static int get_hex(char c) {
    if (c >= '0' && c <= '9')
        return c - '0';
    char lower = (char)(c | 0x20);
    return lower >= 'a' && lower <= 'f' ? lower - 'a' + 10 : -1;
}

/* The fragment of a URI without its percent signs. */
static sv decode_fragment(struct arena *a, sv text) {
    struct buf out = BUF(a);
    for (size_t i = 0; i < text.len; i++) {
        bool is_coded =
            text.data[i] == '%' && i + 2 < text.len && get_hex(text.data[i + 1]) >= 0 && get_hex(text.data[i + 2]) >= 0;
        if (is_coded) {
            buf_append_char(&out, (char)(get_hex(text.data[i + 1]) << 4 | get_hex(text.data[i + 2])));
            i += 2;
        } else {
            buf_append_char(&out, text.data[i]);
        }
    }
    return buf_get_sv(&out);
}

static sv decode_step(struct arena *a, sv step) {
    struct buf out = BUF(a);
    for (size_t i = 0; i < step.len; i++) {
        bool is_coded = step.data[i] == '~' && i + 1 < step.len && (step.data[i + 1] == '0' || step.data[i + 1] == '1');
        buf_append_char(&out, !is_coded ? step.data[i] : step.data[i + 1] == '0' ? '~' : '/');
        i += is_coded;
    }
    return buf_get_sv(&out);
}

/* The part of the document that a pointer names; kind 0 when there is none. */
static struct reading find_part(struct schema_reader *r, sv pointer) {
    struct reading at = {r->root, SV(""), 0};
    sv rest = sv_slice(pointer, 1, pointer.len);
    bool is_more = pointer.len > 0;
    while (is_more && value_is_set(at.written)) {
        is_more = sv_find_char(rest, '/') != SIZE_MAX;
        sv step = decode_step(r->a, sv_cut(&rest, '/'));
        value next = {0};
        if (at.written.kind == VALUE_MAP)
            next = value_map_find(at.written, step);
        for (size_t i = 0; at.written.kind == VALUE_LIST && i < at.written.list->len; i++) {
            if (sv_eq(step, arena_printf(r->a, "%zu", i)))
                next = at.written.list->items[i];
        }
        at = step_into(r, at, step, next);
    }
    return at;
}

static void resolve(struct schema_reader *r, struct json_schema *s) {
    sv at = arena_printf(r->a, "%.*s/$ref", SV_ARG(s->pointer));
    if (!sv_has_prefix(s->ref_text, SV("#"))) {
        fail(r, at, "only references into the same schema are possible: '#…'");
        return;
    }
    sv fragment = decode_fragment(r->a, sv_slice(s->ref_text, 1, s->ref_text.len));
    s->ref = map_find(&r->anchors, s->ref_text);
    if (s->ref != NULL)
        return;
    struct reading part = {0};
    if (fragment.len == 0 || fragment.data[0] == '/')
        part = find_part(r, fragment);
    if (value_is_set(part.written))
        s->ref = read_schema(r, part);
    else
        fail(r, at, "leads nowhere");
}

/* --- circles that consume no data --- */

enum { FRESH, OPEN, CLOSED };

struct circle_search {
    struct schema_reader *r;
    struct map states;
    unsigned depth;
};

static bool is_in_circle(struct circle_search *c, const struct json_schema *s);

static bool is_any_in_circle(struct circle_search *c, const struct schema_list *list) {
    for (size_t i = 0; i < list->items.len; i++) {
        if (is_in_circle(c, list->items.items[i]))
            return true;
    }
    return false;
}

static bool is_below_in_circle(struct circle_search *c, const struct json_schema *s) {
    const struct json_schema *const single[] = {s->ref, s->not_this, s->condition, s->consequence, s->alternative};
    for (size_t i = 0; i < sizeof single / sizeof *single; i++) {
        if (single[i] != NULL && is_in_circle(c, single[i]))
            return true;
    }
    for (size_t i = 0; i < s->dependencies.items.len; i++) {
        const struct json_schema *schema = s->dependencies.items.items[i].schema;
        if (schema != NULL && is_in_circle(c, schema))
            return true;
    }
    return is_any_in_circle(c, &s->all_of) || is_any_in_circle(c, &s->any_of) || is_any_in_circle(c, &s->one_of);
}

static bool is_in_circle(struct circle_search *c, const struct json_schema *s) {
    void **state = map_get_slot(&c->states, s->pointer, NULL);
    if ((uintptr_t)*state == CLOSED)
        return false;
    if ((uintptr_t)*state == OPEN) {
        fail(c->r, s->pointer, "refers to itself in a circle");
        return true;
    }
    if (++c->depth > NESTING_MAX) {
        fail(c->r, s->pointer, "leads through too many references");
        return true;
    }
    *state = (void *)OPEN;
    bool found = is_below_in_circle(c, s);
    c->depth--;
    map_put(&c->states, s->pointer, (void *)CLOSED);
    return found;
}

static void check_circles(struct schema_reader *r) {
    struct circle_search c = {.r = r, .states = MAP(r->a)};
    for (size_t i = 0; i < r->all.items.len; i++) {
        if (is_in_circle(&c, r->all.items.items[i]))
            return;
    }
}

const struct json_schema *json_schema_read(struct arena *a, value written, struct json_schema_problems *problems) {
    struct schema_reader r = {.a = a, .root = written, .problems = problems, .by_pointer = MAP(a), .anchors = MAP(a)};
    const struct json_schema *root = read_schema(&r, (struct reading){.written = written, .pointer = SV("")});
    for (size_t i = 0; i < r.all.items.len; i++) { /* grows while references lead to further parts */
        struct json_schema *s = map_find(&r.by_pointer, r.all.items.items[i]->pointer);
        if (s->ref_text.data != NULL)
            resolve(&r, s);
    }
    if (!r.failed)
        check_circles(&r);
    struct json_schema *whole = map_find(&r.by_pointer, root->pointer);
    for (size_t i = 0; i < r.all.items.len; i++)
        whole->has_secrets = whole->has_secrets || r.all.items.items[i]->is_secret;
    return r.failed ? NULL : whole;
}
