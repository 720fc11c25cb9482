/* Declared types from the files of --schemas (BP-324). */
#include "apps/cli/session.h"

#include "api/builtin.h"
#include "doc/reader.h"
#include "model/declarations.h"

static const struct providers *read_declarations(struct cli *c, sv path) {
    struct source *source = inputs_read_source(c, path);
    if (!source)
        return NULL;
    struct doc_options options = doc_options_blueprint;
    enum doc_format format = doc_find_format(path);
    options.format = format ? format : DOC_YAML;
    options.limits = &c->limits;
    struct doc_stream *stream = doc_read(&c->arena, source, &options, &c->diags);
    return stream->has_errors ? NULL : declarations_from_node(&c->arena, stream->documents.items[0].root, &c->diags);
}

bool schemas_load(struct cli *c, const struct providers **result) {
    const struct setting *setting = settings_find(c, SV("schemas"));
    bool ok = true;
    *result = &builtin_providers;
    for (size_t i = 0; setting && i < setting->texts.len; i++) {
        const struct providers *declared = read_declarations(c, setting->texts.items[i]);
        ok = ok && declared;
        *result = providers_join(&c->arena, declared, *result);
    }
    return ok;
}
