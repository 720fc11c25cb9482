#include "engine/import.h"

#include "base/hint.h"
#include "engine/apply.h"
#include "engine/import_find.h"
#include "engine/places.h"
#include "engine/planner.h"
#include "engine/recover.h"
#include "engine/specs.h"
#include "model/lease.h"
#include "text/render.h"

enum { ROUNDS_MAX = 16 };

static bool fail(enum exit_code *code, enum exit_code which) {
    *code = which;
    return false;
}

/* --- what is asked for --- */

static bool add_wish(struct import *i, const struct import_wish *wish, struct map *seen) {
    struct arena *a = i->c->arena;
    struct addr_parts parts = {0};
    sv shown = render_escape(a, sv_slice(wish->address, 0, 80));
    if (!addr_parse(a, wish->address, &parts) || parts.property.len > 0 || parts.kind != ELEMENT_RESOURCE) {
        return import_refuse(i, wish, "it looks like resources.NAME or children.CHILD/resources.NAME",
                             arena_printf(a, "'%.*s' is no address of a resource", SV_ARG(shown)));
    }
    if (sv_trim(wish->id).len == 0 || sv_find_char(wish->id, 0) != SIZE_MAX) {
        return import_refuse(i, wish, NULL, arena_printf(a, "the id for '%.*s' is empty", SV_ARG(shown)));
    }
    sv address = addr_make(a, parts.parent, parts.kind, parts.name).text;
    if (map_has(seen, address)) {
        return import_refuse(i, wish, NULL, arena_printf(a, "'%.*s' is asked for twice", SV_ARG(address)));
    }
    const struct resource_record *r = stored_find_resource(i->stored, address);
    if (r != NULL && record_has_object(r)) {
        return import_refuse(i, wish, "lintel state rm ADDRESS forgets it, and leaves the object where it is",
                             arena_printf(a, "'%.*s' has an object in the state already", SV_ARG(address)));
    }
    if (map_has(&i->cut_off, address)) {
        return import_refuse(i, wish, "lintel deploy settles it",
                             arena_printf(a, "an operation on '%.*s' was cut off and is not settled", SV_ARG(address)));
    }
    map_put(seen, address, (void *)wish);
    VEC_PUSH(a, &i->items, ((struct import_item){.wish = wish, .address = address}));
    return true;
}

static void list_cut_off(struct import *i) {
    struct record_codec codec = {
        .arena = i->c->arena, .sealer = i->c->sealer, .diags = i->c->diags, .instance_id = i->stored->instance.id};
    struct open_intents open = {0};
    i->cut_off = MAP(i->c->arena);
    journal_find_open(&codec, i->stored->tree.journal.items, i->stored->tree.journal.len, &open);
    for (size_t k = 0; k < open.items.len; k++) {
        map_put(&i->cut_off, open.items.items[k].row->address, (void *)open.items.items[k].row);
    }
}

static bool take_wishes(struct import *i) {
    struct map seen = MAP(i->c->arena);
    bool ok = true;
    list_cut_off(i);
    for (size_t k = 0; k < i->request.count; k++) {
        ok = add_wish(i, &i->request.wishes[k], &seen) && ok;
    }
    return ok;
}

/* --- the template --- */

static bool report_unknown(struct import *i, const struct planner *p, const struct import_item *item) {
    struct hint hint = HINT(sv_slice(item->address, 0, 80));
    for (size_t k = 0; k < p->t->element_count; k++) {
        if (p->t->elements[k].kind == ELEMENT_RESOURCE) {
            hint_offer(&hint, p->t->elements[k].address.text);
        }
    }
    struct arena *a = i->c->arena;
    sv close = arena_printf(a, "did you mean '%.*s'?", SV_ARG(hint.best));
    return import_refuse(i, item->wish,
                         hint.best.len > 0 ? close.data : "write the resource into the blueprint first, then import it",
                         arena_printf(a, "the blueprint has no resource '%.*s'",
                                      SV_ARG(render_escape(a, sv_slice(item->address, 0, 80)))));
}

/* The element in the planned template; NULL after a report. */
static const struct element *find_element(struct import *i, struct planner *p, struct import_item *item) {
    const struct element *e = template_find(p->t, item->address);
    struct arena *a = i->c->arena;
    if (e == NULL || e->kind != ELEMENT_RESOURCE) {
        report_unknown(i, p, item);
        return NULL;
    }
    if (plan_find_condition(p, template_get_number(p->t, e)) == CONDITION_FALSE) {
        import_refuse(i, item->wish, "the next deployment would destroy the object again",
                      arena_printf(a, "the condition of '%.*s' keeps it out of the blueprint", SV_ARG(item->address)));
        return NULL;
    }
    item->type = e->resource_type;
    if (item->type == NULL || item->type->import_id.len == 0) {
        sv type = item->type == NULL ? e->type_text : item->type->name;
        sv why = item->type == NULL || item->type->import_not.len == 0 ? SV("its provider cannot find objects")
                                                                       : item->type->import_not;
        import_refuse(i, item->wish, NULL,
                      arena_printf(a, "'%.*s' cannot be taken into the state: %.*s", SV_ARG(type), SV_ARG(why)));
        return NULL;
    }
    return e;
}

/* --- rounds --- */

