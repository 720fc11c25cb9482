/* The canonical layout (docs/formatting.md), construct by construct. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "doc/format.h"

#include <string.h>

struct fixture {
    struct arena arena;
    struct sources sources;
    struct diags diags;
};

static enum format_result format(struct fixture *f, sv text, enum doc_format kind, sv *written) {
    *f = (struct fixture){.arena = {0}};
    sources_init(&f->sources, &f->arena);
    diags_init(&f->diags, &f->arena, &f->sources);
    struct buf out = BUF(&f->arena);
    struct source *source = sources_add(&f->sources, SV("test"), arena_copy_sv(&f->arena, text));
    enum format_result result = doc_format(&out, source, kind, NULL, &f->diags);
    *written = buf_get_sv(&out);
    return result;
}

static void expect(const char *text, enum doc_format kind, const char *wanted) {
    struct fixture f;
    sv written, again;
    assert_int_equal(format(&f, sv_from_cstr(text), kind, &written), FORMAT_DONE);
    assert_string_equal(written.data ? written.data : "", wanted);
    arena_fini(&f.arena);
    assert_int_equal(format(&f, sv_from_cstr(wanted), kind, &again), FORMAT_DONE);
    assert_string_equal(again.data ? again.data : "", wanted);
    arena_fini(&f.arena);
}

static void test_indentation(void **state) {
    (void)state;
    expect("a:\n      b:\n          - 1\n          -   c:   2\n              d: 3\nl:\n- x\n-\n  - y\n-   -   z\n",
           DOC_YAML, "a:\n  b:\n    - 1\n    - c: 2\n      d: 3\nl:\n  - x\n  - - y\n  - - z\n");
    expect("a:\r\n   b: 1\r\n", DOC_YAML, "a:\n  b: 1\n");
    expect("a: 1", DOC_YAML, "a: 1\n");
    expect("", DOC_YAML, "");
}

static void test_quotes_and_texts_stay(void **state) {
    (void)state;
    expect("a:   'x'\nb: \"y\\n\"\nc:  5\nd: '5'\n", DOC_YAML, "a: 'x'\nb: \"y\\n\"\nc: 5\nd: '5'\n");
    expect("a: one\n      two\n\n      three\n", DOC_YAML, "a: one\n  two\n\n  three\n");
    expect("a: \"one  \n      two \\  \n  three\"\n", DOC_YAML, "a: \"one\n  two \\ \n  three\"\n");
    expect("a:\n    long text\n", DOC_YAML, "a:\n  long text\n");
}

static void test_block_scalars_keep_every_character(void **state) {
    (void)state;
    expect("a: |\n      x  \n        y\n\n      z\nb: 1\n", DOC_YAML, "a: |\n  x  \n    y\n\n  z\nb: 1\n");
    expect("a: |4-  # why\n      x\n", DOC_YAML, "a: |2-  # why\n    x\n");
    expect("a: >+\n   x\n\n\n# end\n", DOC_YAML, "a: >+\n  x\n\n\n# end\n");
    expect("- |+\n\n- b\n", DOC_YAML, "- |+\n\n- b\n");
}

static void test_comments_stay_with_what_they_are_about(void **state) {
    (void)state;
    expect(
        "# head\n\n\n\n\na:   # of a\n      # of b\n      b: 1     # aligned\n      # last in a\n   # also in a?\n# of "
        "c\nc: 2\n# end",
        DOC_YAML,
        "# head\n\n\na:   # of a\n  # of b\n  b: 1     # aligned\n  # last in a\n# also in a?\n# of c\nc: 2\n# end\n");
    expect("l:\n- a\n# of b\n- b\n# of m\nm: 1\n", DOC_YAML, "l:\n  - a\n  # of b\n  - b\n# of m\nm: 1\n");
    expect("- # first\n  a: 1\n", DOC_YAML, "- # first\n  a: 1\n");
}

static void test_brackets_stay_on_one_line_or_get_an_entry_a_line(void **state) {
    (void)state;
    expect("a: [1,2 ,  3 ]\nb: { c : d,e: [ ] }\n", DOC_YAML, "a: [1, 2, 3]\nb: {c: d, e: []}\n");
    expect("a: [1, # one\n 2,\n\n {b: c}, ]\n", DOC_YAML, "a: [\n    1, # one\n    2,\n\n    {b: c}\n  ]\n");
    expect("{a: b,\nc: d}\n", DOC_YAML, "{\n  a: b,\n  c: d\n}\n");
    expect("[a: b, {c}, \"d\":e, ? f : g]\n", DOC_YAML, "[a: b, {c}, \"d\": e, ? f : g]\n");
}

static void test_tags_anchors_and_documents(void **state) {
    (void)state;
    expect("%YAML 1.2\n---   !!map\na:   &x   !t  1\nb:   *x\n*x :   c\n...\n# end\n", DOC_YAML,
           "%YAML 1.2\n--- !!map\na: &x !t 1\nb: *x\n*x : c\n...\n# end\n");
    expect("--- a\n---\n- b\n--- |\n c\n", DOC_YAML, "--- a\n---\n- b\n--- |\n  c\n");
    expect("?   a\n:   - b\n? c\n", DOC_YAML, "? a\n: - b\n? c\n");
    expect(" --- x: 1\n", DOC_YAML, "  --- x: 1\n");
    expect(" ... x\n", DOC_YAML, "  ... x\n");
    expect(" --- : 1\n", DOC_YAML, "---: 1\n");
}

static void test_json(void **state) {
    (void)state;
    expect("{\"a\":1,\n\"b\":[1,2,{}],\"c\" : \"x\\u0041\"}", DOC_JSON,
           "{\n  \"a\": 1,\n  \"b\": [1, 2, {}],\n  \"c\": \"x\\u0041\"\n}\n");
    expect("[]", DOC_JSON, "[]\n");
    expect("[ \n ]", DOC_JSON, "[]\n");
    expect("{\"list\":[\"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa\",\"bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb\","
           "\"cccccccccc\"]}",
           DOC_JSON,
           "{\n  \"list\": [\n    \"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa\",\n"
           "    \"bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb\",\n    \"cccccccccc\"\n  ]\n}\n");
}

static void test_json_with_comments(void **state) {
    (void)state;
    expect("// head\n{ \"a\" : 1, // one\n    /* two\n       lines */\n \"b\":[1 /* x */, 2,],\n}\n// end\n", DOC_JSONC,
           "// head\n{\n  \"a\": 1, // one\n  /* two\n     lines */\n  \"b\": [1 /* x */, 2]\n}\n// end\n");
}

