/* The JSON reader, with and without comments (BP-016, BP-017): fills the stream of a build whose source has been
 * checked to be UTF-8 without NUL. Recovering: an unreadable value becomes an ERROR node, a missing comma or colon is
 * taken as written. */
#ifndef LINTEL_DOC_JSON_READ_H
#define LINTEL_DOC_JSON_READ_H

#include "doc/build.h"

void json_read(struct build *b);

#endif
