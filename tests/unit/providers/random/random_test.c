/* Random values with a host whose bytes are known. */
#include "model/host.h"
#include "providers/random/random.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <time.h>

#include <cmocka.h>

/* Gives the bytes 0, 1, 2 … 255, 0 … */
struct counter {
    uint8_t next;
};

static void fill_counting(void *user, void *out, size_t len) {
    struct counter *counter = user;
    for (size_t i = 0; i < len; i++) {
        ((uint8_t *)out)[i] = counter->next++;
    }
}

static void fill_same(void *user, void *out, size_t len) {
    (void)user;
    memset(out, 255, len);
}

static const struct host_ops counting_ops = {.fill_random = fill_counting};
static const struct host_ops same_ops = {.fill_random = fill_same};

struct fixture {
    struct arena arena;
    struct counter counter;
    struct host host;
};

static int set_up(void **state) {
    struct fixture *f = calloc(1, sizeof *f);
    f->host = (struct host){&counting_ops, &f->counter};
    *state = f;
    return 0;
}

static int tear_down(void **state) {
    struct fixture *f = *state;
    arena_fini(&f->arena);
    free(f);
    return 0;
}

static struct provider_call make_call(struct fixture *f, struct map_builder *spec) {
    return (struct provider_call){.arena = &f->arena, .host = &f->host, .spec = map_done(spec)};
}

static sv text_of(value computed, const char *name) {
    return provider_get_text(computed, sv_from_cstr(name));
}

static void an_id_has_two_spellings(void **state) {
    static const struct {
        int64_t len;
        uint8_t first;
        const char *id, *hex;
    } cases[] = {
        {1, 255, "_w", "ff"},
        {2, 0, "AAE", "0001"},
        {3, 251, "-_z9", "fbfcfd"},
        {4, 0, "AAECAw", "00010203"},
    };
    struct fixture *f = *state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct map_builder spec = {.arena = &f->arena};
        map_add(&spec, SV("byteLength"), value_int(cases[i].len));
        f->counter.next = cases[i].first;
        struct provider_call c = make_call(f, &spec);
        assert_int_equal(random_id_type.create(&c), PROVIDER_OK);
        assert_string_equal(arena_copy_cstr(&f->arena, text_of(c.computed, "id")), cases[i].id);
        assert_string_equal(arena_copy_cstr(&f->arena, text_of(c.computed, "hex")), cases[i].hex);
    }
}

static void an_id_has_bounds(void **state) {
    struct fixture *f = *state;
    static const int64_t lengths[] = {0, -1, 1025, INT64_MAX};
    for (size_t i = 0; i < sizeof lengths / sizeof lengths[0]; i++) {
        struct map_builder spec = {.arena = &f->arena};
        map_add(&spec, SV("byteLength"), value_int(lengths[i]));
        struct provider_call c = make_call(f, &spec);
        assert_int_equal(random_id_type.create(&c), PROVIDER_TERMINAL);
    }
}

/* Bytes 0 to 255 in turn: were they taken modulo 26, some letters would come more often. */
static void a_password_is_uniform(void **state) {
    struct fixture *f = *state;
    struct map_builder spec = {.arena = &f->arena};
    map_add(&spec, SV("length"), value_int(234)); /* 9 × 26, the largest multiple below 256 */
    map_add(&spec, SV("upper"), value_bool(false));
    map_add(&spec, SV("digits"), value_bool(false));
    struct provider_call c = make_call(f, &spec);
    assert_int_equal(random_password_type.create(&c), PROVIDER_OK);
    sv password = text_of(c.computed, "result");
    size_t counts[26] = {0};
    for (size_t i = 0; i < password.len; i++) {
        assert_in_range(password.data[i], 'a', 'z');
        counts[password.data[i] - 'a']++;
    }
    for (size_t i = 0; i < 26; i++) {
        assert_int_equal(counts[i], 9);
    }
    assert_true(value_is_sensitive(value_map_find(c.computed, SV("result"))));
}

