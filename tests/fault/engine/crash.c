#include "crash.h"

#include "dialects/blueprint/blueprint.h"
#include "engine/drift.h"
#include "engine/reconcile.h"
#include "engine/rollback.h"
#include "sources/sources.h"
#include "stores/sqlite/sqlite_store.h"

#include <dirent.h>
#include <fcntl.h>
#include <ftw.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>
#include <cmocka.h>

void crash_pass(struct crash *c) {
    long number = atomic_fetch_add(&c->passed, 1) + 1;
    if (number == c->kill_at) {
        kill(getpid(), SIGKILL);
        for (;;) {
            pause();
        }
    }
}

/* --- store --- */

struct crash_store {
    struct store base;
    struct store *inner;
    struct crash *crash;
};

static struct crash_store *of(struct store *s) {
    return (struct crash_store *)s;
}

static void store_close(struct store *s) {
    of(s)->inner->ops->close(of(s)->inner);
}

static sv store_describe(struct store *s) {
    return of(s)->inner->ops->get_description(of(s)->inner);
}

static enum store_result store_key(struct store *s, uint8_t key[32]) {
    return of(s)->inner->ops->get_store_key(of(s)->inner, key);
}

/* A call with a point in front of and behind it. */
#define AROUND(s, call)                                 \
    struct store *inner = of(s)->inner;                 \
    crash_pass(of(s)->crash);                           \
    enum store_result around_result = inner->ops->call; \
    crash_pass(of(s)->crash);                           \
    return around_result

static enum store_result store_begin(struct store *s, const struct store_lease *lease) {
    AROUND(s, begin(inner, lease));
}

static enum store_result store_commit(struct store *s) {
    AROUND(s, commit(inner));
}

static void store_rollback(struct store *s) {
    of(s)->inner->ops->rollback(of(s)->inner);
}

static enum store_result store_take(struct store *s, struct arena *a, const struct store_lease_request *request,
                                    struct store_lease *lease) {
    AROUND(s, take_lease(inner, a, request, lease));
}

static enum store_result store_renew(struct store *s, struct store_lease *lease, int64_t ttl_ms) {
    AROUND(s, renew_lease(inner, lease, ttl_ms));
}

static enum store_result store_release(struct store *s, const struct store_lease *lease) {
    AROUND(s, release_lease(inner, lease));
}

static enum store_result store_load(struct store *s, struct arena *a, sv id, struct store_tree *tree) {
    return of(s)->inner->ops->load_tree(of(s)->inner, a, id, tree);
}

static enum store_result store_find(struct store *s, struct arena *a, sv context, sv name, struct store_instance *i) {
    return of(s)->inner->ops->find_instance(of(s)->inner, a, context, name, i);
}

static enum store_result store_list(struct store *s, struct arena *a, sv context, struct store_instance **items,
                                    size_t *count) {
    return of(s)->inner->ops->list_instances(of(s)->inner, a, context, items, count);
}

static enum store_result store_history(struct store *s, struct arena *a, sv id, struct store_history **items,
                                       size_t *count) {
    return of(s)->inner->ops->list_history(of(s)->inner, a, id, items, count);
}

static enum store_result store_find_claims(struct store *s, struct arena *a, const struct store_object *objects,
                                           size_t object_count, struct store_claim **items, size_t *count) {
    return of(s)->inner->ops->find_claims(of(s)->inner, a, objects, object_count, items, count);
}

static enum store_result store_put_instance(struct store *s, const struct store_instance *i, int64_t expected) {
    AROUND(s, put_instance(inner, i, expected));
}

static enum store_result store_delete_instance(struct store *s, sv id) {
    AROUND(s, delete_instance(inner, id));
}

static enum store_result store_put_element(struct store *s, sv id, const struct store_element *e) {
    AROUND(s, put_element(inner, id, e));
}

static enum store_result store_delete_element(struct store *s, sv id, sv address) {
    AROUND(s, delete_element(inner, id, address));
}

static enum store_result store_append(struct store *s, sv id, const struct journal_row *row) {
    AROUND(s, append_journal(inner, id, row));
}

static enum store_result store_compact(struct store *s, sv id, const struct store_history *entry, size_t keep) {
    AROUND(s, compact_journal(inner, id, entry, keep));
}

static enum store_result store_append_events(struct store *s, sv id, sv run_id, sv body) {
    AROUND(s, append_events(inner, id, run_id, body));
}

static enum store_result store_change_run(struct store *s, const struct store_run_change *change) {
    AROUND(s, change_run(inner, change));
}

