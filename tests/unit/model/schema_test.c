/* Schemas: checks (BP-320 to BP-324), filling, splitting, types, printing and reading. */
#include "doc/reader.h"
#include "model/pattern.h"
#include "model/schema.h"
#include "unit/model/check.h"

#include <stdlib.h>

#include <stdio.h>
#include <time.h>

struct world {
    struct arena arena;
    struct sources sources;
    struct diags diags;
};

static int set_up(void **state) {
    struct world *w = calloc(1, sizeof *w);
    sources_init(&w->sources, &w->arena);
    diags_init(&w->diags, &w->arena, &w->sources);
    *state = w;
    return 0;
}

static int tear_down(void **state) {
    arena_fini(&((struct world *)*state)->arena);
    free(*state);
    return 0;
}

static const struct schema *read_schema(struct world *w, const char *yaml) {
    struct source *s = sources_add(&w->sources, SV("schema.yaml"), arena_copy_sv(&w->arena, sv_from_cstr(yaml)));
    struct doc_stream *stream = doc_read(&w->arena, s, &doc_options_yaml, &w->diags);
    return schema_from_node(&w->arena, stream->documents.items[0].root, &w->diags);
}

static const char server_schema[] =
    "type: object\n"
    "required: [name, size]\n"
    "attributes:\n"
    "  name: {type: string, minLength: 2, maxLength: 5, pattern: '^[a-zä]+$'}\n"
    "  size: {type: integer, minimum: 1, maximum: 10}\n"
    "  ratio: {type: float, maximum: 0.5}\n"
    "  on: {type: boolean}\n"
    "  note: {type: string, nullable: true, default: none}\n"
    "  zone: {type: string, allowedValues: [a, b]}\n"
    "  tags: {type: array, minLength: 1, maxLength: 2, items: {type: string}}\n"
    "  env: {type: map, maxLength: 1, mapValues: {type: integer}}\n"
    "  disk: {type: object, required: [gb], attributes: {gb: {type: integer}, fast: {type: boolean, default: true}}}\n"
    "  either: {type: union, oneOf: [{type: integer}, {type: array, items: {type: integer}}]}\n"
    "  id: {type: string, computed: true}\n"
    "  port: {type: integer, computedWhenOmitted: true}\n"
    "  key: {type: string, sensitive: true, minLength: 8}\n";

static value check(struct world *w, const struct schema *s, value v, bool to_text) {
    struct schema_check c = {
        .arena = &w->arena, .diags = &w->diags, .prefix = SV("resources.x.spec"), .written = true, .to_text = to_text};
    return schema_check_value(&c, s, v);
}

struct check_case {
    const char *json;
    enum diag_code code; /* 0: fits */
    const char *path;
};

