#include "lang/call_key.h"

#include "lang/machine.h"
#include "value/path.h"

/* A call's place below the root expression of its cell. */
struct call_place {
    sv property; /* "tags[0]" */
    size_t number;
};

/* Calls of one function seen so far in one property. */
struct fn_count {
    const struct fn_def *fn;
    size_t count;
};

struct call_walk {
    struct arena *arena;
    struct map *places; /* call → struct call_place */
    VEC(struct path_step) path;
    sv property;               /* text of `path`; made by the first call of the property */
    VEC(struct fn_count) seen; /* in the property at hand */
    struct depth_guard depth;
};

/* Pointers as keys; the text lives in `a` or, for a look-up, with the pointer. */
static sv make_key(struct arena *a, const struct expr *e) {
    return arena_copy_sv(a, sv_make((const char *)&e, sizeof e));
}

static void *find_by_expr(const struct map *m, const struct expr *e) {
    return map_find(m, sv_make((const char *)&e, sizeof e));
}

static size_t count_call(struct call_walk *w, const struct fn_def *fn) {
    for (size_t i = 0; i < w->seen.len; i++) {
        if (w->seen.items[i].fn == fn) {
            return w->seen.items[i].count++;
        }
    }
    VEC_PUSH(w->arena, &w->seen, ((struct fn_count){fn, 1}));
    return 0;
}

static bool visit(void *user, const struct expr *e) {
    struct call_walk *w = user;
    if (e->kind != EXPR_CALL || e->call.fn == NULL) {
        return true;
    }
    if (w->seen.len == 0) {
        w->property = path_to_text(w->arena, (struct path){w->path.items, w->path.len});
    }
    struct call_place *place = ARENA_NEW(w->arena, struct call_place);
    *place = (struct call_place){w->property, count_call(w, e->call.fn)};
    map_put(w->places, make_key(w->arena, e), place);
    return true;
}

static bool has_fixed_keys(const struct expr *e) {
    for (uint32_t i = 0; i < e->count; i++) {
        if (e->op == EXPR_COMPUTED_KEYS || e->call.names[i].data == NULL) {
            return false;
        }
    }
    return true;
}

/* Arrays and objects are properties with properties below; everything else is one property. */
static void walk(struct call_walk *w, const struct expr *e) {
    bool is_map = e->kind == EXPR_OBJECT && has_fixed_keys(e);
    if ((!is_map && e->kind != EXPR_LIST) || !depth_enter(&w->depth)) {
        w->seen.len = 0;
        expr_walk(e, visit, w);
        return;
    }
    for (uint32_t i = 0; i < e->count; i++) {
        struct path_step step = {.index = i, .is_index = !is_map};
        step.key = is_map ? e->call.names[i] : step.key;
        VEC_PUSH(w->arena, &w->path, step);
        walk(w, e->call.args[i]);
        w->path.len--;
    }
    depth_leave(&w->depth);
}

static struct map *get_places(struct evaluator *ev, const struct expr *root) {
    struct map *places = find_by_expr(&ev->call_places, root);
    if (places != NULL) {
        return places;
    }
    places = ARENA_NEW(ev->o.arena, struct map);
    *places = MAP(ev->o.arena);
    struct call_walk w = {.arena = ev->o.arena, .places = places, .depth = {.limit = ev->o.limits->nesting}};
    walk(&w, root);
    ev->call_places.arena = ev->o.arena;
    map_put(&ev->call_places, make_key(ev->o.arena, root), places);
    return places;
}

/* The call at work and the expression that its cell (or the caller of the evaluator) evaluates. */
struct call_site {
    const struct frame *call; /* innermost frame of a call that is written somewhere */
    const struct expr *root;
    const struct cell *cell; /* NULL: an expression without cell */
};

static struct call_site find_site(struct evaluator *ev) {
    struct call_site site = {0};
    struct frame_chunk *chunk = ev->chunk;
    size_t in_chunk = ev->in_chunk;
    const struct frame *f = ev->depth == 0 ? NULL : machine_get_top(ev);
    while (f != NULL && f->kind != FRAME_CELL) {
        if (site.call == NULL && f->kind == FRAME_CALL && f->expr != NULL) {
            site.call = f;
        }
        site.root = f->expr != NULL ? f->expr : site.root;
        f = machine_get_below(&chunk, &in_chunk);
    }
    site.cell = f == NULL ? NULL : f->cell;
    return site;
}

/* What a dialect has evaluated in the middle of an expression has no place in it: it counts. */
static struct call_place get_place(struct evaluator *ev, const struct call_site *site) {
    const struct call_place *found =
        site->call == NULL ? NULL : find_by_expr(get_places(ev, site->root), site->call->expr);
    return found != NULL ? *found : (struct call_place){SV("?"), ev->placeless_calls++};
}

static void print_property(struct buf *out, sv property, sv rest) {
    buf_append(out, property);
    if (property.len > 0 && rest.len > 0 && rest.data[0] != '[') {
        buf_append_char(out, '.');
    }
    buf_append(out, rest);
}

sv call_key_get(const struct fn_call *c) {
    struct evaluator *ev = c->ev;
    struct call_site site = find_site(ev);
    struct call_place place = get_place(ev, &site);
    struct buf out = BUF(ev->o.arena);
    if (site.cell != NULL) {
        buf_append(&out, site.cell->path);
    }
    buf_append_cstr(&out, "::");
    print_property(&out, site.cell != NULL ? site.cell->property : (sv){0}, place.property);
    if (c->expr != NULL || site.call == NULL) {
        buf_printf(&out, "|%zu", place.number);
        return buf_get_sv(&out);
    }
    const struct call_record *r = site.call->call;
    buf_printf(&out, "|%.*s|%zu", SV_ARG(r->call.fn->name), place.number);
    if (r->has_request && r->request.kind == FN_APPLY && r->request.index != SIZE_MAX) {
        buf_printf(&out, "[%zu]", r->request.index);
    }
    return buf_get_sv(&out);
}
