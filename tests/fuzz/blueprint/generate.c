#include "fuzz/blueprint/generate.h"

#include "base/jsonw.h"

#include <assert.h>

enum { MAX_DEPTH = 12, MAX_TEXT = 1 << 16 };

/* A kind of text with its forms. In a form `%x` stands for a text of kind x, `%0` for a digit, `%#` for the next
 * number, `%!N` sets the layer. What a form begins with limits it: `1` to `3` are the layers from which on it refers to
 * nothing that refers back (values, then data sources and children, then resources), `@` stands in templates only, `!`
 * is mostly wrong. In wild blueprints all are taken. The first form ends every recursion. */
struct kind {
    char letter;
    bool quoted; /* as a JSON string, which YAML reads as well */
    const char *const *forms;
};

#define FORMS(...) ((const char *const[]){__VA_ARGS__, NULL})

static const struct kind kinds[] = {
    /* --- expressions: strings, integers, booleans, arrays, objects, functions, anything --- */
    {'S', false,
     FORMS("variables.s0", "\"lit\"", "'li}\"t'", "\"\\\"${\"", "variables.s1", "1values.s2", "trim(%S)",
           "to_upper(%S)", "join(list(%S, %N, %B), %S)", "substr(%S, %0)", "substr(%S, 1, %N)", "replace(%S, %S, %S)",
           "if(%B, %S, %S)", "first(%S, %X, %S)", "coalesce(none, %S)", "3r0.spec.name", "3r1.spec.text",
           "3r0.state.name", "3resources.r0.spec.id", "3r0", "3t0[%0].spec.name", "3t0[].state.id",
           "3r0.metadata.displayName", "3r0.metadata.labels.app", "3r0.metadata.custom.k",
           "3link(\"r2\", r3).linkData.x", "@elem.name", "@elem[\"name\"]", "2datasources.d0.networkId",
           "2datasources.d0.subnets[%0]", "2children.c0.e0", "2children.c0.e1.k", "cwd()", "workingDir",
           "datetime(\"rfc3339\")", "uuid()", "sha256(%S)", "base64encode(%S)", "utf8(base64decode(\"SGk=\"))",
           "jsondecode(variables.l0)[%0].name", "fromjson(variables.l0, \"/0/name\")", "lookup(%O, %S, %S)",
           "split(%S, %S)[%0]", "map(list(%S), %F)[0]", "1values.o2.k", "!values.o2[\"odd.key\"]", "variables.region",
           "cidrsubnet(\"10.0.0.0/8\", 8, %0)", "reduce(list(%S), coalesce, %S)", "sky_word(%O)",
           "!substr(s = %S, start = 1)", "!none", "!file(%S)", "!http_resource(%S)", "!elem", "!r%0.spec.name",
           "!r%0[%0].spec.name", "!children.c%0.e%0")},
    {'N', false,
     FORMS("variables.n0", "7", "-1", "9223372036854775807", "1values.n2", "len(%S)", "len(%A)", "len(%O)",
           "max(%N, %N)", "min(%N, %N)", "abs(%N)", "index(%S, %S)", "last_index(%S, %S)", "if(%B, %N, %N)", "@i",
           "@elem.n", "3r0.spec.count", "3r0.spec.port", "3r0.spec.size", "3t0[0].spec.size",
           "reduce(list(%N, %N), max, %N)", "first(none, %N)", "!1.5", "!none", "!elem", "!i")},
    {'B', false,
     FORMS("variables.b0", "true", "false", "1values.b2", "eq(%S, %S)", "eq(%N, %N)", "eq(%A, %A)", "and(%B, %B)",
           "or(%B, %B)", "not(%B)", "contains(%A, %X)", "contains(%S, %S)", "has_prefix(%S, %S)", "gt(%N, %N)",
           "le(%N, %N)", "if(%B, %B, %B)", "3eq(r0.spec.id, %S)", "!r%0.spec.on", "!none", "!eq(%X, %X)")},
    {'A', false,
     FORMS("list()", "1values.a2", "list(%X, %X)", "list(%S, %S, %S)", "split(%S, %S)", "map(list(%S, %S), %F)",
           "filter(list(%S, %S), has_prefix_g(%S))", "flatmap(list(%S), split_g(%S))", "keys(%O)", "vals(%O)",
           "jsondecode(variables.l0)", "2datasources.d0.subnets", "2children.c0.e2", "3r0.spec.words", "if(%B, %A, %A)",
           "jsondecode(\"[1,[2],null]\")", "map(list(%N), abs)", "!map(%A, %F)", "!sort(%A, %F)", "!elem", "!%X")},
    {'O', false,
     FORMS("object()", "1values.o2", "object(k = %X)", "object(k = %S, b = %O)", "jsondecode(variables.l0)[0]",
           "2children.c0.e1", "3r0.spec.tags", "3r0.metadata.custom", "@elem", "if(%B, %O, %O)", "!r%0.spec.inner",
           "!%X")},
    {'F', false,
     FORMS("trim", "to_upper", "substr_g(0, %0)", "replace_g(%S, %S)", "compose(%F, %F)", "pipe(%F, %F)",
           "trimprefix_g(%S)", "!getattr(%S)", "!getelem(%0)", "!max", "!and", "!len", "!fromjson_g(%S)", "!uuid",
           "!if", "!nothing", "!%X")},
    {'X', false,
     FORMS("none", "%S", "%N", "%B", "%A", "%O", "1.0", "!variables", "!values.zz", "!variables.s0.x", "!children",
           "!%F", "!i2", "!trueValue", "!")},
    /* --- texts --- */
    {'s', true, FORMS("x", "${%S}", "${%S}", "a-${%S}", "${%N}", "b${%S}c", "$${%S}", "é😀", "!${%X}", "!${%S", "!${}")},
    {'n', true, FORMS("${variables.n0}", "${%N}", "${%N}", "\n${%N} ", "!${%X}", "!1${%N}", "!5")},
    {'b', true, FORMS("${true}", "${%B}", "${%B}", "!${%X}", "!true")},
    {'a', true, FORMS("${list()}", "${%A}", "${%A}", "${%A} ", "!${%X}")},
    {'o', true, FORMS("${object()}", "${%O}", "${%O}", "!${%X}")},
    {'f', true,
     FORMS("core.yaml", "./core.yaml", "${cwd()}/core.yaml", "${variables.s0}.yaml", "!more.yaml", "!root.yaml",
           "!${%S}", "!")},
    /* --- YAML in flow style --- */
    {'m', false, FORMS("{}", "%o", "{k: %s, odd.key: %n}", "{k: %l, b: %m}", "{k: %s, z: null}", "![1]")},
    {'w', false, FORMS("{}", "{k: %s, odd.key: %s}", "{k: %s}", "!%m")},
    {'l', false, FORMS("[]", "%a", "[%s, %n]", "[%m, %m]", "[{name: %s, n: 1}, {name: y, n: %n}]")},
    {'j', true,
     FORMS("${jsondecode(variables.l0)}", "${list(object(name = %S, n = 1))}", "${list()}", "${values.e2}", "!${%X}")},
    {'C', false, FORMS("%b", "{and: [%C, %C]}", "{or: [%C]}", "{not: %C}", "!{or: []}", "!{and: [%C], not: %C}", "!x")},
    {'L', false, FORMS("app: shop", "app: shop, tier: data", "!app: other", "!tier: 5")},
    {'P', false,
     FORMS("\"=\"", "\"!=\"", "contains", "starts with", "not contains", "!in", "!has key", "!\">\"", "!nope")},
    {'E', false,
     FORMS("values.s2", "r0.spec.name", "resources.r0.state.id", "variables.s0", "datasources.d0.networkId",
           "children.c0.e0", "t0[0].spec.name", "!values.o2.k", "!trim(x)", "!elem")},
    /* --- fields and elements --- */
    {'c', false, FORMS("", "", "    condition: %C\n")},
    {'g', false,
     FORMS("    metadata: {displayName: %s, labels: {app: shop}, custom: {k: %s}}\n",
           "    metadata: {displayName: %s, labels: {app: shop, tier: data}, annotations: {some.key: %s, other: %n}, "
           "custom: {k: %s}}\n",
           "!    metadata: {labels: {%L}, annotations: {base.owner: %m}}\n")},
    {'d', false,
     FORMS("", "", "    dependsOn: [r0]\n", "    dependsOn: t0\n", "    removalPolicy: retain\n",
           "    description: %s\n", "!    dependsOn: [r%0]\n")},
    {'t', false,
     FORMS("{name: %s}", "{name: %s, count: %n, on: %b, tags: %w}",
           "{name: %s, words: [%s], inner: {a: %s, b: %n}, password: %s}",
           "{name: %s, size: %n, either: %n, note: %s, mode: a}", "!%m")},
    {'q', false,
     FORMS("    metadata: {labels: {app: peer%#}}\n    linkSelector: {byLabel: {app: peer1}}\n",
           "    metadata: {labels: {app: peer1}}\n")},
    {'R', false,
     FORMS("", "  x%#:\n    type: test/plain\n%c%d%g    spec: {text: %s}\n",
           "  x%#:\n    type: test/thing\n%c%d%g    spec: %t\n",
           "  x%#:\n    type: test/plain\n%!1    each: %j\n%!4%c%g    spec: {text: %s}\n%!3",
           "  x%#:\n    type: test/peer\n%q    spec: {}\n",
           "  x%#:\n    type: lintel/blueprint\n%c%d    spec: {path: %f, variables: {s0: %s, n0: %n}}\n",
           "!  x0:\n    type: sky/none\n    spec: %m\n")},
    {'V', false,
     FORMS("", "  x%#: {type: string, default: x, allowedValues: [x, y]}\n", "  x%#: {type: float, default: 1}\n",
           "!  x%#: {type: sky/regoin}\n", "!  x%#: {type: float, default: %n}\n")},
    {'D', false,
     FORMS("  d0: {type: sky/network, filter: {field: name, operator: \"=\", search: %s}, exports: {networkId: {type: "
           "string}, "
           "subnets: {type: array}}}\n",
           "  d0: {type: sky/network, filter: {field: name, operator: %P, search: %s}, exports: \"*\", metadata: "
           "{displayName: %s}}\n",
           "  d0: {type: sky/network, filter: [{field: name, operator: in, search: [%s, %s]}, {field: size, operator: "
           "\">\", search: "
           "%n}], exports: {subnets: {type: array}, networkId: {type: string}, id: {type: string, aliasFor: "
           "networkId}}}\n")},
    {'I', false,
     FORMS("  c0: {path: core.yaml}\n", "  c0: {path: %f, variables: {s0: %s, n0: %n}}\n",
           "  c0: {path: %f, variables: {s0: %s, n0: %n}, description: %s}\n",
           "!  c0: {path: %f, metadata: {sourceType: https, host: %s}, variables: {zz: %s}}\n")},
    {'M', false, FORMS("", "metadata: {k: %s, deep: %m}\n")},
    {'T', false, FORMS("", "!transform: nothing-2025\n", "!strange: key\n")},
    {'Z', false,
     FORMS("version: 2025-11-02\nvariables:\n  s0: {type: string, default: more}\n  n0: {type: integer, default: "
           "3}\n  s1: {type: string, default: b}\n  b0: {type: boolean, default: true}\n  l0: {type: string, default: "
           "'[{\"name\":\"x\",\"n\":1}]'}\n  region: {type: sky/region, default: south}\nvalues:\n  s2: "
           "{type: string, value: \"${variables.s0}${variables.n0}\"}\n  a2: {type: array, value: [%s]}\n  o2: {type: "
           "object, value: {k: "
           "%s}}\nresources:\n  r0:\n    type: test/thing\n    spec: {name: %s}\nexports:\n  e0: {type: string, field: "
           "values.s2}\n  "
           "e1: {type: object, field: values.o2}\n  e2: {type: array, field: values.a2}\n")},
    {'Y', false,
     FORMS("version: 2025-11-02\n%Tvariables:\n  s0: {type: string, default: core}\n  s1: {type: string, secret: true, "
           "default: "
           "s3cret-word}\n  n0: {type: integer, default: 3}\n  b0: {type: boolean, default: true}\n  l0: {type: "
           "string, default: "
           "'[{\"name\":\"x\",\"n\":1},{\"name\":\"y\",\"n\":2}]'}\n  region: {type: sky/region, default: "
           "north}\n%V%V%!0values:\n  "
           "s2: {type: string, value: %s}\n  n2: {type: integer, value: %n}\n  b2: {type: boolean, value: %b}\n  a2: "
           "{type: array, "
           "value: %l}\n  o2: {type: object, value: %m}\n  e2: {type: array, value: [{name: %s, n: 1}, {name: z, n: "
           "%n}]}\n%!1datasources:\n%Dinclude:\n%I%!2resources:\n  r0:\n    type: test/thing\n%c%g    spec: %t\n  "
           "t0:\n    type: "
           "test/thing\n%!1    each: %j\n%!5%c%g    spec: %t\n%!2  r1:\n    type: test/plain\n%c%g    spec: {text: "
           "%s}\n  r2:\n    type: "
           "test/app\n    linkSelector: {byLabel: {%L}, exclude: [r1]}\n    spec: {text: %s}\n  r3:\n    type: "
           "test/base\n    metadata: "
           "{labels: {app: shop, tier: data}, annotations: {base.owner: %s}}\n    spec: {text: "
           "%s}\n%!3%R%R%R%R%!0exports:\n  e0: {type: "
           "string, field: %E}\n  e1: {type: object, field: values.o2}\n%!2%M#--- core.yaml\n%!0%Z#--- more.yaml\n%Z")},
};

