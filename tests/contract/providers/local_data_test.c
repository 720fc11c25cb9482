/* Data source local/file on real files: every operator of 1.8, and what the source promises (BP-102, BP-108, BP-120 to
 * BP-122). */
#include "data_world.h"
#include "providers/local/local.h"

#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

static void write_bytes(struct world *w, const char *name, sv bytes) {
    sv path = world_path(w, name);
    FILE *file = fopen(path.data, "w");
    assert_non_null(file);
    fwrite(bytes.data, 1, bytes.len, file);
    fclose(file);
}

static void make_directory(struct world *w, const char *name) {
    assert_int_equal(mkdir(world_path(w, name).data, 0755), 0);
}

/* conf/{a.json,b.json,c.yaml}, conf/deep/d.txt, bin/run (executable), bin/data.bin, link → conf/a.json */
static void fill(struct world *w) {
    make_directory(w, "conf");
    make_directory(w, "conf/deep");
    make_directory(w, "bin");
    write_bytes(w, "conf/a.json",
                SV("{\"stage\": \"test\", \"port\": 8080, \"ratio\": 0.5, \"on\": true,"
                   " \"tags\": [\"x\", \"y\"], \"ids\": [1, 2], \"limits\": {\"cpu\": 2, \"mem\": 4}}\n"));
    write_bytes(w, "conf/b.json",
                SV("{\"stage\": \"live\", \"port\": 80, \"ratio\": 1.5, \"on\": false,"
                   " \"tags\": [], \"ids\": [3], \"limits\": {}, \"extra\": null}\n"));
    write_bytes(w, "conf/c.yaml", SV("stage: dev\nport: \"none\"\nmixed: [1, x]\n"));
    write_bytes(w, "conf/deep/d.txt", SV("one\ntwo\r\nthree"));
    write_bytes(w, "bin/run", SV("#!/bin/sh\n"));
    write_bytes(w, "bin/data.bin", SV("\x00\x01\xff"));
    assert_int_equal(chmod(world_path(w, "bin/run").data, 0750), 0);
    assert_int_equal(chmod(world_path(w, "conf/b.json").data, 0600), 0);
    assert_int_equal(symlink("conf/a.json", world_path(w, "link").data), 0);
}

static void the_contract_holds(void **state) {
    struct world *w = *state;
    fill(w);
    data_check_contract(w, &local_file_data, SV("[[\"path\", \"=\", \"conf/a.json\"]]"));
    data_check_contract(w, &local_file_data, SV("[[\"path\", \"=\", \"conf/deep/d.txt\"]]"));
    data_check_contract(w, &local_file_data, SV("[[\"path\", \"=\", \"bin/data.bin\"]]"));
    data_check_contract(w, &local_file_data, SV("[[\"path\", \"=\", \"conf\"]]"));
    data_check_contract(w, &local_file_data, SV("[[\"kind\", \"=\", \"link\"]]"));
}

