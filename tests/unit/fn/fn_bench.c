#include "fn_bench.h"

#include <stdio.h>

/* --- the world --- */

static int64_t get_ms(void *user) {
    (void)user;
    return BENCH_RUN_MS + 1000000; /* later than the run: datetime must not look here */
}

static void fill_random(void *user, void *out, size_t len) {
    struct bench *b = user;
    for (size_t i = 0; i < len; i++) {
        b->seed = b->seed * 6364136223846793005U + 1442695040888963407U;
        ((unsigned char *)out)[i] = (unsigned char)(b->seed >> 56);
    }
}

static sv get_cwd(void *user, struct arena *a) {
    (void)user;
    (void)a;
    return SV("/work/dir");
}

static const struct host_ops host_ops = {.get_wall_ms = get_ms, .fill_random = fill_random, .get_cwd = get_cwd};

struct fake_content {
    const char *name, *bytes;
    enum diag_code failure;
};

static const struct fake_content contents[] = {
    {"config.json", "{\"port\": 8080}", DIAG_NO_CODE},
    {"cert.pem", "-----BEGIN-----", DIAG_NO_CODE},
    {"raw.bin", "\xFF\x01", DIAG_NO_CODE},
    {"s3://bucket/key", "from s3", DIAG_NO_CODE},
    {"https://example.com/motd", "hello", DIAG_NO_CODE},
    {"../../etc/passwd", NULL, DIAG_include_path_outside_root},
    {"huge.iso", NULL, DIAG_limit_exceeded},
    {"https://example.com/404", NULL, DIAG_blueprint_not_found},
};

static struct bench *get_bench(struct fetcher *f) {
    return (struct bench *)(void *)((char *)f - offsetof(struct bench, fetcher));
}

static const struct content *fetch(struct fetcher *f, const struct fetch_request *r, struct fetch_failure *failure) {
    struct bench *b = get_bench(f);
    b->fetches++;
    b->asked = arena_copy_sv(&b->arena, r->path);
    b->from = r->base != NULL ? r->base->location : (sv){0};
    *failure = (struct fetch_failure){.code = DIAG_include_path_not_found};
    for (size_t i = 0; i < sizeof contents / sizeof *contents; i++) {
        if (sv_eq_cstr(r->path, contents[i].name) && contents[i].bytes != NULL) {
            struct content *c = ARENA_NEW(&b->arena, struct content);
            c->location = b->asked;
            c->bytes = sv_from_cstr(contents[i].bytes);
            return c;
        }
        failure->code = sv_eq_cstr(r->path, contents[i].name) ? contents[i].failure : failure->code;
    }
    failure->message = arena_printf(r->arena, "'%.*s' cannot be read", SV_ARG(r->path));
    failure->hint = SV("look whether it is there");
    return NULL;
}

static const struct content *get_base(struct fetcher *f, const struct source *source) {
    struct bench *b = get_bench(f);
    struct content *c = ARENA_NEW(&b->arena, struct content);
    c->location = arena_printf(&b->arena, "/app/%.*s", SV_ARG(source->name));
    return c;
}

static const struct fetcher_ops fetcher_ops = {.file = fetch, .url = fetch, .base = get_base};

/* --- references: values.NAME only --- */

static struct cell *find_cell(struct bench *b, const struct expr *ref) {
    bool is_value = ref->op == BLUEPRINT_ROOT_VALUES && ref->count > 0 && ref->ref.steps[0].kind == STEP_NAME;
    return is_value ? map_find(&b->values, ref->ref.steps[0].name) : NULL;
}

static enum resolve_result resolve(void *user, struct evaluator *ev, const struct expr *ref, const struct scope *scope,
                                   struct resolved *out) {
    (void)scope;
    out->cell = find_cell(user, ref);
    out->steps_used = 1;
    if (out->cell != NULL) {
        return RESOLVE_CELL;
    }
    out->item = eval_fail(ev, DIAG_invalid_reference, ref->at, "the bench has only values");
    return RESOLVE_ERROR;
}

