/* Taking existing objects into the state. */
#include "apps/cli/commands.h"
#include "apps/cli/consent.h"
#include "apps/cli/import_wishes.h"
#include "apps/cli/plan_view.h"

#include "engine/import.h"

/* --- showing --- */

static void write_item(struct jsonw *w, const struct import_item *item) {
    const struct resource_record *r = item->record;
    jsonw_begin_object(w);
    jsonw_put_text(w, "address", item->address);
    jsonw_put_text(w, "elementType", r->type);
    jsonw_put_text(w, "physicalId", r->physical_id);
    jsonw_key(w, SV("specData"));
    value_write_json(w, r->spec, REDACT);
    jsonw_key(w, SV("computedFields"));
    value_write_json(w, r->computed, REDACT);
    jsonw_end_object(w);
}

static void write_import(struct session *s, const struct import *i) {
    struct jsonw *w = &s->cli->writer;
    jsonw_put_bool(w, "dryRun", settings_get_flag(s->cli, "dry-run"));
    jsonw_put_text(w, "instanceName", i->after->instance_name);
    jsonw_put_bool(w, "isNewInstance", !i->stored->found);
    jsonw_key(w, SV("objects"));
    jsonw_begin_array(w);
    for (size_t k = 0; k < i->items.len; k++)
        write_item(w, &i->items.items[k]);
    jsonw_end_array(w);
    jsonw_key(w, SV("plan"));
    plan_write_json(w, i->after, NULL);
}

static void show(struct session *s, const struct import *i) {
    struct cli *c = s->cli;
    struct buf out = BUF(&c->arena);
    struct plan_view view = {.color = c->color_out, .is_summary = true, .secrecy = REDACT};
    buf_printf(&out, "Into the state of %sinstance %.*s:\n", i->stored->found ? "" : "the new ",
               SV_ARG(render_escape(&c->arena, i->after->instance_name)));
    for (size_t k = 0; k < i->items.len; k++) {
        const struct resource_record *r = i->items.items[k].record;
        buf_printf(&out, "  %.*s (%.*s) %.*s\n", SV_ARG(render_escape(&c->arena, r->address.text)), SV_ARG(r->type),
                   SV_ARG(render_escape(&c->arena, r->physical_id)));
    }
    buf_append_cstr(&out, "\nWhat the next deployment would do then:\n");
    plan_render_view(&out, i->after, &view);
    output_text(c, buf_get_sv(&out));
    write_import(s, i);
}

/* --- carrying out --- */

static bool is_as_looked_at(struct session *s, const struct import *i, const struct edit *e, enum exit_code *code) {
    int64_t before = i->stored->found ? i->stored->instance.version : 0;
    int64_t now = e->is_fresh ? 0 : e->stored.instance.version;
    if (before == now)
        return true;
    struct diag *d = diags_add(&s->cli->diags, DIAG_stale_change_set, SPAN_NONE,
                               "the instance was changed in between: nothing was taken");
    diag_set_hint(&s->cli->diags, d, "try again");
    *code = EXIT_STALE;
    return false;
}

static enum exit_code carry_out(struct session *s, const struct import *i) {
    struct edit e;
    enum exit_code code = EXIT_FAILED;
    struct store_instance fresh = {.dialect = i->request.t->dialect, .status = SV("not_deployed")};
    struct edit_request request = {.kind = SV("import"), .fresh = &fresh};
    bool ok = edit_begin(&e, &s->config, &request, &code) && is_as_looked_at(s, i, &e, &code);
    if (ok) {
        code = EXIT_INVALID;
        ok = import_take(i, &e) && edit_commit(&e, &code);
    }
    if (ok)
        edit_claim(&e);
    edit_end(&e);
    return ok ? EXIT_OK : session_refine_code(s->cli, code);
}

static enum exit_code finish(struct session *s, const struct import *i) {
    struct cli *c = s->cli;
    if (settings_get_flag(c, "dry-run")) {
        output_text(c, SV("dry run: nothing was written\n"));
        return EXIT_OK;
    }
    if (consent_ask(c, "\nTake them into the state?") != CONSENT_GIVEN) {
        output_note(c, "nothing was done");
        return cli_get_signal_code(c, EXIT_USAGE);
    }
    enum exit_code code = carry_out(s, i);
    if (code == EXIT_OK)
        output_text(c, arena_printf(&c->arena, "\n%zu object%s taken into the state.\n", i->items.len,
                                    i->items.len == 1 ? "" : "s"));
    return code;
}

static enum exit_code import(struct session *s, const struct loaded *l, const struct import_wishes *wishes) {
    struct cli *c = s->cli;
    struct stored stored;
    struct import i;
    enum exit_code code = EXIT_FAILED;
    if (!session_choose_instance(s, l->file))
        return EXIT_USAGE;
    if (!session_await_others(s))
        return cli_get_signal_code(c, session_get_error_code(c));
    struct import_request request = {
        .t = l->template,
        .inputs = l->inputs,
        .input_count = l->input_count,
        .wishes = wishes->items.items,
        .count = wishes->items.len,
        .force = settings_get_flag(c, "force"),
    };
    if (!stored_load(&s->config, &stored, &code) || !import_look(&i, &s->config, &request, &stored, &code))
        return cli_get_signal_code(c, session_refine_code(c, code));
    show(s, &i);
    return finish(s, &i);
}

/* --- the command --- */

/* ADDRESS and ID, or --from; then FILE. */
static bool take_wishes(struct cli *c, struct import_wishes *wishes, size_t *used) {
    sv from = settings_get_text(c, "from");
    *used = from.len > 0 ? 0 : 2;
    if (c->arguments.len < *used || c->arguments.len > *used + 1) {
        output_usage_error(c, from.len > 0 ? "'import --from FILE' takes no more than the blueprint"
                                           : "'import' takes ADDRESS and ID, or --from FILE; then the blueprint");
        return false;
    }
    if (from.len > 0)
        return import_wishes_read(c, from, wishes);
    struct import_wish wish = {.address = c->arguments.items[0], .id = c->arguments.items[1]};
    VEC_PUSH(&c->arena, &wishes->items, wish);
    return true;
}

/* The blueprint stands behind the other arguments. */
static bool choose_file(struct cli *c, size_t used, sv *file) {
    size_t count = c->arguments.len;
    if (count > used) {
        *file = c->arguments.items[used];
        return true;
    }
    c->arguments.len = 0;
    bool ok = template_choose_file(c, file);
    c->arguments.len = count;
    return ok;
}

enum exit_code cmd_import_run(struct cli *c) {
    struct loaded loaded = {0};
    struct session session = {0};
    struct import_wishes wishes = {0};
    size_t used;
    bool writes = !settings_get_flag(c, "dry-run");
    if (!take_wishes(c, &wishes, &used))
        return session_get_error_code(c) == EXIT_USAGE ? EXIT_USAGE : EXIT_INVALID;
    if (!choose_file(c, used, &loaded.file))
        return EXIT_USAGE;
    if (!template_load(c, loaded.file, &loaded))
        return cli_get_signal_code(c, output_get_input_code(c));
    if (writes && !consent_is_possible(c))
        return EXIT_USAGE;
    enum exit_code code = session_open(c, &session, writes ? SESSION_WRITE : SESSION_READ)
                              ? import(&session, &loaded, &wishes)
                              : session_get_error_code(c);
    session_close(&session);
    return code;
}
