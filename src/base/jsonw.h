/* A JSON writer for machine output: events, diagnostics, plan files. Writes into a buf; commas and indentation are its
 * business. Text is escaped so that the output is valid JSON whatever the bytes: invalid UTF-8 becomes U+FFFD, control
 * characters (C1 and DEL too) become \n, \r, \t or \u00XX. */
#ifndef LINTEL_BASE_JSONW_H
#define LINTEL_BASE_JSONW_H

#include "base/buf.h"

struct jsonw {
    struct buf *out;
    unsigned depth;
    int indent;    /* spaces per level; 0 writes one line */
    bool has_item; /* something stands before in the current container */
    bool after_key;
};

#define JSONW(buffer, indent_spaces) ((struct jsonw){.out = (buffer), .indent = (indent_spaces)})

void jsonw_begin_object(struct jsonw *w);
void jsonw_end_object(struct jsonw *w);
void jsonw_begin_array(struct jsonw *w);
void jsonw_end_array(struct jsonw *w);
void jsonw_key(struct jsonw *w, sv key);
void jsonw_text(struct jsonw *w, sv text);
void jsonw_i64(struct jsonw *w, int64_t n);
void jsonw_u64(struct jsonw *w, uint64_t n);
void jsonw_double(struct jsonw *w, double x); /* finite; as num_print_double */
void jsonw_bool(struct jsonw *w, bool b);
void jsonw_null(struct jsonw *w);
/* A value that is JSON text already. */
void jsonw_raw(struct jsonw *w, sv json);
/* Key and value in one. */
void jsonw_put_text(struct jsonw *w, const char *key, sv text);
void jsonw_put_i64(struct jsonw *w, const char *key, int64_t n);
void jsonw_put_bool(struct jsonw *w, const char *key, bool b);
/* The escaped text with its quotes, appended to any buf. */
void jsonw_quote(struct buf *out, sv text);

#endif
