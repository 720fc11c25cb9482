#include "suite.h"

#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

enum {
    KEY_ONE = 0x11,
    KEY_TWO = 0x22,
    KEY_THREE = 0x33,
    KILLS = 24, /* kills at different moments */
    KILL_US = 40,
};

/* What a case gets: the type, and a world made for it. */
struct scene {
    const struct subject *subject;
    struct world *world;
};

static int scene_set_up(void **state) {
    struct scene *scene = calloc(1, sizeof *scene);
    scene->subject = *state;
    void *world;
    world_set_up(&world);
    scene->world = world;
    *state = scene;
    return 0;
}

static int scene_tear_down(void **state) {
    struct scene *scene = *state;
    void *world = scene->world;
    world_tear_down(&world);
    free(scene);
    return 0;
}

static value make_spec(struct scene *s, int variant) {
    return world_make_spec(s->world, s->subject->type, s->subject->make_json(s->world, variant));
}

static struct provider_call make_call(struct scene *s, uint8_t key, value spec, value computed) {
    return world_make_call(s->world, s->subject->type, key, spec, computed);
}

static void expect_result(const struct provider_call *c, enum provider_result result, enum provider_result wanted) {
    if (result != wanted) {
        fail_msg("result %d instead of %d: %.*s", (int)result, (int)wanted, SV_ARG(world_get_reason(c)));
    }
}

/* Every computed field of the schema, and none else. */
static void check_computed(struct scene *s, value computed) {
    const struct schema *schema = s->subject->type->schema;
    assert_int_equal(computed.kind, VALUE_MAP);
    size_t wanted = 0;
    for (size_t i = 0; i < schema->attribute_count; i++) {
        if ((schema->attributes[i].schema->flags & SCHEMA_COMPUTED) != 0) {
            wanted++;
            assert_true(value_map_has(computed, schema->attributes[i].name));
        }
    }
    assert_int_equal(computed.map->len, wanted);
}

static value create(struct scene *s, uint8_t key, value spec) {
    struct provider_call c = make_call(s, key, spec, (value){0});
    expect_result(&c, s->subject->type->create(&c), PROVIDER_OK);
    check_computed(s, c.computed);
    return c.computed;
}

static void expect_read(struct scene *s, value spec, value computed) {
    struct provider_call c = make_call(s, KEY_THREE, spec, computed);
    expect_result(&c, s->subject->type->read(&c), PROVIDER_OK);
    check_computed(s, c.computed);
    assert_true(value_eq(c.found_spec, spec));
    assert_true(value_eq(c.computed, computed));
}

static void expect_absent(struct scene *s, value spec, value computed) {
    struct provider_call c = make_call(s, KEY_THREE, spec, computed);
    expect_result(&c, s->subject->type->read(&c), PROVIDER_ABSENT);
}

static void destroy(struct scene *s, value spec, value computed, enum provider_result wanted) {
    struct provider_call c = make_call(s, KEY_THREE, spec, computed);
    expect_result(&c, s->subject->type->destroy(&c), wanted);
}

static void expect_count(struct scene *s, size_t wanted) {
    if (!s->subject->is_pure) {
        assert_int_equal(s->subject->count(s->world), wanted);
    }
}

/* --- Cases --- */

/* create → read → update → read → replace → destroy → read */
static void a_life(void **state) {
    struct scene *s = *state;
    value first = make_spec(s, 0), second = make_spec(s, 1), third = make_spec(s, 2);
    value computed = create(s, KEY_ONE, first);
    expect_read(s, first, computed);
    expect_count(s, 1);

    struct provider_call c = make_call(s, KEY_TWO, second, (value){0});
    c.prior = schema_merge(&s->world->arena, first, computed);
    expect_result(&c, s->subject->type->update(&c), PROVIDER_OK);
    check_computed(s, c.computed);
    expect_read(s, second, c.computed);
    expect_count(s, 1);

    value old = c.computed;
    value replaced = create(s, KEY_THREE, third);
    expect_read(s, third, replaced);
    destroy(s, second, old, PROVIDER_OK);
    expect_read(s, third, replaced);
    expect_count(s, 1);
    destroy(s, third, replaced, PROVIDER_OK);
    if (!s->subject->is_pure) {
        expect_absent(s, third, replaced);
    }
    expect_count(s, 0);
}

