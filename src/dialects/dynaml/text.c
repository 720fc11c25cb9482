/* Functions of texts: format error join split trim length (DY-150 to DY-156). */
#include "base/utf8.h"
#include "dialects/dynaml/format.h"
#include "dialects/dynaml/internal.h"

#include <string.h>

static bool get_format(struct fn_call *c, sv *text) {
    struct buf out = BUF(c->arena);
    bool fits = dynaml_format(&out, value_get_text(c->args[0]), c->args + 1, c->count - 1, dynaml_get_text_limit(c));
    *text = buf_get_sv(&out);
    return fits;
}

static value call_format(struct fn_call *c) {
    sv text;
    if (c->args[0].kind != VALUE_STRING)
        return dynaml_fail(c, "format: format must be string");
    return get_format(c, &text) ? dynaml_make_string(c->arena, text) : dynaml_exceed_text(c);
}

static value call_error(struct fn_call *c) {
    sv text;
    if (c->args[0].kind != VALUE_STRING)
        return dynaml_fail(c, "error: format must be string");
    return get_format(c, &text) ? dynaml_fail(c, "%.*s", SV_ARG(text)) : dynaml_exceed_text(c);
}

/* --- join --- */

struct joining {
    struct fn_call *c;
    struct buf out;
    sv separator;
    bool has_any;
};

enum joined { JOINED = 1, NOT_SIMPLE, TOO_LONG };

static enum joined join_one(struct joining *j, value v) {
    sv text = value_get_text(v);
    struct buf printed = BUF(j->c->arena);
    if (v.kind != VALUE_STRING) {
        if (!dynaml_print_text(&printed, v))
            return NOT_SIMPLE;
        text = buf_get_sv(&printed);
    }
    if (j->has_any)
        buf_append(&j->out, j->separator);
    buf_append(&j->out, text);
    j->has_any = true;
    return j->out.len > dynaml_get_text_limit(j->c) ? TOO_LONG : JOINED;
}

static enum joined join_list(struct joining *j, value list) {
    enum joined joined = JOINED;
    for (size_t i = 0; joined == JOINED && i < list.list->len; i++) {
        if (list.list->items[i].kind != VALUE_NULL)
            joined = join_one(j, list.list->items[i]);
    }
    eval_spend(j->c->ev, list.list->len);
    return joined;
}

/* Nulls are no arguments: one in front makes the next the separator. */
static size_t find_separator(const struct fn_call *c) {
    size_t at = 0;
    while (at < c->count && c->args[at].kind == VALUE_NULL)
        at++;
    return at;
}

static value call_join(struct fn_call *c) {
    struct buf separator = BUF(c->arena);
    size_t first = find_separator(c);
    if (first == c->count || !dynaml_print_text(&separator, c->args[first]))
        return dynaml_fail(c, "first argument for join must be a string");
    struct joining j = {.c = c, .out = BUF(c->arena), .separator = buf_get_sv(&separator)};
    for (size_t i = first + 1; i < c->count; i++) {
        value v = c->args[i];
        if (v.kind == VALUE_NULL)
            continue;
        enum joined joined = v.kind == VALUE_LIST ? join_list(&j, v) : join_one(&j, v);
        if (joined == TOO_LONG)
            return dynaml_exceed_text(c);
        if (joined == NOT_SIMPLE && v.kind == VALUE_LIST)
            return dynaml_fail(c, "elements of list(arg %zu) to join must be simple values", i);
        if (joined == NOT_SIMPLE)
            return dynaml_fail(c, "argument %zu to join must be simple value or list", i);
    }
    return dynaml_make_string(c->arena, buf_get_sv(&j.out));
}

/* --- split --- */

static void split_characters(struct fn_call *c, struct list_builder *b, sv text) {
    for (size_t i = 0; i < text.len && b->len <= dynaml_get_item_limit(c);) {
        uint32_t codepoint;
        size_t len = utf8_decode(sv_slice(text, i, text.len), &codepoint);
        list_add(b, value_string(c->arena, sv_slice(text, i, i + len)));
        i += len;
    }
}

