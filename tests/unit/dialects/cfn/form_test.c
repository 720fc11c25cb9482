/* The type table and what attributes are made of (CF-224 to CF-228). */
#include "dialects/cfn/form.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

/* A resource as a test states it: type, then properties. An empty text is a property that is there and empty; "#list"
 * is a list, "#unknown", "#absent" and "#later" stand for values of that kind. */
struct world {
    struct arena *arena;
    const char *type;
    const char *const *properties; /* name, value, …, NULL */
    const char *region, *partition, *suffix;
    bool stand_ins;
    sv id;
};

static const char *const *no_properties(void) {
    static const char *const none[] = {NULL};
    return none;
}

static value make(struct arena *a, const char *text) {
    if (strcmp(text, "#list") == 0) {
        return value_list_of(a, NULL, 0);
    }
    if (strcmp(text, "#unknown") == 0) {
        return value_unknown(NULL);
    }
    if (strcmp(text, "#absent") == 0) {
        return value_absent();
    }
    return value_string(a, sv_from_cstr(text));
}

static bool ask(void *user, enum cfn_ask what, sv name, struct cfn_answer *answer) {
    const struct world *w = user;
    answer->origin = what == CFN_ASK_PSEUDO ? CFN_ASSUMED : CFN_TEMPLATE;
    if (what == CFN_ASK_PSEUDO) {
        const char *const pseudo[][2] = {{"Partition", w->partition},
                                         {"Region", w->region},
                                         {"URLSuffix", w->suffix},
                                         {"AccountId", "123456789012"},
                                         {"StackName", "local"}};
        for (size_t i = 0; i < sizeof(pseudo) / sizeof(pseudo[0]); i++) {
            if (sv_eq_cstr(name, pseudo[i][0])) {
                answer->item = make(w->arena, pseudo[i][1]);
            }
        }
        return true;
    }
    if (what == CFN_ASK_REF) {
        struct cfn_form_request r = {.arena = w->arena,
                                     .table = &cfn_types,
                                     .id = w->id,
                                     .type = sv_from_cstr(w->type),
                                     .attribute = SV("Ref"),
                                     .stand_ins = w->stand_ins,
                                     .user = user,
                                     .ask = ask};
        if (cfn_form_evaluate(&r, answer) == CFN_FORM_GENERATED) {
            answer->item = value_unknown(NULL);
        }
        return true;
    }
    for (const char *const *p = w->properties; *p != NULL; p += 2) {
        if (sv_eq_cstr(name, p[0])) {
            if (strcmp(p[1], "#later") == 0) {
                return false;
            }
            answer->item = make(w->arena, p[1]);
        }
    }
    return true;
}

static enum cfn_form_state evaluate(struct world *w, const char *attribute, struct cfn_answer *answer) {
    struct cfn_form_request r = {.arena = w->arena,
                                 .table = &cfn_types,
                                 .id = w->id,
                                 .type = sv_from_cstr(w->type),
                                 .attribute = sv_from_cstr(attribute),
                                 .stand_ins = w->stand_ins,
                                 .user = w,
                                 .ask = ask};
    return cfn_form_evaluate(&r, answer);
}

static struct world world_of(struct arena *a, const char *type, const char *const *properties) {
    return (struct world){.arena = a,
                          .type = type,
                          .properties = properties,
                          .region = "us-east-1",
                          .partition = "aws",
                          .suffix = "amazonaws.com",
                          .id = SV("Id")};
}

static void check_text(struct world *w, const char *attribute, const char *expected) {
    struct cfn_answer answer;
    enum cfn_form_state state = evaluate(w, attribute, &answer);
    if (state != CFN_FORM_VALUE) {
        fail_msg("%s.%s: state %d", w->type, attribute, (int)state);
        return;
    }
    value item = answer.item.kind == VALUE_LIST ? answer.item.list->items[0] : answer.item;
    sv text = value_get_text(item);
    if (!sv_eq_cstr(text, expected)) {
        fail_msg("%s.%s: %.*s", w->type, attribute, SV_ARG(text));
    }
}

static void check_state(struct world *w, const char *attribute, enum cfn_form_state expected) {
    struct cfn_answer answer;
    enum cfn_form_state state = evaluate(w, attribute, &answer);
    if (state != expected) {
        fail_msg("%s.%s: state %d instead of %d", w->type, attribute, (int)state, (int)expected);
    }
}

