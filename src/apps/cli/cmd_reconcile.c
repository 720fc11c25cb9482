#include "apps/cli/commands.h"
#include "apps/cli/consent.h"
#include "apps/cli/differences.h"

#include "engine/reconcile.h"

/* --- showing --- */

static void put_object(struct jsonw *j, const char *key, value v) {
    if (!value_is_set(v))
        return;
    jsonw_key(j, sv_from_cstr(key));
    value_write_json(j, v, REDACT);
}

static void write_result(struct cli *c, struct jsonw *j, const struct reconcile_result *r) {
    jsonw_begin_object(j);
    jsonw_put_text(j, "address", r->address.text);
    jsonw_put_text(j, "elementType", r->element_type);
    jsonw_put_text(j, "type", reconcile_type_get_name(r->type));
    if (r->operation.len > 0)
        jsonw_put_text(j, "operation", r->operation);
    jsonw_put_text(j, "recommendedAction", reconcile_action_get_name(r->action));
    jsonw_put_text(j, "oldStatus", status_get_text(r->old_status));
    jsonw_put_text(j, "newStatus", status_get_text(r->new_status));
    jsonw_put_bool(j, "missing", r->missing);
    jsonw_put_bool(j, "chosen", r->chosen);
    if (r->reason.len > 0)
        jsonw_put_text(j, "reason", mask_apply(&c->mask, &c->arena, r->reason));
    put_object(j, "storedState", r->stored);
    put_object(j, "externalState", r->external);
    jsonw_key(j, SV("differences"));
    differences_write_json(j, &c->arena, &r->diff, REDACT);
    jsonw_end_object(j);
}

static void write_event(struct cli *c, const struct reconciliation *r) {
    struct buf out = BUF(&c->arena);
    struct jsonw w = JSONW(&out, 0);
    jsonw_begin_object(&w);
    jsonw_put_text(&w, "type", SV("reconciliation"));
    jsonw_put_text(&w, "instanceId", r->instance.id);
    jsonw_put_text(&w, "instanceName", r->instance.name);
    jsonw_key(&w, SV("results"));
    jsonw_begin_array(&w);
    for (size_t i = 0; i < r->count; i++)
        write_result(c, &w, &r->items[i]);
    jsonw_end_array(&w);
    jsonw_end_object(&w);
    output_event_line(c, buf_get_sv(&out));
}

static const char *describe(const struct reconcile_result *r) {
    switch (r->type) {
    case RECONCILE_DRIFT:
        return r->missing ? "is gone" : "differs from its stored state";
    case RECONCILE_INTERRUPTED:
        return r->action == RECONCILE_CLEAN_UP ? "was cut off, and nobody can tell what became of it" : "was cut off";
    case RECONCILE_STATE_REFRESH:
        return "has changed in what does not count as drift";
    }
    return "";
}

static void render_result(struct cli *c, struct buf *out, const struct reconcile_result *r) {
    struct difference_writer w = {.out = out, .color = c->color_out, .secrecy = REDACT};
    buf_printf(out, "  %s%.*s%s (%.*s) %s\n      %.*s", output_start_color(w.color, "yellow"),
               SV_ARG(render_escape(&c->arena, r->address.text)), output_end_color(w.color), SV_ARG(r->element_type),
               describe(r), SV_ARG(reconcile_action_get_name(r->action)));
    if (r->old_status != r->new_status && r->action != RECONCILE_CLEAN_UP) {
        buf_append_cstr(out, ": ");
        status_render(out, r->old_status);
        buf_append_cstr(out, " → ");
        status_render(out, r->new_status);
    }
    buf_append_char(out, '\n');
    if (r->reason.len > 0)
        buf_printf(out, "      %.*s\n", SV_ARG(render_escape(&c->arena, mask_apply(&c->mask, &c->arena, r->reason))));
    differences_render(&w, &r->diff);
}

static void show(struct cli *c, const struct reconciliation *r) {
    struct buf out = BUF(&c->arena);
    for (size_t i = 0; i < r->count; i++)
        render_result(c, &out, &r->items[i]);
    if (r->count == 0)
        buf_printf(&out, "Instance %.*s: there is nothing to reconcile.\n",
                   SV_ARG(render_escape(&c->arena, r->instance.name)));
    output_text(c, buf_get_sv(&out));
    if (output_wants_events(c))
        write_event(c, r);
}

