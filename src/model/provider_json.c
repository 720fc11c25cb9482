/* Declarations in the form of BP-324, printed from the tables. */
#include "model/provider.h"

static void write_names(struct jsonw *w, const char *key, const sv *names, size_t count) {
    if (count == 0) {
        return;
    }
    jsonw_key(w, sv_from_cstr(key));
    jsonw_begin_array(w);
    for (size_t i = 0; i < count; i++) {
        jsonw_text(w, names[i]);
    }
    jsonw_end_array(w);
}

static void write_resource(struct jsonw *w, const struct resource_type *type) {
    jsonw_key(w, type->name);
    jsonw_begin_object(w);
    if (type->id_field.len > 0) {
        jsonw_put_text(w, "idField", type->id_field);
    }
    if (type->destroy_before_create) {
        jsonw_put_bool(w, "destroyBeforeCreate", true);
    }
    write_names(w, "stabilisedDependencies", type->stabilised_dependencies, type->stabilised_count);
    write_names(w, "linksTo", type->links_to, type->links_to_count);
    if (type->end_point) {
        jsonw_put_bool(w, "endPoint", true);
    }
    jsonw_key(w, SV("schema"));
    schema_write_json(w, type->schema);
    jsonw_end_object(w);
}

static sv link_side_get_text(enum link_side side) {
    switch (side) {
    case LINK_SIDE_A:
        return SV("a");
    case LINK_SIDE_B:
        return SV("b");
    case LINK_SIDE_BOTH:
        return SV("both");
    }
    return SV("");
}

static void write_annotations(struct jsonw *w, const struct link_type *link) {
    if (link->annotation_count == 0) {
        return;
    }
    jsonw_key(w, SV("annotations"));
    jsonw_begin_object(w);
    for (size_t i = 0; i < link->annotation_count; i++) {
        const struct link_annotation *annotation = &link->annotations[i];
        jsonw_key(w, annotation->key);
        jsonw_begin_object(w);
        jsonw_put_text(w, "side", link_side_get_text(annotation->side));
        jsonw_put_text(w, "type", schema_type_get_text(annotation->type));
        if (annotation->allowed_json != NULL) {
            jsonw_key(w, SV("allowedValues"));
            jsonw_raw(w, sv_from_cstr(annotation->allowed_json));
        }
        if (annotation->required) {
            jsonw_put_bool(w, "required", true);
        }
        jsonw_end_object(w);
    }
    jsonw_end_object(w);
}

static void write_cardinality_side(struct jsonw *w, const char *side, struct link_cardinality cardinality) {
    jsonw_key(w, sv_from_cstr(side));
    jsonw_begin_array(w);
    jsonw_u64(w, cardinality.min);
    jsonw_u64(w, cardinality.max);
    jsonw_end_array(w);
}

static void write_cardinality(struct jsonw *w, const struct link_type *link) {
    struct link_cardinality a = link->cardinality_a, b = link->cardinality_b;
    if (a.min + a.max + b.min + b.max == 0) {
        return;
    }
    jsonw_key(w, SV("cardinality"));
    jsonw_begin_object(w);
    write_cardinality_side(w, "a", a);
    write_cardinality_side(w, "b", b);
    jsonw_end_object(w);
}

static void write_link(struct jsonw *w, const struct link_type *link) {
    struct buf name = BUF(w->out->arena);
    buf_append(&name, link->type_a);
    buf_append_cstr(&name, "::");
    buf_append(&name, link->type_b);
    jsonw_key(w, buf_get_sv(&name));
    jsonw_begin_object(w);
    jsonw_put_text(w, "kind", link->hard ? SV("hard") : SV("soft"));
    if (link->hard) {
        jsonw_put_text(w, "priority", link_side_get_text(link->priority));
    }
    write_cardinality(w, link);
    write_annotations(w, link);
    jsonw_end_object(w);
}

static void write_resources(struct jsonw *w, const struct provider *provider, sv only) {
    for (size_t i = 0; i < provider->resource_count; i++) {
        const struct resource_type *type = provider->resources[i];
        if (only.len == 0 || sv_eq(only, type->name)) {
            write_resource(w, type);
        }
    }
}

/* With `only`: the links that start or end there. */
static void write_links(struct jsonw *w, const struct provider *provider, sv only) {
    for (size_t i = 0; i < provider->link_count; i++) {
        const struct link_type *link = provider->links[i];
        if (only.len == 0 || sv_eq(only, link->type_a) || sv_eq(only, link->type_b)) {
            write_link(w, link);
        }
    }
}

void providers_write_json(struct jsonw *w, const struct providers *p, sv only) {
    jsonw_begin_object(w);
    jsonw_key(w, SV("resources"));
    jsonw_begin_object(w);
    for (size_t i = 0; i < p->count; i++) {
        write_resources(w, p->items[i], only);
    }
    jsonw_end_object(w);
    jsonw_key(w, SV("links"));
    jsonw_begin_object(w);
    for (size_t i = 0; i < p->count; i++) {
        write_links(w, p->items[i], only);
    }
    jsonw_end_object(w);
    jsonw_end_object(w);
}
