/* Schemas of parameters as documents have them (MD-050, MD-052, MD-223). */
#include "dialects/module/document.h"

/* The node that a JSON pointer names, as far down as there is one. */
static const struct node *find_node(struct arena *a, const struct node *root, sv pointer) {
    const struct node *at = root;
    sv rest = sv_slice(pointer, 1, pointer.len);
    while (rest.len > 0) {
        sv written = sv_cut(&rest, '/');
        struct buf step = BUF(a);
        for (size_t i = 0; i < written.len; i++) {
            bool is_escape = written.data[i] == '~' && i + 1 < written.len;
            buf_append_char(&step, is_escape ? (written.data[i + 1] == '1' ? '/' : '~') : written.data[i]);
            i += is_escape;
        }
        sv key = buf_get_sv(&step);
        const struct node *next = at->kind == NODE_MAPPING ? node_find(at, key) : NULL;
        size_t index = 0;
        for (size_t i = 0; at->kind == NODE_SEQUENCE && i < key.len && i < 9; i++)
            index = index * 10 + (size_t)(key.data[i] - '0');
        if (at->kind == NODE_SEQUENCE && index < at->count)
            next = at->items[index];
        if (next == NULL)
            return at;
        at = next;
    }
    return at;
}

static const struct json_schema *read_schema(struct module_set *s, const struct node *n) {
    struct module_fields f = module_make_fields(s);
    struct json_schema_problems problems = {0};
    if (n->kind == NODE_ERROR || !module_check_plain(&f, n))
        return NULL;
    value written = module_data(&f, n);
    if (value_is_error(written))
        return NULL;
    const struct json_schema *schema = json_schema_read(s->arena, written, &problems);
    for (size_t i = 0; i < problems.items.len; i++) {
        const struct json_schema_problem *p = &problems.items.items[i];
        enum diag_code code = p->is_warning ? DIAG_module_schema_keyword : DIAG_module_schema;
        struct diag *d = diags_add(s->diags, code, find_node(s->arena, n, p->at)->at, "%.*s (schema %.*s)",
                                   SV_ARG(p->message), SV_ARG(p->at.len > 0 ? p->at : SV("/")));
        if (p->hint.len > 0)
            diag_set_hint(s->diags, d, "did you mean '%.*s'?", SV_ARG(p->hint));
    }
    return schema;
}

void module_read_schema(struct module_set *s, struct module_code *code, const struct node *n) {
    code->schema = read_schema(s, n);
}

static void read_parameter(struct module_set *s, struct module_code *code, const struct node *n) {
    struct module_key keys[] = {{.name = "name"}, {.name = "schema"}};
    struct module_parameter p = {.at = n->at};
    if (n->kind != NODE_MAPPING) {
        if (n->kind != NODE_ERROR)
            diags_add(s->diags, DIAG_module_document, n->at, "a parameter must be a mapping, this is %s",
                      node_get_kind_name(n));
        return;
    }
    module_take_keys(s, n, keys, 2, "a parameter");
    if (keys[0].value == NULL) {
        diags_add(s->diags, DIAG_module_document, n->at, "a parameter needs a 'name'");
        return;
    }
    if (!module_take_text(s, keys[0].value, "the name of a parameter", &p.name))
        return;
    for (size_t i = 0; i < code->parameters.len; i++) {
        if (sv_eq(code->parameters.items[i].name, p.name))
            diags_add(s->diags, DIAG_module_document, keys[0].value->at, "the parameter '%.*s' stands here already",
                      SV_ARG(p.name));
    }
    if (keys[1].value != NULL) {
        struct module_fields f = module_make_fields(s);
        const struct node *fallback =
            keys[1].value->kind == NODE_MAPPING ? node_find(keys[1].value, SV("default")) : NULL;
        p.schema = read_schema(s, keys[1].value);
        p.fallback = fallback != NULL && p.schema != NULL ? module_data(&f, fallback) : (value){0};
    }
    VEC_PUSH(s->arena, &code->parameters, p);
}

void module_read_parameters(struct module_set *s, struct module_code *code, const struct node *n) {
    if (n->kind != NODE_SEQUENCE && n->kind != NODE_ERROR)
        diags_add(s->diags, DIAG_module_document, n->at, "'parameters' must be a list, this is %s",
                  node_get_kind_name(n));
    for (uint32_t i = 0; n->kind == NODE_SEQUENCE && i < n->count; i++)
        read_parameter(s, code, n->items[i]);
}
