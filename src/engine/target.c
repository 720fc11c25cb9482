#include "engine/target.h"

#include "base/hint.h"
#include "engine/stored.h"
#include "graph/graph.h"

/* The graph of uses: the elements of the template, for each group the entrance that its members wait for, and behind
 * them what is stored, by itself; an address that names many stored elements has a node of its own. */
struct chooser {
    const struct target_world *w;
    struct arena scratch;
    const struct template *t;    /* NULL: destruction */
    size_t element_count;        /* of the template */
    struct graph wanted, stored; /* as the template says, as the state says */
    struct map stored_nodes;     /* address → node + 1 */
    VEC(sv) groups;              /* addresses behind the stored elements */
    bool *targeted, *excluded;   /* per node of `wanted` */
    bool *stored_targeted, *stored_kept;
    bool *links_excluded;
    bool ok;
};

static sv get_stored_address(const struct stored *s, size_t i) {
    const struct stored_element *e = s->elements.items[i];
    return e->resource != NULL ? e->resource->address.text : e->link->address.text;
}

/* --- uses, as the template says --- */

static bool is_group(const struct element *e) {
    return e->kind == ELEMENT_CHILD || e->kind == ELEMENT_TEMPLATE;
}

static void add_use(struct graph *g, uint32_t from, uint32_t to) {
    graph_add_edge(g, from, to, 0, SPAN_NONE);
}

/* Members wait for what the group itself uses, and for what the groups around it use. */
static void add_element_uses(struct chooser *c, uint32_t n) {
    const struct element *e = &c->t->elements[n];
    uint32_t entrances = (uint32_t)c->element_count;
    uint32_t own = is_group(e) ? entrances + n : n;
    for (size_t k = 0; k < e->use_count; k++) {
        if (e->uses[k].kind != EDGE_LINK) { /* its sides stand beside it */
            add_use(&c->wanted, own, e->uses[k].to);
        }
    }
    if (e->group != 0) {
        add_use(&c->wanted, own, entrances + e->group - 1);
        add_use(&c->wanted, e->group - 1, n);
    }
    if (is_group(e)) {
        add_use(&c->wanted, n, own);
    }
}

static void make_wanted(struct chooser *c) {
    graph_init(&c->wanted, &c->scratch, 2 * c->element_count);
    for (uint32_t n = 0; n < c->element_count; n++) {
        add_element_uses(c, n);
    }
    const struct topology *y = c->w->topology;
    for (size_t i = 0; i < y->link_count; i++) {
        if (y->orders[i].is_ordered) {
            add_use(&c->wanted, y->orders[i].second, y->orders[i].first);
        }
    }
    c->targeted = ARENA_ARRAY(&c->scratch, bool, c->wanted.node_count);
    c->excluded = ARENA_ARRAY(&c->scratch, bool, c->wanted.node_count);
}

/* --- uses, as the state says --- */

static uint32_t find_stored_node(const struct chooser *c, sv address) {
    return (uint32_t)(uintptr_t)map_find(&c->stored_nodes, address);
}

static void put_stored_node(struct chooser *c, sv address, size_t node) {
    if (!map_has(&c->stored_nodes, address)) {
        map_put(&c->stored_nodes, address, (void *)(uintptr_t)(node + 1));
    }
}

static void add_group_node(struct chooser *c, sv address) {
    if (find_stored_node(c, address) == 0) {
        put_stored_node(c, address, c->w->stored->elements.len + c->groups.len);
        VEC_PUSH(&c->scratch, &c->groups, address);
    }
}

enum { GROUPS_MAX = 64 }; /* includes nest less deep */

/* A stored element belongs to the children around it, and to the template it is an instance of. */
static size_t list_groups(struct chooser *c, size_t i, sv *groups, size_t room) {
    const struct stored_element *e = c->w->stored->elements.items[i];
    sv address = get_stored_address(c->w->stored, i);
    size_t count = 0;
    for (size_t k = 0; k < address.len && count + 1 < room; k++) {
        if (address.data[k] == '/') {
            groups[count++] = sv_slice(address, 0, k);
        }
    }
    if (e->resource != NULL && e->resource->template_name.len > 0) {
        sv parent = sv_slice(address, 0, sv_rfind_char(address, '/') + 1);
        groups[count++] = addr_make(&c->scratch, parent, ELEMENT_RESOURCE, e->resource->template_name).text;
    }
    return count;
}

