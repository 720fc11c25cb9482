#include "doc/yaml.h"

/* Over blanks, line breaks and comments to the next token. False where the brackets cannot go on: the line is not
 * indented, a document ends, or the file. */
static bool skip_gap(struct yaml *y) {
    const char *p = y->p;
    for (;;) {
        p = char_skip_blanks(p);
        if (*p == '#' && (p == y->line || char_is(p[-1], CHAR_GAP)))
            p = yaml_skip_comment(y, p);
        if (!char_is_break(*p))
            break;
        p = char_skip_break(p);
        y->line = p;
    }
    y->p = p;
    if (*p == 0)
        return false;
    const char *text = y->line;
    while (*text == ' ')
        text++;
    bool is_first = char_skip_blanks(text) == p; /* of its line; the line of the opening bracket begins before it */
    if (!is_first || p == y->flow_spot.start)
        return true;
    return text - y->line > y->flow_indent && !char_is_marker(y->line);
}

static bool wants_node(const struct frame *f) {
    return f->wants == WANTS_ENTRY || f->wants == WANTS_KEY || f->wants == WANTS_VALUE;
}

/* A pair [a: b] ends with its value. */
static void close_pairs(struct yaml *y) {
    while (y->top->kind == FRAME_FLOW_PAIR && y->top->wants == WANTS_COMMA) {
        yaml_put(y, yaml_pop_frame(y, NULL));
        y->top->may_pair = false;
    }
}

static void put_node(struct yaml *y, struct node *n, const char *start, bool is_json) {
    struct frame *f = y->top;
    struct node_props *props = f->props;
    f->props = NULL;
    f->entry = props ? f->entry : start;
    f->is_json_key = is_json;
    f->may_pair = true;
    if (f->wants != WANTS_VALUE && n->kind == NODE_SCALAR && n->style == NODE_PLAIN && sv_eq(n->text, SV("<<")) &&
        f->kind != FRAME_FLOW_SEQUENCE && y->b.options->merge_keys == DOC_REFUSE)
        diags_add(build_fail(&y->b), DIAG_yaml_unsupported_feature, n->at,
                  "the YAML merge key '<<' is not supported here");
    yaml_put(y, n);
    yaml_attach(y, n, props);
    close_pairs(y);
}

/* Fills what an entry lacks before ',' or a closing bracket. */
static void end_entry(struct yaml *y) {
    struct frame *f = y->top;
    bool is_sequence = f->kind == FRAME_FLOW_SEQUENCE;
    if (f->wants == WANTS_ENTRY && !f->props)
        return;
    if (wants_node(f))
        yaml_put_empty(y);
    if (!is_sequence && f->wants == WANTS_COLON) {
        f->wants = WANTS_VALUE;
        yaml_put_empty(y);
    }
    bool was_pair = f->kind == FRAME_FLOW_PAIR;
    close_pairs(y);
    if (was_pair)
        end_entry(y);
}

/* Passes over the rest of a broken entry. */
static void skip_entry(struct yaml *y) {
    const char *p = y->p;
    if (wants_node(y->top)) {
        yaml_put_error(y, p, p + 1);
        close_pairs(y);
    }
    while (!char_is(*p, CHAR_LINE_STOP) && *p != ',' && *p != ']' && *p != '}')
        p++;
    if (p == y->p && char_is(*p, CHAR_LINE_STOP) && *p && !char_is_break(*p))
        p++;
    y->p = p;
    y->is_quiet = true;
}

/* Behind a quoted text on its line, or behind the quote alone. */
static const char *skip_quoted(const char *p) {
    char quote = *p;
    const char *end = p + 1;
    while (*end != quote) {
        if (char_is(*end, CHAR_LINE_STOP))
            return p + 1;
        end += *end == '\\' && quote == '"' && !char_is(end[1], CHAR_LINE_STOP) ? 2 : 1;
    }
    return end + 1;
}

/* To the next line break or bracket, over quoted texts and comments. */
static const char *skip_to_bracket(const char *p) {
    while (!char_is(*p, CHAR_LINE_STOP) && *p != '[' && *p != ']' && *p != '{' && *p != '}') {
        bool is_start = char_is(p[-1], CHAR_GAP | CHAR_FLOW);
        if (is_start && *p == '#')
            while (!char_is(*p, CHAR_LINE_STOP))
                p++;
        else
            p = is_start && (*p == '"' || *p == '\'') ? skip_quoted(p) : p + 1;
    }
    return p;
}

/* Will the open brackets be closed, before a line that is indented no further than what is around them? Only counted,
 * and only once for each outermost bracket: after a mistake it tells a wrong entry from a bracket that was forgotten.
 */
