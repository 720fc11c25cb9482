/* Declarations of BP-324: read from YAML, printed, read again. */
#include "model/declarations.h"

#include "check.h"
#include "doc/reader.h"

#include <stdlib.h>

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
    struct world *w = *state;
    arena_fini(&w->arena);
    free(w);
    return 0;
}

static const struct providers *read_text(struct world *w, sv text) {
    struct source *source = sources_add(&w->sources, SV("declared.yaml"), text);
    struct doc_stream *stream = doc_read(&w->arena, source, &doc_options_blueprint, &w->diags);
    return declarations_from_node(&w->arena, stream->documents.items[0].root, &w->diags);
}

static sv print(struct world *w, const struct providers *p) {
    struct buf out = BUF(&w->arena);
    struct jsonw j = JSONW(&out, 0);
    providers_write_json(&j, p, (sv){0});
    return buf_get_sv(&out);
}

static const char everything[] =
    "resources:\n"
    "  b/thing:\n"
    "    description: Things\n"
    "    idField: id\n"
    "    destroyBeforeCreate: true\n"
    "    stabilisedDependencies: [b/other]\n"
    "    linksTo: [b/other]\n"
    "    schema:\n"
    "      type: object\n"
    "      required: [name]\n"
    "      attributes:\n"
    "        id: {type: string, computed: true}\n"
    "        name: {type: string, minLength: 1, pattern: '^a'}\n"
    "        tags: {type: map, mapValues: {type: string}}\n"
    "        free: {type: map}\n"
    "  b/other: {endPoint: true, schema: {type: object, attributes: {}}}\n"
    "  a/x/y: {}\n"
    "datasources:\n"
    "  b/data:\n"
    "    schema: {type: object, attributes: {name: {type: string}, size: {type: float}}}\n"
    "    filterFields: {name: [=, starts with], size: ['>']}\n"
    "    exclusive: [[name, size]]\n"
    "links:\n"
    "  b/thing::b/other:\n"
    "    kind: hard\n"
    "    priority: b\n"
    "    cardinality: {a: [1, 3], b: [0, 0]}\n"
    "    annotations: {b.<resourceName>.n: {side: both, type: integer, allowedValues: [1, 2], required: true}}\n"
    "    provides: [net]\n"
    "    requires: [disk]\n"
    "  b/other::b/thing: {kind: soft}\n"
    "variableTypes:\n"
    "  b/size: {options: {small: t2.micro, large: t2.large}}\n"
    "functions:\n"
    "  zeta: {parameters: [{name: x, type: string}, {name: more, type: any, optional: true, variadic: true}],"
    " result: integer}\n"
    "  alpha: {}\n";

static void everything_is_read(void **state) {
    struct world *w = *state;
    const struct providers *p = read_text(w, SV(everything));
    assert_int_equal(w->diags.errors, 0);
    assert_non_null(p);
    const struct resource_type *thing = providers_find_type(p, SV("b/thing"));
    CHECK_SV(thing->summary, "Things");
    CHECK_SV(thing->id_field, "id");
    assert_true(thing->destroy_before_create && !thing->end_point);
    CHECK_SV(thing->links_to[0], "b/other");
    CHECK_SV(thing->stabilised_dependencies[0], "b/other");
    assert_null(thing->create);
    assert_true(providers_find_type(p, SV("b/other"))->end_point);
    assert_non_null(providers_find_type(p, SV("a/x/y")));
    assert_non_null(providers_find(p, SV("a")));
    const struct data_type *data = providers_find_data(p, SV("b/data"));
    assert_int_equal(data->filter_field_count, 2);
    CHECK_SV(data->filter_fields[0].field, "name");
    assert_int_equal(data->filter_fields[0].operators, 1u << FILTER_EQUALS | 1u << FILTER_STARTS_WITH);
    CHECK_SV(data->exclusive[0][1], "size");
    assert_int_equal(data->exclusive[0][2].len, 0);
    const struct link_type *link = providers_find_link(p, SV("b/thing"), SV("b/other"));
    assert_true(link->hard && link->priority == LINK_SIDE_B);
    assert_int_equal(link->cardinality_a.max, 3);
    assert_int_equal(link->annotations[0].side, LINK_SIDE_BOTH);
    assert_int_equal(link->annotations[0].type, SCHEMA_INTEGER);
    CHECK_SV(sv_from_cstr(link->annotations[0].allowed_json), "[1,2]");
    CHECK_SV(link->provides[0], "net");
    CHECK_SV(link->requires[0], "disk");
    assert_false(providers_find_link(p, SV("b/other"), SV("b/thing"))->hard);
    const struct variable_type *size = providers_find_variable_type(p, SV("b/size"));
    CHECK_SV(size->options[1].label, "large");
    CHECK_SV(value_get_text(size->options[1].item), "t2.large");
    const struct fn_table *functions = providers_find(p, SV(""))->functions;
    CHECK_SV(functions->defs[0]->name, "alpha");
    const struct fn_def *zeta = functions->defs[1];
    assert_int_equal(zeta->param_count, 2);
    assert_int_equal(zeta->params[1].flags, FN_OPTIONAL | FN_VARIADIC);
    assert_ptr_equal(zeta->result, &type_int);
    assert_null(zeta->call);
}

