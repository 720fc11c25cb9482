#include "apps/cli/dynaml/work.h"

#include "api/dynaml_world.h"
#include "base/num.h"
#include "dialects/dynaml/output.h"

#include <ctype.h>
#include <errno.h>
#include <string.h>
#include <unistd.h>

/* --- options --- */

static bool take_limit(struct cli *c, struct dynaml_limits *limits, sv text) {
    sv rest = text;
    sv name = sv_cut(&rest, '=');
    uint64_t n = 0, *limit = dynaml_limits_find(limits, name);
    if (limit != NULL && num_parse_u64(rest, 10, &n) == NUM_OK && n > 0) {
        *limit = n;
        return true;
    }
    output_usage_error(c,
                       "'--limit' takes NAME=N, not '%.*s'; NAME is one of file, depth, expression, calls, steps, "
                       "items, memory, aliases, exec",
                       SV_ARG(render_escape(&c->arena, sv_slice(text, 0, 80))));
    return false;
}

/* The project file may hold limits of other commands. */
static bool take_limits(struct cli *c, struct dynaml_limits *limits) {
    const struct setting *given = settings_find(c, SV("limit"));
    bool ok = true;
    for (size_t i = 0; given && given->origin == ORIGIN_OPTION && i < given->texts.len; i++)
        ok = take_limit(c, limits, given->texts.items[i]) && ok;
    for (size_t i = 0; given && given->origin != ORIGIN_OPTION && i < given->texts.len; i++) {
        sv rest = given->texts.items[i];
        sv name = sv_cut(&rest, '=');
        if (dynaml_limits_find(limits, name) != NULL)
            ok = take_limit(c, limits, given->texts.items[i]) && ok;
    }
    return ok;
}

static void take_timeout(struct cli *c, struct dynaml_limits *limits) {
    bool is_given = settings_is_given(c, "exec-timeout");
    if (is_given || limits->exec == 0)
        limits->exec = is_given ? (uint64_t)settings_get_number(c, "exec-timeout") : dynaml_limits_default.exec;
    if (limits->exec > INT32_MAX)
        limits->exec = INT32_MAX;
}

/* A signal ends evaluation at once. While a program runs it is noted, so that the program ends first. */
static enum dynaml_ran run_program(void *user, struct arena *a, const sv *arguments, size_t count, size_t max,
                                   sv *output) {
    struct work *w = user;
    struct sigaction by_default = {.sa_handler = SIG_DFL};
    sigaction(SIGINT, &w->on_interrupt, NULL);
    sigaction(SIGTERM, &w->on_terminate, NULL);
    enum dynaml_ran ran = w->world->run(w->world->user, a, arguments, count, max, output);
    sigaction(SIGINT, &by_default, NULL);
    sigaction(SIGTERM, &by_default, NULL);
    if (atomic_load(&w->cli->signals->count) > 0)
        raise(atomic_load(&w->cli->signals->last));
    return ran;
}

static bool read_file(void *user, struct arena *a, sv path, size_t max, sv *bytes, sv *why) {
    const struct work *w = user;
    return w->world->read(w->world->user, a, path, max, bytes, why);
}

static void open_world(struct work *w) {
    struct cli *c = w->cli;
    struct sigaction by_default = {.sa_handler = SIG_DFL};
    struct dynaml_world_options o = {.arena = &c->arena,
                                     .host = (struct host *)c->host,
                                     .root = settings_get_text(c, "root"),
                                     .timeout_ms = (int64_t)w->options.limits.exec * 1000,
                                     .signals = &c->signals->count};
    struct dynaml_world *guarded = ARENA_NEW(&c->arena, struct dynaml_world);
    *guarded = (struct dynaml_world){.user = w, .run = run_program, .read = read_file};
    w->world = dynaml_world_new(&o);
    w->options.world = guarded;
    sigaction(SIGINT, &by_default, &w->on_interrupt);
    sigaction(SIGTERM, &by_default, &w->on_terminate);
}

static bool wants_details(struct cli *c) {
    return output_is_machine(c) || sv_eq(settings_get_text(c, "errors"), SV("full"));
}

