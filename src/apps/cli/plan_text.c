/* Plans for people (CLI-020). */
#include "apps/cli/plan_view.h"
#include "apps/cli/scope.h"

struct plan_writer {
    struct buf *out;
    bool color;
    enum secrecy secrecy;
    const struct plan_view *view;
};

sv plan_action_get_symbol(const struct change *change) {
    switch (change->action) {
    case ACTION_CREATE:
        return SV("+");
    case ACTION_UPDATE:
    case ACTION_CHECK:
        return SV("~");
    case ACTION_REPLACE:
        return change->destroy_first ? SV("-/+") : SV("+/-");
    case ACTION_DELETE:
        return SV("-");
    case ACTION_READ:
        return SV("<=");
    case ACTION_RETAIN:
        return SV(".");
    case ACTION_NONE:
        return SV(" ");
    }
    return SV(" ");
}

static const char *get_action_color(enum change_action action) {
    switch (action) {
    case ACTION_CREATE:
        return "green";
    case ACTION_DELETE:
        return "red";
    case ACTION_UPDATE:
    case ACTION_CHECK:
    case ACTION_REPLACE:
        return "yellow";
    case ACTION_READ:
    case ACTION_RETAIN:
    case ACTION_NONE:
        return "dim";
    }
    return "dim";
}

static const char *get_action_text(const struct change *change) {
    switch (change->action) {
    case ACTION_CREATE:
        return change->missing ? "will be created again: it is gone" : "will be created";
    case ACTION_UPDATE:
        return change->drifted ? "will be updated: it has drifted" : "will be updated";
    case ACTION_CHECK:
        return "will be checked: it differs at most by what is known on deploy";
    case ACTION_REPLACE:
        return change->destroy_first ? "will be destroyed and created anew"
                                     : "will be created anew and the old one destroyed";
    case ACTION_DELETE:
        return change->deposed ? "left over from a replacement, will be destroyed" : "will be destroyed";
    case ACTION_READ:
        return "will be read on deploy: what it looks for is not known yet";
    case ACTION_RETAIN:
        return "will be kept, but forgotten";
    case ACTION_NONE:
        return "does not change";
    }
    return "";
}

static const char field_symbols[] = {[FIELD_NEW] = '+', [FIELD_MODIFIED] = '~', [FIELD_REMOVED] = '-'};

void plan_render_value(struct buf *out, value v, bool sensitive, enum secrecy secrecy) {
    if (v.kind == VALUE_UNKNOWN)
        buf_append_cstr(out, "(known on deploy)");
    else if (sensitive && secrecy == REDACT)
        buf_append_cstr(out, "(sensitive)");
    else
        value_render(out, v, 100, secrecy);
}

static void render_value(struct plan_writer *w, value v, bool sensitive, bool unknown) {
    if (unknown)
        buf_append_cstr(w->out, "(known on deploy)");
    else
        plan_render_value(w->out, v, sensitive, w->secrecy);
}

static void render_field(struct plan_writer *w, const struct field_change *f) {
    const char *color = f->kind == FIELD_NEW ? "green" : f->kind == FIELD_REMOVED ? "red" : "yellow";
    sv path = render_escape(w->out->arena, path_to_text(w->out->arena, f->path));
    buf_printf(w->out, "      %s%c%s %.*s: ", output_start_color(w->color, color), field_symbols[f->kind],
               output_end_color(w->color), SV_ARG(path));
    if (f->kind != FIELD_NEW)
        render_value(w, f->before, f->sensitive, false);
    if (f->kind == FIELD_MODIFIED)
        buf_append_cstr(w->out, " → ");
    if (f->kind != FIELD_REMOVED)
        render_value(w, f->after, f->sensitive, f->unknown);
    if (f->provisional)
        buf_append_cstr(w->out, " (checked on deploy)");
    if (f->must_recreate)
        buf_append_cstr(w->out, "  # forces replacement");
    buf_append_char(w->out, '\n');
}

