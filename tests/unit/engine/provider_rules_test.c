/* What the engine asks of providers and does with their answers (BP-400 to BP-403, LC-070, LC-071), and what is durable
 * when a provider is called (LC-021, LC-042). The provider `odd` answers as the field `mode` of its spec says. */
#include "world.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <unistd.h>
#include <cmocka.h>

/* --- the provider --- */

static const struct schema required_schema = {.type = SCHEMA_STRING, .flags = SCHEMA_REQUIRED};
static const struct schema kind_schema = {.type = SCHEMA_STRING, .flags = SCHEMA_NULLABLE | SCHEMA_MUST_RECREATE};
static const struct schema computed_schema = {.type = SCHEMA_STRING, .flags = SCHEMA_COMPUTED};
static const struct schema_attribute odd_attributes[] = {
    {SV_INIT("mode"), &required_schema},
    {SV_INIT("kind"), &kind_schema},
    {SV_INIT("id"), &computed_schema},
    {SV_INIT("tag"), &computed_schema},
};
static const struct schema odd_schema = {.type = SCHEMA_OBJECT,
                                         .attributes = odd_attributes,
                                         .attribute_count = sizeof odd_attributes / sizeof *odd_attributes};

/* A world that counts how many calls are under way, and how many have been at most. */
struct counting_world {
    struct world world;
    int now, most;
};

static void note(struct world *w, const char *what, sv address) {
    pthread_mutex_lock(&w->lock);
    sv line = arena_printf(&w->arena, "%s%s%.*s", what, address.len > 0 ? " " : "", SV_ARG(address));
    VEC_PUSH(&w->arena, &w->calls, line);
    pthread_mutex_unlock(&w->lock);
}

/* The tag tells how often the object was written. */
static void answer(struct provider_call *c, const char *tag) {
    sv mode = provider_get_text(c->spec, SV("mode"));
    struct map_builder b = {.arena = c->arena};
    map_add(&b, SV("id"), value_string(c->arena, arena_printf(c->arena, "odd-%.*s", SV_ARG(c->address.text))));
    if (!sv_eq_cstr(mode, "missing")) {
        map_add(&b, SV("tag"), value_string(c->arena, sv_from_cstr(tag)));
    }
    if (sv_eq_cstr(mode, "unexpected")) {
        map_add(&b, SV("colour"), value_string(c->arena, SV("blue")));
    }
    c->computed = map_done(&b);
}

static void stay_a_while(struct provider_call *c) {
    struct counting_world *w = (struct counting_world *)c->host->user; /* its first member */
    pthread_mutex_lock(&w->world.lock);
    w->now++;
    w->most = w->now > w->most ? w->now : w->most;
    pthread_mutex_unlock(&w->world.lock);
    usleep(20000);
    pthread_mutex_lock(&w->world.lock);
    w->now--;
    pthread_mutex_unlock(&w->world.lock);
}

static enum provider_result create(struct provider_call *c) {
    note(c->host->user, "create", c->address.text);
    if (sv_eq_cstr(provider_get_text(c->spec, SV("mode")), "busy")) {
        stay_a_while(c);
    }
    answer(c, "one");
    return PROVIDER_OK;
}

static enum provider_result update(struct provider_call *c) {
    note(c->host->user, "update", c->address.text);
    answer(c, "two");
    return PROVIDER_OK;
}

static enum provider_result read_object(struct provider_call *c) {
    c->found_spec = c->spec;
    answer(c, "one");
    return PROVIDER_OK;
}

static enum provider_result destroy(struct provider_call *c) {
    note(c->host->user, "destroy", c->address.text);
    return PROVIDER_OK;
}

static enum provider_result recover(struct provider_call *c) {
    (void)c;
    return PROVIDER_ABSENT;
}

static const struct resource_type odd_type = {.name = SV_INIT("odd/thing"),
                                              .id_field = SV_INIT("id"),
                                              .schema = &odd_schema,
                                              .create = create,
                                              .read = read_object,
                                              .update = update,
                                              .destroy = destroy,
                                              .recover = recover};
static const struct resource_type *const odd_types[] = {&odd_type};
static const struct provider odd_provider = {.name = SV_INIT("odd"), .resources = odd_types, .resource_count = 1};
static const struct provider narrow_provider = {
    .name = SV_INIT("odd"), .resources = odd_types, .resource_count = 1, .max_parallel = 2};
static const struct provider *const odd_only[] = {&odd_provider};
static const struct provider *const narrow_only[] = {&narrow_provider};
static const struct providers odd_providers = {odd_only, 1};
static const struct providers narrow_providers = {narrow_only, 1};

static void start(struct trip *t, struct world *w, const struct providers *providers) {
    trip_init(t, w);
    t->config.providers = providers;
    t->config.refresh = false;
}

