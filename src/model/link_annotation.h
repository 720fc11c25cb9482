/* What link types ask of annotations (BP-165). Literal ones are checked where the template is, computed ones when both
 * sides of the link are known. */
#ifndef LINTEL_MODEL_LINK_ANNOTATION_H
#define LINTEL_MODEL_LINK_ANNOTATION_H

#include "model/provider.h"

/* The rule's key, with the name of the other resource in the place of "<resourceName>". */
sv link_annotation_get_key(struct arena *a, const struct link_annotation *rule, sv other);
/* The kind of scalar it wants; 0 for any. */
enum value_kind link_annotation_get_kind(const struct link_annotation *rule);

enum link_annotation_fault {
    LINK_ANNOTATION_FINE = 1,
    LINK_ANNOTATION_TYPE,    /* another kind; text is parsed as the declared type */
    LINK_ANNOTATION_ALLOWED, /* not among the allowed values */
};
/* `v` is a scalar. */
enum link_annotation_fault link_annotation_check(struct arena *a, const struct link_annotation *rule, value v);
/* Reports the fault of the annotation `key` (link_annotation_invalid). */
struct diag *link_annotation_report(struct diags *diags, const struct link_annotation *rule,
                                    enum link_annotation_fault fault, sv key, span at);
/* All annotations of both sides of a call whose metadata is known as far as it will be; unknown ones pass. False after
 * a report. */
bool link_check_annotations(struct link_call *c, const struct link_type *type);

#endif
