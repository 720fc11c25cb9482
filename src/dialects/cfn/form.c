/* Forms of the type table. */
#include "dialects/cfn/form.h"

/* One evaluation of one form. */
struct filling {
    const struct cfn_form_request *r;
    const struct cfn_type_row *row;
    bool stands_in; /* what is missing is made up */
    struct cfn_digits digits;
    struct buf text;
    enum cfn_origin origin;
    uint8_t marks;
    value broken; /* the UNKNOWN or ERROR that decides */
};

static bool is_missing(value v) {
    return !value_is_set(v) || v.kind == VALUE_ABSENT || v.kind == VALUE_NULL;
}

/* UNKNOWN and ERROR answers decide; VALUE goes on. */
static enum cfn_form_state weigh(struct filling *f, const struct cfn_answer *answer) {
    if (answer->item.kind == VALUE_UNKNOWN || answer->item.kind == VALUE_ERROR) {
        f->broken = answer->item;
        return answer->item.kind == VALUE_UNKNOWN ? CFN_FORM_UNKNOWN : CFN_FORM_ERROR;
    }
    return CFN_FORM_VALUE;
}

static enum cfn_form_state ask(struct filling *f, enum cfn_ask what, sv name, struct cfn_answer *answer) {
    *answer = (struct cfn_answer){.origin = CFN_TEMPLATE};
    if (!f->r->ask(f->r->user, what, name, answer)) {
        return CFN_FORM_WAIT;
    }
    return weigh(f, answer);
}

/* The text of an answer; false when it has none: missing, empty, a list or a map. */
static bool find_text(struct filling *f, const struct cfn_answer *answer, sv *text) {
    if (is_missing(answer->item) || !value_is_scalar(answer->item)) {
        return false;
    }
    struct buf out = BUF(f->r->arena);
    value_print_scalar(&out, answer->item);
    *text = buf_get_sv(&out);
    f->marks |= answer->item.marks & MARK_SENSITIVE;
    if (answer->origin > f->origin) {
        f->origin = answer->origin;
    }
    return text->len > 0;
}

static void append_lower(struct buf *out, sv text) {
    for (size_t i = 0; i < text.len; i++) {
        char c = text.data[i];
        buf_append_char(out, (char)(c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c));
    }
}

/* A property in place; what is missing is `fallback`, made up as the logical id, or GENERATED. */
static enum cfn_form_state append_property(struct filling *f, sv name, const sv *fallback, bool lower) {
    struct cfn_answer answer;
    enum cfn_form_state state = ask(f, CFN_ASK_PROPERTY, name, &answer);
    if (state != CFN_FORM_VALUE) {
        return state;
    }
    sv text = {0};
    if (!find_text(f, &answer, &text)) {
        if (fallback == NULL && !f->stands_in) {
            return CFN_FORM_GENERATED;
        }
        text = fallback != NULL ? *fallback : f->r->id;
    }
    if (lower) {
        append_lower(&f->text, text);
    } else {
        buf_append(&f->text, text);
    }
    return CFN_FORM_VALUE;
}

/* Ref and pseudo parameters: always there, or unknown. */
static enum cfn_form_state append_asked(struct filling *f, enum cfn_ask what, sv name) {
    struct cfn_answer answer;
    enum cfn_form_state state = ask(f, what, name, &answer);
    sv text = {0};
    if (state == CFN_FORM_VALUE && !find_text(f, &answer, &text)) {
        state = CFN_FORM_GENERATED;
    }
    buf_append(&f->text, text);
    return state;
}

static const struct {
    sv part, pseudo;
} pseudo_parts[] = {
    {SV_INIT("account"), SV_INIT("AccountId")}, {SV_INIT("partition"), SV_INIT("Partition")},
    {SV_INIT("region"), SV_INIT("Region")},     {SV_INIT("stack"), SV_INIT("StackName")},
    {SV_INIT("suffix"), SV_INIT("URLSuffix")},
};

