#include "seal/stored.h"

#include "base/utf8.h"
#include "doc/decode.h"
#include "doc/scalar.h"

enum { LOCAL_ITEMS = 48, LOCAL_OPENS = 16 };

/* A container whose items are still being read. */
struct open {
    size_t first; /* its first item on the stack of items */
    sv key;       /* of the item that comes next */
    bool is_map;
};

struct parser {
    struct arena *arena;
    const char *p, *end;
    const char *why; /* set once something is wrong */
    bool has_marker;
    struct value_entry *items; /* of all open containers */
    size_t len, cap;
    struct open *opens;
    size_t depth, open_cap;
    struct arena spill; /* of stacks that outgrew the local ones */
    struct value_entry local_items[LOCAL_ITEMS];
    struct open local_opens[LOCAL_OPENS];
};

static bool fail(struct parser *p, const char *why) {
    p->why = why;
    return false;
}

static void skip_blanks(struct parser *p) {
    while (p->p < p->end && (*p->p == ' ' || *p->p == '\n' || *p->p == '\r' || *p->p == '\t')) {
        p->p++;
    }
}

/* Whether the next character is `c`; if so it is taken. */
static bool take(struct parser *p, char c) {
    skip_blanks(p);
    if (p->p < p->end && *p->p == c) {
        p->p++;
        return true;
    }
    return false;
}

/* Texts */

/* From the first backslash on; the text's end is known to be a quote or the end of everything. */
static bool decode_text(struct parser *p, const char *from, sv *result) {
    struct buf out = BUF(p->arena);
    buf_append(&out, sv_make(from, (size_t)(p->p - from)));
    while (p->p < p->end && *p->p != '"') {
        uint32_t codepoint = 0;
        size_t len = 1;
        if (*p->p == '\\') {
            len = decode_escape(p->p, true, &codepoint);
            if (len == 0) {
                return fail(p, "a wrong escape");
            }
            buf_append_codepoint(&out, codepoint);
        } else if ((unsigned char)*p->p < 0x20) {
            return fail(p, "a control character");
        } else {
            buf_append_char(&out, *p->p);
        }
        p->p += len;
    }
    *result = buf_get_sv(&out);
    return true;
}

/* Behind the opening quote. */
static bool parse_text(struct parser *p, sv *result) {
    const char *from = p->p;
    while (p->p < p->end && *p->p != '"' && *p->p != '\\' && (unsigned char)*p->p >= 0x20) {
        p->p++;
    }
    *result = sv_make(from, (size_t)(p->p - from));
    if (p->p < p->end && *p->p == '\\' && !decode_text(p, from, result)) {
        return false;
    }
    if (p->p >= p->end || *p->p != '"') {
        return fail(p, "a text without end");
    }
    p->p++;
    return true;
}

/* Words and numbers. */
static bool parse_plain(struct parser *p, value *result) {
    const char *from = p->p;
    while (p->p < p->end && strchr(" \n\r\t,]}:\"[{", *p->p) == NULL) {
        p->p++;
    }
    if (p->p == from) {
        return fail(p, "no value where one is wanted");
    }
    struct scalar s = scalar_resolve_json(sv_make(from, (size_t)(p->p - from)));
    switch (s.kind) {
    case SCALAR_NULL:
        *result = value_null();
        return true;
    case SCALAR_BOOL:
        *result = value_bool(s.boolean);
        return true;
    case SCALAR_INT:
        *result = value_int(s.integer);
        return true;
    case SCALAR_FLOAT:
        *result = value_float(s.number);
        return true;
    case SCALAR_STRING:
    case SCALAR_BAD_NUMBER:
        break;
    }
    p->p = from;
    return fail(p, s.kind == SCALAR_BAD_NUMBER ? "a number out of range" : "something that is no value");
}

/* Containers */

static struct open *push_open(struct parser *p, bool is_map) {
    if (p->depth == p->open_cap) {
        struct open *grown = ARENA_ARRAY(&p->spill, struct open, p->open_cap * 2);
        memcpy(grown, p->opens, p->depth * sizeof *grown);
        p->opens = grown;
        p->open_cap *= 2;
    }
    struct open *o = &p->opens[p->depth++];
    *o = (struct open){.first = p->len, .is_map = is_map};
    return o;
}

