/* Plan files, inward. What is read was written by somebody: every number and name is checked before it is used. */
#include "engine/plan_file.h"

#include "engine/fields.h"
#include "engine/records.h"
#include "graph/graph.h"

const struct plan_group plan_groups[] = {
    {"newResources", ELEMENT_RESOURCE, {ACTION_CREATE}},
    {"resourceChanges", ELEMENT_RESOURCE, {ACTION_UPDATE, ACTION_REPLACE, ACTION_CHECK}},
    {"removedResources", ELEMENT_RESOURCE, {ACTION_DELETE}},
    {"retainedResources", ELEMENT_RESOURCE, {ACTION_RETAIN}},
    {"newLinks", ELEMENT_LINK, {ACTION_CREATE}},
    {"linkChanges", ELEMENT_LINK, {ACTION_UPDATE, ACTION_CHECK, ACTION_REPLACE}},
    {"removedLinks", ELEMENT_LINK, {ACTION_DELETE, ACTION_RETAIN}},
    {"newExports", ELEMENT_EXPORT, {ACTION_CREATE}},
    {"exportChanges", ELEMENT_EXPORT, {ACTION_UPDATE}},
    {"removedExports", ELEMENT_EXPORT, {ACTION_DELETE}},
    {"dataReads", ELEMENT_DATA, {ACTION_READ}},
};
const size_t plan_group_count = sizeof plan_groups / sizeof plan_groups[0];

static const struct {
    enum change_action action;
    sv name;
} action_names[] = {
    {ACTION_NONE, SV_INIT("none")},       {ACTION_CREATE, SV_INIT("create")}, {ACTION_UPDATE, SV_INIT("update")},
    {ACTION_REPLACE, SV_INIT("replace")}, {ACTION_DELETE, SV_INIT("delete")}, {ACTION_READ, SV_INIT("read")},
    {ACTION_RETAIN, SV_INIT("retain")},   {ACTION_CHECK, SV_INIT("check")},
};

sv plan_action_name(enum change_action action) {
    for (size_t i = 0; i < sizeof action_names / sizeof action_names[0]; i++) {
        if (action_names[i].action == action) {
            return action_names[i].name;
        }
    }
    return (sv){0};
}

enum change_action plan_find_action(sv name) {
    for (size_t i = 0; i < sizeof action_names / sizeof action_names[0]; i++) {
        if (sv_eq(action_names[i].name, name)) {
            return action_names[i].action;
        }
    }
    return 0;
}

struct reader {
    struct arena *a;
    struct plan *p;
    const char *wrong; /* first mistake */
};

static bool fail(struct reader *r, const char *what) {
    if (r->wrong == NULL) {
        r->wrong = what;
    }
    return false;
}

/* --- changes --- */

static bool read_fields(struct reader *r, value v, const char *key, enum field_change_kind kind, struct change *c) {
    const value *items;
    size_t count = field_get_items(v, key, &items);
    for (size_t i = 0; i < count; i++) {
        struct field_change f = {.kind = kind};
        if (!path_parse(r->a, field_get_text(items[i], "fieldPath"), &f.path)) {
            return fail(r, "a field path is malformed");
        }
        f.before = field_get_value(items[i], "prevValue");
        f.after = field_get_value(items[i], "newValue");
        f.must_recreate = field_get_bool(items[i], "mustRecreate");
        f.sensitive = field_get_bool(items[i], "sensitive");
        f.provisional = field_get_bool(items[i], "provisional");
        f.unknown = value_is_set(f.after) && (f.after.within & WITHIN_UNKNOWN) != 0;
        VEC_PUSH(r->a, &c->diff.changes, f);
    }
    return true;
}

static bool read_unchanged(struct reader *r, value v, struct change *c) {
    const sv *texts;
    size_t count = field_get_texts(r->a, v, "unchangedFields", &texts);
    for (size_t i = 0; i < count; i++) {
        if (!path_parse(r->a, texts[i], VEC_ADD(r->a, &c->diff.unchanged))) {
            return fail(r, "a field path is malformed");
        }
    }
    return true;
}

