/* Values that are in no template: of resources, zones, exports, other stacks (CF-220). */
#include "base/hint.h"
#include "dialects/cfn/form.h"
#include "dialects/cfn/lookups.h"
#include "dialects/cfn/regions.h"
#include "dialects/cfn/sam.h"
#include "dialects/cfn/stacks.h"

/* --- resources --- */

struct asking {
    struct cfn_run *run;
    const struct cfn_resource *resource;
    struct cell *demand; /* what is needed first */
};

static bool take(value v, struct cfn_answer *answer) {
    answer->item = v;
    answer->origin = cfn_get_origin(v);
    return true;
}

static bool find_property(struct asking *a, sv path, value *result) {
    return a->resource->is_made ? cfn_made_property_find(a->run, a->resource, path, result, &a->demand)
                                : cfn_property_find(a->run, a->resource, path, result, &a->demand);
}

static bool ask_for_form(void *user, enum cfn_ask what, sv name, struct cfn_answer *answer) {
    struct asking *a = user;
    value v = {0};
    switch (what) {
    case CFN_ASK_PROPERTY:
        return find_property(a, name, &v) && take(v, answer);
    case CFN_ASK_PSEUDO:
        return take(cfn_pseudo_get(a->run, cfn_pseudo_find(arena_printf(a->run->arena, "AWS::%.*s", SV_ARG(name)))),
                    answer);
    case CFN_ASK_REF: {
        struct cfn_symbol ref = {.resource = a->resource, .attribute = SV("Ref")};
        return cfn_symbol_ask(a->run, &ref, &v, &a->demand) == CFN_LOOKUP_VALUE && take(v, answer);
    }
    }
    return false;
}

static value read_property(const struct cfn_query *q, sv path) {
    struct asking *a = q->user;
    value v = {0};
    return find_property(a, path, &v) ? v : (value){0};
}

static value make_unknown(struct cfn_run *run, const struct cfn_symbol *s, enum cfn_reason reason) {
    sv id = s->resource->e.name;
    bool is_ref = sv_eq(s->attribute, SV("Ref"));
    sv set = is_ref ? arena_printf(run->arena, "--set %.*s=VALUE", SV_ARG(id))
                    : arena_printf(run->arena, "--set %.*s.%.*s=VALUE", SV_ARG(id), SV_ARG(s->attribute));
    bool has_stand_in =
        reason == CFN_REASON_generated || (reason == CFN_REASON_type && (is_ref || sv_eq(s->attribute, SV("Arn"))));
    sv hint = has_stand_in ? arena_printf(run->arena, "%.*s, or --stand-ins", SV_ARG(set)) : set;
    return cfn_unknown(run, reason, s->resource->e.key == NULL ? SPAN_NONE : s->resource->e.key->at, hint);
}

static value refuse_attribute(struct cfn_run *run, const struct cfn_symbol *s) {
    const struct cfn_resource *r = s->resource;
    return cfn_fail(run, DIAG_cfn_attribute_unknown, r->e.key == NULL ? SPAN_NONE : r->e.key->at,
                    "'%.*s' of the type %.*s has no attribute '%.*s'", SV_ARG(r->e.name), SV_ARG(r->type),
                    SV_ARG(s->attribute));
}

/* What SAM makes and nobody knows is in the table as custom resources are: all made by AWS. */
static sv get_type(const struct cfn_resource *r) {
    const struct cfn_made *made = r->made_by;
    return r->is_made && made->is_opaque ? SV("Custom::*") : r->type;
}

static bool is_hashed(const struct cfn_resource *r) {
    const struct cfn_made *made = r->made_by;
    return r->is_made && made->is_hashed;
}

/* What the type table says. */
static enum cfn_lookup ask_table(struct asking *a, const struct cfn_symbol *s, value *result) {
    struct cfn_run *run = a->run;
    struct cfn_form_request r = {.arena = run->arena,
                                 .table = &cfn_types,
                                 .id = s->resource->e.name,
                                 .type = get_type(s->resource),
                                 .attribute = s->attribute,
                                 .stand_ins = run->o.stand_ins,
                                 .user = a,
                                 .ask = ask_for_form};
    struct cfn_answer answer = {0};
    switch (cfn_form_evaluate(&r, &answer)) {
    case CFN_FORM_WAIT:
        return CFN_LOOKUP_WAIT;
    case CFN_FORM_VALUE:
        *result = cfn_with_origin(answer.item, answer.origin);
        break;
    case CFN_FORM_UNKNOWN:
    case CFN_FORM_ERROR:
        *result = answer.item;
        break;
    case CFN_FORM_GENERATED:
        *result = make_unknown(run, s, CFN_REASON_generated);
        break;
    case CFN_FORM_NO_ATTRIBUTE:
        *result = refuse_attribute(run, s);
        break;
    case CFN_FORM_OTHER_ATTRIBUTE:
        *result = make_unknown(run, s, CFN_REASON_attribute);
        break;
    case CFN_FORM_NO_TYPE:
        *result = make_unknown(run, s, CFN_REASON_type);
        break;
    }
    return CFN_LOOKUP_VALUE;
}

