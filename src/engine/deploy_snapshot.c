/* Saving what is about to change (snapshot.h). */
#include "engine/deploy.h"

#include "engine/edit.h"
#include "engine/fields.h"

static void want(struct map *wanted, const struct change *changes, size_t count) {
    for (size_t i = 0; i < count; i++) {
        bool has_row = changes[i].kind == ELEMENT_RESOURCE || changes[i].kind == ELEMENT_LINK;
        if (has_row) {
            map_put(wanted, changes[i].address.text, wanted);
        }
    }
}

/* The rows of what the plan changes: they outlive the tree. */
void snapshot_copy_rows(struct deploy *d) {
    struct snapshot_writer *w = &d->saved;
    w->rows = MAP(d->a);
    w->all.was_empty = d->stored.tree.elements.len == 0;
    struct map wanted = MAP(d->a);
    want(&wanted, d->p->changes, d->p->change_count);
    want(&wanted, d->p->drift, d->p->drift_count);
    for (size_t i = 0; i < d->stored.tree.elements.len; i++) {
        const struct store_element *row = &d->stored.tree.elements.items[i];
        if (!map_has(&wanted, row->address)) {
            continue;
        }
        struct store_element *copy = ARENA_NEW(d->a, struct store_element);
        *copy = *row;
        sv *texts[] = {&copy->address,        &copy->type, &copy->status,
                       &copy->precise_status, &copy->body, &copy->physical_id};
        for (size_t k = 0; k < sizeof texts / sizeof *texts; k++) {
            *texts[k] = arena_copy_sv(d->a, *texts[k]);
        }
        map_put(&w->rows, copy->address, copy);
    }
}

/* What earlier runs have saved since the last success; an intent without a saved row tells that nothing was there. */
void snapshot_start(struct deploy *d) {
    struct snapshot_writer *w = &d->saved;
    const struct store_tree *tree = &d->stored.tree;
    struct record_codec codec = {
        .arena = d->a, .sealer = d->c->sealer, .diags = d->c->diags, .instance_id = d->stored.instance.id};
    bool was_empty = w->all.was_empty;
    snapshot_read_journal(&codec, tree->journal.items, tree->journal.len, &w->all);
    w->is_on = true;
    if (!value_is_set(w->all.instance)) {
        w->all.was_empty = was_empty;
    }
}

void snapshot_keep_record(struct deploy *d, const struct resource_record *r) {
    struct snapshot_writer *w = &d->saved;
    sv address = r->address.text;
    if (!w->is_on || w->all.was_empty || map_has(&w->rows, address) || snapshot_find(&w->all, address) != NULL) {
        return;
    }
    struct record_codec codec = {
        .arena = d->a, .sealer = d->c->sealer, .diags = d->c->diags, .instance_id = d->stored.instance.id};
    struct store_element *row = ARENA_NEW(d->a, struct store_element);
    *row = record_encode_resource(&codec, r);
    map_put(&w->rows, address, row);
}

/* Of an instance that was empty nothing needs to be told (1). */
void snapshot_save(struct deploy *d, sv address, bool has_intent) {
    struct snapshot_writer *w = &d->saved;
    if (!w->is_on || w->all.was_empty || snapshot_find(&w->all, address) != NULL) {
        return;
    }
    const struct store_element *row = map_find(&w->rows, address);
    struct earlier e = {.address = address, .was_there = row != NULL};
    if (row != NULL) {
        e.row = *row;
    }
    snapshot_add(d->a, &w->all, &e);
    if (row == NULL && has_intent) {
        return;
    }
    struct pending_write write = {.kind = WRITE_JOURNAL};
    write.entry = (struct journal_entry){.kind = JOURNAL_SAVED,
                                         .wall_ms = now_wall(d),
                                         .address = address,
                                         .action = SV(SAVED_BEFORE),
                                         .body = row == NULL ? (value){0} : edit_encode_row(&d->turn, row)};
    VEC_PUSH(&d->turn, &d->batch.writes, write);
}

/* The object as it is now, though its element may have another one. */
static struct resource_record find_left(const struct resource_record *r, int64_t generation, struct arena *a) {
    struct resource_record left = *r;
    sv wanted = arena_printf(a, "%lld", (long long)generation);
    for (size_t i = 0; i < r->deposed_count; i++) {
        const struct deposed *old = &r->deposed[i];
        if (sv_eq(old->generation, wanted)) {
            left.spec = old->spec;
            left.computed = old->computed;
            left.physical_id = old->physical_id;
            left.type = old->type;
            left.generation = generation;
        }
    }
    left.deposed_count = 0;
    return left;
}

void snapshot_save_left(struct deploy *d, sv address, int64_t generation) {
    const struct resource_record *r = stored_find_resource(&d->stored, address);
    if (!d->saved.is_on || r == NULL) {
        return;
    }
    struct resource_record left = find_left(r, generation, &d->turn);
    if (left.generation != generation || !record_has_object(&left)) {
        return;
    }
    struct record_codec codec = {
        .arena = d->a, .sealer = d->c->sealer, .diags = d->c->diags, .instance_id = d->stored.instance.id};
    struct earlier e = {.address = address, .was_there = true, .row = record_encode_resource(&codec, &left)};
    VEC_PUSH(d->a, &d->saved.all.left, e);
    write_journal(d, &(struct journal_entry){.kind = JOURNAL_SAVED,
                                             .address = address,
                                             .action = SV(SAVED_LEFT),
                                             .body = edit_encode_row(&d->turn, &e.row)});
}

enum store_result snapshot_save_instance(struct deploy *d) {
    struct snapshot *all = &d->saved.all;
    if (value_is_set(all->instance)) {
        return STORE_OK;
    }
    all->instance = snapshot_encode_instance(d->a, &d->stored.tree.instance);
    all->history_number = d->stored.body.history_number;
    struct map_builder b = {.arena = &d->turn};
    field_put_value(&b, "instance", all->instance);
    field_put_bool(&b, "wasEmpty", all->was_empty);
    field_put_int(&b, "historyNumber", all->history_number);
    struct journal_entry entry = {.kind = JOURNAL_SAVED,
                                  .wall_ms = now_wall(d),
                                  .address = SV("instance"),
                                  .action = SV(SAVED_BEFORE),
                                  .body = map_done(&b)};
    return journal_append(&d->journal, &d->turn, &entry);
}
