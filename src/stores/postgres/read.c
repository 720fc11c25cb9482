/* Reading: a consistent snapshot per call. */
#include "stores/postgres/internal.h"

enum { ROWS_AT_ONCE = 4000 };

static sv get_text(struct postgres_store *s, struct arena *a, size_t answer, size_t row, int column) {
    return text_decode(a, pg_get_bytes(s->db, answer, row, column));
}

static void read_instance(struct postgres_store *s, struct arena *a, size_t answer, size_t row,
                          struct store_instance *i) {
    i->id = get_text(s, a, answer, row, 0);
    i->context = get_text(s, a, answer, row, 1);
    i->name = get_text(s, a, answer, row, 2);
    i->dialect = get_text(s, a, answer, row, 3);
    i->status = get_text(s, a, answer, row, 4);
    i->version = pg_get_i64(s->db, answer, row, 5);
    i->created_ms = pg_get_i64(s->db, answer, row, 6);
    i->updated_ms = pg_get_i64(s->db, answer, row, 7);
    i->body = get_text(s, a, answer, row, 8);
}

static void read_element(struct postgres_store *s, struct arena *a, size_t answer, size_t row,
                         struct store_element *e) {
    e->address = get_text(s, a, answer, row, 1);
    e->type = get_text(s, a, answer, row, 2);
    e->status = get_text(s, a, answer, row, 3);
    e->precise_status = get_text(s, a, answer, row, 4);
    e->physical_id = get_text(s, a, answer, row, 5);
    e->created_ms = pg_get_i64(s->db, answer, row, 6);
    e->updated_ms = pg_get_i64(s->db, answer, row, 7);
    e->body = get_text(s, a, answer, row, 8);
}

static void read_journal_row(struct postgres_store *s, struct arena *a, size_t answer, size_t row,
                             struct journal_row *j) {
    j->sequence = pg_get_i64(s->db, answer, row, 0);
    j->kind = (enum journal_kind)pg_get_i64(s->db, answer, row, 1);
    j->run_id = get_text(s, a, answer, row, 2);
    j->token = (uint64_t)pg_get_i64(s->db, answer, row, 3);
    j->wall_ms = pg_get_i64(s->db, answer, row, 4);
    j->operation = get_text(s, a, answer, row, 5);
    j->address = get_text(s, a, answer, row, 6);
    j->action = get_text(s, a, answer, row, 7);
    j->body = get_text(s, a, answer, row, 8);
    sv mac = pg_get_bytes(s->db, answer, row, 9);
    memcpy(j->mac, mac.data, mac.len < sizeof j->mac ? mac.len : sizeof j->mac);
}

static void read_history(struct postgres_store *s, struct arena *a, size_t answer, size_t row,
                         struct store_history *h) {
    h->number = pg_get_i64(s->db, answer, row, 0);
    h->run_id = get_text(s, a, answer, row, 1);
    h->kind = get_text(s, a, answer, row, 2);
    h->actor = get_text(s, a, answer, row, 3);
    h->outcome = get_text(s, a, answer, row, 4);
    h->started_ms = pg_get_i64(s->db, answer, row, 5);
    h->ended_ms = pg_get_i64(s->db, answer, row, 6);
    h->body = get_text(s, a, answer, row, 7);
}

/* --- Trees --- */

/* Rows behind the last one seen, so that no answer is large. */
struct page {
    int64_t elements_after, journal_after;
    bool wants_elements, wants_journal;
};

static struct query make_page_query(enum statement statement, sv id, int64_t after) {
    struct query q = {.statement = statement};
    query_add_text(&q, id);
    query_add_i64(&q, after);
    query_add_i64(&q, ROWS_AT_ONCE);
    return q;
}

static void take_elements(struct postgres_store *s, struct arena *a, size_t answer, struct store_tree *tree,
                          struct page *page) {
    size_t count = pg_get_row_count(s->db, answer);
    for (size_t i = 0; i < count; i++) {
        read_element(s, a, answer, i, VEC_ADD(a, &tree->elements));
        page->elements_after = pg_get_i64(s->db, answer, i, 0);
    }
    page->wants_elements = count == ROWS_AT_ONCE;
}

