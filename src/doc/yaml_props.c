#include "doc/yaml.h"

#include "base/utf8.h"

enum {
    LONGEST_TAG = 4096, /* bytes */
};

static bool is_word(char c) {
    return (c >= '0' && c <= '9') || ((c | 32) >= 'a' && (c | 32) <= 'z') || c == '-';
}

static struct node_props *get_props(struct yaml *y, struct node_props **props) {
    if (!*props)
        *props = ARENA_NEW(y->b.arena, struct node_props);
    return *props;
}

static void read_anchor(struct yaml *y, struct node_props **props) {
    const char *from = y->p, *to = from + 1;
    while (!char_is(*to, CHAR_GAP | CHAR_FLOW | CHAR_LINE_STOP))
        to++;
    y->p = to;
    if (to == from + 1) {
        yaml_report(y, from, to, "anchor without a name", "put the text into quotes");
        return;
    }
    if (y->b.options->anchors == DOC_REFUSE)
        diags_add(build_fail(&y->b), DIAG_yaml_unsupported_feature, build_span(&y->b, from, to),
                  "YAML anchors are not supported here");
    struct node_props *own = get_props(y, props);
    if (own->anchor.len > 0)
        yaml_report(y, from, to, "a second anchor for one node", "remove one of them");
    own->anchor = sv_make(from + 1, (size_t)(to - from - 1));
    own->anchor_at = build_span(&y->b, from, to);
}

static bool is_hex(char c) {
    return (c >= '0' && c <= '9') || ((c | 32) >= 'a' && (c | 32) <= 'f');
}

static unsigned hex_value(char c) {
    return c <= '9' ? (unsigned)(c - '0') : (unsigned)((c | 32) - 'a' + 10);
}

/* Appends a part of a tag with its %41 decoded. False for a bad one, and for control characters. */
static bool append_part(char *out, size_t *len, sv suffix) {
    for (size_t i = 0; i < suffix.len; i++) {
        char c = suffix.data[i];
        if (c == '%') {
            if (i + 2 >= suffix.len || !is_hex(suffix.data[i + 1]) || !is_hex(suffix.data[i + 2]))
                return false;
            c = (char)(unsigned char)(hex_value(suffix.data[i + 1]) * 16 + hex_value(suffix.data[i + 2]));
            i += 2;
        }
        if ((unsigned char)c < ' ')
            return false;
        out[(*len)++] = c;
    }
    return true;
}

/* The prefix that a handle stands for; false when it was never declared. */
static bool find_handle(struct yaml *y, sv handle, sv *prefix) {
    static const sv secondary = SV_INIT("tag:yaml.org,2002:");
    const sv *declared = map_find(&y->tag_handles, handle);
    if (declared)
        *prefix = *declared;
    else if (sv_eq_cstr(handle, "!"))
        *prefix = handle;
    else if (sv_eq_cstr(handle, "!!"))
        *prefix = secondary;
    else
        return false;
    return true;
}

/* Puts prefix and decoded suffix together; false and reported for one that is too long or no text. */
static bool join_tag(struct yaml *y, sv written, sv prefix, sv suffix, sv *tag) {
    size_t room = prefix.len + suffix.len;
    if (room > LONGEST_TAG || room > y->tag_budget) {
        build_stop(&y->b, build_span(&y->b, written.data, written.data + 1), "length of tags", LONGEST_TAG);
        return false;
    }
    y->tag_budget -= room;
    char *out = build_get_text(&y->b, room + 1);
    size_t len = 0;
    bool is_good = append_part(out, &len, prefix) && append_part(out, &len, suffix);
    if (!is_good || utf8_check(sv_make(out, len)) < len) {
        yaml_report(y, written.data, written.data + written.len, "bad '%' in a tag",
                    "write two hexadecimal digits behind it, which stand for UTF-8 text");
        return false;
    }
    *tag = arena_copy_sv(y->b.arena, sv_make(out, len));
    return true;
}

