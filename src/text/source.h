/* Sources and spans: where text came from.
 *
 * A source owns the bytes of one document. Positions are byte ranges; line and column exist only where a human or an
 * editor reads, and the line table is built when first asked for. Sources live in a `struct sources`, which belongs to
 * a unit. */
#ifndef LINTEL_TEXT_SOURCE_H
#define LINTEL_TEXT_SOURCE_H

#include "base/limits.h"
#include "base/vec.h"

/* A byte range of a source. source 0 is "no place". */
typedef struct span {
    uint32_t source; /* number within `struct sources`, from 1 */
    uint32_t offset, length;
} span;

#define SPAN_NONE ((span){0, 0, 0})

struct source {
    uint32_t id;
    sv name;  /* as people know it: a path as given, "<stdin>", "--var region" */
    sv path;  /* absolute, links resolved, for files; else empty */
    sv bytes; /* the whole text; a NUL stands behind it that is not counted */
    uint32_t *line_starts;
    size_t line_count;  /* 0 until the table is built */
    VEC(span) secrets;  /* parts that are never quoted, in any order */
    span stand_in;      /* of a text that a program made: the place that findings in it get; else SPAN_NONE */
    const void *origin; /* set by whoever added it: the struct content it was fetched as (model/fetch.h); else NULL */
    struct arena *arena;
};

struct sources {
    struct arena *arena;
    VEC(struct source *) items;
};

/* Line from 1; column from 1, counted in code points (BP-301). Lines end with LF, CR LF or CR; a byte order mark has no
 * column. */
struct text_pos {
    size_t line, column;
};

void sources_init(struct sources *s, struct arena *a);
/* Takes the bytes (they live as long as the arena, a NUL behind them) and copies the name. At most UINT32_MAX bytes:
 * the caller has checked its limit. */
struct source *sources_add(struct sources *s, sv name, sv bytes);
/* NULL for 0 or an unknown number. */
struct source *sources_find(const struct sources *s, uint32_t id);

/* The part holds a secret: where lines are quoted, "(sensitive)" stands in its place (BP-281). Nothing for SPAN_NONE.
 */
void sources_hide(const struct sources *s, span at);

enum source_read {
    SOURCE_READ_OK = 1,
    SOURCE_READ_MISSING,
    SOURCE_READ_DENIED,
    SOURCE_READ_DIRECTORY,
    SOURCE_READ_TOO_LARGE, /* more than limit bytes were there to read; counted on bytes read, so FIFOs and growing
                              files end too */
    SOURCE_READ_FAILED,
};

/* Reads a file, or standard input for "-". `result` is set for OK only; `system_error` (may be NULL) gets errno
 * otherwise. */
enum source_read sources_read_file(struct sources *s, sv path, size_t limit, struct source **result, int *system_error);

struct text_pos source_get_pos(struct source *s, uint32_t offset);
/* The line's text without its line end; line from 1. */
sv source_get_line(struct source *s, size_t line);
/* Offset of the line's first byte. */
uint32_t source_get_line_start(struct source *s, size_t line);

span span_make(const struct source *s, size_t offset, size_t length);
/* From the start of `a` to the end of `b`; `a` when they are of different sources. */
span span_join(span a, span b);
bool span_is_none(span s);
/* The bytes that a span covers. */
sv span_get_text(const struct sources *s, span at);

#endif
