/* Declarations in the form of BP-324, printed from the tables. */
#include "model/declarations.h"

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

static void write_description(struct jsonw *w, sv text) {
    if (text.len > 0) {
        jsonw_put_text(w, "description", text);
    }
}

/* Without a schema nothing is known of the fields. */
static void write_schema_of_type(struct jsonw *w, const struct schema *s) {
    if (s != NULL) {
        jsonw_key(w, SV("schema"));
        schema_write_json(w, s);
    }
}

static void write_resource(struct jsonw *w, const struct resource_type *type) {
    jsonw_key(w, type->name);
    jsonw_begin_object(w);
    write_description(w, type->summary);
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
    write_schema_of_type(w, type->schema);
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
        write_description(w, annotation->text);
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
    write_description(w, link->summary);
    jsonw_put_text(w, "kind", link->hard ? SV("hard") : SV("soft"));
    if (link->hard) {
        jsonw_put_text(w, "priority", link_side_get_text(link->priority));
    }
    write_cardinality(w, link);
    write_annotations(w, link);
    write_names(w, "provides", link->provides, link->provides_count);
    write_names(w, "requires", link->requires, link->requires_count);
    jsonw_end_object(w);
}

/* --- Data sources, variable types, functions --- */

static void write_operators(struct jsonw *w, uint32_t operators) {
    jsonw_begin_array(w);
    for (enum filter_operator op = FILTER_EQUALS; op <= FILTER_LESS_EQUAL; op++) {
        if (operators == 0 || (operators & (1u << op)) != 0) {
            jsonw_text(w, filter_get_text(op));
        }
    }
    jsonw_end_array(w);
}

static void write_exclusive(struct jsonw *w, const struct data_type *type) {
    jsonw_key(w, SV("exclusive"));
    jsonw_begin_array(w);
    for (size_t i = 0; i < type->exclusive_count; i++) {
        jsonw_begin_array(w);
        for (const sv *field = type->exclusive[i]; field->len > 0; field++) {
            jsonw_text(w, *field);
        }
        jsonw_end_array(w);
    }
    jsonw_end_array(w);
}

static void write_data(struct jsonw *w, const struct data_type *type) {
    jsonw_key(w, type->name);
    jsonw_begin_object(w);
    write_description(w, type->summary);
    write_schema_of_type(w, type->schema);
    jsonw_key(w, SV("filterFields"));
    jsonw_begin_object(w);
    for (size_t i = 0; i < type->filter_field_count; i++) {
        jsonw_key(w, type->filter_fields[i].field);
        write_operators(w, type->filter_fields[i].operators);
    }
    jsonw_end_object(w);
    if (type->exclusive_count > 0) {
        write_exclusive(w, type);
    }
    jsonw_end_object(w);
}

static void write_variable_type(struct jsonw *w, const struct variable_type *type) {
    jsonw_key(w, type->name);
    jsonw_begin_object(w);
    write_description(w, type->summary);
    jsonw_key(w, SV("options"));
    jsonw_begin_object(w);
    for (size_t i = 0; i < type->option_count; i++) {
        jsonw_key(w, type->options[i].label);
        value_write_json(w, type->options[i].item, REVEAL);
    }
    jsonw_end_object(w);
    jsonw_end_object(w);
}

static void write_function(struct jsonw *w, const struct fn_def *f) {
    jsonw_key(w, f->name);
    jsonw_begin_object(w);
    write_description(w, f->summary);
    jsonw_key(w, SV("parameters"));
    jsonw_begin_array(w);
    for (size_t i = 0; i < f->param_count; i++) {
        const struct fn_param *param = &f->params[i];
        jsonw_begin_object(w);
        jsonw_put_text(w, "name", param->name);
        jsonw_put_text(w, "type", declared_type_get_text(param->type));
        write_description(w, param->text);
        if ((param->flags & FN_OPTIONAL) != 0) {
            jsonw_put_bool(w, "optional", true);
        }
        if ((param->flags & FN_VARIADIC) != 0) {
            jsonw_put_bool(w, "variadic", true);
        }
        jsonw_end_object(w);
    }
    jsonw_end_array(w);
    jsonw_put_text(w, "result", declared_type_get_text(f->result));
    jsonw_end_object(w);
}

/* --- All of it --- */

static bool is_wanted(sv only, sv name) {
    return only.len == 0 || sv_eq(only, name);
}

static void write_resources(struct jsonw *w, const struct provider *provider, sv only) {
    for (size_t i = 0; i < provider->resource_count; i++) {
        if (is_wanted(only, provider->resources[i]->name)) {
            write_resource(w, provider->resources[i]);
        }
    }
}

static void write_data_sources(struct jsonw *w, const struct provider *provider, sv only) {
    for (size_t i = 0; i < provider->data_count; i++) {
        if (is_wanted(only, provider->data[i]->name)) {
            write_data(w, provider->data[i]);
        }
    }
}

/* With `only`: the links that start or end there. */
static void write_links(struct jsonw *w, const struct provider *provider, sv only) {
    for (size_t i = 0; i < provider->link_count; i++) {
        const struct link_type *link = provider->links[i];
        if (is_wanted(only, link->type_a) || is_wanted(only, link->type_b)) {
            write_link(w, link);
        }
    }
}

static void write_variable_types(struct jsonw *w, const struct provider *provider, sv only) {
    for (size_t i = 0; i < provider->variable_type_count; i++) {
        if (is_wanted(only, provider->variable_types[i]->name)) {
            write_variable_type(w, provider->variable_types[i]);
        }
    }
}

static void write_functions(struct jsonw *w, const struct provider *provider, sv only) {
    for (size_t i = 0; provider->functions != NULL && i < provider->functions->count; i++) {
        if (is_wanted(only, provider->functions->defs[i]->name)) {
            write_function(w, provider->functions->defs[i]);
        }
    }
}

static const struct {
    sv key;
    void (*write)(struct jsonw *w, const struct provider *provider, sv only);
} sections[] = {
    {SV_INIT("resources"), write_resources}, {SV_INIT("datasources"), write_data_sources},
    {SV_INIT("links"), write_links},         {SV_INIT("variableTypes"), write_variable_types},
    {SV_INIT("functions"), write_functions},
};

void providers_write_json(struct jsonw *w, const struct providers *p, sv only) {
    jsonw_begin_object(w);
    for (size_t i = 0; i < sizeof sections / sizeof sections[0]; i++) {
        jsonw_key(w, sections[i].key);
        jsonw_begin_object(w);
        for (size_t k = 0; k < p->count; k++) {
            sections[i].write(w, p->items[k], only);
        }
        jsonw_end_object(w);
    }
    jsonw_end_object(w);
}
