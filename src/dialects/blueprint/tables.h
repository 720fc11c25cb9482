/* The grammar tables beside the public one. */
#ifndef LINTEL_DIALECTS_BLUEPRINT_TABLES_H
#define LINTEL_DIALECTS_BLUEPRINT_TABLES_H

#include "lang/dialect.h"

/* For `field` of exports (BP-191): mistakes are `invalid_reference_pattern`. */
extern const struct dialect blueprint_export_dialect;

#endif
