/* kill -9 at every write of the state while it is checked for drift and while it is reconciled (LC-011 (6)). */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include "cloud.h"
#include "crash.h"
#include "providers/local/local.h"
#include "providers/random/random.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const struct provider *const all[] = {&provider_cloud, &provider_local, &provider_random};
static const struct providers providers = {all, 3};

static const char blueprint[] = "version: 2025-11-02\n"
                                "resources:\n"
                                "  id: {type: random/id, spec: {byteLength: 8}}\n"
                                "  same: {type: local/file, spec: {path: same.txt, contents: same}}\n"
                                "  other: {type: local/file, spec: {path: other.txt, contents: '${id.spec.hex}'}}\n"
                                "  gone: {type: local/file, spec: {path: gone.txt, contents: gone}}\n";

static const char first[] = "version: 2025-11-02\n"
                            "resources:\n"
                            "  id: {type: random/id, spec: {byteLength: 8}}\n"
                            "  file: {type: local/file, spec: {path: file.txt, contents: one}}\n"
                            "  old: {type: local/file, spec: {path: old.txt, contents: old}}\n"
                            "  thing: {type: cloud/thing, spec: {region: cloud, text: '${id.spec.hex}', kind: k}}\n";
/* An update, a replacement, a removal. */
static const char second[] = "version: 2025-11-02\n"
                             "resources:\n"
                             "  id: {type: random/id, spec: {byteLength: 8}}\n"
                             "  file: {type: local/file, spec: {path: file.txt, contents: two}}\n"
                             "  thing: {type: cloud/thing, spec: {region: cloud, text: '${id.spec.hex}', kind: l}}\n";

struct place {
    char dir[64];
    struct arena arena;
};

static struct crash_end run(struct place *p, bool checks_drift, long kill_at) {
    struct crash_run r = {.dir = p->dir,
                          .blueprint = "blueprint.yaml",
                          .kill_at = kill_at,
                          .checks_drift = checks_drift,
                          .providers = &providers,
                          .parallel = 3};
    struct crash_end end = {0};
    crash_run_in_child(&r, &end);
    return end;
}

static void place_init(struct place *p) {
    memset(p, 0, sizeof *p);
    crash_make_dir(p->dir);
    crash_write_file(p->dir, "blueprint.yaml", blueprint);
    struct crash_end end = run(p, false, 0);
    assert_int_equal(end.code, EXIT_OK);
    char gone[128];
    snprintf(gone, sizeof gone, "%s/gone.txt", p->dir);
    assert_int_equal(unlink(gone), 0);
    crash_write_file(p->dir, "other.txt", "changed");
}

static void place_fini(struct place *p) {
    crash_remove_dir(p->dir);
    arena_fini(&p->arena);
}

static void survives_while_checking(void **state) { /* BP-530 */
    (void)state;
    long point = 0;
    for (bool more = true; more;) {
        struct place p;
        place_init(&p);
        struct crash_end end = run(&p, true, ++point);
        more = end.killed;
        end = run(&p, true, 0);
        assert_int_equal(end.code, EXIT_DRIFT);
        assert_int_equal(end.changes, 2);
        end = run(&p, false, 0);
        assert_int_equal(end.code, EXIT_OK);
        assert_int_equal(end.changes, 2); /* taken back, as without the crash */
        end = run(&p, true, 0);
        assert_int_equal(end.code, EXIT_OK);
        assert_int_equal(end.changes, 0); /* nor has a drift record stayed */
        place_fini(&p);
    }
    assert_true(point > 8);
    print_message("# %ld points\n", point - 1);
}

/* --- reconciliation --- */

static struct crash_end deploy(struct place *p, const char *file, long kill_at) {
    struct crash_run r = {.dir = p->dir, .blueprint = file, .kill_at = kill_at, .providers = &providers, .parallel = 3};
    struct crash_end end = {0};
    crash_run_in_child(&r, &end);
    return end;
}

static struct crash_end reconcile(struct place *p, long kill_at) {
    struct crash_run r = {.dir = p->dir, .kill_at = kill_at, .reconciles = true, .providers = &providers};
    struct crash_end end = {0};
    crash_run_in_child(&r, &end);
    return end;
}

