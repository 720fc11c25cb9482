/* Sub, Join, Split, Base64, ToJsonString (CF-103 to CF-106, CF-120, CF-121, CF-123, CF-127). */
#include "dialects/cfn/check.h"
#include "dialects/cfn/functions.h"

#include "base/base64.h"
#include "base/jsonw.h"
#include "dialects/cfn/data.h"

#include <string.h>

bool cfn_placeholder_get(struct cfn_run *run, value v, sv *text) {
    if (v.kind == VALUE_UNKNOWN) {
        *text = cfn_note_get_more(run, v)->placeholder;
        return text->len > 0;
    }
    return cfn_text_get(run, v, text);
}

/* CF-211: an unknown text that has a placeholder. */
static value hold_place(struct fn_call *c, sv text) {
    struct cfn_run *run = cfn_call_run(c);
    struct cfn_note_more *more = ARENA_NEW(run->arena, struct cfn_note_more);
    more->placeholder = text;
    return cfn_residual_put(c, cfn_note_put(run, value_unknown(NULL), &(struct cfn_note){.more = more}));
}

static bool is_too_long(struct fn_call *c, size_t len, value *failed) {
    size_t limit = eval_get_limits(c->ev)->result_text;
    if (len <= limit)
        return false;
    *failed = cfn_call_fail(c, DIAG_limit_exceeded, SIZE_MAX, "the text has more than %zu bytes", limit);
    return true;
}

/* --- Sub --- */

/* Names can stand more than once; each is turned into text once. */
static bool get_texts(struct fn_call *c, bool holds_places, sv *texts, value *failed) {
    for (size_t i = 0; i < c->count; i++) {
        if (holds_places && c->args[i].kind == VALUE_UNKNOWN) {
            if (!cfn_placeholder_get(cfn_call_run(c), c->args[i], &texts[i])) {
                *failed = cfn_residual(c);
                return false;
            }
        } else if (!cfn_call_text(c, i, &texts[i], failed)) {
            return false;
        }
    }
    return true;
}

/* What is known already to be no text is reported even when other parts are unknown. */
static bool check_known(struct fn_call *c, value *failed) {
    sv text;
    for (size_t i = 0; i < c->count; i++) {
        if (c->args[i].kind != VALUE_UNKNOWN && c->args[i].kind != VALUE_ERROR && !cfn_call_text(c, i, &text, failed))
            return false;
    }
    return true;
}

static value join_parts(struct fn_call *c, const struct cfn_sub *sub, const sv *texts, sv *result) {
    value failed = {0};
    size_t len = 0;
    for (size_t i = 0; i < sub->count; i++) {
        len += sub->parts[i].text.len + (sub->parts[i].arg == CFN_NONE ? 0 : texts[sub->parts[i].arg].len);
        if (is_too_long(c, len, &failed))
            return failed;
    }
    char *out = arena_alloc(c->arena, len + 1);
    *result = sv_make(out, len);
    for (size_t i = 0; i < sub->count; i++) {
        sv text = sub->parts[i].text;
        if (text.len > 0)
            memcpy(out, text.data, text.len);
        out += text.len;
        if (sub->parts[i].arg == CFN_NONE)
            continue;
        text = texts[sub->parts[i].arg];
        if (text.len > 0)
            memcpy(out, text.data, text.len);
        out += text.len;
    }
    return (value){0};
}

value cfn_fn_sub(struct fn_call *c) {
    enum { LOCAL = 16 };
    const struct cfn_sub *sub = cfn_call_site(c)->data;
    struct cfn_run *run = cfn_call_run(c);
    sv local[LOCAL], result = {0}, *texts = c->count <= LOCAL ? local : ARENA_ARRAY(c->arena, sv, c->count);
    value failed = {0};
    bool waits = cfn_call_waits(c), holds_places = waits && run->o.mode == CFN_PLACEHOLDER;
    if (waits && !holds_places)
        return check_known(c, &failed) ? cfn_residual(c) : failed;
    if (!get_texts(c, holds_places, texts, &failed))
        return failed;
    failed = join_parts(c, sub, texts, &result);
    if (failed.kind != 0)
        return failed;
    return holds_places ? hold_place(c, result) : cfn_call_seal(c, cfn_call_string(c, result));
}