static void add_stored_use(struct chooser *c, size_t i, sv address) {
    uint32_t used = find_stored_node(c, address);
    if (used != 0) {
        add_use(&c->stored, (uint32_t)i, used - 1);
    }
}

static void add_memberships(struct chooser *c, size_t i) {
    sv groups[GROUPS_MAX];
    size_t count = list_groups(c, i, groups, GROUPS_MAX);
    for (size_t k = 0; k < count; k++) {
        uint32_t group = find_stored_node(c, groups[k]);
        if (group > c->w->stored->elements.len) {
            add_use(&c->stored, group - 1, (uint32_t)i);
        }
    }
}

static void add_stored_uses(struct chooser *c, size_t i) {
    const struct stored_element *e = c->w->stored->elements.items[i];
    for (size_t k = 0; e->resource != NULL && k < e->resource->depends_on_count; k++) {
        add_stored_use(c, i, e->resource->depends_on[k]);
    }
    if (e->link != NULL) {
        sv address = e->link->address.text;
        sv parent = sv_slice(address, 0, sv_rfind_char(address, '/') + 1);
        add_stored_use(c, i, addr_make(&c->scratch, parent, ELEMENT_RESOURCE, e->link->a).text);
        add_stored_use(c, i, addr_make(&c->scratch, parent, ELEMENT_RESOURCE, e->link->b).text);
    }
}

static void make_stored(struct chooser *c) {
    const struct stored *s = c->w->stored;
    c->stored_nodes = MAP(&c->scratch);
    for (size_t i = 0; i < s->elements.len; i++) {
        if (!s->elements.items[i]->removed) {
            put_stored_node(c, get_stored_address(s, i), i);
        }
    }
    for (size_t i = 0; i < s->elements.len; i++) {
        sv groups[GROUPS_MAX];
        size_t count = s->elements.items[i]->removed ? 0 : list_groups(c, i, groups, GROUPS_MAX);
        for (size_t k = 0; k < count; k++) {
            add_group_node(c, groups[k]);
        }
    }
    graph_init(&c->stored, &c->scratch, s->elements.len + c->groups.len);
    for (size_t i = 0; i < s->elements.len; i++) {
        if (!s->elements.items[i]->removed) {
            add_memberships(c, i);
        }
    }
    c->stored_targeted = ARENA_ARRAY(&c->scratch, bool, c->stored.node_count);
    c->stored_kept = ARENA_ARRAY(&c->scratch, bool, c->stored.node_count);
}

/* --- addresses --- */

static void offer_all(const struct chooser *c, struct hint *hint) {
    for (size_t n = 0; n < c->element_count; n++) {
        hint_offer(hint, c->t->elements[n].address.text);
    }
    for (size_t i = 0; c->t != NULL && i < c->t->link_count; i++) {
        hint_offer(hint, c->t->links[i].address.text);
    }
    for (size_t i = 0; i < c->stored_nodes.len; i++) {
        hint_offer(hint, c->stored_nodes.entries[i].key);
    }
}

static void report_unknown(struct chooser *c, const struct target_address *a, sv address) {
    struct hint hint = HINT(address.len > 0 ? address : a->text);
    offer_all(c, &hint);
    struct diag *d = diags_add(c->w->diags, DIAG_resource_missing, a->at, "there is no element '%.*s'%s",
                               SV_ARG(sv_slice(a->text, 0, 200)),
                               c->t == NULL ? " in the instance" : ", neither in the blueprint nor in the instance");
    if (hint.best.len > 0) {
        diag_set_hint(c->w->diags, d, "did you mean '%.*s'?", SV_ARG(hint.best));
    } else {
        diag_set_hint(c->w->diags, d, "an address looks like resources.NAME, children.NAME or links.A::B");
    }
    c->ok = false;
}

/* The address as plans print it; empty after a report. */
static sv read_address(struct chooser *c, const struct target_address *a) {
    struct addr_parts parts;
    if (!addr_parse(&c->scratch, a->text, &parts)) {
        report_unknown(c, a, (sv){0});
        return (sv){0};
    }
    sv address = addr_make(c->w->arena, parts.parent, parts.kind, parts.name).text;
    if (parts.property.len > 0) {
        struct diag *d = diags_add(c->w->diags, DIAG_resource_missing, a->at, "'%.*s' is only a part of an element",
                                   SV_ARG(sv_slice(a->text, 0, 200)));
        diag_set_hint(c->w->diags, d, "name the whole: %.*s", SV_ARG(address));
        c->ok = false;
        return (sv){0};
    }
    return address;
}

