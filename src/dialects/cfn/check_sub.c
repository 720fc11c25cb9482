/* Fn::Sub (CF-103, CF-104): the string is taken apart once. */
#include "dialects/cfn/check.h"

#include "dialects/cfn/scalars.h"

#include <string.h>

enum { FEW = 8 };

struct scan {
    sv few[FEW];
    struct cfn_check *c;
    const struct cfn_call *call;
    const struct node *string, *map; /* map: NULL without */
    struct cfn_sub_part *parts;      /* these have room for all that the string can hold */
    const struct expr **args;
    sv *keys; /* by argument; empty: a name of the template. NULL without a map */
    sv *names;
    uint32_t part_count, arg_count;
    struct map by_name; /* argument number + 1 of names seen, once there are many */
    struct map entries; /* entry number + 1 of the map's keys */
    bool *used;         /* by entry of the map */
    bool is_broken;
};

/* The place of a part of the decoded string in the file. */
static span get_span(const struct scan *s, size_t from, size_t len) {
    const struct node *n = s->string;
    if ((n->flags & CFN_NODE_MADE) != 0)
        return n->at;
    if ((n->flags & NODE_ESCAPED) != 0)
        return node_map_span(s->c->run->o.sources, n, from, len);
    uint32_t start = n->at.offset + (n->style == NODE_SINGLE_QUOTED || n->style == NODE_DOUBLE_QUOTED);
    return (span){n->at.source, start + (uint32_t)from, (uint32_t)len};
}

static bool is_name(sv text) {
    for (size_t i = 0; i < text.len; i++) {
        char ch = text.data[i];
        bool is_good =
            (ch >= '0' && ch <= '9') || ((ch | 32) >= 'a' && (ch | 32) <= 'z') || ch == '_' || ch == '.' || ch == ':';
        if (!is_good)
            return false;
    }
    return text.len > 0;
}

static uint32_t add_arg(struct scan *s, sv name, const struct expr *e, sv key) {
    uint32_t number = s->arg_count++;
    s->args[number] = e;
    s->names[number] = name;
    if (s->keys != NULL)
        s->keys[number] = key;
    for (uintptr_t i = number == FEW ? 0 : number; number >= FEW && i <= number; i++)
        map_put(&s->by_name, s->names[i], (void *)(i + 1)); /* NOLINT(performance-no-int-to-ptr): a number is kept */
    return number;
}

/* The argument of a name that was seen; CFN_NONE for a new one. */
static uint32_t find_known(const struct scan *s, sv name) {
    uintptr_t number = s->arg_count > FEW ? (uintptr_t)map_find(&s->by_name, name) : 0;
    for (uint32_t i = 0; s->arg_count <= FEW && i < s->arg_count; i++) {
        if (sv_eq(s->names[i], name))
            return i;
    }
    return number == 0 ? CFN_NONE : (uint32_t)number - 1;
}

/* The entry of the map; CFN_NONE for none. */
static uint32_t find_entry(const struct scan *s, sv name) {
    uintptr_t number = s->map == NULL ? 0 : (uintptr_t)map_find(&s->entries, name);
    return number == 0 ? CFN_NONE : (uint32_t)number - 1;
}

/* A name of the template: a Ref or a GetAtt of its own. */
static const struct expr *make_reference(struct scan *s, sv name, span at) {
    struct cfn_site *site = ARENA_NEW(s->c->arena, struct cfn_site);
    size_t dot = sv_find_char(name, '.');
    bool is_made = dot != SIZE_MAX && map_has(&s->c->t->resources_by_name, name);
    site->node = s->string;
    site->function = dot == SIZE_MAX || is_made ? CFN_REF : CFN_GET_ATT;
    site->layout = CFN_IN_SUB;
    site->owner = s->c->resource;
    bool is_good;
    if (site->function == CFN_REF) {
        is_good = cfn_check_name(s->c, site, name, at);
    } else if (dot == 0 || dot + 1 == name.len) {
        struct diag *d =
            cfn_check_fail(s->c, DIAG_cfn_sub_name, at, "'%.*s' is no 'Id.Attribute'", SV_ARG(sv_slice(name, 0, 80)));
        cfn_hint(s->c->run, d, "write both sides of the point");
        is_good = false;
    } else {
        is_good = cfn_check_dotted(s->c, site, name, at);
    }
    s->is_broken = s->is_broken || !is_good;
    struct expr *e = expr_new(s->c->arena, EXPR_DIRECTIVE, at);
    e->op = site->function;
    e->call.data = site;
    return is_good ? e : expr_new_error(s->c->arena, at);
}