/* Reasons that stand on no field: propagated from what the element uses. */
static void render_reasons(struct plan_writer *w, const struct change *change) {
    for (size_t i = 0; i < change->reasons.len; i++) {
        sv text = change->reasons.items[i].text;
        if (!sv_has_prefix(text, SV("spec")) && !sv_has_prefix(text, SV("metadata")))
            buf_printf(w->out, "      # because of %.*s\n", SV_ARG(render_escape(w->out->arena, text)));
    }
}

static bool is_among_changes(struct arena *a, const struct change *change, sv path) {
    for (size_t i = 0; i < change->diff.changes.len; i++) {
        if (sv_eq(path_to_text(a, change->diff.changes.items[i].path), path))
            return true;
    }
    return false;
}

static void render_change(struct plan_writer *w, const struct change *change) {
    sv symbol = plan_action_get_symbol(change);
    buf_append_repeat(w->out, ' ', 3 - symbol.len);
    buf_printf(w->out, "%s%.*s%s %.*s", output_start_color(w->color, get_action_color(change->action)), SV_ARG(symbol),
               output_end_color(w->color), SV_ARG(render_escape(w->out->arena, change->address.text)));
    if (change->display_name.len > 0)
        buf_printf(w->out, " \"%.*s\"", SV_ARG(render_escape(w->out->arena, change->display_name)));
    if (change->kind == ELEMENT_EXPORT) {
        buf_append_cstr(w->out, ": ");
        if (value_is_set(change->before))
            render_value(w, change->before, value_is_sensitive(change->before), false);
        if (value_is_set(change->before) && value_is_set(change->after))
            buf_append_cstr(w->out, " → ");
        if (value_is_set(change->after))
            render_value(w, change->after, value_is_sensitive(change->after), !value_is_known(change->after));
        if (change->known_on_deploy_count > 0 && value_is_known(change->after))
            buf_append_cstr(w->out, " (checked on deploy)");
        buf_append_char(w->out, '\n');
        return;
    }
    if (change->type.len > 0)
        buf_printf(w->out, " (%.*s)", SV_ARG(change->type));
    buf_printf(w->out, " %s%s\n", get_action_text(change),
               change->condition_known_on_deploy ? ", if its condition holds (known on deploy)" : "");
    for (size_t i = 0; i < change->diff.changes.len; i++)
        render_field(w, &change->diff.changes.items[i]);
    for (size_t i = 0; i < change->computed_field_count; i++) {
        if (!is_among_changes(w->out->arena, change, change->computed_fields[i]))
            buf_printf(w->out, "      %s+%s %.*s: (known on deploy)\n", output_start_color(w->color, "green"),
                       output_end_color(w->color), SV_ARG(change->computed_fields[i]));
    }
    render_reasons(w, change);
}

static const struct {
    sv symbol;
    const char *text;
} legend[] = {
    {SV_INIT("+"), "create"},
    {SV_INIT("~"), "update"},
    {SV_INIT("-"), "destroy"},
    {SV_INIT("-/+"), "destroy, then create"},
    {SV_INIT("+/-"), "create, then destroy"},
    {SV_INIT("<="), "read"},
    {SV_INIT("."), "keep, but forget"},
};

static void render_legend(struct plan_writer *w, const struct plan *p) {
    const char *between = "";
    for (size_t k = 0; k < sizeof legend / sizeof *legend; k++) {
        bool occurs = false;
        for (size_t i = 0; i < p->change_count && !occurs; i++)
            occurs = plan_view_shows(w->view, &p->changes[i]) &&
                     sv_eq(plan_action_get_symbol(&p->changes[i]), legend[k].symbol);
        if (!occurs)
            continue;
        buf_printf(w->out, "%s%.*s %s", between, SV_ARG(legend[k].symbol), legend[k].text);
        between = "   ";
    }
    buf_append_cstr(w->out, between[0] ? "\n\n" : "\n");
}

