/* Operations and their order (BP-480 to BP-485). The numbers in comments are those of BP-481. */
#include "engine/planner.h"
#include "graph/graph.h"

#define NO_OP UINT32_MAX

/* "y used x and stays": C(y) → D(x), unless other edges lead from D(x) to C(y) already (5). */
struct stay_edge {
    uint32_t create, destroy, used; /* used: element number of x, NO_OP when it is not in the template */
    uint32_t user;                  /* element number of y */
};

struct orderer {
    struct planner *p;
    struct plan *plan;
    struct arena scratch;
    struct arena *a;
    struct plan_op *ops;
    size_t count;
    uint32_t *create_of; /* per element */
    struct map destroys; /* address → operation + 1: D(x) of removed and replaced ones */
    struct map creates;  /* address → operation + 1 */
    struct graph graph;  /* operations; an edge from A to B says that B ends before A starts */
    VEC(struct stay_edge) stays;
};

/* --- operations --- */

static const char *op_letter(enum op_kind kind) {
    switch (kind) {
    case OP_CREATE:
        return "C";
    case OP_LINK:
        return "L";
    case OP_DESTROY:
        return "D";
    case OP_UNLINK:
        return "U";
    }
    return "?";
}

static sv op_name(struct arena *a, enum op_kind kind, const struct change *c) {
    sv name = c->address.text;
    sv prefix = SV("links.");
    if (c->kind == ELEMENT_LINK && sv_has_prefix(name, prefix)) {
        name = sv_slice(name, prefix.len, name.len);
    }
    if (c->deposed) {
        return arena_printf(a, "%s(%.*s#%lld)", op_letter(kind), SV_ARG(name), (long long)c->generation);
    }
    return arena_printf(a, "%s(%.*s)", op_letter(kind), SV_ARG(name));
}

static void add_op(struct orderer *o, enum op_kind kind, uint32_t change) {
    const struct change *c = &o->plan->changes[change];
    uint32_t number = (uint32_t)o->count++;
    o->ops[number] = (struct plan_op){.id = op_name(o->a, kind, c), .kind = kind, .change = change};
    void *entry = (void *)(uintptr_t)(number + 1);
    if (kind == OP_CREATE || kind == OP_LINK) {
        map_put(&o->creates, c->address.text, entry);
    } else if (!c->deposed) {
        map_put(&o->destroys, c->address.text, entry);
    }
}

static bool makes(const struct change *c) {
    switch (c->action) {
    case ACTION_CREATE:
    case ACTION_UPDATE:
    case ACTION_REPLACE:
    case ACTION_CHECK:
        return c->kind != ELEMENT_EXPORT;
    case ACTION_NONE:
    case ACTION_DELETE:
    case ACTION_READ:
    case ACTION_RETAIN:
        break;
    }
    return false;
}

static bool removes(const struct change *c) {
    bool gone = c->action == ACTION_DELETE || c->action == ACTION_RETAIN || c->action == ACTION_REPLACE;
    return gone && c->kind != ELEMENT_EXPORT;
}

static void add_ops(struct orderer *o) {
    struct plan *plan = o->plan;
    o->ops = ARENA_ARRAY(o->a, struct plan_op, 2 * plan->change_count);
    o->creates = MAP(&o->scratch);
    o->destroys = MAP(&o->scratch);
    for (uint32_t i = 0; i < plan->change_count; i++) {
        if (makes(&plan->changes[i])) {
            add_op(o, plan->changes[i].kind == ELEMENT_LINK ? OP_LINK : OP_CREATE, i);
        }
    }
    for (uint32_t i = 0; i < plan->change_count; i++) {
        if (removes(&plan->changes[i])) {
            add_op(o, plan->changes[i].kind == ELEMENT_LINK ? OP_UNLINK : OP_DESTROY, i);
        }
    }
    plan->ops = o->ops;
    plan->op_count = o->count;
}

static uint32_t find_op(const struct map *m, sv address) {
    uintptr_t number = (uintptr_t)map_find(m, address);
    return number == 0 ? NO_OP : (uint32_t)(number - 1);
}

/* `first` ends before `second` starts. */
static void add_edge(struct orderer *o, uint32_t first, uint32_t second) {
    if (first != NO_OP && second != NO_OP) {
        graph_add_edge(&o->graph, second, first, 0, SPAN_NONE);
    }
}

/* --- edges between what is made (1, 2, 3) --- */

static uint32_t create_of(const struct orderer *o, uint32_t element) {
    return o->create_of[element];
}

