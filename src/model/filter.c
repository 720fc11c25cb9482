/* One table has the shapes of 1.8; it serves values and declared types alike, as both are sets of shapes. */
#include "model/filter.h"

enum container {
    ONE = 0, /* a scalar */
    ARRAY,
    MAPPING,
};
enum { CONTAINER_COUNT = MAPPING + 1 };

/* What scalars there are, alone or as items. */
enum {
    TEXT = 1 << 0,
    INTEGER = 1 << 1,
    FLOAT = 1 << 2,
    BOOLEAN = 1 << 3,
    SCALAR = TEXT | INTEGER | FLOAT | BOOLEAN,
    ORDERED = TEXT | INTEGER | FLOAT,
    THERE = 1 << 4, /* the container itself, whatever is in it */
};

/* The shapes an operand can have: of a value one container, whose bits are those of its item type; an empty one has
 * all, one of mixed items none. */
struct shape {
    uint8_t in[CONTAINER_COUNT];
};

struct rule {
    enum filter_operator op;
    uint8_t field, search;           /* containers */
    uint8_t field_bits, search_bits; /* one of them has to be there */
    bool is_same;                    /* both have one item type in common */
    bool (*holds)(value field, value search);
};

/* --- What holds --- */

static bool has_item(value list, value item) {
    for (size_t i = 0; i < list.list->len; i++) {
        if (value_eq(list.list->items[i], item)) {
            return true;
        }
    }
    return false;
}

static bool is_in(value field, value search) {
    return has_item(search, field);
}

static bool has_key(value field, value search) {
    return value_map_has(field, value_get_text(search));
}

static bool has_text(value field, value search) {
    return sv_find(value_get_text(field), value_get_text(search)) != SIZE_MAX;
}

static bool has_value(value field, value search) {
    for (size_t i = 0; i < field.map->len; i++) {
        if (value_eq(field.map->entries[i].item, search)) {
            return true;
        }
    }
    return false;
}

static bool starts_with(value field, value search) {
    return sv_has_prefix(value_get_text(field), value_get_text(search));
}

static bool ends_with(value field, value search) {
    return sv_has_suffix(value_get_text(field), value_get_text(search));
}

/* Both of one type. UTF-8 compares by code point when compared by bytes. */
static int compare(value a, value b) {
    if (a.kind == VALUE_STRING) {
        return sv_cmp(value_get_text(a), value_get_text(b));
    }
    if (a.kind == VALUE_INT) {
        return (a.integer > b.integer) - (a.integer < b.integer);
    }
    return (a.number > b.number) - (a.number < b.number);
}

static bool is_greater(value field, value search) {
    return compare(field, search) > 0;
}

static bool is_greater_or_equal(value field, value search) {
    return compare(field, search) >= 0;
}

static bool is_less(value field, value search) {
    return compare(field, search) < 0;
}

static bool is_less_or_equal(value field, value search) {
    return compare(field, search) <= 0;
}

/* --- Tables --- */

static const struct rule rules[] = {
    {FILTER_EQUALS, ONE, ONE, SCALAR, SCALAR, true, value_eq},
    {FILTER_EQUALS, ARRAY, ARRAY, SCALAR, SCALAR, true, value_eq},
    {FILTER_IN, ONE, ARRAY, SCALAR, SCALAR, true, is_in},
    {FILTER_HAS_KEY, MAPPING, ONE, THERE, TEXT, false, has_key},
    {FILTER_CONTAINS, ARRAY, ONE, SCALAR, SCALAR, true, has_item},
    {FILTER_CONTAINS, ONE, ONE, TEXT, TEXT, true, has_text},
    {FILTER_CONTAINS, MAPPING, ONE, SCALAR, SCALAR, true, has_value},
    {FILTER_STARTS_WITH, ONE, ONE, TEXT, TEXT, true, starts_with},
    {FILTER_ENDS_WITH, ONE, ONE, TEXT, TEXT, true, ends_with},
    {FILTER_GREATER, ONE, ONE, ORDERED, ORDERED, true, is_greater},
    {FILTER_GREATER_EQUAL, ONE, ONE, ORDERED, ORDERED, true, is_greater_or_equal},
    {FILTER_LESS, ONE, ONE, ORDERED, ORDERED, true, is_less},
    {FILTER_LESS_EQUAL, ONE, ONE, ORDERED, ORDERED, true, is_less_or_equal},
};

