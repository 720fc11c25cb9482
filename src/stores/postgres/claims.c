/* Who stands for an object outside (F38): one question for all objects, answered by an index. */
#include "stores/postgres/internal.h"

#include "base/jsonw.h"

static sv print_objects(struct arena *a, const struct store_object *objects, size_t count) {
    struct buf out = BUF(a);
    struct jsonw w = JSONW(&out, 0);
    jsonw_begin_array(&w);
    for (size_t i = 0; i < count; i++) {
        jsonw_begin_array(&w);
        jsonw_text(&w, text_encode(a, objects[i].type));
        jsonw_text(&w, text_encode(a, objects[i].physical_id));
        jsonw_end_array(&w);
    }
    jsonw_end_array(&w);
    return buf_get_sv(&out);
}

static sv get_text(struct postgres_store *s, struct arena *a, size_t answer, size_t row, int column) {
    return text_decode(a, pg_get_bytes(s->db, answer, row, column));
}

enum store_result postgres_find_claims(struct store *store, struct arena *a, const struct store_object *objects,
                                       size_t object_count, struct store_claim **items, size_t *count) {
    struct postgres_store *s = postgres_of(store);
    struct query q = {.statement = STMT_FIND_CLAIMS};
    size_t first = 0;
    *items = NULL;
    *count = 0;
    query_add_text(&q, print_objects(a, objects, object_count));
    enum store_result result = ask_server(s, &q, 1, &first);
    if (result != STORE_OK) {
        return result;
    }
    *count = pg_get_row_count(s->db, first);
    *items = ARENA_ARRAY(a, struct store_claim, *count + 1);
    for (size_t i = 0; i < *count; i++) {
        size_t object = (size_t)pg_get_i64(s->db, first, i, 0) - 1;
        (*items)[i] = (struct store_claim){
            .object = objects[object < object_count ? object : 0],
            .instance_id = get_text(s, a, first, i, 1),
            .instance_name = get_text(s, a, first, i, 2),
            .context = get_text(s, a, first, i, 3),
            .address = get_text(s, a, first, i, 4),
        };
    }
    return STORE_OK;
}
