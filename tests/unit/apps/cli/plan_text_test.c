/* Plans for people, of every kind of change (CLI-020), and durations (CLI-021). */
#include "apps/cli/session.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

static int start(void **state) {
    *state = calloc(1, sizeof(struct arena));
    return *state == NULL;
}

static int end(void **state) {
    arena_fini(*state);
    free(*state);
    return 0;
}

static struct path parse_path(struct arena *a, const char *text) {
    struct path p;
    assert_true(path_parse(a, sv_from_cstr(text), &p));
    return p;
}

static struct field_change *add_field(struct arena *a, struct change *c, enum field_change_kind kind,
                                      const char *path) {
    struct field_change *f = VEC_ADD(a, &c->diff.changes);
    f->kind = kind;
    f->path = parse_path(a, path);
    return f;
}

static struct change make_change(enum change_action action) {
    return (struct change){
        .address = {SV("resources.x")}, .kind = ELEMENT_RESOURCE, .action = action, .type = SV("local/file")};
}

static void check(struct arena *a, const struct plan *p, const char *wanted) {
    struct buf out = BUF(a);
    plan_render(&out, p, false, REDACT);
    buf_append_char(&out, '\0');
    assert_string_equal(out.data, wanted);
}

static void check_one(struct arena *a, struct change *c, const char *legend, const char *wanted) {
    struct plan p = {.instance_name = SV("shop"), .instance_version = 1, .changes = c, .change_count = 1};
    const char *text =
        arena_printf(a, "Instance shop\n%s\n\n%s\nPlan: 0 to create, 0 to update, 0 to replace, 0 to destroy.\n",
                     legend, wanted)
            .data;
    check(a, &p, text);
}

static void replacement_names_its_order_and_reasons(void **state) {
    struct arena *a = *state;
    struct change c = make_change(ACTION_REPLACE);
    struct field_change *f = add_field(a, &c, FIELD_MODIFIED, "spec.path");
    f->before = value_string(a, SV("a"));
    f->after = value_string(a, SV("b"));
    f->must_recreate = true;
    VEC_PUSH(a, &c.reasons, ((struct change_reason){SV("spec.path"), SPAN_NONE}));
    VEC_PUSH(a, &c.reasons, ((struct change_reason){SV("resources.db"), SPAN_NONE}));
    check_one(a, &c, "+/- create, then destroy",
              "+/- resources.x (local/file) will be created anew and the old one destroyed\n"
              "      ~ spec.path: \"a\" → \"b\"  # forces replacement\n"
              "      # because of resources.db\n");
    c.destroy_first = true;
    check_one(a, &c, "-/+ destroy, then create",
              "-/+ resources.x (local/file) will be destroyed and created anew\n"
              "      ~ spec.path: \"a\" → \"b\"  # forces replacement\n"
              "      # because of resources.db\n");
}

static void secrets_and_unknowns_have_words(void **state) {
    struct arena *a = *state;
    struct change c = make_change(ACTION_UPDATE);
    struct field_change *f = add_field(a, &c, FIELD_MODIFIED, "spec.token");
    f->before = value_string(a, SV("old-secret"));
    f->after = value_string(a, SV("new-secret"));
    f->sensitive = true;
    f = add_field(a, &c, FIELD_MODIFIED, "spec.id");
    f->before = value_int(1);
    f->after = value_unknown(NULL);
    f->unknown = true;
    f = add_field(a, &c, FIELD_MODIFIED, "spec.size");
    f->before = value_int(1);
    f->after = value_int(2);
    f->provisional = true;
    check_one(a, &c, "~ update",
              "  ~ resources.x (local/file) will be updated\n"
              "      ~ spec.token: (sensitive) → (sensitive)\n"
              "      ~ spec.id: 1 → (known on deploy)\n"
              "      ~ spec.size: 1 → 2 (checked on deploy)\n");
}

static void new_and_removed_fields_show_one_side(void **state) {
    struct arena *a = *state;
    struct change c = make_change(ACTION_UPDATE);
    c.display_name = SV("The \x1b[31mfile");
    c.drifted = true;
    add_field(a, &c, FIELD_NEW, "spec.a[0]")->after = value_bool(true);
    add_field(a, &c, FIELD_REMOVED, "spec[\"odd.name\"]")->before = value_string(a, SV("two\nlines"));
    check_one(a, &c, "~ update",
              "  ~ resources.x \"The \\x1b[31mfile\" (local/file) will be updated: it has drifted\n"
              "      + spec.a[0]: true\n"
              "      - spec[\"odd.name\"]: \"two\\nlines\"\n");
}

