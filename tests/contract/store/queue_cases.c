/* The queue of runs and stored events: cases that every store passes (LC-041, LC-045, LC-060). */
#include "contract/store/fixture.h"

#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#define OPS(f) ((f)->store->ops)

static int set_up(void **state) {
    struct fixture *f = calloc(1, sizeof *f);
    fixture_init(f, *state);
    *state = f;
    return 0;
}

static int tear_down(void **state) {
    fixture_fini(*state);
    free(*state);
    return 0;
}

static struct store_run sample_run(const char *id, const char *instance_id) {
    return (struct store_run){
        .id = sv_from_cstr(id),
        .status = STORE_RUN_QUEUED,
        .instance_id = sv_from_cstr(instance_id),
        .instance_name = SV("sh'op"),
        .context = SV("default"),
        .kind = SV("deploy"),
        .actor = SV("ada@engine"),
        .created_ms = 7,
        .body = SV("{\"force\":true}"),
        .plan = SV("{\"plan\":\"\xc3\xbc\"}"),
    };
}

static void add(struct fixture *f, const char *id, const char *instance_id) {
    struct store_run run = sample_run(id, instance_id);
    assert_int_equal(OPS(f)->begin(f->store, NULL), STORE_OK);
    assert_int_equal(OPS(f)->add_run(f->store, &run), STORE_OK);
    assert_int_equal(OPS(f)->commit(f->store), STORE_OK);
}

static sv make_holder(struct fixture *f, int64_t pid, const char *boot) {
    return arena_printf(&f->arena, "{\"pid\":%lld,\"startTime\":0,\"bootId\":\"%s\",\"host\":\"engine\"}",
                        (long long)pid, boot);
}

struct taken {
    enum store_result result;
    struct store_run run;
    struct store_lease lease;
};

static struct taken take_as(struct fixture *f, sv holder) {
    struct taken t = {0};
    struct store_lease_request request = {.holder = holder, .ttl_ms = 60000};
    t.result = OPS(f)->take_run(f->store, &f->arena, SV("default"), &request, &t.run, &t.lease);
    return t;
}

static struct taken take(struct fixture *f) {
    return take_as(f, make_holder(f, getpid(), "boot-1"));
}

static enum store_result change(struct fixture *f, const struct store_lease *lease, const char *id,
                                enum store_run_status from, enum store_run_status to) {
    struct store_run_change c = {
        .id = sv_from_cstr(id), .from = from, .to = to, .wall_ms = 99, .exit_code = 9, .outcome = SV("update_failed")};
    assert_int_equal(OPS(f)->begin(f->store, lease), STORE_OK);
    enum store_result result = OPS(f)->change_run(f->store, &c);
    if (result != STORE_OK) {
        OPS(f)->rollback(f->store);
        return result;
    }
    return OPS(f)->commit(f->store);
}

static void end_run(struct fixture *f, const struct taken *t) {
    const char *id = arena_copy_cstr(&f->arena, t->run.id);
    assert_int_equal(change(f, &t->lease, id, STORE_RUN_RUNNING, STORE_RUN_ENDED), STORE_OK);
    assert_int_equal(OPS(f)->release_lease(f->store, &t->lease), STORE_OK);
}

static struct store_run find(struct fixture *f, const char *id) {
    struct store_run run = {0};
    assert_int_equal(OPS(f)->find_run(f->store, &f->arena, sv_from_cstr(id), &run), STORE_OK);
    return run;
}

static size_t count_runs(struct fixture *f, const char *context, bool is_open) {
    struct store_run *items;
    size_t count;
    assert_int_equal(OPS(f)->list_runs(f->store, &f->arena, sv_from_cstr(context), is_open, &items, &count), STORE_OK);
    return count;
}

