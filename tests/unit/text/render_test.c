/* What people see of diagnostics. */
#include "text/render.h"
#include "base/utf8.h"
#include "unit/text/fixture.h"

#include <stdlib.h>
#include <string.h>

static const struct render_options plain = {.width = 80};

static sv render(struct fixture *f, const struct render_options *options) {
    struct buf out = BUF(&f->arena);
    render_diags(&out, &f->diags, options);
    return buf_get_sv(&out);
}

/* One error at the first occurrence of `text` in `source_text`. */
static sv render_at(struct fixture *f, const char *source_text, const char *text) {
    fixture_init(f);
    struct source *s = fixture_add_source(f, "a.yaml", source_text);
    diags_add(&f->diags, DIAG_invalid_value, find_span(s, text), "wrong");
    struct buf out = BUF(&f->arena);
    render_diag(&out, &f->diags, f->diags.items.items[0], &plain);
    return buf_get_sv(&out);
}

static void test_error_with_hint_and_related(void **state) {
    (void)state;
    struct fixture f;
    fixture_init(&f);
    struct source *s = fixture_add_source(&f, "blueprint.yaml",
                                          "version: 1\n\nvariables:\n  region:\n\n\n\n\n\n\nresources:\n"
                                          "    name: ${variables.regon}\n");
    struct diag *d = diags_add(&f.diags, DIAG_missing_variable, find_span(s, "variables.regon"),
                               "variable '%s' does not exist", "regon");
    diag_set_hint(&f.diags, d, "did you mean '%s'?", "region");
    diag_add_related(&f.diags, d, find_span(s, "region"), "declared here");
    diag_add_related(&f.diags, d, SPAN_NONE, "and elsewhere");
    CHECK_SV(render(&f, &plain), "error[missing_variable]: variable 'regon' does not exist\n"
                                 "  --> blueprint.yaml:12:13\n"
                                 "   |\n"
                                 "12 |     name: ${variables.regon}\n"
                                 "   |             ^^^^^^^^^^^^^^^\n"
                                 "   = hint: did you mean 'region'?\n"
                                 "  ::: blueprint.yaml:4:3: declared here\n"
                                 "   = note: and elsewhere\n"
                                 "\n"
                                 "1 error\n");
    fixture_fini(&f);
}

static void test_levels_and_summary(void **state) { /* BP-001 */
    (void)state;
    struct fixture f;
    fixture_init(&f);
    CHECK_SV(render(&f, &plain), "");
    diags_add(&f.diags, DIAG_export_omitted, SPAN_NONE, "an info");
    CHECK_SV(render(&f, &plain), "info[export_omitted]: an info\n\n");
    diags_add(&f.diags, DIAG_unused_element, SPAN_NONE, "a warning");
    diags_add(&f.diags, DIAG_usage_error, SPAN_NONE, "an error");
    diags_add(&f.diags, DIAG_usage_error, SPAN_NONE, "another");
    diags_add_foreign(&f.diags, DIAG_provider_error, SV("strange\x1b[2J"), SPAN_NONE, "from a plugin");
    CHECK_SV(render(&f, &plain), "info[export_omitted]: an info\n\n"
                                 "error[strange\\x1b[2J]: from a plugin\n\n"
                                 "warning[unused_element]: a warning\n\n"
                                 "error[usage_error]: an error\n\n"
                                 "error[usage_error]: another\n\n"
                                 "3 errors, 1 warning\n");
    fixture_fini(&f);
}

static void test_summary_names_what_is_not_shown(void **state) {
    (void)state;
    struct fixture f;
    fixture_init(&f);
    f.diags.limit = 1;
    diags_add(&f.diags, DIAG_usage_error, SPAN_NONE, "one");
    diags_add(&f.diags, DIAG_usage_error, SPAN_NONE, "two");
    diags_add(&f.diags, DIAG_usage_error, SPAN_NONE, "three");
    CHECK_SV(render(&f, &plain), "error[usage_error]: one\n\n3 errors (2 not shown)\n");
    fixture_fini(&f);
}

