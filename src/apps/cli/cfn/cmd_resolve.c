#include "apps/cli/cfn/commands.h"
#include "apps/cli/cfn/stack.h"

static enum cfn_format choose_format(const struct cli *c) {
    sv name = settings_get_text(c, "output");
    if (sv_eq(name, SV("json")))
        return CFN_JSON;
    return sv_eq(name, SV("yaml")) ? CFN_YAML : (enum cfn_format)0;
}

/* "Resources.X,Outputs" */
static void split_parts(struct cli *c, struct cfn_style *style) {
    sv rest = settings_get_text(c, "only");
    VEC(sv) parts = {0};
    while (rest.len > 0) {
        sv part = sv_trim(sv_cut(&rest, ','));
        if (part.len > 0)
            VEC_PUSH(&c->arena, &parts, part);
    }
    style->only = parts.items;
    style->only_count = parts.len;
}

/* On one line: without the white space between tokens. */
static sv compact(struct cli *c, sv json) {
    struct buf out = BUF(&c->arena);
    bool in_text = false;
    for (size_t i = 0; i < json.len; i++) {
        char ch = json.data[i];
        if (in_text && ch == '\\' && i + 1 < json.len) {
            buf_append_char(&out, ch);
            ch = json.data[++i];
        } else if (ch == '"') {
            in_text = !in_text;
        } else if (!in_text && (ch == ' ' || ch == '\n')) {
            continue;
        }
        buf_append_char(&out, ch);
    }
    return buf_get_sv(&out);
}

/* --nested inline (CF-263): all templates by their paths; `.` is the parent. */
static bool print_all(struct stack *s, const struct cfn_style *style, const struct cfn_nested *nested, size_t count) {
    struct cli *c = s->cli;
    struct cfn_style as_json = *style;
    struct buf out = BUF(&c->arena);
    as_json.format = CFN_JSON;
    buf_append(&out, SV("{"));
    for (size_t i = 0; i <= count; i++) {
        struct buf one = BUF(&c->arena);
        if (!cfn_run_write(i == 0 ? s->run : nested[i - 1].run, &as_json, &one))
            return false;
        buf_append(&out, i > 0 ? SV(",\n") : SV("\n"));
        jsonw_quote(&out, i == 0 ? SV(".") : nested[i - 1].path);
        buf_append(&out, SV(": "));
        buf_append(&out, sv_trim(buf_get_sv(&one)));
    }
    buf_append(&out, SV("\n}\n"));
    jsonw_key(&c->writer, SV("nested"));
    jsonw_raw(&c->writer, compact(c, buf_get_sv(&out)));
    return stack_write(c, buf_get_sv(&out));
}

/* The whole template, or the parts that are wanted; as the member `template` with --json. */
static bool print_template(struct stack *s) {
    struct cli *c = s->cli;
    struct buf out = BUF(&c->arena), json = BUF(&c->arena);
    struct cfn_style style = {.format = choose_format(c)};
    split_parts(c, &style);
    if (sv_eq(settings_get_text(c, "nested"), SV("inline")))
        return print_all(s, &style, s->nested, s->nested_count);
    if (!cfn_run_write(s->run, &style, &out))
        return false;
    if (output_is_machine(c)) {
        style.format = CFN_JSON;
        if (cfn_run_write(s->run, &style, &json)) {
            jsonw_key(&c->writer, SV("template"));
            jsonw_raw(&c->writer, compact(c, buf_get_sv(&json)));
        }
    }
    return stack_write(c, buf_get_sv(&out));
}

/* --get: text bare, the rest as JSON. */
static enum exit_code print_value(struct stack *s, sv path) {
    struct cli *c = s->cli;
    value v = cfn_run_get(s->run, path);
    if (!value_is_set(v)) {
        struct diag *d = diags_add(&c->diags, DIAG_usage_error, SPAN_NONE, "there is no '%.*s' in the result",
                                   SV_ARG(render_escape(&c->arena, sv_slice(path, 0, 200))));
        diag_set_hint(&c->diags, d, "paths look like Resources.Bucket.Properties.Tags[0].Value");
        return EXIT_USAGE;
    }
    if (!value_is_known(v)) {
        diags_add(&c->diags, DIAG_cfn_unknown, SPAN_NONE, "'%.*s' is unknown or withheld",
                  SV_ARG(render_escape(&c->arena, sv_slice(path, 0, 200))));
        return EXIT_INVALID;
    }
    jsonw_key(&c->writer, SV("value"));
    value_write_json(&c->writer, v, REVEAL);
    struct buf out = BUF(&c->arena);
    if (v.kind == VALUE_STRING)
        buf_append(&out, value_get_text(v));
    else
        buf_append(&out, value_print_json(&c->arena, v, 2, REVEAL));
    buf_append_char(&out, '\n');
    return stack_write(c, buf_get_sv(&out)) ? EXIT_OK : EXIT_FAILED;
}

static enum exit_code resolve(struct stack *s) {
    struct cli *c = s->cli;
    stack_start(s);
    bool is_checked = cfn_run_check(s->run);
    bool is_sound = is_checked && cfn_run_resolve(s->run);
    if (is_sound) {
        s->nested_count = cfn_run_resolve_nested(s->run, &s->nested);
        is_sound = !diags_has_errors(&c->diags);
    }
    enum exit_code code = EXIT_OK;
    if (!is_checked || (!is_sound && !s->options.keep_going))
        return EXIT_INVALID;
    if (settings_is_given(c, "get"))
        code = print_value(s, settings_get_text(c, "get"));
    else if (!print_template(s))
        code = diags_has_errors(&c->diags) ? EXIT_INVALID : EXIT_FAILED;
    if (!stack_report(s))
        code = EXIT_FAILED;
    return code == EXIT_OK ? stack_get_code(c) : code;
}

enum exit_code cmd_cfn_resolve_run(struct cli *c) {
    struct stack s;
    enum exit_code code = EXIT_INVALID;
    if (stack_open(&s, c, &code))
        code = resolve(&s);
    stack_close(&s);
    return code;
}
