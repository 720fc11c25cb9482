/* What the files of this room share.
 *
 * Transactions copy on write: the first write of a transaction to an instance copies its tables of rows (not the rows,
 * which are never edited), and rollback takes the old tables back; the queue likewise. Memory is freed with the store:
 * rows that were replaced stay until then, which is right for tests. */
#ifndef LINTEL_STORES_MEMORY_INTERNAL_H
#define LINTEL_STORES_MEMORY_INTERNAL_H

#include "base/vec.h"
#include "model/store.h"

struct tables {
    sv id;
    bool has_instance;
    struct store_instance instance;
    VEC(struct store_element) elements;
    VEC(struct journal_row) journal;
    VEC(struct store_history) history;
};

struct instance_slot {
    struct tables *now;
    struct tables *before; /* what it was when the transaction began; NULL: untouched */
    struct store_lease lease;
    sv boot_id; /* of the lease */
};

struct run_table {
    VEC(struct store_run) runs; /* in order of the queue */
};

struct event_row {
    sv instance_id, run_id;
    struct store_events events;
};

/* Of the name spaces; what is there is never edited, as with the others. */
struct wrapped_key {
    sv context, text;
};
struct key_table {
    VEC(struct wrapped_key) rows;
};

struct memory_store {
    struct store store;
    struct arena arena; /* rows and tables */
    VEC(struct instance_slot) slots;
    struct run_table *queue;
    struct run_table *queue_before; /* NULL: untouched */
    VEC(struct event_row) events;   /* only grows in a transaction … */
    size_t events_before;           /* … and is cut by rollback */
    sv pruned_id;                   /* instance whose events are to be pruned by the commit */
    struct key_table *keys, *keys_before;
    bool in_transaction, read_only, keys_changed;
    uint8_t key[32];
};

static inline struct memory_store *memory_of(struct store *s) {
    return (struct memory_store *)s;
}

/* NULL when there is none. */
struct instance_slot *find_slot(struct memory_store *m, sv id);
/* Each text becomes a copy in `a`. */
void copy_texts(struct arena *a, sv *const *texts, size_t count);
#define COPY_TEXTS(a, ...)                                         \
    do {                                                           \
        sv *const texts_[] = {__VA_ARGS__};                        \
        copy_texts((a), texts_, sizeof texts_ / sizeof texts_[0]); \
    } while (0)

/* --- keys.c --- */
enum store_result memory_find_data_key(struct store *s, struct arena *a, sv context, sv *wrapped);
enum store_result memory_put_data_key(struct store *s, sv context, sv expected, sv wrapped);
enum store_result memory_begin_alone(struct store *s, struct arena *a, struct store_lease *lease);
enum store_result memory_list_owners(struct store *s, struct arena *a, sv **ids, size_t *count);
/* The transaction ends. */
void keys_end(struct memory_store *m, bool is_commit);

/* --- queue.c --- */
enum store_result memory_add_run(struct store *s, const struct store_run *run);
enum store_result memory_change_run(struct store *s, const struct store_run_change *change);
enum store_result memory_take_run(struct store *s, struct arena *a, sv context,
                                  const struct store_lease_request *request, struct store_run *run,
                                  struct store_lease *lease);
enum store_result memory_list_runs(struct store *s, struct arena *a, sv context, bool is_open, struct store_run **items,
                                   size_t *count);
enum store_result memory_find_run(struct store *s, struct arena *a, sv id, struct store_run *run);
enum store_result memory_append_events(struct store *s, sv instance_id, sv run_id, sv body);
enum store_result memory_list_events(struct store *s, struct arena *a, const struct store_events_request *request,
                                     struct store_events **items, size_t *count);
void memory_await_news(struct store *s, int64_t timeout_ms);
/* The transaction ends. */
void queue_commit(struct memory_store *m);
void queue_rollback(struct memory_store *m);
/* Part of compact_journal. */
void queue_compact(struct memory_store *m, sv instance_id, size_t keep);

#endif
