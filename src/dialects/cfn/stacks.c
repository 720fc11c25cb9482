/* Nested stacks. */
#include "dialects/cfn/stacks.h"

#include "dialects/cfn/evaluate.h"
#include "dialects/cfn/lookups.h"
#include "dialects/cfn/origin.h"

/* Behind lookups.h, by the stack's logical id. */
struct cfn_child {
    struct cfn_run *run; /* NULL: its template is not to be had, or is wrong */
    struct diags diags;
    bool is_failed; /* reported */
};

bool cfn_is_nested_stack(sv type) {
    return sv_eq(type, SV("AWS::CloudFormation::Stack")) || sv_eq(type, SV("AWS::Serverless::Application"));
}

static span get_place(const struct cfn_resource *r) {
    return r->e.key == NULL ? SPAN_NONE : r->e.key->at;
}

/* --- values from one run to another --- */

/* The reasons are with the first cause. */
static value carry_unknown(struct cfn_run *to, const struct cfn_run *from, value v, span at) {
    if (cfn_is_failed(from, v)) {
        return cfn_failed(to);
    }
    const struct cfn_note *old = cfn_note_get(from, v);
    bool is_list = old->is_list;
    while (old->cause != 0) {
        old = &from->notes.items[old->cause];
    }
    struct cfn_note note = {.more = old->more, .at = at, .reasons = old->reasons, .is_list = is_list};
    return cfn_note_put(to, value_unknown(NULL), &note);
}

value cfn_carry(struct cfn_run *to, struct cfn_run *from, value v, span at) {
    if (v.kind == VALUE_UNKNOWN) {
        return carry_unknown(to, from, v, at);
    }
    v.word &= ~CFN_WORD_NOTE;
    if (v.kind != VALUE_LIST) {
        return v;
    }
    struct list_builder b = {.arena = to->arena};
    for (size_t i = 0; i < v.list->len; i++) {
        list_add(&b, cfn_carry(to, from, v.list->items[i], at));
    }
    value list = value_mark(list_done(&b), v.marks & MARK_SENSITIVE);
    return cfn_with_origin(list, cfn_get_origin(v));
}

/* --- what a nested stack is made of --- */

struct nesting {
    struct cfn_run *run;
    const struct cfn_resource *r;
    struct cell *demand;
    bool waits; /* `demand` is needed first */
    const struct content *content;
    struct cfn_inputs *inputs;
};

static sv get_location(struct fetcher *f, const struct cfn_run *run) {
    struct source *source = cfn_get_source(run->cfn);
    const struct content *origin = source->origin;
    if (origin != NULL) {
        return origin->location;
    }
    const struct content *content = f->ops->base == NULL ? NULL : f->ops->base(f, source);
    return content == NULL ? source->path : content->location;
}

/* The file that a known text names; false: there is none to be had here. */
static bool read_template(struct nesting *n, sv location) {
    struct cfn_run *run = n->run;
    struct fetcher *f = run->o.fetcher;
    struct fetch_failure failure = {0};
    struct fetch_request request = {.arena = run->arena, .path = location};
    bool is_https = sv_has_prefix(location, SV("https://")) || sv_has_prefix(location, SV("http://"));
    bool is_mapped = cfn_include_find(run, location, &request.path);
    bool is_remote = !is_mapped && (is_https || sv_has_prefix(location, SV("s3://")));
    if (f == NULL || (is_remote && !run->o.allow_network)) {
        return false;
    }
    struct source *source = cfn_get_source(run->cfn);
    request.base = is_mapped || f->ops->base == NULL ? NULL : f->ops->base(f, source);
    n->content = is_remote && is_https ? f->ops->url(f, &request, &failure) : f->ops->file(f, &request, &failure);
    return n->content != NULL;
}

/* Found, waiting (false with a demand), or not to be had (false without). */
static bool find_template(struct nesting *n) {
    bool is_stack = sv_eq(n->r->type, SV("AWS::CloudFormation::Stack"));
    value url = {0};
    sv text = {0};
    n->waits = !cfn_property_find(n->run, n->r, is_stack ? SV("TemplateURL") : SV("Location"), &url, &n->demand);
    return !n->waits && value_is_set(url) && cfn_text_get(n->run, url, &text) && text.len > 0 && read_template(n, text);
}

/* One of the parent's Parameters (CF-261). */
static bool put_parameter(struct nesting *n, sv name, value item) {
    sv text = {0};
    if (item.kind == VALUE_ABSENT || !value_is_set(item)) {
        return true;
    }
    if (item.kind != VALUE_UNKNOWN && !cfn_text_get(n->run, item, &text)) {
        struct diag *d = cfn_report(n->run, DIAG_cfn_nested_parameter, get_place(n->r),
                                    "the parameter '%.*s' of the nested stack '%.*s' is text, not a list or a map",
                                    SV_ARG(sv_slice(name, 0, 80)), SV_ARG(n->r->e.name));
        cfn_hint(n->run, d, "join the items of a list: !Join [',', …]");
        return false;
    }
    cfn_inputs_put_parameter(n->inputs, name, item, get_place(n->r));
    return true;
}

