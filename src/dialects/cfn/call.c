#include "dialects/cfn/call.h"

enum {
    SCALAR = CFN_SHORT_SCALAR,
    SEQUENCE = CFN_SHORT_SEQUENCE,
    MAPPING = CFN_SHORT_MAPPING,
    CALL = CFN_SHORT_CALL,
};

#define FUNCTION(text, short_tag, forms, ...) \
    { .name = SV_INIT(text), .tag = SV_INIT(short_tag), .short_forms = (forms), __VA_ARGS__ }

static const struct cfn_function_def functions[CFN_FUNCTION_COUNT] = {
    [CFN_REF] = FUNCTION("Ref", "!Ref", SCALAR, ),
    [CFN_CONDITION] = FUNCTION("Condition", "!Condition", SCALAR, .is_condition = true),
    [CFN_GET_ATT] = FUNCTION("Fn::GetAtt", "!GetAtt", SCALAR | SEQUENCE, ),
    [CFN_SUB] = FUNCTION("Fn::Sub", "!Sub", SCALAR | SEQUENCE, ),
    [CFN_JOIN] = FUNCTION("Fn::Join", "!Join", SEQUENCE, ),
    [CFN_SPLIT] = FUNCTION("Fn::Split", "!Split", SEQUENCE, ),
    [CFN_SELECT] = FUNCTION("Fn::Select", "!Select", SEQUENCE, ),
    [CFN_FIND_IN_MAP] = FUNCTION("Fn::FindInMap", "!FindInMap", SEQUENCE, ),
    [CFN_IF] = FUNCTION("Fn::If", "!If", SEQUENCE, ),
    [CFN_BASE64] = FUNCTION("Fn::Base64", "!Base64", SCALAR | CALL, ),
    [CFN_CIDR] = FUNCTION("Fn::Cidr", "!Cidr", SEQUENCE, ),
    [CFN_GET_AZS] = FUNCTION("Fn::GetAZs", "!GetAZs", SCALAR | CALL, ),
    [CFN_IMPORT_VALUE] = FUNCTION("Fn::ImportValue", "!ImportValue", SCALAR | CALL, ),
    [CFN_GET_STACK_OUTPUT] = FUNCTION("Fn::GetStackOutput", "!GetStackOutput", MAPPING, ),
    [CFN_TRANSFORM] = FUNCTION("Fn::Transform", "!Transform", MAPPING, ),
    [CFN_EQUALS] = FUNCTION("Fn::Equals", "!Equals", SEQUENCE, .is_condition = true),
    [CFN_AND] = FUNCTION("Fn::And", "!And", SEQUENCE, .is_condition = true),
    [CFN_OR] = FUNCTION("Fn::Or", "!Or", SEQUENCE, .is_condition = true),
    [CFN_NOT] = FUNCTION("Fn::Not", "!Not", SEQUENCE, .is_condition = true),
    [CFN_CONTAINS] = FUNCTION("Fn::Contains", "!Contains", SEQUENCE, .is_rule = true, .is_condition = true),
    [CFN_EACH_MEMBER_EQUALS] =
        FUNCTION("Fn::EachMemberEquals", "!EachMemberEquals", SEQUENCE, .is_rule = true, .is_condition = true),
    [CFN_EACH_MEMBER_IN] =
        FUNCTION("Fn::EachMemberIn", "!EachMemberIn", SEQUENCE, .is_rule = true, .is_condition = true),
    [CFN_REF_ALL] = FUNCTION("Fn::RefAll", "!RefAll", SCALAR, .is_rule = true),
    [CFN_VALUE_OF] = FUNCTION("Fn::ValueOf", "!ValueOf", SEQUENCE, .is_rule = true),
    [CFN_VALUE_OF_ALL] = FUNCTION("Fn::ValueOfAll", "!ValueOfAll", SEQUENCE, .is_rule = true),
    [CFN_LENGTH] = FUNCTION("Fn::Length", "", 0, .is_extension = true),
    [CFN_TO_JSON_STRING] = FUNCTION("Fn::ToJsonString", "", 0, .is_extension = true),
    [CFN_FOR_EACH] = FUNCTION("Fn::ForEach", "", 0, .is_extension = true),
    [CFN_UNKNOWN_FUNCTION] = FUNCTION("", "", 0, ),
};

