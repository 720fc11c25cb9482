/* process/service: the operations. Invariants: service.h. */
#include "providers/process/service.h"

#include "base/num.h"
#include "providers/process/process_provider.h"

#include <unistd.h>

/* What is learnt before the call is done; false when the lease is lost. */
static bool tell_progress(struct provider_call *c, struct process_ref ref) {
    return c->progress == NULL || c->progress(c->user, service_compute(c, ref));
}

/* The service runs: wait until it is ready. One that does not become ready is ended, so that a failed start leaves
 * nothing behind. */
static enum provider_result settle(struct provider_call *c, const struct launch *l, struct process_ref ref) {
    enum provider_result result = health_wait(c, l, ref);
    if (result != PROVIDER_OK) {
        service_kill(ref);
        return result;
    }
    c->computed = service_compute(c, ref);
    return PROVIDER_OK;
}

/* Invariant 2: the guard is ours, so nobody else is between fork and exec for this operation. Whoever has lost the
 * lease ends what it started: the next holder, which could not take it over while the guard was ours, has its own
 * (F20). */
static enum provider_result start_guarded(struct provider_call *c, struct launch *l, struct process_ref *ref) {
    enum provider_result found = service_find_own(c, l, ref);
    if (found == PROVIDER_CANNOT_TELL) {
        return provider_fail(c, PROVIDER_TRANSIENT, "whether it runs already cannot be looked at");
    }
    if (found == PROVIDER_OK) {
        return found;
    }
    enum provider_result result = launch_start(c, l, ref);
    if (result == PROVIDER_OK && !tell_progress(c, *ref)) {
        service_kill(*ref);
        return provider_fail(c, PROVIDER_FATAL, "the lease was lost while the service started");
    }
    return result;
}

static enum provider_result bring_up(struct provider_call *c, struct launch *l) {
    if (provider_get_time_left(c) == 0) {
        return provider_fail(c, PROVIDER_TRANSIENT, "the time limit of the operation is over");
    }
    int guard = service_take_guard(c);
    if (guard < 0) {
        return provider_fail(c, PROVIDER_TRANSIENT, "another start of this service is under way");
    }
    struct process_ref ref = {0};
    enum provider_result result = start_guarded(c, l, &ref);
    close(guard);
    return result == PROVIDER_OK ? settle(c, l, ref) : result;
}

static enum provider_result service_create(struct provider_call *c) {
    struct launch l;
    enum provider_result result = launch_prepare(c, &l);
    return result == PROVIDER_OK ? bring_up(c, &l) : result;
}

static enum provider_result service_read(struct provider_call *c) {
    struct process_ref ref;
    if (!service_get_stored(c, c->prior, &ref) || process_is_gone(ref)) {
        return PROVIDER_ABSENT;
    }
    if (!process_is_running(ref)) {
        return provider_fail(c, PROVIDER_TRANSIENT, "whether process %lld runs cannot be looked at",
                             (long long)ref.pid);
    }
    c->computed = service_compute(c, ref);
    /* It runs as it was started: of a change that was cut off before that, it knows nothing. */
    c->found_spec = launch_is_same(c->prior, c->spec) ? c->spec : c->prior;
    return PROVIDER_OK;
}

/* Only a service that was started in the very way that the spec says: of others nobody could tell what they are. */
static enum provider_result service_find(struct provider_call *c) {
    struct launch l;
    int64_t pid;
    struct process_info info;
    sv digest;
    if (num_parse_i64(c->physical_id, 10, &pid) != NUM_OK || pid <= 0) {
        return provider_fail(c, PROVIDER_TERMINAL, "it is no process number");
    }
    if (!process_look(pid, &info) || !process_is_running(info.ref)) {
        return PROVIDER_ABSENT;
    }
    enum provider_result result = launch_prepare(c, &l);
    if (result != PROVIDER_OK) {
        return result;
    }
    bool has_digest = process_find_env(process_read_environ(c->arena, pid), SV("LINTEL_SPEC_DIGEST"), &digest);
    if (info.session != pid || !has_digest || !sv_has_suffix(l.digest_entry, digest) || digest.len == 0) {
        return provider_fail(c, PROVIDER_TERMINAL,
                             "the process was not started by lintel with this command, "
                             "environment and directory");
    }
    c->computed = service_compute(c, info.ref);
    c->found_spec = c->spec;
    return PROVIDER_OK;
}

