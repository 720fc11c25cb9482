/* Data source http/document: one GET, bounded in size and time, redirects not followed. */
#include "adapters/http/address.h"
#include "adapters/http/http.h"
#include "base/utf8.h"
#include "providers/http/http_provider.h"
#include "seal/seal.h"
#include "value/convert.h"

enum {
    BODY_MAX = 16 << 20,
    TIME_MAX_MS = 30000,
    STALL_MS = 10000,
    SHOWN_MAX = 300, /* of a URL in a reason */
};

/* --- Failures --- */

/* User and password, and what stands behind the path, may be secret. */
static sv show_url(struct arena *a, sv url) {
    sv shown = sv_slice(url, 0, SHOWN_MAX);
    size_t end = sv_find_char(shown, '?');
    shown = end == SIZE_MAX ? shown : sv_slice(shown, 0, end);
    size_t scheme = sv_find(shown, SV("://"));
    size_t at = sv_rfind_char(shown, '@');
    if (scheme == SIZE_MAX || at == SIZE_MAX) {
        return shown;
    }
    return arena_printf(a, "%.*s%.*s", SV_ARG(sv_slice(shown, 0, scheme + 3)),
                        SV_ARG(sv_slice(shown, at + 1, shown.len)));
}

static enum provider_result get_kind(enum http_result result) {
    switch (result) {
    case HTTP_NO_HOST:
    case HTTP_REFUSED:
    case HTTP_LATE:
    case HTTP_FAILED:
    case HTTP_STOPPED:
        return PROVIDER_TRANSIENT;
    case HTTP_OK:
    case HTTP_BAD_URL:
    case HTTP_TOO_MUCH:
    case HTTP_FORBIDDEN:
        break;
    }
    return PROVIDER_TERMINAL;
}

static enum provider_result fail(struct data_call *c, enum http_result result, const struct http_request *r) {
    sv shown = show_url(c->arena, r->url);
    if (result == HTTP_FORBIDDEN) {
        return data_fail(c, PROVIDER_TERMINAL, "'%.*s' is at the private address %.*s; --allow-private lets it be read",
                         SV_ARG(shown), SV_ARG(r->peer));
    }
    return data_fail(c, get_kind(result), "cannot get '%.*s': %.*s", SV_ARG(shown), SV_ARG(r->why));
}

/* --- The object --- */

static sv to_lower(struct arena *a, sv text) {
    struct buf out = BUF(a);
    for (size_t i = 0; i < text.len; i++) {
        char c = text.data[i];
        buf_append_char(&out, c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c);
    }
    return buf_get_sv(&out);
}

/* Names in lower case; texts of equal names joined as RFC 9110 says. */
static value read_headers(struct arena *a, sv lines) {
    struct map_builder m = {.arena = a};
    struct map seen = MAP(a);
    while (lines.len > 0) {
        sv text = sv_cut(&lines, '\n');
        size_t colon = sv_find_char(text, ':');
        if (colon == SIZE_MAX || colon == 0 || utf8_check(text) != text.len) {
            continue;
        }
        sv name = to_lower(a, sv_slice(text, 0, colon));
        sv item = arena_copy_sv(a, sv_trim(sv_slice(text, colon + 1, text.len)));
        void **slot = map_get_slot(&seen, name, NULL);
        const sv *before = *slot;
        if (before != NULL) {
            item = arena_printf(a, "%.*s, %.*s", SV_ARG(*before), SV_ARG(item));
        }
        sv *kept = ARENA_NEW(a, sv);
        *kept = item;
        *slot = kept;
        map_set(&m, name, value_string(a, item));
    }
    return map_done(&m);
}

static bool is_list_of_scalars(value v) {
    bool is = v.kind == VALUE_LIST;
    for (size_t i = 0; is && i < v.list->len; i++) {
        is = value_is_scalar(v.list->items[i]);
    }
    return is;
}

static void add_body(struct arena *a, struct map_builder *m, sv body) {
    map_add(m, SV("size"), value_int((int64_t)body.len));
    map_add(m, SV("sha256"), value_string(a, seal_sha256(a, body)));
    if (utf8_check(body) != body.len || sv_find_char(body, 0) != SIZE_MAX) {
        return;
    }
    sv why = {0};
    size_t offset = 0;
    map_add(m, SV("body"), value_string(a, body));
    value json = value_parse_json(a, body, &limits_default, false, &why, &offset);
    if (json.kind == VALUE_MAP) {
        map_add(m, SV("data"), json);
    } else if (is_list_of_scalars(json)) {
        map_add(m, SV("items"), json);
    }
}

static value make_object(struct arena *a, const struct http_request *r) {
    struct map_builder m = {.arena = a};
    sv type = http_find_header(r, SV("content-type"));
    map_add(&m, SV("url"), value_string(a, r->url));
    map_add(&m, SV("status"), value_int(r->status));
    map_add(&m, SV("isOk"), value_bool(r->status >= 200 && r->status < 300));
    map_add(&m, SV("contentType"), value_string(a, to_lower(a, sv_trim(sv_cut(&type, ';')))));
    map_add(&m, SV("headers"), read_headers(a, r->header_lines));
    if (r->redirect.len > 0) {
        map_add(&m, SV("redirect"), value_string(a, r->redirect));
    }
    add_body(a, &m, r->body);
    return data_type_fill(a, &http_document_data, map_done(&m));
}

