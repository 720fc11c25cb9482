/* What functions give: every worked line of blueprint-functions.md, chapter 4, and the edges of each rule. */
#include "fn_bench.h"

#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#define RUN(samples) assert_int_equal(bench_run_samples((samples), sizeof(samples) / sizeof *(samples), false, NULL), 0)

/* FN-100 to FN-104. */
static const struct bench_sample json[] = {
    /* FN-100 */
    {"jsondecode('[1,2.0]')", "[1,2.0]"},
    {"jsondecode('{\"a\":[5]}').a[0]", "5"},
    {"jsondecode('true')", "true"},
    {"jsondecode(' \"x\" ')", "x"},
    {"jsondecode('null')", "null"},
    {"jsondecode('{}')", "{}"},
    {"jsondecode('[]')", "[]"},
    {"jsondecode('-0')", "0"},
    {"jsondecode('1e3')", "1000.0"},
    {"jsondecode('9223372036854775807')", "9223372036854775807"},
    {"jsondecode('-9223372036854775808')", "-9223372036854775808"},
    {"jsondecode('\"\\u00e9\\ud83d\\ude00\"')", "é😀"},
    {"jsondecode('{\"b\":1,\"a\":2}')", "{\"b\":1,\"a\":2}"},
    {"jsondecode('{\"\":1}')", "{\"\":1}"},
    /* FN-103 */
    {"jsondecode('')", "!invalid_function_argument"},
    {"jsondecode('{\"a\":1,\"a\":2}')", "!invalid_function_argument"},
    {"jsondecode('9223372036854775808')", "!invalid_function_argument"},
    {"jsondecode('1 2')", "!invalid_function_argument"},
    {"jsondecode('[1,]')", "!invalid_function_argument"},
    {"jsondecode('01')", "!invalid_function_argument"},
    {"jsondecode('+1')", "!invalid_function_argument"},
    {"jsondecode('1e400')", "!invalid_function_argument"},
    {"jsondecode('NaN')", "!invalid_function_argument"},
    {"jsondecode('\"\\ud800\"')", "!invalid_function_argument"},
    {"jsondecode(\"'a'\")", "!invalid_function_argument"},
    {"jsondecode('// c')", "!invalid_function_argument"},
    {"jsondecode(5)", "?invalid_substitution"},
    {"jsondecode()", "?invalid_substitution"},
    {"jsondecode('1', '2')", "?invalid_substitution"},
    /* FN-101 */
    {"fromjson('{\"host\":\"localhost\"}', 'host')", "localhost"},
    {"fromjson('{\"a\":{\"b/c\":7}}', '/a/b~1c')", "7"},
    /* FN-104 */
    {"fromjson('{\"a/b\":7}', 'a/b')", "7"},
    {"fromjson('{\"m~n\":8}', '/m~0n')", "8"},
    {"fromjson('{\"a~1b\":8}', '/a~01b')", "8"},
    {"fromjson('{\"m~0n\":8}', 'm~0n')", "8"},
    {"fromjson('[1,[2,3]]', '/1/0')", "2"},
    {"fromjson('[1,2]', '1')", "2"},
    {"fromjson('5', '')", "5"},
    {"fromjson('{\"\":5}', '/')", "5"},
    {"fromjson('{\"\":{\"\":6}}', '//')", "6"},
    {"fromjson('{\"a b\":5}', '#/a%20b')", "5"},
    {"fromjson('{\"a\":5}', '#')", "{\"a\":5}"},
    {"fromjson('{\"é\":5}', '#/%C3%A9')", "5"},
    {"fromjson('{\"%61\":5}', '/%61')", "5"},
    {"fromjson('{\"1\":\"one\"}', '/1')", "one"},
    {"fromjson('{\"a\":null}', '/a')", "null"},
    {"fromjson('[1,2]', '/01')", "!invalid_function_argument"},
    {"fromjson('[1,2]', '/-')", "!invalid_function_argument"},
    {"fromjson('[1,2]', '/-1')", "!invalid_function_argument"},
    {"fromjson('[1,2]', '/+1')", "!invalid_function_argument"},
    {"fromjson('[1,2]', '/2')", "!invalid_function_argument"},
    {"fromjson('{}', '/a')", "!invalid_function_argument"},
    {"fromjson('{\"a\":1}', '/a/b')", "!invalid_function_argument"},
    {"fromjson('{\"a\":1}', '/a/')", "!invalid_function_argument"},
    {"fromjson('{}', '/a~2')", "?invalid_substitution"},
    {"fromjson('{}', '/a~')", "?invalid_substitution"},
    {"fromjson('{}', '#/%2')", "?invalid_substitution"},
    {"fromjson('{}', '#/%FF')", "?invalid_substitution"},
    {"fromjson('{}', '#/a~2')", "?invalid_substitution"},
    /* FN-102 */
    {"map(list('{\"a\":1}', '{\"a\":2}'), fromjson_g('/a'))", "[1,2]"},
    {"map(list('{}'), fromjson_g('/a~2'))", "?invalid_substitution"},
};

