/* What is unresolved as diagnostics of the engine: place, caret, hint; causes first. */
#include "dialects/dynaml/dynaml.h"

static bool is_cause(const struct dynaml_unresolved *u) {
    return u->state != DYNAML_PENDING || u->is_cyclic;
}

static void add(struct diags *diags, const struct dynaml_unresolved *u) {
    sv issue = u->issue;
    if (issue.len == 0)
        issue = u->is_cyclic  ? SV("it needs itself")
                : is_cause(u) ? SV("it has no value")
                              : SV("it needs another node that cannot be resolved");
    struct diag *d =
        diags_add(diags, DIAG_dynaml_unresolved, u->at, "%.*s: %.*s", SV_ARG(u->expression), SV_ARG(issue));
    d->path = u->path;
    if (u->hint.len > 0)
        diag_set_hint(diags, d, "%.*s", SV_ARG(u->hint));
}

void dynaml_diagnose(struct diags *diags, const struct dynaml_result *result) {
    for (size_t i = 0; i < result->unresolved_count; i++) {
        if (is_cause(&result->unresolved[i]))
            add(diags, &result->unresolved[i]);
    }
    for (size_t i = 0; i < result->unresolved_count; i++) {
        if (!is_cause(&result->unresolved[i]))
            add(diags, &result->unresolved[i]);
    }
}
