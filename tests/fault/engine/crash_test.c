/* kill -9 at every write of the state and every provider call, then run again: nothing is lost, nothing is made twice
 * (F1, F2, F3, F5, LC-011 (6), LC-023). */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include "cloud.h"
#include "crash.h"
#include "fault/long_form.h"
#include "providers/local/local.h"
#include "providers/random/random.h"
#include "providers/sqlite/sqlite_provider.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

static const struct provider *const all[] = {&provider_cloud, &provider_local, &provider_random, &provider_sqlite};
static const struct providers providers = {all, 4};

static const char first[] = "version: 2025-11-02\n"
                            "resources:\n"
                            "  id: {type: random/id, spec: {byteLength: 8}}\n"
                            "  secret: {type: random/password, spec: {length: 20}}\n"
                            "  dir: {type: local/directory, spec: {path: out}}\n"
                            "  file:\n"
                            "    type: local/file\n"
                            "    dependsOn: dir\n"
                            "    spec: {path: out/file.txt, contents: 'id ${id.spec.hex} ${secret.spec.result}'}\n"
                            "  db:\n"
                            "    type: sqlite/database\n"
                            "    dependsOn: dir\n"
                            "    spec: {path: out/data.db, migrations: ['CREATE TABLE t (x)']}\n"
                            "  thing: {type: cloud/thing, spec: {region: cloud, text: '${id.spec.hex}', kind: k}}\n"
                            "  unique: {type: cloud/unique, spec: {region: cloud, text: '${thing.spec.id}', kind: k}}\n"
                            "exports:\n"
                            "  id: {type: string, field: resources.id.spec.hex}\n";
/* Updates, both kinds of replacement, a removal, something new. */
static const char second[] =
    "version: 2025-11-02\n"
    "resources:\n"
    "  id: {type: random/id, spec: {byteLength: 8}}\n"
    "  secret: {type: random/password, spec: {length: 20}}\n"
    "  dir: {type: local/directory, spec: {path: out}}\n"
    "  file:\n"
    "    type: local/file\n"
    "    dependsOn: dir\n"
    "    spec: {path: out/other.txt, contents: 'id ${id.spec.hex} ${secret.spec.result}'}\n"
    "  thing: {type: cloud/thing, spec: {region: cloud, text: '${id.spec.hex}', kind: other}}\n"
    "  unique: {type: cloud/unique, spec: {region: cloud, text: '${thing.spec.id}', kind: other}}\n"
    "  more: {type: cloud/thing, spec: {region: cloud, text: '${unique.spec.id}'}}\n"
    "exports:\n"
    "  id: {type: string, field: resources.id.spec.hex}\n";

/* What only the run knows: conditions, a late read, values that last, templates and a child. */
static const char third[] =
    "version: 2025-11-02\n"
    "include:\n"
    "  core: {path: core.yaml, variables: {text: '${uuid()}'}}\n"
    "datasources:\n"
    "  note:\n"
    "    type: local/file\n"
    "    filter:\n"
    "      - {field: directory, operator: '=', search: out}\n"
    "      - {field: sha256, operator: '=', search: '${note.spec.sha256}'}\n"
    "    exports: {contents: {type: string, aliasFor: content}}\n"
    "resources:\n"
    "  id: {type: random/id, spec: {byteLength: 8}}\n"
    "  dir: {type: local/directory, spec: {path: out}}\n"
    "  note:\n"
    "    type: local/file\n"
    "    dependsOn: dir\n"
    "    spec: {path: 'out/${id.spec.hex}.txt', contents: '${uuid()}'}\n"
    "  copy: {type: local/file, dependsOn: dir, spec: {path: out/copy.txt, contents: '${datasources.note.contents}'}}\n"
    "  maybe:\n"
    "    type: cloud/thing\n"
    "    condition: '${eq(len(id.spec.hex), 16)}'\n"
    "    spec: {region: cloud, text: '${uuid()}'}\n"
    "  never:\n"
    "    type: cloud/thing\n"
    "    condition: '${eq(len(id.spec.hex), 8)}'\n"
    "    spec: {region: cloud, text: b}\n"
    "  many:\n"
    "    type: cloud/thing\n"
    "    each: '${split(\"a,b,c\", \",\")}'\n"
    "    spec: {region: cloud, text: '${elem}', kind: k}\n"
    "  last: {type: cloud/thing, dependsOn: [many, maybe], spec: {region: cloud, text: '${children.core.id}'}}\n"
    "exports:\n"
    "  id: {type: string, field: children.core.id}\n";
