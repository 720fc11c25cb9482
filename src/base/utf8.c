#include "base/utf8.h"

#include <string.h>
#include <utf8proc.h>

static const uint64_t high_bits = UINT64_C(0x8080808080808080);

static inline uint64_t load_word(const char *bytes) {
    uint64_t word;
    memcpy(&word, bytes, sizeof word);
    return word;
}

/* Offset of the first byte at or after `at` that is not ASCII, or the length. */
static size_t skip_ascii(sv text, size_t at) {
    const char *data = text.data;
    while (text.len - at >= 32) {
        uint64_t any =
            load_word(data + at) | load_word(data + at + 8) | load_word(data + at + 16) | load_word(data + at + 24);
        if ((any & high_bits) != 0) {
            break;
        }
        at += 32;
    }
    while (text.len - at >= 8 && (load_word(data + at) & high_bits) == 0) {
        at += 8;
    }
    while (at < text.len && (unsigned char)data[at] < 0x80) {
        at++;
    }
    return at;
}

/* Length by the lead byte; 0 when it can start nothing beyond ASCII. */
static size_t sequence_length(unsigned char lead) {
    if (lead < 0xC2) {
        return 0;
    }
    return lead < 0xE0 ? 2 : lead < 0xF0 ? 3 : lead < 0xF5 ? 4 : 0;
}

/* The second byte's range excludes overlong forms, surrogates and what is beyond U+10FFFF. */
static bool is_second(unsigned char lead, unsigned char second) {
    unsigned char low = lead == 0xE0 ? 0xA0 : lead == 0xF0 ? 0x90 : 0x80;
    unsigned char high = lead == 0xED ? 0x9F : lead == 0xF4 ? 0x8F : 0xBF;
    return second >= low && second <= high;
}

static bool is_continuation(unsigned char byte) {
    return (byte & 0xC0) == 0x80;
}

/* Length of the valid sequence beyond ASCII that starts `bytes`, or 0. */
static size_t check_sequence(const char *bytes, size_t room) {
    const unsigned char *b = (const unsigned char *)bytes;
    size_t length = sequence_length(b[0]);
    if (length == 0 || length > room || !is_second(b[0], b[1])) {
        return 0;
    }
    if ((length > 2 && !is_continuation(b[2])) || (length > 3 && !is_continuation(b[3]))) {
        return 0;
    }
    return length;
}

size_t utf8_check(sv text) {
    size_t at = skip_ascii(text, 0);
    while (at < text.len) {
        size_t length = check_sequence(text.data + at, text.len - at);
        if (length == 0) {
            return at;
        }
        at += length;
        if (at < text.len && (unsigned char)text.data[at] < 0x80) {
            at = skip_ascii(text, at);
        }
    }
    return at;
}

size_t utf8_decode(sv text, uint32_t *codepoint) {
    const unsigned char *b = (const unsigned char *)text.data;
    if (b[0] < 0x80) {
        *codepoint = b[0];
        return 1;
    }
    if (b[0] < 0xE0) {
        *codepoint = (uint32_t)(b[0] & 0x1F) << 6 | (b[1] & 0x3F);
        return 2;
    }
    if (b[0] < 0xF0) {
        *codepoint = (uint32_t)(b[0] & 0x0F) << 12 | (uint32_t)(b[1] & 0x3F) << 6 | (b[2] & 0x3F);
        return 3;
    }
    *codepoint =
        (uint32_t)(b[0] & 0x07) << 18 | (uint32_t)(b[1] & 0x3F) << 12 | (uint32_t)(b[2] & 0x3F) << 6 | (b[3] & 0x3F);
    return 4;
}

size_t utf8_encode(uint32_t codepoint, char out[4]) {
    if (codepoint < 0x80) {
        out[0] = (char)codepoint;
        return 1;
    }
    if (codepoint < 0x800) {
        out[0] = (char)(0xC0 | codepoint >> 6);
        out[1] = (char)(0x80 | (codepoint & 0x3F));
        return 2;
    }
    if (codepoint < 0x10000) {
        if (codepoint >= 0xD800 && codepoint <= 0xDFFF) {
            return 0;
        }
        out[0] = (char)(0xE0 | codepoint >> 12);
        out[1] = (char)(0x80 | (codepoint >> 6 & 0x3F));
        out[2] = (char)(0x80 | (codepoint & 0x3F));
        return 3;
    }
    if (codepoint > 0x10FFFF) {
        return 0;
    }
    out[0] = (char)(0xF0 | codepoint >> 18);
    out[1] = (char)(0x80 | (codepoint >> 12 & 0x3F));
    out[2] = (char)(0x80 | (codepoint >> 6 & 0x3F));
    out[3] = (char)(0x80 | (codepoint & 0x3F));
    return 4;
}

/* Number of continuation bytes in 8 bytes: bit 7 set and bit 6 clear. */
static size_t count_continuations(uint64_t word) {
    return (size_t)__builtin_popcountll(word & ~(word << 1) & high_bits);
}

size_t utf8_count(sv text) {
    size_t count = text.len;
    size_t at = 0;
    for (; text.len - at >= 8; at += 8) {
        count -= count_continuations(load_word(text.data + at));
    }
    for (; at < text.len; at++) {
        count -= is_continuation((unsigned char)text.data[at]);
    }
    return count;
}

size_t utf8_find_offset(sv text, size_t index) {
    size_t at = 0;
    while (text.len - at >= 8) {
        size_t starts = 8 - count_continuations(load_word(text.data + at));
        if (starts > index) {
            break;
        }
        index -= starts;
        at += 8;
    }
    for (; at < text.len; at++) {
        if (!is_continuation((unsigned char)text.data[at]) && index-- == 0) {
            return at;
        }
    }
    return text.len;
}

size_t utf8_get_width(sv text) {
    size_t width = 0;
    for (size_t at = 0; at < text.len;) {
        uint32_t codepoint;
        at += utf8_decode(sv_slice(text, at, text.len), &codepoint);
        if (codepoint >= 0x20 && codepoint < 0x7F) {
            width++;
        } else {
            int columns = utf8proc_charwidth((utf8proc_int32_t)codepoint);
            width += columns > 0 ? (size_t)columns : 0;
        }
    }
    return width;
}

uint32_t utf8_to_upper(uint32_t codepoint) {
    const uint32_t sharp_s = 0xDF; /* its upper case is two letters; the library has a letter of its own for it */
    return codepoint == sharp_s ? codepoint : (uint32_t)utf8proc_toupper((utf8proc_int32_t)codepoint);
}

uint32_t utf8_to_lower(uint32_t codepoint) {
    return (uint32_t)utf8proc_tolower((utf8proc_int32_t)codepoint);
}
