/* The first pass: every element of the expanded template gets its number. */
#include "dialects/blueprint/expand.h"

#include "dialects/blueprint/children.h"
#include "value/type.h"

static bool expand_copy(struct expander *x, struct copy *c);

static struct diag *report(struct expander *x, const struct slot *s, enum diag_code code, span at, sv message) {
    struct diag *d = diags_add(x->diags, code, at, "%.*s", SV_ARG(message));
    x->failed = true;
    if (d != x->diags->spare && d->path.len == 0) {
        d->path = arena_copy_sv(x->diags->arena, s->address);
        d->group = blueprint_get_group(ELEMENT_RESOURCE);
    }
    return d;
}

/* --- slots --- */

/* Names of instances share the room of other resources (BP-152). */
static void check_address(struct expander *x, const struct slot *s, uint32_t number) {
    void **found = map_get_slot(&x->by_address, s->address, NULL);
    if (*found == NULL) {
        *found = (void *)(uintptr_t)(number + 1u);
        return;
    }
    const struct slot *other = &x->slots.items[(uintptr_t)*found - 1];
    x->failed = true;
    if (s->item == 0 && other->item == 0) {
        return; /* inside of two that have one name: reported for these */
    }
    const struct slot *instance = s->item > 0 ? s : other;
    const struct element *e = &instance->copy->file->elements[instance->origin];
    const struct slot *plain = s->item > 0 ? other : s;
    sv message = arena_printf(&x->scratch, "instance %u of '%.*s' has the name of another resource", instance->item - 1,
                              SV_ARG(sv_slice(e->name, 0, 80)));
    struct diag *d = report(x, instance, DIAG_resource_name_conflict, e->at, message);
    const struct element *with = &plain->copy->file->elements[plain->origin];
    diag_add_related(x->diags, d, with->at, "'%.*s' stands here", SV_ARG(plain->address));
}

static sv make_address(struct expander *x, const struct slot *s) {
    const struct element *e = &s->copy->file->elements[s->origin];
    if (s->item == 0) {
        return s->copy->parent == NULL
                   ? e->address.text
                   : arena_printf(x->arena, "%.*s%.*s", SV_ARG(s->copy->prefix), SV_ARG(e->address.text));
    }
    sv name = arena_printf(&x->scratch, "%.*s_%u", SV_ARG(e->name), s->item - 1);
    return addr_make(x->arena, s->copy->prefix, ELEMENT_RESOURCE, name).text;
}

/* UINT32_MAX when there are too many; `s->address` is set here. */
static uint32_t add_slot(struct expander *x, struct slot *s) {
    size_t limit = x->r->world.limits->elements;
    if (x->slots.len >= limit || x->slots.len >= UINT32_MAX - 1) {
        if (!x->failed) {
            diags_add(x->diags, DIAG_limit_exceeded, SPAN_NONE, "the expanded blueprint has more than %zu elements",
                      limit);
        }
        x->failed = true;
        return UINT32_MAX;
    }
    uint32_t number = (uint32_t)x->slots.len;
    s->address = make_address(x, s);
    s->scope = s->scope != NULL ? s->scope : s->copy->scope;
    check_address(x, s, number);
    VEC_PUSH(&x->scratch, &x->slots, *s);
    return number;
}

/* --- copies --- */

static struct copy *new_copy(struct expander *x, const struct template *file, sv prefix, uint32_t number) {
    struct copy *c = ARENA_NEW(&x->scratch, struct copy);
    const struct blueprint_data *data = file->dialect_data;
    size_t count = file->element_count + 1;
    uint32_t *numbers = ARENA_ARRAY(x->arena, uint32_t, count);
    struct blueprint_names *names = ARENA_NEW(x->arena, struct blueprint_names);
    *names = (struct blueprint_names){.file = data, .prefix = prefix, .numbers = numbers, .child = number};
    struct scope *scope = ARENA_NEW(x->arena, struct scope);
    *scope = (struct scope){.owner = names};
    *c = (struct copy){.file = file, .data = data, .names = names, .scope = scope, .prefix = prefix, .number = number};
    c->uses = ARENA_ARRAY(&x->scratch, const struct element_edge *, count);
    c->use_counts = ARENA_ARRAY(&x->scratch, size_t, count);
    VEC_PUSH(&x->scratch, &x->copies, c);
    return c;
}

/* --- children --- */

