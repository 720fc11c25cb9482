/* How fast templates are loaded and resolved, beside libyaml delivering bare events over the same bytes: 5 000
 * resources with 165 000 intrinsics in short forms, and 10 to 50 000 resources for the growth. Ours
 * also writes the result. The goal is twice libyaml's time and 150 MB; the bounds here keep what has been reached. */
#include "bench/bench.h"

#include "dialects/cfn/cfn.h"
#include "dialects/cfn/inputs.h"

#include <stdio.h>
#include <stdlib.h>
#include <yaml.h>

enum { MEASURED = 5000, RUNS = 5, CALLS = 33 };

static void add_head(struct buf *out) {
    buf_append_cstr(
        out,
        "AWSTemplateFormatVersion: '2010-09-09'\n"
        "Parameters:\n"
        "  Env: {Type: String, Default: prod}\n"
        "  Zones: {Type: CommaDelimitedList, Default: 'a,b,c'}\n"
        "Mappings:\n"
        "  Sizes: {us-east-1: {small: t3.small, large: m5.large}, eu-west-1: {small: t3a.small, large: m5a.large}}\n"
        "Conditions:\n"
        "  IsProd: !Equals [!Ref Env, prod]\n"
        "  IsTest: !Not [!Condition IsProd]\n"
        "Resources:\n");
}

/* 33 intrinsics: known and unknown ones, nested, conditional. */
static void add_resource(struct buf *out, size_t i) {
    size_t other = i == 0 ? 0 : i - 1;
    buf_printf(out,
               "  Bucket%zu:\n"
               "    Type: AWS::S3::Bucket\n"
               "    Properties:\n"
               "      BucketName: !Sub '${Env}-bucket-%zu-${AWS::AccountId}'\n"
               "      Tags:\n"
               "        - {Key: env, Value: !Ref Env}\n"
               "        - {Key: region, Value: !Ref AWS::Region}\n"
               "        - {Key: zone, Value: !Select [1, !Ref Zones]}\n"
               "        - {Key: name, Value: !Join ['-', [a, !Ref Env, !Ref AWS::StackName, %zu]]}\n",
               i, i, i);
    if (i > 0)
        buf_printf(
            out,
            "      Log: {Bucket: !Ref Bucket%zu, Arn: !GetAtt Bucket%zu.Arn, Prefix: !Sub 'logs/${Bucket%zu}/'}\n"
            "      Fn: {Arn: !GetAtt Function%zu.Arn, Name: !Ref Function%zu, Uri: !Sub "
            "'arn:${AWS::Partition}:apigateway:${AWS::Region}:lambda:path/${Function%zu.Arn}/x'}\n",
            other, other, other, other, other, other);
    else
        buf_append_cstr(out, "      Log: {}\n");
    buf_printf(out,
               "      Size: !FindInMap [Sizes, !Ref AWS::Region, large]\n"
               "      Choice: !If [IsProd, !Sub '${Env}-a', !Sub '${Env}-b']\n"
               "      Gone: !If [IsTest, x, !Ref AWS::NoValue]\n"
               "      Parts: !Split ['-', !Ref Env]\n"
               "      Code: !Base64 'some text to be encoded %zu'\n"
               "      Deep: [{a: [{b: !Join ['', [!Ref Env, !Sub 'x${AWS::Region}', !Select [0, [a, b]]]]}]}]\n"
               "  Function%zu:\n"
               "    Type: AWS::Lambda::Function\n"
               "    Properties:\n"
               "      Handler: index.handler\n"
               "      MemorySize: 128\n"
               "      Environment: {Variables: {A: !Ref Env, B: !Ref Bucket%zu, C: !GetAtt Bucket%zu.Arn, D: !Sub "
               "'${Env}/${Bucket%zu.DomainName}'}}\n"
               "      Role: !Sub 'arn:${AWS::Partition}:iam::${AWS::AccountId}:role/${Env}-role'\n",
               i, i, i, i, i);
}

