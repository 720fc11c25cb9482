#include "engine/import_find.h"

#include "engine/specs.h"
#include "text/render.h"

enum { READ_DEADLINE_MS = 5 * 60 * 1000 };

bool import_refuse(struct import *i, const struct import_wish *wish, const char *hint, sv message) {
    struct diag *d = diags_add(i->c->diags, DIAG_import_refused, wish->at, "%.*s", SV_ARG(message));
    if (hint != NULL) {
        diag_set_hint(i->c->diags, d, "%s", hint);
    }
    return false;
}

/* --- what the provider is asked with --- */

/* What is not known yet is left out; secrets stay secret, whatever is found in their place. */
static value keep_known(struct arena *a, value spec) {
    struct map_builder b = {.arena = a};
    for (size_t i = 0; spec.kind == VALUE_MAP && i < spec.map->len; i++) {
        const struct value_entry *e = &spec.map->entries[i];
        if ((e->item.within & (WITHIN_UNKNOWN | WITHIN_ERROR)) == 0 && e->item.kind != VALUE_UNKNOWN) {
            map_add(&b, e->key, e->item);
        }
    }
    return spec_unmark_leaves(a, map_done(&b), MARK_PROVISIONAL);
}

/* The field that the id is written in, when it is one of the template's; NULL for one that the provider makes. */
static const struct schema *find_id_field(struct arena *a, const struct resource_type *type, sv *name) {
    struct path path;
    if (type->id_field.len == 0 || !path_parse(a, type->id_field, &path) || path.len != 1 || path.steps[0].is_index) {
        return NULL;
    }
    const struct schema *field = schema_find_path(type->schema, path);
    *name = path.steps[0].key;
    bool is_written = field != NULL && field->type == SCHEMA_STRING && (field->flags & SCHEMA_COMPUTED) == 0;
    return is_written ? field : NULL;
}

static bool is_same_text(value x, value y) {
    return x.kind == VALUE_STRING && y.kind == VALUE_STRING && sv_eq(value_get_text(x), value_get_text(y));
}

/* The spec to find the object by: the id stands in its field, and is what the template says, if it says it. */
static bool place_id(struct import *i, const struct import_item *item, const struct found_object *f, value *spec) {
    struct arena *a = i->c->arena;
    sv name = {0};
    const struct schema *field = find_id_field(a, item->type, &name);
    *spec = keep_known(a, f->wanted);
    if (field == NULL) {
        return true;
    }
    value wanted = value_map_find(*spec, name);
    value given = value_map_with(a, *spec, name, value_string_copy(a, item->wish->id));
    given = spec_settle(a, item->type->schema, given, f->root_dir);
    value id = value_map_find(given, name);
    if (value_is_set(wanted) && !is_same_text(wanted, id)) {
        bool is_secret = value_is_sensitive(wanted);
        sv said = is_secret ? SV("(sensitive)") : render_escape(a, sv_slice(value_get_text(wanted), 0, 200));
        return import_refuse(i, item->wish, "give the id of that object, or change the blueprint first",
                             arena_printf(a, "the blueprint says that '%.*s' of '%.*s' is '%.*s', not '%.*s'",
                                          SV_ARG(name), SV_ARG(item->address), SV_ARG(said),
                                          SV_ARG(render_escape(a, sv_slice(item->wish->id, 0, 200)))));
    }
    *spec = given;
    return true;
}

/* --- the call --- */

static void fill_call(const struct import *i, const struct import_item *item, struct provider_call *call) {
    const struct run_config *c = i->c;
    int64_t limit = item->type->deadline_ms > 0 ? item->type->deadline_ms : READ_DEADLINE_MS;
    call->arena = c->arena;
    call->address = (addr){item->address};
    call->host = c->host;
    call->context = c->context;
    call->base_dir = i->request.t->root_dir;
    call->deadline_ms = c->host->ops->get_monotonic_ms(c->host->user) + limit;
}

static enum provider_result call_find(const struct import *i, const struct import_item *item,
                                      const struct found_object *f, value spec, struct provider_call *call) {
    const struct run_config *c = i->c;
    enum provider_result result = PROVIDER_TRANSIENT;
    for (unsigned attempt = 0; result == PROVIDER_TRANSIENT && attempt <= c->retries; attempt++) {
        if (attempt > 0 && (c->signals == NULL || atomic_load(c->signals) == 0)) {
            c->host->ops->sleep_ms(c->host->user, c->retry_first_ms);
        }
        *call = (struct provider_call){.spec = spec,
                                       .metadata = f->metadata,
                                       .physical_id = item->wish->id,
                                       .instance_id = i->stored->instance.id};
        fill_call(i, item, call);
        seal_operation_key(call->instance_id, item->address, 0, SV("read"), call->op_key);
        result = item->type->find != NULL ? item->type->find(call) : item->type->read(call);
    }
    return result;
}

static sv get_reason(const struct provider_call *call) {
    return call->reasons.items.len > 0 ? call->reasons.items.items[0] : SV("no reason is given");
}

