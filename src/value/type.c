#include "value/type.h"

const struct type type_any = {.kind = TYPE_ANY};
const struct type type_null = {.kind = TYPE_NULL};
const struct type type_bool = {.kind = TYPE_BOOL};
const struct type type_int = {.kind = TYPE_INT};
const struct type type_float = {.kind = TYPE_FLOAT};
const struct type type_number = {.kind = TYPE_NUMBER};
const struct type type_string = {.kind = TYPE_STRING};
const struct type type_bytes = {.kind = TYPE_BYTES};
const struct type type_text = {.kind = TYPE_TEXT};
const struct type type_scalar = {.kind = TYPE_SCALAR};
const struct type type_list = {.kind = TYPE_LIST};
const struct type type_map = {.kind = TYPE_MAP};
const struct type type_function = {.kind = TYPE_FUNCTION};
const struct type type_absent = {.kind = TYPE_ABSENT};
const struct type type_list_of_strings = {.kind = TYPE_LIST, .item = &type_string};

const struct type *type_find_plain(const struct type *t) {
    static const struct type *const plain[] = {
        [TYPE_ANY] = &type_any,       [TYPE_NULL] = &type_null,         [TYPE_BOOL] = &type_bool,
        [TYPE_INT] = &type_int,       [TYPE_FLOAT] = &type_float,       [TYPE_NUMBER] = &type_number,
        [TYPE_STRING] = &type_string, [TYPE_BYTES] = &type_bytes,       [TYPE_TEXT] = &type_text,
        [TYPE_SCALAR] = &type_scalar, [TYPE_LIST] = &type_list,         [TYPE_MAP] = &type_map,
        [TYPE_OBJECT] = &type_map,    [TYPE_FUNCTION] = &type_function, [TYPE_ABSENT] = &type_absent,
        [TYPE_UNION] = &type_any,
    };
    return t == NULL ? NULL : plain[t->kind];
}

static const struct type *new_of(struct arena *a, enum type_kind kind, const struct type *item) {
    struct type *t = ARENA_NEW(a, struct type);
    t->kind = kind;
    t->item = item;
    return t;
}

const struct type *type_new_list(struct arena *a, const struct type *item) {
    return item == NULL || item->kind == TYPE_ANY ? &type_list : new_of(a, TYPE_LIST, item);
}

const struct type *type_new_map(struct arena *a, const struct type *item) {
    return item == NULL || item->kind == TYPE_ANY ? &type_map : new_of(a, TYPE_MAP, item);
}

static const struct type *or_any(const struct type *t) {
    return t == NULL ? &type_any : t;
}

/* Deeper values are just `any` below: a static type needs no more. */
enum { TYPE_DEPTH = 32 };

static const struct type *type_at(struct arena *a, value v, size_t depth);

static const struct type *type_of_list(struct arena *a, value v, size_t depth) {
    const struct type *item = NULL;
    for (size_t i = 0; i < v.list->len; i++) {
        const struct type *t = type_at(a, v.list->items[i], depth + 1);
        item = item == NULL ? t : type_join(a, item, t);
        if (item->kind == TYPE_ANY) {
            break;
        }
    }
    return type_new_list(a, item);
}

static const struct type *type_of_map(struct arena *a, value v, size_t depth) {
    struct type_field *fields = ARENA_ARRAY(a, struct type_field, v.map->len);
    for (size_t i = 0; i < v.map->len; i++) {
        value item = v.map->entries[i].item;
        fields[i] = (struct type_field){.name = v.map->entries[i].key,
                                        .type = type_at(a, item, depth + 1),
                                        .sensitive = (item.marks & MARK_SENSITIVE) != 0};
    }
    struct type *t = ARENA_NEW(a, struct type);
    *t = (struct type){.kind = TYPE_OBJECT, .fields = fields, .field_count = v.map->len};
    return t;
}

