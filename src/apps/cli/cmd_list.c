#include "apps/cli/commands.h"
#include "apps/cli/history_view.h"
#include "apps/cli/session.h"

#include "engine/edit.h"
#include "engine/fields.h"
#include "model/lease.h"
#include "value/convert.h"

/* What is told of one instance beside its row. */
struct facts {
    size_t elements, drifted, queued;
    int64_t interrupted_ms; /* the last sign of a run that was cut off; 0: none was */
    sv owner;               /* who ran the last run; empty: nobody knows */
    sv holder;              /* who holds it now; empty: nobody */
};

struct listing {
    struct session *session;
    struct store_run *runs; /* that are not over */
    size_t run_count;
    struct buf text;
};

static sv get_age(struct cli *c, int64_t updated_ms) {
    int64_t seconds = (c->host->ops->get_wall_ms(c->host->user) - updated_ms) / 1000;
    if (seconds < 60)
        return arena_printf(&c->arena, "%llds", (long long)(seconds < 0 ? 0 : seconds));
    if (seconds < 3600)
        return arena_printf(&c->arena, "%lldm", (long long)(seconds / 60));
    if (seconds < 86400)
        return arena_printf(&c->arena, "%lldh", (long long)(seconds / 3600));
    return arena_printf(&c->arena, "%lldd", (long long)(seconds / 86400));
}

/* Only rows with such a member at all are read. */
static bool is_drifted(struct cli *c, struct arena *a, sv body) {
    sv why;
    size_t offset = 0;
    if (sv_find(body, SV("\"drift\"")) == SIZE_MAX)
        return false;
    value v = value_parse_json(a, body, &c->limits, true, &why, &offset);
    return v.kind == VALUE_MAP && value_is_set(field_get_value(v, "drift"));
}

static sv find_holder(struct session *s, struct arena *a, const struct store_lease *lease) {
    sv why;
    size_t offset = 0;
    if (lease->holder.len == 0 || !lease_is_held(s->config.host, lease))
        return SV("");
    value v = value_parse_json(a, lease->holder, &s->cli->limits, true, &why, &offset);
    return v.kind == VALUE_MAP ? field_get_text(v, "actor") : SV("");
}

/* The last run that is told of, be it one that failed. */
static sv find_owner(struct session *s, struct arena *a, sv instance_id) {
    struct run_config config = s->config;
    struct past_runs runs;
    config.arena = a;
    config.instance_id = instance_id;
    config.instance_name = SV("");
    return edit_list_runs(&config, &runs) && runs.items.len > 0 ? VEC_LAST(&runs.items)->actor : SV("");
}

/* Texts live in `a`. False after a report. */
static bool find_facts(struct listing *l, struct arena *a, const struct store_instance *i, struct facts *f) {
    struct session *s = l->session;
    struct store_tree tree = {0};
    *f = (struct facts){0};
    if (s->store->ops->load_tree(s->store, a, i->id, &tree) != STORE_OK)
        return false;
    f->elements = tree.elements.len;
    for (size_t k = 0; k < tree.elements.len; k++)
        f->drifted += is_drifted(s->cli, a, tree.elements.items[k].body);
    for (size_t k = 0; k < l->run_count; k++)
        f->queued += sv_eq(l->runs[k].instance_id, i->id);
    f->holder = find_holder(s, a, &tree.lease);
    /* A run is said to be at it, but none is. */
    if (f->holder.len == 0 && status_is_transitional(status_find(i->status)))
        f->interrupted_ms = tree.journal.len > 0 ? VEC_LAST(&tree.journal)->wall_ms : i->updated_ms;
    f->owner = find_owner(s, a, i->id);
    return true;
}

