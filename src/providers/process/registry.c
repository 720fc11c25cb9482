/* A service's entry in a table of a linked database: name and URL, for whoever looks for services there.
 *
 * Invariants: (1) the entry and the note about it in `lintel_registrations` are written in one transaction; (2) a row
 * is changed or removed only if such a note of this very link says that it is its own; (3) names of tables are quoted,
 * everything else is bound. */
#include "adapters/sqlite/sqlite.h"
#include "providers/process/process_provider.h"

#include <errno.h>
#include <sys/stat.h>

enum { BUSY_MS = 5000, SHOWN_MAX = 200 };

static value find_in(value map, sv name) {
    return map.kind == VALUE_MAP ? value_map_find(map, name) : (value){0};
}

/* --- Staging --- */

static value find_annotation(const struct link_call *c, const char *what) {
    sv key = arena_printf(c->arena, "process.sqlite.%.*s.%s", SV_ARG(c->name_b), what);
    return find_in(find_in(c->metadata_a, SV("annotations")), key);
}

static bool report(struct link_call *c, const char *what, const char *why) {
    sv key = arena_printf(c->arena, "process.sqlite.%.*s.%s", SV_ARG(c->name_b), what);
    diags_add(c->diags, DIAG_link_annotation_invalid, c->at_a, "annotation '%.*s' %s",
              SV_ARG(sv_slice(key, 0, SHOWN_MAX)), why);
    return false;
}

/* Tables of lintel and of SQLite are nobody's to write. */
static bool is_table_name(sv name) {
    static const sv taken[] = {SV_INIT("lintel_"), SV_INIT("sqlite_")};
    for (size_t i = 0; i < sizeof taken / sizeof taken[0]; i++) {
        bool same = name.len >= taken[i].len;
        for (size_t k = 0; same && k < taken[i].len; k++) {
            char c = name.data[k];
            same = (c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c) == taken[i].data[k];
        }
        if (same) {
            return false;
        }
    }
    return name.len > 0 && sv_find_char(name, 0) == SIZE_MAX;
}

/* The annotation, or what follows from the port. Kind 0 when there is neither. */
static value find_url(const struct link_call *c) {
    value url = find_annotation(c, "registerUrl");
    if (value_is_set(url)) {
        return url;
    }
    value port = find_in(c->spec_a, SV("port"));
    if (port.kind == VALUE_UNKNOWN) {
        return value_unknown(&type_string);
    }
    if (port.kind != VALUE_INT) {
        return (value){0};
    }
    value text = value_string(c->arena, arena_printf(c->arena, "http://127.0.0.1:%lld", (long long)port.integer));
    return value_mark(text, port.marks);
}

/* As it is told by reading, too. */
static struct link_intermediary describe_row(struct arena *a, value table, value name, value url) {
    struct map_builder state = {.arena = a};
    map_add(&state, SV("name"), name);
    map_add(&state, SV("url"), url);
    sv id = arena_printf(a, "%.*s/%.*s", SV_ARG(value_get_text(table)), SV_ARG(value_get_text(name)));
    return (struct link_intermediary){.id = id, .type = SV("sqlite/row"), .is_owned = true, .state = map_done(&state)};
}

bool registry_stage(struct link_call *c, struct map_builder *data) {
    value table = find_annotation(c, "registerIn");
    if (!value_is_set(table)) {
        c->is_idle = true;
        return true;
    }
    bool is_known = table.kind == VALUE_STRING;
    if (is_known && !is_table_name(value_get_text(table))) {
        return report(c, "registerIn", "is no name of a table that can be written");
    }
    value url = find_url(c);
    if (!value_is_set(url)) {
        return report(c, "registerIn",
                      "needs a service with a 'port', or the annotation with 'registerUrl' in its place");
    }
    value name = value_string(c->arena, c->name_a);
    struct map_builder registration = {.arena = c->arena};
    map_add(&registration, SV("table"), table);
    map_add(&registration, SV("name"), name);
    map_add(&registration, SV("url"), url);
    map_add(data, SV("registration"), map_done(&registration));
    if (is_known) {
        struct link_intermediary row = describe_row(c->arena, table, name, url);
        VEC_PUSH(c->arena, &c->intermediaries, row);
    }
    return true;
}

/* --- The database --- */

struct registry {
    struct link_op_call *call;
    struct sql_db *db;
    sv path, owner;
    bool has_note;      /* something is registered by this link */
    sv table, name;     /* of the note */
    value registration; /* wanted; kind 0: none */
};

