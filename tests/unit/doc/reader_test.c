/* What the readers make of good documents, and what they refuse (BP-010 to BP-024). */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "suite.h"

#include <string.h>

static const struct doc_options json_options = {.format = DOC_JSON, .duplicate_keys = DOC_REFUSE};
static const struct doc_options jsonc_options = {.format = DOC_JSONC};

static const struct node *get_root(const struct reading *r) {
    return r->stream->documents.items[0].root;
}

static void open_good(struct reading *r, const char *text) {
    reading_open(r, sv_from_cstr(text), &doc_options_yaml);
    assert_int_equal(r->diags.errors, 0);
}

static void assert_text(const struct node *n, const char *text) {
    assert_non_null(n);
    assert_int_equal(n->kind, NODE_SCALAR);
    assert_int_equal(n->text.len, strlen(text));
    assert_memory_equal(n->text.data, text, n->text.len);
}

/* The text in the file that a node's span covers. */
static void assert_source_text(const struct reading *r, const struct node *n, const char *text) {
    sv got = span_get_text(&r->sources, n->at);
    assert_int_equal(got.len, strlen(text));
    assert_memory_equal(got.data, text, got.len);
}

/* One report, with this code, at this line and column. */
static void assert_report(struct reading *r, enum diag_code code, size_t line, size_t column) {
    assert_true(r->stream->has_errors);
    assert_int_equal(r->diags.items.len, 1);
    const struct diag *d = r->diags.items.items[0];
    assert_int_equal(d->code, code);
    struct text_pos pos = source_get_pos(r->stream->source, d->at.offset);
    assert_int_equal(pos.line, line);
    assert_int_equal(pos.column, column);
    assert_true(d->hint.len > 0 || code == DIAG_yaml_unsupported_feature);
}

static void expect_report(const char *text, const struct doc_options *options, enum diag_code code, size_t line,
                          size_t column) {
    struct reading r;
    reading_open(&r, sv_from_cstr(text), options);
    assert_report(&r, code, line, column);
    reading_close(&r);
}

static void test_tree_keeps_kinds_styles_and_order(void **state) {
    (void)state;
    struct reading r;
    open_good(&r, "b: plain\n"
                  "a: 'single'\n"
                  "c: \"double\"\n"
                  "d: |\n  literal\n"
                  "e: >\n  folded\n"
                  "f: [x, {y: z}]\n"
                  "g:\n- item\n"
                  "h:\n");
    static const enum node_style styles[] = {NODE_PLAIN,  NODE_SINGLE_QUOTED, NODE_DOUBLE_QUOTED, NODE_LITERAL,
                                             NODE_FOLDED, NODE_FLOW,          NODE_BLOCK,         NODE_EMPTY};
    const struct node *root = get_root(&r);
    assert_int_equal(root->kind, NODE_MAPPING);
    assert_int_equal(root->count, sizeof styles / sizeof *styles);
    for (uint32_t i = 0; i < root->count; i++)
        assert_int_equal(root->pairs[i].value->style, styles[i]);
    assert_true(sv_eq(root->pairs[0].key->text, SV("b")));
    assert_true(sv_eq(node_find(root, SV("d"))->text, SV("literal\n")));
    assert_null(node_find(root, SV("nowhere")));
    reading_close(&r);
}

static void test_spans_cover_each_node(void **state) {
    (void)state;
    struct reading r;
    open_good(&r, "first: 'one' # comment\nlist:\n  - a\n  - {b: [c]}\n\nlast: |\n  text\n");
    const struct node *root = get_root(&r);
    assert_source_text(&r, root->pairs[0].key, "first");
    assert_source_text(&r, root->pairs[0].value, "'one'");
    const struct node *list = node_find(root, SV("list"));
    assert_source_text(&r, list, "- a\n  - {b: [c]}");
    assert_source_text(&r, list->items[1], "{b: [c]}");
    assert_source_text(&r, node_find(root, SV("last")), "|\n  text");
    reading_close(&r);
}

