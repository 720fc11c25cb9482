#include "dialects/blueprint/loader.h"

#include "base/hint.h"
#include "dialects/blueprint/children.h"
#include "dialects/blueprint/fields.h"
#include "dialects/blueprint/transforms.h"
#include "model/host.h"

enum { HINT_BUDGET = 1000000 };

/* A section of the root mapping. */
struct section {
    sv name;
    enum element_kind kind; /* 0: not a section of elements */
    enum diag_code name_code;
    const char *what;
    const char *group; /* BP-305 */
    void (*load)(struct loader *l, uint32_t number);
};

enum {
    SECTION_DATASOURCES,
    SECTION_EXPORTS,
    SECTION_INCLUDE,
    SECTION_METADATA,
    SECTION_RESOURCES,
    SECTION_TRANSFORM,
    SECTION_VALUES,
    SECTION_VARIABLES,
    SECTION_VERSION,
    SECTION_COUNT
};

/* sorted */
static const struct section sections[SECTION_COUNT] = {
    {SV_INIT("datasources"), ELEMENT_DATA, DIAG_invalid_data_source, "a data source", "data_source_validation_errors",
     data_source_load},
    {SV_INIT("exports"), ELEMENT_EXPORT, DIAG_invalid_export, "an export", "export_validation_errors", export_load},
    {SV_INIT("include"), ELEMENT_CHILD, DIAG_invalid_include, "an include", "include_validation_errors", include_load},
    {SV_INIT("metadata"), 0, 0, NULL, NULL, NULL},
    {SV_INIT("resources"), ELEMENT_RESOURCE, DIAG_invalid_resource, "a resource", "resource_validation_errors",
     resource_load},
    {SV_INIT("transform"), 0, 0, NULL, NULL, NULL},
    {SV_INIT("values"), ELEMENT_VALUE, DIAG_invalid_value, "a value", NULL, value_load},
    {SV_INIT("variables"), ELEMENT_VARIABLE, DIAG_invalid_variable, "a variable", "variable_validation_errors",
     variable_load},
    {SV_INIT("version"), 0, 0, NULL, NULL, NULL},
};

/* In document order, as they stand in the root mapping. */
struct root {
    const struct node *nodes[SECTION_COUNT]; /* NULL: absent or null */
    const struct node *keys[SECTION_COUNT];
    size_t order[SECTION_COUNT];
    size_t count;
};

static const struct section *find_section_of(enum element_kind kind) {
    for (size_t i = 0; i < SECTION_COUNT; i++) {
        if (sections[i].kind == kind) {
            return &sections[i];
        }
    }
    return NULL;
}

sv blueprint_get_group(enum element_kind kind) {
    const struct section *s = find_section_of(kind);
    return sv_from_cstr(s != NULL ? s->group : NULL);
}

uint32_t loader_find(const struct loader *l, enum element_kind kind, sv name) {
    void *found = map_find(&l->names[kind], name);
    return found == NULL ? UINT32_MAX : (uint32_t)((uintptr_t)found - 1);
}

enum { HINT_LIST_MAX = 8 };

void loader_hint_word(struct loader *l, struct diag *d, sv word, const sv *words, size_t count) {
    struct hint hint = HINT(word);
    for (size_t i = 0; i < count; i++) {
        hint_offer(&hint, words[i]);
    }
    if (hint.best.len > 0) {
        diag_set_hint(l->diags, d, "did you mean '%.*s'?", SV_ARG(hint.best));
    } else if (count <= HINT_LIST_MAX) {
        struct buf list = BUF(&l->scratch);
        for (size_t i = 0; i < count; i++) {
            buf_printf(&list, "%s'%.*s'", i == 0 ? "" : i + 1 == count ? " and " : ", ", SV_ARG(words[i]));
        }
        diag_set_hint(l->diags, d, "possible are %.*s", SV_ARG(buf_get_sv(&list)));
    }
}

void loader_hint_name(struct loader *l, struct diag *d, enum element_kind kind, sv name) {
    struct hint hint = HINT(name);
    const struct map *names = &l->names[kind];
    if (d == l->diags->spare || names->len > l->hint_budget) {
        return; /* all names for each of many mistakes would be quadratic */
    }
    l->hint_budget -= names->len;
    for (size_t i = 0; i < names->len; i++) {
        hint_offer(&hint, names->entries[i].key);
    }
    if (hint.best.len > 0) {
        diag_set_hint(l->diags, d, "did you mean '%.*s'?", SV_ARG(hint.best));
    }
}

