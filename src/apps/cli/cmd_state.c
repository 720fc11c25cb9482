/* Looking at what is stored, and editing it. */
#include "apps/cli/commands.h"
#include "apps/cli/rekey.h"
#include "apps/cli/state_script.h"
#include "apps/cli/state_transfer.h"

#include "engine/edit.h"
#include "engine/fields.h"
#include "engine/links.h"

/* --- list --- */

static void list_one(struct cli *c, struct buf *out, const struct store_element *row) {
    struct jsonw *w = &c->writer;
    jsonw_begin_object(w);
    jsonw_put_text(w, "address", row->address);
    jsonw_put_text(w, "type", row->type);
    jsonw_put_text(w, "status", row->status);
    jsonw_put_text(w, "physicalId", row->physical_id);
    jsonw_end_object(w);
    buf_printf(out, "%.*s (%.*s) ", SV_ARG(render_escape(&c->arena, row->address)),
               SV_ARG(render_escape(&c->arena, row->type)));
    status_render(out, status_find(row->status));
    if (row->physical_id.len > 0)
        buf_printf(out, " %.*s", SV_ARG(render_escape(&c->arena, row->physical_id)));
    buf_append_char(out, '\n');
}

static enum exit_code list(struct session *s) {
    struct cli *c = s->cli;
    struct edit e;
    enum exit_code code = EXIT_OK;
    struct edit_request request = {.kind = SV("state list"), .dry_run = true};
    if (!edit_begin(&e, &s->config, &request, &code))
        return session_refine_code(c, code);
    struct buf out = BUF(&c->arena);
    jsonw_key(&c->writer, SV("elements"));
    jsonw_begin_array(&c->writer);
    for (size_t i = 0; i < e.items.len; i++)
        list_one(c, &out, e.items.items[i]->origin);
    jsonw_end_array(&c->writer);
    output_text(c, buf_get_sv(&out));
    return EXIT_OK;
}

/* --- show --- */

static value record_of_resource(struct arena *a, const struct resource_record *r) {
    struct map_builder b = {.arena = a};
    field_put_text(&b, "address", r->address.text);
    field_put_text(&b, "type", r->type);
    field_put_text(&b, "status", status_get_text(r->status));
    field_put_text(&b, "preciseStatus", status_get_text(r->precise_status));
    field_put_text(&b, "physicalId", r->physical_id);
    field_put_value(&b, "specData", r->spec);
    field_put_value(&b, "computedFields", r->computed);
    field_put_value(&b, "metadata", r->metadata);
    field_put_text(&b, "description", r->description);
    field_put_text(&b, "templateName", r->template_name);
    field_put_text(&b, "removalPolicy", r->removal_policy);
    field_put_texts(&b, "dependsOnResources", r->depends_on, r->depends_on_count);
    field_put_texts(&b, "failureReasons", r->failure_reasons, r->failure_reason_count);
    field_put_int(&b, "deposed", (int64_t)r->deposed_count);
    field_put_int(&b, "generation", r->generation);
    field_put_int(&b, "createdMs", r->created_ms);
    field_put_int(&b, "updatedMs", r->updated_ms);
    field_put_text(&b, "madeBy", r->made_by);
    return map_done(&b);
}

static value record_of_link(struct arena *a, const struct link_record *l) {
    struct map_builder b = {.arena = a};
    field_put_text(&b, "address", l->address.text);
    field_put_text(&b, "a", l->a);
    field_put_text(&b, "b", l->b);
    field_put_text(&b, "status", status_get_text(l->status));
    field_put_text(&b, "preciseStatus", status_get_text(l->precise_status));
    field_put_value(&b, "data", links_get_data(a, l));
    field_put_value(&b, "resourceDataMappings", links_get_all_mappings(a, l));
    field_put_value(&b, "intermediaries", l->intermediaries);
    field_put_texts(&b, "failureReasons", l->failure_reasons, l->failure_reason_count);
    field_put_int(&b, "generation", l->generation);
    field_put_int(&b, "createdMs", l->created_ms);
    field_put_int(&b, "updatedMs", l->updated_ms);
    return map_done(&b);
}

