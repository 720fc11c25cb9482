/* Functions of bytes, JSON, files and secrets (MD-130). */
#include "dialects/module/language_internal.h"

#include "adapters/crypto/crypto.h"
#include "base/base64.h"
#include "base/utf8.h"
#include "value/convert.h"

/* --- base64 --- */

static value run_base64encode(struct fn_call *c) {
    struct buf out = BUF(c->arena);
    base64_append(&out, module_get_text(c, 0));
    return value_string(c->arena, buf_get_sv(&out));
}

static value run_base64decode(struct fn_call *c) {
    sv text = module_get_text(c, 0);
    struct buf out = BUF(c->arena);
    if (!base64_decode(&out, text))
        return module_fail_at(c, 0, "'base64decode': the text is not base64");
    sv bytes = buf_get_sv(&out);
    if (utf8_check(bytes) != bytes.len)
        return module_fail_at(c, 0, "'base64decode': the decoded bytes are not UTF-8");
    return value_string(c->arena, bytes);
}

/* --- JSON --- */

static bool write_json(struct buf *out, value v);

static void write_text(struct buf *out, sv text) {
    buf_append(out, value_print_json(out->arena, value_string(out->arena, text), 0, REVEAL));
}

static bool write_list(struct buf *out, value v) {
    buf_append_char(out, '[');
    for (size_t i = 0; i < v.list->len; i++) {
        buf_append_cstr(out, i > 0 ? "," : "");
        if (!write_json(out, v.list->items[i]))
            return false;
    }
    buf_append_char(out, ']');
    return true;
}

static bool write_map(struct buf *out, value v) {
    buf_append_char(out, '{');
    for (size_t i = 0; i < v.map->len; i++) {
        buf_append_cstr(out, i > 0 ? "," : "");
        write_text(out, v.map->entries[i].key);
        buf_append_char(out, ':');
        if (!write_json(out, v.map->entries[i].item))
            return false;
    }
    buf_append_char(out, '}');
    return true;
}

/* Numbers as in text (MD-152). False for what is not known. */
static bool write_json(struct buf *out, value v) {
    if (v.kind == VALUE_UNKNOWN)
        return false;
    if (v.kind == VALUE_LIST)
        return write_list(out, v);
    if (v.kind == VALUE_MAP)
        return write_map(out, v);
    if (module_is_number(v))
        module_print_scalar(out, v);
    else
        buf_append(out, value_print_json(out->arena, v, 0, REVEAL));
    return true;
}

static value run_jsonencode(struct fn_call *c) {
    struct buf out = BUF(c->arena);
    if (value_get_weight(c->args[0]) > eval_get_limits(c->ev)->value_weight)
        return module_fail(c, "'jsonencode': the value is too large");
    return write_json(&out, c->args[0]) ? value_string(c->arena, buf_get_sv(&out)) : value_unknown(&type_string);
}

static value run_jsondecode(struct fn_call *c) {
    sv why = {0};
    size_t offset = 0;
    value v = value_parse_json(c->arena, module_get_text(c, 0), eval_get_limits(c->ev), false, &why, &offset);
    if (value_is_error(v))
        return module_fail_at(c, 0, "'jsondecode': the text is no JSON");
    return module_normalise(c->arena, v);
}

/* --- files --- */

static bool read_file(struct fn_call *c, sv *bytes, value *failed) {
    struct module_user *user = eval_get_user(c->ev);
    span at = c->expr == NULL ? eval_get_span(c->ev) : c->expr->at;
    sv why = SV("no files can be read here");
    if (user != NULL && user->read_file != NULL &&
        user->read_file(user, c->arena, module_get_text(c, 0), at, bytes, &why))
        return true;
    *failed = module_fail_at(c, 0, "'%.*s': %.*s", SV_ARG(c->fn->name), SV_ARG(why));
    return false;
}

static value run_file(struct fn_call *c) {
    value failed;
    sv bytes;
    if (!read_file(c, &bytes, &failed))
        return failed;
    if (utf8_check(bytes) != bytes.len)
        return module_fail_at(c, 0, "'file': the contents are not UTF-8; filebase64 reads any bytes");
    return value_string(c->arena, bytes);
}

static value run_filebase64(struct fn_call *c) {
    value failed;
    sv bytes;
    if (!read_file(c, &bytes, &failed))
        return failed;
    struct buf out = BUF(c->arena);
    base64_append(&out, bytes);
    return value_string(c->arena, buf_get_sv(&out));
}

/* --- digests and secrets --- */

