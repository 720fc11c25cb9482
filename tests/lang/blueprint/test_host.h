/* A host without a machine: time stands still, chance repeats, no environment (CONTRIBUTING, "Tests"). */
#ifndef LINTEL_TESTS_LANG_BLUEPRINT_TEST_HOST_H
#define LINTEL_TESTS_LANG_BLUEPRINT_TEST_HOST_H

#include "model/host.h"

/* 2023-01-02 15:04:05 UTC, the time of the examples of blueprint-functions.md. */
extern const int64_t test_host_ms;

extern const struct host test_host;

#endif
