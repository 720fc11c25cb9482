/* Data source process/environment on real variables (1.8, BP-108). */
#include "data_world.h"
#include "providers/process/process_provider.h"

#include <setjmp.h>
#include <stdlib.h>

#include <cmocka.h>

static int set_up(void **state) {
    setenv("LINTEL_T_PATHS", "/a:/b", 1);
    setenv("LINTEL_T_EMPTY", "", 1);
    setenv("LINTEL_T_WORD", "größe", 1);
    setenv("LINTEL_T_API_KEY", "hunter2", 1);
    setenv("LINTEL_T_BYTES", "\xff", 1);
    return world_set_up(state);
}

static void the_contract_holds(void **state) {
    struct world *w = *state;
    data_check_contract(w, &process_environment_data, SV("[]"));
    data_check_contract(w, &process_environment_data, SV("[[\"name\", \"starts with\", \"LINTEL_T_\"]]"));
}

static void operators_work_on_variables(void **state) {
    static const struct data_row rows[] = {
        {"[[\"name\", \"=\", \"LINTEL_T_WORD\"]]", "value", "\"größe\""},
        {"[[\"name\", \"=\", \"LINTEL_T_WORD\"]]", "length", "5"},
        {"[[\"name\", \"=\", \"LINTEL_T_NONE\"]]", "value", "none"},
        {"[[\"name\", \"in\", [\"LINTEL_T_NONE\", \"LINTEL_T_EMPTY\"]]]", "value", "\"\""},
        {"[[\"name\", \"=\", \"LINTEL_T_PATHS\"]]", "items", "[\"/a\",\"/b\"]"},
        {"[[\"name\", \"=\", \"LINTEL_T_EMPTY\"]]", "items", "[]"},
        {"[[\"name\", \"=\", \"LINTEL_T_BYTES\"]]", "value", "none"},
        {"[[\"name\", \"starts with\", \"LINTEL_T_\"]]", "name", "\"LINTEL_T_API_KEY\""}, /* sorted */
        {"[[\"name\", \"starts with\", \"LINTEL_T_\"], [\"items\", \"contains\", \"/b\"]]", "name",
         "\"LINTEL_T_PATHS\""},
        {"[[\"name\", \"starts with\", \"LINTEL_T_\"], [\"value\", \"=\", \"\"]]", "name", "\"LINTEL_T_EMPTY\""},
        {"[[\"name\", \"starts with\", \"LINTEL_T_\"], [\"length\", \">\", 100]]", "name", "none"},
        {"[[\"name\", \"starts with\", \"LINTEL_T_\"], [\"isSecret\", \"=\", false], [\"length\", \">=\", 5]]", "name",
         "\"LINTEL_T_PATHS\""},
        {"[[\"name\", \"ends with\", \"T_WORD\"], [\"value\", \"not contains\", \"x\"]]", "length", "5"},
        {"[[\"name\", \"=\", \"LINTEL_T_WORD\"], [\"length\", \"=\", \"5\"]]", "name", "refused"},
    };
    DATA_CHECK_ROWS((struct world *)*state, &process_environment_data, rows);
}

/* BP-280 */
static void what_sounds_secret_is_secret(void **state) {
    struct world *w = *state;
    static const struct {
        const char *name;
        bool is_secret;
    } rows[] = {
        {"DB_PASSWORD", true},   {"github_token", true}, {"AWS_SECRET_ACCESS_KEY", true},
        {"SSH_AUTH_SOCK", true}, {"SSHKEY", true},       {"KEYBOARD", false},
        {"HOME", false},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        value object;
        setenv(rows[i].name, "a:b", 1);
        sv filter = arena_printf(&w->arena, "[[\"name\", \"=\", \"%s\"]]", rows[i].name);
        assert_int_equal(data_choose(w, &process_environment_data, filter, &object), FILTER_HOLDS);
        assert_int_equal(value_is_sensitive(value_map_find(object, SV("value"))), rows[i].is_secret);
        assert_int_equal(value_is_sensitive(value_map_find(object, SV("items"))), rows[i].is_secret);
        assert_int_equal(value_is_sensitive(value_map_find(object, SV("length"))), rows[i].is_secret);
        assert_int_equal(value_map_find(object, SV("isSecret")).boolean, rows[i].is_secret);
        assert_false(value_is_sensitive(value_map_find(object, SV("name"))));
    }
}

#define CASE(f) cmocka_unit_test_setup_teardown(f, set_up, world_tear_down)

int main(void) {
    const struct CMUnitTest tests[] = {
        CASE(the_contract_holds),
        CASE(operators_work_on_variables),
        CASE(what_sounds_secret_is_secret),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
