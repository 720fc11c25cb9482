/* Variables (1.5): definitions, and the values they are given. */
#include "dialects/blueprint/loader.h"

#include "dialects/blueprint/fields.h"
#include "dialects/blueprint/scalars.h"
#include "base/hint.h"
#include "value/convert.h"

enum { FIELD_ALLOWED, FIELD_DEFAULT, FIELD_DESCRIPTION, FIELD_SECRET, FIELD_TYPE, FIELD_COUNT };

/* sorted */
static const sv field_names[FIELD_COUNT] = {
    SV_INIT("allowedValues"), SV_INIT("default"), SV_INIT("description"), SV_INIT("secret"), SV_INIT("type"),
};
static const struct field_set field_set = {field_names, FIELD_COUNT, "a variable"};

/* One variable under way. */
struct variable {
    struct loader *l;
    struct element *e;
    const struct node *fields[FIELD_COUNT];
    enum value_kind kind;
    value allowed;                      /* a list; kind 0: any */
    const struct variable_type *custom; /* BP-077; NULL: a scalar type, or no providers to ask (BP-311) */
};

/* --- Custom types --- */

static bool has_mixed_options(const struct variable_type *type) {
    for (size_t i = 1; i < type->option_count; i++) {
        if (type->options[i].item.kind != type->options[0].item.kind) {
            return true;
        }
    }
    return false;
}

static bool find_custom_type(struct variable *v, const struct node *n, sv text) {
    struct loader *l = v->l;
    const struct providers *providers = l->request->providers;
    v->kind = VALUE_STRING;
    if (providers == NULL) {
        v->e->type = &type_string;
        return true;
    }
    v->custom = providers_find_variable_type(providers, text);
    if (v->custom == NULL) {
        struct diag *d = diags_add(l->diags, DIAG_custom_variable_type_not_found, n->at,
                                   "no provider offers the variable type '%.*s'", SV_ARG(sv_slice(text, 0, 80)));
        sv close = providers_find_close_variable_type(providers, text);
        if (close.len > 0) {
            diag_set_hint(l->diags, d, "did you mean '%.*s'?", SV_ARG(close));
        }
        return false;
    }
    if (has_mixed_options(v->custom)) {
        diags_add(l->diags, DIAG_mixed_variable_types, n->at,
                  "the options of variable type '%.*s' have values of different types", SV_ARG(text));
        return false;
    }
    v->kind = v->custom->option_count > 0 ? (enum value_kind)v->custom->options[0].item.kind : VALUE_STRING;
    v->e->type = scalars_get_type(v->kind);
    return true;
}

static const struct variable_option *find_label(const struct variable_type *type, sv label) {
    for (size_t i = 0; i < type->option_count; i++) {
        if (sv_eq(type->options[i].label, label)) {
            return &type->options[i];
        }
    }
    return NULL;
}

static void hint_label(const struct variable *v, struct diag *d, sv label) {
    struct hint h = HINT(label);
    struct buf all = BUF(&v->l->scratch);
    for (size_t i = 0; i < v->custom->option_count; i++) {
        hint_offer(&h, v->custom->options[i].label);
        if (all.len < 200) {
            buf_printf(&all, "%s'%.*s'", all.len > 0 ? ", " : "", SV_ARG(v->custom->options[i].label));
        }
    }
    if (h.best.len > 0) {
        diag_set_hint(v->l->diags, d, "did you mean '%.*s'?", SV_ARG(h.best));
    } else if (all.len > 0) {
        diag_set_hint(v->l->diags, d, "options: %.*s", SV_ARG(buf_get_sv(&all)));
    }
}

/* The value of the option that a default or an allowed value names; kind 0 after a report. */
static value read_label(const struct variable *v, const struct node *n, enum diag_code code, const char *what) {
    bool is_scalar = n->kind == NODE_SCALAR;
    value given = is_scalar ? value_from_scalar(&v->l->scratch, n, scalar_resolve_core, v->l->diags) : (value){0};
    const struct variable_option *option =
        given.kind == VALUE_STRING ? find_label(v->custom, value_get_text(given)) : NULL;
    if (option != NULL || value_is_error(given)) {
        return option != NULL ? option->item : (value){0};
    }
    struct diag *d = diags_add(v->l->diags, code, n->at, "%s of variable '%.*s' names no option of type '%.*s'", what,
                               SV_ARG(sv_slice(v->e->name, 0, 80)), SV_ARG(v->e->type_text));
    if (is_scalar && given.kind != VALUE_STRING && find_label(v->custom, n->text) != NULL) {
        diag_set_hint(v->l->diags, d, "options are named by strings: put quotes around it");
    } else if (!v->e->secret) {
        hint_label(v, d, is_scalar ? n->text : (sv){0});
    }
    return (value){0};
}

