/* What all built-in functions share: their arguments are checked before they run (MD-130). */
#include "dialects/module/language_internal.h"

static const char *get_kind_phrase(const char *kinds) {
    static const struct {
        const char *kinds, *phrase;
    } phrases[] = {{"s", "a string"},
                   {"n", "a number"},
                   {"l", "a list"},
                   {"m", "a map"},
                   {"sl", "a string or list"},
                   {"slm", "a string, list or map"},
                   {"snb", "a string, number or boolean"},
                   {"sn", "a string or number"}};
    for (size_t i = 0; i < sizeof phrases / sizeof *phrases; i++) {
        if (strcmp(phrases[i].kinds, kinds) == 0)
            return phrases[i].phrase;
    }
    return "a value";
}

static bool fits(value v, const char *kinds) {
    static const char letters[] = {[VALUE_NULL] = '0',   [VALUE_BOOL] = 'b', [VALUE_INT] = 'n', [VALUE_FLOAT] = 'n',
                                   [VALUE_STRING] = 's', [VALUE_LIST] = 'l', [VALUE_MAP] = 'm'};
    if (kinds[0] == 'x')
        return true;
    char letter = v.kind < sizeof letters ? letters[v.kind] : '\0';
    return letter != '\0' && strchr(kinds, letter) != NULL;
}

static value fail_count(struct fn_call *c, const struct module_signature *s) {
    return module_fail(c, "'%.*s': takes %s%zu argument%s, not %zu", SV_ARG(c->fn->name), s->repeats ? "at least " : "",
                       s->count, s->count == 1 ? "" : "s", c->count);
}

value module_call(struct fn_call *c) {
    const struct module_signature *s = c->fn->data;
    if (c->count < s->count || (c->count > s->count && !s->repeats))
        return fail_count(c, s);
    for (size_t i = 0; i < c->count; i++) {
        const char *kinds = s->kinds[i < s->count ? i : s->count - 1];
        if (!fits(c->args[i], kinds))
            return module_fail_at(c, i, "'%.*s': argument %zu must be %s, not %s", SV_ARG(c->fn->name), i + 1,
                                  get_kind_phrase(kinds), module_kind_name(c->args[i]));
    }
    return s->run(c);
}

sv module_get_text(const struct fn_call *c, size_t arg) {
    return value_get_text(c->args[arg]);
}

/* --- unknown ones --- */

static value call_unknown(struct fn_call *c) {
    struct buf out = BUF(c->arena);
    for (size_t i = 0; i < c->count; i++)
        buf_printf(&out, "%s%s", i > 0 ? ", " : "", module_kind_name(c->args[i]));
    sv kinds = buf_get_sv(&out);
    return eval_fail(c->ev, DIAG_module_unknown_name, c->expr == NULL ? eval_get_span(c->ev) : c->expr->at,
                     "unknown function '%.*s'(%.*s)", SV_ARG(c->fn->name), SV_ARG(kinds));
}

const struct fn_def *module_make_unknown(struct arena *a, sv name) {
    struct fn_def *fn = ARENA_NEW(a, struct fn_def);
    *fn = (struct fn_def){.name = name,
                          .params = module_any,
                          .param_count = 1,
                          .result = &type_any,
                          .flags = FN_SEES_NULL | FN_SEES_UNKNOWN,
                          .call = call_unknown};
    return fn;
}
