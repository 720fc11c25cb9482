#include "engine/look.h"

#include "engine/held.h"
#include "engine/ids.h"
#include "engine/rekey.h"
#include "model/lease.h"

static bool fail(enum exit_code *code, enum exit_code which) {
    *code = which;
    return false;
}

/* What is under way cannot be told from what was cut off. */
static bool check_held(struct look *l, enum exit_code *code) {
    const struct store_lease *lease = &l->stored.tree.lease;
    if (!lease_is_held(l->c->host, lease)) {
        return true;
    }
    struct held held = {.arena = l->c->arena,
                        .diags = l->c->diags,
                        .host = l->c->host,
                        .instance_id = l->stored.instance.id,
                        .instance_name = l->stored.instance.name};
    held_report(&held, lease);
    return fail(code, EXIT_LOCKED);
}

bool look_open(const struct run_config *c, struct look *l, enum exit_code *code) {
    *l = (struct look){.c = c};
    if (!stored_load(c, &l->stored, code)) {
        return false;
    }
    if (!l->stored.found) {
        diags_add(c->diags, DIAG_instance_not_found, SPAN_NONE, "there is no instance '%.*s'",
                  SV_ARG(c->instance_name));
        return fail(code, EXIT_FAILED);
    }
    struct record_codec codec = {
        .arena = c->arena, .sealer = c->sealer, .diags = c->diags, .instance_id = l->stored.instance.id};
    journal_find_open(&codec, l->stored.tree.journal.items, l->stored.tree.journal.len, &l->open);
    l->planner = (struct planner){.c = c, .a = c->arena, .diags = c->diags, .stored = &l->stored, .is_look = true};
    l->planner.drift_by_address = MAP(c->arena);
    return check_held(l, code);
}

bool look_is_cut_off(const struct look *l, sv address) {
    for (size_t i = 0; i < l->open.items.len; i++) {
        if (sv_eq(l->open.items.items[i].row->address, address)) {
            return true;
        }
    }
    return false;
}

bool look_matches(sv wanted, sv address) {
    bool is_within = sv_has_prefix(address, wanted) && address.len > wanted.len && address.data[wanted.len] == '/';
    return is_within || sv_eq(address, wanted);
}

void look_read(struct look *l, struct look_filter filter) {
    struct map *looks = ARENA_NEW(l->c->arena, struct map);
    *looks = MAP(l->c->arena);
    for (size_t i = 0; i < l->stored.elements.len; i++) {
        const struct stored_element *e = l->stored.elements.items[i];
        sv address = e->resource != NULL ? e->resource->address.text : e->link->address.text;
        if (filter.wants == NULL || filter.wants(filter.user, address)) {
            map_put(looks, address, l);
        }
    }
    for (size_t i = 0; i < l->open.items.len; i++) {
        map_remove(looks, l->open.items.items[i].row->address);
    }
    l->planner.looks = looks;
    l->has_failed = !refresh_all(&l->planner);
}

bool finding_open(struct finding *f, const struct look *l, enum exit_code *code) {
    const struct run_config *c = l->c;
    const struct store_instance *instance = &l->stored.instance;
    f->plan = (struct plan){.instance_id = instance->id, .instance_name = instance->name};
    f->run = (struct deploy){.c = c, .p = &f->plan, .a = c->arena};
    struct deploy *d = &f->run;
    d->run_id = id_make_run(d->a, c->host);
    d->started_wall_ms = now_wall(d);
    d->started_ms = now_monotonic(d);
    if (!take_lease(d, code) || !rekey_check_current(c, instance->context, code)) {
        return false;
    }
    struct run_config by_id = *c;
    by_id.instance_id = instance->id;
    by_id.instance_name = (sv){0};
    if (!stored_load(&by_id, &d->stored, code)) {
        return false;
    }
    if (d->stored.instance.version != instance->version) {
        struct diag *diag = diags_add(c->diags, DIAG_stale_change_set, SPAN_NONE,
                                      "instance '%.*s' was changed in between", SV_ARG(instance->name));
        diag_set_hint(c->diags, diag, "look again");
        return fail(code, EXIT_STALE);
    }
    start_journal(d);
    return true;
}

enum exit_code finding_close(struct finding *f) {
    struct deploy *d = &f->run;
    if (d->has_lease && !d->lease_lost) {
        d->c->store->ops->release_lease(d->c->store, &d->lease);
    }
    if (d->lease_lost) {
        diags_add(d->c->diags, DIAG_lease_lost, SPAN_NONE, "another run has taken instance '%.*s' over",
                  SV_ARG(f->plan.instance_name));
    }
    arena_fini(&d->turn);
    return d->lease_lost ? EXIT_LOCKED : d->store_failed ? EXIT_FAILED : EXIT_OK;
}