static enum provider_result fail(struct registry *r, enum sql_result result, const char *what) {
    bool is_passing = result == SQL_BUSY || result == SQL_FULL || result == SQL_IO || result == SQL_INTERRUPTED ||
                      result == SQL_NO_MEMORY;
    return link_fail(r->call, is_passing ? PROVIDER_TRANSIENT : PROVIDER_TERMINAL, "%s '%.*s': %.*s", what,
                     SV_ARG(sv_slice(r->path, 0, SHOWN_MAX)), SV_ARG(sql_get_error(r->db)));
}

static enum provider_result check_file(struct registry *r) {
    struct stat st;
    if (r->path.len == 0 || sv_find_char(r->path, 0) != SIZE_MAX || lstat(r->path.data, &st) != 0) {
        return PROVIDER_ABSENT;
    }
    if (!S_ISREG(st.st_mode)) {
        return link_fail(r->call, PROVIDER_TERMINAL, "'%.*s' is not a regular file",
                         SV_ARG(sv_slice(r->path, 0, SHOWN_MAX)));
    }
    return PROVIDER_OK;
}

/* ABSENT: there is no database. */
static enum provider_result open_registry(struct link_op_call *c, bool read_only, struct registry *r) {
    struct provider_call *call = &c->call;
    sv path = provider_get_absolute_path(call, provider_get_text(c->b.spec, SV("path")));
    *r = (struct registry){.call = c, .path = arena_copy_sv(call->arena, path)};
    r->owner = arena_printf(call->arena, "%.*s %.*s", SV_ARG(call->instance_id), SV_ARG(call->address.text));
    r->registration = find_in(c->data, SV("registration"));
    if (provider_is_cancelled(call) || provider_get_time_left(call) == 0) {
        return link_fail(c, PROVIDER_TRANSIENT, "the time of the operation is over");
    }
    enum provider_result result = check_file(r);
    if (result != PROVIDER_OK) {
        return result;
    }
    struct sql_options options = {.read_only = read_only, .busy_timeout_ms = BUSY_MS};
    sv why = {0};
    enum sql_result opened = sql_open(call->arena, r->path, &options, &r->db, &why);
    if (opened != SQL_OK) {
        return link_fail(c, opened == SQL_BUSY ? PROVIDER_TRANSIENT : PROVIDER_TERMINAL, "cannot open '%.*s': %.*s",
                         SV_ARG(sv_slice(r->path, 0, SHOWN_MAX)), SV_ARG(why));
    }
    sql_set_deadline(r->db, call->deadline_ms);
    return PROVIDER_OK;
}

static sv quote(struct arena *a, sv name) {
    struct buf out = BUF(a);
    buf_append_char(&out, '"');
    for (size_t i = 0; i < name.len; i++) {
        buf_append_char(&out, name.data[i]);
        if (name.data[i] == '"') {
            buf_append_char(&out, '"');
        }
    }
    buf_append_char(&out, '"');
    return buf_get_sv(&out);
}

/* Runs one statement about a table, in whose text @ stands for its quoted name. */
static enum sql_result run(struct registry *r, const char *format, sv table, sv first, sv second) {
    struct arena *a = r->call->call.arena;
    sv name = quote(a, table);
    struct buf text = BUF(a);
    for (const char *p = format; *p != 0; p++) {
        if (*p == '@') {
            buf_append(&text, name);
        } else {
            buf_append_char(&text, *p);
        }
    }
    struct sql_stmt *s = NULL;
    enum sql_result result = sql_prepare(r->db, buf_get_sv(&text), &s);
    if (result == SQL_OK) {
        sql_bind_text(s, 1, first);
        if (second.data != NULL) {
            sql_bind_text(s, 2, second);
        }
        result = sql_run(s);
        sql_finish(s);
    }
    return result;
}

static enum sql_result count(struct registry *r, sv text, sv first, int64_t *number) {
    struct sql_stmt *s = NULL;
    enum sql_result result = sql_prepare(r->db, text, &s);
    if (result == SQL_OK) {
        sql_bind_text(s, 1, first);
        result = sql_step(s);
        *number = result == SQL_ROW ? sql_get_i64(s, 0) : 0;
        result = result == SQL_ROW || result == SQL_DONE ? SQL_OK : result;
        sql_finish(s);
    }
    return result;
}

static enum sql_result has_table(struct registry *r, sv table, bool *is_there) {
    int64_t number = 0;
    enum sql_result result = count(
        r, SV("SELECT count(*) FROM sqlite_schema WHERE type = 'table' AND name = ?1 COLLATE NOCASE"), table, &number);
    *is_there = number > 0;
    return result;
}

