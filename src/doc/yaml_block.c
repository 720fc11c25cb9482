#include "doc/yaml.h"

bool yaml_is_indicator(const char *p, char indicator) {
    return *p == indicator && char_is(p[1], CHAR_GAP);
}

/* To the start of the next line, when `p` is at a break. */
static void next_line(struct yaml *y, const char *p) {
    y->p = y->line = *p ? char_skip_break(p) : p;
    y->next = NEXT_LINE;
}

static void report_rest(struct yaml *y, const char *p) {
    if (*p == '#')
        yaml_report(y, p, p + 1, "comment without a blank before it", "put a blank before '#' or use quotes");
    else if (*p == ':')
        yaml_report(y, p, p + 1, "':' is not allowed here",
                    "put the value into quotes or the entry on a line of its own");
    else if (*p == ']' || *p == '}')
        yaml_report(y, p, p + 1, "bracket without its opening one", "remove it or put the text into quotes");
    else if (char_is(*p, CHAR_LINE_STOP))
        yaml_report(y, p, p + 1, "control character in the text", "write it as an escape between double quotes");
    else
        yaml_report(y, p, p + 1, "unexpected text behind the value", "put the whole value into quotes");
}

bool yaml_end_line(struct yaml *y) {
    const char *p = char_skip_blanks(y->p);
    if (*p == '#' && (p == y->line || char_is(p[-1], CHAR_GAP)))
        p = yaml_skip_comment(y, p);
    if (*p == 0 || char_is_break(*p)) {
        next_line(y, p);
        return true;
    }
    report_rest(y, p);
    y->p = p;
    return false;
}

void yaml_finish_line(struct yaml *y) {
    if (!yaml_end_line(y))
        yaml_resync(y);
}

/* The slot's node gets what was written before it on its own line and on lines above. */
static void put_value(struct yaml *y, struct node *n, const struct spot *spot) {
    struct node_props *props = y->top->props;
    y->top->props = NULL;
    if (spot->props)
        props = yaml_merge_props(y, props, spot->props);
    yaml_put(y, n);
    if (props)
        yaml_attach(y, n, props);
}

static void check_key(struct yaml *y, const struct node *key) {
    if (y->b.options->merge_keys == DOC_REFUSE && key->style == NODE_PLAIN && sv_eq(key->text, SV("<<")))
        diags_add(build_fail(&y->b), DIAG_yaml_unsupported_feature, key->at,
                  "the YAML merge key '<<' is not supported here");
}

static void make_key(struct yaml *y, struct node *n, const struct spot *spot, const char *colon) {
    if (!spot->is_key_needed)
        yaml_push_frame(y, FRAME_MAPPING, spot->start, spot->column);
    yaml_attach(y, n, spot->props);
    if (n->kind == NODE_SCALAR && n->text.len == 2)
        check_key(y, n);
    build_push(&y->b, n);
    y->top->wants = WANTS_VALUE;
    y->p = y->top->slot_at = colon + 1;
    y->next = NEXT_INLINE;
    y->is_compact = false;
}

static void report_colon(struct yaml *y, const struct spot *spot, const char *colon) {
    if (spot->tab)
        yaml_report(y, spot->tab, spot->tab + 1, "tab in the indentation", "indent with spaces");
    else
        yaml_report(y, colon, colon + 1, "a second ':' on the line of a value",
                    "put the value into quotes or the entry on a line of its own");
}

static void report_no_colon(struct yaml *y, const struct node *n) {
    sv shown = build_show(y->b.base + n->at.offset, y->b.base + n->at.offset + n->at.length);
    struct diag *d = diags_add(build_fail(&y->b), DIAG_invalid_syntax, n->at, "key '%.*s' has no ':'", SV_ARG(shown));
    diag_set_hint(y->b.diags, d, "write ':' and a blank behind it");
}

/* An entry of which only the key could be read. */
static void put_broken_entry(struct yaml *y, struct node *key) {
    build_push(&y->b, key);
    y->top->wants = WANTS_VALUE;
    yaml_put_error(y, y->b.base + key->at.offset, y->b.base + key->at.offset + key->at.length);
}

/* A node is followed by ':' but does not stand on one line. */
static void refuse_long_key(struct yaml *y, struct node *n, const struct spot *spot, const char *colon) {
    yaml_report(y, colon, colon + 1, "a key must stand on one line", "write '? ' before a key of several lines");
    if (spot->is_key_needed)
        put_broken_entry(y, n);
    else
        yaml_put_error(y, spot->start, colon);
    y->p = colon;
    yaml_resync(y);
}

