/* Containers with parts that are there on a condition, or once per element of a list. */
#include "dialects/module/fields.h"
#include "dialects/module/language_internal.h"

static const sv for_name[1] = {SV_INIT("for")};

/* What survives while parts are evaluated. */
struct gathering {
    struct list_builder items;
    struct map_builder entries;
    size_t part, element;
    bool is_evaluating;  /* the answer is that of `step` */
    bool has_condition;  /* of the element at hand: true already */
    bool is_sensitive;   /* something secret decided what is in it */
    bool is_unknown;     /* something unknown did (MD-280) */
    uint8_t marks;       /* of the condition that let the part in */
    struct scope *scope; /* of the element at hand */
};

const struct module_layout *module_find_layout(const struct expr *e) {
    return e->kind == EXPR_CALL && e->call.fn == &module_container ? e->call.data : NULL;
}

static struct gathering *get_gathering(struct fn_call *c) {
    void **state = fn_call_get_state(c);
    if (*state == NULL) {
        struct gathering *g = ARENA_NEW(c->arena, struct gathering);
        g->items.arena = g->entries.arena = c->arena;
        *state = g;
    }
    return *state;
}

static void add(struct gathering *g, const struct module_layout *l, const struct module_part *p, value v) {
    v = value_mark(v, g->marks);
    if (l->is_map)
        map_set(&g->entries, p->key, v);
    else
        list_add(&g->items, v);
    g->marks = 0;
}

enum decision { TAKE = 1, LEAVE, FAIL };

/* MD-161 */
static enum decision decide(struct fn_call *c, struct gathering *g, const struct module_part *p, value v) {
    if (value_is_error(v))
        return FAIL;
    g->is_sensitive = g->is_sensitive || (value_is_sensitive(v) && !(v.kind == VALUE_BOOL && v.boolean));
    if (v.kind == VALUE_UNKNOWN) {
        g->is_unknown = true;
        return LEAVE;
    }
    if (v.kind != VALUE_BOOL) {
        eval_fail(c->ev, DIAG_module_value, p->condition_at, "'if' needs a boolean");
        return FAIL;
    }
    g->marks = value_is_sensitive(v) ? MARK_SENSITIVE : 0;
    return v.boolean ? TAKE : LEAVE;
}

/* A part by itself. False when something has to be evaluated first (`*result` is the request), or it failed. */
static bool take_one(struct fn_call *c, struct gathering *g, const struct module_part *p, value *result) {
    const struct module_layout *l = c->expr->call.data;
    bool has_condition = p->condition != MODULE_NO_PART;
    if (has_condition && c->args[p->condition].kind == 0) {
        *result = fn_call_force(c, p->condition);
        return false;
    }
    enum decision d = has_condition ? decide(c, g, p, c->args[p->condition]) : TAKE;
    if (d == FAIL) {
        *result = value_error(NULL);
        return false;
    }
    if (d == TAKE && c->args[p->body].kind == 0) {
        *result = fn_call_force(c, p->body);
        return false;
    }
    if (d == TAKE)
        add(g, l, p, c->args[p->body]);
    return true;
}

/* MD-171: the names of one element. */
static struct scope *make_scope(struct fn_call *c, value list, size_t element) {
    struct scope *s = ARENA_NEW(c->arena, struct scope);
    value *item = ARENA_NEW(c->arena, value);
    struct map_builder b = {.arena = c->arena};
    map_add(&b, SV("element"), value_mark(list.list->items[element], list.marks));
    map_add(&b, SV("index"), value_int((int64_t)element));
    *item = map_done(&b);
    *s = (struct scope){.outer = c->scope, .names = for_name, .items = item, .count = 1};
    return s;
}

static value evaluate(struct fn_call *c, struct gathering *g, uint32_t arg) {
    g->is_evaluating = true;
    return fn_call_request(
        c, (struct fn_request){.kind = FN_EVALUATE, .expr = c->expr->call.args[arg], .scope = g->scope});
}

static void next_element(struct gathering *g) {
    g->element++;
    g->scope = NULL;
    g->has_condition = false;
    g->marks = 0;
}

/* The answer for the element at hand: of its condition, or its body. False when it failed. */
static bool take_answer(struct fn_call *c, struct gathering *g, const struct module_part *p) {
    value v = fn_call_get_answer(c);
    g->is_evaluating = false;
    if (value_is_error(v))
        return false;
    if (p->condition == MODULE_NO_PART || g->has_condition) {
        add(g, c->expr->call.data, p, v);
        next_element(g);
        return true;
    }
    enum decision d = decide(c, g, p, v);
    g->has_condition = d == TAKE;
    if (d == LEAVE)
        next_element(g);
    return d != FAIL;
}

/* MD-170, MD-172: one copy per element. As take_one. */
static bool take_each(struct fn_call *c, struct gathering *g, const struct module_part *p, value *result) {
    if (c->args[p->list].kind == 0) {
        *result = fn_call_force(c, p->list);
        return false;
    }
    value list = c->args[p->list];
    g->is_sensitive = g->is_sensitive || (list.marks & MARK_SENSITIVE) != 0;
    if (list.kind == VALUE_UNKNOWN) {
        g->is_unknown = true;
        return true;
    }
    *result = value_error(NULL);
    if (list.kind != VALUE_LIST) {
        eval_fail(c->ev, DIAG_module_value, p->list_at, "'for' needs a list");
        return false;
    }
    if (g->is_evaluating && !take_answer(c, g, p))
        return false;
    if (g->element == list.list->len)
        return true;
    if (g->scope == NULL)
        g->scope = make_scope(c, list, g->element);
    bool wants_condition = p->condition != MODULE_NO_PART && !g->has_condition;
    *result = evaluate(c, g, wants_condition ? p->condition : p->body);
    return false;
}

static value finish(const struct gathering *g, const struct module_layout *l) {
    struct gathering *parts = (struct gathering *)g;
    value v = l->is_map ? map_done(&parts->entries) : list_done(&parts->items);
    if (l->is_root && v.map->len > 0)
        v = v.map->entries[0].item;
    if (g->is_unknown)
        v = value_unknown(NULL);
    return g->is_sensitive ? value_mark(v, MARK_SENSITIVE) : v;
}

static value call_container(struct fn_call *c) {
    const struct module_layout *l = c->expr->call.data;
    struct gathering *g = get_gathering(c);
    for (; g->part < l->count; g->part++, g->element = 0) {
        const struct module_part *p = &l->parts[g->part];
        value v = {0};
        bool is_done = p->list == MODULE_NO_PART ? take_one(c, g, p, &v) : take_each(c, g, p, &v);
        if (!is_done)
            return v;
    }
    return finish(g, l);
}

const struct fn_def module_container = {.name = SV_INIT("argument"),
                                        .rule = SV_INIT("MD-160"),
                                        .family = SV_INIT("internal"),
                                        .params = module_any,
                                        .param_count = 1,
                                        .result = &type_any,
                                        .flags = FN_LAZY | FN_SEES_UNKNOWN | FN_SEES_NULL | FN_SEES_ABSENT |
                                                 FN_OWN_WORD | FN_OWN_SECRECY | FN_OPERATOR,
                                        .call = call_container};
