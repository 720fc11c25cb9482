/* The cases that every store passes (LC-041). */
#include "contract/store/fixture.h"

#include "base/jsonw.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#define OPS(f) ((f)->store->ops)

static int set_up(void **state) {
    struct fixture *f = calloc(1, sizeof *f);
    fixture_init(f, *state);
    *state = f;
    return 0;
}

static int tear_down(void **state) {
    fixture_fini(*state);
    free(*state);
    return 0;
}

static struct store_tree load(struct fixture *f, const char *id) {
    struct store_tree tree;
    assert_int_equal(OPS(f)->load_tree(f->store, &f->arena, sv_from_cstr(id), &tree), STORE_OK);
    return tree;
}

/* BP-282: the key for digests stays the same and is not all zeros. */
static void test_key(void **state) {
    struct fixture *f = *state;
    uint8_t first[32], second[32], zeros[32] = {0};
    assert_int_equal(OPS(f)->get_store_key(f->store, first), STORE_OK);
    assert_memory_not_equal(first, zeros, sizeof zeros);
    if (f->kind->is_lasting) {
        fixture_reopen(f);
    }
    assert_int_equal(OPS(f)->get_store_key(f->store, second), STORE_OK);
    assert_memory_equal(first, second, sizeof first);
    assert_true(OPS(f)->get_description(f->store).len > 0);
}

static void test_unknown_instance(void **state) {
    struct fixture *f = *state;
    struct store_instance i;
    struct store_tree tree = load(f, "nobody");
    assert_false(tree.found);
    assert_int_equal(tree.lease.token, 0);
    assert_int_equal(OPS(f)->find_instance(f->store, &f->arena, SV("default"), SV("x"), &i), STORE_NOT_FOUND);
    assert_int_equal(f->diags.items.len, 0);
}

/* BP-550, BP-553: columns and JSON text come back as they went in. */
static void test_instance_round_trip(void **state) {
    struct fixture *f = *state;
    struct store_instance i = sample_instance("id-1", "sh'op \"x\" ümlaut; DROP TABLE");
    i.body = SV("{\"z\":1,\"a\":2.50,\"n\":null,\"q\":\"'\\\"\"}");
    save_instance(f->store, &i, 0);
    if (f->kind->is_lasting) {
        fixture_reopen(f);
    }
    struct store_instance found;
    assert_int_equal(OPS(f)->find_instance(f->store, &f->arena, i.context, i.name, &found), STORE_OK);
    CHECK_SV(found.id, i.id);
    CHECK_SV(found.name, i.name);
    CHECK_SV(found.context, i.context);
    CHECK_SV(found.dialect, i.dialect);
    CHECK_SV(found.status, i.status);
    CHECK_SV(found.body, i.body);
    assert_int_equal(found.version, 1);
    assert_int_equal(found.created_ms, i.created_ms);
    assert_int_equal(found.updated_ms, i.updated_ms);
    struct store_tree tree = load(f, "id-1");
    assert_true(tree.found);
    CHECK_SV(tree.instance.body, i.body);
}

/* BP-412, BP-554: compare-and-set on the version. */
static void test_compare_and_set(void **state) {
    struct fixture *f = *state;
    struct store_instance i = sample_instance("id-1", "shop");
    save_instance(f->store, &i, 0);
    i.version = 2;
    save_instance(f->store, &i, 1);
    OPS(f)->begin(f->store, NULL);
    i.version = 3;
    assert_int_equal(OPS(f)->put_instance(f->store, &i, 1), STORE_CONFLICT); /* is 2 by now */
    assert_int_equal(OPS(f)->put_instance(f->store, &i, 0), STORE_CONFLICT); /* is there */
    assert_int_equal(OPS(f)->put_instance(f->store, &i, 2), STORE_OK);
    assert_int_equal(OPS(f)->commit(f->store), STORE_OK);
    assert_int_equal(load(f, "id-1").instance.version, 3);
    struct store_instance other = sample_instance("id-2", "other");
    OPS(f)->begin(f->store, NULL);
    assert_int_equal(OPS(f)->put_instance(f->store, &other, 1), STORE_CONFLICT); /* was never there */
    OPS(f)->rollback(f->store);
    assert_int_equal(f->diags.items.len, 0);
}