/* FN-110 to FN-115, FN-004: positions are code points. */
static const struct bench_sample strings[] = {
    /* FN-110 */
    {"len('héllo')", "5"},
    {"len('')", "0"},
    {"len('😀')", "1"},
    {"len('e\xCC\x81')", "2"},
    {"len(list())", "0"},
    {"len(list(1, none, 2))", "2"},
    {"len(object(a=1))", "1"},
    {"len(object())", "0"},
    {"len(jsondecode('5'))", "!invalid_function_argument"},
    {"len(jsondecode('null'))", "!invalid_function_argument"},
    {"len(5)", "?invalid_substitution"},
    {"len(base64decode('SGk='))", "?invalid_substitution"},
    {"len(none)", "none"},
    /* FN-111 */
    {"substr('https://example.com', 8, 15)", "example"},
    {"substr('abc', 1)", "bc"},
    {"substr('abc', 3)", ""},
    {"substr('abc', 0, 0)", ""},
    {"substr('abc', 3, 3)", ""},
    {"substr('', 0)", ""},
    {"substr('日本語', 1, 2)", "本"},
    {"substr('a😀b', 1, 2)", "😀"},
    {"substr('abc', 4)", "!invalid_function_argument"},
    {"substr('abc', 0, 4)", "!invalid_function_argument"},
    {"substr('abc', 9223372036854775807)", "!invalid_function_argument"},
    {"substr('abc', jsondecode('-1'))", "!invalid_function_argument"},
    {"substr('abc', jsondecode('1.0'))", "!invalid_function_argument"},
    {"substr('abc', 2, 1)", "?invalid_substitution"},
    {"substr('abc', -1)", "?invalid_substitution"},
    {"substr('abc', 0, -1)", "?invalid_substitution"},
    {"substr('abc', 1.0)", "?invalid_substitution"},
    {"substr('abc')", "?invalid_substitution"},
    {"substr('abc', 1, 2, 3)", "?invalid_substitution"},
    {"substr('abc', 1, none)", "none"},
    /* FN-112 */
    {"replace('a-b-c', '-', '+')", "a+b+c"},
    {"replace('ab', '', '.')", ".a.b."},
    {"replace('', '', '.')", "."},
    {"replace('日本', '', '-')", "-日-本-"},
    {"replace('aaa', 'aa', 'b')", "ba"},
    {"replace('aaaa', 'aa', 'a')", "aa"},
    {"replace('abc', 'x', 'y')", "abc"},
    {"replace('abc', 'abc', '')", ""},
    {"replace('a.b', '.', '$1')", "a$1b"},
    /* FN-113 */
    {"trim('  x ')", "x"},
    {"trim('\t\n x y \r')", "x y"},
    {"trim('\xE3\x80\x80\xC2\xA0x\xE2\x80\x83\xC2\x85')", "x"},
    {"trim('\xE2\x80\x8Bx')", "\xE2\x80\x8Bx"}, /* zero width space is no white space */
    {"trim('\xEF\xBB\xBFx')", "\xEF\xBB\xBFx"}, /* nor is the byte order mark */
    {"trim('   ')", ""},
    {"trim('')", ""},
    {"trim(none)", "none"},
    {"trim(jsondecode('null'))", "!invalid_function_argument"},
    {"trim(base64decode('SGk='))", "?invalid_substitution"},
    {"trim(true)", "?invalid_substitution"},
    /* FN-114 */
    {"trimprefix('http://h', 'http://')", "h"},
    {"trimprefix('aab', 'a')", "ab"},
    {"trimprefix('b', 'abc')", "b"},
    {"trimprefix('a', '')", "a"},
    {"trimprefix('a', 'a')", ""},
    /* FN-115 */
    {"trimsuffix('h:80', ':80')", "h"},
    {"trimsuffix('baa', 'a')", "ba"},
    {"trimsuffix('b', 'abc')", "b"},
    {"trimsuffix('a', '')", "a"},
};