/* A label, or the value of exactly one option; kind 0 for neither. */
static value find_option(const struct variable *v, const struct template_input *input) {
    value given = input->item;
    const struct variable_option *option =
        given.kind == VALUE_STRING ? find_label(v->custom, value_get_text(given)) : NULL;
    if (option != NULL) {
        return option->item;
    }
    if (input->form == INPUT_TEXT && v->kind != VALUE_STRING && given.kind == VALUE_STRING) {
        given = value_parse_scalar(v->l->arena, value_get_text(given), v->kind);
    }
    size_t found = 0;
    value item = {0};
    for (size_t i = 0; scalars_widen(v->kind, &given) && i < v->custom->option_count; i++) {
        if (value_eq(v->custom->options[i].item, given)) {
            item = v->custom->options[i].item;
            found++;
        }
    }
    return found == 1 ? item : (value){0};
}

static value read_custom_input(const struct variable *v, const struct template_input *input, span at) {
    value item = find_option(v, input);
    if (item.kind != 0) {
        return item;
    }
    struct diag *d = diags_add(v->l->diags, DIAG_custom_variable_value_not_in_options, at,
                               "the value given for variable '%.*s' is no option of type '%.*s'",
                               SV_ARG(sv_slice(v->e->name, 0, 80)), SV_ARG(v->e->type_text));
    if (!v->e->secret) {
        hint_label(v, d, input->item.kind == VALUE_STRING ? value_get_text(input->item) : (sv){0});
    }
    return item;
}

/* --- Definitions --- */

static bool read_type(struct variable *v) {
    const struct node *n = v->fields[FIELD_TYPE];
    struct loader *l = v->l;
    if (n == NULL) {
        diags_add(l->diags, DIAG_invalid_variable, v->e->at, "variable '%.*s' has no 'type'", SV_ARG(v->e->name));
        return false;
    }
    if (fields_is_broken(n) || fields_has_substitution(n)) {
        return false;
    }
    sv text = n->kind == NODE_SCALAR ? n->text : (sv){0};
    v->kind = scalars_find_kind(text);
    v->e->type_text = text;
    if (v->kind != 0) {
        v->e->type = scalars_get_type(v->kind);
        return true;
    }
    if (scalars_is_type_text(text)) {
        return find_custom_type(v, n, text);
    }
    struct diag *d =
        diags_add(l->diags, DIAG_invalid_variable, n->at, "'%.*s' is no type of a variable", SV_ARG(fields_show(n)));
    loader_hint_word(l, d, text, scalars_kind_names, SCALARS_KIND_COUNT);
    return false;
}

static void read_secret(struct variable *v) {
    const struct node *n = v->fields[FIELD_SECRET];
    if (n == NULL) {
        return;
    }
    v->e->secret = true; /* rather too much hidden than too little */
    if (fields_is_broken(n) || fields_has_substitution(n)) {
        return;
    }
    struct scalar s = n->kind == NODE_SCALAR ? scalar_resolve_node(n, scalar_resolve_core) : (struct scalar){0};
    if (s.kind != SCALAR_BOOL) {
        diags_add(v->l->diags, DIAG_variable_invalid_secret_value, n->at, "'secret' must be true or false");
        return;
    }
    v->e->secret = s.boolean;
}

/* BP-281: source lines that are quoted do not show what is secret. */
static void hide_secrets(const struct variable *v) {
    struct loader *l = v->l;
    for (size_t i = FIELD_ALLOWED; i <= FIELD_DEFAULT; i++) {
        if (v->fields[i] != NULL) {
            sources_hide(l->request->sources, v->fields[i]->at);
        }
    }
    const struct template_input *input = map_find(&l->inputs, v->e->name);
    if (input != NULL) {
        sources_hide(l->request->sources, input->at);
    }
}

static value read_scalar(struct variable *v, const struct node *n) {
    return n->kind == NODE_SCALAR ? value_from_scalar(v->l->arena, n, scalar_resolve_core, v->l->diags) : (value){0};
}

/* The items of a wrong type are all named in one message (BP-073). */
static void report_wrong_items(struct variable *v, const struct node *n, const struct buf *wrong) {
    struct buf text = *wrong;
    diags_add(v->l->diags, DIAG_variable_invalid_allowed_values, n->at,
              "allowed values of type '%.*s' wanted, not %.*s", SV_ARG(v->e->type_text), SV_ARG(buf_get_sv(&text)));
}

