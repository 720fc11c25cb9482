#include "suite.h"

#include "adapters/process/process.h"
#include "value/convert.h"

#include <ftw.h>
#include <netinet/in.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

int world_set_up(void **state) {
    struct world *w = calloc(1, sizeof *w);
    strcpy(w->dir, "/tmp/lintel-provider-XXXXXX");
    assert_non_null(mkdtemp(w->dir));
    w->instance_id = arena_printf(&w->arena, "test-%d-%s", (int)getpid(), w->dir + sizeof "/tmp/lintel-provider");
    w->host = host_system;
    w->number = (uint32_t)getpid(); /* tests may run beside each other */
    *state = w;
    return 0;
}

static int remove_one(const char *path, const struct stat *st, int type, struct FTW *ftw) {
    (void)st;
    (void)type;
    (void)ftw;
    return remove(path);
}

static void find_services(struct world *w, struct process_refs *found) {
    sv entry = arena_printf(&w->arena, "LINTEL_INSTANCE=%.*s", SV_ARG(w->instance_id));
    process_scan(&w->arena, &entry, 1, found);
}

int world_tear_down(void **state) {
    struct world *w = *state;
    /* again until none is left: one may be forking while it is looked at */
    for (bool any = true; any;) {
        struct process_refs found = {0};
        find_services(w, &found);
        for (size_t i = 0; i < found.items.len; i++) {
            kill((pid_t)found.items.items[i].ref.pid, SIGKILL);
        }
        any = found.items.len > 0;
    }
    nftw(w->dir, remove_one, 16, FTW_DEPTH | FTW_PHYS);
    arena_fini(&w->arena);
    free(w);
    return 0;
}

value world_make_spec(struct world *w, const struct resource_type *type, sv json) {
    sv why = {0};
    size_t offset = 0;
    value v = value_parse_json(&w->arena, json, &limits_default, false, &why, &offset);
    if (v.kind != VALUE_MAP) {
        fail_msg("bad JSON at %zu: %.*s", offset, SV_ARG(why));
    }
    return schema_fill_defaults(&w->arena, type->schema, v);
}

static bool on_progress(void *user, value token) {
    struct world *w = user;
    assert_true(value_is_set(token));
    w->progress_calls++;
    return !w->refuse_progress;
}

static void on_log(void *user, sv line) {
    (void)user;
    assert_true(line.len > 0);
}

struct provider_call world_make_call(struct world *w, const struct resource_type *type, uint8_t key, value spec,
                                     value computed) {
    (void)type;
    struct provider_call c = {
        .arena = &w->arena,
        .address = {SV("resources.subject")},
        .instance_id = w->instance_id,
        .deadline_ms = w->host.ops->get_monotonic_ms(w->host.user) + 20000,
        .cancel = &w->cancel,
        .host = &w->host,
        .base_dir = sv_from_cstr(w->dir),
        .context = SV("default"),
        .spec = spec,
        .progress = on_progress,
        .log = on_log,
        .user = w,
    };
    memset(c.op_key, key, sizeof c.op_key);
    memcpy(c.op_key + sizeof c.op_key - sizeof w->number, &w->number, sizeof w->number);
    if (value_is_set(computed)) {
        c.prior = schema_merge(&w->arena, spec, computed);
    }
    return c;
}

sv world_get_reason(const struct provider_call *c) {
    return c->reasons.items.len > 0 ? c->reasons.items.items[0] : (sv){0};
}

sv world_get_hostile_text(void) {
    return SV("a'b\"c`d\\e\nf\rg\th $(touch /tmp/lintel-was-here) ${HOME} ; | & < > * ? ~ # %s %n \x01\x1b[31m "
              "\xf0\x9f\x92\xa5 ../../etc/passwd");
}

sv world_quote(struct world *w, sv text) {
    struct buf out = BUF(&w->arena);
    jsonw_quote(&out, text);
    return buf_get_sv(&out);
}

sv world_path(struct world *w, const char *name) {
    return arena_printf(&w->arena, "%s/%s", w->dir, name);
}

uint16_t world_find_port(void) {
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t len = sizeof address;
    assert_int_equal(bind(fd, (struct sockaddr *)&address, len), 0);
    assert_int_equal(getsockname(fd, (struct sockaddr *)&address, &len), 0);
    close(fd);
    return ntohs(address.sin_port);
}

size_t world_count_services(struct world *w) {
    struct process_refs found = {0};
    find_services(w, &found);
    size_t count = 0;
    for (size_t i = 0; i < found.items.len; i++) {
        count += found.items.items[i].session == found.items.items[i].ref.pid;
    }
    return count;
}