static const char equal_shapes[] = "two scalars or two arrays of scalars, of one type";
static const char in_shapes[] = "a scalar and an array of scalars of its type";
static const char key_shapes[] = "a mapping and a string";
static const char contains_shapes[] =
    "two strings, or an array of scalars or a mapping to scalars and a scalar of their type";
static const char text_shapes[] = "two strings";
static const char order_shapes[] = "two strings, two integers or two floats";

static const struct operator{
    sv text;
    enum filter_operator positive;
    bool is_negated;
    const char *accepted;
}
operators[FILTER_OPERATOR_COUNT + 1] = {
    [FILTER_EQUALS] = {SV_INIT("="), FILTER_EQUALS, false, equal_shapes},
    [FILTER_NOT_EQUALS] = {SV_INIT("!="), FILTER_EQUALS, true, equal_shapes},
    [FILTER_IN] = {SV_INIT("in"), FILTER_IN, false, in_shapes},
    [FILTER_NOT_IN] = {SV_INIT("not in"), FILTER_IN, true, in_shapes},
    [FILTER_HAS_KEY] = {SV_INIT("has key"), FILTER_HAS_KEY, false, key_shapes},
    [FILTER_NOT_HAS_KEY] = {SV_INIT("not has key"), FILTER_HAS_KEY, true, key_shapes},
    [FILTER_CONTAINS] = {SV_INIT("contains"), FILTER_CONTAINS, false, contains_shapes},
    [FILTER_NOT_CONTAINS] = {SV_INIT("not contains"), FILTER_CONTAINS, true, contains_shapes},
    [FILTER_STARTS_WITH] = {SV_INIT("starts with"), FILTER_STARTS_WITH, false, text_shapes},
    [FILTER_NOT_STARTS_WITH] = {SV_INIT("not starts with"), FILTER_STARTS_WITH, true, text_shapes},
    [FILTER_ENDS_WITH] = {SV_INIT("ends with"), FILTER_ENDS_WITH, false, text_shapes},
    [FILTER_NOT_ENDS_WITH] = {SV_INIT("not ends with"), FILTER_ENDS_WITH, true, text_shapes},
    [FILTER_GREATER] = {SV_INIT(">"), FILTER_GREATER, false, order_shapes},
    [FILTER_GREATER_EQUAL] = {SV_INIT(">="), FILTER_GREATER_EQUAL, false, order_shapes},
    [FILTER_LESS] = {SV_INIT("<"), FILTER_LESS, false, order_shapes},
    [FILTER_LESS_EQUAL] = {SV_INIT("<="), FILTER_LESS_EQUAL, false, order_shapes},
};

enum filter_operator filter_find_operator(sv text) {
    for (enum filter_operator op = FILTER_EQUALS; op <= FILTER_LESS_EQUAL; op++) {
        if (sv_eq(operators[op].text, text)) {
            return op;
        }
    }
    return 0;
}

sv filter_get_text(enum filter_operator op) {
    return operators[op].text;
}

/* --- Shapes of values --- */

static uint8_t get_scalar_bits(value v) {
    switch ((enum value_kind)v.kind) {
    case VALUE_STRING:
        return TEXT | THERE;
    case VALUE_INT:
        return INTEGER | THERE;
    case VALUE_FLOAT:
        return FLOAT | THERE;
    case VALUE_BOOL:
        return BOOLEAN | THERE;
    case VALUE_NULL:
    case VALUE_BYTES:
    case VALUE_LIST:
    case VALUE_MAP:
    case VALUE_FUNCTION:
    case VALUE_ABSENT:
    case VALUE_UNKNOWN:
    case VALUE_ERROR:
    case VALUE_PENDING:
        break;
    }
    return 0;
}

