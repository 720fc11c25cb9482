/* The cfn dialect (docs/spec/cfn.md): CloudFormation and SAM templates, their intrinsics evaluated locally.
 *
 *     struct cfn *cfn = cfn_load(&load, source);                          files read, sections known; immutable
 *     struct cfn_run *run = cfn_run_open(cfn, inputs, &options);          one evaluation, an arena of its own
 *     if (cfn_run_check(run) && cfn_run_resolve(run)) cfn_run_write(run, &style, &out);
 *     cfn_run_close(run);
 *
 * A loaded template may be used by several runs at the same time (CF-300); runs know nothing of each other. Mistakes
 * are diagnostics of the run; calls return false when they added an error. Nothing is printed here, nothing is
 * deployed. */
#ifndef LINTEL_DIALECTS_CFN_CFN_H
#define LINTEL_DIALECTS_CFN_CFN_H

#include "base/limits.h"
#include "model/fetch.h"
#include "model/host.h"
#include "text/diag.h"
#include "value/value.h"

struct node;
struct cfn;
struct cfn_run;
struct cfn_inputs; /* inputs.h: parameters, symbols, pseudo parameters as given */

struct cfn_load_options {
    struct arena *arena; /* the loaded template lives here */
    struct diags *diags;
    struct sources *sources;
};

/* NULL when the file cannot be read as a template at all; mistakes are in `diags`. */
struct cfn *cfn_load(const struct cfn_load_options *options, struct source *source);
/* CF-009. */
bool cfn_is_template(const struct node *root);

enum cfn_mode {
    CFN_PARTIAL = 1, /* CF-210 */
    CFN_STRICT,
    CFN_PLACEHOLDER, /* CF-211 */
};

struct cfn_options {
    struct arena *arena;         /* of the run; the caller ends it after cfn_run_close */
    struct diags *diags;         /* of the run */
    struct sources *sources;     /* of `diags`; included files are added */
    struct host *host;           /* environment (CF-202); NULL: none */
    struct fetcher *fetcher;     /* Include, nested stacks; NULL: nothing can be read */
    enum cfn_mode mode;          /* 0: CFN_PARTIAL */
    bool no_env, no_assume;      /* CF-202, CF-201 */
    bool stand_ins;              /* CF-227 */
    bool allow_missing;          /* CF-042 */
    bool allow_network;          /* CF-313 */
    bool show_sensitive;         /* CF-255 */
    bool keep_going;             /* CF-212 */
    bool is_validation;          /* CF-283: missing parameters are unknown, values are evaluated for findings only */
    bool is_quota_error;         /* --quota */
    bool prune;                  /* CF-213 */
    const struct limits *limits; /* NULL: those of CF-310 */
    const struct observer *observer; /* CF-284; may be NULL */
};

/* Never NULL. `inputs` is borrowed; NULL: none. */
struct cfn_run *cfn_run_open(const struct cfn *cfn, const struct cfn_inputs *inputs, const struct cfn_options *options);
/* Phases include, parameters, expand and check (CF-006). */
bool cfn_run_check(struct cfn_run *run);
/* Rules, conditions and values. False: errors; with keep_going there is something to write all the same. */
bool cfn_run_resolve(struct cfn_run *run);
/* Frees what is not in the arena. */
void cfn_run_close(struct cfn_run *run);

enum cfn_format {
    CFN_YAML = 1,
    CFN_JSON,
};
struct cfn_style {
    enum cfn_format format; /* 0: the input's (CF-214) */
    const sv *only;         /* "Resources.X", "Outputs" (CF-282); NULL: all */
    size_t only_count;
};
/* The resolved template; nothing is added when it cannot be printed (CF-210, CF-212). */
bool cfn_run_write(struct cfn_run *run, const struct cfn_style *style, struct buf *out);
/* One value by its path (`Resources.X.Properties.Y[0]`); kind 0: there is none. UNKNOWN as such. */
value cfn_run_get(struct cfn_run *run, sv path);

/* What became of the template, beside diagnostics (CF-215). */
enum cfn_report_kind {
    CFN_REPORT_UNKNOWN = 1,
    CFN_REPORT_ASSUMED,
    CFN_REPORT_STAND_IN,
    CFN_REPORT_WITHHELD,
    CFN_REPORT_OFF,
    CFN_REPORT_KEPT,
};
struct cfn_report_entry {
    enum cfn_report_kind kind;
    sv path;
    span at;
    sv function;       /* "Fn::GetAtt"; may be empty */
    sv reason;         /* "generated"; several with a blank between them; may be empty */
    sv hint;           /* the option or symbol that would settle it; may be empty */
    const span *chain; /* references that led there, outermost first */
    size_t chain_len;
};
size_t cfn_run_get_report(struct cfn_run *run, const struct cfn_report_entry **entries);
/* How many of each kind, without making the entries. */
size_t cfn_run_count(const struct cfn_run *run, enum cfn_report_kind kind);
/* CF-215 as a JSON list. */
void cfn_run_write_report(struct cfn_run *run, struct jsonw *j);

#endif
