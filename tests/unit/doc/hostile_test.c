/* Input made to hurt: depth, width, repetition. Each document is read in time and memory linear in its size (F56 to
 * F70), on a stack of 256 KiB. Time is bounded so that anything quadratic fails by far, even on a slow machine with
 * sanitizers. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "suite.h"

#include <pthread.h>
#include <string.h>
#include <time.h>

enum {
    MANY = 100000,
    DEEP = 1000000,
    STACK_BYTES = 256 * 1024,
};

static const double seconds_allowed = 10.0, seconds_for_depth = 0.1;

struct job {
    sv text;
    struct doc_options options;
    struct reading reading;
    double seconds;
};

static double get_seconds(void) {
    struct timespec t;
    static const double nanos = 1e-9;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * nanos;
}

static void *run_job(void *argument) {
    struct job *job = argument;
    double start = get_seconds();
    reading_open(&job->reading, job->text, &job->options);
    job->seconds = get_seconds() - start;
    return NULL;
}

/* Reads in a thread with a small stack. The caller closes the reading. */
static void open_on_small_stack(struct job *job) {
    pthread_attr_t attributes;
    pthread_t thread;
    pthread_attr_init(&attributes);
    pthread_attr_setstacksize(&attributes, STACK_BYTES);
    assert_int_equal(pthread_create(&thread, &attributes, run_job, job), 0);
    pthread_join(thread, NULL);
    pthread_attr_destroy(&attributes);
    assert_true(job->seconds < seconds_allowed);
}

/* `head`, `count` times `piece` with its number where it has a %d, `tail`. */
static struct buf repeat(struct arena *a, const char *head, const char *piece, int count, const char *tail) {
    struct buf out = BUF(a);
    const char *number = strstr(piece, "%d");
    buf_append_cstr(&out, head);
    for (int i = 0; i < count; i++) {
        buf_append(&out, sv_make(piece, number ? (size_t)(number - piece) : strlen(piece)));
        if (number)
            buf_printf(&out, "%d%s", i, number + 2);
    }
    buf_append_cstr(&out, tail);
    return out;
}

static void expect_linear(struct buf text, enum doc_format format, size_t errors) {
    struct job job = {.text = buf_get_sv(&text), .options = doc_options_yaml};
    job.options.format = format;
    open_on_small_stack(&job);
    assert_int_equal(job.reading.diags.errors, errors);
    enum { BYTES_PER_BYTE = 64, BASE = 4 << 20 };
    assert_true(job.reading.arena.total < BYTES_PER_BYTE * text.len + BASE);
    reading_close(&job.reading);
}

static void test_F57_depth_is_refused_at_once(void **state) {
    (void)state;
    static const char *const openers[] = {"[", "{a: ", "- ", "? ", "[? ", "{? ", "[{a: ", "!t [", "&a ["};
    for (size_t i = 0; i < sizeof openers / sizeof *openers; i++) {
        struct arena a = {0};
        struct buf text = repeat(&a, "", openers[i], DEEP, "");
        struct job job = {.text = buf_get_sv(&text), .options = doc_options_yaml};
        open_on_small_stack(&job);
        assert_int_equal(job.reading.diags.errors, 1);
        assert_int_equal(job.reading.diags.items.items[0]->code, DIAG_limit_exceeded);
        assert_true(job.seconds < seconds_for_depth);
        reading_close(&job.reading);
        arena_fini(&a);
    }
    struct arena a = {0};
    expect_linear(repeat(&a, "", "[", DEEP, ""), DOC_JSON, 1);
    expect_linear(repeat(&a, "", "{\"a\":", DEEP, ""), DOC_JSON, 1);
    arena_fini(&a);
}

static void test_depth_within_a_raised_limit(void **state) {
    (void)state;
    struct limits limits = limits_default;
    limits.nesting = DEEP;
    struct arena a = {0};
    static const char *const openers[] = {"[", "- ", "? "};
    for (size_t i = 0; i < sizeof openers / sizeof *openers; i++) {
        struct buf text = repeat(&a, "", openers[i], MANY, "x");
        for (int k = 0; i == 0 && k < MANY; k++)
            buf_append_char(&text, ']');
        struct job job = {.text = buf_get_sv(&text), .options = doc_options_yaml};
        job.options.limits = &limits;
        open_on_small_stack(&job);
        assert_int_equal(job.reading.diags.errors, 0);
        const struct node *root = job.reading.stream->documents.items[0].root;
        assert_true(node_eq(root, root));
        reading_close(&job.reading);
    }
    arena_fini(&a);
}

