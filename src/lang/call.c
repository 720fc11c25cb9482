/* Calls of table functions: arguments from left to right (FN-010), what decides instead of the call, the call itself
 * and what it asks for. */
#include "lang/machine.h"

static struct call_record *take_record(struct evaluator *ev) {
    struct call_record *r = ev->free_calls;
    if (r == NULL) {
        return ARENA_NEW(ev->o.arena, struct call_record);
    }
    ev->free_calls = r->next_free;
    r->has_request = r->given = false;
    r->answer = (value){0};
    r->state = NULL;
    r->item = 0;
    return r; /* call_open sets the rest */
}

static void release_record(struct evaluator *ev, struct frame *f) {
    if (f->call == NULL) {
        return;
    }
    ev->apply_depth -= f->call->given;
    f->call->next_free = ev->free_calls;
    ev->free_calls = f->call;
    f->call = NULL;
}

void call_open(struct evaluator *ev, struct frame *f, const struct fn_def *fn, const struct expr *e, size_t count) {
    struct call_record *r = take_record(ev);
    f->call = r;
    r->call = (struct fn_call){
        .ev = ev, .arena = ev->o.arena, .fn = fn, .expr = e, .count = count, .scope = f->scope, .frame = r};
    r->call.names = e != NULL ? e->call.names : NULL;
}

static value *get_args(struct evaluator *ev, const struct frame *f) {
    return ev->values + f->base;
}

static enum flow end_call(struct evaluator *ev, struct frame *f, value v) {
    release_record(ev, f);
    ev->answer = v;
    return FLOW_DONE;
}

static span get_call_span(struct evaluator *ev, const struct frame *f) {
    return f->expr != NULL ? f->expr->at : report_get_span(ev);
}

/* The function's answer becomes the value of the call. */
static value seal_result(struct evaluator *ev, struct frame *f, value v) {
    const struct fn_def *fn = f->call->call.fn;
    const value *args = get_args(ev, f);
    size_t count = f->call->call.count;
    if ((fn->flags & FN_OWN_WORD) != 0) {
        return v.kind == VALUE_ERROR ? v : marks_limit(ev, fn, get_call_span(ev, f), v);
    }
    if (v.kind == VALUE_ERROR) {
        return marks_join_words(ev, args, count, v);
    }
    v = marks_limit(ev, fn, get_call_span(ev, f), v);
    if ((fn->flags & FN_OWN_SECRECY) != 0) {
        return marks_join_words(ev, args, count, v);
    }
    return marks_join(ev, args, count, v);
}

/* A forced argument of a lazy function may decide at once, as an argument of any other would. */
static bool forced_decides(struct evaluator *ev, struct frame *f, size_t arg, value *result) {
    const struct fn_def *fn = f->call->call.fn;
    value one = get_args(ev, f)[arg];
    if (!marks_decide(ev, &(struct operands){.fn = fn, .sees = fn->flags, .args = &one, .count = 1}, result)) {
        return false;
    }
    if (result->kind != VALUE_ERROR) {
        *result =
            marks_join(ev, get_args(ev, f), f->call->call.count, *result); /* FN-013: of all that were evaluated */
    }
    return true;
}

static bool is_settled_arg(struct evaluator *ev, struct frame *f, size_t arg) {
    return get_args(ev, f)[arg].kind != 0;
}

/* True when the answer is there; false when frames stand above. */
static bool serve_request(struct evaluator *ev, struct frame *f) {
    struct call_record *r = f->call;
    const struct fn_request *q = &r->request;
    value v = {0};
    bool now = true;
    switch (q->kind) {
    case FN_FORCE:
        if (q->arg >= r->call.count) {
            v = value_absent();
        } else if (is_settled_arg(ev, f, q->arg)) {
            v = get_args(ev, f)[q->arg];
        } else {
            now = machine_begin(ev, r->call.expr->call.args[q->arg], f->scope, &v);
        }
        break;
    case FN_APPLY:
        now = apply_begin(ev,
                          &(struct application){q->function, q->args, q->count, q->index == SIZE_MAX ? 0 : q->index + 1,
                                                get_call_span(ev, f)},
                          &v);
        break;
    case FN_EVALUATE:
        now = machine_begin(ev, q->expr, q->scope, &v);
        break;
    case FN_DEMAND:
        ev->demanding = NULL;
        now = cell_demand(ev, q->cell, &v);
        break;
    }
    f->waiting = !now;
    if (now) {
        ev->answer = v;
    }
    return now;
}

/* The answer to a request has come. True when it decides the call. */
static bool take_answer(struct evaluator *ev, struct frame *f, value *result) {
    struct call_record *r = f->call;
    f->waiting = false;
    r->has_request = false;
    r->answer = ev->answer;
    if (r->request.kind != FN_FORCE || r->request.arg >= r->call.count) {
        bool failed = r->request.kind == FN_APPLY && marks_ends_early(ev, r->call.fn->flags, r->answer);
        *result = r->answer;
        return failed;
    }
    get_args(ev, f)[r->request.arg] = r->answer;
    return forced_decides(ev, f, r->request.arg, result);
}

static bool is_of_dialect(const struct evaluator *ev, const struct fn_def *fn) {
    return (fn->flags & FN_SYNTACTIC) != 0 && ev->o.ops->call_syntactic != NULL;
}

enum { PHASE_ARGS = 0, PHASE_READY, PHASE_RUNNING };

