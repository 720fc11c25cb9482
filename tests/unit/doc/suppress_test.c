/* Comments that allow a warning (docs/formatting.md has their form; cli.md, `validate`). */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "doc/suppress.h"
#include "text/render.h"

#include <string.h>

struct fixture {
    struct arena arena;
    struct sources sources;
    struct diags diags;
    struct source *source;
};

static void init(struct fixture *f, const char *name, const char *text) {
    *f = (struct fixture){.arena = {0}};
    sources_init(&f->sources, &f->arena);
    diags_init(&f->diags, &f->arena, &f->sources);
    f->source = sources_add(&f->sources, sv_from_cstr(name), arena_copy_sv(&f->arena, sv_from_cstr(text)));
}

static void add(struct fixture *f, enum diag_code code, const char *at) {
    size_t offset = sv_find(f->source->bytes, sv_from_cstr(at));
    diags_add(&f->diags, code, span_make(f->source, offset, 1), "found");
}

/* Suppresses and gives what is left, as people see it. */
static const char *finish(struct fixture *f, struct suppress_options options) {
    static const struct render_options plain = {.width = 80};
    struct buf out = BUF(&f->arena);
    doc_suppress(&f->diags, &f->sources, &options);
    render_diags(&out, &f->diags, &plain);
    return out.len > 0 ? buf_get_sv(&out).data : "";
}

static const struct suppress_options all = {0};

static void test_allowed_warnings_are_put_aside_with_their_reason(void **state) {
    (void)state;
    struct fixture f;
    init(&f, "a.yaml", "# lintel-allow unused_element: later\nx: 1\ny: 2 # lintel-allow unknown_key: ours\n");
    add(&f, DIAG_unused_element, "x:");
    add(&f, DIAG_unknown_key, "y:");
    assert_string_equal(finish(&f, all), "");
    assert_int_equal(f.diags.warnings, 0);
    assert_int_equal(f.diags.suppressed.len, 2);
    assert_true(sv_eq(f.diags.suppressed.items[0]->justification, SV("later")));
    arena_fini(&f.arena);
}

static void test_without_a_reason(void **state) {
    (void)state;
    struct fixture f;
    init(&f, "a.yaml", "x: 1 # lintel-allow unused_element\n");
    add(&f, DIAG_unused_element, "x:");
    assert_string_equal(finish(&f, all),
                        "warning[suppression_without_reason]: the comment allows 'unused_element' without a reason\n"
                        " --> a.yaml:1:6\n"
                        "  |\n"
                        "1 | x: 1 # lintel-allow unused_element\n"
                        "  |      ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^\n"
                        "  = hint: write why: lintel-allow CODE: REASON\n"
                        "\n"
                        "1 warning\n");
    arena_fini(&f.arena);
}

static void test_unused(void **state) {
    (void)state;
    struct fixture f;
    init(&f, "a.yaml", "x: 1 # lintel-allow unused_elemen: r\n");
    assert_string_equal(finish(&f, all),
                        "warning[suppression_unused]: there is no 'unused_elemen' here that the comment could allow\n"
                        " --> a.yaml:1:6\n"
                        "  |\n"
                        "1 | x: 1 # lintel-allow unused_elemen: r\n"
                        "  |      ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^\n"
                        "  = hint: did you mean 'unused_element'?\n"
                        "\n"
                        "1 warning\n");
    arena_fini(&f.arena);
    init(&f, "a.yaml", "x: 1 # lintel-allow unused_element: r\n");
    assert_string_equal(finish(&f, (struct suppress_options){.is_partial = true}), "");
    arena_fini(&f.arena);
    init(&f, "a.yaml", "x: 1 # lintel-allow\ny: 1 # lintel-allowed is another word\n");
    (void)finish(&f, all);
    assert_int_equal(f.diags.items.len, 1);
    assert_true(sv_eq(f.diags.items.items[0]->message, SV("the comment does not say what it allows")));
    arena_fini(&f.arena);
}

static void test_errors_stay(void **state) {
    (void)state;
    struct fixture f;
    init(&f, "a.yaml", "x: 1 # lintel-allow missing_variable: no\n");
    add(&f, DIAG_missing_variable, "x:");
    (void)finish(&f, all);
    assert_int_equal(f.diags.errors, 1);
    assert_int_equal(f.diags.items.len, 1);
    assert_int_equal(f.diags.suppressed.len, 0);
    arena_fini(&f.arena);
}

static void test_an_earlier_try_does_not_count(void **state) {
    (void)state;
    struct fixture f;
    init(&f, "a.yaml", "x: 1 # lintel-allow unused_element: r\n");
    assert_string_equal(finish(&f, (struct suppress_options){.first_source = 1}), "");
    arena_fini(&f.arena);
}

static void test_sarif_keeps_the_reason(void **state) {
    (void)state;
    struct fixture f;
    static const struct render_options plain = {.width = 80};
    init(&f, "a.yaml", "x: 1 # lintel-allow unused_element: \"r\"\n");
    add(&f, DIAG_unused_element, "x:");
    (void)finish(&f, all);
    struct buf out = BUF(&f.arena);
    struct jsonw w = JSONW(&out, 0);
    render_diags_sarif(&w, &f.diags, &plain);
    sv wanted = SV("\"suppressions\":[{\"kind\":\"inSource\",\"justification\":\"\\\"r\\\"\"}]");
    assert_true(sv_find(buf_get_sv(&out), wanted) != SIZE_MAX);
    arena_fini(&f.arena);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_allowed_warnings_are_put_aside_with_their_reason),
        cmocka_unit_test(test_without_a_reason),
        cmocka_unit_test(test_unused),
        cmocka_unit_test(test_errors_stay),
        cmocka_unit_test(test_an_earlier_try_does_not_count),
        cmocka_unit_test(test_sarif_keeps_the_reason),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
