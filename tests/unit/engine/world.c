#include "world.h"

#include "dialects/blueprint/blueprint.h"
#include "stores/memory/memory.h"
#include "value/convert.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
#include <cmocka.h>

/* --- host --- */

static int64_t get_wall_ms(void *user) {
    struct world *w = user;
    return w->wall_ms;
}

/* Goes on a little with every look, so that nothing waits for ever. */
static int64_t get_monotonic_ms(void *user) {
    struct world *w = user;
    return __atomic_add_fetch(&w->monotonic_ms, 1, __ATOMIC_RELAXED);
}

static void fill_random(void *user, void *out, size_t len) {
    struct world *w = user;
    unsigned char *bytes = out;
    for (size_t i = 0; i < len; i++) {
        uint64_t seed = __atomic_add_fetch(&w->seed, 0x9E3779B97F4A7C15ULL, __ATOMIC_RELAXED);
        seed = (seed ^ (seed >> 30)) * 0xBF58476D1CE4E5B9ULL;
        bytes[i] = (unsigned char)(seed >> 40);
    }
}

static bool find_env(void *user, struct arena *a, sv name, sv *result) {
    (void)user;
    (void)a;
    (void)name;
    (void)result;
    return false;
}

static sv get_cwd(void *user, struct arena *a) {
    (void)user;
    (void)a;
    return SV("/work-dir");
}

static sv get_actor(void *user, struct arena *a) {
    (void)user;
    (void)a;
    return SV("tester@here");
}

static sv get_boot_id(void *user, struct arena *a) {
    (void)user;
    (void)a;
    return SV("boot-1");
}

static int64_t get_pid(void *user) {
    (void)user;
    return getpid();
}

static void sleep_ms(void *user, int64_t ms) {
    struct world *w = user;
    __atomic_add_fetch(&w->monotonic_ms, ms, __ATOMIC_RELAXED);
}

static const struct host_ops host_ops = {
    .get_wall_ms = get_wall_ms,
    .get_monotonic_ms = get_monotonic_ms,
    .fill_random = fill_random,
    .find_env = find_env,
    .get_cwd = get_cwd,
    .get_actor = get_actor,
    .get_boot_id = get_boot_id,
    .get_pid = get_pid,
    .sleep_ms = sleep_ms,
};

/* --- world --- */

void world_init(struct world *w) {
    memset(w, 0, sizeof *w);
    pthread_mutex_init(&w->lock, NULL);
    w->wall_ms = 1700000000000;
    w->monotonic_ms = 1000;
    w->seed = 42;
    w->host = (struct host){.ops = &host_ops, .user = w};
    diags_init(&w->store_diags, &w->arena, NULL);
    struct store_options store = {.diags = &w->store_diags, .host = &w->host, .busy_timeout_ms = 100};
    w->store = memory_store_open(&w->arena, &store);
    snprintf(w->key_dir, sizeof w->key_dir, "/tmp/lintel-world-XXXXXX");
    assert_non_null(mkdtemp(w->key_dir));
    struct sealer_options seal = {.arena = &w->arena, .diags = &w->store_diags, .host = &w->host, .create = true};
    seal.key_file = arena_printf(&w->arena, "%s/test.key", w->key_dir);
    w->store->ops->get_store_key(w->store, seal.store_key);
    w->sealer = sealer_open(&seal);
    assert_non_null(w->sealer);
}

void world_fini(struct world *w) {
    w->store->ops->close(w->store);
    sealer_close(w->sealer);
    sv key = arena_printf(&w->arena, "%s/test.key", w->key_dir);
    unlink(key.data);
    rmdir(w->key_dir);
    arena_fini(&w->arena);
    pthread_mutex_destroy(&w->lock);
}

void world_script(struct world *w, const char *call, enum provider_result result, unsigned times) {
    struct script s = {.call = sv_from_cstr(call), .result = result, .times = times};
    VEC_PUSH(&w->arena, &w->scripts, s);
}

void world_set_data(struct world *w, const char *json) {
    sv why;
    size_t offset;
    w->data = value_parse_json(&w->arena, arena_copy_sv(&w->arena, sv_from_cstr(json)), &limits_default, false, &why,
                               &offset);
    assert_int_equal(w->data.kind, VALUE_LIST);
}

struct object *world_find(struct world *w, const char *id) {
    for (size_t i = 0; i < w->objects.len; i++) {
        if (sv_eq_cstr(w->objects.items[i].id, id) && !w->objects.items[i].gone) {
            return &w->objects.items[i];
        }
    }
    return NULL;
}

size_t world_count_calls(struct world *w, const char *call) {
    size_t count = 0;
    for (size_t i = 0; i < w->calls.len; i++) {
        count += sv_has_prefix(w->calls.items[i], sv_from_cstr(call));
    }
    return count;
}

