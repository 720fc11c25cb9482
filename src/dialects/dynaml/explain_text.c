#include "dialects/dynaml/explain.h"

#include "dialects/dynaml/internal.h"
#include "dialects/dynaml/output.h"
#include "dialects/dynaml/template.h"
#include "text/render.h"

enum { BRIEF_BYTES = 72, SHOWN_LINES = 20 };

struct text {
    struct buf *out;
    struct arena *a;
    size_t indent;
};

/* --- values in short --- */

/* A map or list in one line, ended when it is long enough. */
static bool print_brief(struct buf *out, value v, size_t end);

static bool print_brief_items(struct buf *out, value v, size_t end) {
    size_t count = v.kind == VALUE_MAP ? v.map->len : v.list->len;
    for (size_t i = 0; i < count; i++) {
        buf_append_cstr(out, i == 0 ? "" : ", ");
        if (v.kind == VALUE_MAP)
            buf_printf(out,
                       "%.*s: ", SV_ARG(render_escape(out->arena, sv_slice(v.map->entries[i].key, 0, BRIEF_BYTES))));
        if (out->len >= end || !print_brief(out, v.kind == VALUE_MAP ? v.map->entries[i].item : v.list->items[i], end))
            return false;
    }
    return true;
}

static void print_brief_text(struct buf *out, value v) {
    struct buf text = BUF(out->arena);
    sv whole = v.kind == VALUE_STRING ? value_get_text(v) : (sv){0};
    if (whole.len > BRIEF_BYTES || sv_find_char(whole, '\n') != SIZE_MAX)
        jsonw_quote(&text, sv_slice(whole, 0, BRIEF_BYTES));
    else
        dynaml_print_value(&text, v);
    buf_append(out, render_escape(out->arena, buf_get_sv(&text)));
    buf_append_cstr(out, whole.len > BRIEF_BYTES ? "…" : "");
}

static bool print_brief(struct buf *out, value v, size_t end) {
    if (v.kind == VALUE_FUNCTION && dynaml_get_template(v) != NULL) {
        buf_append_cstr(out, "(template)");
    } else if (v.kind == VALUE_MAP || v.kind == VALUE_LIST) {
        buf_append_char(out, v.kind == VALUE_MAP ? '{' : '[');
        if (!print_brief_items(out, v, end))
            return false;
        buf_append_char(out, v.kind == VALUE_MAP ? '}' : ']');
    } else {
        print_brief_text(out, v);
    }
    return out->len < end;
}

static void print_in_line(struct text *t, value v) {
    bool is_container = v.kind == VALUE_MAP || v.kind == VALUE_LIST;
    if (!print_brief(t->out, v, t->out->len + BRIEF_BYTES) && is_container)
        buf_append_cstr(t->out, "…");
}

/* --- lines --- */

static void start_line(struct text *t) {
    buf_append_repeat(t->out, ' ', t->indent);
}

static void end_line(struct text *t) {
    buf_append_char(t->out, '\n');
}

static void print_text(struct text *t, sv text) {
    buf_append(t->out, render_escape(t->a, text));
}

static void print_position(struct text *t, const struct dynaml_position *at) {
    if (at->line == 0)
        return;
    buf_append_cstr(t->out, " at ");
    print_text(t, at->file);
    buf_printf(t->out, ":%zu:%zu", at->line, at->column);
}

static void print_path(struct text *t, sv path) {
    print_text(t, path.len > 0 ? path : SV("(root)"));
}

/* As in the output (§14), cut when it is long. */
static void print_block(struct text *t, sv rest) {
    size_t left = 0;
    for (size_t i = 0; i < SHOWN_LINES && rest.len > 0; i++) {
        sv line = sv_cut(&rest, '\n');
        start_line(t);
        buf_append_cstr(t->out, "| ");
        buf_append(t->out, line);
        end_line(t);
    }
    for (; rest.len > 0; left++)
        sv_cut(&rest, '\n');
    if (left == 0)
        return;
    start_line(t);
    buf_printf(t->out, "… %zu more line%s\n", left, left == 1 ? "" : "s");
}