static bool will_close(const struct yaml *y) {
    size_t depth = y->flow_depth;
    for (const char *p = y->p; depth > 0;) {
        p = skip_to_bracket(p);
        if (*p == 0)
            return false;
        if (char_is_break(*p)) {
            p = char_skip_break(p);
            const char *line = p;
            while (*p == ' ')
                p++;
            bool is_blank = char_is(*p, CHAR_GAP) || *p == '#' || *p == ']' || *p == '}';
            if (!is_blank && p - line <= y->flow_indent)
                return false;
            continue;
        }
        if (*p == '[' || *p == '{')
            depth++;
        else if (*p == ']' || *p == '}')
            depth--;
        p++;
    }
    return true;
}

/* May a mistake be reported here? Not when another was just before, nor when the bracket itself is the mistake. */
static bool may_report(struct yaml *y) {
    if (y->is_quiet || y->flow_end == FLOW_LOST)
        return false;
    if (y->flow_end == FLOW_UNKNOWN)
        /* A document that is all brackets has nowhere else to go on. */
        y->flow_end = y->flow_indent < 0 || will_close(y) ? FLOW_CLOSES : FLOW_LOST;
    return y->flow_end == FLOW_CLOSES;
}

static void report_once(struct yaml *y, const char *p, const char *message, const char *hint) {
    if (may_report(y))
        yaml_report(y, p, p + 1, message, hint);
}

static void read_comma(struct yaml *y) {
    const char *p = y->p;
    end_entry(y);
    struct frame *f = y->top;
    if (f->wants == WANTS_ENTRY)
        report_once(y, p, "nothing stands before this ','", "remove the ',' or write an entry before it");
    f->wants = WANTS_ENTRY;
    f->may_pair = false;
    y->is_quiet = false;
    y->p = f->slot_at = p + 1;
}

void yaml_flow_open(struct yaml *y, char bracket) {
    const char *p = y->p;
    struct frame *f = yaml_push_frame(y, bracket == '[' ? FRAME_FLOW_SEQUENCE : FRAME_FLOW_MAPPING, p, y->flow_indent);
    f->wants = WANTS_ENTRY;
    y->p = f->slot_at = p + 1;
    y->flow_depth++;
    y->is_quiet = false;
}

/* The top bracket is complete and ends at `end`. */
static void close_bracket(struct yaml *y, const char *end) {
    const char *start = y->top->start;
    struct node *n = yaml_pop_frame(y, end);
    y->p = end;
    y->flow_depth--;
    if (y->flow_depth > 0)
        put_node(y, n, start, true);
    else
        yaml_block_done(y, n, &y->flow_spot);
}

static char get_closing(const struct frame *f) {
    return f->kind == FRAME_FLOW_SEQUENCE ? ']' : '}';
}

static void report_unclosed(struct yaml *y, const struct frame *f) {
    struct diag *d = diags_add(build_fail(&y->b), DIAG_invalid_syntax, build_span(&y->b, f->start, f->start + 1),
                               "'%c' is never closed", *f->start);
    diag_set_hint(y->b.diags, d, "close it with '%c'; lines up to there are indented further than the entry",
                  get_closing(f));
}

static void report_mismatch(struct yaml *y, const struct frame *f) {
    struct diag *d = diags_add(build_fail(&y->b), DIAG_invalid_syntax, build_span(&y->b, y->p, y->p + 1),
                               "'%c' closes a bracket that '%c' opens", *y->p, *f->start);
    diag_add_related(y->b.diags, d, build_span(&y->b, f->start, f->start + 1), "opened here");
    diag_set_hint(y->b.diags, d, "write '%c' instead", get_closing(f));
}

/* A closing bracket of the wrong kind: was the inner one forgotten, so that this one closes the next outer one? What
 * follows tells. */
static bool closes_outer(const struct yaml *y) {
    if (y->flow_depth < 2 || get_closing(&y->top[-1]) != *y->p)
        return false;
    const char *next = char_skip_blanks(y->p + 1);
    if (y->flow_depth == 2)
        return *next == 0 || char_is_break(*next) || *next == '#';
    return *next == ',' || *next == get_closing(&y->top[-2]);
}

static void read_closing(struct yaml *y) {
    const char *p = y->p;
    end_entry(y);
    y->is_quiet = false;
    if (*p != get_closing(y->top) && !may_report(y))
        return;
    if (*p == get_closing(y->top)) {
        close_bracket(y, p + 1);
    } else if (closes_outer(y)) {
        report_unclosed(y, y->top);
        close_bracket(y, p);
    } else {
        report_mismatch(y, y->top);
        close_bracket(y, p + 1);
    }
}

