/* Looking up providers, and their declarations in the form of BP-324. */
#include "model/host.h"
#include "model/provider.h"
#include "value/convert.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

static const struct schema text_schema = {.type = SCHEMA_STRING};
static const struct schema_attribute attributes[] = {{SV_INIT("name"), &text_schema}};
static const struct schema schema = {.type = SCHEMA_OBJECT, .attributes = attributes, .attribute_count = 1};

static const sv links_to[] = {SV_INIT("y/b")};
static const struct resource_type type_a = {
    .name = SV_INIT("x/a"),
    .id_field = SV_INIT("name"),
    .links_to = links_to,
    .links_to_count = 1,
    .schema = &schema,
};
static const struct resource_type type_c = {.name = SV_INIT("x/c"), .destroy_before_create = true, .schema = &schema};
static const struct resource_type type_b = {.name = SV_INIT("y/b"), .end_point = true, .schema = &schema};
static const struct link_annotation annotations[] = {
    {.key = SV_INIT("x.<resourceName>.size"),
     .side = LINK_SIDE_A,
     .type = SCHEMA_INTEGER,
     .allowed_json = "[1,2]",
     .required = true},
};
static const struct link_type link_ab = {
    .type_a = SV_INIT("x/a"),
    .type_b = SV_INIT("y/b"),
    .hard = true,
    .priority = LINK_SIDE_B,
    .cardinality_a = {1, 3},
    .annotations = annotations,
    .annotation_count = 1,
};
static const struct resource_type *const types_x[] = {&type_a, &type_c};
static const struct resource_type *const types_y[] = {&type_b};
static const struct link_type *const links_x[] = {&link_ab};
static const struct provider provider_x = {
    .name = SV_INIT("x"), .resources = types_x, .resource_count = 2, .links = links_x, .link_count = 1};
static const struct provider provider_y = {.name = SV_INIT("y"), .resources = types_y, .resource_count = 1};
static const struct provider *const items[] = {&provider_x, &provider_y};
static const struct providers providers = {items, 2};

static void types_and_links_are_found(void **state) {
    (void)state;
    assert_true(providers_find(&providers, SV("y")) == &provider_y);
    assert_null(providers_find(&providers, SV("z")));
    assert_true(providers_find_type(&providers, SV("x/a")) == &type_a);
    assert_true(providers_find_type(&providers, SV("x/c")) == &type_c);
    assert_true(providers_find_type(&providers, SV("y/b")) == &type_b);
    assert_null(providers_find_type(&providers, SV("x/b")));
    assert_null(providers_find_type(NULL, SV("x/a")));
    assert_true(providers_find_link(&providers, SV("x/a"), SV("y/b")) == &link_ab);
    assert_null(providers_find_link(&providers, SV("y/b"), SV("x/a")));
}

/* BP-306 */
static void close_names_are_offered(void **state) {
    (void)state;
    assert_true(sv_eq(providers_find_close(&providers, SV("X/A")), SV("x/a")));
    assert_int_equal(providers_find_close(&providers, SV("something/else")).len, 0);
}

static value print(struct arena *a, sv only) {
    struct buf out = BUF(a);
    struct jsonw w = JSONW(&out, 0);
    providers_write_json(&w, &providers, only);
    sv why;
    size_t offset;
    value v = value_parse_json(a, buf_get_sv(&out), &limits_default, false, &why, &offset);
    assert_int_equal(v.kind, VALUE_MAP);
    return v;
}

static value find(struct arena *a, value root, const char *text) {
    struct path path;
    assert_true(path_parse(a, sv_from_cstr(text), &path));
    return value_find_path(root, path);
}

/* BP-324 */
static void declarations_have_their_form(void **state) {
    (void)state;
    struct arena a = {0};
    value all = print(&a, (sv){0});
    assert_int_equal(find(&a, all, "resources").map->len, 3);
    assert_true(sv_eq(value_get_text(find(&a, all, "resources[\"x/a\"].idField")), SV("name")));
    assert_true(sv_eq(value_get_text(find(&a, all, "resources[\"x/a\"].linksTo[0]")), SV("y/b")));
    assert_true(find(&a, all, "resources[\"x/c\"].destroyBeforeCreate").boolean);
    assert_true(find(&a, all, "resources[\"y/b\"].endPoint").boolean);
    assert_true(sv_eq(value_get_text(find(&a, all, "resources[\"y/b\"].schema.type")), SV("object")));
    value link = find(&a, all, "links[\"x/a::y/b\"]");
    assert_true(sv_eq(value_get_text(find(&a, link, "kind")), SV("hard")));
    assert_true(sv_eq(value_get_text(find(&a, link, "priority")), SV("b")));
    assert_int_equal(find(&a, link, "cardinality.a[1]").integer, 3);
    value annotation = find(&a, link, "annotations[\"x.<resourceName>.size\"]");
    assert_true(sv_eq(value_get_text(find(&a, annotation, "type")), SV("integer")));
    assert_int_equal(find(&a, annotation, "allowedValues[1]").integer, 2);
    assert_true(find(&a, annotation, "required").boolean);
    value one = print(&a, SV("y/b"));
    assert_int_equal(find(&a, one, "resources").map->len, 1);
    assert_int_equal(find(&a, one, "links").map->len, 1);
    assert_int_equal(find(&a, print(&a, SV("x/c")), "links").map->len, 0);
    arena_fini(&a);
}

/* Keys, reasons, time and paths as providers use them. */
static void calls_have_their_helpers(void **state) {
    (void)state;
    struct arena a = {0};
    struct host host = host_system;
    struct provider_call c = {.arena = &a, .host = &host, .base_dir = SV("/base")};
    memset(c.op_key, 0xa7, sizeof c.op_key);
    assert_true(sv_eq(provider_key_text(&c), SV("a7a7a7a7a7a7a7a7a7a7a7a7a7a7a7a7")));
    assert_int_equal(provider_fail(&c, PROVIDER_TERMINAL, "no %s", "bread"), PROVIDER_TERMINAL);
    assert_true(sv_eq(c.reasons.items.items[0], SV("no bread")));
    assert_int_equal(provider_get_time_left(&c), 0);
    c.deadline_ms = host.ops->get_monotonic_ms(NULL) + 1000;
    assert_in_range(provider_get_time_left(&c), 1, 1000);
    assert_false(provider_is_cancelled(&c));
    atomic_bool cancel = true;
    c.cancel = &cancel;
    assert_true(provider_is_cancelled(&c));
    assert_true(sv_eq(provider_get_absolute_path(&c, SV("x/y")), SV("/base/x/y")));
    assert_true(sv_eq(provider_get_absolute_path(&c, SV("/x")), SV("/x")));
    assert_int_equal(provider_get_absolute_path(&c, (sv){0}).len, 0);
    assert_int_equal(provider_get_i64(value_null(), SV("x"), 7), 7);
    assert_false(provider_get_bool(value_unknown(NULL), SV("x")));
    arena_fini(&a);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(types_and_links_are_found),
        cmocka_unit_test(close_names_are_offered),
        cmocka_unit_test(declarations_have_their_form),
        cmocka_unit_test(calls_have_their_helpers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
