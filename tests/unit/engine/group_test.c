/* Groups: many behind one name (BP-132, BP-180, BP-480 to BP-484). Their elements are made here by turning the
 * placeholder in front of the members into the group. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include "engine/exec.h"
#include "world.h"

#include <stdlib.h>

/* The resource `name` stands for the `count` elements behind it. */
static void make_group(struct trip *t, const char *name, enum element_kind kind, uint32_t count) {
    sv address = arena_printf(&t->arena, "resources.%s", name);
    struct element *e = (struct element *)template_find(t->t, address);
    assert_non_null(e);
    uint32_t number = template_get_number(t->t, e);
    e->kind = kind;
    e->resource_type = NULL;
    e->group_end = number + 1 + count;
    for (uint32_t i = 1; i <= count; i++) {
        e[i].group = e[i].group == 0 ? number + 1 : e[i].group;
        if (kind == ELEMENT_TEMPLATE) {
            e[i].template_name = e->name;
        }
    }
}

static void add_resource(struct buf *b, const char *name, size_t number, const char *rest) {
    buf_printf(b, "  %s%zu: {type: fake/thing, spec: {name: x}%s}\n", name, number, rest);
}

static void plan(struct trip *t) {
    t->plan = run_plan(&t->config, t->t, false, NULL, 0, &t->code);
    if (t->plan == NULL) {
        print_error("%s", trip_errors(t));
    }
    assert_non_null(t->plan);
}

/* `count` members of a template, and as many users that depend on it. */
static void load_users(struct trip *t, size_t count) {
    struct buf text = BUF(&t->arena);
    buf_append_cstr(&text, "resources:\n  all: {type: fake/thing, spec: {name: x}}\n");
    for (size_t i = 0; i < count; i++) {
        add_resource(&text, "all_", i, "");
    }
    for (size_t i = 0; i < count; i++) {
        add_resource(&text, "user_", i, ", dependsOn: all");
    }
    assert_true(trip_load(t, buf_get_sv(&text).data));
    make_group(t, "all", ELEMENT_TEMPLATE, (uint32_t)count);
}

static const struct plan_op *find_op(const struct trip *t, const char *id) {
    for (size_t i = 0; i < t->plan->op_count; i++) {
        if (sv_eq_cstr(t->plan->ops[i].id, id)) {
            return &t->plan->ops[i];
        }
    }
    fail_msg("no operation %s", id);
    return NULL;
}

static size_t count_edges(const struct plan *p) {
    size_t count = 0;
    for (size_t i = 0; i < p->op_count; i++) {
        count += p->ops[i].after_count;
    }
    for (size_t i = 0; i < p->barrier_count; i++) {
        count += p->barriers[i].after_count;
    }
    return count;
}

static void few_are_named(void **state) { /* BP-481 (1) */
    (void)state;
    struct world w;
    struct trip t;
    world_init(&w);
    trip_init(&t, &w);
    load_users(&t, 2);
    plan(&t);
    expect_text(trip_print_plan(&t), "create resources.all_0\n"
                                     "create resources.all_1\n"
                                     "create resources.user_0\n"
                                     "create resources.user_1\n"
                                     "C(resources.all_0)\n"
                                     "C(resources.all_1)\n"
                                     "C(resources.user_0) after C(resources.all_0)* C(resources.all_1)*\n"
                                     "C(resources.user_1) after C(resources.all_0)* C(resources.all_1)*\n");
    trip_fini(&t);
    world_fini(&w);
}

static void many_before_many_cost_their_sum(void **state) { /* BP-132, BP-481 (1) */
    (void)state;
    struct world w;
    struct trip t;
    world_init(&w);
    trip_init(&t, &w);
    load_users(&t, 300);
    plan(&t);
    assert_int_equal(t.plan->op_count, 600);
    assert_true(count_edges(t.plan) <= (size_t)4 * 600);
    const struct plan_op *user = find_op(&t, "C(resources.user_7)");
    assert_int_equal(user->after_count, 1);
    assert_true(user->after[0] >= t.plan->op_count);
    trip_fini(&t);
    world_fini(&w);
}

static size_t find_call(const struct world *w, const char *call) {
    for (size_t i = 0; i < w->calls.len; i++) {
        if (sv_eq_cstr(w->calls.items[i], call)) {
            return i;
        }
    }
    fail_msg("no call %s", call);
    return 0;
}