/* LC-040: names are unique per name space. */
static void test_names_are_unique_per_context(void **state) {
    struct fixture *f = *state;
    struct store_instance i = sample_instance("id-1", "shop");
    save_instance(f->store, &i, 0);
    i.id = SV("id-2");
    OPS(f)->begin(f->store, NULL);
    assert_int_equal(OPS(f)->put_instance(f->store, &i, 0), STORE_CONFLICT);
    OPS(f)->rollback(f->store);
    i.context = SV("staging");
    save_instance(f->store, &i, 0);
    struct store_instance found;
    assert_int_equal(OPS(f)->find_instance(f->store, &f->arena, SV("staging"), SV("shop"), &found), STORE_OK);
    CHECK_SV(found.id, SV("id-2"));
}

static void test_list_is_sorted(void **state) {
    struct fixture *f = *state;
    static const char *const names[] = {"b", "a", "c"};
    for (size_t n = 0; n < 3; n++) {
        struct store_instance i = sample_instance(names[n], names[n]);
        i.context = n == 2 ? SV("alpha") : SV("default");
        save_instance(f->store, &i, 0);
    }
    struct store_instance *items;
    size_t count;
    assert_int_equal(OPS(f)->list_instances(f->store, &f->arena, (sv){0}, &items, &count), STORE_OK);
    assert_int_equal(count, 3);
    CHECK_SV(items[0].name, SV("c")); /* name space alpha */
    CHECK_SV(items[1].name, SV("a"));
    CHECK_SV(items[2].name, SV("b"));
    assert_int_equal(OPS(f)->list_instances(f->store, &f->arena, SV("default"), &items, &count), STORE_OK);
    assert_int_equal(count, 2);
    assert_int_equal(OPS(f)->list_instances(f->store, &f->arena, SV("none"), &items, &count), STORE_OK);
    assert_int_equal(count, 0);
}

/* Elements stay in order of their first save, whatever is changed later. */
static void test_elements(void **state) {
    struct fixture *f = *state;
    struct store_instance i = sample_instance("id-1", "shop");
    save_instance(f->store, &i, 0);
    static const char *const addresses[] = {"resources.z", "resources.a", "links.z::a"};
    for (size_t n = 0; n < 3; n++) {
        struct store_element e = sample_element(addresses[n], SV("{}"));
        save_element(f->store, "id-1", &e);
    }
    struct store_element changed = sample_element("resources.z", SV("{\"v\":2}"));
    changed.status = SV("updated");
    changed.precise_status = SV("config_complete");
    changed.physical_id = SV("");
    save_element(f->store, "id-1", &changed);
    struct store_tree tree = load(f, "id-1");
    assert_int_equal(tree.elements.len, 3);
    for (size_t n = 0; n < 3; n++) {
        CHECK_SV(tree.elements.items[n].address, sv_from_cstr(addresses[n]));
    }
    CHECK_SV(tree.elements.items[0].status, SV("updated"));
    CHECK_SV(tree.elements.items[0].precise_status, SV("config_complete"));
    CHECK_SV(tree.elements.items[0].physical_id, SV(""));
    CHECK_SV(tree.elements.items[0].body, SV("{\"v\":2}"));
    CHECK_SV(tree.elements.items[1].physical_id, SV("/tmp/x"));
    assert_int_equal(tree.elements.items[1].updated_ms, 2);
    OPS(f)->begin(f->store, NULL);
    assert_int_equal(OPS(f)->delete_element(f->store, SV("id-1"), SV("resources.a")), STORE_OK);
    assert_int_equal(OPS(f)->delete_element(f->store, SV("id-1"), SV("resources.a")), STORE_OK);
    assert_int_equal(OPS(f)->delete_element(f->store, SV("nobody"), SV("resources.a")), STORE_OK);
    assert_int_equal(OPS(f)->put_element(f->store, SV("nobody"), &changed), STORE_NOT_FOUND);
    assert_int_equal(OPS(f)->commit(f->store), STORE_OK);
    tree = load(f, "id-1");
    assert_int_equal(tree.elements.len, 2);
    CHECK_SV(tree.elements.items[1].address, SV("links.z::a"));
}