enum flow call_invoke(struct evaluator *ev, struct frame *f) {
    struct call_record *r = f->call;
    f->phase = PHASE_RUNNING;
    for (;;) {
        if (!machine_spend(ev)) {
            return end_call(ev, f, value_error(NULL));
        }
        r->call.args = get_args(ev, f);
        value v = is_of_dialect(ev, r->call.fn) ? ev->o.ops->call_syntactic(ev->o.user, &r->call)
                                                : r->call.fn->call(&r->call);
        if (v.kind != 0 || !r->has_request) {
            return end_call(ev, f, v.kind == 0 ? value_error(NULL) : seal_result(ev, f, v));
        }
        if (!serve_request(ev, f)) {
            return FLOW_WAIT;
        }
        if (take_answer(ev, f, &v)) {
            return end_call(ev, f, v);
        }
    }
}

static bool has_all_names(const struct fn_call *c) {
    for (size_t i = 0; i < c->count; i++) {
        if (c->names == NULL || c->names[i].len == 0) {
            return false;
        }
    }
    return true;
}

/* Mistakes that the static check has not seen: callbacks, dialects without that check. */
static bool has_right_args(struct evaluator *ev, struct frame *f, value *result) {
    struct fn_call *c = &f->call->call;
    if (c->count == c->fn->param_count && !c->fn->named_only) {
        return true; /* the quick way */
    }
    size_t min = fn_get_min_args(c->fn), max = fn_get_max_args(c->fn);
    enum diag_code code = ev->o.policy->type_code != 0 ? ev->o.policy->type_code : DIAG_invalid_substitution;
    if (c->count < min || c->count > max) {
        *result = fn_call_fail(c, code, SIZE_MAX, "%zu arguments are given, which is too %s", c->count,
                               c->count < min ? "few" : "many");
        return false;
    }
    if (c->fn->named_only && !has_all_names(c)) {
        *result = fn_call_fail(c, code, SIZE_MAX, "every argument needs a name");
        return false;
    }
    return true;
}

/* What nobody implements here, and what validation does not run (FN-034). */
static bool is_out_of_reach(struct evaluator *ev, struct frame *f, value *result) {
    struct fn_call *c = &f->call->call;
    if (is_of_dialect(ev, c->fn)) {
        return false;
    }
    if (ev->o.record == NULL && (c->fn->call == NULL || (c->fn->flags & FN_PROVIDED) != 0)) {
        *result = marks_join(ev, get_args(ev, f), c->count, value_unknown(c->fn->result));
        return true;
    }
    if (c->fn->call == NULL) {
        *result = fn_call_fail(c, DIAG_function_call_error, SIZE_MAX, "no provider here implements this function");
        return true;
    }
    return false;
}

static enum flow call_ready(struct evaluator *ev, struct frame *f) {
    const struct fn_def *fn = f->call->call.fn;
    value v = {0};
    if (!has_right_args(ev, f, &v)) {
        return end_call(ev, f, v);
    }
    bool lazy = (fn->flags & (FN_LAZY | FN_SYNTACTIC)) != 0;
    struct operands o = {f->call->call.expr, fn, fn->flags, get_args(ev, f), f->call->call.count};
    if ((!lazy && marks_decide(ev, &o, &v)) || is_out_of_reach(ev, f, &v)) {
        return end_call(ev, f, v);
    }
    return call_invoke(ev, f);
}

/* Evaluates what is missing of the arguments; FLOW_DONE when all are there. */
static enum flow gather(struct evaluator *ev, struct frame *f, bool *decided) {
    const struct expr *e = f->expr;
    unsigned flags = e->call.fn->flags;
    while (f->index < e->count) {
        value v = ev->answer;
        if (!f->waiting && !machine_want(ev, f, e->call.args[f->index], f->scope, &v)) {
            return FLOW_WAIT;
        }
        f->waiting = false;
        get_args(ev, f)[f->index++] = v;
        if (marks_ends_early(ev, flags, v)) {
            *decided = true;
            ev->answer = value_error(v.kind == VALUE_ERROR ? v.cause : NULL);
            return FLOW_DONE;
        }
    }
    return FLOW_DONE;
}

static void open_written(struct evaluator *ev, struct frame *f) {
    call_open(ev, f, f->expr->call.fn, f->expr, f->expr->count);
    for (uint32_t i = 0; i < f->expr->count; i++) {
        machine_push_value(ev, (value){0});
    }
    if ((f->expr->call.fn->flags & (FN_LAZY | FN_SYNTACTIC)) != 0) {
        f->index = f->expr->count;
    }
}

enum flow call_step(struct evaluator *ev, struct frame *f) {
    if (ev->exhausted) {
        return end_call(ev, f, value_error(NULL));
    }
    if (f->phase == PHASE_RUNNING) {
        value v = {0};
        return take_answer(ev, f, &v) ? end_call(ev, f, v) : call_invoke(ev, f);
    }
    if (f->phase == PHASE_READY) {
        return call_ready(ev, f);
    }
    if (f->call == NULL) {
        open_written(ev, f);
    }
    bool decided = false;
    if (gather(ev, f, &decided) == FLOW_WAIT) {
        return FLOW_WAIT;
    }
    return decided ? end_call(ev, f, ev->answer) : call_ready(ev, f);
}

/* Requests, as functions make them */

value fn_call_request(struct fn_call *c, struct fn_request request) {
    struct call_record *r = c->frame;
    r->request = request;
    r->has_request = true;
    return (value){0};
}

value fn_call_get_answer(struct fn_call *c) {
    return ((struct call_record *)c->frame)->answer;
}

void **fn_call_get_state(struct fn_call *c) {
    return &((struct call_record *)c->frame)->state;
}

value fn_call_force(struct fn_call *c, size_t arg) {
    return fn_call_request(c, (struct fn_request){.kind = FN_FORCE, .arg = arg});
}

value fn_call_apply(struct fn_call *c, const struct closure *function, const value *args, size_t count, size_t index) {
    return fn_call_request(
        c, (struct fn_request){.kind = FN_APPLY, .function = function, .args = args, .count = count, .index = index});
}
