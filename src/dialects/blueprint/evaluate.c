/* Evaluation (1.16 to 1.19): what references mean, and what makes of a raw result the value of its element. */
#include "dialects/blueprint/data.h"
#include "dialects/blueprint/places.h"
#include "dialects/blueprint/refs.h"
#include "dialects/blueprint/scalars.h"
#include "lang/dialect.h"
#include "model/host.h"

struct blueprint_evaluation {
    struct evaluation *e;
    struct host *host;
    size_t tagged; /* diagnostics that have been looked at for their path */
};

static uint32_t find_element(const struct template *t, enum element_kind kind, sv name) {
    const struct blueprint_data *data = t->dialect_data;
    void *found = map_find(&data->names[kind], name);
    return found == NULL || found == BLUEPRINT_OPAQUE ? UINT32_MAX : (uint32_t)((uintptr_t)found - 1);
}

static uint32_t get_number(const struct template *t, const struct element *element) {
    return (uint32_t)(element - t->elements);
}

/* --- resources --- */

/* What stands in for a resource that the engine has not told of yet: its spec with computed fields unknown. */
static value make_unknown_resource(struct evaluation *e, uint32_t number, bool state) {
    const struct resource_type *type = e->template->elements[number].resource_type;
    const struct schema *schema = type != NULL ? type->schema : NULL;
    if (state) {
        return value_unknown(schema != NULL ? schema_get_type(e->arena, schema) : &type_any);
    }
    value spec = e->cells[number].main.result;
    return schema != NULL && spec.kind == VALUE_MAP ? schema_add_unknowns(e->arena, schema, spec) : spec;
}

static value get_resource(struct evaluation *e, uint32_t number, bool state) {
    return e->demand_resource != NULL ? e->demand_resource(e->user, e, number, state)
                                      : make_unknown_resource(e, number, state);
}

static bool is_settled(const struct cell *c) {
    return c->state == CELL_DONE || c->state == CELL_FAILED;
}

/* The steps of `ref` from `from` on, as far as they lead through objects that are known; a field that is not there is a
 * field without value (BP-243). What is left is walked by the evaluator. */
static value walk_fields(struct evaluator *ev, const struct expr *ref, size_t *from, value v, bool may_grow) {
    while (*from < ref->count && v.kind == VALUE_MAP && ref->ref.steps[*from].kind == STEP_NAME) {
        const struct step *s = &ref->ref.steps[*from];
        value item = value_map_find(v, s->name);
        if (item.kind == 0) {
            *from = ref->count;
            return may_grow ? value_unknown(NULL)
                            : eval_fail(ev, DIAG_missing_resource_spec_property, s->at, "field '%.*s' has no value",
                                        SV_ARG(sv_slice(s->name, 0, 80)));
        }
        v = value_mark(item, v.marks);
        ++*from;
    }
    return v;
}

static value find_id(struct evaluator *ev, const struct resource_type *type, const struct expr *ref, value merged) {
    struct path path;
    if (merged.kind != VALUE_MAP || type == NULL || !path_parse(eval_get_arena(ev), type->id_field, &path)) {
        return type == NULL ? value_unknown(NULL) : merged;
    }
    value id = value_find_path(merged, path);
    return id.kind != 0 ? id
                        : eval_fail(ev, DIAG_missing_resource_spec_property, ref->at, "field '%.*s' has no value",
                                    SV_ARG(type->id_field));
}

static enum resolve_result resolve_data(struct evaluation *e, uint32_t number, bool state, const struct expr *ref,
                                        size_t next, struct resolved *out) {
    struct element_cells *cells = &e->cells[number];
    struct cell *c = state ? &cells->state : &cells->merged;
    if (!is_settled(c)) {
        if (!state && !is_settled(&cells->main)) {
            out->cell = &cells->main;
            return RESOLVE_AGAIN;
        }
        value failed = cells->main.result;
        cell_set(c, !state && failed.kind == VALUE_ERROR ? failed : get_resource(e, number, state));
    }
    const struct resource_type *type = e->template->elements[number].resource_type;
    bool is_id = ref->count == next && !state;
    size_t used = next;
    out->item = is_id ? find_id(e->evaluator, type, ref, c->result)
                      : walk_fields(e->evaluator, ref, &used, c->result, type == NULL);
    out->steps_used = used;
    return RESOLVE_VALUE;
}

