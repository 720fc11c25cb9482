/* Regular expressions of schemas and functions: the one door to PCRE2 (BP-321, F80).
 *
 * Texts and patterns are UTF-8. Matching is bounded in steps, depth and memory, so a hostile pattern or text ends in
 * PATTERN_LIMIT instead of never. Back references and \C are refused, as RE2 has none. */
#ifndef LINTEL_MODEL_PATTERN_H
#define LINTEL_MODEL_PATTERN_H

#include "base/arena.h"

struct pattern;

enum pattern_result {
    PATTERN_MATCH = 1,
    PATTERN_NO_MATCH,
    PATTERN_LIMIT,   /* gave up */
    PATTERN_INVALID, /* no pattern */
};

/* NULL when the text is no pattern; `why` (may be NULL) says so in a few words, in `a`. Goes with the arena. */
const struct pattern *pattern_new(struct arena *a, sv text, sv *why);
/* Unanchored. `from` and `to` (may be NULL) tell the first match as bytes of the text. */
enum pattern_result pattern_match(const struct pattern *p, sv text, size_t *from, size_t *to);
/* The same of a pattern that is needed once. */
enum pattern_result pattern_match_text(sv pattern, sv text);

#endif
