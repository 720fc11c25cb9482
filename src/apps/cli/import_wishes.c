#include "apps/cli/import_wishes.h"

#include "doc/reader.h"

static bool fail(struct cli *c, span at, const char *what) {
    struct diag *d = diags_add(&c->diags, DIAG_invalid_map, at, "%s", what);
    diag_set_hint(&c->diags, d, "a line is ADDRESS: ID, as in resources.config: /etc/app.conf");
    return false;
}

/* Ids are texts, whatever they look like: 007 stays 007. */
static bool add_pair(struct cli *c, const struct node_pair *pair, struct import_wishes *wishes) {
    if (!node_is_scalar(pair->key))
        return fail(c, pair->key->at, "the address of an object is a text");
    if (!node_is_scalar(pair->value) || pair->value->style == NODE_EMPTY)
        return fail(c, pair->value->at, "the id of an object is a text");
    struct import_wish wish = {.address = pair->key->text, .id = pair->value->text, .at = pair->key->at};
    VEC_PUSH(&c->arena, &wishes->items, wish);
    return true;
}

bool import_wishes_read(struct cli *c, sv path, struct import_wishes *wishes) {
    struct source *source = inputs_read_source(c, path);
    if (!source)
        return false;
    struct doc_options options = doc_options_blueprint;
    enum doc_format format = doc_find_format(path);
    options.format = format ? format : DOC_YAML;
    struct doc_stream *stream = doc_read(&c->arena, source, &options, &c->diags);
    if (stream->has_errors)
        return false;
    const struct node *root = stream->documents.items[0].root;
    bool ok = root->kind == NODE_MAPPING && root->count > 0;
    if (!ok)
        return fail(c, root->at, "what is to be imported is a mapping from addresses to ids");
    for (uint32_t i = 0; i < root->count; i++)
        ok = add_pair(c, &root->pairs[i], wishes) && ok;
    return ok;
}
