/* Runs: planning, deploying, destroying one instance (LC-001). What the command line and the API call.
 *
 * A session is one instance opened in a store. It owns nothing of the store, the template or the providers, which
 * outlive it. */
#ifndef LINTEL_ENGINE_RUN_H
#define LINTEL_ENGINE_RUN_H

#include "engine/plan.h"
#include "engine/target.h"

#include <stdatomic.h>

/* The exit codes of lifecycle.md, used everywhere. */
enum exit_code {
    EXIT_OK = 0,
    EXIT_FAILED = 1,
    EXIT_CHANGES = 2,
    EXIT_DRIFT = 3,
    EXIT_INVALID = 4,
    EXIT_USAGE = 5,
    EXIT_LOCKED = 6,
    EXIT_STALE = 7,
    EXIT_ROLLED_BACK = 8,
    EXIT_PART_WAY = 9,
    EXIT_SIGINT = 130,
    EXIT_SIGTERM = 143,
};

enum event_kind {
    EVENT_ELEMENT_STARTED = 1,
    EVENT_ELEMENT_ENDED,
    EVENT_HEARTBEAT, /* elements under way, every 10 s */
    EVENT_MESSAGE,
    EVENT_DIAGNOSTIC,
    EVENT_SUMMARY,
};

struct event {
    enum event_kind kind;
    int64_t wall_ms, monotonic_ms;
    addr address;
    sv element_type;
    enum change_action action;
    enum op_kind op;
    enum status status, precise_status;
    int64_t elapsed_ms;
    sv text; /* message */
    const struct diag *diag;
    const struct plan_summary *done; /* SUMMARY: what was carried out */
    const struct rollback *rollback; /* SUMMARY of a rollback: what was skipped; else NULL */
    sv outcome;                      /* SUMMARY: instance status */
};

/* A run that was taken from the queue (LC-045), with the lease of its instance: queue.h. */
struct queued_run {
    sv id;
    struct store_lease lease;
    int64_t taken_ms; /* monotonic; before the lease was asked for */
    /* What became of it: */
    bool has_begun;  /* its first row is durable */
    bool is_lost;    /* the lease is another's */
    bool has_strays; /* calls did not come back: the lease runs out by itself */
};

struct run_config {
    struct arena *arena;
    struct diags *diags;
    const struct limits *limits;
    struct store *store;
    struct sealer *sealer;
    const struct providers *providers;
    struct host *host;
    struct fetcher *fetcher; /* children and files that are read while planning (BP-170, FN-206); NULL: none can be */
    sv context, instance_name, instance_id;        /* BP-411: one of name and id */
    sv actor_command;                              /* command line without secret values */
    size_t parallel;                               /* 10 */
    size_t readers;                                /* objects that are read at a time (BP-530); 0: 8 */
    int64_t lease_ttl_ms;                          /* 60 000 */
    int64_t lock_timeout_ms;                       /* wait for a live lease that long; 0: not at all */
    int64_t drain_ms;                              /* 2 min (BP-501) */
    int64_t stable_interval_ms, stable_timeout_ms; /* 5 s, 30 min */
    int64_t retry_first_ms;                        /* 2 s (BP-500) */
    int64_t resource_lock_ms;                      /* a link waits so long for another's (BP-490); 0: 15 min */
    unsigned retries;                              /* 5 */
    bool refresh;                                  /* read real objects first (BP-421 (3)) */
    bool accept_drift, force;
    bool allow_private;        /* data sources may read from private addresses that the template names (LC-081) */
    const atomic_int *signals; /* number of SIGINT/SIGTERM so far (LC-061); may be NULL */
    void (*on_event)(void *user, const struct event *e);
    /* The store cannot be written: a line of JSON with an outcome that must not be lost (LC-046); sensitive values are
     * sealed. The caller appends it to
     * `.lintel/rescue-RUNID.jsonl`, or to standard error. May be NULL. */
    void (*on_rescue)(void *user, sv run_id, sv line);
    /* The run is one of the queue: it has its id and its lease, keeps the lease in the end, and what becomes of it in
     * the queue is durable together with its last rows. NULL: it is a run of its own. */
    struct queued_run *queued;
    struct target_request scope; /* of planning; see CLI-013 */
    size_t keep_history;         /* entries of the instance (LC-025); 0: 50 */
    void *user;
};

/* A plan for the template, loaded or expanded, against the stored instance; `t` NULL (or destroy): against the empty
 * template. NULL after a report. `code` gets the exit code. */
struct plan *run_plan(const struct run_config *c, const struct template *t, bool destroy,
                      const struct template_input *inputs, size_t input_count, enum exit_code *code);
/* Carries the plan out under a lease, journalled; resumes what an earlier run left open first (LC-023). `t` is the
 * template it was made of, loaded with `plan->pins`; results of functions and data sources are those of the plan
 * (BP-424). */
enum exit_code run_deploy(const struct run_config *c, const struct template *t, const struct plan *p);

/* Whether the plan rests on drift that nobody has accepted, which is reported then. */
bool run_needs_consent(const struct run_config *c, const struct plan *p);

/* Plan files (LC-003): one JSON document; sensitive values sealed. */
void plan_write_json(struct jsonw *w, const struct plan *p, struct sealer *sealer);
/* NULL after a report (`invalid_plan_file`). */
struct plan *plan_read_json(struct arena *a, sv json, struct sealer *sealer, struct diags *diags);

/* What is stored of an instance, decoded. */
struct instance_view {
    struct store_instance instance;
    const struct resource_record *resources;
    size_t resource_count;
    const struct link_record *links;
    size_t link_count;
    const struct export_record *exports; /* of the root */
    size_t export_count;
    const struct export_record *child_exports; /* their names are addresses (BP-193) */
    size_t child_export_count;
    struct store_lease lease;
    size_t open_intents;
    const struct run_result *results; /* kept with the instance (FN-231) */
    size_t result_count;
    sv at_run; /* id of the run after which it was so; empty: as it is now */
};
/* False after a report (`instance_not_found`, …). */
bool run_view_instance(const struct run_config *c, struct instance_view *view);
/* As it was after a run: its number or id in the history; empty: as it is now, with nothing in it when it was
 * destroyed. False after a report (`run_not_reachable`, …). */
bool run_view_instance_at(const struct run_config *c, sv run, struct instance_view *view);

#endif
