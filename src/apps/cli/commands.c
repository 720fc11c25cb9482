/* The table of all commands (CLI-003): parsing, help, man pages, completions and the reference come from here. */
#include "apps/cli/commands.h"
#include "apps/cli/table.h"

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
                                            .summary = SV_INIT("state store: a path, sqlite:PATH or postgres://…")};
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
static const struct cli_option opt_strict = {.name = SV_INIT("strict"),
                                             .type = OPTION_FLAG,
                                             .summary =
                                                 SV_INIT("unknown keys and unknown variables of includes are errors")};
static const struct cli_option opt_key = {.name = SV_INIT("key"),
                                          .type = OPTION_TEXT,
                                          .value_name = SV_INIT("SPEC"),
                                          .holds = HOLDS_KEY,
                                          .fallback = SV_INIT("file:.lintel/vault/CONTEXT.key"),
                                          .internal_default = true,
                                          .summary =
                                              SV_INIT("sealing key: file:PATH, env:NAME, command:ARGV or passphrase")};
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

static const struct cli_option opt_log = {.name = SV_INIT("log"),
                                          .type = OPTION_TEXT,
                                          .value_name = SV_INIT("FILE"),
                                          .holds = HOLDS_FILE,
                                          .summary =
                                              SV_INIT("append events and diagnostics to FILE, one JSON object a line")};
static const struct cli_option opt_offline = {
    .name = SV_INIT("offline"), .type = OPTION_FLAG, .summary = SV_INIT("fetch nothing; what is cached is used")};
static const struct cli_option opt_pure = {
    .name = SV_INIT("pure"),
    .type = OPTION_FLAG,
    .summary = SV_INIT("run no program, open no connection, read nothing outside the template's tree")};
static const struct cli_option opt_allow_outside = {
    .name = SV_INIT("allow-outside"),
    .type = OPTION_FLAG,
    .summary = SV_INIT("let includes and files lie outside the directory of the blueprint")};
static const struct cli_option opt_allow_private = {
    .name = SV_INIT("allow-private"),
    .type = OPTION_FLAG,
    .summary = SV_INIT("let templates fetch from loopback and private addresses that they name")};
static const struct cli_option opt_plugin_path = {
    .name = SV_INIT("plugin-path"),
    .type = OPTION_TEXT,
    .value_name = SV_INIT("DIRS"),
    .holds = HOLDS_PATH_LIST,
    .summary = SV_INIT("directories with transforms, providers and plugins, ':' between them")};
static const struct cli_option opt_module_root = {.name = SV_INIT("module-root"),
                                                  .type = OPTION_TEXT,
                                                  .value_name = SV_INIT("DIR"),
                                                  .holds = HOLDS_DIRECTORY,
                                                  .repeatable = true,
                                                  .summary = SV_INIT("a directory with modules, as NAME/VERSION")};

static const struct cli_option opt_limit = {
    .name = SV_INIT("limit"),
    .type = OPTION_TEXT,
    .value_name = SV_INIT("NAME=N"),
    .holds = HOLDS_LIMIT,
    .repeatable = true,
    .summary = SV_INIT("moves a limit; their names: chapter Limits of docs/operations.md")};
static const struct cli_option opt_keep_history = {.name = SV_INIT("keep-history"),
                                                   .type = OPTION_NUMBER,
                                                   .value_name = SV_INIT("N"),
                                                   .fallback = SV_INIT("50"),
                                                   .summary = SV_INIT("runs that the history of an instance keeps")};
static const struct cli_option opt_lease_time = {
    .name = SV_INIT("lease-time"),
    .type = OPTION_DURATION,
    .value_name = SV_INIT("D"),
    .fallback = SV_INIT("60s"),
    .summary = SV_INIT("how long a run that gives no sign of life holds its instance")};
static const struct cli_option opt_drain_time = {
    .name = SV_INIT("drain-time"),
    .type = OPTION_DURATION,
    .value_name = SV_INIT("D"),
    .fallback = SV_INIT("2m"),
    .summary = SV_INIT("how long operations under way are awaited after a failure")};
static const struct cli_option opt_stable_time = {.name = SV_INIT("stable-time"),
                                                  .type = OPTION_DURATION,
                                                  .value_name = SV_INIT("D"),
                                                  .fallback = SV_INIT("30m"),
                                                  .summary = SV_INIT("how long a resource may take to become stable")};

const struct cli_option *const cli_global_options[] = {
    &opt_help,          &opt_dir,         &opt_state,        &opt_context, &opt_json,         &opt_json_into,
    &opt_color,         &opt_quiet,       &opt_verbose,      &opt_log,     &opt_strict,       &opt_offline,
    &opt_pure,          &opt_plugin_path, &opt_module_root,  &opt_key,     &opt_no_seal,      &opt_allow_outside,
    &opt_allow_private, &opt_parallel,    &opt_lock_timeout, &opt_limit,   &opt_keep_history, &opt_lease_time,
    &opt_drain_time,    &opt_stable_time,
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
                                             .value_name = SV_INIT("text|json|sarif|junit"),
                                             .fallback = SV_INIT("text"),
                                             .summary = SV_INIT("form of the result"),
                                             .chooses_machine = true};
static const struct cli_option opt_no_providers = {.name = SV_INIT("no-providers"),
                                                   .type = OPTION_FLAG,
                                                   .summary = SV_INIT("check no resource types, schemas and links")};
static const struct cli_option opt_schemas = {.name = SV_INIT("schemas"),
                                              .type = OPTION_TEXT,
                                              .value_name = SV_INIT("FILE"),
                                              .holds = HOLDS_FILE,
                                              .repeatable = true,
                                              .summary = SV_INIT("types that no provider here implements")};
static const struct cli_option opt_no_transforms = {
    .name = SV_INIT("no-transforms"), .type = OPTION_FLAG, .summary = SV_INIT("do not run transforms")};
