/* One invocation from start to end. */
#include "apps/cli/commands.h"
#include "apps/cli/settings.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <unistd.h>

static void init(struct cli *c, const atomic_int *signals) {
    sources_init(&c->sources, &c->arena);
    diags_init(&c->diags, &c->arena, &c->sources);
    c->limits = limits_default;
    c->mask.arena = &c->arena;
    c->arena.secret = true; /* settings and values may hold secrets */
    c->json_into = -1;
    c->host = &host_system;
    c->signals = signals;
    c->payload = BUF(&c->arena);
    c->writer = JSONW(&c->payload, 0);
    jsonw_begin_object(&c->writer);
}

/* The command line for run records: values of variables may be secret and are left out. */
static sv make_command_line(struct cli *c, int argc, const char *const *argv) {
    struct buf out = BUF(&c->arena);
    buf_append_cstr(&out, "lintel");
    for (int i = 1; i < argc; i++) {
        sv word = sv_from_cstr(argv[i]);
        buf_append_char(&out, ' ');
        bool is_inline = sv_has_prefix(word, SV("--var="));
        bool follows = i > 1 && strcmp(argv[i - 1], "--var") == 0;
        if (is_inline || follows) {
            buf_append(&out,
                       sv_slice(word, 0,
                                sv_find_char(sv_slice(word, is_inline ? 6 : 0, word.len), '=') + (is_inline ? 6 : 0)));
            buf_append_cstr(&out, "=…");
        } else {
            buf_append(&out, word);
        }
    }
    return render_escape(&c->arena, buf_get_sv(&out));
}

static bool has_env(const struct cli *c, struct arena *a, const char *name) {
    sv text;
    return c->host->ops->find_env(c->host->user, a, sv_from_cstr(name), &text) && text.len > 0;
}

static bool wants_color(struct cli *c, int fd) {
    sv choice = settings_get_text(c, "color");
    sv term = {0};
    if (sv_eq(choice, SV("always")) || sv_eq(choice, SV("never")))
        return sv_eq(choice, SV("always"));
    if (has_env(c, &c->arena, "NO_COLOR"))
        return false;
    if (has_env(c, &c->arena, "CLICOLOR_FORCE"))
        return true;
    c->host->ops->find_env(c->host->user, &c->arena, SV("TERM"), &term);
    return isatty(fd) == 1 && !sv_eq(term, SV("dumb"));
}

static bool open_json_into(struct cli *c) {
    sv path = settings_get_text(c, "json-into");
    if (path.len == 0)
        return true;
    c->json_into = open(arena_copy_cstr(&c->arena, path), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    if (c->json_into >= 0)
        return true;
    diags_add(&c->diags, DIAG_file_not_writable, SPAN_NONE, "'%.*s' cannot be written: %s", SV_ARG(path),
              strerror(errno));
    return false;
}

/* Secrets do not get into core files (LC-053). */
static void forbid_core_dumps(void) {
    struct rlimit none = {0, 0};
    setrlimit(RLIMIT_CORE, &none);
#ifndef __SANITIZE_ADDRESS__ /* the leak check attaches to its own process */
    prctl(PR_SET_DUMPABLE, 0);
#endif
}

static void write_version_event(struct cli *c) {
    struct buf out = BUF(&c->arena);
    struct jsonw w = JSONW(&out, 0);
    jsonw_begin_object(&w);
    jsonw_put_text(&w, "type", SV("version"));
    jsonw_put_text(&w, "formatVersion", SV("1.0"));
    jsonw_put_text(&w, "lintel", SV(LINTEL_VERSION));
    jsonw_put_text(&w, "command", c->command->name);
    jsonw_end_object(&w);
    output_event_line(c, buf_get_sv(&out));
}

static enum exit_code run_command(struct cli *c, bool settings_ok) {
    if (!settings_ok)
        return EXIT_USAGE;
    if (settings_get_flag(c, "help")) {
        struct buf out = BUF(&c->arena);
        if (c->command)
            help_render_command(&out, c->command);
        else
            help_render_overview(&out);
        output_text(c, buf_get_sv(&out));
        jsonw_key(&c->writer, SV("commands"));
        help_write_json(&c->writer, c->command);
        return EXIT_OK;
    }
    if (!c->command) {
        struct buf out = BUF(&c->arena);
        help_render_overview(&out);
        output_usage_error(c, "no command given");
        output_note(c, "%.*s", SV_ARG(buf_get_sv(&out)));
        return EXIT_USAGE;
    }
    return c->command->run(c);
}

int cli_run(int argc, const char *const *argv, const atomic_int *signals) {
    struct cli cli = {0};
    init(&cli, signals);
    forbid_core_dumps();
    bool ok = settings_load(&cli, argc, argv);
    cli.command_line = make_command_line(&cli, argc, argv);
    cli.color_out = wants_color(&cli, STDOUT_FILENO);
    cli.color_err = wants_color(&cli, STDERR_FILENO);
    if (ok && !open_json_into(&cli)) {
        output_finish(&cli, EXIT_FAILED);
        arena_fini(&cli.arena);
        return EXIT_FAILED;
    }
    if (cli.command && cli.command->output == OUTPUT_EVENTS && output_is_machine(&cli))
        write_version_event(&cli);
    enum exit_code code = run_command(&cli, ok);
    output_finish(&cli, code);
    if (cli.json_into >= 0)
        close(cli.json_into);
    arena_fini(&cli.arena);
    return code;
}
