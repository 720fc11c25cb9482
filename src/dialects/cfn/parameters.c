/* Declarations of parameters and mappings (CF-040, CF-041, CF-048). */
#include "dialects/cfn/parameters.h"

#include "base/hint.h"
#include "base/num.h"
#include "dialects/cfn/lookups.h"
#include "dialects/cfn/scalars.h"
#include "dialects/cfn/sections.h"

enum { DESCRIPTION_MAX = 4000 };

/* --- types (CF-041) --- */

static const sv account_types[] = {
    SV_INIT("AWS::EC2::AvailabilityZone::Name"),
    SV_INIT("AWS::EC2::Image::Id"),
    SV_INIT("AWS::EC2::Instance::Id"),
    SV_INIT("AWS::EC2::KeyPair::KeyName"),
    SV_INIT("AWS::EC2::SecurityGroup::GroupName"),
    SV_INIT("AWS::EC2::SecurityGroup::Id"),
    SV_INIT("AWS::EC2::Subnet::Id"),
    SV_INIT("AWS::EC2::VPC::Id"),
    SV_INIT("AWS::EC2::Volume::Id"),
    SV_INIT("AWS::Route53::HostedZone::Id"),
};

static bool is_account_type(sv type) {
    for (size_t i = 0; i < sizeof(account_types) / sizeof(account_types[0]); i++) {
        if (sv_eq(type, account_types[i])) {
            return true;
        }
    }
    return false;
}

/* What stands between `open` and ">"; false when the type is not of that form. */
static bool find_inner(sv type, sv open, sv *inner) {
    if (!sv_has_prefix(type, open) || !sv_has_suffix(type, SV(">"))) {
        return false;
    }
    *inner = sv_slice(type, open.len, type.len - 1);
    return true;
}

static bool set_account_type(struct cfn_parameter *p, sv type) {
    sv inner = {0};
    p->is_list = find_inner(type, SV("List<"), &inner);
    sv item = p->is_list ? inner : type;
    if (!is_account_type(item) || (p->is_list && sv_has_suffix(item, SV("::KeyName")))) {
        return false;
    }
    p->kind = CFN_PARAMETER_TEXT;
    return true;
}

static bool set_ssm_type(struct cfn_parameter *p, sv type) {
    p->is_ssm = true;
    p->kind = CFN_PARAMETER_TEXT;
    p->is_list = sv_eq(type, SV("List<String>")) || sv_eq(type, SV("CommaDelimitedList"));
    return p->is_list || sv_eq(type, SV("String")) || set_account_type(p, type);
}

static bool set_type(struct cfn_parameter *p, sv type) {
    static const struct {
        sv name;
        enum cfn_parameter_kind kind;
        bool is_list;
    } plain[] = {
        {SV_INIT("AWS::SSM::Parameter::Name"), CFN_PARAMETER_TEXT, false},
        {SV_INIT("CommaDelimitedList"), CFN_PARAMETER_TEXT, true},
        {SV_INIT("List<Number>"), CFN_PARAMETER_NUMBER, true},
        {SV_INIT("Number"), CFN_PARAMETER_NUMBER, false},
        {SV_INIT("String"), CFN_PARAMETER_STRING, false},
    };
    for (size_t i = 0; i < sizeof(plain) / sizeof(plain[0]); i++) {
        if (sv_eq(type, plain[i].name)) {
            p->kind = plain[i].kind;
            p->is_list = plain[i].is_list;
            return true;
        }
    }
    sv inner = {0};
    if (find_inner(type, SV("AWS::SSM::Parameter::Value<"), &inner)) {
        return set_ssm_type(p, inner);
    }
    return set_account_type(p, type);
}

static void read_type(struct cfn_run *run, const struct node *n, struct cfn_parameter *p) {
    if (n->kind == NODE_SCALAR && set_type(p, n->text)) {
        p->type = n->text;
        return;
    }
    p->kind = (enum cfn_parameter_kind)0;
    sv text = n->kind == NODE_SCALAR ? sv_slice(n->text, 0, 80) : (sv){0};
    struct diag *d =
        n->kind == NODE_SCALAR
            ? cfn_report(run, DIAG_cfn_parameter_type, n->at, "'%.*s' is no type of parameters", SV_ARG(text))
            : cfn_report(run, DIAG_cfn_parameter_type, cfn_node_get_span(n), "a type is text");
    cfn_hint(run, d, "the usual ones are String, Number, CommaDelimitedList and List<Number>");
}