static void test_broken_documents_are_left_alone(void **state) {
    (void)state;
    struct fixture f;
    sv written;
    assert_int_equal(format(&f, SV("a: [1\nb: 2\n"), DOC_YAML, &written), FORMAT_BROKEN);
    assert_int_equal(written.len, 0);
    assert_true(f.diags.errors > 0);
    arena_fini(&f.arena);
}

static void test_what_dialects_refuse_is_kept(void **state) {
    (void)state;
    expect("a:  1\na:   2\n<<:  {}\n", DOC_YAML, "a: 1\na: 2\n<<: {}\n");
}

static void test_indentation_that_grows_without_end_is_refused(void **state) {
    (void)state;
    struct arena arena = {0};
    struct buf text = BUF(&arena);
    struct limits limits = limits_default;
    limits.document_bytes = 1 << 16;
    buf_append_repeat(&text, '[', 100);
    for (int i = 0; i < 20000; i++)
        buf_append_cstr(&text, "1,\n");
    buf_append_repeat(&text, ']', 100);
    struct sources sources;
    struct diags diags;
    struct buf out = BUF(&arena);
    sources_init(&sources, &arena);
    diags_init(&diags, &arena, &sources);
    struct source *source = sources_add(&sources, SV("test"), buf_get_sv(&text));
    assert_int_equal(doc_format(&out, source, DOC_YAML, &limits, &diags), FORMAT_REFUSED);
    assert_int_equal(diags.items.items[0]->code, DIAG_limit_exceeded);
    assert_int_equal(out.len, 0);
    arena_fini(&arena);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_indentation),
        cmocka_unit_test(test_quotes_and_texts_stay),
        cmocka_unit_test(test_block_scalars_keep_every_character),
        cmocka_unit_test(test_comments_stay_with_what_they_are_about),
        cmocka_unit_test(test_brackets_stay_on_one_line_or_get_an_entry_a_line),
        cmocka_unit_test(test_tags_anchors_and_documents),
        cmocka_unit_test(test_json),
        cmocka_unit_test(test_json_with_comments),
        cmocka_unit_test(test_broken_documents_are_left_alone),
        cmocka_unit_test(test_what_dialects_refuse_is_kept),
        cmocka_unit_test(test_indentation_that_grows_without_end_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
