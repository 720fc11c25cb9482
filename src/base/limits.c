#include "base/limits.h"

#include <assert.h>

const struct limits limits_default = {
    .document_bytes = (size_t)64 * 1024 * 1024,
    .nesting = 128,
    .expr_depth = 128,
    .alias_nodes = 100000,
    .eval_steps = 100000000,
    .result_text = (size_t)16 * 1024 * 1024,
    .result_items = 100000,
    .list_items = 10000000,
    .value_weight = 1000000,
    .value_depth = SIZE_MAX,
    .elements = 1000000,
    .each_instances = 10000,
    .include_depth = 16,
    .diagnostics = 1000,
};

bool depth_enter(struct depth_guard *g) {
    if (g->depth >= g->limit) {
        return false;
    }
    g->depth++;
    return true;
}

void depth_leave(struct depth_guard *g) {
    assert(g->depth > 0);
    g->depth--;
}
