#include "dialects/dynaml/document.h"

#include "base/base64.h"
#include "dialects/dynaml/scalars.h"
#include "doc/reader.h"

enum { SHOWN = 40 };

struct reading {
    struct dynaml_run *run;
    struct source *source;
    struct arena *nodes; /* and what is needed only while they are typed */
    sv problem, hint;    /* the first; empty: none */
    span at;
    const char *limit; /* that the problem is; NULL: none */
    uint64_t limit_value;
    size_t alias_nodes;
    bool is_alias;   /* what is typed stands at an alias */
    span alias_at;   /* the outermost one */
    bool copies_all; /* the nodes go */
};

static value read_node(struct reading *t, const struct node *n, size_t depth, bool is_item);

static value fail(struct reading *t, span at, sv problem) {
    if (t->problem.len == 0) {
        t->problem = problem;
        t->at = at;
    }
    return value_error(NULL);
}

static value exceed(struct reading *t, span at, const char *limit, uint64_t limit_value) {
    if (t->problem.len == 0) {
        t->limit = limit;
        t->limit_value = limit_value;
    }
    return fail(t, at, SV("a limit is exceeded"));
}

/* --- scalars --- */

/* White space and padding carry no bits. */
static value decode_binary(struct reading *t, const struct node *n) {
    struct buf out = BUF(t->run->a);
    uint32_t bits = 0;
    unsigned count = 0;
    for (size_t i = 0; i < n->text.len; i++) {
        char c = n->text.data[i];
        int digit = base64_get_digit(c);
        if (digit < 0 && c != '=' && c != ' ' && c != '\n' && c != '\t' && c != '\r')
            return fail(t, n->at, SV("!!binary value contains invalid base64 data"));
        if (digit < 0)
            continue;
        bits = bits << 6 | (uint32_t)digit;
        count += 6;
        if (count >= 8) {
            count -= 8;
            buf_append_char(&out, (char)(bits >> count & 255));
        }
    }
    return value_bytes(t->run->a, buf_get_sv(&out));
}

/* A text of a node: of the source's bytes, or decoded. */
static sv keep_text(const struct reading *t, sv text) {
    sv bytes = t->source->bytes;
    uintptr_t at = (uintptr_t)text.data, start = (uintptr_t)bytes.data;
    bool is_of_source = text.len == 0 || (at >= start && at - start < bytes.len);
    return is_of_source || !t->copies_all ? text : arena_copy_sv(t->run->a, text);
}

static bool is_binary(const struct node *n) {
    return n->props != NULL && sv_eq(n->props->tag, SV("tag:yaml.org,2002:binary"));
}

static value read_string(struct reading *t, sv text) {
    sv inner;
    value v = value_string(t->run->a, keep_text(t, text));
    if (dynaml_is_expression(text, &inner))
        v.word = WORD_LIVE;
    return v;
}

static struct scalar resolve(const struct node *n) {
    if (n->style == NODE_PLAIN || n->style == NODE_EMPTY)
        return dynaml_resolve_scalar(n->text);
    return (struct scalar){.kind = SCALAR_STRING, .text = n->text};
}

static value read_scalar(struct reading *t, const struct node *n) {
    if (is_binary(n))
        return decode_binary(t, n);
    struct scalar s = resolve(n);
    switch (s.kind) {
    case SCALAR_NULL:
        return value_null();
    case SCALAR_BOOL:
        return value_bool(s.boolean);
    case SCALAR_INT:
        return value_int(s.integer);
    case SCALAR_FLOAT:
        return value_float(s.number);
    case SCALAR_STRING:
    case SCALAR_BAD_NUMBER:
        return read_string(t, n->text);
    }
    return value_null();
}

/* --- keys (DY-013, DY-014) --- */

static const struct node *follow(const struct node *n) {
    while (n != NULL && n->kind == NODE_ALIAS)
        n = n->props == NULL ? NULL : n->props->target;
    return n;
}

static const char *get_key_text(struct arena *a, const struct node *key) {
    struct buf out = BUF(a);
    if (key->kind == NODE_MAPPING)
        return "map";
    if (key->kind == NODE_SEQUENCE)
        return "list";
    struct scalar s = resolve(key);
    if (s.kind == SCALAR_NULL)
        return "<nil>";
    if (s.kind == SCALAR_BOOL)
        return s.boolean ? "true" : "false";
    if (s.kind == SCALAR_INT)
        buf_printf(&out, "%lld", (long long)s.integer);
    else
        dynaml_print_float(&out, s.number);
    return arena_copy_cstr(a, buf_get_sv(&out));
}

