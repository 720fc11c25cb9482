#include "apps/cli/commands.h"
#include "apps/cli/consent.h"
#include "engine/links.h"

/* What is shown: the whole instance, or one element and perhaps a property of it. */
struct view_writer {
    struct cli *c;
    struct buf *out;
    enum secrecy secrecy;
    sv only;              /* address text; empty: all */
    struct path property; /* below the element */
    bool found;
};

static bool is_wanted(struct view_writer *w, sv address) {
    /* The address of a child shows all that belongs to it. */
    bool within = w->property.len == 0 && sv_has_prefix(address, w->only) && address.len > w->only.len &&
                  address.data[w->only.len] == '/';
    bool wanted = w->only.len == 0 || within || sv_eq(w->only, address);
    w->found = w->found || wanted;
    return wanted;
}

/* A line a field, named as `show` takes it: spec.path: "note.txt" */
static void render_fields(struct view_writer *w, const char *root, value v) {
    struct arena *a = w->out->arena;
    struct path path = path_with_key(a, (struct path){0}, sv_from_cstr(root));
    if (v.kind == VALUE_MAP) {
        for (size_t i = 0; i < v.map->len; i++) {
            buf_append_cstr(w->out, "    ");
            buf_append(w->out, render_escape(a, path_to_text(a, path_with_key(a, path, v.map->entries[i].key))));
            buf_append_cstr(w->out, ": ");
            buf_append(w->out, render_escape(a, value_print_json(a, v.map->entries[i].item, 0, w->secrecy)));
            buf_append_char(w->out, '\n');
        }
    }
}

static void put_value(struct view_writer *w, const char *key, value v) {
    jsonw_key(&w->c->writer, sv_from_cstr(key));
    if (value_is_set(v))
        value_write_json(&w->c->writer, v, w->secrecy);
    else
        jsonw_null(&w->c->writer);
}

static void show_property(struct view_writer *w, const struct resource_record *r) {
    struct map_builder b = {.arena = w->out->arena};
    map_add(&b, SV("spec"), schema_merge(w->out->arena, r->spec, r->computed));
    map_add(&b, SV("metadata"), value_is_set(r->metadata) ? r->metadata : value_null());
    value v = value_find_path(map_done(&b), w->property);
    if (!value_is_set(v)) {
        w->found = false;
        return;
    }
    buf_append(w->out, value_print_json(w->out->arena, v, 2, w->secrecy));
    buf_append_char(w->out, '\n');
    put_value(w, "value", v);
}

static void write_resource(struct view_writer *w, const struct resource_record *r) {
    struct jsonw *j = &w->c->writer;
    jsonw_begin_object(j);
    jsonw_put_text(j, "address", r->address.text);
    jsonw_put_text(j, "type", r->type);
    jsonw_put_text(j, "status", status_get_text(r->status));
    jsonw_put_text(j, "preciseStatus", status_get_text(r->precise_status));
    jsonw_put_text(j, "physicalId", r->physical_id);
    put_value(w, "specData", r->spec);
    put_value(w, "computedFields", r->computed);
    put_value(w, "metadata", r->metadata);
    jsonw_key(j, SV("dependsOn"));
    jsonw_begin_array(j);
    for (size_t i = 0; i < r->depends_on_count; i++)
        jsonw_text(j, r->depends_on[i]);
    jsonw_end_array(j);
    jsonw_key(j, SV("failureReasons"));
    jsonw_begin_array(j);
    for (size_t i = 0; i < r->failure_reason_count; i++)
        jsonw_text(j, r->failure_reasons[i]);
    jsonw_end_array(j);
    jsonw_put_i64(j, "deposed", (int64_t)r->deposed_count);
    jsonw_put_i64(j, "updatedMs", r->updated_ms);
    jsonw_key(j, SV("drifted"));
    jsonw_bool(j, value_is_set(r->drift));
    jsonw_end_object(j);
}

static void show_resource(struct view_writer *w, const struct resource_record *r) {
    if (!is_wanted(w, r->address.text))
        return;
    write_resource(w, r);
    buf_printf(w->out, "  %.*s (%.*s) ", SV_ARG(render_escape(w->out->arena, r->address.text)), SV_ARG(r->type));
    status_render(w->out, r->status);
    buf_append_cstr(w->out, value_is_set(r->drift) ? ", drifted\n" : "\n");
    render_fields(w, "spec", schema_merge(w->out->arena, r->spec, r->computed));
    render_fields(w, "metadata", r->metadata);
    for (size_t i = 0; i < r->failure_reason_count; i++)
        buf_printf(w->out, "    failed: %.*s\n", SV_ARG(render_escape(w->out->arena, r->failure_reasons[i])));
}

