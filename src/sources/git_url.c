#include "adapters/http/url.h"
#include "base/num.h"
#include "sources/git.h"

#include <stdlib.h>
#include <sys/stat.h>

enum { REF_MAX = 255, URL_MAX = 4096, SSH_PORT = 22 };

static bool is_one_of(char c, sv more) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
           sv_find_char(more, c) != SIZE_MAX;
}

/* Of these characters alone, not empty, and no option. */
static bool is_word(sv text, sv more) {
    for (size_t i = 0; i < text.len; i++) {
        if (!is_one_of(text.data[i], more)) {
            return false;
        }
    }
    return text.len > 0 && text.data[0] != '-';
}

/* What git itself allows in names of branches and tags, without what it gives a meaning. */
bool git_is_ref(sv ref) {
    for (size_t i = 0; i < ref.len; i++) {
        unsigned char c = (unsigned char)ref.data[i];
        if (c <= ' ' || c == 0x7f || sv_find_char(SV("~^:?*[\\"), ref.data[i]) != SIZE_MAX) {
            return false;
        }
    }
    return ref.len > 0 && ref.len <= REF_MAX && ref.data[0] != '-' && ref.data[0] != '/' && ref.data[0] != '+' &&
           sv_find(ref, SV("..")) == SIZE_MAX && sv_find(ref, SV("@{")) == SIZE_MAX &&
           sv_find(ref, SV("//")) == SIZE_MAX && !sv_has_suffix(ref, SV("/")) && !sv_has_suffix(ref, SV("."));
}

bool git_is_commit(sv text) {
    for (size_t i = 0; i < text.len; i++) {
        char c = text.data[i];
        if (!((c >= '0' && c <= '9') || (c >= 'a' && c <= 'f'))) {
            return false;
        }
    }
    return text.len == 40 || text.len == DIGEST_TEXT;
}

static bool fail_form(struct gatherer *g, struct fetch_failure *failure) {
    sources_fail(g, failure, DIAG_invalid_metadata, "'repository' is neither an https or ssh URL nor a directory");
    failure->hint = SV("such as https://example.org/team/base.git or git@example.org:team/base.git");
    return false;
}

/* --- https --- */

static bool parse_https(struct gatherer *g, sv text, struct git_url *u, struct fetch_failure *failure) {
    struct http_url url;
    if (!http_url_parse(g->arena, text, &url) || !sv_eq(url.scheme, SV("https")) || url.query.len > 0 ||
        url.has_fragment) {
        return fail_form(g, failure);
    }
    if (url.has_user) {
        sources_fail(g, failure, DIAG_invalid_metadata, "'repository' holds a user name or password");
        failure->hint = SV("a credential helper of git can give it");
        return false;
    }
    *u = (struct git_url){url.text, SV("https"), url.host, url.port};
    return true;
}

/* --- ssh --- */

static const sv user_marks = SV_INIT("-._+");
static const sv host_marks = SV_INIT("-._");
static const sv path_marks = SV_INIT("-._~/+@%,= ");

static bool parse_authority(sv text, sv *host, uint16_t *port) {
    size_t at = sv_find_char(text, '@');
    if (at != SIZE_MAX && !is_word(sv_slice(text, 0, at), user_marks)) {
        return false;
    }
    sv rest = at == SIZE_MAX ? text : sv_slice(text, at + 1, text.len);
    int64_t number = SSH_PORT;
    *host = sv_cut(&rest, ':');
    if (rest.len > 0 && (num_parse_i64(rest, 10, &number) != NUM_OK || number < 1 || number > 65535)) {
        return false;
    }
    *port = (uint16_t)number;
    return is_word(*host, host_marks);
}

static bool parse_ssh(struct gatherer *g, sv text, struct git_url *u, struct fetch_failure *failure) {
    sv rest = sv_slice(text, SV("ssh://").len, text.len);
    sv authority = sv_cut(&rest, '/');
    *u = (struct git_url){.text = text, .protocol = SV("ssh")};
    return (parse_authority(authority, &u->host, &u->port) && is_word(rest, path_marks)) || fail_form(g, failure);
}

/* "user@host:path": a colon in front of the first slash. */
static bool is_short_ssh(sv text) {
    size_t colon = sv_find_char(text, ':'), slash = sv_find_char(text, '/');
    return colon != SIZE_MAX && colon < slash;
}

static bool parse_short_ssh(struct gatherer *g, sv text, struct git_url *u, struct fetch_failure *failure) {
    sv rest = text;
    sv authority = sv_cut(&rest, ':');
    *u = (struct git_url){.text = text, .protocol = SV("ssh")};
    return (parse_authority(authority, &u->host, &u->port) && is_word(rest, path_marks)) || fail_form(g, failure);
}

/* --- On this machine --- */