/* --- a node --- */

static const char *get_how_text(enum dynaml_how how) {
    switch (how) {
    case DYNAML_WRITTEN:
        return "written";
    case DYNAML_COMPUTED:
        return "computed";
    case DYNAML_MERGED:
        return "merged from stub";
    case DYNAML_OVERRIDDEN:
        return "overridden by stub";
    case DYNAML_INSERTED:
        return "inserted by <<";
    case DYNAML_SPLICED:
        return "spliced by <<";
    }
    return "";
}

sv dynaml_get_how_name(enum dynaml_how how) {
    return sv_from_cstr(get_how_text(how));
}

static const char *get_state_text(const struct dynaml_explanation *e) {
    switch (e->state) {
    case DYNAML_FAILED:
        return "failed";
    case DYNAML_PENDING:
        return e->is_cyclic ? "cycle" : "pending";
    case DYNAML_NOT_PARSED:
        return "unparseable";
    }
    return "";
}

sv dynaml_get_state_name(const struct dynaml_explanation *e) {
    return sv_from_cstr(get_state_text(e));
}

static void print_lookup(struct text *t, const struct dynaml_explanation *e, const char *title,
                         const struct dynaml_lookup *l) {
    start_line(t);
    buf_append_cstr(t->out, title);
    print_path(t, l->path);
    for (size_t i = 0; i < e->stub_count; i++) {
        buf_append_cstr(t->out, i == 0 ? ": " : ", ");
        print_text(t, e->stubs[i]);
        buf_append_cstr(t->out, l->has[i] ? " has it" : " has not");
    }
    end_line(t);
}

static bool is_found(const struct dynaml_explanation *e) {
    for (size_t i = 0; e->lookup.has != NULL && i < e->stub_count; i++) {
        if (e->lookup.has[i])
            return true;
    }
    return false;
}

/* The value of the node that was asked for: whole, behind its path or on lines of its own. */
static void print_whole(struct text *t, value v) {
    struct buf text = BUF(t->a);
    dynaml_write_yaml(&text, v);
    sv yaml = buf_get_sv(&text);
    bool is_block = sv_find_char(yaml, '\n') + 1 < yaml.len || sv_has_prefix(yaml, SV("- "));
    is_block = is_block || (v.kind == VALUE_MAP && v.map->len > 0);
    if (is_block) {
        t->out->len--; /* the blank */
        end_line(t);
        t->indent += 2;
        print_block(t, yaml);
        t->indent -= 2;
    } else {
        buf_append(t->out, yaml);
    }
}

static void print_outcome(struct text *t, const struct dynaml_explanation *e) {
    if (e->is_resolved)
        print_in_line(t, e->v);
    else
        buf_printf(t->out, "(%s)", get_state_text(e));
    if (e->issue.len > 0 && e->state != DYNAML_NOT_PARSED) {
        buf_append_char(t->out, ' ');
        print_text(t, e->issue);
    }
    buf_append_cstr(t->out, e->is_seen ? ", as above\n" : "\n");
}

static void print_head(struct text *t, const struct dynaml_explanation *e, bool is_top) {
    start_line(t);
    print_path(t, e->path);
    buf_append_cstr(t->out, ": ");
    if (is_top && e->is_resolved && dynaml_get_template(e->v) == NULL)
        print_whole(t, e->v);
    else
        print_outcome(t, e);
}

/* One line tells both how and what. */
static bool is_computed_here(const struct dynaml_explanation *e) {
    return e->how == DYNAML_COMPUTED && e->expression.len > 0;
}

