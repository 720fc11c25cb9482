/* Residuals: unknown calls with what is known of them put in (CF-025). */
#include "dialects/cfn/check.h"
#include "dialects/cfn/functions.h"

#include "base/num.h"
#include "doc/writer.h"

bool cfn_value_is_withheld(const struct cfn_run *run, value v) {
    return v.kind == VALUE_UNKNOWN || v.kind == VALUE_ERROR ||
           ((v.marks & MARK_SENSITIVE) != 0 && !run->o.show_sensitive && !run->reveals);
}

static struct node *new_text(struct arena *a, sv text) {
    return node_new_scalar(a, text, NODE_DOUBLE_QUOTED);
}

struct node *cfn_call_node(struct arena *a, enum cfn_function f, bool is_short, struct node *argument) {
    const struct cfn_function_def *def = cfn_function_get(f);
    unsigned form = argument->kind == NODE_SCALAR     ? CFN_SHORT_SCALAR
                    : argument->kind == NODE_SEQUENCE ? CFN_SHORT_SEQUENCE
                                                      : CFN_SHORT_MAPPING | CFN_SHORT_CALL;
    bool has_tag = argument->props != NULL && argument->props->tag.len > 0;
    if (is_short && !has_tag && (def->short_forms & form) != 0) {
        struct node *n = cfn_node_untagged(a, argument);
        n->props = ARENA_NEW(a, struct node_props);
        n->props->tag = def->tag;
        return n;
    }
    struct node_pair *pair = ARENA_NEW(a, struct node_pair);
    *pair = (struct node_pair){node_new_scalar(a, def->name, NODE_PLAIN), argument};
    return node_new_mapping(a, pair, 1);
}

/* --- values to nodes --- */

static struct node *scalar_to_node(struct cfn_run *run, value v) {
    const struct cfn_note *note = cfn_note_get(run, v);
    sv text;
    if (v.kind == VALUE_STRING)
        return new_text(run->arena, *v.text);
    if ((v.kind == VALUE_INT || v.kind == VALUE_FLOAT) && note->more != NULL && note->more->written.len > 0 &&
        note->residual != NULL)
        return cfn_node_unconst(note->residual);
    return cfn_text_get(run, v, &text) ? node_new_scalar(run->arena, text, NODE_PLAIN) : new_text(run->arena, SV(""));
}

static struct node *to_node(struct cfn_run *run, value v, struct depth_guard *depth) {
    const struct cfn_note *note = cfn_note_get(run, v);
    if (cfn_value_is_withheld(run, v) && note->residual != NULL)
        return cfn_node_unconst(note->residual);
    if (v.kind != VALUE_LIST && v.kind != VALUE_MAP)
        return scalar_to_node(run, v);
    if (!depth_enter(depth))
        return new_text(run->arena, SV(""));
    size_t len = v.kind == VALUE_LIST ? v.list->len : v.map->len;
    struct node **items = v.kind == VALUE_LIST ? ARENA_ARRAY(run->arena, struct node *, len) : NULL;
    struct node_pair *pairs = v.kind == VALUE_MAP ? ARENA_ARRAY(run->arena, struct node_pair, len) : NULL;
    for (size_t i = 0; i < len; i++) {
        if (items != NULL)
            items[i] = to_node(run, v.list->items[i], depth);
        else if (pairs != NULL)
            pairs[i] = (struct node_pair){new_text(run->arena, v.map->entries[i].key),
                                          to_node(run, v.map->entries[i].item, depth)};
    }
    depth_leave(depth);
    return items != NULL ? node_new_sequence(run->arena, items, len) : node_new_mapping(run->arena, pairs, len);
}

struct node *cfn_value_to_node(struct cfn_run *run, value v) {
    struct depth_guard depth = {.limit = 4 * run->limits.nesting};
    return to_node(run, v, &depth);
}

struct node *cfn_residual_node(struct cfn_run *run, value v, const struct node *written) {
    run->keeps_ifs = run->keeps_ifs || v.kind == 0;
    bool is_kept = v.kind == 0 || v.kind == VALUE_ABSENT ||
                   (cfn_value_is_withheld(run, v) && cfn_note_get(run, v)->residual == NULL);
    return is_kept ? cfn_node_unconst(written) : cfn_value_to_node(run, v);
}

/* --- arguments --- */

static const struct node *get_written(const struct cfn_site *site) {
    return site->is_short ? site->node : site->node->pairs[0].value;
}