static const struct template *load_late(struct expander *x, const struct slot *s, const struct blueprint_child *child,
                                        struct scope *seed_scope) {
    struct copy *c = s->copy;
    struct element e = c->file->elements[s->origin];
    e.address.text = s->address;
    VEC(const struct blueprint_data *) above = {0};
    for (const struct copy *at = c; at != NULL; at = at->parent) {
        VEC_PUSH(&x->scratch, &above, at->data);
    }
    for (size_t i = 0; i < above.len / 2; i++) {
        const struct blueprint_data *other = above.items[i];
        above.items[i] = above.items[above.len - 1 - i];
        above.items[above.len - 1 - i] = other;
    }
    struct evaluation *seed = expand_get_seed(x, c);
    const struct child_load r = {.element = &e,
                                 .file = c->data,
                                 .child = child,
                                 .above = above.items,
                                 .above_count = above.len,
                                 .evaluator = seed->evaluator,
                                 .scope = seed_scope != NULL ? seed_scope : c->seed_scope,
                                 .diags = x->diags,
                                 .tolerant = x->r->tolerant};
    size_t errors = x->diags->errors;
    const struct template *t = blueprint_load_child(&r);
    x->failed |= x->diags->errors > errors || (t == NULL && !x->r->tolerant);
    return t;
}

/* The content of the CHILD slot `number`; scopes are NULL outside of templates. */
static bool expand_child(struct expander *x, uint32_t number, struct scope *scope, struct scope *seed_scope) {
    struct copy *c = x->slots.items[number].copy;
    uint32_t origin = x->slots.items[number].origin;
    const struct element *e = &c->file->elements[origin];
    const struct blueprint_child *child = c->data->children[origin];
    const struct template *file = child != NULL ? child->template : NULL;
    if (file == NULL && child != NULL && !child->broken) {
        const struct slot s = x->slots.items[number];
        file = load_late(x, &s, child, seed_scope);
    }
    if (file != NULL && x->depth > x->r->world.limits->include_depth) {
        diags_add(x->diags, DIAG_max_blueprint_depth_exceeded, e->at, "blueprints are nested too deep");
        x->failed = true;
        file = NULL;
    }
    bool ok = true;
    if (file != NULL) {
        sv prefix = arena_printf(x->arena, "%.*s/", SV_ARG(x->slots.items[number].address));
        struct copy *content = new_copy(x, file, prefix, number + 1);
        content->parent = c;
        content->child = child;
        content->child_element = e;
        content->outer = scope != NULL ? scope : c->scope;
        content->seed_outer = seed_scope;
        x->slots.items[number].content = content;
        ok = expand_copy(x, content);
    }
    x->slots.items[number].group_end = (uint32_t)x->slots.len;
    return ok;
}

/* --- templates --- */

static void report_each(struct expander *x, const struct slot *s, value v) {
    const struct expr *each = s->copy->file->elements[s->origin].each;
    sv name = sv_slice(s->copy->file->elements[s->origin].name, 0, 80);
    if (v.kind == VALUE_UNKNOWN && x->r->tolerant) {
        return;
    }
    if (v.kind == VALUE_UNKNOWN) {
        struct diag *d =
            report(x, s, DIAG_each_not_known, each->at,
                   arena_printf(&x->scratch, "'each' of '%.*s' is known only on deployment", SV_ARG(name)));
        diag_set_hint(x->diags, d, "make it depend only on what is known before");
        return;
    }
    struct diag *d = report(x, s, DIAG_resource_each_invalid_type, each->at,
                            arena_printf(&x->scratch, "'each' of '%.*s' must be an array, not %s", SV_ARG(name),
                                         value_get_kind_phrase((enum value_kind)v.kind)));
    if (v.kind == VALUE_MAP) {
        diag_set_hint(x->diags, d, "the values of an object are vals(…)");
    }
}

/* What failed in it gets the element's path. */
static void tag(struct expander *x, const struct slot *s, size_t from) {
    for (size_t i = from; i < x->diags->items.len; i++) {
        struct diag *d = x->diags->items.items[i];
        if (d->path.len == 0) {
            d->path = arena_printf(x->diags->arena, "%.*s.each", SV_ARG(s->address));
            d->group = blueprint_get_group(ELEMENT_RESOURCE);
        }
    }
}

