#include "dialects/cfn/transforms.h"

#include "dialects/cfn/sections.h"

struct order {
    bool has_sam;
};

static bool is_aws(sv name) {
    return sv_has_prefix(name, SV("AWS::"));
}

static void refuse(struct cfn_run *run, span at) {
    struct diag *d = cfn_report(run, DIAG_cfn_transform, at, "a transform is a name, or a map with 'Name'");
    cfn_hint(run, d, "write the name, {Name, Parameters}, or a list of these");
}

static void take_extensions(struct cfn_run *run, const struct order *o, span at) {
    run->t->has_extensions = true;
    if (!o->has_sam)
        return;
    struct diag *d = cfn_report(run, DIAG_cfn_transform_order, at,
                                "AWS::LanguageExtensions stands behind AWS::Serverless-2016-10-31");
    cfn_hint(run, d, "put it in front");
}

static void keep(struct cfn_run *run, sv name, span at) {
    if (is_aws(name)) {
        struct diag *d = cfn_report(run, DIAG_cfn_transform_kept, at, "the transform '%.*s' stays as it is",
                                    SV_ARG(sv_slice(name, 0, 80)));
        cfn_hint(run, d, "CloudFormation carries it out");
        return;
    }
    struct diag *d =
        cfn_report(run, DIAG_cfn_macro, at, "the macro '%.*s' cannot be run here", SV_ARG(sv_slice(name, 0, 80)));
    cfn_hint(run, d, "results describe the template before the macro");
    run->has_macro = true;
}

static void take(struct cfn_run *run, struct order *o, sv name, span at) {
    if (sv_eq_cstr(name, "AWS::LanguageExtensions")) {
        take_extensions(run, o, at);
    } else if (sv_eq_cstr(name, "AWS::Serverless-2016-10-31")) {
        o->has_sam = run->t->is_sam = true;
    } else if (!sv_eq_cstr(name, "AWS::Include")) {
        keep(run, name, at);
    }
}

/* CF-150: {Name, Parameters?}, literally. */
static void read_map(struct cfn_run *run, struct order *o, const struct node *n) {
    const struct node *name = node_find(n, SV("Name"));
    struct cfn_call call;
    bool is_good = name != NULL && name->kind == NODE_SCALAR && !cfn_call_get(name, &call);
    for (uint32_t i = 0; i < n->count; i++) {
        sv key = n->pairs[i].key->text;
        is_good = is_good && (sv_eq_cstr(key, "Name") || sv_eq_cstr(key, "Parameters"));
    }
    if (is_good)
        take(run, o, name->text, name->at);
    else
        refuse(run, n->at);
}

static void read_one(struct cfn_run *run, struct order *o, const struct node *n) {
    struct cfn_call call;
    if (n->kind == NODE_ERROR)
        return;
    if (cfn_call_get(n, &call))
        refuse(run, cfn_node_get_span(n));
    else if (n->kind == NODE_SCALAR)
        take(run, o, n->text, n->at);
    else if (n->kind == NODE_MAPPING)
        read_map(run, o, n);
    else
        refuse(run, n->at);
}

void cfn_transforms_read(struct cfn_run *run) {
    const struct node *n = run->t->sections[CFN_SECTION_TRANSFORM];
    struct order o = {0};
    if (n == NULL)
        return;
    if (n->kind != NODE_SEQUENCE) {
        read_one(run, &o, n);
        return;
    }
    for (uint32_t i = 0; i < n->count; i++)
        read_one(run, &o, n->items[i]);
}
