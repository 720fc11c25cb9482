#include "text/diag.h"

#include "base/buf.h"

#include <assert.h>
#include <string.h>

#define LEVEL_ERROR                             DIAG_ERROR, false
#define LEVEL_WARNING                           DIAG_WARNING, false
#define LEVEL_WARNING_STRICT                    DIAG_WARNING, true
#define LEVEL_INFO                              DIAG_INFO, false
#define INFO_ROW(name, title, level, is_strict) {SV_INIT(name), level, SV_INIT(title), is_strict},
#define INFO_ROW_OF(...)                        INFO_ROW(__VA_ARGS__)

/* Sorted by name behind the first, as codes.def is. */
static const struct diag_info infos[DIAG_CODE_COUNT] = {
    {SV_INIT(""), DIAG_ERROR, SV_INIT(""), false},
#define CODE(name, level, title) INFO_ROW_OF(#name, title, LEVEL_##level)
#include "text/codes.def"
#undef CODE
};

const struct diag_info *diag_get_info(enum diag_code code) {
    assert(code < DIAG_CODE_COUNT);
    return &infos[code];
}

sv diag_get_code_name(const struct diag *d) {
    return d->foreign_code.len > 0 ? d->foreign_code : infos[d->code].name;
}

enum diag_code diag_find_code(sv name) {
    size_t low = 1;
    size_t high = DIAG_CODE_COUNT;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        int order = sv_cmp(infos[middle].name, name);
        if (order == 0) {
            return (enum diag_code)middle;
        }
        if (order < 0) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return DIAG_NO_CODE;
}

void diags_init(struct diags *d, struct arena *a, const struct sources *sources) {
    *d = (struct diags){.arena = a, .sources = sources, .seen = MAP(a)};
    d->spare = ARENA_NEW(a, struct diag);
}

/* What a program made has a place that stands for it. */
static span find_place(const struct diags *d, span at) {
    const struct source *source = d->sources != NULL ? sources_find(d->sources, at.source) : NULL;
    return source != NULL && !span_is_none(source->stand_in) ? source->stand_in : at;
}

/* What diags_add was asked for, but for the message. */
struct request {
    enum diag_code code;
    sv foreign_code;
    span at;
};

/* Lines that a program wrote, and all that an argument violates (MD-055), are told one by one. */
static bool is_told_each(enum diag_code code) {
    return code == DIAG_transform_message || code == DIAG_module_argument;
}

/* What makes two diagnostics the same one (BP-303). Without a place the message tells them apart. */
static sv make_key(struct arena *a, const struct request *r, sv message) {
    uint32_t fixed[4] = {(uint32_t)r->code, r->at.source, r->at.offset, r->at.length};
    struct buf key = BUF(a);
    buf_append(&key, sv_make((const char *)fixed, sizeof fixed));
    buf_append(&key, r->foreign_code);
    if (span_is_none(r->at) || is_told_each(r->code)) {
        buf_append_char(&key, '\0');
        buf_append(&key, message);
    }
    return buf_get_sv(&key);
}

static bool diags_is_full(const struct diags *d, enum diag_level level) {
    size_t limit = d->limit == 0 ? limits_default.diagnostics : d->limit;
    return (level == DIAG_ERROR ? d->kept_errors : d->items.len - d->kept_errors) >= limit;
}

static void diags_count(struct diags *d, enum diag_level level) {
    d->errors += level == DIAG_ERROR;
    d->warnings += level == DIAG_WARNING;
}

static struct diag *diags_get_spare(struct diags *d) {
    *d->spare = (struct diag){0};
    return d->spare;
}

__attribute__((format(printf, 3, 0))) static struct diag *diags_put(struct diags *d, const struct request *r,
                                                                    const char *format, va_list args) {
    assert(r->code > DIAG_NO_CODE && r->code < DIAG_CODE_COUNT);
    const struct diag_info *info = &infos[r->code];
    enum diag_level level = d->strict && info->strict_error ? DIAG_ERROR : info->level;
    if (diags_is_full(d, level)) { /* memory stays bounded: nothing is formatted or remembered any more */
        diags_count(d, level);
        return diags_get_spare(d);
    }
    sv message = arena_vprintf(d->arena, format, args);
    sv key = make_key(d->arena, r, message);
    bool is_new;
    (void)map_get_slot(&d->seen, key, &is_new);
    if (!is_new) {
        return diags_get_spare(d);
    }
    struct diag *diag = ARENA_NEW(d->arena, struct diag);
    diag->code = r->code;
    diag->foreign_code = arena_copy_sv(d->arena, r->foreign_code);
    diag->level = level;
    diag->at = find_place(d, r->at);
    diag->made_at = diag->at.source != r->at.source ? r->at : SPAN_NONE;
    diag->message = message;
    VEC_PUSH(d->arena, &d->items, diag);
    d->kept_errors += level == DIAG_ERROR;
    diags_count(d, level);
    return diag;
}

