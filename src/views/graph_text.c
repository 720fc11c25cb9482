/* The forms of a graph view. */
#include "views/graph_view.h"

/* --- nesting of groups, shared by DOT and Mermaid --- */

/* How a form opens and closes the box around the members of a group. */
struct boxes {
    struct buf *out;
    const struct graph_view *view;
    void (*open)(struct buf *out, const struct graph_node *group, uint32_t number);
    const char *close;
    VEC(uint32_t) stack; /* open groups, innermost last */
    struct arena *arena;
};

static void indent(const struct boxes *b) {
    buf_append_repeat(b->out, ' ', 2 * (b->stack.len + 1));
}

/* Members follow their group directly, so that boxes open and close like brackets. */
static void enter_group(struct boxes *b, uint32_t group) {
    while (b->stack.len > 0 && (group == 0 || b->stack.items[b->stack.len - 1] != group - 1)) {
        uint32_t innermost = b->stack.items[b->stack.len - 1];
        uint32_t outer = group;
        while (outer != 0 && outer - 1 != innermost) {
            outer = b->view->nodes[outer - 1].group;
        }
        if (outer != 0) {
            break; /* the new group lies inside of the innermost open one */
        }
        b->stack.len--;
        indent(b);
        buf_append_cstr(b->out, b->close);
    }
    bool is_open = group == 0 || (b->stack.len > 0 && b->stack.items[b->stack.len - 1] == group - 1);
    if (!is_open) {
        indent(b);
        b->open(b->out, &b->view->nodes[group - 1], group - 1);
        VEC_PUSH(b->arena, &b->stack, group - 1);
    }
}

/* --- DOT --- */

static void append_dot_text(struct buf *out, sv text) {
    for (size_t i = 0; i < text.len; i++) {
        if (text.data[i] == '"' || text.data[i] == '\\') {
            buf_append_char(out, '\\');
        }
        buf_append_char(out, (unsigned char)text.data[i] < 0x20 ? ' ' : text.data[i]);
    }
}

static const char *get_dot_shape(enum element_kind kind) {
    switch (kind) {
    case ELEMENT_RESOURCE:
        return "box";
    case ELEMENT_DATA:
        return "cylinder";
    case ELEMENT_CHILD:
    case ELEMENT_TEMPLATE:
        return "folder";
    case ELEMENT_EXPORT:
        return "cds";
    case ELEMENT_VARIABLE:
        return "ellipse";
    case ELEMENT_VALUE:
    case ELEMENT_LINK:
        break;
    }
    return "plaintext";
}

static const char *get_color(sv note) {
    static const struct {
        sv note;
        const char *color;
    } colors[] = {
        {SV_INIT("create"), "#1a7f37"}, {SV_INIT("delete"), "#cf222e"},  {SV_INIT("read"), "#0969da"},
        {SV_INIT("update"), "#9a6700"}, {SV_INIT("replace"), "#bc4c00"},
    };
    for (size_t i = 0; i < sizeof colors / sizeof *colors; i++) {
        if (sv_eq(colors[i].note, note)) {
            return colors[i].color;
        }
    }
    return NULL;
}

static void open_cluster(struct buf *out, const struct graph_node *group, uint32_t number) {
    buf_printf(out, "subgraph cluster_%u {\n", number);
    (void)group;
}

static void write_dot_node(struct buf *out, const struct graph_node *node, uint32_t number) {
    const struct element *e = node->element;
    buf_printf(out, "n%u [shape=%s, label=\"", number, get_dot_shape(e->kind));
    append_dot_text(out, e->address.text);
    if (e->kind == ELEMENT_RESOURCE || e->kind == ELEMENT_DATA) {
        buf_append_cstr(out, "\\n");
        append_dot_text(out, e->type_text);
    }
    if (node->note.len > 0) {
        buf_append_cstr(out, "\\n");
        append_dot_text(out, node->note);
    }
    buf_append_char(out, '"');
    const char *color = get_color(node->note);
    if (color != NULL) {
        buf_printf(out, ", color=\"%s\"", color);
    }
    buf_append_cstr(out, "];\n");
}

static void write_dot_edge(struct buf *out, const struct graph_edge *e) {
    buf_printf(out, "  n%u -> n%u", e->from, e->to);
    if (e->kind == GRAPH_LINK) {
        buf_append_cstr(out, " [style=bold, arrowhead=vee]");
    } else if (e->kind == GRAPH_DEPENDS_ON) {
        buf_append_cstr(out, " [style=dashed]");
    }
    buf_append_cstr(out, ";\n");
}

