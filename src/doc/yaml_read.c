#include "doc/yaml_read.h"

#include "doc/yaml.h"

#include <string.h>

enum { FIRST_FRAMES = 16 };

void yaml_report(struct yaml *y, const char *from, const char *to, const char *message, const char *hint) {
    struct diag *d =
        diags_add(build_fail(&y->b), DIAG_invalid_syntax, build_span_within(&y->b, from, to), "%s", message);
    diag_set_hint(y->b.diags, d, "%s", hint);
}

static void grow_frames(struct yaml *y) {
    size_t used = y->frames ? (size_t)(y->top - y->frames) : 0;
    size_t cap = y->frame_cap ? y->frame_cap * 2 : FIRST_FRAMES;
    y->frames = arena_grow_array(&y->b.scratch, y->frames, y->frame_cap, cap, sizeof *y->frames);
    y->frame_cap = cap;
    y->top = y->frames + used;
}

void yaml_open_anchor(struct yaml *y, const struct node_props *props) {
    if (props && props->anchor.len > 0)
        map_put(&y->b.anchors, props->anchor, y);
}

/* A collection made by indentation ends where its last child ends. */
static const char *find_end(const struct yaml *y, const struct frame *f) {
    if (y->b.child_count == f->first)
        return f->start;
    span last = y->b.children[y->b.child_count - 1]->at;
    return y->b.base + last.offset + last.length;
}

struct frame *yaml_push_frame(struct yaml *y, enum frame_kind kind, const char *start, int32_t indent) {
    size_t depth = kind == FRAME_DOCUMENT ? 0 : (size_t)(y->top - y->frames) + 1;
    if (depth > y->b.limits->nesting)
        build_stop(&y->b, build_span(&y->b, start, start + 1), "nesting", y->b.limits->nesting);
    struct node_props *own = depth ? y->top->props : NULL;
    if (depth)
        y->top->props = NULL;
    if (depth + 1 >= y->frame_cap)
        grow_frames(y);
    y->top = y->frames + depth;
    *y->top = (struct frame){.kind = (uint8_t)kind,
                             .wants = WANTS_ENTRY,
                             .indent = indent,
                             .former_indent = -1,
                             .first = y->b.child_count,
                             .start = start,
                             .slot_at = start,
                             .own = own};
    yaml_open_anchor(y, own);
    return y->top;
}

struct node *yaml_pop_frame(struct yaml *y, const char *end) {
    struct frame *f = y->top;
    bool is_sequence = f->kind == FRAME_SEQUENCE || f->kind == FRAME_FLOW_SEQUENCE;
    bool is_block = f->kind == FRAME_SEQUENCE || f->kind == FRAME_MAPPING;
    struct node *n = build_node(&y->b, is_sequence ? NODE_SEQUENCE : NODE_MAPPING, is_block ? NODE_BLOCK : NODE_FLOW,
                                build_span(&y->b, f->start, end ? end : find_end(y, f)));
    build_take_children(&y->b, n, f->first);
    y->top--;
    if (f->own)
        yaml_attach(y, n, f->own);
    return n;
}

void yaml_attach(struct yaml *y, struct node *n, struct node_props *props) {
    if (!props)
        return;
    if (n->kind == NODE_ALIAS) {
        span at = props->anchor.len > 0 ? props->anchor_at : props->tag_at;
        yaml_report(y, y->b.base + at.offset, y->b.base + at.offset + at.length,
                    "alias cannot have a tag or an anchor of its own", "put them at the node that it names");
        return;
    }
    n->props = props;
    if (props->anchor.len > 0)
        map_put(&y->b.anchors, props->anchor, n);
}

void yaml_put(struct yaml *y, struct node *n) {
    struct frame *f = y->top;
    build_push(&y->b, n);
    switch ((enum frame_kind)f->kind) {
    case FRAME_DOCUMENT:
        f->wants = WANTS_NOTHING;
        break;
    case FRAME_SEQUENCE:
        f->wants = WANTS_ENTRY;
        break;
    case FRAME_MAPPING:
        f->wants = f->wants == WANTS_VALUE ? WANTS_ENTRY : WANTS_COLON;
        break;
    case FRAME_FLOW_SEQUENCE:
        f->wants = WANTS_COMMA;
        break;
    case FRAME_FLOW_MAPPING:
    case FRAME_FLOW_PAIR:
        f->wants = f->wants == WANTS_VALUE ? WANTS_COMMA : WANTS_COLON;
        break;
    }
}

void yaml_put_empty(struct yaml *y) {
    struct frame *f = y->top;
    struct node *n = build_node(&y->b, NODE_SCALAR, NODE_EMPTY, build_span(&y->b, f->slot_at, f->slot_at));
    n->text = sv_make(f->slot_at, 0);
    struct node_props *props = f->props;
    f->props = NULL;
    yaml_put(y, n);
    yaml_attach(y, n, props);
}

void yaml_put_error(struct yaml *y, const char *from, const char *to) {
    y->top->props = NULL;
    yaml_put(y, build_node(&y->b, NODE_ERROR, NODE_PLAIN, build_span_within(&y->b, from, to)));
}

const char *yaml_skip_comment(struct yaml *y, const char *p) {
    const char *from = p;
    for (;; p++) {
        while (!char_is(*p, CHAR_LINE_STOP))
            p++;
        if (*p == 0 || char_is_break(*p))
            break;
        yaml_report(y, p, p + 1, "control character in a comment", "remove it");
    }
    yaml_check_printable(y, from, p);
    if (y->b.options->keep_comments)
        build_add_comment(&y->b, from, p, sv_make(from + 1, (size_t)(p - from - 1)));
    return p;
}

