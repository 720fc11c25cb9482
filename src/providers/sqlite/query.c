/* Data source sqlite/query: rows of a database that is opened for reading alone. */
#include "adapters/crypto/crypto.h"
#include "adapters/sqlite/sqlite.h"
#include "base/utf8.h"
#include "providers/sqlite/sqlite_provider.h"

#include <errno.h>
#include <math.h>
#include <string.h>
#include <sys/stat.h>

enum {
    ROWS_MAX = 10000,
    BYTES_MAX = 16 << 20, /* of texts and blobs in all rows */
    BUSY_MS = 5000,
};

struct query {
    struct data_call *c;
    sv database, text, table; /* as the filters say; `text` or `table` is empty */
    struct sql_db *db;
    struct sql_stmt *statement;
    sv *columns;
    size_t column_count;
    struct list_builder *lists; /* per column: its values */
    VEC(value) rows;
    size_t bytes;
};

/* --- Failures --- */

static enum provider_result fail_sql(struct query *q, enum sql_result result, const char *what, sv why) {
    bool passes = result == SQL_BUSY || result == SQL_IO || result == SQL_INTERRUPTED || result == SQL_NO_MEMORY;
    return data_fail(q->c, passes ? PROVIDER_TRANSIENT : PROVIDER_TERMINAL, "%s '%.*s': %.*s", what,
                     SV_ARG(sv_slice(q->database, 0, 300)), SV_ARG(sv_slice(why, 0, 500)));
}

/* --- Values --- */

static value get_text(struct query *q, sv text) {
    q->bytes += text.len;
    if (utf8_check(text) != text.len) {
        return value_string(q->c->arena, crypto_print_base64(q->c->arena, text.data, text.len));
    }
    return value_string_copy(q->c->arena, text);
}

static value get_column(struct query *q, int column) {
    struct sql_stmt *s = q->statement;
    switch (sql_get_kind(s, column)) {
    case SQL_INTEGER:
        return value_int(sql_get_i64(s, column));
    case SQL_FLOAT:
        return isfinite(sql_get_double(s, column)) ? value_float(sql_get_double(s, column)) : value_null();
    case SQL_TEXT:
        return get_text(q, sql_get_text(s, column));
    case SQL_BLOB: {
        sv blob = sql_get_text(s, column);
        q->bytes += blob.len;
        return value_string(q->c->arena, crypto_print_base64(q->c->arena, blob.data, blob.len));
    }
    case SQL_NULL:
        break;
    }
    return value_null();
}

static void read_row(struct query *q) {
    struct map_builder row = {.arena = q->c->arena};
    for (size_t i = 0; i < q->column_count; i++) {
        value v = get_column(q, (int)i);
        map_add(&row, q->columns[i], v);
        if (v.kind != VALUE_NULL) {
            list_add(&q->lists[i], v);
        }
    }
    VEC_PUSH(q->c->arena, &q->rows, map_done(&row));
}

/* --- Running --- */

/* Two columns of one name could not both be told. */
static enum provider_result read_columns(struct query *q) {
    struct arena *a = q->c->arena;
    struct map seen = MAP(a);
    q->column_count = sql_get_column_count(q->statement);
    q->columns = ARENA_ARRAY(a, sv, q->column_count + 1);
    q->lists = ARENA_ARRAY(a, struct list_builder, q->column_count + 1);
    for (size_t i = 0; i < q->column_count; i++) {
        q->columns[i] = arena_copy_sv(a, sql_get_column_name(q->statement, (int)i));
        q->lists[i].arena = a;
        if (utf8_check(q->columns[i]) != q->columns[i].len || map_put(&seen, q->columns[i], q) != NULL) {
            return data_fail(q->c, PROVIDER_TERMINAL, "column %zu of the query needs a name of its own ('AS')", i + 1);
        }
    }
    return PROVIDER_OK;
}

static enum provider_result read_rows(struct query *q) {
    enum sql_result step;
    while ((step = sql_step(q->statement)) == SQL_ROW) {
        read_row(q);
        if (q->rows.len > ROWS_MAX || q->bytes > BYTES_MAX) {
            return data_fail(q->c, PROVIDER_TERMINAL, "the query gives more than %d rows or %d MiB", ROWS_MAX,
                             BYTES_MAX >> 20);
        }
        if (data_is_over(q->c)) {
            return data_fail(q->c, PROVIDER_TRANSIENT, "the query took too long");
        }
    }
    return step == SQL_DONE ? PROVIDER_OK : fail_sql(q, step, "the query cannot be run on", sql_get_error(q->db));
}

static sv quote_name(struct arena *a, sv name) {
    struct buf out = BUF(a);
    buf_append_char(&out, '"');
    for (size_t i = 0; i < name.len; i++) {
        buf_append_repeat(&out, name.data[i], name.data[i] == '"' ? 2 : 1);
    }
    buf_append_char(&out, '"');
    return buf_get_sv(&out);
}

