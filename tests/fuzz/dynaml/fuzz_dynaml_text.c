/* Expression texts of dynaml.
 *
 * What must hold whatever the input: parsing ends; what parses has a printed form. That form leaves groups out
 * (DY-039), so it may be read as something else, but in the end as itself - save for strings with escapes, which are
 * shown otherwise than they are written, and `merge replace`, which is shown as `merge required`. */
#include "base/utf8.h"
#include "dialects/dynaml/grammar.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(bool ok) {
    if (!ok)
        abort();
}

static const struct expr *parse(struct arena *a, sv text) {
    struct expr_text *t = ARENA_NEW(a, struct expr_text);
    const struct expr *e = NULL;
    t->text = text;
    struct dynaml_parse p = {.arena = a, .text = t, .max_depth = 100};
    enum dynaml_parsed parsed = dynaml_parse(&p, &e);
    require((parsed == DYNAML_PARSED) == (e != NULL));
    return e;
}

static sv print(struct arena *a, const struct expr *e) {
    struct buf out = BUF(a);
    dynaml_print(&out, e);
    return buf_get_sv(&out);
}

static bool is_shown_as_written(sv printed) {
    return sv_find_char(printed, '\\') == SIZE_MAX && sv_find(printed, SV("merge required")) == SIZE_MAX;
}

/* Each reading may move a group further in: in the end nothing changes any more. */
static void check_again(struct arena *a, sv printed) {
    enum { ROUNDS = 300 };
    bool is_same = false;
    for (int i = 0; i < ROUNDS && !is_same; i++) {
        const struct expr *e = parse(a, printed);
        sv next = e == NULL ? printed : print(a, e);
        is_same = sv_eq(next, printed);
        printed = next;
    }
    require(is_same);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    struct arena a = {0};
    if (size > 4096)
        return 0;
    sv text = arena_copy_sv(&a, sv_make((const char *)data, size));
    text.len = utf8_check(text);
    const struct expr *e = parse(&a, text);
    if (e != NULL) {
        sv printed = print(&a, e);
        const struct expr *again = parse(&a, printed);
        require(printed.len > 0 && utf8_check(printed) == printed.len);
        if (again != NULL && is_shown_as_written(printed))
            check_again(&a, print(&a, again));
    }
    arena_fini(&a);
    return 0;
}
