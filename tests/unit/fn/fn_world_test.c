/* Functions that depend on the world, and how unknown, secret and absent arguments go through functions. */
#include "fn_bench.h"

#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

static void assert_text(struct bench *b, value v, const char *wanted) {
    sv given = bench_print(b, v);
    if (!sv_eq_cstr(given, wanted)) {
        print_error("given %.*s, wanted %s; %.*s\n", SV_ARG(given), wanted, SV_ARG(bench_list_codes(b)));
        fail();
    }
}

/* --- FN-034, FN-012: validation runs nothing of the world --- */

static void test_validation_knows_nothing(void **state) {
    (void)state;
    static const struct {
        const char *text;
        const struct type *type;
    } calls[] = {
        {"cwd()", &type_string},
        {"datetime('unix')", &type_string},
        {"uuid()", &type_string},
        {"file('config.json')", &type_bytes},
        {"http_resource('https://example.com/motd')", &type_bytes},
        {"utf8(file('config.json'))", &type_string},
        {"len(datetime('tag'))", &type_int},
    };
    for (size_t i = 0; i < sizeof calls / sizeof *calls; i++) {
        struct bench b;
        bench_init(&b);
        b.is_validation = true;
        bench_restart(&b);
        value v = bench_eval(&b, calls[i].text);
        assert_int_equal(v.kind, VALUE_UNKNOWN);
        assert_ptr_equal(v.type, calls[i].type);
        assert_int_equal(b.fetches, 0);
        bench_fini(&b);
    }
}

/* --- FN-206, FN-210 --- */

static void test_file_is_read_once(void **state) {
    (void)state;
    struct bench b;
    bench_init(&b);
    assert_text(&b, bench_eval_in(&b, "a.yaml", SV("utf8(file('cert.pem'))")), "-----BEGIN-----");
    assert_int_equal(b.fetches, 1);
    assert_true(sv_eq_cstr(b.asked, "cert.pem"));
    assert_true(sv_eq_cstr(b.from, "/app/a.yaml")); /* relative to the file that holds the call */
    assert_text(&b, bench_eval_in(&b, "a.yaml", SV("utf8(file('cert.pem'))")), "-----BEGIN-----");
    assert_int_equal(b.fetches, 1);
    bench_eval_in(&b, "b.yaml", SV("file('cert.pem')"));
    assert_int_equal(b.fetches, 2); /* from elsewhere it is another file */
    assert_true(sv_eq_cstr(b.from, "/app/b.yaml"));
    assert_int_equal(b.record.items.len, 2);
    assert_int_equal(b.record.items.items[0].life, RECORD_RUN);
    assert_true(sv_eq_cstr(b.record.items.items[0].key, "file|cert.pem|/app/a.yaml"));
    bench_fini(&b);
}

/* What was recorded counts, whatever is there now (BP-424). */
static void test_recorded_file_counts(void **state) {
    (void)state;
    struct bench b;
    bench_init(&b);
    record_put(&b.record, SV("file|cert.pem|/app/bench.yaml"), RECORD_RUN, value_bytes(&b.arena, SV("then")));
    record_put(&b.record, SV("http_resource|https://gone/|"), RECORD_RUN, value_bytes(&b.arena, SV("page")));
    b.record.closed = true;
    assert_text(&b, bench_eval(&b, "utf8(file('cert.pem'))"), "then");
    assert_text(&b, bench_eval(&b, "utf8(http_resource('https://gone/'))"), "page");
    assert_int_equal(b.fetches, 0);
    bench_fini(&b);
}

/* The base of a callback is the file of the call that calls it. */
static void test_file_as_callback(void **state) {
    (void)state;
    struct bench b;
    bench_init(&b);
    assert_text(&b, bench_eval_in(&b, "c.yaml", SV("map(list('cert.pem'), pipe(file, utf8))")),
                "[\"-----BEGIN-----\"]");
    assert_true(sv_eq_cstr(b.from, "/app/c.yaml"));
    bench_fini(&b);
}

