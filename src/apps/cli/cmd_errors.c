#include "apps/cli/commands.h"

static sv get_level_name(const struct diag_info *info) {
    switch (info->level) {
    case DIAG_ERROR:
        return SV("error");
    case DIAG_WARNING:
        return info->strict_error ? SV("warning (error with --strict)") : SV("warning");
    case DIAG_INFO:
        return SV("info");
    }
    return SV("");
}

static void render_code(struct buf *out, const struct diag_info *info, bool markdown) {
    sv level = get_level_name(info);
    if (markdown)
        buf_printf(out, "| `%.*s` | %.*s | %.*s |\n", SV_ARG(info->name), SV_ARG(level), SV_ARG(info->title));
    else
        buf_printf(out, "%-52.*s %-9.*s %.*s\n", SV_ARG(info->name), SV_ARG(level), SV_ARG(info->title));
}

static void write_code(struct jsonw *w, const struct diag_info *info) {
    jsonw_begin_object(w);
    jsonw_put_text(w, "code", info->name);
    jsonw_put_text(w, "severity",
                   info->level == DIAG_ERROR     ? SV("error")
                   : info->level == DIAG_WARNING ? SV("warning")
                                                 : SV("info"));
    jsonw_put_bool(w, "errorWhenStrict", info->strict_error);
    jsonw_put_text(w, "title", info->title);
    jsonw_end_object(w);
}

static enum exit_code report_unknown(struct cli *c, sv name) {
    struct hint hint = HINT(name);
    for (int i = DIAG_NO_CODE + 1; i < DIAG_CODE_COUNT; i++)
        hint_offer(&hint, diag_get_info((enum diag_code)i)->name);
    return output_report_unknown(c, "diagnostic code", name, &hint);
}

enum exit_code cmd_errors_run(struct cli *c) {
    sv only = c->arguments.len > 0 ? c->arguments.items[0] : SV("");
    if (only.len > 0 && diag_find_code(only) == DIAG_NO_CODE)
        return report_unknown(c, only);
    bool markdown = settings_get_flag(c, "markdown");
    struct buf out = BUF(&c->arena);
    if (markdown)
        buf_append_cstr(&out, "# Diagnostic codes\n\nMade by `lintel errors --markdown` from the table of codes. Codes "
                              "never change their name.\n\n"
                              "| code | severity | when |\n|---|---|---|\n");
    jsonw_key(&c->writer, SV("codes"));
    jsonw_begin_array(&c->writer);
    for (int i = DIAG_NO_CODE + 1; i < DIAG_CODE_COUNT; i++) {
        const struct diag_info *info = diag_get_info((enum diag_code)i);
        if (only.len > 0 && !sv_eq(info->name, only))
            continue;
        render_code(&out, info, markdown);
        write_code(&c->writer, info);
    }
    jsonw_end_array(&c->writer);
    output_text(c, buf_get_sv(&out));
    return EXIT_OK;
}