static void test_F58_many_keys(void **state) {
    (void)state;
    struct arena a = {0};
    expect_linear(repeat(&a, "", "key%d: v\n", MANY, ""), DOC_YAML, 0);
    expect_linear(repeat(&a, "{", "key%d: v,\n", MANY, "}"), DOC_YAML, 0);
    expect_linear(repeat(&a, "{", "\"key%d\": 1,\n", MANY, "\"z\": 1}"), DOC_JSON, 0);
    expect_linear(repeat(&a, "", "same: v\n", MANY, ""), DOC_YAML, 0);
    arena_fini(&a);
}

static void test_duplicates_beyond_the_limit_of_reports(void **state) {
    (void)state;
    struct arena a = {0};
    struct buf text = repeat(&a, "", "same: v\n", MANY, "");
    struct job job = {.text = buf_get_sv(&text), .options = doc_options_blueprint};
    open_on_small_stack(&job);
    assert_int_equal(job.reading.diags.errors, MANY - 1);
    assert_true(job.reading.diags.items.len <= limits_default.diagnostics);
    reading_close(&job.reading);
    arena_fini(&a);
}

static void test_F56_billion_laughs(void **state) {
    (void)state;
    struct arena a = {0};
    struct buf text = BUF(&a);
    enum { LEVELS = 9, WIDTH = 9 };
    buf_append_cstr(&text, "a0: &a0 lol\n");
    for (int level = 1; level <= LEVELS; level++) {
        buf_printf(&text, "a%d: &a%d [", level, level);
        for (int i = 0; i < WIDTH; i++)
            buf_printf(&text, "*a%d%s", level - 1, i < WIDTH - 1 ? ", " : "]\n");
    }
    struct job job = {.text = buf_get_sv(&text), .options = doc_options_yaml};
    open_on_small_stack(&job);
    assert_int_equal(job.reading.diags.errors, 0);
    assert_true(job.reading.stream->node_count < 200); /* aliases point, they do not copy */
    size_t count;
    const struct node *root = job.reading.stream->documents.items[0].root;
    assert_false(node_count_expanded(root, limits_default.alias_nodes, &count));
    assert_true(count <= limits_default.alias_nodes + WIDTH);
    assert_true(node_count_expanded(root->pairs[1].value, limits_default.alias_nodes, &count));
    assert_int_equal(count, WIDTH);
    reading_close(&job.reading);
    arena_fini(&a);
}

static void test_F65_blank_lines(void **state) {
    (void)state;
    static const char *const heads[] = {"a: |\n  x", "a: >\n  x", "a: |+\n", "a: x",
                                        "a: \"x",    "a: 'x",     "a: [x",   "a:\n"};
    static const char *const tails[] = {"\n  y\n",   "\n  y\n",  "\n",      "\n  y\n",
                                        "\n  y\"\n", "\n  y'\n", "\n  ]\n", "\n  y\n"};
    for (size_t i = 0; i < sizeof heads / sizeof *heads; i++) {
        struct arena a = {0};
        expect_linear(repeat(&a, heads[i], "\n", MANY, tails[i]), DOC_YAML, 0);
        expect_linear(repeat(&a, heads[i], "  \n", MANY, tails[i]), DOC_YAML, 0);
        arena_fini(&a);
    }
}

static void test_F66_tags(void **state) {
    (void)state;
    struct arena a = {0};
    enum { DIRECTIVES = 40000 };
    expect_linear(repeat(&a, "", "%TAG !e%d! tag:e,2000:\n", DIRECTIVES, "--- x\n"), DOC_YAML, 0);
    expect_linear(repeat(&a, "!", "x", MANY, " y\n"), DOC_YAML, 1);
    expect_linear(repeat(&a, "!", "%41", MANY, " y\n"), DOC_YAML, 1);
    expect_linear(repeat(&a, "", "- !t%d x\n", MANY, ""), DOC_YAML, 0);
    /* A long prefix times many short tags is no way to more memory. */
    struct buf text = repeat(&a, "%TAG !e! tag:", "x", 4000, "\n---\n");
    struct buf uses = repeat(&a, "", "- !e!t%d x\n", MANY, "");
    buf_append(&text, buf_get_sv(&uses));
    expect_linear(text, DOC_YAML, 1);
    arena_fini(&a);
}

