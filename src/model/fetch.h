/* Fetching: blueprints, files and documents that a template names (1.11, FN-206, FN-207, LC-081).
 *
 * A fetcher is an interface: dialects and functions ask, src/sources answers (local files, https, S3-compatible stores,
 * git). It keeps what it has fetched for as long as it lives, so that the same place is read once per run; digests of
 * all of it are in `contents`. Calls block; they are bounded in time and size. Nothing here reports: the asker has the
 * place in the template. */
#ifndef LINTEL_MODEL_FETCH_H
#define LINTEL_MODEL_FETCH_H

#include "base/vec.h"
#include "model/host.h"
#include "text/diag.h"
#include "value/value.h"

/* One document that was read. Immutable; lives as long as the fetcher. */
struct content {
    sv location; /* canonical, the key of lintel.lock: an absolute real path, "https://…", "s3://bucket/key@endpoint",
                    "git+URL?ref#path" (CLI-013) */
    sv name;     /* for messages: the path as written, or the location */
    sv path;     /* absolute real path of local files; empty for remote ones */
    sv directory;       /* of local files: absolute, where relative names start */
    sv kind;            /* "file" "https" "aws/s3" "git" */
    sv bytes;           /* a NUL stands behind them that is not counted */
    sv digest;          /* SHA-256, 64 lower-case hexadecimal digits */
    sv commit;          /* git: 40 or 64 hexadecimal digits; else empty */
    bool is_remote;     /* its relative includes stay in the same source and revision (BP-175) */
    const void *detail; /* the source's own */
};

/* Why nothing came: what the asker reports. */
struct fetch_failure {
    enum diag_code code; /* of 2.4: include_path_not_found, include_path_outside_root, invalid_include,
                            invalid_metadata, include_digest_mismatch, blueprint_not_found, permission_error,
                            resolve_failure, limit_exceeded; include_not_checked: remote and offline, nothing cached */
    sv message;          /* one sentence; never a credential */
    sv hint;             /* may be empty */
};

struct fetch_request {
    struct arena *arena;        /* of failures */
    sv path;                    /* evaluated `path` */
    value metadata;             /* evaluated `metadata`, a map; kind 0 without */
    const struct content *base; /* the document that includes; NULL: the working directory */
    sv expected;                /* digest that was staged (BP-174); empty: any. Another: code
                                   include_changed_since_staging */
};

struct fetcher;
struct fetcher_ops {
    /* A blueprint (1.11): local, https, aws/s3 or git by `metadata.sourceType`. NULL after filling `failure`. */
    const struct content *(*include)(struct fetcher *f, const struct fetch_request *r, struct fetch_failure *failure);
    /* A file for FN-206: relative to `base`, inside its source when that is remote; also s3://bucket/key. */
    const struct content *(*file)(struct fetcher *f, const struct fetch_request *r, struct fetch_failure *failure);
    /* GET of an http or https URL for FN-207. */
    const struct content *(*url)(struct fetcher *f, const struct fetch_request *r, struct fetch_failure *failure);
    /* The document a source was made of, as a base; makes one for a root file that was read otherwise. NULL for text
     * without place (standard input: then the working directory counts). */
    const struct content *(*base)(struct fetcher *f, const struct source *source);
};

struct fetcher {
    const struct fetcher_ops *ops;
    VEC(const struct content *) contents; /* what was read so far, in order */
};

#endif
