/* What the writers print, and that random trees read back equal in any style. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "suite.h"

#include <string.h>

/* Reads `text` and writes its root again. */
static void expect_written(const char *text, const struct yaml_style *style, const char *wanted) {
    struct reading r;
    reading_open(&r, sv_from_cstr(text), &doc_options_yaml);
    assert_int_equal(r.diags.errors, 0);
    struct buf out = BUF(&r.arena);
    doc_write_yaml(&out, r.stream->documents.items[0].root, style);
    assert_string_equal(buf_get_sv(&out).data, wanted);
    reading_close(&r);
}

static void test_block_style_with_the_least_quotes(void **state) {
    (void)state;
    expect_written(
        "{a: [1, 'two', \"3\", {b: c, 'd': \"- e\"}], f: {}, g: [], h: , i: '', j: ' x', k: 'y: z', \"<<\": 1}",
        &yaml_style_default,
        "a:\n"
        "  - 1\n"
        "  - two\n"
        "  - \"3\"\n"
        "  - b: c\n"
        "    d: \"- e\"\n"
        "f: {}\n"
        "g: []\n"
        "h:\n"
        "i: \"\"\n"
        "j: \" x\"\n"
        "k: \"y: z\"\n"
        "\"<<\": 1\n");
}

static void test_literal_blocks(void **state) {
    (void)state;
    expect_written(
        "a: \"x\\n  y\\n\"\nb: \"no end\\nhere\"\nc: \"  lead\\n\"\nd: \"tail\\n\\n\"\ne: \"bell\\a\\n\"\nf: \"\\n\"\n",
        &yaml_style_default,
        "a: |\n  x\n    y\n"
        "b: |-\n  no end\n  here\n"
        "c: |2\n    lead\n"
        "d: |+\n  tail\n\n"
        "e: \"bell\\a\\n\"\n"
        "f: \"\\n\"\n");
}

static void test_style_is_a_parameter(void **state) {
    (void)state;
    static const struct yaml_style style = {.indent = 4, .single_quotes = true, .document_start = true};
    expect_written("a: {b: ['5', \"it's: so\", \"x\\ny\"]}", &style,
                   "---\na:\n    b:\n    - '5'\n    - 'it''s: so'\n    - \"x\\ny\"\n");
}

static struct scalar resolve_words(sv text) {
    return (struct scalar){.kind = sv_eq(text, SV("yes")) ? SCALAR_BOOL : SCALAR_STRING, .text = text};
}

static void test_resolver_decides_what_needs_quotes(void **state) {
    (void)state;
    struct yaml_style style = yaml_style_default;
    style.resolver = resolve_words;
    expect_written("['yes', '5', yes]", &style, "- \"yes\"\n- 5\n- yes\n");
}

static void test_properties_and_keys_of_all_kinds(void **state) {
    (void)state;
    static const char text[] = "&a !!map\n"
                               "? [x, y]\n"
                               ": &b v\n"
                               "*b : !t\n"
                               "  - - deep\n"
                               "    - k: v\n"
                               "? |\n"
                               "  long\n"
                               "  key\n"
                               ": last\n";
    expect_written(text, &yaml_style_default,
                   "&a !!map\n"
                   "? - x\n"
                   "  - y\n"
                   ": &b v\n"
                   "*b : !t\n"
                   "  - - deep\n"
                   "    - k: v\n"
                   "\"long\\nkey\\n\": last\n");
}

static void test_json(void **state) {
    (void)state;
    struct reading r;
    reading_open(&r, SV("a: [1, 0x10, 1.50, .5, ~, true, yes, '7', .inf, 1e400]\n\"q\\\"\": {}\n"), &doc_options_yaml);
    struct buf out = BUF(&r.arena);
    doc_write_json(&out, r.stream->documents.items[0].root, 0, scalar_resolve_core);
    assert_string_equal(buf_get_sv(&out).data,
                        "{\"a\":[1,16,1.50,0.5,null,true,\"yes\",\"7\",\".inf\",\"1e400\"],\"q\\\"\":{}}");
    out.len = 0;
    doc_write_json(&out, node_find(r.stream->documents.items[0].root, SV("q\"")), 2, NULL);
    assert_string_equal(buf_get_sv(&out).data, "{}");
    reading_close(&r);
}

/* A small generator of random numbers, the same in every run. */
static uint32_t next_random(uint64_t *seed) {
    *seed = *seed * 6364136223846793005U + 1442695040888963407U;
    return (uint32_t)(*seed >> 33);
}