/* Marks do not stand in JSON: what is known but listed as known on deploy was provisional (BP-457). */
static value mark_open(struct reader *r, value v, const char *prefix, const struct change *c) {
    struct path_item *items = ARENA_ARRAY(r->a, struct path_item, c->known_on_deploy_count + 1);
    size_t count = 0;
    for (size_t i = 0; i < c->known_on_deploy_count && value_is_set(v); i++) {
        struct path path;
        bool fits = path_parse(r->a, c->known_on_deploy[i], &path) && path.len > 1 && !path.steps[0].is_index &&
                    sv_eq_cstr(path.steps[0].key, prefix);
        if (!fits) {
            continue;
        }
        struct path below = {path.steps + 1, path.len - 1};
        value leaf = value_find_path(v, below);
        if (value_is_set(leaf) && leaf.kind != VALUE_UNKNOWN) {
            items[count++] = (struct path_item){below, value_mark(leaf, MARK_PROVISIONAL)};
        }
    }
    return count == 0 ? v : value_with_paths(r->a, v, items, count);
}

static void read_values(struct reader *r, value v, struct change *c) {
    value applied = field_get_value(v, "appliedResourceInfo"), desired = field_get_value(v, "desired");
    c->physical_id = field_get_text(applied, "physicalId");
    c->before = field_get_value(applied, "specData");
    c->computed_before = field_get_value(applied, "computedFields");
    c->metadata_before = field_get_value(applied, "metadata");
    c->computed_after = field_get_value(desired, "computedFields");
    bool is_resource = c->kind == ELEMENT_RESOURCE;
    c->after = field_get_value(desired, "specData");
    c->metadata_after = field_get_value(desired, "metadata");
    if (is_resource) {
        c->after = mark_open(r, c->after, "spec", c);
        c->metadata_after = mark_open(r, c->metadata_after, "metadata", c);
    }
}

static bool read_change(struct reader *r, value v, enum element_kind kind, struct change *c) {
    *c = (struct change){.kind = kind};
    struct addr_parts parts;
    c->address.text = field_get_text(v, "address");
    if (!addr_parse(r->a, c->address.text, &parts) || parts.kind != kind) {
        return fail(r, "an address is malformed");
    }
    c->action = plan_find_action(field_get_text(v, "operation"));
    if (c->action == 0) {
        return fail(r, "an operation is unknown");
    }
    c->type = field_get_text(v, "type");
    c->type_version = field_get_int(v, "typeVersion");
    c->display_name = field_get_text(v, "displayName");
    c->must_recreate = field_get_bool(v, "mustRecreate");
    c->destroy_first = sv_eq_cstr(field_get_text(v, "replaceOrder"), "destroyBeforeCreate");
    c->generation = field_get_int(v, "generation");
    c->deposed = field_get_bool(v, "deposed");
    c->retain = field_get_bool(v, "retain");
    c->forced = field_get_bool(v, "forced");
    c->drifted = field_get_bool(v, "drifted");
    c->missing = field_get_bool(v, "missing");
    c->condition_known_on_deploy = field_get_bool(v, "conditionKnownOnDeploy");
    c->known_on_deploy_count = field_get_texts(r->a, v, "fieldChangesKnownOnDeploy", &c->known_on_deploy);
    c->computed_field_count = field_get_texts(r->a, v, "computedFields", &c->computed_fields);
    const sv *reasons;
    size_t count = field_get_texts(r->a, v, "replaceReasons", &reasons);
    for (size_t i = 0; i < count; i++) {
        VEC_PUSH(r->a, &c->reasons, ((struct change_reason){.text = reasons[i]}));
    }
    read_values(r, v, c);
    return read_fields(r, v, "modifiedFields", FIELD_MODIFIED, c) && read_fields(r, v, "newFields", FIELD_NEW, c) &&
           read_fields(r, v, "removedFields", FIELD_REMOVED, c) && read_unchanged(r, v, c);
}

