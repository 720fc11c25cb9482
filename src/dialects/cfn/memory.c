/* The resolver in memory, and the chain of resolvers. */
#include "dialects/cfn/symbols.h"

enum cfn_found cfn_resolvers_ask(const struct cfn_resolver *resolvers, size_t count, const struct cfn_query *query,
                                 struct cfn_reply *reply) {
    for (size_t i = 0; i < count; i++) {
        struct arena *arena = reply->arena;
        *reply = (struct cfn_reply){.arena = arena};
        enum cfn_found found = resolvers[i].ops->lookup(resolvers[i].self, query, reply);
        if (found != CFN_ABSENT) {
            return found;
        }
    }
    return CFN_ABSENT;
}

struct cfn_memory *cfn_memory_new(struct arena *a) {
    struct cfn_memory *m = ARENA_NEW(a, struct cfn_memory);
    m->arena = a;
    m->foreign = MAP(a);
    m->spans = MAP(a);
    return m;
}

static value make_empty_map(struct arena *a) {
    struct map_builder b = {.arena = a};
    return map_done(&b);
}

static void put(struct cfn_memory *m, enum cfn_symbol_section section, sv key, value item) {
    value *map = &m->sections[section];
    if (!value_is_set(*map)) {
        *map = make_empty_map(m->arena);
    }
    *map = value_map_with(m->arena, *map, key, item);
}

void cfn_memory_put_parameter(struct cfn_memory *m, sv name, value item, span at) {
    put(m, CFN_SYMBOLS_PARAMETERS, name, item);
    span *place = ARENA_NEW(m->arena, span);
    *place = at;
    map_put(&m->spans, name, place);
}

void cfn_memory_put_resource(struct cfn_memory *m, sv id, sv attribute, value item) {
    value old = {0};
    if (value_is_set(m->sections[CFN_SYMBOLS_RESOURCES])) {
        old = value_map_find(m->sections[CFN_SYMBOLS_RESOURCES], id);
    }
    value attributes = old.kind == VALUE_MAP ? old : make_empty_map(m->arena);
    put(m, CFN_SYMBOLS_RESOURCES, id, value_map_with(m->arena, attributes, attribute, item));
}

static sv get_foreign_key(struct arena *a, const struct cfn_foreign *f) {
    return arena_printf(a, "%.*s\n%.*s\n%.*s\n%.*s", SV_ARG(f->account), SV_ARG(f->region), SV_ARG(f->stack),
                        SV_ARG(f->name));
}

void cfn_memory_put_foreign(struct cfn_memory *m, const struct cfn_foreign *f) {
    struct cfn_foreign *kept = ARENA_NEW(m->arena, struct cfn_foreign);
    *kept = *f;
    map_put(&m->foreign, get_foreign_key(m->arena, f), kept);
}

/* --- looking up --- */

/* The entry of a map; the marks of the map go along. Kind 0: none. */
static value find_entry(value map, sv key) {
    if (map.kind != VALUE_MAP) {
        return (value){0};
    }
    value item = value_map_find(map, key);
    return value_is_set(item) ? value_mark(item, map.marks) : item;
}

/* Types: `{id}` in texts is the logical id. */
static value put_id_in(struct arena *a, value item, sv id) {
    if (item.kind != VALUE_STRING || sv_find(value_get_text(item), SV("{id}")) == SIZE_MAX) {
        return item;
    }
    struct buf out = BUF(a);
    sv rest = value_get_text(item);
    for (size_t at = sv_find(rest, SV("{id}")); at != SIZE_MAX; at = sv_find(rest, SV("{id}"))) {
        buf_append(&out, sv_slice(rest, 0, at));
        buf_append(&out, id);
        rest = sv_slice(rest, at + strlen("{id}"), rest.len);
    }
    buf_append(&out, rest);
    return value_mark(value_string(a, buf_get_sv(&out)), item.marks);
}

static value find_resource(const struct cfn_memory *m, const struct cfn_query *q, struct arena *a) {
    sv id = q->stack.len == 0 ? q->id : arena_printf(a, "%.*s/%.*s", SV_ARG(q->stack), SV_ARG(q->id));
    value entry = find_entry(m->sections[CFN_SYMBOLS_RESOURCES], id);
    if (value_is_set(entry) && entry.kind != VALUE_MAP) {
        if (sv_eq(q->attribute, SV("Ref"))) {
            return entry;
        }
        entry = (value){0};
    }
    value item = find_entry(entry, q->attribute);
    if (value_is_set(item)) {
        return item;
    }
    item = find_entry(find_entry(m->sections[CFN_SYMBOLS_TYPES], q->type), q->attribute);
    return put_id_in(a, item, q->id);
}

