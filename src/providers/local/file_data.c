/* Data source local/file: looks, never writes. The first file that passes all filters is the answer, so that is as far
 * as this looks: candidates that fail are left out, contents are read only of those that pass by name, size and so on.
 * What stands in a directory is looked at in the order of names; links are followed only where a path names one. */
#include "base/utf8.h"
#include "doc/reader.h"
#include "providers/local/local.h"
#include "providers/local/place.h"
#include "seal/seal.h"
#include "value/convert.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

enum {
    ENTRIES_MAX = 20000,   /* looked at by one call */
    DEPTH_MAX = 32,        /* directories in directories */
    TEXT_MAX = 1 << 20,    /* bytes of what is offered as text */
    DIGEST_MAX = 64 << 20, /* bytes of what is digested */
    LINES_MAX = 10000,
    CHUNK = 64 << 10,
};

struct search {
    struct data_call *c;
    size_t entries;
    bool is_done;
    sv path_prefix, directory_prefix; /* of walks; empty: any */
};

/* One candidate: an open directory and a name in it, or an absolute path (dir is AT_FDCWD). */
struct candidate {
    sv path, directory, name; /* as they are shown */
    int dir;
    const char *file;
    bool follows; /* links */
    struct stat st;
};

/* --- Contents --- */

static sv get_extension(sv name) {
    size_t dot = sv_rfind_char(name, '.');
    return dot == SIZE_MAX || dot == 0 ? (sv){0} : sv_slice(name, dot + 1, name.len);
}

static void add_lines(struct arena *a, struct map_builder *m, sv text) {
    struct list_builder lines = {.arena = a};
    int64_t count = 0;
    while (text.len > 0) {
        sv line = sv_cut(&text, '\n');
        line = sv_has_suffix(line, SV("\r")) ? sv_slice(line, 0, line.len - 1) : line;
        if (count++ < LINES_MAX) {
            list_add(&lines, value_string(a, line));
        }
    }
    map_add(m, SV("lineCount"), value_int(count));
    if (count <= LINES_MAX) {
        map_add(m, SV("lines"), list_done(&lines));
    }
}

static enum doc_format find_format(sv extension) {
    static const struct {
        sv extension;
        enum doc_format format;
    } formats[] = {
        {SV_INIT("json"), DOC_JSON},
        {SV_INIT("jsonc"), DOC_JSONC},
        {SV_INIT("yaml"), DOC_YAML},
        {SV_INIT("yml"), DOC_YAML},
    };
    for (size_t i = 0; i < sizeof formats / sizeof formats[0]; i++) {
        if (sv_eq(formats[i].extension, extension)) {
            return formats[i].format;
        }
    }
    return 0;
}

/* The mapping in a JSON or YAML file; kind 0 for everything else. */
static value parse_data(struct arena *a, sv extension, sv text) {
    struct sources sources;
    struct diags diags;
    struct doc_options options = doc_options_blueprint;
    options.format = find_format(extension);
    if (options.format == 0) {
        return (value){0};
    }
    sources_init(&sources, a);
    diags_init(&diags, a, &sources);
    struct doc_stream *stream = doc_read(a, sources_add(&sources, SV("data"), text), &options, &diags);
    const struct node *root = stream->documents.items[0].root;
    if (stream->has_errors || root->kind != NODE_MAPPING) {
        return (value){0};
    }
    value v = value_from_node(a, root, scalar_resolve_core, &limits_default, &diags);
    return diags.errors == 0 && (v.within & WITHIN_ERROR) == 0 ? v : (value){0};
}

/* Reads up to `max` bytes; false when there are more or reading failed. */
static bool read_bytes(struct data_call *c, int fd, size_t max, sv *bytes) {
    struct buf out = BUF(c->arena);
    for (;;) {
        char *end = buf_reserve(&out, CHUNK);
        ssize_t got = read(fd, end, CHUNK);
        if (got < 0 && errno == EINTR) {
            continue;
        }
        if (got < 0 || out.len + (size_t)got > max || data_is_over(c)) {
            return false;
        }
        out.len += (size_t)got;
        if (got == 0) {
            *bytes = buf_get_sv(&out);
            return true;
        }
    }
}

