/* JUnit XML of findings: valid whatever the texts hold. */
#include "text/render.h"
#include "unit/text/fixture.h"

static void test_files_without_and_with_findings(void **state) {
    (void)state;
    struct fixture f;
    static const struct render_options plain = {.width = 80};
    fixture_init(&f);
    struct source *s = fixture_add_source(&f, "b.yaml", "x: 1\n");
    const struct diag *found[] = {
        diags_add(&f.diags, DIAG_missing_variable, find_span(s, "x"), "bad <&\"'\x01\xff\xef\xbf\xbf> \xC3\xA4"),
        diags_add(&f.diags, DIAG_unused_element, SPAN_NONE, "idle"),
    };
    const struct checked_file files[] = {{.name = SV("a.yaml")}, {SV("b.yaml"), found, 2}};
    struct buf out = BUF(&f.arena);
    render_junit(&out, &f.diags, files, 2, &plain);
    CHECK_SV(buf_get_sv(&out), "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
                               "<testsuites name=\"lintel validate\" tests=\"3\" failures=\"1\" errors=\"0\">\n"
                               "  <testsuite name=\"a.yaml\" tests=\"1\" failures=\"0\" errors=\"0\" skipped=\"0\">\n"
                               "    <testcase classname=\"a.yaml\" name=\"valid\"/>\n"
                               "  </testsuite>\n"
                               "  <testsuite name=\"b.yaml\" tests=\"2\" failures=\"1\" errors=\"0\" skipped=\"0\">\n"
                               "    <testcase classname=\"b.yaml\" name=\"missing_variable at b.yaml:1:1\">\n"
                               "      <failure type=\"missing_variable\" message=\"bad "
                               "&lt;&amp;&quot;'\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD&gt; \xC3\xA4\">"
                               "error[missing_variable]: bad &lt;&amp;&quot;'\\x01\\xff\xEF\xBF\xBD&gt; \xC3\xA4&#10; "
                               "--&gt; b.yaml:1:1&#10;  |&#10;"
                               "1 | x: 1&#10;  | ^&#10;</failure>\n"
                               "    </testcase>\n"
                               "    <testcase classname=\"b.yaml\" name=\"unused_element\">\n"
                               "      <system-out>warning[unused_element]: idle&#10;</system-out>\n"
                               "    </testcase>\n"
                               "  </testsuite>\n"
                               "</testsuites>\n");
    fixture_fini(&f);
}

static void test_bp_281_secrets_are_masked(void **state) {
    (void)state;
    struct fixture f;
    fixture_init(&f);
    struct mask mask = {.arena = &f.arena};
    mask_add(&mask, SV("hunter2"));
    const struct render_options options = {.width = 80, .mask = &mask};
    const struct diag *found[] = {diags_add(&f.diags, DIAG_missing_variable, SPAN_NONE, "it is hunter2")};
    const struct checked_file files[] = {{SV("hunter2.yaml"), found, 1}};
    struct buf out = BUF(&f.arena);
    render_junit(&out, &f.diags, files, 1, &options);
    assert_true(sv_find(buf_get_sv(&out), SV("hunter2")) == SIZE_MAX);
    fixture_fini(&f);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_files_without_and_with_findings),
        cmocka_unit_test(test_bp_281_secrets_are_masked),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