static enum resolve_result use_cell(struct cell *c, size_t steps, struct resolved *out) {
    out->cell = c;
    out->steps_used = steps;
    return RESOLVE_CELL;
}

static enum resolve_result resolve_resource(struct evaluation *e, uint32_t number, const struct expr *ref, size_t first,
                                            struct resolved *out) {
    struct element_cells *cells = &e->cells[number];
    const struct element *element = &e->template->elements[number];
    size_t next = 0;
    switch (ref_get_part(ref, first, &next)) {
    case REF_PART_ID:
    case REF_PART_SPEC:
        return resolve_data(e, number, false, ref, next, out);
    case REF_PART_STATE:
        return resolve_data(e, number, true, ref, next, out);
    case REF_PART_DISPLAY_NAME:
        return use_cell(&cells->display_name, next, out);
    case REF_PART_ANNOTATIONS:
        return use_cell(&cells->annotations, next, out);
    case REF_PART_CUSTOM:
        return use_cell(&cells->custom, next, out);
    case REF_PART_LABELS:
        out->item = element->labels.kind != 0 ? element->labels : value_absent();
        out->steps_used = next;
        return RESOLVE_VALUE;
    case REF_PART_INDEX:
    case REF_PART_INVALID:
        break;
    }
    eval_fail(e->evaluator, DIAG_invalid_reference, ref->at, "this reference leads nowhere");
    return RESOLVE_ERROR;
}

/* BP-247. */
static enum resolve_result resolve_working_dir(struct blueprint_evaluation *b, struct resolved *out) {
    struct arena *a = b->e->arena;
    out->item =
        b->host != NULL ? value_string(a, b->host->ops->get_cwd(b->host->user, a)) : value_unknown(&type_string);
    return RESOLVE_VALUE;
}

static enum resolve_result resolve(void *user, struct evaluator *ev, const struct expr *ref, const struct scope *scope,
                                   struct resolved *out) {
    struct blueprint_evaluation *b = user;
    struct ref_target t = ref_get_target(ref);
    (void)scope;
    uint32_t number = t.kind != 0 ? find_element(b->e->template, t.kind, t.name) : UINT32_MAX;
    if (number == UINT32_MAX && t.is_bare && sv_eq(t.name, SV("workingDir")) && ref->count == 0) {
        return resolve_working_dir(b, out);
    }
    if (number == UINT32_MAX) {
        eval_fail(ev, DIAG_invalid_reference, t.at, "this reference leads nowhere");
        return RESOLVE_ERROR;
    }
    if (t.kind == ELEMENT_RESOURCE) {
        return resolve_resource(b->e, number, ref, t.first, out);
    }
    return use_cell(&b->e->cells[number].main, t.first, out);
}

/* --- results --- */

static value recheck_spec(const struct template *t, struct evaluation *e, uint32_t number, value spec) {
    const struct element *element = &t->elements[number];
    const struct resource_type *type = element->resource_type;
    if (type == NULL || type->schema == NULL || spec.kind != VALUE_MAP) {
        return spec;
    }
    struct place_source source = {.spec = element->spec_node, .schema = type->schema, .name = element->at};
    struct schema_places places = places_of_spec(&source);
    sv prefix = arena_printf(e->arena, "%.*s.spec", SV_ARG(element->address.text));
    struct schema_check check = {
        .arena = e->arena, .diags = e->diags, .places = &places, .prefix = prefix, .written = true, .to_text = true};
    size_t errors = e->diags->errors;
    value checked = schema_check_value(&check, type->schema, spec);
    if (checked.kind == VALUE_ERROR) {
        return checked;
    }
    checked = schema_mark_sensitive(e->arena, type->schema, schema_fill_defaults(e->arena, type->schema, checked));
    if (type->validate != NULL) {
        type->validate(e->arena, checked, e->diags, element->spec_node->at, prefix);
    }
    return e->diags->errors > errors ? value_error(NULL) : checked;
}

