/* merge, auto, templates, lambda, prefer: constructs that are no functions of values (§9 to §11). */
#include "dialects/dynaml/directives.h"

#include "dialects/dynaml/internal.h"
#include "dialects/dynaml/notes.h"
#include "dialects/dynaml/resolve.h"

static enum resolve_result give(struct resolved *out, value v) {
    out->item = v;
    return RESOLVE_VALUE;
}

static enum resolve_result fail(struct resolved *out, value error) {
    out->item = error;
    return RESOLVE_ERROR;
}

static struct place *get_current(struct evaluator *ev) {
    struct cell *c = eval_get_cell(ev);
    return c == NULL ? NULL : c->owner;
}

/* --- merge --- */

static const struct stub_path *make_path(struct stage *s, const struct dynaml_merge *m) {
    const struct stub_path *path = NULL;
    for (size_t i = 0; i < m->path_len; i++) {
        struct stub_path *next = ARENA_NEW(s->a, struct stub_path);
        next->outer = path;
        next->step = m->path[i].kind == STEP_INDEX ? arena_printf(s->a, "[%zu]", m->path[i].index) : m->path[i].name;
        path = next;
    }
    return path;
}

static value find_first(const struct stage *s, const value *found) {
    for (size_t i = 0; found != NULL && i < s->stub_count; i++) {
        if (value_is_set(found[i]))
            return found[i];
    }
    return (value){0};
}

/* DY-200 to DY-205 */
static enum resolve_result merge(struct stage *s, struct evaluator *ev, const struct expr *e, struct resolved *out) {
    const struct dynaml_merge *m = e->call.data;
    struct place *home = m->home;
    const struct stub_path *path = m->has_path ? make_path(s, m) : place_get_stub_path(s, home);
    const value *found = NULL;
    if (s->run->notes != NULL)
        notes_add_lookup(s->run->notes, ev, &(struct note_lookup){path, m->is_absolute});
    if (m->has_path && !m->is_absolute)
        found = overlay_find_path(s, path);
    else if (!m->has_path)
        found = place_get_found(s, home);
    value v = find_first(s, found);
    struct marks marks = {
        .is_merged = value_is_set(v),
        .has_redirect = m->has_path || place_is_redirected(home),
        .redirect = path,
        .key = m->key,
        .is_replacing = m->is_replacing && value_is_set(v),
    };
    if (value_is_set(v)) {
        v.word = WORD_STUB;
        return give(out, marks_put(s->run, v, &marks));
    }
    struct buf text = BUF(s->a);
    stub_path_print(&text, path);
    v = eval_fail(ev, DIAG_invalid_substitution, e->at, "'%.*s%.*s' not found in any stub", m->is_absolute ? 1 : 0, ".",
                  SV_ARG(buf_get_sv(&text)));
    return fail(out, marks_put(s->run, v, &marks));
}

/* --- auto (DY-167) --- */

static bool is_key(const struct place *p, const char *key) {
    return p != NULL && !p->is_item && sv_eq_cstr(p->key, key);
}

static sv get_pool(const struct place *p) {
    if (!p->is_item)
        return p->key;
    size_t colon = sv_find_char(p->item_key, ':');
    return colon == SIZE_MAX ? (sv){0} : sv_slice(p->item_key, colon + 1, p->item_key.len);
}

static bool is_pool_size(const struct place *home, sv *pool) {
    const struct place *item = home->parent, *pools = item == NULL ? NULL : item->parent;
    if (!is_key(home, "size") || !is_key(pools, "resource_pools") || pools->parent == NULL ||
        pools->parent->parent != NULL)
        return false;
    *pool = get_pool(item);
    return pool->data != NULL;
}