/* LC-045: what goes in comes out, with its plan for whoever takes it. */
static void test_round_trip(void **state) {
    struct fixture *f = *state;
    struct store_run run;
    assert_int_equal(take(f).result, STORE_NOT_FOUND);
    assert_int_equal(OPS(f)->find_run(f->store, &f->arena, SV("r1"), &run), STORE_NOT_FOUND);
    add(f, "r1", "i1");
    if (f->kind->is_lasting) {
        fixture_reopen(f);
    }
    run = find(f, "r1");
    assert_int_equal(run.status, STORE_RUN_QUEUED);
    assert_true(run.number > 0);
    assert_int_equal(run.plan.len, 0);
    struct taken t = take(f);
    assert_int_equal(t.result, STORE_OK);
    struct store_run want = sample_run("r1", "i1");
    CHECK_SV(t.run.id, want.id);
    CHECK_SV(t.run.instance_id, want.instance_id);
    CHECK_SV(t.run.instance_name, want.instance_name);
    CHECK_SV(t.run.context, want.context);
    CHECK_SV(t.run.kind, want.kind);
    CHECK_SV(t.run.actor, want.actor);
    CHECK_SV(t.run.body, want.body);
    CHECK_SV(t.run.plan, want.plan);
    assert_int_equal(t.run.created_ms, 7);
    assert_int_equal(t.run.takes, 1);
    assert_int_equal(t.run.status, STORE_RUN_RUNNING);
    CHECK_SV(t.lease.instance_id, SV("i1"));
    assert_int_equal(t.lease.token, 1);
    run = find(f, "r1");
    assert_int_equal(run.status, STORE_RUN_RUNNING);
    assert_int_equal(run.taken_ms, f->fake.wall_ms);
    assert_int_equal(f->diags.items.len, 0);
}

static void test_ids_are_unique(void **state) {
    struct fixture *f = *state;
    struct store_run run = sample_run("r1", "i2");
    add(f, "r1", "i1");
    assert_int_equal(OPS(f)->begin(f->store, NULL), STORE_OK);
    assert_int_equal(OPS(f)->add_run(f->store, &run), STORE_CONFLICT);
    OPS(f)->rollback(f->store);
    CHECK_SV(find(f, "r1").instance_id, SV("i1"));
}

static void test_rollback_of_the_queue(void **state) {
    struct fixture *f = *state;
    struct store_run run = sample_run("r1", "i1");
    assert_int_equal(OPS(f)->begin(f->store, NULL), STORE_OK);
    assert_int_equal(OPS(f)->add_run(f->store, &run), STORE_OK);
    OPS(f)->rollback(f->store);
    assert_int_equal(count_runs(f, "", false), 0);
    assert_int_equal(take(f).result, STORE_NOT_FOUND);
}

/* LC-045: oldest first, at most one of an instance. */
static void test_order(void **state) {
    struct fixture *f = *state;
    add(f, "r1", "i1");
    add(f, "r2", "i1");
    add(f, "r3", "i2");
    struct taken first = take(f), second = take(f);
    CHECK_SV(first.run.id, SV("r1"));
    CHECK_SV(second.run.id, SV("r3"));
    assert_int_equal(take(f).result, STORE_NOT_FOUND);
    end_run(f, &first);
    struct taken third = take(f);
    CHECK_SV(third.run.id, SV("r2"));
    assert_int_equal(third.lease.token, 2);
    end_run(f, &second);
    end_run(f, &third);
    assert_int_equal(take(f).result, STORE_NOT_FOUND);
}

/* Who holds an instance otherwise keeps its runs waiting. */
static void test_held_instance(void **state) {
    struct fixture *f = *state;
    struct store_lease lease;
    struct store_lease_request request = {
        .instance_id = SV("i1"), .holder = make_holder(f, getpid(), "boot-1"), .ttl_ms = 60000};
    assert_int_equal(OPS(f)->take_lease(f->store, &f->arena, &request, &lease), STORE_OK);
    add(f, "r1", "i1");
    assert_int_equal(take(f).result, STORE_NOT_FOUND);
    assert_int_equal(OPS(f)->release_lease(f->store, &lease), STORE_OK);
    assert_int_equal(take(f).result, STORE_OK);
}