static bool read_changes(struct reader *r, value file) {
    size_t count = 0;
    const value *items;
    for (size_t g = 0; g < plan_group_count; g++) {
        count += field_get_items(file, plan_groups[g].key, &items);
    }
    struct change *changes = ARENA_ARRAY(r->a, struct change, count);
    for (size_t g = 0; g < plan_group_count; g++) {
        size_t in_group = field_get_items(file, plan_groups[g].key, &items);
        for (size_t i = 0; i < in_group; i++) {
            int64_t number = field_get_int(items[i], "number");
            if (number < 0 || (uint64_t)number >= count || changes[number].kind != 0) {
                return fail(r, "the numbers of changes do not fit");
            }
            if (!read_change(r, items[i], plan_groups[g].kind, &changes[number])) {
                return false;
            }
        }
    }
    r->p->changes = changes;
    r->p->change_count = count;
    r->p->drift_count = field_get_items(file, "drift", &items);
    r->p->drift = ARENA_ARRAY(r->a, struct change, r->p->drift_count);
    for (size_t i = 0; i < r->p->drift_count; i++) {
        struct addr_parts parts;
        bool is_link = addr_parse(r->a, field_get_text(items[i], "address"), &parts) && parts.kind == ELEMENT_LINK;
        if (!read_change(r, items[i], is_link ? ELEMENT_LINK : ELEMENT_RESOURCE, &r->p->drift[i])) {
            return false;
        }
    }
    return true;
}

/* --- operations --- */

static bool read_kind(struct reader *r, sv id, struct plan_op *op) {
    switch (id.len == 0 ? 0 : id.data[0]) {
    case 'C':
        op->kind = OP_CREATE;
        return true;
    case 'L':
        op->kind = OP_LINK;
        return true;
    case 'D':
        op->kind = OP_DESTROY;
        return true;
    case 'U':
        op->kind = OP_UNLINK;
        return true;
    default:
        return fail(r, "an operation is unknown");
    }
}

static bool kind_fits(const struct plan_op *op, const struct change *c) {
    bool is_link = op->kind == OP_LINK || op->kind == OP_UNLINK;
    return c->kind == (is_link ? ELEMENT_LINK : ELEMENT_RESOURCE);
}

struct edge_reader {
    const struct map *numbers;
    uint32_t *after;
    bool *at_config;
    size_t count;
};

static bool read_edges(struct reader *r, struct edge_reader *e, const sv *ids, size_t count, bool at_config) {
    for (size_t i = 0; i < count; i++) {
        uintptr_t number = (uintptr_t)map_find(e->numbers, ids[i]);
        if (number == 0) {
            return fail(r, "an operation waits for one that is not there");
        }
        e->after[e->count] = (uint32_t)(number - 1);
        e->at_config[e->count++] = at_config;
    }
    return true;
}

static bool read_after(struct reader *r, const struct map *numbers, value v, struct plan_barrier *result) {
    const sv *ends, *configs;
    size_t end_count = field_get_texts(r->a, v, "after", &ends);
    size_t config_count = field_get_texts(r->a, v, "afterConfigComplete", &configs);
    struct edge_reader e = {
        .numbers = numbers,
        .after = ARENA_ARRAY(r->a, uint32_t, end_count + config_count),
        .at_config = ARENA_ARRAY(r->a, bool, end_count + config_count),
    };
    bool ok = read_edges(r, &e, ends, end_count, false) && read_edges(r, &e, configs, config_count, true);
    result->after = e.after;
    result->after_config = e.at_config;
    result->after_count = e.count;
    return ok;
}

static bool check_order(struct reader *r) {
    const struct plan *p = r->p;
    struct arena scratch = {0};
    struct graph g;
    graph_init(&g, &scratch, p->op_count + p->barrier_count);
    for (uint32_t i = 0; i < p->op_count; i++) {
        for (size_t k = 0; k < p->ops[i].after_count; k++) {
            graph_add_edge(&g, i, p->ops[i].after[k], 0, SPAN_NONE);
        }
    }
    for (uint32_t i = 0; i < p->barrier_count; i++) {
        for (size_t k = 0; k < p->barriers[i].after_count; k++) {
            graph_add_edge(&g, (uint32_t)p->op_count + i, p->barriers[i].after[k], 0, SPAN_NONE);
        }
    }
    uint32_t *order = ARENA_ARRAY(&scratch, uint32_t, g.node_count);
    bool ok = graph_get_order(&g, GRAPH_USED_FIRST, order) == g.node_count;
    arena_fini(&scratch);
    return ok || fail(r, "operations wait for each other in a circle");
}

