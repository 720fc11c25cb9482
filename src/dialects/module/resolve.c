/* What names mean while modules are evaluated (MD-180 … MD-183, MD-221, MD-222). */
#include "dialects/module/run.h"

#include "model/host.h"

#include <errno.h>
#include <string.h>

/* --- instances' values --- */

static value without_parameter(struct arena *a, value instance) {
    return value_map_with(a, instance, SV("parameter"), value_absent());
}

static bool is_instance(value v) {
    return v.kind == VALUE_MAP && v.word == MODULE_WORD_INSTANCE;
}

/* MD-182 */
static value walk(void *user, struct evaluator *ev, value base, const struct step *step, const struct expr *ref) {
    bool is_modules = step->kind == STEP_NAME && (sv_eq(step->name, SV("module")) || sv_eq(step->name, SV("modules")));
    if (is_instance(base) && is_modules)
        return without_parameter(eval_get_arena(ev), base);
    return module_walk(user, ev, base, step, ref);
}

/* MD-224: arguments and calls side by side. As deep as modules are nested. */
static value flatten(struct arena *a, value v) {
    if (v.kind == VALUE_LIST) {
        struct list_builder items = {.arena = a};
        for (size_t i = 0; i < v.list->len; i++)
            list_add(&items, is_instance(v.list->items[i]) ? flatten(a, v.list->items[i]) : v.list->items[i]);
        return value_mark(list_done(&items), v.marks);
    }
    if (!is_instance(v))
        return v;
    struct map_builder b = {.arena = a};
    value parameter = value_map_find(v, SV("parameter"));
    for (size_t i = 0; parameter.kind == VALUE_MAP && i < parameter.map->len; i++)
        map_set(&b, parameter.map->entries[i].key, parameter.map->entries[i].item);
    for (size_t i = 0; i < v.map->len; i++) {
        if (!sv_eq(v.map->entries[i].key, SV("parameter")))
            map_set(&b, v.map->entries[i].key, flatten(a, v.map->entries[i].item));
    }
    return value_mark(map_done(&b), v.marks);
}

/* --- roots --- */

static value get_unit(struct module_run *r, sv name, bool *is_found) {
    uintptr_t number = (uintptr_t)map_find(&r->frame->by_name, name);
    *is_found = number != 0;
    if (number == 0)
        return value_null();
    value v = r->frame->units.items[number - 1].result;
    if (!value_is_set(v))
        return value_error(NULL); /* of a cycle that was reported */
    return r->frame->code->form == MODULE_LIST_FORM ? flatten(r->set->arena, v) : v;
}

static enum resolve_result fail(struct evaluator *ev, const struct expr *ref, struct resolved *out, const char *what,
                                sv name) {
    out->item =
        eval_fail(ev, DIAG_module_unknown_name, ref->at, "unknown %s '%.*s'", what, SV_ARG(sv_slice(name, 0, 80)));
    return RESOLVE_ERROR;
}

static bool is_dependency(const struct module_code *code, sv name) {
    for (size_t i = 0; i < code->dependencies.len; i++) {
        if (sv_eq(code->dependencies.items[i].name, name))
            return true;
    }
    return false;
}

/* MD-073: one that is not bound is null. */
static value get_dependency(struct module_run *r, sv name) {
    value v = r->frame->dependencies.kind == VALUE_MAP ? value_map_find(r->frame->dependencies, name) : (value){0};
    return value_is_set(v) ? v : value_null();
}

static enum resolve_result resolve_call(struct module_run *r, struct evaluator *ev, const struct expr *ref,
                                        struct resolved *out) {
    bool is_found = false, calls_too = ref->op == MODULE_ROOT_MODULE;
    if (ref->count == 0 || ref->ref.steps[0].kind != STEP_NAME) {
        out->item = eval_fail(ev, DIAG_module_value, ref->at, "%s reference must be static",
                              calls_too ? "module" : "dependencies");
        return RESOLVE_ERROR;
    }
    sv name = ref->ref.steps[0].name;
    out->steps_used = 1;
    if (is_dependency(r->frame->code, name)) {
        out->item = get_dependency(r, name);
        return RESOLVE_VALUE;
    }
    out->item = calls_too ? get_unit(r, name, &is_found) : value_null();
    return is_found ? RESOLVE_VALUE : fail(ev, ref, out, "module", name);
}

/* $env (section 10): a secret, since it comes from the process (MD-260). */
static enum resolve_result resolve_env(struct module_run *r, struct evaluator *ev, const struct expr *ref,
                                       struct resolved *out) {
    sv text = {0};
    const struct host *h = r->o.host;
    if (ref->count == 0 || ref->ref.steps[0].kind != STEP_NAME) {
        out->item = eval_fail(ev, DIAG_module_value, ref->at, "$env reference must be static");
        return RESOLVE_ERROR;
    }
    out->steps_used = 1;
    bool is_set = h != NULL && h->ops->find_env(h->user, r->set->arena, ref->ref.steps[0].name, &text);
    out->item = is_set ? value_mark(value_string(r->set->arena, text), MARK_SENSITIVE) : value_null();
    return RESOLVE_VALUE;
}

