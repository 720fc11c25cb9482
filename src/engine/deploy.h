/* Inside of a run: what the files deploy_*.c share.
 *
 * One thread owns all of this; workers only call providers. Everything that becomes true in one turn of the loop is
 * written in one transaction (struct batch), and what depends on its being durable happens after the commit: calls
 * start, progress is answered, events go out (LC-011 (1), LC-012). */
#ifndef LINTEL_ENGINE_DEPLOY_H
#define LINTEL_ENGINE_DEPLOY_H

#include "engine/apply.h"
#include "engine/exec.h"
#include "engine/journal.h"
#include "engine/link_fields.h"
#include "engine/links.h"
#include "engine/rollback.h"
#include "engine/run.h"
#include "engine/snapshot.h"
#include "engine/stored.h"
#include "engine/workers.h"
#include "text/render.h"

enum op_phase {
    PHASE_MAKE = 1, /* create, update, destroy */
    PHASE_STABLE,
};

/* The operation of a link type that has some, while it is carried out (BP-490). */
struct link_run;

/* One operation while it is carried out. */
struct op_run {
    const struct plan_op *op;
    const struct change *change;
    uint32_t element; /* of L: the link's number. UINT32_MAX: not in the template */
    const struct resource_type *type;
    sv action; /* "create" "update" "destroy", in the journal and in keys */
    uint8_t key[16];
    int64_t generation;
    value spec, metadata, prior; /* what the provider gets */
    sv physical_id;
    const struct field_diff *diff;
    bool has_intent, has_started, over;
    bool is_excluded; /* its condition is false after all (BP-468): not made, or removed */
    enum op_phase phase;
    struct job *job;                 /* under way */
    int64_t call_ends_ms;            /* monotonic; by then the call under way should have come back */
    int64_t started_ms, deadline_ms; /* monotonic; deadline: of becoming stable */
    enum status status;              /* when it is over */
    enum status precise;             /* of a link, phase by phase; 0: no other than `status` */
    struct link_run *link;           /* NULL: nothing is called for it */
    VEC(sv) reasons;                 /* masked */
};

enum write_kind {
    WRITE_JOURNAL = 1,
    WRITE_RESOURCE,
    WRITE_LINK,
    WRITE_DELETE,
};

struct pending_write {
    enum write_kind kind;
    struct journal_entry entry; /* JOURNAL */
    const struct resource_record *resource;
    const struct link_record *link;
    sv address; /* DELETE */
};

struct batch {
    VEC(struct pending_write) writes;
    VEC(struct job *) starts;  /* to be handed to the workers after the commit */
    VEC(struct job *) answers; /* progress to be answered after the commit */
    VEC(struct event) events;
};

struct snapshot_writer {
    bool is_on;
    struct map rows;     /* address → row as loaded, of what the plan changes */
    struct snapshot all; /* what the journal tells, and what was added */
};

/* Events on their way to the store (LC-060). */
struct event_lines {
    struct arena arena;
    struct buf json;  /* a line each; those that no transaction has saved */
    int64_t since_ms; /* when the first came */
};

struct deploy {
    const struct run_config *c;
    const struct template *loaded; /* as given by the caller */
    const struct template *t;      /* expanded; NULL: the empty template */
    const struct plan *p;
    struct arena *a;   /* the run's */
    struct arena turn; /* of one turn of the loop: encoded rows */
    struct stored stored;
    struct topology topology;
    struct evaluation eval;
    bool eval_started;
    value *merged;   /* per element, `.spec` as others see it; kind 0 until asked for */
    value *metadata; /* per element; kind 0 until asked for */
    sv run_id;
    struct store_lease lease;
    bool has_lease;
    struct journal journal;
    struct workers *workers;
    struct exec *exec;
    struct op_run *ops;
    struct map op_by_address; /* C or L of an address → operation + 1 */
    struct map links;         /* address → link of the template + 1 */
    struct map locks;         /* address of a resource → operation of the link that writes it + 1 (BP-490) */
    const int64_t *places, *link_places; /* per element, per link of the template (places.h); NULL until asked for */
    struct link_fields fields;           /* what links have set in resources (BP-491) */
    struct batch batch;
    struct snapshot_writer saved;
    struct event_lines lines;
    struct mask mask;
    bool mask_ready;
    bool has_strays; /* calls that did not come back: the lease runs out by itself */
    bool lease_lost, store_failed, stopping, hard_stop, is_over_ttl;
    int64_t started_wall_ms, started_ms, renewed_ms, beat_ms, look_ms;
    struct map left_out;  /* addresses that the plan leaves as they are stored (CLI-013) */
    bool is_resumed;      /* of the very plan that was cut off (LC-023) */
    bool is_first;        /* nothing was ever deployed of the instance */
    VEC(sv) untold;       /* addresses that nobody can tell about */
    size_t saved_results; /* of the record: those that the instance's row has already */
    size_t succeeded, failed, interrupted;
    struct plan_summary done;
    int signals_seen;
};

