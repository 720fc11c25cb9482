/* From a file to rows, with every mistake at its place. */
#include "doc/reader.h"
#include "engine/transfer.h"
#include "engine/transfer_check.h"
#include "text/render.h"
#include "value/convert.h"

enum { FORMAT = 1, ID_LEN = 21, NAME_MAX_BYTES = 1024 };

struct reader {
    struct arena *arena;
    const struct limits *limits;
    struct diags *diags;
};

static bool fail(const struct reader *r, span at, const char *hint, sv message) {
    struct diag *d = diags_add(r->diags, DIAG_invalid_state_file, at, "%.*s", SV_ARG(message));
    diag_set_hint(r->diags, d, "%s", hint == NULL ? "nothing of the file was imported" : hint);
    return false;
}

/* --- fields --- */

static const struct node *take(const struct reader *r, const struct node *map, const char *key) {
    const struct node *n = map->kind == NODE_MAPPING ? node_find(map, sv_from_cstr(key)) : NULL;
    if (n == NULL) {
        fail(r, map->at, NULL, arena_printf(r->arena, "the field '%s' is missing", key));
    }
    return n;
}

static bool is_plain_text(sv text) {
    for (size_t i = 0; i < text.len; i++) {
        if ((unsigned char)text.data[i] < 0x20 || text.data[i] == 0x7f) {
            return false;
        }
    }
    return text.len <= NAME_MAX_BYTES;
}

static bool take_any_text(const struct reader *r, const struct node *map, const char *key, sv *result) {
    const struct node *n = take(r, map, key);
    if (n == NULL) {
        return false;
    }
    if (n->kind != NODE_SCALAR || n->style != NODE_DOUBLE_QUOTED) {
        return fail(r, n->at, NULL, arena_printf(r->arena, "'%s' is not a string", key));
    }
    *result = n->text;
    return true;
}

/* Of names: short, and nothing that a terminal would take for a command. */
static bool take_text(const struct reader *r, const struct node *map, const char *key, sv *result) {
    if (!take_any_text(r, map, key, result)) {
        return false;
    }
    return (result->len > 0 && is_plain_text(*result)) ||
           fail(r, node_find(map, sv_from_cstr(key))->at, NULL,
                arena_printf(r->arena, "'%s' is empty, too long, or holds control characters", key));
}

static bool take_number(const struct reader *r, const struct node *map, const char *key, int64_t least,
                        int64_t *result) {
    const struct node *n = take(r, map, key);
    if (n == NULL) {
        return false;
    }
    value v = n->kind == NODE_SCALAR ? value_from_scalar(r->arena, n, scalar_resolve_json, r->diags) : (value){0};
    bool ok = v.kind == VALUE_INT && v.integer >= least && v.integer < INT64_MAX / 2;
    *result = ok ? v.integer : 0;
    return ok || fail(r, n->at, NULL,
                      arena_printf(r->arena, "'%s' is not a whole number of at least %lld", key, (long long)least));
}

static bool take_status(const struct reader *r, const struct node *map, const char *key, sv *result) {
    if (!take_text(r, map, key, result)) {
        return false;
    }
    return status_find(*result) != 0 || fail(r, node_find(map, sv_from_cstr(key))->at, NULL,
                                             arena_printf(r->arena, "'%.*s' is no status", SV_ARG(*result)));
}

static bool take_body(const struct reader *r, const struct node *map, value *body, sv *result) {
    const struct node *n = take(r, map, "body");
    if (n == NULL) {
        return false;
    }
    if (n->kind != NODE_MAPPING) {
        return fail(r, n->at, NULL, SV("'body' is not an object"));
    }
    *body = value_from_node(r->arena, n, scalar_resolve_json, r->limits, r->diags);
    *result =
        span_get_text(r->diags->sources, n->at); /* as it stands there: what is sealed in it is marked by its form */
    return !value_is_error(*body);
}

static bool take_list(const struct reader *r, const struct node *map, const char *key, const struct node **result) {
    *result = take(r, map, key);
    return *result != NULL && ((*result)->kind == NODE_SEQUENCE ||
                               fail(r, (*result)->at, NULL, arena_printf(r->arena, "'%s' is not an array", key)));
}

/* --- elements --- */

static bool check_address(const struct reader *r, span at, const struct store_element *e) {
    struct addr_parts parts = {0};
    bool ok = addr_parse(r->arena, e->address, &parts) && parts.property.len == 0 &&
              (parts.kind == ELEMENT_RESOURCE || parts.kind == ELEMENT_LINK) &&
              sv_eq(addr_make(r->arena, parts.parent, parts.kind, parts.name).text, e->address);
    if (!ok) {
        return fail(r, at, NULL,
                    arena_printf(r->arena, "'%.*s' is no address of a resource or a link",
                                 SV_ARG(render_escape(r->arena, sv_slice(e->address, 0, 80)))));
    }
    return record_is_link_row(e) == (parts.kind == ELEMENT_LINK) ||
           fail(r, at, NULL,
                arena_printf(r->arena, "the type '%.*s' does not fit the address '%.*s'", SV_ARG(e->type),
                             SV_ARG(e->address)));
}

static bool read_element(const struct reader *r, const struct node *n, struct transfer_instance *i,
                         struct transfer_check *check) {
    struct store_element *e = VEC_ADD(r->arena, &i->elements);
    value body = {0};
    VEC_PUSH(r->arena, &i->places, n->at);
    bool ok = n->kind == NODE_MAPPING || fail(r, n->at, NULL, SV("an element is an object"));
    ok = ok && take_text(r, n, "address", &e->address) && take_text(r, n, "type", &e->type) &&
         take_status(r, n, "status", &e->status) && take_status(r, n, "preciseStatus", &e->precise_status) &&
         take_any_text(r, n, "physicalId", &e->physical_id) && take_number(r, n, "createdMs", 0, &e->created_ms) &&
         take_number(r, n, "updatedMs", 0, &e->updated_ms) && take_body(r, n, &body, &e->body);
    return ok && check_address(r, n->at, e) && transfer_check_add(check, e->address, body, n->at);
}

