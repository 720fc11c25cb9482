/* The one door to libpq.
 *
 * A connection belongs to one thread at a time. Statements are queued, sent while more are queued, and answered by
 * pg_run (pipeline mode); each is prepared when a connection first sees its number. All values travel as bytes: nothing
 * is ever put into the text of a statement. Every wait ends: a server that says nothing for `answer_ms` counts as lost.
 * A connection that was lost stays so: close it and open another. Nothing is printed, whatever the server sends. Why
 * something failed is said in one line without row contents; passwords are never in it. */
#ifndef LINTEL_ADAPTERS_POSTGRES_POSTGRES_H
#define LINTEL_ADAPTERS_POSTGRES_POSTGRES_H

#include "base/arena.h"

struct pg;

enum pg_outcome {
    PG_OK = 1,
    PG_CONSTRAINT, /* a row that must not be: taken keys, checks, missing owners */
    PG_RETRY,      /* serialization failure or deadlock: the whole transaction may be tried again */
    PG_BUSY,       /* a lock or statement limit ran out */
    PG_DENIED,     /* no right to do so */
    PG_READ_ONLY,  /* a standby, or a transaction that may only read */
    PG_UNDEFINED,  /* no such schema, table, column or function */
    PG_FULL,       /* disk, memory or connections of the server */
    PG_CORRUPT,
    PG_STARTING, /* opening: the server is there but takes nobody yet, or nobody more */
    PG_REFUSED,  /* opening: no server, no such database, not let in, certificate not trusted, … */
    PG_LOST,     /* the connection: whether what was sent has happened cannot be told */
    PG_ERROR,    /* anything else */
};

/* Where to connect to. */
struct pg_address {
    const char **keywords; /* of libpq, NULL at the end, with what we add; hold the password if there is one */
    const char **values;
    sv shown; /* user@host:port/database, for people; no password */
    bool is_local, has_password;
    bool no_prepare; /* set by the caller: no statement is prepared, for poolers that give each transaction a session */
};

/* A URI of libpq (postgres:// or postgresql://). Unless the URI says otherwise: TLS with `verify-full` (against the
 * system's authorities when no others are set up) but for unix sockets and loopback, 10 s to connect, dead connections
 * noticed within 30 s. False when it is none; lives in `a`, which should be secret. */
bool pg_address_parse(struct arena *a, sv url, struct pg_address *result);

/* On failure nothing stays open and `why` is one line in `a`. Connection and answers live in `a` and outside; the
 * caller closes. */
enum pg_outcome pg_open(struct arena *a, const struct pg_address *address, int64_t answer_ms, struct pg **result,
                        sv *why);
/* NULL is fine. */
void pg_close(struct pg *p);

/* What the last failure said; lives in the arena of the connection. The five letters of its SQLSTATE, empty without. */
sv pg_get_error(const struct pg *p);
sv pg_get_sqlstate(const struct pg *p);
bool pg_is_lost(const struct pg *p);
/* Number of the server's process that serves this connection. */
int64_t pg_get_backend(const struct pg *p);

/* Text of one or more statements without parameters, rows ignored; nothing may be queued. */
enum pg_outcome pg_exec(struct pg *p, sv text);

enum pg_kind {
    PG_TEXT = 1, /* UTF-8 without NUL */
    PG_I64,
    PG_BYTES,
};
struct pg_param {
    enum pg_kind kind;
    sv bytes; /* TEXT, BYTES */
    int64_t number;
};

struct pg_statement {
    unsigned number; /* below PG_STATEMENTS; means the same text and kinds for the life of the connection */
    const char *text;
};
enum { PG_STATEMENTS = 80 };

/* Queues one statement; parameters are copied. Its answer has the number of statements queued since the last pg_run
 * before it. Failures show in pg_run. */
size_t pg_queue(struct pg *p, struct pg_statement statement, const struct pg_param *params, size_t count);
/* Waits for the answers to all that is queued. The first failure counts; what was queued behind it has not happened. */
enum pg_outcome pg_run(struct pg *p);

/* LISTEN on a channel: a name of small letters, digits and '_'. Nothing may be queued. */
enum pg_outcome pg_listen(struct pg *p, sv channel);
/* Whether a notification has come since the last call; waits for one up to so long, or until a signal. Nothing may be
 * queued. False, too, when the connection was lost. */
bool pg_await_notice(struct pg *p, int64_t timeout_ms);

/* Answers, until the next pg_queue after pg_run, or pg_exec. Texts are borrowed. */
size_t pg_get_row_count(const struct pg *p, size_t answer);
int64_t pg_get_changes(const struct pg *p, size_t answer); /* rows inserted, updated or deleted */
/* False for a COMMIT that became a rollback. */
bool pg_is_commit(const struct pg *p, size_t answer);
/* NULL gives 0 and the empty text; i64 is for bigint, integer and boolean columns. */
int64_t pg_get_i64(const struct pg *p, size_t answer, size_t row, int column);
sv pg_get_bytes(const struct pg *p, size_t answer, size_t row, int column);

#endif
