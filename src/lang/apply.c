/* Function values: table functions with captured arguments, lambdas, compositions (FN-020 … FN-026). */
#include "lang/machine.h"

#include <string.h>

enum { CALL_READY = 1 }; /* the phase of a FRAME_CALL whose arguments are there */

static enum diag_code get_type_code(const struct evaluator *ev) {
    return ev->o.policy->type_code != 0 ? ev->o.policy->type_code : DIAG_invalid_substitution;
}

static void apply_fn(struct evaluator *ev, const struct application *a) {
    const struct closure *c = a->function;
    const value *args = a->args;
    size_t count = a->count;
    struct frame *f = machine_push(ev, FRAME_CALL, NULL, NULL);
    call_open(ev, f, c->fn, NULL, count + c->captured_count);
    f->call->given = true;
    f->call->item = a->item;
    f->phase = CALL_READY;
    ev->apply_depth++;
    /* The arguments may be on the value stack, which moves when it grows. */
    bool own = args >= ev->values && args < ev->values + ev->value_cap;
    size_t at = own ? (size_t)(args - ev->values) : 0;
    for (size_t i = 0; i < count; i++) {
        machine_push_value(ev, own ? ev->values[at + i] : args[i]);
    }
    for (size_t i = 0; i < c->captured_count; i++) {
        machine_push_value(ev, c->captured[i]); /* FN-022: behind the dynamic ones */
    }
}

static value apply_partly(struct evaluator *ev, const struct closure *c, const value *args, size_t count) {
    struct closure *rest = ARENA_NEW(ev->o.arena, struct closure);
    value *captured = ARENA_ARRAY(ev->o.arena, value, c->captured_count + count);
    if (c->captured_count > 0) {
        memcpy(captured, c->captured, c->captured_count * sizeof *captured);
    }
    if (count > 0) {
        memcpy(captured + c->captured_count, args, count * sizeof *captured);
    }
    *rest = *c;
    rest->captured = captured;
    rest->captured_count += count;
    return value_function(rest);
}

/* The scope of the expression at work, for lambdas that see the scopes of their use. */
static struct scope *get_current_scope(struct evaluator *ev) {
    struct frame_chunk *chunk = ev->chunk;
    size_t in_chunk = ev->in_chunk;
    struct frame *f = ev->depth == 0 ? NULL : machine_get_top(ev);
    while (f != NULL && f->scope == NULL && f->kind != FRAME_CELL) {
        f = machine_get_below(&chunk, &in_chunk);
    }
    return f == NULL ? NULL : f->scope;
}

/* What the lambda has taken along stands in front of the scopes of its use. */
static struct scope *get_scope_of_use(struct evaluator *ev, const struct closure *c) {
    struct scope *current = get_current_scope(ev);
    if (c->scope == NULL) {
        return current;
    }
    struct scope *captured = ARENA_NEW(ev->o.arena, struct scope);
    *captured = *c->scope;
    captured->outer = current;
    captured->owner = current == NULL ? NULL : current->owner;
    return captured;
}

static bool apply_lambda(struct evaluator *ev, const struct closure *c, const value *args, size_t count,
                         value *result) {
    const struct expr *e = c->lambda;
    size_t given = c->captured_count + count;
    struct scope *scope = ARENA_NEW(ev->o.arena, struct scope);
    value *items = ARENA_ARRAY(ev->o.arena, value, given);
    if (c->captured_count > 0) {
        memcpy(items, c->captured, c->captured_count * sizeof *items);
    }
    if (count > 0) {
        memcpy(items + c->captured_count, args, count * sizeof *items);
    }
    struct scope *outer = ev->o.policy->dynamic_scope ? get_scope_of_use(ev, c) : c->scope;
    *scope = (struct scope){.outer = outer, .names = e->lambda.params, .items = items, .count = given, .self = c};
    scope->owner = outer == NULL ? NULL : outer->owner;
    struct frame *f = machine_push(ev, FRAME_BODY, e, scope);
    f->closure = c;
    f->waiting = true;
    f->quiet = true; /* the body is heard of, not the lambda */
    ev->apply_depth++;
    if (!machine_begin(ev, e->lambda.body, scope, result)) {
        return false;
    }
    ev->apply_depth--;
    machine_pop(ev);
    return true;
}

enum flow body_step(struct evaluator *ev, struct frame *f) {
    (void)f;
    ev->apply_depth--;
    return FLOW_DONE;
}

static bool apply_chain(struct evaluator *ev, const struct application *a, value *result) {
    if (a->count != 1) {
        *result = eval_fail(ev, get_type_code(ev), a->at, "a chain of functions takes one argument, not %zu", a->count);
        return true;
    }
    value arg = a->args[0];
    struct frame *f = machine_push(ev, FRAME_CHAIN, NULL, NULL);
    f->closure = a->function;
    f->waiting = true;
    ev->answer = arg;
    return false;
}

enum flow chain_step(struct evaluator *ev, struct frame *f) {
    value v = ev->answer;
    while (f->index < f->closure->chain_count) {
        const struct closure *next = f->closure->chain[f->index++];
        value arg = v;
        if (!apply_begin(ev, &(struct application){next, &arg, 1, 0, report_get_span(ev)}, &v)) {
            return FLOW_WAIT;
        }
    }
    ev->answer = v;
    return FLOW_DONE;
}

