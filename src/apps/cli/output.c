#include "apps/cli/outside.h"
#include "apps/cli/session.h"

#include "doc/suppress.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

bool output_is_machine(const struct cli *c) {
    return c->json || c->json_into >= 0;
}

/* Returns 0 or errno. */
static int write_all(int fd, sv text) {
    while (text.len > 0) {
        ssize_t n = write(fd, text.data, text.len);
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            return n < 0 ? errno : EIO;
        text = sv_slice(text, (size_t)n, text.len);
    }
    return 0;
}

static bool has_own_form(const struct cli *c) {
    return c->group && (!c->command || c->command->output == OUTPUT_OWN) && !settings_get_flag(c, "help");
}

/* A reader that went away (`| head`) has seen enough, unless it was to get a document; any other failure is remembered.
 */
static void write_result(struct cli *c, sv text) {
    int error = write_all(STDOUT_FILENO, text);
    if (c->output_error == 0 && (error != EPIPE || has_own_form(c)))
        c->output_error = error;
}

bool output_wants_events(const struct cli *c) {
    return output_is_machine(c) || c->log >= 0;
}

/* Whether the output is NDJSON: the command streams events and does not only show its help. */
static bool is_stream(const struct cli *c) {
    return c->command && c->command->output == OUTPUT_EVENTS && !settings_get_flag(c, "help");
}

void output_text(struct cli *c, sv text) {
    if (!c->json)
        write_result(c, text);
}

void output_note(struct cli *c, const char *format, ...) {
    if (c->quiet)
        return;
    va_list args;
    va_start(args, format);
    sv line = arena_vprintf(&c->arena, format, args);
    va_end(args);
    struct buf out = BUF(&c->arena);
    buf_append(&out, line);
    buf_append_char(&out, '\n');
    write_all(STDERR_FILENO, buf_get_sv(&out));
}

static void write_machine(struct cli *c, sv line) {
    if (c->json)
        write_result(c, line);
    int error = c->json_into >= 0 ? write_all(c->json_into, line) : 0;
    if (c->json_error == 0)
        c->json_error = error;
}

static void write_log(struct cli *c, sv line) {
    int error = c->log >= 0 ? write_all(c->log, line) : 0;
    if (c->log_error == 0)
        c->log_error = error;
}

void output_event_line(struct cli *c, sv json) {
    struct buf line = BUF(&c->arena);
    buf_append(&line, json);
    buf_append_char(&line, '\n');
    write_machine(c, buf_get_sv(&line));
    write_log(c, buf_get_sv(&line));
}

void output_begin(struct cli *c) {
    struct buf out = BUF(&c->arena);
    struct jsonw w = JSONW(&out, 0);
    jsonw_begin_object(&w);
    jsonw_put_text(&w, "type", SV("version"));
    jsonw_put_text(&w, "formatVersion", SV("1.0"));
    jsonw_put_text(&w, "lintel", SV(LINTEL_VERSION));
    jsonw_put_text(&w, "command", cli_get_name(c));
    jsonw_end_object(&w);
    buf_append_char(&out, '\n');
    if (is_stream(c))
        write_machine(c, buf_get_sv(&out));
    write_log(c, buf_get_sv(&out));
}

static struct render_options diag_options(const struct cli *c) {
    sv program = c->program ? c->program->name : SV("lintel");
    bool place_comes_first = c->group && c->group->place_comes_first;
    return (struct render_options){
        .color = c->color_err, .mask = &c->mask, .program = place_comes_first ? program : (sv){0}};
}

/* What the command has put into its payload. */
static void put_payload(struct cli *c, struct jsonw *w) {
    sv members = buf_get_sv(&c->payload);
    if (members.len > 2) { /* more than "{}" */
        buf_append_char(w->out, ',');
        buf_append(w->out, sv_slice(members, 1, members.len - 1));
    }
}

/* The exit code and the diagnostics; closes the object and ends the line. */
static sv end_object(struct cli *c, struct jsonw *w, enum exit_code code) {
    struct render_options options = diag_options(c);
    jsonw_put_i64(w, "exitCode", code);
    jsonw_key(w, SV("diagnostics"));
    render_diags_json(w, &c->diags, &options);
    jsonw_end_object(w);
    buf_append_char(w->out, '\n');
    return buf_get_sv(w->out);
}

