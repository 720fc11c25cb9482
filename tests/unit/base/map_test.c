#include "base/map.h"
#include "unit/base/check.h"

#include <string.h>
#include <time.h>

static void *number(size_t n) {
    return (void *)(uintptr_t)n;
}

static void test_put_find_replace_remove(void **state) {
    (void)state;
    struct arena a = {0};
    struct map m = MAP(&a);
    assert_null(map_find(&m, SV("a")));
    assert_null(map_put(&m, SV("a"), number(1)));
    assert_null(map_put(&m, SV("b"), number(2)));
    assert_ptr_equal(map_put(&m, SV("a"), number(3)), number(1));
    assert_ptr_equal(map_find(&m, SV("a")), number(3));
    CHECK_SV(m.entries[0].key, "a"); /* replacing keeps the place */
    assert_int_equal(m.len, 2);
    assert_null(map_put(&m, SV("null"), NULL));
    assert_true(map_has(&m, SV("null")));
    assert_ptr_equal(map_remove(&m, SV("a")), number(3));
    assert_null(map_remove(&m, SV("a")));
    assert_false(map_has(&m, SV("a")));
    assert_null(m.entries[0].key.data);
    assert_int_equal(m.live, 2);
    arena_fini(&a);
}

static void test_the_empty_key_is_a_key(void **state) {
    (void)state;
    struct arena a = {0};
    struct map m = MAP(&a);
    assert_false(map_has(&m, (sv){0}));
    map_put(&m, (sv){0}, number(1));
    assert_ptr_equal(map_find(&m, SV("")), number(1));
    assert_non_null(m.entries[0].key.data);
    assert_ptr_equal(map_remove(&m, SV("")), number(1));
    assert_false(map_has(&m, SV("")));
    arena_fini(&a);
}

static void test_slots(void **state) {
    (void)state;
    struct arena a = {0};
    struct map m = MAP(&a);
    bool is_new = false;
    void **slot = map_get_slot(&m, SV("k"), &is_new);
    assert_true(is_new);
    assert_null(*slot);
    *slot = number(7);
    assert_ptr_equal(*map_get_slot(&m, SV("k"), &is_new), number(7));
    assert_false(is_new);
    assert_ptr_equal(map_get_slot(&m, SV("k"), NULL), slot);
    arena_fini(&a);
}

enum { KEYS = 40 };

/* The oracle: keys in order of insertion. */
struct oracle {
    size_t keys[KEYS], values[KEYS], len;
};

static size_t oracle_find(const struct oracle *o, size_t key) {
    size_t at = 0;
    while (at < o->len && o->keys[at] != key) {
        at++;
    }
    return at;
}

static void oracle_remove(struct oracle *o, size_t at) {
    for (o->len--; at < o->len; at++) {
        o->keys[at] = o->keys[at + 1];
        o->values[at] = o->values[at + 1];
    }
}

static void check_against(const struct map *m, const struct oracle *o, const sv *names) {
    assert_int_equal(m->live, o->len);
    size_t at = 0;
    for (size_t i = 0; i < m->len; i++) {
        if (m->entries[i].key.data != NULL) {
            assert_true(sv_eq(m->entries[i].key, names[o->keys[at]]));
            assert_ptr_equal(m->entries[i].value, number(o->values[at]));
            at++;
        }
    }
    assert_int_equal(at, o->len);
}

static void test_random_use_against_oracle(void **state) {
    (void)state;
    struct arena a = {0};
    struct map m = MAP(&a);
    struct oracle o = {.len = 0};
    sv names[KEYS];
    for (size_t i = 0; i < KEYS; i++) {
        names[i] = arena_printf(&a, "name-%zu", i);
    }
    uint64_t random = 7;
    for (size_t step = 1; step < 50000; step++) {
        size_t key = next_random(&random) % (step / 1000 % 2 == 0 ? KEYS : 10); /* small for a while, then large */
        size_t at = oracle_find(&o, key);
        void *former = at < o.len ? number(o.values[at]) : NULL;
        if (next_random(&random) % 2 == 0) {
            assert_ptr_equal(map_put(&m, names[key], number(step)), former);
            o.keys[at] = key;
            o.values[at] = step;
            o.len += at == o.len;
        } else {
            assert_ptr_equal(map_remove(&m, names[key]), former);
            if (at < o.len) {
                oracle_remove(&o, at);
            }
        }
        assert_int_equal(map_has(&m, names[key]), oracle_find(&o, key) < o.len);
        check_against(&m, &o, names);
    }
    assert_true(m.cap <= (size_t)4 * KEYS); /* removed entries do not pile up */
    arena_fini(&a);
}

