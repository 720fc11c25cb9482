/* Formatting keeps every valid document of the YAML test suite and of JSONTestSuite what it is (CLI section 3, `fmt`):
 * what was formatted reads back as the same events with the same comments, and formatting it again changes nothing.
 * Broken documents are left alone. Prints TAP itself, one case per document; the suites are looked for in
 * $LINTEL_SUITES. */
#include "suite.h"

#include "doc/format.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct tap {
    struct arena arena;
    int count, failed;
    const char *only; /* one case by name, for debugging */
};

static enum format_result format(struct tap *tap, sv text, enum doc_format kind, sv *out) {
    struct sources sources;
    struct diags diags;
    struct buf written = BUF(&tap->arena);
    sources_init(&sources, &tap->arena);
    diags_init(&diags, &tap->arena, &sources);
    struct source *source = sources_add(&sources, SV("case"), arena_copy_sv(&tap->arena, text));
    enum format_result result = doc_format(&written, source, kind, NULL, &diags);
    *out = buf_get_sv(&written);
    return result;
}

static sv print(struct tap *tap, const struct doc_stream *stream) {
    struct buf out = BUF(&tap->arena);
    suite_print_events(&out, stream);
    for (size_t i = 0; i < stream->comments.len; i++) {
        buf_append_char(&out, '#');
        buf_append(&out, sv_trim(stream->comments.items[i].text));
        buf_append_char(&out, '\n');
    }
    return buf_get_sv(&out);
}

static const char *check_text(struct tap *tap, sv text, enum doc_format kind, sv *once) {
    struct doc_options options = doc_options_yaml;
    options.format = kind;
    options.keep_comments = true;
    struct reading before, after;
    sv twice;
    reading_open(&before, text, &options);
    bool is_broken = before.stream->has_errors;
    sv wanted = print(tap, before.stream);
    reading_close(&before);
    enum format_result result = format(tap, text, kind, once);
    if (is_broken)
        return result != FORMAT_BROKEN ? "broken, but formatted" : once->len > 0 ? "broken, but written" : NULL;
    if (result != FORMAT_DONE)
        return "not formatted";
    reading_open(&after, *once, &options);
    sv got = print(tap, after.stream);
    reading_close(&after);
    if (!sv_eq(wanted, got))
        return "reads back as something else";
    if (format(tap, *once, kind, &twice) != FORMAT_DONE || !sv_eq(*once, twice))
        return "formatting again changes it";
    return NULL;
}

static void print_commented(const char *title, sv text) {
    printf("# %s\n", title);
    while (text.len > 0) {
        sv line = sv_cut(&text, '\n');
        printf("#   %.*s\n", SV_ARG(line));
    }
}

static void run_case(struct tap *tap, const char *path, const char *name, enum doc_format kind) {
    sv text = suite_read_file(&tap->arena, path), once = {0};
    if (tap->only && strcmp(tap->only, name) != 0)
        return;
    const char *failure = check_text(tap, text, kind, &once);
    tap->count++;
    tap->failed += failure != NULL;
    if (failure || tap->only) {
        print_commented("text", text);
        print_commented("formatted", once);
    }
    printf("%sok %d - %s%s%s\n", failure ? "not " : "", tap->count, name, failure ? ": " : "", failure ? failure : "");
}

static void run_yaml(struct tap *tap, const char *path, const char *name) {
    struct arena *a = &tap->arena;
    const char *file = arena_printf(a, "%s/in.yaml", path).data;
    if (suite_read_file(a, file).data) {
        run_case(tap, file, name, DOC_YAML);
        return;
    }
    size_t count;
    char **parts = suite_list(a, path, &count);
    for (size_t i = 0; i < count; i++)
        run_case(tap, arena_printf(a, "%s/%s/in.yaml", path, parts[i]).data,
                 arena_printf(a, "%s/%s", name, parts[i]).data, DOC_YAML);
}

int main(int argc, char **argv) {
    struct tap tap = {.only = argc > 1 ? argv[1] : NULL};
    struct arena *a = &tap.arena;
    const char *suites = getenv("LINTEL_SUITES");
    const char *yaml = arena_printf(a, "%s/yaml-test-suite", suites ? suites : "").data;
    const char *json = arena_printf(a, "%s/JSONTestSuite/test_parsing", suites ? suites : "").data;
    size_t yaml_count = 0, json_count = 0;
    char **yaml_names = suites && *suites ? suite_list(a, yaml, &yaml_count) : NULL;
    char **json_names = suites && *suites ? suite_list(a, json, &json_count) : NULL;
    if (yaml_count == 0 || json_count == 0) {
        printf("1..1\nok 1 - formatting the suites # SKIP LINTEL_SUITES does not lead to the suites\n");
        arena_fini(a);
        return 0;
    }
    for (size_t i = 0; i < yaml_count; i++)
        if (strcmp(yaml_names[i], "LICENSE") != 0)
            run_yaml(&tap, arena_printf(a, "%s/%s", yaml, yaml_names[i]).data, yaml_names[i]);
    for (size_t i = 0; i < json_count; i++)
        run_case(&tap, arena_printf(a, "%s/%s", json, json_names[i]).data, json_names[i], DOC_JSON);
    printf("1..%d\n", tap.count);
    arena_fini(a);
    return tap.failed > 0;
}