static const struct element *find_element(const struct chooser *c, sv address) {
    return c->t == NULL ? NULL : template_find(c->t, address);
}

static uint32_t find_link(const struct chooser *c, sv address) {
    return c->t == NULL ? 0 : (uint32_t)(uintptr_t)map_find(&c->t->link_by_address, address);
}

static bool has_export(struct chooser *c, sv address) {
    const struct instance_body *body = &c->w->stored->body;
    for (size_t i = 0; i < body->export_count; i++) {
        sv name = body->exports[i].name;
        bool is_address = sv_find_char(name, '/') != SIZE_MAX;
        sv own = is_address ? name : addr_make(&c->scratch, (sv){0}, ELEMENT_EXPORT, name).text;
        if (sv_eq(own, address)) {
            return true;
        }
    }
    return false;
}

/* A stored group stands for all in it. */
static bool mark_stored(struct chooser *c, sv address, bool *marks) {
    uint32_t node = find_stored_node(c, address);
    if (node == 0) {
        return false;
    }
    marks[node - 1] = true;
    struct graph_edge_list members = graph_get_uses(&c->stored, node - 1);
    for (size_t i = 0; node > c->w->stored->elements.len && i < members.len; i++) {
        marks[c->stored.edges.items[members.items[i]].to] = true;
    }
    return true;
}

/* Marks what the address names, everything in a group. */
static bool mark_wanted(struct chooser *c, sv address, bool *marks) {
    const struct element *e = find_element(c, address);
    if (e == NULL) {
        return false;
    }
    uint32_t n = template_get_number(c->t, e), end = is_group(e) && e->group_end > n ? e->group_end : n + 1;
    for (uint32_t i = n; i < end; i++) {
        marks[i] = true;
    }
    return true;
}

static void mark_target(struct chooser *c, const struct target_address *a, sv address) {
    uint32_t link = find_link(c, address);
    bool found = mark_wanted(c, address, c->targeted);
    if (link != 0) {
        c->targeted[c->t->links[link - 1].a] = c->targeted[c->t->links[link - 1].b] = found = true;
    }
    found = mark_stored(c, address, c->stored_targeted) || found;
    if (!found && !has_export(c, address)) {
        report_unknown(c, a, address);
    }
}

static void mark_exclude(struct chooser *c, const struct target_address *a, sv address) {
    uint32_t link = find_link(c, address);
    bool found = mark_wanted(c, address, c->excluded);
    if (link != 0) {
        c->links_excluded[link - 1] = found = true;
    }
    found = mark_stored(c, address, c->stored_kept) || found;
    if (!found && !has_export(c, address)) {
        report_unknown(c, a, address);
    }
}

typedef void (*mark_address)(struct chooser *c, const struct target_address *a, sv address);

static const sv *mark_all(struct chooser *c, const struct target_list *list, mark_address mark) {
    sv *addresses = ARENA_ARRAY(c->w->arena, sv, list->count + 1);
    for (size_t i = 0; i < list->count; i++) {
        addresses[i] = read_address(c, &list->items[i]);
        if (addresses[i].len > 0) {
            mark(c, &list->items[i], addresses[i]);
        }
    }
    return addresses;
}

/* --- what is left out of the template --- */

/* Exports, and whatever else, that something left out stands behind. */
static void leave_out_exports(struct chooser *c, struct target_choice *choice) {
    bool *behind = ARENA_ARRAY(&c->scratch, bool, c->wanted.node_count);
    for (size_t n = 0; n < c->element_count; n++) {
        behind[n] = choice->left_out[n];
    }
    graph_mark_users(&c->wanted, behind);
    for (size_t n = 0; n < c->element_count; n++) {
        bool is_export = c->t->elements[n].kind == ELEMENT_EXPORT;
        choice->left_out[n] = choice->left_out[n] || (is_export && (behind[n] || c->excluded[n]));
    }
}

