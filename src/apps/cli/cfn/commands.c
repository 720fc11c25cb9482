/* The table of the commands of the cfn dialect (CLI-003, CF-280). */
#include "apps/cli/cfn/commands.h"

#include "apps/cli/table.h"

/* --- options --- */

static const struct cli_option opt_param = {.name = SV_INIT("param"),
                                            .letter = 'p',
                                            .type = OPTION_TEXT,
                                            .value_name = SV_INIT("NAME=VALUE"),
                                            .repeatable = true,
                                            .summary = SV_INIT("value of a parameter")};
static const struct cli_option opt_params = {
    .name = SV_INIT("params"),
    .type = OPTION_TEXT,
    .value_name = SV_INIT("FILE"),
    .holds = HOLDS_FILE,
    .repeatable = true,
    .summary = SV_INIT("file with parameters: a mapping, or a list of ParameterKey and ParameterValue")};
static const struct cli_option opt_symbols = {
    .name = SV_INIT("symbols"),
    .type = OPTION_TEXT,
    .value_name = SV_INIT("FILE"),
    .holds = HOLDS_FILE,
    .repeatable = true,
    .summary = SV_INIT("file with values that are in no template: of resources, exports, secrets")};
static const struct cli_option opt_set = {.name = SV_INIT("set"),
                                          .type = OPTION_TEXT,
                                          .value_name = SV_INIT("ID.ATTR=V"),
                                          .repeatable = true,
                                          .summary =
                                              SV_INIT("value of an attribute of a resource; ID=V is that of its Ref")};
static const struct cli_option opt_region = {
    .name = SV_INIT("region"),
    .type = OPTION_TEXT,
    .value_name = SV_INIT("REGION"),
    .summary = SV_INIT("AWS::Region; else AWS_REGION and AWS_DEFAULT_REGION are looked at, else us-east-1")};
static const struct cli_option opt_account = {.name = SV_INIT("account"),
                                              .type = OPTION_TEXT,
                                              .value_name = SV_INIT("DIGITS"),
                                              .summary = SV_INIT("AWS::AccountId; else 123456789012")};
static const struct cli_option opt_stack_name = {.name = SV_INIT("stack-name"),
                                                 .type = OPTION_TEXT,
                                                 .value_name = SV_INIT("NAME"),
                                                 .summary = SV_INIT("AWS::StackName; else local")};
static const struct cli_option opt_import = {.name = SV_INIT("import"),
                                             .type = OPTION_TEXT,
                                             .value_name = SV_INIT("NAME=VALUE"),
                                             .repeatable = true,
                                             .summary = SV_INIT("value of an export of another stack")};
static const struct cli_option opt_no_env = {
    .name = SV_INIT("no-env"), .type = OPTION_FLAG, .summary = SV_INIT("the environment does not give the region")};
static const struct cli_option opt_no_assume = {
    .name = SV_INIT("no-assume"),
    .type = OPTION_FLAG,
    .summary = SV_INIT("nothing is assumed: account, region and others are unknown unless they are given")};
static const struct cli_option opt_stand_ins = {
    .name = SV_INIT("stand-ins"),
    .type = OPTION_FLAG,
    .summary = SV_INIT("what AWS makes is replaced by made-up values, the same in every run")};
static const struct cli_option opt_allow_missing = {.name = SV_INIT("allow-missing"),
                                                    .type = OPTION_FLAG,
                                                    .summary =
                                                        SV_INIT("parameters without value are unknown, not errors")};
static const struct cli_option opt_allow_network = {
    .name = SV_INIT("allow-network"),
    .type = OPTION_FLAG,
    .summary = SV_INIT("files that the template includes may come from elsewhere")};
static const struct cli_option opt_show_sensitive = {
    .name = SV_INIT("show-sensitive"), .type = OPTION_FLAG, .summary = SV_INIT("print sensitive values, too")};
static const struct cli_option opt_partial = {
    .name = SV_INIT("partial"),
    .type = OPTION_FLAG,
    .summary = SV_INIT("calls whose value is unknown stay, with what is known put in; the default")};
static const struct cli_option opt_placeholder = {.name = SV_INIT("placeholder"),
                                                  .type = OPTION_FLAG,
                                                  .summary =
                                                      SV_INIT("${Name} stands for text that is unknown, as in Sub")};