static struct node *new_list(struct cfn_run *run, const struct node *written, struct node **items, size_t count) {
    struct node *n = node_new_sequence(run->arena, items, count);
    n->at = written->at;
    return n;
}

/* A list that was written out, or the value of a call that gives one; its values are args[first …]. */
static struct node *make_list(struct fn_call *c, const struct node *written, size_t first) {
    struct cfn_run *run = cfn_call_run(c);
    if (cfn_call_site(c)->layout == 1)
        return cfn_residual_node(run, c->args[first], written);
    struct node **items = ARENA_ARRAY(run->arena, struct node *, c->count);
    size_t count = 0;
    for (size_t i = first; i < c->count; i++) {
        if (c->args[i].kind != VALUE_ABSENT)
            items[count++] = cfn_residual_node(run, c->args[i], written->items[i - first]);
    }
    return new_list(run, written, items, count);
}

static struct node *make_pair(struct fn_call *c, struct node *first, struct node *second) {
    struct cfn_run *run = cfn_call_run(c);
    struct node **items = ARENA_ARRAY(run->arena, struct node *, 2);
    items[0] = first;
    items[1] = second;
    return new_list(run, get_written(cfn_call_site(c)), items, 2);
}

static struct node *make_find(struct fn_call *c, const struct node *written) {
    struct cfn_run *run = cfn_call_run(c);
    struct node **items = ARENA_ARRAY(run->arena, struct node *, written->count);
    run->keeps_ifs = run->keeps_ifs || written->count > 3;
    for (uint32_t i = 0; i < written->count; i++)
        items[i] = i < 3 ? cfn_residual_node(run, c->args[i], written->items[i]) : written->items[i];
    return new_list(run, written, items, written->count);
}

static struct node *make_if(struct fn_call *c, const struct node *written) {
    struct cfn_run *run = cfn_call_run(c);
    struct node **items = ARENA_ARRAY(run->arena, struct node *, 3);
    items[0] = written->items[0];
    for (size_t i = 0; i < 2; i++)
        items[i + 1] = cfn_residual_node(run, c->args[i], written->items[i + 1]);
    return new_list(run, written, items, 3);
}

/* Elements of conditions stay as they are written: a condition that is known has no other form. */
static struct node *make_logic(struct fn_call *c, const struct node *written) {
    struct cfn_run *run = cfn_call_run(c);
    struct node **items = ARENA_ARRAY(run->arena, struct node *, written->count);
    for (uint32_t i = 0; i < written->count; i++) {
        bool is_known = c->args[i].kind == VALUE_BOOL;
        items[i] = is_known ? written->items[i] : cfn_residual_node(run, c->args[i], written->items[i]);
    }
    return new_list(run, written, items, written->count);
}

static struct node *make_plain_list(struct fn_call *c, const struct node *written) {
    struct cfn_run *run = cfn_call_run(c);
    struct node **items = ARENA_ARRAY(run->arena, struct node *, written->count);
    for (uint32_t i = 0; i < written->count; i++)
        items[i] = cfn_residual_node(run, c->args[i], written->items[i]);
    return new_list(run, written, items, written->count);
}

static struct node *make_stack_output(struct fn_call *c, const struct node *written) {
    static const char *const keys[] = {"StackName", "OutputName", "Region", "RoleArn"};
    struct cfn_run *run = cfn_call_run(c);
    struct node_pair *pairs = ARENA_ARRAY(run->arena, struct node_pair, written->count);
    for (uint32_t i = 0; i < written->count; i++) {
        size_t k = 0;
        while (k < 3 && !sv_eq_cstr(written->pairs[i].key->text, keys[k]))
            k++;
        pairs[i] =
            (struct node_pair){written->pairs[i].key, cfn_residual_node(run, c->args[k], written->pairs[i].value)};
    }
    return node_new_mapping(run->arena, pairs, written->count);
}

static struct node *make_sub(struct fn_call *c, const struct node *written) {
    (void)written;
    return cfn_sub_residual(c);
}

static struct node *make_join(struct fn_call *c, const struct node *written) {
    return make_pair(c, written->items[0], make_list(c, written->items[1], 0));
}

static struct node *make_split(struct fn_call *c, const struct node *written) {
    return make_pair(c, written->items[0], cfn_residual_node(cfn_call_run(c), c->args[0], written->items[1]));
}

static struct node *make_select(struct fn_call *c, const struct node *written) {
    return make_pair(c, cfn_residual_node(cfn_call_run(c), c->args[0], written->items[0]),
                     make_list(c, written->items[1], 1));
}

