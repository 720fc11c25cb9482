#include "lang/blueprint/harness.h"

#include "doc/reader.h"
#include "lang/blueprint/test_host.h"
#include "lang/blueprint/test_provider.h"
#include "lang/blueprint/test_transforms.h"
#include "model/declarations.h"
#include "value/convert.h"

enum { MAX_INPUTS = 32 };

bool harness_find_mark(sv *line, const char *mark, sv *text) {
    size_t at = sv_find(*line, sv_from_cstr(mark));
    if (at == SIZE_MAX) {
        return false;
    }
    *line = sv_slice(*line, at + strlen(mark), line->len);
    size_t next = sv_find(*line, SV(" # "));
    *text = sv_trim(sv_slice(*line, 0, next == SIZE_MAX ? line->len : next));
    return true;
}

static bool read_input(struct harness *h, sv line, struct template_input *input) {
    sv text = {0};
    bool is_text = harness_find_mark(&line, "# input: ", &text);
    if (!is_text && !harness_find_mark(&line, "# typed: ", &text)) {
        return false;
    }
    sv rest = text, why = {0};
    size_t offset = 0;
    input->name = sv_cut(&rest, '=');
    input->form = is_text ? INPUT_TEXT : INPUT_TYPED;
    input->item =
        is_text ? value_string(&h->arena, rest) : value_parse_json(&h->arena, rest, &h->limits, false, &why, &offset);
    struct source *made = sources_add(&h->sources, arena_printf(&h->arena, "--var %.*s", SV_ARG(input->name)), rest);
    input->at = span_make(made, 0, rest.len);
    return true;
}

void harness_init(struct harness *h, const struct providers *providers) {
    memset(h, 0, sizeof *h);
    h->limits = limits_default;
    h->providers = providers;
    h->host = test_host;
    record_init(&h->record, &h->arena, test_host_ms);
    sources_init(&h->sources, &h->arena);
    diags_init(&h->diags, &h->arena, &h->sources);
}

/* The first document of the file, as a source of its own when there are more. */
static struct source *split_documents(struct harness *h, struct source *source) {
    sv root = test_fetcher_init(&h->fetcher, &h->arena, source->bytes);
    return root.len == source->bytes.len ? source
                                         : sources_add(&h->sources, source->name, arena_copy_sv(&h->arena, root));
}

static struct source *find_schemas(struct harness *h, sv name) {
    const struct content *c = test_fetcher_find(&h->fetcher, name);
    struct source *source = NULL;
    if (c != NULL) {
        source = sources_add(&h->sources, name, c->bytes);
        source->origin = c;
        return source;
    }
    sv path = arena_printf(&h->arena, "%.*s%.*s", SV_ARG(h->directory), SV_ARG(name));
    sources_read_file(&h->sources, path, h->limits.document_bytes, &source, NULL);
    return source;
}

/* The providers with the types that the file asks for. A file that is not there is as if its types were not. */
static const struct providers *declare(struct harness *h) {
    sv text = h->text, name = {0};
    struct source *source =
        harness_find_mark(&text, "# schemas: ", &name) ? find_schemas(h, sv_trim(sv_cut(&name, '\n'))) : NULL;
    if (source == NULL) {
        return h->providers;
    }
    struct doc_stream *stream = doc_read(&h->arena, source, &doc_options_yaml, &h->diags);
    const struct providers *declared = declarations_from_node(&h->arena, stream->documents.items[0].root, &h->diags);
    return providers_join(&h->arena, h->providers, declared);
}

void harness_load_source(struct harness *h, struct source *source) {
    struct template_input inputs[MAX_INPUTS] = {0};
    size_t count = 0;
    sv rest = source->bytes, text = source->bytes;
    h->text = text;
    h->source = split_documents(h, source);
    while (rest.len > 0 && count < MAX_INPUTS) {
        count += read_input(h, sv_cut(&rest, '\n'), &inputs[count]);
    }
    const struct providers *providers = declare(h);
    struct transforms *transforms = ARENA_NEW(&h->arena, struct transforms);
    *transforms = test_transforms_make(&h->fetcher);
    struct load_request r = {.arena = &h->arena,
                             .sources = &h->sources,
                             .diags = &h->diags,
                             .limits = &h->limits,
                             .providers = sv_find(text, SV("# no-providers")) == SIZE_MAX ? providers : NULL,
                             .host = &h->host,
                             .fetcher = &h->fetcher.fetcher,
                             .transforms = transforms,
                             .no_transforms = sv_find(text, SV("# no-transforms")) != SIZE_MAX,
                             .file = h->source->name,
                             .source = h->source,
                             .inputs = inputs,
                             .input_count = count,
                             .check_inputs = sv_find(text, SV("# check-inputs")) != SIZE_MAX};
    h->template = blueprint_load(&r);
}

static value make_found(struct arena *a, const struct type *type) {
    enum type_kind kind = type != NULL ? type->kind : TYPE_STRING;
    if (kind == TYPE_LIST) {
        value item = make_found(a, type->item);
        return value_list_of(a, &item, 1);
    }
    return kind == TYPE_INT     ? value_int(1)
           : kind == TYPE_FLOAT ? value_float(1.5)
           : kind == TYPE_BOOL  ? value_bool(true)
                                : value_string(a, SV("found"));
}

static value find_data(void *user, struct evaluation *e, uint32_t element, const value *searches) {
    const struct element *data = &e->template->elements[element];
    struct map_builder map = {.arena = e->arena};
    (void)user;
    (void)searches;
    for (size_t i = 0; i < data->field_count; i++) {
        map_add(&map, data->fields[i].name, make_found(e->arena, data->fields[i].type));
    }
    return map_done(&map);
}

bool harness_evaluate(struct harness *h, struct evaluation *e) {
    if (h->template == NULL || h->diags.errors > 0) {
        return false;
    }
    struct evaluation_request world = {
        .host = &h->host, .limits = &h->limits, .record = &h->record, .fetcher = &h->fetcher.fetcher};
    bool is_staged = sv_find(h->text, SV("# staged")) != SIZE_MAX;
    bool is_found = sv_find(h->text, SV("# found")) != SIZE_MAX;
    struct expand_request r = {.arena = &h->arena,
                               .diags = &h->diags,
                               .world = world,
                               .demand_data = is_found ? find_data : NULL,
                               .tolerant = !is_staged};
    h->expanded = template_expand(h->template, &r);
    if (h->expanded == NULL) {
        return false;
    }
    *e = (struct evaluation){
        .template = h->expanded, .arena = &h->arena, .diags = &h->diags, .demand_data = r.demand_data};
    h->expanded->ops->start_evaluation(h->expanded, e, &world);
    return true;
}

size_t harness_get_line(struct harness *h, span at) {
    struct source *s = sources_find(&h->sources, at.source);
    return s != NULL && (s == h->source || s->origin != NULL) ? source_get_pos(s, at.offset).line : 0;
}

bool harness_load(struct harness *h, const char *path) {
    struct source *source = NULL;
    harness_init(h, &test_providers);
    size_t slash = sv_rfind_char(sv_from_cstr(path), '/');
    h->directory = sv_slice(sv_from_cstr(path), 0, slash == SIZE_MAX ? 0 : slash + 1);
    if (sources_read_file(&h->sources, sv_from_cstr(path), h->limits.document_bytes, &source, NULL) != SOURCE_READ_OK) {
        return false;
    }
    harness_load_source(h, source);
    return true;
}

void harness_fini(struct harness *h) {
    arena_fini(&h->arena);
}
