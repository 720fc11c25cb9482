#include "engine/records.h"

#include "engine/fields.h"

static const char link_row_type[] = "link";

static struct seal_place place_of(const struct record_codec *c, sv address) {
    return (struct seal_place){.instance_id = c->instance_id, .address = address};
}

static value encode_deposed(struct arena *a, const struct resource_record *r) {
    struct list_builder list = {.arena = a};
    for (size_t i = 0; i < r->deposed_count; i++) {
        const struct deposed *d = &r->deposed[i];
        struct map_builder b = {.arena = a};
        field_put_text(&b, "physicalId", d->physical_id);
        field_put_text(&b, "type", d->type);
        field_put_value(&b, "specData", d->spec);
        field_put_value(&b, "computedFields", d->computed);
        field_put_text(&b, "generation", d->generation);
        list_add(&list, map_done(&b));
    }
    return r->deposed_count == 0 ? (value){0} : list_done(&list);
}

struct store_element record_encode_resource(struct record_codec *c, const struct resource_record *r) {
    struct map_builder b = {.arena = c->arena};
    field_put_text(&b, "name", r->name);
    field_put_text(&b, "templateName", r->template_name);
    field_put_value(&b, "specData", r->spec);
    field_put_value(&b, "computedFields", r->computed);
    field_put_value(&b, "metadata", r->metadata);
    field_put_text(&b, "description", r->description);
    field_put_text(&b, "removalPolicy", r->removal_policy);
    field_put_texts(&b, "dependsOnResources", r->depends_on, r->depends_on_count);
    field_put_value(&b, "deposed", encode_deposed(c->arena, r));
    field_put_texts(&b, "failureReasons", r->failure_reasons, r->failure_reason_count);
    field_put_int(&b, "generation", r->generation);
    field_put_int(&b, "position", r->position);
    field_put_int(&b, "lastStatusUpdate", r->last_status_ms);
    field_put_int(&b, "duration", r->duration_ms);
    field_put_text(&b, "madeBy", r->made_by);
    field_put_int(&b, "typeVersion", (int64_t)r->type_version);
    field_put_bool(&b, "unclaimed", r->is_unclaimed);
    field_put_bool(&b, "drifted", value_is_set(r->drift));
    field_put_int(&b, "lastDriftDetected", r->drift_ms);
    field_put_value(&b, "drift", r->drift);
    struct seal_place place = place_of(c, r->address.text);
    return (struct store_element){
        .address = r->address.text,
        .type = r->type,
        .status = status_get_text(r->status),
        .precise_status = status_get_text(r->precise_status),
        .physical_id = r->physical_id,
        .created_ms = r->created_ms,
        .updated_ms = r->updated_ms,
        .body = seal_encode(c->sealer, c->arena, &place, map_done(&b)),
    };
}

/* A list, as it is shown (BP-552); in memory a map by id. */
static value encode_intermediaries(struct arena *a, value map) {
    struct list_builder list = {.arena = a};
    for (size_t i = 0; map.kind == VALUE_MAP && i < map.map->len; i++) {
        struct map_builder b = {.arena = a};
        field_put_text(&b, "resourceID", map.map->entries[i].key);
        field_put_value(&b, "resourceType", field_get_value(map.map->entries[i].item, "resourceType"));
        field_put_bool(&b, "owned", field_get_bool(map.map->entries[i].item, "owned"));
        field_put_value(&b, "resourceSpecData", field_get_value(map.map->entries[i].item, "resourceSpecData"));
        list_add(&list, map_done(&b));
    }
    return list.len == 0 ? (value){0} : list_done(&list);
}

static value decode_intermediaries(struct arena *a, value body) {
    const value *items;
    size_t count = field_get_items(body, "intermediaryResourceStates", &items);
    struct map_builder b = {.arena = a};
    for (size_t i = 0; i < count; i++) {
        struct map_builder one = {.arena = a};
        field_put_text(&one, "resourceType", field_get_text(items[i], "resourceType"));
        map_add(&one, SV("owned"), value_bool(field_get_bool(items[i], "owned")));
        field_put_value(&one, "resourceSpecData", field_get_value(items[i], "resourceSpecData"));
        map_set(&b, field_get_text(items[i], "resourceID"), map_done(&one));
    }
    return count == 0 ? (value){0} : map_done(&b);
}