/* "children.core/": the child that an element belongs to; empty at the root. */
static sv get_child(const struct change *change) {
    return sv_slice(change->address.text, 0, sv_rfind_char(change->address.text, '/') + 1);
}

/* Elements of a child stand together: a line names it where another one begins. Those of the root come first. */
static void render_group(struct plan_writer *w, const struct change *changes, size_t count, bool exports) {
    sv child = {0};
    for (size_t pass = 0; pass < 2; pass++) {
        for (size_t i = 0; i < count; i++) {
            sv own = get_child(&changes[i]);
            if ((changes[i].kind == ELEMENT_EXPORT) != exports || (own.len > 0) != (pass == 1) ||
                !plan_view_shows(w->view, &changes[i]))
                continue;
            if (!sv_eq(own, child))
                buf_printf(w->out, "\n  %s%.*s%s\n", output_start_color(w->color, "bold"),
                           SV_ARG(render_escape(w->out->arena, sv_slice(own, 0, own.len - 1))),
                           output_end_color(w->color));
            child = own;
            render_change(w, &changes[i]);
        }
    }
}

static bool has_exports(const struct plan *p, const struct plan_view *view) {
    for (size_t i = 0; i < p->change_count; i++) {
        if (p->changes[i].kind == ELEMENT_EXPORT && plan_view_shows(view, &p->changes[i]))
            return true;
    }
    return false;
}

/* Those that an operation of ours has left half-way, or all others. */
static void render_drift(struct plan_writer *w, const struct plan *p, bool half_way) {
    size_t others = plan_count_drift(p);
    if ((half_way ? p->drift_count - others : others) == 0)
        return;
    buf_append_cstr(w->out, half_way ? "Left half-way by an earlier run:\n"
                                     : "Changed outside of lintel since the last run:\n");
    for (size_t i = 0; i < p->drift_count; i++) {
        const struct change *d = &p->drift[i];
        if (d->forced != half_way)
            continue;
        buf_printf(w->out, "  %s%.*s%s %s\n", output_start_color(w->color, "yellow"),
                   SV_ARG(render_escape(w->out->arena, d->address.text)), output_end_color(w->color),
                   d->missing ? "is gone" : "differs from its stored state:");
        for (size_t k = 0; k < d->diff.changes.len; k++)
            render_field(w, &d->diff.changes.items[k]);
    }
    buf_append_char(w->out, '\n');
}

bool plan_view_shows(const struct plan_view *view, const struct change *change) {
    return view->only == 0 || (kinds_get(change) & view->only) != 0;
}

void plan_render_hidden(struct buf *out, const struct plan *p, const struct plan_view *view) {
    size_t hidden[KIND_COUNT] = {0};
    const char *between = "Not shown: ";
    for (size_t i = 0; i < p->change_count; i++) {
        unsigned kind = plan_view_shows(view, &p->changes[i]) ? 0 : kinds_get(&p->changes[i]);
        for (size_t k = 0; k < KIND_COUNT; k++)
            hidden[k] += kind == 1U << k;
    }
    for (unsigned k = 0; k < KIND_COUNT; k++) {
        if (hidden[k] == 0)
            continue;
        buf_printf(out, "%s%zu %.*s", between, hidden[k], SV_ARG(kind_get_name(1U << k)));
        between = ", ";
    }
    if (between[0] == ',')
        buf_append_cstr(out, ".\n");
}

void plan_render_count(struct buf *out, const struct plan *p) {
    const struct plan_summary *s = &p->summary;
    buf_printf(out, "Plan: %zu to create, %zu to update, %zu to replace, %zu to destroy.", s->create,
               s->update + s->check, s->replace, s->destroy);
}

