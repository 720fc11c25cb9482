/* Every field of struct eval_policy, and the hooks: what dialects choose without touching the machine (DY-08x … DY-105,
 * CF-003, CF-023 … CF-025). */
#include "test_dialect.h"

#include "lang/eval.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* As dynaml: failures are silent and do not travel, cycles are pending. */
static void init_dynaml(struct world *w) {
    world_init(w, &dialect_rich);
    w->policy.cycle_is_pending = true;
    w->policy.failed_cell_is_pending = true;
    w->policy.failed_is_silent = true;
    w->policy.failed_before_pending = true;
    w->policy.strict_all_operands = true;
}

static void assert_cell(struct world *w, const char *name, const char *wanted) {
    assert_string_equal(world_show(w, world_get(w, name)), wanted);
}

static void test_failure_does_not_travel(void **state) {
    (void)state; /* DY-092 */
    struct world w;
    init_dynaml(&w);
    world_define(&w, "b", "missing");
    world_define(&w, "a", "b || 5");
    world_define(&w, "c", "missing || 5");
    assert_cell(&w, "a", "PENDING");
    assert_cell(&w, "b", "ERROR");
    assert_cell(&w, "c", "5");
    assert_int_equal(w.diags.items.len, 0); /* failed_is_silent */
    const struct eval_failure *why = world_get(&w, "b").cause;
    assert_int_equal(why->code, DIAG_missing_value);
    assert_true(sv_eq_cstr(why->message, "'missing' not found"));
    world_fini(&w);
}

static void test_failed_before_pending(void **state) {
    (void)state; /* DY-094: a failed operand decides even if another is pending */
    struct world w;
    init_dynaml(&w);
    world_define(&w, "p", "p");
    world_define(&w, "a", "(p + missing) || 5");
    world_define(&w, "b", "[p, missing] || 6");
    world_define(&w, "c", "[p, 1] || 6");
    world_define(&w, "d", "(p && missing) || 7"); /* not strict (DY-095) */
    assert_cell(&w, "p", "PENDING");
    assert_cell(&w, "a", "5");
    assert_cell(&w, "b", "6");
    assert_cell(&w, "c", "PENDING");
    assert_cell(&w, "d", "PENDING");
    w.policy.failed_before_pending = false;
    cell_reset(map_find(&w.cells, SV("a")));
    assert_cell(&w, "a", "PENDING"); /* the first of both */
    world_fini(&w);
}

static void test_strict_operands_are_all_evaluated(void **state) {
    (void)state;
    struct world w;
    world_init(&w, &dialect_rich);
    world_eval(&w, "missing + other");
    assert_int_equal(w.resolved, 1);
    w.policy.strict_all_operands = true;
    world_eval(&w, "missing + other");
    assert_int_equal(w.resolved, 3);
    world_fini(&w);
}

static void test_cycle_is_pending(void **state) {
    (void)state; /* DY-093 */
    struct world w;
    init_dynaml(&w);
    world_define(&w, "a", "b");
    world_define(&w, "b", "a");
    assert_cell(&w, "a", "PENDING");
    assert_cell(&w, "b", "PENDING");
    assert_int_equal(((struct cell *)map_find(&w.cells, SV("a")))->state, CELL_PENDING);
    assert_int_equal(((struct cell *)map_find(&w.cells, SV("b")))->state, CELL_PENDING);
    world_fini(&w);
}

static void test_provisional_is_evaluated_anew(void **state) {
    (void)state; /* DY-096: a: (b missing) || 5, b: a gives 5 and 5 */
    struct world w;
    init_dynaml(&w);
    world_define(&w, "a", "(b + missing) || 5");
    world_define(&w, "b", "a");
    assert_cell(&w, "a", "5");
    assert_int_equal(((struct cell *)map_find(&w.cells, SV("b")))->state, CELL_UNTOUCHED);
    assert_cell(&w, "b", "5");
    world_fini(&w);
    init_dynaml(&w); /* the outcome does not depend on the order */
    world_define(&w, "a", "(b + missing) || 5");
    world_define(&w, "b", "a");
    assert_cell(&w, "b", "5");
    assert_cell(&w, "a", "5");
    world_fini(&w);
}

