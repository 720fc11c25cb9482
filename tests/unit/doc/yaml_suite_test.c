/* All cases of the YAML test suite (BP-013): the events of valid documents, what they mean as JSON, that invalid ones
 * are refused, and that what the writers make of each document reads back equal. Prints TAP itself, one case per
 * directory of the suite, which is looked for in $LINTEL_SUITES. */
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

/* The documents of in.json, one after the other, are what the YAML means under the core schema. */
static const char *check_json(struct tap *tap, sv json, const struct doc_stream *stream) {
    static const struct doc_options options = {.format = DOC_JSON};
    for (size_t i = 0; i < stream->documents.len; i++) {
        struct buf written = BUF(&tap->arena);
        doc_write_json(&written, stream->documents.items[i].root, 0, scalar_resolve_core);
        struct reading wanted, got;
        reading_open(&wanted, json, &options);
        reading_open(&got, buf_get_sv(&written), &options);
        const struct document *doc = &wanted.stream->documents.items[0];
        bool is_same = !got.stream->has_errors && suite_means_same(doc->root, got.stream->documents.items[0].root);
        json = sv_slice(json, doc->at.offset + doc->at.length, json.len);
        reading_close(&wanted);
        reading_close(&got);
        if (!is_same) {
            print_commented("JSON written", buf_get_sv(&written));
            return "differs from in.json";
        }
    }
    return NULL;
}

/* What the writer makes of each document reads back as the same tree, whatever the style. */
static const char *check_writer(struct tap *tap, const struct doc_stream *stream, const struct yaml_style *style) {
    for (size_t i = 0; i < stream->documents.len; i++) {
        struct buf written = BUF(&tap->arena);
        const struct node *root = stream->documents.items[i].root;
        doc_write_yaml(&written, root, style);
        struct reading r;
        reading_open(&r, buf_get_sv(&written), &doc_options_yaml);
        bool is_same = !r.stream->has_errors && r.stream->documents.len == 1 &&
                       suite_is_same(root, r.stream->documents.items[0].root);
        reading_close(&r);
        if (!is_same) {
            print_commented("written", buf_get_sv(&written));
            return "does not read back equal";
        }
    }
    return NULL;
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
    static const struct yaml_style other_style = {.indent = 4, .single_quotes = true, .document_start = true};
    const char *failure = NULL;
    if (!is_error)
        failure = check_writer(tap, r->stream, &yaml_style_default);
    if (!is_error && !failure)
        failure = check_writer(tap, r->stream, &other_style);
    sv json = suite_read_file(a, arena_printf(a, "%s/in.json", directory).data);
    if (!is_error && !failure && json.data && !suite_is_empty(r->stream))
        failure = check_json(tap, json, r->stream);
    return failure;
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
