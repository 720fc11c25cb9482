/* Plan files, outward (LC-003, BP-422 to BP-424): the plan becomes one value, which is written sealed. */
#include "engine/plan_file.h"

#include "engine/fields.h"
#include "engine/records.h"

/* --- fields of a change --- */

static value field_value(struct arena *a, const struct field_change *f) {
    struct map_builder b = {.arena = a};
    map_add(&b, SV("fieldPath"), value_string(a, path_to_text(a, f->path)));
    field_put_value(&b, "prevValue", f->before);
    field_put_value(&b, "newValue", f->after);
    field_put_bool(&b, "mustRecreate", f->must_recreate);
    field_put_bool(&b, "sensitive", f->sensitive);
    field_put_bool(&b, "provisional", f->provisional);
    return map_done(&b);
}

static void put_fields(struct map_builder *b, const char *key, const struct change *c, enum field_change_kind kind) {
    struct list_builder list = {.arena = b->arena};
    for (size_t i = 0; i < c->diff.changes.len; i++) {
        if (c->diff.changes.items[i].kind == kind) {
            list_add(&list, field_value(b->arena, &c->diff.changes.items[i]));
        }
    }
    if (list.len > 0) {
        map_add(b, sv_from_cstr(key), list_done(&list));
    }
}

static void put_unchanged(struct map_builder *b, const struct change *c) {
    struct list_builder list = {.arena = b->arena};
    for (size_t i = 0; i < c->diff.unchanged.len; i++) {
        list_add(&list, value_string(b->arena, path_to_text(b->arena, c->diff.unchanged.items[i])));
    }
    if (list.len > 0) {
        map_add(b, SV("unchangedFields"), list_done(&list));
    }
}

static void put_reasons(struct map_builder *b, const struct change *c) {
    struct list_builder list = {.arena = b->arena};
    for (size_t i = 0; i < c->reasons.len; i++) {
        list_add(&list, value_string(b->arena, c->reasons.items[i].text));
    }
    if (list.len > 0) {
        map_add(b, SV("replaceReasons"), list_done(&list));
    }
}

/* --- changes --- */

static value applied_info(struct arena *a, const struct change *c) {
    struct map_builder b = {.arena = a};
    field_put_text(&b, "physicalId", c->physical_id);
    field_put_value(&b, "specData", c->before);
    field_put_value(&b, "computedFields", c->computed_before);
    field_put_value(&b, "metadata", c->metadata_before);
    return b.len == 0 ? (value){0} : map_done(&b);
}

static value desired_info(struct arena *a, const struct change *c) {
    struct map_builder b = {.arena = a};
    field_put_value(&b, "specData", c->after);
    field_put_value(&b, "computedFields", c->computed_after);
    field_put_value(&b, "metadata", c->metadata_after);
    return b.len == 0 ? (value){0} : map_done(&b);
}

static value change_value(struct arena *a, const struct change *c, size_t number) {
    struct map_builder b = {.arena = a};
    map_add(&b, SV("number"), value_int((int64_t)number));
    field_put_text(&b, "address", c->address.text);
    field_put_text(&b, "type", c->type);
    field_put_int(&b, "typeVersion", c->type_version);
    field_put_text(&b, "displayName", c->display_name);
    field_put_text(&b, "operation", plan_action_name(c->action));
    field_put_bool(&b, "mustRecreate", c->must_recreate);
    if (c->action == ACTION_REPLACE) {
        field_put_text(&b, "replaceOrder", c->destroy_first ? SV("destroyBeforeCreate") : SV("createBeforeDestroy"));
    }
    put_reasons(&b, c);
    put_fields(&b, "modifiedFields", c, FIELD_MODIFIED);
    put_fields(&b, "newFields", c, FIELD_NEW);
    put_fields(&b, "removedFields", c, FIELD_REMOVED);
    put_unchanged(&b, c);
    field_put_texts(&b, "computedFields", c->computed_fields, c->computed_field_count);
    field_put_texts(&b, "fieldChangesKnownOnDeploy", c->known_on_deploy, c->known_on_deploy_count);
    field_put_bool(&b, "conditionKnownOnDeploy", c->condition_known_on_deploy);
    field_put_int(&b, "generation", c->generation);
    field_put_bool(&b, "deposed", c->deposed);
    field_put_bool(&b, "retain", c->retain);
    field_put_bool(&b, "forced", c->forced);
    field_put_bool(&b, "drifted", c->drifted);
    field_put_bool(&b, "missing", c->missing);
    field_put_value(&b, "appliedResourceInfo", applied_info(a, c));
    field_put_value(&b, "desired", desired_info(a, c));
    return map_done(&b);
}