struct store_element record_encode_link(struct record_codec *c, const struct link_record *l) {
    struct map_builder b = {.arena = c->arena};
    field_put_text(&b, "a", l->a);
    field_put_text(&b, "b", l->b);
    field_put_text(&b, "typeA", l->type_a);
    field_put_text(&b, "typeB", l->type_b);
    field_put_value(&b, "data", l->data);
    field_put_value(&b, "computedData", l->computed);
    field_put_value(&b, "resourceDataMappings", l->mappings);
    field_put_value(&b, "updatedFields", l->fields);
    field_put_value(&b, "intermediaryResourceStates", encode_intermediaries(c->arena, l->intermediaries));
    field_put_bool(&b, "active", l->is_active);
    field_put_int(&b, "generation", l->generation);
    field_put_int(&b, "position", l->position);
    field_put_text(&b, "opKey", l->op_key);
    field_put_text(&b, "opDigest", l->op_digest);
    field_put_texts(&b, "failureReasons", l->failure_reasons, l->failure_reason_count);
    field_put_int(&b, "lastStatusUpdate", l->last_status_ms);
    field_put_int(&b, "duration", l->duration_ms);
    field_put_bool(&b, "drifted", value_is_set(l->drift));
    field_put_int(&b, "lastDriftDetected", l->drift_ms);
    field_put_value(&b, "drift", l->drift);
    struct seal_place place = place_of(c, l->address.text);
    return (struct store_element){
        .address = l->address.text,
        .type = sv_from_cstr(link_row_type),
        .status = status_get_text(l->status),
        .precise_status = status_get_text(l->precise_status),
        .created_ms = l->created_ms,
        .updated_ms = l->updated_ms,
        .body = seal_encode(c->sealer, c->arena, &place, map_done(&b)),
    };
}

bool record_is_link_row(const struct store_element *row) {
    return sv_eq_cstr(row->type, link_row_type);
}

static bool report_corrupt(struct record_codec *c, sv address) {
    diags_add(c->diags, DIAG_state_corrupt, SPAN_NONE, "the stored record of '%.*s' cannot be read", SV_ARG(address));
    return false;
}

static void decode_deposed(struct record_codec *c, value body, struct resource_record *r) {
    const value *items;
    r->deposed_count = field_get_items(body, "deposed", &items);
    r->deposed = r->deposed_count == 0 ? NULL : ARENA_ARRAY(c->arena, struct deposed, r->deposed_count);
    for (size_t i = 0; i < r->deposed_count; i++) {
        r->deposed[i] = (struct deposed){
            .physical_id = field_get_text(items[i], "physicalId"),
            .type = field_get_text(items[i], "type"),
            .spec = field_get_value(items[i], "specData"),
            .computed = field_get_value(items[i], "computedFields"),
            .generation = field_get_text(items[i], "generation"),
        };
    }
}

bool record_decode_resource(struct record_codec *c, const struct store_element *row, struct resource_record *r) {
    struct seal_place place = place_of(c, row->address);
    value body = seal_decode(c->sealer, c->arena, &place, row->body, &c->unopened, c->diags);
    enum status status = status_find(row->status), precise = status_find(row->precise_status);
    if (body.kind != VALUE_MAP || status == 0 || precise == 0) {
        return report_corrupt(c, row->address);
    }
    *r = (struct resource_record){
        .address = {row->address},
        .name = field_get_text(body, "name"),
        .type = row->type,
        .template_name = field_get_text(body, "templateName"),
        .status = status,
        .precise_status = precise,
        .spec = field_get_value(body, "specData"),
        .computed = field_get_value(body, "computedFields"),
        .metadata = field_get_value(body, "metadata"),
        .description = field_get_text(body, "description"),
        .physical_id = row->physical_id,
        .removal_policy = field_get_text(body, "removalPolicy"),
        .generation = field_get_int(body, "generation"),
        .position = field_get_int(body, "position"),
        .created_ms = row->created_ms,
        .updated_ms = row->updated_ms,
        .last_status_ms = field_get_int(body, "lastStatusUpdate"),
        .duration_ms = field_get_int(body, "duration"),
        .made_by = field_get_text(body, "madeBy"),
        .type_version = (unsigned)field_get_int(body, "typeVersion"),
        .is_unclaimed = field_get_bool(body, "unclaimed"),
        .drift = field_get_value(body, "drift"),
        .drift_ms = field_get_int(body, "lastDriftDetected"),
    };
    r->depends_on_count = field_get_texts(c->arena, body, "dependsOnResources", &r->depends_on);
    r->failure_reason_count = field_get_texts(c->arena, body, "failureReasons", &r->failure_reasons);
    decode_deposed(c, body, r);
    return true;
}

