/* Runs: the cascade of stages (DY-232, DY-233), questions about its result, limits. */
#include "base/num.h"
#include "dialects/dynaml/document.h"
#include "dialects/dynaml/internal.h"
#include "dialects/dynaml/notes.h"
#include "dialects/dynaml/report.h"

#include <assert.h>

const struct dynaml_limits dynaml_limits_default = {
    .file = UINT64_C(64) << 20,
    .depth = 1000,
    .expression = 500,
    .calls = 10000,
    .steps = 100000000,
    .items = 10000000,
    .memory = UINT64_C(2) << 30,
    .aliases = 100000,
    .exec = 300,
};

uint64_t *dynaml_limits_find(struct dynaml_limits *l, sv name) {
    struct {
        const char *name;
        uint64_t *limit;
    } all[] = {{"file", &l->file},     {"depth", &l->depth},     {"expression", &l->expression},
               {"calls", &l->calls},   {"steps", &l->steps},     {"items", &l->items},
               {"memory", &l->memory}, {"aliases", &l->aliases}, {"exec", &l->exec}};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        if (sv_eq_cstr(name, all[i].name))
            return all[i].limit;
    }
    return NULL;
}

/* 0 stands for the default. */
static struct dynaml_limits fill(const struct dynaml_limits *given) {
    struct dynaml_limits l = *given, d = dynaml_limits_default;
    static const char *const names[] = {"file",  "depth",  "expression", "calls", "steps",
                                        "items", "memory", "aliases",    "exec"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        uint64_t *limit = dynaml_limits_find(&l, sv_from_cstr(names[i]));
        if (*limit == 0)
            *limit = *dynaml_limits_find(&d, sv_from_cstr(names[i]));
    }
    return l;
}

/* Of a value at least, when it is written: what is shared in memory is not shared there. */
enum { WRITTEN_BYTES = 64 };

struct dynaml_run *dynaml_run_new(const struct dynaml_options *options) {
    struct dynaml_run *run = ARENA_NEW(options->arena, struct dynaml_run);
    run->o = *options;
    run->a = options->arena;
    run->o.limits = fill(&options->limits);
    run->limits = limits_default;
    run->limits.document_bytes = (size_t)run->o.limits.file;
    run->limits.nesting = (size_t)run->o.limits.depth;
    run->limits.alias_nodes = (size_t)run->o.limits.aliases;
    run->limits.eval_steps = run->o.limits.steps;
    run->limits.result_text = (size_t)run->o.limits.file;
    run->limits.result_items = (size_t)run->o.limits.items;
    run->limits.value_weight = (size_t)run->o.limits.memory / WRITTEN_BYTES;
    run->limits.value_depth = (size_t)run->o.limits.depth;
    run->programs = MAP(run->a);
    run->files = MAP(run->a);
    run->key_index = MAP(run->a);
    if (options->wants_details) {
        run->notes = ARENA_NEW(run->a, struct notes);
        notes_init(run->notes, run->a);
    }
    return run;
}

const struct dynaml_problem *dynaml_get_problem(const struct dynaml_run *run) {
    return &run->problem;
}

size_t dynaml_get_warnings(const struct dynaml_run *run, const sv **lines) {
    *lines = run->warnings.items;
    return run->warnings.len;
}

/* --- the cascade --- */

static void describe_limit(const struct stage *s, struct dynaml_result *result) {
    struct buf path = BUF(s->a);
    const struct place *shown = s->exceeded_at;
    for (const struct place *at = shown; at != NULL; at = at->parent != NULL ? at->parent : at->use)
        shown = at->parent == NULL && at->use != NULL ? at->use : shown; /* a copy is told by what uses it */
    if (shown != NULL)
        place_print_path(&path, shown);
    result->limit =
        arena_printf(s->a, "limit '%.*s' (%llu) exceeded in %.*s at %.*s", SV_ARG(s->run->limit),
                     (unsigned long long)s->run->limit_value, SV_ARG(s->document->name), SV_ARG(buf_get_sv(&path)));
}

/* False: the run ends here, and `result` tells why. */
static bool process(struct stage *s, struct place *p, struct dynaml_result *result) {
    result->is_resolved = stage_run(s, p, &result->document);
    if (result->is_resolved)
        return true;
    if (s->run->limit.len > 0)
        describe_limit(s, result);
    else
        report_collect(s, p, result);
    return false;
}

bool run_cascade(struct dynaml_run *run, struct dynaml_document *const *documents, size_t count, struct stage *stages,
                 struct dynaml_result *result) {
    value *processed = ARENA_ARRAY(run->a, value, count + 1);
    *result = (struct dynaml_result){0};
    assert(count > 0); /* the template */
    for (size_t i = count; i-- > 0;) {
        struct stage *s = &stages[i];
        *s = (struct stage){
            .run = run, .document = documents[i], .stubs = processed + i + 1, .stub_count = count - i - 1};
        stage_open(s);
        if (!process(s, s->root, result))
            return false;
        processed[i] = result->document;
    }
    return true;
}

