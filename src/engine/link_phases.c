#include "engine/link_phases.h"

#include "engine/link_fields.h"
#include "engine/links.h"

#include <assert.h>

static const enum link_phase makes[LINK_PHASES] = {LINK_PHASE_A, LINK_PHASE_B, LINK_PHASE_INTERMEDIARIES};

/* Statuses by phase, then by state. */
static const enum status statuses[LINK_PHASES + 1][LINK_PHASE_STATES] = {
    [LINK_PHASE_A] = {[LINK_PHASE_RUNS] = STATUS_updating_resource_a,
                      [LINK_PHASE_ENDED] = STATUS_resource_a_updated,
                      [LINK_PHASE_FAILED] = STATUS_resource_a_update_failed,
                      [LINK_PHASE_INTERRUPTED] = STATUS_resource_a_update_interrupted},
    [LINK_PHASE_B] = {[LINK_PHASE_RUNS] = STATUS_updating_resource_b,
                      [LINK_PHASE_ENDED] = STATUS_resource_b_updated,
                      [LINK_PHASE_FAILED] = STATUS_resource_b_update_failed,
                      [LINK_PHASE_INTERRUPTED] = STATUS_resource_b_update_interrupted},
    [LINK_PHASE_INTERMEDIARIES] = {[LINK_PHASE_RUNS] = STATUS_updating_intermediaries,
                                   [LINK_PHASE_ENDED] = STATUS_intermediaries_updated,
                                   [LINK_PHASE_FAILED] = STATUS_intermediaries_update_failed,
                                   [LINK_PHASE_INTERRUPTED] = STATUS_intermediaries_update_interrupted},
};
/* The same in a run that rolls back. */
static const enum status of_rollbacks[LINK_PHASES + 1][LINK_PHASE_STATES] = {
    [LINK_PHASE_A] = {[LINK_PHASE_RUNS] = STATUS_resource_a_update_rolling_back,
                      [LINK_PHASE_ENDED] = STATUS_resource_a_update_rollback_complete,
                      [LINK_PHASE_FAILED] = STATUS_resource_a_update_rollback_failed,
                      [LINK_PHASE_INTERRUPTED] = STATUS_resource_a_update_interrupted},
    [LINK_PHASE_B] = {[LINK_PHASE_RUNS] = STATUS_resource_b_update_rolling_back,
                      [LINK_PHASE_ENDED] = STATUS_resource_b_update_rollback_complete,
                      [LINK_PHASE_FAILED] = STATUS_resource_b_update_rollback_failed,
                      [LINK_PHASE_INTERRUPTED] = STATUS_resource_b_update_interrupted},
    [LINK_PHASE_INTERMEDIARIES] = {[LINK_PHASE_RUNS] = STATUS_intermediaries_update_rolling_back,
                                   [LINK_PHASE_ENDED] = STATUS_intermediaries_update_rollback_complete,
                                   [LINK_PHASE_FAILED] = STATUS_intermediaries_update_rollback_failed,
                                   [LINK_PHASE_INTERRUPTED] = STATUS_intermediaries_update_interrupted},
};

enum link_phase link_phase_find(size_t number, bool removes) {
    assert(number < LINK_PHASES);
    return makes[removes ? LINK_PHASES - 1 - number : number];
}

sv link_phase_get_name(enum link_phase phase) {
    static const sv names[] = {[LINK_PHASE_A] = SV_INIT("resource_a"),
                               [LINK_PHASE_B] = SV_INIT("resource_b"),
                               [LINK_PHASE_INTERMEDIARIES] = SV_INIT("intermediaries")};
    return names[phase];
}

enum status link_phase_get_status(enum link_phase phase, enum link_phase_state state, bool rolls_back) {
    return rolls_back ? of_rollbacks[phase][state] : statuses[phase][state];
}

static bool has_status(enum link_phase phase, size_t state, enum status precise) {
    return statuses[phase][state] == precise || of_rollbacks[phase][state] == precise;
}

