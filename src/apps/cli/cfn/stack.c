/* The template and its run. */
#include "apps/cli/cfn/stack.h"

#include "apps/cli/files.h"
#include "apps/cli/outside.h"
#include "apps/cli/session.h"
#include "model/template.h"

static enum cfn_mode choose_mode(const struct cli *c) {
    if (settings_get_flag(c, "strict"))
        return CFN_STRICT;
    return settings_get_flag(c, "placeholder") ? CFN_PLACEHOLDER : CFN_PARTIAL;
}

static void take_options(struct stack *s, struct fetcher *fetcher) {
    struct cli *c = s->cli;
    s->options = (struct cfn_options){
        .arena = &c->arena,
        .diags = &c->diags,
        .sources = &c->sources,
        .host = (struct host *)c->host,
        .fetcher = fetcher,
        .mode = choose_mode(c),
        .no_env = settings_get_flag(c, "no-env"),
        .no_assume = settings_get_flag(c, "no-assume"),
        .stand_ins = settings_get_flag(c, "stand-ins"),
        .allow_missing = settings_get_flag(c, "allow-missing"),
        .allow_network = settings_get_flag(c, "allow-network"),
        .show_sensitive = settings_get_flag(c, "show-sensitive"),
        .keep_going = settings_get_flag(c, "keep-going"),
        .is_quota_error = settings_get_flag(c, "quota"),
        .prune = settings_get_flag(c, "prune"),
    };
}

bool stack_open(struct stack *s, struct cli *c, enum exit_code *code) {
    *s = (struct stack){.cli = c};
    sv file = c->arguments.items[0];
    struct source *source = inputs_read_source(c, file);
    if (source == NULL) {
        *code = EXIT_FAILED;
        return false;
    }
    s->inputs = cfn_inputs_new(&c->arena, &c->sources, &c->diags);
    if (!given_collect(c, s->inputs, code))
        return false;
    struct load_request request = {.arena = &c->arena};
    outside_open(c, sv_eq(file, SV("-")) ? (sv){0} : outside_find_root(c, file), &request);
    take_options(s, request.fetcher);
    struct cfn_load_options load = {.arena = &c->arena, .diags = &c->diags, .sources = &c->sources};
    s->cfn = cfn_load(&load, source);
    *code = EXIT_INVALID;
    return s->cfn != NULL;
}

void stack_start(struct stack *s) {
    s->run = cfn_run_open(s->cfn, s->inputs, &s->options);
}

void stack_close(struct stack *s) {
    if (s->run != NULL)
        cfn_run_close(s->run);
    s->run = NULL;
}

enum exit_code stack_get_code(const struct cli *c) {
    return diags_has_errors(&c->diags) ? EXIT_INVALID : EXIT_OK;
}

static bool write_file(struct cli *c, sv path, sv text) {
    enum file_made made = file_make(c, path, text);
    return made == FILE_MADE || (made == FILE_EXISTS && file_replace(c, path, text));
}

bool stack_write(struct cli *c, sv text) {
    sv path = settings_get_text(c, "out");
    if (path.len > 0 && !sv_eq(path, SV("-")))
        return write_file(c, path, text);
    output_text(c, text);
    return true;
}

/* --- report (CF-215) --- */

static const struct {
    enum cfn_report_kind kind;
    const char *one, *many;
} report_lines[] = {
    {CFN_REPORT_UNKNOWN, "1 value is unknown", "%zu values are unknown"},
    {CFN_REPORT_ASSUMED, "1 value rests on an assumption", "%zu values rest on assumptions"},
    {CFN_REPORT_STAND_IN, "1 value is a stand-in", "%zu values are stand-ins"},
    {CFN_REPORT_WITHHELD, "1 sensitive value is withheld", "%zu sensitive values are withheld"},
    {CFN_REPORT_OFF, "1 part is switched off", "%zu parts are switched off"},
    {CFN_REPORT_KEPT, "1 part stays as it is written", "%zu parts stay as they are written"},
};

static void note_kinds(struct stack *s) {
    for (size_t i = 0; i < sizeof report_lines / sizeof *report_lines; i++) {
        size_t count = cfn_run_count(s->run, report_lines[i].kind);
        if (count == 1)
            output_note(s->cli, "%s", report_lines[i].one);
        else if (count > 1)
            output_note(s->cli, "%.*s",
                        SV_ARG(arena_printf(&s->cli->arena, "%zu %s", count, report_lines[i].many + 4)));
    }
}

bool stack_report(struct stack *s) {
    struct cli *c = s->cli;
    sv path = settings_get_text(c, "report");
    struct buf out = BUF(&c->arena);
    struct jsonw w = JSONW(&out, 2);
    jsonw_key(&c->writer, SV("report"));
    cfn_run_write_report(s->run, &c->writer);
    if (path.len == 0) {
        note_kinds(s);
        return true;
    }
    cfn_run_write_report(s->run, &w);
    buf_append_char(&out, '\n');
    if (!sv_eq(path, SV("-")))
        return write_file(c, path, buf_get_sv(&out));
    output_note(c, "%.*s", SV_ARG(buf_get_sv(&out)));
    return true;
}
