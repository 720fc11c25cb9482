/* Files and documents of the network (FN-206, FN-207, FN-210): asked for once per run and argument; what came is in
 * the run record, so that staging and deployment agree. */
#include "fn/internal.h"

#include "adapters/crypto/crypto.h"
#include "model/fetch.h"
#include "model/record.h"

/* The scheme of "s3://bucket/key" without its "://"; empty for a path. */
static sv get_scheme(sv location) {
    size_t end = 0;
    while (end < location.len && (sv_find_char(SV("+-."), location.data[end]) != SIZE_MAX ||
                                  (location.data[end] >= '0' && location.data[end] <= '9') ||
                                  ((location.data[end] | 0x20) >= 'a' && (location.data[end] | 0x20) <= 'z'))) {
        end++;
    }
    bool has_scheme = end > 0 && sv_has_prefix(sv_slice(location, end, location.len), SV("://"));
    return has_scheme ? sv_slice(location, 0, end) : (sv){0};
}

static bool is_web(sv scheme) {
    return sv_eq_nocase(scheme, SV("http")) || sv_eq_nocase(scheme, SV("https"));
}

/* What is wrong with a location before anything is asked; NULL when nothing is. */
struct objection {
    const char *what, *hint;
};

static struct objection find_objection(sv location, bool is_url) {
    sv scheme = get_scheme(location);
    if (sv_find_char(location, '\0') != SIZE_MAX) {
        return (struct objection){is_url ? "a URL cannot hold a NUL" : "a path cannot hold a NUL", NULL};
    }
    if (is_url && (!is_web(scheme) || location.len == scheme.len + 3)) {
        return (struct objection){"this is no http or https URL", scheme.len == 0 ? "read files with file" : NULL};
    }
    if (!is_url && location.len == 0) {
        return (struct objection){"the path is empty", NULL};
    }
    if (!is_url && scheme.len > 0 && !sv_eq(scheme, SV("s3"))) {
        return (struct objection){"a path has no scheme other than s3", "read URLs with http_resource"};
    }
    return (struct objection){0};
}

static void check_location(const struct fn_check *c, bool is_url) {
    value v = fn_check_get_literal(c, 0);
    struct objection o = v.kind == VALUE_STRING ? find_objection(value_get_text(v), is_url) : (struct objection){0};
    if (o.what == NULL) {
        return;
    }
    struct diag *d = fn_check_fail(c, 0, "%s", o.what);
    if (o.hint != NULL) {
        diag_set_hint(c->diags, d, "%s", o.hint);
    }
}

static void check_file(const struct fn_check *c) {
    check_location(c, false);
}

static void check_http_resource(const struct fn_check *c) {
    check_location(c, true);
}

/* --- fetching --- */

/* The document that holds the call: paths are relative to its directory. */
static const struct content *find_base(struct fn_call *c, struct fetcher *fetcher) {
    struct sources *sources = eval_get_sources(c->ev);
    struct source *s = sources == NULL ? NULL : sources_find(sources, eval_get_span(c->ev).source);
    return s == NULL ? NULL : fetcher->ops->base(fetcher, s);
}

/* "file|conf/a.json|/work/app.yaml". Keys are kept in change sets, so a secret location is there as its digest only. */
static sv make_key(const struct fn_call *c, const struct content *base) {
    sv location = fn_get_text(c, 0);
    if (value_is_sensitive(c->args[0])) {
        uint8_t digest[CRYPTO_SHA256];
        crypto_digest_sha256(location, digest);
        location = arena_printf(c->arena, "sha256:%.*s", SV_ARG(crypto_print_hex(c->arena, digest, sizeof digest)));
    }
    sv place = base != NULL ? base->location : (sv){0};
    return arena_printf(c->arena, "%.*s|%.*s|%.*s", SV_ARG(c->fn->name), SV_ARG(location), SV_ARG(place));
}