static const struct cli_option opt_check = {.name = SV_INIT("check"),
                                            .type = OPTION_FLAG,
                                            .summary = SV_INIT("write nothing; exit 2 when a file would change")};
static const struct cli_option opt_diff = {
    .name = SV_INIT("diff"), .type = OPTION_FLAG, .summary = SV_INIT("write nothing; show what would change")};
static const struct cli_option opt_example = {.name = SV_INIT("example"),
                                              .type = OPTION_CHOICE,
                                              .value_name = SV_INIT("minimal|database"),
                                              .fallback = SV_INIT("minimal"),
                                              .summary = SV_INIT("what the project deploys")};
static const struct cli_option opt_all = {
    .name = SV_INIT("all"), .type = OPTION_FLAG, .summary = SV_INIT("settings nobody has set, too")};
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
static const struct cli_option opt_target = {
    .name = SV_INIT("target"),
    .type = OPTION_TEXT,
    .value_name = SV_INIT("ADDRESS"),
    .repeatable = true,
    .summary = SV_INIT("only this element and all it uses; of destruction: all that uses it")};
static const struct cli_option opt_exclude = {
    .name = SV_INIT("exclude"),
    .type = OPTION_TEXT,
    .value_name = SV_INIT("ADDRESS"),
    .repeatable = true,
    .summary = SV_INIT("not this element nor what uses it; of destruction: nor what it uses")};
static const struct cli_option opt_replace = {.name = SV_INIT("replace"),
                                              .type = OPTION_TEXT,
                                              .value_name = SV_INIT("ADDRESS"),
                                              .repeatable = true,
                                              .summary = SV_INIT("make the object of this resource anew")};
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
static const struct cli_option opt_summary = {
    .name = SV_INIT("summary"), .type = OPTION_FLAG, .summary = SV_INIT("show the plan in a line per element")};
static const struct cli_option opt_only = {
    .name = SV_INIT("only"),
    .type = OPTION_TEXT,
    .value_name = SV_INIT("KINDS"),
    .repeatable = true,
    .summary = SV_INIT("show only changes of these kinds: create,update,replace,destroy,read,retain")};
static const struct cli_option opt_md = {
    .name = SV_INIT("md"), .type = OPTION_FLAG, .summary = SV_INIT("show the plan as Markdown, for a pull request")};
static const struct cli_option opt_approve = {
    .name = SV_INIT("approve"),
    .type = OPTION_TEXT,
    .value_name = SV_INIT("KINDS"),
    .repeatable = true,
    .summary = SV_INIT("do not ask when the plan has only changes of these kinds (create,update,…)")};
static const struct cli_option opt_deny = {
    .name = SV_INIT("deny"),
    .type = OPTION_TEXT,
    .value_name = SV_INIT("KINDS:PATTERN"),
    .repeatable = true,
    .summary = SV_INIT("refuse plans that change such elements so, whoever consents: 'destroy:resources.db*'")};
static const struct cli_option opt_timings = {
    .name = SV_INIT("timings"),
    .type = OPTION_FLAG,
    .summary = SV_INIT("say where the time went: the critical path and the slowest elements")};
static const struct cli_option opt_trace = {.name = SV_INIT("trace"),
                                            .type = OPTION_TEXT,
                                            .value_name = SV_INIT("FILE"),
                                            .holds = HOLDS_FILE,
                                            .summary = SV_INIT("write when what ran, in Chrome's trace format")};
static const struct cli_option opt_queue = {.name = SV_INIT("queue"),
                                            .type = OPTION_FLAG,
                                            .summary =
                                                SV_INIT("do not carry the plan out here: queue it for 'lintel work'")};
static const struct cli_option opt_wait = {.name = SV_INIT("wait"),
                                           .type = OPTION_FLAG,
                                           .summary =
                                               SV_INIT("with --queue: follow the run to its end and exit as it does")};
static const struct cli_option opt_once = {
    .name = SV_INIT("once"), .type = OPTION_FLAG, .summary = SV_INIT("end after one run; wait for it if need be")};
static const struct cli_option opt_until_empty = {
    .name = SV_INIT("until-empty"), .type = OPTION_FLAG, .summary = SV_INIT("end when there is no run to take")};
static const struct cli_option opt_all_runs = {
    .name = SV_INIT("all"), .type = OPTION_FLAG, .summary = SV_INIT("runs that are over, too")};
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
static const struct cli_option opt_reason = {.name = SV_INIT("reason"),
                                             .type = OPTION_TEXT,
                                             .value_name = SV_INIT("TEXT"),
                                             .summary = SV_INIT("why; kept in the history of the instance")};
static const struct cli_option opt_dry_run = {
    .name = SV_INIT("dry-run"), .type = OPTION_FLAG, .summary = SV_INIT("show what would change; write nothing")};
static const struct cli_option opt_new_key = {.name = SV_INIT("new-key"),
                                              .type = OPTION_TEXT,
                                              .value_name = SV_INIT("SPEC"),
                                              .holds = HOLDS_KEY,
                                              .summary = SV_INIT("rekey: the sealing key from now on, as for --key")};
static const struct cli_option opt_rotate = {.name = SV_INIT("rotate"),
                                             .type = OPTION_FLAG,
                                             .summary =
                                                 SV_INIT("rekey: another data key; all secrets are sealed anew")};
static const struct cli_option opt_key_is_lost = {
    .name = SV_INIT("key-is-lost"),
    .type = OPTION_FLAG,
    .summary = SV_INIT("rekey: give up the secrets of a key that nobody has any more")};
static const struct cli_option opt_man = {
    .name = SV_INIT("man"), .type = OPTION_FLAG, .summary = SV_INIT("print the manual page")};
static const struct cli_option opt_dialect = {.name = SV_INIT("dialect"),
                                              .type = OPTION_CHOICE,
                                              .value_name = SV_INIT("blueprint"),
                                              .fallback = SV_INIT("blueprint"),
                                              .summary = SV_INIT("whose functions")};
