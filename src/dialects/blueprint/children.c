/* Loading children: sources, one load per file, cycles, depth, sums (1.11). */
#include "dialects/blueprint/children.h"
#include "base/hint.h"
#include "base/num.h"
#include "dialects/blueprint/scalars.h"
#include "dialects/blueprint/tree.h"
#include "fn/fn.h"

#include <assert.h>

/* One file of a family; NULL template: it could not be read, reported. */
struct loaded_file {
    const struct content *content; /* NULL: text without place */
    const struct template *template;
    bool broken;
};

/* All files that were loaded because of one root. */
struct load_family {
    struct load_request request; /* without file and inputs; its arrays are the caller's */
    struct map by_location;      /* → struct loaded_file */
    bool has_values;             /* the root has: what is not known now is known when it is expanded */
    struct dialect dialect;      /* with the functions of the providers (FN-002) */
};

/* The files above the one being loaded, innermost first. */
struct load_chain {
    const struct load_chain *outer;
    sv location, name;
    size_t depth; /* of the root 1 */
};

/* Elements that were tried before the types of values are checked: what fails there is told only when nothing else
 * explains it. */
struct children_probe {
    struct diags diags;
    struct evaluation evaluation;
    uint8_t *taint; /* per element: 0 not looked at, enum taint */
    bool is_started;
};
enum taint { TAINT_CLEAN = 1, TAINT_BROKEN };

struct load_family *children_new_family(const struct load_request *r) {
    struct load_family *f = ARENA_NEW(r->arena, struct load_family);
    f->request = *r;
    f->request.source = NULL;
    f->request.file = (sv){0};
    f->request.format = 0;
    f->request.inputs = NULL;
    f->request.input_count = 0;
    f->request.check_inputs = false;
    f->has_values = r->check_inputs;
    f->by_location = MAP(r->arena);
    f->dialect = blueprint_dialect;
    f->dialect.functions = fn_registry_for(r->arena, blueprint_dialect.functions, r->providers, r->diags);
    return f;
}

const struct dialect *children_get_dialect(const struct load_family *f) {
    return &f->dialect;
}

void children_start(struct loader *l, const struct source *source) {
    struct fetcher *f = l->request->fetcher;
    l->data->source = source->id;
    l->data->family = l->family;
    l->data->content = source->origin;
    if (source->origin == NULL && f != NULL) {
        l->data->content = f->ops->base(f, source);
    }
    if (l->chain == NULL) {
        struct load_chain *root = ARENA_NEW(&l->scratch, struct load_chain);
        *root = (struct load_chain){.name = source->name, .depth = 1};
        root->location = l->data->content != NULL ? l->data->content->location : (sv){0};
        l->chain = root;
    }
}

/* --- one attempt --- */

/* Who wants a child: a file under load, or an expansion. */
struct attempt {
    const struct element *element;
    const struct blueprint_data *file;
    struct blueprint_child *child;
    const struct load_chain *chain;
    struct load_request request; /* of the family, with the diagnostics at hand */
    bool is_secret;              /* its source is: nothing of it is told */
};

static struct diag *report(struct attempt *a, enum diag_code code, span at, sv message) {
    return diags_add(a->request.diags, code, at, "%.*s", SV_ARG(message));
}

static sv get_name(const struct attempt *a) {
    return sv_slice(a->element->name, 0, 80);
}

static struct arena *get_arena(const struct attempt *a) {
    return a->request.diags->arena;
}

static void report_failure(struct attempt *a, const struct fetch_failure *failure) {
    bool is_metadata = failure->code == DIAG_invalid_metadata || failure->code == DIAG_include_digest_mismatch;
    span at = is_metadata ? a->child->metadata_at : a->child->path_at;
    sv message = failure->message;
    if (a->is_secret) {
        message = arena_printf(get_arena(a), "the source of child '%.*s' cannot be used", SV_ARG(get_name(a)));
    }
    struct diag *d = report(a, failure->code, at, message);
    if (is_metadata) {
        d->path = arena_printf(get_arena(a), "%.*s%s.metadata", SV_ARG(a->element->address.text),
                               a->child->is_resource ? ".spec" : "");
    }
    if (failure->hint.len > 0 && !a->is_secret) {
        diag_set_hint(a->request.diags, d, "%.*s", SV_ARG(failure->hint));
    }
    a->child->broken = d->level == DIAG_ERROR;
}

