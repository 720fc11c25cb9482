/* Names of what SAM makes of resources (CF-271 to CF-274). */
#include "dialects/cfn/sam.h"
#include "dialects/cfn/sections.h"

struct naming {
    struct cfn_run *run;
    const struct cfn_resource *maker;
    bool has_rest_api, has_http_api;
    bool told_connectors, told_graphql, told_policies, told_events, told_applications;
};

static bool is_call(const struct node *n) {
    struct cfn_call call;
    return cfn_call_get(n, &call);
}

/* The attributes of resources are not known yet, only what is written. */
static const struct node *get_property(const struct naming *n, const char *path) {
    const struct node *at = n->maker->e.node;
    at = at != NULL && at->kind == NODE_MAPPING ? node_find(at, SV("Properties")) : NULL;
    for (sv rest = sv_from_cstr(path); at != NULL && rest.len > 0;) {
        sv step = sv_cut(&rest, '.');
        at = at->kind == NODE_MAPPING ? node_find(at, step) : NULL;
    }
    return at;
}

/* --- making --- */

/* A resource of its own, unless the template has one of that name. */
static struct cfn_made *make(struct naming *n, sv name, const char *type) {
    struct cfn_template *t = n->run->t;
    struct cfn_made *made = ARENA_NEW(n->run->arena, struct cfn_made);
    if (map_has(&t->resources_by_name, name)) {
        return made;
    }
    struct cfn_resource *r = ARENA_NEW(n->run->arena, struct cfn_resource);
    const struct node *section = t->sections[CFN_SECTION_RESOURCES];
    *r = (struct cfn_resource){.e = {.name = name, .key = section, .node = section, .number = CFN_NONE},
                               .type = sv_from_cstr(type),
                               .condition = CFN_NONE,
                               .is_made = true,
                               .made_by = made,
                               .maker = n->maker};
    if (n->maker != NULL) {
        r->e.key = n->maker->e.key;
        r->e.node = n->maker->e.node;
        r->type_at = n->maker->type_at;
        r->condition = n->maker->condition;
    }
    map_put(&t->resources_by_name, name, r);
    return made;
}

static sv name_of(const struct naming *n, const char *suffix) {
    return arena_printf(n->run->arena, "%.*s%s", SV_ARG(n->maker->e.name), suffix);
}

static void put_property(struct cfn_made *made, size_t i, const char *name, const char *of_maker) {
    made->properties[i] = (struct cfn_made_property){.name = sv_from_cstr(name), .of_maker = sv_from_cstr(of_maker)};
}

static void make_opaque(struct naming *n, const char *suffix, const char *type) {
    make(n, name_of(n, suffix), type)->is_opaque = true;
}

/* Not there, or perhaps not there. */
static bool may_lack(const struct naming *n, const char *path) {
    const struct node *p = get_property(n, path);
    return p == NULL || is_call(p);
}

static bool is_plain_text(const struct node *n) {
    return n != NULL && n->kind == NODE_SCALAR && !is_call(n) && cfn_is_name(n->text);
}

/* --- functions --- */

static void make_alias(struct naming *n, sv name) {
    struct cfn_made *alias = make(n, name, "AWS::Lambda::Alias");
    put_property(alias, 0, "FunctionName", "FunctionName");
    put_property(alias, 1, "Name", "AutoPublishAlias");
}

static void make_aliases(struct naming *n) {
    const struct node *alias = get_property(n, "AutoPublishAlias");
    if (alias == NULL) {
        return;
    }
    make_alias(n, name_of(n, ".Alias"));
    if (is_plain_text(alias)) {
        make_alias(n, arena_printf(n->run->arena, "%.*sAlias%.*s", SV_ARG(n->maker->e.name), SV_ARG(alias->text)));
    }
    put_property(make(n, name_of(n, ".Version"), "AWS::Lambda::Version"), 0, "FunctionName", "FunctionName");
}

/* A queue or topic that SAM makes when none is named. */
static void make_destination(struct naming *n, const char *path) {
    const struct node *d = get_property(n, path);
    const struct node *type = d != NULL && d->kind == NODE_MAPPING ? node_find(d, SV("Type")) : NULL;
    if (type == NULL || type->kind != NODE_SCALAR) {
        return;
    }
    const struct node *named = node_find(d, SV("Destination"));
    if (named != NULL && !is_call(named)) {
        return;
    }
    if (sv_eq(type->text, SV("SQS"))) {
        make(n, name_of(n, ".DestinationQueue"), "AWS::SQS::Queue");
    } else if (sv_eq(type->text, SV("SNS"))) {
        make(n, name_of(n, ".DestinationTopic"), "AWS::SNS::Topic");
    }
}