static bool is_in_group(const struct change *c, const struct plan_group *g) {
    if (c->kind != g->kind) {
        return false;
    }
    for (size_t i = 0; i < sizeof g->actions / sizeof g->actions[0]; i++) {
        if (g->actions[i] == c->action) {
            return true;
        }
    }
    return false;
}

static void put_groups(struct map_builder *b, const struct plan *p) {
    for (size_t g = 0; g < plan_group_count; g++) {
        struct list_builder list = {.arena = b->arena};
        for (size_t i = 0; i < p->change_count; i++) {
            if (is_in_group(&p->changes[i], &plan_groups[g])) {
                list_add(&list, change_value(b->arena, &p->changes[i], i));
            }
        }
        map_add(b, sv_from_cstr(plan_groups[g].key), list_done(&list));
    }
}

/* Every path with an unknown or provisional part, at every use (BP-457); conditions (BP-143); data sources (BP-110). */
static value resolve_on_deploy(struct arena *a, const struct plan *p) {
    struct list_builder list = {.arena = a};
    for (size_t i = 0; i < p->change_count; i++) {
        const struct change *c = &p->changes[i];
        if (c->action == ACTION_READ) {
            list_add(&list, value_string(a, c->address.text));
        }
        if (c->condition_known_on_deploy && c->kind == ELEMENT_RESOURCE) {
            list_add(&list, value_string(a, arena_printf(a, "%.*s.condition", SV_ARG(c->address.text))));
        }
        for (size_t k = 0; k < c->known_on_deploy_count; k++) {
            sv path = c->known_on_deploy[k];
            bool is_export = c->kind == ELEMENT_EXPORT; /* its path leads into its value */
            path = is_export ? sv_slice(path, sizeof "value" - 1, path.len) : path;
            list_add(&list, value_string(a, arena_printf(a, "%.*s%s%.*s", SV_ARG(c->address.text), is_export ? "" : ".",
                                                         SV_ARG(path))));
        }
    }
    return list_done(&list);
}

/* --- operations --- */

struct waits {
    const uint32_t *after;
    const bool *after_config;
    size_t count;
};

static void put_waits(struct map_builder *b, const struct plan *p, struct waits w) {
    struct list_builder after = {.arena = b->arena}, after_config = {.arena = b->arena};
    for (size_t i = 0; i < w.count; i++) {
        uint32_t n = w.after[i];
        struct list_builder *list = w.after_config[i] ? &after_config : &after;
        list_add(list, value_string(b->arena, n < p->op_count ? p->ops[n].id : p->barriers[n - p->op_count].id));
    }
    map_add(b, SV("after"), list_done(&after));
    map_add(b, SV("afterConfigComplete"), list_done(&after_config));
}

static value op_value(struct arena *a, const struct plan *p, const struct plan_op *op) {
    struct map_builder b = {.arena = a};
    field_put_text(&b, "id", op->id);
    map_add(&b, SV("change"), value_int((int64_t)op->change));
    field_put_text(&b, "address", p->changes[op->change].address.text);
    map_add(&b, SV("late"), value_bool(op->late));
    field_put_bool(&b, "onlyIfExcluded", op->only_if_excluded);
    put_waits(&b, p, (struct waits){op->after, op->after_config, op->after_count});
    return map_done(&b);
}

static value barriers_value(struct arena *a, const struct plan *p) {
    struct list_builder list = {.arena = a};
    for (size_t i = 0; i < p->barrier_count; i++) {
        const struct plan_barrier *barrier = &p->barriers[i];
        struct map_builder b = {.arena = a};
        field_put_text(&b, "id", barrier->id);
        field_put_text(&b, "of", barrier->of);
        put_waits(&b, p, (struct waits){barrier->after, barrier->after_config, barrier->after_count});
        list_add(&list, map_done(&b));
    }
    return list.len == 0 ? (value){0} : list_done(&list);
}