static bool take_key(struct reading *t, const struct node *written, sv *key) {
    const struct node *n = follow(written);
    if (n == NULL || n->kind == NODE_ERROR)
        return false;
    if (n->kind == NODE_SCALAR && resolve(n).kind == SCALAR_STRING && !is_binary(n)) {
        *key = keep_text(t, n->text);
        return true;
    }
    bool is_first = t->problem.len == 0;
    fail(t, written->at, arena_printf(t->run->a, "map key must be a string: %s", get_key_text(t->run->a, n)));
    if (is_first && n->kind == NODE_SCALAR)
        t->hint = arena_printf(t->run->a, "quote this key: \"%.*s\"", SV_ARG(sv_slice(n->text, 0, SHOWN)));
    return false;
}

static void warn_duplicate(struct reading *t, const struct node *key, sv text) {
    struct text_pos pos = source_get_pos(t->source, key->at.offset);
    VEC_PUSH(t->run->a, &t->run->warnings,
             arena_printf(t->run->a, "warning: %.*s:%zu: duplicate key '%.*s'", SV_ARG(t->source->name), pos.line,
                          SV_ARG(text)));
}

/* --- containers --- */

static value read_map(struct reading *t, const struct node *n, size_t depth, bool is_item) {
    struct map_builder b = {.arena = t->run->a, .cap = n->count};
    uint32_t word = 0;
    b.entries = ARENA_ARRAY(t->nodes, struct value_entry, n->count);
    for (uint32_t i = 0; i < n->count; i++) {
        sv key;
        if (!take_key(t, n->pairs[i].key, &key))
            continue;
        value v = read_node(t, n->pairs[i].value, depth + 1, false);
        bool is_special = sv_eq(key, SV("<<")) || (is_item && sv_has_prefix(key, SV("key:")));
        word |= (v.word & WORD_LIVE) | (is_special ? WORD_LIVE : 0);
        if ((n->pairs[i].key->flags & NODE_DUPLICATE) != 0) {
            warn_duplicate(t, n->pairs[i].key, key);
            map_set(&b, key, v);
        } else {
            map_add(&b, key, v);
        }
    }
    value v = map_done(&b);
    v.word = word;
    return v;
}

static value read_list(struct reading *t, const struct node *n, size_t depth) {
    struct arena *a = t->run->a;
    value *items = ARENA_ARRAY(t->nodes, value, (size_t)n->count + 1);
    uint32_t word = 0;
    for (uint32_t i = 0; i < n->count; i++) {
        items[i] = read_node(t, n->items[i], depth + 1, true);
        word |= items[i].word & WORD_LIVE;
    }
    value v = value_list_of(a, items, n->count);
    v.word = word;
    return v;
}

/* An alias is a copy, of bounded number and depth (DY-015, DY-362). */
static value read_alias(struct reading *t, const struct node *n, size_t depth, bool is_item) {
    const struct node *target = follow(n);
    if (target == NULL)
        return fail(t, n->at, SV("unknown anchor, or an alias inside its own anchor"));
    bool was_alias = t->is_alias;
    t->alias_at = was_alias ? t->alias_at : n->at;
    t->is_alias = true;
    value v = read_node(t, target, depth, is_item);
    t->is_alias = was_alias;
    return v;
}

static value read_node(struct reading *t, const struct node *n, size_t depth, bool is_item) {
    const struct dynaml_limits *l = &t->run->o.limits;
    if (depth > l->depth)
        return exceed(t, n->at, "depth", l->depth);
    if (t->is_alias && n->kind != NODE_ALIAS && ++t->alias_nodes > l->aliases)
        return exceed(t, t->alias_at, "aliases", l->aliases);
    switch ((enum node_kind)n->kind) {
    case NODE_SCALAR:
        return read_scalar(t, n);
    case NODE_SEQUENCE:
        return read_list(t, n, depth);
    case NODE_MAPPING:
        return read_map(t, n, depth, is_item);
    case NODE_ALIAS:
        return read_alias(t, n, depth, is_item);
    case NODE_ERROR:
        break;
    }
    return value_error(NULL);
}

/* --- documents --- */

static bool is_blank(const struct doc_stream *stream) {
    const struct document *d = &stream->documents.items[0];
    return stream->documents.len == 1 && d->root->kind == NODE_SCALAR && d->root->style == NODE_EMPTY &&
           d->root->props == NULL && !d->explicit_start;
}

static size_t count_breaks(sv text) {
    size_t count = 0;
    for (size_t i = 0; i < text.len; i++)
        count += text.data[i] == '\n';
    return count;
}

