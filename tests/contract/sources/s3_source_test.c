/* The source 'aws/s3' and s3:// of 'file' against stores that verify signatures: BP-173, BP-175, FN-206, LC-081. */
#include "contract/sources/web.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

#define KEY    "AKIDTEST"
#define SECRET "secret/with+odd=letters"
#define REGION "eu-west-3"

static void set_keys(struct world *w, sv secret) {
    world_set_env(w, "AWS_ACCESS_KEY_ID", SV(KEY));
    world_set_env(w, "AWS_SECRET_ACCESS_KEY", secret);
    world_set_env(w, "AWS_REGION", SV(REGION));
}

static const char *endpoint(struct world *w, uint16_t port) {
    return web_url(w, port, "");
}

static uint16_t start(struct world *w) {
    w->o.allow_private = true;
    world_open(w);
    return world_serve(w, "s3_server.py", KEY, SECRET, REGION, NULL);
}

static const struct content *include(struct world *w, uint16_t port, const char *bucket, const char *key) {
    return world_include(w, key, "sourceType", "aws/s3", "bucket", bucket, "endpoint", endpoint(w, port), NULL);
}

static void an_object_is_fetched(void **state) {
    struct world *w = *state;
    uint16_t port = start(w);
    set_keys(w, SV(SECRET));
    const struct content *c = include(w, port, "shop", "core.yaml");
    world_check_text(c, "core");
    sv location = arena_printf(&w->arena, "s3://shop/core.yaml@%s", endpoint(w, port));
    assert_true(sv_eq(c->location, location) && sv_eq(c->kind, SV("aws/s3")) && c->is_remote);
    assert_true(sv_eq(c->name, SV("s3://shop/core.yaml")));
    assert_ptr_equal(include(w, port, "shop", "core.yaml"), c);
}

struct odd_key {
    const char *key, *text;
};

static void keys_may_hold_anything(void **state) {
    struct world *w = *state;
    uint16_t port = start(w);
    set_keys(w, SV(SECRET));
    static const struct odd_key keys[] = {
        {"white space+plus%percent&amp;=.yaml", "odd name"},
        {"caf\xc3\xa9/\xe6\x97\xa5\xe6\x9c\xac.yaml", "letters"},
        {"dir//twice.yaml", "two slashes"},
        {"/leading.yaml", "leading slash"},
        {"dots/../x.yaml", "dots"},
        {"tilde~(1)!*'.yaml", "marks"},
    };
    for (size_t i = 0; i < sizeof keys / sizeof keys[0]; i++) {
        const struct content *c = include(w, port, "shop", keys[i].key);
        if (c == NULL) {
            fail_msg("%s: %s", keys[i].key, w->failure.message.data);
        }
        world_check_text(c, keys[i].text);
    }
}

static void relative_names_stay_in_the_bucket(void **state) {
    struct world *w = *state;
    uint16_t port = start(w);
    set_keys(w, SV(SECRET));
    w->base = include(w, port, "shop", "dir/a.yaml");
    world_check_text(world_include(w, "b.yaml", NULL), "b of dir");
    world_check_text(world_include(w, "../b.yaml", NULL), "b of the top");
    world_check_text(world_file(w, "b.yaml"), "b of dir");
    assert_null(world_include(w, "../../b.yaml", NULL));
    world_check_failure(w, DIAG_include_path_outside_root, "bucket");
    assert_null(world_file(w, "/etc/passwd"));
    world_check_failure(w, DIAG_include_path_outside_root, "absolute");
}

static void failures_are_told_apart(void **state) {
    struct world *w = *state;
    uint16_t port = start(w);
    set_keys(w, SV(SECRET));
    assert_null(include(w, port, "shop", "nothing.yaml"));
    world_check_failure(w, DIAG_blueprint_not_found, "NoSuchKey");
    assert_null(include(w, port, "nobucket", "x"));
    world_check_failure(w, DIAG_blueprint_not_found, "NoSuchBucket");
    assert_null(include(w, port, "elsewhere", "x"));
    world_check_failure(w, DIAG_resolve_failure, "PermanentRedirect");
    assert_true(sv_find(w->failure.hint, SV("'eu-central-1'")) != SIZE_MAX);
}

static void a_wrong_key_is_refused(void **state) { /* F94 */
    struct world *w = *state;
    uint16_t port = start(w);
    set_keys(w, SV("not-the-secret"));
    assert_null(include(w, port, "shop", "core.yaml"));
    world_check_failure(w, DIAG_permission_error, "SignatureDoesNotMatch");
    assert_true(sv_find(w->failure.message, SV("not-the-secret")) == SIZE_MAX);
    assert_true(sv_find(w->failure.message, SV(KEY)) == SIZE_MAX);
}

static void without_credentials_nothing_is_signed(void **state) {
    struct world *w = *state;
    uint16_t port = start(w);
    world_check_text(include(w, port, "open", "core.yaml"), "core");
    assert_null(include(w, port, "shop", "core.yaml"));
    world_check_failure(w, DIAG_permission_error, "AccessDenied");
}

static void the_region_is_signed(void **state) {
    struct world *w = *state;
    uint16_t port = start(w);
    set_keys(w, SV(SECRET));
    world_set_env(w, "AWS_REGION", SV("us-east-1"));
    assert_null(include(w, port, "shop", "core.yaml"));
    world_check_failure(w, DIAG_permission_error, "AuthorizationHeaderMalformed");
    world_open(w);
    world_check_text(world_include(w, "core.yaml", "sourceType", "aws/s3", "bucket", "shop", "endpoint",
                                   endpoint(w, port), "region", REGION, NULL),
                     "core");
    world_set_env(w, "AWS_REGION", SV(""));
    world_set_env(w, "AWS_DEFAULT_REGION", SV(REGION));
    world_open(w);
    world_check_text(include(w, port, "shop", "core.yaml"), "core");
}