/* --- where it is in the chain --- */

static void report_cycle(struct attempt *a, const struct content *content) {
    struct buf text = BUF(get_arena(a));
    VEC(sv) names = {0};
    for (const struct load_chain *c = a->chain; c != NULL; c = c->outer) {
        VEC_PUSH(get_arena(a), &names, c->name);
        if (sv_eq(c->location, content->location)) {
            break;
        }
    }
    for (size_t i = names.len; i > 0; i--) {
        buf_printf(&text, "%.*s -> ", SV_ARG(names.items[i - 1]));
    }
    assert(names.len > 0); /* the chain has the file itself at least */
    buf_append(&text, names.items[names.len - 1]);
    report(a, DIAG_blueprint_cycle_detected, a->child->path_at,
           a->is_secret ? SV("this blueprint includes itself")
                        : arena_printf(get_arena(a), "blueprints include each other in a circle: %.*s",
                                       SV_ARG(buf_get_sv(&text))));
}

static bool check_cycle(struct attempt *a, const struct content *content) {
    for (const struct load_chain *c = a->chain; c != NULL; c = c->outer) {
        if (c->location.len > 0 && sv_eq(c->location, content->location)) {
            report_cycle(a, content);
            return false;
        }
    }
    return true;
}

static bool check_depth(struct attempt *a, size_t height) {
    size_t limit = a->request.limits->include_depth;
    if (height <= limit && a->chain->depth <= limit - height) {
        return true;
    }
    report(a, DIAG_max_blueprint_depth_exceeded, a->child->path_at,
           arena_printf(get_arena(a), "more than %zu blueprints include each other in a chain", limit));
    return false;
}

/* BP-174: a deployment uses what was staged. */
static bool check_pin(struct attempt *a, const struct content *content) {
    for (size_t i = 0; i < a->request.pin_count; i++) {
        const struct content_pin *pin = &a->request.pins[i];
        if (sv_eq(pin->location, content->location) && !sv_eq(pin->digest, content->digest)) {
            struct diag *d = report(
                a, DIAG_include_changed_since_staging, a->child->path_at,
                arena_printf(get_arena(a), "the blueprint of child '%.*s' is not the staged one", SV_ARG(get_name(a))));
            diag_set_hint(a->request.diags, d, "plan again, or bring back what was planned");
            return false;
        }
    }
    return true;
}

/* --- reading --- */

/* BP-181: at its own position, with the child as related position; addresses below the child (BP-307). */
static void place_findings(struct attempt *a, size_t from) {
    struct diags *diags = a->request.diags;
    sv prefix = a->element->address.text;
    for (size_t i = from; i < diags->items.len; i++) {
        struct diag *d = diags->items.items[i];
        if (span_is_none(d->at)) {
            d->at = a->child->path_at;
        }
        d->path = d->path.len > 0 ? arena_printf(diags->arena, "%.*s/%.*s", SV_ARG(prefix), SV_ARG(d->path)) : prefix;
        if (d->group.len == 0 && d->level == DIAG_ERROR) {
            d->group = blueprint_get_group(ELEMENT_CHILD);
        }
        diag_add_related(diags, d, a->child->path_at, "included here as '%.*s'", SV_ARG(get_name(a)));
    }
}

/* BP-011 for what was asked for: locations may have something behind the name. */
static enum doc_format find_format(const struct content *content, sv path) {
    size_t query = sv_find_char(path, '?');
    enum doc_format format = doc_find_format(path);
    if (format == 0 && query != SIZE_MAX) {
        format = doc_find_format(sv_slice(path, 0, query));
    }
    return format != 0 ? format : doc_find_format(content->name);
}

static struct source *add_source(struct attempt *a, const struct content *content) {
    struct sources *sources = a->request.sources;
    if (content->bytes.len > a->request.limits->document_bytes || content->bytes.len > UINT32_MAX) {
        report(a, DIAG_limit_exceeded, a->child->path_at,
               arena_printf(get_arena(a), "the blueprint of child '%.*s' is larger than %zu bytes", SV_ARG(get_name(a)),
                            a->request.limits->document_bytes));
        return NULL;
    }
    sv name = a->is_secret ? SV("(sensitive)") : content->name;
    struct source *source = sources_add(sources, name, arena_copy_sv(sources->arena, content->bytes));
    source->path = content->path;
    source->origin = content;
    return source;
}

