/* Did-you-mean (BP-306): the closest of some candidate names. */
#ifndef LINTEL_BASE_HINT_H
#define LINTEL_BASE_HINT_H

#include "base/sv.h"

struct hint {
    sv wanted;
    sv best; /* empty while none is close enough */
    size_t distance;
};

#define HINT(name) ((struct hint){.wanted = (name)})

/* Offers a candidate: equal up to letter case, else Damerau-Levenshtein distance at most 2 (1 for names of up to 3
 * characters); the first of equals stays. One character is never close to another. Names over 64 bytes are never close.
 */
void hint_offer(struct hint *h, sv candidate);

#endif
