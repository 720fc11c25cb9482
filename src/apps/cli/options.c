#include "apps/cli/settings.h"

#include "apps/cli/bounds.h"
#include "base/num.h"

static const struct cli_option *find_in(const struct cli_option *const *options, size_t count, sv name) {
    for (size_t i = 0; i < count; i++) {
        if (!sv_eq(options[i]->name, name))
            continue;
        return options[i]->alias_of.len > 0 ? find_in(options, count, options[i]->alias_of) : options[i];
    }
    return NULL;
}

static const struct cli_option *find_global(const struct cli_group *group, sv name) {
    const struct cli_option *found = find_in(cli_global_options, cli_global_option_count, name);
    return found && cli_takes_global(group, found) ? found : NULL;
}

const struct cli_option *option_find(const struct cli_group *group, const struct cli_command *command, sv name) {
    if (name.len < 2)
        return NULL; /* "C" has only its short form */
    const struct cli_option *found = find_global(group, name);
    if (!found && command)
        found = find_in(command->options, command->option_count, name);
    return found;
}

static const struct cli_option *find_in_group(const struct cli_group *group, sv name) {
    const struct cli_option *found = NULL;
    for (size_t i = 0; !found && i < group->command_count; i++)
        found = option_find(group, group->commands[i], name);
    return found;
}

const struct cli_option *option_find_anywhere(sv name) {
    const struct cli_option *found = option_find(NULL, NULL, name);
    for (size_t i = 0; !found && i < cli_command_count; i++)
        found = option_find(NULL, cli_commands[i], name);
    for (size_t i = 0; !found && i < cli_group_count; i++)
        found = find_in_group(cli_groups[i], name);
    return found;
}

bool option_is_global(const struct cli_option *option) {
    for (size_t i = 0; i < cli_global_option_count; i++) {
        if (cli_global_options[i] == option)
            return true;
    }
    return false;
}

static void offer_options(struct hint *hint, const struct cli_command *command) {
    for (size_t i = 0; command && i < command->option_count; i++)
        hint_offer(hint, command->options[i]->name);
}

static void offer_globals(struct hint *hint, const struct cli_group *group) {
    for (size_t i = 0; i < cli_global_option_count; i++) {
        if (cli_takes_global(group, cli_global_options[i]))
            hint_offer(hint, cli_global_options[i]->name);
    }
}

void option_offer_all(struct hint *hint) {
    offer_globals(hint, NULL);
    for (size_t i = 0; i < cli_command_count; i++)
        offer_options(hint, cli_commands[i]);
    for (size_t i = 0; i < cli_group_count; i++) {
        for (size_t k = 0; k < cli_groups[i]->command_count; k++)
            offer_options(hint, cli_groups[i]->commands[k]);
    }
}

static const struct cli_option *find_letter(const struct cli *c, char letter) {
    for (size_t i = 0; i < cli_global_option_count; i++) {
        if (cli_global_options[i]->letter == letter && cli_takes_global(c->group, cli_global_options[i]))
            return cli_global_options[i];
    }
    for (size_t i = 0; c->command && i < c->command->option_count; i++) {
        if (c->command->options[i]->letter == letter)
            return c->command->options[i];
    }
    return NULL;
}

static bool is_choice(const struct cli_option *option, sv text) {
    sv rest = option->value_name;
    while (rest.len > 0) {
        if (sv_eq(sv_cut(&rest, '|'), text))
            return true;
    }
    return false;
}

static bool is_valid(const struct cli_option *option, sv text) {
    int64_t n = 0;
    switch (option->type) {
    case OPTION_FLAG:
        return sv_eq(text, SV("true")) || sv_eq(text, SV("false"));
    case OPTION_NUMBER:
        return num_parse_i64(text, 10, &n) == NUM_OK && n > 0;
    case OPTION_DURATION:
        return duration_parse(text, &n);
    case OPTION_CHOICE:
        return is_choice(option, text);
    case OPTION_TEXT:
        return option->holds != HOLDS_LIMIT || bounds_is_valid(text);
    }
    return true;
}

static const char *get_wanted(const struct cli_option *option) {
    switch (option->type) {
    case OPTION_FLAG:
        return "true or false";
    case OPTION_NUMBER:
        return "a positive number";
    case OPTION_DURATION:
        return "a duration such as 500ms, 30s, 5m or 1h";
    case OPTION_CHOICE:
    case OPTION_TEXT:
        return "";
    }
    return "";
}

