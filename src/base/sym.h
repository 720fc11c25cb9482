/* Interned names. A sym is a small number that stands for one text within one table; 0 is none. */
#ifndef LINTEL_BASE_SYM_H
#define LINTEL_BASE_SYM_H

#include "base/map.h"
#include "base/vec.h"

typedef uint32_t sym;

struct symtab {
    struct map by_text;
    VEC(sv) texts; /* texts.items[sym]; item 0 is empty */
};

void symtab_init(struct symtab *t, struct arena *a);
/* The name's number, given one (and copied) when new. */
sym symtab_put(struct symtab *t, sv name);
/* 0 when the name was never put. */
sym symtab_find(const struct symtab *t, sv name);
sv symtab_get_text(const struct symtab *t, sym s);

#endif