const char generate_declarations[] =
    "datasources:\n"
    "  sky/network:\n"
    "    schema: {type: object, attributes: {networkId: {type: string}, subnets: {type: array, items: {type: "
    "string}}}}\n"
    "    filterFields: {name: [\"=\", \"!=\", in, not in, contains, starts with], size: [\">\", \"=\", in]}\n"
    "variableTypes:\n"
    "  sky/region: {options: {north: n-1, south: s-2}}\n"
    "functions:\n"
    "  sky_word: {parameters: [{name: config, type: object}], result: string}\n";

struct generator {
    const uint8_t *data;
    size_t size, at;
    unsigned number;
    char layer; /* '0' to '3'; in templates '4' (layer 3) and '5' (layer 2) */
    bool is_wild;
};

static size_t choose(struct generator *g, size_t count) {
    return count > 0 && g->at < g->size ? g->data[g->at++] % count : 0;
}

static const struct kind *find_kind(char letter) {
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        if (kinds[i].letter == letter) {
            return &kinds[i];
        }
    }
    assert(false && "a form names a kind that is not there");
    return NULL;
}

/* The form without its limit; NULL when the limit rules it out. */
static const char *find_form(const struct generator *g, const char *form) {
    bool is_template = g->layer > '3';
    char layer = g->layer == '4' ? '3' : g->layer == '5' ? '2' : g->layer;
    switch (form[0]) {
    case '!':
        return g->is_wild ? form + 1 : NULL;
    case '@':
        return g->is_wild || is_template ? form + 1 : NULL;
    case '1':
    case '2':
    case '3':
        return form[1] == '.' ? form : g->is_wild || layer >= form[0] ? form + 1 : NULL;
    default:
        return form;
    }
}

