#include "model/lease.h"

#include "base/num.h"
#include "value/convert.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <unistd.h>

enum { STAT_STATE = 3, STAT_START_TIME = 22 }; /* fields of /proc/PID/stat */

/* State and start time of a process; false when /proc does not show it. */
static bool read_process(int64_t pid, char *state, int64_t *start_time) {
    struct arena scratch = {0};
    char text[1024];
    int fd = open(arena_printf(&scratch, "/proc/%lld/stat", (long long)pid).data, O_RDONLY | O_CLOEXEC);
    ssize_t len = fd < 0 ? -1 : read(fd, text, sizeof text);
    if (fd >= 0) {
        close(fd);
    }
    arena_fini(&scratch);
    sv rest = {text, len > 0 ? (size_t)len : 0};
    size_t end = sv_rfind_char(rest, ')'); /* the name before may hold anything */
    if (end == SIZE_MAX || end + 2 >= rest.len) {
        return false;
    }
    rest = sv_slice(rest, end + 2, rest.len);
    *state = rest.data[0];
    for (int field = STAT_STATE; field < STAT_START_TIME; field++) {
        sv_cut(&rest, ' ');
    }
    return num_parse_i64(sv_cut(&rest, ' '), 10, start_time) == NUM_OK;
}

static bool is_process_gone(int64_t pid, int64_t start_time) {
    char state = 0;
    int64_t found = 0;
    if (read_process(pid, &state, &found)) {
        return state == 'Z' || state == 'X' || (start_time != 0 && found != start_time);
    }
    /* /proc may hide processes of others */
    return pid > 0 && pid <= INT32_MAX && kill((pid_t)pid, 0) != 0 && errno == ESRCH;
}

static int64_t get_i64(value holder, sv key) {
    value v = value_map_find(holder, key);
    return v.kind == VALUE_INT ? v.integer : 0;
}

static bool is_here(struct host *host, struct arena *a, value holder) {
    sv boot_id = value_get_text(value_map_find(holder, SV("bootId")));
    sv name = value_get_text(value_map_find(holder, SV("host")));
    sv actor = host->ops->get_actor(host->user, a);
    size_t at = sv_rfind_char(actor, '@');
    sv own_name = at == SIZE_MAX ? (sv){0} : sv_slice(actor, at + 1, actor.len);
    return boot_id.len > 0 && sv_eq(boot_id, host->ops->get_boot_id(host->user, a)) && sv_eq(name, own_name);
}

bool lease_is_holder_gone(struct host *host, sv holder) {
    struct arena scratch = {0};
    sv why;
    size_t offset;
    value v = value_parse_json(&scratch, holder, &limits_default, false, &why, &offset);
    bool gone = false;
    if (v.kind == VALUE_MAP && is_here(host, &scratch, v)) {
        int64_t pid = get_i64(v, SV("pid"));
        gone = pid > 0 && is_process_gone(pid, get_i64(v, SV("startTime")));
    }
    arena_fini(&scratch);
    return gone;
}

bool lease_is_live(struct host *host, const struct store_lease *lease, sv boot_id) {
    if (lease->token == 0 || lease->holder.len == 0 || lease->expires_ms <= host->ops->get_monotonic_ms(host->user)) {
        return false;
    }
    if (lease->has_own_clock) {
        return !lease_is_holder_gone(host, lease->holder);
    }
    struct arena scratch = {0};
    bool same_boot = sv_eq(boot_id, host->ops->get_boot_id(host->user, &scratch));
    arena_fini(&scratch);
    return same_boot && !lease_is_holder_gone(host, lease->holder);
}

bool lease_is_held(struct host *host, const struct store_lease *lease) {
    if (lease->has_own_clock) {
        return lease_is_live(host, lease, (sv){0});
    }
    struct arena scratch = {0};
    sv why;
    size_t offset;
    value v = value_parse_json(&scratch, lease->holder, &limits_default, false, &why, &offset);
    value boot_id = v.kind == VALUE_MAP ? value_map_find(v, SV("bootId")) : (value){0};
    bool held = boot_id.kind == VALUE_STRING && lease_is_live(host, lease, value_get_text(boot_id));
    arena_fini(&scratch);
    return held;
}
