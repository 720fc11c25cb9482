/* Values of parameters (CF-042 to CF-047). */
#include "base/hint.h"
#include "base/num.h"
#include "base/utf8.h"
#include "dialects/cfn/lookups.h"
#include "dialects/cfn/scalars.h"

/* --- text --- */

static value make_text(struct cfn_run *run, sv text, value from) {
    return value_mark(cfn_with_origin(value_string(run->arena, text), cfn_get_origin(from)),
                      from.marks & MARK_SENSITIVE);
}

/* CF-043: `a, b` is two items, the empty text one. */
static value split_list(struct cfn_run *run, sv text, value from) {
    struct list_builder b = {.arena = run->arena};
    sv rest = text;
    bool more = true;
    while (more) {
        more = sv_find_char(rest, ',') != SIZE_MAX;
        list_add(&b, make_text(run, sv_trim(sv_cut(&rest, ',')), from));
    }
    return cfn_with_origin(list_done(&b), cfn_get_origin(from));
}

static value fail_value(struct cfn_run *run, const struct cfn_parameter *p, span at, const char *what) {
    struct diag *d = cfn_report(run, DIAG_cfn_parameter_value, at, "the parameter '%.*s' %s", SV_ARG(p->e->name), what);
    if (p->constraint_description.len > 0) {
        cfn_hint(run, d, "%.*s", SV_ARG(p->constraint_description));
    }
    return cfn_failed(run);
}

/* A list that was given: its items as text. */
static value take_list(struct cfn_run *run, const struct cfn_parameter *p, value given, span at) {
    if (!p->is_list) {
        return fail_value(run, p, at, "takes one value, not a list");
    }
    struct list_builder b = {.arena = run->arena};
    for (size_t i = 0; i < given.list->len; i++) {
        sv text = {0};
        value item = given.list->items[i];
        if (!cfn_text_get(run, item, &text)) {
            return fail_value(run, p, at, "takes a list of scalars");
        }
        if (sv_find_char(text, ',') != SIZE_MAX) {
            struct diag *d = cfn_report(run, DIAG_cfn_parameter_list, at,
                                        "item %zu of the parameter '%.*s' holds a comma", i, SV_ARG(p->e->name));
            cfn_hint(run, d, "make it two items; CloudFormation splits at commas");
            return cfn_failed(run);
        }
        value from = value_mark(cfn_with_origin(item, cfn_get_origin(given)), given.marks);
        list_add(&b, make_text(run, text, from));
    }
    return cfn_with_origin(list_done(&b), cfn_get_origin(given));
}

/* A value as it was given, as the text or list of texts that the type wants. */
static value take_value(struct cfn_run *run, const struct cfn_parameter *p, value given, span at) {
    if (given.kind == VALUE_UNKNOWN || given.kind == VALUE_ERROR) {
        return given;
    }
    if (given.kind == VALUE_LIST && p->is_ssm) {
        return fail_value(run, p, at, "takes the name of a parameter in the store, not a list");
    }
    if (given.kind == VALUE_LIST) {
        return take_list(run, p, given, at);
    }
    sv text = {0};
    if (!cfn_text_get(run, given, &text)) {
        return fail_value(run, p, at, "takes text");
    }
    return p->is_list && !p->is_ssm ? split_list(run, text, given) : make_text(run, text, given);
}

static value take_default(struct cfn_run *run, const struct cfn_parameter *p) {
    bool differs = false;
    sv text = cfn_scalar_get_text(run->arena, p->fallback, &differs);
    if (differs) {
        struct diag *d =
            cfn_report(run, DIAG_cfn_number_text, p->fallback->at, "the text of this number is '%.*s'", SV_ARG(text));
        cfn_hint(run, d, "quote it");
    }
    return take_value(run, p, cfn_with_origin(value_string(run->arena, text), CFN_TEMPLATE), p->fallback->at);
}

