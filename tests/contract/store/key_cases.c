/* What every store promises of data keys and of changing them (LC-050, LC-052). */
#include "contract/store/fixture.h"

#include <stdio.h>
#include <stdlib.h>
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

static enum store_result put(struct fixture *f, const char *context, const char *expected, const char *wrapped) {
    assert_int_equal(OPS(f)->begin(f->store, NULL), STORE_OK);
    enum store_result r =
        OPS(f)->put_data_key(f->store, sv_from_cstr(context), sv_from_cstr(expected), sv_from_cstr(wrapped));
    if (r != STORE_OK) {
        OPS(f)->rollback(f->store);
        return r;
    }
    return OPS(f)->commit(f->store);
}

static sv find(struct fixture *f, const char *context) {
    sv wrapped = SV("untouched");
    enum store_result r = OPS(f)->find_data_key(f->store, &f->arena, sv_from_cstr(context), &wrapped);
    assert_true(r == STORE_OK || r == STORE_NOT_FOUND);
    assert_int_equal(r == STORE_OK, wrapped.len > 0);
    return wrapped;
}

/* LC-050: a data key for each name space; LC-052: only who knows what is there replaces it. */
static void test_data_keys(void **state) {
    struct fixture *f = *state;
    CHECK_SV(find(f, "default"), SV(""));
    assert_int_equal(put(f, "default", "", "{\"first\":1}"), STORE_OK);
    assert_int_equal(put(f, "default", "", "{\"second\":1}"), STORE_CONFLICT);
    assert_int_equal(put(f, "default", "{\"other\":1}", "{\"second\":1}"), STORE_CONFLICT);
    assert_int_equal(put(f, "staging", "{\"first\":1}", "{\"second\":1}"), STORE_CONFLICT);
    CHECK_SV(find(f, "default"), SV("{\"first\":1}"));
    CHECK_SV(find(f, "staging"), SV(""));
    assert_int_equal(put(f, "staging", "", "\xc3\xa9'\"\n"), STORE_OK);
    assert_int_equal(put(f, "default", "{\"first\":1}", "{\"second\":1}"), STORE_OK);
    if (f->kind->is_lasting) {
        fixture_reopen(f);
    }
    CHECK_SV(find(f, "default"), SV("{\"second\":1}"));
    CHECK_SV(find(f, "staging"), SV("\xc3\xa9'\"\n"));
    assert_int_equal(f->diags.items.len, 0);
}

static void test_data_keys_are_rolled_back(void **state) {
    struct fixture *f = *state;
    assert_int_equal(put(f, "default", "", "first"), STORE_OK);
    assert_int_equal(OPS(f)->begin(f->store, NULL), STORE_OK);
    assert_int_equal(OPS(f)->put_data_key(f->store, SV("default"), SV("first"), SV("second")), STORE_OK);
    assert_int_equal(OPS(f)->put_data_key(f->store, SV("staging"), SV(""), SV("third")), STORE_OK);
    CHECK_SV(find(f, "default"), SV("second")); /* the transaction sees its own */
    assert_int_equal(OPS(f)->put_data_key(f->store, SV("default"), SV("second"), SV("fourth")), STORE_OK);
    OPS(f)->rollback(f->store);
    CHECK_SV(find(f, "default"), SV("first"));
    CHECK_SV(find(f, "staging"), SV(""));
}

static enum store_result take(struct fixture *f, const char *id, struct store_lease *lease) {
    sv holder =
        arena_printf(&f->arena, "{\"pid\":%d,\"startTime\":0,\"bootId\":\"boot-1\",\"host\":\"engine\"}", getpid());
    struct store_lease_request request = {.instance_id = sv_from_cstr(id), .holder = holder, .ttl_ms = 60000};
    return OPS(f)->take_lease(f->store, &f->arena, &request, lease);
}

/* LC-052: no run overlaps: a live lease of any instance, one without a row too, is in the way. */
static void test_alone(void **state) {
    struct fixture *f = *state;
    struct store_lease lease, held;
    assert_int_equal(OPS(f)->begin_alone(f->store, &f->arena, &held), STORE_OK);
    assert_int_equal(OPS(f)->put_data_key(f->store, SV("default"), SV(""), SV("first")), STORE_OK);
    assert_int_equal(OPS(f)->commit(f->store), STORE_OK);
    CHECK_SV(find(f, "default"), SV("first"));
    assert_int_equal(take(f, "id-1", &lease), STORE_OK);
    assert_int_equal(OPS(f)->begin_alone(f->store, &f->arena, &held), STORE_CONFLICT);
    CHECK_SV(held.instance_id, SV("id-1"));
    CHECK_SV(held.holder, lease.holder);
    assert_int_equal(put(f, "default", "first", "second"), STORE_OK); /* nothing was left open */
    assert_int_equal(OPS(f)->release_lease(f->store, &lease), STORE_OK);
    assert_int_equal(OPS(f)->begin_alone(f->store, &f->arena, &held), STORE_OK);
    OPS(f)->rollback(f->store);
    assert_int_equal(take(f, "id-2", &lease), STORE_OK);
    fixture_let_pass(f, 61000);
    assert_int_equal(OPS(f)->begin_alone(f->store, &f->arena, &held), STORE_OK); /* it has run out */
    OPS(f)->rollback(f->store);
    assert_int_equal(f->diags.items.len, 0);
}

