#include "lang/blueprint/test_fetcher.h"

#include "base/buf.h"

#define ROOT_DIRECTORY "/test"

static sv get_directory(sv path) {
    size_t slash = sv_rfind_char(path, '/');
    return slash == SIZE_MAX ? SV(ROOT_DIRECTORY) : sv_slice(path, 0, slash > 0 ? slash : 1);
}

static sv make_digest(struct arena *a, sv bytes) {
    unsigned long long hash = 1469598103934665603u;
    for (size_t i = 0; i < bytes.len; i++) {
        hash = (hash ^ (unsigned char)bytes.data[i]) * 1099511628211u;
    }
    return arena_printf(a, "%016llx%016llx%016llx%016llx", hash, ~hash, hash << 1, hash >> 1);
}

/* "a/./b/../c" below a directory, as an absolute path. */
static sv join(struct arena *a, sv directory, sv path) {
    sv rest = sv_has_prefix(path, SV("/"))
                  ? path
                  : arena_printf(a, "%.*s/%.*s", SV_ARG(directory), SV_ARG(sv_slice(path, 0, 4096)));
    struct buf out = BUF(a);
    while (rest.len > 0) {
        sv part = sv_cut(&rest, '/');
        if (sv_eq(part, SV(".."))) {
            size_t slash = sv_rfind_char(buf_get_sv(&out), '/');
            out.len = slash == SIZE_MAX ? 0 : slash;
        } else if (part.len > 0 && !sv_eq(part, SV("."))) {
            buf_append_char(&out, '/');
            buf_append(&out, part);
        }
    }
    return buf_get_sv(&out);
}

static void add_document(struct test_fetcher *f, sv name, sv bytes) {
    struct content *c = ARENA_NEW(f->arena, struct content);
    c->is_remote = sv_find(name, SV("://")) != SIZE_MAX;
    c->location = c->is_remote ? name : join(f->arena, SV(ROOT_DIRECTORY), name);
    c->name = name;
    c->path = c->is_remote ? (sv){0} : c->location;
    c->directory = c->is_remote ? (sv){0} : get_directory(c->location);
    c->kind = sv_has_prefix(name, SV("s3:")) ? SV("aws/s3") : c->is_remote ? SV("https") : SV("file");
    c->bytes = bytes;
    c->digest = make_digest(f->arena, bytes);
    VEC_PUSH(f->arena, &f->documents, c);
}

/* --- the interface --- */

static const struct content *fail(struct fetch_failure *failure, enum diag_code code, sv message) {
    *failure = (struct fetch_failure){.code = code, .message = message};
    return NULL;
}

static const struct content *find(struct test_fetcher *f, sv location) {
    for (size_t i = 0; i < f->documents.len; i++) {
        const struct content *c = f->documents.items[i];
        if (sv_eq(c->location, location)) {
            bool is_new = true;
            for (size_t k = 0; k < f->fetcher.contents.len && is_new; k++) {
                is_new = f->fetcher.contents.items[k] != c;
            }
            if (is_new) {
                VEC_PUSH(f->arena, &f->fetcher.contents, c);
            }
            return c;
        }
    }
    return NULL;
}

static sv get_text(value metadata, const char *key) {
    value v = metadata.kind == VALUE_MAP ? value_map_find(metadata, sv_from_cstr(key)) : (value){0};
    return v.kind == VALUE_STRING ? value_get_text(v) : (sv){0};
}

static sv locate(struct test_fetcher *f, const struct fetch_request *r) {
    sv type = get_text(r->metadata, "sourceType"), path = sv_slice(r->path, 0, 4096);
    if (sv_eq(type, SV("https"))) {
        sv host = get_text(r->metadata, "host");
        return sv_find(path, SV("://")) != SIZE_MAX
                   ? path
                   : arena_printf(f->arena, "https://%.*s/%.*s", SV_ARG(host), SV_ARG(path));
    }
    if (sv_eq(type, SV("aws/s3"))) {
        return arena_printf(f->arena, "s3://%.*s/%.*s", SV_ARG(get_text(r->metadata, "bucket")), SV_ARG(path));
    }
    if (r->base != NULL && r->base->is_remote) {
        sv base = r->base->location;
        return arena_printf(f->arena, "%.*s/%.*s", SV_ARG(sv_slice(base, 0, sv_rfind_char(base, '/'))), SV_ARG(path));
    }
    return join(f->arena, r->base != NULL ? r->base->directory : SV(ROOT_DIRECTORY), path);
}

