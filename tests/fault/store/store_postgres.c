/* PostgreSQL states: servers and connections that go, processes that are killed (F20, F22, F24, F26, F27; LC-031,
 * LC-033, LC-044). */
#include "fault/store/common.h"
#include "fault/store/proxy.h"
#include "stores/postgres/postgres_store.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

struct world {
    struct place place;
    struct server server;
    bool is_missing;
};

static int set_up(void **state) {
    struct world *w = calloc(1, sizeof *w);
    place_init(&w->place);
    w->is_missing = !server_start(&w->server);
    *state = w;
    return 0;
}

static int tear_down(void **state) {
    struct world *w = *state;
    server_stop(&w->server);
    place_fini(&w->place);
    free(w);
    return 0;
}

/* The world of a case; skips it where no PostgreSQL is installed. */
static struct world *get_world(void **state) {
    struct world *w = *state;
    if (w->is_missing) {
        print_message("# SKIP-REASON there are no programs of PostgreSQL\n");
        skip();
    }
    return w;
}

static struct store *open_url(struct world *w, sv url, enum store_result *result) {
    struct store_options options = {
        .diags = &w->place.diags, .host = (struct host *)(uintptr_t)&host_system, .busy_timeout_ms = 30000};
    return postgres_store_open(&w->place.arena, url, &options, result);
}

static struct store *open_own(struct world *w) {
    return open_url(w, server_get_url(&w->server, NULL, "lintel"), NULL);
}

static void sleep_us(long us) {
    struct timespec t = {us / 1000000, us % 1000000 * 1000};
    nanosleep(&t, NULL);
}

static int wait_for(pid_t child) {
    int status = 0;
    while (waitpid(child, &status, 0) < 0 && errno == EINTR) {}
    return status;
}

static enum store_result take(struct store *s, struct arena *a, int64_t ttl_ms, struct store_lease *lease) {
    struct store_lease_request r = {.instance_id = SV("id-1"), .holder = make_own_holder(a), .ttl_ms = ttl_ms};
    if (s == NULL) {
        *lease = (struct store_lease){0};
        fail_msg("the store did not open");
        return STORE_FAILED;
    }
    return s->ops->take_lease(s, a, &r, lease);
}

/* --- F27: servers and connections that go while a run writes: nothing is lost, nothing is written twice --- */

/* Exit status 0: every version up to `last` was acknowledged. */
static pid_t start_writer(struct world *w, int64_t last, _Atomic int64_t *acknowledged) {
    pid_t child = fork();
    if (child == 0) {
        struct store_lease lease;
        struct store *s = open_own(w);
        bool ok = s != NULL && take(s, &w->place.arena, 120000, &lease) == STORE_OK;
        for (int64_t version = 1; ok && version <= last; version++) {
            ok = write_version(s, &lease, version) == STORE_OK;
            atomic_store(acknowledged, version);
        }
        for (size_t i = 0; i < w->place.diags.items.len; i++) {
            print_error("%.*s\n", SV_ARG(w->place.diags.items.items[i]->message));
        }
        ok = ok && s->ops->release_lease(s, &lease) == STORE_OK;
        _exit(ok ? 0 : 1);
    }
    return child;
}

static int64_t read_own_version(struct world *w) {
    struct store *s = open_own(w);
    assert_non_null(s);
    int64_t version = read_version(s);
    s->ops->close(s);
    return version;
}

static void test_server_killed(void **state) {
    enum { LAST = 400 };
    struct world *w = get_world(state);
    _Atomic int64_t *acknowledged = (_Atomic int64_t *)new_shared_number();
    pid_t child = start_writer(w, LAST, acknowledged);
    for (int round = 1; round <= 4; round++) {
        while (atomic_load(acknowledged) < round * LAST / 6) {
            sleep_us(500);
        }
        server_kill(&w->server);
        server_restart(&w->server);
    }
    assert_int_equal(wait_for(child), 0);
    assert_int_equal(read_own_version(w), LAST);
}

