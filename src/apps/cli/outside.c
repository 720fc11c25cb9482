#include "apps/cli/outside.h"

#include "api/builtin.h"
#include "api/transforms.h"
#include "apps/cli/bounds.h"
#include "sources/sources.h"

#include <stdlib.h>

/* Plans and deployments note what they have fetched. */
static enum sources_lock get_lock_mode(const struct cli *c) {
    sv name = c->command ? c->command->name : SV("");
    bool notes = sv_eq(name, SV("plan")) || sv_eq(name, SV("deploy"));
    return notes ? SOURCES_LOCK_ADD : SOURCES_LOCK_CHECK;
}

/* The types are as before, but their objects are known on deploy only. */
static const struct provider *without_data(struct cli *c, const struct provider *p) {
    struct provider *copy = ARENA_NEW(&c->arena, struct provider);
    const struct data_type **types = ARENA_ARRAY(&c->arena, const struct data_type *, p->data_count + 1);
    for (size_t i = 0; i < p->data_count; i++) {
        struct data_type *type = ARENA_NEW(&c->arena, struct data_type);
        *type = *p->data[i];
        type->fetch = NULL;
        types[i] = type;
    }
    *copy = *p;
    copy->data = types;
    return copy;
}

const struct providers *outside_get_providers(struct cli *c) {
    bool pure = settings_get_flag(c, "pure");
    if (!pure && !settings_get_flag(c, "offline"))
        return &builtin_providers;
    struct providers *all = ARENA_NEW(&c->arena, struct providers);
    const struct provider **items = ARENA_ARRAY(&c->arena, const struct provider *, builtin_providers.count);
    for (size_t i = 0; i < builtin_providers.count; i++) {
        const struct provider *p = builtin_providers.items[i];
        bool is_remote = sv_eq(p->name, SV("http"));
        items[i] = pure || is_remote ? without_data(c, p) : p;
    }
    *all = (struct providers){.items = items, .count = builtin_providers.count};
    return all;
}

sv outside_find_root(struct cli *c, sv file) {
    size_t slash = sv_rfind_char(file, '/');
    sv dir = slash == SIZE_MAX ? SV(".") : slash == 0 ? SV("/") : sv_slice(file, 0, slash);
    char *real = realpath(arena_copy_cstr(&c->arena, dir), NULL);
    sv root = arena_copy_sv(&c->arena, sv_from_cstr(real));
    free(real);
    return root;
}

static struct fetcher *open_fetcher(struct cli *c, sv root_dir, const struct load_request *request) {
    struct sources_options options = {
        .arena = &c->arena,
        .host = c->host,
        .root_dir = root_dir,
        .module_roots = request->module_roots,
        .module_root_count = request->module_root_count,
        .offline = settings_get_flag(c, "offline"),
        .pure = settings_get_flag(c, "pure"),
        .allow_outside = settings_get_flag(c, "allow-outside"),
        .allow_private = settings_get_flag(c, "allow-private"),
        .cache_dir = arena_printf(&c->arena, "%.*s/.lintel/cache", SV_ARG(c->project_dir)),
        .lock = get_lock_mode(c),
    };
    bounds_apply_to_sources(c, &options.limits);
    if (root_dir.len > 0)
        options.lock_file = arena_printf(&c->arena, "%.*s/lintel.lock", SV_ARG(root_dir));
    struct fetcher *fetcher = sources_open(&options);
    VEC_PUSH(&c->arena, &c->fetchers, fetcher);
    return fetcher;
}

static void put_module_roots(struct cli *c, struct load_request *request) {
    const struct setting *given = settings_find(c, SV("module-root"));
    size_t count = given ? given->texts.len : 0;
    sv cwd = c->host->ops->get_cwd(c->host->user, &c->arena);
    sv *roots = ARENA_ARRAY(&c->arena, sv, count + 1);
    for (size_t i = 0; i < count; i++) {
        sv root = given->texts.items[i];
        bool is_absolute = sv_has_prefix(root, SV("/"));
        roots[i] = is_absolute ? root : arena_printf(&c->arena, "%.*s/%.*s", SV_ARG(cwd), SV_ARG(root));
    }
    request->module_roots = roots;
    request->module_root_count = count;
}

void outside_open(struct cli *c, sv root_dir, struct load_request *request) {
    struct transforms_options transforms = {
        .arena = &c->arena,
        .host = c->host,
        .plugin_path = settings_get_text(c, "plugin-path"),
        .pure = settings_get_flag(c, "pure"),
    };
    put_module_roots(c, request);
    c->fetcher = open_fetcher(c, root_dir, request);
    request->fetcher = c->fetcher;
    if (!c->transforms)
        c->transforms = transforms_new(&transforms);
    request->transforms = c->transforms;
    request->no_transforms = settings_get_flag(c, "no-transforms");
}

bool outside_close(struct cli *c, bool is_sound) {
    bool ok = true;
    for (size_t i = 0; i < c->fetchers.len; i++) {
        struct fetch_failure failure = {0};
        if (is_sound && get_lock_mode(c) == SOURCES_LOCK_ADD && !sources_write_lock(c->fetchers.items[i], &failure)) {
            struct diag *d = diags_add(&c->diags, failure.code, SPAN_NONE, "%.*s", SV_ARG(failure.message));
            if (failure.hint.len > 0)
                diag_set_hint(&c->diags, d, "%.*s", SV_ARG(failure.hint));
            ok = false;
        }
        sources_close(c->fetchers.items[i]);
    }
    c->fetchers.len = 0;
    c->fetcher = NULL;
    return ok;
}