static const struct template *read_file(struct attempt *a, const struct content *content, sv path) {
    enum doc_format format = find_format(content, path);
    if (format == 0) {
        struct diag *d = report(a, DIAG_invalid_spec_ext, a->child->path_at,
                                arena_printf(get_arena(a), "the format of the blueprint of child '%.*s' is not known",
                                             SV_ARG(get_name(a))));
        diag_set_hint(a->request.diags, d, "a blueprint ends in .yaml, .yml, .json or .jsonc");
        return NULL;
    }
    struct source *source = add_source(a, content);
    if (source == NULL) {
        return NULL;
    }
    struct load_request r = a->request;
    r.source = source;
    r.file = source->name;
    r.format = format;
    struct load_chain chain = {a->chain, content->location, source->name, a->chain->depth + 1};
    size_t from = r.diags->items.len;
    size_t errors = r.diags->errors;
    struct template *t = loader_load_file(&r, a->file->family, &chain);
    place_findings(a, from);
    if (t == NULL || r.diags->errors > errors) {
        return NULL;
    }
    t->digest = content->digest;
    return t;
}

static const struct template *share_file(struct attempt *a, const struct loaded_file *f) {
    if (f->broken) {
        a->child->broken = true; /* reported at its first use */
        return NULL;
    }
    const struct blueprint_data *data = f->template->dialect_data;
    return check_depth(a, data->height) ? f->template : NULL;
}

static const struct template *use_content(struct attempt *a, const struct content *content, sv path) {
    struct map *files = &a->file->family->by_location;
    if (!check_pin(a, content) || !check_cycle(a, content)) {
        return NULL;
    }
    struct loaded_file *f = map_find(files, content->location);
    if (f != NULL) {
        return share_file(a, f);
    }
    if (!check_depth(a, 1)) {
        return NULL;
    }
    f = ARENA_NEW(a->request.arena, struct loaded_file);
    f->content = content;
    f->template = read_file(a, content, path);
    f->broken = f->template == NULL;
    map_put(files, content->location, f);
    return f->template;
}

/* --- sources --- */

enum source_state { SOURCE_KNOWN = 1, SOURCE_UNKNOWN, SOURCE_FAILED };

/* A text of the source: BP-216. */
static enum source_state settle_text(struct attempt *a, const char *what, value v, sv *text) {
    if (v.kind == VALUE_ERROR || (v.within & WITHIN_ERROR) != 0) {
        return SOURCE_FAILED;
    }
    if (!value_is_known(v)) {
        return SOURCE_UNKNOWN;
    }
    if (v.kind == VALUE_ABSENT || !scalars_to_text(a->request.arena, &v)) {
        report(a, DIAG_invalid_include, a->child->path_at,
               arena_printf(get_arena(a), "'%s' must be text, its result is %s", what,
                            value_get_kind_phrase((enum value_kind)v.kind)));
        return SOURCE_FAILED;
    }
    a->is_secret |= value_is_sensitive(v);
    *text = value_get_text(v);
    return SOURCE_KNOWN;
}

static enum source_state settle_metadata(struct attempt *a, value *v) {
    if (v->kind == VALUE_ERROR || (v->within & WITHIN_ERROR) != 0) {
        return SOURCE_FAILED;
    }
    if (!value_is_known(*v)) {
        return SOURCE_UNKNOWN;
    }
    a->is_secret |= value_is_sensitive(*v);
    if (v->kind == VALUE_ABSENT) {
        *v = (value){0};
    }
    return SOURCE_KNOWN;
}

static const struct template *fetch_path(struct attempt *a, sv path, value metadata) {
    struct fetcher *f = a->request.fetcher;
    if (sv_trim(path).len == 0) {
        report(a, DIAG_include_empty_path, a->child->path_at,
               arena_printf(get_arena(a), "the path of child '%.*s' is empty", SV_ARG(get_name(a))));
        return NULL;
    }
    struct fetch_failure failure = {0};
    const struct fetch_request request = {
        .arena = get_arena(a), .path = path, .metadata = metadata, .base = a->file->content};
    const struct content *content = f->ops->include(f, &request, &failure);
    if (content == NULL) {
        report_failure(a, &failure);
        return NULL;
    }
    return use_content(a, content, path);
}

