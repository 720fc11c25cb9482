/* Runs case files: templates with what they give, byte for byte.
 *
 *     === CF-103: text with names in it
 *     Resources: …
 *     --- options
 *     -p Name=value
 *     --- gives
 *     Resources: …
 *
 * Lines of `--- options`: `-p NAME=VALUE`, `--set ID.ATTR=V`, `--import NAME=V`, `--region R`, `--strict`,
 * `--placeholder`, `--keep-going`, `--no-assume`, `--stand-ins`, `--allow-missing`, `--show-sensitive`, `--json`,
 * `--prune`. `--- value PATH` asks for one value in place of the template. Other sections: `--- says` (diagnostics, a
 * line each: level[code] line:column path: message), `--- report` (kind path reasons, a line each), `--- symbols` and
 * `--- parameters` (files), `--- file NAME` for Include. Without `--- says` there must be none; with `--- gives` as
 * the last line `(same)` the output is the template itself. */
#include "dialects/cfn/cfn.h"
#include "dialects/cfn/inputs.h"

#include "base/jsonw.h"

#include <stdio.h>

enum { FILES_MAX = 8 };

struct text_case {
    sv name, template, options, gives, says, report, symbols, parameters, path;
    sv files[FILES_MAX], file_names[FILES_MAX];
    size_t file_count;
    bool has_gives, has_says, has_report, has_symbols, has_parameters, has_path;
};

/* --- files for Include --- */

struct text_fetcher {
    struct fetcher base;
    struct arena *arena;
    const struct text_case *c;
};

static const struct content *fetch(struct fetcher *f, const struct fetch_request *r, struct fetch_failure *failure) {
    struct text_fetcher *t = (struct text_fetcher *)f;
    for (size_t i = 0; i < t->c->file_count; i++) {
        if (!sv_eq(t->c->file_names[i], r->path))
            continue;
        struct content *found = ARENA_NEW(t->arena, struct content);
        *found = (struct content){.location = r->path, .name = r->path, .kind = SV("file")};
        found->bytes = arena_copy_sv(t->arena, t->c->files[i]);
        return found;
    }
    *failure = (struct fetch_failure){.code = DIAG_include_path_not_found, .message = SV("there is no such file")};
    return NULL;
}

static const struct content *get_base(struct fetcher *f, const struct source *source) {
    (void)f;
    (void)source;
    return NULL;
}

static const struct fetcher_ops fetch_ops = {.include = fetch, .file = fetch, .url = fetch, .base = get_base};

/* --- options --- */

struct case_run {
    struct arena *a;
    struct sources sources;
    struct diags diags;
    struct cfn_options o;
    struct cfn_style style;
    struct cfn_inputs *inputs;
    struct text_fetcher fetcher;
};

static bool set_flag(struct case_run *r, sv option) {
    struct {
        const char *name;
        bool *flag;
    } flags[] = {
        {"--keep-going", &r->o.keep_going},         {"--no-assume", &r->o.no_assume},
        {"--stand-ins", &r->o.stand_ins},           {"--allow-missing", &r->o.allow_missing},
        {"--show-sensitive", &r->o.show_sensitive}, {"--prune", &r->o.prune},
        {"--validate", &r->o.is_validation},        {"--allow-network", &r->o.allow_network},
    };
    for (size_t i = 0; i < sizeof flags / sizeof *flags; i++) {
        if (sv_eq_cstr(option, flags[i].name)) {
            *flags[i].flag = true;
            return true;
        }
    }
    return false;
}

