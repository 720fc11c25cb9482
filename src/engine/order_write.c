/* From the graph of operations to what the plan says that each waits for. */
#include "engine/orderer.h"

/* Barriers of one knot: one that is met when all before it are config complete (BP-482), one when all have ended. */
struct knot_barriers {
    uint32_t at_config, at_end; /* numbers of barriers; NO_OP: nothing is before it, or nobody waits for it */
};

struct writer {
    struct orderer *o;
    struct knot_barriers *barriers; /* per knot */
    uint32_t *seen;                 /* per number of an operation or barrier: the list that has it last, + 1 */
    uint32_t list;
};

/* Between two resources config complete is enough, unless the second's type wants the first stable. */
static bool meets_at_config(const struct orderer *o, uint32_t first, uint32_t second) {
    if (o->ops[first].kind != OP_CREATE || o->ops[second].kind != OP_CREATE) {
        return false;
    }
    sv first_type = o->plan->changes[o->ops[first].change].type;
    const struct resource_type *type = plan_find_type(o->p, o->plan->changes[o->ops[second].change].type);
    for (size_t i = 0; type != NULL && i < type->stabilised_count; i++) {
        if (sv_eq(type->stabilised_dependencies[i], first_type)) {
            return false;
        }
    }
    return true;
}

/* Which types are among many is not looked into: whoever wants one of any type stable waits for all. */
static bool wants_end(const struct orderer *o, uint32_t op) {
    const struct resource_type *type = plan_find_type(o->p, o->plan->changes[o->ops[op].change].type);
    return o->ops[op].kind != OP_CREATE || (type != NULL && type->stabilised_count > 0);
}

/* What one operation or barrier waits for. */
struct wait_list {
    uint32_t *after;
    bool *after_config;
    size_t count;
};

static void add_wait(struct writer *w, struct wait_list *list, uint32_t number, bool at_config) {
    if (number != NO_OP && w->seen[number] != w->list) {
        w->seen[number] = w->list;
        list->after[list->count] = number;
        list->after_config[list->count++] = at_config;
    }
}

static struct wait_list begin_list(struct writer *w, size_t room) {
    w->list++;
    return (struct wait_list){.after = ARENA_ARRAY(w->o->a, uint32_t, room),
                              .after_config = ARENA_ARRAY(w->o->a, bool, room)};
}

static uint32_t barrier_of(const struct writer *w, uint32_t node, bool at_end) {
    const struct knot_barriers *b = &w->barriers[node - w->o->count];
    return at_end ? b->at_end : b->at_config;
}

static void write_op(struct writer *w, uint32_t op, bool late) {
    struct orderer *o = w->o;
    struct graph_edge_list edges = graph_get_uses(&o->graph, op);
    struct wait_list list = begin_list(w, edges.len);
    for (size_t k = 0; k < edges.len; k++) {
        uint32_t first = o->graph.edges.items[edges.items[k]].to;
        if (first < o->count) {
            add_wait(w, &list, first, meets_at_config(o, first, op));
        } else {
            bool at_end = o->knots.items[first - o->count].is_removal || wants_end(o, op);
            add_wait(w, &list, barrier_of(w, first, at_end), !at_end);
        }
    }
    o->ops[op].after = list.after;
    o->ops[op].after_config = list.after_config;
    o->ops[op].after_count = list.count;
    o->ops[op].late = late;
}

static void write_barrier(struct writer *w, const struct knot *knot, bool at_end) {
    struct orderer *o = w->o;
    uint32_t number = barrier_of(w, knot->node, at_end);
    if (number == NO_OP) {
        return;
    }
    struct graph_edge_list edges = graph_get_uses(&o->graph, knot->node);
    struct wait_list list = begin_list(w, edges.len);
    for (size_t k = 0; k < edges.len; k++) {
        uint32_t first = o->graph.edges.items[edges.items[k]].to;
        if (first < o->count) {
            add_wait(w, &list, first, !at_end && o->ops[first].kind == OP_CREATE);
        } else {
            add_wait(w, &list, barrier_of(w, first, at_end), !at_end);
        }
    }
    struct plan_barrier *b = &o->plan->barriers[number - o->count];
    b->after = list.after;
    b->after_config = list.after_config;
    b->after_count = list.count;
}

/* Only knots that stand between operations become barriers. */
static void number_barriers(struct writer *w) {
    struct orderer *o = w->o;
    bool *before = ARENA_ARRAY(&o->scratch, bool, o->graph.node_count);
    bool *behind = ARENA_ARRAY(&o->scratch, bool, o->graph.node_count);
    for (size_t i = 0; i < o->count; i++) {
        before[i] = behind[i] = true;
    }
    graph_mark_users(&o->graph, before);
    graph_mark_uses(&o->graph, behind);
    w->barriers = ARENA_ARRAY(&o->scratch, struct knot_barriers, o->knots.len);
    o->plan->barriers = ARENA_ARRAY(o->a, struct plan_barrier, 2 * o->knots.len);
    o->plan->barrier_count = 0;
    for (size_t i = 0; i < o->knots.len; i++) {
        const struct knot *k = &o->knots.items[i];
        w->barriers[i] = (struct knot_barriers){NO_OP, NO_OP};
        for (size_t end = 0; before[k->node] && behind[k->node] && end < 2; end++) {
            if (end == 0 && k->is_removal) {
                continue;
            }
            size_t number = o->plan->barrier_count++;
            o->plan->barriers[number] =
                (struct plan_barrier){.id = arena_printf(o->a, "B%zu", number + 1), .of = k->of};
            *(end == 0 ? &w->barriers[i].at_config : &w->barriers[i].at_end) = (uint32_t)(o->count + number);
        }
    }
}

void order_write(struct orderer *o) {
    struct writer w = {.o = o};
    bool *early = ARENA_ARRAY(&o->scratch, bool, o->graph.node_count);
    order_mark_early(o, early);
    number_barriers(&w);
    w.seen = ARENA_ARRAY(&o->scratch, uint32_t, o->count + o->plan->barrier_count);
    for (uint32_t i = 0; i < o->count; i++) {
        write_op(&w, i, !early[i]);
    }
    for (size_t i = 0; i < o->knots.len; i++) {
        write_barrier(&w, &o->knots.items[i], false);
        write_barrier(&w, &o->knots.items[i], true);
    }
}
