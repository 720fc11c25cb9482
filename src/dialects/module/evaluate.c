#include "dialects/module/evaluate.h"

#include "dialects/module/check.h"
#include "dialects/module/run.h"
#include "doc/reader.h"

static value evaluate_frame(struct module_run *r, struct module_frame *f);

struct module_run *module_run_new(const struct module_run_options *options) {
    struct arena *a = options->set->arena;
    struct module_run *r = ARENA_NEW(a, struct module_run);
    *r = (struct module_run){.user = {.read_file = module_read_file}, .o = *options, .set = options->set};
    r->read = MAP(a);
    r->told_nulls = MAP(a);
    struct eval_options o = {.arena = a,
                             .diags = r->set->diags,
                             .limits = &r->set->limits,
                             .ops = &module_eval_ops,
                             .user = r,
                             .policy = module_dialect.policy,
                             .sources = r->set->sources};
    r->ev = eval_new(&o);
    return r;
}

/* --- arguments (MD-051, MD-055, MD-223, MD-260) --- */

/* Where an argument is written: in a call, or given from outside. */
struct origin {
    const struct node *node;
    span at;
    const struct module_given *given;
};

static span find_place(const struct origin *o, struct path path) {
    for (size_t i = 0; o->given != NULL && path.len > 0 && i < o->given->keys.len; i++) {
        const struct module_given_key *k = &o->given->keys.items[i];
        struct path rest = {path.steps + 1, path.len - 1};
        if (sv_eq(k->key, path.steps[0].key))
            return module_find_place(k->node, k->node->at, rest);
    }
    return module_find_place(o->node, o->at, path);
}

static void report_violations(struct module_run *r, const struct json_schema_violations *found, sv prefix,
                              const struct origin *o) {
    for (size_t i = 0; i < found->items.len; i++) {
        const struct json_schema_violation *v = &found->items.items[i];
        struct buf at = BUF(r->set->arena);
        struct path path = v->at;
        if (prefix.len > 0) {
            path = path_with_key(r->set->arena, (struct path){0}, prefix);
            for (size_t k = 0; k < v->at.len; k++)
                path = v->at.steps[k].is_index ? path_with_index(r->set->arena, path, v->at.steps[k].index)
                                               : path_with_key(r->set->arena, path, v->at.steps[k].key);
        }
        json_pointer_append(&at, path);
        sv pointer = buf_get_sv(&at);
        diags_add(r->set->diags, DIAG_module_argument, find_place(o, path), "argument%.*s: %.*s (schema %.*s)",
                  SV_ARG(pointer), SV_ARG(v->message), SV_ARG(v->schema.len > 0 ? v->schema : SV("/")));
    }
}

static value check_schema(struct module_run *r, const struct json_schema *schema, value v, sv prefix,
                          const struct origin *o) {
    struct json_schema_violations found = {0};
    json_schema_check(r->set->arena, schema, v, &found);
    report_violations(r, &found, prefix, o);
    return found.items.len > 0 ? value_error(NULL) : json_schema_mark_secrets(r->set->arena, schema, v);
}

/* MD-223 */
static value take_parameter(struct module_run *r, const struct module_parameter *p, value given,
                            const struct origin *o) {
    struct arena *a = r->set->arena;
    value v = given;
    if (!value_is_set(v) || v.kind == VALUE_NULL)
        v = value_is_set(p->fallback) ? p->fallback : value_null();
    if (p->schema == NULL)
        return v;
    v = json_schema_fill(a, p->schema, v);
    if (!value_is_set(v)) {
        diags_add(r->set->diags, DIAG_module_schema, p->at, "the defaults of '%.*s' fill in each other without end",
                  SV_ARG(p->name));
        return value_error(NULL);
    }
    return check_schema(r, p->schema, v, p->name, o);
}

static value take_parameters(struct module_run *r, const struct module_code *code, value argument,
                             const struct origin *o) {
    struct map_builder b = {.arena = r->set->arena};
    bool ok = true;
    for (size_t i = 0; i < argument.map->len; i++)
        map_set(&b, argument.map->entries[i].key, argument.map->entries[i].item);
    for (size_t i = 0; i < code->parameters.len; i++) {
        const struct module_parameter *p = &code->parameters.items[i];
        value v = take_parameter(r, p, value_map_find(argument, p->name), o);
        ok = ok && !value_is_error(v);
        map_set(&b, p->name, v);
    }
    return ok ? value_mark(map_done(&b), argument.marks) : value_error(NULL);
}

