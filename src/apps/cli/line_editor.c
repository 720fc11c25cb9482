#include "apps/cli/line_editor.h"

#include <histedit.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { LINE_MAX_BYTES = 1 << 20, HISTORY_LINES = 1000, LISTED_WORDS = 60 };

struct line_editor {
    const struct line_editor_options *o;
    struct cli *cli;
    EditLine *edit; /* NULL: not on a terminal */
    History *history;
    const char *history_file; /* NULL: none */
    char chunk[4096];         /* of a plain input: what was read and not yet given out */
    size_t at, len;
};

/* --- completion --- */

static bool is_word_char(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '.' ||
           c == '-' || c == ':';
}

static sv get_word(const LineInfo *line) {
    const char *start = line->cursor;
    while (start > line->buffer && is_word_char(start[-1]))
        start--;
    return sv_make(start, (size_t)(line->cursor - start));
}

struct candidates {
    size_t first, count;
    size_t common; /* length that all share */
};

static struct candidates find_candidates(const struct line_editor_options *o, sv word) {
    struct candidates c = {0};
    for (size_t i = 0; i < o->word_count; i++) {
        if (!sv_has_prefix(o->words[i], word))
            continue;
        sv first = c.count == 0 ? o->words[i] : o->words[c.first];
        c.first = c.count == 0 ? i : c.first;
        size_t common = c.count == 0 ? first.len : c.common;
        size_t same = 0;
        while (same < common && same < o->words[i].len && o->words[i].data[same] == first.data[same])
            same++;
        c.common = same;
        c.count++;
    }
    return c;
}

static void list_candidates(const struct line_editor_options *o, const struct candidates *c, sv word) {
    fputc('\n', stderr);
    size_t shown = 0;
    for (size_t i = c->first; i < o->word_count && shown < LISTED_WORDS; i++) {
        if (sv_has_prefix(o->words[i], word)) {
            fprintf(stderr, "%.*s  ", SV_ARG(o->words[i]));
            shown++;
        }
    }
    fputs(shown < c->count ? "…\n" : "\n", stderr);
}

static unsigned char complete(EditLine *edit, wint_t key) {
    void *data = NULL;
    (void)key;
    el_get(edit, EL_CLIENTDATA, &data);
    const struct line_editor *e = data;
    sv word = get_word(el_line(edit));
    struct candidates c = find_candidates(e->o, word);
    if (c.count == 0)
        return CC_ERROR;
    if (c.common > word.len) {
        sv rest = sv_slice(e->o->words[c.first], word.len, c.common);
        return el_insertstr(edit, arena_copy_cstr(&e->cli->arena, rest)) == 0 ? CC_REFRESH : CC_ERROR;
    }
    if (c.count == 1)
        return CC_NORM;
    list_candidates(e->o, &c, word);
    return CC_REDISPLAY;
}

/* --- life --- */

static char *get_prompt(EditLine *edit) {
    void *data = NULL;
    el_get(edit, EL_CLIENTDATA, &data);
    const struct line_editor *e = data;
    return (char *)e->o->prompt;
}

static void open_history(struct line_editor *e) {
    HistEvent event;
    e->history = history_init();
    if (!e->history)
        return;
    history(e->history, &event, H_SETSIZE, HISTORY_LINES);
    history(e->history, &event, H_SETUNIQUE, 1);
    if (e->o->history_file.len > 0) {
        e->history_file = arena_copy_cstr(&e->cli->arena, e->o->history_file);
        history(e->history, &event, H_LOAD, e->history_file);
    }
    el_set(e->edit, EL_HIST, history, e->history);
}

struct line_editor *line_editor_open(const struct line_editor_options *o) {
    struct line_editor *e = ARENA_NEW(&o->cli->arena, struct line_editor);
    e->o = o;
    e->cli = o->cli;
    bool is_terminal = isatty(STDIN_FILENO) == 1 && isatty(STDERR_FILENO) == 1;
    e->edit = is_terminal ? el_init("lintel", stdin, stderr, stderr) : NULL;
    if (!e->edit)
        return e;
    el_set(e->edit, EL_CLIENTDATA, e);
    el_set(e->edit, EL_PROMPT, get_prompt);
    el_set(e->edit, EL_EDITOR, "emacs");
    /* Wide: the narrow form copies both texts and never frees them. */
    el_wset(e->edit, EL_ADDFN, L"lintel-complete", L"complete a name", complete);
    el_set(e->edit, EL_BIND, "^I", "lintel-complete", NULL);
    open_history(e);
    return e;
}

void line_editor_close(struct line_editor *e) {
    HistEvent event;
    if (e->history && e->history_file) {
        mode_t mask = umask(0077); /* what was typed is the user's own */
        history(e->history, &event, H_SAVE, e->history_file);
        umask(mask);
    }
    if (e->history)
        history_end(e->history);
    if (e->edit)
        el_end(e->edit);
}

/* --- lines --- */

static bool read_edited(struct line_editor *e, sv *line) {
    int count = 0;
    HistEvent event;
    const char *text = el_gets(e->edit, &count);
    if (!text || count <= 0)
        return false;
    if (e->history && count > 1)
        history(e->history, &event, H_ENTER, text);
    *line = arena_copy_sv(&e->cli->arena, sv_make(text, (size_t)count));
    return true;
}

/* The next byte, or -1 at the end of input or after a signal. */
static int read_byte(struct line_editor *e) {
    if (e->at == e->len) {
        ssize_t n = cli_await_input(e->cli) ? read(STDIN_FILENO, e->chunk, sizeof e->chunk) : 0;
        e->at = 0;
        e->len = n > 0 ? (size_t)n : 0;
    }
    return e->at < e->len ? (unsigned char)e->chunk[e->at++] : -1;
}

static bool read_plain(struct line_editor *e, sv *line) {
    struct buf out = BUF(&e->cli->arena);
    int c;
    while ((c = read_byte(e)) >= 0 && c != '\n') {
        buf_append_char(&out, (char)c);
        if (out.len > LINE_MAX_BYTES) {
            output_usage_error(e->cli, "a line of standard input is longer than %d bytes", LINE_MAX_BYTES);
            return false;
        }
    }
    *line = buf_get_sv(&out);
    return c == '\n' || out.len > 0;
}

bool line_editor_read(struct line_editor *e, sv *line) {
    if (atomic_load(&e->cli->signals->count) > 0)
        return false;
    bool is_read = e->edit ? read_edited(e, line) : read_plain(e, line);
    *line = is_read ? sv_trim(*line) : (sv){0};
    return is_read;
}
