#include "apps/cli/commands.h"
#include "apps/cli/inspect.h"

#include "apps/cli/line_editor.h"
#include "dialects/blueprint/children.h"
#include "lang/dialect.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

struct console {
    struct cli *cli;
    struct inspection inspection;
    const struct dialect *dialect; /* with the functions of providers */
    struct diags diags;            /* of one line at a time */
    size_t lines, failed;
    VEC(sv) words;
};

/* --- names for completion and :names --- */

static int compare_words(const void *a, const void *b) {
    return sv_cmp(*(const sv *)a, *(const sv *)b);
}

static void add_element_word(struct console *k, const struct element *e) {
    bool is_root = e->group == 0 || k->inspection.expanded->elements[e->group - 1].kind == ELEMENT_TEMPLATE;
    if (is_root && e->kind != ELEMENT_EXPORT)
        VEC_PUSH(&k->cli->arena, &k->words, e->address.text);
    if (is_root && e->kind == ELEMENT_RESOURCE && e->template_name.len == 0)
        VEC_PUSH(&k->cli->arena, &k->words, e->name);
}

static void collect_words(struct console *k) {
    const struct template *t = k->inspection.expanded;
    for (size_t i = 0; i < t->element_count; i++)
        add_element_word(k, &t->elements[i]);
    const struct fn_registry *functions = k->dialect->functions;
    for (size_t i = 0; i < functions->count; i++) {
        for (size_t j = 0; j < functions->tables[i]->count; j++)
            VEC_PUSH(&k->cli->arena, &k->words, functions->tables[i]->defs[j]->name);
    }
    if (k->words.len > 0)
        qsort(k->words.items, k->words.len, sizeof *k->words.items, compare_words);
}

/* --- one expression --- */

/* What a reference yields is known here, so it is looked at when it is evaluated. */
static const struct type *get_ref_type(void *user, const struct expr *ref) {
    (void)user, (void)ref;
    return &type_any;
}

/* The static checks that no type of an element takes part in: what a function is given and gives (FN-023, FN-030). */
static bool check(struct console *k, const struct parse_context *parse, const struct expr *e) {
    const struct check_ops ops = {.ref_type = get_ref_type};
    lang_check_result(parse, e, &ops, k);
    return !diags_has_errors(&k->diags);
}

static value evaluate(struct console *k, sv line) {
    struct cli *c = k->cli;
    const struct template *t = k->inspection.expanded;
    struct source *source = sources_add(&c->sources, SV("<console>"), arena_copy_sv(&c->arena, line));
    struct parse_context parse = {&c->arena, &k->diags, &c->limits, k->dialect};
    struct expr_text text = {.text = source->bytes, .source = source->id};
    const struct expr *e = lang_has_substitution(k->dialect, line) ? lang_parse_text(&parse, &text, true, NULL)
                                                                   : lang_parse_expr(&parse, &text, 0, line.len);
    if (diags_has_errors(&k->diags) || !check(k, &parse, e))
        return value_error(NULL);
    return eval_expr(k->inspection.evaluation.evaluator, e, t->scope);
}

static void write_result(struct console *k, sv line, value v) {
    struct jsonw *w = &k->cli->writer;
    struct render_options options = {.mask = &k->cli->mask};
    jsonw_begin_object(w);
    jsonw_put_text(w, "expression", line);
    if (!value_is_error(v)) {
        jsonw_put_text(w, "kind", sv_from_cstr(value_get_kind_name((enum value_kind)v.kind)));
        jsonw_key(w, SV("value"));
        if (v.kind == VALUE_ABSENT)
            jsonw_null(w);
        else
            value_write_json(w, v, REDACT);
    }
    jsonw_key(w, SV("diagnostics"));
    render_diags_json(w, &k->diags, &options);
    jsonw_end_object(w);
}

static void print_result(struct console *k, value v) {
    struct cli *c = k->cli;
    struct buf out = BUF(&c->arena);
    bool is_json = v.kind == VALUE_MAP || v.kind == VALUE_LIST || (v.kind == VALUE_STRING && !value_is_sensitive(v));
    if (is_json)
        buf_append(&out, value_print_json(&c->arena, v, 2, REDACT));
    else if (v.kind == VALUE_ABSENT)
        buf_append_cstr(&out, "none");
    else
        value_render(&out, v, 1 << 20, REDACT);
    buf_append_char(&out, '\n');
    output_text(c, buf_get_sv(&out));
}