/* LC-033, LC-045: a worker of this host that is gone loses its run at once. */
static void test_dead_worker(void **state) {
    struct fixture *f = *state;
    pid_t child = fork();
    if (child == 0) {
        _exit(0);
    }
    waitpid(child, NULL, 0);
    add(f, "r1", "i1");
    add(f, "r2", "i1");
    struct taken lost = take_as(f, make_holder(f, child, "boot-1"));
    assert_int_equal(lost.result, STORE_OK);
    struct taken again = take(f);
    assert_int_equal(again.result, STORE_OK);
    CHECK_SV(again.run.id, SV("r1")); /* what was begun comes first */
    CHECK_SV(again.run.plan, lost.run.plan);
    assert_int_equal(again.run.takes, 2);
    assert_int_equal(again.lease.token, lost.lease.token + 1);
    assert_int_equal(OPS(f)->begin(f->store, &lost.lease), STORE_LOST_LEASE);
}

/* LC-030, LC-045: from elsewhere when its lease has run out; one that renews keeps it. */
static void test_silent_worker(void **state) {
    struct fixture *f = *state;
    add(f, "r1", "i1");
    struct taken lost = take(f);
    fixture_let_pass(f, 40000);
    assert_int_equal(take(f).result, STORE_NOT_FOUND);
    assert_int_equal(OPS(f)->renew_lease(f->store, &lost.lease, 60000), STORE_OK);
    fixture_let_pass(f, 40000);
    assert_int_equal(take(f).result, STORE_NOT_FOUND);
    fixture_let_pass(f, 40000);
    struct taken again = take(f);
    assert_int_equal(again.result, STORE_OK);
    assert_int_equal(again.run.takes, 2);
    assert_int_equal(OPS(f)->begin(f->store, &lost.lease), STORE_LOST_LEASE);
}

/* The end of a run is a write under its lease; it happens once. */
static void test_end(void **state) {
    struct fixture *f = *state;
    add(f, "r1", "i1");
    struct taken t = take(f);
    assert_int_equal(change(f, &t.lease, "r1", STORE_RUN_QUEUED, STORE_RUN_CANCELLED), STORE_CONFLICT);
    assert_int_equal(change(f, &t.lease, "r2", STORE_RUN_RUNNING, STORE_RUN_ENDED), STORE_NOT_FOUND);
    end_run(f, &t);
    struct store_run run = find(f, "r1");
    assert_int_equal(run.status, STORE_RUN_ENDED);
    assert_int_equal(run.exit_code, 9);
    assert_int_equal(run.ended_ms, 99);
    CHECK_SV(run.outcome, SV("update_failed"));
    assert_int_equal(change(f, NULL, "r1", STORE_RUN_RUNNING, STORE_RUN_ENDED), STORE_CONFLICT);
    assert_int_equal(take(f).result, STORE_NOT_FOUND);
    assert_int_equal(f->diags.items.len, 0);
}

static void test_given_back(void **state) {
    struct fixture *f = *state;
    add(f, "r1", "i1");
    struct taken t = take(f);
    assert_int_equal(change(f, &t.lease, "r1", STORE_RUN_RUNNING, STORE_RUN_QUEUED), STORE_OK);
    assert_int_equal(take(f).result, STORE_NOT_FOUND); /* as long as its lease lives */
    assert_int_equal(OPS(f)->release_lease(f->store, &t.lease), STORE_OK);
    assert_int_equal(find(f, "r1").ended_ms, 0);
    struct taken again = take(f);
    CHECK_SV(again.run.id, SV("r1"));
    CHECK_SV(again.run.plan, t.run.plan);
    assert_int_equal(again.run.takes, 2);
}

static void test_cancelled(void **state) {
    struct fixture *f = *state;
    add(f, "r1", "i1");
    add(f, "r2", "i1");
    assert_int_equal(change(f, NULL, "r1", STORE_RUN_QUEUED, STORE_RUN_CANCELLED), STORE_OK);
    assert_int_equal(find(f, "r1").status, STORE_RUN_CANCELLED);
    CHECK_SV(take(f).run.id, SV("r2"));
}

