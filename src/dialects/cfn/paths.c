#include "dialects/cfn/run.h"
#include "value/path.h"

#include <stdarg.h>

enum { STEPS_MAX = 2100 };

struct finding {
    struct arena *arena;
    VEC(struct path_step) steps;
};

static bool covers(span outer, span inner) {
    return outer.source == inner.source && inner.offset >= outer.offset &&
           inner.offset + inner.length <= outer.offset + outer.length;
}

static span get_child_span(const struct node *n, uint32_t i) {
    if (n->kind == NODE_MAPPING)
        return span_join(n->pairs[i].key->at, cfn_node_get_span(n->pairs[i].value));
    return cfn_node_get_span(n->items[i]);
}

/* Children stand in the order of the text, but for those that came from elsewhere. */
static uint32_t find_child(const struct node *n, span at) {
    uint32_t low = 0, high = n->count;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        span child = get_child_span(n, middle);
        if (covers(child, at))
            return middle;
        if (child.source == at.source && child.offset <= at.offset)
            low = middle + 1;
        else
            high = middle;
    }
    for (uint32_t i = 0; i < n->count; i++) {
        if (covers(get_child_span(n, i), at))
            return i;
    }
    return CFN_NONE;
}

static void add_step(struct finding *f, const struct node *n, uint32_t i) {
    struct path_step *step = VEC_ADD(f->arena, &f->steps);
    if (n->kind == NODE_MAPPING)
        step->key = n->pairs[i].key->text;
    else
        *step = (struct path_step){.index = i, .is_index = true};
}

static void descend(struct finding *f, const struct node *n, span at) {
    while (f->steps.len < STEPS_MAX && (n->kind == NODE_MAPPING || n->kind == NODE_SEQUENCE)) {
        uint32_t i = find_child(n, at);
        if (i == CFN_NONE)
            return;
        add_step(f, n, i);
        if (n->kind == NODE_MAPPING && covers(n->pairs[i].key->at, at))
            return;
        n = n->kind == NODE_MAPPING ? n->pairs[i].value : n->items[i];
    }
}

static const struct cfn_included *find_included(const struct cfn_run *run, span at) {
    for (size_t i = 0; i < run->included.len; i++) {
        if (run->included.items[i].source == at.source)
            return &run->included.items[i];
    }
    return NULL;
}

sv cfn_path_find_in(struct arena *a, const struct node *root, span at) {
    struct finding f = {.arena = a};
    descend(&f, root, at);
    return path_to_text(a, (struct path){f.steps.items, f.steps.len});
}

sv cfn_path_find(struct cfn_run *run, span at) {
    if (span_is_none(at) || run->t == NULL || run->t->root == NULL)
        return (sv){0};
    struct finding f = {.arena = run->o.diags->arena};
    const struct cfn_included *in = find_included(run, at);
    descend(&f, run->t->written, in == NULL ? at : in->at);
    if (in != NULL) {
        f.steps.len -= f.steps.len > 0; /* the entries take the place of the Include's key */
        descend(&f, in->root, at);
    }
    return path_to_text(f.arena, (struct path){f.steps.items, f.steps.len});
}

struct diag *cfn_report(struct cfn_run *run, enum diag_code code, span at, const char *format, ...) {
    va_list args;
    va_start(args, format);
    sv message = arena_vprintf(run->o.diags->arena, format, args);
    va_end(args);
    struct diag *d = diags_add(run->o.diags, code, at, "%.*s", SV_ARG(message));
    if (run->o.diags->items.len > 0 && *VEC_LAST(&run->o.diags->items) == d)
        d->path = cfn_path_find(run, at);
    return d;
}
