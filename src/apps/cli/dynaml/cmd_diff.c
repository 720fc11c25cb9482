#include "apps/cli/dynaml/commands.h"
#include "apps/cli/dynaml/work.h"

#include "dialects/dynaml/diff.h"

#include <unistd.h>

/* DY-343 */
static bool is_colored(const struct cli *c) {
    bool is_off = sv_eq(settings_get_text(c, "color"), SV("never"));
    return !is_off && (c->color_out || work_is_compatible(c));
}

static enum exit_code show(struct work *w, const struct dynaml_differences *found) {
    struct cli *c = w->cli;
    struct buf json = BUF(&c->arena), text = BUF(&c->arena);
    struct dynaml_diff_style style = {.a = c->arguments.items[0],
                                      .b = c->arguments.items[1],
                                      .separator = settings_get_text(c, "separator"),
                                      .is_colored = is_colored(c),
                                      .is_escaped = isatty(STDOUT_FILENO) == 1};
    if (output_is_machine(c) && !dynaml_write_differences(&json, found)) {
        work_fail(w, "error marshalling differences: JSON has neither infinity nor NaN");
        return EXIT_FAILED;
    }
    c->result = buf_get_sv(&json);
    if (!c->json) {
        dynaml_print_differences(&text, found, &style);
        output_text(c, buf_get_sv(&text));
    }
    return found->items.len > 0 && settings_get_flag(c, "exit-code") ? EXIT_CHANGES : EXIT_OK;
}

static enum exit_code diff(struct work *w) {
    const sv *files = w->cli->arguments.items;
    struct dynaml_differences found;
    if (sv_eq(files[0], SV("-")) && sv_eq(files[1], SV("-")))
        return output_usage_error(w->cli, "'-', standard input, can be read once only");
    const struct dynaml_document *a = work_read_one(w, files[0], "a");
    const struct dynaml_document *b = a == NULL ? NULL : work_read_one(w, files[1], "b");
    if (b == NULL || !work_check_warnings(w))
        return EXIT_FAILED;
    dynaml_compare(&w->cli->arena, a, b, &found);
    return show(w, &found);
}

enum exit_code cmd_dynaml_diff_run(struct cli *c) {
    struct work w;
    return work_open(&w, c) ? work_end(&w, diff(&w)) : EXIT_USAGE;
}
