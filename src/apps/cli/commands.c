/* The table of all commands (CLI-003): parsing, help, man pages, completions and the reference come from here. */
#include "apps/cli/commands.h"

#define COUNT(array) (sizeof(array) / sizeof *(array))

/* --- options --- */

static const struct cli_option opt_help = {
    .name = SV_INIT("help"), .letter = 'h', .type = OPTION_FLAG, .summary = SV_INIT("show help and end")};
static const struct cli_option opt_dir = {.name = SV_INIT("C"),
                                          .letter = 'C',
                                          .type = OPTION_TEXT,
                                          .value_name = SV_INIT("DIR"),
                                          .holds = HOLDS_DIRECTORY,
                                          .summary = SV_INIT("run as if started in DIR")};
static const struct cli_option opt_state = {.name = SV_INIT("state"),
                                            .type = OPTION_TEXT,
                                            .value_name = SV_INIT("URL"),
                                            .holds = HOLDS_URL,
                                            .fallback = SV_INIT(".lintel/state.db"),
                                            .internal_default = true,
                                            .summary = SV_INIT("state store: a path, sqlite:PATH or memory:")};
static const struct cli_option opt_context = {.name = SV_INIT("context"),
                                              .type = OPTION_TEXT,
                                              .value_name = SV_INIT("NAME"),
                                              .fallback = SV_INIT("default"),
                                              .summary = SV_INIT("name space in the store")};
static const struct cli_option opt_json = {.name = SV_INIT("json"),
                                           .type = OPTION_FLAG,
                                           .summary = SV_INIT("machine output: every byte on standard output is JSON")};
static const struct cli_option opt_json_into = {.name = SV_INIT("json-into"),
                                                .type = OPTION_TEXT,
                                                .value_name = SV_INIT("FILE"),
                                                .holds = HOLDS_FILE,
                                                .summary = SV_INIT("machine output into FILE beside the human one")};
static const struct cli_option opt_color = {.name = SV_INIT("color"),
                                            .type = OPTION_CHOICE,
                                            .value_name = SV_INIT("auto|always|never"),
                                            .fallback = SV_INIT("auto"),
                                            .summary =
                                                SV_INIT("colour; NO_COLOR, CLICOLOR_FORCE and TERM=dumb are heeded")};
static const struct cli_option opt_quiet = {
    .name = SV_INIT("quiet"), .letter = 'q', .type = OPTION_FLAG, .summary = SV_INIT("no progress, errors only")};
static const struct cli_option opt_verbose = {
    .name = SV_INIT("verbose"), .letter = 'v', .type = OPTION_FLAG, .summary = SV_INIT("say more")};
static const struct cli_option opt_strict = {
    .name = SV_INIT("strict"), .type = OPTION_FLAG, .summary = SV_INIT("unknown keys are errors")};
static const struct cli_option opt_key = {.name = SV_INIT("key"),
                                          .type = OPTION_TEXT,
                                          .value_name = SV_INIT("SPEC"),
                                          .holds = HOLDS_URL,
                                          .fallback = SV_INIT("file:.lintel/vault/CONTEXT.key"),
                                          .internal_default = true,
                                          .summary = SV_INIT("sealing key: file:PATH")};
static const struct cli_option opt_no_seal = {.name = SV_INIT("no-seal"),
                                              .type = OPTION_FLAG,
                                              .summary =
                                                  SV_INIT("store digests of secrets only; they cannot be recovered")};
static const struct cli_option opt_parallel = {.name = SV_INIT("parallel"),
                                               .type = OPTION_NUMBER,
                                               .value_name = SV_INIT("N"),
                                               .fallback = SV_INIT("10"),
                                               .summary = SV_INIT("operations under way at once")};
static const struct cli_option opt_lock_timeout = {.name = SV_INIT("lock-timeout"),
                                                   .type = OPTION_DURATION,
                                                   .value_name = SV_INIT("D"),
                                                   .fallback = SV_INIT("0"),
                                                   .summary =
                                                       SV_INIT("how long to wait for another run of the instance")};

