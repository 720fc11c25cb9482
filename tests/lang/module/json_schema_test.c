/* Schemas of parameters: reading them, what their violations say, defaults, secrets (MD-051 … MD-056, MD-260). */
#include "dialects/module/json_schema.h"

#include "unit/base/check.h"
#include "value/convert.h"

static value parse(struct arena *a, const char *json) {
    sv why = {0};
    size_t offset = 0;
    value v = value_parse_json(a, sv_from_cstr(json), &limits_default, true, &why, &offset);
    if (value_is_error(v))
        fail_msg("%.*s", SV_ARG(why));
    return v;
}

/* One line each: "AT: MESSAGE [hint]", warnings with '?' in front. */
static sv read_problems(struct arena *a, const char *schema) {
    struct json_schema_problems found = {0};
    struct buf out = BUF(a);
    bool is_read = json_schema_read(a, parse(a, schema), &found) != NULL;
    bool has_error = false;
    for (size_t i = 0; i < found.items.len; i++) {
        const struct json_schema_problem *p = &found.items.items[i];
        has_error = has_error || !p->is_warning;
        buf_printf(&out, "%s%.*s: %.*s", p->is_warning ? "?" : "", SV_ARG(p->at), SV_ARG(p->message));
        buf_printf(&out, p->hint.len > 0 ? " [%.*s]\n" : "\n", SV_ARG(p->hint));
    }
    assert_true(is_read == !has_error);
    return buf_get_sv(&out);
}

static const struct json_schema *read_good(struct arena *a, const char *schema) {
    struct json_schema_problems found = {0};
    const struct json_schema *s = json_schema_read(a, parse(a, schema), &found);
    if (s == NULL)
        fail_msg("refused: %s", schema);
    return s;
}

/* One line each: "AT: MESSAGE (schema POINTER)". */
static sv check_value(struct arena *a, const char *schema, value data) {
    struct json_schema_violations found = {0};
    struct buf out = BUF(a);
    json_schema_check(a, read_good(a, schema), data, &found);
    for (size_t i = 0; i < found.items.len; i++) {
        const struct json_schema_violation *v = &found.items.items[i];
        json_pointer_append(&out, v->at);
        buf_printf(&out, ": %.*s (schema %.*s)\n", SV_ARG(v->message), SV_ARG(v->schema));
    }
    return buf_get_sv(&out);
}

static sv check(struct arena *a, const char *schema, const char *data) {
    return check_value(a, schema, parse(a, data));
}

static void assert_text(sv got, const char *expected) {
    if (!sv_eq_cstr(got, expected))
        fail_msg("got:\n%.*s\nexpected:\n%s", SV_ARG(got), expected);
}

/* MD-052 */
static void test_malformed_schemas_are_refused(void **state) {
    (void)state;
    struct arena a = {0};
    assert_text(read_problems(&a, "{\"type\": \"int\"}"),
                "/type: must be one or several of array, boolean, integer, null, number, object and string\n");
    assert_text(read_problems(&a, "{\"properties\": {\"a/b\": 5}, \"minLength\": -1, \"multipleOf\": 0}"),
                "/properties/a~1b: must be a schema: a mapping, true or false\n"
                "/minLength: must be a whole number that is not negative\n/multipleOf: must be greater than 0\n");
    assert_text(read_problems(&a, "{\"anyOf\": [], \"required\": [1], \"enum\": 3, \"uniqueItems\": 1}"),
                "/anyOf: must be a list of schemas that is not empty\n/required: must be a list of names\n"
                "/enum: must be a list of values\n/uniqueItems: must be true or false\n");
    assert_text(read_problems(&a, "[]"), ": must be a schema: a mapping, true or false\n");
    assert_true(sv_has_prefix(read_problems(&a, "{\"pattern\": \"(\"}"), SV("/pattern: is no regular expression: ")));
    assert_text(read_problems(&a, "{\"propertis\": {}, \"items\": {\"foo\": 1}}"),
                "?/propertis: is no keyword of JSON Schema draft-07 [properties]\n"
                "?/items/foo: is no keyword of JSON Schema draft-07\n");
    assert_text(read_problems(&a, "{\"$defs\": {\"x\": {\"type\": 1}}, \"title\": 5, \"$comment\": \"\"}"),
                "/$defs/x/type: must be one or several of array, boolean, integer, null, number, object and string\n");
    arena_fini(&a);
}

