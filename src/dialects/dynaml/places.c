#include "dialects/dynaml/stage.h"

/* --- paths --- */

static sv get_item_step(struct stage *s, const struct place *p) {
    if (p->item_key.len > 0)
        return p->item_key;
    return arena_printf(s->a, "[%u]", p->index);
}

static sv get_step(struct stage *s, const struct place *p) {
    return p->is_item ? get_item_step(s, p) : p->key;
}

const struct stub_path *place_get_stub_path(struct stage *s, struct place *p) {
    if (p->has_redirect)
        return p->redirect;
    if (p->use != NULL)
        return place_get_stub_path(s, p->use);
    if (p->parent == NULL)
        return NULL;
    const struct stub_path *outer = place_get_stub_path(s, p->parent);
    if (p->is_merge_entry)
        return outer; /* DY-201 */
    struct stub_path *path = ARENA_NEW(s->a, struct stub_path);
    *path = (struct stub_path){.outer = outer, .step = get_step(s, p)};
    return path;
}

bool place_is_redirected(const struct place *p) {
    for (; p != NULL; p = p->use != NULL ? p->use : p->parent) {
        if (p->has_redirect)
            return true;
    }
    return false;
}

void stub_path_print(struct buf *out, const struct stub_path *path) {
    if (path == NULL)
        return;
    stub_path_print(out, path->outer);
    if (path->outer != NULL)
        buf_append_char(out, '.');
    buf_append(out, path->step);
}

void place_print_path(struct buf *out, const struct place *p) {
    if (p->parent == NULL)
        return;
    place_print_path(out, p->parent);
    if (out->len > 0 && out->data[out->len - 1] != '\t')
        buf_append_char(out, '.');
    if (p->is_item)
        buf_printf(out, "[%u]", p->index);
    else
        buf_append(out, p->key);
    if (p->is_item && p->is_merge_entry)
        buf_append_cstr(out, ".<<");
}

/* --- what the stubs have --- */

static const value *find_found(struct stage *s, struct place *p) {
    if (p->is_final)
        return NULL;
    if (p->has_redirect)
        return overlay_find_path(s, p->redirect);
    if (p->use != NULL)
        return place_get_found(s, p->use);
    if (p->parent == NULL)
        return s->stub_count == 0 ? NULL : s->stubs;
    const value *around = place_get_found(s, p->parent);
    return around == NULL || p->is_merge_entry ? around : overlay_step(s, around, get_step(s, p));
}

const value *place_get_found(struct stage *s, struct place *p) {
    if (!p->is_found_known) {
        p->found = find_found(s, p);
        p->is_found_known = true;
    }
    return p->found;
}

void place_redirect(struct stage *s, struct place *p, const struct stub_path *path) {
    (void)s;
    p->has_redirect = true;
    p->redirect = path;
    p->is_found_known = false;
}

/* DY-083. The key field of an item stands below `[i]` (DY-114). */
value place_find_override(struct stage *s, struct place *p) {
    bool is_root = p->parent == NULL && p->use == NULL;
    if (p->is_final || p->is_merge_entry || p->is_item || (p->parent == NULL && !is_root))
        return (value){0};
    const value *found = place_get_found(s, p);
    for (size_t i = 0; found != NULL && i < s->stub_count; i++) {
        if (value_is_set(found[i]))
            return found[i];
    }
    return (value){0};
}

/* --- making places --- */

static bool is_template(value map) {
    sv inner;
    value marker = value_map_find(map, SV("<<"));
    return marker.kind == VALUE_STRING && dynaml_is_expression(value_get_text(marker), &inner) &&
           sv_eq(sv_trim(inner), SV("&template"));
}

static void classify(struct stage *s, struct place *p) {
    sv inner;
    p->kind = PLACE_PLAIN;
    if (p->is_final || (p->source.word & WORD_LIVE) == 0)
        return;
    if (p->source.kind == VALUE_STRING && dynaml_is_expression(value_get_text(p->source), &inner)) {
        p->expr = stage_parse(s, p->home, inner);
        p->kind = p->expr == NULL ? PLACE_UNPARSEABLE : PLACE_EXPRESSION;
    } else if (p->source.kind == VALUE_MAP) {
        p->kind = is_template(p->source) ? PLACE_TEMPLATE : PLACE_MAP;
    } else if (p->source.kind == VALUE_LIST) {
        p->kind = PLACE_LIST;
    }
}

