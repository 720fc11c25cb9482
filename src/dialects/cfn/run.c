/* The phases of a run (CF-006). */
#include "dialects/cfn/run.h"

#include "dialects/cfn/check.h"
#include "dialects/cfn/data.h"
#include "dialects/cfn/evaluate.h"
#include "dialects/cfn/output.h"
#include "dialects/cfn/read.h"
#include "dialects/cfn/rules.h"
#include "dialects/cfn/transforms.h"

#include "value/path.h"

struct cfn {
    const struct node *root; /* NULL: broken */
    struct source *source;
    bool is_json;
};

/* --- loading --- */

static bool has_type(const struct node *resources) {
    for (uint32_t i = 0; resources != NULL && resources->kind == NODE_MAPPING && i < resources->count; i++) {
        const struct node *type = node_find(resources->pairs[i].value, SV("Type"));
        if (type != NULL && type->kind == NODE_SCALAR && sv_find(type->text, SV("::")) != SIZE_MAX)
            return true;
    }
    return false;
}

bool cfn_is_template(const struct node *root) {
    if (root == NULL || root->kind != NODE_MAPPING)
        return false;
    return node_find(root, SV("AWSTemplateFormatVersion")) != NULL || has_type(node_find(root, SV("Resources")));
}

static bool is_root(struct diags *diags, const struct node *root) {
    struct cfn_call call;
    if (root->kind == NODE_MAPPING && !cfn_call_get(root, &call))
        return true;
    struct diag *d = diags_add(diags, DIAG_cfn_root, root->at, "a template is a map of sections");
    diag_set_hint(diags, d, "write 'Resources:' and what belongs to it");
    return false;
}

/* The reader knows places alone. */
static void add_paths(struct diags *diags, const struct node *root, const struct source *source) {
    for (size_t i = 0; root != NULL && i < diags->items.len; i++) {
        struct diag *d = diags->items.items[i];
        if (d->path.len == 0 && d->at.source == source->id)
            d->path = cfn_path_find_in(diags->arena, root, d->at);
    }
}

struct cfn *cfn_load(const struct cfn_load_options *options, struct source *source) {
    struct cfn_read r = {.arena = options->arena, .diags = options->diags, .limits = &cfn_limits};
    const struct node *root = cfn_read_tree(&r, source);
    add_paths(options->diags, root, source);
    if (root == NULL || !is_root(options->diags, root))
        return NULL;
    struct cfn *cfn = ARENA_NEW(options->arena, struct cfn);
    *cfn = (struct cfn){.root = root, .source = source, .is_json = r.is_json};
    return cfn;
}

bool cfn_is_json(const struct cfn *cfn) {
    return cfn->is_json;
}

struct source *cfn_get_source(const struct cfn *cfn) {
    return cfn->source;
}

/* --- a run --- */

static struct cfn_template *new_template(struct arena *a, const struct node *root) {
    struct cfn_template *t = ARENA_NEW(a, struct cfn_template);
    t->arena = a;
    t->written = t->root = root;
    t->at = root->at;
    struct map *maps[] = {&t->resources_by_name, &t->conditions_by_name, &t->outputs_by_name,
                          &t->mappings_by_name,  &t->parameters_by_name, &t->kept_loops};
    for (size_t i = 0; i < sizeof maps / sizeof *maps; i++)
        *maps[i] = MAP(a);
    return t;
}

struct cfn_run *cfn_run_open(const struct cfn *cfn, const struct cfn_inputs *inputs,
                             const struct cfn_options *options) {
    struct cfn_run *run = ARENA_NEW(options->arena, struct cfn_run);
    run->arena = options->arena;
    run->cfn = cfn;
    run->inputs = inputs;
    run->o = *options;
    run->o.mode = options->mode == 0 ? CFN_PARTIAL : options->mode;
    run->limits = options->limits == NULL ? cfn_limits : *options->limits;
    run->t = new_template(run->arena, cfn->root);
    run->node_maps = MAP(run->arena);
    run->part_cells = MAP(run->arena);
    cfn_notes_start(run);
    return run;
}

void cfn_run_close(struct cfn_run *run) {
    run->output = NULL;
    arena_fini(&run->scratch);
}

static void expand(struct cfn_run *run) {
    struct cfn_template *t = run->t;
    t->root = cfn_include_expand(run, t->root);
    t->root = cfn_foreach_expand(run, t->root);
    t->root = cfn_sam_merge_globals(run, t->root);
}

bool cfn_run_check(struct cfn_run *run) {
    cfn_evaluate_early(run);
    cfn_sections_begin(run);
    run->parameters = ARENA_ARRAY(run->arena, value, run->t->parameters.len + 1);
    for (size_t i = 0; i < run->t->parameters.len; i++)
        run->parameters[i] = cfn_failed(run);
    cfn_parameters_resolve(run);
    cfn_mappings_check(run);
    expand(run);
    cfn_sections_finish(run);
    cfn_check_template(run);
    run->is_checked = !diags_has_errors(run->o.diags);
    return run->is_checked;
}

static void decide_conditions(struct cfn_run *run) {
    for (size_t i = 0; i < run->t->conditions.len; i++)
        eval_cell(run->ev, &run->conditions[i]);
}

