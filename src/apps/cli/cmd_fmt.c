#include "apps/cli/commands.h"
#include "apps/cli/files.h"
#include "apps/cli/session.h"

#include "doc/format.h"
#include "text/diff.h"

struct fmt {
    struct cli *cli;
    bool checks, diffs; /* --check, --diff: nothing is written */
    size_t changed, failed;
    bool is_write_failed;
};

static bool is_stdin(sv file) {
    return sv_eq(file, SV("-"));
}

/* What people see of one file: its difference, the text of standard input, or its name. */
static void show(struct fmt *f, const struct source *source, sv text, sv diff, bool is_changed) {
    struct cli *c = f->cli;
    bool is_text_wanted = is_stdin(source->name) || sv_eq(source->name, SV("<stdin>"));
    if (f->diffs)
        output_text(c, diff);
    else if (is_text_wanted && !f->checks)
        output_text(c, text);
    else if (is_changed && !c->quiet)
        output_text(c, arena_printf(&c->arena, "%.*s\n", SV_ARG(render_escape(&c->arena, source->name))));
}

static void write_result(struct fmt *f, sv file, sv text, sv diff, bool is_changed, bool is_written) {
    struct jsonw *w = &f->cli->writer;
    jsonw_begin_object(w);
    jsonw_put_text(w, "file", file);
    jsonw_put_bool(w, "changed", is_changed);
    jsonw_put_bool(w, "written", is_written);
    if (f->diffs && is_changed)
        jsonw_put_text(w, "diff", diff);
    if (is_stdin(file) && !f->checks && !f->diffs)
        jsonw_put_text(w, "text", text);
    jsonw_end_object(w);
}

static void format_source(struct fmt *f, sv file, struct source *source) {
    struct cli *c = f->cli;
    enum doc_format format = doc_find_format(file);
    enum doc_format wanted = template_get_format(c);
    struct buf out = BUF(&c->arena), diff = BUF(&c->arena);
    format = wanted ? wanted : format ? format : DOC_YAML;
    if (doc_format(&out, source, format, &c->limits, &c->diags) != FORMAT_DONE) {
        f->failed++;
        return;
    }
    sv text = buf_get_sv(&out);
    bool is_changed = !sv_eq(text, source->bytes), writes = !f->checks && !f->diffs && !is_stdin(file);
    if (f->diffs)
        diff_render(&diff, source->name, source->bytes, text);
    f->changed += is_changed;
    bool is_written = is_changed && writes && file_replace(c, file, text);
    if (is_changed && writes && !is_written) {
        f->is_write_failed = true;
        return;
    }
    show(f, source, text, buf_get_sv(&diff), is_changed);
    write_result(f, file, text, buf_get_sv(&diff), is_changed, is_written);
}

static void format_file(struct fmt *f, sv file) {
    struct source *source = inputs_read_source(f->cli, file);
    if (source)
        format_source(f, file, source);
    else
        f->failed++;
}

enum exit_code cmd_fmt_run(struct cli *c) {
    struct fmt f = {.cli = c, .checks = settings_get_flag(c, "check"), .diffs = settings_get_flag(c, "diff")};
    sv file;
    if (!template_choose_file(c, &file))
        return EXIT_USAGE;
    jsonw_key(&c->writer, SV("files"));
    jsonw_begin_array(&c->writer);
    if (c->arguments.len == 0)
        format_file(&f, file);
    for (size_t i = 0; i < c->arguments.len; i++)
        format_file(&f, c->arguments.items[i]);
    jsonw_end_array(&c->writer);
    if (f.is_write_failed)
        return EXIT_FAILED;
    if (f.failed > 0)
        return EXIT_INVALID;
    return f.checks && f.changed > 0 ? EXIT_CHANGES : EXIT_OK;
}