static void test_tabs_and_wide_characters_keep_carets_aligned(void **state) {
    (void)state;
    struct fixture f;
    CHECK_SV(render_at(&f, "\ta\tkey: x", "key"), "error[invalid_value]: wrong\n"
                                                  " --> a.yaml:1:4\n"
                                                  "  |\n"
                                                  "1 |     a   key: x\n"
                                                  "  |         ^^^\n");
    fixture_fini(&f);
    CHECK_SV(render_at(&f, "\xE6\x97\xA5\xE6\x9C\xAC: \xE6\x97\xA5x", "\xE6\x97\xA5x"),
             "error[invalid_value]: wrong\n"
             " --> a.yaml:1:5\n"
             "  |\n"
             "1 | \xE6\x97\xA5\xE6\x9C\xAC: \xE6\x97\xA5x\n"
             "  |       ^^^\n");
    fixture_fini(&f);
    CHECK_SV(render_at(&f, "e\xCC\x81 bad", "bad"), "error[invalid_value]: wrong\n"
                                                    " --> a.yaml:1:4\n"
                                                    "  |\n"
                                                    "1 | e\xCC\x81 bad\n"
                                                    "  |   ^^^\n");
    fixture_fini(&f);
}

static void test_empty_spans_and_ends_of_lines(void **state) {
    (void)state;
    struct fixture f;
    fixture_init(&f);
    struct source *s = fixture_add_source(&f, "a.yaml", "key:\n\nlast");
    diags_add(&f.diags, DIAG_invalid_value, span_make(s, 1, 0), "in a line");
    diags_add(&f.diags, DIAG_invalid_value, span_make(s, 4, 1), "a line end");
    diags_add(&f.diags, DIAG_invalid_value, span_make(s, 5, 0), "an empty line");
    diags_add(&f.diags, DIAG_invalid_value, span_make(s, 10, 0), "the end");
    CHECK_SV(render(&f, &plain), "error[invalid_value]: in a line\n --> a.yaml:1:2\n  |\n1 | key:\n  |  ^\n\n"
                                 "error[invalid_value]: a line end\n --> a.yaml:1:5\n  |\n1 | key:\n  |     ^\n\n"
                                 "error[invalid_value]: an empty line\n --> a.yaml:2:1\n  |\n2 |\n  | ^\n\n"
                                 "error[invalid_value]: the end\n --> a.yaml:3:5\n  |\n3 | last\n  |     ^\n\n"
                                 "4 errors\n");
    fixture_fini(&f);
}

static void test_spans_over_lines(void **state) {
    (void)state;
    struct fixture f;
    CHECK_SV(render_at(&f, "a: ${if(\n    x)}\nb", "${if(\n    x)}\n"), "error[invalid_value]: wrong\n"
                                                                        " --> a.yaml:1:4\n"
                                                                        "  |\n"
                                                                        "1 | a: ${if(\n"
                                                                        "  |    ^^^^^\n"
                                                                        "2 |     x)}\n"
                                                                        "  |     ^^^\n");
    fixture_fini(&f);
    CHECK_SV(render_at(&f, "a\n\n\n\n\n\n\n\nb: [\r\n1,\r\n2\r\n]\r\n", "[\r\n1,\r\n2\r\n]"),
             "error[invalid_value]: wrong\n"
             "  --> a.yaml:9:4\n"
             "   |\n"
             "9  | b: [\n"
             "   |    ^\n"
             "...\n"
             "12 | ]\n"
             "   | ^\n");
    fixture_fini(&f);
}

/* A line with `before` characters in front of the word and `after` behind it. */
static sv render_long(struct fixture *f, size_t before, size_t after) {
    struct arena a = {0};
    struct buf text = BUF(&a);
    for (size_t i = 0; i < before; i++) {
        buf_append_char(&text, (char)('a' + i % 26));
    }
    buf_append_cstr(&text, "WRONG");
    for (size_t i = 0; i < after; i++) {
        buf_append_char(&text, (char)('a' + i % 26));
    }
    sv shown = render_at(f, buf_get_sv(&text).data, "WRONG");
    arena_fini(&a);
    return shown;
}

static sv get_line(sv text, size_t number) {
    sv line = {0};
    for (size_t i = 0; i <= number; i++) {
        line = sv_cut(&text, '\n');
    }
    return line;
}

