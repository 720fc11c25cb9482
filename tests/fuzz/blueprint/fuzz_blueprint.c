/* A whole blueprint from hostile bytes: loaded and checked against declared types, and evaluated when it is sound. The
 * first byte chooses the format. */
#include "lang/blueprint/test_provider.h"

#include "dialects/blueprint/blueprint.h"
#include "doc/reader.h"
#include "text/render.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void evaluate(const struct template *t, struct diags *diags, struct arena *a, const struct limits *limits) {
    struct evaluation e = {.template = t, .arena = a, .diags = diags};
    t->ops->start_evaluation(t, &e, &(const struct evaluation_request){.limits = limits});
    for (size_t i = 0; i < t->element_count; i++) {
        value v = eval_cell(e.evaluator, &e.cells[i].main);
        value_print_json(a, v, 0, REDACT);
        eval_cell(e.evaluator, e.cells[i].display_name);
        eval_cell(e.evaluator, e.cells[i].annotations);
        eval_cell(e.evaluator, e.cells[i].custom);
    }
}

static unsigned get_format(uint8_t first) {
    return first == '{' || first == '[' ? DOC_JSONC : DOC_YAML;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    struct arena arena = {0};
    struct sources sources;
    struct diags diags;
    struct limits limits = limits_default;
    limits.eval_steps = 100000;
    limits.result_text = 1 << 16;
    limits.result_items = 1000;
    sources_init(&sources, &arena);
    diags_init(&diags, &arena, &sources);
    sv bytes = arena_copy_sv(&arena, sv_make((const char *)data, size));
    struct load_request r = {.arena = &arena,
                             .sources = &sources,
                             .diags = &diags,
                             .limits = &limits,
                             .providers = &test_providers,
                             .file = SV("-"),
                             .format = get_format(size > 0 ? data[0] : 0),
                             .source = sources_add(&sources, SV("fuzz"), bytes)};
    struct template *t = blueprint_load(&r);
    if (t != NULL && diags.errors == 0) {
        evaluate(t, &diags, &arena, &limits);
    }
    struct buf out = BUF(&arena);
    struct render_options options = {0};
    render_diags(&out, &diags, &options);
    arena_fini(&arena);
    return 0;
}
