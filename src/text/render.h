/* Diagnostics for people, machines and editors. Nothing here prints: text goes into a buf.
 *
 * For people:
 *     error[missing_variable]: variable 'regon' does not exist
 *       --> blueprint.yaml:12:21
 *        |
 *     12 |     name: ${variables.regon}
 *        |             ^^^^^^^^^^^^^^^
 *        = hint: did you mean 'region'?
 *       ::: blueprint.yaml:3:3: declared here          (related)
 * or, as `program` wants it:
 *     app.yaml:12:21: error: unknown variable 'regon' [module_unknown_name]
 *     12 | …
 *       in app/modules/web/argument/region
 * Control characters and bidirectional marks of quoted source lines are shown escaped (LC-062); long lines are cut
 * around the caret. */
#ifndef LINTEL_TEXT_RENDER_H
#define LINTEL_TEXT_RENDER_H

#include "base/jsonw.h"
#include "text/diag.h"

struct render_options {
    bool color;
    size_t width;            /* columns; 0 means 120 */
    const struct mask *mask; /* secret texts that must not be shown; may be NULL */
    sv program;              /* when not empty, the first line begins with the place, or with this (MD-360) */
};

/* Secret texts of a run: every occurrence of one of at least 4 bytes is replaced by "(sensitive)" (BP-281). */
struct mask {
    struct arena *arena;
    VEC(sv) secrets;
};
void mask_add(struct mask *m, sv secret);
/* The text itself when nothing is secret in it, else a masked copy in `a`. */
sv mask_apply(const struct mask *m, struct arena *a, sv text);

void render_diag(struct buf *out, const struct diags *d, const struct diag *diag, const struct render_options *options);
/* All, sorted, followed by a line "2 errors, 1 warning" when there is any. */
void render_diags(struct buf *out, struct diags *d, const struct render_options *options);
/* CLI-031: code severity message hint file range{start{line,column,offset},end} path group related[]. */
void render_diag_json(struct jsonw *w, const struct diags *d, const struct diag *diag,
                      const struct render_options *options);
/* An array of all, sorted. */
void render_diags_json(struct jsonw *w, struct diags *d, const struct render_options *options);
/* A SARIF 2.1.0 log; paths in it are as people gave them, absolute ones as file URIs. */
void render_diags_sarif(struct jsonw *w, struct diags *d, const struct render_options *options);
/* One file that was checked. */
struct checked_file {
    sv name;
    const struct diag *const *items; /* what was found in it, in the order to be shown */
    size_t count;
};
/* A JUnit XML report: a testsuite per file. Each error is a failed testcase, each warning a passed one that says so; a
 * file without findings has one passed testcase. */
void render_junit(struct buf *out, const struct diags *d, const struct checked_file *files, size_t count,
                  const struct render_options *options);
/* "error", "warning" or "info". */
sv render_get_level_name(enum diag_level level);
/* The text with control, escape and bidirectional characters shown as \xNN or \u{NNNN}; `a` holds the copy when one is
 * needed. */
sv render_escape(struct arena *a, sv text);

#endif
