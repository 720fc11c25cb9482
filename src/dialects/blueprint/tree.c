#include "dialects/blueprint/tree.h"

#include "dialects/blueprint/fields.h"
#include "model/schema_walk.h"
#include "value/convert.h"

void tree_enter_key(struct loader *l, sv key) {
    VEC_PUSH(&l->scratch, &l->path, ((struct path_step){.key = key}));
}

void tree_enter_index(struct loader *l, size_t index) {
    VEC_PUSH(&l->scratch, &l->path, ((struct path_step){.index = index, .is_index = true}));
}

void tree_leave(struct loader *l) {
    l->path.len--;
}

bool tree_wants_string(const struct schema *s) {
    if (s->type != SCHEMA_UNION) {
        return s->type == SCHEMA_STRING;
    }
    for (size_t i = 0; i < s->one_of_count; i++) {
        if (s->one_of[i]->type == SCHEMA_STRING || s->one_of[i]->type == SCHEMA_UNION) {
            return true;
        }
    }
    return false;
}

/* Which of the variants of a union a container may be: the only one of its kinds. NULL: none, or it cannot be told. */
static const struct schema *find_variant(const struct schema *s, enum schema_type one, enum schema_type other) {
    const struct schema *found = NULL;
    for (size_t i = 0; i < s->one_of_count; i++) {
        const struct schema *variant = s->one_of[i];
        if (variant->type == SCHEMA_UNION || ((variant->type == one || variant->type == other) && found != NULL)) {
            return NULL;
        }
        found = variant->type == one || variant->type == other ? variant : found;
    }
    return found;
}

bool tree_wants_text(const struct schema *s, const struct type *t) {
    if (s->type != SCHEMA_UNION) {
        return s->type == SCHEMA_STRING;
    }
    return tree_wants_string(s) && !schema_accepts_type(s, t, false);
}

const struct schema *tree_get_entry_schema(const struct schema *s, sv key) {
    if (s != NULL && s->type == SCHEMA_UNION) {
        s = find_variant(s, SCHEMA_OBJECT, SCHEMA_MAP);
    }
    if (s == NULL || s->type == SCHEMA_MAP) {
        return s == NULL ? NULL : s->items;
    }
    const struct schema_attribute *found = s->type == SCHEMA_OBJECT ? schema_find_attribute(s, key) : NULL;
    return found == NULL ? NULL : found->schema;
}

const struct schema *tree_get_item_schema(const struct schema *s) {
    if (s != NULL && s->type == SCHEMA_UNION) {
        s = find_variant(s, SCHEMA_ARRAY, SCHEMA_ARRAY);
    }
    return s != NULL && s->type == SCHEMA_ARRAY ? s->items : NULL;
}

const struct expr *tree_get_expr(struct loader *l, const struct part *p) {
    return p->expr != NULL ? p->expr : expr_new_literal(l->arena, p->at, p->literal);
}

static struct expr_text make_text(struct loader *l, const struct node *n) {
    struct expr_text text = {.text = n->text, .source = n->at.source};
    if ((n->flags & NODE_ESCAPED) != 0) {
        text.offsets = node_map_offsets(l->arena, l->request->sources, n);
    }
    if (text.offsets == NULL) {
        text.start = node_get_text_start(l->request->sources, n);
    }
    return text;
}

static struct part build_text(struct loader *l, const struct node *n, bool trim, bool *is_sole) {
    size_t from = loader_get_mark(l);
    struct expr_text text = make_text(l, n);
    struct part part = {.at = n->at};
    const struct expr *e = lang_parse_text(&l->parse, &text, trim, is_sole);
    if (e->kind == EXPR_LITERAL) {
        part.literal = e->literal;
    } else {
        part.expr = e;
    }
    if (loader_get_mark(l) != from && l->current != UINT32_MAX) {
        loader_tag(l, from, l->current);
    }
    return part;
}

static struct part build_literal(struct loader *l, const struct node *n) {
    size_t from = loader_get_mark(l);
    struct part part = {.at = n->at, .literal = value_from_scalar(l->arena, n, scalar_resolve_core, l->diags)};
    if (loader_get_mark(l) != from && l->current != UINT32_MAX) {
        loader_tag(l, from, l->current);
    }
    return part;
}

struct part tree_build_scalar(struct loader *l, const struct node *n, bool trim) {
    bool is_sole = false;
    return fields_has_substitution(n) ? build_text(l, n, trim, &is_sole) : build_literal(l, n);
}

