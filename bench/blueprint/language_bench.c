/* The language at size: resources with conditions, `each`, labels and nested functions. A tenth of the n resources of
 * each of ten labels is made by one template; ten services of each label link to all its files: 10 n links.
 *
 * Loading, expanding and planning cost at most so much more per resource and link when there are four times as many;
 * a chain of 2 000 values, each using the one before, is evaluated.
 */
#include "api/builtin.h"
#include "bench/bench.h"
#include "dialects/blueprint/blueprint.h"
#include "engine/run.h"
#include "stores/memory/memory.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { LABELS = 10, SERVICES = 10, SMALL = 2500, LARGE = 10000, CHAIN = 2000, RUNS = 5 };

/* One run of it all; each step needs those before. */
struct session {
    struct arena arena, text_arena;
    sv text;
    struct host host;
    struct sources sources;
    struct diags diags;
    struct run_record record;
    struct store *store;
    struct sealer *sealer;
    struct template *loaded;
    const struct template *expanded;
    const char *dir;
};

/* Seconds of each step. */
struct figures {
    double load, expand, plan;
    size_t elements, links;
};

static _Noreturn void stop(const struct session *s, const char *what) {
    printf("%s failed\n", what);
    for (size_t i = 0; i < s->diags.items.len && i < 5; i++) {
        const struct diag *d = s->diags.items.items[i];
        printf("  %.*s: %.*s\n", SV_ARG(diag_get_code_name(d)), SV_ARG(d->message));
    }
    exit(1);
}

/* --- texts --- */

static void add_service(struct buf *out, size_t label, size_t i) {
    buf_printf(out,
               "  service_%zu_%zu:\n"
               "    type: process/service\n"
               "    linkSelector: {byLabel: {group: \"g%zu\", kind: config}}\n"
               "    spec:\n"
               "      command: /bin/true\n",
               label, i, label);
}

static void add_file(struct buf *out, size_t label, size_t i) {
    buf_printf(out,
               "  file_%zu_%zu:\n"
               "    type: local/file\n"
               "    condition: {and: [\"${eq(variables.env, 'prod')}\", {not: \"${variables.off}\"}]}\n"
               "    metadata: {labels: {group: \"g%zu\", kind: config}}\n"
               "    spec:\n"
               "      path: f-%zu-%zu.conf\n"
               "      contents: ${join(map(filter(split(trim(variables.text), \",\"), has_prefix_g(\"a\")), to_upper), "
               "\"-\")}\n",
               label, i, label, label, i);
}

static void add_template(struct buf *out, size_t label) {
    buf_printf(out,
               "  many_%zu:\n"
               "    type: local/file\n"
               "    each: ${values.items}\n"
               "    condition: ${ge(i, 0)}\n"
               "    metadata: {labels: {group: \"g%zu\", kind: config}}\n"
               "    spec:\n"
               "      path: m-%zu-${i}.conf\n"
               "      contents: ${replace(to_upper(trim(elem)), \"A\", substr(variables.text, 0, 2))}\n",
               label, label, label);
}

static sv make_text(struct arena *a, size_t n) {
    struct buf out = BUF(a);
    size_t files = n / LABELS / 2;
    buf_append_cstr(&out, "version: 2025-11-02\n"
                          "variables:\n"
                          "  env: {type: string, default: prod}\n"
                          "  off: {type: boolean, default: false}\n"
                          "  text: {type: string, default: \"apple,pear,avocado\"}\n"
                          "values:\n"
                          "  items:\n"
                          "    type: array\n"
                          "    value:\n");
    for (size_t i = 0; i < files; i++) {
        buf_printf(&out, "      - item a%zu\n", i);
    }
    buf_append_cstr(&out, "resources:\n");
    for (size_t label = 0; label < LABELS; label++) {
        for (size_t i = 0; i < SERVICES; i++) {
            add_service(&out, label, i);
        }
        for (size_t i = SERVICES; i < files; i++) {
            add_file(&out, label, i);
        }
        add_template(&out, label);
    }
    return buf_get_sv(&out);
}

static sv make_chain(struct arena *a, size_t n) {
    struct buf out = BUF(a);
    buf_append_cstr(&out, "version: 2025-11-02\nvalues:\n  v0: {type: integer, value: 1}\n");
    for (size_t i = 1; i < n; i++) {
        buf_printf(&out, "  v%zu: {type: integer, value: \"${max(values.v%zu, %zu)}\"}\n", i, i - 1, i);
    }
    buf_printf(&out, "resources:\n  id: {type: random/id, spec: {keepers: {last: \"${values.v%zu}\"}}}\n", n - 1);
    return buf_get_sv(&out);
}

/* --- steps --- */

static void load(struct session *s) {
    sources_init(&s->sources, &s->arena);
    diags_init(&s->diags, &s->arena, &s->sources);
    record_init(&s->record, &s->arena, 0);
    struct source *source = sources_add(&s->sources, SV("bench.yaml"), s->text);
    source->path = arena_printf(&s->arena, "%s/bench.yaml", s->dir);
    struct load_request r = {.arena = &s->arena,
                             .sources = &s->sources,
                             .diags = &s->diags,
                             .limits = &limits_default,
                             .providers = &builtin_providers,
                             .host = &s->host,
                             .record = &s->record,
                             .file = SV("bench.yaml"),
                             .source = source,
                             .check_inputs = true};
    s->loaded = blueprint_load(&r);
    if (s->loaded == NULL || s->diags.errors > 0) {
        stop(s, "loading");
    }
}

