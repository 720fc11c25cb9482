/* Renders what is reported about each file and compares it with the text beside it.
 *
 * usage: blueprint_golden DIRECTORY FILE…     FILE is a template in DIRECTORY; the rendering stands in FILE.txt
 * With GOLDEN_UPDATE=1 in the environment the texts are written instead. Prints TAP, one case per file. */
#include "lang/blueprint/harness.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static void evaluate_all(struct harness *h) {
    struct evaluation e = {0};
    if (!harness_evaluate(h, &e)) {
        return;
    }
    for (uint32_t i = 0; i < h->expanded->element_count; i++) {
        value holds = template_find_condition(&e, i);
        if (holds.kind == VALUE_ERROR || (holds.kind == VALUE_BOOL && !holds.boolean)) {
            continue;
        }
        eval_cell(e.evaluator, &e.cells[i].main);
        eval_cell(e.evaluator, e.cells[i].display_name);
        eval_cell(e.evaluator, e.cells[i].annotations);
    }
}

static sv read_text(struct harness *h, const char *path) {
    struct source *s = NULL;
    return sources_read_file(&h->sources, sv_from_cstr(path), 1 << 20, &s, NULL) == SOURCE_READ_OK ? s->bytes : (sv){0};
}

static bool write_text(const char *path, sv text) {
    FILE *f = fopen(path, "w");
    bool ok = f != NULL && fwrite(text.data, 1, text.len, f) == text.len;
    return f != NULL && fclose(f) == 0 && ok;
}

/* The code that the file is named after must be among what is reported. */
static bool has_code(const struct harness *h, const char *file) {
    sv name = sv_from_cstr(file);
    name = sv_slice(name, 0, sv_rfind_char(name, '.'));
    for (size_t i = 0; i < h->diags.items.len; i++) {
        if (sv_eq(diag_get_code_name(h->diags.items.items[i]), name)) {
            return true;
        }
    }
    return false;
}

static bool run_file(const char *file, int number, bool update) {
    struct harness h;
    struct render_options options = {.width = 120};
    char path[300];
    snprintf(path, sizeof path, "%s.txt", file);
    bool ok = harness_load(&h, file);
    if (ok) {
        evaluate_all(&h);
    }
    struct buf out = BUF(&h.arena);
    render_diags(&out, &h.diags, &options);
    bool named = has_code(&h, file);
    ok = ok && named && (update ? write_text(path, buf_get_sv(&out)) : sv_eq(read_text(&h, path), buf_get_sv(&out)));
    printf("%s %d - %s%s\n", ok ? "ok" : "not ok", number, file, named ? "" : " does not have its code");
    if (!ok) {
        sv text = buf_get_sv(&out);
        while (text.len > 0) {
            sv line = sv_cut(&text, '\n');
            printf("# %.*s\n", SV_ARG(line));
        }
    }
    harness_fini(&h);
    return ok;
}

int main(int argc, char **argv) {
    bool update = getenv("GOLDEN_UPDATE") != NULL;
    int failed = 0;
    if (argc < 2 || chdir(argv[1]) != 0) {
        return 2;
    }
    printf("1..%d\n", argc - 2);
    for (int i = 2; i < argc; i++) {
        failed += !run_file(argv[i], i - 1, update);
    }
    return failed > 0;
}
