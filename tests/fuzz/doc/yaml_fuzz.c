/* Any bytes as YAML: no crash, sound trees, and what the writer makes of a good document reads back equal. */
#include "check.h"

#include "doc/writer.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_written(const struct node *root, const struct yaml_style *style) {
    struct arena arena = {0};
    struct buf out = BUF(&arena);
    doc_write_yaml(&out, root, style);
    struct checked again;
    check_open(&again, (const uint8_t *)out.data, out.len, &doc_options_yaml);
    check_that(!again.stream->has_errors, "what was written can be read");
    check_that(again.stream->documents.len == 1, "one document stays one");
    check_that(node_eq(root, again.stream->documents.items[0].root), "what was written reads back equal");
    check_close(&again);
    arena_fini(&arena);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    static const struct yaml_style other = {.indent = 3, .single_quotes = true, .document_start = true};
    struct doc_options options = doc_options_yaml;
    options.keep_comments = true;
    struct checked c;
    check_open(&c, data, size, &options);
    for (size_t i = 0; i < c.stream->documents.len && !c.stream->has_errors; i++) {
        check_written(c.stream->documents.items[i].root, &yaml_style_default);
        check_written(c.stream->documents.items[i].root, &other);
    }
    check_close(&c);
    check_open(&c, data, size, &doc_options_blueprint);
    check_close(&c);
    return 0;
}