static void push_item(struct parser *p, sv key, value item) {
    if (p->len == p->cap) {
        struct value_entry *grown = ARENA_ARRAY(&p->spill, struct value_entry, p->cap * 2);
        memcpy(grown, p->items, p->len * sizeof *grown);
        p->items = grown;
        p->cap *= 2;
    }
    p->items[p->len++] = (struct value_entry){key, item};
}

/* With its colon. */
static bool parse_key(struct parser *p) {
    sv *key = &p->opens[p->depth - 1].key;
    if (!take(p, '"')) {
        return fail(p, "no key where one is wanted");
    }
    if (!parse_text(p, key)) {
        return false;
    }
    p->has_marker = p->has_marker || sv_eq_cstr(*key, "$lintel");
    return take(p, ':') || fail(p, "a key without colon");
}

/* A map with an index has one place taken in it for each different key. */
static bool has_duplicate(const struct value_map *m) {
    size_t different = 0;
    for (size_t i = 0; m->index != NULL && i < m->index_cap; i++) {
        different += m->index[i] != 0;
    }
    for (size_t i = 0; m->index == NULL && i < m->len; i++) {
        size_t j = 0;
        while (j < i && !sv_eq(m->entries[i].key, m->entries[j].key)) {
            j++;
        }
        different += j == i;
    }
    return different != m->len;
}

static bool close_container(struct parser *p, value *result) {
    struct open o = p->opens[--p->depth];
    size_t count = p->len - o.first;
    if (o.is_map) {
        struct map_builder b = {.arena = p->arena, .entries = p->items + o.first, .len = count, .cap = count};
        *result = map_done(&b);
    } else {
        value *items = ARENA_ARRAY(p->arena, value, count);
        for (size_t i = 0; i < count; i++) {
            items[i] = p->items[o.first + i].item;
        }
        *result = value_list_of(p->arena, items, count);
    }
    p->len = o.first;
    return !o.is_map || !has_duplicate(result->map) || fail(p, "a key twice in one object");
}

/* A scalar, an empty container, or the start of one (`*started`). */
static bool parse_start(struct parser *p, value *result, bool *started) {
    *started = false;
    skip_blanks(p);
    char c = p->p < p->end ? *p->p : 0;
    if (c == '"') {
        sv text;
        p->p++;
        if (!parse_text(p, &text)) {
            return false;
        }
        *result = value_string(p->arena, text);
        return true;
    }
    if (c != '{' && c != '[') {
        return parse_plain(p, result);
    }
    p->p++;
    push_open(p, c == '{');
    if (take(p, c == '{' ? '}' : ']')) {
        return close_container(p, result);
    }
    *started = true;
    return c == '[' || parse_key(p);
}

/* Behind a value that is complete: adds it to its container, and closes what ends here. `*more`: another item comes. */
static bool parse_rest(struct parser *p, value *v, bool *more) {
    *more = false;
    while (p->depth > 0) {
        struct open *o = &p->opens[p->depth - 1];
        push_item(p, o->key, *v);
        if (take(p, ',')) {
            *more = true;
            return !o->is_map || parse_key(p);
        }
        if (!take(p, o->is_map ? '}' : ']')) {
            return fail(p, "a container without end");
        }
        if (!close_container(p, v)) {
            return false;
        }
    }
    return true;
}

static bool parse_document(struct parser *p, value *result) {
    bool more = true;
    while (more) {
        bool started = false;
        if (!parse_start(p, result, &started) || (!started && !parse_rest(p, result, &more))) {
            return false;
        }
    }
    skip_blanks(p);
    return p->p == p->end || fail(p, "something behind the end");
}

value stored_parse(struct arena *a, sv text, struct stored_json *info) {
    *info = (struct stored_json){0};
    sv copy = arena_copy_sv(a, text); /* with a NUL behind, which ends every look ahead */
    size_t bad = utf8_check(copy);
    if (bad < copy.len) {
        *info = (struct stored_json){.why = "invalid UTF-8", .offset = bad};
        return value_error(NULL);
    }
    struct parser p = {.arena = a, .p = copy.data, .end = copy.data + copy.len};
    p.items = p.local_items;
    p.cap = LOCAL_ITEMS;
    p.opens = p.local_opens;
    p.open_cap = LOCAL_OPENS;
    value result = {0};
    bool ok = parse_document(&p, &result);
    arena_fini(&p.spill);
    info->has_marker = p.has_marker;
    info->why = p.why;
    info->offset = (size_t)(p.p - copy.data);
    return ok ? result : value_error(NULL);
}
