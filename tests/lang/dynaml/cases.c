/* Runs case files: documents with what they give, byte for byte.
 *
 *     === DY-082: a stub takes the place of a computed value
 *     foo: (( 1 + 2 ))
 *     --- stub
 *     foo: 9
 *     --- gives
 *     foo: 9
 *
 * `--- question` asks for an expression, on a second line at which path, and `--- json` for the result as JSON;
 * `--- without NAME` switches a function off, `--- limit NAME=N` moves a limit.
 *
 * Other sections: `--- fails` (the lines of the report, or the line behind "error generating manifest: "),
 * `--- parse error` (what is wrong with the template), `--- warnings`, `--- file NAME` for `read`. The template is
 * called T, the stubs S1, S2 …; the environment is {SET: set, EXPR: (( 1 + 1 ))}. Programs: `print` gives its arguments
 * with blanks between them, `lines` each on a line, `count` the number of its runs so far, `fail` fails, `hang` is
 * stopped. */
#include "dialects/dynaml/dynaml.h"
#include "dialects/dynaml/output.h"

#include "base/num.h"

#include <stdio.h>
#include <string.h>

enum { STUBS_MAX = 8, FILES_MAX = 8 };

struct text_case {
    sv name, template, stubs[STUBS_MAX], files[FILES_MAX], file_names[FILES_MAX];
    size_t stub_count, file_count;
    sv gives, fails, parse_error, warnings;
    bool has_gives, has_fails, has_parse_error, has_warnings, has_question, is_json;
    sv question, at;
    bool no_exec, no_read, no_env;
    struct dynaml_limits limits;
};

struct world {
    const struct text_case *c;
    int runs;
};

static enum dynaml_ran run_program(void *user, struct arena *a, const sv *arguments, size_t count, size_t max,
                                   sv *output) {
    struct world *w = user;
    struct buf out = BUF(a);
    w->runs++;
    if (sv_eq(arguments[0], SV("count"))) {
        buf_printf(&out, "%d\n", w->runs);
    } else if (sv_eq(arguments[0], SV("print")) || sv_eq(arguments[0], SV("lines"))) {
        char between = sv_eq(arguments[0], SV("print")) ? ' ' : '\n';
        for (size_t i = 1; i < count; i++) {
            if (i > 1)
                buf_append_char(&out, between);
            buf_append(&out, arguments[i]);
        }
        buf_append_char(&out, '\n');
    } else {
        return sv_eq(arguments[0], SV("hang")) ? DYNAML_RAN_TOO_LONG : DYNAML_RAN_BADLY;
    }
    *output = buf_get_sv(&out);
    return output->len <= max ? DYNAML_RAN : DYNAML_RAN_TOO_MUCH;
}

static bool read_file(void *user, struct arena *a, sv path, size_t max, sv *bytes, sv *why) {
    const struct world *w = user;
    for (size_t i = 0; i < w->c->file_count; i++) {
        if (sv_eq(w->c->file_names[i], path)) {
            *bytes = arena_copy_sv(a, sv_slice(w->c->files[i], 0, max + 1));
            return true;
        }
    }
    *why = SV("no such file or directory");
    return false;
}

static bool find_env(void *user, struct arena *a, sv name, sv *result) {
    (void)user;
    (void)a;
    *result = sv_eq(name, SV("SET")) ? SV("set") : SV("(( 1 + 1 ))");
    return sv_eq(name, SV("SET")) || sv_eq(name, SV("EXPR"));
}

static const struct host_ops host_ops = {.find_env = find_env};

/* --- one case --- */

static void write_json(struct buf *out, value v) {
    if (dynaml_write_json(out, v))
        buf_append_char(out, '\n');
    else
        *out = BUF(out->arena);
}

static void write_outcome(struct buf *out, const struct dynaml_result *result, bool is_json) {
    if (result->is_resolved && is_json)
        write_json(out, result->document);
    else if (result->is_resolved)
        dynaml_write_yaml(out, result->document);
    else if (result->limit.len > 0)
        buf_printf(out, "%.*s\n", SV_ARG(result->limit));
    else
        dynaml_print_report(out, result);
}

