#include "engine/edit.h"

#include "engine/fields.h"
#include "engine/gone.h"
#include "model/lease.h"

static value open_body(struct record_codec *codec, sv address, sv json) {
    struct seal_place place = {.instance_id = codec->instance_id, .address = address};
    return seal_decode(codec->sealer, codec->arena, &place, json, &codec->unopened, codec->diags);
}

static bool find_id(const struct run_config *c, sv *id) {
    if (c->instance_id.len > 0) {
        *id = c->instance_id;
        return true;
    }
    struct store_instance instance;
    enum store_result r = c->store->ops->find_instance(c->store, c->arena, c->context, c->instance_name, &instance);
    if (r == STORE_OK) {
        *id = instance.id;
        return true;
    }
    struct gone_instance gone = {0};
    if (r != STORE_NOT_FOUND || !gone_find(c, &gone)) {
        return false;
    }
    if (!gone.found) {
        diags_add(c->diags, DIAG_instance_not_found, SPAN_NONE,
                  "there is no instance '%.*s', nor a history of one that was destroyed", SV_ARG(c->instance_name));
    }
    *id = gone.row.id;
    return gone.found;
}

static void add_entries(const struct run_config *c, struct record_codec *codec, const struct store_history *items,
                        size_t count, struct past_runs *runs) {
    for (size_t i = 0; i < count; i++) {
        value body = open_body(codec, SV("history"), items[i].body);
        struct past_run run = {
            .number = items[i].number,
            .run_id = items[i].run_id,
            .kind = items[i].kind,
            .actor = items[i].actor,
            .outcome = items[i].outcome,
            .pid = field_get_int(body, "pid"),
            .command = field_get_text(body, "command"),
            .reason = field_get_text(body, "reason"),
            .started_ms = items[i].started_ms,
            .ended_ms = items[i].ended_ms,
            .summary = field_get_value(body, "summary"),
            .edit = field_get_value(body, "edit"),
        };
        VEC_PUSH(c->arena, &runs->items, run);
    }
}

static void add_start(const struct run_config *c, const struct journal_row *row, value body, struct past_runs *runs) {
    struct past_run run = {
        .run_id = row->run_id,
        .kind = field_get_text(body, "kind"),
        .actor = field_get_text(body, "actor"),
        .pid = field_get_int(body, "pid"),
        .command = field_get_text(body, "command"),
        .outcome = SV("interrupted"),
        .started_ms = row->wall_ms,
    };
    VEC_PUSH(c->arena, &runs->items, run);
}

/* Runs that have not succeeded: their rows are in the journal still. */
static void add_rows(const struct run_config *c, struct record_codec *codec, const struct store_tree *tree,
                     struct past_runs *runs) {
    size_t first = runs->items.len;
    for (size_t i = 0; i < tree->journal.len; i++) {
        const struct journal_row *row = &tree->journal.items[i];
        if (row->kind == JOURNAL_RUN_STARTED) {
            add_start(c, row, open_body(codec, SV("journal"), row->body), runs);
        }
        struct past_run *last = runs->items.len > first ? VEC_LAST(&runs->items) : NULL;
        if (row->kind == JOURNAL_RUN_ENDED && last != NULL && sv_eq(last->run_id, row->run_id)) {
            value body = open_body(codec, SV("journal"), row->body);
            last->outcome = field_get_text(body, "outcome");
            last->summary = field_get_value(body, "summary");
            last->ended_ms = row->wall_ms;
        }
    }
    struct past_run *last = runs->items.len > first ? VEC_LAST(&runs->items) : NULL;
    bool is_held = tree->lease.holder.len > 0 && lease_is_held(c->host, &tree->lease);
    if (last != NULL && last->ended_ms == 0 && is_held) {
        last->outcome = SV("running");
    }
}

bool edit_list_runs(const struct run_config *c, struct past_runs *runs) {
    *runs = (struct past_runs){0};
    if (!find_id(c, &runs->instance_id)) {
        return false;
    }
    struct store_tree tree = {0};
    struct store_history *items = NULL;
    size_t count = 0;
    enum store_result r = c->store->ops->load_tree(c->store, c->arena, runs->instance_id, &tree);
    bool found = r == STORE_OK && tree.found;
    r = r == STORE_OK || r == STORE_NOT_FOUND
            ? c->store->ops->list_history(c->store, c->arena, runs->instance_id, &items, &count)
            : r;
    if (r != STORE_OK && r != STORE_NOT_FOUND) {
        return false;
    }
    if (!found && count == 0) {
        diags_add(c->diags, DIAG_instance_not_found, SPAN_NONE, "there is no instance with the id '%.*s'",
                  SV_ARG(runs->instance_id));
        return false;
    }
    struct record_codec codec = {
        .arena = c->arena, .sealer = c->sealer, .diags = c->diags, .instance_id = runs->instance_id};
    add_entries(c, &codec, items, count, runs);
    add_rows(c, &codec, &tree, runs);
    return true;
}
