/* local/file::local/directory: a symbolic link to the file stands in the directory.
 *
 * Invariants: (1) nothing but a symbolic link is ever replaced or removed, and one of somebody else's never; (2)
 * readers see the old link or the new one; (3) at most one temporary name is left by a dead attempt, which the next
 * attempt or the removal takes away. */
#include "providers/local/local.h"
#include "providers/local/place.h"
#include "seal/seal.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

enum { SHOWN_MAX = 200 };

static value find_in(value map, sv name) {
    return map.kind == VALUE_MAP ? value_map_find(map, name) : (value){0};
}

/* --- Staging --- */

static bool is_name(sv name) {
    return name.len > 0 && name.len <= NAME_MAX && sv_find_char(name, '/') == SIZE_MAX &&
           sv_find_char(name, 0) == SIZE_MAX && !sv_eq(name, SV(".")) && !sv_eq(name, SV(".."));
}

/* The annotation, or the file's own name; UNKNOWN when its path is not known yet. Kind 0 after a report. */
static value find_name(struct link_call *c, value target) {
    sv key = arena_printf(c->arena, "local.directory.%.*s.linkName", SV_ARG(c->name_b));
    value name = find_in(find_in(c->metadata_a, SV("annotations")), key);
    if (value_is_set(name)) {
        if (name.kind != VALUE_STRING || is_name(value_get_text(name))) {
            return name;
        }
        diags_add(c->diags, DIAG_link_annotation_invalid, c->at_a, "annotation '%.*s' is no name of a file",
                  SV_ARG(sv_slice(key, 0, SHOWN_MAX)));
        return (value){0};
    }
    if (target.kind != VALUE_STRING) {
        return value_unknown(&type_string);
    }
    sv path = value_get_text(target);
    size_t slash = sv_rfind_char(path, '/');
    sv last = sv_slice(path, slash == SIZE_MAX ? 0 : slash + 1, path.len);
    return value_mark(value_string(c->arena, last), target.marks);
}

static value join(struct arena *a, value directory, value name) {
    if (directory.kind != VALUE_STRING || name.kind != VALUE_STRING) {
        return value_unknown(&type_string);
    }
    sv text = arena_printf(a, "%.*s/%.*s", SV_ARG(value_get_text(directory)), SV_ARG(value_get_text(name)));
    return value_mark(value_string(a, text), directory.marks | name.marks);
}

static struct link_intermediary describe(struct arena *a, sv path, value target) {
    struct map_builder state = {.arena = a};
    map_add(&state, SV("target"), target);
    return (struct link_intermediary){
        .id = path, .type = SV("local/symlink"), .is_owned = true, .state = map_done(&state)};
}

static value get_path(value spec) {
    value path = find_in(spec, SV("path"));
    return path.kind == VALUE_STRING ? path : value_unknown(&type_string);
}

/* A link cannot stand where the file stands that it is to lead to. */
static bool check_place(struct link_call *c, value path, value target) {
    bool is_known = path.kind == VALUE_STRING && target.kind == VALUE_STRING;
    if (!is_known || !sv_eq(value_get_text(path), value_get_text(target))) {
        return true;
    }
    struct diag *d = diags_add(c->diags, DIAG_link_annotation_invalid, c->at_a,
                               "the link to '%.*s' would stand in '%.*s' where the file itself is", SV_ARG(c->name_a),
                               SV_ARG(c->name_b));
    diag_set_hint(c->diags, d,
                  "the file is in that directory already: give the link another name with the annotation "
                  "local.directory.%.*s.linkName, or select another directory",
                  SV_ARG(c->name_b));
    return false;
}

static bool stage(struct link_call *c) {
    value target = get_path(c->spec_a), name = find_name(c, target);
    if (!value_is_set(name)) {
        return false;
    }
    value path = join(c->arena, get_path(c->spec_b), name);
    if (!check_place(c, path, target)) {
        return false;
    }
    struct map_builder data = {.arena = c->arena};
    map_add(&data, SV("path"), path);
    map_add(&data, SV("target"), target);
    c->data = map_done(&data);
    if (path.kind == VALUE_STRING) {
        struct link_intermediary link = describe(c->arena, value_get_text(path), target);
        VEC_PUSH(c->arena, &c->intermediaries, link);
    }
    return true;
}

/* --- Places --- */

