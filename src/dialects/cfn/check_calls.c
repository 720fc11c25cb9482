/* The functions that give values: layout of their arguments (§8, §9). */
#include "dialects/cfn/check.h"
#include "dialects/cfn/data.h"

#include "base/hint.h"

static const struct expr **make_args(struct cfn_check *c, uint32_t count) {
    return ARENA_ARRAY(c->arena, const struct expr *, count);
}

/* The call, or an ERROR when an argument is one. */
static const struct expr *finish(struct cfn_check *c, struct cfn_site *site, const struct expr **args, uint32_t count) {
    for (uint32_t i = 0; i < count; i++) {
        if (args[i]->kind == EXPR_ERROR)
            return cfn_expr_error(c, site->node);
    }
    return cfn_expr_call(c, site, args, count);
}

static const sv *keep_text(struct cfn_check *c, sv text) {
    sv *kept = ARENA_NEW(c->arena, sv);
    *kept = text;
    return kept;
}

static const struct expr *refuse_list(struct cfn_check *c, const struct node *n, enum cfn_argument argument) {
    struct diag *d = cfn_check_fail(c, DIAG_cfn_argument, cfn_node_get_span(n), "%s is a list, not %s",
                                    cfn_nesting_get_name(argument), node_get_kind_name(n));
    cfn_hint(c->run, d, "write a list, or a call that gives one");
    return cfn_expr_error(c, n);
}

/* A list that is written out gives its items, from args[first] on; a call gives one argument (layout 1). */
static const struct expr *take_list(struct cfn_check *c, struct cfn_site *site, const struct node *n,
                                    enum cfn_argument argument, const struct expr *in_front) {
    struct cfn_call call;
    uint32_t first = in_front != NULL;
    bool is_call = cfn_call_get(n, &call);
    if (!is_call && n->kind != NODE_SEQUENCE)
        return n->kind == NODE_ERROR ? cfn_expr_error(c, n) : refuse_list(c, n, argument);
    uint32_t count = is_call ? 1 : n->count;
    const struct expr **args = make_args(c, first + count);
    if (in_front != NULL)
        args[0] = in_front;
    site->layout = is_call;
    enum cfn_argument item = argument == CFN_ARG_JOIN_LIST ? CFN_ARG_JOIN_ITEM : CFN_ARG_ANY;
    for (uint32_t i = 0; i < count; i++)
        args[first + i] = is_call ? cfn_check_argument(c, n, argument) : cfn_check_argument(c, n->items[i], item);
    return finish(c, site, args, first + count);
}

static const struct expr *check_join(struct cfn_check *c, struct cfn_site *site, const struct cfn_call *call) {
    struct cfn_items items;
    sv delimiter;
    if (!cfn_check_items(c, call, 2, 2, &items) ||
        !cfn_check_text(c, items.items[0], "the delimiter of 'Fn::Join'", &delimiter))
        return cfn_expr_error(c, site->node);
    site->data = keep_text(c, delimiter);
    return take_list(c, site, items.items[1], CFN_ARG_JOIN_LIST, NULL);
}

static const struct expr *check_split(struct cfn_check *c, struct cfn_site *site, const struct cfn_call *call) {
    struct cfn_items items;
    sv delimiter;
    if (!cfn_check_items(c, call, 2, 2, &items) ||
        !cfn_check_text(c, items.items[0], "the delimiter of 'Fn::Split'", &delimiter))
        return cfn_expr_error(c, site->node);
    if (delimiter.len == 0) {
        struct diag *d = cfn_check_fail(c, DIAG_cfn_split_delimiter, items.items[0]->at,
                                        "'Fn::Split' needs a delimiter that is not empty");
        cfn_hint(c->run, d, "write the text that stands between the items");
        return cfn_expr_error(c, site->node);
    }
    site->data = keep_text(c, delimiter);
    const struct expr **args = make_args(c, 1);
    args[0] = cfn_check_argument(c, items.items[1], CFN_ARG_SPLIT_SOURCE);
    return finish(c, site, args, 1);
}

static const struct expr *check_select(struct cfn_check *c, struct cfn_site *site, const struct cfn_call *call) {
    struct cfn_items items;
    if (!cfn_check_items(c, call, 2, 2, &items))
        return cfn_expr_error(c, site->node);
    const struct expr *index = cfn_check_argument(c, items.items[0], CFN_ARG_SELECT_INDEX);
    return take_list(c, site, items.items[1], CFN_ARG_SELECT_LIST, index);
}

/* --- FindInMap (CF-109) --- */

static bool check_map_name(struct cfn_check *c, const struct node *n) {
    struct cfn_call call;
    if (n->kind != NODE_SCALAR || cfn_call_get(n, &call) || map_has(&c->t->mappings_by_name, n->text))
        return true;
    struct hint h = HINT(n->text);
    for (size_t i = 0; i < c->t->mappings.len; i++)
        hint_offer(&h, c->t->mappings.items[i].name);
    struct diag *d =
        cfn_check_fail(c, DIAG_cfn_map_unknown, n->at, "there is no mapping '%.*s'", SV_ARG(sv_slice(n->text, 0, 80)));
    if (h.best.len > 0)
        cfn_hint(c->run, d, "did you mean '%.*s'?", SV_ARG(h.best));
    else
        cfn_hint(c->run, d, "declare it in 'Mappings'");
    return false;
}

