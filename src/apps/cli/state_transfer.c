#include "apps/cli/state_transfer.h"

#include "apps/cli/consent.h"
#include "apps/cli/key_spec.h"
#include "engine/transfer.h"

/* --- export --- */

static bool export_all(struct session *s, struct jsonw *w, enum exit_code *code) {
    struct cli *c = s->cli;
    struct store_instance *items = NULL;
    size_t count = 0;
    *code = EXIT_FAILED;
    if (s->store->ops->list_instances(s->store, &c->arena, s->config.context, &items, &count) != STORE_OK)
        return false;
    bool ok = true;
    for (size_t i = 0; ok && i < count; i++) {
        struct run_config one = s->config;
        one.instance_id = items[i].id;
        one.instance_name = (sv){0};
        ok = transfer_write(&one, w, code);
    }
    return ok;
}

enum exit_code state_export(struct session *s) {
    struct cli *c = s->cli;
    struct buf out = BUF(&c->arena);
    struct jsonw w = JSONW(&out, c->json ? 0 : 1);
    enum exit_code code = EXIT_USAGE;
    bool all = settings_get_flag(c, "all");
    if (all && (settings_is_given(c, "instance") || settings_is_given(c, "instance-id")))
        return output_usage_error(c, "give either --all or --instance");
    jsonw_begin_array(&w);
    bool ok = all ? export_all(s, &w, &code)
                  : session_choose_instance(s, SV("blueprint.yaml")) && transfer_write(&s->config, &w, &code);
    jsonw_end_array(&w);
    if (!ok)
        return session_refine_code(c, code);
    if (c->json) {
        jsonw_key(&c->writer, SV("instances"));
        jsonw_raw(&c->writer, buf_get_sv(&out));
    }
    buf_append_char(&out, '\n');
    output_text(c, buf_get_sv(&out));
    return EXIT_OK;
}

/* --- import: reading --- */

struct transfer *state_import_read(struct cli *c, sv path) {
    struct transfer *file = ARENA_NEW(&c->arena, struct transfer);
    struct source *source = inputs_read_source(c, path);
    return source && transfer_read(&c->arena, source, &c->limits, &c->diags, file) ? file : NULL;
}

/* Where instances go is said by the file, unless it is said on the command line. */
static bool check_context(struct session *s, const struct transfer_instance *i) {
    struct cli *c = s->cli;
    const struct setting *context = settings_find(c, SV("context"));
    if (sv_eq(i->row.context, s->config.context) || (context && context->origin == ORIGIN_OPTION))
        return true;
    struct diag *d =
        diags_add(&c->diags, DIAG_state_edit_refused, i->at, "instance '%.*s' comes from the name space '%.*s'",
                  SV_ARG(i->row.name), SV_ARG(i->row.context));
    diag_set_hint(&c->diags, d, "give --context %.*s, or the name of another one to put it there",
                  SV_ARG(i->row.context));
    return false;
}

/* --- showing --- */

static void write_plan(struct jsonw *w, const struct transfer_plan *p) {
    jsonw_begin_object(w);
    jsonw_put_text(w, "id", p->from->row.id);
    jsonw_put_text(w, "name", p->from->row.name);
    jsonw_put_bool(w, "isNew", p->is_new);
    jsonw_put_bool(w, "isSame", p->is_same);
    jsonw_key(w, SV("changes"));
    jsonw_begin_array(w);
    for (size_t i = 0; i < p->e.changes.len; i++) {
        const struct edit_change *change = &p->e.changes.items[i];
        jsonw_begin_object(w);
        jsonw_put_text(w, "change", sv_from_cstr(edit_verb_get_text(change->verb)));
        jsonw_put_text(w, "address", change->address);
        jsonw_put_text(w, "to", SV(""));
        jsonw_end_object(w);
    }
    jsonw_end_array(w);
    jsonw_end_object(w);
}

static bool was_there(const struct transfer_plan *p, sv address) {
    for (size_t i = 0; i < p->e.stored.tree.elements.len; i++) {
        if (sv_eq(p->e.stored.tree.elements.items[i].address, address))
            return true;
    }
    return false;
}

static void render_plan(struct cli *c, struct buf *out, const struct transfer_plan *p) {
    enum { SHOWN_MAX = 200 };
    sv name = render_escape(&c->arena, p->from->row.name);
    if (p->is_new || p->is_same) {
        size_t count = p->from->elements.len;
        buf_printf(out, "Instance %.*s %s: %zu element%s\n", SV_ARG(name), p->is_new ? "is new" : "is as in the file",
                   count, count == 1 ? "" : "s");
        return;
    }
    buf_printf(out, "Instance %.*s is overwritten:\n", SV_ARG(name));
    for (size_t i = 0; i < p->e.changes.len && i < SHOWN_MAX; i++) {
        const struct edit_change *change = &p->e.changes.items[i];
        bool is_gone = change->verb == EDIT_REMOVED;
        const char *symbol = is_gone ? "-" : was_there(p, change->address) ? "~" : "+";
        buf_printf(out, "  %s %.*s\n", symbol, SV_ARG(render_escape(&c->arena, change->address)));
    }
    if (p->e.changes.len > SHOWN_MAX)
        buf_printf(out, "  and %zu more\n", p->e.changes.len - SHOWN_MAX);
    if (p->e.has_new_body)
        buf_append_cstr(out, "  ~ exports, metadata or status of the instance\n");
}