static void open_scope(struct stage *s, struct place *p) {
    p->inner = p->scope;
    if (p->kind != PLACE_MAP)
        return;
    p->inner = ARENA_NEW(s->a, struct scope);
    *p->inner = (struct scope){.outer = p->scope, .owner = p};
}

static void give_cells(struct stage *s, struct place *p) {
    p->cell = (struct cell){.scope = p->scope, .owner = p};
    p->shape = (struct cell){.scope = p->inner, .owner = p};
    if (p->kind == PLACE_EXPRESSION)
        p->cell.expr = p->expr;
    else if (p->kind == PLACE_UNPARSEABLE)
        p->cell.expr = expr_new_error(s->a, SPAN_NONE);
    else if (p->kind != PLACE_PLAIN)
        p->cell.expr = stage_make_directive(s, DYNAML_NODE, p);
    if (p->kind == PLACE_MAP || p->kind == PLACE_LIST)
        p->shape.expr = stage_make_directive(s, DYNAML_SHAPE, p);
}

void place_begin(struct stage *s, struct place *p) {
    classify(s, p);
    open_scope(s, p);
    give_cells(s, p);
    if ((p->kind == PLACE_MAP || p->kind == PLACE_LIST) && !shape_is_needed(p))
        shape_at_once(s, p);
}

struct place *place_new(struct stage *s, struct place *parent, value source) {
    struct place *p = ARENA_NEW(s->a, struct place);
    p->parent = parent;
    p->source = source;
    p->home = p;
    p->origin = parent == NULL ? s->origin : parent->origin;
    p->copy_depth = parent == NULL ? 0 : parent->copy_depth;
    p->scope = parent == NULL ? NULL : parent->inner;
    p->is_final = (source.word & WORD_STUB) != 0 || (parent != NULL && parent->is_final);
    return p;
}

/* The place of the definition that a part of a copy belongs to: for paths only. */
static struct place *make_home(struct stage *s, struct place *p) {
    struct place *around = p->parent->home;
    if (around == p->parent)
        return p;
    struct place *home = ARENA_NEW(s->a, struct place);
    *home = (struct place){.parent = around, .key = p->key, .index = p->index, .is_item = p->is_item};
    home->is_merge_entry = p->is_merge_entry;
    home->home = home;
    return home;
}

/* A literal key field of an item; empty when it has none, or has to be evaluated. */
static sv find_literal_key(const struct place *list, value item, sv *field) {
    *field = list->key_field.len > 0 ? list->key_field : SV("name");
    value key = item.kind == VALUE_MAP ? value_map_find(item, *field) : (value){0};
    bool is_literal = key.kind == VALUE_STRING && (key.word & WORD_LIVE) == 0;
    return is_literal ? value_get_text(key) : (sv){0};
}

static void name_item(struct stage *s, struct place *p) {
    sv field, key = find_literal_key(p->parent, p->source, &field);
    p->key_name = field;
    if (key.data != NULL)
        p->item_key = overlay_make_step(s->a, field, key);
}

static sv get_plain_step(struct stage *s, const struct place *list, value item, size_t index) {
    sv field, key = find_literal_key(list, item, &field);
    return key.data != NULL ? overlay_make_step(s->a, field, key) : arena_printf(s->a, "[%zu]", index);
}

bool place_get_plain(struct stage *s, struct place *p, size_t index, value *v) {
    bool is_list = p->content.kind == VALUE_LIST;
    value item = is_list ? p->content.list->items[index] : p->content.map->entries[index].item;
    if (p->children[index] != NULL || (item.word & WORD_LIVE) != 0)
        return false;
    bool is_below = !is_list || item.kind == VALUE_MAP || item.kind == VALUE_LIST;
    const value *found = is_below && (item.word & WORD_STUB) == 0 ? place_get_found(s, p) : NULL;
    if (found != NULL)
        found =
            overlay_step(s, found, is_list ? get_plain_step(s, p, item, index) : p->content.map->entries[index].key);
    *v = stage_make_final(s, found == NULL ? item : overlay_value(s, item, found, !is_list));
    return true;
}

