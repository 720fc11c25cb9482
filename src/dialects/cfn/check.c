#include "dialects/cfn/check.h"

#include "dialects/cfn/data.h"
#include "dialects/cfn/functions.h"
#include "dialects/cfn/scalars.h"
#include "dialects/cfn/transforms.h"

#include <stdarg.h>
#include <string.h>

struct cfn_check cfn_check_start(struct cfn_run *run, enum cfn_section section) {
    return (struct cfn_check){.run = run,
                              .arena = run->arena,
                              .t = run->t,
                              .section = section,
                              .dependency_code = DIAG_cfn_resource_dependency,
                              .depth = {.limit = run->limits.nesting + 8}};
}

struct diag *cfn_check_fail(struct cfn_check *c, enum diag_code code, span at, const char *format, ...) {
    va_list args;
    va_start(args, format);
    sv message = arena_vprintf(c->run->o.diags->arena, format, args);
    va_end(args);
    return cfn_report(c->run, code, at, "%.*s", SV_ARG(message));
}

/* --- expressions --- */

struct expr *cfn_expr_error(struct cfn_check *c, const struct node *n) {
    return expr_new_error(c->arena, cfn_node_get_span(n));
}

const struct expr *cfn_expr_text(struct cfn_check *c, span at, sv text) {
    return expr_new_literal(c->arena, at, value_string(c->arena, text));
}

const struct expr *cfn_expr_literal(struct cfn_check *c, const struct node *n) {
    return expr_new_literal(c->arena, n->at, cfn_literal_get(c->run, n));
}

struct cfn_site *cfn_site_new(struct cfn_check *c, const struct node *n, const struct cfn_call *call) {
    struct cfn_site *site = ARENA_NEW(c->arena, struct cfn_site);
    site->node = n;
    site->function = (uint8_t)call->function;
    site->is_short = call->is_short;
    site->number = CFN_NONE;
    site->owner = c->resource;
    return site;
}

struct expr *cfn_expr_call(struct cfn_check *c, struct cfn_site *site, const struct expr **args, uint32_t count) {
    const struct fn_def *fn = cfn_functions_get((enum cfn_function)site->function);
    span at = cfn_node_get_span(site->node);
    struct expr *e = expr_new(c->arena, fn == NULL ? EXPR_DIRECTIVE : EXPR_CALL, at);
    e->op = site->function;
    e->count = count;
    e->call.args = args;
    e->call.fn = fn;
    e->call.data = site;
    return e;
}

/* --- helpers of the single functions --- */

static const char *get_kind(const struct node *n) {
    struct cfn_call call;
    return cfn_call_get_condition(n, &call) ? "a call" : n->kind == NODE_SEQUENCE ? "a list" : node_get_kind_name(n);
}

bool cfn_check_items(struct cfn_check *c, const struct cfn_call *call, uint32_t min, uint32_t max,
                     struct cfn_items *result) {
    const struct node *n = call->argument;
    sv name = cfn_function_get(call->function)->name;
    struct cfn_call inner;
    bool is_call = !call->is_short && cfn_call_get_condition(n, &inner);
    if (n->kind == NODE_ERROR)
        return false;
    if (n->kind != NODE_SEQUENCE || is_call) {
        struct diag *d = cfn_check_fail(c, DIAG_cfn_argument, cfn_node_get_span(n), "'%.*s' takes a list, not %s",
                                        SV_ARG(name), get_kind(n));
        cfn_hint(c->run, d, "write its arguments as a list");
        return false;
    }
    *result = (struct cfn_items){n->items, n->count};
    if (n->count >= min && n->count <= max)
        return true;
    struct diag *d = min == max
                         ? cfn_check_fail(c, DIAG_cfn_arity, cfn_node_get_span(n), "'%.*s' takes %u argument%s, not %u",
                                          SV_ARG(name), min, min == 1 ? "" : "s", n->count)
                         : cfn_check_fail(c, DIAG_cfn_arity, cfn_node_get_span(n),
                                          "'%.*s' takes %u to %u arguments, not %u", SV_ARG(name), min, max, n->count);
    cfn_hint(c->run, d, n->count < min ? "add what is missing" : "remove what is too much");
    return false;
}