static void write_link(struct view_writer *w, const struct link_record *l) {
    struct jsonw *j = &w->c->writer;
    value state = links_get_state(w->out->arena, l);
    jsonw_begin_object(j);
    jsonw_put_text(j, "address", l->address.text);
    jsonw_put_text(j, "status", status_get_text(l->status));
    jsonw_put_text(j, "preciseStatus", status_get_text(l->precise_status));
    put_value(w, "data", value_map_find(state, SV("linkData")));
    put_value(w, "resourceDataMappings", links_get_all_mappings(w->out->arena, l));
    put_value(w, "intermediaryResourceStates", value_map_find(state, SV("intermediaryResourceStates")));
    jsonw_key(j, SV("failureReasons"));
    jsonw_begin_array(j);
    for (size_t i = 0; i < l->failure_reason_count; i++)
        jsonw_text(j, l->failure_reasons[i]);
    jsonw_end_array(j);
    jsonw_key(j, SV("drifted"));
    jsonw_bool(j, value_is_set(l->drift));
    jsonw_end_object(j);
}

static void show_link(struct view_writer *w, const struct link_record *l) {
    if (!is_wanted(w, l->address.text))
        return;
    write_link(w, l);
    buf_printf(w->out, "  %.*s ", SV_ARG(render_escape(w->out->arena, l->address.text)));
    status_render(w->out, l->status);
    if (l->precise_status != l->status) {
        buf_append_cstr(w->out, " (");
        status_render(w->out, l->precise_status);
        buf_append_char(w->out, ')');
    }
    buf_append_cstr(w->out, value_is_set(l->drift) ? ", drifted\n" : "\n");
    render_fields(w, "data", links_get_data(w->out->arena, l));
    render_fields(w, "intermediaries", l->intermediaries);
    for (size_t i = 0; i < l->failure_reason_count; i++)
        buf_printf(w->out, "    failed: %.*s\n", SV_ARG(render_escape(w->out->arena, l->failure_reasons[i])));
}

static void show_export(struct view_writer *w, const struct export_record *e) {
    struct jsonw *j = &w->c->writer;
    bool is_root = sv_find_char(e->name, '/') == SIZE_MAX;
    sv address = is_root ? arena_printf(w->out->arena, "exports.%.*s", SV_ARG(e->name)) : e->name;
    if (!is_wanted(w, address))
        return;
    jsonw_begin_object(j);
    jsonw_put_text(j, "address", address);
    jsonw_put_text(j, "type", e->type);
    jsonw_put_text(j, "field", e->field);
    put_value(w, "value", e->item);
    jsonw_end_object(j);
    buf_printf(w->out, "  %.*s = ", SV_ARG(render_escape(w->out->arena, address)));
    value_render(w->out, e->item, 200, w->secrecy);
    buf_append_char(w->out, '\n');
}

static void show_head(struct view_writer *w, const struct instance_view *v) {
    struct jsonw *j = &w->c->writer;
    jsonw_key(j, SV("instance"));
    jsonw_begin_object(j);
    jsonw_put_text(j, "id", v->instance.id);
    jsonw_put_text(j, "name", v->instance.name);
    jsonw_put_text(j, "dialect", v->instance.dialect);
    jsonw_put_text(j, "status", v->instance.status);
    jsonw_put_i64(j, "version", v->instance.version);
    jsonw_put_i64(j, "openIntents", (int64_t)v->open_intents);
    jsonw_end_object(j);
    if (w->only.len > 0)
        return;
    buf_printf(w->out, "Instance %.*s (%.*s) ", SV_ARG(render_escape(w->out->arena, v->instance.name)),
               SV_ARG(v->instance.id));
    status_render(w->out, status_find(v->instance.status));
    buf_printf(w->out, ", version %lld\n", (long long)v->instance.version);
    if (v->open_intents > 0)
        buf_printf(w->out, "%zu operations were cut off; deploy or destroy settles them first\n", v->open_intents);
}

