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
static bool open_ends(struct ends *e) {
    *e = (struct ends){{-1, -1}, {-1, -1}, {-1, -1}, {-1, -1}};
    return socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, e->input) == 0 && pipe2(e->output, O_CLOEXEC) == 0 &&
           pipe2(e->errors, O_CLOEXEC) == 0 && pipe2(e->report, O_CLOEXEC) == 0;
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

/* Until all is read, or time or room is over. A grandchild may keep the output open after the program has ended: it has
 * as long as the program. */
static void converse(struct process_run *run, struct channels *ch) {
    int64_t end = get_now_ms() + run->timeout_ms;
    while (ch->output >= 0 || ch->errors >= 0) {
        int64_t left = end - get_now_ms();
        run->is_late = left <= 0;
        run->is_too_much = ch->output_text.len > run->output_max || ch->errors_text.len > run->output_max;
        if (run->is_late || run->is_too_much) {
            return;
        }
        pump(ch, run->input, left > 1000 ? 1000 : (int)left);
    }
}

/* It has closed its output but may go on: waits for its end within the time, looking every few milliseconds. */
static bool reap_in_time(struct process_run *run, pid_t pid, int64_t end, int *status) {
    while (!run->is_late && !run->is_too_much) {
        pid_t got = waitpid(pid, status, WNOHANG);
        if (got == pid) {
            return true;
        }
        run->is_late = get_now_ms() >= end;
        struct timespec wait = {.tv_nsec = 2000000};
        nanosleep(&wait, NULL);
    }
    return false;
}

static void finish(struct process_run *run, struct channels *ch, pid_t pid) {
    int64_t end = get_now_ms() + run->timeout_ms;
    converse(run, ch);
    int status = 0;
    if (!reap_in_time(run, pid, end, &status)) {
        kill(-pid, SIGKILL);
        status = child_reap(pid);
    }
    run->status = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
    run->output = sv_slice(buf_get_sv(&ch->output_text), 0, run->output_max);
    run->errors = sv_slice(buf_get_sv(&ch->errors_text), 0, run->output_max);
}

bool process_run_to_end(struct arena *a, struct process_run *run) {
    struct ends e;
    struct process_start start = {run->program, run->arguments, run->environment, run->working_dir, -1};
    run->failure = (struct process_failure){PROCESS_STAGE_FORK, 0};
    pid_t pid = -1;
    if (open_ends(&e)) {
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
