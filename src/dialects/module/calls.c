/* Items of `modules` (MD-075, MD-080, section 6). */
#include "dialects/module/document.h"

#include "base/hint.h"

struct reading {
    struct module_set *set;
    struct module_code *code;
    struct module_call *call;
    bool is_name_key; /* what is read is the `for` or `name` of the call: other calls are not to be used (MD-174) */
};

/* --- what a call refers to --- */

static void add_use(struct reading *r, sv name, span at, bool is_bare) {
    if (!r->is_name_key)
        VEC_PUSH(r->set->arena, &r->call->uses, ((struct module_use){.name = name, .at = at, .is_bare = is_bare}));
}

static void report_early(struct reading *r, const struct expr *e) {
    struct diag *d = diags_add(r->set->diags, DIAG_module_value, e->at, "'for' and 'name' of a call cannot use calls");
    diag_set_hint(r->set->diags, d, "calls are expanded before any of them is evaluated");
}

static bool note_reference(void *user, const struct expr *e) {
    struct reading *r = user;
    bool is_call_root = e->kind == EXPR_REF && (e->op == MODULE_ROOT_MODULE || e->op == MODULE_ROOT_DEPENDENCIES);
    if (e->kind != EXPR_REF)
        return true;
    if (r->code->form == MODULE_LIST_FORM) {
        bool is_special = e->op == MODULE_ROOT_ENV || e->op == MODULE_ROOT_SELF || e->op == MODULE_ROOT_FOR;
        if (!is_special)
            add_use(r, e->ref.name, e->at, true);
        return true;
    }
    if (is_call_root && e->count > 0 && e->ref.steps[0].kind == STEP_NAME) {
        sv name = e->ref.steps[0].name;
        if (r->is_name_key && e->op == MODULE_ROOT_MODULE && map_find(&r->code->locals, name) != NULL)
            report_early(r, e);
        add_use(r, name, e->at, false);
    }
    return true;
}

static const struct expr *note_uses(struct reading *r, const struct expr *e) {
    expr_walk(e, note_reference, r);
    return e;
}

/* --- keys --- */

enum { KEY_NAME, KEY_MODULE, KEY_DEPENDS_ON, KEY_ARGUMENT, KEY_IF, KEY_FOR, KEY_DEPENDENCIES, KEY_COUNT };

static void read_name(struct reading *r, const struct module_key *keys) {
    const struct node *n = keys[KEY_NAME].value;
    if (n == NULL) {
        diags_add(r->set->diags, DIAG_module_document, r->call->at, "a call needs a 'name'");
        return;
    }
    r->call->name_at = n->at;
    if (keys[KEY_FOR].value == NULL || !module_has_expression(n)) {
        module_take_name(r->set, n, "the name of a call", &r->call->name);
        return;
    }
    struct module_fields f = module_make_fields(r->set);
    r->call->make_name = module_field(&f, n);
    r->code->has_computed_names = true;
}

static void read_target(struct reading *r, const struct node *n) {
    struct module_call *call = r->call;
    if (n == NULL) {
        diags_add(r->set->diags, DIAG_module_document, call->at, "a call needs a 'module'");
        return;
    }
    call->target_at = n->at;
    if (module_has_expression(n)) {
        struct module_fields f = module_make_fields(r->set);
        call->make_target = note_uses(r, module_field(&f, n));
    } else {
        module_take_text(r->set, n, "'module'", &call->target);
    }
}

static void read_depends_on(struct reading *r, const struct node *n) {
    if (n != NULL && n->kind != NODE_SEQUENCE && n->kind != NODE_ERROR)
        diags_add(r->set->diags, DIAG_module_document, n->at, "'depends_on' must be a list, this is %s",
                  node_get_kind_name(n));
    for (uint32_t i = 0; n != NULL && n->kind == NODE_SEQUENCE && i < n->count; i++) {
        struct module_use use = {.at = n->items[i]->at, .is_depends_on = true};
        if (module_take_text(r->set, n->items[i], "an item of 'depends_on'", &use.name))
            VEC_PUSH(r->set->arena, &r->call->uses, use);
    }
}

