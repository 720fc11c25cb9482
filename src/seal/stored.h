/* The JSON that we have written ourselves, read straight into values, for the files of this room: one pass, no tree, no
 * places. As strict as value_parse_json, for somebody may have edited it; of any depth, for values are. */
#ifndef LINTEL_SEAL_STORED_H
#define LINTEL_SEAL_STORED_H

#include "value/value.h"

struct stored_json {
    bool has_marker; /* a key "$lintel" occurs */
    const char *why; /* what is wrong, in a few words */
    size_t offset;   /* and where */
};

/* ERROR with `why` and `offset` set when the text is no JSON, has a key twice in one object, or a number out of range.
 * The text is copied into `a`. */
value stored_parse(struct arena *a, sv text, struct stored_json *info);

#endif