static const struct store_ops crash_ops = {
    .close = store_close,
    .get_description = store_describe,
    .get_store_key = store_key,
    .begin = store_begin,
    .commit = store_commit,
    .rollback = store_rollback,
    .take_lease = store_take,
    .renew_lease = store_renew,
    .release_lease = store_release,
    .load_tree = store_load,
    .find_instance = store_find,
    .list_instances = store_list,
    .list_history = store_history,
    .find_claims = store_find_claims,
    .put_instance = store_put_instance,
    .delete_instance = store_delete_instance,
    .put_element = store_put_element,
    .delete_element = store_delete_element,
    .append_journal = store_append,
    .compact_journal = store_compact,
    .change_run = store_change_run,
    .append_events = store_append_events,
};

struct store *crash_wrap_store(struct arena *a, struct crash *c, struct store *inner) {
    struct crash_store *s = ARENA_NEW(a, struct crash_store);
    s->base = *inner;
    s->base.ops = &crash_ops;
    s->inner = inner;
    s->crash = c;
    return &s->base;
}

/* --- host --- */

static int64_t host_wall(void *user) {
    (void)user;
    return host_system.ops->get_wall_ms(host_system.user);
}

static int64_t host_monotonic(void *user) {
    (void)user;
    return host_system.ops->get_monotonic_ms(host_system.user);
}

static void host_random(void *user, void *out, size_t len) {
    (void)user;
    host_system.ops->fill_random(host_system.user, out, len);
}

static bool host_env(void *user, struct arena *a, sv name, sv *result) {
    (void)user;
    return host_system.ops->find_env(host_system.user, a, name, result);
}

static sv host_cwd(void *user, struct arena *a) {
    (void)user;
    return host_system.ops->get_cwd(host_system.user, a);
}

static sv host_actor(void *user, struct arena *a) {
    (void)user;
    return host_system.ops->get_actor(host_system.user, a);
}

static sv host_boot(void *user, struct arena *a) {
    (void)user;
    return host_system.ops->get_boot_id(host_system.user, a);
}

static int64_t host_pid(void *user) {
    (void)user;
    return host_system.ops->get_pid(host_system.user);
}

/* Nothing here is slow: pauses are for services that are. */
static void host_sleep(void *user, int64_t ms) {
    enum { PAUSE_MS = 5 };
    (void)user;
    host_system.ops->sleep_ms(host_system.user, ms < PAUSE_MS ? ms : PAUSE_MS);
}

static const struct host_ops host_ops = {
    .get_wall_ms = host_wall,
    .get_monotonic_ms = host_monotonic,
    .fill_random = host_random,
    .find_env = host_env,
    .get_cwd = host_cwd,
    .get_actor = host_actor,
    .get_boot_id = host_boot,
    .get_pid = host_pid,
    .sleep_ms = host_sleep,
};

/* What the host's user points to. */
struct crash_host {
    struct crash *crash;
    const struct providers *inner;
};

struct host crash_get_host(struct crash *c) {
    struct crash_host *h = calloc(1, sizeof *h);
    assert_non_null(h);
    h->crash = c;
    return (struct host){.ops = &host_ops, .user = h};
}

struct crash *crash_of_host(const struct host *h) {
    return ((struct crash_host *)h->user)->crash;
}

/* --- providers --- */

/* The wrapped type is found by the name in front of the address's… no: by the type that the wrapper copied. Each copy
 * carries the functions of one phase. */
struct wrapped_type {
    struct resource_type type; /* first: a pointer to it is one to the whole */
    const struct resource_type *inner;
};

enum { MAX_TYPES = 16 };
/* Functions of providers get no pointer of their own, so each slot has functions that know its number. */
static const struct resource_type *slots[MAX_TYPES];

static enum provider_result call_slot(struct provider_call *c, enum provider_result (*fn)(struct provider_call *)) {
    struct crash_host *h = c->host->user;
    crash_pass(h->crash);
    enum provider_result result = fn(c);
    crash_pass(h->crash);
    return result;
}

#define SLOT(n)                                                        \
    static enum provider_result create_##n(struct provider_call *c) {  \
        return call_slot(c, slots[n]->create);                         \
    }                                                                  \
    static enum provider_result update_##n(struct provider_call *c) {  \
        return call_slot(c, slots[n]->update);                         \
    }                                                                  \
    static enum provider_result destroy_##n(struct provider_call *c) { \
        return call_slot(c, slots[n]->destroy);                        \
    }                                                                  \
    static enum provider_result recover_##n(struct provider_call *c) { \
        return call_slot(c, slots[n]->recover);                        \
    }
SLOT(0)
SLOT(1)
SLOT(2)
SLOT(3)
SLOT(4)
SLOT(5)
SLOT(6)
SLOT(7)

