/* Random blueprints with conditions that are known, late or change sides, templates, references and links, deployed one
 * after the other: what exists in the end is what the test computes by itself, and nothing is left to do (BP-142,
 * BP-143, BP-150, BP-164, BP-426, BP-448, BP-458, BP-468, BP-484). */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include "world.h"

enum { COUNT = 14, ROUNDS = 3, SEEDS = 400 };

enum guard {
    GUARD_NONE,
    GUARD_TRUE,
    GUARD_FALSE,
    GUARD_LATE_TRUE, /* by the id of another resource, which has no guard */
    GUARD_LATE_FALSE,
};

struct thing {
    enum guard guard;
    unsigned asks;       /* LATE: whose id */
    bool is_template;    /* two instances */
    int note;            /* whose name it carries; -1: nobody's */
    int needs;           /* dependsOn; -1: nothing */
    bool is_linked;      /* selects the place */
    unsigned generation; /* `kind`: a change replaces it */
};

struct model {
    uint64_t seed;
    struct thing things[COUNT];
    bool has_place;
};

static unsigned pick(struct model *m, unsigned below) {
    m->seed = m->seed * 6364136223846793005ULL + 1442695040888963407ULL;
    return (unsigned)(m->seed >> 33) % below;
}

static void choose_guard(struct model *m, unsigned i) {
    struct thing *t = &m->things[i];
    unsigned asked = i == 0 ? 0 : pick(m, i);
    bool can_ask = i > 0 && m->things[asked].guard == GUARD_NONE && !m->things[asked].is_template;
    t->guard = i < 2 ? GUARD_NONE : (enum guard)pick(m, can_ask ? 5 : 3);
    t->asks = asked;
}

static void make_model(struct model *m) {
    for (unsigned i = 0; i < COUNT; i++) {
        struct thing *t = &m->things[i];
        t->is_template = i > 1 && pick(m, 4) == 0;
        choose_guard(m, i);
        t->note = i > 0 && pick(m, 2) == 0 ? (int)pick(m, i) : -1;
        t->needs = i > 0 && pick(m, 3) == 0 ? (int)pick(m, i) : -1;
        t->is_linked = pick(m, 4) == 0;
        t->generation = pick(m, 2);
    }
    m->has_place = pick(m, 3) > 0;
}

/* Some things stay as they were. */
static void change_model(struct model *m) {
    for (unsigned i = 0; i < COUNT; i++) {
        m->things[i].generation += pick(m, 4) == 0;
        if (pick(m, 3) == 0 && m->things[i].guard != GUARD_NONE) {
            m->things[i].guard = (enum guard)(1 + pick(m, m->things[i].guard >= GUARD_LATE_TRUE ? 4 : 2));
        }
    }
    m->has_place = pick(m, 2) == 0 ? !m->has_place : m->has_place;
}

static bool is_there(const struct model *m, unsigned i) {
    return m->things[i].guard != GUARD_FALSE && m->things[i].guard != GUARD_LATE_FALSE;
}

/* --- as a blueprint --- */

static void print_guard(struct buf *b, const struct thing *t) {
    switch (t->guard) {
    case GUARD_NONE:
        return;
    case GUARD_TRUE:
    case GUARD_FALSE:
        buf_printf(b, "    condition: '${eq(1, %d)}'\n", t->guard == GUARD_TRUE ? 1 : 2);
        return;
    case GUARD_LATE_TRUE:
    case GUARD_LATE_FALSE:
        buf_printf(b, "    condition: '${has_prefix(r%u.spec.id, \"%s-\")}'\n", t->asks,
                   t->guard == GUARD_LATE_TRUE ? "thing" : "other");
        return;
    }
}