static void test_provisional_through_others(void **state) {
    (void)state; /* everything that became pending because of it, also indirectly and inside the same cycle */
    struct world w;
    init_dynaml(&w);
    world_define(&w, "a", "(b + c + missing) || 5");
    world_define(&w, "b", "c + 1");
    world_define(&w, "c", "d + 1");
    world_define(&w, "d", "a + b"); /* b is under way, too: stays pending */
    world_define(&w, "e", "f + missing || 1");
    world_define(&w, "f", "g + 1");
    world_define(&w, "g", "e");
    assert_cell(&w, "a", "5");
    assert_cell(&w, "b", "PENDING");
    assert_cell(&w, "c", "PENDING");
    assert_cell(&w, "d", "PENDING");
    assert_cell(&w, "e", "1");
    assert_cell(&w, "f", "2");
    assert_cell(&w, "g", "1");
    world_fini(&w);
}

static void test_inner_root_resolves_first(void **state) {
    (void)state; /* x waits for two cells under way; it is evaluated anew when the inner one has a value, while the
                    outer is still open */
    struct world w;
    init_dynaml(&w);
    world_define(&w, "outer", "(inner + x + missing) || 7");
    world_define(&w, "inner", "(x + missing) || 3");
    world_define(&w, "x", "inner + outer");
    world_define(&w, "y", "x");
    assert_cell(&w, "outer", "7");
    assert_cell(&w, "inner", "3");
    assert_cell(&w, "x", "10");
    assert_cell(&w, "y", "10");
    world_fini(&w);
}

static void test_many_provisional_cells_are_quick(void **state) {
    (void)state; /* a cycle of 20 000 with references back at every cell */
    enum { LENGTH = 20000 };
    struct world w;
    init_dynaml(&w);
    world_define(&w, "c0", "(c1 + missing) || 1");
    for (int i = 1; i < LENGTH; i++) {
        sv name = arena_printf(&w.arena, "c%d", i);
        sv expr = arena_printf(&w.arena, "[c%d, c%d]", i == LENGTH - 1 ? 0 : i + 1, i - 1);
        world_define(&w, name.data, expr.data);
    }
    assert_cell(&w, "c0", "1");
    assert_cell(&w, "c7", "PENDING");
    assert_true(w.resolved < (size_t)20 * LENGTH);
    world_fini(&w);
}

/* finish: sees the raw outcome, may override a failure (DY-082), never a pending one, and may ask for another
 * expression (DY-103). */
static value finish_override(void *user, struct evaluator *ev, struct cell *c, value raw) {
    struct world *w = user;
    if (raw.kind == VALUE_ERROR && sv_eq_cstr(c->path, "stubbed")) {
        return value_int(9);
    }
    if (raw.kind == VALUE_STRING && sv_has_prefix(value_get_text(raw), SV("="))) {
        sv text = value_get_text(raw);
        return eval_again(ev, world_parse_expr(w, arena_copy_cstr(&w->arena, sv_slice(text, 1, text.len))), c->scope);
    }
    return raw;
}

static void test_finish(void **state) {
    (void)state;
    struct world w;
    init_dynaml(&w);
    w.ops.finish = finish_override;
    world_define(&w, "stubbed", "missing");
    world_define(&w, "a", "stubbed + 1");
    world_define(&w, "text", "\"=a + \\\"b\\\" == 1 ? 1 : a\"");
    world_define(&w, "twice", "\"=\\\"=a\\\"\"");
    assert_cell(&w, "a", "10");
    assert_cell(&w, "stubbed", "9");
    assert_cell(&w, "twice", "10");
    world_fini(&w);
}

static void test_null_operands(void **state) {
    (void)state;
    struct world w;
    world_init(&w, &dialect_rich);
    assert_string_equal(world_show(&w, world_eval(&w, "nil == nil")), "true"); /* standard: passes */
    w.policy.null_operand = OPERAND_ABSORB;
    assert_string_equal(world_show(&w, world_eval(&w, "nil == 1")), "null");
    w.policy.null_operand = OPERAND_FAIL;
    w.policy.operand_code = DIAG_invalid_function_argument;
    assert_true(value_is_error(world_eval(&w, "1 == nil")));
    assert_string_equal(world_list_diags(&w), "invalid_function_argument@5+3");
    assert_true(sv_eq_cstr(w.diags.items.items[0]->message, "'==': argument 2 must not be 'null'"));
    world_fini(&w);
}

static void test_absent_operands(void **state) {
    (void)state; /* CF-023: everywhere else it is an error */
    struct world w;
    world_init(&w, &dialect_rich);
    w.policy.absent_operand = OPERAND_FAIL;
    assert_true(value_is_error(world_eval(&w, "none + 1")));
    assert_string_equal(world_list_diags(&w), "invalid_substitution@0+4");
    assert_string_equal(world_show(&w, world_eval(&w, "[none, 1]")), "[1]");
    w.policy.drop_absent_items = false;
    assert_true(value_is_error(world_eval(&w, "[none, 1]")));
    world_fini(&w);
}

