/* What local/file and local/directory promise beyond the contract. */
#include "providers/local/local.h"
#include "suite.h"

#include <fcntl.h>
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

#include <cmocka.h>

enum { KEY = 0x41, OTHER_KEY = 0x42 };

static void write_text(sv path, const char *text) {
    FILE *file = fopen(path.data, "w");
    assert_non_null(file);
    fputs(text, file);
    fclose(file);
}

static sv read_text(struct world *w, sv path) {
    char *text = arena_alloc(&w->arena, 4096);
    FILE *file = fopen(path.data, "r");
    assert_non_null(file);
    size_t len = fread(text, 1, 4096, file);
    fclose(file);
    return sv_make(text, len);
}

static mode_t get_mode(sv path) {
    struct stat st;
    assert_int_equal(lstat(path.data, &st), 0);
    return st.st_mode;
}

static struct provider_call file_call(struct world *w, uint8_t key, sv path, const char *rest) {
    sv json = arena_printf(&w->arena, "{\"path\": %s%s}", world_quote(w, path).data, rest);
    value spec = world_make_spec(w, &local_file_type, json);
    return world_make_call(w, &local_file_type, key, spec, (value){0});
}

static struct provider_call directory_call(struct world *w, uint8_t key, sv path, const char *rest) {
    sv json = arena_printf(&w->arena, "{\"path\": %s%s}", world_quote(w, path).data, rest);
    value spec = world_make_spec(w, &local_directory_type, json);
    return world_make_call(w, &local_directory_type, key, spec, (value){0});
}

static void expect_reason(const struct provider_call *c, const char *part) {
    if (sv_find(world_get_reason(c), sv_from_cstr(part)) == SIZE_MAX) {
        fail_msg("'%s' is not in '%.*s'", part, SV_ARG(world_get_reason(c)));
    }
}

/* --- Files --- */

static void a_foreign_file_is_refused_unless_adopted(void **state) {
    struct world *w = *state;
    sv path = world_path(w, "x");
    write_text(path, "precious");
    struct provider_call c = file_call(w, KEY, path, ", \"contents\": \"new\"");
    assert_int_equal(local_file_type.create(&c), PROVIDER_TERMINAL);
    expect_reason(&c, "'adopt: true'");
    assert_true(sv_eq(read_text(w, path), SV("precious")));
    c = file_call(w, KEY, path, ", \"contents\": \"precious\""); /* equal contents are no proof */
    assert_int_equal(local_file_type.create(&c), PROVIDER_TERMINAL);
    c = file_call(w, KEY, path, ", \"contents\": \"new\", \"adopt\": true");
    assert_int_equal(local_file_type.create(&c), PROVIDER_OK);
    assert_true(sv_eq(read_text(w, path), SV("new")));
}

static void contents_mode_digest_and_size_are_right(void **state) {
    struct world *w = *state;
    sv path = world_path(w, "x");
    umask(077);
    struct provider_call c = file_call(w, KEY, path, ", \"contents\": \"abc\", \"mode\": \"0751\"");
    assert_int_equal(local_file_type.create(&c), PROVIDER_OK);
    umask(022);
    assert_int_equal(get_mode(path) & 07777, 0751);
    assert_true(sv_eq(provider_get_text(c.computed, SV("sha256")),
                      SV("ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad")));
    assert_int_equal(provider_get_i64(c.computed, SV("size"), 0), 3);
}

/* BP-284: the provider gets the secret itself, and its mark. A short secret could be guessed from its digest, and its
 * length helps. */
static void digest_and_size_of_a_secret_are_secret(void **state) {
    struct world *w = *state;
    struct provider_call c = file_call(w, KEY, world_path(w, "x"), "");
    value secret = value_mark(value_string(&w->arena, SV("pin 1234")), MARK_SENSITIVE);
    c.spec = value_map_with(&w->arena, c.spec, SV("contents"), secret);
    assert_int_equal(local_file_type.create(&c), PROVIDER_OK);
    assert_true(value_is_sensitive(value_map_find(c.computed, SV("sha256"))));
    assert_true(value_is_sensitive(value_map_find(c.computed, SV("size"))));
    write_text(world_path(w, "x"), "pin 5678");
    assert_int_equal(local_file_type.read(&c), PROVIDER_OK);
    assert_true(value_is_sensitive(value_map_find(c.found_spec, SV("contents"))));
    assert_true(value_is_sensitive(value_map_find(c.computed, SV("sha256"))));
    assert_true(value_is_sensitive(value_map_find(c.computed, SV("size"))));
}

