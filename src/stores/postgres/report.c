/* Failures in words: each names server and database, and what to do. */
#include "stores/postgres/internal.h"

enum store_result report_state(struct postgres_store *s, enum store_result result, enum diag_code code,
                               const char *what, const char *hint) {
    struct diag *d =
        diags_add(s->store.diags, code, SPAN_NONE, "state in PostgreSQL at '%.*s' %s", SV_ARG(s->address.shown), what);
    diag_set_hint(s->store.diags, d, "%s", hint);
    return result;
}

struct failure {
    enum store_result result;
    enum diag_code code;
    const char *hint;
};

static struct failure find_failure(enum pg_outcome r) {
    switch (r) {
    case PG_BUSY:
    case PG_RETRY:
        return (struct failure){STORE_BUSY, DIAG_state_busy,
                                "another program holds what is needed; try again when that has ended"};
    case PG_DENIED:
        return (struct failure){
            STORE_FAILED, DIAG_state_not_available,
            "grant the user CREATE on the database, or make the schema yourself and grant ALL on it"};
    case PG_READ_ONLY:
        return (struct failure){STORE_READ_ONLY, DIAG_state_not_available,
                                "name the primary server; a standby cannot be written to"};
    case PG_UNDEFINED:
    case PG_CORRUPT:
        return (struct failure){STORE_CORRUPT, DIAG_state_corrupt,
                                "the tables are not as lintel made them; restore them from a backup"};
    case PG_FULL:
        return (struct failure){STORE_FAILED, DIAG_state_not_available,
                                "make room on the server and run the command again"};
    case PG_OK:
    case PG_CONSTRAINT:
    case PG_STARTING:
    case PG_REFUSED:
    case PG_LOST:
    case PG_ERROR:
        break;
    }
    return (struct failure){STORE_FAILED, DIAG_state_not_available,
                            "look at the server and its log; the state is read anew by the next command"};
}

enum store_result report_pg(struct postgres_store *s, enum pg_outcome r, const char *what) {
    struct failure f = find_failure(r);
    sv why = s->db == NULL ? SV("the connection was lost") : pg_get_error(s->db);
    struct diag *d = diags_add(s->store.diags, f.code, SPAN_NONE, "state in PostgreSQL at '%.*s' %s: %.*s",
                               SV_ARG(s->address.shown), what, SV_ARG(why));
    diag_set_hint(s->store.diags, d, "%s", f.hint);
    return f.result;
}

enum store_result report_unreachable(struct postgres_store *s, enum pg_outcome r, sv why) {
    struct diag *d =
        diags_add(s->store.diags, DIAG_state_not_available, SPAN_NONE,
                  "state in PostgreSQL at '%.*s' cannot be reached: %.*s", SV_ARG(s->address.shown), SV_ARG(why));
    diag_set_hint(s->store.diags, d, "%s",
                  r == PG_STARTING ? "the server is there but takes no connection now; try again"
                                   : "look at address, user, password (~/.pgpass or PGPASSWORD) and, for TLS, "
                                     "sslrootcert and sslmode");
    return STORE_FAILED;
}
