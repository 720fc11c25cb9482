/* Running the program git.
 *
 * Invariants: (1) git is told which protocol it may speak, asks nobody, runs no hook, filter, helper of a repository or
 * submodule, and reads no configuration of the system; (2) it connects to the address that was looked at, follows no
 * redirect, and verifies TLS; (3) whatever it is given stands behind "--" or cannot be an option; (4) all of a session
 * ends in time, and no file grows beyond the limit; what a killed git leaves behind is removed; (5) one session at a
 * time writes to a repository. */
#include "adapters/process/process.h"
#include "sources/git.h"
#include "sources/web.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

enum {
    TALK_MAX = 4 << 20, /* what git may say, but for files */
    WHY_MAX = 200,
    TURN_STEP_MS = 20,
};

#define DEFAULT_PATH "/usr/local/bin:/usr/bin:/bin"

/* --- How git is started --- */

static const char *const settings[] = {
    "core.hooksPath=/dev/null",     "core.fsmonitor=false",
    "core.symlinks=false",          "gc.auto=0",
    "maintenance.auto=false",       "http.followRedirects=false",
    "http.sslVerify=true",          "protocol.version=2",
    "submodule.recurse=false",      "fetch.recurseSubmodules=no",
    "fetch.writeCommitGraph=false", "advice.detachedHead=false",
};

static void add_variable(struct git_session *s, struct process_strings *env, const char *name, sv text) {
    if (text.len > 0 && sv_find_char(text, 0) == SIZE_MAX) {
        struct buf out = BUF(s->arena);
        buf_append_cstr(&out, name);
        buf_append_char(&out, '=');
        buf_append(&out, text);
        process_strings_add(s->arena, env, buf_get_sv(&out));
    }
}

static void add_own_variable(struct git_session *s, struct process_strings *env, const char *name) {
    add_variable(s, env, name, sources_get_env(s->g, s->arena, sv_from_cstr(name)));
}

static sv get_search_path(struct git_session *s) {
    sv path = sources_get_env(s->g, s->arena, SV("PATH"));
    return path.len > 0 ? path : SV(DEFAULT_PATH);
}

/* The name stays the one of the host key; the address is the one that was looked at. */
static sv print_ssh_command(struct git_session *s) {
    if (s->address.len == 0) {
        return SV("ssh -o BatchMode=yes");
    }
    bool is_usual = s->url->port == 22;
    return arena_printf(s->arena, "ssh -o BatchMode=yes -o HostName=%.*s -o 'HostKeyAlias=%s%.*s%s'",
                        SV_ARG(s->address), is_usual ? "" : "[", SV_ARG(s->url->host),
                        is_usual ? "" : arena_printf(s->arena, "]:%u", (unsigned)s->url->port).data);
}

static const char *const *make_environment(struct git_session *s) {
    struct process_strings env = {0};
    static const char *const fixed[] = {
        "GIT_CONFIG_NOSYSTEM=1",
        "GIT_TERMINAL_PROMPT=0",
        "GIT_NO_REPLACE_OBJECTS=1",
        "GIT_NO_LAZY_FETCH=1",
        "GIT_LITERAL_PATHSPECS=1",
        "GIT_OPTIONAL_LOCKS=0",
        "GIT_LFS_SKIP_SMUDGE=1",
        "GIT_ASKPASS=/bin/false",
        "SSH_ASKPASS_REQUIRE=never",
        "LC_ALL=C",
        "GIT_ADVICE=0",
        "GIT_PAGER=cat",
    };
    for (size_t i = 0; i < sizeof fixed / sizeof fixed[0]; i++) {
        process_strings_add(s->arena, &env, sv_from_cstr(fixed[i]));
    }
    static const char *const own[] = {"HOME", "XDG_CONFIG_HOME", "SSH_AUTH_SOCK"};
    for (size_t i = 0; i < sizeof own / sizeof own[0]; i++) {
        add_own_variable(s, &env, own[i]);
    }
    add_variable(s, &env, "PATH", get_search_path(s));
    add_variable(s, &env, "GIT_ALLOW_PROTOCOL", s->url->protocol);
    add_variable(s, &env, "GIT_SSL_CAINFO", s->g->o.ca_file);
    add_variable(s, &env, "GIT_SSH_COMMAND", print_ssh_command(s));
    add_variable(s, &env, "GIT_DIR", s->repository);
    return process_strings_end(s->arena, &env);
}

