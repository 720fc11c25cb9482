#include "contract/store/fixture.h"

#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static int64_t fake_wall(void *user) {
    return ((struct fake_host *)user)->wall_ms;
}

static int64_t fake_monotonic(void *user) {
    return ((struct fake_host *)user)->monotonic_ms;
}

static void fake_random(void *user, void *out, size_t len) {
    struct fake_host *h = user;
    for (size_t i = 0; i < len; i++) {
        h->seed = h->seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
        ((unsigned char *)out)[i] = (unsigned char)(h->seed >> 40);
    }
}

static bool fake_env(void *user, struct arena *a, sv name, sv *result) {
    (void)user;
    (void)a;
    (void)name;
    (void)result;
    return false;
}

static sv fake_cwd(void *user, struct arena *a) {
    (void)user;
    (void)a;
    return SV("/");
}

static sv fake_actor(void *user, struct arena *a) {
    (void)a;
    return ((struct fake_host *)user)->actor;
}

static sv fake_boot_id(void *user, struct arena *a) {
    (void)a;
    return ((struct fake_host *)user)->boot_id;
}

static int64_t fake_pid(void *user) {
    (void)user;
    return 4711;
}

static void fake_sleep(void *user, int64_t ms) {
    ((struct fake_host *)user)->monotonic_ms += ms;
}

static const struct host_ops fake_ops = {
    .get_wall_ms = fake_wall,
    .get_monotonic_ms = fake_monotonic,
    .fill_random = fake_random,
    .find_env = fake_env,
    .get_cwd = fake_cwd,
    .get_actor = fake_actor,
    .get_boot_id = fake_boot_id,
    .get_pid = fake_pid,
    .sleep_ms = fake_sleep,
};

void fake_host_init(struct fake_host *h) {
    *h = (struct fake_host){
        .host = {.ops = &fake_ops},
        .wall_ms = 1700000000000,
        .monotonic_ms = 1000000,
        .seed = 42,
        .boot_id = SV("boot-1"),
        .actor = SV("ada@engine"),
    };
    h->host.user = h;
}

struct store_options fixture_get_options(struct fixture *f, bool read_only) {
    return (struct store_options){
        .diags = &f->diags, .host = &f->fake.host, .read_only = read_only, .busy_timeout_ms = 2000};
}

void fixture_let_pass(struct fixture *f, int64_t ms) {
    f->fake.monotonic_ms += ms;
    if (f->kind->let_pass != NULL) {
        f->kind->let_pass(f, ms);
    }
}

sv fixture_get_path(struct fixture *f, const char *name) {
    return arena_printf(&f->arena, "%s/%s", f->dir, name);
}

void fixture_init(struct fixture *f, const struct store_kind *kind) {
    *f = (struct fixture){.kind = kind};
    sources_init(&f->sources, &f->arena);
    diags_init(&f->diags, &f->arena, &f->sources);
    fake_host_init(&f->fake);
    snprintf(f->dir, sizeof f->dir, "/tmp/lintel-store-XXXXXX");
    assert_non_null(mkdtemp(f->dir));
    if (kind != NULL) {
        f->store = kind->open(f, false);
        assert_non_null(f->store);
    }
}

static int remove_entry(const char *path, const struct stat *st, int type, struct FTW *place) {
    (void)st;
    (void)type;
    (void)place;
    return remove(path);
}

void fixture_fini(struct fixture *f) {
    if (f->store != NULL) {
        f->store->ops->close(f->store);
    }
    nftw(f->dir, remove_entry, 16, FTW_DEPTH | FTW_PHYS);
    arena_fini(&f->arena);
}

void fixture_reopen(struct fixture *f) {
    f->store->ops->close(f->store);
    f->store = f->kind->open(f, false);
    assert_non_null(f->store);
}

struct store_instance sample_instance(const char *id, const char *name) {
    return (struct store_instance){
        .id = sv_from_cstr(id),
        .context = SV("default"),
        .name = sv_from_cstr(name),
        .dialect = SV("blueprint"),
        .status = SV("deployed"),
        .version = 1,
        .created_ms = 1700000000001,
        .updated_ms = 1700000000002,
        .body = SV("{\"exports\":{}}"),
    };
}

struct store_element sample_element(const char *address, sv body) {
    return (struct store_element){
        .address = sv_from_cstr(address),
        .type = SV("local/file"),
        .status = SV("created"),
        .precise_status = SV("created"),
        .physical_id = SV("/tmp/x"),
        .created_ms = 1,
        .updated_ms = 2,
        .body = body,
    };
}

struct journal_row sample_row(int64_t sequence, uint64_t token) {
    struct journal_row row = {
        .sequence = sequence,
        .kind = JOURNAL_INTENT,
        .run_id = SV("run-1"),
        .token = token,
        .wall_ms = 3,
        .operation = SV("op-1"),
        .address = SV("resources.a"),
        .action = SV("create"),
        .body = SV("{\"spec\":{}}"),
    };
    memset(row.mac, (int)(sequence & 0xff), sizeof row.mac);
    return row;
}

struct store_history sample_history(int64_t number) {
    return (struct store_history){
        .number = number,
        .run_id = SV("run-1"),
        .kind = SV("deploy"),
        .actor = SV("ada@engine"),
        .outcome = SV("succeeded"),
        .started_ms = 10,
        .ended_ms = 20,
        .body = SV("{}"),
    };
}

void save_instance(struct store *s, const struct store_instance *i, int64_t expected_version) {
    assert_int_equal(s->ops->begin(s, NULL), STORE_OK);
    assert_int_equal(s->ops->put_instance(s, i, expected_version), STORE_OK);
    assert_int_equal(s->ops->commit(s), STORE_OK);
}

void save_element(struct store *s, const char *id, const struct store_element *e) {
    assert_int_equal(s->ops->begin(s, NULL), STORE_OK);
    assert_int_equal(s->ops->put_element(s, sv_from_cstr(id), e), STORE_OK);
    assert_int_equal(s->ops->commit(s), STORE_OK);
}

void check_sv_at(sv got, sv want, const char *file, int line) {
    if (!sv_eq(got, want)) {
        print_error("got:  '%.*s'\nwant: '%.*s'\n", SV_ARG(got), SV_ARG(want));
        _fail(file, line);
    }
}