enum cfn_lookup cfn_symbol_ask(struct cfn_run *run, const struct cfn_symbol *s, value *result, struct cell **demand) {
    struct asking a = {.run = run, .resource = s->resource};
    struct cfn_query q = {.kind = CFN_QUERY_RESOURCE,
                          .id = s->resource->e.name,
                          .attribute = s->attribute,
                          .type = s->resource->type,
                          .get_property = read_property,
                          .user = &a};
    const struct cfn_asked *asked = cfn_lookup(run, &q);
    if (asked->found != CFN_ABSENT) {
        *result = cfn_take_answer(run, asked, s->resource->e.key == NULL ? SPAN_NONE : s->resource->e.key->at);
        return CFN_LOOKUP_VALUE;
    }
    if (is_hashed(s->resource)) {
        *result = make_unknown(run, s, CFN_REASON_sam);
        return CFN_LOOKUP_VALUE;
    }
    sv outputs = SV("Outputs.");
    if (cfn_is_nested_stack(s->resource->type) && sv_has_prefix(s->attribute, outputs)) {
        sv name = sv_slice(s->attribute, outputs.len, s->attribute.len);
        return cfn_nested_output(run, s->resource, name, result, demand);
    }
    enum cfn_lookup found = ask_table(&a, s, result);
    *demand = a.demand;
    return found;
}

bool cfn_types_has(sv type, sv attribute) {
    struct cfn_type_rows rows = cfn_types_find(&cfn_types, type);
    return rows.count == 0 || !cfn_types_is_complete(rows) || cfn_types_find_attribute(rows, attribute).count > 0;
}

sv cfn_types_find_close(sv type, sv attribute) {
    struct cfn_type_rows rows = cfn_types_find(&cfn_types, type);
    struct hint h = HINT(attribute);
    for (size_t i = 0; i < rows.count; i++) {
        if (sv_find_char(rows.rows[i].attribute, '*') == SIZE_MAX && !sv_eq(rows.rows[i].attribute, SV("Ref"))) {
            hint_offer(&h, rows.rows[i].attribute);
        }
    }
    return h.best;
}

/* --- zones (CF-124, CF-204) --- */

value cfn_zones_get(struct cfn_run *run, sv region, span at) {
    if (region.len == 0 && !cfn_pseudo_get_text(run, CFN_REGION, &region)) {
        return cfn_pseudo_get(run, CFN_REGION);
    }
    const struct cfn_asked *asked = cfn_lookup(run, &(struct cfn_query){.kind = CFN_QUERY_ZONES, .region = region});
    if (asked->found != CFN_ABSENT) {
        return cfn_take_answer(run, asked, at);
    }
    sv letters = cfn_region_find_zones(region);
    if (letters.len == 0 || run->o.no_assume) {
        sv hint = arena_printf(run->arena, "give the zones of '%.*s' among Zones of a symbol file",
                               SV_ARG(sv_slice(region, 0, 80)));
        return cfn_unknown(run, CFN_REASON_zones, at, hint);
    }
    struct list_builder b = {.arena = run->arena};
    for (size_t i = 0; i < letters.len; i++) {
        sv zone = arena_printf(run->arena, "%.*s%c", SV_ARG(region), letters.data[i]);
        list_add(&b, cfn_with_origin(value_string(run->arena, zone), CFN_ASSUMED));
    }
    return cfn_with_origin(list_done(&b), CFN_ASSUMED);
}

/* --- other stacks (CF-107, CF-108) --- */

static void put_home(struct cfn_run *run, struct cfn_query *q) {
    sv region = {0};
    sv account = {0};
    cfn_pseudo_get_text(run, CFN_REGION, &region);
    cfn_pseudo_get_text(run, CFN_ACCOUNT_ID, &account);
    q->is_home =
        (q->region.len == 0 || sv_eq(q->region, region)) && (q->account.len == 0 || sv_eq(q->account, account));
    q->region = q->region.len == 0 ? region : q->region;
    q->account = q->account.len == 0 ? account : q->account;
}

value cfn_import_get(struct cfn_run *run, sv name, span at) {
    struct cfn_query q = {.kind = CFN_QUERY_EXPORT, .id = name};
    put_home(run, &q);
    const struct cfn_asked *asked = cfn_lookup(run, &q);
    if (asked->found != CFN_ABSENT) {
        return cfn_take_answer(run, asked, at);
    }
    return cfn_unknown(run, CFN_REASON_import, at,
                       arena_printf(run->arena, "--import %.*s=VALUE", SV_ARG(sv_slice(name, 0, 200))));
}

value cfn_stack_output_get(struct cfn_run *run, const struct cfn_stack_output_key *key) {
    struct cfn_query q = {.kind = CFN_QUERY_STACK_OUTPUT,
                          .id = key->stack,
                          .attribute = key->output,
                          .region = key->region,
                          .account = key->account};
    put_home(run, &q);
    const struct cfn_asked *asked = cfn_lookup(run, &q);
    if (asked->found != CFN_ABSENT) {
        return cfn_take_answer(run, asked, key->at);
    }
    return cfn_unknown(run, CFN_REASON_stack_output, key->at, SV("give it among StackOutputs of a symbol file"));
}

value cfn_parameter_attribute_get(struct cfn_run *run, sv parameter, sv attribute, span at) {
    struct cfn_query q = {.kind = CFN_QUERY_PARAMETER_ATTRIBUTE, .id = parameter, .attribute = attribute};
    const struct cfn_asked *asked = cfn_lookup(run, &q);
    if (asked->found != CFN_ABSENT) {
        return cfn_take_answer(run, asked, at);
    }
    return cfn_unknown(run, CFN_REASON_account, at, SV("give it among ParameterAttributes of a symbol file"));
}

bool cfn_include_find(struct cfn_run *run, sv location, sv *path) {
    const struct cfn_asked *asked = cfn_lookup(run, &(struct cfn_query){.kind = CFN_QUERY_INCLUDE, .id = location});
    return asked->found == CFN_FOUND && cfn_text_get(run, asked->reply.item, path);
}
