/* What went wrong, for people (§13, DY-332) and machines (DY-334). */
#include "apps/cli/dynaml/work.h"

#include <errno.h>
#include <unistd.h>

static void write_errors(sv text) {
    while (text.len > 0) {
        ssize_t n = write(STDERR_FILENO, text.data, text.len);
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            return;
        text = sv_slice(text, (size_t)n, text.len);
    }
}

void report_lines(struct cli *c, sv text) {
    if (isatty(STDERR_FILENO) != 1) {
        write_errors(text);
        return;
    }
    struct buf out = BUF(&c->arena);
    size_t start = 0;
    for (size_t i = 0; i <= text.len; i++) {
        bool is_kept = i < text.len && (text.data[i] == '\n' || text.data[i] == '\t');
        if (i < text.len && !is_kept)
            continue;
        buf_append(&out, render_escape(&c->arena, sv_slice(text, start, i)));
        if (is_kept)
            buf_append_char(&out, text.data[i]);
        start = i + 1;
    }
    write_errors(buf_get_sv(&out));
}

/* Line breaks and tabs in a path or a file name would look like those of the report. */
static struct dynaml_unresolved escape(struct arena *a, const struct dynaml_unresolved *u) {
    struct dynaml_unresolved shown = *u;
    shown.file = render_escape(a, u->file);
    shown.path = render_escape(a, u->path);
    shown.lookup = render_escape(a, u->lookup);
    return shown;
}

static void show_lines(struct work *w) {
    struct arena *a = &w->cli->arena;
    struct dynaml_result shown = w->result;
    struct buf out = BUF(a);
    struct dynaml_unresolved *items = ARENA_ARRAY(a, struct dynaml_unresolved, shown.unresolved_count + 1);
    bool is_terminal = isatty(STDERR_FILENO) == 1;
    for (size_t i = 0; i < shown.unresolved_count; i++)
        items[i] = is_terminal ? escape(a, &shown.unresolved[i]) : shown.unresolved[i];
    shown.unresolved = items;
    dynaml_print_report(&out, &shown);
    report_lines(w->cli, buf_get_sv(&out));
}

static bool is_full(const struct work *w) {
    return sv_eq(settings_get_text(w->cli, "errors"), SV("full"));
}

static void show_diagnostics(struct work *w, const struct diags *diags) {
    struct buf out = BUF(&w->cli->arena);
    struct render_options options = {.color = w->cli->color_err};
    for (size_t i = 0; i < diags->items.len; i++)
        render_diag(&out, diags, diags->items.items[i], &options);
    write_errors(buf_get_sv(&out));
}

void report_problem(struct work *w) {
    struct cli *c = w->cli;
    const struct dynaml_problem *problem = dynaml_get_problem(w->run);
    struct diags diags;
    w->hint = problem->hint;
    if (!is_full(w) || span_is_none(problem->at))
        return;
    diags_init(&diags, &c->arena, &c->sources);
    struct diag *d = diags_add(&diags, DIAG_dynaml_syntax, problem->at, "%.*s", SV_ARG(problem->message));
    d->hint = problem->hint;
    show_diagnostics(w, &diags);
}

void report_unresolved(struct work *w) {
    struct cli *c = w->cli;
    struct diags diags;
    w->message = SV("error generating manifest: unresolved nodes:");
    if (!is_full(w)) {
        work_fail(w, "error generating manifest: unresolved nodes:");
        show_lines(w);
        return;
    }
    diags_init(&diags, &c->arena, &c->sources);
    dynaml_diagnose(&diags, &w->result);
    show_diagnostics(w, &diags);
}

static sv get_state_name(const struct dynaml_unresolved *u) {
    switch (u->state) {
    case DYNAML_FAILED:
        return SV("failed");
    case DYNAML_PENDING:
        return u->is_cyclic ? SV("cycle") : SV("pending");
    case DYNAML_NOT_PARSED:
        return SV("unparseable");
    }
    return SV("");
}

/* Returns the number of the first entry that is not below this level. */
static size_t write_level(struct jsonw *w, const struct dynaml_result *r, size_t at, unsigned level) {
    jsonw_begin_array(w);
    while (at < r->unresolved_count && r->unresolved[at].level == level) {
        const struct dynaml_unresolved *u = &r->unresolved[at];
        jsonw_begin_object(w);
        jsonw_put_text(w, "expr", u->expression);
        jsonw_put_text(w, "file", u->file);
        if (u->line > 0) {
            jsonw_put_i64(w, "line", (int64_t)u->line);
            jsonw_put_i64(w, "column", (int64_t)u->column);
        }
        jsonw_put_text(w, "path", u->path);
        jsonw_put_text(w, "lookup", u->lookup);
        jsonw_put_text(w, "state", get_state_name(u));
        jsonw_put_text(w, "issue", u->issue);
        if (u->hint.len > 0)
            jsonw_put_text(w, "hint", u->hint);
        jsonw_key(w, SV("nested"));
        at = write_level(w, r, at + 1, level + 1);
        jsonw_end_object(w);
    }
    jsonw_end_array(w);
    return at;
}

static void write_warnings(struct work *work, struct jsonw *w) {
    const sv *lines = NULL;
    size_t count = work->run == NULL ? 0 : dynaml_get_warnings(work->run, &lines);
    jsonw_key(w, SV("warnings"));
    jsonw_begin_array(w);
    for (size_t i = 0; i < count; i++)
        jsonw_text(w, lines[i]);
    jsonw_end_array(w);
}

static void write_error(struct work *work, struct jsonw *w, enum exit_code code) {
    bool is_one = work->cli->program != NULL && code != EXIT_OK; /* DY-335 */
    jsonw_begin_object(w);
    jsonw_key(w, SV("error"));
    jsonw_begin_object(w);
    jsonw_put_text(w, "message", work->message);
    if (work->hint.len > 0)
        jsonw_put_text(w, "hint", work->hint);
    jsonw_put_i64(w, "exitCode", is_one ? EXIT_FAILED : code);
    write_warnings(work, w);
    jsonw_key(w, SV("unresolved"));
    write_level(w, &work->result, 0, 0);
    jsonw_end_object(w);
    jsonw_end_object(w);
}

sv report_make_json(struct work *work, enum exit_code code) {
    struct buf out = BUF(&work->cli->arena);
    struct jsonw w = JSONW(&out, 0);
    write_error(work, &w, code);
    return buf_get_sv(&out);
}

void work_write_failure(struct cli *c, struct jsonw *w, enum exit_code code) {
    struct work nothing = {.cli = c};
    const struct diag *first = c->diags.items.len > 0 ? c->diags.items.items[0] : NULL;
    nothing.message = first != NULL ? first->message : SV("failed");
    nothing.hint = first != NULL ? first->hint : SV("");
    write_error(&nothing, w, code);
}
