/* What depends on the machine and the run (FN-220 to FN-222, FN-230, FN-231). Without run record, in validation, none
 * of it is known (FN-034). */
#include "fn/internal.h"

#include "lang/call_key.h"
#include "model/host.h"
#include "model/record.h"

#include <inttypes.h>
#include <time.h>

static value call_cwd(struct fn_call *c) {
    struct host *host = eval_get_host(c->ev);
    if (host == NULL) {
        return value_unknown(&type_string);
    }
    return value_string(c->arena, host->ops->get_cwd(host->user, c->arena));
}

/* --- datetime --- */

static sv print_rfc3339(struct arena *a, const struct tm *t) {
    return arena_printf(a, "%04d-%02d-%02dT%02d:%02d:%02dZ", t->tm_year + 1900, t->tm_mon + 1, t->tm_mday, t->tm_hour,
                        t->tm_min, t->tm_sec);
}

static sv print_tag(struct arena *a, const struct tm *t) {
    return arena_printf(a, "%04d-%02d-%02d--%02d-%02d-%02d", t->tm_year + 1900, t->tm_mon + 1, t->tm_mday, t->tm_hour,
                        t->tm_min, t->tm_sec);
}

static sv print_tag_compact(struct arena *a, const struct tm *t) {
    return arena_printf(a, "%04d%02d%02d%02d%02d%02d", t->tm_year + 1900, t->tm_mon + 1, t->tm_mday, t->tm_hour,
                        t->tm_min, t->tm_sec);
}

struct time_format {
    sv name;
    sv (*print)(struct arena *a, const struct tm *t); /* NULL: seconds */
};

/* sorted */
static const struct time_format formats[] = {
    {SV_INIT("rfc3339"), print_rfc3339},
    {SV_INIT("tag"), print_tag},
    {SV_INIT("tagcompact"), print_tag_compact},
    {SV_INIT("unix"), NULL},
};

static const char format_hint[] = "a format is unix, rfc3339, tag or tagcompact";

static const struct time_format *find_format(sv name) {
    for (size_t i = 0; i < FN_COUNT(formats); i++) {
        if (sv_eq(formats[i].name, name)) {
            return &formats[i];
        }
    }
    return NULL;
}

static value print_time(struct fn_call *c, int64_t ms, const struct time_format *format) {
    int64_t seconds = ms / 1000 - (ms % 1000 < 0); /* rounded down before 1970, too */
    if (format->print == NULL) {
        return value_string(c->arena, arena_printf(c->arena, "%" PRId64, seconds));
    }
    time_t when = (time_t)seconds;
    struct tm parts;
    return gmtime_r(&when, &parts) != NULL
               ? value_string(c->arena, format->print(c->arena, &parts))
               : fn_call_fail(c, DIAG_function_call_error, SIZE_MAX, "the time of the run cannot be written");
}

static value call_datetime(struct fn_call *c) {
    value failed = {0};
    if (!fn_take_args(c, &failed)) {
        return failed;
    }
    const struct time_format *format = find_format(fn_get_text(c, 0));
    if (format == NULL) {
        return fn_fail_with_hint(c, DIAG_invalid_function_argument, 0, SV("this is no format of a time"),
                                 SV(format_hint));
    }
    const struct run_record *record = eval_get_record(c->ev);
    return record == NULL || record->is_look ? value_unknown(&type_string) : print_time(c, record->run_ms, format);
}

/* FN-032. */
static void check_datetime(const struct fn_check *c) {
    value v = fn_check_get_literal(c, 0);
    if (v.kind == VALUE_STRING && find_format(value_get_text(v)) == NULL) {
        struct diag *d = fn_check_fail(c, 0, "this is no format of a time");
        diag_set_hint(c->diags, d, "%s", format_hint);
    }
}

/* --- uuid --- */

/* Version 4, variant 1 (RFC 4122). */
static sv print_uuid(struct arena *a, const uint8_t b[16]) {
    return arena_printf(a, "%02x%02x%02x%02x-%02x%02x-%02x%02x-%02x%02x-%02x%02x%02x%02x%02x%02x", b[0], b[1], b[2],
                        b[3], b[4], b[5], (b[6] & 0x0f) | 0x40, b[7], (b[8] & 0x3f) | 0x80, b[9], b[10], b[11], b[12],
                        b[13], b[14], b[15]);
}

/* FN-231: each call has its own value, kept under its place. */
static value call_uuid(struct fn_call *c) {
    struct run_record *record = eval_get_record(c->ev);
    struct host *host = eval_get_host(c->ev);
    if (record == NULL || host == NULL) {
        return value_unknown(&type_string);
    }
    sv key = arena_printf(c->arena, "uuid|%.*s", SV_ARG(call_key_get(c)));
    value found = {0};
    if (record_find(record, key, &found)) {
        return found;
    }
    if (record->is_look) {
        return value_unknown(&type_string);
    }
    uint8_t bytes[16];
    host->ops->fill_random(host->user, bytes, sizeof bytes);
    value made = value_string(c->arena, print_uuid(c->arena, bytes));
    record_put(record, key, RECORD_INSTANCE, made);
    return made;
}

/* --- tables --- */

static const struct fn_param format_params[] = {
    {SV_INIT("format"), &type_string, 0,
     SV_INIT("`unix` (seconds), `rfc3339`, `tag` (`2023-01-02--15-04-05`) or `tagcompact` (`20230102150405`)")},
};

#define ENVIRONMENT_FN(fn_name, fn_rule, parameters, count, body)                                                 \
    .name = SV_INIT(fn_name), .rule = SV_INIT(fn_rule), .family = SV_INIT("Environment"), .params = (parameters), \
    .param_count = (count), .result = &type_string, .flags = FN_HOST, .call = (body)

static const struct fn_def fn_cwd = {
    ENVIRONMENT_FN("cwd", "FN-220", NULL, 0, call_cwd),
    .summary = SV_INIT("The absolute path of the working directory, without a trailing slash."),
    .details = SV_INIT("`${workingDir}` is the same, unless a resource has this name."),
};
static const struct fn_def fn_datetime = {
    ENVIRONMENT_FN("datetime", "FN-221", format_params, 1, call_datetime),
    .check = check_datetime,
    .summary = SV_INIT("The time of the run in UTC, as text."),
    .details = SV_INIT("The same for all calls of a run: the time at which the plan was made. It is kept in the plan."),
    .example = SV_INIT("datetime(\"rfc3339\")"),
    .example_result = SV_INIT("2023-01-02T15:04:05Z"),
};
static const struct fn_def fn_uuid = {
    ENVIRONMENT_FN("uuid", "FN-222", NULL, 0, call_uuid),
    .summary = SV_INIT("A random UUID of version 4, in lower case."),
    .details =
        SV_INIT("Each call has its own, which stays: it is kept with the instance under the element, the property "
                "and the position of the call in that property. Other edits do not change it."),
};

/* sorted */
static const struct fn_def *const defs[] = {
    &fn_cwd,
    &fn_datetime,
    &fn_uuid,
};
const struct fn_table fn_table_environment = {defs, FN_COUNT(defs)};
