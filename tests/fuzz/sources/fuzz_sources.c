/* What templates say about sources: paths, metadata and URLs, in a world without files and network.
 *
 * Input: lines; the first is the path, the others are NAME=TEXT of metadata. What must hold whatever the input: nothing
 * comes, and the failure says why in valid text; what is canonical stays as it is; a joined name does not leave its
 * top. */
#include "adapters/http/address.h"
#include "adapters/http/url.h"
#include "base/utf8.h"
#include "sources/internal.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(bool ok) {
    if (!ok) {
        abort();
    }
}

static bool find_env(void *user, struct arena *a, sv name, sv *result) {
    (void)user, (void)a, (void)name, (void)result;
    return false;
}

static sv get_cwd(void *user, struct arena *a) {
    (void)user, (void)a;
    return SV("/nonexistent");
}

static const struct host_ops host_ops = {.find_env = find_env, .get_cwd = get_cwd};

static void check_failure(const struct content *c, const struct fetch_failure *f) {
    require(c == NULL && f->code != DIAG_NO_CODE && f->message.len > 0);
    require(utf8_check(f->message) == f->message.len && utf8_check(f->hint) == f->hint.len);
    require(sv_find(f->message, SV("://u:hunter2@")) == SIZE_MAX);
}

static void check_urls(struct arena *a, sv text) {
    struct http_url first, second;
    if (!http_url_parse(a, text, &first)) {
        return;
    }
    require(http_url_parse(a, first.text, &second));
    require(sv_eq(first.text, second.text) && sv_eq(first.origin, second.origin) && first.port == second.port);
    require(!second.has_user && !second.has_fragment);
    require(http_classify_host(first.host) == http_classify_host(second.host));
    if (http_url_join(a, &first, SV("../x"), &second)) {
        require(sv_eq(first.origin, second.origin));
    }
}

static void check_names(struct arena *a, sv name) {
    sv result;
    if (!names_join(a, SV("top/dir"), name, &result)) {
        return;
    }
    while (result.len > 0) {
        sv part = sv_cut(&result, '/');
        require(part.len > 0 && !sv_eq(part, SV("..")) && !sv_eq(part, SV(".")));
    }
}

static value parse_metadata(struct arena *a, sv rest) {
    struct map_builder m = {.arena = a};
    while (rest.len > 0) {
        sv line = sv_cut(&rest, '\n');
        sv name = sv_cut(&line, '=');
        map_set(&m, name, value_string(a, line));
    }
    return map_done(&m);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    sv text = sv_make((const char *)data, size);
    if (size > 4096 || utf8_check(text) != size) {
        return 0;
    }
    struct arena a = {0};
    struct host host = {&host_ops, NULL};
    struct sources_options o = {.arena = &a, .host = &host, .root_dir = SV("/nonexistent"), .offline = true};
    struct fetcher *f = sources_open(&o);
    struct fetch_failure failure;
    struct fetch_request r = {.arena = &a, .path = sv_cut(&text, '\n')};
    r.metadata = parse_metadata(&a, text);
    check_failure(f->ops->include(f, &r, &failure), &failure);
    check_failure(f->ops->file(f, &r, &failure), &failure);
    check_failure(f->ops->url(f, &r, &failure), &failure);
    check_urls(&a, r.path);
    check_names(&a, r.path);
    sources_close(f);
    arena_fini(&a);
    return 0;
}