static const struct type *type_at(struct arena *a, value v, size_t depth) {
    if (depth > TYPE_DEPTH) {
        return &type_any;
    }
    switch ((enum value_kind)v.kind) {
    case VALUE_NULL:
        return &type_null;
    case VALUE_BOOL:
        return &type_bool;
    case VALUE_INT:
        return &type_int;
    case VALUE_FLOAT:
        return &type_float;
    case VALUE_STRING:
        return &type_string;
    case VALUE_BYTES:
        return &type_bytes;
    case VALUE_LIST:
        return type_of_list(a, v, depth);
    case VALUE_MAP:
        return type_of_map(a, v, depth);
    case VALUE_FUNCTION:
        return &type_function;
    case VALUE_ABSENT:
        return &type_absent;
    case VALUE_UNKNOWN:
        return or_any(v.type);
    case VALUE_ERROR:
    case VALUE_PENDING:
        return &type_any;
    }
    return &type_any;
}

const struct type *type_of_value(struct arena *a, value v) {
    return type_at(a, v, 0);
}

static bool fits_at(const struct type *wanted, const struct type *given, size_t depth);

static bool is_one_of(enum type_kind kind, const enum type_kind *kinds, size_t count) {
    for (size_t i = 0; i < count; i++) {
        if (kinds[i] == kind) {
            return true;
        }
    }
    return false;
}

/* Kinds that stand for several. Each other kind includes itself only, but for the widening of integers (BP-032). */
static bool kind_fits(enum type_kind wanted, enum type_kind given) {
    static const enum type_kind numbers[] = {TYPE_INT, TYPE_FLOAT, TYPE_NUMBER};
    static const enum type_kind texts[] = {TYPE_STRING, TYPE_BYTES, TYPE_TEXT};
    static const enum type_kind scalars[] = {TYPE_STRING, TYPE_INT,    TYPE_FLOAT, TYPE_NUMBER,
                                             TYPE_BOOL,   TYPE_SCALAR, TYPE_TEXT};
    if (wanted == given) {
        return true;
    }
    switch (wanted) {
    case TYPE_FLOAT:
    case TYPE_NUMBER:
        return is_one_of(given, numbers, 3) || given == TYPE_SCALAR;
    case TYPE_TEXT:
        return is_one_of(given, texts, 3) || given == TYPE_SCALAR;
    case TYPE_SCALAR:
        return is_one_of(given, scalars, 7);
    case TYPE_INT:
        return given == TYPE_NUMBER || given == TYPE_SCALAR; /* may be one */
    case TYPE_STRING:
        return given == TYPE_TEXT || given == TYPE_SCALAR;
    case TYPE_BYTES:
        return given == TYPE_TEXT;
    case TYPE_BOOL:
        return given == TYPE_SCALAR;
    case TYPE_MAP:
        return given == TYPE_OBJECT;
    case TYPE_OBJECT:
        return given == TYPE_MAP;
    case TYPE_ANY:
    case TYPE_NULL:
    case TYPE_LIST:
    case TYPE_FUNCTION:
    case TYPE_ABSENT:
    case TYPE_UNION:
        return false;
    }
    return false;
}

static const struct type_field *find_field(const struct type *t, sv name) {
    for (size_t i = 0; i < t->field_count; i++) {
        if (sv_eq(t->fields[i].name, name)) {
            return &t->fields[i];
        }
    }
    return NULL;
}

/* An object where a map or an object is wanted. */
static bool object_fits(const struct type *wanted, const struct type *given, size_t depth) {
    for (size_t i = 0; i < given->field_count; i++) {
        const struct type *place = or_any(wanted->item);
        if (wanted->kind == TYPE_OBJECT) {
            const struct type_field *field = find_field(wanted, given->fields[i].name);
            if (field == NULL && !wanted->open) {
                return false;
            }
            place = field == NULL ? &type_any : or_any(field->type);
        }
        if (!fits_at(place, or_any(given->fields[i].type), depth + 1)) {
            return false;
        }
    }
    for (size_t i = 0; wanted->kind == TYPE_OBJECT && !given->open && i < wanted->field_count; i++) {
        if (!wanted->fields[i].optional && find_field(given, wanted->fields[i].name) == NULL) {
            return false;
        }
    }
    return true;
}

