/* The data key and what wraps it (LC-050, LC-052, F107, F108). */
#include "base/jsonw.h"
#include "seal/seal.h"
#include "unit/model/check.h"

#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

struct world {
    struct arena arena;
    struct sources sources;
    struct diags diags;
    char dir[64];
};

static const struct seal_place here = {SV_INIT("instance-1"), SV_INIT("resources.db")};

static int set_up(void **state) {
    struct world *w = calloc(1, sizeof *w);
    sources_init(&w->sources, &w->arena);
    diags_init(&w->diags, &w->arena, &w->sources);
    snprintf(w->dir, sizeof w->dir, "/tmp/lintel-data-key-XXXXXX");
    assert_non_null(mkdtemp(w->dir));
    *state = w;
    return 0;
}

static int remove_entry(const char *path, const struct stat *st, int type, struct FTW *place) {
    (void)st;
    (void)type;
    (void)place;
    return remove(path);
}

static int tear_down(void **state) {
    struct world *w = *state;
    nftw(w->dir, remove_entry, 16, FTW_DEPTH | FTW_PHYS);
    arena_fini(&w->arena);
    free(w);
    return 0;
}

/* A key file of that name; with `wrapped` what a store has. */
static struct sealer_options by_file(struct world *w, const char *name, sv wrapped) {
    struct sealer_options o = {
        .arena = &w->arena,
        .diags = &w->diags,
        .host = (struct host *)(uintptr_t)&host_system,
        .key_file = arena_printf(&w->arena, "%s/%s.key", w->dir, name),
        .context = SV("default"),
        .wrapped = wrapped,
        .create = true,
    };
    memset(o.store_key, 7, sizeof o.store_key);
    return o;
}

static struct sealer_options by_passphrase(struct world *w, const char *text, sv wrapped) {
    struct sealer_options o = by_file(w, "unused", wrapped);
    o.key_file = (sv){0};
    o.passphrase = sv_from_cstr(text);
    return o;
}

static struct sealer *open_well(const struct sealer_options *o) {
    struct sealer *s = sealer_open(o);
    assert_non_null(s);
    return s;
}

static sv seal_sample(struct world *w, struct sealer *s) {
    return seal_encode(s, &w->arena, &here, value_mark(value_string(&w->arena, SV("hunter2")), MARK_SENSITIVE));
}

static bool opens(struct world *w, struct sealer *s, sv json) {
    size_t unopened = 0;
    value v = seal_decode(s, &w->arena, &here, json, &unopened, &w->diags);
    return unopened == 0 && sv_eq_cstr(value_get_text(v), "hunter2");
}

static void expect_refused(struct world *w, const struct sealer_options *o, const char *part) {
    diags_init(&w->diags, &w->arena, &w->sources);
    assert_null(sealer_open(o));
    assert_int_equal(w->diags.items.len, 1);
    const struct diag *d = w->diags.items.items[0];
    assert_int_equal(d->code, DIAG_key_not_usable);
    if (sv_find(d->message, sv_from_cstr(part)) == SIZE_MAX) {
        fail_msg("'%.*s' lacks '%s'", SV_ARG(d->message), part);
    }
    assert_true(d->hint.len > 0);
}

/* LC-050: the data key is random, and comes back through what the store keeps. */
static void test_it_comes_back(void **state) {
    struct world *w = *state;
    struct sealer_options first = by_file(w, "a", (sv){0}), second = by_file(w, "a", (sv){0});
    struct sealer *s = open_well(&first), *other = open_well(&second);
    sv wrapped = sealer_get_wrapped(s), json = seal_sample(w, s);
    assert_false(opens(w, other, json)); /* the same key file, another data key */
    struct sealer_options again = by_file(w, "a", wrapped);
    struct sealer *t = open_well(&again);
    assert_true(opens(w, t, json));
    assert_true(sv_eq(seal_sample(w, t), json)); /* LC-004 */
    assert_true(sv_eq(sealer_get_wrapped(t), wrapped));
    sealer_close(s);
    sealer_close(other);
    sealer_close(t);
}

/* LC-052, F107: one error that says which kind of key is wanted. */
static void test_wrong_keys(void **state) {
    struct world *w = *state;
    struct sealer_options file = by_file(w, "a", (sv){0}), phrase = by_passphrase(w, "correct horse", (sv){0});
    struct sealer *s = open_well(&file), *p = open_well(&phrase);
    sv by_key = sealer_get_wrapped(s), by_phrase = sealer_get_wrapped(p);
    struct sealer_options o = by_file(w, "b", (sv){0});
    sealer_close(open_well(&o));
    o.wrapped = by_key;
    expect_refused(w, &o, "b.key' does not open the secrets of context 'default': they are sealed with another key");
    o.wrapped = by_phrase;
    expect_refused(w, &o, "they are sealed with a passphrase");
    o = by_passphrase(w, "correct horse", by_key);
    expect_refused(w, &o, "they are sealed with a key, not with a passphrase");
    o = by_passphrase(w, "correct hors", by_phrase);
    expect_refused(w, &o, "it is not the one that they were sealed with");
    o = by_passphrase(w, "correct horse", by_phrase);
    o.context = SV("staging"); /* F108: the wrapped key of another name space */
    expect_refused(w, &o, "does not open the secrets of context 'staging'");
    o = by_file(w, "gone", by_key);
    expect_refused(w, &o, "is not there, but the secrets of context 'default' are sealed");
    assert_int_not_equal(access(o.key_file.data, F_OK), 0);
    o.create = false; /* LC-051: looking goes on with digests */
    struct sealer *without = open_well(&o);
    assert_int_equal(sealer_get_wrapped(without).len, 0);
    sealer_close(without);
    sealer_close(s);
    sealer_close(p);
}

