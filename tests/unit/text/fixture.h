/* Sources and diagnostics in an arena, for the tests of this room. */
#ifndef TESTS_UNIT_TEXT_FIXTURE_H
#define TESTS_UNIT_TEXT_FIXTURE_H

#include "text/render.h"
#include "unit/base/check.h"

struct fixture {
    struct arena arena;
    struct sources sources;
    struct diags diags;
};

static inline void fixture_init(struct fixture *f) {
    *f = (struct fixture){.arena = {0}};
    sources_init(&f->sources, &f->arena);
    diags_init(&f->diags, &f->arena, &f->sources);
}

static inline void fixture_fini(struct fixture *f) {
    arena_fini(&f->arena);
}

static inline struct source *fixture_add_source(struct fixture *f, const char *name, const char *text) {
    return sources_add(&f->sources, sv_from_cstr(name), arena_copy_sv(&f->arena, sv_from_cstr(text)));
}

/* The span of the first occurrence of `text`. */
static inline span find_span(const struct source *s, const char *text) {
    size_t at = sv_find(s->bytes, sv_from_cstr(text));
    assert_true(at != SIZE_MAX);
    return span_make(s, at, sv_from_cstr(text).len);
}

#endif
