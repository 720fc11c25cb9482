#include "dialects/dynaml/causes.h"

enum { SHOWN_FIRST = 32, SHOWN_LAST = 32 };

enum dynaml_state place_get_state(const struct place *p) {
    if (p->kind == PLACE_UNPARSEABLE || p->unparseable.len > 0)
        return DYNAML_NOT_PARSED;
    return p->cell.state == CELL_FAILED ? DYNAML_FAILED : DYNAML_PENDING;
}

sv place_get_issue(const struct place *p) {
    if (place_get_state(p) == DYNAML_NOT_PARSED)
        return SV("unparseable expression");
    const struct eval_failure *f = p->cell.state == CELL_FAILED ? p->cell.result.cause : NULL;
    if (f != NULL)
        return f->message;
    return p->nested.len > 0 ? p->nested.items[0].issue : (sv){0};
}

/* --- what an unresolved node waits for --- */

static bool is_expression(const struct place *p) {
    return p->kind == PLACE_EXPRESSION || p->kind == PLACE_UNPARSEABLE;
}

static size_t count_children(const struct place *p) {
    if (!p->is_shaped)
        return 0;
    return p->content.kind == VALUE_MAP ? p->content.map->len : p->content.list->len;
}

/* Candidates by number: used content, needed nodes, the computed value, the key field, `<<`, children. */
static bool get_candidate(const struct tracer *t, struct place *p, size_t number, struct place **candidate) {
    const struct note *note = notes_find(t->notes, p);
    size_t needs = note == NULL ? 0 : note->needs.len;
    *candidate = NULL;
    if (number < p->nested.len) {
        *candidate = p->nested.items[number].content;
        return true;
    }
    number -= p->nested.len;
    if (number < needs) {
        *candidate = note->needs.items[number].p;
        return true;
    }
    number -= needs;
    if (number < 2) {
        *candidate = number == 0 ? p->in_place : p->is_shaped ? NULL : p->key_place;
        return true;
    }
    number -= 2;
    if (number < p->merge_count) {
        *candidate = p->merges[number];
        return true;
    }
    number -= p->merge_count;
    if (number >= count_children(p))
        return false;
    *candidate = p->children[number];
    return true;
}

struct place *causes_find_part(const struct tracer *t, struct place *p, size_t *cursor) {
    struct place *candidate;
    if (!place_is_unresolved(p) || place_get_state(p) != DYNAML_PENDING)
        return NULL;
    while (get_candidate(t, p, (*cursor)++, &candidate)) {
        if (candidate != NULL && place_is_unresolved(candidate))
            return candidate;
    }
    return NULL;
}

/* --- searching --- */

struct station {
    struct place *p;
    size_t cursor;
    size_t *number; /* in the way + 1; 0: left without a cause */
};

struct search {
    struct tracer *t;
    VEC(struct station) way;
    struct map known;
    struct place *closes; /* the node on the way that is met again */
};

static sv get_key(struct arena *a, const struct place *p) {
    return arena_copy_sv(a, sv_make((const char *)&p, sizeof p));
}

static void go_to(struct search *f, struct place *p) {
    struct station at = {.p = p, .number = ARENA_NEW(f->t->a, size_t)};
    *at.number = f->way.len + 1;
    map_put(&f->known, get_key(f->t->a, p), at.number);
    VEC_PUSH(f->t->a, &f->way, at);
}

/* The way from `p` to a failure, or to a node that stands on it already. False: there is none. */
static bool search(struct search *f, struct place *p) {
    f->known = MAP(f->t->a);
    go_to(f, p);
    while (f->way.len > 0) {
        struct station *top = VEC_LAST(&f->way);
        if (is_expression(top->p) && place_get_state(top->p) != DYNAML_PENDING)
            return true;
        struct place *next = causes_find_part(f->t, top->p, &top->cursor);
        if (next == NULL) {
            *top->number = 0;
            f->way.len--;
            continue;
        }
        const size_t *number = map_find(&f->known, sv_make((const char *)&next, sizeof next));
        if (number == NULL) {
            go_to(f, next);
        } else if (*number > 0) {
            f->closes = next;
            return true;
        }
    }
    return false;
}

/* --- telling --- */

static void add_link(struct tracer *t, struct stage *s, struct place *p, struct dynaml_explained *result) {
    struct spot spot;
    struct buf path = BUF(t->a);
    spot_at_place(t, s, p, &spot);
    spot_print_path(t, &path, &spot);
    struct dynaml_link link = {.path = buf_get_sv(&path), .at = spot_get_position(&spot)};
    link.expression = is_expression(p) ? value_get_text(p->source) : (sv){0};
    link.issue = place_get_issue(p);
    bool is_content = result->causes.len > 0 && sv_eq(VEC_LAST(&result->causes)->path, link.path);
    if (!is_content || link.expression.len > 0) /* the content of a node has its path */
        VEC_PUSH(t->a, &result->causes, link);
}

/* Marks the nodes on the way: those from the one that is met again on are a cycle. */
static const char on_cycle, on_no_cycle;

static void note_way(struct search *f, const struct place *p, struct map *cyclic) {
    bool is_on = false;
    map_put(cyclic, get_key(f->t->a, p), (void *)(uintptr_t)&on_no_cycle);
    for (size_t i = 0; i < f->way.len; i++) {
        is_on = is_on || f->way.items[i].p == f->closes;
        map_put(cyclic, get_key(f->t->a, f->way.items[i].p), (void *)(uintptr_t)(is_on ? &on_cycle : &on_no_cycle));
    }
}

bool causes_is_known(const struct map *cyclic, const struct place *p) {
    return map_has(cyclic, sv_make((const char *)&p, sizeof p));
}

bool causes_is_cyclic(const struct map *cyclic, const struct place *p) {
    return map_find(cyclic, sv_make((const char *)&p, sizeof p)) == &on_cycle;
}

void causes_collect(struct tracer *t, const struct spot *spot, struct dynaml_explained *result, struct map *cyclic) {
    struct search f = {.t = t};
    if (!place_is_unresolved(spot->p))
        return;
    bool is_found = search(&f, spot->p);
    note_way(&f, spot->p, cyclic);
    if (!is_found)
        return;
    for (size_t i = 0; i < f.way.len; i++) {
        if (i < SHOWN_FIRST || i + SHOWN_LAST >= f.way.len)
            add_link(t, spot->s, f.way.items[i].p, result);
        else
            result->omitted++;
    }
    result->is_cycle = f.closes != NULL;
    if (f.closes != NULL)
        add_link(t, spot->s, f.closes, result);
}