/* MD-053 */
static void test_references_are_local_and_end(void **state) {
    (void)state;
    struct arena a = {0};
    assert_text(read_problems(&a, "{\"$ref\": \"http://example.com/x\"}"),
                "/$ref: only references into the same schema are possible: '#…'\n");
    assert_text(read_problems(&a, "{\"$ref\": \"#/definitions/a\"}"), "/$ref: leads nowhere\n");
    assert_text(read_problems(&a, "{\"$ref\": \"#\"}"), ": refers to itself in a circle\n");
    assert_text(read_problems(&a, "{\"definitions\": {\"a\": {\"allOf\": [{\"$ref\": \"#/definitions/b\"}]},"
                                  "\"b\": {\"not\": {\"$ref\": \"#/definitions/a\"}}}}"),
                "/definitions/a: refers to itself in a circle\n");
    static const char tree[] =
        "{\"$ref\": \"#/definitions/node\", \"type\": \"string\", \"definitions\": {\"node\":"
        "{\"type\": \"object\", \"properties\": {\"below\": {\"$ref\": \"#/definitions/node\"}}}}}";
    assert_text(check(&a, tree, "{\"below\": {\"below\": {}}}"), "");
    assert_text(check(&a, tree, "{\"below\": {\"below\": 1}}"),
                "/below/below: must be an object, not an integer (schema /definitions/node/type)\n");
    assert_text(check(&a, "{\"minLength\": 2}", "\"äö\""), ""); /* code points */
    assert_text(check(&a, "{\"type\": \"integer\"}", "2.0"), "");
    assert_text(check(&a, "{\"pattern\": \"b\"}", "\"abc\""), ""); /* unanchored */
    arena_fini(&a);
}

/* MD-055 */
static void test_all_violations_in_data_order(void **state) {
    (void)state;
    struct arena a = {0};
    static const char schema[] =
        "{\"required\": [\"name\"], \"additionalProperties\": false, \"properties\": {"
        "\"name\": {\"type\": \"string\", \"minLength\": 2}, \"port\": {\"type\": \"integer\", \"maximum\": 65535},"
        "\"kind\": {\"enum\": [\"a\", 1]}, \"tags\": {\"items\": {\"type\": [\"string\", \"null\"]}}}}";
    assert_text(check(&a, schema, "{\"tags\": [1, \"x\", {}], \"prt\": 1, \"kind\": 2, \"port\": 70000}"),
                ": 'name' is missing (schema /required)\n"
                "/tags/0: must be null or a string, not an integer (schema /properties/tags/items/type)\n"
                "/tags/2: must be null or a string, not an object (schema /properties/tags/items/type)\n"
                "/prt: is not allowed here; 'port' is (schema /additionalProperties)\n"
                "/kind: must be one of \"a\", 1 (schema /properties/kind/enum)\n"
                "/port: must be at most 65535 (schema /properties/port/maximum)\n");
    assert_text(check(&a, schema, "{\"name\": \"x\"}"),
                "/name: must have at least 2 characters, it has 1 (schema /properties/name/minLength)\n");
    assert_text(check(&a, "{\"allOf\": [{\"items\": {\"minimum\": 3}}, {\"minItems\": 3}]}", "[1, 5]"),
                ": must have at least 3 items, it has 2 (schema /allOf/1/minItems)\n"
                "/0: must be at least 3 (schema /allOf/0/items/minimum)\n");
    arena_fini(&a);
}

