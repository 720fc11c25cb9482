/* Base64 (RFC 4648, section 4): the usual alphabet, with padding. */
#ifndef LINTEL_BASE_BASE64_H
#define LINTEL_BASE_BASE64_H

#include "base/buf.h"

void base64_append(struct buf *out, sv bytes);
/* The bytes of exactly this: groups of four digits, the last one padded, no bits left over. False for anything else;
 * something may have been appended then. */
bool base64_decode(struct buf *out, sv text);
/* The six bits that a character stands for, or -1: it is no digit, as the padding is none. What of the text may be
 * missing or between its digits is the reader's business. */
int base64_get_digit(char c);

#endif
