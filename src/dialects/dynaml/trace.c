#include "dialects/dynaml/trace.h"

#include "base/num.h"

/* --- as written --- */

static const struct node *follow(const struct node *n) {
    while (n != NULL && n->kind == NODE_ALIAS)
        n = n->props == NULL ? NULL : n->props->target;
    return n;
}

static struct map *index_entries(struct tracer *t, const struct node *n) {
    sv key = sv_make((const char *)&n, sizeof n);
    if (t->indexes.arena == NULL)
        t->indexes = MAP(t->a);
    struct map *index = map_find(&t->indexes, key);
    if (index != NULL)
        return index;
    index = ARENA_NEW(t->a, struct map);
    *index = MAP(t->a);
    map_put(&t->indexes, arena_copy_sv(t->a, key), index);
    for (uint32_t i = 0; i < n->count; i++) {
        const struct node *k = follow(n->pairs[i].key);
        if (k != NULL && k->kind == NODE_SCALAR && k->text.data != NULL)
            map_put(index, k->text, n->pairs[i].value);
    }
    return index;
}

/* The last of equal keys counts; a key tag has been cut off (DY-223). */
static const struct node *find_entry(struct tracer *t, const struct node *map, sv key) {
    const struct node *n = follow(map);
    if (n == NULL || n->kind != NODE_MAPPING)
        return NULL;
    const struct map *index = index_entries(t, n);
    const struct node *found = map_find(index, key);
    return found != NULL ? found : map_find(index, arena_printf(t->a, "key:%.*s", SV_ARG(key)));
}

static const struct node *find_item(const struct node *list, size_t index) {
    const struct node *n = follow(list);
    return n != NULL && n->kind == NODE_SEQUENCE && index < n->count ? n->items[index] : NULL;
}

static void set_node(struct spot *at, const struct node *node) {
    at->node = node;
    at->near = node != NULL ? node : at->near;
}

struct dynaml_position spot_get_position(const struct spot *spot) {
    if (spot->near == NULL || spot->document == NULL)
        return (struct dynaml_position){0};
    struct text_pos pos = source_get_pos(spot->document->source, spot->near->at.offset);
    return (struct dynaml_position){.file = spot->document->name, .line = pos.line, .column = pos.column};
}

/* --- from a place to the next --- */

static bool is_splice(value item) {
    return item.kind == VALUE_MAP && item.map->len == 1 && sv_eq(item.map->entries[0].key, SV("<<"));
}

static bool is_same(value a, value b) {
    return a.kind == b.kind && a.integer == b.integer;
}

/* The number of an item that is in the list as it is. */
static size_t find_same(value list, value item) {
    for (size_t i = 0; list.kind == VALUE_LIST && i < list.list->len; i++) {
        if (is_same(list.list->items[i], item))
            return i;
    }
    return 0;
}

static bool is_replaced(const struct spot *at, const struct place *map) {
    const struct place *m = map->merge_count > 0 ? map->merges[0] : NULL;
    const struct marks *marks = m == NULL || m->cell.state != CELL_DONE ? NULL : marks_get(at->s->run, m->cell.result);
    return marks != NULL && marks->is_replacing && m->cell.result.kind == VALUE_MAP;
}

static void put_in(struct tracer *t, struct spot *at, struct place *via, sv step, enum dynaml_how how) {
    at->via = via;
    at->below = (struct steps){0};
    VEC_PUSH(t->a, &at->below.items, step);
    at->how = how;
    set_node(at, NULL);
}

static void enter_entry(struct tracer *t, struct spot *at, struct place *map, const struct place *child) {
    bool is_own = value_map_has(map->source, child->key) ||
                  value_map_has(map->source, arena_printf(t->a, "key:%.*s", SV_ARG(child->key)));
    if (map->merge_count == 0 || (is_own && !is_replaced(at, map)))
        set_node(at, find_entry(t, at->node, child->key));
    else
        put_in(t, at, map->merges[0], child->key, DYNAML_INSERTED);
}

/* The written item that has given the item of this number. */
static size_t find_written(const struct note *note, size_t index) {
    size_t i = note->start_count;
    while (i > 1 && note->starts[i - 1] > index)
        i--;
    return i - 1;
}

