#include "base/utf8.h"
#include "text/render.h"

struct junit {
    struct buf *out;
    struct arena *arena;
    const struct diags *diags;
    const struct render_options *options;
};

static bool is_xml_char(uint32_t c) {
    if (c < ' ')
        return c == '\t' || c == '\n';
    return !(c >= 0x7f && c < 0xa0) && c != 0xfffe && c != 0xffff;
}

static void put_char(struct buf *out, uint32_t c) {
    switch (c) {
    case '&':
        buf_append_cstr(out, "&amp;");
        break;
    case '<':
        buf_append_cstr(out, "&lt;");
        break;
    case '>':
        buf_append_cstr(out, "&gt;");
        break;
    case '"':
        buf_append_cstr(out, "&quot;");
        break;
    case '\n':
    case '\t':
        buf_printf(out, "&#%u;", (unsigned)c); /* as they are, they would become blanks in attributes */
        break;
    default:
        buf_append_codepoint(out, c);
    }
}

/* Masked, and without what XML cannot hold: such characters, and bytes that are no text, become U+FFFD. */
static void put_text(struct junit *j, sv text) {
    enum { REPLACEMENT = 0xfffd };
    text = mask_apply(j->options->mask, j->arena, text);
    for (size_t i = 0; i < text.len;) {
        sv head = sv_slice(text, i, i + 4);
        uint32_t c = REPLACEMENT;
        i += utf8_check(head) > 0 ? utf8_decode(head, &c) : 1;
        put_char(j->out, is_xml_char(c) ? c : REPLACEMENT);
    }
}

static void put_attribute(struct junit *j, const char *name, sv text) {
    buf_printf(j->out, " %s=\"", name);
    put_text(j, text);
    buf_append_char(j->out, '"');
}

static void put_count(struct junit *j, const char *name, size_t count) {
    buf_printf(j->out, " %s=\"%zu\"", name, count);
}

static size_t count_errors(const struct checked_file *file) {
    size_t errors = 0;
    for (size_t i = 0; i < file->count; i++)
        errors += file->items[i]->level == DIAG_ERROR;
    return errors;
}

/* A finding as people see it, without colour. */
static sv render_plain(struct junit *j, const struct diag *diag) {
    struct render_options options = *j->options;
    struct buf text = BUF(j->arena);
    options.color = false;
    render_diag(&text, j->diags, diag, &options);
    return buf_get_sv(&text);
}

static void begin_case(struct junit *j, sv file, sv name) {
    buf_append_cstr(j->out, "    <testcase");
    put_attribute(j, "classname", file);
    put_attribute(j, "name", name);
}

static void put_finding(struct junit *j, sv file, const struct diag *diag) {
    struct source *source = sources_find(j->diags->sources, diag->at.source);
    sv code = diag_get_code_name(diag), name = code;
    if (source) {
        struct text_pos pos = source_get_pos(source, diag->at.offset);
        name = arena_printf(j->arena, "%.*s at %.*s:%zu:%zu", SV_ARG(code), SV_ARG(source->name), pos.line, pos.column);
    }
    begin_case(j, file, name);
    bool is_error = diag->level == DIAG_ERROR;
    buf_append_cstr(j->out, is_error ? ">\n      <failure" : ">\n      <system-out");
    if (is_error) {
        put_attribute(j, "type", code);
        put_attribute(j, "message", diag->message);
    }
    buf_append_char(j->out, '>');
    put_text(j, render_plain(j, diag));
    buf_append_cstr(j->out, is_error ? "</failure>" : "</system-out>");
    buf_append_cstr(j->out, "\n    </testcase>\n");
}

static void put_file(struct junit *j, const struct checked_file *file) {
    size_t errors = count_errors(file);
    bool is_clean = file->count == 0;
    buf_append_cstr(j->out, "  <testsuite");
    put_attribute(j, "name", file->name);
    put_count(j, "tests", is_clean ? 1 : file->count);
    put_count(j, "failures", errors);
    buf_append_cstr(j->out, " errors=\"0\" skipped=\"0\">\n");
    if (is_clean) {
        begin_case(j, file->name, SV("valid"));
        buf_append_cstr(j->out, "/>\n");
    }
    for (size_t i = 0; i < file->count; i++)
        put_finding(j, file->name, file->items[i]);
    buf_append_cstr(j->out, "  </testsuite>\n");
}

void render_junit(struct buf *out, const struct diags *d, const struct checked_file *files, size_t count,
                  const struct render_options *options) {
    struct junit j = {.out = out, .arena = out->arena, .diags = d, .options = options};
    size_t tests = 0, errors = 0;
    for (size_t i = 0; i < count; i++) {
        tests += files[i].count > 0 ? files[i].count : 1;
        errors += count_errors(&files[i]);
    }
    buf_append_cstr(out, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites name=\"lintel validate\"");
    put_count(&j, "tests", tests);
    put_count(&j, "failures", errors);
    buf_append_cstr(out, " errors=\"0\">\n");
    for (size_t i = 0; i < count; i++)
        put_file(&j, &files[i]);
    buf_append_cstr(out, "</testsuites>\n");
}
