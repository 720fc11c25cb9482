#include "engine/fields.h"
#include "engine/transfer.h"
#include "model/lease.h"

static bool fail(enum exit_code *code, enum exit_code which) {
    *code = which;
    return false;
}

static void write_row(struct jsonw *w, const struct store_element *row) {
    jsonw_begin_object(w);
    jsonw_put_text(w, "address", row->address);
    jsonw_put_text(w, "type", row->type);
    jsonw_put_text(w, "status", row->status);
    jsonw_put_text(w, "preciseStatus", row->precise_status);
    jsonw_put_text(w, "physicalId", row->physical_id);
    jsonw_put_i64(w, "createdMs", row->created_ms);
    jsonw_put_i64(w, "updatedMs", row->updated_ms);
    jsonw_key(w, SV("body"));
    jsonw_raw(w, row->body);
    jsonw_end_object(w);
}

static void write_past(struct jsonw *w, const struct store_history *h) {
    jsonw_begin_object(w);
    jsonw_put_i64(w, "number", h->number);
    jsonw_put_text(w, "runId", h->run_id);
    jsonw_put_text(w, "kind", h->kind);
    jsonw_put_text(w, "actor", h->actor);
    jsonw_put_text(w, "outcome", h->outcome);
    jsonw_put_i64(w, "startedMs", h->started_ms);
    jsonw_put_i64(w, "endedMs", h->ended_ms);
    jsonw_key(w, SV("body"));
    jsonw_raw(w, h->body);
    jsonw_end_object(w);
}

struct whole {
    const struct stored *stored;
    const struct store_history *history;
    size_t count;
    sv data_key;
};

static void write_instance(struct jsonw *w, const struct whole *all) {
    const struct stored *s = all->stored;
    const struct store_instance *i = &s->instance;
    jsonw_begin_object(w);
    jsonw_put_i64(w, "formatVersion", 1);
    jsonw_put_text(w, "id", i->id);
    jsonw_put_text(w, "name", i->name);
    jsonw_put_text(w, "context", i->context);
    jsonw_put_text(w, "dialect", i->dialect);
    jsonw_put_text(w, "status", i->status);
    jsonw_put_i64(w, "version", i->version);
    jsonw_put_i64(w, "createdMs", i->created_ms);
    jsonw_put_i64(w, "updatedMs", i->updated_ms);
    if (all->data_key.len > 0) {
        jsonw_put_text(w, "dataKey", all->data_key);
    }
    jsonw_key(w, SV("body"));
    jsonw_raw(w, i->body);
    jsonw_key(w, SV("elements"));
    jsonw_begin_array(w);
    for (size_t k = 0; k < s->elements.len; k++) {
        write_row(w, &s->tree.elements.items[s->elements.items[k]->row]);
    }
    jsonw_end_array(w);
    jsonw_key(w, SV("history"));
    jsonw_begin_array(w);
    for (size_t k = 0; k < all->count; k++) {
        write_past(w, &all->history[k]);
    }
    jsonw_end_array(w);
    jsonw_end_object(w);
}

/* What stands still, and is known. */
static bool check_quiet(const struct run_config *c, const struct stored *s, enum exit_code *code) {
    sv name = s->instance.name;
    if (lease_is_held(c->host, &s->tree.lease)) {
        struct diag *d = diags_add(c->diags, DIAG_instance_in_progress, SPAN_NONE,
                                   "instance '%.*s' is held by a run and cannot be exported", SV_ARG(name));
        diag_set_hint(c->diags, d, "wait for it: lintel history shows whose it is");
        return fail(code, EXIT_LOCKED);
    }
    struct record_codec codec = {
        .arena = c->arena, .sealer = c->sealer, .diags = c->diags, .instance_id = s->instance.id};
    struct open_intents open = {0};
    journal_find_open(&codec, s->tree.journal.items, s->tree.journal.len, &open);
    if (open.items.len > 0) {
        struct diag *d = diags_add(c->diags, DIAG_state_edit_refused, SPAN_NONE,
                                   "instance '%.*s' cannot be exported: an operation on '%.*s' was cut off and is not "
                                   "settled",
                                   SV_ARG(name), SV_ARG(open.items.items[0].row->address));
        diag_set_hint(c->diags, d, "lintel deploy settles it, or lintel reconcile --scope interrupted --apply");
        return fail(code, EXIT_INVALID);
    }
    return true;
}

bool transfer_write(const struct run_config *c, struct jsonw *w, enum exit_code *code) {
    struct stored s;
    struct store_history *history = NULL;
    struct whole all = {.stored = &s};
    if (!stored_load(c, &s, code)) {
        return false;
    }
    if (!s.found) {
        diags_add(c->diags, DIAG_instance_not_found, SPAN_NONE, "there is no instance '%.*s'",
                  SV_ARG(c->instance_name));
        return fail(code, EXIT_INVALID);
    }
    if (!check_quiet(c, &s, code)) {
        return false;
    }
    enum store_result r = c->store->ops->list_history(c->store, c->arena, s.instance.id, &history, &all.count);
    all.history = history;
    if (r == STORE_OK || r == STORE_NOT_FOUND) {
        r = c->store->ops->find_data_key(c->store, c->arena, s.instance.context, &all.data_key);
    }
    if (r != STORE_OK && r != STORE_NOT_FOUND) {
        return fail(code, r == STORE_BUSY ? EXIT_LOCKED : EXIT_FAILED);
    }
    all.data_key = r == STORE_OK ? all.data_key : (sv){0};
    write_instance(w, &all);
    return true;
}
