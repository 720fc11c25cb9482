/* Calls: arity, types of arguments, names, functions as arguments (FN-015, FN-021 … FN-024, FN-030, FN-031). */
#include "lang/check.h"

#include "lang/eval.h"
#include "lang/shorten.h"

#include <stdarg.h>

static span get_arg_span(const struct expr *e, size_t arg) {
    return arg < e->count && e->call.args != NULL ? e->call.args[arg]->at : e->at;
}

struct diag *fn_check_fail(const struct fn_check *c, size_t arg, const char *format, ...) {
    va_list args;
    va_start(args, format);
    sv message = arena_vprintf(c->diags->arena, format, args);
    va_end(args);
    span at = arg == SIZE_MAX ? c->expr->at : get_arg_span(c->expr, arg);
    return diags_add(c->diags, c->dialect->arguments_code, at, "'%.*s': %.*s", SV_ARG(c->fn->name), SV_ARG(message));
}

value fn_check_get_literal(const struct fn_check *c, size_t arg) {
    if (arg >= c->expr->count || c->expr->call.args[arg]->kind != EXPR_LITERAL) {
        return (value){0};
    }
    return c->expr->call.args[arg]->literal;
}

const struct type *check_type_of_fn(struct arena *a, const struct fn_def *fn, size_t captured) {
    size_t count = fn->param_count > captured ? fn->param_count - captured : 0;
    struct type_field *fields = ARENA_ARRAY(a, struct type_field, count + 1);
    struct type *t = ARENA_NEW(a, struct type);
    *t = (struct type){.kind = TYPE_FUNCTION, .item = fn->result, .fields = fields, .field_count = count};
    for (size_t i = 0; i < count; i++) {
        unsigned flags = fn->params[i].flags;
        fields[i] = (struct type_field){.name = fn->params[i].name,
                                        .type = fn->params[i].type,
                                        .optional = (flags & (FN_OPTIONAL | FN_INDEX)) != 0};
    }
    t->open = fn_get_max_args(fn) == SIZE_MAX;
    return t;
}

static size_t count_required(const struct type *t) {
    size_t count = 0;
    for (size_t i = 0; i < t->field_count; i++) {
        count += !t->fields[i].optional;
    }
    return count;
}

static const struct fn_param *get_param(const struct fn_def *fn, size_t index) {
    return &fn->params[index < fn->param_count ? index : fn->param_count - 1];
}

/* FN-024: a callback takes the number of arguments that it will be called with. */
static bool check_callback(const struct fn_check *c, size_t arg, const struct type *wanted, const struct type *given) {
    if (wanted->fields == NULL || given->fields == NULL) {
        return true;
    }
    size_t count = count_required(wanted);
    size_t max = given->open ? SIZE_MAX : given->field_count;
    if (count_required(given) <= count && count <= max) {
        return true;
    }
    fn_check_fail(c, arg, "the function for '%.*s' is called with %zu %s, which it does not take",
                  SV_ARG(get_param(c->fn, arg)->name), count, count == 1 ? "argument" : "arguments");
    return false;
}

static bool check_arg(struct checker *k, const struct fn_check *c, size_t arg) {
    const struct fn_param *param = get_param(c->fn, arg);
    const struct type *given = c->types[arg], *wanted = param->type == NULL ? &type_any : param->type;
    if (given->kind == TYPE_FUNCTION && wanted->kind == TYPE_FUNCTION) {
        return check_callback(c, arg, wanted, given);
    }
    if (wanted->kind == TYPE_ANY) {
        return check_is_no_function(k, c->expr->call.args[arg], given, "an argument here");
    }
    if (type_fits(wanted, given)) {
        return true;
    }
    sv wanted_name = check_print_type(k, wanted), given_name = check_print_type(k, given);
    struct diag *d = fn_check_fail(c, arg, "parameter '%.*s' takes '%.*s', not '%.*s'", SV_ARG(param->name),
                                   SV_ARG(wanted_name), SV_ARG(given_name));
    if (given->kind == TYPE_BYTES && type_fits(wanted, &type_string)) {
        diag_set_hint(c->diags, d, "make text of bytes with utf8"); /* FN-016 */
    }
    return false;
}

static bool check_count(const struct fn_check *c) {
    size_t min = fn_get_min_args(c->fn), max = fn_get_max_args(c->fn);
    if (c->count >= min && c->count <= max) {
        return true;
    }
    const char *plural = c->count == 1 ? "argument is" : "arguments are";
    if (max == SIZE_MAX) {
        fn_check_fail(c, SIZE_MAX, "%zu %s given, at least %zu must be", c->count, plural, min);
    } else if (min == max) {
        fn_check_fail(c, SIZE_MAX, "%zu %s given, %zu must be", c->count, plural, min);
    } else {
        fn_check_fail(c, SIZE_MAX, "%zu %s given, %zu to %zu must be", c->count, plural, min, max);
    }
    return false;
}

/* Names of all arguments, each once (FN-141). */
static bool check_required_names(const struct fn_check *c) {
    const struct expr *e = c->expr;
    bool ok = true;
    struct map seen = MAP(c->arena);
    for (size_t i = 0; i < c->count; i++) {
        if (e->call.names == NULL || e->call.names[i].len == 0) {
            fn_check_fail(c, i, "argument %zu has no name", i + 1);
            ok = false;
        } else if (map_put(&seen, e->call.names[i], (void *)(uintptr_t)e) != NULL) {
            diags_add(c->diags, c->dialect->arguments_code, e->call.name_spans[i], "'%.*s': '%.*s' is given twice",
                      SV_ARG(c->fn->name), SV_ARG(shorten(e->call.names[i])));
            ok = false;
        }
    }
    return ok;
}

static bool check_names(const struct fn_check *c) {
    const struct expr *e = c->expr;
    if (c->fn->named_only) {
        return check_required_names(c);
    }
    for (size_t i = 0; e->call.names != NULL && i < c->count; i++) {
        if (e->call.names[i].len > 0) {
            sv name = shorten(e->call.names[i]);
            diags_add(c->diags, DIAG_named_argument_ignored, e->call.name_spans[i],
                      "'%.*s': the name '%.*s' has no effect, arguments are taken by position", SV_ARG(c->fn->name),
                      SV_ARG(name));
        }
    }
    return true;
}

static const struct type *check_syntactic(struct checker *k, const struct fn_check *c) {
    if (!check_count(c)) {
        return NULL;
    }
    if (k->ops->check_syntactic != NULL) {
        k->ops->check_syntactic(k->user, c->expr);
    }
    return c->fn->result;
}

const struct type *check_call(struct checker *k, const struct expr *e, const struct type **types) {
    struct fn_check c = {.arena = k->c->arena,
                         .diags = k->c->diags,
                         .dialect = k->c->dialect,
                         .fn = e->call.fn,
                         .expr = e,
                         .count = e->count};
    if ((c.fn->flags & FN_SYNTACTIC) != 0) {
        return check_syntactic(k, &c);
    }
    for (size_t i = 0; i < e->count; i++) {
        types[i] = types[i] == NULL ? &type_any : types[i];
    }
    c.types = types;
    bool ok = check_names(&c);
    if (!check_count(&c)) {
        return NULL;
    }
    for (size_t i = 0; i < c.count; i++) {
        ok = check_arg(k, &c, i) && ok;
    }
    if (!ok) {
        return c.fn->result;
    }
    if (c.fn->check != NULL) {
        c.fn->check(&c);
    }
    return c.fn->result_type != NULL ? c.fn->result_type(&c) : c.fn->result;
}
