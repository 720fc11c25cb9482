/* Link selection (BP-160 to BP-167): labels, selectors, what providers implement. */
#include "dialects/blueprint/links.h"

#include "dialects/blueprint/fields.h"

enum { FIELD_BY_LABEL, FIELD_EXCLUDE, FIELD_COUNT };

static const sv field_names[FIELD_COUNT] = {SV_INIT("byLabel"), SV_INIT("exclude")};
static const struct field_set field_set = {field_names, FIELD_COUNT, "a link selector"};

enum { LINK_WORK = 100 }; /* what one link counts beside its comparisons */

/* Resources with one label, by "key\0value". */
struct label_list {
    VEC(uint32_t) items;
};

struct selection {
    struct loader *l;
    uint32_t a;
    const struct node *by_label;
    uint32_t *excluded; /* per element: number + 1 of the last resource that excludes it */
    struct map *labels;
    uint64_t *work; /* pairs that may still be compared */
    size_t hits;    /* resources selected */
    size_t links;
    bool is_opaque; /* one of the selected has a type that is not known */
    span at;
};

static sv make_label_key(struct arena *a, sv key, sv text) {
    struct buf out = BUF(a);
    buf_append(&out, key);
    buf_append_char(&out, '\0');
    buf_append(&out, text);
    return buf_get_sv(&out);
}

static void index_labels(struct loader *l, struct map *labels) {
    for (uint32_t i = 0; i < l->count; i++) {
        if (l->elements[i].kind != ELEMENT_RESOURCE) {
            continue; /* labels of a blueprint have no effect (BP-292) */
        }
        value v = l->elements[i].labels;
        for (size_t k = 0; v.kind == VALUE_MAP && k < v.map->len; k++) {
            const struct value_entry *entry = &v.map->entries[k];
            sv key = make_label_key(&l->scratch, entry->key, value_get_text(entry->item));
            struct label_list *list = map_find(labels, key);
            if (list == NULL) {
                list = ARENA_NEW(&l->scratch, struct label_list);
                map_put(labels, key, list);
            }
            VEC_PUSH(&l->scratch, &list->items, i);
        }
    }
}

/* --- shape of a selector (BP-161) --- */

static bool is_string_node(const struct node *n) {
    return n->kind == NODE_SCALAR && scalar_resolve_node(n, scalar_resolve_core).kind == SCALAR_STRING;
}

static bool check_by_label(struct loader *l, const struct node *n, span at) {
    if (n == NULL || (n->kind == NODE_MAPPING && n->count == 0)) {
        diags_add(l->diags, DIAG_invalid_resource, n != NULL ? n->at : at, "a link selector needs labels in 'byLabel'");
        return false;
    }
    bool ok = fields_check_mapping(l, n, "'byLabel'");
    for (size_t i = 0; ok && i < n->count; i++) {
        const struct node_pair *pair = &n->pairs[i];
        bool sound = fields_check_key(l, pair->key) && !fields_is_broken(pair->value);
        if (sound && !is_string_node(pair->value)) {
            struct diag *d =
                diags_add(l->diags, DIAG_invalid_resource, pair->value->at, "label '%.*s' must be a string, this is %s",
                          SV_ARG(sv_slice(pair->key->text, 0, 80)), node_get_kind_name(pair->value));
            diag_set_hint(l->diags, d, "put quotes around it");
            sound = false;
        }
        ok = sound && fields_check_static(l, pair->value);
    }
    return ok;
}

/* `code` tells of something that is no name (BP-045). */
static void exclude_name(struct selection *s, const struct node *n, enum diag_code code) {
    struct loader *l = s->l;
    if (fields_is_broken(n) || !fields_check_static(l, n)) {
        return;
    }
    if (!is_string_node(n)) {
        diags_add(l->diags, code, n->at, "'exclude' holds names of resources, this is %s", node_get_kind_name(n));
        return;
    }
    uint32_t number = loader_find(l, ELEMENT_RESOURCE, n->text);
    if (number == UINT32_MAX) {
        struct diag *d = diags_add(l->diags, DIAG_invalid_resource, n->at, "resource '%.*s' does not exist",
                                   SV_ARG(sv_slice(n->text, 0, 80)));
        loader_hint_name(l, d, ELEMENT_RESOURCE, n->text);
        return;
    }
    s->excluded[number] = s->a + 1;
}

