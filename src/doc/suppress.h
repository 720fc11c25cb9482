/* Comments that allow a warning where it stands:
 *
 *     # lintel-allow unused_element: kept for the next release
 *     region:
 *
 * on the warning's line or on the line above it (`// lintel-allow …` in JSON with comments); comments may stand
 * between. Errors cannot be allowed. A comment without a reason is reported itself (`suppression_without_reason`), and
 * so is one that allows nothing (`suppression_unused`). The same for all dialects: it looks at sources, not at what was
 * made of them. */
#ifndef LINTEL_DOC_SUPPRESS_H
#define LINTEL_DOC_SUPPRESS_H

#include "doc/reader.h"

struct suppress_options {
    size_t first_source;    /* number of sources to pass over: those of an earlier try */
    enum doc_format format; /* of sources whose name does not tell; 0: YAML */
    bool is_partial;        /* not everything was checked: what allows nothing is not reported */
};

/* Moves allowed warnings of the unit to `diags->suppressed`. Once per unit, before anything is shown. Sources that do
 * not speak of it are not read again. */
void doc_suppress(struct diags *diags, struct sources *sources, const struct suppress_options *options);

#endif
