/* How fast blueprints are expanded: N instances of templates with conditions and references between instances, linked
 * in pairs; and N elements in copies of one child. Linear in what comes out. */
#include "api/builtin.h"
#include "bench/bench.h"
#include "dialects/blueprint/blueprint.h"
#include "lang/blueprint/test_fetcher.h"

#include <stdio.h>
#include <stdlib.h>

enum { PER_TEMPLATE = 100 };

struct job {
    struct arena arena;
    struct sources sources;
    struct diags diags;
    struct test_fetcher fetcher;
    struct template *template;
    void (*write)(struct buf *out, size_t n);
};

static void write_items(struct buf *out) {
    buf_append_cstr(out, "version: 2025-11-02\nvalues:\n  items: {type: array, value: [0");
    for (size_t i = 1; i < PER_TEMPLATE; i++) {
        buf_printf(out, ", %zu", i);
    }
    buf_append_cstr(out, "]}\n");
}

static void write_templates(struct buf *out, size_t n) {
    write_items(out);
    buf_append_cstr(out, "resources:\n  t0: {type: random/id, each: \"${values.items}\", spec: {byteLength: 4}}\n");
    for (size_t i = 1; i < n / PER_TEMPLATE; i++) {
        buf_printf(out,
                   "  t%zu:\n"
                   "    type: random/id\n"
                   "    each: ${values.items}\n"
                   "    condition: {not: \"${eq(elem, 7)}\"}\n"
                   "    dependsOn: t0\n"
                   "    spec:\n"
                   "      byteLength: 8\n"
                   "      keepers: {name: \"${elem} ${i} ${t%zu[3].spec.hex}\"}\n",
                   i, i - 1);
    }
}

static void write_children(struct buf *out, size_t n) {
    buf_append_cstr(out, "version: 2025-11-02\ninclude:\n  c0: {path: child.yaml, variables: {from: start}}\n");
    for (size_t i = 1; i < n / PER_TEMPLATE; i++) {
        buf_printf(out, "  c%zu: {path: child.yaml, variables: {from: \"${children.c%zu.id}\"}}\n", i, i - 1);
    }
    buf_append_cstr(out, "#--- child.yaml\n");
    write_items(out);
    buf_append_cstr(out, "variables: {from: {type: string}}\n"
                         "resources:\n"
                         "  id: {type: random/id, spec: {byteLength: 8, keepers: {from: \"${variables.from}\"}}}\n"
                         "  t: {type: random/id, each: \"${values.items}\", spec: {byteLength: 8}}\n"
                         "exports:\n"
                         "  id: {type: string, field: id.spec.hex}\n");
}

static void stop(const struct job *j) {
    printf("not valid: %.*s\n", SV_ARG(j->diags.items.items[0]->message));

    exit(1);
}

static void prepare(void *context, size_t n) {
    struct job *j = context;
    struct buf out = BUF(&j->arena);
    j->write(&out, n);
    sv text = test_fetcher_init(&j->fetcher, &j->arena, buf_get_sv(&out));

    sources_init(&j->sources, &j->arena);
    diags_init(&j->diags, &j->arena, &j->sources);
    struct load_request r = {.arena = &j->arena,
                             .sources = &j->sources,
                             .diags = &j->diags,
                             .limits = &limits_default,
                             .providers = &builtin_providers,
                             .fetcher = &j->fetcher.fetcher,
                             .file = SV("bench.yaml"),
                             .source = sources_add(&j->sources, SV("bench.yaml"), arena_copy_sv(&j->arena, text))};
    j->template = blueprint_load(&r);
    if (j->template == NULL || j->diags.errors > 0) {
        stop(j);
    }
}

static void expand(void *context, size_t n) {
    struct job *j = context;
    struct arena arena = {0};
    struct expand_request r = {
        .arena = &arena, .diags = &j->diags, .world = {.limits = &limits_default, .fetcher = &j->fetcher.fetcher}};
    const struct template *t = template_expand(j->template, &r);
    if (t == NULL || t->element_count < n) {
        stop(j);
    }
    arena_fini(&arena);
}

static void clean(void *context, size_t n) {
    struct job *j = context;
    (void)n;
    arena_fini(&j->arena);
    *j = (struct job){.write = j->write};
}

int main(void) {
    static const double most_growth = 2.5; /* caches end between the sizes */
    struct bench b = {0};
    struct job templates = {.write = write_templates}, children = {.write = write_children};
    struct bench_work instances = {"expand instances", prepare, expand, clean, &templates};
    struct bench_work copies = {"expand copies of a child", prepare, expand, clean, &children};
    bench_check_linear(&b, &instances, most_growth);
    bench_check_linear(&b, &copies, most_growth);
    return bench_finish(&b);
}