/* LC-050: parameters and salt stand beside; two wrappings share nothing. */
static void test_passphrases(void **state) {
    struct world *w = *state;
    struct sealer_options o = by_passphrase(w, "correct horse", (sv){0});
    struct sealer *s = open_well(&o);
    sv wrapped = sealer_get_wrapped(s), json = seal_sample(w, s);
    assert_int_not_equal(sv_find(wrapped, SV("\"wrap\":\"passphrase\"")), SIZE_MAX);
    assert_int_not_equal(sv_find(wrapped, SV("\"operations\":3,\"memory\":67108864")), SIZE_MAX);
    assert_int_equal(sv_find(wrapped, SV("horse")), SIZE_MAX);
    o.wrapped = wrapped;
    struct sealer *t = open_well(&o);
    assert_true(opens(w, t, json));
    struct sealer *anew = sealer_open_anew(t, &o, false);
    assert_non_null(anew);
    assert_false(sv_eq(sealer_get_wrapped(anew), wrapped)); /* another salt, another nonce */
    assert_true(opens(w, anew, json));
    struct seal_wrapped told;
    assert_true(seal_read_wrapped(&w->arena, sealer_get_wrapped(anew), &told));
    assert_true(told.is_passphrase);
    assert_int_equal(told.generation, 1);
    sealer_close(s);
    sealer_close(t);
    sealer_close(anew);
}

/* Whatever is done to the text: an error, never another key; costs stay bounded. */
static void test_damaged_texts(void **state) {
    struct world *w = *state;
    struct sealer_options o = by_file(w, "a", (sv){0});
    struct sealer *s = open_well(&o);
    sv good = sealer_get_wrapped(s);
    for (size_t cut = 1; cut < good.len; cut += 7) {
        o.wrapped = sv_slice(good, 0, cut);
        expect_refused(w, &o, "damaged");
    }
    size_t box = sv_find(good, SV("\"box\":\"")) + 7;
    for (size_t at = box; at < good.len - 2; at += 5) {
        char *text = arena_copy_cstr(&w->arena, good);
        text[at] = text[at] == 'Q' ? 'R' : 'Q';
        o.wrapped = sv_from_cstr(text);
        expect_refused(w, &o, "");
    }
    static const char *const bad[] = {
        "{}",
        "[]",
        "{\"format\":2}",
        "{\"format\":1,\"id\":\"0123456789abcdef\",\"wrap\":\"none\",\"generation\":1,\"box\":\"\"}",
        "{\"format\":1,\"id\":\"0123456789abcdef\",\"wrap\":\"passphrase\",\"generation\":1,\"salt\":"
        "\"AAAAAAAAAAAAAAAAAAAAAA==\","
        "\"operations\":1000000,\"memory\":67108864,\"box\":\"\"}",
        "{\"format\":1,\"id\":\"0123456789abcdef\",\"wrap\":\"passphrase\",\"generation\":1,\"salt\":"
        "\"AAAAAAAAAAAAAAAAAAAAAA==\","
        "\"operations\":3,\"memory\":1099511627776,\"box\":\"\"}",
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        o.wrapped = sv_from_cstr(bad[i]);
        expect_refused(w, &o, "damaged");
    }
    sealer_close(s);
}

/* LC-052: the same data key under another key; or another one, to which everything is moved. */
static void test_moving(void **state) {
    struct world *w = *state;
    struct sealer_options a = by_file(w, "a", (sv){0}), b = by_file(w, "b", (sv){0});
    struct sealer *s = open_well(&a);
    sv json = seal_sample(w, s);
    struct sealer *same = sealer_open_anew(s, &b, false), *other = sealer_open_anew(s, &b, true);
    assert_non_null(same);
    assert_non_null(other);
    assert_true(opens(w, same, json));
    assert_false(opens(w, other, json));
    struct seal_move move = {.from = s, .to = other, .diags = &w->diags};
    struct seal_moved count = {0};
    sv moved = seal_move(&move, &w->arena, &here, json, &count);
    assert_int_equal(count.moved, 1);
    assert_true(opens(w, other, moved));
    assert_false(opens(w, s, moved));
    assert_true(seal_equal(&w->arena, json, moved)); /* digests are those of the store, and stay */
    sv plain = SV("{\"box\":\"no\",\"n\":2.50,\"$lintel\":\"x\"}");
    assert_ptr_equal(seal_move(&move, &w->arena, &here, plain, &count).data, plain.data);
    assert_int_equal(count.moved, 1);
    assert_ptr_equal(seal_move(&move, &w->arena, &here, moved, &count).data, moved.data); /* not twice */
    assert_int_equal(count.left, 1);
    struct seal_wrapped told;
    assert_true(seal_read_wrapped(&w->arena, sealer_get_wrapped(other), &told));
    assert_int_equal(told.generation, 2);
    sealer_close(s);
    sealer_close(same);
    sealer_close(other);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_it_comes_back, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_wrong_keys, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_passphrases, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_damaged_texts, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_moving, set_up, tear_down),
    };
    return cmocka_run_group_tests_name("data keys", tests, NULL, NULL);
}
