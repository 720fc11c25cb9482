/* What the tests over the public YAML and JSON suites share: files, and events printed from a tree. */
#ifndef TESTS_DOC_SUITE_H
#define TESTS_DOC_SUITE_H

#include "base/buf.h"
#include "doc/reader.h"
#include "doc/writer.h"

/* One reading of one text. */
struct reading {
    struct arena arena;
    struct sources sources;
    struct diags diags;
    struct doc_stream *stream;
};

/* Reads text as `options` say. The caller closes it. */
void reading_open(struct reading *r, sv text, const struct doc_options *options);
void reading_close(struct reading *r);

/* A whole file; data is NULL when there is none. */
sv suite_read_file(struct arena *a, const char *path);
/* The stream as the YAML test suite writes it: "+STR", "+DOC", "=VAL :text" and so on, one event per line. */
void suite_print_events(struct buf *out, const struct doc_stream *stream);
/* Equal content, tags and anchors. */
bool suite_is_same(const struct node *a, const struct node *b);
/* Has it no document at all? The reader then makes an empty one, so that there is always a root. */
bool suite_is_empty(const struct doc_stream *stream);
/* Equal as JSON: numbers by value, the rest by text, pairs in any order. */
bool suite_means_same(const struct node *a, const struct node *b);
/* Names in a directory, sorted, without those that start with a dot; NULL when it cannot be read. */
char **suite_list(struct arena *a, const char *path, size_t *count);

#endif
