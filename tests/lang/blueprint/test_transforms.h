/* Transforms of the tests: no program is run. "transforms/NAME" among the documents of a fetcher is the output of the
 * transform NAME whatever it is given, "transforms/NAME.messages" what it writes on standard error, and one with
 * "transforms/NAME.fails" fails with the text of that as its message. */
#ifndef LINTEL_TESTS_LANG_BLUEPRINT_TEST_TRANSFORMS_H
#define LINTEL_TESTS_LANG_BLUEPRINT_TEST_TRANSFORMS_H

#include "lang/blueprint/test_fetcher.h"
#include "model/template.h"

/* Borrows the fetcher. */
struct transforms test_transforms_make(const struct test_fetcher *f);

#endif
