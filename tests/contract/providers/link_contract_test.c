/* The contract of link types that do something (LC-070 to LC-072, BP-401, BP-490 to BP-492, BP-530), over the built-in
 * ones: made, updated, removed, twice with the same key, killed in the middle and gone on with, gone, changed by hand,
 * hostile. */
#include "adapters/sqlite/sqlite.h"
#include "providers/local/local.h"
#include "providers/process/process_provider.h"
#include "providers/sqlite/sqlite_provider.h"
#include "suite.h"

#include <dirent.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

enum { KEY = 0x31, KEY_TWO = 0x32, KILLS = 16, VARIANTS = 2 };

struct link_subject {
    const char *name;
    const struct link_type *type;
    /* Makes the two resources of the variant, really there, and says what the engine would know of them. Variant 1 is
     * an update of 0. */
    void (*make_sides)(struct world *w, struct link_op_call *c, int variant);
    size_t (*count)(struct world *w); /* of what links have made */
    void (*lose)(struct world *w);    /* by hand */
    void (*change)(struct world *w);
    void (*occupy)(struct world *w); /* somebody else's thing in the place of what variant 0 makes */
    size_t (*count_foreign)(struct world *w);
};

struct scene {
    const struct link_subject *subject;
    struct world *world;
};

static int scene_set_up(void **state) {
    struct scene *scene = calloc(1, sizeof *scene);
    scene->subject = *state;
    void *world;
    world_set_up(&world);
    scene->world = world;
    *state = scene;
    return 0;
}

static int scene_tear_down(void **state) {
    struct scene *scene = *state;
    void *world = scene->world;
    world_tear_down(&world);
    free(scene);
    return 0;
}

/* --- what the engine does --- */

static const struct link_resource no_side;

struct record {
    value data; /* kind 0: there is no link yet */
    struct link_intermediary known[8];
    size_t known_count;
};

static struct link_op_call make_call(struct scene *s, uint8_t key, int variant, const struct record *record) {
    struct link_op_call c = {.call = world_make_call(s->world, NULL, key, (value){0}, (value){0})};
    c.call.address.text = SV("links.a::b");
    s->subject->make_sides(s->world, &c, variant);
    c.a.name = SV("a");
    c.b.name = SV("b");
    c.prior = record->data;
    c.known = record->known;
    c.known_count = record->known_count;
    return c;
}

/* Data as staged; what is planned is kept from before the first phase, as the engine does. */
static void stage(struct scene *s, struct link_op_call *c, struct record *record) {
    struct diags diags;
    diags_init(&diags, &s->world->arena, NULL);
    struct link_call call = {.arena = &s->world->arena,
                             .name_a = c->a.name,
                             .name_b = c->b.name,
                             .spec_a = c->a.spec,
                             .spec_b = c->b.spec,
                             .metadata_a = c->a.metadata,
                             .metadata_b = c->b.metadata,
                             .diags = &diags};
    if (!s->subject->type->stage(&call)) {
        fail_msg("%.*s", SV_ARG(diags.items.items[0]->message));
    }
    assert_true(value_is_known(call.data) && !call.is_idle);
    c->data = call.data;
    for (size_t i = 0; i < call.intermediaries.len; i++) {
        bool is_known = false;
        for (size_t k = 0; k < record->known_count; k++) {
            is_known = is_known || sv_eq(record->known[k].id, call.intermediaries.items[i].id);
        }
        if (!is_known) {
            record->known[record->known_count++] = call.intermediaries.items[i];
        }
    }
    c->known_count = record->known_count;
}

static enum provider_result run_phase(struct scene *s, struct link_op_call *c, enum link_phase phase) {
    const struct link_type *t = s->subject->type;
    link_operation fn = phase == LINK_PHASE_A   ? t->update_a
                        : phase == LINK_PHASE_B ? t->update_b
                                                : t->update_intermediaries;
    c->phase = phase;
    c->intermediaries.len = 0;
    return fn == NULL ? PROVIDER_OK : fn(c);
}