static enum exit_code show(struct session *s) {
    struct cli *c = s->cli;
    struct edit e;
    enum exit_code code = EXIT_OK;
    struct edit_request request = {.kind = SV("state show"), .dry_run = true};
    if (!edit_begin(&e, &s->config, &request, &code))
        return session_refine_code(c, code);
    const struct edit_item *item = edit_get(&e, c->arguments.items[1]);
    if (item == NULL)
        return EXIT_INVALID;
    value record =
        item->resource != NULL ? record_of_resource(&c->arena, item->resource) : record_of_link(&c->arena, item->link);
    jsonw_key(&c->writer, SV("element"));
    value_write_json(&c->writer, record, REDACT);
    output_text(c, value_print_json(&c->arena, record, 2, REDACT));
    output_text(c, SV("\n"));
    return EXIT_OK;
}

/* --- edits --- */

/* What is read before the instance is held. */
struct state_input {
    struct script script;
    struct transfer *file;
};

static bool do_remove(struct cli *c, struct edit *e, const struct state_input *in) {
    (void)in;
    bool ok = true;
    for (size_t i = 1; ok && i < c->arguments.len; i++)
        ok = edit_remove(e, c->arguments.items[i]);
    return ok;
}

static bool do_move(struct cli *c, struct edit *e, const struct state_input *in) {
    (void)in;
    return edit_move(e, c->arguments.items[1], c->arguments.items[2]);
}

static bool do_apply(struct cli *c, struct edit *e, const struct state_input *in) {
    (void)c;
    return script_run(&in->script, e);
}

static bool do_rescue(struct cli *c, struct edit *e, const struct state_input *in) {
    (void)in;
    const struct source *source = inputs_read_source(c, c->arguments.items[1]);
    return source != NULL && edit_rescue(e, source->bytes);
}

static bool do_undo(struct cli *c, struct edit *e, const struct state_input *in) {
    (void)in;
    (void)c;
    return edit_undo(e);
}

static void show_changes(struct cli *c, const struct edit *e) {
    struct buf out = BUF(&c->arena);
    struct jsonw *w = &c->writer;
    jsonw_put_bool(w, "dryRun", e->request.dry_run);
    jsonw_key(w, SV("changes"));
    jsonw_begin_array(w);
    for (size_t i = 0; i < e->changes.len; i++) {
        const struct edit_change *change = &e->changes.items[i];
        jsonw_begin_object(w);
        jsonw_put_text(w, "change", sv_from_cstr(edit_verb_get_text(change->verb)));
        jsonw_put_text(w, "address", change->address);
        jsonw_put_text(w, "to", change->to);
        jsonw_end_object(w);
        buf_printf(&out, "%s %.*s%s%.*s\n", edit_verb_get_text(change->verb),
                   SV_ARG(render_escape(&c->arena, change->address)), change->to.len > 0 ? " → " : "",
                   SV_ARG(render_escape(&c->arena, change->to)));
    }
    jsonw_end_array(w);
    if (e->changes.len == 0)
        buf_append_cstr(&out, "nothing to change\n");
    else if (e->request.dry_run)
        buf_append_cstr(&out, "dry run: nothing was written\n");
    output_text(c, buf_get_sv(&out));
}

typedef bool (*state_change)(struct cli *c, struct edit *e, const struct state_input *in);

static enum exit_code edit_state(struct session *s, const char *kind, state_change change,
                                 const struct state_input *in) {
    struct cli *c = s->cli;
    struct edit e;
    enum exit_code code = EXIT_INVALID;
    struct edit_request request = {.kind = sv_from_cstr(kind), .dry_run = settings_get_flag(c, "dry-run")};
    bool ok = edit_begin(&e, &s->config, &request, &code);
    if (ok) {
        code = EXIT_INVALID;
        ok = change(c, &e, in) && edit_commit(&e, &code);
    }
    if (ok) {
        edit_claim(&e);
        show_changes(c, &e);
    }
    edit_end(&e);
    return ok ? EXIT_OK : session_refine_code(c, code);
}

/* --- what `state` can do --- */

struct action {
    const char *name, *kind, *needs; /* in the usage error */
    size_t least, most;              /* arguments behind the name */
    enum exit_code (*look)(struct session *s);
    state_change change;
};

