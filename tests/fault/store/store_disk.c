/* Disks that are full, fail, or may not be written (F7, F8, F10, F11). The failing commit is reported with its cause,
 * earlier ones stay, the next program goes on (LC-046). */
#include "base/num.h"
#include "fault/store/common.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

enum { WORKER_VERSIONS = 6, WORKER_DONE = 0, WORKER_REPORTED = 3, WORKER_SILENT = 4 };

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

static bool has_report(struct place *p) {
    return p->diags.errors > 0 && p->diags.items.items[0]->hint.len > 0 && p->diags.items.items[0]->message.len > 0;
}

/* Writes some versions; tells each that was committed through the file PATH.ack. How it ended is the exit status. */
static int work(struct place *p, sv path) {
    FILE *ack = fopen(arena_printf(&p->arena, "%s.ack", path.data).data, "w");
    struct store *s = place_open(p, path, NULL);
    int64_t version = s == NULL ? -1 : read_version(s);
    int64_t goal = version + WORKER_VERSIONS;
    while (version >= 0 && version < goal && write_version(s, NULL, version + 1) == STORE_OK) {
        version++;
        fprintf(ack, "%lld\n", (long long)version);
        fflush(ack);
    }
    bool done = version >= 0 && version == goal;
    if (s != NULL) {
        s->ops->close(s);
    }
    return done ? WORKER_DONE : has_report(p) ? WORKER_REPORTED : WORKER_SILENT;
}

static int64_t read_acknowledged(struct place *p, sv path) {
    sv rest = read_whole_file(&p->arena, arena_printf(&p->arena, "%s.ack", path.data));
    int64_t last = 0;
    while (rest.len > 0) {
        sv line = sv_cut(&rest, '\n');
        assert_int_equal(num_parse_i64(line, 10, &last), NUM_OK);
    }
    return last;
}

static int wait_for(pid_t child) {
    int status = 0;
    while (waitpid(child, &status, 0) < 0 && errno == EINTR) {}
    return status;
}

/* F10: the limit on file size, with the signal ignored. */
static void test_file_size_limit(void **state) {
    struct place *p = *state;
    int reported = 0;
    for (rlim_t limit = 0; limit < 400000; limit += 9973) {
        sv path = arena_printf(&p->arena, "%s/limit-%lu.db", p->dir, (unsigned long)limit);
        pid_t child = fork();
        if (child == 0) {
            signal(SIGXFSZ, SIG_IGN);
            struct rlimit r = {limit, limit};
            setrlimit(RLIMIT_FSIZE, &r);
            _exit(work(p, path));
        }
        int status = wait_for(child);
        assert_true(WIFEXITED(status));
        assert_true(WEXITSTATUS(status) == WORKER_DONE || WEXITSTATUS(status) == WORKER_REPORTED);
        reported += WEXITSTATUS(status) == WORKER_REPORTED;
        assert_true(read_version_at(p, path) >= read_acknowledged(p, path));
    }
    assert_true(reported > 5);
}