/* CF-210, CF-255 under --strict. */
static void refuse_unknowns(struct cfn_run *run) {
    const struct cfn_report_entry *entries;
    size_t count = cfn_run_get_report(run, &entries);
    for (size_t i = 0; i < count; i++) {
        const struct cfn_report_entry *e = &entries[i];
        struct diag *d = NULL;
        if (e->kind == CFN_REPORT_UNKNOWN)
            d = diags_add(run->o.diags, DIAG_cfn_unknown, e->at, "the value is unknown: %.*s", SV_ARG(e->reason));
        else if (e->kind == CFN_REPORT_WITHHELD)
            d = diags_add(run->o.diags, DIAG_cfn_withheld, e->at, "the value is sensitive and cannot be printed");
        if (d == NULL)
            continue;
        d->path = e->path;
        for (size_t k = 0; k < e->chain_len; k++)
            diag_add_related(run->o.diags, d, e->chain[k], "needed here");
        diag_set_hint(run->o.diags, d, "%.*s",
                      SV_ARG(e->kind == CFN_REPORT_WITHHELD ? SV("--show-sensitive prints it") : e->hint));
    }
}

bool cfn_run_resolve(struct cfn_run *run) {
    if (!run->is_checked)
        return false;
    cfn_evaluate_start(run);
    cfn_rules_evaluate(run);
    decide_conditions(run);
    cfn_output_make(run);
    cfn_graph_check(run);
    if (run->o.mode == CFN_STRICT)
        refuse_unknowns(run);
    return !diags_has_errors(run->o.diags);
}

/* --- what came out --- */

static bool is_wanted(const struct cfn_style *style, sv section, sv name) {
    for (size_t i = 0; i < style->only_count; i++) {
        sv only = style->only[i], first = sv_cut(&only, '.');
        if (sv_eq(first, section) && (only.len == 0 || name.len == 0 || sv_eq(only, name)))
            return true;
    }
    return style->only_count == 0;
}

static bool is_whole(const struct cfn_style *style, sv section) {
    for (size_t i = 0; i < style->only_count; i++) {
        if (sv_eq(style->only[i], section))
            return true;
    }
    return style->only_count == 0;
}

static struct node *new_map(struct cfn_run *run, const struct node *from) {
    struct node *made = ARENA_NEW(run->arena, struct node);
    *made = *from;
    made->pairs = ARENA_ARRAY(run->arena, struct node_pair, from->count);
    made->count = 0;
    return made;
}

/* CF-282, --only. */
static const struct node *choose(struct cfn_run *run, const struct cfn_style *style) {
    if (style->only_count == 0)
        return run->output;
    struct node *made = new_map(run, run->output);
    for (uint32_t i = 0; i < run->output->count; i++) {
        struct node_pair pair = run->output->pairs[i];
        if (!is_wanted(style, pair.key->text, (sv){0}))
            continue;
        if (!is_whole(style, pair.key->text) && pair.value->kind == NODE_MAPPING) {
            struct node *section = new_map(run, pair.value);
            for (uint32_t k = 0; k < pair.value->count; k++) {
                if (is_wanted(style, pair.key->text, pair.value->pairs[k].key->text))
                    section->pairs[section->count++] = pair.value->pairs[k];
            }
            pair.value = section;
        }
        made->pairs[made->count++] = pair;
    }
    return made;
}

bool cfn_run_write(struct cfn_run *run, const struct cfn_style *style, struct buf *out) {
    bool has_errors = diags_has_errors(run->o.diags);
    if (run->output == NULL || (has_errors && (!run->o.keep_going || run->o.mode == CFN_STRICT)))
        return false;
    enum cfn_format format = style->format != 0 ? style->format : run->cfn->is_json ? CFN_JSON : CFN_YAML;
    const struct node *root = choose(run, style);
    if (format == CFN_JSON)
        cfn_write_json(run, root, out);
    else
        cfn_write_yaml(run, root, out);
    return true;
}

static const struct node *walk(const struct node *n, struct path p) {
    for (size_t i = 0; n != NULL && i < p.len; i++) {
        if (p.steps[i].is_index)
            n = n->kind == NODE_SEQUENCE && p.steps[i].index < n->count ? n->items[p.steps[i].index] : NULL;
        else
            n = node_find(n, p.steps[i].key);
    }
    return n;
}

static bool has_call(const struct node *n, size_t depth) {
    struct cfn_call call;
    if (cfn_call_get(n, &call))
        return true;
    for (uint32_t i = 0; depth > 0 && (n->kind == NODE_MAPPING || n->kind == NODE_SEQUENCE) && i < n->count; i++) {
        if (has_call(n->kind == NODE_MAPPING ? n->pairs[i].value : n->items[i], depth - 1))
            return true;
    }
    return false;
}

value cfn_run_get(struct cfn_run *run, sv path) {
    enum { DEEPEST = 1000 };
    struct path p;
    if (run->output == NULL || !path_parse(run->arena, path, &p))
        return (value){0};
    const struct node *n = walk(run->output, p);
    if (n == NULL)
        return (value){0};
    return has_call(n, DEEPEST) ? value_unknown(NULL) : cfn_literal_get(run, n);
}
