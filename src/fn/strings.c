/* Parts of strings (FN-110 to FN-115). Positions count code points. */
#include "fn/internal.h"

#include "base/utf8.h"

static value call_len(struct fn_call *c) {
    value failed = {0};
    if (!fn_take_args(c, &failed)) {
        return failed;
    }
    value v = c->args[0];
    if (v.kind == VALUE_UNKNOWN) {
        return value_unknown(&type_int);
    }
    size_t count = v.kind == VALUE_STRING ? utf8_count(value_get_text(v))
                   : v.kind == VALUE_LIST ? v.list->len
                                          : v.map->len;
    return value_int((int64_t)count);
}

static value call_substr(struct fn_call *c) {
    value failed = {0};
    if (!fn_take_args(c, &failed)) {
        return failed;
    }
    sv text = fn_get_text(c, 0);
    size_t count = utf8_count(text);
    int64_t start = c->args[1].integer;
    int64_t end = fn_has_arg(c, 2) ? c->args[2].integer : (int64_t)count;
    if (start < 0 || (uint64_t)start > count) {
        return fn_call_fail(c, DIAG_invalid_function_argument, 1, "the start is outside the text");
    }
    if (end < start || (uint64_t)end > count) {
        return fn_call_fail(c, DIAG_invalid_function_argument, fn_has_arg(c, 2) ? 2 : 1,
                            "the end is before the start or outside the text");
    }
    size_t from = utf8_find_offset(text, (size_t)start);
    size_t to = from + utf8_find_offset(sv_slice(text, from, text.len), (size_t)(end - start));
    return value_string(c->arena, sv_slice(text, from, to));
}

/* FN-032: positions from argument `first` on. */
static void check_positions(const struct fn_check *c, size_t first) {
    size_t errors = c->diags->errors;
    for (size_t i = first; i < c->count; i++) {
        fn_check_not_negative(c, i);
    }
    value start = fn_check_get_literal(c, first), end = fn_check_get_literal(c, first + 1);
    if (c->diags->errors == errors && start.kind == VALUE_INT && end.kind == VALUE_INT && end.integer < start.integer) {
        fn_check_fail(c, first + 1, "the end is before the start");
    }
}

static void check_substr(const struct fn_check *c) {
    check_positions(c, 1);
}

static void check_substr_g(const struct fn_check *c) {
    check_positions(c, 0);
}

/* --- replace --- */

static size_t count_matches(sv text, sv find) {
    size_t count = 0;
    for (size_t at = sv_find(text, find); at != SIZE_MAX; at = sv_find(text, find)) {
        text = sv_slice(text, at + find.len, text.len);
        count++;
    }
    return count;
}

static value replace_empty(struct fn_call *c, sv text, sv with) {
    size_t count = utf8_count(text) + 1;
    value too_large =
        fn_check_text_size(c, with.len > 0 && count > SIZE_MAX / 2 / with.len ? SIZE_MAX : text.len + count * with.len);
    if (too_large.kind != 0) {
        return too_large;
    }
    struct buf out = BUF(c->arena);
    while (text.len > 0) {
        uint32_t codepoint = 0;
        size_t len = utf8_decode(text, &codepoint);
        buf_append(&out, with);
        buf_append(&out, sv_slice(text, 0, len));
        text = sv_slice(text, len, text.len);
    }
    buf_append(&out, with);
    return value_string(c->arena, buf_get_sv(&out));
}

static value call_replace(struct fn_call *c) {
    value failed = {0};
    if (!fn_take_args(c, &failed)) {
        return failed;
    }
    sv text = fn_get_text(c, 0), find = fn_get_text(c, 1), with = fn_get_text(c, 2);
    if (find.len == 0) {
        return replace_empty(c, text, with);
    }
    size_t count = count_matches(text, find);
    if (count == 0) {
        return c->args[0];
    }
    bool overflows = with.len > 0 && count > SIZE_MAX / 2 / with.len;
    value too_large = fn_check_text_size(c, overflows ? SIZE_MAX : text.len - count * find.len + count * with.len);
    if (too_large.kind != 0) {
        return too_large;
    }
    struct buf out = BUF(c->arena);
    for (size_t at = sv_find(text, find); at != SIZE_MAX; at = sv_find(text, find)) {
        buf_append(&out, sv_slice(text, 0, at));
        buf_append(&out, with);
        text = sv_slice(text, at + find.len, text.len);
    }
    buf_append(&out, text);
    return value_string(c->arena, buf_get_sv(&out));
}