/* FN-116 to FN-124. */
static const struct bench_sample search[] = {
    /* FN-116 */
    {"split('a,b,', ',')", "[\"a\",\"b\",\"\"]"},
    {"split('né', '')", "[\"n\",\"é\"]"},
    {"split('a', ',')", "[\"a\"]"},
    {"split('', ',')", "[\"\"]"},
    {"split('', '')", "[]"},
    {"split(',', ',')", "[\"\",\"\"]"},
    {"split('a||b', '||')", "[\"a\",\"b\"]"},
    {"split('aaa', 'aa')", "[\"\",\"a\"]"},
    {"split('a.b', '.')[1]", "b"},
    {"split('a.b', '.')[2]", "!index_out_of_bounds"},
    {"split('a.b', '.').x", "?sub_func_path_field_on_non_object"},
    /* FN-117 */
    {"join(list(8080, true, 'x'), ',')", "8080,true,x"},
    {"join(list(), ',')", ""},
    {"join(list('a'), ',')", "a"},
    {"join(list('a', none, 'b'), '-')", "a-b"},
    {"join(list(1.0, 2.5e0, false), ' ')", "?invalid_reference_substitution"},
    {"join(list(1.0, false), '')", "1.0false"},
    {"join(list(list(1)), ',')", "?invalid_substitution"},
    {"join(list(object()), ',')", "?invalid_substitution"},
    {"join(jsondecode('[null]'), ',')", "!invalid_function_argument"},
    {"join(jsondecode('[[1]]'), ',')", "!invalid_function_argument"},
    {"join(list('a', base64decode('SGk=')), ',')", "!invalid_function_argument"},
    {"join('a', ',')", "?invalid_substitution"},
    /* FN-118 */
    {"index('héllo', 'l')", "2"},
    {"index('abc', 'z')", "-1"},
    {"index('abc', '')", "0"},
    {"index('', '')", "0"},
    {"index('', 'a')", "-1"},
    {"index('日本語', '語')", "2"},
    /* FN-119 */
    {"last_index('abcb', 'b')", "3"},
    {"last_index('héh', '')", "3"},
    {"last_index('héh', 'h')", "2"},
    {"last_index('abc', 'z')", "-1"},
    {"last_index('aaa', 'aa')", "1"},
    {"last_index('', '')", "0"},
    /* FN-120, FN-121 */
    {"to_upper('aéß')", "AÉß"},
    {"to_upper('\xC4\xB1\xC3\xBF')", "I\xC5\xB8"},
    {"to_upper('ǆ')", "Ǆ"},
    {"to_lower('AÉ')", "aé"},
    {"to_lower('\xCE\xA3\xC4\xB0')", "\xCF\x83i"},
    {"to_lower('ÀÇ123')", "àç123"},
    {"to_upper('')", ""},
    /* FN-122, FN-123, FN-014 */
    {"has_prefix('http://x', 'http')", "true"},
    {"has_prefix('a', '')", "true"},
    {"has_prefix('a', 'ab')", "false"},
    {"has_prefix(none, 'a')", "false"},
    {"has_prefix('a', none)", "false"},
    {"has_suffix('a.c', '.c')", "true"},
    {"has_suffix('a', '')", "true"},
    {"has_suffix('c', '.c')", "false"},
    {"has_suffix(none, none)", "false"},
    /* FN-124 */
    {"contains('abc', 'bc')", "true"},
    {"contains('abc', '')", "true"},
    {"contains('abc', 'B')", "false"},
    {"contains(list(1, 2), 2.0)", "true"},
    {"contains(list(1), '1')", "false"},
    {"contains(list(list(1)), list(1.0))", "true"},
    {"contains(list(object(a=1, b=2)), object(b=2, a=1))", "true"},
    {"contains(jsondecode('[null]'), jsondecode('null'))", "true"},
    {"contains(list(), 1)", "false"},
    {"contains(none, 1)", "false"},
    {"contains(list(1), none)", "false"},
    {"contains('a1', jsondecode('1'))", "!invalid_function_argument"},
    {"contains('a1', 1)", "?invalid_substitution"},
    {"contains(object(a=1), 'a')", "?invalid_substitution"},
    /* FN-130, FN-022 */
    {"map(list('abc', 'def'), substr_g(0, 1))", "[\"a\",\"d\"]"},
    {"map(list('abc'), substr_g(2))", "[\"c\"]"},
    {"filter(list('ab', 'c'), contains_g('b'))", "[\"ab\"]"},
    {"filter(list(list(1), list(2)), contains_g(2))", "[[2]]"},
    {"map(list('a.b'), replace_g('.', '-'))", "[\"a-b\"]"},
    {"map(list('h:80', 'i'), trimsuffix_g(':80'))", "[\"h\",\"i\"]"},
    {"map(list('a,b'), split_g(','))[0][1]", "b"},
    {"filter(list('a.c', 'a.h'), has_suffix_g('.c'))", "[\"a.c\"]"},
    {"map(list('a'), substr_g(-1))", "?invalid_substitution"},
    {"map(list('a'), substr_g(2, 1))", "?invalid_substitution"},
    {"map(list('a'), substr_g(2))", "!invalid_function_argument"},
};

