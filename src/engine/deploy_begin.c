#include "engine/deploy.h"

#include "engine/actor.h"
#include "engine/fields.h"
#include "engine/held.h"
#include "engine/ids.h"
#include "engine/recover.h"
#include "engine/rollback.h"
#include "engine/rekey.h"
#include "value/convert.h"

static bool fail(enum exit_code *code, enum exit_code which) {
    *code = which;
    return false;
}

static enum exit_code store_exit(enum store_result r) {
    return r == STORE_BUSY || r == STORE_LOST_LEASE ? EXIT_LOCKED : EXIT_FAILED;
}

/* --- lease (LC-030 to LC-033) --- */

static void report_held(struct deploy *d) {
    struct held held = {.arena = d->a,
                        .diags = d->c->diags,
                        .host = d->c->host,
                        .instance_id = d->p->instance_id,
                        .instance_name = d->p->instance_name};
    held_report(&held, &d->lease);
}

/* Somebody else has destroyed it since it was planned. */
static bool report_gone(struct deploy *d, enum exit_code *code) {
    diags_add(d->c->diags, DIAG_stale_change_set, SPAN_NONE, "instance '%.*s' is not there any more",
              SV_ARG(d->p->instance_name));
    return fail(code, EXIT_STALE);
}

static bool is_interrupted(const struct deploy *d) {
    return d->c->signals != NULL && atomic_load(d->c->signals) > 0;
}

bool take_lease(struct deploy *d, enum exit_code *code) {
    enum { POLL_MS = 200 };
    const struct store_ops *ops = d->c->store->ops;
    if (d->c->queued != NULL) {
        d->lease = d->c->queued->lease;
        d->renewed_ms = d->c->queued->taken_ms;
        d->has_lease = true;
        return true;
    }
    struct holder who = {.run_id = d->run_id, .command = d->c->actor_command};
    sv holder = id_make_holder(d->a, d->c->host, &who);
    int64_t until = now_monotonic(d) + d->c->lock_timeout_ms;
    struct store_lease_request request = {
        .instance_id = d->p->instance_id, .holder = holder, .ttl_ms = d->c->lease_ttl_ms};
    for (;;) {
        d->renewed_ms = now_monotonic(d);
        enum store_result r = ops->take_lease(d->c->store, d->a, &request, &d->lease);
        if (r == STORE_OK) {
            d->has_lease = true;
            return true;
        }
        if (r == STORE_NOT_FOUND) {
            return report_gone(d, code);
        }
        if (r != STORE_CONFLICT) {
            return fail(code, store_exit(r));
        }
        if (now_monotonic(d) >= until || is_interrupted(d)) {
            report_held(d);
            return fail(code, EXIT_LOCKED);
        }
        d->c->host->ops->sleep_ms(d->c->host->user, POLL_MS);
    }
}

/* --- the instance's row --- */

static sv encode_body(struct deploy *d) {
    struct record_codec codec = {
        .arena = d->a, .sealer = d->c->sealer, .diags = d->c->diags, .instance_id = d->p->instance_id};
    return record_encode_instance(&codec, &d->stored.body);
}

/* `expected`: the version that is stored; 0: it is not there yet. */
static enum store_result put_row(struct deploy *d, enum status status, int64_t expected) {
    struct store_instance row = d->stored.instance;
    row.version++;
    row.status = status_get_text(status);
    row.updated_ms = now_wall(d);
    row.body = encode_body(d);
    enum store_result r = d->c->store->ops->put_instance(d->c->store, &row, expected);
    if (r == STORE_OK) {
        d->stored.instance = row;
    }
    return r;
}

enum store_result put_instance(struct deploy *d, enum status status) {
    return put_row(d, status, d->stored.instance.version);
}

static bool report_stale(struct deploy *d, const char *why) {
    struct diag *diag =
        diags_add(d->c->diags, DIAG_stale_change_set, SPAN_NONE, "the plan does not fit instance '%.*s' any more: %s",
                  SV_ARG(d->p->instance_name), why);
    diag_set_hint(d->c->diags, diag, "plan again");
    return false;
}

