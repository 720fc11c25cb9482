/* What /proc tells of processes. */
#include "adapters/process/process.h"
#include "base/buf.h"
#include "base/num.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

enum {
    STAT_MAX = 2048,
    ENVIRON_MAX = 4 << 20,
    FIELD_STATE = 3, /* as numbered in proc(5) */
    FIELD_PARENT = 4,
    FIELD_GROUP = 5,
    FIELD_SESSION = 6,
    FIELD_START = 22,
    LOOKS = 20, /* when they fail */
    LOOK_AGAIN_MS = 5,
};

static int open_proc(int64_t pid, const char *name) {
    char path[64];
    snprintf(path, sizeof path, "/proc/%lld/%s", (long long)pid, name);
    return open(path, O_RDONLY | O_CLOEXEC);
}

/* False with errno. */
static bool read_up_to(int fd, char *out, size_t max, size_t *len) {
    *len = 0;
    while (*len < max) {
        ssize_t got = read(fd, out + *len, max - *len);
        if (got < 0 && errno == EINTR) {
            continue;
        }
        if (got <= 0) {
            return got == 0;
        }
        *len += (size_t)got;
    }
    return true;
}

/* Says that there is no such process, or that it is not shown to us; else the look has failed, and proves nothing. */
static bool tells_absent(int error) {
    return error == ENOENT || error == ESRCH || error == EACCES || error == EPERM;
}

/* The program's name stands in parentheses and may hold anything, parentheses too: fields are counted behind the last.
 */
static bool parse_stat(sv text, struct process_info *info) {
    size_t end = sv_rfind_char(text, ')');
    if (end == SIZE_MAX) {
        return false;
    }
    sv rest = sv_trim(sv_slice(text, end + 1, text.len));
    for (int field = FIELD_STATE; field <= FIELD_START; field++) {
        sv part = sv_cut(&rest, ' ');
        if (part.len == 0) {
            return false;
        }
        bool is_ok = true;
        if (field == FIELD_STATE) {
            info->state = part.data[0];
        } else if (field == FIELD_PARENT) {
            is_ok = num_parse_i64(part, 10, &info->parent) == NUM_OK;
        } else if (field == FIELD_GROUP) {
            is_ok = num_parse_i64(part, 10, &info->group) == NUM_OK;
        } else if (field == FIELD_SESSION) {
            is_ok = num_parse_i64(part, 10, &info->session) == NUM_OK;
        } else if (field == FIELD_START) {
            is_ok = num_parse_u64(part, 10, &info->ref.start_ticks) == NUM_OK;
        }
        if (!is_ok) {
            return false;
        }
    }
    return true;
}

/* False with errno. */
static bool look_once(int64_t pid, struct process_info *info) {
    *info = (struct process_info){.ref.pid = pid};
    errno = ESRCH;
    int fd = pid > 0 ? open_proc(pid, "stat") : -1;
    if (fd < 0) {
        return false;
    }
    char text[STAT_MAX];
    size_t len;
    bool is_read = read_up_to(fd, text, sizeof text, &len);
    int error = errno;
    close(fd);
    errno = is_read ? EIO : error;
    return is_read && parse_stat(sv_make(text, len), info);
}

bool process_look(int64_t pid, struct process_info *info) {
    for (int i = 1; !look_once(pid, info); i++) {
        if (tells_absent(errno) || i == LOOKS) {
            return false;
        }
        nanosleep(&(struct timespec){.tv_nsec = LOOK_AGAIN_MS * 1000000L}, NULL);
    }
    return true;
}

bool process_exists(struct process_ref ref) {
    struct process_info info;
    return process_look(ref.pid, &info) && info.ref.start_ticks == ref.start_ticks;
}

static bool is_alive(const struct process_info *info) {
    return info->state != 'Z' && info->state != 'X' && info->state != 'x';
}

bool process_is_running(struct process_ref ref) {
    struct process_info info;
    return process_look(ref.pid, &info) && info.ref.start_ticks == ref.start_ticks && is_alive(&info);
}

