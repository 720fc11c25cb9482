/* Addresses and statuses (BP-307, BP-540 to BP-543, CLI-012). */
#include "model/addr.h"
#include "model/state.h"
#include "unit/model/check.h"

static void test_make(void **state) {
    (void)state;
    struct arena a = {0};
    CHECK_SV(addr_make(&a, (sv){0}, ELEMENT_RESOURCE, SV("fn_2")).text, "resources.fn_2");
    CHECK_SV(addr_make(&a, SV("children.core/"), ELEMENT_LINK, SV("a::b")).text, "children.core/links.a::b");
    CHECK_SV(addr_make(&a, (sv){0}, ELEMENT_EXPORT, SV("odd \"x\\.y")).text, "exports[\"odd \\\"x\\\\.y\"]");
    assert_true(addr_eq(addr_make(&a, (sv){0}, ELEMENT_VALUE, SV("x")), (addr){SV("values.x")}));
    assert_false(addr_eq((addr){SV("values.x")}, (addr){SV("variables.x")}));
    arena_fini(&a);
}

struct parse_case {
    const char *text, *parent, *name, *property;
    enum element_kind kind;
};

static void test_parse(void **state) {
    (void)state;
    static const struct parse_case cases[] = {
        {"resources.api", "", "api", "", ELEMENT_RESOURCE},
        {"resources.fn_2.spec.name", "", "fn_2", "spec.name", ELEMENT_RESOURCE},
        {"resources.fn[2]", "", "fn_2", "", ELEMENT_RESOURCE},
        {"resources.fn[2].spec.a[0][\"x.y\"]", "", "fn_2", "spec.a[0][\"x.y\"]", ELEMENT_RESOURCE},
        {"children.core/resources.topic", "children.core/", "topic", "", ELEMENT_RESOURCE},
        {"children.a/children.b[1]/exports.url", "children.a/children.b_1/", "url", "", ELEMENT_EXPORT},
        {"children.a", "", "a", "", ELEMENT_CHILD},
        {"resources.sub_0/resources.f", "resources.sub_0/", "f", "", ELEMENT_RESOURCE}, /* BP-294 */
        {"children.c/resources.m[1]/links.a::b", "children.c/resources.m_1/", "a::b", "", ELEMENT_LINK},
        {"links.a::b", "", "a::b", "", ELEMENT_LINK},
        {"links.a::b.data.x", "", "a::b", "data.x", ELEMENT_LINK},
        {"values.list[0]", "", "list", "[0]", ELEMENT_VALUE},
        {"datasources.d", "", "d", "", ELEMENT_DATA},
        {"variables[\"odd.name \\\"x\"]", "", "odd.name \"x", "", ELEMENT_VARIABLE},
        {"resources[\"a/b\"][3]", "", "a/b_3", "", ELEMENT_RESOURCE},
    };
    struct arena a = {0};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct addr_parts p;
        assert_true(addr_parse(&a, sv_from_cstr(cases[i].text), &p));
        CHECK_SV(p.parent, cases[i].parent);
        CHECK_SV(p.name, cases[i].name);
        CHECK_SV(path_to_text(&a, p.property), cases[i].property);
        assert_int_equal(p.kind, cases[i].kind);
    }
    struct addr_parts link;
    assert_true(addr_parse(&a, SV("links.one::two"), &link));
    CHECK_SV(link.a, "one");
    CHECK_SV(link.b, "two");
    arena_fini(&a);
}

static void test_parse_refuses(void **state) {
    (void)state;
    static const char *const texts[] = {
        "",
        "resources",
        "resources.",
        "resource.x",
        "resources.x.",
        "resources.x/y",
        "links.a",
        "links.a::",
        "links.::b",
        "links.a::b::c",
        "values.x::y",
        "resources[\"x",
        "values[0]",
        "resources[\"\"]",
        "resources.fn[x]",
        "resources.fn[2",
        "children.a/",
        "exports.x/values.y",
        "./x.yaml",
        "resources.x[\"a\"",
        "resources.fn[99999999999999999999]",
    };
    struct arena a = {0};
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        struct addr_parts p;
        if (addr_parse(&a, sv_from_cstr(texts[i]), &p)) {
            print_error("parsed: '%s'\n", texts[i]);
            fail();
        }
    }
    arena_fini(&a);
}

/* What is made can be parsed, whatever the name. */
static void test_round_trip(void **state) {
    (void)state;
    static const char *const names[] = {"a", "a.b", "a b", "a\"b", "a\\", "a[0]", "a/b", "ü", "'", "]"};
    struct arena a = {0};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        struct addr_parts p;
        addr made = addr_make(&a, SV("children.c/"), ELEMENT_RESOURCE, sv_from_cstr(names[i]));
        assert_true(addr_parse(&a, made.text, &p));
        CHECK_SV(p.name, names[i]);
        CHECK_SV(p.parent, "children.c/");
    }
    arena_fini(&a);
}

/* BP-540 */
static void test_statuses(void **state) {
    (void)state;
    struct arena a = {0};
    struct buf out = BUF(&a);
    status_render(&out, STATUS_update_rollback_complete);
    CHECK_SV(buf_get_sv(&out), "UPDATE ROLLBACK COMPLETE");
    for (int s = STATUS_UNKNOWN; s <= STATUS_retained; s++) {
        assert_int_equal(status_find(status_get_text((enum status)s)), s);
    }
    assert_int_equal(status_find(SV("nonsense")), 0);
    assert_true(status_is_transitional(STATUS_creating));
    assert_true(status_is_transitional(STATUS_update_rolling_back));
    assert_true(status_is_transitional(STATUS_config_complete));
    assert_false(status_is_transitional(STATUS_created));
    assert_false(status_is_transitional(STATUS_rollback_failed));
    assert_true(status_is_transitional(STATUS_resource_b_update_rollback_complete)); /* the next phase follows */
    assert_false(status_is_settled(STATUS_resource_b_update_rollback_complete));
    assert_true(status_is_settled(STATUS_update_rollback_complete));
    arena_fini(&a);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_make),       cmocka_unit_test(test_parse),    cmocka_unit_test(test_parse_refuses),
        cmocka_unit_test(test_round_trip), cmocka_unit_test(test_statuses),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