static const struct node *find_default(struct cfn_check *c, const struct node *n) {
    if (!c->t->has_extensions) {
        struct diag *d = cfn_check_fail(c, DIAG_cfn_language_extension, n->at,
                                        "a default value of 'Fn::FindInMap' needs the language extensions");
        cfn_hint(c->run, d, "add 'Transform: AWS::LanguageExtensions' to the template");
        return NULL;
    }
    if (n->kind == NODE_MAPPING && n->count == 1 && sv_eq_cstr(n->pairs[0].key->text, "DefaultValue"))
        return n->pairs[0].value;
    struct diag *d = cfn_check_fail(c, DIAG_cfn_argument, n->at,
                                    "the fourth argument of 'Fn::FindInMap' is a map with 'DefaultValue'");
    cfn_hint(c->run, d, "write {DefaultValue: …}");
    return NULL;
}

static const struct expr *check_find_in_map(struct cfn_check *c, struct cfn_site *site, const struct cfn_call *call) {
    enum { KEYS = 3 };
    struct cfn_items items;
    if (!cfn_check_items(c, call, KEYS, KEYS + 1, &items))
        return cfn_expr_error(c, site->node);
    const struct expr **args = make_args(c, items.count);
    bool is_good = check_map_name(c, items.items[0]);
    for (uint32_t i = 0; i < KEYS; i++)
        args[i] = cfn_check_argument(c, items.items[i], CFN_ARG_MAP_KEY);
    if (items.count > KEYS) {
        const struct node *n = find_default(c, items.items[KEYS]);
        args[KEYS] = n == NULL ? cfn_expr_error(c, items.items[KEYS]) : cfn_check_argument(c, n, CFN_ARG_ANY);
    }
    return is_good ? finish(c, site, args, items.count) : cfn_expr_error(c, site->node);
}

/* --- If (CF-075) --- */

static const struct expr *check_if(struct cfn_check *c, struct cfn_site *site, const struct cfn_call *call) {
    enum { PARTS = 3 };
    struct cfn_items items;
    sv name;
    if (!cfn_check_items(c, call, PARTS, PARTS, &items))
        return cfn_expr_error(c, site->node);
    const struct expr **args = make_args(c, 2);
    bool is_good = cfn_check_text(c, items.items[0], "the condition of 'Fn::If'", &name);
    if (is_good)
        site->number = cfn_check_condition_name(c, items.items[0]);
    args[0] = cfn_check_argument(c, items.items[1], CFN_ARG_ANY);
    args[1] = cfn_check_argument(c, items.items[2], CFN_ARG_ANY);
    return is_good && site->number != CFN_NONE ? finish(c, site, args, 2) : cfn_expr_error(c, site->node);
}

/* --- one argument --- */

/* The argument of a short form is the node itself: without the tag it is what the long form holds. */
static const struct node *get_argument(struct cfn_check *c, const struct cfn_call *call) {
    return call->is_short ? cfn_node_untagged(c->arena, call->argument) : call->argument;
}

static const struct expr *check_one(struct cfn_check *c, struct cfn_site *site, const struct cfn_call *call,
                                    enum cfn_argument argument) {
    const struct expr **args = make_args(c, 1);
    const struct node *n = get_argument(c, call);
    bool is_empty = call->is_short && n->style == NODE_EMPTY && argument == CFN_ARG_AZS; /* CF-018 */
    args[0] = is_empty ? cfn_expr_text(c, n->at, SV("")) : cfn_check_argument(c, n, argument);
    return finish(c, site, args, 1);
}

static const struct expr *check_import(struct cfn_check *c, struct cfn_site *site, const struct cfn_call *call) {
    bool outer = c->no_resources;
    c->no_resources = true;
    const struct expr *e = check_one(c, site, call, CFN_ARG_IMPORT_NAME);
    c->no_resources = outer;
    return e;
}

static const struct expr *check_length(struct cfn_check *c, struct cfn_site *site, const struct cfn_call *call) {
    struct cfn_call inner;
    const struct node *n = call->argument;
    if (n->kind != NODE_SEQUENCE && !cfn_call_get(n, &inner))
        return refuse_list(c, n, CFN_ARG_LENGTH);
    return check_one(c, site, call, CFN_ARG_LENGTH);
}

static const struct expr *check_json(struct cfn_check *c, struct cfn_site *site, const struct cfn_call *call) {
    struct cfn_call inner;
    if (call->argument->kind == NODE_SCALAR && !cfn_call_get(call->argument, &inner)) {
        struct diag *d =
            cfn_check_fail(c, DIAG_cfn_argument, call->argument->at, "'Fn::ToJsonString' takes a map or a list, not %s",
                           node_get_kind_name(call->argument));
        cfn_hint(c->run, d, "write the map or list that is to become text");
        return cfn_expr_error(c, site->node);
    }
    return check_one(c, site, call, CFN_ARG_JSON);
}

