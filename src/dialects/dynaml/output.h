/* Documents out again, as §14 says, and as JSON. */
#ifndef LINTEL_DIALECTS_DYNAML_OUTPUT_H
#define LINTEL_DIALECTS_DYNAML_OUTPUT_H

#include "value/value.h"

/* YAML with keys in the order of their bytes, ended by one line break. */
void dynaml_write_yaml(struct buf *out, value v);
/* One line of JSON without line break. False: an infinity or NaN is in it, which JSON cannot hold. */
bool dynaml_write_json(struct buf *out, value v);
/* The entries of a map in the order of their keys' bytes. */
const struct value_entry **dynaml_sort_entries(struct arena *a, value map);

#endif
