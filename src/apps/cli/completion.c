/* Completion scripts for bash, zsh and fish, from the command table. */
#include "apps/cli/cli.h"

static bool holds_text(const struct cli_option *o) {
    return o->holds == HOLDS_TEXT || o->holds == HOLDS_LIMIT;
}

static bool holds_directories(const struct cli_option *o) {
    return o->holds == HOLDS_DIRECTORY || o->holds == HOLDS_PATH_LIST;
}

static void append_option_words(struct buf *out, const struct cli_option *const *options, size_t count) {
    for (size_t i = 0; i < count; i++) {
        if (options[i]->name.len > 1)
            buf_printf(out, " --%.*s", SV_ARG(options[i]->name));
        else
            buf_printf(out, " -%c", options[i]->letter);
    }
}

static void append_global_words(struct buf *out, const struct cli_group *group) {
    for (size_t i = 0; i < cli_global_option_count; i++) {
        if (cli_takes_global(group, cli_global_options[i]))
            append_option_words(out, &cli_global_options[i], 1);
    }
}

static void append_words_of(struct buf *out, const struct cli_command *const *commands, size_t count) {
    for (size_t i = 0; i < count; i++) {
        buf_printf(out, "%s%.*s", i ? " " : "", SV_ARG(commands[i]->name));
        if (commands[i]->alias.len > 0)
            buf_printf(out, " %.*s", SV_ARG(commands[i]->alias));
    }
}

static void append_command_words(struct buf *out) {
    append_words_of(out, cli_commands, cli_command_count);
    for (size_t i = 0; i < cli_group_count; i++)
        buf_printf(out, " %.*s", SV_ARG(cli_groups[i]->name));
}

/* "deploy" or "plan|stage", as a pattern of case; "'dynaml merge'" of a command in a group. */
static void append_command_pattern(struct buf *out, const struct cli_command *command) {
    sv group = command->group ? command->group->name : SV("");
    const char *quote = command->group ? "'" : "", *between = command->group ? " " : "";
    buf_printf(out, "%s%.*s%s%.*s%s", quote, SV_ARG(group), between, SV_ARG(command->name), quote);
    if (command->alias.len > 0)
        buf_printf(out, "|%s%.*s%s%.*s%s", quote, SV_ARG(group), between, SV_ARG(command->alias), quote);
}

/* "cfn|dynaml", as a pattern of case. */
static void append_group_pattern(struct buf *out) {
    for (size_t i = 0; i < cli_group_count; i++)
        buf_printf(out, "%s%.*s", i ? "|" : "", SV_ARG(cli_groups[i]->name));
}

/* "a|b|c" as "a b c". */
static void append_choices(struct buf *out, sv choices) {
    sv rest = choices;
    for (const char *between = ""; rest.len > 0; between = " ") {
        buf_append_cstr(out, between);
        buf_append(out, sv_cut(&rest, '|'));
    }
}

/* What may stand behind an option: one line of a case each. */
static void append_bash_values(struct buf *out, const struct cli_option *const *options, size_t count) {
    for (size_t i = 0; i < count; i++) {
        const struct cli_option *o = options[i];
        if (o->type == OPTION_FLAG || o->alias_of.len > 0)
            continue;
        buf_printf(out, "    %s%.*s", o->name.len > 1 ? "--" : "-", SV_ARG(o->name));
        if (o->letter && o->name.len > 1)
            buf_printf(out, "|-%c", o->letter);
        buf_append_cstr(out, ") COMPREPLY=(");
        if (o->type == OPTION_CHOICE) {
            buf_append_cstr(out, "$(compgen -W '");
            append_choices(out, o->value_name);
            buf_append_cstr(out, "' -- \"$word\")");
        } else if (!holds_text(o)) {
            buf_printf(out, "$(compgen %s -- \"$word\")", holds_directories(o) ? "-d" : "-f");
        }
        buf_append_cstr(out, "); return ;;\n");
    }
}

/* The words that an argument can be; nothing when it is any text. */
static void append_argument_words(struct buf *out, const struct cli_command *command) {
    for (size_t i = 0; i < command->argument_count; i++) {
        append_choices(out, command->arguments[i].choices);
        if (command->arguments[i].names_command)
            append_command_words(out);
    }
}