/* The directory of a link's path, opened; ABSENT when there is none. The caller closes in every case. */
static enum provider_result open_place(struct link_op_call *c, sv path, struct place *p) {
    struct map_builder spec = {.arena = c->call.arena};
    map_add(&spec, SV("path"), value_string(c->call.arena, path));
    c->call.spec = map_done(&spec);
    enum provider_result result = place_open(&c->call, false, p);
    return result == PROVIDER_OK ? place_check_time(&c->call) : result;
}

/* What the link at the place leads to: OK; ABSENT; TERMINAL without a reason when it is no symbolic link. */
static enum provider_result read_link(struct link_op_call *c, const struct place *p, sv *target) {
    char text[PATH_MAX];
    ssize_t len = readlinkat(p->dir, p->name, text, sizeof text);
    if (len < 0) {
        return errno == ENOENT   ? PROVIDER_ABSENT
               : errno == EINVAL ? PROVIDER_TERMINAL
                                 : place_fail(&c->call, "look at", p->path, errno);
    }
    *target = arena_copy_sv(c->call.arena, sv_make(text, (size_t)len));
    return PROVIDER_OK;
}

/* The same for all attempts and runs, so that what one leaves another finds (3). */
static const char *get_temporary(struct link_op_call *c) {
    sv owner = arena_printf(c->call.arena, "%.*s %.*s", SV_ARG(c->call.instance_id), SV_ARG(c->call.address.text));
    sv digest = seal_sha256(c->call.arena, owner);
    return arena_printf(c->call.arena, ".lintel-%.*s.tmp", 32, digest.data).data;
}

/* --- Making --- */

static sv known_target(const struct link_op_call *c, sv path) {
    for (size_t i = 0; i < c->known_count; i++) {
        if (sv_eq(c->known[i].id, path)) {
            return provider_get_text(c->known[i].state, SV("target"));
        }
    }
    return (sv){0};
}

/* A link that was there before this one was made belongs to somebody else, unless it leads where ours shall. */
static bool is_foreign(const struct link_op_call *c, sv path) {
    return !sv_eq(provider_get_text(c->prior, SV("path")), path);
}

static enum provider_result refuse(struct link_op_call *c, sv path) {
    return link_fail(c, PROVIDER_TERMINAL, "'%.*s' is there and was not made by this link",
                     SV_ARG(sv_slice(path, 0, SHOWN_MAX)));
}

static enum provider_result replace(struct link_op_call *c, const struct place *p, const char *target) {
    const char *temporary = get_temporary(c);
    unlinkat(p->dir, temporary, 0);
    if (symlinkat(target, p->dir, temporary) != 0) {
        return place_fail(&c->call, "make", p->path, errno);
    }
    if (renameat(p->dir, temporary, p->dir, p->name) != 0) {
        int error = errno;
        unlinkat(p->dir, temporary, 0);
        return place_fail(&c->call, "make", p->path, error);
    }
    return PROVIDER_OK;
}

static enum provider_result make_at(struct link_op_call *c, const struct place *p, sv target) {
    const char *wanted = arena_copy_cstr(c->call.arena, target);
    sv there = {0};
    enum provider_result result = read_link(c, p, &there);
    if (result == PROVIDER_OK && sv_eq(there, target)) {
        unlinkat(p->dir, get_temporary(c), 0);
        return PROVIDER_OK;
    }
    if (result == PROVIDER_ABSENT) {
        unlinkat(p->dir, get_temporary(c), 0);
        if (symlinkat(wanted, p->dir, p->name) == 0) {
            return PROVIDER_OK;
        }
        return errno == EEXIST ? refuse(c, p->path) : place_fail(&c->call, "make", p->path, errno);
    }
    if (result == PROVIDER_OK) {
        return is_foreign(c, p->path) ? refuse(c, p->path) : replace(c, p, wanted);
    }
    return c->call.reasons.items.len > 0 ? result : refuse(c, p->path);
}

/* The link at `path`, if it leads where ours did. ABSENT when there is nothing of ours. */
static enum provider_result remove_at(struct link_op_call *c, sv path, sv target) {
    struct place p;
    sv there = {0};
    enum provider_result result = open_place(c, path, &p);
    if (result == PROVIDER_OK) {
        unlinkat(p.dir, get_temporary(c), 0);
        result = read_link(c, &p, &there);
        bool is_other = result == PROVIDER_TERMINAL && c->call.reasons.items.len == 0;
        if (is_other || (result == PROVIDER_OK && !sv_eq(there, target))) {
            place_log(&c->call, SV("what stands in the link's place is another's by now and is left alone"));
            result = PROVIDER_ABSENT;
        }
    }
    if (result == PROVIDER_OK && unlinkat(p.dir, p.name, 0) != 0 && errno != ENOENT) {
        result = place_fail(&c->call, "remove", path, errno);
    }
    if (result == PROVIDER_OK && fsync(p.dir) != 0) {
        result = place_fail(&c->call, "remove", path, errno);
    }
    place_close(&p);
    return result;
}

