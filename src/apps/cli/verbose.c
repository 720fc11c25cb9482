#include "apps/cli/verbose.h"

void verbose_begin(struct cli *c) {
    if (!c->verbose)
        return;
    output_note(c, "lintel %s: %.*s in %.*s", LINTEL_VERSION, SV_ARG(c->command ? cli_get_name(c) : SV("no command")),
                SV_ARG(render_escape(&c->arena, c->project_dir)));
    for (size_t i = 0; i < c->settings.len; i++) {
        const struct setting *s = &c->settings.items[i];
        bool has_name = s->origin == ORIGIN_ENVIRONMENT || s->origin == ORIGIN_PROJECT_FILE;
        if (s->origin <= ORIGIN_DEFAULT)
            continue;
        output_note(c, "%s%.*s is set by %.*s%s%.*s", s->option->name.len > 1 ? "--" : "-", SV_ARG(s->option->name),
                    SV_ARG(setting_origin_get_text(s->origin)), has_name ? " " : "",
                    SV_ARG(has_name ? render_escape(&c->arena, s->origin_text) : SV("")));
    }
}

void verbose_say_store(struct cli *c, sv url, sv key) {
    if (!c->verbose)
        return;
    output_note(c, "state: %.*s", SV_ARG(render_escape(&c->arena, url)));
    if (key.len > 0)
        output_note(c, "sealing key: %.*s", SV_ARG(render_escape(&c->arena, key)));
}

void verbose_end(struct cli *c, enum exit_code code, int64_t started_ms) {
    if (!c->verbose)
        return;
    for (size_t i = 0; i < c->sources.items.len; i++) {
        const struct source *source = c->sources.items.items[i];
        output_note(c, "read %.*s: %zu bytes", SV_ARG(render_escape(&c->arena, source->name)), source->bytes.len);
    }
    struct buf took = BUF(&c->arena);
    output_render_duration(&took, c->host->ops->get_monotonic_ms(c->host->user) - started_ms);
    sv meaning = exit_code_get_meaning(code);
    output_note(c, "exit code %d after %.*s: %.*s", (int)code, SV_ARG(buf_get_sv(&took)), SV_ARG(meaning));
}