const struct cli_option *const cli_global_options[] = {
    &opt_help,  &opt_dir,     &opt_state,  &opt_context, &opt_json,    &opt_json_into, &opt_color,
    &opt_quiet, &opt_verbose, &opt_strict, &opt_key,     &opt_no_seal, &opt_parallel,  &opt_lock_timeout,
};
const size_t cli_global_option_count = COUNT(cli_global_options);

static const struct cli_option opt_var = {
    .name = SV_INIT("var"),
    .type = OPTION_TEXT,
    .value_name = SV_INIT("NAME=VALUE"),
    .repeatable = true,
    .summary = SV_INIT("value of a variable; NAME=@FILE reads it from a file, @@ is a literal @")};
static const struct cli_option opt_vars = {.name = SV_INIT("vars"),
                                           .type = OPTION_TEXT,
                                           .value_name = SV_INIT("FILE"),
                                           .holds = HOLDS_FILE,
                                           .repeatable = true,
                                           .summary = SV_INIT("variables from a YAML or JSON mapping")};
static const struct cli_option opt_input_format = {.name = SV_INIT("input-format"),
                                                   .type = OPTION_CHOICE,
                                                   .value_name = SV_INIT("yaml|json|jsonc"),
                                                   .fallback = SV_INIT("yaml"),
                                                   .internal_default = true,
                                                   .summary = SV_INIT("format of the file, needed for standard input")};
static const struct cli_option opt_instance = {.name = SV_INIT("instance"),
                                               .letter = 'i',
                                               .type = OPTION_TEXT,
                                               .value_name = SV_INIT("NAME"),
                                               .fallback = SV_INIT("the directory's name"),
                                               .internal_default = true,
                                               .summary = SV_INIT("name of the instance")};
static const struct cli_option opt_instance_name = {.name = SV_INIT("instance-name"),
                                                    .type = OPTION_TEXT,
                                                    .value_name = SV_INIT("NAME"),
                                                    .alias_of = SV_INIT("instance"),
                                                    .summary = SV_INIT("the same as --instance")};
static const struct cli_option opt_instance_id = {.name = SV_INIT("instance-id"),
                                                  .type = OPTION_TEXT,
                                                  .value_name = SV_INIT("ID"),
                                                  .summary = SV_INIT("id of the instance, instead of its name")};
static const struct cli_option opt_format = {.name = SV_INIT("format"),
                                             .type = OPTION_CHOICE,
                                             .value_name = SV_INIT("text|json|sarif"),
                                             .fallback = SV_INIT("text"),
                                             .summary = SV_INIT("form of the result")};
static const struct cli_option opt_no_providers = {.name = SV_INIT("no-providers"),
                                                   .type = OPTION_FLAG,
                                                   .summary = SV_INIT("check no resource types, schemas and links")};
static const struct cli_option opt_out = {.name = SV_INIT("out"),
                                          .type = OPTION_TEXT,
                                          .value_name = SV_INIT("FILE"),
                                          .holds = HOLDS_FILE,
                                          .summary = SV_INIT("save the plan, for deploy --plan")};
static const struct cli_option opt_destroy = {
    .name = SV_INIT("destroy"), .type = OPTION_FLAG, .summary = SV_INIT("plan the destruction of the instance")};
static const struct cli_option opt_refresh = {.name = SV_INIT("refresh"),
                                              .type = OPTION_FLAG,
                                              .fallback = SV_INIT("true"),
                                              .summary =
                                                  SV_INIT("look at the real objects first; --refresh=false skips it")};
static const struct cli_option opt_detailed = {
    .name = SV_INIT("detailed-exitcode"), .type = OPTION_FLAG, .summary = SV_INIT("exit 2 when there are changes")};
static const struct cli_option opt_plan = {.name = SV_INIT("plan"),
                                           .type = OPTION_TEXT,
                                           .value_name = SV_INIT("FILE"),
                                           .holds = HOLDS_FILE,
                                           .summary = SV_INIT("carry out exactly this saved plan")};
