#include "providers/local/place.h"

#include "base/num.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

enum {
    SHOWN_PATH_MAX = 300, /* of a path in a reason */
    KEY_TEXT = 32,
};

/* --- Reasons --- */

static bool is_passing(int error) {
    return error == ENOSPC || error == EDQUOT || error == EAGAIN || error == ENFILE || error == EMFILE ||
           error == ENOMEM || error == EINTR || error == EBUSY || error == EIO;
}

enum provider_result place_fail(struct provider_call *c, const char *verb, sv path, int error) {
    const char *why = strerrordesc_np(error);
    sv shown = sv_slice(path, 0, SHOWN_PATH_MAX);
    return provider_fail(c, is_passing(error) ? PROVIDER_TRANSIENT : PROVIDER_TERMINAL, "cannot %s '%.*s%s': %s", verb,
                         SV_ARG(shown), shown.len < path.len ? "…" : "", why == NULL ? "unknown error" : why);
}

enum provider_result place_check_time(struct provider_call *c) {
    if (provider_is_cancelled(c)) {
        return provider_fail(c, PROVIDER_TRANSIENT, "the operation was cancelled");
    }
    if (provider_get_time_left(c) == 0) {
        return provider_fail(c, PROVIDER_TRANSIENT, "the time limit of the operation is over");
    }
    return PROVIDER_OK;
}

void place_log(struct provider_call *c, sv line) {
    if (c->log != NULL) {
        c->log(c->user, line);
    }
}

/* --- Paths --- */

static const char *find_path_mistake(sv path) {
    if (path.len == 0) {
        return "the path is empty";
    }
    if (sv_find_char(path, 0) != SIZE_MAX) {
        return "the path has a NUL in it";
    }
    if (path.data[path.len - 1] == '/' || sv_eq(path, SV(".")) || sv_eq(path, SV("..")) ||
        sv_has_suffix(path, SV("/.")) || sv_has_suffix(path, SV("/.."))) {
        return "the path does not end in a name";
    }
    return NULL;
}

void place_validate(value spec, struct diags *diags, span at, sv prefix) {
    value path = spec.kind == VALUE_MAP ? value_map_find(spec, SV("path")) : (value){0};
    if (path.kind != VALUE_STRING) {
        return;
    }
    const char *mistake = find_path_mistake(value_get_text(path));
    if (mistake != NULL) {
        provider_add_mistake(diags, SV("local_path_invalid"), at, prefix, SV("path"), "%s", mistake);
    }
}

static int open_directory(int from, const char *name) {
    return openat(from, name, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
}

/* Opens `name` below `from`, made when missing; closes `from`. -1 with errno. */
static int enter_directory(int from, const char *name, bool make) {
    int next = open_directory(from, name);
    if (next < 0 && errno == ENOENT && make && (mkdirat(from, name, 0755) == 0 || errno == EEXIST)) {
        next = open_directory(from, name);
    }
    int error = errno;
    close(from);
    errno = error;
    return next;
}

/* Opens the directory with the absolute path `dir`, part by part so that missing ones can be made. */
static int open_parents(struct provider_call *c, sv dir, bool make) {
    int fd = open_directory(AT_FDCWD, "/");
    while (fd >= 0 && dir.len > 0) {
        sv part = sv_cut(&dir, '/');
        if (part.len > 0) {
            fd = enter_directory(fd, arena_copy_cstr(c->arena, part), make);
        }
    }
    return fd;
}

enum provider_result place_open(struct provider_call *c, bool make_parents, struct place *p) {
    sv path = provider_get_absolute_path(c, provider_get_text(c->spec, SV("path")));
    *p = (struct place){.path = path, .dir = -1};
    const char *mistake = find_path_mistake(path);
    if (mistake == NULL && path.data[0] != '/') {
        mistake = "the path is not absolute";
    }
    if (mistake != NULL) {
        return provider_fail(c, PROVIDER_TERMINAL, "%s", mistake);
    }
    size_t slash = sv_rfind_char(path, '/');
    p->name = arena_copy_cstr(c->arena, sv_slice(path, slash + 1, path.len));
    p->dir = open_parents(c, sv_slice(path, 0, slash), make_parents);
    if (p->dir >= 0) {
        return PROVIDER_OK;
    }
    return errno == ENOENT ? PROVIDER_ABSENT : place_fail(c, "open the directory of", path, errno);
}

void place_close(struct place *p) {
    if (p->dir >= 0) {
        close(p->dir);
    }
    p->dir = -1;
}

/* --- Publishing --- */

const char *place_get_temporary(struct provider_call *c) {
    return arena_printf(c->arena, ".lintel-%.*s.tmp", SV_ARG(provider_key_text(c))).data;
}

/* Where the file system cannot rename without replacing, a look before is the best there is. */
static int rename_carefully(const struct place *p, const char *from) {
    if (renameat2(p->dir, from, p->dir, p->name, RENAME_NOREPLACE) == 0) {
        return 0;
    }
    if (errno != EINVAL && errno != ENOSYS) {
        return -1;
    }
    struct stat st;
    if (fstatat(p->dir, p->name, &st, AT_SYMLINK_NOFOLLOW) == 0) {
        errno = EEXIST;
        return -1;
    }
    return renameat(p->dir, from, p->dir, p->name);
}

int place_publish(struct provider_call *c, const struct place *p, bool replace) {
    const char *from = place_get_temporary(c);
    int result = replace ? renameat(p->dir, from, p->dir, p->name) : rename_carefully(p, from);
    return result != 0 ? -1 : fsync(p->dir);
}

/* --- Marks --- */

static const char key_name[] = "user.lintel.key";
static const char owner_name[] = "user.lintel.owner";

static sv get_owner(struct provider_call *c) {
    return arena_printf(c->arena, "%.*s %.*s", SV_ARG(c->instance_id), SV_ARG(c->address.text));
}

enum mark mark_read(struct provider_call *c, int fd) {
    char text[KEY_TEXT];
    ssize_t len = fgetxattr(fd, key_name, text, sizeof text);
    if (len < 0) {
        return errno == ENOTSUP ? MARK_UNSUPPORTED : errno == ERANGE ? MARK_OTHER : MARK_NONE;
    }
    return sv_eq(sv_make(text, (size_t)len), provider_key_text(c)) ? MARK_OURS : MARK_OTHER;
}

bool mark_write(struct provider_call *c, int fd) {
    sv owner = get_owner(c), key = provider_key_text(c);
    fsetxattr(fd, owner_name, owner.data, owner.len, 0);
    return fsetxattr(fd, key_name, key.data, key.len, 0) == 0;
}

bool mark_is_of_another(struct provider_call *c, int fd) {
    sv owner = get_owner(c);
    char *text = arena_alloc(c->arena, owner.len + 1);
    ssize_t len = fgetxattr(fd, owner_name, text, owner.len);
    if (len < 0) {
        return errno == ERANGE; /* longer than ours, so not ours */
    }
    return !sv_eq(sv_make(text, (size_t)len), owner);
}

/* --- Modes --- */

bool mode_parse(sv text, mode_t *mode) {
    int64_t number;
    if (text.len == 0 || text.data[0] == '-' || text.data[0] == '+' || num_parse_i64(text, 8, &number) != NUM_OK ||
        number > 07777) {
        return false;
    }
    *mode = (mode_t)number;
    return true;
}

sv mode_print(struct provider_call *c, mode_t mode, sv like) {
    mode_t other;
    mode &= 07777;
    if (mode_parse(like, &other) && other == mode) {
        return like;
    }
    return arena_printf(c->arena, "%04o", (unsigned)mode);
}