size_t loader_get_mark(const struct loader *l) {
    return l->diags->items.len;
}

static sv get_full_path(struct loader *l, const struct element *e) {
    if (l->path.len == 0) {
        return e->address.text;
    }
    struct buf out = BUF(l->diags->arena);
    buf_append(&out, e->address.text);
    buf_append_char(&out, '.');
    path_print(&out, (struct path){l->path.items, l->path.len});
    return buf_get_sv(&out);
}

bool loader_tag(struct loader *l, size_t from, uint32_t element) {
    bool has_error = false;
    sv path = {0};
    const struct element *e = &l->elements[element];
    for (size_t i = from; i < l->diags->items.len; i++) {
        struct diag *d = l->diags->items.items[i];
        if (d->path.len == 0) {
            path = path.len > 0 ? path : get_full_path(l, e);
            d->path = path;
        }
        if (d->group.len == 0) {
            d->group = blueprint_get_group(e->kind);
        }
        has_error |= d->level == DIAG_ERROR;
    }
    return has_error;
}

/* --- the file --- */

static struct source *read_source(struct loader *l) {
    const struct load_request *r = l->request;
    struct source *source = r->source;
    if (source != NULL) {
        return source;
    }
    switch (sources_read_file(r->sources, r->file, r->limits->document_bytes, &source, NULL)) {
    case SOURCE_READ_OK:
        return source;
    case SOURCE_READ_TOO_LARGE:
        diags_add(l->diags, DIAG_limit_exceeded, SPAN_NONE, "'%.*s' is larger than %zu bytes", SV_ARG(r->file),
                  r->limits->document_bytes);
        return NULL;
    case SOURCE_READ_MISSING:
        diags_add(l->diags, DIAG_file_not_readable, SPAN_NONE, "there is no file '%.*s'", SV_ARG(r->file));
        return NULL;
    case SOURCE_READ_DENIED:
        diags_add(l->diags, DIAG_file_not_readable, SPAN_NONE, "'%.*s' may not be read", SV_ARG(r->file));
        return NULL;
    case SOURCE_READ_DIRECTORY:
        diags_add(l->diags, DIAG_file_not_readable, SPAN_NONE, "'%.*s' is a directory", SV_ARG(r->file));
        return NULL;
    case SOURCE_READ_FAILED:
        break;
    }
    diags_add(l->diags, DIAG_file_not_readable, SPAN_NONE, "'%.*s' cannot be read", SV_ARG(r->file));
    return NULL;
}

/* BP-011. */
static enum doc_format get_format(struct loader *l) {
    const struct load_request *r = l->request;
    if (r->format != 0) {
        return (enum doc_format)r->format;
    }
    enum doc_format format = doc_find_format(r->file);
    if (format == 0) {
        struct diag *d =
            diags_add(l->diags, DIAG_invalid_spec_ext, SPAN_NONE, "the format of '%.*s' is not known", SV_ARG(r->file));
        diag_set_hint(l->diags, d, "a blueprint ends in .yaml, .yml, .json or .jsonc; else name the format");
    }
    return format;
}

/* BP-026: with such a mistake the tree is not what the author meant. */
static bool is_syntax_code(enum diag_code code) {
    return code == DIAG_invalid_syntax || code == DIAG_invalid_encoding || code == DIAG_limit_exceeded;
}

static const struct node *read_tree(struct loader *l, struct source *source, enum doc_format format) {
    struct doc_options options = doc_options_blueprint;
    options.format = format;
    options.limits = l->request->limits;
    size_t errors = l->diags->errors;
    size_t from = loader_get_mark(l);
    struct doc_stream *stream = doc_read(l->arena, source, &options, l->diags);
    if (l->diags->errors > errors && loader_get_mark(l) == from) {
        return NULL; /* errors beyond the limit of those kept */
    }
    for (size_t i = from; i < loader_get_mark(l); i++) {
        if (is_syntax_code(l->diags->items.items[i]->code)) {
            return NULL;
        }
    }
    if (stream->documents.len == 0) {
        diags_add(l->diags, DIAG_invalid_map, span_make(source, 0, 0), "the document is empty");
        return NULL;
    }
    return stream->documents.items[0].root;
}

static sv get_directory(struct arena *a, sv path) {
    size_t slash = sv_rfind_char(path, '/');
    if (slash == SIZE_MAX) {
        return (sv){0};
    }
    return arena_copy_sv(a, sv_slice(path, 0, slash == 0 ? 1 : slash));
}

