#include "apps/cli/session.h"

#include "apps/cli/commands.h"

/* The files that are checked, and which sources and findings came with each. */
struct checked {
    sv name;
    size_t last_source, last_diag; /* numbers of the first that belong to the next file */
};

struct validation {
    struct cli *cli;
    struct checked *files;
    size_t count;
    const struct template_input *inputs;
    size_t input_count;
    const struct providers *providers;
    struct diag **found; /* in order of creation */
    size_t found_count;
};

static void write_text(struct cli *c, struct buf *out) {
    output_text(c, buf_get_sv(out));
}

static void write_sarif(struct cli *c) {
    struct buf out = BUF(&c->arena);
    struct jsonw w = JSONW(&out, 2);
    struct render_options options = {.mask = &c->mask};
    render_diags_sarif(&w, &c->diags, &options);
    buf_append_char(&out, '\n');
    write_text(c, &out);
}

/* A finding belongs to the file that its source came with; without a place, to the file that was checked then. */
static size_t find_file(const struct validation *v, const struct diag *diag) {
    size_t number = 0;
    if (diag->at.source > 0) {
        while (number + 1 < v->count && diag->at.source > v->files[number].last_source)
            number++;
        return number;
    }
    size_t at = 0;
    while (at < v->found_count && v->found[at] != diag)
        at++;
    while (number + 1 < v->count && at >= v->files[number].last_diag)
        number++;
    return number;
}

static void write_junit(struct validation *v) {
    struct cli *c = v->cli;
    struct buf out = BUF(&c->arena);
    struct render_options options = {.mask = &c->mask};
    struct checked_file *files = ARENA_ARRAY(&c->arena, struct checked_file, v->count);
    diags_sort(&c->diags);
    size_t total = c->diags.items.len;
    for (size_t i = 0; i < v->count; i++) {
        const struct diag **items = ARENA_ARRAY(&c->arena, const struct diag *, total + 1);
        files[i] = (struct checked_file){.name = v->files[i].name, .items = items};
        for (size_t k = 0; k < total; k++) {
            if (find_file(v, c->diags.items.items[k]) == i)
                items[files[i].count++] = c->diags.items.items[k];
        }
    }
    render_junit(&out, &c->diags, files, v->count, &options);
    write_text(c, &out);
}

static void say_valid(struct validation *v) {
    struct cli *c = v->cli;
    sv shown = render_escape(&c->arena, v->files[0].name);
    output_text(c, v->count == 1 ? arena_printf(&c->arena, "%.*s is valid\n", SV_ARG(shown))
                                 : arena_printf(&c->arena, "all %zu files are valid\n", v->count));
}

static void check_files(struct validation *v) {
    struct cli *c = v->cli;
    jsonw_key(&c->writer, SV("files"));
    jsonw_begin_array(&c->writer);
    for (size_t i = 0; i < v->count; i++) {
        struct loaded loaded = {
            .file = v->files[i].name, .inputs = v->inputs, .input_count = v->input_count, .providers = v->providers};
        template_check(c, &loaded);
        v->files[i].last_source = c->sources.items.len;
        v->files[i].last_diag = c->diags.items.len;
        jsonw_text(&c->writer, v->files[i].name);
    }
    jsonw_end_array(&c->writer);
    v->found_count = c->diags.items.len;
    v->found = ARENA_ARRAY(&c->arena, struct diag *, v->found_count + 1);
    for (size_t i = 0; i < v->found_count; i++)
        v->found[i] = c->diags.items.items[i];
    output_settle_diagnostics(c);
}

static bool open_validation(struct cli *c, struct validation *v) {
    struct template_input *inputs = NULL;
    if (!inputs_collect(c, &inputs, &v->input_count) || !schemas_load(c, &v->providers))
        return false;
    v->cli = c;
    v->inputs = inputs;
    return true;
}

static void choose_files(struct cli *c, struct validation *v, sv otherwise) {
    v->count = c->arguments.len > 0 ? c->arguments.len : 1;
    v->files = ARENA_ARRAY(&c->arena, struct checked, v->count);
    for (size_t i = 0; i < v->count; i++)
        v->files[i].name = c->arguments.len > 0 ? c->arguments.items[i] : otherwise;
}

enum exit_code cmd_validate_run(struct cli *c) {
    struct validation v = {0};
    sv file, format = settings_get_text(c, "format");
    if (!template_choose_file(c, &file))
        return EXIT_USAGE;
    if (!open_validation(c, &v))
        return output_get_input_code(c);
    choose_files(c, &v, file);
    check_files(&v);
    enum exit_code code = output_get_check_code(c);
    jsonw_put_bool(&c->writer, "valid", code == EXIT_OK);
    if (code == EXIT_INVALID)
        jsonw_put_text(&c->writer, "code", diags_get_result_code(&c->diags, false));
    if (sv_eq(format, SV("sarif")) && !c->json)
        write_sarif(c);
    else if (sv_eq(format, SV("junit")) && !c->json)
        write_junit(&v);
    else if (code == EXIT_OK && !c->quiet)
        say_valid(&v);
    return code;
}
