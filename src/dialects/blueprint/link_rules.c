/* What link types demand (BP-165): how many links each side has, and annotations. */
#include "dialects/blueprint/links.h"
#include "value/convert.h"

/* --- cardinality --- */

struct side_count {
    const struct link_type *type;
    bool is_a;
    uint32_t *counts;                  /* per element */
    const struct template_link **last; /* per element: the link that was counted last */
};

static void report_cardinality(struct loader *l, const struct side_count *c, uint32_t number) {
    const struct link_cardinality *limits = c->is_a ? &c->type->cardinality_a : &c->type->cardinality_b;
    const struct element *e = &l->elements[number];
    size_t count = c->counts[number];
    size_t from = loader_get_mark(l);
    if (limits->max > 0 && count > limits->max) {
        diags_add(l->diags, DIAG_link_cardinality_exceeded, c->last[number]->at,
                  "resource '%.*s' has %zu links of '%.*s' and '%.*s', at most %zu are possible",
                  SV_ARG(sv_slice(e->name, 0, 80)), count, SV_ARG(c->type->type_a), SV_ARG(c->type->type_b),
                  limits->max);
    } else if (count < limits->min) {
        diags_add(l->diags, DIAG_link_cardinality_not_met, e->at,
                  "resource '%.*s' has %zu links of '%.*s' and '%.*s', it needs %zu", SV_ARG(sv_slice(e->name, 0, 80)),
                  count, SV_ARG(c->type->type_a), SV_ARG(c->type->type_b), limits->min);
    }
    loader_tag(l, from, number);
}

static void check_side(struct loader *l, const struct link_type *type, bool is_a) {
    const struct link_cardinality *limits = is_a ? &type->cardinality_a : &type->cardinality_b;
    if (limits->min == 0 && limits->max == 0) {
        return;
    }
    struct side_count c = {type, is_a, ARENA_ARRAY(&l->brief, uint32_t, l->count),
                           ARENA_ARRAY(&l->brief, const struct template_link *, l->count)};
    for (size_t i = 0; i < l->template->link_count; i++) {
        const struct template_link *link = &l->template->links[i];
        uint32_t number = is_a ? link->a : link->b;
        if (link->type == type) {
            c.counts[number]++;
            c.last[number] = link;
        }
    }
    sv wanted = is_a ? type->type_a : type->type_b;
    for (uint32_t i = 0; i < l->count; i++) {
        const struct resource_type *t = l->elements[i].resource_type;
        if (t != NULL && sv_eq(t->name, wanted) && !l->entries[i].broken) {
            report_cardinality(l, &c, i);
        }
    }
    arena_fini(&l->brief);
}

/* --- annotations --- */

struct annotation_check {
    struct loader *l;
    const struct link_annotation *rule;
    uint32_t on, other;
    const struct template_link *link;
};

static sv get_key(const struct annotation_check *c) {
    const sv mark = SV("<resourceName>");
    size_t at = sv_find(c->rule->key, mark);
    if (at == SIZE_MAX) {
        return c->rule->key;
    }
    struct buf out = BUF(&c->l->brief);
    buf_append(&out, sv_slice(c->rule->key, 0, at));
    buf_append(&out, c->l->elements[c->other].name);
    buf_append(&out, sv_slice(c->rule->key, at + mark.len, c->rule->key.len));
    return buf_get_sv(&out);
}

/* The annotation's value; UNKNOWN when it is computed, kind 0 when it is not there. */
static value find_annotation(const struct element *e, sv key) {
    const struct expr *x = e->annotations;
    if (x == NULL) {
        return (value){0};
    }
    if (x->kind == EXPR_LITERAL) {
        return x->literal.kind == VALUE_MAP ? value_map_find(x->literal, key) : value_unknown(NULL);
    }
    for (uint32_t i = 0; x->kind == EXPR_OBJECT && i < x->count; i++) {
        if (sv_eq(x->call.names[i], key)) {
            const struct expr *item = x->call.args[i];
            return item->kind == EXPR_LITERAL ? item->literal : value_unknown(NULL);
        }
    }
    if (x->kind != EXPR_OBJECT) {
        return value_unknown(NULL);
    }
    return (value){0};
}