static void set_file(struct loader *l, const struct source *source) {
    struct template *t = l->template;
    struct host *host = l->request->host;
    t->file_name = source->name;
    t->root_dir = get_directory(l->arena, source->path);
    if (t->root_dir.len == 0 && host != NULL) {
        t->root_dir = host->ops->get_cwd(host->user, l->arena);
    }
}

/* --- the root --- */

static size_t find_section(sv name) {
    for (size_t i = 0; i < SECTION_COUNT; i++) {
        if (sv_eq(sections[i].name, name)) {
            return i;
        }
    }
    return SIZE_MAX;
}

static void report_unknown_section(struct loader *l, const struct node *key) {
    struct diag *d = diags_add(l->diags, DIAG_unknown_key, key->at, "a blueprint has no section '%.*s'",
                               SV_ARG(sv_slice(key->text, 0, 80)));
    sv names[SECTION_COUNT];
    for (size_t i = 0; i < SECTION_COUNT; i++) {
        names[i] = sections[i].name;
    }
    loader_hint_word(l, d, key->text, names, SECTION_COUNT);
}

static bool read_root(struct loader *l, const struct node *tree, struct root *root) {
    if (!fields_check_mapping(l, tree, "a blueprint")) {
        return false;
    }
    for (size_t i = 0; i < tree->count; i++) {
        const struct node_pair *pair = &tree->pairs[i];
        if (!fields_check_key(l, pair->key)) {
            continue;
        }
        size_t section = find_section(pair->key->text);
        if (section == SIZE_MAX) {
            report_unknown_section(l, pair->key);
        } else if (!fields_is_null(pair->value)) {
            root->nodes[section] = pair->value;
            root->keys[section] = pair->key;
            root->order[root->count++] = section;
        }
    }
    return true;
}

/* BP-050. */
static void check_version(struct loader *l, const struct node *tree, const struct node *version) {
    sv text = {0};
    if (version == NULL) {
        struct diag *d = diags_add(l->diags, DIAG_missing_version, (span){tree->at.source, tree->at.offset, 0},
                                   "the blueprint has no 'version'");
        diag_set_hint(l->diags, d, "write version: 2025-11-02");
        return;
    }
    /* A number or a boolean is no version either. */
    if (version->kind == NODE_SCALAR && !fields_has_substitution(version)) {
        text = version->text;
    } else if (!fields_get_text(l, version, "'version'", &text)) {
        return;
    }
    if (sv_trim(text).len == 0) {
        struct diag *d = diags_add(l->diags, DIAG_missing_version, version->at, "'version' is blank");
        diag_set_hint(l->diags, d, "write version: 2025-11-02");
    } else if (!sv_eq(text, SV("2023-04-20")) && !sv_eq(text, SV("2025-11-02"))) {
        struct diag *d = diags_add(l->diags, DIAG_invalid_version, version->at, "version '%.*s' is not supported",
                                   SV_ARG(sv_slice(text, 0, 40)));
        diag_set_hint(l->diags, d, "use 2025-11-02 or 2023-04-20");
    }
}

static bool is_empty_section(const struct node *n) {
    return n == NULL || ((n->kind == NODE_MAPPING || n->kind == NODE_SEQUENCE) && n->count == 0);
}

/* BP-041. */
static void check_presence(struct loader *l, const struct node *tree, const struct root *root) {
    if (is_empty_section(root->nodes[SECTION_RESOURCES]) && is_empty_section(root->nodes[SECTION_INCLUDE])) {
        span at = root->keys[SECTION_RESOURCES] != NULL ? root->keys[SECTION_RESOURCES]->at
                                                        : (span){tree->at.source, tree->at.offset, 0};
        diags_add(l->diags, DIAG_missing_resources, at, "the blueprint has neither resources nor includes");
    }
}

/* --- names --- */

static bool is_name_char(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '.' ||
           c == '-';
}

static bool has_only_name_chars(sv name) {
    for (size_t i = 0; i < name.len; i++) {
        if (!is_name_char(name.data[i])) {
            return false;
        }
    }
    return true;
}

static bool is_control(sv name, size_t i) {
    unsigned char c = (unsigned char)name.data[i];
    bool is_c1 = c == 0xC2 && i + 1 < name.len && (unsigned char)name.data[i + 1] < 0xA0;
    return c < 0x20 || c == 0x7F || is_c1;
}