static void test_scalars_without_escapes_are_views(void **state) {
    (void)state;
    struct reading r;
    open_good(&r, "a: plain text\nb: \"quoted\"\nc: \"esc\\n\"\n");
    const char *from = r.stream->source->bytes.data, *to = from + r.stream->source->bytes.len;
    const struct node *root = get_root(&r);
    assert_true(root->pairs[0].value->text.data > from && root->pairs[0].value->text.data < to);
    assert_true(root->pairs[1].value->text.data > from && root->pairs[1].value->text.data < to);
    assert_int_equal(root->pairs[1].value->flags & NODE_ESCAPED, 0);
    assert_int_equal(root->pairs[2].value->flags & NODE_ESCAPED, NODE_ESCAPED);
    reading_close(&r);
}

static void test_duplicate_keys_are_marked(void **state) {
    (void)state;
    struct reading r;
    open_good(&r, "a: 1\n\"a\": 2\nb: 3\n1: x\n'1': y\n");
    const struct node *root = get_root(&r);
    assert_int_equal(root->pairs[0].key->flags & NODE_DUPLICATE, 0);
    assert_int_equal(root->pairs[1].key->flags & NODE_DUPLICATE, NODE_DUPLICATE);
    assert_int_equal(root->pairs[4].key->flags & NODE_DUPLICATE, NODE_DUPLICATE);
    assert_text(node_find(root, SV("a")), "1"); /* the first of duplicates */
    reading_close(&r);
}

static void test_BP_020_duplicate_key_names_the_first(void **state) { /* F60 */
    (void)state;
    struct reading r;
    reading_open(&r, SV("x: 1\na: 1\nb:\n  a: 2\na: 3\n"), &doc_options_blueprint);
    assert_report(&r, DIAG_duplicate_key, 5, 1);
    const struct diag *d = r.diags.items.items[0];
    assert_true(sv_eq(d->message, SV("key 'a' stands in line 2 already")));
    assert_int_equal(d->related.len, 1);
    assert_int_equal(d->related.items[0].at.offset, strlen("x: 1\n"));
    reading_close(&r);
    expect_report("{\"a\": 1, \"b\": 2, \"\\u0061\": 3}", &json_options, DIAG_duplicate_key, 1, 18);
}

static void test_duplicate_among_many_keys(void **state) {
    (void)state;
    enum { KEYS = 1000 };
    struct arena a = {0};
    struct buf text = BUF(&a);
    for (int i = 0; i < KEYS; i++)
        buf_printf(&text, "key%d: %d\n", i, i);
    buf_append_cstr(&text, "key7: again\n");
    struct reading r;
    reading_open(&r, buf_get_sv(&text), &doc_options_blueprint);
    assert_report(&r, DIAG_duplicate_key, KEYS + 1, 1);
    reading_close(&r);
    arena_fini(&a);
}

static void test_aliases_point_to_the_latest_anchor(void **state) {
    (void)state;
    struct reading r;
    open_good(&r, "a: &x 1\nb: *x\nc: &x [2]\nd: *x\n? &k key\n: *k\n");
    const struct node *root = get_root(&r);
    assert_ptr_equal(root->pairs[1].value->props->target, root->pairs[0].value);
    assert_ptr_equal(root->pairs[3].value->props->target, root->pairs[2].value);
    assert_ptr_equal(root->pairs[4].value->props->target, root->pairs[4].key);
    reading_close(&r);
}

static void test_alias_of_nothing_or_of_itself_is_refused(void **state) {
    (void)state;
    expect_report("a: &name 1\nb: *nam\n", &doc_options_yaml, DIAG_invalid_syntax, 2, 4);
    expect_report("a: &self\n  b: *self\n", &doc_options_yaml, DIAG_invalid_syntax, 2, 6);
    expect_report("&self [*self]\n", &doc_options_yaml, DIAG_invalid_syntax, 1, 8);
    expect_report("a: &x 1\n---\nb: *x\n", &doc_options_yaml, DIAG_invalid_syntax, 3, 4);
}

