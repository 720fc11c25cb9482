#include "engine/conditions.h"

static enum condition judge(value v) {
    if (value_is_error(v) || (v.within & WITHIN_ERROR) != 0) {
        return CONDITION_FAILED;
    }
    if (!value_is_known(v) || (v.marks & MARK_PROVISIONAL) != 0) {
        return CONDITION_OPEN;
    }
    return v.kind == VALUE_BOOL && v.boolean ? CONDITION_TRUE : CONDITION_FALSE; /* none is false (BP-141) */
}

/* Groups nest no deeper than files include each other (BP-175). */
enum condition condition_find(struct evaluation *e, uint32_t element) {
    const struct element *el = &e->template->elements[element];
    enum condition outer = el->group == 0 ? CONDITION_TRUE : condition_find(e, el->group - 1);
    if (outer == CONDITION_FALSE || outer == CONDITION_FAILED || el->condition == NULL) {
        return outer;
    }
    enum condition own = judge(eval_cell(e->evaluator, e->cells[element].condition));
    return own == CONDITION_TRUE ? outer : own;
}
