/* What the type table says that an attribute of a resource is (CF-225 to CF-227).
 *
 * Evaluation is pure and can be broken off: what it needs to know it asks for, and when the answer is not there yet it
 * ends with CFN_FORM_WAIT; the caller finds out and calls again. Nothing is asked for that the chosen row does not
 * need. Marks (sensitive) of the parts join in the result. */
#ifndef LINTEL_DIALECTS_CFN_FORM_H
#define LINTEL_DIALECTS_CFN_FORM_H

#include "dialects/cfn/origin.h"
#include "dialects/cfn/types.h"

enum cfn_ask {
    CFN_ASK_PROPERTY = 1, /* `name` is a path of names with points: "ProtocolType" */
    CFN_ASK_PSEUDO,       /* "Partition", "Region", "AccountId", "URLSuffix", "StackName" */
    CFN_ASK_REF,          /* the resource's own Ref */
};

enum cfn_form_state {
    CFN_FORM_WAIT = 1,        /* something asked for is not there yet */
    CFN_FORM_VALUE,           /* the answer, a stand-in when its origin says so */
    CFN_FORM_GENERATED,       /* made by AWS: unknown, reason `generated` */
    CFN_FORM_UNKNOWN,         /* a part is unknown: answer.item is that unknown */
    CFN_FORM_ERROR,           /* a part is an error: answer.item is that error */
    CFN_FORM_NO_ATTRIBUTE,    /* the type does not have it */
    CFN_FORM_OTHER_ATTRIBUTE, /* the type is listed, but not all its attributes: unknown, reason `attribute` */
    CFN_FORM_NO_TYPE,         /* the type is not listed: unknown, reason `type` */
};

struct cfn_form_request {
    struct arena *arena;
    const struct cfn_type_table *table; /* usually &cfn_types */
    sv id, type, attribute;
    bool stand_ins; /* CF-227 */
    void *user;
    /* False: ask again later. `answer->item`: kind 0 or ABSENT when there is none, UNKNOWN, ERROR, or the value. */
    bool (*ask)(void *user, enum cfn_ask what, sv name, struct cfn_answer *answer);
};

/* `answer` is set for VALUE, UNKNOWN and ERROR. */
enum cfn_form_state cfn_form_evaluate(const struct cfn_form_request *r, struct cfn_answer *answer);

/* Digits that look random, from SHA-256 over what they stand for (CF-227). */
struct cfn_digits {
    struct arena *arena;
    sv seed;
    uint8_t block[32];
    size_t used, blocks;
};
struct cfn_digits cfn_digits_start(struct arena *a, sv stack, sv id, sv type, sv attribute);
/* "hex4" "hex16" "hex17" "alnum7" "alnum10" "uuid" "byte"; false for another name. */
bool cfn_digits_print(struct cfn_digits *d, sv name, struct buf *out);

#endif