static value ops_value(struct arena *a, const struct plan *p) {
    struct list_builder list = {.arena = a};
    for (size_t i = 0; i < p->op_count; i++) {
        list_add(&list, op_value(a, p, &p->ops[i]));
    }
    return list_done(&list);
}

/* --- the whole --- */

static value inputs_value(struct arena *a, const struct plan *p) {
    struct list_builder list = {.arena = a};
    for (size_t i = 0; i < p->input_count; i++) {
        struct map_builder b = {.arena = a};
        field_put_text(&b, "name", p->inputs[i].name);
        field_put_text(&b, "form", p->inputs[i].form == INPUT_TYPED ? SV("typed") : SV("text"));
        map_add(&b, SV("value"), p->inputs[i].item);
        list_add(&list, map_done(&b));
    }
    return list_done(&list);
}

static value summary_value(struct arena *a, const struct plan_summary *s) {
    struct map_builder b = {.arena = a};
    map_add(&b, SV("create"), value_int((int64_t)s->create));
    map_add(&b, SV("update"), value_int((int64_t)s->update));
    map_add(&b, SV("replace"), value_int((int64_t)s->replace));
    map_add(&b, SV("destroy"), value_int((int64_t)s->destroy));
    map_add(&b, SV("retain"), value_int((int64_t)s->retain));
    map_add(&b, SV("check"), value_int((int64_t)s->check));
    return map_done(&b);
}

static value template_value(struct arena *a, const struct plan *p) {
    struct map_builder b = {.arena = a};
    field_put_text(&b, "file", p->template_file);
    field_put_text(&b, "rootDir", p->root_dir);
    field_put_text(&b, "digest", p->template_digest);
    if (p->is_text_secret) {
        map_add(&b, SV("text"), value_mark(value_string(a, p->template_text), MARK_SENSITIVE));
    } else {
        field_put_text(&b, "text", p->template_text);
    }
    return map_done(&b);
}

static value instance_value(struct arena *a, const struct plan *p) {
    struct map_builder b = {.arena = a};
    field_put_text(&b, "id", p->instance_id);
    field_put_text(&b, "name", p->instance_name);
    field_put_text(&b, "context", p->context);
    map_add(&b, SV("version"), value_int(p->instance_version));
    return map_done(&b);
}

static value drift_value(struct arena *a, const struct plan *p) {
    struct list_builder list = {.arena = a};
    for (size_t i = 0; i < p->drift_count; i++) {
        list_add(&list, change_value(a, &p->drift[i], i));
    }
    return list_done(&list);
}

/* Those that this plan rests on; what an earlier run kept and nobody asked for any more stays with the instance. */
static value used_results(struct arena *a, const struct run_record *record) {
    struct run_result *used = ARENA_ARRAY(a, struct run_result, record->items.len + 1);
    size_t count = 0;
    for (size_t i = 0; i < record->items.len; i++) {
        if (record->items.items[i].used) {
            used[count++] = record->items.items[i];
        }
    }
    return record_encode_results(a, used, count, 0);
}

static value scope_value(struct arena *a, const struct plan_scope *s) {
    struct map_builder b = {.arena = a};
    field_put_texts(&b, "targets", s->targets, s->target_count);
    field_put_texts(&b, "excludes", s->excludes, s->exclude_count);
    field_put_texts(&b, "replaces", s->replaces, s->replace_count);
    field_put_texts(&b, "leftOut", s->left_out, s->left_out_count);
    return s->target_count + s->exclude_count + s->replace_count == 0 ? (value){0} : map_done(&b);
}

/* In front of the changes. */
static void put_head(struct map_builder *b, const struct plan *p, bool is_sealed) {
    struct arena *a = b->arena;
    map_add(b, SV("planFormat"), value_string(a, SV(PLAN_FORMAT)));
    field_put_text(b, "id", p->id);
    field_put_text(b, "dialect", p->dialect);
    map_add(b, SV("engine"), value_string(a, SV("lintel " LINTEL_VERSION)));
    map_add(b, SV("sealed"), value_bool(is_sealed));
    map_add(b, SV("destroy"), value_bool(p->destroy));
    field_put_bool(b, "rollback", p->rollback != NULL);
    map_add(b, SV("interrupted"), value_bool(p->has_interrupted));
    map_add(b, SV("runTime"), value_int(p->run_ms));
    map_add(b, SV("instance"), instance_value(a, p));
    map_add(b, SV("template"), template_value(a, p));
    map_add(b, SV("inputs"), inputs_value(a, p));
    map_add(b, SV("summary"), summary_value(a, &p->summary));
    field_put_value(b, "scope", scope_value(a, &p->scope));
}