static void expect_ok(const struct link_op_call *c, enum provider_result result) {
    if (result != PROVIDER_OK) {
        fail_msg("result %d: %.*s", (int)result, SV_ARG(world_get_reason(&c->call)));
    }
}

static void take(struct record *record, const struct link_op_call *c) {
    record->data = c->data;
    record->known_count = c->intermediaries.len;
    for (size_t i = 0; i < c->intermediaries.len; i++) {
        record->known[i] = c->intermediaries.items[i];
    }
}

static void bring_up(struct scene *s, uint8_t key, int variant, struct record *record) {
    struct link_op_call c = make_call(s, key, variant, record);
    stage(s, &c, record);
    for (enum link_phase phase = LINK_PHASE_A; phase <= LINK_PHASE_INTERMEDIARIES; phase++) {
        expect_ok(&c, run_phase(s, &c, phase));
    }
    take(record, &c);
}

static void remove_link(struct scene *s, const struct record *record, int variant) {
    const struct link_type *t = s->subject->type;
    struct link_op_call c = make_call(s, KEY, variant, record);
    c.data = record->data;
    link_operation order[] = {t->remove_intermediaries, t->remove_b, t->remove_a};
    for (size_t i = 0; i < 3; i++) {
        enum provider_result result = order[i] == NULL ? PROVIDER_OK : order[i](&c);
        if (result != PROVIDER_ABSENT) {
            expect_ok(&c, result);
        }
    }
}

static enum provider_result read_link(struct scene *s, const struct record *record, int variant,
                                      struct link_op_call *c) {
    *c = make_call(s, KEY_TWO, variant, record);
    c->data = record->data;
    return s->subject->type->read_intermediaries(c);
}

static void expect_read(struct scene *s, const struct record *record, int variant) {
    struct link_op_call c;
    expect_ok(&c, read_link(s, record, variant, &c));
    assert_int_equal(c.intermediaries.len, record->known_count);
    for (size_t i = 0; i < record->known_count; i++) {
        assert_true(sv_eq(c.intermediaries.items[i].id, record->known[i].id));
        assert_true(value_eq(c.intermediaries.items[i].state, record->known[i].state));
    }
}

static void expect_count(struct scene *s, size_t wanted) {
    assert_int_equal(s->subject->count(s->world), wanted);
}

/* --- cases --- */

static void a_life(void **state) {
    struct scene *s = *state;
    struct record record = {0};
    bring_up(s, KEY, 0, &record);
    expect_read(s, &record, 0);
    expect_count(s, 1);
    bring_up(s, KEY_TWO, 1, &record); /* under another name or address */
    expect_read(s, &record, 1);
    expect_count(s, 1);
    remove_link(s, &record, 1);
    struct link_op_call c;
    assert_int_equal(read_link(s, &record, 1, &c), PROVIDER_ABSENT);
    expect_count(s, 0);
}

static void what_is_staged_is_what_is_read(void **state) { /* else every plan would show a difference */
    struct scene *s = *state;
    struct record record = {0};
    bring_up(s, KEY, 0, &record);
    struct record staged = {0};
    struct link_op_call c = make_call(s, KEY, 0, &staged);
    stage(s, &c, &staged);
    assert_int_equal(staged.known_count, record.known_count);
    for (size_t i = 0; i < record.known_count; i++) {
        assert_true(sv_eq(staged.known[i].id, record.known[i].id) && sv_eq(staged.known[i].type, record.known[i].type));
        assert_true(value_eq(staged.known[i].state, record.known[i].state));
        assert_true(staged.known[i].is_owned == record.known[i].is_owned);
    }
}

static void the_same_key_twice_makes_one(void **state) {
    struct scene *s = *state;
    struct record record = {0}, again = {0};
    bring_up(s, KEY, 0, &record);
    bring_up(s, KEY, 0, &again);
    expect_count(s, 1);
    expect_read(s, &again, 0);
    remove_link(s, &again, 0);
    remove_link(s, &again, 0); /* removing what is gone is a success */
    expect_count(s, 0);
}

