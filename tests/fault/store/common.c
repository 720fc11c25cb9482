#include "fault/store/common.h"

#include <fcntl.h>
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

void place_init(struct place *p) {
    *p = (struct place){0};
    place_reset_diags(p);
    const char *base = access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp";
    snprintf(p->dir, sizeof p->dir, "%s/lintel-fault-XXXXXX", base);
    assert_non_null(mkdtemp(p->dir));
}

static int remove_entry(const char *path, const struct stat *st, int type, struct FTW *at) {
    (void)st;
    (void)type;
    (void)at;
    return remove(path);
}

void place_fini(struct place *p) {
    nftw(p->dir, remove_entry, 16, FTW_DEPTH | FTW_PHYS);
    arena_fini(&p->arena);
}

sv place_get_path(struct place *p, const char *name) {
    return arena_printf(&p->arena, "%s/%s", p->dir, name);
}

void place_reset_diags(struct place *p) {
    sources_init(&p->sources, &p->arena);
    diags_init(&p->diags, &p->arena, &p->sources);
}

struct store *place_open(struct place *p, sv path, enum store_result *result) {
    struct store_options options = {
        .diags = &p->diags, .host = (struct host *)(uintptr_t)&host_system, .busy_timeout_ms = 30000};
    return sqlite_store_open(&p->arena, path, &options, result);
}

sv make_own_holder(struct arena *a) {
    sv actor = host_system.ops->get_actor(NULL, a);
    sv boot_id = host_system.ops->get_boot_id(NULL, a);
    size_t at = sv_rfind_char(actor, '@');
    return arena_printf(a, "{\"pid\":%d,\"startTime\":0,\"bootId\":\"%.*s\",\"host\":\"%.*s\"}", getpid(),
                        SV_ARG(boot_id), SV_ARG(sv_slice(actor, at + 1, actor.len)));
}

static enum store_result write_rows(struct store *s, int64_t version) {
    struct arena scratch = {0};
    struct store_instance i = sample_instance("id-1", "shop");
    i.version = version;
    i.body = arena_printf(&scratch, "%lld", (long long)version);
    enum store_result r = s->ops->put_instance(s, &i, version - 1);
    for (int n = 0; r == STORE_OK && n < ELEMENTS; n++) {
        char address[32];
        snprintf(address, sizeof address, "resources.e%d", n);
        struct store_element e = sample_element(address, i.body);
        r = s->ops->put_element(s, SV("id-1"), &e);
    }
    if (r == STORE_OK && version > 1) {
        struct journal_row row = sample_row(version - 1, 1);
        r = s->ops->append_journal(s, SV("id-1"), &row);
    }
    arena_fini(&scratch);
    return r;
}

enum store_result write_version(struct store *s, const struct store_lease *lease, int64_t version) {
    enum store_result r = s->ops->begin(s, lease);
    if (r != STORE_OK) {
        return r;
    }
    r = write_rows(s, version);
    if (r == STORE_OK) {
        return s->ops->commit(s);
    }
    s->ops->rollback(s);
    return r;
}

int64_t read_version(struct store *s) {
    struct arena a = {0};
    struct store_tree tree;
    int64_t version = -1;
    if (s->ops->load_tree(s, &a, SV("id-1"), &tree) == STORE_OK) {
        version = tree.found ? tree.instance.version : 0;
        assert_int_equal(tree.elements.len, tree.found ? ELEMENTS : 0);
        assert_int_equal(tree.journal.len, tree.found ? version - 1 : 0);
        for (size_t n = 0; n < tree.elements.len; n++) {
            CHECK_SV(tree.elements.items[n].body, tree.instance.body);
        }
        for (size_t n = 0; n < tree.journal.len; n++) {
            assert_int_equal(tree.journal.items[n].sequence, n + 1);
        }
        if (tree.found) {
            CHECK_SV(tree.instance.body, arena_printf(&a, "%lld", (long long)version));
        }
    }
    arena_fini(&a);
    return version;
}

int64_t read_version_at(struct place *p, sv path) {
    place_reset_diags(p);
    struct store *s = place_open(p, path, NULL);
    if (s == NULL) {
        fail_msg("%.*s", SV_ARG(p->diags.items.items[0]->message));
        return -1;
    }
    int64_t version = read_version(s);
    s->ops->close(s);
    return version;
}

int64_t *new_shared_number(void) {
    void *memory = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    assert_true(memory != MAP_FAILED);
    return memory;
}

sv read_whole_file(struct arena *a, sv path) {
    int fd = open(path.data, O_RDONLY);
    assert_true(fd >= 0);
    off_t size = lseek(fd, 0, SEEK_END);
    char *data = arena_alloc_array(a, (size_t)size + 1, 1);
    assert_int_equal(pread(fd, data, (size_t)size, 0), size);
    close(fd);
    return sv_make(data, (size_t)size);
}

void write_whole_file(sv path, sv text) {
    int fd = open(path.data, O_WRONLY | O_CREAT | O_TRUNC, 0600);
    assert_true(fd >= 0);
    assert_int_equal(write(fd, text.data, text.len), (ssize_t)text.len);
    close(fd);
}

void copy_file(sv from, sv to) {
    struct arena a = {0};
    write_whole_file(to, read_whole_file(&a, from));
    arena_fini(&a);
}
