/* The key file (LC-050).
 *
 *     lintel-key 2
 *     key BASE64
 *     check BASE64
 *
 * `check` is a hash of the key, by which damage is told from another key. Files of the first format have, in its place,
 * a data key wrapped by the key:
 *
 *     lintel-key 1
 *     key BASE64
 *     data BASE64
 *
 * Invariants: (1) the file is complete or not there: it is written aside, synced and linked into place; (2) an existing
 * file is never replaced; (3) of two processes that make it at once, both use the one that came first. */
#include "seal/sealer.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

enum { KEY_FILE_MAX = 4096, CHECK = 16 };

#define WRAP_PURPOSE "lintel data key 1"

static const char *describe(int error) {
    const char *text = strerrordesc_np(error);
    return text == NULL ? "unknown error" : text;
}

static bool fail_elsewhere(const struct sealer_options *o, const char *what) {
    struct diag *d =
        diags_add(o->diags, DIAG_key_not_usable, SPAN_NONE, "the key from '%.*s' %s", SV_ARG(o->key_source), what);
    diag_set_hint(o->diags, d, "it must be all of the text of a key file, as lintel makes one with --key file:PATH");
    return false;
}

static bool fail(const struct sealer_options *o, const char *what, const char *why) {
    if (o->key_source.len > 0) {
        return fail_elsewhere(o, what);
    }
    struct diag *d = diags_add(o->diags, DIAG_key_not_usable, SPAN_NONE, "key file '%.*s' %s%s%s", SV_ARG(o->key_file),
                               what, why == NULL ? "" : ": ", why == NULL ? "" : why);
    diag_set_hint(o->diags, d,
                  "it must be a file of your own with mode 0600, as lintel made it; restore it from a backup");
    return false;
}

/* Reading */

static bool parse_line(struct arena *a, sv *rest, sv name, size_t len, sv *bytes) {
    sv line = sv_cut(rest, '\n');
    if (!sv_has_prefix(line, name) || line.len <= name.len || line.data[name.len] != ' ') {
        return false;
    }
    return crypto_parse_base64(a, sv_slice(line, name.len + 1, line.len), bytes) && bytes->len == len;
}

static void make_check(const void *key, uint8_t check[CHECK]) {
    crypto_digest_blake2b(sv_make(key, CRYPTO_KEY), SV("lintel key check 2"), check, CHECK);
}

/* The first format. */
static bool unwrap(sv key, sv wrapped, struct key_material *k) {
    struct crypto_box box = {(const uint8_t *)key.data, (const uint8_t *)wrapped.data, SV(WRAP_PURPOSE)};
    k->has_data = crypto_open(&box, sv_slice(wrapped, CRYPTO_NONCE, wrapped.len), k->data);
    return k->has_data;
}

static bool parse_keys(const struct sealer_options *o, sv text, struct key_material *k) {
    struct arena scratch = {.secret = true};
    sv rest = text, key = {0}, more = {0};
    sv head = sv_cut(&rest, '\n');
    bool is_first = sv_eq_cstr(head, "lintel-key 1");
    size_t len = is_first ? CRYPTO_NONCE + CRYPTO_KEY + CRYPTO_TAG : CHECK;
    bool ok = (is_first || sv_eq_cstr(head, "lintel-key 2")) &&
              parse_line(&scratch, &rest, SV("key"), CRYPTO_KEY, &key) &&
              parse_line(&scratch, &rest, is_first ? SV("data") : SV("check"), len, &more) && rest.len == 0;
    bool fits = false;
    if (ok) {
        uint8_t check[CHECK];
        memcpy(k->key, key.data, CRYPTO_KEY);
        make_check(key.data, check);
        fits = is_first ? unwrap(key, more, k) : crypto_is_equal(check, more.data, CHECK);
    }
    arena_fini(&scratch);
    if (!fits) {
        const char *why =
            is_first ? "holds a data key that its own key does not open" : "is damaged: its check is wrong";
        return fail(o, ok ? why : "is malformed", NULL);
    }
    return true;
}

static bool read_open_file(const struct sealer_options *o, int fd, struct key_material *k) {
    struct stat st;
    if (fstat(fd, &st) != 0 || !S_ISREG(st.st_mode)) {
        return fail(o, "is no regular file", NULL);
    }
    if ((st.st_mode & 077) != 0) {
        return fail(o, "can be read or written by others", NULL);
    }
    if (st.st_uid != geteuid() && st.st_uid != 0) {
        return fail(o, "belongs to somebody else", NULL);
    }
    char text[KEY_FILE_MAX];
    ssize_t len = read(fd, text, sizeof text);
    bool ok = len < 0 ? fail(o, "cannot be read", describe(errno)) : parse_keys(o, sv_make(text, (size_t)len), k);
    crypto_wipe(text, sizeof text);
    return ok;
}

