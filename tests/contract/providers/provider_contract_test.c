/* The built-in types under the contract. */
#include "providers/local/local.h"
#include "providers/process/process_provider.h"
#include "providers/random/random.h"
#include "providers/sqlite/sqlite_provider.h"
#include "suite.h"

#include <dirent.h>
#include <sys/stat.h>

/* Names in the directory of the world that are no leftovers of SQLite. */
static size_t count_names(struct world *w) {
    DIR *dir = opendir(w->dir);
    size_t count = 0;
    for (struct dirent *entry = readdir(dir); entry != NULL; entry = readdir(dir)) {
        count += strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0;
    }
    closedir(dir);
    return count;
}

/* A file name of up to 255 bytes that a careless program would trip over. */
static sv hostile_path(struct world *w) {
    sv text = SV("a'b\"c`d\\e\nf\rg\t$(x) ${HOME};|&<>*?~#%s%n\x01\x1b[31m\xf0\x9f\x92\xa5..:mode=memory");
    return arena_printf(&w->arena, "%s/../%s/%.*s", w->dir, w->dir + sizeof "/tmp", SV_ARG(text));
}

static sv megabyte(struct world *w) {
    struct buf text = BUF(&w->arena);
    while (text.len < 1 << 20) {
        buf_append_cstr(&text, "0123456789 'x' \"y\"\n");
    }
    return buf_get_sv(&text);
}

/* --- local --- */

static sv file_json(struct world *w, int variant) {
    static const char *const contents[] = {"one", "two", "three"};
    return arena_printf(&w->arena, "{\"path\": \"%s/%s\", \"contents\": \"%s\", \"mode\": \"%s\"}", w->dir,
                        variant == 2 ? "b" : "a", contents[variant], variant == 1 ? "600" : "0644");
}

static sv file_hostile(struct world *w, int number) {
    sv path = number == 0 ? hostile_path(w) : world_path(w, "x");
    sv contents = number == 2 ? megabyte(w) : number < 2 ? world_get_hostile_text() : SV("a\0b\0");
    if (number > 3) {
        return (sv){0};
    }
    struct buf json = BUF(&w->arena);
    buf_printf(&json, "{\"path\": %s, \"contents\": ", world_quote(w, path).data);
    buf_append(&json, world_quote(w, contents));
    buf_append_char(&json, '}');
    return buf_get_sv(&json);
}

static sv directory_json(struct world *w, int variant) {
    return arena_printf(&w->arena, "{\"path\": \"%s/%s\", \"mode\": \"%s\"}", w->dir, variant == 2 ? "b" : "a",
                        variant == 1 ? "0700" : "0755");
}

static sv directory_hostile(struct world *w, int number) {
    if (number > 0) {
        return (sv){0};
    }
    return arena_printf(&w->arena, "{\"path\": %s}", world_quote(w, hostile_path(w)).data);
}

/* --- sqlite --- */

static sv database_json(struct world *w, int variant) {
    const char *more = variant == 1 ? ", \"CREATE TABLE b(x); INSERT INTO b VALUES (1)\"" : "";
    return arena_printf(&w->arena, "{\"path\": \"%s/%s.db\", \"migrations\": [\"CREATE TABLE a(x)\"%s]}", w->dir,
                        variant == 2 ? "two" : "one", more);
}

static sv database_hostile(struct world *w, int number) {
    struct buf sql = BUF(&w->arena);
    buf_append_cstr(&sql, "CREATE TABLE \"odd \"\" name\n\"(x); INSERT INTO \"odd \"\" name\n\" VALUES ('");
    buf_append_cstr(&sql, "it''s; COMMIT; -- \n $(x) ");
    if (number == 1) {
        buf_append_repeat(&sql, 'x', 1 << 20);
    }
    buf_append_cstr(&sql, "')");
    if (number > 1) {
        return (sv){0};
    }
    struct buf json = BUF(&w->arena);
    buf_printf(&json, "{\"path\": %s, \"migrations\": [", world_quote(w, hostile_path(w)).data);
    buf_append(&json, world_quote(w, buf_get_sv(&sql)));
    buf_append_cstr(&json, "]}");
    return buf_get_sv(&json);
}

/* --- process --- */

static sv service_json(struct world *w, int variant) {
    return arena_printf(&w->arena, "{\"command\": \"sleep\", \"args\": [\"%d\"], \"stopTimeoutMs\": 2000}",
                        1000 + variant);
}

/* The shell is named by the spec; its arguments and variables are data. */
static sv service_hostile(struct world *w, int number) {
    sv text = number == 1 ? sv_slice(megabyte(w), 0, 100000) : world_get_hostile_text();
    if (number > 1) {
        return (sv){0};
    }
    struct buf json = BUF(&w->arena);
    buf_append_cstr(&json, "{\"command\": [\"/bin/sh\", \"-c\", \"sleep 1000; :\"], \"args\": [\"sh\", ");
    buf_append(&json, world_quote(w, text));
    buf_append_cstr(&json, "], \"environment\": {\"HOSTILE\": ");
    buf_append(&json, world_quote(w, text));
    buf_append_cstr(&json, "}, \"workingDirectory\": ");
    mkdir(hostile_path(w).data, 0755);
    buf_append(&json, world_quote(w, hostile_path(w)));
    buf_append_cstr(&json, "}");
    return buf_get_sv(&json);
}

/* --- random --- */

static sv id_json(struct world *w, int variant) {
    (void)w;
    return variant == 2 ? SV("{\"byteLength\": 8}") : SV("{\"byteLength\": 16}");
}

static sv password_json(struct world *w, int variant) {
    (void)w;
    return variant == 2 ? SV("{\"length\": 8}") : SV("{\"length\": 40, \"special\": true}");
}

int main(void) {
    const struct subject subjects[] = {
        {"local/directory", &local_directory_type, false, directory_json, count_names, directory_hostile},
        {"local/file", &local_file_type, false, file_json, count_names, file_hostile},
        {"process/service", &process_service_type, false, service_json, world_count_services, service_hostile},
        {"random/id", &random_id_type, true, id_json, NULL, NULL},
        {"random/password", &random_password_type, true, password_json, NULL, NULL},
        {"sqlite/database", &sqlite_database_type, false, database_json, count_names, database_hostile},
    };
    return suite_run(subjects, sizeof subjects / sizeof subjects[0]);
}
