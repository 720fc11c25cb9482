#include "engine/transfer.h"

#include "engine/inner_rows.h"
#include "value/convert.h"

static bool fail(enum exit_code *code, enum exit_code which) {
    *code = which;
    return false;
}

/* One import while it is worked out. */
struct taking {
    const struct run_config *c;
    const struct transfer_instance *from;
    struct transfer_plan *plan;
    struct edit *e;
    struct map wanted;  /* addresses of the file */
    size_t other_boxes; /* secrets that the key does not open */
};

/* --- who has the name, who has the id --- */

static bool refuse(const struct taking *t, const char *hint, sv message) {
    struct diag *d = diags_add(t->c->diags, DIAG_state_edit_refused, t->from->at, "%.*s", SV_ARG(message));
    diag_set_hint(t->c->diags, d, "%s", hint);
    return false;
}

static bool check_names(const struct taking *t, enum exit_code *code) {
    const struct run_config *c = t->c;
    const struct store_instance *row = &t->from->row;
    struct store_instance named;
    struct store_tree tree = {0};
    enum store_result r = c->store->ops->find_instance(c->store, c->arena, c->context, row->name, &named);
    if (r == STORE_OK && !sv_eq(named.id, row->id)) {
        *code = EXIT_INVALID;
        return refuse(t, "put it into another name space with --context NAME, or destroy that instance first",
                      arena_printf(c->arena, "the name '%.*s' belongs to another instance, with the id '%.*s'",
                                   SV_ARG(row->name), SV_ARG(named.id)));
    }
    if (r == STORE_NOT_FOUND) {
        r = c->store->ops->load_tree(c->store, c->arena, row->id, &tree);
    }
    if (tree.found) {
        *code = EXIT_INVALID;
        return refuse(t, "one store holds an instance once",
                      arena_printf(c->arena, "the instance of this id is stored as '%.*s' in name space '%.*s'",
                                   SV_ARG(tree.instance.name), SV_ARG(tree.instance.context)));
    }
    return r == STORE_OK || r == STORE_NOT_FOUND || fail(code, r == STORE_BUSY ? EXIT_LOCKED : EXIT_FAILED);
}

/* --- secrets --- */

static bool is_digest_only(value v) {
    return seal_find_digest(v).len > 0 && !seal_has_box(v);
}

static value open_body(struct taking *t, sv address, sv json) {
    struct seal_place place = {.instance_id = t->from->row.id, .address = address};
    value body = seal_decode(t->plan->opener, t->e->a, &place, json, NULL, t->c->diags);
    struct path_list boxes = {0}, digests = {0};
    value_find_paths(t->e->a, body, seal_has_box, &boxes);
    value_find_paths(t->e->a, body, is_digest_only, &digests);
    t->other_boxes += boxes.items.len;
    t->plan->digests_only += digests.items.len;
    return body;
}

/* The same for the store that it goes into, whose digests are others (LC-051). */
static sv seal_anew(struct taking *t, sv address, sv json) {
    struct seal_place place = {.instance_id = t->from->row.id, .address = address};
    return seal_encode(t->c->sealer, t->e->a, &place, open_body(t, address, json));
}

/* A history entry holds rows as they were, each sealed by itself. */
static sv seal_history_anew(struct taking *t, sv json) {
    struct seal_place place = {.instance_id = t->from->row.id, .address = SV("history")};
    value body = open_body(t, SV("history"), json);
    struct inner_rows inner = {
        .arena = t->e->a, .from = t->plan->opener, .to = t->c->sealer, .instance_id = t->from->row.id};
    bool changed;
    return seal_encode(t->c->sealer, t->e->a, &place, inner_rows_move(&inner, body, &changed));
}

/* --- elements --- */

/* Without the note that the object's mark may be missing (claim.h): an import leaves it behind, a file has none. */
static sv drop_unclaimed(struct arena *a, sv body) {
    if (sv_find(body, SV("\"unclaimed\"")) == SIZE_MAX) {
        return body;
    }
    sv why;
    size_t offset;
    value v = value_parse_json(a, body, &limits_default, false, &why, &offset);
    return v.kind != VALUE_MAP ? body
                               : value_print_json(a, value_map_with(a, v, SV("unclaimed"), value_absent()), 0, REVEAL);
}

static bool is_same_row(struct arena *a, const struct store_element *x, const struct store_element *y) {
    return sv_eq(x->type, y->type) && sv_eq(x->status, y->status) && sv_eq(x->precise_status, y->precise_status) &&
           sv_eq(x->physical_id, y->physical_id) && seal_equal(a, drop_unclaimed(a, x->body), y->body);
}

static bool take_element(struct taking *t, const struct store_element *from, span at) {
    struct store_element *row = ARENA_NEW(t->e->a, struct store_element);
    const struct edit_item *now = edit_find(t->e, from->address);
    *row = *from;
    row->body = seal_anew(t, from->address, from->body);
    map_put(&t->wanted, from->address, row);
    if (now != NULL && is_same_row(t->e->a, now->origin, row)) {
        return true;
    }
    if (map_has(&t->e->open, from->address)) {
        struct diag *d = diags_add(t->c->diags, DIAG_state_edit_refused, at,
                                   "an operation on '%.*s' was cut off and is not settled", SV_ARG(from->address));
        diag_set_hint(t->c->diags, d, "lintel deploy settles it; then import");
        return false;
    }
    edit_note(t->e, EDIT_RESTORED, from->address, (sv){0});
    return edit_put_row(t->e, row);
}