/* --- modules (BP-291) --- */

static bool is_segment(sv s) {
    bool ok = s.len > 0 && !sv_eq(s, SV(".")) && !sv_eq(s, SV(".."));
    for (size_t i = 0; i < s.len && ok; i++) {
        char c = s.data[i];
        ok = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '.' ||
             c == '-';
    }
    return ok;
}

static bool is_module_name(sv name) {
    size_t segments = 0;
    if (name.len == 0 || name.data[name.len - 1] == '/') {
        return false;
    }
    for (sv rest = name; rest.len > 0; segments++) {
        if (!is_segment(sv_cut(&rest, '/'))) {
            return false;
        }
    }
    return segments <= 3;
}

static bool check_module(struct attempt *a, sv name, sv version) {
    sv word = is_module_name(name) ? version : name;
    if (is_module_name(name) && is_segment(version)) {
        return true;
    }
    struct diag *d =
        report(a, DIAG_resource_def_invalid_type, a->child->path_at,
               a->is_secret ? SV("this is no module")
                            : arena_printf(get_arena(a), "'%.*s' is no %s of a module", SV_ARG(sv_slice(word, 0, 80)),
                                           is_module_name(name) ? "version" : "name"));
    diag_set_hint(a->request.diags, d,
                  "a name has one to three parts of letters, digits, '_', '.' and '-' with '/' between them, a version "
                  "has one");
    return false;
}

/* The first hit: roots in order, in each the names in order. What is there but cannot be used is a failure. */
static const struct content *find_module(struct attempt *a, sv name, sv version, struct fetch_failure *failure) {
    static const char *const endings[] = {"yaml", "yml", "jsonc", "json"};
    struct fetcher *f = a->request.fetcher;
    struct fetch_request request = {.arena = get_arena(a)};
    const struct content *content = NULL;
    for (size_t i = 0; i < a->request.module_root_count; i++) {
        sv root = a->request.module_roots[i];
        for (size_t k = 0; k < sizeof endings / sizeof *endings; k++) {
            request.path = arena_printf(a->request.arena, "%.*s/%.*s/%.*s/blueprint.%s", SV_ARG(root), SV_ARG(name),
                                        SV_ARG(version), endings[k]);
            *failure = (struct fetch_failure){0};
            content = f->ops->include(f, &request, failure);
            if (content != NULL || failure->code != DIAG_include_path_not_found) {
                /* Contents live as long as the fetcher. */
                /* cppcheck-suppress returnDanglingLifetime */
                return content;
            }
        }
    }
    failure->code = DIAG_include_path_not_found;
    failure->message = arena_printf(get_arena(a), "version '%.*s' of module '%.*s' is in no module root",
                                    SV_ARG(version), SV_ARG(name));
    failure->hint = a->request.module_root_count > 0 ? SV("the file is named NAME/VERSION/blueprint.yaml there")
                                                     : SV("name the directory of modules with --module-root");
    return NULL;
}

static const struct template *fetch_module(struct attempt *a, sv name, sv version) {
    struct fetch_failure failure = {0};
    if (!check_module(a, name, version)) {
        return NULL;
    }
    const struct content *content = find_module(a, name, version, &failure);
    if (content == NULL) {
        report_failure(a, &failure);
        return NULL;
    }
    return use_content(a, content, content->name);
}

/* --- from expressions to a template --- */

/* The source of a child, evaluated. */
struct child_source {
    value path, metadata, module_name, module_version; /* kind 0: not written */
};

static value evaluate(struct evaluator *ev, const struct expr *e, struct scope *scope) {
    return e != NULL ? eval_expr(ev, e, scope) : (value){0};
}

static struct child_source evaluate_source(const struct blueprint_child *c, struct evaluator *ev, struct scope *scope) {
    return (struct child_source){evaluate(ev, c->path, scope), evaluate(ev, c->metadata, scope),
                                 evaluate(ev, c->module_name, scope), evaluate(ev, c->module_version, scope)};
}

