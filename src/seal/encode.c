/* Values to JSON text with sealed leaves.
 *
 * Invariant: no byte of a sensitive leaf gets into the text but inside a box. A value that is sensitive itself is one
 * leaf, containers too: their keys are as secret. Maps of users that have the key "$lintel" are wrapped as
 * value_write_json does, so that nothing in a document can pass for a sealed leaf. Iterative. */
#include "seal/sealer.h"
#include "value/type.h"
#include "value/walk.h"

struct encoder {
    struct sealer *sealer;
    struct arena *arena;
    struct buf out;
    struct buf place;
    struct arena secret;
};

static void put_sealed(struct encoder *e, sv digest, sv box) {
    buf_append(&e->out, SV("{\"$lintel\":\"sealed\",\"digest\":"));
    jsonw_quote(&e->out, digest);
    if (box.len > 0) {
        buf_append(&e->out, SV(",\"box\":"));
        jsonw_quote(&e->out, box);
    }
    buf_append_char(&e->out, '}');
}

static void put_secret(struct encoder *e, value leaf) {
    size_t count;
    const struct type_field *unopened = unopened_find(leaf, &count);
    if (unopened != NULL) {
        put_sealed(e, unopened[0].name, unopened[1].name);
        return;
    }
    if (leaf.kind == VALUE_UNKNOWN) {
        buf_append(&e->out, SV("{\"$lintel\":\"unknown\",\"sensitive\":true}"));
        return;
    }
    sv digest = seal_digest(e->sealer, e->arena, leaf);
    sv box = {0};
    if (e->sealer->keys->has_data) {
        sv plain = value_print_json(&e->secret, leaf, 0, REVEAL);
        box = box_make(e->sealer, e->arena, buf_get_sv(&e->place), plain);
    }
    put_sealed(e, digest, box);
}

static bool is_entered(value v) {
    return value_is_container(v) && value_is_sensitive(v) && (v.marks & MARK_SENSITIVE) == 0;
}

static bool needs_wrapping(value v) {
    return v.kind == VALUE_MAP && value_map_has(v, SV("$lintel"));
}

static void put_leaf(struct encoder *e, value v) {
    if ((v.marks & MARK_SENSITIVE) != 0) {
        put_secret(e, v);
        return;
    }
    struct jsonw w = JSONW(&e->out, 0); /* nothing sensitive is left in it */
    value_write_json(&w, v, REVEAL);
}

static void enter(struct encoder *e, struct walk *w, value v, size_t place_len) {
    if (needs_wrapping(v)) {
        buf_append(&e->out, SV("{\"$lintel\":\"map\",\"entries\":"));
    }
    buf_append_char(&e->out, v.kind == VALUE_LIST ? '[' : '{');
    walk_push(w, v)->data = (void *)(uintptr_t)place_len;
}

static void leave(struct encoder *e, struct walk *w) {
    struct walk_frame *f = walk_top(w);
    buf_append_char(&e->out, f->container.kind == VALUE_LIST ? ']' : '}');
    if (needs_wrapping(f->container)) {
        buf_append_char(&e->out, '}');
    }
    e->place.len = (size_t)(uintptr_t)f->data;
    walk_pop(w);
}

static void put_item(struct encoder *e, struct walk *w, const struct walk_item *it) {
    size_t place_len = e->place.len;
    if (it->index > 0) {
        buf_append_char(&e->out, ',');
    }
    if (it->in_map) {
        place_add_key(&e->place, it->key);
        jsonw_quote(&e->out, it->key);
        buf_append_char(&e->out, ':');
    } else {
        place_add_index(&e->place, it->index);
    }
    if (is_entered(it->item)) {
        enter(e, w, it->item, place_len);
        return;
    }
    put_leaf(e, it->item);
    e->place.len = place_len;
}

static void put_tree(struct encoder *e, value v) {
    struct walk w;
    walk_init(&w);
    enter(e, &w, v, e->place.len);
    while (w.depth > 0) {
        struct walk_item it;
        if (walk_next(&w, &it)) {
            put_item(e, &w, &it);
        } else {
            leave(e, &w);
        }
    }
    walk_fini(&w);
}

sv seal_encode(struct sealer *s, struct arena *a, const struct seal_place *at, value v) {
    if (!value_is_sensitive(v)) {
        return value_print_json(a, v, 0, REVEAL);
    }
    struct encoder e = {.sealer = s, .arena = a, .out = BUF(a), .secret = {.secret = true}};
    e.place = BUF(a);
    place_start(&e.place, at);
    if (is_entered(v)) {
        put_tree(&e, v);
    } else {
        put_leaf(&e, v);
    }
    arena_fini(&e.secret);
    return buf_get_sv(&e.out);
}
