#include "engine/recover.h"

#include "engine/apply.h"
#include "engine/fields.h"
#include "engine/link_recover.h"
#include "engine/specs.h"

#include <pthread.h>

enum { ASK_DEADLINE_MS = 5 * 60 * 1000, ASK_AGAIN_MS = 500, TICK_MAX_MS = 50 };

struct asker {
    const struct run_config *c;
    struct stored *s;
    struct recovery_request request;
    const struct open_intent *intent;
    const struct resource_type *type;
    struct provider_call call;
};

static void prepare_call(struct asker *k, struct arena *scratch) {
    const struct open_intent *intent = k->intent;
    const struct run_config *c = k->c;
    sv root_dir = field_get_text(intent->body, "rootDir"); /* a run that destroys has none of its own */
    k->call = (struct provider_call){
        .arena = scratch,
        .address = {intent->row->address},
        .instance_id = k->s->instance.id,
        .host = c->host,
        .base_dir = root_dir.len > 0 ? root_dir : k->request.base_dir,
        .only_look = k->request.only_look,
        .context = c->context,
        .spec = field_get_value(intent->body, "desired"),
        .metadata = field_get_value(intent->body, "metadata"),
        .prior = field_get_value(intent->body, "prior"),
        .physical_id = field_get_text(intent->body, "physicalId"),
        .progress_token = intent->progress,
    };
    field_parse_hex(field_get_text(intent->body, "opKey"), k->call.op_key, sizeof k->call.op_key);
}

/* A call on a thread of its own, so that this one can keep the lease. */
struct question {
    enum provider_result (*ask)(void *user);
    void *user;
    enum provider_result result;
};

static void *answer_question(void *argument) {
    struct question *q = argument;
    q->result = q->ask(q->user);
    return NULL;
}

static enum provider_result ask_once(const struct run_config *c, const struct recovery_request *request,
                                     struct question *q) {
    pthread_t thread;
    if (request->tick == NULL || pthread_create(&thread, NULL, answer_question, q) != 0) {
        return q->ask(q->user);
    }
    const struct host *host = c->host;
    for (int64_t pause_ms = 1; pthread_tryjoin_np(thread, NULL) != 0; pause_ms += pause_ms < TICK_MAX_MS) {
        request->tick(request->user);
        host->ops->sleep_ms(host->user, pause_ms);
    }
    return q->result;
}

enum provider_result recover_ask(const struct run_config *c, const struct recovery_request *request,
                                 enum provider_result (*ask)(void *user), void *user) {
    enum provider_result result = PROVIDER_CANNOT_TELL;
    for (unsigned attempt = 0; attempt <= c->retries; attempt++) {
        struct question q = {.ask = ask, .user = user};
        result = ask_once(c, request, &q);
        if ((result != PROVIDER_NOT_YET && result != PROVIDER_TRANSIENT) || request->only_look) {
            break;
        }
        c->host->ops->sleep_ms(c->host->user, ASK_AGAIN_MS);
    }
    return result;
}

struct resource_question {
    struct asker *asker;
    struct arena *scratch;
    enum provider_result (*fn)(struct provider_call *c);
};

static enum provider_result ask_resource(void *user) {
    struct resource_question *q = user;
    struct asker *k = q->asker;
    prepare_call(k, q->scratch);
    int64_t limit = k->type->deadline_ms > 0 ? k->type->deadline_ms : ASK_DEADLINE_MS;
    k->call.deadline_ms = k->c->host->ops->get_monotonic_ms(k->c->host->user) + limit;
    return q->fn(&k->call);
}

/* The provider's word once it has one: what is still under way or fails for the moment is asked again, as often as an
 * operation is retried. */
static enum provider_result ask(struct asker *k, struct arena *scratch,
                                enum provider_result (*fn)(struct provider_call *c)) {
    struct resource_question q = {k, scratch, fn};
    return fn == NULL ? PROVIDER_CANNOT_TELL : recover_ask(k->c, &k->request, ask_resource, &q);
}

static struct made_object made_from_intent(struct asker *k) {
    struct arena *a = k->s->arena;
    value body = k->intent->body;
    const sv *needs;
    size_t need_count = field_get_texts(a, body, "dependsOn", &needs);
    struct made_object m = {
        .address = {k->intent->row->address},
        .name = field_get_text(body, "name"),
        .type = k->type->name,
        .template_name = field_get_text(body, "templateName"),
        .description = field_get_text(body, "description"),
        .removal_policy = field_get_text(body, "removalPolicy"),
        .generation = field_get_int(body, "generation"),
        .position = field_get_int(body, "position"),
        .spec = field_get_value(body, "desired"),
        .metadata = field_get_value(body, "metadata"),
        .computed = spec_settle_computed(a, k->type->schema, k->call.computed),
        .depends_on = needs,
        .depends_on_count = need_count,
        .type_version = k->type->version,
        .now_ms = k->c->host->ops->get_wall_ms(k->c->host->user),
        .is_new = true,
        .replaces = field_get_bool(body, "replaces"),
        .is_stable = true,
    };
    m.physical_id = spec_get_id(a, k->type, schema_merge(a, m.spec, m.computed));
    return m;
}

