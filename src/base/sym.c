#include "base/sym.h"

#include <assert.h>

void symtab_init(struct symtab *t, struct arena *a) {
    *t = (struct symtab){.by_text = MAP(a)};
    VEC_PUSH(a, &t->texts, ((sv){"", 0})); /* the text of sym 0 */
}

sym symtab_put(struct symtab *t, sv name) {
    sym known = symtab_find(t, name);
    if (known != 0) {
        return known;
    }
    struct arena *a = t->by_text.arena;
    size_t number = t->texts.len;
    assert(number <= UINT32_MAX);
    sv copy = arena_copy_sv(a, name);
    VEC_PUSH(a, &t->texts, copy);
    (void)map_put(&t->by_text, copy, (void *)(uintptr_t)number);
    return (sym)number;
}

sym symtab_find(const struct symtab *t, sv name) {
    return (sym)(uintptr_t)map_find(&t->by_text, name);
}

sv symtab_get_text(const struct symtab *t, sym s) {
    assert(s < t->texts.len);
    return t->texts.items[s];
}
