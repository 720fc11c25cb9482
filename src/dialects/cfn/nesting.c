#include "dialects/cfn/nesting.h"

#define F(name) (UINT64_C(1) << CFN_##name)

/* The lists of CF-060. */
#define CONDITIONS (F(EQUALS) | F(AND) | F(OR) | F(NOT))
#define MEMBERS    (F(CONTAINS) | F(EACH_MEMBER_EQUALS) | F(EACH_MEMBER_IN))
#define EXTENSIONS (F(LENGTH) | F(TO_JSON_STRING))
#define OPERANDS   (F(REF) | F(FIND_IN_MAP) | F(SUB) | F(JOIN) | F(SELECT) | F(SPLIT))
#define COMPUTED   (F(REF) | F(BASE64) | F(FIND_IN_MAP) | F(IF) | F(JOIN) | F(SUB) | F(TO_JSON_STRING))
#define TEXTS                                                                                                        \
    (F(REF) | F(BASE64) | F(FIND_IN_MAP) | F(GET_ATT) | F(GET_AZS) | F(IF) | F(IMPORT_VALUE) | F(JOIN) | F(SELECT) | \
     F(SUB))
#define VALUES                                                                                                      \
    (F(REF) | F(GET_ATT) | F(SUB) | F(JOIN) | F(SPLIT) | F(SELECT) | F(FIND_IN_MAP) | F(IF) | F(BASE64) | F(CIDR) | \
     F(GET_AZS) | F(IMPORT_VALUE) | F(GET_STACK_OUTPUT) | F(TRANSFORM) | EXTENSIONS)

struct row {
    uint64_t permitted, extended; /* `extended`: with language extensions besides */
    bool is_closed, wants_parameter;
    const char *name;
};