/* FN-140 to FN-143, FN-151 to FN-155. */
static const struct bench_sample collections[] = {
    /* FN-140 */
    {"list()", "[]"},
    {"list(1, 'a', true, 2.0)", "[1,\"a\",true,2.0]"},
    {"list(list(), object())", "[[],{}]"},
    {"list(none)", "[]"},
    {"list(1, 2)[1]", "2"},
    {"list(1, 2)[]", "1"},
    {"list(1)[1]", "!index_out_of_bounds"},
    {"list(object(a=list(7)))[0].a[0]", "7"},
    /* FN-141 */
    {"object(id='s-1', n=2)", "{\"id\":\"s-1\",\"n\":2}"},
    {"object()", "{}"},
    {"object(a = none, b = 1)", "{\"b\":1}"},
    {"object(true = 1, i = 2, values = 3, a-b = 4)", "{\"true\":1,\"i\":2,\"values\":3,\"a-b\":4}"},
    {"object(z=1, a=2)", "{\"z\":1,\"a\":2}"},
    {"object(a=1)[\"a\"]", "1"},
    {"object(a=1).b", "?invalid_mapping_path"},
    {"object(1)", "?invalid_substitution"},
    {"object(a=1, 2)", "?invalid_substitution"},
    {"object(a=1, a=2)", "?invalid_substitution"},
    /* FN-142, FN-143, FN-005 */
    {"keys(object(b=1, a=2))", "[\"b\",\"a\"]"},
    {"keys(object())", "[]"},
    {"vals(object(b=1, a=2))", "[1,2]"},
    {"vals(object(b='x', a=list()))", "[\"x\",[]]"},
    {"keys(list())", "?invalid_substitution"},
    {"keys(jsondecode('[]'))", "!invalid_function_argument"},
    /* FN-151 */
    {"map(list(object(id='x')), getattr('id'))", "[\"x\"]"},
    {"map(list(object(a=1)), getattr('b'))", "!invalid_function_argument"},
    {"map(jsondecode('[[]]'), getattr('b'))", "!invalid_function_argument"},
    {"map(list(1), getattr('b'))", "?invalid_substitution"},
    {"getattr('id')", "?higher_order_function_not_supported"},
    /* FN-152 */
    {"map(list(list('a', 'b')), getelem(1))", "[\"b\"]"},
    {"map(list(list(1)), getelem(1))", "!invalid_function_argument"},
    {"map(jsondecode('[{}]'), getelem(0))", "!invalid_function_argument"},
    {"map(list(list(1)), getelem(-1))", "?invalid_substitution"},
    {"map(list(list(1)), getelem(jsondecode('-1')))", "!invalid_function_argument"},
    /* FN-153 */
    {"lookup(object(a=1), 'b', 9)", "9"},
    {"lookup(object(a=1), 'b')", "none"},
    {"lookup(object(a=1), 'a')", "1"},
    {"lookup(jsondecode('{\"a\":null}'), 'a', 9)", "null"},
    {"lookup(none, 'b', 3)", "3"},
    {"lookup(none, 'b')", "none"},
    {"lookup(object(a=1), none)", "none"},
    {"lookup(object(a=1), none, 3)", "none"},
    {"lookup(object(a=1), 'b', none)", "none"},
    {"lookup(object(a=1), 'a', jsondecode('x'))", "1"},
    {"lookup(object(a=1), 'b', jsondecode('x'))", "!invalid_function_argument"},
    {"lookup(list(1), 'a')", "?invalid_substitution"},
    {"lookup(object(a=object(b=2)), 'a').b", "2"},
    /* FN-154 */
    {"first('', list(), 'v')", "v"},
    {"first(0, 1)", "0"},
    {"first(false, true)", "false"},
    {"first(object(), 1)", "{}"},
    {"first(none, list(), '')", ""},
    {"first('', none)", "none"},
    {"first(jsondecode('null'), 'x')", "x"},
    {"first(' ')", " "},
    {"first('a', jsondecode('x'))", "a"},
    {"first()", "?invalid_substitution"},
    /* FN-155 */
    {"coalesce(none, '')", ""},
    {"coalesce(none, none)", "none"},
    {"coalesce(jsondecode('null'), 1)", "null"},
    {"coalesce(1, jsondecode('x'))", "1"},
    {"coalesce()", "?invalid_substitution"},
};

