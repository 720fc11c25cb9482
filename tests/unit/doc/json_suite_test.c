/* All files of JSONTestSuite (BP-016): y_ are accepted, n_ are refused, i_ may be either; none crashes the reader.
 * Prints TAP itself, one case per file of the suite, which is looked for in $LINTEL_SUITES. */
#include "suite.h"

#include <stdio.h>
#include <stdlib.h>

static const struct doc_options json_options = {.format = DOC_JSON};

static const char *check_file(struct arena *a, sv path, char kind) {
    struct reading r;
    reading_open(&r, suite_read_file(a, path.data), &json_options);
    bool is_refused = r.stream->has_errors;
    reading_close(&r);
    if (kind == 'y' && is_refused)
        return "refused, although it is valid";
    return kind == 'n' && !is_refused ? "accepted, although it is an error" : NULL;
}

int main(void) {
    struct arena arena = {0};
    const char *suites = getenv("LINTEL_SUITES");
    sv root = arena_printf(&arena, "%s/JSONTestSuite/test_parsing", suites ? suites : "");
    size_t count = 0, failed = 0;
    char **names = suites && *suites ? suite_list(&arena, root.data, &count) : NULL;
    if (count == 0)
        printf("1..1\nok 1 - JSONTestSuite # SKIP LINTEL_SUITES does not lead to the suite\n");
    for (size_t i = 0; i < count; i++) {
        const char *failure = check_file(&arena, arena_printf(&arena, "%s/%s", root.data, names[i]), names[i][0]);
        failed += failure != NULL;
        printf("%sok %zu - %s%s%s\n", failure ? "not " : "", i + 1, names[i], failure ? ": " : "",
               failure ? failure : "");
    }
    if (count > 0)
        printf("1..%zu\n", count);
    arena_fini(&arena);
    return failed > 0;
}