/* --- keys (CF-040) --- */

enum parameter_key {
    KEY_ALLOWED_PATTERN,
    KEY_ALLOWED_VALUES,
    KEY_CONSTRAINT_DESCRIPTION,
    KEY_DEFAULT,
    KEY_DESCRIPTION,
    KEY_MAX_LENGTH,
    KEY_MAX_VALUE,
    KEY_MIN_LENGTH,
    KEY_MIN_VALUE,
    KEY_NO_ECHO,
    KEY_TYPE,
    KEY_COUNT,
};

static const sv key_names[KEY_COUNT] = {
    SV_INIT("AllowedPattern"), SV_INIT("AllowedValues"), SV_INIT("ConstraintDescription"),
    SV_INIT("Default"),        SV_INIT("Description"),   SV_INIT("MaxLength"),
    SV_INIT("MaxValue"),       SV_INIT("MinLength"),     SV_INIT("MinValue"),
    SV_INIT("NoEcho"),         SV_INIT("Type"),
};

static void refuse_shape(struct cfn_run *run, const struct node *n, enum parameter_key key, const char *wanted) {
    cfn_report(run, DIAG_cfn_shape, cfn_node_get_span(n), "'%.*s' is %s, not %s", SV_ARG(key_names[key]), wanted,
               node_get_kind_name(n));
}

static void read_text(struct cfn_run *run, const struct node *n, enum parameter_key key, sv *text) {
    if (n->kind != NODE_SCALAR) {
        refuse_shape(run, n, key, "text");
    } else if (n->text.len > DESCRIPTION_MAX) {
        cfn_report(run, DIAG_cfn_shape, n->at, "'%.*s' has %zu bytes, more than 4000", SV_ARG(key_names[key]),
                   n->text.len);
    } else {
        *text = n->text;
    }
}

static void read_bound(struct cfn_run *run, const struct node *n, enum parameter_key key, struct cfn_bound *bound) {
    if (n->kind == NODE_SCALAR &&
        num_parse_double(cfn_scalar_get_text(run->arena, n, NULL), &bound->number) == NUM_OK) {
        bound->is_set = true;
    } else {
        refuse_shape(run, n, key, "a number");
    }
}

static void read_no_echo(struct cfn_run *run, const struct node *n, struct cfn_parameter *p) {
    sv text = n->kind == NODE_SCALAR ? cfn_scalar_get_text(run->arena, n, NULL) : (sv){0};
    p->is_hidden = sv_eq_nocase(text, SV("true"));
    if (!p->is_hidden && !sv_eq_nocase(text, SV("false"))) {
        refuse_shape(run, n, KEY_NO_ECHO, "true or false");
        p->is_hidden = true; /* nothing is shown that might be a secret */
    }
}

static void read_allowed(struct cfn_run *run, const struct node *n, struct cfn_parameter *p) {
    if (n->kind != NODE_SEQUENCE) {
        refuse_shape(run, n, KEY_ALLOWED_VALUES, "a list");
        return;
    }
    for (uint32_t i = 0; i < n->count; i++) {
        if (n->items[i]->kind != NODE_SCALAR) {
            refuse_shape(run, n->items[i], KEY_ALLOWED_VALUES, "a list of scalars");
            return;
        }
    }
    p->allowed = n;
}

static void read_default(struct cfn_run *run, const struct node *n, struct cfn_parameter *p) {
    if (n->kind == NODE_SCALAR && (n->props == NULL || !sv_has_prefix(n->props->tag, SV("!")))) {
        p->fallback = n;
        return;
    }
    struct diag *d =
        cfn_report(run, DIAG_cfn_parameter_default, cfn_node_get_span(n), "a Default is text, a number or a boolean");
    cfn_hint(run, d, "write the items of a list with commas between them: \"a,b\"");
}

