#include "dialects/dynaml/hints.h"

#include "base/hint.h"

#include <ctype.h>
#include <string.h>

/* --- texts that do not parse --- */

static bool is_word(char c) {
    return isalnum((unsigned char)c) || c == '_' || c == '-';
}

/* Strings say nothing about the grammar: their characters become '"'. */
static sv hide_strings(struct arena *a, sv text) {
    char *out = ARENA_ARRAY(a, char, text.len + 1);
    bool is_string = false;
    for (size_t i = 0; i < text.len; i++) {
        bool is_quote = text.data[i] == '"' && (i == 0 || text.data[i - 1] != '\\');
        out[i] = is_string || is_quote ? '"' : text.data[i];
        is_string = is_quote ? !is_string : is_string;
    }
    return sv_make(out, text.len);
}

/* The word that begins at `at`. */
static sv take_word(sv text, size_t at) {
    size_t end = at;
    while (end < text.len && is_word(text.data[end]))
        end++;
    return sv_slice(text, at, end);
}

/* `l[0]` */
static sv hint_index(struct arena *a, sv text) {
    for (size_t i = 1; i + 2 < text.len; i++) {
        bool is_index = text.data[i] == '[' && isdigit((unsigned char)text.data[i + 1]) && is_word(text.data[i - 1]);
        size_t start = i;
        while (is_index && start > 0 && is_word(text.data[start - 1]))
            start--;
        sv name = sv_slice(text, start, i);
        sv index = sv_slice(text, i + 1, text.len);
        if (is_index && !sv_eq(name, SV("map"))) {
            index = sv_cut(&index, ']');
            return arena_printf(a, "an index is a step of its own: %.*s.[%.*s]", SV_ARG(name), SV_ARG(index));
        }
    }
    return (sv){0};
}

/* `nilpot`, `1st`: references cannot begin so. */
static sv hint_keyword(struct arena *a, sv text) {
    static const char *const keywords[] = {"auto", "false", "merge", "nil", "true"};
    for (size_t i = 0; i < text.len; i++) {
        bool is_start = i == 0 || (!is_word(text.data[i - 1]) && text.data[i - 1] != '.' && text.data[i - 1] != '"');
        sv word = is_start ? take_word(text, i) : (sv){0};
        for (size_t k = 0; k < sizeof keywords / sizeof *keywords; k++) {
            sv keyword = sv_from_cstr(keywords[k]);
            if (word.len > keyword.len && sv_has_prefix(word, keyword))
                return arena_printf(a, "'%.*s' begins with the keyword '%.*s': write .%.*s", SV_ARG(word),
                                    SV_ARG(keyword), SV_ARG(word));
        }
        if (word.len > 1 && isdigit((unsigned char)word.data[0]) && isalpha((unsigned char)word.data[1]))
            return arena_printf(a, "'%.*s' begins with a digit: write .%.*s", SV_ARG(word), SV_ARG(word));
    }
    return (sv){0};
}

static bool is_operator_at(sv text, size_t i, size_t *len) {
    static const char *const operators[] = {"==", "!=", "<=", ">=", "||", "<", ">", "+", "*", "/", "%", "-"};
    for (size_t k = 0; k < sizeof operators / sizeof *operators; k++) {
        *len = strlen(operators[k]);
        if (sv_has_prefix(sv_slice(text, i, text.len), sv_from_cstr(operators[k])))
            return true;
    }
    return false;
}

/* `5 +3`, `(1 + 2)*3`. */
static sv hint_blanks(struct arena *a, sv text) {
    size_t len = 0;
    for (size_t i = 1; i < text.len; i++) {
        if (!is_operator_at(text, i, &len))
            continue;
        bool is_arrow = text.data[i] == '-' && i + 1 < text.len && text.data[i + 1] == '>';
        bool before = isspace((unsigned char)text.data[i - 1]);
        bool after = i + len >= text.len || isspace((unsigned char)text.data[i + len]);
        if (!is_arrow && before != after && !(text.data[i] == '-' && is_word(text.data[i - 1])) &&
            !(len == 1 && text.data[i] == '*' && before) && !(text.data[i] == '-' && before))
            return arena_printf(a, "operators need blanks on both sides: ' %.*s '", SV_ARG(sv_slice(text, i, i + len)));
        if (!is_arrow && !before && !after && text.data[i] != '-')
            return arena_printf(a, "operators need blanks on both sides: ' %.*s '", SV_ARG(sv_slice(text, i, i + len)));
        i += is_arrow ? 1 : len - 1;
    }
    return (sv){0};
}