/* The items of `each` in the long-lived arena; kind 0 when there are none to be told. */
static value evaluate_each(struct expander *x, const struct slot *s) {
    struct copy *c = s->copy;
    const struct element *e = &c->file->elements[s->origin];
    struct evaluation *seed = expand_get_seed(x, c);
    size_t from = x->diags->items.len;
    struct cell cell = {
        .expr = e->each, .scope = c->seed_scope, .path = s->address, .property = SV("each"), .at = e->each->at};
    value v = eval_cell(seed->evaluator, &cell);
    tag(x, s, from);
    if (v.kind == VALUE_ERROR || (v.within & WITHIN_ERROR) != 0) {
        x->failed = true;
        return (value){0};
    }
    if (v.kind != VALUE_LIST) {
        report_each(x, s, v);
        return (value){0};
    }
    size_t limit = x->r->world.limits->each_instances;
    if (v.list->len > limit) {
        report(x, s, DIAG_limit_exceeded, e->each->at,
               arena_printf(&x->scratch, "'each' has %zu items, at most %zu can be", v.list->len, limit));
        return (value){0};
    }
    return value_copy(x->arena, v);
}

static const sv local_names[] = {SV_INIT("elem"), SV_INIT("i")};

static struct scope *new_scope(struct arena *a, void *owner, const value *items) {
    struct scope *scope = ARENA_NEW(a, struct scope);
    *scope = (struct scope){.names = local_names, .items = items, .count = 2, .owner = owner};
    return scope;
}

static bool expand_instance(struct expander *x, const struct slot *group, uint32_t number, value elem, uint32_t item,
                            uint32_t *result) {
    struct copy *c = group->copy;
    value *items = ARENA_ARRAY(x->arena, value, 2);
    items[0] = elem;
    items[1] = value_int(item);
    const struct element *e = &c->file->elements[group->origin];
    struct scope *scope = new_scope(x->arena, c->names, items);
    struct slot s = {
        .copy = c, .scope = scope, .origin = group->origin, .item = item + 1, .group = number + 1, .kind = e->kind};
    *result = add_slot(x, &s);
    if (*result == UINT32_MAX || e->kind != ELEMENT_CHILD) {
        return *result != UINT32_MAX;
    }
    struct scope *seed_scope = new_scope(&x->scratch, c->seed_scope->owner, items);
    return expand_child(x, *result, scope, seed_scope);
}

static bool expand_each(struct expander *x, struct copy *c, uint32_t origin) {
    struct slot group = {.copy = c, .origin = origin, .group = c->number, .kind = ELEMENT_TEMPLATE};
    uint32_t number = add_slot(x, &group);
    if (number == UINT32_MAX) {
        return false;
    }
    ((uint32_t *)c->names->numbers)[origin] = number;
    value v = evaluate_each(x, &group);
    size_t count = v.kind == VALUE_LIST ? v.list->len : 0;
    uint32_t *numbers = ARENA_ARRAY(x->arena, uint32_t, count + 1);
    bool ok = true;
    for (uint32_t i = 0; ok && i < count; i++) {
        value elem = value_mark(v.list->items[i], v.marks);
        ok = expand_instance(x, &group, number, elem, i, &numbers[i]);
    }
    if (c->names->instances == NULL) {
        c->names->instances = ARENA_ARRAY(x->arena, struct blueprint_instances, c->file->element_count + 1);
    }
    ((struct blueprint_instances *)c->names->instances)[origin] =
        (struct blueprint_instances){numbers, (uint32_t)count, v.kind == 0};
    x->slots.items[number].group_end = (uint32_t)x->slots.len;
    return ok;
}

/* --- files --- */

static bool expand_plain(struct expander *x, struct copy *c, uint32_t origin) {
    const struct element *e = &c->file->elements[origin];
    struct slot s = {.copy = c, .origin = origin, .group = c->number, .kind = e->kind};
    uint32_t number = add_slot(x, &s);
    if (number == UINT32_MAX) {
        return false;
    }
    ((uint32_t *)c->names->numbers)[origin] = number;
    return e->kind != ELEMENT_CHILD || expand_child(x, number, NULL, NULL);
}

static bool expand_copy(struct expander *x, struct copy *c) {
    bool ok = true;
    x->depth++;
    for (uint32_t i = 0; ok && i < c->file->element_count; i++) {
        ok = c->file->elements[i].each != NULL ? expand_each(x, c, i) : expand_plain(x, c, i);
    }
    x->depth--;
    return ok;
}

const struct template *expand_template(const struct template *t, const struct expand_request *r) {
    struct expander x = {.r = r, .arena = r->arena, .diags = r->diags, .root = t};
    x.by_address = MAP(r->arena);
    struct template *result = NULL;
    bool ok = expand_copy(&x, new_copy(&x, t, (sv){0}, 0));
    if (ok && (r->tolerant || !x.failed)) {
        result = expand_fill(&x);
    }
    bool failed = x.failed;
    arena_fini(&x.scratch);
    return failed && !r->tolerant ? NULL : result;
}