bool cfn_check_text(struct cfn_check *c, const struct node *n, const char *what, sv *text) {
    struct cfn_call call;
    struct diag *d = NULL;
    if (n->kind == NODE_ERROR)
        return false;
    if (cfn_call_get_condition(n, &call)) {
        d = cfn_check_fail(c, DIAG_cfn_nesting, cfn_node_get_span(n), "%s is a text that is written out, not a call",
                           what);
        cfn_hint(c->run, d, "write the text itself");
        return false;
    }
    if (n->kind != NODE_SCALAR) {
        d = cfn_check_fail(c, DIAG_cfn_argument, n->at, "%s is text, not %s", what, get_kind(n));
        cfn_hint(c->run, d, "write text");
        return false;
    }
    *text = cfn_scalar_get_text(c->arena, n, NULL);
    return true;
}

/* --- nesting and place --- */

static bool is_extension_place(enum cfn_section s) {
    return s == CFN_SECTION_RESOURCES || s == CFN_SECTION_CONDITIONS || s == CFN_SECTION_OUTPUTS;
}

static bool refuse_place(struct cfn_check *c, const struct node *n, sv name, const char *hint) {
    struct diag *d = cfn_check_fail(c, DIAG_cfn_place, cfn_node_get_span(n), "'%.*s' cannot stand in '%.*s' here",
                                    SV_ARG(name), SV_ARG(cfn_section_get_name(c->section)));
    cfn_hint(c->run, d, "%s", hint);
    return false;
}

static bool refuse_extension(struct cfn_check *c, const struct node *n, sv name) {
    struct diag *d = cfn_check_fail(c, DIAG_cfn_language_extension, cfn_node_get_span(n),
                                    "'%.*s' needs the language extensions here", SV_ARG(name));
    cfn_hint(c->run, d, "add 'Transform: AWS::LanguageExtensions' to the template");
    return false;
}

/* Functions that stand in some sections only (CF-075, CF-091, CF-150, CF-070). */
static bool check_place(struct cfn_check *c, const struct node *n, const struct cfn_function_def *def,
                        enum cfn_function f, enum cfn_argument argument) {
    bool is_logic = c->section == CFN_SECTION_CONDITIONS || c->section == CFN_SECTION_RULES;
    if (def->is_rule && c->section != CFN_SECTION_RULES)
        return refuse_place(c, n, def->name, "it is a function of 'Rules'");
    if (f == CFN_IF && is_logic)
        return refuse_place(c, n, def->name, "combine conditions with 'Fn::And', 'Fn::Or' and 'Fn::Not'");
    if (def->is_condition && !def->is_rule && !is_logic)
        return refuse_place(c, n, def->name, "give the condition a name in 'Conditions' and use 'Fn::If'");
    if (def->is_extension && !c->t->has_extensions)
        return refuse_extension(c, n, def->name);
    if (def->is_extension && !is_extension_place(c->section))
        return refuse_place(c, n, def->name, "language extensions work in Resources, Conditions and Outputs");
    (void)argument;
    return true;
}

static bool needs_resource(enum cfn_function f) {
    return f == CFN_GET_ATT || f == CFN_IMPORT_VALUE || f == CFN_GET_STACK_OUTPUT;
}

static bool refuse_resource(struct cfn_check *c, const struct node *n, sv name) {
    struct diag *d = cfn_check_fail(c, c->dependency_code, cfn_node_get_span(n),
                                    "'%.*s' cannot stand where no resource may be needed", SV_ARG(name));
    cfn_hint(c->run, d, "use parameters, pseudo parameters and mappings");
    return false;
}

