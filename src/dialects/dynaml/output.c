#include "dialects/dynaml/output.h"

#include "base/base64.h"
#include "base/utf8.h"
#include "dialects/dynaml/internal.h"
#include "dialects/dynaml/scalars.h"
#include "dialects/dynaml/template.h"
#include "doc/writer.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { FOLD_COLUMN = 80, LONGEST_KEY = 128 };

/* --- scalars (DY-322 to DY-327) --- */

static bool is_break(char c) {
    return c == '\n';
}

static bool is_plain_ascii(char c) {
    return c >= 0x20 && c < 0x7f;
}

static bool is_ascii(sv text, bool with_breaks) {
    for (size_t i = 0; i < text.len; i++) {
        if (!is_plain_ascii(text.data[i]) && !(with_breaks && is_break(text.data[i])))
            return false;
    }
    return true;
}

static bool is_blank_at(sv text, size_t i) {
    return i >= text.len || text.data[i] == ' ';
}

static bool can_start_plain(sv text) {
    static const char indicators[] = "#,[]{}&*!|>'\"%@`";
    char c = text.data[0];
    if (c == '-' || c == '?' || c == ':')
        return !is_blank_at(text, 1) && !sv_has_prefix(text, SV("---"));
    return strchr(indicators, c) == NULL && !sv_has_prefix(text, SV("..."));
}

/* DY-323 */
static bool is_plain(sv text) {
    if (text.len == 0 || !is_ascii(text, false) || !can_start_plain(text) || text.data[0] == ' ' ||
        text.data[text.len - 1] == ' ')
        return false;
    for (size_t i = 0; i < text.len; i++) {
        if ((text.data[i] == ':' && is_blank_at(text, i + 1)) ||
            (text.data[i] == '#' && i > 0 && text.data[i - 1] == ' '))
            return false;
    }
    return true;
}

/* DY-324 */
static bool is_literal(sv text) {
    if (!is_ascii(text, true) || text.data[text.len - 1] == ' ')
        return false;
    for (size_t i = 0; i + 1 < text.len; i++) {
        if (text.data[i] == ' ' && is_break(text.data[i + 1]))
            return false;
    }
    return true;
}

static size_t get_column(const struct buf *out) {
    size_t at = out->len;
    while (at > 0 && out->data[at - 1] != '\n')
        at--;
    return out->len - at;
}

static void start_line(struct buf *out, size_t indent) {
    buf_append_char(out, '\n');
    buf_append_repeat(out, ' ', indent);
}

static void write_literal(struct buf *out, sv text, size_t indent) {
    bool ends_line = is_break(text.data[text.len - 1]);
    buf_append_char(out, '|');
    if (text.data[0] == ' ' || is_break(text.data[0]))
        buf_append_char(out, '2');
    buf_append_char(out, ends_line ? '+' : '-');
    sv rest = sv_slice(text, 0, text.len - ends_line);
    for (bool is_last = false; !is_last;) {
        is_last = sv_find_char(rest, '\n') == SIZE_MAX;
        sv line = sv_cut(&rest, '\n');
        start_line(out, line.len > 0 ? indent : 0);
        buf_append(out, line);
    }
}

/* Whether a line may end at this blank (DY-326). */
static bool can_fold(sv text, size_t i) {
    return i > 0 && i + 1 < text.len && text.data[i - 1] != ' ' && text.data[i + 1] != ' ';
}

/* Plain and single-quoted text; `quote` is doubled. */
static void write_folded(struct buf *out, sv text, char quote, bool folds, size_t indent) {
    size_t column = get_column(out);
    for (size_t i = 0; i < text.len; i++) {
        char c = text.data[i];
        if (c == ' ' && folds && column > FOLD_COLUMN && can_fold(text, i)) {
            start_line(out, indent);
            column = indent;
            continue;
        }
        if (c == quote) {
            buf_append_char(out, c);
            column++;
        }
        buf_append_char(out, c);
        column++;
    }
}

