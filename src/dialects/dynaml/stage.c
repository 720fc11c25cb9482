#include "dialects/dynaml/stage.h"

#include "dialects/dynaml/debug.h"
#include "dialects/dynaml/directives.h"
#include "dialects/dynaml/internal.h"
#include "dialects/dynaml/notes.h"
#include "dialects/dynaml/resolve.h"

/* --- marks (DY-203) --- */

const struct marks *marks_get(const struct dynaml_run *run, value v) {
    uint32_t number = v.word & WORD_MARKS;
    return number == 0 ? NULL : &run->marks.items[number - 1];
}

value marks_put(struct dynaml_run *run, value v, const struct marks *m) {
    if (run->marks.len == WORD_MARKS)
        return v; /* beyond every limit of memory */
    VEC_PUSH(run->a, &run->marks, *m);
    v.word = (v.word & ~WORD_MARKS) | (uint32_t)run->marks.len;
    return v;
}

value marks_take_redirect(struct dynaml_run *run, value v, value failed) {
    const struct marks *of = marks_get(run, v), *from = marks_get(run, failed);
    if (from == NULL)
        return v;
    struct marks joined = of == NULL ? (struct marks){0} : *of;
    if (!joined.has_redirect && from->has_redirect) {
        joined.has_redirect = true;
        joined.redirect = from->redirect;
    }
    joined.key = joined.key.len > 0 ? joined.key : from->key;
    return marks_put(run, v, &joined);
}

/* Of several redirections, and of several keys, the last counts. `merge replace` is lost in other operations (DY-212).
 */
static uint32_t join_words(void *user, uint32_t left, uint32_t right) {
    struct stage *s = user;
    struct dynaml_run *run = s->run;
    uint32_t live = (left | right) & WORD_LIVE, stub = left & WORD_STUB;
    uint32_t a = left & WORD_MARKS, b = right & WORD_MARKS;
    if (b == 0)
        return left | live;
    struct marks joined = run->marks.items[b - 1];
    joined.is_replacing = false;
    if (a != 0) {
        const struct marks *first = &run->marks.items[a - 1];
        joined.is_merged = joined.is_merged || first->is_merged;
        joined.redirect = joined.has_redirect ? joined.redirect : first->redirect;
        joined.has_redirect = joined.has_redirect || first->has_redirect;
        joined.key = joined.key.len > 0 ? joined.key : first->key;
    }
    return (marks_put(run, (value){.kind = VALUE_NULL}, &joined).word & WORD_MARKS) | live | stub;
}

static uint32_t narrow_word(uint32_t word) {
    return word & WORD_LIVE;
}

/* A final value keeps the key field of a list, for look-ups by name, and nothing else. */
value stage_make_final(struct stage *s, value v) {
    const struct marks *m = marks_get(s->run, v);
    struct marks key = {.key = m == NULL ? (sv){0} : m->key};
    v.word = 0;
    return v.kind == VALUE_LIST && key.key.len > 0 ? marks_put(s->run, v, &key) : v;
}

/* --- parsing --- */

const struct expr *stage_parse(struct stage *s, struct place *home, sv text) {
    const struct expr *e = NULL;
    struct expr_text t = {.text = text};
    struct dynaml_limits *l = &s->run->o.limits;
    struct dynaml_parse p = {.arena = s->a, .text = &t, .home = home, .max_depth = (size_t)l->expression};
    enum dynaml_parsed parsed = text.len > DYNAML_EXPRESSION_BYTES ? DYNAML_TOO_DEEP : dynaml_parse(&p, &e);
    if (parsed == DYNAML_TOO_DEEP) {
        bool is_first = s->run->limit.len == 0;
        stage_exceed(s, s->ev, SV("expression"), l->expression);
        s->exceeded_at = is_first ? home : s->exceeded_at;
    }
    return parsed == DYNAML_PARSED ? e : NULL;
}

