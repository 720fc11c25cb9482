/* The table of the commands of the module dialect (CLI-003, MD-323). */
#include "apps/cli/module/commands.h"

#include "apps/cli/table.h"

static const struct cli_option opt_file = {
    .name = SV_INIT("file"),
    .letter = 'f',
    .type = OPTION_TEXT,
    .value_name = SV_INIT("FILE"),
    .holds = HOLDS_FILE,
    .summary = SV_INIT("the root file; else dacrane.yaml or module.yaml of the project directory")};
static const struct cli_option opt_argument = {
    .name = SV_INIT("argument"),
    .letter = 'a',
    .type = OPTION_TEXT,
    .value_name = SV_INIT("TEXT"),
    .repeatable = true,
    .summary = SV_INIT("argument of the module: YAML, @FILE, or NAME=YAML for one key")};
static const struct cli_option opt_show_sensitive = {
    .name = SV_INIT("show-sensitive"), .type = OPTION_FLAG, .summary = SV_INIT("print sensitive values, too")};
static const struct cli_option opt_graph_format = {.name = SV_INIT("format"),
                                                   .type = OPTION_CHOICE,
                                                   .value_name = SV_INIT("dot|mermaid|json"),
                                                   .fallback = SV_INIT("dot"),
                                                   .chooses_machine = true,
                                                   .summary = SV_INIT("how the graph is shown")};

static const struct cli_option *const eval_options[] = {&opt_argument};
static const struct cli_option *const graph_options[] = {&opt_file, &opt_graph_format};
static const struct cli_option *const render_options[] = {&opt_file, &opt_argument, &opt_show_sensitive};
static const struct cli_option *const validate_options[] = {&opt_file, &opt_argument};

static const struct cli_argument arg_eval[] = {
    {.name = SV_INIT("EXPR"), .summary = SV_INIT("an expression, or a text with ${{ … }} in it")}};
static const struct cli_argument arg_module[] = {
    {.name = SV_INIT("MODULE"), .summary = SV_INIT("a module of the root file")}};
static const struct cli_argument arg_validate[] = {
    {.name = SV_INIT("MODULE"),
     .optional = true,
     .summary = SV_INIT("a module of the root file that is evaluated with the argument, too")}};

static const sv ex_eval[] = {SV_INIT("lintel module eval '1 + parameter.n' -a n=2")};
static const sv ex_graph[] = {SV_INIT("lintel module graph app --format dot | dot -Tsvg > graph.svg")};
static const sv ex_render[] = {SV_INIT("lintel module render app -a '{tag: v1}'"),
                               SV_INIT("lintel module render app -a @prod.yaml -a tag=v2")};
static const sv ex_validate[] = {SV_INIT("lintel module validate"),
                                 SV_INIT("lintel module validate app -a tag=v1 --strict")};
static const enum exit_code exits[] = {EXIT_OK, EXIT_FAILED, EXIT_INVALID, EXIT_USAGE};

static const struct cli_command cmd_eval = {
    .name = SV_INIT("eval"),
    .group = &cli_module,
    .summary = SV_INIT("evaluate one expression"),
    .details = SV_INIT("The argument is 'parameter' in it. The value is printed as YAML, a string bare."),
    ARGS(arg_eval),
    OPTIONS(eval_options),
    EXAMPLES(ex_eval),
    EXITS(exits),
    .output = OUTPUT_ONE_SHOT,
    .run = cmd_module_eval_run};

static const struct cli_command cmd_graph = {.name = SV_INIT("graph"),
                                             .group = &cli_module,
                                             .summary =
                                                 SV_INIT("the calls of a module and what they need of each other"),
                                             .details = SV_INIT("An arrow leads from a call to one that it uses."),
                                             ARGS(arg_module),
                                             OPTIONS(graph_options),
                                             EXAMPLES(ex_graph),
                                             EXITS(exits),
                                             .output = OUTPUT_ONE_SHOT,
                                             .run = cmd_module_graph_run};

static const struct cli_command cmd_render = {
    .name = SV_INIT("render"),
    .group = &cli_module,
    .summary = SV_INIT("print the calls of a module, expanded and in order"),
    .details = SV_INIT("Nothing is applied and no instance is read: what a provider gives is unknown, and so is what "
                       "is computed from it. Dependencies of the module are not bound."),
    ARGS(arg_module),
    OPTIONS(render_options),
    EXAMPLES(ex_render),
    EXITS(exits),
    .output = OUTPUT_ONE_SHOT,
    .run = cmd_module_render_run};

static const struct cli_command cmd_validate = {
    .name = SV_INIT("validate"),
    .group = &cli_module,
    .summary = SV_INIT("everything that can be known to be wrong with modules"),
    .details = SV_INIT("All documents of the root file and of what it imports are checked. With MODULE that one is "
                       "evaluated with the argument as well. No instance is read."),
    ARGS(arg_validate),
    OPTIONS(validate_options),
    EXAMPLES(ex_validate),
    EXITS(exits),
    .output = OUTPUT_ONE_SHOT,
    .run = cmd_module_validate_run};

/* In the order of their names. */
static const struct cli_command *const commands[] = {&cmd_eval, &cmd_graph, &cmd_render, &cmd_validate};

static const sv globals[] = {SV_INIT("help"),  SV_INIT("C"),     SV_INIT("json"),   SV_INIT("json-into"),
                             SV_INIT("color"), SV_INIT("quiet"), SV_INIT("strict"), SV_INIT("verbose")};

static const struct cli_program dacrane = {.name = SV_INIT("dacrane")};

const struct cli_group cli_module = {
    .name = SV_INIT("module"),
    .summary = SV_INIT("check and expand modules with ${{ … }} expressions"),
    .details = SV_INIT("A module is a YAML document that calls providers and other modules. docs/module.md is the "
                       "guide. Applying modules is not there yet."),
    .commands = commands,
    .command_count = COUNT(commands),
    .globals = globals,
    .global_count = COUNT(globals),
    .program = &dacrane,
    .place_comes_first = true,
};