static const char *const *make_arguments(struct git_session *s, const sv *words, size_t count) {
    struct process_strings args = {0};
    process_strings_add(s->arena, &args, SV("git"));
    for (size_t i = 0; i < sizeof settings / sizeof settings[0]; i++) {
        process_strings_add(s->arena, &args, SV("-c"));
        process_strings_add(s->arena, &args, sv_from_cstr(settings[i]));
    }
    bool is_number = sv_eq(s->address, s->url->host) || sv_has_prefix(s->url->host, SV("["));
    if (s->address.len > 0 && !is_number && sv_eq(s->url->protocol, SV("https"))) {
        process_strings_add(s->arena, &args, SV("-c"));
        process_strings_add(s->arena, &args,
                            arena_printf(s->arena, "http.curloptResolve=%.*s:%u:%.*s", SV_ARG(s->url->host),
                                         (unsigned)s->url->port, SV_ARG(s->address)));
    }
    for (size_t i = 0; i < count; i++) {
        process_strings_add(s->arena, &args, words[i]);
    }
    return process_strings_end(s->arena, &args);
}

/* --- What went wrong --- */

struct cause {
    const char *text; /* somewhere in what git says */
    enum diag_code code;
};

static const struct cause causes[] = {
    {"Authentication failed", DIAG_permission_error},
    {"could not read Username", DIAG_permission_error},
    {"could not read Password", DIAG_permission_error},
    {"Permission denied", DIAG_permission_error},
    {"Host key verification failed", DIAG_permission_error},
    {"dubious ownership", DIAG_permission_error},
    {"returned error: 403", DIAG_permission_error},
    {"File too large", DIAG_limit_exceeded},
    {"died of signal 25", DIAG_limit_exceeded}, /* SIGXFSZ */
    {"does not appear to be a git repository", DIAG_blueprint_not_found},
    {"not found", DIAG_blueprint_not_found},
    {"does not exist", DIAG_blueprint_not_found},
};

static enum diag_code find_cause(sv errors) {
    for (size_t i = 0; i < sizeof causes / sizeof causes[0]; i++) {
        if (sv_find(errors, sv_from_cstr(causes[i].text)) != SIZE_MAX) {
            return causes[i].code;
        }
    }
    return DIAG_resolve_failure;
}

/* git's own first complaint. */
static sv find_why(struct git_session *s, sv errors) {
    sv why = {0};
    while (errors.len > 0 && why.len == 0) {
        sv line = sv_trim(sv_cut(&errors, '\n'));
        why = sv_has_prefix(line, SV("fatal: ")) ? sv_slice(line, 7, line.len) : why;
    }
    return sources_print_safely(s->arena, why, WHY_MAX);
}

static bool is_about_damage(sv errors) {
    static const char *const words[] = {"corrupt", "loose object", "bad object", "packfile", "inflate"};
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++) {
        if (sv_find(errors, sv_from_cstr(words[i])) != SIZE_MAX) {
            return true;
        }
    }
    return false;
}

static bool fail_run(struct git_session *s, const struct process_run *run) {
    if (run->is_late) {
        return sources_fail(s->g, s->failure, DIAG_resolve_failure,
                            "'%.*s' cannot be fetched: git was not done in time", SV_ARG(s->name));
    }
    if (run->is_too_much) {
        return sources_fail(s->g, s->failure, DIAG_limit_exceeded, "'%.*s' is larger than %zu bytes", SV_ARG(s->name),
                            s->g->o.limits.download_bytes);
    }
    sv why = find_why(s, run->errors);
    s->is_damaged = is_about_damage(run->errors);
    sources_fail(s->g, s->failure, find_cause(run->errors), "'%.*s' cannot be fetched: git %s%.*s", SV_ARG(s->name),
                 why.len > 0 ? "says: " : "has failed", SV_ARG(why));
    if (sv_find(run->errors, SV("returned error: 30")) != SIZE_MAX) {
        s->failure->hint = SV("redirects are not followed: write the URL that it leads to");
    }
    return false;
}