static void print_thing(struct buf *b, const struct model *m, unsigned i) {
    const struct thing *t = &m->things[i];
    buf_printf(b, "  r%u:\n    type: fake/thing\n", i);
    if (t->is_template) {
        buf_append_cstr(b, "    each: '${split(\"a,b\", \",\")}'\n");
    }
    print_guard(b, t);
    if (t->needs >= 0) {
        buf_printf(b, "    dependsOn: r%d\n", t->needs);
    }
    if (t->is_linked) {
        buf_append_cstr(b, "    linkSelector: {byLabel: {app: x}}\n");
    }
    buf_printf(b, "    spec:\n      name: n%u%s\n      kind: k%u\n", i, t->is_template ? "-${elem}" : "",
               t->generation);
    if (t->note >= 0) {
        bool is_template = m->things[t->note].is_template;
        buf_printf(b, "      note: '${r%d%s.spec.name}'\n", t->note, is_template ? "[1]" : "");
    }
}

static const char *print_model(struct arena *a, const struct model *m) {
    struct buf b = BUF(a);
    buf_append_cstr(&b, "resources:\n");
    for (unsigned i = 0; i < COUNT; i++) {
        print_thing(&b, m, i);
    }
    buf_printf(&b,
               "  place:\n    type: fake/place\n    condition: '${eq(1, %d)}'\n    metadata: {labels: {app: x}}\n"
               "    spec: {path: /p}\n",
               m->has_place ? 1 : 2);
    return buf_get_sv(&b).data;
}

/* --- what is there --- */

static const struct object *find_named(const struct world *w, sv name) {
    const struct object *found = NULL;
    for (size_t i = 0; i < w->objects.len; i++) {
        const struct object *o = &w->objects.items[i];
        if (!o->gone && sv_eq(provider_get_text(o->spec, SV("name")), name)) {
            assert_null(found);
            found = o;
        }
    }
    return found;
}

static void check_object(struct world *w, const struct model *m, unsigned i, sv name) {
    const struct thing *t = &m->things[i];
    const struct object *o = find_named(w, name);
    assert_int_equal(o != NULL, is_there(m, i));
    if (o == NULL) {
        return;
    }
    bool has_note = t->note >= 0 && is_there(m, (unsigned)t->note);
    sv wanted =
        has_note ? arena_printf(&w->arena, "n%d%s", t->note, m->things[t->note].is_template ? "-b" : "") : SV("");
    assert_true(sv_eq(provider_get_text(o->spec, SV("note")), wanted));
    value environment = value_map_find(o->spec, SV("environment"));
    assert_int_equal(environment.kind == VALUE_MAP, t->is_linked && m->has_place);
}

static size_t check_world(struct world *w, const struct model *m) {
    size_t count = m->has_place;
    for (unsigned i = 0; i < COUNT; i++) {
        bool is_template = m->things[i].is_template;
        for (unsigned k = 0; k < (is_template ? 2 : 1); k++) {
            check_object(w, m, i, arena_printf(&w->arena, "n%u%s", i, !is_template ? "" : k == 0 ? "-a" : "-b"));
            count += is_there(m, i);
        }
    }
    return count;
}

static void expect_nothing_to_do(struct world *w, const char *blueprint) {
    struct trip t;
    trip_init(&t, w);
    const char *text = trip_plan(&t, blueprint);
    if (text[0] != 0) {
        print_error("%s", blueprint);
    }
    expect_text(text, "");
    trip_fini(&t);
}

static void random_blueprints_come_to_what_they_say(void **state) {
    (void)state;
    for (uint64_t seed = 1; seed <= SEEDS; seed++) {
        struct world w;
        struct model m = {.seed = seed * 7919};
        world_init(&w);
        make_model(&m);
        for (size_t round = 0; round < ROUNDS; round++) {
            const char *blueprint = print_model(&w.arena, &m);
            world_deploy(&w, blueprint, EXIT_OK);
            size_t expected = check_world(&w, &m);
            if (world_count_objects(&w) != expected) {
                print_error("seed %d round %zu\n%s", (int)seed, round, blueprint);
            }
            assert_int_equal(world_count_objects(&w), expected);
            expect_nothing_to_do(&w, blueprint);
            change_model(&m);
        }
        world_destroy(&w, EXIT_OK);
        assert_int_equal(world_count_objects(&w), 0);
        world_fini(&w);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(random_blueprints_come_to_what_they_say)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
