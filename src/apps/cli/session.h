/* What commands on instances share: the template with its inputs, the store, the sealer, the run's configuration.
 * Internal to the command line. */
#ifndef LINTEL_APPS_CLI_SESSION_H
#define LINTEL_APPS_CLI_SESSION_H

#include "apps/cli/cli.h"

enum session_mode {
    SESSION_READ = 1, /* nothing is created or written; an absent store counts as empty */
    SESSION_WRITE,
    SESSION_WITHOUT_KEY, /* writes; secrets are neither opened nor sealed */
    SESSION_LOOK,        /* reads; secrets are not opened, so no key is asked for, nor is a wrong one in the way */
};

struct session {
    struct cli *cli;
    struct store *store; /* NULL until opened */
    struct sealer *sealer;
    struct sealer_options key; /* as the sealer was opened */
    struct run_config config;
};

/* Opens the store and the sealing key and fills the run configuration. False after a report. The session is closed
 * either way by session_close. */
bool session_open(struct cli *c, struct session *s, enum session_mode mode);
void session_close(struct session *s);
/* --instance-id, --instance, else the directory's name when `file` is the project's default blueprint. False after a
 * usage error. */
bool session_choose_instance(struct session *s, sv file);
/* Whether it is named like a project's default blueprint. */
bool session_is_default_file(sv file);
/* Before planning: waits up to --lock-timeout for the run that holds the instance. False after a report
 * (`instance_in_progress`). */
bool session_await_others(struct session *s);
/* The exit code for what the diagnostics say went wrong with the store. */
enum exit_code session_get_error_code(const struct cli *c);

/* EXIT_FAILED made more exact by what the diagnostics say; other codes as they are. */
enum exit_code session_refine_code(const struct cli *c, enum exit_code code);

/* --- template.c --- */
struct loaded {
    sv file;                   /* as given, or the default found */
    struct template *template; /* NULL when nothing could be loaded */
    const struct template_input *inputs;
    size_t input_count;
    const struct providers *providers; /* of schemas_load; NULL: the built-in ones */
};
/* The blueprint named by the first argument, or the default one of the working directory. False after a report. */
bool template_choose_file(struct cli *c, sv *file);
/* The same; without one nothing is reported. */
bool template_find_file(struct cli *c, sv *file);
/* Loads with the variables of the command line (CLI-010). Returns whether it may be planned; mistakes are in the
 * diagnostics. Missing secrets are asked for on a terminal. */
bool template_load(struct cli *c, sv file, struct loaded *result);
/* Loads `l->file` with `l->inputs` for validation: missing variables are unknowns. */
bool template_check(struct cli *c, struct loaded *l);
/* The template that a plan was made of, from the text and the inputs in it. False after a report. */
bool template_load_from_plan(struct cli *c, const struct plan *p, struct template **result);
/* --input-format as enum doc_format; 0 when not given. */
unsigned template_get_format(const struct cli *c);

/* --- inputs.c --- */
/* LINTEL_VAR_*, --vars and --var, in rising precedence. False after a report. */
bool inputs_collect(struct cli *c, struct template_input **items, size_t *count);
/* Asks on the terminal without echo; the caller knows that there is one. False when nothing was given. */
bool inputs_ask_secret(struct cli *c, sv name, struct template_input *result);
/* A line of the terminal without echo; false when the input has ended or a signal came. */
bool inputs_read_silently(const struct cli *c, sv prompt, struct buf *line);

/* A file as a source. NULL after a report. */
struct source *inputs_read_source(struct cli *c, sv path);

/* --- schemas.c --- */
/* The built-in providers behind what the files of --schemas declare; of equal types the one given last counts. False
 * after a report. */
bool schemas_load(struct cli *c, const struct providers **result);

/* --- plan_text.c --- */
void plan_render(struct buf *out, const struct plan *p, bool color, enum secrecy secrecy);
/* The plan as the member "plan" of the JSON object. */
sv plan_action_get_symbol(const struct change *change);

/* --- progress.c --- */
struct progress;
struct progress *progress_new(struct cli *c);
/* run_config.on_event; `user` is the progress. */
void progress_on_event(void *user, const struct event *e);
/* Ends the live block of a terminal. */
void progress_end(struct progress *p);
/* Another run follows: the summary of this one becomes the member "failedRun". */
void progress_hold_summary(struct progress *p);
/* Nothing is to be done: the outcome is "unchanged" then. */
void progress_set_idle(struct progress *p);
/* What is told of the run's events, too. */
struct timings;
void progress_set_timings(struct progress *p, struct timings *timings);
/* Each event names the run it is of, where there are several. */
void progress_set_run(struct progress *p, sv run_id);
struct cli *progress_get_cli(const struct progress *p);

/* --- rescue.c --- */
/* run_config.on_rescue; `user` is the progress. Appends the line to rescue-RUNID.jsonl beside the state, or gives it to
 * standard error (LC-046). */
void rescue_on_line(void *user, sv run_id, sv line);

/* --- secrets.c --- */
/* REVEAL only with --show-sensitive on a terminal or with --yes-i-mean-it; false after a usage error. */
bool secrecy_choose(struct cli *c, enum secrecy *secrecy);

#endif