static bool has_right_count(struct evaluator *ev, const struct application *a, value *result) {
    size_t given = a->function->captured_count + a->count, wanted = a->function->lambda->count;
    if (given == wanted) {
        return true;
    }
    if (given > wanted) {
        *result = eval_fail(ev, get_type_code(ev), a->at, "found %zu argument(s), but expects %zu", given, wanted);
    } else {
        *result =
            eval_fail(ev, get_type_code(ev), a->at, "%zu arguments are given where %zu are needed", given, wanted);
    }
    return false;
}

bool apply_begin(struct evaluator *ev, const struct application *a, value *result) {
    const struct closure *c = a->function;
    if (ev->apply_depth >= ev->o.apply_depth) {
        *result = machine_exhaust(ev, EVAL_LIMIT_CALLS, a->at, "functions call each other too deeply");
        return true;
    }
    if (!machine_spend(ev)) {
        *result = value_error(NULL);
        return true;
    }
    if (c->chain_count > 0) {
        return apply_chain(ev, a, result);
    }
    if (c->fn != NULL) {
        apply_fn(ev, a);
        return false;
    }
    if (ev->o.policy->partial_application && c->captured_count + a->count < c->lambda->count) {
        *result = apply_partly(ev, c, a->args, a->count);
        return true;
    }
    return !has_right_count(ev, a, result) || apply_lambda(ev, c, a->args, a->count, result);
}

/* The function's marks go to the result, and the words of the arguments. */
static value join_callee(struct evaluator *ev, const struct frame *f, value v) {
    const value *slots = ev->values + f->base;
    return marks_join_words(ev, slots + 1, f->expr->count, marks_join(ev, slots, 1, v));
}

/* CALL of a value: slot 0 is the function, behind it the arguments. */
static enum flow apply_callee(struct evaluator *ev, struct frame *f) {
    const struct expr *e = f->expr;
    value *slots = ev->values + f->base;
    value v = {0};
    if (marks_decide_one(ev, slots[0], &v)) {
        ev->answer = v;
        return FLOW_DONE;
    }
    if (slots[0].kind != VALUE_FUNCTION) {
        if (ev->o.ops->refuse_call != NULL) {
            ev->answer = ev->o.ops->refuse_call(ev->o.user, ev, e);
            return FLOW_DONE;
        }
        const char *kind = value_get_kind_name((enum value_kind)slots[0].kind);
        span at = e->call.callee == NULL ? e->at : e->call.callee->at;
        ev->answer = eval_fail(ev, get_type_code(ev), at, "a value of type %s cannot be called", kind);
        return FLOW_DONE;
    }
    /* A lambda sees its arguments whatever they are; strict operands are decided here. */
    unsigned sees = FN_SEES_UNKNOWN | FN_SEES_ABSENT | FN_SEES_NULL;
    if (marks_decide(ev, &(struct operands){.e = e, .sees = sees, .args = slots + 1, .count = e->count}, &v)) {
        ev->answer = v;
        return FLOW_DONE;
    }
    f->phase = 1;
    value *args = ARENA_ARRAY(ev->o.arena, value, e->count);
    if (e->count > 0) {
        memcpy(args, slots + 1, e->count * sizeof *args);
    }
    f->waiting = !apply_begin(ev, &(struct application){slots[0].function, args, e->count, 0, e->at}, &v);
    if (f->waiting) {
        return FLOW_WAIT;
    }
    ev->answer = join_callee(ev, f, v);
    return FLOW_DONE;
}

enum flow callee_step(struct evaluator *ev, struct frame *f) {
    const struct expr *e = f->expr;
    if (f->phase == 1) {
        ev->answer = join_callee(ev, f, ev->answer);
        return FLOW_DONE;
    }
    while (f->index <= e->count) {
        const struct expr *part = f->index == 0 ? e->call.callee : e->call.args[f->index - 1];
        value v = ev->answer;
        if (part == NULL) {
            v = value_error(NULL);
        } else if (!f->waiting && !machine_want(ev, f, part, f->scope, &v)) {
            return FLOW_WAIT;
        }
        f->waiting = false;
        f->index++;
        machine_push_value(ev, v);
        if (marks_ends_early(ev, 0, v)) {
            ev->answer = v;
            return FLOW_DONE;
        }
    }
    return apply_callee(ev, f);
}

value fn_call_capture(struct fn_call *c, const struct fn_def *fn) {
    struct closure *made = ARENA_NEW(c->arena, struct closure);
    value *captured = ARENA_ARRAY(c->arena, value, c->count);
    if (c->count > 0) {
        memcpy(captured, c->args, c->count * sizeof *captured);
    }
    made->fn = fn;
    made->captured = captured;
    made->captured_count = c->count;
    return value_function(made);
}

bool closure_takes_index(const struct closure *f, size_t count) {
    if (f->lambda != NULL) {
        return f->lambda->count > f->captured_count + count;
    }
    if (f->fn == NULL || f->fn->param_count == 0) {
        return false;
    }
    return (f->fn->params[f->fn->param_count - 1].flags & FN_INDEX) != 0;
}