value cfn_parameter_get_value(struct cfn_run *run, const struct cfn_parameter *p) {
    struct cfn_query q = {.kind = CFN_QUERY_PARAMETER, .id = p->e->name};
    const struct cfn_asked *asked = cfn_lookup(run, &q);
    if (asked->found != CFN_ABSENT) {
        span at = span_is_none(asked->reply.at) ? p->e->key->at : asked->reply.at;
        return take_value(run, p, cfn_take_answer(run, asked, at), at);
    }
    return p->fallback == NULL ? (value){0} : take_default(run, p);
}

/* --- constraints (CF-044) --- */

/* Texts that are equal where numbers are. */
static sv get_number_key(struct cfn_run *run, const struct cfn_parameter *p, sv text) {
    double number = 0;
    if (p->kind != CFN_PARAMETER_NUMBER || num_parse_double(text, &number) != NUM_OK) {
        return text;
    }
    char digits[NUM_TEXT_MAX];
    size_t len = num_print_double(number + 0.0, digits);
    return arena_copy_sv(run->arena, sv_make(digits, len));
}

static bool is_allowed(struct cfn_run *run, struct cfn_parameter *p, sv text) {
    if (p->allowed_texts.arena == NULL) {
        p->allowed_texts = MAP(run->arena);
        for (uint32_t i = 0; i < p->allowed->count; i++) {
            sv other = cfn_scalar_get_text(run->arena, p->allowed->items[i], NULL);
            map_put(&p->allowed_texts, get_number_key(run, p, other), p);
        }
    }
    return map_has(&p->allowed_texts, get_number_key(run, p, text));
}

static bool check_pattern(struct cfn_run *run, const struct cfn_parameter *p, sv text, span at) {
    enum pattern_result result = pattern_match(p->pattern, text, NULL, NULL);
    if (result == PATTERN_LIMIT) {
        struct diag *d = cfn_report(run, DIAG_cfn_pattern_limit, p->pattern_node->at,
                                    "matching the value of '%.*s' takes too many steps", SV_ARG(p->e->name));
        cfn_hint(run, d, "make the pattern simpler: no repetition within a repetition");
        return false;
    }
    if (result != PATTERN_MATCH) {
        fail_value(run, p, at, "does not match its AllowedPattern");
        return false;
    }
    return true;
}

/* What is wrong with a length or a number; NULL: nothing. */
static const char *judge_bounds(const struct cfn_parameter *p, sv text) {
    if (p->kind == CFN_PARAMETER_STRING) {
        double length = (double)utf8_count(text);
        if (p->min_length.is_set && length < p->min_length.number) {
            return "is shorter than its MinLength";
        }
        return p->max_length.is_set && length > p->max_length.number ? "is longer than its MaxLength" : NULL;
    }
    double number = 0;
    if (p->kind != CFN_PARAMETER_NUMBER || p->is_list || num_parse_double(text, &number) != NUM_OK) {
        return NULL;
    }
    if (p->min_value.is_set && number < p->min_value.number) {
        return "is less than its MinValue";
    }
    return p->max_value.is_set && number > p->max_value.number ? "is more than its MaxValue" : NULL;
}

/* CF-047: references to the parameter store need a version, others cannot stand there. */
static bool check_dynamic(struct cfn_run *run, const struct cfn_parameter *p, sv text, span at) {
    sv rest = text;
    for (size_t from = sv_find(rest, SV("{{resolve:")); from != SIZE_MAX; from = sv_find(rest, SV("{{resolve:"))) {
        rest = sv_slice(rest, from + strlen("{{resolve:"), rest.len);
        sv inner = sv_slice(rest, 0, sv_find(rest, SV("}}")));
        size_t last = sv_rfind_char(inner, ':');
        sv version = last == SIZE_MAX ? (sv){0} : sv_slice(inner, last + 1, inner.len);
        uint64_t number = 0;
        if (!sv_has_prefix(inner, SV("ssm:")) || last <= strlen("ssm") ||
            num_parse_u64(version, 10, &number) != NUM_OK) {
            struct diag *d =
                cfn_report(run, DIAG_cfn_dynamic, at,
                           "the value of '%.*s' refers to the parameter store without a version", SV_ARG(p->e->name));
            cfn_hint(run, d, "write {{resolve:ssm:NAME:VERSION}}");
            return false;
        }
    }
    return true;
}

