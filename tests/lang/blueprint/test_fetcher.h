/* A fetcher of documents in memory, for tests and fuzzing: nothing outside is looked at.
 *
 * All documents lie below the directory /test; an https document is named by its URL, one of a store by
 * "s3://bucket/key". Digests are made up, but equal for equal text. */
#ifndef LINTEL_TESTS_LANG_BLUEPRINT_TEST_FETCHER_H
#define LINTEL_TESTS_LANG_BLUEPRINT_TEST_FETCHER_H

#include "model/fetch.h"

struct test_fetcher {
    struct fetcher fetcher; /* what is handed on */
    struct arena *arena;
    VEC(struct content *) documents;
};

/* Cuts the text at lines "#--- NAME": what follows each is a document of that name, led by empty lines so that its line
 * numbers are those of the text. Returns what stands before the first, the root. All live in the arena. */
sv test_fetcher_init(struct test_fetcher *f, struct arena *a, sv text);
/* The document of a name; NULL without. */
const struct content *test_fetcher_find(const struct test_fetcher *f, sv name);

#endif
