#include "engine/rekey.h"

#include "engine/fields.h"
#include "engine/inner_rows.h"
#include "engine/journal.h"
#include "engine/records.h"
#include "value/convert.h"

enum { POLL_MS = 200 };

struct rekey {
    const struct run_config *c;
    const struct rekey_request *request;
    struct rekey_report *report;
    struct arena *a; /* of the instance under way */
    sv id;           /* of it */
};

/* --- texts --- */

/* False after a report. `*json` becomes the new text; `changed` says whether it is another one. */
static bool move_text(struct rekey *k, sv address, sv *json, bool *changed) {
    struct seal_move move = {.from = k->c->sealer, .to = k->request->to, .diags = k->c->diags};
    struct seal_place place = {.instance_id = k->id, .address = address};
    struct seal_moved count = {0};
    sv text = seal_move(&move, k->a, &place, *json, &count);
    k->report->moved += count.moved;
    k->report->left += count.left;
    *changed = text.data != json->data;
    *json = text;
    return text.len > 0;
}

/* Opened by the old key and, with its inner texts moved, sealed by it again, for what comes then. */
static bool move_rows_within(struct rekey *k, sv address, sv *json) {
    if (!inner_rows_may_have(*json)) {
        return true;
    }
    struct seal_place place = {.instance_id = k->id, .address = address};
    value body = seal_decode(k->c->sealer, k->a, &place, *json, NULL, k->c->diags);
    struct inner_rows inner = {.arena = k->a, .from = k->c->sealer, .to = k->request->to, .instance_id = k->id};
    bool changed = false;
    value moved = inner_rows_move(&inner, body, &changed);
    k->report->moved += inner.moved;
    if (changed) {
        *json = seal_encode(k->c->sealer, k->a, &place, moved);
    }
    return !value_is_error(body);
}

/* Both. `changed`: it is another text than before. */
static bool move_body(struct rekey *k, sv address, sv *json, bool *changed) {
    const char *before = json->data;
    bool ok = move_rows_within(k, address, json) && move_text(k, address, json, changed);
    *changed = json->data != before;
    return ok;
}

static bool write_ok(const struct rekey *k, enum store_result r) {
    return k->request->dry_run || r == STORE_OK;
}

/* --- rows --- */

static bool move_elements(struct rekey *k, const struct store_tree *tree) {
    struct store *store = k->c->store;
    for (size_t i = 0; i < tree->elements.len; i++) {
        struct store_element row = tree->elements.items[i];
        bool changed = false;
        if (!move_text(k, row.address, &row.body, &changed)) {
            return false;
        }
        if (changed && !k->request->dry_run && store->ops->put_element(store, k->id, &row) != STORE_OK) {
            return false;
        }
    }
    return true;
}

static bool report_broken(struct rekey *k, const struct store_instance *instance, int64_t broken) {
    struct diag *d = diags_add(k->c->diags, DIAG_journal_chain_broken, SPAN_NONE,
                               "row %lld of the journal of instance '%.*s' was edited, cut or put back",
                               (long long)broken, SV_ARG(instance->name));
    diag_set_hint(k->c->diags, d, "restore the state from a backup; nothing was written");
    return false;
}

/* The chain goes through what rows hold: it is made anew from the first row that changes. */
static bool write_journal(struct rekey *k, const struct store_tree *tree, const struct journal_mark *anchor) {
    struct store *store = k->c->store;
    struct journal_mark mark = *anchor;
    bool any = false;
    for (size_t i = 0; i < tree->journal.len; i++) {
        struct journal_row row = tree->journal.items[i];
        bool changed = false;
        if (!move_body(k, SV("journal"), &row.body, &changed)) {
            return false;
        }
        any = any || changed;
        journal_make_mac(k->c->sealer, k->id, mark.mac, &row);
        memcpy(mark.mac, row.mac, sizeof mark.mac);
        if (any && !k->request->dry_run && store->ops->rewrite_journal(store, k->id, &row) != STORE_OK) {
            return false;
        }
    }
    return true;
}