static void test_connections_ended(void **state) {
    enum { LAST = 300 };
    struct world *w = get_world(state);
    _Atomic int64_t *acknowledged = (_Atomic int64_t *)new_shared_number();
    pid_t child = start_writer(w, LAST, acknowledged);
    int status = 0, cuts = 0;
    for (; waitpid(child, &status, WNOHANG) == 0; cuts += atomic_load(acknowledged) < LAST) {
        sleep_us(20000);
        if (atomic_load(acknowledged) == 0) {
            continue; /* still opening: that may fail */
        }
        server_query(&w->server, "postgres",
                     "SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity"
                     " WHERE application_name LIKE 'lintel %'");
    }
    assert_int_equal(status, 0);
    assert_true(cuts > 5);
    assert_int_equal(read_own_version(w), LAST);
}

/* The connection is cut at each step of a transaction, before and after the server has heard of it. */
static void test_connection_cut(void **state) { /* F28 */
    struct world *w = get_world(state);
    struct proxy proxy;
    proxy_start(&proxy, &w->server);
    struct store *s = open_url(w, proxy_get_url(&proxy, &w->place.arena, "lintel"), NULL);
    assert_non_null(s);
    struct store_lease lease;
    assert_int_equal(take(s, &w->place.arena, 60000, &lease), STORE_OK);
    int64_t version = 0;
    for (int cut = CUT_REQUEST; cut <= CUT_ANSWER; cut++) {
        for (int step = 0; step < 5; step++) {
            struct store_instance i = sample_instance("id-1", "shop");
            struct store_element e = sample_element("resources.a", SV("{}"));
            struct journal_row row = sample_row(version + 1, lease.token);
            i.version = ++version;
            atomic_store(proxy.cut, step == 0 ? cut : CUT_NOTHING);
            assert_int_equal(s->ops->begin(s, &lease), STORE_OK);
            atomic_store(proxy.cut, step == 1 ? cut : CUT_NOTHING);
            assert_int_equal(s->ops->put_instance(s, &i, version - 1), STORE_OK);
            atomic_store(proxy.cut, step == 2 ? cut : CUT_NOTHING);
            assert_int_equal(s->ops->put_element(s, SV("id-1"), &e), STORE_OK);
            assert_int_equal(s->ops->append_journal(s, SV("id-1"), &row), STORE_OK);
            atomic_store(proxy.cut, step == 3 ? cut : CUT_NOTHING);
            assert_int_equal(s->ops->commit(s), STORE_OK);
            atomic_store(proxy.cut, step == 4 ? cut : CUT_NOTHING);
            assert_int_equal(s->ops->renew_lease(s, &lease, 60000), STORE_OK);
            assert_int_equal(atomic_load(proxy.cut), CUT_NOTHING); /* it was cut where it was meant to be */
            struct store_tree tree;
            assert_int_equal(s->ops->load_tree(s, &w->place.arena, SV("id-1"), &tree), STORE_OK);
            assert_int_equal(tree.instance.version, version);
            assert_int_equal(tree.journal.len, version);
            assert_int_equal(tree.lease.token, 1);
        }
    }
    assert_int_equal(w->place.diags.items.len, 0);
    s->ops->close(s);
    proxy_stop(&proxy);
}

/* Taking a lease whose answer is lost takes it once. */
static void test_lease_cut(void **state) {
    struct world *w = get_world(state);
    struct proxy proxy;
    proxy_start(&proxy, &w->server);
    struct store *s = open_url(w, proxy_get_url(&proxy, &w->place.arena, "lintel"), NULL);
    assert_non_null(s);
    for (int cut = CUT_REQUEST; cut <= CUT_ANSWER; cut++) {
        struct store_lease lease;
        atomic_store(proxy.cut, cut);
        assert_int_equal(take(s, &w->place.arena, 60000, &lease), STORE_OK);
        assert_int_equal(lease.token, cut);
        atomic_store(proxy.cut, cut);
        assert_int_equal(s->ops->release_lease(s, &lease), STORE_OK);
        assert_int_equal(s->ops->release_lease(s, &lease), STORE_LOST_LEASE);
    }
    s->ops->close(s);
    proxy_stop(&proxy);
}

