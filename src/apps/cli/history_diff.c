/* `history diff RUN [RUN]`: what differs between the states after two runs (LC-025). */
#include "apps/cli/differences.h"
#include "apps/cli/history_view.h"

#include "engine/past_diff.h"

static const char *const kinds[PAST_CHANGE_KINDS] = {
    [PAST_ADDED] = "added", [PAST_REMOVED] = "removed", [PAST_CHANGED] = "changed", [PAST_REPLACED] = "replaced"};
static const char *const symbols[PAST_CHANGE_KINDS] = {
    [PAST_ADDED] = "+", [PAST_REMOVED] = "-", [PAST_CHANGED] = "~", [PAST_REPLACED] = "-/+"};
static const char *const colors[PAST_CHANGE_KINDS] = {
    [PAST_ADDED] = "green", [PAST_REMOVED] = "red", [PAST_CHANGED] = "yellow", [PAST_REPLACED] = "yellow"};

/* --- for people --- */

static void render_change(struct cli *c, struct buf *out, const struct past_change *change) {
    struct difference_writer w = {.out = out, .color = c->color_out, .secrecy = REDACT};
    sv address = render_escape(&c->arena, change->address), type = render_escape(&c->arena, change->type);
    buf_printf(out, "  %s%s%s %.*s (%.*s)%s\n", output_start_color(w.color, colors[change->kind]),
               symbols[change->kind], output_end_color(w.color), SV_ARG(address), SV_ARG(type),
               change->kind == PAST_REPLACED ? ": another object" : "");
    differences_render(&w, &change->diff);
}

static void render_run(struct cli *c, struct buf *out, const struct past_run *run) {
    if (run == NULL)
        buf_append_cstr(out, "now");
    else
        buf_printf(out, "run %lld (%.*s, %.*s)", (long long)run->number, SV_ARG(render_escape(&c->arena, run->kind)),
                   SV_ARG(history_render_time(c, run->started_ms)));
}

static void render(struct cli *c, const struct past_run *const runs[2], const struct past_diff *d) {
    struct buf out = BUF(&c->arena);
    buf_append_cstr(&out, "From ");
    render_run(c, &out, runs[0]);
    buf_append_cstr(&out, " to ");
    render_run(c, &out, runs[1]);
    buf_append_cstr(&out, "\n\n");
    for (size_t i = 0; i < d->changes.len; i++)
        render_change(c, &out, &d->changes.items[i]);
    buf_printf(&out, "%s%zu added, %zu removed, %zu changed, %zu replaced, %zu the same.\n",
               d->changes.len > 0 ? "\n" : "", d->counts[PAST_ADDED], d->counts[PAST_REMOVED], d->counts[PAST_CHANGED],
               d->counts[PAST_REPLACED], d->same);
    output_text(c, buf_get_sv(&out));
}

/* --- for machines --- */

static void put_value(struct jsonw *w, const char *key, const struct field_change *f, value v) {
    if (!value_is_set(v))
        return;
    jsonw_key(w, sv_from_cstr(key));
    value_write_json(w, f->sensitive ? value_mark(v, MARK_SENSITIVE) : v, REDACT);
}

static void write_fields(struct jsonw *w, struct arena *a, const struct field_diff *diff) {
    jsonw_key(w, SV("fields"));
    jsonw_begin_array(w);
    for (size_t i = 0; i < diff->changes.len; i++) {
        const struct field_change *f = &diff->changes.items[i];
        jsonw_begin_object(w);
        jsonw_put_text(w, "fieldPath", path_to_text(a, f->path));
        put_value(w, "prevValue", f, f->before);
        put_value(w, "newValue", f, f->after);
        jsonw_put_bool(w, "sensitive", f->sensitive);
        jsonw_end_object(w);
    }
    jsonw_end_array(w);
}

static void write_run(struct jsonw *w, const char *key, const struct past_run *run) {
    jsonw_key(w, sv_from_cstr(key));
    if (run == NULL) {
        jsonw_null(w);
        return;
    }
    jsonw_begin_object(w);
    jsonw_put_i64(w, "number", run->number);
    jsonw_put_text(w, "runId", run->run_id);
    jsonw_put_text(w, "kind", run->kind);
    jsonw_put_i64(w, "startedMs", run->started_ms);
    jsonw_end_object(w);
}

static void write_json(struct cli *c, const struct past_run *const runs[2], const struct past_diff *d) {
    struct jsonw *w = &c->writer;
    jsonw_key(w, SV("diff"));
    jsonw_begin_object(w);
    write_run(w, "first", runs[0]);
    write_run(w, "second", runs[1]);
    jsonw_key(w, SV("changes"));
    jsonw_begin_array(w);
    for (size_t i = 0; i < d->changes.len; i++) {
        const struct past_change *change = &d->changes.items[i];
        jsonw_begin_object(w);
        jsonw_put_text(w, "address", change->address);
        jsonw_put_text(w, "type", change->type);
        jsonw_put_text(w, "change", sv_from_cstr(kinds[change->kind]));
        write_fields(w, &c->arena, &change->diff);
        jsonw_end_object(w);
    }
    jsonw_end_array(w);
    jsonw_key(w, SV("counts"));
    jsonw_begin_object(w);
    for (int kind = PAST_ADDED; kind < PAST_CHANGE_KINDS; kind++)
        jsonw_put_i64(w, kinds[kind], (int64_t)d->counts[kind]);
    jsonw_put_i64(w, "same", (int64_t)d->same);
    jsonw_end_object(w);
    jsonw_end_object(w);
}

/* --- the command --- */

static const struct past_run *find_run(const struct past_runs *runs, const struct instance_view *view) {
    for (size_t i = 0; i < runs->items.len; i++) {
        if (view->at_run.len > 0 && sv_eq(runs->items.items[i].run_id, view->at_run))
            return &runs->items.items[i];
    }
    return NULL;
}

enum exit_code history_diff(struct session *s, sv first, sv second) {
    struct cli *c = s->cli;
    struct past_runs runs;
    struct instance_view views[2];
    struct past_diff diff;
    if (!edit_list_runs(&s->config, &runs) || !run_view_instance_at(&s->config, first, &views[0]) ||
        !run_view_instance_at(&s->config, second, &views[1]))
        return session_get_error_code(c);
    past_compare(&s->config, &views[0], &views[1], &diff);
    const struct past_run *const sides[2] = {find_run(&runs, &views[0]), find_run(&runs, &views[1])};
    jsonw_put_text(&c->writer, "instanceId", runs.instance_id);
    write_json(c, sides, &diff);
    render(c, sides, &diff);
    return diff.changes.len > 0 && settings_get_flag(c, "detailed-exitcode") ? EXIT_CHANGES : EXIT_OK;
}
