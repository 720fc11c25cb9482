/* The type table (CF-224): what Ref and Fn::GetAtt give, per resource type. Const data, made of types.tsv by
 * tools/gen-cfn-types, which has checked order and grammar. Rows are sorted by type, attribute and rank. */
#ifndef LINTEL_DIALECTS_CFN_TYPES_H
#define LINTEL_DIALECTS_CFN_TYPES_H

#include "base/sv.h"

/* When a row applies; P is its `property`. */
enum cfn_when {
    CFN_ALWAYS = 1,
    CFN_HAS,
    CFN_LACKS,
    CFN_IS,           /* P is `wanted` */
    CFN_PLAIN,        /* P is text without ':' */
    CFN_ARN,          /* P starts with "arn:" */
    CFN_IN_PARTITION, /* the partition is `wanted` */
};

enum cfn_row_kind {
    CFN_ROW_TEXT = 1,
    CFN_ROW_NUMBER,
    CFN_ROW_LIST, /* of one item: the form */
};

struct cfn_type_row {
    sv type, attribute; /* attribute: "Ref", a name, "prefix.*", or "*" */
    enum cfn_when when;
    sv property, wanted;
    sv name;    /* the property that names the resource; empty: none */
    sv form;    /* of "*": what every other attribute is; empty: nothing */
    sv standin; /* CF-227; empty: the form with what is missing put in */
    enum cfn_row_kind kind;
    sv source; /* page of the reference that documents it */
};

struct cfn_type_table {
    const struct cfn_type_row *rows;
    size_t count;
};

extern const struct cfn_type_table cfn_types;

struct cfn_type_rows {
    const struct cfn_type_row *rows;
    size_t count;
};

/* All rows of the type; those of `Custom::*` for every custom resource. Count 0: the type is not listed. */
struct cfn_type_rows cfn_types_find(const struct cfn_type_table *t, sv type);
/* The rows of one attribute by rank: those of its name, else of the longest `prefix.*` that covers it, else of "*" when
 * that has a form. Count 0: the type is not known to have it. */
struct cfn_type_rows cfn_types_find_attribute(struct cfn_type_rows rows, sv attribute);
/* All attributes of the type are listed: another one is a mistake. */
bool cfn_types_is_complete(struct cfn_type_rows rows);
/* Its property that gives the name; empty: none. */
sv cfn_types_get_name_property(struct cfn_type_rows rows);

#endif