/* 1.8, each operator with each kind of field. */
static void every_operator_works_on_files(void **state) {
    struct world *w = *state;
    static const struct data_row rows[] = {
        {"[[\"path\", \"=\", \"conf/a.json\"]]", "name", "\"a.json\""},
        {"[[\"path\", \"=\", \"conf/none.json\"]]", "name", "none"},
        {"[[\"path\", \"in\", [\"nowhere\", \"conf/b.json\", \"conf/a.json\"]]]", "name", "\"b.json\""},
        {"[[\"directory\", \"=\", \"conf\"], [\"name\", \"!=\", \"a.json\"], [\"kind\", \"=\", \"file\"]]", "name",
         "\"b.json\""},
        {"[[\"directory\", \"in\", [\"bin\", \"conf\"]], [\"extension\", \"=\", \"yaml\"]]", "path", "\"conf/c.yaml\""},
        {"[[\"name\", \"not in\", [\"a.json\", \"b.json\"]], [\"extension\", \"in\", [\"json\", \"yaml\"]]]", "name",
         "\"c.yaml\""},
        {"[[\"path\", \"starts with\", \"conf/de\"]]", "path", "\"conf/deep\""},
        {"[[\"path\", \"starts with\", \"conf/de\"], [\"kind\", \"=\", \"file\"]]", "path", "\"conf/deep/d.txt\""},
        {"[[\"name\", \"ends with\", \".txt\"]]", "path", "\"conf/deep/d.txt\""},
        {"[[\"directory\", \"=\", \"conf\"], [\"name\", \"not ends with\", \".json\"]]", "name", "\"c.yaml\""},
        {"[[\"directory\", \"=\", \"conf\"], [\"name\", \"not starts with\", \"a\"]]", "name", "\"b.json\""},
        {"[[\"name\", \"contains\", \".y\"]]", "name", "\"c.yaml\""},
        {"[[\"directory\", \"=\", \"conf\"], [\"name\", \"not contains\", \"json\"]]", "name", "\"c.yaml\""},
        /* booleans */
        {"[[\"isExecutable\", \"=\", true]]", "mode", "\"0750\""},
        {"[[\"isText\", \"=\", false], [\"kind\", \"=\", \"file\"]]", "path", "\"bin/data.bin\""},
        {"[[\"data.on\", \"!=\", true], [\"data.on\", \"in\", [true, false]]]", "name", "\"b.json\""},
        /* integers */
        {"[[\"size\", \"=\", 3]]", "name", "\"data.bin\""},
        {"[[\"data.port\", \">\", 80], [\"extension\", \"=\", \"json\"]]", "name", "\"a.json\""},
        {"[[\"data.port\", \"<\", 8080], [\"extension\", \"=\", \"json\"]]", "name", "\"b.json\""},
        {"[[\"data.port\", \">=\", 8080], [\"extension\", \"=\", \"json\"]]", "name", "\"a.json\""},
        {"[[\"data.port\", \"<=\", 80], [\"extension\", \"=\", \"json\"]]", "name", "\"b.json\""},
        {"[[\"data.port\", \"in\", [1, 80]], [\"extension\", \"=\", \"json\"]]", "name", "\"b.json\""},
        /* floats */
        {"[[\"data.ratio\", \">\", 0.75]]", "name", "\"b.json\""},
        {"[[\"data.ratio\", \"=\", 0.5]]", "name", "\"a.json\""},
        {"[[\"modifiedAt\", \">\", 1000.5], [\"kind\", \"=\", \"link\"]]", "name", "\"link\""},
        /* arrays of scalars */
        {"[[\"data.tags\", \"contains\", \"y\"]]", "name", "\"a.json\""},
        {"[[\"data.tags\", \"not contains\", \"y\"], [\"extension\", \"=\", \"json\"]]", "name", "\"b.json\""},
        {"[[\"data.tags\", \"=\", []]]", "name", "\"b.json\""},
        {"[[\"data.ids\", \"=\", [1, 2]]]", "name", "\"a.json\""},
        {"[[\"data.ids\", \"!=\", [1, 2]], [\"extension\", \"=\", \"json\"]]", "name", "\"b.json\""},
        {"[[\"data.ids[0]\", \"=\", 3]]", "name", "\"b.json\""},
        {"[[\"data.ids[]\", \"=\", 3]]", "name", "\"b.json\""},
        {"[[\"lines\", \"contains\", \"two\"]]", "path", "\"conf/deep/d.txt\""},
        /* mappings */
        {"[[\"data\", \"has key\", \"mixed\"]]", "name", "\"c.yaml\""},
        {"[[\"data\", \"not has key\", \"extra\"], [\"directory\", \"=\", \"conf\"]]", "name", "\"a.json\""},
        {"[[\"data.limits\", \"has key\", \"cpu\"]]", "name", "\"a.json\""},
        {"[[\"data.limits\", \"not has key\", \"cpu\"], [\"extension\", \"=\", \"json\"]]", "name", "\"b.json\""},
        {"[[\"data.limits\", \"contains\", 4]]", "name", "\"a.json\""},
        {"[[\"data.limits\", \"not contains\", 4], [\"extension\", \"=\", \"json\"]]", "name", "\"b.json\""},
    };
    fill(w);
    DATA_CHECK_ROWS(w, &local_file_data, rows);
}

