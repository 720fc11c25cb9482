/* Sealing (LC-050 to LC-053, BP-282, F108). */
#include "model/schema.h"
#include "seal/seal.h"
#include "unit/model/check.h"
#include "value/type.h"

#include <fcntl.h>
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

struct world {
    struct arena arena;
    struct sources sources;
    struct diags diags;
    struct sealer *sealer;
    char dir[64];
};

static struct sealer_options get_options(struct world *w) {
    struct sealer_options o = {
        .arena = &w->arena,
        .diags = &w->diags,
        .host = (struct host *)(uintptr_t)&host_system,
        .key_file = arena_printf(&w->arena, "%s/.lintel/vault/default.key", w->dir),
        .create = true,
    };
    memset(o.store_key, 7, sizeof o.store_key);
    return o;
}

static int set_up(void **state) {
    struct world *w = calloc(1, sizeof *w);
    sources_init(&w->sources, &w->arena);
    diags_init(&w->diags, &w->arena, &w->sources);
    snprintf(w->dir, sizeof w->dir, "/tmp/lintel-seal-XXXXXX");
    assert_non_null(mkdtemp(w->dir));
    struct sealer_options o = get_options(w);
    w->sealer = sealer_open(&o);
    assert_non_null(w->sealer);
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
    sealer_close(w->sealer);
    nftw(w->dir, remove_entry, 16, FTW_DEPTH | FTW_PHYS);
    arena_fini(&w->arena);
    free(w);
    return 0;
}

static const struct seal_place here = {SV_INIT("instance-1"), SV_INIT("resources.db")};

static value decode(struct world *w, struct sealer *s, const struct seal_place *at, sv json, size_t *unopened) {
    return seal_decode(s, &w->arena, at, json, unopened, &w->diags);
}

/* {"user":"ada","password":<secret>,"list":[1,<secret 2>],"none":null} */
static value sample(struct world *w) {
    value secret = value_mark(value_string(&w->arena, SV("hunter2 \"quoted\"")), MARK_SENSITIVE);
    struct list_builder l = {.arena = &w->arena};
    list_add(&l, value_int(1));
    list_add(&l, value_mark(value_int(2), MARK_SENSITIVE));
    struct map_builder b = {.arena = &w->arena};
    map_add(&b, SV("user"), value_string(&w->arena, SV("ada")));
    map_add(&b, SV("password"), secret);
    map_add(&b, SV("list"), list_done(&l));
    map_add(&b, SV("none"), value_null());
    return map_done(&b);
}

static void test_round_trip(void **state) {
    struct world *w = *state;
    value v = sample(w);
    sv json = seal_encode(w->sealer, &w->arena, &here, v);
    assert_int_equal(sv_find(json, SV("hunter2")), SIZE_MAX);
    size_t unopened = 0;
    value back = decode(w, w->sealer, &here, json, &unopened);
    assert_int_equal(unopened, 0);
    assert_true(value_eq(v, back));
    assert_true(value_is_sensitive(value_map_find(back, SV("password"))));
    assert_false(value_is_sensitive(value_map_find(back, SV("user"))));
    assert_true(value_map_find(back, SV("list")).list->items[1].marks == MARK_SENSITIVE);
    /* without secrets it is plain JSON */
    CHECK_SV(seal_encode(w->sealer, &w->arena, &here, value_int(3)), "3");
}

/* LC-004: the same plan has the same bytes; and no two places have the same box. */
static void test_deterministic(void **state) {
    struct world *w = *state;
    value secret = value_mark(value_string(&w->arena, SV("x")), MARK_SENSITIVE);
    struct seal_place there = {here.instance_id, SV("resources.other")};
    sv one = seal_encode(w->sealer, &w->arena, &here, secret);
    sv two = seal_encode(w->sealer, &w->arena, &here, secret);
    sv other = seal_encode(w->sealer, &w->arena, &there, secret);
    assert_true(sv_eq(one, two));
    assert_false(sv_eq(one, other));
    assert_true(seal_equal(&w->arena, one, other)); /* same digest */
}