void stage_exceed(struct stage *s, struct evaluator *ev, sv name, uint64_t limit) {
    if (s->run->limit.len == 0) {
        s->run->limit = name;
        s->run->limit_value = limit;
        struct cell *c = ev == NULL ? NULL : eval_get_cell(ev);
        s->exceeded_at = c == NULL ? NULL : c->owner;
    }
    if (ev != NULL)
        eval_stop(ev, SPAN_NONE, "a limit is exceeded");
}

const struct expr *stage_make_directive(struct stage *s, enum dynaml_directive op, struct place *p) {
    struct expr *e = expr_new(s->a, EXPR_DIRECTIVE, SPAN_NONE);
    e->op = (uint16_t)op;
    e->call.data = p;
    return e;
}

/* --- final values --- */

static bool is_container(value v) {
    return v.kind == VALUE_MAP || v.kind == VALUE_LIST;
}

bool stage_get_value(struct stage *s, struct place *p, value *v) {
    if (p->kind != PLACE_PLAIN)
        return false;
    if (p->cell.state != CELL_DONE) {
        value result = p->source;
        value other = is_container(result) ? (value){0} : place_find_override(s, p);
        if (value_is_set(other))
            result = other;
        else if (!p->is_final && is_container(result))
            result = overlay_value(s, result, place_get_found(s, p), false);
        if (!p->is_merge_entry)
            result = stage_make_final(s, result);
        cell_set(&p->cell, result);
    }
    *v = p->cell.result;
    return true;
}

/* DY-103: the text becomes the expression of this place. */
static value renew(struct stage *s, struct evaluator *ev, struct place *p, sv text, sv inner) {
    const struct expr *e = stage_parse(s, p->home, inner);
    if (e == NULL) {
        p->unparseable = text;
        return eval_fail(ev, DIAG_invalid_substitution, SPAN_NONE, "unparseable expression");
    }
    p->current = e;
    if (++p->renewed > s->run->o.limits.calls) {
        stage_exceed(s, ev, SV("calls"), s->run->o.limits.calls);
        return value_error(NULL);
    }
    return eval_again(ev, e, p->scope);
}

/* Whether its value is the result of map[ (DY-312). */
static bool is_mapping(const struct place *p) {
    const struct expr *e = p->current != NULL ? p->current : p->expr;
    if (e != NULL && e->kind == EXPR_DIRECTIVE && e->op == DYNAML_PREFER)
        e = e->call.args[0];
    return e != NULL && e->kind == EXPR_CALL && e->call.fn == &dynaml_mapping;
}

/* DY-104: a computed container as if it were written here; the part of it that comes from a stub is final. */
static value put_in_place(struct stage *s, struct evaluator *ev, struct place *p, value v) {
    sv inner;
    if ((v.word & WORD_STUB) != 0)
        return v;
    if (v.kind == VALUE_STRING && (v.word & WORD_LIVE) != 0 && dynaml_is_expression(value_get_text(v), &inner))
        return renew(s, ev, p, value_get_text(v), inner);
    if (!is_container(v))
        return v;
    if ((v.word & WORD_LIVE) == 0) {
        value overlaid = overlay_value(s, v, place_get_found(s, p), false);
        overlaid.word = v.word;
        return overlaid;
    }
    struct place *q = place_new(s, p->parent, v);
    q->key = p->key;
    q->index = p->index;
    q->is_item = p->is_item;
    q->is_merge_entry = p->is_merge_entry;
    q->key_name = p->key_name;
    q->scope = p->scope;
    q->home = p->home == p ? q : p->home;
    q->use = p->use;
    q->copy_depth = p->copy_depth;
    q->has_redirect = p->has_redirect;
    q->redirect = p->redirect;
    q->origin = is_mapping(p) ? s->mapped : s->computed;
    place_begin(s, q);
    p->in_place = q;
    p->is_in_place_done = true;
    value now;
    return stage_get_value(s, q, &now) ? now : eval_again(ev, q->cell.expr, q->cell.scope);
}

static bool is_optional_merge(const struct place *p) {
    const struct expr *e = p->expr;
    if (!p->is_merge_entry || e == NULL || e->kind != EXPR_DIRECTIVE || e->op != DYNAML_MERGE)
        return false;
    const struct dynaml_merge *m = e->call.data;
    return !m->has_path && !m->is_required && !m->is_replacing && !place_is_redirected(p);
}