static bool report_result(struct import *i, const struct import_item *item, enum provider_result result,
                          const struct provider_call *call) {
    struct arena *a = i->c->arena;
    sv id = render_escape(a, sv_slice(item->wish->id, 0, 200));
    if (result == PROVIDER_ABSENT) {
        sv hint = arena_printf(a, "the id of %.*s is %.*s", SV_ARG(item->type->name), SV_ARG(item->type->import_id));
        return import_refuse(
            i, item->wish, hint.data,
            arena_printf(a, "there is no object '%.*s' for '%.*s'", SV_ARG(id), SV_ARG(item->address)));
    }
    return import_refuse(i, item->wish, NULL,
                         arena_printf(a, "'%.*s' cannot be taken for '%.*s': %.*s", SV_ARG(id), SV_ARG(item->address),
                                      SV_ARG(render_escape(a, get_reason(call)))));
}

/* --- what was found --- */

/* A field whose text the template keeps secret. */
static value hide_secrets(struct arena *a, value found, value wanted) {
    for (size_t k = 0; wanted.kind == VALUE_MAP && found.kind == VALUE_MAP && k < wanted.map->len; k++) {
        const struct value_entry *e = &wanted.map->entries[k];
        value item = value_map_find(found, e->key);
        bool is_secret = value_is_sensitive(e->item) || (e->item.within & MARK_SENSITIVE) != 0;
        if (is_secret && value_is_set(item) && (item.within & MARK_SENSITIVE) == 0) {
            found = value_map_with(a, found, e->key, spec_mark_leaves(a, item, MARK_SENSITIVE));
        }
    }
    return found;
}

static bool take_found(struct import *i, const struct import_item *item, const struct provider_call *call,
                       struct found_object *f) {
    struct arena *a = i->c->arena;
    const struct schema *schema = item->type->schema;
    value spec = value_is_set(call->found_spec) ? call->found_spec : call->spec;
    f->spec = value_copy(a, spec_mark_sensitive(a, schema, hide_secrets(a, spec, f->wanted)));
    f->computed = spec_settle_computed(a, schema, call->computed);
    f->id = spec_get_id(a, item->type, schema_merge(a, f->spec, f->computed));
    sv name;
    if (find_id_field(a, item->type, &name) == NULL && item->type->id_field.len > 0 && !sv_eq(f->id, item->wish->id)) {
        return import_refuse(i, item->wish, NULL,
                             arena_printf(a, "for '%.*s' the provider found '%.*s' under the id '%.*s'",
                                          SV_ARG(item->address), SV_ARG(render_escape(a, f->id)),
                                          SV_ARG(render_escape(a, sv_slice(item->wish->id, 0, 200)))));
    }
    return true;
}

bool import_find(struct import *i, const struct import_item *item, struct found_object *found) {
    struct provider_call call;
    value spec;
    if (!place_id(i, item, found, &spec)) {
        return false;
    }
    enum provider_result result = call_find(i, item, found, spec, &call);
    return result == PROVIDER_OK ? take_found(i, item, &call, found) : report_result(i, item, result, &call);
}

/* --- who else claims it (F38) --- */

static bool check_own(struct import *i, const struct import_item *item) {
    for (size_t k = 0; k < i->stored->elements.len; k++) {
        const struct stored_element *e = i->stored->elements.items[k];
        const struct resource_record *r = e->removed ? NULL : e->resource;
        bool is_other = r != NULL && r != item->record && record_has_object(r);
        if (is_other && sv_eq(r->type, item->record->type) && sv_eq(r->physical_id, item->record->physical_id)) {
            return import_refuse(i, item->wish, "lintel state mv FROM TO gives it another address",
                                 arena_printf(i->c->arena, "'%.*s' is the object of '%.*s' already",
                                              SV_ARG(render_escape(i->c->arena, r->physical_id)),
                                              SV_ARG(r->address.text)));
        }
    }
    return true;
}

static bool check_others(struct import *i, const struct import_item *item) {
    struct store_object object = {.type = item->record->type, .physical_id = item->record->physical_id};
    struct store_claim *claims = NULL;
    size_t count = 0;
    const struct run_config *c = i->c;
    if (c->store->ops->find_claims(c->store, c->arena, &object, 1, &claims, &count) != STORE_OK) {
        return false;
    }
    for (size_t k = 0; k < count; k++) {
        if (sv_eq(claims[k].instance_id, i->stored->instance.id)) {
            continue;
        }
        return import_refuse(
            i, item->wish, "forget it there first with lintel state rm, or take it all the same with --force",
            arena_printf(c->arena, "'%.*s' is '%.*s' of instance '%.*s' in name space '%.*s'",
                         SV_ARG(render_escape(c->arena, object.physical_id)), SV_ARG(claims[k].address),
                         SV_ARG(claims[k].instance_name), SV_ARG(claims[k].context)));
    }
    return true;
}

bool import_check_claims(struct import *i) {
    bool ok = true;
    for (size_t k = 0; k < i->items.len; k++) {
        const struct import_item *item = &i->items.items[k];
        bool has_id = item->record->physical_id.len > 0;
        ok = (!has_id || (check_own(i, item) && (i->request.force || check_others(i, item)))) && ok;
    }
    return ok;
}
