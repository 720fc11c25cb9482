/* Core functions that are only names so far: using one is the error `not_supported_yet`. */
#include "fn/fn.h"
#include "fn/internal.h"

static value call_later(struct fn_call *c) {
    return fn_call_fail(c, DIAG_not_supported_yet, SIZE_MAX, "this version of lintel does not have this function");
}

static void check_later(const struct fn_check *c) {
    diags_add(c->diags, DIAG_not_supported_yet, c->expr->at,
              "'%.*s': this version of lintel does not have this function", SV_ARG(c->fn->name));
}

bool fn_is_later(const struct fn_def *f) {
    return f->call == call_later;
}

static const struct fn_param text_params[] = {{SV_INIT("of"), &type_text, 0, SV_INIT("")}};
static const struct fn_param string_params[] = {{SV_INIT("text"), &type_string, 0, SV_INIT("")}};
static const struct fn_param link_params[] = {
    {SV_INIT("a"), &type_any, 0, SV_INIT("")},
    {SV_INIT("b"), &type_any, 0, SV_INIT("")},
};

#define LATER_FN(fn_name, fn_rule, group, parameters, count, type)                                        \
    .name = SV_INIT(fn_name), .rule = SV_INIT(fn_rule), .family = SV_INIT(group), .params = (parameters), \
    .param_count = (count), .result = (type), .call = call_later, .check = check_later

static const struct fn_def fn_datetime = {
    LATER_FN("datetime", "FN-221", "Environment", string_params, 1, &type_string),
    .summary = SV_INIT("The time of the run in UTC, in one of several formats."),
};
static const struct fn_def fn_file = {
    LATER_FN("file", "FN-206", "Bytes", string_params, 1, &type_bytes),
    .summary = SV_INIT("The contents of a file."),
};
static const struct fn_def fn_http_resource = {
    LATER_FN("http_resource", "FN-207", "Bytes", string_params, 1, &type_bytes),
    .summary = SV_INIT("What an HTTP server answers to a GET request."),
};
static const struct fn_def fn_link = {
    LATER_FN("link", "FN-223", "Environment", link_params, 2, &type_map),
    .summary = SV_INIT("The state of the link between two resources."),
    .flags = FN_SYNTACTIC,
};
static const struct fn_def fn_md5 = {
    LATER_FN("md5", "FN-205", "Bytes", text_params, 1, &type_string),
    .summary = SV_INIT("The MD5 digest in hexadecimal digits."),
};
static const struct fn_def fn_sha1 = {
    LATER_FN("sha1", "FN-204", "Bytes", text_params, 1, &type_string),
    .summary = SV_INIT("The SHA-1 digest in hexadecimal digits."),
};
static const struct fn_def fn_sha256 = {
    LATER_FN("sha256", "FN-203", "Bytes", text_params, 1, &type_string),
    .summary = SV_INIT("The SHA-256 digest in hexadecimal digits."),
};
static const struct fn_def fn_uuid = {
    LATER_FN("uuid", "FN-222", "Environment", NULL, 0, &type_string),
    .summary = SV_INIT("A random UUID of version 4."),
};

/* sorted */
static const struct fn_def *const defs[] = {
    &fn_datetime, &fn_file, &fn_http_resource, &fn_link, &fn_md5, &fn_sha1, &fn_sha256, &fn_uuid,
};
const struct fn_table fn_table_later = {defs, FN_COUNT(defs)};