/* CF-228: type, attribute, result under defaults with the name property `b` */
static const struct {
    const char *type, *property, *attribute, *result;
} named[] = {
    {"AWS::S3::Bucket", "BucketName", "Ref", "b"},
    {"AWS::S3::Bucket", "BucketName", "Arn", "arn:aws:s3:::b"},
    {"AWS::S3::Bucket", "BucketName", "DomainName", "b.s3.amazonaws.com"},
    {"AWS::S3::Bucket", "BucketName", "RegionalDomainName", "b.s3.us-east-1.amazonaws.com"},
    {"AWS::S3::Bucket", "BucketName", "DualStackDomainName", "b.s3.dualstack.us-east-1.amazonaws.com"},
    {"AWS::SQS::Queue", "QueueName", "Ref", "https://sqs.us-east-1.amazonaws.com/123456789012/b"},
    {"AWS::SQS::Queue", "QueueName", "QueueUrl", "https://sqs.us-east-1.amazonaws.com/123456789012/b"},
    {"AWS::SQS::Queue", "QueueName", "Arn", "arn:aws:sqs:us-east-1:123456789012:b"},
    {"AWS::SNS::Topic", "TopicName", "TopicArn", "arn:aws:sns:us-east-1:123456789012:b"},
    {"AWS::SNS::Topic", "TopicName", "TopicName", "b"},
    {"AWS::DynamoDB::Table", "TableName", "Arn", "arn:aws:dynamodb:us-east-1:123456789012:table/b"},
    {"AWS::Serverless::SimpleTable", "TableName", "Ref", "b"},
    {"AWS::Lambda::Function", "FunctionName", "Arn", "arn:aws:lambda:us-east-1:123456789012:function:b"},
    {"AWS::Serverless::Function", "FunctionName", "Arn", "arn:aws:lambda:us-east-1:123456789012:function:b"},
    {"AWS::IAM::Role", "RoleName", "Arn", "arn:aws:iam::123456789012:role/b"},
    {"AWS::IAM::User", "UserName", "Arn", "arn:aws:iam::123456789012:user/b"},
    {"AWS::IAM::ManagedPolicy", "ManagedPolicyName", "Ref", "arn:aws:iam::123456789012:policy/b"},
    {"AWS::Logs::LogGroup", "LogGroupName", "Arn", "arn:aws:logs:us-east-1:123456789012:log-group:b:*"},
    {"AWS::ECR::Repository", "RepositoryName", "RepositoryUri", "123456789012.dkr.ecr.us-east-1.amazonaws.com/b"},
    {"AWS::StepFunctions::StateMachine", "StateMachineName", "Arn",
     "arn:aws:states:us-east-1:123456789012:stateMachine:b"},
    {"AWS::Serverless::StateMachine", "Name", "Ref", "arn:aws:states:us-east-1:123456789012:stateMachine:b"},
    {"AWS::Events::Rule", "Name", "Arn", "arn:aws:events:us-east-1:123456789012:rule/b"},
    {"AWS::ECS::Cluster", "ClusterName", "Arn", "arn:aws:ecs:us-east-1:123456789012:cluster/b"},
    {"AWS::Kinesis::Stream", "Name", "Arn", "arn:aws:kinesis:us-east-1:123456789012:stream/b"},
    {"AWS::CloudFront::Function", "Name", "FunctionARN", "arn:aws:cloudfront::123456789012:function/b"},
    {"AWS::EC2::VPC", "CidrBlock", "CidrBlock", "b"},
};

static void test_CF_228_named_resources(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof(named) / sizeof(named[0]); i++) {
        struct arena a = {0};
        const char *const properties[] = {named[i].property, "b", NULL};
        struct world w = world_of(&a, named[i].type, properties);
        check_text(&w, named[i].attribute, named[i].result);
        arena_fini(&a);
    }
}

static void test_CF_225_what_is_missing_is_generated(void **state) {
    (void)state;
    static const char *const missing[] = {NULL, "", "#list", "#absent"};
    for (size_t i = 0; i < sizeof(missing) / sizeof(missing[0]); i++) {
        struct arena a = {0};
        const char *const properties[] = {missing[i] == NULL ? NULL : "BucketName", missing[i], NULL};
        struct world w = world_of(&a, "AWS::S3::Bucket", properties);
        check_state(&w, "Ref", CFN_FORM_GENERATED);
        check_state(&w, "Arn", CFN_FORM_GENERATED);
        arena_fini(&a);
    }
}