static value finish_typed(struct evaluator *ev, const struct cell *c, const struct element *element, value raw) {
    bool is_export = element->kind == ELEMENT_EXPORT;
    enum value_kind kind = scalars_find_value_kind(element->type_text);
    value v = raw;
    bool fits =
        is_export ? scalars_export(eval_get_arena(ev), kind, &v) : scalars_convert(eval_get_arena(ev), kind, &v);
    if (!fits) {
        return eval_fail(ev, is_export ? DIAG_invalid_export : DIAG_invalid_value, c->expr->at,
                         "%s '%.*s' is declared as '%.*s', but its result is of type '%s'",
                         is_export ? "export" : "value", SV_ARG(sv_slice(element->name, 0, 80)),
                         SV_ARG(element->type_text), value_get_kind_name((enum value_kind)raw.kind));
    }
    if (v.kind == VALUE_UNKNOWN && (v.type == NULL || v.type->kind == TYPE_ANY)) {
        v = value_mark(value_unknown(element->type), v.marks);
    }
    return element->secret ? value_mark(v, MARK_SENSITIVE) : v;
}

static value finish_text(struct evaluator *ev, const struct cell *c, const char *what, value raw) {
    value v = raw;
    if (scalars_to_text(eval_get_arena(ev), &v)) {
        return v;
    }
    return eval_fail(ev, DIAG_invalid_substitution, c->expr->at, "%s must be text, its result is of type '%s'", what,
                     value_get_kind_name((enum value_kind)raw.kind));
}

/* BP-133. */
static value finish_annotations(struct evaluator *ev, const struct cell *c, value raw) {
    for (size_t i = 0; raw.kind == VALUE_MAP && i < raw.map->len; i++) {
        value item = raw.map->entries[i].item;
        if (!value_is_scalar(item) && item.kind != VALUE_UNKNOWN && item.kind != VALUE_ERROR) {
            return eval_fail(ev, DIAG_invalid_substitution, c->expr->at,
                             "annotation '%.*s' must be a scalar, its result is of type '%s'",
                             SV_ARG(sv_slice(raw.map->entries[i].key, 0, 80)),
                             value_get_kind_name((enum value_kind)item.kind));
        }
    }
    return raw;
}

static value finish_main(struct blueprint_evaluation *b, struct evaluator *ev, struct cell *c, value raw) {
    const struct element *element = c->owner;
    switch (element->kind) {
    case ELEMENT_VARIABLE:
        return element->secret ? value_mark(raw, MARK_SENSITIVE) : raw;
    case ELEMENT_VALUE:
    case ELEMENT_EXPORT:
        return finish_typed(ev, c, element, raw);
    case ELEMENT_RESOURCE:
        return recheck_spec(b->e->template, b->e, get_number(b->e->template, element), raw);
    case ELEMENT_DATA:
    case ELEMENT_CHILD:
    case ELEMENT_LINK:
        break;
    }
    return raw;
}

/* What failed since the last cell ended belongs to this one: inner cells end first (BP-307). */
static void tag_failures(struct blueprint_evaluation *b, const struct element *element) {
    struct diags *diags = b->e->diags;
    for (size_t i = b->tagged; i < diags->items.len; i++) {
        struct diag *d = diags->items.items[i];
        if (d->path.len == 0) {
            d->path = element->address.text;
            d->group = blueprint_get_group(element->kind);
        }
    }
    b->tagged = diags->items.len;
}