static const struct cli_option opt_auto_approve = {
    .name = SV_INIT("auto-approve"), .letter = 'y', .type = OPTION_FLAG, .summary = SV_INIT("do not ask for consent")};
static const struct cli_option opt_accept_drift = {.name = SV_INIT("accept-drift"),
                                                   .type = OPTION_FLAG,
                                                   .summary =
                                                       SV_INIT("go on from the real state although it has drifted")};
static const struct cli_option opt_force = {.name = SV_INIT("force"),
                                            .type = OPTION_FLAG,
                                            .summary = SV_INIT("go on past elements whose fate nobody can tell")};
static const struct cli_option opt_raw = {
    .name = SV_INIT("raw"), .type = OPTION_FLAG, .summary = SV_INIT("the bare text of one export")};
static const struct cli_option opt_show_sensitive = {.name = SV_INIT("show-sensitive"),
                                                     .type = OPTION_FLAG,
                                                     .summary =
                                                         SV_INIT("show secrets; needs a terminal or --yes-i-mean-it")};
static const struct cli_option opt_i_mean_it = {.name = SV_INIT("yes-i-mean-it"),
                                                .type = OPTION_FLAG,
                                                .summary = SV_INIT("consent to --show-sensitive without a terminal")};
static const struct cli_option opt_all_contexts = {
    .name = SV_INIT("all-contexts"), .type = OPTION_FLAG, .summary = SV_INIT("instances of every name space")};
static const struct cli_option opt_man = {
    .name = SV_INIT("man"), .type = OPTION_FLAG, .summary = SV_INIT("print the manual page")};
static const struct cli_option opt_markdown = {
    .name = SV_INIT("markdown"), .type = OPTION_FLAG, .summary = SV_INIT("print the reference as Markdown")};

static const struct cli_option *const validate_options[] = {&opt_var, &opt_vars, &opt_input_format, &opt_format,
                                                            &opt_no_providers};
static const struct cli_option *const plan_options[] = {
    &opt_var, &opt_vars,    &opt_input_format, &opt_instance, &opt_instance_name,  &opt_instance_id,
    &opt_out, &opt_destroy, &opt_refresh,      &opt_detailed, &opt_show_sensitive, &opt_i_mean_it};
static const struct cli_option *const deploy_options[] = {
    &opt_var,  &opt_vars,         &opt_input_format, &opt_instance,     &opt_instance_name, &opt_instance_id,
    &opt_plan, &opt_auto_approve, &opt_refresh,      &opt_accept_drift, &opt_force};
static const struct cli_option *const destroy_options[] = {&opt_instance,     &opt_instance_name, &opt_instance_id,
                                                           &opt_plan,         &opt_auto_approve,  &opt_refresh,
                                                           &opt_accept_drift, &opt_force};
static const struct cli_option *const show_options[] = {&opt_instance, &opt_instance_name, &opt_instance_id,
                                                        &opt_show_sensitive, &opt_i_mean_it};
static const struct cli_option *const list_options[] = {&opt_all_contexts};
static const struct cli_option *const output_options[] = {&opt_instance, &opt_instance_name,  &opt_instance_id,
                                                          &opt_raw,      &opt_show_sensitive, &opt_i_mean_it};
static const struct cli_option *const help_options[] = {&opt_man, &opt_markdown};
static const struct cli_option *const reference_options[] = {&opt_markdown};

/* --- arguments --- */

static const struct cli_argument arg_files[] = {
    {SV_INIT("FILE"), true, true,
     SV_INIT("blueprints; blueprint.yaml, .json or .jsonc by default; - is standard input")}};
static const struct cli_argument arg_file[] = {
    {SV_INIT("FILE"), true, false,
     SV_INIT("the blueprint; blueprint.yaml, .json or .jsonc by default; - is standard input")}};
static const struct cli_argument arg_address[] = {
    {SV_INIT("ADDRESS"), true, false, SV_INIT("an element (resources.api, links.a::b, exports.url) or a plan file")}};