/* Barriers are numbered behind the operations. */
static bool read_barriers(struct reader *r, value file, struct map *numbers) {
    const value *items;
    struct plan *p = r->p;
    p->barrier_count = field_get_items(file, "barriers", &items);
    p->barriers = ARENA_ARRAY(r->a, struct plan_barrier, p->barrier_count);
    for (size_t i = 0; i < p->barrier_count; i++) {
        p->barriers[i] =
            (struct plan_barrier){.id = field_get_text(items[i], "id"), .of = field_get_text(items[i], "of")};
        if (map_put(numbers, p->barriers[i].id, (void *)(uintptr_t)(p->op_count + i + 1)) != NULL) {
            return fail(r, "two operations have one name");
        }
    }
    for (size_t i = 0; i < p->barrier_count; i++) {
        if (!read_after(r, numbers, items[i], &p->barriers[i])) {
            return false;
        }
    }
    return true;
}

static bool read_op_waits(struct reader *r, const value *items, const struct map *numbers) {
    for (size_t i = 0; i < r->p->op_count; i++) {
        struct plan_barrier waits;
        if (!read_after(r, numbers, items[i], &waits)) {
            return false;
        }
        r->p->ops[i].after = waits.after;
        r->p->ops[i].after_config = waits.after_config;
        r->p->ops[i].after_count = waits.after_count;
    }
    return true;
}

static bool read_ops(struct reader *r, value file) {
    const value *items;
    struct plan *p = r->p;
    p->op_count = field_get_items(file, "operations", &items);
    p->ops = ARENA_ARRAY(r->a, struct plan_op, p->op_count);
    struct map numbers = MAP(r->a);
    for (size_t i = 0; i < p->op_count; i++) {
        struct plan_op *op = &p->ops[i];
        op->id = field_get_text(items[i], "id");
        op->late = field_get_bool(items[i], "late");
        op->only_if_excluded = field_get_bool(items[i], "onlyIfExcluded");
        int64_t change = field_get_int(items[i], "change");
        if (change < 0 || (uint64_t)change >= p->change_count) {
            return fail(r, "an operation belongs to no change");
        }
        op->change = (uint32_t)change;
        if (!read_kind(r, op->id, op) || !kind_fits(op, &p->changes[change])) {
            return fail(r, "an operation does not fit its change");
        }
        if (map_put(&numbers, op->id, (void *)(uintptr_t)(i + 1)) != NULL) {
            return fail(r, "two operations have one name");
        }
    }
    return read_barriers(r, file, &numbers) && read_op_waits(r, items, &numbers) && check_order(r);
}

/* --- the whole --- */

static void read_inputs(struct reader *r, value file) {
    const value *items;
    size_t count = field_get_items(file, "inputs", &items);
    struct template_input *inputs = ARENA_ARRAY(r->a, struct template_input, count);
    for (size_t i = 0; i < count; i++) {
        bool is_typed = sv_eq_cstr(field_get_text(items[i], "form"), "typed");
        inputs[i] = (struct template_input){
            .name = field_get_text(items[i], "name"),
            .form = is_typed ? INPUT_TYPED : INPUT_TEXT,
            .item = items[i].kind == VALUE_MAP ? value_map_find(items[i], SV("value")) : (value){0},
        };
    }
    r->p->inputs = inputs;
    r->p->input_count = count;
}

/* What was found out while it was made; nothing of that is asked again (BP-424). */
static void read_record(struct reader *r, value file) {
    struct plan *p = r->p;
    p->pin_count = record_decode_digests(r->a, field_get_value(file, "includeDigests"), &p->pins);
    p->record = ARENA_NEW(r->a, struct run_record);
    record_init(p->record, r->a, p->run_ms);
    struct run_result *items;
    size_t count = record_decode_results(r->a, field_get_value(file, "results"), &items);
    for (size_t i = 0; i < count; i++) {
        record_put(p->record, items[i].key, items[i].life, items[i].item);
    }
    p->record->closed = true;
}

