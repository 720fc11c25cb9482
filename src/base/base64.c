#include "base/base64.h"

static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

void base64_append(struct buf *out, sv bytes) {
    for (size_t i = 0; i < bytes.len; i += 3) {
        uint32_t group = 0;
        size_t have = bytes.len - i < 3 ? bytes.len - i : 3;
        for (size_t k = 0; k < 3; k++) {
            group = group << 8 | (k < have ? (unsigned char)bytes.data[i + k] : 0U);
        }
        char text[4];
        for (size_t k = 0; k < 4; k++) {
            text[k] = k <= have ? digits[group >> (18 - 6 * k) & 63] : '=';
        }
        buf_append(out, sv_make(text, 4));
    }
}

int base64_get_digit(char c) {
    if (c >= 'A' && c <= 'Z') {
        return c - 'A';
    }
    if (c >= 'a' && c <= 'z') {
        return c - 'a' + 26;
    }
    if (c >= '0' && c <= '9') {
        return c - '0' + 52;
    }
    return c == '+' ? 62 : c == '/' ? 63 : -1;
}
