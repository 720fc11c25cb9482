/* sqlite/database. The file is made empty, then signed; an empty file holds nothing that could be lost, so one left by
 * a dead attempt is simply taken. */
#include "providers/sqlite/book.h"
#include "providers/sqlite/sqlite_provider.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

enum { BUSY_MS = 5000 };

/* --- Files --- */

static enum provider_result fail(struct provider_call *c, const char *verb, sv path, int error) {
    const char *why = strerrordesc_np(error);
    bool is_passing = error == ENOSPC || error == EDQUOT || error == EMFILE || error == ENFILE || error == EIO;
    return provider_fail(c, is_passing ? PROVIDER_TRANSIENT : PROVIDER_TERMINAL, "cannot %s '%.*s': %s", verb,
                         SV_ARG(sv_slice(path, 0, 300)), why == NULL ? "unknown error" : why);
}

static const char *find_path_mistake(sv path) {
    if (path.len == 0 || path.data[path.len - 1] == '/') {
        return "the path does not end in a name";
    }
    return sv_find_char(path, 0) != SIZE_MAX ? "the path has a NUL in it" : NULL;
}

static enum provider_result get_path(struct provider_call *c, sv *path) {
    *path = provider_get_absolute_path(c, provider_get_text(c->spec, SV("path")));
    const char *mistake = find_path_mistake(*path);
    if (mistake == NULL && path->data[0] != '/') {
        mistake = "the path is not absolute";
    }
    if (mistake != NULL) {
        return provider_fail(c, PROVIDER_TERMINAL, "%s", mistake);
    }
    *path = arena_copy_sv(c->arena, *path); /* with its NUL */
    return PROVIDER_OK;
}

/* OK for a regular file, ABSENT for none. */
static enum provider_result look(struct provider_call *c, sv path, bool *has_content) {
    struct stat st;
    *has_content = false;
    if (lstat(path.data, &st) != 0) {
        return errno == ENOENT || errno == ENOTDIR ? PROVIDER_ABSENT : fail(c, "look at", path, errno);
    }
    if (!S_ISREG(st.st_mode)) {
        return provider_fail(c, PROVIDER_TERMINAL, "'%.*s' is there and is not a regular file", SV_ARG(path));
    }
    *has_content = st.st_size > 0;
    return PROVIDER_OK;
}

static void make_parents(struct arena *a, sv path) {
    for (size_t i = 1; i < path.len; i++) {
        if (path.data[i] == '/') {
            mkdir(arena_copy_cstr(a, sv_slice(path, 0, i)), 0755); /* what went wrong shows when the file is made */
        }
    }
}

