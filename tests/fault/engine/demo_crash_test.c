/* The example blueprint with the real providers: kill -9 at every write of the state and every provider call, then run
 * again. Afterwards exactly one service runs, it answers with the data of its database, and nothing more is to be done;
 * after destroying nothing is left (F1, F2, F5, LC-023). */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include "crash.h"
#include "providers/local/local.h"
#include "providers/process/process_provider.h"
#include "providers/random/random.h"
#include "providers/sqlite/sqlite_provider.h"

#include <arpa/inet.h>
#include <ctype.h>
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

static const struct provider *const all[] = {&provider_local, &provider_process, &provider_random, &provider_sqlite};
static const struct providers providers = {all, 4};

struct place {
    char dir[64], binary[128];
    int port;
    struct arena arena;
};

static int find_port(void) {
    int fd = socket(AF_INET, SOCK_STREAM, 0);
    struct sockaddr_in at = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t len = sizeof at;
    assert_true(fd >= 0);
    assert_int_equal(bind(fd, (struct sockaddr *)&at, sizeof at), 0);
    assert_int_equal(getsockname(fd, (struct sockaddr *)&at, &len), 0);
    close(fd);
    return ntohs(at.sin_port);
}

static char *replace(struct arena *a, const char *text, const char *what, const char *with) {
    const char *at = strstr(text, what);
    assert_non_null(at);
    sv result = arena_printf(a, "%.*s%s%s", (int)(at - text), text, with, at + strlen(what));
    return arena_copy_cstr(a, result);
}

/* The blueprint with a port of its own; `second` gives the shop another name, which rewrites the file and restarts the
 * service. */
static void write_blueprints(struct place *p) {
    struct arena *a = &p->arena;
    const char *text = crash_read_file(a, ORDERS_DIR, "blueprint.yaml");
    assert_non_null(text);
    char port[32];
    snprintf(port, sizeof port, "default: %d", p->port);
    text = replace(a, text, "default: 8480", port);
    text = replace(a, text, "timeoutMs: 15000", "timeoutMs: 15000\n        intervalMs: 10");
    crash_write_file(p->dir, "first.yaml", text);
    crash_write_file(p->dir, "second.yaml", replace(a, text, "Corner shop", "Kiosk"));
}

static void place_init(struct place *p) {
    memset(p, 0, sizeof *p);
    crash_make_dir(p->dir);
    p->port = find_port();
    write_blueprints(p);
    char bin[128];
    snprintf(bin, sizeof bin, "%s/bin", p->dir);
    assert_int_equal(mkdir(bin, 0700), 0);
    snprintf(p->binary, sizeof p->binary, "%s/bin/orders-api", p->dir);
    sv command = arena_printf(&p->arena, "cp '%s' '%s'", ORDERS_API, p->binary);
    assert_int_equal(system(command.data), 0);
}

static bool runs_binary(const char *pid, const char *binary) {
    char path[64], target[256];
    snprintf(path, sizeof path, "/proc/%s/exe", pid);
    ssize_t len = readlink(path, target, sizeof target - 1);
    if (len < 0) {
        return false; /* gone, or a zombie */
    }
    target[len] = '\0';
    return strcmp(target, binary) == 0;
}

static size_t count_services(const struct place *p) {
    DIR *d = opendir("/proc");
    assert_non_null(d);
    size_t count = 0;
    for (struct dirent *e; (e = readdir(d)) != NULL;) {
        count += isdigit((unsigned char)e->d_name[0]) && runs_binary(e->d_name, p->binary);
    }
    closedir(d);
    return count;
}

