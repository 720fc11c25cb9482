/* Processes: how programs are started, and how they are told apart. */
#include "adapters/process/process.h"
#include "base/buf.h"

#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

static int set_up(void **state) {
    *state = calloc(1, sizeof(struct arena));
    return 0;
}

static int tear_down(void **state) {
    arena_fini(*state);
    free(*state);
    return 0;
}

static const char *const *strings(struct arena *a, const char *const *items) {
    struct process_strings s = {0};
    for (; *items != NULL; items++) {
        process_strings_add(a, &s, sv_from_cstr(*items));
    }
    return process_strings_end(a, &s);
}

#define STRINGS(a, ...) strings((a), (const char *const[]){__VA_ARGS__, NULL})

static struct process_run shell(struct arena *a, const char *script) {
    return (struct process_run){
        .program = "/bin/sh",
        .arguments = STRINGS(a, "sh", "-c", script),
        .environment = STRINGS(a, "PATH=/usr/bin:/bin", "MARK=a b'\"$x"),
        .output_max = 1 << 20,
        .timeout_ms = 10000,
    };
}

static int64_t now_ms(void) {
    struct timespec now;
    clock_gettime(CLOCK_BOOTTIME, &now);
    return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

static void wait_until_gone(struct process_ref ref) {
    for (int i = 0; i < 500 && process_is_running(ref); i++) {
        usleep(10000);
    }
    assert_false(process_is_running(ref));
}

static void a_program_gets_its_environment_and_nothing_else(void **state) { /* F104 */
    struct arena *a = *state;
    int open_here = open("/dev/null", O_RDONLY); /* without CLOEXEC */
    signal(SIGPIPE, SIG_IGN);
    struct process_run run = shell(a, "env | sort; ls /proc/self/fd; grep SigIgn /proc/self/status; pwd");
    assert_true(process_run_to_end(a, &run));
    signal(SIGPIPE, SIG_DFL);
    close(open_here);
    assert_int_equal(run.status, 0);
    assert_true(sv_has_prefix(run.output, SV("MARK=a b'\"$x\n")));
    assert_true(sv_find(run.output, SV("HOME=")) == SIZE_MAX);
    bool is_clean = sv_find(run.output, SV("\n0\n1\n2\n3\nSigIgn:\t0000000000000000\n/\n")) != SIZE_MAX;
    if (!is_clean) {
        print_message("%.*s\n", SV_ARG(run.output));
    }
    assert_true(is_clean);
}

static void input_and_both_outputs_pass(void **state) {
    struct arena *a = *state;
    struct process_run run = shell(a, "wc -c; echo oops >&2; exit 3");
    struct buf input = BUF(a);
    buf_append_repeat(&input, 'x', 300000);
    run.input = buf_get_sv(&input);
    assert_true(process_run_to_end(a, &run));
    assert_true(sv_eq(sv_trim(run.output), SV("300000")));
    assert_true(sv_eq(run.errors, SV("oops\n")));
    assert_int_equal(run.status, 3);
    run = shell(a, "exit 0"); /* does not read */
    run.input = buf_get_sv(&input);
    assert_true(process_run_to_end(a, &run));
    assert_int_equal(run.status, 0);
}

static void time_and_output_are_bounded(void **state) {
    struct arena *a = *state;
    struct process_run run = shell(a, "sleep 60 & sleep 60");
    run.timeout_ms = 200;
    int64_t before = now_ms();
    assert_true(process_run_to_end(a, &run));
    assert_in_range(now_ms() - before, 150, 2000);
    assert_true(run.is_late);
    assert_int_equal(run.status, 128 + SIGKILL);
    run = shell(a, "yes");
    run.output_max = 1000;
    assert_true(process_run_to_end(a, &run));
    assert_true(run.is_too_much && run.output.len == 1000);
}

static void who_is_alone_leaves_nothing_behind(void **state) {
    struct arena *a = *state; /* the one that stays holds the output open */
    struct process_run run = shell(a, "sleep 60 & echo $!; yes oops | head -c 5000 >&2");
    run.is_alone = true;
    int64_t before = now_ms();
    assert_true(process_run_to_end(a, &run));
    assert_in_range(now_ms() - before, 0, 5000);
    assert_int_equal(run.status, 0);
    struct process_info info;
    int64_t pid = strtol(run.output.data, NULL, 10);
    for (int i = 0; i < 500 && process_look(pid, &info) && info.state != 'Z'; i++) {
        usleep(10000);
    }
    assert_true(!process_look(pid, &info) || info.state == 'Z');
    run = shell(a, "yes oops >&2");
    run.is_alone = true;
    run.errors_max = 1000;
    assert_true(process_run_to_end(a, &run));
    assert_true(run.is_too_much && run.errors.len == 1000);
}

static void what_cannot_start_is_told(void **state) {
    struct arena *a = *state;
    struct process_run run = shell(a, "true");
    run.program = "/nonexistent/program";
    assert_false(process_run_to_end(a, &run));
    assert_int_equal(run.failure.stage, PROCESS_STAGE_EXEC);
    assert_int_equal(run.failure.error, ENOENT);
    struct process_start start = {
        "/bin/true", STRINGS(a, "true"), STRINGS(a, "A=1"), "/nonexistent", -1,
    };
    struct process_ref ref;
    struct process_failure failure;
    assert_false(process_start_detached(&start, &ref, &failure));
    assert_int_equal(failure.stage, PROCESS_STAGE_DIRECTORY);
    start.working_dir = NULL;
    start.program = "/etc/passwd";
    assert_false(process_start_detached(&start, &ref, &failure));
    assert_int_equal(failure.error, EACCES);
}

static void a_detached_program_leads_its_own_session(void **state) {
    struct arena *a = *state;
    sv wanted = arena_printf(a, "LINTEL_TEST_MARK=%d", (int)getpid());
    struct process_start start = {
        "/bin/sleep", STRINGS(a, "sleep", "60"), STRINGS(a, wanted.data), NULL, -1,
    };
    struct process_ref ref;
    struct process_failure failure;
    assert_true(process_start_detached(&start, &ref, &failure));
    struct process_info info;
    assert_true(process_look(ref.pid, &info));
    assert_int_equal(info.session, ref.pid);
    assert_int_equal(info.group, ref.pid);
    assert_int_not_equal(info.parent, getpid());
    struct process_refs found = {0};
    process_scan(a, &wanted, 1, &found);
    assert_int_equal(found.items.len, 1);
    assert_true(found.items.items[0].ref.pid == ref.pid);
    sv text;
    assert_true(process_find_env(process_read_environ(a, ref.pid), SV("LINTEL_TEST_MARK"), &text));
    assert_true(sv_has_suffix(wanted, text) && text.len > 0);
    assert_true(process_signal_group(ref, SIGKILL));
    wait_until_gone(ref);
}

static void a_reused_number_is_not_the_process(void **state) {
    (void)state;
    struct process_info self;
    assert_true(process_look(getpid(), &self));
    assert_true(process_is_running(self.ref));
    struct process_ref other = {self.ref.pid, self.ref.start_ticks + 1};
    assert_false(process_is_running(other));
    assert_false(process_exists(other));
    assert_false(process_is_running((struct process_ref){0, 0}));
    assert_false(process_is_running((struct process_ref){-1, 0}));
}

/* F14: without a descriptor nothing can be looked at, which is no proof that nothing is there. */
static void what_cannot_be_looked_at_is_not_gone(void **state) {
    struct process_info self;
    struct process_refs found = {0};
    struct rlimit before, none;
    assert_true(process_look(getpid(), &self));
    assert_int_equal(getrlimit(RLIMIT_NOFILE, &before), 0);
    none = (struct rlimit){.rlim_cur = 0, .rlim_max = before.rlim_max};
    assert_int_equal(setrlimit(RLIMIT_NOFILE, &none), 0);
    bool is_running = process_is_running(self.ref), is_gone = process_is_gone(self.ref);
    bool is_whole = process_scan(*state, NULL, 0, &found);
    assert_int_equal(setrlimit(RLIMIT_NOFILE, &before), 0);
    assert_false(is_running);
    assert_false(is_gone);
    assert_false(is_whole);
    assert_true(process_is_gone((struct process_ref){self.ref.pid, self.ref.start_ticks + 1}));
    assert_true(process_is_gone((struct process_ref){0, 0}));
    assert_true(process_scan(*state, NULL, 0, &found));
}

static void a_zombie_is_gone(void **state) {
    (void)state;
    pid_t pid = fork();
    if (pid == 0) {
        _exit(0);
    }
    struct process_info info = {0};
    for (int i = 0; i < 500 && info.state != 'Z'; i++) {
        assert_true(process_look(pid, &info));
        usleep(1000);
    }
    assert_int_equal(info.state, 'Z');
    assert_false(process_is_running(info.ref));
    assert_true(process_exists(info.ref));
    waitpid(pid, NULL, 0);
    assert_false(process_exists(info.ref));
}

static void guards_exclude_and_go_with_their_holder(void **state) {
    sv name = arena_printf(*state, "lintel-test-%d", (int)getpid());
    int fd = process_take_guard(name);
    assert_true(fd >= 0);
    assert_int_equal(process_take_guard(name), -1);
    pid_t pid = fork(); /* holds it too, until it ends */
    if (pid == 0) {
        pause();
        _exit(0);
    }
    close(fd);
    assert_int_equal(process_take_guard(name), -1);
    kill(pid, SIGKILL);
    waitpid(pid, NULL, 0);
    fd = process_take_guard(name);
    assert_true(fd >= 0);
    close(fd);
}

static void listening_ports_are_found(void **state) {
    struct arena *a = *state;
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t len = sizeof address;
    assert_int_equal(bind(fd, (struct sockaddr *)&address, len), 0);
    struct process_ports before = {0}, after = {0};
    process_list_ports(a, getpid(), &before);
    assert_int_equal(listen(fd, 1), 0);
    assert_int_equal(getsockname(fd, (struct sockaddr *)&address, &len), 0);
    process_list_ports(a, getpid(), &after);
    assert_int_equal(after.items.len, before.items.len + 1);
    bool is_there = false;
    for (size_t i = 0; i < after.items.len; i++) {
        is_there = is_there || after.items.items[i] == ntohs(address.sin_port);
    }
    assert_true(is_there);
    close(fd);
}

static void programs_are_found_in_absolute_directories(void **state) {
    struct arena *a = *state;
    assert_true(sv_eq(process_find_program(a, SV("sh"), SV("/nonexistent:.::/bin")), SV("/bin/sh")));
    assert_true(sv_eq(process_find_program(a, SV("./x"), SV("/bin")), SV("./x")));
    assert_int_equal(process_find_program(a, SV("no-such-program"), SV("/bin:/usr/bin")).len, 0);
    assert_int_equal(process_find_program(a, (sv){0}, SV("/bin")).len, 0);
}

static void signals_have_names(void **state) {
    (void)state;
    assert_int_equal(process_find_signal(SV("SIGTERM")), SIGTERM);
    assert_int_equal(process_find_signal(SV("INT")), SIGINT);
    assert_int_equal(process_find_signal(SV("SIGNAL")), 0);
    assert_int_equal(process_find_signal((sv){0}), 0);
}

#define CASE(f) cmocka_unit_test_setup_teardown(f, set_up, tear_down)

int main(void) {
    const struct CMUnitTest tests[] = {
        CASE(a_program_gets_its_environment_and_nothing_else),
        CASE(input_and_both_outputs_pass),
        CASE(time_and_output_are_bounded),
        CASE(who_is_alone_leaves_nothing_behind),
        CASE(what_cannot_start_is_told),
        CASE(a_detached_program_leads_its_own_session),
        CASE(a_reused_number_is_not_the_process),
        CASE(what_cannot_be_looked_at_is_not_gone),
        CASE(a_zombie_is_gone),
        CASE(guards_exclude_and_go_with_their_holder),
        CASE(listening_ports_are_found),
        CASE(programs_are_found_in_absolute_directories),
        CASE(signals_have_names),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
