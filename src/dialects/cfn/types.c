/* Looking up the type table. */
#include "dialects/cfn/types.h"

#include <stdint.h>

/* The first row whose type is not before `type`. */
static size_t find_first(const struct cfn_type_table *t, sv type) {
    size_t from = 0;
    size_t to = t->count;
    while (from < to) {
        size_t middle = from + (to - from) / 2;
        if (sv_cmp(t->rows[middle].type, type) < 0) {
            from = middle + 1;
        } else {
            to = middle;
        }
    }
    return from;
}

struct cfn_type_rows cfn_types_find(const struct cfn_type_table *t, sv type) {
    if (sv_has_prefix(type, SV("Custom::"))) {
        type = SV("Custom::*");
    }
    size_t first = find_first(t, type);
    size_t end = first;
    while (end < t->count && sv_eq(t->rows[end].type, type)) {
        end++;
    }
    return (struct cfn_type_rows){t->rows + first, end - first};
}

static struct cfn_type_rows find_exact(struct cfn_type_rows rows, sv attribute) {
    size_t first = 0;
    while (first < rows.count && !sv_eq(rows.rows[first].attribute, attribute)) {
        first++;
    }
    size_t end = first;
    while (end < rows.count && sv_eq(rows.rows[end].attribute, attribute)) {
        end++;
    }
    return (struct cfn_type_rows){rows.rows + first, end - first};
}

/* "a.b.*" covers "a.b.c" and "a.b.c.d", not "a.b". */
static bool covers(sv pattern, sv attribute) {
    return sv_has_suffix(pattern, SV(".*")) && attribute.len > pattern.len - 1 &&
           sv_has_prefix(attribute, sv_slice(pattern, 0, pattern.len - 1));
}

struct cfn_type_rows cfn_types_find_attribute(struct cfn_type_rows rows, sv attribute) {
    struct cfn_type_rows none = {NULL, 0};
    if (sv_find_char(attribute, '*') != SIZE_MAX) {
        return none;
    }
    struct cfn_type_rows found = find_exact(rows, attribute);
    if (found.count > 0) {
        return found;
    }
    sv best = {0};
    for (size_t i = 0; i < rows.count; i++) {
        if (rows.rows[i].attribute.len > best.len && covers(rows.rows[i].attribute, attribute)) {
            best = rows.rows[i].attribute;
        }
    }
    found = find_exact(rows, best.len > 0 ? best : SV("*"));
    return found.count > 0 && found.rows[0].form.len > 0 ? found : none;
}

bool cfn_types_is_complete(struct cfn_type_rows rows) {
    return find_exact(rows, SV("*")).count > 0;
}

sv cfn_types_get_name_property(struct cfn_type_rows rows) {
    return rows.count > 0 ? rows.rows[0].name : (sv){0};
}