void yaml_block_done(struct yaml *y, struct node *n, const struct spot *spot) {
    if (spot->is_key_allowed || spot->is_key_needed) {
        const char *colon = char_skip_blanks(y->p);
        bool has_colon = yaml_is_indicator(colon, ':');
        if (has_colon && spot->start >= y->line) {
            make_key(y, n, spot, colon);
            return;
        }
        if (has_colon) {
            refuse_long_key(y, n, spot, colon);
            return;
        }
        if (spot->is_key_needed) {
            report_no_colon(y, n);
            put_broken_entry(y, n);
            yaml_resync(y);
            return;
        }
    }
    put_value(y, n, spot);
    yaml_finish_line(y);
}

/* A further line of a plain scalar turns out to be an entry "key: value". */
static void recover_plain(struct yaml *y, struct node *n, const struct spot *spot, const char *line, const char *text) {
    bool is_sibling = spot->is_key_allowed && text - line == spot->column;
    bool is_adopted = text - line == y->top->former_indent;
    if (is_adopted) { /* the collection had taken on the indentation of a misplaced entry, and now goes on */
        put_value(y, n, spot);
    } else if (is_sibling) { /* what stands before it is an entry without its colon */
        report_no_colon(y, n);
        yaml_push_frame(y, FRAME_MAPPING, spot->start, spot->column);
        put_broken_entry(y, n);
    } else {
        const char *end = text;
        while (!char_is(*end, CHAR_GAP | CHAR_LINE_STOP) && *end != ':')
            end++;
        yaml_report(y, text, end, "entry is indented deeper than its neighbours",
                    "indent it like the entry above, which has a value already");
        put_value(y, n, spot);
    }
    y->p = y->line = line;
    y->next = NEXT_LINE;
    y->is_line_kept = !is_sibling && !is_adopted;
    if (y->is_line_kept)
        yaml_resync(y);
}

/* A plain scalar that is no key and may go on on the next lines. */
static void read_plain_lines(struct yaml *y, const struct spot *spot, const char *from, const char *to,
                             const char *stop) {
    const char *line = NULL, *next;
    bool is_folded = false;
    while ((next = yaml_find_plain_line(stop, y->top->indent + 1, &line)) != NULL) {
        const char *end = yaml_scan_plain(next, CHAR_PLAIN_STOP, &stop);
        if (*stop == ':') {
            recover_plain(y, yaml_make_plain(y, from, to, is_folded), spot, line, next);
            return;
        }
        to = end;
        y->line = line;
        is_folded = true;
    }
    y->p = to;
    put_value(y, yaml_make_plain(y, from, to, is_folded), spot);
    yaml_finish_line(y);
}

static void read_plain(struct yaml *y, const struct spot *spot) {
    const char *from = y->p, *stop;
    const char *to = yaml_scan_plain(from, CHAR_PLAIN_STOP, &stop);
    if (*stop == ':') {
        struct node *n = yaml_make_plain(y, from, to, false);
        if (spot->is_key_allowed || spot->is_key_needed) {
            make_key(y, n, spot, stop);
        } else {
            report_colon(y, spot, stop);
            yaml_put_error(y, from, to);
            yaml_resync(y);
        }
    } else if (spot->is_key_needed) {
        struct node *n = yaml_make_plain(y, from, to, false);
        report_no_colon(y, n);
        put_broken_entry(y, n);
        yaml_resync(y);
    } else {
        read_plain_lines(y, spot, from, to, stop);
    }
}

void yaml_report_start(struct yaml *y, const char *p) {
    struct diag *d = diags_add(build_fail(&y->b), DIAG_invalid_syntax, build_span(&y->b, p, p + 1),
                               "text cannot start with '%c'", *p);
    diag_set_hint(y->b.diags, d, "put the text into quotes");
}

/* The slot gets an error; a key that cannot be read leaves nothing. */
static void give_up_node(struct yaml *y, const struct spot *spot) {
    if (!spot->is_key_needed)
        yaml_put_error(y, y->p, y->p + 1);
    yaml_resync(y);
}

/* A node that cannot stand here: reported; its slot gets an error. */
static void refuse(struct yaml *y, const struct spot *spot, const char *message, const char *hint) {
    yaml_report(y, y->p, y->p + 1, message, hint);
    give_up_node(y, spot);
}

static void open_sequence(struct yaml *y, const char *p, int32_t column) {
    struct frame *f = yaml_push_frame(y, FRAME_SEQUENCE, p, column);
    f->wants = WANTS_VALUE;
    y->p = f->slot_at = p + 1;
    y->next = NEXT_INLINE;
    y->is_compact = true;
}