static void add_create_edges(struct orderer *o) {
    const struct topology *y = &o->p->topology;
    for (uint32_t n = 0; n < y->element_count; n++) {
        if (create_of(o, n) == NO_OP) {
            continue;
        }
        for (uint32_t i = y->uses.starts[n]; i < y->uses.starts[n + 1]; i++) {
            add_edge(o, create_of(o, y->uses.items[i]), create_of(o, n));
        }
    }
    for (size_t i = 0; i < y->link_count; i++) {
        const struct template_link *l = &y->t->links[i];
        if (y->orders[i].is_ordered) {
            add_edge(o, create_of(o, y->orders[i].first), create_of(o, y->orders[i].second));
        }
        uint32_t link = find_op(&o->creates, l->address.text);
        add_edge(o, create_of(o, l->a), link);
        add_edge(o, create_of(o, l->b), link);
    }
}

/* --- edges of what is removed (5, 6, 7) --- */

static uint32_t element_number(const struct orderer *o, sv address) {
    const struct element *e = o->p->t == NULL ? NULL : template_find(o->p->t, address);
    return e == NULL ? NO_OP : template_get_number(o->p->t, e);
}

static void add_use(struct orderer *o, const struct resource_record *user, sv used) {
    uint32_t destroy = find_op(&o->destroys, used);
    if (destroy == NO_OP) {
        return;
    }
    uint32_t own = find_op(&o->destroys, user->address.text);
    if (own != NO_OP) {
        add_edge(o, own, destroy);
        return;
    }
    uint32_t create = find_op(&o->creates, user->address.text);
    if (create != NO_OP) {
        struct stay_edge edge = {create, destroy, element_number(o, used), element_number(o, user->address.text)};
        VEC_PUSH(&o->scratch, &o->stays, edge);
    }
}

static void add_removal_edges(struct orderer *o) {
    const struct stored *s = o->p->stored;
    for (size_t i = 0; i < s->elements.len; i++) {
        const struct stored_element *e = s->elements.items[i];
        if (e->removed) {
            continue;
        }
        for (size_t k = 0; e->resource != NULL && k < e->resource->depends_on_count; k++) {
            add_use(o, e->resource, e->resource->depends_on[k]);
        }
        uint32_t unlink = e->link == NULL ? NO_OP : find_op(&o->destroys, e->link->address.text);
        if (unlink != NO_OP) {
            sv a = addr_make(o->a, (sv){0}, ELEMENT_RESOURCE, e->link->a).text;
            sv b = addr_make(o->a, (sv){0}, ELEMENT_RESOURCE, e->link->b).text;
            add_edge(o, unlink, find_op(&o->destroys, a));
            add_edge(o, unlink, find_op(&o->destroys, b));
        }
    }
    for (uint32_t i = 0; i < o->plan->change_count; i++) {
        const struct change *c = &o->plan->changes[i];
        if (c->action == ACTION_REPLACE && c->kind == ELEMENT_RESOURCE) {
            uint32_t create = find_op(&o->creates, c->address.text), destroy = find_op(&o->destroys, c->address.text);
            add_edge(o, c->destroy_first ? destroy : create, c->destroy_first ? create : destroy);
        }
    }
}

/* --- identity (8) --- */

/* Type and identity fields as one text; empty when one of them is not known, or there is none. */
static sv identity_text(struct orderer *o, sv type_name, value spec) {
    const struct resource_type *type = plan_find_type(o->p, type_name);
    if (type == NULL || type->schema == NULL || spec.kind != VALUE_MAP) {
        return (sv){0};
    }
    struct buf b = BUF(&o->scratch);
    size_t found = 0;
    buf_append(&b, type_name);
    for (size_t i = 0; i < type->schema->attribute_count; i++) {
        const struct schema_attribute *attribute = &type->schema->attributes[i];
        if ((attribute->schema->flags & SCHEMA_IDENTITY) == 0) {
            continue;
        }
        value v = value_map_find(spec, attribute->name);
        if (!value_is_set(v) || !value_is_known(v) || (v.within & MARK_PROVISIONAL) != 0) {
            return (sv){0};
        }
        buf_append_char(&b, '\n');
        buf_append(&b, value_print_json(&o->scratch, v, 0, REVEAL));
        found++;
    }
    return found == 0 ? (sv){0} : buf_get_sv(&b);
}