static void test_tags_are_resolved(void **state) {
    (void)state;
    struct reading r;
    open_good(&r, "%TAG !e! tag:example.org,2000:\n---\n- !!str a\n- !Sub b\n- !e!x%41 c\n- !<tag:d> d\n- ! e\n");
    static const char *const tags[] = {"tag:yaml.org,2002:str", "!Sub", "tag:example.org,2000:xA", "tag:d", "!"};
    const struct node *root = get_root(&r);
    for (uint32_t i = 0; i < root->count; i++)
        assert_true(sv_eq_cstr(root->items[i]->props->tag, tags[i]));
    assert_false(span_is_none(r.stream->documents.items[0].directive_tag_at));
    reading_close(&r);
}

static void test_comments_keep_their_places(void **state) {
    (void)state;
    struct doc_options options = doc_options_yaml;
    options.keep_comments = true;
    struct reading r;
    reading_open(&r, SV("# top\na: 1 # side\nb: [x, # in\n  y]\n"), &options);
    static const char *const texts[] = {" top", " side", " in"};
    assert_int_equal(r.stream->comments.len, 3);
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        assert_true(sv_eq_cstr(r.stream->comments.items[i].text, texts[i]));
        assert_int_equal(r.stream->comments.items[i].own_line, i == 0);
    }
    reading_close(&r);
}

static void test_documents_of_a_stream(void **state) {
    (void)state;
    struct reading r;
    open_good(&r, "a\n---\nb\n...\n# nothing\n---\n");
    assert_int_equal(r.stream->documents.len, 3);
    const struct document *docs = r.stream->documents.items;
    assert_false(docs[0].explicit_start);
    assert_true(docs[1].explicit_start && docs[1].explicit_end);
    assert_int_equal(docs[2].root->style, NODE_EMPTY);
    reading_close(&r);
    open_good(&r, "# only a comment\n"); /* there is always a root */
    assert_int_equal(r.stream->documents.len, 1);
    assert_int_equal(get_root(&r)->style, NODE_EMPTY);
    reading_close(&r);
    open_good(&r, "");
    assert_int_equal(get_root(&r)->style, NODE_EMPTY);
    reading_close(&r);
}

static void test_BP_012_line_ends_and_byte_order_mark(void **state) {
    (void)state;
    static const char with_mark[] = "\xef\xbb\xbf"
                                    "a: 1\nb: |\n  x\n  y\n";
    static const char *const texts[] = {with_mark, "a: 1\r\nb: |\r\n  x\r\n  y\r\n", "a: 1\rb: |\r  x\r  y\r"};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        struct reading r;
        open_good(&r, texts[i]);
        assert_text(node_find(get_root(&r), SV("a")), "1");
        assert_text(node_find(get_root(&r), SV("b")), "x\ny\n");
        reading_close(&r);
    }
}

static void expect_encoding(const char *bytes, size_t len, const char *name, size_t offset) {
    struct reading r;
    reading_open(&r, sv_make(bytes, len), &doc_options_yaml);
    assert_int_equal(r.diags.items.len, 1);
    const struct diag *d = r.diags.items.items[0];
    assert_int_equal(d->code, DIAG_invalid_encoding);
    assert_int_equal(d->at.offset, offset);
    assert_true(sv_find(d->message, sv_from_cstr(name)) != SIZE_MAX);
    assert_int_equal(get_root(&r)->kind, NODE_ERROR);
    reading_close(&r);
}

static void test_F63_foreign_encodings_are_named(void **state) {
    (void)state;
    expect_encoding("\xff\xfe"
                    "a\0:\0",
                    6, "UTF-16 (little endian)", 0);
    expect_encoding("\xfe\xff\0a\0:", 6, "UTF-16 (big endian)", 0);
    expect_encoding("a\0:\0 \0", 6, "UTF-16 (little endian)", 0);
    expect_encoding("\0a\0:\0 ", 6, "UTF-16 (big endian)", 0);
    expect_encoding("\xff\xfe\0\0a\0\0\0", 8, "UTF-32 (little endian)", 0);
    expect_encoding("\0\0\xfe\xff\0\0\0a", 8, "UTF-32 (big endian)", 0);
    expect_encoding("a\0\0\0:\0\0\0", 8, "UTF-32 (little endian)", 0);
    expect_encoding("\0\0\0a\0\0\0:", 8, "UTF-32 (big endian)", 0);
}

