/* Resolvers: what a plain scalar means. Each dialect brings its own table; YAML 1.2 core (BP-013) and JSON are here. */
#ifndef LINTEL_DOC_SCALAR_H
#define LINTEL_DOC_SCALAR_H

#include "doc/node.h"

enum scalar_kind {
    SCALAR_NULL = 1,
    SCALAR_BOOL,
    SCALAR_INT,
    SCALAR_FLOAT,
    SCALAR_STRING,
    SCALAR_BAD_NUMBER, /* an integer outside 64 bits, an infinity, a NaN, an overflowing float (BP-018) */
};

struct scalar {
    enum scalar_kind kind;
    union {
        bool boolean;
        int64_t integer;
        double number;
        sv text;
    };
};

/* Resolves the text of a plain scalar. Pure. */
typedef struct scalar (*scalar_resolver)(sv plain_text);

struct scalar scalar_resolve_core(sv plain_text); /* YAML 1.2 core schema */
struct scalar scalar_resolve_json(sv plain_text); /* JSON literals and numbers only */
/* A scalar node: quoted and block styles are always strings (BP-014), and so is what has the tag `!` or `!!str`. */
struct scalar scalar_resolve_node(const struct node *n, scalar_resolver resolver);

#endif