/* Length of what is written for the character. */
static size_t write_escaped(struct buf *out, uint32_t c) {
    static const struct {
        uint32_t c;
        char letter;
    } letters[] = {{0, '0'},     {7, 'a'},    {8, 'b'},    {9, 't'},      {10, 'n'},
                   {11, 'v'},    {12, 'f'},   {13, 'r'},   {27, 'e'},     {'"', '"'},
                   {'\\', '\\'}, {0x85, 'N'}, {0xa0, '_'}, {0x2028, 'L'}, {0x2029, 'P'}};
    size_t before = out->len;
    for (size_t i = 0; i < sizeof letters / sizeof *letters; i++) {
        if (letters[i].c == c) {
            buf_append_char(out, '\\');
            buf_append_char(out, letters[i].letter);
            return 2;
        }
    }
    if (c >= 0x20 && c < 0x7f)
        buf_append_char(out, (char)c);
    else
        buf_printf(out, c <= 0xff ? "\\x%02X" : c <= 0xffff ? "\\u%04X" : "\\U%08X", c);
    return out->len - before;
}

/* A run of blanks may be broken at its first; the next then needs a backslash. */
static void write_double_quoted(struct buf *out, sv text, bool folds, size_t indent) {
    buf_append_char(out, '"');
    size_t column = get_column(out);
    bool was_blank = false;
    for (size_t i = 0; i < text.len;) {
        uint32_t c;
        size_t len = utf8_decode(sv_slice(text, i, text.len), &c);
        if (c == ' ' && folds && !was_blank && column > FOLD_COLUMN && i > 0 && i + 1 < text.len) {
            start_line(out, indent);
            column = indent;
            if (text.data[i + 1] == ' ') {
                buf_append_char(out, '\\');
                column++;
            }
        } else {
            column += write_escaped(out, c);
        }
        was_blank = c == ' ';
        i += len;
    }
    buf_append_char(out, '"');
}

static void write_string(struct buf *out, sv text, bool is_key, size_t indent) {
    bool is_other = dynaml_resolve_scalar(text).kind != SCALAR_STRING || dynaml_is_doubtful_string(text);
    bool has_breaks = sv_find_char(text, '\n') != SIZE_MAX;
    if (!is_other && has_breaks && !is_key && is_literal(text)) {
        write_literal(out, text, indent);
    } else if (!is_other && !has_breaks && is_plain(text)) {
        write_folded(out, text, '\0', !is_key, indent);
    } else if (!is_other && !has_breaks && is_ascii(text, false)) {
        buf_append_char(out, '\'');
        write_folded(out, text, '\'', !is_key, indent);
        buf_append_char(out, '\'');
    } else {
        write_double_quoted(out, text, !is_key, indent);
    }
}

static void write_scalar(struct buf *out, const struct node *n, bool is_key, size_t indent) {
    if (n->style == NODE_PLAIN)
        buf_append(out, n->text);
    else
        write_string(out, n->text, is_key, indent);
}

static const struct yaml_style output_style = {
    .indent = 2,
    .resolver = dynaml_resolve_scalar,
    .write_scalar = write_scalar,
    .longest_key = LONGEST_KEY,
};

/* --- trees --- */

static struct node *make_string(struct arena *a, sv text) {
    return node_new_scalar(a, text, NODE_DOUBLE_QUOTED);
}

static struct node *make_plain(struct arena *a, value v) {
    struct buf text = BUF(a);
    if (v.kind == VALUE_FLOAT)
        dynaml_print_float(&text, v.number);
    else
        value_print_scalar(&text, v);
    return node_new_scalar(a, buf_get_sv(&text), NODE_PLAIN);
}

static sv encode(struct arena *a, sv bytes) {
    struct buf out = BUF(a);
    base64_append(&out, bytes);
    return buf_get_sv(&out);
}

static struct node *make_bytes(struct arena *a, sv bytes) {
    struct node *n = node_new_scalar(a, encode(a, bytes), NODE_PLAIN);
    n->props = ARENA_NEW(a, struct node_props);
    n->props->tag = SV("tag:yaml.org,2002:binary");
    return n;
}

static int compare_entries(const void *a, const void *b) {
    const struct value_entry *const *left = a, *const *right = b;
    return sv_cmp((*left)->key, (*right)->key);
}

const struct value_entry **dynaml_sort_entries(struct arena *a, value map) {
    const struct value_entry **sorted = ARENA_ARRAY(a, const struct value_entry *, map.map->len + 1);
    bool is_sorted = true;
    for (size_t i = 0; i < map.map->len; i++) {
        sorted[i] = &map.map->entries[i];
        is_sorted = is_sorted && (i == 0 || sv_cmp(sorted[i - 1]->key, sorted[i]->key) < 0);
    }
    if (!is_sorted)
        qsort(sorted, map.map->len, sizeof *sorted, compare_entries);
    return sorted;
}

