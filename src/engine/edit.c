#include "engine/edit.h"

#include "engine/actor.h"
#include "engine/fields.h"
#include "engine/held.h"
#include "engine/ids.h"
#include "engine/rekey.h"
#include "value/convert.h"

static bool fail(enum exit_code *code, enum exit_code which) {
    *code = which;
    return false;
}

static enum exit_code store_exit(enum store_result r) {
    return r == STORE_BUSY || r == STORE_LOST_LEASE || r == STORE_CONFLICT ? EXIT_LOCKED : EXIT_FAILED;
}

static int64_t now_wall_of(const struct run_config *c) {
    return c->host->ops->get_wall_ms(c->host->user);
}

bool edit_refuse(struct edit *e, const char *hint, sv message) {
    struct diag *d = diags_add(e->c->diags, DIAG_state_edit_refused, SPAN_NONE, "%.*s", SV_ARG(message));
    if (hint != NULL) {
        diag_set_hint(e->c->diags, d, "%s", hint);
    }
    return false;
}

/* --- the picture --- */

struct edit_item *edit_find(const struct edit *e, sv address) {
    return map_find(&e->by_address, address);
}

void edit_note(struct edit *e, enum edit_verb verb, sv address, sv to) {
    VEC_PUSH(e->a, &e->changes, ((struct edit_change){verb, address, to}));
}

void edit_drop(struct edit *e, struct edit_item *item) {
    map_remove(&e->by_address, item->address);
    item->address = (sv){0};
}

void edit_rename(struct edit *e, struct edit_item *item, addr to) {
    map_remove(&e->by_address, item->address);
    item->address = to.text;
    item->changed = true;
    if (item->resource != NULL) {
        item->resource->address = to;
    } else {
        item->link->address = to;
    }
    map_put(&e->by_address, to.text, item);
}

static void build_picture(struct edit *e) {
    e->by_address = MAP(e->a);
    e->open = MAP(e->a);
    e->open_operations = MAP(e->a);
    for (size_t i = 0; i < e->stored.elements.len; i++) {
        const struct stored_element *s = e->stored.elements.items[i];
        struct edit_item *item = ARENA_NEW(e->a, struct edit_item);
        *item = (struct edit_item){
            .resource = s->resource, .link = s->link, .origin = &e->stored.tree.elements.items[s->row]};
        item->address = item->origin->address;
        VEC_PUSH(e->a, &e->items, item);
        map_put(&e->by_address, item->address, item);
    }
    struct record_codec codec = {
        .arena = e->a, .sealer = e->c->sealer, .diags = e->c->diags, .instance_id = e->stored.instance.id};
    struct open_intents intents = {0};
    journal_find_open(&codec, e->stored.tree.journal.items, e->stored.tree.journal.len, &intents);
    for (size_t i = 0; i < intents.items.len; i++) {
        const struct journal_row *row = intents.items.items[i].row;
        map_put(&e->open, row->address, (void *)row);
        map_put(&e->open_operations, row->operation, (void *)row);
    }
}

struct stored *edit_make_picture(const struct edit *e) {
    struct stored *s = ARENA_NEW(e->a, struct stored);
    *s = (struct stored){.arena = e->a,
                         .found = e->stored.found,
                         .instance = e->stored.instance,
                         .body = e->stored.body,
                         .by_address = MAP(e->a),
                         .tree = e->stored.tree};
    for (size_t i = 0; i < e->items.len; i++) {
        const struct edit_item *item = e->items.items[i];
        if (item->address.len == 0) {
            continue;
        }
        struct stored_element *element = ARENA_NEW(e->a, struct stored_element);
        *element = (struct stored_element){.resource = item->resource, .link = item->link};
        VEC_PUSH(e->a, &s->elements, element);
        map_put(&s->by_address, item->address, element);
    }
    return s;
}

/* --- lease --- */