/* BP-120: never just "no match". BP-121: integers and floats, and what the declaration widens. BP-122. */
static void operands_are_judged_on_files(void **state) {
    struct world *w = *state;
    static const struct data_row rows[] = {
        {"[[\"path\", \"=\", \"conf/a.json\"], [\"size\", \">\", \"3\"]]", "name", "refused"},
        {"[[\"path\", \"=\", \"conf/c.yaml\"], [\"data.mixed\", \"contains\", 1]]", "name", "refused"},
        {"[[\"path\", \"=\", \"conf/c.yaml\"], [\"data.port\", \"<\", 100]]", "name", "refused"},
        {"[[\"path\", \"=\", \"conf/a.json\"], [\"data.port\", \"=\", 8080.0]]", "name", "refused"},
        {"[[\"path\", \"=\", \"conf/a.json\"], [\"data.ratio\", \"<\", 1]]", "name", "refused"},
        {"[[\"path\", \"=\", \"conf/a.json\"], [\"modifiedAt\", \">\", 1]]", "name", "\"a.json\""},
        {"[[\"path\", \"=\", \"conf/a.json\"], [\"data.absent\", \"=\", 1]]", "name", "none"},
        {"[[\"path\", \"=\", \"conf/a.json\"], [\"data.absent\", \"!=\", 1]]", "name", "\"a.json\""},
        {"[[\"path\", \"=\", \"conf/b.json\"], [\"data.extra\", \"contains\", \"x\"]]", "name", "none"},
        {"[[\"path\", \"=\", \"conf/b.json\"], [\"data.extra\", \"not contains\", \"x\"]]", "name", "\"b.json\""},
        {"[[\"path\", \"=\", \"bin/data.bin\"], [\"content\", \"not starts with\", \"x\"]]", "name", "\"data.bin\""},
        /* a filter before decides: what it leaves out is not judged */
        {"[[\"name\", \"=\", \"a.json\"], [\"data.tags\", \"contains\", \"x\"]]", "name", "\"a.json\""},
    };
    fill(w);
    DATA_CHECK_ROWS(w, &local_file_data, rows);
}

static void fields_say_what_is_there(void **state) {
    struct world *w = *state;
    static const struct data_row rows[] = {
        {"[[\"path\", \"=\", \"conf/deep/d.txt\"]]", "lines", "[\"one\",\"two\",\"three\"]"},
        {"[[\"path\", \"=\", \"conf/deep/d.txt\"]]", "lineCount", "3"},
        {"[[\"path\", \"=\", \"conf/deep/d.txt\"]]", "content", "\"one\\ntwo\\r\\nthree\""},
        {"[[\"path\", \"=\", \"conf/deep/d.txt\"]]", "directory", "\"conf/deep\""},
        {"[[\"path\", \"=\", \"conf/deep/d.txt\"]]", "data", "null"},
        {"[[\"path\", \"=\", \"conf/a.json\"]]", "data.limits.mem", "4"},
        {"[[\"path\", \"=\", \"conf/a.json\"]]", "data.tags[1]", "\"y\""},
        {"[[\"path\", \"=\", \"conf/b.json\"]]", "mode", "\"0600\""},
        {"[[\"path\", \"=\", \"conf/b.json\"]]", "data.extra", "null"},
        {"[[\"path\", \"=\", \"bin/data.bin\"]]", "sha256",
         "\"26a66b061e8f48f39927c312f25293959729eee95978e2892d49d3512a5cc092\""},
        {"[[\"path\", \"=\", \"bin/data.bin\"]]", "content", "null"},
        {"[[\"path\", \"=\", \"conf\"]]", "kind", "\"directory\""},
        {"[[\"path\", \"=\", \"conf/\"]]", "name", "\"conf\""},
        {"[[\"path\", \"=\", \"link\"]]", "lineCount", "1"}, /* named, so followed */
        {"[[\"name\", \"=\", \"link\"]]", "kind", "\"link\""},
        {"[[\"name\", \"=\", \"link\"]]", "content", "null"},
        {"[[\"directory\", \"=\", \".\"], [\"kind\", \"=\", \"directory\"]]", "path", "\"bin\""},
        {"[[\"directory\", \"=\", \"conf/\"]]", "path", "\"conf/a.json\""},
        {"[[\"directory\", \"=\", \"nowhere\"]]", "path", "none"},
        {"[[\"directory\", \"=\", \"conf/a.json\"]]", "path", "none"},
    };
    fill(w);
    DATA_CHECK_ROWS(w, &local_file_data, rows);
}

static void absolute_paths_stay_as_they_are_asked_for(void **state) {
    struct world *w = *state;
    fill(w);
    sv path = world_path(w, "conf/a.json"), directory = world_path(w, "conf");
    sv by_path = arena_printf(&w->arena, "[[\"path\", \"=\", \"%s\"]]", path.data);
    assert_true(sv_eq(data_get(w, &local_file_data, by_path, "path"), world_quote(w, path)));
    sv relative = SV("[[\"path\", \"=\", \"conf/a.json\"]]");
    assert_true(sv_eq(data_get(w, &local_file_data, relative, "absolutePath"), world_quote(w, path)));
    sv by_directory = arena_printf(&w->arena, "[[\"directory\", \"=\", \"%s\"]]", directory.data);
    assert_true(sv_eq(data_get(w, &local_file_data, by_directory, "path"), world_quote(w, path)));
    sv prefix = arena_printf(&w->arena, "[[\"path\", \"starts with\", \"%s/d\"]]", directory.data);
    assert_true(sv_eq(data_get(w, &local_file_data, prefix, "name"), SV("\"deep\"")));
}

