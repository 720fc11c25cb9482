#include "doc/json_read.h"

#include "doc/chars.h"
#include "doc/decode.h"

#include <string.h>

enum { FIRST_FRAMES = 16 };

enum wants {
    WANTS_FIRST = 1, /* an entry or the closing bracket */
    WANTS_ENTRY,
    WANTS_COLON,
    WANTS_VALUE,
    WANTS_COMMA,
};

struct frame {
    bool is_object;
    enum wants wants;
    size_t first;
    const char *start, *comma; /* comma: the last one */
};

struct json {
    struct build *b;
    const char *p;
    struct frame *frames;
    size_t depth, cap;
    bool allows_comments;
    bool is_quiet; /* what follows a mistake closely is not reported too */
    bool has_root;
};

static void report(struct json *j, const char *from, const char *to, const char *message, const char *hint) {
    struct diag *d = diags_add(build_fail(j->b), DIAG_invalid_syntax, build_span_within(j->b, from, to), "%s", message);
    diag_set_hint(j->b->diags, d, "%s", hint);
}

static void report_once(struct json *j, const char *from, const char *to, const char *message, const char *hint) {
    if (!j->is_quiet)
        report(j, from, to, message, hint);
    j->is_quiet = true;
}

static const char *find_line_end(const char *p) {
    while (*p && !char_is_break(*p))
        p++;
    return p;
}

/* The comment at `p`, which starts with '/' and '/' or '*'. */
static void skip_comment(struct json *j) {
    const char *from = j->p, *to, *text_end;
    if (from[1] == '/') {
        to = text_end = find_line_end(from);
    } else {
        const char *end = strstr(from + 2, "*/");
        text_end = end ? end : from + strlen(from);
        to = end ? end + 2 : text_end;
        if (!end)
            report(j, from, from + 2, "comment is never closed", "close it with '*/'");
    }
    if (!j->allows_comments)
        report(j, from, to, "comment in JSON", "name the file .jsonc to allow comments");
    if (j->b->options->keep_comments)
        build_add_comment(j->b, from, to, sv_make(from + 2, (size_t)(text_end - from - 2)));
    j->p = to;
}

static void skip_gap(struct json *j) {
    for (;;) {
        while (char_is_blank(*j->p) || char_is_break(*j->p))
            j->p++;
        if (*j->p != '/' || (j->p[1] != '/' && j->p[1] != '*'))
            return;
        skip_comment(j);
    }
}

static struct frame *get_top(struct json *j) {
    return j->depth ? &j->frames[j->depth - 1] : NULL;
}

static void put_node(struct json *j, struct node *n) {
    struct frame *f = get_top(j);
    build_push(j->b, n);
    if (!f)
        j->has_root = true;
    else if (f->is_object && f->wants != WANTS_VALUE)
        f->wants = WANTS_COLON;
    else
        f->wants = WANTS_COMMA;
}

static void put_error(struct json *j, const char *from, const char *to) {
    put_node(j, build_node(j->b, NODE_ERROR, NODE_PLAIN, build_span_within(j->b, from, to)));
}

static void open_bracket(struct json *j) {
    const char *p = j->p++;
    if (j->depth >= j->b->limits->nesting) {
        build_stop(j->b, build_span(j->b, p, p + 1), "nesting", j->b->limits->nesting);
        return;
    }
    if (j->depth == j->cap) {
        size_t cap = j->cap ? j->cap * 2 : FIRST_FRAMES;
        j->frames = arena_grow_array(&j->b->scratch, j->frames, j->cap, cap, sizeof *j->frames);
        j->cap = cap;
    }
    j->frames[j->depth++] =
        (struct frame){.is_object = *p == '{', .wants = WANTS_FIRST, .first = j->b->child_count, .start = p};
}

/* A key without a value gets an error for it, so that keys and values stay in turn. */
static void complete_pair(struct json *j) {
    struct frame *f = get_top(j);
    if (f->is_object && (f->wants == WANTS_COLON || f->wants == WANTS_VALUE)) {
        f->wants = WANTS_VALUE;
        put_error(j, j->p, j->p);
    }
}

static void pop_bracket(struct json *j, const char *end) {
    struct frame *f = get_top(j);
    complete_pair(j);
    struct node *n =
        build_node(j->b, f->is_object ? NODE_MAPPING : NODE_SEQUENCE, NODE_FLOW, build_span(j->b, f->start, end));
    build_take_children(j->b, n, f->first);
    j->depth--;
    put_node(j, n);
}

/* A closing bracket of the wrong kind: was the inner one forgotten, so that this one closes the next outer one? What
 * follows tells. */
static bool closes_outer(struct json *j) {
    if (j->depth < 2 || j->frames[j->depth - 2].is_object == get_top(j)->is_object)
        return false;
    const char *next = j->p + 1;
    while (char_is_blank(*next) || char_is_break(*next))
        next++;
    if (j->depth == 2)
        return *next == 0;
    return *next == ',' || *next == (j->frames[j->depth - 3].is_object ? '}' : ']');
}

