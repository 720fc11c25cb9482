#include "engine/inner_rows.h"

#include "engine/fields.h"
#include "value/walk.h"

enum { DEPTH = 6 }; /* how deep in their bodies rows lie */

static value move_text(struct inner_rows *r, sv address, value text, bool *changed) {
    struct diags ignored;
    struct arena scratch = {0};
    diags_init(&ignored, &scratch, NULL);
    struct seal_move move = {.from = r->from, .to = r->to, .diags = &ignored};
    struct seal_place place = {.instance_id = r->instance_id, .address = address};
    struct seal_moved count = {0};
    sv moved = seal_move(&move, r->arena, &place, value_get_text(text), &count);
    bool is_other = moved.len > 0 && count.moved > 0;
    r->moved += is_other ? count.moved : 0;
    *changed = *changed || is_other;
    arena_fini(&scratch);
    return is_other ? value_string(r->arena, moved) : text;
}

static bool is_row_text(sv key, value v) {
    return v.kind == VALUE_STRING && (v.marks & MARK_SENSITIVE) == 0 && sv_eq_cstr(key, "body") &&
           sv_find(value_get_text(v), SV("\"$lintel\"")) != SIZE_MAX;
}

/* Rows stand under their address, or beside it: {"address": …, "row": …}. */
static value move_rows(struct inner_rows *r, sv address, value v, unsigned depth, bool *changed) {
    if (depth == 0 || !value_is_container(v) || (v.marks & MARK_SENSITIVE) != 0) {
        return v;
    }
    if (v.kind == VALUE_LIST) {
        struct list_builder list = {.arena = r->arena};
        for (size_t i = 0; i < v.list->len; i++) {
            list_add(&list, move_rows(r, address, v.list->items[i], depth - 1, changed));
        }
        return list_done(&list);
    }
    struct map_builder b = {.arena = r->arena};
    sv beside = field_get_text(v, "address");
    for (size_t i = 0; i < v.map->len; i++) {
        sv key = v.map->entries[i].key;
        value item = v.map->entries[i].item;
        sv inner = sv_eq_cstr(key, "row") ? beside : key;
        map_add(&b, key,
                is_row_text(key, item) ? move_text(r, address, item, changed)
                                       : move_rows(r, inner, item, depth - 1, changed));
    }
    return map_done(&b);
}

bool inner_rows_may_have(sv json) {
    return sv_find(json, SV("\\\"$lintel\\\"")) != SIZE_MAX;
}

value inner_rows_move(struct inner_rows *r, value body, bool *changed) {
    *changed = false;
    return move_rows(r, (sv){0}, body, DEPTH, changed);
}