/* LC-050, F108: a sealed value cannot be moved to another instance, element or path. */
static void test_bound_to_place(void **state) {
    struct world *w = *state;
    sv json = seal_encode(w->sealer, &w->arena, &here, sample(w));
    struct seal_place places[] = {{SV("instance-2"), here.address}, {here.instance_id, SV("resources.x")}};
    for (size_t i = 0; i < 2; i++) {
        size_t unopened = 0;
        value v = decode(w, w->sealer, &places[i], json, &unopened);
        assert_int_equal(unopened, 2);
        value lost = value_map_find(v, SV("password"));
        assert_int_equal(lost.kind, VALUE_UNKNOWN);
        assert_true(value_is_sensitive(lost));
        assert_int_equal(seal_find_digest(lost).len, 64);
    }
    /* the same box under another key of the map */
    struct buf moved = BUF(&w->arena);
    size_t at = sv_find(json, SV("password"));
    buf_append(&moved, sv_slice(json, 0, at));
    buf_append(&moved, SV("passphrase"));
    buf_append(&moved, sv_slice(json, at + 8, json.len));
    size_t unopened = 0;
    decode(w, w->sealer, &here, buf_get_sv(&moved), &unopened);
    assert_int_equal(unopened, 1);
}

/* Every changed character of a box is noticed. */
static void test_tampering(void **state) {
    struct world *w = *state;
    sv json = seal_encode(w->sealer, &w->arena, &here, value_mark(value_int(5), MARK_SENSITIVE));
    size_t from = sv_find(json, SV("\"box\":\"")) + 7, to = sv_rfind_char(json, '"');
    char *text = arena_copy_cstr(&w->arena, json);
    for (size_t i = from; i < to; i++) {
        char kept = text[i];
        text[i] = kept == 'A' ? 'B' : 'A';
        size_t unopened = 0;
        value v = decode(w, w->sealer, &here, sv_make(text, json.len), &unopened);
        assert_int_equal(unopened, 1);
        assert_int_equal(v.kind, VALUE_UNKNOWN);
        text[i] = kept;
    }
}

/* LC-051: without the key the value is lost, comparison works, and the box survives being written again. */
static void test_lost_key(void **state) {
    struct world *w = *state;
    sv json = seal_encode(w->sealer, &w->arena, &here, sample(w));
    struct sealer_options o = get_options(w);
    o.key_file = arena_printf(&w->arena, "%s/other.key", w->dir);
    struct sealer *other = sealer_open(&o);
    assert_non_null(other);
    size_t unopened = 0;
    value v = decode(w, other, &here, json, &unopened);
    assert_int_equal(unopened, 2);
    value lost = value_map_find(v, SV("password"));
    assert_true(seal_is_same_secret(other, lost, value_map_find(sample(w), SV("password"))));
    assert_false(seal_is_same_secret(other, lost, value_string(&w->arena, SV("x"))));
    sv again = seal_encode(other, &w->arena, &here, v);
    assert_true(sv_eq(again, json));
    sealer_close(other);
}

/* --no-seal: digests only. */
static void test_no_seal(void **state) {
    struct world *w = *state;
    struct sealer_options o = get_options(w);
    o.no_seal = true;
    o.key_file = arena_printf(&w->arena, "%s/never.key", w->dir);
    struct sealer *s = sealer_open(&o);
    assert_non_null(s);
    sv json = seal_encode(s, &w->arena, &here, sample(w));
    assert_int_equal(sv_find(json, SV("box")), SIZE_MAX);
    assert_int_equal(sv_find(json, SV("hunter2")), SIZE_MAX);
    assert_true(seal_equal(&w->arena, json, seal_encode(w->sealer, &w->arena, &here, sample(w))));
    size_t unopened = 0;
    decode(w, s, &here, json, &unopened);
    assert_int_equal(unopened, 2);
    assert_int_not_equal(access(o.key_file.data, F_OK), 0);
    /* a missing key file that may not be made */
    o.no_seal = false;
    o.create = false;
    struct sealer *without = sealer_open(&o);
    assert_non_null(without);
    assert_true(sv_eq(seal_encode(without, &w->arena, &here, sample(w)), json));
    sealer_close(without);
    sealer_close(s);
    assert_int_equal(w->diags.errors, 0);
}

