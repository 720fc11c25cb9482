/* Searching, splitting and joining strings (FN-116 to FN-124). */
#include "fn/internal.h"

#include "base/utf8.h"

/* --- split, join --- */

static value split_characters(struct fn_call *c, sv text) {
    struct list_builder list = {.arena = c->arena};
    value too_many = fn_check_items(c, utf8_count(text));
    if (too_many.kind != 0) {
        return too_many;
    }
    while (text.len > 0) {
        uint32_t codepoint = 0;
        size_t len = utf8_decode(text, &codepoint);
        list_add(&list, value_string(c->arena, sv_slice(text, 0, len)));
        text = sv_slice(text, len, text.len);
    }
    return list_done(&list);
}

static value call_split(struct fn_call *c) {
    value failed = {0};
    if (!fn_take_args(c, &failed)) {
        return failed;
    }
    sv text = fn_get_text(c, 0), delim = fn_get_text(c, 1);
    if (delim.len == 0) {
        return split_characters(c, text);
    }
    struct list_builder list = {.arena = c->arena};
    for (size_t at = sv_find(text, delim); at != SIZE_MAX; at = sv_find(text, delim)) {
        list_add(&list, value_string(c->arena, sv_slice(text, 0, at)));
        text = sv_slice(text, at + delim.len, text.len);
        value too_many = fn_check_items(c, list.len + 1);
        if (too_many.kind != 0) {
            return too_many;
        }
    }
    list_add(&list, value_string(c->arena, text));
    return list_done(&list);
}

static value call_join(struct fn_call *c) {
    value failed = {0};
    if (!fn_take_args(c, &failed)) {
        return failed;
    }
    const struct value_list *list = c->args[0].list;
    struct buf out = BUF(c->arena);
    for (size_t i = 0; i < list->len; i++) {
        if (!value_is_scalar(list->items[i])) {
            return fn_call_fail(c, DIAG_invalid_function_argument, 0, "item %zu is %s, only scalars can be joined", i,
                                value_get_kind_phrase((enum value_kind)list->items[i].kind));
        }
        buf_append(&out, i > 0 ? fn_get_text(c, 1) : (sv){0});
        value_print_scalar(&out, list->items[i]);
        value too_large = fn_check_text_size(c, out.len);
        if (too_large.kind != 0) {
            return too_large;
        }
    }
    return value_string(c->arena, buf_get_sv(&out));
}

/* Items that are known to be no scalars. */
static void check_join(const struct fn_check *c) {
    const struct type *item = type_get_item(c->types[0]);
    unsigned group = item == NULL ? 0 : fn_get_group(item);
    bool never = item != NULL && (group > 3 || item->kind == TYPE_NULL);
    if (never) {
        sv name = fn_print_type_phrase(c->arena, item);
        fn_check_fail(c, 0, "an item is %.*s, only scalars can be joined", SV_ARG(name));
    }
}

/* --- positions --- */

static value call_index(struct fn_call *c) {
    value failed = {0};
    if (!fn_take_args(c, &failed)) {
        return failed;
    }
    sv text = fn_get_text(c, 0);
    size_t at = sv_find(text, fn_get_text(c, 1));
    return value_int(at == SIZE_MAX ? -1 : (int64_t)utf8_count(sv_slice(text, 0, at)));
}

static size_t find_last(sv text, sv sub) {
    if (sub.len > text.len) {
        return SIZE_MAX;
    }
    for (size_t at = text.len - sub.len + 1; at > 0; at--) {
        const char *place = text.data + at - 1;
        if (sub.len == 0 || (*place == sub.data[0] && memcmp(place, sub.data, sub.len) == 0)) {
            return at - 1;
        }
    }
    return SIZE_MAX;
}

static value call_last_index(struct fn_call *c) {
    value failed = {0};
    if (!fn_take_args(c, &failed)) {
        return failed;
    }
    sv text = fn_get_text(c, 0);
    size_t at = find_last(text, fn_get_text(c, 1));
    return value_int(at == SIZE_MAX ? -1 : (int64_t)utf8_count(sv_slice(text, 0, at)));
}

/* --- tests: an absent operand is false (FN-014) --- */

static bool has_absent(const struct fn_call *c) {
    return c->args[0].kind == VALUE_ABSENT || c->args[1].kind == VALUE_ABSENT;
}