static void reading_what_is_not_there(void **state) {
    struct scene *s = *state;
    expect_absent(s, make_spec(s, 0), (value){0});
}

static void destroying_what_is_gone(void **state) {
    struct scene *s = *state;
    value spec = make_spec(s, 0);
    value computed = create(s, KEY_ONE, spec);
    destroy(s, spec, computed, PROVIDER_OK);
    destroy(s, spec, computed, s->subject->is_pure ? PROVIDER_OK : PROVIDER_ABSENT);
    expect_count(s, 0);
}

static void the_same_key_twice_makes_one_object(void **state) {
    struct scene *s = *state;
    value spec = make_spec(s, 0);
    value first = create(s, KEY_ONE, spec);
    value second = create(s, KEY_ONE, spec);
    expect_count(s, 1);
    if (!s->subject->is_pure) {
        assert_true(value_eq(first, second));
    }
    destroy(s, spec, second, PROVIDER_OK);
    expect_count(s, 0);
}

/* A child does the operation and dies before anybody hears of it. */
static void die_after_create(struct scene *s, value spec) {
    pid_t pid = fork();
    if (pid == 0) {
        struct provider_call c = make_call(s, KEY_ONE, spec, (value){0});
        enum provider_result result = s->subject->type->create(&c);
        kill(getpid(), result == PROVIDER_OK ? SIGKILL : SIGTERM);
    }
    int status;
    waitpid(pid, &status, 0);
    assert_true(WIFSIGNALED(status));
    assert_int_equal(WTERMSIG(status), SIGKILL);
}

static void a_kill_before_the_record_is_recovered(void **state) {
    struct scene *s = *state;
    value spec = make_spec(s, 0);
    struct provider_call c = make_call(s, KEY_ONE, spec, (value){0});
    expect_result(&c, s->subject->type->recover(&c), PROVIDER_ABSENT);
    die_after_create(s, spec);
    expect_count(s, 1);
    c = make_call(s, KEY_ONE, spec, (value){0});
    expect_result(&c, s->subject->type->recover(&c), s->subject->is_pure ? PROVIDER_ABSENT : PROVIDER_OK);
    if (s->subject->is_pure) {
        return;
    }
    check_computed(s, c.computed);
    value computed = c.computed;
    expect_read(s, spec, computed);
    c = make_call(s, KEY_TWO, spec, (value){0});
    expect_result(&c, s->subject->type->recover(&c), PROVIDER_ABSENT); /* not the object of another operation */
    destroy(s, spec, computed, PROVIDER_OK);
    expect_count(s, 0);
}

static void kill_during_create(struct scene *s, value spec, int delay_us) {
    pid_t pid = fork();
    if (pid == 0) {
        struct provider_call c = make_call(s, KEY_ONE, spec, (value){0});
        s->subject->type->create(&c);
        pause();
    }
    usleep((useconds_t)delay_us);
    kill(pid, SIGKILL);
    waitpid(pid, NULL, 0);
}

/* LC-023: recover, and run again what is absent. Whatever the moment, there is one object in the end. */
static void a_kill_at_any_moment_is_recovered(void **state) {
    struct scene *s = *state;
    value spec = make_spec(s, 0);
    int kills = s->subject->kills > 0 ? s->subject->kills : KILLS;
    int us = s->subject->kill_us > 0 ? s->subject->kill_us : KILL_US;
    for (int i = 0; i < kills; i++) {
        kill_during_create(s, spec, i * i * us);
        struct provider_call c = make_call(s, KEY_ONE, spec, (value){0});
        enum provider_result result = s->subject->type->recover(&c);
        if (result == PROVIDER_ABSENT) {
            c = make_call(s, KEY_ONE, spec, (value){0});
            result = s->subject->type->create(&c);
        }
        expect_result(&c, result, PROVIDER_OK);
        expect_count(s, 1);
        expect_read(s, spec, c.computed);
        destroy(s, spec, c.computed, PROVIDER_OK);
        expect_count(s, 0);
    }
}

static void hostile_data_is_data(void **state) {
    struct scene *s = *state;
    for (int i = 0;; i++) {
        sv json = s->subject->make_hostile(s->world, i);
        if (json.len == 0) {
            break;
        }
        value spec = world_make_spec(s->world, s->subject->type, json);
        value computed = create(s, KEY_ONE, spec);
        expect_read(s, spec, computed);
        destroy(s, spec, computed, PROVIDER_OK);
        expect_count(s, 0);
    }
    assert_int_not_equal(access("/tmp/lintel-was-here", F_OK), 0);
}

