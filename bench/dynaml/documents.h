/* Documents to be merged, of any size. */
#ifndef BENCH_DYNAML_DOCUMENTS_H
#define BENCH_DYNAML_DOCUMENTS_H

#include "base/buf.h"

enum { DOCUMENTS_MAX = 4 };

struct documents {
    sv texts[DOCUMENTS_MAX]; /* the template first */
    size_t count;
};

/* A deployment of n jobs on two networks each, with static addresses, references and merges, and three stubs: networks
 * and instances; expressions of templates; pools, in reverse order. */
struct documents documents_make_deployment(struct arena *a, size_t n);
/* n references, each to the next. */
struct documents documents_make_chain(struct arena *a, size_t n);
/* n lists, each the one before with one item more. */
struct documents documents_make_appends(struct arena *a, size_t n);
/* A list of n items made by a lambda that calls itself. */
struct documents documents_make_recursion(struct arena *a, size_t n);
/* The n-th number of Fibonacci, by recursion. */
struct documents documents_make_fibonacci(struct arena *a, size_t n);
/* n items with names, and a stub that has them in reverse order. */
struct documents documents_make_named(struct arena *a, size_t n);
/* Two documents of n records without expressions. */
struct documents documents_make_plain(struct arena *a, size_t n);

#endif
