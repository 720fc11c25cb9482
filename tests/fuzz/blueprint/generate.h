/* Whole blueprints from a stream of choices, so that fuzzing gets behind the reader: every section and every kind of
 * expression of the language, most of them well formed, some not (fuzz_structure.c). */
#ifndef LINTEL_TESTS_FUZZ_BLUEPRINT_GENERATE_H
#define LINTEL_TESTS_FUZZ_BLUEPRINT_GENERATE_H

#include "base/buf.h"

/* The blueprint with the documents that it includes, cut at lines "#--- NAME" (test_fetcher.h). Each byte of `data` is
 * one choice; when they are used up, the shortest forms are taken. Lives in `a`. */
sv generate_blueprint(struct arena *a, const uint8_t *data, size_t size);

/* Declarations (BP-324) of the types named sky/… in it. */
extern const char generate_declarations[];

#endif
