/* The host: clock, randomness, environment, working directory. Everything the engine and functions know of the machine
 * comes through here, so that tests are deterministic (a fake host) and nothing happens behind anybody's back. */
#ifndef LINTEL_MODEL_HOST_H
#define LINTEL_MODEL_HOST_H

#include "base/arena.h"

struct host_ops {
    int64_t (*get_wall_ms)(void *user);      /* Unix time in milliseconds */
    int64_t (*get_monotonic_ms)(void *user); /* CLOCK_BOOTTIME: goes on during suspend, never jumps */
    void (*fill_random)(void *user, void *out, size_t len);
    /* False when not set. The text lives in `a`. */
    bool (*find_env)(void *user, struct arena *a, sv name, sv *result);
    sv (*get_cwd)(void *user, struct arena *a);   /* absolute, no trailing slash */
    sv (*get_actor)(void *user, struct arena *a); /* "user@host" */
    sv (*get_boot_id)(void *user, struct arena *a);
    int64_t (*get_pid)(void *user);
    /* Waits until `ms` have gone by or the host is woken (signals). */
    void (*sleep_ms)(void *user, int64_t ms);
};

struct host {
    const struct host_ops *ops;
    void *user;
};

/* The real one. Stateless: `user` is NULL. */
extern const struct host host_system;
/* All variables of the environment whose names start with `prefix`, sorted by name; for LINTEL_VAR_name. */
struct host_env {
    sv name, text;
};
size_t host_list_env(struct arena *a, sv prefix, struct host_env **result);

#endif
