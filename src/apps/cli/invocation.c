/* One invocation from start to end. */
#include "apps/cli/commands.h"
#include "apps/cli/settings.h"
#include "apps/cli/verbose.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <unistd.h>

static void init(struct cli *c, const struct cli_signals *signals) {
    sources_init(&c->sources, &c->arena);
    diags_init(&c->diags, &c->arena, &c->sources);
    c->limits = limits_default;
    c->mask.arena = &c->arena;
    c->arena.secret = true; /* settings and values may hold secrets */
    c->json_into = c->log = -1;
    c->host = &host_system;
    c->signals = signals;
    c->payload = BUF(&c->arena);
    c->writer = JSONW(&c->payload, 0);
    jsonw_begin_object(&c->writer);
}

/* "--var=name=value" and, behind "--var", "name=value" without the value. */
static void append_variable(struct buf *out, sv word) {
    sv rest = word;
    if (sv_has_prefix(word, SV("--var="))) {
        sv_cut(&rest, '=');
        buf_append_cstr(out, "--var=");
    }
    buf_append(out, sv_cut(&rest, '='));
    buf_append_cstr(out, "=…");
}

/* The command line for run records: values of variables may be secret and are left out. */
static sv make_command_line(struct cli *c, int argc, const char *const *argv) {
    struct buf out = BUF(&c->arena);
    buf_append_cstr(&out, "lintel");
    for (int i = 1; i < argc; i++) {
        sv word = sv_from_cstr(argv[i]);
        buf_append_char(&out, ' ');
        if (sv_has_prefix(word, SV("--var=")) || strcmp(argv[i - 1], "--var") == 0)
            append_variable(&out, word);
        else
            buf_append(&out, word);
    }
    return render_escape(&c->arena, buf_get_sv(&out));
}

static bool has_env(struct cli *c, const char *name) {
    sv text;
    return c->host->ops->find_env(c->host->user, &c->arena, sv_from_cstr(name), &text) && text.len > 0;
}

static bool wants_color(struct cli *c, int fd) {
    sv choice = settings_get_text(c, "color");
    sv term = {0}, force = {0};
    if (sv_eq(choice, SV("always")) || sv_eq(choice, SV("never")))
        return sv_eq(choice, SV("always"));
    if (has_env(c, "NO_COLOR"))
        return false;
    if (c->host->ops->find_env(c->host->user, &c->arena, SV("CLICOLOR_FORCE"), &force) && force.len > 0)
        return !sv_eq(force, SV("0"));
    c->host->ops->find_env(c->host->user, &c->arena, SV("TERM"), &term);
    return isatty(fd) == 1 && !sv_eq(term, SV("dumb"));
}

/* A file of the user's for machine output; -1 without one or after a report. */
static bool open_output(struct cli *c, const char *option, int flags, int *fd) {
    sv path = settings_get_text(c, option);
    if (path.len == 0)
        return true;
    *fd = open(arena_copy_cstr(&c->arena, path), O_WRONLY | O_CREAT | O_CLOEXEC | flags, 0600);
    if (*fd >= 0)
        return true;
    diags_add(&c->diags, DIAG_file_not_writable, SPAN_NONE, "'%.*s' cannot be written: %s",
              SV_ARG(render_escape(&c->arena, path)), strerror(errno));
    return false;
}

static bool open_outputs(struct cli *c) {
    bool has_json = open_output(c, "json-into", O_TRUNC, &c->json_into);
    return open_output(c, "log", O_APPEND, &c->log) && has_json;
}

#if defined(__SANITIZE_ADDRESS__)
enum { HAS_LEAK_CHECK = 1 };
#elif defined(__has_feature)
enum { HAS_LEAK_CHECK = __has_feature(address_sanitizer) };
#else
enum { HAS_LEAK_CHECK = 0 };
#endif

/* Secrets do not get into core files (LC-053). A leak check attaches to its own process. */
static void forbid_core_dumps(void) {
    struct rlimit none = {0, 0};
    setrlimit(RLIMIT_CORE, &none);
    if (!HAS_LEAK_CHECK)
        prctl(PR_SET_DUMPABLE, 0);
}

enum exit_code cli_get_signal_code(const struct cli *c, enum exit_code otherwise) {
    if (atomic_load(&c->signals->count) == 0)
        return otherwise;
    return atomic_load(&c->signals->last) == SIGTERM ? EXIT_SIGTERM : EXIT_SIGINT;
}

bool cli_await_input(const struct cli *c) {
    enum { LOOK_MS = 100 }; /* a signal just before poll is seen that much later */
    struct pollfd input = {.fd = STDIN_FILENO, .events = POLLIN};
    for (;;) {
        int ready = poll(&input, 1, LOOK_MS);
        if (atomic_load(&c->signals->count) > 0)
            return false;
        if (ready != 0)
            return true; /* or the read that follows tells what is wrong */
    }
}

static void render_help(const struct cli *c, struct buf *out) {
    if (c->command)
        help_render_command(out, c->command);
    else if (c->group)
        help_render_group(out, c->group);
    else
        help_render_overview(out);
}

static enum exit_code run_command(struct cli *c, bool settings_ok) {
    enum exit_code code = EXIT_OK;
    if (!settings_ok)
        return output_get_input_code(c);
    if (c->program && c->program->begin && c->program->begin(c, &code))
        return code;
    if (settings_get_flag(c, "help")) {
        struct buf out = BUF(&c->arena);
        render_help(c, &out);
        output_text(c, buf_get_sv(&out));
        jsonw_key(&c->writer, SV("help"));
        help_write_json(&c->writer, c->group, c->command);
        return EXIT_OK;
    }
    if (!c->command) {
        struct buf out = BUF(&c->arena);
        render_help(c, &out);
        output_usage_error(c, "no command given");
        output_note(c, "%.*s", SV_ARG(buf_get_sv(&out)));
        return EXIT_USAGE;
    }
    code = c->command->run(c);
    return code == EXIT_SIGINT ? cli_get_signal_code(c, code) : code;
}

static enum exit_code run(struct cli *c, int argc, const char *const *argv) {
    bool ok = settings_load(c, argc, argv);
    c->command_line = make_command_line(c, argc, argv);
    c->color_out = wants_color(c, STDOUT_FILENO);
    c->color_err = wants_color(c, STDERR_FILENO);
    bool has_output = !ok || open_outputs(c);
    int64_t started_ms = c->host->ops->get_monotonic_ms(c->host->user);
    output_begin(c);
    verbose_begin(c);
    enum exit_code code = has_output ? run_command(c, ok) : EXIT_FAILED;
    if (c->program && c->program->finish)
        code = c->program->finish(c, code);
    code = output_finish(c, code);
    verbose_end(c, code, started_ms);
    return code;
}

int cli_run(int argc, const char *const *argv, const struct cli_signals *signals) {
    struct cli cli = {0};
    init(&cli, signals);
    forbid_core_dumps();
    cli.group = argc > 0 ? cli_find_program(argv[0]) : NULL;
    cli.program = cli.group ? cli.group->program : NULL;
    enum exit_code code = EXIT_OK;
    if (!cli.program || !cli.program->answer || !cli.program->answer(&cli, argc, argv, &code))
        code = run(&cli, argc, argv);
    if (cli.json_into >= 0)
        close(cli.json_into);
    if (cli.log >= 0)
        close(cli.log);
    arena_fini(&cli.arena);
    return (int)code;
}
