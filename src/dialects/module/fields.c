#include "dialects/module/fields.h"

#include "base/num.h"
#include "doc/scalar.h"

#include <math.h>

enum { SHOWN = 60 };

/* --- scalars --- */

/* Integers beyond 64 bits are rounded, as all beyond 2^53 are (MD-111). */
static bool read_large(sv text, double *x) {
    for (size_t i = 0; i < text.len; i++) {
        bool is_sign = i == 0 && (text.data[i] == '-' || text.data[i] == '+');
        if (!is_sign && (text.data[i] < '0' || text.data[i] > '9'))
            return false;
    }
    sv digits = sv_has_prefix(text, SV("+")) ? sv_slice(text, 1, text.len) : text;
    return num_parse_double(digits, x) == NUM_OK && isfinite(*x);
}

value module_scalar(struct arena *a, const struct node *n, struct diags *diags) {
    struct scalar s = scalar_resolve_node(n, scalar_resolve_core);
    double x = 0;
    switch (s.kind) {
    case SCALAR_NULL:
        return value_null();
    case SCALAR_BOOL:
        return value_bool(s.boolean);
    case SCALAR_INT:
        return value_number((double)s.integer);
    case SCALAR_FLOAT:
        return value_number(s.number);
    case SCALAR_STRING:
        return value_string(a, s.text);
    case SCALAR_BAD_NUMBER:
        if (read_large(n->text, &x))
            return value_number(x);
        diags_add(diags, DIAG_unsupported_number, n->at, "number '%.*s' cannot be represented",
                  SV_ARG(sv_slice(n->text, 0, SHOWN)));
        return value_error(NULL);
    }
    return value_error(NULL);
}

bool module_is_null(const struct node *n) {
    return n->kind == NODE_SCALAR && (n->style == NODE_PLAIN || n->style == NODE_EMPTY) && n->text.len <= 4 &&
           scalar_resolve_node(n, scalar_resolve_core).kind == SCALAR_NULL;
}

bool module_has_expression(const struct node *n) {
    return n->kind == NODE_SCALAR && lang_has_substitution(&module_dialect, n->text);
}

static const struct expr *read_text(struct module_fields *f, const struct node *n) {
    struct expr_text t = {.text = n->text, .source = n->at.source};
    t.offsets = node_map_offsets(f->arena, f->sources, n);
    if (t.offsets == NULL)
        t.start = node_get_text_start(f->sources, n);
    struct parse_context c = {.arena = f->arena, .diags = f->diags, .limits = f->limits, .dialect = &module_dialect};
    return lang_parse_text(&c, &t, false, NULL);
}

static const struct expr *read_scalar(struct module_fields *f, const struct node *n) {
    if (module_has_expression(n))
        return read_text(f, n);
    value v = module_scalar(f->arena, n, f->diags);
    return value_is_error(v) ? expr_new_error(f->arena, n->at) : expr_new_literal(f->arena, n->at, v);
}

/* --- depth --- */

static bool enter(struct module_fields *f, const struct node *n) {
    if (f->depth >= f->limits->nesting) {
        diags_add(f->diags, DIAG_limit_exceeded, n->at, "this is nested deeper than %zu levels", f->limits->nesting);
        return false;
    }
    f->depth++;
    return true;
}

/* --- containers --- */

static const struct expr *read_node(struct module_fields *f, const struct node *n, bool is_meta);

static bool are_literals(const struct expr *const *items, size_t count) {
    for (size_t i = 0; i < count; i++) {
        if (items[i]->kind != EXPR_LITERAL)
            return false;
    }
    return true;
}

static const struct node *find_meta(const struct node *n, sv key, bool is_meta) {
    return is_meta && n->kind == NODE_MAPPING ? node_find(n, key) : NULL;
}

static bool is_key_of(const struct node_pair *pair, const char *name) {
    return pair->key->kind == NODE_SCALAR && sv_eq_cstr(pair->key->text, name);
}

