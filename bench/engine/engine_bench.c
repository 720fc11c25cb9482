/* Loading, planning and deploying resources that cost nothing themselves (`random/id`): what is measured is the engine.
 *
 * - planning N resources with three substitutions each is linear, and so is a chain in which each refers to the one
 * before;
 * - 10 000 are deployed into a SQLite file, durably, with at least 5 000 a second; planning again, when nothing
 * changes, takes at most three times as long as loading the blueprint does. */
#include "bench.h"

#include "dialects/blueprint/blueprint.h"
#include "engine/run.h"
#include "providers/random/random.h"
#include "stores/memory/memory.h"
#include "stores/sqlite/sqlite_store.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const struct provider *const all[] = {&provider_random};
static const struct providers providers = {all, 1};

static const char head[] = "version: 2025-11-02\n"
                           "variables:\n"
                           "  region: {type: string, default: north}\n"
                           "values:\n"
                           "  prefix: {type: string, value: 'orders-${variables.region}'}\n"
                           "resources:\n";

static sv make_text(struct arena *a, size_t n, bool chain) {
    struct buf out = BUF(a);
    buf_append_cstr(&out, head);
    for (size_t i = 0; i < n; i++) {
        buf_printf(&out, "  r%zu:\n    type: random/id\n    spec:\n      keepers:\n", i);
        buf_printf(&out, "        region: ${variables.region}\n        name: ${values.prefix}-%zu\n", i);
        if (chain && i > 0) {
            buf_printf(&out, "        before: ${r%zu.spec.id}\n", i - 1);
        } else {
            buf_append_cstr(&out, "        prefix: ${values.prefix}\n");
        }
    }
    return buf_get_sv(&out);
}

/* One template and what it takes to run it. */
struct session {
    struct arena arena, text_arena;
    struct host host;
    struct sources sources;
    struct diags diags;
    struct store *store;
    struct sealer *sealer;
    struct template *t;
    struct plan *plan;
    struct run_config config;
    sv text;
    const char *dir;
};

static _Noreturn void stop(const struct session *s, const char *what) {
    fprintf(stderr, "%s failed\n", what);
    for (size_t i = 0; i < s->diags.items.len && i < 5; i++) {
        sv code = diag_get_code_name(s->diags.items.items[i]);
        fprintf(stderr, "  %.*s: %.*s\n", SV_ARG(code), SV_ARG(s->diags.items.items[i]->message));
    }
    exit(1);
}

static void load(struct session *s) {
    sources_init(&s->sources, &s->arena);
    diags_init(&s->diags, &s->arena, &s->sources);
    struct source *source = sources_add(&s->sources, SV("bench.yaml"), s->text);
    source->path = SV("/tmp/bench.yaml");
    struct load_request r = {.arena = &s->arena,
                             .sources = &s->sources,
                             .diags = &s->diags,
                             .limits = &limits_default,
                             .providers = &providers,
                             .host = &s->host,
                             .file = SV("bench.yaml"),
                             .source = source,
                             .check_inputs = true};
    s->t = blueprint_load(&r);
    if (s->t == NULL || diags_has_errors(&s->diags)) {
        stop(s, "loading");
    }
}

static void open_store(struct session *s) {
    struct store_options options = {.diags = &s->diags, .host = &s->host, .busy_timeout_ms = 1000};
    s->store = s->dir == NULL
                   ? memory_store_open(&s->arena, &options)
                   : sqlite_store_open(&s->arena, arena_printf(&s->arena, "%s/state.db", s->dir), &options, NULL);
    if (s->store == NULL) {
        stop(s, "opening the store");
    }
    struct sealer_options seal = {.arena = &s->arena, .diags = &s->diags, .host = &s->host, .create = true};
    seal.key_file = arena_printf(&s->arena, "%s/default.key", s->dir == NULL ? "/tmp/lintel-bench" : s->dir);
    s->store->ops->get_store_key(s->store, seal.store_key);
    s->sealer = sealer_open(&seal);
    if (s->sealer == NULL) {
        stop(s, "opening the key");
    }
    s->config = (struct run_config){.arena = &s->arena,
                                    .diags = &s->diags,
                                    .limits = &limits_default,
                                    .store = s->store,
                                    .sealer = s->sealer,
                                    .providers = &providers,
                                    .host = &s->host,
                                    .context = SV("default"),
                                    .instance_name = SV("bench"),
                                    .actor_command = SV("bench"),
                                    .parallel = 10,
                                    .lease_ttl_ms = 60000,
                                    .drain_ms = 1000,
                                    .retry_first_ms = 100,
                                    .refresh = true};
}

