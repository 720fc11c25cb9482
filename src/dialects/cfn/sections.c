#include "dialects/cfn/sections.h"

#include "base/hint.h"
#include "dialects/cfn/scalars.h"
#include "dialects/cfn/transforms.h"

enum { DESCRIPTION_BYTES = 1024, NAME_BYTES = 255 };

static const sv section_names[CFN_SECTION_COUNT] = {
    [CFN_SECTION_VERSION] = SV_INIT("AWSTemplateFormatVersion"),
    [CFN_SECTION_TRANSFORM] = SV_INIT("Transform"),
    [CFN_SECTION_DESCRIPTION] = SV_INIT("Description"),
    [CFN_SECTION_METADATA] = SV_INIT("Metadata"),
    [CFN_SECTION_HOOKS] = SV_INIT("Hooks"),
    [CFN_SECTION_PARAMETERS] = SV_INIT("Parameters"),
    [CFN_SECTION_MAPPINGS] = SV_INIT("Mappings"),
    [CFN_SECTION_RULES] = SV_INIT("Rules"),
    [CFN_SECTION_CONDITIONS] = SV_INIT("Conditions"),
    [CFN_SECTION_GLOBALS] = SV_INIT("Globals"),
    [CFN_SECTION_RESOURCES] = SV_INIT("Resources"),
    [CFN_SECTION_OUTPUTS] = SV_INIT("Outputs"),
};

sv cfn_section_get_name(enum cfn_section s) {
    return section_names[s];
}

enum cfn_section cfn_section_find(sv name) {
    for (int s = 0; s < CFN_SECTION_COUNT; s++) {
        if (sv_eq(section_names[s], name))
            return (enum cfn_section)s;
    }
    return CFN_SECTION_COUNT;
}

bool cfn_is_name(sv text) {
    for (size_t i = 0; i < text.len; i++) {
        char c = text.data[i];
        if (!(c >= '0' && c <= '9') && !((c | 32) >= 'a' && (c | 32) <= 'z'))
            return false;
    }
    return text.len > 0 && text.len <= NAME_BYTES;
}

/* --- root --- */

static void refuse_section(struct cfn_run *run, const struct node *key) {
    struct hint h = HINT(key->text);
    for (int s = 0; s < CFN_SECTION_COUNT; s++)
        hint_offer(&h, section_names[s]);
    struct diag *d = cfn_report(run, DIAG_cfn_section, key->at, "a template has no section '%.*s'",
                                SV_ARG(sv_slice(key->text, 0, 80)));
    if (h.best.len > 0)
        cfn_hint(run, d, "did you mean '%.*s'?", SV_ARG(h.best));
    else
        cfn_hint(run, d, "remove it, or put it into 'Metadata'");
}

static void check_version(struct cfn_run *run, const struct node *n) {
    /* 2010-09-09 is a string for YAML 1.1 readers of CloudFormation, quoted or not. */
    if (n->kind == NODE_SCALAR && sv_eq_cstr(n->text, "2010-09-09"))
        return;
    struct diag *d = cfn_report(run, DIAG_cfn_version, cfn_node_get_span(n), "there is one version: 2010-09-09");
    cfn_hint(run, d, "write 2010-09-09, or leave the entry out");
}

static bool is_call(const struct node *n) {
    struct cfn_call call;
    return cfn_call_get(n, &call);
}

static void check_description(struct cfn_run *run, const struct node *n) {
    struct diag *d = NULL;
    if (is_call(n)) {
        d = cfn_report(run, DIAG_cfn_place, cfn_node_get_span(n), "the description is plain text, without calls");
        cfn_hint(run, d, "write the text out");
    } else if (n->kind != NODE_SCALAR || cfn_scalar_read(run->arena, n).kind != CFN_SCALAR_STRING) {
        d = cfn_report(run, DIAG_cfn_shape, n->at, "the description is text, not %s", node_get_kind_name(n));
        cfn_hint(run, d, "put it in quotes");
    } else if (n->text.len > DESCRIPTION_BYTES) {
        d = cfn_report(run, DIAG_cfn_shape, n->at, "the description has %zu bytes, more than 1024", n->text.len);
        cfn_hint(run, d, "make it shorter");
    }
}