static void generate(struct generator *g, char letter, int depth, struct buf *out);

static void expand(struct generator *g, const char *form, int depth, struct buf *out) {
    for (const char *c = form; *c != '\0' && out->len < MAX_TEXT; c++) {
        if (*c != '%') {
            buf_append_char(out, *c);
        } else if (*++c == '#') {
            buf_printf(out, "%u", g->number++);
        } else if (*c == '!') {
            g->layer = *++c;
        } else if (*c == '0') {
            buf_append_char(out, (char)('0' + choose(g, 3)));
        } else {
            generate(g, *c, depth + 1, out);
        }
    }
}

static void generate(struct generator *g, char letter, int depth, struct buf *out) {
    const struct kind *kind = find_kind(letter);
    const char *forms[96];
    size_t count = 0;
    for (size_t i = 0; kind->forms[i] != NULL; i++) {
        const char *form = find_form(g, kind->forms[i]);
        assert(count < sizeof forms / sizeof *forms);
        if (form != NULL) {
            forms[count++] = form;
        }
    }
    assert(count > 0);
    const char *form = forms[depth < MAX_DEPTH ? choose(g, count) : 0];
    if (!kind->quoted) {
        expand(g, form, depth, out);
        return;
    }
    struct buf text = BUF(out->arena);
    expand(g, form, depth, &text);
    jsonw_quote(out, buf_get_sv(&text));
}

sv generate_blueprint(struct arena *a, const uint8_t *data, size_t size) {
    struct generator g = {.data = data, .size = size, .layer = '0'};
    struct buf out = BUF(a);
    g.is_wild = choose(&g, 4) == 3;
    generate(&g, 'Y', 0, &out);
    return buf_get_sv(&out);
}