/* A mapping without its meta keys. */
static const struct node *strip(struct module_fields *f, const struct node *n) {
    struct node *rest = ARENA_NEW(f->arena, struct node);
    *rest = *n;
    rest->pairs = ARENA_ARRAY(f->arena, struct node_pair, n->count);
    rest->count = 0;
    for (uint32_t i = 0; i < n->count; i++) {
        if (!is_key_of(&n->pairs[i], "if") && !is_key_of(&n->pairs[i], "for"))
            rest->pairs[rest->count++] = n->pairs[i];
    }
    return rest;
}

/* A container that is being read. */
struct collecting {
    struct module_fields *f;
    const struct expr **args;
    struct module_part *parts;
    uint32_t arg_count;
    size_t part_count;
    bool has_meta;
};

static void collect_init(struct collecting *c, struct module_fields *f, size_t parts) {
    *c = (struct collecting){.f = f};
    c->args = ARENA_ARRAY(f->arena, const struct expr *, parts * 3 + 1);
    c->parts = ARENA_ARRAY(f->arena, struct module_part, parts + 1);
}

static uint32_t push(struct collecting *c, const struct expr *e) {
    c->args[c->arg_count] = e;
    return c->arg_count++;
}

static void report_stray(struct module_fields *f, const struct node *n) {
    diags_add(f->diags, DIAG_module_value, node_find_pair(n, SV("for"))->key->at,
              "'for' is only allowed on an object inside a list");
}

static void collect(struct collecting *c, sv key, const struct node *n, bool is_item, bool is_meta) {
    const struct node *condition = find_meta(n, SV("if"), is_meta), *list = find_meta(n, SV("for"), is_meta);
    struct module_part *p = &c->parts[c->part_count++];
    *p = (struct module_part){.key = key, .list = MODULE_NO_PART, .condition = MODULE_NO_PART};
    if (list != NULL && !is_item)
        report_stray(c->f, n);
    if (list != NULL && is_item) {
        p->list = push(c, read_node(c->f, list, is_meta));
        p->list_at = list->at;
    }
    if (condition != NULL) {
        p->condition = push(c, read_node(c->f, condition, is_meta));
        p->condition_at = condition->at;
    }
    bool has_meta = condition != NULL || list != NULL;
    c->has_meta = c->has_meta || has_meta;
    p->body = push(c, read_node(c->f, has_meta ? strip(c->f, n) : n, is_meta));
}

static const struct expr *make_call(struct collecting *c, span at, bool is_map) {
    struct module_layout *l = ARENA_NEW(c->f->arena, struct module_layout);
    *l = (struct module_layout){.parts = c->parts, .count = c->part_count, .is_map = is_map};
    struct expr *e = expr_new_call(c->f->arena, at, &module_container, c->args, c->arg_count);
    e->call.data = l;
    return e;
}

static const struct expr *make_list(struct collecting *c, span at) {
    struct arena *a = c->f->arena;
    if (c->has_meta)
        return make_call(c, at, false);
    if (!are_literals(c->args, c->arg_count))
        return expr_new_list(a, at, c->args, c->arg_count);
    struct list_builder b = {.arena = a};
    for (uint32_t i = 0; i < c->arg_count; i++)
        list_add(&b, c->args[i]->literal);
    return expr_new_literal(a, at, list_done(&b));
}

static const struct expr *make_map(struct collecting *c, span at) {
    struct arena *a = c->f->arena;
    if (c->has_meta)
        return make_call(c, at, true);
    if (are_literals(c->args, c->arg_count)) {
        struct map_builder b = {.arena = a};
        for (uint32_t i = 0; i < c->arg_count; i++)
            map_set(&b, c->parts[i].key, c->args[i]->literal);
        return expr_new_literal(a, at, map_done(&b));
    }
    sv *keys = ARENA_ARRAY(a, sv, c->arg_count);
    for (uint32_t i = 0; i < c->arg_count; i++)
        keys[i] = c->parts[i].key;
    return expr_new_object(a, at, keys, c->args, c->arg_count);
}

