/* Differences of two texts line by line, as `diff -u` prints them. */
#ifndef LINTEL_TEXT_DIFF_H
#define LINTEL_TEXT_DIFF_H

#include "base/buf.h"

/* Appends a unified diff with three lines of context; nothing when both are equal. Smallest for texts that differ in up
 * to some hundred lines; for others the part between the first and the last difference may be shown as replaced, so
 * that time and memory stay bounded. */
void diff_render(struct buf *out, sv name, sv before, sv after);

#endif