static void write_own(struct cli *c, enum exit_code code) {
    struct buf out = BUF(&c->arena);
    struct jsonw w = JSONW(&out, 0);
    if (c->result.len > 0)
        buf_append(&out, c->result);
    else
        c->group->write_failure(c, &w, code);
    buf_append_char(&out, '\n');
    write_machine(c, buf_get_sv(&out));
}

static void write_object(struct cli *c, enum exit_code code) {
    struct buf out = BUF(&c->arena);
    struct jsonw w = JSONW(&out, 0);
    if (has_own_form(c)) {
        write_own(c, code);
        return;
    }
    jsonw_begin_object(&w);
    jsonw_put_text(&w, "formatVersion", SV("1.0"));
    jsonw_put_text(&w, "command", cli_get_name(c));
    put_payload(c, &w);
    write_machine(c, end_object(c, &w, code));
}

/* The last event of a stream and of a log. */
static void write_summary(struct cli *c, enum exit_code code) {
    struct buf out = BUF(&c->arena);
    struct jsonw w = JSONW(&out, 0);
    jsonw_begin_object(&w);
    jsonw_put_text(&w, "type", SV("summary"));
    jsonw_put_i64(&w, "wallMs", c->host->ops->get_wall_ms(c->host->user));
    jsonw_put_i64(&w, "monotonicMs", c->host->ops->get_monotonic_ms(c->host->user));
    if (is_stream(c))
        put_payload(c, &w);
    sv line = end_object(c, &w, code);
    if (is_stream(c))
        write_machine(c, line);
    write_log(c, line);
}

/* Quiet means errors only. */
static void render_errors(struct buf *out, struct cli *c) {
    struct render_options options = diag_options(c);
    diags_sort(&c->diags);
    for (size_t i = 0; i < c->diags.items.len; i++) {
        if (c->diags.items.items[i]->level == DIAG_ERROR)
            render_diag(out, &c->diags, c->diags.items.items[i], &options);
    }
}

void output_show_diagnostics(struct cli *c) {
    struct render_options options = diag_options(c);
    struct buf out = BUF(&c->arena);
    if (c->diags.items.len == 0)
        return;
    if (c->quiet)
        render_errors(&out, c);
    else
        render_diags(&out, &c->diags, &options);
    write_all(STDERR_FILENO, buf_get_sv(&out));
}

void output_settle_diagnostics(struct cli *c) {
    static const char *const partial[] = {"no-providers", "no-transforms", "offline", "pure"};
    struct suppress_options options = {.first_source = c->forgotten_sources};
    options.format = (enum doc_format)template_get_format(c);
    for (size_t i = 0; i < sizeof partial / sizeof *partial; i++)
        options.is_partial = options.is_partial || settings_get_flag(c, partial[i]);
    if (!c->is_settled)
        doc_suppress(&c->diags, &c->sources, &options);
    c->is_settled = true;
}

void output_end_run(struct cli *c, sv run_id, enum exit_code code) {
    struct buf out = BUF(&c->arena);
    struct jsonw w = JSONW(&out, 0);
    output_settle_diagnostics(c);
    jsonw_end_object(&c->writer);
    jsonw_begin_object(&w);
    jsonw_put_text(&w, "type", SV("run"));
    jsonw_put_text(&w, "runId", run_id);
    jsonw_put_text(&w, "phase", SV("ended"));
    jsonw_put_i64(&w, "wallMs", c->host->ops->get_wall_ms(c->host->user));
    jsonw_put_i64(&w, "monotonicMs", c->host->ops->get_monotonic_ms(c->host->user));
    put_payload(c, &w);
    sv line = end_object(c, &w, code);
    write_machine(c, line);
    write_log(c, line);
    output_show_diagnostics(c);
}

