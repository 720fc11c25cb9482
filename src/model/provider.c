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

static const struct resource_type *provider_find_resource(const struct provider *provider, sv type) {
    size_t low = 0, high = provider->resource_count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        int order = sv_cmp(type, provider->resources[middle]->name);
        if (order == 0) {
            return provider->resources[middle];
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
    for (size_t i = 0; p != NULL && i < p->count; i++) {
        const struct resource_type *found = provider_find_resource(p->items[i], type);
        if (found != NULL) {
            return found;
        }
    }
    return NULL;
}

const struct link_type *providers_find_link(const struct providers *p, sv type_a, sv type_b) {
    for (size_t i = 0; p != NULL && i < p->count; i++) {
        const struct provider *provider = p->items[i];
        for (size_t k = 0; k < provider->link_count; k++) {
            const struct link_type *link = provider->links[k];
            if (sv_eq(link->type_a, type_a) && sv_eq(link->type_b, type_b)) {
                return link;
            }
        }
    }
    return NULL;
}

sv providers_find_close(const struct providers *p, sv type) {
    struct hint h = HINT(type);
    for (size_t i = 0; p != NULL && i < p->count; i++) {
        for (size_t k = 0; k < p->items[i]->resource_count; k++) {
            hint_offer(&h, p->items[i]->resources[k]->name);
        }
    }
    return h.best;
}
