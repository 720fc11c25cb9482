/* Operations and their order (BP-480 to BP-485). The numbers in comments are those of BP-481. */
#include "engine/orderer.h"

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
    struct addr_parts parts;
    if (c->kind == ELEMENT_LINK && addr_parse(a, name, &parts)) {
        name = arena_printf(a, "%.*s%.*s", SV_ARG(parts.parent), SV_ARG(parts.name));
    }
    if (c->deposed) {
        return arena_printf(a, "%s(%.*s#%lld)", op_letter(kind), SV_ARG(name), (long long)c->generation);
    }
    return arena_printf(a, "%s(%.*s)", op_letter(kind), SV_ARG(name));
}

static struct plan_op *add_op(struct orderer *o, enum op_kind kind, uint32_t change) {
    const struct change *c = &o->plan->changes[change];
    uint32_t number = (uint32_t)o->count++;
    o->ops[number] = (struct plan_op){.id = op_name(o->a, kind, c), .kind = kind, .change = change};
    void *entry = (void *)(uintptr_t)(number + 1);
    if (kind == OP_CREATE || kind == OP_LINK) {
        map_put(&o->creates, c->address.text, entry);
    } else if (!c->deposed) {
        map_put(&o->destroys, c->address.text, entry);
    }
    return &o->ops[number];
}

static bool is_deployed(const struct change *c) {
    return c->kind == ELEMENT_RESOURCE || c->kind == ELEMENT_LINK;
}