static void note_implicit_api(struct naming *n, const struct node *event) {
    const struct node *type = event->kind == NODE_MAPPING ? node_find(event, SV("Type")) : NULL;
    const struct node *properties = type == NULL ? NULL : node_find(event, SV("Properties"));
    bool is_map = properties != NULL && properties->kind == NODE_MAPPING;
    if (type == NULL || type->kind != NODE_SCALAR) {
        return;
    }
    if (sv_eq(type->text, SV("Api"))) {
        n->has_rest_api |= !is_map || node_find(properties, SV("RestApiId")) == NULL;
    } else if (sv_eq(type->text, SV("HttpApi"))) {
        n->has_http_api |= !is_map || node_find(properties, SV("ApiId")) == NULL;
    }
}

static void tell_kept(struct naming *n, bool *told, span at, const char *what) {
    if (!*told) {
        struct diag *d = cfn_report(n->run, DIAG_cfn_sam_kept, at, "%s stay as they are written", what);
        cfn_hint(n->run, d, "what SAM makes of them when it deploys is not in the output");
    }
    *told = true;
}

static void make_events(struct naming *n) {
    const struct node *events = get_property(n, "Events");
    if (events == NULL || events->kind != NODE_MAPPING || is_call(events)) {
        return;
    }
    for (uint32_t i = 0; i < events->count; i++) {
        sv name = arena_printf(n->run->arena, "%.*s%.*s", SV_ARG(n->maker->e.name), SV_ARG(events->pairs[i].key->text));
        make(n, name, "AWS::Serverless::Event")->is_opaque = true;
        note_implicit_api(n, events->pairs[i].value);
    }
    tell_kept(n, &n->told_events, events->at, "events and their permissions");
}

/* A policy template is a mapping of one name that is no part of a policy document. */
static void look_for_policy_templates(struct naming *n) {
    const struct node *policies = get_property(n, "Policies");
    for (uint32_t i = 0; policies != NULL && policies->kind == NODE_SEQUENCE && i < policies->count; i++) {
        const struct node *p = policies->items[i];
        if (p->kind == NODE_MAPPING && p->count == 1 && !is_call(p) && node_find(p, SV("Statement")) == NULL) {
            tell_kept(n, &n->told_policies, p->at, "policy templates");
        }
    }
}

static void make_of_function(struct naming *n) {
    if (may_lack(n, "Role")) {
        make(n, name_of(n, "Role"), "AWS::IAM::Role");
    }
    make_aliases(n);
    if (get_property(n, "FunctionUrlConfig") != NULL) {
        make(n, name_of(n, "Url"), "AWS::Lambda::Url");
    }
    make_destination(n, "EventInvokeConfig.DestinationConfig.OnSuccess");
    make_destination(n, "EventInvokeConfig.DestinationConfig.OnFailure");
    make_events(n);
    look_for_policy_templates(n);
}

/* --- APIs --- */

static void make_stage(struct naming *n, sv name, const char *type, bool has_name) {
    struct cfn_made *stage = make(n, name, type);
    put_property(stage, 0, "StageName", "StageName");
    if (!has_name) {
        stage->properties[0] = (struct cfn_made_property){.name = SV("StageName"), .text = SV("$default")};
    }
}

static void make_domain(struct naming *n, const char *suffix, const char *type) {
    if (get_property(n, "Domain") != NULL) {
        put_property(make(n, name_of(n, suffix), type), 0, "DomainName", "Domain.DomainName");
    }
}

static void make_named_stage(struct naming *n, const char *type) {
    const struct node *stage = get_property(n, "StageName");
    if (is_plain_text(stage)) {
        sv name = arena_printf(n->run->arena, "%.*s%.*sStage", SV_ARG(n->maker->e.name), SV_ARG(stage->text));
        make_stage(n, name, type, true);
    }
}

static void make_of_api(struct naming *n) {
    make_stage(n, name_of(n, ".Stage"), "AWS::ApiGateway::Stage", true);
    make_named_stage(n, "AWS::ApiGateway::Stage");
    make_opaque(n, ".Deployment", "AWS::ApiGateway::Deployment");
    make_domain(n, ".DomainName", "AWS::ApiGateway::DomainName");
    make_domain(n, ".DomainNameV2", "AWS::ApiGateway::DomainName");
    if (get_property(n, "Auth.UsagePlan") != NULL) {
        make_opaque(n, ".UsagePlan", "AWS::ApiGateway::UsagePlan");
        make_opaque(n, ".UsagePlanKey", "AWS::ApiGateway::UsagePlanKey");
        make_opaque(n, ".ApiKey", "AWS::ApiGateway::ApiKey");
    }
}

static void make_of_http_api(struct naming *n) {
    const char *type = "AWS::ApiGatewayV2::Stage";
    bool has_name = get_property(n, "StageName") != NULL;
    make_stage(n, name_of(n, ".Stage"), type, has_name);
    if (has_name) {
        make_named_stage(n, type);
    } else {
        make_stage(n, name_of(n, "ApiGatewayDefaultStage"), type, false);
    }
    make_domain(n, ".DomainName", "AWS::ApiGatewayV2::DomainName");
}