static void add_identity_edges(struct orderer *o) {
    struct map removed = MAP(&o->scratch);
    for (uint32_t i = 0; i < o->count; i++) {
        const struct change *c = &o->plan->changes[o->ops[i].change];
        if (o->ops[i].kind != OP_DESTROY || c->action == ACTION_RETAIN || c->retain) {
            continue;
        }
        sv type = c->type;
        const struct resource_record *record = stored_find_resource(o->p->stored, c->address.text);
        if (c->action == ACTION_REPLACE && record != NULL) {
            type = record->type;
        }
        sv identity = identity_text(o, type, c->before);
        if (identity.len > 0) {
            map_put(&removed, identity, (void *)(uintptr_t)(i + 1));
        }
    }
    for (uint32_t i = 0; i < o->count && removed.live > 0; i++) {
        const struct change *c = &o->plan->changes[o->ops[i].change];
        bool is_new = c->action == ACTION_CREATE || c->action == ACTION_REPLACE;
        if (o->ops[i].kind != OP_CREATE || !is_new) {
            continue;
        }
        sv identity = identity_text(o, c->type, c->after);
        uint32_t destroy = identity.len == 0 ? NO_OP : find_op(&removed, identity);
        if (destroy != NO_OP && o->ops[destroy].change != o->ops[i].change) {
            add_edge(o, destroy, i);
        }
    }
}

/* --- those that stay (second half of 5) --- */

/* Whether the edges so far lead from one operation to another. `queue` has room for all of them, `seen` is all false
 * before and after. */
static bool leads_to(struct orderer *o, uint32_t from, uint32_t to, bool *seen, uint32_t *queue) {
    size_t taken = 0, added = 0;
    queue[added++] = from;
    seen[from] = true;
    bool found = false;
    while (taken < added && !found) {
        struct graph_edge_list next = graph_get_users(&o->graph, queue[taken++]);
        for (size_t i = 0; i < next.len; i++) {
            uint32_t op = o->graph.edges.items[next.items[i]].from;
            found = found || op == to;
            if (!seen[op]) {
                seen[op] = true;
                queue[added++] = op;
            }
        }
    }
    for (size_t i = 0; i < added; i++) {
        seen[queue[i]] = false;
    }
    return found;
}

/* A destroy-before-create replacement that the user still uses: D(x) → C(x) → C(y) is there. */
static bool is_plain_replacement(const struct orderer *o, const struct stay_edge *s) {
    if (s->used == NO_OP || s->user == NO_OP || !o->p->elements[s->used].change.destroy_first) {
        return false;
    }
    const struct number_rows *uses = &o->p->topology.uses;
    for (uint32_t i = uses->starts[s->user]; i < uses->starts[s->user + 1]; i++) {
        if (uses->items[i] == s->used) {
            return true;
        }
    }
    return false;
}

static void mark_early(struct orderer *o, bool *marks) {
    for (size_t i = 0; i < o->count; i++) {
        marks[i] = o->ops[i].kind == OP_CREATE || o->ops[i].kind == OP_LINK;
    }
    graph_mark_uses(&o->graph, marks);
}

static void add_stay_edges(struct orderer *o) {
    if (o->stays.len == 0) {
        return;
    }
    bool *early = ARENA_ARRAY(&o->scratch, bool, o->count);
    bool *seen = ARENA_ARRAY(&o->scratch, bool, o->count);
    bool *wanted = ARENA_ARRAY(&o->scratch, bool, o->stays.len);
    uint32_t *queue = ARENA_ARRAY(&o->scratch, uint32_t, o->count);
    mark_early(o, early);
    for (size_t i = 0; i < o->stays.len; i++) {
        const struct stay_edge *s = &o->stays.items[i];
        wanted[i] =
            !early[s->destroy] || (!is_plain_replacement(o, s) && !leads_to(o, s->destroy, s->create, seen, queue));
    }
    for (size_t i = 0; i < o->stays.len; i++) {
        if (wanted[i]) {
            add_edge(o, o->stays.items[i].create, o->stays.items[i].destroy);
        }
    }
}

/* --- circles --- */

static bool find_cycles(struct orderer *o, struct graph_cycles *cycles) {
    uint32_t *order = ARENA_ARRAY(&o->scratch, uint32_t, o->count);
    if (graph_get_order(&o->graph, GRAPH_USED_FIRST, order) == o->count) {
        return false;
    }
    graph_find_cycles(&o->graph, &o->scratch, cycles);
    return true;
}

/* A replacement on a circle that could as well be made the other way round: D(x) waits for C(x). */
static bool can_turn(const struct orderer *o, const struct graph_edge *edge) {
    const struct change *c = &o->plan->changes[o->ops[edge->from].change];
    return o->ops[edge->from].change == o->ops[edge->to].change && o->ops[edge->from].kind == OP_DESTROY &&
           c->action == ACTION_REPLACE && !c->destroy_first && !c->retain;
}