/* BP-042, BP-043. */
static bool check_name(struct loader *l, const struct section *s, const struct node *key) {
    sv name = key->text;
    const char *why = name.len == 0                         ? "must not be empty"
                      : sv_find(name, SV("${")) != SIZE_MAX ? "must not contain '${'"
                      : sv_find(name, SV("::")) != SIZE_MAX ? "must not contain '::'"
                                                            : NULL;
    for (size_t i = 0; i < name.len && why == NULL; i++) {
        why = is_control(name, i) ? "must not contain control characters" : NULL;
    }
    if (why != NULL) {
        diags_add(l->diags, s->name_code, key->at, "the name of %s %s", s->what, why);
        return false;
    }
    if (!has_only_name_chars(name)) {
        struct diag *d = diags_add(l->diags, DIAG_unreferenceable_name, key->at,
                                   "no reference can be written to '%.*s'", SV_ARG(sv_slice(name, 0, 80)));
        diag_set_hint(l->diags, d, "use letters, digits, '_', '-' and '.'");
    }
    return true;
}

/* A key that holds `${` is a mistake of the name here (BP-200), all else as for every key. */
static bool check_element_key(struct loader *l, const struct section *s, const struct node *key) {
    if (fields_is_broken(key) || (key->flags & NODE_DUPLICATE) != 0) {
        return false;
    }
    if (key->kind != NODE_SCALAR || fields_is_null(key)) {
        return fields_check_key(l, key);
    }
    return check_name(l, s, key);
}

static void add_element(struct loader *l, const struct section *s, const struct node_pair *pair) {
    uint32_t number = (uint32_t)l->count++;
    struct element *e = &l->elements[number];
    struct entry *entry = &l->entries[number];
    e->kind = s->kind;
    e->name = pair->key->text;
    e->at = pair->key->at;
    e->address = addr_make(l->arena, (sv){0}, s->kind, e->name);
    e->scope = l->scope;
    entry->key = pair->key;
    entry->def = pair->value;
    map_put(&l->names[s->kind], e->name, (void *)(uintptr_t)(number + 1u));
    map_put(&l->template->by_address, e->address.text, e);
}

static void enter_names(struct loader *l, const struct section *s, const struct node *n) {
    if (!fields_check_mapping(l, n, arena_printf(&l->scratch, "'%.*s'", SV_ARG(s->name)).data)) {
        return;
    }
    for (size_t i = 0; i < n->count; i++) {
        size_t from = loader_get_mark(l);
        if (!check_element_key(l, s, n->pairs[i].key)) {
            continue;
        }
        add_element(l, s, &n->pairs[i]);
        loader_tag(l, from, (uint32_t)l->count - 1);
    }
}

static size_t count_elements(const struct root *root) {
    size_t count = 0;
    for (size_t i = 0; i < SECTION_COUNT; i++) {
        const struct node *n = root->nodes[i];
        bool has_elements = n != NULL && n->kind == NODE_MAPPING && sections[i].kind != 0;
        count += has_elements ? n->count : 0;
    }
    return count;
}

static bool enter_sections(struct loader *l, const struct root *root) {
    size_t count = count_elements(root);
    if (count > l->request->limits->elements || count >= UINT32_MAX - 1) {
        diags_add(l->diags, DIAG_limit_exceeded, SPAN_NONE, "the blueprint has more than %zu elements",
                  l->request->limits->elements);
        return false;
    }
    l->elements = ARENA_ARRAY(l->arena, struct element, count + 1);
    l->entries = ARENA_ARRAY(&l->scratch, struct entry, count + 1);
    l->children = ARENA_ARRAY(l->arena, struct blueprint_child *, count + 1);
    l->data->children = l->children;
    for (size_t i = 0; i < root->count; i++) {
        const struct section *s = &sections[root->order[i]];
        if (s->kind != 0) {
            enter_names(l, s, root->nodes[root->order[i]]);
        }
    }
    return true;
}

static void load_elements(struct loader *l) {
    for (uint32_t i = 0; i < l->count; i++) {
        size_t from = loader_get_mark(l);
        l->current = i;
        l->path.len = 0;
        size_t errors = l->diags->errors;
        find_section_of(l->elements[i].kind)->load(l, i);
        l->path.len = 0;
        loader_tag(l, from, i);
        l->entries[i].broken |= l->diags->errors > errors;
    }
}

