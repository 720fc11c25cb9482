/* JSON text into values (FN-100 to FN-104). */
#include "fn/internal.h"

#include "base/num.h"
#include "base/utf8.h"
#include "value/convert.h"

static value decode(struct fn_call *c, sv text) {
    sv why = {0};
    size_t offset = 0;
    value v = value_parse_json(c->arena, text, eval_get_limits(c->ev), false, &why, &offset);
    if (v.kind != VALUE_ERROR) {
        return v;
    }
    if (value_is_sensitive(c->args[0])) {
        return fn_call_fail(c, DIAG_invalid_function_argument, 0, "the text is no JSON");
    }
    return fn_call_fail(c, DIAG_invalid_function_argument, 0, "the text is no JSON: %.*s (at byte %zu)", SV_ARG(why),
                        offset);
}

static value call_jsondecode(struct fn_call *c) {
    value failed = {0};
    if (!fn_take_args(c, &failed)) {
        return failed;
    }
    return decode(c, fn_get_text(c, 0));
}

/* --- pointers (RFC 6901) --- */

static int get_hex(char c) {
    if (c >= '0' && c <= '9') {
        return c - '0';
    }
    if (c >= 'a' && c <= 'f') {
        return c - 'a' + 10;
    }
    return c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
}

static bool decode_percent(struct arena *a, sv text, sv *result) {
    struct buf out = BUF(a);
    for (size_t i = 0; i < text.len; i++) {
        if (text.data[i] != '%') {
            buf_append_char(&out, text.data[i]);
            continue;
        }
        if (text.len - i < 3) {
            return false;
        }
        int first = get_hex(text.data[i + 1]), second = get_hex(text.data[i + 2]);
        if (first < 0 || second < 0) {
            return false;
        }
        buf_append_char(&out, (char)(first * 16 + second));
        i += 2;
    }
    *result = buf_get_sv(&out);
    return utf8_check(*result) == result->len;
}

/* One token with `~1` and `~0` undone. */
static bool decode_token(struct arena *a, sv text, sv *result) {
    struct buf out = BUF(a);
    for (size_t i = 0; i < text.len; i++) {
        char c = text.data[i];
        if (c == '~') {
            char next = i + 1 < text.len ? text.data[i + 1] : '\0';
            if (next != '0' && next != '1') {
                return false;
            }
            c = next == '1' ? '/' : '~';
            i++;
        }
        buf_append_char(&out, c);
    }
    *result = buf_get_sv(&out);
    return true;
}

/* A decimal index: no sign, no leading zero. */
static bool parse_index(sv token, uint64_t *index) {
    bool has_form =
        token.len > 0 && token.data[0] >= '0' && token.data[0] <= '9' && (token.len == 1 || token.data[0] != '0');
    return has_form && num_parse_u64(token, 10, index) == NUM_OK;
}

static value step_into(value v, sv token) {
    uint64_t index = 0;
    if (v.kind == VALUE_MAP) {
        return value_map_find(v, token);
    }
    if (v.kind == VALUE_LIST && parse_index(token, &index) && index < v.list->len) {
        return v.list->items[index];
    }
    return (value){0};
}

static value fail_pointer(struct fn_call *c) {
    if (value_is_sensitive(c->args[0]) || value_is_sensitive(c->args[1])) {
        return fn_call_fail(c, DIAG_invalid_function_argument, 1, "nothing is at this pointer");
    }
    return fn_call_fail(c, DIAG_invalid_function_argument, 1, "nothing is at '%.*s'",
                        SV_ARG(sv_slice(fn_get_text(c, 1), 0, 120)));
}

static value walk_pointer(struct fn_call *c, value v, sv pointer) {
    sv rest = sv_slice(pointer, 1, pointer.len);
    for (bool more = true; more;) {
        size_t slash = sv_find_char(rest, '/');
        more = slash != SIZE_MAX;
        sv token = {0};
        if (!decode_token(c->arena, sv_slice(rest, 0, more ? slash : rest.len), &token)) {
            return fn_call_fail(c, DIAG_invalid_function_argument, 1, "'~' is followed by 0 or 1 in a JSON pointer");
        }
        v = step_into(v, token);
        if (v.kind == 0) {
            return fail_pointer(c);
        }
        rest = more ? sv_slice(rest, slash + 1, rest.len) : rest;
    }
    return v;
}

static bool is_fragment(sv pointer) {
    return pointer.len > 0 && pointer.data[0] == '#' && (pointer.len == 1 || pointer.data[1] == '/');
}

