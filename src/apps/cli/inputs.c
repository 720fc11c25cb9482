/* Values of variables from outside (CLI-010): environment, files, options. */
#include "apps/cli/session.h"

#include "base/utf8.h"
#include "value/convert.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <termios.h>
#include <unistd.h>

enum { SECRET_MAX = 65536 };

struct input_list {
    VEC(struct template_input) items;
};

/* A source for text that stands in no file, so that mistakes in it can be shown. */
static span add_place(struct cli *c, sv name, sv text) {
    struct source *source = sources_add(&c->sources, name, text);
    return span_make(source, 0, text.len);
}

static bool add_text(struct cli *c, struct input_list *list, sv name, sv text, sv place) {
    if (utf8_check(text) != text.len || sv_find_char(text, '\0') != SIZE_MAX) {
        diags_add(&c->diags, DIAG_invalid_encoding, SPAN_NONE, "%.*s: the value is not UTF-8 text",
                  SV_ARG(render_escape(&c->arena, place)));
        return false;
    }
    struct template_input *input = VEC_ADD(&c->arena, &list->items);
    *input = (struct template_input){
        .name = name,
        .form = INPUT_TEXT,
        .item = value_string(&c->arena, text),
        .at = add_place(c, place, SV("")),
    };
    return true;
}

static bool add_environment(struct cli *c, struct input_list *list) {
    struct host_env *items = NULL;
    sv prefix = SV("LINTEL_VAR_");
    size_t count = host_list_env(&c->arena, prefix, &items);
    bool ok = true;
    for (size_t i = 0; i < count; i++) {
        sv name = sv_slice(items[i].name, prefix.len, items[i].name.len);
        ok = add_text(c, list, name, items[i].text, items[i].name) && ok;
    }
    return ok;
}

struct source *inputs_read_source(struct cli *c, sv path) {
    struct source *source = NULL;
    int error = 0;
    enum source_read r = sources_read_file(&c->sources, path, c->limits.document_bytes, &source, &error);
    if (r == SOURCE_READ_OK)
        return source;
    const char *why = r == SOURCE_READ_TOO_LARGE   ? "it is too large"
                      : r == SOURCE_READ_DIRECTORY ? "it is a directory"
                                                   : strerror(error);
    diags_add(&c->diags, DIAG_file_not_readable, SPAN_NONE, "'%.*s' cannot be read: %s",
              SV_ARG(render_escape(&c->arena, path)), why);
    return NULL;
}

static bool add_pairs(struct cli *c, struct input_list *list, const struct node *root) {
    for (uint32_t i = 0; i < root->count; i++) {
        const struct node_pair *pair = &root->pairs[i];
        if (!node_is_scalar(pair->key)) {
            diags_add(&c->diags, DIAG_invalid_map_key, pair->key->at, "the name of a variable is a text");
            return false;
        }
        value item = value_from_node(&c->arena, pair->value, scalar_resolve_core, &c->limits, &c->diags);
        if (value_is_error(item))
            return false;
        struct template_input *input = VEC_ADD(&c->arena, &list->items);
        *input =
            (struct template_input){.name = pair->key->text, .form = INPUT_TYPED, .item = item, .at = pair->value->at};
    }
    return true;
}

static bool add_file(struct cli *c, struct input_list *list, sv path) {
    struct source *source = inputs_read_source(c, path);
    if (!source)
        return false;
    struct doc_options options = doc_options_blueprint;
    enum doc_format format = doc_find_format(path);
    options.format = format ? format : DOC_YAML;
    struct doc_stream *stream = doc_read(&c->arena, source, &options, &c->diags);
    if (stream->has_errors)
        return false;
    const struct node *root = stream->documents.len > 0 ? stream->documents.items[0].root : NULL;
    if (!root || root->style == NODE_EMPTY)
        return true;
    if (root->kind == NODE_MAPPING)
        return add_pairs(c, list, root);
    diags_add(&c->diags, DIAG_invalid_map, root->at, "a file of variables is a mapping from names to values");
    return false;
}

/* NAME=VALUE; VALUE may be @FILE, and @@ stands for one @. */
static bool add_option(struct cli *c, struct input_list *list, sv text) {
    if (sv_find_char(text, '=') == SIZE_MAX || text.data[0] == '=') {
        output_usage_error(c, "'--var' takes NAME=VALUE, not '%.*s'",
                           SV_ARG(render_escape(&c->arena, sv_slice(text, 0, 80))));
        return false;
    }
    sv item = text;
    sv name = sv_cut(&item, '=');
    if (sv_has_prefix(item, SV("@@"))) {
        item = sv_slice(item, 1, item.len);
    } else if (sv_has_prefix(item, SV("@"))) {
        struct source *source = inputs_read_source(c, sv_slice(item, 1, item.len));
        if (!source)
            return false;
        item = source->bytes;
        if (sv_has_suffix(item, SV("\n")))
            item = sv_slice(item, 0, item.len - 1);
    }
    return add_text(c, list, name, item, arena_printf(&c->arena, "--var %.*s", SV_ARG(name)));
}

bool inputs_collect(struct cli *c, struct template_input **items, size_t *count) {
    struct input_list list = {0};
    bool ok = add_environment(c, &list);
    const struct setting *files = settings_find(c, SV("vars"));
    for (size_t i = 0; files && i < files->texts.len; i++)
        ok = add_file(c, &list, files->texts.items[i]) && ok;
    const struct setting *vars = settings_find(c, SV("var"));
    for (size_t i = 0; vars && i < vars->texts.len; i++)
        ok = add_option(c, &list, vars->texts.items[i]) && ok;
    *items = list.items.items;
    *count = list.items.len;
    return ok;
}

bool inputs_read_silently(const struct cli *c, sv prompt, struct buf *line) {
    struct termios before;
    if (tcgetattr(STDIN_FILENO, &before) != 0)
        return false;
    struct termios silent = before;
    silent.c_lflag &= ~(tcflag_t)ECHO;
    tcsetattr(STDIN_FILENO, TCSAFLUSH, &silent);
    dprintf(STDERR_FILENO, "%.*s: ", SV_ARG(prompt));
    char ch = 0;
    while (line->len < SECRET_MAX && cli_await_input(c) && read(STDIN_FILENO, &ch, 1) == 1 && ch != '\n')
        buf_append_char(line, ch);
    tcsetattr(STDIN_FILENO, TCSAFLUSH, &before);
    dprintf(STDERR_FILENO, "\n");
    return ch == '\n';
}

bool inputs_ask_secret(struct cli *c, sv name, struct template_input *result) {
    struct buf line = BUF(&c->arena);
    bool got = inputs_read_silently(c, render_escape(&c->arena, name), &line);
    if (!got)
        return false;
    *result = (struct template_input){
        .name = name,
        .form = INPUT_TEXT,
        .item = value_string(&c->arena, buf_get_sv(&line)),
        .at = add_place(c, SV("<terminal>"), SV("")),
    };
    return true;
}
