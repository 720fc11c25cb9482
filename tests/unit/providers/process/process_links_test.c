/* Links of services: what they contribute from what is known (BP-432). Staging is pure. */
#include "providers/process/process_provider.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

struct fixture {
    struct arena arena;
    struct diags diags;
};

static int set_up(void **state) {
    struct fixture *f = calloc(1, sizeof *f);
    diags_init(&f->diags, &f->arena, NULL);
    *state = f;
    return 0;
}

static int tear_down(void **state) {
    struct fixture *f = *state;
    arena_fini(&f->arena);
    free(f);
    return 0;
}

static value map_of(struct fixture *f, const char *key, value item) {
    struct map_builder map = {.arena = &f->arena};
    map_add(&map, sv_from_cstr(key), item);
    return map_done(&map);
}

static value text(struct fixture *f, const char *s) {
    return value_string(&f->arena, sv_from_cstr(s));
}

static struct link_call make_call(struct fixture *f, const char *name_b, value path) {
    return (struct link_call){
        .arena = &f->arena,
        .name_a = SV("api"),
        .name_b = sv_from_cstr(name_b),
        .spec_b = map_of(f, "path", path),
        .metadata_a = map_of(f, "labels", map_of(f, "app", text(f, "x"))),
        .diags = &f->diags,
    };
}

static void annotate(struct fixture *f, struct link_call *c, const char *key, value item) {
    c->metadata_a = map_of(f, "annotations", map_of(f, key, item));
}

static void expect_contribution(struct fixture *f, const struct link_call *c, size_t i, const char *path) {
    assert_true(i < c->contributions.len);
    const struct link_contribution *given = &c->contributions.items[i];
    assert_string_equal(arena_copy_cstr(&f->arena, path_to_text(&f->arena, given->path)), path);
    assert_int_equal(given->side, LINK_SIDE_A);
    assert_true(given->needs_other);
}

static void a_database_gives_its_path(void **state) {
    static const struct {
        const char *resource, *variable;
    } cases[] = {
        {"orders", "environment.ORDERS_PATH"},
        {"ordersDatabase", "environment.ORDERS_DATABASE_PATH"},
        {"orders-db.main", "environment.ORDERS_DB_MAIN_PATH"},
        {"db_2", "environment.DB_2_PATH"},
        {"2nd", "environment._2ND_PATH"},
        {"S3Files", "environment.S3_FILES_PATH"},
    };
    struct fixture *f = *state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct link_call c = make_call(f, cases[i].resource, text(f, "/x/orders.db"));
        assert_true(service_to_sqlite_database_link.stage(&c));
        assert_int_equal(c.contributions.len, 1);
        expect_contribution(f, &c, 0, cases[i].variable);
        assert_true(sv_eq(value_get_text(c.contributions.items[0].item), SV("/x/orders.db")));
    }
}

static void annotations_name_and_silence_variables(void **state) {
    struct fixture *f = *state;
    struct link_call c = make_call(f, "orders", text(f, "/x"));
    annotate(f, &c, "process.sqlite.orders.envVarName", text(f, "DATABASE"));
    assert_true(service_to_sqlite_database_link.stage(&c));
    expect_contribution(f, &c, 0, "environment.DATABASE");
    assert_true(sv_eq(provider_get_text(c.data, SV("envVarName")), SV("DATABASE")));
    const value offs[] = {value_bool(false), text(f, "false")};
    for (size_t i = 0; i < 2; i++) {
        c = make_call(f, "orders", text(f, "/x"));
        annotate(f, &c, "process.sqlite.populateEnvVars", offs[i]);
        assert_true(service_to_sqlite_database_link.stage(&c));
        assert_int_equal(c.contributions.len, 0);
        assert_int_equal(c.data.kind, VALUE_MAP);
    }
    c = make_call(f, "orders", text(f, "/x"));
    annotate(f, &c, "process.sqlite.other.envVarName", text(f, "DATABASE")); /* of another resource */
    assert_true(service_to_sqlite_database_link.stage(&c));
    expect_contribution(f, &c, 0, "environment.ORDERS_PATH");
}

