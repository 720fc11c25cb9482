#include "apps/cli/module/commands.h"
#include "apps/cli/module/modules.h"

struct edge {
    size_t from, to;
};

struct picture {
    struct cli *cli;
    const struct module_code *code;
    VEC(struct edge) edges;
};

/* A computed name as it is written. */
static sv get_name(const struct picture *p, const struct module_call *call) {
    return call->name.len > 0 ? call->name : span_get_text(&p->cli->sources, call->name_at);
}

static sv get_target(const struct picture *p, const struct module_call *call) {
    return call->make_target == NULL ? call->target : span_get_text(&p->cli->sources, call->target_at);
}

static bool has_edge(const struct picture *p, size_t first, size_t to) {
    for (size_t i = first; i < p->edges.len; i++) {
        if (p->edges.items[i].to == to)
            return true;
    }
    return false;
}

static void collect_edges(struct picture *p) {
    for (size_t i = 0; i < p->code->calls.len; i++) {
        const struct module_call *call = p->code->calls.items[i];
        size_t first = p->edges.len;
        for (size_t k = 0; k < call->uses.len; k++) {
            const struct module_call *used = map_find(&p->code->locals, call->uses.items[k].name);
            if (used != NULL && !has_edge(p, first, used->number))
                VEC_PUSH(&p->cli->arena, &p->edges, ((struct edge){i, used->number}));
        }
    }
}

static void write_json(const struct picture *p, struct jsonw *w) {
    jsonw_put_text(w, "module", p->code->name);
    jsonw_key(w, SV("calls"));
    jsonw_begin_array(w);
    for (size_t i = 0; i < p->code->calls.len; i++) {
        jsonw_begin_object(w);
        jsonw_put_text(w, "name", get_name(p, p->code->calls.items[i]));
        jsonw_put_text(w, "module", get_target(p, p->code->calls.items[i]));
        jsonw_end_object(w);
    }
    jsonw_end_array(w);
    jsonw_key(w, SV("edges"));
    jsonw_begin_array(w);
    for (size_t i = 0; i < p->edges.len; i++) {
        jsonw_begin_object(w);
        jsonw_put_text(w, "from", get_name(p, p->code->calls.items[p->edges.items[i].from]));
        jsonw_put_text(w, "to", get_name(p, p->code->calls.items[p->edges.items[i].to]));
        jsonw_end_object(w);
    }
    jsonw_end_array(w);
}

/* Quotes and backslashes would end the label. */
static void print_label(struct buf *out, sv text, const char *quote) {
    for (size_t i = 0; i < text.len; i++) {
        if (text.data[i] == '"' || text.data[i] == '\\')
            buf_append_cstr(out, text.data[i] == '"' ? quote : "/");
        else
            buf_append_char(out, (unsigned char)text.data[i] < ' ' ? ' ' : text.data[i]);
    }
}

static void print(const struct picture *p, struct buf *out, bool is_dot) {
    buf_append_cstr(out, is_dot ? "digraph module {\n  rankdir=LR;\n  node [shape=box];\n" : "flowchart LR\n");
    for (size_t i = 0; i < p->code->calls.len; i++) {
        const struct module_call *call = p->code->calls.items[i];
        const char *quote = is_dot ? "'" : "#quot;";
        buf_printf(out, is_dot ? "  c%zu [label=\"" : "  c%zu[\"", i);
        print_label(out, get_name(p, call), quote);
        buf_append_cstr(out, " (");
        print_label(out, get_target(p, call), quote);
        buf_append_cstr(out, is_dot ? ")\"];\n" : ")\"]\n");
    }
    for (size_t i = 0; i < p->edges.len; i++)
        buf_printf(out, is_dot ? "  c%zu -> c%zu;\n" : "  c%zu --> c%zu\n", p->edges.items[i].from,
                   p->edges.items[i].to);
    if (is_dot)
        buf_append_cstr(out, "}\n");
}

static enum exit_code draw(struct modules *m) {
    struct cli *c = m->cli;
    struct buf out = BUF(&c->arena);
    bool ok = modules_choose(m, false);
    if (modules_finish(m) != EXIT_OK || !ok)
        return EXIT_INVALID;
    struct picture p = {.cli = c, .code = m->code};
    collect_edges(&p);
    write_json(&p, &c->writer);
    print(&p, &out, !sv_eq(settings_get_text(c, "format"), SV("mermaid")));
    output_text(c, buf_get_sv(&out));
    return EXIT_OK;
}

enum exit_code cmd_module_graph_run(struct cli *c) {
    struct modules m;
    enum exit_code code = EXIT_OK;
    return modules_open(&m, c, &code) ? draw(&m) : code;
}
