/* An instance of 100 000 resources in SQLite: planning when nothing changes takes a few times as long as loading the
 * blueprint, and at most 500 MB; a change of one resource writes kilobytes, not the state. */
#include "bench.h"

#include "bench/engine/session.h"
#include "providers/random/random.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

enum { SMALL = 10000, LARGE = 100000, PER_GROUP = 10 };

static const struct provider *const all[] = {&provider_random};
static const struct providers providers = {all, 1};

/* Every tenth refers to the one before it; one of them has another keeper when `changed`. */
static sv make_text(struct arena *a, size_t n, bool changed) {
    struct buf out = BUF(a);
    buf_append_cstr(&out, "version: 2025-11-02\n"
                          "variables:\n  region: {type: string, default: north}\n"
                          "values:\n  prefix: {type: string, value: 'orders-${variables.region}'}\n"
                          "resources:\n");
    for (size_t i = 0; i < n; i++) {
        buf_printf(&out, "  r%zu:\n    type: random/id\n    spec:\n      keepers:\n", i);
        buf_printf(&out, "        region: ${variables.region}\n        name: ${values.prefix}-%zu%s\n", i,
                   changed && i == n / 2 ? "-x" : "");
        if (i % PER_GROUP == PER_GROUP - 1) {
            buf_printf(&out, "        before: ${r%zu.spec.id}\n", i - 1);
        }
    }
    return buf_get_sv(&out);
}

static void prepare(struct session *s, const char *dir, size_t n, bool changed) {
    *s = (struct session){.dir = dir, .providers = &providers, .host = host_system};
    s->text = make_text(&s->text_arena, n, changed);
}

static void finish(struct session *s) {
    session_close(s);
    arena_fini(&s->text_arena);
}

static double get_size(const char *dir, const char *name) {
    char path[256];
    struct stat st;
    snprintf(path, sizeof path, "%s/%s", dir, name);
    return stat(path, &st) == 0 ? (double)st.st_size : 0;
}

static void deploy_all(const char *dir, size_t n) {
    struct session s;
    prepare(&s, dir, n, false);
    session_load(&s);
    session_open_store(&s);
    session_plan(&s);
    session_deploy(&s);
    finish(&s);
}

/* Times of the first moments of a process: what a command line does with a state of that size. */
struct figures {
    double load, plan, peak, written;
};

static void plan_again(const char *dir, size_t n, struct figures *f) {
    struct session s;
    prepare(&s, dir, n, false);
    double start = bench_now();
    session_load(&s);
    f->load = bench_now() - start;
    session_open_store(&s);
    start = bench_now();
    session_plan(&s);
    f->plan = bench_now() - start;
    f->peak = (double)bench_get_peak_bytes();
    if (!plan_is_empty(s.plan)) {
        session_stop(&s, "finding nothing to do");
    }
    finish(&s);
}

/* What one changed resource adds to the log: all of it lies there until the state is closed. */
static void change_one(const char *dir, size_t n, struct figures *f) {
    struct session s;
    prepare(&s, dir, n, true);
    session_load(&s);
    session_open_store(&s);
    session_plan(&s);
    if (s.plan->change_count > 2) {
        session_stop(&s, "changing one resource");
    }
    double before = get_size(dir, "state.db-wal");
    session_deploy(&s);
    f->written = get_size(dir, "state.db-wal") - before;
    finish(&s);
}

/* In a process of its own: peaks are those of this size alone. */
static struct figures measure(const char *dir, size_t n) {
    struct figures f = {0};
    int ends[2];
    if (pipe(ends) != 0) {
        exit(1);
    }
    fflush(stdout);
    pid_t first = fork();
    if (first == 0) {
        deploy_all(dir, n);
        _exit(0);
    }
    int status = 1;
    (void)waitpid(first, &status, 0);
    pid_t second = status == 0 ? fork() : -1;
    if (second == 0) {
        plan_again(dir, n, &f);
        change_one(dir, n, &f);
        _exit(write(ends[1], &f, sizeof f) == (ssize_t)sizeof f ? 0 : 1);
    }
    close(ends[1]);
    bool ok = second > 0 && read(ends[0], &f, sizeof f) == (ssize_t)sizeof f;
    close(ends[0]);
    if (!ok || waitpid(second, &status, 0) != second || status != 0) {
        fprintf(stderr, "measuring %zu resources failed\n", n);
        exit(1);
    }
    return f;
}

static struct figures measure_in_directory(size_t n) {
    char dir[] = "/tmp/lintel-bench-XXXXXX", command[128];
    struct figures f = measure(mkdtemp(dir), n);
    snprintf(command, sizeof command, "rm -rf %s", dir);
    if (system(command) != 0) {
        fprintf(stderr, "%s is left behind\n", dir);
    }
    printf("%zu resources: loading %.3f s, planning without change %.3f s, peak %.0f MB\n", n, f.load, f.plan,
           f.peak / 1e6);
    return f;
}

int main(void) {
    struct bench b = {0};
    struct figures small = measure_in_directory(SMALL), large = measure_in_directory(LARGE);
    bench_check_most(&b, "planning 100 000 without change beside loading them", large.plan / large.load, 4, "times");
    bench_check_most(&b, "  growth of the cost of each", large.plan / LARGE / (small.plan / SMALL), 3,
                     "x"); /* a square: 10 */
    bench_check_most(&b, "  peak memory", large.peak / 1e6, 500, "MB");
    bench_check_most(&b, "  and its growth", large.peak / small.peak, (double)LARGE / SMALL * 1.2, "x");
    /* five commits, thirty pages of 4 KiB: rows, their indexes, journal, history and events */
    bench_check_most(&b, "written for one changed of 100 000", large.written / 1024, 128, "KiB");
    bench_check_most(&b, "  beside one of 10 000", large.written / small.written, 1.5, "times");
    return bench_finish(&b);
}
