/* Transforms that are executables (BP-057 to BP-060): found on the plugin path, run with bounds, once per document. */
#ifndef LINTEL_API_TRANSFORMS_H
#define LINTEL_API_TRANSFORMS_H

#include "model/template.h"

enum {
    TRANSFORM_OUTPUT_MAX = 64 << 20,
    TRANSFORM_ERRORS_MAX = 1 << 20,
    TRANSFORM_TIMEOUT_MS = 60000,
};

/* 0 and empty stand for the defaults above. */
struct transforms_options {
    struct arena *arena; /* the transforms and what they gave live here */
    const struct host *host;
    sv plugin_path; /* directories with ':' between them; relative ones are below the working directory */
    bool pure;      /* --pure: no program is run */
    size_t output_max, errors_max;
    int64_t timeout_ms;
};

/* A transform gets the document on standard input, PATH, HOME and LANG of the host as its environment, and the working
 * directory. It runs in a process group of its own, of which nothing is left when it has ended. Never NULL. */
const struct transforms *transforms_new(const struct transforms_options *o);

#endif
