/* Failures in words: each names the file and what to do (LC-043). */
#include "stores/sqlite/internal.h"

#include <stdlib.h>

#define HINT_RESTORE "do not write to it; restore it from a backup, such as the file with '.bak' behind its name"

enum store_result report(struct sqlite_store *s, enum store_result result, enum diag_code code, const char *what,
                         const char *hint) {
    struct diag *d = diags_add(s->store.diags, code, SPAN_NONE, "state file '%.*s' %s", SV_ARG(s->path), what);
    diag_set_hint(s->store.diags, d, "%s", hint);
    return result;
}

enum store_result report_damage(struct sqlite_store *s, const char *what) {
    s->is_damaged = true;
    return report(s, STORE_CORRUPT, DIAG_state_corrupt, what, HINT_RESTORE);
}

struct failure {
    enum store_result result;
    enum diag_code code;
    const char *hint;
    bool drops; /* the connection cannot be trusted any more */
};

static struct failure find_failure(enum sql_result r) {
    static const char wait[] = "another program has locked it; try again when that has ended";
    static const char space[] = "make room on the file system and run the command again";
    static const char rights[] =
        "look at the rights of the file and its directory, and whether the file system is mounted read-only";
    static const char disk[] = "look at the disk and the file system; the state is read anew by the next command";
    switch (r) {
    case SQL_BUSY:
    case SQL_INTERRUPTED:
        return (struct failure){STORE_BUSY, DIAG_state_busy, wait, false};
    case SQL_CORRUPT:
    case SQL_NOT_A_DB:
    case SQL_ERROR: /* our statements are constant: the tables are not those that we made */
        return (struct failure){STORE_CORRUPT, DIAG_state_corrupt, HINT_RESTORE, true};
    case SQL_READ_ONLY:
        return (struct failure){STORE_READ_ONLY, DIAG_state_not_available, rights, true};
    case SQL_CANT_OPEN:
        return (struct failure){STORE_FAILED, DIAG_state_not_available, rights, true};
    case SQL_FULL:
        return (struct failure){STORE_FAILED, DIAG_state_not_available, space, true};
    case SQL_OK:
    case SQL_ROW:
    case SQL_DONE:
    case SQL_CONSTRAINT:
    case SQL_IO:
    case SQL_DENIED:
    case SQL_NO_MEMORY:
        break;
    }
    return (struct failure){STORE_FAILED, DIAG_state_not_available, disk, true};
}

enum store_result report_sql(struct sqlite_store *s, enum sql_result r, const char *what) {
    struct failure f = find_failure(r);
    struct diags *diags = s->store.diags;
    sv why = s->db == NULL ? SV("it cannot be opened") : sql_get_error(s->db);
    int system_error = s->db == NULL ? 0 : sql_get_system_error(s->db);
    struct diag *d =
        diags_add(diags, f.code, SPAN_NONE, "state file '%.*s' %s: %.*s%s%s", SV_ARG(s->path), what, SV_ARG(why),
                  system_error == 0 ? "" : ": ", system_error == 0 ? "" : describe_error(system_error));
    diag_set_hint(diags, d, "%s", f.hint);
    s->is_damaged = s->is_damaged || f.result == STORE_CORRUPT;
    if (f.drops) {
        drop_db(s);
    }
    return f.result;
}
