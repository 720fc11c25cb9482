#include "engine/apply.h"

static void depose(struct stored *s, struct resource_record *r) {
    struct deposed *all = ARENA_ARRAY(s->arena, struct deposed, r->deposed_count + 1);
    for (size_t i = 0; i < r->deposed_count; i++) {
        all[i] = r->deposed[i];
    }
    all[r->deposed_count] = (struct deposed){
        .physical_id = r->physical_id,
        .type = r->type,
        .spec = r->spec,
        .computed = r->computed,
        .generation = arena_printf(s->arena, "%lld", (long long)r->generation),
    };
    r->deposed = all;
    r->deposed_count++;
}

struct resource_record *apply_made(struct stored *s, const struct made_object *m) {
    struct resource_record *r = stored_put_resource(s, m->address);
    if (record_has_object(r) && r->generation != m->generation) {
        depose(s, r);
    }
    bool was_there = r->deposed_count > 0 || !m->is_new || m->replaces;
    r->name = m->name;
    r->type = m->type;
    r->template_name = m->template_name;
    r->description = m->description;
    r->removal_policy = m->removal_policy;
    r->generation = m->generation;
    r->position = m->position != 0 ? m->position : r->position;
    r->spec = m->spec;
    r->metadata = m->metadata;
    r->computed = m->computed;
    r->physical_id = m->physical_id;
    r->depends_on = m->depends_on;
    r->depends_on_count = m->depends_on_count;
    r->type_version = m->type_version;
    r->drift = (value){0};
    r->failure_reasons = NULL;
    r->failure_reason_count = 0;
    r->made_by = SV("lintel " LINTEL_VERSION);
    r->created_ms = r->created_ms == 0 ? m->now_ms : r->created_ms;
    r->updated_ms = r->last_status_ms = m->now_ms;
    r->duration_ms = m->duration_ms;
    r->status = was_there ? STATUS_updated : STATUS_created;
    r->precise_status = r->status;
    if (!m->is_stable) {
        r->precise_status = was_there ? STATUS_update_config_complete : STATUS_config_complete;
        r->status = was_there ? STATUS_updating : STATUS_creating;
    }
    return r;
}

static bool remove_deposed(struct stored *s, struct resource_record *r, int64_t generation) {
    sv wanted = arena_printf(s->arena, "%lld", (long long)generation);
    for (size_t i = 0; i < r->deposed_count; i++) {
        if (!sv_eq(r->deposed[i].generation, wanted)) {
            continue;
        }
        for (size_t k = i + 1; k < r->deposed_count; k++) {
            r->deposed[k - 1] = r->deposed[k];
        }
        r->deposed_count--;
        return true;
    }
    return false;
}

struct resource_record *apply_removed(struct stored *s, const struct removed_object *removed) {
    struct resource_record *r = stored_find_resource(s, removed->address);
    if (r == NULL) {
        return NULL;
    }
    r->updated_ms = removed->now_ms;
    if (remove_deposed(s, r, removed->generation)) {
        return r;
    }
    if (!removed->element_stays && r->deposed_count == 0) {
        stored_remove(s, removed->address);
        return NULL;
    }
    /* Between the halves of a replacement there is no object; what comes next is another one. */
    r->spec = r->computed = r->drift = (value){0};
    r->physical_id = (sv){0};
    r->generation = removed->generation + 1;
    r->status = removed->element_stays ? STATUS_updating : STATUS_destroying;
    r->precise_status = r->status;
    r->last_status_ms = removed->now_ms;
    return r;
}

static enum status failed_status(sv action, enum op_failure failure) {
    bool failed = failure == FAILURE_FAILED;
    if (sv_eq_cstr(action, "create")) {
        return failed ? STATUS_create_failed : STATUS_create_interrupted;
    }
    if (sv_eq_cstr(action, "update")) {
        return failed ? STATUS_update_failed : STATUS_update_interrupted;
    }
    return failed ? STATUS_destroy_failed : STATUS_destroy_interrupted;
}

struct resource_record *apply_failed(struct stored *s, const struct failed_operation *f) {
    struct resource_record *r = stored_put_resource(s, f->address);
    bool is_made_by_it = r->generation == f->generation && r->deposed_count == 0;
    bool replaces = record_has_object(r) && sv_eq_cstr(f->action, "create") && !is_made_by_it;
    if (r->type.len == 0) {
        r->name = f->name;
        r->type = f->type;
        r->created_ms = 0;
    }
    if (!record_has_object(r)) {
        r->generation = f->generation;
    }
    /* A failed replacement leaves the old object as it was: the next staging finds the same difference (BP-542:
     * statuses of an update). */
    r->status = r->precise_status = failed_status(replaces ? SV("update") : f->action, f->failure);
    r->failure_reasons = f->reasons;
    r->failure_reason_count = f->reason_count;
    r->updated_ms = r->last_status_ms = f->now_ms;
    return r;
}
