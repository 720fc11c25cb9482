#include "dialects/blueprint/render.h"

#include "dialects/blueprint/children.h"
#include "doc/scalar.h"
#include "value/convert.h"

enum { NESTING = 300 };

static value copy_node(struct renderer *x, const struct node *n) {
    return value_from_node(x->arena, n, scalar_resolve_core, NULL, x->e->diags);
}

static const struct element *find(struct renderer *x, enum element_kind kind, sv name) {
    return template_find(x->t, addr_make(x->arena, (sv){0}, kind, name).text);
}

static uint32_t number_of(struct renderer *x, const struct element *e) {
    return template_get_number(x->t, e);
}

static bool is_key(const struct node_pair *pair, const char *name) {
    return pair->key->kind == NODE_SCALAR && sv_eq_cstr(pair->key->text, name);
}

static void put_expr(struct renderer *x, struct map_builder *b, sv key, const struct expr *expr, struct scope *scope) {
    if (expr != NULL) {
        map_add(b, key, render_expr(x, (struct render_source){.expr = expr, .scope = scope}));
    }
}

/* A definition of which one field is an expression, and perhaps the description; all else is copied. */
struct put_field {
    const char *name;
    const struct expr *expr;
};

static value render_definition(struct renderer *x, const struct node *def, const struct element *e,
                               struct put_field field) {
    struct map_builder b = {.arena = x->arena};
    for (size_t i = 0; i < def->count; i++) {
        const struct node_pair *pair = &def->pairs[i];
        sv key = pair->key->text;
        if (is_key(pair, "description") && e->description_expr != NULL) {
            put_expr(x, &b, key, e->description_expr, e->scope);
        } else if (is_key(pair, field.name) && field.expr != NULL) {
            put_expr(x, &b, key, field.expr, e->scope);
        } else {
            map_add(&b, key, copy_node(x, pair->value));
        }
    }
    return map_done(&b);
}

/* --- values, data sources, includes, exports --- */

/* The result in place of the expression; what is not known whole stays as far as it is open. */
static value render_value(struct renderer *x, const struct node *def, const struct element *e) {
    value v = render_definition(x, def, e, (struct put_field){"value", e->expr});
    value result = eval_cell(x->e->evaluator, &x->e->cells[number_of(x, e)].main);
    x->has_failed |= value_is_error(result);
    bool is_whole = value_is_known(result) && result.kind != VALUE_ABSENT && !value_is_error(result);
    return is_whole ? value_map_with(x->arena, v, SV("value"), render_settle(x, result)) : v;
}

/* The search of a filter, when it has substitutions: see datasources.c. */
static const struct expr *find_search(const struct element *e, size_t number) {
    const struct expr *one = e->expr;
    if (one != NULL && one->kind == EXPR_LIST) {
        one = number < one->count ? one->call.args[number] : NULL;
    }
    return one != NULL && one->kind == EXPR_OBJECT && one->count > 0 ? one->call.args[0] : NULL;
}

static value render_filter(struct renderer *x, const struct node *filter, const struct element *e, size_t number) {
    const struct expr *search = find_search(e, number);
    struct map_builder b = {.arena = x->arena};
    for (size_t i = 0; i < filter->count; i++) {
        const struct node_pair *pair = &filter->pairs[i];
        if (is_key(pair, "search") && search != NULL) {
            put_expr(x, &b, pair->key->text, search, e->scope);
        } else {
            map_add(&b, pair->key->text, copy_node(x, pair->value));
        }
    }
    return map_done(&b);
}

static value render_filters(struct renderer *x, const struct node *filters, const struct element *e) {
    if (filters->kind == NODE_MAPPING) {
        return render_filter(x, filters, e, 0);
    }
    struct list_builder b = {.arena = x->arena};
    for (size_t i = 0; i < filters->count; i++) {
        list_add(&b, render_filter(x, filters->items[i], e, i));
    }
    return list_done(&b);
}

