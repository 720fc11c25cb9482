/* Several documents from hostile bytes: a blueprint with the children, files and transforms it names, cut as in the
 * rule files. Loaded, expanded and evaluated. */
#include "lang/blueprint/test_host.h"
#include "lang/blueprint/test_provider.h"
#include "lang/blueprint/test_transforms.h"

#include "dialects/blueprint/blueprint.h"
#include "doc/reader.h"
#include "text/render.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void evaluate(const struct template *loaded, struct diags *diags, struct arena *a,
                     const struct evaluation_request *world) {
    const struct expand_request r = {.arena = a, .diags = diags, .world = *world, .tolerant = true};
    const struct template *t = template_expand(loaded, &r);
    if (t == NULL) {
        return;
    }
    struct evaluation e = {.template = t, .arena = a, .diags = diags};
    t->ops->start_evaluation(t, &e, world);
    for (uint32_t i = 0; i < t->element_count; i++) {
        template_find_condition(&e, i);
        value_print_json(a, eval_cell(e.evaluator, &e.cells[i].main), 0, REDACT);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    struct arena arena = {0};
    struct sources sources;
    struct diags diags;
    struct run_record record;
    struct test_fetcher fetcher;
    struct host host = test_host;
    struct limits limits = limits_default;
    limits.eval_steps = 100000;
    limits.result_text = 1 << 16;
    limits.result_items = 1000;
    limits.elements = 10000;
    limits.each_instances = 100;
    sources_init(&sources, &arena);
    diags_init(&diags, &arena, &sources);
    record_init(&record, &arena, test_host_ms);
    sv root = test_fetcher_init(&fetcher, &arena, arena_copy_sv(&arena, sv_make((const char *)data, size)));
    struct transforms transforms = test_transforms_make(&fetcher);
    const struct load_request r = {.arena = &arena,
                                   .sources = &sources,
                                   .diags = &diags,
                                   .limits = &limits,
                                   .providers = &test_providers,
                                   .host = &host,
                                   .fetcher = &fetcher.fetcher,
                                   .transforms = &transforms,
                                   .file = SV("-"),
                                   .format = DOC_YAML,
                                   .source = sources_add(&sources, SV("fuzz"), arena_copy_sv(&arena, root))};
    struct template *t = blueprint_load(&r);
    if (t != NULL && diags.errors == 0) {
        const struct evaluation_request world = {
            .host = &host, .limits = &limits, .record = &record, .fetcher = &fetcher.fetcher};
        evaluate(t, &diags, &arena, &world);
    }
    struct buf out = BUF(&arena);
    struct render_options options = {0};
    render_diags(&out, &diags, &options);
    arena_fini(&arena);
    return 0;
}