bool process_is_gone(struct process_ref ref) {
    struct process_info info;
    if (process_look(ref.pid, &info)) {
        return info.ref.start_ticks != ref.start_ticks || !is_alive(&info);
    }
    return tells_absent(errno);
}

bool process_signal_group(struct process_ref leader, int signal_number) {
    return kill((pid_t)-leader.pid, signal_number) == 0;
}

int process_find_signal(sv name) {
    if (sv_has_prefix(name, SV("SIG"))) {
        name = sv_slice(name, 3, name.len);
    }
    for (int i = 1; i < NSIG; i++) {
        const char *text = sigabbrev_np(i);
        if (text != NULL && sv_eq_cstr(name, text)) {
            return i;
        }
    }
    return 0;
}

/* --- Environments --- */

/* False with errno. */
static bool read_environ(struct arena *a, int64_t pid, sv *text) {
    enum { PART = 4096 };
    *text = (sv){0};
    int fd = open_proc(pid, "environ");
    if (fd < 0) {
        return false;
    }
    struct buf out = BUF(a);
    bool is_read;
    size_t got;
    do {
        is_read = read_up_to(fd, buf_reserve(&out, PART), PART, &got);
        out.len += got;
    } while (is_read && got == PART && out.len < ENVIRON_MAX);
    int error = errno;
    close(fd);
    errno = error;
    *text = buf_get_sv(&out);
    return is_read;
}

sv process_read_environ(struct arena *a, int64_t pid) {
    sv text;
    return read_environ(a, pid, &text) ? text : (sv){0};
}

bool process_find_env(sv entries, sv name, sv *text) {
    while (entries.len > 0) {
        sv entry = sv_cut(&entries, 0);
        if (entry.len > name.len && entry.data[name.len] == '=' && sv_has_prefix(entry, name)) {
            *text = sv_slice(entry, name.len + 1, entry.len);
            return true;
        }
    }
    return false;
}

static bool has_entry(sv entries, sv wanted) {
    while (entries.len > 0) {
        if (sv_eq(sv_cut(&entries, 0), wanted)) {
            return true;
        }
    }
    return false;
}

/* `is_told` becomes false when nobody can tell. */
static bool has_entries(int64_t pid, const sv *wanted, size_t count, bool *is_told) {
    struct arena scratch = {0};
    sv entries;
    *is_told = (read_environ(&scratch, pid, &entries) || tells_absent(errno)) && *is_told;
    bool has_all = entries.len > 0;
    for (size_t i = 0; i < count && has_all; i++) {
        has_all = has_entry(entries, wanted[i]);
    }
    arena_fini(&scratch);
    return has_all;
}

static int compare_info(const void *x, const void *y) {
    const struct process_info *a = x, *b = y;
    return a->ref.pid < b->ref.pid ? -1 : a->ref.pid > b->ref.pid;
}

/* Each stream has one reader, so this is safe in any thread. */
static struct dirent *read_entry(DIR *dir) {
    /* cppcheck-suppress readdirCalled */
    return readdir(dir);
}

/* The process is looked at before and after its environment is, so that both belong together. */
static bool scan_one(int64_t pid, const sv *entries, size_t count, struct process_info *info, bool *is_told) {
    if (!look_once(pid, info)) {
        *is_told = tells_absent(errno) && *is_told;
        return false;
    }
    return is_alive(info) && has_entries(pid, entries, count, is_told) && process_is_running(info->ref);
}

bool process_scan(struct arena *a, const sv *entries, size_t count, struct process_refs *result) {
    DIR *dir = opendir("/proc");
    if (dir == NULL) {
        return false;
    }
    bool is_told = true;
    for (struct dirent *entry = read_entry(dir); entry != NULL; entry = read_entry(dir)) {
        int64_t pid;
        struct process_info info;
        if (num_parse_i64(sv_from_cstr(entry->d_name), 10, &pid) == NUM_OK &&
            scan_one(pid, entries, count, &info, &is_told)) {
            VEC_PUSH(a, &result->items, info);
        }
    }
    closedir(dir);
    if (result->items.len > 1) {
        qsort(result->items.items, result->items.len, sizeof *result->items.items, compare_info);
    }
    return is_told;
}