enum exit_code output_finish(struct cli *c, enum exit_code code) {
    if (!outside_close(c, code == EXIT_OK || code == EXIT_CHANGES) && code == EXIT_OK)
        code = EXIT_FAILED;
    output_settle_diagnostics(c);
    jsonw_end_object(&c->writer);
    if (output_wants_events(c))
        write_summary(c, code);
    if (output_is_machine(c) && !is_stream(c))
        write_object(c, code);
    if (c->json_error != 0)
        diags_add(&c->diags, DIAG_file_not_writable, SPAN_NONE, "the machine output in '%.*s' is not complete: %s",
                  SV_ARG(settings_get_text(c, "json-into")), strerror(c->json_error));
    if (c->log_error != 0)
        diags_add(&c->diags, DIAG_file_not_writable, SPAN_NONE, "the log '%.*s' is not complete: %s",
                  SV_ARG(settings_get_text(c, "log")), strerror(c->log_error));
    bool streams = c->command && c->command->output == OUTPUT_EVENTS;
    bool can_fail = !streams && (code == EXIT_OK || code == EXIT_CHANGES);
    if (c->json_error != 0 && can_fail)
        code = EXIT_FAILED;
    if (c->output_error != 0 && can_fail) {
        diags_add(&c->diags, DIAG_file_not_writable, SPAN_NONE, "the result cannot be written to standard output: %s",
                  strerror(c->output_error));
        code = EXIT_FAILED;
    }
    output_show_diagnostics(c);
    return code;
}

enum exit_code output_get_input_code(const struct cli *c) {
    for (size_t i = 0; i < c->diags.items.len; i++) {
        if (c->diags.items.items[i]->code == DIAG_usage_error)
            return EXIT_USAGE;
    }
    return EXIT_INVALID;
}

void output_add_hint(struct cli *c, const struct hint *hint, const char *prefix) {
    if (hint->best.len > 0 && c->diags.items.len > 0)
        diag_set_hint(&c->diags, *VEC_LAST(&c->diags.items), "did you mean '%s%.*s'?", prefix, SV_ARG(hint->best));
}

enum exit_code output_usage_error(struct cli *c, const char *format, ...) {
    va_list args;
    va_start(args, format);
    sv text = arena_vprintf(&c->arena, format, args);
    va_end(args);
    struct diag *d = diags_add(&c->diags, DIAG_usage_error, SPAN_NONE, "%.*s", SV_ARG(text));
    if (c->command)
        diag_set_hint(&c->diags, d, "see: lintel help %.*s", SV_ARG(cli_get_name(c)));
    else
        diag_set_hint(&c->diags, d, "see: lintel help");
    return EXIT_USAGE;
}

enum exit_code output_report_unknown(struct cli *c, const char *what, sv name, const struct hint *hint) {
    output_usage_error(c, "there is no %s '%.*s'", what, SV_ARG(render_escape(&c->arena, sv_slice(name, 0, 80))));
    diag_set_hint(&c->diags, *VEC_LAST(&c->diags.items), "see: lintel %.*s", SV_ARG(cli_get_name(c)));
    output_add_hint(c, hint, "");
    return EXIT_USAGE;
}

enum exit_code output_get_check_code(const struct cli *c) {
    return diags_has_errors(&c->diags) ? EXIT_INVALID : EXIT_OK;
}

void output_render_duration(struct buf *out, int64_t ms) {
    if (ms < 60000) {
        buf_printf(out, "%lld.%llds", (long long)(ms / 1000), (long long)(ms % 1000 / 100));
        return;
    }
    int64_t seconds = ms / 1000;
    if (seconds < 3600)
        buf_printf(out, "%lldm%02llds", (long long)(seconds / 60), (long long)(seconds % 60));
    else
        buf_printf(out, "%lldh%02lldm", (long long)(seconds / 3600), (long long)(seconds % 3600 / 60));
}

static const struct {
    const char *name, *sequence;
} colors[] = {
    {"bold", "\033[1m"}, {"dim", "\033[2m"}, {"green", "\033[32m"}, {"red", "\033[31m"}, {"yellow", "\033[33m"},
};

const char *output_start_color(bool color, const char *name) {
    for (size_t i = 0; color && i < sizeof colors / sizeof *colors; i++) {
        if (strcmp(colors[i].name, name) == 0)
            return colors[i].sequence;
    }
    return "";
}

const char *output_end_color(bool color) {
    return color ? "\033[0m" : "";
}
