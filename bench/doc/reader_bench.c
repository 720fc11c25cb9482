/* How fast the readers build their tree, beside libyaml delivering bare events over the same bytes: block YAML, flow
 * YAML and JSON, at growing sizes. Best of several runs each, the two readers taking turns. Fails when ours is not at
 * least twice as fast, when the time per entry grows, or when a tree takes more than 64 bytes a node beyond the text.
 */
#include "base/buf.h"
#include "doc/reader.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <yaml.h>

enum shape {
    SHAPE_BLOCK = 1,
    SHAPE_FLOW,
    SHAPE_JSON,
};

static const char *const shape_names[] = {
    [SHAPE_BLOCK] = "block YAML", [SHAPE_FLOW] = "flow YAML", [SHAPE_JSON] = "JSON"};

static void add_block_entry(struct buf *out, size_t i) {
    buf_printf(out,
               "  resource_%zu:\n"
               "    type: random/id # one of many\n"
               "    metadata:\n"
               "      displayName: Resource number %zu\n"
               "      labels: \n"
               "        app: \"orders\"\n"
               "    spec:\n"
               "      byteLength: 16\n"
               "      keepers:\n"
               "        - '${variables.region}'\n"
               "        - ${values.prefix}-%zu\n",
               i, i, i);
}

static void add_flow_entry(struct buf *out, size_t i) {
    buf_printf(
        out,
        "  resource_%zu: {type: random/id, metadata: {displayName: Resource number %zu, labels: {app: \"orders\"}},\n"
        "    spec: {byteLength: 16, keepers: ['${variables.region}', \"${values.prefix}-%zu\"]}},\n",
        i, i, i);
}

static void add_json_entry(struct buf *out, size_t i) {
    buf_printf(
        out,
        "%s\n    \"resource_%zu\": {\n"
        "      \"type\": \"random/id\",\n"
        "      \"metadata\": {\"displayName\": \"Resource number %zu\", \"labels\": {\"app\": \"orders\"}},\n"
        "      \"spec\": {\"byteLength\": 16, \"keepers\": [\"${variables.region}\", \"${values.prefix}-%zu\"]}\n"
        "    }",
        i ? "," : "", i, i, i);
}

static sv make_text(struct arena *a, enum shape shape, size_t entries) {
    struct buf out = BUF(a);
    buf_append_cstr(&out, shape == SHAPE_BLOCK  ? "resources:\n"
                          : shape == SHAPE_FLOW ? "resources: {\n"
                                                : "{\"resources\": {");
    for (size_t i = 0; i < entries; i++) {
        if (shape == SHAPE_BLOCK)
            add_block_entry(&out, i);
        else if (shape == SHAPE_FLOW)
            add_flow_entry(&out, i);
        else
            add_json_entry(&out, i);
    }
    buf_append_cstr(&out, shape == SHAPE_BLOCK ? "" : shape == SHAPE_FLOW ? "  }\n" : "\n}}\n");
    return buf_get_sv(&out);
}

static double get_seconds(void) {
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

struct measure {
    double seconds;
    double node_bytes; /* beyond the text */
};

static struct measure measure_reader(sv text, enum shape shape) {
    struct doc_options options = {.format = shape == SHAPE_JSON ? DOC_JSON : DOC_YAML, .duplicate_keys = DOC_REFUSE};
    struct arena arena = {0};
    struct sources sources;
    struct diags diags;
    sources_init(&sources, &arena);
    diags_init(&diags, &arena, &sources);
    struct source *source = sources_add(&sources, SV("bench"), text);
    size_t before = arena.total;
    double start = get_seconds();
    struct doc_stream *stream = doc_read(&arena, source, &options, &diags);
    struct measure m = {.seconds = get_seconds() - start};
    m.node_bytes = (double)(arena.total - before) / (double)stream->node_count;
    if (stream->has_errors) {
        printf("not read: %.*s\n", SV_ARG(diags.items.items[0]->message));
        exit(1);
    }
    arena_fini(&arena);
    return m;
}

static double measure_libyaml(sv text) {
    yaml_parser_t parser;
    yaml_event_t event;
    bool is_done = false;
    double start = get_seconds();
    yaml_parser_initialize(&parser);
    yaml_parser_set_input_string(&parser, (const unsigned char *)text.data, text.len);
    while (!is_done) {
        if (!yaml_parser_parse(&parser, &event)) {
            printf("libyaml: %s\n", parser.problem);
            exit(1);
        }
        is_done = event.type == YAML_STREAM_END_EVENT;
        yaml_event_delete(&event);
    }
    yaml_parser_delete(&parser);
    return get_seconds() - start;
}

struct result {
    double ours, libyaml, node_bytes;
};

static struct result measure(sv text, enum shape shape, size_t runs) {
    struct result r = {.ours = 1e9, .libyaml = 1e9};
    for (size_t i = 0; i < runs; i++) {
        struct measure m = measure_reader(text, shape);
        double theirs = measure_libyaml(text);
        r.ours = m.seconds < r.ours ? m.seconds : r.ours;
        r.libyaml = theirs < r.libyaml ? theirs : r.libyaml;
        r.node_bytes = m.node_bytes;
    }
    return r;
}

static bool bench_shape(enum shape shape) {
    static const size_t sizes[] = {1000, 10000, 100000};
    static const size_t runs[] = {30, 12, 7};
    enum { SIZES = 3 };
    static const double nanos = 1e9, mega = 1e6, least_ratio = 2.0, most_growth = 1.5, most_bytes = 64.0;
    double first = 0;
    bool is_good = true;
    for (size_t i = 0; i < SIZES; i++) {
        struct arena a = {0};
        sv text = make_text(&a, shape, sizes[i]);
        struct result r = measure(text, shape, runs[i]);
        double ratio = r.libyaml / r.ours, per_entry = r.ours / (double)sizes[i] * nanos;
        first = i == 1 ? per_entry : first;
        printf("%-10s %7zu entries %7.1f MB/s  libyaml %6.1f MB/s  ratio %5.2f  %7.0f ns/entry  %5.1f bytes/node\n",
               shape_names[shape], sizes[i], (double)text.len / r.ours / mega, (double)text.len / r.libyaml / mega,
               ratio, per_entry, r.node_bytes);
        bool grows = i > 1 && per_entry > first * most_growth;
        is_good = is_good && ratio >= least_ratio && !grows && (sizes[i] < sizes[1] || r.node_bytes <= most_bytes);
        arena_fini(&a);
    }
    return is_good;
}

int main(void) {
    bool is_good = true;
    for (int shape = SHAPE_BLOCK; shape <= SHAPE_JSON; shape++)
        is_good = bench_shape((enum shape)shape) && is_good;
    printf("%s\n", is_good ? "all targets met" : "a target is missed");
    return !is_good;
}
