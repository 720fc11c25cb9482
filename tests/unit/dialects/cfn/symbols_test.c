/* What is given to a template, and who answers first (CF-220 to CF-223, CF-302). */
#include "dialects/cfn/inputs.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

struct bench {
    struct arena arena;
    struct sources sources;
    struct diags diags;
    struct cfn_inputs *in;
};

static void open_bench(struct bench *b) {
    *b = (struct bench){0};
    sources_init(&b->sources, &b->arena);
    diags_init(&b->diags, &b->arena, &b->sources);
    b->in = cfn_inputs_new(&b->arena, &b->sources, &b->diags);
}

static struct source *add(struct bench *b, const char *name, const char *text) {
    return sources_add(&b->sources, sv_from_cstr(name), arena_copy_sv(&b->arena, sv_from_cstr(text)));
}

static value ask(struct bench *b, struct cfn_query q) {
    struct cfn_reply reply = {.arena = &b->arena};
    return cfn_inputs_ask(b->in, &q, &reply) == CFN_FOUND ? reply.item : (value){0};
}

static void check(struct bench *b, struct cfn_query q, const char *json) {
    value item = ask(b, q);
    if (json == NULL) {
        assert_false(value_is_set(item));
        return;
    }
    if (!value_is_set(item)) {
        fail_msg("nothing instead of %s", json);
        return;
    }
    sv text = value_print_json(&b->arena, item, 0, REDACT);
    if (!sv_eq_cstr(text, json)) {
        fail_msg("%.*s instead of %s", SV_ARG(text), json);
    }
}

static struct cfn_query of_resource(const char *id, const char *attribute, const char *type) {
    return (struct cfn_query){.kind = CFN_QUERY_RESOURCE,
                              .id = sv_from_cstr(id),
                              .attribute = sv_from_cstr(attribute),
                              .type = sv_from_cstr(type)};
}

static struct cfn_query of(enum cfn_query_kind kind, const char *id) {
    return (struct cfn_query){.kind = kind, .id = sv_from_cstr(id)};
}

static const char symbols[] = "Parameters: {Env: prod, AWS::Region: eu-west-1, Code: 012, Empty: ''}\n"
                              "PseudoParameters: {AWS::StackName: shop}\n"
                              "Resources:\n"
                              "  Bucket: the-bucket\n"
                              "  Fn: {Ref: f, Arn: 'arn:f', Outputs.X: 1}\n"
                              "  Child/Topic: {Ref: t}\n"
                              "Types:\n"
                              "  AWS::KMS::Key: {Arn: 'arn:key/{id}', Ref: k}\n"
                              "Zones: {eu-west-1: [eu-west-1a]}\n"
                              "Exports: {vpc: vpc-1}\n"
                              "StackOutputs:\n"
                              "  - {Stack: net, Output: Vpc, Value: vpc-2, Region: us-east-2, Account: 000000000001}\n"
                              "SSM: {/a: one, '/a:3': three}\n"
                              "SSMSecure: {/s: hidden}\n"
                              "Secrets:\n"
                              "  db: {user: u, password: p}\n"
                              "  staged: {Text: now, Stages: {AWSPREVIOUS: before}, Versions: {v1: first}}\n"
                              "ParameterAttributes: {Vpc: {Tags.k: v}}\n"
                              "Includes: {'s3://b/k': parts/x.yaml}\n"
                              "Sensitive: [Parameters.Env, Secrets.db.password]\n";

