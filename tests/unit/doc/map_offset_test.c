/* From each byte of a decoded scalar back to its place in the file, exactly (BP-301). */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "suite.h"

#include <string.h>

/* Opens a document whose root is, or whose first value is, the scalar to look at. */
static const struct node *open_scalar(struct reading *r, const char *text) {
    reading_open(r, sv_from_cstr(text), &doc_options_yaml);
    assert_int_equal(r->diags.errors, 0);
    const struct node *n = r->stream->documents.items[0].root;
    return n->kind == NODE_MAPPING ? n->pairs[0].value : n;
}

/* Each byte of the decoded text, written as the piece of the file that it came from, pieces separated by '|'. */
static void expect_pieces(const char *text, const char *pieces) {
    struct reading r;
    const struct node *n = open_scalar(&r, text);
    struct buf got = BUF(&r.arena);
    for (size_t i = 0; i < n->text.len; i++) {
        buf_append_cstr(&got, i ? "|" : "");
        buf_append(&got, span_get_text(&r.sources, node_map_span(&r.sources, n, i, 1)));
    }
    assert_string_equal(buf_get_sv(&got).data, pieces);
    reading_close(&r);
}

static void test_plain_and_quoted_without_escapes(void **state) {
    (void)state;
    expect_pieces("k: abc\n", "a|b|c");
    expect_pieces("k: 'abc'\n", "a|b|c");
    expect_pieces("k: \"abc\"\n", "a|b|c");
}

static void test_escapes_take_their_whole_source(void **state) {
    (void)state;
    expect_pieces("k: \"a\\nb\\x41\\u00e9c\"\n", "a|\\n|b|\\x41|\\u00e9|\\u00e9|c");
    expect_pieces("\"\\ud83d\\ude00!\"", "\\ud83d\\ude00|\\ud83d\\ude00|\\ud83d\\ude00|\\ud83d\\ude00|!");
    expect_pieces("k: 'it''s'\n", "i|t|''|s");
}

static void test_folded_lines(void **state) {
    (void)state;
    expect_pieces("k: one\n  two\n\n  x\n", "o|n|e|\n|t|w|o|\n|x");
    expect_pieces("k: \"a  \n   b\"\n", "a|\n|b");
    expect_pieces("k: \"a\\\n   b\"\n", "a|b");
    expect_pieces("k: 'a\n\n\n  b'\n", "a|\n|\n|b");
}

static void test_literal_blocks(void **state) {
    (void)state;
    expect_pieces("k: |\n    ab\n      c\n    d\n", "a|b|\n| | |c|\n|d|\n");
    expect_pieces("k: |2-\n   a\n\n   b\n", " |a|\n|\n| |b");
    expect_pieces("k: |+\n a\n\n\n", "a|\n|\n|\n");
    expect_pieces("k: |\n\n  a", "\n|a|"); /* the end of the file stands for the last break */
}

static void test_folded_blocks(void **state) {
    (void)state;
    expect_pieces("k: >\n  a\n  b\n\n  c\n", "a|\n|b|\n|c|\n");
    expect_pieces("k: >-\n  a\n   b\n  c\n", "a|\n| |b|\n|c");
    expect_pieces("k: >\r\n  a\r\n  b\r\n", "a|\r|b|\r");
}

static void test_span_of_a_reference_in_a_folded_scalar(void **state) {
    (void)state;
    struct reading r;
    const struct node *n = open_scalar(&r, "k: >\n  text with\n  ${variables.\n  region} in it\n");
    size_t start = sv_find(n->text, SV("${")), end = sv_find_char(n->text, '}') + 1;
    span at = node_map_span(&r.sources, n, start, end - start);
    assert_true(sv_eq(span_get_text(&r.sources, at), SV("${variables.\n  region}")));
    span name = node_map_span(&r.sources, n, sv_find(n->text, SV("region")), strlen("region"));
    struct text_pos pos = source_get_pos(r.stream->source, name.offset);
    assert_int_equal(pos.line, 4);
    assert_int_equal(pos.column, 3);
    reading_close(&r);
}

static void test_place_behind_the_last_character(void **state) {
    (void)state;
    static const char *const texts[] = {"k: abc", "k: 'abc'", "k: \"ab\\x63\"", "k: 'a\n  bc'"};
    static const uint32_t ends[] = {6, 7, 10, 10};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        struct reading r;
        const struct node *n = open_scalar(&r, texts[i]);
        span at = node_map_span(&r.sources, n, n->text.len, 0);
        assert_int_equal(at.offset, ends[i]);
        assert_int_equal(at.length, 0);
        reading_close(&r);
    }
}

static void test_offsets_of_all_bytes_at_once(void **state) {
    (void)state;
    struct reading r;
    const struct node *n = open_scalar(&r, "k: \"a\\tb\"\n");
    static const uint32_t wanted[] = {4, 5, 7, 8};
    const uint32_t *offsets = node_map_offsets(&r.arena, &r.sources, n);
    assert_memory_equal(offsets, wanted, sizeof wanted);
    assert_int_equal(node_get_text_start(&r.sources, n), 4);
    reading_close(&r);
    n = open_scalar(&r, "k: 'ab'\n");
    assert_null(node_map_offsets(&r.arena, &r.sources, n)); /* one run of the file */
    assert_int_equal(node_get_text_start(&r.sources, n), 4);
    reading_close(&r);
    n = open_scalar(&r, "k: |\n\n    ab\n");
    assert_int_equal(node_get_text_start(&r.sources, n), 5);
    reading_close(&r);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_plain_and_quoted_without_escapes),
        cmocka_unit_test(test_escapes_take_their_whole_source),
        cmocka_unit_test(test_folded_lines),
        cmocka_unit_test(test_literal_blocks),
        cmocka_unit_test(test_folded_blocks),
        cmocka_unit_test(test_span_of_a_reference_in_a_folded_scalar),
        cmocka_unit_test(test_place_behind_the_last_character),
        cmocka_unit_test(test_offsets_of_all_bytes_at_once),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