static void test_lists(void **state) {
    struct fixture *f = *state;
    add(f, "r1", "i1");
    add(f, "r2", "i2");
    struct store_run other = sample_run("r3", "i3");
    other.context = SV("staging");
    assert_int_equal(OPS(f)->begin(f->store, NULL), STORE_OK);
    assert_int_equal(OPS(f)->add_run(f->store, &other), STORE_OK);
    assert_int_equal(OPS(f)->commit(f->store), STORE_OK);
    struct taken t = take(f);
    end_run(f, &t);
    t = take(f);
    CHECK_SV(t.run.id, SV("r2"));
    assert_int_equal(take(f).result, STORE_NOT_FOUND); /* the third is of another name space */
    assert_int_equal(count_runs(f, "", false), 3);
    assert_int_equal(count_runs(f, "", true), 2);
    assert_int_equal(count_runs(f, "default", true), 1);
    struct store_run *items;
    size_t count;
    assert_int_equal(OPS(f)->list_runs(f->store, &f->arena, (sv){0}, false, &items, &count), STORE_OK);
    CHECK_SV(items[0].id, SV("r1"));
    CHECK_SV(items[2].id, SV("r3"));
    assert_true(items[0].number < items[1].number && items[1].number < items[2].number);
    assert_int_equal(items[1].plan.len, 0);
}

/* --- events --- */

static void append(struct fixture *f, const char *id, const char *run_id, const char *body) {
    assert_int_equal(OPS(f)->begin(f->store, NULL), STORE_OK);
    assert_int_equal(OPS(f)->append_events(f->store, sv_from_cstr(id), sv_from_cstr(run_id), sv_from_cstr(body)),
                     STORE_OK);
    assert_int_equal(OPS(f)->commit(f->store), STORE_OK);
}

struct page {
    struct store_events *items;
    size_t count;
};

static struct page list(struct fixture *f, const char *run_id, int64_t after, size_t limit) {
    struct page p;
    struct store_events_request request = {.run_id = sv_from_cstr(run_id), .after = after, .limit = limit};
    assert_int_equal(OPS(f)->list_events(f->store, &f->arena, &request, &p.items, &p.count), STORE_OK);
    return p;
}

/* LC-060: pages by run and sequence. */
static void test_events(void **state) {
    struct fixture *f = *state;
    assert_int_equal(list(f, "r1", 0, 10).count, 0);
    append(f, "i1", "r1", "{\"n\":1}\n{\"n\":2}\n");
    append(f, "i2", "r2", "{\"n\":9}\n");
    append(f, "i1", "r1", "{\"n\":3}\n");
    append(f, "i1", "r1", "{\"n\":\"\xc3\xbc\"}\n");
    if (f->kind->is_lasting) {
        fixture_reopen(f);
    }
    struct page p = list(f, "r1", 0, 2);
    assert_int_equal(p.count, 2);
    assert_int_equal(p.items[0].sequence, 1);
    CHECK_SV(p.items[0].body, SV("{\"n\":1}\n{\"n\":2}\n"));
    assert_int_equal(p.items[1].sequence, 2);
    p = list(f, "r1", 2, 2);
    assert_int_equal(p.count, 1);
    assert_int_equal(p.items[0].sequence, 3);
    CHECK_SV(p.items[0].body, SV("{\"n\":\"\xc3\xbc\"}\n"));
    assert_int_equal(list(f, "r1", 3, 2).count, 0);
    assert_int_equal(list(f, "r2", 0, SIZE_MAX).count, 1);
}

static void test_events_in_a_transaction(void **state) {
    struct fixture *f = *state;
    append(f, "i1", "r1", "1\n");
    assert_int_equal(OPS(f)->begin(f->store, NULL), STORE_OK);
    assert_int_equal(OPS(f)->append_events(f->store, SV("i1"), SV("r1"), SV("2\n")), STORE_OK);
    assert_int_equal(OPS(f)->append_events(f->store, SV("i1"), SV("r1"), SV("3\n")), STORE_OK);
    OPS(f)->rollback(f->store);
    append(f, "i1", "r1", "4\n");
    struct page p = list(f, "r1", 0, 10);
    assert_int_equal(p.count, 2);
    assert_int_equal(p.items[1].sequence, 2);
    CHECK_SV(p.items[1].body, SV("4\n"));
}

static void compact(struct fixture *f, const char *id, int64_t number, const char *run_id, size_t keep) {
    struct store_history h = sample_history(number);
    h.run_id = sv_from_cstr(run_id);
    assert_int_equal(OPS(f)->begin(f->store, NULL), STORE_OK);
    assert_int_equal(OPS(f)->compact_journal(f->store, sv_from_cstr(id), &h, keep), STORE_OK);
    assert_int_equal(OPS(f)->commit(f->store), STORE_OK);
}

