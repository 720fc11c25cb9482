/* Text views.
 *
 * An sv borrows bytes; it owns nothing and may hold NUL bytes. It lives as long as the memory it points into.
 * The zero value is the empty text. C strings exist only at the system boundary. */
#ifndef LINTEL_BASE_SV_H
#define LINTEL_BASE_SV_H

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

typedef struct sv {
    const char *data;
    size_t len;
} sv;

/* A view of a string literal. */
#define SV(lit) ((sv){(lit), sizeof(lit) - 1})
/* The same as a constant initialiser of static tables. */
#define SV_INIT(lit) \
    { (lit), sizeof(lit) - 1 }
/* Arguments for printf's "%.*s"; only for text known to be short. */
#define SV_ARG(s) (int)(s).len, (s).data

/* NULL gives the empty text. */
static inline sv sv_from_cstr(const char *text) {
    return (sv){text, text == NULL ? 0 : strlen(text)};
}

static inline sv sv_make(const char *data, size_t len) {
    return (sv){data, len};
}

static inline bool sv_eq(sv a, sv b) {
    return a.len == b.len && (a.len == 0 || memcmp(a.data, b.data, a.len) == 0);
}

bool sv_eq_cstr(sv a, const char *b);
/* Equal but for ASCII letter case. */
bool sv_eq_nocase(sv a, sv b);
/* Order by bytes, which for UTF-8 is the order by code points: <0, 0, >0. */
int sv_cmp(sv a, sv b);
bool sv_has_prefix(sv s, sv prefix);
bool sv_has_suffix(sv s, sv suffix);
/* Offset of the first occurrence, or SIZE_MAX. */
size_t sv_find(sv s, sv needle);
size_t sv_find_char(sv s, char c);
size_t sv_rfind_char(sv s, char c);
/* The part [from, to), bounds clamped to the text. */
sv sv_slice(sv s, size_t from, size_t to);
/* Without leading and trailing blanks, tabs, CR and LF. */
sv sv_trim(sv s);
/* Cuts `*rest` at the first `sep`: returns what is before it and moves `*rest` behind it; the whole when there is none.
 */
sv sv_cut(sv *rest, char sep);

#endif
