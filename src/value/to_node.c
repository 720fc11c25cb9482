/* Values as trees for the writers. */
#include "value/convert.h"

#include "doc/writer.h"
#include "value/walk.h"

static struct node *new_text_node(struct arena *a, sv text) {
    return node_new_scalar(a, text, NODE_DOUBLE_QUOTED);
}

static struct node *new_marker_node(struct arena *a, const char *what) {
    struct node_pair *pair = ARENA_NEW(a, struct node_pair);
    pair->key = new_text_node(a, SV("$lintel"));
    pair->value = new_text_node(a, sv_from_cstr(what));
    return node_new_mapping(a, pair, 1);
}

static bool is_hidden(value v, enum secrecy secrecy) {
    return secrecy == REDACT && (v.marks & MARK_SENSITIVE) != 0;
}

static struct node *new_leaf(struct arena *a, value v, enum secrecy secrecy) {
    if (is_hidden(v, secrecy)) {
        return new_text_node(a, SV("(sensitive)"));
    }
    if (v.kind == VALUE_STRING || v.kind == VALUE_BYTES) {
        return new_text_node(a, *v.text);
    }
    if (v.kind == VALUE_NULL || value_is_scalar(v)) {
        struct buf text = BUF(a);
        value_print_scalar(&text, v);
        return node_new_scalar(a, buf_get_sv(&text), NODE_PLAIN);
    }
    return new_marker_node(a, value_get_kind_name((enum value_kind)v.kind));
}

/* The array that takes the nodes of a container's items. */
static void push(struct walk *w, struct arena *a, value v) {
    struct walk_frame *f = walk_push(w, v);
    if (v.kind == VALUE_LIST) {
        f->data = ARENA_ARRAY(a, struct node *, v.list->len + 1);
    } else {
        f->data = ARENA_ARRAY(a, struct node_pair, v.map->len + 1);
    }
}

static struct node *pop(struct walk *w, struct arena *a) {
    struct walk_frame *f = walk_top(w);
    walk_pop(w);
    if (f->container.kind == VALUE_LIST) {
        return node_new_sequence(a, f->data, f->container.list->len);
    }
    return node_new_mapping(a, f->data, f->container.map->len);
}

static void place(struct walk *w, struct arena *a, struct node *n) {
    struct walk_frame *f = walk_top(w);
    size_t at = f->next - 1;
    if (f->container.kind == VALUE_LIST) {
        ((struct node **)f->data)[at] = n;
        return;
    }
    struct node_pair *pairs = f->data;
    pairs[at] = (struct node_pair){.key = new_text_node(a, f->container.map->entries[at].key), .value = n};
}

struct node *value_to_node(struct arena *a, value v, enum secrecy secrecy) {
    if (!value_is_container(v) || is_hidden(v, secrecy)) {
        return new_leaf(a, v, secrecy);
    }
    struct walk w;
    struct node *n = NULL;
    walk_init(&w);
    push(&w, a, v);
    while (w.depth > 0) {
        struct walk_item it;
        if (!walk_next(&w, &it)) {
            n = pop(&w, a);
            if (w.depth > 0) {
                place(&w, a, n);
            }
        } else if (value_is_container(it.item) && !is_hidden(it.item, secrecy)) {
            push(&w, a, it.item);
        } else {
            place(&w, a, new_leaf(a, it.item, secrecy));
        }
    }
    walk_fini(&w);
    return n;
}
