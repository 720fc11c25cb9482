/* Between document trees, JSON text and values. */
#ifndef LINTEL_VALUE_CONVERT_H
#define LINTEL_VALUE_CONVERT_H

#include "doc/scalar.h"
#include "doc/reader.h"
#include "value/value.h"

/* The value of a literal tree. Bad numbers are reported (`unsupported_number`), aliases expanded under
 * limits->alias_nodes, ERROR nodes become ERROR values. Of duplicate keys the last wins (where duplicates are allowed
 * at all). Iterative. */
value value_from_node(struct arena *a, const struct node *n, scalar_resolver resolver, const struct limits *limits,
                      struct diags *diags);
/* A scalar node's value, by the resolver. */
value value_from_scalar(struct arena *a, const struct node *n, scalar_resolver resolver, struct diags *diags);
/* A tree for the writers. Strings that need it are quoted by the writer. */
struct node *value_to_node(struct arena *a, value v, enum secrecy secrecy);

/* Strict RFC 8259 text (FN-103): duplicate keys and integers out of range are errors. On failure returns an ERROR value
 * and sets `why` (one sentence in `a`) and `offset` of the culprit. {"$lintel": "unknown"} is read back as UNKNOWN only
 * when `internal`. */
value value_parse_json(struct arena *a, sv text, const struct limits *limits, bool internal, sv *why, size_t *offset);

/* Text as a scalar type (BP-033): VALUE_INT, VALUE_FLOAT, VALUE_BOOL or VALUE_STRING; kind 0 when it does not parse. */
value value_parse_scalar(struct arena *a, sv text, enum value_kind kind);

#endif
