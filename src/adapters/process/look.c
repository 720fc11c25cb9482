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
#include <unistd.h>

enum {
    STAT_MAX = 2048,
    ENVIRON_MAX = 4 << 20,
    FIELD_STATE = 3, /* as numbered in proc(5) */
    FIELD_PARENT = 4,
    FIELD_GROUP = 5,
    FIELD_SESSION = 6,
    FIELD_START = 22,
};

static int open_proc(int64_t pid, const char *name) {
    char path[64];
    snprintf(path, sizeof path, "/proc/%lld/%s", (long long)pid, name);
    return open(path, O_RDONLY | O_CLOEXEC);
}

static size_t read_up_to(int fd, char *out, size_t max) {
    size_t len = 0;
    while (len < max) {
        ssize_t got = read(fd, out + len, max - len);
        if (got < 0 && errno == EINTR) {
            continue;
        }
        if (got <= 0) {
            break;
        }
        len += (size_t)got;
    }
    return len;
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

bool process_look(int64_t pid, struct process_info *info) {
    *info = (struct process_info){.ref.pid = pid};
    int fd = pid > 0 ? open_proc(pid, "stat") : -1;
    if (fd < 0) {
        return false;
    }
    char text[STAT_MAX];
    size_t len = read_up_to(fd, text, sizeof text);
    close(fd);
    return parse_stat(sv_make(text, len), info);
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

sv process_read_environ(struct arena *a, int64_t pid) {
    int fd = open_proc(pid, "environ");
    if (fd < 0) {
        return (sv){0};
    }
    struct buf out = BUF(a);
    for (;;) {
        char *end = buf_reserve(&out, 4096);
        size_t got = read_up_to(fd, end, 4096);
        out.len += got;
        if (got < 4096 || out.len >= ENVIRON_MAX) {
            break;
        }
    }
    close(fd);
    return buf_get_sv(&out);
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

static bool has_entries(int64_t pid, const sv *wanted, size_t count) {
    struct arena scratch = {0};
    sv entries = process_read_environ(&scratch, pid);
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
void process_scan(struct arena *a, const sv *entries, size_t count, struct process_refs *result) {
    DIR *dir = opendir("/proc");
    if (dir == NULL) {
        return;
    }
    for (struct dirent *entry = read_entry(dir); entry != NULL; entry = read_entry(dir)) {
        int64_t pid;
        struct process_info info;
        if (num_parse_i64(sv_from_cstr(entry->d_name), 10, &pid) != NUM_OK || !process_look(pid, &info) ||
            !is_alive(&info)) {
            continue;
        }
        if (has_entries(pid, entries, count) && process_is_running(info.ref)) {
            VEC_PUSH(a, &result->items, info);
        }
    }
    closedir(dir);
    if (result->items.len > 1) {
        qsort(result->items.items, result->items.len, sizeof *result->items.items, compare_info);
    }
}