/* BP-324: what is printed reads back to the same. */
static void what_is_printed_reads_back(void **state) {
    struct world *w = *state;
    sv first = print(w, read_text(w, SV(everything)));
    sv second = print(w, read_text(w, first));
    assert_int_equal(w->diags.errors, 0);
    CHECK_SV(second, first.data);
    sv wrapped = arena_printf(&w->arena, "{\"formatVersion\": 1, \"declarations\": %.*s}", SV_ARG(first));
    CHECK_SV(print(w, read_text(w, wrapped)), first.data);
}

/* BP-306 for the names of 1.5 and 1.7. */
static void close_names_are_offered(void **state) {
    struct world *w = *state;
    const struct providers *p = read_text(w, SV(everything));
    CHECK_SV(providers_find_close_data(p, SV("b/date")), "b/data");
    CHECK_SV(providers_find_close_variable_type(p, SV("b/sise")), "b/size");
    assert_int_equal(providers_find_close_data(p, SV("something/else")).len, 0);
    assert_null(providers_find_data(p, SV("b/date")));
    assert_null(providers_find_data(NULL, SV("b/data")));
    assert_null(providers_find_variable_type(p, SV("b/data")));
}

static void joined_providers_are_asked_in_order(void **state) {
    struct world *w = *state;
    const struct providers *one = read_text(w, SV("resources: {x/a: {description: one}, x/b: {}}\n"));
    const struct providers *two = read_text(w, SV("resources: {x/a: {description: two}, x/c: {}}\n"));
    const struct providers *both = providers_join(&w->arena, two, one);
    CHECK_SV(providers_find_type(both, SV("x/a"))->summary, "two");
    assert_non_null(providers_find_type(both, SV("x/b")));
    assert_non_null(providers_find_type(both, SV("x/c")));
    assert_ptr_equal(providers_join(&w->arena, NULL, one), one);
    assert_ptr_equal(providers_join(&w->arena, one, NULL), one);
    const struct providers *none = read_text(w, SV("# nothing\n"));
    assert_int_equal(none->count, 0);
}

