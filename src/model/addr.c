#include "model/addr.h"

#include "base/num.h"

sv element_kind_get_section(enum element_kind kind) {
    switch (kind) {
    case ELEMENT_VARIABLE:
        return SV("variables");
    case ELEMENT_VALUE:
        return SV("values");
    case ELEMENT_DATA:
        return SV("datasources");
    case ELEMENT_RESOURCE:
    case ELEMENT_TEMPLATE:
        return SV("resources");
    case ELEMENT_CHILD:
        return SV("children");
    case ELEMENT_LINK:
        return SV("links");
    case ELEMENT_EXPORT:
        return SV("exports");
    }
    return SV("");
}

/* Names that stand behind a dot as they are; others stand in brackets and quotes, as in any path. */
static bool is_plain_name(sv name) {
    for (size_t i = 0; i < name.len; i++) {
        char c = name.data[i];
        bool ok = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '-' ||
                  c == ':';
        if (!ok) {
            return false;
        }
    }
    return name.len > 0;
}

static void print_name(struct buf *out, sv name) {
    if (is_plain_name(name)) {
        buf_append_char(out, '.');
        buf_append(out, name);
        return;
    }
    buf_append(out, SV("[\""));
    for (size_t i = 0; i < name.len; i++) {
        if (name.data[i] == '"' || name.data[i] == '\\') {
            buf_append_char(out, '\\');
        }
        buf_append_char(out, name.data[i]);
    }
    buf_append(out, SV("\"]"));
}

addr addr_make(struct arena *a, sv parent, enum element_kind kind, sv name) {
    struct buf out = BUF(a);
    buf_append(&out, parent);
    buf_append(&out, element_kind_get_section(kind));
    print_name(&out, name);
    return (addr){buf_get_sv(&out)};
}

bool addr_eq(addr x, addr y) {
    return sv_eq(x.text, y.text);
}

/* Parsing: `rest` is what is still to be read. */

static enum element_kind find_section(sv text) {
    static const enum element_kind kinds[] = {ELEMENT_VARIABLE, ELEMENT_VALUE, ELEMENT_DATA,  ELEMENT_RESOURCE,
                                              ELEMENT_CHILD,    ELEMENT_LINK,  ELEMENT_EXPORT};
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++) {
        if (sv_eq(text, element_kind_get_section(kinds[i]))) {
            return kinds[i];
        }
    }
    return 0;
}

/* `["odd name"]` at the start of `rest`. */
static bool cut_quoted_name(struct arena *a, sv *rest, sv *name) {
    struct buf out = BUF(a);
    size_t i = 2;
    while (i < rest->len && rest->data[i] != '"') {
        if (rest->data[i] == '\\' && ++i == rest->len) {
            return false;
        }
        buf_append_char(&out, rest->data[i++]);
    }
    if (i + 1 >= rest->len || rest->data[i + 1] != ']') {
        return false;
    }
    *rest = sv_slice(*rest, i + 2, rest->len);
    *name = buf_get_sv(&out);
    return name->len > 0;
}

static bool cut_plain_name(sv *rest, sv *name) {
    size_t end = 1;
    while (end < rest->len && rest->data[end] != '.' && rest->data[end] != '[' && rest->data[end] != '/') {
        end++;
    }
    *name = sv_slice(*rest, 1, end);
    *rest = sv_slice(*rest, end, rest->len);
    return name->len > 0;
}

/* `[2]` behind the name of a template makes the name of its instance. */
static bool cut_index(struct arena *a, sv *rest, sv *name) {
    size_t close = sv_find_char(*rest, ']');
    uint64_t index = 0;
    if (close == SIZE_MAX || num_parse_u64(sv_slice(*rest, 1, close), 10, &index) != NUM_OK) {
        return false;
    }
    struct buf out = BUF(a);
    buf_append(&out, *name);
    buf_printf(&out, "_%llu", (unsigned long long)index);
    *name = buf_get_sv(&out);
    *rest = sv_slice(*rest, close + 1, rest->len);
    return true;
}

static bool has_index(sv rest) {
    return rest.len > 1 && rest.data[0] == '[' && rest.data[1] >= '0' && rest.data[1] <= '9';
}

static bool cut_element(struct arena *a, sv *rest, enum element_kind *kind, sv *name) {
    size_t end = 0;
    while (end < rest->len && rest->data[end] != '.' && rest->data[end] != '[') {
        end++;
    }
    *kind = find_section(sv_slice(*rest, 0, end));
    *rest = sv_slice(*rest, end, rest->len);
    if (*kind == 0 || rest->len < 2) {
        return false;
    }
    bool quoted = rest->data[0] == '[' && rest->data[1] == '"';
    if (quoted ? !cut_quoted_name(a, rest, name) : rest->data[0] != '.' || !cut_plain_name(rest, name)) {
        return false;
    }
    bool can_repeat = *kind == ELEMENT_RESOURCE || *kind == ELEMENT_CHILD;
    return !can_repeat || !has_index(*rest) || cut_index(a, rest, name);
}

static bool split_link(struct addr_parts *parts) {
    size_t at = sv_find(parts->name, SV("::"));
    if (at == SIZE_MAX) {
        return parts->kind != ELEMENT_LINK;
    }
    parts->a = sv_slice(parts->name, 0, at);
    parts->b = sv_slice(parts->name, at + 2, parts->name.len);
    return parts->kind == ELEMENT_LINK && parts->a.len > 0 && parts->b.len > 0 &&
           sv_find(parts->b, SV("::")) == SIZE_MAX;
}

static bool parse_property(struct arena *a, sv rest, struct path *result) {
    if (rest.len == 0) {
        return true;
    }
    bool dotted = rest.data[0] == '.';
    if ((!dotted && rest.data[0] != '[') || (dotted && rest.len == 1)) {
        return false;
    }
    return path_parse(a, dotted ? sv_slice(rest, 1, rest.len) : rest, result);
}

bool addr_parse(struct arena *a, sv text, struct addr_parts *result) {
    *result = (struct addr_parts){0};
    struct buf parent = BUF(a);
    sv rest = text;
    for (;;) {
        if (!cut_element(a, &rest, &result->kind, &result->name)) {
            return false;
        }
        if (rest.len == 0 || rest.data[0] != '/') {
            break;
        }
        if (result->kind != ELEMENT_CHILD && result->kind != ELEMENT_RESOURCE) {
            return false;
        }
        buf_append(&parent, element_kind_get_section(result->kind));
        print_name(&parent, result->name);
        buf_append_char(&parent, '/');
        rest = sv_slice(rest, 1, rest.len);
    }
    result->parent = buf_get_sv(&parent);
    return split_link(result) && parse_property(a, rest, &result->property);
}