/* --- trim --- */

/* The Unicode property White_Space. */
static bool is_white(uint32_t c) {
    return (c >= 0x09 && c <= 0x0D) || c == 0x20 || c == 0x85 || c == 0xA0 || c == 0x1680 ||
           (c >= 0x2000 && c <= 0x200A) || c == 0x2028 || c == 0x2029 || c == 0x202F || c == 0x205F || c == 0x3000;
}

static sv trim_front(sv text) {
    while (text.len > 0) {
        uint32_t codepoint = 0;
        size_t len = utf8_decode(text, &codepoint);
        if (!is_white(codepoint)) {
            break;
        }
        text = sv_slice(text, len, text.len);
    }
    return text;
}

static sv trim_back(sv text) {
    while (text.len > 0) {
        size_t at = text.len - 1;
        while (at > 0 && ((unsigned char)text.data[at] & 0xC0) == 0x80) {
            at--;
        }
        uint32_t codepoint = 0;
        utf8_decode(sv_slice(text, at, text.len), &codepoint);
        if (!is_white(codepoint)) {
            break;
        }
        text = sv_slice(text, 0, at);
    }
    return text;
}

static value call_trim(struct fn_call *c) {
    value failed = {0};
    if (!fn_take_args(c, &failed)) {
        return failed;
    }
    return value_string(c->arena, trim_back(trim_front(fn_get_text(c, 0))));
}

static value call_trimprefix(struct fn_call *c) {
    value failed = {0};
    if (!fn_take_args(c, &failed)) {
        return failed;
    }
    sv text = fn_get_text(c, 0), prefix = fn_get_text(c, 1);
    return sv_has_prefix(text, prefix) ? value_string(c->arena, sv_slice(text, prefix.len, text.len)) : c->args[0];
}

static value call_trimsuffix(struct fn_call *c) {
    value failed = {0};
    if (!fn_take_args(c, &failed)) {
        return failed;
    }
    sv text = fn_get_text(c, 0), suffix = fn_get_text(c, 1);
    return sv_has_suffix(text, suffix) ? value_string(c->arena, sv_slice(text, 0, text.len - suffix.len)) : c->args[0];
}

/* --- variants for callbacks (FN-130) --- */

static value call_replace_g(struct fn_call *c) {
    return fn_capture(c, &fn_replace);
}

static value call_substr_g(struct fn_call *c) {
    return fn_capture(c, &fn_substr);
}

static value call_trimprefix_g(struct fn_call *c) {
    return fn_capture(c, &fn_trimprefix);
}

static value call_trimsuffix_g(struct fn_call *c) {
    return fn_capture(c, &fn_trimsuffix);
}

/* --- tables --- */

static const struct fn_param len_params[] = {
    {SV_INIT("of"), &fn_type_sized, 0, SV_INIT("a string, an array or an object")},
};
static const struct fn_param substr_params[] = {
    {SV_INIT("text"), &type_string, 0, SV_INIT("")},
    {SV_INIT("start"), &type_int, 0, SV_INIT("position of the first character, from 0")},
    {SV_INIT("end"), &type_int, FN_OPTIONAL, SV_INIT("position behind the last character; the length when left out")},
};
static const struct fn_param replace_params[] = {
    {SV_INIT("text"), &type_string, 0, SV_INIT("")},
    {SV_INIT("find"), &type_string, 0, SV_INIT("what is replaced; the empty text stands between all characters")},
    {SV_INIT("with"), &type_string, 0, SV_INIT("what takes its place")},
};
static const struct fn_param trim_params[] = {{SV_INIT("text"), &type_string, 0, SV_INIT("")}};
static const struct fn_param trimprefix_params[] = {
    {SV_INIT("text"), &type_string, 0, SV_INIT("")},
    {SV_INIT("prefix"), &type_string, 0, SV_INIT("removed once when the text starts with it")},
};
static const struct fn_param trimsuffix_params[] = {
    {SV_INIT("text"), &type_string, 0, SV_INIT("")},
    {SV_INIT("suffix"), &type_string, 0, SV_INIT("removed once when the text ends with it")},
};

#define STRING_FN(fn_name, fn_rule, parameters, count, type, body)                                            \
    .name = SV_INIT(fn_name), .rule = SV_INIT(fn_rule), .family = SV_INIT("Strings"), .params = (parameters), \
    .param_count = (count), .result = (type), .call = (body)