/* Links that are not wanted any more, because the name has changed. */
static enum provider_result remove_others(struct link_op_call *c, sv kept) {
    for (size_t i = 0; i < c->known_count; i++) {
        if (sv_eq(c->known[i].id, kept)) {
            continue;
        }
        enum provider_result result = remove_at(c, c->known[i].id, known_target(c, c->known[i].id));
        if (result != PROVIDER_OK && result != PROVIDER_ABSENT) {
            return result;
        }
    }
    return PROVIDER_OK;
}

static enum provider_result update_intermediaries(struct link_op_call *c) {
    sv path = provider_get_text(c->data, SV("path")), target = provider_get_text(c->data, SV("target"));
    struct place p;
    enum provider_result result = open_place(c, path, &p);
    if (result == PROVIDER_ABSENT) {
        result = link_fail(c, PROVIDER_TERMINAL, "the directory of '%.*s' does not exist",
                           SV_ARG(sv_slice(path, 0, SHOWN_MAX)));
    }
    if (result == PROVIDER_OK) {
        result = make_at(c, &p, target);
    }
    if (result == PROVIDER_OK && fsync(p.dir) != 0) {
        result = place_fail(&c->call, "make", path, errno);
    }
    place_close(&p);
    if (result == PROVIDER_OK) {
        result = remove_others(c, path);
    }
    if (result == PROVIDER_OK) {
        struct link_intermediary link = describe(c->call.arena, path, value_map_find(c->data, SV("target")));
        VEC_PUSH(c->call.arena, &c->intermediaries, link);
    }
    return result;
}

static enum provider_result remove_intermediaries(struct link_op_call *c) {
    return remove_others(c, (sv){0});
}

/* --- Reading --- */

static enum provider_result read_one(struct link_op_call *c, const struct link_intermediary *known) {
    struct arena *a = c->call.arena;
    struct place p;
    sv there = {0};
    enum provider_result result = open_place(c, known->id, &p);
    if (result == PROVIDER_OK) {
        result = read_link(c, &p, &there);
    }
    place_close(&p);
    bool is_other = result == PROVIDER_TERMINAL && c->call.reasons.items.len == 0;
    if (result == PROVIDER_OK || is_other) {
        value target = is_other ? value_string(a, SV("(no symbolic link)")) : value_string(a, there);
        VEC_PUSH(a, &c->intermediaries, describe(a, known->id, target));
    }
    return is_other || result == PROVIDER_ABSENT ? PROVIDER_OK : result;
}

static enum provider_result read_intermediaries(struct link_op_call *c) {
    for (size_t i = 0; i < c->known_count; i++) {
        enum provider_result result = read_one(c, &c->known[i]);
        if (result != PROVIDER_OK) {
            return result;
        }
    }
    return c->intermediaries.len == 0 ? PROVIDER_ABSENT : PROVIDER_OK;
}

/* --- Tables --- */

static const struct link_annotation annotations[] = {
    {
        .key = SV_INIT("local.directory.<resourceName>.linkName"),
        .side = LINK_SIDE_A,
        .type = SCHEMA_STRING,
        .text = SV_INIT("Name of the symbolic link in this directory; by default the name of the file"),
    },
};

const struct link_type local_file_to_directory_link = {
    .type_a = SV_INIT("local/file"),
    .type_b = SV_INIT("local/directory"),
    .summary = SV_INIT("A symbolic link to the file stands in the directory"),
    .details =
        SV_INIT("The link leads to the absolute path of the file. It goes with the link of the resources; gone or "
                "changed by hand it is drift. What stands there already is never replaced, unless it is a "
                "symbolic link of this link's own."),
    .annotations = annotations,
    .annotation_count = sizeof annotations / sizeof annotations[0],
    .stage = stage,
    .deadline_ms = 60000,
    .update_intermediaries = update_intermediaries,
    .remove_intermediaries = remove_intermediaries,
    .read_intermediaries = read_intermediaries,
};