static enum recovery recover_create(struct asker *k, struct arena *scratch) {
    enum provider_result result = ask(k, scratch, k->type->recover);
    if (result == PROVIDER_OK) {
        struct made_object m = made_from_intent(k);
        apply_made(k->s, &m);
        return RECOVERED_DONE;
    }
    return result == PROVIDER_ABSENT ? RECOVERED_UNDONE : RECOVERED_UNTOLD;
}

/* An update writes a full state, so it can be run again whatever became of it: the record is marked, the next staging
 * updates the object. Only what the provider finds under the operation's key is taken over, since the object may have
 * got another identity at its side (a process restarted). */
static enum recovery recover_update(struct asker *k, struct arena *scratch) {
    struct resource_record *r = stored_find_resource(k->s, k->intent->row->address);
    if (r == NULL) {
        return RECOVERED_UNDONE;
    }
    if (ask(k, scratch, k->type->recover) == PROVIDER_OK && value_is_set(k->call.computed)) {
        r->computed = spec_settle_computed(k->s->arena, k->type->schema, k->call.computed);
        r->physical_id = spec_get_id(k->s->arena, k->type, schema_merge(k->s->arena, r->spec, r->computed));
    }
    r->status = r->precise_status = STATUS_update_failed;
    r->last_status_ms = k->c->host->ops->get_wall_ms(k->c->host->user);
    return RECOVERED_UNDONE;
}

static enum recovery recover_destroy(struct asker *k, struct arena *scratch) {
    enum provider_result result = ask(k, scratch, k->type->read);
    if (result == PROVIDER_ABSENT) {
        struct removed_object removed = {
            .address = k->intent->row->address,
            .generation = field_get_int(k->intent->body, "generation"),
            .element_stays = field_get_bool(k->intent->body, "elementStays"),
            .now_ms = k->c->host->ops->get_wall_ms(k->c->host->user),
        };
        apply_removed(k->s, &removed);
        return RECOVERED_DONE;
    }
    return result == PROVIDER_OK ? RECOVERED_UNDONE : RECOVERED_UNTOLD;
}

static void record_untold(struct asker *k, struct recovered *r, sv action) {
    if (k->call.reasons.items.len > 0) {
        r->reason = arena_copy_sv(k->s->arena, k->call.reasons.items.items[0]);
    }
    struct failed_operation f = {
        .address = {r->address},
        .name = field_get_text(k->intent->body, "name"),
        .type = field_get_text(k->intent->body, "type"),
        .action = action,
        .generation = field_get_int(k->intent->body, "generation"),
        .failure = FAILURE_INTERRUPTED,
        .now_ms = k->c->host->ops->get_wall_ms(k->c->host->user),
    };
    apply_failed(k->s, &f);
}

static void report_untold(struct asker *k, const struct recovered *r) {
    sv action = k->intent->row->action;
    if (k->request.is_quiet) {
        return;
    }
    sv id = field_get_text(k->intent->body, "physicalId");
    struct diag *d = diags_add(k->c->diags, DIAG_operation_interrupted, SPAN_NONE,
                               "nobody can tell whether '%.*s' of '%.*s' has happened%s%.*s", SV_ARG(action),
                               SV_ARG(r->address), r->reason.len > 0 ? ": " : "", SV_ARG(r->reason));
    diag_set_hint(k->c->diags, d, "look at the object%s%.*s by hand, then reconcile, or go on without it with --force",
                  id.len > 0 ? " " : "", SV_ARG(id));
}

static void recover_one(struct asker *k, struct recoveries *result) {
    struct arena scratch = {0};
    struct recovered *r = VEC_ADD(k->s->arena, &result->items);
    r->intent = k->intent;
    r->address = k->intent->row->address;
    r->recovery = RECOVERED_UNTOLD;
    sv action = k->intent->row->action;
    bool is_link = link_intent_is_of_link(k->intent);
    if (is_link) {
        r->recovery = link_recover(k->c, k->s, &k->request, k->intent, &r->reason);
    } else if (k->type != NULL && sv_eq_cstr(action, "create")) {
        r->recovery = recover_create(k, &scratch);
    } else if (k->type != NULL && sv_eq_cstr(action, "update")) {
        r->recovery = recover_update(k, &scratch);
    } else if (k->type != NULL) {
        r->recovery = recover_destroy(k, &scratch);
    }
    if (r->recovery == RECOVERED_UNTOLD) {
        result->untold++;
        if (!is_link) {
            record_untold(k, r, action);
        }
        report_untold(k, r);
    }
    arena_fini(&scratch);
}

void recover_all(const struct run_config *c, struct stored *s, struct recovery_request request,
                 struct recoveries *result) {
    if (!s->found || s->tree.journal.len == 0) {
        return;
    }
    struct record_codec codec = {
        .arena = s->arena, .sealer = c->sealer, .diags = c->diags, .instance_id = s->instance.id};
    struct open_intents *open = ARENA_NEW(s->arena, struct open_intents);
    journal_find_open(&codec, s->tree.journal.items, s->tree.journal.len, open);
    for (size_t i = 0; i < open->items.len; i++) {
        struct asker k = {.c = c, .s = s, .request = request, .intent = &open->items.items[i]};
        sv type = field_get_text(k.intent->body, "type");
        k.type = c->providers == NULL ? NULL : providers_find_type(c->providers, type);
        recover_one(&k, result);
    }
}
