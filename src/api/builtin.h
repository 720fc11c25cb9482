/* The built-in providers, in alphabetical order of their names. */
#ifndef LINTEL_API_BUILTIN_H
#define LINTEL_API_BUILTIN_H

#include "model/provider.h"

extern const struct providers builtin_providers;

#endif