static void read_argument(struct reading *r, const struct node *n) {
    struct module_fields f = module_make_fields(r->set);
    bool can_be = n != NULL && (n->kind == NODE_MAPPING || module_has_expression(n));
    if (n == NULL || n->kind == NODE_ERROR)
        return;
    if (!can_be) {
        diags_add(r->set->diags, DIAG_module_document, n->at, "an argument must be a mapping, this is %s",
                  node_get_kind_name(n));
        return;
    }
    r->call->argument_at = n->at;
    r->call->argument_node = n;
    r->call->argument = note_uses(r, module_argument(&f, n));
}

static void read_control(struct reading *r, const struct node *condition, const struct node *each) {
    struct module_fields f = module_make_fields(r->set);
    if (each != NULL) {
        r->call->each_at = each->at;
        r->call->each = module_field(&f, each);
    }
    if (condition != NULL) {
        r->call->condition_at = condition->at;
        r->call->condition = note_uses(r, module_field(&f, condition));
    }
}

static void read_bindings(struct reading *r, const struct node *n) {
    if (n != NULL && n->kind != NODE_MAPPING && n->kind != NODE_ERROR)
        diags_add(r->set->diags, DIAG_module_document, n->at, "'dependencies' of a call must be a mapping, this is %s",
                  node_get_kind_name(n));
    for (uint32_t i = 0; n != NULL && n->kind == NODE_MAPPING && i < n->count; i++) {
        const struct node_pair *pair = &n->pairs[i];
        struct module_binding b = {.name = pair->key->text, .name_at = pair->key->at, .local_at = pair->value->at};
        if (!module_take_text(r->set, pair->value, "what a dependency is bound to", &b.local))
            continue;
        VEC_PUSH(r->set->arena, &r->call->bindings, b);
        add_use(r, b.local, b.local_at, false);
    }
}

static void read_call(struct module_set *s, struct module_code *code, const struct node *n) {
    bool is_list = code->form == MODULE_LIST_FORM;
    struct module_key keys[KEY_COUNT] = {
        {.name = "name"}, {.name = "module"}, {.name = "depends_on"},  {.name = is_list ? "arguments" : "argument"},
        {.name = "if"},   {.name = "for"},    {.name = "dependencies"}};
    if (n->kind != NODE_MAPPING) {
        if (n->kind != NODE_ERROR)
            diags_add(s->diags, DIAG_module_document, n->at, "a call must be a mapping, this is %s",
                      node_get_kind_name(n));
        return;
    }
    struct module_call *call = ARENA_NEW(s->arena, struct module_call);
    struct reading r = {.set = s, .code = code, .call = call};
    *call = (struct module_call){.number = (uint32_t)code->calls.len, .at = n->count > 0 ? n->pairs[0].key->at : n->at};
    module_take_keys(s, n, keys, is_list ? KEY_DEPENDENCIES : KEY_COUNT, "a call");
    read_name(&r, keys);
    read_target(&r, keys[KEY_MODULE].value);
    read_depends_on(&r, keys[KEY_DEPENDS_ON].value);
    read_control(&r, keys[KEY_IF].value, keys[KEY_FOR].value);
    read_argument(&r, keys[KEY_ARGUMENT].value);
    read_bindings(&r, keys[KEY_DEPENDENCIES].value);
    VEC_PUSH(s->arena, &code->calls, call);
}

void module_read_calls(struct module_set *s, struct module_code *code, const struct node *list) {
    for (uint32_t i = 0; i < list->count; i++)
        read_call(s, code, list->items[i]);
}

/* --- targets (MD-035) --- */