static void session_tokens_are_sent(void **state) {
    struct world *w = *state;
    w->o.allow_private = true;
    world_open(w);
    uint16_t port = world_serve(w, "s3_server.py", KEY, SECRET, REGION, "a/session+token=", NULL);
    set_keys(w, SV(SECRET));
    world_set_env(w, "AWS_SESSION_TOKEN", SV("a/session+token="));
    world_check_text(include(w, port, "shop", "core.yaml"), "core");
}

#define CREDENTIALS                                                                                            \
    "# comment\n[other]\naws_access_key_id = x\naws_secret_access_key = y\n\n[shop]\naws_access_key_id = " KEY \
    "\r\naws_secret_access_key=" SECRET "\n[default]\naws_access_key_id = wrong\naws_secret_access_key = wrong\n"
#define SETTINGS "[default]\nregion = us-east-1\n[profile shop]\nregion = " REGION "\n"

static void profiles_are_read(void **state) {
    struct world *w = *state;
    uint16_t port = start(w);
    world_write(w, "home/.aws/credentials", SV(CREDENTIALS));
    world_write(w, "home/.aws/config", SV(SETTINGS));
    world_set_env(w, "HOME", world_get_path(w, "home"));
    assert_null(include(w, port, "shop", "core.yaml"));
    world_check_failure(w, DIAG_permission_error, "InvalidAccessKeyId");
    world_set_env(w, "AWS_PROFILE", SV("shop"));
    world_open(w);
    world_check_text(include(w, port, "shop", "core.yaml"), "core");
    world_write(w, "keys", SV("[shop]\naws_access_key_id=" KEY "\naws_secret_access_key=bad\n"));
    world_set_env(w, "AWS_SHARED_CREDENTIALS_FILE", world_get_path(w, "keys"));
    world_open(w);
    assert_null(include(w, port, "shop", "core.yaml"));
    world_check_failure(w, DIAG_permission_error, "SignatureDoesNotMatch");
}

/* FN-206: the operator names the endpoint where there are no metadata. */
static void file_reads_objects(void **state) {
    struct world *w = *state;
    uint16_t port = start(w);
    set_keys(w, SV(SECRET));
    world_set_env(w, "AWS_ENDPOINT_URL_S3", sv_from_cstr(endpoint(w, port)));
    world_check_text(world_file(w, "s3://shop/dir/a.yaml"), "a of dir");
    assert_null(world_file(w, "s3://shop/nothing"));
    world_check_failure(w, DIAG_blueprint_not_found, "s3://shop/nothing");
    assert_null(world_file(w, "s3:///x"));
    world_check_failure(w, DIAG_invalid_include, "s3://bucket/key");
}

static void unchanged_objects_are_not_sent_again(void **state) {
    struct world *w = *state;
    w->o.cache_dir = world_get_path(w, "cache");
    uint16_t port = start(w);
    set_keys(w, SV(SECRET));
    for (int i = 0; i < 2; i++) {
        world_open(w);
        world_check_text(include(w, port, "shop", "core.yaml"), "core");
    }
    assert_int_equal(web_count_hits(w, port, "/shop/core.yaml"), 2);
    w->o.offline = true;
    world_open(w);
    world_check_text(include(w, port, "shop", "core.yaml"), "core");
    assert_int_equal(web_count_hits(w, port, "/shop/core.yaml"), 2);
}

/* LC-081 */
static void private_endpoints_need_permission(void **state) {
    struct world *w = *state;
    uint16_t port = start(w);
    set_keys(w, SV(SECRET));
    w->o.allow_private = false;
    world_open(w);
    assert_null(include(w, port, "shop", "core.yaml"));
    world_check_failure(w, DIAG_permission_error, "no public address");
    assert_int_equal(web_count_hits(w, port, "/shop/core.yaml"), 0);
}

/* Another implementation of the same protocol. */
static void moto_serves_objects(void **state) {
    struct world *w = *state;
    if (system("python3 -c 'import moto.server, boto3' >/dev/null 2>&1") != 0) {
        print_message("# SKIP-REASON python3 has no moto.server and boto3\n");
        skip();
    }
    w->o.allow_private = true;
    world_open(w);
    uint16_t port = world_serve(w, "moto_server.py", NULL);
    set_keys(w, SV("test"));
    world_check_text(include(w, port, "shop", "dir/a b+c.yaml"), "from moto");
    assert_null(include(w, port, "shop", "nothing"));
    world_check_failure(w, DIAG_blueprint_not_found, "NoSuchKey");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        WORLD_CASE(an_object_is_fetched),
        WORLD_CASE(keys_may_hold_anything),
        WORLD_CASE(relative_names_stay_in_the_bucket),
        WORLD_CASE(failures_are_told_apart),
        WORLD_CASE(a_wrong_key_is_refused),
        WORLD_CASE(without_credentials_nothing_is_signed),
        WORLD_CASE(the_region_is_signed),
        WORLD_CASE(session_tokens_are_sent),
        WORLD_CASE(profiles_are_read),
        WORLD_CASE(file_reads_objects),
        WORLD_CASE(unchanged_objects_are_not_sent_again),
        WORLD_CASE(private_endpoints_need_permission),
        WORLD_CASE(moto_serves_objects),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
