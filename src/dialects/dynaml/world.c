/* Functions that touch the world: env exec read (DY-158, DY-159, DY-166, DY-185). */
#include "base/num.h"
#include "dialects/dynaml/directives.h"
#include "dialects/dynaml/document.h"
#include "dialects/dynaml/internal.h"
#include "dialects/dynaml/output.h"

static struct stage *get_stage(const struct fn_call *c) {
    return eval_get_user(c->ev);
}

static value fail_switched_off(struct fn_call *c) {
    return dynaml_fail(c, "'%.*s' is switched off", SV_ARG(c->fn->name));
}

/* --- env --- */

struct names {
    VEC(sv) items;
    bool is_map;
};

static bool add_name(struct fn_call *c, struct names *n, value v) {
    struct buf text = BUF(c->arena);
    if (!dynaml_print_text(&text, v))
        return false;
    VEC_PUSH(c->arena, &n->items, buf_get_sv(&text));
    return true;
}

static value collect_names(struct fn_call *c, struct names *n) {
    for (size_t i = 0; i < c->count; i++) {
        value v = c->args[i];
        if (v.kind != VALUE_LIST) {
            if (!add_name(c, n, v))
                return dynaml_fail(c, "env argument %zu must be simple value or list", i);
            continue;
        }
        n->is_map = true;
        for (size_t k = 0; k < v.list->len; k++) {
            if (!add_name(c, n, v.list->items[k]))
                return dynaml_fail(c, "elements of list(arg %zu) to join must be simple values", i);
        }
    }
    return value_null();
}

static value call_env(struct fn_call *c) {
    struct stage *s = get_stage(c);
    struct host *host = s->run->o.host;
    struct names names = {.is_map = c->count > 1};
    if (s->run->o.no_env)
        return fail_switched_off(c);
    value v = collect_names(c, &names);
    if (v.kind == VALUE_ERROR)
        return v;
    struct map_builder b = {.arena = c->arena};
    uint32_t word = 0;
    for (size_t i = 0; i < names.items.len; i++) {
        sv name = names.items.items[i], text;
        bool is_set = host->ops->find_env(host->user, c->arena, name, &text);
        if (names.items.len == 1 && !is_set)
            return dynaml_fail(c, "environment variable '%.*s' not set", SV_ARG(name));
        if (!is_set)
            continue;
        v = dynaml_make_string(c->arena, text);
        word |= v.word;
        map_set(&b, name, v);
    }
    if (names.items.len == 1)
        return v;
    value map = map_done(&b);
    map.word = word;
    return map;
}

/* --- exec --- */

static bool add_argument(struct fn_call *c, struct names *n, value v) {
    struct buf text = BUF(c->arena);
    if (v.kind == VALUE_NULL)
        return false;
    if (v.kind == VALUE_STRING || v.kind == VALUE_INT) {
        dynaml_print_text(&text, v);
    } else {
        buf_append_cstr(&text, "---\n");
        dynaml_write_yaml(&text, v);
    }
    VEC_PUSH(c->arena, &n->items, buf_get_sv(&text));
    return true;
}

static value collect_arguments(struct fn_call *c, struct names *n) {
    const value *args = c->args;
    size_t count = c->count;
    if (count == 1 && args[0].kind == VALUE_LIST) {
        count = args[0].list->len;
        args = args[0].list->items;
        if (count == 0)
            return dynaml_fail(c, "command argument must be string");
    }
    if (args[0].kind == VALUE_LIST)
        return dynaml_fail(c, "list not allowed for command argument");
    if (args[0].kind != VALUE_STRING && args[0].kind != VALUE_INT)
        return dynaml_fail(c, "command argument must be string");
    for (size_t i = 0; i < count; i++) {
        if (!add_argument(c, n, args[i]))
            return dynaml_fail(c, "command argument must be string");
    }
    return value_null();
}

/* Every argument with its length: no two lists have the same key. */
static sv make_key(struct arena *a, const struct names *n) {
    struct buf key = BUF(a);
    for (size_t i = 0; i < n->items.len; i++)
        buf_printf(&key, "%zu:%.*s", n->items.items[i].len, SV_ARG(n->items.items[i]));
    return buf_get_sv(&key);
}

static bool is_decimal(sv text, int64_t *n) {
    return text.len > 0 && text.data[0] != '+' && num_parse_i64(text, 10, n) == NUM_OK;
}

static value read_output(struct stage *s, sv output) {
    value v;
    int64_t n;
    if (sv_has_prefix(output, SV("---\n")) && document_parse_text(s->run, output, &v))
        return v;
    if (output.len > 0 && output.data[output.len - 1] == '\n')
        output.len--;
    return is_decimal(output, &n) ? value_int(n) : dynaml_make_string(s->a, output);
}

struct outcome {
    enum dynaml_ran ran;
    value v;
    sv limit; /* of reading what it printed; empty: none was exceeded */
    uint64_t limit_value;
};

static struct outcome *run_program(struct stage *s, const struct names *n) {
    const struct dynaml_options *o = &s->run->o;
    struct outcome *outcome = ARENA_NEW(s->a, struct outcome);
    sv output = {0};
    outcome->ran = o->world->run(o->world->user, s->a, n->items.items, n->items.len, (size_t)o->limits.file, &output);
    s->run->problem = (struct dynaml_problem){0};
    if (outcome->ran == DYNAML_RAN)
        outcome->v = read_output(s, output);
    outcome->limit = s->run->problem.limit;
    outcome->limit_value = s->run->problem.limit_value;
    return outcome;
}