static bool check_nesting(struct cfn_check *c, const struct node *n, enum cfn_function f, sv name,
                          enum cfn_argument argument) {
    struct diag *d = NULL;
    switch (cfn_nesting_check(argument, f, c->t->has_extensions)) {
    case CFN_NESTING_GOOD:
        return true;
    case CFN_NESTING_EXTENSION:
        return refuse_extension(c, n, name);
    case CFN_NESTING_OPEN:
        d = cfn_check_fail(c, DIAG_cfn_nesting_undocumented, cfn_node_get_span(n), "'%.*s' is not documented as %s",
                           SV_ARG(name), cfn_nesting_get_name(argument));
        cfn_hint(c->run, d, "CloudFormation's lists are not complete; it is evaluated");
        return true;
    case CFN_NESTING_CLOSED:
        break;
    }
    bool is_loop = argument == CFN_ARG_COLLECTION || argument == CFN_ARG_COLLECTION_ITEM;
    d = cfn_check_fail(c, is_loop ? DIAG_cfn_foreach_collection : DIAG_cfn_nesting, cfn_node_get_span(n),
                       "'%.*s' cannot be %s", SV_ARG(name), cfn_nesting_get_name(argument));
    cfn_hint(c->run, d, "see what may stand there in the specification (CF-060)");
    return false;
}

static bool is_condition_argument(enum cfn_argument argument) {
    return argument == CFN_ARG_CONDITION || argument == CFN_ARG_RULE;
}

/* --- calls --- */

static const struct expr *check_known(struct cfn_check *c, const struct node *n, const struct cfn_call *call,
                                      enum cfn_argument argument) {
    if (call->function == CFN_REF)
        return cfn_check_ref(c, n, call, argument);
    if (call->function == CFN_GET_ATT)
        return cfn_check_get_att(c, n, call);
    if (call->function == CFN_SUB)
        return cfn_check_sub(c, n, call);
    if (cfn_function_get(call->function)->is_condition)
        return cfn_check_condition(c, n, call);
    return cfn_check_function(c, n, call);
}

static void refuse_unknown(struct cfn_check *c, const struct node *n, const struct cfn_call *call) {
    sv name = call->is_short ? SV("") : n->pairs[0].key->text;
    struct diag *d = cfn_check_fail(c, DIAG_cfn_unknown_function, call->name_at, "there is no function '%.*s'",
                                    SV_ARG(sv_slice(name, 0, 80)));
    cfn_hint(c->run, d, "names of functions are written as in the reference, case matters");
}

const struct expr *cfn_check_call(struct cfn_check *c, const struct node *n, const struct cfn_call *call,
                                  enum cfn_argument argument) {
    const struct cfn_function_def *def = cfn_function_get(call->function);
    if (call->function == CFN_UNKNOWN_FUNCTION) {
        if (!call->is_short) /* an unknown tag has been reported by the reader */
            refuse_unknown(c, n, call);
        return cfn_expr_error(c, n);
    }
    bool is_misplaced_condition = call->function == CFN_CONDITION && !is_condition_argument(argument);
    if (is_misplaced_condition && !refuse_place(c, n, def->name, "use 'Fn::If' with the name of the condition"))
        return cfn_expr_error(c, n);
    if (!check_place(c, n, def, call->function, argument) ||
        (c->no_resources && needs_resource(call->function) &&
         !(argument == CFN_ARG_IMPORT_NAME && call->function != CFN_GET_ATT) && !refuse_resource(c, n, def->name)) ||
        !check_nesting(c, n, call->function, def->name, argument))
        return cfn_expr_error(c, n);
    if (!depth_enter(&c->depth)) {
        cfn_check_fail(c, DIAG_limit_exceeded, cfn_node_get_span(n), "calls and data are nested deeper than %zu levels",
                       c->depth.limit);
        return cfn_expr_error(c, n);
    }
    const struct expr *e = check_known(c, n, call, argument);
    depth_leave(&c->depth);
    return e;
}

/* --- data --- */

static enum cfn_argument get_item_argument(enum cfn_argument argument) {
    if (argument == CFN_ARG_JOIN_LIST)
        return CFN_ARG_JOIN_ITEM;
    if (argument == CFN_ARG_SELECT_LIST || argument == CFN_ARG_LENGTH)
        return CFN_ARG_ANY;
    return argument == CFN_ARG_COLLECTION ? CFN_ARG_COLLECTION_ITEM : argument;
}

