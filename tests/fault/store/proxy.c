#include "fault/store/proxy.h"

#include "fault/store/common.h"

#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

enum { ANSWER_US = 100000 }; /* the server has done what it was told by then */

static struct sockaddr_un make_address(const char *dir) {
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    snprintf(address.sun_path, sizeof address.sun_path, "%s/.s.PGSQL.5432", dir);
    return address;
}

/* All of what is there; false at the end. */
static bool relay(int from, int to) {
    char bytes[65536];
    ssize_t len = read(from, bytes, sizeof bytes);
    for (ssize_t done = 0, n; done < len; done += n) {
        n = write(to, bytes + done, (size_t)(len - done));
        if (n <= 0) {
            return false;
        }
    }
    return len > 0;
}

static _Noreturn void serve(struct proxy *p, int client, int server) {
    struct pollfd fds[2] = {{.fd = client, .events = POLLIN}, {.fd = server, .events = POLLIN}};
    while (poll(fds, 2, -1) > 0) {
        int64_t cut = fds[0].revents != 0 ? atomic_exchange(p->cut, CUT_NOTHING) : CUT_NOTHING;
        if (cut == CUT_REQUEST) {
            _exit(0);
        }
        if (fds[0].revents != 0 && !relay(client, server)) {
            _exit(0);
        }
        if (cut == CUT_ANSWER) {
            usleep(ANSWER_US);
            _exit(0);
        }
        if (fds[1].revents != 0 && !relay(server, client)) {
            _exit(0);
        }
    }
    _exit(0);
}

static _Noreturn void accept_all(struct proxy *p, const char *server_dir, int listener) {
    signal(SIGCHLD, SIG_IGN);
    signal(SIGPIPE, SIG_IGN);
    for (;;) {
        int client = accept(listener, NULL, NULL);
        if (client >= 0 && fork() == 0) {
            struct sockaddr_un address = make_address(server_dir);
            int server = socket(AF_UNIX, SOCK_STREAM, 0);
            prctl(PR_SET_PDEATHSIG, SIGKILL);
            if (connect(server, (struct sockaddr *)&address, sizeof address) == 0) {
                serve(p, client, server);
            }
            _exit(1);
        }
        close(client);
    }
}

void proxy_start(struct proxy *p, struct server *s) {
    snprintf(p->dir, sizeof p->dir, "/tmp/lintel-px-XXXXXX");
    assert_non_null(mkdtemp(p->dir));
    p->cut = (_Atomic int64_t *)new_shared_number();
    struct sockaddr_un address = make_address(p->dir);
    int listener = socket(AF_UNIX, SOCK_STREAM, 0);
    assert_int_equal(bind(listener, (struct sockaddr *)&address, sizeof address), 0);
    assert_int_equal(listen(listener, 16), 0);
    p->pid = fork();
    if (p->pid == 0) {
        accept_all(p, s->dir, listener);
    }
    close(listener);
}

void proxy_stop(struct proxy *p) {
    struct sockaddr_un address = make_address(p->dir);
    kill(p->pid, SIGKILL);
    waitpid(p->pid, NULL, 0);
    unlink(address.sun_path);
    rmdir(p->dir);
}

sv proxy_get_url(struct proxy *p, struct arena *a, const char *schema) {
    return arena_printf(a, "postgres://owner@/postgres?host=%s&schema=%s", p->dir, schema);
}