static void users_of_a_group_go_first(void **state) { /* BP-481 (5): the group is found again by its address */
    (void)state;
    enum { COUNT = 40 };
    struct world w;
    struct trip t;
    world_init(&w);
    trip_init(&t, &w);
    load_users(&t, COUNT);
    plan(&t);
    assert_int_equal(trip_deploy(&t), EXIT_OK);
    struct instance_view view;
    assert_true(run_view_instance(&t.config, &view));
    for (size_t i = 0; i < view.resource_count; i++) {
        const struct resource_record *r = &view.resources[i];
        if (sv_has_prefix(r->name, SV("user_"))) {
            assert_int_equal(r->depends_on_count, 1);
            assert_true(sv_eq_cstr(r->depends_on[0], "resources.all"));
        }
    }
    size_t first_user = SIZE_MAX, last_member = 0;
    for (size_t i = 0; i < w.calls.len; i++) {
        first_user =
            first_user == SIZE_MAX && sv_has_prefix(w.calls.items[i], SV("create resources.user_")) ? i : first_user;
        last_member = sv_has_prefix(w.calls.items[i], SV("create resources.all_")) ? i : last_member;
    }
    assert_true(last_member < first_user);
    trip_fini(&t);

    trip_init(&t, &w);
    trip_plan_destroy(&t);
    assert_non_null(t.plan);
    assert_true(count_edges(t.plan) <= (size_t)4 * COUNT);
    w.calls.len = 0;
    assert_int_equal(trip_deploy(&t), EXIT_OK);
    size_t last_user = 0;
    for (size_t i = 0; i < COUNT; i++) {
        size_t at = find_call(&w, arena_printf(&t.arena, "destroy resources.user_%zu", i).data);
        last_user = at > last_user ? at : last_user;
    }
    for (size_t i = 0; i < COUNT; i++) {
        assert_true(find_call(&w, arena_printf(&t.arena, "destroy resources.all_%zu", i).data) > last_user);
    }
    assert_int_equal(world_count_objects(&w), 0);
    trip_fini(&t);
    world_fini(&w);
}

static void a_child_waits_for_what_it_uses(void **state) { /* BP-180: inputs and dependsOn of the child */
    (void)state;
    struct world w;
    struct trip t;
    world_init(&w);
    trip_init(&t, &w);
    assert_true(trip_load(&t, "resources:\n"
                              "  core: {type: fake/thing, spec: {name: x}, dependsOn: before}\n"
                              "  one: {type: fake/thing, spec: {name: x}}\n"
                              "  two: {type: fake/thing, spec: {name: x}}\n"
                              "  before: {type: fake/thing, spec: {name: x}}\n"
                              "  after: {type: fake/thing, spec: {name: x}, dependsOn: core}\n"));
    make_group(&t, "core", ELEMENT_CHILD, 2);
    plan(&t);
    expect_text(trip_print_plan(&t), "create resources.one\n"
                                     "create resources.two\n"
                                     "create resources.before\n"
                                     "create resources.after\n"
                                     "C(resources.one) after C(resources.before)*\n"
                                     "C(resources.two) after C(resources.before)*\n"
                                     "C(resources.before)\n"
                                     "C(resources.after) after C(resources.one)* C(resources.two)*\n");
    trip_fini(&t);
    world_fini(&w);
}

static void values_that_grow_stay_small(void **state) { /* each value adds a resource to what it uses */
    (void)state;
    enum { COUNT = 200 };
    struct world w;
    struct trip t;
    world_init(&w);
    trip_init(&t, &w);
    struct buf text = BUF(&t.arena);
    buf_append_cstr(&text, "values:\n  v0: {type: string, value: '${r0.spec.id}'}\n");
    for (size_t i = 1; i < COUNT; i++) {
        buf_printf(&text, "  v%zu: {type: string, value: '${values.v%zu}${r%zu.spec.id}'}\n", i, i - 1, i);
    }
    buf_append_cstr(&text, "resources:\n");
    for (size_t i = 0; i < COUNT; i++) {
        buf_printf(&text, "  r%zu: {type: fake/thing, spec: {name: x}}\n", i);
        buf_printf(&text, "  u%zu: {type: fake/thing, spec: {name: '${values.v%zu}'}}\n", i, i);
    }
    assert_true(trip_load(&t, buf_get_sv(&text).data));
    plan(&t);
    assert_true(count_edges(t.plan) <= (size_t)48 * COUNT); /* not COUNT * COUNT / 2 */
    assert_int_equal(trip_deploy(&t), EXIT_OK);
    trip_fini(&t);
    world_fini(&w);
}