static struct node *make_one(struct fn_call *c, const struct node *written) {
    struct cfn_run *run = cfn_call_run(c);
    return cfn_residual_node(run, c->args[0],
                             cfn_call_site(c)->is_short ? cfn_node_untagged(run->arena, written) : written);
}

static struct node *make_same(struct fn_call *c, const struct node *written) {
    struct cfn_run *run = cfn_call_run(c);
    return cfn_call_site(c)->is_short ? cfn_node_untagged(run->arena, written) : cfn_node_unconst(written);
}

typedef struct node *(*maker)(struct fn_call *c, const struct node *written);

/* The others have one argument. */
static const maker makers[CFN_FUNCTION_COUNT] = {
    [CFN_SUB] = make_sub,
    [CFN_JOIN] = make_join,
    [CFN_SPLIT] = make_split,
    [CFN_SELECT] = make_select,
    [CFN_FIND_IN_MAP] = make_find,
    [CFN_IF] = make_if,
    [CFN_AND] = make_logic,
    [CFN_OR] = make_logic,
    [CFN_NOT] = make_logic,
    [CFN_GET_STACK_OUTPUT] = make_stack_output,
    [CFN_TRANSFORM] = make_same,
    [CFN_REF_ALL] = make_same,
    [CFN_VALUE_OF] = make_same,
    [CFN_VALUE_OF_ALL] = make_same,
    [CFN_EQUALS] = make_plain_list,
    [CFN_CIDR] = make_plain_list,
    [CFN_GET_ATT] = make_plain_list,
    [CFN_CONTAINS] = make_plain_list,
    [CFN_EACH_MEMBER_EQUALS] = make_plain_list,
    [CFN_EACH_MEMBER_IN] = make_plain_list,
};

static struct node *make_argument(struct fn_call *c, const struct node *written) {
    maker make = makers[cfn_call_site(c)->function];
    return make == NULL ? make_one(c, written) : make(c, written);
}

/* --- putting it together --- */

/* Reasons of all unknown parts, the first of them as the cause. */
static void gather(struct cfn_run *run, value v, struct cfn_note *note, size_t depth) {
    if (v.kind == VALUE_UNKNOWN || v.kind == VALUE_ERROR) {
        cfn_error_note(run, v);
        const struct cfn_note *from = cfn_note_get(run, v);
        note->reasons |= from->reasons;
        note->is_error = note->is_error || v.kind == VALUE_ERROR || from->is_error;
        note->cause = note->cause == 0 ? v.word & CFN_WORD_NOTE : note->cause;
        return;
    }
    if ((v.within & (WITHIN_UNKNOWN | WITHIN_ERROR)) == 0 || depth == 0)
        return;
    for (size_t i = 0; v.kind == VALUE_LIST && i < v.list->len; i++)
        gather(run, v.list->items[i], note, depth - 1);
    for (size_t i = 0; v.kind == VALUE_MAP && i < v.map->len; i++)
        gather(run, v.map->entries[i].item, note, depth - 1);
}

/* Whether CloudFormation needs the language extensions for what is left. */
static bool needs_extensions(const struct fn_call *c, enum cfn_function f) {
    bool is_computed = f == CFN_REF || f == CFN_GET_ATT || f == CFN_FIND_IN_MAP;
    return is_computed || cfn_function_get(f)->is_extension || (f == CFN_SELECT && c->args[0].kind == VALUE_UNKNOWN);
}

value cfn_residual_put(struct fn_call *c, value result) {
    enum { DEEPEST = 1000 };
    struct cfn_run *run = cfn_call_run(c);
    const struct cfn_site *site = cfn_call_site(c);
    struct cfn_note note = {.at = c->expr->at, .function = site->function};
    run->keeps_extensions = run->keeps_extensions || needs_extensions(c, (enum cfn_function)site->function);
    for (size_t i = 0; i < c->count; i++)
        gather(run, c->args[i], &note, DEEPEST);
    note.residual = cfn_call_node(run->arena, (enum cfn_function)site->function, site->is_short,
                                  make_argument(c, get_written(site)));
    const struct cfn_note_more *more = cfn_note_get_more(run, result);
    if (result.kind == VALUE_UNKNOWN && more->placeholder.len > 0)
        note.more = more;
    return cfn_note_put(run, result, &note);
}

value cfn_residual(struct fn_call *c) {
    return cfn_residual_put(c, value_unknown(NULL));
}
