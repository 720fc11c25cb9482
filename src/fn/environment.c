/* What depends on the machine (FN-220). */
#include "fn/internal.h"

#include "model/host.h"

static value call_cwd(struct fn_call *c) {
    struct host *host = eval_get_host(c->ev);
    if (host == NULL) {
        return value_unknown(&type_string);
    }
    return value_string(c->arena, host->ops->get_cwd(host->user, c->arena));
}

static const struct fn_def fn_cwd = {
    .name = SV_INIT("cwd"),
    .rule = SV_INIT("FN-220"),
    .family = SV_INIT("Environment"),
    .result = &type_string,
    .flags = FN_HOST,
    .call = call_cwd,
    .summary = SV_INIT("The absolute path of the working directory, without a trailing slash."),
    .details = SV_INIT("`${workingDir}` is the same, unless a resource has this name."),
};

static const struct fn_def *const defs[] = {
    &fn_cwd,
};
const struct fn_table fn_table_environment = {defs, FN_COUNT(defs)};