/* The conditions change sides, an instance goes, the child goes. */
static const char fourth[] = "version: 2025-11-02\n"
                             "resources:\n"
                             "  id: {type: random/id, spec: {byteLength: 4}}\n"
                             "  dir: {type: local/directory, spec: {path: out}}\n"
                             "  maybe:\n"
                             "    type: cloud/thing\n"
                             "    condition: '${eq(len(id.spec.hex), 16)}'\n"
                             "    spec: {region: cloud, text: '${uuid()}'}\n"
                             "  never:\n"
                             "    type: cloud/thing\n"
                             "    condition: '${eq(len(id.spec.hex), 8)}'\n"
                             "    spec: {region: cloud, text: b}\n"
                             "  many:\n"
                             "    type: cloud/thing\n"
                             "    each: '${split(\"a,b\", \",\")}'\n"
                             "    spec: {region: cloud, text: '${elem}', kind: other}\n"
                             "  last: {type: cloud/thing, dependsOn: [many, maybe], spec: {region: cloud, text: x}}\n";
static const char core[] = "version: 2025-11-02\n"
                           "variables:\n"
                           "  text: {type: string}\n"
                           "resources:\n"
                           "  inner: {type: cloud/thing, spec: {region: cloud, text: '${variables.text}'}}\n"
                           "exports:\n"
                           "  id: {type: string, field: resources.inner.spec.id}\n";

struct place {
    char dir[64];
    struct arena arena;
};

static void place_init(struct place *p) {
    memset(p, 0, sizeof *p);
    crash_make_dir(p->dir);
    crash_write_file(p->dir, "first.yaml", first);
    crash_write_file(p->dir, "second.yaml", second);
    crash_write_file(p->dir, "third.yaml", third);
    crash_write_file(p->dir, "fourth.yaml", fourth);
    crash_write_file(p->dir, "core.yaml", core);
    char cloud[128];
    snprintf(cloud, sizeof cloud, "%s/cloud", p->dir);
    assert_int_equal(mkdir(cloud, 0700), 0);
}

static void place_fini(struct place *p) {
    crash_remove_dir(p->dir);
    arena_fini(&p->arena);
}

static struct crash_end run(struct place *p, const char *blueprint, long kill_at) {
    struct crash_run r = {
        .dir = p->dir, .blueprint = blueprint, .kill_at = kill_at, .providers = &providers, .parallel = 3};
    struct crash_end end = {0};
    crash_run_in_child(&r, &end);
    return end;
}

static struct crash_end roll_back(struct place *p, long kill_at) {
    struct crash_run r = {
        .dir = p->dir, .rolls_back = true, .kill_at = kill_at, .providers = &providers, .parallel = 3};
    struct crash_end end = {0};
    crash_run_in_child(&r, &end);
    return end;
}

static void expect_ok(const struct crash_end *end, const char *when, long point) {
    if (end->killed || end->code != EXIT_OK) {
        print_error("%s after point %ld: exit %d\n%s", when, point, end->code, end->errors);
    }
    assert_false(end->killed);
    assert_int_equal(end->code, EXIT_OK);
}

static void check_first(struct place *p, long point) {
    const char *text = crash_read_file(&p->arena, p->dir, "out/file.txt");
    assert_non_null(text);
    assert_int_equal(strlen(text), strlen("id ") + 16 + 1 + 20);
    if (crash_count_files(p->dir, "cloud") != 2) {
        print_error("after point %ld\n", point);
    }
    assert_int_equal(crash_count_files(p->dir, "cloud"), 2);
    assert_non_null(crash_read_file(&p->arena, p->dir, "out/data.db"));
}

