/* What intrinsic functions share; their table. */
#include "dialects/cfn/functions.h"

#include <stdarg.h>

#define PARAM_FLAGS (FN_OPTIONAL | FN_VARIADIC)
#define SEES        (FN_SEES_UNKNOWN | FN_SEES_ABSENT | FN_SEES_FAILED | FN_SEES_PENDING | FN_SEES_NULL)

static const struct fn_param any_params[] = {{.name = SV_INIT("value"), .type = &type_any, .flags = PARAM_FLAGS}};

#define FUNCTION(text, number, how, function)                                                                        \
    {                                                                                                                \
        .name = SV_INIT(text), .rule = SV_INIT(number), .params = any_params, .param_count = 1, .result = &type_any, \
        .flags = FN_PURE | SEES | (how), .call = (function)                                                          \
    }

static const struct fn_def computed_ref = FUNCTION("Ref", "CF-100", 0, cfn_fn_ref);
static const struct fn_def computed_get_att = FUNCTION("Fn::GetAtt", "CF-101", 0, cfn_fn_get_att);

static const struct fn_def definitions[CFN_FUNCTION_COUNT] = {
    [CFN_SUB] = FUNCTION("Fn::Sub", "CF-103", 0, cfn_fn_sub),
    [CFN_JOIN] = FUNCTION("Fn::Join", "CF-120", 0, cfn_fn_join),
    [CFN_SPLIT] = FUNCTION("Fn::Split", "CF-121", 0, cfn_fn_split),
    [CFN_SELECT] = FUNCTION("Fn::Select", "CF-122", FN_LAZY | FN_OWN_SECRECY, cfn_fn_select),
    [CFN_FIND_IN_MAP] = FUNCTION("Fn::FindInMap", "CF-109", FN_LAZY, cfn_fn_find_in_map),
    [CFN_IF] = FUNCTION("Fn::If", "CF-075", FN_LAZY | FN_OWN_SECRECY, cfn_fn_if),
    [CFN_BASE64] = FUNCTION("Fn::Base64", "CF-123", 0, cfn_fn_base64),
    [CFN_CIDR] = FUNCTION("Fn::Cidr", "CF-125", 0, cfn_fn_cidr),
    [CFN_GET_AZS] = FUNCTION("Fn::GetAZs", "CF-124", 0, cfn_fn_get_azs),
    [CFN_IMPORT_VALUE] = FUNCTION("Fn::ImportValue", "CF-107", 0, cfn_fn_import_value),
    [CFN_GET_STACK_OUTPUT] = FUNCTION("Fn::GetStackOutput", "CF-108", 0, cfn_fn_get_stack_output),
    [CFN_TRANSFORM] = FUNCTION("Fn::Transform", "CF-152", 0, cfn_fn_transform),
    [CFN_EQUALS] = FUNCTION("Fn::Equals", "CF-072", FN_OWN_SECRECY, cfn_fn_equals),
    [CFN_AND] = FUNCTION("Fn::And", "CF-073", FN_LAZY | FN_OWN_SECRECY, cfn_fn_and),
    [CFN_OR] = FUNCTION("Fn::Or", "CF-073", FN_LAZY | FN_OWN_SECRECY, cfn_fn_or),
    [CFN_NOT] = FUNCTION("Fn::Not", "CF-073", FN_OWN_SECRECY, cfn_fn_not),
    [CFN_CONTAINS] = FUNCTION("Fn::Contains", "CF-091", FN_OWN_SECRECY, cfn_fn_contains),
    [CFN_EACH_MEMBER_EQUALS] = FUNCTION("Fn::EachMemberEquals", "CF-091", FN_OWN_SECRECY, cfn_fn_each_member_equals),
    [CFN_EACH_MEMBER_IN] = FUNCTION("Fn::EachMemberIn", "CF-091", FN_OWN_SECRECY, cfn_fn_each_member_in),
    [CFN_REF_ALL] = FUNCTION("Fn::RefAll", "CF-091", 0, cfn_fn_ref_all),
    [CFN_VALUE_OF] = FUNCTION("Fn::ValueOf", "CF-092", 0, cfn_fn_value_of),
    [CFN_VALUE_OF_ALL] = FUNCTION("Fn::ValueOfAll", "CF-092", 0, cfn_fn_value_of_all),
    [CFN_LENGTH] = FUNCTION("Fn::Length", "CF-126", 0, cfn_fn_length),
    [CFN_TO_JSON_STRING] = FUNCTION("Fn::ToJsonString", "CF-127", 0, cfn_fn_to_json_string),
};