static const struct cli_option opt_keep_going = {
    .name = SV_INIT("keep-going"),
    .type = OPTION_FLAG,
    .summary = SV_INIT("print what could be resolved in spite of errors; the exit code is 4 all the same")};
static const struct cli_option opt_output = {.name = SV_INIT("output"),
                                             .type = OPTION_CHOICE,
                                             .value_name = SV_INIT("yaml|json"),
                                             .summary = SV_INIT("format of the result; else that of the template")};
static const struct cli_option opt_out = {.name = SV_INIT("out"),
                                          .letter = 'o',
                                          .type = OPTION_TEXT,
                                          .value_name = SV_INIT("FILE"),
                                          .holds = HOLDS_FILE,
                                          .summary = SV_INIT("write the result to FILE")};
static const struct cli_option opt_prune = {
    .name = SV_INIT("prune"),
    .type = OPTION_FLAG,
    .summary = SV_INIT("leave out parameters, mappings and rules that nothing left refers to")};
static const struct cli_option opt_report = {
    .name = SV_INIT("report"),
    .type = OPTION_TEXT,
    .value_name = SV_INIT("FILE"),
    .holds = HOLDS_FILE,
    .summary = SV_INIT("write what is unknown, assumed, withheld, off or kept as JSON; - is standard error")};
static const struct cli_option opt_get = {.name = SV_INIT("get"),
                                          .type = OPTION_TEXT,
                                          .value_name = SV_INIT("PATH"),
                                          .summary = SV_INIT("print one value: text bare, others as JSON")};
static const struct cli_option opt_only = {.name = SV_INIT("only"),
                                           .type = OPTION_TEXT,
                                           .value_name = SV_INIT("PARTS"),
                                           .summary = SV_INIT("print these parts: Resources.Bucket,Outputs")};
static const struct cli_option opt_nested = {
    .name = SV_INIT("nested"),
    .type = OPTION_CHOICE,
    .value_name = SV_INIT("keep|inline"),
    .fallback = SV_INIT("keep"),
    .summary = SV_INIT("inline prints nested stacks, too: JSON, path to template, with . for the parent")};
static const struct cli_option opt_quota = {
    .name = SV_INIT("quota"), .type = OPTION_FLAG, .summary = SV_INIT("CloudFormation's quotas are errors")};
static const struct cli_option opt_validate_format = {.name = SV_INIT("format"),
                                                      .type = OPTION_CHOICE,
                                                      .value_name = SV_INIT("text|json|sarif|junit"),
                                                      .fallback = SV_INIT("text"),
                                                      .chooses_machine = true,
                                                      .summary = SV_INIT("how findings are shown")};
static const struct cli_option opt_graph_format = {.name = SV_INIT("format"),
                                                   .type = OPTION_CHOICE,
                                                   .value_name = SV_INIT("text|json|dot"),
                                                   .fallback = SV_INIT("text"),
                                                   .chooses_machine = true,
                                                   .summary = SV_INIT("how the graph is shown")};
static const struct cli_option opt_order = {.name = SV_INIT("order"),
                                            .type = OPTION_FLAG,
                                            .summary =
                                                SV_INIT("print the resources in an order in which they can be made")};
static const struct cli_option opt_skeleton = {
    .name = SV_INIT("skeleton"), .type = OPTION_FLAG, .summary = SV_INIT("print a parameter file to be filled in")};

#define GIVEN_OPTIONS                                                                                         \
    &opt_param, &opt_params, &opt_symbols, &opt_set, &opt_region, &opt_account, &opt_stack_name, &opt_import, \
        &opt_no_env, &opt_no_assume, &opt_stand_ins, &opt_allow_missing, &opt_allow_network, &opt_show_sensitive

static const struct cli_option *const graph_options[] = {GIVEN_OPTIONS, &opt_graph_format, &opt_order, &opt_out};
static const struct cli_option *const params_options[] = {GIVEN_OPTIONS, &opt_skeleton, &opt_out};
static const struct cli_option *const resolve_options[] = {
    GIVEN_OPTIONS, &opt_partial, &opt_placeholder, &opt_keep_going, &opt_output, &opt_out,
    &opt_prune,    &opt_report,  &opt_get,         &opt_only,       &opt_nested, &opt_quota};
static const struct cli_option *const validate_options[] = {GIVEN_OPTIONS, &opt_quota, &opt_validate_format};

/* --- arguments, examples, exit codes --- */

