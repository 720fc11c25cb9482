/* Addresses: what the URI says, and what we add where it says nothing. */
#include "adapters/postgres/postgres.h"

#include "base/buf.h"
#include "base/vec.h"

#include <glob.h>
#include <libpq-fe.h>
#include <unistd.h>

#define SYSTEM_AUTHORITIES "/etc/ssl/certs/ca-certificates.crt"

static const char *find_option(const PQconninfoOption *options, const char *keyword) {
    for (const PQconninfoOption *o = options; o != NULL && o->keyword != NULL; o++) {
        if (strcmp(o->keyword, keyword) == 0) {
            return o->val != NULL && o->val[0] != '\0' ? o->val : NULL;
        }
    }
    return NULL;
}

static bool is_loopback(sv host) {
    return host.len == 0 || host.data[0] == '/' || host.data[0] == '@' || sv_eq_cstr(host, "localhost") ||
           sv_eq_cstr(host, "::1") || (sv_has_prefix(host, SV("127.")) && sv_find_char(host, ':') == SIZE_MAX);
}

/* 127.evil.example is a name, not an address. */
static bool has_letters(sv host) {
    for (size_t i = 0; i < host.len; i++) {
        if ((host.data[i] | 0x20) >= 'a' && (host.data[i] | 0x20) <= 'z') {
            return true;
        }
    }
    return false;
}

/* All hosts of the list. */
static bool is_local_list(const char *hosts) {
    sv rest = sv_from_cstr(hosts);
    do {
        sv host = sv_cut(&rest, ',');
        bool is_number = sv_has_prefix(host, SV("127."));
        if (!is_loopback(host) || (is_number && has_letters(host))) {
            return false;
        }
    } while (rest.len > 0);
    return true;
}

struct pairs {
    struct arena *arena;
    VEC(const char *) keywords, values;
};

static void put(struct pairs *p, const char *keyword, const char *text) {
    VEC_PUSH(p->arena, &p->keywords, arena_copy_cstr(p->arena, sv_from_cstr(keyword)));
    VEC_PUSH(p->arena, &p->values, arena_copy_cstr(p->arena, sv_from_cstr(text)));
}

/* Where libpq looks when nothing is said. */
static bool has_own_authorities(void) {
    glob_t found;
    bool has = glob("~/.postgresql/root.crt", GLOB_TILDE, NULL, &found) == 0;
    globfree(&found);
    return has;
}

static void add_tls(struct pairs *p, const PQconninfoOption *given, const PQconninfoOption *standard, bool is_local) {
    if (find_option(given, "gssencmode") == NULL) {
        put(p, "gssencmode", "disable");
    }
    if (is_local || find_option(given, "sslmode") != NULL) {
        return;
    }
    put(p, "sslmode", "verify-full");
    bool is_told = find_option(given, "sslrootcert") != NULL || find_option(standard, "sslrootcert") != NULL;
    if (!is_told && !has_own_authorities() && access(SYSTEM_AUTHORITIES, R_OK) == 0) {
        put(p, "sslrootcert", SYSTEM_AUTHORITIES);
    }
}

static void add_defaults(struct pairs *p, const PQconninfoOption *given) {
    static const struct {
        const char *keyword, *text;
    } defaults[] = {
        {"connect_timeout", "10"}, {"keepalives_idle", "10"},     {"keepalives_interval", "5"},
        {"keepalives_count", "4"}, {"tcp_user_timeout", "30000"},
    };
    for (size_t i = 0; i < sizeof defaults / sizeof defaults[0]; i++) {
        if (find_option(given, defaults[i].keyword) == NULL) {
            put(p, defaults[i].keyword, defaults[i].text);
        }
    }
    put(p, "client_encoding", "UTF8");
    put(p, "fallback_application_name", "lintel");
}

static const char *choose(const PQconninfoOption *given, const PQconninfoOption *standard, const char *keyword,
                          const char *otherwise) {
    const char *text = find_option(given, keyword);
    text = text == NULL ? find_option(standard, keyword) : text;
    return text == NULL ? otherwise : text;
}

static sv show(struct arena *a, const PQconninfoOption *given, const PQconninfoOption *standard) {
    struct buf out = BUF(a);
    const char *user = choose(given, standard, "user", "");
    const char *host = find_option(given, "host");
    host = host == NULL ? choose(given, standard, "hostaddr", choose(given, standard, "host", "local")) : host;
    buf_printf(&out, "%s%s%s", user, user[0] == '\0' ? "" : "@", host);
    if (host[0] != '/') {
        buf_printf(&out, ":%s", choose(given, standard, "port", "5432"));
    }
    buf_printf(&out, "/%s", choose(given, standard, "dbname", user));
    return buf_get_sv(&out);
}

static bool has_host(const PQconninfoOption *options) {
    return find_option(options, "host") != NULL || find_option(options, "hostaddr") != NULL;
}

/* What is said in files of services cannot be told here: such a server counts as far away. */
static bool find_local(const PQconninfoOption *given, const PQconninfoOption *standard) {
    bool has_service = find_option(given, "service") != NULL || find_option(standard, "service") != NULL;
    if (!has_host(given) && has_service) {
        return false;
    }
    const PQconninfoOption *from = has_host(given) ? given : standard;
    const char *host = find_option(from, "host"), *address = find_option(given, "hostaddr");
    address = address == NULL ? find_option(standard, "hostaddr") : address;
    return address != NULL ? is_local_list(address) : is_local_list(host == NULL ? "" : host);
}

static void fill(struct arena *a, const PQconninfoOption *given, const PQconninfoOption *standard,
                 struct pg_address *result) {
    struct pairs p = {.arena = a};
    for (const PQconninfoOption *o = given; o->keyword != NULL; o++) {
        if (find_option(given, o->keyword) != NULL && strcmp(o->keyword, "client_encoding") != 0) {
            put(&p, o->keyword, o->val);
        }
    }
    result->is_local = find_local(given, standard);
    result->has_password = find_option(given, "password") != NULL || find_option(given, "sslpassword") != NULL;
    result->shown = show(a, given, standard);
    add_tls(&p, given, standard, result->is_local);
    add_defaults(&p, given);
    VEC_PUSH(a, &p.keywords, NULL);
    VEC_PUSH(a, &p.values, NULL);
    result->keywords = p.keywords.items;
    result->values = p.values.items;
}

static bool has_only(const char *text, const char *allowed) {
    return text == NULL || text[strspn(text, allowed)] == '\0';
}

/* A password that holds '@', '/' or ':' unescaped ends up in other parts, which messages quote. */
static bool is_sound(const PQconninfoOption *given) {
    const char *host = find_option(given, "host"), *database = find_option(given, "dbname");
    bool host_ok = host == NULL || strchr(host + 1, '@') == NULL;
    return host_ok && (database == NULL || strchr(database, '@') == NULL) &&
           has_only(find_option(given, "port"), "0123456789,");
}

bool pg_address_parse(struct arena *a, sv url, struct pg_address *result) {
    *result = (struct pg_address){0};
    if (memchr(url.data, '\0', url.len) != NULL) {
        return false;
    }
    char *why = NULL; /* may quote a password: never shown */
    PQconninfoOption *given = PQconninfoParse(arena_copy_cstr(a, url), &why);
    PQfreemem(why);
    if (given == NULL || !is_sound(given)) {
        PQconninfoFree(given);
        return false;
    }
    PQconninfoOption *standard = PQconndefaults();
    fill(a, given, standard, result);
    PQconninfoFree(standard);
    PQconninfoFree(given);
    return true;
}