const struct expr *tree_build_sole(struct loader *l, const struct node *n) {
    bool is_sole = false;
    if (!fields_has_substitution(n)) {
        return fields_is_broken(n) ? expr_new_error(l->arena, n->at) : NULL;
    }
    size_t errors = l->diags->errors;
    struct part part = build_text(l, n, true, &is_sole);
    if (l->diags->errors > errors) {
        return expr_new_error(l->arena, n->at);
    }
    return is_sole ? tree_get_expr(l, &part) : NULL;
}

static value scalar_to_text(struct arena *a, value v) {
    struct buf out = BUF(a);
    value_print_scalar(&out, v);
    return value_string(a, buf_get_sv(&out));
}

static struct part build_scalar(struct loader *l, const struct node *n, const struct schema *s) {
    if (!fields_has_substitution(n)) {
        return build_literal(l, n);
    }
    bool is_sole = false;
    struct part part = build_text(l, n, s != NULL && !tree_wants_string(s), &is_sole);
    bool is_scalar = is_sole && part.expr == NULL && value_is_scalar(part.literal);
    if (is_scalar && s != NULL && part.literal.kind != VALUE_STRING &&
        tree_wants_text(s, type_of_value(l->arena, part.literal))) {
        part.literal = scalar_to_text(l->arena, part.literal);
    }
    return part;
}

static struct part build_children(struct loader *l, const struct node *n, const struct schema *s);

struct part tree_build(struct loader *l, const struct node *n, const struct schema *s) {
    if (n->kind == NODE_SCALAR) {
        return build_scalar(l, n, s);
    }
    if (fields_is_broken(n)) {
        return (struct part){.at = n->at, .expr = expr_new_error(l->arena, n->at)};
    }
    if (!depth_enter(&l->depth)) {
        diags_add(l->diags, DIAG_limit_exceeded, n->at, "data nested more than %zu deep", l->depth.limit);
        return (struct part){.at = n->at, .expr = expr_new_error(l->arena, n->at)};
    }
    struct part part = build_children(l, n, s);
    depth_leave(&l->depth);
    return part;
}

/* The children of a mapping or sequence onto the stack of parts. */
static void push_children(struct loader *l, const struct node *n, const struct schema *s) {
    bool is_map = n->kind == NODE_MAPPING;
    const struct schema *item_schema = tree_get_item_schema(s);
    for (size_t i = 0; i < n->count; i++) {
        const struct node *key = is_map ? n->pairs[i].key : NULL;
        if (is_map && !fields_check_key(l, key)) {
            continue;
        }
        struct part part;
        if (is_map) {
            tree_enter_key(l, key->text);
            part = tree_build(l, n->pairs[i].value, tree_get_entry_schema(s, key->text));
            part.key = key->text;
        } else {
            tree_enter_index(l, i);
            part = tree_build(l, n->items[i], item_schema);
        }
        tree_leave(l);
        VEC_PUSH(&l->scratch, &l->parts, part);
    }
}

static value make_literal(struct loader *l, bool is_map, const struct part *parts, size_t count) {
    if (is_map) {
        struct map_builder map = {.arena = l->arena};
        for (size_t i = 0; i < count; i++) {
            map_add(&map, parts[i].key, parts[i].literal);
        }
        return map_done(&map);
    }
    struct list_builder list = {.arena = l->arena};
    for (size_t i = 0; i < count; i++) {
        list_add(&list, parts[i].literal);
    }
    return list_done(&list);
}

static const struct expr *make_expr(struct loader *l, span at, bool is_map, const struct part *parts, size_t count) {
    const struct expr **args = ARENA_ARRAY(l->arena, const struct expr *, count);
    sv *keys = is_map ? ARENA_ARRAY(l->arena, sv, count) : NULL;
    for (size_t i = 0; i < count; i++) {
        args[i] = tree_get_expr(l, &parts[i]);
        if (is_map) {
            keys[i] = parts[i].key.data == NULL ? SV("") : parts[i].key; /* a key without data would be a spread */
        }
    }
    return is_map ? expr_new_object(l->arena, at, keys, args, (uint32_t)count)
                  : expr_new_list(l->arena, at, args, (uint32_t)count);
}

static struct part build_children(struct loader *l, const struct node *n, const struct schema *s) {
    size_t base = l->parts.len;
    bool is_map = n->kind == NODE_MAPPING;
    push_children(l, n, s);
    size_t count = l->parts.len - base;
    const struct part *parts = count > 0 ? l->parts.items + base : NULL;
    bool is_literal = true;
    for (size_t i = 0; i < count; i++) {
        is_literal &= parts[i].expr == NULL;
    }
    struct part result = {.at = n->at};
    if (is_literal) {
        result.literal = make_literal(l, is_map, parts, count);
    } else {
        result.expr = make_expr(l, n->at, is_map, parts, count);
    }
    l->parts.len = base;
    return result;
}