/* Pipes are not waited for, endless files not read, loops not run in. */
static void odd_things_do_no_harm(void **state) {
    struct world *w = *state;
    static const struct data_row rows[] = {
        {"[[\"name\", \"=\", \"pipe\"]]", "kind", "\"other\""},
        {"[[\"path\", \"=\", \"pipe\"]]", "content", "null"},
        {"[[\"path\", \"=\", \"loop/loop/loop\"]]", "kind", "\"directory\""},
        {"[[\"name\", \"=\", \"nothing\"]]", "kind", "none"},
        {"[[\"path\", \"=\", \"/dev/zero\"]]", "content", "null"},
        {"[[\"path\", \"=\", \"huge\"]]", "sha256", "null"},
        {"[[\"path\", \"=\", \"long.txt\"]]", "content", "null"},
        {"[[\"path\", \"=\", \"bad.json\"]]", "data", "null"},
        {"[[\"path\", \"=\", \"list.json\"]]", "data", "null"},
        {"[[\"path\", \"=\", \"\"]]", "name", "none"},
        {"[[\"path\", \"=\", \"a\\u0000b\"]]", "name", "none"},
    };
    assert_int_equal(mkfifo(world_path(w, "pipe").data, 0600), 0);
    assert_int_equal(symlink(".", world_path(w, "loop").data), 0);
    assert_int_equal(symlink("self", world_path(w, "self").data), 0);
    write_bytes(w, "huge", SV(""));
    assert_int_equal(truncate(world_path(w, "huge").data, (off_t)1 << 40), 0);
    struct buf text = BUF(&w->arena);
    buf_append_repeat(&text, 'x', (1 << 20) + 1);
    write_bytes(w, "long.txt", buf_get_sv(&text));
    write_bytes(w, "bad.json", SV("{\"a\": "));
    write_bytes(w, "list.json", SV("[1, 2]"));
    write_bytes(w, "\xff.txt", SV("the name is no UTF-8"));
    DATA_CHECK_ROWS(w, &local_file_data, rows);
}

static void what_cannot_be_done_is_told(void **state) {
    struct world *w = *state;
    fill(w);
    struct data_call c = data_make_call(w, SV("[[\"name\", \"=\", \"zzz\"]]"));
    c.deadline_ms = 0;
    assert_int_equal(local_file_data.fetch(&c), PROVIDER_TRANSIENT);
    w->cancel = true;
    data_expect_failure(w, &local_file_data, SV("[[\"name\", \"=\", \"zzz\"]]"), PROVIDER_TRANSIENT, "too long");
    w->cancel = false;
    for (int i = 0; i < 20010; i++) {
        char name[32];
        snprintf(name, sizeof name, "bin/f%d", i);
        write_bytes(w, name, SV(""));
    }
    data_expect_failure(w, &local_file_data, SV("[[\"name\", \"=\", \"zzz\"]]"), PROVIDER_TERMINAL, "more than 20000");
    if (geteuid() != 0) {
        assert_int_equal(chmod(world_path(w, "conf").data, 0), 0);
        data_expect_failure(w, &local_file_data, SV("[[\"directory\", \"=\", \"conf\"]]"), PROVIDER_TERMINAL,
                            "Permission denied");
        data_expect_failure(w, &local_file_data, SV("[[\"path\", \"=\", \"conf/a.json\"]]"), PROVIDER_TERMINAL,
                            "Permission denied");
        assert_int_equal(chmod(world_path(w, "conf").data, 0755), 0);
    }
}

#define CASE(f) cmocka_unit_test_setup_teardown(f, world_set_up, world_tear_down)

int main(void) {
    const struct CMUnitTest tests[] = {
        CASE(the_contract_holds),
        CASE(every_operator_works_on_files),
        CASE(operands_are_judged_on_files),
        CASE(fields_say_what_is_there),
        CASE(absolute_paths_stay_as_they_are_asked_for),
        CASE(odd_things_do_no_harm),
        CASE(what_cannot_be_done_is_told),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
