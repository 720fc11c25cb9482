/* Faults between a program and its operating system, put in front of it by LD_PRELOAD: so they work on any build of
 * lintel, without a line of test code in it.
 *
 *     LINTEL_FAULT=CLASS=ACTION@N[+]     at the N-th call of the class (+: from it on)
 *     LINTEL_FAULT_COUNT=FILE            how many calls there were (8 bytes), whatever becomes of the program
 *     LINTEL_FAULT_LOG=FILE              what was written below a directory `.lintel`, and when it was synced: records
 * of struct record, path, data
 *
 * Classes: `any` (every call that changes something outside: writes, syncs, names, processes, what is sent), `write`,
 * `sync`, `read`, `memory` (allocations), `world` (names and processes: what providers do, but stores hardly ever).
 * Actions: `kill`, `stop` (both in front of the call), `eio`, `enospc`, `enomem` (instead of it), `short` (half of it),
 * `ahead`, `behind` (the wall clock jumps by ten days), `none`. Calls on descriptors 0 to
 * 2 and those of child processes do not count. Where calls fail, the pauses before another attempt are a hundredth of
 * what they are. */
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <sys/xattr.h>
#include <time.h>
#include <unistd.h>

enum class {
    CLASS_WRITE = 1,
    CLASS_SYNC = 2,
    CLASS_READ = 4,
    CLASS_OTHER = 8,
    CLASS_WORLD = 16,
    CLASS_MEMORY = 32,
    CLASS_ANY = CLASS_WRITE | CLASS_SYNC | CLASS_OTHER | CLASS_WORLD,
};
enum action {
    ACTION_NONE = 1,
    ACTION_KILL,
    ACTION_STOP,
    ACTION_EIO,
    ACTION_ENOSPC,
    ACTION_ENOMEM,
    ACTION_SHORT,
    ACTION_AHEAD,
    ACTION_BEHIND,
};
enum { JUMP_S = 10 * 86400 };

static struct {
    pid_t pid; /* 0: off */
    unsigned classes;
    enum action action;
    unsigned long at;
    bool goes_on;
    atomic_ulong own_count, *count;
    atomic_long clock_off_s;
    int log; /* -1: none */
} fault = {.log = -1};

struct record {
    uint64_t what; /* 'w' 's' 't' 'u': written, synced, truncated, unlinked */
    uint64_t path_len, at, len;
};

static const struct {
    const char *name;
    unsigned classes;
} classes[] = {{"any", CLASS_ANY},   {"write", CLASS_WRITE},   {"sync", CLASS_SYNC},
               {"read", CLASS_READ}, {"memory", CLASS_MEMORY}, {"world", CLASS_WORLD}};

static const struct {
    const char *name;
    enum action action;
} actions[] = {{"none", ACTION_NONE},     {"kill", ACTION_KILL},     {"stop", ACTION_STOP},
               {"eio", ACTION_EIO},       {"enospc", ACTION_ENOSPC}, {"short", ACTION_SHORT},
               {"enomem", ACTION_ENOMEM}, {"ahead", ACTION_AHEAD},   {"behind", ACTION_BEHIND}};