static const struct eval_ops eval_ops = {.resolve = resolve};

static const struct type *get_ref_type(void *user, const struct expr *ref) {
    struct bench *b = user;
    const struct cell *c = find_cell(b, ref);
    if (c == NULL) {
        diags_add(&b->diags, DIAG_invalid_reference, ref->at, "the bench has only values");
        return NULL;
    }
    struct parse_context pc = {&b->arena, &b->diags, &b->limits, &b->dialect};
    return c->type == NULL ? &type_any : lang_check_steps(&pc, c->type, ref, 1);
}

static const struct check_ops check_ops = {.ref_type = get_ref_type};

/* --- the bench --- */

void bench_init(struct bench *b) {
    *b = (struct bench){.dialect = blueprint_dialect, .limits = limits_default, .seed = 1};
    sources_init(&b->sources, &b->arena);
    diags_init(&b->diags, &b->arena, &b->sources);
    record_init(&b->record, &b->arena, BENCH_RUN_MS);
    b->values = MAP(&b->arena);
    b->host = (struct host){&host_ops, b};
    b->fetcher.ops = &fetcher_ops;
    bench_restart(b);
}

void bench_fini(struct bench *b) {
    arena_fini(&b->arena);
}

void bench_restart(struct bench *b) {
    struct eval_options options = {.arena = &b->arena,
                                   .diags = &b->diags,
                                   .limits = &b->limits,
                                   .ops = &eval_ops,
                                   .user = b,
                                   .policy = b->dialect.policy,
                                   .sources = &b->sources};
    if (!b->is_validation) {
        options.host = &b->host;
        options.record = &b->record;
        options.fetcher = &b->fetcher;
    }
    b->ev = eval_new(&options);
}

static struct cell *new_cell(struct bench *b, const char *name) {
    struct cell *c = ARENA_NEW(&b->arena, struct cell);
    c->path = arena_printf(&b->arena, "values.%s", name);
    map_put(&b->values, arena_copy_sv(&b->arena, sv_from_cstr(name)), c);
    return c;
}

struct cell *bench_define_value(struct bench *b, const char *name, value v) {
    struct cell *c = new_cell(b, name);
    c->type = type_of_value(&b->arena, v);
    cell_set(c, v);
    return c;
}

struct cell *bench_define(struct bench *b, const char *name, const char *text) {
    struct cell *c = new_cell(b, name);
    c->expr = bench_parse_text(b, sv_from_cstr(text));
    return c;
}

static struct expr_text add_text(struct bench *b, const char *file, sv text) {
    struct source *s = sources_add(&b->sources, sv_from_cstr(file), arena_copy_sv(&b->arena, text));
    return (struct expr_text){.text = s->bytes, .source = s->id};
}

const struct expr *bench_parse_in(struct bench *b, const char *file, sv text) {
    struct expr_text t = add_text(b, file, text);
    struct parse_context c = {&b->arena, &b->diags, &b->limits, &b->dialect};
    return lang_parse_expr(&c, &t, 0, t.text.len);
}

value bench_eval_in(struct bench *b, const char *file, sv text) {
    return eval_expr(b->ev, bench_parse_in(b, file, text), NULL);
}

value bench_eval(struct bench *b, const char *text) {
    return bench_eval_in(b, "bench.yaml", sv_from_cstr(text));
}

const struct expr *bench_parse_text(struct bench *b, sv text) {
    struct expr_text t = add_text(b, "bench.yaml", text);
    struct parse_context c = {&b->arena, &b->diags, &b->limits, &b->dialect};
    return lang_parse_text(&c, &t, false, NULL);
}

value bench_eval_text(struct bench *b, const char *text) {
    return eval_expr(b->ev, bench_parse_text(b, sv_from_cstr(text)), NULL);
}