static void write_one(struct jsonw *w, const struct store_instance *i, const struct facts *f) {
    jsonw_begin_object(w);
    jsonw_put_text(w, "id", i->id);
    jsonw_put_text(w, "name", i->name);
    jsonw_put_text(w, "context", i->context);
    jsonw_put_text(w, "dialect", i->dialect);
    jsonw_put_text(w, "status", i->status);
    jsonw_put_i64(w, "version", i->version);
    jsonw_put_i64(w, "elements", (int64_t)f->elements);
    jsonw_put_i64(w, "drifted", (int64_t)f->drifted);
    jsonw_put_i64(w, "createdMs", i->created_ms);
    jsonw_put_i64(w, "updatedMs", i->updated_ms);
    jsonw_put_text(w, "owner", f->owner);
    jsonw_put_text(w, "holder", f->holder);
    jsonw_put_i64(w, "interruptedMs", f->interrupted_ms);
    jsonw_put_i64(w, "queued", (int64_t)f->queued);
    jsonw_end_object(w);
}

static void show_one(struct listing *l, const struct store_instance *i, const struct facts *f) {
    struct cli *c = l->session->cli;
    struct buf status = BUF(&c->arena);
    status_render(&status, status_find(i->status));
    if (f->interrupted_ms > 0)
        buf_append_cstr(&status, ", CUT OFF");
    sv drift = f->drifted > 0 ? arena_printf(&c->arena, "%zu", f->drifted) : SV("-");
    buf_printf(&l->text, "%-24.*s %-10.*s %-26.*s %-6.*s %-6.*s %.*s", SV_ARG(render_escape(&c->arena, i->name)),
               SV_ARG(i->dialect), SV_ARG(buf_get_sv(&status)), SV_ARG(get_age(c, i->updated_ms)), SV_ARG(drift),
               SV_ARG(f->owner.len > 0 ? render_escape(&c->arena, f->owner) : SV("-")));
    if (f->holder.len > 0)
        buf_printf(&l->text, "  (under way: %.*s)", SV_ARG(render_escape(&c->arena, f->holder)));
    if (f->interrupted_ms > 0)
        buf_printf(&l->text, "  (its run was interrupted: nothing more since %.*s)",
                   SV_ARG(history_render_time(c, f->interrupted_ms)));
    if (f->queued > 0)
        buf_printf(&l->text, "  (queued: %zu)", f->queued);
    buf_append_char(&l->text, '\n');
}

static bool list_one(struct listing *l, const struct store_instance *i) {
    struct arena scratch = {.secret = true};
    struct facts facts;
    bool ok = find_facts(l, &scratch, i, &facts);
    if (ok) {
        show_one(l, i, &facts);
        write_one(&l->session->cli->writer, i, &facts);
    }
    arena_fini(&scratch);
    return ok;
}

static enum exit_code list_all(struct listing *l) {
    struct cli *c = l->session->cli;
    struct store *store = l->session->store;
    struct store_instance *items = NULL;
    size_t count = 0;
    sv context = settings_get_flag(c, "all-contexts") ? SV("") : l->session->config.context;
    if (store->ops->list_instances(store, &c->arena, context, &items, &count) != STORE_OK ||
        store->ops->list_runs(store, &c->arena, context, true, &l->runs, &l->run_count) != STORE_OK)
        return session_get_error_code(c);
    bool ok = true;
    buf_append_cstr(&l->text, count > 0
                                  ? "NAME                     DIALECT    STATUS                     AGE    DRIFT  "
                                    "OWNER\n"
                                  : "no instances\n");
    jsonw_key(&c->writer, SV("instances"));
    jsonw_begin_array(&c->writer);
    for (size_t i = 0; ok && i < count; i++)
        ok = list_one(l, &items[i]);
    jsonw_end_array(&c->writer);
    output_text(c, buf_get_sv(&l->text));
    return ok ? EXIT_OK : session_get_error_code(c);
}

enum exit_code cmd_list_run(struct cli *c) {
    struct session session = {0};
    struct listing listing = {.session = &session, .text = BUF(&c->arena)};
    enum exit_code code = session_open(c, &session, SESSION_LOOK) ? list_all(&listing) : session_get_error_code(c);
    session_close(&session);
    return code;
}