static void report_held(struct edit *e) {
    struct held held = {.arena = e->a,
                        .diags = e->c->diags,
                        .host = e->c->host,
                        .instance_id = e->stored.instance.id,
                        .instance_name = e->stored.instance.name};
    held_report(&held, &e->lease);
}

static void report_missing(struct edit *e) {
    diags_add(e->c->diags, DIAG_instance_not_found, SPAN_NONE, "there is no instance '%.*s' any more",
              SV_ARG(e->stored.instance.name));
}

static bool take_lease(struct edit *e, enum exit_code *code) {
    const struct run_config *c = e->c;
    struct holder who = {.run_id = e->run_id, .command = c->actor_command};
    struct store_lease_request request = {
        .instance_id = e->stored.instance.id,
        .holder = id_make_holder(e->a, c->host, &who),
        .ttl_ms = c->lease_ttl_ms,
        .steal = e->request.steal,
    };
    enum store_result r = c->store->ops->take_lease(c->store, e->a, &request, &e->lease);
    e->has_lease = r == STORE_OK;
    if (r == STORE_CONFLICT) {
        report_held(e);
    } else if (r == STORE_NOT_FOUND) { /* destroyed since it was loaded */
        report_missing(e);
        return fail(code, EXIT_INVALID);
    }
    return r == STORE_OK ? rekey_check_current(c, e->stored.instance.context, code) : fail(code, store_exit(r));
}

static bool load(struct edit *e, const struct run_config *c, enum exit_code *code) {
    if (!stored_load(c, &e->stored, code)) {
        return false;
    }
    if (e->stored.found) {
        return true;
    }
    if (e->request.fresh == NULL || c->instance_name.len == 0) {
        diags_add(c->diags, DIAG_instance_not_found, SPAN_NONE, "there is no instance '%.*s'",
                  SV_ARG(c->instance_name));
        return fail(code, EXIT_INVALID);
    }
    const struct store_instance *fresh = e->request.fresh;
    struct store_instance *row = &e->stored.instance;
    *row = *fresh;
    row->id = fresh->id.len > 0 ? fresh->id : id_make_instance(e->a, c->host);
    row->context = c->context;
    row->name = c->instance_name;
    row->version = fresh->version > 0 ? fresh->version : 1;
    row->created_ms = fresh->created_ms != 0 ? fresh->created_ms : e->started_ms;
    e->is_fresh = true;
    return true;
}

bool edit_begin(struct edit *e, const struct run_config *c, const struct edit_request *request, enum exit_code *code) {
    *e = (struct edit){.c = c, .request = *request, .a = c->arena, .started_ms = now_wall_of(c)};
    if (!load(e, c, code)) {
        return false;
    }
    if (e->is_fresh) { /* nobody else can know of it before it is written */
        e->run_id = id_make_run(e->a, c->host);
    } else if (!request->dry_run) {
        e->broken_holder = e->stored.tree.lease.holder;
        e->run_id = id_make_run(e->a, c->host);
        struct run_config by_id = *c;
        by_id.instance_id = e->stored.instance.id;
        by_id.instance_name = (sv){0};
        if (!take_lease(e, code) || !load(e, &by_id, code)) { /* anew: what another run has written meanwhile counts */
            return false;
        }
    }
    build_picture(e);
    return true;
}

void edit_end(struct edit *e) {
    if (e->has_lease) {
        e->c->store->ops->release_lease(e->c->store, &e->lease);
        e->has_lease = false;
    }
}

/* --- the history entry --- */

value edit_encode_row(struct arena *a, const struct store_element *row) {
    struct map_builder b = {.arena = a};
    field_put_text(&b, "type", row->type);
    field_put_text(&b, "status", row->status);
    field_put_text(&b, "preciseStatus", row->precise_status);
    field_put_text(&b, "physicalId", row->physical_id);
    field_put_int(&b, "createdMs", row->created_ms);
    field_put_int(&b, "updatedMs", row->updated_ms);
    field_put_text(&b, "body", row->body);
    return map_done(&b);
}

