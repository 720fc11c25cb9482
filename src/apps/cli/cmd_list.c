#include "apps/cli/commands.h"
#include "apps/cli/session.h"

#include "value/convert.h"

static sv find_owner(struct cli *c, sv holder) {
    sv why;
    size_t offset = 0;
    value v = value_parse_json(&c->arena, holder, &c->limits, true, &why, &offset);
    value actor = v.kind == VALUE_MAP ? value_map_find(v, SV("actor")) : (value){0};
    return actor.kind == VALUE_STRING ? value_get_text(actor) : SV("");
}

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

static void list_one(struct session *s, struct buf *out, const struct store_instance *i) {
    struct cli *c = s->cli;
    struct store_tree tree = {0};
    s->store->ops->load_tree(s->store, &c->arena, i->id, &tree);
    bool is_held = tree.lease.token > 0 && tree.lease.holder.len > 0;
    sv owner = is_held ? find_owner(c, tree.lease.holder) : SV("");
    struct buf status = BUF(&c->arena);
    status_render(&status, status_find(i->status));
    buf_printf(out, "%-24.*s %-10.*s %-26.*s %-6.*s %.*s\n", SV_ARG(render_escape(&c->arena, i->name)),
               SV_ARG(i->dialect), SV_ARG(buf_get_sv(&status)), SV_ARG(get_age(c, i->updated_ms)),
               SV_ARG(owner.len > 0 ? render_escape(&c->arena, owner) : SV("-")));
    struct jsonw *w = &c->writer;
    jsonw_begin_object(w);
    jsonw_put_text(w, "id", i->id);
    jsonw_put_text(w, "name", i->name);
    jsonw_put_text(w, "context", i->context);
    jsonw_put_text(w, "dialect", i->dialect);
    jsonw_put_text(w, "status", i->status);
    jsonw_put_i64(w, "version", i->version);
    jsonw_put_i64(w, "elements", (int64_t)tree.elements.len);
    jsonw_put_i64(w, "createdMs", i->created_ms);
    jsonw_put_i64(w, "updatedMs", i->updated_ms);
    jsonw_put_text(w, "owner", owner);
    jsonw_end_object(w);
}

static enum exit_code list(struct session *s) {
    struct cli *c = s->cli;
    struct store_instance *items = NULL;
    size_t count = 0;
    sv context = settings_get_flag(c, "all-contexts") ? SV("") : s->config.context;
    if (s->store->ops->list_instances(s->store, &c->arena, context, &items, &count) != STORE_OK)
        return session_get_error_code(c);
    struct buf out = BUF(&c->arena);
    if (count > 0)
        buf_append_cstr(&out, "NAME                     DIALECT    STATUS                     AGE    OWNER\n");
    else
        buf_append_cstr(&out, "no instances\n");
    jsonw_key(&c->writer, SV("instances"));
    jsonw_begin_array(&c->writer);
    for (size_t i = 0; i < count; i++)
        list_one(s, &out, &items[i]);
    jsonw_end_array(&c->writer);
    output_text(c, buf_get_sv(&out));
    return EXIT_OK;
}

enum exit_code cmd_list_run(struct cli *c) {
    struct session session = {0};
    enum exit_code code = session_open(c, &session, SESSION_READ) ? list(&session) : session_get_error_code(c);
    session_close(&session);
    return code;
}