static void test_F67_anchors_and_aliases(void **state) {
    (void)state;
    struct arena a = {0};
    expect_linear(repeat(&a, "", "- &anchor%d x\n", MANY, "- *anchor0\n"), DOC_YAML, 0);
    expect_linear(repeat(&a, "- &a x\n", "- *a\n", MANY, ""), DOC_YAML, 0);
    expect_linear(repeat(&a, "", "- *nothing%d\n", MANY, ""), DOC_YAML, MANY);
    arena_fini(&a);
}

static void test_mistakes_in_every_line(void **state) {
    (void)state;
    static const char *const lines[] = {"- \"open\n",  "- [open\n", "- }\n",  " bad: 1\n", "\tx: 1\n",
                                        "- a: b: c\n", "x\n",       "- |x\n", "? - [\n",   "- 'a\n   b: c\n",
                                        "  - - {\n",   "k: [\n",    "%x\n",   "- @\n",     "a: \"\\q\"\n"};
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) {
        struct arena a = {0};
        struct buf text = repeat(&a, "- x: 1\n", lines[i], MANY, "");
        struct job job = {.text = buf_get_sv(&text), .options = doc_options_yaml};
        open_on_small_stack(&job);
        assert_true(job.reading.stream->has_errors);
        reading_close(&job.reading);
        arena_fini(&a);
    }
}

static void test_F69_json_memory(void **state) {
    (void)state;
    struct arena a = {0};
    struct buf text = repeat(&a, "[0", ",{\"a\":[1,true,\"x\"],\"b\":null}", MANY, "]");
    struct job job = {.text = buf_get_sv(&text), .options = {.format = DOC_JSON}};
    open_on_small_stack(&job);
#ifndef LINTEL_ARENA_DEBUG /* where each object carries the book-keeping of its own */
    enum { BYTES_PER_NODE = 64, SPARE = 4 << 20 };
    size_t beyond_text = job.reading.arena.total - text.len;
    assert_true(beyond_text < BYTES_PER_NODE * job.reading.stream->node_count + SPARE);
#endif
    assert_int_equal(job.reading.stream->node_count, 2 + MANY * 8);
    reading_close(&job.reading);
    arena_fini(&a);
}

static void test_F70_long_scalars(void **state) {
    (void)state;
    struct arena a = {0};
    enum { DIGITS = 40000, TEN_MEGABYTES = 10 * 1000 * 1000 };
    expect_linear(repeat(&a, "a: ", "7", DIGITS, "\n"), DOC_YAML, 0);
    expect_linear(repeat(&a, "a: \"", "x", TEN_MEGABYTES, "\"\n"), DOC_YAML, 0);
    expect_linear(repeat(&a, "\"", "\\n", TEN_MEGABYTES / 2, "\""), DOC_JSON, 0);
    arena_fini(&a);
}

static void test_document_limit_comes_first(void **state) {
    (void)state;
    struct limits limits = limits_default;
    limits.document_bytes = 1000;
    struct arena a = {0};
    struct buf text = repeat(&a, "", "\xff", MANY, "");
    struct job job = {.text = buf_get_sv(&text), .options = doc_options_yaml};
    job.options.limits = &limits;
    open_on_small_stack(&job);
    assert_int_equal(job.reading.diags.items.items[0]->code, DIAG_limit_exceeded);
    reading_close(&job.reading);
    arena_fini(&a);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_F57_depth_is_refused_at_once),
        cmocka_unit_test(test_depth_within_a_raised_limit),
        cmocka_unit_test(test_F58_many_keys),
        cmocka_unit_test(test_duplicates_beyond_the_limit_of_reports),
        cmocka_unit_test(test_F56_billion_laughs),
        cmocka_unit_test(test_F65_blank_lines),
        cmocka_unit_test(test_F66_tags),
        cmocka_unit_test(test_F67_anchors_and_aliases),
        cmocka_unit_test(test_mistakes_in_every_line),
        cmocka_unit_test(test_F69_json_memory),
        cmocka_unit_test(test_F70_long_scalars),
        cmocka_unit_test(test_document_limit_comes_first),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