static value fail_bytes(struct evaluator *ev, const struct cell *c) {
    struct diags *diags = eval_get_diags(ev);
    size_t count = diags->items.len;
    value v =
        eval_fail(ev, DIAG_invalid_resolved_sub_value, c->expr->at, "bytes that are no UTF-8 text cannot be kept");
    if (diags->items.len > count) {
        diag_set_hint(diags, diags->items.items[count], "make text of them with base64encode");
    }
    return v;
}

static value finish_cell(struct blueprint_evaluation *b, struct evaluator *ev, struct cell *c, value given) {
    value raw = given;
    if (!scalars_settle_bytes(eval_get_arena(ev), &raw)) {
        return fail_bytes(ev, c);
    }
    const struct element *element = c->owner;
    struct element_cells *cells = &b->e->cells[get_number(b->e->template, element)];
    if (c == &cells->main) {
        return finish_main(b, ev, c, raw);
    }
    if (c == &cells->display_name) {
        return finish_text(ev, c, "'displayName'", raw);
    }
    if (c == &cells->description) {
        return finish_text(ev, c, "'description'", raw);
    }
    return c == &cells->annotations ? finish_annotations(ev, c, raw) : raw;
}

static value finish(void *user, struct evaluator *ev, struct cell *c, value raw) {
    struct blueprint_evaluation *b = user;
    if (c->owner == NULL) {
        return raw;
    }
    bool has_failed = raw.kind == VALUE_ERROR || (raw.within & WITHIN_ERROR) != 0;
    value v = has_failed ? value_error(NULL) : finish_cell(b, ev, c, raw);
    tag_failures(b, c->owner);
    return v;
}

static const struct eval_ops eval_ops = {.resolve = resolve, .finish = finish};

/* --- cells --- */

static void init_cell(struct cell *c, const struct element *element, const struct expr *expr) {
    c->expr = expr;
    c->path = element->address.text;
    c->at = element->at;
    c->owner = (void *)element;
    if (expr == NULL) {
        cell_set(c, value_absent());
    }
}

static void init_cells(struct element_cells *cells, const struct element *element) {
    bool is_resource = element->kind == ELEMENT_RESOURCE;
    cells->main.type = element->type;
    init_cell(&cells->main, element, is_resource ? element->spec : element->expr);
    init_cell(&cells->display_name, element, element->display_name);
    init_cell(&cells->annotations, element, element->annotations);
    init_cell(&cells->custom, element, element->custom);
    init_cell(&cells->description, element, element->description_expr);
    if (element->kind == ELEMENT_VARIABLE && element->expr == NULL) {
        value v = value_unknown(element->type);
        cell_set(&cells->main, element->secret ? value_mark(v, MARK_SENSITIVE) : v);
    }
    struct cell *others[] = {&cells->merged, &cells->state};
    for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
        others[i]->path = element->address.text;
        others[i]->at = element->at;
        others[i]->owner = (void *)element;
    }
}

static void start_evaluation(const struct template *t, struct evaluation *e, struct host *host,
                             const struct limits *limits) {
    struct blueprint_evaluation *b = ARENA_NEW(e->arena, struct blueprint_evaluation);
    *b = (struct blueprint_evaluation){e, host, e->diags->items.len};
    e->cells = ARENA_ARRAY(e->arena, struct element_cells, t->element_count + 1);
    for (size_t i = 0; i < t->element_count; i++) {
        init_cells(&e->cells[i], &t->elements[i]);
    }
    const struct eval_options options = {.arena = e->arena,
                                         .diags = e->diags,
                                         .limits = limits,
                                         .ops = &eval_ops,
                                         .user = b,
                                         .policy = blueprint_dialect.policy,
                                         .host = host};
    e->evaluator = eval_new(&options);
}

const struct template_ops blueprint_template_ops = {.start_evaluation = start_evaluation, .recheck_spec = recheck_spec};