static const struct cli_option opt_markdown = {
    .name = SV_INIT("markdown"), .type = OPTION_FLAG, .summary = SV_INIT("print the reference as Markdown")};

static const struct cli_option opt_graph_format = {.name = SV_INIT("format"),
                                                   .type = OPTION_CHOICE,
                                                   .value_name = SV_INIT("dot|mermaid|json|svg"),
                                                   .fallback = SV_INIT("dot"),
                                                   .summary = SV_INIT("form of the graph; svg needs graphviz"),
                                                   .chooses_machine = true};
static const struct cli_option opt_render_format = {.name = SV_INIT("format"),
                                                    .type = OPTION_CHOICE,
                                                    .value_name = SV_INIT("yaml|json"),
                                                    .fallback = SV_INIT("that of the file"),
                                                    .internal_default = true,
                                                    .summary = SV_INIT("form of the blueprint")};
static const struct cli_option opt_focus = {.name = SV_INIT("focus"),
                                            .type = OPTION_TEXT,
                                            .value_name = SV_INIT("ADDRESS"),
                                            .summary = SV_INIT("only this element and what is near it")};
static const struct cli_option opt_depth = {.name = SV_INIT("depth"),
                                            .type = OPTION_NUMBER,
                                            .value_name = SV_INIT("N"),
                                            .fallback = SV_INIT("1"),
                                            .summary = SV_INIT("how many edges away from the focus")};
static const struct cli_option opt_with_plan = {
    .name = SV_INIT("plan"), .type = OPTION_FLAG, .summary = SV_INIT("mark what a deployment would do")};

static const struct cli_option opt_rollback = {
    .name = SV_INIT("rollback"),
    .type = OPTION_FLAG,
    .summary = SV_INIT("after a failure, go back to the state before; exit code 8 when that was done")};
static const struct cli_option opt_at = {.name = SV_INIT("at"),
                                         .type = OPTION_TEXT,
                                         .value_name = SV_INIT("RUN"),
                                         .summary =
                                             SV_INIT("as it was after that run: its number or id in the history")};

static const struct cli_option *const validate_options[] = {
    &opt_no_transforms, &opt_var, &opt_vars, &opt_input_format, &opt_format, &opt_no_providers, &opt_schemas};
static const struct cli_option *const config_options[] = {&opt_all};
static const struct cli_option *const fmt_options[] = {&opt_check, &opt_diff, &opt_input_format};
static const struct cli_option *const init_options[] = {&opt_example};
static const struct cli_option *const plan_options[] = {
    &opt_var,      &opt_vars,           &opt_input_format, &opt_instance, &opt_instance_name, &opt_instance_id,
    &opt_out,      &opt_destroy,        &opt_refresh,      &opt_target,   &opt_exclude,       &opt_replace,
    &opt_detailed, &opt_show_sensitive, &opt_i_mean_it,    &opt_summary,  &opt_only,          &opt_md};
static const struct cli_option *const deploy_options[] = {
    &opt_var,      &opt_vars,         &opt_input_format, &opt_instance, &opt_instance_name, &opt_instance_id,
    &opt_plan,     &opt_auto_approve, &opt_approve,      &opt_deny,     &opt_refresh,       &opt_target,
    &opt_exclude,  &opt_replace,      &opt_accept_drift, &opt_force,    &opt_timings,       &opt_trace,
    &opt_rollback, &opt_queue,        &opt_wait};
static const struct cli_option *const destroy_options[] = {
    &opt_instance, &opt_instance_name, &opt_instance_id, &opt_plan,    &opt_auto_approve, &opt_approve,
    &opt_deny,     &opt_refresh,       &opt_target,      &opt_exclude, &opt_accept_drift, &opt_force,
    &opt_timings,  &opt_trace,         &opt_queue,       &opt_wait};
static const struct cli_option *const queue_options[] = {&opt_all_runs, &opt_all_contexts};
static const struct cli_option *const work_options[] = {&opt_once, &opt_until_empty, &opt_deny};
static const struct cli_option *const drift_options[] = {&opt_instance, &opt_instance_name, &opt_instance_id,
                                                         &opt_show_sensitive, &opt_i_mean_it};
static const struct cli_option *const show_options[] = {&opt_instance, &opt_instance_name,  &opt_instance_id,
                                                        &opt_at,       &opt_show_sensitive, &opt_i_mean_it};
static const struct cli_option *const rollback_options[] = {
    &opt_instance, &opt_instance_name, &opt_instance_id, &opt_dry_run, &opt_auto_approve,
    &opt_approve,  &opt_deny,          &opt_refresh,     &opt_timings, &opt_trace};
static const struct cli_option *const history_options[] = {&opt_instance, &opt_instance_name, &opt_instance_id,
                                                           &opt_detailed};
static const struct cli_option opt_all_instances = {
    .name = SV_INIT("all"), .type = OPTION_FLAG, .summary = SV_INIT("export: every instance of the name space")};
static const struct cli_option *const state_options[] = {
    &opt_instance, &opt_instance_name, &opt_instance_id,  &opt_dry_run, &opt_all_instances, &opt_auto_approve,
    &opt_var,      &opt_vars,          &opt_input_format, &opt_new_key, &opt_rotate,        &opt_key_is_lost};
static const struct cli_option *const unlock_options[] = {&opt_reason};
static const struct cli_option *const list_options[] = {&opt_all_contexts};
static const struct cli_option *const output_options[] = {&opt_instance, &opt_instance_name,  &opt_instance_id,
                                                          &opt_raw,      &opt_show_sensitive, &opt_i_mean_it};
static const struct cli_option *const graph_options[] = {
    &opt_var,          &opt_vars,  &opt_input_format, &opt_instance,  &opt_instance_name, &opt_instance_id,
    &opt_graph_format, &opt_focus, &opt_depth,        &opt_with_plan, &opt_refresh};