static void add_text(struct arena *a, struct map_builder *m, const struct candidate *f, sv bytes) {
    bool is_text = bytes.len <= TEXT_MAX && utf8_check(bytes) == bytes.len && sv_find_char(bytes, 0) == SIZE_MAX;
    map_add(m, SV("isText"), value_bool(is_text));
    if (!is_text) {
        return;
    }
    map_add(m, SV("content"), value_string(a, bytes));
    add_lines(a, m, bytes);
    value data = parse_data(a, get_extension(f->name), bytes);
    if (data.kind == VALUE_MAP) {
        map_add(m, SV("data"), data);
    }
}

static void add_contents(struct data_call *c, struct map_builder *m, const struct candidate *f) {
    if (!S_ISREG(f->st.st_mode) || f->st.st_size > DIGEST_MAX) {
        return;
    }
    int fd = openat(f->dir, f->file, O_RDONLY | O_NONBLOCK | O_CLOEXEC | (f->follows ? 0 : O_NOFOLLOW));
    sv bytes = {0};
    if (fd >= 0 && read_bytes(c, fd, DIGEST_MAX, &bytes)) {
        map_add(m, SV("sha256"), value_string(c->arena, seal_sha256(c->arena, bytes)));
        add_text(c->arena, m, f, bytes);
    }
    if (fd >= 0) {
        close(fd);
    }
}

/* --- What is seen without reading --- */

static sv get_kind(mode_t mode) {
    return S_ISREG(mode) ? SV("file") : S_ISDIR(mode) ? SV("directory") : S_ISLNK(mode) ? SV("link") : SV("other");
}

static sv make_absolute(struct data_call *c, sv path) {
    if (sv_has_prefix(path, SV("/")) || c->base_dir.len == 0) {
        return path;
    }
    return arena_printf(c->arena, "%.*s/%.*s", SV_ARG(c->base_dir), SV_ARG(path));
}

static void add_facts(struct data_call *c, struct map_builder *m, const struct candidate *f) {
    struct arena *a = c->arena;
    double seconds = (double)f->st.st_mtim.tv_sec + (double)f->st.st_mtim.tv_nsec / 1e9;
    map_add(m, SV("path"), value_string(a, f->path));
    map_add(m, SV("absolutePath"), value_string(a, make_absolute(c, f->path)));
    map_add(m, SV("name"), value_string(a, f->name));
    map_add(m, SV("directory"), value_string(a, f->directory));
    map_add(m, SV("extension"), value_string(a, get_extension(f->name)));
    map_add(m, SV("kind"), value_string(a, get_kind(f->st.st_mode)));
    map_add(m, SV("size"), value_int(f->st.st_size));
    map_add(m, SV("mode"), value_string(a, arena_printf(a, "%04o", (unsigned)(f->st.st_mode & 07777))));
    map_add(m, SV("modifiedAt"), value_float(seconds));
    map_add(m, SV("isExecutable"), value_bool(S_ISREG(f->st.st_mode) && (f->st.st_mode & 0111) != 0));
}

/* Whether no filter on what is seen already fails; those that cannot be judged are left to the engine. */
static bool can_pass(struct data_call *c, value facts) {
    for (size_t i = 0; i < c->filter_count; i++) {
        sv field = c->filters[i].field;
        if (value_map_has(facts, field) &&
            data_type_apply(c->arena, &local_file_data, &c->filters[i], facts, NULL) == FILTER_FAILS) {
            return false;
        }
    }
    return true;
}

static void consider(struct search *s, const struct candidate *f) {
    struct data_call *c = s->c;
    struct map_builder facts = {.arena = c->arena}, all = {.arena = c->arena};
    add_facts(c, &facts, f);
    if (!can_pass(c, map_done(&facts))) {
        return;
    }
    add_facts(c, &all, f);
    add_contents(c, &all, f);
    value object = data_type_fill(c->arena, &local_file_data, map_done(&all));
    if (data_type_apply_all(c->arena, &local_file_data, c, object) != FILTER_FAILS) {
        VEC_PUSH(c->arena, &c->objects, object);
        s->is_done = true;
    }
}

/* --- Walking --- */

static enum provider_result check_bounds(struct search *s) {
    if (data_is_over(s->c)) {
        return data_fail(s->c, PROVIDER_TRANSIENT, "looking for files took too long");
    }
    if (s->entries++ >= ENTRIES_MAX) {
        return data_fail(s->c, PROVIDER_TERMINAL,
                         "there are more than %d files to look at; a filter on 'directory' or 'path' narrows it",
                         ENTRIES_MAX);
    }
    return PROVIDER_OK;
}