/* What `parameter` is in a module that gets this argument. */
static value take_argument(struct module_run *r, const struct module_code *code, value argument,
                           const struct origin *o) {
    struct arena *a = r->set->arena;
    if (argument.kind != VALUE_MAP)
        return argument; /* unknown, or failed */
    if (code->form == MODULE_LIST_FORM)
        return take_parameters(r, code, argument, o);
    if (code->schema == NULL)
        return argument;
    value v = json_schema_fill(a, code->schema, argument);
    if (!value_is_set(v)) {
        diags_add(r->set->diags, DIAG_module_schema, code->name_at,
                  "the defaults of '%.*s' fill in each other without end", SV_ARG(code->name));
        return value_error(NULL);
    }
    return check_schema(r, code->schema, v, (sv){0}, o);
}

/* --- calls --- */

static value evaluate_argument(struct module_run *r, const struct module_call *call, struct scope *scope) {
    struct map_builder empty = {.arena = r->set->arena};
    if (call->argument == NULL)
        return map_done(&empty);
    value v = eval_expr(r->ev, call->argument, scope);
    if (v.kind == VALUE_MAP || v.kind == VALUE_UNKNOWN || value_is_error(v))
        return v;
    diags_add(r->set->diags, DIAG_module_value, call->argument_at, "an argument must be a map, not %s",
              module_kind_name(v));
    return value_error(NULL);
}

/* An expression as target must name a provider. */
static bool take_target(struct module_run *r, const struct module_call *call, struct scope *scope, sv *target) {
    *target = call->target;
    if (call->make_target == NULL)
        return call->module != NULL || call->provider.len > 0;
    value v = eval_expr(r->ev, call->make_target, scope);
    if (v.kind == VALUE_UNKNOWN) {
        *target = SV("?");
        return true;
    }
    bool is_text = v.kind == VALUE_STRING && !value_is_sensitive(v);
    sv provider = is_text ? module_normalise_provider(r->set->arena, value_get_text(v)) : (sv){0};
    if (is_text)
        *target = value_get_text(v);
    if (value_is_error(v) || module_is_provider(provider))
        return !value_is_error(v);
    if (is_text && sv_find_char(*target, '/') != SIZE_MAX)
        diags_add(r->set->diags, DIAG_module_unknown_name, call->target_at, "unknown provider '%.*s'",
                  SV_ARG(sv_slice(*target, 0, 80)));
    else
        diags_add(r->set->diags, DIAG_module_value, call->target_at, "an expression in 'module' must give a provider");
    return false;
}

static sv join_address(struct module_run *r, sv outer, sv name) {
    return outer.len == 0 ? name : arena_printf(r->set->arena, "%.*s.%.*s", SV_ARG(outer), SV_ARG(name));
}

static value bind(struct module_run *r, const struct module_call *call) {
    struct map_builder b = {.arena = r->set->arena};
    for (size_t i = 0; i < call->bindings.len; i++) {
        const struct module_binding *binding = &call->bindings.items[i];
        uintptr_t number = (uintptr_t)map_find(&r->frame->by_name, binding->local);
        value passed = r->frame->dependencies.kind == VALUE_MAP ? value_map_find(r->frame->dependencies, binding->local)
                                                                : (value){0};
        value v = number != 0 ? r->frame->units.items[number - 1].result : passed;
        map_set(&b, binding->name, value_is_set(v) ? v : value_null());
    }
    return map_done(&b);
}

static value call_module(struct module_run *r, const struct module_call *call, sv address, value argument) {
    struct origin o = {.node = call->argument_node, .at = call->argument != NULL ? call->argument_at : call->target_at};
    struct module_frame f = {.outer = r->frame, .code = call->module, .address = address};
    if (call->module->is_broken)
        return value_error(NULL);
    f.dependencies = bind(r, call);
    f.parameter = take_argument(r, call->module, argument, &o);
    if (value_is_error(f.parameter))
        return value_error(NULL);
    struct module_frame *outer = r->frame;
    value v = evaluate_frame(r, &f);
    r->frame = outer;
    return v;
}