static bool has_any(sv text, sv characters) {
    for (size_t i = 0; i < text.len; i++) {
        if (sv_find_char(characters, text.data[i]) != SIZE_MAX) {
            return true;
        }
    }
    return false;
}

static void every_class_occurs(void **state) {
    struct fixture *f = *state;
    f->host = host_system;
    for (int i = 0; i < 200; i++) {
        struct map_builder spec = {.arena = &f->arena};
        map_add(&spec, SV("length"), value_int(4));
        map_add(&spec, SV("special"), value_bool(true));
        map_add(&spec, SV("specialCharacters"), value_string(&f->arena, SV("++-")));
        struct provider_call c = make_call(f, &spec);
        assert_int_equal(random_password_type.create(&c), PROVIDER_OK);
        sv password = text_of(c.computed, "result");
        assert_int_equal(password.len, 4);
        assert_true(has_any(password, SV("+-")));
        assert_true(has_any(password, SV("0123456789")));
        assert_true(has_any(password, SV("abcdefghijklmnopqrstuvwxyz")));
        assert_true(has_any(password, SV("ABCDEFGHIJKLMNOPQRSTUVWXYZ")));
    }
}

static void impossible_passwords_are_refused(void **state) {
    struct fixture *f = *state;
    static const struct {
        int64_t length;
        bool classes;
    } cases[] = {{2, true}, {10, false}, {0, true}, {1025, true}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct map_builder spec = {.arena = &f->arena};
        map_add(&spec, SV("length"), value_int(cases[i].length));
        map_add(&spec, SV("lower"), value_bool(cases[i].classes));
        map_add(&spec, SV("upper"), value_bool(cases[i].classes));
        map_add(&spec, SV("digits"), value_bool(cases[i].classes));
        struct provider_call c = make_call(f, &spec);
        assert_int_equal(random_password_type.create(&c), PROVIDER_TERMINAL);
        struct diags diags;
        diags_init(&diags, &f->arena, NULL);
        random_password_type.validate(&f->arena, c.spec, &diags, SPAN_NONE, SV("resources.r.spec"));
        assert_int_equal(diags.errors, 1);
    }
}

/* A generator that never gives a digit must not hang us. */
static void a_broken_generator_ends(void **state) {
    struct fixture *f = *state;
    f->host.ops = &same_ops;
    struct map_builder spec = {.arena = &f->arena};
    map_add(&spec, SV("length"), value_int(3));
    map_add(&spec, SV("special"), value_bool(true));
    map_add(&spec, SV("lower"), value_bool(false));
    map_add(&spec, SV("upper"), value_bool(false));
    map_add(&spec, SV("specialCharacters"), value_string(&f->arena, SV("!\"#$%&"))); /* 16 characters: 255 is used */
    struct provider_call c = make_call(f, &spec);
    assert_int_equal(random_password_type.create(&c), PROVIDER_TERMINAL);
}

static void ten_thousand_take_no_time(void **state) {
    struct fixture *f = *state;
    f->host = host_system;
    int64_t before = host_system.ops->get_monotonic_ms(NULL);
    for (int i = 0; i < 10000; i++) {
        struct arena arena = {0};
        struct provider_call c = {.arena = &arena, .host = &f->host};
        assert_int_equal(random_id_type.create(&c), PROVIDER_OK);
        arena_fini(&arena);
    }
    assert_in_range(host_system.ops->get_monotonic_ms(NULL) - before, 0, 5000); /* with sanitizers; 20 ms without */
}

#define CASE(f) cmocka_unit_test_setup_teardown(f, set_up, tear_down)

int main(void) {
    const struct CMUnitTest tests[] = {
        CASE(an_id_has_two_spellings),
        CASE(an_id_has_bounds),
        CASE(a_password_is_uniform),
        CASE(every_class_occurs),
        CASE(a_broken_generator_ends),
        CASE(ten_thousand_take_no_time),
        CASE(impossible_passwords_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
