/* Static types of references (1.16, BP-314): what stands behind the names that refs.c has found. */
#include "dialects/blueprint/refs.h"

#include "base/hint.h"
#include "dialects/blueprint/loader.h"

/* BP-243: a field that the schema does not know. */
static bool check_known_fields(struct loader *l, const struct type *t, const struct expr *ref, size_t first) {
    for (size_t i = first; i < ref->count && t != NULL && t->kind == TYPE_OBJECT && !t->open; i++) {
        const struct step *s = &ref->ref.steps[i];
        if (s->kind != STEP_NAME) {
            return true;
        }
        const struct type *next = type_find_field(t, s->name);
        if (next == NULL) {
            struct diag *d = diags_add(l->diags, DIAG_missing_resource_spec_property, s->at,
                                       "the resource type has no field '%.*s'", SV_ARG(sv_slice(s->name, 0, 80)));
            struct hint hint = HINT(s->name);
            for (size_t k = 0; k < t->field_count; k++) {
                hint_offer(&hint, t->fields[k].name);
            }
            if (hint.best.len > 0) {
                diag_set_hint(l->diags, d, "did you mean '%.*s'?", SV_ARG(hint.best));
            }
            return false;
        }
        t = next;
    }
    return true;
}

/* NULL: the resource has no such metadata. Its entries are looked up one by one: making the type of all of them for
 * each reference would be quadratic. */
static const struct type *get_metadata_type(const struct element *e, enum ref_part part) {
    if (part == REF_PART_LABELS) {
        return e->labels.kind == 0 ? NULL : &type_map;
    }
    const struct expr *x = part == REF_PART_DISPLAY_NAME  ? e->display_name
                           : part == REF_PART_ANNOTATIONS ? e->annotations
                                                          : e->custom;
    if (x == NULL) {
        return NULL;
    }
    return part == REF_PART_DISPLAY_NAME ? &type_string : &type_any;
}

/* A label that is not there can be told at once. */
static bool check_label(struct loader *l, const struct element *e, const struct expr *ref, size_t next) {
    const struct step *s = next < ref->count ? &ref->ref.steps[next] : NULL;
    if (s == NULL || s->kind != STEP_NAME || value_map_has(e->labels, s->name)) {
        return true;
    }
    diags_add(l->diags, DIAG_invalid_mapping_path, s->at, "resource '%.*s' has no label '%.*s'",
              SV_ARG(sv_slice(e->name, 0, 80)), SV_ARG(sv_slice(s->name, 0, 80)));
    return false;
}

static bool is_part(const struct step *s) {
    return s->kind == STEP_NAME &&
           (sv_eq(s->name, SV("spec")) || sv_eq(s->name, SV("state")) || sv_eq(s->name, SV("metadata")));
}

/* BP-242 */
static const struct type *fail_part(struct loader *l, const struct expr *ref, const struct ref_target *t) {
    const struct step *s = &ref->ref.steps[t->first];
    sv name = sv_slice(t->name, 0, 80);
    if (is_part(s) && sv_eq(s->name, SV("metadata")) && ref->count > t->first + 1) {
        struct diag *d = diags_add(l->diags, DIAG_invalid_reference, ref->at,
                                   "the metadata of resource '%.*s' has no such part", SV_ARG(name));
        diag_set_hint(l->diags, d, "its parts are displayName, labels, annotations and custom");
        return NULL;
    }
    struct diag *d = diags_add(l->diags, DIAG_invalid_reference, ref->at,
                               is_part(s) ? "the reference to resource '%.*s' is too short"
                                          : "behind resource '%.*s' comes 'spec', 'state' or 'metadata'",
                               SV_ARG(name));
    const char *index = t->first > 0 && ref_has_index(ref, t->first - 1) ? "[0]" : "";
    diag_set_hint(l->diags, d, "write %.*s%s.spec.FIELD, %.*s%s.state.FIELD or %.*s%s.metadata.labels", SV_ARG(name),
                  index, SV_ARG(name), index, SV_ARG(name), index);
    return NULL;
}

static const struct type *get_field_type(struct loader *l, const struct type_entry *type, const struct expr *ref,
                                         size_t next) {
    if (!check_known_fields(l, type->spec_type, ref, next)) {
        return NULL;
    }
    return lang_check_steps(&l->check, type->spec_type, ref, next);
}

static void fail_id(struct loader *l, const struct expr *ref, const struct ref_target *t) {
    struct diag *d = diags_add(l->diags, DIAG_invalid_reference, ref->at,
                               "resource '%.*s' has no id field to stand for it", SV_ARG(sv_slice(t->name, 0, 80)));
    diag_set_hint(l->diags, d, "name a field: %.*s.spec.FIELD", SV_ARG(t->name));
}

