/* Taking back the last edit. */
#include "engine/edit.h"

#include "engine/fields.h"

/* Edits that stand, as a stack: an undo takes the one on top away, a deployment all of them. */
static const struct past_run *find_last_edit(struct edit *e, const struct past_runs *runs) {
    VEC(const struct past_run *) stack = {0};
    for (size_t i = 0; i < runs->items.len; i++) {
        const struct past_run *run = &runs->items.items[i];
        bool is_undo = field_get_int(run->edit, "undoes") != 0;
        if (is_undo && stack.len > 0) {
            stack.len--;
        } else if (value_is_set(run->edit) && field_get_value(run->edit, "changes").kind == VALUE_LIST && !is_undo) {
            if (field_get_bool(run->edit, "final")) {
                stack.len = 0;
            } else if (field_get_value(run->edit, "changes").list->len > 0) {
                VEC_PUSH(e->a, &stack, run);
            }
        } else if (!value_is_set(run->edit) && run->number > 0) {
            stack.len = 0;
        }
    }
    return stack.len > 0 ? *VEC_LAST(&stack) : NULL;
}

/* The version that the last run of the history left behind: a run that failed since has made another one. */
static int64_t get_last_version(const struct past_runs *runs) {
    int64_t version = 0;
    for (size_t i = 0; i < runs->items.len; i++) {
        if (runs->items.items[i].number > 0) {
            version = field_get_int(runs->items.items[i].edit, "version");
        }
    }
    return version;
}

static bool restore(struct edit *e, sv address, value before) {
    struct edit_item *now = edit_find(e, address);
    if (map_has(&e->open, address)) {
        return edit_refuse(e, "lintel deploy settles it",
                           arena_printf(e->a, "an operation on '%.*s' was cut off", SV_ARG(address)));
    }
    if (before.kind != VALUE_MAP) {
        if (now != NULL) {
            edit_drop(e, now);
        }
        edit_note(e, EDIT_REMOVED, address, (sv){0});
        return true;
    }
    edit_note(e, EDIT_RESTORED, address, (sv){0});
    struct store_element *row = ARENA_NEW(e->a, struct store_element);
    *row = edit_decode_row(before, address);
    return edit_put_row(e, row);
}

bool edit_undo(struct edit *e) {
    struct past_runs runs;
    struct run_config by_id = *e->c;
    by_id.instance_id = e->stored.instance.id;
    if (!edit_list_runs(&by_id, &runs)) {
        return false;
    }
    const struct past_run *run = find_last_edit(e, &runs);
    if (run == NULL || get_last_version(&runs) != e->stored.instance.version) {
        return edit_refuse(e, "lintel history shows what has happened",
                           arena_printf(e->a, "no edit of '%.*s' can be taken back: %s",
                                        SV_ARG(e->stored.instance.name),
                                        run == NULL ? "there was none since the last deployment"
                                                    : "a run has changed the state since"));
    }
    value before = field_get_value(run->edit, "before");
    bool ok = true;
    for (size_t i = 0; ok && before.kind == VALUE_MAP && i < before.map->len; i++) {
        ok = restore(e, before.map->entries[i].key, before.map->entries[i].item);
    }
    struct instance_body *body = &e->stored.body;
    body->result_count = record_decode_results(e->a, field_get_value(run->edit, "results"), &body->results);
    e->undoes = run->number;
    return ok;
}