static void test_file_failures(void **state) {
    (void)state;
    struct bench b;
    bench_init(&b);
    bench_eval(&b, "file('nothing')");
    assert_true(bench_has(&b, DIAG_function_call_error, "'file': 'nothing' cannot be read"));
    assert_true(bench_has(&b, DIAG_function_call_error, "look whether it is there"));
    assert_int_equal(b.record.items.len, 0);
    bench_fini(&b);
    bench_init(&b);
    bench_eval(&b, "file(trim('https://x/y'))");
    assert_true(bench_has(&b, DIAG_invalid_function_argument, "http_resource"));
    bench_fini(&b);
}

/* FN-018, FN-013: a secret path is neither told nor recorded, and what it names is secret. */
static void test_secret_path(void **state) {
    (void)state;
    struct bench b;
    bench_init(&b);
    bench_define_value(&b, "p", value_mark(value_string(&b.arena, SV("nothing-S3cret")), MARK_SENSITIVE));
    bench_define_value(&b, "q", value_mark(value_string(&b.arena, SV("cert.pem")), MARK_SENSITIVE));
    bench_eval(&b, "file(values.p)");
    assert_int_equal(b.diags.errors, 1);
    assert_false(bench_has(&b, DIAG_function_call_error, "S3cret"));
    value v = bench_eval(&b, "file(values.q)");
    assert_true(value_is_sensitive(v));
    assert_int_equal(b.record.items.len, 1);
    assert_true(sv_find(b.record.items.items[0].key, SV("cert.pem")) == SIZE_MAX);
    assert_true(value_is_sensitive(b.record.items.items[0].item));
    bench_fini(&b);
}

/* --- FN-221, FN-230 --- */

static void test_datetime(void **state) {
    (void)state;
    static const struct {
        int64_t ms;
        const char *format, *text;
    } times[] = {
        {0, "rfc3339", "1970-01-01T00:00:00Z"},
        {-1, "rfc3339", "1969-12-31T23:59:59Z"},
        {-1, "unix", "-1"},
        {951782400000, "tag", "2000-02-29--00-00-00"},
        {4102444799999, "tagcompact", "20991231235959"},
        {999, "unix", "0"},
    };
    for (size_t i = 0; i < sizeof times / sizeof *times; i++) {
        struct bench b;
        bench_init(&b);
        b.record.run_ms = times[i].ms;
        sv call = arena_printf(&b.arena, "datetime('%s')", times[i].format);
        assert_text(&b, bench_eval_in(&b, "t.yaml", call), times[i].text);
        assert_int_equal(b.record.items.len, 0); /* the record has the time itself */
        bench_fini(&b);
    }
}

/* --- FN-222, FN-231 --- */

static bool is_uuid(sv text) {
    for (size_t i = 0; i < text.len; i++) {
        bool dash = i == 8 || i == 13 || i == 18 || i == 23;
        bool hex = (text.data[i] >= '0' && text.data[i] <= '9') || (text.data[i] >= 'a' && text.data[i] <= 'f');
        if (dash ? text.data[i] != '-' : !hex) {
            return false;
        }
    }
    return text.len == 36 && text.data[14] == '4' && strchr("89ab", text.data[19]) != NULL;
}

static void test_uuid_form(void **state) {
    (void)state;
    struct bench b;
    bench_init(&b);
    for (size_t i = 0; i < 50; i++) {
        value v = bench_eval(&b, "uuid()");
        assert_true(v.kind == VALUE_STRING && is_uuid(value_get_text(v)));
        b.record = (struct run_record){0};
        record_init(&b.record, &b.arena, 0);
    }
    bench_fini(&b);
}

static value get(struct bench *b, struct cell *c) {
    cell_reset(c);
    return eval_cell(b->ev, c);
}

