#include "engine/event_json.h"

sv event_get_verb(const struct event *e) {
    switch (e->op) {
    case OP_CREATE:
        return e->action == ACTION_UPDATE  ? SV("updating")
               : e->action == ACTION_CHECK ? SV("checking")
                                           : SV("creating");
    case OP_LINK:
        return SV("linking");
    case OP_DESTROY:
        return e->action == ACTION_RETAIN ? SV("forgetting") : SV("destroying");
    case OP_UNLINK:
        return SV("unlinking");
    }
    return SV("working on");
}

static sv get_type(enum event_kind kind) {
    switch (kind) {
    case EVENT_ELEMENT_STARTED:
    case EVENT_ELEMENT_ENDED:
        return SV("element");
    case EVENT_HEARTBEAT:
        return SV("heartbeat");
    case EVENT_MESSAGE:
        return SV("message");
    case EVENT_DIAGNOSTIC:
        return SV("diagnostic");
    case EVENT_SUMMARY:
        return SV("summary");
    }
    return SV("");
}

static void write_element(struct jsonw *w, const struct event *e) {
    if (e->address.text.len == 0) {
        return;
    }
    jsonw_put_text(w, "address", e->address.text);
    jsonw_put_text(w, "elementType", e->element_type);
    jsonw_put_text(w, "phase",
                   e->kind == EVENT_ELEMENT_STARTED ? SV("started")
                   : e->kind == EVENT_ELEMENT_ENDED ? SV("ended")
                                                    : SV("underWay"));
    jsonw_put_text(w, "action", event_get_verb(e));
    jsonw_put_text(w, "status", status_get_text(e->status));
    jsonw_put_text(w, "preciseStatus", status_get_text(e->precise_status));
    jsonw_put_i64(w, "elapsedMs", e->elapsed_ms);
}

void event_write_json(struct jsonw *w, const struct event *e, const struct event_context *context) {
    struct arena scratch = {0};
    struct render_options options = {.mask = context->mask};
    jsonw_begin_object(w);
    jsonw_put_text(w, "type", get_type(e->kind));
    if (context->run_id.len > 0) {
        jsonw_put_text(w, "runId", context->run_id);
    }
    jsonw_put_i64(w, "wallMs", e->wall_ms);
    jsonw_put_i64(w, "monotonicMs", e->monotonic_ms);
    write_element(w, e);
    if (e->text.len > 0) {
        jsonw_put_text(w, "text", context->mask == NULL ? e->text : mask_apply(context->mask, &scratch, e->text));
    }
    if (e->diag != NULL) {
        jsonw_key(w, SV("diagnostic"));
        render_diag_json(w, context->diags, e->diag, &options);
    }
    jsonw_end_object(w);
    arena_fini(&scratch);
}

void event_write_summary(struct jsonw *w, const struct event *e) {
    static const struct plan_summary nothing = {0};
    const struct plan_summary *done = e->done == NULL ? &nothing : e->done;
    jsonw_put_text(w, "outcome", e->outcome);
    jsonw_key(w, SV("done"));
    jsonw_begin_object(w);
    jsonw_put_i64(w, "created", (int64_t)done->create);
    jsonw_put_i64(w, "updated", (int64_t)done->update);
    jsonw_put_i64(w, "replaced", (int64_t)done->replace);
    jsonw_put_i64(w, "destroyed", (int64_t)done->destroy);
    jsonw_end_object(w);
    jsonw_put_i64(w, "elapsedMs", e->elapsed_ms);
}