static bool set_option(struct case_run *r, sv option) {
    sv rest = option, name = sv_cut(&rest, ' ');
    sv value_text = rest, key = sv_cut(&value_text, '=');
    if (sv_eq_cstr(name, "-p"))
        cfn_inputs_put_parameter(r->inputs, key, value_string(r->a, value_text), SPAN_NONE);
    else if (sv_eq_cstr(name, "--set"))
        return cfn_inputs_set(r->inputs, sources_add(&r->sources, SV("--set"), arena_copy_sv(r->a, rest)));
    else if (sv_eq_cstr(name, "--import"))
        cfn_inputs_put_export(r->inputs, key, value_text);
    else if (sv_eq_cstr(name, "--region"))
        cfn_inputs_put_parameter(r->inputs, SV("AWS::Region"), value_string(r->a, rest), SPAN_NONE);
    else if (sv_eq_cstr(name, "--account"))
        cfn_inputs_put_parameter(r->inputs, SV("AWS::AccountId"), value_string(r->a, rest), SPAN_NONE);
    else if (sv_eq_cstr(option, "--strict"))
        r->o.mode = CFN_STRICT;
    else if (sv_eq_cstr(option, "--placeholder"))
        r->o.mode = CFN_PLACEHOLDER;
    else if (sv_eq_cstr(option, "--json"))
        r->style.format = CFN_JSON;
    else if (sv_eq_cstr(option, "--yaml"))
        r->style.format = CFN_YAML;
    else
        return set_flag(r, option);
    return true;
}

static void set_up(struct case_run *r, const struct text_case *c) {
    sources_init(&r->sources, r->a);
    diags_init(&r->diags, r->a, &r->sources);
    r->inputs = cfn_inputs_new(r->a, &r->sources, &r->diags);
    r->fetcher = (struct text_fetcher){.base = {.ops = &fetch_ops}, .arena = r->a, .c = c};
    r->o = (struct cfn_options){.arena = r->a, .diags = &r->diags, .sources = &r->sources, .fetcher = &r->fetcher.base};
    for (sv rest = c->options; rest.len > 0;) {
        sv option = sv_trim(sv_cut(&rest, '\n'));
        if (!set_option(r, option))
            printf("Bail out! no option '%.*s' in '%.*s'\n", SV_ARG(option), SV_ARG(c->name));
    }
    r->diags.strict = r->o.mode == CFN_STRICT;
    if (c->has_symbols)
        cfn_inputs_read_symbols(r->inputs, sources_add(&r->sources, SV("S"), arena_copy_sv(r->a, c->symbols)), SV("."));
    if (c->has_parameters)
        cfn_inputs_read_parameters(r->inputs, sources_add(&r->sources, SV("P"), arena_copy_sv(r->a, c->parameters)));
    cfn_inputs_close(r->inputs);
}

/* --- one case --- */

static void write_diags(struct buf *out, struct diags *diags, const struct sources *sources) {
    static const char *const levels[] = {[DIAG_ERROR] = "error", [DIAG_WARNING] = "warning", [DIAG_INFO] = "info"};
    diags_sort(diags);
    for (size_t i = 0; i < diags->items.len; i++) {
        const struct diag *d = diags->items.items[i];
        struct source *s = sources_find(sources, d->at.source);
        struct text_pos pos = s == NULL ? (struct text_pos){0, 0} : source_get_pos(s, d->at.offset);
        buf_printf(out, "%s[%.*s] %zu:%zu %.*s: %.*s\n", levels[d->level], SV_ARG(diag_get_code_name(d)), pos.line,
                   pos.column, SV_ARG(d->path), SV_ARG(d->message));
    }
}

static void write_report(struct buf *out, struct cfn_run *run) {
    static const char *const kinds[] = {
        [CFN_REPORT_UNKNOWN] = "unknown",   [CFN_REPORT_ASSUMED] = "assumed", [CFN_REPORT_STAND_IN] = "stand-in",
        [CFN_REPORT_WITHHELD] = "withheld", [CFN_REPORT_OFF] = "off",         [CFN_REPORT_KEPT] = "kept"};
    const struct cfn_report_entry *entries;
    size_t count = cfn_run_get_report(run, &entries);
    for (size_t i = 0; i < count; i++) {
        buf_printf(out, "%s %.*s", kinds[entries[i].kind], SV_ARG(entries[i].path));
        if (entries[i].reason.len > 0)
            buf_printf(out, " %.*s", SV_ARG(entries[i].reason));
        buf_append_char(out, '\n');
    }
}