static uint32_t find_arg(struct scan *s, sv name, span at) {
    uint32_t entry = find_entry(s, name);
    if (entry != CFN_NONE)
        s->used[entry] = true;
    uint32_t known = find_known(s, name);
    if (known != CFN_NONE)
        return known;
    if (entry == CFN_NONE)
        return add_arg(s, name, make_reference(s, name, at), (sv){0});
    const struct expr *e = cfn_check_argument(s->c, s->map->pairs[entry].value, CFN_ARG_SUB_VALUE);
    s->is_broken = s->is_broken || e->kind == EXPR_ERROR;
    return add_arg(s, name, e, s->map->pairs[entry].key->text);
}

static void refuse_name(struct scan *s, sv name, span at) {
    struct diag *d = cfn_check_fail(s->c, DIAG_cfn_sub_name, at, "'%.*s' is no name", SV_ARG(sv_slice(name, 0, 80)));
    cfn_hint(s->c->run, d, "names have letters, digits, '_', '.' and ':'; '${!' writes '${' itself");
    s->is_broken = true;
}

/* What stands between the braces from `from` on. */
static void add_name(struct scan *s, sv literal, size_t from, sv inner) {
    sv name = sv_trim(inner);
    span at = get_span(s, from, inner.len + 3);
    if (name.len != inner.len && name.len > 0) {
        struct diag *d = cfn_check_fail(s->c, DIAG_cfn_sub_blank, at, "blanks around '%.*s' are ignored",
                                        SV_ARG(sv_slice(name, 0, 80)));
        cfn_hint(s->c->run, d, "write '${%.*s}'", SV_ARG(sv_slice(name, 0, 80)));
    }
    uint32_t entry = is_name(name) ? CFN_NONE : find_entry(s, name);
    if (entry != CFN_NONE) { /* the key is reported */
        s->used[entry] = s->is_broken = true;
        return;
    }
    if (!is_name(name)) {
        refuse_name(s, name, at);
        return;
    }
    uint32_t arg = find_arg(s, name, at);
    s->parts[s->part_count++] = (struct cfn_sub_part){.text = literal, .arg = arg, .name = name};
}

static void refuse_unterminated(struct scan *s, size_t from) {
    struct diag *d = cfn_check_fail(s->c, DIAG_cfn_sub_unterminated, get_span(s, from, 2), "'${' without '}'");
    cfn_hint(s->c->run, d, "close it, or write '${!}' around what is meant as text");
    s->is_broken = true;
}

/* Room for as many names as there are `${`. */
static void make_room(struct scan *s, sv text) {
    struct arena *a = s->c->arena;
    size_t count = 0;
    const char *p = text.data, *end = text.data + text.len;
    while (text.len > 0 && (p = memchr(p, '$', (size_t)(end - p))) != NULL) {
        p++;
        count += p < end && *p == '{';
    }
    s->parts = ARENA_ARRAY(a, struct cfn_sub_part, count + 1);
    s->args = ARENA_ARRAY(a, const struct expr *, count + 1);
    s->names = count <= FEW ? s->few : ARENA_ARRAY(a, sv, count);
    s->keys = s->map == NULL ? NULL : ARENA_ARRAY(a, sv, count + 1);
}

