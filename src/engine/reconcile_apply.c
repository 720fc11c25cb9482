/* Writing what a reconciliation found: one transaction holds the whole run, so that a crash leaves all of it or nothing
 * (LC-011 (6)). */
#include "engine/reconcile.h"

#include "engine/actor.h"
#include "engine/edit.h"
#include "engine/fields.h"
#include "engine/look.h"

struct applier {
    struct deploy *run;
    const struct reconciliation *r;
    struct record_codec codec;
    size_t settled; /* operations that were cut off and are not any more */
};

static enum store_result append(struct applier *p, enum journal_kind kind, const struct reconcile_result *result,
                                value body) {
    struct deploy *d = p->run;
    struct journal_entry entry = {.kind = kind, .wall_ms = now_wall(d), .body = body};
    if (result != NULL) {
        entry.address = result->address.text;
    }
    if (result != NULL && result->intent != NULL) {
        entry.operation = result->intent->row->operation;
        entry.action = result->intent->row->action;
    }
    return journal_append(&d->journal, &d->turn, &entry);
}

/* The words of an outcome that a deployment finds out after a crash. */
static value make_outcome(struct applier *p, const struct reconcile_result *result, const struct resource_record *r) {
    struct map_builder b = {.arena = &p->run->turn};
    bool has_failed = result->new_status == STATUS_create_failed || result->new_status == STATUS_update_failed;
    bool is_link = stored_find_link(&p->r->look->stored, result->address.text) != NULL;
    bool stays = is_link || (sv_eq_cstr(result->operation, "destroy") && r != NULL && record_has_object(r));
    field_put_text(&b, "result", has_failed || stays ? SV("undone") : SV("succeeded"));
    field_put_text(&b, "planId", field_get_text(result->intent->body, "planId"));
    field_put_bool(&b, "recovered", true);
    if (r != NULL) {
        field_put_value(&b, "computed", r->computed);
    }
    return map_done(&b);
}

static enum store_result write_result(struct applier *p, const struct reconcile_result *result) {
    struct store *store = p->run->c->store;
    sv id = p->run->stored.instance.id;
    const struct resource_record *r = stored_find_resource(&p->r->look->stored, result->address.text);
    const struct link_record *l = stored_find_link(&p->r->look->stored, result->address.text);
    enum store_result done;
    if (l != NULL) {
        struct store_element row = record_encode_link(&p->codec, l);
        done = store->ops->put_element(store, id, &row);
    } else if (r == NULL) { /* the provider, or the user, has said that there is no object */
        done = store->ops->delete_element(store, id, result->address.text);
    } else {
        struct store_element row = record_encode_resource(&p->codec, r);
        done = store->ops->put_element(store, id, &row);
    }
    if (done != STORE_OK) {
        return done;
    }
    if (result->intent == NULL) {
        return append(p, JOURNAL_SAVED, result, (value){0});
    }
    p->settled++;
    return append(p, JOURNAL_OUTCOME, result, make_outcome(p, result, r));
}

/* Nothing is cut off any more: what the last run was about has failed. */
static enum status settle_status(const struct applier *p) {
    static const enum status ends[][2] = {
        {STATUS_deploying, STATUS_deploy_failed},
        {STATUS_deploy_interrupted, STATUS_deploy_failed},
        {STATUS_updating, STATUS_update_failed},
        {STATUS_update_interrupted, STATUS_update_failed},
        {STATUS_destroying, STATUS_destroy_failed},
        {STATUS_destroy_interrupted, STATUS_destroy_failed},
        {STATUS_deploy_rolling_back, STATUS_deploy_rollback_failed},
        {STATUS_update_rolling_back, STATUS_update_rollback_failed},
        {STATUS_destroy_rolling_back, STATUS_destroy_rollback_failed},
    };
    enum status status = status_find(p->run->stored.instance.status);
    for (size_t i = 0; p->settled == p->r->look->open.items.len && i < sizeof ends / sizeof ends[0]; i++) {
        if (ends[i][0] == status) {
            return ends[i][1];
        }
    }
    return status;
}

static value start_body(struct applier *p) {
    struct deploy *d = p->run;
    struct map_builder b = {.arena = &d->turn};
    field_put_text(&b, "kind", SV("reconcile"));
    actor_put(&b, d->c);
    return map_done(&b);
}