static value call_fromjson(struct fn_call *c) {
    value failed = {0};
    if (!fn_take_args(c, &failed)) {
        return failed;
    }
    value v = decode(c, fn_get_text(c, 0));
    sv pointer = fn_get_text(c, 1);
    if (v.kind == VALUE_ERROR) {
        return v;
    }
    if (is_fragment(pointer) && !decode_percent(c->arena, sv_slice(pointer, 1, pointer.len), &pointer)) {
        return fn_call_fail(c, DIAG_invalid_function_argument, 1, "the pointer is no URI fragment");
    }
    if (pointer.len == 0) {
        return v;
    }
    if (pointer.data[0] == '/') {
        return walk_pointer(c, v, pointer);
    }
    v = step_into(v, pointer);
    return v.kind != 0 ? v : fail_pointer(c);
}

/* FN-032. */
static void check_pointer(const struct fn_check *c, size_t arg) {
    value v = fn_check_get_literal(c, arg);
    sv pointer = v.kind == VALUE_STRING ? value_get_text(v) : (sv){0};
    if (is_fragment(pointer) && !decode_percent(c->arena, sv_slice(pointer, 1, pointer.len), &pointer)) {
        fn_check_fail(c, arg, "the pointer is no URI fragment");
        return;
    }
    sv token = {0};
    if (pointer.len > 0 && pointer.data[0] == '/' && !decode_token(c->arena, pointer, &token)) {
        fn_check_fail(c, arg, "'~' is followed by 0 or 1 in a JSON pointer");
    }
}

static void check_fromjson(const struct fn_check *c) {
    check_pointer(c, 1);
}

static void check_fromjson_g(const struct fn_check *c) {
    check_pointer(c, 0);
}

static value call_fromjson_g(struct fn_call *c) {
    return fn_capture(c, &fn_fromjson);
}

static const struct fn_param jsondecode_params[] = {
    {SV_INIT("text"), &type_string, 0, SV_INIT("JSON text with any root (RFC 8259)")},
};
static const struct fn_param fromjson_params[] = {
    {SV_INIT("text"), &type_string, 0, SV_INIT("JSON text")},
    {SV_INIT("pointer"), &type_string, 0,
     SV_INIT("a JSON pointer (RFC 6901); text that starts with neither '/' nor '#' is one key")},
};

const struct fn_def fn_fromjson = {
    .name = SV_INIT("fromjson"),
    .rule = SV_INIT("FN-101"),
    .family = SV_INIT("JSON"),
    .params = fromjson_params,
    .param_count = FN_COUNT(fromjson_params),
    .result = &type_any,
    .flags = FN_PURE,
    .call = call_fromjson,
    .check = check_fromjson,
    .summary = SV_INIT("Decodes JSON text and takes the part at a pointer."),
    .example = SV_INIT("fromjson(\"{\\\"host\\\":\\\"localhost\\\"}\", \"host\")"),
    .example_result = SV_INIT("localhost"),
};

static const struct fn_def fn_fromjson_g = {
    .name = SV_INIT("fromjson_g"),
    .rule = SV_INIT("FN-102"),
    .family = SV_INIT("JSON"),
    .params = fromjson_params + 1,
    .param_count = 1,
    .result = &fn_type_text_to_any,
    .flags = FN_PURE,
    .call = call_fromjson_g,
    .check = check_fromjson_g,
    .summary = SV_INIT("The function that applies fromjson with this pointer to its argument."),
    .example = SV_INIT("map(list(\"{\\\"a\\\":1}\", \"{\\\"a\\\":2}\"), fromjson_g(\"/a\"))"),
    .example_result = SV_INIT("[1,2]"),
};

static const struct fn_def fn_jsondecode = {
    .name = SV_INIT("jsondecode"),
    .rule = SV_INIT("FN-100"),
    .family = SV_INIT("JSON"),
    .params = jsondecode_params,
    .param_count = FN_COUNT(jsondecode_params),
    .result = &type_any,
    .flags = FN_PURE,
    .call = call_jsondecode,
    .summary = SV_INIT("Decodes JSON text."),
    .example = SV_INIT("jsondecode(\"{\\\"a\\\":[5]}\").a[0]"),
    .example_result = SV_INIT("5"),
};

/* sorted */
static const struct fn_def *const defs[] = {
    &fn_fromjson,
    &fn_fromjson_g,
    &fn_jsondecode,
};
const struct fn_table fn_table_json = {defs, FN_COUNT(defs)};
