#include "base/num.h"
#include "providers/process/service.h"

#include <errno.h>
#include <signal.h>
#include <time.h>
#include <unistd.h>

enum {
    POLL_MS = 10,
    GUARD_WAIT_MS = 5000,
    KILL_WAIT_MS = 5000,
    KILL_POLL_MS = 2,
    STOP_DEFAULT_MS = 10000,
    STRAGGLER_ROUNDS = 50,
};

static void pause_for(struct provider_call *c, int64_t ms) {
    c->host->ops->sleep_ms(c->host->user, ms);
}

static int64_t get_now(struct provider_call *c) {
    return c->host->ops->get_monotonic_ms(c->host->user);
}

/* --- Identity --- */

bool service_get_stored(struct provider_call *c, value fields, struct process_ref *ref) {
    int64_t pid = provider_get_i64(fields, SV("pid"), 0);
    sv ticks = provider_get_text(fields, SV("startTime"));
    sv boot = sv_cut(&ticks, ':');
    uint64_t start;
    if (pid <= 0 || num_parse_u64(ticks, 10, &start) != NUM_OK) {
        return false;
    }
    sv now = c->host->ops->get_boot_id(c->host->user, c->arena);
    bool is_this_boot = boot.len == 0 || now.len == 0 || sv_eq(boot, now); /* not known: the start time has to tell */
    *ref = is_this_boot ? (struct process_ref){pid, start} : (struct process_ref){0};
    return true;
}

enum provider_result service_find_own(struct provider_call *c, const struct launch *l, struct process_ref *ref) {
    sv wanted[] = {l->key_entry, l->instance_entry, l->element_entry, l->digest_entry};
    struct process_refs found = {0};
    bool is_whole = process_scan(c->arena, wanted, sizeof wanted / sizeof wanted[0], &found);
    for (size_t i = 0; i < found.items.len; i++) {
        /* its children inherit the environment; the service itself leads the session */
        if (found.items.items[i].session == found.items.items[i].ref.pid) {
            *ref = found.items.items[i].ref;
            return PROVIDER_OK;
        }
    }
    return is_whole ? PROVIDER_ABSENT : PROVIDER_CANNOT_TELL;
}

int service_take_guard(struct provider_call *c) {
    sv name = arena_printf(c->arena, "lintel-start-%.*s", SV_ARG(provider_key_text(c)));
    int64_t end = get_now(c) + GUARD_WAIT_MS;
    int fd = process_take_guard(name);
    while (fd < 0 && get_now(c) < end && provider_get_time_left(c) > 0 && !provider_is_cancelled(c)) {
        pause_for(c, POLL_MS);
        fd = process_take_guard(name);
    }
    return fd;
}

static value list_ports(struct provider_call *c, struct process_ref ref) {
    struct process_ports found = {0};
    process_list_ports(c->arena, ref.pid, &found);
    int64_t port = provider_get_i64(c->spec, SV("port"), 0);
    struct list_builder ports = {.arena = c->arena};
    bool is_listed = port == 0;
    for (size_t i = 0; i < found.items.len; i++) {
        is_listed = is_listed || found.items.items[i] == port;
        list_add(&ports, value_int(found.items.items[i]));
    }
    if (!is_listed) {
        list_add(&ports, value_int(port));
    }
    return list_done(&ports);
}

value service_compute(struct provider_call *c, struct process_ref ref) {
    sv boot = c->host->ops->get_boot_id(c->host->user, c->arena);
    sv start = arena_printf(c->arena, "%.*s:%llu", SV_ARG(boot), (unsigned long long)ref.start_ticks);
    struct map_builder fields = {.arena = c->arena};
    map_add(&fields, SV("pid"), value_int(ref.pid));
    map_add(&fields, SV("startTime"), value_string(c->arena, start));
    map_add(&fields, SV("ports"), list_ports(c, ref));
    return map_done(&fields);
}

/* --- Stopping --- */

/* True when it went in time. */
static bool wait_for_end(struct provider_call *c, struct process_ref ref, int64_t ms) {
    int64_t end = get_now(c) + ms;
    while (!process_is_gone(ref)) {
        if (get_now(c) >= end || provider_get_time_left(c) == 0) {
            return false;
        }
        pause_for(c, POLL_MS);
    }
    return true;
}

/* Whoever hears that a service has ended finds its port free: the kernel is given a moment to end it. */
void service_kill(struct process_ref ref) {
    if (process_exists(ref)) {
        process_signal_group(ref, SIGKILL);
    }
    for (int i = 0; i < KILL_WAIT_MS / KILL_POLL_MS && !process_is_gone(ref); i++) {
        nanosleep(&(struct timespec){.tv_nsec = KILL_POLL_MS * 1000000L}, NULL);
    }
}

/* How many were told. */
static size_t kill_session(struct provider_call *c, struct process_ref leader) {
    sv wanted[] = {
        arena_printf(c->arena, "LINTEL_INSTANCE=%.*s", SV_ARG(c->instance_id)),
        arena_printf(c->arena, "LINTEL_ELEMENT=%.*s", SV_ARG(c->address.text)),
    };
    struct process_refs found = {0};
    process_scan(c->arena, wanted, sizeof wanted / sizeof wanted[0], &found);
    size_t told = 0;
    for (size_t i = 0; i < found.items.len; i++) {
        if (found.items.items[i].session == leader.pid) {
            kill((pid_t)found.items.items[i].ref.pid, SIGKILL);
            told++;
        }
    }
    return told;
}

/* Its children may outlive it, in groups of their own. They are known by their environment, which names this element,
 * and by the session. Looked for again, as one may be forking while it is looked at. */
static void kill_stragglers(struct provider_call *c, struct process_ref leader) {
    for (int i = 0; i < STRAGGLER_ROUNDS && kill_session(c, leader) > 0; i++) {
        pause_for(c, POLL_MS);
    }
}

static int get_stop_signal(value spec) {
    int number = process_find_signal(provider_get_text(spec, SV("stopSignal")));
    return number == 0 ? SIGTERM : number;
}

enum provider_result service_stop(struct provider_call *c, struct process_ref ref, value spec) {
    if (process_is_running(ref)) {
        if (!process_signal_group(ref, get_stop_signal(spec)) && errno == EPERM) {
            return provider_fail(c, PROVIDER_TERMINAL, "process %lld may not be signalled by this user",
                                 (long long)ref.pid);
        }
        if (!wait_for_end(c, ref, provider_get_i64(spec, SV("stopTimeoutMs"), STOP_DEFAULT_MS))) {
            service_kill(ref);
            if (!wait_for_end(c, ref, KILL_WAIT_MS)) {
                return provider_fail(c, PROVIDER_TRANSIENT, "process %lld does not end", (long long)ref.pid);
            }
        }
    }
    if (!process_is_gone(ref)) {
        return provider_fail(c, PROVIDER_TRANSIENT, "whether process %lld has ended cannot be looked at",
                             (long long)ref.pid);
    }
    service_kill(ref); /* a zombie's group may still have members */
    kill_stragglers(c, ref);
    return PROVIDER_OK;
}
