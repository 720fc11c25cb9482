/* What a reference points at (1.16). Shared by resolution, types and evaluation. */
#ifndef LINTEL_DIALECTS_BLUEPRINT_REFS_H
#define LINTEL_DIALECTS_BLUEPRINT_REFS_H

#include "dialects/blueprint/blueprint.h"

struct ref_target {
    enum element_kind kind; /* 0: elem, i */
    sv name;
    size_t first; /* first step behind the name */
    span at;      /* from the start to the name's end */
    bool is_bare; /* a bare name: perhaps `workingDir` */
};

struct ref_target ref_get_target(const struct expr *ref);

/* What the first step behind a resource names (BP-242). */
enum ref_part {
    REF_PART_ID = 1, /* nothing follows: the id field */
    REF_PART_SPEC,
    REF_PART_STATE,
    REF_PART_DISPLAY_NAME,
    REF_PART_LABELS,
    REF_PART_ANNOTATIONS,
    REF_PART_CUSTOM,
    REF_PART_INDEX,   /* a template's index */
    REF_PART_INVALID, /* something else, or too short */
};
/* `next` is the first step that is left. */
enum ref_part ref_get_part(const struct expr *ref, size_t first, size_t *next);
/* Whether an index stands at the step: that of a template when it follows the name (BP-154). */
bool ref_has_index(const struct expr *ref, size_t first);
/* The inputs of a blueprint that is a resource: what they are called under `.spec` (BP-293). */
bool ref_is_child_input(sv name);
/* The export that a reference to a child names, `first` being the step behind its name and index; `kind` is that of the
 * reference's root (BP-293). Empty: none. */
sv ref_get_export(const struct expr *ref, enum element_kind kind, size_t first);

#endif