static const struct row rows[CFN_ARG_COUNT] = {
    [CFN_ARG_ANY] = {VALUES, 0, false, false, "this place"},
    [CFN_ARG_LITERAL] = {0, 0, true, false, "a text that is written out"},
    [CFN_ARG_CONDITION] = {CONDITIONS | F(CONDITION), 0, true, false, "a condition"},
    [CFN_ARG_RULE] = {CONDITIONS | MEMBERS, 0, true, false, "a condition of a rule"},
    [CFN_ARG_EQUALS] = {OPERANDS, EXTENSIONS, true, true, "an operand of 'Fn::Equals'"},
    [CFN_ARG_RULE_EQUALS] = {OPERANDS | F(VALUE_OF) | F(REF_ALL) | F(VALUE_OF_ALL), EXTENSIONS, true, true,
                             "an operand of 'Fn::Equals'"},
    [CFN_ARG_RULE_VALUE] = {OPERANDS | F(VALUE_OF) | F(REF_ALL) | F(VALUE_OF_ALL), 0, true, true,
                            "an operand of a rule function"},
    [CFN_ARG_MAP_KEY] = {F(REF) | F(FIND_IN_MAP), F(JOIN) | F(SUB) | F(IF) | F(SELECT) | EXTENSIONS, true, true,
                         "a name or key of 'Fn::FindInMap'"},
    [CFN_ARG_REF_NAME] = {0, COMPUTED, true, true, "the name of 'Ref'"},
    [CFN_ARG_GET_ATT_ID] = {0, COMPUTED, true, true, "the resource of 'Fn::GetAtt'"},
    [CFN_ARG_GET_ATT_ATTRIBUTE] = {F(REF), COMPUTED, true, true, "the attribute of 'Fn::GetAtt'"},
    [CFN_ARG_LENGTH] = {F(REF) | F(FIND_IN_MAP) | F(SPLIT) | F(IF) | F(GET_AZS), 0, true, true,
                        "the list of 'Fn::Length'"},
    [CFN_ARG_COLLECTION] = {F(REF) | F(FIND_IN_MAP) | F(SPLIT), 0, true, true, "the collection of a loop"},
    [CFN_ARG_COLLECTION_ITEM] = {F(REF) | F(FIND_IN_MAP) | F(JOIN) | F(SELECT) | F(SUB), 0, true, true,
                                 "an item of a loop's collection"},
    [CFN_ARG_IMPORT_NAME] = {VALUES, 0, false, false, "a name of an export"},
    [CFN_ARG_POLICY] = {0, F(REF) | F(FIND_IN_MAP) | F(IF), true, true, "a policy"},
    [CFN_ARG_LOCATION] = {F(REF) | F(FIND_IN_MAP) | F(JOIN) | F(SUB), 0, true, true, "the location of an Include"},
    [CFN_ARG_CIDR] = {F(REF) | F(GET_ATT) | F(FIND_IN_MAP) | F(IF) | F(IMPORT_VALUE) | F(SELECT) | F(SUB), 0, false,
                      false, "an argument of 'Fn::Cidr'"},
    [CFN_ARG_AZS] = {F(REF) | F(GET_ATT) | F(IF) | F(JOIN) | F(SELECT) | F(SUB), 0, false, false,
                     "the region of 'Fn::GetAZs'"},
    [CFN_ARG_BASE64] = {VALUES & ~(F(SPLIT) | F(CIDR) | F(GET_AZS)), 0, false, false, "the text of 'Fn::Base64'"},
    [CFN_ARG_JOIN_LIST] = {F(REF) | F(FIND_IN_MAP) | F(GET_ATT) | F(IF) | F(SPLIT) | F(CIDR) | F(GET_AZS), 0, false,
                           false, "the list of 'Fn::Join'"},
    [CFN_ARG_JOIN_ITEM] = {(TEXTS & ~F(GET_AZS)) | F(GET_STACK_OUTPUT) | F(TRANSFORM), EXTENSIONS, false, false,
                           "an item of 'Fn::Join'"},
    [CFN_ARG_SELECT_INDEX] = {F(REF) | F(FIND_IN_MAP), F(LENGTH), false, false, "the index of 'Fn::Select'"},
    [CFN_ARG_SELECT_LIST] = {F(REF) | F(FIND_IN_MAP) | F(GET_ATT) | F(GET_AZS) | F(IF) | F(SPLIT) | F(CIDR), 0, false,
                             false, "the list of 'Fn::Select'"},
    [CFN_ARG_SPLIT_SOURCE] = {TEXTS, 0, false, false, "the source of 'Fn::Split'"},
    [CFN_ARG_SUB_VALUE] = {TEXTS | F(GET_STACK_OUTPUT) | F(TRANSFORM), EXTENSIONS, false, false,
                           "a value of 'Fn::Sub'"},
    [CFN_ARG_JSON] = {TEXTS | F(SPLIT) | EXTENSIONS, 0, false, false, "the content of 'Fn::ToJsonString'"},
    [CFN_ARG_STACK_OUTPUT] = {F(REF) | F(BASE64) | F(FIND_IN_MAP) | F(IF) | F(JOIN) | F(SELECT) | F(SUB), 0, false,
                              false, "an argument of 'Fn::GetStackOutput'"},
};

enum cfn_nesting cfn_nesting_check(enum cfn_argument argument, enum cfn_function f, bool has_extensions) {
    const struct row *row = &rows[argument];
    uint64_t bit = UINT64_C(1) << f;
    if ((row->permitted & bit) != 0)
        return CFN_NESTING_GOOD;
    if ((row->extended & bit) != 0)
        return has_extensions ? CFN_NESTING_GOOD : CFN_NESTING_EXTENSION;
    return row->is_closed ? CFN_NESTING_CLOSED : CFN_NESTING_OPEN;
}

bool cfn_nesting_wants_parameter(enum cfn_argument argument) {
    return rows[argument].wants_parameter;
}

const char *cfn_nesting_get_name(enum cfn_argument argument) {
    return rows[argument].name;
}
