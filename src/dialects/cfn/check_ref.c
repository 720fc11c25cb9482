/* Ref and GetAtt: what names mean (CF-100 to CF-102). */
#include "dialects/cfn/check.h"

#include "base/hint.h"
#include "dialects/cfn/data.h"
#include "dialects/cfn/scalars.h"
#include "dialects/cfn/types.h"

const struct cfn_symbol *cfn_symbol_put(struct cfn_template *t, struct cfn_resource *r, sv attribute) {
    enum { FEW = 8 };
    size_t count = 0;
    struct cfn_symbol *s = r->first_symbol;
    for (; s != NULL && count <= FEW && !sv_eq(s->attribute, attribute); s = s->next)
        count++;
    bool is_indexed = r->symbols.len > 0;
    s = count > FEW ? map_find(&r->symbols, attribute) : s;
    if (s != NULL)
        return s;
    s = ARENA_NEW(t->arena, struct cfn_symbol);
    *s = (struct cfn_symbol){
        .resource = r, .attribute = attribute, .number = (uint32_t)t->symbols.len, .next = r->first_symbol};
    VEC_PUSH(t->arena, &t->symbols, s);
    r->first_symbol = s;
    r->symbols.arena = t->arena;
    for (struct cfn_symbol *each = s; count >= FEW && each != NULL; each = is_indexed ? NULL : each->next)
        map_put(&r->symbols, each->attribute, each);
    return s;
}

/* --- names --- */

static void offer_all(struct hint *h, const struct map *m) {
    for (size_t i = 0; i < m->len; i++)
        hint_offer(h, m->entries[i].key);
}

static bool refuse_name(struct cfn_check *c, sv name, span at) {
    struct hint h = HINT(name);
    offer_all(&h, &c->t->parameters_by_name);
    if (!c->no_resources)
        offer_all(&h, &c->t->resources_by_name);
    struct diag *d =
        cfn_check_fail(c, DIAG_cfn_ref_unknown, at, "there is no %s '%.*s'",
                       c->no_resources ? "parameter" : "parameter or resource", SV_ARG(sv_slice(name, 0, 80)));
    if (h.best.len > 0)
        cfn_hint(c->run, d, "did you mean '%.*s'?", SV_ARG(h.best));
    else
        cfn_hint(c->run, d, "declare it, or correct the name");
    return false;
}

static bool refuse_resource(struct cfn_check *c, sv name, span at) {
    struct diag *d = cfn_check_fail(c, c->dependency_code, at,
                                    "'%.*s' is a resource, and no resource may be needed here", SV_ARG(name));
    cfn_hint(c->run, d, "use parameters, pseudo parameters and mappings");
    return false;
}

static bool find_pseudo(struct cfn_check *c, struct cfn_site *site, sv name, span at) {
    enum cfn_pseudo p = cfn_pseudo_find(name);
    site->target = CFN_TARGET_PSEUDO;
    site->number = p;
    if (p != 0)
        return true;
    struct diag *d = cfn_check_fail(c, DIAG_cfn_pseudo_unknown, at, "there is no pseudo parameter '%.*s'",
                                    SV_ARG(sv_slice(name, 0, 80)));
    static const char *const names[] = {"AWS::AccountId", "AWS::Region",    "AWS::Partition",        "AWS::StackName",
                                        "AWS::StackId",   "AWS::URLSuffix", "AWS::NotificationARNs", "AWS::NoValue"};
    struct hint h = HINT(name);
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        hint_offer(&h, sv_from_cstr(names[i]));
    if (h.best.len > 0)
        cfn_hint(c->run, d, "did you mean '%.*s'?", SV_ARG(h.best));
    else
        cfn_hint(c->run, d, "pseudo parameters are those of CF-200");
    return false;
}

static bool take_resource(struct cfn_check *c, struct cfn_site *site, struct cfn_resource *r, sv attribute) {
    site->target = CFN_TARGET_RESOURCE;
    site->symbol = cfn_symbol_put(c->t, r, attribute);
    return true;
}