static bool resolve_tag(struct yaml *y, sv written, sv handle, sv *tag) {
    sv prefix;
    if (find_handle(y, handle, &prefix))
        return join_tag(y, written, prefix, sv_slice(written, handle.len, written.len), tag);
    sv shown = build_show(handle.data, handle.data + handle.len);
    struct diag *d =
        diags_add(build_fail(&y->b), DIAG_invalid_syntax, build_span(&y->b, handle.data, handle.data + handle.len),
                  "tag handle '%.*s' is not declared", SV_ARG(shown));
    diag_set_hint(y->b.diags, d, "declare it with %%TAG above '---'");
    return false;
}

/* `!<tag>`: complete as it is written. */
static sv read_verbatim(struct yaml *y) {
    const char *from = y->p, *to = from + 2;
    while (*to != '>' && !char_is(*to, CHAR_GAP | CHAR_LINE_STOP))
        to++;
    sv written = sv_make(from + 2, (size_t)(to - from - 2)), tag = {0};
    bool is_closed = *to == '>';
    y->p = to + is_closed;
    if (!is_closed || written.len == 0 || sv_eq(written, SV("!")))
        yaml_report(y, from, from + 1, "bad tag", "write '!<' and '>' around its full name");
    else
        join_tag(y, written, (sv){0}, written, &tag);
    return tag;
}

/* `!name`, `!!name`, `!handle!name`: resolved once for each text. */
static sv read_shorthand(struct yaml *y) {
    const char *from = y->p, *to = from + 1, *bang = from;
    while (is_word(*to))
        to++;
    if (*to == '!')
        bang = to;
    to = bang + 1;
    while (!char_is(*to, CHAR_GAP | CHAR_FLOW | CHAR_LINE_STOP) && *to != '!' && (unsigned char)*to < 0x80 &&
           *to != '"' && *to != '\\' && *to != '^' && *to != '`' && *to != '<' && *to != '>' && *to != '|')
        to++;
    y->p = to;
    sv written = sv_make(from, (size_t)(to - from));
    if (written.len == 1)
        return SV("!");
    sv *known = map_find(&y->tags, written);
    if (known)
        return *known;
    sv tag = {0};
    if (to == bang + 1)
        yaml_report(y, from, to, "tag without a name", "write a name behind the handle");
    else if (resolve_tag(y, written, sv_make(from, (size_t)(bang + 1 - from)), &tag)) {
        sv *kept = ARENA_NEW(y->b.arena, sv);
        *kept = tag;
        map_put(&y->tags, written, kept);
    }
    return tag;
}

static void read_tag(struct yaml *y, struct node_props **props) {
    const char *from = y->p;
    struct node_props *own = get_props(y, props);
    if (own->tag.len > 0)
        yaml_report(y, from, from + 1, "a second tag for one node", "remove one of them");
    own->tag = from[1] == '<' ? read_verbatim(y) : read_shorthand(y);
    own->tag_at = build_span(&y->b, from, y->p);
    if (y->b.options->tags == DOC_REFUSE)
        diags_add(build_fail(&y->b), DIAG_yaml_unsupported_feature, own->tag_at, "YAML tags are not supported here");
}

void yaml_read_property(struct yaml *y, struct node_props **props) {
    if (*y->p == '&')
        read_anchor(y, props);
    else
        read_tag(y, props);
}

struct node_props *yaml_merge_props(struct yaml *y, struct node_props *outer, struct node_props *inner) {
    if (!outer)
        return inner;
    if (!inner)
        return outer;
    if (inner->anchor.len > 0) {
        const char *at = y->b.base + inner->anchor_at.offset;
        if (outer->anchor.len > 0)
            yaml_report(y, at, at + inner->anchor_at.length, "a second anchor for one node", "remove one of them");
        outer->anchor = inner->anchor;
        outer->anchor_at = inner->anchor_at;
    }
    if (inner->tag.len > 0) {
        const char *at = y->b.base + inner->tag_at.offset;
        if (outer->tag.len > 0)
            yaml_report(y, at, at + inner->tag_at.length, "a second tag for one node", "remove one of them");
        outer->tag = inner->tag;
        outer->tag_at = inner->tag_at;
    }
    return outer;
}

