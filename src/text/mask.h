/* Finding the secret texts of a run in a text, for the files of this room. */
#ifndef LINTEL_TEXT_MASK_H
#define LINTEL_TEXT_MASK_H

#include "text/render.h"

#define MASK_TEXT "(sensitive)"

/* Walks the secret parts of one text from left to right. Linear in the text for each secret. */
struct mask_scan {
    const struct mask *mask; /* may be NULL: nothing is secret */
    sv text;
    size_t *next; /* per secret: its first occurrence not yet behind us; SIZE_MAX for none */
};

/* `a` holds the scan's scratch memory. */
void mask_scan_init(struct mask_scan *s, const struct mask *m, struct arena *a, sv text);
/* The next part [from, to) to hide; parts that touch or overlap come as one. False at the end. */
bool mask_scan_next(struct mask_scan *s, size_t *from, size_t *to);

#endif
