#include "dialects/blueprint/tables.h"

#include "dialects/blueprint/blueprint.h"
#include "fn/fn.h"

static const sv literal_words[] = {SV_INIT("true"), SV_INIT("false"), SV_INIT("none")};
static const value literal_values[] = {
    {.kind = VALUE_BOOL, .boolean = true},
    {.kind = VALUE_BOOL, .boolean = false},
    {.kind = VALUE_ABSENT},
};

/* 1.15, tokens. BP-223: only the quote itself can be escaped; BP-215: nothing escapes `${`. */
static const struct lexis lexis = {
    .open = SV_INIT("${"),
    .close = SV_INIT("}"),
    .classes = lexis_classes_name,
    .quotes = SV_INIT("\"'"),
    .quote_escape_only = true,
    .key_class_only = true,
    .floats = true,
    .negative_literals = true,
    .literal_words = literal_words,
    .literal_values = literal_values,
    .literal_count = sizeof literal_words / sizeof *literal_words,
};

/* 1.15, references. More accessors behind a variable are no mistake of syntax (1.16). */
/* sorted */
static const struct root_def roots[] = {
    {.keyword = SV_INIT(""), .number = BLUEPRINT_ROOT_NAME, .max_steps = 255},
    {.keyword = SV_INIT("children"),
     .number = BLUEPRINT_ROOT_CHILDREN,
     .min_names = 1,
     .min_steps = 2,
     .max_steps = 255},
    {.keyword = SV_INIT("datasources"),
     .number = BLUEPRINT_ROOT_DATASOURCES,
     .min_names = 2,
     .min_steps = 2,
     .max_steps = 3},
    {.keyword = SV_INIT("elem"), .number = BLUEPRINT_ROOT_ELEM, .max_steps = 255},
    {.keyword = SV_INIT("i"), .number = BLUEPRINT_ROOT_INDEX},
    {.keyword = SV_INIT("resources"),
     .number = BLUEPRINT_ROOT_RESOURCES,
     .min_names = 1,
     .min_steps = 1,
     .max_steps = 255},
    {.keyword = SV_INIT("values"), .number = BLUEPRINT_ROOT_VALUES, .min_names = 1, .min_steps = 1, .max_steps = 255},
    {.keyword = SV_INIT("variables"),
     .number = BLUEPRINT_ROOT_VARIABLES,
     .min_names = 1,
     .min_steps = 1,
     .max_steps = 255},
};

/* What is not named is absorbed: unknown gives unknown (BP-262), none gives none (BP-270), a cycle is an error. Failed
 * items stay in their containers until the cell ends, so that all independent failures of a spec are found (BP-302). */
static const struct eval_policy policy = {
    .failed_item = OPERAND_PASS,
    .drop_absent_items = true,
    .operand_code = DIAG_invalid_substitution,
    .type_code = DIAG_invalid_substitution,
    .text_code = DIAG_invalid_resolved_sub_value,
    .function_code = DIAG_higher_order_function_not_supported,
};

const struct dialect blueprint_dialect = {
    .name = SV_INIT("blueprint"),
    .lexis = &lexis,
    .roots = roots,
    .root_count = sizeof roots / sizeof *roots,
    .call_styles = CALL_NAMED | CALL_BARE_FUNCTIONS | CALL_EMPTY_INDEX,
    .functions = &fn_core_registry,
    .policy = &policy,
    .syntax_code = DIAG_invalid_reference_substitution,
    .unknown_function_code = DIAG_function_not_found,
    .arguments_code = DIAG_invalid_substitution,
};

/* The same for `field` of an export, where anything but one reference is a mistake of one kind (BP-191). */
const struct dialect blueprint_export_dialect = {
    .name = SV_INIT("blueprint"),
    .lexis = &lexis,
    .roots = roots,
    .root_count = sizeof roots / sizeof *roots,
    .call_styles = CALL_NAMED | CALL_BARE_FUNCTIONS | CALL_EMPTY_INDEX,
    .functions = &fn_core_registry,
    .policy = &policy,
    .syntax_code = DIAG_invalid_reference_pattern,
    .unknown_function_code = DIAG_invalid_reference_pattern,
    .arguments_code = DIAG_invalid_reference_pattern,
};