/* BP-320, BP-321: each code at its path. */
static void test_codes(void **state) {
    static const struct check_case cases[] = {
        {"{\"name\":\"abc\",\"size\":3}", 0, ""},
        {"{\"name\":\"äää\",\"size\":1,\"ratio\":0.5,\"on\":true,\"zone\":\"b\",\"tags\":[\"x\"]}", 0, ""},
        {"{\"name\":1,\"size\":3}", DIAG_resource_def_invalid_type, "resources.x.spec.name"},
        {"{\"name\":\"abc\",\"size\":3.0}", DIAG_resource_def_invalid_type, "resources.x.spec.size"},
        {"{\"name\":\"abc\",\"size\":3,\"on\":\"true\"}", DIAG_resource_def_invalid_type, "resources.x.spec.on"},
        {"[]", DIAG_resource_def_invalid_type, "resources.x.spec"},
        {"{\"name\":\"abc\",\"size\":3,\"nam\":1}", DIAG_resource_def_unknown_field, "resources.x.spec.nam"},
        {"{\"name\":\"abc\"}", DIAG_resource_def_missing_required_field, "resources.x.spec.size"},
        {"{\"name\":null,\"size\":3}", DIAG_resource_def_item_empty, "resources.x.spec.name"},
        {"{\"name\":\"abc\",\"size\":3,\"note\":null}", 0, ""},
        {"{\"name\":\"abc\",\"size\":3,\"either\":\"x\"}", DIAG_resource_def_union_invalid_type,
         "resources.x.spec.either"},
        {"{\"name\":\"abc\",\"size\":3,\"either\":null}", DIAG_resource_def_union_item_empty,
         "resources.x.spec.either"},
        {"{\"name\":\"abc\",\"size\":3,\"either\":[1,\"x\"]}", DIAG_resource_def_union_invalid_type,
         "resources.x.spec.either"},
        {"{\"name\":\"abc\",\"size\":3,\"either\":[1,2]}", 0, ""},
        {"{\"name\":\"abc\",\"size\":3,\"zone\":\"c\"}", DIAG_resource_def_not_allowed_value, "resources.x.spec.zone"},
        {"{\"name\":\"a\",\"size\":3}", DIAG_resource_def_string_min_length_constraint_failure,
         "resources.x.spec.name"},
        {"{\"name\":\"abcdef\",\"size\":3}", DIAG_resource_def_string_max_length_constraint_failure,
         "resources.x.spec.name"},
        {"{\"name\":\"ABC\",\"size\":3}", DIAG_resource_def_pattern_constraint_failure, "resources.x.spec.name"},
        {"{\"name\":\"abc\",\"size\":0}", DIAG_resource_def_min_constraint_failure, "resources.x.spec.size"},
        {"{\"name\":\"abc\",\"size\":11}", DIAG_resource_def_max_constraint_failure, "resources.x.spec.size"},
        {"{\"name\":\"abc\",\"size\":1,\"ratio\":1}", DIAG_resource_def_max_constraint_failure,
         "resources.x.spec.ratio"},
        {"{\"name\":\"abc\",\"size\":1,\"tags\":[]}", DIAG_resource_def_complex_min_length_constraint_failure,
         "resources.x.spec.tags"},
        {"{\"name\":\"abc\",\"size\":1,\"tags\":[\"a\",\"b\",\"c\"]}",
         DIAG_resource_def_complex_max_length_constraint_failure, "resources.x.spec.tags"},
        {"{\"name\":\"abc\",\"size\":1,\"tags\":[\"a\",7]}", DIAG_resource_def_invalid_type,
         "resources.x.spec.tags[1]"},
        {"{\"name\":\"abc\",\"size\":1,\"env\":{\"A.B\":\"x\"}}", DIAG_resource_def_invalid_type,
         "resources.x.spec.env[\"A.B\"]"},
        {"{\"name\":\"abc\",\"size\":1,\"env\":{\"A\":1,\"B\":2}}",
         DIAG_resource_def_complex_max_length_constraint_failure, "resources.x.spec.env"},
        {"{\"name\":\"abc\",\"size\":1,\"disk\":{}}", DIAG_resource_def_missing_required_field,
         "resources.x.spec.disk.gb"},
        {"{\"name\":\"abc\",\"size\":1,\"id\":\"x\"}", DIAG_computed_field_in_blueprint, "resources.x.spec.id"},
        {"{\"name\":\"abc\",\"size\":1,\"port\":80}", 0, ""},
        {"null", DIAG_resource_def_item_empty, "resources.x.spec"},
    };
    struct world *w = *state;
    const struct schema *s = read_schema(w, server_schema);
    assert_non_null(s);
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        diags_init(&w->diags, &w->arena, &w->sources); /* equal reports without place are kept once */
        value result = check(w, s, from_json(&w->arena, cases[i].json), false);
        size_t found = w->diags.items.len;
        if (found != (cases[i].code != 0)) {
            print_error("%s: %zu reports\n", cases[i].json, found);
            fail();
        }
        assert_int_equal(value_is_error(result), cases[i].code != 0);
        if (cases[i].code != 0) {
            assert_int_equal(w->diags.items.items[0]->code, cases[i].code);
            CHECK_SV(w->diags.items.items[0]->path, cases[i].path);
        }
    }
}

