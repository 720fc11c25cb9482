/* A small frame for benchmarks: medians of several runs at growing sizes, and bounds on figures and ratios.
 *
 * A program prints one line per figure and ends with bench_finish's status: 1 when a bound was missed. Bounds are on
 * ratios within one run wherever possible, so that they hold on any machine. */
#ifndef BENCH_BENCH_H
#define BENCH_BENCH_H

#include <stdbool.h>
#include <stddef.h>

struct bench {
    size_t missed; /* bounds */
};

/* Work on `n` things. `prepare` and `clean` are not timed and may be NULL; each gets the object that `context` is. */
struct bench_work {
    const char *name;
    void (*prepare)(void *context, size_t n);
    void (*run)(void *context, size_t n);
    void (*clean)(void *context, size_t n);
    void *context;
};

enum { BENCH_SIZES = 3, BENCH_RUNS_MAX = 101 };

/* 1 000, 10 000 and 100 000. */
extern const size_t bench_sizes[BENCH_SIZES];

/* Seconds of a monotonic clock. */
double bench_now(void);
/* Median seconds of `runs` runs (at most BENCH_RUNS_MAX) after one that warms up. */
double bench_measure(const struct bench_work *work, size_t n, size_t runs);
/* The largest resident size of this process so far, in bytes. */
size_t bench_get_peak_bytes(void);

/* Measures at all sizes, prints the time and the time per thing of each, and checks that a thing costs at most
 * `most_growth` times as much at the largest size as at the one before. Returns the median seconds at the largest size.
 */
double bench_check_linear(struct bench *b, const struct bench_work *work, double most_growth);
/* Prints `what: value unit (at most limit)` and counts a miss. */
void bench_check_most(struct bench *b, const char *what, double value, double limit, const char *unit);
void bench_check_least(struct bench *b, const char *what, double value, double limit, const char *unit);
/* The program's exit status, said in a last line. */
int bench_finish(const struct bench *b);

#endif
