/* Any bytes as JSON, without and with comments: no crash, sound trees, and what the writer makes of a good document
 * reads back equal. */
#include "check.h"

#include "doc/writer.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const struct doc_options json = {.format = DOC_JSON, .duplicate_keys = DOC_REFUSE};
static const struct doc_options jsonc = {.format = DOC_JSONC, .keep_comments = true};

static void check_written(const struct node *root, unsigned indent) {
    struct arena arena = {0};
    struct buf out = BUF(&arena);
    doc_write_json(&out, root, indent, scalar_resolve_json);
    struct checked again;
    check_open(&again, (const uint8_t *)out.data, out.len, &json);
    check_that(!again.stream->has_errors, "what was written can be read");
    check_that(node_eq(root, again.stream->documents.items[0].root), "what was written reads back equal");
    check_close(&again);
    arena_fini(&arena);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    struct checked c;
    check_open(&c, data, size, &json);
    if (!c.stream->has_errors && !c.has_bad_number) {
        check_written(c.stream->documents.items[0].root, 0);
        check_written(c.stream->documents.items[0].root, 2);
    }
    bool is_json = !c.stream->has_errors;
    check_close(&c);
    struct doc_options options = jsonc;
    options.duplicate_keys = DOC_REFUSE;
    check_open(&c, data, size, &options);
    check_that(!is_json || !c.stream->has_errors, "JSON is JSON with comments");
    check_close(&c);
    return 0;
}
