#include "lang/machine.h"

#include <string.h>

enum { FIRST_VALUES = 64 };

struct evaluator *eval_new(const struct eval_options *options) {
    struct evaluator *ev = ARENA_NEW(options->arena, struct evaluator);
    ev->o = *options;
    ev->chunk = ARENA_NEW(options->arena, struct frame_chunk);
    ev->o.apply_depth = options->apply_depth > 0 ? options->apply_depth : APPLY_DEPTH;
    ev->memory = options->memory > 0 ? options->memory : SIZE_MAX;
    ev->value_cap = FIRST_VALUES;
    ev->values = ARENA_ARRAY(options->arena, value, FIRST_VALUES);
    ev->trivial_policy = options->policy->join_words == NULL;
    return ev;
}

struct arena *eval_get_arena(struct evaluator *ev) {
    return ev->o.arena;
}

struct diags *eval_get_diags(struct evaluator *ev) {
    return ev->o.diags;
}

const struct limits *eval_get_limits(struct evaluator *ev) {
    return ev->o.limits;
}

void *eval_get_user(struct evaluator *ev) {
    return ev->o.user;
}

struct host *eval_get_host(struct evaluator *ev) {
    return ev->o.host;
}

struct run_record *eval_get_record(struct evaluator *ev) {
    return ev->o.record;
}

struct fetcher *eval_get_fetcher(struct evaluator *ev) {
    return ev->o.fetcher;
}

struct sources *eval_get_sources(struct evaluator *ev) {
    return ev->o.sources;
}

/* Frames */

static void next_chunk(struct evaluator *ev) {
    if (ev->chunk->above == NULL) {
        struct frame_chunk *above = ARENA_NEW(ev->o.arena, struct frame_chunk);
        above->below = ev->chunk;
        ev->chunk->above = above;
    }
    ev->chunk = ev->chunk->above;
    ev->in_chunk = 0;
}

struct frame *machine_push(struct evaluator *ev, enum frame_kind kind, const struct expr *e, struct scope *scope) {
    if (ev->in_chunk == FRAMES_PER_CHUNK) {
        next_chunk(ev);
    }
    struct frame *f = &ev->chunk->frames[ev->in_chunk++];
    memset(f, 0, sizeof *f);
    f->kind = (uint8_t)kind;
    f->expr = e;
    f->scope = scope;
    f->base = ev->value_count;
    ev->depth++;
    if (ev->depth > FRAMES_MAX) {
        machine_exhaust(ev, EVAL_LIMIT_DEPTH, e == NULL ? SPAN_NONE : e->at, "the evaluation is nested too deeply");
    }
    return f;
}

void machine_pop(struct evaluator *ev) {
    ev->value_count = machine_get_top(ev)->base;
    ev->depth--;
    ev->in_chunk--;
    if (ev->in_chunk == 0 && ev->chunk->below != NULL) {
        ev->chunk = ev->chunk->below;
        ev->in_chunk = FRAMES_PER_CHUNK;
    }
}

struct frame *machine_get_top(struct evaluator *ev) {
    return &ev->chunk->frames[ev->in_chunk - 1];
}

struct frame *machine_get_below(struct frame_chunk **chunk, size_t *in_chunk) {
    (*in_chunk)--;
    if (*in_chunk == 0) {
        *chunk = (*chunk)->below;
        *in_chunk = FRAMES_PER_CHUNK;
    }
    return *chunk == NULL ? NULL : &(*chunk)->frames[*in_chunk - 1];
}

void machine_push_value(struct evaluator *ev, value v) {
    if (ev->value_count == ev->value_cap) {
        size_t cap = ev->value_cap * 2;
        ev->values = arena_grow_array(ev->o.arena, ev->values, ev->value_cap, cap, sizeof *ev->values);
        ev->value_cap = cap;
    }
    ev->values[ev->value_count++] = v;
}

/* Budget */

value machine_exhaust(struct evaluator *ev, enum eval_limit limit, span at, const char *what) {
    if (!ev->exhausted) {
        ev->exhausted = true;
        ev->exceeded = limit;
        ev->exceeding_cell = eval_get_cell(ev);
        diags_add(ev->o.diags, DIAG_limit_exceeded, at, "%s", what);
    }
    return value_error(NULL);
}

value eval_stop(struct evaluator *ev, span at, const char *what) {
    return machine_exhaust(ev, EVAL_LIMIT_OTHER, at, what);
}

const struct cell *eval_get_exceeding_cell(const struct evaluator *ev) {
    return ev->exceeding_cell;
}

enum eval_limit eval_get_exceeded(const struct evaluator *ev) {
    return ev->exceeded;
}

bool eval_spend(struct evaluator *ev, uint64_t steps) {
    ev->steps += steps;
    if (ev->steps > ev->o.limits->eval_steps) {
        machine_exhaust(ev, EVAL_LIMIT_STEPS, report_get_span(ev), "the evaluation takes too many steps");
    } else if (ev->o.arena->total > ev->memory) {
        machine_exhaust(ev, EVAL_LIMIT_MEMORY, report_get_span(ev), "the evaluation takes too much memory");
    }
    return !ev->exhausted;
}

void machine_tell_observer(struct evaluator *ev, const struct expr *e, value v) {
    const struct observer *o = ev->o.observer;
    struct frame *in = cell_get_current(ev);
    o->evaluated(o->user, e, in == NULL ? NULL : in->cell, v);
}

/* Beginning and stepping */

/* With dynamic scope a lambda takes along the parameters of the lambdas around it, inner ones hiding outer ones, and
 * nothing else (DY-170). */
