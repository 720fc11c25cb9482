/* Listening ports: sockets among the descriptors of a process, looked up in the kernel's tables of TCP. */
#include "adapters/process/process.h"
#include "base/buf.h"
#include "base/map.h"
#include "base/num.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

enum {
    TABLE_MAX = 16 << 20,
    LINK_MAX = 64,
    COLUMN_LOCAL = 1, /* of /proc/net/tcp, from 0 */
    COLUMN_STATE = 3,
    COLUMN_INODE = 9,
};

/* "socket:[12345]" → "12345" */
static sv parse_socket_link(sv link) {
    if (!sv_has_prefix(link, SV("socket:[")) || !sv_has_suffix(link, SV("]"))) {
        return (sv){0};
    }
    return sv_slice(link, 8, link.len - 1);
}

/* Each stream has one reader, so this is safe in any thread. */
static struct dirent *read_entry(DIR *dir) {
    /* cppcheck-suppress readdirCalled */
    return readdir(dir);
}

static void collect_sockets(struct arena *a, int64_t pid, struct map *inodes) {
    char path[64];
    snprintf(path, sizeof path, "/proc/%lld/fd", (long long)pid);
    DIR *dir = opendir(path);
    if (dir == NULL) {
        return;
    }
    for (struct dirent *entry = read_entry(dir); entry != NULL; entry = read_entry(dir)) {
        char link[LINK_MAX];
        ssize_t len = readlinkat(dirfd(dir), entry->d_name, link, sizeof link);
        sv inode = len > 0 ? parse_socket_link(sv_make(link, (size_t)len)) : (sv){0};
        if (inode.len > 0) {
            map_put(inodes, arena_copy_sv(a, inode), inodes);
        }
    }
    closedir(dir);
}

static sv read_table(struct arena *a, int64_t pid, const char *name) {
    char path[64];
    snprintf(path, sizeof path, "/proc/%lld/net/%s", (long long)pid, name);
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0) {
        return (sv){0};
    }
    struct buf out = BUF(a);
    for (;;) {
        ssize_t got = read(fd, buf_reserve(&out, 65536), 65536);
        if (got <= 0 || out.len > TABLE_MAX) {
            break;
        }
        out.len += (size_t)got;
    }
    close(fd);
    return buf_get_sv(&out);
}

/* The port of a line about a listening socket that is in the map; 0 for other lines. */
static uint16_t parse_line(sv line, const struct map *inodes) {
    sv local = {0}, state = {0}, inode = {0};
    for (int column = 0; line.len > 0 && column <= COLUMN_INODE;) {
        sv part = sv_cut(&line, ' ');
        if (part.len == 0) {
            continue;
        }
        local = column == COLUMN_LOCAL ? part : local;
        state = column == COLUMN_STATE ? part : state;
        inode = column == COLUMN_INODE ? part : inode;
        column++;
    }
    size_t colon = sv_rfind_char(local, ':');
    int64_t port;
    if (!sv_eq(state, SV("0A")) || !map_has(inodes, inode) || colon == SIZE_MAX ||
        num_parse_i64(sv_slice(local, colon + 1, local.len), 16, &port) != NUM_OK) {
        return 0;
    }
    return (uint16_t)port;
}

static int compare_ports(const void *x, const void *y) {
    return *(const uint16_t *)x - *(const uint16_t *)y;
}

void process_list_ports(struct arena *a, int64_t pid, struct process_ports *result) {
    struct arena scratch = {0};
    struct map inodes = MAP(&scratch);
    collect_sockets(&scratch, pid, &inodes);
    static const char *const tables[] = {"tcp", "tcp6"};
    for (size_t i = 0; i < sizeof tables / sizeof tables[0] && inodes.live > 0; i++) {
        sv table = read_table(&scratch, pid, tables[i]);
        while (table.len > 0) {
            uint16_t port = parse_line(sv_cut(&table, '\n'), &inodes);
            if (port != 0) {
                VEC_PUSH(a, &result->items, port);
            }
        }
    }
    arena_fini(&scratch);
    if (result->items.len < 2) {
        return;
    }
    qsort(result->items.items, result->items.len, sizeof *result->items.items, compare_ports);
    size_t kept = 1;
    for (size_t i = 1; i < result->items.len; i++) {
        if (result->items.items[i] != result->items.items[kept - 1]) {
            result->items.items[kept++] = result->items.items[i];
        }
    }
    result->items.len = kept;
}
