/* The YAML reader: fills the stream of a build whose source has been checked to be UTF-8 without NUL. */
#ifndef LINTEL_DOC_YAML_READ_H
#define LINTEL_DOC_YAML_READ_H

#include "doc/build.h"

void yaml_read(struct arena *a, struct build *build);

#endif
