#include "lang/blueprint/harness.h"

#include "lang/blueprint/test_provider.h"
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
    sources_init(&h->sources, &h->arena);
    diags_init(&h->diags, &h->arena, &h->sources);
}

void harness_load_source(struct harness *h, struct source *source) {
    struct template_input inputs[MAX_INPUTS] = {0};
    size_t count = 0;
    sv rest = source->bytes, text = source->bytes;
    h->source = source;
    while (rest.len > 0 && count < MAX_INPUTS) {
        count += read_input(h, sv_cut(&rest, '\n'), &inputs[count]);
    }
    struct load_request r = {.arena = &h->arena,
                             .sources = &h->sources,
                             .diags = &h->diags,
                             .limits = &h->limits,
                             .providers = sv_find(text, SV("# no-providers")) == SIZE_MAX ? h->providers : NULL,
                             .file = source->name,
                             .source = source,
                             .inputs = inputs,
                             .input_count = count,
                             .check_inputs = sv_find(text, SV("# check-inputs")) != SIZE_MAX};
    h->template = blueprint_load(&r);
}

bool harness_load(struct harness *h, const char *path) {
    struct source *source = NULL;
    harness_init(h, &test_providers);
    if (sources_read_file(&h->sources, sv_from_cstr(path), h->limits.document_bytes, &source, NULL) != SOURCE_READ_OK) {
        return false;
    }
    harness_load_source(h, source);
    return true;
}

void harness_fini(struct harness *h) {
    arena_fini(&h->arena);
}