static void expand(struct session *s) {
    struct expand_request r = {.arena = &s->arena,
                               .diags = &s->diags,
                               .world = {.host = &s->host, .limits = &limits_default, .record = &s->record}};
    s->expanded = template_expand(s->loaded, &r);
    if (s->expanded == NULL || s->diags.errors > 0) {
        stop(s, "expanding");
    }
}

static void plan(struct session *s) {
    struct store_options options = {.diags = &s->diags, .host = &s->host, .busy_timeout_ms = 1000};
    s->store = memory_store_open(&s->arena, &options);
    struct sealer_options seal = {.arena = &s->arena, .diags = &s->diags, .host = &s->host, .create = true};
    seal.key_file = arena_printf(&s->arena, "%s/bench.key", s->dir);
    s->store->ops->get_store_key(s->store, seal.store_key);
    s->sealer = sealer_open(&seal);
    struct run_config config = {.arena = &s->arena,
                                .diags = &s->diags,
                                .limits = &limits_default,
                                .store = s->store,
                                .sealer = s->sealer,
                                .providers = &builtin_providers,
                                .host = &s->host,
                                .context = SV("default"),
                                .instance_name = SV("bench"),
                                .actor_command = SV("bench"),
                                .parallel = 10,
                                .lease_ttl_ms = 60000,
                                .refresh = true};
    enum exit_code code;
    if (run_plan(&config, s->loaded, false, NULL, 0, &code) == NULL) {
        stop(s, "planning");
    }
}

static void close_session(struct session *s) {
    if (s->sealer != NULL) {
        sealer_close(s->sealer);
    }
    if (s->store != NULL) {
        s->store->ops->close(s->store);
    }
    arena_fini(&s->arena);
    arena_fini(&s->text_arena);
}

static double least(double x, double y) {
    return x < y ? x : y;
}

/* One run of every step; `best` keeps what was quickest. */
static void measure(const char *dir, size_t n, struct figures *best) {
    struct session s = {.host = host_system, .dir = dir};
    s.text = make_text(&s.text_arena, n);
    double start = bench_now();
    load(&s);
    double loaded = bench_now();
    expand(&s);
    double expanded = bench_now();
    plan(&s);
    double planned = bench_now();
    best->load = least(best->load, loaded - start);
    best->expand = least(best->expand, expanded - loaded);
    best->plan = least(best->plan, planned - expanded);
    best->elements = s.expanded->element_count;
    best->links = s.expanded->link_count;
    close_session(&s);
}

static void print_figures(const struct figures *f) {
    printf("%zu elements, %zu links: load %.3f s, expand %.3f s, plan %.3f s\n", f->elements, f->links, f->load,
           f->expand, f->plan);
}

static void check_growth(struct bench *b, const char *what, const struct figures *small, const struct figures *large,
                         double small_s, double large_s) {
    static const double most_growth = 2.0;
    double small_each = small_s / (double)(small->elements + small->links);
    double large_each = large_s / (double)(large->elements + large->links);
    bench_check_most(b, what, large_each / small_each, most_growth, "x per element and link, 4 times as many");
}

static void evaluate_chain(struct session *s) {
    struct evaluation e = {.template = s->loaded, .arena = &s->arena, .diags = &s->diags};
    s->loaded->ops->start_evaluation(s->loaded, &e, &(const struct evaluation_request){.limits = &limits_default});
    const struct element *last = &s->loaded->elements[CHAIN - 1];
    value v = eval_cell(e.evaluator, &e.cells[CHAIN - 1].main);
    if (last->kind != ELEMENT_VALUE || v.kind != VALUE_INT || v.integer != CHAIN - 1) {
        stop(s, "evaluating the chain");
    }
}

static void check_chain(struct bench *b, const char *dir) {
    struct session s = {.host = host_system, .dir = dir};
    s.text = make_chain(&s.text_arena, CHAIN);
    load(&s);
    double start = bench_now();
    evaluate_chain(&s);
    bench_check_most(b, "a value of a chain of 2 000", (bench_now() - start) * 1e6 / CHAIN, 100.0, "us");
    close_session(&s);
}

int main(void) {
    struct bench b = {0};
    char dir[] = "/tmp/lintel-bench-XXXXXX";
    if (mkdtemp(dir) == NULL) {
        return 1;
    }
    struct figures small = {.load = 1e9, .expand = 1e9, .plan = 1e9}, large = small;
    for (int run = 0; run < RUNS; run++) { /* in turns, so that other work on the machine meets both */
        measure(dir, SMALL, &small);
        measure(dir, LARGE, &large);
    }
    print_figures(&small);
    print_figures(&large);
    check_growth(&b, "loading", &small, &large, small.load, large.load);
    check_growth(&b, "expanding", &small, &large, small.expand, large.expand);
    check_growth(&b, "planning", &small, &large, small.plan, large.plan);
    bench_check_least(&b, "links of the large one", (double)large.links, 90000.0, "");
    check_chain(&b, dir);
    char key[64];
    snprintf(key, sizeof key, "%s/bench.key", dir);
    unlink(key);
    rmdir(dir);
    return bench_finish(&b);
}
