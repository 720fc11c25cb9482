#include "engine/snapshot.h"

#include "engine/edit.h"
#include "engine/fields.h"
#include "engine/journal.h"

value snapshot_encode_instance(struct arena *a, const struct store_instance *row) {
    struct map_builder b = {.arena = a};
    field_put_text(&b, "context", row->context);
    field_put_text(&b, "name", row->name);
    field_put_text(&b, "dialect", row->dialect);
    field_put_text(&b, "status", row->status);
    field_put_int(&b, "version", row->version);
    field_put_int(&b, "createdMs", row->created_ms);
    field_put_int(&b, "updatedMs", row->updated_ms);
    field_put_text(&b, "body", row->body);
    return map_done(&b);
}

void snapshot_decode_instance(value v, struct store_instance *s) {
    s->context = field_get_text(v, "context");
    s->name = field_get_text(v, "name");
    s->dialect = field_get_text(v, "dialect");
    s->status = field_get_text(v, "status");
    s->version = field_get_int(v, "version");
    s->created_ms = field_get_int(v, "createdMs");
    s->updated_ms = field_get_int(v, "updatedMs");
    s->body = field_get_text(v, "body");
}

static void prepare(struct arena *a, struct snapshot *s) {
    if (s->by_address.arena == NULL) {
        s->by_address = MAP(a);
    }
}

void snapshot_add(struct arena *a, struct snapshot *s, const struct earlier *e) {
    prepare(a, s);
    bool is_new;
    void **slot = map_get_slot(&s->by_address, e->address, &is_new);
    if (is_new) {
        VEC_PUSH(a, &s->items, *e);
        *slot = (void *)(uintptr_t)s->items.len;
    }
}

const struct earlier *snapshot_find(const struct snapshot *s, sv address) {
    uintptr_t number = s->by_address.arena == NULL ? 0 : (uintptr_t)map_find(&s->by_address, address);
    return number == 0 ? NULL : &s->items.items[number - 1];
}

static struct earlier decode_earlier(value v, sv address) {
    bool was_there = v.kind == VALUE_MAP && v.map->len > 0;
    struct earlier e = {.address = address, .was_there = was_there};
    if (was_there) {
        e.row = edit_decode_row(v, address);
    }
    return e;
}

/* --- journal --- */

static void take(struct record_codec *c, struct snapshot *s, sv address) {
    size_t kept = 0;
    for (size_t i = 0; i < s->left.len; i++) {
        if (!sv_eq(s->left.items[i].address, address)) {
            s->left.items[kept++] = s->left.items[i];
        }
    }
    s->left.len = kept;
    VEC_PUSH(c->arena, &s->taken, address);
}

bool snapshot_is_taken(const struct snapshot *s, sv address) {
    for (size_t i = 0; i < s->taken.len; i++) {
        if (sv_eq(s->taken.items[i], address)) {
            return true;
        }
    }
    return false;
}

static void read_saved(struct record_codec *c, const struct journal_row *row, struct snapshot *s) {
    struct seal_place place = {.instance_id = c->instance_id, .address = SV("journal")};
    bool is_left = sv_eq_cstr(row->action, SAVED_LEFT);
    if (sv_eq_cstr(row->action, SAVED_TAKEN)) {
        take(c, s, row->address);
        return;
    }
    if (!is_left && !sv_eq_cstr(row->action, SAVED_BEFORE)) {
        return;
    }
    value body = seal_decode(c->sealer, c->arena, &place, row->body, &c->unopened, c->diags);
    if (sv_eq_cstr(row->address, "instance")) {
        if (!value_is_set(s->instance)) {
            s->instance = field_get_value(body, "instance");
            s->was_empty = field_get_bool(body, "wasEmpty");
            s->history_number = field_get_int(body, "historyNumber");
        }
        return;
    }
    struct earlier e = decode_earlier(body, row->address);
    if (is_left) {
        VEC_PUSH(c->arena, &s->left, e);
    } else {
        snapshot_add(c->arena, s, &e);
    }
}

void snapshot_read_journal(struct record_codec *c, const struct journal_row *rows, size_t count, struct snapshot *s) {
    *s = (struct snapshot){0};
    prepare(c->arena, s);
    for (size_t i = 0; i < count; i++) {
        if (rows[i].kind == JOURNAL_SAVED) {
            read_saved(c, &rows[i], s);
        } else if (rows[i].kind == JOURNAL_INTENT && value_is_set(s->instance)) {
            /* without a row in front of it: nothing was there */
            struct earlier none = {.address = rows[i].address};
            snapshot_add(c->arena, s, &none);
        }
    }
}

/* --- history --- */

static value encode_earlier(struct arena *a, const struct earlier *e) {
    return e->was_there ? edit_encode_row(a, &e->row) : value_null();
}

void snapshot_encode(struct map_builder *b, const struct snapshot *s) {
    struct map_builder before = {.arena = b->arena};
    struct list_builder left = {.arena = b->arena};
    for (size_t i = 0; i < s->items.len; i++) {
        const struct earlier *e = &s->items.items[i];
        if (e->was_there || !s->was_empty) {
            map_add(&before, e->address, encode_earlier(b->arena, e));
        }
    }
    for (size_t i = 0; i < s->left.len; i++) {
        struct map_builder one = {.arena = b->arena};
        field_put_text(&one, "address", s->left.items[i].address);
        field_put_value(&one, "row", encode_earlier(b->arena, &s->left.items[i]));
        list_add(&left, map_done(&one));
    }
    map_add(b, SV("before"), map_done(&before));
    field_put_bool(b, "wasEmpty", s->was_empty);
    field_put_value(b, "instance", s->instance);
    field_put_value(b, "left", left.len == 0 ? (value){0} : list_done(&left));
}

bool snapshot_decode(struct arena *a, value body, struct snapshot *s) {
    *s = (struct snapshot){0};
    value edit = field_get_value(body, "edit");
    value before = field_get_value(edit.kind == VALUE_MAP ? edit : body, "before");
    prepare(a, s);
    s->was_empty = field_get_bool(body, "wasEmpty");
    s->instance = field_get_value(body, "instance");
    for (size_t i = 0; before.kind == VALUE_MAP && i < before.map->len; i++) {
        struct earlier e = decode_earlier(before.map->entries[i].item, before.map->entries[i].key);
        snapshot_add(a, s, &e);
    }
    const value *left;
    size_t count = field_get_items(body, "left", &left);
    for (size_t i = 0; i < count; i++) {
        struct earlier e = decode_earlier(field_get_value(left[i], "row"), field_get_text(left[i], "address"));
        VEC_PUSH(a, &s->left, e);
    }
    return before.kind == VALUE_MAP;
}