static void open_pair(struct yaml *y, bool has_key) {
    struct frame *outer = y->top;
    const char *start = has_key ? outer->entry : y->p;
    struct node *key = has_key ? y->b.children[--y->b.child_count] : NULL;
    struct node_props *props = outer->props;
    outer->props = NULL;
    struct frame *f = yaml_push_frame(y, FRAME_FLOW_PAIR, start, y->flow_indent);
    f->wants = WANTS_KEY;
    f->props = props;
    if (key)
        yaml_put(y, key);
}

static void colon_done(struct yaml *y) {
    struct frame *f = y->top;
    f->wants = WANTS_VALUE;
    f->may_pair = false;
    y->p++;
    f->slot_at = y->p;
}

/* {a: 1 b: 2}: the text "1 b" is a value and a key without the comma between them. */
static bool split_value(struct yaml *y) {
    struct node *last = y->b.children[y->b.child_count - 1];
    const char *end = y->b.base + last->at.offset + last->at.length, *word = end;
    if (y->top->kind != FRAME_FLOW_MAPPING || y->top->wants != WANTS_COMMA || last->style != NODE_PLAIN ||
        last->kind != NODE_SCALAR || last->flags & NODE_ESCAPED || end != y->p)
        return false;
    while (word > last->text.data && !char_is_blank(word[-1]))
        word--;
    const char *value_end = word;
    while (value_end > last->text.data && char_is_blank(value_end[-1]))
        value_end--;
    if (value_end == last->text.data)
        return false;
    report_once(y, word, "',' is missing before this entry", "put a ',' between entries");
    last->text.len = last->at.length = (uint32_t)(value_end - last->text.data);
    y->top->wants = WANTS_ENTRY;
    put_node(y, yaml_make_plain(y, word, end, false), word, false);
    return true;
}

static void read_colon(struct yaml *y) {
    struct frame *f = y->top;
    f->slot_at = y->p;
    if (f->kind == FRAME_FLOW_SEQUENCE && f->wants == WANTS_ENTRY) {
        open_pair(y, false);
        y->top->slot_at = y->p;
        yaml_put_empty(y);
    } else if (f->kind == FRAME_FLOW_SEQUENCE && f->wants == WANTS_COMMA && f->may_pair) {
        if (f->entry < y->line)
            report_once(y, y->p, "a key must stand on one line with its ':'", "write '{' and '}' around the pair");
        open_pair(y, true);
    } else if (f->kind != FRAME_FLOW_SEQUENCE && (f->wants == WANTS_ENTRY || f->wants == WANTS_KEY)) {
        yaml_put_empty(y);
    } else if (f->wants != WANTS_COLON && !split_value(y)) {
        report_once(y, y->p, "a second ':' in one entry", "put a ',' between entries, or the text into quotes");
        y->p++;
        skip_entry(y);
        return;
    }
    colon_done(y);
}

static void read_question(struct yaml *y) {
    struct frame *f = y->top;
    if (f->wants != WANTS_ENTRY || f->props) {
        report_once(y, y->p, "'?' is not allowed here", "put a ',' before it");
        skip_entry(y);
        return;
    }
    if (f->kind == FRAME_FLOW_SEQUENCE)
        open_pair(y, false);
    y->top->wants = WANTS_KEY;
    y->p++;
    y->top->slot_at = y->p;
}

static bool is_colon(const struct yaml *y) {
    const struct frame *f = y->top;
    if (*y->p != ':')
        return false;
    if (char_is(y->p[1], CHAR_GAP | CHAR_FLOW))
        return true;
    return f->is_json_key && (f->wants == WANTS_COLON || (f->wants == WANTS_COMMA && f->may_pair));
}

static void read_quoted(struct yaml *y) {
    const char *start = y->p;
    struct node *n = yaml_read_quoted(y, y->flow_indent + 1);
    if (n) {
        put_node(y, n, start, true);
        return;
    }
    yaml_put_error(y, start, start + 1);
    close_pairs(y);
    y->is_quiet = true;
    y->p = start;
    while (*y->p && !char_is_break(*y->p))
        y->p++;
}

static void read_property(struct yaml *y) {
    struct frame *f = y->top;
    if (!f->props)
        f->entry = y->p;
    yaml_read_property(y, &f->props);
    f->slot_at = y->p;
    if (!char_is(*y->p, CHAR_GAP | CHAR_FLOW)) {
        report_once(y, y->p, "no blank behind a tag or an anchor", "put a blank there");
        skip_entry(y);
    }
}