/* FN-144 to FN-150, FN-020 to FN-026. */
static const struct bench_sample callbacks[] = {
    /* FN-144 */
    {"map(list('a', 'b'), to_upper)[1]", "B"},
    {"map(list(), trim)", "[]"},
    {"map(list(1, -2), abs)", "[1,2]"},
    {"map(list(list(1), list()), len)", "[1,0]"},
    {"map(list(object(a=1)), lookup)", "?invalid_substitution"},
    {"map(list('a'), trim, 1)", "?invalid_substitution"},
    {"map('a', trim)", "?invalid_substitution"},
    {"map(list('a'), 'trim')", "?invalid_substitution"},
    {"map(list(1, 2), trim)", "?invalid_substitution"},
    {"map(list('a'), list)[0]", "[\"a\"]"},
    {"map(none, trim)", "none"},
    /* FN-014: results that are none are left out */
    {"map(list('{\"a\":1}'), compose(getattr('a'), jsondecode))", "[1]"},
    /* FN-021 */
    {"map(list('a'), trimm)", "?function_not_found"},
    {"map(list('a'), uuid)", "?invalid_substitution"},
    {"map(list('a'), object)", "?invalid_substitution"},
    {"map(list('a'), link)", "?invalid_substitution"},
    {"map(list('a'), true)", "?invalid_substitution"},
    {"list(trim)", "?invalid_reference"},
    /* FN-023 */
    {"list(getattr('id'))", "?higher_order_function_not_supported"},
    {"object(f=trimprefix_g('a'))", "?higher_order_function_not_supported"},
    {"if(true, split_g(','), 1)", "?higher_order_function_not_supported"},
    {"eq(split_g(','), 1)", "?higher_order_function_not_supported"},
    {"compose(trim)", "?higher_order_function_not_supported"},
    {"len(split_g(','))", "?invalid_substitution"},
    /* FN-024 */
    {"map(list(1, 2), and)", "?invalid_substitution"},
    {"reduce(list('a'), trim, '')", "?invalid_substitution"},
    {"filter(list(true), not)", "[]"},
    /* FN-145 */
    {"filter(list('ab', 'c'), has_prefix_g('a'))", "[\"ab\"]"},
    {"filter(list('ab'), has_prefix_g('x'))", "[]"},
    {"filter(list(1), abs)", "?invalid_substitution"},
    {"filter(jsondecode('[1]'), jsondecode)", "!invalid_function_argument"},
    {"filter(list('1'), jsondecode)", "!invalid_function_argument"},
    {"filter(list('true', 'false'), jsondecode)", "[\"true\"]"},
    /* FN-146 */
    {"reduce(list(1, 5, 3), max, 0)", "5"},
    {"reduce(list(true, false), and, true)", "false"},
    {"reduce(list(false, true), or, false)", "true"},
    {"reduce(list(), max, 7)", "7"},
    {"reduce(list(1, 2.5), max, 0)", "2.5"},
    {"reduce(list(2), max, 0.5)", "2.0"},
    {"reduce(list('-', '+'), trimprefix, '-+x')", "x"},
    {"reduce(list('a', 'b'), lookup, jsondecode('{\"a\":{\"b\":{}}}'))", "{}"},
    {"reduce(list(1), list, 0)", "?invalid_substitution"},
    {"reduce(list(1), min, 'a')", "?invalid_substitution"},
    {"reduce(list('a'), max, 0)", "?invalid_substitution"},
    {"reduce(jsondecode('[1]'), eq, 1)", "?invalid_substitution"},
    {"reduce(list('a'), split, 'ba')", "?invalid_substitution"},
    /* FN-147 */
    {"sort(list(1, 0, -1), min)", "[1,0,-1]"},
    {"sort(list(), min)", "[]"},
    {"sort(list(5), max)", "[5]"},
    {"sort(list('b', 'a'), index)", "[\"b\",\"a\"]"},
    {"sort(list('b', 'ab'), index)", "[\"b\",\"ab\"]"},
    {"sort(list(1, 2), lt)", "?invalid_substitution"},
    {"sort(list('a', 'b'), min)", "?invalid_substitution"},
    {"sort(list('a'), eq)", "?invalid_substitution"},
    {"sort(list(1.5, 2.5), max)", "!invalid_function_argument"},
    /* FN-148 */
    {"flatmap(list('a,b', 'c'), split_g(','))", "[\"a\",\"b\",\"c\"]"},
    {"flatmap(list(1, 2), list)", "[1,2]"},
    {"flatmap(list(list(list(1))), getelem(0))", "[1]"},
    {"flatmap(list(), list)", "[]"},
    {"flatmap(list('a'), trim)", "?invalid_substitution"},
    {"flatmap(list('1'), jsondecode)", "!invalid_function_argument"},
    {"flatmap(list(object(a=1)), keys)", "[\"a\"]"},
    /* FN-149, FN-150 */
    {"map(list(object(id='x')), compose(to_upper, getattr('id')))", "[\"X\"]"},
    {"map(list(object(id='x')), pipe(getattr('id'), to_upper))", "[\"X\"]"},
    {"map(list(' a '), compose(trim))", "[\"a\"]"},
    {"map(list(' ab '), pipe(trim, to_upper, substr_g(1)))", "[\"B\"]"},
    {"map(list(' ab '), compose(substr_g(1), compose(to_upper, trim)))", "[\"B\"]"},
    {"map(list('a'), compose(abs, trim))", "?invalid_substitution"},
    {"map(list('a'), pipe(trim, abs))", "?invalid_substitution"},
    {"map(list(1), pipe(trim, len))", "?invalid_substitution"},
    {"map(list('a'), compose(and, trim))", "?invalid_substitution"},
    {"map(list('a'), compose())", "?invalid_substitution"},
    {"map(list('abc'), pipe(len, abs))", "[3]"},
    {"filter(list('a'), pipe(trim, len))", "?invalid_substitution"},
    /* BP-226 */
    {"getattr('id')(1)", "?invalid_reference_substitution"},
};