static value sum_instances(struct evaluator *ev, const struct expr *e, value jobs, sv pool) {
    uint64_t sum = 0;
    for (size_t i = 0; i < jobs.list->len; i++) {
        value job = jobs.list->items[i];
        value of = job.kind == VALUE_MAP ? value_map_find(job, SV("resource_pool")) : (value){0};
        if (of.kind != VALUE_STRING || !sv_eq(value_get_text(of), pool))
            continue;
        value count = value_map_find(job, SV("instances")), name = value_map_find(job, SV("name"));
        if (count.kind != VALUE_INT)
            return eval_fail(ev, DIAG_invalid_substitution, e->at, "job '%.*s' has no integer instances",
                             SV_ARG(name.kind == VALUE_STRING ? value_get_text(name) : SV("")));
        sum += (uint64_t)count.integer;
    }
    return value_int((int64_t)sum);
}

static const struct expr *make_jobs_reference(struct stage *s, span at) {
    struct expr *ref = expr_new(s->a, EXPR_REF, at);
    struct step *step = ARENA_NEW(s->a, struct step);
    *step = (struct step){.kind = STEP_NAME, .at = at, .name = SV("jobs")};
    ref->op = DYNAML_ABSOLUTE;
    ref->ref.name = step->name;
    ref->ref.steps = step;
    ref->count = 1;
    return ref;
}

static enum resolve_result sum_pool(struct stage *s, struct evaluator *ev, const struct expr *e, struct scope *scope,
                                    struct resolved *out) {
    sv pool;
    if (!is_pool_size(e->call.data, &pool))
        return fail(
            out, eval_fail(ev, DIAG_invalid_substitution, e->at, "auto only allowed for size entry in resource pools"));
    if (out->state == NULL) {
        out->state = s;
        out->expr = make_jobs_reference(s, e->at);
        out->scope = scope;
        return RESOLVE_AGAIN;
    }
    value jobs = out->item;
    if (jobs.kind == VALUE_PENDING)
        return give(out, jobs);
    if (jobs.kind == VALUE_ERROR)
        return fail(out, eval_fail(ev, DIAG_invalid_substitution, e->at, "no jobs found"));
    if (jobs.kind != VALUE_LIST)
        return fail(out, eval_fail(ev, DIAG_invalid_substitution, e->at, "jobs must be a list"));
    value v = sum_instances(ev, e, jobs, pool);
    return v.kind == VALUE_ERROR ? fail(out, v) : give(out, v);
}

/* --- templates (DY-184) --- */

static value drop_marker(struct stage *s, value source) {
    value v = value_map_with(s->a, source, SV("<<"), value_absent());
    v.word = source.word;
    return v;
}

enum resolve_result directive_copy(struct stage *s, struct evaluator *ev, const struct copy_request *r,
                                   struct resolved *out) {
    struct place *use = get_current(ev);
    unsigned depth = use == NULL ? 1 : use->copy_depth + 1;
    if (depth > s->run->o.limits.calls) {
        stage_exceed(s, ev, SV("calls"), s->run->o.limits.calls);
        return fail(out, value_error(NULL));
    }
    struct place *root = place_new(s, NULL, r->source);
    root->use = use;
    root->copy_depth = depth;
    root->home = r->home == NULL ? root : r->home;
    root->scope = r->scope;
    root->origin = r->origin;
    place_begin(s, root);
    struct copy *c = ARENA_NEW(s->a, struct copy);
    *c = (struct copy){.root = root, .issue = r->issue};
    out->state = c;
    if (s->run->notes != NULL && use != NULL)
        notes_add_copy(s->run->notes, use, root);
    value v;
    if (stage_get_value(s, root, &v))
        return give(out, v);
    out->cell = &root->cell;
    return RESOLVE_AGAIN;
}

enum resolve_result directive_end_copy(struct stage *s, struct evaluator *ev, struct resolved *out) {
    struct copy *c = out->state;
    struct place *use = get_current(ev);
    if (c->root->cell.state == CELL_DONE)
        return give(out, c->root->cell.result);
    if (use != NULL)
        VEC_PUSH(s->a, &use->nested, ((struct nested){.content = c->root, .issue = c->issue}));
    return give(out, value_pending(NULL));
}

/* A stub may have replaced the node: uses still get the template (DY-183). */
static const struct dynaml_template *find_template(struct stage *s, const struct expr *e, value v,
                                                   const struct scope *scope) {
    const struct dynaml_template *t = dynaml_get_template(v);
    if (t != NULL || e->kind != EXPR_REF)
        return t;
    struct place *p = resolve_find_place(s, e, scope);
    return p == NULL ? NULL : p->template;
}

