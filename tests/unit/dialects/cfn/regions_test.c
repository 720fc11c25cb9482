/* Regions (CF-201, CF-203, CF-204). */
#include "dialects/cfn/regions.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

static void test_CF_203_partitions(void **state) {
    (void)state;
    static const char *const cases[][3] = {
        {"us-east-1", "aws", "amazonaws.com"},
        {"eu-somewhere-9", "aws", "amazonaws.com"},
        {"cn-north-1", "aws-cn", "amazonaws.com.cn"},
        {"us-gov-west-1", "aws-us-gov", "amazonaws.com"},
        {"us-iso-east-1", "aws-iso", "c2s.ic.gov"},
        {"us-isob-east-1", "aws-iso-b", "sc2s.sgov.gov"},
        {"us-isof-south-1", "aws-iso-f", "csp.hci.ic.gov"},
        {"eu-isoe-west-1", "aws-iso-e", "cloud.adc-e.uk"},
        {"eusc-de-east-1", "aws-eusc", "amazonaws.eu"},
        {"", "aws", "amazonaws.com"},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        const struct cfn_partition *p = cfn_region_get_partition(sv_from_cstr(cases[i][0]));
        assert_true(sv_eq_cstr(p->name, cases[i][1]));
        assert_true(sv_eq_cstr(p->suffix, cases[i][2]));
    }
}

static void test_CF_204_zones(void **state) {
    (void)state;
    static const char *const cases[][2] = {{"us-east-1", "abcdef"},   {"us-west-1", "bc"},   {"ap-northeast-1", "acd"},
                                           {"ca-central-1", "abd"},   {"us-west-2", "abcd"}, {"ap-northeast-2", "abcd"},
                                           {"eusc-de-east-1", "abc"}, {"cn-north-1", "abc"}, {"xx-none-1", ""}};
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        assert_true(sv_eq_cstr(cfn_region_find_zones(sv_from_cstr(cases[i][0])), cases[i][1]));
    }
}

static void test_CF_201_forms(void **state) {
    (void)state;
    assert_true(cfn_is_account(SV("000000000000")));
    assert_false(cfn_is_account(SV("00000000000")));
    assert_false(cfn_is_account(SV("00000000000x")));
    assert_true(cfn_is_stack_name(SV("a-1")));
    assert_false(cfn_is_stack_name(SV("1a")));
    assert_false(cfn_is_stack_name(SV("a_b")));
    assert_false(cfn_is_stack_name(SV("")));
    char text[129];
    memset(text, 'a', sizeof(text));
    assert_true(cfn_is_stack_name(sv_make(text, 128)));
    assert_false(cfn_is_stack_name(sv_make(text, 129)));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_CF_203_partitions),
        cmocka_unit_test(test_CF_204_zones),
        cmocka_unit_test(test_CF_201_forms),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
