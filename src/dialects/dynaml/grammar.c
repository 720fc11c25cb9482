#include "dialects/dynaml/grammar.h"

#include "base/num.h"
#include "base/vec.h"
#include "dialects/dynaml/internal.h"

/* Every function reads its construct at `pos` and moves behind it, or returns NULL; whoever tries another alternative
 * then goes back. `is_lost` ends everything: what was read so far leaves no other way. */
struct reader {
    const struct dynaml_parse *in;
    struct arena *arena;
    sv text;
    size_t pos;
    struct depth_guard depth;
    bool is_lost, is_too_deep;
    uint64_t *failed; /* a bit per place: no operand stands there */
};

static const struct expr *read_expr(struct reader *r);
static const struct expr *read_operand(struct reader *r);

/* --- characters --- */

static char peek(const struct reader *r) {
    return r->pos < r->text.len ? r->text.data[r->pos] : '\0';
}

static char peek_at(const struct reader *r, size_t pos) {
    return pos < r->text.len ? r->text.data[pos] : '\0';
}

static bool is_blank(char c) {
    return c == ' ' || c == '\t' || c == '\r' || c == '\n';
}

static bool is_digit(char c) {
    return c >= '0' && c <= '9';
}

static bool is_name_char(char c) {
    return is_digit(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

static void skip_blanks(struct reader *r) {
    while (is_blank(peek(r)))
        r->pos++;
}

/* `s`: at least one blank. */
static bool take_blanks(struct reader *r) {
    size_t from = r->pos;
    skip_blanks(r);
    return r->pos > from;
}

static bool take(struct reader *r, sv what) {
    if (!sv_has_prefix(sv_slice(r->text, r->pos, r->text.len), what))
        return false;
    r->pos += what.len;
    return true;
}

static bool take_char(struct reader *r, char c) {
    if (r->pos >= r->text.len || r->text.data[r->pos] != c)
        return false;
    r->pos++;
    return true;
}

/* Blanks and then the text, or nothing at all. */
static bool take_behind_blanks(struct reader *r, sv what) {
    size_t from = r->pos;
    if (take_blanks(r) && take(r, what))
        return true;
    r->pos = from;
    return false;
}

static span span_of(const struct reader *r, size_t from) {
    return expr_text_span(r->in->text, from, r->pos);
}

/* --- making expressions --- */

static const struct expr *make_call(struct reader *r, size_t from, const struct fn_def *fn, const struct expr *a,
                                    const struct expr *b) {
    const struct expr **args = ARENA_ARRAY(r->arena, const struct expr *, 2);
    args[0] = a;
    args[1] = b;
    return expr_new_call(r->arena, span_of(r, from), fn, args, b == NULL ? 1 : 2);
}

static struct expr *make_directive(struct reader *r, size_t from, enum dynaml_directive op, const struct expr *arg) {
    struct expr *e = expr_new(r->arena, EXPR_DIRECTIVE, span_of(r, from));
    e->op = (uint16_t)op;
    if (arg != NULL) {
        const struct expr **args = ARENA_ARRAY(r->arena, const struct expr *, 1);
        args[0] = arg;
        e->call.args = args;
        e->count = 1;
    }
    return e;
}

struct expr_list {
    const struct expr **items;
    size_t len, cap;
};

static void push_expr(struct reader *r, struct expr_list *list, const struct expr *e) {
    if (list->len == list->cap)
        list->items = vec_grow(r->arena, list->items, &list->cap, sizeof(const struct expr *));
    list->items[list->len++] = e;
}

/* --- names and steps --- */

/* `key`: empty when there is none. */
static sv take_key(struct reader *r) {
    size_t from = r->pos, at = from;
    if (!is_name_char(peek_at(r, at)))
        return (sv){0};
    while (is_name_char(peek_at(r, at)) || peek_at(r, at) == '-')
        at++;
    if (peek_at(r, at) == ':' && is_name_char(peek_at(r, at + 1))) {
        at++;
        while (is_name_char(peek_at(r, at)) || peek_at(r, at) == '-')
            at++;
    }
    r->pos = at;
    return sv_slice(r->text, from, at);
}

static sv take_name(struct reader *r) {
    size_t from = r->pos;
    while (is_name_char(peek(r)))
        r->pos++;
    return sv_slice(r->text, from, r->pos);
}

static bool take_index(struct reader *r, struct step *s) {
    size_t from = r->pos, at = from + 1;
    uint64_t n = 0;
    if (peek(r) != '[')
        return false;
    while (is_digit(peek_at(r, at)))
        at++;
    if (at == from + 1 || peek_at(r, at) != ']')
        return false;
    /* What does not fit is out of range of every list. */
    if (num_parse_u64(sv_slice(r->text, from + 1, at), 10, &n) != NUM_OK)
        n = SIZE_MAX;
    r->pos = at + 1;
    *s = (struct step){.kind = STEP_INDEX, .at = span_of(r, from), .index = (size_t)n};
    return true;
}

struct step_list {
    struct step *items;
    size_t len, cap;
};

static bool take_key_step(struct reader *r, struct step_list *list) {
    size_t from = r->pos;
    sv name = take_key(r);
    if (name.len == 0)
        return false;
    if (list->len == list->cap)
        list->items = vec_grow(r->arena, list->items, &list->cap, sizeof(struct step));
    list->items[list->len++] = (struct step){.kind = STEP_NAME, .at = span_of(r, from), .name = name};
    return true;
}

static bool take_step(struct reader *r, struct step_list *list) {
    struct step s;
    if (take_key_step(r, list))
        return true;
    if (!take_index(r, &s))
        return false;
    if (list->len == list->cap)
        list->items = vec_grow(r->arena, list->items, &list->cap, sizeof(struct step));
    list->items[list->len++] = s;
    return true;
}

/* ( "." ( key / index ) )* */
static void take_more_steps(struct reader *r, struct step_list *list) {
    for (;;) {
        size_t from = r->pos;
        if (!take_char(r, '.') || !take_step(r, list)) {
            r->pos = from;
            return;
        }
    }
}

static bool take_reference(struct reader *r, struct step_list *list, bool *is_absolute) {
    size_t from = r->pos;
    *is_absolute = take_char(r, '.');
    if (!take_key_step(r, list)) {
        r->pos = from;
        return false;
    }
    take_more_steps(r, list);
    return true;
}

/* --- merge --- */

/* What may stand between `merge` and its path, none at all included. */
static void take_merge_options(struct reader *r, struct dynaml_merge *m) {
    size_t from = r->pos;
    if (!take_blanks(r))
        return;
    if (take(r, SV("replace"))) {
        m->is_replacing = true;
        return;
    }
    if (take(r, SV("on")) && take_blanks(r)) {
        m->key = take_name(r);
        if (m->key.len > 0)
            return;
    }
    r->pos = from;
}

static bool take_merge_path(struct reader *r, struct dynaml_merge *m) {
    struct step_list list = {0};
    size_t from = r->pos;
    if (!take_blanks(r) || !take_reference(r, &list, &m->is_absolute)) {
        r->pos = from;
        return false;
    }
    m->has_path = true;
    m->path = list.items;
    m->path_len = list.len;
    return true;
}

/* Behind `merge`. */
static const struct expr *read_merge(struct reader *r, size_t from) {
    struct dynaml_merge *m = ARENA_NEW(r->arena, struct dynaml_merge);
    m->home = r->in->home;
    if (take_behind_blanks(r, SV("required"))) {
        m->is_required = true;
    } else {
        take_merge_options(r, m);
        take_merge_path(r, m);
    }
    struct expr *e = make_directive(r, from, DYNAML_MERGE, NULL);
    e->call.data = m;
    return e;
}

/* --- lambdas, lists, ranges, mappings --- */

/* `|a, b|->`, blanks around allowed; false with the place as it was. */
static bool take_parameters(struct reader *r, sv **names, size_t *count) {
    size_t from = r->pos, cap = 0;
    *count = 0;
    *names = NULL;
    skip_blanks(r);
    bool ok = take_char(r, '|');
    while (ok) {
        skip_blanks(r);
        sv name = take_name(r);
        ok = name.len > 0;
        if (!ok)
            break;
        if (*count == cap)
            *names = vec_grow(r->arena, *names, &cap, sizeof(sv));
        (*names)[(*count)++] = name;
        skip_blanks(r);
        if (!take_char(r, ','))
            break;
    }
    ok = ok && take_char(r, '|');
    if (ok) {
        skip_blanks(r);
        ok = take(r, SV("->"));
    }
    if (!ok)
        r->pos = from;
    return ok;
}

/* body. Behind an arrow nothing else than an expression can stand. */
static const struct expr *read_body(struct reader *r) {
    size_t from = r->pos, count = 0;
    sv *names = NULL;
    if (!take_parameters(r, &names, &count))
        return NULL;
    const struct expr *body = read_expr(r);
    if (body == NULL) {
        r->is_lost = true;
        return NULL;
    }
    struct expr *e = expr_new(r->arena, EXPR_LAMBDA, span_of(r, from));
    e->lambda.params = names;
    e->lambda.body = body;
    e->count = (uint32_t)count;
    return e;
}

/* Behind `lambda`. NULL: a name that starts so, or is just that. */
static const struct expr *read_lambda(struct reader *r, size_t from) {
    size_t start = r->pos;
    const struct expr *body = read_body(r);
    if (body != NULL || r->is_lost)
        return body;
    if (take_blanks(r)) {
        const struct expr *e = read_expr(r);
        if (e != NULL)
            return make_directive(r, from, DYNAML_LAMBDA, e);
    }
    r->pos = start;
    return NULL;
}

/* `[…]`, a list or a range: what stands behind the first expression tells. */
static const struct expr *read_list(struct reader *r, size_t from) {
    struct expr_list list = {0};
    if (take_char(r, ']'))
        return expr_new_list(r->arena, span_of(r, from), NULL, 0);
    do {
        const struct expr *e = read_expr(r);
        if (e == NULL)
            return NULL;
        push_expr(r, &list, e);
        if (list.len == 1 && take(r, SV(".."))) {
            const struct expr *to = read_expr(r);
            return to != NULL && take_char(r, ']') ? make_call(r, from, &dynaml_range, e, to) : NULL;
        }
    } while (take_char(r, ','));
    if (!take_char(r, ']'))
        return NULL;
    return expr_new_list(r->arena, span_of(r, from), list.items, (uint32_t)list.len);
}

static const struct expr *read_default(struct reader *r);

/* Behind `map[`. */
static const struct expr *read_mapping(struct reader *r, size_t from) {
    const struct expr *of = read_default(r);
    if (of == NULL)
        return NULL;
    const struct expr *with = read_body(r);
    if (with == NULL && !r->is_lost && take_char(r, '|'))
        with = read_expr(r);
    return with != NULL && take_char(r, ']') ? make_call(r, from, &dynaml_mapping, of, with) : NULL;
}

/* --- calls and steps behind operands --- */

static bool take_arguments(struct reader *r, struct expr_list *list) {
    size_t from = r->pos;
    if (!take_char(r, '('))
        return false;
    do {
        const struct expr *e = read_expr(r);
        if (e == NULL) {
            r->pos = from;
            return false;
        }
        push_expr(r, list, e);
    } while (take_char(r, ','));
    if (take_char(r, ')'))
        return true;
    r->pos = from;
    return false;
}

/* DY-140: a name alone is a built-in function, never a node. */
static bool is_function_name(const struct expr *e) {
    return e->kind == EXPR_REF && e->op == DYNAML_RELATIVE && e->count == 1 && !sv_eq(e->ref.name, SV("_"));
}

static const struct expr *make_call_of(struct reader *r, size_t from, const struct expr *callee,
                                       const struct expr_list *list) {
    const struct fn_def *fn = NULL;
    if (is_function_name(callee)) {
        fn = dynaml_find_function(callee->ref.name);
        if (fn == NULL)
            fn = dynaml_make_unknown_function(r->arena, callee->ref.name);
    }
    struct expr *e = expr_new_call(r->arena, span_of(r, from), fn, list->items, (uint32_t)list->len);
    if (fn == NULL)
        e->call.callee = callee;
    return e;
}

/* call*; `count` gets how many. */
static const struct expr *read_calls(struct reader *r, size_t from, const struct expr *e, size_t *count) {
    struct expr_list list = {0};
    for (*count = 0; take_arguments(r, &list); (*count)++) {
        e = make_call_of(r, from, e, &list);
        list = (struct expr_list){0};
    }
    return e;
}

/* ( "." follow call+ )* ( "." follow )? */
static const struct expr *read_follows(struct reader *r, size_t from, const struct expr *e) {
    for (;;) {
        struct step_list steps = {0};
        take_more_steps(r, &steps);
        if (steps.len == 0)
            return e;
        struct expr *index = expr_new(r->arena, EXPR_INDEX, span_of(r, from));
        index->ref.base = e;
        index->ref.steps = steps.items;
        index->count = (uint32_t)steps.len;
        size_t calls = 0;
        e = read_calls(r, from, index, &calls);
        if (calls == 0)
            return e;
    }
}

static const struct expr *make_ref(struct reader *r, size_t from, const struct step_list *steps, bool is_absolute) {
    struct expr *e = expr_new(r->arena, EXPR_REF, span_of(r, from));
    e->op = is_absolute ? DYNAML_ABSOLUTE : DYNAML_RELATIVE;
    e->ref.name = steps->items[0].name;
    e->ref.steps = steps->items;
    e->count = (uint32_t)steps->len;
    return e;
}

/* ( "(" expr ")" / reference ) call* */
static const struct expr *read_group_or_reference(struct reader *r, size_t from) {
    const struct expr *e = NULL;
    size_t calls;
    if (take_char(r, '(')) {
        e = read_expr(r);
        if (e == NULL || !take_char(r, ')'))
            return NULL;
    } else {
        struct step_list steps = {0};
        bool is_absolute = false;
        if (!take_reference(r, &steps, &is_absolute))
            return NULL;
        e = make_ref(r, from, &steps, is_absolute);
    }
    return read_calls(r, from, e, &calls);
}

static const struct expr *read_chain(struct reader *r) {
    size_t from = r->pos;
    const struct expr *e = NULL;
    if (take(r, SV("map[")))
        e = read_mapping(r, from);
    else if (take_char(r, '['))
        e = read_list(r, from);
    else
        e = read_group_or_reference(r, from);
    return e == NULL ? NULL : read_follows(r, from, e);
}

/* --- operands --- */

static const struct expr *read_string(struct reader *r, size_t from) {
    struct buf out = BUF(r->arena);
    for (size_t at = from + 1; at < r->text.len; at++) {
        char c = r->text.data[at];
        if (c == '"') {
            r->pos = at + 1;
            return expr_new_literal(r->arena, span_of(r, from), dynaml_make_string(r->arena, buf_get_sv(&out)));
        }
        if (c == '\\' && peek_at(r, at + 1) == '"')
            c = r->text.data[++at];
        buf_append_char(&out, c);
    }
    return NULL;
}

/* One beyond 64 bits leaves no other way (DY-037). */
static const struct expr *read_integer(struct reader *r, size_t from) {
    struct buf digits = BUF(r->arena);
    int64_t n = 0;
    if (take_char(r, '-'))
        buf_append_char(&digits, '-');
    for (; is_digit(peek(r)) || peek(r) == '_'; r->pos++) {
        if (peek(r) != '_')
            buf_append_char(&digits, peek(r));
    }
    if (num_parse_i64(buf_get_sv(&digits), 10, &n) != NUM_OK) {
        r->is_lost = true;
        return NULL;
    }
    return expr_new_literal(r->arena, span_of(r, from), value_int(n));
}

static const struct expr *make_literal(struct reader *r, size_t from, value v) {
    return expr_new_literal(r->arena, span_of(r, from), v);
}

/* The words that are no references, by their first characters (DY-032). NULL with the place as it was: none of them. */
static const struct expr *read_word(struct reader *r, size_t from) {
    if (take(r, SV("true")))
        return make_literal(r, from, value_bool(true));
    if (take(r, SV("false")))
        return make_literal(r, from, value_bool(false));
    if (take(r, SV("nil")) || take(r, SV("~")))
        return make_literal(r, from, value_null());
    if (take(r, SV("merge")))
        return read_merge(r, from);
    if (take(r, SV("auto"))) {
        struct expr *e = make_directive(r, from, DYNAML_AUTO, NULL);
        e->call.data = r->in->home;
        return e;
    }
    if (take(r, SV("lambda"))) {
        const struct expr *e = read_lambda(r, from);
        if (e == NULL)
            r->pos = from;
        return e;
    }
    return NULL;
}

static const struct expr *read_prefixed(struct reader *r, size_t from) {
    char sign = r->text.data[r->pos++];
    if (sign == '!')
        skip_blanks(r);
    const struct expr *e = read_operand(r);
    if (e == NULL)
        return NULL;
    return sign == '!' ? make_call(r, from, &dynaml_not, e, NULL) : make_directive(r, from, DYNAML_COPY, e);
}

static const struct expr *read_unary(struct reader *r) {
    size_t from = r->pos;
    char c = peek(r);
    if (c == '"')
        return read_string(r, from);
    if (is_digit(c) || (c == '-' && is_digit(peek_at(r, from + 1))))
        return read_integer(r, from);
    if (c == '!' || c == '*')
        return read_prefixed(r, from);
    const struct expr *e = read_word(r, from);
    return e != NULL || r->is_lost ? e : read_chain(r);
}

static bool has_failed(const struct reader *r, size_t pos) {
    return r->failed != NULL && (r->failed[pos / 64] >> pos % 64 & 1) != 0;
}

static void note_failed(struct reader *r, size_t pos) {
    if (r->failed == NULL)
        r->failed = ARENA_ARRAY(r->arena, uint64_t, r->text.len / 64 + 1);
    r->failed[pos / 64] |= (uint64_t)1 << pos % 64;
}

/* `unary`, within the bounds of nesting. */
static const struct expr *read_operand(struct reader *r) {
    size_t from = r->pos;
    const struct expr *e = NULL;
    if (r->is_lost || has_failed(r, from))
        return NULL;
    if (depth_enter(&r->depth)) {
        e = read_unary(r);
        depth_leave(&r->depth);
    } else {
        r->is_lost = r->is_too_deep = true;
    }
    if (e == NULL) {
        r->pos = from;
        note_failed(r, from);
    }
    return r->is_lost ? NULL : e;
}

/* --- binary operators, the lowest level last --- */

struct infix {
    sv token;
    const struct fn_def *fn;
};

static const struct infix products[] = {
    {SV_INIT("*"), &dynaml_times}, {SV_INIT("/"), &dynaml_divide}, {SV_INIT("%"), &dynaml_modulo}};
static const struct infix sums[] = {{SV_INIT("+"), &dynaml_plus}, {SV_INIT("-"), &dynaml_minus}};
static const struct infix comparisons[] = {{SV_INIT("=="), &dynaml_eq}, {SV_INIT("!="), &dynaml_ne},
                                           {SV_INIT("<="), &dynaml_le}, {SV_INIT(">="), &dynaml_ge},
                                           {SV_INIT(">"), &dynaml_gt},  {SV_INIT("<"), &dynaml_lt}};
static const struct infix logics[] = {{SV_INIT("-or"), &dynaml_logic_or}, {SV_INIT("-and"), &dynaml_logic_and}};
static const struct infix defaults[] = {{SV_INIT("||"), &dynaml_default}};

struct level {
    const struct infix *operators;
    size_t count;
};

enum { LOGIC_LEVEL = 3, DEFAULT_LEVEL = 4 };

static const struct level levels[] = {{products, 3}, {sums, 2}, {comparisons, 6}, {logics, 2}, {defaults, 1}};

/* The operator of the level, with the blanks around it. */
static const struct infix *take_infix(struct reader *r, const struct level *l) {
    size_t from = r->pos;
    if (!take_blanks(r))
        return NULL;
    for (size_t i = 0; i < l->count; i++) {
        size_t start = r->pos;
        if (take(r, l->operators[i].token) && take_blanks(r))
            return &l->operators[i];
        r->pos = start;
    }
    r->pos = from;
    return NULL;
}

static const struct expr *read_part(struct reader *r, size_t level);

/* operand ( operator operand )*, left associative. */
static const struct expr *read_level(struct reader *r, size_t level) {
    size_t from = r->pos;
    const struct expr *left = read_part(r, level);
    while (left != NULL) {
        size_t before = r->pos;
        const struct infix *op = take_infix(r, &levels[level]);
        const struct expr *right = op == NULL ? NULL : read_part(r, level);
        if (right == NULL) {
            r->pos = before;
            return r->is_lost ? NULL : left;
        }
        left = make_call(r, from, op->fn, left, right);
    }
    return NULL;
}

/* logic ( s logic )*: one call for all, so that what `a b c` builds is built once. */
static const struct expr *read_concat(struct reader *r) {
    size_t from = r->pos, end = from;
    struct expr_list list = {0};
    const struct expr *e = read_level(r, LOGIC_LEVEL);
    while (e != NULL) {
        push_expr(r, &list, e);
        end = r->pos;
        e = take_blanks(r) ? read_level(r, LOGIC_LEVEL) : NULL;
    }
    r->pos = end;
    if (list.len < 2)
        return list.len == 0 || r->is_lost ? NULL : list.items[0];
    return r->is_lost ? NULL
                      : expr_new_call(r->arena, span_of(r, from), &dynaml_concat, list.items, (uint32_t)list.len);
}

/* concat, and behind a `?` two branches; once it stands there, nothing else fits. */
static const struct expr *read_choice(struct reader *r) {
    size_t from = r->pos;
    const struct expr *c = read_concat(r);
    if (c == NULL)
        return NULL;
    size_t before = r->pos;
    skip_blanks(r);
    if (!take_char(r, '?')) {
        r->pos = before;
        return c;
    }
    const struct expr **args = ARENA_ARRAY(r->arena, const struct expr *, 3);
    args[0] = c;
    args[1] = read_expr(r);
    args[2] = args[1] != NULL && take_char(r, ':') ? read_expr(r) : NULL;
    if (args[2] == NULL) {
        r->is_lost = true;
        return NULL;
    }
    struct expr *e = expr_new(r->arena, EXPR_COND, span_of(r, from));
    e->call.args = args;
    e->count = 3;
    return e;
}

/* What the operators of a level stand between. */
static const struct expr *read_part(struct reader *r, size_t level) {
    if (level == 0)
        return read_operand(r);
    return level == DEFAULT_LEVEL ? read_choice(r) : read_level(r, level - 1);
}

static const struct expr *read_default(struct reader *r) {
    return read_level(r, DEFAULT_LEVEL);
}

/* _ ( body / default ) _ */
static const struct expr *read_expr(struct reader *r) {
    size_t from = r->pos;
    if (r->is_lost)
        return NULL;
    if (!depth_enter(&r->depth)) {
        r->is_lost = r->is_too_deep = true;
        return NULL;
    }
    skip_blanks(r);
    const struct expr *e = read_body(r);
    if (e == NULL)
        e = read_default(r);
    depth_leave(&r->depth);
    skip_blanks(r);
    if (e == NULL)
        r->pos = from;
    return r->is_lost ? NULL : e;
}

/* --- texts --- */

static const struct expr *read_text(struct reader *r) {
    skip_blanks(r);
    size_t from = r->pos;
    if (take(r, SV("prefer")) && take_blanks(r)) {
        const struct expr *e = read_expr(r);
        if (e != NULL)
            return make_directive(r, from, DYNAML_PREFER, e);
    }
    r->pos = from;
    if (take(r, SV("&template"))) {
        const struct expr *e = make_directive(r, from, DYNAML_MARKER, NULL);
        skip_blanks(r);
        return e;
    }
    return read_expr(r);
}

enum dynaml_parsed dynaml_parse(const struct dynaml_parse *p, const struct expr **result) {
    struct reader r = {.in = p, .arena = p->arena, .text = p->text->text, .depth = {.limit = p->max_depth}};
    const struct expr *e = read_text(&r);
    if (r.is_too_deep)
        return DYNAML_TOO_DEEP;
    if (e == NULL || r.is_lost || r.pos != r.text.len)
        return DYNAML_UNPARSEABLE;
    *result = e;
    return DYNAML_PARSED;
}

bool dynaml_is_expression(sv text, sv *inner) {
    if (text.len < 4 || !sv_has_prefix(text, SV("((")) || !sv_has_suffix(text, SV("))")) ||
        sv_find_char(text, '\n') != SIZE_MAX)
        return false;
    *inner = sv_slice(text, 2, text.len - 2);
    return true;
}
