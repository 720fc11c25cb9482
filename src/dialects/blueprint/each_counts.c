/* Templates whose `each` depends on no input: how many instances they have is known at once, and what is wrong with it
 * (BP-152, BP-154, BP-164). What depends on inputs is told when it is expanded. */
#include "dialects/blueprint/loader.h"
#include "dialects/blueprint/tree.h"

static void report_result(struct loader *l, const struct expr *each, value v) {
    struct diag *d = diags_add(l->diags, DIAG_resource_each_invalid_type, each->at, "'each' must be an array, not %s",
                               value_get_kind_phrase((enum value_kind)v.kind));
    if (v.kind == VALUE_MAP) {
        diag_set_hint(l->diags, d, "the values of an object are vals(…)");
    }
}

static void count_one(struct loader *l, struct evaluation *e, uint32_t number) {
    struct entry *entry = &l->entries[number];
    const struct expr *each = l->elements[number].each;
    size_t from = loader_get_mark(l);
    value v = eval_expr(e->evaluator, each, l->scope);
    size_t limit = l->request->limits->each_instances;
    if (v.kind == VALUE_LIST && v.list->len > limit) {
        diags_add(l->diags, DIAG_limit_exceeded, each->at, "'each' has %zu items, at most %zu can be", v.list->len,
                  limit);
    } else if (v.kind == VALUE_LIST && (v.within & WITHIN_ERROR) == 0) {
        entry->has_count = true;
        entry->instances = (uint32_t)v.list->len;
    } else if (v.kind != VALUE_UNKNOWN && v.kind != VALUE_ERROR && v.kind != VALUE_LIST) {
        report_result(l, each, v);
    }
    tree_enter_key(l, SV("each"));
    loader_tag(l, from, number);
    tree_leave(l);
}

static bool count_all(struct loader *l) {
    struct arena arena = {0};
    struct evaluation e = {.template = l->template, .arena = &arena, .diags = l->diags};
    bool started = false, counted = false;
    for (uint32_t i = 0; i < l->count; i++) {
        if (!l->entries[i].each_is_fixed || !l->entries[i].is_template) {
            continue;
        }
        if (!started) {
            const struct evaluation_request r = {.limits = l->request->limits};
            blueprint_template_ops.start_evaluation(l->template, &e, &r);
            started = true;
        }
        count_one(l, &e, i);
        counted |= l->entries[i].has_count;
    }
    arena_fini(&arena);
    return counted;
}

/* BP-152. */
static void check_names(struct loader *l) {
    for (uint32_t i = 0; i < l->count; i++) {
        uint32_t template = 0, item = 0;
        bool is_resource =
            l->elements[i].kind == ELEMENT_RESOURCE || (l->children[i] != NULL && l->children[i]->is_resource);
        if (!is_resource || !refs_find_instance(l, l->elements[i].name, &template, &item)) {
            continue;
        }
        const struct entry *entry = &l->entries[template];
        if (!entry->has_count || item >= entry->instances) {
            continue;
        }
        size_t from = loader_get_mark(l);
        const struct element *e = &l->elements[template];
        struct diag *d =
            diags_add(l->diags, DIAG_resource_name_conflict, e->at,
                      "instance %u of '%.*s' has the name of another resource", item, SV_ARG(sv_slice(e->name, 0, 80)));
        diag_add_related(l->diags, d, l->elements[i].at, "'%.*s' stands here", SV_ARG(l->elements[i].address.text));
        loader_tag(l, from, template);
    }
}

/* BP-154. */
static void check_indexes(struct loader *l, uint32_t number) {
    const struct element *e = &l->elements[number];
    const struct blueprint_use *details = l->uses[number];
    for (size_t k = 0; details != NULL && k < e->use_count; k++) {
        uint32_t to = e->uses[k].to;
        const struct entry *entry = &l->entries[to];
        if (!entry->has_count || details[k].item <= entry->instances) {
            continue;
        }
        size_t from = loader_get_mark(l);
        diags_add(l->diags, DIAG_resource_each_index_out_of_bounds, e->uses[k].at,
                  "there is no instance %u of '%.*s', which has %u", details[k].item - 1,
                  SV_ARG(sv_slice(l->elements[to].name, 0, 80)), entry->instances);
        loader_tag(l, from, number);
    }
}

/* BP-164. */
static void check_link(struct loader *l, size_t i) {
    const struct template_link *link = &l->template->links[i];
    const struct entry *a = &l->entries[link->a], *b = &l->entries[link->b];
    if (!a->has_count || !b->has_count || a->instances == b->instances || l->data->link_items[i] != 0) {
        return;
    }
    size_t from = loader_get_mark(l);
    diags_add(l->diags, DIAG_resource_template_link_length_mismatch, link->at,
              "'%.*s' has %u instances and '%.*s' %u, so they cannot be linked in pairs",
              SV_ARG(sv_slice(l->elements[link->a].name, 0, 80)), a->instances,
              SV_ARG(sv_slice(l->elements[link->b].name, 0, 80)), b->instances);
    loader_tag(l, from, link->a);
}

void each_check_counts(struct loader *l) {
    l->path.len = 0;
    for (uint32_t i = 0; i < l->count; i++) {
        l->data->needs_expansion |= l->entries[i].is_template;
    }
    if (l->diags->errors > l->errors_before || !l->data->needs_expansion || !count_all(l)) {
        return;
    }
    check_names(l);
    for (uint32_t i = 0; i < l->count; i++) {
        check_indexes(l, i);
    }
    for (size_t i = 0; i < l->template->link_count; i++) {
        check_link(l, i);
    }
}
