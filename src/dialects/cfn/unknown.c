/* Notes of values: residuals, reasons, numbers as written. */
#include "dialects/cfn/run.h"

#include "base/num.h"
#include "dialects/cfn/origin.h"
#include "dialects/cfn/scalars.h"

#include <stdarg.h>

void cfn_notes_start(struct cfn_run *run) {
    if (run->notes.len == 0)
        VEC_PUSH(run->arena, &run->notes, ((struct cfn_note){0}));
}

value cfn_note_put(struct cfn_run *run, value v, const struct cfn_note *note) {
    if (run->notes.len > CFN_WORD_NOTE) {
        diags_add(run->o.diags, DIAG_limit_exceeded, note->at, "more than %u values are unknown", CFN_WORD_NOTE);
        return v;
    }
    struct cfn_note kept = *note; /* it may be one of those that move */
    v.word = (v.word & ~CFN_WORD_NOTE) | (uint32_t)run->notes.len;
    VEC_PUSH(run->arena, &run->notes, kept);
    return v;
}

const struct cfn_note *cfn_note_get(const struct cfn_run *run, value v) {
    return &run->notes.items[v.word & CFN_WORD_NOTE];
}

const struct cfn_note_more *cfn_note_get_more(const struct cfn_run *run, value v) {
    static const struct cfn_note_more nothing;
    const struct cfn_note *note = cfn_note_get(run, v);
    return note->more == NULL ? &nothing : note->more;
}

value cfn_unknown(struct cfn_run *run, enum cfn_reason reason, span at, sv hint) {
    struct cfn_note note = {.reasons = UINT32_C(1) << reason, .at = at};
    if (hint.len > 0) {
        struct cfn_note_more *more = ARENA_NEW(run->arena, struct cfn_note_more);
        more->hint = hint;
        note.more = more;
    }
    return cfn_note_put(run, value_unknown(NULL), &note);
}

value cfn_unknown_text(struct cfn_run *run, sv reason, span at, sv hint) {
    struct cfn_note_more *more = ARENA_NEW(run->arena, struct cfn_note_more);
    *more = (struct cfn_note_more){.reason_text = reason, .hint = hint};
    struct cfn_note note = {.reasons = UINT32_C(1) << CFN_REASON_other, .at = at, .more = more};
    return cfn_note_put(run, value_unknown(NULL), &note);
}

value cfn_failed(struct cfn_run *run) {
    return cfn_note_put(run, value_unknown(NULL), &(struct cfn_note){.is_error = true});
}

value cfn_fail(struct cfn_run *run, enum diag_code code, span at, const char *format, ...) {
    va_list args;
    va_start(args, format);
    sv message = arena_vprintf(run->o.diags->arena, format, args);
    va_end(args);
    cfn_report(run, code, at, "%.*s", SV_ARG(message));
    return cfn_failed(run);
}

void cfn_error_note(struct cfn_run *run, value v) {
    const struct eval_failure *f = v.kind == VALUE_ERROR ? v.cause : NULL;
    /* A cycle shows among resources (CF-037); all else is said here. */
    if (f != NULL && f->code != DIAG_reference_cycle)
        cfn_report(run, f->code, f->at, "%.*s", SV_ARG(f->message));
}

bool cfn_is_failed(const struct cfn_run *run, value v) {
    return v.kind == VALUE_ERROR || (v.kind == VALUE_UNKNOWN && cfn_note_get(run, v)->is_error);
}

/* --- literals --- */

static value note_number(struct cfn_run *run, value v, const struct node *n, sv text) {
    struct cfn_note_more *more = ARENA_NEW(run->arena, struct cfn_note_more);
    *more = (struct cfn_note_more){.written = n->text, .text = text};
    return cfn_note_put(run, v, &(struct cfn_note){.more = more, .residual = n, .at = n->at});
}

static value get_scalar(struct cfn_run *run, const struct node *n) {
    struct cfn_scalar s = cfn_scalar_read(run->arena, n);
    char text[NUM_TEXT_MAX];
    size_t len;
    switch (s.kind) {
    case CFN_SCALAR_BOOL:
        return value_bool(s.boolean);
    case CFN_SCALAR_INT:
        if (s.is_large)
            return note_number(run, value_float((double)INT64_MAX), n, s.text);
        len = num_print_i64(s.integer, text);
        return sv_eq(n->text, sv_make(text, len)) ? value_int(s.integer)
                                                  : note_number(run, value_int(s.integer), n, (sv){0});
    case CFN_SCALAR_FLOAT:
        len = num_print_double(s.number, text);
        return sv_eq(n->text, sv_make(text, len)) ? value_float(s.number)
                                                  : note_number(run, value_float(s.number), n, (sv){0});
    case CFN_SCALAR_STRING:
        return value_string(run->arena, n->text);
    case CFN_SCALAR_NULL:
    case CFN_SCALAR_BAD:
        break;
    }
    return value_string(run->arena, n->text); /* reported by the reader */
}

static value get_literal(struct cfn_run *run, const struct node *n, struct depth_guard *depth) {
    if (n->kind == NODE_SCALAR)
        return get_scalar(run, n);
    if (n->kind != NODE_SEQUENCE && n->kind != NODE_MAPPING)
        return cfn_failed(run);
    if (!depth_enter(depth)) {
        diags_add(run->o.diags, DIAG_limit_exceeded, n->at, "the data are nested too deeply");
        return cfn_failed(run);
    }
    struct list_builder list = {.arena = run->arena};
    struct map_builder map = {.arena = run->arena};
    for (uint32_t i = 0; i < n->count; i++) {
        if (n->kind == NODE_SEQUENCE)
            list_add(&list, get_literal(run, n->items[i], depth));
        else
            map_set(&map, n->pairs[i].key->text, get_literal(run, n->pairs[i].value, depth));
    }
    depth_leave(depth);
    return n->kind == NODE_SEQUENCE ? list_done(&list) : map_done(&map);
}

value cfn_literal_get(struct cfn_run *run, const struct node *n) {
    struct depth_guard depth = {.limit = run->limits.nesting + 8};
    return get_literal(run, n, &depth);
}

bool cfn_text_get(struct cfn_run *run, value v, sv *text) {
    char digits[NUM_TEXT_MAX];
    if (v.kind == VALUE_STRING) {
        *text = *v.text;
    } else if (v.kind == VALUE_BOOL) {
        *text = v.boolean ? SV("true") : SV("false");
    } else if (v.kind == VALUE_INT) {
        *text = arena_copy_sv(run->arena, sv_make(digits, num_print_i64(v.integer, digits)));
    } else if (v.kind == VALUE_FLOAT) {
        *text = cfn_note_get_more(run, v)->text;
        if (text->len == 0)
            *text = arena_copy_sv(run->arena, sv_make(digits, num_print_double(v.number, digits)));
    } else {
        return false;
    }
    return true;
}