/* --- choosing and applying --- */

/* One of --accept-external and --update-status leaves the other's results as they are. */
static size_t choose(struct cli *c, struct reconciliation *r) {
    bool accepts = settings_get_flag(c, "accept-external"), updates = settings_get_flag(c, "update-status");
    size_t chosen = 0;
    for (size_t i = 0; i < r->count; i++) {
        enum reconcile_action action = r->items[i].action;
        if (accepts != updates)
            r->items[i].chosen =
                r->items[i].chosen && action == (accepts ? RECONCILE_ACCEPT_EXTERNAL : RECONCILE_UPDATE_STATUS);
        chosen += r->items[i].chosen;
    }
    return chosen;
}

static enum exit_code apply(struct session *s, const struct reconciliation *r, size_t chosen) {
    struct cli *c = s->cli;
    if (chosen > 0 && consent_ask(c, "\nChange the state so?") != CONSENT_GIVEN) {
        output_note(c, "nothing was done");
        return cli_get_signal_code(c, EXIT_USAGE);
    }
    enum exit_code code = run_reconcile_apply(&s->config, r);
    if (code != EXIT_OK)
        return session_refine_code(c, code);
    size_t left = r->count - chosen;
    jsonw_put_text(&c->writer, "outcome", left > 0 ? SV("partly_reconciled") : SV("reconciled"));
    output_text(c, arena_printf(&c->arena, "\nInstance %.*s: %zu of %zu reconciled.\n",
                                SV_ARG(render_escape(&c->arena, r->instance.name)), chosen, r->count));
    return left > 0 ? EXIT_PART_WAY : EXIT_OK;
}

/* --- the command --- */

static bool parse_addresses(struct cli *c, struct reconcile_request *q) {
    sv *items = ARENA_ARRAY(&c->arena, sv, c->arguments.len + 1);
    for (size_t i = 0; i < c->arguments.len; i++) {
        struct addr_parts parts = {0};
        if (!addr_parse(&c->arena, c->arguments.items[i], &parts) || parts.property.len > 0) {
            output_usage_error(c, "'%.*s' is no address of an element",
                               SV_ARG(render_escape(&c->arena, sv_slice(c->arguments.items[i], 0, 80))));
            return false;
        }
        items[q->address_count++] = addr_make(&c->arena, parts.parent, parts.kind, parts.name).text;
    }
    q->addresses = items;
    return true;
}

static enum exit_code reconcile(struct session *s, const struct reconcile_request *q) {
    struct cli *c = s->cli;
    if (!session_choose_instance(s, SV("blueprint.yaml")))
        return EXIT_USAGE;
    if (!session_await_others(s))
        return cli_get_signal_code(c, session_get_error_code(c));
    const struct setting *parallel = settings_find(c, SV("parallel"));
    if (parallel != NULL && parallel->origin != ORIGIN_DEFAULT)
        s->config.readers = s->config.parallel;
    struct reconciliation r;
    enum exit_code code = run_reconcile_look(&s->config, q, &r);
    if (code != EXIT_OK)
        return cli_get_signal_code(c, session_refine_code(c, code));
    size_t chosen = choose(c, &r);
    show(c, &r);
    if (settings_get_flag(c, "apply"))
        return apply(s, &r, chosen);
    return r.count > 0 ? EXIT_DRIFT : EXIT_OK;
}

enum exit_code cmd_reconcile_run(struct cli *c) {
    struct session session = {0};
    bool applies = settings_get_flag(c, "apply");
    bool chooses = settings_get_flag(c, "accept-external") || settings_get_flag(c, "update-status");
    struct reconcile_request q = {
        .interrupted_only = sv_eq_cstr(settings_get_text(c, "scope"), "interrupted"),
        .no_children = settings_get_flag(c, "no-children"),
        .is_cleaned_up = settings_get_flag(c, "cleaned-up"),
    };
    if (!applies && chooses)
        return output_usage_error(c, "'--accept-external' and '--update-status' say what --apply does: give it, too");
    if (!parse_addresses(c, &q) || (applies && !consent_is_possible(c)))
        return EXIT_USAGE;
    enum exit_code code =
        session_open(c, &session, SESSION_WRITE) ? reconcile(&session, &q) : session_get_error_code(c);
    session_close(&session);
    return code;
}
