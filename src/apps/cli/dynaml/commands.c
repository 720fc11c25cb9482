/* The table of the commands of the dynaml dialect (CLI-003). */
#include "apps/cli/dynaml/commands.h"

#include "apps/cli/dynaml/work.h"
#include "apps/cli/table.h"

/* --- options --- */

static const struct cli_option opt_path = {.name = SV_INIT("path"),
                                           .type = OPTION_TEXT,
                                           .value_name = SV_INIT("PATH"),
                                           .summary = SV_INIT("print only the value at this path")};
static const struct cli_option opt_no_exec = {
    .name = SV_INIT("no-exec"), .type = OPTION_FLAG, .summary = SV_INIT("expressions may run no program")};
static const struct cli_option opt_no_read = {
    .name = SV_INIT("no-read"), .type = OPTION_FLAG, .summary = SV_INIT("expressions may read no file")};
static const struct cli_option opt_no_env = {
    .name = SV_INIT("no-env"), .type = OPTION_FLAG, .summary = SV_INIT("expressions may not see the environment")};
static const struct cli_option opt_pure = {.name = SV_INIT("pure"),
                                           .type = OPTION_FLAG,
                                           .summary = SV_INIT("the same as --no-exec --no-read --no-env: for templates "
                                                              "one does not trust yet")};
static const struct cli_option opt_root = {
    .name = SV_INIT("root"),
    .type = OPTION_TEXT,
    .value_name = SV_INIT("DIR"),
    .holds = HOLDS_DIRECTORY,
    .summary = SV_INIT("expressions read regular files below DIR only; relative paths are meant from there")};
static const struct cli_option opt_exec_timeout = {.name = SV_INIT("exec-timeout"),
                                                   .type = OPTION_NUMBER,
                                                   .value_name = SV_INIT("SECONDS"),
                                                   .fallback = SV_INIT("300"),
                                                   .summary = SV_INIT("how long one program may run")};
static const struct cli_option opt_limit = {
    .name = SV_INIT("limit"),
    .type = OPTION_TEXT,
    .value_name = SV_INIT("NAME=N"),
    .repeatable = true,
    .summary = SV_INIT("moves a limit: file, depth, expression, calls, steps, items, memory, aliases, exec")};
static const struct cli_option opt_strict = {
    .name = SV_INIT("strict"), .type = OPTION_FLAG, .summary = SV_INIT("warnings are errors")};
static const struct cli_option opt_select = {
    .name = SV_INIT("select"),
    .type = OPTION_TEXT,
    .value_name = SV_INIT("PATH"),
    .repeatable = true,
    .summary = SV_INIT("print a map with the values at these paths, by the last step of each")};
static const struct cli_option opt_errors = {
    .name = SV_INIT("errors"),
    .type = OPTION_CHOICE,
    .value_name = SV_INIT("lines|full"),
    .fallback = SV_INIT("lines"),
    .summary = SV_INIT("how unresolved nodes are shown: a line each, or with place and hint")};
static const struct cli_option opt_compat = {.name = SV_INIT("compat"),
                                             .type = OPTION_FLAG,
                                             .summary = SV_INIT("output to the byte as that of the established tool")};
static const struct cli_option opt_no_compat = {
    .name = SV_INIT("no-compat"), .type = OPTION_FLAG, .summary = SV_INIT("not so, although called as spiff")};
static const struct cli_option opt_debug = {.name = SV_INIT("debug"),
                                            .type = OPTION_FLAG,
                                            .summary =
                                                SV_INIT("tell what every expression gives, when it is evaluated")};
static const struct cli_option opt_on = {.name = SV_INIT("on"),
                                         .type = OPTION_TEXT,
                                         .value_name = SV_INIT("FILE"),
                                         .holds = HOLDS_FILE,
                                         .summary = SV_INIT("the template that the expression is asked on")};
static const struct cli_option opt_at = {
    .name = SV_INIT("at"),
    .type = OPTION_TEXT,
    .value_name = SV_INIT("PATH"),
    .summary = SV_INIT("the place in the template that the expression is asked at; without one its root")};