/* A server that is away longer than the lease lives: the run stops, and writes nothing when it is back. */
static void test_away_too_long(void **state) {
    struct world *w = get_world(state);
    struct store *s = open_own(w);
    struct store_lease lease, other;
    assert_int_equal(take(s, &w->place.arena, 1500, &lease), STORE_OK);
    assert_int_equal(write_version(s, &lease, 1), STORE_OK);
    server_kill(&w->server);
    assert_int_equal(s->ops->renew_lease(s, &lease, 1500), STORE_FAILED);
    assert_int_equal(w->place.diags.items.len, 1);
    server_restart(&w->server);
    assert_int_equal(write_version(s, &lease, 2), STORE_LOST_LEASE);
    assert_int_equal(take(s, &w->place.arena, 60000, &other), STORE_OK);
    assert_int_equal(other.token, 2);
    assert_int_equal(read_version(s), 1);
    s->ops->close(s);
}

static bool raise_version(struct store *s, struct arena *a, struct store_instance *i) {
    struct store_tree tree;
    if (s->ops->load_tree(s, a, i->id, &tree) != STORE_OK) {
        return false;
    }
    i->version = tree.instance.version + 1;
    return s->ops->put_instance(s, i, tree.instance.version) == STORE_OK;
}

/* Two transactions that wait for each other: one is repeated, both succeed. */
static void test_deadlock(void **state) { /* F32 */
    struct world *w = get_world(state);
    struct store *s = open_own(w);
    struct store_instance a = sample_instance("id-1", "a"), b = sample_instance("id-2", "b");
    save_instance(s, &a, 0);
    save_instance(s, &b, 0);
    server_query(&w->server, "postgres", "ALTER SYSTEM SET deadlock_timeout = '50ms'");
    server_query(&w->server, "postgres", "SELECT pg_reload_conf()");
    pid_t child = fork();
    struct store *own = child == 0 ? open_own(w) : s;
    bool ok = true;
    for (int64_t version = 2; ok && version < 40; version++) {
        struct store_instance first = child == 0 ? a : b, second = child == 0 ? b : a;
        struct arena scratch = {0};
        for (bool done = false; ok && !done;) { /* somebody else's version: once more */
            ok = own->ops->begin(own, NULL) == STORE_OK;
            done = raise_version(own, &scratch, &first) && raise_version(own, &scratch, &second);
            if (done) {
                enum store_result r = own->ops->commit(own);
                done = r == STORE_OK;
                ok = ok && (done || r == STORE_CONFLICT);
            } else {
                own->ops->rollback(own);
            }
        }
        arena_fini(&scratch);
    }
    if (child == 0) {
        _exit(ok ? 0 : 1);
    }
    assert_true(ok);
    assert_int_equal(wait_for(child), 0);
    struct store_tree tree;
    assert_int_equal(s->ops->load_tree(s, &w->place.arena, SV("id-1"), &tree), STORE_OK);
    assert_int_equal(tree.instance.version, 1 + 2 * 38);
    s->ops->close(s);
}

/* --- Processes that are killed or stopped --- */

static _Noreturn void write_for_ever(struct world *w, _Atomic int64_t *acknowledged) {
    struct store *s = open_own(w);
    int64_t version = s == NULL ? -1 : read_version(s);
    while (version >= 0 && write_version(s, NULL, version + 1) == STORE_OK) {
        version++;
        atomic_store(acknowledged, version);
    }
    _exit(1);
}

static void test_kill_while_writing(void **state) {
    struct world *w = get_world(state);
    _Atomic int64_t *acknowledged = (_Atomic int64_t *)new_shared_number();
    unsigned seed = 1;
    for (int round = 0; round < 25; round++) {
        pid_t child = fork();
        if (child == 0) {
            write_for_ever(w, acknowledged);
        }
        sleep_us(20000 + (long)((unsigned)rand_r(&seed) % 60000));
        kill(child, SIGKILL);
        int status = wait_for(child);
        assert_true(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);
        assert_true(read_own_version(w) >= atomic_load(acknowledged));
    }
    assert_true(read_own_version(w) > 25);
}

enum { WRITERS = 8, ROUNDS = 12 };

struct shared {
    _Atomic int inside, trouble;
};

static bool write_once(struct store *s, struct arena *a, struct shared *shared) {
    struct store_lease lease;
    enum store_result r = take(s, a, 60000, &lease);
    if (r != STORE_OK) {
        shared->trouble += r != STORE_CONFLICT;
        sleep_us(2000);
        return false;
    }
    shared->trouble += atomic_fetch_add(&shared->inside, 1) != 0;
    int64_t version = read_version(s);
    shared->trouble += write_version(s, &lease, version + 1) != STORE_OK;
    atomic_fetch_sub(&shared->inside, 1);
    shared->trouble += s->ops->release_lease(s, &lease) != STORE_OK;
    return true;
}