static void write_warnings(struct buf *out, const struct dynaml_run *run) {
    const sv *lines;
    size_t count = dynaml_get_warnings(run, &lines);
    for (size_t i = 0; i < count; i++)
        buf_printf(out, "%.*s\n", SV_ARG(lines[i]));
}

/* What the documents give, or what they say to the question. */
static void answer(struct dynaml_run *run, struct dynaml_document *const *documents, const struct text_case *c,
                   struct dynaml_result *result) {
    struct arena a = {0};
    struct dynaml_question q = {.expression = c->question};
    q.at_count = dynaml_split_path(&a, c->at, &q.at);
    if (c->has_question)
        dynaml_eval(run, documents, c->stub_count + 1, &q, result);
    else
        dynaml_merge(run, documents, c->stub_count + 1, result);
    arena_fini(&a);
}

/* "gives", "fails", "parse error" and the text of it. */
static const char *run_case(struct arena *a, const struct text_case *c, sv *got, sv *warnings) {
    struct sources sources;
    struct diags diags;
    struct world world = {.c = c};
    struct host host = {.ops = &host_ops};
    struct dynaml_world programs = {.user = &world, .run = run_program, .read = read_file};
    sources_init(&sources, a);
    diags_init(&diags, a, &sources);
    struct dynaml_options o = {.arena = a, .diags = &diags, .sources = &sources, .host = &host, .world = &programs};
    o.limits = c->limits;
    o.limits.calls = o.limits.calls == 0 ? 500 : o.limits.calls;
    o.no_exec = c->no_exec;
    o.no_read = c->no_read;
    o.no_env = c->no_env;
    struct dynaml_run *run = dynaml_run_new(&o);
    struct dynaml_document *documents[STUBS_MAX + 1];
    for (size_t i = 0; i <= c->stub_count; i++) {
        sv name = i == 0 ? SV("T") : arena_printf(a, "S%zu", i);
        struct source *source = sources_add(&sources, name, arena_copy_sv(a, i == 0 ? c->template : c->stubs[i - 1]));
        documents[i] = dynaml_read(run, name, source, got);
        if (documents[i] == NULL)
            return "parse error";
    }
    struct dynaml_result result;
    struct buf out = BUF(a), lines = BUF(a);
    answer(run, documents, c, &result);
    write_outcome(&out, &result, c->is_json);
    write_warnings(&lines, run);
    *got = buf_get_sv(&out);
    *warnings = buf_get_sv(&lines);
    return result.is_resolved ? "gives" : "fails";
}

static void print_lines(const char *title, sv text) {
    printf("# %s:\n", title);
    while (text.len > 0) {
        sv line = sv_cut(&text, '\n');
        printf("#   %.*s\n", SV_ARG(line));
    }
}

static bool check_case(const struct text_case *c, int number) {
    struct arena a = {0};
    sv got = {0}, warnings = {0};
    const char *kind = run_case(&a, c, &got, &warnings);
    const char *wanted = c->has_gives ? "gives" : c->has_fails ? "fails" : "parse error";
    sv text = c->has_gives ? c->gives : c->has_fails ? c->fails : sv_trim(c->parse_error);
    bool ok = strcmp(kind, wanted) == 0 && sv_eq(got, text) && (!c->has_warnings || sv_eq(warnings, c->warnings));
    printf("%s %d - %.*s\n", ok ? "ok" : "not ok", number, SV_ARG(c->name));
    if (!ok) {
        print_lines(wanted, text);
        print_lines(kind, got);
        print_lines("warnings", warnings);
    }
    arena_fini(&a);
    return ok;
}

/* --- files --- */

