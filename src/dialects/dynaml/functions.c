/* The table of built-in functions (DY-140), and what all of them need. */
#include "dialects/dynaml/functions.h"

#include "dialects/dynaml/internal.h"
#include "dialects/dynaml/stage.h"

#include <stdarg.h>

value dynaml_fail(struct fn_call *c, const char *format, ...) {
    va_list args;
    va_start(args, format);
    sv text = arena_vprintf(c->arena, format, args);
    va_end(args);
    return eval_fail(c->ev, DIAG_function_call_error, c->expr == NULL ? SPAN_NONE : c->expr->at, "%.*s", SV_ARG(text));
}

value dynaml_exceed(struct fn_call *c, sv name, uint64_t limit) {
    stage_exceed(eval_get_user(c->ev), c->ev, name, limit);
    return value_error(NULL);
}

size_t dynaml_get_item_limit(const struct fn_call *c) {
    const struct stage *s = eval_get_user(c->ev);
    return (size_t)s->run->o.limits.items;
}

size_t dynaml_get_text_limit(const struct fn_call *c) {
    const struct stage *s = eval_get_user(c->ev);
    return (size_t)s->run->o.limits.file;
}

value dynaml_exceed_text(struct fn_call *c) {
    return dynaml_exceed(c, SV("file"), dynaml_get_text_limit(c));
}

bool dynaml_is_lambda(value v) {
    return v.kind == VALUE_FUNCTION && v.function->lambda != NULL;
}

value dynaml_make_string(struct arena *a, sv text) {
    sv inner;
    value v = value_string(a, text);
    if (dynaml_is_expression(text, &inner))
        v.word = WORD_LIVE;
    return v;
}

/* --- unknown ones --- */

static value call_unknown(struct fn_call *c) {
    return dynaml_fail(c, "unknown function '%.*s'", SV_ARG(c->fn->name));
}

static const struct fn_param any[] = {{.name = SV_INIT("value"), .type = &type_any, .flags = FN_VARIADIC}};

const struct fn_def *dynaml_make_unknown_function(struct arena *a, sv name) {
    struct fn_def *fn = ARENA_NEW(a, struct fn_def);
    *fn = (struct fn_def){
        .name = name, .rule = SV("DY-141"), .params = any, .param_count = 1, .result = &type_any, .call = call_unknown};
    return fn;
}

/* --- the table --- */

static const struct fn_table *const tables[] = {&dynaml_text_functions, &dynaml_network_functions,
                                                &dynaml_world_functions, &dynaml_meta_functions};
static const struct fn_registry registry = {.tables = tables, .count = sizeof tables / sizeof *tables};

const struct fn_def *dynaml_find_function(sv name) {
    return fn_find(&registry, name);
}