static struct shape shape_of_value(value v) {
    struct shape s = {0};
    if (v.kind == VALUE_LIST) {
        s.in[ARRAY] = SCALAR | THERE;
        for (size_t i = 0; i < v.list->len; i++) {
            s.in[ARRAY] &= get_scalar_bits(v.list->items[i]) | THERE;
        }
    } else if (v.kind == VALUE_MAP) {
        s.in[MAPPING] = SCALAR | THERE;
        for (size_t i = 0; i < v.map->len; i++) {
            s.in[MAPPING] &= get_scalar_bits(v.map->entries[i].item) | THERE;
        }
    } else {
        s.in[ONE] = get_scalar_bits(v);
    }
    return s;
}

static const struct shape any_shape = {{SCALAR | THERE, SCALAR | THERE, SCALAR | THERE}};

/* --- Shapes of types --- */

enum { TYPE_DEPTH = 8 }; /* of unions in unions */

static void add_type(struct shape *s, const struct type *t, size_t depth);

static uint8_t get_item_bits(const struct type *item, size_t depth) {
    struct shape s = {0};
    add_type(&s, item, depth);
    return s.in[ONE] | THERE;
}

static void add_fields(struct shape *s, const struct type *t, size_t depth) {
    for (size_t i = 0; i < t->field_count; i++) {
        if (t->kind == TYPE_UNION) {
            add_type(s, t->fields[i].type, depth);
        } else {
            s->in[MAPPING] |= get_item_bits(t->fields[i].type, depth);
        }
    }
}

static void add_everything(struct shape *s) {
    for (int i = 0; i < CONTAINER_COUNT; i++) {
        s->in[i] |= any_shape.in[i];
    }
}

static void add_type(struct shape *s, const struct type *t, size_t depth) {
    if (t == NULL || depth > TYPE_DEPTH) {
        add_everything(s);
        return;
    }
    switch (t->kind) {
    case TYPE_ANY:
    case TYPE_ABSENT:
        add_everything(s);
        break;
    case TYPE_BOOL:
        s->in[ONE] |= BOOLEAN | THERE;
        break;
    case TYPE_INT:
        s->in[ONE] |= INTEGER | THERE;
        break;
    case TYPE_FLOAT:
        s->in[ONE] |= FLOAT | THERE;
        break;
    case TYPE_NUMBER:
        s->in[ONE] |= INTEGER | FLOAT | THERE;
        break;
    case TYPE_STRING:
    case TYPE_BYTES: /* becomes text (FN-016) */
    case TYPE_TEXT:
        s->in[ONE] |= TEXT | THERE;
        break;
    case TYPE_SCALAR:
        s->in[ONE] |= SCALAR | THERE;
        break;
    case TYPE_LIST:
        s->in[ARRAY] |= get_item_bits(t->item, depth + 1);
        break;
    case TYPE_MAP:
        s->in[MAPPING] |= get_item_bits(t->item, depth + 1);
        break;
    case TYPE_OBJECT:
        s->in[MAPPING] |= t->open || t->field_count == 0 ? any_shape.in[MAPPING] : THERE;
        add_fields(s, t, depth + 1);
        break;
    case TYPE_UNION:
        add_fields(s, t, depth + 1);
        break;
    case TYPE_NULL:
    case TYPE_FUNCTION:
        break;
    }
}

/* --- Judging --- */

static const struct rule *find_rule(enum filter_operator op, const struct shape *field, const struct shape *search) {
    for (size_t i = 0; i < sizeof rules / sizeof rules[0]; i++) {
        const struct rule *r = &rules[i];
        uint8_t left = field->in[r->field] & r->field_bits, right = search->in[r->search] & r->search_bits;
        if (r->op == op && left != 0 && right != 0 && (!r->is_same || (left & right) != 0)) {
            return r;
        }
    }
    return NULL;
}

static const char *get_items_name(uint8_t bits) {
    switch (bits & SCALAR) {
    case TEXT:
        return "strings";
    case INTEGER:
        return "integers";
    case FLOAT:
        return "floats";
    case BOOLEAN:
        return "booleans";
    case SCALAR:
        return "scalars";
    }
    return "mixed items";
}

