/* Evaluation (1.16 to 1.19): cells, and what makes of a raw result the value of its element. */
#include "dialects/blueprint/evaluate.h"

#include "dialects/blueprint/blueprint.h"
#include "dialects/blueprint/children.h"
#include "dialects/blueprint/expand.h"
#include "dialects/blueprint/places.h"
#include "dialects/blueprint/scalars.h"
#include "lang/dialect.h"
#include "model/host.h"

static uint32_t get_number(const struct template *t, const struct element *element) {
    return (uint32_t)(element - t->elements);
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

/* --- variables of children --- */

value blueprint_take_input(struct evaluator *ev, const struct blueprint_data *file, const struct element *variable,
                           span at, value given) {
    struct child_refusal why = {0};
    value v = given;
    uint32_t number = (uint32_t)((uintptr_t)map_find(&file->names[ELEMENT_VARIABLE], variable->name) - 1);
    if (!child_take_input(eval_get_arena(ev), file, variable, number, &v, &why)) {
        return eval_fail(ev, why.code, at, "%.*s", SV_ARG(why.message));
    }
    if (v.kind == VALUE_ABSENT && variable->expr == NULL) {
        return eval_fail(ev, DIAG_include_missing_required_variable, at,
                         "variable '%.*s' of the child needs a value, this is none",
                         SV_ARG(sv_slice(variable->name, 0, 80)));
    }
    if (v.kind == VALUE_ABSENT) {
        v = value_mark(variable->expr->literal, v.marks);
    }
    bool is_any = v.kind == VALUE_UNKNOWN && (v.type == NULL || v.type->kind == TYPE_ANY);
    v = is_any ? value_mark(value_unknown(variable->type), v.marks) : v;
    return variable->secret ? value_mark(v, MARK_SENSITIVE) : v;
}

static value finish_variable(struct blueprint_evaluation *b, struct evaluator *ev, const struct cell *c, value raw) {
    const struct element *element = c->owner;
    const struct blueprint_data *data = b->e->template->dialect_data;
    const struct blueprint_origin *origin =
        data->origins == NULL ? NULL : &data->origins[get_number(b->e->template, element)];
    if (origin != NULL && origin->passed_by != NULL) {
        return blueprint_take_input(ev, origin->copy->file, origin->element, c->expr->at, raw);
    }
    return element->secret ? value_mark(raw, MARK_SENSITIVE) : raw;
}

/* --- data sources --- */

static const struct type *get_fields_type(struct arena *a, const struct element *e) {
    struct type_field *fields = ARENA_ARRAY(a, struct type_field, e->field_count + 1);
    struct type *t = ARENA_NEW(a, struct type);
    *t = (struct type){.kind = TYPE_OBJECT, .fields = fields, .field_count = e->field_count};
    for (size_t i = 0; i < e->field_count; i++) {
        fields[i] = (struct type_field){.name = e->fields[i].name, .type = e->fields[i].type};
    }
    return t;
}

static value get_unknown_fields(struct arena *a, const struct element *e) {
    return value_unknown(e->field_count == 0 ? &type_any : get_fields_type(a, e));
}

/* BP-104. */
static bool check_search(struct evaluator *ev, const struct element_filter *filter, value v) {
    if (v.kind == VALUE_ABSENT || v.kind == 0) {
        eval_fail(ev, DIAG_data_source_missing_filter_search, filter->search_at, "the search of the filter is none");
        return false;
    }
    bool fits = value_is_scalar(v) || v.kind == VALUE_LIST || v.kind == VALUE_UNKNOWN;
    value wrong = v;
    for (size_t i = 0; fits && v.kind == VALUE_LIST && i < v.list->len; i++) {
        wrong = v.list->items[i];
        fits = value_is_scalar(wrong) || wrong.kind == VALUE_UNKNOWN;
    }
    if (!fits) {
        eval_fail(ev, DIAG_invalid_substitution, filter->search_at,
                  "a search is a scalar or an array of scalars, this is %s",
                  value_get_kind_phrase((enum value_kind)wrong.kind));
    }
    return fits;
}

/* As datasources.c makes them: { search: … }, or a list of these. */
static value find_search(value raw, size_t i) {
    value filter = raw.kind == VALUE_LIST && i < raw.list->len ? raw.list->items[i] : raw;
    return filter.kind == VALUE_MAP ? value_map_find(filter, SV("search")) : (value){0};
}

static value finish_data(struct blueprint_evaluation *b, struct evaluator *ev, const struct element *element,
                         value raw) {
    struct evaluation *e = b->e;
    value *searches = ARENA_ARRAY(e->arena, value, element->filter_count + 1);
    bool sound = true;
    for (size_t i = 0; i < element->filter_count && raw.kind != VALUE_UNKNOWN; i++) {
        searches[i] = find_search(raw, i);
        sound &= check_search(ev, &element->filters[i], searches[i]);
    }
    if (!sound) {
        return value_error(NULL);
    }
    uint8_t marks = (uint8_t)(raw.within & (MARK_SENSITIVE | MARK_PROVISIONAL));
    bool is_unknown = raw.kind == VALUE_UNKNOWN || (raw.within & WITHIN_UNKNOWN) != 0;
    value v = is_unknown || e->demand_data == NULL
                  ? get_unknown_fields(e->arena, element)
                  : e->demand_data(e->user, e, get_number(e->template, element), searches);
    if (v.kind == VALUE_UNKNOWN && (v.type == NULL || v.type->kind == TYPE_ANY)) {
        v = get_unknown_fields(e->arena, element);
    }
    return v.kind == VALUE_ERROR ? v : value_mark(v, marks);
}

static value finish_main(struct blueprint_evaluation *b, struct evaluator *ev, struct cell *c, value raw) {
    const struct element *element = c->owner;
    switch (element->kind) {
    case ELEMENT_VARIABLE:
        return finish_variable(b, ev, c, raw);
    case ELEMENT_DATA:
        return finish_data(b, ev, element, raw);
    case ELEMENT_VALUE:
    case ELEMENT_EXPORT:
        return finish_typed(ev, c, element, raw);
    case ELEMENT_RESOURCE:
        return recheck_spec(b->e->template, b->e, get_number(b->e->template, element), raw);
    case ELEMENT_CHILD:
    case ELEMENT_LINK:
    case ELEMENT_TEMPLATE:
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
            d->path = arena_copy_sv(diags->arena, element->address.text);
        }
        if (d->group.len == 0 && sv_eq(d->path, element->address.text)) {
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
    if (c == cells->condition) {
        return raw;
    }
    if (c == cells->display_name) {
        return finish_text(ev, c, "'displayName'", raw);
    }
    if (c == cells->description) {
        return finish_text(ev, c, "'description'", raw);
    }
    return c == cells->annotations ? finish_annotations(ev, c, raw) : raw;
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

static const struct eval_ops eval_ops = {
    .resolve = blueprint_resolve, .finish = finish, .walk = blueprint_walk, .call_syntactic = blueprint_call_link};

/* --- cells --- */

static void init_cell(struct cell *c, const struct element *element, const struct expr *expr, const char *property) {
    c->expr = expr;
    c->path = element->address.text;
    c->property = sv_from_cstr(property);
    c->at = element->at;
    c->owner = (void *)element;
    c->scope = element->scope;
    if (expr == NULL) {
        cell_set(c, value_absent());
    }
}

static bool has_spec(const struct element *element) {
    return element->kind == ELEMENT_RESOURCE || element->kind == ELEMENT_CHILD;
}

static void init_main(struct cell *c, const struct element *element) {
    bool is_spec = has_spec(element);
    c->type = element->type;
    init_cell(c, element, is_spec ? element->spec : element->expr,
              is_spec                         ? "spec"
              : element->kind == ELEMENT_DATA ? "filter"
                                              : NULL);
    if (element->kind == ELEMENT_VARIABLE && element->expr == NULL) {
        value v = value_unknown(element->type);
        cell_set(c, element->secret ? value_mark(v, MARK_SENSITIVE) : v);
    }
}

/* Most elements have none of these: they share one that says so. */
static struct cell *new_cell(struct blueprint_evaluation *b, const struct element *element, const struct expr *expr,
                             const char *property) {
    if (expr == NULL) {
        return &b->absent;
    }
    struct cell *c = ARENA_NEW(b->e->arena, struct cell);
    init_cell(c, element, expr, property);
    return c;
}

static void init_cells(struct blueprint_evaluation *b, struct element_cells *cells, const struct element *element) {
    init_main(&cells->main, element);
    cells->display_name = new_cell(b, element, element->display_name, "metadata.displayName");
    cells->annotations = new_cell(b, element, element->annotations, "metadata.annotations");
    cells->custom = new_cell(b, element, element->custom, "metadata.custom");
    cells->description = new_cell(b, element, element->description_expr, "description");
    cells->condition = element->condition == NULL ? &b->always : new_cell(b, element, element->condition, "condition");
}

static void start_evaluation(const struct template *t, struct evaluation *e, const struct evaluation_request *r) {
    struct blueprint_evaluation *b = ARENA_NEW(e->arena, struct blueprint_evaluation);
    *b = (struct blueprint_evaluation){.e = e, .tagged = e->diags->items.len};
    e->host = r->host;
    e->record = r->record;
    e->fetcher = r->fetcher;
    cell_set(&b->absent, value_absent());
    cell_set(&b->always, value_bool(true));
    e->cells = ARENA_ARRAY(e->arena, struct element_cells, t->element_count + 1);
    for (size_t i = 0; i < t->element_count; i++) {
        init_cells(b, &e->cells[i], &t->elements[i]);
    }
    const struct eval_options options = {.arena = e->arena,
                                         .diags = e->diags,
                                         .limits = r->limits,
                                         .ops = &eval_ops,
                                         .user = b,
                                         .policy = blueprint_dialect.policy,
                                         .observer = r->observer,
                                         .host = r->host,
                                         .record = r->record,
                                         .fetcher = r->fetcher,
                                         .sources = t->sources};
    e->evaluator = eval_new(&options);
}

const struct template_ops blueprint_template_ops = {
    .start_evaluation = start_evaluation,
    .expand = expand_template,
    .find_target = blueprint_find_target,
    .recheck_spec = recheck_spec,
};