static void test_many_keys(void **state) {
    (void)state;
    struct arena a = {0};
    struct map m = MAP(&a);
    enum { COUNT = 200000 };
    for (size_t i = 1; i <= COUNT; i++) {
        map_put(&m, arena_printf(&a, "resources.r%zu", i), number(i));
    }
    assert_int_equal(m.live, COUNT);
    for (size_t i = 1; i <= COUNT; i++) {
        assert_ptr_equal(m.entries[i - 1].value, number(i));
        assert_ptr_equal(map_find(&m, m.entries[i - 1].key), number(i));
    }
    assert_false(map_has(&m, SV("resources.r0")));
    arena_fini(&a);
}

/* SipHash-2-4 written anew, byte by byte, with both halves of the key. */
static uint64_t rotl(uint64_t x, int b) {
    return (x << b) | (x >> (64 - b));
}

static void reference_round(uint64_t v[4]) {
    v[0] += v[1];
    v[1] = rotl(v[1], 13);
    v[1] ^= v[0];
    v[0] = rotl(v[0], 32);
    v[2] += v[3];
    v[3] = rotl(v[3], 16);
    v[3] ^= v[2];
    v[0] += v[3];
    v[3] = rotl(v[3], 21);
    v[3] ^= v[0];
    v[2] += v[1];
    v[1] = rotl(v[1], 17);
    v[1] ^= v[2];
    v[2] = rotl(v[2], 32);
}

static uint64_t reference_hash(uint64_t k0, uint64_t k1, const unsigned char *data, size_t len) {
    uint64_t v[4] = {k0 ^ UINT64_C(0x736f6d6570736575), k1 ^ UINT64_C(0x646f72616e646f6d),
                     k0 ^ UINT64_C(0x6c7967656e657261), k1 ^ UINT64_C(0x7465646279746573)};
    for (size_t word = 0; word <= len / 8; word++) {
        uint64_t m = word == len / 8 ? (uint64_t)len << 56 : 0;
        for (size_t i = 0; i < 8 && word * 8 + i < len; i++) {
            m |= (uint64_t)data[word * 8 + i] << (8 * i);
        }
        v[3] ^= m;
        reference_round(v);
        reference_round(v);
        v[0] ^= m;
    }
    v[2] ^= 0xff;
    for (int i = 0; i < 4; i++) {
        reference_round(v);
    }
    return v[0] ^ v[1] ^ v[2] ^ v[3];
}

static void test_hash_is_siphash_2_4(void **state) {
    (void)state;
    unsigned char data[64];
    for (size_t i = 0; i < sizeof data; i++) {
        data[i] = (unsigned char)i;
    }
    /* The published test vector, which vouches for the reference. */
    uint64_t published = reference_hash(UINT64_C(0x0706050403020100), UINT64_C(0x0f0e0d0c0b0a0908), data, 15);
    assert_true(published == UINT64_C(0xa129ca6149be45e5));
    for (size_t len = 0; len <= sizeof data; len++) {
        uint64_t seed = UINT64_C(0x123456789abcdef0) + len;
        uint64_t k1 = rotl(seed, 32) ^ UINT64_C(0x9E3779B97F4A7C15);
        assert_true(hash_bytes(seed, data, len) == reference_hash(seed, k1, data, len));
    }
    assert_true(hash_bytes(1, "a", 1) != hash_bytes(2, "a", 1));
}