static value call_has_prefix(struct fn_call *c) {
    value failed = {0};
    if (!fn_take_args(c, &failed)) {
        return failed;
    }
    return value_bool(!has_absent(c) && sv_has_prefix(fn_get_text(c, 0), fn_get_text(c, 1)));
}

static value call_has_suffix(struct fn_call *c) {
    value failed = {0};
    if (!fn_take_args(c, &failed)) {
        return failed;
    }
    return value_bool(!has_absent(c) && sv_has_suffix(fn_get_text(c, 0), fn_get_text(c, 1)));
}

static bool has_item(const struct value_list *list, value item) {
    for (size_t i = 0; i < list->len; i++) {
        if (value_eq(list->items[i], item)) {
            return true;
        }
    }
    return false;
}

static value call_contains(struct fn_call *c) {
    value failed = {0};
    if (!fn_take_args(c, &failed)) {
        return failed;
    }
    if (has_absent(c)) {
        return value_bool(false);
    }
    if (c->args[0].kind == VALUE_LIST) {
        return value_bool(has_item(c->args[0].list, c->args[1]));
    }
    if (c->args[1].kind != VALUE_STRING) {
        return fn_call_fail(c, DIAG_invalid_function_argument, 1, "a string can contain a string only, not %s",
                            value_get_kind_phrase((enum value_kind)c->args[1].kind));
    }
    return value_bool(sv_find(fn_get_text(c, 0), fn_get_text(c, 1)) != SIZE_MAX);
}

static void check_contains(const struct fn_check *c) {
    if (c->types[0]->kind == TYPE_STRING && !type_fits(&type_string, c->types[1]) && c->types[1]->kind != TYPE_ABSENT) {
        fn_check_fail(c, 1, "a string can contain a string only");
    }
}

static value call_contains_g(struct fn_call *c) {
    return fn_capture(c, &fn_contains);
}

static value call_has_prefix_g(struct fn_call *c) {
    return fn_capture(c, &fn_has_prefix);
}

static value call_has_suffix_g(struct fn_call *c) {
    return fn_capture(c, &fn_has_suffix);
}

static value call_split_g(struct fn_call *c) {
    return fn_capture(c, &fn_split);
}

/* --- tables --- */

static const struct fn_param contains_params[] = {
    {SV_INIT("in"), &fn_type_string_or_list, 0, SV_INIT("a string or an array")},
    {SV_INIT("what"), &type_any, 0, SV_INIT("a part of the string, or an item of the array (deep equality)")},
};
static const struct fn_param prefix_params[] = {
    {SV_INIT("text"), &type_string, 0, SV_INIT("")},
    {SV_INIT("prefix"), &type_string, 0, SV_INIT("")},
};
static const struct fn_param suffix_params[] = {
    {SV_INIT("text"), &type_string, 0, SV_INIT("")},
    {SV_INIT("suffix"), &type_string, 0, SV_INIT("")},
};
static const struct fn_param index_params[] = {
    {SV_INIT("text"), &type_string, 0, SV_INIT("")},
    {SV_INIT("sub"), &type_string, 0, SV_INIT("what is looked for")},
};
static const struct fn_param join_params[] = {
    {SV_INIT("items"), &type_list, 0, SV_INIT("scalars")},
    {SV_INIT("delim"), &type_string, 0, SV_INIT("what stands between two items")},
};
static const struct fn_param split_params[] = {
    {SV_INIT("text"), &type_string, 0, SV_INIT("")},
    {SV_INIT("delim"), &type_string, 0, SV_INIT("what separates; the empty text separates all characters")},
};

#define SEARCH_FN(fn_name, fn_rule, parameters, count, type, body)                                            \
    .name = SV_INIT(fn_name), .rule = SV_INIT(fn_rule), .family = SV_INIT("Strings"), .params = (parameters), \
    .param_count = (count), .result = (type), .call = (body)

