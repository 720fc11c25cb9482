/* Capabilities: links that need what other links of their resources give (BP-165, BP-481 edge 4). */
#include "engine/orderer.h"

struct giver {
    uint32_t link;
    struct giver *next;
};

/* Links that give something to one resource, by "RESOURCE CAPABILITY". */
static void add_giver(struct orderer *o, struct map *given, uint32_t side, sv capability, uint32_t link) {
    bool is_new;
    void **slot = map_get_slot(given, arena_printf(&o->scratch, "%u %.*s", side, SV_ARG(capability)), &is_new);
    struct giver *g = ARENA_NEW(&o->scratch, struct giver);
    *g = (struct giver){link, is_new ? NULL : *slot};
    *slot = g;
}

static uint32_t get_op(const struct orderer *o, uint32_t link) {
    uintptr_t number = (uintptr_t)map_find(&o->creates, o->p->topology.t->links[link].address.text);
    return number == 0 ? NO_OP : (uint32_t)(number - 1);
}

/* None helps itself. Every giver is waited for: which one is meant, nobody says. */
static void wait_for_givers(struct orderer *o, const struct map *given, uint32_t side, sv capability, uint32_t link) {
    const struct giver *g = map_find(given, arena_printf(&o->scratch, "%u %.*s", side, SV_ARG(capability)));
    for (; g != NULL; g = g->next) {
        uint32_t first = get_op(o, g->link), second = get_op(o, link);
        if (g->link != link && first != NO_OP && second != NO_OP) {
            graph_add_edge(&o->graph, second, first, 0, SPAN_NONE);
        }
    }
}

void order_add_capabilities(struct orderer *o) {
    const struct topology *y = &o->p->topology;
    struct map given = MAP(&o->scratch);
    for (uint32_t i = 0; i < y->link_count; i++) {
        const struct template_link *l = &y->t->links[i];
        for (size_t k = 0; k < l->type->provides_count; k++) {
            add_giver(o, &given, l->a, l->type->provides[k], i);
            add_giver(o, &given, l->b, l->type->provides[k], i);
        }
    }
    for (uint32_t i = 0; given.live > 0 && i < y->link_count; i++) {
        const struct template_link *l = &y->t->links[i];
        for (size_t k = 0; k < l->type->requires_count; k++) {
            wait_for_givers(o, &given, l->a, l->type->requires[k], i);
            wait_for_givers(o, &given, l->b, l->type->requires[k], i);
        }
    }
}
