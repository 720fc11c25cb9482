#include "doc/reader.h"

#include "base/buf.h"
#include "base/utf8.h"
#include "doc/chars.h"
#include "doc/json_read.h"
#include "doc/yaml_read.h"

#include <string.h>

const struct doc_options doc_options_yaml = {
    .format = DOC_YAML,
    .duplicate_keys = DOC_ALLOW,
    .tags = DOC_ALLOW,
    .anchors = DOC_ALLOW,
    .merge_keys = DOC_ALLOW,
    .many_documents = DOC_ALLOW,
    .tag_directives = DOC_ALLOW,
};

const struct doc_options doc_options_blueprint = {
    .format = DOC_YAML,
    .duplicate_keys = DOC_REFUSE,
    .tags = DOC_REFUSE,
    .anchors = DOC_REFUSE,
    .merge_keys = DOC_REFUSE,
    .many_documents = DOC_REFUSE,
    .tag_directives = DOC_REFUSE,
};

/* The encoding that the first bytes show, or NULL for what may be UTF-8. */
static const char *find_foreign_encoding(sv bytes) {
    const unsigned char *p = (const unsigned char *)bytes.data;
    if (bytes.len >= 4) {
        if (p[0] == 0 && p[1] == 0 && ((p[2] == 0xfe && p[3] == 0xff) || (p[2] == 0 && p[3] != 0)))
            return "UTF-32 (big endian)";
        if (p[2] == 0 && p[3] == 0 && ((p[0] == 0xff && p[1] == 0xfe) || (p[0] != 0 && p[1] == 0)))
            return "UTF-32 (little endian)";
    }
    if (bytes.len >= 2) {
        if ((p[0] == 0xfe && p[1] == 0xff) || (p[0] == 0 && p[1] != 0))
            return "UTF-16 (big endian)";
        if ((p[0] == 0xff && p[1] == 0xfe) || (p[0] != 0 && p[1] == 0))
            return "UTF-16 (little endian)";
    }
    return NULL;
}

static bool check_encoding(struct build *b) {
    sv bytes = b->source->bytes;
    const char *foreign = find_foreign_encoding(bytes);
    if (foreign) {
        struct diag *d = diags_add(build_fail(b), DIAG_invalid_encoding, build_span(b, b->base, b->base + 1),
                                   "text is encoded in %s", foreign);
        diag_set_hint(b->diags, d, "save it as UTF-8");
        return false;
    }
    size_t valid = utf8_check(bytes);
    if (valid < bytes.len) {
        struct diag *d =
            diags_add(build_fail(b), DIAG_invalid_encoding, build_span(b, b->base + valid, b->base + valid + 1),
                      "byte 0x%02X at offset %zu is not UTF-8", (unsigned char)bytes.data[valid], valid);
        diag_set_hint(b->diags, d, "save the text as UTF-8");
        return false;
    }
    const char *nul = memchr(bytes.data, 0, bytes.len);
    if (nul) {
        struct diag *d =
            diags_add(build_fail(b), DIAG_invalid_encoding, build_span(b, nul, nul + 1), "NUL character in the text");
        diag_set_hint(b->diags, d, "remove it; between double quotes it can be written as an escape");
        return false;
    }
    return true;
}

static bool check_size(struct build *b) {
    /* Places are 32 bits wide, columns have a sign. */
    size_t limit = b->limits->document_bytes < INT32_MAX ? b->limits->document_bytes : INT32_MAX;
    if (b->source->bytes.len <= limit)
        return true;
    build_stop(b, build_span(b, b->base, b->base), "size of the document in bytes", limit);
    return false;
}

/* What could not be read at all: one document that is an error. */
static void add_error_document(struct build *b) {
    struct document *doc = VEC_ADD(b->arena, &b->stream->documents);
    doc->at = build_span(b, b->base, b->base);
    doc->root = build_node(b, NODE_ERROR, NODE_PLAIN, doc->at);
}

static bool is_word_char(char c) {
    return (c >= '0' && c <= '9') || ((c | 32) >= 'a' && (c | 32) <= 'z') || c == '_' || c == '-';
}

/* Does something in the text look like `secret: true`? In a broken document nobody knows what it belongs to. */
static bool mentions_secret(sv text) {
    static const sv word = SV_INIT("secret");
    for (size_t at = sv_find(text, word); at != SIZE_MAX; at = sv_find(text, word)) {
        bool starts = at == 0 || !is_word_char(text.data[at - 1]);
        text = sv_slice(text, at + word.len, text.len);
        const char *p = text.data; /* a NUL stands behind the text */
        if (!starts || is_word_char(*p))
            continue;
        while (char_is_blank(*p) || char_is_break(*p) || *p == '"' || *p == '\'' || *p == ':')
            p++;
        if (strncmp(p, "false", strlen("false")) != 0)
            return true;
    }
    return false;
}

/* Is all that stands between quotes single characters, which are syntax? */
static bool quotes_syntax_only(sv message) {
    for (;;) {
        size_t open = sv_find_char(message, '\'');
        if (open == SIZE_MAX)
            return true;
        message = sv_slice(message, open + 1, message.len);
        size_t close = sv_find_char(message, '\'');
        if (close == SIZE_MAX || close > 1)
            return false;
        message = sv_slice(message, close + 1, message.len);
    }
}

/* Text of the document stands between quotes, and may hold some itself. */
static sv hide_quoted(struct arena *a, sv message) {
    size_t open = sv_find_char(message, '\''), close = sv_rfind_char(message, '\'');
    if (open == SIZE_MAX || quotes_syntax_only(message))
        return message;
    struct buf out = BUF(a);
    buf_append(&out, sv_slice(message, 0, open));
    buf_append_cstr(&out, "'(sensitive)'");
    buf_append(&out, sv_slice(message, close + 1, message.len));
    return buf_get_sv(&out);
}

/* Of a broken document that may hold secrets nothing is shown but places and what is wrong there (BP-281). */
static void hide_source(struct diags *diags, struct source *source, size_t first) {
    VEC_PUSH(source->arena, &source->secrets, ((span){source->id, 0, (uint32_t)source->bytes.len}));
    for (size_t i = first; i < diags->items.len; i++)
        diags->items.items[i]->message = hide_quoted(diags->arena, diags->items.items[i]->message);
}

struct doc_stream *doc_read(struct arena *a, struct source *source, const struct doc_options *options,
                            struct diags *diags) {
    struct build b;
    size_t first = diags->items.len;
    build_init(&b, a, source, options);
    b.diags = diags;
    if (!check_size(&b) || (source->bytes.len > 0 && !check_encoding(&b)))
        add_error_document(&b);
    else if (options->format == DOC_YAML)
        yaml_read(a, &b);
    else
        json_read(&b);
    build_fini(&b);
    if (b.stream->has_errors && mentions_secret(source->bytes))
        hide_source(diags, source, first);
    return b.stream;
}

enum doc_format doc_find_format(sv file_name) {
    size_t dot = sv_rfind_char(file_name, '.');
    if (dot == SIZE_MAX)
        return 0;
    sv extension = sv_slice(file_name, dot, file_name.len);
    if (sv_eq(extension, SV(".yaml")) || sv_eq(extension, SV(".yml")))
        return DOC_YAML;
    if (sv_eq(extension, SV(".json")))
        return DOC_JSON;
    return sv_eq(extension, SV(".jsonc")) ? DOC_JSONC : 0;
}