/* Keys that all fall into one bucket of an unkeyed table: STAGES times one of two blocks that lead FNV-1a to the same
 * lower bits. */
enum { STAGES = 17, BLOCK = 4, LOW_BITS = 0x3FFFF, FLOOD = 100000 };

static uint64_t fnv(uint64_t h, const char *text, size_t len) {
    for (size_t i = 0; i < len; i++) {
        h = (h ^ (unsigned char)text[i]) * UINT64_C(0x100000001b3);
    }
    return h;
}

static void write_block(uint32_t n, char out[BLOCK]) {
    for (int i = 0; i < BLOCK; i++, n /= 26) {
        out[i] = (char)('a' + n % 26);
    }
}

/* Two blocks for each stage; the lower bits after a stage depend only on the lower bits before it. */
static void find_blocks(char blocks[STAGES][2][BLOCK]) {
    struct arena a = {0};
    uint32_t *first = ARENA_ARRAY(&a, uint32_t, LOW_BITS + 1);
    uint64_t h = UINT64_C(0xcbf29ce484222325);
    for (int stage = 0; stage < STAGES; stage++) {
        memset(first, 0, (LOW_BITS + 1) * sizeof *first);
        for (uint32_t n = 1;; n++) {
            write_block(n, blocks[stage][1]);
            uint64_t low = fnv(h, blocks[stage][1], BLOCK) & LOW_BITS;
            if (first[low] != 0) {
                write_block(first[low], blocks[stage][0]);
                break;
            }
            first[low] = n;
        }
        h = fnv(h, blocks[stage][0], BLOCK);
    }
    arena_fini(&a);
}

static double measure(struct arena *a, const sv *keys) {
    struct timespec from;
    struct timespec to;
    struct map m = MAP(a);
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &from);
    for (size_t i = 0; i < FLOOD; i++) {
        map_put(&m, keys[i], number(i + 1));
    }
    for (size_t i = 0; i < FLOOD; i++) {
        assert_ptr_equal(map_find(&m, keys[i]), number(i + 1));
    }
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &to);
    return (double)(to.tv_sec - from.tv_sec) + (double)(to.tv_nsec - from.tv_nsec) / 1e9;
}

static void test_flooding_costs_nothing(void **state) { /* F59 */
    (void)state;
    struct arena a = {0};
    char blocks[STAGES][2][BLOCK];
    find_blocks(blocks);
    sv *hostile = ARENA_ARRAY(&a, sv, FLOOD);
    sv *harmless = ARENA_ARRAY(&a, sv, FLOOD);
    uint64_t random = 3;
    uint64_t bucket = 0;
    for (size_t i = 0; i < FLOOD; i++) {
        char key[STAGES * BLOCK];
        for (size_t stage = 0; stage < STAGES; stage++) {
            memcpy(key + stage * BLOCK, blocks[stage][i >> stage & 1], BLOCK);
        }
        hostile[i] = arena_copy_sv(&a, sv_make(key, sizeof key));
        uint64_t low = fnv(UINT64_C(0xcbf29ce484222325), key, sizeof key) & LOW_BITS;
        assert_true(i == 0 || low == bucket); /* they do collide */
        bucket = low;
        for (size_t at = 0; at < sizeof key; at++) {
            key[at] = (char)('a' + next_random(&random) % 26);
        }
        harmless[i] = arena_copy_sv(&a, sv_make(key, sizeof key));
    }
    (void)measure(&a, harmless); /* warms up */
    double usual = measure(&a, harmless);
    double flooded = measure(&a, hostile);
    /* Colliding keys would make it some thousand times slower. */
    assert_true(flooded < 5 * usual + 0.01);
    arena_fini(&a);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_put_find_replace_remove),
        cmocka_unit_test(test_the_empty_key_is_a_key),
        cmocka_unit_test(test_slots),
        cmocka_unit_test(test_random_use_against_oracle),
        cmocka_unit_test(test_many_keys),
        cmocka_unit_test(test_hash_is_siphash_2_4),
        cmocka_unit_test(test_flooding_costs_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
