#include "lang/blueprint/test_transforms.h"

static const struct content *find_document(const struct test_fetcher *f, sv name, const char *ending) {
    sv wanted = arena_printf(f->arena, "transforms/%.*s%s", SV_ARG(name), ending);
    for (size_t i = 0; i < f->documents.len; i++) {
        if (sv_eq(f->documents.items[i]->name, wanted)) {
            return f->documents.items[i];
        }
    }
    return NULL;
}

static bool find(void *user, sv name) {
    return find_document(user, name, "") != NULL || find_document(user, name, ".fails") != NULL;
}

static bool run(void *user, struct transform_run *r) {
    const struct content *made = find_document(user, r->name, "");
    const struct content *messages = find_document(user, r->name, ".messages");
    const struct content *fails = find_document(user, r->name, ".fails");
    r->output = made != NULL ? made->bytes : r->document;
    r->diagnostics = messages != NULL ? messages->bytes : (sv){0};
    r->failure = (struct fetch_failure){.code = DIAG_transform_failed};
    r->failure.message = fails != NULL ? arena_copy_sv(r->arena, sv_trim(fails->bytes)) : (sv){0};
    return fails == NULL;
}

struct transforms test_transforms_make(const struct test_fetcher *f) {
    return (struct transforms){.find = find, .run = run, .user = (void *)f};
}