/* Equal seeds give equal values; the record gives the same again; each call has its own. */
static void test_uuid_values(void **state) {
    (void)state;
    struct bench b, other;
    bench_init(&b);
    bench_init(&other);
    struct cell *c = bench_define(&b, "v", "${list(uuid(), uuid())}-${uuid()}");
    c->expr = bench_parse_text(&b, SV("${list(uuid(), uuid(), uuid())}"));
    value v = get(&b, c);
    sv first = bench_print(&b, v);
    assert_int_equal(v.list->len, 3);
    assert_false(value_eq(v.list->items[0], v.list->items[1]));
    assert_false(value_eq(v.list->items[1], v.list->items[2]));
    bench_restart(&b);
    assert_true(sv_eq(bench_print(&b, get(&b, c)), first));
    assert_int_equal(b.record.items.len, 3);
    assert_int_equal(b.record.items.items[0].life, RECORD_INSTANCE);
    assert_true(sv_eq_cstr(b.record.items.items[0].key, "uuid|values.v::|0"));
    assert_true(sv_eq_cstr(b.record.items.items[2].key, "uuid|values.v::|2"));
    struct cell *same = bench_define(&other, "v", "${list(uuid(), uuid(), uuid())}");
    assert_true(sv_eq(bench_print(&other, get(&other, same)), first));
    bench_fini(&b);
    bench_fini(&other);
}

/* { id: ${uuid()}, tags: [x, ${uuid()}, "${uuid()}-${uuid()}"] } with `extra` in front. */
static const struct expr *make_spec(struct bench *b, bool extra) {
    const struct expr **items = ARENA_ARRAY(&b->arena, const struct expr *, 3),
                      **tags = ARENA_ARRAY(&b->arena, const struct expr *, 3);
    sv *keys = ARENA_ARRAY(&b->arena, sv, 3);
    uint32_t count = 0;
    if (extra) {
        keys[count] = SV("extra");
        items[count++] = bench_parse_text(b, SV("${uuid()} ${trim('x')}"));
    }
    keys[count] = SV("id.x");
    items[count++] = bench_parse_text(b, extra ? SV("a longer text before: ${trim(uuid())}") : SV("${uuid()}"));
    tags[0] = bench_parse_text(b, SV("x"));
    tags[1] = bench_parse_text(b, SV("${uuid()}"));
    tags[2] = bench_parse_text(b, SV("${uuid()}-${uuid()}"));
    keys[count] = SV("tags");
    items[count++] = expr_new_list(&b->arena, SPAN_NONE, tags, 3);
    return expr_new_object(&b->arena, SPAN_NONE, keys, items, count);
}

static const char *const spec_keys[] = {
    "uuid|resources.a::spec[\"id.x\"]|0",
    "uuid|resources.a::spec.tags[1]|0",
    "uuid|resources.a::spec.tags[2]|0",
    "uuid|resources.a::spec.tags[2]|1",
};

/* FN-231: an inserted field and an edited other line change no key. */
static void test_uuid_keys_stay(void **state) {
    (void)state;
    struct bench b;
    bench_init(&b);
    struct cell c = {.path = SV("resources.a"), .property = SV("spec"), .expr = make_spec(&b, false)};
    value before = get(&b, &c);
    for (size_t i = 0; i < 4; i++) {
        assert_true(sv_eq_cstr(b.record.items.items[i].key, spec_keys[i]));
    }
    c.expr = make_spec(&b, true);
    bench_restart(&b);
    value after = get(&b, &c);
    assert_int_equal(b.record.items.len, 5); /* one is new */
    assert_true(sv_eq_cstr(b.record.items.items[4].key, "uuid|resources.a::spec.extra|0"));
    assert_true(value_eq(value_map_find(before, SV("tags")), value_map_find(after, SV("tags"))));
    bench_fini(&b);
}

