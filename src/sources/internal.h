/* What the sources share; for this room alone. */
#ifndef LINTEL_SOURCES_INTERNAL_H
#define LINTEL_SOURCES_INTERNAL_H

#include "sources/sources.h"

#include <sys/types.h>

enum {
    DIGEST_TEXT = 64, /* SHA-256 in hexadecimal */
    NAME_MAX_SHOWN = 300,
};

/* One place that was asked for: its content, or why there is none. */
struct place {
    const struct content *content;
    struct fetch_failure failure;
};

struct lock_entry {
    sv location, digest, commit; /* commit: of git, else empty */
    bool is_new;                 /* found by this run */
};

struct lock {
    struct map entries; /* location → struct lock_entry */
    bool is_read, is_present, has_news;
    bool is_broken; /* `failure` tells; everything remote fails with it */
    struct fetch_failure failure;
};

/* The fetcher and all it knows. */
struct gatherer {
    struct fetcher fetcher; /* first: the interface's pointer is ours */
    struct sources_options o;
    struct arena *arena;
    sv root_dir, cwd;     /* real paths; empty when they are not there */
    sv *module_roots;     /* the same; as many as the options have */
    struct map places;    /* canonical location (git: and commit) → struct place */
    struct map bases;     /* path → content of a source that was read by others */
    struct map revisions; /* git: "URL?ref" → commit */
    struct lock lock;
    sv temporary_dir; /* where git works without cache; empty until needed */
};

