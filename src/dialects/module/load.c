/* Files, what they import, what is visible in them (MD-010, MD-011, MD-030 … MD-035). */
#include "dialects/module/document.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { FILE_MAX_BYTES = 16 * 1024 * 1024, ALIAS_NODES = 1000 * 1000, EXPRESSION_DEPTH = 1000, YAML_DEPTH = 256 };

static sv find_real_path(struct arena *a, sv path) {
    char *real = realpath(arena_copy_cstr(a, path), NULL);
    sv found = real != NULL ? arena_copy_sv(a, sv_from_cstr(real)) : (sv){0};
    free(real);
    return found;
}

static struct module_file *add_file(struct module_set *s, struct source *source) {
    struct module_file *file = ARENA_NEW(s->arena, struct module_file);
    *file = (struct module_file){.source = source, .visible = MAP(s->arena)};
    file->path = find_real_path(s->arena, source->path.len > 0 ? source->path : source->name);
    VEC_PUSH(s->arena, &s->files, file);
    return file;
}

static void read_documents(struct module_set *s, struct module_file *file) {
    struct module_trees trees = {0};
    if (file->source->bytes.len > FILE_MAX_BYTES) {
        diags_add(s->diags, DIAG_limit_exceeded, span_make(file->source, 0, 0), "the file is larger than 16 MiB");
        return;
    }
    module_read_trees(s, file->source, &trees);
    for (size_t i = 0; i < trees.roots.len; i++) {
        struct module_code *code = module_read_code(s, file, trees.roots.items[i]);
        if (code != NULL)
            VEC_PUSH(s->arena, &file->modules, code);
    }
}

/* --- imports --- */

static sv get_directory(sv path) {
    size_t slash = sv_rfind_char(path, '/');
    return slash == SIZE_MAX ? SV(".") : sv_slice(path, 0, slash == 0 ? 1 : slash);
}

static bool has_scheme(sv text) {
    size_t colon = sv_find(text, SV("://"));
    return colon != SIZE_MAX && colon > 0;
}

static struct module_file *fail_import(struct module_set *s, const struct module_import *i, const char *why) {
    diags_add(s->diags, DIAG_module_import, i->at, "'%.*s' cannot be imported: %s",
              SV_ARG(sv_slice(i->written, 0, 200)), why);
    return NULL;
}

/* MD-032 */
static struct module_file *refuse_scheme(struct module_set *s, const struct module_import *i) {
    bool is_web = sv_has_prefix(i->written, SV("https://")) || sv_has_prefix(i->written, SV("http://"));
    if (!is_web)
        return fail_import(s, i, "an import is a path or an https URL");
    struct diag *d = diags_add(s->diags, DIAG_module_import, i->at, "imports of URLs are not supported yet");
    diag_set_hint(s->diags, d, "save the file beside this one and import it by its path");
    return NULL;
}

static struct module_file *find_file(const struct module_set *s, sv path) {
    for (size_t i = 0; path.len > 0 && i < s->files.len; i++) {
        if (sv_eq(s->files.items[i]->path, path))
            return s->files.items[i];
    }
    return NULL;
}

static const char *describe(enum source_read read, int error) {
    if (read == SOURCE_READ_TOO_LARGE)
        return "it is larger than 16 MiB";
    return read == SOURCE_READ_DIRECTORY ? "it is a directory" : strerrordesc_np(error);
}

static struct module_file *open_import(struct module_set *s, const struct module_file *from,
                                       const struct module_import *i) {
    struct source *source = NULL;
    int error = 0;
    if (has_scheme(i->written))
        return refuse_scheme(s, i);
    bool is_absolute = sv_has_prefix(i->written, SV("/"));
    sv directory = get_directory(from->source->name);
    bool is_here = sv_eq(directory, SV("."));
    sv name = sv_has_prefix(i->written, SV("./")) ? sv_slice(i->written, 2, i->written.len) : i->written;
    sv path = is_absolute || is_here ? name : arena_printf(s->arena, "%.*s/%.*s", SV_ARG(directory), SV_ARG(name));
    struct module_file *known = find_file(s, find_real_path(s->arena, path));
    if (known != NULL)
        return known;
    enum source_read read = sources_read_file(s->sources, path, FILE_MAX_BYTES, &source, &error);
    if (read != SOURCE_READ_OK)
        return fail_import(s, i, describe(read, error));
    struct module_file *file = add_file(s, source);
    read_documents(s, file);
    return file;
}

static void open_imports(struct module_set *s, struct module_file *file) {
    for (size_t i = 0; i < file->imports.len; i++)
        file->imports.items[i].file = open_import(s, file, &file->imports.items[i]);
}

/* --- visible modules (MD-030) --- */

static void add_visible(struct module_set *s, struct module_file *file, struct module_code *code, span at) {
    struct module_code *known = map_find(&file->visible, code->name);
    if (known == NULL) {
        map_put(&file->visible, code->name, code);
    } else if (known != code) {
        struct diag *d =
            diags_add(s->diags, DIAG_module_document, at, "there are two modules '%.*s' here", SV_ARG(code->name));
        diag_add_related(s->diags, d, known->name_at, "the one");
        diag_add_related(s->diags, d, code->name_at, "the other");
    }
}

static void collect_visible(struct module_set *s, struct module_file *file) {
    for (size_t i = 0; i < file->modules.len; i++)
        add_visible(s, file, file->modules.items[i], file->modules.items[i]->name_at);
    for (size_t i = 0; i < file->imports.len; i++) {
        const struct module_import *import = &file->imports.items[i];
        for (size_t k = 0; import->file != NULL && import->file != file && k < import->file->modules.len; k++)
            add_visible(s, file, import->file->modules.items[k], import->at);
    }
}

struct module_set *module_load(struct arena *a, struct diags *diags, struct sources *sources, struct source *root) {
    struct module_set *s = ARENA_NEW(a, struct module_set);
    *s = (struct module_set){.arena = a, .diags = diags, .sources = sources, .limits = limits_default};
    s->limits.nesting = YAML_DEPTH;
    s->limits.expr_depth = EXPRESSION_DEPTH;
    s->limits.alias_nodes = ALIAS_NODES;
    s->limits.document_bytes = FILE_MAX_BYTES;
    s->root = add_file(s, root);
    read_documents(s, s->root);
    for (size_t i = 0; i < s->files.len; i++) /* grows while it goes */
        open_imports(s, s->files.items[i]);
    for (size_t i = 0; i < s->files.len; i++)
        collect_visible(s, s->files.items[i]);
    for (size_t i = 0; i < s->files.len; i++) {
        for (size_t k = 0; k < s->files.items[i]->modules.len; k++)
            module_link_targets(s, s->files.items[i]->modules.items[k]);
    }
    return s;
}

struct module_code *module_find(const struct module_set *s, sv name) {
    for (size_t i = 0; i < s->root->modules.len; i++) {
        if (sv_eq(s->root->modules.items[i]->name, name))
            return s->root->modules.items[i];
    }
    return NULL;
}
