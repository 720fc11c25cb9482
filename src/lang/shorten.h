/* Names in messages: at most 64 bytes, whole characters. Internal to lang/. */
#ifndef LINTEL_LANG_SHORTEN_H
#define LINTEL_LANG_SHORTEN_H

#include "base/sv.h"

enum { SHORTEN_BYTES = 64 };

static inline sv shorten(sv name) {
    if (name.len <= SHORTEN_BYTES) {
        return name;
    }
    size_t end = SHORTEN_BYTES;
    while (end > 0 && ((unsigned char)name.data[end] & 0xC0U) == 0x80U) {
        end--;
    }
    return sv_make(name.data, end);
}

#endif