static void trace(void *user, sv line) {
    report_lines(user, line);
}

bool work_open(struct work *w, struct cli *c) {
    bool is_pure = settings_get_flag(c, "pure");
    *w = (struct work){.cli = c};
    w->options = (struct dynaml_options){.arena = &c->arena,
                                         .diags = &c->diags,
                                         .sources = &c->sources,
                                         .host = (struct host *)c->host,
                                         .no_exec = is_pure || settings_get_flag(c, "no-exec"),
                                         .no_read = is_pure || settings_get_flag(c, "no-read"),
                                         .no_env = is_pure || settings_get_flag(c, "no-env"),
                                         .wants_details = wants_details(c),
                                         .trace = settings_get_flag(c, "debug") ? trace : NULL,
                                         .trace_user = c};
    if (!take_limits(c, &w->options.limits))
        return false;
    take_timeout(c, &w->options.limits);
    open_world(w);
    w->run = dynaml_run_new(&w->options);
    return true;
}

bool work_is_compatible(const struct cli *c) {
    bool has_form = settings_find(c, SV("compat")) != NULL; /* of merge and diff */
    if (!has_form || settings_get_flag(c, "no-compat"))
        return false;
    return settings_get_flag(c, "compat") || c->program != NULL;
}

/* --- what went wrong --- */

bool work_fail(struct work *w, const char *format, ...) {
    va_list args;
    va_start(args, format);
    sv text = arena_vprintf(&w->cli->arena, format, args);
    va_end(args);
    w->message = text;
    report_lines(w->cli, arena_printf(&w->cli->arena, "%.*s\n", SV_ARG(text)));
    return false;
}

bool work_check_warnings(struct work *w) {
    const sv *lines = NULL;
    size_t count = dynaml_get_warnings(w->run, &lines);
    bool is_strict = settings_get_flag(w->cli, "strict");
    struct buf out = BUF(&w->cli->arena);
    for (size_t i = w->warnings; i < count; i++) {
        buf_append(&out, lines[i]);
        buf_append_char(&out, '\n');
    }
    w->warnings = count;
    if (is_strict || !w->cli->quiet)
        report_lines(w->cli, buf_get_sv(&out));
    return !is_strict || count == 0 || work_fail(w, "error generating manifest: warnings are errors (--strict)");
}

/* --- files --- */

/* "./a//b/../c" is "a/c". */
static sv clean_path(struct arena *a, sv path) {
    VEC(sv) steps = {0};
    struct buf out = BUF(a);
    bool is_absolute = sv_has_prefix(path, SV("/"));
    while (path.len > 0) {
        sv step = sv_cut(&path, '/');
        bool is_up = sv_eq(step, SV(".."));
        bool has_parent = steps.len > 0 && !sv_eq(*VEC_LAST(&steps), SV(".."));
        if (step.len == 0 || sv_eq(step, SV(".")) || (is_up && is_absolute && steps.len == 0))
            continue;
        if (is_up && has_parent)
            steps.len--;
        else
            VEC_PUSH(a, &steps, step);
    }
    for (size_t i = 0; i < steps.len; i++) {
        buf_append_cstr(&out, i > 0 || is_absolute ? "/" : "");
        buf_append(&out, steps.items[i]);
    }
    if (out.len == 0)
        buf_append_char(&out, is_absolute ? '/' : '.');
    return buf_get_sv(&out);
}

/* "Is a directory" as other programs write it. */
static sv describe(struct arena *a, int error) {
    struct buf out = BUF(a);
    buf_append_cstr(&out, strerror(error));
    out.data[0] = (char)tolower((unsigned char)out.data[0]);
    return buf_get_sv(&out);
}

static bool fail_reading(struct work *w, sv file, const char *role, int error) {
    struct arena *a = &w->cli->arena;
    sv shown = clean_path(a, file), why = describe(a, error);
    const char *action = error == EISDIR ? "read" : "open";
    return work_fail(w, "error reading %s [%.*s]: %s %.*s: %.*s", role, SV_ARG(shown), action, SV_ARG(file),
                     SV_ARG(why));
}

