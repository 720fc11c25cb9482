/* State stores: rows, leases, journal (LC-020 to LC-044). memory is the reference; sqlite the default. One contract
 * suite runs over all.
 *
 * A store keeps JSON text and does not look into it; sensitive leaves are sealed before they get here (LC-011 (5)). A
 * handle belongs to one thread. Every write happens between `begin` and `commit`; with a lease, `begin` checks token
 * and expiry inside the transaction (LC-031). */
#ifndef LINTEL_MODEL_STORE_H
#define LINTEL_MODEL_STORE_H

#include "model/host.h"
#include "text/diag.h"

enum store_result {
    STORE_OK = 1,
    STORE_NOT_FOUND,
    STORE_CONFLICT, /* compare-and-set failed, or a name is taken, or a live lease is held by another */
    STORE_LOST_LEASE,
    STORE_BUSY,  /* locked by another program beyond the time limit */
    STORE_NEWER, /* written by a newer lintel */
    STORE_CORRUPT,
    STORE_FOREIGN, /* not a lintel state */
    STORE_READ_ONLY,
    STORE_FAILED, /* I/O, disk full, … */
};

struct store_instance {
    sv id;      /* 21 URL-safe characters (BP-410) */
    sv context; /* name space */
    sv name;
    sv dialect;
    sv status;       /* BP-541 */
    int64_t version; /* grows with each save */
    int64_t created_ms, updated_ms;
    sv body; /* JSON: exports, metadata, digests, timestamps, durations … */
};

struct store_element {
    sv address; /* canonical (addr.h) */
    sv type;
    sv status, precise_status;
    sv physical_id;
    int64_t created_ms, updated_ms;
    sv body; /* JSON, BP-551, BP-552 */
};

enum journal_kind {
    JOURNAL_RUN_STARTED = 1,
    JOURNAL_INTENT,
    JOURNAL_PROGRESS,
    JOURNAL_OUTCOME,
    JOURNAL_SAVED,
    JOURNAL_RUN_ENDED,
};

struct journal_row {
    int64_t sequence; /* per instance, from 1, without gaps; set by the caller */
    enum journal_kind kind;
    sv run_id;
    uint64_t token; /* fencing token of the writer */
    int64_t wall_ms;
    sv operation; /* operation id within the plan; empty for run rows */
    sv address, action;
    sv body;         /* JSON */
    uint8_t mac[32]; /* keyed BLAKE2b over this row and the one before (LC-020) */
};

struct store_history {
    int64_t number; /* per instance, from 1 */
    sv run_id, kind, actor, outcome;
    int64_t started_ms, ended_ms;
    sv body; /* JSON: digests, change set summary, earlier values (LC-025) */
};

struct store_lease {
    sv instance_id;
    uint64_t token;     /* fencing token: grows by one with every take-over, never reused */
    sv holder;          /* JSON: run id, actor, pid, start time, boot id, command, since */
    int64_t expires_ms; /* on the store's clock; with `has_own_clock` as the host's monotonic clock will show it */
    bool has_own_clock; /* the store's clock is nobody's boot: a holder elsewhere is as live as one here */
};

/* What is wanted of a lease. */
struct store_lease_request {
    sv instance_id;
    sv holder; /* JSON, as in struct store_lease */
    int64_t ttl_ms;
    bool steal; /* take over a live one (unlock) */
};

/* An object outside, as states name it. */
struct store_object {
    sv type, physical_id;
};
/* An element of some instance that stands for such an object. */
struct store_claim {
    struct store_object object;
    sv instance_id, instance_name, context;
    sv address;
};

enum store_run_status {
    STORE_RUN_QUEUED = 1,
    STORE_RUN_RUNNING, /* was taken; whether whoever did so is still there tells the lease of its instance */
    STORE_RUN_ENDED,
    STORE_RUN_CANCELLED,
};

/* A run of the queue (LC-045). Of one instance at most one is under way: whoever takes a run takes the lease of its
 * instance with it, so a worker that is gone loses its run by the rules of leases. */