const struct type *bench_check_expr(struct bench *b, const struct expr *e) {
    struct parse_context c = {&b->arena, &b->diags, &b->limits, &b->dialect};
    return lang_check_result(&c, e, &check_ops, b);
}

const struct type *bench_check(struct bench *b, const char *text) {
    return bench_check_expr(b, bench_parse_in(b, "bench.yaml", sv_from_cstr(text)));
}

sv bench_print(struct bench *b, value v) {
    if (value_is_scalar(v) && !value_is_sensitive(v)) {
        struct buf out = BUF(&b->arena);
        value_print_scalar(&out, v);
        return buf_get_sv(&out);
    }
    if (v.kind == VALUE_ABSENT || v.kind == VALUE_ERROR) {
        return v.kind == VALUE_ABSENT ? SV("none") : SV("error");
    }
    return value_print_json(&b->arena, v, 0, REDACT);
}

sv bench_list_codes(struct bench *b) {
    struct buf out = BUF(&b->arena);
    for (size_t i = 0; i < b->diags.items.len; i++) {
        buf_append_cstr(&out, i > 0 ? " " : "");
        buf_append(&out, diag_get_code_name(b->diags.items.items[i]));
    }
    return buf_get_sv(&out);
}

bool bench_has(struct bench *b, enum diag_code code, const char *text) {
    if (b->diags.items.len == 0 || b->diags.items.items[0]->code != code) {
        return false;
    }
    const struct diag *d = b->diags.items.items[0];
    sv wanted = sv_from_cstr(text);
    bool found = sv_find(d->message, wanted) != SIZE_MAX || sv_find(d->hint, wanted) != SIZE_MAX;
    for (size_t i = 0; i < d->related.len; i++) {
        found = found || sv_find(d->related.items[i].text, wanted) != SIZE_MAX;
    }
    return found;
}

/* --- samples --- */

static void tell(struct bench *b, const struct bench_sample *s, const char *what, sv given) {
    printf("# %s: %s: %.*s\n", s->text, what, SV_ARG(given));
    for (size_t i = 0; i < b->diags.items.len; i++) {
        printf("#   %.*s\n", SV_ARG(b->diags.items.items[i]->message));
    }
}

static bool has_code(struct bench *b, const char *code) {
    return b->diags.errors == 1 && sv_eq_cstr(diag_get_code_name(b->diags.items.items[0]), code);
}

static bool run_sample(struct bench *b, const struct bench_sample *s, bool is_text) {
    const struct expr *e =
        is_text ? bench_parse_text(b, sv_from_cstr(s->text)) : bench_parse_in(b, "bench.yaml", sv_from_cstr(s->text));
    char mark = s->result[0];
    bool fails = mark == '!' && s->result[1] != '\0', is_static = mark == '?' && s->result[1] != '\0';
    const struct type *t = fails ? NULL : bench_check_expr(b, e);
    if (is_static) {
        bool ok = has_code(b, s->result + 1);
        if (!ok) {
            tell(b, s, "static check", bench_list_codes(b));
        }
        return ok;
    }
    value v = eval_expr(b->ev, e, NULL);
    sv given = bench_print(b, v);
    bool ok = fails ? v.kind == VALUE_ERROR && has_code(b, s->result + 1)
                    : b->diags.errors == 0 && sv_eq_cstr(given, s->result);
    if (!ok) {
        tell(b, s, "result", given);
    } else if (!fails && v.kind != VALUE_ABSENT && (t == NULL || !type_fits_value(t, v))) {
        tell(b, s, "does not fit its static type", given);
        ok = false;
    }
    return ok;
}

size_t bench_run_samples(const struct bench_sample *samples, size_t count, bool is_text,
                         void (*setup)(struct bench *b)) {
    size_t wrong = 0;
    for (size_t i = 0; i < count; i++) {
        struct bench b;
        bench_init(&b);
        if (setup != NULL) {
            setup(&b);
        }
        wrong += !run_sample(&b, &samples[i], is_text);
        bench_fini(&b);
    }
    return wrong;
}
