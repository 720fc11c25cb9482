/* SARIF 2.1.0: one run, the rules that occur, one result per diagnostic. */
#include "text/render.h"

struct sarif {
    struct jsonw *w;
    const struct diags *diags;
    const struct render_options *options;
    struct map rules; /* code name to number of the rule + 1 */
};

static sv get_level(enum diag_level level) {
    return level == DIAG_INFO ? SV("note") : render_get_level_name(level);
}

static sv make_masked(struct sarif *s, sv text) {
    return mask_apply(s->options->mask, s->w->out->arena, text);
}

static void begin_keyed(struct sarif *s, const char *key) {
    jsonw_key(s->w, sv_from_cstr(key));
    jsonw_begin_object(s->w);
}

static void begin_list(struct sarif *s, const char *key) {
    jsonw_key(s->w, sv_from_cstr(key));
    jsonw_begin_array(s->w);
}

static void put_message(struct sarif *s, const char *key, sv text) {
    begin_keyed(s, key);
    jsonw_put_text(s->w, "text", make_masked(s, text));
    jsonw_end_object(s->w);
}

static bool is_uri_char(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
           sv_find_char(SV("-._~/"), c) != SIZE_MAX;
}

/* A path as a URI reference. */
static sv make_uri(struct arena *a, sv path) {
    struct buf out = BUF(a);
    buf_append(&out, sv_has_prefix(path, SV("/")) ? SV("file://") : (sv){0});
    for (size_t i = 0; i < path.len; i++) {
        if (is_uri_char(path.data[i])) {
            buf_append_char(&out, path.data[i]);
        } else {
            buf_printf(&out, "%%%02X", (unsigned)(unsigned char)path.data[i]);
        }
    }
    return buf_get_sv(&out);
}

static void put_region(struct sarif *s, struct source *source, span at) {
    struct text_pos from = source_get_pos(source, at.offset);
    struct text_pos to = source_get_pos(source, at.offset + at.length);
    begin_keyed(s, "region");
    jsonw_put_i64(s->w, "startLine", (int64_t)from.line);
    jsonw_put_i64(s->w, "startColumn", (int64_t)from.column);
    jsonw_put_i64(s->w, "endLine", (int64_t)to.line);
    jsonw_put_i64(s->w, "endColumn", (int64_t)to.column);
    jsonw_put_i64(s->w, "byteOffset", (int64_t)at.offset);
    jsonw_put_i64(s->w, "byteLength", (int64_t)at.length);
    jsonw_end_object(s->w);
}

/* What is known of a location: its place, its path, a message of its own. */
static void put_location(struct sarif *s, span at, sv path, sv message) {
    struct source *source = sources_find(s->diags->sources, at.source);
    jsonw_begin_object(s->w);
    if (source != NULL) {
        begin_keyed(s, "physicalLocation");
        begin_keyed(s, "artifactLocation");
        jsonw_put_text(s->w, "uri", make_uri(s->w->out->arena, make_masked(s, source->name)));
        jsonw_end_object(s->w);
        put_region(s, source, at);
        jsonw_end_object(s->w);
    }
    if (path.len > 0) {
        begin_list(s, "logicalLocations");
        jsonw_begin_object(s->w);
        jsonw_put_text(s->w, "fullyQualifiedName", make_masked(s, path));
        jsonw_end_object(s->w);
        jsonw_end_array(s->w);
    }
    if (message.len > 0) {
        put_message(s, "message", message);
    }
    jsonw_end_object(s->w);
}

/* SARIF keeps results that a comment in the source allows. */
static void put_suppression(struct sarif *s, const struct diag *diag) {
    if (!diag->is_suppressed) {
        return;
    }
    begin_list(s, "suppressions");
    jsonw_begin_object(s->w);
    jsonw_put_text(s->w, "kind", SV("inSource"));
    if (diag->justification.len > 0) {
        jsonw_put_text(s->w, "justification", make_masked(s, diag->justification));
    }
    jsonw_end_object(s->w);
    jsonw_end_array(s->w);
}