static const struct cli_option *const inspect_options[] = {&opt_var,      &opt_vars,          &opt_input_format,
                                                           &opt_instance, &opt_instance_name, &opt_instance_id};
static const struct cli_option *const render_options[] = {&opt_var,           &opt_vars,           &opt_input_format,
                                                          &opt_instance,      &opt_instance_name,  &opt_instance_id,
                                                          &opt_render_format, &opt_show_sensitive, &opt_i_mean_it};
static const struct cli_option *const help_options[] = {&opt_man, &opt_markdown};
static const struct cli_option *const reference_options[] = {&opt_markdown};
static const struct cli_option *const functions_options[] = {&opt_dialect, &opt_markdown};

/* --- arguments --- */

static const struct cli_argument arg_files[] = {
    {SV_INIT("FILE"), true, true,
     SV_INIT("blueprints; blueprint.yaml, .json or .jsonc by default; - is standard input")}};
static const struct cli_argument arg_file[] = {
    {SV_INIT("FILE"), true, false,
     SV_INIT("the blueprint; blueprint.yaml, .json or .jsonc by default; - is standard input")}};
static const struct cli_argument arg_plan[] = {
    {SV_INIT("FILE"), true, false,
     SV_INIT("the blueprint; blueprint.yaml, .json or .jsonc by default; - is standard input; or 'diff'")},
    {SV_INIT("A"), true, false, SV_INIT("behind 'diff': a saved plan")},
    {SV_INIT("B"), true, false, SV_INIT("the plan that it is compared with")}};
static const struct cli_argument arg_address_file[] = {
    {.name = SV_INIT("ADDRESS"), .summary = SV_INIT("a value, a field (resources.api.spec.port), an export …")},
    {SV_INIT("FILE"), true, false, SV_INIT("the blueprint; blueprint.yaml, .json or .jsonc by default")}};
static const struct cli_argument arg_new_directory[] = {
    {.name = SV_INIT("DIR"), .optional = true, .summary = SV_INIT("where to; made when missing; default: here")}};
static const struct cli_argument arg_address[] = {
    {SV_INIT("ADDRESS"), true, false, SV_INIT("an element (resources.api, links.a::b, exports.url) or a plan file")}};
static const struct cli_argument arg_state[] = {
    {.name = SV_INIT("ACTION"),
     .summary = SV_INIT("what to do"),
     .choices = SV_INIT("apply|export|import|list|mv|rekey|rescue|rm|show|undo")},
    {SV_INIT("ARGUMENT"), true, true, SV_INIT("addresses of elements; for apply, import and rescue a file")}};
static const struct cli_argument arg_locked[] = {
    {.name = SV_INIT("ID"), .summary = SV_INIT("id of the instance, or its name")}};
static const struct cli_argument arg_history[] = {
    {.name = SV_INIT("ACTION"),
     .optional = true,
     .summary = SV_INIT("what to show; default: list"),
     .choices = SV_INIT("diff|list")},
    {SV_INIT("RUN"), true, true, SV_INIT("behind 'diff': one run or two, by number or id; one: up to now")}};
static const struct cli_argument arg_queue[] = {{.name = SV_INIT("ACTION"),
                                                 .optional = true,
                                                 .summary = SV_INIT("what to do; default: list"),
                                                 .choices = SV_INIT("cancel|list")},
                                                {SV_INIT("RUN"), true, true, SV_INIT("behind 'cancel': ids of runs")}};
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
    {.name = SV_INIT("TOPIC"), .optional = true, .summary = SV_INIT("a command or group"), .names_command = true},
    {.name = SV_INIT("COMMAND"), .optional = true, .summary = SV_INIT("a command of the group")}};

/* --- exit codes --- */

static const enum exit_code exits_reference[] = {EXIT_OK, EXIT_INVALID, EXIT_USAGE};
static const enum exit_code exits_validate[] = {EXIT_OK, EXIT_INVALID, EXIT_USAGE};
static const enum exit_code exits_fmt[] = {EXIT_OK, EXIT_FAILED, EXIT_CHANGES, EXIT_INVALID, EXIT_USAGE};
static const enum exit_code exits_init[] = {EXIT_OK, EXIT_FAILED, EXIT_INVALID, EXIT_USAGE};
static const enum exit_code exits_plan[] = {EXIT_OK, EXIT_FAILED, EXIT_CHANGES, EXIT_INVALID, EXIT_USAGE};
static const enum exit_code exits_run[] = {EXIT_OK,     EXIT_FAILED, EXIT_DRIFT,    EXIT_INVALID, EXIT_USAGE,
                                           EXIT_LOCKED, EXIT_STALE,  EXIT_PART_WAY, EXIT_SIGINT,  EXIT_SIGTERM};
static const enum exit_code exits_deploy[] = {EXIT_OK,       EXIT_FAILED, EXIT_DRIFT,  EXIT_INVALID,
                                              EXIT_USAGE,    EXIT_LOCKED, EXIT_STALE,  EXIT_ROLLED_BACK,
                                              EXIT_PART_WAY, EXIT_SIGINT, EXIT_SIGTERM};
static const enum exit_code exits_drift[] = {EXIT_OK,     EXIT_FAILED, EXIT_DRIFT,  EXIT_INVALID, EXIT_USAGE,
                                             EXIT_LOCKED, EXIT_STALE,  EXIT_SIGINT, EXIT_SIGTERM};
static const enum exit_code exits_inspect[] = {EXIT_OK, EXIT_FAILED, EXIT_INVALID, EXIT_USAGE};
static const enum exit_code exits_read[] = {EXIT_OK, EXIT_FAILED, EXIT_INVALID, EXIT_USAGE};

