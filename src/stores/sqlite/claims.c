/* Who stands for an object outside (F38): an index over type and physical id answers. */
#include "stores/sqlite/internal.h"

struct found_claims {
    VEC(struct store_claim) items;
};

static enum store_result find_one(struct sqlite_store *s, struct arena *a, const struct store_object *object,
                                  struct found_claims *found) {
    enum store_result result;
    struct sql_stmt *stmt = get_statement(s, STMT_FIND_CLAIMS, &result);
    if (stmt == NULL) {
        return result;
    }
    sql_bind_text(stmt, 1, object->type);
    sql_bind_text(stmt, 2, object->physical_id);
    enum sql_result r = sql_step(stmt);
    for (; r == SQL_ROW; r = sql_step(stmt)) {
        *VEC_ADD(a, &found->items) = (struct store_claim){
            .object = *object,
            .instance_id = arena_copy_sv(a, sql_get_text(stmt, 0)),
            .instance_name = arena_copy_sv(a, sql_get_text(stmt, 1)),
            .context = arena_copy_sv(a, sql_get_text(stmt, 2)),
            .address = arena_copy_sv(a, sql_get_text(stmt, 3)),
        };
    }
    return r == SQL_DONE ? STORE_OK : report_sql(s, r, "cannot be read");
}

enum store_result sqlite_find_claims(struct store *store, struct arena *a, const struct store_object *objects,
                                     size_t object_count, struct store_claim **items, size_t *count) {
    struct found_claims found = {0};
    enum store_result result = STORE_OK;
    for (size_t i = 0; result == STORE_OK && i < object_count; i++) {
        result = find_one(sqlite_of(store), a, &objects[i], &found);
    }
    *items = found.items.items;
    *count = found.items.len;
    return result;
}