size_t world_count_objects(struct world *w) {
    size_t count = 0;
    for (size_t i = 0; i < w->objects.len; i++) {
        count += !w->objects.items[i].gone;
    }
    return count;
}

/* --- trips --- */

static void note_event(void *user, const struct event *e) {
    struct trip *t = user;
    if (e->kind == EVENT_ELEMENT_ENDED) {
        sv status = status_get_text(e->status);
        buf_printf(&t->events, "%.*s %.*s\n", SV_ARG(e->address.text), SV_ARG(status));
    } else if (e->kind == EVENT_MESSAGE) {
        buf_printf(&t->events, "message %.*s\n", SV_ARG(e->text));
    }
}

void trip_init(struct trip *t, struct world *w) {
    memset(t, 0, sizeof *t);
    t->world = w;
    sources_init(&t->sources, &t->arena);
    diags_init(&t->diags, &t->arena, &t->sources);
    t->events = BUF(&t->arena);
    t->config = (struct run_config){
        .arena = &t->arena,
        .diags = &t->diags,
        .limits = &limits_default,
        .store = w->store,
        .sealer = w->sealer,
        .providers = &world_providers,
        .host = &w->host,
        .context = SV("default"),
        .instance_name = SV("test"),
        .actor_command = SV("lintel deploy"),
        .parallel = 4,
        .lease_ttl_ms = 60000000, /* the clock of the world goes on with every look */
        .drain_ms = 120000,
        .stable_interval_ms = 5,
        .stable_timeout_ms = 1000,
        .retry_first_ms = 2,
        .retries = 5,
        .refresh = true,
        .signals = &w->signals,
        .on_event = note_event,
        .user = t,
    };
}

void trip_fini(struct trip *t) {
    arena_fini(&t->arena);
}

const char *trip_errors(struct trip *t) {
    struct buf out = BUF(&t->arena);
    for (size_t i = 0; i < t->diags.items.len; i++) {
        const struct diag *d = t->diags.items.items[i];
        if (d->level == DIAG_ERROR) {
            sv code = diag_get_code_name(d);
            buf_printf(&out, "%.*s: %.*s\n", SV_ARG(code), SV_ARG(d->message));
        }
    }
    return buf_get_sv(&out).data == NULL ? "" : buf_get_sv(&out).data;
}

bool trip_load(struct trip *t, const char *blueprint) {
    if (blueprint == NULL) {
        return true;
    }
    sv whole = arena_printf(&t->arena, "version: 2025-11-02\n%s", blueprint);
    sv text = arena_copy_sv(&t->arena, test_fetcher_init(&t->fetcher, &t->arena, whole));
    t->config.fetcher = &t->fetcher.fetcher;
    struct source *source = sources_add(&t->sources, SV("test.yaml"), text);
    source->path = SV("/work-dir/test.yaml");
    struct load_request r = {.arena = &t->arena,
                             .sources = &t->sources,
                             .diags = &t->diags,
                             .limits = &limits_default,
                             .providers = t->config.providers,
                             .host = &t->world->host,
                             .file = SV("test.yaml"),
                             .source = source,
                             .fetcher = &t->fetcher.fetcher,
                             .pins = t->pins,
                             .pin_count = t->pin_count,
                             .check_inputs = true};
    t->t = blueprint_load(&r);
    if (t->t != NULL) {
        t->t->digest = seal_sha256(&t->arena, text);
    }
    return t->t != NULL && !diags_has_errors(&t->diags);
}

static const char *action_name(const struct change *c) {
    static const char *const names[] = {
        "", "none", "create", "update", "replace", "delete", "read", "retain", "check",
    };
    return c->deposed ? "delete-deposed" : names[c->action];
}

static void print_change(struct buf *out, const struct change *c) {
    buf_printf(out, "%s %.*s", action_name(c), SV_ARG(c->address.text));
    if (c->action == ACTION_REPLACE) {
        buf_append_cstr(out, c->destroy_first ? " destroy-first" : " create-first");
    }
    for (size_t i = 0; i < c->diff.changes.len && c->action != ACTION_CREATE; i++) {
        const struct field_change *f = &c->diff.changes.items[i];
        static const char *const kinds[] = {"", "+", "~", "-"};
        buf_printf(out, " %s", kinds[f->kind]);
        path_print(out, f->path);
    }
    for (size_t i = 0; i < c->known_on_deploy_count; i++) {
        buf_printf(out, " ?%.*s", SV_ARG(c->known_on_deploy[i]));
    }
    for (size_t i = 0; i < c->reasons.len; i++) {
        buf_printf(out, " because:%.*s", SV_ARG(c->reasons.items[i].text));
    }
    buf_append_cstr(out, c->condition_known_on_deploy ? " ?condition" : "");
    buf_append_cstr(out, c->retain ? " retain\n" : "\n");
}

