/* Taking elements out of the state, putting them in, and renaming them. */
#include "engine/edit.h"

#include "base/hint.h"
#include "text/render.h"

static bool report_missing(struct edit *e, sv address) {
    struct hint hint = HINT(sv_slice(address, 0, 80));
    for (size_t i = 0; i < e->items.len; i++) {
        hint_offer(&hint, e->items.items[i]->address);
    }
    struct diag *d = diags_add(e->c->diags, DIAG_resource_missing, SPAN_NONE, "the instance '%.*s' has no '%.*s'",
                               SV_ARG(e->stored.instance.name), SV_ARG(render_escape(e->a, sv_slice(address, 0, 80))));
    if (hint.best.len > 0) {
        diag_set_hint(e->c->diags, d, "did you mean '%.*s'?", SV_ARG(hint.best));
    }
    return false;
}

static bool parse(struct edit *e, sv text, struct addr_parts *parts, sv *address) {
    if (!addr_parse(e->a, text, parts) || parts->property.len > 0) {
        return edit_refuse(e, "an address looks like resources.NAME, links.A::B or children.CHILD/resources.NAME",
                           arena_printf(e->a, "'%.*s' is no address of an element",
                                        SV_ARG(render_escape(e->a, sv_slice(text, 0, 80)))));
    }
    *address = addr_make(e->a, parts->parent, parts->kind, parts->name).text;
    return true;
}

const struct edit_item *edit_get(struct edit *e, sv text) {
    struct addr_parts parts = {0};
    sv address = {0};
    if (!parse(e, text, &parts, &address)) {
        return NULL;
    }
    const struct edit_item *item = edit_find(e, address);
    if (item == NULL) {
        report_missing(e, address);
    }
    return item;
}

/* An operation that nobody knows the end of belongs to the address. */
static bool check_settled(struct edit *e, sv address) {
    if (!map_has(&e->open, address)) {
        return true;
    }
    return edit_refuse(e, "lintel deploy settles it; when nobody can tell: lintel deploy --force",
                       arena_printf(e->a, "an operation on '%.*s' was cut off and is not settled", SV_ARG(address)));
}

/* --- what others have recorded of an address --- */

/* `to` empty: the address is taken out of the lists. */
static void replace_need(struct edit *e, struct edit_item *item, sv from, sv to) {
    struct resource_record *r = item->resource;
    size_t kept = 0;
    sv *needs = NULL;
    for (size_t i = 0; r != NULL && i < r->depends_on_count; i++) {
        if (needs == NULL && sv_eq(r->depends_on[i], from)) {
            needs = ARENA_ARRAY(e->a, sv, r->depends_on_count);
            memcpy(needs, r->depends_on, i * sizeof *needs);
            kept = i;
        }
        if (needs != NULL && (to.len > 0 || !sv_eq(r->depends_on[i], from))) {
            needs[kept++] = sv_eq(r->depends_on[i], from) ? to : r->depends_on[i];
        }
    }
    if (needs != NULL) {
        r->depends_on = needs;
        r->depends_on_count = kept;
        item->changed = true;
    }
}

static void replace_needs(struct edit *e, sv from, sv to) {
    for (size_t i = 0; i < e->items.len; i++) {
        if (e->items.items[i]->address.len > 0) {
            replace_need(e, e->items.items[i], from, to);
        }
    }
}

/* Whether the link has the resource on one of its sides. */
static bool is_link_of(struct edit *e, const struct edit_item *item, const struct addr_parts *resource) {
    struct addr_parts parts;
    if (item->link == NULL || item->address.len == 0 || !addr_parse(e->a, item->address, &parts)) {
        return false;
    }
    return sv_eq(parts.parent, resource->parent) &&
           (sv_eq(item->link->a, resource->name) || sv_eq(item->link->b, resource->name));
}

/* --- rm --- */

