/* All cases of the YAML test suite (BP-013): the events of valid documents, and that invalid ones are refused. Prints
 * TAP itself, one case per directory of the suite, which is looked for in $LINTEL_SUITES. */
#include "suite.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct tap {
    struct arena arena;
    int count, failed;
    const char *only; /* one case by name, for debugging */
};

static void print_commented(const char *title, sv text) {
    printf("# %s\n", title);
    while (text.len > 0) {
        sv line = sv_cut(&text, '\n');
        printf("#   %.*s\n", SV_ARG(line));
    }
}

static const char *check_case(struct tap *tap, const char *directory, struct reading *r) {
    struct arena *a = &tap->arena;
    sv events = suite_read_file(a, arena_printf(a, "%s/test.event", directory).data);
    bool is_error = suite_read_file(a, arena_printf(a, "%s/error", directory).data).data != NULL;
    if (is_error != r->stream->has_errors)
        return is_error ? "accepted, although it is an error" : "refused, although it is valid";
    struct buf out = BUF(a);
    suite_print_events(&out, r->stream);
    if (!is_error && !sv_eq(buf_get_sv(&out), events)) {
        print_commented("wanted", events);
        print_commented("got", buf_get_sv(&out));
        return "events differ";
    }
    return NULL;
}

static void run_case(struct tap *tap, const char *directory, const char *name) {
    sv text = suite_read_file(&tap->arena, arena_printf(&tap->arena, "%s/in.yaml", directory).data);
    if (tap->only && strcmp(tap->only, name) != 0)
        return;
    struct reading r;
    reading_open(&r, text, &doc_options_yaml);
    const char *failure = check_case(tap, directory, &r);
    tap->count++;
    tap->failed += failure != NULL;
    if (failure) {
        print_commented("in.yaml", text);
        for (size_t i = 0; i < r.diags.items.len; i++)
            printf("# at byte %u: %.*s\n", r.diags.items.items[i]->at.offset, SV_ARG(r.diags.items.items[i]->message));
    }
    printf("%sok %d - %s%s%s\n", failure ? "not " : "", tap->count, name, failure ? ": " : "", failure ? failure : "");
    reading_close(&r);
}

static void run_directory(struct tap *tap, const char *path, const char *name) {
    struct arena *a = &tap->arena;
    if (suite_read_file(a, arena_printf(a, "%s/in.yaml", path).data).data) {
        run_case(tap, path, name);
        return;
    }
    size_t count;
    char **parts = suite_list(a, path, &count);
    for (size_t i = 0; i < count; i++)
        run_case(tap, arena_printf(a, "%s/%s", path, parts[i]).data, arena_printf(a, "%s/%s", name, parts[i]).data);
}

int main(int argc, char **argv) {
    struct tap tap = {.only = argc > 1 ? argv[1] : NULL};
    const char *suites = getenv("LINTEL_SUITES");
    sv root = arena_printf(&tap.arena, "%s/yaml-test-suite", suites ? suites : "");
    size_t count = 0;
    char **names = suites && *suites ? suite_list(&tap.arena, root.data, &count) : NULL;
    if (count == 0) {
        printf("1..1\nok 1 - YAML test suite # SKIP LINTEL_SUITES does not lead to the suite\n");
        arena_fini(&tap.arena);
        return 0;
    }
    for (size_t i = 0; i < count; i++)
        if (strcmp(names[i], "LICENSE") != 0)
            run_directory(&tap, arena_printf(&tap.arena, "%s/%s", root.data, names[i]).data, names[i]);
    printf("1..%d\n", tap.count);
    arena_fini(&tap.arena);
    return tap.failed > 0;
}
