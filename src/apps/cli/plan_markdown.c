/* Plans as Markdown, for a comment on a pull request. Names and values come from the template: none of them may be
 * taken for Markdown, HTML, a mention or the end of a block. */
#include "apps/cli/plan_view.h"
#include "apps/cli/scope.h"

#include <ctype.h>

/* In a cell of a table: all that could mean something becomes an entity. */
static void append_escaped(struct buf *out, sv text) {
    text = render_escape(out->arena, text);
    for (size_t i = 0; i < text.len; i++) {
        unsigned char ch = (unsigned char)text.data[i];
        bool is_plain = ch >= 0x80 || isalnum(ch) || ch == ' ' || ch == '.' || ch == ',' || ch == '/' || ch == '-';
        if (is_plain)
            buf_append_char(out, (char)ch);
        else
            buf_printf(out, "&#%u;", ch);
    }
}

static size_t get_longest_run(sv text, char wanted) {
    size_t longest = 0, run = 0;
    for (size_t i = 0; i < text.len; i++) {
        run = text.data[i] == wanted ? run + 1 : 0;
        longest = run > longest ? run : longest;
    }
    return longest;
}

/* A fence is longer than any in what it holds. */
static void append_block(struct buf *out, sv text) {
    size_t longest = get_longest_run(text, '`');
    size_t fence = longest < 3 ? 3 : longest + 1;
    buf_append_repeat(out, '`', fence);
    buf_append_cstr(out, "text\n");
    buf_append(out, text);
    buf_append_repeat(out, '`', fence);
    buf_append_char(out, '\n');
}

static void append_row(struct buf *out, const struct change *change) {
    buf_append_cstr(out, "| <code>");
    append_escaped(out, plan_action_get_symbol(change));
    buf_append_cstr(out, "</code> | ");
    buf_append(out, kind_get_name(kinds_get(change)));
    buf_append_cstr(out, " | <code>");
    append_escaped(out, change->address.text);
    buf_append_cstr(out, "</code> | ");
    append_escaped(out, change->type);
    buf_append_cstr(out, " |\n");
}

static void append_table(struct buf *out, const struct plan *p, const struct plan_view *view) {
    bool has_rows = false;
    for (size_t i = 0; i < p->change_count; i++) {
        if (!plan_view_shows(view, &p->changes[i]))
            continue;
        if (!has_rows)
            buf_append_cstr(out, "| | change | element | type |\n|---|---|---|---|\n");
        has_rows = true;
        append_row(out, &p->changes[i]);
    }
    if (has_rows)
        buf_append_char(out, '\n');
}

void plan_render_markdown(struct buf *out, const struct plan *p, const struct plan_view *view) {
    buf_append_cstr(out, "### Instance <code>");
    append_escaped(out, p->instance_name);
    buf_printf(out, "</code>%s\n\n**",
               plan_is_empty(p) && plan_is_limited(p) ? ": nothing in what was chosen would change"
               : plan_is_empty(p)                     ? ": nothing would change"
               : p->destroy && plan_is_limited(p)     ? ": what was chosen will be destroyed"
               : p->destroy                           ? ": everything will be destroyed"
               : p->instance_version > 0              ? ""
               : p->rollback                          ? " was destroyed and is made again"
                                                      : " is new");
    plan_render_count(out, p);
    buf_append_cstr(out, "**\n\n");
    struct buf scope = BUF(out->arena);
    scope_render(&scope, p);
    if (scope.len > 0) {
        append_escaped(out, sv_slice(buf_get_sv(&scope), 0, scope.len - 1));
        buf_append_cstr(out, "\n\n");
    }
    if (p->has_interrupted)
        buf_append_cstr(out, "Operations of an earlier run were cut off; deploying settles them first.\n\n");
    if (plan_count_drift(p) > 0)
        buf_printf(out, "Changed outside of lintel since the last run: %zu.\n\n", plan_count_drift(p));
    append_table(out, p, view);
    size_t before = out->len;
    plan_render_hidden(out, p, view);
    if (out->len > before)
        buf_append_char(out, '\n');
    if (view->is_summary || (plan_is_empty(p) && p->drift_count == 0))
        return;
    struct buf text = BUF(out->arena);
    struct plan_view plain = *view;
    plain.color = false;
    plan_render_text(&text, p, &plain);
    buf_append_cstr(out, "<details><summary>Details</summary>\n\n");
    append_block(out, buf_get_sv(&text));
    buf_append_cstr(out, "\n</details>\n");
}
