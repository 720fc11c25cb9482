/* The command line: what all commands share.
 *
 * One table (commands.c) describes every command; parsing, help, man pages, completions and the reference are made from
 * it (CLI-003). A `struct cli` is one invocation: its unit (arena, sources, diagnostics), its settings with their
 * origins, its output. Commands return an exit code and never exit. Results go to standard output, errors and progress
 * to standard error (CLI-006); with --json every byte of standard output is JSON (CLI-030). */
#ifndef LINTEL_APPS_CLI_CLI_H
#define LINTEL_APPS_CLI_CLI_H

#include "base/hint.h"
#include "base/jsonw.h"
#include "engine/run.h"
#include "text/diag.h"
#include "text/render.h"

enum cli_option_type {
    OPTION_FLAG = 1,
    OPTION_TEXT,
    OPTION_NUMBER,   /* a positive integer */
    OPTION_DURATION, /* 500ms, 30s, 5m, 1h */
    OPTION_CHOICE,
};

/* What a text means, for completion and for paths in the project file. */
enum cli_option_content {
    HOLDS_TEXT = 0,
    HOLDS_FILE,
    HOLDS_DIRECTORY,
    HOLDS_PATH_LIST, /* directories, ':' between them */
    HOLDS_KEY,       /* a path behind "file:", or something else */
    HOLDS_URL,       /* a path, or one behind "sqlite:" or "file:", or something else */
    HOLDS_LIMIT,     /* NAME=N (bounds.h) */
};

struct cli_option {
    sv name;     /* long name without dashes */
    char letter; /* short form; 0 without */
    enum cli_option_type type;
    sv value_name;                 /* "FILE"; for choices "a|b|c" */
    sv fallback;                   /* default; may be empty */
    enum cli_option_content holds; /* of a TEXT */
    bool repeatable;
    bool internal_default; /* the default is worked out, `fallback` only describes it */
    bool chooses_machine;  /* the choice "json" is the same as --json */
    sv alias_of;           /* another long name that this one stands for */
    sv summary;
};

struct cli_argument {
    sv name;
    bool optional, many;
    sv summary;
    sv choices;         /* "a|b|c"; empty: any text */
    bool names_command; /* one of the commands */
};

struct cli;
struct cli_group;

enum cli_output {
    OUTPUT_ONE_SHOT = 1, /* one JSON object */
    OUTPUT_EVENTS,       /* NDJSON */
    OUTPUT_OWN,          /* of a group: its result in a form of its own (struct cli.result) */
};

struct cli_command {
    sv name;
    const struct cli_group *group; /* NULL: of the top level */
    sv alias;                      /* another name: "stage" */
    sv summary;                    /* one line */
    sv details;                    /* paragraphs */
    const struct cli_argument *arguments;
    size_t argument_count;
    const struct cli_option *const *options;
    size_t option_count;
    const sv *examples;
    size_t example_count;
    const enum exit_code *exits;
    size_t exit_count;
    enum cli_output output;
    bool knows_all_settings; /* of every command, not only its own (config) */
    enum exit_code (*run)(struct cli *c);
};

/* A group under the name of a program of its own (CLI-002): a link or copy of lintel with that name. Without functions
 * it is the group under another name, no more. */
struct cli_program {
    sv name;
    /* Before anything is read: true when the words are answered already, with the exit code. */
    bool (*answer)(struct cli *c, int argc, const char *const *argv, enum exit_code *code);
    /* When options and arguments are known, whose number nobody has checked: true as above. */
    bool (*begin)(struct cli *c, enum exit_code *code);
    /* Shows what went wrong and gives the exit code as the program does. */
    enum exit_code (*finish)(struct cli *c, enum exit_code code);
};

/* The commands of a dialect: `lintel dynaml merge`. Of the global options it takes those it names; its commands have
 * options of their own, which may have names of global ones and then stand in their place. */
struct cli_group {
    sv name, summary, details;
    const struct cli_command *const *commands; /* sorted by name */
    size_t command_count;
    const sv *globals;
    size_t global_count;
    const struct cli_program *program; /* NULL: none */
    bool place_comes_first;            /* diagnostics begin with their place (MD-360) */
    /* With --json and an OUTPUT_OWN command, or none, that has no result: what is printed in its place. */
    void (*write_failure)(struct cli *c, struct jsonw *w, enum exit_code code);
};

/* Sorted by name. */
extern const struct cli_group *const cli_groups[];
extern const size_t cli_group_count;
const struct cli_group *cli_find_group(sv name);
/* By the name that this program was called by; NULL for lintel. */
const struct cli_group *cli_find_program(const char *path);
const struct cli_command *cli_find_group_command(const struct cli_group *group, sv name);
/* Whether a global option holds for the commands of the group; for those of the top level (NULL) all do. */
bool cli_takes_global(const struct cli_group *group, const struct cli_option *option);
/* "deploy", "dynaml merge", "dynaml". */
void cli_print_name(struct buf *out, const struct cli_group *group, const struct cli_command *command);
sv cli_get_name(struct cli *c);

/* Sorted by name. */
extern const struct cli_command *const cli_commands[];
extern const size_t cli_command_count;
extern const struct cli_option *const cli_global_options[];
extern const size_t cli_global_option_count;
const struct cli_command *cli_find_command(sv name);

enum setting_origin {
    ORIGIN_DEFAULT = 1,
    ORIGIN_PROJECT_FILE,
    ORIGIN_ENVIRONMENT,
    ORIGIN_OPTION,
};

struct setting {
    const struct cli_option *option;
    VEC(sv) texts;
    enum setting_origin origin;
    sv origin_text; /* file or variable */
};

/* What the signal handler of the process notes. */
struct cli_signals {
    atomic_int count; /* SIGINT and SIGTERM so far */
    atomic_int last;  /* number of the last one */
};