/* Behind the operations. */
static void put_rest(struct map_builder *b, const struct plan *p, bool is_sealed) {
    field_put_value(b, "barriers", barriers_value(b->arena, p));
    field_put_value(b, "includeDigests", record_encode_digests(b->arena, p->pins, p->pin_count));
    if (is_sealed && p->record != NULL) { /* what is only looked at is not told which secrets were asked for */
        field_put_value(b, "results", used_results(b->arena, p->record));
    }
}

/* As one value: where secrets stand in it is part of how they are sealed. */
static value plan_value(struct arena *a, const struct plan *p) {
    struct map_builder b = {.arena = a};
    put_head(&b, p, true);
    put_groups(&b, p);
    map_add(&b, SV("resolveOnDeploy"), resolve_on_deploy(a, p));
    map_add(&b, SV("drift"), drift_value(a, p));
    map_add(&b, SV("operations"), ops_value(a, p));
    put_rest(&b, p, true);
    return map_done(&b);
}

/* --- piece by piece: of many changes the values would take several times what their text does --- */

static void write_members(struct jsonw *w, struct map_builder *b) {
    value v = map_done(b);
    for (size_t i = 0; i < v.map->len; i++) {
        jsonw_key(w, v.map->entries[i].key);
        value_write_json(w, v.map->entries[i].item, REDACT);
    }
}

static void write_change(struct jsonw *w, const struct change *c, size_t number) {
    struct arena scratch = {0};
    value_write_json(w, change_value(&scratch, c, number), REDACT);
    arena_fini(&scratch);
}

static void write_groups(struct jsonw *w, const struct plan *p) {
    for (size_t g = 0; g < plan_group_count; g++) {
        jsonw_key(w, sv_from_cstr(plan_groups[g].key));
        jsonw_begin_array(w);
        for (size_t i = 0; i < p->change_count; i++) {
            if (is_in_group(&p->changes[i], &plan_groups[g])) {
                write_change(w, &p->changes[i], i);
            }
        }
        jsonw_end_array(w);
    }
}

static void write_ops(struct jsonw *w, const struct plan *p) {
    jsonw_key(w, SV("operations"));
    jsonw_begin_array(w);
    for (size_t i = 0; i < p->op_count; i++) {
        struct arena scratch = {0};
        value_write_json(w, op_value(&scratch, p, &p->ops[i]), REDACT);
        arena_fini(&scratch);
    }
    jsonw_end_array(w);
}

static void write_open(struct jsonw *w, const struct plan *p) {
    struct arena scratch = {0};
    struct map_builder head = {.arena = &scratch}, middle = {.arena = &scratch}, rest = {.arena = &scratch};
    jsonw_begin_object(w);
    put_head(&head, p, false);
    write_members(w, &head);
    write_groups(w, p);
    map_add(&middle, SV("resolveOnDeploy"), resolve_on_deploy(&scratch, p));
    write_members(w, &middle);
    jsonw_key(w, SV("drift"));
    jsonw_begin_array(w);
    for (size_t i = 0; i < p->drift_count; i++) {
        write_change(w, &p->drift[i], i);
    }
    jsonw_end_array(w);
    write_ops(w, p);
    put_rest(&rest, p, false);
    write_members(w, &rest);
    jsonw_end_object(w);
    arena_fini(&scratch);
}

void plan_write_json(struct jsonw *w, const struct plan *p, struct sealer *sealer) {
    if (sealer == NULL) {
        write_open(w, p);
        return;
    }
    struct arena scratch = {0};
    struct seal_place place = {.instance_id = p->instance_id, .address = SV("plan")};
    jsonw_raw(w, seal_encode(sealer, &scratch, &place, plan_value(&scratch, p)));
    arena_fini(&scratch);
}