static void check_second(struct place *p) {
    assert_null(crash_read_file(&p->arena, p->dir, "out/file.txt"));
    assert_non_null(crash_read_file(&p->arena, p->dir, "out/other.txt"));
    assert_int_equal(crash_count_files(p->dir, "cloud"), 3);
    assert_null(crash_read_file(&p->arena, p->dir, "out/data.db"));
}

static void check_settled(struct place *p, const char *blueprint, long point) {
    struct crash_end end = run(p, blueprint, 0);
    expect_ok(&end, "planning again", point);
    assert_int_equal(end.changes, 0);
}

/* Cut off at the point; false when the run ended before it came to it. */
static bool cut_off(struct place *p, const char *blueprint, long point) {
    struct crash_end end = run(p, blueprint, point);
    if (!end.killed) {
        expect_ok(&end, "the run", point);
        assert_true(end.points < point);
    }
    return end.killed;
}

static void survives_while_deploying(void **state) {
    (void)state;
    long point = 0;
    for (bool more = true; more;) {
        struct place p;
        place_init(&p);
        more = cut_off(&p, "first.yaml", ++point);
        struct crash_end end = run(&p, "first.yaml", 0);
        expect_ok(&end, "going on", point);
        check_first(&p, point);
        check_settled(&p, "first.yaml", point);
        place_fini(&p);
    }
    assert_true(point > 60);
    print_message("# %ld points\n", point - 1);
}

static void survives_while_updating(void **state) {
    (void)state;
    long point = 0;
    for (bool more = true; more;) {
        struct place p;
        place_init(&p);
        struct crash_end end = run(&p, "first.yaml", 0);
        expect_ok(&end, "first", point);
        more = cut_off(&p, "second.yaml", ++point);
        end = run(&p, "second.yaml", 0);
        expect_ok(&end, "going on", point);
        check_second(&p);
        check_settled(&p, "second.yaml", point);
        place_fini(&p);
    }
    assert_true(point > 60);
    print_message("# %ld points\n", point - 1);
}

static void survives_while_destroying(void **state) {
    (void)state;
    long point = 0;
    for (bool more = true; more;) {
        struct place p;
        place_init(&p);
        struct crash_end end = run(&p, "first.yaml", 0);
        expect_ok(&end, "first", point);
        more = cut_off(&p, NULL, ++point);
        end = run(&p, NULL, 0);
        bool gone = end.code == EXIT_FAILED && strstr(end.errors, "instance_not_found") != NULL;
        if (!gone) {
            expect_ok(&end, "going on", point);
        }
        assert_int_equal(crash_count_files(p.dir, "cloud"), 0);
        assert_int_equal(crash_count_files(p.dir, "out"), 0);
        place_fini(&p);
    }
    assert_true(point > 40);
    print_message("# %ld points\n", point - 1);
}

/* An object of each instance, `maybe`, `last` and the child's; never one of `never`. The late read found the note. */
static void check_third(struct place *p, long point) {
    if (crash_count_files(p->dir, "cloud") != 6) {
        print_error("after point %ld\n", point);
    }
    assert_int_equal(crash_count_files(p->dir, "cloud"), 6);
    assert_int_equal(crash_count_files(p->dir, "out"), 2);
    const char *copy = crash_read_file(&p->arena, p->dir, "out/copy.txt");
    assert_non_null(copy);
    assert_int_equal(strlen(copy), 36);
}

static void survives_while_staging(void **state) { /* BP-468, BP-467, BP-152, BP-180, FN-231 */
    (void)state;
    long point = 0;
    for (bool more = true; more;) {
        struct place p;
        place_init(&p);
        more = cut_off(&p, "third.yaml", ++point);
        struct crash_end end = run(&p, "third.yaml", 0);
        expect_ok(&end, "going on", point);
        check_third(&p, point);
        check_settled(&p, "third.yaml", point);
        place_fini(&p);
    }
    assert_true(point > 60);
    print_message("# %ld points\n", point - 1);
}