static void choose_wanted(struct chooser *c, const struct target_request *r, struct target_choice *choice) {
    graph_mark_uses(&c->wanted, c->targeted);
    graph_mark_users(&c->wanted, c->excluded);
    choice->left_out = ARENA_ARRAY(c->w->arena, bool, c->element_count + 1);
    for (size_t n = 0; n < c->element_count; n++) {
        bool is_resource = c->t->elements[n].kind == ELEMENT_RESOURCE;
        choice->left_out[n] = is_resource && (c->excluded[n] || (r->targets.count > 0 && !c->targeted[n]));
    }
    leave_out_exports(c, choice);
    choice->links_left_out = ARENA_ARRAY(c->w->arena, bool, c->t->link_count + 1);
    for (size_t i = 0; i < c->t->link_count; i++) {
        const struct template_link *l = &c->t->links[i];
        choice->links_left_out[i] = c->links_excluded[i] || choice->left_out[l->a] || choice->left_out[l->b];
    }
}

/* --- what stands in the state alone --- */

static bool is_in_template(const struct chooser *c, size_t i) {
    const struct stored_element *e = c->w->stored->elements.items[i];
    sv address = get_stored_address(c->w->stored, i);
    const struct element *found = find_element(c, address);
    return e->link != NULL ? find_link(c, address) != 0 : found != NULL && found->kind == ELEMENT_RESOURCE;
}

/* Of what the template has and is left out everything stays that it uses, as recorded; and so does a link with a side
 * that is excluded. */
static void keep_used(struct chooser *c, const struct target_choice *choice) {
    const struct stored *s = c->w->stored;
    for (size_t i = 0; i < s->elements.len; i++) {
        const struct stored_element *e = s->elements.items[i];
        const struct element *found = find_element(c, get_stored_address(s, i));
        if (!e->removed && e->resource != NULL && found != NULL && is_in_template(c, i)) {
            c->stored_kept[i] = choice->left_out[template_get_number(c->t, found)];
        }
    }
    for (size_t i = 0; i < s->elements.len; i++) {
        struct graph_edge_list sides = graph_get_uses(&c->stored, (uint32_t)i);
        for (size_t k = 0; s->elements.items[i]->link != NULL && k < sides.len; k++) {
            const struct element *side = NULL;
            uint32_t node = c->stored.edges.items[sides.items[k]].to;
            if (node < s->elements.len) {
                side = find_element(c, get_stored_address(s, node));
            }
            bool is_excluded = side != NULL && c->excluded[template_get_number(c->t, side)];
            c->stored_kept[i] = c->stored_kept[i] || is_excluded;
        }
    }
    graph_mark_uses(&c->stored, c->stored_kept);
}

/* Who is left out and uses the stored element or group; empty without. */
static sv find_kept_user(struct chooser *c, uint32_t node) {
    struct graph_edge_list users = graph_get_users(&c->stored, node);
    size_t elements = c->w->stored->elements.len;
    sv found = {0};
    for (size_t k = 0; k < users.len; k++) {
        uint32_t from = c->stored.edges.items[users.items[k]].from;
        if (from < elements && c->stored_kept[from] && (found.len == 0 || is_in_template(c, from))) {
            found = get_stored_address(c->w->stored, from);
        }
    }
    return found;
}

/* Of a group, too, who uses something in it. */
static sv find_kept_user_within(struct chooser *c, uint32_t node) {
    sv user = find_kept_user(c, node);
    if (node < c->w->stored->elements.len) {
        return user;
    }
    struct graph_edge_list members = graph_get_uses(&c->stored, node);
    for (size_t i = 0; i < members.len && user.len == 0; i++) {
        uint32_t member = c->stored.edges.items[members.items[i]].to;
        user = c->stored_kept[member] ? find_kept_user(c, member) : user;
    }
    return user;
}

static void report_user(struct chooser *c, const struct target_address *a, sv user, bool is_group) {
    struct diag *d = diags_add(
        c->w->diags, is_group ? DIAG_removed_child_has_dependents : DIAG_removed_resource_has_dependents, a->at,
        "'%.*s' cannot be removed while '%.*s' is left out: it still uses it", SV_ARG(a->text), SV_ARG(user));
    diag_set_hint(c->w->diags, d, "target '%.*s', too", SV_ARG(user));
    c->ok = false;
}