static const struct template *load_source(struct attempt *a, struct child_source *s, enum source_state *state) {
    sv text[2] = {{0}};
    bool is_module = s->module_name.kind != 0;
    *state = is_module ? settle_text(a, "name", s->module_name, &text[0]) : settle_text(a, "path", s->path, &text[0]);
    if (*state == SOURCE_KNOWN) {
        *state = is_module ? settle_text(a, "version", s->module_version, &text[1]) : settle_metadata(a, &s->metadata);
    }
    if (*state != SOURCE_KNOWN) {
        return NULL;
    }
    return is_module ? fetch_module(a, text[0], text[1]) : fetch_path(a, text[0], s->metadata);
}

/* --- while a file is loaded --- */

static void report_unchecked(struct loader *l, const struct blueprint_child *c, uint32_t number, const char *why) {
    diags_add(l->diags, DIAG_include_not_checked, c->path_at, "child '%.*s' is not checked: %s",
              SV_ARG(sv_slice(l->elements[number].name, 0, 80)), why);
}

/* BP-312; with values the expansion that follows finds it, or says why not. */
static void report_later(struct loader *l, const struct blueprint_child *c, uint32_t number) {
    if (!l->family->has_values) {
        report_unchecked(l, c, number, "its source is known only when it is staged");
    }
}

static bool finds_item(void *user, const struct expr *e) {
    bool *found = user;
    *found |= e->kind == EXPR_REF && (e->op == BLUEPRINT_ROOT_ELEM || e->op == BLUEPRINT_ROOT_INDEX);
    return !*found;
}

/* Whether the source differs from instance to instance: then they are loaded one by one when there are instances. */
static bool uses_item(const struct blueprint_child *c) {
    bool found = false;
    const struct expr *exprs[] = {c->path, c->metadata, c->module_name, c->module_version};
    for (size_t i = 0; i < sizeof exprs / sizeof *exprs && !found; i++) {
        if (exprs[i] != NULL) {
            expr_walk(exprs[i], finds_item, &found);
        }
    }
    return found;
}

static bool is_literal_source(const struct blueprint_child *c) {
    const struct expr *exprs[] = {c->path, c->metadata, c->module_name, c->module_version};
    for (size_t i = 0; i < sizeof exprs / sizeof *exprs; i++) {
        if (exprs[i] != NULL && exprs[i]->kind != EXPR_LITERAL) {
            return false;
        }
    }
    return true;
}

static void start_probe(struct loader *l) {
    struct children_probe *p = l->probe;
    if (p->is_started) {
        return;
    }
    p->is_started = true;
    diags_init(&p->diags, &l->scratch, l->request->sources);
    p->taint = ARENA_ARRAY(&l->scratch, uint8_t, l->count + 1);
    const struct load_request *r = l->request;
    const struct evaluation_request request = {
        .host = r->host, .limits = r->limits, .record = r->record, .fetcher = r->fetcher};
    p->evaluation = (struct evaluation){.template = l->template, .arena = &l->scratch, .diags = &p->diags};
    blueprint_template_ops.start_evaluation(l->template, &p->evaluation, &request);
    for (size_t i = 0; i < l->count; i++) {
        const struct element *e = &l->elements[i];
        if (e->kind == ELEMENT_CHILD) {
            cell_set(&p->evaluation.cells[i].main, value_unknown(NULL));
        } else if (e->kind == ELEMENT_VARIABLE && l->chain->depth > 1) { /* each parent may pass another value */
            value v = value_unknown(e->type);
            cell_set(&p->evaluation.cells[i].main, e->secret ? value_mark(v, MARK_SENSITIVE) : v);
        }
    }
}

struct taint_step {
    uint32_t number;
    size_t next;
};