const struct fn_def *cfn_functions_get(enum cfn_function f) {
    return definitions[f].call == NULL ? NULL : &definitions[f];
}

const struct fn_def *cfn_functions_get_computed(enum cfn_function f) {
    return f == CFN_REF ? &computed_ref : &computed_get_att;
}

struct cfn_run *cfn_call_run(const struct fn_call *c) {
    return eval_get_user(c->ev);
}

const struct cfn_site *cfn_call_site(const struct fn_call *c) {
    return c->expr->call.data;
}

bool cfn_value_waits(value v) {
    return v.kind == VALUE_ERROR || (v.within & (WITHIN_UNKNOWN | WITHIN_ERROR)) != 0;
}

bool cfn_call_waits(const struct fn_call *c) {
    for (size_t i = 0; i < c->count; i++) {
        if (cfn_value_waits(c->args[i]))
            return true;
    }
    return false;
}

static span get_span(const struct fn_call *c, size_t arg) {
    return arg < c->count && arg < c->expr->count ? c->expr->call.args[arg]->at : c->expr->at;
}

value cfn_call_fail(struct fn_call *c, enum diag_code code, size_t arg, const char *format, ...) {
    struct cfn_run *run = cfn_call_run(c);
    va_list args;
    va_start(args, format);
    sv message = arena_vprintf(run->o.diags->arena, format, args);
    va_end(args);
    value v = cfn_fail(run, code, get_span(c, arg), "'%.*s': %.*s", SV_ARG(c->fn->name), SV_ARG(message));
    struct cfn_note note = *cfn_note_get(run, v);
    note.residual = cfn_call_site(c)->node;
    note.at = c->expr->at;
    return cfn_note_put(run, v, &note);
}

const char *cfn_value_kind(value v) {
    static const char *const kinds[] = {
        [VALUE_BOOL] = "a boolean", [VALUE_INT] = "a number", [VALUE_FLOAT] = "a number",     [VALUE_STRING] = "text",
        [VALUE_LIST] = "a list",    [VALUE_MAP] = "a map",    [VALUE_ABSENT] = "AWS::NoValue"};
    const char *kind = v.kind < sizeof kinds / sizeof *kinds ? kinds[v.kind] : NULL;
    return kind == NULL ? "no value" : kind;
}

static void warn_number(struct fn_call *c, size_t arg, value v, sv text) {
    struct cfn_run *run = cfn_call_run(c);
    const struct cfn_note_more *more = cfn_note_get_more(run, v);
    if (v.kind != VALUE_FLOAT || more->written.len == 0 || sv_eq(more->written, text))
        return;
    struct diag *d = cfn_report(run, DIAG_cfn_number_text, get_span(c, arg), "the number %.*s is the text '%.*s'",
                                SV_ARG(sv_slice(more->written, 0, 80)), SV_ARG(sv_slice(text, 0, 80)));
    cfn_hint(run, d, "quote it if its digits matter");
}

bool cfn_call_text(struct fn_call *c, size_t arg, sv *text, value *failed) {
    value v = c->args[arg];
    if (cfn_text_get(cfn_call_run(c), v, text)) {
        warn_number(c, arg, v, *text);
        return true;
    }
    if (v.kind == VALUE_ABSENT)
        *failed = cfn_call_fail(c, DIAG_cfn_novalue, arg, "AWS::NoValue cannot stand here");
    else
        *failed = cfn_call_fail(c, DIAG_cfn_not_text, arg, "text is needed, not %s", cfn_value_kind(v));
    return false;
}

/* Names that are made of each other's names grow with the square of their number. */
#define TEXTS_MOST ((size_t)512 << 20)

value cfn_call_string(struct fn_call *c, sv text) {
    struct cfn_run *run = cfn_call_run(c);
    run->made_text += text.len;
    if (run->made_text > TEXTS_MOST)
        return cfn_call_fail(c, DIAG_limit_exceeded, SIZE_MAX,
                             "the texts of the template have more than 512 MiB in all");
    return value_string(c->arena, text);
}

value cfn_call_seal(struct fn_call *c, value v) {
    for (size_t i = 0; i < c->count; i++) {
        if ((c->args[i].within & MARK_SENSITIVE) != 0)
            return cfn_residual_put(c, v);
    }
    return v;
}