/* Restarted only when something of the start changed, or when it does not run. */
static enum provider_result service_update(struct provider_call *c) {
    struct launch l;
    struct process_ref ref;
    enum provider_result result = launch_prepare(c, &l);
    if (result != PROVIDER_OK) {
        return result;
    }
    bool is_known = service_get_stored(c, c->prior, &ref);
    if (is_known && process_is_running(ref) && launch_is_same(c->prior, c->spec)) {
        l.log_path = (sv){0}; /* what it wrote before says nothing about now */
        result = health_wait(c, &l, ref);
        c->computed = result == PROVIDER_OK ? service_compute(c, ref) : (value){0};
        return result;
    }
    result = is_known ? service_stop(c, ref, c->prior) : PROVIDER_OK;
    return result == PROVIDER_OK ? bring_up(c, &l) : result;
}

static enum provider_result service_destroy(struct provider_call *c) {
    struct process_ref ref;
    value fields = value_is_set(c->prior) ? c->prior : c->spec;
    if (!service_get_stored(c, fields, &ref) && !service_get_stored(c, c->progress_token, &ref)) {
        return PROVIDER_ABSENT;
    }
    bool was_running = process_is_running(ref);
    enum provider_result result = service_stop(c, ref, c->spec);
    return result == PROVIDER_OK && !was_running ? PROVIDER_ABSENT : result;
}

/* Whoever gets the guard knows that no start is under way; then the environment of what runs tells. */
static enum provider_result service_recover(struct provider_call *c) {
    struct launch l;
    if (launch_prepare(c, &l) != PROVIDER_OK) {
        c->reasons.items.len = 0; /* it could not have been started */
        return PROVIDER_ABSENT;
    }
    int guard = service_take_guard(c);
    if (guard < 0) {
        return provider_fail(c, PROVIDER_CANNOT_TELL, "a start of this service seems to be under way");
    }
    struct process_ref ref;
    enum provider_result found = service_find_own(c, &l, &ref);
    close(guard);
    if (found != PROVIDER_OK) {
        return found;
    }
    if (c->only_look) {
        c->computed = service_compute(c, ref);
        return PROVIDER_OK;
    }
    if (settle(c, &l, ref) == PROVIDER_OK) {
        return PROVIDER_OK;
    }
    c->reasons.items.len = 0; /* it did not become ready and was ended: free to be started again */
    return PROVIDER_ABSENT;
}

static void service_validate(struct arena *a, value spec, struct diags *diags, span at, sv prefix) {
    (void)a;
    health_validate(spec, diags, at, prefix);
}

/* A restart gives new process fields; without one they stay. */
static void service_plan(struct arena *a, value before, value after, struct field_diff *diff) {
    if (!launch_is_same(before, after)) {
        provider_add_unknown(a, diff, before, SV("pid"), false);
        provider_add_unknown(a, diff, before, SV("startTime"), false);
        provider_add_unknown(a, diff, before, SV("ports"), false);
    }
}

static const sv links_to[] = {SV_INIT("local/file"), SV_INIT("sqlite/database")};

const struct resource_type process_service_type = {
    .name = SV_INIT("process/service"),
    .summary = SV_INIT("A program that keeps running"),
    .details = SV_INIT("The program is started without a shell, in a session of its own, so that it goes on when "
                       "lintel ends. Its environment is what "
                       "`environment` says, PATH, PORT, and marks by which lintel finds it again after a crash. It is "
                       "known by process number and start "
                       "time; a zombie counts as gone. When anything of its start changes it is stopped and started "
                       "anew. It is stopped by `stopSignal` "
                       "to its process group and by force after `stopTimeoutMs`. The order of its update is stop, then "
                       "start: it does not serve "
                       "meanwhile."),
    .example = SV_INIT("api:\n"
                       "  type: process/service\n"
                       "  spec:\n"
                       "    command: bin/orders-api\n"
                       "    port: 8080\n"
                       "    logFile: run/api.log\n"
                       "    healthCheck:\n"
                       "      http: http://127.0.0.1:8080/health\n"),
    .id_field = SV_INIT("pid"),
    .import_id = SV_INIT("the process number of a service that lintel started with the same command, arguments, "
                         "environment, directory and log"),
    .links_to = links_to,
    .links_to_count = sizeof links_to / sizeof links_to[0],
    .destroy_before_create = true,
    .end_point = true,
    .promise = PROMISE_EXACT,
    .schema = &service_schema,
    .version = 1,
    .deadline_ms = 300000,
    .validate = service_validate,
    .plan = service_plan,
    .create = service_create,
    .read = service_read,
    .update = service_update,
    .destroy = service_destroy,
    .recover = service_recover,
    .find = service_find,
};
