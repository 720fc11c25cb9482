#include "bench/engine/session.h"

#include "dialects/blueprint/blueprint.h"
#include "stores/memory/memory.h"
#include "stores/postgres/postgres_store.h"
#include "stores/sqlite/sqlite_store.h"

#include <stdio.h>
#include <stdlib.h>

_Noreturn void session_stop(const struct session *s, const char *what) {
    fprintf(stderr, "%s failed\n", what);
    for (size_t i = 0; i < s->diags.items.len && i < 5; i++) {
        sv code = diag_get_code_name(s->diags.items.items[i]);
        fprintf(stderr, "  %.*s: %.*s\n", SV_ARG(code), SV_ARG(s->diags.items.items[i]->message));
    }
    exit(1);
}

void session_load(struct session *s) {
    sources_init(&s->sources, &s->arena);
    diags_init(&s->diags, &s->arena, &s->sources);
    struct source *source = sources_add(&s->sources, SV("bench.yaml"), s->text);
    source->path = SV("/tmp/bench.yaml");
    struct load_request r = {.arena = &s->arena,
                             .sources = &s->sources,
                             .diags = &s->diags,
                             .limits = &limits_default,
                             .providers = s->providers,
                             .host = &s->host,
                             .fetcher = s->fetcher,
                             .file = SV("bench.yaml"),
                             .source = source,
                             .check_inputs = true};
    s->t = blueprint_load(&r);
    if (s->t == NULL || diags_has_errors(&s->diags)) {
        session_stop(s, "loading");
    }
}

static struct store *open_store(struct session *s, const struct store_options *options) {
    if (s->url != NULL) {
        return postgres_store_open(&s->arena, sv_from_cstr(s->url), options, NULL);
    }
    if (s->dir != NULL) {
        return sqlite_store_open(&s->arena, arena_printf(&s->arena, "%s/state.db", s->dir), options, NULL);
    }
    return memory_store_open(&s->arena, options);
}

void session_open_store(struct session *s) {
    struct store_options options = {.diags = &s->diags, .host = &s->host, .busy_timeout_ms = 1000};
    s->store = open_store(s, &options);
    if (s->store == NULL) {
        session_stop(s, "opening the store");
    }
    struct sealer_options seal = {.arena = &s->arena, .diags = &s->diags, .host = &s->host, .create = true};
    seal.key_file = arena_printf(&s->arena, "%s/default.key", s->dir == NULL ? "/tmp/lintel-bench" : s->dir);
    s->store->ops->get_store_key(s->store, seal.store_key);
    s->sealer = sealer_open(&seal);
    if (s->sealer == NULL) {
        session_stop(s, "opening the key");
    }
    s->config = (struct run_config){.arena = &s->arena,
                                    .diags = &s->diags,
                                    .limits = &limits_default,
                                    .store = s->store,
                                    .sealer = s->sealer,
                                    .providers = s->providers,
                                    .host = &s->host,
                                    .fetcher = s->fetcher,
                                    .context = SV("default"),
                                    .instance_name = SV("bench"),
                                    .actor_command = SV("bench"),
                                    .parallel = 10,
                                    .lease_ttl_ms = 60000,
                                    .drain_ms = 1000,
                                    .retry_first_ms = 100,
                                    .refresh = true};
}

void session_plan(struct session *s) {
    enum exit_code code;
    s->plan = run_plan(&s->config, s->t, false, NULL, 0, &code);
    if (s->plan == NULL) {
        session_stop(s, "planning");
    }
}

void session_deploy(struct session *s) {
    if (run_deploy(&s->config, s->t, s->plan) != EXIT_OK) {
        session_stop(s, "deploying");
    }
}

void session_close(struct session *s) {
    if (s->sealer != NULL) {
        sealer_close(s->sealer);
    }
    if (s->store != NULL) {
        s->store->ops->close(s->store);
    }
    s->sealer = NULL;
    s->store = NULL;
    arena_fini(&s->arena);
}
