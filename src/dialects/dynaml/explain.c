#include "dialects/dynaml/explain.h"

#include "base/hint.h"
#include "dialects/dynaml/causes.h"

enum { EXPLAIN_NODES = 10000, EXPLAIN_NEEDS = 50 };

struct explainer {
    struct tracer t;
    struct arena *a;
    sv *names;       /* of all documents */
    struct map seen; /* nodes that have been explained, by place and the path below */
    struct map cyclic;
    size_t nodes;
};

static struct dynaml_explanation *explain(struct explainer *x, const struct spot *spot, size_t depth);

/* --- what it is --- */

static bool is_expression(const struct place *p) {
    return p->kind == PLACE_EXPRESSION || p->kind == PLACE_UNPARSEABLE;
}

static void tell_value(struct explainer *x, struct dynaml_explanation *e, const struct spot *spot) {
    e->v = spot_get_value(spot);
    e->is_resolved = value_is_set(e->v);
    if (e->is_resolved)
        return;
    e->state = place_get_state(spot->p);
    e->issue = place_get_issue(spot->p);
    e->is_cyclic = e->state == DYNAML_PENDING && causes_is_cyclic(&x->cyclic, spot->p);
}

/* What a computed text is as an expression (DY-103), or would be. */
static sv get_computed_text(struct explainer *x, const struct place *p) {
    struct buf out = BUF(x->a);
    if (p->unparseable.len > 0)
        return p->unparseable;
    if (p->current == NULL)
        return (sv){0};
    buf_append_cstr(&out, "(( ");
    dynaml_print(&out, p->current);
    buf_append_cstr(&out, " ))");
    return buf_get_sv(&out);
}

static void tell_expression(struct explainer *x, struct dynaml_explanation *e, const struct spot *spot,
                            const struct note *note) {
    if (!is_expression(spot->p))
        return;
    e->expression = value_get_text(spot->p->source);
    e->expression_at = spot_get_position(spot);
    e->became = get_computed_text(x, spot->p);
    if (note == NULL || !value_is_set(note->before))
        return;
    const struct eval_failure *f = note->before.kind == VALUE_ERROR ? note->before.cause : NULL;
    e->has_before = true;
    e->before = note->before.kind == VALUE_ERROR ? (value){0} : note->before;
    e->before_issue = f == NULL ? (sv){0} : f->message;
    if (spot->p->kind == PLACE_UNPARSEABLE)
        e->before_issue = SV("unparseable expression");
}

static struct dynaml_lookup look_up(struct explainer *x, struct stage *s, const struct note_lookup *asked) {
    const value *found = asked->is_absolute ? NULL : overlay_find_path(s, asked->path);
    struct buf path = BUF(x->a);
    bool *has = ARENA_ARRAY(x->a, bool, s->stub_count + 1);
    for (size_t i = 0; i < s->stub_count; i++)
        has[i] = found != NULL && value_is_set(found[i]);
    buf_append_cstr(&path, asked->is_absolute ? "." : "");
    stub_path_print(&path, asked->path);
    return (struct dynaml_lookup){.path = buf_get_sv(&path), .has = has};
}

/* Its own stub path, and those that `merge` has looked up besides. */
static void tell_stubs(struct explainer *x, struct dynaml_explanation *e, const struct spot *spot,
                       const struct note *note) {
    struct stage *s = spot->s;
    if (s->stub_count == 0)
        return;
    e->stubs = x->names + (s - x->t.stages) + 1;
    e->stub_count = s->stub_count;
    e->lookup = look_up(x, s, &(struct note_lookup){.path = spot_get_stub_path(&x->t, spot)});
    for (size_t i = 0; note != NULL && i < note->lookups.len; i++) {
        struct dynaml_lookup merge = look_up(x, s, &note->lookups.items[i]);
        if (!sv_eq(merge.path, e->lookup.path))
            VEC_PUSH(x->a, &e->merges, merge);
    }
}

/* --- what it needed --- */

static void add_need(struct explainer *x, struct dynaml_explanation *e, const struct spot *need, size_t depth) {
    if (e->needs.len == EXPLAIN_NEEDS || x->nodes >= EXPLAIN_NODES)
        e->omitted++;
    else
        VEC_PUSH(x->a, &e->needs, explain(x, need, depth));
}

