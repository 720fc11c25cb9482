#include "apps/cli/session.h"

#include "api/builtin.h"
#include "api/store_open.h"
#include "apps/cli/key_spec.h"
#include "apps/cli/verbose.h"
#include "engine/held.h"
#include "model/lease.h"

#include <ctype.h>
#include <string.h>
#include <sys/stat.h>

static sv get_state_url(struct cli *c) {
    sv url = settings_get_text(c, "state");
    return url.len > 0 ? url : arena_printf(&c->arena, "%.*s/.lintel/state.db", SV_ARG(c->project_dir));
}

static bool store_exists(struct cli *c, sv url) {
    if (sv_has_prefix(url, SV("memory:")) || sv_find(url, SV("://")) != SIZE_MAX)
        return true;
    sv path = sv_has_prefix(url, SV("sqlite:")) ? sv_slice(url, 7, url.len) : url;
    struct stat st;
    return stat(arena_copy_cstr(&c->arena, path), &st) == 0;
}

static sv get_directory(struct cli *c, sv url) {
    if (store_is_postgres_url(url))
        return arena_printf(&c->arena, "%.*s/.lintel", SV_ARG(c->project_dir));
    sv path = sv_has_prefix(url, SV("sqlite:")) ? sv_slice(url, 7, url.len) : url;
    size_t slash = sv_rfind_char(path, '/');
    return slash == SIZE_MAX ? c->host->ops->get_cwd(c->host->user, &c->arena) : sv_slice(path, 0, slash);
}

/* Everybody on the machine can read command lines. */
static bool check_state_url(struct cli *c, sv url) {
    const struct setting *state = settings_find(c, SV("state"));
    if (state == NULL || state->origin != ORIGIN_OPTION || !store_url_has_password(url))
        return true;
    output_usage_error(c, "'--state' holds a password, which other users of this machine can see");
    diag_set_hint(&c->diags, *VEC_LAST(&c->diags.items),
                  "leave it out and put it into ~/.pgpass or PGPASSWORD, or give the address as LINTEL_STATE");
    return false;
}

static bool is_reading(enum session_mode mode) {
    return mode == SESSION_READ || mode == SESSION_LOOK;
}

/* A key that was made here would be unknown to everybody else who uses the state (LC-050). */
static bool check_shared_key(struct cli *c, enum session_mode mode) {
    bool has_key = settings_get_text(c, "key").len > 0 || settings_get_flag(c, "no-seal");
    if (has_key || mode == SESSION_READ)
        return true;
    struct diag *d = diags_add(&c->diags, DIAG_key_not_usable, SPAN_NONE,
                               "state in PostgreSQL is shared, so the key that seals its secrets must be named");
    diag_set_hint(&c->diags, d,
                  "give --key file:PATH, made when missing and the same for all who deploy, or --no-seal");
    return false;
}

/* What can be said of the key before the store is opened: a key that is unusable is reported before anything happens
 * (LC-052). */
static bool choose_key(struct session *s, enum session_mode mode) {
    struct cli *c = s->cli;
    bool is_shared = store_is_postgres_url(get_state_url(c));
    sv spec = settings_get_text(c, "key");
    s->key = (struct sealer_options){.arena = &c->arena, .diags = &c->diags, .host = (struct host *)c->host};
    s->key.context = settings_get_text(c, "context");
    s->key.no_seal = settings_get_flag(c, "no-seal");
    s->key.create = mode == SESSION_WRITE;
    if (mode == SESSION_WITHOUT_KEY || mode == SESSION_LOOK)
        return s->key.no_seal = true;
    if ((is_shared && !check_shared_key(c, mode)) || (!s->key.no_seal && !key_spec_resolve(c, spec, &s->key)))
        return false;
    struct stat st;
    bool has_name = s->key.key_file.len > 0 && (!is_shared || spec.len > 0);
    bool exists =
        s->key.key_source.len > 0 || (has_name && stat(arena_copy_cstr(&c->arena, s->key.key_file), &st) == 0);
    s->key.no_seal = s->key.no_seal || (mode == SESSION_READ && !exists);
    return s->key.no_seal || key_spec_is_passphrase(spec) || sealer_check_key(&s->key);
}

/* Looking goes on without secrets where nobody can be asked. */
static bool ask_passphrase(struct session *s, struct store *store, enum session_mode mode) {
    struct cli *c = s->cli;
    sv spec = settings_get_text(c, "key"), wrapped;
    enum store_result r = store->ops->find_data_key(store, &c->arena, s->key.context, &wrapped);
    if (r != STORE_OK && r != STORE_NOT_FOUND)
        return false;
    enum key_use use = r == STORE_OK ? KEY_PRESENT : KEY_FIRST;
    bool is_looking = mode == SESSION_READ && (use == KEY_FIRST || !key_spec_can_ask(c, spec, use));
    s->key.no_seal = is_looking;
    return is_looking || key_spec_ask(c, spec, use, &s->key);
}