static bool remove_item(struct edit *e, struct edit_item *item) {
    sv address = item->address;
    if (!check_settled(e, address)) {
        return false;
    }
    edit_drop(e, item);
    edit_note(e, EDIT_REMOVED, address, (sv){0});
    replace_needs(e, address, (sv){0});
    return true;
}

static bool remove_child(struct edit *e, sv address) {
    sv prefix = arena_printf(e->a, "%.*s/", SV_ARG(address));
    bool ok = true, found = false;
    for (size_t i = 0; ok && i < e->items.len; i++) {
        struct edit_item *item = e->items.items[i];
        if (sv_has_prefix(item->address, prefix)) {
            found = true;
            ok = remove_item(e, item);
        }
    }
    return ok && (found || report_missing(e, address));
}

bool edit_remove(struct edit *e, sv text) {
    struct addr_parts parts = {0};
    sv address = {0};
    if (!parse(e, text, &parts, &address)) {
        return false;
    }
    if (!check_settled(e, address)) {
        return false;
    }
    struct edit_item *item = edit_find(e, address);
    if (item == NULL) {
        return parts.kind == ELEMENT_CHILD ? remove_child(e, address) : report_missing(e, address);
    }
    bool is_resource = item->resource != NULL;
    bool ok = remove_item(e, item);
    for (size_t i = 0; ok && is_resource && i < e->items.len; i++) {
        if (is_link_of(e, e->items.items[i], &parts)) {
            ok = remove_item(e, e->items.items[i]);
        }
    }
    return ok;
}

/* --- import --- */

bool edit_add(struct edit *e, const struct resource_record *record) {
    sv address = record->address.text;
    struct edit_item *now = edit_find(e, address), *item = ARENA_NEW(e->a, struct edit_item);
    if (!check_settled(e, address)) {
        return false;
    }
    if (now != NULL && (now->resource == NULL || record_has_object(now->resource))) {
        return edit_refuse(e, NULL, arena_printf(e->a, "'%.*s' is taken", SV_ARG(address)));
    }
    *item = (struct edit_item){.address = address, .changed = true};
    item->resource = ARENA_NEW(e->a, struct resource_record);
    *item->resource = *record;
    if (now != NULL) {
        item->origin = now->origin;
        edit_drop(e, now);
    }
    VEC_PUSH(e->a, &e->items, item);
    map_put(&e->by_address, address, item);
    edit_note(e, EDIT_IMPORTED, address, (sv){0});
    return true;
}

/* --- mv --- */

/* A secret that cannot be opened is bound to where it stands. */
static bool check_opens(struct edit *e, const struct edit_item *item) {
    struct record_codec codec = {
        .arena = e->a, .sealer = e->c->sealer, .diags = e->c->diags, .instance_id = e->stored.instance.id};
    struct resource_record resource;
    struct link_record link;
    if (item->origin == NULL) {
        return true;
    }
    bool ok = item->resource != NULL ? record_decode_resource(&codec, item->origin, &resource)
                                     : record_decode_link(&codec, item->origin, &link);
    if (ok && codec.unopened > 0) {
        return edit_refuse(
            e, "give the key that sealed them with --key file:PATH",
            arena_printf(e->a, "secrets of '%.*s' cannot be opened, so they cannot be moved", SV_ARG(item->address)));
    }
    return ok;
}

static sv rename_side(struct edit *e, sv key, sv from, sv to) {
    sv prefix = arena_printf(e->a, "%.*s::", SV_ARG(from));
    if (!sv_has_prefix(key, prefix)) {
        return key;
    }
    sv rest = sv_slice(key, prefix.len, key.len);
    return arena_printf(e->a, "%.*s::%.*s", SV_ARG(to), SV_ARG(rest));
}

static value rename_mappings(struct edit *e, value mappings, sv from, sv to) {
    if (mappings.kind != VALUE_MAP) {
        return mappings;
    }
    struct map_builder b = {.arena = e->a};
    for (size_t i = 0; i < mappings.map->len; i++) {
        map_add(&b, rename_side(e, mappings.map->entries[i].key, from, to), mappings.map->entries[i].item);
    }
    return map_done(&b);
}