static void report_unclosed(struct json *j, const struct frame *f) {
    struct diag *d = diags_add(build_fail(j->b), DIAG_invalid_syntax, build_span(j->b, f->start, f->start + 1),
                               "'%c' is never closed", *f->start);
    diag_set_hint(j->b->diags, d, "close it with '%c'", f->is_object ? '}' : ']');
}

static void report_mismatch(struct json *j, const struct frame *f) {
    struct diag *d = diags_add(build_fail(j->b), DIAG_invalid_syntax, build_span(j->b, j->p, j->p + 1),
                               "'%c' closes a bracket that '%c' opens", *j->p, *f->start);
    diag_add_related(j->b->diags, d, build_span(j->b, f->start, f->start + 1), "opened here");
    diag_set_hint(j->b->diags, d, "write '%c' instead", f->is_object ? '}' : ']');
}

static void close_bracket(struct json *j) {
    struct frame *f = get_top(j);
    const char *p = j->p;
    if (!f) {
        report_once(j, p, p + 1, "bracket without its opening one", "remove it");
        j->p++;
        return;
    }
    if (*p != (f->is_object ? '}' : ']') && closes_outer(j)) {
        report_unclosed(j, f);
        j->is_quiet = false;
        pop_bracket(j, p);
        return;
    }
    if (*p != (f->is_object ? '}' : ']')) {
        report_mismatch(j, f);
    } else if (f->wants == WANTS_COLON || f->wants == WANTS_VALUE) {
        report_once(j, p, p + 1, "value is missing", "write ':' and a value behind the key");
    } else if (f->wants == WANTS_ENTRY && !j->allows_comments) {
        report_once(j, f->comma, f->comma + 1, "',' behind the last entry",
                    "remove it, or name the file .jsonc to allow it");
    }
    j->is_quiet = false;
    j->p++;
    pop_bracket(j, p + 1);
}

/* Behind the string that starts at the quote `p`, or NULL when its line ends first. */
static const char *find_quote(struct json *j, const char *p, bool *is_escaped) {
    for (;;) {
        while (!char_is(*p, CHAR_DOUBLE_STOP))
            p++;
        if (*p == '"')
            return p;
        if (*p == 0 || char_is_break(*p))
            return NULL;
        if (*p != '\\') {
            report(j, p, p + 1, "control character in a string", "write it as an escape");
            p++;
            continue;
        }
        uint32_t codepoint;
        size_t len = decode_escape(p, true, &codepoint);
        *is_escaped = true;
        if (len == 0) {
            len = p[1] == 0 || char_is_break(p[1]) ? 1 : 2;
            while (len == 2 && ((unsigned char)p[len] & 0xc0) == 0x80)
                len++;
            report(j, p, p + len, "unknown escape in a string", "write '\\\\' for a backslash");
        }
        p += len;
    }
}

static void read_string(struct json *j) {
    const char *from = j->p;
    bool is_escaped = false;
    /* Tabs are text to the class table, but not to JSON. */
    const char *end = find_quote(j, from + 1, &is_escaped);
    if (!end) {
        report_once(j, from, from + 1, "string is never closed", "close it with '\"' on its line");
        j->p = find_line_end(from);
        put_error(j, from, j->p);
        j->is_quiet = true;
        return;
    }
    const char *tab = memchr(from, '\t', (size_t)(end - from));
    if (tab)
        report(j, tab, tab + 1, "control character in a string", "write it as an escape");
    j->p = end + 1;
    struct node *n = build_node(j->b, NODE_SCALAR, NODE_DOUBLE_QUOTED, build_span(j->b, from, end + 1));
    n->text = sv_make(from + 1, (size_t)(end - from - 1));
    if (is_escaped) {
        struct decode d = {.base = j->b->base, .out = build_get_text(j->b, DECODE_ROOM(n->text.len))};
        decode_double_quoted(&d, from + 1, end);
        n->text = arena_copy_sv(j->b->arena, sv_make(d.out, d.len));
        n->flags |= NODE_ESCAPED;
    }
    put_node(j, n);
}

static const char *skip_digits(const char *p) {
    while (*p >= '0' && *p <= '9')
        p++;
    return p;
}

/* Behind the number at `p`; NULL when it is none. */
static const char *skip_number(const char *p) {
    p += *p == '-';
    const char *from = p;
    p = skip_digits(p);
    if (p == from || (*from == '0' && p > from + 1))
        return NULL;
    if (*p == '.') {
        from = ++p;
        p = skip_digits(p);
        if (p == from)
            return NULL;
    }
    if (*p == 'e' || *p == 'E') {
        p++;
        p += *p == '+' || *p == '-';
        from = p;
        p = skip_digits(p);
        if (p == from)
            return NULL;
    }
    return p;
}

