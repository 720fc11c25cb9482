/* Writing, inside a transaction. Rows whose answer the caller need not know are queued and go out together. */
#include "adapters/crypto/crypto.h"
#include "stores/postgres/internal.h"

#include <assert.h>

static void add_text(struct postgres_store *s, struct query *q, sv text) {
    query_add_text(q, text_encode(&s->tx.arena, text));
}

/* Addresses may be longer than a key of an index. */
static void add_address_key(struct postgres_store *s, struct query *q, sv address) {
    uint8_t *key = ARENA_ARRAY(&s->tx.arena, uint8_t, ADDRESS_KEY);
    crypto_digest_blake2b((sv){0}, address, key, ADDRESS_KEY);
    query_add_bytes(q, key, ADDRESS_KEY);
}

enum store_result postgres_put_instance(struct store *store, const struct store_instance *instance,
                                        int64_t expected_version) {
    struct postgres_store *s = postgres_of(store);
    bool is_new = expected_version == 0;
    struct query q = {.statement = is_new ? STMT_INSERT_INSTANCE : STMT_UPDATE_INSTANCE};
    add_text(s, &q, instance->id);
    add_text(s, &q, instance->context);
    add_text(s, &q, instance->name);
    add_text(s, &q, instance->dialect);
    add_text(s, &q, instance->status);
    query_add_i64(&q, instance->version);
    query_add_i64(&q, instance->created_ms);
    query_add_i64(&q, instance->updated_ms);
    add_text(s, &q, instance->body);
    if (!is_new) {
        query_add_i64(&q, expected_version);
    }
    int64_t changes = 0;
    enum store_result result = write_row(s, &q, &changes);
    return result == STORE_OK && changes == 0 ? STORE_CONFLICT : result;
}

enum store_result postgres_delete_instance(struct store *store, sv instance_id) {
    struct postgres_store *s = postgres_of(store);
    struct query q = {.statement = STMT_DELETE_INSTANCE};
    int64_t changes = 0;
    add_text(s, &q, instance_id);
    s->tx.known_id = (sv){0};
    enum store_result result = write_row(s, &q, &changes);
    return result == STORE_OK && changes == 0 ? STORE_NOT_FOUND : result;
}

static enum store_result know(struct postgres_store *s, sv instance_id) {
    assert(s->in_transaction);
    return know_instance(s, text_encode(&s->tx.arena, instance_id));
}

enum store_result postgres_put_element(struct store *store, sv instance_id, const struct store_element *element) {
    struct postgres_store *s = postgres_of(store);
    enum store_result result = know(s, instance_id);
    if (result != STORE_OK) {
        return result;
    }
    struct query q = {.statement = STMT_PUT_ELEMENT};
    query_add_text(&q, s->tx.known_id);
    add_address_key(s, &q, element->address);
    add_text(s, &q, element->address);
    add_text(s, &q, element->type);
    add_text(s, &q, element->status);
    add_text(s, &q, element->precise_status);
    add_text(s, &q, element->physical_id);
    query_add_i64(&q, element->created_ms);
    query_add_i64(&q, element->updated_ms);
    add_text(s, &q, element->body);
    return write_row(s, &q, NULL);
}

enum store_result postgres_delete_element(struct store *store, sv instance_id, sv address) {
    struct postgres_store *s = postgres_of(store);
    struct query q = {.statement = STMT_DELETE_ELEMENT};
    add_text(s, &q, instance_id);
    add_address_key(s, &q, address);
    return write_row(s, &q, NULL);
}

enum store_result postgres_append_journal(struct store *store, sv instance_id, const struct journal_row *row) {
    struct postgres_store *s = postgres_of(store);
    enum store_result result = know(s, instance_id);
    if (result != STORE_OK) {
        return result;
    }
    if (row->sequence <= s->tx.last_sequence) {
        return STORE_CONFLICT;
    }
    struct query q = {.statement = STMT_APPEND_JOURNAL};
    query_add_text(&q, s->tx.known_id);
    query_add_i64(&q, row->sequence);
    query_add_i64(&q, (int64_t)row->kind);
    add_text(s, &q, row->run_id);
    query_add_i64(&q, (int64_t)row->token);
    query_add_i64(&q, row->wall_ms);
    add_text(s, &q, row->operation);
    add_text(s, &q, row->address);
    add_text(s, &q, row->action);
    add_text(s, &q, row->body);
    query_add_bytes(&q, arena_copy_sv(&s->tx.arena, sv_make((const char *)row->mac, sizeof row->mac)).data,
                    sizeof row->mac);
    result = write_row(s, &q, NULL);
    s->tx.last_sequence = result == STORE_OK ? row->sequence : s->tx.last_sequence;
    return result;
}

static enum store_result clear_journal(struct postgres_store *s, sv id) {
    struct query q = {.statement = STMT_CLEAR_JOURNAL};
    query_add_text(&q, id);
    if (sv_eq(id, s->tx.known_id)) {
        s->tx.last_sequence = 0;
    }
    return write_row(s, &q, NULL);
}

static enum store_result add_history(struct postgres_store *s, sv id, const struct store_history *h) {
    struct query look = {.statement = STMT_LAST_HISTORY}, q = {.statement = STMT_ADD_HISTORY};
    size_t first = 0;
    query_add_text(&look, id);
    enum store_result result = ask_server(s, &look, 1, &first);
    if (result != STORE_OK) {
        return result;
    }
    if (h->number <= pg_get_i64(s->db, first, 0, 0)) {
        return STORE_CONFLICT;
    }
    query_add_text(&q, id);
    query_add_i64(&q, h->number);
    add_text(s, &q, h->run_id);
    add_text(s, &q, h->kind);
    add_text(s, &q, h->actor);
    add_text(s, &q, h->outcome);
    query_add_i64(&q, h->started_ms);
    query_add_i64(&q, h->ended_ms);
    add_text(s, &q, h->body);
    return write_row(s, &q, NULL);
}

enum store_result postgres_compact_journal(struct store *store, sv instance_id, const struct store_history *entry,
                                           size_t keep_history) {
    struct postgres_store *s = postgres_of(store);
    assert(s->in_transaction);
    sv id = text_encode(&s->tx.arena, instance_id);
    struct query prune = {.statement = STMT_PRUNE_HISTORY};
    query_add_text(&prune, id);
    query_add_i64(&prune, (int64_t)keep_history);
    enum store_result result = add_history(s, id, entry);
    result = result == STORE_OK ? clear_journal(s, id) : result;
    result = result == STORE_OK ? write_row(s, &prune, NULL) : result;
    return result == STORE_OK ? prune_queue(s, id, keep_history) : result;
}
