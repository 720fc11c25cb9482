#include "dialects/dynaml/explain.h"

#include "dialects/dynaml/output.h"

/* Values of needed nodes that weigh more are left out: the same one may be needed in many places. */
enum { VALUE_WEIGHT = 10000 };

struct json {
    struct jsonw w;
    bool is_whole;
};

static void put_value(struct json *j, const char *key, value v) {
    struct arena scratch = {0};
    struct buf text = BUF(&scratch);
    j->is_whole = dynaml_write_json(&text, v) && j->is_whole;
    jsonw_key(&j->w, sv_from_cstr(key));
    jsonw_raw(&j->w, buf_get_sv(&text));
    arena_fini(&scratch);
}

static void put_position(struct json *j, const char *key, const struct dynaml_position *at) {
    if (at->line == 0)
        return;
    jsonw_key(&j->w, sv_from_cstr(key));
    jsonw_begin_object(&j->w);
    jsonw_put_i64(&j->w, "column", (int64_t)at->column);
    jsonw_put_text(&j->w, "file", at->file);
    jsonw_put_i64(&j->w, "line", (int64_t)at->line);
    jsonw_end_object(&j->w);
}

static void put_filled_text(struct json *j, const char *key, sv text) {
    if (text.len > 0)
        jsonw_put_text(&j->w, key, text);
}

static void write_lookup(struct json *j, const struct dynaml_explanation *e, const struct dynaml_lookup *l) {
    jsonw_begin_object(&j->w);
    jsonw_put_text(&j->w, "path", l->path);
    jsonw_key(&j->w, SV("stubs"));
    jsonw_begin_array(&j->w);
    for (size_t i = 0; i < e->stub_count; i++) {
        jsonw_begin_object(&j->w);
        jsonw_put_text(&j->w, "file", e->stubs[i]);
        jsonw_put_bool(&j->w, "has", l->has[i]);
        jsonw_end_object(&j->w);
    }
    jsonw_end_array(&j->w);
    jsonw_end_object(&j->w);
}

static void put_before(struct json *j, const struct dynaml_explanation *e) {
    if (!e->has_before)
        return;
    jsonw_key(&j->w, SV("before"));
    jsonw_begin_object(&j->w);
    if (value_is_set(e->before))
        put_value(j, "value", e->before);
    else
        jsonw_put_text(&j->w, "issue", e->before_issue);
    jsonw_end_object(&j->w);
}

static void put_merges(struct json *j, const struct dynaml_explanation *e) {
    if (e->merges.len == 0)
        return;
    jsonw_key(&j->w, SV("merges"));
    jsonw_begin_array(&j->w);
    for (size_t i = 0; i < e->merges.len; i++)
        write_lookup(j, e, &e->merges.items[i]);
    jsonw_end_array(&j->w);
}

static void put_causes(struct json *j, const struct dynaml_explained *all) {
    if (all->causes.len == 0)
        return;
    jsonw_key(&j->w, SV("causes"));
    jsonw_begin_array(&j->w);
    for (size_t i = 0; i < all->causes.len; i++) {
        const struct dynaml_link *link = &all->causes.items[i];
        jsonw_begin_object(&j->w);
        put_position(j, "at", &link->at);
        put_filled_text(j, "expression", link->expression);
        put_filled_text(j, "issue", link->issue);
        jsonw_put_text(&j->w, "path", link->path);
        jsonw_end_object(&j->w);
    }
    jsonw_end_array(&j->w);
    if (all->omitted > 0)
        jsonw_put_i64(&j->w, "causesOmitted", (int64_t)all->omitted);
    jsonw_put_bool(&j->w, "cycle", all->is_cycle);
}

static void write_node(struct json *j, const struct dynaml_explanation *e, const struct dynaml_explained *all);

static void put_needs(struct json *j, const struct dynaml_explanation *e) {
    jsonw_key(&j->w, SV("needs"));
    jsonw_begin_array(&j->w);
    for (size_t i = 0; i < e->needs.len; i++)
        write_node(j, e->needs.items[i], NULL);
    jsonw_end_array(&j->w);
    if (e->omitted > 0)
        jsonw_put_i64(&j->w, "needsOmitted", (int64_t)e->omitted);
}

static void put_outcome(struct json *j, const struct dynaml_explanation *e) {
    jsonw_put_text(&j->w, "path", e->path);
    if (e->is_seen)
        jsonw_put_bool(&j->w, "seen", true);
    if (!e->is_resolved)
        jsonw_put_text(&j->w, "state", dynaml_get_state_name(e));
    if (e->stub_count > 0) {
        jsonw_key(&j->w, SV("stubPath"));
        write_lookup(j, e, &e->lookup);
    }
}

/* `all` is given for the first node only. Keys are sorted. */
static void write_node(struct json *j, const struct dynaml_explanation *e, const struct dynaml_explained *all) {
    jsonw_begin_object(&j->w);
    put_position(j, "at", &e->at);
    put_filled_text(j, "became", e->became);
    put_before(j, e);
    if (all != NULL)
        put_causes(j, all);
    jsonw_put_text(&j->w, "document", e->document);
    put_filled_text(j, "expression", e->expression);
    put_position(j, "expressionAt", &e->expression_at);
    if (all != NULL)
        put_filled_text(j, "failedStub", all->failed_stub);
    if (e->from != NULL) {
        jsonw_key(&j->w, SV("from"));
        write_node(j, e->from, NULL);
    }
    if (e->how != 0)
        jsonw_put_text(&j->w, "how", dynaml_get_how_name(e->how));
    put_filled_text(j, "issue", e->issue);
    put_merges(j, e);
    put_needs(j, e);
    put_outcome(j, e);
    if (all != NULL)
        put_filled_text(j, "unreached", all->unreached);
    if (e->is_resolved && (all != NULL || value_get_weight(e->v) <= VALUE_WEIGHT))
        put_value(j, "value", e->v);
    else if (e->is_resolved)
        jsonw_put_bool(&j->w, "valueOmitted", true);
    jsonw_end_object(&j->w);
}

bool dynaml_write_explanation(struct buf *out, const struct dynaml_explained *e) {
    struct json j = {.w = JSONW(out, 0), .is_whole = true};
    write_node(&j, e->node, e);
    return j.is_whole;
}
