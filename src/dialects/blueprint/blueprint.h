/* The blueprint dialect: ${…} substitutions, resources, links (blueprint.md).
 *
 * `blueprint_load` is the way from a file to a checked template; `blueprint_dialect` is the grammar of one substitution
 * as a table. */
#ifndef LINTEL_DIALECTS_BLUEPRINT_BLUEPRINT_H
#define LINTEL_DIALECTS_BLUEPRINT_BLUEPRINT_H

#include "model/template.h"

/* Roots of references (1.15): expr.op. */
enum blueprint_root {
    BLUEPRINT_ROOT_NAME = 1, /* a bare resource name */
    BLUEPRINT_ROOT_CHILDREN,
    BLUEPRINT_ROOT_DATASOURCES,
    BLUEPRINT_ROOT_ELEM,
    BLUEPRINT_ROOT_INDEX, /* i */
    BLUEPRINT_ROOT_RESOURCES,
    BLUEPRINT_ROOT_VALUES,
    BLUEPRINT_ROOT_VARIABLES,
};

extern const struct dialect blueprint_dialect;

/* Reads and checks one blueprint; all mistakes are in the request's diagnostics (BP-302). NULL when nothing could be
 * made of the file. With errors in the diagnostics the template must not be evaluated. `digest` is left empty: whoever
 * loads sets it. */
struct template *blueprint_load(const struct load_request *r);

#endif