static bool is_preferred(const struct place *p) {
    return p->expr != NULL && p->expr->kind == EXPR_DIRECTIVE && p->expr->op == DYNAML_PREFER;
}

/* A stub's value in place of what the expression gave. */
static value take_override(struct stage *s, struct place *p, value other, value before) {
    if (s->run->notes != NULL)
        notes_set_override(s->run->notes, p, before);
    return stage_make_final(s, other);
}

/* DY-082 (c) */
static value finish_failed(struct stage *s, struct place *p, value error) {
    value other = place_find_override(s, p);
    if (value_is_set(other))
        return take_override(s, p, other, error);
    if (!is_optional_merge(p))
        return error;
    value nothing = value_null();
    nothing.word = error.word & WORD_MARKS;
    return nothing;
}

static value finish_value(struct stage *s, struct evaluator *ev, struct place *p, value v) {
    const struct marks *m = marks_get(s->run, v);
    if (m != NULL && m->has_redirect && !p->is_merge_entry)
        place_redirect(s, p, m->redirect);
    bool is_marked = m != NULL && (m->is_merged || m->has_redirect);
    if (!is_marked && !p->is_key_field && !(is_preferred(p) && is_container(v))) {
        value other = place_find_override(s, p);
        if (value_is_set(other))
            return take_override(s, p, other, v);
    }
    if (s->run->notes != NULL && (v.word & WORD_STUB) != 0 && m != NULL)
        notes_set_merged(s->run->notes, p, m->redirect);
    value placed = put_in_place(s, ev, p, v);
    if (placed.kind == 0 || placed.kind == VALUE_ERROR)
        return placed;
    if (p->is_in_place_done) {
        p->is_in_place_done = false;
        placed.word |= v.word & WORD_MARKS;
    }
    return p->is_merge_entry ? placed : stage_make_final(s, placed);
}

static value finish(void *user, struct evaluator *ev, struct cell *c, value raw) {
    struct stage *s = user;
    struct place *p = c->owner;
    if (value_get_weight(raw) > s->run->limits.value_weight)
        stage_exceed(s, ev, SV("memory"), s->run->o.limits.memory);
    if (value_get_depth(raw) > s->run->limits.value_depth)
        stage_exceed(s, ev, SV("depth"), s->run->o.limits.depth);
    if (c == &p->shape || (p->kind != PLACE_EXPRESSION && p->kind != PLACE_UNPARSEABLE))
        return raw;
    if (p->is_in_place_done) { /* what was computed has been evaluated in place */
        p->is_in_place_done = false;
        return raw.kind == VALUE_PENDING || raw.kind == VALUE_ERROR ? value_pending(NULL)
               : p->is_merge_entry                                  ? raw
                                                                    : stage_make_final(s, raw);
    }
    if (raw.kind == VALUE_PENDING)
        return raw;
    return raw.kind == VALUE_ERROR ? finish_failed(s, p, raw) : finish_value(s, ev, p, raw);
}

/* --- templates (DY-180, DY-183) --- */

/* Only literal scalars take what a stub has. */
static value overlay_scalars(struct stage *s, value v, const value *found) {
    if (found == NULL)
        return v;
    if (v.kind == VALUE_MAP) {
        struct map_builder b = {.arena = s->a};
        for (size_t i = 0; i < v.map->len; i++) {
            const struct value_entry *e = &v.map->entries[i];
            map_add(&b, e->key, overlay_scalars(s, e->item, overlay_step(s, found, e->key)));
        }
        value map = map_done(&b);
        map.word = v.word;
        return map;
    }
    if (v.kind == VALUE_LIST || (v.word & WORD_LIVE) != 0)
        return v;
    for (size_t i = 0; i < s->stub_count; i++) {
        if (value_is_set(found[i]) && !is_container(found[i]))
            return found[i];
    }
    return v;
}

