#include "doc/suppress.h"

#include "base/hint.h"

static const sv keyword = SV_INIT("lintel-allow");

struct allowance {
    uint32_t source;
    size_t line; /* that it is about */
    span at;
    sv code, reason;
    bool is_used;
    bool met_error; /* one of this code is there, but cannot be allowed */
};

struct suppressor {
    struct arena arena;
    struct diags *diags;
    struct sources *sources;
    VEC(struct allowance) items; /* by source and line */
};

/* "CODE: reason" behind the keyword. False for a comment that only speaks of it. */
static bool parse(sv comment, sv *code, sv *reason) {
    sv text = sv_trim(comment);
    if (!sv_has_prefix(text, keyword))
        return false;
    sv rest = sv_slice(text, keyword.len, text.len);
    if (rest.len > 0 && rest.data[0] != ' ' && rest.data[0] != '\t' && rest.data[0] != ':')
        return false;
    size_t end = 0;
    rest = sv_trim(rest);
    while (end < rest.len && rest.data[end] != ' ' && rest.data[end] != '\t')
        end++;
    *code = sv_slice(rest, 0, end);
    rest = sv_trim(sv_slice(rest, end, rest.len));
    bool has_colon = sv_has_suffix(*code, SV(":"));
    if (has_colon)
        code->len--;
    else if (sv_has_prefix(rest, SV(":")))
        rest = sv_slice(rest, 1, rest.len);
    else
        rest = (sv){0}; /* what follows is no reason without ':' */
    *reason = sv_trim(rest);
    return true;
}

/* The line that a comment is about: its own; for one on a line of its own the next that is no comment. */
static size_t find_target(const struct doc_stream *stream, size_t comment) {
    struct source *source = stream->source;
    const struct node_comment *all = stream->comments.items;
    span at = all[comment].at;
    size_t line = source_get_pos(source, at.offset + at.length).line;
    if (!all[comment].own_line)
        return line;
    for (size_t i = comment + 1; i < stream->comments.len; i++) {
        if (!all[i].own_line || source_get_pos(source, all[i].at.offset).line != line + 1)
            break;
        line = source_get_pos(source, all[i].at.offset + all[i].at.length).line;
    }
    return line + 1;
}

static void add_allowance(struct suppressor *s, const struct doc_stream *stream, size_t comment, sv code, sv reason) {
    struct allowance *a = VEC_ADD(&s->arena, &s->items);
    a->source = stream->source->id;
    a->line = find_target(stream, comment);
    a->at = stream->comments.items[comment].at;
    a->code = code;
    a->reason = reason;
}

/* The source's comments, found as its reader finds them: the keyword may stand in a text as well. */
static void read_comments(struct suppressor *s, struct source *source, enum doc_format otherwise) {
    struct diags ignored;
    struct doc_options options = doc_options_yaml;
    enum doc_format format = doc_find_format(source->name);
    diags_init(&ignored, &s->arena, s->sources);
    options.format = format ? format : otherwise ? otherwise : DOC_YAML;
    options.keep_comments = true;
    const struct doc_stream *stream = doc_read(&s->arena, source, &options, &ignored);
    for (size_t i = 0; i < stream->comments.len; i++) {
        sv code, reason;
        if (parse(stream->comments.items[i].text, &code, &reason))
            add_allowance(s, stream, i, code, reason);
    }
}