static value render_metadata(struct renderer *x, const struct node *n, const struct element *e) {
    struct map_builder b = {.arena = x->arena};
    for (size_t i = 0; i < n->count; i++) {
        const struct node_pair *pair = &n->pairs[i];
        const struct expr *expr = is_key(pair, "displayName")   ? e->display_name
                                  : is_key(pair, "annotations") ? e->annotations
                                  : is_key(pair, "custom")      ? e->custom
                                                                : NULL;
        if (expr != NULL) {
            put_expr(x, &b, pair->key->text, expr, e->scope);
        } else {
            map_add(&b, pair->key->text, copy_node(x, pair->value));
        }
    }
    return map_done(&b);
}

static value render_data_source(struct renderer *x, const struct node *def, const struct element *e) {
    value v = render_definition(x, def, e, (struct put_field){"filter", NULL});
    for (size_t i = 0; i < def->count; i++) {
        const struct node_pair *pair = &def->pairs[i];
        if (is_key(pair, "filter")) {
            v = value_map_with(x->arena, v, pair->key->text, render_filters(x, pair->value, e));
        } else if (is_key(pair, "metadata") && pair->value->kind == NODE_MAPPING) {
            v = value_map_with(x->arena, v, pair->key->text, render_metadata(x, pair->value, e));
        }
    }
    return v;
}

/* Puts the parts of a child that stand below the keys of `v`. */
static value put_child_parts(struct renderer *x, value v, const struct blueprint_child *child, struct scope *scope) {
    VEC(struct path_item) items = {0};
    struct child_part part;
    for (size_t i = 0; child_get_part(child, i, &part); i++) {
        if (part.expr == NULL) {
            continue;
        }
        struct path_step *steps = ARENA_ARRAY(x->arena, struct path_step, part.key_count);
        for (size_t k = 0; k < part.key_count; k++) {
            steps[k] = (struct path_step){.key = part.keys[k]};
        }
        value item = render_expr(x, (struct render_source){.expr = part.expr, .scope = scope});
        struct path p = {steps, part.key_count};
        if (item.kind != VALUE_ABSENT && value_is_set(value_find_path(v, p))) {
            VEC_PUSH(x->arena, &items, ((struct path_item){p, item}));
        }
    }
    return value_with_paths(x->arena, v, items.items, items.len);
}

static const struct blueprint_child *get_child(const struct element *e, sv name) {
    const struct blueprint_names *names = e->scope->owner;
    void *found = map_find(&names->file->names[e->kind == ELEMENT_CHILD ? ELEMENT_CHILD : ELEMENT_RESOURCE], name);
    if (found == NULL) {
        found = map_find(&names->file->names[ELEMENT_RESOURCE], name);
    }
    bool is_known = found != NULL && names->file->children != NULL;
    return is_known ? names->file->children[(uintptr_t)found - 1] : NULL;
}

static value render_include(struct renderer *x, const struct node *def, const struct element *e) {
    value v = render_definition(x, def, e, (struct put_field){"", NULL});
    const struct blueprint_child *child = get_child(e, e->name);
    return child != NULL ? put_child_parts(x, v, child, e->scope) : v;
}

/* The reference may lead to an instance, which has a name of its own now. */
static value render_export(struct renderer *x, const struct node *def, const struct element *e) {
    value v = render_definition(x, def, e, (struct put_field){"", NULL});
    value result = eval_cell(x->e->evaluator, &x->e->cells[number_of(x, e)].main);
    struct buf field = BUF(x->arena);
    x->has_failed |= value_is_error(result);
    if (result.kind == VALUE_ABSENT) {
        return result;
    }
    bool is_ref = e->expr != NULL && e->expr->kind == EXPR_REF;
    bool is_instance = is_ref && render_instance_ref(x, &field, e->expr, e->scope);
    return is_instance ? value_map_with(x->arena, v, SV("field"), value_string(x->arena, buf_get_sv(&field))) : v;
}

