#include "model/record.h"

void record_init(struct run_record *r, struct arena *a, int64_t run_ms) {
    *r = (struct run_record){.arena = a, .run_ms = run_ms, .by_key = MAP(a)};
}

bool record_find(struct run_record *r, sv key, value *result) {
    size_t number = (size_t)(uintptr_t)map_find(&r->by_key, key);
    if (number == 0) {
        return false;
    }
    r->items.items[number - 1].used = true;
    *result = r->items.items[number - 1].item;
    return true;
}

void record_put(struct run_record *r, sv key, enum record_life life, value item) {
    if (map_find(&r->by_key, key) != NULL) {
        return;
    }
    struct run_result result = {
        .key = arena_copy_sv(r->arena, key), .life = life, .item = value_copy(r->arena, item), .used = true};
    VEC_PUSH(r->arena, &r->items, result);
    map_put(&r->by_key, result.key, (void *)(uintptr_t)r->items.len);
}
