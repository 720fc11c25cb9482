/* Dynamic references (CF-170 to CF-172). */
#include "dialects/cfn/dynamic.h"

#include "base/num.h"
#include "dialects/cfn/lookups.h"
#include "value/convert.h"

#define OPENING SV("{{resolve:")

bool cfn_dynamic_has(sv text) {
    return sv_find(text, OPENING) != SIZE_MAX;
}

/* --- reading one --- */

static bool is_name(sv text) {
    for (size_t i = 0; i < text.len; i++) {
        char c = text.data[i];
        bool is_letter = (c >= '0' && c <= '9') || ((c | 32) >= 'a' && (c | 32) <= 'z');
        if (!is_letter && c != '_' && c != '.' && c != '/' && c != '-') {
            return false;
        }
    }
    return text.len > 0;
}

/* ssm and ssm-secure: NAME[:VERSION] */
static const char *parse_parameter(sv rest, struct cfn_dynamic *d) {
    bool has_version = sv_find_char(rest, ':') != SIZE_MAX;
    d->id = sv_cut(&rest, ':');
    d->version = rest;
    uint64_t number = 0;
    if (!is_name(d->id)) {
        return "a name has letters, digits and _ . / - only";
    }
    return has_version && (num_parse_u64(d->version, 10, &number) != NUM_OK || d->version.data[0] == '+')
               ? "a version has digits only"
               : NULL;
}

/* An ARN has colons of its own: seven parts. */
static sv cut_secret_id(sv *rest) {
    if (!sv_has_prefix(*rest, SV("arn:"))) {
        return sv_cut(rest, ':');
    }
    sv whole = *rest;
    size_t len = 0;
    for (int i = 0; i < 7; i++) {
        len += sv_cut(rest, ':').len + (i > 0);
    }
    return sv_slice(whole, 0, len);
}

static bool is_arn(sv id) {
    size_t parts = 1;
    for (size_t i = 0; i < id.len; i++) {
        parts += id.data[i] == ':';
    }
    return parts == 7 && id.data[id.len - 1] != ':';
}

/* secretsmanager: ID[:SecretString[:KEY[:STAGE[:VERSION]]]] */
static const char *parse_secret(sv rest, struct cfn_dynamic *d) {
    d->id = cut_secret_id(&rest);
    sv part = sv_cut(&rest, ':');
    d->key = sv_cut(&rest, ':');
    d->stage = sv_cut(&rest, ':');
    d->version = rest;
    if (sv_has_prefix(d->id, SV("arn:")) ? !is_arn(d->id) : !is_name(d->id)) {
        return "a secret is named by its name or its whole ARN";
    }
    if (part.len > 0 && !sv_eq(part, SV("SecretString"))) {
        return "behind the secret's name stands SecretString";
    }
    if (sv_find_char(d->version, ':') != SIZE_MAX) {
        return "there are too many parts";
    }
    return d->stage.len > 0 && d->version.len > 0 ? "a stage and a version exclude each other" : NULL;
}

const char *cfn_dynamic_parse(sv inner, struct cfn_dynamic *d) {
    *d = (struct cfn_dynamic){0};
    sv rest = inner;
    d->service = sv_cut(&rest, ':');
    if (sv_eq(d->service, SV("ssm")) || sv_eq(d->service, SV("ssm-secure"))) {
        return parse_parameter(rest, d);
    }
    if (sv_eq(d->service, SV("secretsmanager"))) {
        return parse_secret(rest, d);
    }
    return "there are ssm, ssm-secure and secretsmanager";
}

bool cfn_dynamic_next(sv text, size_t *at, sv *inner, bool *is_open) {
    size_t found = sv_find(sv_slice(text, *at, text.len), OPENING);
    if (found == SIZE_MAX) {
        return false;
    }
    *at += found;
    size_t from = *at + OPENING.len;
    size_t len = sv_find(sv_slice(text, from, text.len), SV("}}"));
    *is_open = len == SIZE_MAX;
    *inner = *is_open ? sv_slice(text, from, text.len) : sv_slice(text, from, from + len);
    return true;
}

/* --- check --- */

static bool is_custom(const struct cfn_resource *r) {
    return sv_has_prefix(r->type, SV("Custom::")) || sv_eq(r->type, SV("AWS::CloudFormation::CustomResource"));
}

/* What is wrong is reported. */
static bool judge(struct cfn_run *run, const struct cfn_resource *r, sv inner, struct cfn_dynamic *d, span at) {
    const char *wrong = cfn_dynamic_parse(inner, d);
    if (wrong != NULL) {
        struct diag *diag = cfn_report(run, DIAG_cfn_dynamic, at, "this is no dynamic reference: %s", wrong);
        cfn_hint(run, diag, "{{resolve:ssm:NAME:VERSION}} or {{resolve:secretsmanager:ID:SecretString:KEY}}");
        return false;
    }
    if (r != NULL && is_custom(r) && !sv_eq(d->service, SV("ssm"))) {
        struct diag *diag =
            cfn_report(run, DIAG_cfn_dynamic_custom, at, "a custom resource cannot be given a secret this way");
        cfn_hint(run, diag, "pass the secret's name, and let the resource read it");
        return false;
    }
    return true;
}