struct diag *diags_add(struct diags *d, enum diag_code code, span at, const char *format, ...) {
    va_list args;
    va_start(args, format);
    struct diag *diag = diags_put(d, &(struct request){code, {0}, at}, format, args);
    va_end(args);
    return diag;
}

struct diag *diags_add_foreign(struct diags *d, enum diag_code code, sv foreign_code, span at, const char *format,
                               ...) {
    va_list args;
    va_start(args, format);
    struct diag *diag = diags_put(d, &(struct request){code, foreign_code, at}, format, args);
    va_end(args);
    return diag;
}

void diag_set_hint(struct diags *d, struct diag *diag, const char *format, ...) {
    if (diag == d->spare) {
        return;
    }
    va_list args;
    va_start(args, format);
    diag->hint = arena_vprintf(d->arena, format, args);
    va_end(args);
}

void diag_add_related(struct diags *d, struct diag *diag, span at, const char *format, ...) {
    if (diag == d->spare) {
        return;
    }
    va_list args;
    va_start(args, format);
    struct diag_related *related = VEC_ADD(d->arena, &diag->related);
    related->at = find_place(d, at);
    related->text = arena_vprintf(d->arena, format, args);
    va_end(args);
}

void diag_lower(struct diags *d, struct diag *diag) {
    if (diag->level == DIAG_ERROR) {
        diag->level = DIAG_WARNING;
        d->errors--;
        d->kept_errors--;
        d->warnings++;
    }
}

bool diags_has_errors(const struct diags *d) {
    return d->errors > 0;
}

void diags_suppress(struct diags *d, bool (*is_allowed)(void *user, const struct diag *diag, sv *reason), void *user) {
    size_t kept = 0;
    for (size_t i = 0; i < d->items.len; i++) {
        struct diag *diag = d->items.items[i];
        if (diag->level == DIAG_ERROR || !is_allowed(user, diag, &diag->justification)) {
            d->items.items[kept++] = diag;
            continue;
        }
        diag->is_suppressed = true;
        d->warnings -= diag->level == DIAG_WARNING;
        VEC_PUSH(d->arena, &d->suppressed, diag);
    }
    d->items.len = kept;
}

static int compare_numbers(uint32_t a, uint32_t b) {
    return (a > b) - (a < b);
}

/* Within a source the order of offsets is the order of lines and columns. */
static int compare_diags(const struct diag *a, const struct diag *b) {
    int order = compare_numbers(a->at.source - 1, b->at.source - 1); /* no place wraps to the end */
    if (order == 0) {
        order = compare_numbers(a->at.offset, b->at.offset);
    }
    return order != 0 ? order : sv_cmp(diag_get_code_name(a), diag_get_code_name(b));
}

/* Merges two sorted neighbours: from[low, middle) and from[middle, high) into to[low, high). */
static void merge(struct diag **from, struct diag **to, size_t low, size_t middle, size_t high) {
    size_t left = low;
    size_t right = middle;
    for (size_t at = low; at < high; at++) {
        bool take_left = left < middle && (right == high || compare_diags(from[left], from[right]) <= 0);
        to[at] = take_left ? from[left++] : from[right++];
    }
}

void diags_sort(struct diags *d) {
    size_t len = d->items.len;
    if (len < 2) {
        return;
    }
    struct diag **from = d->items.items;
    struct diag **to = ARENA_ARRAY(d->arena, struct diag *, len);
    for (size_t run = 1; run < len; run *= 2) {
        for (size_t low = 0; low < len; low += 2 * run) {
            size_t middle = low + run < len ? low + run : len;
            merge(from, to, low, middle, middle + run < len ? middle + run : len);
        }
        struct diag **swap = from;
        from = to;
        to = swap;
    }
    if (from != d->items.items) {
        memcpy(d->items.items, from, len * sizeof *from);
    }
}

sv diags_get_result_code(const struct diags *d, bool is_run) {
    if (d->errors == 0) {
        return (sv){0};
    }
    for (size_t i = 0; d->errors == 1 && i < d->items.len; i++) {
        if (d->items.items[i]->level == DIAG_ERROR) {
            return diag_get_code_name(d->items.items[i]);
        }
    }
    return infos[is_run ? DIAG_multiple_run_errors : DIAG_multiple_validation_errors].name;
}