static bool wants_map(enum cfn_section s) {
    return s != CFN_SECTION_VERSION && s != CFN_SECTION_TRANSFORM && s != CFN_SECTION_DESCRIPTION &&
           s != CFN_SECTION_HOOKS;
}

static bool is_map_section(struct cfn_run *run, enum cfn_section s, const struct node *n) {
    struct cfn_call call;
    if (!wants_map(s))
        return true;
    bool is_transform = cfn_call_get(n, &call) && call.function == CFN_TRANSFORM;
    if (n->kind == NODE_MAPPING && (!is_call(n) || is_transform))
        return true;
    if (n->kind == NODE_ERROR)
        return false;
    struct diag *d =
        cfn_report(run, is_call(n) ? DIAG_cfn_place : DIAG_cfn_shape, cfn_node_get_span(n), "'%.*s' is a map, not %s",
                   SV_ARG(section_names[s]), is_call(n) ? "a call" : node_get_kind_name(n));
    cfn_hint(run, d, "write entries with names below it");
    return false;
}

static void read_root(struct cfn_run *run, bool is_first) {
    struct cfn_template *t = run->t;
    for (int s = 0; s < CFN_SECTION_COUNT; s++)
        t->sections[s] = NULL;
    for (uint32_t i = 0; i < t->root->count; i++) {
        const struct node *key = t->root->pairs[i].key, *n = t->root->pairs[i].value;
        enum cfn_section s = cfn_section_find(key->text);
        bool is_include = cfn_function_find(key->text) == CFN_TRANSFORM;
        if (s == CFN_SECTION_COUNT) {
            if (is_first && !is_include)
                refuse_section(run, key);
            continue;
        }
        bool is_good = n->kind != NODE_ERROR && (!is_first || is_map_section(run, s, n));
        t->sections[s] = is_good && (is_first || !wants_map(s) || n->kind == NODE_MAPPING) ? n : NULL;
    }
}

/* --- elements --- */

static bool check_name(struct cfn_run *run, const struct node *key, const char *what) {
    if (key->kind != NODE_SCALAR || cfn_is_name(key->text))
        return key->kind == NODE_SCALAR;
    struct diag *d =
        cfn_report(run, DIAG_cfn_name, key->at, "'%.*s' is no name of %s", SV_ARG(sv_slice(key->text, 0, 80)), what);
    cfn_hint(run, d, "use 1 to 255 letters and digits of ASCII");
    return true;
}

static void read_elements(struct cfn_run *run, enum cfn_section s, const char *what, struct map *by_name,
                          struct cfn_elements *elements) {
    const struct node *section = run->t->sections[s];
    for (uint32_t i = 0; section != NULL && i < section->count; i++) {
        const struct node *key = section->pairs[i].key, *n = section->pairs[i].value;
        if (cfn_function_find(key->text) != CFN_NO_FUNCTION)
            continue;
        if (!check_name(run, key, what))
            continue;
        struct cfn_element *e = VEC_ADD(run->arena, elements);
        *e = (struct cfn_element){.name = key->text, .key = key, .node = n, .number = (uint32_t)elements->len - 1};
    }
    /* Pointers into the list are stable once it is complete. */
    for (size_t i = 0; by_name != NULL && i < elements->len; i++)
        map_put(by_name, elements->items[i].name, &elements->items[i]);
}

/* A loop that stays, or a macro; without the extensions a loop is a mistake. */
static bool is_loop(struct cfn_run *run, const struct node *key) {
    enum cfn_function f = cfn_function_find(key->text);
    if (f == CFN_FOR_EACH && !run->t->has_extensions) {
        struct diag *d =
            cfn_report(run, DIAG_cfn_language_extension, key->at, "'Fn::ForEach' needs the language extensions here");
        cfn_hint(run, d, "add 'Transform: AWS::LanguageExtensions' to the template");
    } else if (f == CFN_TRANSFORM) {
        cfn_keep_unknown(run, CFN_REASON_macro, key->at);
    }
    return f == CFN_FOR_EACH || f == CFN_TRANSFORM;
}

