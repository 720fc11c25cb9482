/* The store contract over the reference store. */
#include "contract/store/fixture.h"
#include "stores/memory/memory.h"

static struct store *open_memory(struct fixture *f, bool read_only) {
    struct store_options options = fixture_get_options(f, read_only);
    return memory_store_open(&f->arena, &options);
}

static const struct store_kind kind = {.name = "store contract: memory", .open = open_memory};

int main(void) {
    return run_store_contract(&kind) + run_queue_contract(&kind) + run_key_contract(&kind);
}
