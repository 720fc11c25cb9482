#include "data_world.h"

#include "value/convert.h"

#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

static value parse(struct world *w, sv json) {
    sv why = {0};
    size_t offset = 0;
    value v = value_parse_json(&w->arena, json, &limits_default, false, &why, &offset);
    if (value_is_error(v)) {
        fail_msg("bad JSON at %zu: %.*s in %.*s", offset, SV_ARG(why), SV_ARG(json));
    }
    return v;
}

struct data_call data_make_call(struct world *w, sv filters) {
    value list = parse(w, filters);
    assert_int_equal(list.kind, VALUE_LIST);
    struct data_filter *items = ARENA_ARRAY(&w->arena, struct data_filter, list.list->len + 1);
    for (size_t i = 0; i < list.list->len; i++) {
        const value *parts = list.list->items[i].list->items;
        enum filter_operator op = filter_find_operator(value_get_text(parts[1]));
        assert_int_not_equal(op, 0);
        items[i] = (struct data_filter){value_get_text(parts[0]), op, parts[2]};
    }
    return (struct data_call){.arena = &w->arena,
                              .address = addr_make(&w->arena, (sv){0}, ELEMENT_DATA, SV("test")),
                              .deadline_ms = w->host.ops->get_monotonic_ms(w->host.user) + 20000,
                              .cancel = &w->cancel,
                              .host = &w->host,
                              .allow_private = true,
                              .base_dir = sv_from_cstr(w->dir),
                              .filters = items,
                              .filter_count = list.list->len};
}

static void fetch(const struct data_type *t, struct data_call *c) {
    enum provider_result result = t->fetch(c);
    if (result != PROVIDER_OK) {
        fail_msg("%.*s: %d: %.*s", SV_ARG(t->name), result,
                 SV_ARG(c->reasons.items.len > 0 ? c->reasons.items.items[0] : SV("no reason")));
    }
}

enum filter_result data_choose(struct world *w, const struct data_type *t, sv filters, value *object) {
    struct data_call c = data_make_call(w, filters);
    *object = (value){0};
    for (size_t i = 0; i < c.filter_count; i++) {
        const struct data_filter_field *offered = data_type_find_filter(t, c.filters[i].field);
        assert_non_null(offered);
        assert_true(offered->operators == 0 || (offered->operators & (1u << c.filters[i].op)) != 0);
    }
    fetch(t, &c);
    for (size_t i = 0; i < c.objects.len; i++) {
        enum filter_result result = data_type_apply_all(&w->arena, t, &c, c.objects.items[i]);
        if (result == FILTER_FAILS) {
            continue;
        }
        *object = result == FILTER_HOLDS ? c.objects.items[i] : (value){0};
        return result;
    }
    return FILTER_FAILS;
}

sv data_get(struct world *w, const struct data_type *t, sv filters, const char *field) {
    value object, found;
    enum filter_result result = data_choose(w, t, filters, &object);
    if (result != FILTER_HOLDS) {
        return result == FILTER_FAILS ? SV("none") : SV("refused");
    }
    assert_true(data_type_has_field(t, sv_from_cstr(field)));
    assert_true(filter_find_field(&w->arena, object, sv_from_cstr(field), &found));
    return found.kind == 0 ? SV("absent") : value_print_json(&w->arena, found, 0, REVEAL);
}

void data_check_rows(struct world *w, const struct data_type *t, const struct data_row *rows, size_t count) {
    for (size_t i = 0; i < count; i++) {
        sv got = data_get(w, t, sv_from_cstr(rows[i].filters), rows[i].field);
        if (!sv_eq_cstr(got, rows[i].wanted)) {
            fail_msg("%s gives %s %.*s, not %s", rows[i].filters, rows[i].field, SV_ARG(got), rows[i].wanted);
        }
    }
}

void data_expect_failure(struct world *w, const struct data_type *t, sv filters, enum provider_result result,
                         const char *part) {
    struct data_call c = data_make_call(w, filters);
    enum provider_result got = t->fetch(&c);
    assert_int_equal(c.reasons.items.len, 1);
    if (got != result) {
        fail_msg("%.*s gives %d, not %d: %.*s", SV_ARG(filters), got, result, SV_ARG(c.reasons.items.items[0]));
    }
    if (sv_find(c.reasons.items.items[0], sv_from_cstr(part)) == SIZE_MAX) {
        fail_msg("'%s' is not in '%.*s'", part, SV_ARG(c.reasons.items.items[0]));
    }
}

static span find_nowhere(void *user, struct path p) {
    (void)user;
    (void)p;
    return SPAN_NONE;
}

static void check_object(struct world *w, const struct data_type *t, value object) {
    struct sources sources;
    struct diags diags;
    struct schema_places places = {.find = find_nowhere};
    struct schema_check check = {.arena = &w->arena, .diags = &diags, .places = &places, .prefix = t->name};
    sources_init(&sources, &w->arena);
    diags_init(&diags, &w->arena, &sources);
    if (value_is_error(schema_check_value(&check, t->schema, object))) {
        fail_msg("%.*s does not fit the schema: %.*s", SV_ARG(value_print_json(&w->arena, object, 0, REVEAL)),
                 SV_ARG(diags.items.items[0]->message));
    }
}

void data_check_contract(struct world *w, const struct data_type *t, sv filters) {
    struct data_call first = data_make_call(w, filters), second = data_make_call(w, filters);
    fetch(t, &first);
    fetch(t, &second);
    assert_int_not_equal(first.objects.len, 0);
    assert_int_equal(first.objects.len, second.objects.len);
    for (size_t i = 0; i < first.objects.len; i++) {
        check_object(w, t, first.objects.items[i]);
        assert_true(value_eq(first.objects.items[i], second.objects.items[i]));
    }
    for (size_t i = 0; i < t->filter_field_count; i++) {
        assert_true(data_type_has_field(t, t->filter_fields[i].field));
    }
    assert_true(t->summary.len > 0 && t->details.len > 0 && t->example.len > 0);
}
