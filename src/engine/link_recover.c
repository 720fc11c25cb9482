#include "engine/link_recover.h"

#include "engine/fields.h"
#include "engine/link_phases.h"
#include "engine/links.h"

enum { ASK_DEADLINE_MS = 5 * 60 * 1000 };

bool link_intent_is_of_link(const struct open_intent *intent) {
    return sv_eq_cstr(field_get_text(intent->body, "kind"), "link");
}

static struct link_resource read_side(value body, const char *key) {
    value side = field_get_value(body, key);
    return (struct link_resource){
        .address.text = field_get_text(side, "address"),
        .name = field_get_text(side, "name"),
        .type = field_get_text(side, "type"),
        .physical_id = field_get_text(side, "physicalId"),
        .spec = field_get_value(side, "spec"),
        .metadata = field_get_value(side, "metadata"),
    };
}

struct link_question {
    const struct run_config *c;
    struct stored *s;
    const struct recovery_request *request;
    const struct open_intent *intent;
    const struct link_record *record;
    const struct link_type *type;
    struct link_op_call call;
};

static void prepare(struct link_question *q, struct arena *scratch, enum link_phase phase) {
    value body = q->intent->body;
    struct host *host = q->c->host;
    sv root_dir = field_get_text(body, "rootDir");
    int64_t limit = q->type->deadline_ms > 0 ? q->type->deadline_ms : ASK_DEADLINE_MS;
    value data = field_get_value(body, "desired");
    struct link_intermediary *known;
    size_t count = links_decode_intermediaries(scratch, q->record->intermediaries, &known);
    q->call = (struct link_op_call){
        .call = {.arena = scratch,
                 .address = {q->intent->row->address},
                 .instance_id = q->s->instance.id,
                 .host = host,
                 .base_dir = root_dir.len > 0 ? root_dir : q->request->base_dir,
                 .only_look = q->request->only_look,
                 .context = q->c->context,
                 .deadline_ms = host->ops->get_monotonic_ms(host->user) + limit},
        .phase = phase,
        .a = read_side(body, "a"),
        .b = read_side(body, "b"),
        .data = value_is_set(q->record->computed) ? schema_merge(scratch, data, q->record->computed) : data,
        .prior = field_get_value(body, "prior"),
        .known = known,
        .known_count = count,
    };
    field_parse_hex(field_get_text(body, "opKey"), q->call.call.op_key, sizeof q->call.call.op_key);
}

static enum provider_result ask(void *user) {
    struct link_question *q = user;
    return q->type->recover(&q->call);
}

static enum status get_end(const struct link_record *l, bool removes, bool failed) {
    if (removes) {
        return failed ? STATUS_destroy_failed : STATUS_destroy_interrupted;
    }
    if (l->created_ms == 0) {
        return failed ? STATUS_create_failed : STATUS_create_interrupted;
    }
    return failed ? STATUS_update_failed : STATUS_update_interrupted;
}

/* A type that is not asked says that it may be done again. */
static enum provider_result find_out(struct link_question *q, struct arena *scratch, size_t open, bool removes) {
    if (q->type == NULL) {
        return PROVIDER_CANNOT_TELL;
    }
    if (removes || open == LINK_PHASES || q->type->recover == NULL) {
        return PROVIDER_ABSENT;
    }
    prepare(q, scratch, link_phase_find(open, removes));
    return recover_ask(q->c, q->request, ask, q);
}

enum recovery link_recover(const struct run_config *c, struct stored *s, const struct recovery_request *request,
                           const struct open_intent *intent, sv *reason) {
    struct link_record *l = stored_find_link(s, intent->row->address);
    if (l == NULL) {
        return RECOVERED_UNDONE;
    }
    bool removes = sv_eq_cstr(intent->row->action, "destroy");
    size_t open = link_find_open(l->precise_status, removes);
    struct arena scratch = {0};
    struct link_question q = {.c = c, .s = s, .request = request, .intent = intent, .record = l};
    q.type = links_find_type(c->providers, l);
    enum provider_result result = find_out(&q, &scratch, open, removes);
    enum link_phase_state state = LINK_PHASE_FAILED;
    if (result == PROVIDER_OK) {
        link_phase_take(s->arena, l, &q.call, removes);
        state = LINK_PHASE_ENDED;
    } else if (result != PROVIDER_ABSENT) {
        state = LINK_PHASE_INTERRUPTED;
        bool has_reason = q.call.call.reasons.items.len > 0;
        *reason = has_reason ? arena_copy_sv(s->arena, q.call.call.reasons.items.items[0]) : (sv){0};
    }
    if (open < LINK_PHASES) {
        bool rolls_back = link_phase_rolls_back(l->precise_status);
        l->precise_status = link_phase_get_status(link_phase_find(open, removes), state, rolls_back);
    }
    l->status = get_end(l, removes, state != LINK_PHASE_INTERRUPTED);
    l->last_status_ms = c->host->ops->get_wall_ms(c->host->user);
    arena_fini(&scratch);
    return state == LINK_PHASE_INTERRUPTED ? RECOVERED_UNTOLD : RECOVERED_UNDONE;
}

void link_settle_untold(struct link_record *l) {
    bool removes = l->status == STATUS_destroy_interrupted || l->status == STATUS_destroying;
    l->status = get_end(l, removes, true);
    for (size_t i = 0; i < LINK_PHASES; i++) {
        enum link_phase phase = link_phase_find(i, removes);
        if (l->precise_status == link_phase_get_status(phase, LINK_PHASE_INTERRUPTED, false)) {
            l->precise_status = link_phase_get_status(phase, LINK_PHASE_FAILED, false);
        }
    }
}
