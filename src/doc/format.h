/* The canonical layout of a document: comments, blank lines, quotes and the text of every scalar are kept, indentation
 * and spacing are made the same everywhere (docs/formatting.md).
 *
 * Works on the source's bytes along the tree that the reader made of them, so that nothing has to be written anew that
 * stood there already. Linear, without recursion. Invariants, checked on every result before it is handed out: it reads
 * back to the same documents (kinds, texts, what is quoted, tags, anchors, order) with the same comments, and nothing
 * is lost. Formatting a second time changes nothing. */
#ifndef LINTEL_DOC_FORMAT_H
#define LINTEL_DOC_FORMAT_H

#include "base/buf.h"
#include "doc/reader.h"

enum format_result {
    FORMAT_DONE = 1,
    FORMAT_BROKEN, /* the document has syntax errors, which are reported; nothing is written */
    FORMAT_REFUSED /* limit_exceeded, or internal_error where an invariant does not hold, is reported; nothing is
                      written */
};

/* Appends the source's documents in canonical layout. What dialects refuse (tags, anchors, duplicate keys) is kept.
 * `limits` may be NULL. */
enum format_result doc_format(struct buf *out, struct source *source, enum doc_format format,
                              const struct limits *limits, struct diags *diags);

#endif
