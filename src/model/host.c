/* The real host. Everything here asks the kernel anew; nothing is kept. */
#include "model/host.h"

#include <errno.h>
#include <fcntl.h>
#include <pwd.h>
#include <stdlib.h>
#include <sys/random.h>
#include <time.h>
#include <unistd.h>

static int64_t read_clock_ms(clockid_t clock) {
    struct timespec now;
    clock_gettime(clock, &now);
    return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

static int64_t system_get_wall_ms(void *user) {
    (void)user;
    return read_clock_ms(CLOCK_REALTIME);
}

static int64_t system_get_monotonic_ms(void *user) {
    (void)user;
    return read_clock_ms(CLOCK_BOOTTIME);
}

/* getrandom waits until the kernel's generator is seeded and then fails only when interrupted. */
static void system_fill_random(void *user, void *out, size_t len) {
    (void)user;
    size_t done = 0;
    while (done < len) {
        ssize_t got = getrandom((char *)out + done, len - done, 0);
        if (got > 0) {
            done += (size_t)got;
        }
    }
}

/* The name in front of '='; false for entries without one. */
static bool split_entry(const char *entry, sv *name, sv *text) {
    const char *equals = strchr(entry, '=');
    if (equals == NULL) {
        return false;
    }
    *name = sv_make(entry, (size_t)(equals - entry));
    *text = sv_from_cstr(equals + 1);
    return true;
}

static bool system_find_env(void *user, struct arena *a, sv name, sv *result) {
    (void)user;
    for (char **entry = environ; entry != NULL && *entry != NULL; entry++) {
        sv found, text;
        if (split_entry(*entry, &found, &text) && sv_eq(found, name)) {
            *result = arena_copy_sv(a, text);
            return true;
        }
    }
    return false;
}

static sv system_get_cwd(void *user, struct arena *a) {
    (void)user;
    char *cwd = getcwd(NULL, 0);
    sv result = cwd == NULL ? SV("/") : arena_copy_sv(a, sv_from_cstr(cwd));
    free(cwd);
    return result;
}

static sv system_get_actor(void *user, struct arena *a) {
    (void)user;
    char host[256] = "";
    if (gethostname(host, sizeof host - 1) != 0 || host[0] == 0) {
        memcpy(host, "localhost", sizeof "localhost");
    }
    char text[1024];
    struct passwd entry, *found = NULL;
    uid_t uid = geteuid();
    if (getpwuid_r(uid, &entry, text, sizeof text, &found) != 0 || found == NULL) {
        return arena_printf(a, "uid-%lu@%s", (unsigned long)uid, host);
    }
    return arena_printf(a, "%s@%s", found->pw_name, host);
}

static sv system_get_boot_id(void *user, struct arena *a) {
    (void)user;
    int fd = open("/proc/sys/kernel/random/boot_id", O_RDONLY | O_CLOEXEC);
    if (fd < 0) {
        return (sv){0};
    }
    enum { UUID_LEN = 36 };
    char text[UUID_LEN];
    size_t len = 0;
    for (ssize_t got = 1; got > 0 && len<sizeof text; len += got> 0 ? (size_t)got : 0) {
        got = read(fd, text + len, sizeof text - len);
    }
    close(fd);
    return len < sizeof text ? (sv){0} : arena_copy_sv(a, sv_make(text, len)); /* a part of it would be another boot */
}

static int64_t system_get_pid(void *user) {
    (void)user;
    return getpid();
}

/* A signal ends the wait early, which is what the caller wants. */
static void system_sleep_ms(void *user, int64_t ms) {
    (void)user;
    if (ms <= 0) {
        return;
    }
    struct timespec wait = {.tv_sec = (time_t)(ms / 1000), .tv_nsec = (long)(ms % 1000) * 1000000};
    nanosleep(&wait, NULL);
}

static const struct host_ops system_ops = {
    .get_wall_ms = system_get_wall_ms,
    .get_monotonic_ms = system_get_monotonic_ms,
    .fill_random = system_fill_random,
    .find_env = system_find_env,
    .get_cwd = system_get_cwd,
    .get_actor = system_get_actor,
    .get_boot_id = system_get_boot_id,
    .get_pid = system_get_pid,
    .sleep_ms = system_sleep_ms,
};

const struct host host_system = {.ops = &system_ops};

static int compare_env(const void *x, const void *y) {
    return sv_cmp(((const struct host_env *)x)->name, ((const struct host_env *)y)->name);
}

size_t host_list_env(struct arena *a, sv prefix, struct host_env **result) {
    size_t count = 0;
    for (char **entry = environ; entry != NULL && *entry != NULL; entry++) {
        count += sv_has_prefix(sv_from_cstr(*entry), prefix);
    }
    *result = ARENA_ARRAY(a, struct host_env, count);
    size_t kept = 0;
    for (char **entry = environ; entry != NULL && *entry != NULL && kept < count; entry++) {
        sv name, text;
        if (split_entry(*entry, &name, &text) && sv_has_prefix(name, prefix)) {
            (*result)[kept++] = (struct host_env){arena_copy_sv(a, name), arena_copy_sv(a, text)};
        }
    }
    qsort(*result, kept, sizeof **result, compare_env);
    return kept;
}