static void survives_while_changing(void **state) { /* BP-468: late removals of the excluded; removed children */
    (void)state;
    long point = 0;
    for (bool more = true; more;) {
        struct place p;
        place_init(&p);
        struct crash_end end = run(&p, "third.yaml", 0);
        expect_ok(&end, "first", point);
        more = cut_off(&p, "fourth.yaml", ++point);
        end = run(&p, "fourth.yaml", 0);
        expect_ok(&end, "going on", point);
        assert_int_equal(crash_count_files(p.dir, "cloud"), 4); /* two instances, never, last */
        assert_int_equal(crash_count_files(p.dir, "out"), 0);
        check_settled(&p, "fourth.yaml", point);
        place_fini(&p);
    }
    assert_true(point > 60);
    print_message("# %ld points\n", point - 1);
}

/* Killed, then killed again while it recovers, then left alone (F3). */
static void survives_while_recovering(void **state) {
    (void)state;
    size_t nested = 0;
    for (long point = 11; point < 100; point += choose_form(17, 3)) {
        for (long again = 1;; again += choose_form(5, 2)) {
            struct place p;
            place_init(&p);
            bool more = cut_off(&p, "first.yaml", point) && cut_off(&p, "first.yaml", again);
            struct crash_end end = run(&p, "first.yaml", 0);
            expect_ok(&end, "going on", point * 1000 + again);
            check_first(&p, point * 1000 + again);
            check_settled(&p, "first.yaml", point * 1000 + again);
            place_fini(&p);
            nested += more;
            if (!more) {
                break;
            }
        }
    }
    assert_true(nested > 20);
    print_message("# %zu points\n", nested);
}

/* What was made again has another name than its users hold still (rollback_value_may_change): deploying settles that.
 */
static void check_settles(struct place *p, long point) {
    struct crash_end end = run(p, "first.yaml", 0);
    expect_ok(&end, "deploying again", point);
    check_first(p, point);
    check_settled(p, "first.yaml", point);
}

/* Wherever a run is killed, going back leads to what was before it; one that had not begun is none, and the run before
 * it is rolled back. */
static void rolls_back_what_was_killed(void **state) { /* BP-520, BP-521, F3 */
    (void)state;
    long point = 1, begun = 0;
    for (bool more = true; more; point += choose_form(3, 1)) {
        struct place p;
        place_init(&p);
        struct crash_end end = run(&p, "first.yaml", 0);
        expect_ok(&end, "first", point);
        more = cut_off(&p, "second.yaml", point);
        end = roll_back(&p, 0);
        expect_ok(&end, "rolling back", point);
        assert_int_equal(end.open, 0);
        if (end.undoes == 1) {
            assert_int_equal(crash_count_files(p.dir, "cloud"), 0);
            assert_int_equal(begun, 0);
        } else {
            begun++;
            check_first(&p, point);
            check_settles(&p, point);
        }
        place_fini(&p);
    }
    assert_true(begun > 15);
    print_message("# %ld points\n", point - 1);
}

/* A rollback that is killed at any point is gone on with by the next, to the same end. */
static void goes_on_rolling_back(void **state) { /* BP-523, LC-023, F3 */
    (void)state;
    long point = 1;
    for (bool more = true; more; point += choose_form(3, 1)) {
        struct place p;
        place_init(&p);
        struct crash_end end = run(&p, "first.yaml", 0);
        expect_ok(&end, "first", point);
        cut_off(&p, "second.yaml", 60); /* some way in */
        end = roll_back(&p, point);
        more = end.killed;
        if (!more) {
            expect_ok(&end, "rolling back at once", point);
        }
        end = roll_back(&p, 0);
        expect_ok(&end, "going on", point);
        check_first(&p, point);
        check_settles(&p, point);
        place_fini(&p);
    }
    assert_true(point > 30);
    print_message("# %ld points\n", point - 1);
}

/* usage: PROGRAM [NAME OF A CASE, with * and ?] */
int main(int argc, char **argv) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(survives_while_deploying),   cmocka_unit_test(survives_while_updating),
        cmocka_unit_test(survives_while_destroying),  cmocka_unit_test(survives_while_recovering),
        cmocka_unit_test(survives_while_staging),     cmocka_unit_test(survives_while_changing),
        cmocka_unit_test(rolls_back_what_was_killed), cmocka_unit_test(goes_on_rolling_back),
    };
    if (argc > 1) {
        cmocka_set_test_filter(argv[1]);
    }
    return cmocka_run_group_tests(tests, NULL, NULL);
}
