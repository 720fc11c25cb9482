/* Lintel's public interface: reading and checking deployment templates from a program.
 *
 * Handles are opaque. A `struct lintel` owns everything a call gives out, until it is closed; texts are UTF-8 and end
 * with NUL. One handle belongs to one thread at a time; different handles are independent. Nothing here prints, exits
 * or reads the environment. */
#ifndef LINTEL_LINTEL_H
#define LINTEL_LINTEL_H

#include "lintel/export.h"

#ifdef __cplusplus
extern "C" {
#endif

struct lintel;

enum lintel_result {
    LINTEL_OK = 1,
    LINTEL_INVALID,      /* the template has mistakes; see lintel_get_diagnostics */
    LINTEL_NOT_READABLE, /* the file cannot be read; see lintel_get_diagnostics */
    LINTEL_BAD_ARGUMENT, /* a NULL, an unknown flag, or text over 64 MiB */
};

/* Flags of lintel_validate. */
enum lintel_flags {
    LINTEL_STRICT = 1 << 0,       /* unknown keys and unknown variables of includes are errors */
    LINTEL_NO_PROVIDERS = 1 << 1, /* check no resource types, schemas and links */
};

/* "0.1.0". Lives for ever. */
LINTEL_API const char *lintel_get_version(void);

/* A new handle. The caller closes it. */
LINTEL_API struct lintel *lintel_open(void);
LINTEL_API void lintel_close(struct lintel *handle);

/* Checks a blueprint file as `lintel validate` does; no effects. Includes are read from files below its directory;
 * nothing is fetched, no program is run. Warnings that comments allow are left out. What an earlier call reported is
 * dropped. */
LINTEL_API enum lintel_result lintel_validate(struct lintel *handle, const char *path, unsigned flags);
/* The same for text in memory. `name` stands in messages; its extension tells the format (.yaml .yml .json .jsonc). The
 * text is copied. */
LINTEL_API enum lintel_result lintel_validate_text(struct lintel *handle, const char *name, const char *text,
                                                   unsigned long length, unsigned flags);

/* What the last call reported, as a JSON array of diagnostics (docs/schemas/diagnostics.schema.json). Valid until the
 * next call on the handle. */
LINTEL_API const char *lintel_get_diagnostics(struct lintel *handle);
/* The same for people, with source lines and carets. Empty when there is nothing to say. */
LINTEL_API const char *lintel_render_diagnostics(struct lintel *handle);

#ifdef __cplusplus
}
#endif

#endif
