/* The forms of an explanation. */
#include "views/explain.h"

#include "text/render.h"

enum { WIDTH = 100 };

static sv get_kind_name(enum explain_kind kind) {
    switch (kind) {
    case EXPLAIN_ELEMENT:
        return SV("element");
    case EXPLAIN_CALL:
        return SV("call");
    case EXPLAIN_SCOPE:
        return SV("scope");
    case EXPLAIN_INPUT:
        return SV("input");
    case EXPLAIN_DEFAULT:
        return SV("default");
    case EXPLAIN_COMPUTED:
        return SV("computed");
    case EXPLAIN_LINK:
        return SV("link");
    case EXPLAIN_DATA:
        return SV("data");
    case EXPLAIN_SEEN:
        return SV("seen");
    }
    return SV("");
}

/* Whether a part of the span is never to be quoted (BP-281). */
static bool holds_secret(const struct source *source, span at) {
    for (size_t i = 0; i < source->secrets.len; i++) {
        span s = source->secrets.items[i];
        if (at.offset < s.offset + s.length && s.offset < at.offset + at.length) {
            return true;
        }
    }
    return false;
}

/* One line of source text, blanks joined, cut when long. */
static sv get_text(struct arena *a, struct sources *sources, span at) {
    const struct source *source = sources_find(sources, at.source);
    if (source == NULL || holds_secret(source, at)) {
        return (sv){0};
    }
    struct buf out = BUF(a);
    sv text = span_get_text(sources, at);
    bool in_blank = false;
    for (size_t i = 0; i < text.len && out.len < WIDTH; i++) {
        bool is_blank = (unsigned char)text.data[i] <= ' ';
        if (!is_blank || !in_blank) {
            buf_append_char(&out, is_blank ? ' ' : text.data[i]);
        }
        in_blank = is_blank;
    }
    if (out.len >= WIDTH) {
        buf_append_cstr(&out, " …");
    }
    return render_escape(a, buf_get_sv(&out));
}

static void append_place(struct buf *out, struct sources *sources, span at) {
    struct source *source = sources_find(sources, at.source);
    if (source == NULL) {
        return;
    }
    struct text_pos pos = source_get_pos(source, at.offset);
    sv name = render_escape(out->arena, source->name);
    buf_printf(out, "%.*s:%zu:%zu", SV_ARG(name), pos.line, pos.column);
}

static void append_name(struct buf *out, const struct explanation *e) {
    sv name = render_escape(out->arena, e->name);
    switch (e->kind) {
    case EXPLAIN_CALL:
        buf_printf(out, "%.*s(…)", SV_ARG(name));
        break;
    case EXPLAIN_INPUT:
        buf_printf(out, "given by %.*s", SV_ARG(name));
        break;
    case EXPLAIN_DEFAULT:
        buf_append_cstr(out, sv_eq(name, SV("default")) ? "its default" : "the default of ");
        buf_append(out, sv_eq(name, SV("default")) ? (sv){0} : name);
        break;
    case EXPLAIN_COMPUTED:
        buf_printf(out, "filled in by %.*s", SV_ARG(name));
        break;
    case EXPLAIN_LINK:
        buf_printf(out, "may be contributed by %.*s", SV_ARG(name));
        break;
    case EXPLAIN_DATA:
        buf_printf(out, "read from %.*s", SV_ARG(name));
        break;
    case EXPLAIN_ELEMENT:
    case EXPLAIN_SCOPE:
    case EXPLAIN_SEEN:
        buf_append(out, name);
        break;
    }
}

static bool has_result(const struct explanation *e) {
    return value_is_set(e->result) && !value_is_error(e->result);
}

/* A call stands within the text above it; an option of the command line has no lines. */
static bool has_place(const struct explanation *e, const struct sources *sources) {
    const struct source *source = sources_find(sources, e->at.source);
    return source != NULL && e->kind != EXPLAIN_CALL && (e->kind != EXPLAIN_INPUT || source->path.len > 0);
}

/* Something was computed there; else the value tells all. */
static bool holds_expression(const struct explanation *e) {
    enum explain_kind first = e->parts.len > 0 ? e->parts.items[0]->kind : 0;
    return e->kind == EXPLAIN_ELEMENT &&
           (first == EXPLAIN_ELEMENT || first == EXPLAIN_CALL || first == EXPLAIN_SCOPE || first == EXPLAIN_SEEN);
}

struct frame {
    const struct explanation *e;
    size_t depth;
};

static void append_line(struct buf *out, const struct frame *f, struct sources *sources, enum secrecy secrecy) {
    const struct explanation *e = f->e;
    buf_append_repeat(out, ' ', 2 * f->depth);
    append_name(out, e);
    if (has_result(e)) {
        buf_append_cstr(out, " = ");
        value_render(out, e->result, WIDTH, secrecy);
    }
    if (e->is_skipped) {
        buf_append_cstr(out, " (not evaluated)");
    }
    if (e->kind == EXPLAIN_SEEN) {
        buf_append_cstr(out, " (see above)");
    }
    if (has_place(e, sources)) {
        buf_append_cstr(out, "  # ");
        append_place(out, sources, e->at);
    }
    sv text = holds_expression(e) ? get_text(out->arena, sources, e->at) : (sv){0};
    if (text.len > 0) {
        buf_append_cstr(out, ": ");
        buf_append(out, text);
    }
    buf_append_char(out, '\n');
}

void explain_render(struct buf *out, const struct explanation *root, struct sources *sources, enum secrecy secrecy) {
    VEC(struct frame) stack = {0};
    VEC_PUSH(out->arena, &stack, ((struct frame){root, 0}));
    while (stack.len > 0) {
        struct frame f = stack.items[--stack.len];
        append_line(out, &f, sources, secrecy);
        for (size_t i = f.e->parts.len; i > 0; i--) {
            VEC_PUSH(out->arena, &stack, ((struct frame){f.e->parts.items[i - 1], f.depth + 1}));
        }
    }
}

static void write_place(struct jsonw *w, struct sources *sources, span at) {
    struct source *source = sources_find(sources, at.source);
    if (source == NULL) {
        return;
    }
    struct text_pos pos = source_get_pos(source, at.offset);
    jsonw_put_text(w, "file", source->name);
    jsonw_put_i64(w, "line", (int64_t)pos.line);
    jsonw_put_i64(w, "column", (int64_t)pos.column);
}

/* As deep as explanations are: bounded by EXPLAIN_DEPTH. */
void explain_write_json(struct jsonw *w, const struct explanation *e, struct sources *sources, enum secrecy secrecy) {
    jsonw_begin_object(w);
    jsonw_put_text(w, "kind", get_kind_name(e->kind));
    jsonw_put_text(w, "name", e->name);
    if (has_result(e)) {
        jsonw_key(w, SV("value"));
        value_write_json(w, e->result, secrecy);
    }
    if (e->is_skipped) {
        jsonw_put_bool(w, "skipped", true);
    }
    write_place(w, sources, e->at);
    if (e->parts.len > 0) {
        jsonw_key(w, SV("from"));
        jsonw_begin_array(w);
        for (size_t i = 0; i < e->parts.len; i++) {
            explain_write_json(w, e->parts.items[i], sources, secrecy);
        }
        jsonw_end_array(w);
    }
    jsonw_end_object(w);
}
