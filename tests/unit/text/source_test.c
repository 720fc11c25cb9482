#include "text/source.h"
#include "unit/text/fixture.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static void check_pos(struct source *s, size_t offset, size_t line, size_t column) {
    struct text_pos pos = source_get_pos(s, (uint32_t)offset);
    if (pos.line != line || pos.column != column) {
        print_error("offset %zu is at %zu:%zu, not at %zu:%zu\n", offset, pos.line, pos.column, line, column);
        fail();
    }
}

static void test_bp_301_lines_and_columns(void **state) {
    (void)state;
    struct fixture f;
    fixture_init(&f);
    struct source *s = fixture_add_source(&f, "x", "ab\n\nc\xC3\xA4\xE6\x97\xA5z\n");
    check_pos(s, 0, 1, 1);
    check_pos(s, 2, 1, 3); /* the line end belongs to its line */
    check_pos(s, 3, 2, 1);
    check_pos(s, 4, 3, 1);
    check_pos(s, 5, 3, 2);
    check_pos(s, 7, 3, 3); /* columns count code points */
    check_pos(s, 10, 3, 4);
    check_pos(s, 12, 4, 1);
    check_pos(s, 99, 4, 1);
    CHECK_SV(source_get_line(s, 1), "ab");
    CHECK_SV(source_get_line(s, 2), "");
    CHECK_SV(source_get_line(s, 4), "");
    CHECK_SV(source_get_line(s, 5), "");
    assert_int_equal(source_get_line_start(s, 3), 4);
    fixture_fini(&f);
}

static void test_all_line_ends(void **state) { /* F64 */
    (void)state;
    struct fixture f;
    fixture_init(&f);
    struct source *s = fixture_add_source(&f, "x", "a\r\nb\rc\n\rd\r\n");
    const char *lines[] = {"a", "b", "c", "", "d", ""};
    for (size_t i = 0; i < 6; i++) {
        CHECK_SV(source_get_line(s, i + 1), lines[i]);
    }
    assert_int_equal(s->line_count, 6);
    check_pos(s, 1, 1, 2); /* CR and LF are the line's end */
    check_pos(s, 2, 1, 3);
    check_pos(s, 3, 2, 1);
    fixture_fini(&f);
}

static void test_byte_order_mark_has_no_column(void **state) {
    (void)state;
    struct fixture f;
    fixture_init(&f);
    struct source *s = fixture_add_source(&f, "x",
                                          "\xEF\xBB\xBF"
                                          "ab\nc");
    check_pos(s, 0, 1, 1);
    check_pos(s, 3, 1, 1);
    check_pos(s, 4, 1, 2);
    check_pos(s, 6, 2, 1);
    CHECK_SV(source_get_line(s, 1), "ab");
    fixture_fini(&f);
}

static void test_empty_source(void **state) {
    (void)state;
    struct fixture f;
    fixture_init(&f);
    struct source *s = sources_add(&f.sources, SV("x"), (sv){0});
    check_pos(s, 0, 1, 1);
    CHECK_SV(source_get_line(s, 1), "");
    fixture_fini(&f);
}

static void test_sources_are_numbered_from_one(void **state) {
    (void)state;
    struct fixture f;
    fixture_init(&f);
    struct source *a = fixture_add_source(&f, "a", "");
    struct source *b = fixture_add_source(&f, "b", "");
    assert_int_equal(a->id, 1);
    assert_ptr_equal(sources_find(&f.sources, 2), b);
    assert_null(sources_find(&f.sources, 0));
    assert_null(sources_find(&f.sources, 3));
    fixture_fini(&f);
}

static void test_spans(void **state) {
    (void)state;
    struct fixture f;
    fixture_init(&f);
    struct source *s = fixture_add_source(&f, "a", "hello world");
    span hello = span_make(s, 0, 5);
    span world = span_make(s, 6, 5);
    CHECK_SV(span_get_text(&f.sources, world), "world");
    CHECK_SV(span_get_text(&f.sources, span_join(hello, world)), "hello world");
    CHECK_SV(span_get_text(&f.sources, span_join(span_make(s, 0, 11), hello)), "hello world");
    CHECK_SV(span_get_text(&f.sources, span_join(hello, SPAN_NONE)), "hello");
    CHECK_SV(span_get_text(&f.sources, SPAN_NONE), "");
    assert_true(span_is_none(SPAN_NONE));
    assert_false(span_is_none(hello));
    fixture_fini(&f);
}

/* A directory of our own to work in. */
struct place {
    struct fixture f;
    char directory[40];
};

static void place_init(struct place *p) {
    fixture_init(&p->f);
    strcpy(p->directory, "/tmp/lintel-source-XXXXXX");
    assert_non_null(mkdtemp(p->directory));
    assert_int_equal(chdir(p->directory), 0);
}

static void place_fini(struct place *p) {
    assert_int_equal(chdir("/"), 0);
    assert_int_equal(rmdir(p->directory), 0);
    fixture_fini(&p->f);
}

static void write_file(const char *path, size_t size) {
    FILE *out = fopen(path, "w");
    assert_non_null(out);
    for (size_t i = 0; i < size; i++) {
        fputc('a' + (int)(i % 26), out);
    }
    assert_int_equal(fclose(out), 0);
}

