#include "apps/cli/outside.h"
#include "apps/cli/session.h"

#include "api/builtin.h"
#include "dialects/blueprint/blueprint.h"
#include "doc/reader.h"

#include <sys/stat.h>
#include <unistd.h>

static const sv default_files[] = {SV_INIT("blueprint.yaml"), SV_INIT("blueprint.json"), SV_INIT("blueprint.jsonc")};

bool template_find_file(struct cli *c, sv *file) {
    if (c->arguments.len > 0) {
        *file = c->arguments.items[0];
        return true;
    }
    for (size_t i = 0; i < sizeof default_files / sizeof *default_files; i++) {
        struct stat st;
        if (stat(default_files[i].data, &st) == 0) {
            *file = default_files[i];
            return true;
        }
    }
    return false;
}

bool template_choose_file(struct cli *c, sv *file) {
    if (template_find_file(c, file))
        return true;
    output_usage_error(c, "no blueprint.yaml, blueprint.json or blueprint.jsonc here, and no FILE given");
    return false;
}

unsigned template_get_format(const struct cli *c) {
    sv name = settings_get_text(c, "input-format");
    if (sv_eq(name, SV("json")))
        return DOC_JSON;
    if (sv_eq(name, SV("jsonc")))
        return DOC_JSONC;
    return sv_eq(name, SV("yaml")) ? DOC_YAML : 0;
}

static sv get_base_name(sv path) {
    return sv_slice(path, sv_rfind_char(path, '/') + 1, path.len);
}

/* The root source is the first one that loading adds, or the one given. Its digest is set here: a dialect cannot reach
 * the hash. */
static struct template *load(struct cli *c, struct load_request *request, sv root_dir) {
    outside_open(c, root_dir, request);
    size_t before = c->sources.items.len;
    request->arena = &c->arena;
    request->sources = &c->sources;
    request->diags = &c->diags;
    request->limits = &c->limits;
    request->host = (struct host *)c->host;
    struct template *t = blueprint_load(request);
    const struct source *root = request->source;
    if (!root && c->sources.items.len > before)
        root = c->sources.items.items[before];
    if (t && root)
        t->digest = seal_sha256(&c->arena, root->bytes);
    return t;
}

static struct template *load_file(struct cli *c, const struct loaded *from, bool check_inputs) {
    struct load_request request = {
        .providers = settings_get_flag(c, "no-providers") ? NULL
                     : from->providers                    ? from->providers
                                                          : outside_get_providers(c),
        .file = from->file,
        .format = template_get_format(c),
        .inputs = from->inputs,
        .input_count = from->input_count,
        .check_inputs = check_inputs,
    };
    bool has_place = !sv_eq(from->file, SV("-"));
    return load(c, &request, has_place ? outside_find_root(c, from->file) : (sv){0});
}

static bool misses_variables(const struct cli *c) {
    for (size_t i = 0; i < c->diags.items.len; i++) {
        if (c->diags.items.items[i]->code == DIAG_required_variable_missing)
            return true;
    }
    return false;
}

static void forget_diagnostics(struct cli *c) {
    bool strict = c->diags.strict;
    diags_init(&c->diags, &c->arena, &c->sources);
    c->diags.strict = strict;
    c->diags.limit = c->limits.diagnostics;
    c->forgotten_sources = c->sources.items.len;
}

/* Asks for every secret variable without value. True when at least one was given: then loading starts anew. */
static bool ask_for_secrets(struct cli *c, struct loaded *l) {
    const struct template *t = l->template;
    size_t most = l->input_count + (t ? t->element_count : 0);
    struct template_input *inputs = ARENA_ARRAY(&c->arena, struct template_input, most + 1);
    size_t count = 0;
    for (; count < l->input_count; count++)
        inputs[count] = l->inputs[count];
    for (size_t i = 0; t && i < t->element_count; i++) {
        const struct element *e = &t->elements[i];
        bool is_missing = e->kind == ELEMENT_VARIABLE && e->secret && !e->expr;
        if (is_missing && atomic_load(&c->signals->count) == 0 && inputs_ask_secret(c, e->name, &inputs[count]))
            count++;
    }
    bool got_any = count > l->input_count;
    l->inputs = inputs;
    l->input_count = count;
    return got_any;
}

