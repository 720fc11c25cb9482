/* What must hold for every tree that a reader makes, whatever the bytes. Breaking it aborts. */
#ifndef TESTS_FUZZ_DOC_CHECK_H
#define TESTS_FUZZ_DOC_CHECK_H

#include "doc/reader.h"

#include <stddef.h>
#include <stdint.h>

struct checked {
    struct arena arena;
    struct sources sources;
    struct diags diags;
    struct doc_stream *stream;
    bool has_bad_number; /* one that JSON cannot hold */
};

/* Reads the bytes and checks spans, places, order and reports. The caller closes it. */
void check_open(struct checked *c, const uint8_t *data, size_t size, const struct doc_options *options);
void check_close(struct checked *c);
/* Aborts with the reason. */
void check_that(bool holds, const char *why);

#endif