struct store_element edit_decode_row(value v, sv address) {
    return (struct store_element){
        .address = address,
        .type = field_get_text(v, "type"),
        .status = field_get_text(v, "status"),
        .precise_status = field_get_text(v, "preciseStatus"),
        .physical_id = field_get_text(v, "physicalId"),
        .created_ms = field_get_int(v, "createdMs"),
        .updated_ms = field_get_int(v, "updatedMs"),
        .body = field_get_text(v, "body"),
    };
}

const char *edit_verb_get_text(enum edit_verb verb) {
    static const char *const texts[] = {
        [EDIT_REMOVED] = "removed", [EDIT_MOVED] = "moved", [EDIT_RESTORED] = "restored", [EDIT_IMPORTED] = "imported"};
    return texts[verb];
}

static value encode_changes(const struct edit *e) {
    struct list_builder list = {.arena = e->a};
    for (size_t i = 0; i < e->changes.len; i++) {
        const struct edit_change *c = &e->changes.items[i];
        struct map_builder b = {.arena = e->a};
        field_put_text(&b, "change", sv_from_cstr(edit_verb_get_text(c->verb)));
        field_put_text(&b, "address", c->address);
        field_put_text(&b, "to", c->to);
        list_add(&list, map_done(&b));
    }
    return list_done(&list);
}

/* Rows that are written or deleted, as they were; null where there was none. */
static value encode_before(const struct edit *e) {
    struct map_builder all = {.arena = e->a};
    struct map rows = MAP(e->a);
    for (size_t i = 0; i < e->stored.tree.elements.len; i++) {
        const struct store_element *row = &e->stored.tree.elements.items[i];
        const struct edit_item *now = edit_find(e, row->address);
        map_put(&rows, row->address, (void *)(uintptr_t)(i + 1));
        if (now == NULL || now->changed) {
            map_add(&all, row->address, edit_encode_row(e->a, row));
        }
    }
    for (size_t i = 0; i < e->items.len; i++) {
        const struct edit_item *item = e->items.items[i];
        if (item->address.len > 0 && item->changed && !map_has(&rows, item->address)) {
            map_add(&all, item->address, value_null());
        }
    }
    return map_done(&all);
}

static value encode_edit(const struct edit *e) {
    struct map_builder b = {.arena = e->a};
    const struct instance_body *body = &e->stored.body;
    field_put_int(&b, "version", e->stored.instance.version + 1);
    field_put_int(&b, "undoes", e->undoes);
    field_put_bool(&b, "final", e->is_final);
    field_put_value(&b, "changes", encode_changes(e));
    field_put_value(&b, "before", encode_before(e));
    field_put_value(&b, "results", record_encode_results(e->a, body->results, body->result_count, RECORD_INSTANCE));
    return map_done(&b);
}

bool edit_put_row(struct edit *e, const struct store_element *row) {
    struct record_codec codec = {
        .arena = e->a, .sealer = e->c->sealer, .diags = e->c->diags, .instance_id = e->stored.instance.id};
    struct edit_item *now = edit_find(e, row->address), *item = ARENA_NEW(e->a, struct edit_item);
    *item = (struct edit_item){.address = row->address, .origin = row, .changed = true};
    bool ok;
    if (record_is_link_row(row)) {
        item->link = ARENA_NEW(e->a, struct link_record);
        ok = record_decode_link(&codec, row, item->link);
    } else {
        item->resource = ARENA_NEW(e->a, struct resource_record);
        ok = record_decode_resource(&codec, row, item->resource);
    }
    if (ok && now != NULL) {
        edit_drop(e, now);
    }
    VEC_PUSH(e->a, &e->items, item);
    map_put(&e->by_address, row->address, item);
    return ok;
}

/* --- the transaction --- */

struct writer {
    struct edit *e;
    struct store *store;
    struct journal journal;
    struct instance_body *body;
};