static const struct cli_argument arg_export[] = {
    {.name = SV_INIT("NAME"), .optional = true, .summary = SV_INIT("one export")}};
static const struct cli_argument arg_function[] = {
    {.name = SV_INIT("NAME"), .optional = true, .summary = SV_INIT("one function")}};
static const struct cli_argument arg_type[] = {
    {SV_INIT("TYPE"), true, false, SV_INIT("one resource type, or a provider")}};
static const struct cli_argument arg_code[] = {
    {.name = SV_INIT("CODE"), .optional = true, .summary = SV_INIT("one diagnostic code")}};
static const struct cli_argument arg_shell[] = {
    {.name = SV_INIT("SHELL"), .summary = SV_INIT("bash, zsh or fish"), .choices = SV_INIT("bash|fish|zsh")}};
static const struct cli_argument arg_topic[] = {
    {.name = SV_INIT("TOPIC"), .optional = true, .summary = SV_INIT("a command"), .names_command = true}};

/* --- exit codes --- */

static const enum exit_code exits_reference[] = {EXIT_OK, EXIT_INVALID, EXIT_USAGE};
static const enum exit_code exits_validate[] = {EXIT_OK, EXIT_INVALID, EXIT_USAGE};
static const enum exit_code exits_plan[] = {EXIT_OK, EXIT_FAILED, EXIT_CHANGES, EXIT_INVALID, EXIT_USAGE};
static const enum exit_code exits_run[] = {EXIT_OK,     EXIT_FAILED, EXIT_DRIFT,    EXIT_INVALID, EXIT_USAGE,
                                           EXIT_LOCKED, EXIT_STALE,  EXIT_PART_WAY, EXIT_SIGINT,  EXIT_SIGTERM};
static const enum exit_code exits_read[] = {EXIT_OK, EXIT_FAILED, EXIT_INVALID, EXIT_USAGE};

/* --- examples --- */

static const sv ex_completion[] = {SV_INIT("lintel completion bash > /etc/bash_completion.d/lintel")};
static const sv ex_config[] = {SV_INIT("lintel config --json")};
static const sv ex_deploy[] = {SV_INIT("lintel deploy"), SV_INIT("lintel deploy --auto-approve --var region=eu"),
                               SV_INIT("lintel deploy --plan plan.json")};
static const sv ex_destroy[] = {SV_INIT("lintel destroy"), SV_INIT("lintel destroy -i orders --auto-approve")};
static const sv ex_errors[] = {SV_INIT("lintel errors"), SV_INIT("lintel errors missing_variable")};
static const sv ex_functions[] = {SV_INIT("lintel functions"), SV_INIT("lintel functions substr")};
static const sv ex_help[] = {SV_INIT("lintel help deploy"), SV_INIT("lintel help --json")};
static const sv ex_list[] = {SV_INIT("lintel list --json")};
static const sv ex_output[] = {SV_INIT("lintel output"), SV_INIT("lintel output url --raw")};
static const sv ex_plan[] = {SV_INIT("lintel plan"), SV_INIT("lintel plan --out plan.json"),
                             SV_INIT("lintel plan --detailed-exitcode --json")};
static const sv ex_providers[] = {SV_INIT("lintel providers"), SV_INIT("lintel providers local/file")};
static const sv ex_show[] = {SV_INIT("lintel show"), SV_INIT("lintel show resources.api"),
                             SV_INIT("lintel show plan.json")};
static const sv ex_validate[] = {SV_INIT("lintel validate"), SV_INIT("lintel validate --format sarif app.yaml")};
static const sv ex_version[] = {SV_INIT("lintel version --json")};

/* --- commands --- */

#define ARGS(array)     .arguments = (array), .argument_count = COUNT(array)
#define OPTIONS(array)  .options = (array), .option_count = COUNT(array)
#define EXAMPLES(array) .examples = (array), .example_count = COUNT(array)
#define EXITS(array)    .exits = (array), .exit_count = COUNT(array)

