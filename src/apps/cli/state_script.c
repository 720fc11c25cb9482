#include "apps/cli/state_script.h"

struct script_reader {
    struct cli *c;
    struct source *source;
    struct script *script;
    size_t number; /* of the line */
};

static bool fail(const struct script_reader *r, sv line, const char *what, const char *hint) {
    span at = span_make(r->source, (size_t)(line.data - r->source->bytes.data), line.len);
    struct diag *d = diags_add(&r->c->diags, DIAG_state_edit_refused, at, "line %zu of the script %s", r->number, what);
    diag_set_hint(&r->c->diags, d, "%s", hint);
    return false;
}

/* Blanks in quotes, which names of addresses may have, separate nothing. */
static sv take_word(sv *rest) {
    bool quoted = false;
    size_t end = 0;
    *rest = sv_trim(*rest);
    for (; end < rest->len && (quoted || (rest->data[end] != ' ' && rest->data[end] != '\t')); end++)
        quoted = quoted != (rest->data[end] == '"');
    sv word = sv_slice(*rest, 0, end);
    *rest = sv_slice(*rest, end, rest->len);
    return word;
}

static bool read_line(const struct script_reader *r, sv line) {
    struct arena *a = &r->c->arena;
    sv rest = line;
    sv verb = take_word(&rest), first = take_word(&rest);
    if (sv_eq_cstr(verb, "import")) {
        span at = span_make(r->source, (size_t)(line.data - r->source->bytes.data), line.len);
        struct import_wish wish = {.address = first, .id = sv_trim(rest), .at = at};
        VEC_PUSH(a, &r->script->wishes.items, wish);
        return true;
    }
    struct script_line l = {.number = r->number, .is_move = sv_eq_cstr(verb, "mv"), .first = first};
    l.second = take_word(&rest);
    bool is_rm = sv_eq_cstr(verb, "rm") && first.len > 0 && l.second.len == 0;
    if (rest.len > 0 || !(is_rm || (l.is_move && l.second.len > 0)))
        return fail(r, line, "is no edit",
                    "a line is 'rm ADDRESS', 'mv FROM TO' or 'import ADDRESS ID'; what follows '#' at its start is a "
                    "comment");
    if (r->script->wishes.items.len > 0)
        return fail(r, line, "stands behind an import", "import lines come last");
    VEC_PUSH(a, &r->script->lines, l);
    return true;
}

static bool load_blueprint(struct cli *c, struct script *script) {
    sv file = c->arguments.len > 2 ? c->arguments.items[2] : (sv){0};
    size_t count = c->arguments.len;
    c->arguments.len = 0;
    bool ok = file.len > 0 || template_choose_file(c, &file);
    c->arguments.len = count;
    return ok && template_load(c, file, &script->loaded);
}

bool script_read(struct cli *c, sv path, struct script *script) {
    struct script_reader r = {.c = c, .source = inputs_read_source(c, path), .script = script};
    *script = (struct script){0};
    if (!r.source)
        return false;
    sv rest = r.source->bytes;
    for (r.number = 1; rest.len > 0; r.number++) {
        sv line = sv_trim(sv_cut(&rest, '\n'));
        if (line.len > 0 && line.data[0] != '#' && !read_line(&r, line))
            return false;
    }
    return script->wishes.items.len == 0 || load_blueprint(c, script);
}

static bool run_line(const struct script_line *l, struct edit *e) {
    if (l->is_move ? edit_move(e, l->first, l->second) : edit_remove(e, l->first))
        return true;
    return edit_refuse(e, "nothing of the script was carried out",
                       arena_printf(e->a, "line %zu of the script cannot be carried out", l->number));
}

static bool run_imports(const struct script *script, struct edit *e) {
    struct import_request request = {
        .t = script->loaded.template,
        .inputs = script->loaded.inputs,
        .input_count = script->loaded.input_count,
        .wishes = script->wishes.items.items,
        .count = script->wishes.items.len,
        .only_found = true,
    };
    struct import import;
    enum exit_code code;
    return import_look(&import, e->c, &request, edit_make_picture(e), &code) && import_take(&import, e);
}

bool script_run(const struct script *script, struct edit *e) {
    for (size_t i = 0; i < script->lines.len; i++) {
        if (!run_line(&script->lines.items[i], e))
            return false;
    }
    return script->wishes.items.len == 0 || run_imports(script, e);
}
