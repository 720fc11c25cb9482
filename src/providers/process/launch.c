#include "providers/process/service.h"
#include "seal/seal.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#define DEFAULT_PATH "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"

enum {
    LOG_TAIL_BYTES = 2048, /* of the log, shown in a reason */
    LOG_TAIL_LINES = 10,
};

static value find_field(value spec, sv name) {
    return spec.kind == VALUE_MAP ? value_map_find(spec, name) : (value){0};
}

/* --- What decides about a restart --- */

/* sorted */
static const sv launch_fields[] = {
    SV_INIT("args"), SV_INIT("command"),   SV_INIT("environment"),      SV_INIT("logFile"),
    SV_INIT("port"), SV_INIT("restartOn"), SV_INIT("workingDirectory"),
};

static bool is_same_field(value before, value after) {
    bool had = value_is_set(before), has = value_is_set(after);
    return had == has && (!had || value_eq(before, after));
}

bool launch_is_same(value before, value after) {
    for (size_t i = 0; i < sizeof launch_fields / sizeof launch_fields[0]; i++) {
        if (!is_same_field(find_field(before, launch_fields[i]), find_field(after, launch_fields[i]))) {
            return false;
        }
    }
    return true;
}

/* --- Arguments --- */

static bool has_nul(sv text) {
    return text.len > 0 && sv_find_char(text, 0) != SIZE_MAX;
}

static enum provider_result add_arguments(struct provider_call *c, value list, struct process_strings *arguments) {
    for (size_t i = 0; list.kind == VALUE_LIST && i < list.list->len; i++) {
        sv text = list.list->items[i].kind == VALUE_STRING ? value_get_text(list.list->items[i]) : (sv){0};
        if (has_nul(text)) {
            return provider_fail(c, PROVIDER_TERMINAL, "argument %zu has a NUL in it", i + 1);
        }
        process_strings_add(c->arena, arguments, text);
    }
    return PROVIDER_OK;
}

static sv get_search_path(struct provider_call *c) {
    sv path = provider_get_text(find_field(c->spec, SV("environment")), SV("PATH"));
    return path.len > 0 ? path : SV(DEFAULT_PATH);
}

/* A name with a slash is a path from the directory of the blueprint; others are looked up. */
static enum provider_result find_program(struct provider_call *c, sv name, const char **program) {
    if (name.len == 0 || has_nul(name)) {
        return provider_fail(c, PROVIDER_TERMINAL, "the command names no program");
    }
    sv path = sv_find_char(name, '/') != SIZE_MAX ? provider_get_absolute_path(c, name)
                                                  : process_find_program(c->arena, name, get_search_path(c));
    if (path.len == 0) {
        return provider_fail(c, PROVIDER_TERMINAL, "there is no program '%.*s' in PATH",
                             SV_ARG(sv_slice(name, 0, 300)));
    }
    *program = arena_copy_cstr(c->arena, path);
    return PROVIDER_OK;
}

static enum provider_result prepare_command(struct provider_call *c, struct launch *l) {
    value command = find_field(c->spec, SV("command"));
    struct process_strings arguments = {0};
    enum provider_result result = PROVIDER_OK;
    sv name = provider_get_text(c->spec, SV("command"));
    if (command.kind == VALUE_LIST && command.list->len > 0) {
        name = command.list->items[0].kind == VALUE_STRING ? value_get_text(command.list->items[0]) : (sv){0};
        result = add_arguments(c, command, &arguments);
    } else {
        process_strings_add(c->arena, &arguments, name);
    }
    if (result == PROVIDER_OK) {
        result = find_program(c, name, &l->start.program);
    }
    if (result == PROVIDER_OK) {
        result = add_arguments(c, find_field(c->spec, SV("args")), &arguments);
    }
    l->start.arguments = process_strings_end(c->arena, &arguments);
    return result;
}

/* --- Environment --- */

static sv make_entry(struct provider_call *c, sv name, sv text) {
    struct buf entry = BUF(c->arena);
    buf_append(&entry, name);
    buf_append_char(&entry, '=');
    buf_append(&entry, text);
    return buf_get_sv(&entry);
}

struct entries {
    VEC(sv) items;
};

