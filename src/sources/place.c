#include "sources/place.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/openat2.h>
#include <stdio.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { REAL_PATH_MAX = 4 * PATH_MAX, PROC_NAME_MAX = 32 };

int place_open_at(int dir_fd, const char *path) {
    struct open_how how = {.flags = O_PATH | O_CLOEXEC, .resolve = RESOLVE_NO_MAGICLINKS};
    long fd = syscall(SYS_openat2, dir_fd, path, &how, sizeof how);
    if (fd < 0 && (errno == ENOSYS || errno == EPERM)) { /* an old kernel, or a container that filters calls */
        fd = openat(dir_fd, path, O_PATH | O_CLOEXEC);
    }
    return (int)fd;
}

static void print_proc_name(int fd, char out[PROC_NAME_MAX]) {
    snprintf(out, PROC_NAME_MAX, "/proc/self/fd/%d", fd);
}

sv place_get_real_path(struct arena *a, int fd) {
    char name[PROC_NAME_MAX], path[REAL_PATH_MAX];
    print_proc_name(fd, name);
    ssize_t len = readlink(name, path, sizeof path);
    bool is_whole = len > 0 && (size_t)len < sizeof path && path[0] == '/';
    return is_whole ? arena_copy_sv(a, sv_make(path, (size_t)len)) : (sv){0};
}

int place_reopen(int fd) {
    char name[PROC_NAME_MAX];
    print_proc_name(fd, name);
    return open(name, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
}

bool place_is_below(sv path, sv dir) {
    if (dir.len == 0 || !sv_has_prefix(path, dir)) {
        return false;
    }
    return path.len == dir.len || dir.data[dir.len - 1] == '/' || path.data[dir.len] == '/';
}