static enum resolve_result copy(struct stage *s, struct evaluator *ev, const struct expr *e, struct scope *scope,
                                struct resolved *out) {
    struct copy *c = out->state;
    if (c != NULL && c->root != NULL)
        return directive_end_copy(s, ev, out);
    if (c == NULL) {
        out->state = ARENA_NEW(s->a, struct copy);
        out->expr = e->call.args[0];
        out->scope = scope;
        return RESOLVE_AGAIN;
    }
    value v = out->item;
    if (v.kind == VALUE_PENDING || v.kind == VALUE_ERROR)
        return v.kind == VALUE_ERROR ? fail(out, v) : give(out, v);
    const struct dynaml_template *t = find_template(s, e->call.args[0], v, scope);
    if (t == NULL)
        return fail(out, eval_fail(ev, DIAG_invalid_substitution, e->at, "template value required"));
    struct copy_request r = {
        .source = drop_marker(s, t->source),
        .home = t->place,
        .scope = scope,
        .origin = t->place->origin,
        .issue = SV("template resolution failed"),
    };
    return directive_copy(s, ev, &r, out);
}

/* --- lambda E (DY-173) --- */

static enum resolve_result make_lambda(struct stage *s, struct evaluator *ev, const struct expr *e, struct scope *scope,
                                       struct resolved *out) {
    if (out->state == NULL) {
        out->state = s;
        out->expr = e->call.args[0];
        out->scope = scope;
        return RESOLVE_AGAIN;
    }
    value v = out->item;
    if (v.kind == VALUE_PENDING || dynaml_is_lambda(v))
        return give(out, v);
    if (v.kind == VALUE_ERROR)
        return fail(out, v);
    if (v.kind != VALUE_STRING)
        return fail(out, eval_fail(ev, DIAG_invalid_substitution, e->at,
                                   "lambda reference must resolve to lambda value or string"));
    sv text = value_get_text(v);
    const struct expr *parsed = stage_parse(s, get_current(ev), text);
    if (parsed == NULL)
        return fail(
            out, eval_fail(ev, DIAG_invalid_substitution, e->at, "cannot parse lamba expression '%.*s'", SV_ARG(text)));
    if (parsed->kind != EXPR_LAMBDA)
        return fail(out,
                    eval_fail(ev, DIAG_invalid_substitution, e->at, "'%.*s' is no lambda expression", SV_ARG(text)));
    out->expr = parsed;
    out->scope = scope;
    return RESOLVE_EXPR;
}

enum resolve_result directive_evaluate(void *user, struct evaluator *ev, const struct expr *e,
                                       const struct scope *scope, struct resolved *out) {
    struct stage *s = user;
    struct scope *own = (struct scope *)(uintptr_t)scope; /* the evaluator's, given back to it */
    switch ((enum dynaml_directive)e->op) {
    case DYNAML_MERGE:
        return merge(s, ev, e, out);
    case DYNAML_AUTO:
        return sum_pool(s, ev, e, own, out);
    case DYNAML_MARKER:
        return fail(out, eval_fail(ev, DIAG_invalid_substitution, e->at, "&template only usable to declare templates"));
    case DYNAML_PREFER:
        out->expr = e->call.args[0];
        out->scope = own;
        return RESOLVE_EXPR;
    case DYNAML_COPY:
        return copy(s, ev, e, own, out);
    case DYNAML_LAMBDA:
        return make_lambda(s, ev, e, own, out);
    case DYNAML_NODE:
        return node_evaluate(s, (struct place *)(uintptr_t)e->call.data, out);
    case DYNAML_CONTENT:
        return out->state != NULL ? directive_end_copy(s, ev, out) : directive_copy(s, ev, e->call.data, out);
    case DYNAML_SHAPE:
        return shape_evaluate(s, (struct place *)(uintptr_t)e->call.data, out);
    }
    return fail(out, value_error(NULL));
}