static void test_unknown_operands(void **state) {
    (void)state;
    struct world w;
    world_init(&w, &dialect_rich);
    world_define_value(&w, "unk", value_unknown(NULL));
    w.policy.unknown_operand = OPERAND_FAIL;
    assert_true(value_is_error(world_eval(&w, "unk + 1")));
    w.policy.unknown_operand = OPERAND_PASS;
    assert_string_equal(world_show(&w, world_eval(&w, "unk == 1")), "false");
    world_fini(&w);
}

static void test_failed_operands_may_pass(void **state) {
    (void)state;
    struct world w;
    init_dynaml(&w);
    w.policy.failed_operand = OPERAND_PASS;
    assert_string_equal(world_show(&w, world_eval(&w, "missing == 1")), "false");
    world_fini(&w);
}

static void test_parts_of_text(void **state) {
    (void)state;
    struct world w;
    world_init(&w, &dialect_rich);
    world_restart(&w);
    assert_true(value_is_error(eval_expr(w.ev, world_parse(&w, "a<( nil )>"), NULL)));
    w.policy.null_in_text = OPERAND_ABSORB;
    assert_string_equal(world_show(&w, eval_expr(w.ev, world_parse(&w, "a<( nil )>b"), NULL)), "\"ab\"");
    assert_string_equal(world_show(&w, eval_expr(w.ev, world_parse(&w, "a<( none )>b"), NULL)), "\"ab\"");
    w.policy.absent_in_text = OPERAND_FAIL;
    w.policy.text_code = DIAG_invalid_value;
    assert_true(value_is_error(eval_expr(w.ev, world_parse(&w, "a<( none )>b"), NULL)));
    assert_int_equal((*VEC_LAST(&w.diags.items))->code, DIAG_invalid_value);
    world_fini(&w);
}

static void print_loud(struct buf *out, value v) {
    buf_append_char(out, '#');
    value_print_scalar(out, v);
}

static void test_text_of_scalars_is_the_dialects(void **state) {
    (void)state; /* MD-152, CF-021 */
    struct world w;
    world_init(&w, &dialect_rich);
    w.policy.print_scalar = print_loud;
    world_restart(&w);
    assert_string_equal(world_show(&w, eval_expr(w.ev, world_parse(&w, "a<( 1 )>b<( \"x\" )>"), NULL)), "\"a#1bx\"");
    world_fini(&w);
}

static int truth_by_value(value v) {
    return v.kind == VALUE_BOOL   ? v.boolean
           : v.kind == VALUE_INT  ? v.integer != 0
           : v.kind == VALUE_NULL ? 0
                                  : -1; /* DY-051 */
}

static void test_truth(void **state) {
    (void)state;
    struct world w;
    world_init(&w, &dialect_rich);
    w.policy.truth = truth_by_value;
    assert_string_equal(world_show(&w, world_eval(&w, "[0 ? 1 : 2, 3 ? 1 : 2, nil ? 1 : 2]")), "[2,1,2]");
    w.policy.type_code = DIAG_invalid_value;
    assert_true(value_is_error(world_eval(&w, "\"x\" ? 1 : 2")));
    assert_string_equal(world_list_diags(&w), "invalid_value@0+3");
    world_fini(&w);
}

static void test_lambdas_see_the_scopes_of_their_use(void **state) {
    (void)state; /* DY-105 */
    struct world w;
    world_init(&w, &dialect_rich);
    world_define(&w, "y", "1");
    world_define(&w, "f", "|x| -> x + y");
    const char *text = "(|y| -> (f)(10))(5)";
    assert_string_equal(world_show(&w, world_eval(&w, text)), "11");
    w.policy.dynamic_scope = true;
    assert_string_equal(world_show(&w, world_eval(&w, text)), "15");
    world_fini(&w);
}

static void test_partial_application(void **state) {
    (void)state; /* DY-172 */
    struct world w;
    world_init(&w, &dialect_rich);
    w.policy.partial_application = true;
    assert_string_equal(world_show(&w, world_eval(&w, "(|x, y, z| -> [x, y, z])(1)(2)(3)")), "[1,2,3]");
    assert_true(value_is_error(world_eval(&w, "(|x| -> x)(1, 2)")));
    assert_true(sv_eq_cstr(w.diags.items.items[0]->message, "found 2 argument(s), but expects 1"));
    world_fini(&w);
}