static bool read_elements(const struct reader *r, const struct node *map, struct transfer_instance *i) {
    const struct node *list;
    if (!take_list(r, map, "elements", &list)) {
        return false;
    }
    if (list->count > r->limits->elements) {
        return fail(r, list->at, NULL,
                    arena_printf(r->arena, "an instance has at most %zu elements", r->limits->elements));
    }
    struct transfer_check check;
    transfer_check_init(&check, r->arena, r->diags);
    bool ok = true;
    for (uint32_t k = 0; k < list->count; k++) {
        ok = read_element(r, list->items[k], i, &check) && ok;
    }
    return ok && transfer_check_order(&check);
}

/* --- history --- */

static bool read_past(const struct reader *r, const struct node *n, struct transfer_instance *i) {
    struct store_history *h = VEC_ADD(r->arena, &i->history);
    value body = {0};
    int64_t least = i->history.len > 1 ? i->history.items[i->history.len - 2].number + 1 : 1;
    bool ok = n->kind == NODE_MAPPING || fail(r, n->at, NULL, SV("an entry of the history is an object"));
    return ok && take_number(r, n, "number", least, &h->number) && take_text(r, n, "runId", &h->run_id) &&
           take_text(r, n, "kind", &h->kind) && take_text(r, n, "actor", &h->actor) &&
           take_text(r, n, "outcome", &h->outcome) && take_number(r, n, "startedMs", 0, &h->started_ms) &&
           take_number(r, n, "endedMs", 0, &h->ended_ms) && take_body(r, n, &body, &h->body);
}

static bool read_history(const struct reader *r, const struct node *map, struct transfer_instance *i) {
    const struct node *list;
    bool ok = take_list(r, map, "history", &list);
    for (uint32_t k = 0; ok && k < list->count; k++) {
        ok = read_past(r, list->items[k], i);
    }
    return ok;
}

/* --- instances --- */

static bool is_id(sv id) {
    bool ok = id.len == ID_LEN;
    for (size_t i = 0; ok && i < id.len; i++) {
        char c = id.data[i];
        ok = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' || c == '_';
    }
    return ok;
}

static bool check_format(const struct reader *r, const struct node *n) {
    int64_t format = 0;
    if (n->kind != NODE_MAPPING) {
        return fail(r, n->at, "lintel state export writes such files", SV("an instance is an object"));
    }
    if (!take_number(r, n, "formatVersion", 1, &format)) {
        return false;
    }
    return format == FORMAT ||
           fail(r, node_find(n, SV("formatVersion"))->at, "use the lintel that wrote it, or a newer one",
                arena_printf(r->arena, "the instance has format %lld, this lintel knows format %d", (long long)format,
                             FORMAT));
}

static bool read_instance(const struct reader *r, const struct node *n, struct transfer_instance *i) {
    struct store_instance *row = &i->row;
    value body = {0};
    i->at = n->at;
    bool ok = check_format(r, n) && take_text(r, n, "id", &row->id) && take_text(r, n, "name", &row->name) &&
              take_text(r, n, "context", &row->context) && take_text(r, n, "dialect", &row->dialect) &&
              take_status(r, n, "status", &row->status) && take_number(r, n, "version", 1, &row->version) &&
              take_number(r, n, "createdMs", 0, &row->created_ms) &&
              take_number(r, n, "updatedMs", 0, &row->updated_ms) && take_body(r, n, &body, &row->body);
    if (ok && !is_id(row->id)) {
        ok = fail(r, node_find(n, SV("id"))->at, NULL, SV("the id is not 21 letters, digits, '-' and '_'"));
    }
    if (ok && node_find(n, SV("dataKey")) != NULL) {
        ok = take_any_text(r, n, "dataKey", &i->data_key);
    }
    return ok && read_elements(r, n, i) && read_history(r, n, i);
}

static bool read_all(const struct reader *r, const struct node *root, struct transfer *result) {
    struct map ids = MAP(r->arena), names = MAP(r->arena);
    bool ok = true;
    for (uint32_t k = 0; k < root->count; k++) {
        struct transfer_instance *i = VEC_ADD(r->arena, &result->items);
        if (!read_instance(r, root->items[k], i)) {
            ok = false;
            continue;
        }
        sv name = arena_printf(r->arena, "%.*s/%.*s", SV_ARG(i->row.context), SV_ARG(i->row.name));
        if (map_has(&ids, i->row.id) || map_has(&names, name)) {
            ok = fail(r, i->at, NULL,
                      arena_printf(r->arena, "the instance '%.*s' stands in the file twice", SV_ARG(i->row.name)));
        }
        map_put(&ids, i->row.id, r->arena);
        map_put(&names, name, r->arena);
    }
    return ok;
}

bool transfer_read(struct arena *a, struct source *source, const struct limits *limits, struct diags *diags,
                   struct transfer *result) {
    struct reader r = {.arena = a, .limits = limits, .diags = diags};
    struct doc_options options = doc_options_blueprint;
    *result = (struct transfer){0};
    options.format = DOC_JSON;
    options.limits = limits;
    struct doc_stream *stream = doc_read(a, source, &options, diags);
    if (stream->has_errors) {
        return false;
    }
    const struct node *root = stream->documents.items[0].root;
    if (root->kind != NODE_SEQUENCE) {
        return fail(&r, root->at, "lintel state export writes such files", SV("the file is not an array of instances"));
    }
    return read_all(&r, root, result);
}
