/* The store contract over SQLite files. */
#include "contract/store/fixture.h"
#include "stores/sqlite/sqlite_store.h"

static struct store *open_sqlite(struct fixture *f, bool read_only) {
    struct store_options options = fixture_get_options(f, read_only);
    return sqlite_store_open(&f->arena, fixture_get_path(f, ".lintel/state.db"), &options, NULL);
}

static const struct store_kind kind = {.name = "store contract: sqlite", .open = open_sqlite, .is_lasting = true};

int main(void) {
    return run_store_contract(&kind) + run_queue_contract(&kind) + run_key_contract(&kind);
}
