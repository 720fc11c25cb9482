/* Scalars of YAML 1.1 as CloudFormation reads them (CF-011, CF-012, CF-020, CF-021). Internal to the room. */
#ifndef LINTEL_DIALECTS_CFN_SCALARS_H
#define LINTEL_DIALECTS_CFN_SCALARS_H

#include "doc/scalar.h"

/* node.flags of this room: a JSON number that YAML 1.1 would read as text (`1e3`). */
enum { CFN_NODE_JSON_NUMBER = 1 << 7 };
/* Another: a text that a loop made, which stands nowhere in the file. */
enum { CFN_NODE_MADE = 1 << 6 };

/* A scalar_resolver: integers beyond 64 bits are SCALAR_BAD_NUMBER, as infinities are. */
struct scalar cfn_resolve_scalar(sv plain_text);

enum cfn_scalar_kind {
    CFN_SCALAR_NULL = 1,
    CFN_SCALAR_BOOL,
    CFN_SCALAR_INT,
    CFN_SCALAR_FLOAT,
    CFN_SCALAR_STRING,
    CFN_SCALAR_BAD, /* .inf, .nan, or too large to be written in decimal */
};

struct cfn_scalar {
    enum cfn_scalar_kind kind;
    bool boolean;
    bool is_unusual;   /* octal, binary, hexadecimal, sexagesimal, with `_` (CF-012) */
    bool is_yes_or_no; /* a bool written as yes, no, on, off */
    bool is_large;     /* an integer beyond 64 bits: `text` alone has it */
    int64_t integer;
    double number;
    sv text; /* strings; integers beyond 64 bits in decimal */
};
/* What a scalar node means; `a` gets texts that have to be made. */
struct cfn_scalar cfn_scalar_read(struct arena *a, const struct node *n);
/* Its text (CF-021). `*differs` (may be NULL) tells that a number's text is another than what is written. */
sv cfn_scalar_get_text(struct arena *a, const struct node *n, bool *differs);

#endif