static void show_elements(struct view_writer *w, const struct instance_view *v) {
    jsonw_key(&w->c->writer, SV("elements"));
    jsonw_begin_array(&w->c->writer);
    for (size_t i = 0; i < v->resource_count; i++)
        show_resource(w, &v->resources[i]);
    for (size_t i = 0; i < v->link_count; i++)
        show_link(w, &v->links[i]);
    for (size_t i = 0; i < v->export_count; i++)
        show_export(w, &v->exports[i]);
    for (size_t i = 0; i < v->child_export_count; i++)
        show_export(w, &v->child_exports[i]);
    jsonw_end_array(&w->c->writer);
}

static void show_one_property(struct view_writer *w, const struct instance_view *v) {
    for (size_t i = 0; i < v->resource_count; i++) {
        if (is_wanted(w, v->resources[i].address.text))
            show_property(w, &v->resources[i]);
    }
}

static enum exit_code report_missing(struct view_writer *w, const struct instance_view *v) {
    struct cli *c = w->c;
    sv wanted = sv_slice(c->arguments.items[0], 0, 80);
    struct hint hint = HINT(wanted);
    for (size_t i = 0; i < v->resource_count; i++)
        hint_offer(&hint, v->resources[i].address.text);
    for (size_t i = 0; i < v->link_count; i++)
        hint_offer(&hint, v->links[i].address.text);
    for (size_t i = 0; i < v->export_count; i++)
        hint_offer(&hint, arena_printf(&c->arena, "exports.%.*s", SV_ARG(v->exports[i].name)));
    for (size_t i = 0; i < v->child_export_count; i++)
        hint_offer(&hint, v->child_exports[i].name);
    diags_add(&c->diags, DIAG_resource_missing, SPAN_NONE, "the instance '%.*s' has no '%.*s'",
              SV_ARG(v->instance.name), SV_ARG(render_escape(&c->arena, wanted)));
    output_add_hint(c, &hint, "");
    return EXIT_INVALID;
}

static enum exit_code show_instance(struct session *s, struct view_writer *w) {
    struct instance_view view = {0};
    if (!session_choose_instance(s, SV("blueprint.yaml")))
        return EXIT_USAGE;
    bool is_past = settings_is_given(w->c, "at");
    if (is_past && !run_view_instance_at(&s->config, settings_get_text(w->c, "at"), &view))
        return session_get_error_code(w->c);
    if (!is_past && !run_view_instance(&s->config, &view))
        return session_get_error_code(w->c);
    show_head(w, &view);
    if (w->property.len > 0)
        show_one_property(w, &view);
    else
        show_elements(w, &view);
    if (w->only.len > 0 && !w->found)
        return report_missing(w, &view);
    output_text(w->c, buf_get_sv(w->out));
    return EXIT_OK;
}

static enum exit_code show_plan_file(struct session *s, struct view_writer *w, sv path) {
    const struct plan *p = deploy_read_plan(s, path);
    if (!p) {
        diag_set_hint(&w->c->diags, *VEC_LAST(&w->c->diags.items),
                      "an address looks like resources.NAME, links.A::B or exports.NAME");
        return EXIT_INVALID;
    }
    plan_render(w->out, p, w->c->color_out, w->secrecy);
    output_text(w->c, buf_get_sv(w->out));
    jsonw_key(&w->c->writer, SV("plan"));
    plan_write_json(&w->c->writer, p, NULL);
    return EXIT_OK;
}

static enum exit_code show(struct session *s, enum secrecy secrecy) {
    struct cli *c = s->cli;
    struct buf out = BUF(&c->arena);
    struct view_writer w = {.c = c, .out = &out, .secrecy = secrecy};
    struct addr_parts parts = {0};
    if (c->arguments.len > 0) {
        /* An argument that is no address is a file (CLI-012). */
        bool is_address = addr_parse(&c->arena, c->arguments.items[0], &parts);
        if (!is_address && settings_is_given(c, "at"))
            return output_usage_error(c, "--at shows an instance or an element of it: '%.*s' is no address",
                                      SV_ARG(render_escape(&c->arena, sv_slice(c->arguments.items[0], 0, 80))));
        if (!is_address)
            return show_plan_file(s, &w, c->arguments.items[0]);
        w.only = addr_make(&c->arena, parts.parent, parts.kind, parts.name).text;
        w.property = parts.property;
    }
    return show_instance(s, &w);
}

enum exit_code cmd_show_run(struct cli *c) {
    enum secrecy secrecy;
    struct session session = {0};
    if (!secrecy_choose(c, &secrecy))
        return EXIT_USAGE;
    enum exit_code code = session_open(c, &session, SESSION_READ) ? show(&session, secrecy) : session_get_error_code(c);
    session_close(&session);
    return code;
}