static void take_journal(struct postgres_store *s, struct arena *a, size_t answer, struct store_tree *tree,
                         struct page *page) {
    size_t count = pg_get_row_count(s->db, answer);
    for (size_t i = 0; i < count; i++) {
        read_journal_row(s, a, answer, i, VEC_ADD(a, &tree->journal));
        page->journal_after = VEC_LAST(&tree->journal)->sequence;
    }
    page->wants_journal = count == ROWS_AT_ONCE;
}

/* The first questions of a snapshot: what opens it, lease, instance, first pages. */
static enum pg_outcome run_all(struct postgres_store *s, const struct query *queries, size_t count) {
    for (size_t i = 0; i < count; i++) {
        pg_queue(s->db, (struct pg_statement){queries[i].statement, postgres_statements[queries[i].statement]},
                 queries[i].params, queries[i].count);
    }
    return pg_run(s->db);
}

static void take_first(struct postgres_store *s, struct arena *a, size_t first, sv instance_id, struct store_tree *tree,
                       struct page *page) {
    read_lease(s, a, first, instance_id, &tree->lease);
    tree->found = pg_get_row_count(s->db, first + 1) > 0;
    if (tree->found) {
        read_instance(s, a, first + 1, 0, &tree->instance);
        take_elements(s, a, first + 2, tree, page);
        take_journal(s, a, first + 3, tree, page);
    }
}

enum { FIRST_QUERIES = 4 };

static void make_first(struct query queries[FIRST_QUERIES], sv id) {
    queries[0] = (struct query){.statement = STMT_LOAD_LEASE};
    queries[1] = (struct query){.statement = STMT_LOAD_INSTANCE};
    query_add_text(&queries[0], id);
    query_add_text(&queries[1], id);
    queries[2] = make_page_query(STMT_LOAD_ELEMENTS, id, INT64_MIN);
    queries[3] = make_page_query(STMT_LOAD_JOURNAL, id, INT64_MIN);
}

/* Pages after the first. */
static enum pg_outcome load_rest(struct postgres_store *s, struct arena *a, sv id, struct store_tree *tree,
                                 struct page *page) {
    enum pg_outcome r = PG_OK;
    while (r == PG_OK && page->wants_elements) {
        struct query q = make_page_query(STMT_LOAD_ELEMENTS, id, page->elements_after);
        r = run_all(s, &q, 1);
        if (r == PG_OK) {
            take_elements(s, a, 0, tree, page);
        }
    }
    while (r == PG_OK && page->wants_journal) {
        struct query q = make_page_query(STMT_LOAD_JOURNAL, id, page->journal_after);
        r = run_all(s, &q, 1);
        if (r == PG_OK) {
            take_journal(s, a, 0, tree, page);
        }
    }
    return r;
}

/* In a transaction of its own, which sees one moment. */
static enum pg_outcome load_snapshot(struct postgres_store *s, struct arena *a, sv instance_id,
                                     struct store_tree *tree) {
    struct query queries[FIRST_QUERIES];
    struct query commit = {.statement = STMT_COMMIT};
    struct page page = {0};
    sv id = text_encode(a, instance_id);
    make_first(queries, id);
    *tree = (struct store_tree){0};
    queue_begin(s, STMT_BEGIN_READ);
    enum pg_outcome r = run_all(s, queries, FIRST_QUERIES);
    if (r == PG_OK) {
        take_first(s, a, s->is_pooled ? 2 : 1, instance_id, tree, &page);
        r = load_rest(s, a, id, tree, &page);
    }
    return r == PG_OK ? run_all(s, &commit, 1) : r;
}

