#include "engine/reconcile.h"

#include "engine/fields.h"
#include "engine/link_recover.h"
#include "engine/look.h"
#include "engine/recover.h"
#include "engine/specs.h"

enum { READ_DEADLINE_MS = 5 * 60 * 1000 };

sv reconcile_type_get_name(enum reconcile_type type) {
    static const char *const names[] = {[RECONCILE_DRIFT] = "drift",
                                        [RECONCILE_INTERRUPTED] = "interrupted",
                                        [RECONCILE_STATE_REFRESH] = "state_refresh"};
    return sv_from_cstr(names[type]);
}

sv reconcile_action_get_name(enum reconcile_action action) {
    static const char *const names[] = {[RECONCILE_ACCEPT_EXTERNAL] = "accept_external",
                                        [RECONCILE_UPDATE_STATUS] = "update_status",
                                        [RECONCILE_CLEAN_UP] = "manual_cleanup_required"};
    return sv_from_cstr(names[action]);
}

struct reconciler {
    const struct run_config *c;
    const struct reconcile_request *request;
    struct look *look;
    VEC(struct reconcile_result) items;
};

static bool is_wanted(void *user, sv address) {
    const struct reconcile_request *q = ((struct reconciler *)user)->request;
    if (q->no_children && sv_find_char(address, '/') != SIZE_MAX) {
        return false;
    }
    for (size_t i = 0; i < q->address_count; i++) {
        if (look_matches(q->addresses[i], address)) {
            return true;
        }
    }
    return q->address_count == 0;
}

static value get_object(struct arena *a, const struct resource_record *r) {
    return r != NULL && record_has_object(r) ? schema_merge(a, r->spec, r->computed) : (value){0};
}

/* --- interrupted (BP-533) --- */

static enum status get_running_status(sv action) {
    return sv_eq_cstr(action, "create")   ? STATUS_creating
           : sv_eq_cstr(action, "update") ? STATUS_updating
                                          : STATUS_destroying;
}

/* Whether the object is as the cut-off update wanted it: then it has happened. */
static bool is_as_desired(struct reconciler *k, const struct open_intent *intent, const struct resource_type *type,
                          struct provider_call *call) {
    const struct host *host = k->c->host;
    struct link_fields fields;
    link_fields_init(&fields, k->c->arena, &k->look->stored);
    value desired = link_fields_lay_over(&fields, k->c->arena, intent->row->address,
                                         field_get_value(intent->body, "desired")); /* BP-491 */
    *call = (struct provider_call){
        .arena = k->c->arena,
        .address = {intent->row->address},
        .instance_id = k->look->stored.instance.id,
        .host = k->c->host,
        .base_dir = field_get_text(intent->body, "rootDir"),
        .only_look = true,
        .context = k->c->context,
        .spec = desired,
        .metadata = field_get_value(intent->body, "metadata"),
        .prior = field_get_value(intent->body, "prior"),
        .physical_id = field_get_text(intent->body, "physicalId"),
        .deadline_ms = host->ops->get_monotonic_ms(host->user) + READ_DEADLINE_MS,
    };
    if (type == NULL || type->read == NULL || type->read(call) != PROVIDER_OK) {
        return false;
    }
    struct field_diff diff = {0};
    struct schema_diff_request request = {
        .arena = k->c->arena,
        .schema = type->schema,
        .before = desired,
        .after = value_is_set(call->found_spec) ? spec_mark_sensitive(k->c->arena, type->schema, call->found_spec)
                                                : (value){0},
        .is_same_secret = seal_is_same_secret,
        .user = k->c->sealer,
    };
    if (!value_is_set(request.after)) {
        return false; /* a type that tells nothing of its input */
    }
    schema_diff(&request, &diff);
    return diff.changes.len == 0;
}

static void settle_update(struct reconciler *k, const struct open_intent *intent, struct resource_record *r) {
    struct provider_call call;
    const struct resource_type *type = providers_find_type(k->c->providers, r->type);
    if (!is_as_desired(k, intent, type, &call)) {
        r->status = r->precise_status = STATUS_update_failed;
        return;
    }
    struct arena *a = k->look->stored.arena;
    r->spec = field_get_value(intent->body, "desired");
    r->metadata = field_get_value(intent->body, "metadata");
    if (value_is_set(call.computed)) {
        r->computed = spec_settle_computed(a, type->schema, call.computed);
    }
    r->physical_id = spec_get_id(a, type, schema_merge(a, r->spec, r->computed));
    r->status = r->precise_status = STATUS_updated;
    r->failure_reasons = NULL;
    r->failure_reason_count = 0;
}

static void fail_creation(struct stored *s, const struct open_intent *intent, int64_t now_ms) {
    apply_failed(s, &(struct failed_operation){
                        .address = {intent->row->address},
                        .name = field_get_text(intent->body, "name"),
                        .type = field_get_text(intent->body, "type"),
                        .action = intent->row->action,
                        .generation = field_get_int(intent->body, "generation"),
                        .failure = FAILURE_FAILED,
                        .now_ms = now_ms,
                    });
}