static void test_CF_221_symbol_file(void **state) {
    (void)state;
    struct bench b;
    open_bench(&b);
    assert_true(cfn_inputs_read_symbols(b.in, add(&b, "s.yaml", symbols), SV("/dir")));
    cfn_inputs_close(b.in);
    check(&b, of(CFN_QUERY_PARAMETER, "Env"), "\"(sensitive)\"");
    check(&b, of(CFN_QUERY_PARAMETER, "Code"), "\"012\"");
    check(&b, of(CFN_QUERY_PARAMETER, "Empty"), "\"\""); /* an empty value is a value */
    check(&b, of(CFN_QUERY_PARAMETER, "Other"), NULL);
    check(&b, of(CFN_QUERY_PSEUDO, "AWS::Region"), "\"eu-west-1\"");
    check(&b, of(CFN_QUERY_PSEUDO, "AWS::StackName"), "\"shop\"");
    check(&b, of_resource("Bucket", "Ref", "AWS::S3::Bucket"), "\"the-bucket\"");
    check(&b, of_resource("Bucket", "Arn", "AWS::S3::Bucket"), NULL);
    check(&b, of_resource("Fn", "Outputs.X", "T"), "1");
    check(&b, of_resource("K", "Arn", "AWS::KMS::Key"), "\"arn:key/K\"");
    check(&b, of_resource("Topic", "Ref", "T"), NULL);
    struct cfn_query nested = of_resource("Topic", "Ref", "T");
    nested.stack = SV("Child");
    check(&b, nested, "\"t\"");
    check(&b, (struct cfn_query){.kind = CFN_QUERY_ZONES, .region = SV("eu-west-1")}, "[\"eu-west-1a\"]");
    check(&b, of(CFN_QUERY_INCLUDE, "s3://b/k"), "\"/dir/parts/x.yaml\"");
    struct cfn_query tag = of(CFN_QUERY_PARAMETER_ATTRIBUTE, "Vpc");
    tag.attribute = SV("Tags.k");
    check(&b, tag, "\"v\"");
    arena_fini(&b.arena);
}

static void test_CF_221_exports_and_outputs(void **state) {
    (void)state;
    struct bench b;
    open_bench(&b);
    assert_true(cfn_inputs_read_symbols(b.in, add(&b, "s.yaml", symbols), SV("/dir")));
    cfn_inputs_close(b.in);
    struct cfn_query export = {
        .kind = CFN_QUERY_EXPORT, .id = SV("vpc"), .region = SV("r"), .account = SV("a"), .is_home = true};
    check(&b, export, "\"vpc-1\"");
    export.is_home = false;
    check(&b, export, NULL);
    struct cfn_query output = {.kind = CFN_QUERY_STACK_OUTPUT,
                               .id = SV("net"),
                               .attribute = SV("Vpc"),
                               .region = SV("us-east-2"),
                               .account = SV("000000000001")};
    check(&b, output, "\"vpc-2\"");
    output.region = SV("us-east-1");
    check(&b, output, NULL);
    arena_fini(&b.arena);
}

static void test_CF_172_dynamic_values(void **state) {
    (void)state;
    struct bench b;
    open_bench(&b);
    assert_true(cfn_inputs_read_symbols(b.in, add(&b, "s.yaml", symbols), SV("/dir")));
    cfn_inputs_close(b.in);
    struct cfn_query q = of(CFN_QUERY_DYNAMIC, "/a");
    q.type = SV("ssm");
    check(&b, q, "\"one\"");
    q.version = SV("3");
    check(&b, q, "\"three\"");
    q.version = SV("4"); /* not listed: not found */
    check(&b, q, NULL);
    q = of(CFN_QUERY_DYNAMIC, "db");
    q.type = SV("secretsmanager");
    check(&b, q, "\"(sensitive)\"");
    q.id = SV("staged");
    check(&b, q, "\"now\"");
    q.stage = SV("AWSPREVIOUS");
    check(&b, q, "\"before\"");
    q.stage = SV("");
    q.version = SV("v1");
    check(&b, q, "\"first\"");
    q.version = SV("v2");
    check(&b, q, NULL);
    arena_fini(&b.arena);
}

