/* Sections and keys of documents (MD-010 … MD-018, MD-050, MD-070). */
#include "dialects/module/document.h"

#include "base/hint.h"

enum { NAME_MAX_BYTES = 128, SHOWN = 80 };

/* --- names and texts --- */

bool module_is_name(sv text) {
    if (text.len == 0 || text.len > NAME_MAX_BYTES || text.data[0] == '-')
        return false;
    for (size_t i = 0; i < text.len; i++) {
        char c = text.data[i];
        bool is_letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
        if (!is_letter && (c < '0' || c > '9') && c != '_' && c != '-')
            return false;
    }
    return true;
}

struct module_fields module_make_fields(const struct module_set *s) {
    return (struct module_fields){.arena = s->arena, .diags = s->diags, .limits = &s->limits, .sources = s->sources};
}

bool module_take_text(struct module_set *s, const struct node *n, const char *what, sv *text) {
    struct module_fields f = module_make_fields(s);
    if (n->kind == NODE_ERROR || !module_check_plain(&f, n))
        return false;
    value v = n->kind == NODE_SCALAR ? module_scalar(s->arena, n, s->diags) : (value){0};
    if (v.kind == VALUE_STRING) {
        *text = value_get_text(v);
        return true;
    }
    if (!value_is_error(v)) {
        struct diag *d = diags_add(s->diags, DIAG_module_document, n->at, "%s must be a string, this is %s", what,
                                   node_get_kind_name(n));
        if (n->kind == NODE_SCALAR)
            diag_set_hint(s->diags, d, "put quotes around it");
    }
    return false;
}

bool module_take_name(struct module_set *s, const struct node *n, const char *what, sv *name) {
    struct module_fields f = module_make_fields(s);
    if (n->kind == NODE_ERROR || !module_check_plain(&f, n))
        return false;
    if (n->kind == NODE_SCALAR && module_is_name(n->text)) {
        *name = n->text; /* `name: 1` is a name, too */
        return true;
    }
    struct diag *d = diags_add(s->diags, DIAG_module_document, n->at, "%s is no name", what);
    diag_set_hint(s->diags, d, "names consist of letters, digits, '_' and '-', and do not begin with '-'");
    return false;
}

static struct module_key *find_key(struct module_key *keys, size_t count, sv name) {
    for (size_t i = 0; i < count; i++) {
        if (sv_eq_cstr(name, keys[i].name))
            return &keys[i];
    }
    return NULL;
}

static void report_unknown_key(struct module_set *s, const struct node *key, const struct module_key *keys,
                               size_t count, const char *what) {
    struct diag *d = diags_add(s->diags, DIAG_module_unknown_key, key->at, "%s has no key '%.*s'", what,
                               SV_ARG(sv_slice(key->text, 0, SHOWN)));
    struct hint h = HINT(key->text);
    for (size_t i = 0; i < count; i++)
        hint_offer(&h, sv_from_cstr(keys[i].name));
    if (h.best.len > 0)
        diag_set_hint(s->diags, d, "did you mean '%.*s'?", SV_ARG(h.best));
}

void module_take_keys(struct module_set *s, const struct node *n, struct module_key *keys, size_t count,
                      const char *what) {
    for (uint32_t i = 0; i < n->count; i++) {
        const struct node_pair *pair = &n->pairs[i];
        struct module_key *k = find_key(keys, count, pair->key->text);
        if (k == NULL)
            report_unknown_key(s, pair->key, keys, count, what);
        else if (!module_is_null(pair->value) && k->value == NULL) {
            k->key = pair->key;
            k->value = pair->value;
        }
    }
}

/* --- form (MD-017) --- */

static bool has_call_key(const struct node *modules, const char *name) {
    for (uint32_t i = 0; modules != NULL && modules->kind == NODE_SEQUENCE && i < modules->count; i++) {
        const struct node *item = modules->items[i];
        if (item->kind == NODE_MAPPING && node_find(item, sv_from_cstr(name)) != NULL)
            return true;
    }
    return false;
}

static bool find_form(struct module_set *s, const struct node *root, enum module_form *form) {
    const struct node *modules = node_find(root, SV("modules"));
    bool is_list = node_find(root, SV("parameters")) != NULL || has_call_key(modules, "arguments");
    bool is_schema = node_find(root, SV("parameter")) != NULL || node_find(root, SV("dependencies")) != NULL ||
                     has_call_key(modules, "argument");
    *form = is_list ? MODULE_LIST_FORM : MODULE_SCHEMA_FORM;
    if (!is_list || !is_schema)
        return true;
    struct diag *d = diags_add(s->diags, DIAG_module_document, root->pairs[0].key->at,
                               "this module mixes the two forms of documents");
    diag_set_hint(s->diags, d, "use 'parameter', 'dependencies' and 'argument', or 'parameters' and 'arguments'");
    return false;
}

/* --- sections --- */

enum { SECTION_NAME, SECTION_IMPORT, SECTION_MODULES, SECTION_PARAMETER, SECTION_DEPENDENCIES, SECTION_COUNT };

static bool is_sequence(struct module_set *s, const struct node *n, const char *what) {
    if (n->kind != NODE_SEQUENCE && n->kind != NODE_ERROR)
        diags_add(s->diags, DIAG_module_document, n->at, "'%s' must be a list, this is %s", what,
                  node_get_kind_name(n));
    return n->kind == NODE_SEQUENCE;
}

static void read_imports(struct module_set *s, struct module_file *file, const struct node *n) {
    for (uint32_t i = 0; n != NULL && is_sequence(s, n, "import") && i < n->count; i++) {
        sv written = {0};
        if (module_take_text(s, n->items[i], "an import", &written))
            VEC_PUSH(s->arena, &file->imports, ((struct module_import){.written = written, .at = n->items[i]->at}));
    }
}

