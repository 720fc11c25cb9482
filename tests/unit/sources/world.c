#include "unit/sources/world.h"

#include "adapters/process/process.h"
#include "base/num.h"

#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

/* --- The host: a real clock, an environment of the test's own --- */

static bool find_env(void *user, struct arena *a, sv name, sv *result) {
    struct world *w = user;
    const sv *text = map_find(&w->env, name);
    if (text != NULL) {
        *result = arena_copy_sv(a, *text);
    }
    return text != NULL;
}

static int64_t get_wall_ms(void *user) {
    (void)user;
    return host_system.ops->get_wall_ms(NULL);
}

static int64_t get_monotonic_ms(void *user) {
    (void)user;
    return host_system.ops->get_monotonic_ms(NULL);
}

static void fill_random(void *user, void *out, size_t len) {
    (void)user;
    host_system.ops->fill_random(NULL, out, len);
}

static sv get_cwd(void *user, struct arena *a) {
    return arena_printf(a, "%s/tree", ((struct world *)user)->dir);
}

static void sleep_ms(void *user, int64_t ms) {
    (void)user;
    host_system.ops->sleep_ms(NULL, ms);
}

static const struct host_ops host_ops = {
    .get_wall_ms = get_wall_ms,
    .get_monotonic_ms = get_monotonic_ms,
    .fill_random = fill_random,
    .find_env = find_env,
    .get_cwd = get_cwd,
    .sleep_ms = sleep_ms,
};

void world_set_env(struct world *w, const char *name, sv text) {
    sv *kept = ARENA_NEW(&w->arena, sv);
    *kept = text;
    map_put(&w->env, sv_from_cstr(name), kept);
}

int64_t world_get_now_ms(void) {
    return host_system.ops->get_monotonic_ms(NULL);
}

/* --- Set-up --- */

int world_set_up(void **state) {
    struct world *w = calloc(1, sizeof *w);
    snprintf(w->dir, sizeof w->dir, "/tmp/lintel-sources-XXXXXX");
    assert_non_null(mkdtemp(w->dir));
    w->env = MAP(&w->arena);
    w->host = (struct host){&host_ops, w};
    world_write(w, "tree/.keep", SV(""));
    world_write(w, "outside/secret.yaml", SV("secret: 1\n"));
    w->o = (struct sources_options){
        .arena = &w->arena,
        .host = &w->host,
        .root_dir = world_get_path(w, "tree"),
        .limits = {.timeout_ms = 10000, .stall_ms = 5000},
    };
    world_open(w);
    *state = w;
    return 0;
}

static int remove_entry(const char *path, const struct stat *st, int type, struct FTW *place) {
    (void)st;
    (void)place;
    return type == FTW_DP ? rmdir(path) : unlink(path);
}

int world_tear_down(void **state) {
    struct world *w = *state;
    sources_close(w->f);
    for (size_t i = 0; i < w->server_count; i++) {
        kill(w->servers[i], SIGKILL);
        waitpid(w->servers[i], NULL, 0);
    }
    nftw(w->dir, remove_entry, 16, FTW_DEPTH | FTW_PHYS);
    arena_fini(&w->arena);
    free(w);
    return 0;
}

void world_open(struct world *w) {
    sources_close(w->f);
    w->f = sources_open(&w->o);
    w->base = NULL;
    w->expected = (sv){0};
}

/* --- Files --- */

sv world_get_path(struct world *w, const char *name) {
    return arena_printf(&w->arena, "%s/%s", w->dir, name);
}

static void make_directories(char *path) {
    for (char *slash = strchr(path + 1, '/'); slash != NULL; slash = strchr(slash + 1, '/')) {
        *slash = 0;
        assert_true(mkdir(path, 0700) == 0 || errno == EEXIST);
        *slash = '/';
    }
}

void world_write(struct world *w, const char *name, sv text) {
    char *path = arena_copy_cstr(&w->arena, world_get_path(w, name));
    make_directories(path);
    int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    assert_true(fd >= 0);
    assert_int_equal(write(fd, text.data, text.len), (ssize_t)text.len);
    close(fd);
}

sv world_read(struct world *w, const char *name) {
    int fd = open(world_get_path(w, name).data, O_RDONLY | O_CLOEXEC);
    if (fd < 0) {
        return (sv){0};
    }
    struct buf out = BUF(&w->arena);
    for (ssize_t got = 1; got > 0;) {
        got = read(fd, buf_reserve(&out, 4096), 4096);
        out.len += got > 0 ? (size_t)got : 0;
    }
    close(fd);
    return buf_get_sv(&out);
}

void world_link(struct world *w, const char *name, const char *target) {
    char *path = arena_copy_cstr(&w->arena, world_get_path(w, name));
    make_directories(path);
    assert_int_equal(symlink(target, path), 0);
}

/* --- Asking --- */

static struct fetch_request make_request(struct world *w, sv path) {
    return (struct fetch_request){.arena = &w->arena, .path = path, .base = w->base, .expected = w->expected};
}