/* A child carries out so many phases and dies before anybody hears of the last one. */
static void die_behind(struct scene *s, enum link_phase last, struct record *record) {
    pid_t pid = fork();
    if (pid == 0) {
        struct link_op_call c = make_call(s, KEY, 0, record);
        stage(s, &c, record);
        enum provider_result result = PROVIDER_OK;
        for (enum link_phase phase = LINK_PHASE_A; phase <= last && result == PROVIDER_OK; phase++) {
            result = run_phase(s, &c, phase);
        }
        kill(getpid(), result == PROVIDER_OK ? SIGKILL : SIGTERM);
    }
    int status;
    waitpid(pid, &status, 0);
    assert_true(WIFSIGNALED(status));
    assert_int_equal(WTERMSIG(status), SIGKILL);
}

/* The phase that was cut off is run again with the same key, then the others (LC-023). */
static void a_kill_between_phases_is_gone_on_with(void **state) {
    struct scene *s = *state;
    for (enum link_phase last = LINK_PHASE_A; last <= LINK_PHASE_INTERMEDIARIES; last++) {
        struct record record = {0};
        die_behind(s, last, &record);
        struct link_op_call c = make_call(s, KEY, 0, &record);
        stage(s, &c, &record);
        for (enum link_phase phase = last; phase <= LINK_PHASE_INTERMEDIARIES; phase++) {
            expect_ok(&c, run_phase(s, &c, phase));
        }
        take(&record, &c);
        expect_read(s, &record, 0);
        expect_count(s, 1);
        remove_link(s, &record, 0);
        expect_count(s, 0);
    }
}

static void a_kill_at_any_moment_is_gone_on_with(void **state) {
    struct scene *s = *state;
    for (int i = 0; i < KILLS; i++) {
        struct record record = {0}, child = {0};
        struct link_op_call sides = make_call(s, KEY, 0, &record); /* made before, so that the child is quick */
        (void)sides;
        pid_t pid = fork();
        if (pid == 0) {
            bring_up(s, KEY, 0, &child);
            pause();
        }
        usleep((useconds_t)(i * i * 60));
        kill(pid, SIGKILL);
        waitpid(pid, NULL, 0);
        bring_up(s, KEY, 0, &record);
        expect_read(s, &record, 0);
        expect_count(s, 1);
        remove_link(s, &record, 0);
        expect_count(s, 0);
    }
}

/* What was half made goes, though nobody knows how far it came (BP-492). */
static void what_was_half_made_is_removed(void **state) {
    struct scene *s = *state;
    for (enum link_phase last = LINK_PHASE_A; last <= LINK_PHASE_INTERMEDIARIES; last++) {
        struct record record = {0};
        die_behind(s, last, &record);
        struct link_op_call c = make_call(s, KEY, 0, &record);
        stage(s, &c, &record);
        record.data = c.data;
        remove_link(s, &record, 0);
        expect_count(s, 0);
    }
}

static void what_is_gone_is_made_again(void **state) { /* BP-531 */
    struct scene *s = *state;
    struct record record = {0};
    bring_up(s, KEY, 0, &record);
    s->subject->lose(s->world);
    struct link_op_call c;
    assert_int_equal(read_link(s, &record, 0, &c), PROVIDER_ABSENT);
    bring_up(s, KEY_TWO, 0, &record);
    expect_read(s, &record, 0);
    expect_count(s, 1);
}

static void what_was_changed_is_told_and_put_right(void **state) { /* BP-530 */
    struct scene *s = *state;
    struct record record = {0};
    bring_up(s, KEY, 0, &record);
    s->subject->change(s->world);
    struct link_op_call c;
    expect_ok(&c, read_link(s, &record, 0, &c));
    assert_int_equal(c.intermediaries.len, 1);
    assert_false(value_eq(c.intermediaries.items[0].state, record.known[0].state));
    bring_up(s, KEY_TWO, 0, &record);
    expect_read(s, &record, 0);
}

