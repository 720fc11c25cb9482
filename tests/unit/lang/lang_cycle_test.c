/* Pending and provisional cells against a plain model (DY-080 … DY-097): evaluate all nodes again and again, with what
 * is resolved so far, until nothing changes. Whatever the order in which cells are demanded, our single evaluation must
 * give the same outcome. */
#include "test_dialect.h"

#include "lang/eval.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

enum { CELLS_MAX = 7, ROUNDS = 4000 };

struct rng {
    uint64_t state;
};

static unsigned draw(struct rng *r, unsigned below) {
    r->state = r->state * 6364136223846793005U + 1442695040888963407U;
    return (unsigned)(r->state >> 33) % below;
}

static void make_expr(struct rng *r, struct buf *out, unsigned cells, unsigned depth) {
    unsigned kind = depth == 0 ? draw(r, 6) : draw(r, 12);
    if (kind < 4) {
        buf_printf(out, "c%u", draw(r, cells));
    } else if (kind == 4) {
        buf_printf(out, "%u", draw(r, 3));
    } else if (kind == 5) {
        buf_append_cstr(out, "missing");
    } else {
        static const char *const between[] = {" + ", " || ", " ? "};
        unsigned op = draw(r, 5) % 3;
        buf_append_char(out, '(');
        make_expr(r, out, cells, depth - 1);
        buf_append_cstr(out, between[op]);
        make_expr(r, out, cells, depth - 1);
        if (op == 2) {
            buf_append_cstr(out, " : ");
            make_expr(r, out, cells, depth - 1);
        }
        buf_append_char(out, ')');
    }
}

/* The model: an outcome is a value of kind INT, ERROR or PENDING. */
struct model {
    const struct expr *exprs[CELLS_MAX];
    value outcomes[CELLS_MAX];
    unsigned count;
};

static value model_eval(const struct model *m, const struct expr *e);

static value model_ref(const struct model *m, const struct expr *e) {
    if (e->ref.name.len != 2) {
        return value_error(NULL); /* missing */
    }
    value v = m->outcomes[e->ref.name.data[1] - '0'];
    return v.kind == VALUE_INT ? v : value_pending(NULL); /* DY-092 */
}

static value model_call(const struct model *m, const struct expr *e) {
    value a = model_eval(m, e->call.args[0]);
    if (sv_eq_cstr(e->call.fn->name, "||")) {
        return a.kind == VALUE_ERROR ? model_eval(m, e->call.args[1]) : a;
    }
    value b = model_eval(m, e->call.args[1]);
    if (a.kind == VALUE_ERROR || b.kind == VALUE_ERROR) {
        return value_error(NULL); /* DY-094 */
    }
    if (a.kind == VALUE_PENDING || b.kind == VALUE_PENDING) {
        return value_pending(NULL);
    }
    return value_int((int64_t)((uint64_t)a.integer + (uint64_t)b.integer));
}

static value model_eval(const struct model *m, const struct expr *e) {
    if (e->kind == EXPR_LITERAL) {
        return e->literal;
    }
    if (e->kind == EXPR_REF) {
        return model_ref(m, e);
    }
    if (e->kind == EXPR_CALL) {
        return model_call(m, e);
    }
    value c = model_eval(m, e->call.args[0]);
    return c.kind != VALUE_INT ? c : model_eval(m, e->call.args[c.integer != 0 ? 1 : 2]);
}

static void model_run(struct model *m) {
    for (unsigned i = 0; i < m->count; i++) {
        m->outcomes[i] = value_pending(NULL);
    }
    for (bool changed = true; changed;) {
        changed = false;
        for (unsigned i = 0; i < m->count; i++) {
            bool was_resolved = m->outcomes[i].kind == VALUE_INT;
            m->outcomes[i] = was_resolved ? m->outcomes[i] : model_eval(m, m->exprs[i]);
            changed = changed || (!was_resolved && m->outcomes[i].kind == VALUE_INT);
        }
    }
    for (unsigned i = 0; i < m->count; i++) {
        m->outcomes[i] = m->outcomes[i].kind == VALUE_INT ? m->outcomes[i] : model_eval(m, m->exprs[i]);
    }
}

static int truth_of_int(value v) {
    return v.kind == VALUE_INT ? v.integer != 0 : -1;
}

static void init(struct world *w) {
    world_init(w, &dialect_rich);
    w->policy.cycle_is_pending = true;
    w->policy.failed_cell_is_pending = true;
    w->policy.failed_is_silent = true;
    w->policy.failed_before_pending = true;
    w->policy.strict_all_operands = true;
    w->policy.truth = truth_of_int;
}

static void print_system(const struct world *w, const char *const *texts, unsigned count, unsigned at) {
    (void)w;
    for (unsigned i = 0; i < count; i++) {
        print_error("%s c%u: %s\n", i == at ? ">" : " ", i, texts[i]);
    }
}

static void compare(struct world *w, const struct model *m, const char *const *texts, unsigned i) {
    char name[] = "c0";
    name[1] = (char)('0' + i);
    value v = world_get(w, name);
    bool same = v.kind == m->outcomes[i].kind && (v.kind != VALUE_INT || v.integer == m->outcomes[i].integer);
    if (!same) {
        print_system(w, texts, m->count, i);
        print_error("model %s, evaluator %s\n", world_show(w, m->outcomes[i]), world_show(w, v));
    }
    assert_true(same);
}

static void play(struct rng *r) {
    static const char *const names[] = {"c0", "c1", "c2", "c3", "c4", "c5", "c6"};
    const char *texts[CELLS_MAX] = {NULL};
    struct world w;
    struct model m = {.count = 2 + draw(r, CELLS_MAX - 1)};
    init(&w);
    for (unsigned i = 0; i < m.count; i++) {
        struct buf text = BUF(&w.arena);
        make_expr(r, &text, m.count, 2);
        texts[i] = arena_copy_cstr(&w.arena, buf_get_sv(&text));
        m.exprs[i] = world_define(&w, names[i], texts[i])->expr;
    }
    model_run(&m);
    unsigned first = draw(r, m.count), step = 1 + draw(r, m.count);
    for (unsigned i = 0; i < m.count * m.count; i++) {
        compare(&w, &m, texts, (first + i * step) % m.count);
    }
    for (unsigned i = 0; i < m.count; i++) {
        compare(&w, &m, texts, i);
    }
    world_fini(&w);
}

static void test_same_outcome_as_repeated_passes(void **state) {
    (void)state;
    struct rng r = {.state = 20230420};
    for (unsigned round = 0; round < ROUNDS; round++) {
        play(&r);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_same_outcome_as_repeated_passes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
