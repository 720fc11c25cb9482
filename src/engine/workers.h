/* Worker threads: they call blocking provider functions and nothing else (LC-071). All they share with the run's thread
 * is the mailbox behind this header.
 *
 * A job is self-contained: what the provider sees is copied into the job's own arena, so that a call that does not come
 * back when the run ends at once can be left behind without touching memory of the run. */
#ifndef LINTEL_ENGINE_WORKERS_H
#define LINTEL_ENGINE_WORKERS_H

#include "model/provider.h"

struct workers;

struct job {
    struct arena arena;
    struct provider_call call;
    enum provider_result (*fn)(struct provider_call *c);
    struct link_op_call *link; /* of an operation of a link, else NULL; its `call` is this job's */
    link_operation link_fn;
    enum provider_result result;
    uint32_t op; /* the caller's */
    int phase;   /* the caller's */
    /* the pool's */
    struct workers *workers;
    struct job *next;
};

enum message_kind {
    MESSAGE_DONE = 1, /* `job` is the caller's again */
    MESSAGE_PROGRESS, /* the provider waits until workers_answer */
    MESSAGE_LOG,
};

struct message {
    enum message_kind kind;
    struct job *job;
    value token; /* PROGRESS; lives in the job's arena */
    sv line;     /* LOG; lives in the job's arena while it is under way: copy it before the job is freed */
};

/* NULL when no thread can be started. */
struct workers *workers_open(size_t threads);
/* An empty job; `job_free` or, while under way, nobody frees it. */
struct job *job_new(void);
void job_free(struct job *j);
void workers_start(struct workers *w, struct job *j);
/* The next message; waits at most `timeout_ms` for one. False without. */
bool workers_take(struct workers *w, int64_t timeout_ms, struct message *m);
/* Lets the provider that told its progress go on; false makes it stop. */
void workers_answer(struct workers *w, struct job *j, bool ok);
/* Sets the cancel flag of all calls. */
void workers_cancel(struct workers *w);
/* Ends the threads. Calls that do not come back within `patience_ms` are left behind with their memory; false tells so.
 */
bool workers_close(struct workers *w, int64_t patience_ms);

/* Calls `work` for the numbers 0 .. count-1 from up to `threads` threads, each with its own `state`, and returns when
 * all are done. */
struct parallel_work {
    size_t threads, count;
    void (*work)(void *user, size_t thread, size_t number);
    void *user;
};
void workers_run_all(const struct parallel_work *p);

#endif