static void what_is_another_s_is_left_alone(void **state) {
    struct scene *s = *state;
    struct record record = {0};
    struct link_op_call c = make_call(s, KEY, 0, &record);
    s->subject->occupy(s->world);
    stage(s, &c, &record);
    enum provider_result result = PROVIDER_OK;
    for (enum link_phase phase = LINK_PHASE_A; phase <= LINK_PHASE_INTERMEDIARIES && result == PROVIDER_OK; phase++) {
        result = run_phase(s, &c, phase);
    }
    assert_int_equal(result, PROVIDER_TERMINAL);
    assert_true(world_get_reason(&c.call).len > 0);
    record.data = c.data;
    remove_link(s, &record, 0);
    assert_int_equal(s->subject->count_foreign(s->world), 1);
}

static void sides_that_are_gone_hinder_no_removal(void **state) {
    struct scene *s = *state;
    const struct link_type *t = s->subject->type;
    struct record record = {0};
    bring_up(s, KEY, 0, &record);
    s->subject->lose(s->world);
    struct link_op_call c = make_call(s, KEY, 0, &record);
    c.a = c.b = no_side;
    c.data = record.data;
    link_operation order[] = {t->remove_intermediaries, t->remove_b, t->remove_a};
    for (size_t i = 0; i < 3; i++) {
        enum provider_result result = order[i] == NULL ? PROVIDER_OK : order[i](&c);
        assert_true(result == PROVIDER_OK || result == PROVIDER_ABSENT);
    }
}

static void time_and_cancellation_are_heeded(void **state) {
    struct scene *s = *state;
    for (int i = 0; i < 2; i++) {
        struct record record = {0};
        struct link_op_call c = make_call(s, KEY, 0, &record);
        stage(s, &c, &record);
        int64_t before = s->world->host.ops->get_monotonic_ms(NULL);
        c.call.deadline_ms = i == 0 ? before : c.call.deadline_ms;
        atomic_store(&s->world->cancel, i == 1);
        for (enum link_phase phase = LINK_PHASE_A; phase <= LINK_PHASE_INTERMEDIARIES; phase++) {
            enum provider_result result = run_phase(s, &c, phase);
            assert_true(result == PROVIDER_OK || result == PROVIDER_TRANSIENT);
        }
        assert_in_range(s->world->host.ops->get_monotonic_ms(NULL) - before, 0, 1000);
        atomic_store(&s->world->cancel, false);
    }
    struct record record = {0};
    bring_up(s, KEY, 0, &record);
    expect_count(s, 1);
}

static void the_tables_are_complete(void **state) {
    struct scene *s = *state;
    const struct link_type *t = s->subject->type;
    assert_true(t->summary.len > 0 && t->details.len > 0 && t->stage != NULL && t->deadline_ms > 0);
    assert_true(link_type_has_operations(t));
    assert_true((t->update_a == NULL) == (t->remove_a == NULL) && (t->update_b == NULL) == (t->remove_b == NULL));
    for (size_t i = 0; i < t->annotation_count; i++) {
        assert_true(t->annotations[i].text.len > 0 && t->annotations[i].key.len > 0);
    }
}

/* --- local/file::local/directory --- */

static value parse(struct world *w, sv json) {
    static const struct schema anything = {.type = SCHEMA_OBJECT};
    static const struct resource_type none = {.schema = &anything};
    return world_make_spec(w, &none, json);
}

static value annotate(struct world *w, const char *key, sv text) {
    sv json = arena_printf(&w->arena, "{\"annotations\": {\"%s\": %.*s}}", key, SV_ARG(world_quote(w, text)));
    return parse(w, json);
}

