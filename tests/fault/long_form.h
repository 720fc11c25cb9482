/* Tests with two forms: a short one for `make test`, and a long one for `make crash` (LINTEL_LONG=1 in the environment,
 * suite `crash`). */
#ifndef TESTS_FAULT_LONG_FORM_H
#define TESTS_FAULT_LONG_FORM_H

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

static inline bool is_long_form(void) {
    const char *form = getenv("LINTEL_LONG");
    return form != NULL && strcmp(form, "1") == 0;
}

/* The number for the form that runs. */
static inline long choose_form(long in_short, long in_long) {
    return is_long_form() ? in_long : in_short;
}

#endif