/* The options of a command, and the words that may be its arguments. */
static void append_bash_command(struct buf *out, const struct cli_command *command) {
    buf_append_cstr(out, "    ");
    append_command_pattern(out, command);
    buf_append_cstr(out, ")\n        options+='");
    append_option_words(out, command->options, command->option_count);
    buf_append_cstr(out, "'\n        words='");
    append_argument_words(out, command);
    buf_append_cstr(out, "'\n        case $before in\n");
    append_bash_values(out, command->options, command->option_count);
    buf_append_cstr(out, "        esac\n        ;;\n");
}

/* Of the global options a group takes only some. */
static void append_bash_group_options(struct buf *out) {
    for (size_t i = 0; i < cli_group_count; i++) {
        buf_printf(out, "\n    '%.*s'*) options='", SV_ARG(cli_groups[i]->name));
        append_global_words(out, cli_groups[i]);
        buf_append_cstr(out, "' ;;");
    }
}

/* A group without command, then each of its commands. */
static void append_bash_group(struct buf *out, const struct cli_group *group) {
    buf_printf(out, "    '%.*s') words='", SV_ARG(group->name));
    append_words_of(out, group->commands, group->command_count);
    buf_append_cstr(out, "' ;;\n");
    for (size_t i = 0; i < group->command_count; i++)
        append_bash_command(out, group->commands[i]);
}

/* Global options with a value, as a pattern of case. */
static void append_valued_options(struct buf *out) {
    const char *between = "";
    for (size_t i = 0; i < cli_global_option_count; i++) {
        const struct cli_option *o = cli_global_options[i];
        if (o->type == OPTION_FLAG)
            continue;
        buf_printf(out, "%s%s%.*s", between, o->name.len > 1 ? "--" : "-", SV_ARG(o->name));
        between = "|";
    }
}

static void render_bash(struct buf *out) {
    buf_append_cstr(out, "# bash completion for lintel\n"
                         "_lintel() {\n"
                         "    local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD - 1]}\n"
                         "    local command= words= options= i\n"
                         "    for ((i = 1; i < COMP_CWORD; i++)); do\n"
                         "        case ${COMP_WORDS[i]} in\n"
                         "        ");
    append_valued_options(out);
    buf_append_cstr(out, ") ((i++)) ;;\n"
                         "        -*) ;;\n"
                         "        *) command+=\"${command:+ }${COMP_WORDS[i]}\"\n"
                         "            case $command in ");
    append_group_pattern(out);
    buf_append_cstr(out, ") ;; *) break ;; esac ;;\n"
                         "        esac\n"
                         "    done\n"
                         "    case $before in\n");
    append_bash_values(out, cli_global_options, cli_global_option_count);
    buf_append_cstr(out, "    esac\n    options='");
    append_global_words(out, NULL);
    buf_append_cstr(out, "'\n    case $command in");
    append_bash_group_options(out);
    buf_append_cstr(out, "\n    esac\n    case $command in\n    '') words='");
    append_command_words(out);
    buf_append_cstr(out, "' ;;\n");
    for (size_t i = 0; i < cli_command_count; i++)
        append_bash_command(out, cli_commands[i]);
    for (size_t i = 0; i < cli_group_count; i++)
        append_bash_group(out, cli_groups[i]);
    buf_append_cstr(out, "    esac\n"
                         "    if [[ $word == -* ]]; then\n"
                         "        COMPREPLY=($(compgen -W \"$options\" -- \"$word\"))\n"
                         "    elif [[ -n $words ]]; then\n"
                         "        COMPREPLY=($(compgen -W \"$words\" -- \"$word\"))\n"
                         "    else\n"
                         "        COMPREPLY=($(compgen -f -- \"$word\"))\n"
                         "    fi\n"
                         "}\n"
                         "complete -F _lintel lintel\n");
}

/* Text inside '…[…]' of zsh's _arguments, itself in single quotes. */
static void append_zsh_text(struct buf *out, sv text) {
    for (size_t i = 0; i < text.len; i++) {
        char ch = text.data[i];
        if (ch == '[' || ch == ']' || ch == ':' || ch == '\\')
            buf_append_char(out, '\\');
        if (ch == '\'')
            buf_append_cstr(out, "'\\''");
        else
            buf_append_char(out, ch);
    }
}

static void append_zsh_value(struct buf *out, const struct cli_option *o) {
    if (o->type == OPTION_FLAG)
        return;
    if (o->type != OPTION_CHOICE) {
        const char *action = holds_text(o) ? " " : holds_directories(o) ? "_directories" : "_files";
        buf_printf(out, ":%.*s:%s", SV_ARG(o->value_name), action);
        return;
    }
    buf_append_cstr(out, ":word:(");
    append_choices(out, o->value_name);
    buf_append_char(out, ')');
}

