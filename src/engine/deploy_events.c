/* Events go into the store with the rows that they tell of (LC-060): a row of the table for each transaction. */
#include "engine/deploy.h"
#include "engine/event_json.h"

enum { ALONE_AFTER_MS = 500 }; /* so late events are saved though nothing else is */

static struct jsonw start_line(struct deploy *d) {
    struct event_lines *l = &d->lines;
    if (l->json.len == 0) {
        l->json = BUF(&l->arena);
        l->since_ms = now_monotonic(d);
    }
    return JSONW(&l->json, 0);
}

static void end_line(struct deploy *d) {
    buf_append_char(&d->lines.json, '\n');
}

void events_begin(struct deploy *d) {
    if (sv_eq(d->stored.body.run_id, d->run_id)) {
        return;
    }
    struct jsonw w = start_line(d);
    jsonw_begin_object(&w);
    jsonw_put_text(&w, "type", SV("version"));
    jsonw_put_text(&w, "formatVersion", SV("1.0"));
    jsonw_put_text(&w, "lintel", SV(LINTEL_VERSION));
    jsonw_put_text(&w, "command", get_run_kind(d));
    jsonw_end_object(&w);
    end_line(d);
}

static void write_summary(struct deploy *d, struct jsonw *w, const struct event *e) {
    struct render_options options = {.mask = &d->mask};
    if (d->c->diags->items.len > 0) {
        mask_text(d, SV("")); /* fills the mask */
    }
    jsonw_begin_object(w);
    jsonw_put_text(w, "type", SV("summary"));
    jsonw_put_i64(w, "wallMs", e->wall_ms);
    jsonw_put_i64(w, "monotonicMs", e->monotonic_ms);
    event_write_summary(w, e);
    jsonw_put_i64(w, "exitCode", get_exit_code(d));
    jsonw_key(w, SV("diagnostics"));
    render_diags_json(w, d->c->diags, &options);
    jsonw_end_object(w);
}

void events_keep(struct deploy *d) {
    for (size_t i = 0; i < d->batch.events.len; i++) {
        const struct event *e = &d->batch.events.items[i];
        bool goes_on = e->kind == EVENT_SUMMARY && d->c->queued != NULL && get_exit_code(d) == EXIT_SIGINT;
        if (goes_on) {
            continue; /* another worker will write it */
        }
        struct jsonw w = start_line(d);
        if (e->kind == EVENT_SUMMARY) {
            write_summary(d, &w, e);
        } else {
            event_write_json(&w, e, &(struct event_context){.diags = d->c->diags}); /* texts are masked already */
        }
        end_line(d);
    }
}

bool events_are_due(const struct deploy *d) {
    return d->lines.json.len > 0 && now_monotonic(d) - d->lines.since_ms >= ALONE_AFTER_MS;
}

enum store_result events_save(struct deploy *d) {
    if (d->lines.json.len == 0) {
        return STORE_OK;
    }
    struct store *store = d->c->store;
    return store->ops->append_events(store, d->stored.instance.id, d->run_id, buf_get_sv(&d->lines.json));
}

void events_forget(struct deploy *d) {
    arena_fini(&d->lines.arena);
    d->lines = (struct event_lines){0};
}

/* Drained by a signal, it waits for the next worker; everything else is its end. */
enum store_result end_queued(struct deploy *d, sv outcome) {
    struct queued_run *q = d->c->queued;
    if (q == NULL) {
        return STORE_OK;
    }
    enum exit_code code = get_exit_code(d);
    struct store_run_change change = {
        .id = q->id,
        .from = STORE_RUN_RUNNING,
        .to = code == EXIT_SIGINT ? STORE_RUN_QUEUED : STORE_RUN_ENDED,
        .wall_ms = now_wall(d),
        .exit_code = code,
        .outcome = outcome,
    };
    return d->c->store->ops->change_run(d->c->store, &change);
}