/* Instances of a template share expressions, not values; cells of one element differ by their property. */
static void test_uuid_of_instances(void **state) {
    (void)state;
    struct bench b;
    bench_init(&b);
    const struct expr *e = make_spec(&b, false);
    struct cell cells[] = {
        {.path = SV("resources.t_0"), .property = SV("spec"), .expr = e},
        {.path = SV("resources.t_1"), .property = SV("spec"), .expr = e},
        {.path = SV("resources.t_1"), .property = SV("metadata.custom"), .expr = e},
    };
    value v[3];
    for (size_t i = 0; i < 3; i++) {
        v[i] = get(&b, &cells[i]);
    }
    assert_int_equal(b.record.items.len, 12);
    assert_false(value_eq(v[0], v[1]));
    assert_false(value_eq(v[1], v[2]));
    assert_true(sv_eq_cstr(b.record.items.items[11].key, "uuid|resources.t_1::metadata.custom.tags[2]|1"));
    bench_fini(&b);
}

/* The place is that of the call, not of the cell that uses the one with the call. */
static void test_uuid_through_references(void **state) {
    (void)state;
    struct bench b;
    bench_init(&b);
    bench_define(&b, "id", "${uuid()}");
    struct cell *user = bench_define(&b, "user", "${join(list(values.id, values.id), '')}");
    value v = eval_cell(b.ev, user);
    sv text = value_get_text(v);
    assert_int_equal(text.len, 72);
    assert_true(sv_eq(sv_slice(text, 0, 36), sv_slice(text, 36, 72)));
    assert_int_equal(b.record.items.len, 1);
    bench_fini(&b);
}

/* Many calls in one cell: the walk is done once. */
static void test_uuid_many(void **state) {
    (void)state;
    enum { MANY = 20000 };
    struct bench b;
    bench_init(&b);
    const struct expr **items = ARENA_ARRAY(&b.arena, const struct expr *, MANY);
    for (size_t i = 0; i < MANY; i++) {
        items[i] = bench_parse_text(&b, SV("${uuid()}"));
    }
    struct cell c = {.path = SV("values.many"), .expr = expr_new_list(&b.arena, SPAN_NONE, items, MANY)};
    value v = eval_cell(b.ev, &c);
    assert_int_equal(v.list->len, MANY);
    assert_int_equal(b.record.items.len, MANY);
    assert_true(sv_eq_cstr(b.record.items.items[MANY - 1].key, "uuid|values.many::[19999]|0"));
    bench_fini(&b);
}

/* --- FN-012, FN-013, FN-014 in all their exceptions --- */

static void define_special(struct bench *b) {
    struct arena *a = &b->arena;
    struct map_builder m = {.arena = a};
    bench_define_value(b, "u", value_unknown(NULL));
    bench_define_value(b, "ub", value_unknown(&type_bool));
    bench_define_value(b, "s", value_mark(value_string(a, SV("S3cret")), MARK_SENSITIVE));
    bench_define_value(b, "st", value_mark(value_bool(true), MARK_SENSITIVE));
    bench_define_value(b, "sn", value_mark(value_absent(), MARK_SENSITIVE));
    map_add(&m, SV("open"), value_string(a, SV("x")));
    map_add(&m, SV("secret"), value_mark(value_string(a, SV("S3cret")), MARK_SENSITIVE));
    map_add(&m, SV("unknown"), value_unknown(&type_int));
    bench_define_value(b, "m", map_done(&m));
}

enum outcome {
    GIVES_OPEN = 1, /* known, nothing secret in it */
    GIVES_SECRET,   /* secret itself */
    GIVES_PARTLY,   /* something in it is secret, not all */
    GIVES_UNKNOWN,
    GIVES_UNKNOWN_SECRET,
    GIVES_UNKNOWN_PART, /* known, with unknown parts */
};

static enum outcome get_outcome(value v) {
    if (v.kind == VALUE_UNKNOWN) {
        return (v.marks & MARK_SENSITIVE) != 0 ? GIVES_UNKNOWN_SECRET : GIVES_UNKNOWN;
    }
    if ((v.marks & MARK_SENSITIVE) != 0) {
        return GIVES_SECRET;
    }
    if (value_is_sensitive(v)) {
        return GIVES_PARTLY;
    }
    return value_is_known(v) ? GIVES_OPEN : GIVES_UNKNOWN_PART;
}