bool link_phase_rolls_back(enum status precise) {
    for (size_t i = 0; i < LINK_PHASES; i++) {
        for (size_t state = LINK_PHASE_RUNS; state < LINK_PHASE_INTERRUPTED; state++) {
            if (of_rollbacks[makes[i]][state] == precise) {
                return true;
            }
        }
    }
    return false;
}

link_operation link_phase_get_operation(const struct link_type *type, enum link_phase phase, bool removes) {
    switch (phase) {
    case LINK_PHASE_A:
        return removes ? type->remove_a : type->update_a;
    case LINK_PHASE_B:
        return removes ? type->remove_b : type->update_b;
    case LINK_PHASE_INTERMEDIARIES:
        return removes ? type->remove_intermediaries : type->update_intermediaries;
    }
    return NULL;
}

size_t link_count_done(enum status precise, bool removes) {
    for (size_t i = 0; i < LINK_PHASES; i++) {
        enum link_phase phase = link_phase_find(i, removes);
        for (size_t state = LINK_PHASE_RUNS; state < LINK_PHASE_STATES; state++) {
            if (has_status(phase, state, precise)) {
                return state == LINK_PHASE_ENDED ? i + 1 : i;
            }
        }
    }
    return 0;
}

size_t link_find_open(enum status precise, bool removes) {
    for (size_t i = 0; i < LINK_PHASES; i++) {
        if (has_status(link_phase_find(i, removes), LINK_PHASE_RUNS, precise)) {
            return i;
        }
    }
    return LINK_PHASES;
}

struct link_resource link_find_side(struct arena *a, const struct stored *s, const struct link_record *l, sv name) {
    sv address = links_get_side(a, l->address.text, name);
    const struct resource_record *r = stored_find_resource(s, address);
    struct link_resource side = {.address = {address}, .name = name};
    if (r == NULL || !record_has_object(r)) {
        return side;
    }
    side.type = r->type;
    side.physical_id = r->physical_id;
    side.spec = schema_merge(a, r->spec, r->computed);
    side.metadata = r->metadata;
    return side;
}

/* --- what a phase did --- */

/* The fields of the other side stay, those of this one are what the operation says. */
static value take_fields(struct arena *a, const struct link_record *l, const struct link_op_call *c) {
    bool is_a = c->phase == LINK_PHASE_A;
    sv own = arena_printf(a, "%.*s::", SV_ARG(is_a ? l->a : l->b));
    struct map_builder b = {.arena = a};
    for (size_t i = 0; l->fields.kind == VALUE_MAP && i < l->fields.map->len; i++) {
        const struct value_entry *e = &l->fields.map->entries[i];
        if (!sv_has_prefix(e->key, own)) {
            map_set(&b, e->key, e->item);
        }
    }
    value set = link_fields_encode(a, l->a, l->b, c->fields.items, c->fields.len);
    for (size_t i = 0; set.kind == VALUE_MAP && i < set.map->len; i++) {
        if (sv_has_prefix(set.map->entries[i].key, own)) {
            map_set(&b, set.map->entries[i].key, set.map->entries[i].item);
        }
    }
    return b.len == 0 ? (value){0} : map_done(&b);
}

void link_phase_take(struct arena *a, struct link_record *l, const struct link_op_call *c, bool removes) {
    if (c->phase == LINK_PHASE_INTERMEDIARIES) {
        value all = links_encode_intermediaries(a, c->intermediaries.items, c->intermediaries.len);
        l->intermediaries = value_is_set(all) && !removes ? value_copy(a, all) : (value){0};
    } else {
        value fields = take_fields(a, l, c);
        l->fields = value_is_set(fields) ? value_copy(a, fields) : fields;
    }
    if (removes || !value_is_set(c->computed)) {
        return;
    }
    value computed = value_copy(a, c->computed);
    l->computed = value_is_set(l->computed) ? schema_merge(a, l->computed, computed) : computed;
}
