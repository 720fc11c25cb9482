/* Loads one template file of the tests as its comments ask, and tells what came of it. */
#ifndef LINTEL_TESTS_LANG_BLUEPRINT_HARNESS_H
#define LINTEL_TESTS_LANG_BLUEPRINT_HARNESS_H

#include "dialects/blueprint/blueprint.h"
#include "text/render.h"

struct harness {
    struct arena arena;
    struct sources sources;
    struct diags diags;
    struct limits limits;
    const struct providers *providers;
    struct source *source;
    struct template *template;
};

void harness_init(struct harness *h, const struct providers *providers);

/* Comments of the file, anywhere:
 *   # input: name=text          as --var gives it
 *   # typed: name=JSON          as a variables file gives it
 *   # check-inputs              a missing variable is an error
 *   # no-providers
 */
void harness_load_source(struct harness *h, struct source *source);
/* With the declared types of the tests. False when the file cannot be read. */
bool harness_load(struct harness *h, const char *path);
void harness_fini(struct harness *h);
/* The text behind a mark in a line ("# expect: "); false without. Moves `line` behind it. */
bool harness_find_mark(sv *line, const char *mark, sv *text);

#endif
