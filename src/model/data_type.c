/* What a data source type says of its fields, and candidates against filters (BP-102, BP-108). */
#include "model/host.h"
#include "model/provider.h"

static const struct schema *find_schema(const struct data_type *t, struct path p) {
    return t->schema == NULL ? NULL : schema_find_path(t->schema, p);
}

static bool is_same_step(const struct path_step *a, const struct path_step *b) {
    return a->is_index == b->is_index && (a->is_index ? a->index == b->index : sv_eq(a->key, b->key));
}

/* Whether `outer` is `inner` or leads to it. */
static bool leads_to(struct path outer, struct path inner) {
    bool leads = outer.len <= inner.len;
    for (size_t i = 0; leads && i < outer.len; i++) {
        leads = is_same_step(&outer.steps[i], &inner.steps[i]);
    }
    return leads;
}

/* Entries of a mapping whose keys nobody can list are offered with the mapping. */
static bool offers(const struct data_type *t, struct path offered, struct path wanted) {
    if (!leads_to(offered, wanted)) {
        return false;
    }
    const struct schema *s = offered.len == wanted.len ? NULL : find_schema(t, offered);
    return offered.len == wanted.len || (s != NULL && s->type == SCHEMA_MAP);
}

const struct data_filter_field *data_type_find_filter(const struct data_type *t, sv field) {
    struct arena scratch = {0};
    struct path wanted, offered;
    const struct data_filter_field *found = NULL;
    bool ok = filter_parse_path(&scratch, field, &wanted);
    for (size_t i = 0; ok && found == NULL && i < t->filter_field_count; i++) {
        if (filter_parse_path(&scratch, t->filter_fields[i].field, &offered) && offers(t, offered, wanted)) {
            found = &t->filter_fields[i];
        }
    }
    arena_fini(&scratch);
    return found;
}

static const struct type *get_scalar_type(enum schema_type type) {
    struct schema s = {.type = type};
    return schema_get_type(NULL, &s); /* of scalars: constants */
}

const struct type *data_type_get_filter_type(struct arena *a, const struct data_type *t, sv field) {
    const struct data_filter_field *offered = data_type_find_filter(t, field);
    if (offered != NULL && offered->type >= SCHEMA_STRING && offered->type <= SCHEMA_BOOLEAN) {
        return get_scalar_type(offered->type);
    }
    return data_type_get_type(a, t, field);
}

const struct type *data_type_get_type(struct arena *a, const struct data_type *t, sv field) {
    struct path p;
    const struct schema *s = filter_parse_path(a, field, &p) ? find_schema(t, p) : NULL;
    return schema_get_type(a, s);
}

bool data_type_has_field(const struct data_type *t, sv field) {
    struct arena scratch = {0};
    struct path p;
    bool has = t->schema == NULL;
    if (!has && filter_parse_path(&scratch, field, &p)) {
        /* behind a mapping or array of anything there may be anything */
        for (size_t len = p.len; !has && len > 0; len--) {
            const struct schema *s = find_schema(t, (struct path){p.steps, len});
            has =
                s != NULL && (len == p.len || ((s->type == SCHEMA_MAP || s->type == SCHEMA_ARRAY) && s->items == NULL));
        }
    }
    arena_fini(&scratch);
    return has;
}

enum filter_result data_type_apply(struct arena *a, const struct data_type *t, const struct data_filter *filter,
                                   value object, struct buf *why) {
    value field;
    filter_find_field(a, object, filter->field, &field);
    bool is_float = filter_is_float(data_type_get_filter_type(a, t, filter->field));
    return filter_apply(filter->op, field, filter->search, is_float, why);
}

enum filter_result data_type_apply_all(struct arena *a, const struct data_type *t, const struct data_call *c,
                                       value object) {
    enum filter_result result = FILTER_HOLDS;
    for (size_t i = 0; i < c->filter_count && result == FILTER_HOLDS; i++) {
        result = data_type_apply(a, t, &c->filters[i], object, NULL);
    }
    return result;
}

/* --- For providers --- */

value data_type_fill(struct arena *a, const struct data_type *t, value object) {
    struct map_builder all = {.arena = a};
    for (size_t i = 0; i < t->schema->attribute_count; i++) {
        value v = value_map_find(object, t->schema->attributes[i].name);
        map_add(&all, t->schema->attributes[i].name, v.kind == 0 ? value_null() : v);
    }
    return map_done(&all);
}

static bool add_text(struct data_call *c, struct data_texts *texts, value v) {
    if (v.kind != VALUE_STRING) {
        return false;
    }
    for (size_t i = 0; i < texts->items.len; i++) {
        if (sv_eq(texts->items.items[i], value_get_text(v))) {
            return true;
        }
    }
    VEC_PUSH(c->arena, &texts->items, value_get_text(v));
    return true;
}

bool data_find_texts(struct data_call *c, sv field, struct data_texts *texts) {
    *texts = (struct data_texts){0};
    for (size_t i = 0; i < c->filter_count; i++) {
        const struct data_filter *f = &c->filters[i];
        if (!sv_eq(f->field, field) || (f->op != FILTER_EQUALS && f->op != FILTER_IN)) {
            continue;
        }
        if (f->op == FILTER_EQUALS) {
            return add_text(c, texts, f->search);
        }
        bool ok = f->search.kind == VALUE_LIST;
        for (size_t k = 0; ok && k < f->search.list->len; k++) {
            ok = add_text(c, texts, f->search.list->items[k]);
        }
        return ok;
    }
    return false;
}

bool data_find_prefix(const struct data_call *c, sv field, sv *prefix) {
    for (size_t i = 0; i < c->filter_count; i++) {
        const struct data_filter *f = &c->filters[i];
        if (sv_eq(f->field, field) && f->op == FILTER_STARTS_WITH && f->search.kind == VALUE_STRING) {
            *prefix = value_get_text(f->search);
            return true;
        }
    }
    return false;
}

bool data_is_over(const struct data_call *c) {
    bool cancelled = c->cancel != NULL && atomic_load_explicit(c->cancel, memory_order_relaxed);
    return cancelled || data_get_time_left(c) == 0;
}

int64_t data_get_time_left(const struct data_call *c) {
    int64_t now = c->host->ops->get_monotonic_ms(c->host->user);
    return c->deadline_ms > now ? c->deadline_ms - now : 0;
}