static void write_value(struct buf *out, struct cfn_run *run, sv path) {
    value v = cfn_run_get(run, path);
    if (v.kind == VALUE_STRING)
        buf_append(out, *v.text);
    else if (v.kind == 0)
        buf_append_cstr(out, "(none)");
    else
        buf_append(out, value_print_json(out->arena, v, 0, REDACT));
    buf_append_char(out, '\n');
}

struct outcome {
    struct buf gives, says, report;
};

static void run_case(struct arena *a, const struct text_case *c, struct outcome *got) {
    struct case_run r = {.a = a};
    set_up(&r, c);
    struct source *source = sources_add(&r.sources, SV("T"), arena_copy_sv(a, c->template));
    struct cfn *cfn =
        cfn_load(&(struct cfn_load_options){.arena = a, .diags = &r.diags, .sources = &r.sources}, source);
    *got = (struct outcome){BUF(a), BUF(a), BUF(a)};
    if (cfn != NULL) {
        struct cfn_run *run = cfn_run_open(cfn, r.inputs, &r.o);
        if (cfn_run_check(run))
            cfn_run_resolve(run);
        if (c->has_path)
            write_value(&got->gives, run, c->path);
        else
            cfn_run_write(run, &r.style, &got->gives);
        write_report(&got->report, run);
        cfn_run_close(run);
    }
    write_diags(&got->says, &r.diags, &r.sources);
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
    struct outcome got;
    run_case(&a, c, &got);
    bool is_same = sv_eq_cstr(sv_trim(c->gives), "(same)");
    bool ok = sv_eq(buf_get_sv(&got.says), c->says);
    ok = ok && (!c->has_gives || sv_eq(buf_get_sv(&got.gives), is_same ? c->template : c->gives));
    ok = ok && (!c->has_report || sv_eq(buf_get_sv(&got.report), c->report));
    printf("%s %d - %.*s\n", ok ? "ok" : "not ok", number, SV_ARG(c->name));
    if (!ok) {
        print_lines("gives", buf_get_sv(&got.gives));
        print_lines("says", buf_get_sv(&got.says));
        print_lines("report", buf_get_sv(&got.report));
    }
    arena_fini(&a);
    return ok;
}

/* --- files --- */

static bool store_text(struct text_case *c, sv title, sv body) {
    struct {
        const char *name;
        sv *text;
        bool *has;
    } sections[] = {
        {"gives", &c->gives, &c->has_gives},
        {"says", &c->says, &c->has_says},
        {"report", &c->report, &c->has_report},
        {"symbols", &c->symbols, &c->has_symbols},
        {"parameters", &c->parameters, &c->has_parameters},
    };
    for (size_t i = 0; i < sizeof sections / sizeof *sections; i++) {
        if (sv_eq_cstr(title, sections[i].name)) {
            *sections[i].text = body;
            *sections[i].has = true;
            return true;
        }
    }
    return false;
}

static void store_section(struct text_case *c, sv title, sv body) {
    if (store_text(c, title, body))
        return;
    if (sv_eq_cstr(title, "options")) {
        c->options = body;
    } else if (sv_has_prefix(title, SV("value "))) {
        c->path = sv_slice(title, sizeof "value " - 1, title.len);
        c->has_path = true;
        c->gives = body;
        c->has_gives = true;
    } else if (sv_has_prefix(title, SV("file ")) && c->file_count < FILES_MAX) {
        c->file_names[c->file_count] = sv_slice(title, sizeof "file " - 1, title.len);
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
    struct text_case c = {.name = sv_slice(sv_cut(rest, '\n'), sizeof "=== " - 1, SIZE_MAX)};
    c.template = take_until(rest, SV("--- "));
    while (sv_has_prefix(*rest, SV("--- "))) {
        sv title = sv_slice(sv_cut(rest, '\n'), sizeof "--- " - 1, SIZE_MAX);
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