static const enum exit_code exits_history[] = {EXIT_OK, EXIT_FAILED, EXIT_CHANGES, EXIT_INVALID, EXIT_USAGE};
static const enum exit_code exits_edit[] = {EXIT_OK,     EXIT_FAILED, EXIT_INVALID, EXIT_USAGE,
                                            EXIT_LOCKED, EXIT_SIGINT, EXIT_SIGTERM};
static const enum exit_code exits_work[] = {EXIT_OK,     EXIT_FAILED, EXIT_INVALID, EXIT_USAGE,
                                            EXIT_LOCKED, EXIT_SIGINT, EXIT_SIGTERM};

/* --- examples --- */

static const sv ex_completion[] = {SV_INIT("lintel completion bash > /etc/bash_completion.d/lintel")};
static const sv ex_config[] = {SV_INIT("lintel config"), SV_INIT("lintel config --all --json")};
static const sv ex_deploy[] = {SV_INIT("lintel deploy"), SV_INIT("lintel deploy --auto-approve --var region=eu"),
                               SV_INIT("lintel deploy --plan plan.json"),
                               SV_INIT("lintel deploy --queue --wait --auto-approve"),
                               SV_INIT("lintel deploy --approve create,update --deny 'replace:resources.db*'")};
static const sv ex_queue[] = {SV_INIT("lintel queue"), SV_INIT("lintel queue list --all --json"),
                              SV_INIT("lintel queue cancel 01M7X428A7RQAPJJ9B5NQTN4DA")};
static const sv ex_work[] = {SV_INIT("lintel work"), SV_INIT("lintel work --until-empty --json"),
                             SV_INIT("lintel work --once --parallel 4")};
static const sv ex_destroy[] = {SV_INIT("lintel destroy"), SV_INIT("lintel destroy -i orders --auto-approve")};
static const sv ex_drift[] = {SV_INIT("lintel drift"), SV_INIT("lintel drift -i orders --parallel 32 --json")};
static const sv ex_errors[] = {SV_INIT("lintel errors"), SV_INIT("lintel errors missing_variable")};
static const sv ex_console[] = {SV_INIT("lintel console"),
                                SV_INIT("echo 'len(values.hosts)' | lintel console app.yaml")};
static const sv ex_explain[] = {SV_INIT("lintel explain resources.api.spec.port"),
                                SV_INIT("lintel explain exports.url app.yaml --var env=prod --json")};
static const sv ex_graph[] = {SV_INIT("lintel graph --format svg > graph.svg"),
                              SV_INIT("lintel graph --format mermaid --focus resources.api --depth 2"),
                              SV_INIT("lintel graph --plan --format json")};
static const sv ex_fmt[] = {SV_INIT("lintel fmt"), SV_INIT("lintel fmt --check --diff app.yaml"),
                            SV_INIT("lintel fmt - < app.yaml")};
static const sv ex_functions[] = {SV_INIT("lintel functions"), SV_INIT("lintel functions substr")};
static const sv ex_help[] = {SV_INIT("lintel help deploy"), SV_INIT("lintel help dynaml merge"),
                             SV_INIT("lintel help --json")};
static const sv ex_history[] = {SV_INIT("lintel history"), SV_INIT("lintel history -i orders --json"),
                                SV_INIT("lintel history diff 3 5")};
static const sv ex_init[] = {SV_INIT("lintel init"), SV_INIT("lintel init shop --example database")};
static const sv ex_list[] = {SV_INIT("lintel list --json")};
static const sv ex_output[] = {SV_INIT("lintel output"), SV_INIT("lintel output url --raw")};
static const sv ex_plan[] = {
    SV_INIT("lintel plan"), SV_INIT("lintel plan --out plan.json"), SV_INIT("lintel plan --detailed-exitcode --json"),
    SV_INIT("lintel plan --summary --only replace,destroy"), SV_INIT("lintel plan diff before.json after.json")};
static const sv ex_providers[] = {SV_INIT("lintel providers"), SV_INIT("lintel providers local/file")};
static const sv ex_render[] = {SV_INIT("lintel render --var env=prod"),
                               SV_INIT("lintel render app.yaml --format json")};
static const sv ex_rollback[] = {SV_INIT("lintel rollback --dry-run"), SV_INIT("lintel rollback -i orders"),
                                 SV_INIT("lintel rollback -i orders --auto-approve")};
static const sv ex_show[] = {SV_INIT("lintel show"), SV_INIT("lintel show resources.api"),
                             SV_INIT("lintel show --at 12 resources.api"), SV_INIT("lintel show plan.json")};
static const sv ex_state[] = {SV_INIT("lintel state list"),
                              SV_INIT("lintel state mv resources.api resources.server"),
                              SV_INIT("lintel state rm resources.old --dry-run"),
                              SV_INIT("lintel state undo"),
                              SV_INIT("lintel state export --all > instances.json"),
                              SV_INIT("lintel state import instances.json --dry-run"),
                              SV_INIT("lintel state rekey --new-key passphrase --rotate")};
static const sv ex_unlock[] = {SV_INIT("lintel unlock orders --reason 'the build agent is gone'")};
static const sv ex_validate[] = {SV_INIT("lintel validate"), SV_INIT("lintel validate --format sarif app.yaml"),
                                 SV_INIT("lintel validate --no-providers --no-transforms app.yaml")};
static const sv ex_version[] = {SV_INIT("lintel version --json")};

/* --- commands --- */

static const struct cli_option opt_scope = {.name = SV_INIT("scope"),
                                            .type = OPTION_CHOICE,
                                            .value_name = SV_INIT("all|interrupted"),
                                            .fallback = SV_INIT("all"),
                                            .summary = SV_INIT("which elements are looked at")};
static const struct cli_option opt_no_children = {
    .name = SV_INIT("no-children"), .type = OPTION_FLAG, .summary = SV_INIT("leave elements of children out")};
static const struct cli_option opt_apply = {
    .name = SV_INIT("apply"), .type = OPTION_FLAG, .summary = SV_INIT("change the state, after consent")};
