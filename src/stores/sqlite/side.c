/* The side file PATH-lock.
 *
 * flock: shared by write transactions, exclusive by checkpoints and by opening. An open file description lock on its
 * first byte: shared by every process that has the state open, so that whoever can get it alone is alone. Its text is a
 * note on the last commit; it is written after the commit and never synced, so it may be old but never ahead. */
#include "stores/sqlite/internal.h"

#include "base/num.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/file.h>
#include <unistd.h>

enum { NOTE_SIZE = 128, WAIT_MS = 5 };

bool side_open(struct side_file *side, struct arena *a, sv state_path, bool create) {
    const char *path = arena_printf(a, "%.*s-lock", SV_ARG(state_path)).data;
    side->fd = open(path, O_RDWR | O_CLOEXEC | O_NOFOLLOW | (create ? O_CREAT : 0), 0600);
    side->can_write = side->fd >= 0;
    return side->can_write || !create;
}

void side_close(struct side_file *side) {
    if (side->fd >= 0) {
        close(side->fd);
    }
    side->fd = -1;
}

bool side_lock(struct side_file *side, struct host *host, bool exclusive, int64_t timeout_ms) {
    (void)host;
    if (side->fd < 0) {
        return true;
    }
    int how = (exclusive ? LOCK_EX : LOCK_SH) | LOCK_NB;
    for (int64_t waited = 0; flock(side->fd, how) != 0; waited += WAIT_MS) {
        if ((errno != EWOULDBLOCK && errno != EINTR) || waited >= timeout_ms) {
            return false;
        }
        usleep(WAIT_MS * 1000);
    }
    return true;
}

void side_unlock(struct side_file *side) {
    if (side->fd >= 0) {
        flock(side->fd, LOCK_UN);
    }
}

static bool set_presence(struct side_file *side, short type) {
    struct flock lock = {.l_type = type, .l_whence = SEEK_SET, .l_start = 0, .l_len = 1};
    return fcntl(side->fd, F_OFD_SETLK, &lock) == 0;
}

bool side_enter_alone(struct side_file *side) {
    return side->fd >= 0 && set_presence(side, F_WRLCK);
}

void side_enter(struct side_file *side) {
    if (side->fd >= 0) {
        set_presence(side, F_RDLCK);
    }
}

static int64_t cut_number(sv *rest) {
    int64_t n = 0;
    return num_parse_i64(sv_cut(rest, ' '), 10, &n) == NUM_OK && n > 0 ? n : 0;
}

struct side_note side_read(struct side_file *side) {
    char text[NOTE_SIZE];
    struct side_note note = {0};
    ssize_t len = side->fd < 0 ? -1 : pread(side->fd, text, sizeof text, 0);
    sv rest = {text, len > 0 ? (size_t)len : 0};
    if (!sv_eq_cstr(sv_cut(&rest, ' '), "lintel-state-1")) {
        return note;
    }
    note.serial = cut_number(&rest);
    note.size = cut_number(&rest);
    note.mtime_ns = cut_number(&rest);
    return note;
}

/* Always the same length, so that one write replaces all of it. */
void side_write(struct side_file *side, struct side_note note) {
    char text[NOTE_SIZE];
    memset(text, ' ', sizeof text);
    int len = snprintf(text, sizeof text, "lintel-state-1 %lld %lld %lld ", (long long)note.serial,
                       (long long)note.size, (long long)note.mtime_ns);
    text[len] = ' ';
    text[NOTE_SIZE - 1] = '\n';
    if (side->can_write && pwrite(side->fd, text, sizeof text, 0) < 0) {
        side->can_write = false; /* a full disk: the note stays old, which is safe */
    }
}
