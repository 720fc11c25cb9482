/* Merging beside reading its inputs and writing its output, which nobody can do without (DY-370 to DY-373): ratios
 * within one run, and growth from one size to the next. */
#include "bench/bench.h"
#include "bench/dynaml/documents.h"
#include "dialects/dynaml/dynaml.h"
#include "dialects/dynaml/output.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { RUNS = 7, PLAIN_RECORDS = 60000, CALLS = 20000, LISTS = 2000 };

struct figures {
    double read, merge, write;
    size_t bytes; /* of the output */
};

/* Of this process: other work on the machine is no part of it. */
static double get_cpu_time(void) {
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static void process(struct arena *a, const struct documents *d, struct figures *f) {
    struct sources sources;
    struct diags diags;
    struct dynaml_document *documents[DOCUMENTS_MAX];
    struct dynaml_result result;
    struct buf out = BUF(a);
    sources_init(&sources, a);
    diags_init(&diags, a, &sources);
    struct dynaml_options o = {
        .arena = a, .diags = &diags, .sources = &sources, .limits = {.calls = CALLS}, .is_lean = true};
    struct dynaml_run *run = dynaml_run_new(&o);
    double start = get_cpu_time();
    for (size_t i = 0; i < d->count; i++) {
        sv why = SV("");
        documents[i] = dynaml_read(run, SV("bench"), sources_add(&sources, SV("bench"), d->texts[i]), &why);
        if (documents[i] == NULL) {
            printf("not read: %.*s\n", SV_ARG(why));
            exit(1);
        }
    }
    double is_read = get_cpu_time();
    dynaml_merge(run, documents, d->count, &result);
    double merged = get_cpu_time();
    if (!result.is_resolved) {
        printf("not resolved %.*s\n", SV_ARG(result.limit));
        exit(1);
    }
    dynaml_write_yaml(&out, result.document);
    *f = (struct figures){is_read - start, merged - is_read, get_cpu_time() - merged, out.len};
}

/* The best of several runs: other work on the machine only ever adds. */
static struct figures measure(struct documents (*make)(struct arena *a, size_t n), size_t n, int runs) {
    struct figures best = {1e9, 1e9, 1e9, 0};
    struct arena texts = {0};
    struct documents d = make(&texts, n);
    for (int i = 0; i < runs; i++) {
        struct arena a = {0};
        struct figures f;
        process(&a, &d, &f);
        best.read = f.read < best.read ? f.read : best.read;
        best.merge = f.merge < best.merge ? f.merge : best.merge;
        best.write = f.write < best.write ? f.write : best.write;
        best.bytes = f.bytes;
        arena_fini(&a);
    }
    arena_fini(&texts);
    return best;
}

static void print(const char *what, size_t n, const struct figures *f) {
    printf("%s %zu: read %.2f ms, merge %.2f ms, write %.2f ms\n", what, n, f->read * 1e3, f->merge * 1e3,
           f->write * 1e3);
}

static double get_ratio(const struct figures *f) {
    return (f->read + f->merge + f->write) / (f->read + f->write);
}

static void check_deployments(struct bench *b) {
    static const size_t sizes[] = {10, 100, 1000, 5000};
    double each = 0;
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        struct figures f = measure(documents_make_deployment, sizes[i], sizes[i] > 1000 ? 3 : RUNS);
        double now = f.merge / (double)sizes[i];
        print("deployment, jobs", sizes[i], &f);
        if (sizes[i] >= 100)
            bench_check_most(b, "deployment: all beside reading and writing", get_ratio(&f), 3.0, "x");
        if (each > 0)
            bench_check_most(b, "deployment: a job beside one of the size before", now / each, 2.0, "x");
        each = now;
    }
}

/* What a thing costs at four times as many; `limit_ms`: at the small size. */
static void check_growth(struct bench *b, const char *what, struct documents (*make)(struct arena *a, size_t n),
                         size_t n, double limit_ms) {
    struct figures small = measure(make, n, RUNS), large = measure(make, 4 * n, RUNS);
    print(what, n, &small);
    print(what, 4 * n, &large);
    bench_check_most(b, what, small.merge * 1e3, limit_ms, "ms");
    bench_check_most(b, what, large.merge / small.merge / 4, 2.0, "x each, 4 times as many");
}

static void check_plain(struct bench *b) {
    struct figures f = measure(documents_make_plain, PLAIN_RECORDS, 1);
    print("10 MB on 10 MB, records", PLAIN_RECORDS, &f);
    bench_check_most(b, "10 MB on 10 MB: all beside reading and writing", get_ratio(&f), 3.0, "x");
    bench_check_most(b, "10 MB on 10 MB", (double)bench_get_peak_bytes() / 1e6, 400, "MB");
}

int main(void) {
    struct bench b = {0};
    check_plain(&b); /* first: the peak is its own */
    check_deployments(&b);
    check_growth(&b, "a chain of references", documents_make_chain, 10000, 50);
    check_growth(&b, "named items in reverse order", documents_make_named, 5000, 50);
    check_growth(&b, "a list made by recursion", documents_make_recursion, 4000, 50);
    struct figures f = measure(documents_make_fibonacci, 20, RUNS);
    bench_check_most(&b, "fibonacci(20)", f.merge * 1e3, 10, "ms");
    f = measure(documents_make_appends, LISTS, 1);
    print("lists, each with one item more", LISTS, &f);
    bench_check_most(&b, "lists, each with one item more", f.merge * 1e3, 50, "ms");
    return bench_finish(&b);
}
