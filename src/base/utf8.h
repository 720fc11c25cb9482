/* UTF-8. Valid means: no overlong form, no surrogate, at most U+10FFFF. */
#ifndef LINTEL_BASE_UTF8_H
#define LINTEL_BASE_UTF8_H

#include "base/sv.h"

#include <stdint.h>

/* Offset of the first byte that starts no valid sequence, or the length when all is valid. Fast on ASCII. */
size_t utf8_check(sv text);
/* Decodes the character at the start of valid, non-empty text; returns its length in bytes. */
size_t utf8_decode(sv text, uint32_t *codepoint);
/* Writes 1 to 4 bytes; returns how many. 0 for a surrogate or beyond U+10FFFF. */
size_t utf8_encode(uint32_t codepoint, char out[4]);
/* Number of code points of valid text. */
size_t utf8_count(sv text);
/* Byte offset of the code point number `index` of valid text; the length when there are fewer. */
size_t utf8_find_offset(sv text, size_t index);
/* One-to-one case mapping of Unicode, no locale; a character without one stays (U+00DF too). */
uint32_t utf8_to_upper(uint32_t codepoint);
uint32_t utf8_to_lower(uint32_t codepoint);
/* Columns that the text takes on a terminal (East Asian width, zero-width marks). */
size_t utf8_get_width(sv text);

#endif