const struct fn_def fn_contains = {
    SEARCH_FN("contains", "FN-124", contains_params, 2, &type_bool, call_contains),
    .flags = FN_PURE | FN_SEES_ABSENT,
    .check = check_contains,
    .summary = SV_INIT("Whether a string contains a text, or an array an item."),
    .example = SV_INIT("contains(list(1, 2), 2.0)"),
    .example_result = SV_INIT("true"),
};
static const struct fn_def fn_contains_g = {
    SEARCH_FN("contains_g", "FN-130", contains_params + 1, 1, &fn_type_searched_to_bool, call_contains_g),
    .flags = FN_PURE,
    .summary = SV_INIT("The function that tells whether its argument contains this."),
    .example = SV_INIT("filter(list(\"ab\", \"c\"), contains_g(\"b\"))"),
    .example_result = SV_INIT("[\"ab\"]"),
};
const struct fn_def fn_has_prefix = {
    SEARCH_FN("has_prefix", "FN-122", prefix_params, 2, &type_bool, call_has_prefix),
    .flags = FN_PURE | FN_SEES_ABSENT,
    .summary = SV_INIT("Whether a text starts with another."),
    .example = SV_INIT("has_prefix(\"http://x\", \"http\")"),
    .example_result = SV_INIT("true"),
};
static const struct fn_def fn_has_prefix_g = {
    SEARCH_FN("has_prefix_g", "FN-130", prefix_params + 1, 1, &fn_type_text_to_bool, call_has_prefix_g),
    .flags = FN_PURE,
    .summary = SV_INIT("The function that tells whether its argument starts with this."),
    .example = SV_INIT("filter(list(\"ab\", \"c\"), has_prefix_g(\"a\"))"),
    .example_result = SV_INIT("[\"ab\"]"),
};
const struct fn_def fn_has_suffix = {
    SEARCH_FN("has_suffix", "FN-123", suffix_params, 2, &type_bool, call_has_suffix),
    .flags = FN_PURE | FN_SEES_ABSENT,
    .summary = SV_INIT("Whether a text ends with another."),
    .example = SV_INIT("has_suffix(\"a.c\", \".h\")"),
    .example_result = SV_INIT("false"),
};
static const struct fn_def fn_has_suffix_g = {
    SEARCH_FN("has_suffix_g", "FN-130", suffix_params + 1, 1, &fn_type_text_to_bool, call_has_suffix_g),
    .flags = FN_PURE,
    .summary = SV_INIT("The function that tells whether its argument ends with this."),
    .example = SV_INIT("filter(list(\"a.c\", \"a.h\"), has_suffix_g(\".c\"))"),
    .example_result = SV_INIT("[\"a.c\"]"),
};
static const struct fn_def fn_index = {
    SEARCH_FN("index", "FN-118", index_params, 2, &type_int, call_index),
    .flags = FN_PURE,
    .summary = SV_INIT("The first position of a text, or -1."),
    .example = SV_INIT("index(\"h\xC3\xA9llo\", \"l\")"),
    .example_result = SV_INIT("2"),
};
static const struct fn_def fn_join = {
    SEARCH_FN("join", "FN-117", join_params, 2, &type_string, call_join),
    .flags = FN_PURE,
    .check = check_join,
    .summary = SV_INIT("The texts of scalars, one behind the other."),
    .example = SV_INIT("join(list(8080, true, \"x\"), \",\")"),
    .example_result = SV_INIT("8080,true,x"),
};
static const struct fn_def fn_last_index = {
    SEARCH_FN("last_index", "FN-119", index_params, 2, &type_int, call_last_index),
    .flags = FN_PURE,
    .summary = SV_INIT("The last position of a text, or -1."),
    .example = SV_INIT("last_index(\"abcb\", \"b\")"),
    .example_result = SV_INIT("3"),
};
const struct fn_def fn_split = {
    SEARCH_FN("split", "FN-116", split_params, 2, &type_list_of_strings, call_split),
    .flags = FN_PURE,
    .summary = SV_INIT("The parts of a text between separators."),
    .example = SV_INIT("split(\"a,b,\", \",\")"),
    .example_result = SV_INIT("[\"a\",\"b\",\"\"]"),
};
static const struct fn_def fn_split_g = {
    SEARCH_FN("split_g", "FN-130", split_params + 1, 1, &fn_type_text_to_texts, call_split_g),
    .flags = FN_PURE,
    .summary = SV_INIT("The function that splits its argument at this."),
    .example = SV_INIT("flatmap(list(\"a,b\", \"c\"), split_g(\",\"))"),
    .example_result = SV_INIT("[\"a\",\"b\",\"c\"]"),
};

/* sorted */
static const struct fn_def *const defs[] = {
    &fn_contains, &fn_contains_g, &fn_has_prefix, &fn_has_prefix_g, &fn_has_suffix, &fn_has_suffix_g,
    &fn_index,    &fn_join,       &fn_last_index, &fn_split,        &fn_split_g,
};
const struct fn_table fn_table_search = {defs, FN_COUNT(defs)};