static bool makes(const struct change *c) {
    switch (c->action) {
    case ACTION_CREATE:
    case ACTION_UPDATE:
    case ACTION_REPLACE:
    case ACTION_CHECK:
        return is_deployed(c);
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
    return gone && is_deployed(c);
}

/* An element that is there goes if its condition turns out to be false (BP-468). */
static bool may_remove(const struct change *c) {
    bool stays = c->action == ACTION_UPDATE || c->action == ACTION_CHECK;
    return stays && c->condition_known_on_deploy && is_deployed(c);
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
        bool perhaps = may_remove(&plan->changes[i]);
        if (perhaps || removes(&plan->changes[i])) {
            bool is_link = plan->changes[i].kind == ELEMENT_LINK;
            add_op(o, is_link ? OP_UNLINK : OP_DESTROY, i)->only_if_excluded = perhaps;
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

static void add_create_edges(struct orderer *o) {
    const struct topology *y = &o->p->topology;
    for (uint32_t n = 0; n < y->node_count; n++) {
        if (o->node_of[n] == NO_OP || topology_is_link(y, n)) {
            continue;
        }
        for (uint32_t i = y->uses.starts[n]; i < y->uses.starts[n + 1]; i++) {
            add_edge(o, o->node_of[y->uses.items[i]], o->node_of[n]);
        }
    }
    for (uint32_t i = 0; i < y->link_count; i++) {
        const struct template_link *l = &y->t->links[i];
        if (y->orders[i].is_ordered) {
            add_edge(o, o->node_of[y->orders[i].first], o->node_of[y->orders[i].second]);
        }
        uint32_t link = find_op(&o->creates, l->address.text);
        add_edge(o, o->node_of[l->a], link);
        add_edge(o, o->node_of[l->b], link);
    }
}

/* What a link contributes to a side waits for the other side's condition, hence for what that uses. */
static void add_condition_edges(struct orderer *o) {
    const struct topology *y = &o->p->topology;
    uint32_t *places = ARENA_ARRAY(&o->scratch, uint32_t, y->node_count);
    for (uint32_t i = 0; i < y->order_count; i++) {
        places[y->order[i]] = i + 1;
    }
    for (size_t i = 0; i < 2 * y->link_count; i++) {
        const struct template_link *l = &y->t->links[i / 2];
        uint32_t own = i % 2 == 0 ? l->a : l->b, other = i % 2 == 0 ? l->b : l->a;
        bool gives = i % 2 == 0 ? y->orders[i / 2].gives_a : y->orders[i / 2].gives_b;
        if (!gives || !o->p->elements[other].change.condition_known_on_deploy) {
            continue;
        }
        for (uint32_t k = y->uses.starts[other]; k < y->uses.starts[other + 1]; k++) {
            uint32_t used = y->uses.items[k];
            if (places[used] != 0 && places[used] < places[own]) {
                add_edge(o, o->node_of[used], o->node_of[own]);
            }
        }
    }
}

/* --- edges of what is removed (5, 6, 7) --- */

static uint32_t element_number(const struct orderer *o, sv address) {
    const struct element *e = o->p->t == NULL ? NULL : template_find(o->p->t, address);
    return e == NULL ? NO_OP : template_get_number(o->p->t, e);
}

static void push_stay(struct orderer *o, struct stay_edge edge) {
    VEC_PUSH(&o->scratch, &o->stays, edge);
}

static void add_use(struct orderer *o, const struct resource_record *user, sv used) {
    uint32_t destroy = find_op(&o->destroys, used), knot = NO_OP;
    if (destroy == NO_OP) {
        knot = find_op(&o->removed_groups, used);
        destroy = knot == NO_OP ? NO_OP : o->knots.items[knot].node;
    }
    if (destroy == NO_OP) {
        return;
    }
    uint32_t own = find_op(&o->destroys, user->address.text);
    if (own != NO_OP && !o->ops[own].only_if_excluded) {
        add_edge(o, own, destroy);
        return;
    }
    struct stay_edge edge = {find_op(&o->creates, user->address.text), destroy, element_number(o, used),
                             element_number(o, user->address.text), knot};
    if (edge.create != NO_OP) {
        push_stay(o, edge);
    }
    if (own != NO_OP) {
        edge.create = own;
        edge.user = NO_OP;
        push_stay(o, edge);
    }
}

/* The address of a resource beside a link: in the same child. */
static sv side_address(struct orderer *o, const struct link_record *l, sv name) {
    struct addr_parts parts;
    sv parent = addr_parse(&o->scratch, l->address.text, &parts) ? parts.parent : (sv){0};
    return addr_make(&o->scratch, parent, ELEMENT_RESOURCE, name).text;
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
            add_edge(o, unlink, find_op(&o->destroys, side_address(o, e->link, e->link->a)));
            add_edge(o, unlink, find_op(&o->destroys, side_address(o, e->link, e->link->b)));
        }
    }
    for (uint32_t i = 0; i < o->plan->change_count; i++) {
        const struct change *c = &o->plan->changes[i];
        uint32_t create = find_op(&o->creates, c->address.text), destroy = find_op(&o->destroys, c->address.text);
        if (may_remove(c)) {
            add_edge(o, create, destroy);
        } else if (c->action == ACTION_REPLACE && c->kind == ELEMENT_LINK) {
            add_edge(o, destroy, create); /* what it did is taken back before it is done anew (BP-431) */
        } else if (c->action == ACTION_REPLACE) {
            add_edge(o, c->destroy_first ? destroy : create, c->destroy_first ? create : destroy);
        }
    }
}

/* --- removed groups: what users of many have recorded is the address of a group --- */

static void add_group_key(struct orderer *o, sv key) {
    bool is_new;
    void **slot = map_get_slot(&o->removed_groups, key, &is_new);
    if (is_new) {
        *slot = (void *)(uintptr_t)(o->knots.len + 1);
        VEC_PUSH(&o->scratch, &o->knots, ((struct knot){.of = key, .is_removal = true}));
    }
}

static void add_member(struct orderer *o, sv key, uint32_t destroy) {
    uint32_t knot = find_op(&o->removed_groups, key);
    if (knot != NO_OP) {
        VEC_PUSH(&o->scratch, &o->knots.items[knot].members, destroy);
    }
}

/* An object belongs to the template it is an instance of, and to every child around it. */
static void add_memberships(struct orderer *o, const struct resource_record *r) {
    uint32_t destroy = find_op(&o->destroys, r->address.text);
    struct addr_parts parts;
    if (destroy == NO_OP || !addr_parse(&o->scratch, r->address.text, &parts)) {
        return;
    }
    if (r->template_name.len > 0) {
        add_member(o, addr_make(&o->scratch, parts.parent, ELEMENT_RESOURCE, r->template_name).text, destroy);
    }
    for (size_t i = 0; i < parts.parent.len; i++) {
        if (parts.parent.data[i] == '/') {
            add_member(o, sv_slice(parts.parent, 0, i), destroy);
        }
    }
}

static void find_removed_groups(struct orderer *o) {
    const struct stored *s = o->p->stored;
    o->removed_groups = MAP(&o->scratch);
    for (size_t i = 0; i < s->elements.len; i++) {
        const struct resource_record *r = s->elements.items[i]->resource;
        for (size_t k = 0; r != NULL && !s->elements.items[i]->removed && k < r->depends_on_count; k++) {
            if (stored_find_resource(s, r->depends_on[k]) == NULL) {
                add_group_key(o, r->depends_on[k]);
            }
        }
    }
    for (size_t i = 0; o->removed_groups.live > 0 && i < s->elements.len; i++) {
        const struct stored_element *e = s->elements.items[i];
        if (e->resource != NULL && !e->removed) {
            add_memberships(o, e->resource);
        }
    }
}

/* Whoever used the group is before the knot, its objects are behind it. */
static void add_group_edges(struct orderer *o) {
    for (size_t i = 0; i < o->knots.len; i++) {
        const struct knot *k = &o->knots.items[i];
        for (size_t m = 0; m < k->members.len; m++) {
            add_edge(o, k->node, k->members.items[m]);
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
        bool stays = c->action == ACTION_RETAIN || c->retain || o->ops[i].only_if_excluded;
        if (o->ops[i].kind != OP_DESTROY || stays) {
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

void order_mark_early(struct orderer *o, bool *marks) {
    for (size_t i = 0; i < o->count; i++) {
        marks[i] = o->ops[i].kind == OP_CREATE || o->ops[i].kind == OP_LINK;
    }
    graph_mark_uses(&o->graph, marks);
}

/* Of a group from which something leads back, each object is looked at by itself. */
static void split_stays(struct orderer *o, const bool *early, bool *seen, uint32_t *queue) {
    size_t count = o->stays.len;
    for (size_t i = 0; i < count; i++) {
        struct stay_edge s = o->stays.items[i];
        if (s.knot == NO_OP || !early[s.destroy] || !leads_to(o, s.destroy, s.create, seen, queue)) {
            continue;
        }
        for (size_t m = 0; m < o->knots.items[s.knot].members.len; m++) {
            struct stay_edge one = s;
            one.destroy = o->knots.items[s.knot].members.items[m];
            one.knot = NO_OP;
            one.used = element_number(o, o->plan->changes[o->ops[one.destroy].change].address.text);
            push_stay(o, one);
        }
        o->stays.items[i].create = NO_OP;
    }
}

static void add_stay_edges(struct orderer *o) {
    if (o->stays.len == 0) {
        return;
    }
    bool *early = ARENA_ARRAY(&o->scratch, bool, o->graph.node_count);
    bool *seen = ARENA_ARRAY(&o->scratch, bool, o->graph.node_count);
    uint32_t *queue = ARENA_ARRAY(&o->scratch, uint32_t, o->graph.node_count);
    order_mark_early(o, early);
    split_stays(o, early, seen, queue);
    bool *wanted = ARENA_ARRAY(&o->scratch, bool, o->stays.len);
    for (size_t i = 0; i < o->stays.len; i++) {
        const struct stay_edge *s = &o->stays.items[i];
        wanted[i] =
            s->create != NO_OP &&
            (!early[s->destroy] || (!is_plain_replacement(o, s) && !leads_to(o, s->destroy, s->create, seen, queue)));
    }
    for (size_t i = 0; i < o->stays.len; i++) {
        if (wanted[i]) {
            add_edge(o, o->stays.items[i].create, o->stays.items[i].destroy);
        }
    }
}

/* --- circles --- */

static bool find_cycles(struct orderer *o, struct graph_cycles *cycles) {
    uint32_t *order = ARENA_ARRAY(&o->scratch, uint32_t, o->graph.node_count);
    if (graph_get_order(&o->graph, GRAPH_USED_FIRST, order) == o->graph.node_count) {
        return false;
    }
    graph_find_cycles(&o->graph, &o->scratch, cycles);
    return true;
}

/* A replacement on a circle that could as well be made the other way round: D(x) waits for C(x). */
static bool can_turn(const struct orderer *o, const struct graph_edge *edge) {
    if (edge->from >= o->count || edge->to >= o->count) {
        return false;
    }
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

static sv node_name(const struct orderer *o, uint32_t node) {
    return node < o->count ? o->ops[node].id : o->knots.items[node - o->count].of;
}

static span link_place(const struct orderer *o, uint32_t node) {
    sv address = o->plan->changes[o->ops[node].change].address.text;
    uintptr_t number = (uintptr_t)map_find(&o->p->t->link_by_address, address);
    return number == 0 ? SPAN_NONE : o->p->t->links[number - 1].at;
}

static void report_cycle(struct orderer *o, const struct graph_cycle *cycle) {
    struct buf text = BUF(&o->scratch);
    span at = SPAN_NONE;
    bool only_links = true; /* then it is capabilities that lead around (4) */
    for (size_t k = 0; k < cycle->len; k++) {
        uint32_t node = o->graph.edges.items[cycle->edges[k]].from;
        only_links = only_links && node < o->count && o->ops[node].kind == OP_LINK;
        at = span_is_none(at) && only_links ? link_place(o, node) : at;
        buf_append(&text, node_name(o, node));
        buf_append_cstr(&text, " waits for ");
        uint32_t element =
            node < o->count ? element_number(o, o->plan->changes[o->ops[node].change].address.text) : NO_OP;
        at = span_is_none(at) && element != NO_OP ? o->p->t->elements[element].at : at;
    }
    buf_append(&text, node_name(o, o->graph.edges.items[cycle->edges[0]].from));
    sv message = buf_get_sv(&text);
    if (only_links) {
        diags_add(o->p->diags, DIAG_link_capability_cycle_detected, at,
                  "links need each other's capabilities in a circle: %.*s", SV_ARG(message));
        return;
    }
    diags_add(o->p->diags, DIAG_operation_cycle, at, "operations wait for each other in a circle: %.*s",
              SV_ARG(message));
}

/* --- the whole --- */

static uint32_t find_node_op(const struct orderer *o, const struct topology *y, uint32_t n) {
    bool has_op = topology_is_resource(y, n) || topology_is_link(y, n);
    return has_op ? find_op(&o->creates, topology_get_address(y, n)) : NO_OP;
}

/* Graph nodes are the operations, then the knots. */
static void number_nodes(struct orderer *o) {
    const struct topology *y = &o->p->topology;
    find_removed_groups(o);
    o->node_of = ARENA_ARRAY(&o->scratch, uint32_t, y->node_count);
    for (uint32_t n = 0; n < y->node_count; n++) {
        o->node_of[n] = find_node_op(o, y, n);
        if (y->is_barrier[n]) {
            o->node_of[n] = (uint32_t)(o->count + o->knots.len);
            VEC_PUSH(&o->scratch, &o->knots, ((struct knot){.of = topology_get_address(y, n)}));
        }
    }
    for (size_t i = 0; i < o->knots.len; i++) {
        o->knots.items[i].node = (uint32_t)(o->count + i);
    }
}

static void make_graph(struct orderer *o) {
    number_nodes(o);
    graph_init(&o->graph, &o->scratch, o->count + o->knots.len);
    add_create_edges(o);
    order_add_capabilities(o);
    add_condition_edges(o);
    add_group_edges(o);
    add_removal_edges(o);
    add_identity_edges(o);
    add_stay_edges(o);
}

bool plan_order(struct planner *p, struct plan *plan) {
    enum { CAREFUL_ROUNDS = 16 };
    if (plan->change_count == 0) {
        return true;
    }
    for (size_t round = 0;; round++) {
        struct orderer o = {.p = p, .plan = plan, .a = p->a};
        add_ops(&o);
        make_graph(&o);
        struct graph_cycles cycles = {0};
        bool ok = !find_cycles(&o, &cycles);
        bool again = !ok && turn_replacements(&o, &cycles, round >= CAREFUL_ROUNDS);
        if (ok) {
            order_write(&o);
        }
        for (size_t i = 0; !ok && !again && i < cycles.items.len; i++) {
            report_cycle(&o, &cycles.items.items[i]);
        }
        arena_fini(&o.scratch);
        if (!again) {
            return ok;
        }
    }
}