static bool check_text(struct cfn_run *run, struct cfn_parameter *p, sv text, span at) {
    double number = 0;
    if (p->kind == CFN_PARAMETER_NUMBER && num_parse_double(text, &number) != NUM_OK) {
        struct diag *d = cfn_report(run, DIAG_cfn_parameter_number, at, "the parameter '%.*s' is not a decimal number",
                                    SV_ARG(p->e->name));
        cfn_hint(run, d, "its type is %.*s", SV_ARG(p->type));
        return false;
    }
    if (!check_dynamic(run, p, text, at)) {
        return false;
    }
    if (p->allowed != NULL && !is_allowed(run, p, text)) {
        fail_value(run, p, at, "has none of its AllowedValues");
        return false;
    }
    if (p->pattern != NULL && !check_pattern(run, p, text, at)) {
        return false;
    }
    const char *wrong = judge_bounds(p, text);
    if (wrong != NULL) {
        fail_value(run, p, at, wrong);
    }
    return wrong == NULL;
}

bool cfn_parameter_check_value(struct cfn_run *run, struct cfn_parameter *p, value v, span at) {
    if (v.kind == VALUE_STRING) {
        return check_text(run, p, value_get_text(v), at);
    }
    for (size_t i = 0; v.kind == VALUE_LIST && i < v.list->len; i++) {
        if (!check_text(run, p, value_get_text(v.list->items[i]), at)) {
            return false;
        }
    }
    return true;
}

/* --- all of them --- */

static span get_place(struct cfn_run *run, const struct cfn_parameter *p) {
    const struct cfn_asked *asked = cfn_lookup(run, &(struct cfn_query){.kind = CFN_QUERY_PARAMETER, .id = p->e->name});
    if (asked->found == CFN_FOUND && !span_is_none(asked->reply.at)) {
        return asked->reply.at;
    }
    return p->fallback != NULL && asked->found == CFN_ABSENT ? p->fallback->at : p->e->key->at;
}

static value make_unknown(struct cfn_run *run, const struct cfn_parameter *p, enum cfn_reason reason, sv hint) {
    struct cfn_note_more *more = ARENA_NEW(run->arena, struct cfn_note_more);
    more->hint = hint;
    struct cfn_note note = {.more = more, .at = p->e->key->at, .reasons = 1U << reason, .is_list = p->is_list};
    return cfn_note_put(run, value_unknown(NULL), &note);
}

/* What the parameter store holds under the key that is the value (CF-041). */
static value look_up_ssm(struct cfn_run *run, const struct cfn_parameter *p, value key) {
    struct cfn_query q = {.kind = CFN_QUERY_DYNAMIC, .type = SV("ssm"), .id = value_get_text(key)};
    const struct cfn_asked *asked = cfn_lookup(run, &q);
    if (asked->found == CFN_ABSENT) {
        sv hint = arena_printf(run->arena, "give '%.*s' among SSM of a symbol file", SV_ARG(q.id));
        return make_unknown(run, p, CFN_REASON_ssm, p->is_hidden ? SV("give it among SSM of a symbol file") : hint);
    }
    struct cfn_parameter plain = *p;
    plain.is_ssm = false;
    return take_value(run, &plain, cfn_take_answer(run, asked, p->e->key->at), p->e->key->at);
}

static bool may_be_missing(const struct cfn_run *run) {
    return run->o.allow_missing || (run->o.is_validation && run->o.mode != CFN_STRICT);
}

/* CF-045: the items of a list, too. */
static value hide(struct cfn_run *run, value v) {
    if (v.kind != VALUE_LIST) {
        return value_mark(v, MARK_SENSITIVE);
    }
    struct list_builder b = {.arena = run->arena};
    for (size_t i = 0; i < v.list->len; i++) {
        list_add(&b, value_mark(v.list->items[i], MARK_SENSITIVE));
    }
    return value_mark(cfn_with_origin(list_done(&b), cfn_get_origin(v)), MARK_SENSITIVE);
}