static sv get_removal_policy(const struct planner *p, uint32_t n) {
    if (p->t->elements[n].removal == REMOVAL_RETAIN) {
        return SV("retain");
    }
    return topology_is_detached(&p->topology, n) ? SV("detach") : SV("delete");
}

static value get_known_metadata(struct arena *a, value metadata) {
    bool is_open = (metadata.within & WITHIN_UNKNOWN) != 0 || value_is_error(metadata);
    return is_open ? (value){0} : value_copy(a, spec_unmark_leaves(a, metadata, MARK_PROVISIONAL));
}

/* As a deployment would have recorded it. */
static void record_found(struct import *i, struct planner *p, struct import_item *item, const struct found_object *f) {
    const struct element *e = template_find(p->t, item->address);
    uint32_t n = template_get_number(p->t, e);
    struct arena *a = i->c->arena;
    const struct resource_record *before = stored_find_resource(i->stored, item->address);
    struct made_object made = {
        .address = {item->address},
        .name = e->name,
        .type = item->type->name,
        .template_name = e->template_name,
        .description = e->description,
        .removal_policy = get_removal_policy(p, n),
        .generation = before == NULL ? i->stored->instance.version + 1 : before->generation + 1,
        .position = i->places[n],
        .spec = f->spec,
        .metadata = get_known_metadata(a, p->elements[n].metadata),
        .computed = f->computed,
        .physical_id = f->id,
        .type_version = item->type->version,
        .now_ms = i->c->host->ops->get_wall_ms(i->c->host->user),
        .is_new = true,
        .is_stable = true,
    };
    made.depends_on_count = topology_list_needs(&p->topology, a, n, &made.depends_on);
    struct resource_record *r = apply_made(i->stored, &made);
    r->status = r->precise_status = STATUS_created;
    item->record = r;
}

/* What the object may be compared with is better known once what it uses is in the state, too. */
static bool run_round(struct import *i, struct planner *p, bool is_last, size_t *left) {
    size_t before = *left;
    bool ok = true;
    for (size_t k = 0; ok && k < i->items.len; k++) {
        struct import_item *item = &i->items.items[k];
        const struct element *e = item->record != NULL ? NULL : find_element(i, p, item);
        if (e == NULL) {
            ok = item->record != NULL;
            continue;
        }
        const struct element_plan *ep = &p->elements[template_get_number(p->t, e)];
        if (!is_last && (ep->spec.within & (WITHIN_UNKNOWN | MARK_PROVISIONAL)) != 0) {
            continue;
        }
        struct found_object found = {.wanted = ep->spec, .metadata = ep->metadata, .root_dir = p->t->root_dir};
        ok = import_find(i, item, &found);
        if (ok) {
            record_found(i, p, item, &found);
            (*left)--;
        }
    }
    return ok && (is_last || *left < before || run_round(i, p, true, left));
}

static struct plan *make_plan(struct import *i, struct planner *p, enum exit_code *code) {
    const struct run_config *c = i->c;
    struct run_record *record = p->record;
    *p = (struct planner){
        .c = c, .t = i->request.t, .a = c->arena, .diags = c->diags, .stored = i->stored, .record = record};
    p->drift_by_address = MAP(c->arena);
    p->touched_links = MAP(c->arena);
    if (record == NULL) {
        plan_start_record(p);
    }
    struct plan *plan = plan_build(p, false, code);
    i->places = plan == NULL ? NULL : places_of_elements(c->arena, p->t, i->stored);
    return plan;
}

/* As planning does (BP-421): what was cut off, and what is really there. */
static bool refresh(struct import *i, enum exit_code *code) {
    const struct run_config *c = i->c;
    struct recoveries recoveries = {0};
    if (!lease_is_held(c->host, &i->stored->tree.lease)) {
        struct recovery_request request = {.base_dir = i->request.t->root_dir, .only_look = true, .is_quiet = true};
        recover_all(c, i->stored, request, &recoveries);
    }
    struct planner p = {.c = c, .t = i->request.t, .a = c->arena, .diags = c->diags, .stored = i->stored};
    return !c->refresh || refresh_all(&p) || fail(code, EXIT_FAILED);
}

bool import_look(struct import *i, const struct run_config *c, const struct import_request *request,
                 struct stored *stored, enum exit_code *code) {
    *i = (struct import){.c = c, .request = *request, .stored = stored};
    *code = EXIT_INVALID;
    struct planner p = {0};
    size_t left = request->count;
    if (!take_wishes(i) || (!request->only_found && !refresh(i, code))) {
        return false;
    }
    for (size_t round = 1; left > 0; round++) {
        if (make_plan(i, &p, code) == NULL || !run_round(i, &p, round == ROUNDS_MAX, &left)) {
            return *code != EXIT_OK ? false : fail(code, EXIT_INVALID);
        }
    }
    if (!import_check_claims(i)) {
        return fail(code, EXIT_INVALID);
    }
    i->after = request->only_found ? NULL : make_plan(i, &p, code);
    return request->only_found || i->after != NULL;
}

bool import_take(const struct import *i, struct edit *e) {
    bool ok = true;
    for (size_t k = 0; ok && k < i->items.len; k++) {
        ok = edit_add(e, i->items.items[k].record);
    }
    return ok;
}
