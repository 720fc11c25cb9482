#include "sources/internal.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

enum { CHUNK = 65536, REMOVE_DESCRIPTORS = 32 };

/* --- Reading --- */

bool files_read_fd(struct arena *a, int fd, size_t max, sv *bytes, bool *is_more) {
    struct buf out = BUF(a);
    struct stat st;
    *is_more = false;
    if (fstat(fd, &st) == 0 && st.st_size > 0) { /* room for all of it at once, and for the end to be seen */
        buf_reserve(&out, ((uintmax_t)st.st_size < max ? (size_t)st.st_size : max) + 1);
    }
    for (;;) {
        size_t room = max - out.len < CHUNK ? max - out.len + 1 : CHUNK; /* one more tells that there is more */
        ssize_t got = read(fd, buf_reserve(&out, room), room);
        if (got < 0 && errno == EINTR) {
            continue;
        }
        if (got <= 0) {
            *bytes = buf_get_sv(&out);
            return got == 0;
        }
        out.len += (size_t)got;
        if (out.len > max) {
            *is_more = true;
            *bytes = (sv){0};
            return true;
        }
    }
}

enum file_read files_read(struct arena *a, int dir_fd, sv name, int flags, size_t max, sv *bytes) {
    int fd = openat(dir_fd, arena_copy_cstr(a, name), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY | flags);
    if (fd < 0) {
        return errno == ENOENT || errno == ENOTDIR ? FILE_READ_MISSING : FILE_READ_UNFIT;
    }
    struct stat st;
    bool is_more = false;
    bool ok = fstat(fd, &st) == 0 && S_ISREG(st.st_mode) && files_read_fd(a, fd, max, bytes, &is_more) && !is_more;
    close(fd);
    return ok ? FILE_READ_OK : FILE_READ_UNFIT;
}

/* --- Writing --- */

static bool write_all(int fd, sv text) {
    while (text.len > 0) {
        ssize_t done = write(fd, text.data, text.len);
        if (done < 0 && errno != EINTR) {
            return false;
        }
        text = sv_slice(text, done < 0 ? 0 : (size_t)done, text.len);
    }
    return true;
}

/* The temporary name is random and must be new: whatever lies there already, a link too, is not written through (F87).
 */
bool files_replace(const struct gatherer *g, int dir_fd, sv name, mode_t mode, sv bytes) {
    struct arena scratch = {0};
    uint64_t random = 0;
    g->o.host->ops->fill_random(g->o.host->user, &random, sizeof random);
    sv temporary = arena_printf(&scratch, ".%.*s.%016llx", SV_ARG(name), (unsigned long long)random);
    const char *target = arena_copy_cstr(&scratch, name);
    int fd = openat(dir_fd, temporary.data, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, mode);
    bool ok = false;
    if (fd >= 0) {
        ok = write_all(fd, bytes) && fsync(fd) == 0;
        ok = close(fd) == 0 && ok && renameat(dir_fd, temporary.data, dir_fd, target) == 0;
        int error = errno;
        if (!ok) {
            unlinkat(dir_fd, temporary.data, 0);
        }
        errno = error;
    }
    arena_fini(&scratch);
    return ok;
}

/* --- Directories --- */

int files_open_own_dir(int dir_fd, sv name) {
    struct arena scratch = {0};
    const char *path = arena_copy_cstr(&scratch, name);
    int flags = O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC;
    int fd = -1;
    if (mkdirat(dir_fd, path, 0700) == 0 || errno == EEXIST) {
        fd = openat(dir_fd, path, flags);
    }
    arena_fini(&scratch);
    struct stat st;
    if (fd >= 0 && (fstat(fd, &st) != 0 || st.st_uid != geteuid() || (st.st_mode & 022) != 0)) {
        close(fd);
        fd = -1;
    }
    return fd;
}

enum { ENTRIES_MAX = 1000000 };

struct walk {
    struct arena *arena;
    VEC(const char *) open; /* directories to look into */
    size_t entries;
};

/* Each stream has one reader, so this is safe in any thread. */
static struct dirent *read_entry(DIR *dir) {
    /* cppcheck-suppress readdirCalled */
    return readdir(dir);
}

static bool walk_one(struct walk *w, const char *path) {
    DIR *dir = opendir(path);
    bool is_plain = dir != NULL;
    for (struct dirent *e = is_plain ? read_entry(dir) : NULL; e != NULL && is_plain; e = read_entry(dir)) {
        struct stat st;
        if (strcmp(e->d_name, ".") == 0 || strcmp(e->d_name, "..") == 0) {
            continue;
        }
        is_plain = ++w->entries <= ENTRIES_MAX && fstatat(dirfd(dir), e->d_name, &st, AT_SYMLINK_NOFOLLOW) == 0 &&
                   (S_ISREG(st.st_mode) || S_ISDIR(st.st_mode));
        if (is_plain && S_ISDIR(st.st_mode)) {
            VEC_PUSH(w->arena, &w->open, arena_printf(w->arena, "%s/%s", path, e->d_name).data);
        }
    }
    if (dir != NULL) {
        closedir(dir);
    }
    return is_plain;
}

bool files_is_plain_tree(sv path) {
    struct arena scratch = {0};
    struct walk w = {.arena = &scratch};
    bool is_plain = true;
    VEC_PUSH(&scratch, &w.open, arena_copy_cstr(&scratch, path));
    while (w.open.len > 0 && is_plain) {
        is_plain = walk_one(&w, w.open.items[--w.open.len]);
    }
    arena_fini(&scratch);
    return is_plain;
}

static int remove_one(const char *path, const struct stat *st, int kind, struct FTW *at) {
    (void)st;
    (void)at;
    int ignored = kind == FTW_DP ? rmdir(path) : unlink(path);
    (void)ignored;
    return 0;
}

void files_remove_tree(sv path) {
    struct arena scratch = {0};
    nftw(arena_copy_cstr(&scratch, path), remove_one, REMOVE_DESCRIPTORS, FTW_DEPTH | FTW_PHYS | FTW_MOUNT);
    arena_fini(&scratch);
}