static struct source *read_source(struct work *w, sv file, const char *role) {
    struct source *source = NULL;
    int error = 0;
    uint64_t limit = w->options.limits.file > 0 ? w->options.limits.file : dynaml_limits_default.file;
    enum source_read read = sources_read_file(&w->cli->sources, file, (size_t)limit, &source, &error);
    if (read == SOURCE_READ_TOO_LARGE)
        work_fail(w, "error generating manifest: limit 'file' (%llu) exceeded in %.*s at ", (unsigned long long)limit,
                  SV_ARG(file));
    else if (read != SOURCE_READ_OK)
        fail_reading(w, file, role, error);
    else
        source->name = file;
    return source;
}

struct dynaml_document *work_read_one(struct work *w, sv file, const char *role) {
    struct arena *a = &w->cli->arena;
    struct source *source = read_source(w, file, role);
    sv why = {0};
    if (source == NULL)
        return NULL;
    struct dynaml_document *document = dynaml_read(w->run, file, source, &why);
    if (document != NULL)
        return document;
    if (dynaml_get_problem(w->run)->limit.len > 0)
        work_fail(w, "error generating manifest: %.*s", SV_ARG(why));
    else
        work_fail(w, "error parsing %s [%.*s]: %.*s", role, SV_ARG(clean_path(a, file)), SV_ARG(why));
    report_problem(w);
    return NULL;
}

static bool check_input(struct cli *c, const sv *files, size_t count) {
    size_t inputs = 0;
    for (size_t i = 0; i < count; i++)
        inputs += sv_eq(files[i], SV("-"));
    if (inputs > 1)
        output_usage_error(c, "'-', standard input, can be read once only");
    return inputs <= 1;
}

bool work_read(struct work *w, const sv *files, size_t count) {
    if (!check_input(w->cli, files, count))
        return false;
    w->documents = ARENA_ARRAY(&w->cli->arena, struct dynaml_document *, count);
    w->count = count;
    for (size_t i = 0; i < count; i++) {
        w->documents[i] = work_read_one(w, files[i], i == 0 ? "template" : "stub");
        if (w->documents[i] == NULL)
            return false;
    }
    return work_check_warnings(w);
}

/* --- results --- */

bool work_check_result(struct work *w) {
    const struct dynaml_result *r = &w->result;
    if (r->is_resolved)
        return work_check_warnings(w);
    if (r->limit.len > 0)
        return work_fail(w, "error generating manifest: %.*s", SV_ARG(r->limit));
    report_unresolved(w);
    return false;
}

bool work_take_path(struct work *w, value *v) {
    struct cli *c = w->cli;
    sv path = settings_get_text(c, "path");
    const sv *steps = NULL;
    size_t count = dynaml_split_path(&c->arena, path, &steps);
    *v = dynaml_find(*v, steps, count);
    return value_is_set(*v) || work_fail(w, "error: path '%.*s' not found", SV_ARG(path));
}

enum exit_code work_print(struct work *w, value v) {
    struct cli *c = w->cli;
    struct buf yaml = BUF(&c->arena), json = BUF(&c->arena);
    if (output_is_machine(c) && !dynaml_write_json(&json, v)) {
        work_fail(w, "error marshalling manifest: JSON has neither infinity nor NaN");
        return EXIT_FAILED;
    }
    c->result = buf_get_sv(&json);
    if (c->json)
        return EXIT_OK;
    dynaml_write_yaml(&yaml, v);
    if (work_is_compatible(c))
        buf_append_char(&yaml, '\n');
    output_text(c, buf_get_sv(&yaml));
    return EXIT_OK;
}

enum exit_code work_end(struct work *w, enum exit_code code) {
    struct cli *c = w->cli;
    if (code == EXIT_FAILED && output_get_input_code(c) == EXIT_USAGE)
        code = EXIT_USAGE;
    if (w->message.len > 0)
        c->result = report_make_json(w, code);
    return code;
}
