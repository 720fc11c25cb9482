/* To which state a rollback leads (BP-520): that before the runs in the journal, which have not succeeded, else that
 * before the last run of the history. */
#include "engine/rollback.h"

#include "engine/fields.h"
#include "engine/journal.h"

struct finder {
    const struct run_config *c;
    struct record_codec codec;
    struct store_history *history;
    size_t history_count;
};

static value open_body(struct finder *f, sv address, sv json) {
    struct seal_place place = {.instance_id = f->codec.instance_id, .address = address};
    return seal_decode(f->codec.sealer, f->codec.arena, &place, json, &f->codec.unopened, f->codec.diags);
}

/* An edit by hand has made the present state what it is: going back behind it would undo what a person has done. What a
 * rescue replays is what the run itself would have written. */
static bool is_edit(value body) {
    const value *changes;
    value edit = field_get_value(body, "edit");
    return field_get_items(edit, "changes", &changes) > 0 && !field_get_bool(edit, "final");
}

static bool has_edit_since(struct finder *f, int64_t number) {
    for (size_t i = 0; i < f->history_count; i++) {
        bool is_later = f->history[i].number > number;
        if (is_later && is_edit(open_body(f, SV("history"), f->history[i].body))) {
            return true;
        }
    }
    return false;
}

static bool say(sv *why_not, const char *text) {
    *why_not = sv_from_cstr(text);
    return false;
}

static const char after_edit[] = "the state was edited by hand since";

/* --- the journal --- */

struct journal_runs {
    bool any;         /* deployments or destructions that have not succeeded */
    bool of_destroy;  /* the last of them */
    int64_t undoes;   /* of a rollback that was cut off: number of the history entry */
    bool of_rollback; /* there is such a rollback */
};

static struct journal_runs find_runs(struct finder *f, const struct stored *s) {
    struct journal_runs runs = {0};
    for (size_t i = 0; i < s->tree.journal.len; i++) {
        const struct journal_row *row = &s->tree.journal.items[i];
        if (row->kind != JOURNAL_RUN_STARTED) {
            continue;
        }
        value body = open_body(f, SV("journal"), row->body);
        sv kind = field_get_text(body, "kind");
        if (sv_eq_cstr(kind, "deploy") || sv_eq_cstr(kind, "destroy")) {
            runs.any = true;
            runs.of_destroy = sv_eq_cstr(kind, "destroy");
        } else if (sv_eq_cstr(kind, "rollback")) {
            runs.of_rollback = true;
            runs.undoes = field_get_int(body, "undoes");
        }
    }
    return runs;
}

/* --- the history --- */

static const struct store_history *find_entry(const struct finder *f, int64_t number) {
    for (size_t i = 0; i < f->history_count; i++) {
        if (f->history[i].number == number) {
            return &f->history[i];
        }
    }
    return NULL;
}

static bool take_entry(struct finder *f, const struct store_history *entry, struct earlier_state *e, sv *why_not) {
    if (entry == NULL) {
        return say(why_not, "the history does not reach back to it");
    }
    e->undoes = entry->number;
    e->of_destroy = sv_eq_cstr(entry->kind, "destroy");
    return snapshot_decode(f->codec.arena, open_body(f, SV("history"), entry->body), &e->of_run) ||
           say(why_not, "the history does not tell what was before the last run");
}

/* The last run that did anything outside. */
static bool find_last(struct finder *f, struct earlier_state *e, sv *why_not) {
    for (size_t i = f->history_count; i > 0; i--) {
        const struct store_history *entry = &f->history[i - 1];
        if (sv_eq_cstr(entry->kind, "rollback")) {
            return say(why_not, "the last run was a rollback, which is not rolled back");
        }
        if (sv_eq_cstr(entry->kind, "destroy") || sv_eq_cstr(entry->kind, "deploy")) {
            return take_entry(f, entry, e, why_not);
        }
        if (is_edit(open_body(f, SV("history"), entry->body))) {
            return say(why_not, after_edit);
        }
    }
    return say(why_not, "nothing was deployed");
}

bool rollback_find_state(const struct run_config *c, const struct stored *s, struct earlier_state *e, sv *why_not) {
    struct finder f = {.c = c};
    f.codec =
        (struct record_codec){.arena = c->arena, .sealer = c->sealer, .diags = c->diags, .instance_id = s->instance.id};
    *e = (struct earlier_state){0};
    enum store_result r = c->store->ops->list_history(c->store, c->arena, s->instance.id, &f.history, &f.history_count);
    if (r != STORE_OK && r != STORE_NOT_FOUND) {
        return false;
    }
    struct snapshot of_journal;
    snapshot_read_journal(&f.codec, s->tree.journal.items, s->tree.journal.len, &of_journal);
    struct journal_runs runs = find_runs(&f, s);
    e->of_destroy = runs.any && runs.of_destroy;
    if ((runs.any || runs.of_rollback) && value_is_set(of_journal.instance) &&
        has_edit_since(&f, of_journal.history_number)) {
        return say(why_not, after_edit);
    }
    if (runs.any) {
        e->of_run = of_journal;
        return value_is_set(of_journal.instance) || say(why_not, "the journal does not tell what was before the run");
    }
    if (runs.of_rollback && runs.undoes > 0) {
        e->since = of_journal;
        return take_entry(&f, find_entry(&f, runs.undoes), e, why_not);
    }
    return find_last(&f, e, why_not);
}

bool rollback_find_row(const struct earlier_state *e, sv address, const struct store_element **row) {
    const struct earlier *was = snapshot_find(&e->of_run, address);
    *row = NULL;
    if (was == NULL && !e->of_run.was_empty) {
        was = snapshot_find(&e->since, address);
        if (was == NULL && !e->since.was_empty) {
            return false;
        }
    }
    *row = was != NULL && was->was_there ? &was->row : NULL;
    return true;
}
