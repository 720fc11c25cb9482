/* Runs expressions from files: one a line, and what each gives (docs/spec/module.md, 7 and 8). Prints TAP, one case per
 * line. usage: expressions FILE…
 *
 *     given NAME = JSON        a value for this name in what follows; the name `unknown` is unknown without being given
 *     E => RESULT              as JSON; secrets as "(sensitive)", what is not known as unknown
 *     E !! MESSAGE             the first diagnostic
 *     text T => RESULT         a string with ${{ … }} in it; \n stands for a line break in T
 *
 * Lines of `#` name the rules. */
#include "dialects/module/language.h"

#include "unit/doc/suite.h"
#include "value/convert.h"

#include <stdio.h>
#include <string.h>

enum { NAMES_MAX = 64 };

struct given {
    struct module_user user;
    sv names[NAMES_MAX];
    value items[NAMES_MAX];
    size_t count;
};

static bool read_file(struct module_user *u, struct arena *a, sv path, span at, sv *bytes, sv *why) {
    (void)u;
    (void)a;
    (void)at;
    *why = SV("no such file");
    *bytes = sv_eq(path, SV("bad")) ? sv_make("\xff", 1) : SV("content\n");
    return !sv_eq(path, SV("missing"));
}

static enum resolve_result resolve(void *user, struct evaluator *ev, const struct expr *ref, const struct scope *scope,
                                   struct resolved *out) {
    const struct given *g = user;
    (void)scope;
    for (size_t i = 0; i < g->count; i++) {
        if (sv_eq(g->names[i], ref->ref.name)) {
            out->item = g->items[i];
            return RESOLVE_VALUE;
        }
    }
    if (sv_eq(ref->ref.name, SV("unknown"))) {
        out->item = value_unknown(NULL);
        return RESOLVE_VALUE;
    }
    eval_fail(ev, DIAG_module_unknown_name, ref->at, "unknown variable '%.*s'", SV_ARG(ref->ref.name));
    return RESOLVE_ERROR;
}

static const struct eval_ops ops = {
    .resolve = resolve, .walk = module_walk, .step_by = module_step_by, .refuse = module_refuse};

static sv show(struct arena *a, const struct diags *diags, value v) {
    if (diags->items.len > 0)
        return arena_printf(a, "!! %.*s", SV_ARG(diags->items.items[0]->message));
    if (v.kind == VALUE_UNKNOWN)
        return SV("=> unknown");
    if (v.kind == VALUE_FLOAT && !value_is_sensitive(v)) {
        struct buf out = BUF(a);
        buf_append_cstr(&out, "=> ");
        module_print_scalar(&out, v);
        return buf_get_sv(&out);
    }
    return arena_printf(a, "=> %s", value_print_json(a, v, 0, REDACT).data);
}

/* "=> RESULT" or "!! MESSAGE" */
static sv run(struct arena *a, struct given *g, sv text, bool is_text) {
    struct sources sources;
    struct diags diags;
    sources_init(&sources, a);
    diags_init(&diags, a, &sources);
    struct source *source = sources_add(&sources, SV("test"), text);
    struct parse_context c = {.arena = a, .diags = &diags, .limits = &limits_default, .dialect = &module_dialect};
    struct expr_text t = {.text = text, .source = source->id};
    const struct expr *e = is_text ? lang_parse_text(&c, &t, false, NULL) : lang_parse_expr(&c, &t, 0, text.len);
    struct eval_options o = {.arena = a,
                             .diags = &diags,
                             .limits = &limits_default,
                             .ops = &ops,
                             .user = g,
                             .policy = module_dialect.policy,
                             .sources = &sources};
    value v = diags.items.len == 0 ? eval_expr(eval_new(&o), e, NULL) : value_error(NULL);
    if (diags.items.len == 0 && value_is_error(v))
        return SV("failed without a word");
    return show(a, &diags, v);
}

static void store_given(struct arena *a, struct given *g, sv line) {
    sv why = {0}, name = sv_trim(sv_cut(&line, '='));
    size_t offset = 0;
    value v = value_parse_json(a, sv_trim(line), &limits_default, true, &why, &offset);
    if (g->count == NAMES_MAX || value_is_error(v))
        printf("Bail out! given %.*s: %.*s\n", SV_ARG(name), SV_ARG(why));
    else {
        g->names[g->count] = name;
        g->items[g->count++] = module_normalise(a, v);
    }
}

static sv unescape(struct arena *a, sv text) {
    struct buf out = BUF(a);
    for (size_t i = 0; i < text.len; i++) {
        bool is_break = text.data[i] == '\\' && i + 1 < text.len && text.data[i + 1] == 'n';
        buf_append_char(&out, is_break ? '\n' : text.data[i]);
        i += is_break;
    }
    return buf_get_sv(&out);
}

static size_t find_outcome(sv line) {
    size_t gives = sv_find(line, SV(" => ")), fails = sv_find(line, SV(" !! "));
    return gives < fails ? gives : fails;
}

static bool run_line(struct arena *a, struct given *g, sv line, int number) {
    size_t cut = find_outcome(line);
    if (cut == SIZE_MAX) {
        printf("Bail out! no result: %.*s\n", SV_ARG(line));
        return false;
    }
    sv wanted = sv_slice(line, cut + 1, line.len), text = sv_slice(line, 0, cut);
    bool is_text = sv_has_prefix(text, SV("text "));
    sv got = run(a, g, is_text ? unescape(a, sv_slice(text, 5, text.len)) : text, is_text);
    bool is_right = sv_eq(got, wanted);
    printf("%sok %d - %.*s\n", is_right ? "" : "not ", number, SV_ARG(text));
    if (!is_right)
        printf("# wanted %.*s\n# got    %.*s\n", SV_ARG(wanted), SV_ARG(got));
    return is_right;
}

int main(int argc, char **argv) {
    int count = 0, failed = 0;
    for (int i = 1; i < argc; i++) {
        struct arena a = {0};
        struct given g = {.user = {.read_file = read_file}};
        sv rest = suite_read_file(&a, argv[i]);
        while (rest.len > 0) {
            sv line = sv_cut(&rest, '\n');
            if (line.len == 0 || line.data[0] == '#')
                continue;
            if (sv_has_prefix(line, SV("given ")))
                store_given(&a, &g, sv_slice(line, 6, line.len));
            else
                failed += !run_line(&a, &g, line, ++count);
        }
        arena_fini(&a);
    }
    printf("1..%d\n", count);
    return failed > 0 || count == 0;
}