static void test_read_files_of_all_sizes(void **state) {
    (void)state;
    struct place p;
    place_init(&p);
    const size_t sizes[] = {0, 1, 4095, 4096, 4097, 100000};
    for (size_t i = 0; i < 6; i++) {
        struct source *s = NULL;
        write_file("file", sizes[i]);
        assert_int_equal(sources_read_file(&p.f.sources, SV("file"), 100000, &s, NULL), SOURCE_READ_OK);
        assert_int_equal(s->bytes.len, sizes[i]);
        assert_int_equal(s->bytes.data[sizes[i]], '\0');
        assert_true(sizes[i] == 0 || s->bytes.data[sizes[i] - 1] == 'a' + (int)((sizes[i] - 1) % 26));
        CHECK_SV(s->name, "file");
        assert_true(sv_has_prefix(s->path, SV("/")) && sv_has_suffix(s->path, SV("/file")));
    }
    assert_int_equal(unlink("file"), 0);
    place_fini(&p);
}

static void check_read(struct place *p, sv path, size_t limit, enum source_read outcome, int code) {
    struct source *s = NULL;
    int system_error = 0;
    assert_int_equal(sources_read_file(&p->f.sources, path, limit, &s, &system_error), outcome);
    assert_null(s);
    if (code != 0) {
        assert_int_equal(system_error, code);
    }
}

static void test_what_cannot_be_read_is_told_apart(void **state) {
    (void)state;
    struct place p;
    place_init(&p);
    write_file("file", 11);
    check_read(&p, SV("none"), 10, SOURCE_READ_MISSING, ENOENT);
    check_read(&p, SV("file/below"), 10, SOURCE_READ_MISSING, ENOTDIR);
    check_read(&p, sv_make("file\0more", 9), 100, SOURCE_READ_MISSING, ENOENT);
    check_read(&p, SV("."), 10, SOURCE_READ_DIRECTORY, EISDIR);
    check_read(&p, SV("file"), 10, SOURCE_READ_TOO_LARGE, 0);
    check_read(&p, SV("/dev/zero"), 1000, SOURCE_READ_TOO_LARGE, 0); /* its size says 0 */
    if (geteuid() != 0) {
        assert_int_equal(chmod("file", 0), 0);
        check_read(&p, SV("file"), 100, SOURCE_READ_DENIED, EACCES);
    }
    assert_int_equal(unlink("file"), 0);
    place_fini(&p);
}

static void test_links_are_resolved_in_the_path(void **state) {
    (void)state;
    struct place p;
    place_init(&p);
    struct source *s = NULL;
    write_file("file", 3);
    assert_int_equal(symlink("file", "link"), 0);
    assert_int_equal(sources_read_file(&p.f.sources, SV("./link"), 10, &s, NULL), SOURCE_READ_OK);
    CHECK_SV(s->name, "./link");
    assert_true(sv_has_suffix(s->path, SV("/file")));
    assert_int_equal(unlink("link") | unlink("file"), 0);
    place_fini(&p);
}

/* Neither a FIFO nor standard input tells its size; a writer may take its time. */
static void feed(const char *path, int fd, size_t size) {
    if (fork() != 0) {
        return;
    }
    int out = path == NULL ? fd : open(path, O_WRONLY);
    for (size_t i = 0; i < size; i++) {
        char c = (char)('a' + i % 26);
        if (write(out, &c, 1) != 1) {
            _exit(1);
        }
        if (i == 100) {
            usleep(20000);
        }
    }
    _exit(0);
}

static void test_read_fifo(void **state) {
    (void)state;
    struct place p;
    place_init(&p);
    struct source *s = NULL;
    assert_int_equal(mkfifo("fifo", 0600), 0);
    feed("fifo", -1, 10000);
    assert_int_equal(sources_read_file(&p.f.sources, SV("fifo"), 10000, &s, NULL), SOURCE_READ_OK);
    assert_int_equal(s->bytes.len, 10000);
    assert_true(wait(NULL) > 0);
    assert_int_equal(unlink("fifo"), 0);
    place_fini(&p);
}

static void test_read_standard_input(void **state) {
    (void)state;
    struct fixture f;
    fixture_init(&f);
    int ends[2];
    int saved = dup(STDIN_FILENO);
    assert_int_equal(pipe(ends), 0);
    feed(NULL, ends[1], 200);
    assert_int_equal(dup2(ends[0], STDIN_FILENO), STDIN_FILENO);
    (void)close(ends[0]);
    (void)close(ends[1]);
    struct source *s = NULL;
    assert_int_equal(sources_read_file(&f.sources, SV("-"), 1000, &s, NULL), SOURCE_READ_OK);
    assert_int_equal(dup2(saved, STDIN_FILENO), STDIN_FILENO);
    (void)close(saved);
    assert_true(wait(NULL) > 0);
    assert_int_equal(s->bytes.len, 200);
    CHECK_SV(s->name, "<stdin>");
    CHECK_SV(s->path, "");
    fixture_fini(&f);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_bp_301_lines_and_columns),
        cmocka_unit_test(test_all_line_ends),
        cmocka_unit_test(test_byte_order_mark_has_no_column),
        cmocka_unit_test(test_empty_source),
        cmocka_unit_test(test_sources_are_numbered_from_one),
        cmocka_unit_test(test_spans),
        cmocka_unit_test(test_read_files_of_all_sizes),
        cmocka_unit_test(test_what_cannot_be_read_is_told_apart),
        cmocka_unit_test(test_links_are_resolved_in_the_path),
        cmocka_unit_test(test_read_fifo),
        cmocka_unit_test(test_read_standard_input),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
