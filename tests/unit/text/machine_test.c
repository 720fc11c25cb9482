/* Diagnostics for machines (CLI-031, SARIF), and secrets in all forms (BP-281). */
#include "text/render.h"
#include "unit/text/fixture.h"

#include <string.h>

static const struct render_options plain = {.width = 80};

static sv render_json(struct fixture *f, const struct render_options *options) {
    struct buf out = BUF(&f->arena);
    struct jsonw w = JSONW(&out, 0);
    render_diags_json(&w, &f->diags, options);
    return buf_get_sv(&out);
}

static sv render_sarif(struct fixture *f, const struct render_options *options) {
    struct buf out = BUF(&f->arena);
    struct jsonw w = JSONW(&out, 0);
    render_diags_sarif(&w, &f->diags, options);
    return buf_get_sv(&out);
}

static void add_sample(struct fixture *f) {
    struct source *s = fixture_add_source(f, "dir/a b.yaml", "first\nn\xC3\xA4me: x\n");
    struct diag *d = diags_add(&f->diags, DIAG_missing_variable, find_span(s, "x"), "a \"message\"");
    diag_set_hint(&f->diags, d, "a hint");
    d->path = SV("values.v");
    d->group = SV("variable_validation_errors");
    diag_add_related(&f->diags, d, find_span(s, "first"), "declared here");
    diags_add(&f->diags, DIAG_unknown_key, SPAN_NONE, "no place");
}

static void test_cli_031_json(void **state) {
    (void)state;
    struct fixture f;
    fixture_init(&f);
    CHECK_SV(render_json(&f, &plain), "[]");
    add_sample(&f);
    CHECK_SV(
        render_json(&f, &plain),
        "[{\"code\":\"missing_variable\",\"severity\":\"error\",\"message\":\"a \\\"message\\\"\",\"hint\":\"a hint\","
        "\"file\":\"dir/a b.yaml\",\"range\":{\"start\":{\"line\":2,\"column\":7,\"offset\":13},"
        "\"end\":{\"line\":2,\"column\":8,\"offset\":14}},\"path\":\"values.v\","
        "\"group\":\"variable_validation_errors\",\"related\":[{\"message\":\"declared here\","
        "\"file\":\"dir/a b.yaml\",\"range\":{\"start\":{\"line\":1,\"column\":1,\"offset\":0},"
        "\"end\":{\"line\":1,\"column\":6,\"offset\":5}}}]},"
        "{\"code\":\"unknown_key\",\"severity\":\"warning\",\"message\":\"no place\"}]");
    fixture_fini(&f);
}

static void test_sarif(void **state) {
    (void)state;
    struct fixture f;
    fixture_init(&f);
    add_sample(&f);
    diags_add(&f.diags, DIAG_unknown_key, SPAN_NONE, "again");
    CHECK_SV(render_sarif(&f, &plain),
             "{\"$schema\":\"https://json.schemastore.org/sarif-2.1.0.json\",\"version\":\"2.1.0\",\"runs\":[{"
             "\"tool\":{\"driver\":{\"name\":\"lintel\",\"version\":\"" LINTEL_VERSION "\",\"rules\":["
             "{\"id\":\"missing_variable\",\"shortDescription\":{\"text\":\"referenced element does not exist\"},"
             "\"defaultConfiguration\":{\"level\":\"error\"}},"
             "{\"id\":\"unknown_key\",\"shortDescription\":{\"text\":\"key not defined there\"},"
             "\"defaultConfiguration\":{\"level\":\"warning\"}}]}},"
             "\"columnKind\":\"unicodeCodePoints\",\"results\":["
             "{\"ruleId\":\"missing_variable\",\"ruleIndex\":0,\"level\":\"error\",\"message\":{\"text\":\"a "
             "\\\"message\\\"\"},"
             "\"locations\":[{\"physicalLocation\":{\"artifactLocation\":{\"uri\":\"dir/a%20b.yaml\"},"
             "\"region\":{\"startLine\":2,\"startColumn\":7,\"endLine\":2,\"endColumn\":8,\"byteOffset\":13,"
             "\"byteLength\":1}},"
             "\"logicalLocations\":[{\"fullyQualifiedName\":\"values.v\"}]}],"
             "\"relatedLocations\":[{\"physicalLocation\":{\"artifactLocation\":{\"uri\":\"dir/a%20b.yaml\"},"
             "\"region\":{\"startLine\":1,\"startColumn\":1,\"endLine\":1,\"endColumn\":6,\"byteOffset\":0,"
             "\"byteLength\":5}},"
             "\"message\":{\"text\":\"declared here\"}}],"
             "\"properties\":{\"hint\":\"a hint\",\"group\":\"variable_validation_errors\"}},"
             "{\"ruleId\":\"unknown_key\",\"ruleIndex\":1,\"level\":\"warning\",\"message\":{\"text\":\"no place\"}},"
             "{\"ruleId\":\"unknown_key\",\"ruleIndex\":1,\"level\":\"warning\",\"message\":{\"text\":\"again\"}}]}]}");
    fixture_fini(&f);
}