static value find_foreign(const struct cfn_memory *m, const struct cfn_query *q, struct arena *a) {
    bool is_output = q->kind == CFN_QUERY_STACK_OUTPUT;
    for (int general = 0; general < (q->is_home ? 4 : 1); general++) {
        struct cfn_foreign f = {.stack = is_output ? q->id : SV(""),
                                .name = is_output ? q->attribute : q->id,
                                .region = general & 1 ? SV("") : q->region,
                                .account = general & 2 ? SV("") : q->account};
        const struct cfn_foreign *found = map_find(&m->foreign, get_foreign_key(a, &f));
        if (found != NULL) {
            return found->item;
        }
    }
    return (value){0};
}

/* A secret in the long form: Text, Stages, Versions and nothing else. */
static bool is_secret_of_stages(value v) {
    if (v.kind != VALUE_MAP || v.map->len == 0) {
        return false;
    }
    for (size_t i = 0; i < v.map->len; i++) {
        sv key = v.map->entries[i].key;
        if (!sv_eq(key, SV("Text")) && !sv_eq(key, SV("Stages")) && !sv_eq(key, SV("Versions"))) {
            return false;
        }
    }
    return true;
}

static value find_secret(const struct cfn_memory *m, const struct cfn_query *q, struct arena *a) {
    value secret = find_entry(m->sections[CFN_SYMBOLS_SECRETS], q->id);
    if (is_secret_of_stages(secret)) {
        if (q->version.len > 0) {
            secret = find_entry(find_entry(secret, SV("Versions")), q->version);
        } else if (q->stage.len > 0 && !sv_eq(q->stage, SV("AWSCURRENT"))) {
            secret = find_entry(find_entry(secret, SV("Stages")), q->stage);
        } else {
            value current = find_entry(find_entry(secret, SV("Stages")), SV("AWSCURRENT"));
            secret = value_is_set(current) ? current : find_entry(secret, SV("Text"));
        }
    } else if (q->version.len > 0 || (q->stage.len > 0 && !sv_eq(q->stage, SV("AWSCURRENT")))) {
        return (value){0};
    }
    if (secret.kind == VALUE_MAP) {
        return value_mark(value_string(a, value_print_json(a, secret, 0, REVEAL)), secret.within & MARK_SENSITIVE);
    }
    return secret;
}

static value find_dynamic(const struct cfn_memory *m, const struct cfn_query *q, struct arena *a) {
    if (sv_eq(q->type, SV("secretsmanager"))) {
        return find_secret(m, q, a);
    }
    value of_kind = m->sections[sv_eq(q->type, SV("ssm")) ? CFN_SYMBOLS_SSM : CFN_SYMBOLS_SSM_SECURE];
    sv key = q->version.len == 0 ? q->id : arena_printf(a, "%.*s:%.*s", SV_ARG(q->id), SV_ARG(q->version));
    return find_entry(of_kind, key);
}

static value find_include(const struct cfn_memory *m, const struct cfn_query *q, struct arena *a) {
    value path = find_entry(m->sections[CFN_SYMBOLS_INCLUDES], q->id);
    if (path.kind != VALUE_STRING || m->directory.len == 0 || sv_has_prefix(value_get_text(path), SV("/"))) {
        return path;
    }
    sv text = value_get_text(path);
    return value_string(a, arena_printf(a, "%.*s/%.*s", SV_ARG(m->directory), SV_ARG(text)));
}

static value find(const struct cfn_memory *m, const struct cfn_query *q, struct arena *a) {
    switch (q->kind) {
    case CFN_QUERY_PARAMETER:
    case CFN_QUERY_PSEUDO:
        return find_entry(m->sections[CFN_SYMBOLS_PARAMETERS], q->id);
    case CFN_QUERY_RESOURCE:
        return find_resource(m, q, a);
    case CFN_QUERY_ZONES:
        return find_entry(m->sections[CFN_SYMBOLS_ZONES], q->region);
    case CFN_QUERY_EXPORT:
    case CFN_QUERY_STACK_OUTPUT:
        return find_foreign(m, q, a);
    case CFN_QUERY_DYNAMIC:
        return find_dynamic(m, q, a);
    case CFN_QUERY_PARAMETER_ATTRIBUTE:
        return find_entry(find_entry(m->sections[CFN_SYMBOLS_PARAMETER_ATTRIBUTES], q->id), q->attribute);
    case CFN_QUERY_INCLUDE:
        return find_include(m, q, a);
    }
    return (value){0};
}

static enum cfn_found lookup(void *self, const struct cfn_query *query, struct cfn_reply *reply) {
    const struct cfn_memory *m = self;
    reply->item = find(m, query, reply->arena);
    if (!value_is_set(reply->item)) {
        return CFN_ABSENT;
    }
    const span *at = NULL;
    if (query->kind == CFN_QUERY_PARAMETER || query->kind == CFN_QUERY_PSEUDO) {
        at = map_find(&m->spans, query->id);
    }
    reply->at = at == NULL ? SPAN_NONE : *at;
    reply->is_command_line = m->is_command_line;
    return CFN_FOUND;
}

const struct cfn_resolver_ops cfn_memory_ops = {.name = "memory", .lookup = lookup};
