/* Texts with substitutions: parsed, checked, evaluated. The first byte chooses dialect and policy, the rest is the
 * text.
 *
 * What must hold whatever the input: an ERROR expression or value has been reported (unless failures are silent); every
 * diagnostic lies within the text; a second parse reports the same; evaluation ends with a value; no secret stands in a
 * message; text results are valid UTF-8. */
#include "base/utf8.h"
#include "lang/eval.h"
#include "unit/lang/test_dialect.h"

#include <stdlib.h>
#include <string.h>

#define SECRET "S3cr3t-zq9"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(bool ok) {
    if (!ok) {
        abort();
    }
}

enum choice {
    CHOOSE_RICH = 1 << 0,
    CHOOSE_PENDING = 1 << 1, /* cycles are pending, failures silent */
    CHOOSE_STRICT = 1 << 2,
    CHOOSE_OFFSETS = 1 << 3, /* offsets as of an escaped scalar */
    CHOOSE_PARTS = 1 << 4,   /* failed items stay in containers */
    CHOOSE_DYNAMIC = 1 << 5,
};

static void define_cells(struct world *w) {
    struct arena *a = &w->arena;
    struct map_builder m = {.arena = a};
    value list[] = {value_int(1), value_string(a, SV("two")), value_float(3)};
    map_add(&m, SV("l"), value_list_of(a, list, 3));
    map_add(&m, SV("s"), value_mark(value_string(a, SV(SECRET)), MARK_SENSITIVE));
    map_add(&m, SV("u"), value_unknown(&type_string));
    map_add(&m, SV("n"), value_null());
    world_define_value(w, "m", map_done(&m));
    world_define_value(w, "s", value_mark(value_string(a, SV(SECRET)), MARK_SENSITIVE));
    world_define_value(w, "u", value_unknown(NULL));
    world_define_value(w, "none1", value_absent());
    if ((w->dialect.call_styles & CALL_LAMBDAS) != 0) {
        world_define(w, "a", "b || 1");
        world_define(w, "b", "[c, a]");
        world_define(w, "c", "a + 1");
        world_define(w, "f", "|x| -> (f)(x)");
    } else {
        world_define(w, "a", "list(values.b)");
        world_define(w, "b", "join(values.a, values.s)");
    }
}

static void choose_policy(struct world *w, unsigned choice) {
    w->policy.cycle_is_pending = (choice & CHOOSE_PENDING) != 0;
    w->policy.failed_is_silent = (choice & CHOOSE_PENDING) != 0;
    w->policy.failed_cell_is_pending = (choice & CHOOSE_PENDING) != 0;
    w->policy.failed_before_pending = (choice & CHOOSE_STRICT) != 0;
    w->policy.strict_all_operands = (choice & CHOOSE_STRICT) != 0;
    w->policy.failed_item = (choice & CHOOSE_PARTS) != 0 ? OPERAND_PASS : OPERAND_ABSORB;
    w->policy.dynamic_scope = (choice & CHOOSE_DYNAMIC) != 0;
    w->policy.partial_application = (choice & CHOOSE_DYNAMIC) != 0;
    w->limits.eval_steps = 3000;
    w->limits.result_text = 10000;
}

static bool find_error(void *user, const struct expr *e) {
    bool *found = user;
    *found = *found || e->kind == EXPR_ERROR;
    return !*found;
}

static bool has_error(const struct expr *e) {
    bool found = false;
    expr_walk(e, find_error, &found);
    return found;
}

static void check_diags(const struct world *w, uint32_t source, size_t end, bool may_tell) {
    for (size_t i = 0; i < w->diags.items.len; i++) {
        const struct diag *d = w->diags.items.items[i];
        require(d->message.len > 0);
        require(d->at.source != source || (size_t)d->at.offset + d->at.length <= end);
        require(may_tell || sv_find(d->message, SV(SECRET)) == SIZE_MAX);
        require(may_tell || sv_find(d->hint, SV(SECRET)) == SIZE_MAX);
        require(utf8_check(d->message) == d->message.len);
    }
}

static const uint32_t *make_offsets(struct world *w, size_t len) {
    uint32_t *offsets = ARENA_ARRAY(&w->arena, uint32_t, len + 1);
    for (size_t i = 0; i <= len; i++) {
        offsets[i] = (uint32_t)(i * 2);
    }
    return offsets;
}

static void check_value(const struct world *w, value v, bool may_tell) {
    require(v.kind != 0);
    require(v.kind != VALUE_ERROR || w->diags.errors > 0 || w->policy.failed_is_silent);
    require(v.kind != VALUE_STRING || utf8_check(value_get_text(v)) == value_get_text(v).len);
    require(may_tell || v.kind != VALUE_STRING || value_is_sensitive(v) ||
            sv_find(value_get_text(v), SV(SECRET)) == SIZE_MAX);
}

static void run(struct world *w, sv text, unsigned choice) {
    struct source *s = sources_add(&w->sources, SV("input"), text);
    struct expr_text t = {.text = text, .source = s->id};
    t.offsets = (choice & CHOOSE_OFFSETS) != 0 ? make_offsets(w, text.len) : NULL;
    struct parse_context c = {&w->arena, &w->diags, &w->limits, &w->dialect};
    bool may_tell = sv_find(text, SV("S3c")) != SIZE_MAX; /* the input knows it */
    size_t before = w->diags.errors;
    const struct expr *e = lang_parse_text(&c, &t, (choice & CHOOSE_STRICT) != 0, NULL);
    require(has_error(e) == (w->diags.errors > before));
    size_t reported = w->diags.items.len;
    lang_parse_text(&c, &t, (choice & CHOOSE_STRICT) != 0, NULL);
    require(w->diags.items.len == reported); /* equal ones are kept once */
    world_check_expr(w, e);
    world_restart(w);
    check_value(w, eval_expr(w->ev, e, NULL), may_tell);
    check_diags(w, s->id, t.offsets != NULL ? text.len * 2 : text.len, may_tell);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    if (size == 0 || size > 4096) {
        return 0;
    }
    sv text = sv_make((const char *)data + 1, size - 1);
    text.len = utf8_check(text);
    struct world w;
    world_init(&w, (data[0] & CHOOSE_RICH) != 0 ? &dialect_rich : &dialect_plain);
    choose_policy(&w, data[0]);
    define_cells(&w);
    run(&w, arena_copy_sv(&w.arena, text), data[0]);
    world_fini(&w);
    return 0;
}