static const sv *copy_texts(struct arena *a, const sv *texts, size_t count) {
    sv *copy = count == 0 ? NULL : ARENA_ARRAY(a, sv, count);
    for (size_t i = 0; i < count; i++) {
        copy[i] = arena_copy_sv(a, texts[i]);
    }
    return copy;
}

static sv copy_text(struct arena *a, sv text) {
    return text.len == 0 ? (sv){0} : arena_copy_sv(a, text);
}

static value copy_value(struct arena *a, value v) {
    return value_is_set(v) ? value_copy(a, v) : v;
}

static struct deposed *copy_deposed(struct arena *a, const struct resource_record *r) {
    struct deposed *copy = r->deposed_count == 0 ? NULL : ARENA_ARRAY(a, struct deposed, r->deposed_count);
    for (size_t i = 0; i < r->deposed_count; i++) {
        const struct deposed *d = &r->deposed[i];
        copy[i] = (struct deposed){
            .physical_id = copy_text(a, d->physical_id),
            .type = copy_text(a, d->type),
            .spec = copy_value(a, d->spec),
            .computed = copy_value(a, d->computed),
            .generation = copy_text(a, d->generation),
        };
    }
    return copy;
}

bool record_is_closed(const struct resource_record *r) {
    unsigned within = r->spec.within | r->computed.within | r->metadata.within | r->drift.within;
    for (size_t i = 0; i < r->deposed_count; i++) {
        within |= r->deposed[i].spec.within | r->deposed[i].computed.within;
    }
    return (within & WITHIN_UNKNOWN) != 0;
}

struct resource_record record_copy_resource(struct arena *a, const struct resource_record *r) {
    struct resource_record copy = *r;
    sv *texts[] = {&copy.address.text, &copy.name,        &copy.type,           &copy.template_name,
                   &copy.description,  &copy.physical_id, &copy.removal_policy, &copy.made_by};
    value *values[] = {&copy.spec, &copy.computed, &copy.metadata, &copy.drift};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        *texts[i] = copy_text(a, *texts[i]);
    }
    for (size_t i = 0; i < sizeof values / sizeof *values; i++) {
        *values[i] = copy_value(a, *values[i]);
    }
    copy.depends_on = copy_texts(a, r->depends_on, r->depends_on_count);
    copy.failure_reasons = copy_texts(a, r->failure_reasons, r->failure_reason_count);
    copy.deposed = copy_deposed(a, r);
    return copy;
}

