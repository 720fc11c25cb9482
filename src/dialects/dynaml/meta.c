/* Functions of expressions: defined, eval, and map[ … ] (DY-155, DY-157, DY-175). */
#include "dialects/dynaml/internal.h"
#include "dialects/dynaml/output.h"
#include "dialects/dynaml/stage.h"

/* --- defined --- */

static value call_defined(struct fn_call *c) {
    bool is_pending = false;
    for (size_t i = 0; i < c->count; i++) {
        if (c->args[i].kind == 0)
            return fn_call_force(c, i);
        if (c->args[i].kind == VALUE_ERROR && !is_pending)
            return value_bool(false);
        is_pending = is_pending || c->args[i].kind == VALUE_PENDING;
    }
    return is_pending ? value_pending(NULL) : value_bool(true);
}

/* --- eval --- */

static value call_eval(struct fn_call *c) {
    struct stage *s = eval_get_user(c->ev);
    void **state = fn_call_get_state(c);
    if (*state != NULL) {
        s->run->evals--;
        return fn_call_get_answer(c);
    }
    if (c->count != 1)
        return dynaml_fail(c, "one argument required for 'eval'");
    if (c->args[0].kind != VALUE_STRING)
        return dynaml_fail(c, "string argument required for 'eval'");
    sv text = value_get_text(c->args[0]);
    struct cell *at = eval_get_cell(c->ev);
    const struct expr *e = stage_parse(s, at == NULL ? s->root : at->owner, text);
    if (e == NULL)
        return dynaml_fail(c, "cannot parse expression '%.*s'", SV_ARG(text));
    if (++s->run->evals > s->run->o.limits.calls)
        return dynaml_exceed(c, SV("calls"), s->run->o.limits.calls);
    *state = c;
    return fn_call_request(c, (struct fn_request){.kind = FN_EVALUATE, .expr = e, .scope = c->scope});
}

/* --- map[ --- */

struct mapping {
    const struct value_entry **entries; /* of a map, in the order of their keys */
    struct list_builder results;
    size_t next, count;
    uint32_t word;
};

static value check_mapping(struct fn_call *c) {
    value of = c->args[0], with = c->args[1];
    if (of.kind != VALUE_LIST && of.kind != VALUE_MAP)
        return dynaml_fail(c, "map or list required for mapping");
    if (!dynaml_is_lambda(with))
        return dynaml_fail(c, "mapping requires a lambda value");
    if (with.function->lambda->count - with.function->captured_count > 2)
        return dynaml_fail(c, "mapping expression take a maximum of 2 arguments");
    return value_null();
}

static value apply_to_next(struct fn_call *c, const struct mapping *m) {
    const struct closure *f = c->args[1].function;
    size_t wanted = f->lambda->count - f->captured_count;
    value *args = ARENA_ARRAY(c->arena, value, 2);
    bool is_list = m->entries == NULL;
    value item = is_list ? c->args[0].list->items[m->next] : m->entries[m->next]->item;
    args[0] = is_list ? value_int((int64_t)m->next) : value_string(c->arena, m->entries[m->next]->key);
    args[wanted == 1 ? 0 : 1] = item;
    return fn_call_apply(c, f, args, wanted, SIZE_MAX);
}

static value call_mapping(struct fn_call *c) {
    struct mapping **state = (struct mapping **)fn_call_get_state(c);
    if (*state == NULL) {
        value v = check_mapping(c);
        if (v.kind == VALUE_ERROR)
            return v;
        struct mapping *m = ARENA_NEW(c->arena, struct mapping);
        bool is_map = c->args[0].kind == VALUE_MAP;
        m->results.arena = c->arena;
        m->count = is_map ? c->args[0].map->len : c->args[0].list->len;
        m->entries = is_map ? dynaml_sort_entries(c->arena, c->args[0]) : NULL;
        *state = m;
    } else {
        value v = fn_call_get_answer(c);
        if (v.kind == VALUE_ERROR || v.kind == VALUE_PENDING)
            return v;
        (*state)->word |= v.word & WORD_LIVE;
        v.word &= WORD_LIVE | WORD_STUB;
        list_add(&(*state)->results, v);
        (*state)->next++;
    }
    struct mapping *m = *state;
    if (m->next < m->count)
        return apply_to_next(c, m);
    value list = list_done(&m->results);
    list.word = m->word;
    return list;
}

static const struct fn_param two[] = {{.name = SV_INIT("of"), .type = &type_any},
                                      {.name = SV_INIT("with"), .type = &type_any}};
const struct fn_def dynaml_mapping = {
    .name = SV_INIT("map["),
    .rule = SV_INIT("DY-175"),
    .params = two,
    .param_count = 2,
    .result = &type_any,
    .flags = FN_PURE | FN_OPERATOR | FN_SEES_NULL | FN_OWN_WORD,
    .call = call_mapping,
};

DYNAML_FUNCTION_WITH(defined, "DY-155", FN_PURE | FN_LAZY | FN_SEES_FAILED | FN_SEES_PENDING | FN_OWN_WORD,
                     call_defined, "Whether all arguments have values", "defined(a.b)");
DYNAML_FUNCTION_WITH(eval, "DY-157", FN_HOST | FN_OWN_WORD, call_eval, "The value of a text as an expression",
                     "eval(\"a.\" name)");

/* sorted */
static const struct fn_def *const defs[] = {
    &fn_defined,
    &fn_eval,
};
const struct fn_table dynaml_meta_functions = {.defs = defs, .count = sizeof defs / sizeof *defs};
