/* How a text can be written in YAML: what of it survives plain, between quotes, or as a literal block. */
#ifndef LINTEL_DOC_WRITE_TEXT_H
#define LINTEL_DOC_WRITE_TEXT_H

#include "doc/writer.h"

/* Reads back as this very text when written plain on one line of block context. */
bool text_can_be_plain(sv text);
/* The same for text of several lines, each of which could stand alone. */
bool text_can_be_plain_lines(sv text);
/* No character in it has to be escaped; line feeds are allowed. */
bool text_is_printable(sv text);
/* Between double quotes, with escapes. */
void text_write_double_quoted(struct buf *out, sv text);
void text_write_single_quoted(struct buf *out, sv text);

#endif