bool record_decode_link(struct record_codec *c, const struct store_element *row, struct link_record *l) {
    struct seal_place place = place_of(c, row->address);
    value body = seal_decode(c->sealer, c->arena, &place, row->body, &c->unopened, c->diags);
    enum status status = status_find(row->status), precise = status_find(row->precise_status);
    if (body.kind != VALUE_MAP || status == 0 || precise == 0) {
        return report_corrupt(c, row->address);
    }
    *l = (struct link_record){
        .address = {row->address},
        .a = field_get_text(body, "a"),
        .b = field_get_text(body, "b"),
        .status = status,
        .precise_status = precise,
        .data = field_get_value(body, "data"),
        .type_a = field_get_text(body, "typeA"),
        .type_b = field_get_text(body, "typeB"),
        .computed = field_get_value(body, "computedData"),
        .mappings = field_get_value(body, "resourceDataMappings"),
        .fields = field_get_value(body, "updatedFields"),
        .intermediaries = decode_intermediaries(c->arena, body),
        .is_active = field_get_bool(body, "active"),
        .generation = field_get_int(body, "generation"),
        .position = field_get_int(body, "position"),
        .op_key = field_get_text(body, "opKey"),
        .op_digest = field_get_text(body, "opDigest"),
        .last_status_ms = field_get_int(body, "lastStatusUpdate"),
        .duration_ms = field_get_int(body, "duration"),
        .drift = field_get_value(body, "drift"),
        .drift_ms = field_get_int(body, "lastDriftDetected"),
        .created_ms = row->created_ms,
        .updated_ms = row->updated_ms,
    };
    l->failure_reason_count = field_get_texts(c->arena, body, "failureReasons", &l->failure_reasons);
    return true;
}

bool record_has_object(const struct resource_record *r) {
    return value_is_set(r->spec);
}

/* --- instances --- */

static value encode_exports(struct arena *a, const struct instance_body *body) {
    struct list_builder list = {.arena = a};
    for (size_t i = 0; i < body->export_count; i++) {
        const struct export_record *e = &body->exports[i];
        struct map_builder b = {.arena = a};
        field_put_text(&b, "name", e->name);
        field_put_text(&b, "type", e->type);
        field_put_text(&b, "description", e->description);
        field_put_text(&b, "field", e->field);
        map_add(&b, SV("value"), e->item);
        list_add(&list, map_done(&b));
    }
    return body->export_count == 0 ? (value){0} : list_done(&list);
}

/* --- what was found out once --- */

value record_encode_results(struct arena *a, const struct run_result *items, size_t count, enum record_life life) {
    struct list_builder list = {.arena = a};
    for (size_t i = 0; i < count; i++) {
        const struct run_result *r = &items[i];
        if (life != 0 && r->life != life) {
            continue;
        }
        struct map_builder b = {.arena = a};
        field_put_text(&b, "key", r->key);
        field_put_bool(&b, "kept", r->life == RECORD_INSTANCE);
        field_put_bool(&b, "bytes", r->item.kind == VALUE_BYTES);
        field_put_bool(&b, "none", r->item.kind == VALUE_ABSENT);
        map_add(&b, SV("value"), r->item);
        list_add(&list, map_done(&b));
    }
    return list.len == 0 ? (value){0} : list_done(&list);
}

/* Bytes that are text come back as a string. */
static value decode_item(struct arena *a, value v) {
    value item = value_map_find(v, SV("value"));
    if (field_get_bool(v, "none") || !value_is_set(item)) {
        return value_absent();
    }
    bool is_text = field_get_bool(v, "bytes") && item.kind == VALUE_STRING;
    return is_text ? value_mark(value_bytes(a, value_get_text(item)), item.marks) : item;
}

size_t record_decode_results(struct arena *a, value list, struct run_result **items) {
    size_t count = list.kind == VALUE_LIST ? list.list->len : 0;
    *items = count == 0 ? NULL : ARENA_ARRAY(a, struct run_result, count);
    for (size_t i = 0; i < count; i++) {
        value v = list.list->items[i];
        if (v.kind != VALUE_MAP) {
            return i;
        }
        (*items)[i] = (struct run_result){
            .key = field_get_text(v, "key"),
            .life = field_get_bool(v, "kept") ? RECORD_INSTANCE : RECORD_RUN,
            .item = decode_item(a, v),
        };
    }
    return count;
}

value record_encode_digests(struct arena *a, const struct content_pin *items, size_t count) {
    struct list_builder list = {.arena = a};
    for (size_t i = 0; i < count; i++) {
        struct map_builder b = {.arena = a};
        field_put_text(&b, "location", items[i].location);
        field_put_text(&b, "digest", items[i].digest);
        field_put_text(&b, "commit", items[i].commit);
        list_add(&list, map_done(&b));
    }
    return count == 0 ? (value){0} : list_done(&list);
}

