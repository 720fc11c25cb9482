/* Loads one template file of the tests as its comments ask, and tells what came of it. */
#ifndef LINTEL_TESTS_LANG_BLUEPRINT_HARNESS_H
#define LINTEL_TESTS_LANG_BLUEPRINT_HARNESS_H

#include "dialects/blueprint/blueprint.h"
#include "lang/blueprint/test_fetcher.h"
#include "text/render.h"

struct harness {
    struct arena arena;
    struct sources sources;
    struct diags diags;
    struct limits limits;
    const struct providers *providers;
    struct host host; /* of the tests: nothing of the machine is seen */
    struct run_record record;
    struct test_fetcher fetcher; /* serves the documents that follow the first one in the file */
    sv directory;                /* of the file; empty: the working directory */
    sv text;                     /* the whole file */
    struct source *source;       /* its first document */
    struct template *template;   /* as loaded */
    const struct template *expanded;
};

void harness_init(struct harness *h, const struct providers *providers);

/* Comments of the file, anywhere:
 *   # input: name=text          as --var gives it
 *   # typed: name=JSON          as a variables file gives it
 *   # check-inputs              a missing variable is an error
 *   # staged                    expanded as for a plan: what is not known then is an error
 *   # found                     data sources find "found", 1, 1.5, true or a list of it; without they are unknown
 *   # no-providers
 *   # schemas: NAME             declares more types (BP-324): one of the documents below, else a file beside this one
 * A line "#--- NAME" ends the blueprint; what follows is a document that it can include (test_fetcher.h).
 */
void harness_load_source(struct harness *h, struct source *source);
/* Expands the loaded template, if there are no errors, and starts an evaluation of it; false otherwise. */
bool harness_evaluate(struct harness *h, struct evaluation *e);
/* The line of a diagnostic in the file; 0 when it has none. */
size_t harness_get_line(struct harness *h, span at);
/* With the declared types of the tests. False when the file cannot be read. */
bool harness_load(struct harness *h, const char *path);
void harness_fini(struct harness *h);
/* The text behind a mark in a line ("# expect: "); false without. Moves `line` behind it. */
bool harness_find_mark(sv *line, const char *mark, sv *text);

#endif