static void test_instances_do_not_mix(void **state) {
    struct fixture *f = *state;
    struct store_instance one = sample_instance("id-1", "one"), two = sample_instance("id-2", "two");
    save_instance(f->store, &one, 0);
    save_instance(f->store, &two, 0);
    struct store_element first = sample_element("resources.a", SV("1")),
                         second = sample_element("resources.a", SV("2"));
    save_element(f->store, "id-1", &first);
    save_element(f->store, "id-2", &second);
    CHECK_SV(load(f, "id-1").elements.items[0].body, SV("1"));
    CHECK_SV(load(f, "id-2").elements.items[0].body, SV("2"));
    OPS(f)->begin(f->store, NULL);
    assert_int_equal(OPS(f)->delete_instance(f->store, SV("id-1")), STORE_OK);
    assert_int_equal(OPS(f)->commit(f->store), STORE_OK);
    assert_false(load(f, "id-1").found);
    assert_int_equal(load(f, "id-2").elements.len, 1);
}

static void save_object(struct fixture *f, const char *id, const char *address, sv physical_id) {
    struct store_element e = sample_element(address, SV("{}"));
    e.physical_id = physical_id;
    save_element(f->store, id, &e);
}

/* F38: who stands for an object, in whatever instance. */
static void test_claims(void **state) {
    struct fixture *f = *state;
    struct store_instance one = sample_instance("id-1", "one"), two = sample_instance("id-2", "two");
    save_instance(f->store, &two, 0);
    save_instance(f->store, &one, 0);
    sv hostile = SV("it's \"x\" \\ 100%\n\x01 [1]");
    save_object(f, "id-2", "resources.b", SV("/tmp/both"));
    save_object(f, "id-1", "resources.a", SV("/tmp/both"));
    save_object(f, "id-1", "resources.h", hostile);
    save_object(f, "id-1", "resources.none", SV(""));
    sv type = sample_element("x", SV("{}")).type;
    struct store_object objects[] = {
        {type, hostile}, {type, SV("/tmp/both")}, {SV("other/type"), SV("/tmp/both")}, {type, SV("")}};
    struct store_claim *items = NULL;
    size_t count = 0;
    assert_int_equal(OPS(f)->find_claims(f->store, &f->arena, objects, 4, &items, &count), STORE_OK);
    assert_int_equal(count, 3);
    CHECK_SV(items[0].address, SV("resources.h"));
    CHECK_SV(items[0].object.physical_id, hostile);
    CHECK_SV(items[1].address, SV("resources.a"));
    CHECK_SV(items[1].instance_id, SV("id-1"));
    CHECK_SV(items[1].instance_name, SV("one"));
    CHECK_SV(items[1].context, one.context);
    CHECK_SV(items[2].address, SV("resources.b"));
    CHECK_SV(items[2].instance_id, SV("id-2"));
    assert_int_equal(OPS(f)->find_claims(f->store, &f->arena, objects + 2, 1, &items, &count), STORE_OK);
    assert_int_equal(count, 0);
    assert_int_equal(OPS(f)->find_claims(f->store, &f->arena, NULL, 0, &items, &count), STORE_OK);
    assert_int_equal(count, 0);
}

static void test_huge_and_hostile_texts(void **state) {
    struct fixture *f = *state;
    struct store_instance i = sample_instance("id-1", "shop");
    save_instance(f->store, &i, 0);
    struct buf body = BUF(&f->arena);
    buf_append_char(&body, '"');
    buf_append_repeat(&body, 'x', 1 << 20);
    buf_append_char(&body, '"');
    struct store_element e =
        sample_element("resources[\"a'b;--\\\"\\u0000%s?1:x@y$z\xf0\x9f\x98\x80\"]", buf_get_sv(&body));
    e.physical_id = SV("line\nbreak\ttab \x1b[31m '); DELETE FROM elements; --");
    save_element(f->store, "id-1", &e);
    if (f->kind->is_lasting) {
        fixture_reopen(f);
    }
    struct store_tree tree = load(f, "id-1");
    assert_int_equal(tree.elements.len, 1);
    CHECK_SV(tree.elements.items[0].address, e.address);
    CHECK_SV(tree.elements.items[0].physical_id, e.physical_id);
    assert_true(sv_eq(tree.elements.items[0].body, e.body));
}

