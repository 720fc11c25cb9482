#include "providers/sqlite/book.h"
#include "seal/seal.h"

enum { SHOWN_PATH_MAX = 300 };

enum provider_result book_fail(struct book *b, enum sql_result result, const char *what) {
    bool is_passing = result == SQL_BUSY || result == SQL_FULL || result == SQL_IO || result == SQL_INTERRUPTED ||
                      result == SQL_NO_MEMORY;
    return provider_fail(b->call, is_passing ? PROVIDER_TRANSIENT : PROVIDER_TERMINAL, "%s '%.*s': %.*s", what,
                         SV_ARG(sv_slice(b->path, 0, SHOWN_PATH_MAX)), SV_ARG(sql_get_error(b->db)));
}

static sv get_owner(const struct book *b) {
    struct provider_call *c = b->call;
    return arena_printf(c->arena, "%.*s %.*s", SV_ARG(c->instance_id), SV_ARG(c->address.text));
}

bool book_is_ours(const struct book *b) {
    return b->is_there && sv_eq(b->owner, get_owner(b));
}

bool book_has_key(const struct book *b) {
    return b->is_there && sv_eq(b->key, provider_key_text(b->call));
}

/* --- Reading --- */

static enum provider_result read_schema(struct book *b) {
    struct sql_stmt *s;
    enum sql_result result = sql_prepare(
        b->db, SV("SELECT count(*), coalesce(sum(name = 'lintel_book' AND type = 'table'), 0) FROM sqlite_schema"), &s);
    if (result == SQL_OK) {
        result = sql_step(s);
    }
    if (result != SQL_ROW) {
        return book_fail(b, result, "cannot read");
    }
    b->is_empty = sql_get_i64(s, 0) == 0;
    b->is_there = sql_get_i64(s, 1) > 0;
    sql_finish(s);
    return PROVIDER_OK;
}

static enum provider_result read_signature(struct book *b) {
    struct sql_stmt *s;
    enum sql_result result = sql_prepare(b->db, SV("SELECT name, text FROM lintel_book"), &s);
    while (result == SQL_OK || result == SQL_ROW) {
        result = sql_step(s);
        if (result == SQL_ROW) {
            sv *field = sv_eq(sql_get_text(s, 0), SV("key")) ? &b->key : &b->owner;
            *field = arena_copy_sv(b->call->arena, sql_get_text(s, 1));
        }
    }
    if (result != SQL_DONE) {
        return book_fail(b, result, "cannot read");
    }
    sql_finish(s);
    return PROVIDER_OK;
}

static enum provider_result read_digests(struct book *b) {
    struct sql_stmt *s;
    enum sql_result result = sql_prepare(b->db, SV("SELECT digest FROM lintel_migrations ORDER BY number"), &s);
    b->digests.len = 0;
    while (result == SQL_OK || result == SQL_ROW) {
        result = sql_step(s);
        if (result == SQL_ROW) {
            VEC_PUSH(b->call->arena, &b->digests, arena_copy_sv(b->call->arena, sql_get_text(s, 0)));
        }
    }
    if (result != SQL_DONE) {
        return book_fail(b, result, "cannot read");
    }
    sql_finish(s);
    return PROVIDER_OK;
}

enum provider_result book_read(struct book *b) {
    enum provider_result result = read_schema(b);
    if (result == PROVIDER_OK && b->is_there) {
        result = read_signature(b);
    }
    if (result == PROVIDER_OK && b->is_there) {
        result = read_digests(b);
    }
    return result;
}

/* --- Signing --- */

static enum sql_result put_field(struct book *b, sv name, sv text) {
    struct sql_stmt *s;
    enum sql_result result = sql_prepare(b->db, SV("INSERT OR REPLACE INTO lintel_book VALUES (?1, ?2)"), &s);
    if (result != SQL_OK) {
        return result;
    }
    sql_bind_text(s, 1, name);
    sql_bind_text(s, 2, text);
    result = sql_run(s);
    sql_finish(s);
    return result;
}

