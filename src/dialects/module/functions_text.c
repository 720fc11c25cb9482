/* Functions of texts (MD-130). */
#include "dialects/module/language_internal.h"

#include "base/num.h"
#include "base/utf8.h"

static value make_text(struct fn_call *c, struct buf *out) {
    return value_string(c->arena, buf_get_sv(out));
}

static bool is_too_long(const struct fn_call *c, const struct buf *out) {
    return out->len > eval_get_limits(c->ev)->result_text;
}

static value fail_too_long(struct fn_call *c) {
    return eval_fail(c->ev, DIAG_limit_exceeded, c->expr == NULL ? eval_get_span(c->ev) : c->expr->at,
                     "the text has more than %zu bytes", eval_get_limits(c->ev)->result_text);
}

/* --- case --- */

static value change_case(struct fn_call *c, uint32_t (*change)(uint32_t codepoint)) {
    sv text = module_get_text(c, 0);
    struct buf out = BUF(c->arena);
    while (text.len > 0) {
        uint32_t codepoint = 0;
        size_t len = utf8_decode(text, &codepoint);
        buf_append_codepoint(&out, change(codepoint));
        text = sv_slice(text, len, text.len);
    }
    return make_text(c, &out);
}

static value run_lower(struct fn_call *c) {
    return change_case(c, utf8_to_lower);
}

static value run_upper(struct fn_call *c) {
    return change_case(c, utf8_to_upper);
}

/* --- trim --- */

/* White_Space of Unicode. */
static bool is_white(uint32_t c) {
    return (c >= 0x09 && c <= 0x0D) || c == 0x20 || c == 0x85 || c == 0xA0 || c == 0x1680 ||
           (c >= 0x2000 && c <= 0x200A) || c == 0x2028 || c == 0x2029 || c == 0x202F || c == 0x205F || c == 0x3000;
}

static value run_trim(struct fn_call *c) {
    sv text = module_get_text(c, 0);
    size_t from = text.len, to = 0;
    for (size_t i = 0; i < text.len;) {
        uint32_t codepoint = 0;
        size_t len = utf8_decode(sv_slice(text, i, text.len), &codepoint);
        if (!is_white(codepoint)) {
            from = from == text.len ? i : from;
            to = i + len;
        }
        i += len;
    }
    return value_string(c->arena, from < to ? sv_slice(text, from, to) : SV(""));
}

/* --- parts --- */

static value run_replace(struct fn_call *c) {
    sv text = module_get_text(c, 0), from = module_get_text(c, 1), to = module_get_text(c, 2);
    struct buf out = BUF(c->arena);
    if (from.len == 0)
        return module_fail_at(c, 1, "'replace': argument 2 must not be empty");
    for (size_t at = sv_find(text, from); at != SIZE_MAX; at = sv_find(text, from)) {
        buf_append(&out, sv_slice(text, 0, at));
        buf_append(&out, to);
        text = sv_slice(text, at + from.len, text.len);
        if (is_too_long(c, &out))
            return fail_too_long(c);
    }
    buf_append(&out, text);
    return make_text(c, &out);
}

static value run_split(struct fn_call *c) {
    sv text = module_get_text(c, 0), separator = module_get_text(c, 1);
    struct list_builder b = {.arena = c->arena};
    uint32_t codepoint;
    while (separator.len == 0 && text.len > 0) {
        size_t len = utf8_decode(text, &codepoint);
        list_add(&b, value_string(c->arena, sv_slice(text, 0, len)));
        text = sv_slice(text, len, text.len);
    }
    if (separator.len == 0)
        return list_done(&b);
    for (size_t at = sv_find(text, separator); at != SIZE_MAX; at = sv_find(text, separator)) {
        list_add(&b, value_string(c->arena, sv_slice(text, 0, at)));
        text = sv_slice(text, at + separator.len, text.len);
    }
    list_add(&b, value_string(c->arena, text));
    return list_done(&b);
}

static value run_join(struct fn_call *c) {
    struct buf out = BUF(c->arena);
    for (size_t i = 0; i < c->args[0].list->len; i++) {
        value item = c->args[0].list->items[i];
        if (item.kind == VALUE_UNKNOWN)
            return item;
        if (!value_is_scalar(item))
            return module_fail_at(c, 0, "'join': item %zu must be a string, number or boolean, not %s", i,
                                  module_kind_name(item));
        if (i > 0)
            buf_append(&out, module_get_text(c, 1));
        module_print_scalar(&out, item);
        if (is_too_long(c, &out))
            return fail_too_long(c);
    }
    return make_text(c, &out);
}

