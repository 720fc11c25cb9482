#include "bench/bench.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <time.h>

const size_t bench_sizes[BENCH_SIZES] = {1000, 10000, 100000};

double bench_now(void) {
    struct timespec now;
    (void)clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

static int compare_seconds(const void *a, const void *b) {
    double first = *(const double *)a;
    double second = *(const double *)b;
    return (first > second) - (first < second);
}

static double run_once(const struct bench_work *work, size_t n) {
    if (work->prepare != NULL) {
        work->prepare(work->context, n);
    }
    double start = bench_now();
    work->run(work->context, n);
    double seconds = bench_now() - start;
    if (work->clean != NULL) {
        work->clean(work->context, n);
    }
    return seconds;
}

double bench_measure(const struct bench_work *work, size_t n, size_t runs) {
    double seconds[BENCH_RUNS_MAX];
    assert(runs >= 1 && runs <= BENCH_RUNS_MAX);
    (void)run_once(work, n);
    for (size_t i = 0; i < runs; i++) {
        seconds[i] = run_once(work, n);
    }
    qsort(seconds, runs, sizeof *seconds, compare_seconds);
    return seconds[runs / 2];
}

size_t bench_get_peak_bytes(void) {
    struct rusage usage;
    return getrusage(RUSAGE_SELF, &usage) == 0 ? (size_t)usage.ru_maxrss * 1024 : 0;
}

double bench_check_linear(struct bench *b, const struct bench_work *work, double most_growth) {
    static const size_t runs[BENCH_SIZES] = {51, 21, 7};
    double seconds[BENCH_SIZES];
    for (size_t i = 0; i < BENCH_SIZES; i++) {
        seconds[i] = bench_measure(work, bench_sizes[i], runs[i]);
        printf("%s: %zu in %.3f ms, %.0f ns each\n", work->name, bench_sizes[i], seconds[i] * 1e3,
               seconds[i] * 1e9 / (double)bench_sizes[i]);
    }
    double growth = seconds[BENCH_SIZES - 1] / (double)bench_sizes[BENCH_SIZES - 1] /
                    (seconds[BENCH_SIZES - 2] / (double)bench_sizes[BENCH_SIZES - 2]);
    char what[100];
    (void)snprintf(what, sizeof what, "%s: growth of the cost of each", work->name);
    bench_check_most(b, what, growth, most_growth, "x");
    return seconds[BENCH_SIZES - 1];
}

static void report(struct bench *b, bool is_good, const char *what, double value, const char *bound, const char *unit) {
    printf("%s: %.2f %s (%s)%s\n", what, value, unit, bound, is_good ? "" : "  MISSED");
    b->missed += !is_good;
}

void bench_check_most(struct bench *b, const char *what, double value, double limit, const char *unit) {
    char bound[64];
    (void)snprintf(bound, sizeof bound, "at most %g", limit);
    report(b, value <= limit, what, value, bound, unit);
}

void bench_check_least(struct bench *b, const char *what, double value, double limit, const char *unit) {
    char bound[64];
    (void)snprintf(bound, sizeof bound, "at least %g", limit);
    report(b, value >= limit, what, value, bound, unit);
}

int bench_finish(const struct bench *b) {
    if (b->missed == 0) {
        printf("all bounds kept\n");
        return 0;
    }
    printf("%zu bounds missed\n", b->missed);
    return 1;
}