static void test_F61_invalid_utf8_has_its_offset(void **state) {
    (void)state;
    expect_encoding("abcd\xff"
                    "e",
                    6, "0xFF", 4);
    expect_encoding("abcd\xc0\x80", 6, "0xC0", 4);
    expect_encoding("abc: \xed\xa0\x80", 8, "0xED", 5);
    expect_encoding("abcd\0e", 6, "NUL", 4);
}

static void test_F62_control_characters(void **state) {
    (void)state;
    for (int c = 1; c < 256; c++) {
        if (c == ':')
            continue; /* a key, not a character of the text */
        bool is_plain_text = c == '\t' || c == '\n' || c == '\r' || (c >= ' ' && c < 0x7f) || c == 0x85 || c >= 0xa0;
        struct arena a = {0};
        struct buf text = BUF(&a);
        buf_append_cstr(&text, "key: a");
        buf_append_codepoint(&text, (uint32_t)c);
        buf_append_cstr(&text, "\n\n");
        struct reading r;
        reading_open(&r, buf_get_sv(&text), &doc_options_yaml);
        assert_int_equal(r.stream->has_errors, !is_plain_text);
        reading_close(&r);
        arena_fini(&a);
    }
    expect_report("a: x\xef\xbb\xbfy\n", &doc_options_yaml, DIAG_invalid_syntax, 1, 5);
    expect_report("a: |\n  x\xef\xbf\xbey\n", &doc_options_yaml, DIAG_invalid_syntax, 2, 4);
}

static void test_BP_015_refused_features(void **state) {
    (void)state;
    expect_report("a: !t 1\n", &doc_options_blueprint, DIAG_yaml_unsupported_feature, 1, 4);
    expect_report("a: ! 1\n", &doc_options_blueprint, DIAG_yaml_unsupported_feature, 1, 4);
    expect_report("a: &x 1\n", &doc_options_blueprint, DIAG_yaml_unsupported_feature, 1, 4);
    expect_report("a: *x\n", &doc_options_blueprint, DIAG_yaml_unsupported_feature, 1, 4);
    expect_report("<<: {a: 1}\n", &doc_options_blueprint, DIAG_yaml_unsupported_feature, 1, 1);
    expect_report("{<<: {a: 1}}\n", &doc_options_blueprint, DIAG_yaml_unsupported_feature, 1, 2);
    expect_report("%TAG !a! b\n---\na: 1\n", &doc_options_blueprint, DIAG_yaml_unsupported_feature, 1, 1);
    expect_report("a: 1\n---\nb: 2\n", &doc_options_blueprint, DIAG_yaml_unsupported_feature, 2, 1);
    struct reading r;
    reading_open(&r, SV("%YAML 1.2\n--- # c\na: {b: [\"<<\"]}\n...\n"), &doc_options_blueprint);
    assert_int_equal(r.diags.items.len, 0);
    reading_close(&r);
}

static void test_BP_016_json_names_jsonc(void **state) {
    (void)state;
    static const char *const texts[] = {"{\"a\": 1,}", "[1] // c", "/* c */ {}"};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        struct reading r;
        reading_open(&r, sv_from_cstr(texts[i]), &json_options);
        assert_int_equal(r.diags.items.len, 1);
        assert_true(sv_find(r.diags.items.items[0]->hint, SV(".jsonc")) != SIZE_MAX);
        reading_close(&r);
        reading_open(&r, sv_from_cstr(texts[i]), &jsonc_options);
        assert_int_equal(r.diags.items.len, 0);
        reading_close(&r);
    }
}