struct git_words {
    const sv *items;
    size_t count;
};
#define WORDS(...) ((struct git_words){(const sv[]){__VA_ARGS__}, sizeof((const sv[]){__VA_ARGS__}) / sizeof(sv)})

/* True when git ended well. Fills no failure. */
static bool run_git(struct git_session *s, struct git_words words, struct process_run *run) {
    run->program = arena_copy_cstr(s->arena, s->program);
    run->arguments = make_arguments(s, words.items, words.count);
    run->environment = make_environment(s);
    run->timeout_ms = s->end_ms - sources_get_now_ms(s->g);
    run->file_max = s->g->o.limits.git_bytes;
    run->output_max = run->output_max == 0 ? TALK_MAX : run->output_max;
    return process_run_to_end(s->arena, run) && run->status == 0 && !run->is_late && !run->is_too_much;
}

/* --- Sessions --- */

bool git_begin(struct git_session *s) {
    s->end_ms = sources_get_now_ms(s->g) + s->g->o.limits.timeout_ms;
    s->turn = -1;
    s->program = process_find_program(s->arena, SV("git"), get_search_path(s));
    if (s->program.len == 0) {
        sources_fail(s->g, s->failure, DIAG_resolve_failure, "'%.*s' cannot be fetched: there is no program 'git'",
                     SV_ARG(s->name));
        s->failure->hint = SV("install git, or set PATH");
    }
    return s->program.len > 0;
}

void git_end(struct git_session *s) {
    if (s->turn >= 0) {
        close(s->turn);
    }
    s->turn = -1;
}

/* Where ssh is allowed everything, its own configuration may say what the name means. */
static bool reach(struct git_session *s) {
    bool is_ssh = sv_eq(s->url->protocol, SV("ssh"));
    if (s->address.len > 0 || sv_eq(s->url->protocol, SV("file")) || (is_ssh && s->g->o.allow_private)) {
        return true;
    }
    struct http_probe probe = {
        .host = s->url->host,
        .port = s->url->port,
        .timeout_ms = s->end_ms - sources_get_now_ms(s->g),
        .refused = web_get_refused(s->g, s->url->host, true),
    };
    enum http_result result = http_find_address(s->arena, &probe);
    if (result == HTTP_FORBIDDEN) {
        web_fail_address(s->g, s->failure, s->name, probe.address);
        return false;
    }
    if (result != HTTP_OK) {
        sources_fail(s->g, s->failure, DIAG_resolve_failure, "'%.*s' cannot be fetched: %.*s", SV_ARG(s->name),
                     SV_ARG(probe.why));
        s->failure->hint = is_ssh ? SV("names that only ssh's configuration knows need --allow-private") : (sv){0};
        return false;
    }
    s->address = probe.address;
    return true;
}

/* --- What a name means --- */

static bool take_ref(sv lines, sv name, sv *commit) {
    while (lines.len > 0) {
        sv line = sv_cut(&lines, '\n');
        sv id = sv_cut(&line, '\t');
        if (sv_eq(line, name) && git_is_commit(id)) {
            *commit = id;
            return true;
        }
    }
    return false;
}

bool git_find_commit(struct git_session *s, sv ref, sv *commit, sv *full_name) {
    struct arena *a = s->arena;
    sv branch = ref.len == 0 ? SV("HEAD") : arena_printf(a, "refs/heads/%.*s", SV_ARG(ref));
    sv tag = ref.len == 0 ? SV("HEAD") : arena_printf(a, "refs/tags/%.*s", SV_ARG(ref));
    sv peeled = arena_printf(a, "%.*s^{}", SV_ARG(tag));
    struct process_run run = {0};
    if (!reach(s)) {
        return false;
    }
    if (!run_git(s, WORDS(SV("ls-remote"), SV("--"), s->url->text, branch, tag, peeled), &run)) {
        return fail_run(s, &run);
    }
    *full_name = branch;
    if (take_ref(run.output, branch, commit)) {
        return true;
    }
    *full_name = tag;
    if (take_ref(run.output, peeled, commit) || take_ref(run.output, tag, commit)) {
        return true;
    }
    if (ref.len == 0) {
        return sources_fail(s->g, s->failure, DIAG_blueprint_not_found, "'%.*s' has no default branch",
                            SV_ARG(s->url->text));
    }
    sources_fail(s->g, s->failure, DIAG_blueprint_not_found, "'%.*s' has no branch or tag '%.*s'", SV_ARG(s->url->text),
                 SV_ARG(ref));
    s->failure->hint = SV("commits are written with all their digits");
    return false;
}

