/* An instance as it was after an earlier run (LC-025): the present rows, with what later runs changed put back. */
#include "engine/edit.h"
#include "engine/fields.h"
#include "engine/places.h"
#include "engine/run.h"
#include "engine/snapshot.h"

struct past {
    const struct run_config *c;
    struct arena *a;
    struct record_codec codec;
    struct store_instance instance;
    struct store_tree tree;
    VEC(struct earlier) rows; /* `was_there`: it is there at the time that has been reached */
    struct map by_address;    /* address → number + 1 */
};

static bool refuse(struct past *p, const char *hint, sv message) {
    struct diag *d = diags_add(p->c->diags, DIAG_run_not_reachable, SPAN_NONE, "%.*s", SV_ARG(message));
    diag_set_hint(p->c->diags, d, "%s", hint);
    return false;
}

static void put_row(struct past *p, const struct earlier *e) {
    bool is_new;
    void **slot = map_get_slot(&p->by_address, e->address, &is_new);
    if (is_new) {
        VEC_PUSH(p->a, &p->rows, *e);
        *slot = (void *)(uintptr_t)p->rows.len;
        return;
    }
    p->rows.items[(uintptr_t)*slot - 1] = *e;
}

/* One step back in time. */
static void go_back(struct past *p, const struct snapshot *s) {
    for (size_t i = 0; s->was_empty && i < p->rows.len; i++) {
        p->rows.items[i].was_there = false;
    }
    for (size_t i = 0; i < s->items.len; i++) {
        put_row(p, &s->items.items[i]);
    }
    if (s->instance.kind == VALUE_MAP) {
        snapshot_decode_instance(s->instance, &p->instance);
    }
}

static const struct past_run *find_run(const struct past_runs *runs, struct arena *a, sv wanted) {
    for (size_t i = 0; i < runs->items.len; i++) {
        const struct past_run *run = &runs->items.items[i];
        sv number = arena_printf(a, "%lld", (long long)run->number);
        if (sv_eq(run->run_id, wanted) || (run->number > 0 && sv_eq(number, wanted))) {
            return run;
        }
    }
    return NULL;
}

static bool check_run(struct past *p, const struct past_run *run, sv wanted) {
    if (run == NULL) {
        return refuse(p, "'lintel history' lists the runs; the last 50 are kept",
                      arena_printf(p->a, "the history has no run '%.*s'", SV_ARG(wanted)));
    }
    if (run->number == 0 || !sv_eq_cstr(run->outcome, "succeeded")) {
        return refuse(p, "what a run that did not succeed has left is shown until the next run: lintel show",
                      arena_printf(p->a, "the state after run '%.*s' is not kept: it did not succeed", SV_ARG(wanted)));
    }
    return true;
}

static bool load(struct past *p, sv id) {
    enum store_result r = p->c->store->ops->load_tree(p->c->store, p->a, id, &p->tree);
    if (r != STORE_OK && r != STORE_NOT_FOUND) {
        return false;
    }
    p->codec = (struct record_codec){.arena = p->a, .sealer = p->c->sealer, .diags = p->c->diags, .instance_id = id};
    p->instance = p->tree.instance;
    p->instance.id = id;
    p->by_address = MAP(p->a);
    for (size_t i = 0; i < p->tree.elements.len; i++) {
        const struct store_element *row = &p->tree.elements.items[i];
        put_row(p, &(struct earlier){.address = row->address, .was_there = true, .row = *row});
    }
    return true;
}

/* Back over everything behind a run. False after a report. */
static bool go_back_to(struct past *p, sv id, int64_t number) {
    struct store_history *items = NULL;
    size_t count = 0;
    struct snapshot s;
    enum store_result r = p->c->store->ops->list_history(p->c->store, p->a, id, &items, &count);
    if (r != STORE_OK && r != STORE_NOT_FOUND) {
        return false;
    }
    snapshot_read_journal(&p->codec, p->tree.journal.items, p->tree.journal.len, &s);
    if (value_is_set(s.instance)) {
        go_back(p, &s);
    }
    struct seal_place place = {.instance_id = id, .address = SV("history")};
    for (size_t i = count; i > 0 && items[i - 1].number > number; i--) {
        value body = seal_decode(p->c->sealer, p->a, &place, items[i - 1].body, &p->codec.unopened, p->c->diags);
        if (snapshot_decode(p->a, body, &s)) {
            go_back(p, &s);
        } else if (sv_eq_cstr(items[i - 1].outcome, "succeeded")) {
            return refuse(p, "'lintel history' lists the runs",
                          arena_printf(p->a, "the history does not tell what was before run %lld",
                                       (long long)items[i - 1].number));
        } /* else it is told by the rollback that follows */
    }
    return true;
}

/* --- to a view --- */

static bool decode_rows(struct past *p, struct instance_view *view) {
    struct resource_record *resources = ARENA_ARRAY(p->a, struct resource_record, p->rows.len + 1);
    struct link_record *links = ARENA_ARRAY(p->a, struct link_record, p->rows.len + 1);
    bool ok = true;
    for (size_t i = 0; i < p->rows.len; i++) {
        const struct earlier *e = &p->rows.items[i];
        if (!e->was_there) {
            continue;
        }
        if (record_is_link_row(&e->row)) {
            ok = record_decode_link(&p->codec, &e->row, &links[view->link_count++]) && ok;
        } else {
            ok = record_decode_resource(&p->codec, &e->row, &resources[view->resource_count++]) && ok;
        }
    }
    if (ok) {
        places_sort_resources(resources, view->resource_count);
        places_sort_links(links, view->link_count);
    }
    view->resources = resources;
    view->links = links;
    return ok;
}

static bool decode_body(struct past *p, struct instance_view *view) {
    struct instance_body body = {0};
    view->instance = p->instance;
    if (p->instance.body.len == 0) {
        return true;
    }
    if (!record_decode_instance(&p->codec, p->instance.body, &body)) {
        return false;
    }
    view_sort_exports(p->a, &body, view);
    view->results = body.results;
    view->result_count = body.result_count;
    return true;
}

bool run_view_instance_at(const struct run_config *c, sv run, struct instance_view *view) {
    struct past p = {.c = c, .a = c->arena};
    struct past_runs runs;
    *view = (struct instance_view){0};
    if (!edit_list_runs(c, &runs)) {
        return false;
    }
    const struct past_run *found = run.len == 0 ? NULL : find_run(&runs, p.a, run);
    if ((run.len > 0 && !check_run(&p, found, run)) || !load(&p, runs.instance_id)) {
        return false;
    }
    if (found != NULL) {
        view->at_run = found->run_id;
        if (!go_back_to(&p, runs.instance_id, found->number)) {
            return false;
        }
    }
    return decode_rows(&p, view) && decode_body(&p, view);
}