static void test_BP_017_jsonc_relaxes_nothing_else(void **state) {
    (void)state;
    expect_report("[1,,]", &jsonc_options, DIAG_invalid_syntax, 1, 4);
    expect_report("{'a': 1}", &jsonc_options, DIAG_invalid_syntax, 1, 2);
    expect_report("[01]", &jsonc_options, DIAG_invalid_syntax, 1, 2);
    expect_report("[1] /* open", &jsonc_options, DIAG_invalid_syntax, 1, 5);
}

static void test_json_strings(void **state) {
    (void)state;
    struct reading r;
    reading_open(&r, SV("{\"k\\u0065y\": \"\\ud83d\\ude00 \\/ \\n\", \"n\": -1.5e3}"), &json_options);
    assert_int_equal(r.diags.items.len, 0);
    assert_text(node_find(get_root(&r), SV("key")), "\xf0\x9f\x98\x80 / \n");
    assert_text(node_find(get_root(&r), SV("n")), "-1.5e3");
    assert_int_equal(get_root(&r)->style, NODE_FLOW);
    reading_close(&r);
}

static void test_BP_024_limits(void **state) {
    (void)state;
    struct limits limits = limits_default;
    limits.nesting = 3;
    limits.document_bytes = 20;
    struct doc_options options = doc_options_yaml;
    options.limits = &limits;
    expect_report("[[[[1]]]]", &options, DIAG_limit_exceeded, 1, 4);
    expect_report("- - - - 1", &options, DIAG_limit_exceeded, 1, 7);
    expect_report("012345678901234567890", &options, DIAG_limit_exceeded, 1, 1);
    options.format = DOC_JSON;
    expect_report("[[[[1]]]]", &options, DIAG_limit_exceeded, 1, 4);
    struct reading r;
    reading_open(&r, SV("[[[1]]]"), &options);
    assert_int_equal(r.diags.items.len, 0);
    reading_close(&r);
}

static void test_BP_011_formats_by_extension(void **state) {
    (void)state;
    assert_int_equal(doc_find_format(SV("a.yaml")), DOC_YAML);
    assert_int_equal(doc_find_format(SV("b/a.x.yml")), DOC_YAML);
    assert_int_equal(doc_find_format(SV("a.json")), DOC_JSON);
    assert_int_equal(doc_find_format(SV("a.jsonc")), DOC_JSONC);
    assert_int_equal(doc_find_format(SV("a.toml")), 0);
    assert_int_equal(doc_find_format(SV("yaml")), 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_tree_keeps_kinds_styles_and_order),
        cmocka_unit_test(test_spans_cover_each_node),
        cmocka_unit_test(test_scalars_without_escapes_are_views),
        cmocka_unit_test(test_duplicate_keys_are_marked),
        cmocka_unit_test(test_BP_020_duplicate_key_names_the_first),
        cmocka_unit_test(test_duplicate_among_many_keys),
        cmocka_unit_test(test_aliases_point_to_the_latest_anchor),
        cmocka_unit_test(test_alias_of_nothing_or_of_itself_is_refused),
        cmocka_unit_test(test_tags_are_resolved),
        cmocka_unit_test(test_comments_keep_their_places),
        cmocka_unit_test(test_documents_of_a_stream),
        cmocka_unit_test(test_BP_012_line_ends_and_byte_order_mark),
        cmocka_unit_test(test_F63_foreign_encodings_are_named),
        cmocka_unit_test(test_F61_invalid_utf8_has_its_offset),
        cmocka_unit_test(test_F62_control_characters),
        cmocka_unit_test(test_BP_015_refused_features),
        cmocka_unit_test(test_BP_016_json_names_jsonc),
        cmocka_unit_test(test_BP_017_jsonc_relaxes_nothing_else),
        cmocka_unit_test(test_json_strings),
        cmocka_unit_test(test_BP_024_limits),
        cmocka_unit_test(test_BP_011_formats_by_extension),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