/* sorted */
static const struct action actions[] = {
    {"apply", "state apply", "SCRIPT, and the blueprint if it imports something", 1, 2, NULL, do_apply},
    {"export", "state export", "no further argument", 0, 0, state_export, NULL},
    {"import", "state import", "FILE", 1, 1, NULL, NULL},
    {"list", "state list", "no further argument", 0, 0, list, NULL},
    {"mv", "state mv", "FROM and TO", 2, 2, NULL, do_move},
    {"rekey", "state rekey", "no further argument", 0, 0, NULL, NULL},
    {"rescue", "state rescue", "FILE", 1, 1, NULL, do_rescue},
    {"rm", "state rm", "addresses", 1, SIZE_MAX, NULL, do_remove},
    {"show", "state show", "ADDRESS", 1, 1, show, NULL},
    {"undo", "state undo", "no further argument", 0, 0, NULL, do_undo},
};

/* Those that name their instances otherwise. */
static bool chooses_itself(const struct action *action) {
    return action->look == state_export || (action->look == NULL && action->change == NULL);
}

static enum exit_code run_in_session(struct session *s, const struct action *action, const struct state_input *in) {
    struct cli *c = s->cli;
    bool waits = action->look == NULL && !settings_get_flag(c, "dry-run");
    if (!chooses_itself(action)) {
        if (!session_choose_instance(s, SV("blueprint.yaml")))
            return EXIT_USAGE;
        if (waits && !session_await_others(s))
            return cli_get_signal_code(c, session_get_error_code(c));
    }
    if (action->look != NULL)
        return action->look(s);
    return in->file != NULL ? state_import(s, in->file) : edit_state(s, action->kind, action->change, in);
}

static enum exit_code run_action(struct cli *c, const struct action *action) {
    struct session session = {0};
    struct state_input in = {0};
    bool reads = action->look != NULL || settings_get_flag(c, "dry-run");
    sv path = c->arguments.len > 1 ? c->arguments.items[1] : (sv){0};
    if (action->change == do_apply && !script_read(c, path, &in.script))
        return cli_get_signal_code(c, output_get_input_code(c));
    if (action->look == NULL && action->change == NULL) {
        in.file = state_import_read(c, path);
        enum exit_code failed = EXIT_INVALID;
        if (in.file == NULL || (!reads && !state_import_check(c, in.file, &failed)))
            return session_refine_code(c, failed);
    }
    enum exit_code code = session_open(c, &session, reads ? SESSION_READ : SESSION_WRITE)
                              ? run_in_session(&session, action, &in)
                              : session_get_error_code(c);
    session_close(&session);
    return code;
}

static bool is_rekey(const struct action *action) {
    return sv_eq_cstr(sv_from_cstr(action->name), "rekey");
}

/* Keys are of a name space, the other actions of an instance. */
static enum exit_code run_named(struct cli *c, const struct action *action) {
    return is_rekey(action) ? rekey_command(c) : run_action(c, action);
}

static bool check_rekey_options(struct cli *c, const struct action *action) {
    static const char *const names[] = {"new-key", "rotate", "key-is-lost"};
    for (size_t i = 0; !is_rekey(action) && i < sizeof names / sizeof *names; i++) {
        if (settings_is_given(c, names[i])) {
            output_usage_error(c, "'--%s' belongs to 'state rekey'", names[i]);
            return false;
        }
    }
    return true;
}

enum exit_code cmd_state_run(struct cli *c) {
    sv wanted = c->arguments.items[0];
    struct hint hint = HINT(sv_slice(wanted, 0, 80));
    size_t rest = c->arguments.len - 1;
    for (size_t i = 0; i < sizeof actions / sizeof *actions; i++) {
        const struct action *action = &actions[i];
        hint_offer(&hint, sv_from_cstr(action->name));
        if (!sv_eq_cstr(wanted, action->name))
            continue;
        if (rest < action->least || rest > action->most)
            return output_usage_error(c, "'state %s' takes %s", action->name, action->needs);
        return check_rekey_options(c, action) ? run_named(c, action) : EXIT_USAGE;
    }
    output_usage_error(c, "'state' cannot '%.*s'", SV_ARG(render_escape(&c->arena, sv_slice(wanted, 0, 80))));
    output_add_hint(c, &hint, "lintel state ");
    return EXIT_USAGE;
}