static enum provider_result fetch_document(struct data_call *c) {
    struct data_texts urls;
    if (!data_find_texts(c, SV("url"), &urls) || urls.items.len != 1) {
        return data_fail(c, PROVIDER_TERMINAL, "a filter 'url' with the operator '=' says what to get");
    }
    if (data_is_over(c)) {
        return data_fail(c, PROVIDER_TRANSIENT, "there is no time left");
    }
    int64_t left = data_get_time_left(c);
    struct http_request r = {
        .url = urls.items.items[0],
        .timeout_ms = left < TIME_MAX_MS ? left : TIME_MAX_MS,
        .stall_ms = STALL_MS,
        .body_max = BODY_MAX,
        .refused =
            HTTP_PEER_UNUSABLE | (c->allow_private ? 0 : HTTP_PEER_LOOPBACK | HTTP_PEER_LINK_LOCAL | HTTP_PEER_PRIVATE),
    };
    enum http_result result = http_get(c->arena, &r);
    if (result != HTTP_OK) {
        return fail(c, result, &r);
    }
    VEC_PUSH(c->arena, &c->objects, make_object(c->arena, &r));
    return PROVIDER_OK;
}

/* --- The type --- */

static const struct schema text = {.type = SCHEMA_STRING};
static const struct schema string_item = {.type = SCHEMA_STRING};
static const struct schema integer_item = {.type = SCHEMA_INTEGER};
static const struct schema float_item = {.type = SCHEMA_FLOAT};
static const struct schema boolean_item = {.type = SCHEMA_BOOLEAN};
static const struct schema *const item_types[] = {&string_item, &integer_item, &float_item, &boolean_item};
static const struct schema item = {.type = SCHEMA_UNION, .one_of = item_types, .one_of_count = 4};

#define FIELD(id, kind, words) static const struct schema id##_field = {.type = (kind), .text = SV_INIT(words)}
#define MAYBE(id, kind, words) \
    static const struct schema id##_field = {.type = (kind), .flags = SCHEMA_NULLABLE, .text = SV_INIT(words)}
FIELD(url, SCHEMA_STRING, "The URL, as the filter gives it");
FIELD(status, SCHEMA_INTEGER, "The status of the answer, as 200");
FIELD(is_ok, SCHEMA_BOOLEAN, "Whether the status is 200 to 299");
FIELD(content_type, SCHEMA_STRING, "What the answer says it is, in lower case and without parameters; may be empty");
MAYBE(redirect, SCHEMA_STRING, "Where a redirect leads; it is not followed");
FIELD(size, SCHEMA_INTEGER, "Number of bytes of the body");
FIELD(sha256, SCHEMA_STRING, "SHA-256 of the body in hexadecimal");
MAYBE(body, SCHEMA_STRING, "The body, when it is UTF-8 without NUL");
static const struct schema headers_field = {
    .type = SCHEMA_MAP, .items = &text, .text = SV_INIT("The headers of the answer; their names are in lower case")};
static const struct schema data_field = {.type = SCHEMA_MAP,
                                         .flags = SCHEMA_NULLABLE,
                                         .text = SV_INIT("The object in a JSON body; `data.a.b[0]` leads into it")};
static const struct schema items_field = {.type = SCHEMA_ARRAY,
                                          .flags = SCHEMA_NULLABLE,
                                          .items = &item,
                                          .text = SV_INIT("The array in a JSON body, when it holds only scalars")};

static const struct schema_attribute attributes[] = {
    {SV_INIT("url"), &url_field},         {SV_INIT("status"), &status_field},
    {SV_INIT("isOk"), &is_ok_field},      {SV_INIT("contentType"), &content_type_field},
    {SV_INIT("headers"), &headers_field}, {SV_INIT("redirect"), &redirect_field},
    {SV_INIT("size"), &size_field},       {SV_INIT("sha256"), &sha256_field},
    {SV_INIT("body"), &body_field},       {SV_INIT("data"), &data_field},
    {SV_INIT("items"), &items_field},
};
static const struct schema schema = {
    .type = SCHEMA_OBJECT, .attributes = attributes, .attribute_count = sizeof attributes / sizeof attributes[0]};
static const struct data_filter_field filter_fields[] = {
    {.field = SV_INIT("url"), .operators = 1u << FILTER_EQUALS},
    {.field = SV_INIT("status")},
    {.field = SV_INIT("isOk")},
    {.field = SV_INIT("contentType")},
    {.field = SV_INIT("headers")},
    {.field = SV_INIT("redirect")},
    {.field = SV_INIT("size")},
    {.field = SV_INIT("sha256")},
    {.field = SV_INIT("body")},
    {.field = SV_INIT("data")},
    {.field = SV_INIT("items")},
};

const struct data_type http_document_data = {
    .name = SV_INIT("http/document"),
    .summary = SV_INIT("What a web server answers to a GET"),
    .details = SV_INIT(
        "The filter `url` says what is asked for, over http or https; further filters judge the answer, so that "
        "`status = 200` makes every other answer an error. Redirects are not followed. A server that cannot be reached "
        "is asked again; an answer takes at most 30 s and has at most 16 MiB. Loopback, link-local and private "
        "addresses are refused unless `--allow-private` is given."),
    .example = SV_INIT("release:\n"
                       "  type: http/document\n"
                       "  filter:\n"
                       "    - {field: url, operator: \"=\", search: \"https://example.org/release.json\"}\n"
                       "    - {field: status, operator: \"=\", search: 200}\n"
                       "  exports:\n"
                       "    version: {type: string, aliasFor: data.version}\n"),
    .schema = &schema,
    .filter_fields = filter_fields,
    .filter_field_count = sizeof filter_fields / sizeof filter_fields[0],
    .fetch = fetch_document,
};