static void append_zsh_options(struct buf *out, const struct cli_option *const *options, size_t count) {
    for (size_t i = 0; i < count; i++) {
        const struct cli_option *o = options[i];
        bool is_long = o->name.len > 1;
        buf_printf(out, " \\\n            '%s%s%.*s%s[", o->repeatable ? "*" : "", is_long ? "--" : "-",
                   SV_ARG(o->name), o->type == OPTION_FLAG || !is_long ? "" : "=");
        append_zsh_text(out, o->summary);
        buf_append_char(out, ']');
        append_zsh_value(out, o);
        buf_append_char(out, '\'');
    }
}

static void append_zsh_globals(struct buf *out, const struct cli_group *group) {
    for (size_t i = 0; i < cli_global_option_count; i++) {
        if (cli_takes_global(group, cli_global_options[i]))
            append_zsh_options(out, &cli_global_options[i], 1);
    }
}

static void append_zsh_command(struct buf *out, const struct cli_command *command) {
    struct buf words = BUF(out->arena);
    append_argument_words(&words, command);
    buf_append_cstr(out, "        ");
    append_command_pattern(out, command);
    buf_append_cstr(out, ")\n            _arguments");
    append_zsh_globals(out, command->group);
    append_zsh_options(out, command->options, command->option_count);
    if (words.len > 0)
        buf_printf(out, " \\\n            '*:word:(%.*s)' ;;\n", SV_ARG(buf_get_sv(&words)));
    else
        buf_append_cstr(out, " \\\n            '*:file:_files' ;;\n");
}

static void append_zsh_row(struct buf *out, sv name, sv summary) {
    buf_printf(out, "        '%.*s:", SV_ARG(name));
    append_zsh_text(out, summary);
    buf_append_cstr(out, "'\n");
}

/* The rows of an array, and how one of them and what follows it are read. */
static void begin_zsh_commands(struct buf *out) {
    buf_append_cstr(out, "    local context state state_descr line\n    local -a commands\n"
                         "    typeset -A opt_args\n    commands=(\n");
}

static void end_zsh_commands(struct buf *out, const struct cli_group *group) {
    buf_append_cstr(out, "    )\n    _arguments -C");
    append_zsh_globals(out, group);
    buf_printf(out,
               " \\\n            '1: :->command' '*:: :->arguments'\n    case $state in\n"
               "    command) _describe command commands ;;\n    arguments)\n        case \"%.*s%s$words[1]\" in\n",
               SV_ARG(group ? group->name : SV("")), group ? " " : "");
}

static void append_zsh_group(struct buf *out, const struct cli_group *group) {
    buf_printf(out, "_lintel_%.*s() {\n", SV_ARG(group->name));
    begin_zsh_commands(out);
    for (size_t i = 0; i < group->command_count; i++)
        append_zsh_row(out, group->commands[i]->name, group->commands[i]->summary);
    end_zsh_commands(out, group);
    for (size_t i = 0; i < group->command_count; i++)
        append_zsh_command(out, group->commands[i]);
    buf_append_cstr(out, "        esac ;;\n    esac\n}\n");
}

static void render_zsh(struct buf *out) {
    buf_append_cstr(out, "#compdef lintel\n");
    for (size_t i = 0; i < cli_group_count; i++)
        append_zsh_group(out, cli_groups[i]);
    buf_append_cstr(out, "_lintel() {\n");
    begin_zsh_commands(out);
    for (size_t i = 0; i < cli_command_count; i++)
        append_zsh_row(out, cli_commands[i]->name, cli_commands[i]->summary);
    for (size_t i = 0; i < cli_group_count; i++)
        append_zsh_row(out, cli_groups[i]->name, cli_groups[i]->summary);
    end_zsh_commands(out, NULL);
    for (size_t i = 0; i < cli_command_count; i++)
        append_zsh_command(out, cli_commands[i]);
    for (size_t i = 0; i < cli_group_count; i++)
        buf_printf(out, "        %.*s) _lintel_%.*s ;;\n", SV_ARG(cli_groups[i]->name), SV_ARG(cli_groups[i]->name));
    buf_append_cstr(out, "        esac ;;\n    esac\n}\n_lintel \"$@\"\n");
}

static void append_fish_text(struct buf *out, sv text) {
    for (size_t i = 0; i < text.len; i++) {
        if (text.data[i] == '\'' || text.data[i] == '\\')
            buf_append_char(out, '\\');
        buf_append_char(out, text.data[i]);
    }
}