/* A call whose time is over, or that is cancelled, ends at once; the operation can be done again. */
static void time_and_cancellation_are_heeded(void **state) {
    struct scene *s = *state;
    value spec = make_spec(s, 0);
    for (int i = 0; i < 2; i++) {
        struct provider_call c = make_call(s, KEY_ONE, spec, (value){0});
        int64_t before = s->world->host.ops->get_monotonic_ms(NULL);
        c.deadline_ms = i == 0 ? before : c.deadline_ms;
        atomic_store(&s->world->cancel, i == 1);
        enum provider_result result = s->subject->type->create(&c);
        assert_in_range(s->world->host.ops->get_monotonic_ms(NULL) - before, 0, 1000);
        assert_true(result == PROVIDER_OK || result == PROVIDER_TRANSIENT);
        atomic_store(&s->world->cancel, false);
    }
    value computed = create(s, KEY_ONE, spec);
    expect_count(s, 1);
    destroy(s, spec, computed, PROVIDER_OK);
}

/* What an update makes unknown is computed, and is what the update really changes (LC-070). */
static void a_plan_tells_what_an_update_computes_anew(void **state) {
    struct scene *s = *state;
    const struct resource_type *type = s->subject->type;
    value first = make_spec(s, 0), second = make_spec(s, 1);
    value before = create(s, KEY_ONE, first);
    struct provider_call c = make_call(s, KEY_TWO, second, (value){0});
    c.prior = schema_merge(&s->world->arena, first, before);
    expect_result(&c, type->update(&c), PROVIDER_OK);
    struct path_step step = {.key = SV("spec")};
    struct field_diff diff = {0};
    struct schema_diff_request request = {
        .arena = &s->world->arena, .schema = type->schema, .prefix = {&step, 1}, .before = first, .after = second};
    schema_diff(&request, &diff);
    if (type->plan != NULL) {
        type->plan(&s->world->arena, c.prior, second, &diff);
    }
    for (size_t i = 0; i < before.map->len; i++) {
        bool is_unknown = false;
        for (size_t k = 0; k < diff.changes.len; k++) {
            const struct field_change *change = &diff.changes.items[k];
            bool is_it =
                change->unknown && sv_eq(change->path.steps[change->path.len - 1].key, before.map->entries[i].key);
            assert_true(!is_it || value_eq(change->before, before.map->entries[i].item));
            is_unknown = is_unknown || is_it;
        }
        value after = value_map_find(c.computed, before.map->entries[i].key);
        assert_true(is_unknown || value_eq(before.map->entries[i].item, after));
    }
    destroy(s, second, c.computed, PROVIDER_OK);
}

/* The id of an object as text. */
static sv print_id(struct scene *s, value spec, value computed) {
    struct buf text = BUF(&s->world->arena);
    value merged = schema_merge(&s->world->arena, spec, computed);
    value_print_scalar(&text, value_map_find(merged, s->subject->type->id_field));
    return buf_get_sv(&text);
}

static enum provider_result find(const struct resource_type *type, struct provider_call *c, sv id) {
    c->physical_id = id;
    c->prior = (value){0};
    return type->find != NULL ? type->find(c) : type->read(c);
}

/* cli.md, `import`: an object is found by its id, without anything that a state knew of it; it changes hands with its
 * mark, and then only who has it destroys it. */