static void print_diags(struct console *k) {
    struct cli *c = k->cli;
    struct buf out = BUF(&c->arena);
    struct render_options options = {.color = c->color_err, .mask = &c->mask};
    for (size_t i = 0; i < k->diags.items.len; i++)
        render_diag(&out, &k->diags, k->diags.items.items[i], &options);
    if (k->diags.items.len == 0)
        buf_append_cstr(&out, "this has failed before, see above\n");
    fflush(stdout);
    dprintf(STDERR_FILENO, "%.*s", SV_ARG(buf_get_sv(&out)));
}

static void take_expression(struct console *k, sv line) {
    struct cli *c = k->cli;
    diags_init(&k->diags, &c->arena, &c->sources);
    value v = evaluate(k, line);
    bool has_failed = value_is_error(v) || (v.within & WITHIN_ERROR) != 0;
    if (v.kind == VALUE_FUNCTION) {
        diags_add(&k->diags, DIAG_higher_order_function_not_supported, SPAN_NONE, "a function is no result");
        has_failed = true;
    }
    k->failed += has_failed;
    write_result(k, line, has_failed ? value_error(NULL) : v);
    if (!has_failed)
        print_result(k, v);
    if ((has_failed || k->diags.items.len > 0) && !c->json)
        print_diags(k);
}

/* --- the loop --- */

static void print_help(struct cli *c) {
    output_note(c, "an expression, with or without ${}: its value, from the blueprint and the stored state\n"
                   ":names   what can be referred to\n"
                   ":quit    the end, as is the end of input");
}

/* False to end. */
static bool take_line(struct console *k, sv line) {
    if (line.len == 0)
        return true;
    if (sv_eq(line, SV(":quit")) || sv_eq(line, SV(":q")))
        return false;
    if (sv_eq(line, SV(":help"))) {
        print_help(k->cli);
    } else if (sv_eq(line, SV(":names"))) {
        for (size_t i = 0; i < k->words.len; i++)
            output_note(k->cli, "%.*s", SV_ARG(k->words.items[i]));
    } else {
        k->lines++;
        take_expression(k, line);
    }
    return true;
}

/* Beside other state of the user, not of the project: it is nobody else's. */
static sv find_history_file(struct cli *c) {
    sv dir = {0}, home = {0};
    c->host->ops->find_env(c->host->user, &c->arena, SV("XDG_STATE_HOME"), &dir);
    if (dir.len == 0 && c->host->ops->find_env(c->host->user, &c->arena, SV("HOME"), &home) && home.len > 0)
        dir = arena_printf(&c->arena, "%.*s/.local/state", SV_ARG(home));
    if (dir.len == 0)
        return (sv){0};
    const char *own = arena_printf(&c->arena, "%.*s/lintel", SV_ARG(dir)).data;
    struct stat st;
    if (stat(arena_copy_cstr(&c->arena, dir), &st) == 0)
        mkdir(own, 0700);
    return stat(own, &st) == 0 ? arena_printf(&c->arena, "%s/console_history", own) : (sv){0};
}

static enum exit_code run_console(struct console *k) {
    struct cli *c = k->cli;
    const struct blueprint_data *data = k->inspection.loaded.template->dialect_data;
    k->dialect = children_get_dialect(data->family);
    collect_words(k);
    struct line_editor_options options = {.cli = c,
                                          .prompt = "lintel> ",
                                          .history_file = find_history_file(c),
                                          .words = k->words.items,
                                          .word_count = k->words.len};
    struct line_editor *editor = line_editor_open(&options);
    sv line;
    jsonw_key(&c->writer, SV("results"));
    jsonw_begin_array(&c->writer);
    while (line_editor_read(editor, &line) && take_line(k, line))
        continue;
    jsonw_end_array(&c->writer);
    line_editor_close(editor);
    bool is_terminal = isatty(STDIN_FILENO) == 1;
    enum exit_code code = k->failed > 0 && !is_terminal ? EXIT_INVALID : EXIT_OK;
    return cli_get_signal_code(c, diags_has_errors(&c->diags) ? output_get_input_code(c) : code);
}

enum exit_code cmd_console_run(struct cli *c) {
    struct console console = {.cli = c};
    struct inspect_request request = {.diags = &console.diags};
    diags_init(&console.diags, &c->arena, &c->sources);
    template_find_file(c, &request.file); /* without one there are functions still */
    if (sv_eq(request.file, SV("-")))
        return output_usage_error(c, "standard input holds the expressions: give the blueprint as a file");
    enum exit_code code =
        inspect_open(c, &request, &console.inspection) ? run_console(&console) : output_get_input_code(c);
    inspect_close(&console.inspection);
    return code;
}
