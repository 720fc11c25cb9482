#include "apps/cli/commands.h"

#include "api/builtin.h"

static const struct {
    unsigned flag;
    const char *text;
} traits[] = {
    {SCHEMA_REQUIRED, "required"},
    {SCHEMA_COMPUTED, "computed"},
    {SCHEMA_COMPUTED_WHEN_OMITTED, "computed when omitted"},
    {SCHEMA_MUST_RECREATE, "forces replacement"},
    {SCHEMA_SENSITIVE, "sensitive"},
    {SCHEMA_NULLABLE, "nullable"},
};

static void render_traits(struct buf *out, const struct schema *s) {
    for (size_t i = 0; i < sizeof traits / sizeof *traits; i++) {
        if (s->flags & traits[i].flag)
            buf_printf(out, ", %s", traits[i].text);
    }
    if (s->default_json)
        buf_printf(out, ", default `%s`", s->default_json);
    if (s->allowed_json)
        buf_printf(out, ", one of `%s`", s->allowed_json);
}

/* Attributes of objects inside objects are indented; schemas of built-in types are shallow (limit 8). */
static void render_attributes(struct buf *out, const struct schema *s, size_t depth) {
    for (size_t i = 0; depth < 8 && s && i < s->attribute_count; i++) {
        const struct schema_attribute *a = &s->attributes[i];
        buf_append_repeat(out, ' ', depth * 2);
        buf_printf(out, "- `%.*s` (%.*s", SV_ARG(a->name), SV_ARG(schema_type_get_text(a->schema->type)));
        render_traits(out, a->schema);
        buf_printf(out, ") %.*s\n", SV_ARG(a->schema->text));
        render_attributes(out, a->schema, depth + 1);
        render_attributes(out, a->schema->items, depth + 1);
    }
}

static const char *get_promise_text(enum provider_promise promise) {
    switch (promise) {
    case PROMISE_EXACT:
        return "exact: what a cut-off operation did is always found out";
    case PROMISE_DETECTABLE:
        return "detectable: what a cut-off operation did is found out or reported";
    case PROMISE_AT_LEAST_ONCE:
        return "at least once: a cut-off operation may be repeated";
    }
    return "";
}

static void render_import(struct buf *out, const struct resource_type *t) {
    if (t->import_id.len > 0)
        buf_printf(out, "`lintel import` takes existing ones over by ID: %.*s.\n", SV_ARG(t->import_id));
    else if (t->import_not.len > 0)
        buf_printf(out, "`lintel import` cannot take existing ones over: %.*s.\n", SV_ARG(t->import_not));
}

static void render_type(struct buf *out, const struct resource_type *t) {
    buf_printf(out, "## %.*s\n\n%.*s\n\n", SV_ARG(t->name), SV_ARG(t->summary));
    if (t->details.len > 0)
        buf_printf(out, "%.*s\n\n", (int)t->details.len, t->details.data);
    render_attributes(out, t->schema, 0);
    if (t->id_field.len > 0)
        buf_printf(out, "\nA bare reference gives `%.*s`. ", SV_ARG(t->id_field));
    else
        buf_append_cstr(out, "\n");
    buf_printf(out, "Interrupted operations are %s.\n", get_promise_text(t->promise));
    render_import(out, t);
    if (t->example.len > 0) {
        buf_append_cstr(out, "\n```yaml\n");
        buf_append(out, t->example);
        buf_append_cstr(out, sv_has_suffix(t->example, SV("\n")) ? "```\n\n" : "\n```\n\n");
    }
}

static void render_link(struct buf *out, const struct link_type *l) {
    buf_printf(out, "## %.*s::%.*s (%s link)\n\n%.*s\n\n", SV_ARG(l->type_a), SV_ARG(l->type_b),
               l->hard ? "hard" : "soft", SV_ARG(l->summary));
    if (l->details.len > 0)
        buf_printf(out, "%.*s\n\n", SV_ARG(l->details));
    for (size_t i = 0; i < l->annotation_count; i++)
        buf_printf(out, "- annotation `%.*s`%s: %.*s\n", SV_ARG(l->annotations[i].key),
                   l->annotations[i].required ? " (required)" : "", SV_ARG(l->annotations[i].text));
    buf_append_char(out, '\n');
}

static bool is_exclusive(const sv *set, sv field) {
    for (; set->len > 0; set++) {
        if (sv_eq(*set, field))
            return true;
    }
    return false;
}

static void render_filter_field(struct buf *out, const struct data_type *t, const struct data_filter_field *f) {
    buf_printf(out, "- `%.*s`: ", SV_ARG(f->field));
    bool first = true;
    for (enum filter_operator op = FILTER_EQUALS; f->operators != 0 && op <= FILTER_LESS_EQUAL; op++) {
        if ((f->operators & (1u << op)) == 0)
            continue;
        buf_printf(out, "%s`%.*s`", first ? "" : ", ", SV_ARG(filter_get_text(op)));
        first = false;
    }
    buf_append_cstr(out, f->operators == 0 ? "all operators" : "");
    for (size_t i = 0; i < t->exclusive_count; i++) {
        if (!is_exclusive(t->exclusive[i], f->field))
            continue;
        buf_append_cstr(out, "; not together with");
        for (const sv *other = t->exclusive[i]; other->len > 0; other++) {
            if (!sv_eq(*other, f->field))
                buf_printf(out, " `%.*s`", SV_ARG(*other));
        }
    }
    buf_append_char(out, '\n');
}

