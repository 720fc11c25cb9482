#include "doc/yaml.h"

#include "base/hint.h"
#include "doc/decode.h"

const char *yaml_scan_plain(const char *p, unsigned stops, const char **stop) {
    const char *from = p;
    for (;; p++) {
        while (!char_is(*p, stops))
            p++;
        if (*p == ':') {
            if (char_is(p[1], CHAR_GAP) || ((stops & CHAR_FLOW_STOP) && char_is(p[1], CHAR_FLOW)))
                break;
        } else if (*p == '#') {
            if (p == from || char_is_blank(p[-1]))
                break;
        } else {
            break;
        }
    }
    *stop = p;
    while (p > from && char_is_blank(p[-1]))
        p--;
    return p;
}

const char *yaml_find_plain_line(const char *p, int32_t least, const char **line) {
    while (char_is_break(*p)) {
        p = char_skip_break(p);
        const char *start = p;
        while (*p == ' ')
            p++;
        int32_t indent = (int32_t)(p - start);
        p = char_skip_blanks(p);
        if (char_is_break(*p))
            continue;
        if (indent < least || *p == '#' || *p == 0 || char_is_marker(start))
            return NULL;
        *line = start;
        return p;
    }
    return NULL;
}

/* The scalar's text: a view of the source, or decoded into the arena. */
static void set_text(struct yaml *y, struct node *n, const char *from, const char *to,
                     void (*decoder)(struct decode *d, const char *p, const char *end)) {
    if (!decoder) {
        n->text = sv_make(from, (size_t)(to - from));
        return;
    }
    struct decode d = {.base = y->b.base, .out = build_get_text(&y->b, DECODE_ROOM((size_t)(to - from)))};
    decoder(&d, from, to);
    n->text = arena_copy_sv(y->b.arena, sv_make(d.out, d.len));
    n->flags |= NODE_ESCAPED;
}

struct node *yaml_make_plain(struct yaml *y, const char *from, const char *to, bool is_folded) {
    struct node *n = build_node(&y->b, NODE_SCALAR, NODE_PLAIN, build_span(&y->b, from, to));
    yaml_check_printable(y, from, to);
    set_text(y, n, from, to, is_folded ? decode_plain : NULL);
    return n;
}

struct node *yaml_read_flow_plain(struct yaml *y) {
    const char *from = y->p, *stop, *line;
    const char *to = yaml_scan_plain(from, CHAR_FLOW_STOP, &stop);
    bool is_folded = false;
    while (char_is_break(*stop)) {
        const char *next = yaml_find_plain_line(stop, y->flow_indent + 1, &line);
        const char *end = next ? yaml_scan_plain(next, CHAR_FLOW_STOP, &stop) : NULL;
        if (!end || end == next)
            break;
        y->line = line;
        to = end;
        is_folded = true;
    }
    y->p = to;
    return yaml_make_plain(y, from, to, is_folded);
}

static void report_control(struct yaml *y, const char *p) {
    yaml_report(y, p, p + 1, "control character in the text", "write it as an escape between double quotes");
}

/* From a break between quotes to the next text; NULL when the scalar cannot go on there. */
static const char *next_quoted_line(struct yaml *y, const char *p, int32_t least) {
    while (char_is_break(*p)) {
        p = char_skip_break(p);
        y->line = p;
        while (*p == ' ')
            p++;
        int32_t indent = (int32_t)(p - y->line);
        const char *blank = p;
        p = char_skip_blanks(p);
        if (char_is_break(*p))
            continue;
        if (*p == 0 || char_is_marker(y->line))
            return NULL;
        if (indent >= least)
            return p;
        if (p == blank)
            return NULL;
        yaml_report(y, blank, blank + 1, "tab in the indentation", "indent with spaces");
    }
    return p;
}

static const char *skip_escape(struct yaml *y, const char *p) {
    uint32_t codepoint;
    if (char_is_break(p[1]))
        return p + 1;
    size_t len = decode_escape(p, false, &codepoint);
    if (len > 0)
        return p + len;
    const char *end = p + 1;
    while (end < p + 2 || ((unsigned char)*end & 0xc0) == 0x80)
        end++;
    if (p[1] == 0)
        return p + 1;
    yaml_report(y, p, end, "unknown escape between double quotes",
                "write '\\\\' for a backslash, or use single quotes");
    return end;
}