/* A note that this link has left under another address (`state mv`): the stored data still tells of it. */
static enum sql_result find_moved_note(struct registry *r) {
    value stored = find_in(r->call->prior, SV("registration"));
    sv table = provider_get_text(stored, SV("table")), name = provider_get_text(stored, SV("name"));
    struct sql_stmt *s = NULL;
    enum sql_result result =
        sql_prepare(r->db, SV("SELECT link FROM lintel_registrations WHERE in_table = ?1 AND name = ?2"), &s);
    if (result != SQL_OK) {
        return result;
    }
    sql_bind_text(s, 1, table);
    sql_bind_text(s, 2, name);
    result = sql_step(s);
    if (result == SQL_ROW && table.len > 0) {
        r->has_note = true;
        r->table = table;
        r->name = name;
        r->owner = arena_copy_sv(r->call->call.arena, sql_get_text(s, 0));
    }
    sql_finish(s);
    return result == SQL_ROW || result == SQL_DONE ? SQL_OK : result;
}

/* What this link has registered so far. */
static enum sql_result read_note(struct registry *r) {
    bool is_there = false;
    enum sql_result result = has_table(r, SV("lintel_registrations"), &is_there);
    struct sql_stmt *s = NULL;
    if (result != SQL_OK || !is_there) {
        return result;
    }
    result = sql_prepare(r->db, SV("SELECT in_table, name FROM lintel_registrations WHERE link = ?1"), &s);
    if (result != SQL_OK) {
        return result;
    }
    sql_bind_text(s, 1, r->owner);
    result = sql_step(s);
    if (result == SQL_ROW) {
        r->has_note = true;
        r->table = arena_copy_sv(r->call->call.arena, sql_get_text(s, 0));
        r->name = arena_copy_sv(r->call->call.arena, sql_get_text(s, 1));
    }
    sql_finish(s);
    if (result == SQL_DONE && value_is_set(r->call->prior)) {
        return find_moved_note(r);
    }
    return result == SQL_ROW || result == SQL_DONE ? SQL_OK : result;
}

/* --- Writing --- */

static enum sql_result take_row_back(struct registry *r) {
    bool is_there = false;
    enum sql_result result = has_table(r, r->table, &is_there);
    if (result == SQL_OK && is_there) {
        result = run(r, "DELETE FROM @ WHERE name = ?1", r->table, r->name, (sv){0});
    }
    if (result == SQL_OK) {
        result = run(r, "DELETE FROM lintel_registrations WHERE link = ?1", SV("-"), r->owner, (sv){0});
    }
    r->has_note = false;
    return result;
}

static enum sql_result write_note(struct registry *r, sv table, sv name) {
    struct sql_stmt *s = NULL;
    enum sql_result result =
        SQL_EXEC(r->db, "CREATE TABLE IF NOT EXISTS lintel_registrations(link TEXT PRIMARY KEY, key TEXT NOT NULL, "
                        "in_table TEXT NOT NULL, name TEXT NOT NULL) STRICT");
    if (result == SQL_OK) {
        result = sql_prepare(r->db, SV("INSERT OR REPLACE INTO lintel_registrations VALUES (?1, ?2, ?3, ?4)"), &s);
    }
    if (result == SQL_OK) {
        sql_bind_text(s, 1, r->owner);
        sql_bind_text(s, 2, provider_key_text(&r->call->call));
        sql_bind_text(s, 3, table);
        sql_bind_text(s, 4, name);
        result = sql_run(s);
        sql_finish(s);
    }
    return result;
}

static enum provider_result refuse_foreign(struct registry *r, sv table, sv name) {
    sv text = arena_printf(r->call->call.arena, "SELECT count(*) FROM %.*s WHERE name = ?1",
                           SV_ARG(quote(r->call->call.arena, table)));
    int64_t number = 0;
    enum sql_result result = count(r, text, name, &number);
    if (result != SQL_OK) {
        return fail(r, result, "cannot read");
    }
    return number == 0 ? PROVIDER_OK
                       : link_fail(r->call, PROVIDER_TERMINAL,
                                   "table '%.*s' has an entry '%.*s' already, which this link has not made",
                                   SV_ARG(sv_slice(table, 0, SHOWN_MAX)), SV_ARG(sv_slice(name, 0, SHOWN_MAX)));
}

static enum provider_result write_row(struct registry *r, sv table, sv name, sv url) {
    bool is_there = false;
    enum sql_result result = has_table(r, table, &is_there);
    if (result == SQL_OK && !is_there) {
        return link_fail(r->call, PROVIDER_TERMINAL,
                         "the database has no table '%.*s' with the columns 'name' and 'url'; a migration makes it",
                         SV_ARG(sv_slice(table, 0, SHOWN_MAX)));
    }
    if (!r->has_note) {
        enum provider_result foreign = refuse_foreign(r, table, name);
        if (foreign != PROVIDER_OK) {
            return foreign;
        }
    }
    result = result == SQL_OK ? run(r, "UPDATE @ SET url = ?2 WHERE name = ?1", table, name, url) : result;
    if (result == SQL_OK && sql_get_changes(r->db) == 0) {
        result = run(r, "INSERT INTO @ (name, url) VALUES (?1, ?2)", table, name, url);
    }
    result = result == SQL_OK ? write_note(r, table, name) : result;
    return result == SQL_OK ? PROVIDER_OK : fail(r, result, "cannot write");
}