static const struct cli_option opt_accept_external = {.name = SV_INIT("accept-external"),
                                                      .type = OPTION_FLAG,
                                                      .summary =
                                                          SV_INIT("apply only what takes over changes made outside")};
static const struct cli_option opt_update_status = {.name = SV_INIT("update-status"),
                                                    .type = OPTION_FLAG,
                                                    .summary =
                                                        SV_INIT("apply only what sets statuses and records right")};
static const struct cli_option opt_cleaned_up = {
    .name = SV_INIT("cleaned-up"),
    .type = OPTION_FLAG,
    .summary = SV_INIT("what had to be cleaned up by hand has been: no object is left of it")};
static const struct cli_option opt_from = {.name = SV_INIT("from"),
                                           .type = OPTION_TEXT,
                                           .value_name = SV_INIT("FILE"),
                                           .summary = SV_INIT("a YAML mapping of addresses to ids: many at once")};
static const struct cli_option opt_claim = {
    .name = SV_INIT("force"),
    .type = OPTION_FLAG,
    .summary = SV_INIT("take objects that another instance of the store stands for, too")};
static const struct cli_option *const import_options[] = {
    &opt_var,  &opt_vars,    &opt_input_format, &opt_instance, &opt_instance_name, &opt_instance_id,
    &opt_from, &opt_refresh, &opt_auto_approve, &opt_dry_run,  &opt_claim};
static const struct cli_argument arg_import[] = {
    {SV_INIT("ADDRESS"), true, false, SV_INIT("a resource of the blueprint, as in resources.config; none with --from")},
    {SV_INIT("ID"), true, false, SV_INIT("its object, as the type names it: lintel providers TYPE; none with --from")},
    {SV_INIT("FILE"), true, false, SV_INIT("the blueprint; blueprint.yaml, .json or .jsonc by default")}};
static const sv ex_import[] = {SV_INIT("lintel import resources.config /etc/app.conf"),
                               SV_INIT("lintel import --from objects.yaml --dry-run")};
static const enum exit_code exits_import[] = {EXIT_OK,     EXIT_FAILED, EXIT_INVALID, EXIT_USAGE,
                                              EXIT_LOCKED, EXIT_STALE,  EXIT_SIGINT,  EXIT_SIGTERM};
static const struct cli_option *const reconcile_options[] = {
    &opt_instance, &opt_instance_name,   &opt_instance_id,   &opt_scope,      &opt_no_children,
    &opt_apply,    &opt_accept_external, &opt_update_status, &opt_cleaned_up, &opt_auto_approve};
static const struct cli_argument arg_addresses[] = {
    {SV_INIT("ADDRESS"), true, true, SV_INIT("elements, or children with all that belongs to them; default: all")}};
static const enum exit_code exits_reconcile[] = {EXIT_OK,     EXIT_FAILED, EXIT_DRIFT,    EXIT_INVALID, EXIT_USAGE,
                                                 EXIT_LOCKED, EXIT_STALE,  EXIT_PART_WAY, EXIT_SIGINT,  EXIT_SIGTERM};
static const sv ex_reconcile[] = {SV_INIT("lintel reconcile"), SV_INIT("lintel reconcile --scope interrupted --apply"),
                                  SV_INIT("lintel reconcile resources.api --apply --auto-approve")};

static const struct cli_command cmd_completion = {.name = SV_INIT("completion"),
                                                  .summary = SV_INIT("print a completion script for a shell"),
                                                  ARGS(arg_shell),
                                                  EXAMPLES(ex_completion),
                                                  EXITS(exits_reference),
                                                  .output = OUTPUT_ONE_SHOT,
                                                  .run = cmd_completion_run};
static const struct cli_command cmd_config = {
    .name = SV_INIT("config"),
    .summary = SV_INIT("show the settings and where they come from"),
    .details = SV_INIT("A setting is taken from the option, else from the environment (LINTEL_ and the option's name "
                       "in capitals), else from the nearest lintel.yaml upwards, else the default holds."),
    OPTIONS(config_options),
    EXAMPLES(ex_config),
    EXITS(exits_reference),
    .output = OUTPUT_ONE_SHOT,
    .knows_all_settings = true,
    .run = cmd_config_run};
static const struct cli_command cmd_console = {
    .name = SV_INIT("console"),
    .summary = SV_INIT("evaluate expressions against a blueprint and its state"),
    .details = SV_INIT("Reads an expression a line, from a terminal with history and completion, or from a pipe, and "
                       "prints its value. Nothing is changed. In a pipe the command fails if an expression did. Where "
                       "there is no blueprint, expressions can use functions only."),
    ARGS(arg_file),
    OPTIONS(inspect_options),
    EXAMPLES(ex_console),
    EXITS(exits_inspect),
    .output = OUTPUT_ONE_SHOT,
    .run = cmd_console_run};