/* BP-302: all independent errors at once. */
static void test_all_errors_at_once(void **state) {
    struct world *w = *state;
    const struct schema *s = read_schema(w, server_schema);
    check(w, s, from_json(&w->arena, "{\"size\":99,\"on\":1,\"nope\":2,\"tags\":[1,2]}"), false);
    assert_int_equal(w->diags.errors, 6); /* name missing, size, on, nope, two tags */
}

/* BP-306 */
static void test_hint(void **state) {
    struct world *w = *state;
    const struct schema *s = read_schema(w, server_schema);
    check(w, s, from_json(&w->arena, "{\"name\":\"abc\",\"size\":1,\"zoen\":\"a\"}"), false);
    CHECK_SV(w->diags.items.items[0]->hint, "did you mean 'zone'?");
}

/* BP-032: an integer becomes a float where one is wanted, up to 2^53; marks stay. */
static void test_widening(void **state) {
    struct world *w = *state;
    const struct schema *s =
        read_schema(w, "{type: object, attributes: {x: {type: float}, l: {type: array, items: {type: float}}}}");
    value v = from_json(&w->arena, "{\"x\":3,\"l\":[1,2.5]}");
    value result = check(w, s, v, false);
    CHECK_JSON(&w->arena, result, "{\"x\":3.0,\"l\":[1.0,2.5]}");
    struct map_builder b = {.arena = &w->arena};
    map_add(&b, SV("x"), value_mark(value_int(4), MARK_SENSITIVE));
    result = check(w, s, map_done(&b), false);
    assert_int_equal(value_map_find(result, SV("x")).marks, MARK_SENSITIVE);
    assert_int_equal(value_map_find(result, SV("x")).kind, VALUE_FLOAT);
    assert_true(value_is_error(check(w, s, from_json(&w->arena, "{\"x\":9007199254740993}"), false)));
    assert_false(value_is_error(check(w, s, from_json(&w->arena, "{\"x\":9007199254740992}"), false)));
}

/* Nothing is copied when nothing changes. */
static void test_unchanged_value_is_returned_itself(void **state) {
    struct world *w = *state;
    const struct schema *s = read_schema(w, server_schema);
    value v = from_json(&w->arena, "{\"name\":\"abc\",\"size\":3,\"tags\":[\"x\"],\"disk\":{\"gb\":1}}");
    size_t before = w->arena.total;
    const char *next = w->arena.next;
    struct schema_check c = {.arena = &w->arena, .diags = &w->diags};
    for (int i = 0; i < 10; i++) {
        assert_ptr_equal(schema_check_value(&c, s, v).map, v.map);
    }
    assert_int_equal(w->arena.total, before);
    assert_ptr_equal(w->arena.next, next);
}

/* BP-216: only for the results of substitutions. */
static void test_to_text(void **state) {
    struct world *w = *state;
    const struct schema *s = read_schema(w, "{type: object, attributes: {t: {type: string}}}");
    static const char *const in[] = {"{\"t\":12}", "{\"t\":true}", "{\"t\":1.5}"};
    static const char *const out[] = {"{\"t\":\"12\"}", "{\"t\":\"true\"}", "{\"t\":\"1.5\"}"};
    for (size_t i = 0; i < 3; i++) {
        CHECK_JSON(&w->arena, check(w, s, from_json(&w->arena, in[i]), true), out[i]);
        assert_true(value_is_error(check(w, s, from_json(&w->arena, in[i]), false)));
    }
    assert_true(value_is_error(check(w, s, from_json(&w->arena, "{\"t\":[]}"), true)));
    struct map_builder b = {.arena = &w->arena};
    map_add(&b, SV("t"), value_bytes(&w->arena, SV("raw")));
    CHECK_JSON(&w->arena, check(w, s, map_done(&b), true), "{\"t\":\"raw\"}");
    b = (struct map_builder){.arena = &w->arena};
    map_add(&b, SV("t"), value_bytes(&w->arena, SV("\xff")));
    assert_true(value_is_error(check(w, s, map_done(&b), true)));
}

