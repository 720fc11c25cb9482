/* Field differences (BP-435 to BP-438, BP-531). */
#include "doc/reader.h"
#include "model/schema.h"
#include "unit/model/check.h"

#include <stdlib.h>

static const char schema_yaml[] =
    "type: object\n"
    "attributes:\n"
    "  name: {type: string, mustRecreate: true}\n"
    "  size: {type: integer}\n"
    "  note: {type: string, nullable: true, default: none}\n"
    "  rules: {type: array, sortArrayByField: port, items: {type: object, attributes: {port: {type: integer}, to: "
    "{type: string}}}}\n"
    "  list: {type: array, items: {type: integer}}\n"
    "  box: {type: object, mustRecreate: true, attributes: {a: {type: integer}, b: {type: integer, computed: true}}}\n"
    "  env: {type: map, mapValues: {type: string}}\n"
    "  id: {type: string, computed: true}\n"
    "  seen: {type: string, computed: true, trackDrift: true}\n"
    "  port: {type: integer, computedWhenOmitted: true}\n"
    "  key: {type: string, sensitive: true}\n"
    "  free: {type: string, ignoreDrift: true}\n"
    "  any: {type: union, oneOf: [{type: string}, {type: object, attributes: {x: {type: integer, mustRecreate: "
    "true}}}]}\n";

struct world {
    struct arena arena;
    struct sources sources;
    struct diags diags;
    const struct schema *schema;
    bool drift;
};

static int set_up(void **state) {
    struct world *w = calloc(1, sizeof *w);
    sources_init(&w->sources, &w->arena);
    diags_init(&w->diags, &w->arena, &w->sources);
    struct source *s = sources_add(&w->sources, SV("schema.yaml"), sv_from_cstr(schema_yaml));
    w->schema = schema_from_node(
        &w->arena, doc_read(&w->arena, s, &doc_options_yaml, &w->diags)->documents.items[0].root, &w->diags);
    assert_non_null(w->schema);
    *state = w;
    return 0;
}

static int tear_down(void **state) {
    arena_fini(&((struct world *)*state)->arena);
    free(*state);
    return 0;
}

/* "+spec.a ~spec.b! -spec.c =2": new, modified, removed; '!' must recreate, '*' sensitive, '?' unknown, then how many
 * are unchanged. */
static sv compare_values(struct world *w, value before, value after) {
    static const struct path_step step = {.key = SV_INIT("spec")};
    struct schema_diff_request r = {.arena = &w->arena,
                                    .schema = w->schema,
                                    .prefix = {&step, 1},
                                    .before = before,
                                    .after = after,
                                    .drift = w->drift};
    struct field_diff diff = {0};
    schema_diff(&r, &diff);
    struct buf out = BUF(&w->arena);
    for (size_t i = 0; i < diff.changes.len; i++) {
        const struct field_change *c = &diff.changes.items[i];
        buf_append_char(&out, c->kind == FIELD_NEW ? '+' : c->kind == FIELD_REMOVED ? '-' : '~');
        path_print(&out, c->path);
        buf_append_cstr(&out, c->must_recreate ? "!" : "");
        buf_append_cstr(&out, c->sensitive ? "*" : "");
        buf_append_cstr(&out, c->unknown ? "?" : "");
        buf_append_char(&out, ' ');
        assert_int_equal(value_is_set(c->before), c->kind != FIELD_NEW);
        assert_int_equal(value_is_set(c->after), c->kind != FIELD_REMOVED);
    }
    buf_printf(&out, "=%zu", diff.unchanged.len);
    return buf_get_sv(&out);
}

static sv compare(struct world *w, const char *before, const char *after) {
    return compare_values(w, from_json(&w->arena, before), from_json(&w->arena, after));
}

/* BP-435, BP-436 */
static void test_leaves(void **state) {
    struct world *w = *state;
    CHECK_SV(compare(w, "{\"name\":\"a\",\"size\":1}", "{\"name\":\"a\",\"size\":1}"), "=2");
    CHECK_SV(compare(w, "{\"name\":\"a\",\"size\":1}", "{\"size\":1,\"name\":\"b\"}"), "~spec.name! =1");
    CHECK_SV(compare(w, "{\"size\":1}", "{\"name\":\"b\"}"), "+spec.name! -spec.size =0");
    CHECK_SV(compare(w, "{\"list\":[1,2]}", "{\"list\":[1,3,4]}"), "~spec.list[1] +spec.list[2] =1");
    CHECK_SV(compare(w, "{\"list\":[1,2]}", "{\"list\":[]}"), "-spec.list[0] -spec.list[1] =0");
    CHECK_SV(compare(w, "{\"list\":[]}", "{}"), "-spec.list =0");
    CHECK_SV(compare(w, "{\"env\":{\"A\":\"1\",\"B.C\":\"2\"}}", "{\"env\":{\"B.C\":\"3\",\"D\":\"4\"}}"),
             "~spec.env[\"B.C\"] +spec.env.D -spec.env.A =0");
    CHECK_SV(compare(w, "{}", "{\"env\":{\"A\":\"1\",\"B\":\"2\"}}"), "+spec.env.A +spec.env.B =0");
    CHECK_SV(compare(w, "{\"other\":{\"x\":[1]}}", "{\"other\":{\"x\":[2]}}"), "~spec.other.x[0] =0");
    CHECK_SV(compare(w, "{\"size\":1}", "{\"size\":1.0}"), "=1"); /* BP-034 */
}

