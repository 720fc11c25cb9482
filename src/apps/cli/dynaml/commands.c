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
    .summary = SV_INIT("moves a limit: file, depth, expression, calls, steps, items, memory or aliases")};
static const struct cli_option opt_strict = {
    .name = SV_INIT("strict"), .type = OPTION_FLAG, .summary = SV_INIT("warnings are errors")};

/* --- arguments, examples, exit codes --- */

static const struct cli_argument arg_merge[] = {
    {.name = SV_INIT("TEMPLATE"), .summary = SV_INIT("a YAML file with (( … )) expressions; - is standard input")},
    {.name = SV_INIT("STUB"),
     .optional = true,
     .many = true,
     .summary = SV_INIT("YAML files whose values are put in; each is a template for those behind it, too")}};

static const struct cli_option *const merge_options[] = {&opt_path,         &opt_no_exec, &opt_no_read,
                                                         &opt_no_env,       &opt_pure,    &opt_root,
                                                         &opt_exec_timeout, &opt_limit,   &opt_strict};

static const sv ex_merge[] = {SV_INIT("lintel dynaml merge template.yml stub.yml"),
                              SV_INIT("lintel dynaml merge template.yml stub.yml --path jobs.[0].name"),
                              SV_INIT("lintel dynaml merge --pure --json - < template.yml")};

static const enum exit_code exits_plain[] = {EXIT_OK, EXIT_FAILED, EXIT_USAGE};

/* --- commands --- */

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

/* sorted */
static const struct cli_command *const commands[] = {&cmd_merge};

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
    .write_failure = work_write_failure,
};