const struct content *world_include(struct world *w, const char *path, ...) {
    struct map_builder metadata = {.arena = &w->arena};
    va_list words;
    va_start(words, path);
    for (const char *name = va_arg(words, const char *); name != NULL; name = va_arg(words, const char *)) {
        sv text = sv_from_cstr(va_arg(words, const char *));
        map_add(&metadata, sv_from_cstr(name), value_string_copy(&w->arena, text));
    }
    va_end(words);
    struct fetch_request r = make_request(w, sv_from_cstr(path));
    r.metadata = metadata.len > 0 ? map_done(&metadata) : (value){0};
    return w->f->ops->include(w->f, &r, &w->failure);
}

const struct content *world_file(struct world *w, const char *path) {
    struct fetch_request r = make_request(w, sv_from_cstr(path));
    return w->f->ops->file(w->f, &r, &w->failure);
}

const struct content *world_url(struct world *w, const char *url) {
    struct fetch_request r = make_request(w, sv_from_cstr(url));
    return w->f->ops->url(w->f, &r, &w->failure);
}

void world_check_failure(struct world *w, enum diag_code code, const char *part) {
    const struct fetch_failure *f = &w->failure;
    if (f->code != code || sv_find(f->message, sv_from_cstr(part)) == SIZE_MAX) {
        fail_msg("%s: %s; wanted %s: %s", diag_get_info(f->code)->name.data, f->message.data,
                 diag_get_info(code)->name.data, part);
    }
    assert_true(f->message.data[f->message.len - 1] != '.');
}

void world_check_text(const struct content *c, const char *text) {
    assert_non_null(c);
    assert_true(sv_eq_cstr(c->bytes, text));
    assert_int_equal(c->bytes.data[c->bytes.len], 0);
    assert_int_equal(c->digest.len, 64);
}

/* --- Programs and servers --- */

bool world_has_program(struct world *w, const char *name) {
    sv path = {0};
    host_system.ops->find_env(NULL, &w->arena, SV("PATH"), &path);
    return process_find_program(&w->arena, sv_from_cstr(name), path).len > 0;
}

sv world_run(struct world *w, const char *program, ...) {
    struct process_strings args = {0}, env = {0};
    sv path = {0};
    va_list words;
    host_system.ops->find_env(NULL, &w->arena, SV("PATH"), &path);
    process_strings_add(&w->arena, &env, arena_printf(&w->arena, "PATH=%s", path.data));
    process_strings_add(&w->arena, &env, arena_printf(&w->arena, "HOME=%s", w->dir));
    process_strings_add(&w->arena, &args, sv_from_cstr(program));
    va_start(words, program);
    for (const char *word = va_arg(words, const char *); word != NULL; word = va_arg(words, const char *)) {
        process_strings_add(&w->arena, &args, sv_from_cstr(word));
    }
    va_end(words);
    sv found = process_find_program(&w->arena, sv_from_cstr(program), path);
    assert_true(found.len > 0);
    struct process_run run = {
        .program = found.data,
        .arguments = process_strings_end(&w->arena, &args),
        .environment = process_strings_end(&w->arena, &env),
        .working_dir = w->dir,
        .output_max = 1 << 20,
        .timeout_ms = 30000,
    };
    if (!process_run_to_end(&w->arena, &run) || run.status != 0) {
        fail_msg("%s: status %d: %.*s", program, run.status, SV_ARG(run.errors));
    }
    return arena_copy_sv(&w->arena, sv_trim(run.output)); /* with a NUL behind it */
}

/* The child's part: Python with the script and its words. */
static void be_server(const char *script, char **words, int output) {
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    dup2(output, 1);
    words[0] = (char *)"python3";
    words[1] = (char *)script;
    execvp("python3", words);
    _exit(127);
}

static uint16_t read_port(int fd) {
    char text[32] = "";
    size_t len = 0;
    for (ssize_t got = 1; got > 0 && len < sizeof text - 1 && strchr(text, '\n') == NULL;) {
        got = read(fd, text + len, sizeof text - 1 - len);
        len += got > 0 ? (size_t)got : 0;
    }
    int64_t port = 0;
    assert_int_equal(num_parse_i64(sv_trim(sv_make(text, len)), 10, &port), NUM_OK);
    return (uint16_t)port;
}

uint16_t world_serve(struct world *w, const char *script, ...) {
    enum { WORDS_MAX = 10 };
    char *arguments[WORDS_MAX + 1] = {0};
    va_list words;
    va_start(words, script);
    size_t count = 2; /* behind the program and the script */
    for (char *word = va_arg(words, char *); word != NULL; word = va_arg(words, char *)) {
        assert_true(count < WORDS_MAX);
        arguments[count++] = word;
    }
    va_end(words);
    sv path = arena_printf(&w->arena, "%s/contract/sources/%s", TESTS_DIR, script);
    int ends[2];
    assert_int_equal(pipe2(ends, O_CLOEXEC), 0);
    pid_t pid = fork();
    if (pid == 0) {
        be_server(path.data, arguments, ends[1]);
    }
    close(ends[1]);
    assert_true(pid > 0 && w->server_count < SERVERS_MAX);
    w->servers[w->server_count++] = pid;
    uint16_t port = read_port(ends[0]);
    close(ends[0]);
    return port;
}