/* BP-436: a new value that is the default of a nullable field changes nothing. */
static void test_nullable_default(void **state) {
    struct world *w = *state;
    CHECK_SV(compare(w, "{}", "{\"note\":\"none\"}"), "=1");
    CHECK_SV(compare(w, "{}", "{\"note\":\"some\"}"), "+spec.note =0");
    CHECK_SV(compare(w, "{\"note\":\"some\"}", "{\"note\":\"none\"}"), "~spec.note =0");
}

/* BP-437: sorted by a field; paths lead to the item of the new array. */
static void test_sorted_arrays(void **state) {
    struct world *w = *state;
    CHECK_SV(compare(w, "{\"rules\":[{\"port\":2,\"to\":\"b\"},{\"port\":1,\"to\":\"a\"}]}",
                     "{\"rules\":[{\"port\":1,\"to\":\"a\"},{\"port\":2,\"to\":\"c\"}]}"),
             "~spec.rules[1].to =3");
    CHECK_SV(compare(w, "{\"rules\":[{\"port\":9},{\"port\":10}]}", "{\"rules\":[{\"port\":10},{\"port\":9}]}"), "=2");
    CHECK_SV(compare(w, "{\"rules\":[{\"port\":1},{\"port\":3}]}", "{\"rules\":[{\"port\":1}]}"),
             "-spec.rules[1].port =1");
}

/* BP-445: the flag is inherited; computed fields never count. */
static void test_must_recreate(void **state) {
    struct world *w = *state;
    CHECK_SV(compare(w, "{\"box\":{\"a\":1,\"b\":1}}", "{\"box\":{\"a\":2,\"b\":2}}"), "~spec.box.a! =0");
    CHECK_SV(compare(w, "{\"any\":{\"x\":1}}", "{\"any\":{\"x\":2}}"), "~spec.any.x! =0");
    CHECK_SV(compare(w, "{\"any\":{\"x\":1}}", "{\"any\":\"s\"}"), "~spec.any =0");
}

/* BP-438, BP-531 */
static void test_computed_and_drift(void **state) {
    struct world *w = *state;
    const char *before = "{\"id\":\"1\",\"seen\":\"a\",\"port\":1,\"free\":\"x\",\"size\":1}";
    const char *after = "{\"id\":\"2\",\"seen\":\"b\",\"free\":\"y\",\"size\":2}";
    CHECK_SV(compare(w, before, after), "~spec.free ~spec.size =0"); /* an omitted port is carried */
    CHECK_SV(compare(w, "{\"port\":1}", "{\"port\":2}"), "~spec.port =0");
    w->drift = true;
    CHECK_SV(compare(w, before, after), "~spec.seen ~spec.size -spec.port =0");
}

static void test_unknown(void **state) {
    struct world *w = *state;
    struct map_builder b = {.arena = &w->arena};
    map_add(&b, SV("size"), value_unknown(&type_int));
    CHECK_SV(compare_values(w, from_json(&w->arena, "{\"size\":1}"), map_done(&b)), "~spec.size? =0");
    CHECK_SV(compare_values(w, from_json(&w->arena, "{}"), map_done(&b)), "+spec.size? =0");
}

static bool same_digest(void *user, value before, value after) {
    (void)before;
    return sv_eq_cstr(value_get_text(after), user);
}

/* BP-438: secrets compare by value, or by digest where the value is lost; secret containers as a whole. */
static void test_secrets(void **state) {
    struct world *w = *state;
    CHECK_SV(compare(w, "{\"key\":\"a\"}", "{\"key\":\"b\"}"), "~spec.key* =0");
    value secret = value_mark(from_json(&w->arena, "{\"A\":\"1\"}"), MARK_SENSITIVE);
    struct map_builder b = {.arena = &w->arena};
    map_add(&b, SV("env"), secret);
    value after = map_done(&b);
    CHECK_SV(compare_values(w, from_json(&w->arena, "{\"env\":{\"A\":\"2\"}}"), after), "~spec.env* =0");
    CHECK_SV(compare_values(w, from_json(&w->arena, "{\"env\":{\"A\":\"1\"}}"), after), "=1");

    value lost = value_mark(value_unknown(NULL), MARK_SENSITIVE);
    struct schema_diff_request r = {.arena = &w->arena,
                                    .before = lost,
                                    .after = value_string(&w->arena, SV("same")),
                                    .is_same_secret = same_digest,
                                    .user = (char *)(uintptr_t) "same"};
    struct field_diff diff = {0};
    schema_diff(&r, &diff);
    assert_int_equal(diff.changes.len, 0);
    r.after = value_string(&w->arena, SV("other"));
    schema_diff(&r, &diff);
    assert_int_equal(diff.changes.len, 1);
}

#define CASE(fn) cmocka_unit_test_setup_teardown(fn, set_up, tear_down)

int main(void) {
    const struct CMUnitTest tests[] = {
        CASE(test_leaves),  CASE(test_nullable_default),   CASE(test_sorted_arrays), CASE(test_must_recreate),
        CASE(test_unknown), CASE(test_computed_and_drift), CASE(test_secrets),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