/* Each mistake is told at its place. */
static void mistakes_are_located(void **state) {
    struct world *w = *state;
    static const struct {
        const char *text, *place, *message;
    } rows[] = {
        {"[]", "[]", "a file of declarations must be a mapping"},
        {"resource: {}", "resource", "a file of declarations has no key 'resource'"},
        {"resources: 5", "5", "'resources' must be a mapping"},
        {"resources: {x/a: {idfield: n}}", "idfield", "a resource type has no key 'idfield'"},
        {"resources: {thing: {}}", "thing", "types are named as in 'provider/type', not 'thing'"},
        {"resources: {a/b/: {}}", "a/b/", "types are named as"},
        {"resources: {a/b/c/d: {}}", "a/b/c/d", "types are named as"},
        {"resources: {x/a: {endPoint: yes}}", "yes", "true or false"},
        {"resources: {x/a: {linksTo: y/b}}", "y/b", "a list of names must be an array"},
        {"resources: {x/a: {linksTo: [5]}}", "5", "a string is wanted here"},
        {"resources: {x/a: {schema: {type: text}}}", "text", "there is no schema type"},
        {"resources: {x/a: {schema: {type: string}}}", "{type: string}", "must be of type 'object'"},
        {"resources: {x/a: {idField: id, schema: {type: object, attributes: {}}}}", "x/a", "has no id field 'id'"},
        {"datasources: {x/a: {filterFields: {n: [==]}}}", "==", "there is no filter operator '=='"},
        {"datasources: {x/a: {filterFields: {n: []}}}", "[]", "needs an operator"},
        {"datasources: {x/a: {filterFields: {'a[': ['=']}}}", "'a['", "no path of a field"},
        {"datasources: {x/a: {exclusive: [[n]]}}", "[n]", "at least two"},
        {"links: {x/a: {}}", "x/a", "links are named as"},
        {"links: {x/a::x/b: {}}", "x/a::x/b", "needs a 'kind'"},
        {"links: {x/a::x/b: {kind: firm}}", "firm", "'hard' or 'soft'"},
        {"links: {x/a::x/b: {kind: soft, priority: a}}", "x/a::x/b", "only a hard link"},
        {"links: {x/a::x/b: {kind: hard, priority: both}}", "both", "a side is 'a' or 'b'"},
        {"links: {x/a::x/b: {kind: soft, cardinality: {a: [3, 1]}}}", "[3, 1]", "a cardinality is"},
        {"links: {x/a::x/b: {kind: soft, cardinality: {a: [-1, 1]}}}", "[-1, 1]", "a cardinality is"},
        {"links: {x/a::x/b: {kind: soft, annotations: {k: {type: object}}}}", "object", "the type of an annotation"},
        {"links: {x/a::x/b: {kind: soft, annotations: {k: {allowedValues: 1}}}}", "1", "must be an array"},
        {"variableTypes: {x/a: {options: {l: [1]}}}", "[1]", "the value of an option"},
        {"variableTypes: {x/a: {options: {l: null}}}", "null", "the value of an option"},
        {"functions: {1x: {}}", "1x", "a function cannot be named '1x'"},
        {"functions: {f: {result: strnig}}", "strnig", "there is no type 'strnig'"},
        {"functions: {f: {parameters: [{type: any}]}}", "{type: any}", "needs a 'name'"},
        {"functions: {f: {parameters: [{name: a, variadic: true}, {name: b}]}}",
         "[{name: a, variadic: true}, {name: b}]", "only the last"},
        {"functions: {f: {parameters: [{name: a, optional: true}, {name: b}]}}",
         "[{name: a, optional: true}, {name: b}]", "all are optional"},
        {"resources: {x/a: {}, x/a: {}}", "x/a", "x/a"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        diags_init(&w->diags, &w->arena, &w->sources);
        assert_null(read_text(w, sv_from_cstr(rows[i].text)));
        const struct diag *d = w->diags.items.len > 0 ? w->diags.items.items[0] : NULL;
        struct source *s = d == NULL ? NULL : sources_find(&w->sources, d->at.source);
        if (d == NULL || s == NULL) {
            fail_msg("'%s' has no located error", rows[i].text);
            return;
        }
        CHECK_SV(sv_slice(s->bytes, d->at.offset, d->at.offset + d->at.length), rows[i].place);
        if (sv_find(d->message, sv_from_cstr(rows[i].message)) == SIZE_MAX) {
            fail_msg("'%s' is not in '%.*s'", rows[i].message, SV_ARG(d->message));
        }
    }
}

/* Many types, and an endlessly nested schema end in bounded time. */
static void size_is_bounded(void **state) {
    struct world *w = *state;
    struct buf many = BUF(&w->arena), deep = BUF(&w->arena);
    buf_append_cstr(&many, "resources:\n");
    for (int i = 0; i < 20000; i++) {
        buf_printf(&many, "  p%d/t%d: {}\n", i % 100, i);
    }
    const struct providers *p = read_text(w, buf_get_sv(&many));
    assert_non_null(p);
    assert_int_equal(p->count, 100);
    for (int i = 0; i < 20000; i += 17) {
        sv name = arena_printf(&w->arena, "p%d/t%d", i % 100, i);
        assert_non_null(providers_find_type(p, name));
    }
    buf_append_cstr(&deep, "resources: {x/a: {schema: ");
    for (int i = 0; i < 100000; i++) {
        buf_append_cstr(&deep, "{type: array, items: ");
    }
    assert_null(read_text(w, buf_get_sv(&deep)));
    assert_true(diags_has_errors(&w->diags));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(everything_is_read, set_up, tear_down),
        cmocka_unit_test_setup_teardown(what_is_printed_reads_back, set_up, tear_down),
        cmocka_unit_test_setup_teardown(close_names_are_offered, set_up, tear_down),
        cmocka_unit_test_setup_teardown(joined_providers_are_asked_in_order, set_up, tear_down),
        cmocka_unit_test_setup_teardown(mistakes_are_located, set_up, tear_down),
        cmocka_unit_test_setup_teardown(size_is_bounded, set_up, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