static const struct {
    const char *text;
    enum outcome outcome;
} special[] = {
    /* FN-012 */
    {"trim(values.u)", GIVES_UNKNOWN},
    {"join(list('a', values.u), ',')", GIVES_UNKNOWN},
    {"vals(object(a=values.u))", GIVES_UNKNOWN},
    {"list(1, values.u)", GIVES_UNKNOWN_PART},
    {"object(a=values.u)", GIVES_UNKNOWN_PART},
    {"object(a=values.u, b=1).b", GIVES_OPEN},
    {"len(list(values.u, 1))", GIVES_OPEN},
    {"len(object(a=values.u))", GIVES_OPEN},
    {"len(values.u)", GIVES_UNKNOWN},
    {"keys(object(a=values.u))", GIVES_OPEN},
    {"keys(values.u)", GIVES_UNKNOWN},
    {"lookup(object(a=values.u, b=1), 'b')", GIVES_OPEN},
    {"lookup(object(a=values.u, b=1), 'a')", GIVES_UNKNOWN},
    {"lookup(object(a=values.u), 'c', 5)", GIVES_OPEN},
    {"lookup(object(a=1), values.u)", GIVES_UNKNOWN},
    {"lookup(object(a=1), 'a', values.u)", GIVES_OPEN},
    {"and(false, values.ub)", GIVES_OPEN},
    {"and(values.ub, false)", GIVES_UNKNOWN},
    {"and(true, values.ub)", GIVES_UNKNOWN},
    {"or(true, values.u)", GIVES_OPEN},
    {"or(values.u, true)", GIVES_UNKNOWN},
    {"if(values.ub, 1, 2)", GIVES_UNKNOWN},
    {"if(true, 1, values.u)", GIVES_OPEN},
    {"if(false, 1, values.u)", GIVES_UNKNOWN},
    {"first('a', values.u)", GIVES_OPEN},
    {"first(values.u, 'a')", GIVES_UNKNOWN},
    {"first('', values.u, 'a')", GIVES_UNKNOWN},
    {"coalesce(none, values.u)", GIVES_UNKNOWN},
    {"coalesce('a', values.u)", GIVES_OPEN},
    {"not(values.ub)", GIVES_UNKNOWN},
    {"eq(values.u, none)", GIVES_UNKNOWN},
    {"map(list('a', values.u), trim)", GIVES_UNKNOWN},
    {"map(list('a'), trimprefix_g(values.u))", GIVES_UNKNOWN},
    {"reduce(list(true, values.ub), and, true)", GIVES_UNKNOWN},
    {"contains(list(1, values.u), 1)", GIVES_UNKNOWN},
    {"trim(if(true, none, values.u))", GIVES_OPEN}, /* none before unknown: FN-014 */
    /* FN-013 */
    {"trim(values.s)", GIVES_SECRET},
    {"len(values.s)", GIVES_SECRET},
    {"sha256(values.s)", GIVES_SECRET},
    {"eq(values.s, 'x')", GIVES_SECRET},
    {"keys(values.m)", GIVES_SECRET},
    {"join(list('a', values.s), '')", GIVES_SECRET},
    {"split(values.s, '3')", GIVES_SECRET},
    {"list('a', values.s)", GIVES_PARTLY},
    {"list('a', values.s)[0]", GIVES_OPEN},
    {"list('a', values.s)[1]", GIVES_SECRET},
    {"object(a=values.s, b=1)", GIVES_PARTLY},
    {"object(a=values.s, b=1).b", GIVES_OPEN},
    {"if(true, values.s, 'a')", GIVES_SECRET},
    {"if(true, 'a', values.s)", GIVES_OPEN},
    {"if(values.st, 'a', 'b')", GIVES_SECRET},
    {"if(values.st, values.u, 'b')", GIVES_UNKNOWN_SECRET},
    {"if(true, values.m, 1)", GIVES_PARTLY},
    {"first('', values.s)", GIVES_SECRET},
    {"first('a', values.s)", GIVES_OPEN},
    {"first(values.sn, 'a')", GIVES_SECRET},
    {"coalesce(values.sn, 'a')", GIVES_SECRET},
    {"coalesce('a', values.s)", GIVES_OPEN},
    {"lookup(values.m, 'open')", GIVES_OPEN},
    {"lookup(values.m, 'secret')", GIVES_SECRET},
    {"lookup(values.m, 'none', 1)", GIVES_OPEN},
    {"lookup(object(a=1), values.s, 1)", GIVES_SECRET},
    {"and(values.st, false)", GIVES_SECRET},
    {"and(false, values.st)", GIVES_OPEN},
    {"or(values.st, false)", GIVES_SECRET},
    {"and(values.st, values.ub)", GIVES_UNKNOWN_SECRET},
    {"map(list('a'), replace_g('a', values.s))", GIVES_SECRET},
    {"filter(list(values.s), has_prefix_g('S'))", GIVES_SECRET},
    {"sort(list(1, -1), max)", GIVES_OPEN},
    {"md5(values.s)", GIVES_SECRET},
    {"cwd()", GIVES_OPEN},
};

