/* Renderings of one plan (CLI-020): they differ in what they show, never in what the plan is. Internal to the command
 * line. */
#ifndef LINTEL_APPS_CLI_PLAN_VIEW_H
#define LINTEL_APPS_CLI_PLAN_VIEW_H

#include "apps/cli/kinds.h"
#include "apps/cli/session.h"

struct plan_view {
    enum secrecy secrecy;
    bool color;
    bool is_summary;  /* a line each */
    bool is_markdown; /* a comment on a pull request */
    unsigned only;    /* kinds that are shown; 0: all */
};

void plan_render_view(struct buf *out, const struct plan *p, const struct plan_view *view);

/* --- shared by the renderings --- */
bool plan_view_shows(const struct plan_view *view, const struct change *change);
/* "Not shown: 2 create, 1 update." with a line end, or nothing. */
void plan_render_hidden(struct buf *out, const struct plan *p, const struct plan_view *view);
/* "Plan: 1 to create, …" without a line end. */
void plan_render_count(struct buf *out, const struct plan *p);
/* Head, elements and exports as text. */
void plan_render_text(struct buf *out, const struct plan *p, const struct plan_view *view);
void plan_render_summary(struct buf *out, const struct plan *p, const struct plan_view *view);
/* --- plan_markdown.c --- */
void plan_render_markdown(struct buf *out, const struct plan *p, const struct plan_view *view);
/* A value as plans show it. */
void plan_render_value(struct buf *out, value v, bool sensitive, enum secrecy secrecy);

/* --- plan_diff.c --- */
/* `plan diff A B`. */
enum exit_code plan_diff_run(struct cli *c, sv first, sv second);

#endif