/* CF-019: `Fn::X` beside other keys. */
static void check_siblings(struct cfn_check *c, const struct node *n) {
    for (uint32_t i = 0; n->count > 1 && i < n->count; i++) {
        const struct node *key = n->pairs[i].key;
        enum cfn_function f = key->kind == NODE_SCALAR ? cfn_function_find(key->text) : CFN_NO_FUNCTION;
        if (f == CFN_NO_FUNCTION || f == CFN_REF || f == CFN_UNKNOWN_FUNCTION)
            continue;
        if (f == CFN_TRANSFORM || f == CFN_FOR_EACH)
            continue;
        struct diag *d = cfn_check_fail(c, DIAG_cfn_siblings, key->at, "'%.*s' stands beside other keys",
                                        SV_ARG(sv_slice(key->text, 0, 80)));
        cfn_hint(c->run, d, "a call is a map with one key");
    }
}

/* A macro or a loop among other keys: what is below it stays as it is (CF-129, CF-152). */
static bool stays(struct cfn_check *c, const struct node *key, const struct node *n, bool has_siblings) {
    enum cfn_function f = key->kind == NODE_SCALAR ? cfn_function_find(key->text) : CFN_NO_FUNCTION;
    if (f == CFN_FOR_EACH && !c->t->has_extensions)
        refuse_extension(c, key, SV("Fn::ForEach"));
    if (f == CFN_TRANSFORM && has_siblings)
        cfn_keep_unknown(c->run, cfn_transform_get_reason(n), key->at);
    return f == CFN_FOR_EACH || f == CFN_TRANSFORM;
}

static const struct expr *check_list(struct cfn_check *c, const struct node *n, enum cfn_argument argument) {
    const struct expr **items = ARENA_ARRAY(c->arena, const struct expr *, n->count);
    bool is_literal = true;
    for (uint32_t i = 0; i < n->count; i++) {
        items[i] = cfn_check_argument(c, n->items[i], get_item_argument(argument));
        is_literal = is_literal && items[i]->kind == EXPR_LITERAL;
    }
    return is_literal ? cfn_expr_literal(c, n) : expr_new_list(c->arena, n->at, items, n->count);
}

static const struct expr *check_map(struct cfn_check *c, const struct node *n, enum cfn_argument argument) {
    const struct expr **items = ARENA_ARRAY(c->arena, const struct expr *, n->count);
    sv *keys = ARENA_ARRAY(c->arena, sv, n->count);
    bool is_literal = true;
    check_siblings(c, n);
    for (uint32_t i = 0; i < n->count; i++) {
        keys[i] = n->pairs[i].key->kind == NODE_SCALAR ? n->pairs[i].key->text : SV("");
        keys[i].data = keys[i].data == NULL ? "" : keys[i].data;
        items[i] = stays(c, n->pairs[i].key, n->pairs[i].value, n->count > 1)
                       ? cfn_expr_literal(c, n->pairs[i].value)
                       : cfn_check_argument(c, n->pairs[i].value, argument);
        is_literal = is_literal && items[i]->kind == EXPR_LITERAL;
    }
    return is_literal ? cfn_expr_literal(c, n) : expr_new_object(c->arena, n->at, keys, items, n->count);
}

const struct expr *cfn_check_argument(struct cfn_check *c, const struct node *n, enum cfn_argument argument) {
    struct cfn_call call;
    if (n->kind == NODE_ERROR)
        return cfn_expr_error(c, n);
    if (cfn_call_get(n, &call))
        return cfn_check_call(c, n, &call, argument);
    if (n->kind == NODE_SCALAR)
        return cfn_expr_literal(c, n);
    if (!depth_enter(&c->depth)) {
        cfn_check_fail(c, DIAG_limit_exceeded, n->at, "calls and data are nested deeper than %zu levels",
                       c->depth.limit);
        return cfn_expr_error(c, n);
    }
    const struct expr *e = n->kind == NODE_SEQUENCE ? check_list(c, n, argument) : check_map(c, n, argument);
    depth_leave(&c->depth);
    return e;
}

/* --- parts --- */

static struct cfn_part *make_part(struct cfn_check *c, const struct node *n) {
    struct cfn_part *part = ARENA_NEW(c->arena, struct cfn_part);
    part->node = n;
    part->slot = CFN_NONE;
    return part;
}