/* --- conditions --- */

/* The name of the operator of conditions that the expression is; empty for a substitution. */
static sv get_operator(const struct expr *e) {
    bool is_operator = e->kind == EXPR_CALL && e->call.fn != NULL && (e->call.fn->flags & FN_OPERATOR) != 0;
    return is_operator ? e->call.fn->name : SV("");
}

static value render_condition_text(struct renderer *x, const struct expr *e, struct scope *scope) {
    struct buf out = BUF(x->arena);
    buf_append_cstr(&out, "${");
    render_residual(x, &out, get_operator(e).len > 0 ? e->call.args[0] : e, scope);
    buf_append_char(&out, '}');
    return value_string(x->arena, buf_get_sv(&out));
}

static value make_operator(struct renderer *x, sv name, value operand) {
    struct map_builder b = {.arena = x->arena};
    map_add(&b, name, operand);
    return map_done(&b);
}

/* An open condition: a substitution, or a mapping with one key. Items that are known decide nothing and go. */
static value render_condition(struct renderer *x, const struct expr *e, struct scope *scope) {
    sv name = get_operator(e);
    bool is_not = sv_eq(name, SV("not"));
    if ((!is_not && !sv_eq(name, SV("and")) && !sv_eq(name, SV("or"))) || !depth_enter(&x->depth)) {
        return render_condition_text(x, e, scope);
    }
    struct list_builder items = {.arena = x->arena};
    for (uint32_t i = 0; i < e->count; i++) {
        if (!value_is_known(eval_expr(x->e->evaluator, e->call.args[i], scope))) {
            list_add(&items, render_condition(x, e->call.args[i], scope));
        }
    }
    depth_leave(&x->depth);
    if (items.len == 0) {
        return render_condition_text(x, e, scope);
    }
    bool is_plain = items.len == 1 && !is_not;
    return is_plain ? items.items[0] : make_operator(x, name, is_not ? items.items[0] : list_done(&items));
}

/* --- resources --- */

/* Whether the resource is there; `is_open` tells that only deployment can say so. */
static bool is_there(struct renderer *x, const struct element *e, bool *is_open) {
    value v = template_find_condition(x->e, number_of(x, e));
    x->has_failed |= value_is_error(v);
    *is_open = v.kind == VALUE_UNKNOWN;
    return v.kind != VALUE_BOOL || v.boolean;
}

/* Names of resources (dependsOn, exclude): instances in place of templates, without those that are gone. */
static void add_names(struct renderer *x, struct list_builder *b, sv name) {
    const struct element *e = find(x, ELEMENT_RESOURCE, name);
    bool is_open = false;
    if (e != NULL && e->kind == ELEMENT_TEMPLATE) {
        for (uint32_t i = number_of(x, e) + 1; i < e->group_end; i++) {
            const struct element *member = &x->t->elements[i];
            if (member->group == number_of(x, e) + 1 && is_there(x, member, &is_open)) {
                list_add(b, value_string(x->arena, member->name));
            }
        }
    } else if (e != NULL && is_there(x, e, &is_open)) {
        list_add(b, value_string(x->arena, name));
    }
}

static value render_names(struct renderer *x, const struct node *n) {
    struct list_builder b = {.arena = x->arena};
    for (size_t i = 0; n->kind == NODE_SEQUENCE && i < n->count; i++) {
        add_names(x, &b, n->items[i]->text);
    }
    if (n->kind == NODE_SCALAR) {
        add_names(x, &b, n->text);
    }
    value v = list_done(&b);
    return v.list->len > 0 ? v : value_absent();
}

static value render_selector(struct renderer *x, const struct node *n) {
    struct map_builder b = {.arena = x->arena};
    for (size_t i = 0; i < n->count; i++) {
        const struct node_pair *pair = &n->pairs[i];
        map_add(&b, pair->key->text,
                is_key(pair, "exclude") ? render_names(x, pair->value) : copy_node(x, pair->value));
    }
    return map_done(&b);
}