static void deploy(struct world *w, const char *blueprint, enum exit_code expected) {
    struct trip t;
    start(&t, w, &odd_providers);
    const char *text = trip_plan(&t, blueprint);
    if (t.plan == NULL) {
        fail_msg("no plan: %s", text);
        return;
    }
    assert_int_equal(trip_deploy(&t), expected);
    trip_fini(&t);
}

/* --- cases --- */

static void providers_never_replace(void **state) { /* BP-402 */
    (void)state;
    struct world w;
    world_init(&w);
    deploy(&w, "resources:\n  a: {type: odd/thing, spec: {mode: x, kind: one}}\n", EXIT_OK);
    w.calls.len = 0;
    deploy(&w, "resources:\n  a: {type: odd/thing, spec: {mode: x, kind: two}}\n", EXIT_OK);
    assert_int_equal(w.calls.len, 2);
    assert_true(sv_eq_cstr(w.calls.items[0], "create resources.a"));
    assert_true(sv_eq_cstr(w.calls.items[1], "destroy resources.a"));
    world_fini(&w);
}

/* BP-403, LC-071: what became of `a`, with how many calls, and whether `b` behind it and `c` beside it were started. */
static void failures_have_kinds(void **state) {
    (void)state;
    static const struct {
        enum provider_result result;
        unsigned times, calls;
        enum exit_code code;
        const char *state;
    } cases[] = {
        {PROVIDER_TRANSIENT, 3, 4, EXIT_OK, "deployed\nresources.a created thing-1\nresources.b created thing-2\n"},
        {PROVIDER_TRANSIENT, 9, 6, EXIT_FAILED, "deploy_failed\nresources.a create_failed \n"}, /* 5 retries */
        {PROVIDER_TERMINAL, 1, 1, EXIT_FAILED, "deploy_failed\nresources.a create_failed \n"},
        {PROVIDER_FATAL, 1, 1, EXIT_FAILED, "deploy_failed\nresources.a create_failed \n"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct world w;
        world_init(&w);
        world_script(&w, "create resources.a", cases[i].result, cases[i].times);
        struct trip t;
        trip_init(&t, &w);
        trip_plan(&t, "resources:\n  a: {type: fake/thing, spec: {name: one}}\n"
                      "  b: {type: fake/thing, spec: {name: '${a.spec.id}'}}\n");
        assert_int_equal(trip_deploy(&t), cases[i].code);
        assert_int_equal(world_count_calls(&w, "create resources.a"), cases[i].calls);
        expect_text(trip_state(&t), cases[i].state);
        assert_true((strstr(trip_errors(&t), "as scripted") != NULL) == (cases[i].code != EXIT_OK)); /* the reason */
        trip_fini(&t);
        world_fini(&w);
    }
}

static void answers_are_checked(void **state) { /* BP-466, F48: of a wrong answer the object stays known */
    (void)state;
    static const struct {
        const char *mode, *error;
    } cases[] = {
        {"missing", "missing_computed_field: the provider of 'resources.a' did not return the computed field 'tag'"},
        {"unexpected", "unexpected_computed_field: the provider of 'resources.a' returned an unknown field 'colour'"},
    };
    for (size_t i = 0; i < 2; i++) {
        struct world w;
        world_init(&w);
        struct trip t;
        start(&t, &w, &odd_providers);
        trip_plan(&t,
                  arena_printf(&t.arena, "resources:\n  a: {type: odd/thing, spec: {mode: %s}}\n", cases[i].mode).data);
        assert_int_equal(trip_deploy(&t), EXIT_FAILED);
        assert_non_null(strstr(trip_errors(&t), cases[i].error));
        expect_text(trip_state(&t), "deploy_failed\nresources.a create_failed odd-resources.a\n");
        trip_fini(&t);
        deploy(&w, "resources:\n  b: {type: odd/thing, spec: {mode: x}}\n", EXIT_OK);
        assert_int_equal(world_count_calls(&w, "destroy resources.a"), 1);
        world_fini(&w);
    }
}

static void a_late_replacement_is_refused(void **state) { /* BP-451: `kind` of b turns out to differ */
    (void)state;
    struct world w;
    world_init(&w);
    deploy(&w,
           "resources:\n  a: {type: odd/thing, spec: {mode: x}}\n"
           "  b: {type: odd/thing, spec: {mode: x, kind: '${a.spec.tag}'}}\n",
           EXIT_OK);
    w.calls.len = 0;
    struct trip t;
    start(&t, &w, &odd_providers);
    trip_plan(&t, "resources:\n  a: {type: odd/thing, spec: {mode: y}}\n"
                  "  b: {type: odd/thing, spec: {mode: x, kind: '${a.spec.tag}'}}\n");
    expect_text(trip_print_plan(&t), "update resources.a ~spec.mode\ncheck resources.b ?spec.kind\n"
                                     "C(resources.a)\nC(resources.b) after C(resources.a)*\n");
    assert_int_equal(trip_deploy(&t), EXIT_PART_WAY);
    assert_non_null(strstr(trip_errors(&t), "replacement_not_staged: 'spec.kind' of 'resources.b'"));
    assert_int_equal(w.calls.len, 1); /* a was updated, b not touched */
    trip_fini(&t);
    world_fini(&w);
}

static void what_never_gets_stable_has_failed(void **state) { /* BP-466: a time limit, then a terminal failure */
    (void)state;
    struct world w;
    world_init(&w);
    world_script(&w, "stable resources.a", PROVIDER_NOT_YET, 100000);
    struct trip t;
    trip_init(&t, &w);
    trip_plan(&t, "resources:\n  a: {type: fake/slow, spec: {name: one}}\n");
    assert_int_equal(trip_deploy(&t), EXIT_FAILED);
    assert_non_null(strstr(trip_errors(&t), "stabilisation_timeout: 'resources.a' did not become stable within 1 s"));
    expect_text(trip_state(&t), "deploy_failed\nresources.a create_failed thing-1\n");
    trip_fini(&t);
    world_fini(&w);
}

/* LC-013, LC-071: so many calls at a time and no more, each from a thread of its own; a provider may want less. */
static void so_many_at_a_time(void **state) {
    (void)state;
    static const struct {
        const struct providers *providers;
        size_t parallel;
        int most;
    } cases[] = {{&odd_providers, 4, 4}, {&odd_providers, 1, 1}, {&narrow_providers, 4, 2}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct counting_world w = {0};
        world_init(&w.world);
        struct trip t;
        start(&t, &w.world, cases[i].providers);
        t.config.parallel = cases[i].parallel;
        struct buf text = BUF(&t.arena);
        buf_append_cstr(&text, "resources:\n");
        for (int k = 0; k < 8; k++) {
            buf_printf(&text, "  r%d: {type: odd/thing, spec: {mode: busy}}\n", k);
        }
        trip_plan(&t, buf_get_sv(&text).data);
        assert_int_equal(trip_deploy(&t), EXIT_OK);
        assert_int_equal(world_count_calls(&w.world, "create"), 8);
        assert_true(w.most <= cases[i].most);
        assert_true(cases[i].most == 1 || w.most >= 2);
        trip_fini(&t);
        world_fini(&w.world);
    }
}

static void a_deployment_needs_a_plan(void **state) { /* BP-464 */
    (void)state;
    struct world w;
    world_init(&w);
    struct trip t;
    trip_init(&t, &w);
    assert_int_equal(run_deploy(&t.config, NULL, NULL), EXIT_INVALID);
    assert_non_null(strstr(trip_errors(&t), "missing_change_set"));
    trip_fini(&t);
    world_fini(&w);
}

static void a_new_instance_needs_a_name(void **state) { /* BP-411 */
    (void)state;
    struct world w;
    world_init(&w);
    struct trip t;
    trip_init(&t, &w);
    t.config.instance_name = (sv){0};
    const char *text = trip_plan(&t, "resources:\n  a: {type: fake/thing, spec: {name: one}}\n");
    assert_null(t.plan);
    assert_non_null(strstr(text, "missing_name_for_new_instance"));
    trip_fini(&t);
    world_fini(&w);
}

/* F19: leases are as long as they are, whatever the clock on the wall says; its times are only shown. */
static void the_wall_clock_jumps(void **state) {
    (void)state;
    enum { TEN_DAYS_MS = 10 * 24 * 3600 * 1000 };
    struct world w;
    world_init(&w);
    world_deploy(&w, "resources:\n  a: {type: fake/thing, spec: {name: one}}\n", EXIT_OK);
    struct trip t;
    trip_init(&t, &w);
    trip_plan(&t, "resources:\n  a: {type: fake/thing, spec: {name: two}}\n");
    if (t.plan == NULL) {
        fail_msg("no plan");
        return;
    }
    struct store_lease lease;
    struct store_lease_request request = {
        .instance_id = t.plan->instance_id,
        .holder = SV("{\"actor\":\"o@t\",\"host\":\"t\",\"pid\":1,\"startTime\":1,\"bootId\":\"x\",\"command\":\"c\"}"),
        .ttl_ms = 50000000};
    assert_int_equal(w.store->ops->take_lease(w.store, &w.arena, &request, &lease), STORE_OK);
    w.wall_ms += TEN_DAYS_MS;
    assert_int_equal(trip_deploy(&t), EXIT_LOCKED);
    w.wall_ms -= 2 * (int64_t)TEN_DAYS_MS;
    assert_int_equal(trip_deploy(&t), EXIT_LOCKED);
    __atomic_add_fetch(&w.monotonic_ms, 50000000, __ATOMIC_RELAXED);
    assert_int_equal(trip_deploy(&t), EXIT_OK);
    trip_fini(&t);
    world_fini(&w);
}

/* --- what is durable when --- */

/* The operations of a store, some of them noted among the calls of the provider. */
struct noted_ops {
    struct store_ops ops;
    const struct store_ops *inner;
    struct world *world;
};

static const struct noted_ops *noted_of(const struct store *s) {
    return (const struct noted_ops *)(const void *)s->ops;
}

static enum store_result noted_begin(struct store *s, const struct store_lease *lease) {
    note(noted_of(s)->world, "begin", (sv){0});
    return noted_of(s)->inner->begin(s, lease);
}

static enum store_result noted_commit(struct store *s) {
    enum store_result r = noted_of(s)->inner->commit(s);
    note(noted_of(s)->world, r == STORE_OK ? "commit" : "failed commit", (sv){0});
    return r;
}

static enum store_result noted_append(struct store *s, sv id, const struct journal_row *row) {
    static const char *const kinds[] = {"", "run started", "intent", "progress", "outcome", "saved", "run ended"};
    note(noted_of(s)->world, kinds[row->kind], row->address);
    return noted_of(s)->inner->append_journal(s, id, row);
}

static enum store_result noted_put_element(struct store *s, sv id, const struct store_element *e) {
    note(noted_of(s)->world, "element", e->address);
    return noted_of(s)->inner->put_element(s, id, e);
}

static void watch_store(struct world *w, struct noted_ops *noted) {
    *noted = (struct noted_ops){.ops = *w->store->ops, .inner = w->store->ops, .world = w};
    noted->ops.begin = noted_begin;
    noted->ops.commit = noted_commit;
    noted->ops.append_journal = noted_append;
    noted->ops.put_element = noted_put_element;
    w->store->ops = &noted->ops;
}

static const char *print_calls(struct world *w) {
    struct buf out = BUF(&w->arena);
    for (size_t i = 0; i < w->calls.len; i++) {
        buf_printf(&out, "%.*s\n", SV_ARG(w->calls.items[i]));
    }
    return buf_get_sv(&out).data;
}

static void intents_come_first(void **state) { /* LC-021, LC-020: in this order, whatever the machine's speed */
    (void)state;
    struct world w;
    world_init(&w);
    struct noted_ops noted;
    watch_store(&w, &noted);
    deploy(&w, "resources:\n  a: {type: odd/thing, spec: {mode: x}}\n", EXIT_OK);
    const char *run = strstr(print_calls(&w), "run started\n");
    const char *intent = run == NULL ? NULL : strstr(run, "begin\nintent");
    if (intent == NULL) {
        fail_msg("no intent behind the start of the run");
        return;
    }
    assert_true(strstr(run, "commit\n") < intent);
    expect_text(intent, "begin\nintent resources.a\ncommit\n"
                        "create resources.a\n"
                        "begin\noutcome resources.a\nelement resources.a\ncommit\n"
                        "begin\nrun ended\ncommit\n");
    world_fini(&w);
}

static void few_rows_are_written(void **state) { /* LC-042: one changed element of 200 */
    (void)state;
    struct world w;
    world_init(&w);
    struct buf text = BUF(&w.arena);
    buf_append_cstr(&text, "resources:\n");
    for (int i = 0; i < 200; i++) {
        buf_printf(&text, "  r%d: {type: odd/thing, spec: {mode: x}}\n", i);
    }
    deploy(&w, buf_get_sv(&text).data, EXIT_OK);
    struct noted_ops noted;
    watch_store(&w, &noted);
    w.calls.len = 0;
    char *place = strstr(buf_get_sv(&text).data, "r150: {type: odd/thing, spec: {mode: x");
    assert_non_null(place);
    place[strlen("r150: {type: odd/thing, spec: {mode: ")] = 'y';
    deploy(&w, buf_get_sv(&text).data, EXIT_OK);
    assert_int_equal(world_count_calls(&w, "element"), 1);
    assert_int_equal(world_count_calls(&w, "element resources.r150"), 1);
    assert_int_equal(world_count_calls(&w, "update"), 1);
    world_fini(&w);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(providers_never_replace),
        cmocka_unit_test(failures_have_kinds),
        cmocka_unit_test(answers_are_checked),
        cmocka_unit_test(a_late_replacement_is_refused),
        cmocka_unit_test(what_never_gets_stable_has_failed),
        cmocka_unit_test(so_many_at_a_time),
        cmocka_unit_test(a_deployment_needs_a_plan),
        cmocka_unit_test(a_new_instance_needs_a_name),
        cmocka_unit_test(the_wall_clock_jumps),
        cmocka_unit_test(intents_come_first),
        cmocka_unit_test(few_rows_are_written),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