/* Bytes that are no text of any database come back, too; addresses may be as long as they like. */
static void test_bytes_of_every_kind(void **state) {
    struct fixture *f = *state;
    struct store_instance i = sample_instance("id-1", "");
    i.name = SV("n\0ul \x1a sub \x1a"
                "00 \xff\xc3");
    save_instance(f->store, &i, 0);
    struct buf address = BUF(&f->arena);
    buf_append_cstr(&address, "resources.");
    buf_append_repeat(&address, 'a', 1 << 20);
    struct store_element e = sample_element("", SV("{}"));
    e.address = buf_get_sv(&address);
    e.physical_id = SV("\0\x01\x1a\xed\xa0\x80 \xf4\x90\x80\x80 \xc0\xaf\0");
    save_element(f->store, "id-1", &e);
    save_element(f->store, "id-1", &e);
    struct store_instance found;
    assert_int_equal(OPS(f)->find_instance(f->store, &f->arena, i.context, i.name, &found), STORE_OK);
    assert_true(sv_eq(found.name, i.name));
    struct store_tree tree = load(f, "id-1");
    assert_int_equal(tree.elements.len, 1);
    assert_true(sv_eq(tree.elements.items[0].address, e.address));
    assert_true(sv_eq(tree.elements.items[0].physical_id, e.physical_id));
    OPS(f)->begin(f->store, NULL);
    assert_int_equal(OPS(f)->delete_element(f->store, SV("id-1"), e.address), STORE_OK);
    assert_int_equal(OPS(f)->commit(f->store), STORE_OK);
    assert_int_equal(load(f, "id-1").elements.len, 0);
}

/* More rows than go over a wire at once; they come in order. */
static void test_many_rows(void **state) {
    enum { MANY = 9001 };
    struct fixture *f = *state;
    struct store_instance i = sample_instance("id-1", "shop");
    save_instance(f->store, &i, 0);
    OPS(f)->begin(f->store, NULL);
    for (int n = 0; n < MANY; n++) {
        char address[32];
        snprintf(address, sizeof address, "resources.r%d", n);
        struct store_element e = sample_element(address, SV("{}"));
        struct journal_row row = sample_row(n + 1, 1);
        assert_int_equal(OPS(f)->put_element(f->store, SV("id-1"), &e), STORE_OK);
        assert_int_equal(OPS(f)->append_journal(f->store, SV("id-1"), &row), STORE_OK);
    }
    assert_int_equal(load(f, "id-1").elements.len, MANY); /* inside … */
    assert_int_equal(OPS(f)->commit(f->store), STORE_OK);
    struct store_tree tree = load(f, "id-1"); /* … and outside */
    assert_int_equal(tree.elements.len, MANY);
    assert_int_equal(tree.journal.len, MANY);
    for (int n = 0; n < MANY; n++) {
        char address[32];
        snprintf(address, sizeof address, "resources.r%d", n);
        CHECK_SV(tree.elements.items[n].address, sv_from_cstr(address));
        assert_int_equal(tree.journal.items[n].sequence, n + 1);
    }
}

/* BP-413: all or nothing. */
static void test_rollback(void **state) {
    struct fixture *f = *state;
    struct store_instance i = sample_instance("id-1", "shop");
    save_instance(f->store, &i, 0);
    struct store_element e = sample_element("resources.a", SV("{}"));
    save_element(f->store, "id-1", &e);
    struct journal_row row = sample_row(1, 1);
    struct store_history h = sample_history(1);
    OPS(f)->begin(f->store, NULL);
    i.version = 2;
    assert_int_equal(OPS(f)->put_instance(f->store, &i, 1), STORE_OK);
    assert_int_equal(OPS(f)->delete_element(f->store, SV("id-1"), SV("resources.a")), STORE_OK);
    assert_int_equal(OPS(f)->append_journal(f->store, SV("id-1"), &row), STORE_OK);
    assert_int_equal(OPS(f)->compact_journal(f->store, SV("id-1"), &h, 5), STORE_OK);
    assert_int_equal(OPS(f)->delete_instance(f->store, SV("id-1")), STORE_OK);
    struct store_instance other = sample_instance("id-2", "other");
    assert_int_equal(OPS(f)->put_instance(f->store, &other, 0), STORE_OK);
    OPS(f)->rollback(f->store);
    struct store_tree tree = load(f, "id-1");
    assert_true(tree.found);
    assert_int_equal(tree.instance.version, 1);
    assert_int_equal(tree.elements.len, 1);
    assert_int_equal(tree.journal.len, 0);
    assert_false(load(f, "id-2").found);
    struct store_history *items;
    size_t count;
    assert_int_equal(OPS(f)->list_history(f->store, &f->arena, SV("id-1"), &items, &count), STORE_OK);
    assert_int_equal(count, 0);
}

