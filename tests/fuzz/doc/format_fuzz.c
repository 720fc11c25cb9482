/* Any bytes as YAML, JSON and JSON with comments: what can be read can be formatted, reads back equal with the same
 * comments, and formatting it again changes nothing. */
#include "check.h"

#include "doc/format.h"

#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static bool format(struct arena *a, sv text, enum doc_format kind, sv *written) {
    struct sources sources;
    struct diags diags;
    struct buf out = BUF(a);
    sources_init(&sources, a);
    diags_init(&diags, a, &sources);
    struct source *source = sources_add(&sources, SV("fuzz"), arena_copy_sv(a, text));
    enum format_result result = doc_format(&out, source, kind, NULL, &diags);
    check_that(result != FORMAT_REFUSED, "what can be read can be formatted");
    check_that((result == FORMAT_DONE) == (diags.errors == 0), "what is broken is reported");
    check_that(result == FORMAT_DONE || out.len == 0, "nothing is written of what is broken");
    *written = buf_get_sv(&out);
    return result == FORMAT_DONE;
}

static void check_equal(sv before, sv after, enum doc_format kind) {
    struct doc_options options = doc_options_yaml;
    options.format = kind;
    options.keep_comments = true;
    struct checked a, b;
    check_open(&a, (const uint8_t *)before.data, before.len, &options);
    check_open(&b, (const uint8_t *)after.data, after.len, &options);
    check_that(!b.stream->has_errors, "what was formatted can be read");
    check_that(a.stream->documents.len == b.stream->documents.len, "no document is lost");
    check_that(a.stream->comments.len == b.stream->comments.len, "no comment is lost");
    for (size_t i = 0; i < a.stream->documents.len; i++)
        check_that(node_eq(a.stream->documents.items[i].root, b.stream->documents.items[i].root),
                   "what was formatted reads back equal");
    check_close(&a);
    check_close(&b);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    static const enum doc_format kinds[] = {DOC_YAML, DOC_JSON, DOC_JSONC};
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        struct arena arena = {0};
        sv text = sv_make((const char *)data, size), once, twice;
        if (format(&arena, text, kinds[i], &once)) {
            check_equal(text, once, kinds[i]);
            check_that(format(&arena, once, kinds[i], &twice), "what was formatted can be formatted");
            check_that(sv_eq(once, twice), "formatting again changes nothing");
        }
        arena_fini(&arena);
    }
    return 0;
}
