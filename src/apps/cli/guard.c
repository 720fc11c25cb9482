/* What may be done without asking (--approve) and what may not be done at all (--deny). */
#include "apps/cli/consent.h"
#include "apps/cli/kinds.h"

struct denial {
    unsigned kinds;
    sv pattern; /* of addresses */
    sv text;    /* as given */
};

struct denials {
    struct denial *items;
    size_t count;
};

static bool parse_denial(struct cli *c, sv text, struct denial *result) {
    sv rest = text;
    bool has_pattern = sv_find_char(text, ':') != SIZE_MAX;
    sv kinds = sv_cut(&rest, ':');
    *result = (struct denial){.pattern = sv_trim(rest), .text = text};
    if (!has_pattern || result->pattern.len == 0) {
        output_usage_error(c, "'--deny' takes KINDS:PATTERN, not '%.*s'",
                           SV_ARG(render_escape(&c->arena, sv_slice(text, 0, 80))));
        diag_set_hint(&c->diags, *VEC_LAST(&c->diags.items), "'destroy:*' forbids to destroy anything");
        return false;
    }
    if (sv_eq(sv_trim(kinds), SV("*"))) {
        result->kinds = (1U << KIND_COUNT) - 1;
        return true;
    }
    return kinds_parse_list(c, "deny", kinds, &result->kinds);
}

/* False after a usage error. */
static bool parse_denials(struct cli *c, struct denials *result) {
    const struct setting *setting = settings_is_given(c, "deny") ? settings_find(c, SV("deny")) : NULL;
    size_t count = setting ? setting->texts.len : 0;
    result->items = ARENA_ARRAY(&c->arena, struct denial, count + 1);
    for (result->count = 0; result->count < count; result->count++) {
        if (!parse_denial(c, setting->texts.items[result->count], &result->items[result->count]))
            return false;
    }
    return true;
}

bool guard_check_options(struct cli *c) {
    struct denials denials;
    unsigned approved;
    return kinds_parse_option(c, "approve", &approved) && parse_denials(c, &denials);
}

bool guard_has_approval(const struct cli *c) {
    return settings_is_given(c, "approve");
}

static const struct denial *find_denial(const struct denials *denials, const struct change *change) {
    unsigned kinds = kinds_get_possible(change);
    for (size_t i = 0; i < denials->count && kinds != 0; i++) {
        const struct denial *d = &denials->items[i];
        if ((kinds & d->kinds) != 0 && pattern_fits(d->pattern, change->address.text))
            return d;
    }
    return NULL;
}

static void report_denied(struct cli *c, const struct change *change, const struct denial *denial, size_t count) {
    struct buf kinds = BUF(&c->arena);
    kinds_render(&kinds, kinds_get_possible(change) & denial->kinds);
    sv address = render_escape(&c->arena, change->address.text);
    sv more = count > 1 ? arena_printf(&c->arena, ", and %zu more are denied", count - 1) : SV("");
    struct diag *d = diags_add(
        &c->diags, DIAG_change_denied, SPAN_NONE, "the plan would %.*s '%.*s', which --deny '%.*s' forbids%.*s",
        SV_ARG(buf_get_sv(&kinds)), SV_ARG(address), SV_ARG(render_escape(&c->arena, denial->text)), SV_ARG(more));
    diag_set_hint(&c->diags, d, "nothing overrides --deny: change the blueprint, or leave the option out");
}

bool guard_allows(struct cli *c, const struct plan *p) {
    struct denials denials;
    const struct change *first = NULL;
    const struct denial *denial = NULL;
    size_t count = 0;
    if (!parse_denials(c, &denials))
        return false;
    for (size_t i = 0; i < p->change_count && denials.count > 0; i++) {
        const struct denial *found = find_denial(&denials, &p->changes[i]);
        count += found != NULL;
        if (found && !first) {
            first = &p->changes[i];
            denial = found;
        }
    }
    if (first)
        report_denied(c, first, denial, count);
    return first == NULL;
}

bool guard_approves(struct cli *c, const struct plan *p, sv *why) {
    unsigned approved;
    unsigned kinds = p->destroy ? KIND_DESTROY : 0;
    const struct change *first = NULL;
    if (!kinds_parse_option(c, "approve", &approved))
        return false;
    for (size_t i = 0; i < p->change_count; i++) {
        unsigned possible = kinds_get_possible(&p->changes[i]);
        first = first == NULL && (possible & ~approved) != 0 ? &p->changes[i] : first;
        kinds |= possible;
    }
    if ((kinds & ~approved) == 0)
        return true;
    struct buf out = BUF(&c->arena);
    buf_append_cstr(&out, "the plan has changes that --approve does not cover: ");
    kinds_render(&out, kinds & ~approved);
    if (first)
        buf_printf(&out, " ('%.*s')", SV_ARG(render_escape(&c->arena, first->address.text)));
    *why = buf_get_sv(&out);
    return false;
}