static bool map_fits_object(const struct type *wanted, const struct type *given, size_t depth) {
    for (size_t i = 0; i < wanted->field_count; i++) {
        if (!wanted->fields[i].optional && !fits_at(or_any(wanted->fields[i].type), or_any(given->item), depth + 1)) {
            return false;
        }
    }
    return true;
}

static bool fits_some(const struct type *unions, const struct type *other, bool wanted_is_union, size_t depth) {
    for (size_t i = 0; i < unions->field_count; i++) {
        const struct type *t = or_any(unions->fields[i].type);
        if (wanted_is_union ? fits_at(t, other, depth + 1) : fits_at(other, t, depth + 1)) {
            return true;
        }
    }
    return false;
}

static bool fits_at(const struct type *wanted, const struct type *given, size_t depth) {
    wanted = or_any(wanted);
    given = or_any(given);
    if (wanted == given || wanted->kind == TYPE_ANY || given->kind == TYPE_ANY || given->kind == TYPE_ABSENT ||
        depth > TYPE_DEPTH) {
        return true;
    }
    if (wanted->kind == TYPE_UNION) {
        return fits_some(wanted, given, true, depth);
    }
    if (given->kind == TYPE_UNION) {
        return fits_some(given, wanted, false, depth);
    }
    if (!kind_fits(wanted->kind, given->kind)) {
        return false;
    }
    if (wanted->kind == TYPE_LIST || (wanted->kind == TYPE_MAP && given->kind == TYPE_MAP)) {
        return fits_at(wanted->item, given->item, depth + 1);
    }
    if (given->kind == TYPE_OBJECT) {
        return object_fits(wanted, given, depth);
    }
    return wanted->kind != TYPE_OBJECT || map_fits_object(wanted, given, depth);
}

bool type_fits(const struct type *wanted, const struct type *given) {
    return fits_at(wanted, given, 0);
}

/* 1 and 0 where the kind alone tells, -1 where parts must be looked at. */
static int fits_by_kind(const struct type *wanted, value v) {
    static const uint8_t scalars[] = {
        [VALUE_NULL] = TYPE_NULL,   [VALUE_BOOL] = TYPE_BOOL,     [VALUE_INT] = TYPE_INT,
        [VALUE_FLOAT] = TYPE_FLOAT, [VALUE_STRING] = TYPE_STRING, [VALUE_BYTES] = TYPE_BYTES};
    if (wanted == NULL || wanted->kind == TYPE_ANY) {
        return 1;
    }
    if (wanted->kind == TYPE_UNION) {
        return -1;
    }
    if (v.kind >= VALUE_NULL && v.kind <= VALUE_BYTES) {
        return kind_fits(wanted->kind, (enum type_kind)scalars[v.kind]);
    }
    bool any_item = wanted->item == NULL || wanted->item->kind == TYPE_ANY;
    if (v.kind == VALUE_LIST) {
        return wanted->kind != TYPE_LIST ? 0 : any_item ? 1 : -1;
    }
    if (v.kind == VALUE_MAP && wanted->kind != TYPE_OBJECT) {
        return wanted->kind != TYPE_MAP ? 0 : any_item ? 1 : -1;
    }
    return -1;
}

bool type_fits_value(const struct type *wanted, value v) {
    int by_kind = fits_by_kind(wanted, v);
    if (by_kind == 1 && wanted != NULL && wanted->kind == TYPE_FLOAT && v.kind == VALUE_INT) {
        return v.integer <= INT64_C(1) << 53 && v.integer >= -(INT64_C(1) << 53); /* BP-032 */
    }
    if (by_kind >= 0) {
        return by_kind == 1;
    }
    for (size_t i = 0; wanted->kind == TYPE_UNION && i < wanted->field_count; i++) {
        if (fits_by_kind(wanted->fields[i].type, v) == 1) {
            return true;
        }
    }
    struct arena scratch = {0};
    bool fits = type_fits(wanted, type_of_value(&scratch, v));
    arena_fini(&scratch);
    return fits;
}

static const struct type *join_at(struct arena *a, const struct type *x, const struct type *y, size_t depth);

enum { JOINED_FIELDS = 64 };

