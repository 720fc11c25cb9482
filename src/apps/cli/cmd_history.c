#include "apps/cli/commands.h"
#include "apps/cli/history_view.h"

#include "engine/fields.h"

#include <time.h>

sv history_render_time(struct cli *c, int64_t ms) {
    char text[64];
    struct tm local;
    time_t seconds = (time_t)(ms / 1000);
    if (ms == 0 || localtime_r(&seconds, &local) == NULL)
        return SV("-");
    size_t len = strftime(text, sizeof text, "%Y-%m-%d %H:%M:%S %z", &local);
    return arena_copy_sv(&c->arena, sv_make(text, len));
}

static void render_summary(struct buf *out, value summary) {
    static const struct {
        const char *key, *done;
    } words[] = {{"create", "created"},
                 {"update", "updated"},
                 {"replace", "replaced"},
                 {"destroy", "destroyed"},
                 {"retain", "kept but forgotten"},
                 {"check", "checked"}};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        int64_t count = field_get_int(summary, words[i].key);
        if (count > 0)
            buf_printf(out, "%s%lld %s", out->len > 0 ? ", " : "", (long long)count, words[i].done);
    }
    if (out->len == 0)
        buf_append_cstr(out, "nothing was changed");
}

static sv find_change_text(struct cli *c, const struct past_run *run) {
    struct buf out = BUF(&c->arena);
    if (run->summary.kind == VALUE_MAP)
        render_summary(&out, run->summary);
    const value *changes;
    size_t count = field_get_items(run->edit, "changes", &changes);
    for (size_t i = 0; i < count; i++) {
        sv to = field_get_text(changes[i], "to");
        buf_printf(&out, "%s%.*s %.*s%s%.*s", i > 0 ? ", " : "", SV_ARG(field_get_text(changes[i], "change")),
                   SV_ARG(field_get_text(changes[i], "address")), to.len > 0 ? " → " : "", SV_ARG(to));
    }
    if (run->reason.len > 0)
        buf_printf(&out, "%s%.*s", out.len > 0 ? "; " : "", SV_ARG(run->reason));
    return render_escape(&c->arena, buf_get_sv(&out));
}

static void write_changes(struct jsonw *w, value edit) {
    const value *changes;
    size_t count = field_get_items(edit, "changes", &changes);
    jsonw_key(w, SV("changes"));
    jsonw_begin_array(w);
    for (size_t i = 0; i < count; i++) {
        jsonw_begin_object(w);
        jsonw_put_text(w, "change", field_get_text(changes[i], "change"));
        jsonw_put_text(w, "address", field_get_text(changes[i], "address"));
        jsonw_put_text(w, "to", field_get_text(changes[i], "to"));
        jsonw_end_object(w);
    }
    jsonw_end_array(w);
}

static void write_run(struct jsonw *w, const struct past_run *run) {
    jsonw_begin_object(w);
    jsonw_key(w, SV("number"));
    if (run->number > 0)
        jsonw_i64(w, run->number);
    else
        jsonw_null(w);
    jsonw_put_text(w, "runId", run->run_id);
    jsonw_put_text(w, "kind", run->kind);
    jsonw_put_text(w, "actor", run->actor);
    jsonw_put_i64(w, "pid", run->pid);
    jsonw_put_text(w, "outcome", run->outcome);
    jsonw_put_text(w, "command", run->command);
    jsonw_put_text(w, "reason", run->reason);
    jsonw_put_i64(w, "startedMs", run->started_ms);
    jsonw_put_i64(w, "endedMs", run->ended_ms);
    jsonw_key(w, SV("summary"));
    if (run->summary.kind == VALUE_MAP)
        value_write_json(w, run->summary, REDACT);
    else
        jsonw_null(w);
    write_changes(w, run->edit);
    jsonw_end_object(w);
}

static void render_run(struct cli *c, struct buf *out, const struct past_run *run) {
    sv number = run->number > 0 ? arena_printf(&c->arena, "%lld", (long long)run->number) : SV("-");
    buf_printf(out, "%6.*s  %-26.*s  %-12.*s %-20.*s %-25.*s %.*s\n", SV_ARG(number), SV_ARG(run->run_id),
               SV_ARG(render_escape(&c->arena, run->kind)), SV_ARG(render_escape(&c->arena, run->outcome)),
               SV_ARG(history_render_time(c, run->started_ms)), SV_ARG(render_escape(&c->arena, run->actor)));
    sv text = find_change_text(c, run);
    if (text.len > 0)
        buf_printf(out, "        %.*s\n", SV_ARG(text));
}

static enum exit_code list_runs(struct session *s) {
    struct cli *c = s->cli;
    struct past_runs runs;
    if (!edit_list_runs(&s->config, &runs))
        return session_get_error_code(c);
    struct buf out = BUF(&c->arena);
    buf_printf(&out, "%6s  %-26s  %-12s %-20s %-25s %s\n", "NUMBER", "RUN", "KIND", "OUTCOME", "STARTED", "ACTOR");
    jsonw_put_text(&c->writer, "instanceId", runs.instance_id);
    jsonw_key(&c->writer, SV("runs"));
    jsonw_begin_array(&c->writer);
    for (size_t i = 0; i < runs.items.len; i++) {
        write_run(&c->writer, &runs.items.items[i]);
        render_run(c, &out, &runs.items.items[i]);
    }
    jsonw_end_array(&c->writer);
    output_text(c, buf_get_sv(&out));
    return EXIT_OK;
}

static enum exit_code history(struct session *s) {
    const sv *arguments = s->cli->arguments.items;
    size_t count = s->cli->arguments.len;
    if (!session_choose_instance(s, SV("blueprint.yaml")))
        return EXIT_USAGE;
    if (count == 0 || sv_eq_cstr(arguments[0], "list"))
        return list_runs(s);
    return history_diff(s, arguments[1], count > 2 ? arguments[2] : SV(""));
}

static bool check_arguments(struct cli *c) {
    bool is_diff = c->arguments.len > 0 && sv_eq_cstr(c->arguments.items[0], "diff");
    bool has_runs = c->arguments.len == 2 || c->arguments.len == 3;
    for (size_t i = 1; i < c->arguments.len; i++)
        has_runs = has_runs && c->arguments.items[i].len > 0;
    if (is_diff && !has_runs)
        output_usage_error(c, "'history diff' needs one run or two: their numbers, or ids");
    else if (!is_diff && c->arguments.len > 1)
        output_usage_error(c, "'history' takes runs behind 'diff' only");
    else if (!is_diff && settings_get_flag(c, "detailed-exitcode"))
        output_usage_error(c, "'--detailed-exitcode' goes with 'history diff' only");
    else
        return true;
    return false;
}

enum exit_code cmd_history_run(struct cli *c) {
    struct session session = {0};
    if (!check_arguments(c))
        return EXIT_USAGE;
    bool is_diff = c->arguments.len > 1;
    enum session_mode mode = is_diff ? SESSION_READ : SESSION_LOOK;
    enum exit_code code = session_open(c, &session, mode) ? history(&session) : session_get_error_code(c);
    session_close(&session);
    return code;
}