/* The dialect's word: bits are joined, one of them is lost in operators. */
static uint32_t join_words(void *user, uint32_t left, uint32_t right) {
    (void)user;
    return left | right;
}

static void test_mark_word(void **state) {
    (void)state; /* DY-203 */
    struct world w;
    world_init(&w, &dialect_rich);
    value a = value_int(1), b = value_int(2);
    a.word = 1;
    b.word = 4;
    world_define_value(&w, "a", a);
    world_define_value(&w, "b", b);
    assert_int_equal(world_eval(&w, "a").word, 1);
    assert_int_equal(world_eval(&w, "a + b").word, 0);
    w.policy.join_words = join_words;
    world_restart(&w);
    assert_int_equal(world_eval(&w, "a + b").word, 5);
    assert_int_equal(world_eval(&w, "[a, b]").word, 5);
    assert_int_equal(world_eval(&w, "a == 1 ? b : 1").word, 5);
    assert_int_equal(world_eval(&w, "a || b").word, 1);
    assert_int_equal(eval_expr(w.ev, world_parse(&w, "x<( a )>y<( b )>"), NULL).word, 5);
    assert_int_equal(world_eval(&w, "[a, 3][1]").word, 1);
    world_fini(&w);
}

/* absorb: an unknown result carries what is left of the call (CF-025). */
static value keep_residual(void *user, struct evaluator *ev, const struct expr *e, const value *args, size_t count,
                           value result) {
    struct world *w = user;
    (void)ev;
    w->absorbed++;
    result.word = (uint32_t)count * 100;
    for (size_t i = 0; i < count; i++) {
        result.word += args[i].kind == VALUE_UNKNOWN;
    }
    assert_non_null(e);
    return result;
}

static void test_residuals(void **state) {
    (void)state;
    struct world w;
    world_init(&w, &dialect_rich);
    w.ops.absorb = keep_residual;
    world_define_value(&w, "unk", value_unknown(NULL));
    value v = world_eval(&w, "join(1, unk, unk)");
    assert_int_equal(v.kind, VALUE_UNKNOWN);
    assert_int_equal(v.word, 302);
    assert_int_equal(w.absorbed, 1);
    world_fini(&w);
}

/* walk: missing keys give null (MD-117). */
static value walk_lenient(void *user, struct evaluator *ev, value base, const struct step *s, const struct expr *ref) {
    (void)user, (void)ev, (void)s, (void)ref;
    return base.kind == VALUE_MAP || base.kind == VALUE_LIST || base.kind == VALUE_NULL ? value_null() : (value){0};
}

static void test_walk_hook(void **state) {
    (void)state;
    struct world w;
    world_init(&w, &dialect_rich);
    w.ops.walk = walk_lenient;
    assert_string_equal(world_show(&w, world_eval(&w, "{a: 1}.b.c[5]")), "null");
    assert_string_equal(world_show(&w, world_eval(&w, "[1][2]")), "null");
    assert_true(value_is_error(world_eval(&w, "{a: 1}.a.b")));
    assert_string_equal(world_list_diags(&w), "sub_func_path_field_on_non_object@8+2");
    world_fini(&w);
}

/* RESOLVE_AGAIN, RESOLVE_EXPR and directives: a look-up that must evaluate others first (DY-114), a template evaluated
 * at its use (DY-184). */
static enum resolve_result resolve_asking(void *user, struct evaluator *ev, const struct expr *ref,
                                          const struct scope *scope, struct resolved *out) {
    struct world *w = user;
    (void)ev, (void)scope;
    if (sv_eq_cstr(ref->ref.name, "sum")) { /* asks for a, then b, then gives their sum */
        size_t *asked = out->state;
        if (asked == NULL) {
            asked = out->state = ARENA_ARRAY(&w->arena, size_t, 2);
        } else {
            asked[1] += (size_t)out->item.integer;
            asked[0]++;
        }
        static const char *const names[] = {"a", "b"};
        if (asked[0] == 2) {
            out->item = value_int((int64_t)asked[1]);
            return RESOLVE_VALUE;
        }
        out->cell = map_find(&w->cells, sv_from_cstr(names[asked[0]]));
        return RESOLVE_AGAIN;
    }
    if (sv_eq_cstr(ref->ref.name, "use")) {
        struct scope *s = ARENA_NEW(&w->arena, struct scope);
        static const sv names[] = {SV_INIT("p")};
        value *item = ARENA_NEW(&w->arena, value);
        *item = value_int(40);
        *s = (struct scope){.names = names, .items = item, .count = 1};
        out->expr = world_parse_expr(w, "{x: p + a}");
        out->scope = s;
        return RESOLVE_EXPR;
    }
    if (scope_find(scope, ref->ref.name, &out->item)) {
        return RESOLVE_VALUE;
    }
    out->cell = map_find(&w->cells, ref->ref.name);
    return out->cell == NULL ? RESOLVE_ERROR : RESOLVE_CELL;
}