static void print_expression(struct text *t, const struct dynaml_explanation *e) {
    if (e->expression.len > 0) {
        start_line(t);
        buf_append_cstr(t->out, is_computed_here(e) ? "computed" : "expression");
        print_position(t, &e->expression_at);
        buf_append_cstr(t->out, ": ");
        print_text(t, e->expression);
        end_line(t);
    }
    if (e->became.len > 0) {
        start_line(t);
        buf_append_cstr(t->out, "which gave the expression: ");
        print_text(t, e->became);
        end_line(t);
    }
    if (!e->has_before)
        return;
    start_line(t);
    buf_append_cstr(t->out, "before the override: ");
    if (value_is_set(e->before)) {
        print_in_line(t, e->before);
    } else {
        buf_append_cstr(t->out, "failed");
        buf_append_cstr(t->out, e->before_issue.len > 0 ? ", " : "");
        print_text(t, e->before_issue);
    }
    end_line(t);
}

static void print_node(struct text *t, const struct dynaml_explanation *e, bool is_top);

static void print_needs(struct text *t, const struct dynaml_explanation *e) {
    if (e->needs.len == 0 && e->omitted == 0)
        return;
    start_line(t);
    buf_append_cstr(t->out, "needed\n");
    t->indent += 2;
    for (size_t i = 0; i < e->needs.len; i++)
        print_node(t, e->needs.items[i], false);
    if (e->omitted > 0) {
        start_line(t);
        buf_printf(t->out, "… %zu more\n", e->omitted);
    }
    t->indent -= 2;
}

static void print_history(struct text *t, const struct dynaml_explanation *e) {
    if (e->from == NULL)
        return;
    start_line(t);
    buf_append_cstr(t->out, "there, in ");
    print_text(t, e->from->document);
    end_line(t);
    t->indent += 2;
    print_node(t, e->from, false);
    t->indent -= 2;
}

static void print_node(struct text *t, const struct dynaml_explanation *e, bool is_top) {
    print_head(t, e, is_top);
    if (e->is_seen)
        return;
    t->indent += 2;
    if (e->how != 0 && !is_computed_here(e)) {
        start_line(t);
        buf_append_cstr(t->out, get_how_text(e->how));
        print_position(t, &e->at);
        end_line(t);
    }
    print_expression(t, e);
    bool is_telling = is_top || is_found(e) || (!e->is_resolved && e->state == DYNAML_FAILED);
    if (e->stub_count > 0 && is_telling)
        print_lookup(t, e, "stub path ", &e->lookup);
    for (size_t i = 0; i < e->merges.len; i++)
        print_lookup(t, e, "merge looked up ", &e->merges.items[i]);
    print_history(t, e);
    print_needs(t, e);
    t->indent -= 2;
}

/* --- causes --- */

static void print_link(struct text *t, const struct dynaml_link *link) {
    start_line(t);
    print_path(t, link->path);
    print_position(t, &link->at);
    if (link->expression.len > 0) {
        buf_append_cstr(t->out, ": ");
        print_text(t, link->expression);
    }
    if (link->issue.len > 0) {
        buf_append_cstr(t->out, " ");
        print_text(t, link->issue);
    }
    end_line(t);
}

static void print_causes(struct text *t, const struct dynaml_explained *e) {
    const size_t half = e->causes.len / 2;
    if (e->causes.len == 0 || (e->causes.len == 1 && !e->is_cycle))
        return;
    buf_append_cstr(t->out, e->is_cycle ? "first cause, a cycle\n" : "first cause\n");
    t->indent = 2;
    for (size_t i = 0; i < e->causes.len; i++) {
        if (e->omitted > 0 && i == half)
            buf_printf(t->out, "  … %zu more\n", e->omitted);
        print_link(t, &e->causes.items[i]);
    }
    t->indent = 0;
}

void dynaml_print_explanation(struct buf *out, const struct dynaml_explained *e) {
    struct arena scratch = {0};
    struct text t = {.out = out, .a = &scratch};
    if (e->failed_stub.len > 0) {
        print_text(&t, e->failed_stub);
        buf_append_cstr(out, " has unresolved nodes; this is its node\n");
    }
    if (e->unreached.len > 0) {
        print_text(&t, e->unreached);
        buf_append_cstr(out, " is not known: it stands in what is unresolved\n");
    }
    print_node(&t, e->node, true);
    print_causes(&t, e);
    arena_fini(&scratch);
}