static void enter_item(struct tracer *t, struct spot *at, struct place *list, const struct place *child) {
    const struct note *note = notes_find(t->notes, list);
    size_t index = child->index, merges = 0;
    if (note != NULL && note->start_count > 0) {
        index = find_written(note, child->index);
        for (size_t i = 0; i < index; i++)
            merges += is_splice(list->source.list->items[i]);
    }
    if (list->merge_count == 0 || !is_splice(list->source.list->items[index])) {
        set_node(at, find_item(at->node, index));
        return;
    }
    struct place *via = list->merges[merges];
    size_t number = find_same(via->cell.result, child->source);
    put_in(t, at, via, arena_printf(t->a, "[%zu]", number), DYNAML_SPLICED);
}

static sv get_step(struct tracer *t, const struct place *p) {
    return p->is_item ? arena_printf(t->a, "[%u]", p->index) : p->key;
}

/* `at->p` becomes its child. */
static void enter(struct tracer *t, struct spot *at, struct place *child) {
    struct place *around = at->p;
    at->p = child;
    if (at->via != NULL && (child->is_item || !child->is_merge_entry))
        VEC_PUSH(t->a, &at->below.items, get_step(t, child));
    if (child->is_merge_entry) {
        const struct node *in = around->kind == PLACE_LIST ? find_item(at->node, child->index) : at->node;
        set_node(at, find_entry(t, in, SV("<<")));
        if (at->via != NULL)
            VEC_PUSH(t->a, &at->below.items, SV("<<"));
        return;
    }
    if (around->kind == PLACE_MAP && around->is_shaped)
        enter_entry(t, at, around, child);
    else if (around->kind == PLACE_LIST && around->is_shaped)
        enter_item(t, at, around, child);
    else
        set_node(at, find_entry(t, at->node, child->key));
}

/* The value of an expression, evaluated as if it were written there. */
static void enter_computed(struct spot *at, struct place *q) {
    at->p = q;
    at->node = NULL;
    at->how = DYNAML_COMPUTED;
    at->via = NULL;
}

/* A copy of a template, or a file that is read. */
static void enter_copy(struct tracer *t, struct spot *at, struct place *root) {
    struct spot definition = {0};
    if (root->home != root && root->home != NULL)
        spot_at_place(t, at->s, root->home, &definition);
    else if (root->origin->document != NULL)
        definition.node = definition.near = root->origin->document->root;
    enter_computed(at, root);
    if (definition.node == NULL)
        return;
    set_node(at, definition.node);
    at->document = root->origin->document;
}

static void enter_top(struct tracer *t, struct spot *at, struct place *top) {
    if (top->use != NULL) {
        enter_copy(t, at, top);
        return;
    }
    at->p = top;
    at->document = at->s->document;
    at->how = DYNAML_WRITTEN;
    set_node(at, at->document->root);
}

void spot_at_place(struct tracer *t, struct stage *s, struct place *p, struct spot *spot) {
    VEC(struct place *) chain = {0}; /* below the top */
    struct place *top = p;
    *spot = (struct spot){.s = s};
    for (; top->parent != NULL; top = top->parent)
        VEC_PUSH(t->a, &chain, top);
    enter_top(t, spot, top);
    for (size_t i = chain.len; i-- > 0;) {
        struct place *child = chain.items[i];
        bool is_computed = child->origin == s->computed && spot->p->origin != s->computed;
        enter(t, spot, child);
        if (is_computed)
            enter_computed(spot, child);
    }
}

bool place_is_unresolved(const struct place *p) {
    return p->kind != PLACE_PLAIN && p->cell.state != CELL_DONE;
}

value spot_get_value(const struct spot *spot) {
    value v;
    if (!stage_get_value(spot->s, spot->p, &v))
        v = spot->p->cell.state == CELL_DONE ? spot->p->cell.result : (value){0};
    return value_is_set(v) ? dynaml_find(v, spot->rest.items.items, spot->rest.items.len) : v;
}

/* --- walking paths --- */

