/* The state file as a file: where it may be, whose it is, what it is. */
#include "stores/sqlite/internal.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

enum { HEADER = 100, HEADER_APPLICATION_ID = 68 };

/* Locks of these do not work as SQLite needs them (F34). */
bool is_network_file_system(unsigned long type) {
    static const unsigned long types[] = {
        0x00006969, /* NFS */
        0x0000517b, /* SMB */
        0xff534d42, /* CIFS */
        0xfe534d42, /* SMB 2 */
        0x01021997, /* 9P */
        0x5346414f, /* AFS */
        0x6b414653, /* kAFS */
        0x00c36400, /* Ceph */
        0x73757245, /* Coda */
        0x0bd00bd0, /* Lustre */
        0x01161970, /* GFS2 */
        0x7461636f, /* OCFS2 */
        0x19830326, /* BeeGFS */
    };
    for (size_t i = 0; i < sizeof types / sizeof types[0]; i++) {
        if (type == types[i]) {
            return true;
        }
    }
    return false;
}

const char *describe_error(int error) {
    const char *text = strerrordesc_np(error);
    return text == NULL ? "unknown error" : text;
}

static enum store_result fail(struct sqlite_store *s, const char *what, int error) {
    struct diag *d = diags_add(s->store.diags, DIAG_state_not_available, SPAN_NONE, "state file '%.*s' %s: %s",
                               SV_ARG(s->path), what, describe_error(error));
    diag_set_hint(s->store.diags, d,
                  "look at the rights of the file and its directory, and whether the file system is mounted read-only");
    return error == EROFS ? STORE_READ_ONLY : STORE_FAILED;
}

static bool make_directories(char *path) {
    for (char *slash = strchr(path + 1, '/'); slash != NULL; slash = strchr(slash + 1, '/')) {
        *slash = 0;
        bool ok = mkdir(path, 0700) == 0 || errno == EEXIST || access(path, F_OK) == 0;
        *slash = '/';
        if (!ok) {
            return false;
        }
    }
    return true;
}

static sv join(struct arena *a, const char *directory, sv name) {
    struct buf out = BUF(a);
    buf_append_cstr(&out, directory);
    if (strcmp(directory, "/") != 0) {
        buf_append_char(&out, '/');
    }
    buf_append(&out, name);
    return buf_get_sv(&out);
}

sv files_resolve(struct sqlite_store *s, sv path, bool create) {
    s->path = arena_copy_sv(&s->arena, path);
    size_t slash = sv_rfind_char(path, '/');
    sv name = slash == SIZE_MAX ? path : sv_slice(path, slash + 1, path.len);
    if (name.len == 0 || sv_find_char(path, 0) != SIZE_MAX) {
        fail(s, "has no usable name", EINVAL);
        return (sv){0};
    }
    char *text = arena_copy_cstr(&s->arena, path);
    if (create && !make_directories(text)) {
        fail(s, "has no directory and it cannot be made", errno);
        return (sv){0};
    }
    sv directory = slash == SIZE_MAX ? SV(".") : sv_slice(path, 0, slash == 0 ? 1 : slash);
    char *real = realpath(arena_copy_cstr(&s->arena, directory), NULL);
    if (real == NULL) {
        fail(s, "cannot be found", errno);
        return (sv){0};
    }
    struct statfs fs;
    bool is_remote = statfs(real, &fs) == 0 && is_network_file_system((unsigned long)fs.f_type & 0xffffffffUL);
    sv result = join(&s->arena, real, name);
    free(real);
    if (is_remote) {
        report(s, STORE_FAILED, DIAG_state_not_available, "is on a network file system, whose locks are not safe",
               "put it on a local disk (--state), or use a PostgreSQL store");
        return (sv){0};
    }
    return result;
}

static bool is_state_header(const unsigned char *header) {
    const unsigned char *id = header + HEADER_APPLICATION_ID;
    uint32_t application = (uint32_t)id[0] << 24 | (uint32_t)id[1] << 16 | (uint32_t)id[2] << 8 | id[3];
    return memcmp(header, "SQLite format 3", 16) == 0 && application == STATE_APPLICATION_ID;
}

enum store_result files_check_header(struct sqlite_store *s, bool *exists) {
    *exists = false;
    int fd = open(s->path.data, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
    if (fd < 0 && errno == ENOENT) {
        return STORE_OK;
    }
    if (fd < 0) {
        return fail(s, errno == ELOOP ? "is a symbolic link" : "cannot be opened", errno);
    }
    struct stat st;
    unsigned char header[HEADER];
    bool is_file = fstat(fd, &st) == 0 && S_ISREG(st.st_mode);
    ssize_t len = is_file && st.st_size > 0 ? pread(fd, header, sizeof header, 0) : 0;
    int error = errno;
    close(fd);
    if (len < 0) {
        return fail(s, "cannot be read", error);
    }
    *exists = is_file && st.st_size > 0;
    bool is_new = is_file && st.st_size == 0;
    if (is_new || (len == HEADER && is_state_header(header))) {
        return STORE_OK;
    }
    return report(s, STORE_FOREIGN, DIAG_state_foreign, "is no Lintel state",
                  "name another file with --state; if this was a state, it is damaged: restore it from a backup");
}

/* A new file comes into being with its rights, before anything is in it; SQLite gives its log the same. */
enum store_result files_prepare(struct sqlite_store *s) {
    int fd = open(s->path.data, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
    if (fd < 0) {
        return fail(s, "cannot be opened for writing", errno);
    }
    struct stat st;
    if (fstat(fd, &st) == 0 && st.st_uid == geteuid() && (st.st_mode & 077) != 0) {
        fchmod(fd, 0600); /* what others could read so far they may have read; from now on they cannot */
    }
    close(fd);
    return STORE_OK;
}

bool files_get_stamp(sv path, int64_t *size, int64_t *mtime_ns) {
    struct stat st;
    if (stat(path.data, &st) != 0) {
        return false;
    }
    *size = st.st_size;
    *mtime_ns = (int64_t)st.st_mtim.tv_sec * 1000000000 + st.st_mtim.tv_nsec;
    return true;
}
