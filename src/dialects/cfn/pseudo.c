/* Pseudo parameters (CF-200 to CF-203). */
#include "dialects/cfn/lookups.h"
#include "dialects/cfn/regions.h"
#include "dialects/cfn/stacks.h"

static const struct {
    sv name;
    enum cfn_pseudo pseudo;
} pseudo_names[] = {
    {SV_INIT("AWS::AccountId"), CFN_ACCOUNT_ID},
    {SV_INIT("AWS::NoValue"), CFN_NO_VALUE},
    {SV_INIT("AWS::NotificationARNs"), CFN_NOTIFICATION_ARNS},
    {SV_INIT("AWS::Partition"), CFN_PARTITION},
    {SV_INIT("AWS::Region"), CFN_REGION},
    {SV_INIT("AWS::StackId"), CFN_STACK_ID},
    {SV_INIT("AWS::StackName"), CFN_STACK_NAME},
    {SV_INIT("AWS::URLSuffix"), CFN_URL_SUFFIX},
};
enum { PSEUDO_NAME_COUNT = sizeof(pseudo_names) / sizeof(pseudo_names[0]) };

enum cfn_pseudo cfn_pseudo_find(sv name) {
    for (size_t i = 0; i < PSEUDO_NAME_COUNT; i++) {
        if (sv_eq(name, pseudo_names[i].name)) {
            return pseudo_names[i].pseudo;
        }
    }
    return (enum cfn_pseudo)0;
}

static sv get_name(enum cfn_pseudo p) {
    size_t i = 0;
    while (pseudo_names[i].pseudo != p) {
        i++;
    }
    return pseudo_names[i].name;
}

static value make_text(struct cfn_run *run, sv text, enum cfn_origin origin) {
    return cfn_with_origin(value_string(run->arena, text), origin);
}

/* What the parent knows counts for the child, too (CF-261). */
static bool is_inherited(enum cfn_pseudo p) {
    return p == CFN_ACCOUNT_ID || p == CFN_REGION || p == CFN_PARTITION || p == CFN_URL_SUFFIX;
}

static bool find_in_environment(struct cfn_run *run, sv *region) {
    if (run->o.no_env || run->o.host == NULL) {
        return false;
    }
    static const sv names[] = {SV_INIT("AWS_REGION"), SV_INIT("AWS_DEFAULT_REGION")};
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        if (run->o.host->ops->find_env(run->o.host->user, run->arena, names[i], region) && region->len > 0) {
            return true;
        }
    }
    return false;
}

static value make_stack_id(struct cfn_run *run) {
    static const enum cfn_pseudo needed[] = {CFN_PARTITION, CFN_REGION, CFN_ACCOUNT_ID, CFN_STACK_NAME};
    sv texts[4] = {0};
    for (size_t i = 0; i < 4; i++) {
        if (!cfn_pseudo_get_text(run, needed[i], &texts[i])) {
            return cfn_pseudo_get(run, needed[i]);
        }
    }
    sv text =
        arena_printf(run->arena, "arn:%.*s:cloudformation:%.*s:%.*s:stack/%.*s/51af3dc0-da77-11e4-872e-1234567db123",
                     SV_ARG(texts[0]), SV_ARG(texts[1]), SV_ARG(texts[2]), SV_ARG(texts[3]));
    return make_text(run, text, CFN_ASSUMED);
}

/* The defaults of CF-201 and CF-203. */
static value assume(struct cfn_run *run, enum cfn_pseudo p) {
    sv region = {0};
    switch (p) {
    case CFN_ACCOUNT_ID:
        return make_text(run, SV("123456789012"), CFN_ASSUMED);
    case CFN_REGION:
        return make_text(run, SV("us-east-1"), CFN_ASSUMED);
    case CFN_STACK_NAME:
        return make_text(run, SV("local"), CFN_ASSUMED);
    case CFN_STACK_ID:
        return make_stack_id(run);
    case CFN_NOTIFICATION_ARNS:
        return cfn_with_origin(value_list_of(run->arena, NULL, 0), CFN_ASSUMED);
    case CFN_PARTITION:
    case CFN_URL_SUFFIX:
        if (!cfn_pseudo_get_text(run, CFN_REGION, &region)) {
            return cfn_pseudo_get(run, CFN_REGION);
        }
        const struct cfn_partition *partition = cfn_region_get_partition(region);
        return make_text(run, p == CFN_PARTITION ? partition->name : partition->suffix, CFN_ASSUMED);
    case CFN_NO_VALUE:
    case CFN_PSEUDO_COUNT:
        break;
    }
    return value_absent();
}

