#include "engine/held.h"

#include "engine/fields.h"
#include "text/render.h"
#include "value/convert.h"

void held_report(const struct held *h, const struct store_lease *lease) {
    sv why, name = h->instance_name.len > 0 ? h->instance_name : h->instance_id;
    size_t offset;
    value holder = value_parse_json(h->arena, lease->holder, &limits_default, true, &why, &offset);
    int64_t since = field_get_int(holder, "since");
    int64_t age_ms = since == 0 ? 0 : h->host->ops->get_wall_ms(h->host->user) - since;
    struct diag *d = diags_add(h->diags, DIAG_instance_in_progress, SPAN_NONE,
                               "instance '%.*s' is held by %.*s, process %lld, since %lld s: %.*s",
                               SV_ARG(render_escape(h->arena, name)),
                               SV_ARG(render_escape(h->arena, field_get_text(holder, "actor"))),
                               (long long)field_get_int(holder, "pid"), (long long)(age_ms > 0 ? age_ms / 1000 : 0),
                               SV_ARG(render_escape(h->arena, field_get_text(holder, "command"))));
    diag_set_hint(h->diags, d,
                  "wait for it with --lock-timeout 5m; if it is known to be gone, break its lease with: lintel unlock "
                  "%.*s --reason TEXT",
                  SV_ARG(h->instance_id));
}
