#include "contract/store/server.h"

#include "base/buf.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>

#include <cmocka.h>

#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <glob.h>
#include <grp.h>
#include <pwd.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

enum { ARGS_MAX = 16 };

/* Servers refuse to be root. */
static const struct passwd *find_user(void) {
    return geteuid() == 0 ? getpwnam("postgres") : NULL;
}

static void become_user(void) {
    const struct passwd *user = find_user();
    if (user != NULL && (setgroups(0, NULL) != 0 || setgid(user->pw_gid) != 0 || setuid(user->pw_uid) != 0)) {
        _exit(126);
    }
}

static const char *find_programs(struct arena *a) {
    glob_t found;
    const char *bin = NULL;
    if (glob("/usr/lib/postgresql/*/bin/initdb", 0, NULL, &found) == 0 && found.gl_pathc > 0) {
        sv path = sv_from_cstr(found.gl_pathv[found.gl_pathc - 1]);
        bin = arena_copy_cstr(a, sv_slice(path, 0, sv_rfind_char(path, '/')));
    }
    globfree(&found);
    return geteuid() == 0 && find_user() == NULL ? NULL : bin;
}

/* What it prints on standard output goes to `out`, when there is one. */
static int run(struct server *s, const char *program, const char *const *args, struct buf *out) {
    int ends[2];
    const char *argv[ARGS_MAX + 2] = {arena_printf(&s->arena, "%s/%s", s->bin, program).data};
    for (size_t i = 0; args[i] != NULL; i++) {
        assert_true(i < ARGS_MAX);
        argv[i + 1] = args[i];
    }
    assert_int_equal(pipe2(ends, O_CLOEXEC), 0);
    pid_t child = fork();
    if (child == 0) {
        become_user();
        int nowhere = open("/dev/null", O_RDWR);
        dup2(nowhere, 0);
        dup2(out == NULL ? nowhere : ends[1], 1);
        if (chdir(s->dir) != 0 || (out == NULL && dup2(nowhere, 2) < 0)) {
            _exit(125);
        }
        execv(argv[0], (char *const *)(uintptr_t)argv);
        _exit(127);
    }
    close(ends[1]);
    char text[4096];
    ssize_t len;
    while (out != NULL && ((len = read(ends[0], text, sizeof text)) > 0 || (len < 0 && errno == EINTR))) {
        buf_append(out, sv_make(text, len > 0 ? (size_t)len : 0));
    }
    close(ends[0]);
    int status = 0;
    while (waitpid(child, &status, 0) < 0 && errno == EINTR) {}
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128;
}

static const char *get_path(struct server *s, const char *name) {
    return arena_printf(&s->arena, "%s/%s", s->dir, name).data;
}

/* After a kill the processes that are left over have to notice first. */
void server_restart(struct server *s) {
    const char *options = arena_printf(&s->arena, "-k %s -c listen_addresses= -c max_connections=60", s->dir).data;
    const char *const args[] = {"-D", get_path(s, "data"), "-w",    "-t", "60", "-o", options,
                                "-l", get_path(s, "log"),  "start", NULL};
    int status = 1;
    for (int i = 0; i < 40 && status != 0; i++) {
        status = run(s, "pg_ctl", args, NULL);
        usleep(status == 0 ? 0 : 100000);
    }
    assert_int_equal(status, 0);
}

bool server_start(struct server *s) {
    *s = (struct server){.owner = getpid()};
    s->bin = find_programs(&s->arena);
    if (s->bin == NULL) {
        return false;
    }
    snprintf(s->dir, sizeof s->dir, "/tmp/lintel-pg-XXXXXX");
    assert_non_null(mkdtemp(s->dir));
    const struct passwd *user = find_user();
    if (user != NULL) {
        assert_int_equal(chown(s->dir, user->pw_uid, user->pw_gid), 0);
        assert_int_equal(chmod(s->dir, 0755), 0);
    }
    const char *const args[] = {"-D",   get_path(s, "data"), "-A", "trust", "-U", "owner", "--no-sync", "-E",
                                "UTF8", "--locale=C",        NULL};
    assert_int_equal(run(s, "initdb", args, NULL), 0);
    server_restart(s);
    return true;
}

static pid_t get_postmaster(struct server *s) {
    FILE *file = fopen(get_path(s, "data/postmaster.pid"), "r");
    char line[32] = "";
    assert_non_null(file);
    assert_non_null(fgets(line, sizeof line, file));
    fclose(file);
    long pid = strtol(line, NULL, 10);
    assert_true(pid > 1);
    return (pid_t)pid;
}

void server_signal_backends(struct server *s, int number) {
    sv children = server_query(s, "postgres",
                               "SELECT string_agg(pid::text, ' ') FROM pg_stat_activity"
                               " WHERE application_name LIKE 'lintel %'");
    while (children.len > 0) {
        long pid = strtol(arena_copy_cstr(&s->arena, sv_cut(&children, ' ')), NULL, 10);
        assert_true(pid > 1);
        kill((pid_t)pid, number);
    }
}

void server_kill(struct server *s) {
    pid_t pid = get_postmaster(s);
    kill(pid, SIGKILL);
    while (kill(pid, 0) == 0) {
        usleep(1000);
    }
}

static int remove_entry(const char *path, const struct stat *st, int type, struct FTW *place) {
    (void)st;
    (void)type;
    (void)place;
    return remove(path);
}

void server_stop(struct server *s) {
    if (s->bin != NULL && s->owner == getpid()) {
        const char *const args[] = {"-D", get_path(s, "data"), "-m", "immediate", "-w", "stop", NULL};
        run(s, "pg_ctl", args, NULL);
        nftw(s->dir, remove_entry, 16, FTW_DEPTH | FTW_PHYS);
    }
    arena_fini(&s->arena);
}

sv server_query(struct server *s, const char *database, const char *sql) {
    struct buf out = BUF(&s->arena);
    const char *const args[] = {"-X", "-q", "-A", "-t", "-h", s->dir, "-U", "owner", "-d", database, "-c", sql, NULL};
    assert_int_equal(run(s, "psql", args, &out), 0);
    return sv_trim(buf_get_sv(&out));
}

sv server_get_url(struct server *s, const char *user, const char *schema) {
    return arena_printf(&s->arena, "postgres://%s@/postgres?host=%s&schema=%s", user == NULL ? "owner" : user, s->dir,
                        schema);
}
