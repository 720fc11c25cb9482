#include "engine/deploy.h"

/* Children with something in them that failed, each once (BP-502). */
struct failed_child {
    sv address; /* "children.core" */
    size_t count;
    span at; /* of its first failure */
};
struct failed_children {
    VEC(struct failed_child) items;
};

static void count_failure(struct deploy *d, struct failed_children *all, sv child, span at) {
    for (size_t i = 0; i < all->items.len; i++) {
        if (sv_eq(all->items.items[i].address, child)) {
            all->items.items[i].count++;
            return;
        }
    }
    *VEC_ADD(&d->turn, &all->items) = (struct failed_child){.address = child, .count = 1, .at = at};
}

/* Every child around the element, the outermost first. */
static void count_around(struct deploy *d, struct failed_children *all, sv address, span at) {
    for (size_t i = 0; i < address.len; i++) {
        if (address.data[i] == '/') {
            count_failure(d, all, sv_slice(address, 0, i), at);
        }
    }
}

void report_failed_children(struct deploy *d) {
    struct failed_children all = {0};
    for (size_t i = 0; d->exec != NULL && i < d->p->op_count; i++) {
        const struct op_run *o = &d->ops[i];
        if (exec_get_op_state(d->exec, (uint32_t)i) == EXEC_OP_FAILED) {
            bool in_template = o->element != UINT32_MAX && o->op->kind == OP_CREATE;
            count_around(d, &all, o->change->address.text, in_template ? d->t->elements[o->element].at : SPAN_NONE);
        }
    }
    for (size_t i = 0; i < all.items.len; i++) {
        const struct failed_child *child = &all.items.items[i];
        struct diag *diag = diags_add(d->c->diags, DIAG_child_blueprint_error, child->at,
                                      "'%.*s' failed: %zu of its operations did", SV_ARG(child->address), child->count);
        diag->path = arena_copy_sv(d->c->diags->arena, child->address);
    }
}