static void every_action_has_its_symbol_and_words(void **state) {
    struct arena *a = *state;
    static const struct {
        enum change_action action;
        const char *legend, *line;
    } cases[] = {
        {ACTION_CREATE, "+ create", "  + resources.x (local/file) will be created\n"},
        {ACTION_DELETE, "- destroy", "  - resources.x (local/file) will be destroyed\n"},
        {ACTION_READ, "<= read",
         " <= resources.x (local/file) will be read on deploy: what it looks for is not known yet\n"},
        {ACTION_RETAIN, ". keep, but forget", "  . resources.x (local/file) will be kept, but forgotten\n"},
        {ACTION_CHECK, "~ update",
         "  ~ resources.x (local/file) will be checked: it differs at most by what is known on deploy\n"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct change c = make_change(cases[i].action);
        check_one(a, &c, cases[i].legend, cases[i].line);
    }
}

static void the_count_line_comes_last(void **state) {
    struct arena *a = *state;
    struct change c = make_change(ACTION_CREATE);
    struct plan p = {
        .instance_name = SV("shop"),
        .changes = &c,
        .change_count = 1,
        .summary = {.create = 1, .update = 2, .check = 1, .replace = 4, .destroy = 5},
    };
    check(a, &p,
          "Instance shop is new\n+ create\n\n  + resources.x (local/file) will be created\n\n"
          "Plan: 1 to create, 3 to update, 4 to replace, 5 to destroy.\n");
}

static void drift_comes_first(void **state) {
    struct arena *a = *state;
    struct change d[2] = {make_change(ACTION_UPDATE), make_change(ACTION_UPDATE)};
    struct field_change *f = add_field(a, &d[0], FIELD_MODIFIED, "spec.mode");
    f->before = value_string(a, SV("0644"));
    f->after = value_string(a, SV("0600"));
    d[1].missing = true;
    struct plan p = {
        .instance_name = SV("shop"), .instance_version = 3, .drift = d, .drift_count = 2, .has_interrupted = true};
    check(a, &p,
          "Changed outside of lintel since the last run:\n"
          "  resources.x differs from its stored state:\n"
          "      ~ spec.mode: \"0644\" → \"0600\"\n"
          "  resources.x is gone\n\n"
          "Operations of an earlier run were cut off; deploying settles them first.\n\n"
          "Instance shop: nothing would change.\n"
          "Plan: 0 to create, 0 to update, 0 to replace, 0 to destroy.\n");
}

static void durations_are_short(void **state) {
    struct arena *a = *state;
    static const struct {
        int64_t ms;
        const char *text;
    } cases[] = {{0, "0.0s"}, {1249, "1.2s"}, {59999, "59.9s"}, {184000, "3m04s"}, {3600000, "1h00m"}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct buf out = BUF(a);
        output_render_duration(&out, cases[i].ms);
        assert_true(sv_eq_cstr(buf_get_sv(&out), cases[i].text));
    }
}

static void durations_are_read_with_their_unit(void **state) {
    (void)state;
    int64_t ms = 0;
    assert_true(duration_parse(SV("500ms"), &ms) && ms == 500);
    assert_true(duration_parse(SV("30s"), &ms) && ms == 30000);
    assert_true(duration_parse(SV("5m"), &ms) && ms == 300000);
    assert_true(duration_parse(SV("1h"), &ms) && ms == 3600000);
    assert_true(duration_parse(SV("0"), &ms) && ms == 0);
    static const char *const bad[] = {"", "5", "s", "-1s", "1.5s", "5 m", "9223372036854775807h", "1d"};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        assert_false(duration_parse(sv_from_cstr(bad[i]), &ms));
}

#define ARENA_TEST(test) cmocka_unit_test_setup_teardown(test, start, end)

int main(void) {
    const struct CMUnitTest tests[] = {
        ARENA_TEST(replacement_names_its_order_and_reasons),
        ARENA_TEST(secrets_and_unknowns_have_words),
        ARENA_TEST(new_and_removed_fields_show_one_side),
        ARENA_TEST(every_action_has_its_symbol_and_words),
        ARENA_TEST(the_count_line_comes_last),
        ARENA_TEST(drift_comes_first),
        ARENA_TEST(durations_are_short),
        ARENA_TEST(durations_are_read_with_their_unit),
    };
    return cmocka_run_group_tests_name("plan_text", tests, NULL, NULL);
}