static void test_special_arguments(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof special / sizeof *special; i++) {
        struct bench b;
        bench_init(&b);
        define_special(&b);
        value v = bench_eval(&b, special[i].text);
        if (b.diags.errors > 0 || get_outcome(v) != special[i].outcome) {
            print_error("%s: outcome %d, wanted %d; %.*s %.*s\n", special[i].text, (int)get_outcome(v),
                        (int)special[i].outcome, SV_ARG(bench_print(&b, v)), SV_ARG(bench_list_codes(&b)));
            fail();
        }
        bench_fini(&b);
    }
}

/* FN-018: no message holds a secret. */
static void test_messages_hold_no_secret(void **state) { /* F105 */
    (void)state;
    static const char *const texts[] = {
        "jsondecode(values.s)",
        "fromjson(values.s, 'x')",
        "fromjson('{}', values.s)",
        "fromjson('{}', join(list('/', values.s, '~'), ''))",
        "base64decode(values.s)",
        "cidrsubnet(values.s, 1, 1)",
        "datetime(values.s)",
        "file(values.s)",
        "http_resource(values.s)",
        "substr(values.s, 99)",
        "abs(jsondecode(values.s))",
        "map(list(object(a=1)), getattr(values.s))",
        "map(list(values.s), jsondecode)",
        "not(jsondecode(join(list('\"', values.s, '\"'), '')))",
        "map(split(values.s, '3'), fromjson_g(values.s))",
        "http_resource(join(list('https://', values.s), ''))",
    };
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        struct bench b;
        bench_init(&b);
        define_special(&b);
        value v = bench_eval(&b, texts[i]);
        assert_int_equal(v.kind, VALUE_ERROR);
        assert_int_equal(b.diags.errors, 1);
        assert_false(bench_has(&b, b.diags.items.items[0]->code, "S3cret"));
        bench_fini(&b);
    }
}

/* --- FN-026, FN-018 --- */

static void test_callback_errors_name_the_item(void **state) {
    (void)state;
    static const struct {
        const char *text, *message;
    } calls[] = {
        {"map(list('1', 'x'), jsondecode)", "in item 1 of this call of 'map'"},
        {"map(list(object(a=1), object(b=1)), getattr('a'))", "in item 1 of this call of 'map'"},
        {"map(list(list(1), list()), getelem(0))", "in item 1 of this call of 'map'"},
        {"map(list('{}', 'x'), compose(len, jsondecode))", "in item 1 of this call of 'map'"},
        {"filter(list('true', '1'), jsondecode)", "gives an integer for item 1"},
        {"flatmap(list('[]', '[]', '{}'), jsondecode)", "gives an object for item 2"},
        {"reduce(list('0', '1'), fromjson, '{\"0\":1}')", "gives an integer for item 0"},
        {"sort(list(1.5, 2.5), max)", "gives a float for item 0"},
        {"len(jsondecode(trim('x')))", "in this call of 'len'"},
    };
    for (size_t i = 0; i < sizeof calls / sizeof *calls; i++) {
        struct bench b;
        bench_init(&b);
        value v = bench_eval(&b, calls[i].text);
        bool ok = v.kind == VALUE_ERROR && bench_has(&b, DIAG_invalid_function_argument, calls[i].message);
        if (!ok) {
            print_error("%s: %.*s\n", calls[i].text,
                        SV_ARG(b.diags.items.len > 0 ? b.diags.items.items[0]->message : SV("nothing")));
            fail();
        }
        bench_fini(&b);
    }
}