static void a_plan_hides_digest_and_size_of_a_secret(void **state) {
    struct world *w = *state;
    struct provider_call c = file_call(w, KEY, world_path(w, "x"), "");
    value secret = value_mark(value_string(&w->arena, SV("pin 1234")), MARK_SENSITIVE);
    c.spec = value_map_with(&w->arena, c.spec, SV("contents"), secret);
    assert_int_equal(local_file_type.create(&c), PROVIDER_OK);
    struct field_diff diff = {0};
    struct field_change *change = VEC_ADD(&w->arena, &diff.changes);
    struct path spec = path_with_key(&w->arena, (struct path){0}, SV("spec"));
    *change = (struct field_change){.path = path_with_key(&w->arena, spec, SV("contents")), .sensitive = true};
    local_file_type.plan(&w->arena, c.computed, c.spec, &diff);
    assert_int_equal(diff.changes.len, 3);
    assert_true(diff.changes.items[1].sensitive && diff.changes.items[2].sensitive);
}

static void links_and_other_things_are_never_followed(void **state) {
    struct world *w = *state;
    sv target = world_path(w, "target"), path = world_path(w, "x");
    write_text(target, "precious");
    assert_int_equal(symlink(target.data, path.data), 0);
    struct provider_call c = file_call(w, KEY, path, ", \"contents\": \"new\", \"adopt\": true");
    assert_int_equal(local_file_type.create(&c), PROVIDER_TERMINAL);
    expect_reason(&c, "not a regular file");
    assert_int_equal(local_file_type.update(&c), PROVIDER_TERMINAL);
    assert_int_equal(local_file_type.destroy(&c), PROVIDER_TERMINAL);
    assert_true(sv_eq(read_text(w, target), SV("precious")));
    unlink(path.data);
    assert_int_equal(mkfifo(path.data, 0600), 0);
    c = file_call(w, KEY, path, "");
    assert_int_equal(local_file_type.read(&c), PROVIDER_TERMINAL); /* and does not wait for a writer */
}

static void drift_is_told_by_contents_and_mode(void **state) {
    struct world *w = *state;
    sv path = world_path(w, "x");
    struct provider_call c = file_call(w, KEY, path, ", \"contents\": \"one\"");
    assert_int_equal(local_file_type.create(&c), PROVIDER_OK);
    value before = c.computed;
    write_text(path, "two");
    chmod(path.data, 0600);
    assert_int_equal(local_file_type.read(&c), PROVIDER_OK);
    assert_true(sv_eq(provider_get_text(c.found_spec, SV("contents")), SV("two")));
    assert_true(sv_eq(provider_get_text(c.found_spec, SV("mode")), SV("0600")));
    assert_false(value_eq(before, c.computed));
    write_text(path, "\xff\xfe");
    assert_int_equal(local_file_type.read(&c), PROVIDER_OK);
    assert_true(sv_eq(provider_get_text(c.found_spec, SV("contents")), SV("(2 bytes that are no text)")));
}

static void missing_directories_are_made_when_asked(void **state) {
    struct world *w = *state;
    sv path = world_path(w, "a/b/x");
    struct provider_call c = file_call(w, KEY, path, "");
    assert_int_equal(local_file_type.create(&c), PROVIDER_TERMINAL);
    expect_reason(&c, "'createDirectories: true'");
    c = file_call(w, KEY, path, ", \"createDirectories\": true");
    assert_int_equal(local_file_type.create(&c), PROVIDER_OK);
    assert_int_equal(local_file_type.destroy(&c), PROVIDER_OK);
    assert_int_equal(access(world_path(w, "a/b").data, F_OK), 0);
}

/* BP-404 */
static void relative_paths_start_at_the_blueprint(void **state) {
    struct world *w = *state;
    struct provider_call c = file_call(w, KEY, SV("x"), "");
    assert_int_equal(local_file_type.create(&c), PROVIDER_OK);
    assert_int_equal(access(world_path(w, "x").data, F_OK), 0);
}

static void leftovers_of_a_dead_attempt_are_cleared(void **state) {
    struct world *w = *state;
    sv path = world_path(w, "x");
    struct provider_call c = file_call(w, KEY, path, ", \"contents\": \"new\"");
    sv leftover = arena_printf(&w->arena, "%s/.lintel-%.*s.tmp", w->dir, SV_ARG(provider_key_text(&c)));
    write_text(leftover, "half");
    assert_int_equal(local_file_type.recover(&c), PROVIDER_ABSENT);
    assert_int_not_equal(access(leftover.data, F_OK), 0);
    write_text(leftover, "half");
    assert_int_equal(local_file_type.create(&c), PROVIDER_OK);
    assert_true(sv_eq(read_text(w, path), SV("new")));
    assert_int_not_equal(access(leftover.data, F_OK), 0);
}

