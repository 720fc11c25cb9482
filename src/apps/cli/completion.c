/* Completion scripts for bash, zsh and fish, from the command table. */
#include "apps/cli/cli.h"

static void append_option_words(struct buf *out, const struct cli_option *const *options, size_t count) {
    for (size_t i = 0; i < count; i++) {
        if (options[i]->name.len > 1)
            buf_printf(out, " --%.*s", SV_ARG(options[i]->name));
    }
}

static void append_command_words(struct buf *out) {
    for (size_t i = 0; i < cli_command_count; i++)
        buf_printf(out, "%s%.*s", i ? " " : "", SV_ARG(cli_commands[i]->name));
}

static void render_bash(struct buf *out) {
    buf_append_cstr(
        out, "# bash completion for lintel\n_lintel() {\n    local word=${COMP_WORDS[COMP_CWORD]} command= i options\n"
             "    for ((i = 1; i < COMP_CWORD; i++)); do\n"
             "        case ${COMP_WORDS[i]} in -*) ;; *) command=${COMP_WORDS[i]}; break ;; esac\n    done\n"
             "    if [[ -z $command && $word != -* ]]; then\n        COMPREPLY=($(compgen -W '");
    append_command_words(out);
    buf_append_cstr(out, "' -- \"$word\"))\n        return\n    fi\n    options='");
    append_option_words(out, cli_global_options, cli_global_option_count);
    buf_append_cstr(out, "'\n    case $command in\n");
    for (size_t i = 0; i < cli_command_count; i++) {
        buf_printf(out, "    %.*s) options+='", SV_ARG(cli_commands[i]->name));
        append_option_words(out, cli_commands[i]->options, cli_commands[i]->option_count);
        buf_append_cstr(out, "' ;;\n");
    }
    buf_append_cstr(
        out, "    esac\n    if [[ $word == -* ]]; then\n        COMPREPLY=($(compgen -W \"$options\" -- \"$word\"))\n"
             "    else\n        COMPREPLY=($(compgen -f -- \"$word\"))\n    fi\n}\ncomplete -F _lintel lintel\n");
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

static void append_zsh_options(struct buf *out, const struct cli_option *const *options, size_t count) {
    for (size_t i = 0; i < count; i++) {
        const struct cli_option *o = options[i];
        if (o->name.len < 2)
            continue;
        buf_printf(out, " \\\n            '%s--%.*s%s[", o->repeatable ? "*" : "", SV_ARG(o->name),
                   o->type == OPTION_FLAG ? "" : "=");
        append_zsh_text(out, o->summary);
        buf_append_char(out, ']');
        if (o->type == OPTION_CHOICE) {
            buf_append_cstr(out, ":word:(");
            sv rest = o->value_name;
            while (rest.len > 0)
                buf_printf(out, "%.*s ", SV_ARG(sv_cut(&rest, '|')));
            buf_append_char(out, ')');
        } else if (o->type != OPTION_FLAG) {
            buf_printf(out, ":%.*s:%s", SV_ARG(o->value_name), sv_eq(o->value_name, SV("FILE")) ? "_files" : "");
        }
        buf_append_char(out, '\'');
    }
}

static void render_zsh(struct buf *out) {
    buf_append_cstr(out, "#compdef lintel\n_lintel() {\n    local -a commands\n    commands=(\n");
    for (size_t i = 0; i < cli_command_count; i++) {
        buf_printf(out, "        '%.*s:", SV_ARG(cli_commands[i]->name));
        append_zsh_text(out, cli_commands[i]->summary);
        buf_append_cstr(out, "'\n");
    }
    buf_append_cstr(out, "    )\n    if (( CURRENT == 2 )); then\n        _describe command commands\n        return\n "
                         "   fi\n    case $words[2] in\n");
    for (size_t i = 0; i < cli_command_count; i++) {
        buf_printf(out, "    %.*s)\n        _arguments", SV_ARG(cli_commands[i]->name));
        append_zsh_options(out, cli_global_options, cli_global_option_count);
        append_zsh_options(out, cli_commands[i]->options, cli_commands[i]->option_count);
        buf_append_cstr(out, " \\\n            '*:file:_files' ;;\n");
    }
    buf_append_cstr(out, "    esac\n}\n_lintel \"$@\"\n");
}

static void append_fish_text(struct buf *out, sv text) {
    for (size_t i = 0; i < text.len; i++) {
        if (text.data[i] == '\'' || text.data[i] == '\\')
            buf_append_char(out, '\\');
        buf_append_char(out, text.data[i]);
    }
}

static void append_fish_option(struct buf *out, const struct cli_command *command, const struct cli_option *o) {
    if (o->name.len < 2)
        return;
    buf_append_cstr(out, "complete -c lintel");
    if (command)
        buf_printf(out, " -n '__fish_seen_subcommand_from %.*s'", SV_ARG(command->name));
    buf_printf(out, " -l %.*s", SV_ARG(o->name));
    if (o->letter)
        buf_printf(out, " -s %c", o->letter);
    if (o->type != OPTION_FLAG)
        buf_append_cstr(out, " -r");
    if (o->type == OPTION_CHOICE) {
        buf_append_cstr(out, " -f -a '");
        sv rest = o->value_name;
        while (rest.len > 0)
            buf_printf(out, "%.*s ", SV_ARG(sv_cut(&rest, '|')));
        buf_append_char(out, '\'');
    }
    buf_append_cstr(out, " -d '");
    append_fish_text(out, o->summary);
    buf_append_cstr(out, "'\n");
}

static void render_fish(struct buf *out) {
    buf_append_cstr(out, "# fish completion for lintel\n");
    for (size_t i = 0; i < cli_command_count; i++) {
        buf_printf(out, "complete -c lintel -n __fish_use_subcommand -f -a %.*s -d '", SV_ARG(cli_commands[i]->name));
        append_fish_text(out, cli_commands[i]->summary);
        buf_append_cstr(out, "'\n");
    }
    for (size_t i = 0; i < cli_global_option_count; i++)
        append_fish_option(out, NULL, cli_global_options[i]);
    for (size_t i = 0; i < cli_command_count; i++) {
        for (size_t k = 0; k < cli_commands[i]->option_count; k++)
            append_fish_option(out, cli_commands[i], cli_commands[i]->options[k]);
    }
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
