#include "base/arena.h"
#include "unit/base/check.h"

#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static bool is_zero(const char *bytes, size_t len) {
    for (size_t i = 0; i < len; i++) {
        if (bytes[i] != 0) {
            return false;
        }
    }
    return true;
}

static void test_memory_is_zeroed_aligned_and_apart(void **state) {
    (void)state;
    struct arena a = {0};
    enum { COUNT = 3000 };
    char *objects[COUNT];
    size_t sizes[COUNT];
    uint64_t random = 1;
    for (int i = 0; i < COUNT; i++) {
        sizes[i] = i % 500 == 499 ? 200000 : 1 + next_random(&random) % 300;
        objects[i] = arena_alloc(&a, sizes[i]);
        assert_true(is_zero(objects[i], sizes[i]));
        assert_int_equal((uintptr_t)objects[i] % (sizes[i] % 16 == 0 ? 16 : 8), 0);
        memset(objects[i], i % 255 + 1, sizes[i]);
    }
    for (int i = 0; i < COUNT; i++) {
        for (size_t at = 0; at < sizes[i]; at++) {
            assert_int_equal((unsigned char)objects[i][at], i % 255 + 1);
        }
    }
    assert_true(a.total > (size_t)COUNT * 100);
    arena_fini(&a);
    assert_int_equal(a.total, 0);
    assert_non_null(arena_alloc(&a, 1)); /* usable again */
    arena_fini(&a);
}

static void test_nothing_is_something(void **state) {
    (void)state;
    struct arena a = {0};
    assert_non_null(arena_alloc(&a, 0));
    assert_non_null(arena_alloc_array(&a, 0, 8));
    assert_ptr_not_equal(arena_alloc(&a, 0), arena_alloc(&a, 0));
    arena_fini(&a);
}

/* Empty arrays are common; each has an address of its own and costs a few bytes, never a block. */
static void test_empty_objects_cost_little(void **state) {
    (void)state;
    struct arena a = {0};
    for (int i = 0; i < 10000; i++) {
        assert_non_null(arena_alloc(&a, 0));
    }
    assert_true(a.total <= (size_t)10000 * 64);
    arena_fini(&a);
}

/* Growth keeps the content and zeroes the rest: in the free part, by moving, and for arrays with a block of their own.
 */
static void test_grown_array_keeps_its_content(void **state) {
    (void)state;
    struct arena a = {0};
    uint32_t *numbers = NULL;
    size_t count = 0;
    for (size_t next = 3; next < 3000000; next = next * 3 / 2) {
        numbers = arena_grow_array(&a, numbers, count, next, sizeof *numbers);
        for (size_t i = 0; i < next; i++) {
            assert_int_equal(numbers[i], i < count ? i : 0);
        }
        for (size_t i = count; i < next; i++) {
            numbers[i] = (uint32_t)i;
        }
        count = next;
        if (count % 2 == 0) {
            (void)arena_alloc(&a, 24); /* the array is not the newest object any more */
        }
    }
    arena_fini(&a);
}

#ifndef LINTEL_ARENA_DEBUG
static void test_newest_array_grows_in_place(void **state) {
    (void)state;
    struct arena a = {0};
    char *first = arena_alloc_array(&a, 10, 1);
    assert_ptr_equal(arena_grow_array(&a, first, 10, 1000, 1), first);
    (void)arena_alloc(&a, 1);
    assert_ptr_not_equal(arena_grow_array(&a, first, 1000, 1001, 1), first);
    arena_fini(&a);
}
#endif

static void test_text_copies_end_with_nul(void **state) {
    (void)state;
    struct arena a = {0};
    sv copy = arena_copy_sv(&a, sv_make("ab\0cd", 5));
    assert_int_equal(copy.len, 5);
    assert_memory_equal(copy.data, "ab\0cd", 6);
    assert_string_equal(arena_copy_cstr(&a, (sv){0}), "");
    CHECK_SV(arena_printf(&a, "%s-%d", "x", 42), "x-42");
    char wide[2000];
    memset(wide, 'w', sizeof wide - 1);
    wide[sizeof wide - 1] = '\0';
    CHECK_SV(arena_printf(&a, "%s", wide), wide);
    arena_fini(&a);
}

struct cleanup_log {
    char order[8];
    size_t len;
    struct arena *arena;
};

static void log_first(void *object) {
    struct cleanup_log *log = object;
    log->order[log->len++] = '1';
}

static void log_second(void *object) {
    struct cleanup_log *log = object;
    log->order[log->len++] = '2';
    (void)arena_alloc(log->arena, 100000); /* allowed until the end */
}

static void test_cleanups_run_in_reverse_order_once(void **state) {
    (void)state;
    struct arena a = {0};
    struct cleanup_log log = {.arena = &a};
    arena_add_cleanup(&a, log_first, &log);
    arena_add_cleanup(&a, log_second, &log);
    arena_fini(&a);
    arena_fini(&a);
    assert_string_equal(log.order, "21");
}

static void test_hash_seed_is_kept_and_differs_between_arenas(void **state) {
    (void)state;
    struct arena a = {0};
    struct arena b = {0};
    uint64_t seed = arena_get_hash_seed(&a);
    assert_true(seed != 0);
    assert_true(arena_get_hash_seed(&a) == seed);
    assert_true(arena_get_hash_seed(&b) != seed);
    arena_fini(&a);
    arena_fini(&b);
}

static void overflow_product(void) {
    struct arena a = {0};
    (void)arena_alloc_array(&a, SIZE_MAX / 2, 3);
}

static void overflow_growth(void) {
    struct arena a = {0};
    (void)arena_grow_array(&a, NULL, 0, SIZE_MAX / 2, 3);
}

/* The child's status and what it wrote on standard error. */
static int run_child(void (*fn)(void), char *said, size_t room) {
    int ends[2];
    assert_int_equal(pipe(ends), 0);
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        (void)signal(SIGABRT, SIG_DFL);
        (void)dup2(ends[1], STDERR_FILENO);
        fn();
        _exit(0);
    }
    (void)close(ends[1]);
    ssize_t len = read(ends[0], said, room - 1);
    said[len > 0 ? len : 0] = '\0';
    (void)close(ends[0]);
    int status = 0;
    assert_int_equal(waitpid(child, &status, 0), child);
    return status;
}

static void test_impossible_sizes_abort_with_one_line(void **state) {
    (void)state;
    void (*const cases[])(void) = {overflow_product, overflow_growth};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char said[200];
        int status = run_child(cases[i], said, sizeof said);
        assert_true(WIFSIGNALED(status) && WTERMSIG(status) == SIGABRT);
        assert_string_equal(said, "lintel: an array is larger than the address space\n");
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_memory_is_zeroed_aligned_and_apart),
        cmocka_unit_test(test_empty_objects_cost_little),
        cmocka_unit_test(test_nothing_is_something),
        cmocka_unit_test(test_grown_array_keeps_its_content),
#ifndef LINTEL_ARENA_DEBUG
        cmocka_unit_test(test_newest_array_grows_in_place),
#endif
        cmocka_unit_test(test_text_copies_end_with_nul),
        cmocka_unit_test(test_cleanups_run_in_reverse_order_once),
        cmocka_unit_test(test_hash_seed_is_kept_and_differs_between_arenas),
        cmocka_unit_test(test_impossible_sizes_abort_with_one_line),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