static const struct cli_argument arg_template[] = {
    {.name = SV_INIT("TEMPLATE"), .summary = SV_INIT("a CloudFormation or SAM template; - is standard input")}};

static const sv ex_graph[] = {SV_INIT("lintel cfn graph template.yaml --format dot | dot -Tsvg > graph.svg"),
                              SV_INIT("lintel cfn graph template.yaml --order")};
static const sv ex_params[] = {SV_INIT("lintel cfn params template.yaml"),
                               SV_INIT("lintel cfn params template.yaml --skeleton -o params.json")};
static const sv ex_resolve[] = {SV_INIT("lintel cfn resolve template.yaml -p Env=prod --region eu-west-1"),
                                SV_INIT("lintel cfn resolve template.yaml --symbols deployed.yaml --strict"),
                                SV_INIT("lintel cfn resolve template.yaml --stand-ins --get Outputs.Url.Value")};
static const sv ex_validate[] = {SV_INIT("lintel cfn validate template.yaml"),
                                 SV_INIT("lintel cfn validate template.yaml --format sarif > findings.sarif")};

static const enum exit_code exits[] = {EXIT_OK, EXIT_FAILED, EXIT_INVALID, EXIT_USAGE};

/* --- commands --- */

static const struct cli_command cmd_graph = {
    .name = SV_INIT("graph"),
    .group = &cli_cfn,
    .summary = SV_INIT("what refers to what in a template"),
    .details = SV_INIT("Resources with what they need of each other, of conditions and of parameters. References in "
                       "branches that are not taken, or of resources that are switched off, are not among those "
                       "between resources."),
    ARGS(arg_template),
    OPTIONS(graph_options),
    EXAMPLES(ex_graph),
    EXITS(exits),
    .output = OUTPUT_ONE_SHOT,
    .run = cmd_cfn_graph_run};

static const struct cli_command cmd_params = {
    .name = SV_INIT("params"),
    .group = &cli_cfn,
    .summary = SV_INIT("the parameters of a template"),
    .details = SV_INIT("Name, type, default, constraints, and how often each is referred to."),
    ARGS(arg_template),
    OPTIONS(params_options),
    EXAMPLES(ex_params),
    EXITS(exits),
    .output = OUTPUT_ONE_SHOT,
    .run = cmd_cfn_params_run};

static const struct cli_command cmd_resolve = {
    .name = SV_INIT("resolve"),
    .group = &cli_cfn,
    .summary = SV_INIT("print a template with its functions replaced by values"),
    .details = SV_INIT("Nothing is deployed and no account is asked. What only a deployment can tell is unknown: its "
                       "call stays in the result and is reported. Symbols give such values."),
    ARGS(arg_template),
    OPTIONS(resolve_options),
    EXAMPLES(ex_resolve),
    EXITS(exits),
    .output = OUTPUT_ONE_SHOT,
    .run = cmd_cfn_resolve_run};

static const struct cli_command cmd_validate = {
    .name = SV_INIT("validate"),
    .group = &cli_cfn,
    .summary = SV_INIT("everything that can be known to be wrong with a template"),
    .details = SV_INIT("Parameters without value are unknown here, and no mistake unless --strict is given."),
    ARGS(arg_template),
    OPTIONS(validate_options),
    EXAMPLES(ex_validate),
    EXITS(exits),
    .output = OUTPUT_ONE_SHOT,
    .run = cmd_cfn_validate_run};

static const struct cli_command *const commands[] = {&cmd_graph, &cmd_params, &cmd_resolve, &cmd_validate};

static const sv globals[] = {
    SV_INIT("help"),         SV_INIT("C"),      SV_INIT("json"),    SV_INIT("json-into"), SV_INIT("color"),
    SV_INIT("quiet"),        SV_INIT("strict"), SV_INIT("verbose"), SV_INIT("offline"),   SV_INIT("allow-outside"),
    SV_INIT("allow-private")};

const struct cli_group cli_cfn = {
    .name = SV_INIT("cfn"),
    .summary = SV_INIT("resolve CloudFormation and SAM templates locally"),
    .details = SV_INIT("Functions such as Ref, Fn::Sub and Fn::If are replaced by their values without an account and "
                       "without a deployment. docs/cfn.md is the guide."),
    .commands = commands,
    .command_count = COUNT(commands),
    .globals = globals,
    .global_count = COUNT(globals),
};
