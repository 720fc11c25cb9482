#include "apps/cli/settings.h"

#include "value/convert.h"

#include <errno.h>
#include <limits.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

bool project_change_directory(struct cli *c) {
    sv dir = settings_get_text(c, "C");
    char cwd[PATH_MAX];
    if (dir.len > 0 && chdir(arena_copy_cstr(&c->arena, dir)) != 0) {
        output_usage_error(c, "cannot go to the directory '%.*s': %s", SV_ARG(render_escape(&c->arena, dir)),
                           strerror(errno));
        return false;
    }
    if (getcwd(cwd, sizeof cwd))
        return true;
    output_usage_error(c, "the working directory cannot be found: %s", strerror(errno));
    return false;
}

static bool exists(struct cli *c, sv dir, const char *name, bool want_directory) {
    struct stat st;
    const char *path = arena_printf(&c->arena, "%.*s/%s", SV_ARG(dir), name).data;
    return stat(path, &st) == 0 && (want_directory ? S_ISDIR(st.st_mode) : S_ISREG(st.st_mode));
}

/* The nearest directory upwards with lintel.yaml or .lintel/, else the working directory (CLI-004). */
void project_find(struct cli *c) {
    sv cwd = c->host->ops->get_cwd(c->host->user, &c->arena);
    c->project_dir = cwd;
    for (sv dir = cwd; dir.len > 0; dir = sv_slice(dir, 0, sv_rfind_char(dir, '/'))) {
        bool has_file = exists(c, dir, "lintel.yaml", false);
        if (!has_file && !exists(c, dir, ".lintel", true))
            continue;
        c->project_dir = dir;
        if (has_file)
            c->project_file = arena_printf(&c->arena, "%.*s/lintel.yaml", SV_ARG(dir));
        return;
    }
}

static sv make_absolute(struct cli *c, sv path) {
    if (path.len == 0 || sv_has_prefix(path, SV("/")))
        return path;
    return arena_printf(&c->arena, "%.*s/%.*s", SV_ARG(c->project_dir), SV_ARG(path));
}

static sv make_path_list(struct cli *c, sv list) {
    struct buf out = BUF(&c->arena);
    for (bool is_first = true; list.len > 0; is_first = false) {
        if (!is_first)
            buf_append_char(&out, ':');
        buf_append(&out, make_absolute(c, sv_cut(&list, ':')));
    }
    return buf_get_sv(&out);
}

/* A path in the project file is meant from where that file is. */
static sv make_path(struct cli *c, const struct cli_option *option, sv text) {
    sv prefix = {0};
    sv path = text;
    if (option->holds == HOLDS_TEXT || option->holds == HOLDS_LIMIT || text.len == 0)
        return text;
    if (option->holds == HOLDS_PATH_LIST)
        return make_path_list(c, text);
    bool may_be_url = option->holds == HOLDS_URL || option->holds == HOLDS_KEY;
    if (may_be_url && sv_find_char(text, ':') != SIZE_MAX) {
        prefix = sv_slice(text, 0, sv_find_char(text, ':') + 1);
        path = sv_slice(text, prefix.len, text.len);
        if (!sv_eq(prefix, SV("sqlite:")) && !sv_eq(prefix, SV("file:")))
            return text;
    }
    bool is_word = option->holds == HOLDS_KEY && prefix.len == 0;
    if (is_word || sv_has_prefix(path, SV("/")) || sv_eq(path, SV("-")))
        return text;
    return arena_printf(&c->arena, "%.*s%.*s", SV_ARG(prefix), SV_ARG(make_absolute(c, path)));
}

static bool put_item(struct cli *c, const struct cli_option *option, const struct setting_source *from,
                     const struct node *n) {
    struct scalar s = scalar_resolve_node(n, scalar_resolve_core);
    sv text = n->text;
    if (s.kind == SCALAR_BOOL)
        text = s.boolean ? SV("true") : SV("false");
    if (settings_put(c, option, from, make_path(c, option, text)))
        return true;
    (*VEC_LAST(&c->diags.items))->at = n->at;
    return false;
}

static bool report_key(struct cli *c, const struct node *key) {
    bool is_text = node_is_scalar(key);
    struct hint hint = HINT(is_text ? key->text : SV(""));
    option_offer_all(&hint);
    diags_add(&c->diags, DIAG_usage_error, key->at, "'%.*s' is no option that lintel.yaml can set",
              SV_ARG(render_escape(&c->arena, is_text ? sv_slice(key->text, 0, 80) : SV("this key"))));
    output_add_hint(c, &hint, "");
    return false;
}

static bool put_pair(struct cli *c, const struct setting_source *from, const struct node_pair *pair) {
    if (!node_is_scalar(pair->key) || !option_find_anywhere(pair->key->text))
        return report_key(c, pair->key);
    const struct cli_option *option = c->command && c->command->knows_all_settings
                                          ? option_find_anywhere(pair->key->text)
                                          : option_find(c->group, c->command, pair->key->text);
    if (!option)
        return true; /* an option of other commands */
    const struct node *given = pair->value;
    if (given->kind == NODE_SCALAR)
        return put_item(c, option, from, given);
    bool ok = given->kind == NODE_SEQUENCE && option->repeatable;
    for (uint32_t i = 0; ok && i < given->count; i++)
        ok = node_is_scalar(given->items[i]) && put_item(c, option, from, given->items[i]);
    if (!ok && given->kind != NODE_ERROR)
        diags_add(&c->diags, DIAG_usage_error, given->at, "'%.*s' takes %s in lintel.yaml", SV_ARG(option->name),
                  option->repeatable ? "a text or a list of texts" : "one text");
    return ok;
}

bool project_load_file(struct cli *c) {
    if (c->project_file.len == 0)
        return true;
    struct source *source = NULL;
    int error = 0;
    if (sources_read_file(&c->sources, c->project_file, c->limits.document_bytes, &source, &error) != SOURCE_READ_OK) {
        diags_add(&c->diags, DIAG_file_not_readable, SPAN_NONE, "'%.*s' cannot be read: %s", SV_ARG(c->project_file),
                  strerror(error));
        return false;
    }
    struct doc_stream *stream = doc_read(&c->arena, source, &doc_options_blueprint, &c->diags);
    if (stream->has_errors)
        return false;
    const struct node *root = stream->documents.len > 0 ? stream->documents.items[0].root : NULL;
    if (!root || root->style == NODE_EMPTY)
        return true;
    if (root->kind != NODE_MAPPING) {
        diags_add(&c->diags, DIAG_invalid_map, root->at, "lintel.yaml holds a mapping of options");
        return false;
    }
    struct setting_source from = {ORIGIN_PROJECT_FILE, c->project_file};
    bool ok = true;
    for (uint32_t i = 0; i < root->count; i++)
        ok = put_pair(c, &from, &root->pairs[i]) && ok;
    return ok;
}