static value call_split(struct fn_call *c) {
    struct list_builder b = {.arena = c->arena};
    uint32_t word = 0;
    if (c->count != 2)
        return dynaml_fail(c, "split takes exactly 2 arguments");
    if (c->args[0].kind != VALUE_STRING)
        return dynaml_fail(c, "first argument for split must be a string");
    if (c->args[1].kind != VALUE_STRING)
        return dynaml_fail(c, "second argument for split must be a string");
    sv separator = value_get_text(c->args[0]), rest = value_get_text(c->args[1]);
    if (separator.len == 0 && rest.len > 0) {
        split_characters(c, &b, rest);
        return list_done(&b);
    }
    for (bool is_last = false; !is_last && b.len <= dynaml_get_item_limit(c);) {
        size_t at = separator.len == 0 ? SIZE_MAX : sv_find(rest, separator);
        is_last = at == SIZE_MAX;
        value part = dynaml_make_string(c->arena, sv_slice(rest, 0, is_last ? rest.len : at));
        word |= part.word;
        list_add(&b, part);
        rest = is_last ? rest : sv_slice(rest, at + separator.len, rest.len);
    }
    value list = list_done(&b);
    list.word = word;
    return list;
}

/* --- trim --- */

/* Length of the character of the set that the text starts with; 0 for none. */
static size_t match_first(sv text, sv set) {
    uint32_t c;
    size_t len = utf8_decode(text, &c);
    return sv_find(set, sv_slice(text, 0, len)) == SIZE_MAX ? 0 : len;
}

static size_t match_last(sv text, sv set) {
    size_t at = text.len - 1;
    while (at > 0 && ((unsigned char)text.data[at] & 0xc0) == 0x80)
        at--;
    return sv_find(set, sv_slice(text, at, text.len)) == SIZE_MAX ? 0 : text.len - at;
}

static value trim_text(struct fn_call *c, sv text, sv set) {
    size_t len = 0;
    while (text.len > 0 && (len = match_first(text, set)) > 0)
        text = sv_slice(text, len, text.len);
    while (text.len > 0 && (len = match_last(text, set)) > 0)
        text = sv_slice(text, 0, text.len - len);
    return dynaml_make_string(c->arena, text);
}

static value trim_list(struct fn_call *c, value list, sv set) {
    struct list_builder b = {.arena = c->arena};
    uint32_t word = 0;
    for (size_t i = 0; i < list.list->len; i++) {
        if (list.list->items[i].kind != VALUE_STRING)
            return dynaml_fail(c, "list elements must be strings to be trimmed");
        value v = trim_text(c, value_get_text(list.list->items[i]), set);
        word |= v.word;
        list_add(&b, v);
    }
    value result = list_done(&b);
    result.word = word;
    return result;
}

static value call_trim(struct fn_call *c) {
    sv set = SV(" \t");
    if (c->count > 2)
        return dynaml_fail(c, "split takes one or two arguments");
    if (c->count == 2 && c->args[1].kind != VALUE_STRING)
        return dynaml_fail(c, "second argument of split must be a string");
    if (c->count == 2)
        set = value_get_text(c->args[1]);
    if (c->args[0].kind == VALUE_STRING)
        return trim_text(c, value_get_text(c->args[0]), set);
    return c->args[0].kind == VALUE_LIST ? trim_list(c, c->args[0], set)
                                         : dynaml_fail(c, "trim accepts only a string or list");
}

/* --- length --- */

static value call_length(struct fn_call *c) {
    if (c->count != 1)
        return dynaml_fail(c, "length takes exactly 1 arguments");
    value v = c->args[0];
    if (v.kind == VALUE_LIST)
        return value_int((int64_t)v.list->len);
    if (v.kind == VALUE_MAP)
        return value_int((int64_t)v.map->len);
    return v.kind == VALUE_STRING ? value_int((int64_t)value_get_text(v).len)
                                  : dynaml_fail(c, "invalid type for function length");
}

/* --- table --- */

DYNAML_FUNCTION(error, "DY-151", call_error, "Fails with a formatted text", "error(\"no %s\", x)");
DYNAML_FUNCTION(format, "DY-150", call_format, "A formatted text", "format(\"%s:%d\", host, port)");
DYNAML_FUNCTION(join, "DY-152", call_join, "Texts and lists of them with a separator between them",
                "join(\", \", list)");
DYNAML_FUNCTION(length, "DY-156", call_length, "Items of a list, entries of a map, bytes of a text", "length(list)");
DYNAML_FUNCTION(split, "DY-153", call_split, "A text cut at a separator", "split(\",\", text)");
DYNAML_FUNCTION(trim, "DY-154", call_trim, "A text, or the texts of a list, without characters at the ends",
                "trim(text, \"-\")");

/* sorted */
static const struct fn_def *const defs[] = {
    &fn_error, &fn_format, &fn_join, &fn_length, &fn_split, &fn_trim,
};
const struct fn_table dynaml_text_functions = {.defs = defs, .count = sizeof defs / sizeof *defs};
