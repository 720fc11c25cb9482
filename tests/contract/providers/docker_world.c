#include "docker_world.h"

#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

static char engine_dir[] = "/tmp/lintel-engine-XXXXXX";

__attribute__((format(printf, 1, 2))) static int run(const char *format, ...) {
    struct arena a = {0};
    va_list args;
    va_start(args, format);
    sv command = arena_vprintf(&a, format, args);
    va_end(args);
    int status = system(command.data);
    arena_fini(&a);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

void engine_world_make_context(const char *dir) {
    int status = run("cp '%s' '%s/server'", CONTAINER_PROGRAM, dir);
    assert_int_equal(status, 0);
    status = run("printf 'FROM scratch\\nCOPY server /server\\nENTRYPOINT [\"/server\"]\\n' > '%s/Dockerfile'", dir);
    assert_int_equal(status, 0);
}

/* The whole file. */
static sv read_file(struct arena *a, const char *path) {
    struct buf text = BUF(a);
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    for (size_t len = 1; len > 0; text.len += len) {
        len = fread(buf_reserve(&text, 65536), 1, 65536, file);
    }
    fclose(file);
    return buf_get_sv(&text);
}

int64_t engine_world_ask(struct arena *a, const char *method, sv path, sv content, sv *body) {
    struct http_header type = {SV("Content-Type"), content.len > 0 && content.data[0] == '{' ? SV("application/json")
                                                                                             : SV("application/x-tar")};
    struct http_request r = {
        .url = arena_printf(a, "http://engine/v1.41%.*s", SV_ARG(path)),
        .unix_socket = arena_printf(a, "%s/engine.sock", engine_dir),
        .method = sv_from_cstr(method),
        .content = content,
        .headers = &type,
        .header_count = 1,
        .timeout_ms = 60000,
        .body_max = 1 << 24,
    };
    if (http_send(a, &r) != HTTP_OK) {
        fail_msg("the engine does not answer: %.*s", SV_ARG(r.why));
    }
    if (body != NULL) {
        *body = r.body;
    }
    return r.status;
}

size_t engine_world_count(struct world *w, const char *path) {
    sv body, mark = arena_printf(&w->arena, "\"io.lintel.instance\":\"%.*s\"", SV_ARG(w->instance_id));
    assert_int_equal(engine_world_ask(&w->arena, "GET", sv_from_cstr(path), (sv){0}, &body), 200);
    size_t count = 0;
    for (size_t at = sv_find(body, mark); at != SIZE_MAX; at = sv_find(body, mark)) {
        count++;
        body = sv_slice(body, at + mark.len, body.len);
    }
    return count;
}

static void make_image(void) {
    struct arena a = {0};
    sv context = arena_printf(&a, "%s/context", engine_dir);
    assert_int_equal(mkdir(context.data, 0755), 0);
    engine_world_make_context(context.data);
    assert_int_equal(run("tar -C '%s' -cf '%s/context.tar' .", context.data, engine_dir), 0);
    sv archive = read_file(&a, arena_printf(&a, "%s/context.tar", engine_dir).data);
    assert_int_equal(engine_world_ask(&a, "POST", SV("/build?t=" ENGINE_IMAGE), archive, NULL), 200);
    assert_int_equal(engine_world_ask(&a, "GET", SV("/images/" ENGINE_IMAGE "/json"), (sv){0}, NULL), 200);
    arena_fini(&a);
}

bool engine_world_start(void) {
    char address[128];
    assert_non_null(mkdtemp(engine_dir));
    snprintf(address, sizeof address, "unix://%s/engine.sock", engine_dir);
    if (run("%s start '%s' >/dev/null", CONTAINER_ENGINE, engine_dir) != 0) {
        engine_world_stop();
        return false;
    }
    setenv("DOCKER_HOST", address, 1);
    make_image();
    return true;
}

void engine_world_stop(void) {
    run("%s stop '%s' >/dev/null 2>&1", CONTAINER_ENGINE, engine_dir);
}