/* Whether it has errors, or anything it uses. */
static bool is_tainted(struct loader *l, uint32_t number) {
    uint8_t *taint = l->probe->taint;
    VEC(struct taint_step) stack = {0};
    VEC_PUSH(&l->scratch, &stack, ((struct taint_step){number, 0}));
    taint[number] = TAINT_CLEAN;
    while (stack.len > 0) {
        struct taint_step *top = VEC_LAST(&stack);
        const struct element *e = &l->elements[top->number];
        bool is_over = top->next == e->use_count || e->kind == ELEMENT_RESOURCE;
        if (is_over || l->entries[top->number].broken || taint[top->number] == TAINT_BROKEN) {
            bool is_broken = l->entries[top->number].broken || taint[top->number] == TAINT_BROKEN;
            stack.len--;
            if (is_broken) {
                taint[e - l->elements] = TAINT_BROKEN;
            }
            if (is_broken && stack.len > 0) {
                taint[VEC_LAST(&stack)->number] = TAINT_BROKEN;
            }
            continue;
        }
        uint32_t to = e->uses[top->next++].to;
        if (taint[to] == TAINT_BROKEN) {
            taint[top->number] = TAINT_BROKEN;
        } else if (taint[to] == 0) {
            taint[to] = TAINT_CLEAN;
            VEC_PUSH(&l->scratch, &stack, ((struct taint_step){to, 0}));
        }
    }
    return taint[number] == TAINT_BROKEN;
}

static struct attempt make_attempt(struct loader *l, uint32_t number) {
    struct attempt a = {.element = &l->elements[number],
                        .file = l->data,
                        .child = l->children[number],
                        .chain = l->chain,
                        .request = l->family->request};
    a.request.diags = l->diags;
    return a;
}

/* A source is evaluated with what is known while loading (BP-172, BP-312). */
static void load_known(struct loader *l, uint32_t number, struct blueprint_child *c) {
    struct attempt a = make_attempt(l, number);
    enum source_state state = SOURCE_UNKNOWN;
    struct child_source s = {0};
    start_probe(l);
    size_t errors = l->probe->diags.errors;
    if (!is_literal_source(c) && is_tainted(l, number)) {
        c->broken = true;
        return;
    }
    s = evaluate_source(c, l->probe->evaluation.evaluator, l->scope);
    size_t own_errors = l->diags->errors;
    c->template = load_source(&a, &s, &state);
    c->broken |= state == SOURCE_FAILED || l->probe->diags.errors > errors || l->diags->errors > own_errors;
    if (state == SOURCE_UNKNOWN) {
        report_later(l, c, number);
    }
}

static void load_child(struct loader *l, uint32_t number, struct blueprint_child *c) {
    if (l->entries[number].broken) {
        c->broken = true;
    } else if (l->request->fetcher == NULL) {
        report_unchecked(l, c, number, "nothing is read here");
    } else if (uses_item(c)) {
        report_later(l, c, number);
    } else {
        load_known(l, number, c);
    }
}

void children_load(struct loader *l) {
    l->probe = ARENA_NEW(&l->scratch, struct children_probe);
    for (uint32_t i = 0; i < l->count; i++) {
        struct blueprint_child *c = l->children[i];
        if (c == NULL) {
            continue;
        }
        size_t from = loader_get_mark(l);
        size_t errors = l->diags->errors;
        l->current = i;
        l->path.len = 0;
        if (c->is_resource) {
            tree_enter_key(l, SV("spec"));
        }
        tree_enter_key(l, c->module_name != NULL ? SV("module") : SV("path"));
        load_child(l, i, c);
        loader_tag(l, from, i);
        l->path.len = 0;
        l->entries[i].broken |= c->broken || l->diags->errors > errors;
        l->data->needs_expansion = true;
    }
}

/* --- the end of a load --- */

static void add_sums(struct loader *l) {
    struct blueprint_data *data = l->data;
    size_t limit = l->request->limits->elements;
    data->height = 1;
    data->weight = l->count;
    for (uint32_t i = 0; i < l->count; i++) {
        const struct blueprint_child *c = l->children[i];
        const struct blueprint_data *child = c != NULL && c->template != NULL ? c->template->dialect_data : NULL;
        if (child == NULL) {
            continue;
        }
        data->height = child->height + 1 > data->height ? child->height + 1 : data->height;
        data->weight += child->weight;
        if (data->weight > limit) {
            size_t from = loader_get_mark(l);
            diags_add(l->diags, DIAG_limit_exceeded, c->path_at,
                      "with its children the blueprint has more than %zu "
                      "elements",
                      limit);
            loader_tag(l, from, i);
            data->weight = limit;
            return;
        }
    }
}