static bool asks_passphrase(const struct session *s) {
    bool is_known = s->key.passphrase.len > 0;
    return !s->key.no_seal && !is_known && key_spec_is_passphrase(settings_get_text(s->cli, "key"));
}

static bool may_migrate(void *user, struct store *old) {
    struct session *s = user;
    if (asks_passphrase(s) && !ask_passphrase(s, old, SESSION_WRITE))
        return false;
    return s->key.no_seal || sealer_check_store(&s->key, old);
}

static bool open_store(struct session *s, enum session_mode mode) {
    struct cli *c = s->cli;
    sv url = get_state_url(c);
    if (!check_state_url(c, url))
        return false;
    c->state_dir = get_directory(c, url);
    /* Looking at a state that does not exist yet must not make it. */
    if (is_reading(mode) && !store_exists(c, url))
        url = SV("memory:");
    struct store_options options = {
        .diags = &c->diags,
        .host = (struct host *)c->host,
        .read_only = is_reading(mode),
        .busy_timeout_ms = 30000,
        .may_migrate = may_migrate,
        .user = s,
    };
    s->store = store_open(&c->arena, url, &options);
    return s->store != NULL;
}

static bool open_sealer(struct session *s, enum session_mode mode) {
    if (asks_passphrase(s) && !ask_passphrase(s, s->store, mode))
        return false;
    s->sealer = sealer_open_store(&s->key, s->store);
    return s->sealer != NULL;
}

/* Looking at real objects reads outside the template's tree. */
static bool get_refresh(const struct cli *c) {
    bool is_wanted = !settings_is_given(c, "refresh") || settings_get_flag(c, "refresh");
    return is_wanted && !settings_get_flag(c, "pure");
}

static void fill_config(struct session *s) {
    struct cli *c = s->cli;
    s->config = (struct run_config){
        .arena = &c->arena,
        .diags = &c->diags,
        .limits = &c->limits,
        .store = s->store,
        .sealer = s->sealer,
        .providers = &builtin_providers,
        .host = (struct host *)c->host,
        .fetcher = c->fetcher,
        .context = settings_get_text(c, "context"),
        .actor_command = c->command_line,
        .parallel = (size_t)settings_get_number(c, "parallel"),
        .lease_ttl_ms = settings_get_duration_ms(c, "lease-time"),
        .lock_timeout_ms = settings_get_duration_ms(c, "lock-timeout"),
        .drain_ms = settings_get_duration_ms(c, "drain-time"),
        .stable_interval_ms = 5000,
        .stable_timeout_ms = settings_get_duration_ms(c, "stable-time"),
        .retry_first_ms = 2000,
        .retries = 5,
        .keep_history = (size_t)settings_get_number(c, "keep-history"),
        .refresh = get_refresh(c),
        .accept_drift = settings_get_flag(c, "accept-drift"),
        .force = settings_get_flag(c, "force"),
        .allow_private = settings_get_flag(c, "allow-private"),
        .signals = &c->signals->count,
    };
}

/* Names of name spaces are parts of file names. */
static bool check_context(struct cli *c) {
    sv name = settings_get_text(c, "context");
    bool ok = name.len > 0 && name.len <= 64 && name.data[0] != '.';
    for (size_t i = 0; ok && i < name.len; i++)
        ok = isalnum((unsigned char)name.data[i]) || strchr("-_.", name.data[i]) != NULL;
    if (!ok)
        output_usage_error(c, "'--context' takes a name of letters, digits, '-', '_' and '.', not '%.*s'",
                           SV_ARG(render_escape(&c->arena, sv_slice(name, 0, 80))));
    return ok;
}

/* A run has to renew its lease several times within this time. */
static bool check_lease_time(struct cli *c) {
    enum { MIN_MS = 1000 };
    if (settings_get_duration_ms(c, "lease-time") >= MIN_MS)
        return true;
    output_usage_error(c, "'--lease-time' is at least 1s: a run renews its lease every quarter of it");
    return false;
}

