/* The public interface: thin functions over dialects. */
#include "lintel/lintel.h"

#include "api/builtin.h"
#include "dialects/blueprint/blueprint.h"
#include "doc/suppress.h"
#include "model/host.h"
#include "sources/sources.h"
#include "text/render.h"

#include <stdlib.h>

struct lintel {
    struct arena own;   /* holds the handle itself */
    struct arena arena; /* of the last call */
    struct sources sources;
    struct diags diags;
};

const char *lintel_get_version(void) {
    return LINTEL_VERSION;
}

static void reset(struct lintel *handle) {
    arena_fini(&handle->arena);
    sources_init(&handle->sources, &handle->arena);
    diags_init(&handle->diags, &handle->arena, &handle->sources);
}

struct lintel *lintel_open(void) {
    struct arena own = {0};
    struct lintel *handle = ARENA_NEW(&own, struct lintel);
    handle->own = own;
    reset(handle);
    return handle;
}

void lintel_close(struct lintel *handle) {
    if (!handle)
        return;
    arena_fini(&handle->arena);
    struct arena own = handle->own;
    arena_fini(&own);
}

/* Includes from files, below the directory of the blueprint. */
static struct fetcher *open_local(struct lintel *handle, sv file) {
    size_t slash = sv_rfind_char(file, '/');
    char *real =
        realpath(slash == SIZE_MAX ? "." : arena_copy_cstr(&handle->arena, sv_slice(file, 0, slash + 1)), NULL);
    struct sources_options options = {.arena = &handle->arena,
                                      .host = &host_system,
                                      .root_dir = arena_copy_sv(&handle->arena, sv_from_cstr(real)),
                                      .offline = true,
                                      .lock = SOURCES_LOCK_CHECK};
    free(real);
    return sources_open(&options);
}

static enum lintel_result validate(struct lintel *handle, sv name, struct source *source, unsigned flags) {
    handle->diags.strict = (flags & LINTEL_STRICT) != 0;
    struct load_request request = {
        .arena = &handle->arena,
        .sources = &handle->sources,
        .diags = &handle->diags,
        .limits = &limits_default,
        .providers = flags & LINTEL_NO_PROVIDERS ? NULL : &builtin_providers,
        .host = (struct host *)&host_system,
        .file = name,
        .source = source,
    };
    request.fetcher = open_local(handle, source ? SV("") : name);
    const struct template *t = blueprint_load(&request);
    sources_close(request.fetcher);
    doc_suppress(&handle->diags, &handle->sources,
                 &(struct suppress_options){.is_partial = (flags & LINTEL_NO_PROVIDERS) != 0});
    if (t && !diags_has_errors(&handle->diags))
        return LINTEL_OK;
    return t || handle->sources.items.len > 0 ? LINTEL_INVALID : LINTEL_NOT_READABLE;
}

static bool are_known(unsigned flags) {
    return (flags & ~(unsigned)(LINTEL_STRICT | LINTEL_NO_PROVIDERS)) == 0;
}

enum lintel_result lintel_validate(struct lintel *handle, const char *path, unsigned flags) {
    if (!handle || !path || !are_known(flags))
        return LINTEL_BAD_ARGUMENT;
    reset(handle);
    return validate(handle, arena_copy_sv(&handle->arena, sv_from_cstr(path)), NULL, flags);
}

enum lintel_result lintel_validate_text(struct lintel *handle, const char *name, const char *text, unsigned long length,
                                        unsigned flags) {
    if (!handle || !name || (!text && length > 0) || length > limits_default.document_bytes || !are_known(flags))
        return LINTEL_BAD_ARGUMENT;
    reset(handle);
    sv own_name = arena_copy_sv(&handle->arena, sv_from_cstr(name));
    sv own_text = arena_copy_sv(&handle->arena, sv_make(text, length));
    return validate(handle, own_name, sources_add(&handle->sources, own_name, own_text), flags);
}

const char *lintel_get_diagnostics(struct lintel *handle) {
    if (!handle)
        return "[]";
    struct buf out = BUF(&handle->arena);
    struct jsonw w = JSONW(&out, 0);
    struct render_options options = {0};
    render_diags_json(&w, &handle->diags, &options);
    return buf_get_sv(&out).data;
}

const char *lintel_render_diagnostics(struct lintel *handle) {
    if (!handle || handle->diags.items.len == 0)
        return "";
    struct buf out = BUF(&handle->arena);
    struct render_options options = {0};
    render_diags(&out, &handle->diags, &options);
    return buf_get_sv(&out).data;
}