/* Values still belong to the parent's run; carry_parameters moves them. */
static bool collect_parameters(struct nesting *n) {
    value given = {0};
    value topics = {0};
    n->waits = !cfn_property_find(n->run, n->r, SV("Parameters"), &given, &n->demand) ||
               !cfn_property_find(n->run, n->r, SV("NotificationARNs"), &topics, &n->demand);
    if (n->waits) {
        return false;
    }
    bool ok = true;
    for (size_t i = 0; given.kind == VALUE_MAP && i < given.map->len; i++) {
        ok = put_parameter(n, given.map->entries[i].key, given.map->entries[i].item) && ok;
    }
    if (topics.kind == VALUE_LIST || topics.kind == VALUE_UNKNOWN) {
        cfn_inputs_put_parameter(n->inputs, SV("AWS::NotificationARNs"), topics, get_place(n->r));
    }
    return ok;
}

static void carry_parameters(struct nesting *n, struct cfn_run *child) {
    value *map = &n->inputs->given->sections[CFN_SYMBOLS_PARAMETERS];
    struct map_builder b = {.arena = child->arena};
    for (size_t i = 0; map->kind == VALUE_MAP && i < map->map->len; i++) {
        const struct value_entry *e = &map->map->entries[i];
        map_add(&b, e->key, cfn_carry(child, n->run, e->item, get_place(n->r)));
    }
    *map = map_done(&b);
}

/* --- limits --- */

static size_t *count_stacks(struct cfn_run *run) {
    while (run->parent != NULL) {
        run = run->parent;
    }
    return &cfn_symbols_get(run)->stack_count;
}

static bool check_bounds(struct nesting *n) {
    size_t depth = 1;
    struct cfn_run *run = n->run;
    for (const struct cfn_run *at = run; at->parent != NULL; at = at->parent) {
        depth++;
    }
    if (depth > CFN_STACK_DEPTH || ++*count_stacks(run) > CFN_STACKS_MAX) {
        cfn_report(run, DIAG_limit_exceeded, get_place(n->r),
                   "there are more than %d levels of nested stacks, or %d of them", (int)CFN_STACK_DEPTH,
                   (int)CFN_STACKS_MAX);
        return false;
    }
    for (const struct cfn_run *at = run; at != NULL; at = at->parent) {
        if (sv_eq(get_location(run->o.fetcher, at), n->content->location)) {
            struct diag *d = cfn_report(run, DIAG_cfn_nested_cycle, get_place(n->r), "the stack '%.*s' contains itself",
                                        SV_ARG(n->r->e.name));
            cfn_hint(run, d, "take the nested stack out of the template that it is made of");
            return false;
        }
    }
    return true;
}

/* --- the run --- */

/* What was found in the child is told once, with the resource that it belongs to. */
static void take_findings(struct cfn_run *run, const struct cfn_child *child, const struct cfn_resource *r) {
    for (size_t i = 0; i < child->diags.items.len; i++) {
        const struct diag *from = child->diags.items.items[i];
        struct diag *d = diags_add(run->o.diags, from->code, from->at, "%.*s", SV_ARG(from->message));
        d->hint = from->hint;
        d->path = from->path;
        d->level = from->level;
        for (size_t k = 0; k < from->related.len; k++) {
            diag_add_related(run->o.diags, d, from->related.items[k].at, "%.*s", SV_ARG(from->related.items[k].text));
        }
        diag_add_related(run->o.diags, d, get_place(r), "of this nested stack");
    }
}

static struct source *add_source(struct cfn_run *run, const struct content *content) {
    struct source *source = sources_add(run->o.sources, content->name, content->bytes);
    source->path = content->path;
    source->origin = content;
    return source;
}

static void close_run(void *nested) {
    cfn_run_close(nested);
}

static void start(struct nesting *n, struct cfn_child *child) {
    struct cfn_run *run = n->run;
    diags_init(&child->diags, run->arena, run->o.sources);
    child->diags.strict = run->o.diags->strict;
    struct cfn_load_options load = {.arena = run->arena, .diags = &child->diags, .sources = run->o.sources};
    struct cfn *cfn = cfn_load(&load, add_source(run, n->content));
    if (cfn == NULL) {
        return;
    }
    struct cfn_options options = run->o;
    options.diags = &child->diags;
    struct cfn_run *nested = cfn_run_open(cfn, n->inputs, &options);
    arena_add_cleanup(run->arena, close_run, nested);
    nested->parent = run;
    nested->nested_id = n->r->e.name;
    nested->stack_path = run->stack_path.len == 0
                             ? n->r->e.name
                             : arena_printf(run->arena, "%.*s/%.*s", SV_ARG(run->stack_path), SV_ARG(n->r->e.name));
    carry_parameters(n, nested);
    cfn_inputs_close(n->inputs);
    if (cfn_run_check(nested) && cfn_run_resolve(nested)) {
        child->run = nested;
    }
}