static void test_sarif_levels_and_foreign_rules(void **state) {
    (void)state;
    struct fixture f;
    fixture_init(&f);
    fixture_add_source(&f, "/abs/\xC3\xA4.yaml", "text");
    diags_add_foreign(&f.diags, DIAG_export_omitted, SV("own_code"), (span){1, 0, 1}, "m");
    sv text = render_sarif(&f, &plain);
    assert_true(sv_find(text, SV("\"rules\":[{\"id\":\"own_code\"}]")) != SIZE_MAX);
    assert_true(sv_find(text, SV("\"level\":\"note\"")) != SIZE_MAX);
    assert_true(sv_find(text, SV("\"uri\":\"file:///abs/%C3%A4.yaml\"")) != SIZE_MAX);
    fixture_fini(&f);
}

static sv mask_text(struct arena *a, const char *text, const char *const *secrets) {
    struct mask m = {.arena = a};
    for (; *secrets != NULL; secrets++) {
        mask_add(&m, sv_from_cstr(*secrets));
    }
    return mask_apply(&m, a, sv_from_cstr(text));
}

#define MASK(text, ...) mask_text(&a, (text), (const char *const[]){__VA_ARGS__, NULL})

static void test_bp_281_mask(void **state) {
    (void)state;
    struct arena a = {0};
    CHECK_SV(MASK("nothing here", "secret"), "nothing here");
    CHECK_SV(MASK("a secret and a secret", "secret"), "a (sensitive) and a (sensitive)");
    CHECK_SV(MASK("secret", "secret"), "(sensitive)");
    CHECK_SV(MASK("abc", "abc"), "abc"); /* too short to be told from chance */
    CHECK_SV(MASK("abcd", "abcd"), "(sensitive)");
    CHECK_SV(MASK("xabcdefghx", "abcdef", "defgh"), "x(sensitive)x"); /* no rest of an overlap stays */
    CHECK_SV(MASK("xabcdefghx", "abcdefgh", "cdef"), "x(sensitive)x");
    CHECK_SV(MASK("aaaaaaab", "aaaa"), "(sensitive)b");
    CHECK_SV(MASK("abcdabcd-abcd", "abcd"), "(sensitive)-(sensitive)");
    CHECK_SV(MASK("x second line y", "first line\n  second line\n"), "x (sensitive) y"); /* as source lines show it */
    CHECK_SV(MASK("", "secret"), "");
    CHECK_SV(mask_apply(NULL, &a, SV("x")), "x");
    struct mask empty = {.arena = &a};
    CHECK_SV(mask_apply(&empty, &a, SV("text")), "text");
    arena_fini(&a);
}

enum { TEXT_LEN = 40 };

static void fill_randomly(uint64_t *random, char *text, size_t len) {
    for (size_t i = 0; i < len; i++) {
        text[i] = (char)('a' + next_random(random) % 2);
    }
}

/* Marks each byte of each occurrence. */
static void hide(const char *text, sv secret, bool *hidden) {
    for (size_t at = 0; at + secret.len <= TEXT_LEN; at++) {
        if (memcmp(text + at, secret.data, secret.len) == 0) {
            memset(hidden + at, true, secret.len);
        }
    }
}

static sv write_masked(struct arena *a, const char *text, const bool *hidden) {
    struct buf out = BUF(a);
    for (size_t i = 0; i < TEXT_LEN; i++) {
        if (!hidden[i]) {
            buf_append_char(&out, text[i]);
        } else if (i == 0 || !hidden[i - 1]) {
            buf_append(&out, SV("(sensitive)"));
        }
    }
    return buf_get_sv(&out);
}

/* Each byte that belongs to an occurrence of a secret goes, each other stays. */
static void test_bp_281_mask_against_oracle(void **state) {
    (void)state;
    uint64_t random = 17;
    for (int round = 0; round < 20000; round++) {
        struct arena a = {0};
        struct mask m = {.arena = &a};
        char text[TEXT_LEN];
        bool hidden[TEXT_LEN] = {false};
        fill_randomly(&random, text, TEXT_LEN);
        for (uint32_t n = next_random(&random) % 4; n > 0; n--) {
            char secret[8];
            size_t len = 4 + next_random(&random) % 4;
            fill_randomly(&random, secret, len);
            mask_add(&m, sv_make(secret, len));
            hide(text, sv_make(secret, len), hidden);
        }
        sv masked = mask_apply(&m, &a, sv_make(text, TEXT_LEN));
        assert_true(sv_eq(masked, write_masked(&a, text, hidden)));
        arena_fini(&a);
    }
}

