/* What process/service promises beyond the contract. Most services here are shells, which the specs name. */
#include "adapters/process/process.h"
#include "providers/process/process_provider.h"
#include "suite.h"

#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

enum { KEY = 0x61, OTHER_KEY = 0x62 };

static const struct resource_type *const type = &process_service_type;

static struct provider_call call_json(struct world *w, uint8_t key, sv json) {
    return world_make_call(w, type, key, world_make_spec(w, type, json), (value){0});
}

/* A script with further fields of the spec. */
static struct provider_call call_script(struct world *w, uint8_t key, const char *script, const char *rest) {
    sv json = arena_printf(&w->arena, "{\"command\": [\"/bin/sh\", \"-c\", %s], \"logFile\": \"log\"%s}",
                           world_quote(w, sv_from_cstr(script)).data, rest);
    return call_json(w, key, json);
}

static void expect_reason(const struct provider_call *c, const char *part) {
    if (sv_find(world_get_reason(c), sv_from_cstr(part)) == SIZE_MAX) {
        fail_msg("'%s' is not in '%.*s'", part, SV_ARG(world_get_reason(c)));
    }
}

static void expect_result(const struct provider_call *c, enum provider_result result, enum provider_result wanted) {
    if (result != wanted) {
        fail_msg("result %d instead of %d: %.*s", (int)result, (int)wanted, SV_ARG(world_get_reason(c)));
    }
}

static sv read_log(struct world *w) {
    char *text = arena_alloc(&w->arena, 65536);
    FILE *file = fopen(world_path(w, "log").data, "r");
    if (file == NULL) {
        return (sv){0};
    }
    size_t len = fread(text, 1, 65536, file);
    fclose(file);
    return sv_make(text, len);
}

static void wait_for_log(struct world *w, const char *part) {
    for (int i = 0; i < 500 && sv_find(read_log(w), sv_from_cstr(part)) == SIZE_MAX; i++) {
        usleep(10000);
    }
    assert_true(sv_find(read_log(w), sv_from_cstr(part)) != SIZE_MAX);
}

static int64_t get_pid(const struct provider_call *c) {
    return provider_get_i64(c->computed, SV("pid"), 0);
}

static int64_t now(struct world *w) {
    return w->host.ops->get_monotonic_ms(w->host.user);
}

static struct provider_call stored(struct world *w, uint8_t key, const struct provider_call *c) {
    return world_make_call(w, type, key, c->spec, c->computed);
}

/* --- Starting --- */

/* LC-073 */
static void the_environment_is_minimal_and_explicit(void **state) {
    struct world *w = *state;
    setenv("LEAKED", "secret", 1);
    struct provider_call c =
        call_script(w, KEY, "env; pwd; echo ready; sleep 1000", ", \"environment\": {\"A\": \"x y\"}, \"port\": 81");
    expect_result(&c, type->create(&c), PROVIDER_OK);
    wait_for_log(w, "ready");
    sv log = read_log(w);
    static const char *const wanted[] = {"\nA=x y\n", "PORT=81\n", "LINTEL_OPERATION_KEY=6161616161616161",
                                         "LINTEL_INSTANCE=test-", "LINTEL_ELEMENT=resources.subject\n"};
    for (size_t i = 0; i < sizeof wanted / sizeof wanted[0]; i++) {
        assert_true(sv_find(log, sv_from_cstr(wanted[i])) != SIZE_MAX);
    }
    assert_true(sv_find(log, SV("LEAKED")) == SIZE_MAX);
    assert_true(sv_find(log, SV("HOME=")) == SIZE_MAX);
    assert_true(sv_find(log, arena_printf(&w->arena, "\n%s\n", w->dir)) != SIZE_MAX);
    unsetenv("LEAKED");
}

static void progress_is_told_before_health(void **state) {
    struct world *w = *state;
    struct provider_call c = call_script(w, KEY, "sleep 1000", "");
    expect_result(&c, type->create(&c), PROVIDER_OK);
    assert_int_equal(w->progress_calls, 1);
    struct provider_call other = call_script(w, OTHER_KEY, "sleep 1000", "");
    w->refuse_progress = true; /* the lease is lost */
    expect_result(&other, type->create(&other), PROVIDER_FATAL);
}