/* In a mount name space of its own: `use` works in a tmpfs of `size` at the place's directory. */
static int in_tmpfs(struct place *p, const char *options, int (*use)(struct place *p)) {
    pid_t child = fork();
    if (child == 0) {
        bool ok = unshare(CLONE_NEWNS) == 0 && mount("none", "/", NULL, MS_REC | MS_PRIVATE, NULL) == 0 &&
                  mount("tmpfs", p->dir, "tmpfs", 0, options) == 0;
        _exit(ok ? use(p) : 77);
    }
    int status = wait_for(child);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static bool fill_disk(sv path) {
    static const char zeros[4096];
    int fd = open(path.data, O_WRONLY | O_CREAT, 0600);
    while (write(fd, zeros, sizeof zeros) > 0) {}
    close(fd);
    return errno == ENOSPC;
}

static int use_full_disk(struct place *p) {
    sv path = place_get_path(p, "state.db"), filler = place_get_path(p, "filler");
    struct store *s = place_open(p, path, NULL);
    int64_t version = 0;
    for (; s != NULL && version < 3; version++) {
        if (write_version(s, NULL, version + 1) != STORE_OK) {
            return 1;
        }
    }
    if (s == NULL || !fill_disk(filler)) {
        return 2;
    }
    enum store_result r = STORE_OK;
    for (; r == STORE_OK && version < 1000; version += r == STORE_OK) {
        r = write_version(s, NULL, version + 1);
    }
    if (r != STORE_FAILED || p->diags.items.items[0]->code != DIAG_state_not_available) {
        return 3;
    }
    if (sv_find(p->diags.items.items[0]->hint, SV("room")) == SIZE_MAX) {
        return 4;
    }
    if (read_version(s) != version) { /* read anew: nothing lost, nothing half */
        return 5;
    }
    unlink(filler.data);
    s->ops->close(s); /* notes the last commit that there was, not the one that failed */
    s = place_open(p, path, NULL);
    if (s == NULL || write_version(s, NULL, version + 1) != STORE_OK || read_version(s) != version + 1) {
        return 6;
    }
    s->ops->close(s);
    return 0;
}

/* F7 */
static void test_full_disk(void **state) {
    int result = in_tmpfs(*state, "size=400k", use_full_disk);
    if (result == 77) {
        print_message("needs a mount name space: skipped\n");
        skip();
    }
    assert_int_equal(result, 0);
}

static int use_tiny_disk(struct place *p) {
    enum store_result result;
    struct store *s = place_open(p, place_get_path(p, "state.db"), &result);
    return s == NULL && result == STORE_FAILED && has_report(p) ? 0 : 1;
}

static void test_tiny_disk(void **state) {
    int result = in_tmpfs(*state, "size=16k", use_tiny_disk);
    if (result == 77) {
        print_message("needs a mount name space: skipped\n");
        skip();
    }
    assert_int_equal(result, 0);
}

static int use_read_only_disk(struct place *p) {
    sv path = place_get_path(p, "state.db");
    struct store *s = place_open(p, path, NULL);
    if (s == NULL || write_version(s, NULL, 1) != STORE_OK) {
        return 1;
    }
    s->ops->close(s);
    if (mount(NULL, p->dir, NULL, MS_REMOUNT | MS_RDONLY, NULL) != 0) {
        return 77;
    }
    enum store_result result;
    s = place_open(p, path, &result);
    if (s != NULL || (result != STORE_READ_ONLY && result != STORE_FAILED) || !has_report(p)) {
        return 2;
    }
    struct store_options options = {
        .diags = &p->diags, .host = (struct host *)(uintptr_t)&host_system, .read_only = true, .busy_timeout_ms = 100};
    s = sqlite_store_open(&p->arena, path, &options, NULL); /* reading still works */
    return s != NULL && read_version(s) == 1 ? 0 : 3;
}

/* F11 */
static void test_read_only_disk(void **state) {
    int result = in_tmpfs(*state, "size=4m", use_read_only_disk);
    if (result == 77) {
        print_message("needs a mount name space: skipped\n");
        skip();
    }
    assert_int_equal(result, 0);
}

/* F11: rights lost; root may write everywhere, so it becomes somebody else. */
static void test_rights_lost(void **state) {
    struct place *p = *state;
    sv dir = place_get_path(p, "locked"), path = place_get_path(p, "locked/state.db");
    assert_int_equal(read_version_at(p, path), 0);
    if (geteuid() == 0) {
        assert_int_equal(chmod(p->dir, 0755), 0);
    }
    assert_int_equal(chmod(dir.data, 0555), 0);
    assert_int_equal(chmod(path.data, 0444), 0);
    pid_t child = fork();
    if (child == 0) {
        if (geteuid() == 0 && setuid(65534) != 0) {
            _exit(77);
        }
        enum store_result result;
        struct store *s = place_open(p, path, &result);
        _exit(s == NULL && result != STORE_OK && has_report(p) ? 0 : 1);
    }
    int status = wait_for(child);
    chmod(dir.data, 0755);
    assert_true(WIFEXITED(status));
    assert_int_equal(WEXITSTATUS(status), 0);
}

/* F7, F8: the N-th call of a kind fails, for every N. */

static bool has_strace(void) {
    return system("strace -o /dev/null true >/dev/null 2>&1") == 0;
}

struct injection {
    const char *call, *error;
    int step;
    bool only_state; /* calls of the loader on other files are left alone */
};

/* Whether the line is a call of `name` on `fd`; the sync calls by their common end. */
static bool is_call(sv line, const char *name, int fd) {
    char text[48];
    snprintf(text, sizeof text, "%s(%d", name, fd);
    size_t at = sv_find(line, sv_from_cstr(text));
    char behind = at == SIZE_MAX ? 0 : line.data[at + strlen(text)];
    return behind == ')' || behind == ',';
}

/* A file whose sync failed is not synced again before it was closed, cut or written to anew. */
static void check_no_second_sync(sv log) {
    struct arena a = {0};
    sv rest = read_whole_file(&a, log);
    int failed = -1;
    bool again = false;
    while (rest.len > 0) {
        sv line = sv_cut(&rest, '\n');
        size_t at = sv_find(line, SV("sync("));
        again = again || (failed >= 0 && is_call(line, "sync", failed));
        if (failed >= 0 && (is_call(line, "close", failed) || is_call(line, "pwrite64", failed) ||
                            is_call(line, "ftruncate", failed))) {
            failed = -1;
        }
        if (at != SIZE_MAX && sv_find(line, SV("(INJECTED)")) != SIZE_MAX) {
            failed = (int)strtol(line.data + at + 5, NULL, 10);
        }
    }
    arena_fini(&a);
    assert_false(again);
}

static void inject(struct place *p, const char *self, const struct injection *i, int number) {
    sv path = arena_printf(&p->arena, "%s/%s-%s-%d.db", p->dir, i->call, i->error, number);
    sv log = arena_printf(&p->arena, "%s.log", path.data);
    sv command = arena_printf(
        &p->arena,
        "ASAN_OPTIONS=detect_leaks=0 strace -o %s -e trace=%s,close,pwrite64,ftruncate -e inject=%s:error=%s:when=%d "
        "%s%s %s worker %s 2>%s.err",
        log.data, i->call, i->call, i->error, number, i->only_state ? "-P " : "", i->only_state ? path.data : "", self,
        path.data, path.data);
    int status = system(command.data);
    assert_true(WIFEXITED(status));
    int result = WEXITSTATUS(status);
    if (result != WORKER_DONE && result != WORKER_REPORTED) {
        print_error("%s %s at %d: exit %d\n", i->call, i->error, number, result);
        fail();
    }
    check_no_second_sync(log);
    int64_t acknowledged = read_acknowledged(p, path), found = read_version_at(p, path);
    assert_true(found >= acknowledged);
    struct store *s = place_open(p, path, NULL); /* and it goes on */
    assert_int_equal(write_version(s, NULL, found + 1), STORE_OK);
    s->ops->close(s);
}

static const char *self_path(struct place *p) {
    char text[4096];
    ssize_t len = readlink("/proc/self/exe", text, sizeof text);
    assert_true(len > 0);
    return arena_copy_cstr(&p->arena, sv_make(text, (size_t)len));
}

static void test_failing_calls(void **state) {
    static const struct injection injections[] = {
        {"pwrite64", "ENOSPC", 7}, {"pwrite64", "EIO", 9},  {"fdatasync", "EIO", 1},
        {"fsync", "EIO", 1},       {"ftruncate", "EIO", 2}, {"pread64", "EIO", 5, true},
    };
    if (!has_strace()) {
        print_message("needs strace: skipped\n");
        skip();
    }
    struct place *p = *state;
    const char *self = self_path(p);
    for (size_t i = 0; i < sizeof injections / sizeof injections[0]; i++) {
        int last = injections[i].step == 1 ? 14 : 120;
        for (int number = 1; number <= last; number += injections[i].step) {
            inject(p, self, &injections[i], number);
        }
    }
}

#define CASE(fn) cmocka_unit_test_setup_teardown(fn, set_up, tear_down)

int main(int argc, char **argv) {
    if (argc == 3 && strcmp(argv[1], "worker") == 0) {
        struct place p = {0};
        place_reset_diags(&p);
        return work(&p, sv_from_cstr(argv[2]));
    }
    const struct CMUnitTest tests[] = {
        CASE(test_file_size_limit), CASE(test_full_disk),   CASE(test_tiny_disk),
        CASE(test_read_only_disk),  CASE(test_rights_lost), CASE(test_failing_calls),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