bool option_check_value(struct cli *c, const struct cli_option *option, const struct setting_source *from, sv text) {
    if (is_valid(option, text))
        return true;
    struct buf where = BUF(&c->arena);
    if (from->origin == ORIGIN_ENVIRONMENT)
        buf_printf(&where, "%.*s: ", SV_ARG(from->text));
    sv shown = render_escape(&c->arena, sv_slice(text, 0, 80));
    if (option->type == OPTION_CHOICE)
        output_usage_error(c, "%.*s'--%.*s' takes one of %.*s, not '%.*s'", SV_ARG(buf_get_sv(&where)),
                           SV_ARG(option->name), SV_ARG(option->value_name), SV_ARG(shown));
    else if (option->holds == HOLDS_LIMIT)
        output_usage_error(c, "%.*s'--%.*s' takes NAME=N, not '%.*s'; NAME is one of %.*s", SV_ARG(buf_get_sv(&where)),
                           SV_ARG(option->name), SV_ARG(shown), SV_ARG(bounds_list_names(&c->arena)));
    else
        output_usage_error(c, "%.*s'--%.*s' takes %s, not '%.*s'", SV_ARG(buf_get_sv(&where)), SV_ARG(option->name),
                           get_wanted(option), SV_ARG(shown));
    return false;
}

/* The command line under way. */
struct words {
    const char *const *items;
    int count, next;
    bool ok, only_arguments;
};

static const struct setting_source from_option = {ORIGIN_OPTION, SV_INIT("")};

static bool take_value(struct cli *c, struct words *w, const struct cli_option *option, const char *shown, sv *text) {
    if (w->next < w->count) {
        *text = sv_from_cstr(w->items[w->next++]);
        return true;
    }
    output_usage_error(c, "'%s' needs a value: %.*s", shown, SV_ARG(option->value_name));
    return false;
}

static bool report_unknown(struct cli *c, sv name) {
    sv shown = render_escape(&c->arena, sv_slice(name, 0, 80));
    if (!c->command && !c->group && option_find_anywhere(name)) {
        output_usage_error(c, "'--%.*s' is no global option: it stands behind the command", SV_ARG(shown));
        return false;
    }
    struct hint hint = HINT(name);
    offer_globals(&hint, c->group);
    offer_options(&hint, c->command);
    output_usage_error(c, "unknown option '--%.*s'", SV_ARG(shown));
    if (!c->command && !c->group && cli_find_command(name))
        diag_set_hint(&c->diags, *VEC_LAST(&c->diags.items), "there is a command of that name: lintel %.*s",
                      SV_ARG(shown));
    else
        output_add_hint(c, &hint, "--");
    return false;
}

/* `--name value`, `--name=value`, `--flag`, `--flag=false`. */
static bool take_long(struct cli *c, struct words *w, const char *word) {
    sv rest = sv_from_cstr(word + 2);
    bool has_value = sv_find_char(rest, '=') != SIZE_MAX;
    sv name = sv_cut(&rest, '=');
    const struct cli_option *option = option_find(c->group, c->command, name);
    if (!option)
        return report_unknown(c, name);
    sv text = has_value ? rest : SV("true");
    if (!has_value && option->type != OPTION_FLAG && !take_value(c, w, option, word, &text))
        return false;
    return settings_put(c, option, &from_option, text);
}

/* `-i name`, `-iname`, bundled flags `-hv`. */
static bool take_short(struct cli *c, struct words *w, const char *word) {
    for (const char *p = word + 1; *p; p++) {
        const struct cli_option *option = find_letter(c, *p);
        if (!option) {
            sv shown = render_escape(&c->arena, sv_slice(sv_from_cstr(p), 0, 1));
            output_usage_error(c, "unknown option '-%.*s'", SV_ARG(shown));
            return false;
        }
        if (option->type == OPTION_FLAG) {
            if (!settings_put(c, option, &from_option, SV("true")))
                return false;
            continue;
        }
        sv text = sv_from_cstr(p + 1);
        if (text.len == 0 && !take_value(c, w, option, word, &text))
            return false;
        return settings_put(c, option, &from_option, text);
    }
    return true;
}

