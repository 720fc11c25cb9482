/* What the fault tests of stores share: a state whose every transaction touches all rows in a way that shows whether it
 * is whole. Version V has V-1 journal rows and ELEMENTS elements whose bodies all say V. */
#ifndef TESTS_FAULT_STORE_COMMON_H
#define TESTS_FAULT_STORE_COMMON_H

#include "contract/store/fixture.h"
#include "stores/sqlite/sqlite_store.h"

enum { ELEMENTS = 8 };

struct place {
    struct arena arena;
    struct sources sources;
    struct diags diags;
    char dir[64]; /* on a file system without disk where there is one */
};
void place_init(struct place *p);
void place_fini(struct place *p);
sv place_get_path(struct place *p, const char *name);
void place_reset_diags(struct place *p);
/* With the real host. NULL after a report. */
struct store *place_open(struct place *p, sv path, enum store_result *result);

/* The holder of a lease in this process. */
sv make_own_holder(struct arena *a);
/* Saves version `version` in one transaction; `lease` may be NULL. */
enum store_result write_version(struct store *s, const struct store_lease *lease, int64_t version);
/* Loads the state and checks that it is whole: its version, 0 when there is none, -1 when it could not be loaded. */
int64_t read_version(struct store *s);
/* Opens, reads, closes. */
int64_t read_version_at(struct place *p, sv path);

/* A number that a killed process leaves behind. */
int64_t *new_shared_number(void);
void copy_file(sv from, sv to);
sv read_whole_file(struct arena *a, sv path);
void write_whole_file(sv path, sv text);

#endif
