/* Writing: one transaction per turn of the loop (LC-012, LC-021, LC-031, LC-046). */
#include "engine/deploy.h"

#include "engine/fields.h"
#include "engine/places.h"

void write_journal(struct deploy *d, const struct journal_entry *e) {
    if (e->kind == JOURNAL_INTENT) {
        snapshot_save(d, e->address, true);
    }
    struct pending_write w = {.kind = WRITE_JOURNAL, .entry = *e};
    w.entry.wall_ms = now_wall(d);
    VEC_PUSH(&d->turn, &d->batch.writes, w);
}

int64_t find_place(struct deploy *d, sv address) {
    const struct element *e = d->t == NULL ? NULL : template_find(d->t, address);
    if (e == NULL) {
        return 0;
    }
    if (d->places == NULL) {
        d->places = places_of_elements(d->a, d->t, &d->stored);
    }
    return d->places[template_get_number(d->t, e)];
}

static int64_t find_link_place(struct deploy *d, sv address) {
    uintptr_t number = d->t == NULL ? 0 : (uintptr_t)map_find(&d->t->link_by_address, address);
    if (number == 0) {
        return 0;
    }
    if (d->link_places == NULL) {
        d->link_places = places_of_links(d->a, d->t, &d->stored);
    }
    return d->link_places[number - 1];
}

void write_resource(struct deploy *d, struct resource_record *r) {
    int64_t position = find_place(d, r->address.text);
    r->position = position != 0 ? position : r->position;
    snapshot_save(d, r->address.text, false);
    struct pending_write w = {.kind = WRITE_RESOURCE, .resource = r};
    VEC_PUSH(&d->turn, &d->batch.writes, w);
}

void write_link(struct deploy *d, struct link_record *l) {
    int64_t position = find_link_place(d, l->address.text);
    l->position = position != 0 ? position : l->position;
    snapshot_save(d, l->address.text, false);
    struct pending_write w = {.kind = WRITE_LINK, .link = l};
    VEC_PUSH(&d->turn, &d->batch.writes, w);
}

void write_delete(struct deploy *d, sv address) {
    snapshot_save(d, address, false);
    struct pending_write w = {.kind = WRITE_DELETE, .address = address};
    VEC_PUSH(&d->turn, &d->batch.writes, w);
}

bool check_write(struct deploy *d, enum store_result r) {
    if (r == STORE_OK) {
        return true;
    }
    if (r == STORE_LOST_LEASE) {
        d->lease_lost = true;
    } else {
        d->store_failed = true;
        if (r == STORE_CONFLICT || r == STORE_NOT_FOUND) { /* the store reports the others */
            diags_add(d->c->diags, DIAG_state_not_available, SPAN_NONE, "the state of '%.*s' changed under this run",
                      SV_ARG(d->p->instance_name));
        }
    }
    return false;
}

bool begin_write(struct deploy *d) {
    if (d->lease_lost || d->store_failed) {
        return false;
    }
    return check_write(d, d->c->store->ops->begin(d->c->store, &d->lease));
}

bool renew_lease(struct deploy *d) {
    int64_t now = now_monotonic(d);
    if (d->lease_lost || now - d->renewed_ms < d->c->lease_ttl_ms / 4) {
        return !d->lease_lost;
    }
    enum store_result r = d->c->store->ops->renew_lease(d->c->store, &d->lease, d->c->lease_ttl_ms);
    if (r == STORE_OK) {
        d->renewed_ms = now;
    } else if (r == STORE_LOST_LEASE || r == STORE_NOT_FOUND || now - d->renewed_ms >= d->c->lease_ttl_ms) {
        d->lease_lost = true;
    } else if (now - d->renewed_ms >= d->c->lease_ttl_ms / 4 * 3) {
        d->is_over_ttl = true; /* starts no further operation (LC-031) */
    }
    return !d->lease_lost;
}

static enum store_result write_one(struct deploy *d, struct record_codec *codec, const struct pending_write *w) {
    struct store *store = d->c->store;
    sv id = d->stored.instance.id;
    struct store_element row;
    switch (w->kind) {
    case WRITE_JOURNAL:
        return journal_append(&d->journal, &d->turn, &w->entry);
    case WRITE_RESOURCE:
        row = record_encode_resource(codec, w->resource);
        return store->ops->put_element(store, id, &row);
    case WRITE_LINK:
        row = record_encode_link(codec, w->link);
        return store->ops->put_element(store, id, &row);
    case WRITE_DELETE:
        return store->ops->delete_element(store, id, w->address);
    }
    return STORE_FAILED;
}