/* Tables without rowid come in the order of their first column. */
static enum sql_result prepare(struct query *q) {
    struct arena *a = q->c->arena;
    if (q->text.len > 0) {
        return sql_prepare(q->db, q->text, &q->statement);
    }
    sv table = quote_name(a, q->table);
    sv by_rowid = arena_printf(a, "SELECT * FROM %.*s ORDER BY rowid", SV_ARG(table));
    enum sql_result result = sql_prepare(q->db, by_rowid, &q->statement);
    return result == SQL_OK
               ? result
               : sql_prepare(q->db, arena_printf(a, "SELECT * FROM %.*s ORDER BY 1", SV_ARG(table)), &q->statement);
}

static enum provider_result run(struct query *q) {
    sql_set_deadline(q->db, q->c->deadline_ms);
    sql_set_confined(q->db, true);
    enum sql_result result = prepare(q);
    if (result != SQL_OK) {
        return fail_sql(q, result, "the query cannot be run on", sql_get_error(q->db));
    }
    if (!sql_is_read_only(q->statement) || sql_get_column_count(q->statement) == 0) {
        return data_fail(q->c, PROVIDER_TERMINAL, "the query must be one SELECT");
    }
    enum provider_result columns = read_columns(q);
    return columns == PROVIDER_OK ? read_rows(q) : columns;
}

/* --- Objects --- */

static void add_objects(struct query *q) {
    struct arena *a = q->c->arena;
    struct list_builder names = {.arena = a};
    struct map_builder lists = {.arena = a};
    for (size_t i = 0; i < q->column_count; i++) {
        list_add(&names, value_string(a, q->columns[i]));
        map_add(&lists, q->columns[i], list_done(&q->lists[i]));
    }
    value columns = list_done(&names), all = map_done(&lists);
    for (size_t i = 0; i < q->rows.len; i++) {
        struct map_builder m = {.arena = a};
        map_add(&m, SV("database"), value_string(a, q->database));
        map_add(&m, q->text.len > 0 ? SV("query") : SV("table"), value_string(a, q->text.len > 0 ? q->text : q->table));
        map_add(&m, SV("row"), q->rows.items[i]);
        map_add(&m, SV("number"), value_int((int64_t)i));
        map_add(&m, SV("count"), value_int((int64_t)q->rows.len));
        map_add(&m, SV("columns"), columns);
        map_add(&m, SV("column"), all);
        VEC_PUSH(a, &q->c->objects, data_type_fill(a, &sqlite_query_data, map_done(&m)));
    }
}

static bool find_text(struct data_call *c, sv field, sv *text) {
    struct data_texts texts;
    if (!data_find_texts(c, field, &texts) || texts.items.len != 1) {
        return false;
    }
    *text = texts.items.items[0];
    return text->len > 0 && sv_find_char(*text, 0) == SIZE_MAX;
}

static sv get_path(const struct data_call *c, sv path) {
    bool is_absolute = sv_has_prefix(path, SV("/")) || c->base_dir.len == 0;
    return is_absolute ? path : arena_printf(c->arena, "%.*s/%.*s", SV_ARG(c->base_dir), SV_ARG(path));
}

/* SQLite tells less well what is wrong with a path. */
static enum provider_result check_file(struct query *q, sv path) {
    struct stat st;
    if (stat(arena_copy_cstr(q->c->arena, path), &st) != 0) {
        return data_fail(q->c, PROVIDER_TERMINAL, "cannot open the database '%.*s': %s",
                         SV_ARG(sv_slice(q->database, 0, 300)), strerrordesc_np(errno));
    }
    if (!S_ISREG(st.st_mode)) {
        return data_fail(q->c, PROVIDER_TERMINAL, "cannot open the database '%.*s': it is not a regular file",
                         SV_ARG(sv_slice(q->database, 0, 300)));
    }
    return PROVIDER_OK;
}

static enum provider_result read_database(struct query *q) {
    struct sql_options options = {.read_only = true, .busy_timeout_ms = BUSY_MS};
    sv why = {0}, path = get_path(q->c, q->database);
    enum provider_result result = check_file(q, path);
    if (result != PROVIDER_OK) {
        return result;
    }
    enum sql_result opened = sql_open(q->c->arena, path, &options, &q->db, &why);
    if (opened != SQL_OK) {
        return fail_sql(q, opened, "cannot open the database", why);
    }
    result = run(q);
    sql_finish(q->statement);
    sql_close(q->db);
    return result;
}

static enum provider_result fetch_rows(struct data_call *c) {
    struct query q = {.c = c};
    if (!find_text(c, SV("database"), &q.database)) {
        return data_fail(c, PROVIDER_TERMINAL, "a filter 'database' with the operator '=' says which file to read");
    }
    bool has_query = find_text(c, SV("query"), &q.text);
    if (find_text(c, SV("table"), &q.table) == has_query) {
        return data_fail(c, PROVIDER_TERMINAL, "a filter 'table' or 'query' with the operator '=' says what to read");
    }
    enum provider_result result = read_database(&q);
    if (result == PROVIDER_OK) {
        add_objects(&q);
    }
    return result;
}

