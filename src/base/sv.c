#include "base/sv.h"

#include <stdint.h>
#include <string.h>

static unsigned char ascii_lower(char c) {
    return (unsigned char)(c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c);
}

bool sv_eq_cstr(sv a, const char *b) {
    return sv_eq(a, sv_from_cstr(b));
}

bool sv_eq_nocase(sv a, sv b) {
    if (a.len != b.len) {
        return false;
    }
    for (size_t i = 0; i < a.len; i++) {
        if (ascii_lower(a.data[i]) != ascii_lower(b.data[i])) {
            return false;
        }
    }
    return true;
}

int sv_cmp(sv a, sv b) {
    size_t common = a.len < b.len ? a.len : b.len;
    int order = common == 0 ? 0 : memcmp(a.data, b.data, common);
    if (order != 0) {
        return order;
    }
    return (a.len > b.len) - (a.len < b.len);
}

bool sv_has_prefix(sv s, sv prefix) {
    return prefix.len <= s.len && sv_eq(sv_make(s.data, prefix.len), prefix);
}

bool sv_has_suffix(sv s, sv suffix) {
    return suffix.len <= s.len && sv_eq(sv_slice(s, s.len - suffix.len, s.len), suffix);
}

size_t sv_find(sv s, sv needle) {
    if (needle.len == 0) {
        return 0;
    }
    if (s.len < needle.len) {
        return SIZE_MAX;
    }
    const char *at = memmem(s.data, s.len, needle.data, needle.len);
    return at == NULL ? SIZE_MAX : (size_t)(at - s.data);
}

size_t sv_find_char(sv s, char c) {
    const char *at = s.len == 0 ? NULL : memchr(s.data, c, s.len);
    return at == NULL ? SIZE_MAX : (size_t)(at - s.data);
}

size_t sv_rfind_char(sv s, char c) {
    const char *at = s.len == 0 ? NULL : memrchr(s.data, c, s.len);
    return at == NULL ? SIZE_MAX : (size_t)(at - s.data);
}

sv sv_slice(sv s, size_t from, size_t to) {
    if (to > s.len) {
        to = s.len;
    }
    if (from >= to) {
        from = to;
    }
    return from == 0 ? sv_make(s.data, to) : sv_make(s.data + from, to - from);
}

static bool is_blank(char c) {
    return c == ' ' || c == '\t' || c == '\r' || c == '\n';
}

sv sv_trim(sv s) {
    size_t from = 0;
    size_t to = s.len;
    while (from < to && is_blank(s.data[from])) {
        from++;
    }
    while (to > from && is_blank(s.data[to - 1])) {
        to--;
    }
    return sv_slice(s, from, to);
}

sv sv_cut(sv *rest, char sep) {
    sv whole = *rest;
    size_t at = sv_find_char(whole, sep);
    if (at == SIZE_MAX) {
        *rest = sv_slice(whole, whole.len, whole.len);
        return whole;
    }
    *rest = sv_slice(whole, at + 1, whole.len);
    return sv_slice(whole, 0, at);
}