static sv make_text(struct arena *a, uint64_t *seed) {
    static const char *const pieces[] = {"a",
                                         "word",
                                         " ",
                                         "  ",
                                         "\n",
                                         "\n\n",
                                         ":",
                                         ": ",
                                         "#",
                                         " #",
                                         "- ",
                                         "-",
                                         "'",
                                         "\"",
                                         "\\",
                                         "\t",
                                         "5",
                                         "true",
                                         "[",
                                         "}",
                                         "&",
                                         "*",
                                         "!",
                                         "|",
                                         ">",
                                         "%",
                                         "@",
                                         "?",
                                         "? ",
                                         "\xc3\xa9",
                                         "~",
                                         "\r",
                                         "\xe2\x80\xa8",
                                         "\x01",
                                         "---",
                                         "...",
                                         "<<",
                                         ",",
                                         "=",
                                         "\xc2\x85",
                                         "\xef\xbb\xbf",
                                         ".5"};
    enum { PIECES = sizeof pieces / sizeof *pieces, LONGEST = 6 };
    struct buf out = BUF(a);
    for (uint32_t n = next_random(seed) % LONGEST; n > 0; n--)
        buf_append_cstr(&out, pieces[next_random(seed) % PIECES]);
    return arena_copy_sv(a, buf_get_sv(&out));
}

static struct node *make_scalar(struct arena *a, uint64_t *seed) {
    static const enum node_style styles[] = {NODE_SINGLE_QUOTED, NODE_DOUBLE_QUOTED, NODE_LITERAL, NODE_FOLDED};
    static const char *const plain[] = {"", "5", "true", "text", "~", "-1.5", "x y"};
    enum { STYLES = 4, PLAIN = 7 };
    if (next_random(seed) % 3 == 0)
        return node_new_scalar(a, sv_from_cstr(plain[next_random(seed) % PLAIN]), NODE_PLAIN);
    return node_new_scalar(a, make_text(a, seed), styles[next_random(seed) % STYLES]);
}

static struct node *make_tree(struct arena *a, uint64_t *seed, unsigned depth) {
    enum { WIDEST = 4 };
    uint32_t kind = next_random(seed) % 3, count = next_random(seed) % WIDEST;
    if (depth == 0 || kind == 0)
        return make_scalar(a, seed);
    struct node **items = ARENA_ARRAY(a, struct node *, WIDEST);
    struct node_pair *pairs = ARENA_ARRAY(a, struct node_pair, WIDEST);
    for (uint32_t i = 0; i < count; i++) {
        items[i] = make_tree(a, seed, depth - 1);
        bool has_simple_key = next_random(seed) % 4 > 0;
        pairs[i].key = has_simple_key ? make_scalar(a, seed) : make_tree(a, seed, depth - 1);
        pairs[i].value = items[i];
    }
    return kind == 1 ? node_new_sequence(a, items, count) : node_new_mapping(a, pairs, count);
}

static void expect_reads_back(const struct node *tree, const struct yaml_style *style) {
    struct arena a = {0};
    struct buf out = BUF(&a);
    doc_write_yaml(&out, tree, style);
    struct reading r;
    reading_open(&r, buf_get_sv(&out), &doc_options_yaml);
    bool is_equal = r.diags.errors == 0 && node_eq(tree, r.stream->documents.items[0].root);
    if (!is_equal)
        print_error("does not read back:\n%s\n", buf_get_sv(&out).data);
    assert_true(is_equal);
    reading_close(&r);
    arena_fini(&a);
}

static void test_random_trees_read_back_equal(void **state) {
    (void)state;
    static const struct yaml_style styles[] = {
        {.indent = 2, .indent_sequences = true, .literal_blocks = true},
        {.indent = 4, .single_quotes = true, .literal_blocks = true},
        {.indent = 1, .document_start = true},
        {.indent = 9, .indent_sequences = true, .literal_blocks = true},
    };
    enum { TREES = 1000, STYLES = 4, DEPTH = 4 };
    for (uint64_t i = 0; i < TREES; i++) {
        struct arena a = {0};
        uint64_t seed = i;
        const struct node *tree = make_tree(&a, &seed, DEPTH);
        expect_reads_back(tree, &styles[i % STYLES]);
        arena_fini(&a);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_block_style_with_the_least_quotes),
        cmocka_unit_test(test_literal_blocks),
        cmocka_unit_test(test_style_is_a_parameter),
        cmocka_unit_test(test_resolver_decides_what_needs_quotes),
        cmocka_unit_test(test_properties_and_keys_of_all_kinds),
        cmocka_unit_test(test_json),
        cmocka_unit_test(test_random_trees_read_back_equal),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