/* Whatever else is printed, the values of secret variables are not (BP-281). */
static void hide_secrets(struct cli *c, const struct loaded *l) {
    for (size_t i = 0; l->template && i < l->input_count; i++) {
        const struct template_input *in = &l->inputs[i];
        addr address = addr_make(&c->arena, SV(""), ELEMENT_VARIABLE, in->name);
        const struct element *e = template_find(l->template, address.text);
        if (!e || !e->secret || !value_is_scalar(in->item))
            continue;
        struct buf text = BUF(&c->arena);
        value_print_scalar(&text, in->item);
        mask_add(&c->mask, buf_get_sv(&text));
    }
}

bool template_load(struct cli *c, sv file, struct loaded *result) {
    *result = (struct loaded){.file = file};
    struct template_input *inputs = NULL;
    if (!inputs_collect(c, &inputs, &result->input_count))
        return false;
    result->inputs = inputs;
    result->template = load_file(c, result, true);
    bool can_ask = isatty(STDIN_FILENO) == 1 && isatty(STDERR_FILENO) == 1 && !sv_eq(file, SV("-"));
    if (can_ask && misses_variables(c) && ask_for_secrets(c, result)) {
        forget_diagnostics(c);
        result->template = load_file(c, result, true);
    }
    hide_secrets(c, result);
    return result->template != NULL && !diags_has_errors(&c->diags);
}

bool template_check(struct cli *c, struct loaded *l) {
    l->template = load_file(c, l, false);
    hide_secrets(c, l);
    return l->template != NULL && !diags_has_errors(&c->diags);
}

/* Parsed in one way or another: what counts is how they are written. */
static bool is_same_text(struct cli *c, value x, value y) {
    struct buf a = BUF(&c->arena), b = BUF(&c->arena);
    if (!value_is_scalar(x) || !value_is_scalar(y))
        return value_eq(x, y);
    value_print_scalar(&a, x);
    value_print_scalar(&b, y);
    return sv_eq(buf_get_sv(&a), buf_get_sv(&b));
}

/* BP-283: secrets that are given again must be those that were staged. */
static bool check_secrets(struct cli *c, const struct template *t) {
    struct template_input *inputs = NULL;
    size_t count = 0;
    if (!inputs_collect(c, &inputs, &count))
        return false;
    struct map last = MAP(&c->arena);
    for (size_t i = 0; i < count; i++)
        map_put(&last, inputs[i].name, &inputs[i]);
    bool ok = true;
    for (size_t i = 0; i < t->element_count; i++) {
        const struct element *e = &t->elements[i];
        const struct template_input *given = map_find(&last, e->name);
        bool is_bound = e->kind == ELEMENT_VARIABLE && e->secret && e->expr && e->expr->kind == EXPR_LITERAL;
        if (!is_bound || !given || is_same_text(c, given->item, e->expr->literal))
            continue;
        struct diag *d = diags_add(&c->diags, DIAG_secret_changed_since_staging, e->at,
                                   "secret variable '%.*s' is not what it was when the plan was made", SV_ARG(e->name));
        diag_set_hint(&c->diags, d, "plan again, or leave it out: the plan holds what was staged");
        ok = false;
    }
    return ok;
}

/* A text that was sealed and cannot be opened: without key, or with --no-seal. */
static bool check_text(struct cli *c, const struct plan *p) {
    if (p->template_text.len > 0)
        return true;
    struct diag *d = diags_add(&c->diags, DIAG_secret_value_unavailable, SPAN_NONE,
                               "the blueprint in the plan holds secrets, and the key that opens it is not here");
    diag_set_hint(&c->diags, d, "give the key that the plan was made with: --key file:PATH");
    return false;
}

bool template_load_from_plan(struct cli *c, const struct plan *p, struct template **result) {
    *result = NULL;
    if (!check_text(c, p))
        return false;
    enum doc_format format = doc_find_format(p->template_file);
    struct source *source = sources_add(&c->sources, p->template_file, p->template_text);
    source->path = p->root_dir.len > 0 ? arena_printf(&c->arena, "%.*s/%.*s", SV_ARG(p->root_dir),
                                                      SV_ARG(get_base_name(p->template_file)))
                                       : (sv){0};
    struct load_request request = {
        .providers = outside_get_providers(c),
        .file = p->template_file,
        .format = format ? format : DOC_YAML,
        .source = source,
        .inputs = p->inputs,
        .input_count = p->input_count,
        .check_inputs = true,
    };
    request.pins = p->pins;
    request.pin_count = p->pin_count;
    *result = load(c, &request, p->root_dir);
    return *result != NULL && !diags_has_errors(&c->diags) && check_secrets(c, *result);
}
