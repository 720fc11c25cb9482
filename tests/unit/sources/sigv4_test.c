/* Signatures against the worked examples that AWS publishes for S3. */
#include "sources/sigv4.h"

#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

/* The key of all published examples; it opens nothing. */
static const struct sigv4_credentials example_key = {
    .access_key = SV_INIT("AKIAIOSFODNN7EXAMPLE"),
    .secret_key = SV_INIT("wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY"),
};
enum { EXAMPLE_S = 1369353600 }; /* 2013-05-24T00:00:00Z */

static struct sigv4_request make_request(const char *method, const char *path) {
    return (struct sigv4_request){
        .method = sv_from_cstr(method),
        .path = sv_from_cstr(path),
        .payload_digest = SIGV4_EMPTY_DIGEST,
        .region = SV("us-east-1"),
        .service = SV("s3"),
        .wall_ms = (int64_t)EXAMPLE_S * 1000,
    };
}

static void check(const struct sigv4_request *r, const char *signature, const char *authorization) {
    struct arena a = {0};
    struct sigv4_signature result;
    sigv4_sign(&a, r, &example_key, &result);
    assert_string_equal(result.signature.data, signature);
    assert_true(sv_eq(result.date, SV("20130524T000000Z")));
    if (authorization != NULL) {
        assert_string_equal(result.authorization.data, authorization);
    }
    arena_fini(&a);
}

static void get_object_with_range(void **state) { /* F94 */
    (void)state;
    struct sigv4_request r = make_request("GET", "/test.txt");
    const struct sigv4_pair headers[] = {
        {SV("Host"), SV("examplebucket.s3.amazonaws.com")},
        {SV("Range"), SV("bytes=0-9")},
    };
    r.headers = headers;
    r.header_count = 2;
    check(&r, "f0e8bdb87c964420e857bd35b5d6ed310bd44f0170aba48dd91039c6036bdb41",
          "AWS4-HMAC-SHA256 Credential=AKIAIOSFODNN7EXAMPLE/20130524/us-east-1/s3/aws4_request, "
          "SignedHeaders=host;range;x-amz-content-sha256;x-amz-date, "
          "Signature=f0e8bdb87c964420e857bd35b5d6ed310bd44f0170aba48dd91039c6036bdb41");
}

static void put_object(void **state) {
    (void)state;
    struct sigv4_request r = make_request("PUT", "/test%24file.text");
    const struct sigv4_pair headers[] = {
        {SV("Date"), SV("Fri, 24 May 2013 00:00:00 GMT")},
        {SV("Host"), SV("examplebucket.s3.amazonaws.com")},
        {SV("x-amz-storage-class"), SV("REDUCED_REDUNDANCY")},
    };
    r.headers = headers;
    r.header_count = 3;
    r.payload_digest = SV("44ce7dd67c959e0d3524ffac1771dfbba87d2b6b4b4e99e42034a8b803f8b072");
    check(&r, "98ad721746da40c64f1a55b78f14c238d841ea1380cd77a1b5971af0ece108bd", NULL);
}

static void get_bucket_lifecycle(void **state) {
    (void)state;
    struct sigv4_request r = make_request("GET", "/");
    const struct sigv4_pair host = {SV("host"), SV("examplebucket.s3.amazonaws.com")};
    const struct sigv4_pair query = {SV("lifecycle"), SV("")};
    r.headers = &host;
    r.header_count = 1;
    r.query = &query;
    r.query_count = 1;
    check(&r, "fea454ca298b7da1c68078a5d1bdbfbbe0d65c699e0f91ac7a200a0136783543", NULL);
}

static void list_objects_with_parameters_in_any_order(void **state) {
    (void)state;
    struct sigv4_request r = make_request("GET", "/");
    const struct sigv4_pair host = {SV("host"), SV("examplebucket.s3.amazonaws.com")};
    const struct sigv4_pair query[] = {{SV("prefix"), SV("J")}, {SV("max-keys"), SV("2")}};
    r.headers = &host;
    r.header_count = 1;
    r.query = query;
    r.query_count = 2;
    check(&r, "34b48302e7b5fa45bde8084f4b7868a86f0a534bc59db6670ed5711ef69dc6f7", NULL);
}

static void a_session_token_is_signed(void **state) {
    (void)state;
    struct arena a = {0};
    struct sigv4_credentials key = example_key;
    struct sigv4_request r = make_request("GET", "/x");
    const struct sigv4_pair host = {SV("host"), SV("h")};
    struct sigv4_signature with, without;
    r.headers = &host;
    r.header_count = 1;
    sigv4_sign(&a, &r, &key, &without);
    key.session_token = SV("token");
    sigv4_sign(&a, &r, &key, &with);
    assert_false(sv_eq(with.signature, without.signature));
    assert_true(sv_find(with.authorization, SV("x-amz-date;x-amz-security-token,")) != SIZE_MAX);
    arena_fini(&a);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(get_object_with_range),     cmocka_unit_test(put_object),
        cmocka_unit_test(get_bucket_lifecycle),      cmocka_unit_test(list_objects_with_parameters_in_any_order),
        cmocka_unit_test(a_session_token_is_signed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