static void add_place(struct explainer *x, struct dynaml_explanation *e, struct stage *s, struct place *p,
                      size_t depth) {
    struct spot need;
    spot_at_place(&x->t, s, p, &need);
    add_need(x, e, &need, depth);
}

/* Of what is a part of a node that only refers to another one, that part of the other. */
static void add_target(struct explainer *x, struct dynaml_explanation *e, const struct spot *spot,
                       const struct note_need *target, size_t depth) {
    const struct place *p = spot->p;
    struct steps rest = {0};
    struct spot need;
    spot_at_place(&x->t, spot->s, target->p, &need);
    for (size_t i = 0; i < target->rest_len; i++)
        VEC_PUSH(x->a, &rest.items, target->rest[i]);
    for (size_t i = 0; p->kind == PLACE_EXPRESSION && p->expr->kind == EXPR_REF && i < spot->rest.items.len; i++)
        VEC_PUSH(x->a, &rest.items, spot->rest.items.items[i]);
    spot_go_on(&x->t, &rest, &need);
    add_need(x, e, &need, depth);
}

/* The `<<` that has put it there, or the part of it when that is written there. */
static void add_via(struct explainer *x, struct dynaml_explanation *e, const struct spot *spot, size_t depth) {
    struct spot part;
    spot_at_place(&x->t, spot->s, spot->via, &part);
    spot_go_on(&x->t, &spot->below, &part);
    if (part.p == spot->via)
        spot_at_place(&x->t, spot->s, spot->via, &part);
    add_need(x, e, &part, depth);
}

/* What is unresolved in a map or list. */
static void add_parts(struct explainer *x, struct dynaml_explanation *e, struct stage *s, struct place *p,
                      size_t depth) {
    struct place *part;
    for (size_t cursor = 0; !is_expression(p) && (part = causes_find_part(&x->t, p, &cursor)) != NULL;) {
        if (!part->is_merge_entry)
            add_place(x, e, s, part, depth);
    }
}

static void tell_needs(struct explainer *x, struct dynaml_explanation *e, const struct spot *spot, size_t depth) {
    struct place *p = spot->p;
    const struct note *note = notes_find(x->t.notes, p);
    for (size_t i = 0; note != NULL && i < note->needs.len; i++)
        add_target(x, e, spot, &note->needs.items[i], depth);
    if (spot->via != NULL && spot->via != p && e->how != DYNAML_OVERRIDDEN)
        add_via(x, e, spot, depth);
    if (spot->rest.items.len > 0)
        return;
    for (size_t i = 0; i < p->merge_count; i++)
        add_place(x, e, spot->s, p->merges[i], depth);
    if (!is_expression(p))
        add_parts(x, e, spot->s, p, depth);
    else if (p->in_place != NULL && place_is_unresolved(p))
        add_parts(x, e, spot->s, p->in_place, depth);
    for (size_t i = 0; i < p->nested.len; i++)
        add_parts(x, e, spot->s, p->nested.items[i].content, depth);
}

/* --- one node --- */

static struct dynaml_explanation *new_explanation(struct explainer *x, const struct spot *spot) {
    struct dynaml_explanation *e = ARENA_NEW(x->a, struct dynaml_explanation);
    struct buf path = BUF(x->a);
    spot_print_path(&x->t, &path, spot);
    e->path = buf_get_sv(&path);
    e->document = spot->s->document->name;
    x->nodes++;
    return e;
}

/* What is not looked into is not told, and may be told where it is met again. */
static bool was_seen(struct explainer *x, const struct spot *spot, bool is_told) {
    struct buf key = BUF(x->a);
    bool is_new = false;
    buf_append(&key, sv_make((const char *)&spot->p, sizeof spot->p));
    for (size_t i = 0; i < spot->rest.items.len; i++)
        buf_printf(&key, "%zu:%.*s", spot->rest.items.items[i].len, SV_ARG(spot->rest.items.items[i]));
    if (!is_told)
        return map_has(&x->seen, buf_get_sv(&key));
    map_get_slot(&x->seen, buf_get_sv(&key), &is_new);
    return !is_new;
}

/* What a stub has written itself has no history. */
static bool has_history(struct explainer *x, const struct spot *from) {
    return spot_trace(&x->t, from).how != DYNAML_WRITTEN;
}