static const struct cli_option opt_separator = {.name = SV_INIT("separator"),
                                                .type = OPTION_TEXT,
                                                .value_name = SV_INIT("TEXT"),
                                                .summary = SV_INIT("printed behind each difference, as it is")};
static const struct cli_option opt_exit_code = {
    .name = SV_INIT("exit-code"), .type = OPTION_FLAG, .summary = SV_INIT("exit with 2 when the documents differ")};
static const struct cli_option opt_depth = {
    .name = SV_INIT("depth"),
    .type = OPTION_NUMBER,
    .value_name = SV_INIT("N"),
    .fallback = SV_INIT("3"),
    .summary = SV_INIT("how far needed nodes are explained, the nodes that these needed, and so on")};

/* --- arguments, examples, exit codes --- */

static const struct cli_argument arg_merge[] = {
    {.name = SV_INIT("TEMPLATE"), .summary = SV_INIT("a YAML file with (( … )) expressions; - is standard input")},
    {.name = SV_INIT("STUB"),
     .optional = true,
     .many = true,
     .summary = SV_INIT("YAML files whose values are put in; each is a template for those behind it, too")}};

static const struct cli_argument arg_eval[] = {
    {.name = SV_INIT("EXPR"), .summary = SV_INIT("an expression, with or without (( ))")},
    {.name = SV_INIT("STUB"), .optional = true, .many = true, .summary = SV_INIT("stubs of the template of --on")}};

static const struct cli_option *const merge_options[] = {
    &opt_path, &opt_select, &opt_errors,       &opt_strict, &opt_no_exec, &opt_no_read, &opt_no_env,
    &opt_pure, &opt_root,   &opt_exec_timeout, &opt_limit,  &opt_debug,   &opt_compat,  &opt_no_compat,
};
static const struct cli_option *const eval_options[] = {
    &opt_on,     &opt_at,   &opt_path, &opt_errors,       &opt_strict, &opt_no_exec, &opt_no_read,
    &opt_no_env, &opt_pure, &opt_root, &opt_exec_timeout, &opt_limit,  &opt_debug,
};

static const sv ex_merge[] = {SV_INIT("lintel dynaml merge template.yml stub.yml"),
                              SV_INIT("lintel dynaml merge template.yml stub.yml --path jobs.[0].name"),
                              SV_INIT("lintel dynaml merge --pure --json - < template.yml")};

static const sv ex_eval[] = {
    SV_INIT("lintel dynaml eval '1 + 2'"), SV_INIT("lintel dynaml eval 'length(jobs)' --on template.yml stub.yml"),
    SV_INIT("lintel dynaml eval '(( merge ))' --on template.yml --at meta.name stub.yml --json")};

static const enum exit_code exits_plain[] = {EXIT_OK, EXIT_FAILED, EXIT_USAGE};

static const struct cli_argument arg_diff[] = {
    {.name = SV_INIT("A"), .summary = SV_INIT("a YAML file; - is standard input")},
    {.name = SV_INIT("B"), .summary = SV_INIT("the one it is compared with")}};

static const struct cli_argument arg_explain[] = {
    {.name = SV_INIT("PATH"), .summary = SV_INIT("the node: jobs.api.instances, jobs.[0].name, meta.<<")},
    {.name = SV_INIT("TEMPLATE"), .summary = SV_INIT("a YAML file with (( … )) expressions; - is standard input")},
    {.name = SV_INIT("STUB"), .optional = true, .many = true, .summary = SV_INIT("as for merge")}};

static const struct cli_option *const diff_options[] = {&opt_separator, &opt_exit_code, &opt_strict, &opt_compat,
                                                        &opt_no_compat};
static const struct cli_option *const explain_options[] = {&opt_depth,        &opt_no_exec, &opt_no_read,
                                                           &opt_no_env,       &opt_pure,    &opt_root,
                                                           &opt_exec_timeout, &opt_limit,   &opt_strict};