static void impossible_names_are_reported(void **state) {
    struct fixture *f = *state;
    static const char *const names[] = {"", "A B", "1A", "A=B", "LINTEL_X"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        struct link_call c = make_call(f, "orders", text(f, "/x"));
        annotate(f, &c, "process.sqlite.orders.envVarName", text(f, names[i]));
        diags_init(&f->diags, &f->arena, NULL);
        assert_false(service_to_sqlite_database_link.stage(&c));
        assert_int_equal(f->diags.errors, 1);
        assert_int_equal(c.contributions.len, 0);
    }
}

static void unknown_parts_stay_unknown(void **state) {
    struct fixture *f = *state;
    struct link_call c = make_call(f, "config", value_unknown(&type_string));
    assert_true(service_to_local_file_link.stage(&c));
    assert_int_equal(c.contributions.len, 2);
    assert_int_equal(c.contributions.items[0].item.kind, VALUE_UNKNOWN);
    assert_int_equal(c.contributions.items[1].item.kind, VALUE_UNKNOWN);
    c = make_call(f, "config", text(f, "/x"));
    c.spec_b = value_unknown(NULL);
    assert_true(service_to_local_file_link.stage(&c));
    assert_int_equal(c.contributions.len, 2);
}

/* The digest is that of the wanted contents, so a plan knows whether the service restarts. */
static void a_file_gives_its_path_and_digest(void **state) {
    struct fixture *f = *state;
    struct link_call c = make_call(f, "config", text(f, "/x"));
    c.spec_b = value_map_with(&f->arena, c.spec_b, SV("contents"), text(f, "abc"));
    c.spec_b = value_map_with(&f->arena, c.spec_b, SV("sha256"), text(f, "of what was there before"));
    assert_true(service_to_local_file_link.stage(&c));
    expect_contribution(f, &c, 0, "environment.CONFIG_PATH");
    expect_contribution(f, &c, 1, "restartOn.config");
    assert_true(sv_eq(value_get_text(c.contributions.items[1].item),
                      SV("ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad")));
    assert_false(value_is_sensitive(c.contributions.items[1].item));
    annotate(f, &c, "process.file.populateEnvVars", value_bool(false));
    c.contributions.len = 0;
    assert_true(service_to_local_file_link.stage(&c));
    assert_int_equal(c.contributions.len, 1); /* it still restarts */
    expect_contribution(f, &c, 0, "restartOn.config");
}

static void secret_contents_have_a_secret_digest(void **state) {
    struct fixture *f = *state;
    struct link_call c = make_call(f, "config", text(f, "/x"));
    value secret = value_mark(text(f, "pin 1234"), MARK_SENSITIVE);
    c.spec_b = value_map_with(&f->arena, c.spec_b, SV("contents"), secret);
    assert_true(service_to_local_file_link.stage(&c));
    assert_true(value_is_sensitive(c.contributions.items[1].item));
    assert_true(value_is_sensitive(c.data));
}

/* BP-401 */
static void the_tables_say_what_the_links_do(void **state) {
    (void)state;
    for (size_t i = 0; i < provider_process.link_count; i++) {
        const struct link_type *link = provider_process.links[i];
        assert_true(link->hard && link->priority == LINK_SIDE_B);
        assert_true(link->summary.len > 0 && link->details.len > 0);
        assert_true(i == 0 || sv_cmp(provider_process.links[i - 1]->type_b, link->type_b) < 0);
        for (size_t k = 0; k < link->annotation_count; k++) {
            assert_true(link->annotations[k].text.len > 0 && link->annotations[k].side == LINK_SIDE_A);
        }
    }
}

#define CASE(f) cmocka_unit_test_setup_teardown(f, set_up, tear_down)

int main(void) {
    const struct CMUnitTest tests[] = {
        CASE(a_database_gives_its_path),        CASE(annotations_name_and_silence_variables),
        CASE(impossible_names_are_reported),    CASE(unknown_parts_stay_unknown),
        CASE(a_file_gives_its_path_and_digest), CASE(secret_contents_have_a_secret_digest),
        CASE(the_tables_say_what_the_links_do),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