bool module_is_reserved(const struct module_code *code, sv name) {
    static const char *const words[] = {"parameter", "module", "modules", "for",  "true",
                                        "false",     "null",   "if",      "then", "else"};
    enum { IN_BOTH = 4 };
    size_t count = code->form == MODULE_LIST_FORM ? sizeof words / sizeof *words : IN_BOTH;
    for (size_t i = 0; i < count; i++) {
        if (sv_eq_cstr(name, words[i]))
            return true;
    }
    return false;
}

/* MD-070, MD-080, MD-081: calls and dependencies have one name space. */
static bool add_local(struct module_set *s, struct module_code *code, sv name, span at, struct module_call *call) {
    bool is_new = true;
    if (module_is_reserved(code, name)) {
        diags_add(s->diags, DIAG_module_document, at, "'%.*s' is a reserved name", SV_ARG(name));
        return false;
    }
    void **slot = map_get_slot(&code->locals, name, &is_new);
    if (!is_new) {
        diags_add(s->diags, DIAG_module_document, at, "the name '%.*s' stands in this module already", SV_ARG(name));
        return false;
    }
    *slot = call;
    return true;
}

static void read_dependency(struct module_set *s, struct module_code *code, const struct node *n) {
    struct module_key keys[] = {{.name = "name"}, {.name = "module"}};
    struct module_dependency d = {.at = n->at};
    if (n->kind == NODE_ERROR)
        return;
    if (n->kind != NODE_MAPPING) {
        diags_add(s->diags, DIAG_module_document, n->at, "a dependency must be a mapping, this is %s",
                  node_get_kind_name(n));
        return;
    }
    module_take_keys(s, n, keys, 2, "a dependency");
    for (size_t i = 0; i < 2; i++) {
        if (keys[i].value == NULL)
            diags_add(s->diags, DIAG_module_document, n->at, "a dependency needs a '%s'", keys[i].name);
    }
    if (keys[0].value == NULL || !module_take_name(s, keys[0].value, "the name of a dependency", &d.name))
        return;
    if (!add_local(s, code, d.name, keys[0].value->at, NULL) || keys[1].value == NULL)
        return;
    if (module_take_text(s, keys[1].value, "'module'", &d.module))
        VEC_PUSH(s->arena, &code->dependencies, d);
}

static void add_call_names(struct module_set *s, struct module_code *code) {
    for (size_t i = 0; i < code->calls.len; i++) {
        struct module_call *call = code->calls.items[i];
        if (call->name.len > 0 && !add_local(s, code, call->name, call->name_at, call))
            call->name = (sv){0};
    }
}

static void read_sections(struct module_set *s, struct module_code *code, struct module_key *keys) {
    const struct node *parameter = keys[SECTION_PARAMETER].value, *modules = keys[SECTION_MODULES].value;
    const struct node *dependencies = keys[SECTION_DEPENDENCIES].value;
    if (parameter != NULL && code->form == MODULE_LIST_FORM)
        module_read_parameters(s, code, parameter);
    else if (parameter != NULL)
        module_read_schema(s, code, parameter);
    for (uint32_t i = 0;
         dependencies != NULL && is_sequence(s, dependencies, "dependencies") && i < dependencies->count; i++)
        read_dependency(s, code, dependencies->items[i]);
    if (modules != NULL && is_sequence(s, modules, "modules"))
        module_read_calls(s, code, modules);
    add_call_names(s, code);
}

static bool take_module_name(struct module_set *s, struct module_code *code, const struct module_key *key) {
    if (key->value == NULL) {
        struct diag *d = diags_add(s->diags, DIAG_module_document, code->at, "this document has no 'name'");
        diag_set_hint(s->diags, d, "each document is a module: name: NAME");
        return false;
    }
    code->name_at = key->value->at;
    return module_take_name(s, key->value, "the name of a module", &code->name);
}

struct module_code *module_read_code(struct module_set *s, struct module_file *file, struct node *root) {
    if (root->kind != NODE_MAPPING) {
        diags_add(s->diags, DIAG_module_document, root->at, "a module must be a mapping, this is %s",
                  node_get_kind_name(root));
        return NULL;
    }
    struct module_code *code = ARENA_NEW(s->arena, struct module_code);
    size_t errors = s->diags->errors;
    span first = root->count > 0 ? root->pairs[0].key->at : root->at;
    *code = (struct module_code){.at = first, .file = file, .root = root, .locals = MAP(s->arena)};
    bool has_form = find_form(s, root, &code->form);
    bool is_list = code->form == MODULE_LIST_FORM;
    struct module_key keys[SECTION_COUNT] = {{.name = "name"},
                                             {.name = "import"},
                                             {.name = "modules"},
                                             {.name = is_list ? "parameters" : "parameter"},
                                             {.name = "dependencies"}};
    if (has_form)
        module_take_keys(s, root, keys, is_list ? SECTION_DEPENDENCIES : SECTION_COUNT, "a module");
    bool has_name = has_form && take_module_name(s, code, &keys[SECTION_NAME]);
    read_imports(s, file, keys[SECTION_IMPORT].value);
    if (has_form)
        read_sections(s, code, keys);
    code->is_broken = s->diags->errors > errors;
    return has_name ? code : NULL;
}

sv module_find_close_local(const struct module_code *code, sv name) {
    struct hint h = HINT(name);
    for (size_t i = 0; i < code->locals.len; i++) {
        if (code->locals.entries[i].key.data != NULL)
            hint_offer(&h, code->locals.entries[i].key);
    }
    return h.best;
}