static void drop_others(struct taking *t) {
    for (size_t i = 0; i < t->e->items.len; i++) {
        struct edit_item *item = t->e->items.items[i];
        if (item->address.len > 0 && !map_has(&t->wanted, item->address)) {
            sv address = item->address;
            edit_drop(t->e, item);
            edit_note(t->e, EDIT_REMOVED, address, (sv){0});
        }
    }
}

/* --- the rest of the instance --- */

static bool take_body(struct taking *t) {
    struct edit *e = t->e;
    struct instance_body *body = &e->stored.body, fresh;
    struct record_codec codec = {
        .arena = e->a, .sealer = t->c->sealer, .diags = t->c->diags, .instance_id = t->from->row.id};
    if (!record_decode_instance(&codec, seal_anew(t, SV("instance"), t->from->row.body), &fresh)) {
        return false;
    }
    fresh.plan_id = body->plan_id;
    fresh.run_id = body->run_id;
    fresh.journal_sequence = body->journal_sequence;
    memcpy(fresh.journal_mac, body->journal_mac, sizeof fresh.journal_mac);
    fresh.history_number = e->is_fresh ? fresh.history_number : body->history_number;
    struct store_instance *row = &e->stored.instance;
    e->has_new_body = !e->is_fresh &&
                      (!sv_eq(row->status, t->from->row.status) ||
                       !seal_equal(e->a, record_encode_instance(&codec, body), record_encode_instance(&codec, &fresh)));
    *body = fresh;
    row->status = t->from->row.status;
    row->dialect = t->from->row.dialect;
    return true;
}

/* What happened to a new instance elsewhere. One of this id that was destroyed here has left its own history. */
static bool take_history(struct taking *t, enum exit_code *code) {
    const struct run_config *c = t->c;
    struct edit *e = t->e;
    struct store_history *items = NULL;
    size_t count = 0;
    enum store_result r = c->store->ops->list_history(c->store, c->arena, t->from->row.id, &items, &count);
    if (r != STORE_OK && r != STORE_NOT_FOUND) {
        return fail(code, r == STORE_BUSY ? EXIT_LOCKED : EXIT_FAILED);
    }
    int64_t last = count > 0 ? items[count - 1].number : 0;
    for (size_t i = 0; i < t->from->history.len; i++) {
        struct store_history h = t->from->history.items[i];
        last = last < h.number ? h.number : last;
        h.body = seal_history_anew(t, h.body);
        if (count == 0) {
            VEC_PUSH(e->a, &e->past, h);
        }
    }
    struct instance_body *body = &e->stored.body;
    body->history_number = body->history_number < last ? last : body->history_number;
    return true;
}

static bool take_all(struct taking *t, enum exit_code *code) {
    bool ok = take_body(t);
    t->wanted = MAP(t->e->a);
    for (size_t i = 0; ok && i < t->from->elements.len; i++) {
        ok = take_element(t, &t->from->elements.items[i], t->from->places.items[i]);
    }
    if (!ok) {
        return fail(code, EXIT_INVALID);
    }
    drop_others(t);
    if (t->e->is_fresh && !take_history(t, code)) {
        return false;
    }
    if (t->other_boxes > 0) {
        struct diag *d =
            diags_add(t->c->diags, DIAG_key_not_usable, t->from->at,
                      "secrets of instance '%.*s' were sealed with another key", SV_ARG(t->from->row.name));
        diag_set_hint(t->c->diags, d, "give the key of the state that it was exported from: --key file:PATH");
        return fail(code, EXIT_INVALID);
    }
    return true;
}

static bool begin(const struct run_config *c, struct transfer_plan *plan, bool dry_run, enum exit_code *code) {
    struct run_config *named = ARENA_NEW(c->arena, struct run_config);
    *named = *c;
    named->instance_id = (sv){0};
    named->instance_name = plan->from->row.name;
    struct store_instance *fresh = ARENA_NEW(c->arena, struct store_instance);
    *fresh = plan->from->row;
    struct edit_request request = {.kind = SV("state import"), .dry_run = dry_run, .fresh = fresh};
    struct taking t = {.c = c, .from = plan->from, .plan = plan, .e = &plan->e};
    plan->digests_only = 0;
    if (!check_names(&t, code) || !edit_begin(&plan->e, named, &request, code)) {
        return false;
    }
    plan->e.is_final = true;
    plan->e.replaces_all = !plan->e.is_fresh;
    return take_all(&t, code);
}

bool transfer_compare(const struct run_config *c, struct transfer_plan *plan, enum exit_code *code) {
    if (!begin(c, plan, true, code)) {
        return false;
    }
    plan->is_new = plan->e.is_fresh;
    plan->is_same = !plan->is_new && plan->e.changes.len == 0 && !plan->e.has_new_body;
    return true;
}

bool transfer_carry_out(const struct run_config *c, struct transfer_plan *plan, enum exit_code *code) {
    int64_t version = plan->is_new ? 0 : plan->e.stored.instance.version;
    bool ok = begin(c, plan, false, code);
    if (ok && version != (plan->e.is_fresh ? 0 : plan->e.stored.instance.version)) {
        struct diag *d =
            diags_add(c->diags, DIAG_stale_change_set, plan->from->at,
                      "instance '%.*s' was changed in between: it was not imported", SV_ARG(plan->from->row.name));
        diag_set_hint(c->diags, d, "import again");
        ok = fail(code, EXIT_STALE);
    }
    ok = ok && edit_commit(&plan->e, code);
    if (ok) {
        edit_claim(&plan->e);
    }
    edit_end(&plan->e);
    return ok;
}
