#include "apps/cli/cfn/commands.h"
#include "apps/cli/cfn/stack.h"

#include "dialects/cfn/describe.h"

struct picture {
    struct cli *cli;
    const struct cfn_use *uses;
    size_t use_count;
    const sv *resources, *order;
    size_t resource_count, order_count;
};

static void write_place(struct cli *c, struct jsonw *w, span at) {
    struct source *source = sources_find(&c->sources, at.source);
    if (source == NULL)
        return;
    struct text_pos pos = source_get_pos(source, at.offset);
    jsonw_put_text(w, "file", source->name);
    jsonw_put_i64(w, "line", (int64_t)pos.line);
    jsonw_put_i64(w, "column", (int64_t)pos.column);
}

static void write_names(struct jsonw *w, const char *key, const sv *names, size_t count) {
    jsonw_key(w, sv_from_cstr(key));
    jsonw_begin_array(w);
    for (size_t i = 0; i < count; i++)
        jsonw_text(w, names[i]);
    jsonw_end_array(w);
}

static void write_json(struct picture *p, struct jsonw *w) {
    write_names(w, "resources", p->resources, p->resource_count);
    write_names(w, "order", p->order, p->order_count);
    jsonw_key(w, SV("edges"));
    jsonw_begin_array(w);
    for (size_t i = 0; i < p->use_count; i++) {
        const struct cfn_use *use = &p->uses[i];
        jsonw_begin_object(w);
        jsonw_put_text(w, "from", use->from);
        jsonw_put_text(w, "fromKind", cfn_used_get_name(use->from_kind));
        jsonw_put_text(w, "to", use->to);
        jsonw_put_text(w, "toKind", cfn_used_get_name(use->to_kind));
        jsonw_put_text(w, "kind", cfn_use_get_name(use->kind));
        write_place(p->cli, w, use->at);
        jsonw_end_object(w);
    }
    jsonw_end_array(w);
}

static void print_text(struct picture *p, struct buf *out) {
    for (size_t i = 0; i < p->use_count; i++) {
        const struct cfn_use *use = &p->uses[i];
        sv from = cfn_used_get_name(use->from_kind), to = cfn_used_get_name(use->to_kind);
        sv kind = cfn_use_get_name(use->kind);
        struct source *source = sources_find(&p->cli->sources, use->at.source);
        size_t line = source == NULL ? 0 : source_get_pos(source, use->at.offset).line;
        buf_printf(out, "%.*s %.*s -> %.*s %.*s  (%.*s, line %zu)\n", SV_ARG(from), SV_ARG(use->from), SV_ARG(to),
                   SV_ARG(use->to), SV_ARG(kind), line);
    }
}

static void print_dot_name(struct buf *out, enum cfn_used_kind kind, sv name) {
    sv prefix = kind == CFN_USED_RESOURCE ? SV("") : cfn_used_get_name(kind);
    buf_printf(out, "\"%.*s%s%.*s\"", SV_ARG(prefix), prefix.len > 0 ? " " : "", SV_ARG(name));
}

static void print_dot(struct picture *p, struct buf *out) {
    buf_append(out, SV("digraph template {\n  rankdir=LR;\n  node [shape=box];\n"));
    for (size_t i = 0; i < p->resource_count; i++) {
        buf_append(out, SV("  "));
        print_dot_name(out, CFN_USED_RESOURCE, p->resources[i]);
        buf_append(out, SV(";\n"));
    }
    for (size_t i = 0; i < p->use_count; i++) {
        const struct cfn_use *use = &p->uses[i];
        sv kind = cfn_use_get_name(use->kind);
        buf_append(out, SV("  "));
        print_dot_name(out, use->from_kind, use->from);
        buf_append(out, SV(" -> "));
        print_dot_name(out, use->to_kind, use->to);
        buf_printf(out, " [label=\"%.*s\"];\n", SV_ARG(kind));
    }
    buf_append(out, SV("}\n"));
}

static void print(struct picture *p, struct buf *out) {
    sv format = settings_get_text(p->cli, "format");
    if (settings_get_flag(p->cli, "order")) {
        for (size_t i = 0; i < p->order_count; i++) {
            buf_append(out, p->order[i]);
            buf_append_char(out, '\n');
        }
    } else if (sv_eq(format, SV("dot"))) {
        print_dot(p, out);
    } else {
        print_text(p, out);
    }
}

static enum exit_code draw(struct stack *s) {
    struct cli *c = s->cli;
    struct picture p = {.cli = c};
    struct buf out = BUF(&c->arena);
    s->options.is_validation = true;
    stack_start(s);
    if (!cfn_run_check(s->run) || !cfn_run_resolve(s->run))
        return EXIT_INVALID;
    p.use_count = cfn_run_list_uses(s->run, &p.uses);
    p.resource_count = cfn_run_list_resources(s->run, &p.resources);
    p.order_count = cfn_run_list_order(s->run, &p.order);
    write_json(&p, &c->writer);
    print(&p, &out);
    return stack_write(c, buf_get_sv(&out)) ? EXIT_OK : EXIT_FAILED;
}

enum exit_code cmd_cfn_graph_run(struct cli *c) {
    struct stack s;
    enum exit_code code = EXIT_INVALID;
    if (stack_open(&s, c, &code))
        code = draw(&s);
    stack_close(&s);
    return code;
}
