/* F35: files with flipped bytes, cut files. Nothing crashes; what is read is what was written, or it is refused. */
#include "fault/store/common.h"

#include <stdlib.h>
#include <unistd.h>

enum { VERSIONS = 12, FLIPS = 500, CUTS = 60 };

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

static struct store *make_state(struct place *p, sv path) {
    struct store *s = place_open(p, path, NULL);
    assert_non_null(s);
    for (int64_t v = 1; v <= VERSIONS; v++) {
        assert_int_equal(write_version(s, NULL, v), STORE_OK);
    }
    return s;
}

static void remove_side_files(struct place *p) {
    unlink(place_get_path(p, "x.db-wal").data);
    unlink(place_get_path(p, "x.db-shm").data);
    unlink(place_get_path(p, "x.db-lock").data);
}

/* Opens the file and reads everything: whole or refused. */
static bool try_state(struct place *p, sv path) {
    place_reset_diags(p);
    enum store_result result;
    struct store *s = place_open(p, path, &result);
    if (s == NULL) {
        assert_true(result != STORE_OK);
        assert_true(p->diags.errors > 0);
        return false;
    }
    int64_t version = read_version(s);
    assert_true(version == VERSIONS || version == -1);
    if (version == -1) {
        assert_true(p->diags.errors > 0);
        assert_int_equal(s->ops->begin(s, NULL), STORE_CORRUPT);
    }
    struct store_instance *items;
    size_t count;
    if (s->ops->list_instances(s, &p->arena, (sv){0}, &items, &count) == STORE_OK && version == VERSIONS) {
        assert_int_equal(count, 1);
    }
    s->ops->close(s);
    return version == VERSIONS;
}

/* The file after a clean end. */
static void test_flipped_bytes(void **state) {
    struct place *p = *state;
    sv path = place_get_path(p, "good.db"), damaged = place_get_path(p, "x.db");
    struct store *s = make_state(p, path);
    s->ops->close(s);
    sv good = read_whole_file(&p->arena, path);
    char *bytes = arena_copy_cstr(&p->arena, good);
    unsigned seed = 3;
    int whole = 0;
    for (int round = 0; round < FLIPS; round++) {
        memcpy(bytes, good.data, good.len);
        for (int n = rand_r(&seed) % 4; n >= 0; n--) {
            size_t at = (size_t)rand_r(&seed) % good.len;
            bytes[at] = (char)(bytes[at] ^ (1 << rand_r(&seed) % 8));
        }
        remove_side_files(p);
        write_whole_file(damaged, sv_make(bytes, good.len));
        bool ok = try_state(p, damaged);
        whole += ok;
        if (!ok) { /* and it is left as it was found */
            struct arena a = {0};
            assert_true(sv_eq(read_whole_file(&a, damaged), sv_make(bytes, good.len)));
            arena_fini(&a);
        }
    }
    print_message("%d of %d flips refused, the others hit nothing that counts\n", FLIPS - whole, FLIPS);
    assert_true(whole < FLIPS);
}

static void test_cut_files(void **state) {
    struct place *p = *state;
    sv path = place_get_path(p, "good.db"), damaged = place_get_path(p, "x.db");
    struct store *s = make_state(p, path);
    s->ops->close(s);
    sv good = read_whole_file(&p->arena, path);
    unsigned seed = 4;
    int refused = 0;
    for (int round = 0; round < CUTS; round++) {
        size_t len = round % 2 == 0 ? (size_t)rand_r(&seed) % (good.len - 1) + 1
                                    : ((size_t)rand_r(&seed) % (good.len / 4096 - 1) + 1) * 4096;
        remove_side_files(p);
        write_whole_file(damaged, sv_slice(good, 0, len));
        refused += !try_state(p, damaged);
    }
    assert_true(refused > CUTS * 9 / 10); /* what was cut off may have been empty pages */
}

/* A log with flipped bytes loses what stands behind them; the side file knows that something is missing. */
static void test_flipped_log(void **state) {
    struct place *p = *state;
    sv path = place_get_path(p, "good.db"), damaged = place_get_path(p, "x.db");
    struct store *s = make_state(p, path);
    sv log = read_whole_file(&p->arena, place_get_path(p, "good.db-wal"));
    assert_true(log.len > 4096);
    copy_file(path, place_get_path(p, "kept.db"));
    copy_file(place_get_path(p, "good.db-lock"), place_get_path(p, "kept.db-lock"));
    char *bytes = arena_copy_cstr(&p->arena, log);
    unsigned seed = 5;
    int whole = 0;
    for (int round = 0; round < FLIPS / 2; round++) {
        memcpy(bytes, log.data, log.len);
        size_t at = (size_t)rand_r(&seed) % log.len;
        bytes[at] = (char)(bytes[at] ^ (1 << rand_r(&seed) % 8));
        remove_side_files(p);
        copy_file(place_get_path(p, "kept.db"), damaged);
        copy_file(place_get_path(p, "kept.db-lock"), place_get_path(p, "x.db-lock"));
        write_whole_file(place_get_path(p, "x.db-wal"), sv_make(bytes, log.len));
        whole += try_state(p, damaged);
    }
    print_message("%d of %d flips refused, the others hit nothing that counts\n", FLIPS / 2 - whole, FLIPS / 2);
    s->ops->close(s);
    assert_int_equal(read_version_at(p, path), VERSIONS);
}

#define CASE(fn) cmocka_unit_test_setup_teardown(fn, set_up, tear_down)

int main(void) {
    const struct CMUnitTest tests[] = {CASE(test_flipped_bytes), CASE(test_cut_files), CASE(test_flipped_log)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