static bool is_word_end(char c) {
    return char_is(c, CHAR_GAP | CHAR_FLOW | CHAR_LINE_STOP) || c == '"' || c == ':' || c == '/';
}

static bool is_literal(sv word) {
    return sv_eq(word, SV("true")) || sv_eq(word, SV("false")) || sv_eq(word, SV("null"));
}

static void read_word(struct json *j) {
    const char *from = j->p, *to = from;
    bool is_number = *from == '-' || (*from >= '0' && *from <= '9');
    while (!is_word_end(*to))
        to++;
    j->p = to > from ? to : from + 1;
    bool is_good = is_number ? skip_number(from) == to : is_literal(sv_make(from, (size_t)(to - from)));
    if (is_good) {
        struct node *n = build_node(j->b, NODE_SCALAR, NODE_PLAIN, build_span(j->b, from, to));
        n->text = sv_make(from, (size_t)(to - from));
        put_node(j, n);
        return;
    }
    report_once(j, from, j->p, is_number ? "this is no number of JSON" : "this is no value of JSON",
                "write a number, true, false, null, or text between double quotes");
    put_error(j, from, j->p);
}

static void read_comma(struct json *j) {
    struct frame *f = get_top(j);
    const char *p = j->p++;
    if (!f) {
        report_once(j, p, p + 1, "unexpected ','", "remove it");
        return;
    }
    if (f->wants == WANTS_COLON || f->wants == WANTS_VALUE)
        report_once(j, p, p + 1, "value is missing", "write ':' and a value behind the key");
    else if (f->wants != WANTS_COMMA)
        report_once(j, p, p + 1, "nothing stands before this ','", "remove the ',' or write an entry before it");
    complete_pair(j);
    j->is_quiet = false;
    f->wants = WANTS_ENTRY;
    f->comma = p;
}

static void read_colon(struct json *j) {
    struct frame *f = get_top(j);
    const char *p = j->p++;
    if (f && f->is_object && f->wants == WANTS_COLON)
        f->wants = WANTS_VALUE;
    else
        report_once(j, p, p + 1, "unexpected ':'", "remove it, or put a ',' between entries");
}

/* A key or value that starts where something else is wanted: reported, and the thing taken as written. */
static void prepare_slot(struct json *j) {
    struct frame *f = get_top(j);
    const char *p = j->p;
    if (!f)
        return;
    if (f->wants == WANTS_COLON) {
        report_once(j, p, p + 1, "':' is missing behind the key", "put a ':' there");
        f->wants = WANTS_VALUE;
    } else if (f->wants == WANTS_COMMA) {
        report_once(j, p, p + 1, "',' is missing before this entry", "put a ',' between entries");
        f->wants = WANTS_ENTRY;
    }
    j->is_quiet = false;
    if (f->is_object && f->wants != WANTS_VALUE && *p != '"')
        report_once(j, p, p + 1, "a key must be text between double quotes", "write it as \"name\"");
}

static void read_token(struct json *j) {
    char c = *j->p;
    if (c == ',')
        read_comma(j);
    else if (c == ':')
        read_colon(j);
    else if (c == ']' || c == '}')
        close_bracket(j);
    else {
        prepare_slot(j);
        if (c == '"')
            read_string(j);
        else if (c == '[' || c == '{')
            open_bracket(j);
        else
            read_word(j);
    }
}

static void read_value(struct json *j) {
    for (;;) {
        skip_gap(j);
        if (j->b->is_stopped || (*j->p == 0) || (j->depth == 0 && j->has_root))
            return;
        read_token(j);
    }
}

static void finish(struct json *j) {
    struct frame *f = get_top(j);
    if (f && !j->b->is_stopped) {
        report_unclosed(j, f);
    } else if (!j->has_root && !j->b->is_stopped) {
        report_once(j, j->p, j->p, "document is empty", "write a value, such as {}");
    } else if (*j->p && !j->b->is_stopped) {
        report_once(j, j->p, j->p + 1, "text behind the end of the document", "remove it");
    }
    while (j->depth > 0)
        pop_bracket(j, j->p);
    if (!j->has_root)
        put_error(j, j->p, j->p);
}

void json_read(struct build *b) {
    struct json j = {.b = b, .p = b->base, .allows_comments = b->options->format == DOC_JSONC};
    if (b->source->bytes.len >= 3 && memcmp(j.p, "\xef\xbb\xbf", 3) == 0)
        j.p += 3;
    const char *start = j.p;
    read_value(&j);
    finish(&j);
    struct document *doc = VEC_ADD(b->arena, &b->stream->documents);
    doc->root = b->children[0];
    doc->at = build_span(b, start, j.p);
    b->child_count = 0;
}
