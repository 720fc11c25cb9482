/* What benchmarks of the engine share: a blueprint in memory, a store, a plan. Whatever fails ends the program. */
#ifndef BENCH_ENGINE_SESSION_H
#define BENCH_ENGINE_SESSION_H

#include "engine/run.h"

/* One template and what it takes to run it. */
struct session {
    struct arena arena, text_arena;
    struct host host;
    struct sources sources;
    struct diags diags;
    struct store *store;
    struct sealer *sealer;
    struct template *t;
    struct plan *plan;
    struct run_config config;
    const struct providers *providers; /* set by the caller, as are text and dir */
    struct fetcher *fetcher;           /* may be NULL */
    sv text;
    const char *dir;
    const char *url; /* of a PostgreSQL state; NULL: a file in `dir`, or memory */
};

_Noreturn void session_stop(const struct session *s, const char *what);
void session_load(struct session *s);
/* At `url`, in a file in `dir`, or in memory. */
void session_open_store(struct session *s);
void session_plan(struct session *s);
void session_deploy(struct session *s);
/* All but the text. */
void session_close(struct session *s);

#endif
