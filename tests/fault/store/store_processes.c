/* Several processes, some of them killed (F1, F4, F22, F24, F26, F33). */
#include "fault/store/common.h"

#include <errno.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static int set_up(void **state) {
    struct place *p = calloc(1, sizeof *p);
    place_init(p);
    *state = p;
    return 0;
}

static int tear_down(void **state) {
    place_fini(*state);
    free(*state);
    return 0;
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

static enum store_result take(struct store *s, struct arena *a, sv holder, int64_t ttl_ms, struct store_lease *lease) {
    struct store_lease_request r = {.instance_id = SV("id-1"), .holder = holder, .ttl_ms = ttl_ms};
    return s->ops->take_lease(s, a, &r, lease);
}

/* --- kill -9 at any moment of writing: whole, and nothing that was acknowledged is lost --- */

static _Noreturn void write_for_ever(struct place *p, sv path, _Atomic int64_t *acknowledged) {
    struct store *s = place_open(p, path, NULL);
    int64_t version = s == NULL ? -1 : read_version(s);
    while (version >= 0 && write_version(s, NULL, version + 1) == STORE_OK) {
        version++;
        atomic_store(acknowledged, version);
    }
    _exit(1); /* only the signal ends it */
}

static void test_kill_while_writing(void **state) {
    struct place *p = *state;
    sv path = place_get_path(p, "state.db");
    _Atomic int64_t *acknowledged = (_Atomic int64_t *)new_shared_number();
    unsigned seed = 1;
    int64_t version = 0;
    for (int round = 0; round < 80; round++) {
        pid_t child = fork();
        if (child == 0) {
            write_for_ever(p, path, acknowledged);
        }
        sleep_us(500 + (long)((unsigned)rand_r(&seed) % 40000));
        kill(child, SIGKILL);
        int status = wait_for(child);
        assert_true(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);
        int64_t found = read_version_at(p, path);
        assert_true(found >= atomic_load(acknowledged));
        assert_true(found >= version);
        version = found;
    }
    assert_true(version > 80);
}

/* F4: killed while the file is made: it is made by the next one. */
static void test_kill_while_opening(void **state) {
    struct place *p = *state;
    unsigned seed = 2;
    for (int round = 0; round < 60; round++) {
        sv path = arena_printf(&p->arena, "%s/new-%d/state.db", p->dir, round);
        pid_t child = fork();
        if (child == 0) {
            struct store *s = place_open(p, path, NULL);
            _exit(s == NULL);
        }
        sleep_us((long)((unsigned)rand_r(&seed) % 12000));
        kill(child, SIGKILL);
        wait_for(child);
        assert_int_equal(read_version_at(p, path), 0);
    }
}

/* --- F22: one at a time, however many want to --- */

enum { WRITERS = 16, ROUNDS = 64 };

struct shared {
    _Atomic int inside; /* processes that believe to hold the lease */
    _Atomic int trouble;
};

static bool write_once(struct store *s, struct arena *a, struct shared *shared) {
    struct store_lease lease;
    enum store_result r = take(s, a, make_own_holder(a), 60000, &lease);
    if (r != STORE_OK) {
        shared->trouble += r != STORE_CONFLICT;
        sleep_us(500);
        return false;
    }
    shared->trouble += atomic_fetch_add(&shared->inside, 1) != 0;
    int64_t version = read_version(s);
    shared->trouble += write_version(s, &lease, version + 1) != STORE_OK;
    atomic_fetch_sub(&shared->inside, 1);
    shared->trouble += s->ops->release_lease(s, &lease) != STORE_OK;
    return true;
}

static _Noreturn void write_rounds(struct place *p, sv path, struct shared *shared) {
    struct store *s = place_open(p, path, NULL);
    if (s == NULL) {
        shared->trouble++;
        _exit(1);
    }
    for (int done = 0; done < ROUNDS && shared->trouble == 0;) {
        struct arena a = {0};
        done += write_once(s, &a, shared);
        arena_fini(&a);
    }
    s->ops->close(s);
    _exit(0);
}

static void test_many_writers(void **state) {
    struct place *p = *state;
    sv path = place_get_path(p, "state.db");
    struct shared *shared = (struct shared *)(void *)new_shared_number();
    pid_t children[WRITERS];
    for (int i = 0; i < WRITERS; i++) { /* all make the file at once, too */
        children[i] = fork();
        if (children[i] == 0) {
            write_rounds(p, path, shared);
        }
    }
    for (int i = 0; i < WRITERS; i++) {
        assert_int_equal(wait_for(children[i]), 0);
    }
    assert_int_equal(shared->trouble, 0);
    assert_int_equal(read_version_at(p, path), WRITERS * ROUNDS);
}

/* Readers see whole states while another process writes. */
static void test_readers_beside_a_writer(void **state) { /* F23 */
    struct place *p = *state;
    sv path = place_get_path(p, "state.db");
    assert_int_equal(read_version_at(p, path), 0);
    _Atomic int64_t *acknowledged = (_Atomic int64_t *)new_shared_number();
    pid_t child = fork();
    if (child == 0) {
        write_for_ever(p, path, acknowledged);
    }
    struct store *s = place_open(p, path, NULL);
    assert_non_null(s);
    int64_t last = 0;
    time_t end = time(NULL) + 2; /* the journal grows all the while, and each look reads it */
    for (int i = 0; i < 20 || (i < 300 && time(NULL) < end); i++) {
        int64_t before = atomic_load(acknowledged), version = read_version(s);
        assert_true(version >= before && version >= last);
        last = version;
    }
    kill(child, SIGKILL);
    wait_for(child);
    s->ops->close(s);
}

/* --- F24: a killed holder is taken over at once --- */

static void test_killed_holder(void **state) {
    struct place *p = *state;
    sv path = place_get_path(p, "state.db");
    struct store *s = place_open(p, path, NULL);
    _Atomic int64_t *ready = (_Atomic int64_t *)new_shared_number();
    pid_t child = fork();
    if (child == 0) {
        struct store_lease lease;
        struct store *own = place_open(p, path, NULL);
        enum store_result r = take(own, &p->arena, make_own_holder(&p->arena), 3600000, &lease);
        atomic_store(ready, r == STORE_OK ? 1 : 2);
        pause();
        _exit(1);
    }
    while (atomic_load(ready) == 0) {
        sleep_us(1000);
    }
    assert_int_equal(atomic_load(ready), 1);
    struct store_lease lease;
    sv holder = make_own_holder(&p->arena);
    assert_int_equal(take(s, &p->arena, holder, 1000, &lease), STORE_CONFLICT);
    kill(child, SIGKILL);
    siginfo_t info;
    waitid(P_PID, (id_t)child, &info, WEXITED | WNOWAIT); /* stays a zombie */
    struct timespec start, end;
    clock_gettime(CLOCK_MONOTONIC, &start);
    assert_int_equal(take(s, &p->arena, holder, 1000, &lease), STORE_OK);
    clock_gettime(CLOCK_MONOTONIC, &end);
    assert_true((end.tv_sec - start.tv_sec) * 1000 + (end.tv_nsec - start.tv_nsec) / 1000000 < 1000);
    assert_int_equal(lease.token, 2);
    wait_for(child);
    s->ops->close(s);
}

/* --- F20, F26: a holder that slept too long writes nothing --- */

static _Noreturn void sleep_and_write(struct place *p, sv path) {
    struct store_lease lease;
    struct store *s = place_open(p, path, NULL);
    bool ok = take(s, &p->arena, make_own_holder(&p->arena), 300, &lease) == STORE_OK &&
              write_version(s, &lease, 1) == STORE_OK;
    raise(SIGSTOP);
    enum store_result late = write_version(s, &lease, 2);
    enum store_result renewed = s->ops->renew_lease(s, &lease, 300);
    _exit(ok && late == STORE_LOST_LEASE && renewed == STORE_LOST_LEASE ? 0 : 1);
}

static void test_stopped_holder(void **state) {
    struct place *p = *state;
    for (int round = 0; round < 5; round++) {
        sv path = arena_printf(&p->arena, "%s/stopped-%d.db", p->dir, round);
        pid_t child = fork();
        if (child == 0) {
            sleep_and_write(p, path);
        }
        int status = 0;
        assert_int_equal(waitpid(child, &status, WUNTRACED), child);
        assert_true(WIFSTOPPED(status));
        struct store *s = place_open(p, path, NULL);
        struct store_lease lease = {0};
        sv holder = make_own_holder(&p->arena);
        while (take(s, &p->arena, holder, 60000, &lease) == STORE_CONFLICT) {
            sleep_us(10000);
        }
        assert_int_equal(lease.token, 2);
        assert_int_equal(write_version(s, &lease, 2), STORE_OK);
        kill(child, SIGCONT);
        assert_int_equal(wait_for(child), 0);
        assert_int_equal(read_version(s), 2);
        s->ops->close(s);
    }
}

#define CASE(fn) cmocka_unit_test_setup_teardown(fn, set_up, tear_down)

/* usage: PROGRAM [NAME OF A CASE, with * and ?] */
int main(int argc, char **argv) {
    const struct CMUnitTest tests[] = {
        CASE(test_kill_while_writing),      CASE(test_kill_while_opening), CASE(test_many_writers),
        CASE(test_readers_beside_a_writer), CASE(test_killed_holder),      CASE(test_stopped_holder),
    };
    if (argc > 1) {
        cmocka_set_test_filter(argv[1]);
    }
    return cmocka_run_group_tests(tests, NULL, NULL);
}