/* An update of a later run may have the same key: its own contents decide. */
static void recovery_is_not_fooled_by_an_earlier_update(void **state) {
    struct world *w = *state;
    sv path = world_path(w, "x");
    struct provider_call c = file_call(w, KEY, path, ", \"contents\": \"one\"");
    assert_int_equal(local_file_type.create(&c), PROVIDER_OK);
    c = file_call(w, KEY, path, ", \"contents\": \"two\"");
    assert_int_equal(local_file_type.recover(&c), PROVIDER_ABSENT);
    assert_int_equal(local_file_type.update(&c), PROVIDER_OK);
    assert_int_equal(local_file_type.recover(&c), PROVIDER_OK);
}

static void what_another_resource_took_over_stays(void **state) {
    struct world *w = *state;
    sv path = world_path(w, "x");
    struct provider_call c = file_call(w, KEY, path, ", \"contents\": \"one\"");
    assert_int_equal(local_file_type.create(&c), PROVIDER_OK);
    struct provider_call other = file_call(w, OTHER_KEY, path, ", \"contents\": \"two\", \"adopt\": true");
    other.address.text = SV("resources.other");
    assert_int_equal(local_file_type.create(&other), PROVIDER_OK);
    assert_int_equal(local_file_type.destroy(&c), PROVIDER_ABSENT);
    assert_true(sv_eq(read_text(w, path), SV("two")));
    assert_int_equal(local_file_type.destroy(&other), PROVIDER_OK);
}

static void an_unchanged_file_is_not_written_again(void **state) {
    struct world *w = *state;
    sv path = world_path(w, "x");
    struct provider_call c = file_call(w, KEY, path, ", \"contents\": \"one\"");
    assert_int_equal(local_file_type.create(&c), PROVIDER_OK);
    struct stat before, after;
    assert_int_equal(stat(path.data, &before), 0);
    c = file_call(w, OTHER_KEY, path, ", \"contents\": \"one\"");
    assert_int_equal(local_file_type.update(&c), PROVIDER_OK);
    assert_int_equal(local_file_type.recover(&c), PROVIDER_OK); /* it carries the new key */
    assert_int_equal(stat(path.data, &after), 0);
    assert_true(before.st_ino == after.st_ino);
}

static void readers_see_the_old_file_or_the_new_one(void **state) {
    struct world *w = *state;
    sv path = world_path(w, "x");
    struct provider_call c = file_call(w, KEY, path, ", \"contents\": \"one\"");
    assert_int_equal(local_file_type.create(&c), PROVIDER_OK);
    int fd = open(path.data, O_RDONLY | O_CLOEXEC);
    c = file_call(w, KEY, path, ", \"contents\": \"two\"");
    assert_int_equal(local_file_type.update(&c), PROVIDER_OK);
    char text[8];
    assert_int_equal(read(fd, text, sizeof text), 3);
    assert_memory_equal(text, "one", 3);
    close(fd);
}

static void impossible_paths_are_refused(void **state) {
    struct world *w = *state;
    static const sv paths[] = {SV_INIT(""), SV_INIT("/tmp/"), SV_INIT("/tmp/x\0y"), SV_INIT("/tmp/.."), SV_INIT(".")};
    for (size_t i = 0; i < sizeof paths / sizeof paths[0]; i++) {
        struct provider_call c = file_call(w, KEY, SV("x"), "");
        c.spec = value_map_with(&w->arena, c.spec, SV("path"), value_string(&w->arena, paths[i]));
        struct diags diags;
        diags_init(&diags, &w->arena, NULL);
        local_file_type.validate(&w->arena, c.spec, &diags, SPAN_NONE, SV("resources.x.spec"));
        assert_int_equal(diags.errors, 1);
        assert_true(sv_eq(diags.items.items[0]->path, SV("resources.x.spec.path")));
        assert_int_equal(local_file_type.create(&c), PROVIDER_TERMINAL);
        assert_int_equal(local_file_type.destroy(&c), PROVIDER_TERMINAL);
    }
}

/* --- Directories --- */

static void a_full_directory_stays_unless_purged(void **state) {
    struct world *w = *state;
    sv path = world_path(w, "d");
    struct provider_call c = directory_call(w, KEY, path, "");
    assert_int_equal(local_directory_type.create(&c), PROVIDER_OK);
    write_text(world_path(w, "d/x"), "x");
    assert_int_equal(local_directory_type.destroy(&c), PROVIDER_TERMINAL);
    expect_reason(&c, "'purge: true'");
    assert_int_equal(access(world_path(w, "d/x").data, F_OK), 0);
}