static void test_reads_in_a_transaction_see_it(void **state) {
    struct fixture *f = *state;
    struct store_instance i = sample_instance("id-1", "shop");
    OPS(f)->begin(f->store, NULL);
    assert_int_equal(OPS(f)->put_instance(f->store, &i, 0), STORE_OK);
    assert_true(load(f, "id-1").found);
    OPS(f)->rollback(f->store);
    assert_false(load(f, "id-1").found);
}

/* LC-020: rows come back in sequence with every byte of their MAC. */
static void test_journal(void **state) {
    struct fixture *f = *state;
    struct store_instance i = sample_instance("id-1", "shop");
    save_instance(f->store, &i, 0);
    OPS(f)->begin(f->store, NULL);
    for (int64_t n = 1; n <= 20; n++) {
        struct journal_row row = sample_row(n, n == 20 ? UINT64_MAX : 7);
        row.kind = (enum journal_kind)(1 + n % 6);
        assert_int_equal(OPS(f)->append_journal(f->store, SV("id-1"), &row), STORE_OK);
    }
    struct journal_row again = sample_row(20, 7), orphan = sample_row(1, 7);
    assert_int_equal(OPS(f)->append_journal(f->store, SV("id-1"), &again), STORE_CONFLICT);
    assert_int_equal(OPS(f)->append_journal(f->store, SV("nobody"), &orphan), STORE_NOT_FOUND);
    assert_int_equal(OPS(f)->commit(f->store), STORE_OK);
    struct store_tree tree = load(f, "id-1");
    assert_int_equal(tree.journal.len, 20);
    for (int64_t n = 1; n <= 20; n++) {
        struct journal_row want = sample_row(n, n == 20 ? UINT64_MAX : 7), got = tree.journal.items[n - 1];
        assert_int_equal(got.sequence, n);
        assert_int_equal(got.kind, 1 + n % 6);
        assert_true(got.token == want.token);
        assert_memory_equal(got.mac, want.mac, sizeof want.mac);
        CHECK_SV(got.run_id, want.run_id);
        CHECK_SV(got.operation, want.operation);
        CHECK_SV(got.address, want.address);
        CHECK_SV(got.action, want.action);
        CHECK_SV(got.body, want.body);
        assert_int_equal(got.wall_ms, want.wall_ms);
    }
}

static void compact(struct fixture *f, int64_t number, size_t keep) {
    struct store_history h = sample_history(number);
    OPS(f)->begin(f->store, NULL);
    assert_int_equal(OPS(f)->compact_journal(f->store, SV("id-1"), &h, keep), STORE_OK);
    assert_int_equal(OPS(f)->commit(f->store), STORE_OK);
}