/* --- The repository --- */

static bool take_turn(struct git_session *s, sv base) {
    sv path = arena_printf(s->arena, "%s.lock", base.data);
    s->turn = open(path.data, O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0600);
    while (s->turn >= 0 && flock(s->turn, LOCK_EX | LOCK_NB) != 0) {
        if ((errno != EWOULDBLOCK && errno != EINTR) || sources_get_now_ms(s->g) >= s->end_ms) {
            return false;
        }
        s->g->o.host->ops->sleep_ms(s->g->o.host->user, TURN_STEP_MS);
    }
    return s->turn >= 0;
}

bool git_open_repository(struct git_session *s, sv commit) {
    sv dir = cache_get_git_dir(s->g);
    sv format = commit.len == 40 ? SV("sha1") : SV("sha256");
    struct process_run run = {0};
    if (s->repository.len > 0) {
        return true;
    }
    if (dir.len == 0) {
        return sources_fail(s->g, s->failure, DIAG_resolve_failure,
                            "'%.*s' cannot be fetched: there is no place to write", SV_ARG(s->name));
    }
    sv key = arena_printf(s->arena, "%.*s %s", SV_ARG(format), arena_copy_cstr(s->arena, s->url->text));
    struct buf base = BUF(s->arena);
    buf_append(&base, dir);
    buf_append_char(&base, '/');
    buf_append(&base, sources_print_digest(s->arena, key));
    if (!take_turn(s, buf_get_sv(&base))) {
        return sources_fail(s->g, s->failure, DIAG_resolve_failure,
                            "'%.*s' cannot be fetched: another run holds its repository", SV_ARG(s->name));
    }
    sv repository = arena_printf(s->arena, "%s.git", buf_get_sv(&base).data);
    sv object_format = arena_printf(s->arena, "--object-format=%.*s", SV_ARG(format));
    if (!run_git(s, WORDS(SV("init"), SV("--quiet"), SV("--bare"), SV("--template="), object_format, repository),
                 &run)) {
        return fail_run(s, &run);
    }
    s->repository = repository;
    return true;
}

void git_discard(struct git_session *s) {
    if (s->repository.len > 0) {
        files_remove_tree(s->repository);
        s->repository = (sv){0};
        git_end(s);
    }
}

static bool has_commit(struct git_session *s, sv commit) {
    struct process_run run = {0};
    return run_git(s, WORDS(SV("cat-file"), SV("-e"), arena_printf(s->arena, "%.*s^{commit}", SV_ARG(commit))), &run);
}

/* `from` is a name or a commit there, or a pattern of names. */
static bool fetch(struct git_session *s, sv depth, sv from, sv to, struct process_run *run) {
    struct buf refspec = BUF(s->arena);
    buf_append_cstr(&refspec, "+");
    buf_append(&refspec, from);
    buf_append_cstr(&refspec, ":");
    buf_append(&refspec, to);
    *run = (struct process_run){0};
    /* One that was killed may have left its lock; nobody else writes while it is our turn. */
    unlink(arena_printf(s->arena, "%s/shallow.lock", s->repository.data).data);
    sv no_tags = SV("--no-tags"), no_modules = SV("--no-recurse-submodules"), quiet = SV("--quiet");
    sv spec = buf_get_sv(&refspec);
    if (depth.len == 0) {
        return run_git(s, WORDS(SV("fetch"), quiet, no_tags, no_modules, SV("--"), s->url->text, spec), run);
    }
    return run_git(s, WORDS(SV("fetch"), quiet, no_tags, no_modules, depth, SV("--"), s->url->text, spec), run);
}

