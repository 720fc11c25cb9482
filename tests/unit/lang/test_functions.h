#ifndef TESTS_LANG_TEST_FUNCTIONS_H
#define TESTS_LANG_TEST_FUNCTIONS_H

#include "lang/dialect.h"

extern const struct fn_registry test_functions;
extern const struct operator_def test_operators[];
extern const size_t test_operator_count;

#endif
