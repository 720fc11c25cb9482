#include "apps/cli/commands.h"
#include "apps/cli/examples.h"
#include "apps/cli/files.h"

#include <errno.h>
#include <sys/stat.h>

enum { FILE_COUNT = 3 };

struct new_file {
    sv name, path, bytes;
    bool may_exist; /* then it stays as it is */
    enum file_made made;
};

static const struct example *find_example(sv name) {
    for (size_t i = 0; i < example_count; i++) {
        if (sv_eq(examples[i].name, name))
            return &examples[i];
    }
    return NULL;
}

static void choose_files(struct cli *c, sv directory, const struct example *example, struct new_file *files) {
    files[0] = (struct new_file){.name = SV("blueprint.yaml"), .bytes = example->blueprint};
    files[1] = (struct new_file){.name = SV("lintel.yaml"), .bytes = example_project_file};
    files[2] = (struct new_file){.name = SV(".gitignore"), .bytes = example_ignore_file, .may_exist = true};
    for (int i = 0; i < FILE_COUNT; i++) {
        bool is_here = sv_eq(directory, SV("."));
        files[i].path =
            is_here ? files[i].name : arena_printf(&c->arena, "%.*s/%.*s", SV_ARG(directory), SV_ARG(files[i].name));
    }
}

static void report_existing(struct cli *c, sv path) {
    struct diag *d = diags_add(&c->diags, DIAG_file_not_writable, SPAN_NONE, "'%.*s' exists already",
                               SV_ARG(render_escape(&c->arena, path)));
    diag_set_hint(&c->diags, d, "nothing is overwritten: choose another directory, as in lintel init DIR");
}

/* Another blueprint would stay in the shadow of the new one. */
static bool check_absent(struct cli *c, sv directory, const struct new_file *files) {
    static const char *const blueprints[] = {"blueprint.json", "blueprint.jsonc"};
    struct stat about;
    bool ok = true;
    for (int i = 0; i < FILE_COUNT; i++) {
        if (files[i].may_exist || lstat(arena_copy_cstr(&c->arena, files[i].path), &about) != 0)
            continue;
        report_existing(c, files[i].path);
        ok = false;
    }
    for (size_t i = 0; i < sizeof blueprints / sizeof *blueprints; i++) {
        sv path = arena_printf(&c->arena, "%.*s/%s", SV_ARG(directory), blueprints[i]);
        if (lstat(path.data, &about) != 0)
            continue;
        report_existing(c, path);
        ok = false;
    }
    return ok;
}

static bool make_files(struct cli *c, struct new_file *files) {
    for (int i = 0; i < FILE_COUNT; i++) {
        files[i].made = file_make(c, files[i].path, files[i].bytes);
        if (files[i].made == FILE_EXISTS && !files[i].may_exist)
            report_existing(c, files[i].path);
        if (files[i].made == FILE_FAILED || (files[i].made == FILE_EXISTS && !files[i].may_exist))
            return false;
    }
    return true;
}

static void say(struct cli *c, sv directory, const struct new_file *files) {
    struct buf out = BUF(&c->arena);
    sv shown = render_escape(&c->arena, directory);
    for (int i = 0; i < FILE_COUNT; i++) {
        if (files[i].made == FILE_MADE)
            buf_printf(&out, "created %.*s\n", SV_ARG(render_escape(&c->arena, files[i].path)));
        else
            buf_printf(&out, "%.*s exists already: add the line .lintel/ to it\n",
                       SV_ARG(render_escape(&c->arena, files[i].path)));
    }
    buf_append_cstr(&out, "\nNext:\n");
    if (!sv_eq(directory, SV(".")))
        buf_printf(&out, "  cd %.*s\n", SV_ARG(shown));
    buf_append_cstr(&out, "  lintel plan       what would be done\n"
                          "  lintel deploy     does it\n"
                          "  lintel destroy    takes it away again\n");
    output_text(c, buf_get_sv(&out));
}

static void write_result(struct cli *c, sv directory, const struct example *example, const struct new_file *files) {
    struct jsonw *w = &c->writer;
    jsonw_put_text(w, "directory", directory);
    jsonw_put_text(w, "example", example->name);
    jsonw_key(w, SV("files"));
    jsonw_begin_array(w);
    for (int i = 0; i < FILE_COUNT; i++) {
        if (files[i].made == FILE_MADE)
            jsonw_text(w, files[i].path);
    }
    jsonw_end_array(w);
}

enum exit_code cmd_init_run(struct cli *c) {
    const struct example *example = find_example(settings_get_text(c, "example"));
    sv directory = c->arguments.len > 0 ? c->arguments.items[0] : SV(".");
    struct new_file files[FILE_COUNT];
    while (directory.len > 1 && sv_has_suffix(directory, SV("/")))
        directory = sv_slice(directory, 0, directory.len - 1);
    if (!example || directory.len == 0)
        return output_usage_error(c, "the name of the directory is empty");
    choose_files(c, directory, example, files);
    if (!check_absent(c, directory, files) || !directory_make(c, directory) || !make_files(c, files))
        return EXIT_FAILED;
    say(c, directory, files);
    write_result(c, directory, example, files);
    return EXIT_OK;
}
