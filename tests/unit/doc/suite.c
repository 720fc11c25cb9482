#include "suite.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void reading_open(struct reading *r, sv text, const struct doc_options *options) {
    *r = (struct reading){0};
    sources_init(&r->sources, &r->arena);
    diags_init(&r->diags, &r->arena, &r->sources);
    struct source *source = sources_add(&r->sources, SV("test.yaml"), arena_copy_sv(&r->arena, text));
    r->stream = doc_read(&r->arena, source, options, &r->diags);
}

void reading_close(struct reading *r) {
    arena_fini(&r->arena);
}

sv suite_read_file(struct arena *a, const char *path) {
    struct buf out = BUF(a);
    FILE *in = fopen(path, "rb");
    if (!in)
        return (sv){0};
    for (;;) {
        enum { CHUNK = 65536 };
        size_t got = fread(buf_reserve(&out, CHUNK), 1, CHUNK, in);
        out.len += got;
        if (got == 0)
            break;
    }
    fclose(in);
    return buf_get_sv(&out);
}

static void print_text(struct buf *out, sv text) {
    static const char from[] = "\n\t\\\b\r";
    static const char to[] = "nt\\br";
    for (size_t i = 0; i < text.len; i++) {
        const char *found = text.data[i] ? strchr(from, text.data[i]) : NULL;
        if (found)
            buf_append_char(out, '\\');
        buf_append_char(out, found ? to[found - from] : text.data[i]);
    }
}

static void print_props(struct buf *out, const struct node *n) {
    if (!n->props)
        return;
    if (n->props->anchor.len > 0)
        buf_printf(out, " &%.*s", SV_ARG(n->props->anchor));
    if (n->props->tag.len > 0) {
        buf_append_cstr(out, " <");
        buf_append(out, n->props->tag);
        buf_append_cstr(out, ">");
    }
}

static void print_scalar(struct buf *out, const struct node *n) {
    static const char marks[] = {[NODE_PLAIN] = ':',   [NODE_SINGLE_QUOTED] = '\'', [NODE_DOUBLE_QUOTED] = '"',
                                 [NODE_LITERAL] = '|', [NODE_FOLDED] = '>',         [NODE_EMPTY] = ':'};
    buf_append_cstr(out, "=VAL");
    print_props(out, n);
    buf_append_char(out, ' ');
    buf_append_char(out, marks[n->style]);
    print_text(out, n->text);
}

static void print_node(struct buf *out, const struct node *n) {
    switch ((enum node_kind)n->kind) {
    case NODE_SCALAR:
        print_scalar(out, n);
        break;
    case NODE_ALIAS:
        buf_append_cstr(out, "=ALI *");
        buf_append(out, n->text);
        break;
    case NODE_ERROR:
        buf_append_cstr(out, "=ERROR");
        break;
    case NODE_SEQUENCE:
        buf_append_cstr(out, n->style == NODE_FLOW ? "+SEQ []" : "+SEQ");
        print_props(out, n);
        break;
    case NODE_MAPPING:
        buf_append_cstr(out, n->style == NODE_FLOW ? "+MAP {}" : "+MAP");
        print_props(out, n);
        break;
    }
    buf_append_char(out, '\n');
    /* Recursion is bounded by the reader's limit on nesting. */
    if (n->kind == NODE_SEQUENCE) {
        for (uint32_t i = 0; i < n->count; i++)
            print_node(out, n->items[i]);
        buf_append_cstr(out, "-SEQ\n");
    } else if (n->kind == NODE_MAPPING) {
        for (uint32_t i = 0; i < n->count; i++) {
            print_node(out, n->pairs[i].key);
            print_node(out, n->pairs[i].value);
        }
        buf_append_cstr(out, "-MAP\n");
    }
}

/* The reader gives an empty stream one document, so that there is always a root; the suite gives it none. */
bool suite_is_empty(const struct doc_stream *stream) {
    const struct document *doc = &stream->documents.items[0];
    return stream->documents.len == 1 && !doc->explicit_start && doc->root->style == NODE_EMPTY && !doc->root->props;
}

void suite_print_events(struct buf *out, const struct doc_stream *stream) {
    buf_append_cstr(out, "+STR\n");
    for (size_t i = 0; i < stream->documents.len && !suite_is_empty(stream); i++) {
        const struct document *doc = &stream->documents.items[i];
        buf_append_cstr(out, doc->explicit_start ? "+DOC ---\n" : "+DOC\n");
        print_node(out, doc->root);
        buf_append_cstr(out, doc->explicit_end ? "-DOC ...\n" : "-DOC\n");
    }
    buf_append_cstr(out, "-STR\n");
}

static bool has_same_props(const struct node *a, const struct node *b) {
    static const struct node_props none = {0};
    const struct node_props *x = a->props ? a->props : &none, *y = b->props ? b->props : &none;
    return sv_eq(x->tag, y->tag) && sv_eq(x->anchor, y->anchor);
}

static bool has_same_props_below(const struct node *a, const struct node *b) {
    bool is_same = has_same_props(a, b);
    for (uint32_t i = 0; i < a->count && is_same; i++) {
        if (a->kind == NODE_SEQUENCE)
            is_same = has_same_props_below(a->items[i], b->items[i]);
        else
            is_same = has_same_props_below(a->pairs[i].key, b->pairs[i].key) &&
                      has_same_props_below(a->pairs[i].value, b->pairs[i].value);
    }
    return is_same;
}

bool suite_is_same(const struct node *a, const struct node *b) {
    return node_eq(a, b) && has_same_props_below(a, b);
}

static bool means_same_scalar(const struct node *a, const struct node *b) {
    struct scalar x = scalar_resolve_node(a, scalar_resolve_json), y = scalar_resolve_node(b, scalar_resolve_json);
    if (x.kind == SCALAR_INT || x.kind == SCALAR_FLOAT) {
        double left = x.kind == SCALAR_INT ? (double)x.integer : x.number;
        double right = y.kind == SCALAR_INT ? (double)y.integer : y.number;
        return y.kind >= SCALAR_INT && y.kind <= SCALAR_FLOAT && left <= right && left >= right;
    }
    return x.kind == y.kind && sv_eq(a->text, b->text);
}

static bool has_same_pair(const struct node_pair *pair, const struct node *mapping) {
    const struct node *other = node_find(mapping, pair->key->text);
    return other && suite_means_same(pair->value, other);
}

bool suite_means_same(const struct node *a, const struct node *b) {
    if (a->kind != b->kind || a->count != b->count)
        return false;
    if (a->kind == NODE_SCALAR)
        return means_same_scalar(a, b);
    bool is_same = true;
    for (uint32_t i = 0; i < a->count && is_same; i++) {
        if (a->kind == NODE_SEQUENCE)
            is_same = suite_means_same(a->items[i], b->items[i]);
        else
            is_same = has_same_pair(&a->pairs[i], b);
    }
    return is_same;
}

static int by_name(const struct dirent **a, const struct dirent **b) {
    return strcmp((*a)->d_name, (*b)->d_name);
}

char **suite_list(struct arena *a, const char *path, size_t *count) {
    struct dirent **entries = NULL;
    int found = scandir(path, &entries, NULL, by_name);
    *count = 0;
    if (found < 0)
        return NULL;
    char **names = ARENA_ARRAY(a, char *, (size_t)found + 1);
    for (int i = 0; i < found; i++) {
        if (entries[i]->d_name[0] != '.')
            names[(*count)++] = arena_copy_cstr(a, sv_from_cstr(entries[i]->d_name));
        free(entries[i]);
    }
    free(entries);
    return names;
}
