/* `each` (BP-150 to BP-155): its form, what it may depend on, and what is known of it before a run. */
#include "dialects/blueprint/fields.h"
#include "dialects/blueprint/loader.h"
#include "dialects/blueprint/tree.h"

void each_load(struct loader *l, uint32_t number, const struct node *n) {
    struct element *e = &l->elements[number];
    l->entries[number].is_template = true;
    tree_enter_key(l, SV("each"));
    size_t from = loader_get_mark(l);
    e->each = tree_build_sole(l, n);
    if (e->each == NULL) {
        struct diag *d = diags_add(l->diags, DIAG_invalid_resource, n->at, "'each' must be exactly one substitution");
        diag_set_hint(l->diags, d, "write ${values.NAME} and put the array into a value");
        e->each = expr_new_error(l->arena, n->at);
    }
    loader_tag(l, from, number);
    tree_leave(l);
}

/* --- type --- */

static void report_kind(struct loader *l, const struct expr *e, value v) {
    size_t from = loader_get_mark(l);
    types_report(l, DIAG_resource_each_invalid_type, e->at, "'each' must be an array", v);
    bool is_object = v.kind == VALUE_MAP || (v.kind == VALUE_UNKNOWN && v.type != NULL &&
                                             (v.type->kind == TYPE_OBJECT || v.type->kind == TYPE_MAP));
    if (is_object && loader_get_mark(l) > from) {
        diag_set_hint(l->diags, l->diags->items.items[from], "the values of an object are vals(…)");
    }
}

void each_check_type(struct loader *l, uint32_t number) {
    const struct expr *e = l->elements[number].each;
    l->path.len = 0;
    tree_enter_key(l, SV("each"));
    struct arena *brief = l->check.arena;
    if (l->elements[number].kind == ELEMENT_CHILD) {
        l->check.arena = &l->scratch; /* what is passed to children is checked later */
    }
    l->in_each = true;
    const struct type *t = types_get(l, e);
    l->in_each = false;
    l->check.arena = brief;
    l->entries[number].elem_type = &type_any;
    if (t != NULL && t->kind == TYPE_LIST) {
        l->entries[number].elem_type = t->item != NULL ? t->item : &type_any;
    } else if (t != NULL && (t->kind == TYPE_ABSENT || !type_fits(&type_list, t))) {
        report_kind(l, e, t->kind == TYPE_ABSENT ? value_absent() : value_unknown(t));
    }
    l->path.len = 0;
}

/* --- what it depends on (BP-151) --- */

/* What a value or data source leads to, and through which of its uses first. */
enum reach { REACH_RESOURCE, REACH_CHILD, REACH_VARIABLE, REACH_COUNT };

struct reach_entry {
    const struct element_edge *via[REACH_COUNT]; /* NULL: it does not lead there */
    bool visited;
};

struct reaching {
    struct loader *l;
    struct reach_entry *entries;
    struct arena *arena;
};

static bool leads_on(enum element_kind kind) {
    return kind == ELEMENT_VALUE || kind == ELEMENT_DATA;
}

static enum reach get_reach(const struct loader *l, uint32_t n) {
    const struct blueprint_child *c = l->children[n];
    enum element_kind kind = l->elements[n].kind;
    if (kind == ELEMENT_RESOURCE || (c != NULL && c->is_resource)) {
        return REACH_RESOURCE;
    }
    return kind == ELEMENT_CHILD ? REACH_CHILD : REACH_VARIABLE;
}

static void take_use(struct reaching *r, uint32_t n, const struct element_edge *use) {
    struct reach_entry *mine = &r->entries[n];
    enum element_kind kind = r->l->elements[use->to].kind;
    for (size_t i = 0; i < REACH_COUNT; i++) {
        bool there = leads_on(kind) ? r->entries[use->to].via[i] != NULL : i == get_reach(r->l, use->to);
        if (there && mine->via[i] == NULL) {
            mine->via[i] = use;
        }
    }
}