struct store_run {
    int64_t number; /* order in the queue; set by the store */
    sv id;          /* 26 characters; the run's id from then on */
    enum store_run_status status;
    sv instance_id, instance_name, context;
    sv kind, actor;                         /* of whom it was queued by */
    int64_t created_ms, taken_ms, ended_ms; /* 0: not yet; taken: the last time */
    int64_t takes;                          /* how often it was taken */
    int64_t exit_code;                      /* of ENDED */
    sv outcome;                             /* of ENDED; status of the instance, or why there is none */
    sv body;                                /* JSON: how it is to be run */
    sv plan;                                /* JSON; only from take_run and while it has not ended */
};

/* A step of a run: compare-and-set on its status. To QUEUED it is given back, and is taken again in its turn. */
struct store_run_change {
    sv id;
    enum store_run_status from, to;
    int64_t wall_ms;
    int64_t exit_code; /* to ENDED */
    sv outcome;
};

/* Which events are wanted. */
struct store_events_request {
    sv run_id;
    int64_t after; /* sequence */
    size_t limit;
};

/* Events of a run that became durable together (LC-060). */
struct store_events {
    int64_t sequence; /* per run, from 1, without gaps */
    sv body;          /* JSON, a line each */
};

/* What a tree load brings. Lives in the arena given. */
struct store_tree {
    bool found;
    struct store_instance instance;
    VEC(struct store_element) elements; /* in order of first save */
    VEC(struct journal_row) journal;    /* rows not yet compacted, in sequence */
    struct store_lease lease;           /* token 0: never leased; expired leases are shown as they are */
};

struct store;