static void open_count(void) {
    const char *path = getenv("LINTEL_FAULT_COUNT");
    int fd = path == NULL ? -1 : (int)syscall(SYS_openat, AT_FDCWD, path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    void *at = MAP_FAILED;
    if (fd >= 0 && syscall(SYS_ftruncate, fd, sizeof *fault.count) == 0) {
        at = mmap(NULL, sizeof *fault.count, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    }
    fault.count = at == MAP_FAILED ? &fault.own_count : at;
    syscall(SYS_close, fd);
}

__attribute__((constructor)) static void begin(void) {
    const char *text = getenv("LINTEL_FAULT");
    char class_name[16], action_name[16], number[16], plus = 0;
    if (text == NULL || sscanf(text, "%15[a-z]=%15[a-z]@%15[0-9]%c", class_name, action_name, number, &plus) < 3) {
        return;
    }
    fault.at = strtoul(number, NULL, 10);
    for (size_t i = 0; i < sizeof classes / sizeof *classes; i++) {
        fault.classes |= strcmp(classes[i].name, class_name) == 0 ? classes[i].classes : 0;
    }
    for (size_t i = 0; i < sizeof actions / sizeof *actions; i++) {
        fault.action = strcmp(actions[i].name, action_name) == 0 ? actions[i].action : fault.action;
    }
    if (fault.classes == 0 || fault.action == 0) {
        fprintf(stderr, "shim: no such fault: %s\n", text);
        _exit(99);
    }
    fault.goes_on = plus == '+';
    open_count();
    const char *log = getenv("LINTEL_FAULT_LOG");
    if (log != NULL) {
        fault.log = (int)syscall(SYS_openat, AT_FDCWD, log, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
    }
    fault.pid = getpid();
    unsetenv("LD_PRELOAD"); /* for this program alone */
}

/* What is to happen instead of the call, or 0: nothing. From KILL nobody comes back. */
static enum action pass(unsigned in) {
    if (fault.pid == 0 || (fault.classes & in) == 0 || getpid() != fault.pid) {
        return 0;
    }
    unsigned long number = atomic_fetch_add(fault.count, 1) + 1;
    if (number != fault.at && !(fault.goes_on && number > fault.at)) {
        return 0;
    }
    if (fault.action == ACTION_KILL || fault.action == ACTION_STOP) {
        syscall(SYS_kill, fault.pid, fault.action == ACTION_KILL ? SIGKILL : SIGSTOP);
        return 0;
    }
    if (fault.action == ACTION_AHEAD || fault.action == ACTION_BEHIND) {
        atomic_store(&fault.clock_off_s, fault.action == ACTION_AHEAD ? JUMP_S : -JUMP_S);
        return 0;
    }
    return fault.action;
}

static bool fails(enum action action) {
    if (action == ACTION_EIO || action == ACTION_ENOSPC) {
        errno = action == ACTION_EIO ? EIO : ENOSPC;
        return true;
    }
    return false;
}

static size_t shorten(enum action action, size_t len) {
    return action == ACTION_SHORT && len > 1 ? len / 2 : len;
}

/* The function that stands behind this one. C has no cast from an object's address to a function's. */
static void find_next(const char *name, void *next) {
    void *found = dlsym(RTLD_NEXT, name);
    if (found == NULL) {
        _exit(98);
    }
    memcpy(next, &found, sizeof found);
}

#define NEXT(name)          \
    __typeof__(name) *next; \
    find_next(#name, &next)

/* --- the log --- */

static void note_path(char what, const char *path, size_t path_len, struct iovec data, off64_t at) {
    struct record r = {(uint64_t)what, path_len, (uint64_t)at, data.iov_len};
    if (memmem(path, path_len, "/.lintel/", sizeof "/.lintel/" - 1) != NULL) {
        struct iovec parts[] = {{&r, sizeof r}, {(void *)(uintptr_t)path, path_len}, data};
        syscall(SYS_writev, fault.log, parts, 3); /* one write at the end of the file: nobody comes between */
    }
}

static void note(char what, int fd, struct iovec data, off64_t at) {
    if (fault.log < 0 || fault.pid == 0 || getpid() != fault.pid) {
        return;
    }
    char link[32], path[512];
    snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
    ssize_t len = readlink(link, path, sizeof path);
    if (len > 0) {
        note_path(what, path, (size_t)len, data, at);
    }
}

static ssize_t note_written(ssize_t len, int fd, const void *data, off64_t at) {
    if (len > 0) {
        note('w', fd, (struct iovec){(void *)(uintptr_t)data, (size_t)len}, at);
    }
    return len;
}

static int note_done(int status, char what, int fd, off64_t at) {
    if (status == 0) {
        note(what, fd, (struct iovec){0}, at);
    }
    return status;
}

/* --- reading and writing --- */

ssize_t write(int fd, const void *data, size_t len) {
    NEXT(write);
    enum action action = fd > 2 ? pass(CLASS_WRITE) : 0;
    off64_t at = fault.log < 0 ? 0 : lseek64(fd, 0, SEEK_CUR);
    return fails(action) ? -1 : note_written(next(fd, data, shorten(action, len)), fd, data, at);
}

ssize_t pwrite64(int fd, const void *data, size_t len, off64_t at) {
    NEXT(pwrite64);
    enum action action = pass(CLASS_WRITE);
    return fails(action) ? -1 : note_written(next(fd, data, shorten(action, len), at), fd, data, at);
}

ssize_t writev(int fd, const struct iovec *parts, int count) {
    NEXT(writev);
    return fd > 2 && fails(pass(CLASS_WRITE)) ? -1 : next(fd, parts, count);
}

ssize_t read(int fd, void *data, size_t len) {
    NEXT(read);
    enum action action = fd > 2 ? pass(CLASS_READ) : 0;
    return fails(action) ? -1 : next(fd, data, shorten(action, len));
}

ssize_t pread64(int fd, void *data, size_t len, off64_t at) {
    NEXT(pread64);
    enum action action = pass(CLASS_READ);
    return fails(action) ? -1 : next(fd, data, shorten(action, len), at);
}

ssize_t send(int fd, const void *data, size_t len, int flags) {
    NEXT(send);
    pass(CLASS_OTHER);
    return next(fd, data, len, flags);
}

/* --- the rest: a point in front, errors for those that make files larger --- */

#define POINT(in, type, name, parameters, arguments)        \
    type name parameters {                                  \
        NEXT(name);                                         \
        return fails(pass(in)) ? (type)-1 : next arguments; \
    }
#define POINT_ONLY(in, type, name, parameters, arguments) \
    type name parameters {                                \
        NEXT(name);                                       \
        pass(in);                                         \
        return next arguments;                            \
    }
enum { NEW_NAME = CLASS_WRITE | CLASS_WORLD };

int fsync(int fd) {
    NEXT(fsync);
    return fails(pass(CLASS_SYNC)) ? -1 : note_done(next(fd), 's', fd, 0);
}

int fdatasync(int fd) {
    NEXT(fdatasync);
    return fails(pass(CLASS_SYNC)) ? -1 : note_done(next(fd), 's', fd, 0);
}

int ftruncate64(int fd, off64_t len) {
    NEXT(ftruncate64);
    return fails(pass(CLASS_WRITE)) ? -1 : note_done(next(fd, len), 't', fd, len);
}

int unlink(const char *path) {
    NEXT(unlink);
    pass(CLASS_WORLD);
    int status = next(path);
    if (status == 0 && fault.log >= 0 && getpid() == fault.pid) {
        note_path('u', path, strlen(path), (struct iovec){0}, 0);
    }
    return status;
}

POINT(NEW_NAME, int, mkdir, (const char *path, mode_t mode), (path, mode))
POINT(NEW_NAME, int, mkdirat, (int at, const char *path, mode_t mode), (at, path, mode))
POINT(NEW_NAME, int, rename, (const char *from, const char *to), (from, to))
POINT(NEW_NAME, int, renameat, (int from_at, const char *from, int to_at, const char *to), (from_at, from, to_at, to))
POINT(NEW_NAME, int, renameat2, (int from_at, const char *from, int to_at, const char *to, unsigned flags),
      (from_at, from, to_at, to, flags))
POINT(NEW_NAME, int, linkat, (int from_at, const char *from, int to_at, const char *to, int flags),
      (from_at, from, to_at, to, flags))
POINT(NEW_NAME, int, symlinkat, (const char *target, int at, const char *path), (target, at, path))
POINT(NEW_NAME, int, symlink, (const char *target, const char *path), (target, path))
POINT_ONLY(CLASS_WORLD, int, unlinkat, (int at, const char *path, int flags), (at, path, flags))
POINT_ONLY(CLASS_WORLD, int, rmdir, (const char *path), (path))
POINT_ONLY(CLASS_WORLD, int, fchmod, (int fd, mode_t mode), (fd, mode))
POINT_ONLY(CLASS_WORLD, int, fsetxattr, (int fd, const char *name, const void *data, size_t len, int flags),
           (fd, name, data, len, flags))
POINT_ONLY(CLASS_WORLD, int, kill, (pid_t pid, int number), (pid, number))
POINT_ONLY(CLASS_WORLD, pid_t, fork, (void), ())
POINT_ONLY(CLASS_OTHER, pid_t, waitpid, (pid_t pid, int *status, int options), (pid, status, options))

/* --- memory: the C library's own names, since dlsym allocates --- */

extern void *__libc_malloc(size_t size);
extern void *__libc_calloc(size_t count, size_t size);
extern void *__libc_realloc(void *old, size_t size);

static bool has_no_memory(void) {
    if (pass(CLASS_MEMORY) != ACTION_ENOMEM) {
        return false;
    }
    errno = ENOMEM;
    return true;
}

void *malloc(size_t size) {
    return has_no_memory() ? NULL : __libc_malloc(size);
}

void *calloc(size_t count, size_t size) {
    return has_no_memory() ? NULL : __libc_calloc(count, size);
}

void *realloc(void *old, size_t size) {
    return has_no_memory() ? NULL : __libc_realloc(old, size);
}

/* --- the clock --- */

int clock_gettime(clockid_t clock, struct timespec *result) {
    NEXT(clock_gettime);
    int status = next(clock, result);
    if (status == 0 && clock == CLOCK_REALTIME) {
        result->tv_sec += atomic_load(&fault.clock_off_s);
    }
    return status;
}

int nanosleep(const struct timespec *time, struct timespec *left) {
    NEXT(nanosleep);
    enum { SHARE = 100, NS_PER_S = 1000000000 };
    bool fails_calls = fault.pid != 0 && (fault.action == ACTION_EIO || fault.action == ACTION_ENOSPC ||
                                          fault.action == ACTION_ENOMEM || fault.action == ACTION_SHORT);
    if (!fails_calls) {
        return next(time, left);
    }
    long long ns = ((long long)time->tv_sec * NS_PER_S + time->tv_nsec) / SHARE;
    return next(&(struct timespec){.tv_sec = ns / NS_PER_S, .tv_nsec = ns % NS_PER_S}, left);
}

/* New files: openat and open, whose mode is there only when it counts. */

static bool makes_file(int flags) {
    return (flags & O_CREAT) != 0;
}

static int open_at(int at, const char *path, int flags, mode_t mode) {
    return (int)syscall(SYS_openat, at, path, flags | O_LARGEFILE, mode);
}

#define OPEN_WITH_MODE(at, path)                                 \
    mode_t mode = 0;                                             \
    if (makes_file(flags) || (flags & O_TMPFILE) == O_TMPFILE) { \
        va_list rest;                                            \
        va_start(rest, flags);                                   \
        mode = va_arg(rest, mode_t);                             \
        va_end(rest);                                            \
    }                                                            \
    if (makes_file(flags) && fails(pass(CLASS_WRITE))) {         \
        return -1;                                               \
    }                                                            \
    return open_at(at, path, flags, mode)

int open64(const char *path, int flags, ...) {
    OPEN_WITH_MODE(AT_FDCWD, path);
}

int openat64(int at, const char *path, int flags, ...) {
    OPEN_WITH_MODE(at, path);
}