/* Whatever the place in a long line: no more than the width, and the carets stand under the word. */
static void test_long_lines_are_cut_around_the_carets(void **state) {
    (void)state;
    const size_t lengths[] = {0, 1, 2, 10, 24, 25, 26, 60, 69, 70, 71, 72, 73, 74, 75, 76, 77, 78, 200, 10000};
    for (size_t i = 0; i < 20; i++) {
        for (size_t k = 0; k < 20; k++) {
            struct fixture f;
            sv text = render_long(&f, lengths[i], lengths[k]);
            sv source = get_line(text, 3);
            sv carets = get_line(text, 4);
            assert_true(source.len <= 80 && carets.len <= 80);
            size_t word = sv_find(source, SV("WRONG"));
            assert_true(word != SIZE_MAX);
            assert_int_equal(sv_find(carets, SV("^^^^^")), word);
            assert_int_equal(carets.len, word + 5);
            bool is_whole = lengths[i] + 5 + lengths[k] <= 76;
            assert_int_equal(sv_find(source, SV("...")) == SIZE_MAX, is_whole);
            fixture_fini(&f);
        }
    }
}

static void test_long_span_is_cut(void **state) {
    (void)state;
    struct fixture f;
    char text[301];
    memset(text, 'x', 300);
    text[300] = '\0';
    sv shown = render_at(&f, text, text);
    assert_int_equal(get_line(shown, 3).len, 80);
    assert_true(sv_has_suffix(get_line(shown, 3), SV("xxx...")));
    assert_int_equal(get_line(shown, 4).len, 77);
    fixture_fini(&f);
}

/* What is shown of a line does not grow with it. */
static void test_a_line_of_ten_megabytes(void **state) {
    (void)state;
    struct fixture f;
    fixture_init(&f);
    enum { SIZE = 10000000 };
    char *text = arena_alloc(&f.arena, SIZE + 1);
    memset(text, 'x', SIZE);
    struct source *s = sources_add(&f.sources, SV("big"), sv_make(text, SIZE));
    for (size_t i = 0; i < 100; i++) {
        diags_add(&f.diags, DIAG_invalid_value, span_make(s, i * (size_t)(SIZE / 100), 3), "wrong");
    }
    sv shown = render(&f, &plain);
    assert_true(shown.len < (size_t)100 * 300);
    fixture_fini(&f);
}

/* LC-062 */
static void test_control_characters_of_the_source_are_escaped(void **state) {
    (void)state;
    struct fixture f;
    CHECK_SV(render_at(&f, "a\x1b[2J\xFF\xE2\x80\xAE bad", "bad"), "error[invalid_value]: wrong\n"
                                                                   " --> a.yaml:1:9\n"
                                                                   "  |\n"
                                                                   "1 | a\\x1b[2J\\xff\\u{202e} bad\n"
                                                                   "  |                      ^^^\n");
    fixture_fini(&f);
    CHECK_SV(render_at(&f, "x\x01y", "\x01"), "error[invalid_value]: wrong\n"
                                              " --> a.yaml:1:2\n"
                                              "  |\n"
                                              "1 | x\\x01y\n"
                                              "  |  ^^^^\n");
    fixture_fini(&f);
    fixture_init(&f);
    fixture_add_source(&f, "na\nme", "text");
    struct diag *d = diags_add(&f.diags, DIAG_invalid_value, (span){1, 0, 1}, "a\nb\x07");
    diag_set_hint(&f.diags, d, "\x9b");
    CHECK_SV(render(&f, &plain), "error[invalid_value]: a\\x0ab\\x07\n --> na\\x0ame:1:1\n  |\n1 | text\n  | ^\n"
                                 "  = hint: \\x9b\n\n1 error\n");
    fixture_fini(&f);
}

static bool is_shown_as_is(uint32_t c) {
    bool control = c < 0x20 || (c >= 0x7F && c <= 0x9F);
    bool bidirectional =
        c == 0x61C || c == 0x200E || c == 0x200F || (c >= 0x202A && c <= 0x202E) || (c >= 0x2066 && c <= 0x2069);
    bool separator = c == 0x2028 || c == 0x2029;
    bool invisible =
        (c >= 0x206A && c <= 0x206F) || c == 0xFEFF || (c >= 0xFFF9 && c <= 0xFFFB) || (c >= 0xE0000 && c <= 0xE007F);
    return !control && !bidirectional && !separator && !invisible;
}

