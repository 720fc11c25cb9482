/* Specs against the schemas of their types (BP-320 to BP-322), as far as they are known. */
#include "dialects/blueprint/loader.h"
#include "dialects/blueprint/places.h"

void spec_check(struct loader *l, uint32_t number) {
    const struct element *e = &l->elements[number];
    const struct resource_type *type = e->resource_type;
    l->path.len = 0;
    const struct path_step step = {.key = SV("spec")};
    VEC_PUSH(&l->scratch, &l->path, step);
    size_t from = loader_get_mark(l);
    size_t errors = l->diags->errors;
    value spec = types_get_value(l, e->spec, type != NULL ? type->schema : NULL);
    if (type != NULL && type->schema != NULL) {
        struct place_source source = {.spec = e->spec_node, .schema = type->schema, .name = e->at};
        struct schema_places places = places_of_spec(&source);
        struct schema_check check = {
            .arena = l->check.arena,
            .diags = l->diags,
            .places = &places,
            .prefix = arena_printf(&l->brief, "%.*s.spec", SV_ARG(e->address.text)),
            .written = true,
        };
        spec = schema_check_value(&check, type->schema, spec);
    }
    bool is_sound = l->diags->errors == errors && !l->entries[number].broken && spec.kind == VALUE_MAP;
    if (is_sound && type != NULL && type->validate != NULL) {
        sv prefix = arena_printf(&l->brief, "%.*s.spec", SV_ARG(e->address.text));
        type->validate(l->check.arena, spec, l->diags, e->spec_node->at, prefix);
    }
    loader_tag(l, from, number);
    l->path.len = 0;
}