/* Documents that look like ours stay what they are, sealed next to them or not. */
static void test_documents_with_our_key(void **state) {
    static const char *const texts[] = {
        "{\"$lintel\":\"sealed\",\"digest\":\"x\",\"box\":\"y\"}",
        "{\"$lintel\":\"unknown\"}",
        "{\"$lintel\":\"map\",\"entries\":{\"$lintel\":\"unknown\"}}",
        "{\"a\":{\"$lintel\":{\"$lintel\":[{\"$lintel\":1}]}}}",
        "{\"$lintel\":null}",
        "[\"$lintel\",\"\\u0001\"]",
    };
    struct world *w = *state;
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        sv why;
        size_t offset;
        value v = value_parse_json(&w->arena, sv_from_cstr(texts[i]), &limits_default, false, &why, &offset);
        struct list_builder l = {.arena = &w->arena};
        list_add(&l, v);
        list_add(&l, value_mark(v, MARK_SENSITIVE));
        value both = list_done(&l);
        size_t unopened = 0;
        sv json = seal_encode(w->sealer, &w->arena, &here, both);
        assert_true(value_eq(decode(w, w->sealer, &here, json, &unopened), both));
        json = seal_encode(w->sealer, &w->arena, &here, v);
        assert_true(value_eq(decode(w, w->sealer, &here, json, &unopened), v));
        assert_int_equal(unopened, 0);
    }
}

/* Containers that are secret themselves hide their keys; bytes and unknowns come back. */
static void test_kinds(void **state) {
    struct world *w = *state;
    value map = from_json(&w->arena, "{\"hidden\":[1,{\"x\":null}]}");
    sv json = seal_encode(w->sealer, &w->arena, &here, value_mark(map, MARK_SENSITIVE));
    assert_int_equal(sv_find(json, SV("hidden")), SIZE_MAX);
    value back = decode(w, w->sealer, &here, json, NULL);
    assert_true(value_eq(back, map));
    assert_true((back.marks & MARK_SENSITIVE) != 0);

    struct list_builder l = {.arena = &w->arena};
    list_add(&l, value_unknown(&type_string));
    list_add(&l, value_mark(value_unknown(NULL), MARK_SENSITIVE));
    list_add(&l, value_bytes(&w->arena, SV("\xff\x00\x01")));
    list_add(&l, value_mark(value_float(0.1), MARK_SENSITIVE));
    back = decode(w, w->sealer, &here, seal_encode(w->sealer, &w->arena, &here, list_done(&l)), NULL);
    assert_int_equal(back.list->items[0].kind, VALUE_UNKNOWN);
    assert_false(value_is_sensitive(back.list->items[0]));
    assert_int_equal(back.list->items[1].kind, VALUE_UNKNOWN);
    assert_true(value_is_sensitive(back.list->items[1]));
    assert_int_equal(back.list->items[2].kind, VALUE_BYTES);
    assert_true(sv_eq(value_get_text(back.list->items[2]), SV("\xff\x00\x01")));
    assert_true(back.list->items[3].number == 0.1);
}

/* No recursion: values of any depth go out and come back. */
static void test_deep(void **state) {
    struct world *w = *state;
    value v = value_mark(value_int(1), MARK_SENSITIVE);
    for (int i = 0; i < 100000; i++) {
        v = value_list_of(&w->arena, &v, 1);
    }
    sv json = seal_encode(w->sealer, &w->arena, &here, v);
    size_t unopened = 0;
    value back = decode(w, w->sealer, &here, json, &unopened);
    assert_int_equal(unopened, 0);
    assert_true(value_eq(v, back));
}

static void test_damaged_text(void **state) {
    struct world *w = *state;
    assert_true(value_is_error(decode(w, w->sealer, &here, SV("{\"a\":"), NULL)));
    assert_int_equal(w->diags.errors, 1);
    assert_int_equal(w->diags.items.items[0]->code, DIAG_state_corrupt);
}

