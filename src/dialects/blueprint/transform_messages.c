/* What transforms say on standard error (BP-058). */
#include "base/num.h"
#include "base/utf8.h"
#include "dialects/blueprint/transforms.h"
#include "value/convert.h"

enum { MESSAGE_MAX = 1000, CODE_MAX = 80, LINES_MAX = 1000 };

/* --- places: JSON Pointer (RFC 6901) --- */

static sv unescape(struct arena *a, sv token) {
    if (sv_find_char(token, '~') == SIZE_MAX) {
        return token;
    }
    struct buf out = BUF(a);
    for (size_t i = 0; i < token.len; i++) {
        bool is_escape =
            token.data[i] == '~' && i + 1 < token.len && (token.data[i + 1] == '0' || token.data[i + 1] == '1');
        char c = token.data[i];
        if (is_escape) {
            c = token.data[++i] == '0' ? '~' : '/';
        }
        buf_append_char(&out, c);
    }
    return buf_get_sv(&out);
}

static const struct node *find_item(const struct node *n, sv token) {
    uint64_t index = 0;
    bool is_index = token.len > 0 && token.len < 10;
    for (size_t i = 0; i < token.len && is_index; i++) {
        is_index = token.data[i] >= '0' && token.data[i] <= '9';
        index = index * 10 + (uint64_t)(token.data[i] - '0');
    }
    return is_index && index < n->count ? n->items[index] : NULL;
}

/* The place of a part of the document that the transform was given; its own name when there is no such part. */
static span find_place(struct transform_step *s, sv pointer) {
    const struct node *n = s->tree;
    sv rest = pointer;
    if (rest.len == 0 || rest.data[0] != '/') {
        return s->at;
    }
    (void)sv_cut(&rest, '/');
    for (bool is_last = false; !is_last && n != NULL;) {
        is_last = sv_find_char(rest, '/') == SIZE_MAX;
        sv token = unescape(&s->l->scratch, sv_cut(&rest, '/'));
        n = n->kind == NODE_MAPPING ? node_find(n, token) : n->kind == NODE_SEQUENCE ? find_item(n, token) : NULL;
    }
    return n != NULL && !span_is_none(n->at) ? n->at : s->at;
}

/* --- lines --- */

/* At most so many bytes, cut between characters. */
static sv shorten(sv text, size_t most) {
    size_t len = text.len < most ? text.len : most;
    while (len < text.len && len > 0 && ((unsigned char)text.data[len] & 0xC0) == 0x80) {
        len--;
    }
    return sv_slice(text, 0, len);
}

static sv get_text(value object, const char *name) {
    value v = value_map_find(object, sv_from_cstr(name));
    return v.kind == VALUE_STRING ? value_get_text(v) : (sv){0};
}

static bool is_code(sv code) {
    bool ok = code.len > 0 && code.len <= CODE_MAX;
    for (size_t i = 0; i < code.len && ok; i++) {
        char c = code.data[i];
        ok = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '-' ||
             c == '.' || c == '/';
    }
    return ok;
}

static enum diag_code get_level_code(sv severity) {
    return sv_eq(severity, SV("error"))     ? DIAG_transform_failed
           : sv_eq(severity, SV("warning")) ? DIAG_transform_warning
                                            : DIAG_transform_message;
}

/* A line that is a diagnostic; false when it is something else. */
static bool report_object(struct transform_step *s, value object) {
    struct diags *diags = s->l->diags;
    sv message = object.kind == VALUE_MAP ? get_text(object, "message") : (sv){0};
    if (message.len == 0) {
        return false;
    }
    sv code = get_text(object, "code"), hint = get_text(object, "hint");
    span at = find_place(s, get_text(object, "path"));
    enum diag_code own = get_level_code(get_text(object, "severity"));
    message = shorten(message, MESSAGE_MAX);
    struct diag *d = is_code(code) ? diags_add_foreign(diags, own, code, at, "%.*s", SV_ARG(message))
                                   : diags_add(diags, own, at, "%.*s", SV_ARG(message));
    if (hint.len > 0) {
        diag_set_hint(diags, d, "%.*s", SV_ARG(shorten(hint, MESSAGE_MAX)));
    }
    if (own == DIAG_transform_failed) {
        d->group = SV("transform_validation_errors");
    }
    return true;
}

static void report_line(struct transform_step *s, sv line) {
    sv why = {0};
    size_t offset = 0;
    sv trimmed = sv_trim(line);
    if (trimmed.len == 0) {
        return;
    }
    value object = trimmed.data[0] == '{'
                       ? value_parse_json(&s->l->scratch, trimmed, s->l->request->limits, false, &why, &offset)
                       : (value){0};
    if (report_object(s, object)) {
        return;
    }
    bool is_text = utf8_check(trimmed) == trimmed.len;
    diags_add(s->l->diags, DIAG_transform_message, s->at, "%.*s",
              SV_ARG(is_text ? shorten(trimmed, MESSAGE_MAX) : SV("a line that is no text")));
}

bool transforms_report(struct transform_step *s) {
    size_t errors = s->l->diags->errors;
    sv rest = s->run.diagnostics;
    for (size_t i = 0; rest.len > 0 && i < LINES_MAX; i++) {
        report_line(s, sv_cut(&rest, '\n'));
    }
    return s->l->diags->errors > errors;
}