/* One parameter; kind 0: it is missing. */
static value resolve_one(struct cfn_run *run, struct cfn_parameter *p) {
    if (p->e == NULL || p->kind == 0) {
        return cfn_failed(run);
    }
    value v = cfn_parameter_get_value(run, p);
    if (!value_is_set(v)) {
        sv hint = arena_printf(run->arena, "-p %.*s=VALUE", SV_ARG(p->e->name));
        return may_be_missing(run) ? make_unknown(run, p, CFN_REASON_parameter, hint) : v;
    }
    if (v.kind == VALUE_UNKNOWN || v.kind == VALUE_ERROR) {
        return v;
    }
    if (!cfn_parameter_check_value(run, p, v, get_place(run, p))) {
        return cfn_failed(run);
    }
    if (p->is_ssm) {
        v = look_up_ssm(run, p, v);
    }
    if (!p->is_hidden) {
        return v;
    }
    return hide(run, v);
}

static void report_missing(struct cfn_run *run, const struct cfn_parameter *declared, size_t count) {
    struct diag *d = NULL;
    for (size_t i = 0; i < count; i++) {
        if (value_is_set(run->parameters[i])) {
            continue;
        }
        const struct cfn_element *e = declared[i].e;
        run->parameters[i] = cfn_failed(run);
        if (d == NULL) {
            d = cfn_report(run, DIAG_cfn_parameter_missing, e->key->at, "the parameter '%.*s' has no value",
                           SV_ARG(e->name));
            cfn_hint(run, d, "give it: -p %.*s=VALUE, or --allow-missing", SV_ARG(e->name));
        } else {
            diag_add_related(run->o.diags, d, e->key->at, "nor has '%.*s'", SV_ARG(e->name));
        }
    }
}

/* CF-046: what is given and not declared. */
static void check_given(struct cfn_run *run, const struct cfn_memory *m) {
    value given = m->sections[CFN_SYMBOLS_PARAMETERS];
    for (size_t i = 0; given.kind == VALUE_MAP && i < given.map->len; i++) {
        sv name = given.map->entries[i].key;
        if (map_has(&run->t->parameters_by_name, name) || cfn_pseudo_find(name) != 0) {
            continue;
        }
        const span *at = map_find(&m->spans, name);
        enum diag_code code = m->is_command_line ? DIAG_cfn_parameter_unknown : DIAG_cfn_parameter_unused;
        struct diag *d = cfn_report(run, code, at == NULL ? SPAN_NONE : *at, "the template has no parameter '%.*s'",
                                    SV_ARG(sv_slice(name, 0, 80)));
        struct hint h = HINT(name);
        for (size_t k = 0; k < run->t->parameters.len; k++) {
            hint_offer(&h, run->t->parameters.items[k].name);
        }
        if (h.best.len > 0) {
            cfn_hint(run, d, "did you mean '%.*s'?", SV_ARG(h.best));
        }
    }
}

void cfn_parameters_resolve(struct cfn_run *run) {
    size_t count = run->t->parameters.len;
    run->parameters = ARENA_ARRAY(run->arena, value, count + 1);
    cfn_pseudo_check(run);
    struct cfn_parameter *declared = cfn_parameters_get(run);
    for (size_t i = 0; i < count; i++) {
        run->parameters[i] = resolve_one(run, &declared[i]);
    }
    report_missing(run, declared, count);
    if (run->inputs == NULL) {
        return;
    }
    check_given(run, run->inputs->given);
    for (size_t i = 0; i < run->inputs->parameters.len; i++) {
        check_given(run, run->inputs->parameters.items[i]);
    }
    for (size_t i = 0; i < run->inputs->symbols.len; i++) {
        check_given(run, run->inputs->symbols.items[i]);
    }
}
