/* link(a, b) (FN-232, FN-233): the state of a link that follows from the blueprint. */
#include "dialects/blueprint/evaluate.h"
#include "dialects/blueprint/refs.h"

/* `t_3` of a template `t`. */
static uint32_t find_by_name(const struct evaluation *e, const struct blueprint_names *names, sv name) {
    uint32_t number = blueprint_find_number(names, ELEMENT_RESOURCE, name);
    if (number != UINT32_MAX) {
        return number;
    }
    addr address = addr_make(e->arena, names->prefix, ELEMENT_RESOURCE, name);
    const struct element *found = template_find(e->template, address.text);
    return found == NULL ? UINT32_MAX : template_get_number(e->template, found);
}

static uint32_t find_by_reference(const struct evaluation *e, const struct blueprint_names *names,
                                  const struct expr *arg) {
    struct ref_target t = ref_get_target(arg);
    if (!ref_has_index(arg, t.first)) {
        return blueprint_find_number(names, t.kind, t.name);
    }
    sv name = arena_printf(e->arena, "%.*s_%zu", SV_ARG(t.name), arg->ref.steps[t.first].index);
    return find_by_name(e, names, name);
}

static uint32_t find_side(struct evaluation *e, const struct blueprint_names *names, const struct expr *arg) {
    bool is_name = arg->kind == EXPR_LITERAL && arg->literal.kind == VALUE_STRING;
    return is_name                 ? find_by_name(e, names, value_get_text(arg->literal))
           : arg->kind == EXPR_REF ? find_by_reference(e, names, arg)
                                   : UINT32_MAX;
}

static value call_of_pair(struct evaluation *e, const struct blueprint_names *names, struct fn_call *c,
                          const uint32_t numbers[2]) {
    const struct element *elements = e->template->elements;
    sv a = elements[numbers[0]].name, b = elements[numbers[1]].name;
    addr address =
        addr_make(e->arena, names->prefix, ELEMENT_LINK, arena_printf(e->arena, "%.*s::%.*s", SV_ARG(a), SV_ARG(b)));
    uintptr_t found = (uintptr_t)map_find(&e->template->link_by_address, address.text);
    if (found == 0) {
        return fn_call_fail(c, DIAG_invalid_substitution, SIZE_MAX, "no link leads from '%.*s' to '%.*s'",
                            SV_ARG(sv_slice(a, 0, 80)), SV_ARG(sv_slice(b, 0, 80)));
    }
    return e->demand_link == NULL ? value_unknown(c->fn->result) : e->demand_link(e->user, e, (uint32_t)(found - 1));
}

value blueprint_call_link(void *user, struct fn_call *c) {
    struct evaluation *e = ((struct blueprint_evaluation *)user)->e;
    const struct blueprint_names *names = c->scope->owner;
    uint32_t numbers[2];
    if (!e->template->is_expanded) {
        return value_unknown(c->fn->result);
    }
    for (size_t i = 0; i < 2; i++) {
        numbers[i] = find_side(e, names, c->expr->call.args[i]);
        if (numbers[i] == UINT32_MAX) {
            return fn_call_fail(c, DIAG_sub_func_link_arg_resource_not_found, i, "there is no such resource");
        }
        value decided;
        struct cell *open = blueprint_find_condition(e, numbers[i], names, &decided);
        if (open != NULL) {
            return open->state == CELL_UNDER_WAY
                       ? value_error(NULL)
                       : fn_call_request(c, (struct fn_request){.kind = FN_DEMAND, .cell = open});
        }
        if (decided.kind == VALUE_ERROR) {
            return decided;
        }
        if (decided.kind == VALUE_BOOL && !decided.boolean) {
            return fn_call_fail(c, DIAG_invalid_function_argument, i,
                                "the condition of this resource is false, it is not there");
        }
    }
    return call_of_pair(e, names, c, numbers);
}
