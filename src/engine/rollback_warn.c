/* What a rollback cannot lead back: the earlier state holds values, not where they came from. An object that is made
 * again may get other computed values than those that its users hold. */
#include "engine/rollback.h"

enum { TEXT_MIN = 4, LOOKS_MAX = 100000, WARNINGS_MAX = 100 };

struct remade {
    const struct resource_record *was;
    struct remade *next; /* of the same key */
};

struct warner {
    const struct run_config *c;
    struct arena *a;
    struct map by_key;   /* address, template or child → struct remade */
    struct map of_links; /* "ADDRESS::spec.path": what a link lays over, and hence sets anew (BP-432) */
    size_t looks, warnings;
};

static void add_key(struct warner *w, sv key, const struct resource_record *was) {
    void **slot = map_get_slot(&w->by_key, key, NULL);
    struct remade *r = ARENA_NEW(w->a, struct remade);
    *r = (struct remade){.was = was, .next = *slot};
    *slot = r;
}

/* Who uses it has recorded its address, or that of a group around it. */
static void add_remade(struct warner *w, const struct resource_record *was) {
    struct addr_parts parts;
    add_key(w, was->address.text, was);
    if (!addr_parse(w->a, was->address.text, &parts)) {
        return;
    }
    if (was->template_name.len > 0) {
        add_key(w, addr_make(w->a, parts.parent, ELEMENT_RESOURCE, was->template_name).text, was);
    }
    for (size_t i = 0; i < parts.parent.len; i++) {
        if (parts.parent.data[i] == '/') {
            add_key(w, sv_slice(parts.parent, 0, i), was);
        }
    }
}

static bool is_text(value v) {
    return v.kind == VALUE_STRING && value_get_text(v).len >= TEXT_MIN;
}

static void add_link(struct warner *w, const struct link_record *l) {
    struct addr_parts parts;
    bool has_fields = l->mappings.kind == VALUE_MAP && addr_parse(w->a, l->address.text, &parts);
    for (size_t i = 0; has_fields && i < l->mappings.map->len; i++) {
        sv path = l->mappings.map->entries[i].key;
        size_t at = sv_find(path, SV("::"));
        if (at != SIZE_MAX) {
            sv address = addr_make(w->a, parts.parent, ELEMENT_RESOURCE, sv_slice(path, 0, at)).text;
            sv rest = sv_slice(path, at, path.len);
            map_put(&w->of_links, arena_printf(w->a, "%.*s%.*s", SV_ARG(address), SV_ARG(rest)), w);
        }
    }
}

static bool is_of_link(struct warner *w, const struct resource_record *user, struct path path) {
    sv text = path_to_text(w->a, path);
    return w->of_links.live > 0 &&
           map_has(&w->of_links, arena_printf(w->a, "%.*s::spec.%.*s", SV_ARG(user->address.text), SV_ARG(text)));
}

/* A text that the record holds, and which is one that was computed, or has one in it. */
static bool holds(struct warner *w, const struct resource_record *user, value computed, struct path *path) {
    struct arena scratch = {0};
    struct path_list ours = {0}, theirs = {0};
    value_find_paths(w->a, user->spec, is_text, &ours);
    value_find_paths(&scratch, computed, is_text, &theirs);
    bool found = false;
    for (size_t i = 0; i < ours.items.len && !found; i++) {
        sv text = value_get_text(value_find_path(user->spec, ours.items.items[i]));
        for (size_t k = 0; k < theirs.items.len && !found && w->looks < LOOKS_MAX; k++, w->looks++) {
            sv part = value_get_text(value_find_path(computed, theirs.items.items[k]));
            found = sv_find(text, part) != SIZE_MAX && !is_of_link(w, user, ours.items.items[i]);
            *path = ours.items.items[i];
        }
    }
    arena_fini(&scratch);
    return found;
}

static void look(struct warner *w, const struct resource_record *user, const struct resource_record *used) {
    struct path path;
    bool has_values = value_is_set(user->spec) && value_is_set(used->computed) && w->warnings < WARNINGS_MAX;
    if (user == used || !has_values || !holds(w, user, used->computed, &path)) {
        return;
    }
    w->warnings++;
    sv text = path_to_text(w->a, path);
    struct diag *d = diags_add(w->c->diags, DIAG_rollback_value_may_change, SPAN_NONE,
                               "'spec.%.*s' of '%.*s' goes back to a value that '%.*s' had computed, which is created "
                               "again and may get another one",
                               SV_ARG(text), SV_ARG(user->address.text), SV_ARG(used->address.text));
    diag_set_hint(w->c->diags, d, "deploy afterwards: the blueprint knows where the value comes from");
    d->path = user->address.text;
}

void rollback_warn(const struct run_config *c, const struct rollback_targets *t, const struct plan *plan) {
    struct warner w = {.c = c, .a = c->arena};
    struct map made = MAP(c->arena);
    w.by_key = MAP(c->arena);
    w.of_links = MAP(c->arena);
    for (size_t i = 0; i < t->links.len; i++) {
        add_link(&w, t->links.items[i]);
    }
    for (size_t i = 0; i < plan->change_count; i++) {
        const struct change *change = &plan->changes[i];
        if (change->kind == ELEMENT_RESOURCE && (change->action == ACTION_CREATE || change->action == ACTION_REPLACE)) {
            map_put(&made, change->address.text, &w);
        }
    }
    for (size_t i = 0; made.live > 0 && i < t->resources.len; i++) {
        sv address = t->resources.items[i]->address.text;
        if (map_has(&made, address) && !map_has(&plan->rollback->recalled, address)) {
            add_remade(&w, t->resources.items[i]);
        }
    }
    for (size_t i = 0; w.by_key.live > 0 && i < t->resources.len; i++) {
        const struct resource_record *user = t->resources.items[i];
        for (size_t k = 0; k < user->depends_on_count; k++) {
            for (const struct remade *r = map_find(&w.by_key, user->depends_on[k]); r != NULL; r = r->next) {
                look(&w, user, r->was);
            }
        }
    }
}