static bool commit_batch(struct deploy *d) {
    events_keep(d);
    if (d->batch.writes.len == 0 && !events_are_due(d)) {
        return !d->lease_lost && !d->store_failed;
    }
    struct record_codec codec = {
        .arena = &d->turn, .sealer = d->c->sealer, .diags = d->c->diags, .instance_id = d->stored.instance.id};
    struct journal_mark mark = journal_get_mark(&d->journal);
    if (!begin_write(d)) {
        return false;
    }
    struct store *store = d->c->store;
    if (has_new_results(d)) { /* durable before what was made with them */
        take_results(d, false);
        if (!check_write(d, put_instance(d, status_find(d->stored.instance.status)))) {
            store->ops->rollback(store);
            return false;
        }
    }
    for (size_t i = 0; i < d->batch.writes.len; i++) {
        if (!check_write(d, write_one(d, &codec, &d->batch.writes.items[i]))) {
            store->ops->rollback(store);
            journal_return(&d->journal, mark);
            return false;
        }
    }
    if (!check_write(d, events_save(d))) {
        store->ops->rollback(store);
        journal_return(&d->journal, mark);
        return false;
    }
    if (!check_write(d, store->ops->commit(store))) {
        journal_return(&d->journal, mark);
        return false;
    }
    events_forget(d);
    return true;
}

/* --- rescue (LC-046) --- */

static void rescue_row(struct jsonw *w, const struct store_element *row) {
    jsonw_key(w, SV("element"));
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

static void rescue_entry(struct deploy *d, struct jsonw *w, const struct journal_entry *e) {
    struct seal_place place = {.instance_id = d->stored.instance.id, .address = SV("journal")};
    jsonw_put_text(w, "kind", e->kind == JOURNAL_PROGRESS ? SV("progress") : SV("outcome"));
    jsonw_put_text(w, "operation", e->operation);
    jsonw_put_text(w, "address", e->address);
    jsonw_put_text(w, "action", e->action);
    jsonw_key(w, SV("body"));
    jsonw_raw(w, value_is_set(e->body) ? seal_encode(d->c->sealer, &d->turn, &place, e->body) : SV("{}"));
}

/* One line; intents that did not get durable are left out, since their operations never started. */
static void rescue_write(struct deploy *d, const struct pending_write *p) {
    if (p->kind == WRITE_JOURNAL && p->entry.kind != JOURNAL_OUTCOME && p->entry.kind != JOURNAL_PROGRESS) {
        return;
    }
    struct record_codec codec = {
        .arena = &d->turn, .sealer = d->c->sealer, .diags = d->c->diags, .instance_id = d->stored.instance.id};
    struct buf line = BUF(&d->turn);
    struct jsonw w = JSONW(&line, 0);
    struct store_element row;
    jsonw_begin_object(&w);
    jsonw_put_text(&w, "instanceId", d->stored.instance.id);
    jsonw_put_text(&w, "runId", d->run_id);
    jsonw_put_i64(&w, "token", (int64_t)d->lease.token);
    switch (p->kind) {
    case WRITE_JOURNAL:
        rescue_entry(d, &w, &p->entry);
        break;
    case WRITE_RESOURCE:
        row = record_encode_resource(&codec, p->resource);
        rescue_row(&w, &row);
        break;
    case WRITE_LINK:
        row = record_encode_link(&codec, p->link);
        rescue_row(&w, &row);
        break;
    case WRITE_DELETE:
        jsonw_put_text(&w, "deleted", p->address);
        break;
    }
    jsonw_end_object(&w);
    d->c->on_rescue(d->c->user, d->run_id, buf_get_sv(&line));
}

static void rescue_batch(struct deploy *d) {
    if (!d->store_failed || d->c->on_rescue == NULL) {
        return; /* a lost lease: another run asks the providers itself */
    }
    for (size_t i = 0; i < d->batch.writes.len; i++) {
        rescue_write(d, &d->batch.writes.items[i]);
    }
}

/* The intent never became durable: the call is not made (LC-011 (1)). */
static void drop_starts(struct deploy *d) {
    for (size_t i = 0; i < d->batch.starts.len; i++) {
        struct job *j = d->batch.starts.items[i];
        d->ops[j->op].job = NULL;
        d->ops[j->op].over = true;
        exec_done(d->exec, &(struct exec_report){.op = j->op, .outcome = EXEC_UNKNOWN, .now_ms = now_monotonic(d)});
        job_free(j);
    }
}

void flush_batch(struct deploy *d) {
    bool ok = commit_batch(d);
    if (!ok) {
        rescue_batch(d);
        drop_starts(d);
    }
    for (size_t i = 0; ok && i < d->batch.starts.len; i++) {
        workers_start(d->workers, d->batch.starts.items[i]);
    }
    for (size_t i = 0; i < d->batch.answers.len; i++) {
        workers_answer(d->workers, d->batch.answers.items[i], ok);
    }
    for (size_t i = 0; d->c->on_event != NULL && i < d->batch.events.len; i++) {
        d->c->on_event(d->c->user, &d->batch.events.items[i]);
    }
    d->batch = (struct batch){0};
    arena_fini(&d->turn);
}
