#include "api/store_open.h"
#include "apps/cli/commands.h"
#include "apps/cli/settings.h"

#include <stdlib.h>

/* Values of variables may be secret, addresses may hold passwords. */
static sv get_shown(struct arena *a, const struct setting *s, sv text) {
    if (sv_eq(s->option->name, SV("state")))
        return store_show_url(a, text);
    if (!sv_eq(s->option->name, SV("var")))
        return text;
    sv rest = text;
    sv name = sv_cut(&rest, '=');
    return arena_printf(a, "%.*s=…", SV_ARG(name));
}

static void render_setting(struct buf *out, const struct setting *s) {
    buf_printf(out, "%-18.*s ", SV_ARG(s->option->name));
    for (size_t i = 0; i < s->texts.len; i++) {
        sv text = render_escape(out->arena, get_shown(out->arena, s, s->texts.items[i]));
        buf_printf(out, "%s%.*s", i ? ", " : "", SV_ARG(text));
    }
    if (s->texts.len == 0 && s->option->type == OPTION_FLAG)
        buf_append_cstr(out, "false");
    else if (s->texts.len == 0)
        buf_append(out, s->option->fallback.len > 0 ? s->option->fallback : SV("-"));
    buf_printf(out, "   (%.*s", SV_ARG(setting_origin_get_text(s->origin)));
    if (s->origin_text.len > 0)
        buf_printf(out, " %.*s", SV_ARG(s->origin_text));
    buf_append_cstr(out, ")\n");
}

static void write_setting(struct jsonw *w, const struct setting *s) {
    jsonw_begin_object(w);
    jsonw_put_text(w, "name", s->option->name);
    jsonw_key(w, SV("values"));
    jsonw_begin_array(w);
    for (size_t i = 0; i < s->texts.len; i++)
        jsonw_text(w, get_shown(w->out->arena, s, s->texts.items[i]));
    jsonw_end_array(w);
    jsonw_put_text(w, "origin", setting_origin_get_text(s->origin));
    if (s->origin_text.len > 0)
        jsonw_put_text(w, "from", s->origin_text);
    jsonw_end_object(w);
}

static int compare_names(const void *a, const void *b) {
    return sv_cmp(((const struct setting *)a)->option->name, ((const struct setting *)b)->option->name);
}

/* Defaults worth knowing are those of settings that hold for every command; of options of single commands what was set
 * counts, unless all are wanted. */
static bool is_shown(const struct setting *s, bool wants_all) {
    if (wants_all || s->origin > ORIGIN_DEFAULT)
        return true;
    bool has_default = s->texts.len > 0 || s->option->fallback.len > 0;
    return has_default && option_is_global(s->option);
}

enum exit_code cmd_config_run(struct cli *c) {
    struct buf out = BUF(&c->arena);
    buf_printf(&out, "project directory: %.*s\nproject file:      %.*s\n\n", SV_ARG(c->project_dir),
               SV_ARG(c->project_file.len > 0 ? c->project_file : SV("none")));
    qsort(c->settings.items, c->settings.len, sizeof *c->settings.items, compare_names);
    jsonw_put_text(&c->writer, "projectDirectory", c->project_dir);
    jsonw_put_text(&c->writer, "projectFile", c->project_file);
    jsonw_key(&c->writer, SV("settings"));
    jsonw_begin_array(&c->writer);
    bool wants_all = settings_get_flag(c, "all");
    for (size_t i = 0; i < c->settings.len; i++) {
        if (!is_shown(&c->settings.items[i], wants_all))
            continue;
        render_setting(&out, &c->settings.items[i]);
        write_setting(&c->writer, &c->settings.items[i]);
    }
    jsonw_end_array(&c->writer);
    output_text(c, buf_get_sv(&out));
    return EXIT_OK;
}
