/* The store contract over schemas of a PostgreSQL database. */
#include "contract/store/fixture.h"
#include "contract/store/server.h"
#include "stores/postgres/postgres_store.h"

/* A schema for each directory. */
static sv get_schema(struct fixture *f) {
    sv dir = sv_from_cstr(f->dir);
    sv name = arena_printf(&f->arena, "s_%.*s", SV_ARG(sv_slice(dir, dir.len - 6, dir.len)));
    for (char *c = (char *)(uintptr_t)name.data; *c != '\0'; c++) {
        *c = (char)(*c >= 'A' && *c <= 'Z' ? *c - 'A' + '0' : *c);
        *c = (char)((*c >= '0' && *c <= '9') || (*c >= 'a' && *c <= 'z') ? *c : '_');
    }
    return name;
}

static struct store *open_with(struct fixture *f, bool read_only, const char *parameter) {
    struct store_options options = fixture_get_options(f, read_only);
    sv url = server_get_url(f->kind->user, NULL, get_schema(f).data);
    url = arena_printf(&f->arena, "%.*s%s", SV_ARG(url), parameter);
    return postgres_store_open(&f->arena, url, &options, NULL);
}

static struct store *open_postgres(struct fixture *f, bool read_only) {
    return open_with(f, read_only, "");
}

/* F31: nothing is set up in the session, so that whatever relies on it finds no table. */
static struct store *open_pooled(struct fixture *f, bool read_only) {
    return open_with(f, read_only, "&pooled=true");
}

static void let_pass(struct fixture *f, int64_t ms) {
    sv sql = arena_printf(&f->arena, "UPDATE %.*s.leases SET expires_ms = expires_ms - %lld", SV_ARG(get_schema(f)),
                          (long long)ms);
    server_query(f->kind->user, "postgres", sql.data);
}

int main(void) {
    struct server server;
    if (!server_start(&server)) {
        print_message("1..0 # SKIP there are no programs of PostgreSQL\n");
        return 0;
    }
    const struct store_kind kind = {.name = "store contract: postgres",
                                    .open = open_postgres,
                                    .is_lasting = true,
                                    .let_pass = let_pass,
                                    .user = &server};
    struct store_kind pooled = kind;
    pooled.name = "store contract: postgres behind a pooler";
    pooled.open = open_pooled;
    int failed = run_store_contract(&kind) + run_queue_contract(&kind) + run_key_contract(&kind);
    failed += run_store_contract(&pooled) + run_queue_contract(&pooled) + run_key_contract(&pooled);
    server_stop(&server);
    return failed;
}