value stage_make_template(struct stage *s, struct place *p) {
    struct dynaml_template *t = ARENA_NEW(s->a, struct dynaml_template);
    value other = place_find_override(s, p);
    if (dynaml_get_template(other) != NULL) {
        p->template = dynaml_get_template(other);
        return other;
    }
    t->place = p;
    t->source = value_is_set(other) ? overlay_scalars(s, p->source, place_get_found(s, p)) : p->source;
    p->template = t;
    return value_is_set(other) ? stage_make_final(s, other) : value_function(&t->closure);
}

/* --- running --- */

static const struct eval_policy policy = {
    .failed_before_pending = true,
    .strict_all_operands = true,
    .cycle_is_pending = true,
    .failed_cell_is_pending = true,
    .failed_is_silent = true,
    .dynamic_scope = true,
    .limits_end_all = true,
    .partial_application = true,
    .join_words = join_words,
    .narrow_word = narrow_word,
    .truth = dynaml_get_truth,
};

/* DY-140 */
static value refuse_call(void *user, struct evaluator *ev, const struct expr *call) {
    const struct stage *s = user;
    struct buf text = BUF(s->a);
    dynaml_print(&text, call->call.callee);
    return eval_fail(ev, DIAG_invalid_substitution, call->at,
                     "function call '%.*s' requires function name or lambda value", SV_ARG(buf_get_sv(&text)));
}

static const struct eval_ops ops = {
    .refuse_call = refuse_call,
    .resolve = resolve_reference,
    .walk = resolve_walk,
    .directive = directive_evaluate,
    .finish = finish,
};

static void note_limit(struct stage *s) {
    struct dynaml_limits *l = &s->run->o.limits;
    switch (eval_get_exceeded(s->ev)) {
    case EVAL_LIMIT_STEPS:
        stage_exceed(s, NULL, SV("steps"), l->steps);
        break;
    case EVAL_LIMIT_CALLS:
        stage_exceed(s, NULL, SV("calls"), l->calls);
        break;
    case EVAL_LIMIT_DEPTH:
    case EVAL_LIMIT_MEMORY:
        stage_exceed(s, NULL, SV("memory"), l->memory);
        break;
    case EVAL_LIMIT_TEXT:
        stage_exceed(s, NULL, SV("file"), l->file);
        break;
    case EVAL_LIMIT_ITEMS:
        stage_exceed(s, NULL, SV("items"), l->items);
        break;
    case EVAL_LIMIT_NESTING:
        stage_exceed(s, NULL, SV("depth"), l->depth);
        break;
    case EVAL_LIMIT_OTHER:
        break;
    }
    const struct cell *at = eval_get_exceeding_cell(s->ev);
    if (s->run->limit.len > 0 && s->exceeded_at == NULL && at != NULL)
        s->exceeded_at = at->owner;
}

void stage_open(struct stage *s) {
    s->a = s->run->a;
    s->ev = eval_new(&(struct eval_options){
        .arena = s->a,
        .diags = &s->diags,
        .limits = &s->run->limits,
        .ops = &ops,
        .user = s,
        .policy = &policy,
        .observer = debug_observe(s),
        .host = s->run->o.host,
        .apply_depth = (size_t)s->run->o.limits.calls,
        .memory = (size_t)s->run->o.limits.memory,
    });
    diags_init(&s->diags, s->a, s->run->o.sources);
    struct origin *written = ARENA_NEW(s->a, struct origin), *computed = ARENA_NEW(s->a, struct origin);
    struct origin *mapped = ARENA_NEW(s->a, struct origin);
    *written = (struct origin){.document = s->document, .file = s->document->name};
    *computed = (struct origin){.file = arena_printf(s->a, "dynaml@%.*s", SV_ARG(s->document->name))};
    s->origin = written;
    *mapped = (struct origin){.file = SV("dynaml")};
    s->computed = computed;
    s->mapped = mapped;
    s->root = place_new(s, NULL, s->document->written);
    place_begin(s, s->root);
}

bool stage_run(struct stage *s, struct place *p, value *result) {
    if (!stage_get_value(s, p, result))
        *result = eval_cell(s->ev, &p->cell);
    note_limit(s);
    return p->cell.state == CELL_DONE && s->run->limit.len == 0;
}
