/* Files to documents: read by the house's reader, typed by this dialect (§1). Internal to the room. */
#ifndef LINTEL_DIALECTS_DYNAML_DOCUMENT_H
#define LINTEL_DIALECTS_DYNAML_DOCUMENT_H

#include "dialects/dynaml/stage.h"

/* A text that a program printed; false when it is no YAML, or beyond a limit that run->problem names. */
bool document_parse_text(struct dynaml_run *run, sv text, value *result);

/* A file named by a template. */
struct read_file {
    sv path;
    bool is_read;
    sv why; /* why it was not read, or is no YAML */
    sv bytes;
    const struct dynaml_document *document; /* NULL: no YAML, or beyond a limit */
    sv limit;                               /* its name; empty: none */
    uint64_t limit_value;
};
struct read_file *document_read_file(struct dynaml_run *run, sv path);

#endif