static void plan(struct session *s) {
    enum exit_code code;
    s->plan = run_plan(&s->config, s->t, false, NULL, 0, &code);
    if (s->plan == NULL) {
        stop(s, "planning");
    }
}

static void deploy(struct session *s) {
    if (run_deploy(&s->config, s->t, s->plan) != EXIT_OK) {
        stop(s, "deploying");
    }
}

static void close_session(struct session *s) {
    if (s->sealer != NULL) {
        sealer_close(s->sealer);
    }
    if (s->store != NULL) {
        s->store->ops->close(s->store);
    }
    s->sealer = NULL;
    s->store = NULL;
    arena_fini(&s->arena);
}

/* --- planning --- */

static void prepare(struct session *s, size_t n, bool chain) {
    s->host = host_system;
    s->text = make_text(&s->text_arena, n, chain);
    load(s);
    open_store(s);
}

static void prepare_wide(void *context, size_t n) {
    prepare(context, n, false);
}

static void prepare_chain(void *context, size_t n) {
    prepare(context, n, true);
}

static void run_planning(void *context, size_t n) {
    (void)n;
    plan(context);
}

static void prepare_text(void *context, size_t n) {
    struct session *s = context;
    s->host = host_system;
    s->text = make_text(&s->text_arena, n, false);
}

static void run_loading(void *context, size_t n) {
    (void)n;
    load(context);
}

static void clean(void *context, size_t n) {
    (void)n;
    close_session(context);
    struct session *s = context;
    arena_fini(&s->text_arena);
}

/* --- deploying --- */

static double least(double x, double y) {
    return x < y ? x : y;
}

struct figures {
    double load, deploy, again;
};

static struct figures deploy_into_file(size_t n, bool chain) {
    char dir[] = "/tmp/lintel-bench-XXXXXX";
    struct session s = {.dir = mkdtemp(dir)};
    struct figures f = {0};
    prepare(&s, n, chain);
    plan(&s);
    double start = bench_now();
    deploy(&s);
    f.deploy = bench_now() - start;
    f.load = f.again = 1e9;
    for (int i = 0; i < 7; i++) { /* the best of several, as the next commands would see it */
        close_session(&s);
        start = bench_now();
        load(&s);
        f.load = least(f.load, bench_now() - start);
        open_store(&s);
        start = bench_now();
        plan(&s);
        f.again = least(f.again, bench_now() - start);
        if (!plan_is_empty(s.plan)) {
            stop(&s, "finding nothing to do");
        }
    }
    close_session(&s);
    arena_fini(&s.text_arena);
    char command[128];
    snprintf(command, sizeof command, "rm -rf %s", dir);
    if (system(command) != 0) {
        fprintf(stderr, "%s is left behind\n", dir);
    }
    return f;
}

int main(void) {
    struct bench b = {0};
    struct session s = {0};
    struct bench_work loading = {"load N resources", prepare_text, run_loading, clean, &s};
    struct bench_work wide = {"plan N independent resources", prepare_wide, run_planning, clean, &s};
    struct bench_work chain = {"plan a chain of N resources", prepare_chain, run_planning, clean, &s};
    bench_check_linear(&b, &loading, 1.5);
    bench_check_linear(&b, &wide, 1.5);
    bench_check_linear(&b, &chain, 1.5);
    enum { N = 10000 };
    double plan_wide = bench_measure(&wide, N, 5), plan_chain = bench_measure(&chain, N, 5);
    bench_check_most(&b, "planning a chain beside independent resources", plan_chain / plan_wide, 2, "times");
    struct figures f = deploy_into_file(N, false);
    bench_check_least(&b, "deploying into SQLite, durable", N / f.deploy, 5000, "resources per second");
    bench_check_most(&b, "planning again with nothing to do beside loading", f.again / f.load, 3, "times");
    struct figures c = deploy_into_file(N, true);
    bench_check_most(&b, "deploying a chain into SQLite beside independent resources", c.deploy / f.deploy, 2, "times");
    bench_check_most(&b, "planning the deployed chain beside independent resources", c.again / f.again, 2, "times");
    return bench_finish(&b);
}