static const struct content *fetch_include(struct fetcher *fetcher, const struct fetch_request *r,
                                           struct fetch_failure *failure) {
    struct test_fetcher *f = (struct test_fetcher *)fetcher;
    sv type = get_text(r->metadata, "sourceType");
    bool is_known = type.len == 0 || sv_eq(type, SV("file")) || sv_eq(type, SV("https")) || sv_eq(type, SV("aws/s3"));
    if (!is_known) {
        return fail(failure, DIAG_invalid_metadata, SV("this source type is not known"));
    }
    const struct content *c = find(f, locate(f, r));
    bool is_remote = sv_eq(type, SV("https")) || sv_eq(type, SV("aws/s3"));
    if (c == NULL) {
        return is_remote ? fail(failure, DIAG_include_not_checked, SV("the child is not checked"))
                         : fail(failure, DIAG_include_path_not_found, SV("there is no such file"));
    }
    if (r->expected.len > 0 && !sv_eq(r->expected, c->digest)) {
        return fail(failure, DIAG_include_changed_since_staging, SV("the child is another one now"));
    }
    return c;
}

static const struct content *fetch_file(struct fetcher *fetcher, const struct fetch_request *r,
                                        struct fetch_failure *failure) {
    const struct content *c = find((struct test_fetcher *)fetcher, locate((struct test_fetcher *)fetcher, r));
    return c != NULL ? c : fail(failure, DIAG_include_path_not_found, SV("there is no such file"));
}

static const struct content *fetch_url(struct fetcher *fetcher, const struct fetch_request *r,
                                       struct fetch_failure *failure) {
    const struct content *c = find((struct test_fetcher *)fetcher, r->path);
    return c != NULL ? c : fail(failure, DIAG_resolve_failure, SV("nobody answers"));
}

static const struct content *get_base(struct fetcher *fetcher, const struct source *source) {
    struct test_fetcher *f = (struct test_fetcher *)fetcher;
    if (source == NULL || source->origin != NULL) {
        return source != NULL ? source->origin : NULL;
    }
    struct content *c = ARENA_NEW(f->arena, struct content);
    *c = (struct content){.location = SV(ROOT_DIRECTORY "/root.yaml"),
                          .name = source->name,
                          .path = SV(ROOT_DIRECTORY "/root.yaml"),
                          .directory = SV(ROOT_DIRECTORY),
                          .kind = SV("file"),
                          .bytes = source->bytes,
                          .digest = make_digest(f->arena, source->bytes)};
    return c;
}

static const struct fetcher_ops ops = {
    .include = fetch_include, .file = fetch_file, .url = fetch_url, .base = get_base};

/* --- documents in one text --- */

/* Offset of the next line that opens a document, or the length. */
static size_t find_mark(sv text, size_t from) {
    size_t at = sv_find(sv_slice(text, from, text.len), SV("\n#--- "));
    return at == SIZE_MAX ? text.len : from + at + 1;
}

/* `section` begins with its mark; `line` lines stand before it. */
static void add_section(struct test_fetcher *f, sv section, size_t line) {
    sv rest = section;
    sv name = sv_trim(sv_slice(sv_cut(&rest, '\n'), strlen("#--- "), section.len));
    struct buf padded = BUF(f->arena);
    buf_append_repeat(&padded, '\n', line + 1);
    buf_append(&padded, rest);
    buf_append_char(&padded, '\n');
    add_document(f, arena_copy_sv(f->arena, name), buf_get_sv(&padded));
}

sv test_fetcher_init(struct test_fetcher *f, struct arena *a, sv text) {
    *f = (struct test_fetcher){.fetcher = {.ops = &ops}, .arena = a};
    size_t root = find_mark(text, 0), line = 0, counted = 0;
    for (size_t at = root, next; at < text.len; at = next) {
        next = find_mark(text, at);
        for (; counted < at; counted++) {
            line += text.data[counted] == '\n';
        }
        add_section(f, sv_slice(text, at, next), line);
    }
    return sv_slice(text, 0, root);
}

const struct content *test_fetcher_find(const struct test_fetcher *f, sv name) {
    for (size_t i = 0; i < f->documents.len; i++) {
        if (sv_eq(f->documents.items[i]->name, name)) {
            return f->documents.items[i];
        }
    }
    return NULL;
}
