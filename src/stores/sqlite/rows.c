/* Columns in, columns out, and the digest over them: each value with its length in front, so that no two rows read the
 * same. */
#include "stores/sqlite/internal.h"

#include "adapters/crypto/crypto.h"

static void mix(struct sqlite_store *s, const void *data, size_t len) {
    uint64_t head = len;
    buf_append(&s->row, sv_make((const char *)&head, sizeof head));
    if (len > 0) {
        buf_append(&s->row, sv_make(data, len));
    }
}

static void mix_i64(struct sqlite_store *s, int64_t n) {
    buf_append(&s->row, sv_make((const char *)&n, sizeof n));
}

static void start(struct sqlite_store *s, char table, sv owner) {
    s->row.len = 0;
    buf_append_char(&s->row, table);
    mix(s, owner.data, owner.len);
}

static void get_digest(struct sqlite_store *s, uint8_t digest[ROW_DIGEST]) {
    crypto_digest_blake2b(sv_make((const char *)s->key, sizeof s->key), sv_make(s->row.data, s->row.len), digest,
                          ROW_DIGEST);
}

struct row_writer row_start(struct sqlite_store *s, struct sql_stmt *stmt, char table, sv owner) {
    start(s, table, owner);
    return (struct row_writer){.s = s, .stmt = stmt};
}

void row_put_text(struct row_writer *w, sv text) {
    sql_bind_text(w->stmt, ++w->column, text);
    mix(w->s, text.data, text.len);
}

void row_put_i64(struct row_writer *w, int64_t n) {
    sql_bind_i64(w->stmt, ++w->column, n);
    mix_i64(w->s, n);
}

void row_put_blob(struct row_writer *w, const uint8_t *data, size_t len) {
    sql_bind_blob(w->stmt, ++w->column, data, len);
    mix(w->s, data, len);
}

void row_put_key(struct row_writer *w, int64_t n) {
    sql_bind_i64(w->stmt, ++w->column, n);
}

void row_put_owner(struct row_writer *w, sv id) {
    sql_bind_text(w->stmt, ++w->column, id);
}

enum sql_result row_run(struct row_writer *w) {
    uint8_t digest[ROW_DIGEST];
    get_digest(w->s, digest);
    sql_bind_blob(w->stmt, ++w->column, digest, sizeof digest);
    return sql_run(w->stmt);
}

struct row_reader row_read(struct sqlite_store *s, struct sql_stmt *stmt, struct arena *a, char table, sv owner) {
    start(s, table, owner);
    return (struct row_reader){.s = s, .stmt = stmt, .arena = a};
}

sv row_get_text(struct row_reader *r) {
    sv text = sql_get_text(r->stmt, r->column++);
    mix(r->s, text.data, text.len);
    return arena_copy_sv(r->arena, text);
}

int64_t row_get_i64(struct row_reader *r) {
    int64_t n = sql_get_i64(r->stmt, r->column++);
    mix_i64(r->s, n);
    return n;
}

void row_get_blob(struct row_reader *r, uint8_t *data, size_t len) {
    sv bytes = sql_get_text(r->stmt, r->column++);
    mix(r->s, bytes.data, bytes.len);
    memset(data, 0, len);
    if (bytes.len == len) {
        memcpy(data, bytes.data, len);
    }
}

bool row_check_digest(struct row_reader *r) {
    uint8_t digest[ROW_DIGEST];
    get_digest(r->s, digest);
    sv stored = sql_get_text(r->stmt, r->column++);
    return stored.len == sizeof digest && crypto_is_equal(stored.data, digest, sizeof digest);
}