/* What stands between braces. */
static enum cfn_form_state append_part(struct filling *f, sv part) {
    for (size_t i = 0; i < sizeof(pseudo_parts) / sizeof(pseudo_parts[0]); i++) {
        if (sv_eq(part, pseudo_parts[i].part)) {
            return append_asked(f, CFN_ASK_PSEUDO, pseudo_parts[i].pseudo);
        }
    }
    if (sv_eq(part, SV("ref"))) {
        return append_asked(f, CFN_ASK_REF, (sv){0});
    }
    if (sv_eq(part, SV("id"))) {
        buf_append(&f->text, f->r->id);
        return CFN_FORM_VALUE;
    }
    if (sv_eq(part, SV("lower:id"))) {
        append_lower(&f->text, f->r->id);
        return CFN_FORM_VALUE;
    }
    if (sv_eq(part, SV("name")) || sv_eq(part, SV("lower:name"))) {
        return append_property(f, f->row->name, NULL, part.len > strlen("name"));
    }
    if (sv_has_prefix(part, SV("prop:"))) {
        sv rest = sv_slice(part, strlen("prop:"), part.len);
        sv name = sv_cut(&rest, '|');
        bool has_fallback = name.len + strlen("prop:") < part.len;
        return append_property(f, name, has_fallback ? &rest : NULL, false);
    }
    return cfn_digits_print(&f->digits, part, &f->text) ? CFN_FORM_VALUE : CFN_FORM_GENERATED;
}

/* The whole form. A part that AWS makes ends it, other parts are asked for all the same only while all is well. */
static enum cfn_form_state fill(struct filling *f, sv form) {
    for (size_t at = 0; at < form.len; at++) {
        enum cfn_form_state state = CFN_FORM_VALUE;
        if (form.data[at] == '{') {
            size_t end = at + sv_find_char(sv_slice(form, at, form.len), '}');
            state = append_part(f, sv_slice(form, at + 1, end));
            at = end;
        } else if (form.data[at] != '?') {
            buf_append_char(&f->text, form.data[at]);
        } else if (f->stands_in) {
            cfn_digits_print(&f->digits, SV("alnum7"), &f->text);
        } else {
            state = CFN_FORM_GENERATED;
        }
        if (state != CFN_FORM_VALUE) {
            return state;
        }
    }
    return CFN_FORM_VALUE;
}

static value make_value(const struct filling *f, sv text) {
    value item = {0};
    if (f->row != NULL && f->row->kind == CFN_ROW_NUMBER) {
        item = value_int(0);
        for (size_t i = 0; i < text.len; i++) {
            item.integer = item.integer * 10 + (text.data[i] - '0');
        }
    } else {
        item = value_string_copy(f->r->arena, text);
    }
    item = value_mark(item, f->marks);
    return f->row != NULL && f->row->kind == CFN_ROW_LIST ? value_list_of(f->r->arena, &item, 1) : item;
}

static enum cfn_form_state finish(struct filling *f, enum cfn_form_state state, struct cfn_answer *answer) {
    if (state == CFN_FORM_VALUE) {
        answer->item = make_value(f, buf_get_sv(&f->text));
        answer->origin = f->stands_in ? CFN_STAND_IN : f->origin;
    } else if (state == CFN_FORM_UNKNOWN || state == CFN_FORM_ERROR) {
        answer->item = f->broken;
    }
    return state;
}

static enum cfn_form_state start_stand_in(struct filling *f) {
    struct cfn_answer stack;
    if (ask(f, CFN_ASK_PSEUDO, SV("StackName"), &stack) == CFN_FORM_WAIT) {
        return CFN_FORM_WAIT;
    }
    sv name = {0};
    find_text(f, &stack, &name);
    *f = (struct filling){.r = f->r,
                          .row = f->row,
                          .stands_in = true,
                          .digits = cfn_digits_start(f->r->arena, name, f->r->id, f->r->type, f->r->attribute),
                          .text = BUF(f->r->arena),
                          .origin = CFN_STAND_IN};
    return CFN_FORM_VALUE;
}