/* --- Join --- */

/* The items: those that were written, or those of a list that a call gave. */
static bool get_items(struct fn_call *c, const value **items, size_t *count, value *failed) {
    *items = c->args;
    *count = c->count;
    if (cfn_call_site(c)->layout == 0)
        return true;
    value list = c->args[0];
    if (list.kind == VALUE_LIST) {
        *items = list.list->items;
        *count = list.list->len;
        return true;
    }
    if (list.kind == VALUE_ABSENT)
        *failed = cfn_call_fail(c, DIAG_cfn_novalue, 0, "AWS::NoValue is no list");
    else
        *failed = cfn_call_fail(c, DIAG_cfn_argument, 0, "a list is needed, not %s", cfn_value_kind(list));
    return false;
}

static value fail_item(struct fn_call *c, size_t i, value v) {
    size_t arg = cfn_call_site(c)->layout == 0 ? i : 0;
    return cfn_call_fail(c, DIAG_cfn_not_text, arg, "an item has to be text, not %s", cfn_value_kind(v));
}

/* Appends one item; false after a report. */
static bool add_item(struct fn_call *c, struct buf *out, size_t i, value v, value *failed) {
    struct cfn_run *run = cfn_call_run(c);
    sv text;
    bool is_written = cfn_call_site(c)->layout == 0;
    bool is_text = v.kind == VALUE_UNKNOWN ? cfn_placeholder_get(run, v, &text)
                   : is_written            ? cfn_call_text(c, i, &text, failed)
                                           : cfn_text_get(run, v, &text);
    if (!is_text && v.kind == VALUE_UNKNOWN)
        *failed = cfn_residual(c);
    else if (!is_text && failed->kind == 0)
        *failed = fail_item(c, i, v);
    if (!is_text || is_too_long(c, out->len + text.len, failed))
        return false;
    buf_append(out, text);
    return true;
}

static bool is_sensitive(const struct fn_call *c) {
    for (size_t i = 0; i < c->count; i++) {
        if ((c->args[i].within & MARK_SENSITIVE) != 0)
            return true;
    }
    return false;
}

value cfn_fn_join(struct fn_call *c) {
    const value *items = NULL;
    size_t count = 0;
    value failed = {0};
    struct buf out = BUF(c->arena);
    sv delimiter = *(const sv *)cfn_call_site(c)->data;
    bool waits = cfn_call_waits(c), holds_places = waits && cfn_call_run(c)->o.mode == CFN_PLACEHOLDER;
    if (waits && cfn_call_site(c)->layout == 1 && cfn_value_waits(c->args[0]) && c->args[0].kind != VALUE_LIST)
        return cfn_residual(c);
    if (!get_items(c, &items, &count, &failed))
        return failed;
    bool has_item = false;
    for (size_t i = 0; i < count; i++) {
        value v = items[i];
        bool is_list = v.kind == VALUE_LIST || v.kind == VALUE_MAP;
        if (v.kind == VALUE_ABSENT || (waits && !holds_places && !is_list))
            continue;
        if (has_item)
            buf_append(&out, delimiter);
        has_item = true;
        if (!add_item(c, &out, i, v, &failed))
            return failed;
    }
    if (waits)
        return holds_places ? hold_place(c, buf_get_sv(&out)) : cfn_residual(c);
    value text = cfn_call_string(c, buf_get_sv(&out));
    return is_sensitive(c) ? cfn_residual_put(c, text) : text;
}

/* --- Split --- */