/* BP-282, BP-034: equal values have equal digests, different ones different. */
static void test_digests(void **state) {
    struct world *w = *state;
    struct arena *a = &w->arena;
    sv one = seal_digest(w->sealer, a, value_int(1));
    assert_int_equal(one.len, 64);
    assert_true(sv_eq(one, seal_digest(w->sealer, a, value_float(1.0))));
    assert_false(sv_eq(one, seal_digest(w->sealer, a, value_string(a, SV("1")))));
    assert_false(sv_eq(one, seal_digest(w->sealer, a, value_bool(true))));
    struct sealer_options o = get_options(w);
    o.store_key[0]++;
    struct sealer *other = sealer_open(&o);
    assert_false(sv_eq(one, seal_digest(other, a, value_int(1)))); /* keyed by the store */
    sealer_close(other);
}

static void test_equal(void **state) {
    struct world *w = *state;
    struct arena *a = &w->arena;
    assert_true(seal_equal(a, SV("{\"a\":1,\"b\":2}"), SV("{\"b\":2,\"a\":1}")));
    assert_false(seal_equal(a, SV("{\"a\":1}"), SV("{\"a\":2}")));
    assert_false(seal_equal(a, SV("{\"a\":1"), SV("{\"a\":1}")));
    value secret = value_mark(value_string(a, SV("x")), MARK_SENSITIVE);
    sv sealed = seal_encode(w->sealer, a, &here, secret);
    sv digest = seal_digest(w->sealer, a, secret);
    struct buf text = BUF(a);
    jsonw_quote(&text, digest);
    assert_false(seal_equal(a, sealed, buf_get_sv(&text))); /* a text that happens to be the digest */
}

