#include "apps/cli/module/modules.h"

#include "apps/cli/session.h"
#include "base/hint.h"
#include "base/utf8.h"
#include "doc/writer.h"
#include "value/convert.h"

#include <unistd.h>

/* --- the root file (MD-010, MD-240) --- */

static bool exists(struct cli *c, sv path) {
    return access(arena_copy_cstr(&c->arena, path), F_OK) == 0;
}

/* The prefix of paths in the nearest directory upwards with .lintel/context.yaml; empty for the working directory. */
static sv find_project(struct cli *c) {
    sv cwd = c->host->ops->get_cwd(c->host->user, &c->arena);
    for (sv dir = cwd; dir.len > 0; dir = sv_slice(dir, 0, sv_rfind_char(dir, '/'))) {
        if (exists(c, arena_printf(&c->arena, "%.*s/.lintel/context.yaml", SV_ARG(dir))))
            return dir.len == cwd.len ? (sv){0} : arena_printf(&c->arena, "%.*s/", SV_ARG(dir));
    }
    return (sv){0};
}

static bool choose_file(struct cli *c, sv *file) {
    *file = settings_get_text(c, "file");
    if (file->len > 0)
        return true;
    sv project = find_project(c);
    sv first = arena_printf(&c->arena, "%.*sdacrane.yaml", SV_ARG(project));
    sv second = arena_printf(&c->arena, "%.*smodule.yaml", SV_ARG(project));
    bool has_first = exists(c, first), has_second = exists(c, second);
    *file = has_first ? first : second;
    if (has_first && has_second)
        diags_add(&c->diags, DIAG_module_two_files, SPAN_NONE,
                  "there are dacrane.yaml and module.yaml: module.yaml is not read");
    if (!has_first && !has_second) {
        struct diag *d = diags_add(&c->diags, DIAG_file_not_readable, SPAN_NONE,
                                   "there is neither dacrane.yaml nor module.yaml here");
        diag_set_hint(&c->diags, d, "name the root file with --file");
    }
    return has_first || has_second;
}

bool modules_open(struct modules *m, struct cli *c, enum exit_code *code) {
    *m = (struct modules){.cli = c};
    *code = EXIT_FAILED;
    if (!choose_file(c, &m->file))
        return false;
    struct source *source = inputs_read_source(c, m->file);
    if (source == NULL)
        return false;
    m->set = module_load(&c->arena, &c->diags, &c->sources, source);
    return true;
}

static bool report_unknown(struct modules *m, sv name) {
    struct cli *c = m->cli;
    struct hint h = HINT(name);
    diags_add(&c->diags, DIAG_module_unknown_name, SPAN_NONE, "unknown module '%.*s'",
              SV_ARG(render_escape(&c->arena, sv_slice(name, 0, 80))));
    for (size_t i = 0; i < m->set->root->modules.len; i++)
        hint_offer(&h, m->set->root->modules.items[i]->name);
    output_add_hint(c, &h, "");
    return false;
}

bool modules_choose(struct modules *m, bool others_matter) {
    struct module_codes reached = {0};
    sv name = m->cli->arguments.items[0];
    m->code = module_find(m->set, name);
    if (m->code == NULL)
        return report_unknown(m, name);
    module_list_reached(m->set, m->code, &reached);
    for (size_t i = 0; i < reached.items.len; i++)
        module_check(m->set, reached.items.items[i], false);
    if (!others_matter)
        module_drop_others(m->set, &reached);
    return module_check_recursion(m->set, m->code) && !diags_has_errors(&m->cli->diags);
}

/* --- the argument (MD-270) --- */

static bool is_text(struct cli *c, sv text) {
    if (utf8_check(text) == text.len)
        return true;
    diags_add(&c->diags, DIAG_invalid_encoding, SPAN_NONE, "-a: the argument is not UTF-8 text");
    return false;
}

static bool give(struct modules *m, sv text, enum exit_code *code) {
    struct cli *c = m->cli;
    size_t equals = sv_find_char(text, '=');
    sv key = equals == SIZE_MAX ? (sv){0} : sv_slice(text, 0, equals);
    *code = EXIT_INVALID;
    if (sv_has_prefix(text, SV("@"))) {
        sv path = sv_slice(text, 1, text.len);
        struct source *source = inputs_read_source(c, path);
        *code = source == NULL ? EXIT_FAILED : EXIT_INVALID;
        return source != NULL && module_give(m->run, &m->given, source, (sv){0});
    }
    if (!is_text(c, text))
        return false;
    if (!module_is_name(key))
        return module_give(m->run, &m->given, sources_add(&c->sources, SV("-a"), text), (sv){0});
    struct source *source = sources_add(&c->sources, SV("-a"), sv_slice(text, equals + 1, text.len));
    return module_give(m->run, &m->given, source, key);
}

bool modules_start(struct modules *m, enum exit_code *code) {
    struct cli *c = m->cli;
    const struct setting *texts = settings_find(c, SV("argument"));
    m->run = module_run_new(&(struct module_run_options){.set = m->set, .host = c->host});
    for (size_t i = 0; texts != NULL && i < texts->texts.len; i++) {
        if (!give(m, texts->texts.items[i], code))
            return false;
    }
    return true;
}

/* --- results --- */

enum exit_code modules_finish(struct modules *m) {
    if (m->set != NULL)
        module_name_paths(m->set);
    return diags_has_errors(&m->cli->diags) ? EXIT_INVALID : EXIT_OK;
}

void modules_print(struct cli *c, value v, enum secrecy secrecy) {
    struct buf out = BUF(&c->arena);
    bool is_bare = v.kind == VALUE_STRING && (secrecy == REVEAL || !value_is_sensitive(v));
    if (is_bare) {
        buf_append(&out, value_get_text(v));
        buf_append_char(&out, '\n');
    } else if (secrecy == REDACT && (v.marks & MARK_SENSITIVE) != 0) {
        buf_append_cstr(&out, "(sensitive)\n");
    } else {
        doc_write_yaml(&out, value_to_node(&c->arena, v, secrecy), &yaml_style_default);
    }
    output_text(c, buf_get_sv(&out));
}