static const struct type *fail_index(struct loader *l, const struct expr *ref, const struct ref_target *t) {
    bool is_second = t->first > 0 && ref_has_index(ref, t->first - 1);
    if (is_second) {
        return fail_part(l, ref, t);
    }
    diags_add(l->diags, DIAG_resource_not_template, ref->at, "resource '%.*s' has no 'each', so it has no index",
              SV_ARG(sv_slice(t->name, 0, 80)));
    return NULL;
}

static const struct type *get_metadata_part_type(struct loader *l, const struct expr *ref, const struct ref_target *t,
                                                 uint32_t number) {
    const struct element *e = &l->elements[number];
    size_t next = 0;
    enum ref_part part = ref_get_part(ref, t->first, &next);
    const struct type *type = get_metadata_type(e, part);
    if (type == NULL) {
        const struct step *s = &ref->ref.steps[t->first + 1];
        diags_add(l->diags, DIAG_invalid_mapping_path, s->at, "resource '%.*s' has no '%.*s' in its metadata",
                  SV_ARG(sv_slice(t->name, 0, 80)), SV_ARG(s->name));
        return NULL;
    }
    if (part == REF_PART_LABELS && !check_label(l, e, ref, next)) {
        return NULL;
    }
    return lang_check_steps(&l->check, type, ref, next);
}

static const struct type *get_resource_type(struct loader *l, const struct expr *ref, const struct ref_target *t,
                                            uint32_t number) {
    size_t next = 0;
    const struct type_entry *type = l->entries[number].type;
    if (type == NULL || type->broken) {
        return &type_any;
    }
    switch (ref_get_part(ref, t->first, &next)) {
    case REF_PART_ID:
        if (type->id_type == NULL) {
            fail_id(l, ref, t);
        }
        return type->id_type;
    case REF_PART_SPEC:
    case REF_PART_STATE:
        return get_field_type(l, type, ref, next);
    case REF_PART_INDEX:
        return fail_index(l, ref, t);
    case REF_PART_INVALID:
        return fail_part(l, ref, t);
    case REF_PART_DISPLAY_NAME:
    case REF_PART_LABELS:
    case REF_PART_ANNOTATIONS:
    case REF_PART_CUSTOM:
        break;
    }
    return get_metadata_part_type(l, ref, t, number);
}

static const struct type *get_variable_type(struct loader *l, const struct expr *ref, uint32_t number) {
    if (ref->count > 1) {
        struct diag *d = diags_add(l->diags, DIAG_invalid_substitution, ref->at,
                                   "a variable is a scalar, nothing can follow its name");
        diag_set_hint(l->diags, d, "decode structured text with fromjson");
        return NULL;
    }
    return l->elements[number].type;
}

/* --- data sources --- */

/* BP-245. */
static const struct type *get_data_type(struct loader *l, const struct expr *ref, const struct ref_target *t,
                                        uint32_t number) {
    const struct element *e = &l->elements[number];
    const struct step *s = &ref->ref.steps[t->first];
    if (e->field_count == 0 || l->entries[number].broken) {
        return &type_any;
    }
    struct hint hint = HINT(s->name);
    for (size_t i = 0; i < e->field_count; i++) {
        if (sv_eq(e->fields[i].name, s->name)) {
            return lang_check_steps(&l->check, e->fields[i].type, ref, t->first + 1);
        }
        hint_offer(&hint, e->fields[i].name);
    }
    struct diag *d =
        diags_add(l->diags, DIAG_missing_data_source_prop, s->at, "data source '%.*s' does not export a field '%.*s'",
                  SV_ARG(sv_slice(e->name, 0, 80)), SV_ARG(sv_slice(s->name, 0, 80)));
    if (hint.best.len > 0) {
        diag_set_hint(l->diags, d, "did you mean '%.*s'?", SV_ARG(hint.best));
    }
    return NULL;
}

/* --- children --- */

static const struct type *fail_export(struct loader *l, uint32_t number, const struct blueprint_data *file, sv name,
                                      span at) {
    const struct map *names = &file->names[ELEMENT_EXPORT];
    struct diag *d = diags_add(l->diags, DIAG_child_export_not_found, at, "child '%.*s' has no export '%.*s'",
                               SV_ARG(sv_slice(l->elements[number].name, 0, 80)), SV_ARG(sv_slice(name, 0, 80)));
    struct hint hint = HINT(name);
    for (size_t i = 0; i < names->len && names->len <= l->hint_budget; i++) {
        hint_offer(&hint, names->entries[i].key);
    }
    l->hint_budget -= names->len <= l->hint_budget ? names->len : 0;
    if (hint.best.len > 0) {
        diag_set_hint(l->diags, d, "did you mean '%.*s'?", SV_ARG(hint.best));
    }
    return NULL;
}

static bool is_scalar_type(const struct type *t) {
    return t->kind != TYPE_ANY && type_fits(&type_scalar, t);
}

