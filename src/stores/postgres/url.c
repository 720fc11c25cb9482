/* Addresses of PostgreSQL states: libpq's, and `schema`. */
#include "base/buf.h"
#include "stores/postgres/internal.h"
#include "stores/postgres/postgres_store.h"

enum { NAME_MAX_BYTES = 63 };

/* A name that needs no care anywhere: what follows `pg_` belongs to the server. */
static bool is_schema_name(sv name) {
    bool ok = name.len > 0 && name.len <= NAME_MAX_BYTES && !sv_has_prefix(name, SV("pg_"));
    for (size_t i = 0; ok && i < name.len; i++) {
        char c = name.data[i];
        bool is_letter = (c >= 'a' && c <= 'z') || c == '_';
        ok = is_letter || (i > 0 && c >= '0' && c <= '9');
    }
    return ok;
}

/* What libpq does not know. */
struct own_parameters {
    sv schema, pooled;
};

/* The URL without them. */
static sv take_own(struct arena *a, sv url, struct own_parameters *own) {
    struct buf out = BUF(a);
    sv parameters = url;
    buf_append(&out, sv_cut(&parameters, '?'));
    for (char sep = '?'; parameters.len > 0;) {
        sv one = sv_cut(&parameters, '&');
        if (sv_has_prefix(one, SV("schema="))) {
            own->schema = sv_slice(one, 7, one.len);
            continue;
        }
        if (sv_has_prefix(one, SV("pooled="))) {
            own->pooled = sv_slice(one, 7, one.len);
            continue;
        }
        buf_append_char(&out, sep);
        buf_append(&out, one);
        sep = '&';
    }
    return buf_get_sv(&out);
}

static bool refuse(struct postgres_store *s, const char *what, const char *hint) {
    struct diag *d = diags_add(s->store.diags, DIAG_usage_error, SPAN_NONE, "%s", what);
    diag_set_hint(s->store.diags, d, "%s", hint);
    return false;
}

bool url_parse(struct postgres_store *s, sv url) {
    struct own_parameters own = {.schema = SV("lintel"), .pooled = SV("false")};
    sv rest = take_own(&s->arena, url, &own);
    s->schema = own.schema;
    s->is_pooled = sv_eq(own.pooled, SV("true"));
    if (!s->is_pooled && !sv_eq(own.pooled, SV("false"))) {
        return refuse(s, "'pooled' of the state's address is neither true nor false",
                      "pooled=true behind a pooler that gives each transaction another session, such as pgbouncer");
    }
    if (!is_schema_name(s->schema)) {
        return refuse(s, "the schema of the state is not named as schemas are",
                      "small letters, digits and '_', at most 63, as in schema=lintel_shop");
    }
    if (!pg_address_parse(&s->arena, rest, &s->address)) {
        return refuse(s, "this is no address of a PostgreSQL database",
                      "postgres://USER@HOST:PORT/DATABASE?PARAMETER=VALUE&…, special characters as % and two digits");
    }
    s->address.no_prepare = s->is_pooled;
    s->description =
        arena_printf(&s->arena, "PostgreSQL, %.*s, schema %.*s", SV_ARG(s->address.shown), SV_ARG(s->schema));
    return true;
}

bool postgres_url_has_password(sv url) {
    struct arena scratch = {.secret = true};
    struct pg_address address;
    struct own_parameters own = {0};
    bool has = pg_address_parse(&scratch, take_own(&scratch, url, &own), &address) && address.has_password;
    arena_fini(&scratch);
    return has;
}

/* In what is no address a password may stand anywhere. */
sv postgres_url_show(struct arena *a, sv url) {
    struct arena scratch = {.secret = true};
    struct pg_address address;
    struct own_parameters own = {0};
    sv shown = SV("postgres://…");
    if (pg_address_parse(&scratch, take_own(&scratch, url, &own), &address)) {
        shown = address.has_password ? arena_printf(a, "postgres://%.*s", SV_ARG(address.shown)) : url;
    }
    arena_fini(&scratch);
    return shown;
}