static enum sql_result write_signature(struct book *b) {
    enum sql_result result =
        SQL_EXEC(b->db, "CREATE TABLE IF NOT EXISTS lintel_book(name TEXT PRIMARY KEY, text TEXT NOT NULL) STRICT;"
                        "CREATE TABLE IF NOT EXISTS lintel_migrations(number INTEGER PRIMARY KEY, digest TEXT NOT NULL,"
                        " applied_at TEXT NOT NULL DEFAULT (strftime('%Y-%m-%dT%H:%M:%SZ', 'now'))) STRICT;");
    if (result == SQL_OK) {
        result = put_field(b, SV("key"), provider_key_text(b->call));
    }
    return result == SQL_OK ? put_field(b, SV("owner"), get_owner(b)) : result;
}

/* Whether it is still what was looked at, or signed by another attempt of the same element. */
static bool is_unchanged(struct book *b) {
    sv owner = b->owner;
    bool was_empty = b->is_empty;
    if (book_read(b) != PROVIDER_OK) {
        return false;
    }
    return book_is_ours(b) || (sv_eq(owner, b->owner) && was_empty == b->is_empty);
}

enum provider_result book_sign(struct book *b) {
    enum sql_result result = sql_begin(b->db);
    if (result == SQL_OK && !is_unchanged(b)) {
        sql_rollback(b->db);
        return provider_fail(b->call, PROVIDER_TRANSIENT, "'%.*s' was changed by somebody else meanwhile",
                             SV_ARG(sv_slice(b->path, 0, SHOWN_PATH_MAX)));
    }
    if (result == SQL_OK) {
        result = write_signature(b);
    }
    if (result == SQL_OK) {
        result = sql_commit(b->db);
    }
    if (result != SQL_OK) {
        sql_rollback(b->db);
        return book_fail(b, result, "cannot write");
    }
    b->is_there = true;
    return PROVIDER_OK;
}

/* --- Migrations --- */

static size_t count_wanted(const struct book *b, value *list) {
    value spec = b->call->spec;
    *list = spec.kind == VALUE_MAP ? value_map_find(spec, SV("migrations")) : (value){0};
    return list->kind == VALUE_LIST ? list->list->len : 0;
}

static sv digest_of(const struct book *b, value text) {
    return seal_sha256(b->call->arena, value_get_text(text));
}

/* Invariant 1. The text may be anything; it cannot end the transaction or leave the database. */
static enum sql_result run_migration(struct book *b, size_t number, sv text, sv digest) {
    sql_set_confined(b->db, true);
    enum sql_result result = sql_exec(b->db, text);
    sql_set_confined(b->db, false);
    struct sql_stmt *s = NULL;
    if (result == SQL_OK) {
        result = sql_prepare(b->db, SV("INSERT INTO lintel_migrations(number, digest) VALUES (?1, ?2)"), &s);
    }
    if (result != SQL_OK) {
        return result;
    }
    sql_bind_i64(s, 1, (int64_t)number);
    sql_bind_text(s, 2, digest);
    result = sql_run(s);
    sql_finish(s);
    return result;
}

/* What is recorded must be the beginning of the list. */
static enum provider_result check_applied(struct book *b, value list, size_t wanted) {
    for (size_t i = 0; i < b->digests.len; i++) {
        if (i >= wanted) {
            return provider_fail(b->call, PROVIDER_TERMINAL, "migration %zu was applied and is no longer in the list",
                                 i + 1);
        }
        if (!sv_eq(b->digests.items[i], digest_of(b, list.list->items[i]))) {
            return provider_fail(b->call, PROVIDER_TERMINAL,
                                 "migration %zu was applied with another text; add a new one instead of changing it",
                                 i + 1);
        }
    }
    return PROVIDER_OK;
}