/* LC-025: the journal becomes a history entry, the newest entries are kept. */
static void test_history(void **state) {
    struct fixture *f = *state;
    struct store_instance i = sample_instance("id-1", "shop");
    save_instance(f->store, &i, 0);
    struct journal_row row = sample_row(1, 1);
    OPS(f)->begin(f->store, NULL);
    assert_int_equal(OPS(f)->append_journal(f->store, SV("id-1"), &row), STORE_OK);
    assert_int_equal(OPS(f)->commit(f->store), STORE_OK);
    for (int64_t n = 1; n <= 5; n++) {
        compact(f, n, 3);
    }
    assert_int_equal(load(f, "id-1").journal.len, 0);
    OPS(f)->begin(f->store, NULL);
    struct store_history old = sample_history(5);
    assert_int_equal(OPS(f)->compact_journal(f->store, SV("id-1"), &old, 3), STORE_CONFLICT);
    assert_int_equal(OPS(f)->delete_instance(f->store, SV("id-1")), STORE_OK);
    assert_int_equal(OPS(f)->commit(f->store), STORE_OK);
    compact(f, 6, 3); /* history goes on after the instance is gone */
    struct store_history *items;
    size_t count;
    assert_int_equal(OPS(f)->list_history(f->store, &f->arena, SV("id-1"), &items, &count), STORE_OK);
    assert_int_equal(count, 3);
    assert_int_equal(items[0].number, 4);
    assert_int_equal(items[2].number, 6);
    CHECK_SV(items[2].actor, SV("ada@engine"));
    CHECK_SV(items[2].outcome, SV("succeeded"));
    assert_int_equal(items[2].ended_ms, 20);
}

static void test_delete_instance(void **state) {
    struct fixture *f = *state;
    struct store_instance i = sample_instance("id-1", "shop");
    save_instance(f->store, &i, 0);
    struct store_element e = sample_element("resources.a", SV("{}"));
    save_element(f->store, "id-1", &e);
    OPS(f)->begin(f->store, NULL);
    assert_int_equal(OPS(f)->delete_instance(f->store, SV("id-1")), STORE_OK);
    assert_int_equal(OPS(f)->delete_instance(f->store, SV("id-1")), STORE_NOT_FOUND);
    assert_int_equal(OPS(f)->commit(f->store), STORE_OK);
    save_instance(f->store, &i, 0); /* the id is free again, with nothing left of the old one */
    assert_int_equal(load(f, "id-1").elements.len, 0);
}

/* Leases */

static sv make_holder(struct fixture *f, int64_t pid) {
    return arena_printf(&f->arena, "{\"pid\":%lld,\"startTime\":0,\"bootId\":\"%.*s\",\"host\":\"engine\"}",
                        (long long)pid, SV_ARG(f->fake.boot_id));
}

static enum store_result take(struct fixture *f, sv holder, bool steal, struct store_lease *lease) {
    struct store_lease_request r = {.instance_id = SV("id-1"), .holder = holder, .ttl_ms = 60000, .steal = steal};
    return OPS(f)->take_lease(f->store, &f->arena, &r, lease);
}

/* LC-030: tokens grow by one with every take-over; LC-032: a live lease names its holder. */
static void test_lease(void **state) {
    struct fixture *f = *state;
    struct store_lease mine, other;
    sv holder = make_holder(f, getpid());
    assert_int_equal(take(f, holder, false, &mine), STORE_OK);
    assert_int_equal(mine.token, 1);
    assert_int_equal(mine.expires_ms, f->fake.monotonic_ms + 60000);
    assert_int_equal(take(f, SV("{\"runId\":\"other\"}"), false, &other), STORE_CONFLICT);
    CHECK_SV(other.holder, holder);
    fixture_let_pass(f, 59000);
    assert_int_equal(OPS(f)->renew_lease(f->store, &mine, 60000), STORE_OK);
    fixture_let_pass(f, 59000);
    assert_int_equal(take(f, SV("{}"), false, &other), STORE_CONFLICT);
    assert_int_equal(OPS(f)->release_lease(f->store, &mine), STORE_OK);
    assert_int_equal(OPS(f)->release_lease(f->store, &mine), STORE_LOST_LEASE);
    assert_int_equal(take(f, SV("{\"runId\":\"2\"}"), false, &other), STORE_OK);
    assert_int_equal(other.token, 2);
    assert_int_equal(load(f, "id-1").lease.token, 2);
    assert_int_equal(f->diags.items.len, 0);
}