/* A program that is stopped for its time or its output ends the run: `||` does not catch it (DY-362). */
static value give_outcome(struct fn_call *c, const struct outcome *outcome, sv program) {
    const struct dynaml_limits *l = &get_stage(c)->run->o.limits;
    if (outcome->limit.len > 0)
        return dynaml_exceed(c, outcome->limit, outcome->limit_value);
    switch (outcome->ran) {
    case DYNAML_RAN:
        return outcome->v;
    case DYNAML_RAN_BADLY:
        return dynaml_fail(c, "execution '%.*s' failed", SV_ARG(program));
    case DYNAML_RAN_TOO_LONG:
        return dynaml_exceed(c, SV("exec"), l->exec);
    case DYNAML_RAN_TOO_MUCH:
        return dynaml_exceed(c, SV("file"), l->file);
    }
    return value_null();
}

static value call_exec(struct fn_call *c) {
    struct stage *s = get_stage(c);
    struct names arguments = {0};
    if (s->run->o.no_exec)
        return fail_switched_off(c);
    value v = collect_arguments(c, &arguments);
    if (v.kind == VALUE_ERROR || arguments.items.len == 0)
        return v;
    void **slot = map_get_slot(&s->run->programs, make_key(s->a, &arguments), NULL);
    struct outcome *outcome = *slot;
    if (outcome == NULL) {
        outcome = run_program(s, &arguments);
        *slot = outcome;
    }
    return give_outcome(c, outcome, arguments.items.items[0]);
}

/* --- read --- */

static value check_read(struct fn_call *c, bool *is_text) {
    if (c->count > 2)
        return dynaml_fail(c, "read takes a maximum of two arguments");
    if (c->args[0].kind != VALUE_STRING)
        return dynaml_fail(c, "string value requiredfor file path");
    if (c->count == 2 && c->args[1].kind != VALUE_STRING)
        return dynaml_fail(c, "string value required for type");
    sv path = value_get_text(c->args[0]);
    sv type = c->count == 2 ? value_get_text(c->args[1]) : sv_has_suffix(path, SV(".yml")) ? SV("yaml") : SV("text");
    *is_text = sv_eq(type, SV("text"));
    if (!*is_text && !sv_eq(type, SV("yaml")))
        return dynaml_fail(c, "invalid file type [%.*s] %.*s", SV_ARG(path), SV_ARG(type));
    return value_null();
}

/* The file, read once per run; NULL: it cannot be read, for the reason of `*failed`. */
static const struct read_file *get_file(struct fn_call *c, sv path, value *failed) {
    struct dynaml_run *run = get_stage(c)->run;
    void **slot = map_get_slot(&run->files, path, NULL);
    struct read_file *f = *slot;
    if (f == NULL) {
        f = document_read_file(run, path);
        *slot = f;
    }
    if (f->is_read && f->bytes.len > run->o.limits.file) {
        *failed = dynaml_exceed(c, SV("file"), run->o.limits.file);
        return NULL;
    }
    if (f->is_read)
        return f;
    *failed = f->why.len == 0
                  ? dynaml_fail(c, "error reading [%.*s]: outside of the root directory", SV_ARG(path))
                  : dynaml_fail(c, "error reading [%.*s]: open %.*s: %.*s", SV_ARG(path), SV_ARG(path), SV_ARG(f->why));
    return NULL;
}

/* The content is evaluated as a copy is: its directive is asked for through an expression. */
static value process_yaml(struct fn_call *c, const struct read_file *f) {
    struct stage *s = get_stage(c);
    struct copy_request *r = ARENA_NEW(s->a, struct copy_request);
    struct origin *origin = ARENA_NEW(s->a, struct origin);
    *origin = (struct origin){.document = f->document, .file = f->path};
    *r = (struct copy_request){.source = f->document->written,
                               .scope = c->scope,
                               .origin = origin,
                               .issue = SV("yaml file resolution failed")};
    struct expr *e = expr_new(s->a, EXPR_DIRECTIVE, SPAN_NONE);
    e->op = DYNAML_CONTENT;
    e->call.data = r;
    return fn_call_request(c, (struct fn_request){.kind = FN_EVALUATE, .expr = e, .scope = c->scope});
}

static value call_read(struct fn_call *c) {
    bool is_text = false;
    void **state = fn_call_get_state(c);
    if (*state != NULL)
        return fn_call_get_answer(c);
    if (get_stage(c)->run->o.no_read)
        return fail_switched_off(c);
    value v = check_read(c, &is_text);
    if (v.kind == VALUE_ERROR)
        return v;
    const struct read_file *f = get_file(c, value_get_text(c->args[0]), &v);
    if (f == NULL)
        return v;
    if (is_text)
        return dynaml_make_string(c->arena, f->bytes);
    if (f->limit.len > 0)
        return dynaml_exceed(c, f->limit, f->limit_value);
    if (f->document == NULL)
        return dynaml_fail(c, "error parsing stub [%.*s]: %.*s", SV_ARG(f->path), SV_ARG(f->why));
    *state = c;
    return process_yaml(c, f);
}

DYNAML_FUNCTION_WITH(env, "DY-159", FN_HOST, call_env, "Variables of the environment", "env(\"HOME\")");
DYNAML_FUNCTION_WITH(exec, "DY-158", FN_HOST, call_exec, "What a program prints", "exec(\"date\", \"+%Y\")");
DYNAML_FUNCTION_WITH(read, "DY-163", FN_HOST, call_read, "The content of a file", "read(\"part.yml\")");

/* sorted */
static const struct fn_def *const defs[] = {
    &fn_env,
    &fn_exec,
    &fn_read,
};
const struct fn_table dynaml_world_functions = {.defs = defs, .count = sizeof defs / sizeof *defs};
