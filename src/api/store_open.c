#include "api/store_open.h"

#include "stores/memory/memory.h"
#include "stores/postgres/postgres_store.h"
#include "stores/sqlite/sqlite_store.h"

bool store_is_postgres_url(sv url) {
    return sv_has_prefix(url, SV("postgres://")) || sv_has_prefix(url, SV("postgresql://"));
}

bool store_url_has_password(sv url) {
    return store_is_postgres_url(url) && postgres_url_has_password(url);
}

sv store_show_url(struct arena *a, sv url) {
    return store_is_postgres_url(url) ? postgres_url_show(a, url) : url;
}

/* Looking at a state that is not there yet sees an empty one. */
static struct store *open_postgres(struct arena *a, sv url, const struct store_options *options,
                                   enum store_result *result) {
    struct store *store = postgres_store_open(a, url, options, result);
    if (store == NULL && *result == STORE_NOT_FOUND) {
        *result = STORE_OK;
        return memory_store_open(a, options);
    }
    return store;
}

struct store *store_open_url(struct arena *a, sv url, const struct store_options *options, enum store_result *result) {
    enum store_result unused = STORE_OK;
    result = result == NULL ? &unused : result;
    if (sv_eq_cstr(url, "memory:")) {
        *result = STORE_OK;
        return memory_store_open(a, options);
    }
    if (sv_has_prefix(url, SV("sqlite:"))) {
        return sqlite_store_open(a, sv_slice(url, 7, url.len), options, result);
    }
    if (store_is_postgres_url(url)) {
        return open_postgres(a, url, options, result);
    }
    *result = STORE_FAILED;
    if (sv_find(url, SV("://")) != SIZE_MAX || sv_has_prefix(url, SV("memory:"))) {
        struct diag *d = diags_add(options->diags, DIAG_usage_error, SPAN_NONE, "this is no address of a state store");
        diag_set_hint(options->diags, d, "give a PATH, sqlite:PATH or postgres://USER@HOST/DATABASE");
        return NULL;
    }
    return sqlite_store_open(a, url, options, result);
}

struct store *store_open(struct arena *a, sv url, const struct store_options *options) {
    return store_open_url(a, url, options, NULL);
}