/* Children of containers that are open stand on one stack, and are copied when their container is complete. */
static void gather(struct cfn_check *c, const struct node *child, uint32_t i, enum cfn_argument argument) {
    struct cfn_part *part = cfn_check_data(c, child, argument);
    if (part != NULL)
        VEC_PUSH(&c->run->scratch, &c->run->open_parts, ((struct cfn_open_part){part, i}));
}

static struct cfn_part *take_parts(struct cfn_check *c, const struct node *n, size_t first) {
    uint32_t count = (uint32_t)(c->run->open_parts.len - first);
    if (count == 0)
        return NULL;
    struct cfn_part *part = make_part(c, n);
    struct cfn_part **children = ARENA_ARRAY(c->arena, struct cfn_part *, count);
    uint32_t *indices = ARENA_ARRAY(c->arena, uint32_t, count);
    for (uint32_t i = 0; i < count; i++) {
        children[i] = c->run->open_parts.items[first + i].part;
        indices[i] = c->run->open_parts.items[first + i].index;
    }
    c->run->open_parts.len = first;
    part->children = children;
    part->indices = indices;
    part->count = count;
    return part;
}

static struct cfn_part *check_container(struct cfn_check *c, const struct node *n, enum cfn_argument argument) {
    size_t first = c->run->open_parts.len;
    if (n->kind == NODE_MAPPING)
        check_siblings(c, n);
    for (uint32_t i = 0; i < n->count; i++) {
        bool is_map = n->kind == NODE_MAPPING;
        if (!is_map || !stays(c, n->pairs[i].key, n->pairs[i].value, n->count > 1))
            gather(c, is_map ? n->pairs[i].value : n->items[i], i, argument);
    }
    return take_parts(c, n, first);
}

/* CF-171: text that holds a dynamic reference, in the properties of a resource. */
static struct cfn_part *check_text(struct cfn_check *c, const struct node *n) {
    if (n->text.len == 0 || memchr(n->text.data, '{', n->text.len) == NULL || !cfn_dynamic_has(n->text))
        return NULL;
    cfn_dynamic_check(c->run, c->resource, n->text, n->at);
    struct cfn_part *part = make_part(c, n);
    part->is_text = true;
    return part;
}

struct cfn_part *cfn_check_data(struct cfn_check *c, const struct node *n, enum cfn_argument argument) {
    struct cfn_call call;
    if (n->kind == NODE_ERROR)
        return NULL;
    if (cfn_call_get(n, &call)) {
        struct cfn_part *part = make_part(c, n);
        part->expr = cfn_check_call(c, n, &call, argument);
        part->slot = c->t->slot_count++;
        return part;
    }
    if (n->kind == NODE_SCALAR)
        return check_text(c, n);
    if (!depth_enter(&c->depth)) {
        cfn_check_fail(c, DIAG_limit_exceeded, n->at, "calls and data are nested deeper than %zu levels",
                       c->depth.limit);
        return NULL;
    }
    struct cfn_part *part = check_container(c, n, argument);
    depth_leave(&c->depth);
    return part;
}

void cfn_check_plain(struct cfn_check *c, const struct node *n) {
    struct cfn_call call;
    if (cfn_call_get(n, &call)) {
        refuse_place(c, n, cfn_function_get(call.function)->name, "write the value out");
        return;
    }
    if ((n->kind != NODE_MAPPING && n->kind != NODE_SEQUENCE) || !depth_enter(&c->depth))
        return;
    for (uint32_t i = 0; i < n->count; i++)
        cfn_check_plain(c, n->kind == NODE_MAPPING ? n->pairs[i].value : n->items[i]);
    depth_leave(&c->depth);
}

void cfn_check_template(struct cfn_run *run) {
    struct cfn_template *t = run->t;
    struct cfn_check c = cfn_check_start(run, CFN_SECTION_RESOURCES);
    cfn_check_types(&c);
    cfn_sam_make_names(run);
    cfn_check_conditions(run);
    cfn_check_rules(run);
    for (size_t i = 0; i < t->resources.len; i++)
        cfn_check_resource(&c, t->resources.items[i]);
    c = cfn_check_start(run, CFN_SECTION_OUTPUTS);
    for (size_t i = 0; i < t->outputs.len; i++)
        cfn_check_output(&c, t->outputs.items[i]);
}
