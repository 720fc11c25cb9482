/* Formatted text, as `format` and `error` make it (DY-165). No format of the C library is made from user text. */
#ifndef LINTEL_DIALECTS_DYNAML_FORMAT_H
#define LINTEL_DIALECTS_DYNAML_FORMAT_H

#include "value/value.h"

/* False: it would be longer than `max`. */
bool dynaml_format(struct buf *out, sv format, const value *args, size_t count, size_t max);

#endif