/* The next that is not recorded, if there is one. Only inside of the transaction it is sure which one that is: another
 * process may be at the same database, such as a run that was taken for dead. */
static enum provider_result apply_next(struct book *b, value list, size_t wanted) {
    enum provider_result result = read_digests(b);
    result = result == PROVIDER_OK ? check_applied(b, list, wanted) : result;
    if (result != PROVIDER_OK || b->digests.len == wanted) {
        return result;
    }
    value text = list.list->items[b->digests.len];
    sv digest = digest_of(b, text);
    size_t number = b->digests.len + 1;
    enum sql_result done = run_migration(b, number, value_get_text(text), digest);
    if (done == SQL_OK) {
        done = sql_commit(b->db);
    }
    if (done != SQL_OK) {
        return book_fail(b, done, arena_printf(b->call->arena, "migration %zu failed on", number).data);
    }
    VEC_PUSH(b->call->arena, &b->digests, digest);
    return PROVIDER_OK;
}

enum provider_result book_apply(struct book *b) {
    value list;
    size_t wanted = count_wanted(b, &list);
    enum provider_result result = check_applied(b, list, wanted);
    while (result == PROVIDER_OK && b->digests.len < wanted) {
        if (provider_is_cancelled(b->call)) {
            return provider_fail(b->call, PROVIDER_TRANSIENT, "the operation was cancelled");
        }
        enum sql_result begun = sql_begin(b->db);
        result = begun == SQL_OK ? apply_next(b, list, wanted) : book_fail(b, begun, "cannot write");
        sql_rollback(b->db); /* of what was not committed */
    }
    return result;
}

bool book_is_complete(struct book *b) {
    value list;
    size_t wanted = count_wanted(b, &list);
    bool is_same = b->is_there && b->digests.len == wanted;
    for (size_t i = 0; i < wanted && is_same; i++) {
        is_same = sv_eq(b->digests.items[i], digest_of(b, list.list->items[i]));
    }
    return is_same;
}

/* --- Telling --- */

static enum provider_result list_tables(struct book *b, value *result) {
    struct list_builder tables = {.arena = b->call->arena};
    struct sql_stmt *s;
    enum sql_result code =
        sql_prepare(b->db,
                    SV("SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT GLOB 'sqlite_*'"
                       " AND name NOT IN ('lintel_book', 'lintel_migrations', 'lintel_registrations') ORDER BY name"),
                    &s);
    while (code == SQL_OK || code == SQL_ROW) {
        code = sql_step(s);
        if (code == SQL_ROW) {
            list_add(&tables, value_string_copy(b->call->arena, sql_get_text(s, 0)));
        }
    }
    if (code != SQL_DONE) {
        return book_fail(b, code, "cannot read");
    }
    sql_finish(s);
    *result = list_done(&tables);
    return PROVIDER_OK;
}

enum provider_result book_compute(struct book *b, value *computed) {
    value tables = {0};
    enum provider_result result = list_tables(b, &tables);
    if (result == PROVIDER_OK) {
        struct map_builder fields = {.arena = b->call->arena};
        map_add(&fields, SV("tables"), tables);
        map_add(&fields, SV("migrationsApplied"), value_int((int64_t)b->digests.len));
        *computed = map_done(&fields);
    }
    return result;
}

/* Only digests are recorded: another text is told by its digest. */
value book_describe_migrations(struct book *b) {
    value list;
    size_t wanted = count_wanted(b, &list);
    struct list_builder found = {.arena = b->call->arena};
    for (size_t i = 0; i < b->digests.len; i++) {
        bool is_known = i < wanted && sv_eq(b->digests.items[i], digest_of(b, list.list->items[i]));
        sv note = arena_printf(b->call->arena, "(a migration with SHA-256 %.*s)", SV_ARG(b->digests.items[i]));
        list_add(&found, is_known ? list.list->items[i] : value_string(b->call->arena, note));
    }
    return list_done(&found);
}