static int compare_names(const void *x, const void *y) {
    return sv_cmp(*(const sv *)x, *(const sv *)y);
}

struct name_list {
    VEC(sv) items;
};

/* A stream of our own: nobody else reads it at the same time. */
static const struct dirent *read_entry(DIR *stream) {
    /* cppcheck-suppress readdirCalled */
    return readdir(stream);
}

/* Names that are no UTF-8 cannot be said in a blueprint and are left out. */
static void list_names(struct data_call *c, int dir, struct name_list *names) {
    int copy = dup(dir);
    DIR *stream = copy < 0 ? NULL : fdopendir(copy);
    if (stream == NULL) {
        if (copy >= 0) {
            close(copy);
        }
        return;
    }
    const struct dirent *entry;
    while (names->items.len <= ENTRIES_MAX && (entry = read_entry(stream)) != NULL) {
        sv name = sv_from_cstr(entry->d_name);
        if (!sv_eq(name, SV(".")) && !sv_eq(name, SV("..")) && utf8_check(name) == name.len) {
            VEC_PUSH(c->arena, &names->items, arena_copy_sv(c->arena, name));
        }
    }
    closedir(stream);
    if (names->items.len > 0) {
        qsort(names->items.items, names->items.len, sizeof *names->items.items, compare_names);
    }
}

static sv join(struct arena *a, sv directory, sv name) {
    if (sv_eq(directory, SV("."))) {
        return name;
    }
    const char *between = sv_has_suffix(directory, SV("/")) ? "" : "/";
    return arena_printf(a, "%.*s%s%.*s", SV_ARG(directory), between, SV_ARG(name));
}

/* Whether something below the directory can have the prefix. */
static bool may_lead_to(sv directory, sv prefix) {
    return prefix.len <= directory.len ? sv_has_prefix(directory, prefix) : sv_has_prefix(prefix, directory);
}

static bool may_enter(const struct search *s, sv directory) {
    return may_lead_to(directory, s->path_prefix) && may_lead_to(directory, s->directory_prefix);
}

static enum provider_result walk(struct search *s, int dir, sv directory, size_t depth);

