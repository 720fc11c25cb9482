#include "apps/cli/cfn/commands.h"
#include "apps/cli/cfn/stack.h"

#include "base/num.h"
#include "dialects/cfn/describe.h"

static void put_number(struct jsonw *w, const char *key, bool is_set, double number) {
    if (!is_set)
        return;
    jsonw_key(w, sv_from_cstr(key));
    if (number >= -1e15 && number <= 1e15 && (double)(int64_t)number >= number && (double)(int64_t)number <= number)
        jsonw_i64(w, (int64_t)number);
    else
        jsonw_double(w, number);
}

static void write_one(struct jsonw *w, const struct cfn_parameter_info *p, enum secrecy secrecy) {
    jsonw_begin_object(w);
    jsonw_put_text(w, "name", p->name);
    jsonw_put_text(w, "type", p->type);
    jsonw_put_bool(w, "required", !value_is_set(p->fallback));
    jsonw_put_bool(w, "sensitive", p->is_hidden);
    jsonw_put_i64(w, "uses", (int64_t)p->uses);
    if (value_is_set(p->fallback)) {
        jsonw_key(w, SV("default"));
        value_write_json(w, p->fallback, secrecy);
    }
    if (value_is_set(p->allowed)) {
        jsonw_key(w, SV("allowedValues"));
        value_write_json(w, p->allowed, REVEAL);
    }
    if (p->pattern.len > 0)
        jsonw_put_text(w, "allowedPattern", p->pattern);
    put_number(w, "minLength", p->has_min_length, p->min_length);
    put_number(w, "maxLength", p->has_max_length, p->max_length);
    put_number(w, "minValue", p->has_min_value, p->min_value);
    put_number(w, "maxValue", p->has_max_value, p->max_value);
    if (p->description.len > 0)
        jsonw_put_text(w, "description", p->description);
    if (p->constraint_description.len > 0)
        jsonw_put_text(w, "constraintDescription", p->constraint_description);
    jsonw_end_object(w);
}

static void print_constraint(struct buf *out, const char *name, bool is_set, double number) {
    char digits[NUM_TEXT_MAX];
    if (!is_set)
        return;
    size_t len = num_print_double(number, digits);
    sv text = sv_make(digits, len);
    buf_printf(out, "    %s %.*s\n", name, SV_ARG(sv_has_suffix(text, SV(".0")) ? sv_slice(text, 0, len - 2) : text));
}

static void print_one(struct cli *c, struct buf *out, const struct cfn_parameter_info *p, enum secrecy secrecy) {
    struct arena *a = &c->arena;
    buf_printf(out, "%.*s  %.*s%s%s, used %zu time%s\n", SV_ARG(p->name), SV_ARG(render_escape(a, p->type)),
               value_is_set(p->fallback) ? "" : ", required", p->is_hidden ? ", sensitive" : "", p->uses,
               p->uses == 1 ? "" : "s");
    if (p->description.len > 0)
        buf_printf(out, "    %.*s\n", SV_ARG(render_escape(a, p->description)));
    if (value_is_set(p->fallback)) {
        buf_append(out, SV("    default "));
        value_render(out, p->fallback, 100, secrecy);
        buf_append_char(out, '\n');
    }
    if (value_is_set(p->allowed)) {
        buf_append(out, SV("    one of "));
        value_render(out, p->allowed, 200, REVEAL);
        buf_append_char(out, '\n');
    }
    if (p->pattern.len > 0)
        buf_printf(out, "    pattern %.*s\n", SV_ARG(render_escape(a, p->pattern)));
    print_constraint(out, "at least", p->has_min_value, p->min_value);
    print_constraint(out, "at most", p->has_max_value, p->max_value);
    print_constraint(out, "shortest", p->has_min_length, p->min_length);
    print_constraint(out, "longest", p->has_max_length, p->max_length);
}

/* --skeleton: a parameter file (CF-222) with defaults, and empty texts where there are none. */
static void print_skeleton(struct buf *out, const struct cfn_parameter_info *items, size_t count) {
    struct jsonw w = JSONW(out, 2);
    jsonw_begin_object(&w);
    jsonw_key(&w, SV("Parameters"));
    jsonw_begin_object(&w);
    for (size_t i = 0; i < count; i++) {
        bool has_default = value_is_set(items[i].fallback) && !items[i].is_hidden;
        jsonw_key(&w, items[i].name);
        jsonw_text(&w, has_default ? value_get_text(items[i].fallback) : SV(""));
    }
    jsonw_end_object(&w);
    jsonw_end_object(&w);
    buf_append_char(out, '\n');
}

static enum exit_code list(struct stack *s) {
    struct cli *c = s->cli;
    const struct cfn_parameter_info *items = NULL;
    enum secrecy secrecy = s->options.show_sensitive ? REVEAL : REDACT;
    struct buf out = BUF(&c->arena);
    s->options.is_validation = true;
    stack_start(s);
    if (!cfn_run_check(s->run))
        return EXIT_INVALID;
    size_t count = cfn_run_list_parameters(s->run, &items);
    jsonw_key(&c->writer, SV("parameters"));
    jsonw_begin_array(&c->writer);
    for (size_t i = 0; i < count; i++) {
        write_one(&c->writer, &items[i], secrecy);
        print_one(c, &out, &items[i], secrecy);
    }
    jsonw_end_array(&c->writer);
    if (settings_get_flag(c, "skeleton")) {
        out.len = 0;
        print_skeleton(&out, items, count);
    }
    return stack_write(c, buf_get_sv(&out)) ? EXIT_OK : EXIT_FAILED;
}

enum exit_code cmd_cfn_params_run(struct cli *c) {
    struct stack s;
    enum exit_code code = EXIT_INVALID;
    if (stack_open(&s, c, &code))
        code = list(&s);
    stack_close(&s);
    return code;
}
