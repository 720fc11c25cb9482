/* Runs files of differences and explanations: documents with what is told about them, byte for byte.
 *
 *     === DY-341: the values of both sides
 *     foo: 1
 *     --- b
 *     foo: 2
 *     --- differences
 *     Difference in foo
 *     …
 *
 * `--- colored` and `--- separator TEXT` stand before `--- differences`; `--- stub` gives stubs, `--- file NAME` a file
 * for `read`, `--- depth N` how far to look, `--- explain PATH` what is told of a node; `--- not found PATH` the path
 * that is suggested in its place. `--- json` in front of one of them asks for JSON. The documents are called A and B,
 * or T, S1, S2 …. */
#include "dialects/dynaml/diff.h"
#include "dialects/dynaml/explain.h"

#include "base/num.h"

#include <stdio.h>

enum { STUBS_MAX = 8 };

struct look {
    sv name, first, b, stubs[STUBS_MAX], file_name, file, separator, path, wanted;
    size_t stub_count, depth;
    bool is_colored, is_json, is_explanation, is_missing;
};

static bool read_file(void *user, struct arena *a, sv path, size_t max, sv *bytes, sv *why) {
    const struct look *l = user;
    *bytes = arena_copy_sv(a, l->file);
    *why = SV("no such file or directory");
    return sv_eq(l->file_name, path) && l->file.len <= max;
}

static enum dynaml_ran run_program(void *user, struct arena *a, const sv *arguments, size_t count, size_t max,
                                   sv *output) {
    (void)user;
    *output = arena_copy_sv(a, arguments[count - 1]);
    return output->len <= max ? DYNAML_RAN : DYNAML_RAN_TOO_MUCH;
}

/* --- one look --- */

struct files {
    struct arena *a;
    struct sources sources;
    struct diags diags;
    struct dynaml_world world;
    struct host host;
    struct dynaml_run *run;
};

static struct dynaml_document *read(struct files *f, sv name, sv text) {
    sv why = {0};
    struct source *source = sources_add(&f->sources, name, arena_copy_sv(f->a, text));
    struct dynaml_document *d = dynaml_read(f->run, name, source, &why);
    if (d == NULL)
        printf("# %.*s: %.*s\n", SV_ARG(name), SV_ARG(why));
    return d;
}

static void open_files(struct files *f, struct arena *a, struct look *l) {
    static const struct host_ops no_host = {0};
    *f = (struct files){.a = a, .world = {.user = l, .run = run_program, .read = read_file}, .host = {.ops = &no_host}};
    sources_init(&f->sources, a);
    diags_init(&f->diags, a, &f->sources);
    f->run = dynaml_run_new(&(struct dynaml_options){
        .arena = a, .diags = &f->diags, .sources = &f->sources, .host = &f->host, .world = &f->world});
}

static void tell_differences(struct files *f, const struct look *l, struct buf *out) {
    struct dynaml_differences found;
    struct dynaml_document *a = read(f, SV("A"), l->first), *b = read(f, SV("B"), l->b);
    struct dynaml_diff_style style = {SV("A"), SV("B"), l->separator, l->is_colored};
    if (a == NULL || b == NULL)
        return;
    dynaml_compare(f->a, a, b, &found);
    if (!l->is_json)
        dynaml_print_differences(out, &found, &style);
    else if (dynaml_write_differences(out, &found))
        buf_append_char(out, '\n');
}

static void tell_explanation(struct files *f, const struct look *l, struct buf *out) {
    struct dynaml_document *documents[STUBS_MAX + 1];
    struct dynaml_explain_request r = {.arena = f->a, .depth = l->depth};
    struct dynaml_explained e;
    documents[0] = read(f, SV("T"), l->first);
    for (size_t i = 0; i < l->stub_count; i++)
        documents[i + 1] = read(f, arena_printf(f->a, "S%zu", i + 1), l->stubs[i]);
    for (size_t i = 0; i <= l->stub_count; i++) {
        if (documents[i] == NULL)
            return;
    }
    r.path_len = dynaml_split_path(f->a, l->path, &r.path);
    dynaml_explain(f->run, documents, l->stub_count + 1, &r, &e);
    if (l->is_missing || e.node == NULL)
        buf_printf(out, "%.*s\n",
                   SV_ARG(e.node != NULL   ? SV("it is there")
                          : e.hint.len > 0 ? e.hint
                                           : SV("nothing close")));
    else if (!l->is_json)
        dynaml_print_explanation(out, &e);
    else if (dynaml_write_explanation(out, &e))
        buf_append_char(out, '\n');
}