static value run_startswith(struct fn_call *c) {
    return value_bool(sv_has_prefix(module_get_text(c, 0), module_get_text(c, 1)));
}

static value run_endswith(struct fn_call *c) {
    return value_bool(sv_has_suffix(module_get_text(c, 0), module_get_text(c, 1)));
}

/* --- between text and numbers --- */

static value run_string(struct fn_call *c) {
    struct buf out = BUF(c->arena);
    module_print_scalar(&out, c->args[0]);
    return make_text(c, &out);
}

static bool is_json_number(sv text) {
    size_t i = text.len > 0 && text.data[0] == '-';
    bool is_zero = i < text.len && text.data[i] == '0';
    bool has_digit = i < text.len && text.data[i] >= '0' && text.data[i] <= '9';
    bool is_padded = is_zero && i + 1 < text.len && text.data[i + 1] >= '0' && text.data[i + 1] <= '9';
    size_t point = sv_find_char(text, '.');
    bool is_bare =
        point != SIZE_MAX && (point + 1 >= text.len || text.data[point + 1] < '0' || text.data[point + 1] > '9');
    return has_digit && !is_padded && !is_bare;
}

static value run_number(struct fn_call *c) {
    double x = 0;
    if (c->args[0].kind != VALUE_STRING)
        return c->args[0];
    enum num_parse parsed =
        is_json_number(module_get_text(c, 0)) ? num_parse_double(module_get_text(c, 0), &x) : NUM_SYNTAX;
    if (parsed == NUM_OK)
        return module_make_number(c, x);
    return parsed == NUM_RANGE ? module_fail(c, "number out of range")
                               : module_fail_at(c, 0, "'number': the text is no number");
}

#define SIGNATURE(name, ...) static const struct module_signature name = {__VA_ARGS__}
SIGNATURE(sig_lower, {"s"}, 1, false, run_lower);
SIGNATURE(sig_upper, {"s"}, 1, false, run_upper);
SIGNATURE(sig_trim, {"s"}, 1, false, run_trim);
SIGNATURE(sig_replace, {"s", "s", "s"}, 3, false, run_replace);
SIGNATURE(sig_split, {"s", "s"}, 2, false, run_split);
SIGNATURE(sig_join, {"l", "s"}, 2, false, run_join);
SIGNATURE(sig_startswith, {"s", "s"}, 2, false, run_startswith);
SIGNATURE(sig_endswith, {"s", "s"}, 2, false, run_endswith);
SIGNATURE(sig_string, {"snb"}, 1, false, run_string);
SIGNATURE(sig_number, {"sn"}, 1, false, run_number);

static const struct fn_def fn_endswith = MODULE_FN("endswith", sig_endswith, "Whether the text ends with another.",
                                                   "endswith(\"a.yaml\", \".yaml\")", "true");
static const struct fn_def fn_join = MODULE_FN("join", sig_join, "The items as text, with a separator between them.",
                                               "join([1, true], \"-\")", "1-true");
static const struct fn_def fn_lower =
    MODULE_FN("lower", sig_lower, "The text in small letters.", "lower(\"ABC\")", "abc");
static const struct fn_def fn_number =
    MODULE_FN("number", sig_number, "The number that a text says.", "number(\"1.50\")", "1.5");
static const struct fn_def fn_replace = MODULE_FN("replace", sig_replace, "The text with all occurrences replaced.",
                                                  "replace(\"a-b-c\", \"-\", \"+\")", "a+b+c");
static const struct fn_def fn_split =
    MODULE_FN("split", sig_split, "The parts between separators; without one the characters.", "split(\"a,b\", \",\")",
              "[\"a\",\"b\"]");
static const struct fn_def fn_startswith = MODULE_FN(
    "startswith", sig_startswith, "Whether the text starts with another.", "startswith(\"abc\", \"b\")", "false");
static const struct fn_def fn_string =
    MODULE_FN("string", sig_string, "A scalar as it stands in text.", "string(2.0)", "2");
static const struct fn_def fn_trim =
    MODULE_FN("trim", sig_trim, "The text without white space at its ends.", "trim(\" a \")", "a");
static const struct fn_def fn_upper =
    MODULE_FN("upper", sig_upper, "The text in capital letters.", "upper(\"abc\")", "ABC");

static const struct fn_def *const defs[] = {&fn_endswith, &fn_join,       &fn_lower,  &fn_number, &fn_replace,
                                            &fn_split,    &fn_startswith, &fn_string, &fn_trim,   &fn_upper};
const struct fn_table module_text_functions = {defs, sizeof defs / sizeof *defs};