static bool move_link(struct edit *e, struct edit_item *item, const struct addr_parts *from,
                      const struct addr_parts *to) {
    struct link_record *l = item->link;
    sv before = item->address;
    if (!sv_eq(from->parent, to->parent)) {
        return edit_refuse(e, "take the link out first: lintel state rm ADDRESS",
                           arena_printf(e->a, "the link '%.*s' cannot follow into another child", SV_ARG(before)));
    }
    if (!check_settled(e, before) || !check_opens(e, item)) {
        return false;
    }
    l->a = sv_eq(l->a, from->name) ? to->name : l->a;
    l->b = sv_eq(l->b, from->name) ? to->name : l->b;
    l->mappings = rename_mappings(e, l->mappings, from->name, to->name);
    l->fields = rename_mappings(e, l->fields, from->name, to->name);
    sv name = arena_printf(e->a, "%.*s::%.*s", SV_ARG(l->a), SV_ARG(l->b));
    edit_rename(e, item, addr_make(e->a, to->parent, ELEMENT_LINK, name));
    edit_note(e, EDIT_MOVED, before, item->address);
    replace_needs(e, before, item->address);
    return true;
}

static bool ends_address(char c) {
    return c == '.' || c == '|' || c == '/';
}

/* What was found out once for the element is found again under its new address (FN-231). */
static void move_results(struct edit *e, sv from, sv to) {
    struct instance_body *body = &e->stored.body;
    sv whole = arena_printf(e->a, "|%.*s", SV_ARG(from));
    for (size_t i = 0; i < body->result_count; i++) {
        sv key = body->results[i].key;
        size_t at = sv_find(key, whole);
        size_t end = at == SIZE_MAX ? 0 : at + whole.len;
        if (at == SIZE_MAX || (end < key.len && !ends_address(key.data[end]))) {
            continue;
        }
        sv head = sv_slice(key, 0, at + 1), rest = sv_slice(key, end, key.len);
        body->results[i].key = arena_printf(e->a, "%.*s%.*s%.*s", SV_ARG(head), SV_ARG(to), SV_ARG(rest));
    }
}

/* --- mv of a child --- */

/* `text` below `to` instead of `from`; as it is when it does not stand there. */
static sv rename_child(struct edit *e, sv text, sv from, sv to) {
    bool is_below = sv_has_prefix(text, from) && (text.len == from.len || text.data[from.len] == '/');
    sv rest = sv_slice(text, from.len, text.len);
    return is_below ? arena_printf(e->a, "%.*s%.*s", SV_ARG(to), SV_ARG(rest)) : text;
}

static void rename_needs(struct edit *e, struct edit_item *item, sv from, sv to) {
    struct resource_record *r = item->resource;
    sv *needs = r == NULL || r->depends_on_count == 0 ? NULL : ARENA_ARRAY(e->a, sv, r->depends_on_count);
    bool differs = false;
    for (size_t i = 0; needs != NULL && i < r->depends_on_count; i++) {
        needs[i] = rename_child(e, r->depends_on[i], from, to);
        differs = differs || !sv_eq(needs[i], r->depends_on[i]);
    }
    if (differs) {
        r->depends_on = needs;
        item->changed = true;
    }
}

static bool has_below(struct edit *e, sv address) {
    sv prefix = arena_printf(e->a, "%.*s/", SV_ARG(address));
    for (size_t i = 0; i < e->items.len; i++) {
        if (sv_has_prefix(e->items.items[i]->address, prefix)) {
            return true;
        }
    }
    return false;
}

static bool check_child_move(struct edit *e, sv from, sv to) {
    if (sv_eq(from, to) || sv_has_prefix(to, arena_printf(e->a, "%.*s/", SV_ARG(from)))) {
        return edit_refuse(e, NULL, arena_printf(e->a, "'%.*s' cannot be moved into itself", SV_ARG(from)));
    }
    if (edit_find(e, to) != NULL || has_below(e, to)) {
        return edit_refuse(e, "take what is there out first: lintel state rm ADDRESS",
                           arena_printf(e->a, "'%.*s' is taken", SV_ARG(to)));
    }
    return true;
}

