#include "engine/actor.h"

#include "engine/fields.h"

void actor_put(struct map_builder *b, const struct run_config *c) {
    field_put_text(b, "actor", c->host->ops->get_actor(c->host->user, b->arena));
    field_put_int(b, "pid", c->host->ops->get_pid(c->host->user));
    field_put_text(b, "command", c->actor_command);
}
