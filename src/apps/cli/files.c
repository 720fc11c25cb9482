#include "apps/cli/files.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static void report(struct cli *c, sv path, const char *why) {
    diags_add(&c->diags, DIAG_file_not_writable, SPAN_NONE, "'%.*s' cannot be written: %s",
              SV_ARG(render_escape(&c->arena, path)), why);
}

/* Returns 0 or errno. */
static int write_all(int fd, sv bytes) {
    while (bytes.len > 0) {
        ssize_t n = write(fd, bytes.data, bytes.len);
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            return n < 0 ? errno : EIO;
        bytes = sv_slice(bytes, (size_t)n, bytes.len);
    }
    return 0;
}

/* Writes the bytes and makes them durable. Closes `fd`. Returns 0 or errno. */
static int fill(int fd, sv bytes) {
    int error = write_all(fd, bytes);
    if (error == 0 && fsync(fd) != 0)
        error = errno;
    if (close(fd) != 0 && error == 0)
        error = errno;
    return error;
}

/* The owner is kept as far as the system lets us; the mode comes last, since changing the owner may clear bits of it.
 */
static int copy_attributes(int fd, const struct stat *about) {
    if (fchown(fd, about->st_uid, about->st_gid) != 0 && errno != EPERM)
        return errno;
    return fchmod(fd, about->st_mode & 07777) == 0 ? 0 : errno;
}

/* A neighbour of the file, filled and renamed over it. Returns 0 or errno. */
static int replace(struct arena *a, const char *path, const struct stat *about, sv bytes) {
    char *temporary = arena_copy_cstr(a, arena_printf(a, "%s.lintel-XXXXXX", path));
    int fd = mkostemp(temporary, O_CLOEXEC);
    if (fd < 0)
        return errno;
    int error = copy_attributes(fd, about);
    int failed = fill(fd, bytes);
    error = error ? error : failed;
    if (error == 0 && rename(temporary, path) != 0)
        error = errno;
    if (error != 0)
        unlink(temporary);
    return error;
}

bool file_replace(struct cli *c, sv path, sv bytes) {
    struct stat about;
    char *real = realpath(arena_copy_cstr(&c->arena, path), NULL);
    int error = 0;
    const char *why = NULL;
    if (!real || stat(real, &about) != 0 || access(real, W_OK) != 0)
        error = errno;
    else if (!S_ISREG(about.st_mode))
        why = "it is no regular file";
    else
        error = replace(&c->arena, real, &about, bytes);
    free(real);
    why = error != 0 ? strerror(error) : why;
    if (why)
        report(c, path, why);
    return !why;
}

enum file_made file_make(struct cli *c, sv path, sv bytes) {
    const char *name = arena_copy_cstr(&c->arena, path);
    int fd = open(name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (fd < 0 && errno == EEXIST)
        return FILE_EXISTS;
    int error = fd < 0 ? errno : fill(fd, bytes);
    if (error == 0)
        return FILE_MADE;
    report(c, path, strerror(error));
    if (fd >= 0)
        unlink(name);
    return FILE_FAILED;
}

bool directory_make(struct cli *c, sv path) {
    for (size_t at = 1; at <= path.len; at++) {
        bool is_part = at == path.len || path.data[at] == '/';
        if (!is_part)
            continue;
        const char *part = arena_copy_cstr(&c->arena, sv_slice(path, 0, at));
        struct stat about;
        if (mkdir(part, 0777) != 0 && (errno != EEXIST || stat(part, &about) != 0 || !S_ISDIR(about.st_mode))) {
            diags_add(&c->diags, DIAG_file_not_writable, SPAN_NONE, "the directory '%.*s' cannot be made: %s",
                      SV_ARG(render_escape(&c->arena, path)), strerror(errno == EEXIST ? ENOTDIR : errno));
            return false;
        }
    }
    return true;
}