/* BP-485: who asks for the removal of something is told why it cannot be. */
static void check_targets(struct chooser *c, const struct target_list *targets, const sv *addresses) {
    for (size_t i = 0; i < targets->count; i++) {
        uint32_t node = addresses[i].len == 0 ? 0 : find_stored_node(c, addresses[i]);
        bool is_group = node > c->w->stored->elements.len;
        bool is_there = node == 0 || (is_group ? find_element(c, addresses[i]) != NULL : is_in_template(c, node - 1));
        sv user = is_there ? (sv){0} : find_kept_user_within(c, node - 1);
        if (user.len > 0) {
            report_user(c, &targets->items[i], user, is_group);
        }
    }
}

/* --- exports that stand in the state alone --- */

/* The resource that an export is taken from goes: its name is the first of the reference. */
static bool outlives_source(struct chooser *c, const struct export_record *e) {
    sv field = sv_has_prefix(e->field, SV("resources.")) ? sv_slice(e->field, 10, e->field.len) : e->field;
    size_t len = 0;
    while (len < field.len && strchr(".[", field.data[len]) == NULL) {
        len++;
    }
    sv parent = sv_slice(e->name, 0, sv_rfind_char(e->name, '/') + 1);
    uint32_t node = find_stored_node(c, addr_make(&c->scratch, parent, ELEMENT_RESOURCE, sv_slice(field, 0, len)).text);
    return node == 0 || !c->stored_targeted[node - 1] || c->stored_kept[node - 1];
}

static void leave_exports_alone(struct chooser *c, const struct target_request *r, struct target_choice *choice) {
    const struct instance_body *body = &c->w->stored->body;
    for (size_t i = 0; i < body->export_count; i++) {
        sv name = body->exports[i].name;
        bool is_address = sv_find_char(name, '/') != SIZE_MAX;
        sv address = is_address ? name : addr_make(c->w->arena, (sv){0}, ELEMENT_EXPORT, name).text;
        bool is_named = false, is_excluded = false;
        for (size_t k = 0; k < r->targets.count; k++) {
            is_named = is_named || sv_eq(choice->targets[k], address);
        }
        for (size_t k = 0; k < r->excludes.count; k++) {
            is_excluded = is_excluded || sv_eq(choice->excludes[k], address);
        }
        bool stays = c->t == NULL ? outlives_source(c, &body->exports[i]) : r->targets.count > 0;
        if (is_excluded || (!is_named && stays)) {
            map_put(&choice->left_alone, address, c->w->arena);
        }
    }
}

/* --- what is left alone --- */

/* What is deployed now uses in the end what the template says: of it nothing recorded counts, and it takes along
 * nothing that is removed. */
static void add_recorded_uses(struct chooser *c, const struct target_choice *choice) {
    const struct stored *s = c->w->stored;
    for (size_t i = 0; i < c->stored.node_count; i++) {
        bool is_element = i < s->elements.len;
        if (is_element && s->elements.items[i]->removed) {
            continue;
        }
        bool is_there = is_element && c->t != NULL && is_in_template(c, i);
        const struct element *e = is_there ? find_element(c, get_stored_address(s, i)) : NULL;
        if (is_element && (e == NULL || choice->left_out[template_get_number(c->t, e)])) {
            add_stored_uses(c, i);
        }
        c->stored_targeted[i] = c->stored_targeted[i] && (c->t == NULL || (is_element && !is_there));
    }
}

static void choose_removed(struct chooser *c, const struct target_request *r, struct target_choice *choice) {
    const struct stored *s = c->w->stored;
    add_recorded_uses(c, choice);
    graph_mark_users(&c->stored, c->stored_targeted);
    keep_used(c, choice);
    check_targets(c, &r->targets, choice->targets);
    for (size_t i = 0; i < s->elements.len; i++) {
        bool stays = c->stored_kept[i] || (r->targets.count > 0 && !c->stored_targeted[i]);
        if (!s->elements.items[i]->removed && stays && !is_in_template(c, i)) {
            map_put(&choice->left_alone, get_stored_address(s, i), c->w->arena);
        }
    }
    leave_exports_alone(c, r, choice);
}

static void choose_destroyed(struct chooser *c, const struct target_request *r, struct target_choice *choice) {
    const struct stored *s = c->w->stored;
    for (size_t i = 0; r->targets.count == 0 && i < c->stored.node_count; i++) {
        c->stored_targeted[i] = true;
    }
    add_recorded_uses(c, choice);
    graph_mark_users(&c->stored, c->stored_targeted);
    graph_mark_uses(&c->stored, c->stored_kept);
    for (size_t i = 0; i < s->elements.len; i++) {
        bool stays = !c->stored_targeted[i] || c->stored_kept[i];
        if (!s->elements.items[i]->removed && stays) {
            map_put(&choice->left_alone, get_stored_address(s, i), c->w->arena);
        }
    }
    leave_exports_alone(c, r, choice);
}