/* The word at `p`, which ends at a gap. */
static sv read_word(const char **p) {
    const char *from = *p;
    while (!char_is(**p, CHAR_GAP | CHAR_LINE_STOP))
        ++*p;
    sv word = sv_make(from, (size_t)(*p - from));
    *p = char_skip_blanks(*p);
    return word;
}

static bool is_version(sv word) {
    size_t dot = sv_find_char(word, '.');
    if (dot == 0 || dot >= word.len - 1 || word.len == 0)
        return false;
    for (size_t i = 0; i < word.len; i++)
        if (i != dot && (word.data[i] < '0' || word.data[i] > '9'))
            return false;
    return true;
}

static void read_version(struct yaml *y, struct directives *d, const char **p) {
    const char *from = *p;
    sv version = read_word(p);
    if (!is_version(version))
        yaml_report(y, from, from + (version.len ? version.len : 1), "bad version in a %YAML directive",
                    "write '%YAML 1.2'");
    else if (d->has_version)
        yaml_report(y, y->p, from + version.len, "a second %YAML directive", "remove one of them");
    else if (!sv_has_prefix(version, SV("1.")))
        yaml_report(y, from, from + version.len, "unknown version of YAML", "write '%YAML 1.2'");
    d->has_version = true;
}

static bool is_handle(sv handle) {
    if (handle.len == 0 || handle.data[0] != '!' || handle.data[handle.len - 1] != '!')
        return false;
    for (size_t i = 1; i + 1 < handle.len; i++)
        if (!is_word(handle.data[i]))
            return false;
    return true;
}

static void read_handle(struct yaml *y, struct directives *d, const char **p) {
    const char *from = *p;
    sv handle = read_word(p);
    const char *prefix_at = *p;
    sv prefix = read_word(p);
    const char *end = prefix.len ? prefix_at + prefix.len : handle.len ? from + handle.len : from + 1;
    if (span_is_none(d->tag_at)) {
        d->tag_at = build_span_within(&y->b, y->p, end);
        if (y->b.options->tag_directives == DOC_REFUSE)
            diags_add(build_fail(&y->b), DIAG_yaml_unsupported_feature, d->tag_at,
                      "the %%TAG directive is not supported here");
    }
    if (!is_handle(handle) || prefix.len == 0) {
        yaml_report(y, from, end, "bad %TAG directive", "write '%TAG !name! prefix'");
        return;
    }
    sv *kept = ARENA_NEW(y->b.arena, sv);
    *kept = prefix;
    if (map_put(&y->tag_handles, handle, kept))
        yaml_report(y, from, from + handle.len, "tag handle is declared twice", "remove one of the declarations");
}

void yaml_read_directive(struct yaml *y, struct directives *d) {
    const char *p = y->p + 1;
    sv name = read_word(&p);
    if (!d->has_any)
        d->first = y->p;
    d->has_any = true;
    bool is_known = true;
    if (sv_eq(name, SV("YAML")))
        read_version(y, d, &p);
    else if (sv_eq(name, SV("TAG")))
        read_handle(y, d, &p);
    else
        is_known = false;
    while (!is_known && !char_is(*p, CHAR_LINE_STOP))
        p++;
    if (is_known && *p && !char_is_break(*p) && !(*p == '#' && char_is_blank(p[-1])))
        yaml_report(y, p, p + 1, "unexpected text behind a directive", "remove it");
    if (*p == '#' && is_known && char_is_blank(p[-1]))
        p = yaml_skip_comment(y, p);
    while (*p && !char_is_break(*p))
        p++;
    y->p = y->line = *p ? char_skip_break(p) : p;
}