static void test_CF_225_an_unknown_part_decides(void **state) {
    (void)state;
    struct arena a = {0};
    const char *const unknown[] = {"BucketName", "#unknown", NULL};
    struct world w = world_of(&a, "AWS::S3::Bucket", unknown);
    check_state(&w, "Arn", CFN_FORM_UNKNOWN);
    const char *const later[] = {"BucketName", "#later", NULL};
    w = world_of(&a, "AWS::S3::Bucket", later);
    check_state(&w, "Arn", CFN_FORM_WAIT);
    w.stand_ins = true;
    check_state(&w, "Arn", CFN_FORM_WAIT);
    w = world_of(&a, "AWS::Cognito::UserPool", no_properties());
    check_state(&w, "Arn", CFN_FORM_UNKNOWN); /* what is made of Ref is as unknown as Ref */
    arena_fini(&a);
}

static void test_CF_224_conditions_of_rows(void **state) {
    (void)state;
    struct arena a = {0};
    const char *const socket[] = {"ProtocolType", "WEBSOCKET", NULL};
    struct world w = world_of(&a, "AWS::ApiGatewayV2::Api", socket);
    w.stand_ins = true;
    struct cfn_answer answer;
    assert_int_equal(evaluate(&w, "ApiEndpoint", &answer), CFN_FORM_VALUE);
    assert_true(sv_has_prefix(value_get_text(answer.item), SV("wss://")));
    const char *const on_bus[] = {"Name", "r", "EventBusName", "bus", NULL};
    w = world_of(&a, "AWS::Events::Rule", on_bus);
    check_text(&w, "Arn", "arn:aws:events:us-east-1:123456789012:rule/bus/r");
    check_state(&w, "Ref", CFN_FORM_GENERATED);
    const char *const on_default[] = {"Name", "r", "EventBusName", "default", NULL};
    w.properties = on_default;
    check_text(&w, "Arn", "arn:aws:events:us-east-1:123456789012:rule/r");
    const char *const plain[] = {"FunctionName", "f", "Name", "live", NULL};
    w = world_of(&a, "AWS::Lambda::Alias", plain);
    check_text(&w, "Ref", "arn:aws:lambda:us-east-1:123456789012:function:f:live");
    const char *const by_arn[] = {"FunctionName", "arn:aws:lambda:eu-west-1:1:function:g", "Name", "live", NULL};
    w.properties = by_arn;
    check_text(&w, "AliasArn", "arn:aws:lambda:eu-west-1:1:function:g:live");
    const char *const partial[] = {"FunctionName", "123456789012:function:g", "Name", "live", NULL};
    w.properties = partial;
    check_state(&w, "Ref", CFN_FORM_GENERATED);
    arena_fini(&a);
}

static void test_CF_224_partition_and_defaults(void **state) {
    (void)state;
    struct arena a = {0};
    const char *const bucket[] = {"BucketName", "b", NULL};
    struct world w = world_of(&a, "AWS::S3::Bucket", bucket);
    w.partition = "aws-cn";
    w.suffix = "amazonaws.com.cn";
    check_state(&w, "DomainName", CFN_FORM_GENERATED);
    check_text(&w, "Arn", "arn:aws-cn:s3:::b");
    const char *const path[] = {"RoleName", "r", "Path", "/team/", NULL};
    w = world_of(&a, "AWS::IAM::Role", path);
    check_text(&w, "Arn", "arn:aws:iam::123456789012:role/team/r");
    const char *const database[] = {"DBInstanceIdentifier", "MyDB", NULL};
    w = world_of(&a, "AWS::RDS::DBInstance", database);
    check_text(&w, "Ref", "mydb");
    arena_fini(&a);
}

static void test_CF_224_attributes_a_type_has(void **state) {
    (void)state;
    struct arena a = {0};
    struct world w = world_of(&a, "AWS::S3::Bucket", no_properties());
    check_state(&w, "Ref2", CFN_FORM_NO_ATTRIBUTE);
    check_state(&w, "*", CFN_FORM_NO_ATTRIBUTE);
    check_state(&w, "MetadataConfiguration.*", CFN_FORM_NO_ATTRIBUTE);
    check_state(&w, "MetadataConfiguration", CFN_FORM_NO_ATTRIBUTE);
    check_state(&w, "MetadataConfiguration.Destination.TableBucketArn", CFN_FORM_GENERATED);
    w.type = "Custom::Whatever";
    check_state(&w, "AnyThing", CFN_FORM_GENERATED);
    w.type = "AWS::Nowhere::Thing"; /* CF-226 */
    check_state(&w, "Ref", CFN_FORM_NO_TYPE);
    check_state(&w, "Arn", CFN_FORM_NO_TYPE);
    arena_fini(&a);
}