enum condition { CONDITION_HOLDS = 1, CONDITION_FAILS, CONDITION_UNKNOWN, CONDITION_BROKEN };

static enum condition evaluate_condition(struct module_run *r, const struct module_call *call, struct scope *scope) {
    if (call->condition == NULL)
        return CONDITION_HOLDS;
    value v = eval_expr(r->ev, call->condition, scope);
    if (value_is_error(v))
        return CONDITION_BROKEN;
    if (v.kind == VALUE_UNKNOWN)
        return CONDITION_UNKNOWN;
    if (v.kind == VALUE_BOOL)
        return v.boolean ? CONDITION_HOLDS : CONDITION_FAILS;
    diags_add(r->set->diags, DIAG_module_value, call->condition_at, "'if' needs a boolean");
    return CONDITION_BROKEN;
}

/* However many times `for` multiplies them. */
static bool has_room(struct module_run *r, const struct module_call *call) {
    bool has = r->outcome->steps.len < r->set->limits.elements;
    if (!has)
        diags_add(r->set->diags, DIAG_limit_exceeded, call->name_at, "there are more than %zu calls",
                  r->set->limits.elements);
    return has;
}

static value carry_out(struct module_run *r, const struct module_call *call, struct scope *scope, sv name) {
    sv target = {0};
    if (!has_room(r, call))
        return value_error(NULL);
    sv address = join_address(r, r->frame->address, name);
    bool has_target = take_target(r, call, scope, &target);
    r->frame->target = target;
    value argument = evaluate_argument(r, call, scope);
    if (!has_target || value_is_error(argument) || (argument.within & WITHIN_ERROR) != 0)
        return value_error(NULL);
    VEC_PUSH(r->set->arena, &r->outcome->steps,
             ((struct module_step){.address = address,
                                   .target = target,
                                   .argument = argument,
                                   .is_module = call->module != NULL,
                                   .is_unsure = r->unsure > 0}));
    return call->module != NULL ? call_module(r, call, address, argument) : value_unknown(NULL);
}

/* MD-161 for calls, MD-162. */
static value evaluate_copy(struct module_run *r, const struct module_call *call, const struct module_copy *copy) {
    r->frame->call = call;
    r->frame->copy = copy;
    r->frame->target = call->target;
    enum condition c = evaluate_condition(r, call, copy->scope);
    if (c == CONDITION_FAILS)
        return value_null();
    if (c == CONDITION_BROKEN)
        return value_error(NULL);
    r->unsure += c == CONDITION_UNKNOWN;
    value v = carry_out(r, call, copy->scope, copy->name);
    r->unsure -= c == CONDITION_UNKNOWN;
    return c == CONDITION_UNKNOWN && !value_is_error(v) ? value_unknown(NULL) : v;
}

static void evaluate_unit(struct module_run *r, struct module_unit *unit) {
    struct list_builder items = {.arena = r->set->arena};
    bool ok = true;
    if (unit->is_unknown || unit->is_failed) {
        unit->result = unit->is_unknown ? value_unknown(NULL) : value_error(NULL);
        return;
    }
    for (size_t i = 0; i < unit->count; i++) {
        value v = evaluate_copy(r, unit->call, &unit->copies[i]);
        ok = ok && !value_is_error(v);
        list_add(&items, v);
        if (!unit->is_indexed)
            unit->result = v;
    }
    if (unit->is_indexed)
        unit->result = ok ? list_done(&items) : value_error(NULL);
}

/* MD-182 */
static value make_result(struct module_run *r, const struct module_frame *f) {
    struct map_builder b = {.arena = r->set->arena};
    map_set(&b, SV("parameter"), f->parameter);
    for (size_t i = 0; i < f->units.len; i++)
        map_set(&b, f->units.items[i].name, f->units.items[i].result);
    value v = map_done(&b);
    v.word = MODULE_WORD_INSTANCE;
    return v;
}

static value evaluate_frame(struct module_run *r, struct module_frame *f) {
    bool ok = true;
    r->frame = f;
    if (!module_expand(r, f))
        return value_error(NULL);
    for (size_t i = 0; i < f->units.len; i++) {
        struct module_unit *unit = &f->units.items[f->order[i]];
        evaluate_unit(r, unit);
        ok = ok && !value_is_error(unit->result);
    }
    return ok ? make_result(r, f) : value_error(NULL);
}