void children_finish(struct loader *l) {
    add_sums(l);
    const struct diags *late = &l->probe->diags;
    if (!l->probe->is_started || l->diags->errors > l->errors_before) {
        return;
    }
    for (size_t i = 0; i < late->items.len; i++) {
        const struct diag *d = late->items.items[i];
        struct diag *copy = diags_add(l->diags, d->code, d->at, "%.*s", SV_ARG(d->message));
        copy->path = arena_copy_sv(l->diags->arena, d->path);
        copy->group = d->group;
        if (d->hint.len > 0) {
            diag_set_hint(l->diags, copy, "%.*s", SV_ARG(d->hint));
        }
        for (size_t k = 0; k < d->related.len; k++) {
            diag_add_related(l->diags, copy, d->related.items[k].at, "%.*s", SV_ARG(d->related.items[k].text));
        }
    }
}

/* --- at expansion --- */

static bool is_given(const struct blueprint_child *c, sv name) {
    return map_has(&c->inputs, name);
}

/* BP-177 by name, for children whose file is known only now. */
static void check_names(struct attempt *a, const struct template *t) {
    const struct blueprint_data *file = t->dialect_data;
    for (size_t i = 0; i < t->element_count; i++) {
        const struct element *e = &t->elements[i];
        if (e->kind == ELEMENT_VARIABLE && e->expr == NULL && !is_given(a->child, e->name)) {
            report(a, DIAG_include_missing_required_variable, a->element->at,
                   arena_printf(get_arena(a), "child '%.*s' needs a value for variable '%.*s'", SV_ARG(get_name(a)),
                                SV_ARG(sv_slice(e->name, 0, 80))));
        }
    }
    for (size_t i = 0; i < a->child->count; i++) {
        if (map_find(&file->names[ELEMENT_VARIABLE], a->child->names[i]) == NULL) {
            report(a, DIAG_include_unknown_variable, a->child->keys[i]->at,
                   arena_printf(get_arena(a), "child '%.*s' declares no variable '%.*s'", SV_ARG(get_name(a)),
                                SV_ARG(sv_slice(a->child->names[i], 0, 80))));
        }
    }
}

/* The chain of an expansion, made of the files above. */
static const struct load_chain *make_chain(struct arena *a, const struct child_load *r) {
    const struct load_chain *chain = NULL;
    for (size_t i = 0; i < r->above_count; i++) {
        const struct content *content = r->above[i]->content;
        struct load_chain *link = ARENA_NEW(a, struct load_chain);
        *link = (struct load_chain){.outer = chain, .depth = i + 1};
        if (content != NULL) {
            link->location = content->location;
            link->name = content->name;
        }
        chain = link;
    }
    return chain;
}

static void tag_findings(struct attempt *a, size_t from) {
    for (size_t i = from; i < a->request.diags->items.len; i++) {
        struct diag *d = a->request.diags->items.items[i];
        d->path = d->path.len > 0 ? d->path : a->element->address.text;
        d->group = d->group.len > 0 ? d->group : blueprint_get_group(ELEMENT_CHILD);
    }
}

static void report_unknown_source(struct attempt *a) {
    struct diag *d = report(
        a, DIAG_include_source_unknown, a->child->path_at,
        arena_printf(get_arena(a), "the source of child '%.*s' is known only after deployment", SV_ARG(get_name(a))));
    diag_set_hint(a->request.diags, d, "use variables, values and functions that need nothing of what is deployed");
}

const struct template *blueprint_load_child(const struct child_load *r) {
    struct blueprint_child child = *r->child; /* what comes of it here is no property of what is written */
    struct attempt a = {.element = r->element, .file = r->file, .child = &child, .request = r->file->family->request};
    a.request.diags = r->diags;
    a.chain = make_chain(a.request.arena, r);
    if (r->child->broken || a.request.fetcher == NULL) {
        return NULL;
    }
    enum source_state state = SOURCE_UNKNOWN;
    size_t from = r->diags->items.len;
    struct child_source s = evaluate_source(r->child, r->evaluator, r->scope);
    const struct template *t = load_source(&a, &s, &state);
    if (state == SOURCE_UNKNOWN && !r->tolerant) {
        report_unknown_source(&a);
    }
    if (t != NULL) {
        check_names(&a, t);
    }
    tag_findings(&a, from);
    return t;
}
