#include "apps/cli/inspect.h"

#include "dialects/blueprint/blueprint.h"
#include "doc/reader.h"
#include "engine/specs.h"

/* --- state --- */

/* Whether an instance is meant that exists; without one the state is empty, which is no mistake here. */
static bool find_instance(struct inspection *i) {
    struct cli *c = i->cli;
    struct session *s = &i->session;
    bool is_named = settings_is_given(c, "instance") || settings_is_given(c, "instance-id");
    if (!is_named && !session_is_default_file(i->loaded.file))
        return false;
    if (!session_choose_instance(s, i->loaded.file))
        return false;
    struct store_instance found = {0};
    return s->config.instance_id.len > 0 || s->store->ops->find_instance(s->store, &c->arena, s->config.context,
                                                                         s->config.instance_name, &found) == STORE_OK;
}

static bool load_state(struct inspection *i) {
    struct cli *c = i->cli;
    if (!session_open(c, &i->session, SESSION_READ))
        return false;
    if (!find_instance(i))
        return !diags_has_errors(&c->diags);
    if (!run_view_instance(&i->session.config, &i->state))
        return false;
    i->has_state = true;
    i->by_address = MAP(&c->arena);
    for (size_t k = 0; k < i->state.resource_count; k++)
        map_put(&i->by_address, i->state.resources[k].address.text, (void *)&i->state.resources[k]);
    return true;
}

static value demand_resource(void *user, struct evaluation *e, uint32_t element, bool state) {
    struct inspection *i = user;
    const struct element *el = &e->template->elements[element];
    const struct schema *schema = el->resource_type ? el->resource_type->schema : NULL;
    const struct resource_record *record = i->has_state ? map_find(&i->by_address, el->address.text) : NULL;
    if (state && record)
        return schema_merge(e->arena, record->spec, record->computed);
    if (state)
        return value_unknown(schema ? schema_get_type(e->arena, schema) : NULL);
    value spec = eval_cell(e->evaluator, &e->cells[element].main);
    if (spec.kind != VALUE_MAP)
        return spec;
    spec = spec_settle(e->arena, schema, spec, e->template->root_dir);
    spec = record ? schema_merge(e->arena, spec, record->computed) : spec;
    return schema ? schema_add_unknowns(e->arena, schema, spec) : spec;
}

/* --- template --- */

static bool start(struct inspection *i, const struct inspect_request *r) {
    struct cli *c = i->cli;
    struct host *host = (struct host *)c->host;
    record_init(&i->record, &c->arena, host->ops->get_wall_ms(host->user));
    i->record.is_look = true;
    for (size_t k = 0; k < i->state.result_count; k++)
        record_put(&i->record, i->state.results[k].key, RECORD_INSTANCE, i->state.results[k].item);
    struct evaluation_request world = {
        .host = host, .limits = &c->limits, .record = &i->record, .fetcher = c->fetcher, .observer = r->observer};
    struct expand_request expand = {.arena = &c->arena, .diags = &c->diags, .world = world, .tolerant = true};
    i->expanded = template_expand(i->loaded.template, &expand);
    if (!i->expanded)
        return false;
    i->evaluation = (struct evaluation){.template = i->expanded,
                                        .arena = &c->arena,
                                        .diags = r->diags ? r->diags : &c->diags,
                                        .demand_resource = demand_resource,
                                        .user = i};
    i->expanded->ops->start_evaluation(i->expanded, &i->evaluation, &world);
    return true;
}

/* An empty blueprint; that it holds nothing is no mistake here. */
static bool load_nothing(struct inspection *i) {
    struct cli *c = i->cli;
    struct diags ignored;
    diags_init(&ignored, &c->arena, &c->sources);
    struct load_request request = {
        .arena = &c->arena,
        .sources = &c->sources,
        .diags = &ignored,
        .limits = &c->limits,
        .host = (struct host *)c->host,
        .format = DOC_YAML,
        .source = sources_add(&c->sources, SV("<nothing>"), SV("version: 2025-11-02\n")),
    };
    i->loaded.template = blueprint_load(&request);
    return i->loaded.template != NULL;
}

bool inspect_open(struct cli *c, const struct inspect_request *r, struct inspection *i) {
    *i = (struct inspection){.cli = c, .loaded.file = r->file};
    if (r->file.data == NULL) /* an empty name is a name, and a wrong one */
        return load_nothing(i) && start(i, r);
    struct template_input *inputs = NULL;
    if (!inputs_collect(c, &inputs, &i->loaded.input_count))
        return false;
    i->loaded.inputs = inputs;
    return template_check(c, &i->loaded) && load_state(i) && start(i, r);
}

void inspect_close(struct inspection *i) {
    session_close(&i->session);
}

static bool report_unknown(struct inspection *i, sv address) {
    struct cli *c = i->cli;
    struct hint hint = HINT(address);
    for (size_t k = 0; k < i->expanded->element_count; k++)
        hint_offer(&hint, i->expanded->elements[k].address.text);
    diags_add(&c->diags, DIAG_usage_error, SPAN_NONE, "'%.*s' is no element of %.*s",
              SV_ARG(render_escape(&c->arena, sv_slice(address, 0, 80))),
              SV_ARG(render_escape(&c->arena, i->loaded.file)));
    if (hint.best.len > 0)
        output_add_hint(c, &hint, "");
    else
        diag_set_hint(&c->diags, *VEC_LAST(&c->diags.items), "lintel graph --format json lists all addresses");
    return false;
}

bool inspect_find(struct inspection *i, sv address, const struct element **element, struct path *property) {
    struct addr_parts parts;
    if (!addr_parse(&i->cli->arena, address, &parts))
        return report_unknown(i, address);
    *property = parts.property;
    *element = template_find(i->expanded, addr_make(&i->cli->arena, parts.parent, parts.kind, parts.name).text);
    return *element ? true : report_unknown(i, address);
}