static void test_CF_220_order(void **state) {
    (void)state;
    struct bench b;
    open_bench(&b);
    assert_true(cfn_inputs_read_symbols(b.in, add(&b, "1.yaml", "Resources: {A: a1, B: b1, C: c1}\n"), SV("")));
    assert_true(
        cfn_inputs_read_symbols(b.in, add(&b, "2.yaml", "Resources: {A: a2, B: b2}\nTypes: {T: {Ref: t2}}\n"), SV("")));
    assert_true(cfn_inputs_set(b.in, add(&b, "--set", "A=a0")));
    assert_true(cfn_inputs_set(b.in, add(&b, "--set", "A.Port=80")));
    cfn_inputs_put_export(b.in, SV("e"), SV("v"));
    assert_true(cfn_inputs_read_parameters(
        b.in, add(&b, "p.json", "[{\"ParameterKey\": \"P\", \"ParameterValue\": \"file\"}]")));
    cfn_inputs_close(b.in);
    check(&b, of_resource("A", "Ref", "T"), "\"a0\"");
    check(&b, of_resource("A", "Port", "T"), "80");
    check(&b, of_resource("B", "Ref", "T"), "\"b2\""); /* an id entry before a type entry */
    check(&b, of_resource("C", "Ref", "T"), "\"t2\""); /* within one source only */
    check(&b, of_resource("C", "Ref", "U"), "\"c1\"");
    check(&b, of(CFN_QUERY_PARAMETER, "P"), "\"file\"");
    check(&b, (struct cfn_query){.kind = CFN_QUERY_EXPORT, .id = SV("e"), .is_home = true}, "\"v\"");
    arena_fini(&b.arena);
}

static enum cfn_found answer(void *self, const struct cfn_query *q, struct cfn_reply *reply) {
    size_t *asked = self;
    ++*asked;
    if (sv_eq(q->id, SV("Known"))) {
        reply->item = value_string(reply->arena, SV("resolved"));
        return CFN_FOUND;
    }
    reply->reason = SV("not my business");
    return sv_eq(q->id, SV("Stop")) ? CFN_UNKNOWN : CFN_ABSENT;
}

static void test_CF_302_a_registered_resolver(void **state) {
    (void)state;
    static const struct cfn_resolver_ops ops = {.name = "test", .lookup = answer};
    struct bench b;
    open_bench(&b);
    size_t asked = 0;
    size_t never = 0;
    cfn_inputs_add_resolver(b.in, (struct cfn_resolver){&ops, &asked});
    cfn_inputs_add_resolver(b.in, (struct cfn_resolver){&ops, &never});
    assert_true(cfn_inputs_set(b.in, add(&b, "--set", "Known=given")));
    cfn_inputs_close(b.in);
    check(&b, of_resource("Known", "Ref", "T"), "\"given\"");
    assert_int_equal(asked, 0);
    check(&b, of(CFN_QUERY_PARAMETER, "Known"), "\"resolved\"");
    struct cfn_query q = of_resource("Stop", "Ref", "T");
    struct cfn_reply reply = {.arena = &b.arena};
    assert_int_equal(cfn_inputs_ask(b.in, &q, &reply), CFN_UNKNOWN);
    assert_true(sv_eq(reply.reason, SV("not my business")));
    assert_int_equal(never, 0);
    arena_fini(&b.arena);
}

