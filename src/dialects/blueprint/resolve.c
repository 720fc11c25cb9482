/* What references mean (1.16). */
#include "dialects/blueprint/evaluate.h"
#include "dialects/blueprint/refs.h"
#include "model/host.h"

/* Whose names the expressions of a scope mean. */
static const struct blueprint_names *get_names(const struct scope *scope) {
    return scope->owner;
}

static uint32_t find_in_file(const struct blueprint_names *names, enum element_kind kind, sv name) {
    void *found = map_find(&names->file->names[kind], name);
    return found == NULL ? UINT32_MAX : (uint32_t)((uintptr_t)found - 1);
}

uint32_t blueprint_find_number(const struct blueprint_names *names, enum element_kind kind, sv name) {
    uint32_t number = find_in_file(names, kind, name);
    return number == UINT32_MAX || names->numbers == NULL ? number : names->numbers[number];
}

static bool is_settled(const struct cell *c) {
    return c->state == CELL_DONE || c->state == CELL_FAILED;
}

struct cell *blueprint_find_condition(struct evaluation *e, uint32_t number, const struct blueprint_names *names,
                                      value *decided) {
    *decided = value_bool(true);
    for (uint32_t n = number + 1; n != 0 && n != names->child; n = e->template->elements[n - 1].group) {
        struct cell *c = e->cells[n - 1].condition;
        if (!is_settled(c)) {
            return c;
        }
        bool is_false = c->result.kind == VALUE_BOOL && !c->result.boolean;
        bool is_out = c->result.kind == VALUE_ERROR ||
                      (is_false && (c->result.marks & MARK_PROVISIONAL) == 0); /* BP-458: such a one is unknown */
        if (is_out) {
            *decided = c->result;
            return NULL;
        }
    }
    return NULL;
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
    value *seen = state ? &cells->state : &cells->merged;
    if (!value_is_set(*seen)) {
        if (!state && !is_settled(&cells->main)) {
            out->cell = &cells->main;
            return out->item.kind == VALUE_ERROR ? RESOLVE_ERROR : RESOLVE_AGAIN;
        }
        value failed = cells->main.result;
        *seen = !state && failed.kind == VALUE_ERROR ? failed : get_resource(e, number, state);
    }
    const struct resource_type *type = e->template->elements[number].resource_type;
    bool is_id = ref->count == next && !state;
    size_t used = next;
    out->item =
        is_id ? find_id(e->evaluator, type, ref, *seen) : walk_fields(e->evaluator, ref, &used, *seen, type == NULL);
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
        return use_cell(cells->display_name, next, out);
    case REF_PART_ANNOTATIONS:
        return use_cell(cells->annotations, next, out);
    case REF_PART_CUSTOM:
        return use_cell(cells->custom, next, out);
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

/* --- children --- */

static const struct blueprint_origin *find_origin(const struct evaluation *e, uint32_t number) {
    const struct blueprint_data *data = e->template->dialect_data;
    return data->origins == NULL ? NULL : &data->origins[number];
}

/* A child that is not expanded: its exports are unknown, of their declared types. */
static value get_unknown_export(const struct evaluation *e, uint32_t number, sv name) {
    const struct blueprint_data *data = e->template->dialect_data;
    const struct blueprint_child *child = data->origins == NULL ? data->children[number] : NULL;
    if (child == NULL || child->template == NULL) {
        return value_unknown(&type_any);
    }
    const struct blueprint_data *file = child->template->dialect_data;
    uint32_t export = find_in_file(&file->self, ELEMENT_EXPORT, name);
    return value_unknown(export == UINT32_MAX ? &type_any : child->template->elements[export].type);
}

/* `at`: the step that names the export. */
static enum resolve_result resolve_export(struct evaluation *e, uint32_t number, const struct expr *ref, size_t at,
                                          struct resolved *out) {
    const struct step *s = &ref->ref.steps[at];
    sv name = s->kind == STEP_NAME ? s->name : (sv){0};
    const struct blueprint_origin *origin = find_origin(e, number);
    if (origin == NULL || origin->content == NULL) {
        out->item = get_unknown_export(e, number, name);
        out->steps_used = at + 1;
        return RESOLVE_VALUE;
    }
    uint32_t export = blueprint_find_number(origin->content, ELEMENT_EXPORT, name);
    if (export == UINT32_MAX) {
        out->item =
            eval_fail(e->evaluator, DIAG_child_export_not_found, s->at, "child '%.*s' has no export '%.*s'",
                      SV_ARG(sv_slice(e->template->elements[number].name, 0, 80)), SV_ARG(sv_slice(name, 0, 80)));
        return RESOLVE_ERROR;
    }
    return use_cell(&e->cells[export].main, at + 1, out);
}

/* A blueprint that is a resource: its exports stand under `.state` and `.spec` (BP-293). */
static enum resolve_result resolve_nested(struct evaluation *e, uint32_t number, const struct expr *ref, size_t first,
                                          struct resolved *out) {
    size_t next = 0;
    enum ref_part part = ref_get_part(ref, first, &next);
    if (part != REF_PART_SPEC && part != REF_PART_STATE) {
        return resolve_resource(e, number, ref, first, out);
    }
    const struct step *s = &ref->ref.steps[next];
    if (part == REF_PART_SPEC && s->kind == STEP_NAME && ref_is_child_input(s->name)) {
        return use_cell(&e->cells[number].main, next, out);
    }
    return resolve_export(e, number, ref, next, out);
}

/* --- the way to the element --- */

/* BP-247. */
static enum resolve_result resolve_working_dir(struct blueprint_evaluation *b, struct resolved *out) {
    struct arena *a = b->e->arena;
    const struct host *host = b->e->host;
    out->item = host != NULL ? value_string(a, host->ops->get_cwd(host->user, a)) : value_unknown(&type_string);
    return RESOLVE_VALUE;
}

/* `elem`, `i` (BP-153). */
static enum resolve_result resolve_local(struct evaluator *ev, const struct expr *ref, const struct scope *scope,
                                         struct resolved *out) {
    sv name = ref->op == BLUEPRINT_ROOT_ELEM ? SV("elem") : SV("i");
    if (scope_find(scope, name, &out->item)) {
        return RESOLVE_VALUE;
    }
    out->item =
        eval_fail(ev, DIAG_invalid_substitution, ref->at, "'%.*s' exists only in a resource with 'each'", SV_ARG(name));
    return RESOLVE_ERROR;
}

/* The instance that the index behind a template's name means; UINT32_MAX after a report (BP-154). */
static uint32_t find_instance(struct evaluation *e, const struct blueprint_names *names, const struct ref_target *t,
                              const struct expr *ref) {
    const struct blueprint_instances *all = &names->instances[find_in_file(names, t->kind, t->name)];
    size_t index = ref_has_index(ref, t->first) ? ref->ref.steps[t->first].index : 0;
    if (index < all->count) {
        return all->numbers[index];
    }
    eval_fail(e->evaluator, DIAG_resource_each_index_out_of_bounds, ref->at,
              "there is no instance %zu of '%.*s', which has %u", index, SV_ARG(sv_slice(t->name, 0, 80)), all->count);
    return UINT32_MAX;
}

static enum resolve_result resolve_element(struct blueprint_evaluation *b, uint32_t number, const struct expr *ref,
                                           const struct ref_target *t, struct resolved *out) {
    struct evaluation *e = b->e;
    switch (e->template->elements[number].kind) {
    case ELEMENT_RESOURCE:
        return resolve_resource(e, number, ref, t->first, out);
    case ELEMENT_CHILD:
        return t->kind == ELEMENT_CHILD ? resolve_export(e, number, ref, t->first, out)
                                        : resolve_nested(e, number, ref, t->first, out);
    case ELEMENT_VARIABLE:
        if (b->bind != NULL && e->cells[number].main.state == CELL_UNTOUCHED) {
            b->bind(b->bind_user, e, number);
        }
        break;
    case ELEMENT_VALUE:
    case ELEMENT_DATA:
    case ELEMENT_EXPORT:
    case ELEMENT_LINK:
    case ELEMENT_TEMPLATE:
        break;
    }
    return use_cell(&e->cells[number].main, t->first, out);
}

/* Whether the element is there at all (BP-142); RESOLVE_CELL: it is. */
static enum resolve_result resolve_presence(struct evaluation *e, uint32_t number, const struct blueprint_names *names,
                                            const struct expr *ref, struct resolved *out) {
    value decided;
    struct cell *open = blueprint_find_condition(e, number, names, &decided);
    if (open != NULL) {
        out->cell = open;
        return out->item.kind == VALUE_ERROR ? RESOLVE_ERROR : RESOLVE_AGAIN;
    }
    if (decided.kind == VALUE_ERROR) {
        out->item = decided;
        return RESOLVE_ERROR;
    }
    if (decided.kind == VALUE_BOOL && !decided.boolean) {
        out->item = value_mark(value_absent(), decided.marks);
        out->steps_used = ref->count;
        return RESOLVE_VALUE;
    }
    return RESOLVE_CELL;
}

/* Not of a template that is not expanded. */
static bool has_instances(const struct blueprint_names *names, const struct ref_target *t) {
    return names->instances != NULL && !names->instances[find_in_file(names, t->kind, t->name)].is_open;
}

static enum resolve_result fail_nowhere(struct evaluator *ev, span at) {
    eval_fail(ev, DIAG_invalid_reference, at, "this reference leads nowhere");
    return RESOLVE_ERROR;
}

enum resolve_result blueprint_resolve(void *user, struct evaluator *ev, const struct expr *ref,
                                      const struct scope *scope, struct resolved *out) {
    struct blueprint_evaluation *b = user;
    struct ref_target t = ref_get_target(ref);
    if (t.kind == 0) {
        return resolve_local(ev, ref, scope, out);
    }
    const struct blueprint_names *names = get_names(scope);
    uint32_t number = blueprint_find_number(names, t.kind, t.name);
    if (number == UINT32_MAX) {
        bool is_working_dir = t.is_bare && sv_eq(t.name, SV("workingDir")) && ref->count == 0;
        return is_working_dir ? resolve_working_dir(b, out) : fail_nowhere(ev, t.at);
    }
    const struct element *element = &b->e->template->elements[number];
    if (element->each != NULL && !has_instances(names, &t)) {
        out->item = value_unknown(&type_any);
        out->steps_used = ref->count;
        return RESOLVE_VALUE;
    }
    if (element->kind == ELEMENT_TEMPLATE) {
        number = find_instance(b->e, names, &t, ref);
        t.first++;
    }
    if (number == UINT32_MAX) {
        return RESOLVE_ERROR;
    }
    enum resolve_result presence = resolve_presence(b->e, number, names, ref, out);
    return presence == RESOLVE_CELL ? resolve_element(b, number, ref, &t, out) : presence;
}

/* Data sources: a field without data yields none (BP-109); an index behind the end has a code of its own (BP-241). */
value blueprint_walk(void *user, struct evaluator *ev, value base, const struct step *step, const struct expr *ref) {
    (void)user;
    if (ref->kind != EXPR_REF || ref->op != BLUEPRINT_ROOT_DATASOURCES) {
        return (value){0};
    }
    if (step->kind == STEP_NAME && base.kind == VALUE_MAP) {
        return value_absent();
    }
    if (step->kind == STEP_INDEX && base.kind == VALUE_LIST) {
        return eval_fail(ev, DIAG_data_source_prop_array_index_out_of_bounds, step->at,
                         "there is no item %zu in the field of the data source", step->index);
    }
    return (value){0};
}