static struct scope *capture_parameters(struct evaluator *ev, const struct scope *scope) {
    size_t count = 0;
    for (const struct scope *s = scope; s != NULL; s = s->outer) {
        count += s->count;
    }
    if (count == 0) {
        return NULL;
    }
    struct scope *captured = ARENA_NEW(ev->o.arena, struct scope);
    sv *names = ARENA_ARRAY(ev->o.arena, sv, count);
    value *items = ARENA_ARRAY(ev->o.arena, value, count);
    *captured = (struct scope){.names = names, .items = items, .is_captured = true};
    for (const struct scope *s = scope; s != NULL; s = s->outer) {
        for (size_t i = 0; i < s->count; i++) {
            value hidden;
            if (!scope_find(captured, s->names[i], &hidden)) {
                names[captured->count] = s->names[i];
                items[captured->count++] = s->items[i];
            }
        }
    }
    return captured;
}

static value make_lambda(struct evaluator *ev, const struct expr *e, struct scope *scope) {
    struct closure *c = ARENA_NEW(ev->o.arena, struct closure);
    c->lambda = e;
    c->scope = ev->o.policy->dynamic_scope ? capture_parameters(ev, scope) : scope;
    return value_function(c);
}

static bool begin_kind(struct evaluator *ev, const struct expr *e, struct scope *scope, value *result) {
    switch ((enum expr_kind)e->kind) {
    case EXPR_LITERAL:
        *result = e->literal;
        return true;
    case EXPR_ERROR:
        *result = value_error(NULL);
        return true;
    case EXPR_LAMBDA:
        *result = make_lambda(ev, e, scope);
        return true;
    case EXPR_REF:
    case EXPR_DIRECTIVE:
        return resolve_begin(ev, e, scope, result);
    case EXPR_INDEX:
        machine_push(ev, FRAME_STEPS, e, scope);
        return false;
    case EXPR_CALL:
        machine_push(ev, e->call.fn != NULL ? FRAME_CALL : FRAME_CALLEE, e, scope);
        return false;
    case EXPR_COND:
        machine_push(ev, FRAME_COND, e, scope);
        return false;
    case EXPR_LIST:
    case EXPR_OBJECT:
        machine_push(ev, FRAME_CONTAINER, e, scope);
        return false;
    case EXPR_TEMPLATE:
        machine_push(ev, FRAME_TEMPLATE, e, scope);
        return false;
    }
    *result = value_error(NULL);
    return true;
}

bool machine_begin(struct evaluator *ev, const struct expr *e, struct scope *scope, value *result) {
    if (!machine_spend(ev)) {
        *result = value_error(NULL);
        return true;
    }
    bool now = begin_kind(ev, e, scope, result);
    if (now) {
        machine_observe(ev, e, *result);
    }
    return now;
}

bool machine_want(struct evaluator *ev, struct frame *f, const struct expr *e, struct scope *scope, value *result) {
    bool now = machine_begin(ev, e, scope, result);
    f->waiting = !now;
    return now;
}

static enum flow step(struct evaluator *ev, struct frame *f) {
    switch ((enum frame_kind)f->kind) {
    case FRAME_CELL:
        return cell_step(ev, f);
    case FRAME_REF:
        return resolve_step(ev, f);
    case FRAME_STEPS:
        return steps_step(ev, f);
    case FRAME_CALL:
        return call_step(ev, f);
    case FRAME_CALLEE:
        return callee_step(ev, f);
    case FRAME_BODY:
        return body_step(ev, f);
    case FRAME_CHAIN:
        return chain_step(ev, f);
    case FRAME_COND:
        return cond_step(ev, f);
    case FRAME_CONTAINER:
        return container_step(ev, f);
    case FRAME_TEMPLATE:
        return template_step(ev, f);
    }
    ev->answer = value_error(NULL);
    return FLOW_DONE;
}

/* A frame that is left because a limit was met. Cells still leave their state in order. */
static enum flow abandon(struct evaluator *ev, struct frame *f) {
    ev->answer = value_error(NULL);
    f->waiting = true;
    if (f->kind == FRAME_CELL) {
        return cell_step(ev, f);
    }
    if (f->kind == FRAME_CALL) {
        return call_step(ev, f);
    }
    return f->kind == FRAME_BODY ? body_step(ev, f) : FLOW_DONE;
}

value machine_run(struct evaluator *ev, size_t bottom) {
    while (ev->depth > bottom) {
        struct frame *f = machine_get_top(ev);
        enum flow flow = ev->exhausted ? abandon(ev, f) : step(ev, f);
        if (flow == FLOW_DONE) {
            machine_observe(ev, f->quiet ? NULL : f->expr, ev->answer);
            machine_pop(ev);
        }
    }
    return ev->answer;
}

value eval_cell(struct evaluator *ev, struct cell *c) {
    value v = {0};
    size_t bottom = ev->depth;
    ev->demanding = NULL;
    if (!cell_demand(ev, c, &v)) {
        v = machine_run(ev, bottom);
    }
    /* Whoever asks from outside sees the cell's own outcome, not what a reference to it gives. */
    bool settled = c->state == CELL_DONE || c->state == CELL_FAILED || c->state == CELL_PENDING;
    return settled ? c->result : v;
}

value eval_expr(struct evaluator *ev, const struct expr *e, struct scope *scope) {
    value v = {0};
    size_t bottom = ev->depth;
    return machine_begin(ev, e, scope, &v) ? v : machine_run(ev, bottom);
}

value eval_again(struct evaluator *ev, const struct expr *e, struct scope *scope) {
    ev->again_expr = e;
    ev->again_scope = scope;
    return (value){0};
}

bool scope_find(const struct scope *s, sv name, value *result) {
    for (; s != NULL; s = s->outer) {
        for (size_t i = 0; i < s->count; i++) {
            if (sv_eq(s->names[i], name)) {
                *result = s->items[i];
                return true;
            }
        }
    }
    return false;
}
