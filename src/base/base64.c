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

static bool decode_group(struct buf *out, const char *in, bool is_last) {
    size_t padding = in[3] != '=' ? 0 : in[2] != '=' ? 1 : 2;
    uint32_t bits = 0;
    for (size_t i = 0; i < 4; i++) {
        int digit = i < 4 - padding ? base64_get_digit(in[i]) : 0;
        if (digit < 0)
            return false;
        bits = bits << 6 | (uint32_t)digit;
    }
    if ((padding > 0 && !is_last) || (bits & ((1U << (8 * padding)) - 1)) != 0)
        return false;
    for (size_t i = 0; i < 3 - padding; i++)
        buf_append_char(out, (char)(bits >> (16 - 8 * i) & 255));
    return true;
}

bool base64_decode(struct buf *out, sv text) {
    bool is_good = text.len % 4 == 0;
    for (size_t i = 0; is_good && i < text.len; i += 4)
        is_good = decode_group(out, text.data + i, i + 4 == text.len);
    return is_good;
}