static void what_cannot_start_says_why(void **state) {
    struct world *w = *state;
    static const struct {
        const char *json, *reason;
    } cases[] = {
        {"{\"command\": \"no-such-program\"}", "no program 'no-such-program' in PATH"},
        {"{\"command\": \"bin/none\"}", "No such file"},
        {"{\"command\": \"/etc/passwd\"}", "Permission denied"},
        {"{\"command\": \"sleep\", \"workingDirectory\": \"none\"}", "cannot run in"},
        {"{\"command\": \"sleep\", \"logFile\": \"none/log\"}", "cannot open the log file"},
        {"{\"command\": \"sleep\", \"args\": [\"a\\u0000b\"]}", "NUL"},
        {"{\"command\": \"sleep\", \"environment\": {\"A=B\": \"x\"}}", "impossible name"},
        {"{\"command\": \"sleep\", \"environment\": {\"LINTEL_INSTANCE\": \"x\"}}", "LINTEL_"},
        {"{\"command\": \"sleep; true\"}", "no program"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct provider_call c = call_json(w, KEY, sv_from_cstr(cases[i].json));
        expect_result(&c, type->create(&c), PROVIDER_TERMINAL);
        expect_reason(&c, cases[i].reason);
    }
    assert_int_equal(world_count_services(w), 0);
}

/* --- Health --- */

static void a_program_that_ends_says_its_last_words(void **state) {
    struct world *w = *state;
    struct provider_call c = call_script(w, KEY, "echo cannot find my socks; exit 1", "");
    expect_result(&c, type->create(&c), PROVIDER_TERMINAL);
    expect_reason(&c, "ended before it was ready; its last lines: cannot find my socks");
    sv rest = arena_printf(&w->arena, ", \"healthCheck\": {\"tcp\": \"127.0.0.1:%u\"}", (unsigned)world_find_port());
    c = call_script(w, KEY, "sleep 0.3; echo second; exit 1", rest.data);
    int64_t before = now(w);
    expect_result(&c, type->create(&c), PROVIDER_TERMINAL);
    assert_in_range(now(w) - before, 250, 3000);
    expect_reason(&c, "last lines: second");
}

static void an_unhealthy_service_is_ended(void **state) {
    struct world *w = *state;
    sv rest = arena_printf(&w->arena, ", \"healthCheck\": {\"http\": \"http://127.0.0.1:%u/\", \"timeoutMs\": 300}",
                           (unsigned)world_find_port());
    struct provider_call c = call_script(w, KEY, "sleep 1000", rest.data);
    int64_t before = now(w);
    expect_result(&c, type->create(&c), PROVIDER_TERMINAL);
    assert_in_range(now(w) - before, 250, 3000);
    expect_reason(&c, "not healthy within 300 ms");
    usleep(50000);
    assert_int_equal(world_count_services(w), 0);
}

/* LC-072: within one second of the deadline. */
static void the_deadline_cuts_the_health_wait(void **state) {
    struct world *w = *state;
    sv rest = arena_printf(&w->arena, ", \"healthCheck\": {\"tcp\": \"127.0.0.1:%u\"}", (unsigned)world_find_port());
    struct provider_call c = call_script(w, KEY, "sleep 1000", rest.data);
    c.deadline_ms = now(w) + 300;
    expect_result(&c, type->create(&c), PROVIDER_TERMINAL);
    assert_in_range(now(w), c.deadline_ms - 50, c.deadline_ms + 1000);
}

/* An answer from another process at the same port must not make a dead service healthy. */
static void an_answer_of_another_is_no_health(void **state) {
    struct world *w = *state;
    uint16_t port = world_find_port();
    sv service =
        arena_printf(&w->arena,
                     "{\"command\": \"/usr/bin/python3\", \"args\": [\"-m\", \"http.server\", \"%u\", \"--bind\", "
                     "\"127.0.0.1\"], \"healthCheck\": {\"http\": \"http://127.0.0.1:%u/\"}, \"logFile\": "
                     "\"log\", \"port\": %u}",
                     (unsigned)port, (unsigned)port, (unsigned)port);
    struct provider_call c = call_json(w, KEY, service);
    expect_result(&c, type->create(&c), PROVIDER_OK);
    value ports = value_map_find(c.computed, SV("ports"));
    assert_int_equal(ports.list->len, 1);
    assert_int_equal(ports.list->items[0].integer, port);
    sv rest = arena_printf(&w->arena, ", \"healthCheck\": {\"http\": \"http://127.0.0.1:%u/\"}", (unsigned)port);
    struct provider_call other = call_script(w, OTHER_KEY, "exit 1", rest.data);
    expect_result(&other, type->create(&other), PROVIDER_TERMINAL);
}

/* --- Reading --- */

/* In a container nobody may reap it. */
static void a_zombie_counts_as_gone(void **state) {
    struct world *w = *state;
    pid_t pid = fork();
    if (pid == 0) {
        _exit(0);
    }
    struct process_info info = {0};
    while (info.state != 'Z') {
        assert_true(process_look(pid, &info));
        usleep(1000);
    }
    struct provider_call c = call_json(w, KEY, SV("{\"command\": \"sleep\"}"));
    struct map_builder fields = {.arena = &w->arena};
    sv boot = host_system.ops->get_boot_id(NULL, &w->arena);
    sv start = arena_printf(&w->arena, "%.*s:%llu", SV_ARG(boot), (unsigned long long)info.ref.start_ticks);
    map_add(&fields, SV("pid"), value_int(pid));
    map_add(&fields, SV("startTime"), value_string(&w->arena, start));
    c.prior = schema_merge(&w->arena, c.spec, map_done(&fields));
    assert_int_equal(type->read(&c), PROVIDER_ABSENT);
    assert_int_equal(type->destroy(&c), PROVIDER_ABSENT);
    waitpid(pid, NULL, 0);
}

static void a_reused_number_is_left_alone(void **state) {
    struct world *w = *state;
    pid_t pid = fork();
    if (pid == 0) {
        setpgid(0, 0);
        pause();
        _exit(0);
    }
    struct process_info info;
    assert_true(process_look(pid, &info));
    sv boot = host_system.ops->get_boot_id(NULL, &w->arena);
    const sv starts[] = {
        arena_printf(&w->arena, "%.*s:%llu", SV_ARG(boot), (unsigned long long)info.ref.start_ticks + 1),
        arena_printf(&w->arena, "another-boot:%llu", (unsigned long long)info.ref.start_ticks),
    };
    for (size_t i = 0; i < 2; i++) {
        struct provider_call c = call_json(w, KEY, SV("{\"command\": \"sleep\"}"));
        struct map_builder fields = {.arena = &w->arena};
        map_add(&fields, SV("pid"), value_int(pid));
        map_add(&fields, SV("startTime"), value_string(&w->arena, starts[i]));
        c.prior = schema_merge(&w->arena, c.spec, map_done(&fields));
        assert_int_equal(type->read(&c), PROVIDER_ABSENT);
        assert_int_equal(type->destroy(&c), PROVIDER_ABSENT);
    }
    assert_true(process_is_running(info.ref));
    kill(pid, SIGKILL);
    waitpid(pid, NULL, 0);
}

/* --- Updating --- */

static void it_restarts_only_when_its_start_changes(void **state) {
    struct world *w = *state;
    struct provider_call c = call_script(w, KEY, "sleep 1000", ", \"environment\": {\"A\": \"1\"}");
    expect_result(&c, type->create(&c), PROVIDER_OK);
    struct provider_call same =
        call_script(w, OTHER_KEY, "sleep 1000", ", \"environment\": {\"A\": \"1\"}, \"stopTimeoutMs\": 500");
    same.prior = schema_merge(&w->arena, c.spec, c.computed);
    expect_result(&same, type->update(&same), PROVIDER_OK);
    assert_true(get_pid(&same) == get_pid(&c));
    static const char *const changes[] = {
        ", \"environment\": {\"A\": \"2\"}",
        ", \"environment\": {\"A\": \"2\"}, \"restartOn\": {\"config\": \"abc\"}",
        ", \"environment\": {\"A\": \"2\"}, \"restartOn\": {\"config\": \"abd\"}",
    };
    struct provider_call before = same;
    for (size_t i = 0; i < sizeof changes / sizeof changes[0]; i++) {
        struct provider_call next = call_script(w, OTHER_KEY, "sleep 1000", changes[i]); /* the key of updates stays */
        next.prior = schema_merge(&w->arena, before.spec, before.computed);
        expect_result(&next, type->update(&next), PROVIDER_OK);
        assert_true(get_pid(&next) != get_pid(&before));
        assert_int_equal(world_count_services(w), 1);
        before = next;
    }
}

/* Stopped, then cut off: the update is done again. */
static void a_cut_off_update_is_done_again(void **state) {
    struct world *w = *state;
    struct provider_call c = call_script(w, KEY, "sleep 1000", "");
    expect_result(&c, type->create(&c), PROVIDER_OK);
    kill((pid_t)get_pid(&c), SIGKILL);
    struct provider_call next = call_script(w, OTHER_KEY, "sleep 2000", "");
    next.prior = schema_merge(&w->arena, c.spec, c.computed);
    assert_int_equal(type->recover(&next), PROVIDER_ABSENT);
    expect_result(&next, type->update(&next), PROVIDER_OK);
    value computed = next.computed;
    next.computed = (value){0};
    expect_result(&next, type->recover(&next), PROVIDER_OK);
    assert_true(value_eq(computed, next.computed));
    assert_int_equal(world_count_services(w), 1);
}

/* --- Stopping --- */

static void it_is_asked_to_end_before_it_is_forced(void **state) {
    struct world *w = *state;
    struct provider_call c =
        call_script(w, KEY, "trap 'echo bye; exit 0' USR1; echo ready; while :; do sleep 0.05; done",
                    ", \"stopSignal\": \"SIGUSR1\"");
    expect_result(&c, type->create(&c), PROVIDER_OK);
    wait_for_log(w, "ready");
    struct provider_call d = stored(w, OTHER_KEY, &c);
    expect_result(&d, type->destroy(&d), PROVIDER_OK);
    wait_for_log(w, "bye");
}

static void the_deaf_are_ended_by_force_with_their_children(void **state) { /* F21 */
    struct world *w = *state;
    struct provider_call c =
        call_script(w, KEY, "trap '' TERM; (trap '' TERM; sleep 1000) & echo ready; while :; do sleep 1; done",
                    ", \"stopTimeoutMs\": 200");
    expect_result(&c, type->create(&c), PROVIDER_OK);
    wait_for_log(w, "ready");
    struct provider_call d = stored(w, OTHER_KEY, &c);
    int64_t before = now(w);
    expect_result(&d, type->destroy(&d), PROVIDER_OK);
    assert_in_range(now(w) - before, 150, 3000);
    usleep(50000);
    struct process_refs left = {0};
    sv entry = arena_printf(&w->arena, "LINTEL_INSTANCE=%.*s", SV_ARG(w->instance_id));
    process_scan(&w->arena, &entry, 1, &left);
    assert_int_equal(left.items.len, 0);
}

/* The service died, but a child of it lives on in its session. */
static void children_of_a_dead_service_are_ended(void **state) { /* F21 */
    struct world *w = *state;
    struct provider_call c = call_script(w, KEY, "sleep 1000 & echo ready; sleep 1000", "");
    expect_result(&c, type->create(&c), PROVIDER_OK);
    wait_for_log(w, "ready");
    kill((pid_t)get_pid(&c), SIGKILL);
    for (int i = 0; i < 500 && world_count_services(w) > 0; i++) {
        usleep(10000);
    }
    struct provider_call d = stored(w, OTHER_KEY, &c);
    expect_result(&d, type->destroy(&d), PROVIDER_ABSENT);
    usleep(50000);
    struct process_refs left = {0};
    sv entry = arena_printf(&w->arena, "LINTEL_INSTANCE=%.*s", SV_ARG(w->instance_id));
    process_scan(&w->arena, &entry, 1, &left);
    assert_int_equal(left.items.len, 0);
}

/* --- Recovering --- */

/* Another start of the same operation is between fork and exec: nobody decides before it is over. */
static void recovery_waits_for_a_start_under_way(void **state) {
    struct world *w = *state;
    struct provider_call c = call_script(w, KEY, "sleep 1000", "");
    int guard = process_take_guard(arena_printf(&w->arena, "lintel-start-%.*s", SV_ARG(provider_key_text(&c))));
    assert_true(guard >= 0);
    c.deadline_ms = now(w) + 300;
    assert_int_equal(type->recover(&c), PROVIDER_CANNOT_TELL);
    struct provider_call again = call_script(w, KEY, "sleep 1000", "");
    again.deadline_ms = now(w) + 300;
    assert_int_equal(type->create(&again), PROVIDER_TRANSIENT);
    assert_int_equal(world_count_services(w), 0);
    close(guard);
    c.deadline_ms = now(w) + 5000;
    assert_int_equal(type->recover(&c), PROVIDER_ABSENT);
}

/* LC-002: planning after a kill looks at what was started; it neither waits for it nor ends it. */
static void a_look_has_no_effect(void **state) {
    struct world *w = *state;
    const char *health = ", \"healthCheck\": {\"tcp\": \"127.0.0.1:1\", \"timeoutMs\": 60000}";
    struct provider_call c = call_script(w, KEY, "echo ready; exec sleep 1000", health);
    pid_t killed = fork();
    if (killed == 0) {
        type->create(&c);
        _exit(0);
    }
    wait_for_log(w, "ready");
    kill(killed, SIGKILL);
    waitpid(killed, NULL, 0);

    struct provider_call look = call_script(w, KEY, "echo ready; exec sleep 1000", health);
    look.only_look = true;
    int64_t start = now(w);
    expect_result(&look, type->recover(&look), PROVIDER_OK);
    assert_true(now(w) - start < 10000);
    assert_int_equal(kill((pid_t)get_pid(&look), 0), 0);

    /* A run waits for it; one that does not get ready is ended and free to be started again. */
    look.only_look = false;
    look.deadline_ms = now(w) + 500;
    expect_result(&look, type->recover(&look), PROVIDER_ABSENT);
    assert_int_equal(world_count_services(w), 0);
}

static void bad_health_checks_are_found_by_validation(void **state) {
    struct world *w = *state;
    static const char *const checks[] = {"{}", "{\"http\": \"http://x\", \"tcp\": \"x:1\"}", "{\"tcp\": \"x:70000\"}"};
    for (size_t i = 0; i < sizeof checks / sizeof checks[0]; i++) {
        sv json = arena_printf(&w->arena, "{\"command\": \"x\", \"healthCheck\": %s}", checks[i]);
        struct diags diags;
        diags_init(&diags, &w->arena, NULL);
        type->validate(&w->arena, world_make_spec(w, type, json), &diags, SPAN_NONE, SV("resources.x.spec"));
        assert_int_equal(diags.errors, 1);
    }
}

/* BP-533: an update that was cut off before the restart is not taken for done because the old process runs. */
static void a_process_runs_as_it_was_started(void **state) {
    struct world *w = *state;
    struct provider_call c = call_script(w, KEY, "exec sleep 100", "");
    expect_result(&c, type->create(&c), PROVIDER_OK);
    struct provider_call same = stored(w, KEY, &c);
    same.prior = schema_merge(&w->arena, c.spec, c.computed);
    expect_result(&same, type->read(&same), PROVIDER_OK);
    assert_true(value_eq(same.found_spec, same.spec));
    struct provider_call wanted = same;
    wanted.spec = call_script(w, KEY, "exec sleep 200", "").spec;
    expect_result(&wanted, type->read(&wanted), PROVIDER_OK);
    assert_false(
        value_eq(value_map_find(wanted.found_spec, SV("command")), value_map_find(wanted.spec, SV("command"))));
    same.physical_id = (sv){0};
    type->destroy(&same);
}

#define CASE(f) cmocka_unit_test_setup_teardown(f, world_set_up, world_tear_down)

int main(void) {
    const struct CMUnitTest tests[] = {
        CASE(the_environment_is_minimal_and_explicit),
        CASE(a_process_runs_as_it_was_started),
        CASE(progress_is_told_before_health),
        CASE(what_cannot_start_says_why),
        CASE(a_program_that_ends_says_its_last_words),
        CASE(an_unhealthy_service_is_ended),
        CASE(the_deadline_cuts_the_health_wait),
        CASE(an_answer_of_another_is_no_health),
        CASE(a_zombie_counts_as_gone),
        CASE(a_reused_number_is_left_alone),
        CASE(it_restarts_only_when_its_start_changes),
        CASE(a_cut_off_update_is_done_again),
        CASE(it_is_asked_to_end_before_it_is_forced),
        CASE(the_deaf_are_ended_by_force_with_their_children),
        CASE(children_of_a_dead_service_are_ended),
        CASE(recovery_waits_for_a_start_under_way),
        CASE(a_look_has_no_effect),
        CASE(bad_health_checks_are_found_by_validation),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