/* "yaml: PROBLEM at line L, column C" (DY-016). */
static sv describe(struct dynaml_run *run, struct source *source, span at, sv message) {
    struct text_pos pos = source_get_pos(source, at.offset);
    run->problem.message = message;
    run->problem.at = at;
    return arena_printf(run->a, "yaml: %.*s at line %zu, column %zu", SV_ARG(message), pos.line, pos.column);
}

/* DY-362 */
static sv describe_limit(struct dynaml_run *run, const struct reading *t) {
    struct text_pos pos = source_get_pos(t->source, t->at.offset);
    run->problem = (struct dynaml_problem){.message = t->problem,
                                           .hint = arena_printf(run->a, "raise it with --limit %s=N", t->limit),
                                           .at = t->at,
                                           .limit = sv_from_cstr(t->limit),
                                           .limit_value = t->limit_value};
    return arena_printf(run->a, "limit '%s' (%llu) exceeded in %.*s at line %zu, column %zu", t->limit,
                        (unsigned long long)t->limit_value, SV_ARG(t->source->name), pos.line, pos.column);
}

static sv describe_first(struct reading *t, const struct diags *diags) {
    struct dynaml_run *run = t->run;
    for (size_t i = 0; i < diags->items.len; i++) {
        const struct diag *d = diags->items.items[i];
        if (d->level != DIAG_ERROR)
            continue;
        if (d->code == DIAG_limit_exceeded && sv_has_prefix(d->message, SV("nesting"))) {
            exceed(t, d->at, "depth", run->o.limits.depth);
            return describe_limit(run, t);
        }
        run->problem.hint = d->hint;
        return describe(run, t->source, d->at, d->message);
    }
    return SV("yaml: cannot be read");
}

/* What the source's nodes stand for; NULL with `*why` told. */
static struct dynaml_document *read_stream(struct reading *t, sv name, sv *why) {
    struct dynaml_run *run = t->run;
    struct diags diags;
    struct doc_options options = doc_options_yaml;
    options.limits = &run->limits;
    diags_init(&diags, run->a, run->o.sources);
    struct doc_stream *stream = doc_read(t->nodes, t->source, &options, &diags);
    if (stream->has_errors) {
        *why = describe_first(t, &diags);
        return NULL;
    }
    if (is_blank(stream)) {
        *why = arena_printf(run->a, "Expected document start at line %zu, column 0", count_breaks(t->source->bytes));
        return NULL;
    }
    struct dynaml_document *d = ARENA_NEW(run->a, struct dynaml_document);
    const struct node *root = stream->documents.items[0].root;
    *d = (struct dynaml_document){.name = name, .root = t->copies_all ? NULL : root, .source = t->source};
    d->written = read_node(t, root, 0, false);
    if (t->problem.len > 0) {
        if (t->limit == NULL)
            run->problem.hint = t->hint;
        *why = t->limit != NULL ? describe_limit(run, t) : describe(run, t->source, t->at, t->problem);
        return NULL;
    }
    if (stream->documents.len > 1)
        VEC_PUSH(run->a, &run->warnings,
                 arena_printf(run->a, "warning: %.*s: only the first document is used", SV_ARG(name)));
    return d;
}

struct dynaml_document *dynaml_read(struct dynaml_run *run, sv name, struct source *source, sv *why) {
    struct arena scratch = {0};
    struct reading t = {.run = run, .source = source, .copies_all = run->o.is_lean};
    t.nodes = run->o.is_lean ? &scratch : run->a;
    run->problem = (struct dynaml_problem){0};
    struct dynaml_document *d = read_stream(&t, name, why);
    arena_fini(&scratch);
    return d;
}

bool document_parse_text(struct dynaml_run *run, sv text, value *result) {
    sv why;
    struct source *source = sources_add(run->o.sources, SV("exec"), arena_copy_sv(run->a, text));
    struct dynaml_document *d = dynaml_read(run, SV("exec"), source, &why);
    if (d == NULL)
        return false;
    *result = d->written;
    return true;
}

struct read_file *document_read_file(struct dynaml_run *run, sv path) {
    const struct dynaml_options *o = &run->o;
    struct read_file *f = ARENA_NEW(run->a, struct read_file);
    f->path = path;
    f->is_read = o->world->read(o->world->user, run->a, path, (size_t)o->limits.file, &f->bytes, &f->why);
    if (f->is_read && f->bytes.len <= o->limits.file) {
        struct source *source = sources_add(o->sources, path, f->bytes);
        f->document = dynaml_read(run, path, source, &f->why);
        f->limit = run->problem.limit;
        f->limit_value = run->problem.limit_value;
    }
    return f;
}