static void append_group_words(struct buf *out) {
    for (size_t i = 0; i < cli_group_count; i++)
        buf_printf(out, " %.*s", SV_ARG(cli_groups[i]->name));
}

/* Commands of groups may be named like those of the top level. */
static void append_fish_condition(struct buf *out, const struct cli_command *command) {
    if (!command)
        return;
    buf_printf(out, " -n '__fish_seen_subcommand_from %.*s", SV_ARG(command->name));
    if (command->alias.len > 0)
        buf_printf(out, " %.*s", SV_ARG(command->alias));
    buf_append_cstr(out, command->group ? "; and" : "; and not");
    buf_append_cstr(out, " __fish_seen_subcommand_from");
    if (command->group)
        buf_printf(out, " %.*s", SV_ARG(command->group->name));
    else
        append_group_words(out);
    buf_append_char(out, '\'');
}

static void append_fish_option(struct buf *out, const struct cli_command *command, const struct cli_option *o) {
    buf_append_cstr(out, "complete -c lintel");
    append_fish_condition(out, command);
    if (o->name.len > 1)
        buf_printf(out, " -l %.*s", SV_ARG(o->name));
    if (o->letter)
        buf_printf(out, " -s %c", o->letter);
    if (o->type != OPTION_FLAG)
        buf_append_cstr(out, holds_text(o) ? " -x" : " -r");
    if (o->type == OPTION_CHOICE) {
        buf_append_cstr(out, " -a '");
        append_choices(out, o->value_name);
        buf_append_char(out, '\'');
    }
    buf_append_cstr(out, " -d '");
    append_fish_text(out, o->summary);
    buf_append_cstr(out, "'\n");
}

static void append_fish_arguments(struct buf *out, const struct cli_command *command) {
    struct buf words = BUF(out->arena);
    append_argument_words(&words, command);
    if (words.len == 0)
        return;
    buf_append_cstr(out, "complete -c lintel");
    append_fish_condition(out, command);
    buf_printf(out, " -f -a '%.*s'\n", SV_ARG(buf_get_sv(&words)));
}

static void append_fish_command(struct buf *out, const struct cli_command *command) {
    for (size_t i = 0; i < command->option_count; i++)
        append_fish_option(out, command, command->options[i]);
    append_fish_arguments(out, command);
}

static void append_fish_word(struct buf *out, const char *condition, sv name, sv summary) {
    buf_printf(out, "complete -c lintel -n %s -f -a %.*s -d '", condition, SV_ARG(name));
    append_fish_text(out, summary);
    buf_append_cstr(out, "'\n");
}

static void append_fish_group(struct buf *out, const struct cli_group *group) {
    struct buf names = BUF(out->arena);
    append_words_of(&names, group->commands, group->command_count);
    const char *condition =
        arena_printf(out->arena, "'__fish_seen_subcommand_from %.*s; and not __fish_seen_subcommand_from %.*s'",
                     SV_ARG(group->name), SV_ARG(buf_get_sv(&names)))
            .data;
    for (size_t i = 0; i < group->command_count; i++)
        append_fish_word(out, condition, group->commands[i]->name, group->commands[i]->summary);
    for (size_t i = 0; i < group->command_count; i++)
        append_fish_command(out, group->commands[i]);
}

static void render_fish(struct buf *out) {
    buf_append_cstr(out, "# fish completion for lintel\n");
    for (size_t i = 0; i < cli_command_count; i++)
        append_fish_word(out, "__fish_use_subcommand", cli_commands[i]->name, cli_commands[i]->summary);
    for (size_t i = 0; i < cli_group_count; i++)
        append_fish_word(out, "__fish_use_subcommand", cli_groups[i]->name, cli_groups[i]->summary);
    for (size_t i = 0; i < cli_global_option_count; i++)
        append_fish_option(out, NULL, cli_global_options[i]);
    for (size_t i = 0; i < cli_command_count; i++)
        append_fish_command(out, cli_commands[i]);
    for (size_t i = 0; i < cli_group_count; i++)
        append_fish_group(out, cli_groups[i]);
}

bool completion_render(struct buf *out, sv shell) {
    if (sv_eq(shell, SV("bash")))
        render_bash(out);
    else if (sv_eq(shell, SV("zsh")))
        render_zsh(out);
    else if (sv_eq(shell, SV("fish")))
        render_fish(out);
    else
        return false;
    return true;
}
