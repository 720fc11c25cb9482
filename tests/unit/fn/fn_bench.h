/* A bench for functions: expressions of the blueprint dialect, checked and evaluated in a world of fakes. The clock
 * stands at 2023-01-02 15:04:05 UTC, randomness counts up from a seed, files and web pages are a table. */
#ifndef TESTS_UNIT_FN_FN_BENCH_H
#define TESTS_UNIT_FN_FN_BENCH_H

#include "dialects/blueprint/blueprint.h"
#include "fn/fn.h"
#include "lang/dialect.h"
#include "model/fetch.h"
#include "model/record.h"

#define BENCH_RUN_MS INT64_C(1672671845678)

struct bench {
    struct arena arena;
    struct sources sources;
    struct diags diags;
    struct limits limits;
    struct dialect dialect;
    struct host host;
    struct fetcher fetcher;
    struct run_record record;
    struct map values; /* name → struct cell, for `values.NAME` */
    struct evaluator *ev;
    uint64_t seed;      /* of the fake randomness */
    size_t fetches;     /* how often the fake fetcher was asked */
    sv asked, from;     /* what for the last time, and the location of its base */
    bool is_validation; /* no record, no fetcher, no host (FN-034) */
};

void bench_init(struct bench *b);
void bench_fini(struct bench *b);
/* An evaluator that has seen nothing; record and cells stay. */
void bench_restart(struct bench *b);
/* `values.NAME` is this value, or the result of this text with substitutions. */
struct cell *bench_define_value(struct bench *b, const char *name, value v);
struct cell *bench_define(struct bench *b, const char *name, const char *text);
/* An expression without delimiters, in a source of its own named `file`. */
const struct expr *bench_parse_in(struct bench *b, const char *file, sv text);
value bench_eval(struct bench *b, const char *text);
value bench_eval_in(struct bench *b, const char *file, sv text);
/* A text with delimiters. */
const struct expr *bench_parse_text(struct bench *b, sv text);
value bench_eval_text(struct bench *b, const char *text);
/* The static type, as of a final result; NULL after a report. */
const struct type *bench_check(struct bench *b, const char *text);
const struct type *bench_check_expr(struct bench *b, const struct expr *e);
/* Scalars as their text, others as JSON with secrets hidden; "none", "error". */
sv bench_print(struct bench *b, value v);
/* "code code" of all diagnostics. */
sv bench_list_codes(struct bench *b);
/* Whether the first diagnostic has this code, and the text in its message, hint or related texts. */
bool bench_has(struct bench *b, enum diag_code code, const char *text);

/* One expression and what comes of it. `result`: as bench_print tells it; "!code" when evaluation fails with this code;
 * "?code" when the static check already reports it. */
struct bench_sample {
    const char *text, *result;
};
/* Runs each in a bench of its own and prints what is wrong; the number of those that are. What gives a result must
 * also pass the static check, and fit the static type. `setup` (may be NULL) defines values. `is_text`: the samples are
 * texts with delimiters. */
size_t bench_run_samples(const struct bench_sample *samples, size_t count, bool is_text,
                         void (*setup)(struct bench *b));

#endif