/* LC-052: rows in place; their order, their neighbours and everything else stay. */
static void test_rewriting(void **state) {
    struct fixture *f = *state;
    struct store_instance i = sample_instance("id-1", "shop");
    save_instance(f->store, &i, 0);
    assert_int_equal(OPS(f)->begin(f->store, NULL), STORE_OK);
    struct store_history entry = sample_history(1);
    assert_int_equal(OPS(f)->compact_journal(f->store, i.id, &entry, 50), STORE_OK);
    struct journal_row rows[3] = {sample_row(1, 1), sample_row(2, 1), sample_row(3, 1)};
    for (size_t n = 0; n < 3; n++) {
        assert_int_equal(OPS(f)->append_journal(f->store, i.id, &rows[n]), STORE_OK);
    }
    assert_int_equal(OPS(f)->commit(f->store), STORE_OK);
    assert_int_equal(OPS(f)->begin(f->store, NULL), STORE_OK);
    rows[1].body = SV("{\"sealed\":\"anew\"}");
    memset(rows[1].mac, 9, sizeof rows[1].mac);
    entry.body = SV("{\"sealed\":\"too\"}");
    assert_int_equal(OPS(f)->rewrite_journal(f->store, i.id, &rows[1]), STORE_OK);
    assert_int_equal(OPS(f)->rewrite_history(f->store, i.id, &entry), STORE_OK);
    struct journal_row none = sample_row(4, 1);
    struct store_history never = sample_history(7);
    assert_int_equal(OPS(f)->rewrite_journal(f->store, i.id, &none), STORE_NOT_FOUND);
    assert_int_equal(OPS(f)->rewrite_history(f->store, i.id, &never), STORE_NOT_FOUND);
    assert_int_equal(OPS(f)->rewrite_history(f->store, SV("id-9"), &entry), STORE_NOT_FOUND);
    assert_int_equal(OPS(f)->commit(f->store), STORE_OK);
    struct store_tree tree;
    assert_int_equal(OPS(f)->load_tree(f->store, &f->arena, i.id, &tree), STORE_OK);
    assert_int_equal(tree.journal.len, 3);
    CHECK_SV(tree.journal.items[0].body, rows[0].body);
    CHECK_SV(tree.journal.items[1].body, rows[1].body);
    CHECK_SV(tree.journal.items[1].run_id, rows[1].run_id);
    assert_memory_equal(tree.journal.items[1].mac, rows[1].mac, sizeof rows[1].mac);
    assert_memory_equal(tree.journal.items[2].mac, rows[2].mac, sizeof rows[2].mac);
    struct store_history *items;
    size_t count = 0;
    assert_int_equal(OPS(f)->list_history(f->store, &f->arena, i.id, &items, &count), STORE_OK);
    assert_int_equal(count, 1);
    CHECK_SV(items[0].body, entry.body);
    CHECK_SV(items[0].actor, entry.actor);
}

/* LC-052: history outlives its instance, and is found. */
static void test_owners(void **state) {
    struct fixture *f = *state;
    static const char *const ids[] = {"id-b", "id-a", "id-c"};
    sv *owners;
    size_t count = 7;
    assert_int_equal(OPS(f)->list_owners(f->store, &f->arena, &owners, &count), STORE_OK);
    assert_int_equal(count, 0);
    for (size_t n = 0; n < 3; n++) {
        struct store_instance i = sample_instance(ids[n], ids[n]);
        struct store_history entry = sample_history(1);
        save_instance(f->store, &i, 0);
        assert_int_equal(OPS(f)->begin(f->store, NULL), STORE_OK);
        if (n < 2) {
            assert_int_equal(OPS(f)->compact_journal(f->store, i.id, &entry, 50), STORE_OK);
        }
        assert_int_equal(OPS(f)->delete_instance(f->store, i.id), STORE_OK);
        assert_int_equal(OPS(f)->commit(f->store), STORE_OK);
    }
    assert_int_equal(OPS(f)->list_owners(f->store, &f->arena, &owners, &count), STORE_OK);
    assert_int_equal(count, 2);
    CHECK_SV(owners[0], SV("id-a"));
    CHECK_SV(owners[1], SV("id-b"));
}

#define CASE(fn) cmocka_unit_test_prestate_setup_teardown(fn, set_up, tear_down, (void *)(uintptr_t)kind)

int run_key_contract(const struct store_kind *kind) {
    const struct CMUnitTest tests[] = {
        CASE(test_data_keys), CASE(test_data_keys_are_rolled_back), CASE(test_alone), CASE(test_rewriting),
        CASE(test_owners),
    };
    return cmocka_run_group_tests_name(kind->name, tests, NULL, NULL);
}
