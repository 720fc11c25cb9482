/* The queue of runs (LC-045): plans that were consented to and wait for a worker.
 *
 * Invariants: (1) who takes a run holds the lease of its instance, and only who holds it says what becomes of the run;
 * (2) a run that has begun ends in the transaction that ends it in the journal (deploy_events.c), or is taken again: a
 * worker that is gone, at whatever moment, leaves a run that either is over or can be resumed (LC-023). */
#ifndef LINTEL_ENGINE_QUEUE_H
#define LINTEL_ENGINE_QUEUE_H

#include "engine/run.h"

/* Stores the plan, its secrets sealed, as a run of the queue; `run_id` gets its id. False after a report. */
bool queue_add(const struct run_config *c, const struct plan *p, sv *run_id);

/* A run that was taken. */
struct queue_item {
    struct store_run run;
    struct queued_run queued; /* for run_config.queued */
    bool force;               /* as it was queued with (LC-023, BP-510) */
};
/* The next one of the configuration's name space. OK, NOT_FOUND when there is none, or after a report. */
enum store_result queue_take(const struct run_config *c, struct queue_item *item);
/* After run_deploy, or instead of it when it could not be begun: says what becomes of the run unless that is durable
 * already, and gives the lease back. `code` is that of the run. */
void queue_finish(const struct run_config *c, struct queue_item *item, enum exit_code code);

/* Takes a run out of the queue. False after a report (`run_not_found`, `run_not_waiting`), with the exit code. */
bool queue_cancel(const struct run_config *c, sv run_id, enum exit_code *code);
/* "queued" "running" "ended" "cancelled" */
sv queue_get_status_name(enum store_run_status status);

#endif
