/* Failures of evaluation: diagnostics, or silent causes. */
#include "lang/machine.h"

#include <stdarg.h>

enum { SHOWN_CALLS = 8 };

/* The innermost expression at work. */
span report_get_span(struct evaluator *ev) {
    if (ev->depth == 0) {
        return SPAN_NONE;
    }
    struct frame_chunk *chunk = ev->chunk;
    size_t in_chunk = ev->in_chunk;
    const struct frame *f = machine_get_top(ev);
    while (f != NULL && f->expr == NULL && f->kind != FRAME_CELL) {
        f = machine_get_below(&chunk, &in_chunk);
    }
    if (f == NULL) {
        return SPAN_NONE;
    }
    if (f->kind != FRAME_CELL) {
        return f->expr->at;
    }
    return f->cell->expr != NULL ? f->cell->expr->at : f->cell->at;
}

span eval_get_span(struct evaluator *ev) {
    return report_get_span(ev);
}

static void add_call(struct evaluator *ev, struct diag *d, const struct frame *f) {
    const struct call_record *r = f->call;
    if (r->item > 0 && f->expr == NULL) {
        return;
    }
    if (r->has_request && r->request.kind == FN_APPLY && r->request.index != SIZE_MAX) {
        diag_add_related(ev->o.diags, d, f->expr->at, "in item %zu of this call of '%.*s'", r->request.index,
                         SV_ARG(r->call.fn->name));
    } else {
        diag_add_related(ev->o.diags, d, f->expr->at, "in this call of '%.*s'", SV_ARG(r->call.fn->name));
    }
}

/* FN-018: enclosing calls of the same cell, but for the innermost. */
void report_add_calls(struct evaluator *ev, struct diag *d) {
    struct frame_chunk *chunk = ev->chunk;
    size_t in_chunk = ev->in_chunk;
    const struct frame *f = ev->depth == 0 ? NULL : machine_get_top(ev);
    bool innermost = true;
    for (size_t shown = 0; f != NULL && f->kind != FRAME_CELL && shown < SHOWN_CALLS;) {
        bool is_call = f->kind == FRAME_CALL && f->call != NULL && f->call->call.fn != NULL &&
                       (f->call->call.fn->flags & FN_OPERATOR) == 0;
        if (is_call && !innermost && f->expr != NULL) {
            add_call(ev, d, f);
            shown++;
        }
        innermost = innermost && !is_call;
        f = machine_get_below(&chunk, &in_chunk);
    }
}

static value fail_at(struct evaluator *ev, enum diag_code code, span at, sv prefix, sv message) {
    struct arena *a = ev->o.diags->arena;
    sv text = prefix.len == 0 ? message : arena_printf(a, "'%.*s': %.*s", SV_ARG(prefix), SV_ARG(message));
    struct eval_failure *failure = ARENA_NEW(ev->o.arena, struct eval_failure);
    *failure = (struct eval_failure){.code = code, .at = at, .message = text};
    if (!ev->o.policy->failed_is_silent) {
        struct diag *d = diags_add(ev->o.diags, code, at, "%.*s", SV_ARG(text));
        struct frame *in = cell_get_current(ev);
        if (in != NULL) {
            d->path = in->cell->path;
        }
        report_add_calls(ev, d);
    }
    return value_error(failure);
}

value eval_fail(struct evaluator *ev, enum diag_code code, span at, const char *format, ...) {
    va_list args;
    va_start(args, format);
    sv message = arena_vprintf(ev->o.diags->arena, format, args);
    va_end(args);
    return fail_at(ev, code, at, (sv){0}, message);
}

static span get_arg_span(struct fn_call *c, size_t arg) {
    if (c->expr == NULL) {
        return report_get_span(c->ev);
    }
    return arg < c->expr->count && arg < c->count ? c->expr->call.args[arg]->at : c->expr->at;
}

value fn_call_fail(struct fn_call *c, enum diag_code code, size_t arg, const char *format, ...) {
    va_list args;
    va_start(args, format);
    sv message = arena_vprintf(c->ev->o.diags->arena, format, args);
    va_end(args);
    return fail_at(c->ev, code, get_arg_span(c, arg), c->fn->name, message);
}
