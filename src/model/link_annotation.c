#include "model/link_annotation.h"

#include "value/convert.h"

sv link_annotation_get_key(struct arena *a, const struct link_annotation *rule, sv other) {
    const sv mark = SV("<resourceName>");
    size_t at = sv_find(rule->key, mark);
    if (at == SIZE_MAX) {
        return rule->key;
    }
    struct buf out = BUF(a);
    buf_append(&out, sv_slice(rule->key, 0, at));
    buf_append(&out, other);
    buf_append(&out, sv_slice(rule->key, at + mark.len, rule->key.len));
    return buf_get_sv(&out);
}

enum value_kind link_annotation_get_kind(const struct link_annotation *rule) {
    switch (rule->type) {
    case SCHEMA_STRING:
        return VALUE_STRING;
    case SCHEMA_INTEGER:
        return VALUE_INT;
    case SCHEMA_FLOAT:
        return VALUE_FLOAT;
    case SCHEMA_BOOLEAN:
        return VALUE_BOOL;
    case SCHEMA_MAP:
    case SCHEMA_OBJECT:
    case SCHEMA_ARRAY:
    case SCHEMA_UNION:
        break;
    }
    return 0;
}

static bool is_allowed(struct arena *a, const struct link_annotation *rule, value v) {
    sv why = {0};
    size_t at = 0;
    if (rule->allowed_json == NULL) {
        return true;
    }
    value allowed = value_parse_json(a, sv_from_cstr(rule->allowed_json), &limits_default, false, &why, &at);
    for (size_t i = 0; allowed.kind == VALUE_LIST && i < allowed.list->len; i++) {
        if (value_eq(allowed.list->items[i], v)) {
            return true;
        }
    }
    return allowed.kind != VALUE_LIST;
}

enum link_annotation_fault link_annotation_check(struct arena *a, const struct link_annotation *rule, value v) {
    enum value_kind kind = link_annotation_get_kind(rule);
    if (v.kind == VALUE_STRING && kind != 0) {
        v = value_parse_scalar(a, value_get_text(v), kind);
    }
    if (v.kind == VALUE_INT && kind == VALUE_FLOAT) {
        v = value_float((double)v.integer);
    }
    if (kind != 0 && v.kind != kind) {
        return LINK_ANNOTATION_TYPE;
    }
    return is_allowed(a, rule, v) ? LINK_ANNOTATION_FINE : LINK_ANNOTATION_ALLOWED;
}

struct diag *link_annotation_report(struct diags *diags, const struct link_annotation *rule,
                                    enum link_annotation_fault fault, sv key, span at) {
    sv shown = sv_slice(key, 0, 120);
    if (fault == LINK_ANNOTATION_TYPE) {
        return diags_add(diags, DIAG_link_annotation_invalid, at, "annotation '%.*s' must be of type '%s'",
                         SV_ARG(shown), value_get_kind_name(link_annotation_get_kind(rule)));
    }
    struct diag *d = diags_add(diags, DIAG_link_annotation_invalid, at,
                               "annotation '%.*s' has a value that is not allowed", SV_ARG(shown));
    diag_set_hint(diags, d, "allowed: %s", rule->allowed_json);
    return d;
}

struct side {
    value metadata;
    sv name, other;
    span at;
};

static bool check_one(struct link_call *c, const struct link_annotation *rule, const struct side *side) {
    sv key = link_annotation_get_key(c->arena, rule, side->other);
    value all = side->metadata.kind == VALUE_MAP ? value_map_find(side->metadata, SV("annotations")) : (value){0};
    value v = all.kind == VALUE_MAP ? value_map_find(all, key) : all;
    if (!value_is_set(v)) {
        if (rule->required) {
            diags_add(c->diags, DIAG_link_annotation_missing, side->at,
                      "the link to '%.*s' needs the annotation '%.*s' on resource '%.*s'",
                      SV_ARG(sv_slice(side->other, 0, 80)), SV_ARG(sv_slice(key, 0, 120)),
                      SV_ARG(sv_slice(side->name, 0, 80)));
        }
        return !rule->required;
    }
    if (!value_is_scalar(v)) {
        return true;
    }
    enum link_annotation_fault fault = link_annotation_check(c->arena, rule, v);
    if (fault != LINK_ANNOTATION_FINE) {
        link_annotation_report(c->diags, rule, fault, key, side->at);
    }
    return fault == LINK_ANNOTATION_FINE;
}

bool link_check_annotations(struct link_call *c, const struct link_type *type) {
    const struct side a = {c->metadata_a, c->name_a, c->name_b, c->at_a};
    const struct side b = {c->metadata_b, c->name_b, c->name_a, c->at_b};
    bool ok = true;
    for (size_t i = 0; i < type->annotation_count; i++) {
        const struct link_annotation *rule = &type->annotations[i];
        ok = (rule->side == LINK_SIDE_B || check_one(c, rule, &a)) && ok;
        ok = (rule->side == LINK_SIDE_A || check_one(c, rule, &b)) && ok;
    }
    return ok;
}