static const struct expr *read_list(struct module_fields *f, const struct node *n, bool is_meta) {
    struct collecting c;
    collect_init(&c, f, n->count);
    for (uint32_t i = 0; i < n->count; i++)
        collect(&c, SV("-"), n->items[i], true, is_meta);
    return make_list(&c, n->at);
}

/* A key without text is no key at all for the parser's objects: NULL data would be a spread. */
static sv get_key(const struct node *key) {
    return key->text.data == NULL ? SV("") : key->text;
}

static const struct expr *read_map(struct module_fields *f, const struct node *n, bool is_meta) {
    struct collecting c;
    collect_init(&c, f, n->count);
    for (uint32_t i = 0; i < n->count; i++) {
        const struct node_pair *pair = &n->pairs[i];
        if (pair->key->kind == NODE_SCALAR && (pair->key->flags & NODE_DUPLICATE) == 0)
            collect(&c, get_key(pair->key), pair->value, false, is_meta);
    }
    return make_map(&c, n->at);
}

static const struct expr *read_node(struct module_fields *f, const struct node *n, bool is_meta) {
    if (n->kind == NODE_SCALAR)
        return read_scalar(f, n);
    if ((n->kind != NODE_SEQUENCE && n->kind != NODE_MAPPING) || !enter(f, n))
        return expr_new_error(f->arena, n->at);
    const struct expr *e = n->kind == NODE_SEQUENCE ? read_list(f, n, is_meta) : read_map(f, n, is_meta);
    f->depth--;
    return e;
}

const struct expr *module_field(struct module_fields *f, const struct node *n) {
    return read_node(f, n, false);
}

const struct expr *module_argument(struct module_fields *f, const struct node *n) {
    struct collecting c;
    if (find_meta(n, SV("for"), true) != NULL)
        report_stray(f, n);
    const struct node *condition = find_meta(n, SV("if"), true);
    if (condition == NULL)
        return read_node(f, n, true);
    collect_init(&c, f, 1);
    collect(&c, SV("argument"), n, false, true);
    const struct expr *e = make_call(&c, n->at, true);
    ((struct module_layout *)e->call.data)->is_root = true;
    return e;
}

/* --- data --- */

value module_data(struct module_fields *f, const struct node *n) {
    if (n->kind == NODE_SCALAR)
        return module_scalar(f->arena, n, f->diags);
    if ((n->kind != NODE_SEQUENCE && n->kind != NODE_MAPPING) || !enter(f, n))
        return value_error(NULL);
    struct list_builder items = {.arena = f->arena};
    struct map_builder entries = {.arena = f->arena};
    for (uint32_t i = 0; i < n->count; i++) {
        if (n->kind == NODE_SEQUENCE)
            list_add(&items, module_data(f, n->items[i]));
        else if (n->pairs[i].key->kind == NODE_SCALAR)
            map_set(&entries, n->pairs[i].key->text, module_data(f, n->pairs[i].value));
    }
    f->depth--;
    return n->kind == NODE_SEQUENCE ? list_done(&items) : map_done(&entries);
}

static bool check_text(struct module_fields *f, const struct node *n) {
    size_t at = sv_find(n->text, SV("${{"));
    if (at == SIZE_MAX)
        return true;
    struct diag *d = diags_add(f->diags, DIAG_module_syntax, node_map_span(f->sources, n, at, 3),
                               "expressions are not allowed here");
    diag_set_hint(f->diags, d, "this is read before anything is evaluated: write it out");
    return false;
}

bool module_check_plain(struct module_fields *f, const struct node *n) {
    bool is_plain = true;
    if (n->kind == NODE_SCALAR)
        return check_text(f, n);
    if ((n->kind != NODE_SEQUENCE && n->kind != NODE_MAPPING) || !enter(f, n))
        return false;
    for (uint32_t i = 0; i < n->count; i++)
        is_plain = module_check_plain(f, n->kind == NODE_SEQUENCE ? n->items[i] : n->pairs[i].value) && is_plain;
    f->depth--;
    return is_plain;
}
