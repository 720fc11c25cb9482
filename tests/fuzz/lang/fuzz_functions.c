/* Texts with the core functions of the blueprint dialect, in a world of fakes: no clock, file, network or randomness of
 * the machine. The first byte chooses between validation and a run.
 *
 * What must hold whatever the input: what passes the static check without a report has a result that fits its static
 * type; an ERROR has been reported; no secret stands in a message or in a key of the record; a second evaluation gives
 * the same; validation asks nothing of the world. */
#include "base/utf8.h"
#include "unit/fn/fn_bench.h"

#include <stdlib.h>

#define SECRET "S3cr3t-zq9"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(bool ok) {
    if (!ok) {
        abort();
    }
}

static void define(struct bench *b) {
    struct arena *a = &b->arena;
    struct map_builder m = {.arena = a};
    value list[] = {value_int(1), value_string(a, SV("two")), value_float(3)};
    value texts[] = {value_string(a, SV("{\"a\": 1}")), value_string(a, SV("cert.pem"))};
    map_add(&m, SV("l"), value_list_of(a, list, 3));
    map_add(&m, SV("s"), value_mark(value_string(a, SV(SECRET)), MARK_SENSITIVE));
    map_add(&m, SV("u"), value_unknown(&type_string));
    map_add(&m, SV("n"), value_null());
    bench_define_value(b, "m", map_done(&m));
    bench_define_value(b, "t", value_list_of(a, texts, 2));
    bench_define_value(b, "s", value_mark(value_string(a, SV(SECRET)), MARK_SENSITIVE));
    bench_define_value(b, "u", value_unknown(NULL));
    bench_define_value(b, "b", value_bytes(a, SV("\xFF\x00x")));
    bench_define(b, "id", "${uuid()}");
    bench_define(b, "c", "${list(values.c)}");
    b->limits.eval_steps = 3000;
    b->limits.result_text = 10000;
    b->limits.result_items = 1000;
}

static void check_diags(const struct bench *b, bool may_tell) {
    for (size_t i = 0; i < b->diags.items.len; i++) {
        const struct diag *d = b->diags.items.items[i];
        require(d->message.len > 0 && utf8_check(d->message) == d->message.len);
        require(may_tell || sv_find(d->message, SV(SECRET)) == SIZE_MAX);
        require(may_tell || sv_find(d->hint, SV(SECRET)) == SIZE_MAX);
    }
    for (size_t i = 0; i < b->record.items.len; i++) {
        require(may_tell || sv_find(b->record.items.items[i].key, SV(SECRET)) == SIZE_MAX);
    }
}

static void run(struct bench *b, sv text) {
    bool may_tell = sv_find(text, SV("S3c")) != SIZE_MAX; /* the input knows it */
    const struct expr *e = bench_parse_text(b, text);
    const struct type *t = b->diags.errors == 0 ? bench_check_expr(b, e) : NULL;
    bool sound = b->diags.errors == 0;
    value v = eval_expr(b->ev, e, NULL);
    require(v.kind != 0 && (v.kind != VALUE_ERROR || b->diags.errors > 0));
    bool failed = v.kind == VALUE_ERROR || (v.within & WITHIN_ERROR) != 0;
    require(!sound || failed || v.kind == VALUE_ABSENT || v.kind == VALUE_UNKNOWN || type_fits_value(t, v));
    require(!b->is_validation || (b->fetches == 0 && b->record.items.len == 0));
    bench_restart(b);
    value again = eval_expr(b->ev, e, NULL);
    require(failed || !value_is_known(v) || value_eq(v, again) || v.kind == VALUE_FUNCTION || v.kind == VALUE_ABSENT);
    check_diags(b, may_tell);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    if (size == 0 || size > 4096) {
        return 0;
    }
    sv text = sv_make((const char *)data + 1, size - 1);
    text.len = utf8_check(text);
    struct bench b;
    bench_init(&b);
    define(&b);
    b.is_validation = (data[0] & 1) != 0;
    bench_restart(&b);
    run(&b, arena_copy_sv(&b.arena, text));
    bench_fini(&b);
    return 0;
}
