#include "engine/past_diff.h"

#include "engine/fields.h"
#include "engine/links.h"
#include "seal/seal.h"

/* An element of either side, whatever its kind. */
struct past_element {
    sv address, type, physical_id;
    value parts; /* all that is compared */
};

struct side {
    VEC(struct past_element) items;
    struct map by_address; /* address → number + 1 */
};

static void add(struct arena *a, struct side *s, const struct past_element *e) {
    VEC_PUSH(a, &s->items, *e);
    map_put(&s->by_address, e->address, (void *)(uintptr_t)s->items.len);
}

static const struct past_element *find(const struct side *s, sv address) {
    uintptr_t number = (uintptr_t)map_find(&s->by_address, address);
    return number == 0 ? NULL : &s->items.items[number - 1];
}

/* --- what is compared --- */

static value list_texts(struct arena *a, const sv *items, size_t count) {
    struct list_builder list = {.arena = a};
    for (size_t i = 0; i < count; i++) {
        list_add(&list, value_string(a, items[i]));
    }
    return list_done(&list);
}

static void add_resource(struct arena *a, struct side *s, const struct resource_record *r) {
    struct map_builder b = {.arena = a};
    field_put_value(&b, "spec", schema_merge(a, r->spec, r->computed));
    field_put_value(&b, "metadata", r->metadata);
    field_put_text(&b, "description", r->description);
    field_put_text(&b, "removalPolicy", r->removal_policy);
    field_put_value(&b, "dependsOn", list_texts(a, r->depends_on, r->depends_on_count));
    add(a, s,
        &(struct past_element){
            .address = r->address.text, .type = r->type, .physical_id = r->physical_id, .parts = map_done(&b)});
}

static void add_link(struct arena *a, struct side *s, const struct link_record *l) {
    struct map_builder b = {.arena = a};
    field_put_value(&b, "data", links_get_data(a, l));
    field_put_value(&b, "intermediaries", l->intermediaries);
    add(a, s, &(struct past_element){.address = l->address.text, .type = SV("link"), .parts = map_done(&b)});
}

static void add_export(struct arena *a, struct side *s, const struct export_record *e) {
    struct map_builder b = {.arena = a};
    field_put_value(&b, "value", e->item);
    bool is_address = sv_find_char(e->name, '/') != SIZE_MAX; /* of a child */
    sv address = is_address ? e->name : addr_make(a, (sv){0}, ELEMENT_EXPORT, e->name).text;
    add(a, s, &(struct past_element){.address = address, .type = e->type, .parts = map_done(&b)});
}

static struct side gather(struct arena *a, const struct instance_view *v) {
    struct side s = {.by_address = MAP(a)};
    for (size_t i = 0; i < v->resource_count; i++) {
        add_resource(a, &s, &v->resources[i]);
    }
    for (size_t i = 0; i < v->link_count; i++) {
        add_link(a, &s, &v->links[i]);
    }
    for (size_t i = 0; i < v->export_count; i++) {
        add_export(a, &s, &v->exports[i]);
    }
    for (size_t i = 0; i < v->child_export_count; i++) {
        add_export(a, &s, &v->child_exports[i]);
    }
    return s;
}

/* --- comparing --- */

/* A secret of which only a digest is stored equals another by it. */
static bool is_same_secret(struct sealer *sealer, value x, value y) {
    sv a = seal_find_digest(x), b = seal_find_digest(y);
    return (a.len > 0 && sv_eq(a, b)) || seal_is_same_secret(sealer, x, y) || seal_is_same_secret(sealer, y, x);
}

static void compare_fields(const struct run_config *c, value before, value after, struct field_diff *diff) {
    struct schema_diff_request request = {.arena = c->arena, .before = before, .after = after};
    schema_diff(&request, diff);
    size_t kept = 0;
    for (size_t i = 0; i < diff->changes.len; i++) {
        const struct field_change *f = &diff->changes.items[i];
        bool has_both = value_is_set(f->before) && value_is_set(f->after);
        if (!has_both || !is_same_secret(c->sealer, f->before, f->after)) {
            diff->changes.items[kept++] = *f;
        }
    }
    diff->changes.len = kept;
}

static void put(const struct run_config *c, struct past_diff *d, const struct past_change *change) {
    VEC_PUSH(c->arena, &d->changes, *change);
    d->counts[change->kind]++;
}

static void compare_element(const struct run_config *c, const struct past_element *was, const struct past_element *is,
                            struct past_diff *d) {
    struct past_change change = {.kind = PAST_ADDED, .address = is->address, .type = is->type};
    if (was != NULL) {
        bool is_other = !sv_eq(was->physical_id, is->physical_id) || !sv_eq(was->type, is->type);
        change.kind = is_other ? PAST_REPLACED : PAST_CHANGED;
        compare_fields(c, was->parts, is->parts, &change.diff);
        if (!is_other && change.diff.changes.len == 0) {
            d->same++;
            return;
        }
    }
    put(c, d, &change);
}

void past_compare(const struct run_config *c, const struct instance_view *before, const struct instance_view *after,
                  struct past_diff *diff) {
    struct side old = gather(c->arena, before), now = gather(c->arena, after);
    *diff = (struct past_diff){0};
    for (size_t i = 0; i < now.items.len; i++) {
        const struct past_element *is = &now.items.items[i];
        compare_element(c, find(&old, is->address), is, diff);
    }
    for (size_t i = 0; i < old.items.len; i++) {
        const struct past_element *was = &old.items.items[i];
        if (find(&now, was->address) == NULL) {
            put(c, diff, &(struct past_change){.kind = PAST_REMOVED, .address = was->address, .type = was->type});
        }
    }
}