struct place *place_get_child(struct stage *s, struct place *p, size_t index) {
    if (p->children[index] != NULL)
        return p->children[index];
    bool is_list = p->content.kind == VALUE_LIST;
    struct place *child =
        place_new(s, p, is_list ? p->content.list->items[index] : p->content.map->entries[index].item);
    child->is_item = is_list;
    child->index = (uint32_t)index;
    if (is_list)
        name_item(s, child);
    else
        child->key = p->content.map->entries[index].key;
    child->home = make_home(s, child);
    p->children[index] = child;
    place_begin(s, child);
    return child;
}

struct place *place_find_child(struct stage *s, struct place *p, sv key) {
    size_t index = value_map_find_index(p->content, key);
    return index == SIZE_MAX ? NULL : place_get_child(s, p, index);
}

/* `k:v` names the field, all else is a value of the key field. */
static void split_step(const struct place *list, sv step, sv *field, sv *text) {
    size_t colon = sv_find_char(step, ':');
    *field = colon != SIZE_MAX ? sv_slice(step, 0, colon) : list->key_field.len > 0 ? list->key_field : SV("name");
    *text = colon != SIZE_MAX ? sv_slice(step, colon + 1, step.len) : step;
}

/* Whether the item's field is known only after it, or all of the item, has been evaluated. */
static bool is_key_computed(value item, sv field) {
    if (item.kind != VALUE_MAP || (item.word & WORD_LIVE) == 0)
        return item.kind == VALUE_STRING && (item.word & WORD_LIVE) != 0;
    value key = value_map_find(item, field);
    return value_is_set(key) ? (key.word & WORD_LIVE) != 0 : value_map_has(item, SV("<<"));
}

/* The text under the field; empty when there is none. False: not known yet, or never. */
static bool get_computed_key(const struct place *item, sv field, sv *text) {
    *text = (sv){0};
    if (item->kind == PLACE_EXPRESSION) {
        value v = item->cell.result;
        value key = item->cell.state == CELL_DONE && v.kind == VALUE_MAP ? value_map_find(v, field) : (value){0};
        *text = key.kind == VALUE_STRING ? value_get_text(key) : (sv){0};
        return item->cell.state == CELL_DONE;
    }
    if (item->kind != PLACE_MAP)
        return true;
    *text = sv_eq(item->key_name, field) ? item->computed_key : (sv){0};
    return item->is_shaped && (item->key_place == NULL || item->key_place->cell.state == CELL_DONE);
}

static struct item_names *get_names(struct stage *s, struct place *list) {
    if (list->item_names == NULL) {
        list->item_names = ARENA_NEW(s->a, struct item_names);
        list->item_names->names = MAP(s->a);
    }
    return list->item_names;
}

/* The first item whose computed field is the text. Each is looked at once for the list's own field: what is known
 * stands in `names`, and the search goes on behind it. */
static struct place *find_computed(struct stage *s, struct place *p, sv field, sv text, struct place **waits) {
    bool is_own = sv_eq(field, p->key_field.len > 0 ? p->key_field : SV("name"));
    struct item_names other = {.names = MAP(s->a)}, *known = is_own ? get_names(s, p) : &other;
    struct place *found = map_find(&known->names, text);
    for (; found == NULL && known->next < p->content.list->len; known->next++) {
        sv key;
        if (!is_key_computed(p->content.list->items[known->next], field))
            continue;
        struct place *item = place_get_child(s, p, known->next);
        if (!get_computed_key(item, field, &key)) {
            *waits = item;
            return NULL;
        }
        if (key.data != NULL && !map_has(&known->names, key))
            map_put(&known->names, key, item);
        found = map_find(&known->names, text);
    }
    return found;
}

struct place *place_find_item(struct stage *s, struct place *p, sv step, struct place **waits) {
    sv field, text;
    split_step(p, step, &field, &text);
    *waits = NULL;
    size_t index = overlay_find_item(s->run, p->content, field, text);
    return index != SIZE_MAX ? place_get_child(s, p, index) : find_computed(s, p, field, text, waits);
}