static void read_key(struct cfn_run *run, enum parameter_key key, const struct node *n, struct cfn_parameter *p) {
    switch (key) {
    case KEY_ALLOWED_PATTERN:
        read_text(run, n, key, &(sv){0});
        p->pattern_node = n->kind == NODE_SCALAR ? n : NULL;
        break;
    case KEY_ALLOWED_VALUES:
        read_allowed(run, n, p);
        break;
    case KEY_CONSTRAINT_DESCRIPTION:
        read_text(run, n, key, &p->constraint_description);
        break;
    case KEY_DEFAULT:
        read_default(run, n, p);
        break;
    case KEY_DESCRIPTION:
        read_text(run, n, key, &p->description);
        break;
    case KEY_MAX_LENGTH:
        read_bound(run, n, key, &p->max_length);
        break;
    case KEY_MAX_VALUE:
        read_bound(run, n, key, &p->max_value);
        break;
    case KEY_MIN_LENGTH:
        read_bound(run, n, key, &p->min_length);
        break;
    case KEY_MIN_VALUE:
        read_bound(run, n, key, &p->min_value);
        break;
    case KEY_NO_ECHO:
        read_no_echo(run, n, p);
        break;
    case KEY_TYPE:
        read_type(run, n, p);
        break;
    case KEY_COUNT:
        break;
    }
}

static void refuse_key(struct cfn_run *run, const struct node *key) {
    struct hint h = HINT(key->text);
    for (size_t i = 0; i < KEY_COUNT; i++) {
        hint_offer(&h, key_names[i]);
    }
    struct diag *d = cfn_report(run, DIAG_cfn_parameter_key, key->at, "a parameter has no key '%.*s'",
                                SV_ARG(sv_slice(key->text, 0, 80)));
    if (h.best.len > 0) {
        cfn_hint(run, d, "did you mean '%.*s'?", SV_ARG(h.best));
    } else {
        cfn_hint(run, d, "remove it");
    }
}

static void read_pair(struct cfn_run *run, const struct node_pair *pair, struct cfn_parameter *p) {
    for (size_t i = 0; i < KEY_COUNT; i++) {
        if (sv_eq(pair->key->text, key_names[i])) {
            read_key(run, (enum parameter_key)i, pair->value, p);
            return;
        }
    }
    refuse_key(run, pair->key);
}

/* --- constraints --- */

static void warn_ignored(struct cfn_run *run, const struct cfn_parameter *p, const char *name) {
    const struct node *n = node_find(p->e->node, sv_from_cstr(name));
    struct diag *d = cfn_report(run, DIAG_cfn_constraint_ignored, n != NULL ? n->at : p->e->node->at,
                                "'%s' does not count for the type %.*s", name, SV_ARG(p->type));
    cfn_hint(run, d, "lengths are for String, values for Number");
}

static void check_constraints(struct cfn_run *run, const struct cfn_parameter *p) {
    bool has_length = p->kind == CFN_PARAMETER_STRING;
    bool has_value = p->kind == CFN_PARAMETER_NUMBER && !p->is_list;
    const struct {
        const struct cfn_bound *bound;
        const char *name;
        bool counts;
    } bounds[] = {{&p->min_length, "MinLength", has_length},
                  {&p->max_length, "MaxLength", has_length},
                  {&p->min_value, "MinValue", has_value},
                  {&p->max_value, "MaxValue", has_value}};
    for (size_t i = 0; i < sizeof(bounds) / sizeof(bounds[0]); i++) {
        if (bounds[i].bound->is_set && !bounds[i].counts) {
            warn_ignored(run, p, bounds[i].name);
        }
    }
}

static void compile_pattern(struct cfn_run *run, struct cfn_parameter *p) {
    sv why = {0};
    if (pattern_new(run->arena, p->pattern_node->text, &why) != NULL) {
        sv whole = arena_printf(run->arena, "(*LIMIT_DEPTH=10000)\\A(?:%.*s)\\z", SV_ARG(p->pattern_node->text));
        p->pattern = pattern_new(run->arena, whole, &why);
    }
    if (p->pattern == NULL) {
        struct diag *d =
            cfn_report(run, DIAG_cfn_pattern, p->pattern_node->at, "the pattern is not applied: %.*s", SV_ARG(why));
        cfn_hint(run, d, "values are taken as they are");
    }
}

