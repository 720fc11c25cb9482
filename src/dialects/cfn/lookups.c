/* Asking resolvers, once per key and run. */
#include "dialects/cfn/lookups.h"

struct cfn_symbols *cfn_symbols_get(struct cfn_run *run) {
    if (run->symbols == NULL) {
        run->symbols = ARENA_NEW(run->arena, struct cfn_symbols);
        run->symbols->asked = MAP(run->arena);
        run->symbols->children = MAP(run->arena);
    }
    return run->symbols;
}

value cfn_with_origin(value v, enum cfn_origin origin) {
    v.word = (v.word & CFN_WORD_NOTE) | ((uint32_t)origin - 1) << CFN_WORD_ORIGIN_SHIFT;
    return v;
}

enum cfn_origin cfn_get_origin(value v) {
    return (enum cfn_origin)((v.word >> CFN_WORD_ORIGIN_SHIFT) + 1);
}

/* Texts of the key, each behind its length. */
static sv get_key(struct arena *a, const struct cfn_query *q) {
    struct buf out = BUF(a);
    const sv texts[] = {q->id, q->attribute, q->type, q->region, q->account, q->version, q->stage};
    buf_printf(&out, "%d", (int)q->kind);
    for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
        buf_printf(&out, " %zu ", texts[i].len);
        buf_append(&out, texts[i]);
    }
    return buf_get_sv(&out);
}

/* A nested stack is given parameters by its parent alone; all else is known to all. */
static const struct cfn_inputs *get_inputs(const struct cfn_run *run, enum cfn_query_kind kind) {
    while (run->parent != NULL && kind != CFN_QUERY_PARAMETER && kind != CFN_QUERY_PSEUDO) {
        run = run->parent;
    }
    return run->inputs;
}

/* Nothing but the command line, and nothing of resources there. */
static bool is_nothing_given(const struct cfn_inputs *in) {
    const value *sections = in == NULL ? NULL : in->given->sections;
    return in == NULL || (in->symbols.len == 0 && in->resolvers.len == 0 && in->parameters.len == 0 &&
                          sections[CFN_SYMBOLS_RESOURCES].kind == 0 && sections[CFN_SYMBOLS_TYPES].kind == 0);
}

const struct cfn_asked *cfn_lookup(struct cfn_run *run, const struct cfn_query *query) {
    static const struct cfn_asked nothing = {.found = CFN_ABSENT};
    if (query->kind == CFN_QUERY_RESOURCE && is_nothing_given(get_inputs(run, query->kind)))
        return &nothing;
    struct cfn_symbols *s = cfn_symbols_get(run);
    bool is_new = false;
    void **slot = map_get_slot(&s->asked, get_key(run->arena, query), &is_new);
    if (!is_new) {
        return *slot;
    }
    struct cfn_asked *asked = ARENA_NEW(run->arena, struct cfn_asked);
    *slot = asked;
    asked->reply.arena = run->arena;
    struct cfn_query q = *query;
    q.stack = run->stack_path;
    asked->found = cfn_inputs_ask(get_inputs(run, q.kind), &q, &asked->reply);
    return asked;
}

value cfn_take_answer(struct cfn_run *run, const struct cfn_asked *asked, span at) {
    switch (asked->found) {
    case CFN_FOUND:
        if ((asked->reply.item.within & WITHIN_UNKNOWN) != 0) {
            return asked->reply.item;
        }
        return cfn_with_origin(asked->reply.item, CFN_GIVEN);
    case CFN_UNKNOWN:
        return cfn_unknown_text(run, asked->reply.reason, at, (sv){0});
    case CFN_FAILED:
        return cfn_fail(run, DIAG_cfn_resolver, at, "the symbol resolver failed: %.*s", SV_ARG(asked->reply.reason));
    case CFN_FOUND_NONE:
    case CFN_ABSENT:
        break;
    }
    return (value){0};
}