static const struct cli_command cmd_deploy = {
    .name = SV_INIT("deploy"),
    .summary = SV_INIT("plan and carry out, after consent"),
    .details =
        SV_INIT("Shows the plan, asks for 'yes' on a terminal, and carries it out. Without a terminal, "
                "--auto-approve, --approve or --plan is needed. What a killed run left open is settled first; running "
                "deploy again after any failure is safe."),
    ARGS(arg_file),
    OPTIONS(deploy_options),
    EXAMPLES(ex_deploy),
    EXITS(exits_deploy),
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
static const struct cli_command cmd_drift = {
    .name = SV_INIT("drift"),
    .summary = SV_INIT("look for changes made outside of lintel"),
    .details = SV_INIT("Reads the real objects of an instance, 8 at a time or as many as --parallel says, and compares "
                       "them with the stored state. What differs is shown and noted beside the state, which itself "
                       "does not change: 'lintel reconcile' takes it over, 'lintel deploy' takes it back."),
    OPTIONS(drift_options),
    EXAMPLES(ex_drift),
    EXITS(exits_drift),
    .output = OUTPUT_ONE_SHOT,
    .run = cmd_drift_run};
static const struct cli_command cmd_errors = {.name = SV_INIT("errors"),
                                              .summary = SV_INIT("reference of all diagnostic codes"),
                                              ARGS(arg_code),
                                              OPTIONS(reference_options),
                                              EXAMPLES(ex_errors),
                                              EXITS(exits_reference),
                                              .output = OUTPUT_ONE_SHOT,
                                              .run = cmd_errors_run};
static const struct cli_command cmd_explain = {
    .name = SV_INIT("explain"),
    .summary = SV_INIT("show where a value comes from"),
    .details = SV_INIT("The chain of places, references, functions and defaults that gave the value, with the value at "
                       "every step. Stored state is used when there is an instance."),
    ARGS(arg_address_file),
    OPTIONS(inspect_options),
    EXAMPLES(ex_explain),
    EXITS(exits_inspect),
    .output = OUTPUT_ONE_SHOT,
    .run = cmd_explain_run};
static const struct cli_command cmd_graph = {
    .name = SV_INIT("graph"),
    .summary = SV_INIT("draw who uses whom"),
    .details = SV_INIT("An arrow leads from what uses to what is used; a link from its first side to its second."),
    ARGS(arg_file),
    OPTIONS(graph_options),
    EXAMPLES(ex_graph),
    EXITS(exits_inspect),
    .output = OUTPUT_ONE_SHOT,
    .run = cmd_graph_run};
static const struct cli_command cmd_fmt = {
    .name = SV_INIT("fmt"),
    .summary = SV_INIT("bring blueprints into the canonical layout"),
    .details =
        SV_INIT("Indentation, spacing and line ends become the same everywhere; comments, blank lines, quotes and "
                "the text of every value stay. Prints the names of the files that changed. A file with syntax "
                "errors is left alone. For any YAML, JSON and JSONC file."),
    ARGS(arg_files),
    OPTIONS(fmt_options),
    EXAMPLES(ex_fmt),
    EXITS(exits_fmt),
    .output = OUTPUT_ONE_SHOT,
    .run = cmd_fmt_run};
static const struct cli_command cmd_functions = {.name = SV_INIT("functions"),
                                                 .summary = SV_INIT("reference of all functions"),
                                                 ARGS(arg_function),
                                                 OPTIONS(functions_options),
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
static const struct cli_command cmd_history = {
    .name = SV_INIT("history"),
    .summary = SV_INIT("list the runs of an instance, or tell what differs between two"),
    .details = SV_INIT(
        "Deployments that succeeded, edits of the state and broken leases, by number; below them the runs since that "
        "did not succeed. An instance that was destroyed is found by its id, and by its name while no other has it. "
        "'history diff RUN RUN' compares the states after two runs; secrets are masked."),
    ARGS(arg_history),
    OPTIONS(history_options),
    EXAMPLES(ex_history),
    EXITS(exits_history),
    .output = OUTPUT_ONE_SHOT,
    .run = cmd_history_run};
static const struct cli_command cmd_import = {
    .name = SV_INIT("import"),
    .summary = SV_INIT("take existing objects into the state"),
    .details = SV_INIT("Reads each object by its id and records what it finds under the address of a resource of the "
                       "blueprint, as if a deployment had made it. Shows what it takes and what the next deployment "
                       "would change then, and asks. All are taken, or none; an instance that does not exist yet is "
                       "made. The objects stay as they are, but for the mark that says whose they are. "
                       "'lintel state undo' takes it back."),
    ARGS(arg_import),
    OPTIONS(import_options),
    EXAMPLES(ex_import),
    EXITS(exits_import),
    .output = OUTPUT_ONE_SHOT,
    .run = cmd_import_run};
static const struct cli_command cmd_init = {
    .name = SV_INIT("init"),
    .summary = SV_INIT("make a project that deploys as it is"),
    .details = SV_INIT("Makes blueprint.yaml, lintel.yaml and .gitignore. Nothing is overwritten."),
    ARGS(arg_new_directory),
    OPTIONS(init_options),
    EXAMPLES(ex_init),
    EXITS(exits_init),
    .output = OUTPUT_ONE_SHOT,
    .run = cmd_init_run};
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
    .details =
        SV_INIT("Compares the blueprint with the stored state and the real objects. Changes nothing and takes no lock. "
                "'plan diff A B' tells what two saved plans do differently."),
    ARGS(arg_plan),
    OPTIONS(plan_options),
    EXAMPLES(ex_plan),
    EXITS(exits_plan),
    .output = OUTPUT_ONE_SHOT,
    .run = cmd_plan_run};
static const struct cli_command cmd_providers = {.name = SV_INIT("providers"),
                                                 .summary = SV_INIT("reference of providers, their types and links"),
                                                 ARGS(arg_type),
                                                 OPTIONS(reference_options),
                                                 EXAMPLES(ex_providers),
                                                 EXITS(exits_reference),
                                                 .output = OUTPUT_ONE_SHOT,
                                                 .run = cmd_providers_run};
static const struct cli_command cmd_queue = {
    .name = SV_INIT("queue"),
    .summary = SV_INIT("list the runs that wait for a worker, or cancel one"),
    .details = SV_INIT(
        "Runs come into the queue with 'lintel deploy --queue' and 'lintel destroy --queue'; 'lintel work' takes "
        "them. A run can be cancelled until it is taken, and after that when its worker is gone; what it has "
        "done by then stays, and is settled by the next deployment."),
    ARGS(arg_queue),
    OPTIONS(queue_options),
    EXAMPLES(ex_queue),
    EXITS(exits_edit),
    .output = OUTPUT_ONE_SHOT,
    .run = cmd_queue_run};
static const struct cli_command cmd_reconcile = {
    .name = SV_INIT("reconcile"),
    .summary = SV_INIT("bring the state to what is really there"),
    .details = SV_INIT("Shows what has drifted, what became of operations that were cut off, and what is recommended "
                       "for each: accept_external, update_status or manual_cleanup_required. With --apply the state "
                       "is changed after consent, in one step; nothing outside is touched. Without --apply the exit "
                       "code is 3 when there is something to reconcile."),
    ARGS(arg_addresses),
    OPTIONS(reconcile_options),
    EXAMPLES(ex_reconcile),
    EXITS(exits_reconcile),
    .output = OUTPUT_EVENTS,
    .run = cmd_reconcile_run};
static const struct cli_command cmd_render = {
    .name = SV_INIT("render"),
    .summary = SV_INIT("print the blueprint with everything known put in"),
    .details = SV_INIT("Substitutions become their values, resources with 'each' their instances, and conditions that "
                       "are false take their resources away. What only deployment can tell stays a substitution. "
                       "Secrets are hidden."),
    ARGS(arg_file),
    OPTIONS(render_options),
    EXAMPLES(ex_render),
    EXITS(exits_inspect),
    .output = OUTPUT_ONE_SHOT,
    .run = cmd_render_run};
static const struct cli_command cmd_rollback = {
    .name = SV_INIT("rollback"),
    .summary = SV_INIT("go back to the state before the last run"),
    .details = SV_INIT("After a run that failed: to the state before the first run since the last success. After one "
                       "that succeeded: to the state before it. What was created is destroyed, what was changed is "
                       "changed back, what is gone is created again; objects that are still there are kept. Elements "
                       "of which nobody can tell are left as they are and listed. A rollback that was cut off or "
                       "failed goes on when it is run again; one that is complete is not rolled back. After a "
                       "destruction the instance is made again, with its id, as its history tells."),
    OPTIONS(rollback_options),
    EXAMPLES(ex_rollback),
    EXITS(exits_run),
    .output = OUTPUT_EVENTS,
    .run = cmd_rollback_run};
static const struct cli_command cmd_show = {.name = SV_INIT("show"),
                                            .summary = SV_INIT("show an instance, one element of it, or a saved plan"),
                                            ARGS(arg_address),
                                            OPTIONS(show_options),
                                            EXAMPLES(ex_show),
                                            EXITS(exits_read),
                                            .output = OUTPUT_ONE_SHOT,
                                            .run = cmd_show_run};
static const struct cli_command cmd_state = {
    .name = SV_INIT("state"),
    .summary = SV_INIT("look at the stored state, and edit it"),
    .details = SV_INIT(
        "list, show ADDRESS; rm ADDRESS… forgets elements and leaves the real objects where they are; mv "
        "FROM TO gives a resource another address, or all of a child another name; apply SCRIPT takes a 'rm ADDRESS', "
        "'mv FROM TO' or, at its end, 'import ADDRESS ID' a line, all or nothing; undo takes the last edit back; "
        "rescue "
        "FILE replays what a run could not write any more; export prints instances as JSON, secrets sealed, and import "
        "FILE takes them into this state; rekey gives the secrets of the context another key (--new-key), another data "
        "key (--rotate), or both. No real object is touched, but for the mark that says whose it is."),
    ARGS(arg_state),
    OPTIONS(state_options),
    EXAMPLES(ex_state),
    EXITS(exits_import),
    .output = OUTPUT_ONE_SHOT,
    .run = cmd_state_run};
static const struct cli_command cmd_unlock = {
    .name = SV_INIT("unlock"),
    .summary = SV_INIT("break the lease of a run that holds an instance"),
    .details = SV_INIT("For a run on another machine that is known to be gone; one on this machine is noticed without. "
                       "If it lives still, everything that it wants to write from now on is refused. What it left open "
                       "is settled by the next deployment."),
    ARGS(arg_locked),
    OPTIONS(unlock_options),
    EXAMPLES(ex_unlock),
    EXITS(exits_edit),
    .output = OUTPUT_ONE_SHOT,
    .run = cmd_unlock_run};
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

static const struct cli_command cmd_work = {
    .name = SV_INIT("work"),
    .summary = SV_INIT("take runs from the queue and carry them out"),
    .details = SV_INIT(
        "Goes on until it is told to stop: after SIGTERM or SIGINT no further operation starts, those under way "
        "are awaited, and the run goes back into the queue for another worker. Any number of workers may share "
        "a state; of one instance one run is carried out at a time, oldest first. The run of a worker that is "
        "gone is resumed by another: at once on the same machine, else when its lease has run out. A run that "
        "fails is over, and does not end the worker."),
    OPTIONS(work_options),
    EXAMPLES(ex_work),
    EXITS(exits_work),
    .output = OUTPUT_EVENTS,
    .run = cmd_work_run};

const struct cli_command *const cli_commands[] = {
    &cmd_completion, &cmd_config,  &cmd_console,   &cmd_deploy,    &cmd_destroy,  &cmd_drift,
    &cmd_errors,     &cmd_explain, &cmd_fmt,       &cmd_functions, &cmd_graph,    &cmd_help,
    &cmd_history,    &cmd_import,  &cmd_init,      &cmd_list,      &cmd_output,   &cmd_plan,
    &cmd_providers,  &cmd_queue,   &cmd_reconcile, &cmd_render,    &cmd_rollback, &cmd_show,
    &cmd_state,      &cmd_unlock,  &cmd_validate,  &cmd_version,   &cmd_work};
const size_t cli_command_count = COUNT(cli_commands);

const struct cli_command *cli_find_command(sv name) {
    for (size_t i = 0; i < cli_command_count; i++) {
        if (sv_eq(cli_commands[i]->name, name) || (name.len > 0 && sv_eq(cli_commands[i]->alias, name)))
            return cli_commands[i];
    }
    return NULL;
}