struct walk {
    struct tracer *t;
    struct spot *at;
    const struct steps *path;
    size_t next;
};

static bool parse_index(sv step, size_t *index) {
    uint64_t n = 0;
    if (step.len < 3 || step.data[0] != '[' || num_parse_u64(sv_slice(step, 1, step.len - 1), 10, &n) != NUM_OK)
        return false;
    *index = (size_t)n;
    return step.data[step.len - 1] == ']';
}

/* The next `count` steps as one: keys may have points in them. */
static sv join(struct walk *w, size_t count) {
    const sv *steps = w->path->items.items + w->next;
    struct buf out = BUF(w->t->a);
    if (count == 1)
        return steps[0];
    for (size_t i = 0; i < count; i++) {
        buf_append_cstr(&out, i == 0 ? "" : ".");
        buf_append(&out, steps[i]);
    }
    return buf_get_sv(&out);
}

enum { JOINED_MAX = 32 };

/* How many steps name something in the value together; 0: none do. */
static size_t count_named(struct walk *w, value v, sv *step) {
    size_t left = w->path->items.len - w->next;
    size_t most = v.kind == VALUE_MAP && left < JOINED_MAX ? left : 1;
    for (size_t count = 1; count <= most; count++) {
        *step = join(w, count);
        if (value_is_set(dynaml_find(v, step, 1)))
            return count;
    }
    return 0;
}

static struct place *find_merge(struct walk *w, struct place *p) {
    const sv *steps = w->path->items.items;
    size_t index = 0, left = w->path->items.len - w->next;
    if (p->kind == PLACE_MAP)
        return p->merge_count > 0 && sv_eq(steps[w->next], SV("<<")) ? p->merges[0] : NULL;
    if (left < 2 || !sv_eq(steps[w->next + 1], SV("<<")) || !parse_index(steps[w->next], &index))
        return NULL;
    for (size_t i = 0; i < p->merge_count; i++) {
        if (p->merges[i]->index == index)
            return p->merges[i];
    }
    return NULL;
}

static struct place *find_child(struct walk *w, struct place *p, size_t *used) {
    struct stage *s = w->at->s;
    struct place *waits = NULL, *merge = find_merge(w, p);
    size_t index = 0;
    sv step = w->path->items.items[w->next];
    *used = merge != NULL && p->kind == PLACE_LIST ? 2 : 1;
    if (merge != NULL)
        return merge;
    if (!p->is_shaped)
        return p->key_place != NULL && sv_eq(step, p->key_name) ? p->key_place : NULL;
    if (p->kind == PLACE_MAP) {
        *used = count_named(w, p->content, &step);
        return *used == 0 ? NULL : place_find_child(s, p, step);
    }
    if (parse_index(step, &index))
        return index < p->content.list->len ? place_get_child(s, p, index) : NULL;
    return place_find_item(s, p, step, &waits);
}

/* What the place has become, when its parts are nodes of their own; else itself. */
static struct spot open(struct walk *w) {
    struct spot inside = *w->at;
    const struct place *p = inside.p;
    const struct note *note = notes_find(w->t->notes, p);
    bool is_from_stub = note != NULL && (note->is_merged || value_is_set(note->before));
    if (p->kind != PLACE_EXPRESSION || is_from_stub)
        return inside;
    bool is_copy = p->expr->kind == EXPR_CALL || (p->expr->kind == EXPR_DIRECTIVE && p->expr->op == DYNAML_COPY);
    if (p->in_place != NULL)
        enter_computed(&inside, p->in_place);
    else if (note != NULL && is_copy && note->copies.len == 1)
        enter_copy(w->t, &inside, note->copies.items[0]);
    return inside;
}

