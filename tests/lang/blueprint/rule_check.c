/* Checks a template against the expectations in its own comments. */
#include "lang/blueprint/rule_check.h"

/* One file under test. */
struct rule_file {
    struct harness *h;
    struct buf why; /* what is wrong */
    bool *seen;     /* per diagnostic: expected */
};

static void complain(struct rule_file *f, size_t line, const char *what, sv text) {
    buf_printf(&f->why, "#   line %zu: %s: %.*s\n", line, what, SV_ARG(text));
}

static bool matches(const struct diag *d, sv code, sv message) {
    return sv_eq(diag_get_code_name(d), code) && (message.len == 0 || sv_find(d->message, message) != SIZE_MAX);
}

/* Diagnostics without a place in the file (inputs) are expected on line 1. */
static void expect(struct rule_file *f, size_t line, sv text) {
    sv rest = text, code = sv_cut(&rest, ' ');
    for (size_t i = 0; i < f->h->diags.items.len; i++) {
        const struct diag *d = f->h->diags.items.items[i];
        size_t at = harness_get_line(f->h, d->at);
        bool here = at == line || (at == 0 && line == 1);
        if (here && !f->seen[i] && matches(d, code, sv_trim(rest))) {
            f->seen[i] = true;
            return;
        }
    }
    complain(f, line, "not reported", text);
}

static void check_expectations(struct rule_file *f, const char *mark) {
    sv rest = f->h->text, text = {0};
    for (size_t line = 1; rest.len > 0; line++) {
        sv one = sv_cut(&rest, '\n');
        while (harness_find_mark(&one, mark, &text)) {
            expect(f, line, text);
        }
    }
    for (size_t i = 0; i < f->h->diags.items.len; i++) {
        const struct diag *d = f->h->diags.items.items[i];
        if (!f->seen[i]) {
            sv message = arena_printf(&f->h->arena, "%.*s: %.*s", SV_ARG(diag_get_code_name(d)), SV_ARG(d->message));
            complain(f, harness_get_line(f->h, d->at), "not expected", message);
        }
    }
}

/* --- evaluation --- */

static uint32_t find_element(struct rule_file *f, size_t line) {
    const struct template *t = f->h->expanded;
    for (uint32_t i = 0; i < t->element_count; i++) {
        if (harness_get_line(f->h, t->elements[i].at) == line) {
            return i;
        }
    }
    return UINT32_MAX;
}

/* What an element gives: ABSENT for a resource whose condition is false. */
static value evaluate_element(struct evaluation *e, uint32_t number) {
    value holds = template_find_condition(e, number);
    if (holds.kind == VALUE_ERROR) {
        return holds;
    }
    return holds.kind == VALUE_BOOL && !holds.boolean ? value_absent()
                                                      : eval_cell(e->evaluator, &e->cells[number].main);
}

/* Of a resource with `each`: the list of its instances, without those whose condition is false. */
static value evaluate_line(struct evaluation *e, uint32_t number) {
    const struct element *element = &e->template->elements[number];
    if (element->kind != ELEMENT_TEMPLATE) {
        return evaluate_element(e, number);
    }
    struct list_builder list = {.arena = e->arena};
    for (uint32_t i = number + 1; i < element->group_end; i++) {
        list_add(&list, evaluate_element(e, i));
    }
    return list_done(&list);
}

static void check_result(struct rule_file *f, struct evaluation *e, size_t line, sv wanted) {
    uint32_t number = find_element(f, line);
    if (number == UINT32_MAX) {
        complain(f, line, "no element starts here", wanted);
        return;
    }
    value v = evaluate_line(e, number);
    sv given = v.kind == VALUE_ABSENT  ? SV("none")
               : v.kind == VALUE_ERROR ? SV("error")
                                       : value_print_json(&f->h->arena, v, 0, REDACT);
    if (!sv_eq(given, wanted)) {
        complain(f, line, "wanted", wanted);
        complain(f, line, "given", given);
    }
}

static void evaluate(struct rule_file *f) {
    struct evaluation e = {0};
    if (!harness_evaluate(f->h, &e)) {
        return;
    }
    sv rest = f->h->text, text = {0};
    for (size_t line = 1; rest.len > 0; line++) {
        sv one = sv_cut(&rest, '\n');
        sv two = one;
        if (harness_find_mark(&one, "# gives: ", &text)) {
            check_result(f, &e, line, text);
        } else if (harness_find_mark(&two, "# fails: ", &text)) {
            uint32_t number = find_element(f, line);
            if (number != UINT32_MAX) {
                evaluate_line(&e, number);
            }
        }
    }
}

bool rule_check(struct harness *h, struct buf *why) {
    struct rule_file f = {.h = h, .why = BUF(&h->arena)};
    f.seen = ARENA_ARRAY(&h->arena, bool, h->diags.items.len + 1);
    check_expectations(&f, "# expect: ");
    if (f.why.len == 0 && h->diags.errors == 0 && h->template != NULL) {
        h->diags.items.len = 0;
        evaluate(&f);
        f.seen = ARENA_ARRAY(&h->arena, bool, h->diags.items.len + 1);
        check_expectations(&f, "# fails: ");
    }
    *why = f.why;
    return f.why.len == 0;
}