/* --- deploy_write.c --- */
void write_journal(struct deploy *d, const struct journal_entry *e);
/* The record gets its place. */
void write_resource(struct deploy *d, struct resource_record *r);
void write_link(struct deploy *d, struct link_record *l);
/* The place of a resource (places.h); 0: the template does not have it. */
int64_t find_place(struct deploy *d, sv address);
void write_delete(struct deploy *d, sv address);
/* Commits the batch and does what waited for it. After a failure nothing more is written (lease_lost or store_failed is
 * set); outcomes go to the rescue file (LC-046). */
void flush_batch(struct deploy *d);
/* begin … commit with the lease; reports nothing, sets lease_lost or store_failed. */
bool begin_write(struct deploy *d);
bool check_write(struct deploy *d, enum store_result r);
bool renew_lease(struct deploy *d);

/* --- deploy_snapshot.c --- */
/* Of what the plan changes, before the rows are dropped (stored_drop_rows). */
void snapshot_copy_rows(struct deploy *d);
/* Behind that: from the journal. */
void snapshot_start(struct deploy *d);
/* A record that the plan does not change is about to be changed all the same: its row is made of it. */
void snapshot_keep_record(struct deploy *d, const struct resource_record *r);
/* Called by everything that writes; `has_intent`: an intent of the operation follows. */
void snapshot_save(struct deploy *d, sv address, bool has_intent);
/* The object of that generation is left in place and forgotten; before the record follows. */
void snapshot_save_left(struct deploy *d, sv address, int64_t generation);
/* The instance's row as it was loaded; inside a transaction. */
enum store_result snapshot_save_instance(struct deploy *d);

/* --- deploy_rollback.c: nothing happens in a run of another kind --- */
sv get_run_kind(const struct deploy *d); /* "deploy" "destroy" "rollback" */
void rollback_put_start(const struct deploy *d, struct map_builder *b);
/* An instance that was destroyed goes on where it ended: with versions, hence generations of its elements, that it has
 * not had (LC-022), and behind its history. */
void rollback_revive(struct deploy *d);
/* The creation of what touches nothing outside gives the values that it had. False: it is to be made. */
bool rollback_recall(const struct deploy *d, const struct op_run *o, struct provider_call *call);
/* Objects that are there still go into the state again. False when one is not there any more. */
bool rollback_begin(struct deploy *d);
/* The statuses of a rollback in place of those that a record or event has got. */
void rollback_mark(const struct deploy *d, const struct op_run *o, struct resource_record *r,
                   enum rollback_phase phase);
void rollback_mark_link(const struct deploy *d, const struct op_run *o, struct link_record *l,
                        enum rollback_phase phase);
void rollback_mark_event(const struct deploy *d, const struct op_run *o, struct event *e);
void rollback_put_intent(const struct deploy *d, const struct op_run *o, struct map_builder *b);
/* Of a record that an intent of a rollback has changed. */
void rollback_mark_recovered(struct deploy *d, value intent, struct resource_record *r);
/* What the instance's row tells beside its elements becomes what it was. */
void rollback_restore_body(struct deploy *d);
/* History entries of the runs that are rolled back; inside a transaction. */
enum store_result rollback_keep_runs(struct deploy *d, size_t keep);

/* --- deploy_ops.c --- */
/* First attempt: over at once, or an intent and a job for the batch. */
void op_start(struct deploy *d, uint32_t op);
/* The next attempt, or the next question whether it is stable. */
void op_go_on(struct deploy *d, uint32_t op);
void op_fill_all(struct deploy *d);

/* --- deploy_done.c --- */
void op_take_result(struct deploy *d, struct job *job);
void op_give_up(struct deploy *d, uint32_t op);
void op_abandon(struct deploy *d, uint32_t op);
/* Ends an operation that turned out not to be needed: nothing is counted, nothing told. */
void op_skip(struct deploy *d, uint32_t op);
/* Whether a removal leaves the element's row: another object takes the place of this one. */
bool op_element_stays(const struct deploy *d, const struct op_run *o);
/* Whether a removal leaves the object where it is (BP-134, BP-449). */
bool op_retains(const struct deploy *d, const struct op_run *o);
/* Ends an operation that needs no provider. */
void op_succeed_at_once(struct deploy *d, uint32_t op);
void op_fail(struct deploy *d, uint32_t op, enum exec_outcome outcome);
void op_add_reason(struct deploy *d, struct op_run *o, sv text);
/* For operations of links: */
bool op_tell(struct deploy *d, uint32_t op, enum exec_outcome outcome);
bool op_tell_wait(struct deploy *d, uint32_t op, int64_t wait_ms);
void op_write_outcome(struct deploy *d, const struct op_run *o, const char *result, value computed);
void op_write_progress(struct deploy *d, const struct op_run *o, value token);
void op_end_well(struct deploy *d, uint32_t op, enum status status);
void op_take_failure(struct deploy *d, uint32_t op, const struct job *job);

