/* `state rekey`: another key for the secrets of a name space, or another data key (LC-052). */
#include "apps/cli/rekey.h"

#include "apps/cli/key_spec.h"
#include "apps/cli/session.h"
#include "engine/rekey.h"

#include <sys/stat.h>

struct command {
    struct cli *c;
    struct session session;
    bool dry_run, rotate, is_lost;
    sv spec; /* of the key from now on, as it would be given to --key */
    struct sealer_options next;
    struct sealer *to;
};

static bool check_options(struct cli *c) {
    if (settings_get_flag(c, "no-seal") && !settings_get_flag(c, "key-is-lost")) {
        output_usage_error(c, "'state rekey' needs the present key: it does not go with --no-seal");
        return false;
    }
    if (settings_get_flag(c, "rotate") && settings_get_flag(c, "key-is-lost")) {
        output_usage_error(c, "what a lost key has sealed cannot be sealed anew: '--rotate' does not go with it");
        return false;
    }
    return true;
}

static bool file_exists(struct cli *c, sv path) {
    struct stat st;
    return stat(arena_copy_cstr(&c->arena, path), &st) == 0;
}

/* A dry run makes no key file: the present key stands in for one that is not there yet. */
static bool choose_next(struct command *k) {
    struct cli *c = k->c;
    k->next = k->session.key;
    k->next.wrapped = (sv){0};
    k->next.create = !k->dry_run;
    k->next.no_seal = false;
    if (!settings_is_given(c, "new-key") && !k->is_lost)
        return true;
    struct sealer_options next = k->next;
    next.key_file = next.key_text = next.key_source = next.passphrase = (sv){0};
    if (!key_spec_resolve(c, k->spec, &next))
        return false;
    if (k->dry_run && next.key_source.len == 0 && !file_exists(c, next.key_file))
        return true;
    k->next = next;
    return !key_spec_is_passphrase(k->spec) || key_spec_ask(c, k->spec, KEY_NEXT, &k->next);
}

static bool check_present(struct command *k) {
    struct cli *c = k->c;
    if (k->is_lost || sealer_get_wrapped(k->session.sealer).len > 0)
        return true;
    struct diag *d =
        diags_add(&c->diags, DIAG_key_not_usable, SPAN_NONE, "context '%.*s' has no data key that the key given opens",
                  SV_ARG(settings_get_text(c, "context")));
    diag_set_hint(&c->diags, d, "one is made by the first command that writes, such as deploy");
    return false;
}

/* --- what is told --- */

static void show(struct command *k, const struct seal_wrapped *now, const struct rekey_report *report) {
    struct cli *c = k->c;
    struct jsonw *w = &c->writer;
    sv context = settings_get_text(c, "context");
    jsonw_put_bool(w, "dryRun", k->dry_run);
    jsonw_key(w, SV("rekey"));
    jsonw_begin_object(w);
    jsonw_put_text(w, "context", context);
    jsonw_put_text(w, "dataKey", now->id);
    jsonw_put_i64(w, "generation", now->generation);
    jsonw_put_text(w, "wrappedBy", now->is_passphrase ? SV("passphrase") : SV("key"));
    jsonw_put_bool(w, "rotated", k->rotate || k->is_lost);
    jsonw_put_i64(w, "instances", (int64_t)report->instances);
    jsonw_put_i64(w, "resealed", (int64_t)report->moved);
    jsonw_put_i64(w, "unopened", (int64_t)report->left);
    jsonw_end_object(w);
}

