#include "engine/transfer_check.h"

#include "engine/fields.h"

void transfer_check_init(struct transfer_check *c, struct arena *a, struct diags *diags) {
    *c = (struct transfer_check){.arena = a, .diags = diags, .by_address = MAP(a)};
}

static bool fail(struct transfer_check *c, span at, const char *what, sv address) {
    struct diag *d = diags_add(c->diags, DIAG_invalid_state_file, at, "the element '%.*s' %s", SV_ARG(address), what);
    diag_set_hint(c->diags, d, "nothing of the file was imported");
    return false;
}

static bool is_list_of_texts(value v) {
    bool ok = v.kind == VALUE_LIST;
    for (size_t i = 0; ok && i < v.list->len; i++) {
        ok = v.list->items[i].kind == VALUE_STRING;
    }
    return ok;
}

bool transfer_check_add(struct transfer_check *c, sv address, value body, span at) {
    value needs = field_get_value(body, "dependsOnResources");
    if (map_has(&c->by_address, address)) {
        return fail(c, at, "stands in the instance twice", address);
    }
    if (value_is_set(needs) && !is_list_of_texts(needs)) {
        return fail(c, at, "has a 'dependsOnResources' that is not a list of addresses", address);
    }
    VEC_PUSH(c->arena, &c->items, ((struct checked_element){.address = address, .needs = needs, .at = at}));
    map_put(&c->by_address, address, (void *)(uintptr_t)c->items.len);
    return true;
}

/* Users of each element: those of element i are items[starts[i] .. starts[i + 1]). */
struct users {
    size_t *starts, *items;
};

static size_t get_need_count(const struct checked_element *e) {
    return value_is_set(e->needs) ? e->needs.list->len : 0;
}

/* What is not in the file has no place in the order: a group, or something that is gone. */
static size_t find_need(const struct transfer_check *c, const struct checked_element *e, size_t number) {
    return (size_t)(uintptr_t)map_find(&c->by_address, value_get_text(e->needs.list->items[number]));
}

static struct users list_users(struct transfer_check *c) {
    size_t count = c->items.len, total = 0;
    struct users u = {.starts = ARENA_ARRAY(c->arena, size_t, count + 2)};
    for (size_t i = 0; i < count; i++) {
        struct checked_element *e = &c->items.items[i];
        for (size_t k = 0; k < get_need_count(e); k++) {
            size_t need = find_need(c, e, k);
            e->waits += need != 0;
            u.starts[need + 1] += need != 0;
            total += need != 0;
        }
    }
    for (size_t i = 1; i <= count + 1; i++) {
        u.starts[i] += u.starts[i - 1];
    }
    u.items = ARENA_ARRAY(c->arena, size_t, total + 1);
    size_t *next = ARENA_ARRAY(c->arena, size_t, count + 2);
    memcpy(next, u.starts, (count + 2) * sizeof *next);
    for (size_t i = 0; i < count; i++) {
        const struct checked_element *e = &c->items.items[i];
        for (size_t k = 0; k < get_need_count(e); k++) {
            size_t need = find_need(c, e, k);
            if (need != 0) {
                u.items[next[need]++] = i;
            }
        }
    }
    return u;
}

bool transfer_check_order(struct transfer_check *c) {
    struct users u = list_users(c);
    size_t *ready = ARENA_ARRAY(c->arena, size_t, c->items.len + 1), head = 0, tail = 0;
    for (size_t i = 0; i < c->items.len; i++) {
        if (c->items.items[i].waits == 0) {
            ready[tail++] = i;
        }
    }
    while (head < tail) {
        size_t number = ready[head++] + 1;
        for (size_t k = u.starts[number]; k < u.starts[number + 1]; k++) {
            if (--c->items.items[u.items[k]].waits == 0) {
                ready[tail++] = u.items[k];
            }
        }
    }
    for (size_t i = 0; tail < c->items.len && i < c->items.len; i++) {
        if (c->items.items[i].waits > 0) {
            return fail(c, c->items.items[i].at, "depends on itself in a circle", c->items.items[i].address);
        }
    }
    return true;
}