/* Fills the failure and returns false. Messages live as long as the gatherer. */
bool sources_fail(struct gatherer *g, struct fetch_failure *failure, enum diag_code code, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
/* The text for a message: what URLs in it hold of users, passwords and queries left out, at most `max` bytes, valid
 * UTF-8. */
sv sources_print_safely(struct arena *a, sv text, size_t max);
int64_t sources_get_now_ms(const struct gatherer *g);
/* Text of errno. */
const char *sources_describe(int error);
bool sources_is_digest(sv text);
sv sources_print_digest(struct arena *a, sv bytes);
/* Empty when it is not set. */
sv sources_get_env(const struct gatherer *g, struct arena *a, sv name);

/* --- Files of our own and of the operator (files.c) --- */

enum file_read {
    FILE_READ_OK = 1,
    FILE_READ_MISSING,
    FILE_READ_UNFIT, /* no regular file, too large, not readable */
};
/* A regular file of at most `max` bytes, below `dir_fd` or AT_FDCWD; `flags` are added to those of open. */
enum file_read files_read(struct arena *a, int dir_fd, sv name, int flags, size_t max, sv *bytes);
/* Up to `max` bytes of an open descriptor; more is reported by `*is_more`. False on a read error. */
bool files_read_fd(struct arena *a, int fd, size_t max, sv *bytes, bool *is_more);
/* The file with these bytes, complete or not at all: written beside it, synced, renamed. */
bool files_replace(const struct gatherer *g, int dir_fd, sv name, mode_t mode, sv bytes);
/* An open directory, made with mode 0700 where missing; refused (-1) when it is a link or belongs to somebody else. */
int files_open_own_dir(int dir_fd, sv name);
void files_remove_tree(sv path);
/* Nothing but directories and regular files lies below, and not more than a million of them. */
bool files_is_plain_tree(sv path);

/* --- Names inside a source (names.c) --- */

/* `name` seen from `dir` (empty: the top), dot segments resolved. False when it leaves the top. */
bool names_join(struct arena *a, sv dir, sv name, sv *result);
/* What is before the last slash; empty without. */
sv names_get_dir(sv name);

/* --- Metadata of an include (metadata.c) --- */

struct include_metadata {
    sv source_type, host, bucket, region, endpoint, repository, ref;
    sv digest; /* 64 small hexadecimal digits, or empty */
};
bool metadata_read(struct gatherer *g, const struct fetch_request *r, struct include_metadata *m,
                   struct fetch_failure *failure);

/* --- Remote places --- */

struct remote_kind;

/* A place before it is fetched. Lives in the gatherer. */
struct remote {
    const struct remote_kind *kind;
    sv location, name;
    const void *detail; /* of its kind */
};

/* One attempt to fetch. */
struct download {
    struct arena *arena; /* for this attempt only */
    const struct remote *remote;
    sv etag; /* of the content that the cache has; empty: none */
    struct fetch_failure *failure;
    /* out, in `arena` */
    sv bytes, new_etag, commit;
    bool is_unchanged; /* what the cache has still holds */
};

struct remote_kind {
    sv name;
    /* False after filling the failure. */
    bool (*fetch)(struct gatherer *g, struct download *d);
    /* A relative name of a document of this kind: same source, same revision (BP-175). */
    bool (*join)(struct gatherer *g, const struct remote *base, sv path, struct remote *result,
                 struct fetch_failure *failure);
    /* The commit that must be used; empty for kinds without. */
    sv (*get_commit)(struct gatherer *g, const struct remote *remote);
};

/* What is wanted of a place. */
struct wish {
    const struct fetch_request *request;
    sv digest; /* of the metadata (BP-174); empty: any */
    struct fetch_failure *failure;
};
/* From memory, cache or source; pins and lock checked. */
const struct content *remote_get(struct gatherer *g, const struct remote *remote, const struct wish *w);
/* BP-174 for any content: what the metadata say, and what was staged. */
bool remote_check_digest(struct gatherer *g, const struct content *c, const struct wish *w);

bool https_resolve(struct gatherer *g, const struct fetch_request *r, const struct include_metadata *m,
                   struct remote *result, struct fetch_failure *failure);
bool s3_resolve(struct gatherer *g, const struct fetch_request *r, const struct include_metadata *m,
                struct remote *result, struct fetch_failure *failure);
bool s3_resolve_url(struct gatherer *g, sv url, struct remote *result, struct fetch_failure *failure);
bool git_resolve(struct gatherer *g, const struct fetch_request *r, const struct include_metadata *m,
                 struct remote *result, struct fetch_failure *failure);
const struct content *https_get_resource(struct gatherer *g, const struct fetch_request *r,
                                         struct fetch_failure *failure);

/* --- Local files (file.c) --- */

/* Where relative names start: the base's directory, or the working directory. */
sv file_get_dir(const struct gatherer *g, const struct content *base);
/* `limit` bytes at most; containment as BP-176. */
const struct content *file_get(struct gatherer *g, const struct wish *w, size_t limit);
/* The real path is below the root directory or the working directory, or may be outside. */
bool file_is_inside(const struct gatherer *g, sv real_path);

/* --- The cache (cache.c) --- */

struct cache_place {
    sv digest, commit, etag;
};
/* The bytes with that digest; a damaged entry is removed and missing. */
bool cache_find_content(struct gatherer *g, struct arena *a, sv digest, sv *bytes);
/* What the place held when it was last fetched. */
bool cache_find_place(struct gatherer *g, struct arena *a, sv location, struct cache_place *place);
/* Best effort: without cache every run fetches anew. */
void cache_put(struct gatherer *g, sv location, const struct cache_place *place, sv bytes);
/* A directory below the cache as a path; a temporary one without cache; empty when there is no place to write. */
sv cache_get_git_dir(struct gatherer *g);

/* --- lintel.lock (lock.c) --- */

/* NULL when it has none that binds. A broken file: false. */
bool lock_find(struct gatherer *g, sv location, const struct lock_entry **entry, struct fetch_failure *failure);
/* The commit of any entry of that repository and ref ("git+URL?ref"); empty without. */
sv lock_find_commit(struct gatherer *g, sv revision);
/* Compares with the entry, or notes a new one, as the mode says. */
bool lock_check(struct gatherer *g, const struct content *c, struct fetch_failure *failure);

#endif