static void print_shape(struct buf *out, value v, const struct shape *s) {
    if (v.kind == VALUE_LIST) {
        buf_printf(out, v.list->len == 0 ? "empty array" : "array of %s", get_items_name(s->in[ARRAY]));
    } else if (v.kind == VALUE_MAP) {
        buf_printf(out, v.map->len == 0 ? "empty mapping" : "mapping to %s", get_items_name(s->in[MAPPING]));
    } else {
        buf_append_cstr(out, value_is_set(v) ? value_get_kind_name(v.kind) : "no value");
    }
}

static enum filter_result refuse(enum filter_operator op, struct buf *why, sv field, sv search) {
    buf_printf(why, "operator '%.*s' takes %s, not a field of type '%.*s' and a search of type '%.*s'",
               SV_ARG(operators[op].text), operators[op].accepted, SV_ARG(field), SV_ARG(search));
    return FILTER_BAD_OPERANDS;
}

static enum filter_result refuse_values(enum filter_operator op, value field, value search, struct buf *why) {
    if (why == NULL) {
        return FILTER_BAD_OPERANDS;
    }
    struct shape left = shape_of_value(field), right = shape_of_value(search);
    struct buf f = BUF(why->arena), s = BUF(why->arena);
    print_shape(&f, field, &left);
    print_shape(&s, search, &right);
    return refuse(op, why, buf_get_sv(&f), buf_get_sv(&s));
}

/* --- Floats --- */

static const int64_t exact_max = (int64_t)1 << 53; /* BP-032 */

static value widen(value v) {
    bool fits = v.kind == VALUE_INT && v.integer <= exact_max && v.integer >= -exact_max;
    return fits ? value_float((double)v.integer) : v;
}

/* The shape that the search has once its integers are widened (BP-121). */
static struct shape shape_of_search(value search, bool is_float) {
    struct shape s = shape_of_value(search);
    if (!is_float) {
        return s;
    }
    if (search.kind == VALUE_LIST) {
        s.in[ARRAY] = SCALAR | THERE;
        for (size_t i = 0; i < search.list->len; i++) {
            s.in[ARRAY] &= get_scalar_bits(widen(search.list->items[i])) | THERE;
        }
    } else {
        s.in[ONE] = get_scalar_bits(widen(search));
    }
    return s;
}

/* value_eq compares integers and floats by number, so that only an order needs the widened search. */
static bool holds(const struct rule *r, value field, value search, bool is_float) {
    return r->holds(field, is_float && search.kind == VALUE_INT ? widen(search) : search);
}

enum filter_result filter_apply(enum filter_operator op, value field, value search, bool is_float, struct buf *why) {
    const struct operator* o = & operators[op];
    bool is_absent = field.kind == 0 || field.kind == VALUE_NULL || field.kind == VALUE_ABSENT;
    struct shape left = is_absent ? any_shape : shape_of_value(field);
    struct shape right = shape_of_search(search, is_float);
    const struct rule *r = find_rule(o->positive, &left, &right);
    if (r == NULL) {
        return refuse_values(op, field, search, why);
    }
    bool result = !is_absent && holds(r, field, search, is_float);
    return result != o->is_negated ? FILTER_HOLDS : FILTER_FAILS;
}

bool filter_is_float(const struct type *field) {
    bool is_container = field != NULL && (field->kind == TYPE_LIST || field->kind == TYPE_MAP);
    const struct type *t = is_container ? field->item : field;
    return t != NULL && t->kind == TYPE_FLOAT;
}

static enum filter_result check_shapes(enum filter_operator op, const struct type *field, struct shape search) {
    struct shape left = {0};
    add_type(&left, field, 0);
    if (field != NULL && field->kind == TYPE_NULL) {
        left = any_shape;
    }
    return find_rule(operators[op].positive, &left, &search) != NULL ? FILTER_HOLDS : FILTER_BAD_OPERANDS;
}

static void print_type(struct buf *out, const struct type *t) {
    type_print(out, t == NULL ? &type_any : t);
}