static bool move_child_items(struct edit *e, sv from, sv to) {
    sv prefix = arena_printf(e->a, "%.*s/", SV_ARG(from));
    for (size_t i = 0; i < e->items.len; i++) {
        struct edit_item *item = e->items.items[i];
        sv before = item->address, after = rename_child(e, before, from, to);
        if (!sv_has_prefix(before, prefix)) {
            continue;
        }
        if (!check_settled(e, before) || !check_settled(e, after) || !check_opens(e, item)) {
            return false;
        }
        edit_rename(e, item, (addr){after});
        edit_note(e, EDIT_MOVED, before, after);
    }
    return true;
}

/* Links stay between the same two, so their names and mappings stay as they are. */
static bool move_child(struct edit *e, sv from, sv to) {
    if (!check_child_move(e, from, to) || !move_child_items(e, from, to)) {
        return false;
    }
    for (size_t i = 0; i < e->items.len; i++) {
        if (e->items.items[i]->address.len > 0) {
            rename_needs(e, e->items.items[i], from, to);
        }
    }
    struct instance_body *body = &e->stored.body;
    for (size_t i = 0; i < body->export_count; i++) {
        body->exports[i].name = rename_child(e, body->exports[i].name, from, to);
    }
    move_results(e, from, to);
    return true;
}

static bool check_move(struct edit *e, const struct addr_parts *from, const struct addr_parts *to, sv to_address) {
    if (from->kind != ELEMENT_RESOURCE || to->kind != ELEMENT_RESOURCE) {
        return edit_refuse(e, "links follow the resources that they connect",
                           SV("only a resource can be moved to the address of a resource, a child to that of a child"));
    }
    for (size_t i = 0; i < to->name.len; i++) { /* as in a blueprint (BP-042) */
        unsigned char c = (unsigned char)to->name.data[i];
        if (c < 0x20 || c == 0x7F) {
            return edit_refuse(e, "no blueprint can have a resource of that name",
                               arena_printf(e->a, "'%.*s' has control characters in its name", SV_ARG(to_address)));
        }
    }
    if (edit_find(e, to_address) != NULL) {
        return edit_refuse(e, NULL, arena_printf(e->a, "'%.*s' is taken", SV_ARG(to_address)));
    }
    return check_settled(e, to_address);
}

bool edit_move(struct edit *e, sv from_text, sv to_text) {
    struct addr_parts from = {0}, to = {0};
    sv from_address = {0}, to_address = {0};
    if (!parse(e, from_text, &from, &from_address) || !parse(e, to_text, &to, &to_address)) {
        return false;
    }
    if (!check_settled(e, from_address)) {
        return false;
    }
    struct edit_item *item = edit_find(e, from_address);
    bool can_hold = to.kind == ELEMENT_CHILD || to.kind == ELEMENT_RESOURCE; /* a child may be written as a resource */
    if (item == NULL && can_hold && has_below(e, from_address)) {
        return move_child(e, from_address, to_address);
    }
    if (item == NULL) {
        return report_missing(e, from_address);
    }
    if (!check_move(e, &from, &to, to_address) || !check_opens(e, item)) {
        return false;
    }
    item->resource->name = to.name;
    item->resource->template_name = (sv){0}; /* the next deployment knows whether it is one of several */
    edit_rename(e, item, (addr){to_address});
    edit_note(e, EDIT_MOVED, from_address, to_address);
    replace_needs(e, from_address, to_address);
    move_results(e, from_address, to_address);
    for (size_t i = 0; i < e->items.len; i++) {
        if (is_link_of(e, e->items.items[i], &from) && !move_link(e, e->items.items[i], &from, &to)) {
            return false;
        }
    }
    return true;
}
