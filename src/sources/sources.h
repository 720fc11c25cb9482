/* Sources: everything that templates name outside of themselves, behind the interface of model/fetch.h.
 *
 *     struct sources_options o = {.arena = &unit, .host = &host_system, .root_dir = SV("/work/shop"), …};
 *     struct fetcher *f = sources_open(&o);
 *     … f->ops->include(f, &request, &failure) …
 *     if (is_all_well) sources_write_lock(f, &failure);
 *     sources_close(f);
 *
 * Invariants: what was read once is not read again while the fetcher lives, failures included; every call ends within
 * the limits; no connection is made to a loopback, link-local or private address unless the template names it and that
 * is allowed (LC-081), none at all when offline; a path is checked on what was opened, not on its text (BP-176);
 * credentials are in no message, location or file. One thread at a time. docs/sources.md is the guide for users. */
#ifndef LINTEL_SOURCES_SOURCES_H
#define LINTEL_SOURCES_SOURCES_H

#include "model/fetch.h"

/* What lintel.lock is for in this run (CLI-013). Local files and http_resource are never in it. */
enum sources_lock {
    SOURCES_LOCK_CHECK = 1, /* its entries bind; nothing is written (validate, destroy, show) */
    SOURCES_LOCK_ADD,       /* its entries bind; once the file exists, what is missing is added (plan, deploy) */
    SOURCES_LOCK_FROZEN,    /* its entries bind, and what is missing fails (--frozen, MD-033) */
    SOURCES_LOCK_UPDATE,    /* entries of what this run fetches are made anew; the file is made when missing */
};

/* 0 stands for the default. */
struct sources_limits {
    size_t document_bytes; /* of a local include: 64 MiB (LC-080) */
    size_t file_bytes;     /* of a local file for FN-206: 16 MiB */
    size_t download_bytes; /* of anything remote: 16 MiB (BP-175) */
    size_t redirects;      /* 5 */
    size_t git_bytes;      /* of what git may write into one file: 512 MiB */
    int64_t timeout_ms;    /* of one download, redirects and all: 30 s */
    int64_t stall_ms;      /* with next to nothing coming in: 15 s */
};

struct sources_options {
    struct arena *arena;     /* the fetcher and all contents live here */
    const struct host *host; /* environment and clocks */
    sv root_dir;             /* directory of the root blueprint; empty: the working directory alone counts */
    sv cwd;                  /* the working directory; empty: the host's */
    const sv *module_roots;  /* directories of modules (BP-291), in which files may lie as well; not with `pure` */
    size_t module_root_count;
    bool offline;           /* --offline: only what the cache has */
    bool pure;              /* --pure: as offline; nothing outside, whatever the next two say */
    bool allow_outside;     /* --allow-outside (BP-176) */
    bool allow_private;     /* --allow-private (LC-081) */
    sv cache_dir;           /* .lintel/cache of the project; made when needed; empty: none */
    sv lock_file;           /* lintel.lock beside the root file; empty: none */
    enum sources_lock lock; /* 0 is SOURCES_LOCK_CHECK */
    sv ca_file; /* certificates to trust for TLS; empty: SSL_CERT_FILE of the environment, or the system's */
    struct sources_limits limits;
};

/* Never NULL: what is wrong with directories or the lock file is the failure of what needs them. */
struct fetcher *sources_open(const struct sources_options *o);
/* Writes what the lock's mode allows and this run has found; nothing when there is nothing new. Call it when the
 * templates turned out to be sound. False after filling `failure` (file_not_readable, file_not_writable). */
bool sources_write_lock(struct fetcher *f, struct fetch_failure *failure);
/* Removes temporary files. Contents stay as long as the arena. NULL is fine. */
void sources_close(struct fetcher *f);

#endif
