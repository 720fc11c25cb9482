/* The source 'git'; for this room alone.
 *
 * Objects come through the program git into a bare repository, and files are read out of it as blobs: nothing is ever
 * checked out, so no link, hook, filter or submodule of a repository takes effect. */
#ifndef LINTEL_SOURCES_GIT_H
#define LINTEL_SOURCES_GIT_H

#include "sources/internal.h"

/* --- URLs of repositories (git_url.c) --- */

struct git_url {
    sv text;     /* what git is given */
    sv protocol; /* "https" "ssh" "file" */
    sv host;     /* of https and ssh */
    uint16_t port;
};
/* https, ssh, "user@host:path", or a repository on this machine where files may be (BP-176). Everything else, options
 * and remote helpers too, is invalid_metadata. */
bool git_url_parse(struct gatherer *g, const struct fetch_request *r, sv repository, struct git_url *result,
                   struct fetch_failure *failure);
/* A branch, tag or commit that cannot be mistaken for anything else. */
bool git_is_ref(sv ref);
/* 40 or 64 small hexadecimal digits. */
bool git_is_commit(sv text);

/* --- Running git (git_run.c) --- */

/* One use of a repository, from git_begin to git_end. */
struct git_session {
    struct gatherer *g;
    struct arena *arena;
    const struct git_url *url;
    struct fetch_failure *failure;
    sv name;         /* for messages */
    sv program;      /* the file */
    sv address;      /* the checked one that git has to connect to; empty until reached */
    sv repository;   /* path of the bare repository; empty until opened */
    int64_t end_ms;  /* of all of it */
    int turn;        /* descriptor of the lock on the repository, -1 without */
    bool is_damaged; /* git complains about the repository itself */
};

bool git_begin(struct git_session *s);
void git_end(struct git_session *s);
/* The commit that a branch, a tag or (empty) the default branch is at, and the full name of what it is. */
bool git_find_commit(struct git_session *s, sv ref, sv *commit, sv *full_name);
/* Waits for its turn and makes the bare repository where needed. `commit` tells the object format. */
bool git_open_repository(struct git_session *s, sv commit);
/* Fetches the commit unless it is there; `full_name` (may be empty) leads to it. */
bool git_need_commit(struct git_session *s, sv commit, sv full_name);
/* The file at `path`, links inside the tree followed. */
bool git_read_file(struct git_session *s, sv commit, sv path, sv *bytes);
/* Throws the repository away, to be opened anew. */
void git_discard(struct git_session *s);

#endif