static const struct fn_def fn_len = {
    STRING_FN("len", "FN-110", len_params, 1, &type_int, call_len),
    .flags = FN_PURE | FN_SEES_UNKNOWN,
    .summary = SV_INIT("The number of characters, items or entries."),
    .example = SV_INIT("len(\"h\xC3\xA9llo\")"),
    .example_result = SV_INIT("5"),
};
const struct fn_def fn_replace = {
    STRING_FN("replace", "FN-112", replace_params, 3, &type_string, call_replace),
    .flags = FN_PURE,
    .summary = SV_INIT("Replaces every occurrence of a text, from left to right."),
    .example = SV_INIT("replace(\"a-b-c\", \"-\", \"+\")"),
    .example_result = SV_INIT("a+b+c"),
};
static const struct fn_def fn_replace_g = {
    STRING_FN("replace_g", "FN-130", replace_params + 1, 2, &fn_type_text_to_text, call_replace_g),
    .flags = FN_PURE,
    .summary = SV_INIT("The function that applies replace with these arguments to its own."),
    .example = SV_INIT("map(list(\"a.b\"), replace_g(\".\", \"-\"))"),
    .example_result = SV_INIT("[\"a-b\"]"),
};
const struct fn_def fn_substr = {
    STRING_FN("substr", "FN-111", substr_params, 3, &type_string, call_substr),
    .flags = FN_PURE,
    .check = check_substr,
    .summary = SV_INIT("The text from a start up to, but not including, an end position."),
    .example = SV_INIT("substr(\"https://example.com\", 8, 15)"),
    .example_result = SV_INIT("example"),
};
static const struct fn_def fn_substr_g = {
    STRING_FN("substr_g", "FN-130", substr_params + 1, 2, &fn_type_text_to_text, call_substr_g),
    .flags = FN_PURE,
    .check = check_substr_g,
    .summary = SV_INIT("The function that applies substr with these positions to its argument."),
    .example = SV_INIT("map(list(\"abc\", \"def\"), substr_g(0, 1))"),
    .example_result = SV_INIT("[\"a\",\"d\"]"),
};
static const struct fn_def fn_trim = {
    STRING_FN("trim", "FN-113", trim_params, 1, &type_string, call_trim),
    .flags = FN_PURE,
    .summary = SV_INIT("Removes white space at both ends."),
    .example = SV_INIT("trim(\"  x \")"),
    .example_result = SV_INIT("x"),
};
const struct fn_def fn_trimprefix = {
    STRING_FN("trimprefix", "FN-114", trimprefix_params, 2, &type_string, call_trimprefix),
    .flags = FN_PURE,
    .summary = SV_INIT("Removes a prefix once, when it is there."),
    .example = SV_INIT("trimprefix(\"http://h\", \"http://\")"),
    .example_result = SV_INIT("h"),
};
static const struct fn_def fn_trimprefix_g = {
    STRING_FN("trimprefix_g", "FN-130", trimprefix_params + 1, 1, &fn_type_text_to_text, call_trimprefix_g),
    .flags = FN_PURE,
    .summary = SV_INIT("The function that removes this prefix."),
    .example = SV_INIT("map(list(\"http://b\"), trimprefix_g(\"http://\"))"),
    .example_result = SV_INIT("[\"b\"]"),
};
const struct fn_def fn_trimsuffix = {
    STRING_FN("trimsuffix", "FN-115", trimsuffix_params, 2, &type_string, call_trimsuffix),
    .flags = FN_PURE,
    .summary = SV_INIT("Removes a suffix once, when it is there."),
    .example = SV_INIT("trimsuffix(\"h:80\", \":80\")"),
    .example_result = SV_INIT("h"),
};
static const struct fn_def fn_trimsuffix_g = {
    STRING_FN("trimsuffix_g", "FN-130", trimsuffix_params + 1, 1, &fn_type_text_to_text, call_trimsuffix_g),
    .flags = FN_PURE,
    .summary = SV_INIT("The function that removes this suffix."),
    .example = SV_INIT("map(list(\"h:80\"), trimsuffix_g(\":80\"))"),
    .example_result = SV_INIT("[\"h\"]"),
};

/* sorted */
static const struct fn_def *const defs[] = {
    &fn_len,  &fn_replace,    &fn_replace_g,    &fn_substr,     &fn_substr_g,
    &fn_trim, &fn_trimprefix, &fn_trimprefix_g, &fn_trimsuffix, &fn_trimsuffix_g,
};
const struct fn_table fn_table_strings = {defs, FN_COUNT(defs)};