static void show(struct cli *c, const struct transfer_plan *plans, size_t count) {
    struct buf out = BUF(&c->arena);
    size_t digests = 0;
    jsonw_put_bool(&c->writer, "dryRun", settings_get_flag(c, "dry-run"));
    jsonw_key(&c->writer, SV("imports"));
    jsonw_begin_array(&c->writer);
    for (size_t i = 0; i < count; i++) {
        write_plan(&c->writer, &plans[i]);
        render_plan(c, &out, &plans[i]);
        digests += plans[i].digests_only;
    }
    jsonw_end_array(&c->writer);
    output_text(c, buf_get_sv(&out));
    if (digests > 0)
        output_note(c,
                    "%zu secrets are in the file as digests of another store only: the next plan shows them as "
                    "changed",
                    digests);
}

/* --- carrying out --- */

static enum exit_code carry_out(struct session *s, struct transfer_plan *plans, size_t count) {
    struct cli *c = s->cli;
    enum exit_code code = EXIT_OK;
    size_t done = 0;
    for (size_t i = 0; i < count; i++) {
        if (!plans[i].is_same && !transfer_carry_out(&s->config, &plans[i], &code)) {
            output_note(c, "%zu of %zu instances were imported; importing the file again goes on from here", done,
                        count);
            return session_refine_code(c, code);
        }
        done++;
    }
    output_text(c, arena_printf(&c->arena, "%zu instance%s imported.\n", done, done == 1 ? "" : "s"));
    return EXIT_OK;
}

/* What is overwritten has to be consented to. */
static bool has_consent(struct cli *c, const struct transfer_plan *plans, size_t count) {
    bool overwrites = false;
    for (size_t i = 0; i < count; i++)
        overwrites = overwrites || !(plans[i].is_new || plans[i].is_same);
    if (!overwrites)
        return true;
    if (!consent_is_possible(c))
        return false;
    if (consent_ask(c, "\nOverwrite what is stored?") == CONSENT_GIVEN)
        return true;
    output_note(c, "nothing was done");
    return false;
}

static bool check_contexts(struct session *s, const struct transfer *file) {
    bool ok = true;
    for (size_t i = 0; ok && i < file->items.len; i++)
        ok = check_context(s, &file->items.items[i]);
    return ok;
}

/* The key that was given opens the data key that came along; without one it is that of the store. */
static struct sealer *open_sealer(struct session *s, const struct transfer_instance *from,
                                  const struct transfer_plan *before) {
    if (from->data_key.len == 0 || s->key.no_seal)
        return s->sealer;
    if (before && sv_eq(before->from->data_key, from->data_key))
        return before->opener;
    struct sealer_options options = s->key;
    options.wrapped = from->data_key;
    options.context = from->row.context; /* which it is bound to */
    options.create = false;
    return sealer_open(&options);
}

static void close_sealers(struct session *s, const struct transfer_plan *plans, size_t count) {
    for (size_t i = 0; i < count; i++) {
        bool is_shared = i > 0 && plans[i].opener == plans[i - 1].opener;
        if (plans[i].opener && plans[i].opener != s->sealer && !is_shared)
            sealer_close(plans[i].opener);
    }
}

static bool compare_all(struct session *s, const struct transfer *file, struct transfer_plan *plans,
                        enum exit_code *code) {
    bool ok = check_contexts(s, file);
    *code = EXIT_INVALID;
    for (size_t i = 0; ok && i < file->items.len; i++) {
        plans[i].from = &file->items.items[i];
        plans[i].opener = open_sealer(s, plans[i].from, i > 0 ? &plans[i - 1] : NULL);
        ok = plans[i].opener && transfer_compare(&s->config, &plans[i], code);
    }
    return ok;
}

static enum exit_code show_and_import(struct session *s, struct transfer_plan *plans, size_t count) {
    struct cli *c = s->cli;
    show(c, plans, count);
    if (settings_get_flag(c, "dry-run")) {
        output_text(c, SV("dry run: nothing was written\n"));
        return EXIT_OK;
    }
    if (!has_consent(c, plans, count))
        return cli_get_signal_code(c, EXIT_USAGE);
    return carry_out(s, plans, count);
}

enum exit_code state_import(struct session *s, const struct transfer *file) {
    size_t count = file->items.len;
    struct transfer_plan *plans = ARENA_ARRAY(&s->cli->arena, struct transfer_plan, count + 1);
    enum exit_code code;
    bool ok = compare_all(s, file, plans, &code);
    code = ok ? show_and_import(s, plans, count) : session_refine_code(s->cli, code);
    close_sealers(s, plans, count);
    return code;
}

/* A key that is not there yet would be made, and open nothing. */
static bool check_key(struct session *s, const struct transfer *file) {
    struct cli *c = s->cli;
    bool needs_key = false;
    for (size_t i = 0; i < file->items.len; i++)
        needs_key = needs_key || file->items.items[i].data_key.len > 0;
    bool may_lack = settings_get_flag(c, "no-seal") || key_spec_is_passphrase(settings_get_text(c, "key"));
    if (!s->key.no_seal || !needs_key || may_lack)
        return true;
    struct diag *d = diags_add(&c->diags, DIAG_key_not_usable, SPAN_NONE,
                               "the key is not there, and the instances in the file are sealed with one");
    diag_set_hint(&c->diags, d, "give the key of the state that they were exported from: --key file:PATH");
    return false;
}

bool state_import_check(struct cli *c, const struct transfer *file, enum exit_code *code) {
    struct session session = {0};
    size_t count = file->items.len;
    struct transfer_plan *plans = ARENA_ARRAY(&c->arena, struct transfer_plan, count + 1);
    bool ok = session_open(c, &session, SESSION_READ);
    *code = ok ? EXIT_INVALID : session_get_error_code(c);
    ok = ok && check_contexts(&session, file) && check_key(&session, file);
    if (ok && !session.key.no_seal) {
        ok = compare_all(&session, file, plans, code);
        *code = session_refine_code(c, *code);
        close_sealers(&session, plans, count);
    }
    session_close(&session);
    return ok;
}
