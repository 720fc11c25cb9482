/* Deploying into a PostgreSQL of our own over a unix socket, durably (fsync on): at least 2 000 resources a second; a
 * change of one of many writes kilobytes. */
#include "bench.h"

#include "bench/engine/session.h"
#include "contract/store/server.h"
#include "providers/random/random.h"

#include <stdio.h>
#include <stdlib.h>

static const struct provider *const all[] = {&provider_random};
static const struct providers providers = {all, 1};

/* One of them has another keeper when `changed`. */
static sv make_text(struct arena *a, size_t n, bool changed) {
    struct buf out = BUF(a);
    buf_append_cstr(&out, "version: 2025-11-02\nresources:\n");
    for (size_t i = 0; i < n; i++) {
        buf_printf(&out, "  r%zu:\n    type: random/id\n    spec:\n      keepers:\n        name: orders-%zu%s\n", i, i,
                   changed && i == n / 2 ? "-x" : "");
    }
    return buf_get_sv(&out);
}

static double deploy(struct session *s, size_t n, bool changed) {
    s->host = host_system;
    s->text = make_text(&s->text_arena, n, changed);
    session_load(s);
    session_open_store(s);
    session_plan(s);
    double start = bench_now();
    session_deploy(s);
    double took = bench_now() - start;
    session_close(s);
    arena_fini(&s->text_arena);
    return took;
}

static double get_log_position(struct server *server) {
    sv text = server_query(server, "postgres", "SELECT pg_current_wal_insert_lsn() - '0/0'");
    return strtod(arena_copy_cstr(&server->arena, text), NULL);
}

int main(void) {
    enum { N = 10000 };
    struct bench b = {0};
    struct server server;
    if (!server_start(&server)) {
        printf("there are no programs of PostgreSQL: nothing is measured\n");
        return 0;
    }
    char dir[] = "/tmp/lintel-bench-XXXXXX";
    struct session s = {.dir = mkdtemp(dir), .providers = &providers};
    s.url = server_get_url(&server, NULL, "lintel").data;
    double took = deploy(&s, N, false);
    bench_check_least(&b, "deploying into PostgreSQL, durable", N / took, 2000, "resources per second");
    server_query(&server, "postgres", "CHECKPOINT");
    double before = get_log_position(&server);
    deploy(&s, N, true);
    /* the first change of a page after a checkpoint is logged with all of the page, 8 KiB each */
    bench_check_most(&b, "log written for one changed resource", (get_log_position(&server) - before) / 1024, 512,
                     "KiB");
    server_stop(&server);
    char command[128];
    snprintf(command, sizeof command, "rm -rf %s", dir);
    if (system(command) != 0) {
        fprintf(stderr, "%s is left behind\n", dir);
    }
    return bench_finish(&b);
}
