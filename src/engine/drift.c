#include "engine/drift.h"

#include "engine/fields.h"
#include "engine/look.h"

static value list_paths(struct arena *a, const struct field_diff *diff) {
    struct list_builder list = {.arena = a};
    for (size_t i = 0; i < diff->changes.len; i++) {
        list_add(&list, value_string(a, path_to_text(a, diff->changes.items[i].path)));
    }
    return list_done(&list);
}

/* The drift record (BP-552): external state and differences; the time stands beside it. */
static value make_record(struct arena *a, const struct change *found) {
    struct map_builder b = {.arena = a};
    field_put_text(&b, "kind", found->missing ? SV("missing") : SV("changed"));
    if (!found->missing) {
        struct map_builder external = {.arena = a};
        bool is_link = found->kind == ELEMENT_LINK;
        field_put_value(&external, is_link ? "intermediaryResourceStates" : "specData", found->after);
        field_put_value(&external, "computedFields", found->computed_after);
        map_add(&b, SV("externalState"), map_done(&external));
        map_add(&b, SV("differences"), list_paths(a, &found->diff));
    }
    return map_done(&b);
}

static bool is_drift(const struct change *found) {
    return found->action != ACTION_READ;
}

/* The note about drift beside an element's state. */
struct drift_note {
    value *drift;
    int64_t *when_ms;
};

static sv get_address(const struct stored_element *e) {
    return e->resource != NULL ? e->resource->address.text : e->link->address.text;
}

static struct drift_note get_note(const struct stored_element *e) {
    return e->resource != NULL ? (struct drift_note){&e->resource->drift, &e->resource->drift_ms}
                               : (struct drift_note){&e->link->drift, &e->link->drift_ms};
}

/* Drift records that are there although the element was read and does not differ. */
static size_t list_outdated(const struct look *l, sv *addresses) {
    size_t count = 0;
    for (size_t i = 0; i < l->stored.elements.len && !l->has_failed; i++) {
        const struct stored_element *e = l->stored.elements.items[i];
        sv address = get_address(e);
        if (!value_is_set(*get_note(e).drift) || look_is_cut_off(l, address)) {
            continue;
        }
        uintptr_t number = (uintptr_t)map_find(&l->planner.drift_by_address, address);
        if (number == 0 || !is_drift(&l->planner.drift.items[number - 1])) {
            addresses[count++] = address;
        }
    }
    return count;
}

/* `drift` of kind 0 takes the note away. */
static void save_note(struct deploy *d, sv address, value drift) {
    struct resource_record *r = stored_find_resource(&d->stored, address);
    struct link_record *link = stored_find_link(&d->stored, address);
    if (r == NULL && link == NULL) {
        return;
    }
    struct stored_element e = {.resource = r, .link = link};
    struct drift_note note = get_note(&e);
    *note.drift = drift;
    *note.when_ms = value_is_set(drift) ? now_wall(d) : *note.when_ms;
    if (r != NULL) {
        write_resource(d, r);
    } else {
        write_link(d, link);
    }
}

static void save(struct deploy *d, const struct look *l, const sv *outdated, size_t count) {
    for (size_t i = 0; i < l->planner.drift.len; i++) {
        const struct change *found = &l->planner.drift.items[i];
        if (is_drift(found)) {
            save_note(d, found->address.text, make_record(d->a, found));
        }
    }
    for (size_t i = 0; i < count; i++) {
        save_note(d, outdated[i], (value){0});
    }
    flush_batch(d);
}

static size_t list_drift(struct look *l, struct change **items) {
    *items = ARENA_ARRAY(l->c->arena, struct change, l->planner.drift.len);
    size_t count = 0;
    for (size_t i = 0; i < l->planner.drift.len; i++) {
        if (is_drift(&l->planner.drift.items[i])) {
            (*items)[count++] = l->planner.drift.items[i];
        }
    }
    return count;
}

enum exit_code run_drift(const struct run_config *c, struct drift_report *report) {
    struct look *l = ARENA_NEW(c->arena, struct look);
    enum exit_code code = EXIT_OK;
    *report = (struct drift_report){0};
    if (!look_open(c, l, &code)) {
        return code;
    }
    look_read(l, (struct look_filter){0});
    struct change *items;
    sv *outdated = ARENA_ARRAY(c->arena, sv, l->stored.elements.len + 1);
    report->instance = l->stored.instance;
    report->count = list_drift(l, &items);
    report->items = items;
    report->checked = l->planner.read_count;
    report->interrupted = l->open.items.len;
    report->cleared = list_outdated(l, outdated);
    if (report->count + report->cleared > 0) { /* else there is nothing to save */
        struct finding *f = ARENA_NEW(c->arena, struct finding);
        bool is_open = finding_open(f, l, &code);
        if (is_open) {
            save(&f->run, l, outdated, report->cleared);
        }
        enum exit_code end = finding_close(f);
        code = is_open ? end : code;
    }
    if (code != EXIT_OK) {
        return code;
    }
    return l->has_failed ? EXIT_FAILED : report->count > 0 ? EXIT_DRIFT : EXIT_OK;
}
