/* One source line as it is shown above its carets, for the files of this room: tabs expanded, secrets masked, deceptive
 * characters escaped, cut around the carets when it is too long. Works on a part of the line near the carets, so the
 * length of the line costs nothing. */
#ifndef LINTEL_TEXT_LINE_VIEW_H
#define LINTEL_TEXT_LINE_VIEW_H

#include "text/render.h"

struct line_view {
    /* in */
    sv line;
    size_t from, to; /* bytes of the line to underline */
    size_t columns;  /* room; at least 20 are taken */
    const struct mask *mask;
    const struct source *source; /* what it hides is not shown; may be NULL */
    size_t start;                /* offset of the line in it */
    /* out */
    sv text;
    size_t caret_from, caret_to; /* columns of the text; at least one */
};

/* The text lives in `a`. */
void line_view_make(struct line_view *v, struct arena *a);

#endif