size_t record_decode_digests(struct arena *a, value list, struct content_pin **items) {
    size_t count = list.kind == VALUE_LIST ? list.list->len : 0;
    *items = count == 0 ? NULL : ARENA_ARRAY(a, struct content_pin, count);
    for (size_t i = 0; i < count; i++) {
        (*items)[i] = (struct content_pin){
            .location = field_get_text(list.list->items[i], "location"),
            .digest = field_get_text(list.list->items[i], "digest"),
            .commit = field_get_text(list.list->items[i], "commit"),
        };
    }
    return count;
}

sv record_encode_instance(struct record_codec *c, const struct instance_body *body) {
    struct map_builder b = {.arena = c->arena};
    field_put_text(&b, "planId", body->plan_id);
    field_put_text(&b, "runId", body->run_id);
    field_put_text(&b, "templateDigest", body->template_digest);
    field_put_text(&b, "templateFile", body->template_file);
    field_put_text(&b, "rootDir", body->root_dir);
    field_put_int(&b, "lastDeployAttempt", body->last_attempt_ms);
    field_put_int(&b, "lastDeployed", body->last_deployed_ms);
    field_put_int(&b, "duration", body->duration_ms);
    field_put_int(&b, "historyNumber", body->history_number);
    field_put_int(&b, "journalSequence", body->journal_sequence);
    if (body->journal_sequence != 0) {
        field_put_text(&b, "journalMac", field_print_hex(c->arena, body->journal_mac, sizeof body->journal_mac));
    }
    field_put_value(&b, "metadata", body->metadata);
    field_put_value(&b, "exports", encode_exports(c->arena, body));
    field_put_value(&b, "results", record_encode_results(c->arena, body->results, body->result_count, RECORD_INSTANCE));
    field_put_value(&b, "includeDigests", record_encode_digests(c->arena, body->digests, body->digest_count));
    struct seal_place place = place_of(c, SV("instance"));
    return seal_encode(c->sealer, c->arena, &place, map_done(&b));
}

bool record_decode_instance(struct record_codec *c, sv json, struct instance_body *body) {
    struct seal_place place = place_of(c, SV("instance"));
    value v = seal_decode(c->sealer, c->arena, &place, json, &c->unopened, c->diags);
    if (v.kind != VALUE_MAP) {
        return report_corrupt(c, SV("instance"));
    }
    *body = (struct instance_body){
        .plan_id = field_get_text(v, "planId"),
        .run_id = field_get_text(v, "runId"),
        .template_digest = field_get_text(v, "templateDigest"),
        .template_file = field_get_text(v, "templateFile"),
        .root_dir = field_get_text(v, "rootDir"),
        .last_attempt_ms = field_get_int(v, "lastDeployAttempt"),
        .last_deployed_ms = field_get_int(v, "lastDeployed"),
        .duration_ms = field_get_int(v, "duration"),
        .history_number = field_get_int(v, "historyNumber"),
        .journal_sequence = field_get_int(v, "journalSequence"),
        .metadata = field_get_value(v, "metadata"),
    };
    if (body->journal_sequence != 0 &&
        !field_parse_hex(field_get_text(v, "journalMac"), body->journal_mac, sizeof body->journal_mac)) {
        return report_corrupt(c, SV("instance"));
    }
    body->result_count = record_decode_results(c->arena, field_get_value(v, "results"), &body->results);
    body->digest_count = record_decode_digests(c->arena, field_get_value(v, "includeDigests"), &body->digests);
    const value *items;
    body->export_count = field_get_items(v, "exports", &items);
    body->exports = body->export_count == 0 ? NULL : ARENA_ARRAY(c->arena, struct export_record, body->export_count);
    for (size_t i = 0; i < body->export_count; i++) {
        body->exports[i] = (struct export_record){
            .name = field_get_text(items[i], "name"),
            .type = field_get_text(items[i], "type"),
            .description = field_get_text(items[i], "description"),
            .field = field_get_text(items[i], "field"),
            .item = items[i].kind == VALUE_MAP ? value_map_find(items[i], SV("value")) : (value){0},
        };
    }
    return true;
}
