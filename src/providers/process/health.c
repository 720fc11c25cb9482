#include "adapters/http/http.h"
#include "base/num.h"
#include "providers/process/service.h"

enum {
    TRY_MAX_MS = 5000, /* one check */
    BODY_MAX = 64 << 10,
    SETTLE_MS = 50, /* without a check: a program that ends at once is noticed */
};

struct health {
    sv url;
    sv host;
    uint16_t port;
    int64_t interval_ms, status;
    sv last; /* what the last check saw */
};

static value get_check(value spec) {
    return spec.kind == VALUE_MAP ? value_map_find(spec, SV("healthCheck")) : (value){0};
}

/* "HOST:PORT", the host perhaps in brackets. */
static bool parse_tcp(sv text, sv *host, uint16_t *port) {
    size_t colon = sv_rfind_char(text, ':');
    int64_t number;
    if (colon == SIZE_MAX || num_parse_i64(sv_slice(text, colon + 1, text.len), 10, &number) != NUM_OK || number < 1 ||
        number > 65535 || colon == 0) {
        return false;
    }
    *host = sv_slice(text, 0, colon);
    *port = (uint16_t)number;
    return true;
}

static bool check_once(struct provider_call *c, struct health *h, int64_t ms) {
    struct arena scratch = {0};
    enum http_result result;
    sv why = {0};
    int64_t status = h->status;
    if (h->url.len > 0) {
        struct http_request r = {.url = h->url, .timeout_ms = ms, .body_max = BODY_MAX};
        result = http_get(&scratch, &r);
        why = r.why;
        status = r.status;
    } else {
        result = http_probe_tcp(&scratch, h->host, h->port, ms, &why);
    }
    bool is_answered = result == HTTP_OK || result == HTTP_TOO_MUCH;
    if (is_answered && status != h->status) {
        h->last = arena_printf(c->arena, "it answered with status %lld", (long long)status);
    } else if (!is_answered) {
        h->last = arena_copy_sv(c->arena, why);
    }
    arena_fini(&scratch);
    return is_answered && status == h->status;
}

static enum provider_result fail_dead(struct provider_call *c, const struct launch *l) {
    sv log = launch_read_log(c, l);
    if (log.len == 0) {
        return provider_fail(c, PROVIDER_TERMINAL, "the program ended before it was ready");
    }
    return provider_fail(c, PROVIDER_TERMINAL, "the program ended before it was ready; its last lines: %.*s",
                         SV_ARG(log));
}

static enum provider_result fail_late(struct provider_call *c, const struct launch *l, const struct health *h,
                                      int64_t ms) {
    sv log = launch_read_log(c, l);
    return provider_fail(c, PROVIDER_TERMINAL, "the service was not healthy within %lld ms: %.*s%s%.*s", (long long)ms,
                         SV_ARG(h->last), log.len > 0 ? "; its last lines: " : "", SV_ARG(log));
}

static int64_t smaller(int64_t a, int64_t b) {
    return a < b ? a : b;
}

/* Between checks the process is looked at often, so that its end is noticed at once. */
static bool wait_alive(struct provider_call *c, struct process_ref ref, int64_t ms) {
    while (ms > 0 && !process_is_gone(ref) && !provider_is_cancelled(c)) {
        int64_t step = smaller(ms, 50);
        c->host->ops->sleep_ms(c->host->user, step);
        ms -= step;
    }
    return !process_is_gone(ref);
}

static enum provider_result watch(struct provider_call *c, const struct launch *l, struct process_ref ref,
                                  struct health *h, int64_t timeout_ms) {
    int64_t end = c->host->ops->get_monotonic_ms(c->host->user) + timeout_ms;
    for (;;) {
        int64_t left = end - c->host->ops->get_monotonic_ms(c->host->user);
        if (process_is_gone(ref)) {
            return fail_dead(c, l);
        }
        if (provider_is_cancelled(c)) {
            return provider_fail(c, PROVIDER_TRANSIENT, "the operation was cancelled");
        }
        if (left <= 0) {
            return fail_late(c, l, h, timeout_ms);
        }
        /* A check that succeeds says nothing about a process that is gone or about to go: another one may answer. */
        if (check_once(c, h, smaller(left, TRY_MAX_MS)) && wait_alive(c, ref, smaller(left, h->interval_ms))) {
            return PROVIDER_OK;
        }
        wait_alive(c, ref, smaller(left, h->interval_ms));
    }
}

enum provider_result health_wait(struct provider_call *c, const struct launch *l, struct process_ref ref) {
    value check = get_check(c->spec);
    struct health h = {
        .url = provider_get_text(check, SV("http")),
        .interval_ms = provider_get_i64(check, SV("intervalMs"), 100),
        .status = provider_get_i64(check, SV("expectStatus"), 200),
        .last = SV("it was not asked yet"),
    };
    sv tcp = provider_get_text(check, SV("tcp"));
    if (h.url.len == 0 && tcp.len == 0) {
        return wait_alive(c, ref, SETTLE_MS) ? PROVIDER_OK : fail_dead(c, l);
    }
    if (h.url.len == 0 && !parse_tcp(tcp, &h.host, &h.port)) {
        return provider_fail(c, PROVIDER_TERMINAL, "'healthCheck.tcp' is not HOST:PORT");
    }
    int64_t timeout_ms = provider_get_i64(check, SV("timeoutMs"), 30000);
    return watch(c, l, ref, &h, smaller(timeout_ms, provider_get_time_left(c)));
}

void health_validate(value spec, struct diags *diags, span at, sv prefix) {
    value check = get_check(spec);
    if (check.kind != VALUE_MAP) {
        return;
    }
    value http = value_map_find(check, SV("http")), tcp = value_map_find(check, SV("tcp"));
    if (value_is_set(http) == value_is_set(tcp)) {
        provider_add_mistake(diags, SV("process_health_check_invalid"), at, prefix, SV("healthCheck"),
                             "a health check has either 'http' or 'tcp'");
    }
    sv host;
    uint16_t port;
    if (tcp.kind == VALUE_STRING && !parse_tcp(value_get_text(tcp), &host, &port)) {
        provider_add_mistake(diags, SV("process_health_check_invalid"), at, prefix, SV("healthCheck.tcp"),
                             "'tcp' is not HOST:PORT");
    }
}