#define SLOT_ROW(n) \
    { create_##n, update_##n, destroy_##n, recover_##n }
static const struct {
    enum provider_result (*create)(struct provider_call *);
    enum provider_result (*update)(struct provider_call *);
    enum provider_result (*destroy)(struct provider_call *);
    enum provider_result (*recover)(struct provider_call *);
} slot_functions[] = {SLOT_ROW(0), SLOT_ROW(1), SLOT_ROW(2), SLOT_ROW(3),
                      SLOT_ROW(4), SLOT_ROW(5), SLOT_ROW(6), SLOT_ROW(7)};

static const struct resource_type *wrap_type(struct arena *a, const struct resource_type *inner, size_t *slot) {
    assert_true(*slot < sizeof slot_functions / sizeof slot_functions[0]);
    struct resource_type *t = ARENA_NEW(a, struct resource_type);
    *t = *inner;
    t->create = slot_functions[*slot].create;
    t->update = slot_functions[*slot].update;
    t->destroy = slot_functions[*slot].destroy;
    t->recover = slot_functions[*slot].recover;
    slots[(*slot)++] = inner;
    return t;
}

const struct providers *crash_wrap_providers(struct arena *a, const struct providers *inner) {
    size_t slot = 0;
    const struct provider **all = ARENA_ARRAY(a, const struct provider *, inner->count);
    for (size_t i = 0; i < inner->count; i++) {
        struct provider *p = ARENA_NEW(a, struct provider);
        *p = *inner->items[i];
        const struct resource_type **types = ARENA_ARRAY(a, const struct resource_type *, p->resource_count);
        for (size_t k = 0; k < p->resource_count; k++) {
            types[k] = wrap_type(a, p->resources[k], &slot);
        }
        p->resources = types;
        all[i] = p;
    }
    struct providers *result = ARENA_NEW(a, struct providers);
    result->items = all;
    result->count = inner->count;
    return result;
}

/* --- one run --- */

struct session {
    struct arena arena;
    struct crash crash;
    struct host host;
    struct sources sources;
    struct diags diags;
    struct store *store;
    struct sealer *sealer;
    struct template *t;
    struct run_config config;
    struct fetcher *fetcher;
};

static bool open_session(struct session *s, const struct crash_run *r) {
    s->crash.kill_at = r->kill_at;
    s->host = crash_get_host(&s->crash);
    struct sources_options sources = {.arena = &s->arena, .host = &s->host, .root_dir = sv_from_cstr(r->dir)};
    s->fetcher = sources_open(&sources);
    sources_init(&s->sources, &s->arena);
    diags_init(&s->diags, &s->arena, &s->sources);
    struct store_options options = {.diags = &s->diags, .host = &s->host, .busy_timeout_ms = 10000};
    struct store *inner = sqlite_store_open(&s->arena, arena_printf(&s->arena, "%s/state.db", r->dir), &options, NULL);
    if (inner == NULL) {
        return false;
    }
    s->store = crash_wrap_store(&s->arena, &s->crash, inner);
    struct sealer_options seal = {.arena = &s->arena, .diags = &s->diags, .host = &s->host, .create = true};
    seal.key_file = arena_printf(&s->arena, "%s/vault/default.key", r->dir);
    s->store->ops->get_store_key(s->store, seal.store_key);
    s->sealer = sealer_open(&seal);
    s->config = (struct run_config){
        .arena = &s->arena,
        .diags = &s->diags,
        .limits = &limits_default,
        .store = s->store,
        .sealer = s->sealer,
        .providers = crash_wrap_providers(&s->arena, r->providers),
        .fetcher = s->fetcher,
        .host = &s->host,
        .context = SV("default"),
        .instance_name = SV("test"),
        .actor_command = SV("lintel deploy"),
        .parallel = r->parallel,
        .lease_ttl_ms = 60000,
        .drain_ms = 120000,
        .stable_interval_ms = 20,
        .stable_timeout_ms = 30000,
        .retry_first_ms = 10,
        .retries = 5,
        .refresh = true,
        .accept_drift = true, /* a run that was cut off leaves things that differ from the state */
    };
    return s->sealer != NULL;
}

static bool load_template(struct session *s, const struct crash_run *r) {
    sv file = arena_printf(&s->arena, "%s/%s", r->dir, r->blueprint);
    struct load_request request = {.arena = &s->arena,
                                   .sources = &s->sources,
                                   .diags = &s->diags,
                                   .limits = &limits_default,
                                   .providers = s->config.providers,
                                   .host = &s->host,
                                   .fetcher = s->fetcher,
                                   .file = file,
                                   .check_inputs = true};
    s->t = blueprint_load(&request);
    return s->t != NULL && !diags_has_errors(&s->diags);
}

static void note_errors(struct session *s, struct crash_end *end) {
    size_t used = 0;
    for (size_t i = 0; i < s->diags.items.len && used + 1 < sizeof end->errors; i++) {
        const struct diag *d = s->diags.items.items[i];
        sv code = diag_get_code_name(d);
        int wrote =
            snprintf(end->errors + used, sizeof end->errors - used, "%.*s: %.*s\n", SV_ARG(code), SV_ARG(d->message));
        used += wrote > 0 ? (size_t)wrote : 0;
    }
}

static enum exit_code reconcile(struct session *s, struct crash_end *end) {
    struct reconciliation r;
    struct reconcile_request request = {.interrupted_only = true};
    enum exit_code code = run_reconcile_look(&s->config, &request, &r);
    if (code != EXIT_OK) {
        return code;
    }
    end->changes = r.count;
    for (size_t i = 0; i < r.count; i++) {
        end->open += r.items[i].action == RECONCILE_CLEAN_UP;
        end->became[r.items[i].new_status] = true;
    }
    return run_reconcile_apply(&s->config, &r);
}

static enum exit_code roll_back(struct session *s, struct crash_end *end) {
    sv why_not;
    enum exit_code code = EXIT_FAILED;
    struct plan *p = run_plan_rollback(&s->config, &why_not, &code);
    if (p == NULL) {
        return code;
    }
    end->changes = p->change_count;
    end->open = p->rollback->skipped.len;
    end->undoes = (long)p->rollback->undoes;
    return run_deploy(&s->config, p->expanded, p);
}

static void run(const struct crash_run *r, struct crash_end *end) {
    struct session *s = calloc(1, sizeof *s);
    end->code = EXIT_FAILED;
    bool is_open = open_session(s, r);
    if (is_open && r->checks_drift) {
        struct drift_report report;
        end->code = (int)run_drift(&s->config, &report);
        end->changes = report.count + report.cleared;
    } else if (is_open && r->reconciles) {
        end->code = (int)reconcile(s, end);
    } else if (is_open && r->rolls_back) {
        end->code = (int)roll_back(s, end);
    } else if (is_open && (r->blueprint == NULL || load_template(s, r))) {
        enum exit_code code = EXIT_FAILED;
        struct plan *p = run_plan(&s->config, s->t, r->blueprint == NULL, NULL, 0, &code);
        if (p != NULL) {
            end->changes = p->change_count;
            code = run_deploy(&s->config, s->t, p);
        }
        end->code = (int)code;
    }
    end->points = atomic_load(&s->crash.passed);
    note_errors(s, end);
    if (s->store != NULL) {
        s->store->ops->close(s->store);
    }
    if (s->sealer != NULL) {
        sealer_close(s->sealer);
    }
    sources_close(s->fetcher);
    free(s->host.user);
    arena_fini(&s->arena);
    free(s);
}

void crash_run_in_child(const struct crash_run *r, struct crash_end *end) {
    struct crash_end *shared = mmap(NULL, sizeof *shared, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    assert_true(shared != MAP_FAILED);
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        run(r, shared);
        _exit(0);
    }
    int status = 0;
    assert_int_equal(waitpid(child, &status, 0), child);
    *end = *shared;
    munmap(shared, sizeof *shared);
    end->killed = WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL;
    if (!end->killed && (!WIFEXITED(status) || WEXITSTATUS(status) != 0)) {
        fail_msg("the run ended with status %d at point %ld", status, r->kill_at);
    }
}

/* --- files --- */

void crash_make_dir(char path[64]) {
    /* A killed process needs no real disk, and hundreds of runs would wait for one. */
    snprintf(path, 64, "%s/lintel-crash-XXXXXX", access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp");
    assert_non_null(mkdtemp(path));
}

static int remove_one(const char *path, const struct stat *st, int kind, struct FTW *ftw) {
    (void)st;
    (void)kind;
    (void)ftw;
    return remove(path);
}

void crash_remove_dir(const char *path) {
    assert_int_equal(nftw(path, remove_one, 16, FTW_DEPTH | FTW_PHYS), 0);
}

void crash_write_file(const char *dir, const char *name, const char *text) {
    char path[256];
    snprintf(path, sizeof path, "%s/%s", dir, name);
    FILE *f = fopen(path, "w");
    assert_non_null(f);
    assert_true(fputs(text, f) >= 0);
    assert_int_equal(fclose(f), 0);
}

const char *crash_read_file(struct arena *a, const char *dir, const char *name) {
    char path[256], text[4096];
    snprintf(path, sizeof path, "%s/%s", dir, name);
    FILE *f = fopen(path, "r");
    if (f == NULL) {
        return NULL;
    }
    size_t len = fread(text, 1, sizeof text, f);
    fclose(f);
    return arena_copy_cstr(a, sv_make(text, len));
}

size_t crash_count_files(const char *dir, const char *below) {
    char path[256];
    snprintf(path, sizeof path, "%s/%s", dir, below);
    DIR *d = opendir(path);
    if (d == NULL) {
        return 0;
    }
    size_t count = 0;
    for (struct dirent *e; (e = readdir(d)) != NULL;) {
        count += e->d_name[0] != '.';
    }
    closedir(d);
    return count;
}
