#include "model/provider.h"

#include "base/hint.h"
#include "model/host.h"

enum provider_result provider_fail(struct provider_call *c, enum provider_result result, const char *format, ...) {
    va_list args;
    va_start(args, format);
    VEC_PUSH(c->arena, &c->reasons.items, arena_vprintf(c->arena, format, args));
    va_end(args);
    return result;
}

enum provider_result link_fail(struct link_op_call *c, enum provider_result result, const char *format, ...) {
    va_list args;
    va_start(args, format);
    VEC_PUSH(c->call.arena, &c->call.reasons.items, arena_vprintf(c->call.arena, format, args));
    va_end(args);
    return result;
}

bool link_type_has_operations(const struct link_type *t) {
    return t->update_a != NULL || t->update_b != NULL || t->update_intermediaries != NULL || t->remove_a != NULL ||
           t->remove_b != NULL || t->remove_intermediaries != NULL;
}

enum provider_result data_fail(struct data_call *c, enum provider_result result, const char *format, ...) {
    va_list args;
    va_start(args, format);
    VEC_PUSH(c->arena, &c->reasons.items, arena_vprintf(c->arena, format, args));
    va_end(args);
    return result;
}

sv provider_key_text(struct provider_call *c) {
    static const char digits[] = "0123456789abcdef";
    char *text = arena_alloc(c->arena, sizeof c->op_key * 2 + 1);
    for (size_t i = 0; i < sizeof c->op_key; i++) {
        text[2 * i] = digits[c->op_key[i] >> 4];
        text[2 * i + 1] = digits[c->op_key[i] & 15];
    }
    return sv_make(text, sizeof c->op_key * 2);
}

bool provider_is_cancelled(const struct provider_call *c) {
    return c->cancel != NULL && atomic_load_explicit(c->cancel, memory_order_relaxed);
}

int64_t provider_get_time_left(const struct provider_call *c) {
    int64_t now = c->host->ops->get_monotonic_ms(c->host->user);
    return c->deadline_ms > now ? c->deadline_ms - now : 0;
}

sv provider_get_absolute_path(const struct provider_call *c, sv path) {
    if (path.len == 0 || path.data[0] == '/' || c->base_dir.len == 0) {
        return path;
    }
    struct buf out = BUF(c->arena);
    buf_append(&out, c->base_dir);
    if (!sv_has_suffix(c->base_dir, SV("/"))) {
        buf_append_char(&out, '/');
    }
    buf_append(&out, path);
    return buf_get_sv(&out);
}

static value provider_get_field(value spec, sv name) {
    return spec.kind == VALUE_MAP ? value_map_find(spec, name) : (value){0};
}

sv provider_get_text(value spec, sv name) {
    value v = provider_get_field(spec, name);
    return v.kind == VALUE_STRING ? value_get_text(v) : (sv){0};
}

int64_t provider_get_i64(value spec, sv name, int64_t absent) {
    value v = provider_get_field(spec, name);
    return v.kind == VALUE_INT ? v.integer : absent;
}

bool provider_get_bool(value spec, sv name) {
    value v = provider_get_field(spec, name);
    return v.kind == VALUE_BOOL && v.boolean;
}

void provider_add_unknown(struct arena *a, struct field_diff *diff, value before, sv name, bool sensitive) {
    struct path spec = path_with_key(a, (struct path){0}, SV("spec"));
    VEC_PUSH(a, &diff->changes,
             ((struct field_change){.kind = FIELD_MODIFIED,
                                    .path = path_with_key(a, spec, name),
                                    .before = provider_get_field(before, name),
                                    .after = value_unknown(NULL),
                                    .sensitive = sensitive,
                                    .unknown = true}));
}

struct diag *provider_add_mistake(struct diags *diags, sv code, span at, sv prefix, sv name, const char *format, ...) {
    va_list args;
    va_start(args, format);
    sv message = arena_vprintf(diags->arena, format, args);
    va_end(args);
    struct diag *d = diags_add_foreign(diags, DIAG_provider_error, code, at, "%.*s", SV_ARG(message));
    struct buf path = BUF(diags->arena);
    buf_append(&path, prefix);
    if (name.len > 0) {
        buf_append_char(&path, '.');
        buf_append(&path, name);
    }
    d->path = buf_get_sv(&path);
    return d;
}