static value one_field(struct world *w, const char *name, value item) {
    struct map_builder b = {.arena = &w->arena};
    map_add(&b, SV("name"), value_string(&w->arena, SV("abc")));
    map_add(&b, SV("size"), value_int(1));
    map_set(&b, sv_from_cstr(name), item);
    return map_done(&b);
}

/* BP-263: unknown parts pass if their type can fit. */
static void test_unknown(void **state) {
    struct world *w = *state;
    const struct schema *s = read_schema(w, server_schema);
    const struct type *ints = type_new_list(&w->arena, &type_int);
    struct {
        const char *field;
        const struct type *type;
        bool fits, fits_as_text;
    } cases[] = {
        {"name", NULL, true, true},           {"name", &type_string, true, true}, {"name", &type_int, false, true},
        {"name", &type_list, false, false},   {"size", &type_int, true, true},    {"size", &type_float, false, false},
        {"size", &type_number, true, true},   {"ratio", &type_int, true, true},   {"tags", &type_list, true, true},
        {"tags", ints, false, true},          {"either", ints, true, true},       {"either", &type_bool, false, false},
        {"note", &type_null, true, true},     {"name", &type_null, false, false}, {"disk", &type_map, true, true},
        {"disk", &type_string, false, false},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        value v = one_field(w, cases[i].field, value_unknown(cases[i].type));
        assert_int_equal(value_is_error(check(w, s, v, false)), !cases[i].fits);
        assert_int_equal(value_is_error(check(w, s, v, true)), !cases[i].fits_as_text);
    }
    /* an element whose mistake was reported stays silent, and so do its users (BP-302) */
    size_t errors = w->diags.errors;
    assert_true(value_is_error(check(w, s, one_field(w, "note", value_error(NULL)), false)));
    assert_int_equal(w->diags.errors, errors);
}

/* BP-281: secrets never stand in messages. */
static void test_secrets_are_not_quoted(void **state) {
    struct world *w = *state;
    const struct schema *s = read_schema(w, server_schema);
    value secret = value_mark(value_string(&w->arena, SV("hunter2")), MARK_SENSITIVE);
    check(w, s, one_field(w, "zone", secret), false);
    check(w, s, one_field(w, "name", secret), false);
    check(w, s, one_field(w, "key", value_string(&w->arena, SV("hunter2"))), false);
    check(w, s, one_field(w, "size", value_mark(value_int(424242), MARK_SENSITIVE)), false);
    value map = from_json(&w->arena, "{\"hunter2\":1,\"gb\":2}");
    check(w, s, one_field(w, "disk", value_mark(map, MARK_SENSITIVE)), false);
    assert_true(w->diags.items.len >= 5);
    for (size_t i = 0; i < w->diags.items.len; i++) {
        const struct diag *d = w->diags.items.items[i];
        assert_int_equal(sv_find(d->message, SV("hunter2")), SIZE_MAX);
        assert_int_equal(sv_find(d->message, SV("424242")), SIZE_MAX);
        assert_int_equal(sv_find(d->hint, SV("hunter2")), SIZE_MAX);
        assert_int_equal(sv_find(d->path, SV("hunter2")), SIZE_MAX);
    }
}

