#include "apps/cli/commands.h"
#include "apps/cli/session.h"

#include "engine/edit.h"
#include "engine/fields.h"
#include "value/convert.h"

/* An id, or a name for those who have none at hand. */
static bool choose(struct session *s, sv wanted) {
    struct store_instance found;
    const struct store_ops *ops = s->store->ops;
    enum store_result r = ops->find_instance(s->store, &s->cli->arena, s->config.context, wanted, &found);
    s->config.instance_id = r == STORE_OK ? found.id : wanted;
    return r == STORE_OK || r == STORE_NOT_FOUND;
}

static void show(struct cli *c, struct session *s, sv json) {
    sv why;
    size_t offset;
    value holder = value_parse_json(&c->arena, json, &c->limits, true, &why, &offset);
    sv actor = field_get_text(holder, "actor"), command = field_get_text(holder, "command");
    jsonw_put_text(&c->writer, "instanceId", s->config.instance_id);
    jsonw_put_bool(&c->writer, "broken", json.len > 0);
    jsonw_put_text(&c->writer, "actor", actor);
    jsonw_put_text(&c->writer, "holderCommand", command);
    if (json.len == 0) {
        output_text(c, SV("nobody holds the instance; nothing was changed\n"));
        return;
    }
    output_text(c, arena_printf(&c->arena, "the lease of %.*s is broken: %.*s\n",
                                SV_ARG(render_escape(&c->arena, actor)), SV_ARG(render_escape(&c->arena, command))));
}

static enum exit_code unlock(struct session *s, sv reason) {
    sv holder;
    if (!choose(s, s->cli->arguments.items[0]))
        return session_get_error_code(s->cli);
    enum exit_code code = edit_unlock(&s->config, reason, &holder);
    if (code == EXIT_OK)
        show(s->cli, s, holder);
    return session_refine_code(s->cli, code);
}

enum exit_code cmd_unlock_run(struct cli *c) {
    struct session session = {0};
    sv reason = sv_trim(settings_get_text(c, "reason"));
    if (reason.len == 0)
        return output_usage_error(c, "'unlock' needs --reason TEXT: it is kept in the history of the instance");
    enum exit_code code =
        session_open(c, &session, SESSION_WRITE) ? unlock(&session, reason) : session_get_error_code(c);
    session_close(&session);
    return code;
}
