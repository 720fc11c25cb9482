/* Which calls may stand as which argument (CF-060): a table. Internal to the room. */
#ifndef LINTEL_DIALECTS_CFN_NESTING_H
#define LINTEL_DIALECTS_CFN_NESTING_H

#include "dialects/cfn/call.h"

/* Where a value stands. */
enum cfn_argument {
    CFN_ARG_ANY = 1,   /* properties, outputs, branches of If, default values */
    CFN_ARG_LITERAL,   /* text without calls: delimiters, the string of Sub, names of conditions */
    CFN_ARG_CONDITION, /* a condition itself, elements of And, Or, Not */
    CFN_ARG_RULE,      /* the same in Rules */
    CFN_ARG_EQUALS,
    CFN_ARG_RULE_EQUALS,
    CFN_ARG_RULE_VALUE, /* operands of Contains, EachMember… */
    CFN_ARG_MAP_KEY,
    CFN_ARG_REF_NAME,
    CFN_ARG_GET_ATT_ID,
    CFN_ARG_GET_ATT_ATTRIBUTE,
    CFN_ARG_LENGTH,
    CFN_ARG_COLLECTION, /* of ForEach */
    CFN_ARG_COLLECTION_ITEM,
    CFN_ARG_IMPORT_NAME,
    CFN_ARG_POLICY,
    CFN_ARG_LOCATION,
    CFN_ARG_CIDR,
    CFN_ARG_AZS,
    CFN_ARG_BASE64,
    CFN_ARG_JOIN_LIST,
    CFN_ARG_JOIN_ITEM,
    CFN_ARG_SELECT_INDEX,
    CFN_ARG_SELECT_LIST,
    CFN_ARG_SPLIT_SOURCE,
    CFN_ARG_SUB_VALUE,
    CFN_ARG_JSON,
    CFN_ARG_STACK_OUTPUT,
    CFN_ARG_COUNT,
};

enum cfn_nesting {
    CFN_NESTING_GOOD = 1,
    CFN_NESTING_EXTENSION, /* with AWS::LanguageExtensions only */
    CFN_NESTING_OPEN,      /* not documented, but evaluated */
    CFN_NESTING_CLOSED,
};
enum cfn_nesting cfn_nesting_check(enum cfn_argument argument, enum cfn_function f, bool has_extensions);
/* References there name parameters and pseudo parameters only (PP). */
bool cfn_nesting_wants_parameter(enum cfn_argument argument);
/* "the delimiter of Fn::Join", for messages. */
const char *cfn_nesting_get_name(enum cfn_argument argument);

#endif
