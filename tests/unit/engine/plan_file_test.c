/* Plan files: they say what the plan says, keep secrets sealed, and are not believed (LC-003, BP-282, BP-422 to
 * BP-424). */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include "world.h"

static const char before[] = "resources:\n"
                             "  a: {type: fake/thing, spec: {name: one, kind: k, secret: hidden-text}}\n"
                             "  b: {type: fake/thing, spec: {name: two, note: '${a.spec.id} here'}}\n"
                             "  gone: {type: fake/thing, spec: {name: three}}\n"
                             "exports:\n"
                             "  old: {type: string, field: resources.a.spec.id}\n";
static const char after[] = "resources:\n"
                            "  a: {type: fake/thing, spec: {name: one, kind: other, secret: hidden-more}}\n"
                            "  b: {type: fake/thing, spec: {name: two, note: '${a.spec.id} here'}}\n"
                            "  p: {type: fake/place, metadata: {labels: {app: x}}, spec: {path: /p}}\n"
                            "  n:\n"
                            "    type: fake/thing\n"
                            "    linkSelector: {byLabel: {app: x}}\n"
                            "    spec: {name: four, note: '${b.spec.id}'}\n"
                            "exports:\n"
                            "  new: {type: string, field: resources.b.spec.note}\n";

static sv write_plan(struct trip *t) {
    struct buf out = BUF(&t->arena);
    struct jsonw w = JSONW(&out, 0);
    plan_write_json(&w, t->plan, t->world->sealer);
    return buf_get_sv(&out);
}

static size_t count_text(sv rest, const char *text) {
    size_t found = 0, at;
    while ((at = sv_find(rest, sv_from_cstr(text))) != SIZE_MAX) {
        found++;
        rest = sv_slice(rest, at + 1, rest.len);
    }
    return found;
}

static void comes_back_as_it_went(void **state) {
    (void)state;
    struct world w;
    world_init(&w);
    world_deploy(&w, before, EXIT_OK);
    struct trip t, back;
    trip_init(&t, &w);
    trip_init(&back, &w);
    const char *text = trip_plan(&t, after);
    assert_non_null(t.plan);
    sv json = write_plan(&t);
    assert_int_equal(sv_find(json, SV("hidden-text")), SIZE_MAX);
    assert_int_equal(sv_find(json, SV("token-of")), SIZE_MAX);
    assert_int_equal(count_text(json, "hidden-more"), 0); /* the template's text is sealed, too (BP-282) */
    back.plan = plan_read_json(&back.arena, json, w.sealer, &back.diags);
    if (back.plan == NULL) {
        print_error("%s", trip_errors(&back));
    }
    assert_non_null(back.plan);
    /* spans are not kept, everything else is */
    expect_text(trip_print_plan(&back), text);
    assert_true(trip_load(&back, back.plan->template_text.data + strlen("version: 2025-11-02\n")));
    assert_int_equal(trip_deploy(&back), EXIT_OK);
    trip_fini(&t);
    trip_fini(&back);
    trip_init(&t, &w);
    expect_text(trip_plan(&t, after), "");
    trip_fini(&t);
    world_fini(&w);
}

static void shows_nothing_without_a_sealer(void **state) {
    (void)state;
    struct world w;
    world_init(&w);
    struct trip t;
    trip_init(&t, &w);
    trip_plan(&t, before);
    struct buf out = BUF(&t.arena);
    struct jsonw writer = JSONW(&out, 2);
    plan_write_json(&writer, t.plan, NULL);
    sv json = buf_get_sv(&out);
    assert_int_not_equal(sv_find(json, SV("(sensitive)")), SIZE_MAX);
    assert_int_equal(count_text(json, "hidden-text"), 0); /* nor the template's text (BP-282) */
    assert_null(plan_read_json(&t.arena, json, w.sealer, &t.diags));
    assert_non_null(strstr(trip_errors(&t), "invalid_plan_file"));
    trip_fini(&t);
    world_fini(&w);
}

