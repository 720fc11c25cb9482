/* A directory for one test of sources, with a project in it, an environment of its own, and servers on loopback.
 *
 *     DIR/tree      the project: root blueprint's directory and working directory
 *     DIR/outside   beside it
 *     DIR/cache     the cache, where a test asks for one */
#ifndef TESTS_UNIT_SOURCES_WORLD_H
#define TESTS_UNIT_SOURCES_WORLD_H

#include "sources/sources.h"

#include <sys/types.h>

enum { SERVERS_MAX = 4 };

struct world {
    struct arena arena;
    char dir[64];
    struct host host; /* the real clock; the environment below */
    struct map env;   /* name → sv */
    struct sources_options o;
    struct fetcher *f;
    struct fetch_failure failure; /* of the last call that failed */
    const struct content *base;   /* of the next calls */
    sv expected;                  /* likewise */
    pid_t servers[SERVERS_MAX];
    size_t server_count;
};

int world_set_up(void **state);
int world_tear_down(void **state);
/* A new fetcher by `o`, which the test may have changed. */
void world_open(struct world *w);
sv world_get_path(struct world *w, const char *name);
/* Directories above are made. */
void world_write(struct world *w, const char *name, sv text);
sv world_read(struct world *w, const char *name);
void world_link(struct world *w, const char *name, const char *target);
void world_set_env(struct world *w, const char *name, sv text);

/* An include; `...` are name, text pairs of metadata, ended by NULL. */
const struct content *world_include(struct world *w, const char *path, ...) __attribute__((sentinel));
const struct content *world_file(struct world *w, const char *path);
const struct content *world_url(struct world *w, const char *url);
/* The last failure has this code and tells this. */
void world_check_failure(struct world *w, enum diag_code code, const char *part);
void world_check_text(const struct content *c, const char *text);

/* Runs a program in DIR and gives its output; the test fails when it fails. Words end with NULL. */
sv world_run(struct world *w, const char *program, ...) __attribute__((sentinel));
/* Whether there is such a program. */
bool world_has_program(struct world *w, const char *name);
/* Starts a Python program of tests/contract/sources that prints its port; words end with NULL. */
uint16_t world_serve(struct world *w, const char *script, ...) __attribute__((sentinel));
int64_t world_get_now_ms(void);

#define WORLD_CASE(f) cmocka_unit_test_setup_teardown(f, world_set_up, world_tear_down)

#endif
