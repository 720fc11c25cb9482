/* References (§6): scopes, steps through places, and what is left of steps in values. */
#include "dialects/dynaml/resolve.h"

#include "dialects/dynaml/internal.h"
#include "dialects/dynaml/notes.h"

static enum resolve_result give(struct resolved *out, value v) {
    out->item = v;
    return RESOLVE_VALUE;
}

static sv print_steps(struct arena *a, const struct expr *ref) {
    struct buf out = BUF(a);
    if (ref->kind == EXPR_REF && ref->op == DYNAML_ABSOLUTE)
        buf_append_char(&out, '.');
    for (uint32_t i = 0; i < ref->count; i++) {
        if (i > 0)
            buf_append_char(&out, '.');
        if (ref->ref.steps[i].kind == STEP_INDEX)
            buf_printf(&out, "[%zu]", ref->ref.steps[i].index);
        else
            buf_append(&out, ref->ref.steps[i].name);
    }
    return buf_get_sv(&out);
}

static enum resolve_result fail_not_found(struct evaluator *ev, const struct expr *ref, struct resolved *out) {
    sv path = print_steps(eval_get_arena(ev), ref);
    out->item = eval_fail(ev, DIAG_invalid_substitution, ref->at, "'%.*s' not found", SV_ARG(path));
    return RESOLVE_ERROR;
}

value resolve_walk(void *user, struct evaluator *ev, value base, const struct step *step, const struct expr *ref) {
    struct stage *s = user;
    value v = {0};
    struct resolved failed = {0};
    if (base.kind == VALUE_LIST && step->kind == STEP_NAME)
        v = overlay_find(s->run, base, step->name);
    if (value_is_set(v))
        return v;
    fail_not_found(ev, ref, &failed);
    return failed.item;
}

/* --- where a name is --- */

/* One asking for a reference. */
struct walk {
    struct stage *s;
    struct evaluator *ev;
    const struct expr *ref;
    struct resolved *out;
};

static bool is_under_way(const struct place *p) {
    return p->shape.state == CELL_UNDER_WAY;
}

static void note_need(const struct walk *w, struct place *p, size_t used) {
    if (w->s->run->notes != NULL)
        notes_add_need(w->s->run->notes, w->ev, p, w->ref, used);
}

static bool has_splice(value list) {
    for (size_t i = 0; i < list.list->len; i++) {
        value item = list.list->items[i];
        if (item.kind == VALUE_MAP && item.map->len == 1 && value_map_has(item, SV("<<")))
            return true;
    }
    return false;
}

/* A step into something with expressions that is not evaluated yet: kind 0 when they have to be known for that, ABSENT
 * when they do not matter. */
static value step_as_written(struct stage *s, value v, const struct step *step) {
    value found = {0};
    if (v.kind == VALUE_MAP && !value_map_has(v, SV("<<"))) {
        found = step->kind == STEP_NAME ? value_map_find(v, step->name) : found;
        return value_is_set(found) ? found : value_absent();
    }
    if (v.kind != VALUE_LIST || has_splice(v))
        return found;
    if (step->kind == STEP_NAME)
        return overlay_find(s->run, v, step->name);
    return step->index < v.list->len ? v.list->items[step->index] : value_absent();
}

/* What is known while `<<` and the key field are being evaluated, for them only: own entries as they are written
 * (DY-100). */
static enum resolve_result find_as_written(struct walk *w, struct place *p) {
    const struct expr *ref = w->ref;
    struct resolved *out = w->out;
    value v = value_map_find(p->source, ref->ref.name);
    size_t used = 1;
    for (; used < ref->count && (v.word & WORD_LIVE) != 0 && value_is_set(v); used++)
        v = step_as_written(w->s, v, &ref->ref.steps[used]);
    if (v.kind == VALUE_ABSENT)
        return fail_not_found(w->ev, ref, out);
    if ((v.word & WORD_LIVE) != 0 || !value_is_set(v)) {
        note_need(w, p, w->ref->count);
        out->cell = &p->shape; /* under way: pending */
        out->steps_used = ref->count;
        return RESOLVE_CELL;
    }
    out->steps_used = used;
    return give(out, v);
}

enum has { HAS_NOT = 1, HAS_IT, HAS_TO_WAIT, HAS_NEVER };

static enum has ask_scope(struct place *p, sv name) {
    if (p->is_shaped)
        return value_map_has(p->content, name) ? HAS_IT : HAS_NOT;
    if (is_under_way(p))
        return value_map_has(p->source, name) && !sv_eq(name, SV("<<")) ? HAS_IT : HAS_NOT;
    return p->shape.state == CELL_UNTOUCHED || p->shape.state == CELL_PROVISIONAL ? HAS_TO_WAIT : HAS_NEVER;
}

/* --- walking places --- */

/* What is under way, or waits for something that is, gives pending however often it is asked (DY-093). */
static enum resolve_result wait_for(struct resolved *out, struct cell *c, const struct expr *ref) {
    bool is_new = c->state == CELL_UNTOUCHED;
    out->cell = c;
    out->steps_used = is_new ? 0 : ref->count;
    return is_new ? RESOLVE_AGAIN : RESOLVE_CELL;
}

static enum resolve_result end_at(struct walk *w, struct place *p, size_t used) {
    struct resolved *out = w->out;
    value v;
    out->steps_used = used;
    note_need(w, p, used);
    if (stage_get_value(w->s, p, &v))
        return give(out, v);
    out->cell = &p->cell;
    return RESOLVE_CELL;
}

/* For an item that has no name yet: noted when the reference cannot go on without it. */
static void note_waiting(struct walk *w, struct place *item) {
    const struct cell *c = item->kind == PLACE_MAP ? &item->shape : &item->cell;
    if (c->state != CELL_UNTOUCHED)
        note_need(w, item, w->ref->count);
}

