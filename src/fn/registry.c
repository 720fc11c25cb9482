#include "fn/fn.h"
#include "fn/internal.h"

static const struct fn_table *const tables[] = {
    &fn_table_json,        &fn_table_strings, &fn_table_search,  &fn_table_collections,
    &fn_table_callbacks,   &fn_table_logic,   &fn_table_numbers, &fn_table_encoding,
    &fn_table_environment, &fn_table_letters, &fn_table_network, &fn_table_later,
};

const struct fn_registry fn_core_registry = {.tables = tables, .count = FN_COUNT(tables)};