/* FN-170 to FN-178, FN-011, FN-014. */
static const struct bench_sample logic[] = {
    /* FN-170 */
    {"and(false, jsondecode('x'))", "false"},
    {"and(true, jsondecode('x'))", "!invalid_function_argument"},
    {"and(jsondecode('x'), false)", "!invalid_function_argument"},
    {"and(true, true)", "true"},
    {"and(true, none)", "false"},
    {"and(none, true)", "false"},
    {"and(true)", "?invalid_substitution"},
    {"and(true, true, true)", "?invalid_substitution"},
    {"and(true, jsondecode('1'))", "!invalid_function_argument"},
    {"and(1, true)", "?invalid_substitution"},
    {"and(true, jsondecode('null'))", "!invalid_function_argument"},
    {"and('true', true)", "?invalid_substitution"},
    /* FN-171 */
    {"or(true, jsondecode('x'))", "true"},
    {"or(none, true)", "true"},
    {"or(none, none)", "false"},
    {"or(false, false)", "false"},
    {"or(false, jsondecode('x'))", "!invalid_function_argument"},
    /* FN-172 */
    {"not(true)", "false"},
    {"not(none)", "true"},
    {"not(0)", "?invalid_substitution"},
    {"not(jsondecode('0'))", "!invalid_function_argument"},
    /* FN-173 */
    {"eq('a', 'a')", "true"},
    {"eq('a', 'A')", "false"},
    {"eq('\xC3\xA9', 'e\xCC\x81')", "false"},
    {"eq(1, 1.0)", "true"},
    {"eq(9007199254740993, 9007199254740992.0)", "false"},
    {"eq(-0.0, 0)", "true"},
    {"eq(1, '1')", "?invalid_substitution"},
    {"eq(jsondecode('1'), '1')", "!invalid_function_argument"},
    {"eq(list(1, 2), list(1))", "false"},
    {"eq(list(1), list('1'))", "false"},
    {"eq(list(1), object())", "?invalid_substitution"},
    {"eq(object(a=1, b=2), object(b=2, a=1))", "true"},
    {"eq(object(a=1), object(a=1, b=2))", "false"},
    {"eq(object(a=list(1)), object(a=list(1.0)))", "true"},
    {"eq(jsondecode('null'), '1')", "false"},
    {"eq(jsondecode('null'), jsondecode('null'))", "true"},
    {"eq(none, none)", "true"},
    {"eq(none, 1)", "false"},
    {"eq('', none)", "false"},
    {"eq(none, jsondecode('null'))", "false"},
    {"eq(true, 1)", "?invalid_substitution"},
    {"eq(base64decode('SGk='), base64decode('SGk='))", "true"},
    {"eq(base64decode('SGk='), 'Hi')", "?invalid_substitution"},
    /* FN-174 to FN-177, FN-017 */
    {"gt(3, 2.5)", "true"},
    {"gt(2, 2)", "false"},
    {"gt(9007199254740993, 9007199254740992.0)", "true"},
    {"gt(9223372036854775807, 9223372036854775808.0)", "false"},
    {"gt(none, 1)", "false"},
    {"gt('a', 1)", "?invalid_substitution"},
    {"gt(jsondecode('\"a\"'), 1)", "!invalid_function_argument"},
    {"ge(2, 2.0)", "true"},
    {"ge(1, 2)", "false"},
    {"ge(none, none)", "false"},
    {"lt(2.5, 2)", "false"},
    {"lt(-9223372036854775808, -9223372036854775807)", "true"},
    {"lt(1, none)", "false"},
    {"le(2, 2)", "true"},
    {"le(none, 2)", "false"},
    {"le(3, 2)", "false"},
    /* FN-178 */
    {"if(true, 'a', 'b')", "a"},
    {"if(false, 'a', 'b')", "b"},
    {"if(none, 1, 2)", "2"},
    {"if(true, 1, jsondecode('x'))", "1"},
    {"if(false, jsondecode('x'), 2)", "2"},
    {"if(true, none, 1)", "none"},
    {"if(jsondecode('1'), 1, 2)", "!invalid_function_argument"},
    {"if('true', 1, 2)", "?invalid_substitution"},
    {"if(true, 1)", "?invalid_substitution"},
    {"if(eq('prod', 'prod'), true, none)", "true"},
    {"if(true, list(1), list(2))[0]", "1"},
};