/* F80: hostile patterns end in an error in bounded time. */
static void test_patterns_are_bounded(void **state) {
    struct world *w = *state;
    struct buf text = BUF(&w->arena);
    buf_append_repeat(&text, 'a', 5000);
    buf_append_char(&text, '!');
    struct timespec start, end;
    clock_gettime(CLOCK_MONOTONIC, &start);
    assert_int_equal(pattern_match_text(SV("^(a+)+$"), buf_get_sv(&text)), PATTERN_LIMIT);
    clock_gettime(CLOCK_MONOTONIC, &end);
    assert_true(end.tv_sec - start.tv_sec < 20);
    assert_int_equal(pattern_match_text(SV("b"), SV("abc")), PATTERN_MATCH); /* unanchored */
    assert_int_equal(pattern_match_text(SV("^b"), SV("abc")), PATTERN_NO_MATCH);
    assert_int_equal(pattern_match_text(SV("("), SV("abc")), PATTERN_INVALID);
    assert_int_equal(pattern_match_text(SV("(a)\\1"), SV("aa")), PATTERN_INVALID);
    assert_int_equal(pattern_match_text(SV("\\C"), SV("aa")), PATTERN_INVALID);
    size_t from = 0, to = 0;
    const struct pattern *p = pattern_new(&w->arena, SV("[0-9]+"), NULL);
    assert_int_equal(pattern_match(p, SV("ab123c"), &from, &to), PATTERN_MATCH);
    assert_int_equal(from, 2);
    assert_int_equal(to, 5);
}

/* BP-323 */
static void test_defaults(void **state) {
    struct world *w = *state;
    const struct schema *s = read_schema(w, server_schema);
    value v = schema_fill_defaults(&w->arena, s, from_json(&w->arena, "{\"name\":\"abc\",\"disk\":{\"gb\":1}}"));
    CHECK_JSON(&w->arena, v, "{\"name\":\"abc\",\"disk\":{\"gb\":1,\"fast\":true},\"note\":\"none\"}");
    v = schema_fill_defaults(&w->arena, s, from_json(&w->arena, "{\"note\":null}"));
    CHECK_JSON(&w->arena, v, "{\"note\":null}"); /* a written null stays; no disk, no default in it */
    const struct schema *nested =
        read_schema(w, "{type: object, attributes: {o: {type: object, default: {}, attributes: {x: {type: integer,"
                       " default: 1}}}}}");
    CHECK_JSON(&w->arena, schema_fill_defaults(&w->arena, nested, from_json(&w->arena, "{}")), "{\"o\":{\"x\":1}}");
}

/* BP-243, BP-448 */
static void test_computed(void **state) {
    struct world *w = *state;
    const struct schema *s = read_schema(w, server_schema);
    value written = from_json(&w->arena, "{\"name\":\"abc\",\"size\":1}");
    value with = schema_add_unknowns(&w->arena, s, written);
    assert_int_equal(value_map_find(with, SV("id")).kind, VALUE_UNKNOWN);
    assert_int_equal(value_map_find(with, SV("id")).type->kind, TYPE_STRING);
    assert_int_equal(value_map_find(with, SV("port")).kind, VALUE_UNKNOWN);
    value found = from_json(&w->arena, "{\"name\":\"abc\",\"size\":1,\"id\":\"i-1\",\"port\":80}");
    CHECK_JSON(&w->arena, schema_pick_computed(&w->arena, s, found), "{\"id\":\"i-1\",\"port\":80}");
    CHECK_JSON(&w->arena, schema_drop_computed(&w->arena, s, found), "{\"name\":\"abc\",\"size\":1,\"port\":80}");
    value merged = schema_merge(&w->arena, from_json(&w->arena, "{\"a\":1,\"o\":{\"x\":1,\"y\":2}}"),
                                from_json(&w->arena, "{\"o\":{\"y\":3,\"z\":4},\"b\":5}"));
    CHECK_JSON(&w->arena, merged, "{\"a\":1,\"o\":{\"x\":1,\"y\":3,\"z\":4},\"b\":5}");
}

/* BP-280 */
static void test_mark_sensitive(void **state) {
    struct world *w = *state;
    const struct schema *s = read_schema(w, server_schema);
    value v = schema_mark_sensitive(&w->arena, s, from_json(&w->arena, "{\"name\":\"abc\",\"key\":\"12345678\"}"));
    assert_true(value_is_sensitive(value_map_find(v, SV("key"))));
    assert_false(value_is_sensitive(value_map_find(v, SV("name"))));
    assert_true(value_is_sensitive(v));
}