/* --- The type --- */

static const struct schema string_item = {.type = SCHEMA_STRING};
static const struct schema integer_item = {.type = SCHEMA_INTEGER};
static const struct schema float_item = {.type = SCHEMA_FLOAT};
static const struct schema *const cell_types[] = {&string_item, &integer_item, &float_item};
static const struct schema cell = {
    .type = SCHEMA_UNION, .flags = SCHEMA_NULLABLE, .one_of = cell_types, .one_of_count = 3};
static const struct schema cells = {.type = SCHEMA_ARRAY, .items = &cell};

#define FIELD(id, kind, words) static const struct schema id##_field = {.type = (kind), .text = SV_INIT(words)}
#define MAYBE(id, kind, words) \
    static const struct schema id##_field = {.type = (kind), .flags = SCHEMA_NULLABLE, .text = SV_INIT(words)}
FIELD(database, SCHEMA_STRING, "The file, as the filter names it; relative to the directory of the blueprint");
MAYBE(table, SCHEMA_STRING, "The table or view, as the filter names it");
MAYBE(query, SCHEMA_STRING, "The SELECT, as the filter gives it");
FIELD(number, SCHEMA_INTEGER, "Number of the row, from 0");
FIELD(count, SCHEMA_INTEGER, "How many rows there are");
static const struct schema row_field = {
    .type = SCHEMA_MAP, .items = &cell, .text = SV_INIT("The row: `row.NAME` is the value of a column")};
static const struct schema columns_field = {
    .type = SCHEMA_ARRAY, .items = &string_item, .text = SV_INIT("Names of the columns, in order")};
static const struct schema column_field = {
    .type = SCHEMA_MAP,
    .items = &cells,
    .text = SV_INIT("All rows by column: `column.NAME` is the array of the column's values, without its NULLs")};

static const struct schema_attribute attributes[] = {
    {SV_INIT("database"), &database_field}, {SV_INIT("table"), &table_field},   {SV_INIT("query"), &query_field},
    {SV_INIT("row"), &row_field},           {SV_INIT("number"), &number_field}, {SV_INIT("count"), &count_field},
    {SV_INIT("columns"), &columns_field},   {SV_INIT("column"), &column_field},
};
static const struct schema schema = {
    .type = SCHEMA_OBJECT, .attributes = attributes, .attribute_count = sizeof attributes / sizeof attributes[0]};

static const struct data_filter_field filter_fields[] = {
    {.field = SV_INIT("database"), .operators = 1u << FILTER_EQUALS},
    {.field = SV_INIT("table"), .operators = 1u << FILTER_EQUALS},
    {.field = SV_INIT("query"), .operators = 1u << FILTER_EQUALS},
    {.field = SV_INIT("row")},
    {.field = SV_INIT("number")},
    {.field = SV_INIT("count")},
    {.field = SV_INIT("columns")},
    {.field = SV_INIT("column")},
};
static const sv table_or_query[] = {SV_INIT("table"), SV_INIT("query"), {0}};
static const sv *const exclusive[] = {table_or_query};

const struct data_type sqlite_query_data = {
    .name = SV_INIT("sqlite/query"),
    .summary = SV_INIT("A row of an SQLite database"),
    .details = SV_INIT(
        "The filters `database` and `table`, or `database` and `query`, say what is read; further filters choose among "
        "the rows, and the first row that passes is taken. Rows of a table come in the order of their rowid, those of "
        "a "
        "query in its own order. The database is opened for reading alone; a query is one SELECT, which cannot attach "
        "other files. Blobs, and texts that are no UTF-8, come as base64; NULL counts as absent in filters and gives "
        "`none`. There are no booleans in SQLite: they are the integers 0 and 1. More than 10 000 rows or 16 MiB are "
        "an "
        "error; a database that stays locked is asked again."),
    .example = SV_INIT("customer:\n"
                       "  type: sqlite/query\n"
                       "  filter:\n"
                       "    - {field: database, operator: \"=\", search: data/shop.db}\n"
                       "    - {field: table, operator: \"=\", search: customers}\n"
                       "    - {field: row.city, operator: \"=\", search: \"${variables.city}\"}\n"
                       "  exports:\n"
                       "    id: {type: integer, aliasFor: row.id}\n"
                       "    cities: {type: array, aliasFor: column.city}\n"),
    .schema = &schema,
    .filter_fields = filter_fields,
    .filter_field_count = sizeof filter_fields / sizeof filter_fields[0],
    .exclusive = exclusive,
    .exclusive_count = 1,
    .fetch = fetch_rows,
};
