/* Loading and staging of what multiplies: templates with conditions, links by labels, many before many, children. All
 * of it is linear in what comes out. */
#include "bench.h"

#include "bench/engine/session.h"
#include "lang/blueprint/test_fetcher.h"

enum { PER_TEMPLATE = 100, LABELS = 10, PER_CLUSTER = 10, SMALL = 10000, LARGE = 100000 };

static const struct schema text_schema = {.type = SCHEMA_STRING, .flags = SCHEMA_NULLABLE};
static const struct schema id_schema = {.type = SCHEMA_STRING, .flags = SCHEMA_COMPUTED};
static const struct schema_attribute attributes[] = {
    {SV_INIT("name"), &text_schema}, {SV_INIT("note"), &text_schema}, {SV_INIT("id"), &id_schema}};
static const struct schema schema = {.type = SCHEMA_OBJECT, .attributes = attributes, .attribute_count = 3};
static const struct resource_type from_type = {
    .name = SV_INIT("bench/from"), .id_field = SV_INIT("id"), .schema = &schema};
static const struct resource_type to_type = {.name = SV_INIT("bench/to"), .id_field = SV_INIT("id"), .schema = &schema};
static const struct resource_type *const types[] = {&from_type, &to_type};
static const struct link_type link = {.type_a = SV_INIT("bench/from"), .type_b = SV_INIT("bench/to")};
static const struct link_type *const links[] = {&link};
static const struct provider provider = {
    .name = SV_INIT("bench"), .resources = types, .resource_count = 2, .links = links, .link_count = 1};
static const struct provider *const all[] = {&provider};
static const struct providers providers = {all, 1};

/* --- texts --- */

/* Templates of 100 instances, each with a condition and nested functions. */
static void write_templates(struct buf *out, size_t n) {
    buf_append_cstr(out, "variables:\n  names: {type: string, default: '");
    for (size_t i = 0; i < PER_TEMPLATE; i++) {
        buf_printf(out, "%sitem-%zu", i == 0 ? "" : ",", i);
    }
    buf_append_cstr(out, "'}\nvalues:\n  list: {type: array, value: '${split(variables.names, \",\")}'}\nresources:\n");
    for (size_t i = 0; i < n / PER_TEMPLATE; i++) {
        buf_printf(out,
                   "  t%zu:\n    type: bench/from\n    each: '${values.list}'\n"
                   "    condition: '${and(ge(i, 0), not(eq(elem, \"item-7\")))}'\n"
                   "    spec: {name: '${to_upper(trim(elem))}', note: 'number ${i}'}\n",
                   i);
    }
}

static void write_labels(struct buf *out, size_t cluster) {
    for (size_t k = 0; k < LABELS; k++) {
        buf_printf(out, "%slabel%zu: c%zu", k == 0 ? "{" : ", ", k, cluster);
    }
    buf_append_char(out, '}');
}

/* Clusters of ten that select ten by ten labels: a hundred links. */
static void write_links(struct buf *out, size_t n) {
    buf_append_cstr(out, "resources:\n");
    for (size_t c = 0; c < n / ((size_t)PER_CLUSTER * PER_CLUSTER); c++) {
        for (size_t i = 0; i < PER_CLUSTER; i++) {
            buf_printf(out, "  f%zu_%zux:\n    type: bench/from\n    spec: {name: x}\n    linkSelector: {byLabel: ", c,
                       i);
            write_labels(out, c);
            buf_printf(out, "}\n  o%zu_%zux:\n    type: bench/to\n    spec: {name: x}\n    metadata: {labels: ", c, i);
            write_labels(out, c);
            buf_append_cstr(out, "}\n");
        }
    }
}

/* Half of them stand in a child, each of the other half waits for all of it. */
static void write_child(struct buf *out, size_t n) {
    buf_append_cstr(out, "resources:\n  core: {type: lintel/blueprint, spec: {path: core.yaml}}\n");
    for (size_t i = 0; i < n / 2; i++) {
        buf_printf(out, "  user%zu: {type: bench/from, dependsOn: core, spec: {name: '${core.state.all}'}}\n", i);
    }
    buf_append_cstr(out, "#--- core.yaml\nversion: 2025-11-02\nresources:\n");
    buf_append_cstr(out, "  last: {type: bench/from, dependsOn: [r0], spec: {name: x}}\n");
    for (size_t i = 0; i < n / 2; i++) {
        buf_printf(out, "  r%zu: {type: bench/to, spec: {name: x}}\n", i);
    }
    buf_append_cstr(out, "exports:\n  all: {type: string, field: resources.last.spec.id}\n");
}

/* Templates of up to 10 000 before as many (BP-152). */
static void write_many_before_many(struct buf *out, size_t n) {
    size_t count = n / 2 < 10000 ? n / 2 : 10000;
    if (count == 0) {
        return;
    }
    buf_append_cstr(out, "variables:\n  names: {type: string, default: '");
    for (size_t i = 0; i < count; i++) {
        buf_printf(out, "%s%zu", i == 0 ? "" : ",", i);
    }
    buf_append_cstr(out, "'}\nvalues:\n  list: {type: array, value: '${split(variables.names, \",\")}'}\nresources:\n");
    for (size_t i = 0; i < n / count; i++) {
        buf_printf(out, "  t%zu: {type: bench/from, each: '${values.list}', spec: {name: '${elem}'}", i);
        if (i > 0) {
            buf_printf(out, ", dependsOn: t%zu", i - 1);
        }
        buf_append_cstr(out, "}\n");
    }
}

/* --- runs --- */

struct feature {
    struct session session;
    void (*write)(struct buf *out, size_t n);
    struct test_fetcher fetcher;
    sv whole;
};

static void prepare(void *context, size_t n) {
    struct feature *f = context;
    f->session.host = host_system;
    f->session.providers = &providers;
    struct buf text = BUF(&f->session.text_arena);
    buf_append_cstr(&text, "version: 2025-11-02\n");
    f->write(&text, n);
    f->fetcher = (struct test_fetcher){0};
    sv root = test_fetcher_init(&f->fetcher, &f->session.text_arena, buf_get_sv(&text));
    f->session.text = arena_copy_sv(&f->session.text_arena, root);
    f->session.fetcher = &f->fetcher.fetcher;
}

static void run(void *context, size_t n) {
    struct feature *f = context;
    (void)n;
    session_load(&f->session);
    session_open_store(&f->session);
    session_plan(&f->session);
}

static void clean(void *context, size_t n) {
    struct feature *f = context;
    (void)n;
    session_close(&f->session);
    arena_fini(&f->session.text_arena);
}

static const struct {
    const char *name;
    void (*write)(struct buf *out, size_t n);
} features[] = {
    {"stage N instances with conditions", write_templates},
    {"stage N links by ten labels", write_links},
    {"stage a child and users of it, N resources", write_child},
    {"stage templates that wait for templates, N instances", write_many_before_many},
};

int main(void) {
    struct bench b = {0};
    for (size_t i = 0; i < sizeof features / sizeof *features; i++) {
        struct feature f = {.write = features[i].write};
        struct bench_work work = {features[i].name, prepare, run, clean, &f};
        double small = bench_measure(&work, SMALL, 5), large = bench_measure(&work, LARGE, 3);
        bench_check_most(&b, features[i].name, large / LARGE / (small / SMALL), 3,
                         "x, the cost of each at ten times as many");
        bench_check_most(&b, "  of 10 000", small, 10, "s");
    }
    return bench_finish(&b);
}