static value find(struct cfn_run *run, enum cfn_pseudo p) {
    sv name = get_name(p);
    const struct cfn_asked *asked = cfn_lookup(run, &(struct cfn_query){.kind = CFN_QUERY_PSEUDO, .id = name});
    if (asked->found != CFN_ABSENT) {
        return cfn_take_answer(run, asked, SPAN_NONE);
    }
    if (run->parent != NULL && is_inherited(p)) {
        return cfn_carry(run, run->parent, cfn_pseudo_get(run->parent, p), SPAN_NONE);
    }
    if (run->parent != NULL && (p == CFN_STACK_NAME || p == CFN_STACK_ID)) {
        value v = cfn_nested_pseudo(run, p);
        return value_is_set(v) ? v : cfn_with_origin(assume(run, p), CFN_STAND_IN);
    }
    if (run->parent != NULL && p == CFN_NOTIFICATION_ARNS) {
        return cfn_with_origin(value_list_of(run->arena, NULL, 0), CFN_TEMPLATE);
    }
    sv region = {0};
    if (p == CFN_REGION && find_in_environment(run, &region)) {
        return make_text(run, region, CFN_GIVEN);
    }
    if (!run->o.no_assume) {
        return assume(run, p);
    }
    return cfn_unknown(run, CFN_REASON_account, SPAN_NONE,
                       arena_printf(run->arena, "give '%.*s' among the Parameters of a symbol file", SV_ARG(name)));
}

value cfn_pseudo_get(struct cfn_run *run, enum cfn_pseudo p) {
    if (p == CFN_NO_VALUE) {
        return value_absent();
    }
    struct cfn_symbols *s = cfn_symbols_get(run);
    if (!value_is_set(s->pseudo[p])) {
        s->pseudo[p] = find(run, p);
    }
    return s->pseudo[p];
}

bool cfn_pseudo_get_text(struct cfn_run *run, enum cfn_pseudo p, sv *text) {
    return cfn_text_get(run, cfn_pseudo_get(run, p), text);
}

static bool is_list_of_texts(value v) {
    for (size_t i = 0; v.kind == VALUE_LIST && i < v.list->len; i++) {
        if (v.list->items[i].kind != VALUE_STRING) {
            return false;
        }
    }
    return v.kind == VALUE_LIST;
}

/* What is wrong with a value that is given, in words; NULL: nothing. */
static const char *judge(struct cfn_run *run, enum cfn_pseudo p, value item) {
    sv text = {0};
    if (p == CFN_NOTIFICATION_ARNS) {
        return is_list_of_texts(item) ? NULL : "is a list of texts";
    }
    if (!cfn_text_get(run, item, &text)) {
        return "is text";
    }
    if (p == CFN_ACCOUNT_ID && !cfn_is_account(text)) {
        return "has 12 digits";
    }
    if (p == CFN_STACK_NAME && !cfn_is_stack_name(text)) {
        return "is a letter, then letters, digits and hyphens, 128 at most";
    }
    return NULL;
}

void cfn_pseudo_check(struct cfn_run *run) {
    for (size_t i = 0; i < PSEUDO_NAME_COUNT; i++) {
        enum cfn_pseudo p = pseudo_names[i].pseudo;
        struct cfn_query q = {.kind = CFN_QUERY_PSEUDO, .id = pseudo_names[i].name};
        const struct cfn_asked *asked = cfn_lookup(run, &q);
        if (p == CFN_NO_VALUE || asked->found != CFN_FOUND || asked->reply.item.kind == VALUE_UNKNOWN) {
            continue;
        }
        const char *wrong = judge(run, p, asked->reply.item);
        if (wrong != NULL) {
            cfn_report(run, DIAG_cfn_pseudo_value, asked->reply.at, "%.*s %s", SV_ARG(q.id), wrong);
        }
    }
}