static struct node *make_node(struct arena *a, value v);

static struct node *make_map(struct arena *a, value v) {
    size_t count = v.map->len;
    const struct value_entry **entries = dynaml_sort_entries(a, v);
    struct node_pair *pairs = ARENA_ARRAY(a, struct node_pair, count + 1);
    for (size_t i = 0; i < count; i++)
        pairs[i] = (struct node_pair){make_string(a, entries[i]->key), make_node(a, entries[i]->item)};
    return node_new_mapping(a, pairs, count);
}

static struct node *make_list(struct arena *a, value v) {
    size_t count = v.list->len;
    struct node **items = ARENA_ARRAY(a, struct node *, count + 1);
    for (size_t i = 0; i < count; i++)
        items[i] = make_node(a, v.list->items[i]);
    return node_new_sequence(a, items, count);
}

/* No deeper than the limit of documents and computed values. */
static struct node *make_node(struct arena *a, value v) {
    switch ((enum value_kind)v.kind) {
    case VALUE_LIST:
        return make_list(a, v);
    case VALUE_MAP:
        return make_map(a, v);
    case VALUE_STRING:
        return make_string(a, value_get_text(v));
    case VALUE_BYTES:
        return make_bytes(a, value_get_text(v));
    case VALUE_FUNCTION:
        if (!dynaml_is_lambda(v))
            return make_node(a, dynaml_get_template(v)->source);
        return make_string(a, dynaml_get_lambda_text(a, v));
    case VALUE_NULL:
    case VALUE_BOOL:
    case VALUE_INT:
    case VALUE_FLOAT:
        return make_plain(a, v);
    case VALUE_ABSENT:
    case VALUE_UNKNOWN:
    case VALUE_ERROR:
    case VALUE_PENDING:
        break;
    }
    return make_plain(a, value_null());
}

void dynaml_write_yaml(struct buf *out, value v) {
    struct arena scratch = {0};
    doc_write_yaml(out, make_node(&scratch, v), &output_style);
    arena_fini(&scratch);
}

void dynaml_print_value(struct buf *out, value v) {
    dynaml_write_yaml(out, v);
    if (out->len > 0 && out->data[out->len - 1] == '\n')
        out->len--;
}

/* --- JSON --- */

static bool write_json(struct arena *a, struct jsonw *w, value v);

static bool write_json_float(struct arena *a, struct jsonw *w, double x) {
    struct buf text = BUF(a);
    dynaml_print_float(&text, x);
    jsonw_raw(w, buf_get_sv(&text));
    return isfinite(x);
}

static bool write_json_map(struct arena *a, struct jsonw *w, value v) {
    const struct value_entry **entries = dynaml_sort_entries(a, v);
    bool ok = true;
    jsonw_begin_object(w);
    for (size_t i = 0; i < v.map->len; i++) {
        jsonw_key(w, entries[i]->key);
        ok = write_json(a, w, entries[i]->item) && ok;
    }
    jsonw_end_object(w);
    return ok;
}

static bool write_json_list(struct arena *a, struct jsonw *w, value v) {
    bool ok = true;
    jsonw_begin_array(w);
    for (size_t i = 0; i < v.list->len; i++)
        ok = write_json(a, w, v.list->items[i]) && ok;
    jsonw_end_array(w);
    return ok;
}

static bool write_json(struct arena *a, struct jsonw *w, value v) {
    if (v.kind == VALUE_MAP)
        return write_json_map(a, w, v);
    if (v.kind == VALUE_LIST)
        return write_json_list(a, w, v);
    if (v.kind == VALUE_FLOAT)
        return write_json_float(a, w, v.number);
    if (v.kind == VALUE_FUNCTION && !dynaml_is_lambda(v))
        return write_json(a, w, dynaml_get_template(v)->source);
    if (v.kind == VALUE_FUNCTION)
        jsonw_text(w, dynaml_get_lambda_text(a, v));
    else if (v.kind == VALUE_BYTES)
        jsonw_text(w, encode(a, value_get_text(v)));
    else
        value_write_json(w, v, REVEAL);
    return true;
}

bool dynaml_write_json(struct buf *out, value v) {
    struct arena scratch = {0};
    struct jsonw w = JSONW(out, 0);
    bool ok = write_json(&scratch, &w, v);
    arena_fini(&scratch);
    return ok;
}