/* NULL with a demand: not yet. */
static struct cfn_child *get_child(struct nesting *n) {
    struct cfn_symbols *s = cfn_symbols_get(n->run);
    struct cfn_child *child = map_find(&s->children, n->r->e.name);
    if (child != NULL) {
        return child;
    }
    n->inputs = cfn_inputs_new(n->run->arena, n->run->o.sources, n->run->o.diags);
    bool has_template = find_template(n);
    bool is_good = !n->waits && (!has_template || collect_parameters(n));
    if (n->waits) {
        return NULL;
    }
    child = ARENA_NEW(n->run->arena, struct cfn_child);
    map_put(&s->children, n->r->e.name, child);
    child->is_failed = has_template && (!is_good || !check_bounds(n));
    if (has_template && !child->is_failed) {
        start(n, child);
        take_findings(n->run, child, n->r);
        child->is_failed = child->run == NULL;
    }
    return child;
}

/* --- outputs --- */

static value fail_output(struct cfn_run *run, const struct cfn_resource *r, sv name, const char *why) {
    return cfn_fail(run, DIAG_cfn_output_unknown, get_place(r), "the nested stack '%.*s' has no output '%.*s'%s",
                    SV_ARG(r->e.name), SV_ARG(sv_slice(name, 0, 80)), why);
}

static value get_output(struct cfn_run *run, const struct cfn_resource *r, struct cfn_run *child, sv name) {
    const struct cfn_output *output = map_find(&child->t->outputs_by_name, name);
    if (output == NULL) {
        return fail_output(run, r, name, "");
    }
    int holds = output->condition == CFN_NONE ? 1 : cfn_condition_get(child, output->condition);
    if (holds == 0) {
        return fail_output(run, r, name, ": it is switched off");
    }
    value v = output->value_part != NULL ? cfn_part_evaluate(child, output->value_part)
                                         : cfn_literal_get(child, output->value);
    return cfn_carry(run, child, v, get_place(r));
}

enum cfn_lookup cfn_nested_output(struct cfn_run *run, const struct cfn_resource *r, sv name, value *result,
                                  struct cell **demand) {
    struct nesting n = {.run = run, .r = r};
    struct cfn_child *child = get_child(&n);
    if (child == NULL) {
        *demand = n.demand;
        return CFN_LOOKUP_WAIT;
    }
    if (child->is_failed) {
        *result = cfn_failed(run);
    } else if (child->run != NULL) {
        *result = get_output(run, r, child->run, name);
    } else {
        sv hint = arena_printf(run->arena, "--set %.*s.Outputs.%.*s=VALUE", SV_ARG(r->e.name),
                               SV_ARG(sv_slice(name, 0, 200)));
        *result = cfn_unknown(run, CFN_REASON_nested, get_place(r), hint);
    }
    return CFN_LOOKUP_VALUE;
}

/* --- StackName, StackId (CF-261) --- */

value cfn_nested_pseudo(struct cfn_run *child, enum cfn_pseudo p) {
    struct cfn_run *run = child->parent;
    sv attribute = p == CFN_STACK_NAME ? SV("StackName") : SV("Ref");
    struct cfn_query q = {.kind = CFN_QUERY_RESOURCE, .id = child->nested_id, .attribute = attribute};
    const struct cfn_asked *asked = cfn_lookup(run, &q);
    if (asked->found != CFN_ABSENT) {
        return cfn_carry(child, run, cfn_take_answer(run, asked, SPAN_NONE), SPAN_NONE);
    }
    sv parent = {0};
    if (p == CFN_STACK_NAME && child->o.stand_ins && cfn_pseudo_get_text(run, CFN_STACK_NAME, &parent)) {
        sv name = arena_printf(child->arena, "%.*s-%.*s", SV_ARG(parent), SV_ARG(child->nested_id));
        return cfn_with_origin(value_string(child->arena, name), CFN_STAND_IN);
    }
    if (child->o.stand_ins) {
        return (value){0}; /* made of the name, as that of any stack */
    }
    sv hint = arena_printf(child->arena, "--set %.*s%s=VALUE, or --stand-ins", SV_ARG(child->stack_path),
                           p == CFN_STACK_NAME ? ".StackName" : "");
    return cfn_unknown(child, CFN_REASON_generated, SPAN_NONE, hint);
}

/* --- all of them --- */

struct listing {
    VEC(struct cfn_nested) items;
};

static void list_nested(struct cfn_run *run, struct arena *a, struct listing *list) {
    for (size_t i = 0; i < run->t->resources.len; i++) {
        struct cfn_resource *r = run->t->resources.items[i];
        if (!cfn_is_nested_stack(r->type) || cfn_resource_is_off(run, r)) {
            continue;
        }
        struct nesting n = {.run = run, .r = r};
        struct cfn_child *child = get_child(&n);
        while (child == NULL) {
            eval_cell(run->ev, n.demand);
            child = get_child(&n);
        }
        if (child->run != NULL) {
            struct cfn_nested *nested = VEC_ADD(a, &list->items);
            *nested = (struct cfn_nested){.path = child->run->stack_path, .run = child->run};
            list_nested(child->run, a, list);
        }
    }
}

size_t cfn_run_resolve_nested(struct cfn_run *run, const struct cfn_nested **items) {
    struct listing list = {0};
    list_nested(run, run->arena, &list);
    *items = list.items.items;
    return list.items.len;
}