/* Behind the opening quote to the closing one; NULL when there is none. */
static const char *find_quote(struct yaml *y, const char *p, int32_t least, bool *is_decoded) {
    char quote = p[-1];
    unsigned stops = quote == '"' ? CHAR_DOUBLE_STOP : CHAR_SINGLE_STOP;
    for (;;) {
        while (!char_is(*p, stops))
            p++;
        if (*p == quote && !(quote == '\'' && p[1] == '\''))
            return p;
        if (*p == 0)
            return NULL;
        if (!char_is_break(*p) && *p != quote && *p != '\\') {
            report_control(y, p++);
            continue;
        }
        *is_decoded = true;
        if (*p == quote)
            p += 2;
        else if (*p == '\\')
            p = skip_escape(y, p);
        else
            p = next_quoted_line(y, p, least);
        if (!p)
            return NULL;
    }
}

/* May a quoted text end with this quote, as far as what follows on the line tells? */
static bool is_end_quote(const struct yaml *y, const char *quote) {
    const char *p = char_skip_blanks(quote + 1);
    if (y->flow_depth > 0 && char_is(*p, CHAR_FLOW))
        return *p != '[' && *p != '{';
    if (*p == ':')
        return char_is(p[1], CHAR_GAP) || y->flow_depth > 0;
    return *p == 0 || char_is_break(*p) || (*p == '#' && p > quote + 1);
}

/* The number of `${` without `}` before `to`. */
static size_t count_open(const char *from, const char *to) {
    size_t open = 0;
    for (const char *p = from; p < to; p++) {
        if (*p == '$' && p[1] == '{')
            open++;
        else if (*p == '}' && open > 0)
            open--;
    }
    return open;
}

/* "a "b" c": a quote within the text has ended it. Returns the quote that was to end it, on the same line and outside
 * of `${}`; NULL when there is none. A line without one is searched once. */
static const char *find_meant_quote(struct yaml *y, const char *from, const char *end) {
    size_t open = count_open(from, end);
    const char *p = end + 1;
    bool is_next = y->flow_depth > 0 && open == 0 && char_is(*p, CHAR_GAP); /* {a: "b" c: d} lacks a comma */
    if (is_next || is_end_quote(y, end) || p < y->no_quote_before)
        return NULL;
    for (; !char_is_break(*p) && *p; p++) {
        if (*p == '$' && p[1] == '{')
            open++;
        else if (*p == '}' && open > 0)
            open--;
        else if (*p == *end && open == 0 && is_end_quote(y, p))
            return p;
    }
    y->no_quote_before = p;
    return NULL;
}

/* Reports a quote that ends a text too early. */
static void report_inner_quote(struct yaml *y, const char *from, const char *quote) {
    if (y->flow_depth > 0 && y->is_quiet)
        return;
    bool is_double = *quote == '"', has_code = from[0] == '$' && from[1] == '{';
    yaml_report(y, quote, quote + 1, "this quote ends the text, which goes on behind it",
                has_code && is_double ? "write the inner quotes as '…'"
                : has_code            ? "write the inner quotes as \"…\""
                : is_double           ? "write a quote within the text as '\\\"'"
                                      : "write a quote within the text twice");
}

struct node *yaml_read_quoted(struct yaml *y, int32_t least) {
    const char *from = y->p, *line = y->line;
    bool is_double = *from == '"', is_decoded = false;
    const char *end = find_quote(y, from + 1, least, &is_decoded);
    const char *meant = end ? find_meant_quote(y, from + 1, end) : NULL;
    if (meant) {
        report_inner_quote(y, from + 1, end);
        end = meant;
        is_decoded = false; /* the text is broken anyway */
    }
    if (!end) {
        y->line = line;
        yaml_report(y, from, from + 1, is_double ? "double quote is never closed" : "single quote is never closed",
                    is_double ? "close it with '\"'" : "close it with \"'\"; a quote within is written twice");
        return NULL;
    }
    y->p = end + 1;
    struct node *n = build_node(&y->b, NODE_SCALAR, is_double ? NODE_DOUBLE_QUOTED : NODE_SINGLE_QUOTED,
                                build_span(&y->b, from, end + 1));
    set_text(y, n, from + 1, end, !is_decoded ? NULL : is_double ? decode_double_quoted : decode_single_quoted);
    return n;
}

