/* A PostgreSQL server of our own: a cluster in a new directory, reached over a unix socket in it. */
#ifndef TESTS_CONTRACT_STORE_SERVER_H
#define TESTS_CONTRACT_STORE_SERVER_H

#include "base/arena.h"

#include <stdint.h>
#include <sys/types.h>

struct server {
    struct arena arena;
    char dir[64];
    const char *bin; /* directory of the programs */
    pid_t owner;     /* the process that made it stops it */
};

/* False where no PostgreSQL is installed; fails the test when it is but does not start. */
bool server_start(struct server *s);
/* Stops it and removes its directory. */
void server_stop(struct server *s);
/* kill -9 of the server, and the start after it. */
void server_kill(struct server *s);
void server_restart(struct server *s);
/* A signal for each process that serves a lintel. */
void server_signal_backends(struct server *s, int number);

/* Runs SQL as the owner of the cluster; the first column of the first row as text, in the server's arena. */
sv server_query(struct server *s, const char *database, const char *sql);
/* postgres://… of a user (NULL: the owner) and a schema in database postgres. */
sv server_get_url(struct server *s, const char *user, const char *schema);

#endif