/* --- from outside --- */

static void give_key(struct module_run *r, struct module_given *given, sv key, const struct node *n) {
    struct module_fields f = module_make_fields(r->set);
    const struct expr *e = module_field(&f, n);
    for (size_t i = 0; i < given->keys.len; i++) {
        if (sv_eq(given->keys.items[i].key, key)) {
            given->keys.items[i] = (struct module_given_key){key, e, n};
            return;
        }
    }
    VEC_PUSH(r->set->arena, &given->keys, ((struct module_given_key){key, e, n}));
}

bool module_give(struct module_run *r, struct module_given *given, struct source *source, sv key) {
    struct module_trees trees = {0};
    size_t errors = r->set->diags->errors;
    module_read_trees(r->set, source, &trees);
    const struct node *n = trees.roots.len > 0 ? trees.roots.items[0] : NULL;
    if (r->set->diags->errors > errors)
        return false;
    if (trees.roots.len > 1) {
        diags_add(r->set->diags, DIAG_module_argument, trees.roots.items[1]->at, "an argument is one document");
        return false;
    }
    if (key.len > 0) {
        struct node *empty = ARENA_NEW(r->set->arena, struct node);
        *empty = (struct node){.kind = NODE_SCALAR, .style = NODE_EMPTY, .at = span_make(source, 0, 0)};
        give_key(r, given, key, n == NULL ? empty : n);
        return r->set->diags->errors == errors;
    }
    if (n != NULL && n->kind != NODE_MAPPING) {
        diags_add(r->set->diags, DIAG_module_argument, n->at, "the argument must be a mapping, this is %s",
                  node_get_kind_name(n));
        return false;
    }
    for (uint32_t i = 0; n != NULL && i < n->count; i++)
        give_key(r, given, n->pairs[i].key->text, n->pairs[i].value);
    return r->set->diags->errors == errors;
}

/* MD-271: `$env` is the only root here. */
static value evaluate_given(struct module_run *r, const struct module_given *given) {
    static const struct module_code nothing = {.form = MODULE_SCHEMA_FORM};
    struct module_frame f = {.code = &nothing, .by_name = MAP(r->set->arena)};
    struct map_builder b = {.arena = r->set->arena};
    f.parameter = value_null();
    r->frame = &f;
    value v = value_null();
    for (size_t i = 0; i < given->keys.len && !value_is_error(v); i++) {
        v = eval_expr(r->ev, given->keys.items[i].e, NULL);
        map_set(&b, given->keys.items[i].key, v);
    }
    r->frame = NULL;
    return value_is_error(v) ? v : map_done(&b);
}

bool module_evaluate(struct module_run *r, const struct module_code *code, const struct module_given *given,
                     struct module_outcome *outcome) {
    struct module_frame f = {.code = code};
    struct origin o = {.at = code->name_at, .given = given};
    r->outcome = outcome;
    outcome->result = value_error(NULL);
    f.parameter = evaluate_given(r, given);
    if (!value_is_error(f.parameter))
        f.parameter = take_argument(r, code, f.parameter, &o);
    if (!value_is_error(f.parameter) && !code->is_broken)
        outcome->result = evaluate_frame(r, &f);
    r->frame = NULL;
    return !value_is_error(outcome->result);
}

value module_evaluate_text(struct module_run *r, struct source *text, const struct module_given *given) {
    static const struct module_code nothing = {.form = MODULE_SCHEMA_FORM};
    struct module_frame f = {.code = &nothing, .by_name = MAP(r->set->arena)};
    struct expr_text t = {.text = text->bytes, .source = text->id};
    struct parse_context c = {
        .arena = r->set->arena, .diags = r->set->diags, .limits = &r->set->limits, .dialect = &module_dialect};
    bool is_text = lang_has_substitution(&module_dialect, text->bytes);
    f.parameter = evaluate_given(r, given);
    if (value_is_error(f.parameter))
        return f.parameter;
    r->frame = &f;
    const struct expr *e = is_text ? lang_parse_text(&c, &t, false, NULL) : lang_parse_expr(&c, &t, 0, text->bytes.len);
    value v = eval_expr(r->ev, e, NULL);
    r->frame = NULL;
    return v;
}
