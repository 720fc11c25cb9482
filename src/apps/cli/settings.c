#include "apps/cli/settings.h"

#include "apps/cli/bounds.h"
#include "base/num.h"
#include "model/host.h"

const struct setting *settings_find(const struct cli *c, sv name) {
    for (size_t i = 0; i < c->settings.len; i++) {
        if (sv_eq(c->settings.items[i].option->name, name))
            return &c->settings.items[i];
    }
    return NULL;
}

static struct setting *get_setting(struct cli *c, const struct cli_option *option) {
    for (size_t i = 0; i < c->settings.len; i++) {
        if (c->settings.items[i].option == option)
            return &c->settings.items[i];
    }
    struct setting *s = VEC_ADD(&c->arena, &c->settings);
    s->option = option;
    return s;
}

bool settings_put(struct cli *c, const struct cli_option *option, const struct setting_source *from, sv text) {
    if (!option_check_value(c, option, from, text))
        return false;
    struct setting *s = get_setting(c, option);
    if (s->origin > from->origin)
        return true;
    if (s->origin != from->origin || !option->repeatable)
        s->texts.len = 0;
    s->origin = from->origin;
    s->origin_text = from->text;
    VEC_PUSH(&c->arena, &s->texts, text);
    return true;
}

bool settings_is_given(const struct cli *c, const char *name) {
    const struct setting *s = settings_find(c, sv_from_cstr(name));
    return s && s->origin > ORIGIN_DEFAULT;
}

sv settings_get_text(const struct cli *c, const char *name) {
    const struct setting *s = settings_find(c, sv_from_cstr(name));
    return s && s->texts.len > 0 ? *VEC_LAST(&s->texts) : (sv){0};
}

bool settings_get_flag(const struct cli *c, const char *name) {
    return sv_eq(settings_get_text(c, name), SV("true"));
}

int64_t settings_get_number(const struct cli *c, const char *name) {
    int64_t n = 0;
    return num_parse_i64(settings_get_text(c, name), 10, &n) == NUM_OK ? n : 0;
}

int64_t settings_get_duration_ms(const struct cli *c, const char *name) {
    int64_t ms = 0;
    return duration_parse(settings_get_text(c, name), &ms) ? ms : 0;
}

sv setting_origin_get_text(enum setting_origin origin) {
    switch (origin) {
    case ORIGIN_DEFAULT:
        return SV("default");
    case ORIGIN_PROJECT_FILE:
        return SV("project file");
    case ORIGIN_ENVIRONMENT:
        return SV("environment");
    case ORIGIN_OPTION:
        return SV("option");
    }
    return SV("");
}

/* Longest match first: "ms" ends in "s". */
static const struct {
    sv unit;
    int64_t ms;
} duration_units[] = {
    {SV_INIT("ms"), 1},
    {SV_INIT("s"), 1000},
    {SV_INIT("m"), 60000},
    {SV_INIT("h"), 3600000},
};

bool duration_parse(sv text, int64_t *ms) {
    for (size_t i = 0; i < sizeof duration_units / sizeof *duration_units; i++) {
        if (!sv_has_suffix(text, duration_units[i].unit))
            continue;
        int64_t n = 0;
        sv digits = sv_slice(text, 0, text.len - duration_units[i].unit.len);
        if (num_parse_i64(digits, 10, &n) == NUM_OK && n >= 0)
            return num_mul_i64(n, duration_units[i].ms, ms);
    }
    int64_t zero = 0;
    if (num_parse_i64(text, 10, &zero) == NUM_OK && zero == 0) {
        *ms = 0;
        return true;
    }
    return false;
}

/* The setting's variable: LINTEL_ and the option's name in capitals with '_' (CLI-004). */
sv option_get_variable(struct arena *a, const struct cli_option *option) {
    if (option->alias_of.len > 0 || option->name.len < 2)
        return (sv){0};
    struct buf name = BUF(a);
    buf_append_cstr(&name, "LINTEL_");
    for (size_t i = 0; i < option->name.len; i++) {
        char ch = option->name.data[i];
        buf_append_char(&name, ch == '-' ? '_' : ch >= 'a' && ch <= 'z' ? (char)(ch - 'a' + 'A') : ch);
    }
    return buf_get_sv(&name);
}

static bool load_from_environment(struct cli *c, const struct cli_option *option) {
    if (option->repeatable && sv_eq(option->name, SV("var")))
        return true; /* LINTEL_VAR_name are variables of the template */
    struct setting_source from = {ORIGIN_ENVIRONMENT, option_get_variable(&c->arena, option)};
    sv text;
    if (from.text.len == 0 || !c->host->ops->find_env(c->host->user, &c->arena, from.text, &text) || text.len == 0)
        return true;
    if (option->type == OPTION_FLAG && (sv_eq(text, SV("1")) || sv_eq(text, SV("0"))))
        text = sv_eq(text, SV("1")) ? SV("true") : SV("false");
    return settings_put(c, option, &from, text);
}

static bool load_option(struct cli *c, const struct cli_option *option) {
    if (option->alias_of.len > 0)
        return true;
    struct setting *s = get_setting(c, option);
    if (s->origin == 0) {
        s->origin = ORIGIN_DEFAULT;
        if (option->fallback.len > 0 && !option->internal_default)
            VEC_PUSH(&c->arena, &s->texts, option->fallback);
    }
    return load_from_environment(c, option);
}

static bool load_options(struct cli *c, const struct cli_command *command) {
    bool ok = true;
    for (size_t i = 0; command && i < command->option_count; i++)
        ok = load_option(c, command->options[i]) && ok;
    return ok;
}

/* Options that no other command has: of one name the first counts. */
static bool load_options_of_group(struct cli *c, const struct cli_group *group) {
    bool ok = true;
    for (size_t i = 0; i < group->command_count; i++) {
        for (size_t k = 0; k < group->commands[i]->option_count; k++) {
            const struct cli_option *option = group->commands[i]->options[k];
            if (!settings_find(c, option->name))
                ok = load_option(c, option) && ok;
        }
    }
    return ok;
}

static bool load_defaults_and_environment(struct cli *c) {
    bool ok = true;
    bool wants_all = c->command && c->command->knows_all_settings;
    for (size_t i = 0; i < cli_global_option_count; i++) {
        if (cli_takes_global(c->group, cli_global_options[i]))
            ok = load_option(c, cli_global_options[i]) && ok;
    }
    ok = load_options(c, c->command) && ok;
    for (size_t i = 0; wants_all && i < cli_command_count; i++)
        ok = load_options(c, cli_commands[i]) && ok;
    for (size_t i = 0; wants_all && i < cli_group_count; i++)
        ok = load_options_of_group(c, cli_groups[i]) && ok;
    return ok;
}

static bool wants_json(const struct cli *c) {
    const struct setting *format = settings_find(c, SV("format"));
    bool is_chosen = format && format->option->chooses_machine && sv_eq(settings_get_text(c, "format"), SV("json"));
    return is_chosen || settings_get_flag(c, "json");
}

/* Output settings are taken even from a command line with mistakes, so that its diagnostics come out as wanted. */
bool settings_load(struct cli *c, int argc, const char *const *argv) {
    bool ok = options_parse(c, argc, argv);
    ok = project_change_directory(c) && ok;
    ok = load_defaults_and_environment(c) && ok;
    project_find(c);
    ok = project_load_file(c) && ok;
    c->json = wants_json(c);
    c->quiet = settings_get_flag(c, "quiet");
    c->verbose = settings_get_flag(c, "verbose");
    c->diags.strict = settings_get_flag(c, "strict");
    bounds_apply(c);
    return ok;
}
