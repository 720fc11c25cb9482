/* Whole blueprints with all features: the bytes are choices of a generator (generate.h). Each is loaded with declared
 * types and children, expanded, evaluated and rendered; every other one is planned as a new instance as well. */
#include "fuzz/blueprint/generate.h"

#include "dialects/blueprint/blueprint.h"
#include "doc/reader.h"
#include "engine/run.h"
#include "lang/blueprint/test_fetcher.h"
#include "lang/blueprint/test_host.h"
#include "lang/blueprint/test_provider.h"
#include "model/declarations.h"
#include "stores/memory/memory.h"
#include "text/render.h"

#include <assert.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

struct fuzz_run {
    struct arena arena;
    struct sources sources;
    struct diags diags;
    struct limits limits;
    struct host host;
    struct run_record record;
    struct test_fetcher fetcher;
    const struct providers *providers;
    struct source *source;
};

static void init(struct fuzz_run *f, const uint8_t *data, size_t size) {
    f->limits = limits_default;
    f->limits.eval_steps = 20000;
    f->limits.result_text = 1 << 14;
    f->limits.result_items = 500;
    f->host = test_host;
    sources_init(&f->sources, &f->arena);
    diags_init(&f->diags, &f->arena, &f->sources);
    record_init(&f->record, &f->arena, test_host_ms);
    struct source *types = sources_add(&f->sources, SV("types.yaml"), sv_from_cstr(generate_declarations));
    struct doc_stream *stream = doc_read(&f->arena, types, &doc_options_yaml, &f->diags);
    const struct providers *declared = declarations_from_node(&f->arena, stream->documents.items[0].root, &f->diags);
    assert(declared != NULL && f->diags.errors == 0);
    f->providers = providers_join(&f->arena, &test_providers, declared);
    sv text = generate_blueprint(&f->arena, data, size);
    sv root = test_fetcher_init(&f->fetcher, &f->arena, text);
    f->source = sources_add(&f->sources, SV("fuzz.yaml"), arena_copy_sv(&f->arena, root));
}

/* What a data source would find: text in every field. */
static value find_data(void *user, struct evaluation *e, uint32_t element, const value *searches) {
    const struct element *data = &e->template->elements[element];
    struct map_builder map = {.arena = e->arena};
    (void)user;
    for (size_t i = 0; i < data->field_count; i++) {
        bool is_list = data->fields[i].type != NULL && data->fields[i].type->kind == TYPE_LIST;
        value item = value_string(e->arena, SV("found"));
        map_add(&map, data->fields[i].name, is_list ? value_list_of(e->arena, &item, 1) : item);
    }
    return data->filter_count > 0 && searches[0].kind == VALUE_UNKNOWN ? value_unknown(NULL) : map_done(&map);
}

static void evaluate(struct fuzz_run *f, const struct template *t, bool tolerant) {
    struct evaluation_request world = {
        .host = &f->host, .limits = &f->limits, .record = &f->record, .fetcher = &f->fetcher.fetcher};
    struct expand_request r = {
        .arena = &f->arena, .diags = &f->diags, .world = world, .demand_data = find_data, .tolerant = tolerant};
    t = template_expand(t, &r);
    if (t == NULL) {
        return;
    }
    struct evaluation e = {.template = t, .arena = &f->arena, .diags = &f->diags, .demand_data = find_data};
    t->ops->start_evaluation(t, &e, &world);
    for (uint32_t i = 0; i < t->element_count; i++) {
        value holds = template_find_condition(&e, i);
        if (holds.kind == VALUE_ERROR || (holds.kind == VALUE_BOOL && !holds.boolean)) {
            continue;
        }
        value v = eval_cell(e.evaluator, &e.cells[i].main);
        value_print_json(&f->arena, v, 0, REDACT);
        eval_cell(e.evaluator, e.cells[i].display_name);
        eval_cell(e.evaluator, e.cells[i].annotations);
        eval_cell(e.evaluator, e.cells[i].custom);
        if (t->elements[i].kind == ELEMENT_RESOURCE && v.kind == VALUE_MAP && t->ops->recheck_spec != NULL) {
            t->ops->recheck_spec(t, &e, i, v);
        }
    }
}

/* Declared types have no operations: whatever they would be asked is unknown. */
static void stage(struct fuzz_run *f, struct template *t) {
    struct store_options options = {.diags = &f->diags, .host = &f->host};
    struct store *store = memory_store_open(&f->arena, &options);
    struct run_config config = {.arena = &f->arena,
                                .diags = &f->diags,
                                .limits = &f->limits,
                                .store = store,
                                .providers = f->providers,
                                .host = &f->host,
                                .fetcher = &f->fetcher.fetcher,
                                .context = SV("default"),
                                .instance_name = SV("fuzz"),
                                .actor_command = SV("fuzz"),
                                .parallel = 10,
                                .lease_ttl_ms = 60000,
                                .refresh = true};
    enum exit_code code;
    struct plan *plan = run_plan(&config, t, false, NULL, 0, &code);
    if (plan != NULL) {
        struct buf out = BUF(&f->arena);
        struct jsonw w = {.out = &out};
        plan_write_json(&w, plan, NULL);
    }
    store->ops->close(store);
}

static void load(struct fuzz_run *f, bool tolerant) {
    struct load_request r = {.arena = &f->arena,
                             .sources = &f->sources,
                             .diags = &f->diags,
                             .limits = &f->limits,
                             .providers = f->providers,
                             .host = &f->host,
                             .fetcher = &f->fetcher.fetcher,
                             .record = &f->record,
                             .file = SV("fuzz.yaml"),
                             .source = f->source};
    struct template *t = blueprint_load(&r);
    if (t != NULL && f->diags.errors == 0) {
        evaluate(f, t, tolerant);
    }
    if (t != NULL && f->diags.errors == 0 && !tolerant) {
        stage(f, t);
    }
    struct buf out = BUF(&f->arena);
    struct render_options options = {0};
    render_diags(&out, &f->diags, &options);
    assert(sv_find(buf_get_sv(&out), SV("s3cret-word")) == SIZE_MAX);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    struct fuzz_run f = {0};
    init(&f, data, size);
    load(&f, size % 2 == 0);
    arena_fini(&f.arena);
    return 0;
}