static const sv ex_diff[] = {SV_INIT("lintel dynaml diff old.yml new.yml"),
                             SV_INIT("lintel dynaml merge template.yml stub.yml | lintel dynaml diff deployed.yml - "
                                     "--exit-code")};
static const sv ex_explain[] = {SV_INIT("lintel dynaml explain jobs.api.instances template.yml stub.yml"),
                                SV_INIT("lintel dynaml explain meta.<< template.yml stub.yml --depth 1 --json")};

static const enum exit_code exits_diff[] = {EXIT_OK, EXIT_FAILED, EXIT_CHANGES, EXIT_USAGE};

/* --- commands --- */

static const struct cli_command cmd_diff = {
    .name = SV_INIT("diff"),
    .group = &cli_dynaml,
    .alias = SV_INIT("d"),
    .summary = SV_INIT("compare two YAML files as data"),
    .details = SV_INIT("Items of lists that have a name belong together wherever they stand, but for the order of the "
                       "list jobs at the root. Expressions are compared as texts; nothing is evaluated."),
    ARGS(arg_diff),
    OPTIONS(diff_options),
    EXAMPLES(ex_diff),
    EXITS(exits_diff),
    .output = OUTPUT_OWN,
    .run = cmd_dynaml_diff_run};

static const struct cli_command cmd_explain = {
    .name = SV_INIT("explain"),
    .group = &cli_dynaml,
    .summary = SV_INIT("where the value of a node comes from, or why it is unresolved"),
    .details = SV_INIT("Tells what gave the value and at which place, the expression, what a stub has replaced, what "
                       "the stubs have at its path, and the nodes that it needed. Nodes of a template that cannot be "
                       "resolved are explained down to the first cause."),
    ARGS(arg_explain),
    OPTIONS(explain_options),
    EXAMPLES(ex_explain),
    EXITS(exits_plain),
    .output = OUTPUT_OWN,
    .run = cmd_dynaml_explain_run};

static const struct cli_command cmd_merge = {
    .name = SV_INIT("merge"),
    .group = &cli_dynaml,
    .alias = SV_INIT("m"),
    .summary = SV_INIT("evaluate a template and put the values of stubs into it"),
    .details = SV_INIT("Each file is merged with those to its right: values of stubs take the place of those with the "
                       "same path, and (( … )) expressions are replaced by what they give. Nothing is printed on "
                       "standard output when a node cannot be resolved."),
    ARGS(arg_merge),
    OPTIONS(merge_options),
    EXAMPLES(ex_merge),
    EXITS(exits_plain),
    .output = OUTPUT_OWN,
    .run = cmd_dynaml_merge_run};

static const struct cli_command cmd_eval = {
    .name = SV_INIT("eval"),
    .group = &cli_dynaml,
    .summary = SV_INIT("evaluate one expression, in a template or by itself"),
    .details = SV_INIT("The template is processed first, as by merge; then the expression is evaluated as if it stood "
                       "at the path, with the names that are seen there and against the same stubs."),
    ARGS(arg_eval),
    OPTIONS(eval_options),
    EXAMPLES(ex_eval),
    EXITS(exits_plain),
    .output = OUTPUT_OWN,
    .run = cmd_dynaml_eval_run};

/* In the order of their names. */
static const struct cli_command *const commands[] = {&cmd_diff, &cmd_eval, &cmd_explain, &cmd_merge};

static const sv globals[] = {SV_INIT("help"),  SV_INIT("C"),     SV_INIT("json"),   SV_INIT("json-into"),
                             SV_INIT("color"), SV_INIT("quiet"), SV_INIT("verbose")};

const struct cli_group cli_dynaml = {
    .name = SV_INIT("dynaml"),
    .summary = SV_INIT("merge YAML files with (( … )) expressions"),
    .details = SV_INIT("A template is a YAML file whose values may be (( … )) expressions; stubs are YAML files whose "
                       "values are put into it. docs/dynaml.md is the guide."),
    .commands = commands,
    .command_count = COUNT(commands),
    .globals = globals,
    .global_count = COUNT(globals),
    .program = &cli_spiff,
    .write_failure = work_write_failure,
};
