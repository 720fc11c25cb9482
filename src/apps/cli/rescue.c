/* What the state store could not take any more (LC-046). */
#include "apps/cli/session.h"

#include <fcntl.h>
#include <unistd.h>

static bool append(const char *path, sv line) {
    int fd = open(path, O_WRONLY | O_CREAT | O_APPEND | O_NOFOLLOW | O_CLOEXEC, 0600);
    if (fd < 0)
        return false;
    ssize_t written = write(fd, line.data, line.len);
    bool ok = written == (ssize_t)line.len && fsync(fd) == 0;
    off_t end = lseek(fd, 0, SEEK_END);
    if (!ok && written > 0 && ftruncate(fd, end - written) == 0)
        end -= written; /* else half a line stays; the whole one goes to standard error all the same */
    if (!ok && end == 0)
        unlink(path); /* an empty file would say that there is something to replay */
    close(fd);
    return ok;
}

void rescue_on_line(void *user, sv run_id, sv line) {
    struct cli *c = progress_get_cli(user);
    sv path = arena_printf(&c->arena, "%.*s/rescue-%.*s.jsonl", SV_ARG(c->state_dir), SV_ARG(run_id));
    struct buf out = BUF(&c->arena);
    buf_append(&out, line);
    buf_append_char(&out, '\n');
    if (append(path.data, buf_get_sv(&out))) {
        if (!c->rescued) {
            struct diag *d = diags_add(&c->diags, DIAG_state_not_available, SPAN_NONE,
                                       "outcomes that the state could not take are in '%.*s'", SV_ARG(path));
            diag_set_hint(
                &c->diags, d,
                "replay the file with: lintel state rescue FILE; without it the next deploy asks the providers");
        }
        c->rescued = true;
        return;
    }
    ssize_t ignored = write(STDERR_FILENO, buf_get_sv(&out).data, buf_get_sv(&out).len);
    (void)ignored;
}