/* --- replacement --- */

static void report_nothing_there(struct chooser *c, const struct target_address *a, const char *why, const char *hint) {
    struct diag *d = diags_add(c->w->diags, DIAG_resource_missing, a->at, "'%.*s' cannot be replaced: %s",
                               SV_ARG(sv_slice(a->text, 0, 200)), why);
    diag_set_hint(c->w->diags, d, "%s", hint);
    c->ok = false;
}

static void mark_replaced(struct chooser *c, struct target_choice *choice, const struct target_address *a, sv address) {
    const struct element *e = find_element(c, address);
    if (e == NULL && find_stored_node(c, address) != 0) {
        report_nothing_there(c, a, "it is not in the blueprint", "deploying removes it");
        return;
    }
    if (e == NULL) {
        report_unknown(c, a, address);
        return;
    }
    uint32_t n = template_get_number(c->t, e), end = is_group(e) && e->group_end > n ? e->group_end : n + 1;
    size_t found = 0, left_out = 0;
    for (uint32_t i = n; i < end; i++) {
        const struct resource_record *record = c->t->elements[i].kind == ELEMENT_RESOURCE
                                                   ? stored_find_resource(c->w->stored, c->t->elements[i].address.text)
                                                   : NULL;
        bool is_there = record != NULL && record_has_object(record);
        bool is_out = is_there && target_is_left_out(choice, i);
        left_out += is_out;
        found += is_there && !is_out;
        choice->replaced[i] = is_there && !is_out;
    }
    if (left_out > 0) {
        report_nothing_there(c, a, "it is left out", "target it, too, or do not exclude it");
    } else if (found == 0) {
        report_nothing_there(c, a, "there is no object of it", "only resources that exist can be replaced");
    }
}

static void choose_replaced(struct chooser *c, const struct target_request *r, struct target_choice *choice) {
    if (r->replaces.count == 0 || c->t == NULL) {
        return;
    }
    sv *addresses = ARENA_ARRAY(c->w->arena, sv, r->replaces.count);
    choice->replaced = ARENA_ARRAY(c->w->arena, bool, c->element_count + 1);
    for (size_t i = 0; i < r->replaces.count; i++) {
        addresses[i] = read_address(c, &r->replaces.items[i]);
        if (addresses[i].len > 0) {
            mark_replaced(c, choice, &r->replaces.items[i], addresses[i]);
        }
    }
    choice->replaces = addresses;
}

/* --- the whole --- */

bool target_choose(const struct target_world *w, const struct target_request *r, struct target_choice *choice) {
    *choice = (struct target_choice){.left_alone = MAP(w->arena)};
    choice->is_limited = r->targets.count + r->excludes.count > 0;
    if (!choice->is_limited && r->replaces.count == 0) {
        return true;
    }
    struct chooser c = {.w = w, .t = w->topology->t, .element_count = w->topology->element_count, .ok = true};
    make_wanted(&c);
    make_stored(&c);
    c.links_excluded = ARENA_ARRAY(&c.scratch, bool, w->topology->link_count + 1);
    choice->targets = mark_all(&c, &r->targets, mark_target);
    choice->excludes = mark_all(&c, &r->excludes, mark_exclude);
    if (c.ok && choice->is_limited && c.t != NULL) {
        choose_wanted(&c, r, choice);
        choose_removed(&c, r, choice);
    } else if (c.ok && choice->is_limited) {
        choose_destroyed(&c, r, choice);
    }
    choose_replaced(&c, r, choice);
    arena_fini(&c.scratch);
    return c.ok;
}

bool target_is_left_out(const struct target_choice *c, uint32_t element) {
    return c->left_out != NULL && c->left_out[element];
}

bool target_is_link_left_out(const struct target_choice *c, uint32_t link) {
    return c->links_left_out != NULL && c->links_left_out[link];
}

bool target_is_replaced(const struct target_choice *c, uint32_t element) {
    return c->replaced != NULL && c->replaced[element];
}

bool target_is_left_alone(const struct target_choice *c, sv address) {
    return c->is_limited && map_has(&c->left_alone, address);
}