static void put_properties(struct sarif *s, const struct diag *diag) {
    if (diag->hint.len == 0 && diag->group.len == 0) {
        return;
    }
    begin_keyed(s, "properties");
    if (diag->hint.len > 0) {
        jsonw_put_text(s->w, "hint", make_masked(s, diag->hint));
    }
    if (diag->group.len > 0) {
        jsonw_put_text(s->w, "group", make_masked(s, diag->group));
    }
    jsonw_end_object(s->w);
}

static void put_result(struct sarif *s, const struct diag *diag) {
    sv code = diag_get_code_name(diag);
    jsonw_begin_object(s->w);
    jsonw_put_text(s->w, "ruleId", make_masked(s, code));
    jsonw_put_i64(s->w, "ruleIndex", (int64_t)(uintptr_t)map_find(&s->rules, code) - 1);
    jsonw_put_text(s->w, "level", get_level(diag->level));
    put_message(s, "message", diag->message);
    if (!span_is_none(diag->at) || diag->path.len > 0) {
        begin_list(s, "locations");
        put_location(s, diag->at, diag->path, (sv){0});
        jsonw_end_array(s->w);
    }
    if (diag->related.len > 0) {
        begin_list(s, "relatedLocations");
        for (size_t i = 0; i < diag->related.len; i++) {
            put_location(s, diag->related.items[i].at, (sv){0}, diag->related.items[i].text);
        }
        jsonw_end_array(s->w);
    }
    put_suppression(s, diag);
    put_properties(s, diag);
    jsonw_end_object(s->w);
}

static void put_rule(struct sarif *s, const struct diag *diag) {
    sv code = diag_get_code_name(diag);
    bool is_new;
    void **slot = map_get_slot(&s->rules, code, &is_new);
    if (!is_new) {
        return;
    }
    *slot = (void *)(uintptr_t)s->rules.live;
    jsonw_begin_object(s->w);
    jsonw_put_text(s->w, "id", make_masked(s, code));
    if (diag->foreign_code.len == 0) {
        const struct diag_info *info = diag_get_info(diag->code);
        put_message(s, "shortDescription", info->title);
        begin_keyed(s, "defaultConfiguration");
        jsonw_put_text(s->w, "level", get_level(info->level));
        jsonw_end_object(s->w);
    }
    jsonw_end_object(s->w);
}

static void put_tool(struct sarif *s) {
    begin_keyed(s, "tool");
    begin_keyed(s, "driver");
    jsonw_put_text(s->w, "name", SV("lintel"));
    jsonw_put_text(s->w, "version", SV(LINTEL_VERSION));
    begin_list(s, "rules");
    for (size_t i = 0; i < s->diags->items.len; i++) {
        put_rule(s, s->diags->items.items[i]);
    }
    for (size_t i = 0; i < s->diags->suppressed.len; i++) {
        put_rule(s, s->diags->suppressed.items[i]);
    }
    jsonw_end_array(s->w);
    jsonw_end_object(s->w);
    jsonw_end_object(s->w);
}

void render_diags_sarif(struct jsonw *w, struct diags *d, const struct render_options *options) {
    diags_sort(d);
    struct sarif s = {.w = w, .diags = d, .options = options, .rules = MAP(w->out->arena)};
    jsonw_begin_object(w);
    jsonw_put_text(w, "$schema", SV("https://json.schemastore.org/sarif-2.1.0.json"));
    jsonw_put_text(w, "version", SV("2.1.0"));
    begin_list(&s, "runs");
    jsonw_begin_object(w);
    put_tool(&s);
    jsonw_put_text(w, "columnKind", SV("unicodeCodePoints"));
    begin_list(&s, "results");
    for (size_t i = 0; i < d->items.len; i++) {
        put_result(&s, d->items.items[i]);
    }
    for (size_t i = 0; i < d->suppressed.len; i++) {
        put_result(&s, d->suppressed.items[i]);
    }
    jsonw_end_array(w);
    jsonw_end_object(w);
    jsonw_end_array(w);
    jsonw_end_object(w);
}
