/* Loading, planning and deploying resources that cost nothing themselves (`random/id`): what is measured is the engine.
 *
 * - planning N resources with three substitutions each is linear, and so is a chain in which each refers to the one
 * before;
 * - 10 000 are deployed into a SQLite file, durably, with at least 5 000 a second; planning again, when nothing
 * changes, takes at most three times as long as loading the blueprint does. */
#include "bench.h"

#include "bench/engine/session.h"
#include "providers/random/random.h"

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

/* --- planning --- */

static void prepare(struct session *s, size_t n, bool chain) {
    s->host = host_system;
    s->text = make_text(&s->text_arena, n, chain);
    session_load(s);
    session_open_store(s);
}

static void prepare_wide(void *context, size_t n) {
    prepare(context, n, false);
}

static void prepare_chain(void *context, size_t n) {
    prepare(context, n, true);
}

static void run_planning(void *context, size_t n) {
    (void)n;
    session_plan(context);
}

static void prepare_text(void *context, size_t n) {
    struct session *s = context;
    s->host = host_system;
    s->text = make_text(&s->text_arena, n, false);
}

static void run_loading(void *context, size_t n) {
    (void)n;
    session_load(context);
}

static void clean(void *context, size_t n) {
    (void)n;
    session_close(context);
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
    struct session s = {.dir = mkdtemp(dir), .providers = &providers};
    struct figures f = {0};
    prepare(&s, n, chain);
    session_plan(&s);
    double start = bench_now();
    session_deploy(&s);
    f.deploy = bench_now() - start;
    f.load = f.again = 1e9;
    for (int i = 0; i < 7; i++) { /* the best of several, as the next commands would see it */
        session_close(&s);
        start = bench_now();
        session_load(&s);
        f.load = least(f.load, bench_now() - start);
        session_open_store(&s);
        start = bench_now();
        session_plan(&s);
        f.again = least(f.again, bench_now() - start);
        if (!plan_is_empty(s.plan)) {
            session_stop(&s, "finding nothing to do");
        }
    }
    session_close(&s);
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
    struct session s = {.providers = &providers};
    struct bench_work loading = {"load N resources", prepare_text, run_loading, clean, &s};
    struct bench_work wide = {"plan N independent resources", prepare_wide, run_planning, clean, &s};
    struct bench_work chain = {"plan a chain of N resources", prepare_chain, run_planning, clean, &s};
    bench_check_linear(&b, &loading, 1.5);
    /* A plan of 100 000 takes memory anew from the system each time, one of 10 000 finds that of the last round: pages
     * and caches make up to 1.8 of it on a busy machine. A square would be 10. */
    bench_check_linear(&b, &wide, 2);
    bench_check_linear(&b, &chain, 2);
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