static void barriers_survive_in_a_file(void **state) { /* LC-003 */
    (void)state;
    struct world w;
    struct trip t;
    world_init(&w);
    trip_init(&t, &w);
    load_users(&t, 50);
    plan(&t);
    struct buf out = BUF(&t.arena);
    struct jsonw json = JSONW(&out, 0);
    plan_write_json(&json, t.plan, w.sealer);
    const char *before = trip_print_plan(&t);
    t.plan = plan_read_json(&t.arena, buf_get_sv(&out), w.sealer, &t.diags);
    assert_non_null(t.plan);
    assert_true(t.plan->barrier_count > 0);
    expect_text(trip_print_plan(&t), before);
    /* waiting in a circle, or for nothing, is no plan */
    sv file = buf_get_sv(&out), needle = SV("{\"id\":\"B1\",\"of\":\"resources.all\",\"after\":[]");
    size_t at = sv_find(file, needle);
    assert_true(at != SIZE_MAX);
    static const char *const wrong[] = {"\"B1\"", "\"C(resources.user_0)\"", "\"nothing\""};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        struct buf changed = BUF(&t.arena);
        buf_append(&changed, sv_slice(file, 0, at));
        buf_append(&changed, sv_slice(needle, 0, needle.len - 1));
        buf_append_cstr(&changed, wrong[i]);
        buf_append(&changed, sv_slice(file, at + needle.len - 1, file.len));
        assert_null(plan_read_json(&t.arena, buf_get_sv(&changed), w.sealer, &t.diags));
    }
    trip_fini(&t);
    world_fini(&w);
}

/* --- random templates --- */

enum { MAX_RESOURCES = 80 };

/* What is used by what, as the test knows it: resources and groups, edges from higher to lower numbers. */
struct model {
    uint64_t seed;
    size_t count;
    uint32_t group[MAX_RESOURCES];     /* the placeholder + 1 */
    uint32_t group_end[MAX_RESOURCES]; /* of placeholders */
    bool uses[MAX_RESOURCES][MAX_RESOURCES];
    bool waits[MAX_RESOURCES][MAX_RESOURCES]; /* resource for resource, directly */
};

static uint32_t next_random(struct model *m) {
    m->seed = m->seed * 6364136223846793005ULL + 1442695040888963407ULL;
    return (uint32_t)(m->seed >> 33);
}

static void make_model(struct model *m, uint64_t seed) {
    *m = (struct model){.seed = seed, .count = 40 + seed % 40};
    for (uint32_t i = 0; i < m->count;) { /* runs of groups and single ones */
        uint32_t size = next_random(m) % 3 == 0 ? 1 + next_random(m) % 30 : 0;
        if (size > 0 && i + size < m->count) {
            m->group_end[i] = i + 1 + size;
            for (uint32_t k = i + 1; k <= i + size; k++) {
                m->group[k] = i + 1;
            }
            i += size;
        }
        i++;
    }
    for (uint32_t i = 1; i < m->count; i++) {
        for (size_t k = 0; k < 3 && m->group_end[i] == 0; k++) {
            uint32_t to = next_random(m) % i;
            m->uses[i][to] = m->uses[i][to] || to + 1 != m->group[i];
        }
    }
    for (uint32_t i = 0; i < m->count; i++) {
        for (uint32_t to = 0; to < m->count; to++) {
            if (!m->uses[i][to]) {
                continue;
            }
            m->waits[i][to] = m->group_end[to] == 0;
            for (uint32_t k = to + 1; k < m->group_end[to]; k++) {
                m->waits[i][k] = true;
            }
        }
    }
}