static enum store_result write_rows(struct writer *w) {
    struct edit *e = w->e;
    sv id = e->stored.instance.id;
    struct record_codec codec = {.arena = e->a, .sealer = e->c->sealer, .diags = e->c->diags, .instance_id = id};
    enum store_result r = STORE_OK;
    for (size_t i = 0; r == STORE_OK && i < e->stored.tree.elements.len; i++) {
        sv address = e->stored.tree.elements.items[i].address;
        r = edit_find(e, address) == NULL ? w->store->ops->delete_element(w->store, id, address) : r;
    }
    for (size_t i = 0; r == STORE_OK && i < e->items.len; i++) {
        const struct edit_item *item = e->items.items[i];
        if (item->address.len > 0 && item->changed) {
            struct store_element row = item->resource != NULL ? record_encode_resource(&codec, item->resource)
                                                              : record_encode_link(&codec, item->link);
            r = w->store->ops->put_element(w->store, id, &row);
        }
    }
    return r;
}

static enum store_result journal_run(struct writer *w) {
    struct edit *e = w->e;
    struct map_builder b = {.arena = e->a};
    field_put_text(&b, "kind", e->request.kind);
    actor_put(&b, e->c);
    field_put_text(&b, "reason", e->request.reason);
    struct journal_entry start = {.kind = JOURNAL_RUN_STARTED, .wall_ms = e->started_ms, .body = map_done(&b)};
    struct map_builder end_body = {.arena = e->a};
    field_put_text(&end_body, "outcome", SV("succeeded"));
    struct journal_entry end = {.kind = JOURNAL_RUN_ENDED, .wall_ms = now_wall_of(e->c), .body = map_done(&end_body)};
    enum store_result r = journal_append(&w->journal, e->a, &start);
    return r == STORE_OK ? journal_append(&w->journal, e->a, &end) : r;
}

static enum store_result add_history(struct writer *w, value edit) {
    struct edit *e = w->e;
    struct map_builder b = {.arena = e->a};
    actor_put(&b, e->c);
    field_put_text(&b, "reason", e->request.reason);
    field_put_value(&b, "edit", edit);
    struct seal_place place = {.instance_id = e->stored.instance.id, .address = SV("history")};
    struct store_history entry = {
        .number = ++w->body->history_number,
        .run_id = e->run_id,
        .kind = e->request.kind,
        .actor = e->c->host->ops->get_actor(e->c->host->user, e->a),
        .outcome = SV("succeeded"),
        .started_ms = e->started_ms,
        .ended_ms = now_wall_of(e->c),
        .body = seal_encode(e->c->sealer, e->a, &place, map_done(&b)),
    };
    size_t keep = e->c->keep_history == 0 ? 50 : e->c->keep_history;
    return w->store->ops->compact_journal(w->store, e->stored.instance.id, &entry, keep);
}

/* The entry takes the journal's rows away. Those of runs that were cut off are needed still: they go on behind it. */
static enum store_result keep_journal(struct writer *w) {
    struct edit *e = w->e;
    w->body->journal_sequence = w->journal.sequence;
    memcpy(w->body->journal_mac, w->journal.mac, sizeof w->body->journal_mac);
    enum store_result r = STORE_OK;
    for (size_t i = 0; r == STORE_OK && i < e->stored.tree.journal.len; i++) {
        r = journal_append_row(&w->journal, e->a, &e->stored.tree.journal.items[i]);
    }
    for (size_t i = 0; r == STORE_OK && i < e->rescued.len; i++) {
        r = journal_append_row(&w->journal, e->a, &e->rescued.items[i]);
    }
    return r;
}

static enum store_result put_instance(struct writer *w) {
    struct edit *e = w->e;
    struct record_codec codec = {
        .arena = e->a, .sealer = e->c->sealer, .diags = e->c->diags, .instance_id = e->stored.instance.id};
    struct store_instance row = e->stored.instance;
    row.version++;
    row.updated_ms = now_wall_of(e->c);
    row.body = record_encode_instance(&codec, w->body);
    return w->store->ops->put_instance(w->store, &row, e->stored.instance.version);
}

