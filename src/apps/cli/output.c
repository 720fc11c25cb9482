#include "apps/cli/cli.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

bool output_is_machine(const struct cli *c) {
    return c->json || c->json_into >= 0;
}

/* A reader that went away (`| head`) loses output, never a deployment: failures to write are not errors of the run. */
static void write_all(int fd, sv text) {
    while (text.len > 0) {
        ssize_t n = write(fd, text.data, text.len);
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            return;
        text = sv_slice(text, (size_t)n, text.len);
    }
}

void output_text(struct cli *c, sv text) {
    if (!c->json)
        write_all(STDOUT_FILENO, text);
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

void output_event_line(struct cli *c, sv json) {
    struct buf line = BUF(&c->arena);
    buf_append(&line, json);
    buf_append_char(&line, '\n');
    if (c->json)
        write_all(STDOUT_FILENO, buf_get_sv(&line));
    if (c->json_into >= 0)
        write_all(c->json_into, buf_get_sv(&line));
}

static struct render_options diag_options(const struct cli *c) {
    return (struct render_options){.color = c->color_err, .mask = &c->mask};
}

static void write_object(struct cli *c, enum exit_code code) {
    struct buf out = BUF(&c->arena);
    struct jsonw w = JSONW(&out, 0);
    struct render_options options = diag_options(c);
    jsonw_begin_object(&w);
    jsonw_put_text(&w, "formatVersion", SV("1.0"));
    jsonw_put_text(&w, "command", c->command ? c->command->name : SV(""));
    sv members = buf_get_sv(&c->payload);
    if (members.len > 2) { /* more than "{}" */
        buf_append_char(&out, ',');
        buf_append(&out, sv_slice(members, 1, members.len - 1));
    }
    jsonw_put_i64(&w, "exitCode", code);
    jsonw_key(&w, SV("diagnostics"));
    render_diags_json(&w, &c->diags, &options);
    jsonw_end_object(&w);
    output_event_line(c, buf_get_sv(&out));
}

/* Commands that stream events: diagnostics and the end as lines of their own. */
static void write_last_events(struct cli *c, enum exit_code code) {
    struct render_options options = diag_options(c);
    struct buf out = BUF(&c->arena);
    struct jsonw w = JSONW(&out, 0);
    jsonw_begin_object(&w);
    jsonw_put_text(&w, "type", SV("summary"));
    jsonw_put_i64(&w, "wallMs", c->host->ops->get_wall_ms(c->host->user));
    jsonw_put_i64(&w, "monotonicMs", c->host->ops->get_monotonic_ms(c->host->user));
    sv members = buf_get_sv(&c->payload);
    if (members.len > 2) {
        buf_append_char(&out, ',');
        buf_append(&out, sv_slice(members, 1, members.len - 1));
    }
    jsonw_put_i64(&w, "exitCode", code);
    jsonw_key(&w, SV("diagnostics"));
    render_diags_json(&w, &c->diags, &options);
    jsonw_end_object(&w);
    output_event_line(c, buf_get_sv(&out));
}

void output_finish(struct cli *c, enum exit_code code) {
    jsonw_end_object(&c->writer);
    bool events = c->command && c->command->output == OUTPUT_EVENTS;
    if (output_is_machine(c)) {
        if (events)
            write_last_events(c, code);
        else
            write_object(c, code);
    }
    if (c->diags.items.len == 0)
        return;
    struct buf out = BUF(&c->arena);
    struct render_options options = diag_options(c);
    render_diags(&out, &c->diags, &options);
    write_all(STDERR_FILENO, buf_get_sv(&out));
}

enum exit_code output_usage_error(struct cli *c, const char *format, ...) {
    va_list args;
    va_start(args, format);
    sv text = arena_vprintf(&c->arena, format, args);
    va_end(args);
    struct diag *d = diags_add(&c->diags, DIAG_usage_error, SPAN_NONE, "%.*s", SV_ARG(text));
    if (c->command)
        diag_set_hint(&c->diags, d, "see: lintel help %.*s", SV_ARG(c->command->name));
    else
        diag_set_hint(&c->diags, d, "see: lintel help");
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