static void load_model(struct trip *t, const struct model *m) {
    struct buf text = BUF(&t->arena);
    buf_append_cstr(&text, "resources:\n");
    for (uint32_t i = 0; i < m->count; i++) {
        buf_printf(&text, "  r%u: {type: fake/%s, spec: {name: x}", i, i % 7 == 3 ? "slow" : "thing");
        bool any = false;
        for (uint32_t to = 0; to < m->count; to++) {
            if (m->uses[i][to]) {
                buf_printf(&text, "%sr%u", any ? ", " : ", dependsOn: [", to);
                any = true;
            }
        }
        buf_append_cstr(&text, any ? "]}\n" : "}\n");
    }
    assert_true(trip_load(t, buf_get_sv(&text).data));
    for (uint32_t i = 0; i < m->count; i++) {
        if (m->group_end[i] != 0) {
            make_group(t, arena_printf(&t->arena, "r%u", i).data, ELEMENT_TEMPLATE, m->group_end[i] - i - 1);
        }
    }
}

/* Plays the plan's operations in a random order of completions; each start is checked against the model. */
static void play(struct trip *t, struct model *m) {
    const struct plan *p = t->plan;
    size_t count = p->op_count + p->barrier_count;
    struct exec_op *ops = ARENA_ARRAY(&t->arena, struct exec_op, count);
    uint32_t *resource = ARENA_ARRAY(&t->arena, uint32_t, p->op_count), *running = ARENA_ARRAY(&t->arena, uint32_t, 8);
    bool *done = ARENA_ARRAY(&t->arena, bool, MAX_RESOURCES), *config = ARENA_ARRAY(&t->arena, bool, MAX_RESOURCES);
    for (size_t i = 0; i < count; i++) {
        const struct plan_barrier *b = i < p->op_count ? NULL : &p->barriers[i - p->op_count];
        ops[i] = b != NULL ? (struct exec_op){b->after, b->after_config, b->after_count, .is_barrier = true}
                           : (struct exec_op){p->ops[i].after, p->ops[i].after_config, p->ops[i].after_count};
    }
    for (size_t i = 0; i < p->op_count; i++) {
        resource[i] =
            (uint32_t)strtoul(p->changes[p->ops[i].change].address.text.data + strlen("resources.r"), NULL, 10);
    }
    struct exec *e = exec_new(&t->arena, ops, count, &(struct exec_options){.parallel = 8});
    size_t under_way = 0, ended = 0;
    struct exec_step step;
    while (exec_get_state(e) != EXEC_DONE) {
        while (exec_next(e, 0, &step)) {
            assert_true(step.op < p->op_count); /* barriers never start */
            uint32_t r = resource[step.op];
            for (uint32_t to = 0; to < m->count; to++) {
                bool wants_end = r % 7 == 3 && to % 7 == 3; /* fake/slow wants fake/slow to be stable (BP-482) */
                assert_true(!m->waits[r][to] || done[to] || (config[to] && !wants_end));
            }
            running[under_way++] = step.op;
        }
        assert_true(under_way > 0);
        size_t which = under_way > 0 ? next_random(m) % under_way : 0;
        uint32_t op = running[which];
        bool only_config = next_random(m) % 2 == 0 && !config[resource[op]];
        config[resource[op]] = true;
        exec_done(e, &(struct exec_report){.op = op, .outcome = only_config ? EXEC_CONFIG_COMPLETE : EXEC_SUCCEEDED});
        if (!only_config) {
            done[resource[op]] = true;
            running[which] = running[--under_way];
            ended++;
        }
    }
    assert_int_equal(ended, p->op_count);
}

static void random_templates_keep_their_order(void **state) { /* BP-480 to BP-482 */
    (void)state;
    for (uint64_t seed = 1; seed <= 60; seed++) {
        struct world w;
        struct trip t;
        struct model *m = calloc(1, sizeof *m);
        assert_non_null(m);
        world_init(&w);
        trip_init(&t, &w);
        make_model(m, seed);
        load_model(&t, m);
        plan(&t);
        for (size_t round = 0; round < 4; round++) {
            play(&t, m);
        }
        trip_fini(&t);
        world_fini(&w);
        free(m);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(few_are_named),
        cmocka_unit_test(many_before_many_cost_their_sum),
        cmocka_unit_test(users_of_a_group_go_first),
        cmocka_unit_test(a_child_waits_for_what_it_uses),
        cmocka_unit_test(values_that_grow_stay_small),
        cmocka_unit_test(barriers_survive_in_a_file),
        cmocka_unit_test(random_templates_keep_their_order),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
