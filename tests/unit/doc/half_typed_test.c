/* A file cut at any byte, or with any line broken, still gives a tree: what stands before is all there, and the reports
 * stay few. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "suite.h"

#include <string.h>

static const char blueprint[] = "version: 2025-11-02\n"
                                "variables:\n"
                                "  region:\n"
                                "    type: string\n"
                                "    default: \"eu-west\" # where it runs\n"
                                "resources:\n"
                                "  db:\n"
                                "    type: sqlite/database\n"
                                "    spec: {path: './orders.db', migrations: [\"a\", 'b']}\n"
                                "  api:\n"
                                "    type: process/service\n"
                                "    description: |\n"
                                "      The service\n"
                                "        itself.\n"
                                "    spec:\n"
                                "      command: ./api\n"
                                "      args:\n"
                                "        - --port\n"
                                "        - \"${variables.port}\"\n"
                                "exports:\n"
                                "  url:\n"
                                "    type: string\n";

static const char *const top_keys[] = {"version", "variables", "resources", "exports"};

static void test_cut_anywhere(void **state) {
    (void)state;
    enum { MOST_REPORTS = 2 };
    for (size_t cut = 0; cut < sizeof blueprint; cut++) {
        struct reading r;
        reading_open(&r, sv_make(blueprint, cut), &doc_options_blueprint);
        assert_true(r.diags.errors <= MOST_REPORTS);
        const struct node *root = r.stream->documents.items[0].root;
        for (size_t i = 0; i < sizeof top_keys / sizeof *top_keys; i++) {
            const char *place = strstr(blueprint, top_keys[i]);
            bool is_complete = place + strlen(top_keys[i]) + 1 < blueprint + cut;
            assert_true(!is_complete || node_find(root, sv_from_cstr(top_keys[i])));
        }
        reading_close(&r);
    }
}

/* Each line in turn is replaced by something half-typed. */
static void break_each_line(const char *with, size_t most_reports, size_t most_lost) {
    size_t lost = 0;
    for (sv rest = SV(blueprint); rest.len > 0;) {
        struct arena a = {0};
        struct buf text = BUF(&a);
        sv line = sv_cut(&rest, '\n');
        buf_append(&text, sv_make(blueprint, (size_t)(line.data - blueprint)));
        size_t indent = strspn(line.data, " ");
        buf_append_repeat(&text, ' ', indent);
        buf_append_cstr(&text, with);
        buf_append_char(&text, '\n');
        buf_append(&text, rest);
        struct reading r;
        reading_open(&r, buf_get_sv(&text), &doc_options_blueprint);
        if (r.diags.errors > most_reports)
            print_error("%zu reports for:\n%s", r.diags.errors, buf_get_sv(&text).data);
        assert_true(r.diags.errors <= most_reports);
        for (size_t i = 0; i < sizeof top_keys / sizeof *top_keys; i++)
            lost += node_find(r.stream->documents.items[0].root, sv_from_cstr(top_keys[i])) == NULL;
        reading_close(&r);
        arena_fini(&a);
    }
    assert_true(lost <= most_lost);
}

static void test_one_broken_line(void **state) {
    (void)state;
    enum { TOP_KEYS = 4 };
    /* Replacing the line of a top key loses that key, and nothing else. */
    break_each_line("half", 2, TOP_KEYS);
    break_each_line("half: \"open", 1, TOP_KEYS);
    break_each_line("half: 'open", 1, TOP_KEYS);
    break_each_line("half: [1, {a", 1, TOP_KEYS);
    break_each_line("half: {a: b", 1, TOP_KEYS);
    break_each_line("half: }", 1, TOP_KEYS);
    break_each_line("half: a: b", 1, TOP_KEYS);
    break_each_line("half: |x", 1, TOP_KEYS);
    break_each_line("half: @", 1, TOP_KEYS);
    break_each_line("half: \"a\" b", 1, TOP_KEYS);
    break_each_line("\thalf: 1", 2, TOP_KEYS);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_cut_anywhere),
        cmocka_unit_test(test_one_broken_line),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
