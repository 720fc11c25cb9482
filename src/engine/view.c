#include "engine/run.h"

#include "engine/fields.h"
#include "engine/journal.h"
#include "engine/places.h"
#include "engine/stored.h"

/* An element with an intent without outcome is under way, or was when its run was cut off: rows are written when
 * operations end. */
static void show_under_way(struct stored *s, const struct open_intent *intent) {
    struct resource_record *r = stored_find_resource(s, intent->row->address);
    if (stored_find_link(s, intent->row->address) != NULL) {
        return; /* its row is written phase by phase */
    }
    bool creates = sv_eq_cstr(intent->row->action, "create"), updates = sv_eq_cstr(intent->row->action, "update");
    if (r == NULL) {
        r = stored_put_resource(s, (addr){intent->row->address});
        struct addr_parts parts;
        r->name = addr_parse(s->arena, intent->row->address, &parts) ? parts.name : (sv){0};
        r->type = value_get_text(value_map_find(intent->body, SV("type")));
        r->position = field_get_int(intent->body, "position");
    } else if (creates) {
        creates = record_has_object(r) == false;
        updates = !creates;
    }
    r->status = r->precise_status = creates ? STATUS_creating : updates ? STATUS_updating : STATUS_destroying;
    enum status rolling_back = status_find(field_get_text(intent->body, "rollingBack"));
    if (rolling_back != 0) {
        r->status = STATUS_rolling_back;
        r->precise_status = rolling_back;
    }
}

void view_sort_exports(struct arena *a, const struct instance_body *body, struct instance_view *view) {
    struct export_record *own = ARENA_ARRAY(a, struct export_record, body->export_count + 1);
    struct export_record *of_children = ARENA_ARRAY(a, struct export_record, body->export_count + 1);
    for (size_t i = 0; i < body->export_count; i++) {
        if (sv_find(body->exports[i].name, SV("/")) == SIZE_MAX) {
            own[view->export_count++] = body->exports[i];
        } else {
            of_children[view->child_export_count++] = body->exports[i];
        }
    }
    view->exports = own;
    view->child_exports = of_children;
}

bool run_view_instance(const struct run_config *c, struct instance_view *view) {
    enum exit_code code = EXIT_OK;
    struct stored *s = ARENA_NEW(c->arena, struct stored);
    *view = (struct instance_view){0};
    if (!stored_load(c, s, &code)) {
        return false;
    }
    if (!s->found) {
        diags_add(c->diags, DIAG_instance_not_found, SPAN_NONE, "there is no instance '%.*s'",
                  SV_ARG(c->instance_name));
        return false;
    }
    struct record_codec codec = {
        .arena = c->arena, .sealer = c->sealer, .diags = c->diags, .instance_id = s->instance.id};
    struct open_intents open = {0};
    journal_find_open(&codec, s->tree.journal.items, s->tree.journal.len, &open);
    for (size_t i = 0; i < open.items.len; i++) {
        if (open.items.items[i].body.kind == VALUE_MAP) {
            show_under_way(s, &open.items.items[i]);
        }
    }
    places_sort_stored(s);
    struct resource_record *resources = ARENA_ARRAY(c->arena, struct resource_record, s->elements.len);
    struct link_record *links = ARENA_ARRAY(c->arena, struct link_record, s->elements.len);
    for (size_t i = 0; i < s->elements.len; i++) {
        const struct stored_element *e = s->elements.items[i];
        if (e->resource != NULL) {
            resources[view->resource_count++] = *e->resource;
        } else if (e->link != NULL) {
            links[view->link_count++] = *e->link;
        }
    }
    view->instance = s->instance;
    view->results = s->body.results;
    view->result_count = s->body.result_count;
    view->resources = resources;
    view->links = links;
    view_sort_exports(s->arena, &s->body, view);
    view->lease = s->tree.lease;
    view->open_intents = open.items.len;
    return true;
}