/* CF-227 for a type that is not listed: Ref and Arn only. */
static enum cfn_form_state stand_in_for_unlisted(const struct cfn_form_request *r, struct cfn_answer *answer) {
    struct filling f = {.r = r, .text = BUF(r->arena)};
    bool is_arn = sv_eq(r->attribute, SV("Arn"));
    if (!is_arn && !sv_eq(r->attribute, SV("Ref"))) {
        return CFN_FORM_NO_TYPE;
    }
    enum cfn_form_state state = start_stand_in(&f);
    if (state != CFN_FORM_VALUE || !is_arn) {
        buf_append(&f.text, r->id);
        return finish(&f, state, answer);
    }
    sv rest = r->type;
    sv parts[3] = {0};
    for (size_t i = 0; i < 3 && rest.len > 0; i++) {
        parts[i] = sv_cut(&rest, ':');
        rest = sv_has_prefix(rest, SV(":")) ? sv_slice(rest, 1, rest.len) : rest;
    }
    struct buf form = BUF(r->arena);
    buf_append(&form, SV("arn:{partition}:"));
    append_lower(&form, parts[1]);
    buf_append(&form, SV(":{region}:{account}:"));
    append_lower(&form, parts[2].len > 0 ? parts[2] : parts[1]);
    buf_append(&form, SV("/{id}"));
    return finish(&f, fill(&f, buf_get_sv(&form)), answer);
}

/* Whether the row applies: VALUE with `applies` set, or what stands in the way. */
static enum cfn_form_state check_when(struct filling *f, const struct cfn_type_row *row, bool *applies) {
    *applies = row->when == CFN_ALWAYS;
    if (*applies) {
        return CFN_FORM_VALUE;
    }
    struct cfn_answer answer;
    bool of_partition = row->when == CFN_IN_PARTITION;
    enum cfn_form_state state = ask(f, of_partition ? CFN_ASK_PSEUDO : CFN_ASK_PROPERTY,
                                    of_partition ? SV("Partition") : row->property, &answer);
    if (state != CFN_FORM_VALUE) {
        return state;
    }
    sv text = {0};
    bool has_text = find_text(f, &answer, &text);
    switch (row->when) {
    case CFN_ALWAYS:
        break;
    case CFN_HAS:
        *applies = !is_missing(answer.item);
        break;
    case CFN_LACKS:
        *applies = is_missing(answer.item);
        break;
    case CFN_IN_PARTITION:
    case CFN_IS:
        *applies = has_text && sv_eq(text, row->wanted);
        break;
    case CFN_PLAIN:
        *applies = has_text && sv_find_char(text, ':') == SIZE_MAX;
        break;
    case CFN_ARN:
        *applies = has_text && sv_has_prefix(text, SV("arn:"));
        break;
    }
    return CFN_FORM_VALUE;
}

/* The row that applies in `f->row`; NULL when none does. */
static enum cfn_form_state choose_row(struct filling *f, struct cfn_type_rows rows) {
    for (size_t i = 0; i < rows.count; i++) {
        bool applies = false;
        enum cfn_form_state state = check_when(f, &rows.rows[i], &applies);
        if (state != CFN_FORM_VALUE) {
            return state;
        }
        if (applies) {
            f->row = &rows.rows[i];
            return CFN_FORM_VALUE;
        }
    }
    return CFN_FORM_GENERATED;
}

enum cfn_form_state cfn_form_evaluate(const struct cfn_form_request *r, struct cfn_answer *answer) {
    *answer = (struct cfn_answer){0};
    struct cfn_type_rows of_type = cfn_types_find(r->table, r->type);
    if (of_type.count == 0) {
        return r->stand_ins ? stand_in_for_unlisted(r, answer) : CFN_FORM_NO_TYPE;
    }
    struct cfn_type_rows rows = cfn_types_find_attribute(of_type, r->attribute);
    if (rows.count == 0) {
        return cfn_types_is_complete(of_type) ? CFN_FORM_NO_ATTRIBUTE : CFN_FORM_OTHER_ATTRIBUTE;
    }
    struct filling f = {.r = r, .text = BUF(r->arena), .origin = CFN_TEMPLATE};
    enum cfn_form_state state = choose_row(&f, rows);
    if (state == CFN_FORM_VALUE) {
        state = fill(&f, f.row->form);
    }
    if (state != CFN_FORM_GENERATED || !r->stand_ins || f.row == NULL) {
        return finish(&f, state, answer);
    }
    state = start_stand_in(&f);
    if (state == CFN_FORM_VALUE) {
        state = fill(&f, f.row->standin.len > 0 ? f.row->standin : f.row->form);
    }
    return finish(&f, state, answer);
}