static void print_lines(const char *title, sv text) {
    printf("# %s:\n", title);
    while (text.len > 0) {
        sv line = sv_cut(&text, '\n');
        printf("#   %.*s\n", SV_ARG(line));
    }
}

/* Empty lines stand between cases. */
static sv cut_breaks(sv text) {
    while (text.len > 0 && text.data[text.len - 1] == '\n')
        text.len--;
    return text;
}

static bool check(struct look *l, int number) {
    struct arena a = {0};
    struct files f;
    struct buf out = BUF(&a);
    open_files(&f, &a, l);
    if (l->is_explanation)
        tell_explanation(&f, l, &out);
    else
        tell_differences(&f, l, &out);
    sv got = cut_breaks(buf_get_sv(&out)), wanted = cut_breaks(l->wanted);
    bool ok = wanted.len > 0 && sv_eq(got, wanted);
    printf("%s %d - %.*s %.*s\n", ok ? "ok" : "not ok", number, SV_ARG(l->name), SV_ARG(l->path));
    if (!ok) {
        print_lines("wanted", wanted);
        print_lines("got", got);
    }
    arena_fini(&a);
    return ok;
}

/* --- files --- */

static sv cut_prefix(sv title, sv prefix) {
    return sv_slice(title, prefix.len, title.len);
}

static void store_path(struct look *l, sv title, sv prefix, sv body) {
    l->path = cut_prefix(title, prefix);
    l->wanted = body;
    l->is_explanation = true;
}

/* True when the section says what is wanted. */
static bool store(struct look *l, sv title, sv body) {
    uint64_t depth = 0;
    if (sv_eq(title, SV("b"))) {
        l->b = body;
    } else if (sv_eq(title, SV("stub")) && l->stub_count < STUBS_MAX) {
        l->stubs[l->stub_count++] = body;
    } else if (sv_has_prefix(title, SV("file "))) {
        l->file_name = cut_prefix(title, SV("file "));
        l->file = body;
    } else if (sv_has_prefix(title, SV("separator "))) {
        l->separator = cut_prefix(title, SV("separator "));
    } else if (sv_has_prefix(title, SV("depth ")) &&
               num_parse_u64(cut_prefix(title, SV("depth ")), 10, &depth) == NUM_OK) {
        l->depth = (size_t)depth;
    } else if (sv_has_prefix(title, SV("explain"))) {
        store_path(l, title, title.len > 7 ? SV("explain ") : SV("explain"), body);
    } else if (sv_has_prefix(title, SV("not found "))) {
        store_path(l, title, SV("not found "), body);
        l->is_missing = true;
    } else {
        l->is_colored = l->is_colored || sv_eq(title, SV("colored"));
        l->is_json = l->is_json || sv_eq(title, SV("json"));
        l->wanted = body;
        return sv_eq(title, SV("differences"));
    }
    return l->is_explanation;
}

/* The text up to the next section or case, which is left in `*rest`. */
static sv take_body(sv *rest) {
    sv all = *rest;
    while (rest->len > 0 && !sv_has_prefix(*rest, SV("--- ")) && !sv_has_prefix(*rest, SV("=== ")))
        sv_cut(rest, '\n');
    return sv_slice(all, 0, all.len - rest->len);
}

/* One case may want several things of the same documents. */
static bool run_case(sv *rest, int *number) {
    struct look l = {.name = cut_prefix(sv_cut(rest, '\n'), SV("=== ")), .depth = DYNAML_EXPLAIN_DEPTH};
    bool ok = true;
    l.first = take_body(rest);
    while (sv_has_prefix(*rest, SV("--- "))) {
        sv title = cut_prefix(sv_cut(rest, '\n'), SV("--- "));
        if (!store(&l, title, take_body(rest)))
            continue;
        ok = check(&l, ++*number) && ok;
        l.is_explanation = l.is_missing = l.is_json = false;
    }
    return ok;
}

static bool run_file(struct sources *sources, const char *path, int *number) {
    struct source *source = NULL;
    bool ok = true;
    if (sources_read_file(sources, sv_from_cstr(path), (size_t)1 << 20, &source, NULL) != SOURCE_READ_OK) {
        printf("not ok %d - %s cannot be read\n", ++*number, path);
        return false;
    }
    sv rest = source->bytes;
    take_body(&rest);
    while (rest.len > 0)
        ok = run_case(&rest, number) && ok;
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
