#include "apps/cli/commands.h"
#include "apps/cli/plan_view.h"
#include "apps/cli/scope.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* Whole or not at all: a temporary file beside it, then renamed. */
static bool write_file(struct cli *c, sv path, sv text) {
    const char *target = arena_copy_cstr(&c->arena, path);
    const char *temporary = arena_printf(&c->arena, "%s.%lld.tmp", target, (long long)getpid()).data;
    int fd = open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
    bool ok = fd >= 0;
    size_t done = 0;
    while (ok && done < text.len) {
        ssize_t n = write(fd, text.data + done, text.len - done);
        ok = n > 0 || (n < 0 && errno == EINTR);
        done += n > 0 ? (size_t)n : 0;
    }
    ok = ok && fsync(fd) == 0 && rename(temporary, target) == 0;
    if (!ok) {
        diags_add(&c->diags, DIAG_file_not_writable, SPAN_NONE, "the plan cannot be written to '%.*s': %s",
                  SV_ARG(path), strerror(errno));
        if (fd >= 0)
            unlink(temporary);
    }
    if (fd >= 0)
        close(fd);
    return ok;
}

static bool save_plan(struct session *s, const struct plan *p) {
    struct cli *c = s->cli;
    sv path = settings_get_text(c, "out");
    if (path.len == 0)
        return true;
    struct buf out = BUF(&c->arena);
    struct jsonw w = JSONW(&out, 2);
    plan_write_json(&w, p, s->sealer);
    buf_append_char(&out, '\n');
    if (!write_file(c, path, buf_get_sv(&out)))
        return false;
    output_note(c, "saved to %.*s; carry it out with: lintel deploy --plan %.*s", SV_ARG(path), SV_ARG(path));
    return true;
}

static enum exit_code show_plan(struct session *s, const struct plan *p) {
    struct cli *c = s->cli;
    struct plan_view view = {.color = c->color_out,
                             .is_summary = settings_get_flag(c, "summary"),
                             .is_markdown = settings_get_flag(c, "md")};
    if (!secrecy_choose(c, &view.secrecy) || !kinds_parse_option(c, "only", &view.only))
        return EXIT_USAGE;
    struct buf text = BUF(&c->arena);
    plan_render_view(&text, p, &view);
    output_text(c, buf_get_sv(&text));
    if (output_wants_events(c)) { /* else nobody reads it, and it is as large as the template */
        jsonw_key(&c->writer, SV("plan"));
        plan_write_json(&c->writer, p, NULL);
    }
    if (!save_plan(s, p))
        return EXIT_FAILED;
    return settings_get_flag(c, "detailed-exitcode") && !plan_is_empty(p) ? EXIT_CHANGES : EXIT_OK;
}

static enum exit_code plan_template(struct session *s, const struct loaded *l) {
    struct cli *c = s->cli;
    enum exit_code code = EXIT_FAILED;
    bool destroy = settings_get_flag(c, "destroy");
    scope_collect(c, &s->config.scope);
    const struct plan *p =
        run_plan(&s->config, destroy ? NULL : l->template, destroy, l->inputs, l->input_count, &code);
    return p ? show_plan(s, p) : session_refine_code(c, code);
}

/* `plan diff A B`; a blueprint of that name is "./diff". */
static enum exit_code run_diff(struct cli *c) {
    static const char *const unused[] = {"out", "destroy", "summary", "only", "md", "target", "exclude", "replace"};
    for (size_t i = 0; i < sizeof unused / sizeof *unused; i++) {
        if (settings_is_given(c, unused[i]))
            return output_usage_error(c, "'--%s' does not go with 'plan diff'", unused[i]);
    }
    if (c->arguments.len != 3)
        return output_usage_error(c, "'plan diff' needs two plan files");
    return plan_diff_run(c, c->arguments.items[1], c->arguments.items[2]);
}

enum exit_code cmd_plan_run(struct cli *c) {
    if (c->arguments.len > 0 && sv_eq(c->arguments.items[0], SV("diff")))
        return run_diff(c);
    if (c->arguments.len > 1)
        return output_usage_error(c, "'plan' takes one FILE, or: plan diff A B");
    unsigned only;
    if (!kinds_parse_option(c, "only", &only))
        return EXIT_USAGE;
    struct loaded loaded = {0};
    struct session session = {0};
    bool destroy = settings_get_flag(c, "destroy");
    if (destroy)
        loaded.file = c->arguments.len > 0 ? c->arguments.items[0] : SV("blueprint.yaml");
    else if (!template_choose_file(c, &loaded.file))
        return EXIT_USAGE;
    else if (!template_load(c, loaded.file, &loaded))
        return cli_get_signal_code(c, output_get_input_code(c));
    /* A saved plan may hold secrets: its key is made when missing. */
    bool seals = settings_is_given(c, "out");
    enum exit_code code;
    if (!session_open(c, &session, seals ? SESSION_WRITE : SESSION_READ))
        code = session_get_error_code(c);
    else if (!session_choose_instance(&session, loaded.file))
        code = EXIT_USAGE;
    else
        code = plan_template(&session, &loaded);
    session_close(&session);
    return code;
}
