#include "adapters/process/child.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <sys/syscall.h>
#include <unistd.h>

/* Where the kernel cannot do it in one call (before 5.11). */
static void mark_descriptors_singly(void) {
    struct rlimit limit;
    rlim_t max = getrlimit(RLIMIT_NOFILE, &limit) == 0 && limit.rlim_cur < 65536 ? limit.rlim_cur : 65536;
    for (int fd = 3; fd < (int)max; fd++) {
        fcntl(fd, F_SETFD, FD_CLOEXEC);
    }
}

static void mark_descriptors(void) {
    if (close_range(3, ~0u, CLOSE_RANGE_CLOEXEC) != 0) {
        mark_descriptors_singly();
    }
}

/* The C library keeps two signals for its threads and lets nobody reset them; who started us may have left them
 * ignored. */
static void reset_reserved_signals(void) {
    const unsigned long none[4] = {0}; /* the kernel's own form: default handler, no flags, empty mask */
    for (int i = __SIGRTMIN; i < SIGRTMIN; i++) {
        syscall(SYS_rt_sigaction, i, none, NULL, sizeof none[0]);
    }
}

static void reset_signals(void) {
    for (int i = 1; i < NSIG; i++) {
        signal(i, SIG_DFL);
    }
    reset_reserved_signals();
    sigset_t none;
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
}

static _Noreturn void give_up(int report, enum process_stage stage) {
    struct process_failure failure = {.stage = stage, .error = errno};
    ssize_t ignored = write(report, &failure, sizeof failure);
    (void)ignored;
    _exit(127);
}

/* Out of the way of 0, 1, 2. */
static int lift(int fd) {
    return fd > 2 ? fd : fcntl(fd, F_DUPFD_CLOEXEC, 3);
}

static bool limit_files(size_t max) {
    struct rlimit limit = {.rlim_cur = max, .rlim_max = max};
    return max == 0 || setrlimit(RLIMIT_FSIZE, &limit) == 0;
}

_Noreturn void child_become(const struct process_start *start, int input, int output, int errors, int report) {
    report = lift(report);
    input = lift(input);
    output = lift(output);
    errors = lift(errors);
    reset_signals();
    if (setsid() < 0 || dup2(input, 0) < 0 || dup2(output, 1) < 0 || dup2(errors, 2) < 0 ||
        !limit_files(start->file_max)) {
        give_up(report, PROCESS_STAGE_FORK);
    }
    mark_descriptors();
    umask(022);
    if (chdir(start->working_dir == NULL ? "/" : start->working_dir) != 0) {
        give_up(report, PROCESS_STAGE_DIRECTORY);
    }
    execve(start->program, (char *const *)start->arguments, (char *const *)start->environment);
    give_up(report, PROCESS_STAGE_EXEC);
}

bool child_await_exec(int report, struct process_failure *failure) {
    ssize_t got;
    do {
        got = read(report, failure, sizeof *failure);
    } while (got < 0 && errno == EINTR);
    return got != (ssize_t)sizeof *failure;
}

int child_reap(pid_t pid) {
    int status = 0;
    while (waitpid(pid, &status, 0) < 0 && errno == EINTR) {}
    return status;
}