/* BP-314 */
static void test_types(void **state) {
    struct world *w = *state;
    const struct schema *s = read_schema(w, server_schema);
    const struct type *t = schema_get_type(&w->arena, s);
    assert_int_equal(t->kind, TYPE_OBJECT);
    assert_int_equal(type_find_field(t, SV("size"))->kind, TYPE_INT);
    assert_int_equal(type_find_field(t, SV("id"))->kind, TYPE_STRING);
    assert_null(type_find_field(t, SV("nope")));
    assert_int_equal(type_get_item(type_find_field(t, SV("tags")))->kind, TYPE_STRING);
    assert_true(type_find_field(t, SV("key"))->sensitive);
    struct path p;
    assert_true(path_parse(&w->arena, SV("disk.gb"), &p));
    assert_int_equal(schema_find_path(s, p)->type, SCHEMA_INTEGER);
    assert_true(path_parse(&w->arena, SV("either[3]"), &p));
    assert_int_equal(schema_find_path(s, p)->type, SCHEMA_INTEGER);
    assert_true(path_parse(&w->arena, SV("disk.gb.x"), &p));
    assert_null(schema_find_path(s, p));
}

/* BP-324: what is printed is read back as the same. */
static void test_print_and_read(void **state) {
    struct world *w = *state;
    struct buf first = BUF(&w->arena), second = BUF(&w->arena);
    struct jsonw out = JSONW(&first, 0);
    schema_write_json(&out, read_schema(w, server_schema));
    const struct schema *again = read_schema(w, buf_get_sv(&first).data);
    assert_non_null(again);
    out = JSONW(&second, 0);
    schema_write_json(&out, again);
    CHECK_SV(buf_get_sv(&second), buf_get_sv(&first).data);
}

static void test_read_refuses(void **state) {
    static const char *const texts[] = {
        "text",
        "{}",
        "{type: strin}",
        "{type: string, nulable: true}",
        "{type: string, nullable: 1}",
        "{type: union}",
        "{type: union, oneOf: []}",
        "{type: object, attributes: [a]}",
        "{type: object, attributes: {a: {type: x}}}",
        "{type: object, required: [b], attributes: {a: {type: string}}}",
        "{type: string, pattern: '('}",
        "{type: string, minLength: -1}",
        "{type: integer, minimum: x}",
        "{type: string, allowedValues: x}",
    };
    struct world *w = *state;
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        diags_init(&w->diags, &w->arena, &w->sources);
        if (read_schema(w, texts[i]) != NULL || w->diags.errors == 0) {
            print_error("%s\n", texts[i]);
            fail();
        }
    }
}

/* Declarations with many attributes find them by name. */
static void test_large_object(void **state) {
    struct world *w = *state;
    struct buf yaml = BUF(&w->arena), json = BUF(&w->arena);
    buf_append(&yaml, SV("type: object\nattributes:\n"));
    for (int i = 0; i < 5000; i++) {
        buf_printf(&yaml, "  a%d: {type: integer}\n", i);
        buf_printf(&json, "%s\"a%d\":%d", i == 0 ? "{" : ",", 4999 - i, i);
    }
    buf_append_char(&json, '}');
    const struct schema *s = read_schema(w, buf_get_sv(&yaml).data);
    assert_non_null(s->by_name);
    assert_false(value_is_error(check(w, s, from_json(&w->arena, buf_get_sv(&json).data), false)));
    assert_null(schema_find_attribute(s, SV("a5000")));
}

#define CASE(fn) cmocka_unit_test_setup_teardown(fn, set_up, tear_down)

int main(void) {
    const struct CMUnitTest tests[] = {
        CASE(test_codes),
        CASE(test_all_errors_at_once),
        CASE(test_hint),
        CASE(test_widening),
        CASE(test_unchanged_value_is_returned_itself),
        CASE(test_to_text),
        CASE(test_unknown),
        CASE(test_secrets_are_not_quoted),
        CASE(test_patterns_are_bounded),
        CASE(test_defaults),
        CASE(test_computed),
        CASE(test_mark_sensitive),
        CASE(test_types),
        CASE(test_print_and_read),
        CASE(test_read_refuses),
        CASE(test_large_object),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
