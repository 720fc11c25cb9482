/* Readers: bytes in, tree out. YAML 1.2 in full, JSON (RFC 8259), JSON with comments (BP-017).
 *
 * Iterative, one pass, linear in the input, no recursion. UTF-8 is checked first; UTF-16 and UTF-32 are recognised and
 * refused by name. Every bound is checked before allocating. Recovering: after a syntax error reading goes on at the
 * next line that can start an entry, so several independent mistakes are reported and a half-typed file still gives a
 * tree (its broken parts are ERROR nodes). Mistakes are diagnostics: `invalid_encoding`, `invalid_syntax`,
 * `limit_exceeded`, and by options `duplicate_key`, `yaml_unsupported_feature`. */
#ifndef LINTEL_DOC_READER_H
#define LINTEL_DOC_READER_H

#include "base/limits.h"
#include "doc/node.h"
#include "text/diag.h"

enum doc_format {
    DOC_YAML = 1,
    DOC_JSON,
    DOC_JSONC,
};

/* What a dialect makes of a construct. 0 is DOC_ALLOW. */
enum doc_rule {
    DOC_ALLOW = 1,
    DOC_REFUSE, /* yaml_unsupported_feature, or duplicate_key, at its place */
};

struct doc_options {
    enum doc_format format;
    enum doc_rule duplicate_keys; /* DOC_REFUSE: error duplicate_key naming the first one's line (BP-020); DOC_ALLOW:
                                     marked only */
    enum doc_rule tags, anchors, merge_keys, many_documents, tag_directives;
    bool keep_comments;
    bool shares_anchors;         /* an anchor is seen in later documents, too (MD-013) */
    const struct limits *limits; /* NULL: limits_default */
};

/* The YAML 1.2 reader that refuses nothing, and the one of the blueprint dialect (BP-015). */
extern const struct doc_options doc_options_yaml;
extern const struct doc_options doc_options_blueprint;

/* Reads one source. Never NULL; `has_errors` of the stream tells whether something was reported. All lives in `a`.
 * There is always a first document: an EMPTY scalar for a YAML stream without any, an ERROR for bytes that could not be
 * read at all. Duplicates are scalar keys of equal text, however they are quoted. */
struct doc_stream *doc_read(struct arena *a, struct source *source, const struct doc_options *options,
                            struct diags *diags);

/* .yaml .yml .json .jsonc; 0 for another extension. */
enum doc_format doc_find_format(sv file_name);

#endif
