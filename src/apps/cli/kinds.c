#include "apps/cli/kinds.h"

static const sv names[KIND_COUNT] = {SV_INIT("create"),  SV_INIT("update"), SV_INIT("replace"),
                                     SV_INIT("destroy"), SV_INIT("read"),   SV_INIT("retain")};

unsigned kinds_get(const struct change *change) {
    switch (change->action) {
    case ACTION_CREATE:
        return KIND_CREATE;
    case ACTION_UPDATE:
    case ACTION_CHECK:
        return KIND_UPDATE;
    case ACTION_REPLACE:
        return KIND_REPLACE;
    case ACTION_DELETE:
        return KIND_DESTROY;
    case ACTION_READ:
        return KIND_READ;
    case ACTION_RETAIN:
        return KIND_RETAIN;
    case ACTION_NONE:
        return 0;
    }
    return 0;
}

unsigned kinds_get_possible(const struct change *change) {
    if (change->kind != ELEMENT_RESOURCE && change->kind != ELEMENT_LINK)
        return 0;
    unsigned kinds = kinds_get(change) & ~(unsigned)KIND_READ;
    bool exists = change->physical_id.len > 0 || value_is_set(change->before);
    if (change->condition_known_on_deploy && exists)
        kinds |= change->retain ? KIND_RETAIN : KIND_DESTROY;
    if (change->action == ACTION_CHECK && change->must_recreate)
        kinds |= KIND_REPLACE;
    return kinds;
}

sv kind_get_name(unsigned kind) {
    for (unsigned i = 0; i < KIND_COUNT; i++) {
        if (kind == 1U << i)
            return names[i];
    }
    return (sv){0};
}

unsigned kinds_find(sv name) {
    for (unsigned i = 0; i < KIND_COUNT; i++) {
        if (sv_eq(name, names[i]))
            return 1U << i;
    }
    return 0;
}

void kinds_render(struct buf *out, unsigned kinds) {
    const char *between = "";
    for (unsigned i = 0; i < KIND_COUNT; i++) {
        if ((kinds & 1U << i) == 0)
            continue;
        buf_printf(out, "%s%.*s", between, SV_ARG(names[i]));
        between = ", ";
    }
}

bool kinds_parse_list(struct cli *c, const char *option, sv list, unsigned *kinds) {
    do {
        sv name = sv_trim(sv_cut(&list, ','));
        unsigned kind = kinds_find(name);
        if (kind == 0) {
            struct hint hint = HINT(name);
            for (size_t i = 0; i < KIND_COUNT; i++)
                hint_offer(&hint, names[i]);
            output_usage_error(c, "'--%s' takes kinds of changes, and '%.*s' is none", option,
                               SV_ARG(render_escape(&c->arena, sv_slice(name, 0, 80))));
            output_add_hint(c, &hint, "");
            return false;
        }
        *kinds |= kind;
    } while (list.len > 0);
    return true;
}

bool kinds_parse_option(struct cli *c, const char *option, unsigned *kinds) {
    const struct setting *setting = settings_is_given(c, option) ? settings_find(c, sv_from_cstr(option)) : NULL;
    bool ok = true;
    *kinds = 0;
    for (size_t i = 0; ok && setting && i < setting->texts.len; i++)
        ok = kinds_parse_list(c, option, setting->texts.items[i], kinds);
    return ok;
}

bool pattern_fits(sv pattern, sv text) {
    size_t p = 0, t = 0, star = SIZE_MAX, resumed = 0;
    while (t < text.len) {
        if (p < pattern.len && pattern.data[p] == '*') {
            star = p++;
            resumed = t;
        } else if (p < pattern.len && (pattern.data[p] == '?' || pattern.data[p] == text.data[t])) {
            p++;
            t++;
        } else if (star != SIZE_MAX) {
            p = star + 1; /* the last star takes one character more */
            t = ++resumed;
        } else {
            return false;
        }
    }
    while (p < pattern.len && pattern.data[p] == '*')
        p++;
    return p == pattern.len;
}