struct reach_pending {
    uint32_t number;
    size_t next;
};

/* Depth first, without C stack; on a cycle, which is reported elsewhere, what is under way leads nowhere. */
static void visit(struct reaching *r, uint32_t start) {
    VEC(struct reach_pending) stack = {0};
    VEC_PUSH(r->arena, &stack, ((struct reach_pending){start, 0}));
    r->entries[start].visited = true;
    while (stack.len > 0) {
        struct reach_pending *top = VEC_LAST(&stack);
        const struct element *e = &r->l->elements[top->number];
        if (top->next > 0) {
            take_use(r, top->number, &e->uses[top->next - 1]);
        }
        if (top->next == e->use_count) {
            stack.len--;
            continue;
        }
        uint32_t to = e->uses[top->next++].to;
        if (leads_on(r->l->elements[to].kind) && !r->entries[to].visited) {
            r->entries[to].visited = true;
            VEC_PUSH(r->arena, &stack, ((struct reach_pending){to, 0}));
        }
    }
}

enum { CHAIN_SHOWN = 12 };

static void report_dependency(struct reaching *r, uint32_t n, enum reach what, const struct element_edge *use) {
    struct loader *l = r->l;
    if (what == REACH_VARIABLE) {
        return;
    }
    uint32_t end = use->to;
    while (leads_on(l->elements[end].kind) && r->entries[end].via[what] != NULL) {
        end = r->entries[end].via[what]->to;
    }
    size_t from = loader_get_mark(l);
    const char *kind = what == REACH_RESOURCE ? "resource" : "child";
    struct diag *d =
        diags_add(l->diags, what == REACH_RESOURCE ? DIAG_each_resource_dependency : DIAG_each_child_dependency,
                  use->at, "'each' depends on %s '%.*s', which is known only on deployment", kind,
                  SV_ARG(sv_slice(l->elements[end].name, 0, 80)));
    uint32_t at = use->to;
    for (size_t i = 0; i < CHAIN_SHOWN && leads_on(l->elements[at].kind); i++) {
        const struct element_edge *next = r->entries[at].via[what];
        if (next == NULL) {
            break;
        }
        diag_add_related(l->diags, d, next->at, "'%.*s' uses '%.*s' here", SV_ARG(l->elements[at].address.text),
                         SV_ARG(l->elements[next->to].address.text));
        at = next->to;
    }
    tree_enter_key(l, SV("each"));
    loader_tag(l, from, n);
    tree_leave(l);
    l->entries[n].broken = true;
}

static void check_uses(struct reaching *r, uint32_t n) {
    const struct element *e = &r->l->elements[n];
    bool reported[REACH_COUNT] = {false};
    r->l->entries[n].each_is_fixed = true;
    for (uint32_t k = 0; k < r->l->entries[n].each_count; k++) {
        const struct element_edge *use = &e->uses[k];
        enum element_kind kind = r->l->elements[use->to].kind;
        if (leads_on(kind) && !r->entries[use->to].visited) {
            visit(r, use->to);
        }
        struct reach_entry own = {0};
        r->entries[n] = own;
        take_use(r, n, use);
        for (size_t i = 0; i < REACH_COUNT; i++) {
            if (r->entries[n].via[i] != NULL && !reported[i]) {
                reported[i] = true;
                r->l->entries[n].each_is_fixed = false;
                report_dependency(r, n, (enum reach)i, use);
            }
        }
    }
}

void each_check_uses(struct loader *l) {
    struct arena scratch = {0};
    struct reaching r = {l, NULL, &scratch};
    l->path.len = 0;
    for (uint32_t i = 0; i < l->count; i++) {
        if (l->entries[i].is_template) {
            r.entries = r.entries != NULL ? r.entries : ARENA_ARRAY(&scratch, struct reach_entry, l->count);
            check_uses(&r, i);
        }
    }
    arena_fini(&scratch);
}
