/* kill -9 at every write of the state, and in front of and behind every operation of a link, while links are made,
 * moved to another name, moved to another object, and removed (BP-490 to BP-492, LC-011 (6) and (7), LC-023). */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include "crash.h"
#include "fault/long_form.h"
#include "model/host.h"
#include "providers/local/local.h"

#include <dirent.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { SHORT_STEP = 7 }; /* prime to what one phase passes, so that points of all kinds are met */

static const char unlinked[] = "version: 2025-11-02\n"
                               "resources:\n"
                               "  page: {type: local/file, spec: {path: page.html, contents: x}}\n"
                               "  text: {type: local/file, spec: {path: text.txt, contents: y}}\n"
                               "  site: {type: local/directory, metadata: {labels: {app: x}}, spec: {path: site}}\n";
static const char linked[] = "version: 2025-11-02\n"
                             "resources:\n"
                             "  page:\n"
                             "    type: local/file\n"
                             "    linkSelector: {byLabel: {app: x}}\n"
                             "    spec: {path: page.html, contents: x}\n"
                             "  text:\n"
                             "    type: local/file\n"
                             "    linkSelector: {byLabel: {app: x}}\n"
                             "    spec: {path: text.txt, contents: y}\n"
                             "  site: {type: local/directory, metadata: {labels: {app: x}}, spec: {path: site}}\n";
/* One has another name, the other leads to another file. */
static const char moved[] = "version: 2025-11-02\n"
                            "resources:\n"
                            "  page:\n"
                            "    type: local/file\n"
                            "    linkSelector: {byLabel: {app: x}}\n"
                            "    metadata: {annotations: {local.directory.site.linkName: index.html}}\n"
                            "    spec: {path: page.html, contents: x}\n"
                            "  text:\n"
                            "    type: local/file\n"
                            "    linkSelector: {byLabel: {app: x}}\n"
                            "    spec: {path: other.txt, contents: y}\n"
                            "  site: {type: local/directory, metadata: {labels: {app: x}}, spec: {path: site}}\n";

/* --- the link type, with points around its operations --- */

static struct crash *crash_of(const struct link_op_call *c) {
    return crash_of_host(c->call.host);
}

static enum provider_result update(struct link_op_call *c) {
    crash_pass(crash_of(c));
    enum provider_result result = local_file_to_directory_link.update_intermediaries(c);
    crash_pass(crash_of(c));
    return result;
}

static enum provider_result take_back(struct link_op_call *c) {
    crash_pass(crash_of(c));
    enum provider_result result = local_file_to_directory_link.remove_intermediaries(c);
    crash_pass(crash_of(c));
    return result;
}

static struct link_type link_type;
static const struct link_type *const links[] = {&link_type};
static struct provider local;
static const struct provider *const all[] = {&local};
static const struct providers providers = {all, 1};

static int wrap(void **state) {
    (void)state;
    link_type = local_file_to_directory_link;
    link_type.update_intermediaries = update;
    link_type.remove_intermediaries = take_back;
    local = provider_local;
    local.links = links;
    local.link_count = 1;
    return 0;
}

/* --- places --- */

struct place {
    char dir[64];
    struct arena arena;
};

static struct crash_end deploy(struct place *p, const char *text, long kill_at) {
    if (text != NULL) {
        crash_write_file(p->dir, "blueprint.yaml", text);
    }
    struct crash_run r = {.dir = p->dir,
                          .blueprint = text == NULL ? NULL : "blueprint.yaml",
                          .kill_at = kill_at,
                          .providers = &providers,
                          .parallel = 3};
    struct crash_end end = {0};
    crash_run_in_child(&r, &end);
    return end;
}

static void expect_ok(const struct crash_end *end, size_t changes) {
    if (end->code != EXIT_OK || (changes == 0 && end->changes != 0)) {
        fail_msg("exit code %d, %zu changes: %s", end->code, end->changes, end->errors);
    }
}

static void expect_link(struct place *p, const char *name, const char *target) {
    char path[128], wanted[128], found[128];
    snprintf(path, sizeof path, "%s/site/%s", p->dir, name);
    snprintf(wanted, sizeof wanted, "%s/%s", p->dir, target);
    ssize_t len = readlink(path, found, sizeof found - 1);
    assert_true(len > 0);
    found[len] = 0;
    assert_string_equal(found, wanted);
}

static size_t count_entries(struct place *p) {
    char path[128];
    snprintf(path, sizeof path, "%s/site", p->dir);
    DIR *dir = opendir(path);
    size_t count = 0;
    for (struct dirent *e = dir == NULL ? NULL : readdir(dir); e != NULL; e = readdir(dir)) {
        count += strcmp(e->d_name, ".") != 0 && strcmp(e->d_name, "..") != 0; /* what was left behind, too */
    }
    if (dir != NULL) {
        closedir(dir);
    }
    return count;
}

static void expect_linked(struct place *p) {
    expect_link(p, "page.html", "page.html");
    expect_link(p, "text.txt", "text.txt");
    assert_int_equal(count_entries(p), 2);
}

static void expect_moved(struct place *p) {
    expect_link(p, "index.html", "page.html");
    expect_link(p, "other.txt", "other.txt");
    assert_int_equal(count_entries(p), 2);
}

static void expect_unlinked(struct place *p) {
    assert_int_equal(count_entries(p), 0);
}

/* From one blueprint to the next with a kill at each point; the run after it ends what was begun, and nothing is left
 * to do. */
static void survive(const char *before, const char *after, void (*check)(struct place *p)) {
    const long step = choose_form(SHORT_STEP, 1);
    long point = 0;
    for (bool more = true; more;) {
        struct place p = {0};
        crash_make_dir(p.dir);
        struct crash_end end = {0};
        if (before != NULL) {
            end = deploy(&p, before, 0);
            expect_ok(&end, 1);
        }
        point += step;
        more = deploy(&p, after, point).killed;
        if (more) {
            end = deploy(&p, after, 0);
            expect_ok(&end, 1);
        }
        end = deploy(&p, after, 0);
        expect_ok(&end, 0);
        check(&p);
        crash_remove_dir(p.dir);
        arena_fini(&p.arena);
    }
    assert_true(point > 20);
    print_message("# up to %ld points\n", point - 1);
}

static void survives_while_linking(void **state) {
    (void)state;
    survive(NULL, linked, expect_linked);
}

static void survives_while_moving(void **state) {
    (void)state;
    survive(linked, moved, expect_moved);
}

static void survives_while_unlinking(void **state) {
    (void)state;
    survive(linked, unlinked, expect_unlinked);
}

/* Half made, and then not wanted any more. */
static void survives_a_change_of_mind(void **state) {
    (void)state;
    const long step = choose_form(SHORT_STEP, 1);
    long point = 0;
    for (bool more = true; more;) {
        struct place p = {0};
        crash_make_dir(p.dir);
        struct crash_end end = deploy(&p, unlinked, 0);
        expect_ok(&end, 1);
        point += step;
        more = deploy(&p, linked, point).killed;
        end = deploy(&p, unlinked, 0);
        expect_ok(&end, 1);
        expect_unlinked(&p);
        end = deploy(&p, unlinked, 0);
        expect_ok(&end, 0);
        crash_remove_dir(p.dir);
        arena_fini(&p.arena);
    }
    assert_true(point > 10);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(survives_while_linking),
        cmocka_unit_test(survives_while_moving),
        cmocka_unit_test(survives_while_unlinking),
        cmocka_unit_test(survives_a_change_of_mind),
    };
    return cmocka_run_group_tests(tests, wrap, NULL);
}