/* As little as the server allows: one commit, one name with its history, everything. */
static bool fetch_somehow(struct git_session *s, sv commit, sv full_name, struct process_run *run) {
    sv one = SV("--depth=1"), all = SV("--depth=2147483647");
    sv kept = arena_printf(s->arena, "refs/lintel/%.*s", SV_ARG(commit));
    if (full_name.len > 0 && fetch(s, one, full_name, kept, run) && has_commit(s, commit)) {
        return true;
    }
    if (!run->is_late && fetch(s, one, commit, kept, run) && has_commit(s, commit)) {
        return true;
    }
    bool is_dumb = sv_find(run->errors, SV("shallow")) != SIZE_MAX;
    sv depth = is_dumb ? (sv){0} : all;
    return !run->is_late && fetch(s, depth, SV("refs/heads/*"), SV("refs/lintel/heads/*"), run) &&
           fetch(s, depth, SV("refs/tags/*"), SV("refs/lintel/tags/*"), run) && has_commit(s, commit);
}

bool git_need_commit(struct git_session *s, sv commit, sv full_name) {
    struct process_run run = {0};
    if (has_commit(s, commit)) {
        return true;
    }
    if (!reach(s)) {
        return false;
    }
    if (fetch_somehow(s, commit, full_name, &run)) {
        return true;
    }
    if (run.status == 0 && !run.is_late && !run.is_too_much) {
        return sources_fail(s->g, s->failure, DIAG_blueprint_not_found, "'%.*s' has no commit '%.*s'",
                            SV_ARG(s->url->text), SV_ARG(commit));
    }
    fail_run(s, &run);
    if (run.is_late || s->failure->code == DIAG_limit_exceeded) {
        git_discard(s);
    }
    return false;
}

/* --- Files --- */

/* "ID blob SIZE" and the bytes; anything else is a word with the reason. */
static bool parse_file(struct git_session *s, sv path, sv output, sv *bytes) {
    path = sources_print_safely(s->arena, path, NAME_MAX_SHOWN);
    sv rest = output;
    sv line = sv_cut(&rest, '\n');
    sv id = sv_cut(&line, ' ');
    sv kind = sv_cut(&line, ' ');
    if (git_is_commit(id) && sv_eq(kind, SV("blob"))) {
        *bytes = sv_slice(rest, 0, rest.len - (rest.len > 0 ? 1 : 0)); /* a line end stands behind it */
        return true;
    }
    if (git_is_commit(id)) {
        return sources_fail(s->g, s->failure, DIAG_invalid_include, "'%.*s' is a directory of the repository",
                            SV_ARG(path));
    }
    if (sv_eq(id, SV("symlink"))) {
        return sources_fail(s->g, s->failure, DIAG_include_path_outside_root,
                            "'%.*s' is a link that leads out of the repository", SV_ARG(path));
    }
    if (sv_eq(id, SV("loop"))) {
        return sources_fail(s->g, s->failure, DIAG_invalid_include, "'%.*s' is a link that leads in circles",
                            SV_ARG(path));
    }
    return sources_fail(s->g, s->failure, DIAG_blueprint_not_found, "there is no file '%.*s' in the repository",
                        SV_ARG(s->name));
}

bool git_read_file(struct git_session *s, sv commit, sv path, sv *bytes) {
    struct buf input = BUF(s->arena);
    buf_append(&input, commit);
    buf_append_char(&input, ':');
    buf_append(&input, path);
    buf_append_char(&input, '\n');
    size_t header = 256;
    struct process_run run = {.input = buf_get_sv(&input), .output_max = s->g->o.limits.download_bytes + header};
    if (!run_git(s, WORDS(SV("cat-file"), SV("--batch"), SV("--follow-symlinks")), &run)) {
        s->is_damaged = !run.is_late && !run.is_too_much;
        return fail_run(s, &run);
    }
    if (!parse_file(s, path, run.output, bytes)) {
        return false;
    }
    return bytes->len <= s->g->o.limits.download_bytes ||
           sources_fail(s->g, s->failure, DIAG_limit_exceeded, "'%.*s' is larger than %zu bytes", SV_ARG(s->name),
                        s->g->o.limits.download_bytes);
}