/* The record becomes what the provider's word means. */
static void settle(struct reconciler *k, const struct recovered *found, bool is_untold) {
    struct stored *s = &k->look->stored;
    const struct open_intent *intent = found->intent;
    int64_t now_ms = k->c->host->ops->get_wall_ms(k->c->host->user);
    struct resource_record *r = stored_find_resource(s, found->address);
    bool creates = sv_eq_cstr(intent->row->action, "create"), updates = sv_eq_cstr(intent->row->action, "update");
    if (creates && found->recovery != RECOVERED_DONE) {
        fail_creation(s, intent, now_ms);
    } else if (updates && r != NULL) {
        settle_update(k, intent, r);
    } else if (!creates && is_untold) {
        apply_removed(s, &(struct removed_object){.address = found->address,
                                                  .generation = field_get_int(intent->body, "generation"),
                                                  .element_stays = field_get_bool(intent->body, "elementStays"),
                                                  .now_ms = now_ms});
    } else if (!creates && found->recovery == RECOVERED_UNDONE && r != NULL) {
        r->status = r->precise_status = STATUS_updated;
    }
    if (r != NULL) {
        r->last_status_ms = now_ms;
    }
}

/* What a link keeps between its sides stands for its object. */
static value get_link_object(struct arena *a, const struct link_record *l) {
    return l == NULL ? (value){0} : links_get_state(a, l);
}

/* The next deployment goes on with it. */
static void add_interrupted_link(struct reconciler *k, const struct recovered *found, struct link_record *l) {
    struct arena *a = k->c->arena;
    sv action = found->intent->row->action;
    bool is_untold = found->recovery == RECOVERED_UNTOLD;
    bool is_open = is_untold && !k->request->is_cleaned_up;
    if (is_untold && !is_open) {
        link_settle_untold(l);
    }
    *VEC_ADD(a, &k->items) = (struct reconcile_result){
        .address = {found->address},
        .element_type = field_get_text(found->intent->body, "type"),
        .type = RECONCILE_INTERRUPTED,
        .action = is_open ? RECONCILE_CLEAN_UP : RECONCILE_UPDATE_STATUS,
        .operation = action,
        .old_status = get_running_status(action),
        .new_status = l->status,
        .stored = get_link_object(a, l),
        .external = is_untold ? (value){0} : get_link_object(a, l),
        .reason = found->reason,
        .intent = found->intent,
        .chosen = !is_open,
    };
}

static void add_interrupted(struct reconciler *k, const struct recovered *found, value before) {
    struct arena *a = k->c->arena;
    struct link_record *link = stored_find_link(&k->look->stored, found->address);
    if (link != NULL) {
        add_interrupted_link(k, found, link);
        return;
    }
    sv action = found->intent->row->action;
    bool is_untold = found->recovery == RECOVERED_UNTOLD;
    bool is_open = is_untold && !k->request->is_cleaned_up;
    if (!is_open) {
        settle(k, found, is_untold);
    }
    const struct resource_record *r = stored_find_resource(&k->look->stored, found->address);
    *VEC_ADD(a, &k->items) = (struct reconcile_result){
        .address = {found->address},
        .element_type = field_get_text(found->intent->body, "type"),
        .type = RECONCILE_INTERRUPTED,
        .action = is_open ? RECONCILE_CLEAN_UP : RECONCILE_UPDATE_STATUS,
        .operation = action,
        .old_status = get_running_status(action),
        .new_status = r == NULL ? STATUS_destroyed : r->status,
        .stored = before,
        .external = is_untold ? (value){0} : get_object(a, r),
        .reason = found->reason,
        .intent = found->intent,
        .chosen = !is_open,
    };
}

static void look_at_interrupted(struct reconciler *k) {
    struct arena *a = k->c->arena;
    struct stored *s = &k->look->stored;
    value *before = ARENA_ARRAY(a, value, k->look->open.items.len + 1);
    for (size_t i = 0; i < k->look->open.items.len; i++) {
        before[i] = get_object(a, stored_find_resource(s, k->look->open.items.items[i].row->address));
    }
    struct recoveries *all = ARENA_NEW(a, struct recoveries);
    recover_all(k->c, s, (struct recovery_request){.only_look = true, .is_quiet = true}, all);
    for (size_t i = 0; i < all->items.len; i++) {
        if (is_wanted(k, all->items.items[i].address)) {
            add_interrupted(k, &all->items.items[i], before[i]);
        }
    }
}

/* --- the others --- */

/* What is there is taken into the state; that it is not what the link wants makes the next deployment see to it. */
static void add_found_link(struct reconciler *k, const struct change *found, struct link_record *l) {
    struct arena *a = k->c->arena;
    value before = get_link_object(a, l);
    enum status old_status = l->status;
    bool has_any = found->after.kind == VALUE_MAP && found->after.map->len > 0;
    l->intermediaries = has_any ? found->after : (value){0};
    l->drift = (value){0};
    l->status = l->precise_status = STATUS_UNKNOWN;
    l->last_status_ms = k->c->host->ops->get_wall_ms(k->c->host->user);
    *VEC_ADD(a, &k->items) = (struct reconcile_result){
        .address = found->address,
        .element_type = found->type,
        .type = RECONCILE_DRIFT,
        .action = RECONCILE_ACCEPT_EXTERNAL,
        .old_status = old_status,
        .new_status = l->status,
        .stored = before,
        .external = get_link_object(a, l),
        .diff = found->diff,
        .missing = found->missing,
        .chosen = true,
    };
}