static void render_head(struct plan_writer *w, const struct plan *p) {
    sv name = render_escape(w->out->arena, p->instance_name);
    if (p->has_interrupted)
        buf_append_cstr(w->out, "Operations of an earlier run were cut off; deploying settles them first.\n\n");
    scope_render(w->out, p);
    if (plan_is_empty(p)) {
        buf_printf(w->out, "Instance %.*s: nothing%s would change.\n", SV_ARG(name),
                   plan_is_limited(p) ? " in what was chosen" : "");
        return;
    }
    buf_printf(w->out, "Instance %.*s%s\n", SV_ARG(name),
               p->destroy && plan_is_limited(p) ? ": what was chosen will be destroyed"
               : p->destroy                     ? ": everything will be destroyed"
               : p->instance_version > 0        ? ""
               : p->rollback                    ? " was destroyed and is made again"
                                                : " is new");
    render_legend(w, p);
}

void plan_render_text(struct buf *out, const struct plan *p, const struct plan_view *view) {
    struct plan_writer w = {out, view->color, view->secrecy, view};
    render_drift(&w, p, false);
    render_drift(&w, p, true);
    render_head(&w, p);
    if (plan_is_empty(p))
        return;
    render_group(&w, p->changes, p->change_count, false);
    if (has_exports(p, view))
        buf_append_cstr(out, "\nExports:\n");
    render_group(&w, p->changes, p->change_count, true);
    buf_append_char(out, '\n');
}

/* "  ~ resources.api (local/file): 3 fields, because of spec.path" */
static void render_line(struct plan_writer *w, const struct change *change) {
    sv symbol = plan_action_get_symbol(change);
    buf_append_repeat(w->out, ' ', 3 - symbol.len);
    buf_printf(w->out, "%s%.*s%s %.*s", output_start_color(w->color, get_action_color(change->action)), SV_ARG(symbol),
               output_end_color(w->color), SV_ARG(render_escape(w->out->arena, change->address.text)));
    if (change->type.len > 0 && change->kind != ELEMENT_EXPORT)
        buf_printf(w->out, " (%.*s)", SV_ARG(change->type));
    size_t fields = change->diff.changes.len;
    const char *between = ": ";
    if (fields > 0 && (change->action == ACTION_UPDATE || change->action == ACTION_REPLACE)) {
        buf_printf(w->out, "%s%zu field%s", between, fields, fields == 1 ? "" : "s");
        between = ", ";
    }
    if (change->action == ACTION_REPLACE && change->reasons.len > 0)
        buf_printf(w->out, "%sbecause of %.*s", between,
                   SV_ARG(render_escape(w->out->arena, change->reasons.items[0].text)));
    buf_append_char(w->out, '\n');
}

void plan_render_summary(struct buf *out, const struct plan *p, const struct plan_view *view) {
    struct plan_writer w = {out, view->color, view->secrecy, view};
    if (plan_count_drift(p) > 0)
        buf_printf(out, "Changed outside of lintel since the last run: %zu.\n\n", plan_count_drift(p));
    render_head(&w, p);
    for (size_t i = 0; i < p->change_count; i++) {
        if (plan_view_shows(view, &p->changes[i]))
            render_line(&w, &p->changes[i]);
    }
    if (!plan_is_empty(p))
        buf_append_char(out, '\n');
}

void plan_render_view(struct buf *out, const struct plan *p, const struct plan_view *view) {
    if (view->is_markdown) {
        plan_render_markdown(out, p, view);
        return;
    }
    if (view->is_summary)
        plan_render_summary(out, p, view);
    else
        plan_render_text(out, p, view);
    plan_render_hidden(out, p, view);
    buf_append_cstr(out, output_start_color(view->color, "bold"));
    plan_render_count(out, p);
    buf_printf(out, "%s\n", output_end_color(view->color));
}

void plan_render(struct buf *out, const struct plan *p, bool color, enum secrecy secrecy) {
    struct plan_view view = {.secrecy = secrecy, .color = color};
    plan_render_view(out, p, &view);
}
