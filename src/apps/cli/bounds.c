#include "apps/cli/bounds.h"

#include "base/num.h"

enum bound {
    BOUND_ALIAS_NODES = 1,
    BOUND_DIAGNOSTICS,
    BOUND_DOCUMENT_BYTES,
    BOUND_DOWNLOAD_BYTES,
    BOUND_DOWNLOAD_MS,
    BOUND_EACH_INSTANCES,
    BOUND_ELEMENTS,
    BOUND_EVAL_STEPS,
    BOUND_EXPR_DEPTH,
    BOUND_FILE_BYTES,
    BOUND_INCLUDE_DEPTH,
    BOUND_LIST_ITEMS,
    BOUND_NESTING,
    BOUND_RESULT_ITEMS,
    BOUND_RESULT_TEXT,
    BOUND_VALUE_WEIGHT,
};

/* What a number may be at most: positions in a text are 32 bits, depths are levels of the stack of C. */
enum { MAX_COUNT = 1000000000, MAX_BYTES = 2000000000, MAX_DEPTH = 1000 };
#define MAX_STEPS INT64_C(1000000000000)

struct bound_row {
    sv name;
    int64_t max;
    enum bound bound;
};

/* sorted */
static const struct bound_row bounds[] = {
    {SV_INIT("alias-nodes"), MAX_COUNT, BOUND_ALIAS_NODES},
    {SV_INIT("diagnostics"), MAX_COUNT, BOUND_DIAGNOSTICS},
    {SV_INIT("document-bytes"), MAX_BYTES, BOUND_DOCUMENT_BYTES},
    {SV_INIT("download-bytes"), MAX_BYTES, BOUND_DOWNLOAD_BYTES},
    {SV_INIT("download-ms"), MAX_COUNT, BOUND_DOWNLOAD_MS},
    {SV_INIT("each-instances"), MAX_COUNT, BOUND_EACH_INSTANCES},
    {SV_INIT("elements"), MAX_COUNT, BOUND_ELEMENTS},
    {SV_INIT("eval-steps"), MAX_STEPS, BOUND_EVAL_STEPS},
    {SV_INIT("expr-depth"), MAX_DEPTH, BOUND_EXPR_DEPTH},
    {SV_INIT("file-bytes"), MAX_BYTES, BOUND_FILE_BYTES},
    {SV_INIT("include-depth"), MAX_DEPTH, BOUND_INCLUDE_DEPTH},
    {SV_INIT("list-items"), MAX_COUNT, BOUND_LIST_ITEMS},
    {SV_INIT("nesting"), MAX_DEPTH, BOUND_NESTING},
    {SV_INIT("result-items"), MAX_COUNT, BOUND_RESULT_ITEMS},
    {SV_INIT("result-text"), MAX_BYTES, BOUND_RESULT_TEXT},
    {SV_INIT("value-weight"), MAX_COUNT, BOUND_VALUE_WEIGHT},
};
enum { BOUND_COUNT = sizeof bounds / sizeof *bounds };

static bool parse(sv text, enum bound *bound, int64_t *n) {
    sv name = sv_cut(&text, '=');
    for (size_t i = 0; i < BOUND_COUNT; i++) {
        *bound = bounds[i].bound;
        if (sv_eq(bounds[i].name, name))
            return num_parse_i64(text, 10, n) == NUM_OK && *n > 0 && *n <= bounds[i].max;
    }
    return false;
}

bool bounds_is_valid(sv text) {
    enum bound bound;
    int64_t n;
    return parse(text, &bound, &n);
}

sv bounds_list_names(struct arena *a) {
    struct buf out = BUF(a);
    for (size_t i = 0; i < BOUND_COUNT; i++)
        buf_printf(&out, "%s%.*s", i > 0 ? ", " : "", SV_ARG(bounds[i].name));
    return buf_get_sv(&out);
}

static void put(struct limits *l, struct sources_limits *s, enum bound bound, int64_t n) {
    size_t size = (size_t)n;
    switch (bound) {
    case BOUND_ALIAS_NODES:
        l->alias_nodes = size;
        break;
    case BOUND_DIAGNOSTICS:
        l->diagnostics = size;
        break;
    case BOUND_DOCUMENT_BYTES:
        l->document_bytes = s->document_bytes = size;
        break;
    case BOUND_DOWNLOAD_BYTES:
        s->download_bytes = size;
        break;
    case BOUND_DOWNLOAD_MS:
        s->timeout_ms = n;
        break;
    case BOUND_EACH_INSTANCES:
        l->each_instances = size;
        break;
    case BOUND_ELEMENTS:
        l->elements = size;
        break;
    case BOUND_EVAL_STEPS:
        l->eval_steps = size;
        break;
    case BOUND_EXPR_DEPTH:
        l->expr_depth = size;
        break;
    case BOUND_FILE_BYTES:
        s->file_bytes = size;
        break;
    case BOUND_INCLUDE_DEPTH:
        l->include_depth = size;
        break;
    case BOUND_LIST_ITEMS:
        l->list_items = size;
        break;
    case BOUND_NESTING:
        l->nesting = size;
        break;
    case BOUND_RESULT_ITEMS:
        l->result_items = size;
        break;
    case BOUND_RESULT_TEXT:
        l->result_text = size;
        break;
    case BOUND_VALUE_WEIGHT:
        l->value_weight = size;
        break;
    }
}

static void apply(const struct cli *c, struct limits *l, struct sources_limits *s) {
    const struct setting *given = settings_find(c, SV("limit"));
    for (size_t i = 0; given && i < given->texts.len; i++) {
        enum bound bound;
        int64_t n;
        if (parse(given->texts.items[i], &bound, &n))
            put(l, s, bound, n);
    }
}

void bounds_apply(struct cli *c) {
    struct sources_limits unused = {0};
    apply(c, &c->limits, &unused);
    c->diags.limit = c->limits.diagnostics;
}

void bounds_apply_to_sources(const struct cli *c, struct sources_limits *limits) {
    struct limits unused = c->limits;
    apply(c, &unused, limits);
}