value cfn_fn_split(struct fn_call *c) {
    sv delimiter = *(const sv *)cfn_call_site(c)->data, text;
    value failed = {0};
    if (cfn_call_waits(c))
        return cfn_residual(c);
    if (!cfn_call_text(c, 0, &text, &failed))
        return failed;
    if (cfn_dynamic_has(text))
        return cfn_call_fail(c, DIAG_cfn_split_dynamic, 0, "a dynamic reference cannot be split");
    struct list_builder list = {.arena = c->arena};
    size_t limit = eval_get_limits(c->ev)->result_items;
    for (;;) {
        size_t at = sv_find(text, delimiter);
        list_add(&list, cfn_call_string(c, sv_slice(text, 0, at)));
        if (at == SIZE_MAX)
            break;
        if (list.len > limit)
            return cfn_call_fail(c, DIAG_limit_exceeded, SIZE_MAX, "the list has more than %zu items", limit);
        text = sv_slice(text, at + delimiter.len, text.len);
    }
    value v = list_done(&list);
    if ((c->args[0].within & MARK_SENSITIVE) == 0)
        return v;
    /* Each item is as sensitive as the text it was part of, and is printed as a choice from it. */
    return cfn_residual_put(c, v);
}

/* --- Base64 --- */

value cfn_fn_base64(struct fn_call *c) {
    sv text;
    value failed = {0};
    if (cfn_call_waits(c))
        return cfn_residual(c);
    if (!cfn_call_text(c, 0, &text, &failed))
        return failed;
    if (cfn_dynamic_has(text)) {
        struct cfn_run *run = cfn_call_run(c);
        value v = cfn_unknown(run, CFN_REASON_dynamic, c->expr->at, SV("CloudFormation resolves references last"));
        struct cfn_note note = *cfn_note_get(run, v);
        note.residual = cfn_call_site(c)->node;
        note.function = CFN_BASE64;
        return cfn_note_put(run, v, &note);
    }
    struct buf out = BUF(c->arena);
    base64_append(&out, text);
    return cfn_call_seal(c, cfn_call_string(c, buf_get_sv(&out)));
}

/* --- ToJsonString --- */

static bool write_json(struct fn_call *c, struct jsonw *j, value v, struct depth_guard *depth) {
    struct cfn_run *run = cfn_call_run(c);
    sv text;
    if (v.kind == VALUE_STRING) {
        jsonw_text(j, *v.text);
        return true;
    }
    if (v.kind != VALUE_LIST && v.kind != VALUE_MAP) {
        if (!cfn_text_get(run, v, &text))
            return false;
        jsonw_raw(j, text);
        return true;
    }
    if (!depth_enter(depth))
        return false;
    bool is_list = v.kind == VALUE_LIST, is_good = true;
    size_t len = is_list ? v.list->len : v.map->len;
    if (is_list)
        jsonw_begin_array(j);
    else
        jsonw_begin_object(j);
    for (size_t i = 0; i < len && is_good; i++) {
        if (!is_list)
            jsonw_key(j, v.map->entries[i].key);
        is_good = write_json(c, j, is_list ? v.list->items[i] : v.map->entries[i].item, depth);
    }
    if (is_list)
        jsonw_end_array(j);
    else
        jsonw_end_object(j);
    depth_leave(depth);
    return is_good;
}

value cfn_fn_to_json_string(struct fn_call *c) {
    value v = c->args[0], failed = {0};
    if (cfn_call_waits(c))
        return cfn_residual(c);
    if (v.kind != VALUE_LIST && v.kind != VALUE_MAP)
        return cfn_call_fail(c, v.kind == VALUE_ABSENT ? DIAG_cfn_novalue : DIAG_cfn_argument, 0,
                             "a map or a list is needed, not %s", cfn_value_kind(v));
    if (is_too_long(c, value_get_weight(v), &failed))
        return failed;
    struct buf out = BUF(c->arena);
    struct jsonw j = JSONW(&out, 0);
    struct depth_guard depth = {.limit = 2 * cfn_call_run(c)->limits.nesting};
    if (!write_json(c, &j, v, &depth))
        return cfn_call_fail(c, DIAG_limit_exceeded, 0, "the data are nested too deeply");
    return is_too_long(c, out.len, &failed) ? failed : cfn_call_seal(c, cfn_call_string(c, buf_get_sv(&out)));
}