/* Making */

/* Makes every missing directory above the file, for us alone. */
static bool make_directories(char *path) {
    for (char *slash = strchr(path + 1, '/'); slash != NULL; slash = strchr(slash + 1, '/')) {
        *slash = 0;
        bool ok = mkdir(path, 0700) == 0 || errno == EEXIST;
        *slash = '/';
        if (!ok) {
            return false;
        }
    }
    return true;
}

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

static void sync_directory_of(char *path) {
    char *slash = strrchr(path, '/');
    char kept = slash == NULL ? 0 : slash[1];
    if (slash != NULL) {
        slash[1] = 0;
    }
    int fd = open(slash == NULL ? "." : path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (fd >= 0) {
        fsync(fd);
        close(fd);
    }
    if (slash != NULL) {
        slash[1] = kept;
    }
}

static sv print_new_keys(struct arena *secret) {
    uint8_t *key = arena_alloc(secret, CRYPTO_KEY);
    uint8_t *check = arena_alloc(secret, CHECK);
    crypto_fill_random(key, CRYPTO_KEY);
    make_check(key, check);
    struct buf text = BUF(secret);
    buf_append(&text, SV("lintel-key 2\nkey "));
    buf_append(&text, crypto_print_base64(secret, key, CRYPTO_KEY));
    buf_append(&text, SV("\ncheck "));
    buf_append(&text, crypto_print_base64(secret, check, CHECK));
    buf_append_char(&text, '\n');
    return buf_get_sv(&text);
}

/* errno tells why not. Success as well when somebody else was first. */
static bool write_key_file(char *path, sv text) {
    struct arena scratch = {0};
    char *aside = arena_copy_cstr(&scratch, arena_printf(&scratch, "%s.XXXXXX", path));
    int fd = mkostemp(aside, O_CLOEXEC);
    bool ok = fd >= 0 && write_all(fd, text) && fsync(fd) == 0 && (link(aside, path) == 0 || errno == EEXIST);
    int error = errno;
    if (fd >= 0) {
        close(fd);
        unlink(aside);
    }
    if (ok) {
        sync_directory_of(path);
    }
    arena_fini(&scratch);
    errno = error;
    return ok;
}

static bool make_key_file(const struct sealer_options *o) {
    struct arena secret = {.secret = true};
    char *path = arena_copy_cstr(&secret, o->key_file);
    bool ok = make_directories(path) && write_key_file(path, print_new_keys(&secret));
    int error = errno;
    arena_fini(&secret);
    return ok || fail(o, "cannot be made", describe(error));
}

/* What the store holds is not to be opened by a key made now. */
static bool fail_missing(const struct sealer_options *o) {
    struct diag *d = diags_add(o->diags, DIAG_key_not_usable, SPAN_NONE,
                               "key file '%.*s' is not there, but the secrets of context '%.*s' are sealed",
                               SV_ARG(o->key_file), SV_ARG(o->context));
    diag_set_hint(
        o->diags, d,
        "restore it from a backup, or name the key with --key; --no-seal goes on without the secrets; if it is "
        "lost for good: lintel state rekey --key-is-lost");
    return false;
}

bool key_file_read(const struct sealer_options *o, struct key_material *k, bool *found) {
    *found = false;
    if (o->key_source.len > 0) {
        *found = parse_keys(o, sv_trim(o->key_text), k);
        return *found;
    }
    if (o->key_file.len == 0 || sv_find_char(o->key_file, 0) != SIZE_MAX) {
        return fail(o, "has no usable name", NULL);
    }
    struct arena scratch = {0};
    const char *path = arena_copy_cstr(&scratch, o->key_file);
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
    bool makes = o->create && o->wrapped.len == 0;
    if (fd < 0 && errno == ENOENT && makes && make_key_file(o)) {
        fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
    }
    int error = errno;
    arena_fini(&scratch);
    if (fd < 0 && error == ENOENT && o->create && !makes) {
        return fail_missing(o);
    }
    if (fd < 0) {
        bool is_reported = error == ENOENT && o->create;
        bool is_missing = error == ENOENT && !o->create;
        return is_missing || (!is_reported && fail(o, "cannot be opened", describe(error)));
    }
    *found = read_open_file(o, fd, k);
    close(fd);
    return *found;
}