static enum provider_result add_variables(struct provider_call *c, value variables, struct entries *entries) {
    for (size_t i = 0; variables.kind == VALUE_MAP && i < variables.map->len; i++) {
        sv name = variables.map->entries[i].key;
        value item = variables.map->entries[i].item;
        sv text = item.kind == VALUE_STRING ? value_get_text(item) : (sv){0};
        if (name.len == 0 || sv_find_char(name, '=') != SIZE_MAX || has_nul(name) || has_nul(text)) {
            return provider_fail(c, PROVIDER_TERMINAL, "environment variable %zu has an impossible name or a NUL in it",
                                 i + 1);
        }
        if (sv_has_prefix(name, SV("LINTEL_"))) {
            return provider_fail(c, PROVIDER_TERMINAL,
                                 "names of environment variables that start with LINTEL_ are taken");
        }
        VEC_PUSH(c->arena, &entries->items, make_entry(c, name, text));
    }
    return PROVIDER_OK;
}

static int compare_entries(const void *x, const void *y) {
    return sv_cmp(*(const sv *)x, *(const sv *)y);
}

static void sort_entries(struct entries *entries) {
    if (entries->items.len > 1) {
        qsort(entries->items.items, entries->items.len, sizeof *entries->items.items, compare_entries);
    }
}

static void append_entries(struct buf *out, const struct entries *entries) {
    for (size_t i = 0; i < entries->items.len; i++) {
        buf_append(out, entries->items.items[i]);
        buf_append_char(out, 0);
    }
    buf_append_char(out, 0);
}

/* Of everything the start depends on, whatever the order of keys. It stays in the environment of the service, which
 * holds the secrets it is made from anyway. */
static sv digest_launch(struct provider_call *c, const struct launch *l, const struct entries *variables) {
    struct buf text = BUF(c->arena);
    for (const char *const *argument = l->start.arguments; *argument != NULL; argument++) {
        buf_append(&text, sv_from_cstr(*argument));
        buf_append_char(&text, 0);
    }
    buf_append_char(&text, 0);
    append_entries(&text, variables);
    value reasons = find_field(c->spec, SV("restartOn"));
    struct entries triggers = {0};
    for (size_t i = 0; reasons.kind == VALUE_MAP && i < reasons.map->len; i++) {
        value item = reasons.map->entries[i].item;
        sv entry =
            make_entry(c, reasons.map->entries[i].key, item.kind == VALUE_STRING ? value_get_text(item) : (sv){0});
        VEC_PUSH(c->arena, &triggers.items, entry);
    }
    sort_entries(&triggers);
    append_entries(&text, &triggers);
    const char *const places[] = {l->start.program, l->start.working_dir};
    for (size_t i = 0; i < sizeof places / sizeof places[0]; i++) {
        buf_append(&text, sv_from_cstr(places[i]));
        buf_append_char(&text, 0);
    }
    buf_append(&text, l->log_path);
    return seal_sha256(c->arena, buf_get_sv(&text));
}

/* Variables of the spec with those that are always there. */
static enum provider_result collect_variables(struct provider_call *c, struct entries *entries) {
    value variables = find_field(c->spec, SV("environment"));
    bool is_map = variables.kind == VALUE_MAP;
    if (!is_map || !value_map_has(variables, SV("PATH"))) {
        VEC_PUSH(c->arena, &entries->items, SV("PATH=" DEFAULT_PATH));
    }
    int64_t port = provider_get_i64(c->spec, SV("port"), 0);
    if (port > 0 && (!is_map || !value_map_has(variables, SV("PORT")))) {
        VEC_PUSH(c->arena, &entries->items, arena_printf(c->arena, "PORT=%lld", (long long)port));
    }
    enum provider_result result = add_variables(c, variables, entries);
    sort_entries(entries);
    return result;
}

static enum provider_result prepare_environment(struct provider_call *c, struct launch *l) {
    struct entries variables = {0};
    enum provider_result result = collect_variables(c, &variables);
    if (result != PROVIDER_OK) {
        return result;
    }
    l->key_entry = make_entry(c, SV("LINTEL_OPERATION_KEY"), provider_key_text(c));
    l->instance_entry = make_entry(c, SV("LINTEL_INSTANCE"), c->instance_id);
    l->element_entry = make_entry(c, SV("LINTEL_ELEMENT"), c->address.text);
    l->digest_entry = make_entry(c, SV("LINTEL_SPEC_DIGEST"), digest_launch(c, l, &variables));
    const sv marks[] = {l->key_entry, l->instance_entry, l->element_entry, l->digest_entry};
    struct process_strings entries = {0};
    for (size_t i = 0; i < sizeof marks / sizeof marks[0]; i++) {
        process_strings_add(c->arena, &entries, marks[i]);
    }
    for (size_t i = 0; i < variables.items.len; i++) {
        process_strings_add(c->arena, &entries, variables.items.items[i]);
    }
    l->start.environment = process_strings_end(c->arena, &entries);
    return PROVIDER_OK;
}