/* F22, F1: all make the tables at once, and then only one has the lease. */
static void test_many_writers(void **state) {
    struct world *w = get_world(state);
    struct shared *shared = (struct shared *)(void *)new_shared_number();
    pid_t children[WRITERS];
    for (int i = 0; i < WRITERS; i++) {
        children[i] = fork();
        if (children[i] == 0) {
            struct store *s = open_own(w);
            shared->trouble += s == NULL;
            for (int done = 0; done < ROUNDS && shared->trouble == 0;) {
                struct arena a = {0};
                done += write_once(s, &a, shared);
                arena_fini(&a);
            }
            _exit(0);
        }
    }
    for (int i = 0; i < WRITERS; i++) {
        assert_int_equal(wait_for(children[i]), 0);
    }
    assert_int_equal(shared->trouble, 0);
    assert_int_equal(read_own_version(w), WRITERS * ROUNDS);
}

/* F24: a killed holder on this host is taken over at once. */
static void test_killed_holder(void **state) {
    struct world *w = get_world(state);
    _Atomic int64_t *ready = (_Atomic int64_t *)new_shared_number();
    pid_t child = fork();
    if (child == 0) {
        struct store_lease lease;
        struct store *own = open_own(w);
        atomic_store(ready, take(own, &w->place.arena, 3600000, &lease) == STORE_OK ? 1 : 2);
        pause();
        _exit(1);
    }
    while (atomic_load(ready) == 0) {
        sleep_us(1000);
    }
    assert_int_equal(atomic_load(ready), 1);
    struct store *s = open_own(w);
    struct store_lease lease;
    assert_int_equal(take(s, &w->place.arena, 1000, &lease), STORE_CONFLICT);
    kill(child, SIGKILL);
    siginfo_t info;
    waitid(P_PID, (id_t)child, &info, WEXITED | WNOWAIT); /* stays a zombie */
    assert_int_equal(take(s, &w->place.arena, 1000, &lease), STORE_OK);
    assert_int_equal(lease.token, 2);
    wait_for(child);
    s->ops->close(s);
}

/* F20, F26: a holder that slept too long writes nothing; nor one that slept within a transaction. */
static void test_stopped_holder(void **state) {
    struct world *w = get_world(state);
    pid_t child = fork();
    if (child == 0) {
        struct store_lease lease;
        struct store *s = open_own(w);
        bool ok = take(s, &w->place.arena, 300, &lease) == STORE_OK && write_version(s, &lease, 1) == STORE_OK;
        raise(SIGSTOP);
        enum store_result late = write_version(s, &lease, 2), renewed = s->ops->renew_lease(s, &lease, 300);
        _exit(ok && late == STORE_LOST_LEASE && renewed == STORE_LOST_LEASE ? 0 : 1);
    }
    int status = 0;
    assert_int_equal(waitpid(child, &status, WUNTRACED), child);
    assert_true(WIFSTOPPED(status));
    struct store *s = open_own(w);
    struct store_lease lease = {0};
    while (take(s, &w->place.arena, 60000, &lease) == STORE_CONFLICT) {
        sleep_us(10000);
    }
    assert_int_equal(lease.token, 2);
    assert_int_equal(write_version(s, &lease, 2), STORE_OK);
    kill(child, SIGCONT);
    assert_int_equal(wait_for(child), 0);
    assert_int_equal(read_version(s), 2);
    s->ops->close(s);
}

#define CASE(fn) cmocka_unit_test_setup_teardown(fn, set_up, tear_down)

/* usage: PROGRAM [NAME OF A CASE, with * and ?] */
int main(int argc, char **argv) {
    const struct CMUnitTest tests[] = {
        CASE(test_server_killed), CASE(test_connections_ended), CASE(test_connection_cut),     CASE(test_lease_cut),
        CASE(test_away_too_long), CASE(test_deadlock),          CASE(test_kill_while_writing), CASE(test_many_writers),
        CASE(test_killed_holder), CASE(test_stopped_holder),
    };
    if (argc > 1) {
        cmocka_set_test_filter(argv[1]);
    }
    return cmocka_run_group_tests(tests, NULL, NULL);
}
