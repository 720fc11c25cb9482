#include "check.h"

#include "doc/scalar.h"

#include <stdio.h>
#include <stdlib.h>

void check_that(bool holds, const char *why) {
    if (!holds) {
        fprintf(stderr, "broken: %s\n", why);
        abort();
    }
}

static void check_span(const struct checked *c, span at) {
    size_t size = c->stream->source->bytes.len;
    check_that(at.source == c->stream->source->id, "a span has its source");
    check_that(at.offset <= size && at.length <= size - at.offset, "a span lies inside the source");
}

/* The place of each decoded byte lies inside the scalar's source, and the places never go back. */
static void check_places(const struct checked *c, const struct node *n) {
    struct arena scratch = {0};
    const uint32_t *offsets = node_map_offsets(&scratch, &c->sources, n);
    for (size_t i = 0; offsets && i <= n->text.len; i++) {
        check_that(offsets[i] >= n->at.offset && offsets[i] <= c->stream->source->bytes.len, "places lie in the file");
        check_that(i == 0 || offsets[i] >= offsets[i - 1], "places never go back");
    }
    if (!offsets && n->style != NODE_EMPTY && n->text.len > 0) {
        span at = node_map_span(&c->sources, n, 0, n->text.len);
        check_that(sv_eq(span_get_text(&c->sources, at), n->text), "text that needs no decoding is the file's");
    }
    check_span(c, node_map_span(&c->sources, n, n->text.len / 2, n->text.len));
    arena_fini(&scratch);
}

static void check_node(struct checked *c, const struct node *n) {
    check_that(n != NULL, "no node is missing");
    if (!n)
        return;
    check_span(c, n->at);
    if (n->kind == NODE_SCALAR) {
        check_places(c, n);
        struct scalar s = scalar_resolve_node(n, scalar_resolve_core);
        c->has_bad_number = c->has_bad_number || s.kind == SCALAR_BAD_NUMBER;
    }
    /* Recursion is bounded by the reader's limit on nesting. */
    for (uint32_t i = 0; i < n->count && n->kind == NODE_SEQUENCE; i++)
        check_node(c, n->items[i]);
    for (uint32_t i = 0; i < n->count && n->kind == NODE_MAPPING; i++) {
        check_node(c, n->pairs[i].key);
        check_node(c, n->pairs[i].value);
    }
}

void check_open(struct checked *c, const uint8_t *data, size_t size, const struct doc_options *options) {
    *c = (struct checked){0};
    sources_init(&c->sources, &c->arena);
    diags_init(&c->diags, &c->arena, &c->sources);
    sv text = arena_copy_sv(&c->arena, sv_make((const char *)data, size));
    c->stream = doc_read(&c->arena, sources_add(&c->sources, SV("fuzz"), text), options, &c->diags);
    check_that(c->stream->documents.len > 0, "there is always a document");
    check_that(c->stream->has_errors == (c->diags.errors > 0), "errors are reported, and only errors");
    for (size_t i = 0; i < c->diags.items.len; i++)
        check_span(c, c->diags.items.items[i]->at);
    for (size_t i = 0; i < c->stream->comments.len; i++)
        check_span(c, c->stream->comments.items[i].at);
    for (size_t i = 0; i < c->stream->documents.len; i++)
        check_node(c, c->stream->documents.items[i].root);
}

void check_close(struct checked *c) {
    arena_fini(&c->arena);
}