/* BP-412, F25: an expired lease may be taken over; F26, LC-031: its holder can write no more. */
static void test_expired_lease(void **state) {
    struct fixture *f = *state;
    struct store_instance i = sample_instance("id-1", "shop");
    save_instance(f->store, &i, 0);
    struct store_lease mine, other;
    assert_int_equal(take(f, make_holder(f, getpid()), false, &mine), STORE_OK);
    assert_int_equal(OPS(f)->begin(f->store, &mine), STORE_OK);
    assert_int_equal(OPS(f)->commit(f->store), STORE_OK);
    fixture_let_pass(f, 60000);
    assert_int_equal(OPS(f)->begin(f->store, &mine), STORE_LOST_LEASE); /* expired, though nobody took it */
    assert_int_equal(OPS(f)->renew_lease(f->store, &mine, 60000), STORE_LOST_LEASE);
    assert_int_equal(take(f, make_holder(f, getpid()), false, &other), STORE_OK);
    assert_int_equal(other.token, 2);
    assert_int_equal(OPS(f)->begin(f->store, &mine), STORE_LOST_LEASE);
    assert_int_equal(OPS(f)->begin(f->store, &other), STORE_OK);
    struct store_element e = sample_element("resources.a", SV("{}"));
    assert_int_equal(OPS(f)->put_element(f->store, SV("id-1"), &e), STORE_OK);
    assert_int_equal(OPS(f)->commit(f->store), STORE_OK);
    assert_int_equal(OPS(f)->release_lease(f->store, &mine), STORE_LOST_LEASE);
    assert_int_equal(load(f, "id-1").elements.len, 1);
}

static void test_stolen_lease(void **state) {
    struct fixture *f = *state;
    struct store_lease mine, thief;
    assert_int_equal(take(f, make_holder(f, getpid()), false, &mine), STORE_OK);
    assert_int_equal(take(f, make_holder(f, getpid()), true, &thief), STORE_OK);
    assert_int_equal(thief.token, 2);
    assert_int_equal(OPS(f)->begin(f->store, &mine), STORE_LOST_LEASE);
    assert_int_equal(OPS(f)->renew_lease(f->store, &mine, 1000), STORE_LOST_LEASE);
    assert_int_equal(OPS(f)->begin(f->store, &thief), STORE_OK);
    OPS(f)->rollback(f->store);
}

/* LC-030: the clock of another boot says nothing, that of the store itself does. */
static void test_lease_of_another_boot(void **state) {
    struct fixture *f = *state;
    struct store_lease mine, other;
    assert_int_equal(take(f, make_holder(f, getpid()), false, &mine), STORE_OK);
    f->fake.boot_id = SV("boot-2");
    f->fake.monotonic_ms = 5;
    if (f->kind->let_pass != NULL) {
        assert_int_equal(take(f, make_holder(f, getpid()), false, &other), STORE_CONFLICT);
        fixture_let_pass(f, 60000);
    }
    assert_int_equal(take(f, make_holder(f, getpid()), false, &other), STORE_OK);
    assert_int_equal(other.token, 2);
}

/* LC-033, F24: a holder on this host that is gone is taken over at once; a zombie is gone. */
static void test_dead_holder(void **state) {
    struct fixture *f = *state;
    struct store_lease lease;
    pid_t child = fork();
    if (child == 0) {
        _exit(0);
    }
    siginfo_t info;
    assert_int_equal(waitid(P_PID, (id_t)child, &info, WEXITED | WNOWAIT), 0); /* a zombie now */
    assert_int_equal(take(f, make_holder(f, child), false, &lease), STORE_OK);
    assert_int_equal(take(f, make_holder(f, child), false, &lease), STORE_OK);
    assert_int_equal(lease.token, 2);
    waitpid(child, NULL, 0); /* gone altogether */
    assert_int_equal(take(f, make_holder(f, getpid()), false, &lease), STORE_OK);
    assert_int_equal(lease.token, 3);
    assert_int_equal(take(f, make_holder(f, child), false, &lease), STORE_CONFLICT); /* we are alive */
}

/* Another start time: the number belongs to another process by now. */
static void test_reused_pid(void **state) {
    struct fixture *f = *state;
    struct store_lease lease;
    sv holder =
        arena_printf(&f->arena, "{\"pid\":%d,\"startTime\":1,\"bootId\":\"boot-1\",\"host\":\"engine\"}", getpid());
    assert_int_equal(take(f, holder, false, &lease), STORE_OK);
    assert_int_equal(take(f, make_holder(f, getpid()), false, &lease), STORE_OK);
}