static void refuse(struct yaml *y) {
    char c = *y->p;
    if (c == '-' || c == '?')
        report_once(y, y->p, "an entry between brackets has no '-' or '?' of its own", "remove it or use quotes");
    else if (c == '#')
        report_once(y, y->p, "comment without a blank before it", "put a blank before '#' or use quotes");
    else if (char_is(c, CHAR_LINE_STOP))
        report_once(y, y->p, "control character in the text", "write it as an escape between double quotes");
    else if (may_report(y))
        yaml_report_start(y, y->p);
    skip_entry(y);
}

/* A node where ',' or ':' is wanted. */
static void insert_comma(struct yaml *y) {
    struct frame *f = y->top;
    const char *start = y->p;
    report_once(y, start, "',' is missing before this entry", "put a ',' between entries");
    while (!wants_node(y->top)) {
        end_entry(y);
        y->top->wants = WANTS_ENTRY;
    }
    y->top->slot_at = start;
    y->is_quiet = false;
    (void)f;
}

/* {a: ${b}}: the brace would open a mapping. The text is passed over up to the end of the entry. */
static void refuse_substitution(struct yaml *y) {
    const char *p = y->p;
    if (may_report(y))
        yaml_report(y, p - 1, p + 1, "a text with '${' between brackets is not in quotes", "put the text into quotes");
    while (!char_is(*p, CHAR_LINE_STOP) && *p != ',' && *p != ']' && *p != '}') {
        if (*p != '{') {
            p++;
            continue;
        }
        while (!char_is(*p, CHAR_LINE_STOP) && *p != '}')
            p++;
        p += *p == '}';
    }
    y->p = p;
    y->is_quiet = true;
}

static void read_node(struct yaml *y) {
    const char *p = y->p;
    char c = *p;
    if (c == '{' && p[-1] == '$' && !wants_node(y->top)) {
        refuse_substitution(y);
        return;
    }
    if (!wants_node(y->top))
        insert_comma(y);
    if (c == '"' || c == '\'') {
        read_quoted(y);
    } else if (c == '[' || c == '{') {
        if (!y->top->props)
            y->top->entry = p;
        yaml_flow_open(y, c);
    } else if (c == '*') {
        struct node *n = yaml_read_alias(y);
        put_node(y, n, p, false);
    } else if (c == '&' || c == '!') {
        read_property(y);
    } else if (char_is(c, CHAR_PLAIN_FIRST) ||
               ((c == '-' || c == '?' || c == ':') && !char_is(p[1], CHAR_GAP | CHAR_FLOW))) {
        put_node(y, yaml_read_flow_plain(y), p, false);
    } else {
        refuse(y);
    }
}

static void read_token(struct yaml *y) {
    const char *p = y->p;
    if (*p == ',')
        read_comma(y);
    else if (*p == ']' || *p == '}')
        read_closing(y);
    else if (is_colon(y))
        read_colon(y);
    else if (*p == '?' && char_is(p[1], CHAR_GAP | CHAR_FLOW))
        read_question(y);
    else
        read_node(y);
}

/* The brackets end without their closing one: what was read so far stays. */
static void give_up(struct yaml *y) {
    report_unclosed(y, y->top->kind == FRAME_FLOW_PAIR ? y->top - 1 : y->top);
    struct node *n = NULL;
    while (y->flow_depth > 0) {
        end_entry(y);
        n = yaml_pop_frame(y, NULL);
        if (--y->flow_depth > 0)
            yaml_put(y, n);
    }
    if (y->flow_spot.is_key_needed) {
        build_push(&y->b, n);
        y->top->wants = WANTS_VALUE;
        yaml_put_error(y, y->p, y->p);
    } else {
        yaml_put(y, n);
    }
    y->is_line_kept = *y->p != 0 && y->flow_end != FLOW_LOST;
    yaml_resync(y);
}

void yaml_flow_run(struct yaml *y) {
    while (y->flow_depth > 0 && !y->b.is_stopped) {
        bool is_inside = skip_gap(y);
        bool is_closing = *y->p == ']' || *y->p == '}';
        if (!is_inside && is_closing && !char_is_marker(y->line)) {
            yaml_report(y, y->p, y->p + 1, "closing bracket is not indented",
                        "indent it further than the entry that it belongs to");
            is_inside = true;
        }
        if (!is_inside) {
            give_up(y);
            return;
        }
        read_token(y);
        if (y->flow_end == FLOW_LOST && y->flow_depth > 0) {
            give_up(y);
            return;
        }
    }
}