static void read_conditions(struct cfn_run *run) {
    const struct node *section = run->t->sections[CFN_SECTION_CONDITIONS];
    for (uint32_t i = 0; section != NULL && i < section->count; i++) {
        const struct node *key = section->pairs[i].key;
        if (is_loop(run, key) || !check_name(run, key, "a condition"))
            continue;
        struct cfn_condition *c = ARENA_NEW(run->arena, struct cfn_condition);
        c->e = (struct cfn_element){key->text, key, section->pairs[i].value, (uint32_t)run->t->conditions.len};
        VEC_PUSH(run->arena, &run->t->conditions, c);
        map_put(&run->t->conditions_by_name, key->text, c);
    }
}

static void read_resources(struct cfn_run *run) {
    const struct node *section = run->t->sections[CFN_SECTION_RESOURCES];
    for (uint32_t i = 0; section != NULL && i < section->count; i++) {
        const struct node *key = section->pairs[i].key;
        if (is_loop(run, key) || !check_name(run, key, "a resource"))
            continue;
        struct cfn_resource *r = ARENA_NEW(run->arena, struct cfn_resource);
        r->e = (struct cfn_element){key->text, key, section->pairs[i].value, (uint32_t)run->t->resources.len};
        r->condition = CFN_NONE;
        VEC_PUSH(run->arena, &run->t->resources, r);
        map_put(&run->t->resources_by_name, key->text, r);
        if (map_has(&run->t->parameters_by_name, key->text)) {
            const struct cfn_element *p = map_find(&run->t->parameters_by_name, key->text);
            struct diag *d = cfn_report(run, DIAG_cfn_duplicate_name, key->at, "'%.*s' is a parameter and a resource",
                                        SV_ARG(key->text));
            diag_add_related(run->o.diags, d, p->key->at, "the parameter is here");
            cfn_hint(run, d, "give one of them another name");
        }
    }
}

static void read_outputs(struct cfn_run *run) {
    const struct node *section = run->t->sections[CFN_SECTION_OUTPUTS];
    for (uint32_t i = 0; section != NULL && i < section->count; i++) {
        const struct node *key = section->pairs[i].key;
        if (is_loop(run, key) || !check_name(run, key, "an output"))
            continue;
        struct cfn_output *o = ARENA_NEW(run->arena, struct cfn_output);
        o->e = (struct cfn_element){key->text, key, section->pairs[i].value, (uint32_t)run->t->outputs.len};
        o->condition = CFN_NONE;
        VEC_PUSH(run->arena, &run->t->outputs, o);
        map_put(&run->t->outputs_by_name, key->text, o);
    }
}

void cfn_sections_begin(struct cfn_run *run) {
    struct cfn_template *t = run->t;
    read_root(run, true);
    if (t->sections[CFN_SECTION_VERSION] != NULL)
        check_version(run, t->sections[CFN_SECTION_VERSION]);
    if (t->sections[CFN_SECTION_DESCRIPTION] != NULL)
        check_description(run, t->sections[CFN_SECTION_DESCRIPTION]);
    cfn_transforms_read(run);
    if (t->sections[CFN_SECTION_GLOBALS] != NULL && !t->is_sam)
        refuse_section(run, node_find_pair(t->root, SV("Globals"))->key);
    read_elements(run, CFN_SECTION_PARAMETERS, "a parameter", &t->parameters_by_name, &t->parameters);
    read_elements(run, CFN_SECTION_MAPPINGS, "a mapping", &t->mappings_by_name, &t->mappings);
}

void cfn_sections_finish(struct cfn_run *run) {
    struct cfn_template *t = run->t;
    read_root(run, t->root != t->written);
    read_conditions(run);
    read_resources(run);
    read_outputs(run);
    read_elements(run, CFN_SECTION_RULES, "a rule", NULL, &t->rules);
    if (t->sections[CFN_SECTION_RESOURCES] != NULL && t->sections[CFN_SECTION_RESOURCES]->count > 0)
        return;
    bool was_refused = node_find(t->root, SV("Resources")) != NULL && t->sections[CFN_SECTION_RESOURCES] == NULL;
    bool is_broken = t->root != t->written && diags_has_errors(run->o.diags);
    if (was_refused || is_broken)
        return;
    struct diag *d = cfn_report(run, DIAG_cfn_resources, t->at, "a template has resources, at least one");
    cfn_hint(run, d, "add a section 'Resources' with a resource");
}