/* `-x`: negation there is none, and `- x` is the operator. */
static sv hint_minus(struct arena *a, sv text) {
    for (size_t i = 0; i + 1 < text.len; i++) {
        bool is_start = i == 0 || isspace((unsigned char)text.data[i - 1]) || text.data[i - 1] == '(';
        if (is_start && text.data[i] == '-' && (isalpha((unsigned char)text.data[i + 1]) || text.data[i + 1] == '('))
            return arena_printf(a, "'-' needs blanks on both sides, and something in front of it: 0 - %.*s",
                                SV_ARG(take_word(text, i + 1)));
    }
    return (sv){0};
}

static sv hint_text(struct arena *a, sv raw) {
    sv inner = raw;
    if (sv_has_prefix(raw, SV("((")) && sv_has_suffix(raw, SV("))")))
        inner = sv_slice(raw, 2, raw.len - 2);
    inner = hide_strings(a, sv_slice(inner, 0, DYNAML_EXPRESSION_BYTES));
    sv hint = hint_index(a, inner);
    if (hint.len == 0)
        hint = hint_keyword(a, inner);
    if (hint.len == 0)
        hint = hint_blanks(a, inner);
    return hint.len > 0 ? hint : hint_minus(a, inner);
}

/* --- names that are not found --- */

static value get_content(const struct place *p) {
    return p->is_shaped ? p->content : p->source;
}

static void offer(struct hint *h, value v) {
    for (size_t i = 0; v.kind == VALUE_MAP && i < v.map->len; i++)
        hint_offer(h, v.map->entries[i].key);
    for (size_t i = 0; v.kind == VALUE_LIST && i < v.list->len; i++) {
        value name = v.list->items[i].kind == VALUE_MAP ? value_map_find(v.list->items[i], SV("name")) : (value){0};
        if (name.kind == VALUE_STRING)
            hint_offer(h, value_get_text(name));
    }
}

/* The outermost of the maps around is the document. */
static const struct place *get_outer(const struct place *p) {
    return p->parent != NULL ? p->parent : p->use;
}

/* `'a.b.c' not found`: the closest name where the first step that is not there was looked for. */
static sv hint_name(struct stage *s, const struct place *p, sv issue) {
    sv path = sv_slice(issue, 1, issue.len - strlen("' not found"));
    bool is_absolute = sv_has_prefix(path, SV("."));
    sv rest = is_absolute ? sv_slice(path, 1, path.len) : path;
    sv step = sv_cut(&rest, '.');
    struct hint h = HINT(step);
    value v = {0};
    for (const struct place *outer = is_absolute ? s->root : get_outer(p); outer != NULL && !value_is_set(v);
         outer = get_outer(outer)) {
        offer(&h, get_content(outer).kind == VALUE_MAP ? get_content(outer) : (value){0});
        if (get_content(outer).kind == VALUE_MAP)
            v = value_map_find(get_content(outer), step);
    }
    while (value_is_set(v) && rest.len > 0) {
        step = sv_cut(&rest, '.');
        h = HINT(step);
        offer(&h, v);
        v = overlay_find(s->run, v, step);
    }
    return h.best.len == 0 || sv_eq(h.best, h.wanted) ? (sv){0}
                                                      : arena_printf(s->a, "did you mean '%.*s'?", SV_ARG(h.best));
}

sv hints_find(struct stage *s, const struct place *p, const struct dynaml_unresolved *u) {
    if (u->state == DYNAML_NOT_PARSED)
        return hint_text(s->a, u->expression);
    if (sv_has_prefix(u->issue, SV("'")) && sv_has_suffix(u->issue, SV("' not found")))
        return hint_name(s, p, u->issue);
    return (sv){0};
}