static void test_CF_227_stand_ins(void **state) {
    (void)state;
    struct arena a = {0};
    struct world w = world_of(&a, "AWS::Lambda::Function", no_properties());
    w.stand_ins = true;
    w.id = SV("F");
    check_text(&w, "Arn", "arn:aws:lambda:us-east-1:123456789012:function:F");
    struct cfn_answer answer;
    evaluate(&w, "Arn", &answer);
    assert_int_equal(answer.origin, CFN_STAND_IN);
    w.type = "AWS::S3::Bucket";
    w.id = SV("MyBucket");
    check_text(&w, "Ref", "mybucket");
    check_text(&w, "Arn", "arn:aws:s3:::mybucket");
    w.type = "AWS::Nowhere::Thing";
    check_text(&w, "Ref", "MyBucket");
    check_text(&w, "Arn", "arn:aws:nowhere:us-east-1:123456789012:thing/MyBucket");
    check_state(&w, "Other", CFN_FORM_NO_TYPE);
    w.type = "AWS::ApiGateway::RestApi";
    check_text(&w, "RootResourceId", "/");
    arena_fini(&a);
}

static void test_CF_227_stand_ins_are_the_same_every_time(void **state) {
    (void)state;
    struct arena a = {0};
    struct world w = world_of(&a, "AWS::EC2::Instance", no_properties());
    w.stand_ins = true;
    struct cfn_answer first;
    struct cfn_answer second;
    evaluate(&w, "Ref", &first);
    evaluate(&w, "Ref", &second);
    assert_true(value_eq(first.item, second.item));
    assert_int_equal(value_get_text(first.item).len, strlen("i-") + 17);
    evaluate(&w, "InstanceId", &second);
    assert_true(value_eq(first.item, second.item));
    w.id = SV("Other");
    evaluate(&w, "Ref", &second);
    assert_false(value_eq(first.item, second.item));
    arena_fini(&a);
}

/* Every row can be evaluated, with stand-ins to a value. */
static void test_CF_228_every_row(void **state) {
    (void)state;
    for (size_t i = 0; i < cfn_types.count; i++) {
        const struct cfn_type_row *row = &cfn_types.rows[i];
        if (sv_find_char(row->attribute, '*') != SIZE_MAX || sv_eq(row->type, SV("Custom::*"))) {
            continue;
        }
        struct arena a = {0};
        struct world w = world_of(&a, arena_copy_cstr(&a, row->type), no_properties());
        const char *attribute = arena_copy_cstr(&a, row->attribute);
        struct cfn_answer answer;
        enum cfn_form_state plain = evaluate(&w, attribute, &answer);
        assert_true(plain == CFN_FORM_GENERATED || plain == CFN_FORM_UNKNOWN);
        w.stand_ins = true;
        if (evaluate(&w, attribute, &answer) != CFN_FORM_VALUE) {
            fail_msg("%s %s", w.type, attribute);
        }
        arena_fini(&a);
    }
}

static void test_CF_227_digits(void **state) {
    (void)state;
    struct arena a = {0};
    struct cfn_digits d = cfn_digits_start(&a, SV("s"), SV("i"), SV("t"), SV("a"));
    struct buf out = BUF(&a);
    assert_true(cfn_digits_print(&d, SV("uuid"), &out));
    assert_int_equal(out.len, 36);
    assert_true(cfn_digits_print(&d, SV("hex17"), &out)); /* beyond one digest */
    assert_int_equal(out.len, 53);
    assert_false(cfn_digits_print(&d, SV("nothing"), &out));
    arena_fini(&a);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_CF_228_named_resources),
        cmocka_unit_test(test_CF_225_what_is_missing_is_generated),
        cmocka_unit_test(test_CF_225_an_unknown_part_decides),
        cmocka_unit_test(test_CF_224_conditions_of_rows),
        cmocka_unit_test(test_CF_224_partition_and_defaults),
        cmocka_unit_test(test_CF_224_attributes_a_type_has),
        cmocka_unit_test(test_CF_227_stand_ins),
        cmocka_unit_test(test_CF_227_stand_ins_are_the_same_every_time),
        cmocka_unit_test(test_CF_228_every_row),
        cmocka_unit_test(test_CF_227_digits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
