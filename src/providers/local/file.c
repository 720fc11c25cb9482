/* local/file. A file is always written whole, under its final mode, to a known name: doing it twice does no harm, and
 * the mark tells who did it. */
#include "base/utf8.h"
#include "providers/local/local.h"
#include "providers/local/place.h"
#include "seal/seal.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

enum {
    READ_MAX = 64 << 20, /* bytes of a file that are looked at */
    CHUNK = 256 << 10,   /* bytes written between looks at the clock */
};

/* What stands at the place. */
struct found_file {
    int fd; /* -1: nothing there */
    mode_t mode;
    int64_t size;
    sv contents; /* when looked at */
    enum mark mark;
};

static void found_close(struct found_file *f) {
    if (f->fd >= 0) {
        close(f->fd);
    }
    f->fd = -1;
}

/* Opens what is there; ABSENT when nothing is, TERMINAL when it is no regular file. */
static enum provider_result find_file(struct provider_call *c, const struct place *p, struct found_file *f) {
    *f = (struct found_file){.fd = -1};
    struct stat st;
    if (fstatat(p->dir, p->name, &st, AT_SYMLINK_NOFOLLOW) != 0) {
        return errno == ENOENT ? PROVIDER_ABSENT : place_fail(c, "look at", p->path, errno);
    }
    if (!S_ISREG(st.st_mode)) {
        return provider_fail(c, PROVIDER_TERMINAL, "'%.*s' is there and is not a regular file", SV_ARG(p->path));
    }
    f->fd = openat(p->dir, p->name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    if (f->fd < 0) {
        return errno == ENOENT ? PROVIDER_ABSENT : place_fail(c, "open", p->path, errno);
    }
    f->mode = st.st_mode & 07777;
    f->size = st.st_size;
    f->mark = mark_read(c, f->fd);
    return PROVIDER_OK;
}

static enum provider_result read_contents(struct provider_call *c, const struct place *p, struct found_file *f) {
    if (f->size > READ_MAX) {
        return PROVIDER_OK; /* told by its size */
    }
    char *data = arena_alloc(c->arena, (size_t)f->size + 1);
    size_t len = 0;
    while (len < (size_t)f->size) {
        ssize_t got = read(f->fd, data + len, (size_t)f->size - len);
        if (got < 0 && errno == EINTR) {
            continue;
        }
        if (got < 0) {
            return place_fail(c, "read", p->path, errno);
        }
        if (got == 0) {
            break;
        }
        len += (size_t)got;
    }
    f->contents = sv_make(data, len);
    return PROVIDER_OK;
}

/* find_file and its contents. */
static enum provider_result load_file(struct provider_call *c, const struct place *p, struct found_file *f) {
    enum provider_result result = find_file(c, p, f);
    return result == PROVIDER_OK ? read_contents(c, p, f) : result;
}

/* --- What is wanted, and what is told --- */

static sv get_wanted_contents(const struct provider_call *c) {
    return provider_get_text(c->spec, SV("contents"));
}

static bool is_secret(const struct provider_call *c) {
    value contents = c->spec.kind == VALUE_MAP ? value_map_find(c->spec, SV("contents")) : (value){0};
    return value_is_set(contents) && value_is_sensitive(contents);
}

static mode_t get_wanted_mode(const struct provider_call *c) {
    mode_t mode;
    return mode_parse(provider_get_text(c->spec, SV("mode")), &mode) ? mode : 0644;
}

static bool is_as_wanted(const struct provider_call *c, const struct found_file *f) {
    sv wanted = get_wanted_contents(c);
    return f->mode == get_wanted_mode(c) && (uint64_t)f->size == wanted.len && sv_eq(f->contents, wanted);
}

/* Digest and length of a secret would let short ones be guessed, so they are secret too. */
static value compute_fields(struct provider_call *c, sv contents, int64_t size) {
    struct map_builder computed = {.arena = c->arena};
    uint8_t marks = is_secret(c) ? MARK_SENSITIVE : 0;
    map_add(&computed, SV("sha256"), value_mark(value_string(c->arena, seal_sha256(c->arena, contents)), marks));
    map_add(&computed, SV("size"), value_mark(value_int(size), marks));
    return map_done(&computed);
}

static enum provider_result finish(struct provider_call *c) {
    sv contents = get_wanted_contents(c);
    c->computed = compute_fields(c, contents, (int64_t)contents.len);
    return PROVIDER_OK;
}

/* The contents for comparison with the spec: as text, or as a note that equals no wanted text where they are none. */
static value describe_contents(struct provider_call *c, const struct found_file *f) {
    bool is_text = f->size <= READ_MAX && utf8_check(f->contents) == f->contents.len;
    sv text = is_text ? f->contents : arena_printf(c->arena, "(%lld bytes that are no text)", (long long)f->size);
    value v = value_string(c->arena, text);
    return is_secret(c) ? value_mark(v, MARK_SENSITIVE) : v;
}

static value describe_spec(struct provider_call *c, const struct found_file *f) {
    value spec = c->spec;
    sv mode = mode_print(c, f->mode, provider_get_text(spec, SV("mode")));
    if (!is_as_wanted(c, f)) {
        spec = value_map_with(c->arena, spec, SV("contents"), describe_contents(c, f));
    }
    return value_map_with(c->arena, spec, SV("mode"), value_string(c->arena, mode));
}

/* --- Writing --- */

static enum provider_result write_all(struct provider_call *c, int fd, sv path, sv contents) {
    size_t done = 0;
    while (done < contents.len) {
        enum provider_result result = place_check_time(c);
        if (result != PROVIDER_OK) {
            return result;
        }
        size_t part = contents.len - done < CHUNK ? contents.len - done : CHUNK;
        ssize_t wrote = write(fd, contents.data + done, part);
        if (wrote < 0 && errno != EINTR) {
            return place_fail(c, "write", path, errno);
        }
        done += wrote < 0 ? 0 : (size_t)wrote;
    }
    return PROVIDER_OK;
}

/* The temporary file of an attempt that died is in the way; it is ours by its name. */
static int open_temporary(struct provider_call *c, const struct place *p) {
    int flags = O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC;
    const char *name = place_get_temporary(c);
    int fd = openat(p->dir, name, flags, 0600);
    if (fd < 0 && errno == EEXIST && unlinkat(p->dir, name, 0) == 0) {
        fd = openat(p->dir, name, flags, 0600);
    }
    return fd;
}

/* The mark goes on while the file still has its first mode: user attributes need write permission. */
static enum provider_result fill_temporary(struct provider_call *c, const struct place *p, int fd) {
    enum provider_result result = write_all(c, fd, p->path, get_wanted_contents(c));
    if (result != PROVIDER_OK) {
        return result;
    }
    mark_write(c, fd);
    if (fchmod(fd, get_wanted_mode(c)) != 0 || fsync(fd) != 0) {
        return place_fail(c, "write", p->path, errno);
    }
    return PROVIDER_OK;
}

static enum provider_result write_file(struct provider_call *c, const struct place *p, bool replace) {
    int fd = open_temporary(c, p);
    if (fd < 0) {
        return place_fail(c, "make a file beside", p->path, errno);
    }
    enum provider_result result = fill_temporary(c, p, fd);
    if (close(fd) != 0 && result == PROVIDER_OK) {
        result = place_fail(c, "write", p->path, errno);
    }
    if (result == PROVIDER_OK && place_publish(c, p, replace) != 0) {
        result = place_fail(c, "write", p->path, errno);
    }
    if (result != PROVIDER_OK) {
        unlinkat(p->dir, place_get_temporary(c), 0);
        return result;
    }
    return finish(c);
}

/* --- Operations --- */

static enum provider_result open_to_write(struct provider_call *c, struct place *p) {
    *p = (struct place){.dir = -1};
    enum provider_result result = place_check_time(c);
    if (result != PROVIDER_OK) {
        return result;
    }
    result = place_open(c, provider_get_bool(c->spec, SV("createDirectories")), p);
    if (result == PROVIDER_ABSENT) {
        return provider_fail(c, PROVIDER_TERMINAL,
                             "the directory of '%.*s' does not exist; 'createDirectories: true' would make it",
                             SV_ARG(p->path));
    }
    return result;
}

/* Something is there already: our own earlier attempt, something to adopt, or somebody else's. */
static enum provider_result create_over(struct provider_call *c, const struct place *p, struct found_file *f) {
    bool is_ours = f->mark == MARK_OURS || (f->mark == MARK_UNSUPPORTED && is_as_wanted(c, f));
    if (is_ours && is_as_wanted(c, f)) {
        return finish(c);
    }
    if (is_ours || provider_get_bool(c->spec, SV("adopt"))) {
        return write_file(c, p, true);
    }
    return provider_fail(c, PROVIDER_TERMINAL,
                         "'%.*s' exists and was not made by this resource; 'adopt: true' would take it over",
                         SV_ARG(p->path));
}

static enum provider_result file_create(struct provider_call *c) {
    struct place p;
    struct found_file f = {.fd = -1};
    enum provider_result result = open_to_write(c, &p);
    if (result == PROVIDER_OK) {
        result = load_file(c, &p, &f);
        if (result == PROVIDER_ABSENT) {
            result = write_file(c, &p, false);
        } else if (result == PROVIDER_OK) {
            result = create_over(c, &p, &f);
        }
    }
    found_close(&f);
    place_close(&p);
    return result;
}

static enum provider_result file_update(struct provider_call *c) {
    struct place p;
    struct found_file f = {.fd = -1};
    enum provider_result result = open_to_write(c, &p);
    if (result == PROVIDER_OK) {
        result = load_file(c, &p, &f);
        if (result == PROVIDER_OK && is_as_wanted(c, &f)) {
            mark_write(c, f.fd);
            result = finish(c);
        } else if (result == PROVIDER_OK || result == PROVIDER_ABSENT) {
            result = write_file(c, &p, true);
        }
    }
    found_close(&f);
    place_close(&p);
    return result;
}

static enum provider_result file_read(struct provider_call *c) {
    struct place p;
    struct found_file f = {.fd = -1};
    enum provider_result result = place_open(c, false, &p);
    if (result == PROVIDER_OK) {
        result = load_file(c, &p, &f);
    }
    if (result == PROVIDER_OK) {
        c->computed = compute_fields(c, f.contents, f.size);
        c->found_spec = describe_spec(c, &f);
    }
    found_close(&f);
    place_close(&p);
    return result;
}

static enum provider_result remove_file(struct provider_call *c, const struct place *p, struct found_file *f) {
    if (f->fd >= 0 && mark_is_of_another(c, f->fd)) {
        place_log(c, SV("the file belongs to another resource by now and is left alone"));
        return PROVIDER_ABSENT;
    }
    if (unlinkat(p->dir, p->name, 0) != 0) {
        return errno == ENOENT ? PROVIDER_ABSENT : place_fail(c, "remove", p->path, errno);
    }
    return fsync(p->dir) == 0 ? PROVIDER_OK : place_fail(c, "remove", p->path, errno);
}

static enum provider_result file_destroy(struct provider_call *c) {
    struct place p;
    struct found_file f = {.fd = -1};
    enum provider_result result = place_open(c, false, &p);
    if (result == PROVIDER_OK) {
        result = find_file(c, &p, &f);
    }
    if (result == PROVIDER_OK) {
        result = remove_file(c, &p, &f);
    }
    found_close(&f);
    place_close(&p);
    return result;
}

/* The operation is done when the file is as wanted: an update of an earlier run may have had the same key. Without
 * marks the content alone tells. */
static enum provider_result file_recover(struct provider_call *c) {
    struct place p;
    struct found_file f = {.fd = -1};
    enum provider_result result = place_open(c, false, &p);
    if (result == PROVIDER_OK) {
        if (!c->only_look) {
            unlinkat(p.dir, place_get_temporary(c), 0);
        }
        result = load_file(c, &p, &f);
    }
    if (result == PROVIDER_OK) {
        bool is_done = (f.mark == MARK_OURS || f.mark == MARK_UNSUPPORTED) && is_as_wanted(c, &f);
        result = is_done ? finish(c) : PROVIDER_ABSENT;
    }
    found_close(&f);
    place_close(&p);
    return result;
}

static enum provider_result file_claim(struct provider_call *c) {
    struct place p;
    struct found_file f = {.fd = -1};
    enum provider_result result = place_open(c, false, &p);
    if (result == PROVIDER_OK) {
        result = find_file(c, &p, &f);
    }
    if (result == PROVIDER_OK && f.mark != MARK_UNSUPPORTED && !mark_write(c, f.fd)) {
        result = place_fail(c, "mark", p.path, errno);
    }
    found_close(&f);
    place_close(&p);
    return result;
}

static void file_validate(struct arena *a, value spec, struct diags *diags, span at, sv prefix) {
    (void)a;
    place_validate(spec, diags, at, prefix);
}

/* --- Schema --- */

static const struct schema path_schema = {
    .type = SCHEMA_STRING,
    .flags = SCHEMA_REQUIRED | SCHEMA_MUST_RECREATE | SCHEMA_IDENTITY | SCHEMA_PATH | SCHEMA_HAS_MIN_LENGTH,
    .min_length = 1,
    .text = SV_INIT("Where the file stands; relative to the directory of the blueprint"),
};
static const struct schema contents_schema = {
    .type = SCHEMA_STRING,
    .default_json = "\"\"",
    .text = SV_INIT("What is in the file, byte for byte in UTF-8"),
};
static const struct schema mode_schema = {
    .type = SCHEMA_STRING,
    .pattern = "^[0-7]{3,4}$",
    .default_json = "\"0644\"",
    .text = SV_INIT("Permissions in octal, in quotes"),
};
static const struct schema create_directories_schema = {
    .type = SCHEMA_BOOLEAN,
    .default_json = "false",
    .text = SV_INIT("Whether missing directories on the way are made; they are not removed with the file"),
};
static const struct schema adopt_schema = {
    .type = SCHEMA_BOOLEAN,
    .default_json = "false",
    .text = SV_INIT("Whether a file that is there already is overwritten and then belongs to this resource"),
};
static const struct schema sha256_schema = {
    .type = SCHEMA_STRING,
    .flags = SCHEMA_COMPUTED,
    .text = SV_INIT("SHA-256 of the contents in hexadecimal; sensitive when the contents are"),
};
static const struct schema size_schema = {
    .type = SCHEMA_INTEGER,
    .flags = SCHEMA_COMPUTED,
    .text = SV_INIT("Number of bytes; sensitive when the contents are"),
};
static const struct schema_attribute attributes[] = {
    {SV_INIT("path"), &path_schema},   {SV_INIT("contents"), &contents_schema},
    {SV_INIT("mode"), &mode_schema},   {SV_INIT("createDirectories"), &create_directories_schema},
    {SV_INIT("adopt"), &adopt_schema}, {SV_INIT("sha256"), &sha256_schema},
    {SV_INIT("size"), &size_schema},
};
static const struct schema schema = {
    .type = SCHEMA_OBJECT,
    .attributes = attributes,
    .attribute_count = sizeof attributes / sizeof attributes[0],
};

static bool is_change_of(const struct field_change *change, sv name) {
    return change->path.len == 2 && sv_eq(change->path.steps[1].key, name);
}

/* Digest and size follow the contents alone. */
static void file_plan(struct arena *a, value before, value after, struct field_diff *diff) {
    (void)after;
    for (size_t i = 0; i < diff->changes.len; i++) {
        if (!is_change_of(&diff->changes.items[i], SV("contents"))) {
            continue;
        }
        bool is_sensitive = diff->changes.items[i].sensitive;
        provider_add_unknown(a, diff, before, SV("sha256"), is_sensitive);
        provider_add_unknown(a, diff, before, SV("size"), is_sensitive);
        return;
    }
}

const struct resource_type local_file_type = {
    .name = SV_INIT("local/file"),
    .summary = SV_INIT("A file with known contents"),
    .details = SV_INIT("The file is written whole beside its place, made durable and renamed, so that readers see the "
                       "old file or the new one. A file that "
                       "is there already is refused unless `adopt` is set; symbolic links are never followed at the "
                       "last name. Contents or mode that "
                       "differ from the state are drift. Which operation made the file is kept in the extended "
                       "attribute `user.lintel.key` where the "
                       "file system has such attributes."),
    .example = SV_INIT("config:\n"
                       "  type: local/file\n"
                       "  spec:\n"
                       "    path: run/app.conf\n"
                       "    mode: \"0600\"\n"
                       "    createDirectories: true\n"
                       "    contents: |\n"
                       "      listen = ${variables.port}\n"),
    .id_field = SV_INIT("path"),
    .import_id = SV_INIT("the path of the file"),
    .end_point = true,
    .promise = PROMISE_EXACT,
    .schema = &schema,
    .version = 1,
    .deadline_ms = 60000,
    .validate = file_validate,
    .plan = file_plan,
    .create = file_create,
    .read = file_read,
    .update = file_update,
    .destroy = file_destroy,
    .recover = file_recover,
    .claim = file_claim,
};
