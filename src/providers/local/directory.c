/* local/directory. Made under a temporary name with its mark, then renamed into place. */
#include "providers/local/local.h"
#include "providers/local/place.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

enum {
    DEPTH_MAX = 200,  /* directories inside each other that purge goes down; each costs a descriptor */
    RESCANS_MAX = 16, /* times a directory is read again because somebody fills it meanwhile */
};

static enum provider_result find_directory(struct provider_call *c, const struct place *p, int *fd, mode_t *mode) {
    struct stat st;
    *fd = -1;
    if (fstatat(p->dir, p->name, &st, AT_SYMLINK_NOFOLLOW) != 0) {
        return errno == ENOENT ? PROVIDER_ABSENT : place_fail(c, "look at", p->path, errno);
    }
    if (!S_ISDIR(st.st_mode)) {
        return provider_fail(c, PROVIDER_TERMINAL, "'%.*s' is there and is not a directory", SV_ARG(p->path));
    }
    *mode = st.st_mode & 07777;
    *fd = openat(p->dir, p->name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    return *fd >= 0 ? PROVIDER_OK : place_fail(c, "open", p->path, errno);
}

static mode_t get_wanted_mode(const struct provider_call *c) {
    mode_t mode;
    return mode_parse(provider_get_text(c->spec, SV("mode")), &mode) ? mode : 0755;
}

static enum provider_result finish(struct provider_call *c) {
    struct map_builder none = {.arena = c->arena};
    c->computed = map_done(&none);
    return PROVIDER_OK;
}

static enum provider_result open_to_write(struct provider_call *c, struct place *p) {
    enum provider_result result = place_open(c, provider_get_bool(c->spec, SV("createDirectories")), p);
    if (result == PROVIDER_ABSENT) {
        return provider_fail(c, PROVIDER_TERMINAL,
                             "the directory of '%.*s' does not exist; 'createDirectories: true' would make it",
                             SV_ARG(p->path));
    }
    return result == PROVIDER_OK ? place_check_time(c) : result;
}

static enum provider_result set_up(struct provider_call *c, const struct place *p, int fd) {
    mark_write(c, fd);
    if (fchmod(fd, get_wanted_mode(c)) != 0 || fsync(fd) != 0) {
        return place_fail(c, "make", p->path, errno);
    }
    return PROVIDER_OK;
}

static enum provider_result make_directory(struct provider_call *c, const struct place *p) {
    const char *name = place_get_temporary(c);
    if (mkdirat(p->dir, name, 0700) != 0 && errno != EEXIST) {
        return place_fail(c, "make", p->path, errno);
    }
    int fd = openat(p->dir, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (fd < 0) {
        return place_fail(c, "make", p->path, errno);
    }
    enum provider_result result = set_up(c, p, fd);
    close(fd);
    if (result == PROVIDER_OK && place_publish(c, p, false) != 0) {
        result = place_fail(c, "make", p->path, errno);
    }
    if (result != PROVIDER_OK) {
        unlinkat(p->dir, name, AT_REMOVEDIR);
        return result;
    }
    return finish(c);
}

/* --- Operations --- */

/* Each stream has one reader, so this is safe in any thread. */
static struct dirent *read_entry(DIR *dir) {
    /* cppcheck-suppress readdirCalled */
    return readdir(dir);
}

static bool is_empty(int fd) {
    int copy = openat(fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    DIR *dir = copy < 0 ? NULL : fdopendir(copy);
    if (dir == NULL) {
        return false;
    }
    size_t count = 0;
    for (struct dirent *entry = read_entry(dir); entry != NULL && count < 3; entry = read_entry(dir)) {
        count++;
    }
    closedir(dir);
    return count == 2; /* "." and ".." */
}

/* Without marks an empty directory of the right mode may be ours or anybody's; nothing is lost by taking it. */
static bool is_ours(struct provider_call *c, int fd, mode_t mode) {
    enum mark mark = mark_read(c, fd);
    return mark == MARK_OURS || (mark == MARK_UNSUPPORTED && mode == get_wanted_mode(c) && is_empty(fd));
}

static enum provider_result create_over(struct provider_call *c, const struct place *p, int fd, mode_t mode) {
    if (!is_ours(c, fd, mode) && !provider_get_bool(c->spec, SV("adopt"))) {
        return provider_fail(c, PROVIDER_TERMINAL,
                             "'%.*s' exists and was not made by this resource; 'adopt: true' would take it over",
                             SV_ARG(p->path));
    }
    enum provider_result result = set_up(c, p, fd);
    return result == PROVIDER_OK ? finish(c) : result;
}

static enum provider_result directory_create(struct provider_call *c) {
    struct place p;
    int fd = -1;
    mode_t mode = 0;
    enum provider_result result = open_to_write(c, &p);
    if (result == PROVIDER_OK) {
        result = find_directory(c, &p, &fd, &mode);
        if (result == PROVIDER_ABSENT) {
            result = make_directory(c, &p);
        } else if (result == PROVIDER_OK) {
            result = create_over(c, &p, fd, mode);
        }
    }
    if (fd >= 0) {
        close(fd);
    }
    place_close(&p);
    return result;
}

static enum provider_result directory_update(struct provider_call *c) {
    struct place p;
    int fd = -1;
    mode_t mode = 0;
    enum provider_result result = open_to_write(c, &p);
    if (result == PROVIDER_OK) {
        result = find_directory(c, &p, &fd, &mode);
        if (result == PROVIDER_ABSENT) {
            result = make_directory(c, &p);
        } else if (result == PROVIDER_OK) {
            result = set_up(c, &p, fd);
            result = result == PROVIDER_OK ? finish(c) : result;
        }
    }
    if (fd >= 0) {
        close(fd);
    }
    place_close(&p);
    return result;
}

static enum provider_result directory_read(struct provider_call *c) {
    struct place p;
    int fd = -1;
    mode_t mode = 0;
    enum provider_result result = place_open(c, false, &p);
    if (result == PROVIDER_OK) {
        result = find_directory(c, &p, &fd, &mode);
    }
    if (result == PROVIDER_OK) {
        sv text = mode_print(c, mode, provider_get_text(c->spec, SV("mode")));
        c->found_spec = value_map_with(c->arena, c->spec, SV("mode"), value_string(c->arena, text));
        result = finish(c);
    }
    if (fd >= 0) {
        close(fd);
    }
    place_close(&p);
    return result;
}

static enum provider_result directory_claim(struct provider_call *c) {
    struct place p;
    int fd = -1;
    mode_t mode = 0;
    enum provider_result result = place_open(c, false, &p);
    if (result == PROVIDER_OK) {
        result = find_directory(c, &p, &fd, &mode);
    }
    if (result == PROVIDER_OK && mark_read(c, fd) != MARK_UNSUPPORTED && !mark_write(c, fd)) {
        result = place_fail(c, "mark", p.path, errno);
    }
    if (fd >= 0) {
        close(fd);
    }
    place_close(&p);
    return result;
}

static enum provider_result directory_recover(struct provider_call *c) {
    struct place p;
    int fd = -1;
    mode_t mode = 0;
    enum provider_result result = place_open(c, false, &p);
    if (result == PROVIDER_OK) {
        if (!c->only_look) {
            unlinkat(p.dir, place_get_temporary(c), AT_REMOVEDIR);
        }
        result = find_directory(c, &p, &fd, &mode);
    }
    if (result == PROVIDER_OK) {
        bool is_made = is_ours(c, fd, mode);
        bool is_done = is_made && mode == get_wanted_mode(c);
        bool cannot_tell = !is_made && mark_read(c, fd) == MARK_UNSUPPORTED;
        result = is_done ? finish(c) : cannot_tell ? PROVIDER_CANNOT_TELL : PROVIDER_ABSENT;
    }
    if (fd >= 0) {
        close(fd);
    }
    place_close(&p);
    return result;
}

/* --- Removing --- */

struct level {
    DIR *dir;
    int parent;       /* descriptor of the directory above; borrowed */
    const char *name; /* in the directory above */
    int rescans;
};

struct purge {
    struct provider_call *call;
    sv path;
    dev_t device; /* nothing mounted below is entered */
    struct level levels[DEPTH_MAX];
    size_t depth;
};

static enum provider_result purge_enter(struct purge *purge, int parent, const char *name) {
    struct provider_call *c = purge->call;
    if (purge->depth == DEPTH_MAX) {
        return provider_fail(c, PROVIDER_TERMINAL, "'%.*s' is more than %d directories deep", SV_ARG(purge->path),
                             DEPTH_MAX);
    }
    int fd = openat(parent, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    struct stat st;
    DIR *dir = fd < 0 || fstat(fd, &st) != 0 ? NULL : fdopendir(fd);
    if (dir == NULL) {
        int error = errno;
        if (fd >= 0) {
            close(fd);
        }
        return place_fail(c, "empty", purge->path, error);
    }
    if (st.st_dev != purge->device) {
        closedir(dir);
        return provider_fail(c, PROVIDER_TERMINAL, "a file system is mounted in '%.*s'", SV_ARG(purge->path));
    }
    const char *copy = arena_copy_cstr(c->arena, sv_from_cstr(name));
    purge->levels[purge->depth++] = (struct level){.dir = dir, .parent = parent, .name = copy};
    return PROVIDER_OK;
}

static enum provider_result purge_entry(struct purge *purge, int parent, const char *name) {
    if (strcmp(name, ".") == 0 || strcmp(name, "..") == 0) {
        return PROVIDER_OK;
    }
    struct stat st;
    if (fstatat(parent, name, &st, AT_SYMLINK_NOFOLLOW) == 0 && S_ISDIR(st.st_mode)) {
        return purge_enter(purge, parent, name);
    }
    if (unlinkat(parent, name, 0) != 0 && errno != ENOENT) {
        return place_fail(purge->call, "empty", purge->path, errno);
    }
    return PROVIDER_OK;
}

/* The directory on top has been read to its end. */
static enum provider_result purge_leave(struct purge *purge) {
    struct level *level = &purge->levels[purge->depth - 1];
    if (unlinkat(level->parent, level->name, AT_REMOVEDIR) != 0 && errno != ENOENT) {
        if (errno != ENOTEMPTY || ++level->rescans > RESCANS_MAX) {
            return place_fail(purge->call, "remove", purge->path, errno);
        }
        rewinddir(level->dir);
        return PROVIDER_OK;
    }
    closedir(level->dir);
    purge->depth--;
    return PROVIDER_OK;
}

static enum provider_result remove_tree(struct provider_call *c, const struct place *p, int fd) {
    struct stat st;
    if (fstat(fd, &st) != 0) {
        return place_fail(c, "remove", p->path, errno);
    }
    struct purge *purge = ARENA_NEW(c->arena, struct purge);
    *purge = (struct purge){.call = c, .path = p->path, .device = st.st_dev};
    enum provider_result result = purge_enter(purge, p->dir, p->name);
    while (result == PROVIDER_OK && purge->depth > 0) {
        struct level *level = &purge->levels[purge->depth - 1];
        struct dirent *entry = read_entry(level->dir);
        result = entry == NULL ? purge_leave(purge) : purge_entry(purge, dirfd(level->dir), entry->d_name);
        if (result == PROVIDER_OK) {
            result = place_check_time(c);
        }
    }
    while (purge->depth > 0) {
        closedir(purge->levels[--purge->depth].dir);
    }
    return result;
}

static enum provider_result remove_directory(struct provider_call *c, const struct place *p, int fd) {
    if (mark_is_of_another(c, fd)) {
        place_log(c, SV("the directory belongs to another resource by now and is left alone"));
        return PROVIDER_ABSENT;
    }
    if (provider_get_bool(c->spec, SV("purge"))) {
        enum provider_result result = remove_tree(c, p, fd);
        if (result != PROVIDER_OK) {
            return result;
        }
    } else if (unlinkat(p->dir, p->name, AT_REMOVEDIR) != 0) {
        if (errno == ENOTEMPTY || errno == EEXIST) {
            return provider_fail(c, PROVIDER_TERMINAL, "'%.*s' is not empty; 'purge: true' would remove what is in it",
                                 SV_ARG(p->path));
        }
        return errno == ENOENT ? PROVIDER_ABSENT : place_fail(c, "remove", p->path, errno);
    }
    return fsync(p->dir) == 0 ? PROVIDER_OK : place_fail(c, "remove", p->path, errno);
}

static enum provider_result directory_destroy(struct provider_call *c) {
    struct place p;
    int fd = -1;
    mode_t mode = 0;
    enum provider_result result = place_open(c, false, &p);
    if (result == PROVIDER_OK) {
        result = find_directory(c, &p, &fd, &mode);
    }
    if (result == PROVIDER_OK) {
        result = remove_directory(c, &p, fd);
    }
    if (fd >= 0) {
        close(fd);
    }
    place_close(&p);
    return result;
}

static void directory_validate(struct arena *a, value spec, struct diags *diags, span at, sv prefix) {
    (void)a;
    place_validate(spec, diags, at, prefix);
}

/* --- Schema --- */

static const struct schema path_schema = {
    .type = SCHEMA_STRING,
    .flags = SCHEMA_REQUIRED | SCHEMA_MUST_RECREATE | SCHEMA_IDENTITY | SCHEMA_PATH | SCHEMA_HAS_MIN_LENGTH,
    .min_length = 1,
    .text = SV_INIT("Where the directory stands; relative to the directory of the blueprint"),
};
static const struct schema mode_schema = {
    .type = SCHEMA_STRING,
    .pattern = "^[0-7]{3,4}$",
    .default_json = "\"0755\"",
    .text = SV_INIT("Permissions in octal, in quotes"),
};
static const struct schema create_directories_schema = {
    .type = SCHEMA_BOOLEAN,
    .default_json = "false",
    .text = SV_INIT("Whether missing directories on the way are made; they are not removed with this one"),
};
static const struct schema adopt_schema = {
    .type = SCHEMA_BOOLEAN,
    .default_json = "false",
    .text = SV_INIT("Whether a directory that is there already is taken over"),
};
static const struct schema purge_schema = {
    .type = SCHEMA_BOOLEAN,
    .default_json = "false",
    .text = SV_INIT("Whether destroying removes what is in it; else only an empty directory is removed"),
};
static const struct schema_attribute attributes[] = {
    {SV_INIT("path"), &path_schema},
    {SV_INIT("mode"), &mode_schema},
    {SV_INIT("createDirectories"), &create_directories_schema},
    {SV_INIT("adopt"), &adopt_schema},
    {SV_INIT("purge"), &purge_schema},
};
static const struct schema schema = {
    .type = SCHEMA_OBJECT,
    .attributes = attributes,
    .attribute_count = sizeof attributes / sizeof attributes[0],
};

const struct resource_type local_directory_type = {
    .name = SV_INIT("local/directory"),
    .summary = SV_INIT("A directory"),
    .details = SV_INIT("Made with its permissions; removed only when empty unless `purge` is set. Purging never "
                       "follows symbolic links and "
                       "never enters another file system."),
    .example = SV_INIT("run:\n"
                       "  type: local/directory\n"
                       "  spec:\n"
                       "    path: run\n"
                       "    mode: \"0750\"\n"),
    .id_field = SV_INIT("path"),
    .import_id = SV_INIT("the path of the directory"),
    .end_point = true,
    .promise = PROMISE_EXACT,
    .schema = &schema,
    .version = 1,
    .deadline_ms = 60000,
    .validate = directory_validate,
    .create = directory_create,
    .read = directory_read,
    .update = directory_update,
    .destroy = directory_destroy,
    .recover = directory_recover,
    .claim = directory_claim,
};