static void set_limit(struct text_case *c, sv text) {
    sv name = sv_cut(&text, '=');
    uint64_t *limit = dynaml_limits_find(&c->limits, name);
    if (limit == NULL || num_parse_u64(text, 10, limit) != NUM_OK)
        printf("Bail out! no limit '%.*s' in '%.*s'\n", SV_ARG(name), SV_ARG(c->name));
}

/* Sections that say how the documents are processed. */
static bool store_option(struct text_case *c, sv title, sv body) {
    if (sv_eq(title, SV("question"))) {
        c->question = sv_cut(&body, '\n');
        c->at = sv_cut(&body, '\n');
        c->has_question = true;
    } else if (sv_eq(title, SV("json"))) {
        c->is_json = true;
    } else if (sv_has_prefix(title, SV("limit "))) {
        set_limit(c, sv_slice(title, 6, title.len));
    } else {
        c->no_exec = c->no_exec || sv_eq(title, SV("without exec"));
        c->no_read = c->no_read || sv_eq(title, SV("without read"));
        c->no_env = c->no_env || sv_eq(title, SV("without env"));
        return sv_has_prefix(title, SV("without "));
    }
    return true;
}

static void store_section(struct text_case *c, sv title, sv body) {
    if (store_option(c, title, body))
        return;
    if (sv_eq(title, SV("stub")) && c->stub_count < STUBS_MAX) {
        c->stubs[c->stub_count++] = body;
    } else if (sv_eq(title, SV("gives"))) {
        c->gives = body;
        c->has_gives = true;
    } else if (sv_eq(title, SV("fails"))) {
        c->fails = body;
        c->has_fails = true;
    } else if (sv_eq(title, SV("parse error"))) {
        c->parse_error = body;
        c->has_parse_error = true;
    } else if (sv_eq(title, SV("warnings"))) {
        c->warnings = body;
        c->has_warnings = true;
    } else if (sv_has_prefix(title, SV("file ")) && c->file_count < FILES_MAX) {
        c->file_names[c->file_count] = sv_slice(title, 5, title.len);
        c->files[c->file_count++] = body;
    } else {
        printf("Bail out! unknown section '%.*s' in '%.*s'\n", SV_ARG(title), SV_ARG(c->name));
    }
}

/* The text up to the next line that starts with `mark`, which is left in `*rest`. */
static sv take_until(sv *rest, sv mark) {
    sv all = *rest;
    while (rest->len > 0 && !sv_has_prefix(*rest, mark) && !sv_has_prefix(*rest, SV("=== ")))
        sv_cut(rest, '\n');
    return sv_slice(all, 0, all.len - rest->len);
}

static struct text_case take_case(sv *rest) {
    struct text_case c = {.name = sv_slice(sv_cut(rest, '\n'), 4, SIZE_MAX)};
    c.template = take_until(rest, SV("--- "));
    while (sv_has_prefix(*rest, SV("--- "))) {
        sv title = sv_slice(sv_cut(rest, '\n'), 4, SIZE_MAX);
        store_section(&c, title, take_until(rest, SV("--- ")));
    }
    return c;
}

static bool run_file(struct sources *sources, const char *path, int *number) {
    struct source *source = NULL;
    bool ok = true;
    if (sources_read_file(sources, sv_from_cstr(path), (size_t)1 << 20, &source, NULL) != SOURCE_READ_OK) {
        printf("not ok %d - %s cannot be read\n", ++*number, path);
        return false;
    }
    sv rest = source->bytes;
    take_until(&rest, SV("=== "));
    while (rest.len > 0) {
        struct text_case c = take_case(&rest);
        ok = check_case(&c, ++*number) && ok;
    }
    return ok;
}

int main(int argc, char **argv) {
    struct arena arena = {0};
    struct sources sources;
    int number = 0;
    bool ok = true;
    sources_init(&sources, &arena);
    for (int i = 1; i < argc; i++)
        ok = run_file(&sources, argv[i], &number) && ok;
    printf("1..%d\n", number);
    arena_fini(&arena);
    return ok ? 0 : 1;
}
