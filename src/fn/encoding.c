/* Bytes and text (FN-200 to FN-202). */
#include "fn/internal.h"

#include "base/base64.h"
#include "base/utf8.h"

static value call_base64encode(struct fn_call *c) {
    value failed = {0};
    if (!fn_take_args(c, &failed)) {
        return failed;
    }
    sv in = fn_get_text(c, 0);
    value too_large = fn_check_text_size(c, in.len / 3 * 4 + 4);
    if (too_large.kind != 0) {
        return too_large;
    }
    struct buf out = BUF(c->arena);
    base64_append(&out, in);
    return value_string(c->arena, buf_get_sv(&out));
}

static value call_base64decode(struct fn_call *c) {
    value failed = {0};
    if (!fn_take_args(c, &failed)) {
        return failed;
    }
    struct buf out = BUF(c->arena);
    return base64_decode(&out, fn_get_text(c, 0))
               ? value_bytes(c->arena, buf_get_sv(&out))
               : fn_call_fail(c, DIAG_invalid_function_argument, 0, "the text is no base64");
}

static value call_utf8(struct fn_call *c) {
    value failed = {0};
    if (!fn_take_args(c, &failed)) {
        return failed;
    }
    sv bytes = fn_get_text(c, 0);
    if (utf8_check(bytes) != bytes.len) {
        return fn_call_fail(c, DIAG_invalid_function_argument, 0, "the bytes are no UTF-8 text");
    }
    return value_string(c->arena, bytes);
}

static const struct fn_param bytes_params[] = {{SV_INIT("of"), &type_text, 0, SV_INIT("text counts as its UTF-8")}};
static const struct fn_param decode_params[] = {{SV_INIT("text"), &type_string, 0, SV_INIT("with padding")}};

#define ENCODING_FN(fn_name, fn_rule, parameters, type, body)                                               \
    .name = SV_INIT(fn_name), .rule = SV_INIT(fn_rule), .family = SV_INIT("Bytes"), .params = (parameters), \
    .param_count = 1, .result = (type), .call = (body), .flags = FN_PURE

static const struct fn_def fn_base64decode = {
    ENCODING_FN("base64decode", "FN-201", decode_params, &type_bytes, call_base64decode),
    .summary = SV_INIT("The bytes that base64 text stands for."),
    .example = SV_INIT("utf8(base64decode(\"SGk=\"))"),
    .example_result = SV_INIT("Hi"),
};
static const struct fn_def fn_base64encode = {
    ENCODING_FN("base64encode", "FN-200", bytes_params, &type_string, call_base64encode),
    .summary = SV_INIT("Bytes or text as base64 (RFC 4648) with padding."),
    .example = SV_INIT("base64encode(\"Hello World\")"),
    .example_result = SV_INIT("SGVsbG8gV29ybGQ="),
};
static const struct fn_def fn_utf8 = {
    ENCODING_FN("utf8", "FN-202", bytes_params, &type_string, call_utf8),
    .summary = SV_INIT("The text that bytes are in UTF-8."),
    .example = SV_INIT("utf8(base64decode(\"w6k=\"))"),
    .example_result = SV_INIT("\xC3\xA9"),
};

static const struct fn_def *const defs[] = {&fn_base64decode, &fn_base64encode, &fn_utf8};
const struct fn_table fn_table_encoding = {defs, FN_COUNT(defs)};
