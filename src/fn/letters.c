/* Upper and lower case (FN-120, FN-121). */
#include "fn/internal.h"

#include "base/utf8.h"

static value change_case(struct fn_call *c, uint32_t (*change)(uint32_t codepoint)) {
    value failed = {0};
    if (!fn_take_args(c, &failed)) {
        return failed;
    }
    sv text = fn_get_text(c, 0);
    struct buf out = BUF(c->arena);
    while (text.len > 0) {
        uint32_t codepoint = 0;
        size_t len = utf8_decode(text, &codepoint);
        buf_append_codepoint(&out, change(codepoint));
        text = sv_slice(text, len, text.len);
    }
    return value_string(c->arena, buf_get_sv(&out));
}

static value call_to_lower(struct fn_call *c) {
    return change_case(c, utf8_to_lower);
}

static value call_to_upper(struct fn_call *c) {
    return change_case(c, utf8_to_upper);
}

static const struct fn_param text_params[] = {{SV_INIT("text"), &type_string, 0, SV_INIT("")}};

#define LETTER_FN(fn_name, fn_rule, body)                                                                    \
    .name = SV_INIT(fn_name), .rule = SV_INIT(fn_rule), .family = SV_INIT("Strings"), .params = text_params, \
    .param_count = 1, .result = &type_string, .call = (body), .flags = FN_PURE

static const struct fn_def fn_to_lower = {
    LETTER_FN("to_lower", "FN-121", call_to_lower),
    .summary = SV_INIT("The text in small letters, character by character, whatever the language."),
    .example = SV_INIT("to_lower(\"A\xC3\x89\")"),
    .example_result = SV_INIT("a\xC3\xA9"),
};
static const struct fn_def fn_to_upper = {
    LETTER_FN("to_upper", "FN-120", call_to_upper),
    .summary = SV_INIT("The text in capital letters, character by character, whatever the language."),
    .example = SV_INIT("to_upper(\"a\xC3\xA9\xC3\x9F\")"),
    .example_result = SV_INIT("A\xC3\x89\xC3\x9F"),
};

static const struct fn_def *const defs[] = {&fn_to_lower, &fn_to_upper};
const struct fn_table fn_table_letters = {defs, FN_COUNT(defs)};