/* The row is there already: by this plan's own doing, or somebody else has taken the name. */
static bool check_inserted(struct deploy *d, enum exit_code *code) {
    struct store *store = d->c->store;
    struct store_instance other;
    enum store_result r = store->ops->find_instance(store, d->a, d->p->context, d->p->instance_name, &other);
    if (r != STORE_OK && r != STORE_NOT_FOUND) {
        return fail(code, store_exit(r));
    }
    if (r == STORE_OK && !sv_eq(other.id, d->p->instance_id)) {
        report_stale(d, "an instance of that name was made in between");
        return fail(code, EXIT_STALE);
    }
    return true;
}

/* A new instance gets its row before it can be leased. */
static bool insert_instance(struct deploy *d, enum exit_code *code) {
    struct store *store = d->c->store;
    struct stored *s = &d->stored;
    s->arena = d->a;
    s->instance = (struct store_instance){
        .id = d->p->instance_id,
        .context = d->p->context,
        .name = d->p->instance_name,
        .dialect = d->p->dialect,
        .created_ms = now_wall(d),
    };
    s->body.plan_id = d->p->id;
    rollback_revive(d);
    enum store_result r = store->ops->begin(store, NULL);
    if (r != STORE_OK) {
        return fail(code, store_exit(r));
    }
    r = put_row(d, STATUS_preparing, 0);
    if (r == STORE_OK) {
        r = store->ops->commit(store);
    } else {
        store->ops->rollback(store);
    }
    if (r == STORE_CONFLICT) {
        return check_inserted(d, code);
    }
    return r == STORE_OK || fail(code, store_exit(r));
}

bool has_new_results(const struct deploy *d) {
    for (size_t i = d->saved_results; d->p->record != NULL && i < d->p->record->items.len; i++) {
        if (d->p->record->items.items[i].life == RECORD_INSTANCE) {
            return true;
        }
    }
    return false;
}

/* Until a run has succeeded, what earlier ones kept stays as well. */
void take_results(struct deploy *d, bool only_used) {
    const struct run_record *record = d->p->record;
    if (record == NULL) {
        return;
    }
    struct instance_body *body = &d->stored.body, before = *body;
    bool keeps_rest = plan_is_limited(d->p); /* what was left out may ask for them */
    struct map keys = MAP(&d->turn);
    body->results = ARENA_ARRAY(d->a, struct run_result, record->items.len + before.result_count + 1);
    body->result_count = 0;
    for (size_t i = 0; keeps_rest && i < record->items.len; i++) {
        map_put(&keys, record->items.items[i].key, d);
    }
    for (size_t i = 0; keeps_rest && i < before.result_count; i++) {
        if (!map_has(&keys, before.results[i].key)) {
            body->results[body->result_count++] = before.results[i];
        }
    }
    for (size_t i = 0; i < record->items.len; i++) {
        const struct run_result *r = &record->items.items[i];
        if (r->life == RECORD_INSTANCE && (r->used || !only_used || keeps_rest)) {
            body->results[body->result_count++] = *r;
        }
    }
    d->saved_results = record->items.len;
}

/* --- staleness (BP-464, LC-003) --- */

/* The schemas are those that the plan was made with (LC-003). */
static bool check_types(struct deploy *d) {
    for (size_t i = 0; i < d->p->change_count; i++) {
        const struct change *c = &d->p->changes[i];
        const struct resource_type *type = c->type_version == 0 ? NULL : providers_find_type(d->c->providers, c->type);
        if (c->type_version != 0 && (type == NULL || (int64_t)type->version != c->type_version)) {
            return report_stale(d, "a provider is of another version");
        }
    }
    return true;
}