/* As in the entries of deployments, so that the state before can be told (LC-025). */
static value rows_before(struct applier *p) {
    const struct store_tree *tree = &p->run->stored.tree;
    struct map rows = MAP(&p->run->turn);
    struct map_builder all = {.arena = &p->run->turn};
    for (size_t i = 0; i < tree->elements.len; i++) {
        map_put(&rows, tree->elements.items[i].address, (void *)&tree->elements.items[i]);
    }
    for (size_t i = 0; i < p->r->count; i++) {
        sv address = p->r->items[i].address.text;
        const struct store_element *row = map_find(&rows, address);
        if (p->r->items[i].chosen) {
            map_add(&all, address, row == NULL ? value_null() : edit_encode_row(&p->run->turn, row));
        }
    }
    return map_done(&all);
}

static value history_body(struct applier *p) {
    struct list_builder list = {.arena = &p->run->turn};
    for (size_t i = 0; i < p->r->count; i++) {
        const struct reconcile_result *result = &p->r->items[i];
        if (!result->chosen) {
            continue;
        }
        struct map_builder b = {.arena = &p->run->turn};
        field_put_text(&b, "address", result->address.text);
        field_put_text(&b, "type", reconcile_type_get_name(result->type));
        field_put_text(&b, "action", reconcile_action_get_name(result->action));
        field_put_value(&b, "stored", result->stored);
        list_add(&list, map_done(&b));
    }
    struct map_builder b = {.arena = &p->run->turn};
    actor_put(&b, p->run->c);
    map_add(&b, SV("reconciled"), list_done(&list));
    map_add(&b, SV("before"), rows_before(p));
    return map_done(&b);
}

/* Rows of a run that has not succeeded are kept: what was cut off, and what may be rolled back, is told by them. */
static enum store_result compact(struct applier *p) {
    struct deploy *d = p->run;
    struct instance_body *body = &d->stored.body;
    body->journal_sequence = d->journal.sequence;
    memcpy(body->journal_mac, d->journal.mac, sizeof body->journal_mac);
    body->history_number++;
    struct seal_place place = {.instance_id = d->stored.instance.id, .address = SV("history")};
    struct store_history entry = {
        .number = body->history_number,
        .run_id = d->run_id,
        .kind = SV("reconcile"),
        .actor = d->c->host->ops->get_actor(d->c->host->user, &d->turn),
        .outcome = SV("succeeded"),
        .started_ms = d->started_wall_ms,
        .ended_ms = now_wall(d),
        .body = seal_encode(d->c->sealer, &d->turn, &place, history_body(p)),
    };
    size_t keep = d->c->keep_history == 0 ? 50 : d->c->keep_history;
    return d->c->store->ops->compact_journal(d->c->store, d->stored.instance.id, &entry, keep);
}

static enum store_result write_all(struct applier *p) {
    struct deploy *d = p->run;
    bool is_alone = d->stored.tree.journal.len == 0;
    enum store_result done = append(p, JOURNAL_RUN_STARTED, NULL, start_body(p));
    for (size_t i = 0; done == STORE_OK && i < p->r->count; i++) {
        if (p->r->items[i].chosen) {
            done = write_result(p, &p->r->items[i]);
        }
    }
    struct map_builder end = {.arena = &d->turn};
    field_put_text(&end, "outcome", SV("succeeded"));
    done = done == STORE_OK ? append(p, JOURNAL_RUN_ENDED, NULL, map_done(&end)) : done;
    if (done == STORE_OK && is_alone) {
        done = compact(p);
    }
    d->stored.body.run_id = d->stored.body.plan_id = d->run_id; /* a plan from before is stale */
    return done == STORE_OK ? put_instance(d, settle_status(p)) : done;
}

static void apply(struct applier *p) {
    struct deploy *d = p->run;
    struct store *store = d->c->store;
    if (!begin_write(d)) {
        return;
    }
    if (!check_write(d, write_all(p))) {
        store->ops->rollback(store);
        return;
    }
    check_write(d, store->ops->commit(store));
}

enum exit_code run_reconcile_apply(const struct run_config *c, const struct reconciliation *r) {
    size_t chosen = 0;
    for (size_t i = 0; i < r->count; i++) {
        chosen += r->items[i].chosen;
    }
    if (chosen == 0) {
        return EXIT_OK;
    }
    struct finding *f = ARENA_NEW(c->arena, struct finding);
    enum exit_code code = EXIT_FAILED;
    bool is_open = finding_open(f, r->look, &code);
    struct applier p = {.run = &f->run, .r = r};
    p.codec = (struct record_codec){
        .arena = &f->run.turn, .sealer = c->sealer, .diags = c->diags, .instance_id = r->instance.id};
    if (is_open) {
        apply(&p);
    }
    enum exit_code end = finding_close(f);
    return is_open ? end : code;
}
