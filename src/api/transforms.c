#include "api/transforms.h"

#include "adapters/process/process.h"

#include <errno.h>
#include <string.h>

#define PROGRAM_PREFIX "lintel-transform-"

/* What one run gave. */
struct answer {
    sv name, document;
    sv output, diagnostics;
    bool is_good;
    struct fetch_failure failure;
};

struct runner {
    struct transforms interface;
    struct transforms_options o;
    sv search; /* absolute directories */
    const char *cwd;
    VEC(struct answer *) answers;
};

static sv find_program(const struct runner *r, sv name) {
    sv program = arena_printf(r->o.arena, PROGRAM_PREFIX "%.*s", SV_ARG(name));
    return process_find_program(r->o.arena, program, r->search);
}

static bool find(void *user, sv name) {
    return find_program(user, name).len > 0;
}

static const char *const *make_environment(struct runner *r) {
    static const sv names[] = {SV_INIT("HOME"), SV_INIT("LANG"), SV_INIT("PATH")};
    struct process_strings strings = {0};
    const struct host *host = r->o.host;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        sv text = {0};
        if (host->ops->find_env(host->user, r->o.arena, names[i], &text)) {
            process_strings_add(r->o.arena, &strings,
                                arena_printf(r->o.arena, "%.*s=%.*s", SV_ARG(names[i]), SV_ARG(text)));
        }
    }
    return process_strings_end(r->o.arena, &strings);
}

static void fail(struct answer *answer, enum diag_code code, sv message, sv hint) {
    answer->is_good = false;
    answer->failure = (struct fetch_failure){.code = code, .message = message, .hint = hint};
}

enum { SIGNAL_STATUS = 128 };

/* BP-059, but for what is in the output. */
static void judge(struct runner *r, struct answer *answer, const struct process_run *run) {
    struct arena *a = r->o.arena;
    sv name = sv_slice(answer->name, 0, 80);
    answer->is_good = true;
    if (run->is_late) {
        fail(
            answer, DIAG_transform_failed,
            arena_printf(a, "transform '%.*s' did not end within %.3g s", SV_ARG(name), (double)run->timeout_ms / 1000),
            (sv){0});
    } else if (run->is_too_much) {
        fail(answer, DIAG_transform_failed,
             arena_printf(a, "transform '%.*s' wrote more than %zu bytes", SV_ARG(name),
                          run->output.len >= run->output_max ? run->output_max : run->errors_max),
             (sv){0});
    } else if (run->status > SIGNAL_STATUS) {
        fail(answer, DIAG_transform_failed,
             arena_printf(a, "transform '%.*s' was ended by signal %d", SV_ARG(name), run->status - SIGNAL_STATUS),
             (sv){0});
    } else if (run->status != 0) {
        fail(answer, DIAG_transform_failed,
             arena_printf(a, "transform '%.*s' ended with status %d", SV_ARG(name), run->status), (sv){0});
    }
}

static void run_program(struct runner *r, struct answer *answer, sv program) {
    struct arena *a = r->o.arena;
    struct process_strings arguments = {0};
    process_strings_add(a, &arguments, program);
    struct process_run run = {
        .program = arena_copy_cstr(a, program),
        .arguments = process_strings_end(a, &arguments),
        .environment = make_environment(r),
        .working_dir = r->cwd,
        .input = answer->document,
        .output_max = r->o.output_max,
        .errors_max = r->o.errors_max,
        .timeout_ms = r->o.timeout_ms,
        .is_alone = true,
    };
    if (!process_run_to_end(a, &run)) {
        fail(answer, DIAG_transform_failed,
             arena_printf(a, "transform '%.*s' cannot be run: %s", SV_ARG(sv_slice(answer->name, 0, 80)),
                          strerrordesc_np(run.failure.error)),
             arena_printf(a, "look at the file '%.*s'", SV_ARG(program)));
        return;
    }
    answer->output = run.output;
    answer->diagnostics = run.errors;
    judge(r, answer, &run);
}

static void find_answer(struct runner *r, struct answer *answer) {
    struct arena *a = r->o.arena;
    sv name = sv_slice(answer->name, 0, 80);
    sv program = find_program(r, answer->name);
    if (program.len == 0) {
        fail(answer, DIAG_missing_transformers, arena_printf(a, "there is no transform '%.*s'", SV_ARG(name)), (sv){0});
    } else if (r->o.pure) {
        fail(answer, DIAG_transform_failed,
             arena_printf(a, "transform '%.*s' is a program, and --pure runs none", SV_ARG(name)),
             SV("--no-transforms looks at the blueprint as it is written"));
    } else {
        run_program(r, answer, program);
    }
}

static struct answer *get_answer(struct runner *r, sv name, sv document) {
    for (size_t i = 0; i < r->answers.len; i++) {
        struct answer *known = r->answers.items[i];
        if (sv_eq(known->name, name) && sv_eq(known->document, document)) {
            return known;
        }
    }
    struct answer *answer = ARENA_NEW(r->o.arena, struct answer);
    answer->name = arena_copy_sv(r->o.arena, name);
    answer->document = arena_copy_sv(r->o.arena, document);
    VEC_PUSH(r->o.arena, &r->answers, answer);
    find_answer(r, answer);
    return answer;
}

static bool run(void *user, struct transform_run *r) {
    const struct answer *answer = get_answer(user, r->name, r->document);
    r->output = arena_copy_sv(r->arena, answer->output);
    r->diagnostics = arena_copy_sv(r->arena, answer->diagnostics);
    r->failure = answer->failure;
    return answer->is_good;
}

static sv make_search(struct arena *a, sv path, sv cwd) {
    struct buf out = BUF(a);
    while (path.len > 0) {
        sv dir = sv_cut(&path, ':');
        if (dir.len == 0) {
            continue;
        }
        if (dir.data[0] != '/') {
            buf_append(&out, cwd);
            buf_append_char(&out, '/');
        }
        buf_append(&out, dir);
        buf_append_char(&out, ':');
    }
    return buf_get_sv(&out);
}

const struct transforms *transforms_new(const struct transforms_options *o) {
    struct runner *r = ARENA_NEW(o->arena, struct runner);
    r->o = *o;
    r->o.output_max = o->output_max > 0 ? o->output_max : TRANSFORM_OUTPUT_MAX;
    r->o.errors_max = o->errors_max > 0 ? o->errors_max : TRANSFORM_ERRORS_MAX;
    r->o.timeout_ms = o->timeout_ms > 0 ? o->timeout_ms : TRANSFORM_TIMEOUT_MS;
    sv cwd = o->host->ops->get_cwd(o->host->user, o->arena);
    r->search = make_search(o->arena, o->plugin_path, cwd);
    r->cwd = arena_copy_cstr(o->arena, cwd);
    r->interface = (struct transforms){.find = find, .run = run, .user = r};
    return &r->interface;
}
