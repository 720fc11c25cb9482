#include "doc/format.h"

#include "doc/formatter.h"

/* What quotes and blocks say: a text, whatever it looks like. */
static bool is_written_as_text(const struct node *n) {
    return n->style != NODE_PLAIN && n->style != NODE_EMPTY;
}

static bool is_same_node(const struct node *a, const struct node *b) {
    static const struct node_props none = {0};
    const struct node_props *p = a->props ? a->props : &none, *q = b->props ? b->props : &none;
    if (a->kind != b->kind || a->count != b->count || !sv_eq(p->tag, q->tag) || !sv_eq(p->anchor, q->anchor))
        return false;
    if (a->kind == NODE_ALIAS)
        return sv_eq(a->text, b->text);
    return a->kind != NODE_SCALAR || (is_written_as_text(a) == is_written_as_text(b) && sv_eq(a->text, b->text));
}

/* Both trees, node by node. */
struct comparison {
    struct arena arena;
    VEC(const struct node *) nodes; /* two by two */
};

static void push_two(struct comparison *c, const struct node *a, const struct node *b) {
    VEC_PUSH(&c->arena, &c->nodes, a);
    VEC_PUSH(&c->arena, &c->nodes, b);
}

static void push_children(struct comparison *c, const struct node *a, const struct node *b) {
    for (uint32_t i = 0; i < a->count; i++) {
        if (a->kind == NODE_SEQUENCE) {
            push_two(c, a->items[i], b->items[i]);
        } else {
            push_two(c, a->pairs[i].key, b->pairs[i].key);
            push_two(c, a->pairs[i].value, b->pairs[i].value);
        }
    }
}

static bool is_same_tree(const struct node *a, const struct node *b) {
    struct comparison c = {0};
    bool is_same = true;
    push_two(&c, a, b);
    while (is_same && c.nodes.len > 0) {
        c.nodes.len -= 2;
        const struct node *x = c.nodes.items[c.nodes.len], *y = c.nodes.items[c.nodes.len + 1];
        is_same = is_same_node(x, y);
        if (is_same)
            push_children(&c, x, y);
    }
    arena_fini(&c.arena);
    return is_same;
}

/* The first line of a comment; further ones may have been moved. */
static sv get_first_line(sv text) {
    size_t end = 0;
    while (end < text.len && !char_is_break(text.data[end]))
        end++;
    return sv_trim(sv_slice(text, 0, end));
}

static bool is_same_stream(const struct doc_stream *a, const struct doc_stream *b) {
    if (a->documents.len != b->documents.len || a->comments.len != b->comments.len || b->has_errors)
        return false;
    for (size_t i = 0; i < a->comments.len; i++) {
        if (!sv_eq(get_first_line(a->comments.items[i].text), get_first_line(b->comments.items[i].text)))
            return false;
    }
    for (size_t i = 0; i < a->documents.len; i++) {
        if (!is_same_tree(a->documents.items[i].root, b->documents.items[i].root))
            return false;
    }
    return true;
}

/* What was written, read again. */
static bool check_result(const struct doc_stream *stream, sv text, const struct doc_options *options) {
    struct arena arena = {0};
    struct sources sources;
    struct diags diags;
    sources_init(&sources, &arena);
    diags_init(&diags, &arena, &sources);
    struct source *source = sources_add(&sources, SV("formatted"), text);
    struct doc_options unlimited = *options;
    struct limits limits = *(options->limits ? options->limits : &limits_default);
    limits.document_bytes = SIZE_MAX; /* indentation may have grown */
    unlimited.limits = &limits;
    bool is_same = is_same_stream(stream, doc_read(&arena, source, &unlimited, &diags));
    arena_fini(&arena);
    return is_same;
}

static void write_directive(struct formatter *f) {
    const char *end = f->p;
    while (end < f->end && !char_is_break(*end))
        end++;
    const char *next = end;
    while (end > f->p && char_is_blank(end[-1]))
        end--;
    format_start_token(f, JOIN_LINE, 0);
    format_take(f, (size_t)(end - f->p));
    format_skip_to(f, next);
}

/* Comments, directives and "..." before a document, and behind the last one. */
static void write_prefix(struct formatter *f) {
    for (;;) {
        format_read_gap(f, false);
        bool is_directive = f->p == f->line && format_is_at(f, '%');
        bool is_end = f->p == f->line && format_is_at(f, '.') && char_is_marker(f->p);
        if (f->format != DOC_YAML || (!is_directive && !is_end))
            return;
        format_write_comments(f, 0);
        if (is_directive) {
            write_directive(f);
        } else {
            format_start_token(f, JOIN_LINE, 0);
            format_take(f, 3);
        }
    }
}

static void write_document(struct formatter *f, const struct document *doc) {
    write_prefix(f);
    if (doc->explicit_start) {
        f->is_lost = f->is_lost || !format_is_at(f, '-') || !char_is_marker(f->p);
        format_write_comments(f, 0);
        format_start_token(f, JOIN_LINE, 0);
        if (!f->is_lost)
            format_take(f, 3);
    }
    if (!f->is_lost)
        format_write_root(f, doc->root, doc->explicit_start);
}

/* All of the stream. */
static void write_stream(struct formatter *f) {
    const struct doc_stream *stream = f->stream;
    for (size_t i = 0; i < stream->documents.len && !f->is_lost; i++)
        write_document(f, &stream->documents.items[i]);
    if (f->is_lost)
        return;
    write_prefix(f);
    format_write_comments(f, 0);
    format_end_line(f);
    f->is_lost = f->p != f->end;
}

static void report(struct formatter *f, struct diags *diags) {
    span at = span_make(f->stream->source, 0, 0);
    if (f->is_long) {
        diags_add(diags, DIAG_limit_exceeded, at, "the document would be longer than %zu bytes in canonical layout",
                  f->most);
        return;
    }
    struct diag *d = diags_add(diags, DIAG_internal_error, at, "the layout of this document cannot be made canonical");
    diag_set_hint(diags, d, "this is a bug in lintel: please report it together with the document");
}

/* A stream without errors. */
static enum format_result write_checked(struct buf *out, const struct doc_stream *stream,
                                        const struct doc_options *options, struct diags *diags) {
    enum { LONGEST = 4 }; /* times the limit of what is read */
    sv bytes = stream->source->bytes;
    struct formatter f = {.out = out,
                          .start = out->len,
                          .stream = stream,
                          .format = options->format,
                          .base = bytes.data,
                          .end = bytes.data + bytes.len,
                          .p = bytes.data,
                          .line = bytes.data};
    size_t limit = options->limits ? options->limits->document_bytes : limits_default.document_bytes;
    f.most = limit < INT32_MAX / LONGEST ? LONGEST * limit : INT32_MAX;
    write_stream(&f);
    sv written = sv_slice(buf_get_sv(out), f.start, out->len);
    bool is_good = !f.is_lost && check_result(stream, written, options);
    if (!is_good) {
        out->len = f.start;
        report(&f, diags);
    }
    arena_fini(&f.scratch);
    return is_good ? FORMAT_DONE : FORMAT_REFUSED;
}

enum format_result doc_format(struct buf *out, struct source *source, enum doc_format format,
                              const struct limits *limits, struct diags *diags) {
    struct doc_options options = doc_options_yaml;
    options.format = format;
    options.keep_comments = true;
    options.limits = limits;
    struct arena arena = {0};
    const struct doc_stream *stream = doc_read(&arena, source, &options, diags);
    enum format_result result = stream->has_errors ? FORMAT_BROKEN : write_checked(out, stream, &options, diags);
    arena_fini(&arena);
    return result;
}