static void read_scope(struct reader *r, value scope) {
    struct plan_scope *s = &r->p->scope;
    if (scope.kind == VALUE_MAP) {
        s->target_count = field_get_texts(r->a, scope, "targets", &s->targets);
        s->exclude_count = field_get_texts(r->a, scope, "excludes", &s->excludes);
        s->replace_count = field_get_texts(r->a, scope, "replaces", &s->replaces);
        s->left_out_count = field_get_texts(r->a, scope, "leftOut", &s->left_out);
    }
}

static bool read_head(struct reader *r, value file) {
    struct plan *p = r->p;
    if (file.kind != VALUE_MAP || !sv_eq_cstr(field_get_text(file, "planFormat"), PLAN_FORMAT)) {
        return fail(r, "it is no plan of this version");
    }
    if (!field_get_bool(file, "sealed")) {
        return fail(r, "it was written to be looked at, without its secrets");
    }
    value template = field_get_value(file, "template"), instance = field_get_value(file, "instance");
    value summary = field_get_value(file, "summary");
    p->id = field_get_text(file, "id");
    p->dialect = field_get_text(file, "dialect");
    p->destroy = field_get_bool(file, "destroy");
    read_scope(r, field_get_value(file, "scope"));
    p->has_interrupted = field_get_bool(file, "interrupted");
    p->run_ms = field_get_int(file, "runTime");
    p->template_file = field_get_text(template, "file");
    p->root_dir = field_get_text(template, "rootDir");
    p->template_digest = field_get_text(template, "digest");
    p->template_text = field_get_text(template, "text");
    p->is_text_secret = value_is_sensitive(field_get_value(template, "text"));
    p->instance_id = field_get_text(instance, "id");
    p->instance_name = field_get_text(instance, "name");
    p->context = field_get_text(instance, "context");
    p->instance_version = field_get_int(instance, "version");
    p->summary.create = (size_t)field_get_int(summary, "create");
    p->summary.update = (size_t)field_get_int(summary, "update");
    p->summary.replace = (size_t)field_get_int(summary, "replace");
    p->summary.destroy = (size_t)field_get_int(summary, "destroy");
    p->summary.retain = (size_t)field_get_int(summary, "retain");
    p->summary.check = (size_t)field_get_int(summary, "check");
    bool named = p->id.len > 0 && p->instance_id.len > 0 && p->instance_name.len > 0;
    return named || fail(r, "it names no instance");
}

/* The instance's id is part of what seals: it is looked up before anything is opened. */
static sv find_instance_id(struct arena *a, sv json, struct sealer *sealer) {
    struct arena scratch = {0};
    struct diags ignored;
    diags_init(&ignored, &scratch, NULL);
    size_t unopened = 0;
    struct seal_place place = {.address = SV("plan")};
    value file = seal_decode(sealer, &scratch, &place, json, &unopened, &ignored);
    sv id = arena_copy_sv(a, field_get_text(field_get_value(file, "instance"), "id"));
    arena_fini(&scratch);
    return id;
}

struct plan *plan_read_json(struct arena *a, sv json, struct sealer *sealer, struct diags *diags) {
    struct reader r = {.a = a, .p = ARENA_NEW(a, struct plan)};
    r.p->arena = a;
    struct seal_place place = {.instance_id = find_instance_id(a, json, sealer), .address = SV("plan")};
    size_t unopened = 0, errors = diags->errors;
    value file = seal_decode(sealer, a, &place, json, &unopened, diags);
    if (value_is_error(file) && diags->errors > errors) {
        return NULL;
    }
    bool ok = read_head(&r, file) && read_changes(&r, file) && read_ops(&r, file);
    if (ok && unopened > 0) {
        diags_add(diags, DIAG_secret_value_unavailable, SPAN_NONE,
                  "%zu secret values of the plan cannot be opened with the key of this project", unopened);
        return NULL;
    }
    if (!ok) {
        diags_add(diags, DIAG_invalid_plan_file, SPAN_NONE, "this is not a plan that can be deployed: %s", r.wrong);
        return NULL;
    }
    read_inputs(&r, file);
    read_record(&r, file);
    return r.p;
}