/* CF-271 */
static void make_implicit_apis(struct naming *n) {
    n->maker = NULL;
    if (n->has_rest_api) {
        make(n, SV("ServerlessRestApi"), "AWS::ApiGateway::RestApi");
        struct cfn_made *stage = make(n, SV("ServerlessRestApiProdStage"), "AWS::ApiGateway::Stage");
        stage->properties[0] = (struct cfn_made_property){.name = SV("StageName"), .text = SV("Prod")};
    }
    if (n->has_http_api) {
        make(n, SV("ServerlessHttpApi"), "AWS::ApiGatewayV2::Api");
        make_stage(n, SV("ServerlessHttpApiApiGatewayDefaultStage"), "AWS::ApiGatewayV2::Stage", false);
    }
}

/* --- all --- */

static void look_for_others(struct naming *n) {
    const struct cfn_resource *r = n->maker;
    const struct node *connectors = r->e.node->kind == NODE_MAPPING ? node_find(r->e.node, SV("Connectors")) : NULL;
    if (connectors != NULL || sv_eq(r->type, SV("AWS::Serverless::Connector"))) {
        tell_kept(n, &n->told_connectors, connectors != NULL ? connectors->at : r->type_at, "connectors");
    }
    if (sv_eq(r->type, SV("AWS::Serverless::GraphQLApi"))) {
        tell_kept(n, &n->told_graphql, r->type_at, "GraphQL APIs");
    }
    const struct node *location = get_property(n, "Location");
    if (sv_eq(r->type, SV("AWS::Serverless::Application")) && location != NULL && location->kind == NODE_MAPPING &&
        !is_call(location)) {
        tell_kept(n, &n->told_applications, location->at, "applications of the repository");
    }
}

void cfn_sam_make_names(struct cfn_run *run) {
    if (!run->t->is_sam) {
        return;
    }
    struct naming n = {.run = run};
    for (size_t i = 0; i < run->t->resources.len; i++) {
        n.maker = run->t->resources.items[i];
        look_for_others(&n);
        if (sv_eq(n.maker->type, SV("AWS::Serverless::Function"))) {
            make_of_function(&n);
        } else if (sv_eq(n.maker->type, SV("AWS::Serverless::Api"))) {
            make_of_api(&n);
        } else if (sv_eq(n.maker->type, SV("AWS::Serverless::HttpApi"))) {
            make_of_http_api(&n);
        } else if (sv_eq(n.maker->type, SV("AWS::Serverless::StateMachine")) && may_lack(&n, "Role")) {
            make(&n, name_of(&n, "Role"), "AWS::IAM::Role");
        }
    }
    make_implicit_apis(&n);
}

bool cfn_made_property_find(struct cfn_run *run, const struct cfn_resource *r, sv path, value *result,
                            struct cell **cell) {
    const struct cfn_made *made = r->made_by;
    *result = (value){0};
    for (size_t i = 0; i < CFN_MADE_PROPERTIES; i++) {
        const struct cfn_made_property *p = &made->properties[i];
        if (p->name.len == 0 || !sv_eq(p->name, path)) {
            continue;
        }
        if (p->of_maker.len > 0 && r->maker != NULL) {
            return cfn_property_find(run, r->maker, p->of_maker, result, cell);
        }
        *result = value_string(run->arena, p->text);
    }
    return true;
}

/* --- ids with a hash (CF-274) --- */

static bool is_hash(sv text) {
    for (size_t i = 0; i < text.len; i++) {
        char c = text.data[i];
        if (!(c >= '0' && c <= '9') && !(c >= 'a' && c <= 'f')) {
            return false;
        }
    }
    return text.len == 10;
}

static bool is_of_type(const struct cfn_run *run, sv id, const char *type) {
    const struct cfn_resource *r = map_find(&run->t->resources_by_name, id);
    return r != NULL && sv_eq_cstr(r->type, type);
}

static bool is_hashed(const struct cfn_run *run, sv name) {
    if (!run->t->is_sam || name.len <= 10 || !is_hash(sv_slice(name, name.len - 10, name.len))) {
        return false;
    }
    sv stem = sv_slice(name, 0, name.len - 10);
    if (sv_has_suffix(stem, SV("Version"))) {
        sv id = sv_slice(stem, 0, stem.len - strlen("Version"));
        if (is_of_type(run, id, "AWS::Serverless::Function")) {
            return true;
        }
    }
    if (sv_has_suffix(stem, SV("Deployment"))) {
        sv id = sv_slice(stem, 0, stem.len - strlen("Deployment"));
        if (is_of_type(run, id, "AWS::Serverless::Api") || is_of_type(run, id, "AWS::ApiGateway::RestApi")) {
            return true;
        }
    }
    return is_of_type(run, stem, "AWS::Serverless::LayerVersion");
}

struct cfn_resource *cfn_sam_find_hashed(struct cfn_run *run, sv name) {
    if (!is_hashed(run, name)) {
        return NULL;
    }
    struct naming n = {.run = run};
    make(&n, name, "AWS::Serverless::Hashed")->is_hashed = true;
    return map_find(&run->t->resources_by_name, name);
}
