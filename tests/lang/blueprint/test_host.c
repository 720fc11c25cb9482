#include "lang/blueprint/test_host.h"

const int64_t test_host_ms = 1672671845000;

static int64_t get_ms(void *user) {
    (void)user;
    return test_host_ms;
}

static void fill_random(void *user, void *out, size_t len) {
    (void)user;
    memset(out, 7, len);
}

static bool find_env(void *user, struct arena *a, sv name, sv *result) {
    (void)user;
    (void)a;
    (void)name;
    (void)result;
    return false;
}

static sv get_cwd(void *user, struct arena *a) {
    (void)user;
    (void)a;
    return SV("/test");
}

static sv get_name(void *user, struct arena *a) {
    (void)user;
    (void)a;
    return SV("test@host");
}

static int64_t get_pid(void *user) {
    (void)user;
    return 1;
}

static void sleep_ms(void *user, int64_t ms) {
    (void)user;
    (void)ms;
}

static const struct host_ops ops = {.get_wall_ms = get_ms,
                                    .get_monotonic_ms = get_ms,
                                    .fill_random = fill_random,
                                    .find_env = find_env,
                                    .get_cwd = get_cwd,
                                    .get_actor = get_name,
                                    .get_boot_id = get_name,
                                    .get_pid = get_pid,
                                    .sleep_ms = sleep_ms};

const struct host test_host = {.ops = &ops};