static enum provider_result make_file(struct provider_call *c, sv path) {
    if (provider_get_bool(c->spec, SV("createDirectories"))) {
        make_parents(c->arena, path);
    }
    int fd = open(path.data, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
    if (fd < 0) {
        return fail(c, "make", path, errno);
    }
    close(fd);
    return PROVIDER_OK;
}

/* --- Opening --- */

static enum provider_result open_book(struct provider_call *c, sv path, bool read_only, struct book *b) {
    *b = (struct book){.call = c, .path = path};
    struct sql_options options = {.read_only = read_only, .busy_timeout_ms = BUSY_MS};
    sv why = {0};
    enum sql_result result = sql_open(c->arena, path, &options, &b->db, &why);
    if (result != SQL_OK) {
        return provider_fail(c, PROVIDER_TERMINAL, "cannot open '%.*s': %.*s", SV_ARG(sv_slice(path, 0, 300)),
                             SV_ARG(why));
    }
    sql_set_deadline(b->db, c->deadline_ms);
    result = SQL_EXEC(b->db, "PRAGMA foreign_keys=ON");
    return result == SQL_OK ? book_read(b) : book_fail(b, result, "cannot read");
}

/* A database with a journal left by a dead writer can only be read by one who may write. */
static enum provider_result open_to_look(struct provider_call *c, sv path, struct book *b) {
    enum provider_result result = open_book(c, path, true, b);
    if (result == PROVIDER_OK) {
        return result;
    }
    sql_close(b->db);
    c->reasons.items.len = 0;
    return open_book(c, path, false, b);
}

static void close_book(struct book *b) {
    sql_close(b->db);
    b->db = NULL;
}

/* --- Operations --- */

/* Whether the database may be used: our own, nobody's, or given to us. */
static enum provider_result check_claim(struct book *b) {
    bool is_free = !b->is_there && b->is_empty;
    if (is_free || book_is_ours(b) || book_has_key(b) || provider_get_bool(b->call->spec, SV("adopt"))) {
        return PROVIDER_OK;
    }
    return provider_fail(b->call, PROVIDER_TERMINAL,
                         "'%.*s' exists and was not made by this resource; 'adopt: true' would take it over",
                         SV_ARG(b->path));
}

static enum provider_result bring_up(struct provider_call *c, sv path) {
    struct book b = {0};
    enum provider_result result = open_book(c, path, false, &b);
    if (result == PROVIDER_OK) {
        result = check_claim(&b);
    }
    if (result == PROVIDER_OK) {
        result = book_sign(&b);
    }
    if (result == PROVIDER_OK) {
        result = book_apply(&b);
    }
    if (result == PROVIDER_OK) {
        result = book_compute(&b, &c->computed);
    }
    close_book(&b);
    return result;
}

static enum provider_result database_create(struct provider_call *c) {
    sv path;
    bool has_content;
    enum provider_result result = get_path(c, &path);
    if (result == PROVIDER_OK) {
        result = look(c, path, &has_content);
    }
    if (result == PROVIDER_ABSENT) {
        result = make_file(c, path);
    }
    return result == PROVIDER_OK ? bring_up(c, path) : result;
}

/* A file that went away is made anew: nothing is left that could be updated. */
static enum provider_result database_update(struct provider_call *c) {
    return database_create(c);
}

static enum provider_result database_read(struct provider_call *c) {
    sv path;
    bool has_content;
    struct book b = {0};
    enum provider_result result = get_path(c, &path);
    if (result == PROVIDER_OK) {
        result = look(c, path, &has_content);
    }
    if (result == PROVIDER_OK) {
        result = open_to_look(c, path, &b);
    }
    if (result == PROVIDER_OK) {
        result = book_compute(&b, &c->computed);
        c->found_spec = value_map_with(c->arena, c->spec, SV("migrations"), book_describe_migrations(&b));
    }
    close_book(&b);
    return result;
}

/* A database that nobody has signed stays as it is: no tables are made in it before it is changed. */
static enum provider_result database_claim(struct provider_call *c) {
    sv path;
    bool has_content;
    struct book b = {0};
    enum provider_result result = get_path(c, &path);
    if (result == PROVIDER_OK) {
        result = look(c, path, &has_content);
    }
    if (result == PROVIDER_OK) {
        result = open_book(c, path, false, &b);
    }
    if (result == PROVIDER_OK && b.is_there) {
        result = book_sign(&b);
    }
    close_book(&b);
    return result;
}

/* Done when signed by this operation and nothing is left to apply; else it goes on where it stopped. */
static enum provider_result database_recover(struct provider_call *c) {
    sv path;
    bool has_content = false;
    struct book b = {0};
    enum provider_result result = get_path(c, &path);
    if (result == PROVIDER_OK) {
        result = look(c, path, &has_content);
    }
    if (result != PROVIDER_OK || !has_content) {
        return result == PROVIDER_OK ? PROVIDER_ABSENT : result;
    }
    result = open_to_look(c, path, &b);
    if (result == PROVIDER_OK) {
        bool is_done = book_has_key(&b) && book_is_complete(&b);
        result = is_done ? book_compute(&b, &c->computed) : PROVIDER_ABSENT;
    }
    close_book(&b);
    return result;
}

/* Whether the book says that another resource has taken the database over. One that cannot be read says nothing. */
static bool is_of_another(struct provider_call *c, sv path) {
    struct book b = {0};
    bool is_read = open_to_look(c, path, &b) == PROVIDER_OK;
    bool result = is_read && b.is_there && !book_is_ours(&b);
    close_book(&b);
    c->reasons.items.len = 0;
    return result;
}

/* The database goes last: without it, what stands beside it has no meaning, and with it a second attempt finds its way.
 */
static enum provider_result remove_files(struct provider_call *c, sv path) {
    static const char *const endings[] = {"-journal", "-wal", "-shm", ""};
    for (size_t i = 0; i < sizeof endings / sizeof endings[0]; i++) {
        sv name = arena_printf(c->arena, "%.*s%s", SV_ARG(path), endings[i]);
        if (unlink(name.data) != 0 && errno != ENOENT) {
            return fail(c, "remove", name, errno);
        }
    }
    return PROVIDER_OK;
}

static enum provider_result database_destroy(struct provider_call *c) {
    sv path;
    bool has_content;
    enum provider_result result = get_path(c, &path);
    if (result == PROVIDER_OK) {
        result = look(c, path, &has_content);
    }
    if (result == PROVIDER_OK && has_content && is_of_another(c, path)) {
        return PROVIDER_ABSENT;
    }
    if (result != PROVIDER_OK && result != PROVIDER_ABSENT) {
        return result;
    }
    enum provider_result removed = remove_files(c, path);
    return removed == PROVIDER_OK ? result : removed;
}

/* --- Checks and schema --- */

static void check_migrations(value list, struct diags *diags, span at, sv prefix) {
    for (size_t i = 0; i < list.list->len; i++) {
        value text = list.list->items[i];
        if (text.kind == VALUE_STRING && sv_find_char(value_get_text(text), 0) != SIZE_MAX) {
            provider_add_mistake(diags, SV("sqlite_migration_invalid"), at, prefix, SV("migrations"),
                                 "migration %zu has a NUL in it", i + 1);
        } else if (text.kind == VALUE_STRING && sv_trim(value_get_text(text)).len == 0) {
            provider_add_mistake(diags, SV("sqlite_migration_invalid"), at, prefix, SV("migrations"),
                                 "migration %zu is empty", i + 1);
        }
    }
}

static void database_validate(struct arena *a, value spec, struct diags *diags, span at, sv prefix) {
    (void)a;
    if (spec.kind != VALUE_MAP) {
        return;
    }
    value path = value_map_find(spec, SV("path")), list = value_map_find(spec, SV("migrations"));
    const char *mistake = path.kind == VALUE_STRING ? find_path_mistake(value_get_text(path)) : NULL;
    if (mistake != NULL) {
        provider_add_mistake(diags, SV("sqlite_path_invalid"), at, prefix, SV("path"), "%s", mistake);
    }
    if (list.kind == VALUE_LIST) {
        check_migrations(list, diags, at, prefix);
    }
}

/* Tables follow the migrations. */
static void database_plan(struct arena *a, value before, value after, struct field_diff *diff) {
    (void)after;
    for (size_t i = 0; i < diff->changes.len; i++) {
        struct path path = diff->changes.items[i].path;
        if (path.len >= 2 && sv_eq(path.steps[1].key, SV("migrations"))) {
            provider_add_unknown(a, diff, before, SV("tables"), false);
            provider_add_unknown(a, diff, before, SV("migrationsApplied"), false);
            return;
        }
    }
}

static const struct schema path_schema = {
    .type = SCHEMA_STRING,
    .flags = SCHEMA_REQUIRED | SCHEMA_MUST_RECREATE | SCHEMA_IDENTITY | SCHEMA_PATH | SCHEMA_HAS_MIN_LENGTH,
    .min_length = 1,
    .text = SV_INIT("Where the database file stands; relative to the directory of the blueprint"),
};
static const struct schema migration_schema = {.type = SCHEMA_STRING};
static const struct schema migrations_schema = {
    .type = SCHEMA_ARRAY,
    .items = &migration_schema,
    .default_json = "[]",
    .text = SV_INIT("SQL texts, each run once, in order; new ones are added at the end"),
};
static const struct schema create_directories_schema = {
    .type = SCHEMA_BOOLEAN,
    .default_json = "false",
    .text = SV_INIT("Whether missing directories on the way are made; they are not removed with the database"),
};
static const struct schema adopt_schema = {
    .type = SCHEMA_BOOLEAN,
    .default_json = "false",
    .text = SV_INIT("Whether a database that is there already is taken over, with what is in it"),
};
static const struct schema table_schema = {.type = SCHEMA_STRING};
static const struct schema tables_schema = {
    .type = SCHEMA_ARRAY,
    .flags = SCHEMA_COMPUTED,
    .items = &table_schema,
    .text = SV_INIT("Names of the tables, sorted"),
};
static const struct schema applied_schema = {
    .type = SCHEMA_INTEGER,
    .flags = SCHEMA_COMPUTED,
    .text = SV_INIT("How many migrations the database has seen"),
};
static const struct schema_attribute attributes[] = {
    {SV_INIT("path"), &path_schema},
    {SV_INIT("migrations"), &migrations_schema},
    {SV_INIT("createDirectories"), &create_directories_schema},
    {SV_INIT("adopt"), &adopt_schema},
    {SV_INIT("tables"), &tables_schema},
    {SV_INIT("migrationsApplied"), &applied_schema},
};
static const struct schema schema = {
    .type = SCHEMA_OBJECT,
    .attributes = attributes,
    .attribute_count = sizeof attributes / sizeof attributes[0],
};

const struct resource_type sqlite_database_type = {
    .name = SV_INIT("sqlite/database"),
    .summary = SV_INIT("An SQLite database with its migrations"),
    .details = SV_INIT("A database file, made with mode 0600. Each migration runs in a transaction together with its "
                       "record, so it runs once whatever "
                       "happens; it may hold several statements but cannot begin or end transactions, attach other "
                       "databases or set pragmas. The text of "
                       "an applied migration must not change. Records are kept in the tables `lintel_book` and "
                       "`lintel_migrations`. Destroying removes "
                       "the file and what stands beside it (`-wal`, `-shm`, `-journal`)."),
    .example = SV_INIT("orders:\n"
                       "  type: sqlite/database\n"
                       "  spec:\n"
                       "    path: data/orders.db\n"
                       "    createDirectories: true\n"
                       "    migrations:\n"
                       "      - CREATE TABLE orders (id INTEGER PRIMARY KEY, item TEXT NOT NULL)\n"),
    .id_field = SV_INIT("path"),
    .import_id = SV_INIT("the path of the database file. One that lintel did not make is changed only under `adopt`"),
    .end_point = true,
    .promise = PROMISE_EXACT,
    .schema = &schema,
    .version = 1,
    .deadline_ms = 300000,
    .validate = database_validate,
    .plan = database_plan,
    .create = database_create,
    .read = database_read,
    .update = database_update,
    .destroy = database_destroy,
    .recover = database_recover,
    .claim = database_claim,
};