static void start_journal(struct writer *w) {
    const struct stored *s = &w->e->stored;
    w->journal = (struct journal){
        .store = w->store,
        .sealer = w->e->c->sealer,
        .instance_id = s->instance.id,
        .run_id = w->e->run_id,
        .token = w->e->lease.token,
        .sequence = s->body.journal_sequence,
    };
    memcpy(w->journal.mac, s->body.journal_mac, sizeof w->journal.mac);
    if (s->tree.journal.len > 0) {
        const struct journal_row *last = VEC_LAST(&s->tree.journal);
        w->journal.sequence = last->sequence;
        memcpy(w->journal.mac, last->mac, sizeof w->journal.mac);
    }
}

/* Other rows need the row of their instance. */
static enum store_result insert_instance(struct writer *w) {
    struct store_instance *row = &w->e->stored.instance;
    row->updated_ms = now_wall_of(w->e->c);
    row->body = SV("{}");
    enum store_result r = w->store->ops->put_instance(w->store, row, 0);
    size_t keep = w->e->c->keep_history == 0 ? 50 : w->e->c->keep_history;
    for (size_t i = 0; r == STORE_OK && i < w->e->past.len; i++) {
        r = w->store->ops->compact_journal(w->store, row->id, &w->e->past.items[i], keep);
    }
    return r;
}

static enum store_result write_all(struct writer *w, value edit) {
    enum store_result r = w->e->is_fresh ? insert_instance(w) : STORE_OK;
    r = r == STORE_OK ? write_rows(w) : r;
    r = r == STORE_OK ? journal_run(w) : r;
    r = r == STORE_OK ? add_history(w, edit) : r;
    r = r == STORE_OK ? keep_journal(w) : r;
    return r == STORE_OK ? put_instance(w) : r;
}

static bool write_edit(struct edit *e, enum exit_code *code) {
    struct writer w = {.e = e, .store = e->c->store, .body = &e->stored.body};
    value edit = encode_edit(e); /* with what was before */
    start_journal(&w);
    enum store_result r = w.store->ops->begin(w.store, e->is_fresh ? NULL : &e->lease);
    if (r == STORE_OK) {
        r = write_all(&w, edit);
        if (r == STORE_OK) {
            r = w.store->ops->commit(w.store);
        } else {
            w.store->ops->rollback(w.store);
        }
    }
    if (r == STORE_LOST_LEASE || r == STORE_CONFLICT) {
        diags_add(e->c->diags, DIAG_lease_lost, SPAN_NONE, "another run has taken instance '%.*s' over",
                  SV_ARG(e->stored.instance.name));
    } else if (r == STORE_NOT_FOUND) {
        report_missing(e);
    }
    return r == STORE_OK || fail(code, store_exit(r));
}

bool edit_commit(struct edit *e, enum exit_code *code) {
    bool has_change = e->changes.len > 0 || e->is_fresh || e->has_new_body;
    if (!has_change || e->request.dry_run) {
        return true;
    }
    edit_note_claims(e);
    e->stored.body.plan_id = e->run_id; /* plans that were made before do not fit any more */
    return write_edit(e, code);
}

/* --- unlock (LC-032) --- */

enum exit_code edit_unlock(const struct run_config *c, sv reason, sv *holder) {
    enum exit_code code = EXIT_OK;
    struct edit e;
    struct edit_request request = {.kind = SV("unlock"), .reason = reason, .dry_run = true, .steal = true};
    *holder = (sv){0};
    if (!edit_begin(&e, c, &request, &code)) {
        return code;
    }
    if (e.stored.tree.lease.holder.len == 0) {
        return EXIT_OK; /* nobody holds it: there is nothing to break */
    }
    request.dry_run = false;
    if (edit_begin(&e, c, &request, &code) && write_edit(&e, &code)) {
        *holder = e.broken_holder;
    }
    edit_end(&e);
    return code;
}
