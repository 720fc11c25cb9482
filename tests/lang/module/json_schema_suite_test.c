/* The required draft-07 cases of the JSON Schema test suite, and those of the formats that are checked (MD-052 …
 * MD-054). Prints TAP itself, one case per group of the suite, which is looked for in $LINTEL_SUITES. */
#include "dialects/module/json_schema.h"

#include "unit/doc/suite.h"
#include "value/convert.h"

#include <stdio.h>
#include <stdlib.h>

/* MD-053: references are local, and `$id` is no base for them. Such a schema is refused, or a part of it is not seen.
 */
static const char *const left_out[] = {
    "validate definition against metaschema",
    "$ref prevents a sibling $id from changing the base uri",
    "remote ref, containing refs itself",
    "Recursive references between schemas",
    "Reference an anchor with a non-relative URI",
    "Location-independent identifier with base URI change in subschema",
    "refs with relative uris and defs",
    "relative refs with absolute uris and defs",
    "$id must be resolved against nearest parent, not just immediate parent",
    "simple URN base URI with $ref via the URN",
    "URN base URI with URN and JSON pointer ref",
    "URN base URI with URN and anchor ref",
    "ref to if",
    "ref to then",
    "ref to else",
    "ref with absolute-path-reference",
    "validation of A-label (punycode) host names", /* the rules of IDNA are beyond MD-054 */
};

static const char *const formats[] = {"date-time", "date", "time", "email", "hostname", "ipv4", "ipv6", "regex", "uri"};

struct suite {
    struct arena *a;
    size_t count, failed;
};

static bool is_left_out(sv description) {
    for (size_t i = 0; i < sizeof left_out / sizeof *left_out; i++) {
        if (sv_eq_cstr(description, left_out[i]))
            return true;
    }
    return false;
}

static sv get_text(value map, const char *key) {
    value v = value_map_find(map, sv_from_cstr(key));
    return v.kind == VALUE_STRING ? value_get_text(v) : SV("");
}

/* What is wrong, or empty. */
static sv run_test(struct arena *a, const struct json_schema *schema, value test) {
    struct json_schema_violations found = {0};
    json_schema_check(a, schema, value_map_find(test, SV("data")), &found);
    bool is_valid = value_map_find(test, SV("valid")).boolean;
    if (is_valid == (found.items.len == 0))
        return SV("");
    sv said = found.items.len > 0 ? found.items.items[0].message : SV("found valid");
    sv name = get_text(test, "description");
    return arena_printf(a, "%.*s: %.*s; ", SV_ARG(name), SV_ARG(said));
}

static sv run_group(struct arena *a, value group) {
    struct json_schema_problems problems = {0};
    struct buf out = BUF(a);
    const struct json_schema *schema = json_schema_read(a, value_map_find(group, SV("schema")), &problems);
    if (schema == NULL) {
        struct json_schema_problem *p = VEC_LAST(&problems.items);
        return arena_printf(a, "refused: %.*s %.*s", SV_ARG(p->at), SV_ARG(p->message));
    }
    value tests = value_map_find(group, SV("tests"));
    for (size_t i = 0; i < tests.list->len; i++)
        buf_append(&out, run_test(a, schema, tests.list->items[i]));
    return buf_get_sv(&out);
}

static void run_file(struct suite *s, sv path, const char *name) {
    struct limits limits = limits_default;
    size_t offset = 0;
    sv why = {0};
    value groups = value_parse_json(s->a, suite_read_file(s->a, path.data), &limits, false, &why, &offset);
    if (groups.kind != VALUE_LIST) {
        printf("Bail out! %s: %.*s\n", name, SV_ARG(why));
        return;
    }
    for (size_t i = 0; i < groups.list->len; i++) {
        sv description = get_text(groups.list->items[i], "description");
        if (is_left_out(description)) {
            printf("# left out: %s: %.*s\n", name, SV_ARG(description));
            continue;
        }
        sv wrong = run_group(s->a, groups.list->items[i]);
        s->failed += wrong.len > 0;
        printf("%sok %zu - %s: %.*s\n", wrong.len > 0 ? "not " : "", ++s->count, name, SV_ARG(description));
        if (wrong.len > 0)
            printf("# %.*s\n", SV_ARG(wrong));
    }
}

int main(void) {
    struct arena arena = {0};
    struct suite s = {.a = &arena};
    const char *suites = getenv("LINTEL_SUITES");
    sv root = arena_printf(&arena, "%s/JSON-Schema-Test-Suite/tests/draft7", suites ? suites : "");
    size_t count = 0;
    char **names = suites && *suites ? suite_list(&arena, root.data, &count) : NULL;
    if (count == 0)
        printf("1..1\nok 1 - JSON-Schema-Test-Suite # SKIP LINTEL_SUITES does not lead to the suite\n");
    for (size_t i = 0; i < count; i++) {
        sv name = sv_from_cstr(names[i]);
        if (sv_has_suffix(name, SV(".json")) && !sv_eq(name, SV("refRemote.json")))
            run_file(&s, arena_printf(&arena, "%.*s/%s", SV_ARG(root), names[i]), names[i]);
    }
    for (size_t i = 0; count > 0 && i < sizeof formats / sizeof *formats; i++)
        run_file(&s, arena_printf(&arena, "%.*s/optional/format/%s.json", SV_ARG(root), formats[i]), formats[i]);
    if (count > 0)
        printf("1..%zu\n", s.count);
    arena_fini(&arena);
    return s.failed > 0;
}