static const struct cli_command cmd_completion = {.name = SV_INIT("completion"),
                                                  .summary = SV_INIT("print a completion script for a shell"),
                                                  ARGS(arg_shell),
                                                  EXAMPLES(ex_completion),
                                                  EXITS(exits_reference),
                                                  .output = OUTPUT_ONE_SHOT,
                                                  .run = cmd_completion_run};
static const struct cli_command cmd_config = {
    .name = SV_INIT("config"),
    .summary = SV_INIT("show every setting and where it comes from"),
    .details = SV_INIT("A setting is taken from the option, else from the environment (LINTEL_ and the option's name "
                       "in capitals), else from the nearest lintel.yaml upwards, else the default holds."),
    EXAMPLES(ex_config),
    EXITS(exits_reference),
    .output = OUTPUT_ONE_SHOT,
    .knows_all_settings = true,
    .run = cmd_config_run};
static const struct cli_command cmd_deploy = {
    .name = SV_INIT("deploy"),
    .summary = SV_INIT("plan and carry out, after consent"),
    .details = SV_INIT("Shows the plan, asks for 'yes' on a terminal, and carries it out. Without a terminal, "
                       "--auto-approve or --plan is needed. What a killed run left open is settled first; running "
                       "deploy again after any failure is safe."),
    ARGS(arg_file),
    OPTIONS(deploy_options),
    EXAMPLES(ex_deploy),
    EXITS(exits_run),
    .output = OUTPUT_EVENTS,
    .run = cmd_deploy_run};
static const struct cli_command cmd_destroy = {.name = SV_INIT("destroy"),
                                               .summary =
                                                   SV_INIT("remove everything an instance has deployed, after consent"),
                                               OPTIONS(destroy_options),
                                               EXAMPLES(ex_destroy),
                                               EXITS(exits_run),
                                               .output = OUTPUT_EVENTS,
                                               .run = cmd_destroy_run};
static const struct cli_command cmd_errors = {.name = SV_INIT("errors"),
                                              .summary = SV_INIT("reference of all diagnostic codes"),
                                              ARGS(arg_code),
                                              OPTIONS(reference_options),
                                              EXAMPLES(ex_errors),
                                              EXITS(exits_reference),
                                              .output = OUTPUT_ONE_SHOT,
                                              .run = cmd_errors_run};
static const struct cli_command cmd_functions = {.name = SV_INIT("functions"),
                                                 .summary = SV_INIT("reference of all functions"),
                                                 ARGS(arg_function),
                                                 OPTIONS(reference_options),
                                                 EXAMPLES(ex_functions),
                                                 EXITS(exits_reference),
                                                 .output = OUTPUT_ONE_SHOT,
                                                 .run = cmd_functions_run};
static const struct cli_command cmd_help = {.name = SV_INIT("help"),
                                            .summary = SV_INIT("help on a command"),
                                            ARGS(arg_topic),
                                            OPTIONS(help_options),
                                            EXAMPLES(ex_help),
                                            EXITS(exits_reference),
                                            .output = OUTPUT_ONE_SHOT,
                                            .run = cmd_help_run};
static const struct cli_command cmd_list = {.name = SV_INIT("list"),
                                            .summary = SV_INIT("list the instances in the state store"),
                                            OPTIONS(list_options),
                                            EXAMPLES(ex_list),
                                            EXITS(exits_read),
                                            .output = OUTPUT_ONE_SHOT,
                                            .run = cmd_list_run};
static const struct cli_command cmd_output = {.name = SV_INIT("output"),
                                              .summary = SV_INIT("show the exports of an instance"),
                                              ARGS(arg_export),
                                              OPTIONS(output_options),
                                              EXAMPLES(ex_output),
                                              EXITS(exits_read),
                                              .output = OUTPUT_ONE_SHOT,
                                              .run = cmd_output_run};
static const struct cli_command cmd_plan = {
    .name = SV_INIT("plan"),
    .alias = SV_INIT("stage"),
    .summary = SV_INIT("show what a deployment would change"),
    .details = SV_INIT(
        "Compares the blueprint with the stored state and the real objects. Changes nothing and takes no lock."),
    ARGS(arg_file),
    OPTIONS(plan_options),
    EXAMPLES(ex_plan),
    EXITS(exits_plan),
    .output = OUTPUT_ONE_SHOT,
    .run = cmd_plan_run};
