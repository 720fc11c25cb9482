#include "engine/gone.h"

#include "engine/fields.h"
#include "engine/snapshot.h"

/* Of destructions that did not record at which version they ended: they have not saved the instance so often. */
enum { VERSIONS_MAX = 100000 };

struct search {
    const struct run_config *c;
    struct gone_instance *best;
    int64_t best_ms; /* end of its destruction */
};

static bool is_failure(enum store_result r) {
    return r != STORE_OK && r != STORE_NOT_FOUND;
}

static bool decode_entry(struct search *s, struct arena *a, const struct store_history *entry,
                         struct gone_instance *g) {
    struct seal_place place = {.instance_id = g->row.id, .address = SV("history")};
    struct snapshot before;
    size_t unopened = 0;
    if (!sv_eq_cstr(entry->kind, "destroy")) {
        return false;
    }
    value body = seal_decode(s->c->sealer, a, &place, entry->body, &unopened, s->c->diags);
    if (!snapshot_decode(a, body, &before) || before.instance.kind != VALUE_MAP) {
        return false;
    }
    g->found = true;
    g->history_number = entry->number;
    snapshot_decode_instance(before.instance, &g->row);
    int64_t last = field_get_int(body, "version");
    g->row.version = last > g->row.version ? last : g->row.version + VERSIONS_MAX;
    return true;
}

static void take(struct search *s, const struct gone_instance *g, int64_t ended_ms) {
    *s->best = *g;
    s->best_ms = ended_ms;
    struct store_instance *row = &s->best->row;
    sv *texts[] = {&row->id, &row->context, &row->name, &row->dialect, &row->status, &row->body};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        *texts[i] = arena_copy_sv(s->c->arena, *texts[i]);
    }
}

/* Histories are long, since they hold earlier states: each in memory of its own. */
static bool look_at(struct search *s, sv id) {
    struct arena scratch = {.secret = s->c->arena->secret};
    struct store_history *items = NULL;
    size_t count = 0;
    struct gone_instance g = {.row.id = id};
    enum store_result r = s->c->store->ops->list_history(s->c->store, &scratch, id, &items, &count);
    const struct store_history *last = r == STORE_OK && count > 0 ? &items[count - 1] : NULL;
    bool is_older = last != NULL && s->best->found && last->ended_ms < s->best_ms;
    if (last != NULL && !is_older && decode_entry(s, &scratch, last, &g)) {
        bool is_named = sv_eq(g.row.context, s->c->context) && sv_eq(g.row.name, s->c->instance_name);
        if (s->c->instance_id.len > 0 || is_named) {
            take(s, &g, last->ended_ms);
        }
    }
    arena_fini(&scratch);
    return !is_failure(r);
}

bool gone_find(const struct run_config *c, struct gone_instance *g) {
    struct search s = {.c = c, .best = g};
    struct store_instance *living = NULL;
    struct map ids = MAP(c->arena);
    sv *owners = NULL;
    size_t living_count = 0, owner_count = 0;
    *g = (struct gone_instance){0};
    if (is_failure(c->store->ops->list_instances(c->store, c->arena, SV(""), &living, &living_count)) ||
        is_failure(c->store->ops->list_owners(c->store, c->arena, &owners, &owner_count))) {
        return false;
    }
    for (size_t i = 0; i < living_count; i++) {
        map_put(&ids, living[i].id, g);
    }
    for (size_t i = 0; i < owner_count; i++) {
        bool is_asked_for = c->instance_id.len == 0 || sv_eq(c->instance_id, owners[i]);
        if (is_asked_for && !map_has(&ids, owners[i]) && !look_at(&s, owners[i])) {
            return false;
        }
    }
    return true;
}
