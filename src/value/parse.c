/* Text as values: JSON documents and single scalars. */
#include "value/convert.h"

#include "base/num.h"
#include "value/walk.h"

/* {"$lintel": "unknown"} and wrapped maps, as value_write_json makes them. */
static value unwrap_marker(struct arena *a, value v) {
    if (v.kind != VALUE_MAP || v.map->len > 2) {
        return v;
    }
    value what = value_map_find(v, SV("$lintel"));
    if (what.kind != VALUE_STRING) {
        return v;
    }
    if (v.map->len == 1 && sv_eq_cstr(*what.text, "unknown")) {
        return value_unknown(NULL);
    }
    value entries = value_map_find(v, SV("entries"));
    (void)a;
    return entries.kind == VALUE_MAP && sv_eq_cstr(*what.text, "map") ? entries : v;
}

/* A map that came out of a wrapper keeps its own look, so its items are converted but it is not unwrapped again. */
static void push_unwrapped(struct walk *w, struct arena *a, value v) {
    struct walk_frame *f = walk_push(w, v);
    if (v.kind == VALUE_LIST) {
        struct list_builder *b = ARENA_NEW(&w->spill, struct list_builder);
        *b = (struct list_builder){.arena = a, .cap = v.list->len + 1};
        b->items = ARENA_ARRAY(&w->spill, value, b->cap);
        f->data = b;
    } else {
        struct map_builder *b = ARENA_NEW(&w->spill, struct map_builder);
        *b = (struct map_builder){.arena = a, .cap = v.map->len + 1};
        b->entries = ARENA_ARRAY(&w->spill, struct value_entry, b->cap);
        f->data = b;
    }
}

static void place_unwrapped(struct walk *w, value v) {
    struct walk_frame *f = walk_top(w);
    if (f->container.kind == VALUE_LIST) {
        list_add(f->data, v);
    } else {
        map_add(f->data, f->container.map->entries[f->next - 1].key, v);
    }
}

static value read_markers(struct arena *a, value root) {
    value v = unwrap_marker(a, root);
    if (!value_is_container(v)) {
        return v;
    }
    struct walk w;
    walk_init(&w);
    push_unwrapped(&w, a, v);
    while (w.depth > 0) {
        struct walk_item it;
        if (walk_next(&w, &it)) {
            value item = unwrap_marker(a, it.item);
            if (value_is_container(item)) {
                push_unwrapped(&w, a, item);
            } else {
                place_unwrapped(&w, item);
            }
            continue;
        }
        struct walk_frame *f = walk_top(&w);
        v = f->container.kind == VALUE_LIST ? list_done(f->data) : map_done(f->data);
        walk_pop(&w);
        if (w.depth > 0) {
            place_unwrapped(&w, v);
        }
    }
    walk_fini(&w);
    return v;
}

static bool has_marker(sv text) {
    return sv_find(text, SV("$lintel")) != SIZE_MAX || sv_find(text, SV("\\u")) != SIZE_MAX;
}

value value_parse_json(struct arena *a, sv text, const struct limits *limits, bool internal, sv *why, size_t *offset) {
    struct sources sources;
    struct diags diags;
    sources_init(&sources, a);
    diags_init(&diags, a, &sources);
    struct doc_options options = {.format = DOC_JSON,
                                  .duplicate_keys = DOC_REFUSE,
                                  .tags = DOC_REFUSE,
                                  .anchors = DOC_REFUSE,
                                  .merge_keys = DOC_ALLOW,
                                  .many_documents = DOC_REFUSE,
                                  .tag_directives = DOC_REFUSE,
                                  .limits = limits};
    size_t limit = limits != NULL ? limits->document_bytes : limits_default.document_bytes;
    value v = value_error(NULL);
    if (text.len > limit || text.len >= UINT32_MAX) {
        diags_add(&diags, DIAG_limit_exceeded, SPAN_NONE, "the text has more than %zu bytes", limit);
    } else {
        struct source *source = sources_add(&sources, SV("JSON"), arena_copy_sv(a, text));
        struct doc_stream *stream = doc_read(a, source, &options, &diags);
        if (!stream->has_errors && stream->documents.len > 0) {
            v = value_from_node(a, stream->documents.items[0].root, scalar_resolve_json, limits, &diags);
        }
    }
    if (diags.errors == 0) {
        return internal && has_marker(text) ? read_markers(a, v) : v;
    }
    diags_sort(&diags);
    const struct diag *first = diags.items.items[0];
    *why = first->message;
    *offset = first->at.offset;
    return value_error(NULL);
}

value value_parse_scalar(struct arena *a, sv text, enum value_kind kind) {
    sv trimmed = sv_trim(text);
    int64_t integer = 0;
    double number = 0;
    if (kind == VALUE_STRING) {
        return value_string(a, text);
    }
    if (kind == VALUE_BOOL) {
        bool is_true = sv_eq_cstr(trimmed, "true");
        return is_true || sv_eq_cstr(trimmed, "false") ? value_bool(is_true) : (value){0};
    }
    if (kind == VALUE_INT) {
        bool ok = trimmed.len > 0 && trimmed.data[0] != '+' && num_parse_i64(trimmed, 10, &integer) == NUM_OK;
        return ok ? value_int(integer) : (value){0};
    }
    struct scalar s = scalar_resolve_json(trimmed); /* a JSON number, of either look */
    if (s.kind == SCALAR_FLOAT) {
        number = s.number;
    } else if (s.kind == SCALAR_INT) {
        number = (double)s.integer;
    } else if (s.kind != SCALAR_BAD_NUMBER || num_parse_double(trimmed, &number) != NUM_OK) {
        return (value){0};
    }
    return kind == VALUE_FLOAT ? value_float(number) : (value){0};
}
