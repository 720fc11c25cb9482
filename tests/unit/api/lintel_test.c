/* The public interface, through the shared library: only what its headers show is used here. */
#include <lintel/lintel.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

static const char good[] = "version: 2025-11-02\n"
                           "resources:\n"
                           "  id:\n"
                           "    type: random/id\n"
                           "    spec: {byteLength: 4}\n";
static const char bad[] = "version: 2025-11-02\n"
                          "resources:\n"
                          "  id:\n"
                          "    type: random/id\n"
                          "    spec: {byteLenght: 4}\n";

static int open_handle(void **state) {
    *state = lintel_open();
    return *state == NULL;
}

static int close_handle(void **state) {
    lintel_close(*state);
    return 0;
}

static enum lintel_result validate(void **state, const char *text, unsigned flags) {
    return lintel_validate_text(*state, "x.yaml", text, strlen(text), flags);
}

static void version_has_three_numbers(void **state) {
    (void)state;
    const char *p = lintel_get_version();
    for (int i = 0; i < 3; i++) {
        size_t digits = strspn(p, "0123456789");
        assert_true(digits > 0);
        p += digits;
        assert_int_equal(*p, i < 2 ? '.' : '\0');
        p += i < 2;
    }
}

static void a_valid_text_has_nothing_to_report(void **state) {
    assert_int_equal(validate(state, good, 0), LINTEL_OK);
    assert_string_equal(lintel_get_diagnostics(*state), "[]");
    assert_string_equal(lintel_render_diagnostics(*state), "");
}

static void mistakes_come_as_json_and_as_text(void **state) {
    assert_int_equal(validate(state, bad, 0), LINTEL_INVALID);
    const char *json = lintel_get_diagnostics(*state);
    assert_int_equal(json[0], '[');
    assert_non_null(strstr(json, "\"code\":\"resource_def_unknown_field\""));
    assert_non_null(strstr(json, "\"file\":\"x.yaml\""));
    const char *text = lintel_render_diagnostics(*state);
    assert_non_null(strstr(text, "error[resource_def_unknown_field]"));
    assert_non_null(strstr(text, "x.yaml:5:12"));
    assert_non_null(strstr(text, "byteLength"));
}

static void each_call_drops_what_the_one_before_reported(void **state) {
    assert_int_equal(validate(state, bad, 0), LINTEL_INVALID);
    assert_int_equal(validate(state, good, 0), LINTEL_OK);
    assert_string_equal(lintel_get_diagnostics(*state), "[]");
}

static void strict_makes_unknown_keys_errors(void **state) {
    char text[sizeof good + 32];
    snprintf(text, sizeof text, "%scolour: red\n", good);
    assert_int_equal(validate(state, text, 0), LINTEL_OK);
    assert_non_null(strstr(lintel_get_diagnostics(*state), "\"severity\":\"warning\""));
    assert_int_equal(validate(state, text, LINTEL_STRICT), LINTEL_INVALID);
}

static void without_providers_no_type_is_checked(void **state) {
    assert_int_equal(validate(state, bad, LINTEL_NO_PROVIDERS), LINTEL_OK);
}

static void the_name_tells_the_format(void **state) {
    static const char json[] = "{\"version\": \"2025-11-02\", \"resources\": {}, /* */ }";
    assert_int_equal(lintel_validate_text(*state, "x.json", json, sizeof json - 1, 0), LINTEL_INVALID);
    assert_non_null(strstr(lintel_get_diagnostics(*state), "invalid_syntax"));
    assert_int_equal(lintel_validate_text(*state, "x.jsonc", json, sizeof json - 1, 0), LINTEL_INVALID);
    assert_null(strstr(lintel_get_diagnostics(*state), "invalid_syntax"));
    assert_int_equal(lintel_validate_text(*state, "x.txt", json, sizeof json - 1, 0), LINTEL_INVALID);
    assert_non_null(strstr(lintel_get_diagnostics(*state), "invalid_spec_ext"));
}

static void text_may_hold_any_bytes(void **state) {
    static const char nul[] = "version: a\0b\n";
    assert_int_equal(lintel_validate_text(*state, "x.yaml", nul, sizeof nul - 1, 0), LINTEL_INVALID);
    assert_non_null(strstr(lintel_get_diagnostics(*state), "invalid_encoding"));
    assert_int_equal(lintel_validate_text(*state, "x.yaml", NULL, 0, 0), LINTEL_INVALID);
}

