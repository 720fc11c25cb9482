/* What is left of a Sub (CF-106). */
#include "dialects/cfn/check.h"
#include "dialects/cfn/functions.h"

#include "doc/writer.h"

enum { ROOM = 32 }; /* values are a little longer than their names, or shorter */

struct making {
    struct fn_call *c;
    struct cfn_run *run;
    const struct cfn_sub *sub;
    VEC(struct node_pair) pairs; /* of the map */
    sv *names;                   /* by argument: what its place in the text is called; empty: not in the map */
    struct map used;             /* names taken */
};

static bool is_alphanumeric(char ch) {
    return (ch >= '0' && ch <= '9') || ((ch | 32) >= 'a' && (ch | 32) <= 'z');
}

/* The name without other characters, made unique by a number. */
static sv make_name(struct making *m, sv name, bool keeps) {
    /* Names that stay in the text are taken before new ones are made. */
    for (size_t i = 0; m->used.len == 0 && i < m->sub->count; i++) {
        if (m->sub->parts[i].arg != CFN_NONE)
            map_put(&m->used, m->sub->parts[i].name, m);
    }
    if (!keeps)
        map_remove(&m->used, name); /* its own */
    struct buf out = BUF(m->run->arena);
    for (size_t i = 0; i < name.len; i++) {
        if (keeps || is_alphanumeric(name.data[i]))
            buf_append_char(&out, name.data[i]);
    }
    sv base = buf_get_sv(&out), result = base;
    for (unsigned n = 2; map_has(&m->used, result) && !keeps; n++)
        result = arena_printf(m->run->arena, "%.*s%u", SV_ARG(base), n);
    map_put(&m->used, result, m);
    return result;
}

static void add_pair(struct making *m, size_t arg, sv name, struct node *n) {
    m->names[arg] = name;
    VEC_PUSH(m->run->arena, &m->pairs,
             ((struct node_pair){node_new_scalar(m->run->arena, name, NODE_DOUBLE_QUOTED), n}));
}

/* Beside what stands around it the text would be read as the start of a name. */
static bool is_misread(const struct making *m, size_t arg, sv text) {
    if (sv_find(text, SV("${")) != SIZE_MAX || sv_has_suffix(text, SV("$")))
        return true;
    for (size_t i = 0; (text.len == 0 || text.data[0] == '{') && i < m->sub->count; i++) {
        const struct cfn_sub_part *part = &m->sub->parts[i];
        if (part->arg == arg && sv_has_suffix(part->text, SV("$")))
            return true;
    }
    return false;
}

/* How the argument's places in the text are written: its value, `${name}` as it was, or an entry of the map. */
static bool get_text(struct making *m, size_t arg, sv *text) {
    value v = m->c->args[arg];
    return !cfn_value_is_withheld(m->run, v) && cfn_text_get(m->run, v, text) && !is_misread(m, arg, *text);
}

static void take_entries(struct making *m) {
    for (size_t arg = 0; arg < m->c->count; arg++) {
        bool is_entry = m->sub->keys != NULL && m->sub->keys[arg].len > 0,
             is_withheld = cfn_value_is_withheld(m->run, m->c->args[arg]);
        sv text;
        if (get_text(m, arg, &text))
            continue;
        if (is_entry) {
            uint32_t i = 0;
            while (!sv_eq(m->sub->map->pairs[i].key->text, m->sub->keys[arg]))
                i++;
            add_pair(m, arg, make_name(m, m->sub->keys[arg], true),
                     cfn_residual_node(m->run, m->c->args[arg], m->sub->map->pairs[i].value));
        } else if (!is_withheld) {
            sv name = {0};
            for (size_t i = 0; i < m->sub->count && name.len == 0; i++)
                name = m->sub->parts[i].arg == arg ? m->sub->parts[i].name : name;
            add_pair(m, arg, make_name(m, name, false), cfn_value_to_node(m->run, m->c->args[arg]));
        }
    }
}

/* Literal text of a part: where `${!x}` was read, the mark comes back. */
static void add_literal(struct buf *out, sv text) {
    for (;;) {
        size_t at = sv_find(text, SV("${"));
        buf_append(out, sv_slice(text, 0, at));
        if (at == SIZE_MAX)
            return;
        buf_append_cstr(out, "${!");
        text = sv_slice(text, at + 2, text.len);
    }
}

static void add_place(struct making *m, struct buf *out, const struct cfn_sub_part *part) {
    sv text;
    if (m->names[part->arg].len > 0)
        buf_printf(out, "${%.*s}", SV_ARG(m->names[part->arg]));
    else if (get_text(m, part->arg, &text))
        buf_append(out, text);
    else
        buf_printf(out, "${%.*s}", SV_ARG(part->name));
}

struct node *cfn_sub_residual(struct fn_call *c) {
    struct cfn_run *run = cfn_call_run(c);
    struct making m = {.c = c, .run = run, .sub = cfn_call_site(c)->data, .used = MAP(run->arena)};
    struct buf out = BUF(run->arena);
    m.names = ARENA_ARRAY(run->arena, sv, c->count + 1);
    buf_reserve(&out, m.sub->string->text.len + ROOM);
    take_entries(&m);
    for (size_t i = 0; i < m.sub->count; i++) {
        add_literal(&out, m.sub->parts[i].text);
        if (m.sub->parts[i].arg != CFN_NONE)
            add_place(&m, &out, &m.sub->parts[i]);
    }
    struct node *string = node_new_scalar(run->arena, buf_get_sv(&out), (enum node_style)m.sub->string->style);
    if (m.pairs.len == 0)
        return string;
    struct node **items = ARENA_ARRAY(run->arena, struct node *, 2);
    items[0] = string;
    items[1] = node_new_mapping(run->arena, m.pairs.items, m.pairs.len);
    return node_new_sequence(run->arena, items, 2);
}
