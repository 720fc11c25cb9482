/* Interpolated text (BP-213). */
#include "lang/machine.h"

#include "base/utf8.h"

static enum diag_code get_text_code(const struct evaluator *ev) {
    return ev->o.policy->text_code != 0 ? ev->o.policy->text_code : DIAG_invalid_resolved_sub_value;
}

static value fail_part(struct evaluator *ev, span at, value v) {
    const char *kind = value_get_kind_name((enum value_kind)v.kind);
    if (ev->o.ops->refuse != NULL) {
        return ev->o.ops->refuse(ev->o.user, ev, REFUSE_IN_TEXT, v, at);
    }
    if (v.kind == VALUE_FUNCTION && ev->o.policy->function_code != 0) {
        return eval_fail(ev, ev->o.policy->function_code, at, "a function cannot stand in text");
    }
    return eval_fail(ev, get_text_code(ev), at, "a value of type %s cannot stand in text", kind);
}

/* A part as it may stand in text; ERROR after a report. Nothing to print: ABSENT. */
static value check_part(struct evaluator *ev, span at, value v) {
    const struct eval_policy *p = ev->o.policy;
    switch ((enum value_kind)v.kind) {
    case VALUE_BOOL:
    case VALUE_INT:
    case VALUE_FLOAT:
    case VALUE_STRING:
    case VALUE_UNKNOWN:
    case VALUE_ERROR:
    case VALUE_PENDING:
        return v;
    case VALUE_BYTES:
        if (utf8_check(*v.text) == v.text->len) {
            return v;
        }
        return eval_fail(ev, get_text_code(ev), at, "these bytes are not text");
    case VALUE_NULL:
        if (marks_get_rule(p->null_in_text, OPERAND_FAIL) == OPERAND_FAIL) {
            return fail_part(ev, at, v);
        }
        return value_mark(value_absent(), v.marks);
    case VALUE_ABSENT:
        return marks_get_rule(p->absent_in_text, OPERAND_ABSORB) == OPERAND_FAIL ? fail_part(ev, at, v) : v;
    case VALUE_LIST:
    case VALUE_MAP:
    case VALUE_FUNCTION:
        break;
    }
    return fail_part(ev, at, v);
}

/* Room for the text, so that it is not moved while it grows. */
static size_t guess_length(const value *parts, size_t count) {
    enum { NUMBER_LENGTH = 20 };
    size_t length = 1;
    for (size_t i = 0; i < count; i++) {
        size_t part =
            parts[i].kind == VALUE_STRING || parts[i].kind == VALUE_BYTES ? parts[i].text->len : NUMBER_LENGTH;
        if (parts[i].kind != VALUE_ABSENT && part < SIZE_MAX / 2 - length) {
            length += part;
        }
    }
    return length;
}

static value join_text(struct evaluator *ev, const value *parts, size_t count, span at) {
    struct buf out = BUF(ev->o.arena);
    size_t room = guess_length(parts, count);
    buf_reserve(&out, room < ev->o.limits->result_text ? room : ev->o.limits->result_text);
    void (*print)(struct buf *, value) =
        ev->o.policy->print_scalar != NULL ? ev->o.policy->print_scalar : value_print_scalar;
    for (size_t i = 0; i < count; i++) {
        if (parts[i].kind == VALUE_STRING || parts[i].kind == VALUE_BYTES) {
            buf_append(&out, *parts[i].text);
        } else if (parts[i].kind != VALUE_ABSENT) {
            print(&out, parts[i]);
        }
        if (out.len > ev->o.limits->result_text) {
            return eval_fail(ev, DIAG_limit_exceeded, at, "the text has more than %zu bytes",
                             ev->o.limits->result_text);
        }
    }
    return value_string(ev->o.arena, buf_get_sv(&out));
}

static value make(struct evaluator *ev, struct frame *f) {
    const value *parts = ev->values + f->base;
    size_t count = f->expr->count;
    value v = {0};
    static const struct fn_def text = {.name = SV_INIT("text"), .result = &type_string};
    struct operands o = {
        .e = f->expr, .fn = &text, .sees = FN_SEES_ABSENT | FN_SEES_NULL, .args = parts, .count = count};
    if (marks_decide(ev, &o, &v)) {
        return v;
    }
    return marks_join(ev, parts, count, join_text(ev, parts, count, f->expr->at));
}

enum flow template_step(struct evaluator *ev, struct frame *f) {
    const struct expr *e = f->expr;
    while (f->index < e->count) {
        const struct expr *part = e->call.args[f->index];
        value v = ev->answer;
        if (!f->waiting && !machine_want(ev, f, part, f->scope, &v)) {
            return FLOW_WAIT;
        }
        f->waiting = false;
        f->index++;
        v = check_part(ev, part->at, v);
        machine_push_value(ev, v);
        if (marks_ends_early(ev, 0, v)) {
            ev->answer = v;
            return FLOW_DONE;
        }
    }
    ev->answer = make(ev, f);
    return FLOW_DONE;
}