static void test_CF_222_parameter_files(void **state) {
    (void)state;
    static const char *const files[] = {
        "A: 1.10\nB: [x, 2]\nC: true\n",
        "{\"Parameters\": {\"A\": \"1.10\", \"B\": [\"x\", 2], \"C\": true}}",
        ("- ParameterKey: A\n  ParameterValue: 1.10\n- {ParameterKey: B, ParameterValue: [x, 2]}\n- {ParameterKey: C, "
         "ParameterValue: true}\n"),
    };
    for (size_t i = 0; i < sizeof(files) / sizeof(files[0]); i++) {
        struct bench b;
        open_bench(&b);
        assert_true(cfn_inputs_read_parameters(b.in, add(&b, i == 1 ? "p.json" : "p.yaml", files[i])));
        cfn_inputs_close(b.in);
        check(&b, of(CFN_QUERY_PARAMETER, "A"), "\"1.10\"");
        check(&b, of(CFN_QUERY_PARAMETER, "B"), "[\"x\",\"2\"]");
        check(&b, of(CFN_QUERY_PARAMETER, "C"), "true");
        arena_fini(&b.arena);
    }
    struct bench b;
    open_bench(&b);
    assert_true(cfn_inputs_read_parameters(b.in, add(&b, "p.json", "[\"A=1=2\", \"B=\"]")));
    cfn_inputs_close(b.in);
    check(&b, of(CFN_QUERY_PARAMETER, "A"), "\"1=2\"");
    check(&b, of(CFN_QUERY_PARAMETER, "B"), "\"\"");
    arena_fini(&b.arena);
}

static void test_CF_221_CF_222_mistakes(void **state) {
    (void)state;
    static const struct {
        const char *text;
        bool is_parameter_file;
    } files[] = {
        {"Resource: {}\n", false},
        {"Resources: []\n", false},
        {"- a\n", false},
        {"Parameters: {A: {b: c}}\n", false},
        {"Parameters: {A: }\n", false},
        {"Parameters: {AWS::NoValue: x}\n", false},
        {"PseudoParameters: {AWS::Nothing: x}\n", false},
        {"Zones: {r: a}\n", false},
        {"Exports: [{Name: x}]\n", false},
        {"Exports: [{Name: x, Value: y, Color: z}]\n", false},
        {"StackOutputs: {s: x}\n", false},
        {"Types: {T: x}\n", false},
        {"Sensitive: [Parameters.None]\n", false},
        {"Sensitive: Parameters\n", false},
        {"Resources: {A: !Ref B}\n", false},
        {"Resources: {A: 1, A: 2}\n", false},
        {"[{\"ParameterKey\": \"A\", \"UsePreviousValue\": true}]", true},
        {"[{\"ParameterKey\": \"A\"}]", true},
        {"[\"A\"]", true},
        {"A: {b: c}\n", true},
        {"A: [[b]]\n", true},
        {"text\n", true},
    };
    for (size_t i = 0; i < sizeof(files) / sizeof(files[0]); i++) {
        struct bench b;
        open_bench(&b);
        struct source *source = add(&b, "f.yaml", files[i].text);
        bool ok = files[i].is_parameter_file ? cfn_inputs_read_parameters(b.in, source)
                                             : cfn_inputs_read_symbols(b.in, source, SV(""));
        if (ok || b.diags.errors == 0) {
            fail_msg("accepted: %s", files[i].text);
        }
        arena_fini(&b.arena);
    }
}

static void test_CF_280_set_without_value(void **state) {
    (void)state;
    static const char *const texts[] = {"A", "=x", "A.=x", "A=[", "A={b: *c}"};
    for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
        struct bench b;
        open_bench(&b);
        if (cfn_inputs_set(b.in, add(&b, "--set", texts[i]))) {
            fail_msg("accepted: %s", texts[i]);
        }
        arena_fini(&b.arena);
    }
    struct bench b;
    open_bench(&b);
    assert_true(cfn_inputs_set(b.in, add(&b, "--set", "A.B.C=")));
    cfn_inputs_close(b.in);
    check(&b, of_resource("A", "B.C", "T"), "\"\"");
    arena_fini(&b.arena);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_CF_221_symbol_file),           cmocka_unit_test(test_CF_221_exports_and_outputs),
        cmocka_unit_test(test_CF_172_dynamic_values),        cmocka_unit_test(test_CF_220_order),
        cmocka_unit_test(test_CF_302_a_registered_resolver), cmocka_unit_test(test_CF_222_parameter_files),
        cmocka_unit_test(test_CF_221_CF_222_mistakes),       cmocka_unit_test(test_CF_280_set_without_value),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