static void report_unknown_module(struct module_set *s, const struct module_code *code,
                                  const struct module_call *call) {
    struct diag *d = diags_add(s->diags, DIAG_module_unknown_name, call->target_at, "unknown module '%.*s'",
                               SV_ARG(sv_slice(call->target, 0, 80)));
    struct hint h = HINT(call->target);
    for (size_t i = 0; i < code->file->visible.len; i++)
        hint_offer(&h, code->file->visible.entries[i].key);
    if (h.best.len > 0)
        diag_set_hint(s->diags, d, "did you mean '%.*s'?", SV_ARG(h.best));
    else
        diag_set_hint(s->diags, d,
                      "name a module of this file or of one that it imports, or a provider as resource/NAME");
}

static void check_provider(struct module_set *s, const struct module_call *call) {
    if (!module_is_provider(call->provider)) {
        struct diag *d = diags_add(s->diags, DIAG_module_unknown_name, call->target_at, "unknown provider '%.*s'",
                                   SV_ARG(sv_slice(call->target, 0, 80)));
        diag_set_hint(s->diags, d, "providers are named resource/NAME or data/NAME");
    }
    for (size_t i = 0; i < call->bindings.len; i++)
        diags_add(s->diags, DIAG_module_document, call->bindings.items[i].name_at,
                  "a call of a provider has no dependencies");
}

static const struct module_dependency *find_dependency(const struct module_code *code, sv name) {
    for (size_t i = 0; i < code->dependencies.len; i++) {
        if (sv_eq(code->dependencies.items[i].name, name))
            return &code->dependencies.items[i];
    }
    return NULL;
}

static sv get_comparable(struct module_set *s, sv target) {
    sv provider = module_normalise_provider(s->arena, target);
    return provider.len > 0 ? provider : target;
}

/* MD-072: what is bound has to be of the module that the dependency declares. */
static void check_binding(struct module_set *s, const struct module_code *code, const struct module_call *call,
                          const struct module_binding *b) {
    const struct module_dependency *declared = find_dependency(call->module, b->name);
    const struct module_call *local = map_find(&code->locals, b->local);
    const struct module_dependency *passed = find_dependency(code, b->local);
    sv target = local != NULL ? local->target : passed != NULL ? passed->module : (sv){0};
    if (declared == NULL) {
        diags_add(s->diags, DIAG_module_unknown_name, b->name_at, "module '%.*s' has no dependency '%.*s'",
                  SV_ARG(call->target), SV_ARG(sv_slice(b->name, 0, 80)));
    } else if (target.len > 0 && !sv_eq(get_comparable(s, target), get_comparable(s, declared->module))) {
        diags_add(s->diags, DIAG_module_value, b->local_at, "'%.*s' is of module '%.*s', the dependency of '%.*s'",
                  SV_ARG(b->local), SV_ARG(target), SV_ARG(declared->module));
    }
}

/* MD-174: whether `for` and `name` use calls can be told when all names are known. */
static void check_early_uses(struct module_set *s, struct module_code *code, struct module_call *call) {
    struct reading r = {.set = s, .code = code, .call = call, .is_name_key = true};
    if (call->each != NULL)
        note_uses(&r, call->each);
    if (call->make_name != NULL)
        note_uses(&r, call->make_name);
}

void module_link_targets(struct module_set *s, struct module_code *code) {
    size_t errors = s->diags->errors;
    for (size_t i = 0; i < code->calls.len; i++) {
        struct module_call *call = code->calls.items[i];
        check_early_uses(s, code, call);
        if (call->target.len == 0)
            continue;
        if (sv_find_char(call->target, '/') != SIZE_MAX) {
            call->provider = module_normalise_provider(s->arena, call->target);
            check_provider(s, call);
            continue;
        }
        call->module = map_find(&code->file->visible, call->target);
        if (call->module == NULL)
            report_unknown_module(s, code, call);
        for (size_t k = 0; call->module != NULL && k < call->bindings.len; k++)
            check_binding(s, code, call, &call->bindings.items[k]);
    }
    code->is_broken = code->is_broken || s->diags->errors > errors;
}
