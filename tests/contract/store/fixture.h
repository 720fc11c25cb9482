/* What the store suites stand on: a host whose clock stands still until told, and one open store. */
#ifndef TESTS_CONTRACT_STORE_FIXTURE_H
#define TESTS_CONTRACT_STORE_FIXTURE_H

#include "model/store.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>

#include <cmocka.h>

struct fake_host {
    struct host host;
    int64_t wall_ms, monotonic_ms;
    uint64_t seed;
    sv boot_id, actor;
};
void fake_host_init(struct fake_host *h);

struct fixture;
/* How a kind of store is opened; `again` opens the same one. */
struct store_kind {
    const char *name;
    struct store *(*open)(struct fixture *f, bool read_only);
    bool is_lasting; /* what is committed is there after close */
    /* A store with a clock of its own (it counts for every host alike) is told here that time has passed. */
    void (*let_pass)(struct fixture *f, int64_t ms);
    void *user;
};

struct fixture {
    const struct store_kind *kind;
    struct arena arena;
    struct sources sources;
    struct diags diags;
    struct fake_host fake;
    struct store *store;
    char dir[64]; /* of its own, removed by fixture_fini */
};
void fixture_init(struct fixture *f, const struct store_kind *kind);
void fixture_fini(struct fixture *f);
void fixture_reopen(struct fixture *f);
struct store_options fixture_get_options(struct fixture *f, bool read_only);
/* Time goes on, on the host and in the store. */
void fixture_let_pass(struct fixture *f, int64_t ms);
sv fixture_get_path(struct fixture *f, const char *name);

/* Rows to play with. */
struct store_instance sample_instance(const char *id, const char *name);
struct store_element sample_element(const char *address, sv body);
struct journal_row sample_row(int64_t sequence, uint64_t token);
struct store_history sample_history(int64_t number);
/* Begins, puts, commits. */
void save_instance(struct store *s, const struct store_instance *i, int64_t expected_version);
void save_element(struct store *s, const char *id, const struct store_element *e);

#define CHECK_SV(got, want) check_sv_at((got), (want), __FILE__, __LINE__)
void check_sv_at(sv got, sv want, const char *file, int line);

/* Runs all cases over one kind; the exit status of the program. */
int run_store_contract(const struct store_kind *kind);
/* The same for the queue and for events. */
int run_queue_contract(const struct store_kind *kind);
/* The same for data keys. */
int run_key_contract(const struct store_kind *kind);

#endif