static void files_are_read(void **state) {
    char path[] = "/tmp/lintel-api-XXXXXX.yaml";
    int fd = mkstemps(path, 5);
    assert_true(fd >= 0);
    assert_int_equal(write(fd, good, sizeof good - 1), sizeof good - 1);
    close(fd);
    assert_int_equal(lintel_validate(*state, path, 0), LINTEL_OK);
    unlink(path);
    assert_int_equal(lintel_validate(*state, path, 0), LINTEL_NOT_READABLE);
    assert_non_null(strstr(lintel_get_diagnostics(*state), "file_not_readable"));
}

static void wrong_arguments_are_told(void **state) {
    assert_int_equal(lintel_validate(NULL, "x", 0), LINTEL_BAD_ARGUMENT);
    assert_int_equal(lintel_validate(*state, NULL, 0), LINTEL_BAD_ARGUMENT);
    assert_int_equal(lintel_validate(*state, "x", 1u << 31), LINTEL_BAD_ARGUMENT);
    assert_int_equal(lintel_validate_text(*state, NULL, "", 0, 0), LINTEL_BAD_ARGUMENT);
    assert_int_equal(lintel_validate_text(*state, "x.yaml", NULL, 5, 0), LINTEL_BAD_ARGUMENT);
    assert_string_equal(lintel_get_diagnostics(NULL), "[]");
    assert_string_equal(lintel_render_diagnostics(NULL), "");
    lintel_close(NULL);
}

#define HANDLE_TEST(test) cmocka_unit_test_setup_teardown(test, open_handle, close_handle)

static void put_file(const char *directory, const char *name, const char *text) {
    char path[200];
    snprintf(path, sizeof path, "%s/%s", directory, name);
    FILE *out = fopen(path, "w");
    assert_non_null(out);
    fputs(text, out);
    assert_int_equal(fclose(out), 0);
}

/* BP-170, BP-176: children are read from files, but not from above the blueprint. */
static void includes_are_read_from_files_below(void **state) {
    char directory[] = "/tmp/lintel-api-XXXXXX", inner[64], path[100];
    assert_non_null(mkdtemp(directory));
    snprintf(inner, sizeof inner, "%s/inner", directory);
    assert_int_equal(mkdir(inner, 0700), 0);
    put_file(directory, "child.yaml", good);
    put_file(inner, "child.yaml", good);
    snprintf(path, sizeof path, "%s/root.yaml", inner);
    put_file(inner, "root.yaml", "version: 2025-11-02\ninclude:\n  c: {path: child.yaml}\nresources: {}\n");
    assert_int_equal(lintel_validate(*state, path, 0), LINTEL_OK);
    put_file(inner, "root.yaml", "version: 2025-11-02\ninclude:\n  c: {path: ../child.yaml}\nresources: {}\n");
    assert_int_equal(lintel_validate(*state, path, 0), LINTEL_INVALID);
    assert_non_null(strstr(lintel_get_diagnostics(*state), "include_path_outside_root"));
    const char *const names[] = {"inner/root.yaml", "inner/child.yaml", "child.yaml", "inner", ""};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        snprintf(path, sizeof path, "%s/%s", directory, names[i]);
        assert_int_equal(remove(path), 0);
    }
}

static void comments_allow_warnings(void **state) {
    static const char text[] = "version: 2025-11-02\n"
                               "variables:\n"
                               "  a: {type: string} # lintel-allow unused_element: later\n"
                               "resources:\n"
                               "  id: {type: random/id, spec: {byteLength: 4}}\n";
    assert_int_equal(validate(state, text, 0), LINTEL_OK);
    assert_string_equal(lintel_get_diagnostics(*state), "[]");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(version_has_three_numbers),
        HANDLE_TEST(includes_are_read_from_files_below),
        HANDLE_TEST(comments_allow_warnings),
        HANDLE_TEST(a_valid_text_has_nothing_to_report),
        HANDLE_TEST(mistakes_come_as_json_and_as_text),
        HANDLE_TEST(each_call_drops_what_the_one_before_reported),
        HANDLE_TEST(strict_makes_unknown_keys_errors),
        HANDLE_TEST(without_providers_no_type_is_checked),
        HANDLE_TEST(the_name_tells_the_format),
        HANDLE_TEST(text_may_hold_any_bytes),
        HANDLE_TEST(files_are_read),
        HANDLE_TEST(wrong_arguments_are_told),
    };
    return cmocka_run_group_tests_name("lintel", tests, NULL, NULL);
}