static enum provider_result enter(struct search *s, int dir, const struct candidate *f, size_t depth) {
    if (!S_ISDIR(f->st.st_mode) || depth == 0 || !may_enter(s, f->path)) {
        return PROVIDER_OK;
    }
    int below = openat(dir, f->file, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (below < 0) {
        return PROVIDER_OK; /* not ours to read, or gone meanwhile */
    }
    enum provider_result result = walk(s, below, f->path, depth - 1);
    close(below);
    return result;
}

/* The entries of a directory, each before what stands in it. Recursion is bounded by `depth`: levels still allowed. */
static enum provider_result walk(struct search *s, int dir, sv directory, size_t depth) {
    struct name_list names = {0};
    list_names(s->c, dir, &names);
    for (size_t i = 0; i < names.items.len && !s->is_done; i++) {
        sv name = names.items.items[i];
        struct candidate f = {.path = join(s->c->arena, directory, name),
                              .directory = directory,
                              .name = name,
                              .dir = dir,
                              .file = name.data};
        enum provider_result result = check_bounds(s);
        if (result == PROVIDER_OK && fstatat(dir, f.file, &f.st, AT_SYMLINK_NOFOLLOW) == 0) {
            consider(s, &f);
            result = s->is_done ? PROVIDER_OK : enter(s, dir, &f, depth);
        }
        if (result != PROVIDER_OK) {
            return result;
        }
    }
    return PROVIDER_OK;
}

static enum provider_result walk_from(struct search *s, sv directory, size_t depth) {
    if (directory.len == 0 || sv_find_char(directory, 0) != SIZE_MAX) {
        return PROVIDER_OK;
    }
    const char *absolute = arena_copy_cstr(s->c->arena, make_absolute(s->c, directory));
    int dir = open(absolute, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (dir < 0 && (errno == ENOENT || errno == ENOTDIR)) {
        return PROVIDER_OK;
    }
    if (dir < 0) {
        return data_fail(s->c, PROVIDER_TERMINAL, "cannot read the directory '%.*s': %s",
                         SV_ARG(sv_slice(directory, 0, 300)), strerrordesc_np(errno));
    }
    enum provider_result result = walk(s, dir, directory, depth);
    close(dir);
    return result;
}

/* --- Where to look --- */

static sv get_directory(sv path) {
    size_t slash = sv_rfind_char(path, '/');
    return slash == SIZE_MAX ? SV(".") : slash == 0 ? SV("/") : sv_slice(path, 0, slash);
}

static enum provider_result look_at_path(struct search *s, sv path) {
    if (path.len == 0 || sv_find_char(path, 0) != SIZE_MAX) {
        return PROVIDER_OK;
    }
    sv trimmed = path.len > 1 && sv_has_suffix(path, SV("/")) ? sv_slice(path, 0, path.len - 1) : path;
    struct candidate f = {.path = path,
                          .directory = get_directory(trimmed),
                          .name = sv_slice(trimmed, sv_rfind_char(trimmed, '/') + 1, trimmed.len),
                          .dir = AT_FDCWD,
                          .file = arena_copy_cstr(s->c->arena, make_absolute(s->c, path)),
                          .follows = true};
    if (fstatat(AT_FDCWD, f.file, &f.st, 0) == 0) {
        consider(s, &f);
        return PROVIDER_OK;
    }
    if (errno == ENOENT || errno == ENOTDIR || errno == ELOOP || errno == ENAMETOOLONG) {
        return PROVIDER_OK;
    }
    return data_fail(s->c, PROVIDER_TERMINAL, "cannot look at '%.*s': %s", SV_ARG(sv_slice(path, 0, 300)),
                     strerrordesc_np(errno));
}

/* The directory that everything with the prefix lies in, or below. */
static sv get_root(const struct search *s) {
    sv prefix = s->directory_prefix.len > 0 ? s->directory_prefix : s->path_prefix;
    return sv_find_char(prefix, '/') == SIZE_MAX ? SV(".") : get_directory(prefix);
}

static enum provider_result fetch_files(struct data_call *c) {
    struct search s = {.c = c};
    struct data_texts texts;
    enum provider_result result = PROVIDER_OK;
    if (data_find_texts(c, SV("path"), &texts)) {
        for (size_t i = 0; i < texts.items.len && result == PROVIDER_OK && !s.is_done; i++) {
            result = look_at_path(&s, texts.items.items[i]);
        }
        return result;
    }
    if (data_find_texts(c, SV("directory"), &texts)) {
        for (size_t i = 0; i < texts.items.len && result == PROVIDER_OK && !s.is_done; i++) {
            result = walk_from(&s, texts.items.items[i], 0);
        }
        return result;
    }
    data_find_prefix(c, SV("path"), &s.path_prefix);
    data_find_prefix(c, SV("directory"), &s.directory_prefix);
    return walk_from(&s, get_root(&s), DEPTH_MAX);
}

/* --- The type --- */

static const struct schema line = {.type = SCHEMA_STRING};
#define FIELD(id, kind, words) static const struct schema id##_field = {.type = (kind), .text = SV_INIT(words)}
#define MAYBE(id, kind, words) \
    static const struct schema id##_field = {.type = (kind), .flags = SCHEMA_NULLABLE, .text = SV_INIT(words)}
FIELD(path, SCHEMA_STRING,
      "The path, relative to the directory of the blueprint unless a filter names an absolute one");
FIELD(absolute, SCHEMA_STRING, "The path from the root of the file system");
FIELD(name, SCHEMA_STRING, "The last part of the path");
FIELD(directory, SCHEMA_STRING, "The path without its last part; `.` for the directory of the blueprint");
FIELD(extension, SCHEMA_STRING, "What follows the last dot of the name; empty without");
FIELD(kind, SCHEMA_STRING, "`file`, `directory`, `link` or `other`");
FIELD(size, SCHEMA_INTEGER, "Number of bytes");
FIELD(mode, SCHEMA_STRING, "Permissions in octal, as `0644`");
FIELD(modified, SCHEMA_FLOAT, "When it was last changed: Unix time in seconds, with their fraction");
FIELD(executable, SCHEMA_BOOLEAN, "Whether it is a file that may be executed");
MAYBE(sha256, SCHEMA_STRING, "SHA-256 of the contents in hexadecimal, of files up to 64 MiB");
MAYBE(is_text, SCHEMA_BOOLEAN, "Whether `content` is there: UTF-8 without NUL, at most 1 MiB");
MAYBE(content, SCHEMA_STRING, "The contents of a text");
MAYBE(line_count, SCHEMA_INTEGER, "Number of lines of a text");
static const struct schema lines_field = {.type = SCHEMA_ARRAY,
                                          .flags = SCHEMA_NULLABLE,
                                          .items = &line,
                                          .text = SV_INIT("The lines of a text, without their ends; at most 10 000")};
static const struct schema data_field = {
    .type = SCHEMA_MAP,
    .flags = SCHEMA_NULLABLE,
    .text = SV_INIT("The mapping in a `.json`, `.jsonc`, `.yaml` or `.yml` file; `data.a.b[0]` leads into it")};

static const struct schema_attribute attributes[] = {
    {SV_INIT("path"), &path_field},           {SV_INIT("absolutePath"), &absolute_field},
    {SV_INIT("name"), &name_field},           {SV_INIT("directory"), &directory_field},
    {SV_INIT("extension"), &extension_field}, {SV_INIT("kind"), &kind_field},
    {SV_INIT("size"), &size_field},           {SV_INIT("mode"), &mode_field},
    {SV_INIT("modifiedAt"), &modified_field}, {SV_INIT("isExecutable"), &executable_field},
    {SV_INIT("sha256"), &sha256_field},       {SV_INIT("isText"), &is_text_field},
    {SV_INIT("content"), &content_field},     {SV_INIT("lineCount"), &line_count_field},
    {SV_INIT("lines"), &lines_field},         {SV_INIT("data"), &data_field},
};
enum { ATTRIBUTE_COUNT = sizeof attributes / sizeof attributes[0] };
static const struct schema schema = {
    .type = SCHEMA_OBJECT, .attributes = attributes, .attribute_count = ATTRIBUTE_COUNT};

static const struct data_filter_field filter_fields[] = {
    {.field = SV_INIT("path")},      {.field = SV_INIT("name")},       {.field = SV_INIT("directory")},
    {.field = SV_INIT("extension")}, {.field = SV_INIT("kind")},       {.field = SV_INIT("size")},
    {.field = SV_INIT("mode")},      {.field = SV_INIT("modifiedAt")}, {.field = SV_INIT("isExecutable")},
    {.field = SV_INIT("sha256")},    {.field = SV_INIT("isText")},     {.field = SV_INIT("content")},
    {.field = SV_INIT("lineCount")}, {.field = SV_INIT("lines")},      {.field = SV_INIT("data")},
};
static const sv path_or_directory[] = {SV_INIT("path"), SV_INIT("directory"), {0}};
static const sv *const exclusive[] = {path_or_directory};

const struct data_type local_file_data = {
    .name = SV_INIT("local/file"),
    .summary = SV_INIT("A file, directory or link of this machine"),
    .details = SV_INIT(
        "Filters say where to look: `path` with `=` or `in` names files, `directory` with `=` or `in` the directories "
        "whose entries are looked at; otherwise everything below the directory of the blueprint is, or below the "
        "directory that a `starts with` on `path` or `directory` names. Entries come in the order of their names, a "
        "directory before what is in it; the first one that passes all filters is taken. A link is followed only when "
        "`path` names it. One call looks at no more than 20 000 entries, 32 levels deep; directories that cannot be "
        "read are passed over. What was not asked for is not read: contents count only for files that pass the other "
        "filters."),
    .example = SV_INIT("settings:\n"
                       "  type: local/file\n"
                       "  filter:\n"
                       "    - {field: directory, operator: \"=\", search: config}\n"
                       "    - {field: data.stage, operator: \"=\", search: \"${variables.stage}\"}\n"
                       "  exports:\n"
                       "    path: {type: string}\n"
                       "    port: {type: integer, aliasFor: data.port}\n"),
    .schema = &schema,
    .filter_fields = filter_fields,
    .filter_field_count = sizeof filter_fields / sizeof filter_fields[0],
    .exclusive = exclusive,
    .exclusive_count = 1,
    .fetch = fetch_files,
};
