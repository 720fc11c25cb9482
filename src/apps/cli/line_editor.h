/* Lines from standard input: edited on a terminal, with history and completion; plain otherwise. Internal to the
 * command line. */
#ifndef LINTEL_APPS_CLI_LINE_EDITOR_H
#define LINTEL_APPS_CLI_LINE_EDITOR_H

#include "apps/cli/cli.h"

struct line_editor;

struct line_editor_options {
    struct cli *cli;
    const char *prompt;
    sv history_file; /* read and written; empty: none. Its directory must be there */
    const sv *words; /* what can be completed, sorted */
    size_t word_count;
};

/* The caller closes it. */
struct line_editor *line_editor_open(const struct line_editor_options *o);
/* The next line without its end; false at the end of input, after a signal, or when a line is longer than 1 MiB
 * (reported). The text lives in the invocation's arena. */
bool line_editor_read(struct line_editor *e, sv *line);
void line_editor_close(struct line_editor *e);

#endif