static value render_spec(struct renderer *x, const struct node *n, const struct element *e) {
    if (e->kind == ELEMENT_CHILD) {
        sv name = e->template_name.len > 0 ? e->template_name : e->name;
        const struct blueprint_child *child = get_child(e, name);
        struct map_builder outer = {.arena = x->arena};
        map_add(&outer, SV("spec"), copy_node(x, n));
        value v = map_done(&outer);
        v = child != NULL ? put_child_parts(x, v, child, e->scope) : v;
        return value_map_find(v, SV("spec"));
    }
    const struct schema *schema = e->resource_type != NULL ? e->resource_type->schema : NULL;
    if (e->spec == NULL) {
        return copy_node(x, n);
    }
    value resolved = eval_cell(x->e->evaluator, &x->e->cells[number_of(x, e)].main);
    x->has_failed |= value_is_error(resolved);
    return render_expr(x, (struct render_source){e->spec, e->scope, schema, resolved});
}

static value render_resource_field(struct renderer *x, const struct node_pair *pair, const struct element *e,
                                   bool is_open) {
    if (is_key(pair, "each")) {
        return value_absent();
    }
    if (is_key(pair, "condition")) {
        return is_open && e->condition != NULL ? render_condition(x, e->condition, e->scope) : value_absent();
    }
    if (is_key(pair, "dependsOn")) {
        return render_names(x, pair->value);
    }
    if (is_key(pair, "linkSelector") && pair->value->kind == NODE_MAPPING) {
        return render_selector(x, pair->value);
    }
    if (is_key(pair, "metadata") && pair->value->kind == NODE_MAPPING) {
        return render_metadata(x, pair->value, e);
    }
    if (is_key(pair, "description") && e->description_expr != NULL) {
        return render_expr(x, (struct render_source){.expr = e->description_expr, .scope = e->scope});
    }
    return is_key(pair, "spec") ? render_spec(x, pair->value, e) : copy_node(x, pair->value);
}

static void put_resource(struct renderer *x, struct map_builder *section, const struct node *def,
                         const struct element *e) {
    bool is_open = false;
    if (!is_there(x, e, &is_open)) {
        return;
    }
    struct map_builder b = {.arena = x->arena};
    for (size_t i = 0; i < def->count; i++) {
        map_add(&b, def->pairs[i].key->text, render_resource_field(x, &def->pairs[i], e, is_open));
    }
    map_add(section, e->name, map_done(&b));
}

/* How many instances there are may still be open: then the definition stays as it is, with the variables it names. */
static void keep_template(struct renderer *x, struct map_builder *section, const struct node_pair *pair,
                          const struct element *e) {
    map_add(section, pair->key->text, copy_node(x, pair->value));
    for (size_t i = 0; i < e->use_count; i++) {
        const struct element *used = &x->t->elements[e->uses[i].to];
        if (used->kind == ELEMENT_VARIABLE) {
            map_put(&x->kept, used->name, x);
        }
    }
}

static void put_resources(struct renderer *x, struct map_builder *section, const struct node_pair *pair) {
    const struct element *e = find(x, ELEMENT_RESOURCE, pair->key->text);
    if (e == NULL) {
        return;
    }
    if (e->kind != ELEMENT_TEMPLATE) {
        put_resource(x, section, pair->value, e);
        return;
    }
    uint32_t number = number_of(x, e);
    value items = e->each != NULL ? eval_expr(x->e->evaluator, e->each, e->scope) : value_unknown(NULL);
    if (items.kind != VALUE_LIST) {
        keep_template(x, section, pair, e);
        return;
    }
    for (uint32_t i = number + 1; i < e->group_end; i++) {
        if (x->t->elements[i].group == number + 1) {
            put_resource(x, section, pair->value, &x->t->elements[i]);
        }
    }
}

/* --- sections --- */