/* --- deploy_links.c --- */
void link_start(struct deploy *d, uint32_t op);
/* A retry, or another look whether the lock is free. */
void link_go_on(struct deploy *d, uint32_t op);
void link_take_result(struct deploy *d, uint32_t op, const struct job *job);
void link_record_failure(struct deploy *d, struct op_run *o, enum op_failure failure);

/* --- deploy_values.c --- */
/* The desired spec and metadata with everything known. False after a report. */
bool op_resolve(struct deploy *d, struct op_run *o);
bool op_stage_link(struct deploy *d, const struct op_run *o, struct link_call *call);
struct evaluation *get_evaluation(struct deploy *d);
/* Of the resource, or of both sides of the link, that the operation is about; now that all it uses is there. */
enum condition op_find_condition(struct deploy *d, const struct op_run *o);
/* The template's element that the operation's address names, of a removal too; UINT32_MAX without. */
uint32_t op_find_element(const struct deploy *d, const struct op_run *o);
/* The element's description as it is recorded (BP-551). */
sv eval_description(struct deploy *d, uint32_t element);
/* "delete", "retain", or "detach": it stays when the child around it goes (BP-134, BP-294). */
sv get_removal_policy(const struct deploy *d, uint32_t element);
/* struct evaluation's demand_data; `user` is the run. */
value deploy_demand_data(void *user, struct evaluation *e, uint32_t element, const value *searches);
/* What others see of an element follows its record, which has changed. */
void settle_element(struct deploy *d, uint32_t element);
sv mask_text(struct deploy *d, sv text);
void mask_add_values(struct deploy *d, value v);

/* --- deploy_begin.c --- */
/* Lease, staleness, run row, recovery, drift: everything in front of the loop. False after a report: then only `code`
 * is to be returned. */
bool begin_run(struct deploy *d, enum exit_code *code);
/* Takes the lease of `p->instance_id`, waiting for another's as long as the configuration says. False after a report.
 */
bool take_lease(struct deploy *d, enum exit_code *code);
/* The journal goes on behind the last stored row. */
void start_journal(struct deploy *d);
/* Results of life INSTANCE that came up since the row was stored last go into it (FN-231). */
bool has_new_results(const struct deploy *d);
void take_results(struct deploy *d, bool only_used);
/* Stores the instance's row with the next version, inside a transaction. */
enum store_result put_instance(struct deploy *d, enum status status);

/* --- deploy_claim.c --- */
/* Objects that an edit has given to an element bear its mark from now on. */
void claim_objects(struct deploy *d);

/* --- deploy_end.c --- */
/* Everything behind the loop: exports, the instance's row, history. */
void end_run(struct deploy *d);
enum exit_code get_exit_code(const struct deploy *d);

/* --- deploy_children.c --- */
/* The children in which operations have failed, once all are over (BP-502). */
void report_failed_children(struct deploy *d);

/* --- deploy_events.c --- */
/* The first line, unless the run goes on that wrote it. */
void events_begin(struct deploy *d);
/* Takes the events of the batch, to be saved with the next transaction. */
void events_keep(struct deploy *d);
/* Whether they should be saved though there is nothing else to write. */
bool events_are_due(const struct deploy *d);
/* Inside a transaction; after its commit, events_forget. */
enum store_result events_save(struct deploy *d);
void events_forget(struct deploy *d);

/* --- events.c --- */
void emit_op_event(struct deploy *d, enum event_kind kind, const struct op_run *o);
/* `diag` lives as long as the run's diagnostics. */
void emit_diagnostic(struct deploy *d, const struct diag *diag);
void emit_message(struct deploy *d, sv address, sv text);
void emit_heartbeats(struct deploy *d);
void emit_summary(struct deploy *d, sv outcome);
/* What becomes of a queued run, in its last transaction. */
enum store_result end_queued(struct deploy *d, sv outcome);

int64_t now_wall(const struct deploy *d);
int64_t now_monotonic(const struct deploy *d);

#endif
