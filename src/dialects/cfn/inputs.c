/* What is given to a template. */
#include "dialects/cfn/inputs.h"

#include "doc/reader.h"
#include "value/convert.h"

struct cfn_inputs *cfn_inputs_new(struct arena *a, struct sources *sources, struct diags *diags) {
    struct cfn_inputs *in = ARENA_NEW(a, struct cfn_inputs);
    in->arena = a;
    in->sources = sources;
    in->diags = diags;
    in->given = cfn_memory_new(a);
    in->given->is_command_line = true;
    return in;
}

void cfn_inputs_put_parameter(struct cfn_inputs *in, sv name, value item, span at) {
    cfn_memory_put_parameter(in->given, name, item, at);
}

void cfn_inputs_put_export(struct cfn_inputs *in, sv name, sv text) {
    struct cfn_foreign f = {.name = name, .item = value_string(in->arena, text)};
    cfn_memory_put_foreign(in->given, &f);
}

bool cfn_inputs_set(struct cfn_inputs *in, struct source *source) {
    sv text = source->bytes;
    size_t equals = sv_find_char(text, '=');
    sv target = sv_slice(text, 0, equals == SIZE_MAX ? text.len : equals);
    size_t dot = sv_find_char(target, '.');
    sv id = sv_slice(target, 0, dot == SIZE_MAX ? target.len : dot);
    sv attribute = dot == SIZE_MAX ? SV("Ref") : sv_slice(target, dot + 1, target.len);
    if (equals == SIZE_MAX || id.len == 0 || attribute.len == 0) {
        struct diag *d = diags_add(in->diags, DIAG_cfn_symbol_file, span_make(source, 0, text.len),
                                   "this is not ID=VALUE or ID.ATTRIBUTE=VALUE");
        diag_set_hint(in->diags, d, "--set Bucket.Arn=arn:aws:s3:::logs");
        return false;
    }
    struct source *of_value = sources_add(in->sources, source->name, sv_slice(text, equals + 1, text.len));
    const struct node *n = cfn_file_read(in, of_value);
    if (n == NULL) {
        return false;
    }
    value item = n->style == NODE_EMPTY
                     ? value_string(in->arena, SV(""))
                     : value_from_node(in->arena, n, scalar_resolve_core, &limits_default, in->diags);
    if (value_is_error(item) || (item.within & WITHIN_ERROR) != 0) {
        return false;
    }
    cfn_memory_put_resource(in->given, id, attribute, item);
    return true;
}

bool cfn_inputs_read_parameters(struct cfn_inputs *in, struct source *source) {
    struct cfn_memory *m = cfn_parameter_file_read(in, source);
    if (m == NULL) {
        return false;
    }
    VEC_PUSH(in->arena, &in->parameters, m);
    return true;
}

bool cfn_inputs_read_symbols(struct cfn_inputs *in, struct source *source, sv directory) {
    struct cfn_memory *m = cfn_symbol_file_read(in, source);
    if (m == NULL) {
        return false;
    }
    m->directory = directory;
    VEC_PUSH(in->arena, &in->symbols, m);
    return true;
}

void cfn_inputs_add_resolver(struct cfn_inputs *in, struct cfn_resolver resolver) {
    VEC_PUSH(in->arena, &in->resolvers, resolver);
}

static struct cfn_resolver make_resolver(struct cfn_memory *m) {
    return (struct cfn_resolver){&cfn_memory_ops, m};
}

/* CF-220: the command line, files with later ones first, registered resolvers in their order. */
void cfn_inputs_close(struct cfn_inputs *in) {
    size_t count = 1 + in->parameters.len + in->symbols.len + in->resolvers.len;
    in->chain = ARENA_ARRAY(in->arena, struct cfn_resolver, count);
    size_t n = 0;
    in->chain[n++] = make_resolver(in->given);
    for (size_t i = in->parameters.len; i > 0; i--) {
        in->chain[n++] = make_resolver(in->parameters.items[i - 1]);
    }
    for (size_t i = in->symbols.len; i > 0; i--) {
        in->chain[n++] = make_resolver(in->symbols.items[i - 1]);
    }
    for (size_t i = 0; i < in->resolvers.len; i++) {
        in->chain[n++] = in->resolvers.items[i];
    }
    in->chain_len = n;
}

enum cfn_found cfn_inputs_ask(const struct cfn_inputs *in, const struct cfn_query *q, struct cfn_reply *reply) {
    return in == NULL ? CFN_ABSENT : cfn_resolvers_ask(in->chain, in->chain_len, q, reply);
}

const struct node *cfn_file_read(struct cfn_inputs *in, struct source *source) {
    struct doc_options options = {
        .format = doc_find_format(source->name),
        .duplicate_keys = DOC_REFUSE,
        .tags = DOC_REFUSE,
        .anchors = DOC_ALLOW,
        .merge_keys = DOC_ALLOW,
        .many_documents = DOC_REFUSE,
        .tag_directives = DOC_REFUSE,
    };
    if (options.format != DOC_JSON) {
        options.format = DOC_YAML;
    }
    const struct doc_stream *stream = doc_read(in->arena, source, &options, in->diags);
    return stream->has_errors ? NULL : stream->documents.items[0].root;
}