static enum store_result load_outside(struct postgres_store *s, struct arena *a, sv instance_id,
                                      struct store_tree *tree) {
    for (int64_t until = get_patience(s);;) {
        enum store_result result = connect_server(s, until);
        if (result != STORE_OK) {
            return result;
        }
        enum pg_outcome r = load_snapshot(s, a, instance_id, tree);
        if (r == PG_OK) {
            return STORE_OK;
        }
        bool is_passing = (r == PG_LOST || r == PG_RETRY) && get_host_now(s) < until;
        result = is_passing ? STORE_OK : report_pg(s, r, "cannot be read");
        drop_connection(s); /* and with it the transaction */
        if (!is_passing) {
            return result;
        }
    }
}

/* Row locks keep others away, so that pages of one moment are not needed. */
static enum store_result load_inside(struct postgres_store *s, struct arena *a, sv instance_id,
                                     struct store_tree *tree) {
    struct query queries[FIRST_QUERIES];
    struct page page = {0};
    size_t first = 0;
    sv id = text_encode(a, instance_id);
    make_first(queries, id);
    *tree = (struct store_tree){0};
    enum store_result result = ask_server(s, queries, FIRST_QUERIES, &first);
    if (result == STORE_OK) {
        take_first(s, a, first, instance_id, tree, &page);
    }
    while (result == STORE_OK && page.wants_elements) {
        struct query q = make_page_query(STMT_LOAD_ELEMENTS, id, page.elements_after);
        result = ask_server(s, &q, 1, &first);
        if (result == STORE_OK) {
            take_elements(s, a, first, tree, &page);
        }
    }
    while (result == STORE_OK && page.wants_journal) {
        struct query q = make_page_query(STMT_LOAD_JOURNAL, id, page.journal_after);
        result = ask_server(s, &q, 1, &first);
        if (result == STORE_OK) {
            take_journal(s, a, first, tree, &page);
        }
    }
    return result;
}

enum store_result postgres_load_tree(struct store *store, struct arena *a, sv instance_id, struct store_tree *tree) {
    struct postgres_store *s = postgres_of(store);
    return s->in_transaction ? load_inside(s, a, instance_id, tree) : load_outside(s, a, instance_id, tree);
}

/* --- Lists --- */

enum store_result postgres_find_instance(struct store *store, struct arena *a, sv context, sv name,
                                         struct store_instance *result) {
    struct postgres_store *s = postgres_of(store);
    struct query q = {.statement = STMT_FIND_INSTANCE};
    size_t first = 0;
    query_add_text(&q, text_encode(a, context));
    query_add_text(&q, text_encode(a, name));
    enum store_result found = ask_server(s, &q, 1, &first);
    if (found == STORE_OK && pg_get_row_count(s->db, first) == 0) {
        return STORE_NOT_FOUND;
    }
    if (found == STORE_OK) {
        read_instance(s, a, first, 0, result);
    }
    return found;
}

enum store_result postgres_list_instances(struct store *store, struct arena *a, sv context,
                                          struct store_instance **items, size_t *count) {
    struct postgres_store *s = postgres_of(store);
    struct query q = {.statement = STMT_LIST_INSTANCES};
    size_t first = 0;
    query_add_text(&q, text_encode(a, context));
    *items = NULL;
    *count = 0;
    enum store_result result = ask_server(s, &q, 1, &first);
    if (result == STORE_OK) {
        *count = pg_get_row_count(s->db, first);
        *items = ARENA_ARRAY(a, struct store_instance, *count + 1);
    }
    for (size_t i = 0; i < *count; i++) {
        read_instance(s, a, first, i, &(*items)[i]);
    }
    return result;
}

enum store_result postgres_list_history(struct store *store, struct arena *a, sv instance_id,
                                        struct store_history **items, size_t *count) {
    struct postgres_store *s = postgres_of(store);
    struct query q = {.statement = STMT_LIST_HISTORY};
    size_t first = 0;
    query_add_text(&q, text_encode(a, instance_id));
    *items = NULL;
    *count = 0;
    enum store_result result = ask_server(s, &q, 1, &first);
    if (result == STORE_OK) {
        *count = pg_get_row_count(s->db, first);
        *items = ARENA_ARRAY(a, struct store_history, *count + 1);
    }
    for (size_t i = 0; i < *count; i++) {
        read_history(s, a, first, i, &(*items)[i]);
    }
    return result;
}