static void finish_template(struct loader *l) {
    struct template *t = l->template;
    t->elements = l->elements;
    t->element_count = l->count;
    t->ops = &blueprint_template_ops;
    t->scope = l->scope;
    t->dialect = SV("blueprint");
    t->sources = l->request->sources;
    t->policies = (struct template_policies){.parallel = 10, .late_removals = true, .create_before_destroy = true};
}

/* Errors, and keys that are not known: a misspelt field hides what is in it. */
static size_t count_shape_mistakes(const struct loader *l, size_t from) {
    size_t count = l->diags->errors > l->diags->kept_errors;
    for (size_t i = from; i < loader_get_mark(l); i++) {
        const struct diag *d = l->diags->items.items[i];
        count += d->level == DIAG_ERROR || d->code == DIAG_unknown_key;
    }
    return count;
}

static void load_tree(struct loader *l, const struct node *tree) {
    struct root root = {0};
    size_t from = loader_get_mark(l);
    if (!read_root(l, tree, &root)) {
        return;
    }
    l->data->tree = tree;
    check_version(l, tree, root.nodes[SECTION_VERSION]);
    check_presence(l, tree, &root);
    if (!enter_sections(l, &root)) {
        return;
    }
    variables_take_inputs(l);
    load_elements(l);
    variables_check_inputs(l);
    metadata_load(l, root.nodes[SECTION_METADATA]);
    finish_template(l);
    l->shape_errors = count_shape_mistakes(l, from);
    refs_resolve(l);
    each_check_uses(l);
    children_load(l);
    types_check(l);
    children_check(l);
    links_check(l);
    refs_check_links(l);
    cycles_check(l);
    unused_check(l);
    each_check_counts(l);
    children_finish(l);
    refs_add_link_edges(l);
    l->template->is_expanded = !l->data->needs_expansion;
}

/* The document that is checked: what the transforms make of the one that was read (BP-056). NULL when they stopped. */
static const struct node *transform_tree(struct loader *l, const struct node *tree) {
    const struct node *names = tree->kind == NODE_MAPPING ? node_find(tree, SV("transform")) : NULL;
    if (names == NULL || fields_is_null(names)) {
        return tree;
    }
    bool is_sound = l->diags->errors == l->errors_before;
    const struct node *version = node_find(tree, SV("version"));
    check_version(l, tree, version != NULL && fields_is_null(version) ? NULL : version);
    return transforms_apply(l, tree, names, is_sound);
}

static void init_loader(struct loader *l, const struct load_request *r) {
    *l = (struct loader){.request = r, .arena = r->arena, .diags = r->diags};
    l->template = ARENA_NEW(r->arena, struct template);
    l->template->by_address = MAP(r->arena);
    struct blueprint_data *data = ARENA_NEW(r->arena, struct blueprint_data);
    for (size_t i = 0; i <= ELEMENT_EXPORT; i++) {
        data->names[i] = MAP(r->arena);
    }
    data->self = (struct blueprint_names){.file = data};
    data->root = (struct scope){.owner = &data->self};
    l->names = data->names;
    l->scope = &data->root;
    l->data = data;
    l->template->dialect_data = data;
    l->template->link_by_address = MAP(r->arena);
    l->types = MAP(&l->scratch);
    l->hint_budget = HINT_BUDGET;
    l->depth.limit = r->limits->nesting + 1;
    l->parse = (struct parse_context){r->arena, r->diags, r->limits, &blueprint_dialect};
}

struct template *loader_load_file(const struct load_request *r, struct load_family *family,
                                  const struct load_chain *chain) {
    struct loader l;
    init_loader(&l, r);
    l.family = family;
    l.parse.dialect = children_get_dialect(family);
    l.chain = chain;
    l.errors_before = r->diags->errors;
    struct template *result = NULL;
    size_t from = loader_get_mark(&l);
    enum doc_format format = get_format(&l);
    struct source *source = format != 0 ? read_source(&l) : NULL;
    const struct node *tree = source != NULL ? read_tree(&l, source, format) : NULL;
    if (tree != NULL) {
        set_file(&l, source);
        children_start(&l, source);
        tree = transform_tree(&l, tree);
    }
    if (tree != NULL) {
        load_tree(&l, tree);
        transforms_mark_findings(&l, from);
        result = l.template;
    }
    arena_fini(&l.brief);
    arena_fini(&l.scratch);
    return result;
}

struct template *blueprint_load(const struct load_request *r) {
    return loader_load_file(r, children_new_family(r), NULL);
}