static enum resolve_result directive(void *user, struct evaluator *ev, const struct expr *e, const struct scope *scope,
                                     struct resolved *out) {
    (void)user, (void)ev;
    if (out->state == NULL) {
        out->state = out;
        out->expr = e->call.args[0];
        out->scope = (struct scope *)scope;
        return RESOLVE_AGAIN;
    }
    out->item = value_int(out->item.integer * 100);
    return RESOLVE_VALUE;
}

static void test_resolvers_may_ask(void **state) {
    (void)state;
    struct world w;
    world_init(&w, &dialect_rich);
    w.ops.resolve = resolve_asking;
    w.ops.directive = directive;
    world_define(&w, "a", "b + 1");
    world_define(&w, "b", "1 + 1");
    world_define(&w, "s", "sum");
    assert_string_equal(world_show(&w, world_eval(&w, "sum + sum")), "10");
    assert_cell(&w, "s", "5");
    assert_string_equal(world_show(&w, world_eval(&w, "use.x")), "43");
    struct expr *e = expr_new(&w.arena, EXPR_DIRECTIVE, SPAN_NONE);
    const struct expr **args = ARENA_ARRAY(&w.arena, const struct expr *, 1);
    args[0] = world_parse_expr(&w, "a + 1");
    e->call.args = args;
    e->count = 1;
    assert_string_equal(world_show(&w, eval_expr(w.ev, e, NULL)), "400");
    world_fini(&w);
}

static void test_spread(void **state) {
    (void)state; /* objects into which other objects' entries go */
    struct world w;
    world_init(&w, &dialect_rich);
    world_define(&w, "base", "{a: 1, b: 2}");
    static const sv keys[] = {SV_INIT("z"), {NULL, 0}, SV_INIT("b")};
    const struct expr **args = ARENA_ARRAY(&w.arena, const struct expr *, 3);
    args[0] = world_parse_expr(&w, "0");
    args[1] = world_parse_expr(&w, "base");
    args[2] = world_parse_expr(&w, "3");
    const struct expr *e = expr_new_object(&w.arena, SPAN_NONE, keys, args, 3);
    world_restart(&w);
    assert_string_equal(world_show(&w, eval_expr(w.ev, e, NULL)), "{\"z\":0,\"a\":1,\"b\":3}");
    args[1] = world_parse_expr(&w, "7");
    assert_true(value_is_error(eval_expr(w.ev, e, NULL)));
    world_fini(&w);
}

static void test_cycles_can_be_silent_errors(void **state) {
    (void)state;
    struct world w;
    world_init(&w, &dialect_rich);
    w.policy.failed_is_silent = true;
    world_define(&w, "a", "a || 1");
    assert_cell(&w, "a", "1");
    assert_int_equal(w.diags.items.len, 0);
    world_fini(&w);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_failure_does_not_travel),
        cmocka_unit_test(test_failed_before_pending),
        cmocka_unit_test(test_strict_operands_are_all_evaluated),
        cmocka_unit_test(test_cycle_is_pending),
        cmocka_unit_test(test_provisional_is_evaluated_anew),
        cmocka_unit_test(test_provisional_through_others),
        cmocka_unit_test(test_inner_root_resolves_first),
        cmocka_unit_test(test_many_provisional_cells_are_quick),
        cmocka_unit_test(test_finish),
        cmocka_unit_test(test_null_operands),
        cmocka_unit_test(test_absent_operands),
        cmocka_unit_test(test_unknown_operands),
        cmocka_unit_test(test_failed_operands_may_pass),
        cmocka_unit_test(test_parts_of_text),
        cmocka_unit_test(test_text_of_scalars_is_the_dialects),
        cmocka_unit_test(test_truth),
        cmocka_unit_test(test_lambdas_see_the_scopes_of_their_use),
        cmocka_unit_test(test_partial_application),
        cmocka_unit_test(test_mark_word),
        cmocka_unit_test(test_residuals),
        cmocka_unit_test(test_walk_hook),
        cmocka_unit_test(test_resolvers_may_ask),
        cmocka_unit_test(test_spread),
        cmocka_unit_test(test_cycles_can_be_silent_errors),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
