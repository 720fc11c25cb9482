#include "test_dialect.h"

#include "test_functions.h"

#include <string.h>

static const sv words[] = {SV_INIT("true"), SV_INIT("false"), SV_INIT("none"), SV_INIT("nil")};
static const value literals[] = {
    {.kind = VALUE_BOOL, .boolean = true}, {.kind = VALUE_BOOL}, {.kind = VALUE_ABSENT}, {.kind = VALUE_NULL}};

static const struct lexis lexis_rich = {
    .open = SV_INIT("<("),
    .close = SV_INIT(")>"),
    .escape = SV_INIT("\\<("),
    .classes = lexis_classes_name,
    .quotes = SV_INIT("\""),
    .floats = true,
    .exponents = true,
    .hex = true,
    .literal_words = words,
    .literal_values = literals,
    .literal_count = 4,
};

static const struct root_def any_root[] = {{.keyword = {0}, .number = 1, .max_steps = 255}};

static const struct eval_policy policy_standard = {.drop_absent_items = true};

const struct dialect dialect_rich = {
    .name = SV_INIT("rich"),
    .lexis = &lexis_rich,
    .operators = test_operators,
    .operator_count = 11,
    .roots = any_root,
    .root_count = 1,
    .call_styles = CALL_ON_VALUES | CALL_BARE_FUNCTIONS | CALL_LIST_LITERALS | CALL_OBJECT_LITERALS | CALL_LAMBDAS |
                   CALL_INDEX_EXPRS | CALL_CONDITIONAL | CALL_IF_THEN_ELSE | CALL_GROUPS | CALL_EMPTY_ITEMS |
                   CALL_STEPS_ANYWHERE,
    .functions = &test_functions,
    .policy = &policy_standard,
    .syntax_code = DIAG_invalid_reference_substitution,
    .unknown_function_code = DIAG_function_not_found,
    .arguments_code = DIAG_invalid_substitution,
};

static const struct lexis lexis_plain = {
    .open = SV_INIT("${"),
    .close = SV_INIT("}"),
    .classes = lexis_classes_name,
    .quotes = SV_INIT("\"'"),
    .quote_escape_only = true,
    .key_class_only = true,
    .floats = true,
    .negative_literals = true,
    .literal_words = words,
    .literal_values = literals,
    .literal_count = 3,
};

static const struct root_def plain_roots[] = {
    {.keyword = {0}, .number = 1, .max_steps = 255},
    {.keyword = SV_INIT("children"), .number = 2, .min_names = 1, .min_steps = 2, .max_steps = 255},
    {.keyword = SV_INIT("elem"), .number = 3, .max_steps = 255},
    {.keyword = SV_INIT("i"), .number = 4},
    {.keyword = SV_INIT("values"), .number = 5, .min_names = 1, .min_steps = 1, .max_steps = 255},
    {.keyword = SV_INIT("variables"), .number = 6, .min_names = 1, .min_steps = 1, .max_steps = 255},
};

static const struct eval_policy policy_plain = {
    .drop_absent_items = true,
    .failed_item = OPERAND_PASS,
    .function_code = DIAG_higher_order_function_not_supported,
};

const struct dialect dialect_plain = {
    .name = SV_INIT("plain"),
    .lexis = &lexis_plain,
    .roots = plain_roots,
    .root_count = 6,
    .call_styles = CALL_NAMED | CALL_BARE_FUNCTIONS | CALL_EMPTY_INDEX,
    .functions = &test_functions,
    .policy = &policy_plain,
    .syntax_code = DIAG_invalid_reference_substitution,
    .unknown_function_code = DIAG_function_not_found,
    .arguments_code = DIAG_invalid_substitution,
};

/* The world: a reference is its first name, or behind a keyword its first step. */

static sv get_name(const struct expr *ref, size_t *used) {
    *used = 0;
    if (ref->op > 1 && ref->count > 0) {
        *used = 1;
        return ref->ref.steps[0].name;
    }
    return ref->ref.name;
}

static enum resolve_result resolve(void *user, struct evaluator *ev, const struct expr *ref, const struct scope *scope,
                                   struct resolved *out) {
    struct world *w = user;
    w->resolved++;
    if (scope_find(scope, ref->ref.name, &out->item)) {
        return RESOLVE_VALUE;
    }
    sv name = get_name(ref, &out->steps_used);
    out->cell = map_find(&w->cells, name);
    if (out->cell != NULL) {
        return RESOLVE_CELL;
    }
    out->item = eval_fail(ev, DIAG_missing_value, ref->at, "'%.*s' not found", SV_ARG(name));
    return RESOLVE_ERROR;
}