/* FN-010: from left to right, each once; the first failure ends it. */
static void test_arguments_are_evaluated_in_order(void **state) {
    (void)state;
    struct bench b;
    bench_init(&b);
    bench_eval(&b, "list(file('config.json'), file('nothing'), file('cert.pem'))");
    assert_int_equal(b.fetches, 2);
    assert_int_equal(b.diags.errors, 1);
    bench_fini(&b);
    bench_init(&b);
    bench_eval(&b, "or(true, eq(file('nothing'), file('nothing')))"); /* FN-011 */
    assert_int_equal(b.fetches, 0);
    assert_int_equal(b.diags.errors, 0);
    bench_fini(&b);
}

/* FN-007: 16 MiB of text, 100 000 items; also for what callbacks make. */
static void test_limits(void **state) {
    (void)state;
    static const struct {
        const char *text;
        bool fits;
    } calls[] = {
        {"len(values.big)", true},
        {"len(join(list(values.big, values.big), ''))", true},
        {"len(join(list(values.big, values.big, 'x'), ''))", false},
        {"replace(values.big, substr(values.big, 0, 1048576), substr(values.big, 0, 4194304))", false},
        {"base64encode(join(list(values.big, values.big), ''))", false},
        {"len(to_upper(values.big))", true},
        {"len(split(substr(values.big, 0, 100000), ''))", true},
        {"split(substr(values.big, 0, 100001), '')", false},
        {"split(substr(values.big, 0, 100000), 'a')", false},
        {"len(map(values.items, abs))", true},
        {"flatmap(values.items, list)", true},
        {"flatmap(list(list(values.items), list(values.items)), getelem(0))", false},
    };
    for (size_t i = 0; i < sizeof calls / sizeof *calls; i++) {
        struct bench b;
        bench_init(&b);
        struct buf text = BUF(&b.arena);
        buf_append_repeat(&text, 'a', (size_t)8 * 1024 * 1024);
        bench_define_value(&b, "big", value_string(&b.arena, buf_get_sv(&text)));
        struct list_builder items = {.arena = &b.arena};
        for (int64_t k = 0; k < 100000; k++) {
            list_add(&items, value_int(k));
        }
        bench_define_value(&b, "items", list_done(&items));
        value v = bench_eval(&b, calls[i].text);
        bool ok = calls[i].fits ? b.diags.errors == 0
                                : v.kind == VALUE_ERROR && b.diags.items.items[0]->code == DIAG_limit_exceeded;
        if (!ok) {
            print_error("%s: %.*s\n", calls[i].text, SV_ARG(bench_list_codes(&b)));
            fail();
        }
        bench_fini(&b);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_validation_knows_nothing),
        cmocka_unit_test(test_file_is_read_once),
        cmocka_unit_test(test_recorded_file_counts),
        cmocka_unit_test(test_file_as_callback),
        cmocka_unit_test(test_file_failures),
        cmocka_unit_test(test_secret_path),
        cmocka_unit_test(test_datetime),
        cmocka_unit_test(test_uuid_form),
        cmocka_unit_test(test_uuid_values),
        cmocka_unit_test(test_uuid_keys_stay),
        cmocka_unit_test(test_uuid_of_instances),
        cmocka_unit_test(test_uuid_through_references),
        cmocka_unit_test(test_uuid_many),
        cmocka_unit_test(test_special_arguments),
        cmocka_unit_test(test_messages_hold_no_secret),
        cmocka_unit_test(test_callback_errors_name_the_item),
        cmocka_unit_test(test_arguments_are_evaluated_in_order),
        cmocka_unit_test(test_limits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