/* Of a holder elsewhere nothing can be told: it is waited for. */
static void test_dead_holder_elsewhere(void **state) {
    struct fixture *f = *state;
    struct store_lease lease;
    static const char *const holders[] = {
        "{\"pid\":999999999,\"bootId\":\"boot-1\",\"host\":\"elsewhere\"}",
        "{\"pid\":999999999,\"bootId\":\"boot-9\",\"host\":\"engine\"}",
        "{\"pid\":-1,\"bootId\":\"boot-1\",\"host\":\"engine\"}",
        "{\"pid\":\"x\",\"bootId\":\"boot-1\",\"host\":\"engine\"}",
        "not JSON",
        "[]",
    };
    for (size_t i = 0; i < sizeof holders / sizeof holders[0]; i++) {
        assert_int_equal(take(f, sv_from_cstr(holders[i]), true, &lease), STORE_OK);
        assert_int_equal(take(f, make_holder(f, getpid()), false, &lease), STORE_CONFLICT);
    }
}

/* Leases are there before their instance and after it: tokens are never used twice. */
static void test_lease_without_instance(void **state) {
    struct fixture *f = *state;
    struct store_lease lease;
    assert_int_equal(take(f, make_holder(f, getpid()), false, &lease), STORE_OK);
    struct store_instance i = sample_instance("id-1", "shop");
    assert_int_equal(OPS(f)->begin(f->store, &lease), STORE_OK);
    assert_int_equal(OPS(f)->put_instance(f->store, &i, 0), STORE_OK);
    assert_int_equal(OPS(f)->commit(f->store), STORE_OK);
    assert_int_equal(OPS(f)->begin(f->store, &lease), STORE_OK);
    assert_int_equal(OPS(f)->delete_instance(f->store, SV("id-1")), STORE_OK);
    assert_int_equal(OPS(f)->commit(f->store), STORE_OK);
    assert_int_equal(OPS(f)->release_lease(f->store, &lease), STORE_OK);
    assert_int_equal(take(f, make_holder(f, getpid()), false, &lease), STORE_OK);
    assert_int_equal(lease.token, 2);
}

static void test_read_only(void **state) {
    struct fixture *f = *state;
    struct store_instance i = sample_instance("id-1", "shop");
    save_instance(f->store, &i, 0);
    f->store->ops->close(f->store);
    f->store = f->kind->open(f, true);
    assert_non_null(f->store);
    assert_int_equal(OPS(f)->begin(f->store, NULL), STORE_READ_ONLY);
    assert_int_equal(f->diags.items.len, 1);
    struct store_lease lease;
    if (f->kind->is_lasting) {
        assert_true(load(f, "id-1").found);
        assert_int_equal(take(f, SV("{}"), false, &lease), STORE_READ_ONLY);
    }
}

#define CASE(fn) cmocka_unit_test_prestate_setup_teardown(fn, set_up, tear_down, (void *)(uintptr_t)kind)

int run_store_contract(const struct store_kind *kind) {
    const struct CMUnitTest tests[] = {
        CASE(test_key),
        CASE(test_unknown_instance),
        CASE(test_instance_round_trip),
        CASE(test_compare_and_set),
        CASE(test_names_are_unique_per_context),
        CASE(test_list_is_sorted),
        CASE(test_elements),
        CASE(test_instances_do_not_mix),
        CASE(test_claims),
        CASE(test_huge_and_hostile_texts),
        CASE(test_bytes_of_every_kind),
        CASE(test_many_rows),
        CASE(test_rollback),
        CASE(test_reads_in_a_transaction_see_it),
        CASE(test_journal),
        CASE(test_history),
        CASE(test_delete_instance),
        CASE(test_lease),
        CASE(test_expired_lease),
        CASE(test_stolen_lease),
        CASE(test_lease_of_another_boot),
        CASE(test_dead_holder),
        CASE(test_reused_pid),
        CASE(test_dead_holder_elsewhere),
        CASE(test_lease_without_instance),
        CASE(test_read_only),
    };
    return cmocka_run_group_tests_name(kind->name, tests, NULL, NULL);
}