void world_init(struct world *w, const struct dialect *d) {
    memset(w, 0, sizeof *w);
    sources_init(&w->sources, &w->arena);
    diags_init(&w->diags, &w->arena, &w->sources);
    w->limits = limits_default;
    w->cells = MAP(&w->arena);
    w->dialect = *d;
    w->policy = *d->policy;
    w->dialect.policy = &w->policy;
    w->ops.resolve = resolve;
}

void world_fini(struct world *w) {
    arena_fini(&w->arena);
}

void world_restart(struct world *w) {
    struct eval_options options = {.arena = &w->arena,
                                   .diags = &w->diags,
                                   .limits = &w->limits,
                                   .ops = &w->ops,
                                   .user = w,
                                   .policy = &w->policy,
                                   .observer = w->observer};
    w->ev = eval_new(&options);
}

static struct expr_text add_text(struct world *w, const char *text) {
    sv bytes = arena_copy_sv(&w->arena, sv_from_cstr(text));
    struct source *s = sources_add(&w->sources, SV("test"), bytes);
    return (struct expr_text){.text = bytes, .source = s->id};
}

const struct expr *world_parse(struct world *w, const char *text) {
    struct expr_text t = add_text(w, text);
    struct parse_context c = {&w->arena, &w->diags, &w->limits, &w->dialect};
    return lang_parse_text(&c, &t, false, NULL);
}

const struct expr *world_parse_expr(struct world *w, const char *text) {
    struct expr_text t = add_text(w, text);
    struct parse_context c = {&w->arena, &w->diags, &w->limits, &w->dialect};
    return lang_parse_expr(&c, &t, 0, t.text.len);
}

struct cell *world_define(struct world *w, const char *name, const char *expr) {
    struct cell *c = ARENA_NEW(&w->arena, struct cell);
    c->expr = world_parse_expr(w, expr);
    c->path = sv_from_cstr(name);
    c->at = c->expr->at;
    map_put(&w->cells, sv_from_cstr(name), c);
    return c;
}

struct cell *world_define_value(struct world *w, const char *name, value v) {
    struct cell *c = ARENA_NEW(&w->arena, struct cell);
    c->path = sv_from_cstr(name);
    cell_set(c, v);
    map_put(&w->cells, sv_from_cstr(name), c);
    return c;
}

value world_eval(struct world *w, const char *expr) {
    const struct expr *e = world_parse_expr(w, expr);
    if (w->ev == NULL) {
        world_restart(w);
    }
    return eval_expr(w->ev, e, NULL);
}

value world_get(struct world *w, const char *name) {
    if (w->ev == NULL) {
        world_restart(w);
    }
    return eval_cell(w->ev, map_find(&w->cells, sv_from_cstr(name)));
}

const char *world_show(struct world *w, value v) {
    if (v.kind == VALUE_ERROR || v.kind == VALUE_PENDING) {
        return v.kind == VALUE_ERROR ? "ERROR" : "PENDING";
    }
    if (v.kind == VALUE_ABSENT || v.kind == VALUE_UNKNOWN) {
        return value_get_kind_name((enum value_kind)v.kind);
    }
    return arena_copy_cstr(&w->arena, value_print_json(&w->arena, v, 0, REDACT));
}

const char *world_list_diags(struct world *w) {
    struct buf out = BUF(&w->arena);
    for (size_t i = 0; i < w->diags.items.len; i++) {
        const struct diag *d = w->diags.items.items[i];
        sv code = diag_get_code_name(d);
        buf_printf(&out, "%s%.*s@%u+%u", i == 0 ? "" : " ", SV_ARG(code), d->at.offset, d->at.length);
    }
    return arena_copy_cstr(&w->arena, buf_get_sv(&out));
}

static const struct type *ref_type(void *user, const struct expr *ref) {
    struct world *w = user;
    size_t used = 0;
    const struct cell *c = map_find(&w->cells, get_name(ref, &used));
    if (c == NULL) {
        diags_add(&w->diags, DIAG_missing_value, ref->at, "not found");
        return NULL;
    }
    struct parse_context context = {&w->arena, &w->diags, &w->limits, &w->dialect};
    return lang_check_steps(&context, c->type != NULL ? c->type : type_of_value(&w->arena, c->result), ref, used);
}

const struct type *world_check_expr(struct world *w, const struct expr *e) {
    static const struct check_ops ops = {.ref_type = ref_type};
    struct parse_context c = {&w->arena, &w->diags, &w->limits, &w->dialect};
    return lang_check_result(&c, e, &ops, w);
}

const struct type *world_check(struct world *w, const char *text) {
    return world_check_expr(w, world_parse(w, text));
}