static bool check_stale(struct deploy *d) {
    const struct plan *p = d->p;
    const struct stored *s = &d->stored;
    if (d->t != NULL && d->loaded->digest.len > 0 && p->template_digest.len > 0 &&
        !sv_eq(d->loaded->digest, p->template_digest)) {
        return report_stale(d, "the template is another one");
    }
    if (!check_types(d)) {
        return false;
    }
    enum status status = status_find(s->instance.status);
    bool same_plan = sv_eq(s->body.plan_id, p->id);
    d->is_resumed = same_plan && s->tree.journal.len > 0;
    if (same_plan && (status == STATUS_preparing || status_is_transitional(status) || d->is_resumed)) {
        return true;
    }
    if (p->instance_version != s->instance.version) {
        return report_stale(d, "it was deployed in between");
    }
    return true;
}

/* --- start --- */

static enum status running_status(const struct deploy *d) {
    if (d->p->rollback != NULL) {
        return rollback_get_instance_status(d->p->rollback, ROLLBACK_RUNNING);
    }
    if (d->p->destroy) {
        return STATUS_destroying;
    }
    return d->is_first ? STATUS_deploying : STATUS_updating;
}

static bool was_never_deployed(const struct stored *s) {
    return s->body.last_deployed_ms == 0;
}

void start_journal(struct deploy *d) {
    const struct stored *s = &d->stored;
    d->journal = (struct journal){
        .store = d->c->store,
        .sealer = d->c->sealer,
        .instance_id = s->instance.id,
        .run_id = d->run_id,
        .token = d->lease.token,
        .sequence = s->body.journal_sequence,
    };
    memcpy(d->journal.mac, s->body.journal_mac, sizeof d->journal.mac);
    if (s->tree.journal.len > 0) {
        const struct journal_row *last = VEC_LAST(&s->tree.journal);
        d->journal.sequence = last->sequence;
        memcpy(d->journal.mac, last->mac, sizeof d->journal.mac);
    }
}

/* The claim (BP-412): compare-and-set on the version, together with the run's first row. */
static bool claim(struct deploy *d, enum exit_code *code) {
    struct arena *a = &d->turn;
    struct map_builder b = {.arena = a};
    field_put_text(&b, "planId", d->p->id);
    field_put_text(&b, "kind", get_run_kind(d));
    rollback_put_start(d, &b);
    actor_put(&b, d->c);
    struct journal_entry entry = {.kind = JOURNAL_RUN_STARTED, .wall_ms = now_wall(d), .body = map_done(&b)};
    events_begin(d);
    d->stored.body.plan_id = d->p->id;
    d->stored.body.run_id = d->run_id;
    d->stored.body.last_attempt_ms = now_wall(d);
    d->stored.body.root_dir = d->p->root_dir.len > 0 ? d->p->root_dir : d->stored.body.root_dir;
    take_results(d, false);
    struct store *store = d->c->store;
    if (!begin_write(d)) {
        return fail(code, d->lease_lost ? EXIT_LOCKED : EXIT_FAILED);
    }
    enum store_result r = put_instance(d, running_status(d));
    r = r == STORE_OK ? journal_append(&d->journal, a, &entry) : r;
    r = r == STORE_OK ? snapshot_save_instance(d) : r;
    if (r != STORE_OK) {
        store->ops->rollback(store);
    } else {
        r = store->ops->commit(store);
    }
    if (r == STORE_CONFLICT) {
        report_stale(d, "it was deployed in between");
        return fail(code, EXIT_STALE);
    }
    if (d->c->queued != NULL) {
        d->c->queued->has_begun = r == STORE_OK;
    }
    return check_write(d, r) || fail(code, store_exit(r));
}

/* --- what an earlier run left open --- */