static void what_exists_is_taken_over(void **state) {
    struct scene *s = *state;
    const struct resource_type *type = s->subject->type;
    if (type->import_id.len == 0) {
        assert_true(type->import_not.len > 0);
        assert_null(type->find);
        return;
    }
    value spec = make_spec(s, 0), gone = make_spec(s, 2);
    value computed = create(s, KEY_ONE, spec);
    struct provider_call c = make_call(s, KEY_TWO, spec, (value){0});
    c.instance_id = SV("another");
    expect_result(&c, find(type, &c, print_id(s, spec, computed)), PROVIDER_OK);
    check_computed(s, c.computed);
    assert_true(value_eq(c.found_spec, spec));
    assert_true(value_eq(c.computed, computed));
    c = make_call(s, KEY_TWO, gone, (value){0});
    assert_int_not_equal(find(type, &c, SV("!")), PROVIDER_OK);
    if (type->claim == NULL) {
        destroy(s, spec, computed, PROVIDER_OK);
        return;
    }
    c = make_call(s, KEY_TWO, spec, computed);
    c.instance_id = SV("another");
    expect_result(&c, type->claim(&c), PROVIDER_OK);
    expect_read(s, spec, computed);
    destroy(s, spec, computed, PROVIDER_ABSENT);
    expect_count(s, 1);
    c = make_call(s, KEY_THREE, spec, computed);
    c.instance_id = SV("another");
    expect_result(&c, type->destroy(&c), PROVIDER_OK);
    expect_count(s, 0);
    c = make_call(s, KEY_THREE, spec, computed);
    expect_result(&c, type->claim(&c), PROVIDER_ABSENT);
}

/* The tables say what the engine and the docs need (BP-400, LC-024). */
static void the_tables_are_complete(void **state) {
    struct scene *s = *state;
    const struct resource_type *type = s->subject->type;
    assert_true(type->summary.len > 0 && type->details.len > 0 && type->example.len > 0);
    assert_true(type->promise == PROMISE_EXACT && type->version > 0 && type->deadline_ms > 0);
    assert_int_equal(type->schema->type, SCHEMA_OBJECT);
    for (size_t i = 0; i < type->schema->attribute_count; i++) {
        const struct schema *schema = type->schema->attributes[i].schema;
        assert_true(schema->text.len > 0);
        if (schema->default_json != NULL) {
            sv json = sv_from_cstr(schema->default_json);
            world_make_spec(s->world, type, arena_printf(&s->world->arena, "{\"x\": %.*s}", SV_ARG(json)));
        }
    }
    if (type->id_field.len > 0) {
        const struct schema_attribute *id = schema_find_attribute(type->schema, type->id_field);
        assert_non_null(id);
        assert_int_equal(id->schema->flags & SCHEMA_SENSITIVE, 0); /* ids are stored in the clear */
    }
}

/* --- Running --- */

static const struct {
    const char *name;
    void (*run)(void **state);
    bool outside; /* about objects outside the state */
} cases[] = {
    {"a_life", a_life, false},
    {"reading_what_is_not_there", reading_what_is_not_there, false},
    {"destroying_what_is_gone", destroying_what_is_gone, false},
    {"the_same_key_twice_makes_one_object", the_same_key_twice_makes_one_object, false},
    {"a_kill_before_the_record_is_recovered", a_kill_before_the_record_is_recovered, false},
    {"a_kill_at_any_moment_is_recovered", a_kill_at_any_moment_is_recovered, true},
    {"hostile_data_is_data", hostile_data_is_data, true},
    {"time_and_cancellation_are_heeded", time_and_cancellation_are_heeded, false},
    {"a_plan_tells_what_an_update_computes_anew", a_plan_tells_what_an_update_computes_anew, false},
    {"what_exists_is_taken_over", what_exists_is_taken_over, false},
    {"the_tables_are_complete", the_tables_are_complete, false},
};

enum { CASE_COUNT = sizeof cases / sizeof cases[0] };

int suite_run(const struct subject *subjects, size_t count) {
    struct CMUnitTest *tests = calloc(count * CASE_COUNT, sizeof *tests);
    char(*names)[128] = calloc(count * CASE_COUNT, sizeof *names);
    size_t made = 0;
    for (size_t i = 0; i < count * CASE_COUNT; i++) {
        const struct subject *subject = &subjects[i / CASE_COUNT];
        if (subject->is_pure && cases[i % CASE_COUNT].outside) {
            continue;
        }
        snprintf(names[made], sizeof names[made], "%s: %s", subject->name, cases[i % CASE_COUNT].name);
        tests[made] = (struct CMUnitTest){
            .name = names[made],
            .test_func = cases[i % CASE_COUNT].run,
            .setup_func = scene_set_up,
            .teardown_func = scene_tear_down,
            .initial_state = (void *)(uintptr_t)subject,
        };
        made++;
    }
    int failed = _cmocka_run_group_tests("provider contract", tests, made, NULL, NULL);
    free(tests);
    free(names);
    return failed;
}
