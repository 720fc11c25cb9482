#include "text/render.h"

static void put_masked(struct jsonw *w, const char *key, sv text, const struct render_options *options) {
    jsonw_put_text(w, key, mask_apply(options->mask, w->out->arena, text));
}

static void put_optional(struct jsonw *w, const char *key, sv text, const struct render_options *options) {
    if (text.len > 0) {
        put_masked(w, key, text, options);
    }
}

static void put_pos(struct jsonw *w, const char *key, struct source *source, uint32_t offset) {
    struct text_pos pos = source_get_pos(source, offset);
    jsonw_key(w, sv_from_cstr(key));
    jsonw_begin_object(w);
    jsonw_put_i64(w, "line", (int64_t)pos.line);
    jsonw_put_i64(w, "column", (int64_t)pos.column);
    jsonw_put_i64(w, "offset", (int64_t)offset);
    jsonw_end_object(w);
}

/* `file` and `range`; nothing when there is no place. The end is exclusive (BP-301). */
static void put_place(struct jsonw *w, const struct diags *d, span at, const struct render_options *options) {
    struct source *source = sources_find(d->sources, at.source);
    if (source == NULL) {
        return;
    }
    put_masked(w, "file", source->name, options);
    jsonw_key(w, SV("range"));
    jsonw_begin_object(w);
    put_pos(w, "start", source, at.offset);
    put_pos(w, "end", source, at.offset + at.length);
    jsonw_end_object(w);
}

void render_diag_json(struct jsonw *w, const struct diags *d, const struct diag *diag,
                      const struct render_options *options) {
    jsonw_begin_object(w);
    put_masked(w, "code", diag_get_code_name(diag), options);
    jsonw_put_text(w, "severity", render_get_level_name(diag->level));
    put_masked(w, "message", diag->message, options);
    put_optional(w, "hint", diag->hint, options);
    put_place(w, d, diag->at, options);
    put_optional(w, "path", diag->path, options);
    put_optional(w, "group", diag->group, options);
    if (diag->related.len > 0) {
        jsonw_key(w, SV("related"));
        jsonw_begin_array(w);
        for (size_t i = 0; i < diag->related.len; i++) {
            jsonw_begin_object(w);
            put_masked(w, "message", diag->related.items[i].text, options);
            put_place(w, d, diag->related.items[i].at, options);
            jsonw_end_object(w);
        }
        jsonw_end_array(w);
    }
    jsonw_end_object(w);
}

void render_diags_json(struct jsonw *w, struct diags *d, const struct render_options *options) {
    diags_sort(d);
    jsonw_begin_array(w);
    for (size_t i = 0; i < d->items.len; i++) {
        render_diag_json(w, d, d->items.items[i], options);
    }
    jsonw_end_array(w);
}