/* --- Looking up --- */

const struct provider *providers_find(const struct providers *p, sv name) {
    for (size_t i = 0; p != NULL && i < p->count; i++) {
        if (sv_eq(p->items[i]->name, name)) {
            return p->items[i];
        }
    }
    return NULL;
}

/* Resource, data source and variable types begin with their name, and tables of them are sorted by it. */
_Static_assert(offsetof(struct resource_type, name) == 0, "name comes first");
_Static_assert(offsetof(struct data_type, name) == 0, "name comes first");
_Static_assert(offsetof(struct variable_type, name) == 0, "name comes first");

static const void *find_named(const void *const *items, size_t count, sv name) {
    size_t low = 0, high = count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        int order = sv_cmp(name, *(const sv *)items[middle]);
        if (order == 0) {
            return items[middle];
        }
        if (order < 0) {
            high = middle;
        } else {
            low = middle + 1;
        }
    }
    return NULL;
}

/* Declarations may add types to any name space, so every provider is asked. */
const struct resource_type *providers_find_type(const struct providers *p, sv type) {
    const struct resource_type *found = NULL;
    for (size_t i = 0; found == NULL && p != NULL && i < p->count; i++) {
        found = find_named((const void *const *)p->items[i]->resources, p->items[i]->resource_count, type);
    }
    return found;
}

const struct data_type *providers_find_data(const struct providers *p, sv type) {
    const struct data_type *found = NULL;
    for (size_t i = 0; found == NULL && p != NULL && i < p->count; i++) {
        found = find_named((const void *const *)p->items[i]->data, p->items[i]->data_count, type);
    }
    return found;
}

const struct variable_type *providers_find_variable_type(const struct providers *p, sv type) {
    const struct variable_type *found = NULL;
    for (size_t i = 0; found == NULL && p != NULL && i < p->count; i++) {
        found = find_named((const void *const *)p->items[i]->variable_types, p->items[i]->variable_type_count, type);
    }
    return found;
}

static const struct link_type *find_link(const struct provider *provider, sv type_a, sv type_b) {
    size_t low = 0, high = provider->link_count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        const struct link_type *link = provider->links[middle];
        int order = sv_cmp(type_a, link->type_a);
        order = order != 0 ? order : sv_cmp(type_b, link->type_b);
        if (order == 0) {
            return link;
        }
        if (order < 0) {
            high = middle;
        } else {
            low = middle + 1;
        }
    }
    return NULL;
}

const struct link_type *providers_find_link(const struct providers *p, sv type_a, sv type_b) {
    const struct link_type *found = NULL;
    for (size_t i = 0; found == NULL && p != NULL && i < p->count; i++) {
        found = find_link(p->items[i], type_a, type_b);
    }
    return found;
}

/* --- Close names --- */

static void offer_all(struct hint *h, const void *const *items, size_t count) {
    for (size_t i = 0; i < count; i++) {
        hint_offer(h, *(const sv *)items[i]);
    }
}

sv providers_find_close(const struct providers *p, sv type) {
    struct hint h = HINT(type);
    for (size_t i = 0; p != NULL && i < p->count; i++) {
        offer_all(&h, (const void *const *)p->items[i]->resources, p->items[i]->resource_count);
    }
    return h.best;
}

sv providers_find_close_data(const struct providers *p, sv type) {
    struct hint h = HINT(type);
    for (size_t i = 0; p != NULL && i < p->count; i++) {
        offer_all(&h, (const void *const *)p->items[i]->data, p->items[i]->data_count);
    }
    return h.best;
}

sv providers_find_close_variable_type(const struct providers *p, sv type) {
    struct hint h = HINT(type);
    for (size_t i = 0; p != NULL && i < p->count; i++) {
        offer_all(&h, (const void *const *)p->items[i]->variable_types, p->items[i]->variable_type_count);
    }
    return h.best;
}
