/* cmocka with what it needs in front, texts, and JSON in and out of values. */
#ifndef TESTS_UNIT_MODEL_CHECK_H
#define TESTS_UNIT_MODEL_CHECK_H

#include "text/diag.h"
#include "value/convert.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>

#include <cmocka.h>

static inline void check_sv_at(sv got, const char *want, const char *file, int line) {
    if (!sv_eq(got, sv_from_cstr(want))) {
        print_error("got:  '%.*s'\nwant: '%s'\n", SV_ARG(got), want);
        _fail(file, line);
    }
}
#define CHECK_SV(got, want) check_sv_at((got), (want), __FILE__, __LINE__)

static inline value from_json(struct arena *a, const char *text) {
    sv why = {0};
    size_t offset = 0;
    value v = value_parse_json(a, sv_from_cstr(text), &limits_default, true, &why, &offset);
    if (value_is_error(v)) {
        print_error("%s: %.*s\n", text, SV_ARG(why));
    }
    assert_false(value_is_error(v));
    return v;
}

#define CHECK_JSON(a, v, want) CHECK_SV(value_print_json((a), (v), 0, REVEAL), (want))

#endif
