/* How fast blueprints are validated: N independent resources with three substitutions each, and a chain of N resources
 * each referring to the one before. Linear; at most twice the time of libyaml's bare events over the same bytes; at
 * most 3 KiB of memory per resource beyond the text. */
#include "api/builtin.h"
#include "bench/bench.h"
#include "dialects/blueprint/blueprint.h"

#include <stdio.h>
#include <stdlib.h>
#include <yaml.h>

enum { RUNS = 5 };

struct job {
    struct arena text_arena;
    sv text;
    void (*add)(struct buf *out, size_t i);
    size_t bytes; /* of memory, of the last run */
};

static void add_independent(struct buf *out, size_t i) {
    buf_printf(out,
               "  suffix_%zu:\n"
               "    type: random/id\n"
               "    metadata:\n"
               "      displayName: Suffix %zu of ${variables.env}\n"
               "    spec:\n"
               "      byteLength: ${variables.bytes}\n"
               "      keepers:\n"
               "        name: ${values.name}\n",
               i, i);
}

static void add_chained(struct buf *out, size_t i) {
    buf_printf(out,
               "  suffix_%zu:\n"
               "    type: random/id\n"
               "    metadata:\n"
               "      displayName: Suffix %zu of ${variables.env}\n"
               "    spec:\n"
               "      byteLength: ${variables.bytes}\n"
               "      keepers:\n",
               i, i);
    if (i == 0) {
        buf_append_cstr(out, "        name: ${values.name}\n");
    } else {
        buf_printf(out, "        name: ${suffix_%zu.spec.hex}\n", i - 1);
    }
}

static void prepare(void *context, size_t n) {
    struct job *j = context;
    struct buf out = BUF(&j->text_arena);
    buf_append_cstr(&out, "version: 2025-11-02\n"
                          "variables:\n"
                          "  env: {type: string, default: prod}\n"
                          "  bytes: {type: integer, default: 8}\n"
                          "values:\n"
                          "  name: {type: string, value: \"x-${variables.env}\"}\n"
                          "resources:\n");
    for (size_t i = 0; i < n; i++) {
        j->add(&out, i);
    }
    j->text = buf_get_sv(&out);
}

static void clean(void *context, size_t n) {
    struct job *j = context;
    (void)n;
    arena_fini(&j->text_arena);
}

static void validate(void *context, size_t n) {
    struct job *j = context;
    struct arena arena = {0};
    struct sources sources;
    struct diags diags;
    (void)n;
    sources_init(&sources, &arena);
    diags_init(&diags, &arena, &sources);
    struct load_request r = {.arena = &arena,
                             .sources = &sources,
                             .diags = &diags,
                             .limits = &limits_default,
                             .providers = &builtin_providers,
                             .file = SV("bench.yaml"),
                             .source = sources_add(&sources, SV("bench.yaml"), j->text)};
    if (blueprint_load(&r) == NULL || diags.errors > 0) {
        printf("not valid: %.*s\n", SV_ARG(diags.items.items[0]->message));
        exit(1);
    }
    j->bytes = arena.total;
    arena_fini(&arena);
}

static void read_events(void *context, size_t n) {
    struct job *j = context;
    yaml_parser_t parser;
    yaml_event_t event;
    bool is_done = false;
    (void)n;
    yaml_parser_initialize(&parser);
    yaml_parser_set_input_string(&parser, (const unsigned char *)j->text.data, j->text.len);
    while (!is_done) {
        if (!yaml_parser_parse(&parser, &event)) {
            printf("libyaml: %s\n", parser.problem);
            exit(1);
        }
        is_done = event.type == YAML_STREAM_END_EVENT;
        yaml_event_delete(&event);
    }
    yaml_parser_delete(&parser);
}

struct pair {
    double ours, theirs;
};

/* The best of some runs, both taking turns, so that other work on the machine meets both. */
static struct pair measure_turns(struct job *j, size_t n) {
    struct pair best = {1e9, 1e9};
    prepare(j, n);
    for (int i = 0; i < RUNS; i++) {
        double start = bench_now();
        validate(j, n);
        double middle = bench_now();
        read_events(j, n);
        double end = bench_now();
        best.ours = middle - start < best.ours ? middle - start : best.ours;
        best.theirs = end - middle < best.theirs ? end - middle : best.theirs;
    }
    clean(j, n);
    return best;
}

int main(void) {
    static const double most_growth = 1.5, most_ratio = 2.0, most_bytes = 3072.0;
    struct bench b = {0};
    struct job independent = {.add = add_independent}, chained = {.add = add_chained};
    size_t n = bench_sizes[BENCH_SIZES - 1];
    struct bench_work ours = {"validate independent resources", prepare, validate, clean, &independent};
    bench_check_linear(&b, &ours, most_growth);
    struct pair plain = measure_turns(&independent, n), links = measure_turns(&chained, n);
    double memory = (double)independent.bytes / (double)n;
    bench_check_most(&b, "validation beside libyaml's events", plain.ours / plain.theirs, most_ratio, "x");
    bench_check_most(&b, "a resource in a chain beside an independent one", links.ours / plain.ours, most_ratio, "x");
    bench_check_most(&b, "memory of a resource", memory, most_bytes, "bytes");
    return bench_finish(&b);
}