static const struct expr *check_cidr(struct cfn_check *c, struct cfn_site *site, const struct cfn_call *call) {
    struct cfn_items items;
    if (!cfn_check_items(c, call, 2, 3, &items))
        return cfn_expr_error(c, site->node);
    const struct expr **args = make_args(c, items.count);
    for (uint32_t i = 0; i < items.count; i++)
        args[i] = cfn_check_argument(c, items.items[i], CFN_ARG_CIDR);
    return finish(c, site, args, items.count);
}

/* --- GetStackOutput (CF-108) --- */

static const char *const output_keys[] = {"StackName", "OutputName", "Region", "RoleArn"};
enum { OUTPUT_KEYS = 4, OUTPUT_REQUIRED = 2 };

static void refuse_output_key(struct cfn_check *c, const struct node *key) {
    struct diag *d = cfn_check_fail(c, DIAG_cfn_argument, key->at, "'Fn::GetStackOutput' has no '%.*s'",
                                    SV_ARG(sv_slice(key->text, 0, 80)));
    cfn_hint(c->run, d, "it takes StackName, OutputName, Region and RoleArn");
}

static bool check_output_keys(struct cfn_check *c, const struct node *n) {
    bool is_good = true;
    for (uint32_t i = 0; i < n->count; i++) {
        uint32_t k = 0;
        while (k < OUTPUT_KEYS && !sv_eq_cstr(n->pairs[i].key->text, output_keys[k]))
            k++;
        if (k == OUTPUT_KEYS)
            refuse_output_key(c, n->pairs[i].key);
        is_good = is_good && k < OUTPUT_KEYS;
    }
    for (uint32_t k = 0; k < OUTPUT_REQUIRED; k++) {
        if (node_find(n, sv_from_cstr(output_keys[k])) != NULL)
            continue;
        struct diag *d = cfn_check_fail(c, DIAG_cfn_argument, n->at, "'Fn::GetStackOutput' needs '%s'", output_keys[k]);
        cfn_hint(c->run, d, "add it");
        is_good = false;
    }
    return is_good;
}

static const struct expr *check_stack_output(struct cfn_check *c, struct cfn_site *site, const struct cfn_call *call) {
    const struct node *n = call->argument;
    if (n->kind != NODE_MAPPING) {
        struct diag *d = cfn_check_fail(c, DIAG_cfn_argument, n->at, "'Fn::GetStackOutput' takes a map, not %s",
                                        node_get_kind_name(n));
        cfn_hint(c->run, d, "write StackName and OutputName below it");
        return cfn_expr_error(c, site->node);
    }
    bool is_good = check_output_keys(c, n);
    const struct expr **args = make_args(c, OUTPUT_KEYS);
    for (uint32_t k = 0; k < OUTPUT_KEYS; k++) {
        const struct node *part = node_find(n, sv_from_cstr(output_keys[k]));
        args[k] = part == NULL ? cfn_expr_text(c, n->at, SV("")) : cfn_check_argument(c, part, CFN_ARG_STACK_OUTPUT);
    }
    return is_good ? finish(c, site, args, OUTPUT_KEYS) : cfn_expr_error(c, site->node);
}

/* --- by function --- */

static const struct expr *check_base64(struct cfn_check *c, struct cfn_site *site, const struct cfn_call *call) {
    return check_one(c, site, call, CFN_ARG_BASE64);
}

static const struct expr *check_azs(struct cfn_check *c, struct cfn_site *site, const struct cfn_call *call) {
    return check_one(c, site, call, CFN_ARG_AZS);
}

static const struct expr *check_transform(struct cfn_check *c, struct cfn_site *site, const struct cfn_call *call) {
    (void)call;
    return cfn_expr_call(c, site, NULL, 0);
}

typedef const struct expr *(*checker)(struct cfn_check *c, struct cfn_site *site, const struct cfn_call *call);

static const checker checkers[CFN_FUNCTION_COUNT] = {
    [CFN_JOIN] = check_join,
    [CFN_SPLIT] = check_split,
    [CFN_SELECT] = check_select,
    [CFN_FIND_IN_MAP] = check_find_in_map,
    [CFN_IF] = check_if,
    [CFN_BASE64] = check_base64,
    [CFN_GET_AZS] = check_azs,
    [CFN_CIDR] = check_cidr,
    [CFN_IMPORT_VALUE] = check_import,
    [CFN_GET_STACK_OUTPUT] = check_stack_output,
    [CFN_TRANSFORM] = check_transform,
    [CFN_LENGTH] = check_length,
    [CFN_TO_JSON_STRING] = check_json,
};

const struct expr *cfn_check_function(struct cfn_check *c, const struct node *n, const struct cfn_call *call) {
    checker check = checkers[call->function];
    if (check == NULL) /* Fn::RefAll, Fn::ValueOf, Fn::ValueOfAll */
        return cfn_check_rule_function(c, n, call);
    return check(c, cfn_site_new(c, n, call), call);
}