/* MD-183 */
static value make_self(struct module_run *r) {
    struct arena *a = r->set->arena;
    const struct module_frame *f = r->frame;
    struct map_builder b = {.arena = a};
    if (f->call == NULL)
        return value_null();
    sv separator = f->address.len > 0 ? SV(".") : SV("");
    sv address = arena_printf(a, "%.*s%.*s%.*s", SV_ARG(f->address), SV_ARG(separator), SV_ARG(f->copy->name));
    sv context = r->o.context.len > 0 ? r->o.context : SV("default");
    map_add(&b, SV("name"), value_string(a, f->copy->name));
    map_add(&b, SV("module"), value_string(a, f->target));
    map_add(&b, SV("address"), value_string(a, address));
    map_add(&b, SV("custom_state_path"),
            value_string(a, arena_printf(a, ".lintel/state.d/%.*s/%.*s", SV_ARG(context), SV_ARG(address))));
    return map_done(&b);
}

/* MD-222: one warning per name and document. */
static void warn_null(struct module_run *r, const struct expr *ref) {
    bool is_new = true;
    sv name = ref->ref.name;
    sv key = arena_printf(r->set->arena, "%.*s\n%.*s", SV_ARG(r->frame->code->name), SV_ARG(name));
    map_get_slot(&r->told_nulls, key, &is_new);
    if (is_new)
        diags_add(r->set->diags, DIAG_module_null_name, ref->at, "'%.*s' is no call and no parameter: it is null",
                  SV_ARG(sv_slice(name, 0, 80)));
}

/* MD-221: a call hides a parameter. */
static enum resolve_result resolve_bare(struct module_run *r, const struct expr *ref, struct resolved *out) {
    bool is_found = false;
    value parameter = r->frame->parameter;
    out->item = get_unit(r, ref->ref.name, &is_found);
    if (is_found)
        return RESOLVE_VALUE;
    if (parameter.kind == VALUE_UNKNOWN) {
        out->item = parameter;
        return RESOLVE_VALUE;
    }
    value given = parameter.kind == VALUE_MAP ? value_map_find(parameter, ref->ref.name) : (value){0};
    if (value_is_set(given))
        out->item = value_mark(given, parameter.marks);
    else
        warn_null(r, ref);
    return RESOLVE_VALUE;
}

static enum resolve_result resolve(void *user, struct evaluator *ev, const struct expr *ref, const struct scope *scope,
                                   struct resolved *out) {
    struct module_run *r = user;
    bool is_list = r->frame->code->form == MODULE_LIST_FORM;
    switch ((enum module_root)ref->op) {
    case MODULE_ROOT_FOR:
        return scope_find(scope, SV("for"), &out->item) ? RESOLVE_VALUE : fail(ev, ref, out, "variable", SV("for"));
    case MODULE_ROOT_ENV:
        return resolve_env(r, ev, ref, out);
    case MODULE_ROOT_SELF:
        out->item = make_self(r);
        return RESOLVE_VALUE;
    case MODULE_ROOT_PARAMETER:
        if (is_list)
            return resolve_bare(r, ref, out);
        out->item = r->frame->parameter;
        return RESOLVE_VALUE;
    case MODULE_ROOT_MODULE:
    case MODULE_ROOT_DEPENDENCIES:
        return is_list ? resolve_bare(r, ref, out) : resolve_call(r, ev, ref, out);
    case MODULE_ROOT_NAME:
        break;
    }
    if (is_list)
        return resolve_bare(r, ref, out);
    return fail(ev, ref, out, "variable", ref->ref.name);
}

const struct eval_ops module_eval_ops = {
    .resolve = resolve, .walk = walk, .step_by = module_step_by, .refuse = module_refuse};

/* --- files (MD-130) --- */

struct read_file {
    sv bytes, why;
};

static struct read_file *read_path(struct module_run *r, sv path) {
    enum { FILE_MAX_BYTES = 16 * 1024 * 1024 };
    struct read_file *f = ARENA_NEW(r->set->arena, struct read_file);
    struct source *source = NULL;
    int error = 0;
    enum source_read read = sources_read_file(r->set->sources, path, FILE_MAX_BYTES, &source, &error);
    if (read == SOURCE_READ_OK)
        f->bytes = source->bytes;
    else if (read == SOURCE_READ_TOO_LARGE)
        f->why = SV("it is larger than 16 MiB");
    else if (read == SOURCE_READ_DIRECTORY)
        f->why = SV("it is a directory");
    else
        f->why = arena_copy_sv(r->set->arena, sv_from_cstr(strerrordesc_np(error)));
    return f;
}

bool module_read_file(struct module_user *u, struct arena *a, sv path, span at, sv *bytes, sv *why) {
    struct module_run *r = (struct module_run *)u;
    const struct source *source = sources_find(r->set->sources, at.source);
    size_t slash = source == NULL ? SIZE_MAX : sv_rfind_char(source->name, '/');
    bool is_relative = !sv_has_prefix(path, SV("/")) && slash != SIZE_MAX;
    (void)a;
    if (sv_eq(path, SV("-")) || sv_find_char(path, '\0') != SIZE_MAX) {
        *why = SV("this is no path of a file");
        return false;
    }
    sv whole =
        is_relative ? arena_printf(r->set->arena, "%.*s/%.*s", (int)slash, source->name.data, SV_ARG(path)) : path;
    struct read_file *f = map_find(&r->read, whole);
    if (f == NULL) {
        f = read_path(r, whole);
        map_put(&r->read, whole, f);
    }
    *bytes = f->bytes;
    *why = f->why;
    return f->why.len == 0;
}