/* FN-190 to FN-193. */
static const struct bench_sample numbers[] = {
    /* FN-190, FN-191 */
    {"min(10, 5, 8)", "5"},
    {"min(1.5, 2)", "1.5"},
    {"min(1, 2.5)", "1.0"},
    {"min(7)", "7"},
    {"max(1, 2.5)", "2.5"},
    {"max(3, 2.5)", "3.0"},
    {"max(-1, -2)", "-1"},
    {"max(9007199254740993, 9007199254740992)", "9007199254740993"},
    {"max(9007199254740993, 0.5)", "!invalid_function_argument"},
    {"max(9007199254740992, 0.5)", "9007199254740992.0"},
    {"max()", "?invalid_substitution"},
    {"max('a')", "?invalid_substitution"},
    {"max(1, none)", "none"},
    /* FN-192, FN-017 */
    {"abs(-5)", "5"},
    {"abs(-1.5)", "1.5"},
    {"abs(-0.0)", "0.0"},
    {"abs(9223372036854775807)", "9223372036854775807"},
    {"abs(-9223372036854775808)", "!invalid_function_argument"},
    {"abs(true)", "?invalid_substitution"},
    /* FN-193 */
    {"cidrsubnet('192.168.0.0/16', 8, 1)", "192.168.1.0/24"},
    {"cidrsubnet('10.0.0.0/8', 4, 2)", "10.32.0.0/12"},
    {"cidrsubnet('10.1.2.3/8', 4, 2)", "10.32.0.0/12"},
    {"cidrsubnet('10.0.0.0/8', 0, 0)", "10.0.0.0/8"},
    {"cidrsubnet('10.0.0.0/8', 24, 16777215)", "10.255.255.255/32"},
    {"cidrsubnet('0.0.0.0/0', 32, 4294967295)", "255.255.255.255/32"},
    {"cidrsubnet('fd00::/64', 8, 1)", "fd00::100:0:0:0/72"},
    {"cidrsubnet('::/0', 128, 9223372036854775807)", "::7fff:ffff:ffff:ffff/128"},
    {"cidrsubnet('2001:DB8::/32', 16, 1)", "2001:db8:1::/48"},
    {"cidrsubnet('2001:db8:0:1:1:1:1:1/128', 0, 0)", "2001:db8:0:1:1:1:1:1/128"},
    {"cidrsubnet('10.0.0.0/8', 25, 0)", "?invalid_substitution"},
    {"cidrsubnet('10.0.0.0/8', 4, 16)", "?invalid_substitution"},
    {"cidrsubnet('10.0.0.0/8', -1, 0)", "?invalid_substitution"},
    {"cidrsubnet('10.0.0.0/8', 1, -1)", "?invalid_substitution"},
    {"cidrsubnet('10.0.0.0/33', 0, 0)", "?invalid_substitution"},
    {"cidrsubnet('10.0.0.0/08', 0, 0)", "?invalid_substitution"},
    {"cidrsubnet('10.0.0.0', 0, 0)", "?invalid_substitution"},
    {"cidrsubnet('10.0.0/8', 0, 0)", "?invalid_substitution"},
    {"cidrsubnet('010.0.0.0/8', 0, 0)", "?invalid_substitution"},
    {"cidrsubnet('10.0.0.0/8 ', 0, 0)", "?invalid_substitution"},
    {"cidrsubnet('::1%eth0/64', 0, 0)", "?invalid_substitution"},
    {"cidrsubnet('', 0, 0)", "?invalid_substitution"},
    {"cidrsubnet('10.0.0.0/8', jsondecode('4'), jsondecode('16'))", "!invalid_function_argument"},
};