const struct cfn_function_def *cfn_function_get(enum cfn_function f) {
    return &functions[f];
}

/* Behind `Fn::` or `!`. */
static enum cfn_function find_name(sv name) {
    enum { BEHIND_FN = sizeof "Fn::" - 1 };
    for (int f = CFN_GET_ATT; f < CFN_FOR_EACH; f++) {
        sv known = functions[f].name;
        if (known.len == name.len + BEHIND_FN && known.data[BEHIND_FN] == name.data[0] &&
            memcmp(known.data + BEHIND_FN, name.data, name.len) == 0)
            return (enum cfn_function)f;
    }
    return CFN_UNKNOWN_FUNCTION;
}

enum cfn_function cfn_function_find(sv key) {
    static const sv prefix = SV_INIT("Fn::");
    if (key.len < 3 || (key.data[0] != 'F' && key.data[0] != 'R'))
        return CFN_NO_FUNCTION;
    if (key.len == 3 && sv_eq_cstr(key, "Ref"))
        return CFN_REF;
    if (!sv_has_prefix(key, prefix))
        return CFN_NO_FUNCTION;
    if (sv_has_prefix(key, SV("Fn::ForEach::")) || sv_eq_cstr(key, "Fn::ForEach"))
        return CFN_FOR_EACH;
    return find_name(sv_slice(key, prefix.len, key.len));
}

enum cfn_function cfn_function_find_tag(sv tag) {
    if (tag.len < 2 || tag.data[0] != '!')
        return CFN_NO_FUNCTION;
    if (sv_eq_cstr(tag, "!Ref"))
        return CFN_REF;
    if (sv_eq_cstr(tag, "!Condition"))
        return CFN_CONDITION;
    enum cfn_function f = find_name(sv_slice(tag, 1, tag.len));
    return f != CFN_UNKNOWN_FUNCTION && functions[f].tag.len > 0 ? f : CFN_UNKNOWN_FUNCTION;
}

static bool get_short(const struct node *n, struct cfn_call *call) {
    if (n->props == NULL || n->props->tag.len == 0)
        return false;
    enum cfn_function f = cfn_function_find_tag(n->props->tag);
    *call = (struct cfn_call){f, true, n, n->props->tag_at};
    return f != CFN_NO_FUNCTION;
}

bool cfn_call_get_condition(const struct node *n, struct cfn_call *call) {
    if (get_short(n, call))
        return true;
    if (n->kind != NODE_MAPPING || n->count != 1 || n->pairs[0].key->kind != NODE_SCALAR)
        return false;
    sv key = n->pairs[0].key->text;
    enum cfn_function f = sv_eq_cstr(key, "Condition") ? CFN_CONDITION : cfn_function_find(key);
    *call = (struct cfn_call){f, false, n->pairs[0].value, n->pairs[0].key->at};
    return f != CFN_NO_FUNCTION && f != CFN_FOR_EACH;
}

bool cfn_call_get(const struct node *n, struct cfn_call *call) {
    return cfn_call_get_condition(n, call) && (call->is_short || call->function != CFN_CONDITION);
}

span cfn_node_get_span(const struct node *n) {
    bool has_tag = n->props != NULL && n->props->tag.len > 0 && !span_is_none(n->props->tag_at);
    return has_tag ? span_join(n->props->tag_at, n->at) : n->at;
}

struct node *cfn_node_untagged(struct arena *a, const struct node *n) {
    struct node *plain = ARENA_NEW(a, struct node);
    *plain = *n;
    plain->props = NULL;
    return plain;
}

struct node *cfn_node_unconst(const struct node *n) {
    union {
        const struct node *from;
        struct node *to;
    } u = {.from = n};
    return u.to;
}