void cfn_dynamic_check(struct cfn_run *run, const struct cfn_resource *r, sv text, span at) {
    sv inner = {0};
    bool is_open = false;
    bool has_some = false;
    for (size_t i = 0; !is_open && cfn_dynamic_next(text, &i, &inner, &is_open); i += OPENING.len + inner.len) {
        struct cfn_dynamic d;
        has_some = true;
        if (!is_open && r != NULL && sv_find(inner, SV("${")) == SIZE_MAX) {
            judge(run, r, inner, &d, at);
        }
    }
    if (has_some && r == NULL) {
        struct diag *diag = cfn_report(run, DIAG_cfn_dynamic_place, at, "a dynamic reference stays as it is here");
        cfn_hint(run, diag, "they are replaced in properties of resources");
    }
}

/* --- values --- */

struct replacing {
    struct cfn_run *run;
    const struct cfn_resource *r;
    span at;
    struct buf out;
    enum cfn_origin origin;
    uint8_t marks;
    sv missing; /* hint for the first that is not known; empty: all are */
};

/* The text of what a resolver gave; lists of the parameter store have commas between their items. */
static bool print_found(struct replacing *p, value found, struct buf *out) {
    sv text = {0};
    if (found.kind != VALUE_LIST) {
        bool has_text = cfn_text_get(p->run, found, &text);
        buf_append(out, text);
        return has_text;
    }
    for (size_t i = 0; i < found.list->len; i++) {
        if (!cfn_text_get(p->run, found.list->items[i], &text)) {
            return false;
        }
        buf_append(out, i > 0 ? SV(",") : SV(""));
        buf_append(out, text);
    }
    return true;
}

/* A member of a secret that is JSON; false: there is none. */
static bool find_member(struct replacing *p, sv json, sv key, sv *text) {
    sv why = {0};
    size_t offset = 0;
    value secret = value_parse_json(p->run->arena, json, &p->run->limits, false, &why, &offset);
    value member = secret.kind == VALUE_MAP ? value_map_find(secret, key) : (value){0};
    if (member.kind == VALUE_MAP || member.kind == VALUE_LIST) {
        *text = value_print_json(p->run->arena, member, 0, REVEAL);
        return true;
    }
    return value_is_set(member) && cfn_text_get(p->run, member, text);
}

static bool find_text(struct replacing *p, const struct cfn_dynamic *d, sv *text) {
    struct cfn_query q = {
        .kind = CFN_QUERY_DYNAMIC, .type = d->service, .id = d->id, .version = d->version, .stage = d->stage};
    const struct cfn_asked *asked = cfn_lookup(p->run, &q);
    value found = asked->found == CFN_ABSENT ? (value){0} : cfn_take_answer(p->run, asked, p->at);
    struct buf out = BUF(p->run->arena);
    if (!value_is_set(found) || !print_found(p, found, &out)) {
        return false;
    }
    *text = buf_get_sv(&out);
    if (d->key.len > 0 && !find_member(p, *text, d->key, text)) {
        return false;
    }
    p->marks |= found.within & MARK_SENSITIVE;
    if (!sv_eq(d->service, SV("ssm"))) {
        p->marks |= MARK_SENSITIVE;
    }
    p->origin = cfn_origin_join(p->origin, cfn_get_origin(found));
    return true;
}

static sv get_hint(struct cfn_run *run, const struct cfn_dynamic *d) {
    const char *section = sv_eq(d->service, SV("ssm"))          ? "SSM"
                          : sv_eq(d->service, SV("ssm-secure")) ? "SSMSecure"
                                                                : "Secrets";
    return arena_printf(run->arena, "give '%.*s' among %s of a symbol file", SV_ARG(sv_slice(d->id, 0, 200)), section);
}

/* One reference; false after a report. */
static bool replace_one(struct replacing *p, sv inner) {
    struct cfn_dynamic d;
    sv text = {0};
    if (!judge(p->run, p->r, inner, &d, p->at)) {
        return false;
    }
    if (find_text(p, &d, &text)) {
        buf_append(&p->out, text);
        return true;
    }
    buf_append(&p->out, OPENING);
    buf_append(&p->out, inner);
    buf_append(&p->out, SV("}}"));
    p->missing = p->missing.len > 0 ? p->missing : get_hint(p->run, &d);
    return true;
}

static value finish(struct replacing *p) {
    value v = cfn_with_origin(value_string(p->run->arena, buf_get_sv(&p->out)), p->origin);
    v = value_mark(v, p->marks);
    if (p->missing.len == 0) {
        return v;
    }
    struct cfn_note_more *more = ARENA_NEW(p->run->arena, struct cfn_note_more);
    more->hint = p->missing;
    struct cfn_note note = {.more = more, .at = p->at, .reasons = 1U << CFN_REASON_dynamic};
    return cfn_note_put(p->run, v, &note);
}

value cfn_dynamic_replace(struct cfn_run *run, const struct cfn_resource *r, value text, span at) {
    sv from = value_get_text(text);
    struct replacing p = {.run = run,
                          .r = r,
                          .at = at,
                          .out = BUF(run->arena),
                          .origin = cfn_get_origin(text),
                          .marks = text.marks & MARK_SENSITIVE};
    size_t done = 0;
    sv inner = {0};
    bool is_open = false;
    for (size_t i = 0; cfn_dynamic_next(from, &i, &inner, &is_open);) {
        buf_append(&p.out, sv_slice(from, done, i));
        if (is_open) {
            struct diag *d = cfn_report(run, DIAG_cfn_dynamic, at, "a dynamic reference has no end");
            cfn_hint(run, d, "write }} behind it");
            return cfn_failed(run);
        }
        if (!replace_one(&p, inner)) {
            return cfn_failed(run);
        }
        i += OPENING.len + inner.len + strlen("}}");
        done = i;
    }
    buf_append(&p.out, sv_slice(from, done, from.len));
    return finish(&p);
}