bool cfn_check_name(struct cfn_check *c, struct cfn_site *site, sv name, span at) {
    if (sv_has_prefix(name, SV("AWS::")))
        return find_pseudo(c, site, name, at);
    struct cfn_resource *r = map_find(&c->t->resources_by_name, name);
    const struct cfn_element *p = map_find(&c->t->parameters_by_name, name);
    if (r == NULL && p == NULL)
        r = cfn_sam_find_hashed(c->run, name);
    if (r != NULL && (r->is_made || p == NULL))
        return c->no_resources ? refuse_resource(c, name, at) : take_resource(c, site, r, SV("Ref"));
    if (p != NULL) {
        site->target = CFN_TARGET_PARAMETER;
        site->number = p->number;
        return true;
    }
    const struct node *resources = c->t->sections[CFN_SECTION_RESOURCES];
    if (c->is_early && resources != NULL && node_find(resources, name) != NULL)
        return refuse_resource(c, name, at);
    if (cfn_loops_may_make(c->t, name)) {
        site->target = CFN_TARGET_LOOP;
        return true;
    }
    return refuse_name(c, name, at);
}

static bool refuse_attribute(struct cfn_check *c, const struct cfn_resource *r, sv attribute, span at) {
    struct diag *d = cfn_check_fail(c, DIAG_cfn_attribute_unknown, at, "%.*s has no attribute '%.*s'",
                                    SV_ARG(sv_slice(r->type, 0, 80)), SV_ARG(sv_slice(attribute, 0, 80)));
    sv best = cfn_types_find_close(r->type, attribute);
    if (best.len > 0)
        cfn_hint(c->run, d, "did you mean '%.*s'?", SV_ARG(best));
    else
        cfn_hint(c->run, d, "see the return values of the type");
    return false;
}

bool cfn_check_attribute(struct cfn_check *c, struct cfn_site *site, sv id, sv attribute, span at) {
    struct cfn_resource *r = map_find(&c->t->resources_by_name, id);
    if (c->no_resources)
        return refuse_resource(c, id, at);
    if (r == NULL)
        r = cfn_sam_find_hashed(c->run, id);
    if (r == NULL && cfn_loops_may_make(c->t, id)) {
        site->target = CFN_TARGET_LOOP;
        return true;
    }
    if (r == NULL) {
        struct hint h = HINT(id);
        offer_all(&h, &c->t->resources_by_name);
        struct diag *d =
            cfn_check_fail(c, DIAG_cfn_ref_unknown, at, "there is no resource '%.*s'", SV_ARG(sv_slice(id, 0, 80)));
        if (h.best.len > 0)
            cfn_hint(c->run, d, "did you mean '%.*s'?", SV_ARG(h.best));
        else
            cfn_hint(c->run, d, "attributes are those of resources of this template");
        return false;
    }
    bool is_ref = sv_eq_cstr(attribute, "Ref") && cfn_types_is_complete(cfn_types_find(&cfn_types, r->type));
    if (is_ref || !cfn_types_has(r->type, attribute))
        return refuse_attribute(c, r, attribute, at);
    return take_resource(c, site, r, attribute);
}

/* --- Ref --- */

/* The row wants a parameter (PP), and a resource is none. */
static bool is_parameter(struct cfn_check *c, const struct cfn_site *site, enum cfn_argument argument, span at) {
    if (!cfn_nesting_wants_parameter(argument) || site->target == CFN_TARGET_PARAMETER ||
        site->target == CFN_TARGET_PSEUDO)
        return true;
    struct diag *d = cfn_check_fail(c, DIAG_cfn_nesting, at, "a reference to a resource cannot be %s",
                                    cfn_nesting_get_name(argument));
    cfn_hint(c->run, d, "parameters and pseudo parameters can");
    return false;
}

static const struct expr *check_computed(struct cfn_check *c, struct cfn_site *site, const struct node *name) {
    const struct expr **args = ARENA_ARRAY(c->arena, const struct expr *, 1);
    site->target = CFN_TARGET_COMPUTED;
    args[0] = cfn_check_argument(c, name, CFN_ARG_REF_NAME);
    struct expr *e = cfn_expr_call(c, site, args, 1);
    e->kind = EXPR_CALL;
    e->call.fn = cfn_functions_get_computed(CFN_REF);
    return args[0]->kind == EXPR_ERROR ? cfn_expr_error(c, site->node) : e;
}