bool session_open(struct cli *c, struct session *s, enum session_mode mode) {
    *s = (struct session){.cli = c};
    if (mode == SESSION_WRITE && settings_get_flag(c, "pure")) {
        output_usage_error(c, "'--pure' touches nothing, but '%.*s' is there to do so", SV_ARG(c->command->name));
        return false;
    }
    if (!check_context(c) || !check_lease_time(c) || !choose_key(s, mode) || !open_store(s, mode) ||
        !open_sealer(s, mode))
        return false;
    verbose_say_store(c, store_show_url(&c->arena, get_state_url(c)), settings_get_text(c, "key"));
    fill_config(s);
    return true;
}

void session_close(struct session *s) {
    if (s->sealer)
        sealer_close(s->sealer);
    if (s->store)
        s->store->ops->close(s->store);
    s->sealer = NULL;
    s->store = NULL;
}

bool session_is_default_file(sv file) {
    if (sv_has_prefix(file, SV("./")))
        file = sv_slice(file, 2, file.len);
    return sv_eq(file, SV("blueprint.yaml")) || sv_eq(file, SV("blueprint.json")) || sv_eq(file, SV("blueprint.jsonc"));
}

bool session_choose_instance(struct session *s, sv file) {
    struct cli *c = s->cli;
    s->config.instance_id = settings_get_text(c, "instance-id");
    s->config.instance_name = settings_get_text(c, "instance");
    if (s->config.instance_id.len > 0 || s->config.instance_name.len > 0)
        return true;
    if (!session_is_default_file(file)) {
        output_usage_error(c, "which instance is meant? Only a blueprint of the default name has a default instance");
        diag_set_hint(&c->diags, *VEC_LAST(&c->diags.items), "give --instance NAME");
        return false;
    }
    sv cwd = c->host->ops->get_cwd(c->host->user, &c->arena);
    s->config.instance_name = sv_slice(cwd, sv_rfind_char(cwd, '/') + 1, cwd.len);
    if (s->config.instance_name.len > 0)
        return true;
    output_usage_error(c, "the root directory has no name for the instance: give --instance NAME");
    return false;
}

/* The lease lives in `a`. */
static bool find_lease(struct session *s, struct arena *a, struct store_lease *lease) {
    struct store_instance instance = {.id = s->config.instance_id};
    struct store_tree tree = {0};
    const struct store_ops *ops = s->store->ops;
    if (instance.id.len == 0 &&
        ops->find_instance(s->store, a, s->config.context, s->config.instance_name, &instance) != STORE_OK)
        return false;
    if (ops->load_tree(s->store, a, instance.id, &tree) != STORE_OK)
        return false;
    *lease = tree.lease;
    return lease->holder.len > 0 && lease_is_held(s->config.host, lease);
}

static void report_in_progress(struct session *s, const struct store_lease *lease) {
    struct cli *c = s->cli;
    struct held held = {.arena = &c->arena,
                        .diags = &c->diags,
                        .host = s->config.host,
                        .instance_id = lease->instance_id,
                        .instance_name = s->config.instance_name};
    held_report(&held, lease);
}

bool session_await_others(struct session *s) {
    enum { POLL_MS = 200 };
    const struct host *host = s->config.host;
    int64_t until = host->ops->get_monotonic_ms(host->user) + s->config.lock_timeout_ms;
    for (;;) {
        struct arena scratch = {0};
        struct store_lease lease;
        bool is_held = find_lease(s, &scratch, &lease);
        bool is_over = host->ops->get_monotonic_ms(host->user) >= until || atomic_load(s->config.signals) > 0;
        if (is_held && is_over)
            report_in_progress(s, &lease);
        arena_fini(&scratch);
        if (!is_held || is_over)
            return !is_held;
        host->ops->sleep_ms(host->user, POLL_MS);
    }
}

static const struct {
    enum diag_code code;
    enum exit_code exit;
} error_codes[] = {
    {DIAG_usage_error, EXIT_USAGE},          {DIAG_instance_id_and_name_provided, EXIT_USAGE},
    {DIAG_state_busy, EXIT_LOCKED},          {DIAG_instance_in_progress, EXIT_LOCKED},
    {DIAG_instance_not_found, EXIT_INVALID}, {DIAG_invalid_plan_file, EXIT_INVALID},
};

enum exit_code session_get_error_code(const struct cli *c) {
    for (size_t i = 0; i < c->diags.items.len; i++) {
        for (size_t k = 0; k < sizeof error_codes / sizeof *error_codes; k++) {
            if (c->diags.items.items[i]->code == error_codes[k].code)
                return error_codes[k].exit;
        }
    }
    return EXIT_FAILED;
}

enum exit_code session_refine_code(const struct cli *c, enum exit_code code) {
    return code == EXIT_FAILED ? session_get_error_code(c) : code;
}