static enum provider_result prepare_places(struct provider_call *c, struct launch *l) {
    sv dir = provider_get_text(c->spec, SV("workingDirectory"));
    sv log = provider_get_text(c->spec, SV("logFile"));
    if (has_nul(dir) || has_nul(log)) {
        return provider_fail(c, PROVIDER_TERMINAL, "a path has a NUL in it");
    }
    dir = dir.len > 0 ? provider_get_absolute_path(c, dir) : c->base_dir;
    l->start.working_dir = dir.len > 0 ? arena_copy_cstr(c->arena, dir) : "/";
    l->log_path = log.len > 0 ? arena_copy_sv(c->arena, provider_get_absolute_path(c, log)) : (sv){0};
    return PROVIDER_OK;
}

enum provider_result launch_prepare(struct provider_call *c, struct launch *l) {
    *l = (struct launch){.start.output = -1};
    enum provider_result result = prepare_command(c, l);
    if (result == PROVIDER_OK) {
        result = prepare_places(c, l);
    }
    return result == PROVIDER_OK ? prepare_environment(c, l) : result;
}

/* --- Starting --- */

static enum provider_result open_log(struct provider_call *c, struct launch *l) {
    if (l->log_path.len == 0) {
        return PROVIDER_OK;
    }
    int flags = O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC | O_NOCTTY | O_NONBLOCK;
    int fd = open(l->log_path.data, flags, 0600);
    struct stat st;
    if (fd < 0 || fstat(fd, &st) != 0) {
        const char *why = strerrordesc_np(errno);
        return provider_fail(c, PROVIDER_TERMINAL, "cannot open the log file '%.*s': %s",
                             SV_ARG(sv_slice(l->log_path, 0, 300)), why == NULL ? "unknown error" : why);
    }
    fcntl(fd, F_SETFL, O_APPEND); /* NONBLOCK was for a pipe without reader */
    l->start.output = fd;
    l->log_from = st.st_size;
    return PROVIDER_OK;
}

static enum provider_result explain(struct provider_call *c, const struct launch *l, struct process_failure failure) {
    const char *why = strerrordesc_np(failure.error);
    why = why == NULL ? "unknown error" : why;
    switch (failure.stage) {
    case PROCESS_STAGE_FORK:
        return provider_fail(c, PROVIDER_TRANSIENT, "no process could be made: %s", why);
    case PROCESS_STAGE_DIRECTORY:
        return provider_fail(c, PROVIDER_TERMINAL, "cannot run in '%.300s': %s", l->start.working_dir, why);
    case PROCESS_STAGE_EXEC:
        break;
    }
    bool is_passing = failure.error == ETXTBSY || failure.error == ENOMEM || failure.error == EAGAIN;
    return provider_fail(c, is_passing ? PROVIDER_TRANSIENT : PROVIDER_TERMINAL, "cannot run '%.300s': %s",
                         l->start.program, why);
}

enum provider_result launch_start(struct provider_call *c, struct launch *l, struct process_ref *result) {
    enum provider_result opened = open_log(c, l);
    if (opened != PROVIDER_OK) {
        return opened;
    }
    struct process_failure failure;
    bool is_started = process_start_detached(&l->start, result, &failure);
    if (l->start.output >= 0) {
        close(l->start.output);
        l->start.output = -1;
    }
    return is_started ? PROVIDER_OK : explain(c, l, failure);
}

/* --- The log --- */

static sv cut_to_last_lines(sv text) {
    text = sv_trim(text);
    size_t from = text.len, lines = 0;
    while (from > 0 && lines < LOG_TAIL_LINES) {
        from--;
        lines += text.data[from] == '\n';
    }
    return sv_trim(sv_slice(text, from, text.len));
}

sv launch_read_log(struct provider_call *c, const struct launch *l) {
    int fd = l->log_path.len == 0 ? -1 : open(l->log_path.data, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    struct stat st;
    if (fd < 0) {
        return (sv){0};
    }
    char *text = arena_alloc(c->arena, LOG_TAIL_BYTES);
    ssize_t len = 0;
    if (fstat(fd, &st) == 0 && S_ISREG(st.st_mode)) {
        int64_t from = st.st_size - LOG_TAIL_BYTES;
        len = pread(fd, text, LOG_TAIL_BYTES, from > l->log_from ? from : l->log_from);
    }
    close(fd);
    return cut_to_last_lines(sv_make(text, len < 0 ? 0 : (size_t)len));
}
