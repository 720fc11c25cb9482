#include "sources/internal.h"

bool names_join(struct arena *a, sv dir, sv name, sv *result) {
    VEC(sv) parts = {0};
    sv rests[] = {dir, name};
    for (size_t i = 0; i < sizeof rests / sizeof rests[0]; i++) {
        while (rests[i].len > 0) {
            sv part = sv_cut(&rests[i], '/');
            if (sv_eq(part, SV("..")) && parts.len == 0) {
                return false;
            }
            if (sv_eq(part, SV(".."))) {
                parts.len--;
            } else if (part.len > 0 && !sv_eq(part, SV("."))) {
                VEC_PUSH(a, &parts, part);
            }
        }
    }
    struct buf out = BUF(a);
    for (size_t i = 0; i < parts.len; i++) {
        buf_append_cstr(&out, i > 0 ? "/" : "");
        buf_append(&out, parts.items[i]);
    }
    *result = buf_get_sv(&out);
    return true;
}

sv names_get_dir(sv name) {
    size_t slash = sv_rfind_char(name, '/');
    return slash == SIZE_MAX ? (sv){0} : sv_slice(name, 0, slash);
}
