#include "doc/writer.h"

#include "base/jsonw.h"
#include "base/num.h"

struct open_node {
    const struct node *node;
    uint32_t next;
};

struct json_out {
    struct jsonw w;
    scalar_resolver resolver;
    struct arena arena;
    VEC(struct open_node) open;
};

/* Digits as JSON wants them: the text itself where it is JSON, else the number behind it. */
static void write_number(struct json_out *j, const struct node *n, const struct scalar *s) {
    struct scalar json = scalar_resolve_json(n->text);
    if (json.kind == SCALAR_INT || json.kind == SCALAR_FLOAT)
        jsonw_raw(&j->w, n->text);
    else if (s->kind == SCALAR_INT)
        jsonw_i64(&j->w, s->integer);
    else
        jsonw_double(&j->w, s->number);
}

static void write_scalar(struct json_out *j, const struct node *n) {
    struct scalar s = scalar_resolve_node(n, j->resolver);
    switch (s.kind) {
    case SCALAR_NULL:
        jsonw_null(&j->w);
        break;
    case SCALAR_BOOL:
        jsonw_bool(&j->w, s.boolean);
        break;
    case SCALAR_INT:
    case SCALAR_FLOAT:
        write_number(j, n, &s);
        break;
    case SCALAR_STRING:
    case SCALAR_BAD_NUMBER: /* JSON has no number for it */
        jsonw_text(&j->w, n->text);
        break;
    }
}

static const struct node *follow(const struct node *n) {
    while (n->kind == NODE_ALIAS && n->props && n->props->target)
        n = n->props->target;
    return n;
}

static void write_node(struct json_out *j, const struct node *n) {
    n = follow(n);
    switch ((enum node_kind)n->kind) {
    case NODE_SCALAR:
        write_scalar(j, n);
        return;
    case NODE_SEQUENCE:
        jsonw_begin_array(&j->w);
        break;
    case NODE_MAPPING:
        jsonw_begin_object(&j->w);
        break;
    case NODE_ALIAS:
    case NODE_ERROR:
        jsonw_null(&j->w);
        return;
    }
    struct open_node *o = VEC_ADD(&j->arena, &j->open);
    o->node = n;
    o->next = 0;
}

/* A key of JSON is text: of a key that is a collection, its kind. */
static sv get_key_text(const struct node *key) {
    key = follow(key);
    return key->kind == NODE_SCALAR ? key->text : sv_from_cstr(node_get_kind_name(key));
}

static void write_next(struct json_out *j) {
    struct open_node *o = VEC_LAST(&j->open);
    const struct node *n = o->node;
    if (o->next == n->count) {
        j->open.len--;
        if (n->kind == NODE_SEQUENCE)
            jsonw_end_array(&j->w);
        else
            jsonw_end_object(&j->w);
        return;
    }
    uint32_t i = o->next++;
    if (n->kind == NODE_MAPPING)
        jsonw_key(&j->w, get_key_text(n->pairs[i].key));
    write_node(j, n->kind == NODE_SEQUENCE ? n->items[i] : n->pairs[i].value);
}

void doc_write_json(struct buf *out, const struct node *root, unsigned indent, scalar_resolver resolver) {
    struct json_out j = {.w = JSONW(out, (int)indent), .resolver = resolver ? resolver : scalar_resolve_core};
    write_node(&j, root);
    while (j.open.len > 0)
        write_next(&j);
    arena_fini(&j.arena);
}