void cfn_parameter_read(struct cfn_run *run, const struct cfn_element *e, struct cfn_parameter *p) {
    const struct node *n = e->node;
    if (n->kind != NODE_MAPPING || (n->props != NULL && sv_has_prefix(n->props->tag, SV("!")))) {
        cfn_report(run, DIAG_cfn_shape, cfn_node_get_span(n), "a parameter is a mapping, not %s",
                   node_get_kind_name(n));
        return;
    }
    p->e = e;
    for (uint32_t i = 0; i < n->count; i++) {
        read_pair(run, &n->pairs[i], p);
    }
    if (node_find(n, key_names[KEY_TYPE]) == NULL) {
        struct diag *d =
            cfn_report(run, DIAG_cfn_parameter_type, e->key->at, "the parameter '%.*s' has no Type", SV_ARG(e->name));
        cfn_hint(run, d, "Type: String");
    }
    if (p->kind != 0) {
        check_constraints(run, p);
    }
    if (p->pattern_node != NULL) {
        compile_pattern(run, p);
    }
}

struct cfn_parameter *cfn_parameters_get(struct cfn_run *run) {
    struct cfn_symbols *s = cfn_symbols_get(run);
    if (s->declared == NULL) {
        s->declared = ARENA_ARRAY(run->arena, struct cfn_parameter, run->t->parameters.len + 1);
        for (size_t i = 0; i < run->t->parameters.len; i++) {
            cfn_parameter_read(run, &run->t->parameters.items[i], &s->declared[i]);
        }
    }
    return s->declared;
}

bool cfn_parameter_is_hidden(const struct cfn_run *run, uint32_t number) {
    return run->symbols != NULL && run->symbols->declared != NULL && run->symbols->declared[number].is_hidden;
}

/* --- mappings (CF-031, CF-048) --- */

static void check_mapping_key(struct cfn_run *run, const struct node *key, bool is_first) {
    for (size_t i = 0; i < key->text.len; i++) {
        char c = key->text.data[i];
        bool is_plain = (c >= '0' && c <= '9') || ((c | 32) >= 'a' && (c | 32) <= 'z');
        if (is_plain || (is_first && (c == '.' || c == '-'))) {
            continue;
        }
        struct diag *d = cfn_report(run, DIAG_cfn_mapping_key, key->at, "CloudFormation takes no key '%.*s' here",
                                    SV_ARG(sv_slice(key->text, 0, 80)));
        cfn_hint(run, d, is_first ? "use letters, digits, '.' and '-'" : "use letters and digits");
        return;
    }
}

static bool is_call(const struct node *n) {
    struct cfn_call call;
    return cfn_call_get(n, &call);
}

static void check_mapping_value(struct cfn_run *run, const struct node *n) {
    bool is_good = n->kind == NODE_SCALAR || n->kind == NODE_SEQUENCE;
    for (uint32_t i = 0; n->kind == NODE_SEQUENCE && is_good && i < n->count; i++) {
        is_good = n->items[i]->kind == NODE_SCALAR && !is_call(n->items[i]);
    }
    if (!is_good && !is_call(n)) {
        struct diag *d =
            cfn_report(run, DIAG_cfn_mapping_value, n->at, "a value of a mapping is a scalar or a list of scalars");
        cfn_hint(run, d, "give the parts keys of their own");
    }
}

/* The keys of one level; those of calls are the business of others. */
static bool check_level(struct cfn_run *run, const struct node *n, const char *what) {
    if (n->kind == NODE_MAPPING && !is_call(n)) {
        return true;
    }
    if (!is_call(n)) {
        cfn_report(run, DIAG_cfn_shape, n->at, "%s is a mapping, not %s", what, node_get_kind_name(n));
    }
    return false;
}

/* What stands under a key of the first level. */
static void check_second_level(struct cfn_run *run, const struct node *n) {
    if (!check_level(run, n, "what stands under a key of the first level")) {
        return;
    }
    for (uint32_t i = 0; i < n->count; i++) {
        const struct node_pair *pair = &n->pairs[i];
        if (cfn_function_find(pair->key->text) == CFN_NO_FUNCTION) {
            check_mapping_key(run, pair->key, false);
            check_mapping_value(run, pair->value);
        }
    }
}

static void check_first_level(struct cfn_run *run, const struct node *n) {
    if (!check_level(run, n, "a mapping's content")) {
        return;
    }
    for (uint32_t i = 0; i < n->count; i++) {
        if (cfn_function_find(n->pairs[i].key->text) == CFN_NO_FUNCTION) {
            check_mapping_key(run, n->pairs[i].key, true);
            check_second_level(run, n->pairs[i].value);
        }
    }
}

void cfn_mappings_check(struct cfn_run *run) {
    for (size_t i = 0; i < run->t->mappings.len; i++) {
        check_first_level(run, run->t->mappings.items[i].node);
    }
}