/* FN-200 to FN-207, FN-220, FN-221. */
static const struct bench_sample bytes[] = {
    /* FN-200 */
    {"base64encode('Hello World')", "SGVsbG8gV29ybGQ="},
    {"base64encode('')", ""},
    {"base64encode('a')", "YQ=="},
    {"base64encode('é')", "w6k="},
    {"base64encode(base64decode('/w=='))", "/w=="},
    {"base64encode(5)", "?invalid_substitution"},
    /* FN-201 */
    {"utf8(base64decode('SGk='))", "Hi"},
    {"utf8(base64decode(''))", ""},
    {"base64encode(base64decode('+/+/'))", "+/+/"},
    {"base64decode('SGk')", "!invalid_function_argument"},
    {"base64decode('SGk==')", "!invalid_function_argument"},
    {"base64decode('SB==')", "!invalid_function_argument"},
    {"base64decode('S Gk=')", "!invalid_function_argument"},
    {"base64decode('SGk=\n')", "!invalid_function_argument"},
    {"base64decode('-_-_')", "!invalid_function_argument"},
    {"base64decode('SG=k')", "!invalid_function_argument"},
    {"base64decode('====')", "!invalid_function_argument"},
    {"base64decode('SGk=SGk=')", "!invalid_function_argument"},
    {"base64decode('SGkéé')", "!invalid_function_argument"},
    /* FN-202, FN-016 */
    {"utf8(base64decode('SA=='))", "H"},
    {"utf8('é')", "é"},
    {"utf8(base64decode('/w=='))", "!invalid_function_argument"},
    {"utf8(base64decode('7aCA'))", "!invalid_function_argument"}, /* a surrogate */
    {"utf8(5)", "?invalid_substitution"},
    /* FN-203 */
    {"sha256('Hello World')", "a591a6d40bf420404a011733cfb7b190d62c65bf0bcda32b57b277d9ad9f146e"},
    {"sha256('')", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"},
    {"sha256(base64decode('/w=='))", "a8100ae6aa1940d0b663bb31cd466142ebbdbd5187131b92d93818987832eb89"},
    {"eq(sha256('é'), sha256(base64decode('w6k=')))", "true"},
    {"sha256(1)", "?invalid_substitution"},
    {"sha256(none)", "none"},
    /* FN-204, FN-205 */
    {"sha1('Hello World')", "0a4d55a8d778e5022fab701977c5d840bbc486d0"},
    {"sha1('')", "da39a3ee5e6b4b0d3255bfef95601890afd80709"},
    {"md5('Hello World')", "b10a8db164e0754105b7a99be72e3fe5"},
    {"md5('')", "d41d8cd98f00b204e9800998ecf8427e"},
    {"map(list('a', 'b'), md5)[0]", "0cc175b9c0f1b6a831c399e269772661"},
    /* FN-206 */
    {"jsondecode(utf8(file('config.json'))).port", "8080"},
    {"len(utf8(file('cert.pem')))", "15"},
    {"sha256(file('config.json'))", "a2634cab87300192236ff18b6a4abbafdaf0459f62b89ea6a3faa3e9386ed97a"},
    {"utf8(file('s3://bucket/key'))", "from s3"},
    {"utf8(file('raw.bin'))", "!invalid_function_argument"},
    {"base64encode(file('raw.bin'))", "/wE="},
    {"trim(file('cert.pem'))", "?invalid_substitution"},
    {"file('missing')", "!function_call_error"},
    {"file('../../etc/passwd')", "!include_path_outside_root"},
    {"file('huge.iso')", "!limit_exceeded"},
    {"file('https://example.com/motd')", "?invalid_substitution"},
    {"file('ftp://x/y')", "?invalid_substitution"},
    {"file('')", "?invalid_substitution"},
    {"file(trim(' '))", "!invalid_function_argument"},
    {"file(trim('http://x'))", "!invalid_function_argument"},
    {"file(none)", "none"},
    {"map(list('cert.pem', 'config.json'), pipe(file, utf8))", "[\"-----BEGIN-----\",\"{\\\"port\\\": 8080}\"]"},
    /* FN-207 */
    {"utf8(http_resource('https://example.com/motd'))", "hello"},
    {"http_resource('https://example.com/404')", "!function_call_error"},
    {"http_resource('file:///etc/passwd')", "?invalid_substitution"},
    {"http_resource('ftp://x')", "?invalid_substitution"},
    {"http_resource('/etc/passwd')", "?invalid_substitution"},
    {"http_resource('https://')", "?invalid_substitution"},
    {"http_resource(trim('x'))", "!invalid_function_argument"},
    /* FN-220 */
    {"cwd()", "/work/dir"},
    {"cwd(1)", "?invalid_substitution"},
    /* FN-221 */
    {"datetime('unix')", "1672671845"},
    {"datetime('rfc3339')", "2023-01-02T15:04:05Z"},
    {"datetime('tag')", "2023-01-02--15-04-05"},
    {"datetime('tagcompact')", "20230102150405"},
    {"datetime('iso')", "?invalid_substitution"},
    {"datetime('UNIX')", "?invalid_substitution"},
    {"datetime('')", "?invalid_substitution"},
    {"datetime(trim('x'))", "!invalid_function_argument"},
    {"datetime()", "?invalid_substitution"},
    {"datetime(none)", "none"},
    {"len(datetime('unix'))", "10"},
};

static void test_json(void **state) {
    (void)state;
    RUN(json);
}

static void test_strings(void **state) {
    (void)state;
    RUN(strings);
}

static void test_search(void **state) {
    (void)state;
    RUN(search);
}

static void test_collections(void **state) {
    (void)state;
    RUN(collections);
}

static void test_callbacks(void **state) {
    (void)state;
    RUN(callbacks);
}

static void test_logic(void **state) {
    (void)state;
    RUN(logic);
}

static void test_numbers(void **state) {
    (void)state;
    RUN(numbers);
}

static void test_bytes(void **state) {
    (void)state;
    RUN(bytes);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_json),        cmocka_unit_test(test_strings),   cmocka_unit_test(test_search),
        cmocka_unit_test(test_collections), cmocka_unit_test(test_callbacks), cmocka_unit_test(test_logic),
        cmocka_unit_test(test_numbers),     cmocka_unit_test(test_bytes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