void option_offer_commands(struct hint *hint, const struct cli_group *group) {
    for (size_t i = 0; group && i < group->command_count; i++)
        hint_offer(hint, group->commands[i]->name);
    for (size_t i = 0; !group && i < cli_command_count; i++)
        hint_offer(hint, cli_commands[i]->name);
    for (size_t i = 0; !group && i < cli_group_count; i++)
        hint_offer(hint, cli_groups[i]->name);
}

/* Global options that stood before the name of the group. */
static bool check_globals(struct cli *c) {
    bool ok = true;
    for (size_t i = 0; i < c->settings.len; i++) {
        const struct cli_option *option = c->settings.items[i].option;
        if (cli_takes_global(c->group, option))
            continue;
        output_usage_error(c, "'lintel %.*s' takes no option '--%.*s'", SV_ARG(c->group->name), SV_ARG(option->name));
        ok = false;
    }
    if (!ok)
        c->settings.len = 0;
    return ok;
}

static bool take_command(struct cli *c, sv name) {
    if (!c->group) {
        c->group = cli_find_group(name);
        if (c->group)
            return check_globals(c);
    }
    c->command = c->group ? cli_find_group_command(c->group, name) : cli_find_command(name);
    if (c->command)
        return true;
    struct hint hint = HINT(name);
    VEC_PUSH(&c->arena, &c->arguments, name);
    option_offer_commands(&hint, c->group);
    sv shown = render_escape(&c->arena, sv_slice(name, 0, 80));
    output_usage_error(c, "unknown command '%.*s%s%.*s'", SV_ARG(c->group ? c->group->name : SV("")),
                       c->group ? " " : "", SV_ARG(shown));
    bool is_below = c->group && !c->program; /* the group's name was typed before it */
    output_add_hint(c, &hint, is_below ? arena_printf(&c->arena, "%.*s ", SV_ARG(c->group->name)).data : "");
    return false;
}

static bool take_word(struct cli *c, struct words *w) {
    const char *word = w->items[w->next++];
    if (!w->only_arguments && word[0] == '-' && word[1] == '-' && word[2] == '\0') {
        w->only_arguments = true;
        return true;
    }
    if (!w->only_arguments && word[0] == '-' && word[1] == '-')
        return take_long(c, w, word);
    if (!w->only_arguments && word[0] == '-' && word[1] != '\0')
        return take_short(c, w, word);
    if (!c->command)
        return take_command(c, sv_from_cstr(word));
    VEC_PUSH(&c->arena, &c->arguments, sv_from_cstr(word));
    return true;
}

static bool check_argument_count(struct cli *c) {
    size_t least = 0, most = 0;
    for (size_t i = 0; i < c->command->argument_count; i++) {
        least += !c->command->arguments[i].optional;
        most = c->command->arguments[i].many ? SIZE_MAX : most + (most != SIZE_MAX);
    }
    if (c->arguments.len < least) {
        output_usage_error(c, "'%.*s' needs %.*s", SV_ARG(cli_get_name(c)),
                           SV_ARG(c->command->arguments[c->arguments.len].name));
        return false;
    }
    if (c->arguments.len > most) {
        sv shown = render_escape(&c->arena, sv_slice(c->arguments.items[most], 0, 80));
        output_usage_error(c, "'%.*s' takes no argument '%.*s'", SV_ARG(cli_get_name(c)), SV_ARG(shown));
        return false;
    }
    return true;
}

/* What follows an unknown command cannot be understood, but for the form that the mistake is reported in. */
static void find_json(struct cli *c, struct words *w) {
    for (; w->next < w->count; w->next++) {
        if (sv_eq(sv_from_cstr(w->items[w->next]), SV("--json")))
            settings_put(c, option_find(NULL, NULL, SV("json")), &from_option, SV("true"));
    }
}

bool options_parse(struct cli *c, int argc, const char *const *argv) {
    struct words w = {.items = argv + 1, .count = argc > 0 ? argc - 1 : 0, .ok = true};
    while (w.next < w.count) {
        if (take_word(c, &w))
            continue;
        w.ok = false;
        if (!c->command)
            find_json(c, &w);
    }
    if (!w.ok || !c->command || (c->program && c->program->begin) || settings_get_flag(c, "help"))
        return w.ok;
    return check_argument_count(c);
}
