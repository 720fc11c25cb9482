#include "text/source.h"

#include "base/utf8.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

void sources_init(struct sources *s, struct arena *a) {
    *s = (struct sources){.arena = a};
}

struct source *sources_add(struct sources *s, sv name, sv bytes) {
    assert(bytes.len <= UINT32_MAX && s->items.len < UINT32_MAX);
    struct source *source = ARENA_NEW(s->arena, struct source);
    source->arena = s->arena;
    source->name = arena_copy_sv(s->arena, name);
    source->bytes = bytes;
    VEC_PUSH(s->arena, &s->items, source);
    source->id = (uint32_t)s->items.len;
    return source;
}

struct source *sources_find(const struct sources *s, uint32_t id) {
    return id == 0 || id > s->items.len ? NULL : s->items.items[id - 1];
}

void sources_hide(const struct sources *s, span at) {
    struct source *source = sources_find(s, at.source);
    if (source != NULL && at.length > 0) {
        VEC_PUSH(source->arena, &source->secrets, at);
    }
}

static enum source_read classify_errno(int code) {
    switch (code) {
    case ENOENT:
    case ENOTDIR:
        return SOURCE_READ_MISSING;
    case EACCES:
    case EPERM:
        return SOURCE_READ_DENIED;
    case EISDIR:
        return SOURCE_READ_DIRECTORY;
    default:
        return SOURCE_READ_FAILED;
    }
}

static ssize_t read_some(int fd, char *to, size_t room) {
    ssize_t count;
    do {
        count = read(fd, to, room);
    } while (count < 0 && errno == EINTR);
    return count;
}

/* Reads to the end, at most `limit` bytes; the text lives in `a`. Leaves errno. */
static enum source_read read_all(struct arena *a, int fd, size_t limit, sv *result) {
    struct stat about;
    if (fstat(fd, &about) != 0) {
        return SOURCE_READ_FAILED;
    }
    if (S_ISDIR(about.st_mode)) {
        errno = EISDIR;
        return SOURCE_READ_DIRECTORY;
    }
    size_t cap = 4096;
    if (S_ISREG(about.st_mode) && about.st_size > 0) {
        if ((uintmax_t)about.st_size > limit) {
            return SOURCE_READ_TOO_LARGE;
        }
        cap = (size_t)about.st_size + 2; /* the NUL, and one byte to see the end */
    }
    char *data = arena_alloc(a, cap);
    size_t len = 0;
    for (;;) {
        ssize_t count = read_some(fd, data + len, cap - 1 - len);
        if (count < 0) {
            return classify_errno(errno);
        }
        len += (size_t)count;
        if (len > limit) {
            return SOURCE_READ_TOO_LARGE;
        }
        if (count == 0) {
            data[len] = '\0';
            *result = sv_make(data, len);
            return SOURCE_READ_OK;
        }
        if (len == cap - 1) {
            data = arena_grow_array(a, data, cap, cap * 2, 1);
            cap *= 2;
        }
    }
}

static sv resolve_path(struct arena *a, const char *path) {
    char *resolved = realpath(path, NULL);
    sv copy = arena_copy_sv(a, sv_from_cstr(resolved));
    free(resolved);
    return copy;
}

enum source_read sources_read_file(struct sources *s, sv path, size_t limit, struct source **result,
                                   int *system_error) {
    bool is_stdin = sv_eq(path, SV("-"));
    const char *file = arena_copy_cstr(s->arena, path);
    enum source_read outcome;
    sv bytes = {0};
    errno = 0;
    int fd = is_stdin ? STDIN_FILENO : -1;
    if (!is_stdin && sv_find_char(path, '\0') == SIZE_MAX) {
        fd = open(file, O_RDONLY | O_CLOEXEC | O_NOCTTY);
    } else if (!is_stdin) {
        errno = ENOENT; /* no file has a NUL in its name */
    }
    if (fd < 0) {
        outcome = classify_errno(errno);
    } else {
        outcome = read_all(s->arena, fd, limit < UINT32_MAX ? limit : UINT32_MAX, &bytes);
    }
    int code = errno;
    if (fd >= 0 && !is_stdin) {
        (void)close(fd);
    }
    if (outcome == SOURCE_READ_OK) {
        *result = sources_add(s, is_stdin ? SV("<stdin>") : path, bytes);
        (*result)->path = is_stdin ? (sv){0} : resolve_path(s->arena, file);
    } else if (system_error != NULL) {
        *system_error = code;
    }
    return outcome;
}

static bool is_line_end(char c) {
    return c == '\n' || c == '\r';
}

/* Offset behind the next line end at or after `at`, or SIZE_MAX. */
static size_t find_next_line(sv text, size_t at) {
    while (at < text.len && !is_line_end(text.data[at])) {
        at++;
    }
    if (at == text.len) {
        return SIZE_MAX;
    }
    bool is_crlf = text.data[at] == '\r' && at + 1 < text.len && text.data[at + 1] == '\n';
    return at + (is_crlf ? 2 : 1);
}

static void source_build_lines(struct source *s) {
    if (s->line_count > 0) {
        return;
    }
    VEC(uint32_t) starts = {0};
    size_t at = sv_has_prefix(s->bytes, SV("\xEF\xBB\xBF")) ? 3 : 0;
    for (; at != SIZE_MAX; at = find_next_line(s->bytes, at)) {
        VEC_PUSH(s->arena, &starts, (uint32_t)at);
    }
    s->line_starts = starts.items;
    s->line_count = starts.len;
}

/* Index of the line that holds the offset. */
static size_t source_find_line(struct source *s, size_t offset) {
    source_build_lines(s);
    size_t low = 0;
    size_t high = s->line_count;
    while (high - low > 1) {
        size_t middle = low + (high - low) / 2;
        if (s->line_starts[middle] <= offset) {
            low = middle;
        } else {
            high = middle;
        }
    }
    return low;
}

struct text_pos source_get_pos(struct source *s, uint32_t offset) {
    size_t at = offset < s->bytes.len ? offset : s->bytes.len;
    size_t line = source_find_line(s, at);
    return (struct text_pos){line + 1, utf8_count(sv_slice(s->bytes, s->line_starts[line], at)) + 1};
}

uint32_t source_get_line_start(struct source *s, size_t line) {
    source_build_lines(s);
    assert(line >= 1);
    return line <= s->line_count ? s->line_starts[line - 1] : (uint32_t)s->bytes.len;
}

sv source_get_line(struct source *s, size_t line) {
    size_t from = source_get_line_start(s, line);
    size_t to = line < s->line_count ? s->line_starts[line] : s->bytes.len;
    if (line < s->line_count) {
        to--;
        to -= to > from && s->bytes.data[to] == '\n' && s->bytes.data[to - 1] == '\r';
    }
    return sv_slice(s->bytes, from, to);
}

span span_make(const struct source *s, size_t offset, size_t length) {
    assert(offset <= s->bytes.len && length <= s->bytes.len - offset);
    return (span){s->id, (uint32_t)offset, (uint32_t)length};
}

span span_join(span a, span b) {
    if (a.source != b.source || b.offset < a.offset) {
        return a;
    }
    uint32_t length = b.offset - a.offset + b.length;
    return (span){a.source, a.offset, length > a.length ? length : a.length};
}

bool span_is_none(span s) {
    return s.source == 0;
}

sv span_get_text(const struct sources *s, span at) {
    const struct source *source = sources_find(s, at.source);
    return source == NULL ? (sv){0} : sv_slice(source->bytes, at.offset, (size_t)at.offset + at.length);
}