static void start(struct place *p) {
    memset(p, 0, sizeof *p);
    crash_make_dir(p->dir);
    crash_write_file(p->dir, "first.yaml", first);
    crash_write_file(p->dir, "second.yaml", second);
    char cloud[128];
    snprintf(cloud, sizeof cloud, "%s/cloud", p->dir);
    assert_int_equal(mkdir(cloud, 0700), 0);
}

static bool is_there(const struct place *p) {
    char path[128];
    snprintf(path, sizeof path, "%s/state.db", p->dir);
    return access(path, F_OK) == 0;
}

/* Whatever was cut off is settled once, and a deployment goes on from there to the same end. */
static void check_settled(struct place *p, const char *file, long point) {
    struct crash_end end = reconcile(p, 0);
    bool is_new = end.code == EXIT_FAILED && strstr(end.errors, "instance_not_found") != NULL;
    if (!is_new && end.code != EXIT_OK) {
        print_error("point %ld: exit %d\n%s", point, end.code, end.errors);
    }
    assert_true(is_new || end.code == EXIT_OK);
    assert_int_equal(end.changes, is_new ? 0 : end.open);
    end = deploy(p, file, 0);
    if (end.code != EXIT_OK) {
        print_error("point %ld: exit %d\n%s", point, end.code, end.errors);
    }
    assert_int_equal(end.code, EXIT_OK);
    assert_int_equal(crash_count_files(p->dir, "cloud"), 1);
    end = deploy(p, file, 0);
    assert_int_equal(end.code, EXIT_OK);
    assert_int_equal(end.changes, 0);
}

static void note(bool *became, const struct crash_end *end) {
    for (size_t i = 0; i <= STATUS_retained; i++) {
        became[i] = became[i] || end->became[i];
    }
}

static void survives_reconciled(void **state) { /* BP-533, LC-023 */
    (void)state;
    bool became[STATUS_retained + 1] = {0};
    const char *const files[] = {"first.yaml", "second.yaml"};
    for (size_t f = 0; f < 2; f++) {
        long point = 0;
        for (bool more = true; more;) {
            struct place p;
            start(&p);
            if (f == 1) {
                assert_int_equal(deploy(&p, "first.yaml", 0).code, EXIT_OK);
            }
            more = deploy(&p, files[f], ++point).killed;
            if (is_there(&p)) {
                struct crash_end end = reconcile(&p, 0);
                note(became, &end);
                check_settled(&p, files[f], point);
            }
            place_fini(&p);
        }
        print_message("# %ld points\n", point - 1);
        assert_true(point > 40);
    }
    assert_true(became[STATUS_created] && became[STATUS_create_failed]);
    assert_true(became[STATUS_updated] && became[STATUS_update_failed]);
    assert_true(became[STATUS_destroyed]);
}

/* Cut off while deploying, and again while that is reconciled. */
static void survives_cut_off_twice(void **state) { /* BP-532, LC-011 (6) */
    (void)state;
    size_t points = 0;
    for (long point = 20; point < 60; point += 7) {
        long again = 0;
        for (bool more = true; more;) {
            struct place p;
            start(&p);
            assert_int_equal(deploy(&p, "first.yaml", 0).code, EXIT_OK);
            assert_true(deploy(&p, "second.yaml", point).killed);
            more = reconcile(&p, ++again).killed;
            points += more;
            reconcile(&p, 0);
            check_settled(&p, "second.yaml", point * 1000 + again);
            place_fini(&p);
        }
    }
    assert_true(points > 30);
    print_message("# %zu points\n", points);
}

/* usage: PROGRAM [NAME OF A CASE, with * and ?] */
int main(int argc, char **argv) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(survives_while_checking),
        cmocka_unit_test(survives_reconciled),
        cmocka_unit_test(survives_cut_off_twice),
    };
    if (argc > 1) {
        cmocka_set_test_filter(argv[1]);
    }
    return cmocka_run_group_tests(tests, NULL, NULL);
}