/* LC-020, LC-022 */
static void test_macs_and_operation_keys(void **state) {
    struct world *w = *state;
    uint8_t zero[32] = {0}, first[32], second[32], again[32];
    seal_mac(w->sealer, zero, SV("row 1"), first);
    seal_mac(w->sealer, first, SV("row 2"), second);
    seal_mac(w->sealer, zero, SV("row 2"), again);
    assert_memory_not_equal(second, again, 32);
    seal_mac(w->sealer, first, SV("row 2"), again);
    assert_memory_equal(second, again, 32);
    uint8_t one[16], other[16];
    seal_operation_key(SV("i"), SV("resources.a"), 1, SV("create"), one);
    seal_operation_key(SV("i"), SV("resources.a"), 1, SV("create"), other);
    assert_memory_equal(one, other, 16);
    seal_operation_key(SV("i"), SV("resources.a"), 2, SV("create"), other);
    assert_memory_not_equal(one, other, 16);
    seal_operation_key(SV("ir"), SV("esources.a"), 1, SV("create"), other);
    assert_memory_not_equal(one, other, 16);
    CHECK_SV(seal_sha256(&w->arena, SV("abc")), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
}

/* The key file */

static void test_key_file_rights(void **state) {
    struct world *w = *state;
    struct sealer_options o = get_options(w);
    struct stat st;
    assert_int_equal(stat(o.key_file.data, &st), 0);
    assert_int_equal(st.st_mode & 07777, 0600);
    assert_int_equal(stat(arena_printf(&w->arena, "%s/.lintel/vault", w->dir).data, &st), 0);
    assert_int_equal(st.st_mode & 07777, 0700);
    assert_int_equal(stat(arena_printf(&w->arena, "%s/.lintel", w->dir).data, &st), 0);
    assert_int_equal(st.st_mode & 07777, 0700);
    static const mode_t modes[] = {0640, 0604, 0660, 0620};
    for (size_t i = 0; i < 4; i++) {
        chmod(o.key_file.data, modes[i]);
        assert_null(sealer_open(&o));
    }
    assert_int_equal(w->diags.items.items[0]->code, DIAG_key_not_usable);
    chmod(o.key_file.data, 0600);
    struct sealer *s = sealer_open(&o);
    assert_non_null(s);
    sealer_close(s);
}

static void write_file(sv path, const char *text, size_t len) {
    int fd = open(path.data, O_WRONLY | O_CREAT | O_TRUNC, 0600);
    assert_true(fd >= 0);
    assert_int_equal(write(fd, text, len), (ssize_t)len);
    close(fd);
}

static void test_malformed_key_files(void **state) {
    struct world *w = *state;
    struct sealer_options o = get_options(w);
    char good[512];
    int fd = open(o.key_file.data, O_RDONLY);
    ssize_t len = read(fd, good, sizeof good);
    close(fd);
    assert_true(len > 50);
    for (ssize_t cut = 0; cut < len; cut += 7) { /* cut anywhere */
        write_file(o.key_file, good, (size_t)cut);
        assert_null(sealer_open(&o));
    }
    for (ssize_t at = 0; at < len; at += 3) { /* changed anywhere */
        char kept = good[at];
        good[at] = kept == 'Q' ? 'R' : 'Q';
        write_file(o.key_file, good, (size_t)len);
        struct sealer *s = sealer_open(&o);
        assert_null(s);
        good[at] = kept;
    }
    write_file(o.key_file, good, (size_t)len);
    struct sealer *s = sealer_open(&o);
    assert_non_null(s);
    sealer_close(s);
    unlink(o.key_file.data);
    assert_int_equal(symlink("/dev/zero", o.key_file.data), 0);
    assert_null(sealer_open(&o));
    unlink(o.key_file.data);
    assert_int_equal(mkfifo(o.key_file.data, 0600), 0);
    assert_null(sealer_open(&o));
    unlink(o.key_file.data);
    assert_int_equal(mkdir(o.key_file.data, 0700), 0);
    assert_null(sealer_open(&o));
}

/* Two programs that make the key at once end up with the same one. */
static void test_concurrent_creation(void **state) {
    struct world *w = *state;
    struct sealer_options o = get_options(w);
    o.key_file = arena_printf(&w->arena, "%s/new/vault/k.key", w->dir);
    enum { PROCESSES = 8 };
    pid_t children[PROCESSES];
    for (int i = 0; i < PROCESSES; i++) {
        children[i] = fork();
        if (children[i] == 0) {
            struct sealer *s = sealer_open(&o);
            sv json = s == NULL ? (sv){0} : seal_encode(s, &w->arena, &here, value_mark(value_int(1), MARK_SENSITIVE));
            sv path = arena_printf(&w->arena, "%s/out-%d", w->dir, i);
            write_file(path, json.data, json.len);
            sealer_close(s);
            _exit(s == NULL);
        }
    }
    char first[1024], text[1024];
    ssize_t first_len = 0;
    for (int i = 0; i < PROCESSES; i++) {
        int status = 0;
        waitpid(children[i], &status, 0);
        assert_int_equal(status, 0);
        int fd = open(arena_printf(&w->arena, "%s/out-%d", w->dir, i).data, O_RDONLY);
        ssize_t len = read(fd, i == 0 ? first : text, sizeof text);
        close(fd);
        first_len = i == 0 ? len : first_len;
        assert_int_equal(len, first_len);
        assert_memory_equal(first, i == 0 ? first : text, (size_t)len);
    }
}

#define CASE(fn) cmocka_unit_test_setup_teardown(fn, set_up, tear_down)

int main(void) {
    const struct CMUnitTest tests[] = {
        CASE(test_round_trip),
        CASE(test_deterministic),
        CASE(test_bound_to_place),
        CASE(test_tampering),
        CASE(test_lost_key),
        CASE(test_no_seal),
        CASE(test_documents_with_our_key),
        CASE(test_kinds),
        CASE(test_deep),
        CASE(test_damaged_text),
        CASE(test_digests),
        CASE(test_equal),
        CASE(test_macs_and_operation_keys),
        CASE(test_key_file_rights),
        CASE(test_malformed_key_files),
        CASE(test_concurrent_creation),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
