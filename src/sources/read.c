/* Invariants: (1) below a root, nothing is opened for reading before it is known what and where it is; (2) what is read
 * is the file whose place was looked at. */
#include "sources/read.h"

#include "base/buf.h"
#include "sources/place.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

enum { CHUNK = 65536 };

static bool read_all(struct arena *a, int fd, size_t max, sv *bytes) {
    struct buf out = BUF(a);
    struct stat st;
    if (fstat(fd, &st) == 0 && st.st_size > 0)
        buf_reserve(&out, ((uintmax_t)st.st_size < max ? (size_t)st.st_size : max) + 2);
    for (;;) {
        size_t room = max - out.len < CHUNK ? max - out.len + 1 : CHUNK;
        ssize_t got = read(fd, buf_reserve(&out, room), room);
        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0)
            return false;
        out.len += (size_t)got;
        if (got == 0 || out.len > max)
            break;
    }
    buf_append_char(&out, '\0');
    *bytes = sv_make(out.data, out.len - 1);
    return true;
}

static enum sources_read read_and_close(struct arena *a, int fd, size_t max, sv *bytes) {
    if (fd < 0)
        return SOURCES_READ_FAILED;
    bool ok = read_all(a, fd, max, bytes);
    int error = errno;
    close(fd);
    errno = error;
    return ok ? SOURCES_READ_OK : SOURCES_READ_FAILED;
}

enum sources_read sources_read_path(struct arena *a, sv path, size_t max, sv *bytes) {
    if (sv_find_char(path, '\0') != SIZE_MAX) {
        errno = EINVAL;
        return SOURCES_READ_FAILED;
    }
    return read_and_close(a, open(arena_copy_cstr(a, path), O_RDONLY | O_CLOEXEC | O_NOCTTY), max, bytes);
}

/* Of a path that leads nowhere: whether it would lead out, by its text alone. */
static bool leads_out(sv path) {
    size_t depth = 0;
    if (sv_has_prefix(path, SV("/")))
        return true;
    while (path.len > 0) {
        sv step = sv_cut(&path, '/');
        bool is_up = sv_eq(step, SV(".."));
        if (is_up && depth == 0)
            return true;
        depth = is_up ? depth - 1 : depth + (step.len > 0 && !sv_eq(step, SV(".")));
    }
    return false;
}

static enum sources_read read_place(struct arena *a, sv root, int fd, size_t max, sv *bytes) {
    struct stat st;
    sv real = place_get_real_path(a, fd);
    if (fstat(fd, &st) != 0 || st.st_nlink == 0) {
        errno = ENOENT;
        return SOURCES_READ_FAILED;
    }
    if (!place_is_below(real, root) || !S_ISREG(st.st_mode))
        return SOURCES_READ_OUTSIDE;
    return read_and_close(a, place_reopen(fd), max, bytes);
}

enum sources_read sources_read_below(struct arena *a, sv root, sv path, size_t max, sv *bytes) {
    if (path.len == 0 || sv_find_char(path, '\0') != SIZE_MAX) {
        errno = path.len == 0 ? ENOENT : EINVAL;
        return SOURCES_READ_FAILED;
    }
    int root_fd = open(arena_copy_cstr(a, root), O_PATH | O_DIRECTORY | O_CLOEXEC);
    if (root_fd < 0)
        return SOURCES_READ_FAILED;
    int fd = place_open_at(root_fd, arena_copy_cstr(a, path));
    int error = errno;
    enum sources_read read = SOURCES_READ_FAILED;
    if (fd >= 0)
        read = read_place(a, place_get_real_path(a, root_fd), fd, max, bytes);
    else if (error == ELOOP || leads_out(path))
        read = SOURCES_READ_OUTSIDE;
    error = fd >= 0 ? errno : error;
    if (fd >= 0)
        close(fd);
    close(root_fd);
    errno = error;
    return read;
}
