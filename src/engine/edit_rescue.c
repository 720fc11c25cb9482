/* Replaying what a run could not write any more (LC-046).
 *
 * A line counts as long as the journal has the operation open that it tells of: played twice, or after a deployment
 * that has settled the operation itself, it changes nothing. */
#include "engine/edit.h"

#include "engine/fields.h"
#include "value/convert.h"

struct rescue_line {
    value v;
    sv run_id, address;
    sv action; /* of the operation */
};

static bool report_line(struct edit *e, size_t number, const char *why) {
    return edit_refuse(e, "nothing of the file was replayed",
                       arena_printf(e->a, "line %zu of the rescue file %s", number, why));
}

static bool is_open(const struct edit *e, sv run_id, sv address) {
    const struct journal_row *row = map_find(&e->open, address);
    return row != NULL && sv_eq(row->run_id, run_id);
}

static bool replay_element(struct edit *e, const struct rescue_line *l) {
    value v = field_get_value(l->v, "element"), body = field_get_value(v, "body");
    struct store_element *row = ARENA_NEW(e->a, struct store_element);
    *row = edit_decode_row(v, l->address);
    row->body = value_is_set(body) ? value_print_json(e->a, body, 0, REVEAL) : (sv){0};
    edit_note(e, EDIT_RESTORED, l->address, (sv){0});
    return edit_put_row(e, row);
}

static void replay_deleted(struct edit *e, const struct rescue_line *l) {
    struct edit_item *item = edit_find(e, l->address);
    if (item != NULL) {
        edit_drop(e, item);
        edit_note(e, EDIT_REMOVED, l->address, (sv){0});
    }
}

/* Outcomes and progress go on in the journal, under the run that had them. */
static bool replay_row(struct edit *e, const struct rescue_line *l) {
    sv kind = field_get_text(l->v, "kind"), operation = field_get_text(l->v, "operation");
    const struct journal_row *intent = map_find(&e->open_operations, operation);
    bool is_outcome = sv_eq_cstr(kind, "outcome");
    if (!is_outcome && !sv_eq_cstr(kind, "progress")) {
        return false;
    }
    if (intent == NULL || !sv_eq(intent->run_id, l->run_id)) {
        return true;
    }
    struct journal_row row = {
        .kind = is_outcome ? JOURNAL_OUTCOME : JOURNAL_PROGRESS,
        .run_id = l->run_id,
        .token = intent->token,
        .wall_ms = e->started_ms,
        .operation = operation,
        .address = intent->address,
        .action = intent->action,
        .body = value_print_json(e->a, field_get_value(l->v, "body"), 0, REVEAL),
    };
    VEC_PUSH(e->a, &e->rescued, row);
    edit_note(e, EDIT_RESTORED, intent->address, (sv){0});
    return true;
}

static bool replay(struct edit *e, const struct rescue_line *l) {
    if (value_map_has(l->v, SV("kind"))) {
        return field_get_value(l->v, "body").kind == VALUE_MAP && replay_row(e, l);
    }
    if (l->address.len == 0) {
        return false;
    }
    if (!is_open(e, l->run_id, l->address)) {
        return true;
    }
    if (value_map_has(l->v, SV("element"))) {
        return replay_element(e, l);
    }
    replay_deleted(e, l);
    return true;
}

static bool replay_line(struct edit *e, sv text, size_t number) {
    sv why;
    size_t offset;
    struct rescue_line l = {.v = value_parse_json(e->a, text, e->c->limits, false, &why, &offset)};
    if (l.v.kind != VALUE_MAP) {
        return report_line(e, number, "is no JSON object");
    }
    if (!sv_eq(field_get_text(l.v, "instanceId"), e->stored.instance.id)) {
        return report_line(e, number, "tells of another instance");
    }
    value element = field_get_value(l.v, "element");
    l.run_id = field_get_text(l.v, "runId");
    l.address = element.kind == VALUE_MAP ? field_get_text(element, "address") : field_get_text(l.v, "deleted");
    return replay(e, &l) || report_line(e, number, "is nothing that a run writes");
}

bool edit_rescue(struct edit *e, sv text) {
    e->is_final = true;
    for (size_t number = 1; text.len > 0; number++) {
        sv line = sv_trim(sv_cut(&text, '\n'));
        if (line.len > 0 && !replay_line(e, line, number)) {
            return false;
        }
    }
    return true;
}
