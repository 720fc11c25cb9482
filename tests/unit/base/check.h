/* cmocka with what it needs in front, and a check for views. */
#ifndef TESTS_UNIT_BASE_CHECK_H
#define TESTS_UNIT_BASE_CHECK_H

#include "base/sv.h"

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

/* Reproducible numbers (a linear congruential generator's upper bits). */
static inline uint32_t next_random(uint64_t *state) {
    *state = *state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (uint32_t)(*state >> 32);
}

#endif