/* What follows the header on its line: nothing but a comment. */
static const char *finish_header(struct yaml *y, const char *p) {
    const char *rest = char_skip_blanks(p);
    if (*rest == '#' && rest > p)
        rest = yaml_skip_comment(y, rest);
    if (*rest == 0 || char_is_break(*rest))
        return rest;
    yaml_report(y, rest, rest + 1, "bad header of a block scalar",
                "behind '|' or '>' stand only '+' or '-' and a digit; the text starts on the next line");
    return NULL;
}

struct node *yaml_read_block_scalar(struct yaml *y) {
    struct block_scalar block;
    const char *from = y->p;
    const char *rest = finish_header(y, decode_block_header(from, &block));
    if (!rest)
        return NULL;
    block.body = *rest ? char_skip_break(rest) : rest;
    const char *mistake = decode_find_block_end(&block, (size_t)y->top->indent + 1);
    if (mistake && *mistake == '\t')
        yaml_report(y, mistake, mistake + 1, "tab in the indentation", "indent with spaces");
    else if (mistake)
        yaml_report(y, mistake, mistake + 1, "blank line is indented further than the first line of the text",
                    "take the spaces away or give the indentation in the header, as in '|2'");
    if (block.control)
        report_control(y, block.control);
    yaml_check_printable(y, block.body, block.last);
    const char *to = block.last > block.body ? block.last : char_is_break(*rest) || !*rest ? rest : block.body;
    struct node *n =
        build_node(&y->b, NODE_SCALAR, block.is_folded ? NODE_FOLDED : NODE_LITERAL, build_span(&y->b, from, to));
    struct decode d = {.base = y->b.base, .out = build_get_text(&y->b, DECODE_ROOM((size_t)(block.end - block.body)))};
    decode_block_scalar(&d, &block);
    n->text = arena_copy_sv(y->b.arena, sv_make(d.out, d.len));
    n->flags |= NODE_ESCAPED;
    n->indent = block.indent < 255 ? (uint8_t)block.indent : 255;
    y->p = y->line = block.end;
    return n;
}

static void report_anchor(struct yaml *y, const struct node *alias, bool is_open) {
    sv name = build_show(alias->text.data, alias->text.data + alias->text.len);
    if (is_open) {
        struct diag *d = diags_add(build_fail(&y->b), DIAG_invalid_syntax, alias->at,
                                   "alias '%.*s' stands within the node that it names", SV_ARG(name));
        diag_set_hint(y->b.diags, d, "a node cannot contain itself");
        return;
    }
    struct hint hint = HINT(alias->text);
    enum { HINTS = 100, CANDIDATES = 1000 }; /* hints are for people: no need to compare everything with everything */
    size_t candidates = y->b.diags->errors > HINTS ? 0 : y->b.anchors.len;
    for (size_t i = 0; i < candidates && i < CANDIDATES; i++)
        hint_offer(&hint, y->b.anchors.entries[i].key);
    struct diag *d =
        diags_add(build_fail(&y->b), DIAG_invalid_syntax, alias->at, "anchor '%.*s' does not exist", SV_ARG(name));
    if (hint.best.len > 0)
        diag_set_hint(y->b.diags, d, "did you mean '%.*s'?", SV_ARG(hint.best));
    else
        diag_set_hint(y->b.diags, d, "an anchor '&%.*s' must stand before its alias", SV_ARG(name));
}

struct node *yaml_read_alias(struct yaml *y) {
    const char *from = y->p, *to = from + 1;
    while (!char_is(*to, CHAR_GAP | CHAR_FLOW | CHAR_LINE_STOP))
        to++;
    y->p = to;
    if (to == from + 1) {
        yaml_report(y, from, to, "alias without a name", "put the text into quotes");
        return build_node(&y->b, NODE_ERROR, NODE_PLAIN, build_span(&y->b, from, to));
    }
    struct node *n = build_node(&y->b, NODE_ALIAS, NODE_PLAIN, build_span(&y->b, from, to));
    n->text = sv_make(from + 1, (size_t)(to - from - 1));
    n->props = ARENA_NEW(y->b.arena, struct node_props);
    void *found = map_find(&y->b.anchors, n->text);
    if (y->b.options->anchors == DOC_REFUSE)
        diags_add(build_fail(&y->b), DIAG_yaml_unsupported_feature, n->at, "YAML aliases are not supported here");
    else if (!found || found == y)
        report_anchor(y, n, found == y);
    else
        n->props->target = found;
    return n;
}