static void seals_secret_inputs(void **state) { /* BP-282 */
    (void)state;
    struct world w;
    world_init(&w);
    struct trip t;
    trip_init(&t, &w);
    static const char text[] = "variables:\n"
                               "  password: {type: string, secret: true, default: other}\n"
                               "resources:\n"
                               "  a: {type: fake/thing, spec: {name: one, secret: '${variables.password}'}}\n";
    struct template_input input = {.name = SV("password"), .form = INPUT_TEXT};
    input.item = value_string(&t.arena, SV("hidden-input"));
    assert_true(trip_load(&t, text));
    t.plan = run_plan(&t.config, t.t, false, &input, 1, &t.code);
    assert_non_null(t.plan);
    sv json = write_plan(&t);
    assert_int_equal(sv_find(json, SV("hidden-input")), SIZE_MAX);
    struct plan *back = plan_read_json(&t.arena, json, w.sealer, &t.diags);
    assert_non_null(back);
    assert_int_equal(back->input_count, 1);
    assert_true(sv_eq_cstr(value_get_text(back->inputs[0].item), "hidden-input"));
    trip_fini(&t);
    world_fini(&w);
}

/* Cut off anywhere, or with any byte changed: a plan or one report, nothing else. */
static void believes_nothing(void **state) {
    (void)state;
    struct world w;
    world_init(&w);
    struct trip t;
    trip_init(&t, &w);
    trip_plan(&t, "resources:\n"
                  "  a: {type: fake/thing, spec: {name: one, secret: s}}\n"
                  "  b: {type: fake/thing, spec: {name: two, note: '${a.spec.id}'}}\n");
    sv json = write_plan(&t);
    for (size_t i = 0; i < json.len; i += 3) {
        struct arena a = {0};
        struct diags diags;
        diags_init(&diags, &a, NULL);
        char *copy = arena_copy_cstr(&a, json);
        assert_null(plan_read_json(&a, sv_make(copy, i), w.sealer, &diags));
        assert_true(diags_has_errors(&diags));
        copy[i] ^= 0x15;
        struct diags more;
        diags_init(&more, &a, NULL);
        struct plan *p = plan_read_json(&a, sv_make(copy, json.len), w.sealer, &more);
        assert_true((p == NULL) == diags_has_errors(&more));
        arena_fini(&a);
    }
    trip_fini(&t);
    world_fini(&w);
}

static void names_the_mistake(void **state) {
    (void)state;
    struct world w;
    world_init(&w);
    static const char *const bad[] = {
        "",
        "[]",
        "{}",
        "{\"planFormat\":\"9.0\"}",
        "{\"planFormat\":\"1.0\",\"sealed\":true}",
        "{\"planFormat\":\"1.0\",\"sealed\":true,\"id\":\"x\",\"instance\":{\"id\":\"i\",\"name\":\"n\"},"
        "\"newResources\":[{\"number\":7,\"address\":\"resources.a\",\"operation\":\"create\"}]}",
        "{\"planFormat\":\"1.0\",\"sealed\":true,\"id\":\"x\",\"instance\":{\"id\":\"i\",\"name\":\"n\"},"
        "\"newResources\":[{\"number\":0,\"address\":\"nowhere\",\"operation\":\"create\"}]}",
        "{\"planFormat\":\"1.0\",\"sealed\":true,\"id\":\"x\",\"instance\":{\"id\":\"i\",\"name\":\"n\"},"
        "\"newResources\":[{\"number\":0,\"address\":\"resources.a\",\"operation\":\"create\"}],"
        "\"operations\":[{\"id\":\"C(resources.a)\",\"change\":0,\"after\":[\"C(resources.a)\"]}]}",
        "{\"planFormat\":\"1.0\",\"sealed\":true,\"id\":\"x\",\"instance\":{\"id\":\"i\",\"name\":\"n\"},"
        "\"newResources\":[{\"number\":0,\"address\":\"resources.a\",\"operation\":\"create\"}],"
        "\"operations\":[{\"id\":\"L(a::b)\",\"change\":0}]}",
        "{\"planFormat\":\"1.0\",\"sealed\":true,\"id\":\"x\",\"instance\":{\"id\":\"i\",\"name\":\"n\"},"
        "\"operations\":[{\"id\":\"C(resources.a)\",\"change\":0}]}",
    };
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        struct trip t;
        trip_init(&t, &w);
        assert_null(plan_read_json(&t.arena, sv_from_cstr(bad[i]), w.sealer, &t.diags));
        assert_int_equal(t.diags.errors, 1);
        trip_fini(&t);
    }
    world_fini(&w);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(comes_back_as_it_went), cmocka_unit_test(shows_nothing_without_a_sealer),
        cmocka_unit_test(seals_secret_inputs),   cmocka_unit_test(believes_nothing),
        cmocka_unit_test(names_the_mistake),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