static void read_exclude(struct selection *s, const struct node *n) {
    if (n == NULL || n->kind != NODE_SEQUENCE) {
        if (n != NULL) {
            exclude_name(s, n, DIAG_invalid_array_or_string);
        }
        return;
    }
    for (size_t i = 0; i < n->count; i++) {
        exclude_name(s, n->items[i], DIAG_invalid_string_list);
    }
}

/* --- selection --- */

static const struct label_list *find_candidates(const struct selection *s) {
    const struct label_list *best = NULL;
    for (size_t i = 0; i < s->by_label->count; i++) {
        const struct node_pair *pair = &s->by_label->pairs[i];
        sv key = make_label_key(&s->l->brief, pair->key->text, pair->value->text);
        const struct label_list *list = map_find(s->labels, key);
        if (list == NULL) {
            return NULL;
        }
        best = best == NULL || list->items.len < best->items.len ? list : best;
    }
    return best;
}

/* Every pair must be there (BP-160). */
static bool has_labels(const struct selection *s, uint32_t b) {
    value labels = s->l->elements[b].labels;
    for (size_t i = 0; i < s->by_label->count; i++) {
        const struct node_pair *pair = &s->by_label->pairs[i];
        value found = value_map_find(labels, pair->key->text);
        if (found.kind != VALUE_STRING || !sv_eq(value_get_text(found), pair->value->text)) {
            return false;
        }
    }
    return true;
}

static bool lists_type(const struct resource_type *type, sv other) {
    for (size_t i = 0; i < type->links_to_count; i++) {
        if (sv_eq(type->links_to[i], other)) {
            return true;
        }
    }
    return false;
}

static void add_link(struct selection *s, uint32_t b, const struct link_type *type) {
    struct loader *l = s->l;
    links_add(l, &(const struct link_pair){.a = s->a, .b = b, .type = type, .at = s->at});
    s->links++;
    *s->work -= *s->work < LINK_WORK ? *s->work : LINK_WORK;
}

static void select_one(struct selection *s, uint32_t b) {
    struct loader *l = s->l;
    const struct resource_type *from = l->elements[s->a].resource_type;
    const struct resource_type *to = l->elements[b].resource_type;
    s->hits++;
    if (to == NULL) {
        s->is_opaque = true;
        return;
    }
    const struct link_type *type = providers_find_link(l->request->providers, from->name, to->name);
    if (type != NULL) {
        add_link(s, b, type);
    } else if (lists_type(from, to->name)) {
        s->is_opaque = true;
        diags_add(l->diags, DIAG_missing_link_implementation, s->at,
                  "no provider implements links from '%.*s' to '%.*s'", SV_ARG(from->name), SV_ARG(to->name));
    }
}

static bool select_all(struct selection *s) {
    const struct label_list *list = find_candidates(s);
    for (size_t i = 0; list != NULL && i < list->items.len; i++) {
        uint32_t b = list->items.items[i];
        if (*s->work < s->by_label->count) {
            return false;
        }
        *s->work -= s->by_label->count;
        if (b != s->a && s->excluded[b] != s->a + 1 && has_labels(s, b)) {
            select_one(s, b);
        }
    }
    return true;
}

static void report_without_effect(struct selection *s) {
    if (s->links > 0 || s->is_opaque) {
        return;
    }
    const char *why = s->hits == 0 ? "no resource has these labels" : "no provider links resources of these types";
    diags_add(s->l->diags, DIAG_link_selector_without_effect, s->at, "the link selector leads to no link: %s", why);
}

