#include "model/template.h"

const struct element *template_find(const struct template *t, sv address) {
    return map_find(&t->by_address, address);
}

uint32_t template_get_number(const struct template *t, const struct element *e) {
    return (uint32_t)(e - t->elements);
}

value template_find_condition(struct evaluation *e, uint32_t element) {
    value result = value_bool(true);
    for (uint32_t n = element + 1; n != 0; n = e->template->elements[n - 1].group) {
        value v = eval_cell(e->evaluator, e->cells[n - 1].condition);
        if (value_is_error(v) || (v.kind == VALUE_BOOL && !v.boolean)) {
            return v;
        }
        result = v.kind == VALUE_BOOL ? result : v;
    }
    return result;
}

const struct template *template_expand(const struct template *t, const struct expand_request *r) {
    return t->is_expanded || t->ops->expand == NULL ? t : t->ops->expand(t, r);
}
