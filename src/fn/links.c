/* link (FN-223, FN-232, FN-233): its arguments are names, so that only a dialect can tell what it gives
 * (eval_ops.call_syntactic). What stands here is its place in the table. */
#include "fn/internal.h"

static value call_link(struct fn_call *c) {
    return eval_get_record(c->ev) == NULL
               ? value_unknown(c->fn->result)
               : fn_call_fail(c, DIAG_function_call_error, SIZE_MAX, "there are no links here");
}

static const struct type_field state_fields[] = {
    {.name = SV_INIT("resourceID"), .type = &type_any},
    {.name = SV_INIT("resourceSpecData"), .type = &type_any},
};
static const struct type state_type = {
    .kind = TYPE_OBJECT, .fields = state_fields, .field_count = FN_COUNT(state_fields)};
static const struct type states_type = {.kind = TYPE_LIST, .item = &state_type};
static const struct type_field link_fields[] = {
    {.name = SV_INIT("linkData"), .type = &type_map},
    {.name = SV_INIT("intermediaryResourceStates"), .type = &states_type},
};
static const struct type link_type = {.kind = TYPE_OBJECT, .fields = link_fields, .field_count = FN_COUNT(link_fields)};

static const struct fn_param link_params[] = {
    {SV_INIT("a"), &type_any, 0, SV_INIT("a resource: its name, `resources.name`, `t[0]` of a template, or a string")},
    {SV_INIT("b"), &type_any, 0, SV_INIT("likewise")},
};

static const struct fn_def fn_link = {
    .name = SV_INIT("link"),
    .rule = SV_INIT("FN-223"),
    .family = SV_INIT("Environment"),
    .params = link_params,
    .param_count = FN_COUNT(link_params),
    .result = &link_type,
    .flags = FN_SYNTACTIC,
    .call = call_link,
    .summary = SV_INIT("The state of the link from one resource to another."),
    .details =
        SV_INIT("It has `linkData` (an object) and `intermediaryResourceStates` (an array of objects with "
                "`resourceID` and `resourceSpecData`), and is not known before the link is deployed. Who uses it "
                "depends on the link: `link(api, \"db\").linkData.route`."),
};

static const struct fn_def *const defs[] = {&fn_link};
const struct fn_table fn_table_links = {defs, FN_COUNT(defs)};