/* "- ", "? " or ": " where a node is wanted: a collection starts. */
static void open_collection(struct yaml *y, const struct spot *spot) {
    const char *p = y->p;
    if (*p == ':' && (spot->is_key_allowed || spot->is_key_needed)) {
        struct node *n = build_node(&y->b, NODE_SCALAR, NODE_EMPTY, build_span(&y->b, p, p));
        n->text = sv_make(p, 0);
        make_key(y, n, spot, p);
    } else if (spot->tab) {
        yaml_report(y, spot->tab, spot->tab + 1, "tab in the indentation", "indent with spaces");
        yaml_put_error(y, p, p + 1);
        yaml_resync(y);
    } else if (!spot->is_key_allowed || spot->props) {
        refuse(y, spot, *p == '-' ? "a block sequence cannot start here" : "a block mapping cannot start here",
               "start it on a line of its own");
    } else if (*p == '-') {
        open_sequence(y, p, spot->column);
    } else {
        struct frame *f = yaml_push_frame(y, FRAME_MAPPING, p, spot->column);
        f->wants = WANTS_KEY;
        y->p = f->slot_at = p + 1;
        y->next = NEXT_INLINE;
        y->is_compact = true;
    }
}

static void read_block_scalar(struct yaml *y, const struct spot *spot) {
    if (spot->is_key_needed) {
        refuse(y, spot, "a block scalar cannot be a key", "write '? ' before a key of several lines");
        return;
    }
    struct node *n = yaml_read_block_scalar(y);
    if (!n) {
        yaml_put_error(y, y->p, y->p + 1);
        yaml_resync(y);
        return;
    }
    put_value(y, n, spot);
    y->next = NEXT_LINE;
}

static void read_quoted(struct yaml *y, const struct spot *spot) {
    const char *from = y->p;
    struct node *n = yaml_read_quoted(y, y->top->indent + 1);
    if (n) {
        yaml_block_done(y, n, spot);
        return;
    }
    if (!spot->is_key_needed)
        yaml_put_error(y, from, from + 1);
    yaml_resync(y);
}

static void open_flow(struct yaml *y, const struct spot *spot) {
    y->flow_spot = *spot;
    y->flow_indent = y->top->indent;
    y->flow_end = FLOW_UNKNOWN;
    struct node_props *outer = y->top->props; /* stay with the slot: they may belong to a mapping around */
    y->top->props = NULL;
    yaml_open_anchor(y, outer);
    yaml_open_anchor(y, spot->props);
    yaml_flow_open(y, *y->p);
    y->top[-1].props = outer;
    y->next = NEXT_FLOW;
}

/* The node at `p`, whatever it is; properties are read already. */
static void read_node(struct yaml *y, const struct spot *spot) {
    const char *p = y->p;
    char c = *p;
    if (char_is(c, CHAR_PLAIN_FIRST)) {
        read_plain(y, spot);
    } else if (c == '"' || c == '\'') {
        read_quoted(y, spot);
    } else if (c == '[' || c == '{') {
        open_flow(y, spot);
    } else if (c == '-' || c == '?' || c == ':') {
        if (char_is(p[1], CHAR_GAP))
            open_collection(y, spot);
        else
            read_plain(y, spot);
    } else if (c == '|' || c == '>') {
        read_block_scalar(y, spot);
    } else if (c == '*') {
        yaml_block_done(y, yaml_read_alias(y), spot);
    } else if (c == ']' || c == '}') {
        refuse(y, spot, "bracket without its opening one", "remove it or put the text into quotes");
    } else if (char_is(c, CHAR_LINE_STOP)) {
        refuse(y, spot, "control character in the text", "write it as an escape between double quotes");
    } else {
        yaml_report_start(y, p);
        give_up_node(y, spot);
    }
}

/* Properties, then the node; without a node on the line they stay with the slot. */
static void read_spot(struct yaml *y, struct spot *spot) {
    while (*y->p == '&' || *y->p == '!') {
        yaml_read_property(y, &spot->props);
        const char *p = char_skip_blanks(y->p);
        if (*p == 0 || char_is_break(*p) || (*p == '#' && p > y->p)) {
            if (spot->is_key_needed) {
                refuse(y, spot, "properties without a key", "put the key on the same line");
                return;
            }
            y->top->props = yaml_merge_props(y, y->top->props, spot->props);
            yaml_finish_line(y);
            return;
        }
        if (p == y->p) {
            refuse(y, spot, "no blank behind a tag or an anchor", "put a blank there");
            return;
        }
        y->p = p;
    }
    read_node(y, spot);
}

void yaml_block_inline(struct yaml *y) {
    const char *p = y->p, *tab = NULL;
    for (; char_is_blank(*p); p++)
        if (*p == '\t' && !tab)
            tab = p;
    if (*p == 0 || char_is_break(*p)) {
        next_line(y, p);
        return;
    }
    if (*p == '#') {
        yaml_finish_line(y);
        return;
    }
    struct spot spot = {.start = p,
                        .column = (int32_t)(p - y->line),
                        .is_key_allowed = y->is_compact && !tab,
                        .tab = y->is_compact ? tab : NULL};
    y->p = p;
    read_spot(y, &spot);
}