static bool link_resource(struct selection *s) {
    struct loader *l = s->l;
    const struct node *fields[FIELD_COUNT];
    const struct node *n = l->entries[s->a].selector;
    s->at = n->at;
    if (!fields_read(l, n, &field_set, fields)) {
        return true;
    }
    bool sound = check_by_label(l, fields[FIELD_BY_LABEL], n->at);
    read_exclude(s, fields[FIELD_EXCLUDE]);
    if (!sound || l->request->providers == NULL || l->elements[s->a].resource_type == NULL) {
        return true;
    }
    s->by_label = fields[FIELD_BY_LABEL];
    s->at = s->by_label->at;
    if (!select_all(s)) {
        return false;
    }
    report_without_effect(s);
    return true;
}

/* The selector of a blueprint that is a resource: no link type knows it. */
static void report_selector_of_child(struct loader *l, uint32_t number) {
    diags_add(l->diags, DIAG_link_selector_without_effect, l->entries[number].selector->at,
              "the link selector leads to no link: a blueprint links to nothing");
}

static void select_links(struct loader *l) {
    struct map labels = MAP(&l->scratch);
    uint64_t work = l->request->limits->eval_steps;
    uint32_t *excluded = ARENA_ARRAY(&l->scratch, uint32_t, l->count + 1);
    index_labels(l, &labels);
    for (uint32_t i = 0; i < l->count; i++) {
        if (l->entries[i].selector == NULL) {
            continue;
        }
        struct selection s = {.l = l, .a = i, .excluded = excluded, .labels = &labels, .work = &work};
        size_t from = loader_get_mark(l);
        l->current = i;
        bool done = true;
        if (l->elements[i].kind == ELEMENT_RESOURCE) {
            done = link_resource(&s);
        } else {
            report_selector_of_child(l, i);
        }
        if (!done) {
            diags_add(l->diags, DIAG_limit_exceeded, s.at, "the link selectors of the blueprint select too much");
        }
        tree_enter_key(l, SV("linkSelector"));
        loader_tag(l, from, i);
        tree_leave(l);
        arena_fini(&l->brief);
        if (!done) {
            return;
        }
    }
}

static bool has_selectors(const struct loader *l) {
    for (uint32_t i = 0; i < l->count; i++) {
        if (l->entries[i].selector != NULL) {
            return true;
        }
    }
    return false;
}

/* BP-167. */
static void check_expected(struct loader *l) {
    bool *links_out = ARENA_ARRAY(&l->scratch, bool, l->count + 1);
    for (size_t i = 0; i < l->links.len; i++) {
        links_out[l->links.items[i].a] = true;
    }
    for (uint32_t i = 0; i < l->count; i++) {
        const struct resource_type *type = l->elements[i].resource_type;
        bool expected = type != NULL && type->links_to_count > 0 && !type->end_point && !links_out[i] &&
                        l->entries[i].selector == NULL;
        if (expected) {
            size_t from = loader_get_mark(l);
            struct diag *d = diags_add(l->diags, DIAG_link_expected, l->elements[i].at,
                                       "resource '%.*s' links to nothing, resources of type '%.*s' usually do",
                                       SV_ARG(sv_slice(l->elements[i].name, 0, 80)), SV_ARG(type->name));
            diag_set_hint(l->diags, d, "select what it needs with 'linkSelector'");
            loader_tag(l, from, i);
        }
    }
}

void links_check(struct loader *l) {
    l->path.len = 0;
    if (has_selectors(l)) {
        select_links(l);
    }
    l->path.len = 0;
    links_activate(l);
    struct template_link *links = ARENA_ARRAY(l->arena, struct template_link, l->links.len);
    if (l->links.len > 0) {
        memcpy(links, l->links.items, l->links.len * sizeof *links);
    }
    uint32_t *items = ARENA_ARRAY(l->arena, uint32_t, l->links.len + 1);
    if (l->links.len > 0) {
        memcpy(items, l->link_items.items, l->links.len * sizeof *items);
    }
    for (size_t i = 0; i < l->links.len; i++) {
        map_put(&l->template->link_by_address, links[i].address.text, (void *)(uintptr_t)(i + 1));
    }
    l->template->links = links;
    l->template->link_count = l->links.len;
    l->data->link_items = items;
    check_expected(l);
    links_check_rules(l);
}
