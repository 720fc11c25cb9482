/* Runs modules from files of cases (docs/spec/module.md). Prints TAP, one case per title. usage: documents FILE…
 *
 *     === MD-160: title
 *     name: main …              the documents; the module `main`, else the first, is evaluated
 *     %%% argument              what is given to it, as YAML
 *     %%% steps                 ADDRESS (TARGET) ARGUMENT: calls in order; `?` in front when it is not known whether
 * they are
 *     %%% result                as JSON
 *     %%% says                  LINE:COLUMN: level: message, in order; with " in PATH" and " hint HINT" if `says` is
 * `says all`
 *
 * Parts that a case has not are not looked at, but a case without `says` must say nothing. */
#include "dialects/module/check.h"
#include "dialects/module/evaluate.h"
#include "text/render.h"

#include "unit/doc/suite.h"

#include <stdio.h>
#include <string.h>

enum part { DOCUMENTS, ARGUMENT, STEPS, RESULT, SAYS, PART_COUNT };
static const char *const part_names[PART_COUNT] = {"", "argument", "steps", "result", "says"};

struct scene {
    sv title;
    sv parts[PART_COUNT];
    bool wants_all;
};

struct outcome {
    struct arena *a;
    struct diags diags;
    struct sources sources;
    struct buf steps, result, says;
};

static void show_diags(struct outcome *o, bool wants_all) {
    diags_sort(&o->diags);
    for (size_t i = 0; i < o->diags.items.len; i++) {
        const struct diag *d = o->diags.items.items[i];
        struct source *source = sources_find(&o->sources, d->at.source);
        struct text_pos pos = source == NULL ? (struct text_pos){0} : source_get_pos(source, d->at.offset);
        sv level = render_get_level_name(d->level);
        if (source != NULL && sv_eq(source->name, SV("-a")))
            buf_append_cstr(&o->says, "-a:");
        buf_printf(&o->says, "%zu:%zu: %.*s: %.*s", pos.line, pos.column, SV_ARG(level), SV_ARG(d->message));
        if (wants_all && d->path.len > 0)
            buf_printf(&o->says, " in %.*s", SV_ARG(d->path));
        if (wants_all && d->hint.len > 0)
            buf_printf(&o->says, " hint %.*s", SV_ARG(d->hint));
        buf_append_char(&o->says, '\n');
    }
}

static void show_values(struct outcome *o, const struct module_outcome *made) {
    for (size_t i = 0; i < made->steps.len; i++) {
        const struct module_step *s = &made->steps.items[i];
        sv argument = value_print_json(o->a, s->argument, 0, REDACT);
        buf_printf(&o->steps, "%s%.*s (%.*s) ", s->is_unsure ? "? " : "", SV_ARG(s->address), SV_ARG(s->target));
        buf_append(&o->steps, argument);
        buf_append_char(&o->steps, '\n');
    }
    if (!value_is_error(made->result)) {
        buf_append(&o->result, value_print_json(o->a, made->result, 0, REDACT));
        buf_append_char(&o->result, '\n');
    }
}

static void check_all(struct module_set *set) {
    for (size_t i = 0; i < set->root->modules.len; i++)
        module_check(set, set->root->modules.items[i], true);
    module_check_recursion(set, NULL);
}

static void run(struct outcome *o, const struct scene *c) {
    struct source *root = sources_add(&o->sources, SV("app.yaml"), arena_copy_sv(o->a, c->parts[DOCUMENTS]));
    struct source *text = sources_add(&o->sources, SV("-a"), arena_copy_sv(o->a, c->parts[ARGUMENT]));
    struct module_set *set = module_load(o->a, &o->diags, &o->sources, root);
    struct module_code *code = module_find(set, SV("main"));
    struct module_given given = {0};
    struct module_outcome made = {0};
    check_all(set);
    if (code == NULL && set->root->modules.len > 0)
        code = set->root->modules.items[0];
    struct module_run *r = module_run_new(&(struct module_run_options){.set = set});
    if (code != NULL && !diags_has_errors(&o->diags) && module_give(r, &given, text, (sv){0}) &&
        module_evaluate(r, code, &given, &made))
        show_values(o, &made);
    module_name_paths(set);
    show_diags(o, c->wants_all);
}

static bool compare(const char *what, sv wanted, struct buf *got) {
    bool is_right = sv_eq(wanted, buf_get_sv(got));
    if (!is_right) {
        sv lines[2] = {wanted, buf_get_sv(got)};
        for (size_t i = 0; i < 2; i++) {
            printf("# %s %s\n", i == 0 ? "wanted" : "got", what);
            while (lines[i].len > 0) {
                sv line = sv_cut(&lines[i], '\n');
                printf("#   %.*s\n", SV_ARG(line));
            }
        }
    }
    return is_right;
}

static bool run_scene(const struct scene *c, int number) {
    struct arena a = {0};
    struct outcome o = {.a = &a, .steps = BUF(&a), .result = BUF(&a), .says = BUF(&a)};
    sources_init(&o.sources, &a);
    diags_init(&o.diags, &a, &o.sources);
    run(&o, c);
    bool ok = compare("says", c->parts[SAYS], &o.says);
    if (c->parts[STEPS].data != NULL)
        ok = compare("steps", c->parts[STEPS], &o.steps) && ok;
    if (c->parts[RESULT].data != NULL)
        ok = compare("result", c->parts[RESULT], &o.result) && ok;
    printf("%sok %d - %.*s\n", ok ? "" : "not ", number, SV_ARG(c->title));
    arena_fini(&a);
    return ok;
}

static enum part find_part(sv line, bool *wants_all) {
    sv name = sv_slice(line, 4, line.len);
    *wants_all = *wants_all || sv_eq(name, SV("says all"));
    for (size_t i = 1; i < PART_COUNT; i++) {
        if (sv_eq_cstr(name, part_names[i]) || (i == SAYS && sv_eq(name, SV("says all"))))
            return (enum part)i;
    }
    printf("Bail out! unknown part %.*s\n", SV_ARG(line));
    return DOCUMENTS;
}

static sv until(const char *start, const char *end) {
    return sv_make(start, (size_t)(end - start));
}

static bool run_file(sv text, int *count) {
    struct scene c = {0};
    enum part part = DOCUMENTS;
    const char *start = NULL;
    bool ok = true;
    sv rest = text;
    while (rest.len > 0) {
        const char *at = rest.data;
        sv line = sv_cut(&rest, '\n');
        bool is_title = sv_has_prefix(line, SV("=== ")), is_part = sv_has_prefix(line, SV("%%% "));
        if (start != NULL && (is_title || is_part))
            c.parts[part] = until(start, at);
        if (is_title && c.title.len > 0)
            ok = run_scene(&c, ++*count) && ok;
        if (is_title)
            c = (struct scene){.title = sv_slice(line, 4, line.len)};
        if (is_title || is_part)
            start = line.data + line.len + 1;
        part = is_part ? find_part(line, &c.wants_all) : is_title ? DOCUMENTS : part;
    }
    if (c.title.len == 0)
        return ok;
    c.parts[part] = until(start, text.data + text.len);
    return run_scene(&c, ++*count) && ok;
}

int main(int argc, char **argv) {
    int count = 0;
    bool ok = true;
    for (int i = 1; i < argc; i++) {
        struct arena a = {0};
        ok = run_file(suite_read_file(&a, argv[i]), &count) && ok;
        arena_fini(&a);
    }
    printf("1..%d\n", count);
    return !ok || count == 0;
}