/* For the key field of an item, or for all of an item (DY-114). */
static enum resolve_result wait_for_key(struct resolved *out, struct place *item, const struct expr *ref) {
    struct cell *c = item->kind == PLACE_MAP ? &item->shape : &item->cell;
    if (c->state == CELL_UNTOUCHED || c->state == CELL_PROVISIONAL || c->state == CELL_UNDER_WAY)
        return wait_for(out, c, ref);
    out->steps_used = ref->count;
    return give(out, value_pending(NULL));
}

/* The next place; NULL with `*result` set when the walk ends here. */
static struct place *take_step(struct walk *w, struct place *p, size_t used, enum resolve_result *result) {
    const struct step *step = &w->ref->ref.steps[used];
    struct place *next = NULL, *waits = NULL;
    if (step->kind == STEP_NAME)
        next =
            p->kind == PLACE_MAP ? place_find_child(w->s, p, step->name) : place_find_item(w->s, p, step->name, &waits);
    else if (p->kind == PLACE_LIST && step->index < p->content.list->len)
        next = place_get_child(w->s, p, step->index);
    if (waits != NULL) {
        note_waiting(w, waits);
        *result = wait_for_key(w->out, waits, w->ref);
        return NULL;
    }
    if (next == NULL)
        *result = fail_not_found(w->ev, w->ref, w->out);
    return next;
}

static bool is_container(const struct place *p) {
    return p->kind == PLACE_MAP || p->kind == PLACE_LIST;
}

static enum resolve_result walk_place(struct walk *w, struct place *p) {
    enum resolve_result result = RESOLVE_ERROR;
    const struct expr *ref = w->ref;
    struct resolved *out = w->out;
    for (size_t used = out->steps_used; used < ref->count; used++) {
        if (!is_container(p))
            return end_at(w, p, used);
        if (!p->is_shaped && (p->shape.state == CELL_PENDING || p->shape.state == CELL_FAILED)) {
            note_need(w, p, w->ref->count);
            out->steps_used = ref->count;
            return give(out, value_pending(NULL));
        }
        if (!p->is_shaped)
            return wait_for(out, &p->shape, ref);
        p = take_step(w, p, used, &result);
        if (p == NULL)
            return result;
    }
    return end_at(w, p, ref->count);
}

/* --- the hook --- */

static bool find_parameter(const struct scope *s, const struct expr *ref, value *v) {
    for (size_t i = 0; i < s->count; i++) {
        if (sv_eq(s->names[i], ref->ref.name)) {
            *v = s->items[i];
            return true;
        }
    }
    if (s->self != NULL && sv_eq(ref->ref.name, SV("_"))) {
        *v = value_function(s->self);
        return true;
    }
    return false;
}

/* Scopes of parameters repeat the owner of what is around them. */
static struct place *get_map(const struct scope *s) {
    return s->count == 0 && s->self == NULL && !s->is_captured ? s->owner : NULL;
}

static enum resolve_result resolve_relative(struct walk *w, const struct scope *scope) {
    const struct expr *ref = w->ref;
    struct resolved *out = w->out;
    value v;
    for (const struct scope *at = scope; at != NULL; at = at->outer) {
        struct place *p = get_map(at);
        if (p == NULL) {
            if (find_parameter(at, ref, &v)) {
                out->steps_used = 1;
                return give(out, v);
            }
            continue;
        }
        switch (ask_scope(p, ref->ref.name)) {
        case HAS_IT:
            return p->is_shaped ? walk_place(w, p) : find_as_written(w, p);
        case HAS_TO_WAIT:
            return wait_for(out, &p->shape, ref);
        case HAS_NEVER:
            note_need(w, p, w->ref->count);
            out->steps_used = ref->count;
            return give(out, value_pending(NULL));
        case HAS_NOT:
            break;
        }
    }
    return fail_not_found(w->ev, ref, out);
}

/* DY-112 */
static struct place *find_root(const struct stage *s, const struct scope *scope) {
    struct place *outermost = NULL;
    if (s->root->source.kind == VALUE_MAP)
        return s->root;
    for (; scope != NULL; scope = scope->outer) {
        struct place *p = get_map(scope);
        outermost = p != NULL ? p : outermost;
    }
    return outermost;
}

enum resolve_result resolve_reference(void *user, struct evaluator *ev, const struct expr *ref,
                                      const struct scope *scope, struct resolved *out) {
    struct stage *s = user;
    struct walk w = {s, ev, ref, out};
    if (ref->op == DYNAML_RELATIVE)
        return resolve_relative(&w, scope);
    struct place *root = find_root(s, scope);
    return root == NULL ? fail_not_found(ev, ref, out) : walk_place(&w, root);
}

struct place *resolve_find_place(struct stage *s, const struct expr *ref, const struct scope *scope) {
    struct place *p = NULL;
    for (const struct scope *at = scope; ref->op == DYNAML_RELATIVE && at != NULL && p == NULL; at = at->outer) {
        struct place *map = get_map(at);
        p = map != NULL && map->is_shaped && value_map_has(map->content, ref->ref.name) ? map : NULL;
    }
    p = ref->op == DYNAML_ABSOLUTE ? find_root(s, scope) : p;
    for (size_t i = 0; i < ref->count && p != NULL; i++) {
        const struct step *step = &ref->ref.steps[i];
        struct place *waits = NULL;
        if (!p->is_shaped)
            return NULL;
        if (step->kind == STEP_INDEX)
            p = p->kind == PLACE_LIST && step->index < p->content.list->len ? place_get_child(s, p, step->index) : NULL;
        else
            p = p->kind == PLACE_MAP ? place_find_child(s, p, step->name) : place_find_item(s, p, step->name, &waits);
    }
    return p;
}