/* Steps into a value, beside what is written of it. */
static enum walked walk_value(struct walk *w) {
    struct spot *at = w->at;
    for (; w->next < w->path->items.len; w->next++) {
        sv step = (sv){0};
        value v = spot_get_value(at);
        size_t index = 0, used = count_named(w, v, &step);
        if (used == 0)
            return WALK_NOT_FOUND;
        if (at->node != NULL && v.kind == VALUE_LIST && !parse_index(step, &index))
            index = find_same(v, dynaml_find(v, &step, 1));
        if (at->p->kind == PLACE_PLAIN)
            set_node(at, v.kind == VALUE_MAP ? find_entry(w->t, at->node, step) : find_item(at->node, index));
        VEC_PUSH(w->t->a, &at->rest.items, step);
        if (at->via != NULL)
            VEC_PUSH(w->t->a, &at->below.items, step);
        w->next += used - 1;
    }
    return WALK_FOUND;
}

static bool is_container(const struct place *p) {
    return p->kind == PLACE_MAP || p->kind == PLACE_LIST;
}

static enum walked walk_places(struct walk *w) {
    while (w->next < w->path->items.len) {
        size_t used = 0;
        struct spot inside = open(w);
        struct place *child = is_container(inside.p) ? find_child(w, inside.p, &used) : NULL;
        if (child == NULL)
            break;
        *w->at = inside;
        enter(w->t, w->at, child);
        w->next += used;
    }
    if (w->next == w->path->items.len)
        return WALK_FOUND;
    const struct place *p = w->at->p;
    if (place_is_unresolved(p))
        return is_container(p) && p->is_shaped ? WALK_NOT_FOUND : WALK_UNREACHED;
    return walk_value(w);
}

static enum walked walk(struct walk *w) {
    enum walked walked = walk_places(w);
    w->at->used = w->next;
    return walked;
}

enum walked spot_walk(struct tracer *t, struct stage *s, const struct steps *path, struct spot *spot) {
    struct walk w = {.t = t, .at = spot, .path = path};
    spot_at_place(t, s, s->root, spot);
    return walk(&w);
}

void spot_go_on(struct tracer *t, const struct steps *path, struct spot *spot) {
    struct walk w = {.t = t, .at = spot, .path = path};
    walk(&w);
}

/* --- paths --- */

/* Items by their names, as people know them, so that what is printed can be asked for. */
static void print_item(struct buf *out, const struct place *p) {
    bool is_named = sv_has_prefix(p->item_key, SV("name:")) && sv_find_char(p->item_key, '.') == SIZE_MAX;
    if (is_named && !p->is_merge_entry)
        buf_append(out, sv_slice(p->item_key, 5, p->item_key.len));
    else if (p->item_key.len > 0 && !p->is_merge_entry && sv_find_char(p->item_key, '.') == SIZE_MAX)
        buf_append(out, p->item_key);
    else
        buf_printf(out, p->is_merge_entry ? "[%u].<<" : "[%u]", p->index);
}

static void print_place(struct tracer *t, struct buf *out, const struct place *p) {
    VEC(const struct place *) chain = {0};
    for (; p->parent != NULL || p->use != NULL; p = p->parent != NULL ? p->parent : p->use) {
        if (p->parent != NULL)
            VEC_PUSH(t->a, &chain, p);
    }
    for (size_t i = chain.len; i-- > 0;) {
        buf_append_cstr(out, out->len > 0 ? "." : "");
        if (chain.items[i]->is_item)
            print_item(out, chain.items[i]);
        else
            buf_append(out, chain.items[i]->key);
    }
}

void spot_print_path(struct tracer *t, struct buf *out, const struct spot *spot) {
    print_place(t, out, spot->p);
    for (size_t i = 0; i < spot->rest.items.len; i++) {
        buf_append_cstr(out, out->len > 0 ? "." : "");
        buf_append(out, spot->rest.items.items[i]);
    }
}

static const struct stub_path *extend(struct tracer *t, const struct stub_path *path, const struct steps *rest) {
    for (size_t i = 0; i < rest->items.len; i++) {
        struct stub_path *next = ARENA_NEW(t->a, struct stub_path);
        *next = (struct stub_path){.outer = path, .step = rest->items.items[i]};
        path = next;
    }
    return path;
}

const struct stub_path *spot_get_stub_path(struct tracer *t, const struct spot *spot) {
    return extend(t, place_get_stub_path(spot->s, spot->p), &spot->rest);
}

/* --- what gave a value --- */

