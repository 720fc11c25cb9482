/* Scalars of YAML 1.1 as dynaml reads and writes them (DY-012, DY-321, DY-322). */
#ifndef LINTEL_DIALECTS_DYNAML_SCALARS_H
#define LINTEL_DIALECTS_DYNAML_SCALARS_H

#include "doc/scalar.h"
#include "value/value.h"

/* A scalar_resolver. */
struct scalar dynaml_resolve_scalar(sv plain_text);
/* Whether other readers of YAML 1.1 take the text for something else than a string, although we do not (the kinds
 * marked in DY-012): dates, `+inf`, `0x1p4` … */
bool dynaml_is_doubtful_string(sv plain_text);
/* DY-321. */
void dynaml_print_float(struct buf *out, double x);

#endif
