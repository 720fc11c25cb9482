/* JSON text with sealed leaves to values. Iterative. */
#include "seal/sealer.h"
#include "seal/stored.h"
#include "value/convert.h"
#include "value/walk.h"

struct decoder {
    struct sealer *sealer; /* NULL: leaves are not opened but reduced to their digests */
    struct arena *arena;
    struct buf place;
    struct seal_moved count;
};

struct decode_frame {
    struct list_builder list;
    struct map_builder map;
    size_t place_len;
};

/* What stood in a box: markers of unknowns and of wrapped maps may be in it, but no sealed leaves. */
static value parse_plain(struct arena *a, sv text) {
    struct stored_json info;
    value v = stored_parse(a, text, &info);
    if (!info.has_marker) {
        return v;
    }
    sv why;
    size_t offset;
    struct limits limits = limits_default; /* boxes are as deep and as long as the values they came from */
    limits.nesting = 4 * limits.list_items;
    limits.document_bytes = UINT32_MAX - 1;
    return value_parse_json(a, text, &limits, true, &why, &offset);
}

static value open_leaf(struct decoder *d, value marker) {
    sv digest = value_get_text(value_map_find(marker, SV("digest")));
    sv box = value_get_text(value_map_find(marker, SV("box")));
    sv plain;
    if (d->sealer == NULL) {
        return value_bytes(d->arena, digest); /* JSON has no bytes: equal to nothing else */
    }
    if (box.len > 0 && box_open(d->sealer, d->arena, buf_get_sv(&d->place), box, &plain)) {
        value v = parse_plain(d->arena, plain);
        crypto_wipe((char *)(uintptr_t)plain.data, plain.len);
        if (!value_is_error(v)) {
            d->count.moved++;
            return value_mark(v, MARK_SENSITIVE);
        }
    }
    d->count.left++;
    return unopened_new(d->arena, digest, box);
}

/* What a marker stands for; other values as they are. A user's map that comes out of its wrapper is not looked at
 * again, only what is in it. */
static value read_marker(struct decoder *d, value v) {
    if (v.kind != VALUE_MAP) {
        return v;
    }
    value what = value_map_find(v, SV("$lintel"));
    sv kind = value_get_text(what);
    if (what.kind != VALUE_STRING) {
        return v;
    }
    if (sv_eq_cstr(kind, "sealed")) {
        return open_leaf(d, v);
    }
    if (d->sealer == NULL) {
        return v;
    }
    if (sv_eq_cstr(kind, "unknown")) {
        bool secret = value_map_has(v, SV("sensitive"));
        return secret ? value_mark(value_unknown(NULL), MARK_SENSITIVE) : value_unknown(NULL);
    }
    value entries = value_map_find(v, SV("entries"));
    if (sv_eq_cstr(kind, "map") && entries.kind == VALUE_MAP) {
        return entries;
    }
    sv bytes;
    if (sv_eq_cstr(kind, "bytes") &&
        crypto_parse_base64(d->arena, value_get_text(value_map_find(v, SV("base64"))), &bytes)) {
        return value_bytes(d->arena, bytes);
    }
    return v;
}

static void enter(struct decoder *d, struct walk *w, value v, size_t place_len) {
    struct decode_frame *f = ARENA_NEW(&w->spill, struct decode_frame);
    *f = (struct decode_frame){.list = {.arena = d->arena}, .map = {.arena = d->arena}, .place_len = place_len};
    walk_push(w, v)->data = f;
}

static void put(struct walk_frame *frame, value v) {
    struct decode_frame *f = frame->data;
    if (frame->container.kind == VALUE_LIST) {
        list_add(&f->list, v);
    } else {
        map_add(&f->map, frame->container.map->entries[frame->next - 1].key, v);
    }
}

static void visit(struct decoder *d, struct walk *w, const struct walk_item *it) {
    size_t place_len = d->place.len;
    if (it->in_map) {
        place_add_key(&d->place, it->key);
    } else {
        place_add_index(&d->place, it->index);
    }
    bool is_plain = !value_is_container(it->item);
    value v = is_plain ? it->item : read_marker(d, it->item);
    /* a container that came out of a box is complete; others are gone through */
    if (value_is_container(v) && (v.marks & MARK_SENSITIVE) == 0) {
        enter(d, w, v, place_len);
        return;
    }
    put(walk_top(w), v);
    d->place.len = place_len;
}

static value decode_tree(struct decoder *d, value root) {
    value v = read_marker(d, root);
    if (!value_is_container(v) || (v.marks & MARK_SENSITIVE) != 0) {
        return v;
    }
    struct walk w;
    walk_init(&w);
    enter(d, &w, v, d->place.len);
    while (w.depth > 0) {
        struct walk_item it;
        if (walk_next(&w, &it)) {
            visit(d, &w, &it);
            continue;
        }
        struct walk_frame *top = walk_top(&w);
        struct decode_frame *f = top->data;
        v = top->container.kind == VALUE_LIST ? list_done(&f->list) : map_done(&f->map);
        d->place.len = f->place_len;
        walk_pop(&w);
        if (w.depth > 0) {
            put(walk_top(&w), v);
        }
    }
    walk_fini(&w);
    return v;
}

value decode_counting(struct sealer *s, struct arena *a, const struct seal_place *at, sv json, struct seal_moved *count,
                      struct diags *diags) {
    struct stored_json info;
    value v = stored_parse(a, json, &info);
    if (value_is_error(v)) {
        struct diag *d =
            diags_add(diags, DIAG_state_corrupt, SPAN_NONE, "what is stored of '%.*s' is damaged: %s at byte %zu",
                      SV_ARG(at->address), info.why, info.offset);
        diag_set_hint(diags, d, "restore the state from a backup");
        return v;
    }
    if (!info.has_marker) {
        return v;
    }
    struct decoder d = {.sealer = s, .arena = a, .place = BUF(a)};
    place_start(&d.place, at);
    v = decode_tree(&d, v);
    *count = d.count;
    return v;
}

value seal_decode(struct sealer *s, struct arena *a, const struct seal_place *at, sv json, size_t *unopened,
                  struct diags *diags) {
    struct seal_moved count = {0};
    value v = decode_counting(s, a, at, json, &count, diags);
    if (unopened != NULL) {
        *unopened += count.left;
    }
    return v;
}

bool seal_equal(struct arena *a, sv json_a, sv json_b) {
    if (sv_eq(json_a, json_b)) {
        return true;
    }
    struct stored_json info;
    value x = stored_parse(a, json_a, &info), y = stored_parse(a, json_b, &info);
    if (value_is_error(x) || value_is_error(y)) {
        return false;
    }
    struct decoder d = {.arena = a, .place = BUF(a)};
    x = decode_tree(&d, x);
    d.place.len = 0;
    return value_eq(x, decode_tree(&d, y));
}