void yaml_check_printable(struct yaml *y, const char *from, const char *to) {
    const char *found = y->has_unprintable ? char_find_unprintable(from, to) : NULL;
    if (found)
        yaml_report(y, found, found + ((unsigned char)*found < 0xe0 ? 2 : 3), "character that cannot be seen",
                    "write it as an escape between double quotes");
}

/* Closes what is still open where the document ends. */
static struct node *finish_root(struct yaml *y) {
    while (y->top->kind != FRAME_DOCUMENT) {
        if (y->top->wants == WANTS_VALUE || y->top->wants == WANTS_KEY)
            yaml_put_empty(y);
        if (y->top->wants == WANTS_COLON)
            yaml_put_empty(y);
        yaml_put(y, yaml_pop_frame(y, NULL));
    }
    if (y->top->wants != WANTS_NOTHING)
        yaml_put_empty(y);
    struct node *root = y->b.children[y->top->first];
    y->b.child_count = y->top->first;
    return root;
}

static void run(struct yaml *y) {
    while (y->next != NEXT_DONE && !y->b.is_stopped) {
        switch (y->next) {
        case NEXT_LINE:
            yaml_block_line(y);
            break;
        case NEXT_INLINE:
            yaml_block_inline(y);
            break;
        case NEXT_FLOW:
            yaml_flow_run(y);
            break;
        case NEXT_DONE:
            break;
        }
    }
}

/* Nothing but a comment may follow on the line. */
static void finish_marker(struct yaml *y) {
    const char *p = y->p;
    if (yaml_end_line(y))
        return;
    while (*p && !char_is_break(*p))
        p++;
    y->p = y->line = *p ? char_skip_break(p) : p;
}

/* Comments, blank lines, "..." and directives before a document. False at the end of the stream. */
static bool read_prefix(struct yaml *y, struct directives *d) {
    for (;;) {
        const char *p = y->p = y->line;
        if (strncmp(p, "\xef\xbb\xbf", strlen("\xef\xbb\xbf")) == 0)
            p = y->line = y->p = p + 3;
        p = char_skip_blanks(p);
        if (*p == 0) {
            y->p = p;
            return false;
        }
        if (*p == '#' || char_is_break(*p) || (p == y->line && *p == '.' && char_is_marker(p))) {
            y->p = *p == '.' ? p + 3 : p;
            finish_marker(y);
        } else if (*p == '%' && p == y->line) {
            yaml_read_directive(y, d);
        } else {
            return true;
        }
    }
}

static void report_many_documents(struct yaml *y) {
    struct diag *d = diags_add(build_fail(&y->b), DIAG_yaml_unsupported_feature,
                               build_span(&y->b, y->p, char_is_marker(y->p) ? y->p + 3 : y->p + 1),
                               "a second YAML document is not supported here");
    diag_set_hint(y->b.diags, d, "put it into a file of its own");
    y->b.is_stopped = true;
}

/* Behind the last line of a document: "..." ends it. */
static void read_end(struct yaml *y, struct document *doc) {
    if (y->b.is_stopped || *y->line != '.' || !char_is_marker(y->line))
        return;
    doc->explicit_end = true;
    y->p = y->line + 3;
    finish_marker(y);
}

static void read_document(struct yaml *y, const struct directives *d) {
    const char *start = y->p;
    bool is_explicit = char_is_marker(y->p) && *y->p == '-';
    if (d->has_any && !is_explicit)
        yaml_report(y, d->first, d->first + 1, "directive without a document", "write '---' below the directives");
    if (!y->b.options->shares_anchors)
        y->b.anchors = MAP(y->b.arena);
    y->is_resyncing = false;
    yaml_push_frame(y, FRAME_DOCUMENT, start, -1)->wants = WANTS_VALUE;
    y->next = NEXT_LINE;
    if (is_explicit) {
        y->p += 3;
        y->top->slot_at = y->p;
        y->next = NEXT_INLINE;
        y->is_compact = false;
    } else {
        y->p = y->line;
    }
    run(y);
    struct document *doc = VEC_ADD(y->b.arena, &y->b.stream->documents);
    doc->root = finish_root(y);
    doc->explicit_start = is_explicit;
    doc->directive_tag_at = d->tag_at;
    read_end(y, doc);
    doc->at = build_span(&y->b, start, y->p);
}

static void add_empty_document(struct yaml *y) {
    struct document *doc = VEC_ADD(y->b.arena, &y->b.stream->documents);
    doc->at = build_span(&y->b, y->p, y->p);
    doc->root = build_node(&y->b, NODE_SCALAR, NODE_EMPTY, doc->at);
}

void yaml_read(struct arena *a, struct build *build) {
    struct yaml y = {.b = *build, .p = build->base, .line = build->base};
    y.tag_budget = 16 * build->source->bytes.len + 65536;
    y.tags = MAP(a);
    y.has_unprintable = char_find_unprintable(y.p, y.p + build->source->bytes.len) != NULL;
    for (;;) {
        struct directives d = {.tag_at = SPAN_NONE};
        y.tag_handles = MAP(a);
        bool has_document = read_prefix(&y, &d);
        if (!has_document) {
            if (d.has_any)
                yaml_report(&y, d.first, d.first + 1, "directive without a document",
                            "write '---' below the directives");
            break;
        }
        if (y.b.stream->documents.len > 0 && y.b.options->many_documents == DOC_REFUSE)
            report_many_documents(&y);
        if (y.b.is_stopped)
            break;
        y.tags = MAP(a);
        read_document(&y, &d);
        if (y.b.is_stopped)
            break;
    }
    if (y.b.stream->documents.len == 0)
        add_empty_document(&y);
    *build = y.b;
}