static span find_annotation_place(const struct annotation_check *c, sv key) {
    const struct node *n = c->l->entries[c->on].annotations;
    const struct node *found = n != NULL ? node_find(n, key) : NULL;
    return found != NULL ? found->at : c->l->elements[c->on].at;
}

static enum value_kind get_kind(enum schema_type type) {
    switch (type) {
    case SCHEMA_STRING:
        return VALUE_STRING;
    case SCHEMA_INTEGER:
        return VALUE_INT;
    case SCHEMA_FLOAT:
        return VALUE_FLOAT;
    case SCHEMA_BOOLEAN:
        return VALUE_BOOL;
    case SCHEMA_MAP:
    case SCHEMA_OBJECT:
    case SCHEMA_ARRAY:
    case SCHEMA_UNION:
        break;
    }
    return 0;
}

static bool is_allowed(const struct annotation_check *c, value v) {
    sv why = {0};
    size_t at = 0;
    if (c->rule->allowed_json == NULL) {
        return true;
    }
    value allowed =
        value_parse_json(&c->l->brief, sv_from_cstr(c->rule->allowed_json), c->l->request->limits, false, &why, &at);
    for (size_t i = 0; allowed.kind == VALUE_LIST && i < allowed.list->len; i++) {
        if (value_eq(allowed.list->items[i], v)) {
            return true;
        }
    }
    return allowed.kind != VALUE_LIST;
}

static void check_annotation_value(const struct annotation_check *c, sv key, value v, span at) {
    enum value_kind kind = get_kind(c->rule->type);
    if (v.kind == VALUE_STRING && kind != 0) {
        v = value_parse_scalar(&c->l->brief, value_get_text(v), kind);
    }
    if (v.kind == VALUE_INT && kind == VALUE_FLOAT) {
        v = value_float((double)v.integer);
    }
    if (kind != 0 && v.kind != kind) {
        diags_add(c->l->diags, DIAG_link_annotation_invalid, at, "annotation '%.*s' must be of type '%s'",
                  SV_ARG(sv_slice(key, 0, 120)), value_get_kind_name(kind));
    } else if (!is_allowed(c, v)) {
        struct diag *d = diags_add(c->l->diags, DIAG_link_annotation_invalid, at,
                                   "annotation '%.*s' has a value that is not allowed", SV_ARG(sv_slice(key, 0, 120)));
        diag_set_hint(c->l->diags, d, "allowed: %s", c->rule->allowed_json);
    }
}

static void check_annotation(const struct annotation_check *c) {
    struct loader *l = c->l;
    const struct element *e = &l->elements[c->on];
    sv key = get_key(c);
    value v = find_annotation(e, key);
    span at = find_annotation_place(c, key);
    size_t from = loader_get_mark(l);
    if (v.kind == 0 && c->rule->required) {
        struct diag *d =
            diags_add(l->diags, DIAG_link_annotation_missing, at,
                      "the link '%.*s' needs the annotation '%.*s' on resource '%.*s'", SV_ARG(c->link->address.text),
                      SV_ARG(sv_slice(key, 0, 120)), SV_ARG(sv_slice(e->name, 0, 80)));
        diag_add_related(l->diags, d, c->link->at, "the link is selected here");
    } else if (value_is_scalar(v)) {
        check_annotation_value(c, key, v, at);
    }
    loader_tag(l, from, c->on);
}

static void check_annotations(struct loader *l, const struct template_link *link) {
    for (size_t i = 0; i < link->type->annotation_count; i++) {
        struct annotation_check c = {.l = l, .rule = &link->type->annotations[i], .link = link};
        if (c.rule->side != LINK_SIDE_B) {
            c.on = link->a;
            c.other = link->b;
            check_annotation(&c);
        }
        if (c.rule->side != LINK_SIDE_A) {
            c.on = link->b;
            c.other = link->a;
            check_annotation(&c);
        }
    }
}

void links_check_rules(struct loader *l) {
    const struct providers *providers = l->request->providers;
    for (size_t i = 0; providers != NULL && i < providers->count; i++) {
        for (size_t k = 0; k < providers->items[i]->link_count; k++) {
            check_side(l, providers->items[i]->links[k], true);
            check_side(l, providers->items[i]->links[k], false);
        }
    }
    for (size_t i = 0; i < l->template->link_count; i++) {
        check_annotations(l, &l->template->links[i]);
    }
    arena_fini(&l->brief);
}