void dynaml_merge(struct dynaml_run *run, struct dynaml_document *const *documents, size_t count,
                  struct dynaml_result *result) {
    run_cascade(run, documents, count, ARENA_ARRAY(run->a, struct stage, count), result);
}

/* --- questions (DY-350) --- */

value dynaml_find(value document, const sv *steps, size_t count) {
    struct arena scratch = {0};
    struct dynaml_run run = {.a = &scratch, .key_index = MAP(&scratch)};
    value v = document;
    for (size_t i = 0; i < count && value_is_set(v); i++)
        v = overlay_find(&run, v, steps[i]);
    arena_fini(&scratch);
    return v;
}

size_t dynaml_split_path(struct arena *a, sv path, const sv **steps) {
    VEC(sv) all = {0};
    while (path.len > 0)
        VEC_PUSH(a, &all, sv_cut(&path, '.'));
    *steps = all.items;
    return all.len;
}

/* A value that is there, as a place that questions can be put below: its maps add their names (DY-110), its children
 * have the stub paths that they would have had. NULL for what is no map or list. */
static struct place *open_value(struct stage *s, struct place *p) {
    value v = p->cell.result;
    if (p->cell.state != CELL_DONE || (v.kind != VALUE_MAP && v.kind != VALUE_LIST))
        return NULL;
    const struct marks *m = marks_get(s->run, v);
    struct place *q = ARENA_NEW(s->a, struct place);
    place_get_found(s, p);
    *q = *p;
    q->kind = v.kind == VALUE_MAP ? PLACE_MAP : PLACE_LIST;
    q->source = v;
    q->home = q;
    q->is_final = true;
    q->key_field = m == NULL ? (sv){0} : m->key;
    q->inner = ARENA_NEW(s->a, struct scope);
    *q->inner = (struct scope){.outer = p->scope, .owner = q};
    if (v.kind == VALUE_LIST)
        q->inner = p->scope;
    shape_at_once(s, q);
    return q;
}

static struct place *find_item(struct stage *s, struct place *list, sv step) {
    struct place *waits = NULL;
    uint64_t index = 0;
    bool is_index = step.len > 2 && step.data[0] == '[' && step.data[step.len - 1] == ']' &&
                    num_parse_u64(sv_slice(step, 1, step.len - 1), 10, &index) == NUM_OK;
    if (!is_index)
        return place_find_item(s, list, step, &waits);
    return index < list->content.list->len ? place_get_child(s, list, (size_t)index) : NULL;
}

/* A part of a final value is final, but `merge` finds there what the stubs have. */
static struct place *take_step(struct stage *s, struct place *p, sv step) {
    struct place *next = p->kind == PLACE_MAP ? place_find_child(s, p, step) : find_item(s, p, step);
    if (next == NULL || !next->is_final || next->is_found_known)
        return next;
    next->is_final = false;
    place_get_found(s, next);
    next->is_final = true;
    return next;
}

/* The innermost place on the way that is there: its names are those that the question sees. */
static struct place *find_place(struct stage *s, const struct dynaml_question *question) {
    struct place *p = s->root;
    for (size_t i = 0; p != NULL; i++) {
        value ignored;
        stage_get_value(s, p, &ignored);
        struct place *around = p->is_shaped ? p : open_value(s, p);
        if (around == NULL)
            return p;
        if (i == question->at_count)
            return around;
        p = take_step(s, around, question->at[i]);
        if (p == NULL)
            return around;
    }
    return p;
}

static struct place *make_question(struct stage *s, const struct dynaml_question *question) {
    struct place *around = find_place(s, question), *q = place_new(s, NULL, value_string(s->a, question->expression));
    struct origin *origin = ARENA_NEW(s->a, struct origin);
    sv inner;
    *origin = (struct origin){.file = SV("eval")};
    if (!dynaml_is_expression(question->expression, &inner))
        inner = question->expression;
    q->use = q->home = around;
    q->scope = around->inner;
    q->origin = origin;
    q->expr = stage_parse(s, around, inner);
    q->kind = q->expr == NULL ? PLACE_UNPARSEABLE : PLACE_EXPRESSION;
    q->cell = (struct cell){.expr = q->expr, .scope = q->scope, .owner = q};
    if (q->expr == NULL)
        q->cell.expr = expr_new_error(s->a, SPAN_NONE);
    return q;
}

void dynaml_eval(struct dynaml_run *run, struct dynaml_document *const *documents, size_t count,
                 const struct dynaml_question *question, struct dynaml_result *result) {
    struct stage *stages = ARENA_ARRAY(run->a, struct stage, count);
    if (run_cascade(run, documents, count, stages, result))
        process(stages, make_question(stages, question), result);
}