static void add_found(struct reconciler *k, const struct change *found) {
    struct arena *a = k->c->arena;
    struct resource_record *r = stored_find_resource(&k->look->stored, found->address.text);
    struct link_record *link = stored_find_link(&k->look->stored, found->address.text);
    if (link != NULL) {
        add_found_link(k, found, link);
        return;
    }
    struct reconcile_result *result = VEC_ADD(a, &k->items);
    *result = (struct reconcile_result){
        .address = found->address,
        .element_type = found->type,
        .type = found->action == ACTION_READ ? RECONCILE_STATE_REFRESH : RECONCILE_DRIFT,
        .action = RECONCILE_ACCEPT_EXTERNAL,
        .old_status = r->status,
        .new_status = found->missing ? STATUS_destroyed : r->status,
        .stored = schema_merge(a, found->before, found->computed_before),
        .external = get_object(a, r),
        .diff = found->diff,
        .missing = found->missing,
        .chosen = true,
    };
    r->drift = (value){0};
    if (found->missing) {
        r->status = r->precise_status = STATUS_destroyed;
        r->last_status_ms = k->c->host->ops->get_wall_ms(k->c->host->user);
    }
}

/* A drift record that does not hold any more. */
static void add_outdated(struct reconciler *k, addr address, sv type, enum status status, value object) {
    *VEC_ADD(k->c->arena, &k->items) = (struct reconcile_result){
        .address = address,
        .element_type = type,
        .type = RECONCILE_STATE_REFRESH,
        .action = RECONCILE_UPDATE_STATUS,
        .old_status = status,
        .new_status = status,
        .stored = object,
        .external = object,
        .chosen = true,
    };
}

static void look_for_outdated(struct reconciler *k, const struct stored_element *e) {
    struct arena *a = k->c->arena;
    struct resource_record *r = e->resource;
    struct link_record *l = e->link;
    const struct map *looks = k->look->planner.looks;
    if (r != NULL && value_is_set(r->drift) && map_has(looks, r->address.text)) {
        add_outdated(k, r->address, r->type, r->status, get_object(a, r));
        r->drift = (value){0};
    } else if (l != NULL && value_is_set(l->drift) && map_has(looks, l->address.text)) {
        sv type = arena_printf(a, "%.*s::%.*s", SV_ARG(l->type_a), SV_ARG(l->type_b));
        add_outdated(k, l->address, type, l->status, get_link_object(a, l));
        l->drift = (value){0};
    }
}

static void look_at_objects(struct reconciler *k) {
    struct look *l = k->look;
    look_read(l, (struct look_filter){.wants = is_wanted, .user = k});
    for (size_t i = 0; i < l->planner.drift.len; i++) {
        add_found(k, &l->planner.drift.items[i]);
    }
    for (size_t i = 0; i < l->stored.elements.len && !l->has_failed; i++) {
        look_for_outdated(k, l->stored.elements.items[i]);
    }
}

/* Every address that was asked for is one of the instance. */
static bool check_addresses(struct reconciler *k) {
    bool ok = true;
    for (size_t i = 0; i < k->request->address_count; i++) {
        sv wanted = k->request->addresses[i];
        bool is_there = false;
        for (size_t e = 0; e < k->look->stored.elements.len && !is_there; e++) {
            const struct stored_element *element = k->look->stored.elements.items[e];
            is_there = look_matches(wanted, element->resource != NULL ? element->resource->address.text
                                                                      : element->link->address.text);
        }
        for (size_t e = 0; e < k->look->open.items.len && !is_there; e++) {
            is_there = look_matches(wanted, k->look->open.items.items[e].row->address);
        }
        if (!is_there) {
            diags_add(k->c->diags, DIAG_resource_missing, SPAN_NONE, "the instance '%.*s' has no '%.*s'",
                      SV_ARG(k->look->stored.instance.name), SV_ARG(wanted));
            ok = false;
        }
    }
    return ok;
}

enum exit_code run_reconcile_look(const struct run_config *c, const struct reconcile_request *request,
                                  struct reconciliation *r) {
    enum exit_code code = EXIT_OK;
    *r = (struct reconciliation){.look = ARENA_NEW(c->arena, struct look)};
    struct reconciler k = {.c = c, .request = request, .look = r->look};
    if (!look_open(c, r->look, &code)) {
        return code;
    }
    if (!check_addresses(&k)) {
        return EXIT_INVALID;
    }
    r->instance = r->look->stored.instance;
    look_at_interrupted(&k);
    if (!request->interrupted_only) {
        look_at_objects(&k);
    }
    r->items = k.items.items;
    r->count = k.items.len;
    return r->look->has_failed ? EXIT_FAILED : EXIT_OK;
}
