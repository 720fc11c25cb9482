#include "model/template.h"

const struct element *template_find(const struct template *t, sv address) {
    return map_find(&t->by_address, address);
}

uint32_t template_get_number(const struct template *t, const struct element *e) {
    return (uint32_t)(e - t->elements);
}
