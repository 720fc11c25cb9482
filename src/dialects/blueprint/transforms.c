#include "dialects/blueprint/transforms.h"

#include "dialects/blueprint/fields.h"

/* --- names (BP-055) --- */

static bool is_name(sv name) {
    bool ok = name.len > 0;
    for (size_t i = 0; i < name.len && ok; i++) {
        char c = name.data[i];
        bool is_alnum = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
        ok = is_alnum || (i > 0 && (c == '.' || c == '_' || c == '-'));
    }
    return ok;
}

static void check_name(struct loader *l, const struct node *n) {
    if (fields_is_broken(n)) {
        return;
    }
    if (n->kind != NODE_SCALAR || scalar_resolve_node(n, scalar_resolve_core).kind != SCALAR_STRING) {
        diags_add(l->diags, DIAG_invalid_transform_type, n->at, "the name of a transform must be a string, this is %s",
                  node_get_kind_name(n));
    } else if (fields_check_static(l, n) && !is_name(n->text)) {
        struct diag *d = diags_add(l->diags, DIAG_invalid_transform, n->at, "'%.*s' is no name of a transform",
                                   SV_ARG(fields_show(n)));
        diag_set_hint(l->diags, d,
                      "it consists of letters, digits, '.', '_' and '-', and starts with a letter or digit");
    }
}

/* The names, one or more; NULL after a report. */
static const struct node *const *read_names(struct loader *l, const struct node *n, size_t *count) {
    size_t errors = l->diags->errors;
    if (n->kind == NODE_MAPPING) {
        diags_add(l->diags, DIAG_invalid_transform_type, n->at,
                  "'transform' must be a string or an array of strings, this is %s", node_get_kind_name(n));
        return NULL;
    }
    bool is_list = n->kind == NODE_SEQUENCE;
    *count = is_list ? n->count : 1;
    const struct node **names = ARENA_ARRAY(&l->scratch, const struct node *, *count + 1);
    for (size_t i = 0; i < *count; i++) {
        names[i] = is_list ? n->items[i] : n;
        check_name(l, names[i]);
    }
    return l->diags->errors == errors && !fields_is_broken(n) ? names : NULL;
}

/* BP-057: one report per name. */
static bool check_presence(struct loader *l, const struct node *const *names, size_t count) {
    const struct transforms *t = l->request->transforms;
    bool ok = true;
    for (size_t i = 0; i < count; i++) {
        sv name = names[i]->text;
        if (transforms_find_builtin(name) == NULL && (t == NULL || !t->find(t->user, name))) {
            struct diag *d = diags_add(l->diags, DIAG_missing_transformers, names[i]->at,
                                       "there is no transform '%.*s'", SV_ARG(sv_slice(name, 0, 80)));
            diag_set_hint(l->diags, d, "put the program 'lintel-transform-%.*s' into a directory of --plugin-path",
                          SV_ARG(sv_slice(name, 0, 80)));
            ok = false;
        }
    }
    return ok;
}

/* --- the chain (BP-056) --- */

static void report_failure(struct transform_step *s) {
    struct diag *d = diags_add(s->l->diags, s->run.failure.code, s->at, "%.*s", SV_ARG(s->run.failure.message));
    if (s->run.failure.hint.len > 0) {
        diag_set_hint(s->l->diags, d, "%.*s", SV_ARG(s->run.failure.hint));
    }
}

static bool run(struct transform_step *s) {
    const struct builtin_transform *builtin = transforms_find_builtin(s->name);
    const struct transforms *t = s->l->request->transforms;
    s->run = (struct transform_run){.arena = s->l->arena, .name = s->name};
    s->run.failure.code = DIAG_transform_failed;
    if (builtin != NULL) {
        return builtin->run(s);
    }
    s->run.document = transforms_write(s);
    return t->run(t->user, &s->run);
}

static const struct node *run_step(struct loader *l, const struct node *tree, const struct node *name) {
    struct transform_step s = {.l = l, .name = name->text, .at = name->at, .tree = tree, .hidden = MAP(&l->scratch)};
    bool ok = run(&s);
    bool has_errors = transforms_report(&s);
    if (!ok) {
        report_failure(&s);
        return NULL;
    }
    return has_errors ? NULL : transforms_read(&s);
}

const struct node *transforms_apply(struct loader *l, const struct node *tree, const struct node *names,
                                    bool is_sound) {
    size_t count = 0;
    const struct node *const *list = read_names(l, names, &count);
    if (list == NULL) {
        return NULL;
    }
    if (l->request->no_transforms || !is_sound) {
        l->skips_transforms = true;
        return tree;
    }
    if (!check_presence(l, list, count)) {
        return NULL;
    }
    for (size_t i = 0; i < count && tree != NULL; i++) {
        tree = run_step(l, tree, list[i]);
    }
    l->is_transformed = tree != NULL && count > 0;
    return tree;
}

/* --- findings (BP-061) --- */

void transforms_mark_findings(struct loader *l, size_t from) {
    for (size_t i = from; l->is_transformed && i < l->diags->items.len; i++) {
        struct diag *d = l->diags->items.items[i];
        if (d->at.source != l->data->source) {
            continue; /* of a child */
        }
        if (d->level == DIAG_ERROR) {
            d->group = SV("transform_validation_errors");
        }
        if (!span_is_none(d->made_at) && d->path.len > 0) {
            d->message = arena_printf(l->diags->arena, "%.*s, at '%.*s' of what the transform made", SV_ARG(d->message),
                                      SV_ARG(sv_slice(d->path, 0, 200)));
        }
    }
}
