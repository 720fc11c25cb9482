#include "engine/ids.h"

#include "base/jsonw.h"
#include "base/num.h"

#include <fcntl.h>
#include <unistd.h>

sv id_make_run(struct arena *a, struct host *host) {
    static const char digits[] = "0123456789ABCDEFGHJKMNPQRSTVWXYZ";
    uint8_t bits[16];
    host->ops->fill_random(host->user, bits, sizeof bits);
    uint64_t ms = (uint64_t)host->ops->get_wall_ms(host->user);
    char *text = ARENA_ARRAY(a, char, 27);
    for (int i = 9; i >= 0; i--) {
        text[i] = digits[ms & 31];
        ms >>= 5;
    }
    for (int i = 0; i < 16; i++) {
        text[10 + i] = digits[bits[i] & 31];
    }
    return sv_make(text, 26);
}

sv id_make_instance(struct arena *a, struct host *host) {
    static const char letters[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
    uint8_t bits[21];
    host->ops->fill_random(host->user, bits, sizeof bits);
    char *text = ARENA_ARRAY(a, char, sizeof bits + 1);
    for (size_t i = 0; i < sizeof bits; i++) {
        text[i] = letters[bits[i] & 63];
    }
    if (text[0] == '-') { /* would look like an option */
        text[0] = '_';
    }
    return sv_make(text, sizeof bits);
}

/* Ticks after boot at which the process started: field 22 of its stat file, counted behind the name in parentheses. 0
 * when it cannot be told. */
static int64_t get_start_time(int64_t pid) {
    struct arena scratch = {0};
    sv path = arena_printf(&scratch, "/proc/%lld/stat", (long long)pid);
    char text[1024];
    ssize_t len = -1;
    int fd = open(path.data, O_RDONLY | O_CLOEXEC);
    if (fd >= 0) {
        len = read(fd, text, sizeof text);
        close(fd);
    }
    arena_fini(&scratch);
    sv rest = {text, len > 0 ? (size_t)len : 0};
    size_t end = sv_rfind_char(rest, ')');
    if (end == SIZE_MAX || end + 2 > rest.len) {
        return 0;
    }
    rest = sv_slice(rest, end + 2, rest.len);
    for (int field = 3; field < 22; field++) {
        sv_cut(&rest, ' ');
    }
    int64_t ticks = 0;
    return num_parse_i64(sv_cut(&rest, ' '), 10, &ticks) == NUM_OK ? ticks : 0;
}

sv id_make_holder(struct arena *a, struct host *host, const struct holder *h) {
    struct buf out = BUF(a);
    struct jsonw w = JSONW(&out, 0);
    sv actor = host->ops->get_actor(host->user, a);
    size_t at = sv_rfind_char(actor, '@');
    int64_t pid = host->ops->get_pid(host->user);
    jsonw_begin_object(&w);
    jsonw_put_text(&w, "runId", h->run_id);
    jsonw_put_text(&w, "actor", actor);
    jsonw_put_text(&w, "host", at == SIZE_MAX ? (sv){0} : sv_slice(actor, at + 1, actor.len));
    jsonw_put_i64(&w, "pid", pid);
    jsonw_put_i64(&w, "startTime", get_start_time(pid));
    jsonw_put_text(&w, "bootId", host->ops->get_boot_id(host->user, a));
    jsonw_put_text(&w, "command", h->command);
    jsonw_put_i64(&w, "since", host->ops->get_wall_ms(host->user));
    jsonw_end_object(&w);
    return buf_get_sv(&out);
}
