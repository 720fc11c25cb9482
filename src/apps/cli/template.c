#include "apps/cli/session.h"

#include "api/builtin.h"
#include "dialects/blueprint/blueprint.h"
#include "doc/reader.h"

#include <sys/stat.h>

static const sv default_files[] = {SV_INIT("blueprint.yaml"), SV_INIT("blueprint.json"), SV_INIT("blueprint.jsonc")};

bool template_choose_file(struct cli *c, sv *file) {
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

static struct template *load(struct cli *c, sv file, const struct loaded *from, bool check_inputs) {
    struct load_request request = {
        .arena = &c->arena,
        .sources = &c->sources,
        .diags = &c->diags,
        .limits = &c->limits,
        .providers = settings_get_flag(c, "no-providers") ? NULL : &builtin_providers,
        .host = (struct host *)c->host,
        .file = file,
        .format = template_get_format(c),
        .inputs = from->inputs,
        .input_count = from->input_count,
        .check_inputs = check_inputs,
    };
    return blueprint_load(&request);
}

static bool misses_variables(const struct cli *c) {
    for (size_t i = 0; i < c->diags.items.len; i++) {
        if (c->diags.items.items[i]->code == DIAG_required_variable_missing)
            return true;
    }
    return false;
}

/* Asks for every secret variable without value; true when at least one was given. */
static bool ask_for_secrets(struct cli *c, struct loaded *l) {
    diags_init(&c->diags, &c->arena, &c->sources);
    const struct template *t = load(c, l->file, l, false);
    struct template_input *inputs =
        ARENA_ARRAY(&c->arena, struct template_input, l->input_count + (t ? t->element_count : 0));
    size_t count = 0;
    for (; count < l->input_count; count++)
        inputs[count] = l->inputs[count];
    size_t given = count;
    for (size_t i = 0; t && i < t->element_count; i++) {
        const struct element *e = &t->elements[i];
        if (e->kind == ELEMENT_VARIABLE && e->secret && !e->expr && inputs_ask_secret(c, e->name, &inputs[count]))
            count++;
    }
    l->inputs = inputs;
    l->input_count = count;
    return count > given;
}

bool template_load(struct cli *c, sv file, struct loaded *result) {
    *result = (struct loaded){.file = file};
    struct template_input *inputs = NULL;
    if (!inputs_collect(c, &inputs, &result->input_count))
        return false;
    result->inputs = inputs;
    result->template = load(c, file, result, true);
    if (misses_variables(c) && !sv_eq(file, SV("-"))) {
        ask_for_secrets(c, result);
        diags_init(&c->diags, &c->arena, &c->sources);
        result->template = load(c, file, result, true);
    }
    for (size_t i = 0; i < result->input_count; i++) {
        const struct template_input *in = &result->inputs[i];
        const struct element *e =
            result->template
                ? template_find(result->template, addr_make(&c->arena, SV(""), ELEMENT_VARIABLE, in->name).text)
                : NULL;
        if (e && e->secret && in->item.kind == VALUE_STRING)
            mask_add(&c->mask, value_get_text(in->item));
    }
    return result->template != NULL && !diags_has_errors(&c->diags);
}

bool template_check(struct cli *c, sv file) {
    struct loaded loaded = {.file = file};
    struct template_input *inputs = NULL;
    if (!inputs_collect(c, &inputs, &loaded.input_count))
        return false;
    loaded.inputs = inputs;
    return load(c, file, &loaded, false) != NULL && !diags_has_errors(&c->diags);
}

bool template_load_from_plan(struct cli *c, const struct plan *p, struct template **result) {
    enum doc_format format = doc_find_format(p->template_file);
    struct source *source = sources_add(&c->sources, p->template_file, p->template_text);
    source->path = p->root_dir.len > 0 ? arena_printf(&c->arena, "%.*s/%.*s", SV_ARG(p->root_dir),
                                                      SV_ARG(get_base_name(p->template_file)))
                                       : (sv){0};
    struct load_request request = {
        .arena = &c->arena,
        .sources = &c->sources,
        .diags = &c->diags,
        .limits = &c->limits,
        .providers = &builtin_providers,
        .host = (struct host *)c->host,
        .file = p->template_file,
        .format = format ? format : DOC_YAML,
        .source = source,
        .inputs = p->inputs,
        .input_count = p->input_count,
        .check_inputs = true,
    };
    *result = blueprint_load(&request);
    return *result != NULL && !diags_has_errors(&c->diags);
}
