/* Running a program to its end, with bounded time and output. */
#include "adapters/process/child.h"
#include "base/buf.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { CHUNK = 65536 };

/* One run: our ends of the channels, -1 once closed. */
struct channels {
    int input, output, errors, report;
    struct buf output_text, errors_text;
    size_t sent;
};

struct ends {
    int input[2], output[2], errors[2], report[2];
};

static int64_t get_now_ms(void) {
    struct timespec now;
    clock_gettime(CLOCK_BOOTTIME, &now);
    return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

static void shut(int *fd) {
    if (*fd >= 0) {
        close(*fd);
    }
    *fd = -1;
}

static void shut_all(struct ends *e) {
    for (int i = 0; i < 2; i++) {
        shut(&e->input[i]);
        shut(&e->output[i]);
        shut(&e->errors[i]);
        shut(&e->report[i]);
    }
}

/* Input goes through a socket: writing to one whose reader is gone can be told not to raise SIGPIPE. */
static bool open_ends(struct ends *e, bool drops_errors) {
    *e = (struct ends){{-1, -1}, {-1, -1}, {-1, -1}, {-1, -1}};
    if (drops_errors) {
        e->errors[1] = open("/dev/null", O_WRONLY | O_CLOEXEC);
    }
    bool has_errors = drops_errors ? e->errors[1] >= 0 : pipe2(e->errors, O_CLOEXEC) == 0;
    return has_errors && socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, e->input) == 0 &&
           pipe2(e->output, O_CLOEXEC) == 0 && pipe2(e->report, O_CLOEXEC) == 0;
}

static void read_some(int *fd, struct buf *text) {
    ssize_t got = read(*fd, buf_reserve(text, CHUNK), CHUNK);
    if (got > 0) {
        text->len += (size_t)got;
    } else if (got == 0 || (errno != EINTR && errno != EAGAIN)) {
        shut(fd);
    }
}

static void write_some(struct channels *ch, sv input) {
    ssize_t sent = 0;
    if (ch->sent < input.len) {
        sent = send(ch->input, input.data + ch->sent, input.len - ch->sent, MSG_NOSIGNAL | MSG_DONTWAIT);
    }
    if (sent > 0) {
        ch->sent += (size_t)sent;
    }
    bool is_broken = sent < 0 && errno != EINTR && errno != EAGAIN;
    if (ch->sent >= input.len || is_broken) {
        shut(&ch->input);
    }
}

/* One round of waiting and moving bytes. */
static void pump(struct channels *ch, sv input, int timeout_ms) {
    struct pollfd fds[3] = {
        {.fd = ch->output, .events = POLLIN},
        {.fd = ch->errors, .events = POLLIN},
        {.fd = ch->input, .events = POLLOUT},
    };
    if (poll(fds, 3, timeout_ms) <= 0) {
        return;
    }
    if (fds[0].revents != 0) {
        read_some(&ch->output, &ch->output_text);
    }
    if (fds[1].revents != 0) {
        read_some(&ch->errors, &ch->errors_text);
    }
    if (fds[2].revents != 0) {
        write_some(ch, input);
    }
}

/* Without reaping it: as long as its number is its own its group can be told from others. */
static bool has_ended(pid_t pid) {
    siginfo_t info = {0};
    return waitid(P_PID, (id_t)pid, &info, WEXITED | WNOHANG | WNOWAIT) == 0 && info.si_pid == pid;
}

static size_t get_errors_max(const struct process_run *run) {
    return run->errors_max > 0 ? run->errors_max : run->output_max;
}

enum { POLL_MS = 1000, POLL_ALONE_MS = 20, LINGER_MS = 1000 };

static bool is_stopped(const struct process_run *run) {
    return run->signals != NULL && atomic_load(run->signals) > 0;
}

/* Until all is read, or time or room is over. Others may keep the output open after the program has ended: they have as
 * long as the program, or (alone) no time but that to read what is under way. */
static void converse(struct process_run *run, struct channels *ch, pid_t pid) {
    int64_t end = get_now_ms() + run->timeout_ms;
    int64_t linger_end = INT64_MAX;
    while (ch->output >= 0 || ch->errors >= 0) {
        int64_t now = get_now_ms();
        run->is_late = now >= end;
        run->is_too_much = ch->output_text.len > run->output_max || ch->errors_text.len > get_errors_max(run);
        run->is_stopped = is_stopped(run);
        if (run->is_late || run->is_too_much || run->is_stopped || now >= linger_end) {
            return;
        }
        int64_t most = run->is_alone || run->signals != NULL ? POLL_ALONE_MS : POLL_MS;
        pump(ch, run->input, (int)(end - now < most ? end - now : most));
        if (run->is_alone && linger_end == INT64_MAX && has_ended(pid)) {
            kill(-pid, SIGKILL);
            linger_end = get_now_ms() + LINGER_MS;
        }
    }
}

/* It has closed its output but may go on: waits for its end within the time, looking every few milliseconds. */
static bool wait_in_time(struct process_run *run, pid_t pid, int64_t end) {
    while (!run->is_late && !run->is_too_much && !run->is_stopped) {
        if (has_ended(pid)) {
            return true;
        }
        run->is_stopped = is_stopped(run);
        run->is_late = get_now_ms() >= end;
        struct timespec wait = {.tv_nsec = 2000000};
        nanosleep(&wait, NULL);
    }
    return false;
}

static void finish(struct process_run *run, struct channels *ch, pid_t pid) {
    int64_t end = get_now_ms() + run->timeout_ms;
    converse(run, ch, pid);
    if (!wait_in_time(run, pid, end) || run->is_alone) {
        kill(-pid, SIGKILL);
    }
    int status = child_reap(pid);
    run->status = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
    run->output = sv_slice(buf_get_sv(&ch->output_text), 0, run->output_max);
    run->errors = sv_slice(buf_get_sv(&ch->errors_text), 0, get_errors_max(run));
}

bool process_run_to_end(struct arena *a, struct process_run *run) {
    struct ends e;
    struct process_start start = {
        run->program, run->arguments, run->environment, run->working_dir, -1, run->file_max,
    };
    run->failure = (struct process_failure){PROCESS_STAGE_FORK, 0};
    pid_t pid = -1;
    if (open_ends(&e, run->drops_errors)) {
        pid = fork();
    }
    if (pid == 0) {
        child_become(&start, e.input[1], e.output[1], e.errors[1], e.report[1]);
    }
    bool is_started = pid > 0;
    if (is_started) {
        shut(&e.input[1]);
        shut(&e.output[1]);
        shut(&e.errors[1]);
        shut(&e.report[1]);
        is_started = child_await_exec(e.report[0], &run->failure);
        struct channels ch = {e.input[0], e.output[0], e.errors[0], -1, BUF(a), BUF(a), 0};
        if (is_started) {
            finish(run, &ch, pid);
        } else {
            child_reap(pid);
        }
        e.input[0] = ch.input;
        e.output[0] = ch.output;
        e.errors[0] = ch.errors;
    } else {
        run->failure.error = errno;
    }
    shut_all(&e);
    return is_started;
}