static void check_escape(struct arena *a, uint32_t c) {
    char bytes[5] = {0};
    size_t len = utf8_encode(c, bytes);
    if (len == 0) {
        return;
    }
    sv shown = render_escape(a, sv_make(bytes, len));
    if (is_shown_as_is(c)) {
        assert_true(sv_eq(shown, sv_make(bytes, len)));
        return;
    }
    unsigned long back = strtoul(arena_copy_cstr(a, shown) + (c < 0x80 ? 2 : 3), NULL, 16);
    assert_true(sv_has_prefix(shown, c < 0x80 ? SV("\\x") : SV("\\u{")));
    assert_int_equal(back, c);
    for (size_t i = 0; i < shown.len; i++) {
        assert_true(shown.data[i] >= 0x20 && shown.data[i] < 0x7F);
    }
}

static void test_each_code_point_through_render_escape(void **state) { /* F101 */
    (void)state;
    for (uint32_t block = 0; block <= 0x10FFFF; block += 0x1000) {
        struct arena a = {0};
        for (uint32_t c = block; c < block + 0x1000; c++) {
            check_escape(&a, c);
        }
        arena_fini(&a);
    }
}

static void test_escape_borrows_plain_text(void **state) {
    (void)state;
    struct arena a = {0};
    sv text = SV("plain");
    assert_ptr_equal(render_escape(&a, text).data, text.data);
    CHECK_SV(render_escape(&a, SV("a\xE6\x97"
                                  "b\xC0\x80")),
             "a\\xe6\\x97b\\xc0\\x80");
    CHECK_SV(render_escape(&a, (sv){0}), "");
    arena_fini(&a);
}

/* Random bytes, lines and spans: nothing dangerous comes out, no line is too wide, there is a caret where there is
 * text. */
static void check_random_place(uint64_t *random) {
    static const char *const parts[] = {
        "a",         "  ",      "\t",   "\n",       "\r\n",         "\r",     "\xE6\x97\xA5",
        "e\xCC\x81", "\x1b[2J", "\xFF", "\xE6\x97", "\xE2\x80\xAE", "secret", "plain words in a row "};
    struct fixture f;
    fixture_init(&f);
    struct buf text = BUF(&f.arena);
    for (uint32_t n = next_random(random) % 60; n > 0; n--) {
        buf_append_cstr(&text, parts[next_random(random) % (sizeof parts / sizeof *parts)]);
    }
    struct source *s = sources_add(&f.sources, SV("a"), buf_get_sv(&text));
    size_t offset = next_random(random) % (s->bytes.len + 1);
    size_t length = next_random(random) % (s->bytes.len - offset + 1);
    diags_add(&f.diags, DIAG_invalid_value, span_make(s, offset, length), "wrong");
    struct mask m = {.arena = &f.arena};
    mask_add(&m, SV("secret"));
    struct render_options options = {.width = 30 + next_random(random) % 100, .mask = &m};
    sv shown = render(&f, &options);
    assert_int_equal(utf8_check(shown), shown.len);
    assert_true((sv_find_char(shown, '^') == SIZE_MAX) == (s->bytes.len == 0));
    assert_true(sv_find(shown, SV("secret")) == SIZE_MAX);
    while (shown.len > 0) {
        sv line = sv_cut(&shown, '\n');
        assert_true(sv_eq(render_escape(&f.arena, line), line));
        assert_true(utf8_get_width(line) <= options.width);
    }
    fixture_fini(&f);
}

static void test_random_places(void **state) {
    (void)state;
    uint64_t random = 31;
    for (int i = 0; i < 20000; i++) {
        check_random_place(&random);
    }
}