static void test_alternatives_say_what_is_wrong(void **state) { /* MD-055 */
    (void)state;
    struct arena a = {0};
    static const char schema[] = "{\"anyOf\": [{\"type\": \"string\"}, {\"type\": \"object\", \"required\": [\"a\"]}]}";
    assert_text(check(&a, schema, "{}"), ": 'a' is missing (schema /anyOf/1/required)\n");
    assert_text(check(&a, schema, "5"), ": matches none of the 2 alternatives (schema /anyOf)\n");
    assert_text(check(&a, "{\"oneOf\": [{\"minimum\": 1}, {\"minimum\": 2}]}", "3"),
                ": matches more than one of the alternatives, but must match exactly one (schema /oneOf)\n");
    assert_text(check(&a, "{\"not\": {\"type\": \"null\"}}", "null"), ": matches what is excluded (schema /not)\n");
    assert_text(check(&a, "{\"properties\": {\"a\": false}}", "{\"a\": 1}"),
                "/a: is not allowed here (schema /properties/a)\n");
    arena_fini(&a);
}

static void test_multiples_are_decimal(void **state) { /* MD-052 */
    (void)state;
    struct arena a = {0};
    static const char *const pairs[][3] = {{"0.01", "1.13", ""}, {"0.1", "0.3", ""}, {"0.0001", "0.00751", "no"},
                                           {"3", "1e300", "no"}, {"2", "1e300", ""}, {"1e-300", "5", ""},
                                           {"0.3", "-0.9", ""},  {"7", "0", ""},     {"1e300", "1", "no"}};
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++) {
        sv schema = arena_printf(&a, "{\"multipleOf\": %s}", pairs[i][0]);
        bool is_kept = check(&a, schema.data, pairs[i][1]).len == 0;
        if (is_kept != (pairs[i][2][0] == '\0'))
            fail_msg("%s as a multiple of %s", pairs[i][1], pairs[i][0]);
    }
    arena_fini(&a);
}

/* MD-051 */
static void test_defaults_are_filled_in_first(void **state) {
    (void)state;
    struct arena a = {0};
    static const struct {
        const char *schema, *data, *expected;
    } cases[] = {
        {"{\"properties\": {\"a\": {\"default\": 1}, \"b\": {\"default\": 2}}}", "{\"b\": null}",
         "{\"b\":null,\"a\":1}"},
        {"{\"properties\": {\"a\": {\"default\": {}, \"properties\": {\"b\": {\"default\": 5}}}}}", "{}",
         "{\"a\":{\"b\":5}}"},
        {"{\"properties\": {\"a\": {\"properties\": {\"b\": {\"default\": 5}}}}}", "{}", "{}"}, /* no absent parent */
        {"{\"properties\": {\"l\": {\"items\": {\"properties\": {\"b\": {\"default\": 5}}}}}}", "{\"l\": [{}, 1]}",
         "{\"l\":[{\"b\":5},1]}"},
        {"{\"allOf\": [{\"properties\": {\"a\": {\"$ref\": \"#/definitions/d\"}}}], \"definitions\": {\"d\": "
         "{\"default\":"
         "[1]}}}",
         "{\"z\": 0}", "{\"z\":0,\"a\":[1]}"},
        {"{\"anyOf\": [{\"properties\": {\"a\": {\"default\": 1}}}], \"if\": {\"properties\": {\"b\": {\"default\":"
         "1}}}}",
         "{}", "{}"},
        {"{\"default\": {\"a\": 1}}", "{}", "{}"},
        {"{\"properties\": {\"a\": {\"default\": 1}}}", "\"text\"", "\"text\""},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        value filled = json_schema_fill(&a, read_good(&a, cases[i].schema), parse(&a, cases[i].data));
        assert_text(value_print_json(&a, filled, 0, REVEAL), cases[i].expected);
    }
    static const char endless[] =
        "{\"$ref\": \"#/definitions/n\", \"definitions\": {\"n\": {\"default\": {}, \"properties\":"
        "{\"n\": {\"$ref\": \"#/definitions/n\"}}}}}";
    assert_false(value_is_set(json_schema_fill(&a, read_good(&a, endless), parse(&a, "{}"))));
    arena_fini(&a);
}