struct cli {
    struct arena arena;
    struct sources sources;
    struct diags diags;
    struct limits limits;
    struct mask mask;
    const struct cli_group *group;     /* NULL: a command of the top level */
    const struct cli_command *command; /* NULL until known */
    const struct cli_program *program; /* NULL: called as lintel */
    VEC(struct setting) settings;
    VEC(sv) arguments;
    sv project_dir, project_file; /* CLI-004; project_file empty without */
    sv state_dir;                 /* directory of the state file; empty until it is open */
    sv command_line;              /* without secret values, for the run's actor */
    bool json, color_out, color_err, quiet, verbose;
    int json_into;                       /* file descriptor, or -1 */
    int log;                             /* the same */
    struct fetcher *fetcher;             /* of the template loaded last; NULL without one (outside.h) */
    const struct transforms *transforms; /* one for all loads: each document is given once (BP-060); NULL before */
    VEC(struct fetcher *) fetchers;      /* all that are open */
    size_t forgotten_sources;            /* of a try that was started anew */
    bool is_settled;                     /* output_settle_diagnostics has been called */
    bool rescued;                        /* a rescue file has been written and named */
    struct buf payload;                  /* members of the JSON object of a one-shot command */
    struct jsonw writer;                 /* into payload; a command adds key and value pairs */
    sv result;                           /* all of the JSON of an OUTPUT_OWN command, without the line break */
    int log_error;                       /* errno of the first write to the log that failed; 0: none */
    int json_error;                      /* the same of the --json-into file */
    int output_error;                    /* errno of the first write to standard output that failed; 0: none */
    const struct host *host;
    const struct cli_signals *signals;
};

/* One invocation from start to end; returns the exit code. */
int cli_run(int argc, const char *const *argv, const struct cli_signals *signals);
/* EXIT_SIGINT or EXIT_SIGTERM after a signal, else `otherwise`. */
enum exit_code cli_get_signal_code(const struct cli *c, enum exit_code otherwise);
/* Waits until standard input can be read; false after a signal, be it from before the call. */
bool cli_await_input(const struct cli *c);

/* --- settings (settings.c) --- */
/* Reads options, environment and project file. False after reporting usage errors or a bad project file. */
bool settings_load(struct cli *c, int argc, const char *const *argv);
const struct setting *settings_find(const struct cli *c, sv name);
bool settings_get_flag(const struct cli *c, const char *name);
/* Empty when not set and without default. The last one of repeated options. */
sv settings_get_text(const struct cli *c, const char *name);
bool settings_is_given(const struct cli *c, const char *name);
int64_t settings_get_number(const struct cli *c, const char *name);
int64_t settings_get_duration_ms(const struct cli *c, const char *name);
sv setting_origin_get_text(enum setting_origin origin);
/* False for malformed text. */
bool duration_parse(sv text, int64_t *ms);

/* --- output (output.c) --- */
/* Whether JSON is wanted, be it beside human output. */
bool output_is_machine(const struct cli *c);
/* Whether somebody reads events: machine output or a log. */
bool output_wants_events(const struct cli *c);
/* Writes result text to standard output; nothing with --json. */
void output_text(struct cli *c, sv text);
/* Writes to standard error, unless quiet. */
void output_note(struct cli *c, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* One NDJSON line to standard output (with --json), the --json-into file and the log. */
void output_event_line(struct cli *c, sv json);
/* Takes out the warnings that comments allow: once, when there will be no further ones. */
void output_settle_diagnostics(struct cli *c);
/* Diagnostics to standard error, and the JSON object or last event. Returns the exit code: a result that could not be
 * written fails a command that end at once. */
enum exit_code output_finish(struct cli *c, enum exit_code code);
/* The end of one of several runs that the command carries out: the event "run" and the diagnostics; `c` is the unit of
 * that run. */
void output_end_run(struct cli *c, sv run_id, enum exit_code code);
/* To standard error, for people. */
void output_show_diagnostics(struct cli *c);
/* The first event, for streams and logs. */
void output_begin(struct cli *c);
/* Reports a usage error and returns EXIT_USAGE. */
enum exit_code output_usage_error(struct cli *c, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* EXIT_USAGE when a usage error is among the diagnostics, else EXIT_INVALID. */
enum exit_code output_get_input_code(const struct cli *c);
/* Adds "did you mean" to the last diagnostic when the hint found something; `prefix` stands before the name. */
void output_add_hint(struct cli *c, const struct hint *hint, const char *prefix);
/* A reference command was asked about something it does not know: the closest name, or the command that lists all. */
enum exit_code output_report_unknown(struct cli *c, const char *what, sv name, const struct hint *hint);
/* EXIT_INVALID when there are errors, else EXIT_OK. */
enum exit_code output_get_check_code(const struct cli *c);
/* "1.2s", "3m04s" (CLI-021). */
void output_render_duration(struct buf *out, int64_t ms);
const char *output_start_color(bool color,
                               const char *name); /* "red" "green" "yellow" "bold" "dim"; "" without colour */
const char *output_end_color(bool color);

/* --- reference (help.c, man.c, completion.c) --- */
void help_render_command(struct buf *out, const struct cli_command *command);
void help_render_overview(struct buf *out);
void help_render_group(struct buf *out, const struct cli_group *group);
/* NULL: of all groups, or all commands. */
void help_write_json(struct jsonw *w, const struct cli_group *group, const struct cli_command *command);
/* Without command that of the group, without group lintel(1). */
void man_render(struct buf *out, const struct cli_group *group, const struct cli_command *command);
bool completion_render(struct buf *out, sv shell);
sv exit_code_get_meaning(enum exit_code code);
extern const enum exit_code exit_codes[];
extern const size_t exit_code_count;

#endif
