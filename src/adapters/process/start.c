/* Starting programs that outlive us. */
#include "adapters/process/child.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stddef.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

void process_strings_add(struct arena *a, struct process_strings *s, sv text) {
    VEC_PUSH(a, &s->items, arena_copy_cstr(a, text));
}

const char *const *process_strings_end(struct arena *a, struct process_strings *s) {
    VEC_PUSH(a, &s->items, NULL);
    s->items.len--;
    return s->items.items;
}

static bool is_executable(const char *path) {
    struct stat st;
    return stat(path, &st) == 0 && S_ISREG(st.st_mode) && access(path, X_OK) == 0;
}

sv process_find_program(struct arena *a, sv name, sv search) {
    if (sv_find_char(name, '/') != SIZE_MAX) {
        return name;
    }
    while (search.len > 0 && name.len > 0) {
        sv dir = sv_cut(&search, ':');
        sv path = arena_printf(a, "%.*s/%.*s", SV_ARG(dir), SV_ARG(name));
        if (dir.len > 0 && dir.data[0] == '/' && is_executable(path.data)) {
            return path;
        }
    }
    return (sv){0};
}

/* --- Detached --- */

struct pipes {
    int report[2]; /* the program's failure to start; closes when it runs */
    int number[2]; /* its process number */
};

static void close_pair(int pair[2]) {
    for (int i = 0; i < 2; i++) {
        if (pair[i] >= 0) {
            close(pair[i]);
        }
        pair[i] = -1;
    }
}

static bool open_pipes(struct pipes *p) {
    *p = (struct pipes){{-1, -1}, {-1, -1}};
    return pipe2(p->report, O_CLOEXEC) == 0 && pipe2(p->number, O_CLOEXEC) == 0;
}

/* The first child: makes the second, tells its number and ends, so that init becomes its parent. */
static _Noreturn void be_first_child(const struct process_start *start, const struct pipes *p, int null) {
    pid_t pid = fork();
    if (pid == 0) {
        int output = start->output >= 0 ? start->output : null;
        child_become(start, null, output, output, p->report[1]);
    }
    int64_t number = pid > 0 ? pid : -errno;
    ssize_t wrote = write(p->number[1], &number, sizeof number);
    _exit(wrote == (ssize_t)sizeof number ? 0 : 1);
}

static int64_t read_number(int fd) {
    int64_t number = 0;
    size_t len = 0;
    while (len < sizeof number) {
        ssize_t got = read(fd, (char *)&number + len, sizeof number - len);
        if (got == 0 || (got < 0 && errno != EINTR)) {
            return -EPIPE;
        }
        len += got > 0 ? (size_t)got : 0;
    }
    return number;
}

/* The parent's part: waits until the program runs or surely does not. */
static bool await_start(pid_t first, struct pipes *p, struct process_ref *result, struct process_failure *failure) {
    close(p->report[1]);
    close(p->number[1]);
    p->report[1] = p->number[1] = -1;
    int64_t number = read_number(p->number[0]);
    child_reap(first);
    if (number <= 0) {
        *failure = (struct process_failure){PROCESS_STAGE_FORK, (int)-number};
        return false;
    }
    struct process_info info;
    bool was_seen = process_look(number, &info);
    if (!was_seen && kill((pid_t)number, 0) == 0) { /* nobody could end it later: it cannot be told from others */
        *failure = (struct process_failure){PROCESS_STAGE_FORK, EAGAIN};
        kill((pid_t)number, SIGKILL);
        kill((pid_t)-number, SIGKILL);
        return false;
    }
    if (!child_await_exec(p->report[0], failure)) {
        return false;
    }
    /* Not seen: it ran and ended before we looked. Its number with a start time that never was is gone for everybody.
     */
    *result = (struct process_ref){.pid = number, .start_ticks = was_seen ? info.ref.start_ticks : 0};
    return true;
}

bool process_start_detached(const struct process_start *start, struct process_ref *result,
                            struct process_failure *failure) {
    struct pipes p;
    int null = open("/dev/null", O_RDWR | O_CLOEXEC);
    bool is_started = false;
    *failure = (struct process_failure){PROCESS_STAGE_FORK, 0};
    if (null >= 0 && open_pipes(&p)) {
        pid_t first = fork();
        if (first == 0) {
            be_first_child(start, &p, null);
        }
        failure->error = errno;
        is_started = first > 0 && await_start(first, &p, result, failure);
    } else {
        failure->error = errno;
    }
    if (null >= 0) {
        close_pair(p.report);
        close_pair(p.number);
        close(null);
    }
    return is_started;
}

/* --- Guards --- */

int process_take_guard(sv name) {
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    if (name.len + 1 > sizeof address.sun_path) {
        return -1;
    }
    /* A first byte of NUL makes the name abstract: it belongs to open descriptors and goes with the last of them. */
    memcpy(address.sun_path + 1, name.data, name.len);
    int fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    if (fd < 0) {
        return -1;
    }
    socklen_t len = (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 + name.len);
    if (bind(fd, (struct sockaddr *)&address, len) != 0) {
        close(fd);
        return -1;
    }
    return fd;
}