static void add_wrong_item(const struct variable *v, struct buf *wrong, const struct node *item) {
    buf_append_cstr(wrong, wrong->len > 0 ? ", " : "");
    if (v->e->secret || item->kind != NODE_SCALAR) {
        buf_append_cstr(wrong, node_get_kind_name(item));
    } else {
        buf_printf(wrong, "'%.*s'", SV_ARG(sv_slice(item->text, 0, 40)));
    }
}

static void read_allowed_items(struct variable *v, const struct node *n) {
    struct list_builder list = {.arena = v->l->arena};
    struct buf wrong = BUF(&v->l->scratch);
    for (size_t i = 0; i < n->count; i++) {
        const struct node *item = n->items[i];
        if (fields_is_broken(item) || fields_has_substitution(item)) {
            continue;
        }
        if (fields_is_null(item)) {
            diags_add(v->l->diags, DIAG_variable_null_allowed_value, item->at, "an allowed value must not be null");
            continue;
        }
        value given = read_scalar(v, item);
        if (value_is_error(given)) {
            continue;
        }
        if (scalars_widen(v->kind, &given)) {
            list_add(&list, given);
        } else if (wrong.len < 400) {
            add_wrong_item(v, &wrong, item);
        }
    }
    if (wrong.len > 0) {
        report_wrong_items(v, n, &wrong);
    } else {
        v->allowed = list_done(&list);
    }
}

/* The values of the options that are named (BP-077). */
static void read_allowed_labels(struct variable *v, const struct node *n) {
    struct list_builder list = {.arena = v->l->arena};
    size_t errors = v->l->diags->errors;
    for (size_t i = 0; i < n->count; i++) {
        const struct node *item = n->items[i];
        if (fields_is_broken(item) || fields_has_substitution(item)) {
            continue;
        }
        if (fields_is_null(item)) {
            diags_add(v->l->diags, DIAG_variable_null_allowed_value, item->at, "an allowed value must not be null");
            continue;
        }
        value option = read_label(v, item, DIAG_custom_variable_allowed_values_not_in_options, "an allowed value");
        if (option.kind != 0) {
            list_add(&list, option);
        }
    }
    if (v->l->diags->errors == errors) {
        v->allowed = list_done(&list);
    }
}

static void read_allowed(struct variable *v) {
    const struct node *n = v->fields[FIELD_ALLOWED];
    struct diags *diags = v->l->diags;
    if (n == NULL || fields_is_broken(n)) {
        return;
    }
    if (n->kind != NODE_SEQUENCE) {
        diags_add(diags, DIAG_invalid_array, n->at, "'allowedValues' must be an array, this is %s",
                  node_get_kind_name(n));
    } else if (v->kind == VALUE_BOOL && v->custom == NULL) {
        diags_add(diags, DIAG_variable_invalid_allowed_values_not_supported, n->at,
                  "a boolean variable cannot have 'allowedValues'");
    } else if (n->count == 0) {
        diags_add(diags, DIAG_variable_invalid_allowed_values, n->at, "'allowedValues' must not be empty");
    } else if (v->custom != NULL) {
        read_allowed_labels(v, n);
    } else {
        read_allowed_items(v, n);
    }
}

static bool is_allowed(const struct variable *v, value given) {
    if (v->allowed.kind == 0) {
        return true;
    }
    for (size_t i = 0; i < v->allowed.list->len; i++) {
        if (value_eq(v->allowed.list->items[i], given)) {
            return true;
        }
    }
    return false;
}

static bool check_allowed(const struct variable *v, value given, span at, const char *what) {
    if (is_allowed(v, given)) {
        return true;
    }
    struct diag *d = diags_add(v->l->diags, DIAG_variable_value_not_allowed, at,
                               "%s of variable '%.*s' is not one of its allowed values", what, SV_ARG(v->e->name));
    if (!v->e->secret && v->custom == NULL) {
        sv list = value_print_json(&v->l->scratch, v->allowed, 0, REVEAL);
        diag_set_hint(v->l->diags, d, "allowed: %.*s", SV_ARG(sv_slice(list, 0, 200)));
    }
    return false;
}

static value read_default(struct variable *v) {
    const struct node *n = v->fields[FIELD_DEFAULT];
    if (n == NULL || fields_is_broken(n) || fields_has_substitution(n)) {
        return (value){0};
    }
    bool is_option = v->custom != NULL;
    value given = is_option ? read_label(v, n, DIAG_custom_variable_default_value_not_in_options, "the default")
                            : read_scalar(v, n);
    if (value_is_error(given) || (is_option && given.kind == 0)) {
        return (value){0};
    }
    if (given.kind == 0 || !scalars_widen(v->kind, &given)) {
        diags_add(v->l->diags, DIAG_variable_invalid_default_value, n->at,
                  "the default of variable '%.*s' must be of type '%.*s', this is %s", SV_ARG(v->e->name),
                  SV_ARG(v->e->type_text), node_get_kind_name(n));
        return (value){0};
    }
    return check_allowed(v, given, n->at, "the default") ? given : (value){0};
}

