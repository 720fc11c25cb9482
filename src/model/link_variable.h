/* Environment variables that links give to what runs: how they are called. */
#ifndef LINTEL_MODEL_LINK_VARIABLE_H
#define LINTEL_MODEL_LINK_VARIABLE_H

#include "base/arena.h"

/* The name for the path of a linked resource: "ordersDatabase" gives "ORDERS_DATABASE_PATH". */
sv link_variable_derive(struct arena *a, sv resource);
/* Letters, digits and '_', no digit in front. */
bool link_variable_is_name(sv name);

#endif