/* Events stay as long as the history entry of their run, or its row in the queue. */
static void test_events_go_with_history(void **state) {
    struct fixture *f = *state;
    struct store_instance i = sample_instance("i1", "shop");
    save_instance(f->store, &i, 0);
    add(f, "queued", "i1");
    append(f, "i1", "r1", "1\n");
    append(f, "i1", "failed", "2\n");
    append(f, "i1", "queued", "3\n");
    append(f, "i2", "other", "4\n");
    compact(f, "i1", 1, "r1", 2);
    assert_int_equal(list(f, "r1", 0, 10).count, 1);
    assert_int_equal(list(f, "failed", 0, 10).count, 0);
    assert_int_equal(list(f, "queued", 0, 10).count, 1);
    assert_int_equal(list(f, "other", 0, 10).count, 1);
    compact(f, "i1", 2, "r2", 2);
    assert_int_equal(list(f, "r1", 0, 10).count, 1);
    compact(f, "i1", 3, "r3", 2);
    assert_int_equal(list(f, "r1", 0, 10).count, 0);
    assert_int_equal(list(f, "queued", 0, 10).count, 1);
}

static void test_old_runs_go(void **state) {
    struct fixture *f = *state;
    struct store_instance i = sample_instance("i1", "shop");
    save_instance(f->store, &i, 0);
    static const char *const ids[] = {"r1", "r2", "r3", "r4"};
    for (size_t n = 0; n < 4; n++) {
        add(f, ids[n], "i1");
    }
    for (size_t n = 0; n < 3; n++) {
        struct taken t = take(f);
        end_run(f, &t);
    }
    compact(f, "i1", 1, "x", 2);
    assert_int_equal(count_runs(f, "", false), 3);
    assert_int_equal(count_runs(f, "", true), 1);
    struct store_run run;
    assert_int_equal(OPS(f)->find_run(f->store, &f->arena, SV("r1"), &run), STORE_NOT_FOUND);
    assert_int_equal(find(f, "r2").status, STORE_RUN_ENDED);
}

/* Waiting ends; what comes of it is looked for anew. */
static void test_waiting_ends(void **state) {
    struct fixture *f = *state;
    for (int i = 0; i < 3; i++) {
        OPS(f)->await_news(f->store, 20);
    }
    add(f, "r1", "i1");
    OPS(f)->await_news(f->store, 20);
    assert_int_equal(take(f).result, STORE_OK);
    assert_int_equal(f->diags.items.len, 0);
}

static void test_read_only_queue(void **state) {
    struct fixture *f = *state;
    add(f, "r1", "i1");
    f->store->ops->close(f->store);
    f->store = f->kind->open(f, true);
    assert_non_null(f->store);
    assert_int_not_equal(take(f).result, STORE_OK);
    assert_int_equal(count_runs(f, "", true), f->kind->is_lasting ? 1 : 0);
    assert_int_equal(list(f, "r1", 0, 10).count, 0);
    OPS(f)->await_news(f->store, 20);
}

#define CASE(fn) cmocka_unit_test_prestate_setup_teardown(fn, set_up, tear_down, (void *)(uintptr_t)kind)

int run_queue_contract(const struct store_kind *kind) {
    const struct CMUnitTest tests[] = {
        CASE(test_round_trip),
        CASE(test_ids_are_unique),
        CASE(test_rollback_of_the_queue),
        CASE(test_order),
        CASE(test_held_instance),
        CASE(test_dead_worker),
        CASE(test_silent_worker),
        CASE(test_end),
        CASE(test_given_back),
        CASE(test_cancelled),
        CASE(test_lists),
        CASE(test_events),
        CASE(test_events_in_a_transaction),
        CASE(test_events_go_with_history),
        CASE(test_old_runs_go),
        CASE(test_waiting_ends),
        CASE(test_read_only_queue),
    };
    return cmocka_run_group_tests_name(kind->name, tests, NULL, NULL);
}
