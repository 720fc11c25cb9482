#include "api/store_open.h"

#include "stores/memory/memory.h"
#include "stores/sqlite/sqlite_store.h"

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
    *result = STORE_FAILED;
    if (sv_has_prefix(url, SV("postgres://")) || sv_has_prefix(url, SV("postgresql://"))) {
        diags_add(options->diags, DIAG_not_supported_yet, SPAN_NONE,
                  "state in PostgreSQL is not supported by this version");
        return NULL;
    }
    if (sv_find(url, SV("://")) != SIZE_MAX || sv_has_prefix(url, SV("memory:"))) {
        struct diag *d = diags_add(options->diags, DIAG_usage_error, SPAN_NONE, "this is no address of a state store");
        diag_set_hint(options->diags, d, "give a PATH or sqlite:PATH");
        return NULL;
    }
    return sqlite_store_open(a, url, options, result);
}

struct store *store_open(struct arena *a, sv url, const struct store_options *options) {
    return store_open_url(a, url, options, NULL);
}