/* What a secret variable may be is secret too. */
static value render_secret_variable(struct renderer *x, const struct node *def) {
    struct map_builder b = {.arena = x->arena};
    for (size_t i = 0; i < def->count; i++) {
        const struct node_pair *pair = &def->pairs[i];
        bool is_content = is_key(pair, "default") || is_key(pair, "allowedValues");
        value v = copy_node(x, pair->value);
        map_add(&b, pair->key->text, is_content ? value_mark(v, MARK_SENSITIVE) : v);
    }
    return map_done(&b);
}

static value render_variables(struct renderer *x, const struct node *n) {
    struct map_builder b = {.arena = x->arena};
    for (size_t i = 0; i < n->count; i++) {
        sv name = n->pairs[i].key->text;
        const struct element *e = find(x, ELEMENT_VARIABLE, name);
        if (e != NULL && map_has(&x->kept, name)) {
            const struct node *def = n->pairs[i].value;
            map_add(&b, name, e->secret ? render_secret_variable(x, def) : copy_node(x, def));
        }
    }
    value v = map_done(&b);
    return v.map->len > 0 ? v : value_absent();
}

struct section_form {
    const char *name;
    enum element_kind kind;
    value (*render)(struct renderer *x, const struct node *def, const struct element *e);
};

static const struct section_form section_forms[] = {
    {"values", ELEMENT_VALUE, render_value},
    {"datasources", ELEMENT_DATA, render_data_source},
    {"include", ELEMENT_CHILD, render_include},
    {"exports", ELEMENT_EXPORT, render_export},
};

static value render_elements(struct renderer *x, const struct node *n, const struct section_form *form) {
    struct map_builder b = {.arena = x->arena};
    for (size_t i = 0; i < n->count; i++) {
        const struct element *e = find(x, form->kind, n->pairs[i].key->text);
        if (e != NULL) {
            map_add(&b, n->pairs[i].key->text, form->render(x, n->pairs[i].value, e));
        }
    }
    return map_done(&b);
}

static value render_resources(struct renderer *x, const struct node *n) {
    struct map_builder b = {.arena = x->arena};
    for (size_t i = 0; i < n->count; i++) {
        put_resources(x, &b, &n->pairs[i]);
    }
    return map_done(&b);
}

static value render_section(struct renderer *x, const struct node_pair *pair) {
    for (size_t i = 0; i < sizeof section_forms / sizeof *section_forms; i++) {
        if (is_key(pair, section_forms[i].name)) {
            return render_elements(x, pair->value, &section_forms[i]);
        }
    }
    if (is_key(pair, "resources")) {
        return render_resources(x, pair->value);
    }
    if (is_key(pair, "metadata") && x->t->metadata != NULL) {
        return render_expr(x, (struct render_source){.expr = x->t->metadata, .scope = x->t->scope});
    }
    return is_key(pair, "transform") ? value_absent() : copy_node(x, pair->value);
}

/* What has been put in may have emptied a section; what is named after it decides which variables stay, so they come
 * last but stand in their place. */
value render_blueprint(const struct render_blueprint_request *r) {
    struct renderer x = {.r = r,
                         .arena = r->arena,
                         .e = r->evaluation,
                         .t = r->evaluation->template,
                         .kept = MAP(r->arena),
                         .depth.limit = NESTING};
    const struct node *root = r->document;
    value *sections = ARENA_ARRAY(r->arena, value, root->count + 1);
    for (size_t i = 0; i < root->count; i++) {
        if (!is_key(&root->pairs[i], "variables")) {
            sections[i] = render_section(&x, &root->pairs[i]);
        }
    }
    struct map_builder b = {.arena = r->arena};
    for (size_t i = 0; i < root->count; i++) {
        bool is_variables = is_key(&root->pairs[i], "variables");
        map_add(&b, root->pairs[i].key->text, is_variables ? render_variables(&x, root->pairs[i].value) : sections[i]);
    }
    return x.has_failed ? value_error(NULL) : map_done(&b);
}