static void make_resource(struct world *w, const struct resource_type *type, sv json, uint8_t key,
                          struct link_resource *side) {
    value spec = world_make_spec(w, type, json);
    struct provider_call c = world_make_call(w, type, key, spec, (value){0});
    if (type->create(&c) != PROVIDER_OK) {
        fail_msg("%.*s", SV_ARG(world_get_reason(&c)));
    }
    side->spec = schema_merge(&w->arena, spec, c.computed);
    side->type = type->name;
}

/* A directory and a file with such names, and the link's; each of hostile text. */
static void make_files(struct world *w, struct link_op_call *c, int variant) {
    sv hostile = sv_slice(world_get_hostile_text(), 0, 22);
    sv file = arena_printf(&w->arena, "%s/file %.*s", w->dir, SV_ARG(hostile));
    sv directory = arena_printf(&w->arena, "%s/links '\" $(x)", w->dir);
    make_resource(w, &local_file_type, arena_printf(&w->arena, "{\"path\": %.*s}", SV_ARG(world_quote(w, file))), 0x01,
                  &c->a);
    make_resource(w, &local_directory_type,
                  arena_printf(&w->arena, "{\"path\": %.*s}", SV_ARG(world_quote(w, directory))), 0x02, &c->b);
    if (variant == 1) {
        c->a.metadata = annotate(w, "local.directory.b.linkName", SV("another;name\n'\""));
    }
}

static size_t count_entries(struct world *w, bool links) {
    DIR *dir = opendir(world_path(w, "links '\" $(x)").data);
    size_t count = 0;
    for (struct dirent *e = dir == NULL ? NULL : readdir(dir); e != NULL; e = readdir(dir)) {
        count += e->d_name[0] != '.' ? (e->d_type == DT_LNK) == links : strlen(e->d_name) > 2;
    }
    if (dir != NULL) {
        closedir(dir);
    }
    return count;
}

static size_t count_links(struct world *w) {
    return count_entries(w, true);
}

static size_t count_files(struct world *w) {
    return count_entries(w, false);
}

static sv link_path(struct world *w) {
    sv hostile = sv_slice(world_get_hostile_text(), 0, 22);
    return arena_printf(&w->arena, "%s/links '\" $(x)/file %.*s", w->dir, SV_ARG(hostile));
}

static void lose_link(struct world *w) {
    assert_int_equal(unlink(link_path(w).data), 0);
}

static void change_link(struct world *w) {
    lose_link(w);
    assert_int_equal(symlink("/elsewhere", link_path(w).data), 0);
}

static void occupy_link(struct world *w) {
    FILE *f = fopen(link_path(w).data, "w");
    assert_non_null(f);
    fclose(f);
}

/* --- process/service::sqlite/database --- */

#define TABLE "ser\"vi'ces; DROP TABLE x --"

static void make_service(struct world *w, struct link_op_call *c, int variant) {
    sv migration =
        world_quote(w, SV("CREATE TABLE \"ser\"\"vi'ces; DROP TABLE x --\"(name TEXT PRIMARY KEY, url TEXT)"));
    make_resource(w, &sqlite_database_type,
                  arena_printf(&w->arena, "{\"path\": \"%s/x.db\", \"migrations\": [%.*s, \"CREATE TABLE x(n)\"]}",
                               w->dir, SV_ARG(migration)),
                  0x01, &c->b);
    c->a.spec = parse(w, SV("{\"command\": \"true\", \"port\": 4711}"));
    c->a.metadata = annotate(w, "process.sqlite.b.registerIn", SV(TABLE));
    if (variant == 1) {
        value annotations = value_map_find(c->a.metadata, SV("annotations"));
        value url = value_string(&w->arena, world_get_hostile_text());
        annotations = value_map_with(&w->arena, annotations, SV("process.sqlite.b.registerUrl"), url);
        c->a.metadata = value_map_with(&w->arena, c->a.metadata, SV("annotations"), annotations);
    }
}