static bool move_journal(struct rekey *k, const struct store_tree *tree) {
    struct instance_body body;
    struct record_codec codec = {.arena = k->a, .sealer = k->c->sealer, .diags = k->c->diags, .instance_id = k->id};
    if (!record_decode_instance(&codec, tree->instance.body, &body)) {
        return false;
    }
    struct journal_check check = {.sealer = k->c->sealer,
                                  .instance_id = k->id,
                                  .rows = tree->journal.items,
                                  .count = tree->journal.len,
                                  .anchor = {.sequence = body.journal_sequence}};
    memcpy(check.anchor.mac, body.journal_mac, sizeof check.anchor.mac);
    struct journal_mark last;
    int64_t broken = 0;
    if (!journal_check_chain(&check, &broken, &last)) {
        return report_broken(k, &tree->instance, broken);
    }
    return write_journal(k, tree, &check.anchor);
}

static bool move_instance(struct rekey *k, const struct store_tree *tree) {
    struct store *store = k->c->store;
    struct store_instance row = tree->instance;
    bool changed = false;
    if (!move_text(k, SV("instance"), &row.body, &changed)) {
        return false;
    }
    enum store_result r = STORE_OK;
    if (changed && !k->request->dry_run) {
        r = store->ops->put_instance(store, &row, row.version);
    }
    return write_ok(k, r);
}

static bool move_tree(struct rekey *k) {
    struct store_tree tree = {0};
    struct store *store = k->c->store;
    enum store_result r = store->ops->load_tree(store, k->a, k->id, &tree);
    if (r != STORE_OK || !tree.found) {
        return r == STORE_OK;
    }
    return move_elements(k, &tree) && move_journal(k, &tree) && move_instance(k, &tree);
}

/* --- history --- */

static bool move_history(struct rekey *k) {
    struct store *store = k->c->store;
    struct store_history *items = NULL;
    size_t count = 0;
    if (store->ops->list_history(store, k->a, k->id, &items, &count) != STORE_OK) {
        return false;
    }
    for (size_t i = 0; i < count; i++) {
        bool changed = false;
        if (!move_body(k, SV("history"), &items[i].body, &changed)) {
            return false;
        }
        if (changed && !k->request->dry_run && store->ops->rewrite_history(store, k->id, &items[i]) != STORE_OK) {
            return false;
        }
    }
    return true;
}

/* --- all of them --- */

static bool for_each(struct rekey *k, const sv *ids, size_t count, bool (*move)(struct rekey *k)) {
    bool ok = true;
    for (size_t i = 0; ok && i < count; i++) {
        struct arena scratch = {.secret = true};
        k->a = &scratch;
        k->id = ids[i];
        ok = move(k);
        k->a = NULL;
        arena_fini(&scratch);
    }
    return ok;
}

/* History outlives its instance and has no name space: what other data keys have sealed is simply not opened. */
static bool move_all(struct rekey *k, struct arena *a) {
    struct store *store = k->c->store;
    struct store_instance *items = NULL;
    size_t count = 0, owner_count = 0;
    if (store->ops->list_instances(store, a, k->c->context, &items, &count) != STORE_OK) {
        return false;
    }
    sv *ids = ARENA_ARRAY(a, sv, count + 1), *owners = NULL;
    for (size_t i = 0; i < count; i++) {
        ids[i] = items[i].id;
    }
    k->report->instances = count;
    if (!k->request->rotate) {
        return true;
    }
    if (!for_each(k, ids, count, move_tree) || store->ops->list_owners(store, a, &owners, &owner_count) != STORE_OK) {
        return false;
    }
    size_t left = k->report->left;
    bool ok = for_each(k, owners, owner_count, move_history);
    k->report->left = left; /* of other name spaces, most likely */
    return ok;
}

/* --- the transaction --- */

static void report_held(const struct run_config *c, struct arena *a, const struct store_lease *lease) {
    sv why;
    size_t offset;
    value holder = value_parse_json(a, lease->holder, c->limits, true, &why, &offset);
    struct diag *d =
        diags_add(c->diags, DIAG_instance_in_progress, SPAN_NONE, "instance %.*s is held by %.*s, process %lld: %.*s",
                  SV_ARG(lease->instance_id), SV_ARG(field_get_text(holder, "actor")),
                  (long long)field_get_int(holder, "pid"), SV_ARG(field_get_text(holder, "command")));
    diag_set_hint(c->diags, d, "keys are changed while nothing runs; wait for it with --lock-timeout 5m");
}