static void scan_string(struct scan *s) {
    sv text = s->string->text;
    make_room(s, text);
    size_t start = 0, i = 0;
    while (i + 1 < text.len) {
        const char *dollar = memchr(text.data + i, '$', text.len - 1 - i);
        if (dollar == NULL)
            break;
        i = (size_t)(dollar - text.data);
        if (text.data[i + 1] != '{') {
            i++;
            continue;
        }
        const char *brace = memchr(text.data + i, '}', text.len - i);
        if (brace == NULL) {
            refuse_unterminated(s, i);
            return;
        }
        size_t end = (size_t)(brace - text.data);
        sv inner = sv_slice(text, i + 2, end);
        if (inner.len > 0 && inner.data[0] == '!') {
            /* `${!text}`: the text in front ends behind `${`, the mark is left out. */
            s->parts[s->part_count++] = (struct cfn_sub_part){.text = sv_slice(text, start, i + 2), .arg = CFN_NONE};
            start = i + 3;
        } else {
            add_name(s, sv_slice(text, start, i), i, inner);
            start = end + 1;
        }
        i = end + 1;
    }
    if (start < text.len)
        s->parts[s->part_count++] = (struct cfn_sub_part){.text = sv_slice(text, start, text.len), .arg = CFN_NONE};
}

static void check_key(struct scan *s, const struct node *key) {
    if (!is_name(key->text))
        refuse_name(s, key->text, key->at);
}

/* Values that nothing uses are checked all the same, and nothing evaluates them. */
static void check_unused(struct scan *s) {
    for (uint32_t i = 0; s->map != NULL && i < s->map->count; i++) {
        check_key(s, s->map->pairs[i].key);
        if (s->used[i])
            continue;
        const struct node *key = s->map->pairs[i].key;
        cfn_check_argument(s->c, s->map->pairs[i].value, CFN_ARG_SUB_VALUE);
        struct diag *d = cfn_check_fail(s->c, DIAG_cfn_sub_unused, key->at, "nothing in the text uses '%.*s'",
                                        SV_ARG(sv_slice(key->text, 0, 80)));
        cfn_hint(s->c->run, d, "remove it, or write '${%.*s}' into the text", SV_ARG(sv_slice(key->text, 0, 80)));
    }
}

static bool read_map(struct scan *s, const struct node *n) {
    struct cfn_call inner;
    if (n->kind == NODE_MAPPING && !cfn_call_get(n, &inner)) {
        s->map = n;
        s->used = ARENA_ARRAY(s->c->arena, bool, n->count);
        for (uintptr_t i = 0; i < n->count; i++)
            map_put(&s->entries, n->pairs[i].key->text, (void *)(i + 1)); /* NOLINT(performance-no-int-to-ptr) */
        return true;
    }
    struct diag *d = cfn_check_fail(s->c, DIAG_cfn_argument, cfn_node_get_span(n),
                                    "the second argument of 'Fn::Sub' is a map of values");
    cfn_hint(s->c->run, d, "write names with their values");
    return false;
}

static bool read_arguments(struct scan *s) {
    const struct node *n = s->call->argument;
    struct cfn_call inner;
    sv text;
    struct cfn_items items;
    bool is_call = !s->call->is_short && cfn_call_get(n, &inner);
    if (n->kind == NODE_SCALAR && !is_call) {
        s->string = n;
        return true;
    }
    if (is_call)
        return cfn_check_text(s->c, n, "the string of 'Fn::Sub'", &text);
    if (!cfn_check_items(s->c, s->call, 2, 2, &items) ||
        !cfn_check_text(s->c, items.items[0], "the string of 'Fn::Sub'", &text))
        return false;
    s->string = items.items[0];
    return read_map(s, items.items[1]);
}

const struct expr *cfn_check_sub(struct cfn_check *c, const struct node *n, const struct cfn_call *call) {
    struct scan s = {.c = c, .call = call, .by_name = MAP(c->arena), .entries = MAP(c->arena)};
    if (!read_arguments(&s) || s.string == NULL)
        return cfn_expr_error(c, n);
    scan_string(&s);
    check_unused(&s);
    if (s.is_broken)
        return cfn_expr_error(c, n);
    struct cfn_site *site = cfn_site_new(c, n, call);
    struct cfn_sub *sub = ARENA_NEW(c->arena, struct cfn_sub);
    *sub = (struct cfn_sub){.parts = s.parts, .count = s.part_count, .string = s.string, .map = s.map, .keys = s.keys};
    site->data = sub;
    return cfn_expr_call(c, site, s.args, s.arg_count);
}