static void write_recovered(struct deploy *d, const struct recovered *r) {
    struct resource_record *record = stored_find_resource(&d->stored, r->address);
    struct link_record *link = stored_find_link(&d->stored, r->address);
    if (record != NULL && r->recovery == RECOVERED_DONE) {
        rollback_mark_recovered(d, r->intent->body, record);
    }
    if (record != NULL) {
        write_resource(d, record);
    } else if (link != NULL) {
        write_link(d, link);
    } else {
        write_delete(d, r->address);
    }
    if (r->recovery == RECOVERED_UNTOLD) {
        return; /* stays open */
    }
    struct map_builder b = {.arena = &d->turn};
    field_put_text(&b, "result", r->recovery == RECOVERED_DONE ? SV("succeeded") : SV("undone"));
    field_put_text(&b, "planId", field_get_text(r->intent->body, "planId"));
    field_put_bool(&b, "recovered", true);
    if (record != NULL && r->recovery == RECOVERED_DONE) {
        field_put_value(&b, "computed", record->computed);
    }
    write_journal(d, &(struct journal_entry){.kind = JOURNAL_OUTCOME,
                                             .operation = r->intent->row->operation,
                                             .address = r->address,
                                             .action = r->intent->row->action,
                                             .body = map_done(&b)});
}

static void keep_lease(void *user) {
    renew_lease(user);
}

static void recover(struct deploy *d) {
    struct recoveries all = {0};
    struct recovery_request request = {.base_dir = d->p->root_dir, .tick = keep_lease, .user = d};
    recover_all(d->c, &d->stored, request, &all);
    for (size_t i = 0; i < all.items.len; i++) {
        const struct recovered *r = &all.items.items[i];
        write_recovered(d, r);
        if (r->recovery == RECOVERED_UNTOLD) {
            VEC_PUSH(d->a, &d->untold, r->address);
        }
    }
}

/* The plan was made from what is really there: so are the records now (BP-421 (3)). What this plan has already changed
 * is left alone. */
static void take_drift(struct deploy *d) {
    for (size_t i = 0; i < d->p->drift_count; i++) {
        const struct change *drift = &d->p->drift[i];
        struct resource_record *r = stored_find_resource(&d->stored, drift->address.text);
        if (r == NULL || r->generation != drift->generation || d->is_resumed) {
            continue;
        }
        if (drift->missing) {
            r->spec = r->computed = (value){0};
            r->physical_id = (sv){0};
            r->generation++;
        } else {
            r->spec = drift->after;
            r->computed = drift->computed_after;
        }
        r->drift = (value){0};
        write_resource(d, r);
    }
}

bool begin_run(struct deploy *d, enum exit_code *code) {
    const struct plan *p = d->p;
    if (p->instance_version == 0 && !insert_instance(d, code)) {
        return false;
    }
    if (!take_lease(d, code) || !rekey_check_current(d->c, p->context, code)) {
        return false;
    }
    struct run_config by_id = *d->c;
    by_id.instance_id = p->instance_id;
    by_id.instance_name = (sv){0};
    if (!stored_load_if_there(&by_id, &d->stored, code)) {
        return false;
    }
    if (!d->stored.found) {
        return report_gone(d, code);
    }
    snapshot_copy_rows(d);
    stored_drop_rows(&d->stored);
    snapshot_start(d);
    if (!check_stale(d)) {
        return fail(code, EXIT_STALE);
    }
    d->is_first = was_never_deployed(&d->stored);
    start_journal(d);
    if (!topology_init(&d->topology, d->a, d->t, d->c->diags)) {
        return fail(code, EXIT_INVALID);
    }
    d->merged = ARENA_ARRAY(d->a, value, d->topology.element_count);
    d->metadata = ARENA_ARRAY(d->a, value, d->topology.element_count);
    op_fill_all(d);
    d->locks = MAP(d->a);
    link_fields_init(&d->fields, d->a, &d->stored);
    if (!claim(d, code)) {
        return false;
    }
    recover(d);
    if (!rollback_begin(d)) {
        report_stale(d, "an object that was to be taken back is gone");
        return fail(code, EXIT_STALE);
    }
    take_drift(d);
    claim_objects(d);
    flush_batch(d);
    return true;
}