static void render_data(struct buf *out, const struct data_type *t) {
    buf_printf(out, "## %.*s (data source)\n\n%.*s\n\n%.*s\n\nFields:\n\n", SV_ARG(t->name), SV_ARG(t->summary),
               SV_ARG(t->details));
    render_attributes(out, t->schema, 0);
    buf_append_cstr(out, "\nFilters, and the operators they take:\n\n");
    for (size_t i = 0; i < t->filter_field_count; i++)
        render_filter_field(out, t, &t->filter_fields[i]);
    buf_printf(out, "\n```yaml\n%.*s```\n\n", SV_ARG(t->example));
}

static void render_variable_type(struct buf *out, const struct variable_type *t) {
    buf_printf(out, "## %.*s (variable type)\n\n%.*s\n\n", SV_ARG(t->name), SV_ARG(t->summary));
    for (size_t i = 0; i < t->option_count; i++) {
        buf_printf(out, "- `%.*s`: `", SV_ARG(t->options[i].label));
        value_print_scalar(out, t->options[i].item);
        buf_append_cstr(out, "`\n");
    }
    buf_append_char(out, '\n');
}

static bool is_wanted(sv only, sv provider, sv name) {
    return only.len == 0 || sv_eq(only, provider) || sv_eq(only, name);
}

static size_t render_others(struct buf *out, const struct provider *p, sv only) {
    size_t shown = 0;
    for (size_t i = 0; i < p->data_count; i++) {
        if (is_wanted(only, p->name, p->data[i]->name)) {
            render_data(out, p->data[i]);
            shown++;
        }
    }
    for (size_t i = 0; i < p->variable_type_count; i++) {
        if (is_wanted(only, p->name, p->variable_types[i]->name)) {
            render_variable_type(out, p->variable_types[i]);
            shown++;
        }
    }
    return shown;
}

static size_t render_provider(struct buf *out, const struct provider *p, sv only) {
    size_t shown = 0;
    for (size_t i = 0; i < p->resource_count; i++) {
        if (is_wanted(only, p->name, p->resources[i]->name)) {
            render_type(out, p->resources[i]);
            shown++;
        }
    }
    shown += render_others(out, p, only);
    for (size_t i = 0; i < p->link_count; i++) {
        sv name = arena_printf(out->arena, "%.*s::%.*s", SV_ARG(p->links[i]->type_a), SV_ARG(p->links[i]->type_b));
        if (is_wanted(only, p->name, name) || (only.len > 0 && sv_eq(only, p->links[i]->type_a))) {
            render_link(out, p->links[i]);
            shown++;
        }
    }
    return shown;
}

static void render_overview(struct buf *out) {
    for (size_t i = 0; i < builtin_providers.count; i++) {
        const struct provider *p = builtin_providers.items[i];
        buf_printf(out, "%.*s: %.*s\n", SV_ARG(p->name), SV_ARG(p->summary));
        for (size_t k = 0; k < p->resource_count; k++)
            buf_printf(out, "  %-22.*s %.*s\n", SV_ARG(p->resources[k]->name), SV_ARG(p->resources[k]->summary));
        for (size_t k = 0; k < p->data_count; k++)
            buf_printf(out, "  %-22.*s %.*s (data source)\n", SV_ARG(p->data[k]->name), SV_ARG(p->data[k]->summary));
        for (size_t k = 0; k < p->variable_type_count; k++)
            buf_printf(out, "  %-22.*s %.*s (variable type)\n", SV_ARG(p->variable_types[k]->name),
                       SV_ARG(p->variable_types[k]->summary));
        for (size_t k = 0; k < p->link_count; k++)
            buf_printf(out, "  %.*s::%.*s  %.*s\n", SV_ARG(p->links[k]->type_a), SV_ARG(p->links[k]->type_b),
                       SV_ARG(p->links[k]->summary));
    }
    buf_append_cstr(out, "\n`lintel providers TYPE` tells more.\n");
}

static void write_declarations(struct jsonw *w, sv only) {
    const struct provider *one = providers_find(&builtin_providers, only);
    struct providers alone = {.items = &one, .count = 1};
    if (one && sv_eq(one->name, only))
        providers_write_json(w, &alone, SV(""));
    else
        providers_write_json(w, &builtin_providers, only);
}

enum exit_code cmd_providers_run(struct cli *c) {
    sv only = c->arguments.len > 0 ? c->arguments.items[0] : SV("");
    bool markdown = settings_get_flag(c, "markdown");
    struct buf out = BUF(&c->arena);
    size_t shown = 0;
    if (markdown)
        buf_append_cstr(&out, "# Providers\n\nMade by `lintel providers --markdown` from the providers' tables.\n\n");
    for (size_t i = 0; (only.len > 0 || markdown) && i < builtin_providers.count; i++)
        shown += render_provider(&out, builtin_providers.items[i], only);
    if (only.len > 0 && shown == 0) {
        struct hint hint = {.wanted = only, .best = providers_find_close(&builtin_providers, only)};
        if (hint.best.len == 0)
            hint.best = providers_find_close_data(&builtin_providers, only);
        return output_report_unknown(c, "type or provider", only, &hint);
    }
    if (only.len == 0 && !markdown)
        render_overview(&out);
    jsonw_key(&c->writer, SV("declarations"));
    write_declarations(&c->writer, only);
    output_text(c, buf_get_sv(&out));
    return EXIT_OK;
}
