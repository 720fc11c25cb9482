#include "model/link_variable.h"

#include "base/buf.h"

sv link_variable_derive(struct arena *a, sv resource) {
    struct buf name = BUF(a);
    for (size_t i = 0; i < resource.len; i++) {
        char here = resource.data[i], before = i > 0 ? resource.data[i - 1] : 0;
        bool is_upper = here >= 'A' && here <= 'Z', is_lower = here >= 'a' && here <= 'z';
        bool is_digit = here >= '0' && here <= '9';
        bool starts_word = is_upper && ((before >= 'a' && before <= 'z') || (before >= '0' && before <= '9'));
        if (starts_word || (is_digit && i == 0)) {
            buf_append_char(&name, '_');
        }
        buf_append_char(&name, is_lower ? (char)(here - 'a' + 'A') : is_upper || is_digit ? here : '_');
    }
    buf_append_cstr(&name, "_PATH");
    return buf_get_sv(&name);
}

bool link_variable_is_name(sv name) {
    for (size_t i = 0; i < name.len; i++) {
        char c = name.data[i];
        bool is_letter = (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || c == '_';
        if (!is_letter && (i == 0 || c < '0' || c > '9')) {
            return false;
        }
    }
    return name.len > 0;
}
