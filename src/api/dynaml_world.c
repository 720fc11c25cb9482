#include "api/dynaml_world.h"

#include "adapters/process/process.h"
#include "model/host.h"
#include "sources/read.h"

#include <ctype.h>
#include <errno.h>
#include <string.h>

enum { TIMEOUT_MS = 300000 };

/* The system's message as other programs write it: "no such file or directory". */
static sv describe(struct arena *a, int error) {
    struct buf out = BUF(a);
    const char *why = strerrordesc_np(error);
    buf_append_cstr(&out, why != NULL ? why : "unknown error");
    if (out.len > 0)
        out.data[0] = (char)tolower((unsigned char)out.data[0]);
    return buf_get_sv(&out);
}

static bool read_file(void *user, struct arena *a, sv path, size_t max, sv *bytes, sv *why) {
    const struct dynaml_world_options *o = user;
    enum sources_read read =
        o->root.len > 0 ? sources_read_below(a, o->root, path, max, bytes) : sources_read_path(a, path, max, bytes);
    *why = read == SOURCES_READ_FAILED ? describe(a, errno) : (sv){0};
    return read == SOURCES_READ_OK;
}

static const char *const *copy_environment(struct arena *a) {
    struct process_strings strings = {0};
    struct host_env *all = NULL;
    size_t count = host_list_env(a, SV(""), &all);
    for (size_t i = 0; i < count; i++)
        process_strings_add(a, &strings, arena_printf(a, "%.*s=%.*s", SV_ARG(all[i].name), SV_ARG(all[i].text)));
    return process_strings_end(a, &strings);
}

static sv find_program(const struct dynaml_world_options *o, struct arena *a, sv name) {
    sv search = {0};
    o->host->ops->find_env(o->host->user, a, SV("PATH"), &search);
    return process_find_program(a, name, search);
}

static enum dynaml_ran judge(const struct process_run *run) {
    if (run->is_late)
        return DYNAML_RAN_TOO_LONG;
    if (run->is_too_much)
        return DYNAML_RAN_TOO_MUCH;
    return run->status == 0 && !run->is_stopped ? DYNAML_RAN : DYNAML_RAN_BADLY;
}

static enum dynaml_ran run_program(void *user, struct arena *a, const sv *arguments, size_t count, size_t max,
                                   sv *output) {
    const struct dynaml_world_options *o = user;
    struct process_strings strings = {0};
    sv program = find_program(o, a, arguments[0]);
    for (size_t i = 0; i < count; i++) {
        if (sv_find_char(arguments[i], '\0') != SIZE_MAX)
            return DYNAML_RAN_BADLY;
        process_strings_add(a, &strings, arguments[i]);
    }
    if (program.len == 0)
        return DYNAML_RAN_BADLY;
    struct process_run run = {
        .program = arena_copy_cstr(a, program),
        .arguments = process_strings_end(a, &strings),
        .environment = copy_environment(a),
        .working_dir = ".",
        .output_max = max,
        .timeout_ms = o->timeout_ms,
        .drops_errors = true,
        .signals = o->signals,
    };
    bool is_started = process_run_to_end(a, &run);
    *output = run.output;
    return is_started ? judge(&run) : DYNAML_RAN_BADLY;
}

const struct dynaml_world *dynaml_world_new(const struct dynaml_world_options *options) {
    struct dynaml_world_options *o = ARENA_NEW(options->arena, struct dynaml_world_options);
    struct dynaml_world *world = ARENA_NEW(options->arena, struct dynaml_world);
    *o = *options;
    if (o->timeout_ms == 0)
        o->timeout_ms = TIMEOUT_MS;
    *world = (struct dynaml_world){.user = o, .run = run_program, .read = read_file};
    return world;
}
