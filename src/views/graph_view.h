/* A template as a picture of who uses whom: nodes and edges for DOT, Mermaid and JSON (cli.md, `graph`).
 *
 * Nodes are the elements of a template, loaded or expanded, in document order; an edge leads from what uses to what is
 * used, a link from its side A to its side B. Both borrow from the template. Linear in elements and edges. */
#ifndef LINTEL_VIEWS_GRAPH_VIEW_H
#define LINTEL_VIEWS_GRAPH_VIEW_H

#include "base/jsonw.h"
#include "model/template.h"

struct graph_node {
    const struct element *element;
    uint32_t group; /* node of the innermost group it belongs to + 1; 0: none */
    sv note;        /* what is planned for it: "create"; empty: nothing. Set by the caller */
};

enum graph_edge_kind {
    GRAPH_REFERENCE = 1,
    GRAPH_DEPENDS_ON,
    GRAPH_LINK,
};

struct graph_edge {
    uint32_t from, to; /* nodes */
    enum graph_edge_kind kind;
    sv name; /* address of the link */
};

struct graph_view {
    struct graph_node *nodes;
    size_t node_count;
    struct graph_edge *edges;
    size_t edge_count;
};

struct graph_request {
    struct arena *arena;
    const struct template *template;
    const struct element *focus; /* NULL: everything */
    size_t depth;                /* edges between the focus and what is shown, in either direction; SIZE_MAX: any */
};
void graph_view_make(const struct graph_request *r, struct graph_view *view);

void graph_view_write_dot(struct buf *out, const struct graph_view *view);
void graph_view_write_mermaid(struct buf *out, const struct graph_view *view);
/* Members "nodes" and "edges" of the object that is open (docs/schemas/graph.schema.json). */
void graph_view_write_json(struct jsonw *w, const struct graph_view *view);

sv graph_edge_get_kind_name(enum graph_edge_kind kind); /* "reference" "dependsOn" "link" */

#endif
