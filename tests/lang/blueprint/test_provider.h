/* A provider of declarations only, made for tests: types with every kind of field, and links. */
#ifndef LINTEL_TESTS_LANG_BLUEPRINT_TEST_PROVIDER_H
#define LINTEL_TESTS_LANG_BLUEPRINT_TEST_PROVIDER_H

#include "model/provider.h"

extern const struct providers test_providers;

#endif