static void tell(struct command *k, const struct seal_wrapped *now, const struct rekey_report *report) {
    struct cli *c = k->c;
    struct buf out = BUF(&c->arena);
    const char *would = k->dry_run ? "would be" : "is now";
    buf_printf(&out, "the data key of context '%.*s' %s wrapped by %s\n", SV_ARG(settings_get_text(c, "context")),
               would, now->is_passphrase ? "the passphrase" : "the key");
    if (k->rotate)
        buf_printf(&out, "it %s another one: %zu secret values of %zu instances and their history %s sealed anew\n",
                   k->dry_run ? "would be" : "is", report->moved, report->instances, k->dry_run ? "would be" : "were");
    if (report->left > 0)
        buf_printf(&out, "%zu values were sealed with a key that is gone, and stay as they are\n", report->left);
    if (k->is_lost)
        buf_append_cstr(&out, "secrets sealed before stay unreadable; deploy with their values given again\n");
    if (k->dry_run)
        buf_append_cstr(&out, "dry run: nothing was written\n");
    else if (settings_is_given(c, "new-key"))
        buf_printf(&out, "from now on give --key %.*s, or put 'key: %.*s' into lintel.yaml\n",
                   SV_ARG(render_escape(&c->arena, k->spec)), SV_ARG(render_escape(&c->arena, k->spec)));
    output_text(c, buf_get_sv(&out));
}

/* --- the work --- */

/* What is said to be lost must not open the secrets: giving them up would be a mistake. */
static bool is_really_lost(struct command *k, sv wrapped) {
    struct arena scratch = {.secret = true};
    struct diags ignored;
    struct sealer_options probe = k->next;
    diags_init(&ignored, &scratch, NULL);
    probe.arena = &scratch;
    probe.diags = &ignored;
    probe.create = false;
    probe.wrapped = wrapped;
    struct sealer *s = sealer_open(&probe);
    bool opens = s != NULL && sealer_get_wrapped(s).len > 0;
    sealer_close(s);
    arena_fini(&scratch);
    return !opens;
}

static bool find_expected(struct command *k, sv *expected) {
    struct cli *c = k->c;
    struct store *store = k->session.store;
    if (!k->is_lost) {
        *expected = sealer_get_wrapped(k->session.sealer);
        return true;
    }
    enum store_result r = store->ops->find_data_key(store, &c->arena, k->session.config.context, expected);
    if (r != STORE_OK)
        return r == STORE_NOT_FOUND;
    if (is_really_lost(k, *expected))
        return true;
    struct diag *d = diags_add(&c->diags, DIAG_key_not_usable, SPAN_NONE,
                               "the key is not lost: the one given opens the secrets of context '%.*s'",
                               SV_ARG(k->session.config.context));
    diag_set_hint(&c->diags, d, "leave '--key-is-lost' out; nothing was written");
    return false;
}

static enum exit_code change_key(struct command *k) {
    struct cli *c = k->c;
    struct rekey_request request = {.to = k->to, .rotate = k->rotate, .dry_run = k->dry_run};
    struct rekey_report report;
    struct seal_wrapped now;
    enum exit_code code = EXIT_FAILED;
    if (!find_expected(k, &request.expected))
        return EXIT_FAILED;
    if (!rekey_run(&k->session.config, &request, &report, &code))
        return session_refine_code(c, code);
    seal_read_wrapped(&c->arena, sealer_get_wrapped(k->to), &now);
    show(k, &now, &report);
    tell(k, &now, &report);
    return EXIT_OK;
}

static enum exit_code run(struct command *k) {
    enum session_mode mode = k->dry_run ? SESSION_READ : k->is_lost ? SESSION_WITHOUT_KEY : SESSION_WRITE;
    if (!session_open(k->c, &k->session, mode) || !check_present(k) || !choose_next(k))
        return session_get_error_code(k->c);
    k->to = sealer_open_anew(k->session.sealer, &k->next, k->rotate || k->is_lost);
    if (k->to == NULL)
        return EXIT_FAILED;
    enum exit_code code = change_key(k);
    sealer_close(k->to);
    return code;
}

enum exit_code rekey_command(struct cli *c) {
    struct command k = {.c = c,
                        .dry_run = settings_get_flag(c, "dry-run"),
                        .rotate = settings_get_flag(c, "rotate"),
                        .is_lost = settings_get_flag(c, "key-is-lost"),
                        .spec = settings_get_text(c, settings_is_given(c, "new-key") ? "new-key" : "key")};
    if (!check_options(c))
        return EXIT_USAGE;
    enum exit_code code = run(&k);
    session_close(&k.session);
    return code;
}
