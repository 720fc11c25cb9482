/* Where a reference leads, for those who explain and render expanded templates. */
#include "dialects/blueprint/evaluate.h"
#include "dialects/blueprint/refs.h"

static uint32_t find_in_file(const struct blueprint_names *names, const struct ref_target *t) {
    void *found = map_find(&names->file->names[t->kind], t->name);
    return found == NULL ? UINT32_MAX : (uint32_t)((uintptr_t)found - 1);
}

/* The export of a child that the step names; its number, or UINT32_MAX. */
static uint32_t find_export(const struct template *t, uint32_t child, const struct expr *ref, size_t at) {
    const struct blueprint_data *data = t->dialect_data;
    const struct blueprint_names *content = data->origins != NULL ? data->origins[child].content : NULL;
    bool is_named = content != NULL && at < ref->count && ref->ref.steps[at].kind == STEP_NAME;
    return is_named ? blueprint_find_number(content, ELEMENT_EXPORT, ref->ref.steps[at].name) : UINT32_MAX;
}

/* The step that names the export behind a blueprint that is a resource (BP-293); 0: none does. */
static size_t find_nested_step(const struct expr *ref, size_t first) {
    size_t next = 0;
    enum ref_part part = ref_get_part(ref, first, &next);
    bool is_field = (part == REF_PART_SPEC || part == REF_PART_STATE) && next < ref->count;
    bool is_input = is_field && part == REF_PART_SPEC && ref->ref.steps[next].kind == STEP_NAME &&
                    ref_is_child_input(ref->ref.steps[next].name);
    return is_field && !is_input ? next : 0;
}

static struct path get_property(struct arena *a, const struct expr *ref, size_t first) {
    size_t count = ref->count > first ? ref->count - first : 0;
    struct path_step *steps = ARENA_ARRAY(a, struct path_step, count + 1);
    for (size_t i = 0; i < count; i++) {
        const struct step *s = &ref->ref.steps[first + i];
        steps[i] = (struct path_step){.is_index = s->kind == STEP_INDEX};
        if (s->kind == STEP_INDEX) {
            steps[i].index = s->index;
        } else {
            steps[i].key = s->name;
        }
    }
    return (struct path){steps, count};
}

bool blueprint_find_target(const struct template *t, struct arena *a, const struct expr *ref, const struct scope *scope,
                           struct reference_target *result) {
    struct ref_target target = ref_get_target(ref);
    const struct blueprint_names *names = scope->owner;
    uint32_t number = target.kind != 0 ? blueprint_find_number(names, target.kind, target.name) : UINT32_MAX;
    if (number == UINT32_MAX) {
        return false;
    }
    if (t->elements[number].kind == ELEMENT_TEMPLATE) {
        const struct blueprint_instances *all = &names->instances[find_in_file(names, &target)];
        size_t index = ref_has_index(ref, target.first) ? ref->ref.steps[target.first].index : 0;
        if (index >= all->count) {
            return false;
        }
        number = all->numbers[index];
        target.first++;
    }
    if (t->elements[number].kind == ELEMENT_CHILD) {
        size_t at = target.kind == ELEMENT_CHILD ? target.first : find_nested_step(ref, target.first);
        uint32_t export = at > 0 ? find_export(t, number, ref, at) : UINT32_MAX;
        number = export != UINT32_MAX ? export : number;
        target.first = export != UINT32_MAX ? at + 1 : target.first;
    }
    *result = (struct reference_target){number, get_property(a, ref, target.first)};
    return true;
}
