/* The groups of commands: one per dialect that has commands of its own. */
#include "apps/cli/cfn/commands.h"
#include "apps/cli/dynaml/commands.h"
#include "apps/cli/module/commands.h"

#include <string.h>

/* In the order of their names. */
const struct cli_group *const cli_groups[] = {&cli_cfn, &cli_dynaml, &cli_module};
const size_t cli_group_count = sizeof cli_groups / sizeof *cli_groups;

const struct cli_group *cli_find_group(sv name) {
    for (size_t i = 0; i < cli_group_count; i++) {
        if (sv_eq(cli_groups[i]->name, name))
            return cli_groups[i];
    }
    return NULL;
}

const struct cli_group *cli_find_program(const char *path) {
    const char *slash = strrchr(path, '/');
    sv name = sv_from_cstr(slash != NULL ? slash + 1 : path);
    for (size_t i = 0; i < cli_group_count; i++) {
        const struct cli_program *program = cli_groups[i]->program;
        if (program != NULL && sv_eq(program->name, name))
            return cli_groups[i];
    }
    return NULL;
}

const struct cli_command *cli_find_group_command(const struct cli_group *group, sv name) {
    for (size_t i = 0; i < group->command_count; i++) {
        const struct cli_command *command = group->commands[i];
        if (sv_eq(command->name, name) || (name.len > 0 && sv_eq(command->alias, name)))
            return command;
    }
    return NULL;
}

bool cli_takes_global(const struct cli_group *group, const struct cli_option *option) {
    for (size_t i = 0; group != NULL && i < group->global_count; i++) {
        if (sv_eq(group->globals[i], option->name))
            return true;
    }
    return group == NULL;
}

void cli_print_name(struct buf *out, const struct cli_group *group, const struct cli_command *command) {
    if (group != NULL)
        buf_append(out, group->name);
    if (group != NULL && command != NULL)
        buf_append_char(out, ' ');
    if (command != NULL)
        buf_append(out, command->name);
}

sv cli_get_name(struct cli *c) {
    struct buf out = BUF(&c->arena);
    cli_print_name(&out, c->group, c->command);
    return buf_get_sv(&out);
}