static struct dynaml_explanation *explain(struct explainer *x, const struct spot *spot, size_t depth) {
    struct dynaml_explanation *e = new_explanation(x, spot);
    const struct note *note = notes_find(x->t.notes, spot->p);
    struct trace trace = spot_trace(&x->t, spot);
    tell_value(x, e, spot);
    e->how = e->is_resolved ? trace.how : 0;
    e->at = trace.at;
    if (was_seen(x, spot, depth > 0)) {
        e->is_seen = true;
        return e;
    }
    tell_expression(x, e, spot, note);
    tell_stubs(x, e, spot, note);
    if (depth == 0)
        return e;
    if (trace.has_from && x->nodes < EXPLAIN_NODES && has_history(x, &trace.from))
        e->from = explain(x, &trace.from, depth - 1);
    tell_needs(x, e, spot, depth - 1);
    return e;
}

/* --- paths that lead nowhere --- */

static void offer_names(struct hint *h, value v) {
    for (size_t i = 0; v.kind == VALUE_MAP && i < v.map->len; i++)
        hint_offer(h, v.map->entries[i].key);
    for (size_t i = 0; v.kind == VALUE_LIST && i < v.list->len; i++) {
        value item = v.list->items[i];
        value name = item.kind == VALUE_MAP ? value_map_find(item, SV("name")) : (value){0};
        if (name.kind == VALUE_STRING)
            hint_offer(h, value_get_text(name));
    }
}

static value get_content(const struct spot *spot) {
    value v = spot_get_value(spot);
    return value_is_set(v) ? v : spot->p->is_shaped ? spot->p->content : spot->p->source;
}

/* The path with the closest name that is there in place of the first that is not. */
static sv suggest(struct explainer *x, const struct spot *spot, const struct steps *path) {
    struct buf out = BUF(x->a);
    spot_print_path(&x->t, &out, spot);
    struct hint h = HINT(path->items.items[spot->used]);
    offer_names(&h, get_content(spot));
    if (h.best.len == 0)
        return (sv){0};
    buf_append_cstr(&out, out.len > 0 ? "." : "");
    buf_append(&out, h.best);
    for (size_t i = spot->used + 1; i < path->items.len; i++) {
        buf_append_char(&out, '.');
        buf_append(&out, path->items.items[i]);
    }
    return buf_get_sv(&out);
}

/* --- the whole --- */

static sv join(struct arena *a, const struct dynaml_explain_request *r) {
    struct buf out = BUF(a);
    for (size_t i = 0; i < r->path_len; i++) {
        buf_append_cstr(&out, i == 0 ? "" : ".");
        buf_append(&out, r->path[i]);
    }
    return buf_get_sv(&out);
}

static void explain_path(struct explainer *x, struct stage *s, const struct dynaml_explain_request *r,
                         struct dynaml_explained *result) {
    struct steps path = {{(sv *)(uintptr_t)r->path, r->path_len, r->path_len}}; /* only read */
    struct spot spot;
    enum walked walked = spot_walk(&x->t, s, &path, &spot);
    if (walked == WALK_NOT_FOUND) {
        result->hint = suggest(x, &spot, &path);
        return;
    }
    causes_collect(&x->t, &spot, result, &x->cyclic);
    result->node = explain(x, &spot, r->depth);
    if (walked == WALK_UNREACHED)
        result->unreached = join(x->a, r);
}

void dynaml_explain(struct dynaml_run *run, struct dynaml_document *const *documents, size_t count,
                    const struct dynaml_explain_request *request, struct dynaml_explained *result) {
    struct arena *a = request->arena;
    struct notes notes;
    struct stage *stages = ARENA_ARRAY(run->a, struct stage, count);
    struct explainer x = {
        .t = {.a = a, .notes = &notes, .stages = stages, .count = count}, .a = a, .seen = MAP(a), .cyclic = MAP(a)};
    *result = (struct dynaml_explained){0};
    notes_init(&notes, a);
    run->notes = &notes;
    bool is_resolved = run_cascade(run, documents, count, stages, &result->result);
    run->notes = NULL;
    if (result->result.limit.len > 0)
        return;
    x.names = ARENA_ARRAY(a, sv, count);
    for (size_t i = 0; i < count; i++)
        x.names[i] = documents[i]->name;
    size_t at = 0;
    while (!is_resolved && stages[at].root == NULL)
        at++;
    result->failed_stub = at > 0 ? documents[at]->name : (sv){0};
    explain_path(&x, &stages[at], request, result);
}