/* The answer to GET /orders; empty when nobody answers. */
static void ask(const struct place *p, char *answer, size_t size) {
    struct sockaddr_in at = {
        .sin_family = AF_INET, .sin_port = htons((uint16_t)p->port), .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    static const char request[] = "GET /orders HTTP/1.0\r\nHost: x\r\n\r\n";
    size_t used = 0;
    int fd = socket(AF_INET, SOCK_STREAM, 0);
    assert_true(fd >= 0);
    if (connect(fd, (struct sockaddr *)&at, sizeof at) == 0 && write(fd, request, sizeof request - 1) > 0) {
        for (ssize_t n; used + 1 < size && (n = read(fd, answer + used, size - used - 1)) > 0;) {
            used += (size_t)n;
        }
    }
    answer[used] = '\0';
    close(fd);
}

static struct crash_end run(struct place *p, const char *blueprint, long kill_at) {
    struct crash_run r = {
        .dir = p->dir, .blueprint = blueprint, .kill_at = kill_at, .providers = &providers, .parallel = 4};
    struct crash_end end = {0};
    crash_run_in_child(&r, &end);
    return end;
}

static void expect_ok(const struct crash_end *end, const char *when, long point) {
    if (end->killed || end->code != EXIT_OK) {
        print_error("%s after point %ld: exit %d\n%s", when, point, end->code, end->errors);
    }
    assert_false(end->killed);
    assert_int_equal(end->code, EXIT_OK);
}

static void check_running(struct place *p, const char *shop, long point) {
    char answer[4096];
    ask(p, answer, sizeof answer);
    bool answers = strstr(answer, "notebook") != NULL && strstr(answer, shop) != NULL;
    if (count_services(p) != 1 || !answers) {
        print_error("after point %ld: %zu services, answer: %s\n", point, count_services(p), answer);
    }
    assert_int_equal(count_services(p), 1);
    assert_true(answers);
}

static void destroy(struct place *p, long point) {
    struct crash_end end = run(p, NULL, 0);
    expect_ok(&end, "destroying", point);
    assert_int_equal(count_services(p), 0);
    crash_remove_dir(p->dir);
    arena_fini(&p->arena);
}

static bool cut_off(struct place *p, const char *blueprint, long point) {
    struct crash_end end = run(p, blueprint, point);
    if (!end.killed) {
        expect_ok(&end, "the run", point);
    }
    return end.killed;
}

static void survives_while_deploying(void **state) {
    (void)state;
    long point = 0;
    for (bool more = true; more;) {
        struct place p;
        place_init(&p);
        more = cut_off(&p, "first.yaml", ++point);
        struct crash_end end = run(&p, "first.yaml", 0);
        expect_ok(&end, "going on", point);
        check_running(&p, "Corner shop", point);
        end = run(&p, "first.yaml", 0);
        assert_int_equal(end.changes, 0);
        destroy(&p, point);
    }
    assert_true(point > 40);
    print_message("# %ld points\n", point - 1);
}

static void survives_while_updating(void **state) {
    (void)state;
    long point = 0;
    for (bool more = true; more;) {
        struct place p;
        place_init(&p);
        struct crash_end end = run(&p, "first.yaml", 0);
        expect_ok(&end, "first", point);
        more = cut_off(&p, "second.yaml", ++point);
        end = run(&p, "second.yaml", 0);
        expect_ok(&end, "going on", point);
        check_running(&p, "Kiosk", point);
        end = run(&p, "second.yaml", 0);
        assert_int_equal(end.changes, 0);
        destroy(&p, point);
    }
    assert_true(point > 20);
    print_message("# %ld points\n", point - 1);
}

static void survives_while_destroying(void **state) {
    (void)state;
    long point = 0;
    for (bool more = true; more;) {
        struct place p;
        place_init(&p);
        struct crash_end end = run(&p, "first.yaml", 0);
        expect_ok(&end, "first", point);
        more = cut_off(&p, NULL, ++point);
        end = run(&p, NULL, 0);
        bool gone = end.code == EXIT_FAILED && strstr(end.errors, "instance_not_found") != NULL;
        if (!gone) {
            expect_ok(&end, "going on", point);
        }
        assert_int_equal(count_services(&p), 0);
        assert_null(crash_read_file(&p.arena, p.dir, "run/orders.db"));
        crash_remove_dir(p.dir);
        arena_fini(&p.arena);
    }
    assert_true(point > 20);
    print_message("# %ld points\n", point - 1);
}

/* usage: PROGRAM [NAME OF A CASE, with * and ?] */
int main(int argc, char **argv) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(survives_while_deploying),
        cmocka_unit_test(survives_while_updating),
        cmocka_unit_test(survives_while_destroying),
    };
    if (argc > 1) {
        cmocka_set_test_filter(argv[1]);
    }
    return cmocka_run_group_tests(tests, NULL, NULL);
}