/* 16 MiB with a secret at every other place, and secrets that never occur. */
static void test_mask_is_linear(void **state) {
    (void)state;
    struct arena a = {0};
    struct mask m = {.arena = &a};
    mask_add(&m, SV("hunter22"));
    for (int i = 0; i < 5; i++) {
        mask_add(&m, arena_printf(&a, "never there %d", i));
    }
    struct buf text = BUF(&a);
    while (text.len < (size_t)1024 * 1024) {
        buf_append(&text, SV("hunter22 "));
    }
    sv masked = mask_apply(&m, &a, buf_get_sv(&text));
    assert_int_equal(masked.len, text.len / 9 * 12);
    assert_true(sv_find(masked, SV("hunter22")) == SIZE_MAX);
    arena_fini(&a);
}

static void check_hidden(sv text) {
    assert_true(text.len > 0 && sv_find(text, SV("(sensitive)")) != SIZE_MAX);
    assert_true(sv_find(text, SV("hunter")) == SIZE_MAX);
    assert_true(sv_find(text, SV("nter22")) == SIZE_MAX);
}

static void test_bp_281_no_form_shows_a_secret(void **state) {
    (void)state;
    struct fixture f;
    fixture_init(&f);
    struct mask m = {.arena = &f.arena};
    mask_add(&m, SV("hunter22"));
    struct source *s = fixture_add_source(&f, "dir-hunter22", "password: hunter22 # and more\n");
    struct diag *d = diags_add(&f.diags, DIAG_invalid_value, find_span(s, "hunter22"), "value hunter22");
    diag_set_hint(&f.diags, d, "not hunter22");
    diag_add_related(&f.diags, d, find_span(s, "and"), "also hunter22");
    d->path = SV("values.hunter22");
    struct render_options options = {.width = 80, .mask = &m};
    struct buf out = BUF(&f.arena);
    render_diags(&out, &f.diags, &options);
    check_hidden(buf_get_sv(&out));
    assert_true(sv_find(buf_get_sv(&out), SV("1 | password: (sensitive) # and more\n"
                                             "  |           ^^^^^^^^^^^\n")) != SIZE_MAX);
    check_hidden(render_json(&f, &options));
    check_hidden(render_sarif(&f, &options));
    fixture_fini(&f);
}

/* A secret of which only a part would be in the window around the carets. */
static void test_bp_281_a_cut_line_hides_the_whole_secret(void **state) {
    (void)state;
    for (size_t gap = 0; gap < 420; gap++) {
        struct fixture f;
        fixture_init(&f);
        struct mask m = {.arena = &f.arena};
        mask_add(&m, SV("hunter2-hunter2-hunter2"));
        struct buf text = BUF(&f.arena);
        buf_append_repeat(&text, 'x', 1000);
        buf_append_cstr(&text, "hunter2-hunter2-hunter2");
        buf_append_repeat(&text, 'x', gap);
        buf_append_cstr(&text, "WRONG");
        buf_append_repeat(&text, 'x', gap);
        buf_append_cstr(&text, "hunter2-hunter2-hunter2");
        buf_append_repeat(&text, 'x', 1000);
        struct source *s = sources_add(&f.sources, SV("a"), buf_get_sv(&text));
        diags_add(&f.diags, DIAG_invalid_value, find_span(s, "WRONG"), "wrong");
        struct buf out = BUF(&f.arena);
        render_diags(&out, &f.diags, &(struct render_options){.width = 80, .mask = &m});
        assert_true(sv_find(buf_get_sv(&out), SV("unter")) == SIZE_MAX);
        assert_true(sv_find(buf_get_sv(&out), SV("WRONG")) != SIZE_MAX);
        fixture_fini(&f);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_cli_031_json),
        cmocka_unit_test(test_sarif),
        cmocka_unit_test(test_sarif_levels_and_foreign_rules),
        cmocka_unit_test(test_bp_281_mask),
        cmocka_unit_test(test_bp_281_mask_against_oracle),
        cmocka_unit_test(test_mask_is_linear),
        cmocka_unit_test(test_bp_281_no_form_shows_a_secret),
        cmocka_unit_test(test_bp_281_a_cut_line_hides_the_whole_secret),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