/* `at`: the step that names the export. */
static const struct type *get_export_type(struct loader *l, const struct expr *ref, uint32_t number, size_t at) {
    const struct blueprint_child *child = l->children[number];
    const struct step *s = &ref->ref.steps[at];
    if (child == NULL || child->template == NULL || child->broken || l->entries[number].broken) {
        return &type_any;
    }
    const struct blueprint_data *file = child->template->dialect_data;
    uintptr_t found = s->kind == STEP_NAME ? (uintptr_t)map_find(&file->names[ELEMENT_EXPORT], s->name) : 0;
    if (found == 0) {
        sv index = arena_printf(&l->scratch, "[%zu]", s->kind == STEP_INDEX ? s->index : 0);
        return fail_export(l, number, file, s->kind == STEP_NAME ? s->name : index, s->at);
    }
    const struct type *t = child->template->elements[found - 1].type;
    if (at + 1 < ref->count && is_scalar_type(t)) {
        diags_add(l->diags, DIAG_child_export_scalar_navigation, ref->ref.steps[at + 1].at,
                  "export '%.*s' is a scalar, nothing can follow its name", SV_ARG(sv_slice(s->name, 0, 80)));
        return NULL;
    }
    return lang_check_steps(&l->check, t, ref, at + 1);
}

/* A blueprint that is a resource (BP-293). */
static const struct type *get_nested_type(struct loader *l, const struct expr *ref, const struct ref_target *t,
                                          uint32_t number) {
    size_t next = 0;
    switch (ref_get_part(ref, t->first, &next)) {
    case REF_PART_SPEC:
        if (ref->ref.steps[next].kind == STEP_NAME && ref_is_child_input(ref->ref.steps[next].name)) {
            return &type_any;
        }
        return get_export_type(l, ref, number, next);
    case REF_PART_STATE:
        return get_export_type(l, ref, number, next);
    case REF_PART_ID:
        fail_id(l, ref, t);
        return NULL;
    case REF_PART_INVALID:
        return fail_part(l, ref, t);
    case REF_PART_INDEX:
        return fail_index(l, ref, t);
    case REF_PART_DISPLAY_NAME:
    case REF_PART_LABELS:
    case REF_PART_ANNOTATIONS:
    case REF_PART_CUSTOM:
        break;
    }
    return get_metadata_part_type(l, ref, t, number);
}

/* --- templates --- */

/* BP-154. Moves `t` behind the index. */
static bool take_index(struct loader *l, const struct expr *ref, struct ref_target *t) {
    if (!ref_has_index(ref, t->first)) {
        sv name = sv_slice(t->name, 0, 80);
        struct diag *d = diags_add(l->diags, DIAG_invalid_substitution, t->at,
                                   "'%.*s' has 'each', one of its instances is wanted", SV_ARG(name));
        diag_set_hint(l->diags, d, "write %.*s[0]", SV_ARG(name));
        return false;
    }
    t->first++;
    return true;
}

/* `elem`, `i` (BP-153). */
static const struct type *get_local_type(struct loader *l, const struct expr *ref) {
    const struct entry *entry = l->current != UINT32_MAX ? &l->entries[l->current] : NULL;
    if (entry == NULL || !entry->is_template || l->in_each) {
        return NULL;
    }
    if (ref->op == BLUEPRINT_ROOT_INDEX) {
        return &type_int;
    }
    return lang_check_steps(&l->check, entry->elem_type != NULL ? entry->elem_type : &type_any, ref, 0);
}

/* NULL: reported, by refs_resolve for names that do not exist. */
static const struct type *get_ref_type(void *user, const struct expr *ref) {
    struct loader *l = user;
    struct ref_target t = ref_get_target(ref);
    if (t.kind == 0) {
        return get_local_type(l, ref);
    }
    uint32_t number = loader_find(l, t.kind, t.name);
    if (number == UINT32_MAX) {
        bool is_working_dir = t.is_bare && ref->count == 0 && sv_eq(t.name, SV("workingDir"));
        return is_working_dir ? &type_string : NULL;
    }
    if (number == l->current) {
        return NULL;
    }
    if (l->entries[number].is_template && !take_index(l, ref, &t)) {
        return NULL;
    }
    const struct element *e = &l->elements[number];
    const struct entry *entry = &l->entries[number];
    switch (e->kind) {
    case ELEMENT_VARIABLE:
        return get_variable_type(l, ref, number);
    case ELEMENT_RESOURCE:
        return get_resource_type(l, ref, &t, number);
    case ELEMENT_DATA:
        return get_data_type(l, ref, &t, number);
    case ELEMENT_CHILD:
        return t.kind == ELEMENT_CHILD ? get_export_type(l, ref, number, t.first) : get_nested_type(l, ref, &t, number);
    case ELEMENT_VALUE:
    case ELEMENT_EXPORT:
    case ELEMENT_LINK:
    case ELEMENT_TEMPLATE:
        break;
    }
    const struct type *type = entry->broken ? &type_any : entry->static_type;
    return lang_check_steps(&l->check, type != NULL ? type : e->type, ref, t.first);
}

/* Arguments of link(…) are looked at with the names. */
const struct check_ops refs_check_ops = {.ref_type = get_ref_type};
