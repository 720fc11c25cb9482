/* Trees as YAML and JSON (CF-214). */
#include "dialects/cfn/output.h"

#include "dialects/cfn/scalars.h"
#include "doc/writer.h"

#include <string.h>

/* --- YAML: the house's writer, with this dialect's scalars --- */

/* Infinities of JSON do not exist, so what the resolver calls bad is an integer beyond 64 bits: no string. */
static struct node *fix_number(struct cfn_run *run, const struct node *n) {
    struct node *made = ARENA_NEW(run->arena, struct node);
    *made = *n;
    made->flags &= (uint8_t)~CFN_NODE_JSON_NUMBER;
    made->text = cfn_scalar_get_text(run->arena, n, NULL);
    return made;
}

/* JSON numbers that YAML 1.1 would read as text are written in another way. */
static const struct node *fix(struct cfn_run *run, const struct node *n, struct depth_guard *depth) {
    if (n->kind == NODE_SCALAR)
        return (n->flags & CFN_NODE_JSON_NUMBER) != 0 ? fix_number(run, n) : n;
    if ((n->kind != NODE_MAPPING && n->kind != NODE_SEQUENCE) || !depth_enter(depth))
        return n;
    struct node *made = NULL;
    for (uint32_t i = 0; i < n->count; i++) {
        struct node *child = n->kind == NODE_MAPPING ? n->pairs[i].value : n->items[i];
        struct node *fixed = cfn_node_unconst(fix(run, child, depth));
        if (fixed == child)
            continue;
        if (made == NULL) {
            made = ARENA_NEW(run->arena, struct node);
            *made = *n;
            if (n->kind == NODE_MAPPING) {
                made->pairs = ARENA_ARRAY(run->arena, struct node_pair, n->count);
                memcpy(made->pairs, n->pairs, n->count * sizeof *n->pairs);
            } else {
                made->items = ARENA_ARRAY(run->arena, struct node *, n->count);
                memcpy(made->items, n->items, n->count * sizeof *n->items);
            }
        }
        if (n->kind == NODE_MAPPING)
            made->pairs[i].value = fixed;
        else
            made->items[i] = fixed;
    }
    depth_leave(depth);
    return made == NULL ? n : made;
}

void cfn_write_yaml(struct cfn_run *run, const struct node *root, struct buf *out) {
    static const struct yaml_style style = {
        .indent = 2,
        .indent_sequences = true,
        .literal_blocks = true,
        .resolver = cfn_resolve_scalar,
    };
    struct depth_guard depth = {.limit = 4 * run->limits.nesting};
    bool has_json = cfn_is_json(run->cfn) || run->included.len > 0;
    doc_write_yaml(out, has_json ? fix(run, root, &depth) : root, &style);
}

/* --- JSON: long forms --- */

struct json {
    struct cfn_run *run;
    struct jsonw w;
    struct depth_guard depth;
};

static void write_node(struct json *j, const struct node *n);

static void write_scalar(struct json *j, const struct node *n) {
    struct cfn_scalar s = cfn_scalar_read(j->run->arena, n);
    struct scalar plain;
    switch (s.kind) {
    case CFN_SCALAR_BOOL:
        jsonw_bool(&j->w, s.boolean);
        break;
    case CFN_SCALAR_INT:
    case CFN_SCALAR_FLOAT:
        plain = scalar_resolve_json(n->text);
        if (plain.kind == SCALAR_INT || plain.kind == SCALAR_FLOAT ||
            (plain.kind == SCALAR_BAD_NUMBER && s.is_large && sv_eq(s.text, n->text)))
            jsonw_raw(&j->w, n->text);
        else
            jsonw_raw(&j->w, cfn_scalar_get_text(j->run->arena, n, NULL));
        break;
    case CFN_SCALAR_STRING:
    case CFN_SCALAR_NULL:
    case CFN_SCALAR_BAD:
        jsonw_text(&j->w, n->text);
        break;
    }
}

static void write_children(struct json *j, const struct node *n) {
    if (!depth_enter(&j->depth)) {
        jsonw_null(&j->w);
        return;
    }
    if (n->kind == NODE_SEQUENCE)
        jsonw_begin_array(&j->w);
    else
        jsonw_begin_object(&j->w);
    for (uint32_t i = 0; i < n->count; i++) {
        if (n->kind == NODE_MAPPING)
            jsonw_key(&j->w, n->pairs[i].key->text);
        write_node(j, n->kind == NODE_MAPPING ? n->pairs[i].value : n->items[i]);
    }
    if (n->kind == NODE_SEQUENCE)
        jsonw_end_array(&j->w);
    else
        jsonw_end_object(&j->w);
    depth_leave(&j->depth);
}

static void write_plain(struct json *j, const struct node *n) {
    if (n->kind == NODE_SCALAR)
        write_scalar(j, n);
    else
        write_children(j, n);
}

/* `!GetAtt A.b` is a list of two in the long form. */
static void write_attribute(struct json *j, sv text) {
    size_t dot = sv_find_char(text, '.');
    jsonw_begin_array(&j->w);
    jsonw_text(&j->w, sv_slice(text, 0, dot));
    jsonw_text(&j->w, sv_slice(text, dot == SIZE_MAX ? text.len : dot + 1, text.len));
    jsonw_end_array(&j->w);
}

static void write_node(struct json *j, const struct node *n) {
    struct cfn_call call;
    bool is_short =
        n->props != NULL && cfn_call_get(n, &call) && call.is_short && call.function != CFN_UNKNOWN_FUNCTION;
    if (!is_short) {
        write_plain(j, n);
        return;
    }
    struct node *plain = cfn_node_untagged(j->run->arena, n);
    jsonw_begin_object(&j->w);
    jsonw_key(&j->w, cfn_function_get(call.function)->name);
    if (call.function == CFN_GET_ATT && n->kind == NODE_SCALAR)
        write_attribute(j, n->text);
    else if (n->kind == NODE_SCALAR)
        jsonw_text(&j->w, n->text);
    else
        write_plain(j, plain);
    jsonw_end_object(&j->w);
}

void cfn_write_json(struct cfn_run *run, const struct node *root, struct buf *out) {
    struct json j = {.run = run, .w = JSONW(out, 2), .depth = {.limit = 4 * run->limits.nesting}};
    write_node(&j, root);
    buf_append_char(out, '\n');
}