static bool find_real_path(struct gatherer *g, const struct fetch_request *r, sv path, sv *result) {
    struct buf full = BUF(g->arena);
    if (path.data[0] != '/') {
        buf_append(&full, file_get_dir(g, r->base));
        buf_append_char(&full, '/');
    }
    buf_append(&full, path);
    char *real = realpath(buf_get_sv(&full).data, NULL);
    *result = arena_copy_sv(g->arena, sv_from_cstr(real));
    free(real);
    return result->len > 0;
}

/* A repository can borrow what is outside: through links, alternates, and as a worktree of another one. */
static bool has_borrowed(struct gatherer *g, sv repository) {
    struct stat st;
    sv inner = arena_printf(g->arena, "%s/.git", repository.data);
    bool has_inner = lstat(inner.data, &st) == 0;
    sv dir = has_inner ? inner : repository;
    static const char *const pointers[] = {"commondir", "objects/info/alternates", "objects/info/http-alternates"};
    bool is_own = !has_inner || S_ISDIR(st.st_mode);
    for (size_t i = 0; i < sizeof pointers / sizeof pointers[0] && is_own; i++) {
        is_own = lstat(arena_printf(g->arena, "%s/%s", dir.data, pointers[i]).data, &st) != 0;
    }
    return !is_own || !files_is_plain_tree(dir);
}

static bool check_local(struct gatherer *g, sv text, sv real, struct fetch_failure *failure) {
    text = sources_print_safely(g->arena, text, NAME_MAX_SHOWN);
    if (g->o.allow_outside || !has_borrowed(g, real)) {
        return true;
    }
    sources_fail(g, failure, DIAG_include_path_outside_root,
                 "the repository '%.*s' is not complete by itself: it uses links, alternates or another repository",
                 SV_ARG(text));
    failure->hint = SV("run with --allow-outside to allow it");
    return false;
}

static bool parse_local(struct gatherer *g, const struct fetch_request *r, sv text, struct git_url *u,
                        struct fetch_failure *failure) {
    bool is_url = sv_has_prefix(text, SV("file://"));
    sv path = is_url ? sv_slice(text, SV("file://").len, text.len) : text;
    if (is_url && (path.len == 0 || path.data[0] != '/' || sv_find_char(path, '%') != SIZE_MAX)) {
        return fail_form(g, failure);
    }
    sv real = {0}, shown = sources_print_safely(g->arena, text, NAME_MAX_SHOWN);
    bool is_found = find_real_path(g, r, path, &real);
    bool is_remote = r->base != NULL && r->base->is_remote;
    if (is_remote || (is_found && !file_is_inside(g, real)) ||
        (!is_found && !g->o.allow_outside && path.data[0] == '/')) {
        sources_fail(g, failure, DIAG_include_path_outside_root,
                     "the repository '%.*s' is neither below the directory of the root blueprint nor below the working "
                     "directory",
                     SV_ARG(shown));
        failure->hint = is_remote ? SV("a document of a remote source cannot name directories of this machine")
                                  : SV("run with --allow-outside to allow it");
        return false;
    }
    if (!is_found) {
        return sources_fail(g, failure, DIAG_blueprint_not_found, "there is no repository '%.*s'", SV_ARG(shown));
    }
    if (!check_local(g, text, real, failure)) {
        return false;
    }
    struct buf url = BUF(g->arena);
    buf_append_cstr(&url, "file://");
    http_url_encode(&url, real, SV("/"));
    *u = (struct git_url){.text = buf_get_sv(&url), .protocol = SV("file")};
    return true;
}

static bool has_control(sv text) {
    for (size_t i = 0; i < text.len; i++) {
        if ((unsigned char)text.data[i] < ' ' || text.data[i] == 0x7f) {
            return true;
        }
    }
    return false;
}

bool git_url_parse(struct gatherer *g, const struct fetch_request *r, sv repository, struct git_url *result,
                   struct fetch_failure *failure) {
    sv text = arena_copy_sv(g->arena, repository);
    if (text.len == 0 || text.len > URL_MAX || text.data[0] == '-' || has_control(text)) {
        return fail_form(g, failure);
    }
    if (sv_has_prefix(text, SV("https://"))) {
        return parse_https(g, text, result, failure);
    }
    if (sv_has_prefix(text, SV("ssh://"))) {
        return parse_ssh(g, text, result, failure);
    }
    if (sv_has_prefix(text, SV("file://"))) {
        return parse_local(g, r, text, result, failure);
    }
    if (sv_find(text, SV("://")) != SIZE_MAX || sv_find(text, SV("::")) != SIZE_MAX) {
        return fail_form(g, failure);
    }
    return is_short_ssh(text) ? parse_short_ssh(g, text, result, failure) : parse_local(g, r, text, result, failure);
}