static bool begin(const struct run_config *c, struct arena *a, enum exit_code *code) {
    const struct host *host = c->host;
    int64_t until = host->ops->get_monotonic_ms(host->user) + c->lock_timeout_ms;
    for (;;) {
        struct store_lease lease;
        enum store_result r = c->store->ops->begin_alone(c->store, a, &lease);
        bool is_over =
            host->ops->get_monotonic_ms(host->user) >= until || (c->signals != NULL && atomic_load(c->signals) > 0);
        if (r == STORE_CONFLICT && is_over) {
            report_held(c, a, &lease);
        }
        if (r != STORE_CONFLICT || is_over) {
            *code = r == STORE_CONFLICT || r == STORE_BUSY ? EXIT_LOCKED : EXIT_FAILED;
            return r == STORE_OK;
        }
        host->ops->sleep_ms(host->user, POLL_MS);
    }
}

/* Plans that wait in the queue are sealed as well, and are carried out by what they were sealed with. */
static bool check_queue(struct rekey *k, struct arena *a, enum exit_code *code) {
    const struct run_config *c = k->c;
    struct store_run *runs = NULL;
    size_t count = 0;
    *code = EXIT_FAILED;
    if (!k->request->rotate) {
        return true;
    }
    if (c->store->ops->list_runs(c->store, a, c->context, true, &runs, &count) != STORE_OK) {
        return false;
    }
    if (count == 0) {
        return true;
    }
    struct diag *d = diags_add(c->diags, DIAG_instance_in_progress, SPAN_NONE,
                               "%zu runs are in the queue, with plans that are sealed by the present data key", count);
    diag_set_hint(c->diags, d, "let lintel work carry them out first; nothing was written");
    *code = EXIT_LOCKED;
    return false;
}

static bool put_key(struct rekey *k, enum exit_code *code) {
    const struct run_config *c = k->c;
    enum store_result r =
        c->store->ops->put_data_key(c->store, c->context, k->request->expected, sealer_get_wrapped(k->request->to));
    if (r == STORE_CONFLICT) {
        struct diag *d =
            diags_add(c->diags, DIAG_key_not_usable, SPAN_NONE,
                      "the key of context '%.*s' was changed by somebody else meanwhile", SV_ARG(c->context));
        diag_set_hint(c->diags, d, "run the command again with the key that is right now");
    }
    *code = EXIT_FAILED;
    return r == STORE_OK;
}

static bool write_all(struct rekey *k, struct arena *a, enum exit_code *code) {
    struct store *store = k->c->store;
    if (check_queue(k, a, code) && put_key(k, code) && move_all(k, a)) {
        return store->ops->commit(store) == STORE_OK;
    }
    store->ops->rollback(store);
    return false;
}

bool rekey_run(const struct run_config *c, const struct rekey_request *request, struct rekey_report *report,
               enum exit_code *code) {
    struct arena a = {.secret = true};
    struct rekey k = {.c = c, .request = request, .report = report};
    *report = (struct rekey_report){0};
    *code = EXIT_FAILED;
    bool ok = request->dry_run ? move_all(&k, &a) : begin(c, &a, code) && write_all(&k, &a, code);
    arena_fini(&a);
    return ok;
}

bool rekey_check_current(const struct run_config *c, sv context, enum exit_code *code) {
    if (sealer_is_current(c->sealer, c->store, context)) {
        return true;
    }
    bool is_other = c->context.len > 0 && !sv_eq(c->context, context);
    struct diag *d =
        diags_add(c->diags, DIAG_key_not_usable, SPAN_NONE, "the data key of context '%.*s' %s", SV_ARG(context),
                  is_other ? "is another one than that of the context given" : "was changed meanwhile");
    if (is_other) {
        diag_set_hint(c->diags, d, "give --context %.*s", SV_ARG(context));
    } else {
        diag_set_hint(c->diags, d, "run the command again");
    }
    *code = EXIT_FAILED;
    return false;
}
