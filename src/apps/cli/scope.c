#include "apps/cli/scope.h"

static const char *const names[] = {"target", "exclude", "replace"};

static struct target_list collect(struct cli *c, const char *name) {
    const struct setting *setting = settings_find(c, sv_from_cstr(name));
    size_t count = setting == NULL ? 0 : setting->texts.len;
    struct target_address *items = ARENA_ARRAY(&c->arena, struct target_address, count + 1);
    for (size_t i = 0; i < count; i++) {
        sv text = setting->texts.items[i];
        struct source *source = sources_add(&c->sources, arena_printf(&c->arena, "--%s", name), text);
        items[i] = (struct target_address){.text = text, .at = span_make(source, 0, text.len)};
    }
    return (struct target_list){.items = items, .count = count};
}

void scope_collect(struct cli *c, struct target_request *request) {
    request->targets = collect(c, "target");
    request->excludes = collect(c, "exclude");
    request->replaces = collect(c, "replace");
}

bool scope_check_saved(struct cli *c) {
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        if (settings_is_given(c, names[i])) {
            output_usage_error(c, "a saved plan says by itself what it is limited to: give either --plan or --%s",
                               names[i]);
            return false;
        }
    }
    return true;
}

static void render_list(struct buf *out, const char **between, const char *option, const sv *items, size_t count) {
    for (size_t i = 0; i < count; i++) {
        buf_printf(out, "%s--%s %.*s", *between, option, SV_ARG(render_escape(out->arena, items[i])));
        *between = ", ";
    }
}

void scope_render(struct buf *out, const struct plan *p) {
    const struct plan_scope *s = &p->scope;
    const char *between = "Limited by ";
    render_list(out, &between, "target", s->targets, s->target_count);
    render_list(out, &between, "exclude", s->excludes, s->exclude_count);
    if (plan_is_limited(p))
        buf_printf(out, ": %zu element%s left out.\n", s->left_out_count, s->left_out_count == 1 ? " is" : "s are");
    between = "Made anew by ";
    render_list(out, &between, "replace", s->replaces, s->replace_count);
    if (s->replace_count > 0)
        buf_append_cstr(out, ".\n");
}