static void list_steps(struct tracer *t, struct steps *steps, const struct stub_path *path) {
    size_t count = 0;
    for (const struct stub_path *at = path; at != NULL; at = at->outer)
        count++;
    steps->items.items = ARENA_ARRAY(t->a, sv, count + 1);
    steps->items.len = steps->items.cap = count;
    for (const struct stub_path *at = path; at != NULL; at = at->outer)
        steps->items.items[--count] = at->step;
}

/* The node of the first stub that has the path; later stages alone are asked, so this ends. */
static bool find_in_stubs(struct tracer *t, struct stage *s, const struct stub_path *path, struct spot *from) {
    const value *found = overlay_find_path(s, path);
    size_t i = 0;
    while (found != NULL && i < s->stub_count && !value_is_set(found[i]))
        i++;
    if (found == NULL || i == s->stub_count)
        return false;
    struct steps steps = {0};
    list_steps(t, &steps, path);
    return spot_walk(t, t->stages + (s - t->stages) + 1 + i, &steps, from) == WALK_FOUND;
}

static struct trace take_from_stub(struct tracer *t, const struct spot *spot, const struct stub_path *path,
                                   enum dynaml_how how) {
    struct trace trace = {.how = how, .at = spot_get_position(spot)};
    trace.has_from = find_in_stubs(t, spot->s, extend(t, path, &spot->rest), &trace.from);
    if (trace.has_from)
        trace.at = spot_trace(t, &trace.from).at;
    return trace;
}

/* Whether a stub's value stands at the end of the steps into a value without anything to evaluate (DY-240). */
static bool is_overlaid(const struct spot *spot) {
    const struct place *p = spot->p;
    value v = p->source;
    const value *found = p->is_final ? NULL : place_get_found(spot->s, (struct place *)(uintptr_t)p);
    bool is_entry = !p->is_item && p->parent != NULL;
    for (size_t i = 0; i < spot->rest.items.len && found != NULL; i++) {
        sv step = spot->rest.items.items[i];
        if (v.kind != VALUE_MAP && v.kind != VALUE_LIST)
            break;
        is_entry = v.kind == VALUE_MAP;
        v = dynaml_find(v, &step, 1);
        found = overlay_step(spot->s, found, step);
    }
    return found != NULL && is_entry && v.kind != VALUE_MAP && v.kind != VALUE_LIST;
}

static bool is_overridden(struct tracer *t, const struct spot *spot) {
    struct place *p = spot->p;
    const struct note *note = notes_find(t->notes, p);
    if (p->kind == PLACE_EXPRESSION || p->kind == PLACE_UNPARSEABLE)
        return note != NULL && value_is_set(note->before);
    if (p->kind == PLACE_PLAIN)
        return is_overlaid(spot) || (p->parent == NULL && value_is_set(place_find_override(spot->s, p)) &&
                                     p->source.kind != VALUE_MAP && p->source.kind != VALUE_LIST);
    return p->kind == PLACE_TEMPLATE && value_is_set(place_find_override(spot->s, p));
}

/* What a `<<` has put there comes from where its value comes from. */
static struct trace trace_via(struct tracer *t, const struct spot *spot) {
    struct spot source;
    spot_at_place(t, spot->s, spot->via, &source);
    spot_go_on(t, &spot->below, &source);
    struct trace trace = spot_trace(t, &source);
    trace.how = spot->how;
    return trace;
}

struct trace spot_trace(struct tracer *t, const struct spot *spot) {
    const struct note *note = notes_find(t->notes, spot->p);
    bool is_expression = spot->p->kind == PLACE_EXPRESSION;
    if (is_overridden(t, spot))
        return take_from_stub(t, spot, place_get_stub_path(spot->s, spot->p), DYNAML_OVERRIDDEN);
    if (is_expression && note != NULL && note->is_merged)
        return take_from_stub(t, spot, note->merged_at, DYNAML_MERGED);
    if (spot->via != NULL)
        return trace_via(t, spot);
    enum dynaml_how how = is_expression ? DYNAML_COMPUTED : spot->how;
    return (struct trace){.how = how, .at = spot_get_position(spot)};
}
