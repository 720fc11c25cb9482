#include "model/pattern.h"

#define PCRE2_CODE_UNIT_WIDTH 8
#include <pcre2.h>

enum {
    PATTERN_STEPS = 1000000,
    PATTERN_DEPTH = 100000,
    PATTERN_HEAP_KIB = 65536,
    PATTERN_LENGTH = 65536, /* bytes of a pattern */
    PATTERN_NESTING = 100,  /* parentheses */
};

struct pattern {
    pcre2_code *code;
    pcre2_match_context *context;
};

static void free_pattern(void *object) {
    struct pattern *p = object;
    pcre2_match_context_free(p->context);
    pcre2_code_free(p->code);
}

static pcre2_code *compile(sv text, int *error) {
    pcre2_compile_context *context = pcre2_compile_context_create(NULL);
    if (context == NULL) {
        *error = PCRE2_ERROR_NOMEMORY;
        return NULL;
    }
    pcre2_set_max_pattern_length(context, PATTERN_LENGTH);
    pcre2_set_parens_nest_limit(context, PATTERN_NESTING);
    size_t at = 0;
    PCRE2_SPTR bytes = (PCRE2_SPTR)(text.len == 0 ? "" : text.data);
    pcre2_code *code = pcre2_compile(bytes, text.len, PCRE2_UTF | PCRE2_NEVER_BACKSLASH_C, error, &at, context);
    pcre2_compile_context_free(context);
    return code;
}

static bool has_back_reference(const pcre2_code *code) {
    uint32_t highest = 0;
    return pcre2_pattern_info(code, PCRE2_INFO_BACKREFMAX, &highest) == 0 && highest > 0;
}

static sv explain(struct arena *a, int error) {
    char text[160];
    if (pcre2_get_error_message(error, (PCRE2_UCHAR *)text, sizeof text) < 0) {
        return SV("it is malformed");
    }
    return arena_copy_sv(a, sv_from_cstr(text));
}

const struct pattern *pattern_new(struct arena *a, sv text, sv *why) {
    int error = 0;
    pcre2_code *code = compile(text, &error);
    bool refused = code != NULL && has_back_reference(code);
    if (code == NULL || refused) {
        if (why != NULL) {
            *why = refused ? SV("back references are not supported") : explain(a, error);
        }
        pcre2_code_free(code);
        return NULL;
    }
    struct pattern *p = ARENA_NEW(a, struct pattern);
    p->code = code;
    p->context = pcre2_match_context_create(NULL);
    if (p->context != NULL) {
        pcre2_set_match_limit(p->context, PATTERN_STEPS);
        pcre2_set_depth_limit(p->context, PATTERN_DEPTH);
        pcre2_set_heap_limit(p->context, PATTERN_HEAP_KIB);
    }
    arena_add_cleanup(a, free_pattern, p);
    return p;
}

enum pattern_result pattern_match(const struct pattern *p, sv text, size_t *from, size_t *to) {
    if (p->context == NULL) {
        return PATTERN_LIMIT;
    }
    pcre2_match_data *data = pcre2_match_data_create_from_pattern(p->code, NULL);
    if (data == NULL) {
        return PATTERN_LIMIT;
    }
    PCRE2_SPTR bytes = (PCRE2_SPTR)(text.len == 0 ? "" : text.data);
    int found = pcre2_match(p->code, bytes, text.len, 0, 0, data, p->context);
    if (found > 0 && from != NULL && to != NULL) {
        *from = pcre2_get_ovector_pointer(data)[0];
        *to = pcre2_get_ovector_pointer(data)[1];
    }
    pcre2_match_data_free(data);
    if (found > 0) {
        return PATTERN_MATCH;
    }
    return found == PCRE2_ERROR_NOMATCH ? PATTERN_NO_MATCH : PATTERN_LIMIT;
}

enum pattern_result pattern_match_text(sv pattern, sv text) {
    struct arena scratch = {0};
    const struct pattern *p = pattern_new(&scratch, pattern, NULL);
    enum pattern_result result = p == NULL ? PATTERN_INVALID : pattern_match(p, text, NULL, NULL);
    arena_fini(&scratch);
    return result;
}