struct store_ops {
    /* --- life --- */
    void (*close)(struct store *s);
    /* One line saying what and where the store is ("SQLite, /x/.lintel/state.db"). */
    sv (*get_description)(struct store *s);
    /* Random bytes made when the store was, for keyed digests (BP-282) and the journal's MAC. */
    enum store_result (*get_store_key)(struct store *s, uint8_t key[32]);
    /* --- transactions; `lease` NULL: no check (instances not leased yet, context files) --- */
    enum store_result (*begin)(struct store *s, const struct store_lease *lease);
    enum store_result (*commit)(struct store *s); /* durable when OK; else nothing of it happened, unless FAILED says it
                                                     cannot be told (the caller reads anew) */
    void (*rollback)(struct store *s);
    /* A transaction that overlaps no run: no lease is held when it begins, and none is taken, renewed or used before it
     * has ended. It is never repeated: a connection that is lost ends it. CONFLICT: a live lease is held; `lease` (in
     * `a`) then shows it. */
    enum store_result (*begin_alone)(struct store *s, struct arena *a, struct store_lease *lease);
    /* --- leases; each is a transaction of its own --- */
    /* CONFLICT: a live lease is held; `lease` then shows it. A holder on this host and boot whose process is gone
     * is taken over at once (LC-033); `holder` JSON has pid, startTime, bootId, host. */
    enum store_result (*take_lease)(struct store *s, struct arena *a, const struct store_lease_request *request,
                                    struct store_lease *lease);
    enum store_result (*renew_lease)(struct store *s, struct store_lease *lease, int64_t ttl_ms);
    enum store_result (*release_lease)(struct store *s, const struct store_lease *lease);
    /* --- reading; a consistent snapshot per call --- */
    enum store_result (*load_tree)(struct store *s, struct arena *a, sv instance_id, struct store_tree *tree);
    enum store_result (*find_instance)(struct store *s, struct arena *a, sv context, sv name,
                                       struct store_instance *result);
    enum store_result (*list_instances)(struct store *s, struct arena *a, sv context, struct store_instance **items,
                                        size_t *count); /* empty context: all */
    enum store_result (*list_history)(struct store *s, struct arena *a, sv instance_id, struct store_history **items,
                                      size_t *count);
    /* Ids of all instances with history, those that are gone, too; sorted. */
    enum store_result (*list_owners)(struct store *s, struct arena *a, sv **ids, size_t *count);
    /* --- the data keys of name spaces (LC-050), wrapped: texts that a store does not look into --- */
    enum store_result (*find_data_key)(struct store *s, struct arena *a, sv context, sv *wrapped);
    /* Inside a transaction. Compare-and-set: CONFLICT when what is there is not `expected`; empty: nothing is there. */
    enum store_result (*put_data_key)(struct store *s, sv context, sv expected, sv wrapped);
    /* Every element, of whatever instance, that stands for one of the objects: by context, instance name, address of
     * each object in turn. Looked up by index; rows are not checked for damage. An empty
     * physical id is nobody's. */
    enum store_result (*find_claims)(struct store *s, struct arena *a, const struct store_object *objects,
                                     size_t object_count, struct store_claim **items, size_t *count);
    /* --- writing; inside a transaction --- */
    /* Compare-and-set: `expected_version` 0 inserts (CONFLICT when id or name exists), else the stored version must be
     * it. Stores instance->version. */
    enum store_result (*put_instance)(struct store *s, const struct store_instance *instance, int64_t expected_version);
    enum store_result (*delete_instance)(struct store *s,
                                         sv instance_id); /* with elements and journal; history stays */
    enum store_result (*put_element)(struct store *s, sv instance_id, const struct store_element *element);
    enum store_result (*delete_element)(struct store *s, sv instance_id, sv address); /* OK when it was not there */
    enum store_result (*append_journal)(struct store *s, sv instance_id, const struct journal_row *row);
    /* With the history entries that go, the events of their runs go; so do all but the last `keep_history` of the
     * instance's runs in the queue that are over. Events of runs that are in the queue stay. */
    enum store_result (*compact_journal)(struct store *s, sv instance_id, const struct store_history *entry,
                                         size_t keep_history);
    /* A row that is there, in place, by its number; for the keys of LC-052 alone. NOT_FOUND. */
    enum store_result (*rewrite_journal)(struct store *s, sv instance_id, const struct journal_row *row);
    enum store_result (*rewrite_history)(struct store *s, sv instance_id, const struct store_history *entry);
    /* --- queue (LC-045) --- */
    /* Inside a transaction; status QUEUED, `number` is ignored. CONFLICT: the id is there. */
    enum store_result (*add_run)(struct store *s, const struct store_run *run);
    /* Inside a transaction. CONFLICT: its status is not `from`. NOT_FOUND. */
    enum store_result (*change_run)(struct store *s, const struct store_run_change *change);
    /* A transaction of its own: the oldest run of the name space whose instance nobody holds becomes RUNNING, and the
     * caller the holder of the instance (`request` without instance id; `steal` has no meaning). Of an instance, a
     * run that was begun comes before all others. NOT_FOUND: there is nothing to take. */
    enum store_result (*take_run)(struct store *s, struct arena *a, sv context,
                                  const struct store_lease_request *request, struct store_run *run,
                                  struct store_lease *lease);
    /* In order of the queue, without plans; `context` empty: all; `is_open`: only those that are not over. */
    enum store_result (*list_runs)(struct store *s, struct arena *a, sv context, bool is_open, struct store_run **items,
                                   size_t *count);
    /* Without plan. NOT_FOUND. */
    enum store_result (*find_run)(struct store *s, struct arena *a, sv id, struct store_run *run);
    /* --- events (LC-060) --- */
    /* Inside a transaction: behind the last of the run. */
    enum store_result (*append_events)(struct store *s, sv instance_id, sv run_id, sv body);
    /* None, too, when there is no such run. */
    enum store_result (*list_events)(struct store *s, struct arena *a, const struct store_events_request *request,
                                     struct store_events **items, size_t *count);
    /* Waits until the queue may have changed or events may have come since the last call, or the time is over; a store
     * that is not told of changes waits for a part of it. Failures only mean that it ends at once or late. */
    void (*await_news)(struct store *s, int64_t timeout_ms);
};

struct store {
    const struct store_ops *ops;
    struct diags *diags; /* a failed call has reported one diagnostic naming the file and what to do; NOT_FOUND,
                            CONFLICT and LOST_LEASE report nothing */
    struct host *host;
};

struct store_options {
    struct diags *diags;
    struct host *host;
    bool read_only;          /* never creates or writes anything */
    int64_t busy_timeout_ms; /* 30 s */
    /* Asked before the format of a store is changed, with the store as it is, for reading instances and data keys: a
     * key that does not fit is refused while nothing has happened yet (LC-052). False after a report. NULL: nobody is
     * asked. */
    bool (*may_migrate)(void *user, struct store *old);
    void *user; /* of it */
};

/* Implementations: stores/memory/memory.h, stores/sqlite/sqlite_store.h, stores/postgres/postgres_store.h. */

#endif