/* MD-056 */
static void test_unknown_satisfies_every_schema(void **state) {
    (void)state;
    struct arena a = {0};
    static const char *const schemas[] = {
        "{\"type\": \"string\"}", "false",
        "{\"not\": {}}",          "{\"enum\": [1]}",
        "{\"oneOf\": [{}, {}]}",  "{\"if\": {\"type\": \"string\"}, \"then\": false, \"else\": false}"};
    for (size_t i = 0; i < sizeof schemas / sizeof *schemas; i++)
        assert_text(check_value(&a, schemas[i], value_unknown(NULL)), "");
    value part = value_map_with(&a, parse(&a, "{\"b\": 1}"), SV("a"), value_unknown(NULL));
    assert_text(check_value(&a, "{\"not\": {\"properties\": {\"a\": {\"const\": 1}}}}", part), "");
    assert_text(check_value(&a, "{\"const\": {\"b\": 1, \"a\": 2}}", part), "");
    assert_text(
        check_value(&a, "{\"properties\": {\"b\": {\"type\": \"string\"}}, \"required\": [\"a\", \"c\"]}", part),
        ": 'c' is missing (schema /required)\n"
        "/b: must be a string, not an integer (schema /properties/b/type)\n");
    arena_fini(&a);
}

/* MD-260 */
static void test_secret_places_are_marked(void **state) {
    (void)state;
    struct arena a = {0};
    static const char schema[] =
        "{\"properties\": {\"p\": {\"format\": \"password\"}, \"l\": {\"items\": {\"anyOf\": [{\"type\": \"null\"},"
        "{\"writeOnly\": true}]}}, \"o\": {\"additionalProperties\": {\"$ref\": \"#/properties/p\"}}}}";
    value data = parse(&a, "{\"p\": \"secret\", \"l\": [\"secret\", 1], \"o\": {\"x\": \"secret\"}, \"q\": \"plain\"}");
    value marked = json_schema_mark_secrets(&a, read_good(&a, schema), data);
    assert_text(value_print_json(&a, marked, 0, REDACT),
                "{\"p\":\"(sensitive)\",\"l\":[\"(sensitive)\",\"(sensitive)\"],\"o\":{\"x\":\"(sensitive)\"},"
                "\"q\":\"plain\"}");
    assert_true(value_eq(marked, data));
    arena_fini(&a);
}

/* MD-440 */
static void test_hostile_schemas_end(void **state) {
    (void)state;
    struct arena a = {0};
    struct buf wide = BUF(&a);
    struct json_schema_problems found = {0};
    value deep = value_bool(true);
    for (int i = 0; i < 400; i++) {
        struct map_builder b = {.arena = &a};
        map_add(&b, SV("not"), deep);
        deep = map_done(&b);
    }
    assert_true(json_schema_read(&a, deep, &found) == NULL);
    /* each level tries both alternatives of the next: 2^60 ways */
    for (int i = 0; i < 60; i++)
        buf_append_cstr(&wide, "[");
    buf_append_cstr(&wide, "1");
    buf_append_repeat(&wide, ']', 60);
    static const char schema[] =
        "{\"$ref\": \"#/definitions/n\", \"definitions\": {\"n\": {\"type\": \"array\", \"anyOf\": ["
        "{\"items\": {\"$ref\": \"#/definitions/n\"}}, {\"items\": {\"$ref\": \"#/definitions/n\"}}]}}}";
    assert_text(check(&a, schema, buf_get_sv(&wide).data), ": takes too long to check against this schema (schema )\n");
    arena_fini(&a);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_malformed_schemas_are_refused),
        cmocka_unit_test(test_references_are_local_and_end),
        cmocka_unit_test(test_all_violations_in_data_order),
        cmocka_unit_test(test_alternatives_say_what_is_wrong),
        cmocka_unit_test(test_multiples_are_decimal),
        cmocka_unit_test(test_defaults_are_filled_in_first),
        cmocka_unit_test(test_unknown_satisfies_every_schema),
        cmocka_unit_test(test_secret_places_are_marked),
        cmocka_unit_test(test_hostile_schemas_end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