/* Inside a transaction. */
static enum provider_result bring_up(struct registry *r) {
    sv table = provider_get_text(r->registration, SV("table")), name = provider_get_text(r->registration, SV("name"));
    bool is_moved = r->has_note && (!sv_eq(r->table, table) || !sv_eq(r->name, name));
    if (is_moved) {
        enum sql_result result = take_row_back(r);
        if (result != SQL_OK) {
            return fail(r, result, "cannot write");
        }
    }
    return table.len == 0 ? PROVIDER_OK : write_row(r, table, name, provider_get_text(r->registration, SV("url")));
}

/* In one transaction (1). */
static enum provider_result change(struct link_op_call *c, enum provider_result (*work)(struct registry *r)) {
    struct registry r;
    enum provider_result result = open_registry(c, false, &r);
    if (result == PROVIDER_OK) {
        enum sql_result begun = sql_begin(r.db);
        begun = begun == SQL_OK ? read_note(&r) : begun;
        result = begun == SQL_OK ? work(&r) : fail(&r, begun, "cannot write");
        if (result == PROVIDER_OK) {
            enum sql_result ended = sql_commit(r.db);
            result = ended == SQL_OK ? PROVIDER_OK : fail(&r, ended, "cannot write");
        }
        if (result != PROVIDER_OK) {
            sql_rollback(r.db);
        }
    }
    sql_close(r.db);
    return result;
}

enum provider_result registry_update(struct link_op_call *c) {
    enum provider_result result = change(c, bring_up);
    return result != PROVIDER_ABSENT
               ? result
               : link_fail(c, PROVIDER_TERMINAL, "the database of '%.*s' is not there", SV_ARG(c->b.name));
}

static enum provider_result take_back(struct registry *r) {
    enum sql_result result = r->has_note ? take_row_back(r) : SQL_OK;
    return result == SQL_OK ? PROVIDER_OK : fail(r, result, "cannot write");
}

enum provider_result registry_remove(struct link_op_call *c) {
    return change(c, take_back);
}

/* --- Reading --- */

static enum provider_result tell_row(struct registry *r) {
    struct arena *a = r->call->call.arena;
    bool is_there = false;
    enum sql_result result = read_note(r);
    result = result == SQL_OK && r->has_note ? has_table(r, r->table, &is_there) : result;
    if (result != SQL_OK || !is_there) {
        return result == SQL_OK ? PROVIDER_ABSENT : fail(r, result, "cannot read");
    }
    struct sql_stmt *s = NULL;
    result =
        sql_prepare(r->db, arena_printf(a, "SELECT url FROM %.*s WHERE name = ?1", SV_ARG(quote(a, r->table))), &s);
    if (result == SQL_OK) {
        sql_bind_text(s, 1, r->name);
        result = sql_step(s);
    }
    if (result == SQL_ROW) {
        value url = value_string_copy(a, sql_get_text(s, 0));
        struct link_intermediary row = describe_row(a, value_string(a, r->table), value_string(a, r->name), url);
        VEC_PUSH(a, &r->call->intermediaries, row);
    }
    sql_finish(s);
    bool is_read = result == SQL_ROW || result == SQL_DONE;
    return !is_read ? fail(r, result, "cannot read") : result == SQL_ROW ? PROVIDER_OK : PROVIDER_ABSENT;
}

static enum provider_result read_as(struct link_op_call *c, bool read_only) {
    struct registry r;
    enum provider_result result = open_registry(c, read_only, &r);
    if (result == PROVIDER_OK) {
        result = tell_row(&r);
    }
    sql_close(r.db);
    return result;
}

/* A database with a journal left by a dead writer can only be read by one who may write. */
enum provider_result registry_read(struct link_op_call *c) {
    enum provider_result result = read_as(c, true);
    if (result != PROVIDER_TERMINAL) {
        return result;
    }
    c->call.reasons.items.len = 0;
    return read_as(c, false);
}

/* The row that update B has written is what the link keeps. */
enum provider_result registry_tell(struct link_op_call *c) {
    enum provider_result result = registry_read(c);
    return result == PROVIDER_ABSENT ? PROVIDER_OK : result;
}