/* The first allowance of a line or of what comes behind it. */
static size_t find_first(const struct suppressor *s, uint32_t source, size_t line) {
    size_t low = 0, high = s->items.len;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        const struct allowance *a = &s->items.items[middle];
        if (a->source < source || (a->source == source && a->line < line))
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static struct allowance *find_allowance(const struct suppressor *s, const struct diag *diag) {
    struct source *source = sources_find(s->sources, diag->at.source);
    if (!source)
        return NULL;
    size_t line = source_get_pos(source, diag->at.offset).line;
    for (size_t i = find_first(s, source->id, line); i < s->items.len; i++) {
        struct allowance *a = &s->items.items[i];
        if (a->source != source->id || a->line != line)
            return NULL;
        if (sv_eq(a->code, diag_get_code_name(diag)))
            return a;
    }
    return NULL;
}

static bool is_allowed(void *user, const struct diag *diag, sv *reason) {
    struct allowance *a = find_allowance(user, diag);
    if (!a)
        return false;
    a->is_used = true;
    *reason = arena_copy_sv(((struct suppressor *)user)->diags->arena, a->reason);
    return true;
}

static void note_errors(struct suppressor *s) {
    for (size_t i = 0; i < s->diags->items.len; i++) {
        const struct diag *diag = s->diags->items.items[i];
        struct allowance *a = diag->level == DIAG_ERROR ? find_allowance(s, diag) : NULL;
        if (a)
            a->met_error = true;
    }
}

static void report_no_reason(struct suppressor *s, const struct allowance *a) {
    struct diag *d = diags_add(s->diags, DIAG_suppression_without_reason, a->at,
                               "the comment allows '%.*s' without a reason", SV_ARG(sv_slice(a->code, 0, 80)));
    diag_set_hint(s->diags, d, "write why: %.*s CODE: REASON", SV_ARG(keyword));
}

static void report_unused(struct suppressor *s, const struct allowance *a) {
    sv code = sv_slice(a->code, 0, 80);
    if (code.len == 0) {
        struct diag *d = diags_add(s->diags, DIAG_suppression_unused, a->at, "the comment does not say what it allows");
        diag_set_hint(s->diags, d, "write: %.*s CODE: REASON", SV_ARG(keyword));
        return;
    }
    enum diag_code known = diag_find_code(code);
    struct diag *d = diags_add(s->diags, DIAG_suppression_unused, a->at,
                               known && diag_get_info(known)->level == DIAG_ERROR
                                   ? "'%.*s' is an error, which cannot be allowed"
                                   : "there is no '%.*s' here that the comment could allow",
                               SV_ARG(code));
    struct hint hint = HINT(code);
    for (int i = DIAG_NO_CODE + 1; !known && i < DIAG_CODE_COUNT; i++)
        hint_offer(&hint, diag_get_info((enum diag_code)i)->name);
    if (hint.best.len > 0)
        diag_set_hint(s->diags, d, "did you mean '%.*s'?", SV_ARG(hint.best));
    else
        diag_set_hint(s->diags, d, "remove the comment, or put it above the line of the warning");
}

/* After an error, or with keys that nobody understood, not everything was looked at. */
static bool is_all_checked(const struct suppressor *s) {
    for (size_t i = 0; i < s->diags->items.len; i++) {
        if (s->diags->items.items[i]->code == DIAG_unknown_key)
            return false;
    }
    return !diags_has_errors(s->diags);
}

static void report(struct suppressor *s, bool is_partial) {
    bool is_complete = !is_partial && is_all_checked(s);
    for (size_t i = 0; i < s->items.len; i++) {
        const struct allowance *a = &s->items.items[i];
        if (a->is_used && a->reason.len == 0)
            report_no_reason(s, a);
        else if (!a->is_used && !a->met_error && is_complete)
            report_unused(s, a);
    }
}

void doc_suppress(struct diags *diags, struct sources *sources, const struct suppress_options *options) {
    struct suppressor s = {.diags = diags, .sources = sources};
    for (size_t i = options->first_source; i < sources->items.len; i++) {
        struct source *source = sources->items.items[i];
        if (sv_find(source->bytes, keyword) != SIZE_MAX)
            read_comments(&s, source, options->format);
    }
    if (s.items.len > 0) {
        note_errors(&s);
        diags_suppress(diags, is_allowed, &s);
        report(&s, options->is_partial);
    }
    arena_fini(&s.arena);
}