const struct expr *cfn_check_ref(struct cfn_check *c, const struct node *n, const struct cfn_call *call,
                                 enum cfn_argument argument) {
    struct cfn_site *site = cfn_site_new(c, n, call);
    struct cfn_call inner;
    sv name;
    if (!call->is_short && cfn_call_get(call->argument, &inner))
        return check_computed(c, site, call->argument);
    bool is_plain = call->is_short && n->kind == NODE_SCALAR; /* the tag takes nothing else */
    if (is_plain)
        name = cfn_scalar_get_text(c->arena, n, NULL);
    if ((!is_plain && !cfn_check_text(c, call->argument, "the name of 'Ref'", &name)) ||
        !cfn_check_name(c, site, name, call->argument->at) || !is_parameter(c, site, argument, call->argument->at))
        return cfn_expr_error(c, n);
    if (argument == CFN_ARG_JSON && site->target == CFN_TARGET_PSEUDO && site->number == CFN_NOTIFICATION_ARNS) {
        struct diag *d = cfn_check_fail(c, DIAG_cfn_nesting, cfn_node_get_span(n),
                                        "'AWS::NotificationARNs' cannot stand in 'Fn::ToJsonString'");
        cfn_hint(c->run, d, "join the list to text first");
        return cfn_expr_error(c, n);
    }
    return cfn_expr_call(c, site, NULL, 0);
}

/* --- GetAtt --- */

static const struct expr *refuse_layout(struct cfn_check *c, const struct node *n) {
    struct diag *d =
        cfn_check_fail(c, DIAG_cfn_getatt, cfn_node_get_span(n), "'Fn::GetAtt' takes a resource and an attribute");
    cfn_hint(c->run, d, "write 'Id.Attribute', or a list of these two");
    return cfn_expr_error(c, n);
}

/* CF-101, CF-273: `F.Version.Attr` is of `F.Version` where SAM makes that. */
bool cfn_check_dotted(struct cfn_check *c, struct cfn_site *site, sv text, span at) {
    size_t dot = sv_find_char(text, '.');
    sv id = sv_slice(text, 0, dot), attribute = sv_slice(text, dot + 1, text.len);
    size_t second = sv_find_char(attribute, '.');
    if (second != SIZE_MAX) {
        sv longer = sv_slice(text, 0, dot + 1 + second);
        const struct cfn_resource *made = map_find(&c->t->resources_by_name, longer);
        if (made != NULL)
            return cfn_check_attribute(c, site, longer, sv_slice(attribute, second + 1, attribute.len), at);
    }
    return cfn_check_attribute(c, site, id, attribute, at);
}

static const struct expr *check_one_text(struct cfn_check *c, struct cfn_site *site, const struct node *n) {
    sv text = n->text;
    size_t dot = sv_find_char(text, '.');
    if (dot == SIZE_MAX || dot == 0 || dot + 1 == text.len)
        return refuse_layout(c, site->node);
    if (!cfn_check_dotted(c, site, text, n->at))
        return cfn_expr_error(c, site->node);
    return cfn_expr_call(c, site, NULL, 0);
}

static const struct expr *check_computed_attribute(struct cfn_check *c, struct cfn_site *site,
                                                   struct node *const *items) {
    const struct expr **args = ARENA_ARRAY(c->arena, const struct expr *, 2);
    site->target = CFN_TARGET_COMPUTED;
    args[0] = cfn_check_argument(c, items[0], CFN_ARG_GET_ATT_ID);
    args[1] = cfn_check_argument(c, items[1], CFN_ARG_GET_ATT_ATTRIBUTE);
    if (args[0]->kind == EXPR_ERROR || args[1]->kind == EXPR_ERROR)
        return cfn_expr_error(c, site->node);
    struct expr *e = cfn_expr_call(c, site, args, 2);
    e->kind = EXPR_CALL;
    e->call.fn = cfn_functions_get_computed(CFN_GET_ATT);
    return e;
}

const struct expr *cfn_check_get_att(struct cfn_check *c, const struct node *n, const struct cfn_call *call) {
    struct cfn_site *site = cfn_site_new(c, n, call);
    const struct node *argument = call->argument;
    struct cfn_call inner;
    if (argument->kind == NODE_SCALAR && (call->is_short || !cfn_call_get(argument, &inner)))
        return check_one_text(c, site, argument);
    if (argument->kind != NODE_SEQUENCE || argument->count != 2 || (!call->is_short && cfn_call_get(argument, &inner)))
        return refuse_layout(c, n);
    struct node *const *items = argument->items;
    bool is_computed = cfn_call_get(items[0], &inner) || cfn_call_get(items[1], &inner);
    if (is_computed)
        return check_computed_attribute(c, site, items);
    if (items[0]->kind != NODE_SCALAR || items[1]->kind != NODE_SCALAR || items[0]->text.len == 0 ||
        items[1]->text.len == 0)
        return refuse_layout(c, n);
    if (!cfn_check_attribute(c, site, items[0]->text, items[1]->text, argument->at))
        return cfn_expr_error(c, n);
    return cfn_expr_call(c, site, NULL, 0);
}
