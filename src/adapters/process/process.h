/* The one door to operating system processes.
 *
 * A program is always started by an argument vector, never by a shell; it gets exactly the environment given, no
 * inherited descriptor, default signal dispositions and a session of its own. A process is known by its number *and*
 * its start time, so that a reused number is never mistaken for it; a zombie is gone. Nothing here waits longer than it
 * is told. */
#ifndef LINTEL_ADAPTERS_PROCESS_PROCESS_H
#define LINTEL_ADAPTERS_PROCESS_PROCESS_H

#include "base/arena.h"
#include "base/vec.h"

#include <stdatomic.h>

/* --- Identity --- */

struct process_ref {
    int64_t pid;
    uint64_t start_ticks; /* since boot: field 22 of /proc/PID/stat */
};

struct process_info {
    struct process_ref ref;
    char state; /* R S D T Z X … */
    int64_t parent, group, session;
};

/* False when there is no such process (or it is not visible). */
bool process_look(int64_t pid, struct process_info *info);
/* Exists, started when it should have, and is no zombie. */
bool process_is_running(struct process_ref ref);
/* Surely not running any more. Neither this nor running: the system does not let us look (no descriptor is left, say);
 * whoever takes that for an end leaves a process behind. */
bool process_is_gone(struct process_ref ref);
/* Exists with its start time, zombies too: its number cannot be that of another. */
bool process_exists(struct process_ref ref);

/* The initial environment of a process: NAME=TEXT entries, each followed by a NUL; empty when unreadable. At most 4
 * MiB. */
sv process_read_environ(struct arena *a, int64_t pid);
/* False when the entries have no such name. The text points into `entries`. */
bool process_find_env(sv entries, sv name, sv *text);

struct process_refs {
    VEC(struct process_info) items;
};
/* Running processes whose initial environment has all these entries ("NAME=TEXT"), in order of their numbers. False
 * when some could not be looked at, so that there may be more. */
bool process_scan(struct arena *a, const sv *entries, size_t count, struct process_refs *result);

struct process_ports {
    VEC(uint16_t) items;
};
/* TCP ports on which the process listens, rising, each once. */
void process_list_ports(struct arena *a, int64_t pid, struct process_ports *result);

/* --- Starting --- */

/* Arguments and environments as the kernel wants them. */
struct process_strings {
    VEC(const char *) items; /* a NULL stands behind them once ended */
};
void process_strings_add(struct arena *a, struct process_strings *s, sv text);
const char *const *process_strings_end(struct arena *a, struct process_strings *s);

/* The file that `name` means: itself when it has a slash, else the first executable in the directories of `search`
 * (PATH's form). Empty when none. */
sv process_find_program(struct arena *a, sv name, sv search);

struct process_start {
    const char *program;          /* path of the file */
    const char *const *arguments; /* [0] is the name the program sees */
    const char *const *environment;
    const char *working_dir; /* NULL: / */
    int output;              /* descriptor for standard output and error; -1: /dev/null */
    size_t file_max;         /* bytes it may write into one file; 0: any number */
};

enum process_stage {
    PROCESS_STAGE_FORK = 1, /* no process could be made */
    PROCESS_STAGE_DIRECTORY,
    PROCESS_STAGE_EXEC,
};
struct process_failure {
    enum process_stage stage;
    int error; /* errno */
};

/* Starts a process that outlives this one: no child of ours, leader of its own session and group, standard input from
 * /dev/null. Returns when the program runs or surely does not. */
bool process_start_detached(const struct process_start *start, struct process_ref *result,
                            struct process_failure *failure);

/* --- Guards --- */

/* A name that only one holder on this machine has at a time. Held by descriptor: a started process keeps it until its
 * program runs, even when the starter is killed. So whoever gets the guard knows that no start is under way under that
 * name. -1 when held by another; the caller closes. */
int process_take_guard(sv name);

/* --- Running to the end --- */

struct process_run {
    const char *program;
    const char *const *arguments;
    const char *const *environment;
    const char *working_dir;
    sv input;           /* given on standard input */
    size_t output_max;  /* bytes kept of each of output and errors; more ends the process */
    size_t errors_max;  /* the same of errors alone; 0: output_max */
    int64_t timeout_ms; /* the process group is killed after it */
    bool is_alone;      /* when the program has ended, what is left of its process group is killed, and nobody else is
                           waited for who holds its output */
    size_t file_max;    /* as of a start */
    bool drops_errors;  /* what it writes as errors goes nowhere, however much it is */
    const atomic_int *signals; /* the process group is killed when this is above 0; may be NULL */
    /* out */
    sv output, errors;
    int status; /* exit status; 128 + signal */
    bool is_late, is_too_much, is_stopped;
    struct process_failure failure; /* when it could not be started */
};
/* False when the program could not be started. */
bool process_run_to_end(struct arena *a, struct process_run *run);

/* Tells the group of a running process; false with errno when that failed. */
bool process_signal_group(struct process_ref leader, int signal_number);
/* SIGTERM for "SIGTERM" or "TERM"; 0 for unknown names. */
int process_find_signal(sv name);

#endif