static struct sql_db *open_db(struct world *w) {
    struct sql_db *db;
    assert_int_equal(sql_open(&w->arena, world_path(w, "x.db"), &(struct sql_options){0}, &db, NULL), SQL_OK);
    return db;
}

static void run_sql(struct world *w, const char *text) {
    struct sql_db *db = open_db(w);
    if (sql_exec(db, sv_from_cstr(text)) != SQL_OK) {
        fail_msg("%.*s", SV_ARG(sql_get_error(db)));
    }
    sql_close(db);
}

static size_t query(struct world *w, const char *text) {
    struct sql_db *db = open_db(w);
    struct sql_stmt *s = NULL;
    assert_int_equal(sql_prepare(db, sv_from_cstr(text), &s), SQL_OK);
    assert_int_equal(sql_step(s), SQL_ROW);
    size_t result = (size_t)sql_get_i64(s, 0);
    sql_close(db);
    return result;
}

static size_t count_rows(struct world *w) {
    return query(w, "SELECT count(*) + (SELECT count(*) FROM x) FROM \"ser\"\"vi'ces; DROP TABLE x --\"");
}

static void lose_row(struct world *w) {
    run_sql(w, "DELETE FROM \"ser\"\"vi'ces; DROP TABLE x --\"");
}

static void change_row(struct world *w) {
    run_sql(w, "UPDATE \"ser\"\"vi'ces; DROP TABLE x --\" SET url = 'elsewhere'");
}

static void occupy_row(struct world *w) {
    run_sql(w, "INSERT INTO \"ser\"\"vi'ces; DROP TABLE x --\" VALUES ('a', 'of another')");
}

static const struct link_subject subjects[] = {
    {"local/file::local/directory", &local_file_to_directory_link, make_files, count_links, lose_link, change_link,
     occupy_link, count_files},
    {"process/service::sqlite/database", &service_to_sqlite_database_link, make_service, count_rows, lose_row,
     change_row, occupy_row, count_rows},
};

static const struct {
    const char *name;
    void (*run)(void **state);
} cases[] = {
    {"a_life", a_life},
    {"what_is_staged_is_what_is_read", what_is_staged_is_what_is_read},
    {"the_same_key_twice_makes_one", the_same_key_twice_makes_one},
    {"a_kill_between_phases_is_gone_on_with", a_kill_between_phases_is_gone_on_with},
    {"a_kill_at_any_moment_is_gone_on_with", a_kill_at_any_moment_is_gone_on_with},
    {"what_was_half_made_is_removed", what_was_half_made_is_removed},
    {"what_is_gone_is_made_again", what_is_gone_is_made_again},
    {"what_was_changed_is_told_and_put_right", what_was_changed_is_told_and_put_right},
    {"what_is_another_s_is_left_alone", what_is_another_s_is_left_alone},
    {"sides_that_are_gone_hinder_no_removal", sides_that_are_gone_hinder_no_removal},
    {"time_and_cancellation_are_heeded", time_and_cancellation_are_heeded},
    {"the_tables_are_complete", the_tables_are_complete},
};

int main(void) {
    enum { CASES = sizeof cases / sizeof cases[0], SUBJECTS = sizeof subjects / sizeof subjects[0] };
    static struct CMUnitTest tests[CASES * SUBJECTS];
    static char names[CASES * SUBJECTS][128];
    for (size_t i = 0; i < SUBJECTS; i++) {
        for (size_t k = 0; k < CASES; k++) {
            size_t n = i * CASES + k;
            snprintf(names[n], sizeof names[n], "%s %s", subjects[i].name, cases[k].name);
            tests[n] = (struct CMUnitTest){.name = names[n],
                                           .test_func = cases[k].run,
                                           .setup_func = scene_set_up,
                                           .teardown_func = scene_tear_down,
                                           .initial_state = (void *)(uintptr_t)&subjects[i]};
        }
    }
    return cmocka_run_group_tests_name("links", tests, NULL, NULL);
}