static void purging_does_not_leave_the_directory(void **state) {
    struct world *w = *state;
    sv path = world_path(w, "d");
    mkdir(world_path(w, "outside").data, 0755);
    write_text(world_path(w, "outside/precious"), "x");
    struct provider_call c = directory_call(w, KEY, path, ", \"purge\": true");
    assert_int_equal(local_directory_type.create(&c), PROVIDER_OK);
    mkdir(world_path(w, "d/a").data, 0755);
    mkdir(world_path(w, "d/a/b").data, 0700);
    write_text(world_path(w, "d/a/b/x"), "x");
    assert_int_equal(symlink("../../outside", world_path(w, "d/a/link").data), 0);
    assert_int_equal(local_directory_type.destroy(&c), PROVIDER_OK);
    assert_int_not_equal(access(path.data, F_OK), 0);
    assert_int_equal(access(world_path(w, "outside/precious").data, F_OK), 0);
}

static void purging_has_a_limit_of_depth(void **state) {
    struct world *w = *state;
    struct provider_call c = directory_call(w, KEY, world_path(w, "d"), ", \"purge\": true");
    assert_int_equal(local_directory_type.create(&c), PROVIDER_OK);
    int fd = open(world_path(w, "d").data, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    for (int i = 0; i < 300; i++) {
        assert_int_equal(mkdirat(fd, "d", 0755), 0);
        int next = openat(fd, "d", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
        close(fd);
        fd = next;
    }
    close(fd);
    assert_int_equal(local_directory_type.destroy(&c), PROVIDER_TERMINAL);
    expect_reason(&c, "directories deep");
}

static void a_foreign_directory_is_refused_unless_adopted(void **state) {
    struct world *w = *state;
    sv path = world_path(w, "d");
    mkdir(path.data, 0700);
    struct provider_call c = directory_call(w, KEY, path, "");
    assert_int_equal(local_directory_type.create(&c), PROVIDER_TERMINAL);
    c = directory_call(w, KEY, path, ", \"adopt\": true");
    assert_int_equal(local_directory_type.create(&c), PROVIDER_OK);
    assert_int_equal(get_mode(path) & 07777, 0755);
    write_text(world_path(w, "x"), "");
    c = directory_call(w, KEY, world_path(w, "x"), ", \"adopt\": true");
    assert_int_equal(local_directory_type.create(&c), PROVIDER_TERMINAL);
}

/* The mark in use here, so that the cases above show what they say. */
static void marks_are_kept_by_this_file_system(void **state) {
    struct world *w = *state;
    sv path = world_path(w, "x");
    struct provider_call c = file_call(w, KEY, path, "");
    assert_int_equal(local_file_type.create(&c), PROVIDER_OK);
    char key[64];
    ssize_t len = getxattr(path.data, "user.lintel.key", key, sizeof key);
    if (len < 0) {
        print_message("# SKIP-REASON the file system of /tmp has no user attributes\n");
        skip();
    }
    assert_true(sv_eq(sv_make(key, (size_t)len), provider_key_text(&c)));
}

#define CASE(f) cmocka_unit_test_setup_teardown(f, world_set_up, world_tear_down)

int main(void) {
    const struct CMUnitTest tests[] = {
        CASE(a_foreign_file_is_refused_unless_adopted),
        CASE(contents_mode_digest_and_size_are_right),
        CASE(digest_and_size_of_a_secret_are_secret),
        CASE(a_plan_hides_digest_and_size_of_a_secret),
        CASE(links_and_other_things_are_never_followed),
        CASE(drift_is_told_by_contents_and_mode),
        CASE(missing_directories_are_made_when_asked),
        CASE(relative_paths_start_at_the_blueprint),
        CASE(leftovers_of_a_dead_attempt_are_cleared),
        CASE(recovery_is_not_fooled_by_an_earlier_update),
        CASE(what_another_resource_took_over_stays),
        CASE(an_unchanged_file_is_not_written_again),
        CASE(readers_see_the_old_file_or_the_new_one),
        CASE(impossible_paths_are_refused),
        CASE(a_full_directory_stays_unless_purged),
        CASE(purging_does_not_leave_the_directory),
        CASE(purging_has_a_limit_of_depth),
        CASE(a_foreign_directory_is_refused_unless_adopted),
        CASE(marks_are_kept_by_this_file_system),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