static const struct cli_command cmd_providers = {.name = SV_INIT("providers"),
                                                 .summary = SV_INIT("reference of providers, resource types and links"),
                                                 ARGS(arg_type),
                                                 OPTIONS(reference_options),
                                                 EXAMPLES(ex_providers),
                                                 EXITS(exits_reference),
                                                 .output = OUTPUT_ONE_SHOT,
                                                 .run = cmd_providers_run};
static const struct cli_command cmd_show = {.name = SV_INIT("show"),
                                            .summary = SV_INIT("show an instance, one element of it, or a saved plan"),
                                            ARGS(arg_address),
                                            OPTIONS(show_options),
                                            EXAMPLES(ex_show),
                                            EXITS(exits_read),
                                            .output = OUTPUT_ONE_SHOT,
                                            .run = cmd_show_run};
static const struct cli_command cmd_validate = {
    .name = SV_INIT("validate"),
    .summary = SV_INIT("check blueprints without looking at any state"),
    .details = SV_INIT("Reports every independent mistake with its place and what to do. Has no effects."),
    ARGS(arg_files),
    OPTIONS(validate_options),
    EXAMPLES(ex_validate),
    EXITS(exits_validate),
    .output = OUTPUT_ONE_SHOT,
    .run = cmd_validate_run};
static const struct cli_command cmd_version = {.name = SV_INIT("version"),
                                               .summary = SV_INIT("print the version"),
                                               EXAMPLES(ex_version),
                                               EXITS(exits_reference),
                                               .output = OUTPUT_ONE_SHOT,
                                               .run = cmd_version_run};

const struct cli_command *const cli_commands[] = {
    &cmd_completion, &cmd_config, &cmd_deploy, &cmd_destroy,   &cmd_errors, &cmd_functions, &cmd_help,
    &cmd_list,       &cmd_output, &cmd_plan,   &cmd_providers, &cmd_show,   &cmd_validate,  &cmd_version,
};
const size_t cli_command_count = COUNT(cli_commands);

const struct cli_command *cli_find_command(sv name) {
    for (size_t i = 0; i < cli_command_count; i++) {
        if (sv_eq(cli_commands[i]->name, name) || (name.len > 0 && sv_eq(cli_commands[i]->alias, name)))
            return cli_commands[i];
    }
    return NULL;
}

/* --- the one table of exit codes --- */

const enum exit_code exit_codes[] = {EXIT_OK,          EXIT_FAILED,   EXIT_CHANGES, EXIT_DRIFT,
                                     EXIT_INVALID,     EXIT_USAGE,    EXIT_LOCKED,  EXIT_STALE,
                                     EXIT_ROLLED_BACK, EXIT_PART_WAY, EXIT_SIGINT,  EXIT_SIGTERM};
const size_t exit_code_count = COUNT(exit_codes);

sv exit_code_get_meaning(enum exit_code code) {
    switch (code) {
    case EXIT_OK:
        return SV("done, or no change");
    case EXIT_FAILED:
        return SV("failed");
    case EXIT_CHANGES:
        return SV("there are changes (with --detailed-exitcode)");
    case EXIT_DRIFT:
        return SV("drift found");
    case EXIT_INVALID:
        return SV("invalid input");
    case EXIT_USAGE:
        return SV("wrong usage, or no consent");
    case EXIT_LOCKED:
        return SV("locked by another run, or lease lost");
    case EXIT_STALE:
        return SV("the plan is stale");
    case EXIT_ROLLED_BACK:
        return SV("failed and rolled back");
    case EXIT_PART_WAY:
        return SV("failed part way; the state is true");
    case EXIT_SIGINT:
        return SV("ended by SIGINT");
    case EXIT_SIGTERM:
        return SV("ended by SIGTERM");
    }
    return SV("");
}