/* Codes that a rule names are kept; all else is a call that failed (FN-018). */
static value report_failure(struct fn_call *c, const struct fetch_failure *f) {
    bool is_own = f->code == DIAG_include_path_outside_root || f->code == DIAG_limit_exceeded;
    enum diag_code code = is_own ? f->code : DIAG_function_call_error;
    if (value_is_sensitive(c->args[0])) {
        return fn_call_fail(c, code, 0, "what this secret names cannot be read");
    }
    return fn_fail_with_hint(c, code, 0, f->message, f->hint);
}

static value fetch(struct fn_call *c, bool is_url) {
    struct run_record *record = eval_get_record(c->ev);
    struct fetcher *fetcher = eval_get_fetcher(c->ev);
    if (record == NULL || fetcher == NULL) {
        return value_unknown(&type_bytes); /* FN-034 */
    }
    struct objection o = find_objection(fn_get_text(c, 0), is_url);
    if (o.what != NULL) {
        return fn_fail_with_hint(c, DIAG_invalid_function_argument, 0, sv_from_cstr(o.what),
                                 o.hint == NULL ? (sv){0} : sv_from_cstr(o.hint));
    }
    struct fetch_request request = {.arena = c->arena, .path = fn_get_text(c, 0)};
    request.base = is_url ? NULL : find_base(c, fetcher);
    sv key = make_key(c, request.base);
    value found = {0};
    if (record_find(record, key, &found)) {
        return found;
    }
    struct fetch_failure failure = {0};
    const struct content *got =
        is_url ? fetcher->ops->url(fetcher, &request, &failure) : fetcher->ops->file(fetcher, &request, &failure);
    if (got == NULL) {
        return report_failure(c, &failure);
    }
    value too_large = fn_check_text_size(c, got->bytes.len);
    if (too_large.kind != 0) {
        return too_large;
    }
    found = value_mark(value_bytes(c->arena, got->bytes), c->args[0].within & MARK_SENSITIVE);
    record_put(record, key, RECORD_RUN, found);
    return found;
}

static value call_file(struct fn_call *c) {
    value failed = {0};
    return fn_take_args(c, &failed) ? fetch(c, false) : failed;
}

static value call_http_resource(struct fn_call *c) {
    value failed = {0};
    return fn_take_args(c, &failed) ? fetch(c, true) : failed;
}

/* --- tables --- */

static const struct fn_param file_params[] = {
    {SV_INIT("path"), &type_string, 0,
     SV_INIT("relative to the directory of the file that holds the call, or `s3://bucket/key`")},
};
static const struct fn_param url_params[] = {{SV_INIT("url"), &type_string, 0, SV_INIT("`http` or `https`")}};

#define FILE_FN(fn_name, fn_rule, parameters, body, checker)                                                \
    .name = SV_INIT(fn_name), .rule = SV_INIT(fn_rule), .family = SV_INIT("Bytes"), .params = (parameters), \
    .param_count = 1, .result = &type_bytes, .flags = FN_HOST, .call = (body), .check = (checker)

static const struct fn_def fn_file = {
    FILE_FN("file", "FN-206", file_params, call_file, check_file),
    .summary = SV_INIT("The contents of a file."),
    .details =
        SV_INIT("Read when the plan is made, once; the deployment uses what was read. The file must lie below the "
                "directory of the root blueprint or the working directory, and have at most 16 MiB. In a remote "
                "blueprint paths are inside its source.\n\nThe example reads `{\"port\": 8080}`."),
    .example = SV_INIT("jsondecode(utf8(file(\"config.json\"))).port"),
    .example_result = SV_INIT("8080"),
};
static const struct fn_def fn_http_resource = {
    FILE_FN("http_resource", "FN-207", url_params, call_http_resource, check_http_resource),
    .summary = SV_INIT("What an HTTP server answers to a GET request."),
    .details = SV_INIT("Asked when the plan is made, once; the deployment uses that answer. At most 30 seconds, 5 "
                       "redirects and 16 MiB; a status other than 2xx is an error.\n\nThe example's server answers "
                       "`hello`."),
    .example = SV_INIT("utf8(http_resource(\"https://example.com/motd\"))"),
    .example_result = SV_INIT("hello"),
};

/* sorted */
static const struct fn_def *const defs[] = {
    &fn_file,
    &fn_http_resource,
};
const struct fn_table fn_table_files = {defs, FN_COUNT(defs)};