static void print_barriers(struct buf *out, const struct plan *p) {
    for (size_t i = 0; i < p->barrier_count; i++) {
        const struct plan_barrier *b = &p->barriers[i];
        buf_printf(out, "%.*s of %.*s after %zu\n", SV_ARG(b->id), SV_ARG(b->of), b->after_count);
    }
}

const char *trip_print_plan(struct trip *t) {
    struct buf out = BUF(&t->arena);
    for (size_t i = 0; i < t->plan->drift_count; i++) {
        const struct change *c = &t->plan->drift[i];
        buf_printf(&out, "drift %.*s%s\n", SV_ARG(c->address.text), c->missing ? " missing" : "");
    }
    for (size_t i = 0; i < t->plan->change_count; i++) {
        print_change(&out, &t->plan->changes[i]);
    }
    for (size_t i = 0; i < t->plan->op_count; i++) {
        const struct plan_op *op = &t->plan->ops[i];
        buf_printf(&out, "%.*s%s%s", SV_ARG(op->id), op->late ? " late" : "",
                   op->only_if_excluded ? " if-excluded" : "");
        for (size_t k = 0; k < op->after_count; k++) {
            uint32_t n = op->after[k];
            sv before = n < t->plan->op_count ? t->plan->ops[n].id : t->plan->barriers[n - t->plan->op_count].id;
            buf_printf(&out, "%s%.*s%s", k == 0 ? " after " : " ", SV_ARG(before), op->after_config[k] ? "*" : "");
        }
        buf_append_char(&out, '\n');
    }
    print_barriers(&out, t->plan);
    return buf_get_sv(&out).data == NULL ? "" : buf_get_sv(&out).data;
}

const char *trip_plan(struct trip *t, const char *blueprint) {
    if (!trip_load(t, blueprint)) {
        return trip_errors(t);
    }
    t->plan = run_plan(&t->config, t->t, false, NULL, 0, &t->code);
    return t->plan == NULL ? trip_errors(t) : trip_print_plan(t);
}

const char *trip_plan_destroy(struct trip *t) {
    t->plan = run_plan(&t->config, NULL, true, NULL, 0, &t->code);
    return t->plan == NULL ? trip_errors(t) : trip_print_plan(t);
}

enum exit_code trip_deploy(struct trip *t) {
    t->code = run_deploy(&t->config, t->t, t->plan);
    return t->code;
}

static void expect_code(struct trip *t, enum exit_code expected) {
    if (t->code != expected) {
        print_error("exit code %d instead of %d\n%s", t->code, expected, trip_errors(t));
    }
    assert_int_equal(t->code, expected);
}

void world_deploy(struct world *w, const char *blueprint, enum exit_code expected) {
    struct trip t;
    trip_init(&t, w);
    const char *text = trip_plan(&t, blueprint);
    if (t.plan == NULL) {
        print_error("no plan:\n%s", text);
    }
    assert_non_null(t.plan);
    trip_deploy(&t);
    expect_code(&t, expected);
    trip_fini(&t);
}

void world_destroy(struct world *w, enum exit_code expected) {
    struct trip t;
    trip_init(&t, w);
    trip_plan_destroy(&t);
    assert_non_null(t.plan);
    trip_deploy(&t);
    expect_code(&t, expected);
    trip_fini(&t);
}

const char *trip_state(struct trip *t) {
    struct instance_view view;
    if (!run_view_instance(&t->config, &view)) {
        return trip_errors(t);
    }
    struct buf out = BUF(&t->arena);
    buf_printf(&out, "%.*s\n", SV_ARG(view.instance.status));
    for (size_t i = 0; i < view.resource_count; i++) {
        const struct resource_record *r = &view.resources[i];
        sv status = status_get_text(r->precise_status);
        buf_printf(&out, "%.*s %.*s %.*s", SV_ARG(r->address.text), SV_ARG(status), SV_ARG(r->physical_id));
        for (size_t k = 0; k < r->deposed_count; k++) {
            buf_printf(&out, " deposed:%.*s", SV_ARG(r->deposed[k].physical_id));
        }
        buf_append_char(&out, '\n');
    }
    for (size_t i = 0; i < view.link_count; i++) {
        sv status = status_get_text(view.links[i].status);
        buf_printf(&out, "%.*s %.*s\n", SV_ARG(view.links[i].address.text), SV_ARG(status));
    }
    for (size_t i = 0; i < view.export_count; i++) {
        sv text = value_print_json(&t->arena, view.exports[i].item, 0, REDACT);
        buf_printf(&out, "export %.*s %.*s\n", SV_ARG(view.exports[i].name), SV_ARG(text));
    }
    if (view.open_intents > 0) {
        buf_printf(&out, "open %zu\n", view.open_intents);
    }
    return buf_get_sv(&out).data;
}

void expect_text(const char *got, const char *expected) {
    if (strcmp(got, expected) != 0) {
        print_error("--- expected\n%s--- got\n%s---\n", expected, got);
        fail();
    }
}
