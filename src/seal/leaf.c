/* Places of leaves, and leaves that could not be opened. */
#include "seal/sealer.h"
#include "value/type.h"

static void add_sized(struct buf *path, sv text) {
    buf_printf(path, "%zu:", text.len);
    buf_append(path, text);
}

void place_start(struct buf *path, const struct seal_place *at) {
    add_sized(path, at->instance_id);
    add_sized(path, at->address);
}

void place_add_key(struct buf *path, sv key) {
    buf_append_char(path, '.');
    add_sized(path, key);
}

void place_add_index(struct buf *path, size_t index) {
    buf_printf(path, "[%zu", index);
}

/* What was stored hangs on the type of the UNKNOWN: a type that is `any` for everybody else, with two fields whose
 * names are digest and box. */

value unopened_new(struct arena *a, sv digest, sv box) {
    struct type_field *fields = ARENA_ARRAY(a, struct type_field, 2);
    fields[0] = (struct type_field){.name = digest, .type = &type_any, .sensitive = true};
    fields[1] = (struct type_field){.name = box, .type = &type_any, .sensitive = true};
    struct type *t = ARENA_NEW(a, struct type);
    *t = (struct type){.kind = TYPE_ANY, .fields = fields, .field_count = 2, .sensitive = true};
    return value_mark(value_unknown(t), MARK_SENSITIVE);
}

const struct type_field *unopened_find(value v, size_t *count) {
    bool ours = v.kind == VALUE_UNKNOWN && (v.marks & MARK_SENSITIVE) != 0 && v.type != NULL &&
                v.type->kind == TYPE_ANY && v.type->field_count == 2;
    *count = ours ? 2 : 0;
    return ours ? v.type->fields : NULL;
}

bool seal_has_box(value v) {
    size_t count;
    const struct type_field *fields = unopened_find(v, &count);
    return fields != NULL && fields[1].name.len > 0;
}

sv seal_find_digest(value v) {
    size_t count;
    const struct type_field *fields = unopened_find(v, &count);
    return fields == NULL ? (sv){0} : fields[0].name;
}