/* BP-075: text is parsed as the declared type, typed input must have it. */
static value read_input(struct variable *v, const struct template_input *input) {
    struct loader *l = v->l;
    value given = input->item;
    if (value_is_error(given)) {
        return (value){0};
    }
    bool ok = true;
    span at = v->e->secret ? v->e->at : input->at; /* the place would show the value */
    if (v->custom != NULL) {
        given = read_custom_input(v, input, at);
        return given.kind != 0 && check_allowed(v, given, at, "the value") ? given : (value){0};
    }
    if (input->form == INPUT_TEXT && v->kind != VALUE_STRING) {
        given = value_parse_scalar(l->arena, value_get_text(given), v->kind);
        ok = given.kind != 0;
    }
    ok = ok && scalars_widen(v->kind, &given);
    if (!ok) {
        diags_add(l->diags, DIAG_variable_invalid_or_missing, at,
                  "the value given for variable '%.*s' is not of type '%.*s'", SV_ARG(v->e->name),
                  SV_ARG(v->e->type_text));
        return (value){0};
    }
    return check_allowed(v, given, at, "the value") ? given : (value){0};
}

/* BP-074. */
static void bind_value(struct variable *v) {
    struct loader *l = v->l;
    value given = read_default(v);
    span at = v->fields[FIELD_DEFAULT] != NULL ? v->fields[FIELD_DEFAULT]->at : v->e->at;
    const struct template_input *input = map_find(&l->inputs, v->e->name);
    if (input != NULL) {
        given = read_input(v, input);
        at = input->at;
    } else if (v->fields[FIELD_DEFAULT] == NULL && l->request->check_inputs) {
        struct diag *d = diags_add(l->diags, DIAG_required_variable_missing, v->e->at, "variable '%.*s' has no value",
                                   SV_ARG(v->e->name));
        diag_set_hint(l->diags, d, "give it with --var %.*s=VALUE, or give it a default", SV_ARG(v->e->name));
    }
    if (given.kind != 0) {
        v->e->expr = expr_new_literal(l->arena, at, given);
    }
}

/* What a parent may pass is checked by the same rules. */
static void keep_rules(const struct variable *v, uint32_t number) {
    struct loader *l = v->l;
    if (l->data->variables == NULL) {
        l->data->variables = ARENA_ARRAY(l->arena, const struct blueprint_variable *, l->count);
    }
    struct blueprint_variable *rules = ARENA_NEW(l->arena, struct blueprint_variable);
    *rules = (struct blueprint_variable){.kind = v->kind, .allowed = v->allowed, .custom = v->custom};
    ((const struct blueprint_variable **)(uintptr_t)l->data->variables)[number] = rules;
}

void variable_load(struct loader *l, uint32_t number) {
    struct variable v = {.l = l, .e = &l->elements[number]};
    const struct node *def = l->entries[number].def;
    v.e->type = &type_any;
    if (!fields_read(l, def, &field_set, v.fields)) {
        return;
    }
    fields_check_static(l, def);
    bool has_type = read_type(&v);
    read_secret(&v);
    if (v.e->secret) {
        hide_secrets(&v);
    }
    const struct node *description = v.fields[FIELD_DESCRIPTION];
    if (description != NULL && !fields_has_substitution(description)) {
        fields_get_text(l, description, "'description'", &v.e->description);
    }
    if (has_type) {
        read_allowed(&v);
        bind_value(&v);
        keep_rules(&v, number);
    }
}

void variables_take_inputs(struct loader *l) {
    l->inputs = MAP(&l->scratch);
    for (size_t i = 0; i < l->request->input_count; i++) {
        map_put(&l->inputs, l->request->inputs[i].name, (void *)&l->request->inputs[i]);
    }
}

void variables_check_inputs(struct loader *l) {
    for (size_t i = 0; i < l->request->input_count; i++) {
        const struct template_input *input = &l->request->inputs[i];
        if (loader_find(l, ELEMENT_VARIABLE, input->name) != UINT32_MAX) {
            continue;
        }
        struct diag *d = diags_add(l->diags, DIAG_unknown_variable_supplied, input->at,
                                   "the blueprint declares no variable '%.*s'", SV_ARG(sv_slice(input->name, 0, 80)));
        loader_hint_name(l, d, ELEMENT_VARIABLE, input->name);
    }
}