static void turn(struct orderer *o, struct change *c) {
    c->destroy_first = true;
    uint32_t element = element_number(o, c->address.text);
    if (element != NO_OP) {
        o->p->elements[element].change.destroy_first = true;
    }
}

/* Objects that wait for each other's place, or for the place of one they use, are destroyed first (BP-446): of each
 * circle the first one that can be, of the many circles of a large plan all. */
static bool turn_replacements(struct orderer *o, const struct graph_cycles *cycles, bool all) {
    bool turned = false;
    for (size_t i = 0; i < cycles->items.len; i++) {
        const struct graph_cycle *cycle = &cycles->items.items[i];
        bool found = false;
        for (size_t k = 0; k < cycle->len && (all || !found); k++) {
            const struct graph_edge *edge = &o->graph.edges.items[cycle->edges[k]];
            if (can_turn(o, edge)) {
                turn(o, &o->plan->changes[o->ops[edge->from].change]);
                found = turned = true;
            }
        }
    }
    return turned;
}

static void report_cycles(struct orderer *o, const struct graph_cycles *cycles) {
    for (size_t i = 0; i < cycles->items.len; i++) {
        const struct graph_cycle *cycle = &cycles->items.items[i];
        struct buf text = BUF(&o->scratch);
        for (size_t k = 0; k < cycle->len; k++) {
            buf_append(&text, o->ops[o->graph.edges.items[cycle->edges[k]].from].id);
            buf_append_cstr(&text, " waits for ");
        }
        uint32_t first = o->graph.edges.items[cycle->edges[0]].from;
        buf_append(&text, o->ops[first].id);
        sv message = buf_get_sv(&text);
        uint32_t element = element_number(o, o->plan->changes[o->ops[first].change].address.text);
        span at = element == NO_OP ? SPAN_NONE : o->p->t->elements[element].at;
        diags_add(o->p->diags, DIAG_operation_cycle, at, "operations wait for each other in a circle: %.*s",
                  SV_ARG(message));
    }
}

/* --- result --- */

/* BP-482: between two resources config complete is enough, unless the second's type wants the first stable. */
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

static void write_edges(struct orderer *o) {
    bool *early = ARENA_ARRAY(&o->scratch, bool, o->count);
    uint32_t *seen = ARENA_ARRAY(&o->scratch, uint32_t, o->count); /* operation + 1 that has it already */
    mark_early(o, early);
    for (uint32_t i = 0; i < o->count; i++) {
        struct graph_edge_list list = graph_get_uses(&o->graph, i);
        uint32_t *after = ARENA_ARRAY(o->a, uint32_t, list.len);
        bool *at_config = ARENA_ARRAY(o->a, bool, list.len);
        size_t count = 0;
        for (size_t k = 0; k < list.len; k++) {
            uint32_t first = o->graph.edges.items[list.items[k]].to;
            if (seen[first] != i + 1) {
                seen[first] = i + 1;
                after[count] = first;
                at_config[count++] = meets_at_config(o, first, i);
            }
        }
        o->ops[i].after = after;
        o->ops[i].after_config = at_config;
        o->ops[i].after_count = count;
        o->ops[i].late = !early[i];
    }
}

static void make_graph(struct orderer *o) {
    struct planner *p = o->p;
    graph_init(&o->graph, &o->scratch, o->count);
    o->create_of = ARENA_ARRAY(&o->scratch, uint32_t, p->topology.element_count);
    for (uint32_t n = 0; n < p->topology.element_count; n++) {
        bool is_resource = p->t->elements[n].kind == ELEMENT_RESOURCE;
        o->create_of[n] = is_resource ? find_op(&o->creates, p->t->elements[n].address.text) : NO_OP;
    }
    add_create_edges(o);
    add_removal_edges(o);
    add_identity_edges(o);
    add_stay_edges(o);
}

bool plan_order(struct planner *p, struct plan *plan) {
    enum { CAREFUL_ROUNDS = 16 };
    for (size_t round = 0;; round++) {
        struct orderer o = {.p = p, .plan = plan, .a = p->a};
        add_ops(&o);
        make_graph(&o);
        struct graph_cycles cycles = {0};
        bool ok = !find_cycles(&o, &cycles);
        bool again = !ok && turn_replacements(&o, &cycles, round >= CAREFUL_ROUNDS);
        if (ok) {
            write_edges(&o);
        } else if (!again) {
            report_cycles(&o, &cycles);
        }
        arena_fini(&o.scratch);
        if (!again) {
            return ok;
        }
    }
}