/* BP-281: what a source hides is not quoted, however short, on whatever line. */
static void test_hidden_parts_of_sources(void **state) {
    (void)state;
    struct fixture f;
    fixture_init(&f);
    struct source *s = fixture_add_source(&f, "a", "x: {pin: 42, y: z}\nt: first\n   second z\n");
    sources_hide(&f.sources, find_span(s, "42"));
    sources_hide(&f.sources, find_span(s, "first\n   second"));
    sources_hide(&f.sources, SPAN_NONE);
    struct buf out = BUF(&f.arena);
    struct render_options options = {0};
    render_diag(&out, &f.diags, diags_add(&f.diags, DIAG_invalid_map, find_span(s, "y: z"), "m"), &options);
    render_diag(&out, &f.diags, diags_add(&f.diags, DIAG_invalid_map, find_span(s, "42"), "m"), &options);
    render_diag(&out, &f.diags, diags_add(&f.diags, DIAG_invalid_map, find_span(s, "t:"), "m"), &options);
    render_diag(&out, &f.diags, diags_add(&f.diags, DIAG_invalid_map, find_span(s, "d z"), "m"), &options);
    sv text = buf_get_sv(&out);
    assert_true(sv_find(text, SV("42")) == SIZE_MAX);
    assert_true(sv_find(text, SV("first")) == SIZE_MAX);
    assert_true(sv_find(text, SV("second")) == SIZE_MAX);
    assert_true(sv_find(text, SV("1 | x: {pin: (sensitive), y: z}\n  |                       ^^^^\n")) != SIZE_MAX);
    assert_true(sv_find(text, SV("1 | x: {pin: (sensitive), y: z}\n  |          ^^^^^^^^^^^\n")) != SIZE_MAX);
    assert_true(sv_find(text, SV("2 | t: (sensitive)\n")) != SIZE_MAX);
    assert_true(sv_find(text, SV("3 | (sensitive) z\n")) != SIZE_MAX);
    fixture_fini(&f);
}

static void test_a_source_without_text_is_named(void **state) {
    (void)state;
    struct fixture f;
    fixture_init(&f);
    struct source *s = fixture_add_source(&f, "--var x", "");
    diag_set_hint(&f.diags, diags_add(&f.diags, DIAG_invalid_value, span_make(s, 0, 0), "m"), "h");
    CHECK_SV(render(&f, &plain), "error[invalid_value]: m\n --> --var x\n  = hint: h\n\n1 error\n");
    fixture_fini(&f);
}

static void test_colour_only_when_asked(void **state) {
    (void)state;
    struct fixture f;
    fixture_init(&f);
    struct source *s = fixture_add_source(&f, "a.yaml", "text");
    struct diag *d = diags_add(&f.diags, DIAG_unused_element, span_make(s, 0, 4), "m");
    diag_set_hint(&f.diags, d, "h");
    assert_true(sv_find_char(render(&f, &plain), '\x1b') == SIZE_MAX);
    CHECK_SV(render(&f, &(struct render_options){.color = true}),
             "\x1b[1;33mwarning[unused_element]\x1b[0m: \x1b[1mm\x1b[0m\n"
             " \x1b[1;34m-->\x1b[0m a.yaml:1:1\n"
             "\x1b[1;34m  |\x1b[0m\n"
             "\x1b[1;34m1 |\x1b[0m text\n"
             "\x1b[1;34m  |\x1b[0m \x1b[1;33m^^^^\x1b[0m\n"
             " \x1b[1;34m =\x1b[0m \x1b[1mhint\x1b[0m: h\n"
             "\n"
             "1 warning\n");
    fixture_fini(&f);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_error_with_hint_and_related),
        cmocka_unit_test(test_levels_and_summary),
        cmocka_unit_test(test_summary_names_what_is_not_shown),
        cmocka_unit_test(test_tabs_and_wide_characters_keep_carets_aligned),
        cmocka_unit_test(test_empty_spans_and_ends_of_lines),
        cmocka_unit_test(test_spans_over_lines),
        cmocka_unit_test(test_long_lines_are_cut_around_the_carets),
        cmocka_unit_test(test_long_span_is_cut),
        cmocka_unit_test(test_a_line_of_ten_megabytes),
        cmocka_unit_test(test_control_characters_of_the_source_are_escaped),
        cmocka_unit_test(test_each_code_point_through_render_escape),
        cmocka_unit_test(test_escape_borrows_plain_text),
        cmocka_unit_test(test_random_places),
        cmocka_unit_test(test_hidden_parts_of_sources),
        cmocka_unit_test(test_a_source_without_text_is_named),
        cmocka_unit_test(test_colour_only_when_asked),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