void graph_view_write_dot(struct buf *out, const struct graph_view *view) {
    struct boxes boxes = {.out = out, .view = view, .open = open_cluster, .close = "}\n", .arena = out->arena};
    buf_append_cstr(out, "digraph blueprint {\n  rankdir=LR;\n  node [fontname=\"sans-serif\", fontsize=10];\n");
    for (uint32_t i = 0; i < view->node_count; i++) {
        enter_group(&boxes, view->nodes[i].group);
        indent(&boxes);
        write_dot_node(out, &view->nodes[i], i);
    }
    enter_group(&boxes, 0);
    for (size_t i = 0; i < view->edge_count; i++) {
        write_dot_edge(out, &view->edges[i]);
    }
    buf_append_cstr(out, "}\n");
}

/* --- Mermaid --- */

/* Quotes, and what Mermaid takes for markup, as numbered entities. */
static void append_mermaid_text(struct buf *out, sv text) {
    for (size_t i = 0; i < text.len; i++) {
        unsigned char c = (unsigned char)text.data[i];
        if (c < 0x20 || c == '"' || c == '#' || c == '<' || c == '>' || c == '`' || c == '&') {
            buf_printf(out, "#%u;", c);
        } else {
            buf_append_char(out, text.data[i]);
        }
    }
}

static void open_subgraph(struct buf *out, const struct graph_node *group, uint32_t number) {
    buf_printf(out, "subgraph g%u[\"", number);
    append_mermaid_text(out, group->element->address.text);
    buf_append_cstr(out, "\"]\n");
}

static void write_mermaid_node(struct buf *out, const struct graph_node *node, uint32_t number) {
    const struct element *e = node->element;
    bool is_round = e->kind == ELEMENT_VARIABLE || e->kind == ELEMENT_VALUE || e->kind == ELEMENT_EXPORT;
    buf_printf(out, "n%u%s\"", number, is_round ? "([" : "[");
    append_mermaid_text(out, e->address.text);
    if (e->kind == ELEMENT_RESOURCE || e->kind == ELEMENT_DATA) {
        buf_append_cstr(out, "<br/>");
        append_mermaid_text(out, e->type_text);
    }
    if (node->note.len > 0) {
        buf_append_cstr(out, "<br/>");
        append_mermaid_text(out, node->note);
    }
    buf_append_cstr(out, is_round ? "\"])\n" : "\"]\n");
}

static const char *get_mermaid_arrow(enum graph_edge_kind kind) {
    switch (kind) {
    case GRAPH_REFERENCE:
        return "-->";
    case GRAPH_DEPENDS_ON:
        return "-.->";
    case GRAPH_LINK:
        return "==>";
    }
    return "-->";
}

void graph_view_write_mermaid(struct buf *out, const struct graph_view *view) {
    struct boxes boxes = {.out = out, .view = view, .open = open_subgraph, .close = "end\n", .arena = out->arena};
    buf_append_cstr(out, "flowchart LR\n");
    for (uint32_t i = 0; i < view->node_count; i++) {
        enter_group(&boxes, view->nodes[i].group);
        indent(&boxes);
        write_mermaid_node(out, &view->nodes[i], i);
    }
    enter_group(&boxes, 0);
    for (size_t i = 0; i < view->edge_count; i++) {
        const struct graph_edge *e = &view->edges[i];
        buf_printf(out, "  n%u %s n%u\n", e->from, get_mermaid_arrow(e->kind), e->to);
    }
}

/* --- JSON --- */

static void write_node(struct jsonw *w, const struct graph_view *view, const struct graph_node *node) {
    const struct element *e = node->element;
    jsonw_begin_object(w);
    jsonw_put_text(w, "address", e->address.text);
    jsonw_put_text(w, "kind", e->kind == ELEMENT_TEMPLATE ? SV("template") : element_kind_get_section(e->kind));
    if (e->type_text.len > 0) {
        jsonw_put_text(w, "type", e->type_text);
    }
    if (node->group > 0) {
        jsonw_put_text(w, "group", view->nodes[node->group - 1].element->address.text);
    }
    if (node->note.len > 0) {
        jsonw_put_text(w, "action", node->note);
    }
    jsonw_end_object(w);
}

void graph_view_write_json(struct jsonw *w, const struct graph_view *view) {
    jsonw_key(w, SV("nodes"));
    jsonw_begin_array(w);
    for (size_t i = 0; i < view->node_count; i++) {
        write_node(w, view, &view->nodes[i]);
    }
    jsonw_end_array(w);
    jsonw_key(w, SV("edges"));
    jsonw_begin_array(w);
    for (size_t i = 0; i < view->edge_count; i++) {
        const struct graph_edge *e = &view->edges[i];
        jsonw_begin_object(w);
        jsonw_put_text(w, "from", view->nodes[e->from].element->address.text);
        jsonw_put_text(w, "to", view->nodes[e->to].element->address.text);
        jsonw_put_text(w, "kind", graph_edge_get_kind_name(e->kind));
        if (e->name.len > 0) {
            jsonw_put_text(w, "link", e->name);
        }
        jsonw_end_object(w);
    }
    jsonw_end_array(w);
}
