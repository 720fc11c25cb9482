/* Killing a run at every point where something becomes true, and going on.
 *
 * Points are counted in the process that is to die: in front of and behind every write of the store, and in front of
 * and behind every call of a provider. At the number wanted the process gets SIGKILL: nothing is cleaned up, as after a
 * power cut of the process. */
#ifndef TESTS_FAULT_ENGINE_CRASH_H
#define TESTS_FAULT_ENGINE_CRASH_H

#include "engine/run.h"

struct crash {
    long kill_at;       /* 0: never */
    atomic_long passed; /* points so far */
};

/* Counts; does not come back from the point wanted. */
void crash_pass(struct crash *c);
/* The store with points around its writes. Lives in `a`. */
struct store *crash_wrap_store(struct arena *a, struct crash *c, struct store *inner);
/* The providers with points around their calls. One crash per process: `c` is found through the host, which must be the
 * one of crash_get_host. */
const struct providers *crash_wrap_providers(struct arena *a, const struct providers *inner);
/* The real host, with the crash beside it. */
struct host crash_get_host(struct crash *c);
/* The crash beside a host made by it; for points of a test's own. */
struct crash *crash_of_host(const struct host *h);

/* One run in a process of its own. */
struct crash_run {
    const char *dir;       /* state.db, blueprint.yaml and what is deployed */
    const char *blueprint; /* file name in `dir`; NULL: destroy */
    long kill_at;
    bool checks_drift; /* instead of deploying */
    bool reconciles;   /* instead of deploying: looks at what was cut off, and applies */
    bool rolls_back;   /* instead of deploying; nothing to roll back counts as done */
    const struct providers *providers;
    size_t parallel;
};
/* What became of it. */
struct crash_end {
    bool killed;
    int code;                         /* exit code of the run */
    long points;                      /* that it passed, when it was not killed */
    size_t changes;                   /* of its plan, or results */
    size_t open;                      /* results that nothing can be done about */
    long undoes;                      /* number of the history entry that is rolled back; 0: the runs in the journal */
    bool became[STATUS_retained + 1]; /* new statuses of results */
    char errors[1000];
};
void crash_run_in_child(const struct crash_run *r, struct crash_end *end);

/* A directory of its own, in memory where the system has such, and the end of it with all it holds. */
void crash_make_dir(char path[64]);
void crash_remove_dir(const char *path);
void crash_write_file(const char *dir, const char *name, const char *text);
/* Contents of a file; NULL when it is not there. */
const char *crash_read_file(struct arena *a, const char *dir, const char *name);
size_t crash_count_files(const char *dir, const char *below);

#endif