/* A line that starts an entry of the top frame. */
static void read_entry(struct yaml *y, const char *p, int32_t indent) {
    struct frame *f = y->top;
    y->is_resyncing = false;
    y->p = p;
    if (f->kind == FRAME_SEQUENCE) {
        f->wants = WANTS_VALUE;
        y->p = f->slot_at = p + 1;
        y->next = NEXT_INLINE;
        y->is_compact = true;
        return;
    }
    bool has_value = yaml_is_indicator(p, ':') && f->wants == WANTS_COLON;
    if (f->wants == WANTS_COLON && !has_value)
        yaml_put_empty(y);
    if (has_value || yaml_is_indicator(p, '?')) {
        f->wants = has_value ? WANTS_VALUE : WANTS_KEY;
        y->p = f->slot_at = p + 1;
        y->next = NEXT_INLINE;
        y->is_compact = true;
        return;
    }
    struct spot spot = {.start = p, .column = indent, .is_key_needed = true};
    read_spot(y, &spot);
}

/* The slot waits for a node from an earlier line: this line brings it, or it stays empty. True when the line is used
 * up. */
static bool fill_slot(struct yaml *y, const char *p, int32_t indent) {
    struct frame *f = y->top;
    bool is_dash = yaml_is_indicator(p, '-');
    bool is_tabbed = p > y->line + indent;
    if (f->kind == FRAME_MAPPING && indent == f->indent && is_dash && !is_tabbed) {
        open_sequence(y, p, indent);
        return true;
    }
    if (indent <= f->indent) {
        yaml_put_empty(y);
        return false;
    }
    struct spot spot = {
        .start = p, .column = indent, .is_key_allowed = !is_tabbed, .tab = is_tabbed ? y->line + indent : NULL};
    y->p = p;
    read_spot(y, &spot);
    return true;
}

/* Closes the collections that end before a line of this indentation. */
static void close_frames(struct yaml *y, const char *p, int32_t indent) {
    for (;;) {
        struct frame *f = y->top;
        bool ends = indent < f->indent || (f->kind == FRAME_SEQUENCE && f->indent == indent && f[-1].indent == indent &&
                                           !yaml_is_indicator(p, '-'));
        if (!ends || f->kind == FRAME_DOCUMENT)
            return;
        if (f->wants == WANTS_VALUE || f->wants == WANTS_KEY)
            yaml_put_empty(y);
        if (f->wants == WANTS_COLON)
            yaml_put_empty(y);
        yaml_put(y, yaml_pop_frame(y, NULL));
    }
}

/* Is there an open collection whose entries stand in this column? */
static bool is_known_indent(const struct yaml *y, int32_t indent) {
    const struct frame *f = y->top;
    if (f->wants == WANTS_VALUE || f->wants == WANTS_KEY)
        if (indent > f->indent)
            return true;
    while (f->indent > indent)
        f--;
    return f->indent == indent;
}

static void read_line(struct yaml *y, const char *p, int32_t indent) {
    bool is_tabbed = p > y->line + indent;
    if (!is_known_indent(y, indent) && y->top->kind != FRAME_DOCUMENT) {
        yaml_recover_indent(y, p, indent);
        return;
    }
    close_frames(y, p, indent);
    if ((y->top->wants == WANTS_VALUE || y->top->wants == WANTS_KEY) && fill_slot(y, p, indent))
        return;
    struct frame *f = y->top;
    y->p = p;
    if (f->kind == FRAME_DOCUMENT) {
        yaml_report(y, p, p + 1, "text behind the end of the document's content",
                    "indent it as a part of what stands above, or start a new document with '---'");
        yaml_resync(y);
    } else if (is_tabbed) {
        yaml_report(y, y->line + indent, y->line + indent + 1, "tab in the indentation", "indent with spaces");
        yaml_resync(y);
    } else if (f->kind == FRAME_SEQUENCE && !yaml_is_indicator(p, '-')) {
        yaml_report(y, p, p + 1, "a sequence goes on with '- '", "write '- ' before the item or indent it otherwise");
        yaml_resync(y);
    } else if (f->kind == FRAME_MAPPING && yaml_is_indicator(p, '-')) {
        yaml_report(y, p, p + 1, "a mapping goes on with a key, not with '- '", "indent the sequence below its key");
        yaml_resync(y);
    } else {
        read_entry(y, p, indent);
    }
}

void yaml_block_line(struct yaml *y) {
    const char *p = y->p;
    while (*p == ' ')
        p++;
    int32_t indent = (int32_t)(p - y->line);
    p = char_skip_blanks(p);
    if (char_is_break(*p)) {
        next_line(y, p);
    } else if (*p == '#') {
        next_line(y, yaml_skip_comment(y, p));
    } else if (*p == 0 || (p == y->line && char_is_marker(p))) {
        y->p = p;
        y->next = NEXT_DONE;
    } else {
        read_line(y, p, indent);
    }
}