/* Objects with the same fields: the narrowest type of each field. NULL when they differ in their fields. */
static const struct type *join_objects(struct arena *a, const struct type *x, const struct type *y, size_t depth) {
    if (x->field_count != y->field_count || x->field_count > JOINED_FIELDS) {
        return NULL;
    }
    struct type_field *fields = ARENA_ARRAY(a, struct type_field, x->field_count + 1);
    for (size_t i = 0; i < x->field_count; i++) {
        const struct type_field *one = &x->fields[i], *other = find_field(y, one->name);
        if (other == NULL) {
            return NULL;
        }
        fields[i] = (struct type_field){.name = one->name,
                                        .type = join_at(a, one->type, other->type, depth + 1),
                                        .sensitive = one->sensitive || other->sensitive,
                                        .optional = one->optional || other->optional};
    }
    struct type *t = ARENA_NEW(a, struct type);
    *t = (struct type){.kind = TYPE_OBJECT,
                       .fields = fields,
                       .field_count = x->field_count,
                       .open = x->open || y->open,
                       .sensitive = x->sensitive || y->sensitive};
    return t;
}

static const struct type *join_at(struct arena *a, const struct type *x, const struct type *y, size_t depth) {
    x = or_any(x);
    y = or_any(y);
    if (x == y || (x->kind == y->kind && x->kind < TYPE_LIST)) {
        return x;
    }
    if (x->kind == TYPE_ABSENT || y->kind == TYPE_ABSENT) {
        return x->kind == TYPE_ABSENT ? y : x; /* none fits every place */
    }
    if (depth > TYPE_DEPTH) {
        return &type_any;
    }
    bool numbers = kind_fits(TYPE_NUMBER, x->kind) && kind_fits(TYPE_NUMBER, y->kind);
    if (numbers && x->kind != TYPE_SCALAR && y->kind != TYPE_SCALAR) {
        return &type_number;
    }
    if (x->kind == TYPE_LIST && y->kind == TYPE_LIST) {
        return type_new_list(a, join_at(a, x->item, y->item, depth + 1));
    }
    if (x->kind == TYPE_MAP && y->kind == TYPE_MAP) {
        return type_new_map(a, join_at(a, x->item, y->item, depth + 1));
    }
    if (x->kind == TYPE_OBJECT && y->kind == TYPE_OBJECT) {
        const struct type *joined = join_objects(a, x, y, depth);
        return joined != NULL ? joined : &type_map;
    }
    if ((x->kind == TYPE_MAP || x->kind == TYPE_OBJECT) && (y->kind == TYPE_MAP || y->kind == TYPE_OBJECT)) {
        return &type_map;
    }
    return x->kind == TYPE_FUNCTION && y->kind == TYPE_FUNCTION ? &type_function : &type_any;
}

const struct type *type_join(struct arena *a, const struct type *x, const struct type *y) {
    return join_at(a, x, y, 0);
}

const struct type *type_find_field(const struct type *t, sv name) {
    t = or_any(t);
    if (t->kind == TYPE_MAP) {
        return or_any(t->item);
    }
    if (t->kind == TYPE_OBJECT) {
        const struct type_field *field = find_field(t, name);
        return field != NULL ? or_any(field->type) : t->open ? &type_any : NULL;
    }
    if (t->kind == TYPE_UNION) {
        const struct type *found = NULL;
        for (size_t i = 0; i < t->field_count; i++) {
            const struct type *one = type_find_field(t->fields[i].type, name);
            found = found == NULL ? one : one == NULL || one == found ? found : &type_any;
        }
        return found;
    }
    return t->kind == TYPE_ANY ? &type_any : NULL;
}

const struct type *type_get_item(const struct type *t) {
    t = or_any(t);
    if (t->kind == TYPE_LIST) {
        return or_any(t->item);
    }
    if (t->kind == TYPE_UNION) {
        const struct type *found = NULL;
        for (size_t i = 0; i < t->field_count; i++) {
            const struct type *one = type_get_item(t->fields[i].type);
            found = found == NULL ? one : one == NULL || one == found ? found : &type_any;
        }
        return found;
    }
    return t->kind == TYPE_ANY ? &type_any : NULL;
}