static value run_sha256(struct fn_call *c) {
    uint8_t digest[CRYPTO_SHA256];
    crypto_digest_sha256(module_get_text(c, 0), digest);
    return value_string(c->arena, crypto_print_hex(c->arena, digest, sizeof digest));
}

static value run_sensitive(struct fn_call *c) {
    return value_mark(c->args[0], MARK_SENSITIVE);
}

static value reveal(struct arena *a, value v) {
    if (!value_is_sensitive(v))
        return v;
    if (v.kind == VALUE_LIST) {
        struct list_builder b = {.arena = a};
        for (size_t i = 0; i < v.list->len; i++)
            list_add(&b, reveal(a, v.list->items[i]));
        return list_done(&b);
    }
    if (v.kind == VALUE_MAP) {
        struct map_builder b = {.arena = a};
        for (size_t i = 0; i < v.map->len; i++)
            map_add(&b, v.map->entries[i].key, reveal(a, v.map->entries[i].item));
        return map_done(&b);
    }
    return value_unmark(v, MARK_SENSITIVE);
}

static value run_nonsensitive(struct fn_call *c) {
    return reveal(c->arena, c->args[0]);
}

#define SIGNATURE(name, ...) static const struct module_signature name = {__VA_ARGS__}
SIGNATURE(sig_base64decode, {"s"}, 1, false, run_base64decode);
SIGNATURE(sig_base64encode, {"s"}, 1, false, run_base64encode);
SIGNATURE(sig_file, {"s"}, 1, false, run_file);
SIGNATURE(sig_filebase64, {"s"}, 1, false, run_filebase64);
SIGNATURE(sig_jsondecode, {"s"}, 1, false, run_jsondecode);
SIGNATURE(sig_jsonencode, {"x"}, 1, false, run_jsonencode);
SIGNATURE(sig_nonsensitive, {"x"}, 1, false, run_nonsensitive);
SIGNATURE(sig_sensitive, {"x"}, 1, false, run_sensitive);
SIGNATURE(sig_sha256, {"s"}, 1, false, run_sha256);

#define SECRET_FN(fn_name, signature, text, sample, sample_result)                                                 \
    {                                                                                                              \
        .name = SV_INIT(fn_name), .rule = SV_INIT("MD-130"), .family = SV_INIT("module"), .params = module_any,    \
        .param_count = 1, .result = &type_any, .flags = FN_PURE | FN_SEES_NULL | FN_SEES_UNKNOWN | FN_OWN_SECRECY, \
        .call = module_call, .data = &(signature), .summary = SV_INIT(text), .example = SV_INIT(sample),           \
        .example_result = SV_INIT(sample_result)                                                                   \
    }

static const struct fn_def fn_base64decode =
    MODULE_FN("base64decode", sig_base64decode, "The text that base64 stands for.", "base64decode(\"aGk=\")", "hi");
static const struct fn_def fn_base64encode =
    MODULE_FN("base64encode", sig_base64encode, "The text as base64.", "base64encode(\"hi\")", "aGk=");
static const struct fn_def fn_file =
    MODULE_FN("file", sig_file, "The contents of a text file beside the document.", "", "");
static const struct fn_def fn_filebase64 =
    MODULE_FN("filebase64", sig_filebase64, "The contents of a file beside the document, as base64.", "", "");
static const struct fn_def fn_jsondecode = MODULE_FN(
    "jsondecode", sig_jsondecode, "The value that JSON text stands for.", "jsondecode(\"[1, 2.0]\")", "[1,2]");
static const struct fn_def fn_jsonencode =
    MODULE_FN("jsonencode", sig_jsonencode, "The value as JSON text on one line.", "jsonencode([1, null])", "[1,null]");
static const struct fn_def fn_nonsensitive =
    SECRET_FN("nonsensitive", sig_nonsensitive, "The value, secret no longer.", "nonsensitive(sensitive(1))", "1");
static const struct fn_def fn_sensitive =
    SECRET_FN("sensitive", sig_sensitive, "The value, never shown.", "length(sensitive([1]))", "1");
static const struct fn_def fn_sha256 =
    MODULE_FN("sha256", sig_sha256, "The SHA-256 of the text, in hexadecimal digits.", "length(sha256(\"\"))", "64");

static const struct fn_def *const defs[] = {&fn_base64decode, &fn_base64encode, &fn_file,
                                            &fn_filebase64,   &fn_jsondecode,   &fn_jsonencode,
                                            &fn_nonsensitive, &fn_sensitive,    &fn_sha256};
const struct fn_table module_data_functions = {defs, sizeof defs / sizeof *defs};