enum filter_result filter_check_types(enum filter_operator op, const struct type *field, const struct type *search,
                                      struct buf *why) {
    struct shape right = {0};
    add_type(&right, search, 0);
    if (filter_is_float(field)) {
        right.in[ONE] |= (right.in[ONE] & INTEGER) != 0 ? FLOAT : 0;
        right.in[ARRAY] |= (right.in[ARRAY] & INTEGER) != 0 ? FLOAT : 0;
    }
    if (check_shapes(op, field, right) == FILTER_HOLDS) {
        return FILTER_HOLDS;
    }
    if (why != NULL) {
        struct buf f = BUF(why->arena), s = BUF(why->arena);
        print_type(&f, field);
        print_type(&s, search);
        refuse(op, why, buf_get_sv(&f), buf_get_sv(&s));
    }
    return FILTER_BAD_OPERANDS;
}

enum filter_result filter_check_search(enum filter_operator op, const struct type *field, value search,
                                       struct buf *why) {
    struct shape right = shape_of_search(search, filter_is_float(field));
    if (check_shapes(op, field, right) == FILTER_HOLDS) {
        return FILTER_HOLDS;
    }
    if (why != NULL) {
        struct buf f = BUF(why->arena), s = BUF(why->arena);
        struct shape own = shape_of_value(search);
        print_type(&f, field);
        print_shape(&s, search, &own);
        refuse(op, why, buf_get_sv(&f), buf_get_sv(&s));
    }
    return FILTER_BAD_OPERANDS;
}

/* --- Paths (BP-103) --- */

enum { STEPS_MAX = 128 };

/* The name at the start of `*rest`, up to what ends it; false for none. */
static bool cut_name(sv *rest, sv *name) {
    size_t len = 0;
    while (len < rest->len && rest->data[len] != '.' && rest->data[len] != '[') {
        unsigned char c = (unsigned char)rest->data[len];
        if (c < 0x20 || c == 0x7f || c == ']' || c == '"') {
            return false;
        }
        len++;
    }
    *name = sv_slice(*rest, 0, len);
    *rest = sv_slice(*rest, len, rest->len);
    return len > 0;
}

/* "[12]" or "[]"; indexes beyond what a list can hold stay at a number that none has. */
static bool cut_index(sv *rest, size_t *index) {
    size_t at = 1;
    *index = 0;
    for (; at < rest->len && rest->data[at] >= '0' && rest->data[at] <= '9'; at++) {
        *index = *index > SIZE_MAX / 16 ? SIZE_MAX / 16 : *index * 10 + (size_t)(rest->data[at] - '0');
    }
    if (at == rest->len || rest->data[at] != ']') {
        return false;
    }
    *rest = sv_slice(*rest, at + 1, rest->len);
    return true;
}

static bool cut_step(struct arena *a, sv *rest, struct path *p, bool is_first) {
    if (!is_first && rest->data[0] == '[') {
        size_t index = 0;
        if (!cut_index(rest, &index)) {
            return false;
        }
        *p = path_with_index(a, *p, index);
        return true;
    }
    if (!is_first) {
        *rest = sv_slice(*rest, 1, rest->len); /* the dot: cut_name ends at one, cut_index is followed by one */
    }
    sv name = {0};
    if (!cut_name(rest, &name)) {
        return false;
    }
    *p = path_with_key(a, *p, name);
    return true;
}

bool filter_parse_path(struct arena *a, sv text, struct path *result) {
    *result = (struct path){0};
    bool ok = text.len > 0;
    while (ok && text.len > 0) {
        bool is_first = result->len == 0;
        ok = result->len < STEPS_MAX && (is_first || text.data[0] == '.' || text.data[0] == '[') &&
             cut_step(a, &text, result, is_first);
    }
    return ok;
}

bool filter_find_field(struct arena *a, value object, sv path, value *result) {
    struct path p;
    *result = (value){0};
    if (!filter_parse_path(a, path, &p)) {
        return false;
    }
    *result = value_find_path(object, p);
    return true;
}