static sv make_template(struct arena *a, size_t resources) {
    struct buf out = BUF(a);
    add_head(&out);
    for (size_t i = 0; i < resources / 2; i++)
        add_resource(&out, i);
    return buf_get_sv(&out);
}

struct outcome {
    double load, resolve;
    size_t bytes, output;
};

static struct outcome resolve(sv text) {
    struct arena arena = {0};
    struct sources sources;
    struct diags diags;
    struct outcome o;
    double start = bench_now();
    sources_init(&sources, &arena);
    diags_init(&diags, &arena, &sources);
    struct cfn_inputs *inputs = cfn_inputs_new(&arena, &sources, &diags);
    cfn_inputs_close(inputs);
    struct source *source = sources_add(&sources, SV("bench"), text);
    struct cfn *cfn =
        cfn_load(&(struct cfn_load_options){.arena = &arena, .diags = &diags, .sources = &sources}, source);
    o.load = bench_now() - start;
    struct cfn_run *run =
        cfn_run_open(cfn, inputs, &(struct cfn_options){.arena = &arena, .diags = &diags, .sources = &sources});
    struct buf out = BUF(&arena);
    if (!cfn_run_check(run) || !cfn_run_resolve(run) || !cfn_run_write(run, &(struct cfn_style){0}, &out)) {
        printf("not resolved: %.*s\n", SV_ARG(diags.items.items[0]->message));
        exit(1);
    }
    o.resolve = bench_now() - start;
    o.bytes = arena.total;
    o.output = out.len;
    cfn_run_close(run);
    arena_fini(&arena);
    return o;
}

static double measure_libyaml(sv text) {
    yaml_parser_t parser;
    yaml_event_t event;
    bool is_done = false;
    double start = bench_now();
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
    return bench_now() - start;
}

/* The best of some runs, the two taking turns. */
static void compare(struct bench *b) {
    static const double mega = 1e6, most_ratio = 3.5, most_bytes = 180.0;
    struct arena a = {0};
    sv text = make_template(&a, (size_t)2 * MEASURED);
    double ours = 1e9, load = 1e9, theirs = 1e9;
    struct outcome o = {0};
    for (int i = 0; i < RUNS; i++) {
        o = resolve(text);
        double t = measure_libyaml(text);
        ours = o.resolve < ours ? o.resolve : ours;
        load = o.load < load ? o.load : load;
        theirs = t < theirs ? t : theirs;
    }
    printf("%d buckets and functions, %.1f MB: load %.0f ms, in all %.0f ms, libyaml's events %.0f ms; %.1f MB out\n",
           MEASURED, (double)text.len / mega, load * 1e3, ours * 1e3, theirs * 1e3, (double)o.output / mega);
    bench_check_most(b, "load and resolve, times libyaml", ours / theirs, most_ratio, "");
    bench_check_most(b, "memory beyond the text", (double)o.bytes / mega, most_bytes, "MB");
    bench_check_most(b, "resident", (double)bench_get_peak_bytes() / mega, most_bytes, "MB");
    arena_fini(&a);
}

static void check_growth(struct bench *b) {
    static const size_t sizes[] = {100, 1000, 10000, 50000};
    static const double most_growth = 1.6, micro = 1e6;
    double former = 0;
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        struct arena a = {0};
        sv text = make_template(&a, sizes[i]);
        double best = 1e9;
        for (int r = 0; r < 3; r++) {
            double t = resolve(text).resolve;
            best = t < best ? t : best;
        }
        double each = best / (double)sizes[i];
        printf("%zu resources: %.1f us each\n", sizes[i], each * micro);
        if (i > 1)
            bench_check_most(b, "growth", each / former, most_growth, "");
        former = each;
        arena_fini(&a);
    }
}

int main(void) {
    struct bench b = {0};
    compare(&b);
    check_growth(&b);
    return bench_finish(&b);
}
